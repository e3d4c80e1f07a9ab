#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A sweep in N parts by GNU parallel, which can hand them to other machines too (its --sshlogin), and the parts merged.
# Without GNU parallel xargs does it on this machine.
#
#   scripts/cluster/parallel.sh FILE DIR [PARTS [JOBS]]
#
# Run it again after whatever ended it: only what is missing is computed.  JOBS parts run at once, one worker each.
set -eu
file=${1:?'usage: parallel.sh FILE DIR [PARTS [JOBS]]'}
dir=${2:?'usage: parallel.sh FILE DIR [PARTS [JOBS]]'}
parts=${3:-4}
jobs=${4:-$(nproc)}
export WEAKLAB=${WEAKLAB:-weaklab}

# {} is the number of the part
part=("$WEAKLAB" sweep "$file" --out "$dir-parts/{}" --shard "{}/$parts" -j 1)
if command -v parallel >/dev/null; then
    seq "$parts" | parallel --will-cite --halt soon,fail=1 -j "$jobs" "${part[@]@Q}"
else
    seq "$parts" | xargs -P "$jobs" -I{} "${part[@]}"
fi
"$WEAKLAB" merge "$dir-parts"/* --out "$dir"
"$WEAKLAB" table "$dir"
