#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# WellSVM from outside: what once went wrong at size, and what a search that is cut short may claim.
set -u
. tests/objects.sh
metric() { value step "$1"; }

# squared hinge at size: with labelings that come in as mu gives way a step in alpha could be too long, and grew
for dims in 2 20; do
    run "generate blobs n=4200 dims=$dims seed=1; task cluster balance=0.1; algo wellsvm loss=squared-hinge; continue"
    status=$?
    awk "BEGIN { exit !($status == 0 && $(metric lower) <= $(metric objective) && $(metric objective) > 0 &&
                        $(metric inner_gap) + $(metric master_gap) <= 1.1e-3 * $(metric objective)) }" </dev/null
    say "clusters at size, squared hinge, $dims columns: solved to the master's 1e-3" $? "$(tail -n 1 "$TMP/err")"
done

# a tree that is cut short proves nothing, and says where it ended
cut='generate blobs n=30 spread=1 seed=6; task ssl labeled=4 seed=1; algo wellsvm kernel=linear bias=1 loss=sum-to-one search=exact nodes=1 starts=0; continue until iter >= 80'
run "$cut"
[ "$(metric verdict)" = '"limit"' ] || grep -q '"verdict":"limit"' "$TMP/out.json"
say 'a search cut short by nodes= ends at a limit' $? "$(tail -n 1 "$TMP/out.json")"
awk "BEGIN { exit !($(metric upper) - $(metric lower) > 1e-3) }" </dev/null
say 'and its gap is open' $? "$(metric gap)"
run "$cut; set nodes=100000; continue until iter >= 200"
grep -q '"verdict":"converged"' "$TMP/out.json" && awk "BEGIN { exit !($(metric upper) - $(metric lower) < 1e-6) }" </dev/null
say 'with nodes enough it goes on, to a gap that is closed' $? "$(metric gap)"

# other costs: what was trained before is not the model any more
run 'generate blobs n=40 seed=2; task ssl labeled=6; algo wellsvm kernel=linear; step 2; set C2=0.5; eval train'
[ $? -ne 0 ] && grep -q 'C1 or C2 changed' "$TMP/err"
say 'eval behind set says that parameters changed' $? "$(tail -n 1 "$TMP/err")"
run 'generate blobs n=40 seed=2; task ssl labeled=6; algo wellsvm kernel=linear; eval train'
[ $? -ne 0 ] && grep -q 'no model yet' "$TMP/err"
say 'before the first step there is no model' $? "$(tail -n 1 "$TMP/err")"
