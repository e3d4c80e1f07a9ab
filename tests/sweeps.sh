# SPDX-License-Identifier: GPL-3.0-or-later
#
# What the session scripts about sweeps share; sourced.
say() { # NAME STATUS [WHY]
    if [ "$2" -eq 0 ]; then echo "ok $1"; else echo "not ok $1: ${3:-}"; fi
}
# what of a store must be the same however it was made
rows() {
    sqlite3 "$1/results.sqlite" "SELECT number, data, setting, method, seed, fold, status, error, parameters, verdict, iter,
        json_remove(scores, '\$.seconds'), tuning, digest FROM plan LEFT JOIN cell USING (key) ORDER BY number"
}
# workers that are still there; a marker in the environment tells ours from others
export SWEEP_TEST=$$-$RANDOM
orphans() {
    local p n=0
    for p in /proc/[0-9]*; do
        if { tr '\0' '\n' <"$p/cmdline" | grep -qx -- --worker &&
            tr '\0' '\n' <"$p/environ" | grep -qx "SWEEP_TEST=$SWEEP_TEST"; } 2>/dev/null; then
            n=$((n + 1))
            echo "${p#/proc/}" >>"$TMP/workers"
        fi
    done
    echo $n
}
none_left() { # NAME: no worker outlives its scheduler
    local i n=1
    for i in $(seq 50); do
        n=$(orphans)
        [ "$n" -eq 0 ] && break
        sleep 0.1
    done
    say "$1" "$n" "$n workers are left"
}
