# SPDX-License-Identifier: GPL-3.0-or-later
#
# Exercises: questions and turns in scripts, at a terminal and without one; `grade` on a class of ten, with wrong, edited and
# hostile files; the exercise sheets and their solutions.
# under sanitizers only in the long check: other scripts run the same commands
set -u
W=$WEAKLAB
root=$PWD
say() { # NAME STATUS [WHY]
    if [ "$2" -eq 0 ]; then echo "ok exercises: $1"; else echo "not ok exercises: $1: ${3:-}"; fi
}
cd "$TMP" || exit 1
export XDG_STATE_HOME=$TMP/state XDG_CONFIG_HOME=$TMP/config

cat >sheet.wlab <<'X'
# A small exercise.
say "Two moons."
generate two-moons n=100 noise=0.08 seed=1
task ssl labeled=4 seed=1
algo wellsvm kernel=rbf sigma=0.3x loss=squared-hinge C1=1 C2=0.5 search=paper
choose "How many labelings are in the working set now?" none one two answer=1
ask "How many will there be after two steps?" metric=working_set
step 2
wait
turn "Bring relgap below 0.1 by another search."
expect relgap < 0.1
wait
ask "At which step will the run be after another step?" metric=iter within=1
step
say "The end."
X

# ---- without a terminal ----
"$W" -b -n sheet.wlab --record untaken.wlab >out 2>err </dev/null
say 'runs without a terminal' $? "$(tail -n 1 err)"
grep -q '^a) none   b) one   c) two$' out && grep -q '^answer: a) none$' out &&
    grep -q '^answer: working_set is 2 (How many will there be after two steps?)$' out &&
    grep -q '^to be reached: relgap < 0.1$' out
say 'questions, then their answers; what nobody was asked to reach is not checked' $? "$(cat out)"
"$W" -b -n -e 'set questions=no' sheet.wlab >out 2>err </dev/null
! grep -qE 'answer:|How many|Your turn' out
say 'set questions=no: nothing is asked' $? "$(grep -E 'answer|How' out)"
"$W" report sheet.wlab -o sheet.html >out 2>&1 </dev/null && grep -q 'How many will there be after two steps' sheet.html &&
    grep -q 'working_set is 2' sheet.html
say 'a handout has question and answer' $? "$(tail -n 1 out)"
for line in 'ask "What?"' 'ask "What?" metric=nonsense' 'ask "What?" metric=gap given=five' 'choose "What?" a answer=1' \
    'choose "What?" a b answer=3' 'choose "What?" a b' 'choose "What?" a b answer=1 given=c' 'turn'; do
    "$W" -b -n -e "$(sed -n '3,5p' sheet.wlab | tr '\n' ';')" -e "$line" >out 2>err </dev/null
    [ $? -eq 1 ] && grep -q 'error:' err
    say "refused: $line" $? "$(cat err)"
done

# ---- answers ----
# answered NAME CHOICE NUMBER SEARCH [LAST]: a recorded session with these answers
answered() {
    sed -e "s/^choose .*/& given=$2/" -e "s/^ask .*after two.*/& given=$3/" -e "s/^ask .*another step.*/& given=${5:-6}/" \
        -e "s/^turn .*/&\n$4\nresume/" sheet.wlab >"$1.in"
    "$W" -b -n --record "$1" "$1.in" >"$1.out" 2>&1 </dev/null
    rm -f "$1.in"
}
good='set search=multistart\ncontinue until relgap < 0.1'
answered right.wlab 1 2 "$good"
grep -q '^you said a: right, a) none$' right.wlab.out && grep -q '^you said 2; working_set is 2: right$' right.wlab.out &&
    grep -q '^as expected: relgap < 0.1' right.wlab.out
say 'answers are compared' $? "$(cat right.wlab.out)"
"$W" replay --check right.wlab >out 2>&1 </dev/null && grep -q 'all equal bit for bit' out
say 'a recorded session replays without asking' $? "$(tail -n 1 out)"
sed 's/given=2$/given=3/' right.wlab >edited.wlab
"$W" replay --check edited.wlab >out 2>&1 </dev/null
[ $? -eq 3 ]
say 'an edited answer is found by replay --check' $? "$(tail -n 1 out)"

