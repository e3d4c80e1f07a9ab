# SPDX-License-Identifier: GPL-3.0-or-later
#
# The command tune: what it prints, starts and records, and its errors about lines that it cannot read.
set -u
. tests/checks.sh
setup='generate g50c n=80; split test=0.25; task ssl labeled=16'

refused() # NAME LINE MESSAGE
{
    run 1 -e "$setup" -e "$2"
    check "$1" grep -qF -- "$3" "$TMP/out"
}

line='tune folds=4 algo svm C={0.01,0.1,1} kernel={linear,rbf} or algo wellsvm kernel=rbf sigma={0.3,1,3}x C2={0.01,1} labelings=2'
check "tune, then a run" run 0 -q --record "$TMP/tuned.wlab" -e "$setup" -e "$line; continue; eval test"
check "a table of the best ten" test "$(grep -c '^[* ] *[0-9.]*  \(svm\|wellsvm\) ' "$TMP/out")" -eq 10
check "one is marked" test "$(grep -c '^\* ' "$TMP/out")" -eq 1
check "and how many more" grep -q '^ *and 2 more$' "$TMP/out"
best=$(sed -n 's/^\* *[0-9.]*  //p' "$TMP/out")
check "the best is started" grep -q "^run a: ${best%% *} on g50c" "$TMP/out"
accuracy=$(grep '^run a, test' "$TMP/out")
check "recorded as typed" grep -qxF "$line" "$TMP/tuned.wlab"
check "replay" run 0 replay --check "$TMP/tuned.wlab"
check "as algo starts it" run 0 -q -e "$setup" -e "algo $best; continue; eval test"
check "the same run" grep -qxF "$accuracy" "$TMP/out"
sed 's/^#@ tuned candidates=12/#@ tuned candidates=13/' "$TMP/tuned.wlab" >"$TMP/other.wlab"
check "another choice is found" run 3 replay --check "$TMP/other.wlab"
check "as JSON objects" run 0 -q --json -e "$setup" -e "$line" -e runs
check "which is the current one" test "$(grep -c '"type":"run","run":"a"' "$TMP/out")" -ge 1
check "no run is left over" test "$(grep -c '"run":"b"' "$TMP/out")" -eq 0
check "an object of its own" grep -q '"type":"tune","by":"accuracy","folds":4,"scored":16,"oracle":false' "$TMP/out"

refused "a misspelt algorithm" 'tune algo svmm C={1,2}' 'did you mean "svm"'
refused "a brace left open" 'tune algo svm C={1,2' 'in "C={1,2"'
refused "a value out of range" 'tune algo svm C={1,-2}' 'C=-2'
refused "no algorithm" 'tune folds=3' 'tune takes settings of its own'
refused "settings of its own at the end" 'tune algo svm C={1,2} or folds=3' 'must follow `or`'
refused "an unknown setting" 'tune fold=3 algo svm C={1,2}' 'did you mean "folds"'
refused "one label of each class" 'task ssl labeled=2; tune algo svm C={1,2}' 'two labelled rows of each class'
check "no task" run 1 -e 'generate g50c n=40' -e 'tune algo svm C={1,2}'
check "and what to do" grep -q 'task ssl labeled=10' "$TMP/out"
