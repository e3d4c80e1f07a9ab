# SPDX-License-Identifier: GPL-3.0-or-later
#
# Sweeps over MPI: three ranks give the same rows as one process; a rank that is killed ends the job, the store is
# intact, and the same command continues.
# not under sanitizers: the MPI library leaks at its end
set -u
W=$WEAKLAB
export XDG_STATE_HOME=$TMP/state XDG_CONFIG_HOME=$TMP/config
command -v mpirun >/dev/null || { echo 'skipped mpi: no mpirun'; exit 0; }
command -v sqlite3 >/dev/null || { echo 'skipped mpi: no sqlite3'; exit 0; }
[ -e "$(dirname "$W")/weaklab-mpi.so" ] || { echo 'skipped mpi: built without MPI'; exit 0; }
. tests/sweeps.sh
mpi() { # RANKS ARGUMENTS...
    local n=$1
    shift
    mpirun --allow-run-as-root --oversubscribe -n "$n" "$W" "$@" </dev/null
}
cat >"$TMP/mid.wexp" <<'END'
generate g50c n=160
generate two-moons n=60 noise=0.2 as moons
split test=0.25
task ssl labeled=10
method SVM algo svm kernel=linear
method WellSVM algo wellsvm kernel=rbf sigma={0.25x,0.5x,1x,2x} C2={0.01,0.1,1,10} search=paper
tune folds=3
continue until iter == 10
repeat 5
END
"$W" sweep "$TMP/mid.wexp" --out "$TMP/one" -j 1 >"$TMP/table" 2>"$TMP/err" </dev/null
say 'one worker' $? "$(tail -n 2 "$TMP/err")"
rows "$TMP/one" >"$TMP/rows.1"
mpi 3 sweep "$TMP/mid.wexp" --out "$TMP/mpi" >"$TMP/out" 2>"$TMP/err"
say 'three ranks' $? "$(tail -n 3 "$TMP/err")"
rows "$TMP/mpi" | cmp -s - "$TMP/rows.1"
say 'the same rows' $? "$(rows "$TMP/mpi" | diff "$TMP/rows.1" - | head -n 4)"
cmp -s "$TMP/table" "$TMP/out"
say 'the same table, once' $? "$(diff "$TMP/table" "$TMP/out" | head -n 6)"
[ "$(grep -c '^\[[0-9]*/20\]' "$TMP/err")" -eq 20 ]
say 'one line per cell, once' $? "$(head -n 3 "$TMP/err")"
mpi 3 sweep "$TMP/mid.wexp" --out "$TMP/mpi" >"$TMP/out" 2>"$TMP/err"
say 'nothing left to do' $? "$(tail -n 3 "$TMP/err")"

WEAKLAB=$W bash scripts/cluster/mpi.sh "$TMP/mid.wexp" "$TMP/mpi" 3 >"$TMP/out" 2>"$TMP/err" </dev/null
say 'scripts/cluster/mpi.sh' $? "$(tail -n 3 "$TMP/err")"

# kill a rank in the middle: 0 is the scheduler
the_job() { echo -p $$ $(pgrep -f -- "--out $TMP/killed" | sed 's/^/-p /'); }
for rank in 1 0; do
    rm -rf "$TMP/killed"
    mpi 3 sweep "$TMP/mid.wexp" --out "$TMP/killed" >"$TMP/out" 2>"$TMP/err" &
    job=$!
    hit=
    if until_so the_job at_least_done "$TMP/killed" 3; then
        for p in $(pgrep -f -- "--out $TMP/killed"); do
            if grep -qzx "OMPI_COMM_WORLD_RANK=$rank" "/proc/$p/environ"; then
                kill -9 "$p" && hit=yes
            fi
        done
    fi
    wait $job
    status=$?
    [ -n "$hit" ] && [ $status -ne 0 ]
    say "rank $rank is killed: the job ends" $? "status $status, hit: $hit"
    [ "$(sqlite3 "$TMP/killed/results.sqlite" 'PRAGMA integrity_check')" = ok ]
    say "rank $rank: the store is intact" $? ''
    n=$(sqlite3 "$TMP/killed/results.sqlite" 'SELECT count(*) FROM cell')
    [ "$n" -ge 3 ] && [ "$n" -lt 20 ]
    say "rank $rank: it was in the middle" $? "$n rows"
    mpi 3 sweep "$TMP/mid.wexp" --out "$TMP/killed" >"$TMP/out" 2>"$TMP/err"
    say "rank $rank: the same command continues" $? "$(tail -n 3 "$TMP/err")"
    grep -q "20 cells in .* $n before" "$TMP/err"
    say "rank $rank: nothing is computed twice" $? "$(tail -n 3 "$TMP/err")"
    rows "$TMP/killed" | cmp -s - "$TMP/rows.1"
    say "rank $rank: no cell lost, none counted twice" $? ''
