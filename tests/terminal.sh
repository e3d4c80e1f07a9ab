# SPDX-License-Identifier: GPL-3.0-or-later
#
# For session tests that need a real terminal: tmux types, and looks at what the screen shows.  Sourced.
command -v tmux >/dev/null || { echo 'skipped: no tmux'; exit 0; }
export LC_ALL=C.UTF-8 XDG_STATE_HOME=$TMP/state XDG_CONFIG_HOME=$TMP/config HISTFILE=/dev/null
dir=$(mktemp -d) # a socket's path must be short
n=0
trap 'for s in "$dir"/*; do tmux -S "$s" kill-server 2>/dev/null; done; rm -rf "$dir"' EXIT
t() { tmux -S "$dir/$n" -f /dev/null "$@"; }
type() { t send-keys -t w -- "$@"; }
screen() { t capture-pane -p -J -t w -S -200; }
# now: what is on the screen, line by line, nothing that scrolled away
now() { t capture-pane -p -t w; }
# see NAME PATTERN: the screen shows it within a minute
see() {
    local i
    for i in $(seq 400); do
        if screen | grep -qE -- "$2"; then
            echo "ok $1"
            return 0
        fi
        sleep 0.1
    done
    echo "not ok $1: no '$2' on the screen:"
    screen | grep . | tail -n 12
    return 1
}
# gone NAME PATTERN: the screen shows it no more, within a minute
gone() {
    local i
    for i in $(seq 400); do
        if ! now | grep -qE -- "$2"; then
            echo "ok $1"
            return 0
        fi
        sleep 0.1
    done
    echo "not ok $1: still '$2' on the screen:"
    now | grep . | tail -n 12
    return 1
}
# start COMMAND [COLUMNS ROWS [ENVIRONMENT]]: in a new terminal; its status is shown
start() {
    n=$((n + 1))
    t new-session -d -s w -x "${2:-100}" -y "${3:-40}" "env ${4:-LC_ALL=C.UTF-8} sh" || exit 1
    type "PS1='\$ '; clear; $1; echo \"status=\$?\"" Enter
}
