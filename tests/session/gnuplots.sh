# SPDX-License-Identifier: GPL-3.0-or-later
#
# Programs that are named gnuplot but are not gnuplot, under the dashboard and at the plain prompt: the session continues,
# curves are drawn without them, Ctrl-C stops waiting for one, and no process remains.
# not under sanitizers: it waits for answers only as long as the ordinary program needs
#
set -u
. tests/terminal.sh

braille='[⠁⠂⠄⠈⠉⠐⠑⠒⠔⠤⠠⡀⢀⣀⡠⢄⠢]'
nap="sleep 1000$$" # a command line that no other process has
mkdir -p "$TMP/tools"
for tool in sh sleep cat head env mkdir; do ln -s "$(command -v $tool)" "$TMP/tools/$tool"; done
# fake NAME LINES
fake() {
    mkdir -p "$TMP/$1"
    printf '#!/bin/sh\necho >>"%s"\n%s\n' "$TMP/started" "$2" >"$TMP/$1/gnuplot"
    chmod +x "$TMP/$1/gnuplot"
}
mkdir "$TMP/missing" "$TMP/folder" "$TMP/folder/gnuplot"
fake exits 'exit 0'
fake dies 'read line; echo half a picture; kill -9 $$'
fake rubbish "echo rubbish; echo rubbish >&2; exec $nap"
fake flood "head -c 100000000 /dev/zero; exec $nap"
fake endless 'cat /dev/zero >&2 & exec cat /dev/zero'
fake stubborn 'trap "" TERM HUP INT; while :; do sleep 1; done'
fake deaf "exec <&-; exec $nap"
fake mute "exec >&- 2>&-; exec $nap"
fake echoes 'exec cat'

# prints the processes of the fakes that are left: scripts named gnuplot, or what they executed
left() { pgrep -f "$TMP/[a-z]*/gnuplot|$nap"; }
for name in missing folder exits dies rubbish flood endless stubborn deaf mute echoes; do
    rm -f "$TMP/started"
    start "PATH='$TMP/$name:$TMP/tools' '$WEAKLAB' -n -d" 100 30
    see "$name: a dashboard" '^weaklab> '
    type 'generate two-moons n=40 seed=1; task ssl labeled=4; algo wellsvm kernel=rbf sigma=0.5x; step 2' Enter
    see "$name: a run" '^\(a:2 wellsvm\)> '
    see "$name: curves all the same" "$braille"
    type 'back' Enter
    see "$name: the dashboard answers" '^\(a:1 wellsvm\)> '
    type 'dashboard off' Enter 'say plain' Enter
    see "$name: the plain prompt" '^plain$'
    rm -f "$TMP/started"
    type 'plot gap' Enter
    case $name in
    missing | folder) see "$name: plot says so" 'error: (there is no program|cannot start) .gnuplot' ;;
    *)
        while [ ! -s "$TMP/started" ]; do sleep 0.1; done
        type C-c
        ;;
    esac
    see "$name: the prompt is back" '^\(a:1 wellsvm\)> $'
    type 'say on' Enter
    see "$name: the session continues" '^on$'
    type 'quit' Enter
    see "$name: quit" '^status=0'
    for i in $(seq 100); do left >/dev/null || break; sleep 0.1; done
    left >/dev/null && echo "not ok $name: no process stays behind: $(left | xargs ps -f -p)" ||
        echo "ok $name: no process stays behind"
    t kill-server
done
