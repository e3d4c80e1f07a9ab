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

# ---- scores: other rows ----
half='generate blobs n=80 seed=3'
svm='task ssl labeled=10 seed=1; algo svm; continue'
check "another split" run 0 -q -e "$half; split test=0.25 seed=1; score test on; $svm; split test=0.5 seed=9; $svm; compare a b; plot score a b"
check "is among the settings" has '^  split +test=0\.25 seed=1 +test=0\.5 seed=9$'
check "with its rows" has '^  rows held out +20 +40$'
check "the scores have their rows" has '^ +of 20 rows +of 40 rows$'
check "they are not comparable" has '^hidden_test is of other test rows in each run: its values cannot be compared'
check "and nothing says that they are" lacks 'may be compared|compare scores'
check "nor does the figure" has 'not comparable: a 20, b 40'
check "the figure has no size that holds for one run only" lacks '\(60 x'
check "a split of the same size" run 0 -q -e "$half; split test=0.25 seed=1; score test on; $svm; split test=0.25 seed=2; $svm; compare a b; plot score a b"
check "has other rows, too" has '^hidden_test is of other test rows'
check "also in the figure" has 'not comparable: a 20, b 20'
check "other labelled rows" run 0 -q -e "$half; split test=0.25 seed=1; score test unlabeled on; $svm; task ssl labeled=10 seed=2; algo svm C=3; continue; compare a b"
check "have other unlabelled rows" has '^hidden_unlabeled is of other unlabelled rows'
check "but the same test rows" lacks '^hidden_test is of other'
check "which is what may be compared" has '`score test on` and `eval test` give numbers that may be compared'
check "scaled data" run 0 -q -e "$half; split test=0.25 seed=1; score test on; $svm; scale zscore; $svm; compare a b"
check "have the same test rows" lacks 'other test rows|split'
