# SPDX-License-Identifier: GPL-3.0-or-later
#
# The dashboard in a real terminal: tmux types keys and reads the screen.
# not under sanitizers: its waiting times are those of the ordinary program
# needs gnuplot
#
set -u
. tests/terminal.sh

moons='generate two-moons n=150 noise=0.12 seed=1; task ssl labeled=4 seed=1; algo wellsvm kernel=rbf sigma=0.35x C2=0.1 search=multistart'
long='generate topics n=6000 d=2000 seed=1; task ssl labeled=20; algo wellsvm kernel=rbf search=multistart; continue until iter > 99999'
braille='[⠁⠂⠄⠈⠉⠐⠑⠒⠔⠤⠠⡀⢀⣀⡠⢄⠢]'
# fits COLUMNS [PATTERN]: succeeds if the widest line has COLUMNS columns, a border of a pane is in the last of them, a
# prompt is in the last three lines that are not empty, and the screen shows PATTERN
fits() {
    local all
    all=$(now)
    [ "$(wc -L <<<"$all")" -eq "$1" ] && grep -qE "^.{$(($1 - 1))}[]┐┘+|]\$" <<<"$all" &&
        grep . <<<"$all" | tail -n 3 | grep -q '>' && grep -qE -- "${2:-.}" <<<"$all"
}
see_fits() { # NAME COLUMNS [PATTERN]
    if until_there fits "${@:2}"; then
        echo "ok $1"
    else
        echo "not ok $1:"
        now
    fi
}
# the log of the newest session replays to the same digests
replays() { # NAME
    local log
    log=$(ls -t "$TMP"/state/weaklab/session-*.wlab | head -n 1)
    if "$WEAKLAB" replay --check "$log" >"$TMP/log" 2>&1 && grep -q 'all equal bit for bit' "$TMP/log"; then
        echo "ok $1"
    else
        echo "not ok $1: $(tail -n 3 "$TMP/log"; cat "$log")"
    fi
}

# keys: each of five presses of F5 makes a step; each press that acts is a line of the log
start "'$WEAKLAB' -n -d -e '$moons'" 100 30
see 'the dashboard is there' '^\(a:0 wellsvm( converged)?\)>'
see 'it describes the next step' 'next: '
see 'and names the key for it' 'F5 step'
for k in 1 2 3 4 5; do
    type F5
    see "key press $k makes step $k" "^\(a:$k wellsvm( converged)?\)>"
done
see 'curves are there' "$braille"
see 'one word gives the state' 'PAUSED'
type F7
see 'back' '^\(a:4 wellsvm( converged)?\)>'
type C-x 5
see 'a twin of F5' '^\(a:5 wellsvm( converged)?\)>'
type C-x s
see 'single-key mode is shown' 'SINGLE KEY'
type s
see 's steps' '^\(a:6 wellsvm( converged)?\)>'
type b
see 'b goes back' '^\(a:5 wellsvm( converged)?\)>'
type q
gone 'q ends single-key mode' 'SINGLE KEY'
type 'say süß 漢字' Left Left Left Left BSpace s
see 'editing, with wide characters' '> say ssß 漢字 *$'
type F5
see 'a key does not change the line being typed' '^\(a:6 wellsvm( converged)?\)> say ssß 漢字 *$'
type Enter
see 'it is executed' '^ssß 漢字'
type 'algo wellsvm ker' Tab
see 'completion' 'kernel='
type C-u 'task ' Tab Tab
see 'a list of completions' 'cluster'
type C-u
type F1
see 'help is shown in the panes' 'PgUp PgDn'
type PgDn C-x q
gone 'and closed' 'PgUp PgDn scroll'
type F1
see 'again' 'PgUp PgDn'
type q
gone 'q closes it' 'PgUp PgDn scroll'
type F1
see 'and again' 'PgUp PgDn'
type Escape
gone 'Escape closes it' 'PgUp PgDn scroll'
sleep 0.6 # a key that comes earlier belongs to Escape; the pause may be longer
type F7
see 'an Escape alone does not join the next key' '^\(a:5 wellsvm( converged)?\)> *$'
type F5
see 'and back' '^\(a:6 wellsvm( converged)?\)> *$'
type F3
type F3
type C-x k
type C-x a
type 'frob' Enter
see 'an error is in the log' 'unknown command "frob"'
type 'dashboard show kernel' Enter
see 'a view without a pane' '"kernel" is a view without a pane; .plot kernel. draws it'
type F2
see 'off: the plain screen' '^\(a:6 wellsvm( converged)?\)> $'
type F2
see 'on again' 'CONVERGED'
type 'quit' Enter
see 'quit' '^status=0'
type 'stty -a | grep -o " echo " | tr -d " " | sed s/^/tty-/' Enter
see 'the terminal is as it was' '^tty-echo$'
[ "$(grep -c '^step$' "$TMP"/state/weaklab/session-*.wlab)" -eq 9 ] && echo 'ok each key press that acts is a line of the log' ||
    echo "not ok each key press that acts is a line of the log: $(cat "$TMP"/state/weaklab/session-*.wlab)"
