#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# cccp and tsvm schedule=svmlight on the command line: they end by themselves and are better than chance; time travel and threads;
# the slice with the majoriser, the loss with the tangents; the limit of rounds; more than two classes; the bracket.
# needs gnuplot
set -u
. tests/objects.sh

data='generate g50c n=120 seed=4; task ssl labeled=20 seed=4 r=0.5'
for how in cccp 'cccp loss=squared-hinge kernel=linear' 'cccp s=-0.5' 'tsvm schedule=svmlight' 'tsvm schedule=svmlight kernel=rbf lambda_u=5'; do
    run "$data; algo $how; continue; eval unlabeled"
    [ "$(value step verdict)" = '"converged"' ] && awk "BEGIN { exit !($(value eval accuracy) >= 0.7) }" </dev/null
    say "$how converges, and is better than chance" $? "$(value step verdict) $(value eval accuracy)"
    end="$(value step objective) $(value step iter)"
    run "$data; algo $how; step 3; back 2; stepi; goto 0; continue" -j 2
    [ "$(value step objective) $(value step iter)" = "$end" ]
    say "$how: going back and forth with two threads ends the same" $? "$(value step objective) $end"
done

run "$data; algo cccp rounds=1; continue; set rounds=20; continue"
[ "$(value step verdict)" = '"converged"' ] && grep -q '"verdict":"limit"' "$TMP/out.json"
say 'the limit of rounds, and on from there' $? "$(value step verdict)"

text() # LINES: runs the lines and prints what a user reads
{
    "$W" -b -n -e "$1" >"$TMP/out.txt" 2>&1 </dev/null
}
text "$data; algo cccp; step 2; explain; plot slice; plot slice to $TMP/slice.svg; plot loss; plot loss to $TMP/loss.svg"
say 'pictures are drawn' $? "$(tail -n 3 "$TMP/out.txt")"
tr '\n' ' ' <"$TMP/out.txt" | tr -s ' ' | grep -q 'the majoriser touched J at the old w'
say 'explain' $? "$(cat "$TMP/out.txt")"
# the curves: t, J, majoriser; they touch at t = 0, and the majoriser is nowhere below
awk '!/^#/ && NF == 3 { n++; if ($3 < $2 - 1e-9) below = 1; if ($1 == 0 && $3 - $2 < 1e-9) touch = 1 }
     END { exit !(n == 81 && touch && !below) }' "$TMP/slice.dat"
say 'the slice has the majoriser' $? "$(head -n 100 "$TMP/slice.dat")"
grep -q majoriser "$TMP/slice.gp" && grep -q 'majoriser, output above 0' "$TMP/loss.gp" && ! grep -q lambda "$TMP/loss.gp"
say 'legends name the majorisers' $? "$(grep -n title "$TMP/slice.gp" "$TMP/loss.gp")"
text "$data; algo cccp; step; plot slice"
grep -q 'no round has been made yet' "$TMP/out.txt"
say 'no slice before the first round' $? "$(tail -n 1 "$TMP/out.txt")"

run 'generate blobs n=90 classes=3 spread=1 seed=2; task ssl labeled=12 classes=all; algo cccp; continue; eval unlabeled'
awk "BEGIN { exit !($(value eval accuracy) > 0.75) }" </dev/null
say 'three classes, one binary classifier each' $? "$(value eval accuracy) $(tail -n 1 "$TMP/err")"

text "$data; algo tsvm schedule=svmlight; explain; step 2; explain; continue; explain; algo wellsvm; step; compare a b"
grep -q 'for the label' "$TMP/out.txt" || tr '\n' ' ' <"$TMP/out.txt" | grep -q 'raised to'
say 'svmlight: explain' $? "$(cat "$TMP/out.txt")"
text "$data; algo tsvm schedule=svmlight loss=squared-hinge"
grep -q 'schedule=svmlight has the hinge loss' "$TMP/out.txt"
say 'svmlight: another loss is refused' $? "$(tail -n 1 "$TMP/out.txt")"
