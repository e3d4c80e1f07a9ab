/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tables of an experiment: methods by data sets, a table a setting, with means, deviations, ranks and tests.
 */
#ifndef TABLE_TABLE_H
#define TABLE_TABLE_H

#include "study/store/store.h"

/* Settings of `table`: score (accuracy), methods, rows (data, settings), best (auto, high, low), against (method; none),
 * test (paired, corrected), level (0.05), ranks (yes), digits (3), published (yes), posthoc (nemenyi, holm, none), format
 * (text, markdown, latex, csv, json). */
extern const wlab_param_info wlab_table_params[];
/* Of `curve`: data, methods, bars (in the order of wlab_bar), log, published. */
extern const wlab_param_info wlab_curve_params[];
bool wlab_score_lower(const char *score);     /* smaller is better */
bool wlab_score_published(const char *score); /* published numbers stand beside it: accuracy, error */
/* Which of the experiment's methods a list "A,B" names: chosen[nmethods]; NULL: all.  WL_EARG with the nearest name. */
wlab_code wlab_methods_choose(const wlab_experiment *, const char *list, bool *chosen, wlab_err *);

/* The values behind tables and curves: value[setting][data][method][replicate], NaN: missing or failed.  A replicate
 * is a repetition, or one fold of it; the same replicate has the same split for every method. */
typedef struct wlab_values {
    wlab_experiment *e; /* owned */
    int64_t replicates;
    double *value;                  /* index by wlab_values_at */
    int64_t missing, failed, empty; /* cells; empty: computed, but without a value of this score */
    char *
        failure; /* "heart, WellSVM: 2 failed: why", a line each cell of the table that has failures; or NULL */
    char *untrained; /* "WellSVM: some candidates could not be trained: why", a line a method; or NULL */
    int builds;      /* programs, by version and build, that computed the cells */
    bool oracle;     /* parameters were chosen with true labels */
    bool turned;     /* wlab_values_turn */
} wlab_values;
/* What a cell has besides the scores in its result: seconds, tuning_seconds, iter; NULL-terminated. */
extern const char *const wlab_cell_scores[];
/* score: a name in the results' scores, or seconds, tuning_seconds, iter, or error, which is 1 - accuracy (and
 * unlabeled_error, ...: the published accuracies become errors too).  WL_EARG with the nearest name when no result has
 * it.  methods: as in wlab_methods_choose; e then has these alone. */
wlab_code wlab_values_read(wlab_values *, const wlab_store *, const char *score, const char *methods,
                           wlab_err *);
/* Settings become data sets of *e, and data sets its settings: a table a data set, with a row a setting. */
wlab_code wlab_values_turn(wlab_values *, wlab_err *);
void wlab_values_clear(wlab_values *);
double *wlab_values_at(const wlab_values *, int setting, int data, int method); /* [replicates] */

/* The report of the store as text in the format that `options` name, appended to `out`: a table for each `table` line of
 * the experiment (one where there are none) with what `options` were given by hand in place of what the line says; equal
 * ones once.  A table whose score no result has is left out, with a line in `lacks`; where all are, that is the error. */
wlab_code wlab_table_write(const wlab_store *, const wlab_params *options, wlab_buf *out, wlab_buf *lacks,
                           wlab_err *);
/* Tell what `lacks` says. */
void wlab_table_lacks(wlab_session *, const wlab_buf *lacks);
/* The same as {"type":"table","title","tables":[...]}. */
wlab_code wlab_table_json(const wlab_store *, const wlab_params *options, json_t **, wlab_buf *lacks,
                          wlab_err *);

#endif
