# SPDX-License-Identifier: GPL-3.0-or-later
#
# The program ends when it is told: sweeps at SIGTERM, SIGHUP and when the terminal is closed, while their workers compute
# what nothing interrupts (they are stopped here, so that no cell ends by itself); commands from a pipe that gives none.
# And what small files hold that unpack to much.
# not under sanitizers: ncurses keeps its memory, and address space is limited
set -u
W=$WEAKLAB
. tests/sweeps.sh
command -v sqlite3 >/dev/null || { echo 'skipped stop: no sqlite3'; exit 0; }
export XDG_STATE_HOME=$TMP/state XDG_CONFIG_HOME=$TMP/config
cells=8
# of about a second each, so that one is done long before the others
cat >"$TMP/a.wexp" <<'END'
generate g50c n=160
split test=0.25
task ssl labeled=10
method WellSVM algo wellsvm kernel=rbf sigma={0.25x,0.5x,1x,2x} C2={0.01,0.1,1,10} search=paper
tune folds=3
continue until iter == 10
repeat 8
END
ours() { # what ps(1) selects all by that this script began
    local p
    echo -p $$
    for p in /proc/[0-9]*; do
        ! grep -qzx "SWEEP_TEST=$SWEEP_TEST" "$p/environ" 2>/dev/null || echo "-p ${p#/proc/}"
    done
}
until_it() { # NAME COMMAND...
    local name=$1
    shift
    until_so ours "$@" && return
    echo "not ok $name: it never was so"
    return 1
}
over() { ! kill -0 "$1" 2>/dev/null; }
# hold_one DIR: one cell is done; the workers have others in hand, and stand still
hold_one() {
    until_it "a cell of $1 is done" done_is "$1" 1 && hold
}
# ended NAME PID STATUS DIR: it ends though its workers do not answer, nothing is left of it, and its store is whole
ended() {
    local got
    until_it "$1: it ends" over "$2" || kill -9 "$2"
    wait "$2" 2>/dev/null
    got=$?
    [ $got -eq "$3" ]
    say "$1: it ends" $? "status $got: $(tail -n 1 "$TMP/err")"
    none_left "$1: its workers too"
    whole "$1" "$4"
}
whole() { # NAME DIR
    local n
    n=$(cells "$2")
    [ "$(sqlite3 "$2/results.sqlite" 'PRAGMA integrity_check')" = ok ] && [ "$n" -ge 1 ] && [ "$n" -lt $cells ]
    say "$1: the store is whole, $n cells are in it" $? ''
}
goes_on() { # NAME DIR [ARGUMENTS]
    local name=$1 dir=$2 n
    shift 2
    n=$(cells "$dir")
    "$W" sweep "$TMP/a.wexp" --out "$dir" "$@" >"$TMP/out" 2>"$TMP/err" </dev/null
    say "$name: the same command goes on" $? "$(tail -n 1 "$TMP/err")"
    grep -q ", $n before" "$TMP/err"
    say "$name: what was done is not done again" $? "$(tail -n 1 "$TMP/err")"
}
"$W" sweep "$TMP/a.wexp" --out "$TMP/one" -j 2 >"$TMP/out" 2>"$TMP/err" </dev/null
say 'a sweep that nobody stops' $? "$(tail -n 1 "$TMP/err")"
rows "$TMP/one" >"$TMP/rows.1"
same() { # NAME DIR
    rows "$2" | cmp -s - "$TMP/rows.1"
    say "$1: to the same rows" $? "$(rows "$2" | diff "$TMP/rows.1" - | head -n 4)"
}

# ---- by signals ----
for sig in TERM HUP; do
    [ $sig = TERM ] && want=143 || want=129
    set -m # else what runs behind is in this one's process group
    "$W" sweep "$TMP/a.wexp" --out "$TMP/$sig" -j 2 >"$TMP/out" 2>"$TMP/err" </dev/null &
    p=$!
    set +m
    hold_one "$TMP/$sig"
    kill -$sig $p
    ended "SIG$sig" $p $want "$TMP/$sig"
    ! grep -q 'in hand' "$TMP/err"
    say "SIG$sig: the cells in hand are not waited for" $? "$(tail -n 1 "$TMP/err")"
