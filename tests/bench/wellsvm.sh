# SPDX-License-Identifier: GPL-3.0-or-later
#
# WellSVM at full size (`make bench-wellsvm`; QUICK=1: the smaller size only).
#
# Measures one labeling, ten labelings and the whole run in supervised trainings of the same rows.  A training is one
# solve by LIBLINEAR's L1-loss dual solver (-s 3) at its default tolerance, C = 1, on all true labels, without the time
# of reading; it is timed beside the run.  Sizes are those of real-sim and of rcv1 (the paper's largest); `generate
# topics` makes the rows.  With RESUME=1 a case is skipped if $BUILD/bench/wellsvm/CASE.tsv exists.
set -eu
kept=$BUILD/bench/wellsvm
mkdir -p "$kept"
real_sim='n=72309 d=20958 meanlen=56 topics=6 positive=0.31 labeled=100 seed=1'
rcv1='n=677399 d=47236 meanlen=84 topics=6 positive=0.35 labeled=1000 seed=1'

case_of() # NAME THREADS LIMIT ROWS SETTINGS
{
    local file
    file=$kept/$(printf '%s' "$1" | tr -c 'A-Za-z0-9=.' '_').tsv
    if [ -z "${RESUME:-}" ] || [ ! -s "$file" ]; then
        "$BUILD/bench/trainings" "$@" >"$file.part"
        mv "$file.part" "$file"
    fi
    cat "$file"
}

case_of '72 309 x 20 958' 2 1000 "$real_sim" kernel=linear
case_of '72 309 x 20 958, 1 thread' 1 10 "$real_sim" kernel=linear
case_of '72 309 x 20 958, C2=1' 2 10 "$real_sim" 'kernel=linear C2=1'
case_of '72 309 x 20 958, master=mklgl' 2 4 "$real_sim" 'kernel=linear master=mklgl'
case_of '72 309 x 20 958, search=multistart' 2 10 "$real_sim" 'kernel=linear search=multistart'
[ -z "${QUICK:-}" ] || exit 0
case_of '677 399 x 47 236' 2 1000 "$rcv1" kernel=linear
case_of '677 399 x 47 236, 1 thread' 1 10 "$rcv1" kernel=linear
