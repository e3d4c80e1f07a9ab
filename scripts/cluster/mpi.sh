#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A sweep as one MPI job (Open MPI): rank 0 hands out the cells and keeps the results, the other ranks compute.
#
#   scripts/cluster/mpi.sh FILE DIR [RANKS]                   on this machine
#   sbatch --ntasks=64 scripts/cluster/mpi.sh FILE DIR        under Slurm, which gives mpirun the machines
#
# Rank 0 must be able to write to DIR; FILE and its data must have the same paths on all machines.  Whatever ends the
# job, start it again to continue.  Rank 0 mostly waits, so use one rank more than there are processors.
#
#SBATCH --job-name=weaklab
#SBATCH --time=04:00:00
set -eu
file=${1:?'usage: mpi.sh FILE DIR [RANKS]'}
dir=${2:?'usage: mpi.sh FILE DIR [RANKS]'}
ranks=()
[ -z "${3:-}" ] || ranks=(-n "$3" --oversubscribe)
[ "$(id -u)" -ne 0 ] || ranks+=(--allow-run-as-root) # in a container

exec mpirun "${ranks[@]}" "${WEAKLAB:-weaklab}" sweep "$file" --out "$dir"
