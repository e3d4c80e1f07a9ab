/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Risks estimated from positive and unlabelled rows.
 */
#include "algo/pu/risk.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *const pu_threshold_names[] = {"balance", "zero", NULL};

wlab_code pu_risk_make(pu_risk *r, const wlab_problem *p, const wlab_params *given, bool logistic,
                       wlab_err *err)
{
    *r = (pu_risk){.pi = p->r, .logistic = logistic, .visible = p->visible, .n = p->n};
    for (int64_t i = 0; i < p->n; i++) {
        r->positives += p->visible[i] > 0;
        r->unlabelled += p->visible[i] == 0;
    }
    if (r->positives == 0 || r->unlabelled == 0)
        return wlab_fail(err, WL_ESTATE,
                         "at least one positive and one unlabelled row are needed; there are %lld and %lld",
                         (long long)r->positives, (long long)r->unlabelled);
    if (!(r->pi > 0 && r->pi < 1))
        return wlab_fail(err, WL_ESTATE,
                         "the class prior is %g, but must be between 0 and 1: `task pu prior=0.5`, say",
                         r->pi);
    r->balance = wlab_params_choice(given, "threshold") == 0;
    r->sorted = wlab_alloc((size_t)r->unlabelled, sizeof *r->sorted);
    return r->sorted ? WL_OK : wlab_nomem(err);
}

void pu_risk_clear(pu_risk *r)
{
    r->sorted = wlab_free(r->sorted);
}

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

double pu_risk_threshold(pu_risk *r, const double *o)
{
    const int64_t u = r->unlabelled, above = u - wlab_negatives(r->pi, u);
    int64_t k = 0;

    if (!r->balance)
        return 0;
    for (int64_t i = 0; i < r->n; i++)
        if (r->visible[i] == 0)
            r->sorted[k++] = o[i];
    qsort(r->sorted, (size_t)u, sizeof *r->sorted, descending);
    return above == 0   ? r->sorted[0] + 1e-9 * (1 + fabs(r->sorted[0]))
           : above == u ? r->sorted[u - 1] - 1e-9 * (1 + fabs(r->sorted[u - 1]))
                        : r->sorted[above] + (r->sorted[above - 1] - r->sorted[above]) / 2;
}

const char *pu_cut_words(const pu_risk *r, int64_t positive)
{
    return r->balance && positive != r->unlabelled - wlab_negatives(r->pi, r->unlabelled)
               ? ", and as many are predicted, by a threshold (threshold=balance)"
               : "";
}

smooth_loss pu_loss(bool logistic, double z)
{
    if (logistic) {
        const double e = exp(-fabs(z)), p = z > 0 ? e / (1 + e) : 1 / (1 + e);
        return (smooth_loss){(z > 0 ? 0 : -z) + log1p(e), -p, p * (1 - p)};
    }
    return z <= -1  ? (smooth_loss){-z, -1, 0}
           : z <= 1 ? (smooth_loss){(1 - z) / 2, -0.5, 0}
                    : (smooth_loss){0, 0, 0};
}

void pu_risk_parts(const pu_risk *r, const double *o, double *positive, double *negative)
{
    double plus = 0, minus = 0, all = 0;

    for (int64_t i = 0; i < r->n; i++)
        if (r->visible[i] > 0) {
            plus += pu_loss(r->logistic, o[i]).value;
            minus += pu_loss(r->logistic, -o[i]).value;
        } else if (r->visible[i] == 0) {
            all += pu_loss(r->logistic, -o[i]).value;
        }
    *positive = r->pi / (double)r->positives * plus;
    *negative = all / (double)r->unlabelled - r->pi / (double)r->positives * minus;
}

double pu_risk_error(const pu_risk *r, const double *o)
{
    double sum[2] = {0}, square[2] = {0}; /* of unlabelled rows, of positive ones */
    const double n[2] = {(double)r->unlabelled, (double)r->positives};

    for (int64_t i = 0; i < r->n; i++) {
        const double loss = pu_loss(r->logistic, -o[i]).value;
        sum[r->visible[i] > 0] += loss;
        square[r->visible[i] > 0] += loss * loss;
    }
    double variance[2];
    for (int k = 0; k < 2; k++)
        variance[k] = fmax(square[k] / n[k] - sum[k] / n[k] * (sum[k] / n[k]), 0) / n[k];
    return sqrt(variance[0] + r->pi * r->pi * variance[1]);
}

int64_t pu_risk_predicted(const pu_risk *r, const double *o)
{
    int64_t count = 0;

    for (int64_t i = 0; i < r->n; i++)
        count += r->visible[i] == 0 && o[i] > 0;
    return count;
}

bool pu_set(smooth *s, const wlab_params *given)
{
    const double lambda = wlab_params_real(given, "lambda");

    wlab_smooth_set(s, given);
    if (!(lambda > s->penalty || lambda < s->penalty))
        return false;
    s->penalty = lambda;
    wlab_smooth_again(s);
    return true;
}

void pu_walk_penalty(smooth *s, wlab_walk *w)
{
    double lambda = s->penalty;

    WL_WALK(w, lambda);
    if (wlab_walk_has_read(w) && !(lambda > 0 && isfinite(lambda)))
        wlab_walk_damaged(w);
    if (wlab_walk_has_read(w))
        s->penalty = lambda;
}

void pu_explain_start(const pu_risk *r, const wlab_problem *p, char *buf, size_t size)
{
    snprintf(buf, size,
             "No step has been made yet: f = 0.  %lld rows are labelled positive, %lld are unlabelled, and "
             "the class "
             "prior is %.4g (%s).",
             (long long)r->positives, (long long)r->unlabelled, r->pi, p->r_from[0] ? p->r_from : "as given");
}