# ---- a class of ten ----
mkdir class
last=$(sed -n 's/^#@ run=a iter=\([0-9]*\) .*/\1/p' right.wlab | tail -n 1)
for k in 1 2 3 4 5 6 7; do
    answered "class/0$k.wlab" 1 2 "$good\nback 1\nstep" "$((last - k % 2))"
done
answered class/08.wlab 2 7 "$good" 1
answered class/09.wlab 1 2 'step' "$last" # what it was to reach it does not: the record has no expect
rm -f class/*.out
sed -i 's/^expect .*/# failed: &/' class/09.wlab
echo secret >"$TMP/secret.csv"
awk '/^turn / { print
    print "plot gap to ../evil.svg\nplot gap to evil.svg\nexport trace evil.csv\nrecord evil.wlab"
    print "say \"\033]0;owned\007\033[31m=cmd|calc\""
    print "load /etc/passwd"
    print "algo svm\ncontinue\nexpect gap < 1e-6"; next }
    /^set search/ { next } /^#@ run=/ { sub(/objective=[^ ]*/, "objective=1e-9") } { print }' right.wlab >class/10.wlab
: >before
mkdir temporary
TMPDIR=$PWD/temporary "$W" grade sheet.wlab class -o table.csv >out 2>err </dev/null
say 'grade on a folder of ten' $? "$(cat err)"
[ "$(head -n 1 table.csv)" = 'file,1 choose,2 ask,3 expect,4 ask,points,of,note' ] && [ "$(wc -l <table.csv)" -eq 11 ]
say 'a row for each, a column for each item' $? "$(cat table.csv)"
[ "$(grep -cE '^class/0[1-7].wlab,held,held,held,held,4,4,$' table.csv)" -eq 7 ]
say 'seven are right' $? "$(cat table.csv)"
grep -q '^class/08.wlab,not,not,held,not,1,4,$' table.csv && grep -q '^class/09.wlab,held,held,not,' table.csv
say 'two are wrong' $? "$(grep -E '/0[89]' table.csv)"
row=$(grep '^class/10' table.csv)
case $row in class/10.wlab,held,held,not,*,4,*'the recorded result is not that of the exercise'*) ok=0 ;; *) ok=1 ;; esac
say 'the hostile one gets only what it answered, and a note about its digests' $ok "$row"
case $row in *'`record evil.wlab` is not for a turn'*) ok=0 ;; *) ok=1 ;; esac
say 'and one about the command that it must not give' $ok "$row"
[ -z "$(find . -newer before -name 'evil*')" ] && [ ! -e ../evil.svg ]
say 'it has written nothing' $? "$(find . -name 'evil*')"
left=$(ls -A temporary)
[ -z "$left" ]
say 'no temporary folder is left' $? "$left"
[ "$(tr -d '\n' <table.csv | LC_ALL=C tr -d '[:print:]' | wc -c)" -eq 0 ]
say 'the table has no control characters' $?

