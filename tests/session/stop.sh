# SPDX-License-Identifier: GPL-3.0-or-later
#
# The program ends when it should: sweeps, at SIGTERM, at SIGHUP and when the terminal is closed, while their workers do
# not react (the test has sent them SIGSTOP, so that no cell ends by itself); programs that wait for commands from a
# pipe.  Also small files that decompress to large ones, and stores of other programs.
# not under sanitizers: ncurses keeps its memory, and address space is limited
set -u
W=$WEAKLAB
. tests/sweeps.sh
command -v sqlite3 >/dev/null || { echo 'skipped stop: no sqlite3'; exit 0; }
export XDG_STATE_HOME=$TMP/state XDG_CONFIG_HOME=$TMP/config
# a.wexp: eight cells of about half a second each.  The sweeps that are ended have more methods, whose cells take longer
# than this test waits for anything, by their grids: so a state in which one cell is done and the workers compute others
# is reached for certain, and is not left again.  held1.wexp and held2.wexp are such that also their halves 1/2 and 2/2
# begin with one cell that ends; it is also in this half of a.wexp.
common() { # SEEDS
    printf '%s\n' 'generate g50c n=160' 'split test=0.25' 'task ssl labeled=10' 'tune folds=3' 'continue until iter == 10' "repeat $1"
}
small='method WellSVM algo wellsvm kernel=rbf sigma={0.25x,0.5x,1x,2x} C2={0.1,1} search=paper'
long1='method Long1 algo wellsvm kernel=rbf sigma={1..10} C2={1..1000} search=paper'
long2='method Long2 algo wellsvm kernel=rbf sigma={11..20} C2={1..1000} search=paper'
{ common 8 && echo "$small"; } >"$TMP/a.wexp"
{ common '{1,2}' && printf '%s\n' "$small" "$long1" "$long2"; } >"$TMP/held1.wexp"
{ common '{2,1}' && printf '%s\n' "$long1" "$small" "$long2"; } >"$TMP/held2.wexp"
ours() { # ps(1)'s selection of all processes that this script started
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
    echo "not ok $name: it did not happen"
    return 1
}
over() { ! kill -0 "$1" 2>/dev/null; }
# hold_one DIR: waits until one cell is done, then stops the workers (SIGSTOP) while they compute others
hold_one() {
    until_it "a cell of $1 is done" at_least_done "$1" 1 && hold
}
# must_end NAME PID STATUS DIR: checks that the sweep PID ends with STATUS although its workers do not react, that no
# process is left, and that the store in DIR is intact
must_end() {
    local got
    until_it "$1: it ends" over "$2" || kill -9 "$2"
    wait "$2" 2>/dev/null
    got=$?
    [ $got -eq "$3" ]
    say "$1: it ends" $? "status $got: $(tail -n 1 "$TMP/err")"
    none_left "$1: its workers too"
    store_intact "$1" "$4"
}
store_intact() { # NAME DIR
    local n
    n=$(cells "$2")
    [ "$(sqlite3 "$2/results.sqlite" 'PRAGMA integrity_check')" = ok ] && [ "$n" -eq 1 ]
    say "$1: the store is intact, the cell that was done is in it" $? "$n cells"
}
continues() { # NAME DIR [ARGUMENTS]: a sweep of the small cells alone goes on in DIR
    local name=$1 dir=$2
    shift 2
    "$W" sweep "$TMP/a.wexp" --out "$dir" "$@" >"$TMP/out" 2>"$TMP/err" </dev/null
    say "$name: it continues" $? "$(tail -n 1 "$TMP/err")"
    grep -q ', 1 before' "$TMP/err"
    say "$name: the done cell is not computed again" $? "$(tail -n 1 "$TMP/err")"
}
"$W" sweep "$TMP/a.wexp" --out "$TMP/one" -j 2 >"$TMP/out" 2>"$TMP/err" </dev/null
say 'an undisturbed sweep' $? "$(tail -n 1 "$TMP/err")"
rows "$TMP/one" >"$TMP/rows.1"
same_rows() { # NAME DIR: its rows are those of the undisturbed sweep
    rows "$2" | cmp -s - "$TMP/rows.1"
    say "$1: to the same rows" $? "$(rows "$2" | diff "$TMP/rows.1" - | head -n 4)"
}

# ---- by signals ----
for sig in TERM HUP; do
    [ $sig = TERM ] && expected=143 || expected=129
    set -m # gives the sweep a process group of its own; otherwise it would be in the group of this shell
    "$W" sweep "$TMP/held1.wexp" --out "$TMP/$sig" -j 2 >"$TMP/out" 2>"$TMP/err" </dev/null &
    p=$!
    set +m
    hold_one "$TMP/$sig"
    kill -$sig $p
    must_end "SIG$sig" $p $expected "$TMP/$sig"
    ! grep -q 'running cell' "$TMP/err"
    say "SIG$sig: it does not wait for the running cells" $? "$(tail -n 1 "$TMP/err")"
done
continues SIGTERM "$TMP/TERM" -j 2
same_rows SIGTERM "$TMP/TERM"
# a part of it
for i in 1 2; do
    set -m
    "$W" sweep "$TMP/held$i.wexp" --out "$TMP/part$i" --shard $i/2 -j 1 >"$TMP/out" 2>"$TMP/err" </dev/null &
    p=$!
    set +m
    hold_one "$TMP/part$i"
    kill -TERM $p
    must_end "part $i" $p 143 "$TMP/part$i"
    continues "part $i" "$TMP/part$i" --shard $i/2 -j 1
