/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The effective loss of an unlabelled row at a temperature: its part of Eq. 8 with the best p inserted.
 */
#include "algo/svmlin/transductive.h"
#include <math.h>
#include <string.h>

/* With a = V+ - h and b = V- + h, h = nu2 / (2 lambda_u), tau = T / lambda_u, the minimum over p of
 * p a + (1 - p) b + tau (p log p + (1 - p) log(1 - p)) is attained at p = 1 / (1 + exp((a - b) / tau)), Eq. 15.  Its
 * value is -tau log(exp(-a / tau) + exp(-b / tau)): min(a, b) for tau = 0; for tau = inf (a + b) / 2 plus the
 * constant -tau log 2, which is omitted there. */
double wlab_unlabelled_loss(double o, double T, double lambda_u, double nu2, bool hinge)
{
    double pos = fmax(0, 1 - o), neg = fmax(0, 1 + o);
    double h = lambda_u > 0 && nu2 != 0 ? nu2 / (2 * lambda_u) : 0;
    double a = (hinge ? pos : pos * pos) - h, b = (hinge ? neg : neg * neg) + h;
    double tau = T > 0 ? T / lambda_u : 0; /* lambda_u = 0: infinite */

    if (isinf(tau))
        return (a + b) / 2;
    return tau > 0 ? fmin(a, b) - tau * log1p(exp(-fabs(a - b) / tau)) : fmin(a, b);
}

double wlab_tr_row_loss(const wlab_params *params, double T, double weight, double o, double *full)
{
    *full = wlab_params_real(params, "lambda_u");
    if (weight <= 0) /* the unlabelled rows have no weight yet */
        return 0;
    const double entropy = isinf(T) ? 0 : T / weight * log(2);
    const bool hinge = wlab_tr_loss_of(params) == WL_LOSS_HINGE;
    return weight / *full * (wlab_unlabelled_loss(o, T, weight, 0, hinge) + entropy);
}

wlab_loss wlab_tr_loss_of(const wlab_params *params)
{
    return !strcmp(wlab_params_text(params, "loss"), "squared-hinge") &&
                   strcmp(wlab_params_text(params, "schedule"), "svmlight") != 0
               ? WL_LOSS_SQUARED_HINGE
               : WL_LOSS_HINGE;
}