# ---- single tricks ----
# trick NAME SED-SCRIPT PATTERN: the row of the right session after this change
trick() {
    sed -e "$2" right.wlab >trick.wlab
    "$W" grade sheet.wlab trick.wlab limit=2 >out 2>err </dev/null
    tail -n 1 out | grep -qE -- "$3"
    say "$1" $? "$(cat out err)"
}
trick 'reading /etc/passwd' '/^set search/s|.*|load /etc/passwd|' '^trick.wlab,held,held,not,.*`load /etc/passwd` is not for a turn'
trick 'easier data' '/^set search/s|.*|generate blobs n=20; task ssl labeled=10; algo svm; continue|' 'held,held,not,.*generate blobs n=20. is not for a turn'
trick 'an aim of their own' '/^expect/s/.*/expect relgap < 9/; /^set search/d; /^continue until/d' 'trick.wlab,held,held,not,missing,.*line [0-9]+: .expect relgap < 9. is not the exercise'
trick 'a given aim' '/^set search/d; /^continue until/d' '^trick.wlab,held,held,not,'
trick 'an edited answer' 's/given=2$/given=3/' '^trick.wlab,held,edited,held,'
trick 'an answer without its mark' '/^#@ given/d' '^trick.wlab,edited,edited,held,edited,1,'
trick 'forged results' 's/objective=[^ ]*/objective=0.5/' 'held,held,held,4,4,.*line 11: the recorded result is not that of the exercise: objective'
trick 'no results' '/^#@ run=/d' 'held,4,4,.*it has no result'
trick 'another command' 's/^step 2/step 3/' '^trick.wlab,held,missing,missing,missing,1,4,.*line 11: `step 3` is not the exercise'
trick 'questions switched off in a turn' '/^set search/s/^/set questions=no\n/' '^trick.wlab,held,held,held,held,4,'
trick 'a lesson in a turn' '/^set search/s/.*/lesson gap/' 'is not for a turn'
trick 'a long run' '/^set search/s/.*/algo bb kernel=rbf sigma=1x loss=hinge C=100; continue/' '^trick.wlab,held,held,missing,.*stopped after 2 s of processor time'
trick 'escape sequences' 's/^set search.*/\x1b[31m\x1b]0;x\x07/' 'line 1[0-9]: '
! grep -q "$(printf '\033')" out
say 'none of them is printed' $?
printf 'GIF89a\0\1\2' >trick2.wlab
: >empty.wlab
mkfifo pipe.wlab
cp right.wlab '=1+1.wlab'
cp right.wlab '@sum, "x".wlab'
timeout 60 "$W" grade sheet.wlab trick2.wlab empty.wlab pipe.wlab '=1+1.wlab' '@sum, "x".wlab' >out 2>err </dev/null
say 'files that are no sessions' $? "$(cat err)"
grep -q '^trick2.wlab,missing,missing,missing,missing,0,4,.*not text' out && grep -q '^empty.wlab,missing.*no commands' out &&
    grep -q '^pipe.wlab,missing.*not an ordinary file' out
say 'are said to be none' $? "$(cat out)"
grep -qF "\"'=1+1.wlab\",held," out && grep -qF "\"'@sum, \"\"x\"\".wlab\",held," out
say 'no cell is a formula' $? "$(cat out)"

# ---- the long form, JSON, errors ----
"$W" grade sheet.wlab right.wlab --items >out 2>err </dev/null
[ "$(wc -l <out)" -eq 5 ] && grep -q '^right.wlab,2,7,ask,How many will there be after two steps?,2,2,held,1$' out &&
    grep -q '^right.wlab,3,11,expect,relgap < 0.1,,relgap = ' out
say 'one row for each item' $? "$(cat out)"
"$W" --json grade sheet.wlab right.wlab 2>err </dev/null | grep -q '"type":"grade","file":"right.wlab",.*"points":4,"of":4'
say 'as JSON' $?
echo 'generate two-moons' >none.wlab
printf 'source right.wlab\nexpect iter > 0\n' >follows.wlab
printf 'nonsense\nexpect iter > 0\n' >unknown.wlab
mkdir nobody
for wrong in 'none.wlab right.wlab' 'follows.wlab right.wlab' 'unknown.wlab right.wlab' 'sheet.wlab absent.wlab' 'sheet.wlab nobody'; do
    "$W" -b -n -e "grade $wrong" >out 2>err </dev/null
    [ $? -eq 1 ] && grep -q 'error:' err
    say "an error: grade $wrong" $? "$(cat out err)"
done

