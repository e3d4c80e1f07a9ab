#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A sweep as a job array of Slurm: task I of the array's N tasks computes every N-th cell from the I-th on.
#
#   sbatch --array=1-16 scripts/cluster/slurm.sh FILE DIR     (numbers from 1; submit it again to continue)
#   weaklab merge DIR-parts/* --out DIR                       (when all tasks are done)
#   weaklab table DIR
#
#SBATCH --job-name=weaklab
#SBATCH --cpus-per-task=1
#SBATCH --time=04:00:00
#SBATCH --signal=B:TERM@120
#SBATCH --output=weaklab-%A-%a.log
set -eu
file=${1:?'usage: sbatch --array=1-N slurm.sh FILE DIR'}
dir=${2:?'usage: sbatch --array=1-N slurm.sh FILE DIR'}
i=${SLURM_ARRAY_TASK_ID:?'this is a task of a job array: sbatch --array=1-N ...'}
n=${SLURM_ARRAY_TASK_MAX:?}

# Two minutes before the time limit Slurm sends SIGTERM.  The sweep then abandons its running cells and ends; the next
# submission computes them again.  exec makes the signal reach the program instead of this shell.
exec "${WEAKLAB:-weaklab}" sweep "$file" --out "$dir-parts/$i" --shard "$i/$n" -j "${SLURM_CPUS_PER_TASK:-1}"
