# SPDX-License-Identifier: GPL-3.0-or-later
#
# Functions of the session scripts about sweeps.  Sourced.
. tests/waits.sh
say() { # NAME STATUS [WHY]
    if [ "$2" -eq 0 ]; then echo "ok $1"; else echo "not ok $1: ${3:-}"; fi
}
# rows DIR: the values of a store that must be the same for any number of workers
rows() {
    sqlite3 "$1/results.sqlite" "SELECT number, data, setting, method, seed, fold, status, error, parameters, verdict, iter,
        json_remove(scores, '\$.seconds'), tuning, digest FROM plan LEFT JOIN cell USING (key) ORDER BY number"
}
# workers: prints the process numbers of the workers that this test started.  SWEEP_TEST in the environment
# distinguishes them from the workers of other tests.
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
# cells DIR: prints how many cells of the store are done; at_least_done DIR N: succeeds if at least N are
cells() { sqlite3 "$1/results.sqlite" "SELECT count(*) FROM cell WHERE status = 'done'" 2>/dev/null || echo 0; }
at_least_done() { [ "$(cells "$1")" -ge "$2" ]; }
# hold: sends SIGSTOP to the workers, so that none of them finishes its cell until `release`
hold() { kill -STOP $(workers); }
release() { kill -CONT $(workers); }
the_sweep() { echo -p $p --ppid $p; }
