#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Computes a sweep in PARTS shards and merges them.  GNU parallel runs the shards; with its --sshlogin it can also use
# other machines.  Without GNU parallel, xargs runs them on this machine.
#
#   scripts/cluster/parallel.sh FILE DIR [PARTS [JOBS]]
#
# Whatever ends it, run it again: it computes only missing cells.  JOBS shards run at once, with one worker each.
set -eu
file=${1:?'usage: parallel.sh FILE DIR [PARTS [JOBS]]'}
dir=${2:?'usage: parallel.sh FILE DIR [PARTS [JOBS]]'}
parts=${3:-4}
jobs=${4:-$(nproc)}
export WEAKLAB=${WEAKLAB:-weaklab}

# {} is the number of the shard
part=("$WEAKLAB" sweep "$file" --out "$dir-parts/{}" --shard "{}/$parts" -j 1)
if command -v parallel >/dev/null; then
    seq "$parts" | parallel --will-cite --halt soon,fail=1 -j "$jobs" "${part[@]@Q}"
else
    seq "$parts" | xargs -P "$jobs" -I{} "${part[@]}"
fi
"$WEAKLAB" merge "$dir-parts"/* --out "$dir"
"$WEAKLAB" table "$dir"
