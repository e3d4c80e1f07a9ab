#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# `compare` and `runs`: which numbers may be compared, and what they are.
# needs gnuplot
set -u
. tests/checks.sh
has() { grep -Eq "$1" "$TMP/out"; }
lacks() { ! grep -Eq "$1" "$TMP/out"; }

# ---- scores: other measures ----
moons='generate two-moons n=90 seed=2; task cluster; score unlabeled on; algo kmeans; continue; task ssl labeled=9 seed=1; algo svm; continue'
check "clusters beside classes" run 0 -q -e "$moons; compare a b; plot score a b"
check "each score has its measure below" has '^ +adjusted Rand index +accuracy$'
check "they are not comparable" has '^hidden_unlabeled is not the same measure in these runs: its values cannot be compared$'
check "and nothing says that they are" lacks 'may be compared'
check "nor does the figure" has 'not comparable: a adjusted Rand index, b accuracy'
check "two runs of one task" run 0 -q -e 'generate two-moons n=90 seed=2; task ssl labeled=9 seed=1; score unlabeled on; algo svm; continue; algo wellsvm; step; compare a b; plot score a b'
check "have one measure" lacks 'measure|adjusted|not comparable'
check "as JSON" run 0 -q --json -e "$moons; compare a b"
check "the measures are named" has '"hidden_unlabeled": *\["adjusted Rand index", *"accuracy"\]'

# ---- scores: other rows ----
half='generate blobs n=80 seed=3'
svm='task ssl labeled=10 seed=1; algo svm; continue'
check "another split" run 0 -q -e "$half; split test=0.25 seed=1; score test on; $svm; split test=0.5 seed=9; $svm; compare a b; plot score a b"
check "is among the settings" has '^  split +test=0\.25 seed=1 +test=0\.5 seed=9$'
check "with its rows" has '^  rows held out +20 +40$'
check "the scores have their rows" has '^ +of 20 rows +of 40 rows$'
check "they are not comparable" has '^hidden_test is of other test rows in each run: its values cannot be compared'
check "and nothing says that they are" lacks 'may be compared|compare scores'
check "nor does the figure" has 'not comparable: a 20, b 40'
check "the figure has no size that holds for one run only" lacks '\(60 x'
check "a split of the same size" run 0 -q -e "$half; split test=0.25 seed=1; score test on; $svm; split test=0.25 seed=2; $svm; compare a b; plot score a b"
check "has other rows, too" has '^hidden_test is of other test rows'
check "also in the figure" has 'not comparable: a 20, b 20'
check "other labelled rows" run 0 -q -e "$half; split test=0.25 seed=1; score test unlabeled on; $svm; task ssl labeled=10 seed=2; algo svm C=3; continue; compare a b"
check "have other unlabelled rows" has '^hidden_unlabeled is of other unlabelled rows'
check "but the same test rows" lacks '^hidden_test is of other'
check "which is what may be compared" has '`score test on` and `eval test` give numbers that may be compared'
check "scaled data" run 0 -q -e "$half; split test=0.25 seed=1; score test on; $svm; scale zscore; $svm; compare a b"
check "have the same test rows" lacks 'other test rows|split'

# ---- the rows that differ ----
hard='generate blobs n=80 spread=2 seed=2; task ssl labeled=8 seed=1; algo svm kernel=rbf; continue; algo wellsvm kernel=rbf; step 2'
number() { sed -n "s/^$1[^:]*\(([^)]*)\)\{0,1\}[^:]*: \([0-9]*\) of .*/\2/p" "$TMP/out" | head -n 1; }
check "a run of svm and one of wellsvm" run 0 -q -e "$hard; export predictions $TMP/b.csv; switch a; export predictions $TMP/a.csv; compare a b"
differ=$(paste -d, "$TMP/a.csv" "$TMP/b.csv" | awk -F, 'NR == 1 { w = NF / 2; for (i = 1; i <= w; i++) if ($i == "prediction" || $i == "predicted") k = i } NR > 1 && $k != $(k + w) { n++ } END { print n + 0 }')
check "differ in the predictions of export, $differ" test "$differ" -gt 0 -a "$(number predictions)" = "$differ"
check "of the other labels it is said what they are" has '^labels that differ \(a: labels, b: newest labelings\): [0-9]+ of 80'
check "bags" run 0 -q -e 'generate roi-bags seed=1; task mil; algo wellsvm; step 2; algo softmax-em; step 3; compare a b'
check "rows without a label do not count" has '^labels that differ .*: [0-9]+ of [0-9]+.*; [0-9]+ without a label in one of the runs$'
blobs='generate blobs n=90 classes=3 seed=2; task cluster classes=3; algo kmeans; continue; export labels '$TMP'/a.csv; task ssl labeled=9 classes=all seed=1; algo tsvm lambda=0.01; continue; export labels '$TMP'/b.csv'
check "clusters beside classes" run 0 -q -e "$blobs; compare a b"
fewest=$(awk -F, 'FNR == 1 { next } FNR == NR { a[$1] = $3; next } { c[$3, a[$1]]++; n++ } END {
    best = n; split("123 132 213 231 312 321", p, " ")
    for (i = 1; i <= 6; i++) { same = 0; for (k = 1; k <= 3; k++) same += c[k, substr(p[i], k, 1)]; if (n - same < best) best = n - same }
    print best }' "$TMP/a.csv" "$TMP/b.csv")