done

# signals to rank 0 while the other ranks cannot be interrupted, because the test has stopped them
rank() { # RANK: its process
    local p
    for p in /proc/[0-9]*; do
        if { tr '\0' '\n' <"$p/environ" | grep -qx "OMPI_COMM_WORLD_RANK=$1" &&
            tr '\0' '\n' <"$p/cmdline" | grep -qxF "$TMP/signalled"; } 2>/dev/null; then
            echo "${p#/proc/}"
        fi
    done
}
# it has the cells of mid.wexp, and so many more that the signal comes before its end
sed 's/^repeat 5/repeat 200/' "$TMP/mid.wexp" >"$TMP/long.wexp"
for sig in TERM HUP; do
    rm -rf "$TMP/signalled"
    mpi 3 sweep "$TMP/long.wexp" --out "$TMP/signalled" >"$TMP/out" 2>"$TMP/err" &
    job=$!
    until [ "$(sqlite3 "$TMP/signalled/results.sqlite" 'SELECT count(*) FROM cell' 2>/dev/null || echo 0)" -ge 1 ] || ! kill -0 $job 2>/dev/null; do
        sleep 0.05
    done
    kill -STOP $(rank 1) $(rank 2)
    kill -$sig $(rank 0)
    wait $job
    status=$?
    [ $status -ne 0 ] && [ $status -ne 124 ] && [ $status -ne 137 ]
    say "SIG$sig ends the job" $? "status $status: $(tail -n 3 "$TMP/err")"
    until [ -z "$(rank 0)$(rank 1)$(rank 2)" ]; do sleep 0.05; done
    [ "$(sqlite3 "$TMP/signalled/results.sqlite" 'PRAGMA integrity_check')" = ok ]
    say "SIG$sig: no rank is left, and the store is intact" $? ''
done
mpi 3 sweep "$TMP/mid.wexp" --out "$TMP/signalled" >"$TMP/out" 2>"$TMP/err"
say 'the same command continues' $? "$(tail -n 3 "$TMP/err")"
rows "$TMP/signalled" | cmp -s - "$TMP/rows.1"
say 'to the same rows' $? ''

# errors are reported once
mpi 3 sweep "$TMP/nosuch.wexp" --out "$TMP/none" >"$TMP/out" 2>"$TMP/err"
[ $? -eq 1 ] && [ "$(grep -c '^error: ' "$TMP/err")" -eq 1 ]
say 'an error is reported once' $? "$(cat "$TMP/err")"
# a program without the plugin
mkdir -p "$TMP/bare" && cp "$W" "$TMP/bare/weaklab"
if [ ! -e /usr/local/lib/weaklab/weaklab-mpi.so ]; then
    W=$TMP/bare/weaklab
    mpi 2 sweep "$TMP/mid.wexp" --out "$TMP/none" >"$TMP/out" 2>"$TMP/err"
    [ $? -eq 1 ] && [ "$(grep -c 'built without MPI' "$TMP/err")" -eq 1 ]
    say 'without the plugin: an error that says so' $? "$(cat "$TMP/err")"
    "$W" sweep "$TMP/mid.wexp" --out "$TMP/mpi" >"$TMP/out" 2>"$TMP/err" </dev/null
    say 'and the program works without mpirun' $? "$(tail -n 2 "$TMP/err")"
fi
exit 0
