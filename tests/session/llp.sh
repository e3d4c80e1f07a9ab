#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Label proportions from the file to the score: what the task reports and refuses, the four algorithms on the toy of
# Figure 1, tuning by proportions only, views as text, experiment files.
# needs gnuplot
set -u
. tests/objects.sh
D=../shared/datasets
# field SET NAME: of the last eval object of these rows
field() { grep "\"type\":\"eval\".*\"set\":\"$1\"" "$TMP/out.json" | tail -n 1 | grep -o "\"$2\":[^,}]*" | cut -d: -f2-; }

# ---- the two bags of Figure 1 ----
toy='generate llp-toy seed=1; task llp; algo'
for algo in alter-psvm conv-psvm; do
    run "$toy $algo kernel=linear; continue; eval train bags"
    [ "$(field train accuracy)" = 1.0 ] && [ "$(field bags total_proportion_error)" = 0.0 ]
    say "$algo solves the toy" $? "$(tail -n 2 "$TMP/err") $(field train accuracy) $(field bags total_proportion_error)"
done
for algo in invcal mean-map; do
    run "$toy $algo kernel=linear; continue; eval train bags"
    holds "$algo fails on it as in Figure 1" "$(field train accuracy) < 0.05 && $(field bags total_proportion_error) > 0.3"
done
if [ -d $D/llp ]; then
    for algo in alter-psvm conv-psvm invcal mean-map; do
        run "load $D/llp/psvm_toy.mat; task llp; algo $algo kernel=linear; continue; eval train"
        case $algo in *psvm) claim='== 1' ;; *) claim='< 0.05' ;; esac
        holds "the authors' points: $algo" "$(field train accuracy) $claim"
    done
    for kind in mat csv; do
        run "load $D/llp/psvm_toy.$kind; task llp; algo alter-psvm kernel=linear seed=3; continue"
        grep '"type":"step"' "$TMP/out.json" | sed 's/"seconds":[^,}]*//' >"$TMP/toy.$kind"
    done
    [ -s "$TMP/toy.mat" ] && cmp -s "$TMP/toy.mat" "$TMP/toy.csv"
    say "the two files of the toy give the same run" $?
    run "load $D/llp/psvm_heart.mat; split hold=test; task llp; algo invcal kernel=linear; continue; eval test bags; export bags $TMP/heart.csv"
    [ "$(field test n)" = 64 ] && [ "$(field bags n)" = 1 ] && [ "$(field bags test)" = true ]
    say "the authors' test bag is held out and scored" $? "$(tail -n 1 "$TMP/err")"
    [ "$(tail -n +2 "$TMP/heart.csv" | sort | cut -d, -f1-3 | tr '\n' ' ')" = '1,train,0.40625 2,train,0.375 3,train,0.546875 4,train,0.5 test-1,test,0.4375 ' ]
    say "the authors' proportions" $? "$(cat "$TMP/heart.csv")"
    run "load $D/llp/psvm_breast-cancer_scale_processed.mat bag=struct_split.6.2; split hold=test; task llp; algo alter-psvm kernel=linear; continue; eval test bags"
    holds "breast-cancer, bags of 32, the second fold" "$(field test accuracy) > 0.9"
else
    echo "skipped llp: no $D/llp"
fi

