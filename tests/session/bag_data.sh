# SPDX-License-Identifier: GPL-3.0-or-later
#
# Data in bags through commands: loaded from every format, split by bags, recorded and replayed, in an experiment.
set -u
. tests/checks.sh

says() # TEXT
{
    grep -qF -- "$1" "$TMP/out"
}

# output about bags
check "generated bags" run 0 -b -e 'generate roi-bags bags=20 positive=0.5 least=4 most=4; info data; split test=0.2 seed=1; info data'
check "bags by class" says '20 bags: 10 positive, 10 negative; rows in a bag: 4 to 4, median 4'
check "with labels of single rows" says 'the rows have labels of their own'
check "whole bags are held out" says 'split: 16 bags (64 rows) to train, 4 bags (16 rows) held out'
check "scaled bags" run 0 -b -e 'generate roi-bags bags=20 positive=0.5; scale zscore; info data'
check "are the same bags" says '20 bags: 10 positive, 10 negative'
check "as JSON" run 0 --json -b -e 'generate roi-bags bags=20 positive=0.5 least=4 most=4; split folds=4 fold=2'
check "with the counts" says '"bag_rows":{"min":4,"median":4.0,"max":4},"positive_bags":10,"negative_bags":10,"instances_known":true'
check "and those of the split" says '"train":60,"test":20,"train_bags":15,"test_bags":5}'
check "single rows" run 0 -b -e 'generate roi-bags bags=20 least=4 most=4; split by=rows test=0.5'
check "are split on request" says 'roi-bags: 40 rows to train, 40 held out'
check "too many bags" run 1 -b -e 'generate roi-bags bags=20; split test=20'
check "are counted as bags" says 'test=20 of 20 bags leaves none to train on'
printf '1,2,yes\n3,4,no\n5,6,no\n7,8,no\n' >"$TMP/rows.csv"
printf 'a\na\nb\nb\n' >"$TMP/bags.txt"
check "a file of bags" run 0 -q --record "$TMP/bags.wlab" -b -e "load $TMP/rows.csv bags=$TMP/bags.txt; split test=0.5; info data"
check "makes bags" says '2 bags: 1 positive, 1 negative; rows in a bag: 2 to 2'
check "replays" run 0 replay --check "$TMP/bags.wlab"
printf 'a\na\na\nb\n' >"$TMP/bags.txt"
check "another file of bags" run 3 replay --check "$TMP/bags.wlab"

# an experiment
cat >"$TMP/mil.wexp" <<'X'
generate roi-bags bags=40 least=4 most=8 positive=0.4 as roi
split test=0.25
task mil
repeat 2
tune folds=3
method WellSVM algo wellsvm kernel=rbf sigma=1x C1={10,1} C2=10 search=paper
table score=success
X
check "a sweep with bags" run 0 -q sweep "$TMP/mil.wexp" --out "$TMP/mil"
check "whose table is of key instances" says 'success (bags), mean'
check "a cell of it" run 0 -q cell 1 --of "$TMP/mil" --to "$TMP/cell.wlab"
check "scores bags" grep -qx 'eval bags' "$TMP/cell.wlab"
check "and replays" run 0 replay --check "$TMP/cell.wlab"
sed -e 's/^tune.*/eval test/' -e 's/{10,1}/10/' -e '$s/$/\ntable/' "$TMP/mil.wexp" >"$TMP/lacks.wexp"
check "a table of key instances where bags are not scored" run 0 sweep "$TMP/lacks.wexp" --out "$TMP/lacks"
check "is left out, and the others are written" says 'accuracy (test), mean'
check "with a warning" says 'warning: left out a table: no result has a score "success"'
sed -e 's/^task mil/task supervised/' -e '$s/.*/eval bags/' "$TMP/mil.wexp" >"$TMP/rows.wexp"
check "bags of a task without" run 1 -q sweep "$TMP/rows.wexp" --out "$TMP/rows"
check "are refused with a place" says 'rows.wexp:7:1: error: '

# real data
mil=../shared/datasets/mil
if [ ! -d "$mil" ]; then
    echo "skipped real bags: no $mil"
    exit 0
fi
while read -r file rows bags positive; do
    run 0 -b -e "load $mil/$file; info data" && grep -q "^[a-z0-9]*: $rows rows" "$TMP/out"
    check "$file" says "$bags bags: $positive positive, $((bags - positive)) negative"
done <<X
musk1.data 476 92 47
musk2.svm 6598 102 39
musk2 6598 102 39
elephant.svm 1391 200 100
elephant 1391 200 100
elephant/X.mat 1391 200 100
fox.svm 1320 200 100
fox/ 1320 200 100
newsgroups1.svm 5443 100 50
newsgroups2.svm 3094 100 50
X
check "a folder has its name" run 0 -b -e "load $mil/fox/; info data; load $mil/elephant/X.mat; info data"
check "and its file too" grep -q '^also loaded: fox$' "$TMP/out"
check "a folder without X.mat" run 1 -b -e "load $mil"
check "is refused with advice" says 'a folder is loaded when X.mat'
