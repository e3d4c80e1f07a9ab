/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Data of which every rank has some rows.  The session, on rank 0, holds a data set with all labels, whose matrix is `away`;
 * a share is this rank's rows.
 */
#ifndef DATA_SHARE_H
#define DATA_SHARE_H

#include "base/rows.h"
#include "weaklab/dataset.h"

extern const char *const wlab_ranks_names[]; /* "one", "all", NULL */
#define WL_RANKS_PARAM                                                                                       \
    {                                                                                                        \
        .name = "ranks", .type = WL_P_CHOICE, .fallback = "one", .choices = wlab_ranks_names,                \
        .meaning = "all: every rank keeps a share of the rows; for data that are larger than the memory of " \
                   "one machine (docs/scale.md)"                                                             \
    }

typedef struct wlab_share {
    int64_t number;   /* by which the other ranks know the data */
    wlab_matrix *own; /* this rank's rows; own->parts is set */
    wlab_ranks *ranks;
    /* when it was made: the clock, and of the rank's counters the state */
    double made, waited;
    int64_t messages, sent;
} wlab_share;

/* As wlab_dataset_load and wlab_dataset_generate, with the rows on all of ctx->ranks: (*out)->share is set.  ranks NULL:
 * all rows are here, and all else is the same. */
wlab_code wlab_share_load(wlab_dataset **out, const char *path, const char *name, const wlab_params *options,
                          wlab_ctx *, wlab_err *);
wlab_code wlab_share_generate(wlab_dataset **out, const wlab_generator *, const char *name,
                              const wlab_params *, wlab_ctx *, wlab_err *);
/* Rank 0: the other ranks drop their rows, too.  NULL is fine. */
void wlab_share_destroy(wlab_share *);
/* How the rows lie, for messages: "2 of 4 ranks"; returns buf. */
const char *wlab_share_text(const wlab_share *, char buf[48]);
/* WL_OK if the values of all rows are here; else WL_ESTATE: `what`, "the view gram", needs them. */
wlab_code wlab_share_refuse(const wlab_dataset *, const char *what, wlab_err *);

/* ---- on the other ranks ---- */
typedef struct wlab_shares {
    wlab_share *share;
    int n;
} wlab_shares;
extern const wlab_remote wlab_share_remotes[]; /* of wlab_shares: "load", "generate" and "drop" */
const wlab_share *wlab_shares_find(const wlab_shares *, int64_t number); /* or NULL */
void wlab_shares_clear(wlab_shares *);

#endif
