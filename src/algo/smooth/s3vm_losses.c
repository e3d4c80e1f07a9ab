/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The losses of s3vm: squared hinge, exp(-s o^2), both smoothed by a Gaussian function, and the effective loss at a
 * temperature; the levels; J; and when F is certainly convex.
 */
#include "algo/smooth/s3vm.h"
#include "algo/svmlin/transductive.h"

#include <math.h>

#define FIRST_SHARE 0.01 /* the first C* as a fraction of the last */
#define FIRST_T     10.0
#define COOLING     1.5
#define TIGHT       1e-3 /* relative width of the bracket of gamma */

s3vm_level wlab_s3vm_level(const s3vm *s, int64_t k)
{
    const double Cu = s->C * s->ratio;
    s3vm_level at = {.Cu = k ? Cu : 0};

    if (k == 0)
        return at;
    switch (s->method) {
    case S3VM_GRADIENT:
    case S3VM_NEWTON:
        if (s->m.levels > 1)
            at.Cu = Cu * pow(FIRST_SHARE, (double)(s->m.levels - k) / (double)(s->m.levels - 1));
        break;
    case S3VM_CONTINUATION:
        if (k < s->m.levels)
            at.gamma = s->m.levels == 2 ? s->gamma_first
                                        : s->gamma_first * pow(s->gamma_last / s->gamma_first,
                                                               (double)(k - 1) / (double)(s->m.levels - 2));
        break;
    case S3VM_DA:
        at.T = FIRST_T / pow(COOLING, (double)(k - 1));
        break;
    }
    return at;
}

void wlab_s3vm_set_level(void *state)
{
    s3vm *s = state;
    s->now = wlab_s3vm_level(s, s->m.level);
    s->curvature = s->method == S3VM_DA ? NAN : wlab_s3vm_curvature(s, s->now.Cu, s->now.gamma);
}

smooth_loss wlab_s3vm_labelled(double margin, double v)
{
    const double a = 1 - margin, d = sqrt(v);

    if (!(d > 0))
        return a > 0 ? (smooth_loss){a * a, -2 * a, 2} : (smooth_loss){0};
    const double x = a / d, below = 0.5 * erfc(-x * M_SQRT1_2),
                 density = exp(-0.5 * x * x) * (0.5 * M_2_SQRTPI * M_SQRT1_2);
    return (smooth_loss){(a * a + v) * below + a * d * density, -2 * (a * below + d * density), 2 * below};
}

smooth_loss wlab_s3vm_hat(double o, double v)
{
    const double wide = 1 + 2 * S3VM_S * v, b = S3VM_S / wide, value = exp(-b * o * o) / sqrt(wide);

    return (smooth_loss){value, -2 * b * o * value, 2 * b * (2 * b * o * o - 1) * value};
}

smooth_loss wlab_s3vm_effective(double o, double T, double *entropy)
{
    const double a = fmax(0, 1 - o), b = fmax(0, 1 + o), odds = T > 0 ? (b * b - a * a) / T : 0;
    /* the belief that the label is +1, and that it is -1; at T = 0 the smaller loss decides */
    const double e = exp(-fabs(odds)), large = 1 / (1 + e), small = e / (1 + e);
    const bool up = T > 0 ? odds >= 0 : o >= 0;
    const double p = T > 0 ? up ? large : small : up ? 1 : 0, q = T > 0 ? up ? small : large : up ? 0 : 1;
    const double da = -2 * a, db = 2 * b, bend = (a > 0 ? 2 * p : 0) + (b > 0 ? 2 * q : 0);

    if (entropy)
        *entropy = T > 0 && e > 0 ? log1p(e) + fabs(odds) * small : 0;
    return (smooth_loss){.value = wlab_unlabelled_loss(o, T, 1, 0, false),
                         .first = p * da + q * db,
                         .second = bend - (T > 0 ? p * q * (db - da) * (db - da) / T : 0)};
}

