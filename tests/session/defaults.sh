#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The accuracy of algorithms with default settings on generated data: the path that help, README and the start pane show.
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
