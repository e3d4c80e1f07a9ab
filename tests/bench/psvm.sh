# SPDX-License-Identifier: GPL-3.0-or-later
#
# alter-pSVM at full size (`make bench-psvm`; QUICK=1: the smaller sizes only).
#
# The choice of labels against n log2 J, for several n and J; whole runs counted in supervised trainings of the same rows:
# LIBLINEAR's L1-loss dual solver (-s 3 -B 1) at its default tolerance on all true labels, C = 1, its solve alone without
# reading.  cod-rna.t is the paper's (Table 3); rows of the size of rcv1 are made by `generate topics`.
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
    [ -e "$cod" ] || { echo "cod-rna.t: skipped, $cod is not here"; break; }
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
