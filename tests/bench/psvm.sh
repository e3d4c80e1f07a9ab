# SPDX-License-Identifier: GPL-3.0-or-later
#
# alter-pSVM at full size (`make bench-psvm`; QUICK=1: the smaller sizes only).
#
# Measures the time of choosing labels for n rows in bags of J, beside n log2 J, and whole runs in supervised trainings
# of the same rows.  A training is one solve by LIBLINEAR's L1-loss dual solver (-s 3 -B 1) at its default tolerance,
# with C = 1, on all true labels, without the time of reading.  cod-rna.t is the paper's data set (Table 3); `generate topics`
# makes rows of the size of rcv1.
set -eu
for J in 16 256 4096 65536; do
    "$BUILD/bench/psvm_run" labels 1000000 "$J"
done
for n in 10000 100000 10000000; do
    [ "$n" -lt 10000000 ] || [ -z "${QUICK:-}" ] || continue
    "$BUILD/bench/psvm_run" labels "$n" 4096
done
cod=../shared/datasets/libsvm/cod-rna.t.xz
for size in 2048 4096 8192; do
    [ -e "$cod" ] || { echo "cod-rna.t: skipped, $cod is missing"; break; }
    "$BUILD/bench/psvm_run" run "cod-rna.t, bags of $size" 2 "@$cod" "bagsize=$size seed=1" ''
    "$BUILD/bench/psvm_run" run "cod-rna.t, bags of $size, start=invcal C=10 Cp=100" 2 "@$cod" "bagsize=$size seed=1" \
        'start=invcal C=10 Cp=100'
    [ -z "${QUICK:-}" ] || break
done
real_sim='n=72309 d=20958 meanlen=56 topics=6 positive=0.31 labeled=100 seed=1'
rcv1='n=677399 d=47236 meanlen=84 topics=6 positive=0.35 labeled=1000 seed=1'
"$BUILD/bench/psvm_run" run '72 309 x 20 958, bags of 64' 2 "$real_sim" 'bagsize=64 seed=1' ''
"$BUILD/bench/psvm_run" run '72 309 x 20 958, bags of 64, one thread' 1 "$real_sim" 'bagsize=64 seed=1' ''
[ -z "${QUICK:-}" ] || exit 0
"$BUILD/bench/psvm_run" run '677 399 x 47 236, bags of 1024' 2 "$rcv1" 'bagsize=1024 seed=1' ''
