# SPDX-License-Identifier: GPL-3.0-or-later
#
# The prompt in a real terminal: tmux types, and looks at what the screen shows.
# not under sanitizers: it waits for answers as long as the ordinary program needs
#
set -u
. tests/terminal.sh
raw() { # what the terminal is told goes to $TMP/raw, too
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
see 'operators after a metric' '^increases +more than after the step before'
type C-u 's' Enter
see 'an alias' '^\(a:1 wellsvm\)> '
type 'back' Enter
see 'back' '^\(a:0 wellsvm\)> $'
type 'step' Enter
asks 'a step again' '^\(a:1 wellsvm\)> *$'
type Enter
see 'an empty line repeats the step' '^\(a:2 wellsvm\)> |converged'
type 'say half a li'
asks 'half a line' '> say half a li$'
type C-c
asks 'Ctrl-C asks anew' '^\(a:2 wellsvm[^)]*\)> *$'
type 'say whole' Enter
see 'Ctrl-C drops the line' '^whole$'
screen | grep -q '^half' && echo 'not ok the dropped line was carried out'
type 'frob' Enter
see 'an error leaves the prompt' 'error: unknown command "frob"'

# readline crashes at a sequence of keys that ends a search
type C-r say C-x b
type C-e C-u 'say searched' Enter
see 'a sequence of keys ends a search' '^searched$'

# a long run: the prompt answers, and Ctrl-C stops it
type 'generate topics n=6000 d=2000 seed=1; task ssl labeled=20; algo wellsvm kernel=rbf search=multistart; say begun; continue until iter > 99999' Enter
see 'the prompt is there while it computes' '^\(running[^)]*\)> '
type 'help say' Enter
see 'what depends on no run is answered' '^say TEXT'
see 'it says how long it computes' '^\(running [0-9]+ s[^)]*\)> $'
type 'step 3' Enter
see 'stepping has to wait' '^running: kept for when it stops; Ctrl-C stops it and drops this'
type 'say never' Enter
see 'what is typed stays on the screen' '^\(running[^)]*\)> say never$'
see 'a new run' '^begun$'
see 'which steps' '^ +iter '
type C-c
see 'Ctrl-C answers at once' '^stopping: after this update; 2 kept lines are dropped'
see 'Ctrl-C stops the run, not the program' 'interrupted'
see 'and the prompt is back' '^\(b:[0-9+]* wellsvm\)> $'
screen | grep -q '^never' && echo 'not ok a dropped line was carried out'
type C-z
see 'Ctrl-Z stops the program' 'Stopped|Suspended'
type 'fg' Enter
type 'say woken' Enter
see 'fg goes on' '^woken$'
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
see 'a key goes on' '^after *$'

# kill -9: what was carried out is in the log
rm -rf "$TMP/state"
start "sh -c 'echo \$\$ >\"$TMP/pid\"; exec \"$WEAKLAB\" -n'"
see 'a new session' '^weaklab> '
type 'generate two-moons n=30 seed=1; task ssl labeled=4; algo wellsvm; step' Enter
see 'a step' '^\(a:1 wellsvm\)> '
kill -9 "$(cat "$TMP/pid")"
see 'killed' '^(Killed|status=137)'
if "$WEAKLAB" replay --check "$TMP"/state/weaklab/session-*.wlab >"$TMP/log" 2>&1 && grep -q '2 recorded results' "$TMP/log"; then
    echo 'ok kill -9 loses nothing that was carried out'
else
    echo "not ok kill -9 loses nothing that was carried out: $(tail -n 3 "$TMP/log")"
fi

# several lines at once: whether a run is still under way when they arrive changes nothing
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
    see "a pasted text is carried out to its end ($way)" '^status=0'
    see "its lines are shown, a half-done step in the prompt ($way)" '^\(a:3\+1 wellsvm\)> say two$'
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
see 'a line is kept' 'running: kept'
sleep 0.5 # or it would count as pasted; it may last longer
type 'quit' Enter
see 'quit by hand stops and leaves' '^status=0'
screen | grep -q '^never' && echo 'not ok quit carried out a kept line'
type 'stty -a | grep -o " echo " | tr -d " " | sed s/^/tty-/' Enter
see 'the terminal is as it was after that' '^tty-echo$'

# what is pasted behind a `wait` is no key for it
start "'$WEAKLAB' -n"
see 'a prompt before the wait' '^weaklab> '
printf 'say 1; wait 30\nsay behind\nwait key\nsay last\nquit\n' >"$TMP/paste"
t load-buffer -b text "$TMP/paste"
t paste-buffer -b text -p -t w
see 'lines behind a wait are whole' '^behind$'
see 'to the last' '^status=0'

# without a prompt: long work says so, on a terminal only, and nothing of that stays
big='generate topics n=1000 d=2000 seed=1; task ssl labeled=20; algo wellsvm kernel=rbf search=multistart; continue until seconds > 4'
start 'echo a terminal that keeps what it is told'
see 'a terminal' '^status=0'
raw
type "clear; '$WEAKLAB' -n -b -e '$big'; echo ended=\$?" Enter
see 'it ends' '^ended=0'
until_there grep -q 'computing [.][.][.] [0-9][0-9]* s' "$TMP/raw" && echo 'ok long work says that it goes on' ||
    echo 'not ok long work says that it goes on'
screen | grep -q '^computing' && echo 'not ok the status line stayed'
again=$(printf '; goto 0%.0s' $(seq 24))
start "'$WEAKLAB' -n -b -e 'generate two-moons n=30 seed=1; task ssl labeled=4; algo wellsvm; step$again'"
see 'rows' '^status=0'
if [ "$(screen | grep -c '^ *iter ')" -eq 2 ]; then
    echo 'ok the head of the table comes again'
else
    echo "not ok the head of the table comes again: $(screen | grep .)"
fi
n=$((n + 1))
t new-session -d -s w -x 40 -y 20 "'$WEAKLAB' -n"
see 'a narrow screen has whole words' '^`quit` ends[.]'

# nothing that is printed acts on the terminal: escape sequences of a script, a data file, a file's name
printf 'say red \233[31m \302\233[31m \342\200\256 \342\201\246\nload "%s/bad.libsvm"\n' "$TMP" >"$TMP/escape.wlab"
printf '1 1:1\n-1 2:x\033[31m\302\233\n' >"$TMP/bad.libsvm"
mkdir -p "$TMP/odd"
touch "$TMP/odd/$(printf 'one\342\200\256')" "$TMP/odd/$(printf 'one\033[31m')" "$TMP/odd/$(printf 'one\302\233m')" "$TMP/odd/one-1" "$TMP/odd/one-2"
start 'echo another'
see 'another terminal' '^status=0'
raw
type "'$WEAKLAB' -n '$TMP/escape.wlab'; echo ended=\$?" Enter
see 'an error quotes what is in the file' "'2:x"
type "load $TMP/odd/" Tab Tab Tab
see 'names of files are listed' 'one-2'
type C-u 'say one'
t send-keys -t w -H c2 9b 33 31 6d # pasted, say
type ' two' Enter
see 'what is typed holds none' '^one31m two$'
type C-u 'quit' Enter
see 'that session ends' '^ended='
until_there grep -q '^ended=' "$TMP/raw" || echo 'not ok all of it was kept'
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
see 'and goes on' '^three$'
t send-keys -t w -H 1b 5b 32 30 30 7e # the beginning of a paste, without its end
type 'say four' Enter
see 'an unfinished paste holds nothing up' '^four$'
tty=$(t display-message -p -t w '#{pane_tty}')
for columns in 1 2 3 5; do
    stty -F "$tty" rows 1 cols "$columns"
    type C-v F2 Tab C-u 'say x' C-a C-e C-u
    at_rest
done
stty -F "$tty" rows 10 cols 60
type 'xyz' F5 # what is being typed makes room and comes back
see 'a function key types its command on a line of its own' '^weaklab> step *$'
see 'and leaves what is being typed' '^weaklab> xyz *$'
type C-u 'say five' Enter
see 'the narrowest of terminals' '^five$'
type 'quit' Enter
see 'then it ends' '^status=0'
printf 'set editing-mode vi\nset show-mode-in-prompt on\n' >"$TMP/inputrc"
start "INPUTRC='$TMP/inputrc' '$WEAKLAB' -n" 60 10
see 'vi' 'weaklab> '
type 'say six'
t send-keys -t w -H 20 e2 9d c2 9b 9b 20 c3 20 e6 bc # no characters: vi's e would look for their end for ever
at_rest # the rest of a character that comes late: Escape alone was not heard behind that
t send-keys -t w -H a2
see 'the parts of a character make one' 'say six .*漢'
type Escape
see 'Escape alone is heard' '\(cmd\)'
type '0eeeeeeA'
type ' seven' Enter
see 'vi, and broken characters' '^six  *漢 seven$'
type 'quit' Enter
see 'vi ends' '^status=0'