# ---- the sheets ----
for f in "$root"/scripts/exercises/*.solution.wlab; do
    name=$(basename "$f" .solution.wlab)
    "$W" grade "$root/scripts/exercises/$name.wlab" "$f" >out 2>err </dev/null
    # the note may say that a result differs: the solution was recorded on another processor
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "points") p = i } NR == 2 { exit !(p && $p == $(p + 1) && $p >= 6) }' out
    say "$name: its solution gets full points" $? "$(cat out err)"
    n=$(grep -cE '^(ask|choose|expect) ' "$root/scripts/exercises/$name.wlab")
    [ "$n" -ge 6 ] && [ "$n" -le 10 ] && [ "$(grep -c '^turn ' "$root/scripts/exercises/$name.wlab")" -ge 1 ]
    say "$name has 6 to 10 items of all kinds" $? "$n"
    head -n 2 "$root/scripts/exercises/$name.wlab" | tail -n 1 | grep -q "^# $n items, "
    say "$name says how many" $?
    many=$(awk '/^say / { n++ } /^(ask|turn) / { n++ } /^choose / { n += 2 } n > 4 { print FNR } /^(wait|ask|choose|turn)/ { n = 0 }' "$root/scripts/exercises/$name.wlab")
    [ -z "$many" ]
    say "$name fits 80 x 24" $? "lines $many"
done

# ---- at a terminal ----
cd "$root" || exit 1
. tests/terminal.sh
cd "$TMP" || exit 1
start "$W replay --record mine.wlab sheet.wlab" 80 24
see 'a question waits' 'your answer, a to c: _'
type F5 x Enter
see 'what is no answer is asked for again' 'not "x" but a to c: _'
type a Enter
see 'its result, and the next question' 'you said a: right, a\) none'
see 'a number is asked for' 'your answer, a number: _'
type 7 BSpace 3 Enter
see 'compared after the step' 'you said 3; working_set is 2: off by 1'
type Left
see 'the left arrow goes back over the step to its question' 'your answer, a number: _'
type C-c
see 'Ctrl-C at a question gives the prompt' 'taken over before line'
type 'resume' Enter
see 'and resume asks again' 'your answer, a number: _'
type C-d
until_there last_is '\)> *$'
type 'step' Enter 'resume' Enter
see 'after own commands too' 'removed: 1 data set'
see 'the question is open again' 'your answer, a number: _   \(Enter'
type 2 Enter
see 'right this time' 'you said 2; working_set is 2: right'
type Space
see 'a turn gives the prompt' 'your turn: type commands'
type 'step' Enter 'resume' Enter
see 'an aim that was missed does not end the exercise' 'not reached: relgap < 0.1'
type Left
see 'the left arrow goes back to the turn' 'back at line'
type 'set search=multistart' Enter 'continue until relgap < 0.1' Enter 'resume' Enter
see 'reached' 'as expected: relgap < 0.1'
type Enter
see 'left after the turn' 'taken over before line 12'
type 'runs; step' Enter
see 'own commands after it' 'a +wellsvm +step 5'
type 'resume' Enter
see_prompt 'back at the pause, after the turn was executed again' 'Space: on, Left: back'
type Space
see_prompt 'the last question' 'your answer, a number: _'
type Enter
see 'an empty answer skips it' 'answer: iter is '
see 'the end' 'the end of sheet.wlab'
type quit Enter
see 'ends' 'status=0'
"$W" grade sheet.wlab mine.wlab >out 2>err </dev/null
grep -q '^mine.wlab,held,held,held,missing,3,4,$' out
say 'the record with all detours is graded by its last way' $? "$(cat out err)"
"$W" replay --check mine.wlab >out 2>&1 </dev/null
say 'and replays' $? "$(tail -n 2 out)"
if grep -qaE '__[at]san_init' "$W"; then
    echo 'skipped exercises: the dashboard: a sanitizer reports what ncurses does not free'
else
    start "$W -d --record other.wlab" 80 24
    see 'the dashboard' 'weaklab>'
    type 'replay sheet.wlab' Enter
    see 'a question on the dashboard' 'your answer, a to c: _ --'
    see 'its keys' 'Enter answer, or skip  Left back'
    type F1
    see 'F1 explains the keys' 'these keys; again'
    type q b Enter
    see 'answered on the dashboard' 'you said b: no, the answer is a\) none'
    type C-c
    see_prompt 'left' 'F1 help'
    type quit Enter
    see 'ends, too' 'status=0'
fi
