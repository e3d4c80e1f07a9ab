#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Graphs on the command line: graph= in algorithms of every kind, lapsvm and ncut, which end by themselves and find what they
# should, going back and forth, models, pictures, more than two classes, refusals.
# needs gnuplot
set -u
. tests/objects.sh


moons='generate two-moons n=120 noise=0.1 seed=1; task ssl labeled=4 seed=4'
run "$moons; algo svm kernel=rbf; continue; eval unlabeled"
plain=$(value eval accuracy)
run "$moons; algo svm kernel=rbf graph=knn:6 rho=10; continue; eval unlabeled"
holds 'a graph helps an SVM of four labels' "$(value eval accuracy) > 0.95 && $(value eval accuracy) > $plain"
for how in 'tsvm kernel=rbf' 'wellsvm kernel=rbf' 's3vm' 'mfn kernel=rbf' 'alternate kernel=rbf' 'svm kernel=linear'; do
    run "$moons; algo $how graph=knn:6:heat rho=5; step 3; back 2; step 2; eval unlabeled" --record "$TMP/graph.wlab"
    "$W" replay --check "$TMP/graph.wlab" >/dev/null 2>"$TMP/err" </dev/null
    say "$how: the recording replays" $? "$(tail -n 2 "$TMP/err")"
done

data='generate g50c n=120 seed=4; task ssl labeled=20 seed=4 r=0.5'
for how in lapsvm 'lapsvm loss=squared-hinge' 'lapsvm preset=program'; do
    run "$data; algo $how; continue; eval unlabeled"
    [ "$(value step verdict)" = '"converged"' ] && awk "BEGIN { exit !($(value eval accuracy) >= 0.7) }" </dev/null
    say "$how converges, and is better than chance" $? "$(value step verdict) $(value eval accuracy)"
    end="$(value step objective) $(value step iter)"
    run "$data; algo $how; stepi 2; explain; step; back; stepi; step; goto 0; continue" -j 2
    [ "$(value step objective) $(value step iter)" = "$end" ]
    say "$how: going back and forth with two threads ends the same" $? "$(value step objective) $end"
done

run 'generate blobs n=90 classes=2 spread=0.7 seed=4; task cluster balance=0.2; algo ncut; continue; eval'
[ "$(value step verdict)" = '"converged"' ] && awk "BEGIN { exit !($(value eval accuracy) >= 0.85) }" </dev/null
say 'ncut converges, and finds the clusters' $? "$(value step verdict) $(value eval accuracy)"
holds 'its bound is the eigenvalue' "$(value step lower) <= $(value step ritz) && $(value step lower) > $(value step ritz) - 1e-6 && $(value step upper) >= $(value step lower)"

text() # LINES: runs the lines and prints what a user reads
{
    "$W" -b -n -e "$1" >"$TMP/out.txt" 2>&1 </dev/null
}
text "$moons; algo svm kernel=rbf graph=knn:6 rho=10; continue; plot boundary to $TMP/edges.svg; plot kernel to $TMP/kernel.svg; info run; export model $TMP/graph.model"
grep -q 'graph=knn:6 rho=10' "$TMP/out.txt"
say 'the kernel is named with its graph' $? "$(cat "$TMP/out.txt")"
grep -q 'edges of the graph: ' "$TMP/edges.gp"
say 'the edges are drawn' $? "$(grep -n title "$TMP/edges.gp")"
grep -q 'graph=knn:6' "$TMP/kernel.gp"
say 'the deformed kernel is drawn' $? "$(grep -n title "$TMP/kernel.gp")"
grep -q '^kernel_type rbf' "$TMP/graph.model"
say 'the model has the plain kernel' $? "$(head -n 5 "$TMP/graph.model")"

run 'generate blobs n=90 classes=3 spread=1 seed=2; task ssl labeled=12 classes=all; algo lapsvm; continue; eval unlabeled'
holds 'three classes, one binary classifier each' "$(value eval accuracy) > 0.75"

text "$moons; algo svm kernel=rbf rho=3"
grep -q 'give graph=knn:6, too' "$TMP/out.txt"
say 'rho without a graph is refused' $? "$(tail -n 1 "$TMP/out.txt")"
text "$moons; algo svm backend=liblinear graph=knn:6"
grep -q 'graph= makes a kernel that is not linear' "$TMP/out.txt"
say 'a linear solver is refused' $? "$(tail -n 1 "$TMP/out.txt")"
