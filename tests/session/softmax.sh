# SPDX-License-Identifier: GPL-3.0-or-later
#
# softmax-sdp, softmax-em and kmeans on the command line: the pictures of Figure 2, gaps and bounds in every step, EM after
# the relaxation, warm starts, time travel, points that represent many rows, every task; the objectives of EM and k-means
# never rise.
# under sanitizers only in the long check: the unit tests run the same relaxation
set -u
. tests/objects.sh

# steps METRIC: prints its value in every step, one per line
steps() { grep '"type":"step"' "$TMP/out.json" | grep -o "\"$1\":[^,}]*" | cut -d: -f2-; }
# never NAME METRIC CONDITION: checks that at no step CONDITION holds, an awk condition in which $1 is the metric's
# value
never() { say "$1" "$(steps "$2" | awk -v bad=0 "$3 { bad++ } END { print bad }")"; }

# ---- Figure 2: right with the intercept and the soft-max loss, wrong without either of them ----
for P in 3 5; do
    picture="generate polygon n=240 classes=$P seed=1; task cluster classes=$P; algo softmax-sdp rounding=kmeans"
    run "$picture lambda=0.005; finish; eval train; info run"
    holds "$P clusters: right" "$(value eval accuracy) > 0.99"
    never "$P clusters: gaps are not negative" gap '$1 < 0'
    never "$P clusters: inner gaps are not negative" inner_gap '$1 < 0'
    steps lower >"$TMP/lower"
    steps objective >"$TMP/objective"
    say "$P clusters: the bound never falls, and is never above F" \
        "$(paste "$TMP/lower" "$TMP/objective" | awk 'NR > 1 && $1 < was { bad++ } $1 > $2 { bad++ } { was = $1 } END { print bad + 0 }')"
    holds "$P clusters: the gap is within eps" "$(tail -n 1 "$TMP/objective") - $(tail -n 1 "$TMP/lower") <= -0.01 * $(tail -n 1 "$TMP/objective")"
    for other in 'lambda=0.1 intercept=no' 'lambda=0.01 intercept=no' 'lambda=0.1 loss=square' 'lambda=0.001 loss=square'; do
        run "$picture $other em=no; continue; eval train"
        holds "$P clusters, $other: wrong" "$(value eval accuracy) < 0.7"
    done
done

# ---- after the relaxation a step is an iteration of EM, f never rises, and the bound still holds ----
blobs='generate blobs n=90 classes=3 seed=4 spread=0.6; scale zscore'
run "$blobs; task ssl classes=all labeled=6; algo softmax-sdp lambda=0.03; finish; step; continue; eval unlabeled"
em=$(steps em | awk '$1 > 0' | wc -l)
holds "EM has iterations" "$em >= 2"
steps objective | tail -n "$em" >"$TMP/f"
say "f never rises in EM" "$(awk 'NR > 1 && $1 > was + 1e-12 { bad++ } { was = $1 } END { print bad + 0 }' "$TMP/f")"
never "the gap is not negative" gap '$1 < 0'
steps lower | tail -n 1 >"$TMP/lower"
say "no labeling is below the bound" "$(paste -d ' ' "$TMP/f" | awk -v lower="$(cat "$TMP/lower")" '$1 < lower { bad++ } END { print bad + 0 }')"
holds "ssl: right" "$(value eval accuracy) > 0.85"

# ---- with another lambda the run continues from the current matrix, to the same optimum ----
task="$blobs; task cluster classes=3; algo softmax-sdp em=no eps=1e-3"
run "$task lambda=0.03; continue"
cold=$(value step objective)
run "$task lambda=0.1; continue; set lambda=0.03; continue"
holds "warm start: the same optimum" "($(value step objective) - ($cold)) ^ 2 < (2e-3 * ($cold)) ^ 2"
run "$task lambda=0.03 inner=proximal; continue"
holds "the paper's inner loop: the same optimum" "($(value step objective) - ($cold)) ^ 2 < (2e-3 * ($cold)) ^ 2"