done
goes_on SIGTERM "$TMP/TERM" -j 2
same SIGTERM "$TMP/TERM"
# a part of it
for i in 1 2; do
    set -m
    "$W" sweep "$TMP/a.wexp" --out "$TMP/part$i" --shard $i/2 -j 1 >"$TMP/out" 2>"$TMP/err" </dev/null &
    p=$!
    set +m
    hold_one "$TMP/part$i"
    kill -TERM $p
    ended "part $i" $p 143 "$TMP/part$i"
    goes_on "part $i" "$TMP/part$i" --shard $i/2 -j 1
done
"$W" merge "$TMP/part1" "$TMP/part2" --out "$TMP/parts" >"$TMP/out" 2>"$TMP/err" </dev/null
same 'both parts' "$TMP/parts"
# Ctrl-C finishes what is in hand: here it can't, so it goes on until it is told the second time
set -m
"$W" sweep "$TMP/a.wexp" --out "$TMP/INT" -j 2 >"$TMP/out" 2>"$TMP/err" </dev/null &
p=$!
set +m
hold_one "$TMP/INT"
kill -INT $p
told() { grep -q 'in hand .* finished' "$TMP/err"; }
until_it 'Ctrl-C is told' told
! over $p
say 'Ctrl-C waits for the cells in hand' $? "$(tail -n 1 "$TMP/err")"
kill -TERM $p
ended 'then SIGTERM' $p 143 "$TMP/INT"

# ---- commands from a pipe ----
mkfifo "$TMP/pipe"
said() { grep -q 'it reads' "$TMP/out"; }
for how in '' "$TMP/pipe"; do
    for sig in INT TERM HUP; do
        case $sig in INT) want=130 ;; TERM) want=143 ;; HUP) want=129 ;; esac
        : >"$TMP/out"
        set -m
        "$W" -b -n $how <"$TMP/pipe" >"$TMP/out" 2>"$TMP/err" &
        p=$!
        set +m
        exec 7>"$TMP/pipe"
        echo 'say it reads' >&7
        until_it "commands from ${how:-standard input}" said
        kill -$sig $p
        until_it "SIG$sig" over $p || kill -9 $p
        wait $p
        got=$?
        exec 7>&-
        [ $got -eq $want ]
        say "SIG$sig while $([ -n "$how" ] && echo a script || echo standard input) gives nothing" $? "status $got"
    done
done
# one that nobody writes
set -m
"$W" -b -n "$TMP/pipe" </dev/null >"$TMP/out" 2>"$TMP/err" &
p=$!
set +m
opened() { ls -l /proc/$p/fd 2>/dev/null | grep -q "$TMP/pipe"; }
until_it 'a pipe that nobody writes is open' opened
kill -TERM $p
until_it 'and left' over $p || kill -9 $p
wait $p
say 'SIGTERM while nobody writes the script' $(($? != 143)) "$(cat "$TMP/err")"

# ---- little that holds much ----
# 64 MB in some bytes, twenty times
for c in gzip bzip2 xz zstd; do
    command -v $c >/dev/null || { echo "skipped $c: not installed"; continue; }
    head -c 64M /dev/zero | tr '\0' '\n' | $c -c >"$TMP/bomb"
    "$W" -b -n -e "load $TMP/bomb unpacked=32" >"$TMP/out" 2>"$TMP/err" </dev/null
    [ $? -eq 1 ] && grep -q 'come 64 MB, and the limit is 32 MB.*; add unpacked=64 to' "$TMP/err"
    say "$c: too much, and how to let it through" $? "$(cat "$TMP/err")"
    "$W" -b -n -e "load $TMP/bomb unpacked=64" >"$TMP/out" 2>"$TMP/err" </dev/null
    grep -q 'no rows' "$TMP/err"
    say "$c: let through" $? "$(cat "$TMP/err")"
