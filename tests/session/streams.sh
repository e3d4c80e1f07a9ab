# SPDX-License-Identifier: GPL-3.0-or-later
#
# Every command when nobody reads its output; closed standard streams; a folder that cannot be written; edited recordings.
# needs gnuplot
set -u
. tests/checks.sh
export XDG_STATE_HOME=$TMP/state XDG_CONFIG_HOME=$TMP/config HOME=$TMP
W=$WEAKLAB
cd "$TMP" || exit 1
: >out
mkfifo pipe lines
# unread ARGS...: runs the program with a pipe without a reader as its standard output, and its errors in err
unread()
{
    exec 3<>pipe
    exec 4>pipe
    exec 3>&-
    "$W" "$@" >&4 2>err </dev/null
    local status=$?
    exec 4>&-
    return $status
}

# unread_then LINE ARGS...: starts the program, reads its output up to "there", closes the reading end, then sends it
# LINE
unread_then()
{
    local line=$1
    shift
    exec 3<>pipe
    "$W" -n -q -b "$@" -e "$run; say there" lines >pipe 2>err </dev/null 3>&- &
    sed '/there/q' <&3 >/dev/null
    exec 3>&-
    echo "$line" >lines
    wait $!
}

printf '%s\n' 'generate two-moons n=40 seed=1 as moons' 'split test=0.25' 'task ssl labeled=4' 'repeat 2' \
    'method W algo svm' 'table' >tiny.wexp
run='generate two-moons n=40 seed=1; task ssl labeled=4; algo wellsvm kernel=rbf; step 2'
"$W" -n -q -b --record tape.wlab -e "$run; eval" >/dev/null
"$W" -n -q sweep tiny.wexp --out base >/dev/null 2>&1
echo 'say sourced' >script.wlab
printf '%s\n' 'generate blobs' 'choose "What?" yes no answer=1' >exercise.wlab
cat >commands <<'X'
load table.csv
generate blobs
scale zscore
split test=0.5
task ssl labeled=4
algo svm
tune folds=2 algo svm C={0.1,1}
set C2=0.3
score unlabeled on
get
step
stepi
continue
algo mfa; finish
back
goto 1
break gap < 0.1; break
watch gap; watch
break gap < 0.1; delete 1
info
explain
display gap; step
display gap; undisplay 1
eval
runs
fork d
switch a
fork c; compare a c
expect iter >= 0
ask "How far?" metric=iter; step
choose "What?" yes no answer=1
turn "Do something."
grade exercise.wlab tape.wlab
plot gap
dashboard
export trace trace.csv
sweep tiny.wexp to swept
table base
curve accuracy vs seconds of base
cell 1 of base
merge base to merged
record other.wlab; record stop
new; replay tape.wlab
source script.wlab
report script.wlab to page.html
new
history
quit
lesson
say hello
wait 0.01
help
X
printf '%s\n' '1,0,a' '0,1,b' '1,1,a' >table.csv
missing=$("$W" -n -b -e 'help commands' | sed -n 's/^  \([a-z][a-z]*\)[ ,].*/\1/p' | sort -u | while read -r word; do
    grep -qE "(^|; )$word( |\$)" commands || echo "$word"
done | grep -vx resume) # it needs a person who has left a lesson
check "the list has every command" test -z "$missing"
for way in '' --json; do
    bad=
    while read -r line; do
        rm -rf swept merged other.wlab
        unread_then "$line" $way
        status=$?
        if [ $status -ne 0 ] || [ -s err ]; then bad="$bad $line: status $status $(head -c 200 err);"; fi
    done <commands
    check "nobody reads a command's output${way:+ ($way)}: it ends silently $bad" test -z "$bad"
done
unread_then 'load nothing.csv' --json
check "a command that fails without a reader has status 1" test $? -eq 1
bad=
for words in '--help' '--version' 'table base' 'cell 1 --of base' 'replay --check tape.wlab' 'script.wlab'; do
    unread $words
    status=$?
    if [ $status -ne 0 ] || [ -s err ]; then bad="$bad $words: status $status $(head -c 200 err);"; fi
    "$W" $words >/dev/full 2>err </dev/null
    [ $? -eq 1 ] && grep -q 'cannot write to standard output' err || bad="$bad $words: a full disk, $(head -c 200 err);"
done
check "nor a subcommand's; a full disk is reported $bad" test -z "$bad"
exec 3<>pipe
exec 4>pipe
exec 3>&-
"$W" --frob 2>&4
status=$?
exec 4>&-
check "nobody reads the errors: the status is the same ($status)" test $status -eq 2

# no file that the program opens gets the descriptor of a closed standard stream, where output would land in it
timeout 60 "$W" -n -b --record closed.wlab -e 'say generate blobs' - <&- >&- 2>/dev/null
check "closed streams: the output is not the input" test "$(grep -c '^generate' closed.wlab)" -eq 0
timeout 60 "$W" -n -b --record closed.wlab -e 'say generate blobs' <&- >&- 2>&-
check "closed streams: the recording has only commands" test "$(grep -vc '^#@\|^say' closed.wlab)" -eq 0

# a folder that cannot be written: not even root can create a file in /proc/self
nowhere() { (cd /proc/self && XDG_STATE_HOME=/proc/self HOME=/proc/self "$W" -n "$@" >"$TMP/out" 2>&1 </dev/null); }
nowhere -b -e "$run; eval; plot gap; back"
check "a read-only folder: a session continues" test $? -eq 0
for line in 'plot gap to gap.png' 'export trace trace.csv' 'record other.wlab' "sweep $TMP/tiny.wexp to swept"; do
    nowhere -b -e "$run; $line"
    check "a read-only folder: $line names the file" grep -qE 'error: .*(gap|trace|other|swept)' out
done

# an edited recording: its results differ, and --check says where
replays() { "$W" -n replay --check "$1" >out 2>&1 </dev/null; }
replays tape.wlab
check "the recording replays" test $? -eq 0
for edit in 's/^step 2/step 1/' 's/n=40/n=41/' 's/seed=1/seed=2/' 's/labeled=4/labeled=6/' 's/kernel=rbf/kernel=linear/' \
    's/^eval$/eval train/' '/^step 2/d' 's/^task .*/task supervised/'; do
    sed "$edit" tape.wlab >edited.wlab
    replays edited.wlab
    status=$?
    check "edited by $edit: it differs, and the line is reported ($status)" \
        sh -c "[ $status -eq 3 ] && grep -qE 'edited.wlab:[0-9]+' out && ! cmp -s tape.wlab edited.wlab"
done
for edit in 's/^step 2/frob/' 's/n=40/n=forty/' 's/^algo .*/algo none/'; do
    sed "$edit" tape.wlab >edited.wlab
    replays edited.wlab
    status=$?
    check "edited by $edit: it fails, and the line is reported ($status)" \
        sh -c "[ $status -eq 1 ] && grep -qE 'edited.wlab:[0-9]+' out"
done
