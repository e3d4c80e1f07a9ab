/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A rank above 0: it holds its rows of data and its parts of states, and does what rank 0 says.
 */
#ifndef RUN_SERVE_H
#define RUN_SERVE_H

#include "base/ranks.h"

/* Returns when rank 0 has dismissed the ranks (true), or when a message failed or memory was too short to obey (false): then
 * the job cannot go on. */
bool wlab_run_serve(wlab_ranks *, wlab_ctx *);

#endif
