/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Results on disk: DIR/results.sqlite, with one row per cell.  Rows are written in transactions, so that a kill at any
 * moment loses only the cells in progress.  A row is found by its cell's key, so that a changed experiment finds the
 * results that it has in common with the earlier one.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "study/experiment/result.h"

typedef struct wlab_store wlab_store;

/* Open DIR's store.  DIR may also be a file NAME.cells, if it is only read; its results have no sessions, no tuning and
 * no digests.  write: creates DIR and the store if they are missing, and excludes other writers (WL_ESTATE
 * "another sweep works on ...").  Otherwise WL_EIO if there is no store.  WL_EINPUT: the file is damaged, of another
 * program or of another format; nothing changed.  ctx (may be NULL) must live as long as the store.  If another
 * program's transaction holds the file, a call of the store's functions reports this to ctx after about a second.  An
 * interrupt of ctx ends the wait, and any other call: WL_EINTERRUPTED, nothing changed. */
wlab_code wlab_store_open(wlab_store **, const char *dir, bool write, wlab_ctx *ctx, wlab_err *);
void wlab_store_close(wlab_store *); /* may be NULL */
/* From now on an interrupt ends only a wait for another program's transaction, and only if it comes during the wait.
 * So a sweep that was interrupted can still store the results of its running cells. */
void wlab_store_keep_writing(wlab_store *);

/* changed[e->ndata]: the earlier plan had a data set of this name with other data. */
wlab_code wlab_store_changed(const wlab_store *, const wlab_experiment *e, bool *changed, wlab_err *);
/* Make `e` (checked) the plan: store its text, path, names and the numbers of its cells.  Rows that it does not need
 * are kept, without a number.  *kept: the number of rows that it needs.  WL_EARG, nothing changed: there are rows but
 * it needs none of them (it is another experiment's folder), unless `anew`, or the earlier plan had one of its methods,
 * with one of its settings, on a data set whose data have changed. */
wlab_code wlab_store_plan(wlab_store *, const wlab_experiment *e, bool anew, int64_t *kept, wlab_err *);
/* The experiment of the plan as it was planned: names, settings, methods, published numbers, reports, cells with keys.
 * Its data need not exist any more (sha256 is read from the store). */
wlab_code wlab_store_experiment(const wlab_store *, wlab_experiment **, wlab_err *);
/* The result of cell `number` of the plan; *found = false: it has none. */
wlab_code wlab_store_get(const wlab_store *, int64_t number, bool *found, wlab_result *, wlab_err *);
/* Whether the parameters of cell `number`, whose method was tuned, were chosen with true labels; unchanged if the cell has
 * no result.  It is the same for all tuned cells of an experiment. */
wlab_code wlab_store_oracle(const wlab_store *, int64_t number, bool *oracle, wlab_err *);
/* state[cells]: 0 missing, 1 done, 2 failed. */
wlab_code wlab_store_states(const wlab_store *, uint8_t *state, int64_t cells, wlab_err *);
/* How many cells the plan has, and how many of them are done and failed. */
wlab_code wlab_store_count(const wlab_store *, int64_t *cells, int64_t *done, int64_t *failed, wlab_err *);
/* Store a result, in one transaction; replaces a failed row.  WL_EARG: the plan has no such cell, or one of other data.
 * WL_EDIFFERS: the cell is done already, and the new result has another digest or failed; the row is unchanged. */
wlab_code wlab_store_put(wlab_store *, const wlab_result *, wlab_err *);
/* Call `each` for all results of the plan in order, up to the first code that is not WL_OK.  Their tuning and session
 * are NULL. */
wlab_code wlab_store_each(const wlab_store *, wlab_code (*each)(void *self, const wlab_result *, wlab_err *),
                          void *self, wlab_err *);
/* Call `each` for the cells, in order, that chose among candidates of which some could not be trained; why: the error
 * of the first of these. */
wlab_code wlab_store_untrained(const wlab_store *,
                               wlab_code (*each)(void *self, int64_t number, const char *why, wlab_err *),
                               void *self, wlab_err *);
/* Copy the rows of `from` that are missing here, and done rows in place of failed ones; also the plan, if there is none
 * here.  *added: the number of rows copied; *same: the number of the other rows of `from`.  WL_EARG: `from` has another
 * plan.  WL_EDIFFERS, nothing changed: a cell is done in both with different digests. */
wlab_code wlab_store_merge(wlab_store *, const wlab_store *from, int64_t *added, int64_t *same, wlab_err *);
/* Append the results as the text of a file NAME.cells.  scores: "A,B", the scores of `eval` and metrics that it has;
 * NULL: all. */
wlab_code wlab_archive_write(const wlab_store *, const char *scores, wlab_buf *out, wlab_err *);

#endif
