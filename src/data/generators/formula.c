/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * generate formula: rows in a box, labels by the sign of a formula, with noise that leaves a known Bayes error.
 */
#include "data/formula.h"
#include "base/progress.h"
#include "data/generators/generate.h"
#include <math.h>

static const wlab_param_info params[] = {
    {.name = "f",
     .type = WL_P_TEXT,
     .fallback = "x1^2+x2-1",
     .meaning = "the formula, in quotes if it has blanks: numbers, x1, x2, ... (the columns), + - * / ^ ( ), "
                "pi, sin, cos, exp, log, sqrt, abs, min, max; the boundary of the classes is f = 0"},
    WL_GEN_N("200"),
    {.name = "columns",
     .type = WL_P_INT,
     .lo = 1,
     .hi = WL_EXPR_COLUMNS,
     .unit = "columns",
     .meaning = "columns; without it as many as the formula names, at least 2"},
    {.name = "noise",
     .type = WL_P_REAL,
     .fallback = "0.2",
     .lo = 0,
     .hi = 1e6,
     .meaning = "P(+1) = 1 / (1 + exp(-f / noise)); 0: every label is the sign of f"},
    {.name = "low", .type = WL_P_REAL, .fallback = "-2", .meaning = "smallest value of a column"},
    {.name = "high", .type = WL_P_REAL, .fallback = "2", .meaning = "largest value of a column"},
    WL_GEN_SEED,
    {0},
};

static wlab_code read_formula(wlab_formula *f, const wlab_params *p, wlab_err *err)
{
    const char *text = wlab_params_text(p, "f");
    wlab_code code;

    f->low = wlab_params_real(p, "low");
    f->high = wlab_params_real(p, "high");
    f->noise = wlab_params_real(p, "noise");
    if (!(f->low < f->high))
        return wlab_fail(err, WL_EARG, "low=%s must be below high=%s", wlab_params_text(p, "low"),
                         wlab_params_text(p, "high"));
    if (wlab_params_given(p, "columns")) {
        f->columns = (int)wlab_params_int(p, "columns");
        return wlab_expr_create_formula(&f->f, text, f->columns, err);
    }
    if ((code = wlab_expr_create_formula(&f->f, text, WL_EXPR_COLUMNS, err)))
        return code;
    f->columns = 2;
    for (int j = 2; j < WL_EXPR_COLUMNS; j++)
        f->columns = wlab_expr_uses(f->f, j) ? j + 1 : f->columns;
    return WL_OK;
}

/* Draws the rows, and their labels.  A row at which the formula has no value is drawn again: *again counts these. */
static wlab_code draw(wlab_dataset *data, const wlab_formula *f, uint64_t seed, int64_t *again, wlab_ctx *ctx,
                      wlab_err *err)
{
    enum {
        MOST = 100 /* points drawn for each row on average */
    };
    const int64_t n = data->X->rows;
    wlab_rng rng;

    wlab_rng_seed(&rng, seed);
    for (int64_t i = 0; i < n;) {
        double *x = data->X->dense + i * f->columns;
        for (int j = 0; j < f->columns; j++)
            x[j] = f->low + (f->high - f->low) * wlab_rng_uniform(&rng);
        const double value = wlab_formula_value(f, x);
        if (isnan(value) && ++*again > MOST * n)
            return wlab_fail(err, WL_EARG,
                             "the formula %s has a value at only %lld of %lld points between low=%g and "
                             "high=%g (elsewhere it divides by 0, say): choose another box",
                             wlab_expr_text(f->f), (long long)i, (long long)(i + *again), f->low, f->high);
        if (wlab_interrupted(ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        if (!isnan(value))
            data->label[i++] = wlab_rng_uniform(&rng) < wlab_formula_positive(f, value);
    }
    return WL_OK;
}

static wlab_code make(wlab_dataset **made, const wlab_params *p, wlab_ctx *ctx, wlab_err *err)
{
    wlab_formula *f = wlab_calloc(1, sizeof *f);
    wlab_dataset *data = NULL;
    int64_t again = 0, positives = 0;
    wlab_code code = f ? read_formula(f, p, err) : wlab_nomem(err);

    code = code ? code : wlab_gen_dense(&data, wlab_params_int(p, "n"), f->columns, 2, err);
    if (code) {
        wlab_formula_destroy(f);
        return code;
    }
    data->formula = f;
    code = draw(data, f, (uint64_t)wlab_params_int(p, "seed"), &again, ctx, err);
    for (int64_t i = 0; i < data->X->rows; i++)
        positives += data->label[i] == 1;
    const bool alone = positives == 0 || positives == data->X->rows;
    static const char one[] = "all rows are of one class: choose another box or formula";
    if (!code && again)
        data->remark =
            wlab_format("the formula had no value at %lld point%s, drawn again%s%s", (long long)again,
                        again == 1 ? "" : "s", alone ? "; " : "", alone ? one : "");
    else if (!code && alone)
        data->remark = wlab_strdup(one);
    if (!code && (again || alone) && !data->remark)
        code = wlab_nomem(err);
    if (code)
        wlab_dataset_unref(data);
    else
        *made = data;
    return code;
}

const wlab_generator wlab_gen_formula = {
    .name = "formula",
    .summary =
        "rows uniform in a box, labels by the sign of a formula of yours with logistic noise: the best "
        "boundary (f = 0) and its error are known, and drawn and printed beside the learner's",
    .source = "a logistic model with a known discriminant; the Bayes error is the mean of min(p, 1 - p)",
    .params = params,
    .make = make,
};
