# SPDX-License-Identifier: GPL-3.0-or-later
#
# TSVM and mean field annealing on pcmac, on the command line: J, gaps, objectives and flips in the JSON rows, recordings,
# threads.
set -u
say() { # NAME CONDITION-STATUS [WHY]
    if [ "$2" -eq 0 ]; then echo "ok $1"; else echo "not ok $1: ${3:-}"; fi
}
W=$WEAKLAB
pcmac=../shared/datasets/ssl/svmlin_pcmac
if [ ! -r "$pcmac/training_examples" ]; then
    echo "skipped svmlin on pcmac: no ../shared"
    exit 0
fi
task="load $pcmac/training_examples labels=$pcmac/training_labels; task ssl given=yes"
mfa='algo mfa lambda=0.001 lambda_u=1 r=0.5'

# check_steps NAME ALGO FILE: checks the metrics of every step
check_steps() {
    python3 - "$2" "$3" <<'PY' >"$TMP/why" 2>&1
import json, math, sys
algo, path = sys.argv[1:]
steps = [o for o in map(json.loads, open(path)) if o['type'] == 'step']
assert len(steps) > 15 and steps[-1]['verdict'] == 'converged', 'it did not converge'
J = [s['metrics']['J'] for s in steps]
best = math.inf
upper = math.inf
before = None
for s in steps:
    m, at = s['metrics'], 'step %d: ' % s['iter']
    best, upper = min(best, m['J']), min(upper, m['J_balanced'])
    assert m['J_best'] == best, at + 'J_best'
    assert m['upper'] == upper and m['lower'] <= upper, at + 'bounds'
    assert abs(m['J'] - m['J_norm'] - m['J_labelled'] - m['J_unlabelled']) < 1e-14, at + 'the parts of J'
    assert m['J'] <= m['J_balanced'] * (1 + 1e-14), at + 'J above J_balanced'
    # f: the objective of the problem in w, without the entropy term at T
    f = m['objective'] + (m['T'] / 2 * m['entropy'] if algo == 'mfa' else 0)
    if m['inner_gap'] is not None:
        assert 0 <= m['inner_gap'] <= 1e-6 * f * (1 + 1e-9), at + 'gap %g of %g' % (m['inner_gap'], f)
        assert abs(m['inner_gap'] - m['gradient'] ** 2 / (2 * 0.001)) <= 1e-9 * m['inner_gap'], at + 'gradient'
    level = m['T'] if algo == 'mfa' else m['lambda_now']
    if before and before[0] == level and m['inner_gap'] is not None:
        assert m['objective'] <= before[1] * (1 + 1e-13), at + 'the objective rose'
    if algo == 'tsvm' and s['iter'] > 1:
        assert m['flips'] == 2 * m['pairs'], at + 'flips'
        assert before[0] == level or m['pairs'] == 0, at + "lambda' rose while pairs were switched"
    before = (level, m['objective'])
assert steps[-1]['metrics']['J_best'] == min(J), 'J_best'
if algo == 'mfa':
    assert J[-1] == min(J), 'it ends at %.17g, the best was %.17g' % (J[-1], min(J))
PY
    say "$1" $? "$(tail -n 1 "$TMP/why")"
}

# flips NAME LINE STEPS: compares the rows that `info flips` lists after each step with the metric flips
flips() {
    {
        echo "$task; $2"
        for _ in $(seq "$3"); do echo 'step; info flips'; done
    } | tr ';' '\n' >"$TMP/flips.wlab"
    "$W" --json -b "$TMP/flips.wlab" >"$TMP/out" 2>"$TMP/err" </dev/null
    say "$1: steps" $? "$(tail -n 2 "$TMP/err")"
    python3 - "$TMP/out" "$3" <<'PY' >"$TMP/why" 2>&1
import json, sys
now, steps, changed = {}, 0, 0
for o in map(json.loads, open(sys.argv[1])):
    if o['type'] == 'step':
        metrics = o['metrics']
    if o['type'] != 'flips':
        continue
    steps += 1
    at = 'step %d: ' % steps
    rows = o['flips']
    first = all(f.get('from') in (None, 0, '-') for f in rows)
    assert len({f['row'] for f in rows}) == len(rows), at + 'a row twice'
    assert metrics['flips'] == (None if first and rows else len(rows)), at + 'not as many as the metric has'
    for f in rows:
        assert not f['labelled'] and f['from'] != f['to'] and f['from'] == now.get(f['row'], f['from']), at + str(f)
        now[f['row']] = f['to']
    if steps > 1:
        changed += len(rows)
        if 'pending' in metrics:
            up = sum(f['to'] == '1' for f in rows)
            assert up == len(rows) - up == metrics['pairs'], at + 'labels did not change in pairs'
assert steps == int(sys.argv[2]) and changed > 0, 'no flips'
PY
    say "$1" $? "$(tail -n 1 "$TMP/why")"
}

# replay NAME THREADS RECORDING
replay() {
    "$W" -j "$2" replay --check "$3" >"$TMP/log" 2>&1 </dev/null
    say "$1" $? "$(tail -n 3 "$TMP/log")"
}

"$W" --json -b -j 1 --record "$TMP/mfa.wlab" -e "$task; $mfa; continue" >"$TMP/mfa.json" 2>"$TMP/err" </dev/null
say 'mfa on pcmac' $? "$(tail -n 2 "$TMP/err")"
check_steps 'mfa: J, bounds, gaps and objectives of every step' mfa "$TMP/mfa.json"
replay 'mfa: its recording replays' 1 "$TMP/mfa.wlab"
replay 'mfa: with another number of threads' 2 "$TMP/mfa.wlab"
flips 'mfa: flips are label differences' "$mfa" 60

"$W" --json -b -j 2 --record "$TMP/tsvm.wlab" -e "$task; algo tsvm S=10 r=0.5; finish; step 3; back 2; continue" \
    >"$TMP/out" 2>"$TMP/err" </dev/null
say 'tsvm on pcmac' $? "$(tail -n 2 "$TMP/err")"
replay 'tsvm: a recording with two threads replays with one' 1 "$TMP/tsvm.wlab"
for S in 1 max; do
    "$W" --json -b -e "$task; algo tsvm S=$S r=0.5; continue" >"$TMP/tsvm.json" 2>"$TMP/err" </dev/null
    check_steps "tsvm S=$S: J, bounds, gaps and objectives of every step" tsvm "$TMP/tsvm.json"
done
flips 'tsvm: flips are the pairs' 'algo tsvm S=max r=0.5' 35

# the same bits with one thread, with two, and after going back
for j in 1 2; do
    "$W" --json -b -j $j -e "$task; $mfa polish=yes; continue; goto 40; continue" 2>&1 </dev/null |
        sed 's/"seconds":[^,}]*//' >"$TMP/threads$j"
done
cmp -s "$TMP/threads1" "$TMP/threads2" && [ -s "$TMP/threads1" ]
say 'mfa: one thread and two' $? "$(diff "$TMP/threads1" "$TMP/threads2" | head -n 2)"