# ---- what is reported ----
prints() { # prints NAME COMMANDS WORDS...
    local name=$1 commands=$2 text missing=
    shift 2
    text=$("$W" -b -n -e "$commands" 2>&1 </dev/null)
    for word; do grep -qF -- "$word" <<<"$text" || missing="$missing '$word'"; done
    [ -z "$missing" ]
    say "$name" $? "no$missing in $(tail -n 3 <<<"$text")"
}
prints 'balance of bags' 'generate blobs n=100 seed=1; task llp bagsize=8; info task' 'rows in a training bag: 4 to 8, median 8 (12 bags of 8, 1 of 4)' ', mean 0.' ', spread 0.'
prints 'the noise is reported' 'generate blobs n=100 seed=1; task llp bagsize=8 noise=0.1; info task' 'noise=0.1'
prints 'bags dealt before the split' 'generate blobs n=90 seed=1; split folds=3 fold=1 bagsize=10 seed=4; task llp bagsize=10 deal=all seed=4; info task' 'rows in a training bag: 10 to 10, median 10'
prints 'bags dealt otherwise than the split' 'generate blobs n=90 seed=1; split folds=3 fold=1 bagsize=10 seed=4; task llp bagsize=10 deal=all seed=5; info task' 'cut by the split'
prints 'one proportion for all' 'generate blobs n=100 seed=1; task llp bagsize=8 deal=even; info task' 'given proportions of positives: 0.5 to 0.5, mean 0.5, spread 0' 'cannot learn from it'
run 'generate blobs n=100 seed=1; task llp bagsize=8'
grep -q '"proportions":{"min":0\.[0-9]*,"mean":0\.[0-9]*,"max":0\.[0-9]*,"spread":0\.[0-9]*,"untold":0}' "$TMP/out.json"
say 'balance of bags as JSON' $? "$(grep '"task"' "$TMP/out.json")"
printf 'bag,proportion\n1,0.6\n2,0.4\n' >"$TMP/given.txt"
run "generate llp-toy seed=1; task llp proportions=$TMP/given.txt; algo alter-psvm kernel=linear; continue; eval train"
[ "$(field train accuracy)" = 1.0 ]
say 'given proportions' $? "$(tail -n 1 "$TMP/err")"
awk 'BEGIN { srand(1); for (i = 0; i < 60; i++) print 2 * (i % 2) - 1 + rand() "," rand() }' >"$TMP/plain.csv"
for i in $(seq 60); do echo "b$((i % 6 / 2))$((i % 2))"; done >"$TMP/bags.txt"
printf 'b00 0\nb01 1\nb10 0\nb11 1\nb20 0\nb21 1\n' >"$TMP/proportions.txt"
run "load $TMP/plain.csv label=none bags=$TMP/bags.txt; task llp proportions=$TMP/proportions.txt; algo alter-psvm kernel=linear; continue; eval bags; export predictions $TMP/predicted.csv"
[ "$(field bags total_proportion_error)" = 0.0 ] && [ "$(wc -l <"$TMP/predicted.csv")" = 61 ]
say 'data without labels learn from proportions alone' $? "$(tail -n 2 "$TMP/err")"
for i in $(seq 100); do echo "g$((i % 5))"; done >"$TMP/five.txt"
for i in 0 1 2 3 4; do echo "g$i 0.4"; done >"$TMP/five-proportions.txt"
prints 'bags that the split cuts' "generate blobs n=100 seed=1; split test=0.4 seed=1; task llp bags=$TMP/five.txt proportions=$TMP/five-proportions.txt" '5 of the 5 bags are cut by the split' '`load ... bags=FILE` before `split` keeps bags whole'
printf '1,2\n2,3\n3,1\n4,4\n4,2\n3,5\n' >"$TMP/six.csv"
printf '%s\n' s s s r r r >"$TMP/six-bags.txt"
printf 's 0.33\n' >"$TMP/six-proportions.txt"
prints 'proportions of pieces, missing ones, and ones that no count gives' "load $TMP/six.csv label=none bags=$TMP/six-bags.txt; task llp proportions=$TMP/six-proportions.txt; algo mean-map kernel=linear; continue; eval train; plot bags; plot labels; export bags $TMP/six-out.csv" '1 bag without a given proportion' 'in the bag of row 1, given 0.33 of 3 rows, 1 positive (0.3333)' 'no true labels of the train rows are known' '1: ?' 'bags not given: 3' 'bags given <= 0.5: 3'
[ "$(cut -d, -f1-3 "$TMP/six-out.csv" | tr '\n' ' ')" = 'bag,set,share r,train, s,train,0.33 ' ]
say 'bags are exported in order, proportions as they were given' $? "$(cat "$TMP/six-out.csv")"
prints 'proportions instead of labels' "load $TMP/six.csv label=none bags=$TMP/six-bags.txt; task llp" "proportions=FILE gives each bag's fraction of positives"
run "generate blobs n=100 seed=1; split test=0.4 seed=1; task llp bags=$TMP/five.txt; algo invcal kernel=linear; continue; eval bags; eval train-bags"
[ "$(field bags test)" = true ] && [ "$(field train-bags test)" = false ] && [ "$(field bags n)" = 5 ]
say 'held-out rows are scored by the bags of the file' $? "$(tail -n 1 "$TMP/err")"
holds 'the mean is the sum over bags' "($(field bags total_proportion_error) - 5 * $(field bags proportion_error)) ^ 2 < 1e-24"

