/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tables of an experiment: one table per setting, data sets by methods, with means, deviations, ranks and tests.
 */
#ifndef TABLE_TABLE_H
#define TABLE_TABLE_H

#include "study/store/store.h"

/* Settings of `table`: score (accuracy), methods, rows (data, settings), best (auto, high, low), against (method;
 * none), test (auto, paired, corrected), level (0.05), spread (folds, repetitions), ranks (yes), digits (3), published (yes), posthoc (nemenyi, holm,
 * none), format (text, markdown, latex, csv, json). */
extern const wlab_param_info wlab_table_params[];
/* Settings of `curve`: data, methods, bars (in the order of wlab_bar), log, logx, published. */
extern const wlab_param_info wlab_curve_params[];
bool wlab_score_lower(const char *score);     /* a smaller score is better */
bool wlab_score_published(const char *score); /* published numbers are shown beside it: accuracy, error */
/* Which of the experiment's methods a list "A,B" names (NULL: all): chosen[nmethods].  WL_EARG: a name is unknown; the
 * message gives the nearest one. */
wlab_code wlab_methods_choose(const wlab_experiment *, const char *list, bool *chosen, wlab_err *);

/* The values behind tables and curves: value[setting][data][method][replicate], NaN: missing or failed.  A replicate
 * is a repetition, or one fold of it; the same replicate has the same split for every method. */
typedef struct wlab_values {
    wlab_experiment *e; /* owned */
    int64_t replicates;
    double *value;                  /* see wlab_values_at */
    int64_t missing, failed, empty; /* numbers of cells; empty: computed, but without a value of this score */
    /* "heart, WellSVM: 2 failed: why", one line per cell of the table with failures; or NULL */
    char *failure;
    char *untrained; /* "WellSVM: some candidates could not be trained: why", one line per method; or NULL */
    int builds;      /* how many different programs, by version and build, computed the cells */
    bool oracle;     /* parameters were chosen with true labels */
    bool transposed; /* by wlab_values_transpose */
    bool *drawn;     /* [data sets of the experiment] each repetition draws another sample; NULL: none does */
} wlab_values;
/* The scores of every cell besides those in its result: seconds, tuning_seconds, iter; NULL-terminated. */
extern const char *const wlab_cell_scores[];
/* score: a name in the results' scores, or seconds, tuning_seconds, iter, or error, which is 1 - accuracy (also
 * unlabeled_error etc.; the published accuracies become errors too).  methods: as in wlab_methods_choose; e then has
 * only these.  WL_EARG: no result has the score; the message gives the nearest name. */
wlab_code wlab_values_read(wlab_values *, const wlab_store *, const char *score, const char *methods,
                           wlab_err *);
/* Exchange the settings and the data sets of v->e and its values: one table per data set, with one row per setting. */
wlab_code wlab_values_transpose(wlab_values *v, wlab_err *);
void wlab_values_clear(wlab_values *);
double *wlab_values_at(const wlab_values *, int setting, int data, int method); /* [replicates] */

/* Append the report of the store to `out`, in the format that `options` give: a table for each `table` line of the
 * experiment (one table if there is no such line), of equal tables only one.  Settings given in `options` replace those
 * of the lines.  A table whose score no result has is left out, with a line in `skipped`; if all are, WL_EARG. */
wlab_code wlab_table_write(const wlab_store *, const wlab_params *options, wlab_buf *out, wlab_buf *skipped,
                           wlab_err *);
/* Warn of the tables in `skipped`. */
void wlab_table_warn_skipped(wlab_session *, const wlab_buf *skipped);
/* The same as {"type":"table","title","tables":[...]}. */
wlab_code wlab_table_json(const wlab_store *, const wlab_params *options, json_t **, wlab_buf *skipped,
                          wlab_err *);

#endif
