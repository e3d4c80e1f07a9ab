# SPDX-License-Identifier: GPL-3.0-or-later
#
# The prompt in a real terminal: tmux types keys and reads the screen.
# not under sanitizers: its waiting times are those of the ordinary program
#
set -u
. tests/terminal.sh
raw() { # copy the output to the terminal to $TMP/raw
    t pipe-pane -t w "cat >'$TMP/raw'"
}

start "'$WEAKLAB' -n"
see 'the prompt' '^weaklab> '
type 'gen two-m' Tab 'n=40 seed=1' Enter
see 'a kind is completed, a prefix is enough' '^two-moons: 40 rows'
type 'task ssl lab' Tab '4; algo wells' Tab 'ker' Tab 'rb' Tab Enter
see 'settings and values are completed' '^\(a:0 wellsvm\)> '
type 'set C' Tab Tab
see 'a list says default, range and meaning' '^C2= +0\.1 \(> 0\) +penalty C2 of the unlabelled'
type C-u 'break gap ' Tab Tab
see 'operators after a metric' '^increases +greater than after the previous step'
type C-u 's' Enter
see 'an alias' '^\(a:1 wellsvm\)> '
type 'back' Enter
see 'back' '^\(a:0 wellsvm\)> $'
type 'step' Enter
see_prompt 'a step again' '^\(a:1 wellsvm\)> *$'
type Enter
see 'an empty line repeats the step' '^\(a:2 wellsvm\)> |converged'
type 'say half a li'
see_prompt 'half a line' '> say half a li$'
type C-c
see_prompt 'Ctrl-C asks anew' '^\(a:2 wellsvm[^)]*\)> *$'
type 'say whole' Enter
see 'Ctrl-C drops the line' '^whole$'
screen | grep -q '^half' && echo 'not ok the dropped line was executed'
type 'frob' Enter
see 'an error leaves the prompt' 'error: unknown command "frob"'

# readline crashes at a sequence of keys that ends a search
type C-r say C-x b
type C-e C-u 'say searched' Enter
see 'a sequence of keys ends a search' '^searched$'

# a long run: the prompt answers, and Ctrl-C stops it
type 'generate topics n=6000 d=2000 seed=1; task ssl labeled=20; algo wellsvm kernel=rbf search=multistart; say begun; continue until iter > 99999' Enter
# what is counted may have parentheses of its own: "SVM iterations (master)"
running='running( [0-9]+ s([^()]|\([^()]*\))*)?'
see 'the prompt is there while it computes' "^\($running\)> "
type 'help say' Enter
see 'a command that does not depend on the run is answered' '^say TEXT'
see 'it displays the elapsed time' '^\(running [0-9]+ s([^()]|\([^()]*\))*\)> $'
type 'step 3' Enter
see 'stepping has to wait' '^running: the line waits for the end; Ctrl-C stops this and drops the line'
type 'say never' Enter
see 'a typed line stays on the screen' "^\($running\)> say never\$"
see 'a new run' '^begun$'
see 'which steps' '^ +iter '
type C-c
# if the update ends at once, the run has stopped before the prompt reports Ctrl-C; then it reports "stopped"
see 'Ctrl-C answers at once' '^(stopping: after this update|stopped); 2 kept lines are dropped'
see 'Ctrl-C stops the run, not the program' 'interrupted'
see 'and the prompt is back' '^\(b:[0-9+]* wellsvm\)> $'
screen | grep -q '^never' && echo 'not ok a dropped line was executed'
type C-z
see 'Ctrl-Z stops the program' 'Stopped|Suspended'
type 'fg' Enter
type 'say woken' Enter
see 'fg continues' '^woken$'
t resize-window -t w -x 60 -y 15 2>/dev/null
type 'say narrow' Enter
see 'another size' '^narrow$'
type 'say narrow' Enter 'quit' Enter
see 'the shell is back' '^\$ *$'
type 'echo left-$?' Enter
see 'quit' '^left-0$'
[ "$(grep -c '^say narrow$' "$TMP/state/weaklab/history")" -eq 1 ] && grep -q '^frob$' "$TMP/state/weaklab/history"
[ $? -eq 0 ] && echo 'ok history, without repeats' || echo "not ok history: $(tail -n 5 "$TMP/state/weaklab/history")"
type 'stty -a | grep -o " echo " | tr -d " " | sed s/^/tty-/' Enter
see 'the terminal is as it was' '^tty-echo$'

# a script that waits
printf 'say before\nwait key\nsay after\n' >"$TMP/w.wlab"
start "'$WEAKLAB' -n -b '$TMP/w.wlab'"
see 'wait waits' 'press a key'
screen | grep -q '^after' && echo 'not ok wait did not wait'
type Space
see 'a key ends the waiting' '^after *$'

