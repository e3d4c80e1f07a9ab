#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# `compare` and `runs`: which numbers may be compared, and what they are.
set -u
. tests/checks.sh
has() { grep -Eq "$1" "$TMP/out"; }
lacks() { ! grep -Eq "$1" "$TMP/out"; }

# ---- scores: other measures ----
moons='generate two-moons n=90 seed=2; task cluster; score unlabeled on; algo kmeans; continue; task ssl labeled=9 seed=1; algo svm; continue'
check "clusters beside classes" run 0 -q -e "$moons; compare a b; plot score a b"
check "each score has its measure below" has '^ +adjusted Rand index +accuracy$'
check "they are not comparable" has '^hidden_unlabeled is not the same measure in these runs: its values cannot be compared$'
check "and nothing says that they are" lacks 'may be compared'
check "nor does the figure" has 'not comparable: a adjusted Rand index, b accuracy'
check "two runs of one task" run 0 -q -e 'generate two-moons n=90 seed=2; task ssl labeled=9 seed=1; score unlabeled on; algo svm; continue; algo wellsvm; step; compare a b; plot score a b'
check "have one measure" lacks 'measure|adjusted|not comparable'
check "as JSON" run 0 -q --json -e "$moons; compare a b"
check "the measures are named" has '"hidden_unlabeled": *\["adjusted Rand index", *"accuracy"\]'
