/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Algorithms on data whose rows are on several ranks.  A run, on rank 0, holds an algorithm that is derived from another
 * (wlab_away): each of its hooks lets all ranks call the hook of the original, each on the problem of its own rows.  The
 * original has `ranks` set: its sums over rows are those of base/rows.h, so it computes the same numbers on every rank, and
 * the same bits on any number of them.  What it displays (metrics, explanations, the model) rank 0 has of its own; only the
 * labels have to be fetched.
 */
#ifndef ALGO_AWAY_H
#define ALGO_AWAY_H

#include "base/ranks.h"
#include "weaklab/algo.h"

/* The algorithm for a problem whose data are away; NULL: no memory.  WL_ESTATE if `algo` needs all rows in one process, or
 * ranks cannot share the problem. */
wlab_code wlab_away(const wlab_algo **out, const wlab_algo *algo, const wlab_problem *, wlab_err *);

/* ---- on the other ranks ---- */
struct wlab_shares;
/* States, and the parts of snapshots of states that this rank holds. */
typedef struct wlab_states wlab_states;
wlab_states *wlab_states_create(const struct wlab_shares *); /* NULL: no memory.  Borrows the data. */
void wlab_states_destroy(wlab_states *);
/* Of wlab_states: "create", "advance", "set", "save", "restore", "count" and "destroy". */
extern const wlab_remote wlab_away_remotes[];

#endif
