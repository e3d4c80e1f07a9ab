# SPDX-License-Identifier: GPL-3.0-or-later
#
# The dashboard in a real terminal: tmux types, and looks at what the screen shows.
# not under sanitizers: it waits for answers as long as the ordinary program needs
#
set -u
. tests/terminal.sh

moons='generate two-moons n=150 noise=0.12 seed=1; task ssl labeled=4 seed=1; algo wellsvm kernel=rbf sigma=0.35x C2=0.1 search=multistart'
long='generate topics n=6000 d=2000 seed=1; task ssl labeled=20; algo wellsvm kernel=rbf search=multistart; continue until iter > 99999'
braille='[⠁⠂⠄⠈⠉⠐⠑⠒⠔⠤⠠⡀⢀⣀⡠⢄⠢]'
# fits COLUMNS [PATTERN]: every line of the screen is at most as wide as the terminal, the panes are as wide, the prompt
# is in the last lines; it shows what else is asked for
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

# keys: five of them show the run move, and each is a line of the log
start "'$WEAKLAB' -n -d -e '$moons'" 100 30
see 'the dashboard is there' '^\(a:0 wellsvm( converged)?\)>'
see 'it says what the next step will do' 'next: '
see 'and which key does it' 'F5 step'
for k in 1 2 3 4 5; do
    type F5
    see "key press $k makes step $k" "^\(a:$k wellsvm( converged)?\)>"
done
see 'curves are there' "$braille"
see 'the state is told in a word' 'PAUSED'
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
see 'a key leaves alone what is being typed' '^\(a:6 wellsvm( converged)?\)> say ssß 漢字 *$'
type Enter
see 'it is carried out' '^ssß 漢字'
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
sleep 0.6 # until then what comes belongs to Escape; it may last longer
type F7
see 'an Escape alone takes no key along' '^\(a:5 wellsvm( converged)?\)> *$'
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

# F5 leads from nothing to a step
start "'$WEAKLAB' -n -d" 100 30
see 'an empty dashboard says what F5 does' '1 data: F5 types'
type F5
see 'first data' '^two-moons: 200 rows'
type F5
see 'then a task' '^ssl on two-moons: 200 instances'
type F5
see 'then an algorithm' '^\(a:0 wellsvm\)> *$'
type F5
see 'then a step' '^\(a:1 wellsvm\)> *$'
type 'algo wellsvm kernel=linear; step 4; plot objective vs inner' Enter
see 'plot vs, in the pane' ' inner iterations *│'
type 'plot objective' Enter
see 'and the steps again' '│step '
type F1
see 'help once more' 'PgUp PgDn'
type quit Enter # its q closes the help, and still begins the word
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
    see_fits "$1 x $2 during a run: it fits, and the state is told" "$1" RUNNING
done
type F5
see 'a stepping key during a run' 'running: F6 or Ctrl-C stops it'
type C-z
see 'Ctrl-Z gives the terminal back' 'Stopped|Suspended'
type 'stty -a | grep -o " echo " | tr -d " " | sed s/^/tty-/' Enter
see 'as it was' '^tty-echo$'
type 'fg' Enter
see 'fg goes on' 'RUNNING'
see 'until the first step is made there is nothing to stop' '^ +[0-9]+ +-0[.]00'
type C-c
see 'Ctrl-C stops the run, not the program' '^\(a:[0-9+]* wellsvm( converged)?\)>'
see 'and the state says so' 'PAUSED'
type F6
see 'F6 goes on' 'RUNNING'
type F6
see 'F6 pauses' 'PAUSED'
type C-d
see 'end of input leaves' '^\$ *$'
replays 'what an interrupted run did replays'
rm -rf "$TMP/state"

# a lesson: on, back, take over; what was done replays
start "'$WEAKLAB' -n -d" 100 30
see 'a dashboard for a lesson' 'F1 help'
type 'lesson cut' Enter
see 'a lesson speaks and waits' 'Space: on, Left: back, Enter: take over'
for next in 'info task' 'algo wellsvm' 'step' 'explain violation'; do
    see "the lesson stops before $next" "Space: on.*-- +$next"
    [ "$next" = 'explain violation' ] || type Space
done
see 'Space goes on' 'a: step 1'
type Space
see 'to the next stop' 'How can .upper. lie below the objective'
type F3
gone 'a key of the view' '┬'
see 'leaves the lesson where it is' 'Space: on.*explain violation'
type F3
see 'a second one, too' '┬'
type Left
see 'Left steps back' 'back at line'
type Enter
see 'Enter takes over' '^\(a:1 wellsvm( converged)?\)>'
type F5
see 'and the session goes on' '^\(a:2 wellsvm( converged)?\)>'
type 'quit' Enter
see 'the lesson is left' '^status=0'
replays 'what was done in the lesson replays'
rm -rf "$TMP/state"
start "'$WEAKLAB' replay --pace 60 scripts/two-moons.wlab --out '$TMP'" 100 30
see 'a replay says what comes next' 'Space: pause.*generate'
type Space
see 'Space pauses' 'paused; Space: on'
type Right
see 'Right makes one step' 'paused.*task ssl'
type Enter
see 'and a prompt takes over' '^weaklab> '