done
"$W" merge "$TMP/part1" "$TMP/part2" --out "$TMP/parts" >"$TMP/out" 2>"$TMP/err" </dev/null
same_rows 'both parts' "$TMP/parts"
# After Ctrl-C the sweep waits for the running cells.  Here they cannot finish, so that only SIGTERM ends the sweep.
set -m
"$W" sweep "$TMP/held1.wexp" --out "$TMP/INT" -j 2 >"$TMP/out" 2>"$TMP/err" </dev/null &
p=$!
set +m
hold_one "$TMP/INT"
kill -INT $p
reported() { grep -q 'running cell.* finished' "$TMP/err"; }
until_it 'Ctrl-C is reported' reported
! over $p
say 'Ctrl-C waits for the running cells' $? "$(tail -n 1 "$TMP/err")"
kill -TERM $p
must_end 'then SIGTERM' $p 143 "$TMP/INT"

# ---- commands from a pipe ----
mkfifo "$TMP/pipe"
said() { grep -q 'it reads' "$TMP/out"; }
for how in '' "$TMP/pipe"; do
    for sig in INT TERM HUP; do
        case $sig in INT) expected=130 ;; TERM) expected=143 ;; HUP) expected=129 ;; esac
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
        [ $got -eq $expected ]
        say "SIG$sig while $([ -n "$how" ] && echo a script || echo standard input) gives nothing" $? "status $got"
    done
done
# a pipe that no process writes to
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

# ---- small files that decompress to large ones ----
# some bytes that decompress to 64 MB; below, twenty of them in one file
for c in gzip bzip2 xz zstd; do
    command -v $c >/dev/null || { echo "skipped $c: not installed"; continue; }
    head -c 64M /dev/zero | tr '\0' '\n' | $c -c >"$TMP/bomb"
    "$W" -b -n -e "load $TMP/bomb unpacked=32" >"$TMP/out" 2>"$TMP/err" </dev/null
    [ $? -eq 1 ] && grep -q 'unpack to 64 MB; the limit of 32 MB .*; add unpacked=64 to' "$TMP/err"
    say "$c: too large, and how to allow it" $? "$(cat "$TMP/err")"
    "$W" -b -n -e "load $TMP/bomb unpacked=64" >"$TMP/out" 2>"$TMP/err" </dev/null
    grep -q 'no rows' "$TMP/err"
    say "$c: allowed" $? "$(cat "$TMP/err")"
done
if command -v bzip2 >/dev/null; then
    head -c 64M /dev/zero | bzip2 -c >"$TMP/one.bz2"
    for i in $(seq 20); do cat "$TMP/one.bz2"; done >"$TMP/bomb.csv.bz2"
    (
        ulimit -v 3000000
        exec "$W" -b -n -e "load $TMP/bomb.csv.bz2"
    ) >"$TMP/out" 2>"$TMP/err" </dev/null
    [ $? -eq 1 ] && grep -q 'bytes unpack to 1280 MB; the limit of 1024 MB' "$TMP/err"
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
    say "$change: the file is unchanged" $? ''
done

# ---- a terminal that is closed ----
. tests/terminal.sh
cd "$TMP" || exit 1
the_program() { # the process of the program that this test started; not its workers
    local p
    for p in /proc/[0-9]*; do
        if { tr '\0' '\n' <"$p/environ" | grep -qx "SWEEP_TEST=$SWEEP_TEST" && tr '\0' '\n' <"$p/cmdline" | head -n 1 |
            grep -qxF "$W" && ! tr '\0' '\n' <"$p/cmdline" | grep -qx -- --worker; } 2>/dev/null; then
            echo "${p#/proc/}"
            return
        fi
    done
}
closed() { # NAME DIR: the terminal is closed while the workers are stopped
    local p
    hold_one "$2"
    p=$(the_program)
    t kill-server
    [ -n "$p" ] && until_it "$1: it ends" over "$p"
    say "$1: it ends" $? ''
    none_left "$1: its workers too"
    store_intact "$1" "$2"
}
start "'$W' sweep held1.wexp --out closed -j 2" 80 24
closed 'closed terminal, sweep' "$TMP/closed"
continues 'closed terminal' "$TMP/closed" -j 2
same_rows 'closed terminal' "$TMP/closed"
start "'$W' -n" 80 24
see 'a prompt' 'weaklab> '
type 'sweep held1.wexp to prompted workers=2' Enter
closed 'closed terminal, prompt' "$TMP/prompted"
start "'$W' -n -d" 80 24
see 'the dashboard' 'F1 help'
type 'sweep held1.wexp to dashed workers=2' Enter
closed 'closed terminal, dashboard' "$TMP/dashed"
for sig in TERM HUP; do
    start "'$W' -n" 80 24
    see 'a prompt again' 'weaklab> '
    type "sweep held1.wexp to at$sig workers=2" Enter
    hold_one "$TMP/at$sig"
    p=$(the_program)
    [ -n "$p" ] && kill -$sig "$p" && until_it "SIG$sig at the prompt" over "$p"
    say "SIG$sig at the prompt: it ends" $? ''
    none_left "SIG$sig at the prompt: its workers too"
    store_intact "SIG$sig at the prompt" "$TMP/at$sig"
done
exit 0