printf '%s\n' 'x,c' 1,a 2,b 3,c 4,a 5,b 6,c 7,b 8,c 9,b >"$TMP/classes.csv"
prints 'boundary marks the toy' 'generate llp-toy seed=1; task llp; algo invcal kernel=linear; step; plot boundary to terminal' 'wrong labels: 200 of 200' 'W  bag 1, +1, wrong: 40' 'x  bag 2, -1, wrong: 40'
prints 'boundary of all right' 'generate llp-toy seed=1; task llp; algo alter-psvm kernel=linear; finish; plot boundary to terminal' 'wrong labels: 0 of 200' 'P  bag 1, +1: 60' 'q  bag 2, -1: 60'
prints 'one class against as many others' "load $TMP/classes.csv one=a; info data" 'class rest: 2 rows' 'class a: 2 rows (the positive one)'

# ---- what is refused ----
refuses() { # refuses NAME WORDS COMMANDS
    run "$3"
    [ $? -ne 0 ] && grep -q -- "$2" "$TMP/err"
    say "$1" $? "$(tail -n 2 "$TMP/err")"
}
printf '1\n2\n1,3\n' >"$TMP/two.txt"
printf '1\n\n2\n\n' >"$TMP/gap.txt"
printf 'x,y\n1,a\n2,b\n3,a\n' >"$TMP/three.csv"
printf 'x,bag,y\n1,1,a\n2,"1,2",b\n3,2,a\n' >"$TMP/cell.csv"
printf '1:1:1 1:3\n2:1:1 1:2\n1:2:0 1:3\n' >"$TMP/twice.svm"
printf '1 0.5\n2 1.5\n' >"$TMP/high.txt"
refuses 'a method for other tasks' 'these do: conv-psvm, invcal, mean-map, alter-psvm, wellsvm, bb' 'generate llp-toy seed=1; task llp; algo svm'
refuses 'a row in two bags' 'two.txt:3:3: error: row 3 is in several bags: overlapping bags cannot be learnt from' "load $TMP/three.csv; task llp bags=$TMP/two.txt"
refuses 'a line without a bag' 'gap.txt:2:1: error: 2 bags for 3 rows: .*this line is empty' "load $TMP/three.csv bags=$TMP/gap.txt"
refuses 'a row in two bags, at load' 'two.txt:3:3: error' "load $TMP/three.csv bags=$TMP/two.txt"
refuses 'a cell with two bags' 'cell.csv:3:4: error: .*several bags' "load $TMP/cell.csv"
refuses 'an instance in two bags' 'twice.svm:3:1: error: instance 1 is in bag 1 and in bag 2' "load $TMP/twice.svm"
refuses 'a class that is not there' 'no such class' "load $TMP/classes.csv one=d"
refuses 'a proportion above 1' 'high.txt:2:3: error: this is not a proportion' "generate llp-toy seed=1; task llp proportions=$TMP/high.txt"
refuses 'proportions of dealt bags' 'cannot refer to' "generate llp-toy seed=1; task llp bagsize=5 proportions=$TMP/given.txt"
refuses 'deal=even without sizes' 'bagsize=16' 'generate llp-toy seed=1; task llp deal=even'
refuses 'labels that are too many' 'only 20' 'generate blobs n=20 seed=1; task llp bagsize=5 labeled=21'
refuses 'views of proportions of another task' 'gives no proportions' 'generate blobs n=20 seed=1; task ssl labeled=4; algo svm; step; plot proportions'

# ---- tuning uses proportions only ----
# permute the labels within the bags: the proportions are unchanged
awk 'BEGIN { srand(4); for (i = 0; i < 80; i++) { c = i % 3 == 0; printf "%.6f,%.6f,b%d,%d\n", rand() + c, rand() - c, int(i / 8), c } }' >"$TMP/true.csv"
awk -F, '{ row[NR] = $1 "," $2 "," $3; label[NR] = $4 }
         END { for (i = 1; i <= NR; i++) print row[i] "," label[int((i - 1) / 8) * 8 + i % 8 + 1] }' "$TMP/true.csv" >"$TMP/turned.csv"