# in the smallest usual terminal the numbers that a caption speaks of are to be seen below it
start "'$WEAKLAB' -n -d -e 'lesson annealing'" 80 24
for stop in 'about the best that can be had/algo mfn' 'little better than a coin/algo tsvm' 'max\(0, 1 - |o|\)\^2/finish' \
    'Left of the hump/finish' 'makes all steps/continue' 'On to its last value/algo mfa'; do
    see "the lesson annealing says: ${stop%/*}" "${stop%/*}"
    see "and stops before ${stop#*/}" "Space: on.*-- +${stop#*/}"
    type Space
done
see 'a caption speaks of an accuracy' 'J = 0.20, and three of four documents are right'
see 'which the log shows, though captions came between' '^run b, unlabeled: accuracy 0.7'

# two runs over each other
start "'$WEAKLAB' -n -d -e '$moons; step 3; fork b; set C2=0.5; step 3'" 100 30
see 'two runs' '^\(b:6 wellsvm( converged)?\)>'
type F9
see 'both are in the pane' '2 runs'
type 'compare off' Enter
gone 'and one again' '2 runs'
type 'quit' Enter
rm -rf "$TMP/state"

# a terminal that is larger than it said: all of it scrolls again after the full screen, whoever ends it
scrolls() { # NAME
    type "stty rows 30; clear; seq 100 | sed 's/^/$1: line /'" Enter
    see "$1: lines come" "^$1: line 100\$"
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
replays 'kill -9 loses nothing that was carried out'
rm -rf "$TMP/state"

# gnuplot killed, hung, missing: said once, the curves stay, the session goes on
start "'$WEAKLAB' -n -d -e '$moons; step 2'" 100 30
see 'curves by gnuplot' "$braille"
tty=$(t display-message -p -t w '#{pane_tty}')
children() { pgrep -x -t "${tty#/dev/}" gnuplot; }
children | xargs -r kill -9
type F5
see 'a gnuplot that was killed is started once more' '^\(a:3 wellsvm( converged)?\)>'
until_there children >/dev/null || echo 'not ok it was not started'
children | xargs -r kill -9
type F5
see 'and once more' '^\(a:4 wellsvm( converged)?\)>'
see 'curves are there all the same' "$braille"
type F5
see 'the session goes on' '^\(a:5 wellsvm( converged)?\)>'
type 'quit' Enter
see 'and ends' '^status=0'
mkdir -p "$TMP/bin"
start "PATH='$TMP/bin:/nowhere' '$WEAKLAB' -n -d -e '$moons; step 2'" 100 30
see 'no gnuplot: curves' "$braille"
patience=4 until_there shows 'no program .gnuplot' || type PgUp # further up, when a step told more since
see 'no gnuplot: said' 'no program .gnuplot'
type 'quit' Enter
see 'no gnuplot: quit' '^status=0'
printf '#!/bin/sh\nsleep 1000\n' >"$TMP/bin/gnuplot"
chmod +x "$TMP/bin/gnuplot"
start "PATH='$TMP/bin':\$PATH '$WEAKLAB' -n -d -e '$moons; step 2'" 100 30
see 'a gnuplot that hangs: said' 'without'
see 'a gnuplot that hangs: curves' "$braille"
type F5
see 'a gnuplot that hangs: the session goes on' '^\(a:3 wellsvm( converged)?\)>'
type 'quit' Enter
see 'a gnuplot that hangs: quit' '^status=0'
no_gnuplot() { ! pgrep -f "$TMP/bin/gnuplot" >/dev/null; }
until_there no_gnuplot && echo 'ok no process stays behind' || echo 'not ok no process stays behind'

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
    at_rest
    see_fits "TERM=$term: lines fit" 80
    if [ "$term" = linux ] && now | LC_ALL=C grep -q '[^ -~]'; then
        echo "not ok TERM=$term is ASCII"
    fi
    type F6
    see "TERM=$term: a function key" '^\(a:([4-9]|[1-9][0-9]).*\)>|RUNNING'
done
start "'$WEAKLAB' -n -d -e '$moons; step 3'" 80 24 'LC_ALL=C'
see 'no UTF-8' '^\(a:3 wellsvm( converged)?\)>'
at_rest
if now | LC_ALL=C grep -q '[^ -~]'; then
    echo 'not ok without UTF-8 the screen is ASCII:'
    now | LC_ALL=C grep '[^ -~]'
else
    echo 'ok without UTF-8 the screen is ASCII'
fi
start "NO_COLOR=1 '$WEAKLAB' -n -d -e '$moons; step 3'" 80 24
see 'NO_COLOR' '^\(a:3 wellsvm( converged)?\)>'
at_rest
if t capture-pane -e -p -t w | grep -qE "$(printf '\033')\[([0-9;]*;)?(3[0-7]|4[0-7]|38|48|9[0-7])[;m]"; then
    echo 'not ok NO_COLOR: no colour'
else
    echo 'ok NO_COLOR: no colour'
fi
start "'$WEAKLAB' -n -d -e '$moons; step 3'" 30 6
see 'a tiny terminal has a prompt' '\(a:3 wellsvm( converged)?\)>'
