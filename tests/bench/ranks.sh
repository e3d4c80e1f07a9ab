# SPDX-License-Identifier: GPL-3.0-or-later
#
# Rows on several ranks (`make bench-ranks`; FILE=PATH: another LIBSVM file of two classes; STEPS=N).
#
# A run of wellsvm in one process with two threads and on two ranks, whole processes.  Then the same run of tsvm in one process
# with one and with two threads, and on 1 to 4 ranks with one thread each: seconds in the solver, peak memory of the largest
# process, and what the model of docs/scale.md predicts from the run on one rank:
#
#   T(p) = T(1) max over processors (e r + (1 - e) k) + M(p) a + B(p) b
#
# r and k: the ranks of a processor, and its share of the parts (each rank has whole parts; with more ranks than processors,
# each rank in turn goes to the processor that has least); e: the share of the time in which every rank does the same, work on
# columns, which is also what a second thread does not help with: with a gain of s by two threads, e = 2/s - 1.  M and B: the
# messages and bytes of the rank that sends most; a and b: what a message and a byte cost, measured (tests/bench/mpi/ping.c).
set -eu
rounds=${ROUNDS:-3}
launch="mpirun --oversubscribe --bind-to none"
[ "$(id -u)" -ne 0 ] || launch="$launch --allow-run-as-root"
command -v mpirun >/dev/null && command -v mpicc >/dev/null || { echo "there is no mpirun or mpicc: nothing is measured"; exit 0; }
mpicc -O2 -o "$TMP/ping" tests/bench/mpi/ping.c
if [ -n "${FILE:-}" ]; then
    load="load $FILE ranks=all"
    task="task ssl labeled=0.1% seed=1"
else
    load="generate topics n=240000 d=21000 labeled=100 seed=1 positive=0.35 ranks=all"
    task="task ssl labeled=100 seed=1"
fi
printf '%s\n%s\nalgo tsvm\nstep %s\ninfo ranks\n' "$load" "$task" "${STEPS:-12}" >"$TMP/tsvm.wlab"
cat >"$TMP/wellsvm.wlab" <<'EOF'
generate topics n=36000 d=21000 labeled=100 seed=1 positive=0.35 ranks=all
task ssl labeled=100 seed=1
algo wellsvm search=paper
continue
info ranks
EOF

# run ALGORITHM RANKS THREADS: appends "solver-seconds wall-seconds peak-KB messages bytes" to $TMP/RANKS.THREADS, for wellsvm
# to $TMP/wellsvm.RANKS.THREADS; RANKS 0: no mpirun
run()
{
    local session=$TMP/$1.wlab to=$TMP/ ; [ "$1" = tsvm ] || to=$TMP/$1. ; shift
    local before=
    [ "$1" -eq 0 ] || before="$launch -n $1"
    /usr/bin/time -o "$TMP/time" -f '%e %M' $before "$WEAKLAB" --threads "$2" --json "$session" >"$TMP/out" 2>"$TMP/err" ||
        { cat "$TMP/err"; exit 1; }
    local solver messages bytes
    solver=$(grep -o '"seconds":[-0-9.eE+]*' "$TMP/out" | tail -n 1 | cut -d : -f 2)
    messages=$(grep -o '"messages": *[0-9]*' "$TMP/out" | grep -o '[0-9]*$' | sort -n | tail -n 1)
    bytes=$(grep -o '"sent": *[0-9]*' "$TMP/out" | grep -o '[0-9]*$' | sort -n | tail -n 1)
    echo "$solver $(cat "$TMP/time") ${messages:-0} ${bytes:-0}" >>"$to$1.$2"
}
least() # FILE COLUMN
{
    sort -g -k "$2,$2" "$1" | awk -v c="$2" 'NR == 1 { print $c }'
}
for k in $(seq "$rounds"); do
    for how in '0 1' '0 2' '1 1' '2 1' '3 1' '4 1'; do
        run tsvm $how
    done
    run wellsvm 0 2
    run wellsvm 2 1
done
$launch -n 2 "$TMP/ping" >"$TMP/ping.out"
read -r a b <"$TMP/ping.out"
echo "a message costs $a s, a byte $b s"
printf 'wellsvm (36000 x 21000), 2 ranks of one thread; beside: one process with 2 threads\t%s\t%s\ts\n' \
    "$(least "$TMP/wellsvm.2.1" 2)" "$(least "$TMP/wellsvm.0.2" 2)"
printf 'tsvm, 2 ranks of one thread; beside: one process with 2 threads\t%s\t%s\ts\n' "$(least "$TMP/2.1" 2)" "$(least "$TMP/0.2" 2)"
printf 'the same, in the solver alone\t%s\t%s\ts\n' "$(least "$TMP/2.1" 1)" "$(least "$TMP/0.2" 1)"
printf 'largest process of 2 ranks; beside: one process\t%s\t%s\tKB\n' "$(least "$TMP/2.1" 3)" "$(least "$TMP/0.1" 3)"
one=$(least "$TMP/1.1" 1)
gain=$(awk -v x="$(least "$TMP/0.1" 1)" -v y="$(least "$TMP/0.2" 1)" 'BEGIN { print x / y }')
echo "two threads gain a factor of $gain"
for p in 1 2 3 4; do
    predicted=$(tail -n 1 "$TMP/$p.1" | awk -v t="$one" -v s="$gain" -v p="$p" -v c="$(nproc)" -v a="$a" -v b="$b" -v parts="${PARTS:-8}" '
        function first(r) { return int((parts * r + p - 1) / p) }
        { q = p < c ? p : c
          e = 2 / s - 1
          for (r = 0; r < p; r++) {
              least = 1
              for (k = 2; k <= q; k++) if (load[k] < load[least]) least = k
              load[least] += e + (1 - e) * (first(r + 1) - first(r)) / parts
          }
          for (k = 1; k <= q; k++) if (load[k] > most) most = load[k]
          print t * most + (p > 1 ? $4 * a + $5 * b : 0) }')
    printf 'in the solver on %s ranks; beside: the model\t%s\t%s\ts\n' "$p" "$(least "$TMP/$p.1" 1)" "$predicted"
done
