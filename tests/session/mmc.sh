#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# mmc-sdp, gmmc and cpmmc on the command line: they end by themselves and find the labels, with certified bounds; time
# travel; the matrix; the bracket of the three bounds SDP <= WellSVM <= branch and bound.
# needs gnuplot
set -u
. tests/objects.sh

some='generate g50c n=120 seed=4; task ssl labeled=20 seed=4 r=0.5'
none='generate blobs n=90 classes=2 spread=0.7 seed=4; task cluster balance=0.2'
at_least() # VALUE LEAST
{
    awk "BEGIN { exit !($1 >= $2) }" </dev/null
}
for how in mmc-sdp gmmc; do
    run "$some; algo $how; continue; eval unlabeled"
    [ "$(value step verdict)" = '"converged"' ] && at_least "$(value eval accuracy)" 0.7
    say "$how with some labels converges and is right on 70 %" $? "$(value step verdict) $(value eval accuracy)"
    at_least "$(value step integer_upper)" "$(value step lower)" && at_least "$(value step upper)" "$(value step lower)"
    say "$how: the bounds are in order" $? "$(value step lower) $(value step upper) $(value step integer_upper)"
done
for how in mmc-sdp gmmc cpmmc; do
    run "$none; algo $how; continue; eval"
    [ "$(value step verdict)" = '"converged"' ] && at_least "$(value eval accuracy)" 0.85
    say "$how without labels converges and is right on 85 %" $? "$(value step verdict) $(value eval accuracy)"
    end="$(value step objective) $(value step iter)"
    run "$none; algo $how; step 3; back 2; stepi 2; goto 0; continue" -j 2
    [ "$(value step objective) $(value step iter)" = "$end" ]
    say "$how: going back and forth with two threads ends the same" $? "$(value step objective) $end"
done

text() # LINES: runs the lines and prints what a user reads
{
    "$W" -b -n -e "$1" >"$TMP/out.txt" 2>&1 </dev/null
}
text "$none; algo mmc-sdp; plot matrix to $TMP/m.svg"
grep -q 'nothing to draw yet in run a' "$TMP/out.txt"
say 'before the first step there is no matrix' $? "$(tail -n 2 "$TMP/out.txt")"
text "$none; algo mmc-sdp; step 4; explain; plot matrix to $TMP/m.svg; plot spectrum to $TMP/s.svg; algo gmmc; step; explain; plot matrix to $TMP/x.svg; algo cpmmc; stepi; explain; continue; explain; info algo"
[ -s "$TMP/m.svg" ] && [ -s "$TMP/s.svg" ] && [ -s "$TMP/x.svg" ]
say 'pictures of the matrices' $? "$(tail -n 3 "$TMP/out.txt")"
tr '\n' ' ' <"$TMP/out.txt" | tr -s ' ' | grep -q 'multipliers prove that no matrix, so no labeling, has less than' &&
    tr '\n' ' ' <"$TMP/out.txt" | tr -s ' ' | grep -q 'not convex: neither number bounds its minimum'
say 'explanations' $? "$(cat "$TMP/out.txt")"

# ---- three bounds on one problem ----
same='kernel=rbf sigma=0.4x loss=hinge C2=1'
small='generate two-moons n=24 noise=0.35 seed=4; task ssl labeled=4 seed=1'
text "$small; algo mmc-sdp $same eps=1e-6; continue; algo wellsvm $same search=exact; continue; algo bb $same; continue; compare a b c"
grep -E -q '^lower bounds: [-0-9.]+ \(a, mmc-sdp\) <= [-0-9.]+ \(b, wellsvm\) <= [-0-9.]+ \(c, bb\)$' "$TMP/out.txt"
say 'compare has the three bounds in their order' $? "$(tail -n 4 "$TMP/out.txt")"
grep -q '^bracket: the smallest SVM objective of all labelings lies in .* (lower bound of c, labeling of ' "$TMP/out.txt"
say 'and the bracket' $? "$(tail -n 4 "$TMP/out.txt")"
text "$small; algo mmc-sdp $same; continue; algo bb $same C2=2; step; compare a b"
! grep -q 'bracket' "$TMP/out.txt"
say 'two problems have no bracket' $? "$(tail -n 4 "$TMP/out.txt")"
text 'generate roi-bags bags=5 seed=2; task mil; algo mmc-sdp'
grep -q 'does not solve the task mil' "$TMP/out.txt"
say 'no bags' $? "$(tail -n 2 "$TMP/out.txt")"
