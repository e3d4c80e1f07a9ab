/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Results on disk: DIR/results.sqlite, one row a cell, written in transactions, so that a kill at any moment loses
 * only the cells in progress.  Rows are found by the cell's key: a changed experiment finds again what it shares with
 * the one before.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "study/experiment/result.h"

typedef struct wlab_store wlab_store;

/* Open DIR's store; write: DIR and the store are made where missing, and nobody else may write meanwhile (WL_ESTATE
 * "another sweep works on ..."); else WL_EIO when there is none.  Damaged or newer files: WL_EINPUT, nothing changed.
 * ctx (NULL: nobody) must live as long as the store.  When another program's transaction holds the file, a call with the
 * store says so to ctx after about a second.  An interrupt of ctx ends the wait, and every other call: WL_EINTERRUPTED,
 * nothing changed. */
wlab_code wlab_store_open(wlab_store **, const char *dir, bool write, wlab_ctx *ctx, wlab_err *);
void wlab_store_close(wlab_store *); /* NULL is fine */
/* From now on an interrupt that came before a call does not end it: a sweep that was told to stop keeps what the cells in
 * hand give. */
void wlab_store_keep_on(wlab_store *);

/* changed[e->ndata]: the data set was planned with other data before, under the same name. */
wlab_code wlab_store_changed(const wlab_store *, const wlab_experiment *e, bool *changed, wlab_err *);
/* Make `e` (checked) the plan: its text, path, names and cells' numbers go in, rows that it does not need stay but have
 * no number.  *kept: rows that it finds again.  WL_EARG, nothing changed: there are rows and it shares none of them
 * (another experiment's folder), unless `anew`, or the same experiment on data that changed. */
wlab_code wlab_store_plan(wlab_store *, const wlab_experiment *e, bool anew, int64_t *kept, wlab_err *);
/* The experiment of the plan as it was when planned: names, settings, methods, published numbers, reports, cells with
 * keys; its data need not be there any more (sha256 filled from the store). */
wlab_code wlab_store_experiment(const wlab_store *, wlab_experiment **, wlab_err *);
/* What is known of cell `number` of the plan: *found = false when it was not computed. */
wlab_code wlab_store_get(const wlab_store *, int64_t number, bool *found, wlab_result *, wlab_err *);
/* state[cells]: 0 missing, 1 done, 2 failed. */
wlab_code wlab_store_states(const wlab_store *, uint8_t *state, int64_t cells, wlab_err *);
/* How many cells the plan has, and how many of them are done and failed. */
wlab_code wlab_store_count(const wlab_store *, int64_t *cells, int64_t *done, int64_t *failed, wlab_err *);
/* One transaction; replaces a failed row.  WL_EARG: no cell of the plan, or one of other data.  A done row with another digest stays, WL_EDIFFERS. */
wlab_code wlab_store_put(wlab_store *, const wlab_result *, wlab_err *);
/* All results of the plan in order; stops at the first code that is not WL_OK.  Scores, times and parameters are
 * filled, tuning and session left NULL. */
wlab_code wlab_store_each(const wlab_store *, wlab_code (*each)(void *self, const wlab_result *, wlab_err *),
                          void *self, wlab_err *);
/* The cells, in order, that chose parameters where some could not be trained, and why the first of these could not. */
wlab_code wlab_store_untrained(const wlab_store *,
                               wlab_code (*each)(void *self, int64_t number, const char *why, wlab_err *),
                               void *self, wlab_err *);
/* Take over the rows of `from` (same plan, WL_EARG otherwise; a store without one takes its plan too) that are not
 * there, and done ones in place of failed ones; *added: these, *same: the rest of its rows.  A row that is done in both
 * with other digests: WL_EDIFFERS, nothing changed. */
wlab_code wlab_store_merge(wlab_store *, const wlab_store *from, int64_t *added, int64_t *same, wlab_err *);

#endif
