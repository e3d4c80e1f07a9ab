#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The accuracy of algorithms with default settings on generated data: the path that help, README and the start pane show.
# under sanitizers only in the long check: the unit tests run the same algorithms
set -u
. tests/objects.sh

# mean ALGO COMMANDS EVAL: the mean accuracy over five seeds; SEED in the commands is replaced by the seed
mean() {
    local sum=0 seed
    for seed in 1 2 3 4 5; do
        run "${2//SEED/$seed}; algo $1; continue; eval $3" || return
        sum="$sum + $(value eval accuracy)"
    done
    awk "BEGIN { print ($sum) / 5 }" </dev/null
}
moons='generate two-moons n=200 seed=SEED; task ssl labeled=4'
well=$(mean wellsvm "$moons" unlabeled)
svm=$(mean svm "$moons" unlabeled)
holds "two moons, four labels: wellsvm $well, svm $svm" "$well >= 0.95 && $well > $svm"
moons='generate two-moons n=150 seed=SEED; task cluster'
well=$(mean wellsvm "$moons" train)
kmeans=$(mean kmeans "$moons" train)
holds "two moons, no label: wellsvm $well, kmeans $kmeans" "$well >= 0.95 && $well > $kmeans"
images='generate roi-bags bags=60 least=8 most=16 seed=SEED; split test=0.5; task mil'
well=$(mean wellsvm "$images" bags)
em=$(mean softmax-em "$images" bags)
holds "images: wellsvm $well, softmax-em $em" "$well > $em"
toy='generate g50c n=200 seed=SEED; task llp bagsize=16'
alter=$(mean alter-psvm "$toy" train)
map=$(mean mean-map "$toy" train)
holds "proportions: alter-psvm $alter, mean-map $map" "$alter > $map"

# ---- what a step will cost ----
of_algo() { # NAME MEMBER: of an algorithm in the list
    grep '"type":"algorithms"' "$TMP/out.json" | grep -o "{\"algo\":\"$1\"[^}]*}" | grep -o "\"$2\":[^,}]*" | cut -d: -f2-
}
run 'generate g50c n=1200; task ssl labeled=20; algo'
holds 'the list has seconds and bytes' "$(of_algo s4vm seconds) > 0 && $(of_algo s4vm bytes) > 8 * 1200 * 1200"
holds 'and the first step' "$(of_algo s4vm first_seconds) > $(of_algo s4vm seconds)"
holds 'and the rows that one takes' "$(of_algo bb rows_most) == 1000"
"$W" -b -n -e 'generate g50c n=1200; task ssl labeled=20; algo' >"$TMP/out" 2>&1 </dev/null
words=$(tr -s ' \n' ' ' <"$TMP/out")
grep -q 'A step: [^.]*\. Here about [0-9.]* m\?s a step[^.]*, [0-9]* MB\. It proves' <<<"$words" &&
    grep -q 'Not here: at most 1000 rows, and there are 1200\.' <<<"$words" &&
    grep -q 'Here: an estimate for the default settings\. With others, `algo NAME key=value\.\.\.` says what a step takes if that is over 1 s or 1 GB\.' <<<"$words"
say 'the list in words' $? "$words"
"$W" -b -n -e 'generate g50c n=1600; task ssl labeled=20; algo tsvm; algo softmax-sdp' >"$TMP/out" 2>&1 </dev/null
grep -q '^a step will take about [0-9]* s and [0-9]* MB of memory$' "$TMP/out" && [ "$(grep -c 'of memory' "$TMP/out")" = 1 ]
say 'before a run whose step takes long, and only then' $? "$(cat "$TMP/out")"
"$W" -b -n -e 'generate two-moons n=30000 noise=0.05; task ssl labeled=20; algo lapsvm rank=400 kernel=rbf' >"$TMP/out" 2>&1 </dev/null
grep -q '^the start and the first step will take about [0-9]* s, another step about [0-9.]* m\?s, and [0-9]* MB of memory$' "$TMP/out"
say 'a first step that takes longer' $? "$(cat "$TMP/out")"
