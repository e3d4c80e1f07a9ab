/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One function for each class, and the candidates of each row.
 */
#include "algo/candidates/functions.h"

#include <math.h>
#include <string.h>

void wlab_functions_clear(functions *f)
{
    wlab_centred_destroy(f->rows);
    wlab_kernel_clear(&f->kernel);
    wlab_problem_unref(f->p);
    wlab_free(f->set);
    *f = (functions){0};
}

static wlab_code read_sets(functions *f, wlab_err *err)
{
    f->set = wlab_alloc((size_t)f->n, sizeof *f->set);
    if (!f->set)
        return wlab_nomem(err);
    for (int64_t i = 0; i < f->n; i++) {
        const uint64_t set = f->set[i] = wlab_problem_allowed(f->p, i) & f->all;
        f->told += set != f->all;
        f->ambiguous += set != f->all && (set & (set - 1)) != 0;
    }
    if (f->told == 0)
        return wlab_fail(
            err, WL_ESTATE,
            "every row may be of any class, so nothing says what a class is: give some rows fewer "
            "candidates, or their class");
    return WL_OK;
}

double wlab_functions_lambda(const functions *f, const wlab_params *given)
{
    return wlab_params_given(given, "lambda") ? wlab_params_real(given, "lambda") : 1 / (double)f->told;
}

double wlab_functions_setting(const wlab_problem *p, const wlab_params *given, const char *name)
{
    const uint64_t all = UINT64_MAX >> (64 - p->classes);
    int64_t told = 0;

    if (strcmp(name, "lambda") != 0 || wlab_params_given(given, "lambda"))
        return NAN;
    for (int64_t i = 0; i < p->n; i++)
        told += (wlab_problem_allowed(p, i) & all) != all;
    return told ? 1 / (double)told : NAN;
}

wlab_code wlab_functions_make(functions *f, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx,
                              wlab_err *err)
{
    wlab_code code;

    f->p = wlab_problem_ref(p);
    f->P = p->classes;
    f->n = p->n;
    f->all = UINT64_MAX >> (64 - p->classes);
    if ((code = read_sets(f, err)) || (code = wlab_kernel_choose(&f->kernel, given, p->X, ctx, err)))
        return code;
    if (f->kernel.kind != WL_K_LINEAR)
        if ((code = wlab_kernel_fits(f->n, WL_KERNEL_ROWS, "rows", "use fewer rows, or kernel=linear", err)))
            return code;
    if ((code = wlab_centred_make(&f->rows, p, &f->kernel, NULL, 0, false, ctx, err)))
        return code;
    f->dim = f->rows->dim;
    if (f->told < f->n)
        wlab_emit_note(ctx,
                       "%lld row%s may be of any class, which says nothing about the classes: %s left out",
                       (long long)(f->n - f->told), f->n - f->told == 1 ? "" : "s",
                       f->n - f->told == 1 ? "it is" : "they are");
    return WL_OK;
}

void wlab_functions_outputs(const functions *f, const double *W, double *o, wlab_pool *pool)
{
    for (int k = 0; k < f->P; k++)
        wlab_centred_outputs(f->rows, W + k * f->dim, o + k * f->n, pool);
}

int wlab_functions_largest(const functions *f, const double *o, int64_t i, uint64_t of)
{
    int best = -1;

    for (; of; of &= of - 1) {
        const int k = __builtin_ctzll(of);
        if (best < 0 || o[k * f->n + i] > o[best * f->n + i])
            best = k;
    }
    return best;
}

int64_t wlab_functions_labels(const functions *f, const double *o, int8_t *y)
{
    int64_t flips = 0;

    for (int64_t i = 0; i < f->n; i++) {
        const int8_t now = wlab_label_at(f->p, wlab_functions_largest(f, o, i, f->set[i]));
        flips += y[i] != now;
        y[i] = now;
    }
    return flips;
}

wlab_code wlab_functions_model(const functions *f, wlab_model **out, const double *W, wlab_pool *pool,
                               wlab_err *err)
{
    const wlab_centred *c = f->rows;
    const int64_t cols = c->X->cols;
    double b[WL_CLASSES_MOST] = {0};

    *out = NULL;
    if (c->f)
        return wlab_features_model(out, c->f, f->P, W, b, pool, err);
    double *w = wlab_alloc((size_t)(f->P * cols) + 1, sizeof *w);
    if (!w)
        return wlab_nomem(err);
    for (int k = 0; k < f->P; k++) {
        if (cols)
            memcpy(w + k * cols, W + k * f->dim, (size_t)cols * sizeof *w);
        b[k] = c->bias > 0 ? c->bias * W[k * f->dim + cols] : 0;
    }
    const wlab_code code = wlab_model_from_class_weights(out, f->p, w, b, err);
    wlab_free(w);
    return code;
}

wlab_code wlab_functions_scores(const functions *f, const double *o, wlab_probed *out, wlab_err *err)
{
    if (wlab_probed_make(out, f->n, f->P, err))
        return WL_ENOMEM;
    for (int64_t i = 0; i < f->n; i++)
        for (int k = 0; k < f->P; k++)
            out->value[i * f->P + k] = o[k * f->n + i];
    return WL_OK;
}