# ---- going back and forth gives the same bits; a session replays ----
cat >"$TMP/s.wlab" <<'EOF'
generate blobs n=60 classes=3 seed=4
scale zscore
task ambiguous classes=all candidates=2 ambiguous=0.5
algo softmax-sdp lambda=0.1
step 3
back
step 2
stepi 2
continue
eval train
EOF
"$W" -b -n "$TMP/s.wlab" >/dev/null 2>"$TMP/err"
say "a session of ambiguous labels" $? "$(tail -n 2 "$TMP/err")"
(cd "$TMP" && "${W/#build/$OLDPWD/build}" -b -n -e 'record s2.wlab; source s.wlab; record stop' >/dev/null 2>"$TMP/err" &&
    "${W/#build/$OLDPWD/build}" replay --check s2.wlab >/dev/null 2>>"$TMP/err")
say "replays to the same bits" $? "$(tail -n 2 "$TMP/err")"

# ---- points instead of rows ----
big='generate blobs n=3000 classes=3 seed=4; scale zscore; task cluster classes=3'
for how in kmeans subset; do
    run "$big; algo softmax-sdp lambda=0.1 reduce=$how points=60; continue; eval train"
    holds "reduce=$how: right" "$(value eval accuracy) > 0.8"
done
"$W" -b -n -e 'generate blobs n=9000 classes=3; task cluster classes=3; algo softmax-sdp' >/dev/null 2>"$TMP/err" </dev/null
say "too many rows: the remedy" "$(grep -c 'reduce=kmeans' "$TMP/err" | awk '{ print $1 != 1 }')" "$(cat "$TMP/err")"

# ---- bags: every instance of a negative bag is on the negative side (Eq. 7) ----
run 'generate roi-bags bags=30 seed=1; scale zscore; task mil; algo softmax-sdp lambda=0.03 weight=bag; continue; eval train; eval bags'
holds "bags: right" "$(value eval accuracy) > 0.9"
holds "no negative bag has a positive instance" "$(value eval fp) == 0"

# ---- softmax-em and kmeans: the displayed objective never rises ----
falls() { say "$1" "$(steps objective | awk 'NR > 1 && $1 > was + 1e-12 { bad++ } { was = $1 } END { print (NR < 2) + bad }')"; }
run "$blobs; task ssl classes=all labeled=6; algo softmax-em lambda=0.03 restarts=4; continue; eval unlabeled"
falls "softmax-em: f never rises"
holds "softmax-em: right" "$(value eval accuracy) > 0.85"
run 'generate roi-bags bags=30 seed=1; scale zscore; task mil; algo softmax-em lambda=0.03 weight=bag; continue; eval bags'
falls "softmax-em, bags: f never rises"
holds "softmax-em: no negative bag has a positive instance" "$(value eval fp) == 0"
run "$blobs; task cluster classes=3; algo kmeans; continue; eval train"
falls "kmeans: the sum never rises"
holds "kmeans: right" "$(value eval accuracy) > 0.85"
cat >"$TMP/e.wlab" <<'EOF'
generate blobs n=60 classes=3 seed=4
task cluster classes=3
algo softmax-em lambda=0.1 restarts=3 start=kmeans
step 2
back
continue
algo kmeans restarts=3
stepi 2
step
back
continue
eval train
EOF
(cd "$TMP" && "${W/#build/$OLDPWD/build}" -b -n -e 'record e2.wlab; source e.wlab; record stop' >/dev/null 2>"$TMP/err" &&
    "${W/#build/$OLDPWD/build}" replay --check e2.wlab >/dev/null 2>>"$TMP/err")
say "softmax-em and kmeans: replay to the same bits" $? "$(tail -n 2 "$TMP/err")"

# ---- the text of eval: right and wrong add up to the accuracy ----
"$W" -b -n -e "generate two-moons n=60 seed=1; task ssl labeled=4 seed=1; algo svm; continue; eval unlabeled" >"$TMP/words" 2>/dev/null </dev/null
sed -n 's/^confusion: positives \([0-9]*\) right, \([0-9]*\) wrong; negatives \([0-9]*\) right, \([0-9]*\) wrong.*/\1 \2 \3 \4/p' "$TMP/words" >"$TMP/counts"
accuracy=$(sed -n 's/.*unlabeled: accuracy \([0-9.]*\) .*/\1/p' "$TMP/words")
say "confusion in words" "$(awk -v a="$accuracy" '{ d = ($1 + $3) / ($1 + $2 + $3 + $4) - a; print !(d < 1e-4 && d > -1e-4 && $1 + $3 != $2 + $4) }' "$TMP/counts")" "$(cat "$TMP/words")"
