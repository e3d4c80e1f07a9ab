#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# WellSVM from outside: an earlier fault at large sizes, and what the program may claim after a search that was cut short.
# under sanitizers only in the long check: the unit tests run the same searches
set -u
. tests/objects.sh
metric() { value step "$1"; }

# Squared hinge, many rows.  An earlier version could take too long a step in alpha when a labeling was added and the mu
# of others decreased; the solver then diverged.
for dims in 2 20; do
    run "generate blobs n=4200 dims=$dims seed=1; task cluster balance=0.1; algo wellsvm loss=squared-hinge; continue"
    status=$?
    awk "BEGIN { exit !($status == 0 && $(metric lower) <= $(metric objective) && $(metric objective) > 0 &&
                        $(metric inner_gap) + $(metric master_gap) <= 1.1e-3 * $(metric objective)) }" </dev/null
    say "clusters at size, squared hinge, $dims columns: solved to the master's 1e-3" $? "$(tail -n 1 "$TMP/err")"
done

# if nodes= cuts the search tree short, nothing is proven, and the verdict is limit
cut='generate blobs n=30 spread=1 seed=6; task ssl labeled=4 seed=1; algo wellsvm kernel=linear bias=1 loss=sum-to-one search=exact nodes=1 starts=0; continue until iter >= 80'
run "$cut"
[ "$(metric verdict)" = '"limit"' ] || grep -q '"verdict":"limit"' "$TMP/out.json"
say 'a search cut short by nodes= ends at a limit' $? "$(tail -n 1 "$TMP/out.json")"
awk "BEGIN { exit !($(metric upper) - $(metric lower) > 1e-3) }" </dev/null
say 'and its gap is open' $? "$(metric gap)"
run "$cut; set nodes=100000; continue until iter >= 200"
grep -q '"verdict":"converged"' "$TMP/out.json" && awk "BEGIN { exit !($(metric upper) - $(metric lower) < 1e-6) }" </dev/null
say 'with enough nodes it continues until the gap is closed' $? "$(metric gap)"

# with other costs the model trained before is not valid any more
run 'generate blobs n=40 seed=2; task ssl labeled=6; algo wellsvm kernel=linear; step 2; set C2=0.5; eval train'
[ $? -ne 0 ] && grep -q 'C1 or C2 changed' "$TMP/err"
say 'eval after set reports that parameters changed' $? "$(tail -n 1 "$TMP/err")"
run 'generate blobs n=40 seed=2; task ssl labeled=6; algo wellsvm kernel=linear; eval train'
[ $? -ne 0 ] && grep -q 'no model yet' "$TMP/err"
say 'before the first step there is no model' $? "$(tail -n 1 "$TMP/err")"

# `proven` is a word for the solution of the problem itself: the mixture solves the relaxation; with finish=alternate a
# single labeling predicts
moons='generate two-moons n=40 noise=0.4 seed=3; task ssl labeled=4 seed=2; algo wellsvm kernel=rbf loss=hinge C2=0.5'
plain() { "$W" -b -n -e "$1" >"$TMP/out" 2>"$TMP/err" </dev/null; }
plain "$moons; continue; info run"
grep -Eq '^run a: converged after step [0-9]+ \(relaxation proven\)$' "$TMP/err" && grep -q 'verdict converged (relaxation proven)$' "$TMP/out"
say 'the mixture is proven to solve the relaxation' $? "$(tail -n 1 "$TMP/err")"
plain 'generate two-moons n=20 noise=0.1 seed=1; task ssl labeled=4 seed=1; algo wellsvm kernel=rbf sigma=0.1x loss=sum-to-one; continue'
grep -Eq '^run a: converged after step [0-9]+ \(proven\)$' "$TMP/err"
say 'a tight relaxation solves the problem itself' $? "$(tail -n 1 "$TMP/err")"
words='\(relaxation proven; the labeling that predicts: objective [0-9.]+, bound [0-9.]+\)$'
plain "$moons finish=alternate; continue; info run"
grep -Eq "^run a: converged after step [0-9]+ $words" "$TMP/err" && grep -Eq "verdict converged $words" "$TMP/out"
say 'of a single labeling only the bound is known' $? "$(tail -n 1 "$TMP/err")"
