#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# More than two classes from the task to the score: one class against the rest, eval, export, replay, tuning, an
# experiment; predictions of LIBSVM's and LIBLINEAR's programs from the exported models.
set -u
. tests/checks.sh
blobs='generate blobs n=120 classes=4 seed=3; split test=0.25 seed=1'
task='task ssl labeled=12 classes=all'

check "a record" run 0 --record "$TMP/rec.wlab" -e "$blobs" -e "$task; algo svm; step 2; stepi; continue; eval test"
check "replay" run 0 replay --check "$TMP/rec.wlab"
sed 's/right=\([0-9]*\)/right=1\1/' "$TMP/rec.wlab" >"$TMP/other.wlab"
check "another score is found" run 3 replay --check "$TMP/other.wlab"
check "a run of binary classifiers" run 0 -e "$blobs" -e "$task; algo svm; continue; eval test unlabeled" \
    -e "export model $TMP/linear.model; export predictions $TMP/linear.csv; export labels $TMP/labels.csv"
check "one step per binary classifier" grep -q '^ *4 .* converged$' "$TMP/out"
check "a confusion" grep -q '^one row per true class, one column per prediction:$' "$TMP/out"
check "macro-F1" grep -q '^balanced accuracy [0-9.]*, macro-F1 ' "$TMP/out"
accuracy=$(sed -n 's/^run a, test: accuracy \([0-9.]*\) .*/\1/p' "$TMP/out")
check "one column per class" test "$(head -n 1 "$TMP/linear.csv")" = 'row,set,prediction,truth,decision_1,decision_2,decision_3,decision_4'
awk -F, -v expected="$accuracy" 'NR > 1 && $2 == "test" { n++; right += $3 == $4; best = 5
    for (k = 6; k <= 8; k++) if ($k > $best) best = k
    odd += $3 != best - 4 } END { exit !(n == 30 && odd == 0 && (right / n - expected) ^ 2 < 1e-8) }' "$TMP/linear.csv"
check "predictions are the largest output, and what eval counts" test $? -eq 0
check "labels of all classes" test "$(cut -d, -f3 "$TMP/labels.csv" | sort -u | tr '\n' ' ')" = '1 2 3 4 label '

check "two runs beside each other" run 0 -e "$blobs" -e "$task; algo svm; continue; algo svm C=10; continue; compare a b; info run"
check "the objective of each binary classifier" test "$(sed -n '/^objective of each/,/^gap of each/p' "$TMP/out" | grep -c '^  class [1-4]  *[0-9.e-]*  *[0-9.e-]*$')" = 4
check "whose metrics they are" grep -q '^binary classifier 4 of 4, class 4 against the rest' "$TMP/out"
check "binary classifiers with a kernel" run 0 -e "$blobs" -e "$task; algo wellsvm kernel=rbf labelings=4; finish; info run" \
    -e "continue; export model $TMP/rbf.model; back 3; step 3; eval"
check "finish completes a binary classifier" grep -q 'binary classifier 1 ends with step' "$TMP/out"

if command -v svm-predict >"$TMP/null" && command -v liblinear-predict >"$TMP/null"; then
    for model in linear rbf; do
        # the run and the reference program, which reads the exported model, must predict the same for these points
        awk 'BEGIN { srand(4); for (i = 0; i < 300; i++) printf "%d 1:%.4f 2:%.4f\n", i % 4 + 1, 16 * rand() - 8, 16 * rand() - 8 }' >"$TMP/grid.libsvm"
        case $model in
        linear) algo='algo svm' program=liblinear-predict ;;
        rbf) algo='algo wellsvm kernel=rbf labelings=4' program=svm-predict ;;
        esac
        run 0 -q --json -e "load $TMP/grid.libsvm as grid; $blobs" -e "$task; $algo; continue; eval grid"
        ours=$(grep -o '"confusion":.*]]' "$TMP/out" | tail -n 1)
        "$program" "$TMP/grid.libsvm" "$TMP/$model.model" "$TMP/labels" >"$TMP/said" 2>&1
        theirs=$(paste -d' ' "$TMP/grid.libsvm" "$TMP/labels" | awk '{ c[$1, $NF]++ } END { printf "\"confusion\":["
            for (t = 1; t <= 4; t++) { printf "%s[", (t > 1 ? "," : "")
                for (k = 1; k <= 4; k++) printf "%s%d", (k > 1 ? "," : ""), c[t, k]
                printf "]" }
            print "]" }')
        check "$program predicts the same" test "$ours" = "$theirs"
    done
else
    echo "skipped multiclass: svm-predict and liblinear-predict: not here"
fi