replays 'the log replays to the same digests'
rm -rf "$TMP/state"

# F5 leads from an empty session to a step
start "'$WEAKLAB' -n -d" 100 30
see 'an empty dashboard says what F5 does' '1 data: F5 types this'
type F5
see 'first data' '^two-moons: 200 rows'
type F5
see 'then a task' '^ssl on two-moons: 200 instances'
type F5
see 'then an algorithm' '^\(a:0 wellsvm\)> *$'
type F5
see 'then a step' '^\(a:1 wellsvm\)> *$'
type 'algo wellsvm kernel=linear; step 4; plot objective vs inner' Enter
see 'plot vs, in the pane' ' inner units *│'
type 'plot objective' Enter
see 'and the steps again' '│step '
type F1
see 'help once more' 'PgUp PgDn'
type quit Enter # its q closes the help, and is still the first letter of the word
see 'quit from there' '^status=0'
rm -rf "$TMP/state"

# a long run: sizes, Ctrl-Z, Ctrl-C
start "'$WEAKLAB' -n -d" 100 30
see 'a dashboard without a run' 'F1 help'
type "$long" Enter
see 'the state while it computes' 'RUNNING'
for size in '60 15' '80 24' '200 60' '100 30'; do
    set -- $size
    t resize-window -t w -x "$1" -y "$2"
    see_fits "$1 x $2 during a run: it fits, and shows the state" "$1" RUNNING
done
type F5
see 'a stepping key during a run' 'running: F6 or Ctrl-C stops it'
type C-z
see 'Ctrl-Z restores the terminal' 'Stopped|Suspended'
type 'stty -a | grep -o " echo " | tr -d " " | sed s/^/tty-/' Enter
see 'as it was' '^tty-echo$'
type 'fg' Enter
see 'fg continues' 'RUNNING'
see 'the first step must be made before the run can be stopped' '^ +[0-9]+ +-0[.]00'
type C-c
see 'Ctrl-C stops the run, not the program' '^\(a:[0-9+]* wellsvm( converged)?\)>'
see 'and the state is paused' 'PAUSED'
type F6
see 'F6 continues' 'RUNNING'
type F6
see 'F6 pauses' 'PAUSED'
type C-d
see 'end of input leaves' '^\$ *$'
replays 'the log of an interrupted run replays'
rm -rf "$TMP/state"

# a lesson: continue, back, take over; its log replays
start "'$WEAKLAB' -n -d" 100 30
see 'a dashboard for a lesson' 'F1 help'
type 'lesson cut' Enter
see 'a lesson speaks and waits' 'Space: on, Left: back, Enter: take over'
for next in 'info task' 'algo wellsvm' 'step'; do
    see "the lesson stops before $next" "Space: on.*-- +$next"
    type Space