# kill -9: executed commands are in the log
rm -rf "$TMP/state"
start "sh -c 'echo \$\$ >\"$TMP/pid\"; exec \"$WEAKLAB\" -n'"
see 'a new session' '^weaklab> '
type 'generate two-moons n=30 seed=1; task ssl labeled=4; algo wellsvm; step' Enter
see 'a step' '^\(a:1 wellsvm\)> '
kill -9 "$(cat "$TMP/pid")"
see 'killed' '^(Killed|status=137)'
if "$WEAKLAB" replay --check "$TMP"/state/weaklab/session-*.wlab >"$TMP/log" 2>&1 && grep -q '2 recorded results' "$TMP/log"; then
    echo 'ok kill -9 loses no executed command'
else
    echo "not ok kill -9 loses no executed command: $(tail -n 3 "$TMP/log")"
fi

# no log is written of a session whose commands only showed something; none can be written if its folder cannot be made
rm -rf "$TMP/state"
start "'$WEAKLAB' -n"
type 'help say' Enter 'quit' Enter
see 'a session that only looked' '^\$ *$'
ls "$TMP"/state/weaklab/*.wlab >/dev/null 2>&1 && echo 'not ok a session that only looked has a log' || echo 'ok no log of it'
start "env XDG_STATE_HOME=/proc/none HOME=/proc/none '$WEAKLAB' -n"
see 'a state folder that cannot be made' '^weaklab> '
type 'generate two-moons n=30 seed=1' Enter
see 'disturbs nothing' '^two-moons: 30 rows'

# several lines at once: it makes no difference whether a run is under way when they arrive
cat >"$TMP/paste" <<'END'
generate topics n=1500 d=500 seed=1
task ssl labeled=20
algo wellsvm kernel=rbf
step
eval

back
frob
say one; step 2
stepi
say two
quit
END
for way in plain brackets ahead; do
    rm -rf "$TMP/state"
    printf 'set enable-bracketed-paste %s\n' "$([ $way = brackets ] && echo on || echo off)" >"$TMP/inputrc"
    start "INPUTRC='$TMP/inputrc' '$WEAKLAB' -n --record '$TMP/$way.wlab'"
    [ $way = ahead ] || see "a prompt ($way)" '^weaklab> '
    t load-buffer -b text "$TMP/paste"
    t paste-buffer -b text -p -t w
    [ $way != brackets ] || type Enter
    see "a pasted text is executed to its end ($way)" '^status=0'
    see "its lines are shown, an unfinished step in the prompt ($way)" '^\(a:3\+1 wellsvm\)> say two$'
    screen | grep -q '^two$' || echo "not ok a line was lost ($way): $(screen | tail -n 20)"
done
lines() { grep -v '^#@ weaklab' "$TMP/$1.wlab"; }
if cmp -s <(lines plain) <(lines brackets) && cmp -s <(lines plain) <(lines ahead) &&
    [ "$(grep -c '^[a-z]' "$TMP/plain.wlab")" -eq 11 ]; then
    echo 'ok the recorded session is the same each time'
else
    echo "not ok the recorded session is the same each time: $(lines plain; lines brackets; lines ahead)"
fi
start "'$WEAKLAB' -n"
see 'a prompt to leave' '^weaklab> '
type 'generate topics n=6000 d=2000 seed=1; task ssl labeled=20; algo wellsvm kernel=rbf search=multistart; continue until iter > 99999' Enter
see 'a run to leave' '^ *iter '
type 'say never' Enter
see 'a line is kept' 'running: the line waits'
sleep 0.5 # else it would count as pasted; the pause may be longer
type 'quit' Enter
see 'quit by hand stops and leaves' '^status=0'
screen | grep -q '^never' && echo 'not ok quit executed a kept line'
type 'stty -a | grep -o " echo " | tr -d " " | sed s/^/tty-/' Enter
see 'the terminal is as it was after that' '^tty-echo$'

# lines pasted after a `wait` are not keys for it
start "'$WEAKLAB' -n"
see 'a prompt before the wait' '^weaklab> '
printf 'say 1; wait 30\nsay behind\nwait key\nsay last\nquit\n' >"$TMP/paste"
t load-buffer -b text "$TMP/paste"
t paste-buffer -b text -p -t w
see 'lines behind a wait are whole' '^behind$'
see 'to the last' '^status=0'

# without a prompt: long work displays its progress, only on a terminal, and removes it
big='generate topics n=1000 d=2000 seed=1; task ssl labeled=20; algo wellsvm kernel=rbf search=multistart; continue until seconds > 4'
start 'echo a terminal that keeps its output'
see 'a terminal' '^status=0'
raw
type "clear; '$WEAKLAB' -n -b -e '$big'; echo ended=\$?" Enter
see 'it ends' '^ended=0'
until_there grep -q 'computing [.][.][.] [0-9][0-9]* s' "$TMP/raw" && echo 'ok long work displays its progress' ||
    echo 'not ok long work displays its progress'
screen | grep -q '^computing' && echo 'not ok the status line stayed'
again=$(printf '; goto 0%.0s' $(seq 24))
start "'$WEAKLAB' -n -b -e 'generate two-moons n=30 seed=1; task ssl labeled=4; algo wellsvm; step$again'"
see 'rows' '^status=0'
if [ "$(screen | grep -c '^ *iter ')" -eq 2 ]; then
    echo 'ok the header of the table is repeated'
else
    echo "not ok the header of the table is repeated: $(screen | grep .)"
fi
n=$((n + 1))
t new-session -d -s w -x 40 -y 20 "'$WEAKLAB' -n"
see 'a narrow screen has whole words' '^commands, `quit` ends the program[.]'

# no output acts on the terminal: escape sequences in a script, in a data file, in a file's name
printf 'say red \233[31m \302\233[31m \342\200\256 \342\201\246\nload "%s/bad.libsvm"\n' "$TMP" >"$TMP/escape.wlab"
printf '1 1:1\n-1 2:x\033[31m\302\233\n' >"$TMP/bad.libsvm"
mkdir -p "$TMP/odd"
touch "$TMP/odd/$(printf 'one\342\200\256')" "$TMP/odd/$(printf 'one\033[31m')" "$TMP/odd/$(printf 'one\302\233m')" "$TMP/odd/one-1" "$TMP/odd/one-2"
start 'echo another'
see 'another terminal' '^status=0'
raw
type "'$WEAKLAB' -n '$TMP/escape.wlab'; echo ended=\$?" Enter
see 'an error quotes the file' "'2:x"
type "load $TMP/odd/" Tab Tab Tab
see 'names of files are listed' 'one-2'
type C-u 'say one'
t send-keys -t w -H c2 9b 33 31 6d # as if pasted
type ' two' Enter
see 'the typed line has no escape sequence' '^one31m two$'
type C-u 'quit' Enter
see 'that session ends' '^ended='
until_there grep -q '^ended=' "$TMP/raw" || echo 'not ok the whole output was kept'
if LC_ALL=C grep -q "$(printf '\033\\[31m')\|$(printf '\233')\|$(printf '\342\200\256')\|$(printf '\342\201\246')" "$TMP/raw"; then
    echo "not ok no escape sequence gets through: $(LC_ALL=C cat -v "$TMP/raw")"
else
    echo 'ok no escape sequence gets through'
fi

# readline under odd circumstances
printf '"\\C-g": "say one\\nsay two\\nsay thr"\nset enable-bracketed-paste on\n' >"$TMP/inputrc"
start "INPUTRC='$TMP/inputrc' '$WEAKLAB' -n" 60 10
see 'a prompt with an inputrc' '^weaklab> '
type C-g
see 'a macro of several lines: the first' '^one$'
see 'the second' '^two$'
see 'the rest is being typed' '> say thr$'
type 'ee' Enter
see 'and continues' '^three$'
t send-keys -t w -H 1b 5b 32 30 30 7e # the beginning of a paste, without its end
type 'say four' Enter
see 'an unfinished paste blocks nothing' '^four$'
tty=$(t display-message -p -t w '#{pane_tty}')
for columns in 1 2 3 5; do
    stty -F "$tty" rows 1 cols "$columns"
    type C-v F2 Tab C-u 'say x' C-a C-e C-u
    until_idle
done
stty -F "$tty" rows 10 cols 60
type 'xyz' F5 # the line being typed is put away and restored
see 'a function key types its command on a line of its own' '^weaklab> step *$'
see 'and restores the line being typed' '^weaklab> xyz *$'
type C-u 'say five' Enter
see 'the narrowest of terminals' '^five$'
type 'quit' Enter
see 'then it ends' '^status=0'
printf 'set editing-mode vi\nset show-mode-in-prompt on\n' >"$TMP/inputrc"
start "INPUTRC='$TMP/inputrc' '$WEAKLAB' -n" 60 10
see 'vi' 'weaklab> '
type 'say six'
t send-keys -t w -H 20 e2 9d c2 9b 9b 20 c3 20 e6 bc # malformed bytes, in which vi's e would search for ever
until_idle # so that the last byte of the character arrives alone; after that, Escape alone must still be noticed
t send-keys -t w -H a2
see 'the parts of a character are joined' 'say six .*漢'
type Escape
see 'Escape alone is noticed' '\(cmd\)'
type '0eeeeeeA'
type ' seven' Enter
see 'vi, and broken characters' '^six  *漢 seven$'
type 'quit' Enter
see 'vi ends' '^status=0'