check "clusters are matched" run 0 -q --json -e "$blobs; task cluster classes=4"
check "four clusters from wellsvm" run 1 -e "$blobs; task cluster classes=4; algo wellsvm"
check "are refused with advice" grep -q 'wellsvm makes two clusters, but the task requests 4' "$TMP/out"
awk 'BEGIN { print "x,kind"; for (i = 0; i < 30; i++) print i % 3 * 2 + i / 100 "," substr("oakfirash", i % 3 * 3 + 1, 3) }' >"$TMP/words.csv"
check "clusterings are compared under the best matching" run 0 -q --json -e "generate polygon n=60 classes=3 seed=1; task cluster classes=3; algo softmax-em seed=3 restarts=1; continue; export labels $TMP/a.csv; algo softmax-em seed=5 restarts=1; continue; export labels $TMP/b.csv; compare a b"
# the smallest number of different rows over all renamings of the three clusters
fewest=$(paste -d, "$TMP/a.csv" "$TMP/b.csv" | awk -F, 'NR > 1 { c[$8, $3]++; n++ } END {
    best = n; split("123 132 213 231 312 321", p, " ")
    for (i = 1; i <= 6; i++) { same = 0; for (k = 1; k <= 3; k++) same += c[k, substr(p[i], k, 1)]; if (n - same < best) best = n - same }
    print best }')
check "they differ in the fewest rows over all renamings" grep -q "\"differ\": *$fewest[,}]" "$TMP/out"
check "lines in -e, help on two words, names in a model" run 0 -n -e "load $TMP/words.csv
# two commands and a comment
task ssl labeled=6 classes=all" -e "algo svm; continue; export model $TMP/words.model; help algo softmax-sdp"
check "which number is which class" grep -q 'classes in the file: 1 = ash; 2 = fir; 3 = oak$' "$TMP/out"
check "help algo softmax-sdp" grep -q 'label_entropy' "$TMP/out"
check "a binary classifier begins" grep -q '^ *binary classifier 2 of 3, class fir against the rest:$' "$TMP/out"
check "a setting of an algorithm" run 1 -e 'tune folds=3 lambda=0.01,0.1'
check "the correct form is shown" grep -q 'tune folds=3 algo NAME lambda={0.01,0.1}' "$TMP/out"
check "several algorithms begin so" run 1 -e "$blobs; $task; algo softmax"
check "both are suggested" grep -q 'did you mean "softmax-sdp" or "softmax-em"?' "$TMP/out"
check "twenty classes" run 0 -q -e "generate polygon n=100 classes=20 seed=1; task supervised classes=all; algo softmax-em; step; eval train"
check "the largest confusions" grep -q '^  [0-9]* -> [0-9]*: [0-9]*$' "$TMP/out"
printf 'generate blobs n=40 classes=4\ntask cluster classes={2,3}\nmethod A algo softmax-em\n  or algo wellsvm\ntune folds=3\ntable score=ari\n' >"$TMP/bad.wexp"
check "a method that cannot" run 1 -e "sweep $TMP/bad.wexp"
check "is refused with its place" grep -q 'bad.wexp:4:11: error: .*classes=3: wellsvm makes two clusters' "$TMP/out"
printf 'generate blobs n=40 classes=4\ntask ssl labeled=8 classes=all\ncontinue until iter >= 3\nmethod A algo svm\ntable nmi\n' >"$TMP/bad.wexp"
check "a score without its key" run 1 -e "sweep $TMP/bad.wexp"
check "its key is suggested" grep -q 'bad.wexp:5:7: error: .*did you mean score=nmi?' "$TMP/out"
sed -i '$d' "$TMP/bad.wexp"
check "a condition on steps of binary classifiers" run 1 -e "sweep $TMP/bad.wexp"
check "it is refused" grep -q 'bad.wexp:4:15: error: .*one after the other' "$TMP/out"
check "candidates" run 0 -q -e "$blobs; task ambiguous candidates=3 ambiguous=0.3 classes=all; algo wellsvm labelings=3; continue; export labels $TMP/may.csv"
check "a row's candidates" grep -q '^[0-9]*,unlabeled,\([1-4]\),[1-4],[0-9]*,\([1-4]\)+\([1-4]\)+\([1-4]\)$' "$TMP/may.csv"
check "the label is one of them" awk -F, '$2 == "unlabeled" && index($6, $3) == 0 { exit 1 }' "$TMP/may.csv"
check "tune" run 0 -e "$blobs; task ssl labeled=24 classes=all; tune folds=3 by=f1 algo svm C={0.01,1} or algo mfn lambda={0.1,1}; continue; eval"
check "by macro-F1" grep -q 'macro-F1' "$TMP/out"
check "no AUC of four" run 1 -e "$blobs; $task; tune by=auc algo svm C={0.01,1}"

cat >"$TMP/m.wexp" <<'END'
title Four classes
generate blobs n=80 classes=4
split test=0.25
task ssl labeled=12 classes=all
repeat 2
method SVM algo svm
method RBF algo svm kernel=rbf
table score=macro_f1
END
check "an experiment" run 0 sweep "$TMP/m.wexp" --out "$TMP/m" -j 1
check "its table" run 0 table "$TMP/m" --format csv
check "of macro-F1" grep -q 'macro_f1' "$TMP/out"

if [ -r ../shared/datasets/libsvm/dna.scale ]; then
    check "dna" run 0 -e 'load ../shared/datasets/libsvm/dna.scale.t as more; load ../shared/datasets/libsvm/dna.scale as dna' \
        -e 'task supervised classes=all; algo svm C=0.1; continue; eval more'
    value=$(sed -n 's/^run a, more: accuracy \([0-9.]*\) .*/\1/p' "$TMP/out")
    check "as well as others" awk "BEGIN { exit !(0$value > 0.93) }"
else
    echo "skipped multiclass: dna: not here"
fi