done
see 'a stop before the answer' 'The first labeling y1 is a guess'
type Space
see 'Space continues' 'a: step 1'
see 'the lesson stops before explain violation' "Space: on.*-- +explain violation"
type F1
see 'F1 shows the keys' '^│Keys\. C-x and then'
see 'and leaves the lesson where it is' 'Space: on.*explain violation'
type F1
see 'F1 again explains the pane in focus' '^│pane boundary of the dashboard'
type q
gone 'q closes the explanation' 'pane boundary of'
type Space
see 'to the next stop' 'How can .upper. be below the objective'
type F3
gone 'a key that changes the view' '┬'
see 'leaves the lesson where it is, at a question' 'your answer, a to b: _ --'
type F3
see 'a second one, too' '┬'
type Left
see 'Left steps back' 'back at line'
type Enter
see 'Enter takes over' '^\(a:1 wellsvm( converged)?\)>'
type F5
see 'and the session continues' '^\(a:2 wellsvm( converged)?\)>'
type 'resume' Enter
see 'resume returns to the lesson' 'Space: on.*explain violation'
see 'at the step at which it was left' 'a: step 1'
type Enter
see 'and it is left again' '^\(a:1 wellsvm( converged)?\)>'
type 'quit' Enter
see 'the lesson is left' '^status=0'
replays 'the log of the lesson replays'
rm -rf "$TMP/state"
start "'$WEAKLAB' replay --pace 60 scripts/two-moons.wlab --out '$TMP'" 100 30
see 'a replay shows the next command' 'Space: pause.*generate'
type Space
see 'Space pauses' 'paused; Space: on'
type Right
see 'Right makes one step' 'paused.*task ssl'
type Enter
see 'and a prompt takes over' '^weaklab> '

# at 80 x 24 the log below a caption of a lesson shows the numbers that the caption mentions
start "'$WEAKLAB' -n -d -e 'lesson annealing'" 80 24
for stop in 'so 90 % right is about the best/algo mfn' '\(AUC 0.73\), but cuts in the/algo tsvm' 'max\(0, 1 - |o|\)\^2/finish' \
    'left of the hump/finish' 'makes all steps/continue'; do
    see "the lesson annealing says: ${stop%/*}" "${stop%/*}"
    see "and stops before ${stop#*/}" "Space: on.*-- +${stop#*/}"
    type Space
done
see 'the lesson asks' 'Now to its last value'
see 'and waits for the answer' 'your answer, a to c: _ --'
type b Enter
see 'a caption mentions an accuracy' 'J = 0.20, and three documents in four are right'
see 'which the log shows, although captions came between' '^run b, unlabeled: accuracy 0.7'

# an explanation for which the log of a lesson has no room replaces the panes at the stop, from its beginning
printf '%s\n' 'generate two-moons n=40 seed=1' 'task ssl labeled=4' 'algo wellsvm kernel=rbf' 'step 2' 'say "Two steps."' \
    explain wait 'step 1' wait >"$TMP/ask.wlab"
start "'$WEAKLAB' -n -d -e 'source $TMP/ask.wlab'" 80 24
see 'a script explains and stops' 'press a key'
see 'the answer is open' 'answer +PgUp PgDn scroll, Esc closes'
see 'from its beginning' 'Step 2 added labeling y2'
type q
see 'q closes it' 'boundary'
see 'and the stop remains' 'press a key'
type Space
see 'the next stop' 'a: step 3'
see 'has the panes' 'boundary'
type Space
see 'the script ends' '^\(a:3 wellsvm( converged)?\)>'
start "'$WEAKLAB' -n -d -e 'source $TMP/ask.wlab'" 120 36
see 'on a larger screen, too' 'answer +PgUp PgDn scroll, Esc closes'
see 'it begins with the step' 'Step 2 added labeling y2'
type Space
see 'a key continues and closes it' 'a: step 3'
see 'and the panes are back' 'boundary'

# the screen as a file; the picture of README.md is that of the demo after five steps
start "'$WEAKLAB' -n -d scripts/demo.wlab" 100 30
see 'the demo' 'F5 step'
for step in 1 2 3 4 5; do
    type F5
    see "the demo at step $step" "a: step $step "
done
see 'the fifth step is on the screen' '^ +5 +4\.307'
# curves follow the metrics by a moment: with five steps both have tics at 2 and 4
both_curves() { [ "$(now | grep -cE 'step +2 +4 ')" -ge 2 ]; }
until_there both_curves && echo 'ok and in both curves' || echo 'not ok and in both curves'
type "dashboard save $TMP/screen.svg; dashboard save $TMP/screen.txt; dashboard save $TMP/screen.html" Enter
# the message may be wrapped, at a place that depends on the folder's name: wait for the file itself
saved() { [ -s "$TMP/screen.html" ]; }
until_there saved && echo 'ok the screen is saved' || echo 'not ok the screen is saved'
type 'dashboard save screen.png' Enter
see 'no other kinds' 'the name must end in .svg, .html, .txt'
type 'quit' Enter
see 'the demo ends' '^status=0'
# the texts of a picture above the log, without curves (braille) and seconds
pieces() {
    grep -o '<text.*</text>' "$1" | sed 's/<text[^>]*>//; s/<[^>]*>//g' | sed '/next: /,$d; /seconds/{N;d}' |
        LC_ALL=C grep -v $'\xe2[\xa0-\xa3]'
}
if [ -s "$TMP/screen.svg" ] && [ "$(pieces docs/dashboard.svg | wc -l)" -gt 60 ] &&
    diff <(pieces docs/dashboard.svg) <(pieces "$TMP/screen.svg") >"$TMP/diff"; then
    echo "ok the picture of README.md is the demo's"
