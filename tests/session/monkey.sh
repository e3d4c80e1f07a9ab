# SPDX-License-Identifier: GPL-3.0-or-later
#
# Random keys, pastes, sizes and signals (the same ones each time): the program keeps answering, ends on request,
# restores the terminal, and its log replays.
#
set -u
. tests/terminal.sh

RANDOM=${SEED:-7}
# under sanitizers: memory that readline and ncurses keep at exit is not a leak of the program
printf 'leak:%s\n' libtinfo libncursesw libreadline >"$TMP/leaks"
export LSAN_OPTIONS=suppressions=$TMP/leaks:print_suppressions=0
moons='generate two-moons n=40 noise=0.12 seed=1; task ssl labeled=4 seed=1; algo wellsvm kernel=rbf sigma=0.35x C2=0.1 search=multistart'
commands=(step 'step 3' stepi back continue 'goto 0' 'continue until iter > 99999' compare explain info help 'help dashboard'
    dashboard 'dashboard zoom gap' 'dashboard hide run' 'dashboard show' 'set theme=light' 'set C2=0.2' 'plot objective'
    'plot boundary to terminal' new 'say süß 漢字' frob 'wait 0.1' "$moons" "$moons" 'algo tsvm' 'lesson gap')
keys=(F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 PPage NPage Up Down Left Right Home End BSpace Tab Escape C-l C-a C-r C-y C-k Space
    Enter C-v M-b M-d C-w C-t C-g C-_ C-c C-c)
twins=(1 2 3 4 5 6 7 8 9 0 p n o k a q s l z)
bytes=('1b' '1b 5b' '1b 4f' '1b 5b 31' 'e6 bc' 'f0 9f' '9b 33' 'c2 9b' '1b 5b 32 30 30 7e' 'ff fe 00' '1b 5b 4d 20 20 20' '18')
sizes=('1 1' '3 50' '40 8' '39 7' '60 15' '80 24' '300 100' '1 30' '100 30')

pick() { # ARRAY: a random element, in $one
    local -n of=$1
    one=${of[RANDOM % ${#of[@]}]}
}
act() {
    case $((RANDOM % 10)) in
    0 | 1 | 2) pick commands && type " $one" Enter ;;
    3 | 4) pick keys && type "$one" ;;
    5 | 6) pick twins && type C-x "$one" ;;
    7) pick bytes && t send-keys -t w -H $one ;;
    8) pick sizes && stty -F "$tty" cols "${one% *}" rows "${one#* }" ;;
    9)
        case $((RANDOM % 4)) in
        0) head -c 3000 /dev/zero | tr '\0' x | t load-buffer - && t paste-buffer -t w && type C-u ;;
        1) printf 'say pasted\nstep\n' | t load-buffer - && t paste-buffer -t w -p ;;
        2) type C-z && patience=4 until_there stopped && type C-u fg Enter ;; # not where it is an ordinary key
        3) pgrep -P "$(pid)" -x gnuplot | xargs -r kill -KILL ;;
        esac
        ;;
    esac
}
pid() { pgrep -t "${tty#/dev/}" -f "^$WEAKLAB" | head -n 1; }
# stopped: is the program stopped?
stopped() {
    local p
    p=$(pid)
    [ "$p" ] && grep -q '^State:.T' "/proc/$p/status"
}
ended() { [ -z "$(pid)" ]; }
# answers NAME: checks that Ctrl-C and then a line bring an answer, whatever the program does.  Ctrl-C also drops lines
# that were typed ahead, and so the line of the try before.  Hence a try waits until the program is idle, or has used 2,
# 3, ... seconds of processor time, before the next Ctrl-C.
answers() {
    local i
    stty -F "$tty" cols 100 rows 30
    asked=$((asked + 1))
    for i in $(seq 30); do
        ! stopped || type C-u fg Enter
        type C-c
        type C-g Enter C-c # out of a search, a wait, a lesson
        type q C-u         # and out of single-key mode
        type " say answer $asked" Enter
        if most_seconds=$((2 + i)) patience=4 until_there shows "^answer $asked"; then
            echo "ok $1"
            return
        fi
    done
    echo "not ok $1:"
    now | grep . | tail -n 8
    give_up
}
# give_up: print what the processes wait for, and end the test
give_up() {
    ps -t "${tty#/dev/}" -o pid,ppid,pgid,stat,wchan:20,args | cut -c 1-110
    ps -A -o pid,ppid,pgid,stat,wchan:20,args | grep '[g]nuplot -d' | cut -c 1-110
    stty -F "$tty" -a | grep -E 'rows|icanon'
    exit
}

asked=0
n=$((n + 1))
t new-session -d -s w -x 100 -y 30 "bash --norc --noprofile"
type "PS1='\$ '" Enter
tty=$(t display-message -p -t w '#{pane_tty}')
for round in 1 2; do
    type C-u "clear; $WEAKLAB -n -d -e '$moons'" Enter
    see "round $round begins" '^\(a:0 wellsvm\)>' || give_up
    for burst in 1 2; do
        for k in $(seq 30); do
            act 2>/dev/null
        done
        answers "round $round, burst $burst"
    done
    type C-u ' quit' Enter
    until_there ended
    # a wrong size leaves old lines below the cursor: redraw with C-l
    type C-u C-l "echo status-$round=\$?" Enter
    see "round $round ends" "^status-$round=0" || give_up
    type C-l 'stty -a | grep -o " echo " | tr -d " " | sed s/^/tty-'$round-/ Enter
    see "round $round leaves the terminal as it was" "^tty-$round-echo\$" || give_up
    log=$(ls -t "$TMP"/state/weaklab/session-*.wlab | head -n 1)
    if "$WEAKLAB" replay --check "$log" >"$TMP/replay" 2>&1; then
        echo "ok round $round replays"
    else
        echo "not ok round $round replays: $(tail -n 3 "$TMP/replay"; cat "$log")"
    fi
    mv "$log" "$TMP/round$round.wlab"
done