check "are matched: $fewest differ, the fewest over all renamings" test "$(sed -n 's/^labels that differ.*: \([0-9]*\) of 90.*/\1/p' "$TMP/out")" = "$fewest"
check "and the matching is named" has '^  \(class of b, and which cluster of a it is: '

# ---- the bracket ----
check "more than two classes" run 0 -q -e 'generate blobs n=90 classes=3 seed=2; task cluster classes=3; algo kmeans; continue; task ssl labeled=9 classes=all seed=1; algo tsvm lambda=0.01; continue; compare'
check "have no bracket, and that is the reason" has '^no bracket for run b: there is none for more than two classes$'
check "no other one is given" lacks 'left out|no bracket yet'
check "clusters beside one run of Eq. 7" run 0 -q -e 'generate blobs n=40 seed=2; task ssl labeled=4; algo softmax-em; step; algo tsvm lambda=0.01; step; compare'
check "softmax-em is left out for what it does not do" has '^a is left out of the bracket of b: softmax-em does not evaluate Eq\. 7$'
check "two runs with a wide bracket" run 0 -e 'generate blobs n=20 seed=2; task ssl labeled=4 seed=1; algo mfa kernel=rbf bias=0; continue; fork c; compare a c'
open=$(sed -n 's/^run a: converged after step [0-9]* (\([0-9.]* % open\))$/\1/p' "$TMP/out")
check "the bracket and the verdict have one denominator: $open" has "^  a: its best labeling has [0-9.]+; open: ${open% open} of it, so at most [0-9.]+ % above the optimum$"

# ---- settings of the task that make another problem ----
check "another prior" run 0 -e 'generate two-moons n=60 seed=1; task pu labeled=10 prior=0.4; algo upu; continue; task pu labeled=10 prior=0.7; algo upu; continue; compare a b'
check "is another problem" has '^the runs may solve different problems \(another r of the task\): compare their objectives and bounds only if'
check "another balance" run 0 -e 'generate two-moons n=40 seed=1; task cluster balance=0.1; algo wellsvm; step; task cluster balance=0.5; algo wellsvm; step; compare a b'
check "is another set of labelings" has 'different problems \(another set of labelings\)'
check "other proportions" run 0 -e 'generate llp-toy seed=1; task llp; algo invcal; continue; task llp noise=0.2 seed=3; algo invcal; continue; compare a b'
check "are another problem" has '^the runs solve different problems \(other bags or proportions\)'

# ---- a relaxation beside the problem itself ----
moons='generate two-moons n=30 noise=0.1 seed=1; task ssl labeled=4 seed=1; algo wellsvm kernel=rbf; continue; algo bb kernel=rbf'
check "wellsvm and branch and bound" run 0 -e "$moons; continue; compare a b"
check "only the relaxation is proven" has '^run a: converged after step [0-9]+ \(relaxation proven\)$'
check "the labeling is" has '^run b: converged after step [0-9]+ \(proven\)$'
check "the one is a bound on the other" has "^a solves the relaxation of b's problem: its lower bound -0\.169234 holds for every labeling, also for the best of b, -0\.168775; a smaller"
check "so they need no doubt" lacks 'may solve different problems'
check "at other costs" run 0 -q -e "$moons C2=0.2; continue; compare a b"
check "it is none" lacks 'solves the relaxation'

