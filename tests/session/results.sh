# SPDX-License-Identifier: GPL-3.0-or-later
#
# The results in docs/results: they belong to the experiments, the tables of the docs are made from them, and an exhibit
# that is computed again gives the same.
# not under sanitizers: the tables are the same, and an exhibit takes long
set -u
export XDG_STATE_HOME=$TMP/state XDG_CONFIG_HOME=$TMP/config
say() { # NAME STATUS WHY
    [ "$2" -eq 0 ] && echo "ok $1" || { echo "not ok $1: $3"; }
}

docs/tables --check

for f in docs/results/*.cells; do
    name=$(basename "$f" .cells)
    sed -n 's/^# text //p' "$f" | diff - "scripts/experiments/$name.wexp" >"$TMP/diff" 2>&1
    say "$f is of the present $name.wexp" $? "$(head -n 4 "$TMP/diff")"
done

# the list of exhibits names experiments that exist, once each name
lost=
while IFS=$'\t' read -r name _ _ experiments _; do
    for e in $experiments; do
        [ "$e" = - ] || [ -f "scripts/experiments/$e.wexp" ] || lost="$lost $name:$e"
    done
done < <(grep -v '^#' scripts/exhibits.tsv)
[ -z "$lost" ]
say 'the experiments of the exhibits exist' $? "$lost"
[ -z "$(grep -v '^#' scripts/exhibits.tsv | cut -f 1 | grep -vx -e - | sort | uniq -d)" ]
say 'each exhibit has its own name' $? ''
[ -z "$(grep -v '^#' scripts/exhibits.tsv | awk -F '\t' 'NF != 8')" ]
say 'every line of the list has eight columns' $? ''

scripts/reproduce >"$TMP/out" 2>&1
[ $? -eq 0 ] && grep -q 'svmlin-pcmac' "$TMP/out"
say 'without a name the exhibits are listed' $? "$(cat "$TMP/out")"
scripts/reproduce nothing >"$TMP/out" 2>&1
[ $? -eq 2 ] && grep -q "no exhibit 'nothing'" "$TMP/out"
say 'an unknown exhibit' $? "$(cat "$TMP/out")"
if [ -d ../shared/datasets ]; then
    RESULTS=$TMP/results scripts/reproduce svmlin-pcmac 1 >"$TMP/out" 2>"$TMP/err"
    # the last digits depend on the processor, and so may the label of a row near the boundary
    largest=$(sed -n 's/^svmlin-pcmac: \([0-9]*\) of [0-9]* accuracies are those of .*difference is \(.*\)/\2/p' "$TMP/out")
    [ -n "$largest" ] && awk -v d="$largest" 'BEGIN { exit !(d < 0.02) }'
    say 'an exhibit computed again has the results of the docs' $? "$(tail -n 5 "$TMP/out" "$TMP/err")"
    grep -q 'figure .*fig4-objective.png' "$TMP/out" || ! command -v gnuplot >/dev/null
    say 'and its figures' $? "$(tail -n 5 "$TMP/out")"
    grep -q 'svmlin-pcmac: 40 cells in .*: 40 computed now' "$TMP/out"
    say 'it says how many cells were computed now' $? "$(grep cells "$TMP/out")"
    RESULTS=$TMP/results scripts/reproduce svmlin-pcmac 1 2>&1 </dev/null | grep -q ': 0 computed now.*, 40 before'
    say 'and how many were there' $? ''
    [ -z "$(ls -A scripts/experiments | grep '^\.')" ]
    say 'nothing is left beside the experiments' $? "$(ls -A scripts/experiments | grep '^\.')"
    # data that are missing are named
    sed 's/text1.libsvm/absent.libsvm/' scripts/experiments/svmlin-pcmac.wexp >"$TMP/absent.wexp"
    "$WEAKLAB" sweep "$TMP/absent.wexp" --out "$TMP/absent" >"$TMP/out" 2>&1
    [ $? -ne 0 ] && grep -q "absent.wexp:.*absent.libsvm" "$TMP/out"
    say 'a missing file is named' $? "$(cat "$TMP/out")"
else
    echo 'skipped an exhibit computed again: no ../shared'
fi
