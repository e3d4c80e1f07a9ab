# SPDX-License-Identifier: GPL-3.0-or-later
#
# What the session scripts about sweeps share; sourced.
. tests/waits.sh
say() { # NAME STATUS [WHY]
    if [ "$2" -eq 0 ]; then echo "ok $1"; else echo "not ok $1: ${3:-}"; fi
}
# what of a store must be the same however it was made
rows() {
    sqlite3 "$1/results.sqlite" "SELECT number, data, setting, method, seed, fold, status, error, parameters, verdict, iter,
        json_remove(scores, '\$.seconds'), tuning, digest FROM plan LEFT JOIN cell USING (key) ORDER BY number"
}
# workers that are there; a marker in the environment tells ours from others
export SWEEP_TEST=$$-$RANDOM
workers() {
    local p
    for p in $(pgrep -f -- ' --worker$'); do
        ! grep -qzx "SWEEP_TEST=$SWEEP_TEST" "/proc/$p/environ" 2>/dev/null || echo "$p"
    done
}
the_workers() { echo -p $$ $(workers | sed 's/^/-p /'); }
no_worker() { [ -z "$(workers)" ]; }
none_left() { # NAME: no worker outlives its scheduler
    until_so the_workers no_worker
    say "$1" $? "these workers are left: $(workers)"
}
# cells DIR [STATUS]: rows of the store; done_is DIR N: at least so many cells are done
cells() { sqlite3 "$1/results.sqlite" "SELECT count(*) FROM cell WHERE status = 'done'" 2>/dev/null || echo 0; }
done_is() { [ "$(cells "$1")" -ge "$2" ]; }
# hold: the cells in hand are not finished before release, or the end of the workers
hold() { kill -STOP $(workers); }
release() { kill -CONT $(workers); }
the_sweep() { echo -p $p --ppid $p; }