else
    echo "not ok the picture of README.md is the demo's: make demo at 100 x 30, five times F5, dashboard save docs/dashboard.svg"
    head -n 20 "$TMP/diff"
fi
grep -q '^┌─ boundary and prediction ─' "$TMP/screen.txt" && echo 'ok the screen as text' || echo 'not ok the screen as text'
grep -q 'boundary and prediction' "$TMP/screen.html" && grep -q '^</pre>' "$TMP/screen.html" &&
    echo 'ok the screen as a page' || echo 'not ok the screen as a page'
rm -rf "$TMP/state"

# two runs in one pane
start "'$WEAKLAB' -n -d -e '$moons; step 3; fork b; set C2=0.5; step 3'" 100 30
see 'two runs' '^\(b:6 wellsvm( converged)?\)>'
type F9
see 'both are in the pane' '2 runs'
type 'compare off' Enter
gone 'and one again' '2 runs'
type 'quit' Enter
rm -rf "$TMP/state"

# The program sets a scrolling region for its full screen.  The terminal has 30 rows but reports 10: after the program
# has ended, in whatever way, all 30 rows must scroll.
scrolls() { # NAME
    type "stty rows 30; clear; seq 100 | sed 's/^/$1: line /'" Enter
    see "$1: lines are printed" "^$1: line 100\$"
    if [ "$(now | grep -c "^$1: line ")" -ge 28 ]; then
        echo "ok $1: all of the terminal scrolls"
    else
        echo "not ok $1: all of the terminal scrolls:"
        now
    fi
}
start "stty rows 10; '$WEAKLAB' -n -d" 80 30
see 'a low dashboard' 'F1 help'
type C-z
see 'a low dashboard is stopped' 'Stopped|Suspended'
scrolls 'Ctrl-Z'
type 'stty rows 10; fg' Enter
see 'a low dashboard again' 'F1 help'
type 'quit' Enter
see 'a low dashboard ends' '^\$ *$'
scrolls 'quit'
start "stty rows 10; sh -c 'echo \$\$ >\"$TMP/pid\"; exec \"$WEAKLAB\" -n -d'" 80 30
see 'a low dashboard to crash' 'F1 help'
kill -s SEGV "$(cat "$TMP/pid")"
see 'it crashes' '^(Segmentation|status=[0-9]+)'
scrolls 'a crash'
rm -rf "$TMP/state"

# SIGTERM, a crash, and kill -9
for signal in TERM SEGV ABRT; do
    start "sh -c 'echo \$\$ >\"$TMP/pid\"; exec \"$WEAKLAB\" -n -d -e \"generate two-moons n=30 seed=1\"'" 80 24
    see "a dashboard for SIG$signal" 'F1 help'
    kill -s $signal "$(cat "$TMP/pid")"
    see "SIG$signal ends it" '^(Terminated|Aborted|Segmentation|status=[0-9]+)'
    type 'stty -a | grep -o " echo " | tr -d " " | sed s/^/tty-/' Enter
    see "the terminal is as it was after SIG$signal" '^tty-echo$'
    t display-message -p -t w '#{alternate_on}' | grep -q 0 && echo "ok the plain screen is back after SIG$signal" ||
        echo "not ok the plain screen is back after SIG$signal"
done
rm -rf "$TMP/state"
start "sh -c 'echo \$\$ >\"$TMP/pid\"; exec \"$WEAKLAB\" -n -d'" 80 24
see 'a new session' 'F1 help'
type 'generate two-moons n=30 seed=1; task ssl labeled=4; algo wellsvm; step' Enter
see 'a step' '^\(a:1 wellsvm( converged)?\)> '
kill -9 "$(cat "$TMP/pid")"
see 'killed' 'Killed|status=137'
replays 'kill -9 loses no executed command'
rm -rf "$TMP/state"

