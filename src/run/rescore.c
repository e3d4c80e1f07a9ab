/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which scores by hidden labels a run computes, and those of the steps that it has made already.
 */
#include "run/history.h"
#include <math.h>
#include <string.h>

/* What replaces the run's fields when the sets change. */
typedef struct layout {
    const wlab_algo *algo;
    wlab_hidden_scores hidden;
    int metrics; /* in the new algorithm's table */
    const char **names;
    double *scratch;
    double **metric; /* [iter + 1] of the rows of the trace */
} layout;

static void clear_layout(layout *l, int64_t rows)
{
    for (int64_t i = 0; l->metric && i < rows; i++)
        wlab_free(l->metric[i]);
    wlab_free(l->metric);
    wlab_free(l->names);
    wlab_free(l->scratch);
    wlab_hidden_clear(&l->hidden);
}

/* Fill one row: the algorithm's metrics, and the value of each set that the run had on the same rows. */
static void fill_row(const wlab_run *r, const layout *l, const wlab_trace_row *row, double *metric)
{
    const bool same_test = l->hidden.n_test == r->hidden.n_test &&
                           (l->hidden.n_test == 0 || memcmp(l->hidden.test, r->hidden.test,
                                                            (size_t)l->hidden.n_test * sizeof(int32_t)) == 0);

    memcpy(metric, row->metric, (size_t)r->nown * sizeof *metric);
    for (int i = r->nown; i < l->metrics; i++) {
        const int was = wlab_metric_index(r->algo, l->algo->metrics[i].name);
        metric[i] = was >= 0 && same_test ? row->metric[was] : (double)NAN;
    }
}

static wlab_code make_layout(layout *l, const wlab_run *r, unsigned sets, const int32_t *test, int64_t n_test,
                             wlab_err *err)
{
    const int64_t rows = r->iter + 1;
    wlab_code code = wlab_hidden_collect(&l->hidden, r->problem, sets, test, n_test, err);

    if (code)
        return code;
    if (!(l->algo = wlab_hidden_algo(r->own, r->problem, sets, !l->hidden.bags.test)))
        return wlab_nomem(err);
    l->metrics = wlab_metric_count(l->algo);
    l->names = wlab_alloc((size_t)l->metrics + 2, sizeof *l->names);
    l->scratch = wlab_calloc(2 * ((size_t)l->metrics + 2), sizeof *l->scratch);
    l->metric = wlab_calloc((size_t)rows, sizeof *l->metric);
    if (!l->names || !l->scratch || !l->metric)
        return wlab_nomem(err);
    l->names[0] = r->names[0];
    l->names[1] = r->names[1];
    for (int i = 0; i < l->metrics; i++)
        l->names[i + 2] = l->algo->metrics[i].name;
    for (int64_t i = 0; i < rows; i++) {
        if (!(l->metric[i] = wlab_alloc((size_t)l->metrics, sizeof(double))))
            return wlab_nomem(err);
        fill_row(r, l, &r->row[i], l->metric[i]);
    }
    return WL_OK;
}

static void install_layout(wlab_run *r, layout *l)
{
    const wlab_hidden_scores old = r->hidden;

    for (int64_t i = 0; i <= r->iter; i++) {
        double *metric = r->row[i].metric;
        r->row[i].metric = l->metric[i];
        l->metric[i] = metric;
    }
    wlab_free(r->names);
    wlab_free(r->scratch);
    r->spare = wlab_free(r->spare); /* the next step allocates it with the new length */
    r->algo = l->algo;
    r->nmetrics = l->metrics;
    r->names = l->names;
    r->scratch = l->scratch;
    r->hidden = l->hidden;
    l->hidden = old;
    l->names = NULL;
    l->scratch = NULL;
}

wlab_code wlab_run_hide(wlab_run *r, unsigned sets, const int32_t *test, int64_t n_test, wlab_err *err)
{
    layout l = {0};
    wlab_code code = make_layout(&l, r, sets, test, n_test, err);

    if (!code)
        install_layout(r, &l);
    clear_layout(&l, r->iter + 1);
    return code;
}

static bool is_complete(const layout *l, const wlab_run *r, int64_t iter)
{
    for (int i = r->nown; i < l->metrics; i++)
        if (isnan(l->metric[iter][i]))
            return false;
    return true;
}

/* Score the earlier steps of which there is a snapshot. */
static wlab_code score_past(layout *l, const wlab_run *r, wlab_ctx *ctx, wlab_err *err)
{
    void *state = NULL;
    wlab_params *params = NULL;
    int changes = -1;
    wlab_code code = WL_OK;

    for (int k = 0; k < r->history.count && !code; k++) {
        const wlab_past *past = &r->history.past[k];
        if (past->iter > r->iter || past->inner != r->row[past->iter].inner || is_complete(l, r, past->iter))
            continue;
        if (changes != past->changes) {
            if (state)
                r->own->destroy(state);
            wlab_params_destroy(params);
            state = NULL;
            params = NULL;
            changes = past->changes;
            code = wlab_past_create(r, changes, &state, &params, ctx, err);
        }
        if (!code)
            code = wlab_past_restore(r, state, past, ctx, err);
        if (!code)
            code = wlab_hidden_compute(&l->hidden, r->problem, r->own, state, l->metric[past->iter] + r->nown,
                                       ctx, err);
    }
    if (state)
        r->own->destroy(state);
    wlab_params_destroy(params);
    return code;
}

wlab_code wlab_run_score(wlab_run *r, unsigned sets, const int32_t *test, int64_t n_test, wlab_ctx *ctx,
                         wlab_err *err)
{
    layout l = {0};
    wlab_relay quiet;
    wlab_code code;

    wlab_relay_open(&quiet, r, ctx, true);
    code = make_layout(&l, r, sets, test, n_test, err);
    if (!code && sets)
        code = score_past(&l, r, &quiet.ctx, err);
    if (!code && sets && r->half == 0 && !is_complete(&l, r, r->iter))
        code = wlab_hidden_compute(&l.hidden, r->problem, r->own, r->state, l.metric[r->iter] + r->nown,
                                   &quiet.ctx, err);
    if (!code)
        install_layout(r, &l);
    clear_layout(&l, r->iter + 1);
    return code;
}

int64_t wlab_run_scored_rows(const wlab_run *r, wlab_hidden set, const int32_t **row)
{
    const wlab_hidden_scores *h = &r->hidden;
    const wlab_hidden_rows *of = set == WL_HIDDEN_TEST ? &h->held_out : &h->unlabeled;
    const bool bags = set == WL_HIDDEN_BAGS;

    if (!(h->sets & set))
        return 0;
    if (row)
        *row = bags ? h->bags.row : of->row;
    return bags ? h->bags.n : of->n;
}

unsigned wlab_run_scored(const wlab_run *r)
{
    return r->hidden.sets;
}
