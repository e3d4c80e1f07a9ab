#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# alter-pSVM on the command line: the toy of Figure 1, phases and time travel, bags of one row, threads.
# needs gnuplot
set -u
. tests/objects.sh

toy='generate llp-toy seed=1; task llp; algo alter-psvm kernel=linear'
run "$toy; continue; eval train"
[ "$(value eval accuracy)" = 1.0 ]
say 'the toy: every row right' $? "$(tail -n 1 "$TMP/err") $(value eval accuracy)"
best=$(value step best)

run "$toy; finish; finish; step 3; back 4; stepi; goto 0; continue; eval train" -j 2
[ "$(value eval accuracy)" = 1.0 ] && [ "$(value step best)" = "$best" ]
say 'going back and forth with two threads ends the same' $? "$(tail -n 1 "$TMP/err") $(value step best) $best"

run "$toy; finish; finish"
awk "BEGIN { r = $(value step C_now) / 2.25e-4; exit !(r > 0.999 && r < 1.001) }" </dev/null
say 'finish goes to the end of a C*' $? "$(value step C_now)"

run 'generate two-moons n=120 noise=0.2 seed=2; task llp bagsize=1; algo alter-psvm C=0.7 tol=1e-7; continue'
ours=$(value step objective)
run 'generate two-moons n=120 noise=0.2 seed=2; task supervised; algo svm C=0.7 bias=1 eps=1e-7; continue'
awk "BEGIN { r = $ours / $(value step objective); exit !(r > 1 - 1e-6 && r < 1 + 1e-6) }" </dev/null
say 'bags of one row: the objective of svm' $? "$ours $(value step objective)"

run "$toy show=3"
grep -q 'no setting\|unknown' "$TMP/err"
say 'an unknown setting is refused' $? "$(cat "$TMP/err")"

"$W" -b -n -e 'generate llp-toy seed=1; task llp; algo alter-psvm kernel=linear; step 2; explain; plot bagflips to terminal' \
    >"$TMP/out.txt" 2>"$TMP/err" </dev/null
grep -q '^ *iter  *objective  *C_now  *bag_error  *distinct  *flips  *verdict$' "$TMP/out.txt" && ! grep -q ' gap' "$TMP/out.txt"
say 'the table of steps has C* and the bag error instead of an uncertified gap' $? "$(head -n 8 "$TMP/out.txt")"
tr '\n' ' ' <"$TMP/out.txt" | grep -q 'Restart 2 was shown before' && grep -q 'another restart is shown' "$TMP/out.txt"
say 'explain and bagflips say that another restart is shown' $? "$(cat "$TMP/out.txt")"

printf 'a,class\n299.68,p\n299.68,n\n1346.93,p\n1223.3,p\n299.68,n\n' >"$TMP/unscaled.csv"
run "load $TMP/unscaled.csv; task supervised; algo alter-psvm kernel=linear C=100; continue"
awk "BEGIN { r = $(value step objective) / 201.3594790; exit !(r > 1 - 1e-6 && r < 1 + 1e-4) }" </dev/null &&
    grep -q '"verdict":"converged"' "$TMP/out.json"
say 'unscaled columns: the optimum is still found' $? "$(value step objective) $(tail -n 1 "$TMP/err")"

heart=../shared/datasets/uci/heart.c.arff
if [ -e $heart ]; then
    run "load $heart; task supervised; algo alter-psvm kernel=linear offset=free C=10 tol=1e-6; continue"
    awk "BEGIN { r = $(value step objective) / 973.6594716; exit !(r > 1 - 1e-8 && r < 1 + 2e-6) }" </dev/null
    say 'unscaled real columns with a free offset: the optimum' $? "$(value step objective) $(tail -n 1 "$TMP/err")"
    run "load $heart; task supervised; algo alter-psvm kernel=rbf C=1e16; continue"
    grep -q '"verdict":"stalled"' "$TMP/out.json" && grep -q 'scale minmax' "$TMP/err" "$TMP/out.json"
    say 'numbers too large for doubles: stalled, with a remedy' $? "$(tail -n 1 "$TMP/err")"
else
    echo "skipped alter: $heart is not here"
fi

"$W" -b -n -e 'generate llp-toy seed=1; task llp; algo Alter kernel=linear; continue; plot mu to terminal; plot objective vs C_now to terminal; explain annealing; algo conv kernel=linear; algo InvCal; algo MeanMap' \
    >"$TMP/out.txt" 2>"$TMP/err" </dev/null
grep -q 'restart 1, best (4 with the same objective)' "$TMP/out.txt" && ! grep -q 'weight 1' "$TMP/out.txt" && grep -q "C\*, the hinge losses' weight" "$TMP/out.txt"
say 'plot mu names restarts, vs C_now is understood' $? "$(tail -n 20 "$TMP/out.txt")"
grep -q 'run d: mean-map' "$TMP/out.txt" && tr -s ' \n' ' ' <"$TMP/out.txt" | grep -q 'alter-psvm anneals in another way'
say 'short names in any case; annealing is explained for alter-psvm too' $? "$(tail -n 3 "$TMP/out.txt") $(cat "$TMP/err")"