done
if command -v bzip2 >/dev/null; then
    head -c 64M /dev/zero | bzip2 -c >"$TMP/one.bz2"
    for i in $(seq 20); do cat "$TMP/one.bz2"; done >"$TMP/bomb.csv.bz2"
    (
        ulimit -v 3000000
        exec "$W" -b -n -e "load $TMP/bomb.csv.bz2"
    ) >"$TMP/out" 2>"$TMP/err" </dev/null
    [ $? -eq 1 ] && grep -q 'bytes come 1280 MB, and the limit is 1024 MB' "$TMP/err"
    say 'a bomb that nobody expected' $? "$(cat "$TMP/err")"
fi

# ---- a store that another program, or an older one, made ----
for change in 'PRAGMA user_version = 0' 'ALTER TABLE cell DROP COLUMN build' 'DROP TABLE data' 'ALTER TABLE plan RENAME TO plans'; do
    rm -rf "$TMP/old" && cp -r "$TMP/one" "$TMP/old"
    sqlite3 "$TMP/old/results.sqlite" 'DROP VIEW results' "$change" 2>"$TMP/err" || { say "$change" 1 "$(cat "$TMP/err")"; continue; }
    before=$(sha256sum <"$TMP/old/results.sqlite")
    for command in "sweep $TMP/a.wexp --out $TMP/old" "table $TMP/old" "cell 1 --of $TMP/old" "merge $TMP/old --out $TMP/oldm" \
        "merge $TMP/one --out $TMP/old"; do
        "$W" $command >"$TMP/out" 2>"$TMP/err" </dev/null
        got=$?
        [ $got -eq 1 ] && grep -qE 'has format 0; this weaklab|is damaged: its table' "$TMP/err"
        say "$change: ${command%% *}" $? "status $got: $(tail -n 1 "$TMP/err")"
    done
    [ "$(sha256sum <"$TMP/old/results.sqlite")" = "$before" ]
    say "$change: it stays as it is" $? ''
done

# ---- a terminal that is closed ----
. tests/terminal.sh
cd "$TMP" || exit 1
the_program() { # the one that has DIR in its environment, not its workers
    local p
    for p in /proc/[0-9]*; do
        if { tr '\0' '\n' <"$p/environ" | grep -qx "SWEEP_TEST=$SWEEP_TEST" && tr '\0' '\n' <"$p/cmdline" | head -n 1 |
            grep -qxF "$W" && ! tr '\0' '\n' <"$p/cmdline" | grep -qx -- --worker; } 2>/dev/null; then
            echo "${p#/proc/}"
            return
        fi
    done
}
closed() { # NAME DIR: the terminal goes away while the cells in hand stand still
    local p
    hold_one "$2"
    p=$(the_program)
    t kill-server
    [ -n "$p" ] && until_it "$1: it ends" over "$p"
    say "$1: it ends" $? ''
    none_left "$1: its workers too"
    whole "$1" "$2"
}
start "'$W' sweep a.wexp --out closed -j 2" 80 24
closed 'closed terminal, sweep' "$TMP/closed"
goes_on 'closed terminal' "$TMP/closed" -j 2
same 'closed terminal' "$TMP/closed"
start "'$W' -n" 80 24
see 'a prompt' 'weaklab> '
type 'sweep a.wexp to prompted workers=2' Enter
closed 'closed terminal, prompt' "$TMP/prompted"
start "'$W' -n -d" 80 24
see 'the dashboard' 'F1 help'
type 'sweep a.wexp to dashed workers=2' Enter
closed 'closed terminal, dashboard' "$TMP/dashed"
for sig in TERM HUP; do
    start "'$W' -n" 80 24
    see 'a prompt again' 'weaklab> '
    type "sweep a.wexp to at$sig workers=2" Enter
    hold_one "$TMP/at$sig"
    p=$(the_program)
    [ -n "$p" ] && kill -$sig "$p" && until_it "SIG$sig at the prompt" over "$p"
    say "SIG$sig at the prompt: it ends" $? ''
    none_left "SIG$sig at the prompt: its workers too"
    whole "SIG$sig at the prompt" "$TMP/at$sig"
done
exit 0
