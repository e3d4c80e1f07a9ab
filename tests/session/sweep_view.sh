# SPDX-License-Identifier: GPL-3.0-or-later
#
# The progress panel of a sweep in a real terminal: alone, at the prompt, under the dashboard; after resizes, interrupts and
# the end of the terminal.
# not under sanitizers: ncurses keeps its memory
set -u
W=$WEAKLAB
. tests/sweeps.sh

cat >"$TMP/long.wexp" <<'END'
generate g50c n=160
split test=0.25
task ssl labeled=10
method WellSVM algo wellsvm kernel=rbf sigma={0.25x,0.5x,1x,2x} C2={0.01,0.1,1,10} search=paper
tune folds=3
continue until iter == 10
repeat 60
END
. tests/terminal.sh
cd "$TMP" || exit 1
start "'$W' sweep long.wexp --out view -j 2" 80 24
see 'the view: what is done' '\[[#.]+\] [0-9]+ of 60 cells'
see 'the view: who works on what' '^  [12]  g50c .*seed=[0-9]+ .* s$'
see 'the view: the best so far' 'best so far, mean accuracy:'
see 'the view: time left' 's left$'
t resize-window -t w -x 60 -y 15
one_view() { [ "$(now | grep -cE '\[[#.]+\] [0-9]+ of 60 cells')" -eq 1 ] && [ "$(now | wc -L)" -le 60 ]; }
until_there one_view
say 'after a resize one view, not longer than the screen' $? "$(now)"
hold
type C-c
see 'Ctrl-C says what it does' 'running cells? ha(s|ve) finished; Ctrl-C'
release
see 'and ends it' 'status=130'
see 'the last state stays' 'of 60 cells.* stopped'
start "TERM=dumb '$W' sweep long.wexp --out view -j 2" 80 24
see 'a plain terminal: lines' '^\[[0-9]+/60\] cell [0-9]+: g50c'
type C-c
see 'Ctrl-C there' 'status=130'

start "'$W' -n" 80 24
see 'a prompt' 'weaklab> '
type 'sweep long.wexp to atprompt workers=2' Enter
see 'the view at the prompt' 'of 60 cells'
type 'help runs' Enter
see 'the prompt is alive' 'runs +Lists|usage: runs|^runs'
type 'get threads' Enter
see 'other lines are kept' 'running: the line waits'
type C-c
see 'Ctrl-C stops it' 'interrupted: [0-9]+ of 60 cells are in atprompt'
type quit Enter
none_left 'after Ctrl-C'
start "'$W' -n" 80 24 # a new screen, and no worker left: the texts that are waited for can only come from the commands below
see 'a prompt again' 'weaklab> '
type 'sweep long.wexp to twice workers=2' Enter
see 'another sweep' '[0-9]+ of 60 cells'
two_workers() { [ "$(workers | wc -l)" -eq 2 ]; }
until_there two_workers
hold # so that only the second Ctrl-C can end it
type C-c
see 'again' 'running cells? ha(s|ve) finished; Ctrl-C'
type C-c
see 'twice: at once' 'interrupted: [0-9]+ of 60 cells are in twice'
none_left 'after Ctrl-C twice'
type 'dashboard on' Enter
type 'sweep long.wexp to dash workers=2' Enter
see 'the view under the dashboard' 'sweep -|─ sweep ─'
see 'with its cells' '[0-9]+ of 60 cells'
type 'quit' Enter
see 'quit ends it' 'status=0'
none_left 'after quit'
start "'$W' sweep long.wexp --out gone -j 2" 80 24
see 'a terminal that is closed' 'of 60 cells'
t kill-server
none_left 'without its terminal'
exit 0