for data in true turned; do
    for tune in 'mean-map kernel=linear lambda={0.1,10}' 'alter-psvm kernel=linear C={0.1,10} Cp={1,10} restarts=2'; do
        run "load $TMP/$data.csv label=4 bag=3 header=no; task llp; tune folds=5 algo $tune"
        grep '"type":"tune"\|"type":"tuned"' "$TMP/out.json" | sed 's/"seconds":[^,}]*//; s/"data":[^,}]*//'
    done >"$TMP/tuned.$data"
done
[ -s "$TMP/tuned.true" ] && cmp -s "$TMP/tuned.true" "$TMP/tuned.turned" && ! cmp -s "$TMP/true.csv" "$TMP/turned.csv"
say 'the choice of tune does not depend on the true labels' $? "$(diff "$TMP/tuned.true" "$TMP/tuned.turned" | head -c 300)"
grep -q 'bag error' "$TMP/tuned.true"
say 'tune names the score by which it chose' $? "$(head -c 300 "$TMP/tuned.true")"

prints 'one bag' 'generate blobs n=100 seed=1; task llp bagsize=900' '1 bag' 'all 100 training rows are in one bag' 'a smaller bagsize= deals more bags'
# ---- views ----
for algo in alter-psvm conv-psvm invcal mean-map wellsvm; do
    "$W" -b -n -e "generate blobs n=200 seed=1 spread=3; task llp bagsize=10; algo $algo kernel=linear; step 4; plot proportions; plot bagflips" >"$TMP/views" 2>&1 </dev/null
    grep -q 'bag error [0-9.]* (Eq. 23), mean' "$TMP/views" && grep -q 'of 20 bags changed in it' "$TMP/views" && grep -q 'given proportion' "$TMP/views"
    say "views of $algo" $? "$(tail -n 3 "$TMP/views")"
done
prints 'bars of few bags' "$toy alter-psvm kernel=linear; continue; plot proportions" '1: 100' 'bag error 0 (Eq. 23)'
prints 'the objective over C*' "$toy alter-psvm kernel=linear; continue; plot objective vs level" "C*, the hinge losses' weight"

# ---- recorded and replayed ----
"$W" -b -n --record "$TMP/log.wlab" -e "generate blobs n=90 seed=1; split test=0.3; task llp bagsize=6 noise=0.1 labeled=5; algo alter-psvm kernel=linear; continue; eval test train-bags" >/dev/null 2>"$TMP/err" </dev/null &&
    "$W" replay --check "$TMP/log.wlab" >"$TMP/out" 2>"$TMP/err" </dev/null
say 'a recording replays' $? "$(tail -n 2 "$TMP/err")"

# ---- experiment files ----
if [ -d $D/libsvm ]; then
    cat >"$TMP/tiny.wexp" <<'END'
generate blobs n=90 spread=2 as blobs
generate llp-toy n=90 bags=6 as toy
split test=0.3 by=rows
task llp bagsize={6,15} deal=even
repeat 1
tune folds=2
method MeanMap algo mean-map kernel=linear lambda={0.1,1}
method InvCal algo invcal kernel=linear Cp={0.1,1}
method alter algo alter-psvm kernel=linear C={0.1,1} restarts=2
method conv algo conv-psvm kernel=linear eps={0,0.1}
table score=accuracy
table score=bag_error
END
    "$W" sweep "$TMP/tiny.wexp" --out "$TMP/tiny" -j 1 >"$TMP/out" 2>"$TMP/err" </dev/null && "$W" table "$TMP/tiny" >"$TMP/table" 2>>"$TMP/err" </dev/null
    [ $? -eq 0 ] && [ "$(grep -c '[01]\.[0-9]*' "$TMP/table")" -ge 4 ] && ! grep -q failed "$TMP/out"
    say 'a tiny experiment with tuning' $? "$(tail -n 3 "$TMP/err" "$TMP/out")"
else
    echo "skipped llp: no $D/libsvm"
fi
