#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Objectives and bounds against cvxopt and SciPy.
# not under sanitizers: it is about numbers
set -u
python=/usr/bin/python3
if ! $python -c 'import cvxopt, scipy' 2>/dev/null; then
    echo 'skipped oracles: cvxopt and SciPy for Python: not here'
    exit 0
fi
OPENBLAS_NUM_THREADS=1 $python tests/oracles.py "$WEAKLAB" "$TMP"
