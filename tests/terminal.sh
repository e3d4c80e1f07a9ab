# SPDX-License-Identifier: GPL-3.0-or-later
#
# For session tests that need a real terminal: tmux types, and the test reads the screen.  Sourced.
#
# A test waits for a state, never for a time.  The state must last until the test sees it: a line of the log, a prompt,
# a file; otherwise the program must be held in it by something that the test releases.
command -v tmux >/dev/null || { echo 'skipped: no tmux'; exit 0; }
. tests/waits.sh
export LC_ALL=C.UTF-8 XDG_STATE_HOME=$TMP/state XDG_CONFIG_HOME=$TMP/config HISTFILE=/dev/null
dir=$(mktemp -d) # a socket's path must be short
n=0
trap 'for s in "$dir"/*; do tmux -S "$s" kill-server 2>/dev/null; done; rm -rf "$dir"' EXIT
t() { tmux -S "$dir/$n" -f /dev/null "$@"; }
type() { t send-keys -t w -- "$@"; }
screen() { t capture-pane -p -J -t w -S -200; }
# now: the visible lines of the screen, without those that scrolled away
now() { t capture-pane -p -t w; }
# until_there COMMAND...: repeats COMMAND until it succeeds; false if the processes of the terminal cannot make it
# succeed any more (see until_so)
until_there() { until_so in_terminal "$@"; }
in_terminal() { echo -s "$(t display-message -p -t w '#{pane_pid},#{pid}' 2>/dev/null)"; }
# until_idle: waits until no program in the terminal computes
until_idle() { patience=4 until_there false; }
shows() { screen | grep -qE -- "$1"; }
shows_no() { ! now | grep -qE -- "$1"; }
# see NAME PATTERN: waits until the screen shows it
see() {
    if until_there shows "$2"; then
        echo "ok $1"
    else
        echo "not ok $1: no '$2' on the screen:"
        screen | grep . | tail -n 12
        return 1
    fi
}
# gone NAME PATTERN: waits until the screen does not show it any more
gone() {
    if until_there shows_no "$2"; then
        echo "ok $1"
    else
        echo "not ok $1: still '$2' on the screen:"
        now | grep . | tail -n 12
        return 1
    fi
}
# see_prompt NAME PATTERN: waits until the last line on the screen, which is the prompt, matches
see_prompt() {
    if until_there last_is "$2"; then echo "ok $1"; else echo "not ok $1: $(now | grep . | tail -n 3)"; fi
}
last_is() { now | grep . | tail -n 1 | grep -qE -- "$1"; }
# start COMMAND [COLUMNS ROWS [ENVIRONMENT]]: runs COMMAND in a new terminal, which shows "status=N" when it has ended
start() {
    n=$((n + 1))
    t new-session -d -s w -x "${2:-100}" -y "${3:-40}" "env ${4:-LC_ALL=C.UTF-8} sh" || exit 1
    type "PS1='\$ '; clear; $1; echo \"status=\$?\"" Enter
}
