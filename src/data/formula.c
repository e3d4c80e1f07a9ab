/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The law by which `generate formula` draws its data, and the error of the best classifier.
 */
#include "data/formula.h"
#include "base/progress.h"
#include <gsl/gsl_qrng.h>
#include <math.h>

void wlab_formula_destroy(wlab_formula *f)
{
    if (!f)
        return;
    wlab_expr_destroy(f->f);
    wlab_free(f);
}

double wlab_formula_value(const wlab_formula *f, const double *x)
{
    const double value = wlab_expr_value(f->f, x, NULL, NULL);
    return isfinite(value) ? value : NAN;
}

double wlab_formula_at(const wlab_dataset *data, int64_t row)
{
    return wlab_formula_value(data->formula, data->X->dense + data->X->start[row]);
}

double wlab_formula_positive(const wlab_formula *f, double value)
{
    return f->noise > 0 ? 1 / (1 + exp(-value / f->noise)) : value > 0;
}

double wlab_formula_error(const wlab_formula *f, double value)
{
    return f->noise > 0 ? 1 / (1 + exp(fabs(value) / f->noise)) : 0;
}

/* The mean error over one copy of the sequence; NaN: f has no value at any of its points. */
static double mean_error(const wlab_formula *f, gsl_qrng *points, int n, const double *shift)
{
    double u[WL_EXPR_COLUMNS], sum = 0;
    int64_t known = 0;

    gsl_qrng_init(points);
    for (int i = 0; i < n; i++) {
        gsl_qrng_get(points, u);
        for (int j = 0; j < f->columns; j++) {
            u[j] += shift[j];
            u[j] = f->low + (f->high - f->low) * (u[j] - floor(u[j]));
        }
        const double value = wlab_formula_value(f, u);
        if (!isnan(value)) {
            sum += wlab_formula_error(f, value);
            known++;
        }
    }
    return known ? sum / (double)known : NAN;
}

wlab_code wlab_formula_bayes(const wlab_formula *f, wlab_bayes *bayes, const wlab_ctx *ctx, wlab_err *err)
{
    enum {
        COPIES = 16,
        POINTS = 16384
    };
    double shift[WL_EXPR_COLUMNS], error[COPIES], sum = 0, squares = 0;
    /* gsl_qrng_alloc would end the program when memory runs out */
    const gsl_qrng_type *sobol = gsl_qrng_sobol;
    const unsigned columns = (unsigned)f->columns;
    gsl_qrng points = {sobol, columns, sobol->state_size(columns), NULL};
    wlab_code code = (points.state = wlab_alloc(1, points.state_size)) ? WL_OK : wlab_nomem(err);
    wlab_rng rng;

    wlab_rng_seed(&rng, 1);
    for (int k = 0; k < COPIES && !code; k++) {
        for (int j = 0; j < f->columns; j++)
            shift[j] = wlab_rng_uniform(&rng);
        error[k] = mean_error(f, &points, POINTS, shift);
        sum += error[k];
        if (wlab_interrupted(ctx))
            code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    }
    wlab_free(points.state);
    if (code)
        return code;
    bayes->error = sum / COPIES;
    for (int k = 0; k < COPIES; k++)
        squares += (error[k] - bayes->error) * (error[k] - bayes->error);
    bayes->deviation = sqrt(squares / (COPIES * (COPIES - 1)));
    return WL_OK;
}