# gnuplot killed, hung, missing: one message, the curves remain, the session continues
start "'$WEAKLAB' -n -d -e '$moons; step 2'" 100 30
see 'curves by gnuplot' "$braille"
tty=$(t display-message -p -t w '#{pane_tty}')
children() { pgrep -x -t "${tty#/dev/}" gnuplot; }
children | xargs -r kill -9
type F5
see 'a killed gnuplot is started again' '^\(a:3 wellsvm( converged)?\)>'
until_there children >/dev/null || echo 'not ok it was not started'
children | xargs -r kill -9
type F5
see 'and once more' '^\(a:4 wellsvm( converged)?\)>'
see 'curves are there even so' "$braille"
type F5
see 'the session continues' '^\(a:5 wellsvm( converged)?\)>'
type 'quit' Enter
see 'and ends' '^status=0'
mkdir -p "$TMP/bin"
start "PATH='$TMP/bin:/nowhere' '$WEAKLAB' -n -d -e '$moons; step 2'" 100 30
see 'no gnuplot: curves' "$braille"
patience=4 until_there shows 'no program .gnuplot' || type PgUp # further up, if later messages have pushed it off
see 'no gnuplot: reported' 'no program .gnuplot'
type 'quit' Enter
see 'no gnuplot: quit' '^status=0'
printf '#!/bin/sh\nsleep 1000\n' >"$TMP/bin/gnuplot"
chmod +x "$TMP/bin/gnuplot"
start "PATH='$TMP/bin':\$PATH '$WEAKLAB' -n -d -e '$moons; step 2'" 100 30
see 'a gnuplot that hangs: reported' 'without'
see 'a gnuplot that hangs: curves' "$braille"
type F5
see 'a gnuplot that hangs: the session continues' '^\(a:3 wellsvm( converged)?\)>'
type 'quit' Enter
see 'a gnuplot that hangs: quit' '^status=0'
no_gnuplot() { ! pgrep -f "$TMP/bin/gnuplot" >/dev/null; }
until_there no_gnuplot && echo 'ok no process is left' || echo 'not ok no process is left'

# terminals
start "TERM=dumb '$WEAKLAB' -n -d" 80 24
see 'TERM=dumb: no dashboard, and why' 'TERM=dumb'
type 'quit' Enter
start "TERM=nonsense-1 '$WEAKLAB' -n -d" 80 24
see 'an unknown terminal: why' 'TERM=nonsense-1'
type 'quit' Enter
for term in xterm screen-256color linux vt100; do
    start "TERM=$term '$WEAKLAB' -n -d -e '$moons; step 3'" 80 24
    see "TERM=$term" '^\(a:3 wellsvm( converged)?\)>'
    until_idle
    see_fits "TERM=$term: lines fit" 80
    if [ "$term" = linux ] && now | LC_ALL=C grep -q '[^ -~]'; then
        echo "not ok TERM=$term is ASCII"
    fi
    type F6
    see "TERM=$term: a function key" '^\(a:([4-9]|[1-9][0-9]).*\)>|RUNNING'
done
start "'$WEAKLAB' -n -d -e '$moons; step 3'" 80 24 'LC_ALL=C'
see 'no UTF-8' '^\(a:3 wellsvm( converged)?\)>'
until_idle
if now | LC_ALL=C grep -q '[^ -~]'; then
    echo 'not ok without UTF-8 the screen is ASCII:'
    now | LC_ALL=C grep '[^ -~]'
else
    echo 'ok without UTF-8 the screen is ASCII'
fi
start "NO_COLOR=1 '$WEAKLAB' -n -d -e '$moons; step 3'" 80 24
see 'NO_COLOR' '^\(a:3 wellsvm( converged)?\)>'
until_idle
if t capture-pane -e -p -t w | grep -qE "$(printf '\033')\[([0-9;]*;)?(3[0-7]|4[0-7]|38|48|9[0-7])[;m]"; then
    echo 'not ok NO_COLOR: no colour'
else
    echo 'ok NO_COLOR: no colour'
fi
start "'$WEAKLAB' -n -d -e '$moons; step 3'" 30 6
see 'a tiny terminal has a prompt' '\(a:3 wellsvm( converged)?\)>'
