#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# s3vm and entropy on the command line: every method ends by itself and is better than chance, levels and time travel, the slice of
# the objective along a move, the loss as it narrows, more than two classes, threads.
# needs gnuplot
set -u
. tests/objects.sh

data='generate g50c n=120 seed=4; task ssl labeled=20 seed=4 r=0.5'
for how in 's3vm method=gradient' 's3vm method=continuation' 's3vm method=newton' 's3vm method=da' entropy; do
    run "$data; algo $how; continue; eval unlabeled"
    [ "$(value step verdict)" = '"converged"' ] && awk "BEGIN { exit !($(value eval accuracy) >= 0.85) }" </dev/null
    say "$how converges, and is no worse than the supervised SVM" $? "$(value step verdict) $(value eval accuracy)"
    end="$(value step objective) $(value step iter)"
    run "$data; algo $how; finish; finish; step 3; back 4; stepi; goto 0; continue" -j 2
    [ "$(value step objective) $(value step iter)" = "$end" ]
    say "$how: going back and forth with two threads ends the same" $? "$(value step objective) $end"
done

run "$data; algo s3vm method=continuation; finish; finish"
[ "$(value step level)" = 1 ] && awk "BEGIN { exit !($(value step curvature) <= 1) }" </dev/null
say 'finish ends the first level, which is certainly convex' $? "$(value step level) $(value step curvature)"

text() # LINES: runs the lines and prints what a user reads
{
    "$W" -b -n -e "$1" >"$TMP/out.txt" 2>&1 </dev/null
}
text "$data; algo s3vm method=continuation; finish; step 5; explain; plot slice; plot slice to $TMP/slice.svg; plot loss to $TMP/loss.svg"
say 'pictures are drawn' $? "$(tail -n 3 "$TMP/out.txt")"
tr '\n' ' ' <"$TMP/out.txt" | tr -s ' ' | grep -q 'certainly convex' && grep -q 'objective along the last move' "$TMP/out.txt"
say 'explain and the title of the slice' $? "$(cat "$TMP/out.txt")"
# the points: 81 of the curve, and the ends, with t = 0 and t = 1; the step lowered the objective
awk '!/^#/ && NF == 2 { n++; if ($1 == 0) old = $2; if ($1 == 1) new = $2 } END { exit !(n == 83 && new < old) }' "$TMP/slice.dat"
say 'the slice has its points' $? "$(cat "$TMP/slice.dat" | head -n 100)"
grep -q 'width = ' "$TMP/loss.gp"
say 'the loss names the width of the smoothing' $? "$(grep -n title "$TMP/loss.gp")"
text "$data; algo svm; continue; plot slice"
grep -q 'does not move along the gradient' "$TMP/out.txt"
say 'an algorithm without a gradient is refused' $? "$(tail -n 1 "$TMP/out.txt")"

run 'generate blobs n=90 classes=3 spread=1 seed=2; task ssl labeled=12 classes=all; algo s3vm; continue; eval unlabeled'
awk "BEGIN { exit !($(value eval accuracy) > 0.75) }" </dev/null
say 'three classes, one binary classifier each' $? "$(value eval accuracy) $(tail -n 1 "$TMP/err")"

# ---- beside the supervised SVM: by sign, and with the threshold that r prescribes ----
# the second number anew from the SVM's own outputs: the r u largest of the unlabelled rows' are positive
rings='generate ring-clusters n=120 seed=3; task ssl labeled=6 seed=3'
run "$rings; algo svm kernel=rbf; continue; export predictions $TMP/svm.csv; algo wellsvm kernel=rbf; step 5; eval unlabeled"
baseline() # KEY: of the last eval's baseline
{
    grep '"type":"eval"' "$TMP/out.json" | tail -n 1 | jq -r ".baseline$1"
}
with_r=$(baseline .with_r.score)
anew=$(grep unlabeled "$TMP/svm.csv" | tr -d '\r' | sort -t, -k5,5gr |
    awk -F, '{ n++; right += (n <= 57 ? "+1" : "-1") == $4 || (n <= 57 ? "1" : "-1") == $4 } END { print right / n }')
awk "BEGIN { exit !($with_r > 0.9 && ($with_r - $anew)^2 < 1e-8) }" </dev/null
say 'eval says what the supervised SVM gets with r' $? "$with_r $anew"
awk "BEGIN { exit !($(baseline .score) < 0.85) }" </dev/null
say 'and without' $? "$(baseline .score)"
run "$rings; algo lapsvm; continue; eval unlabeled"
[ "$(baseline .with_r)" = null ]
say 'but not beside a run that does not know r' $? "$(baseline .with_r)"