# ---- the words of a verdict ----
check "runs and compare" run 0 -q -e "$moons; continue; runs; compare a b"
check "runs says what is proven" has '^  a +wellsvm +step [0-9]+ +converged \(relaxation proven\) +objective'
check "in columns" has '^\* b +bb +step [0-9]+ +converged \(proven\) +objective'
check "compare, too" has '^ +relaxation proven +proven$'
check "four runs" run 0 -q -e "$moons; continue; fork c; fork d; compare a b c d"
check "the words are broken where the column is narrow" has '^ +relaxation +proven +proven +proven$'
check "the last part below" has '^ +proven$'
for term in 'relaxation proven' proven open '% open'; do
    check "explain $term" run 0 -q -e "explain $term"
    check "answers from the glossary" has '^(proven|open): Shown'
done

# ---- J and the balance ----
check "explain J" run 0 -q -e 'explain J'
check "says that the balance is not in it" has 'There is no balance in J'
check "and advises J_balanced" has 'by J_balanced: it takes the balance into account'
check "explain J_best" run 0 -q -e 'explain J_best'
check "says that it may be of an early w" has 'early w that *$'
check "tsvm at a w of one class" run 0 -q --json -e 'generate blobs n=100 spread=1.5 seed=1; task ssl labeled=4 seed=2; algo tsvm lambda=0.01; step'
check "J is at most J_balanced" awk 'match($0, /"J":[0-9.e-]+/) { j = substr($0, RSTART + 4, RLENGTH - 4) } match($0, /"J_balanced":[0-9.e-]+/) { b = substr($0, RSTART + 13, RLENGTH - 13) } END { exit !(j > 0 && j <= b) }' "$TMP/out"

# ---- costs that other settings set ----
check "costs from lambda_u" run 0 -q -e 'generate g50c n=60 seed=1; task ssl labeled=10; algo wellsvm loss=squared-hinge lambda=0.01 lambda_u=1; get C1; get C2; explain C2; algo wellsvm loss=squared-hinge lambda=0.01 C1=0.1 C2=0.02; step; switch a; step; compare a b'
check "get shows those in use" has '^C1 = 0\.1 \(from lambda_u=1\) \(may change\)$'
check "both" has '^C2 = 0\.02 \(from lambda_u=1\)'
check "explain, too" has '^in run a: C2=0\.02 \(from lambda_u=1\)$'
check "so two equal problems are equal" lacks 'their objectives differ by'
check "and their costs are no setting that differs" lacks '^  C[12] +[0-9.]+ +[0-9.]+$'

# ---- clusters that need not keep to the balance ----
awk 'BEGIN { print "x,y,class"; for (i = 0; i < 60; i++) printf "%d,%g,%s\n", i < 45 ? i % 5 : 20 + i % 5, i % 7, i < 45 ? "a" : "b" }' >"$TMP/uneven.csv"
check "a method that keeps to it, and one that need not" run 0 -q -e "load $TMP/uneven.csv; task cluster; algo itersvr; continue; algo kmeans; continue; compare a b"
check "compare says which is which" has '^balance=0\.03 allows clusters of 30 to 30 rows: a keeps to it, b does not; clusters that do are right on at most 0\.75 of the rows$'

# ---- kernels by a factor ----
factor='generate two-moons n=60 noise=0.15 seed=2; task ssl labeled=6 seed=2'
tsvm='algo tsvm kernel=rbf sigma=0.5x'
check "another rank is another problem" run 0 -q -e "$factor; $tsvm rank=5; continue; $tsvm rank=20; continue; $tsvm; continue; compare a b c"
check "it is said" has '^their objectives differ by rank \(5, 20, 0\): compare scores'
check "and no bound of one is used for the other" has '^b is left out of the bracket of a: rank=20, not 5$'
check "nor of the kernel matrix" has '^c is left out of the bracket of a: rank=0, not 5$'
check "the advice has the rank" has '^WellSVM on the same problem .*rank=5'
check "rank=0 is the default here" run 0 -q -e "$factor; $tsvm rank=0; continue; $tsvm; continue; compare a b"
check "and makes no difference" lacks 'objectives differ|left out'
check "with a graph" run 0 -q -e 'generate two-moons n=60 noise=0.15 seed=2; task ssl labeled=6 seed=2; algo svm kernel=rbf sigma=0.5x graph=knn:6 rank=5; info run'
check "the trace error is a fraction" awk '$1 == "trace_error" { e = $2 } END { exit !(e > 0 && e < 1) }' "$TMP/out"

# ---- BLAS is not called with nothing ----
check "kernel Newton steps of 500 rows" run 0 -q -e 'generate g50c n=500; task ssl labeled=20 seed=1; algo tsvm kernel=rbf; step'
check "print nothing else" lacks 'On entry to'
