/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A rank above 0: it holds its rows of data and its parts of states, and does what rank 0 says.
 */
#ifndef RUN_SERVE_H
#define RUN_SERVE_H

#include "data/share.h"

/* Returns when rank 0 has dismissed the ranks (true), or when a message failed or memory was too short to obey (false): then
 * the job cannot go on. */
bool wlab_run_serve(wlab_ranks *, wlab_ctx *);

/* What one rank has of a data set and has done since it was loaded. */
typedef struct wlab_rank_report {
    char host[64];
    int64_t rows, stored;   /* entries: of dense rows all */
    double memory;          /* bytes of the process; 0: unknown */
    double seconds, waited; /* since then; those in which it waited for messages */
    int64_t messages, sent;
} wlab_rank_report;
/* Rank 0: the report of every rank, all [the number of ranks].  WL_EIO: the connection is lost. */
wlab_code wlab_run_report(const wlab_share *, wlab_rank_report *all, wlab_err *);

#endif