static smooth_loss times(double weight, smooth_loss of)
{
    return (smooth_loss){weight * of.value, weight * of.first, weight * of.second};
}

smooth_loss wlab_s3vm_loss(const void *state, int64_t i, double o)
{
    const s3vm *s = state;
    const int8_t y = s->m.p->visible[i];
    const s3vm_level at = s->now;
    const double v = at.gamma * s->m.rows->square[i];

    if (!y)
        return at.Cu > 0 ? times(at.Cu, s->method == S3VM_DA ? wlab_s3vm_effective(o, at.T, NULL)
                                                             : wlab_s3vm_hat(o, v))
                         : (smooth_loss){0};
    smooth_loss row = times(s->C, wlab_s3vm_labelled(y * o, v));
    row.first *= y;
    return row;
}

void wlab_s3vm_measure(void *state)
{
    s3vm *s = state;
    const smooth *m = &s->m;
    double labelled = 0, unlabelled = 0, norm = 0, entropy = 0;

    for (int64_t j = 0; j < m->rows->dim; j++)
        norm += m->at->w[j] * m->at->w[j];
    for (int64_t i = 0; i < m->n; i++) {
        const int8_t y = m->p->visible[i];
        double h = 0;
        if (y)
            labelled += wlab_s3vm_labelled(y * m->o[i], 0).value;
        else if (s->method == S3VM_DA)
            unlabelled += wlab_s3vm_effective(m->o[i], 0, NULL).value;
        else
            unlabelled += wlab_s3vm_hat(m->o[i], 0).value;
        if (!y && s->method == S3VM_DA && s->m.level > 0)
            (void)wlab_s3vm_effective(m->o[i], s->now.T, &h);
        entropy += h;
    }
    s->J_norm = norm / 2;
    s->J_labelled = s->C * labelled;
    s->J_unlabelled = s->C * s->ratio * unlabelled;
    s->J = s->J_norm + s->J_labelled + s->J_unlabelled;
    s->m.upper = fmin(s->m.upper, s->J);
    s->m.decided = s->method == S3VM_DA && s->m.level > 0 && entropy / (double)m->u <= S3VM_DECIDED;
    s->entropy = s->method == S3VM_DA && s->m.level > 0 ? entropy / (double)m->u : NAN;
}

double wlab_s3vm_curvature(const s3vm *s, double Cu, double gamma)
{
    double sum = 0;
    for (int64_t i = 0; i < s->m.n; i++)
        if (!s->m.p->visible[i]) {
            const double square = s->m.rows->square[i];
            sum += 2 * S3VM_S * Cu * square * pow(1 + 2 * S3VM_S * gamma * square, -1.5);
        }
    return sum;
}

double wlab_s3vm_convex_gamma(const s3vm *s, double Cu)
{
    double lo = 0, hi = 1 / s->mean_square;

    if (wlab_s3vm_curvature(s, Cu, 0) <= 1)
        return 0;
    while (wlab_s3vm_curvature(s, Cu, hi) > 1) {
        lo = hi;
        hi *= 2;
    }
    while (hi - lo > TIGHT * hi) {
        const double mid = (lo + hi) / 2;
        if (wlab_s3vm_curvature(s, Cu, mid) > 1)
            lo = mid;
        else
            hi = mid;
    }
    return hi;
}

double wlab_s3vm_row_loss(const wlab_params *params, double T, double weight, double o, double *full)
{
    const int method = wlab_params_choice(params, "method");

    *full = wlab_params_real(params, "ratio");
    if (weight <= 0) /* the unlabelled rows have no weight yet */
        return 0;
    if (method == S3VM_DA)
        return weight / *full * (wlab_s3vm_effective(o, T, NULL).value + T * M_LN2);
    return weight / *full * (wlab_s3vm_hat(o, T).value + 1 - wlab_s3vm_hat(0, T).value);
}
