/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The labels' half of an alternation: the labels of the label set with the smallest loss at the present classifier.
 * New labels are taken only if they lower P, so that ties and rounding errors cannot make the alternation go round in
 * circles.
 */
#include "algo/alternate/alternate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double svr_loss(const alternate *s, double y, double o)
{
    const double out = fabs(y - o) - s->eps;
    return out > 0 ? s->C * out : 0;
}

/* The hinge loss of the examples' outputs s->sum, where a group counts once, with the largest of its members' slacks. */
static double shared_loss(const alternate *s)
{
    double *slack = s->slack, sum = 0;
    memset(slack, 0, (size_t)s->w.groups * sizeof *slack);
    for (int64_t i = 0; i < s->m; i++)
        if (1 - s->sum[i] > slack[s->w.group[i]])
            slack[s->w.group[i]] = 1 - s->sum[i];
    for (int64_t k = 0; k < s->w.groups; k++)
        sum += s->w.shared[k] * slack[k];
    return sum;
}

double alt_loss(const alternate *s, const double *f, double b, const int8_t *y)
{
    double sum = 0;
    if (s->regression) {
        for (int64_t k = 0; k < s->n; k++)
            sum += svr_loss(s, y[k], f[k] + b);
        return sum;
    }
    memset(s->sum, 0, (size_t)s->m * sizeof *s->sum);
    for (int64_t k = 0; k < s->n; k++)
        s->sum[s->w.p->example[k]] += y[k] * f[k];
    if (s->w.group)
        return shared_loss(s);
    for (int64_t i = 0; i < s->m; i++) {
        const double slack = 1 - s->sum[i], C = s->w.p->cost[i] ? s->w.C2 : s->w.C1;
        if (slack > 0)
            sum += s->w.delta ? 0.5 * C * slack * slack : C * slack;
    }
    return sum;
}

typedef struct output {
    double f;
    int32_t row;
} output;

static int ascending(const void *a, const void *b)
{
    const output *x = a, *y = b;
    if (x->f != y->f)
        return x->f < y->f ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

double alt_cut_below(const double *f, const int32_t *order, int64_t k)
{
    return 0.5 * (f[order[k - 1]] + f[order[k]]);
}

wlab_code alt_cuts(const alternate *s, const alt_restart *r, int64_t lo, int64_t hi, int32_t *order,
                   double *loss, wlab_err *err)
{
    const int64_t n = s->n;
    output *sorted = wlab_alloc((size_t)n, sizeof *sorted);
    if (!sorted)
        return wlab_nomem(err);
    for (int64_t k = 0; k < n; k++)
        sorted[k] = (output){r->f[k], (int32_t)k};
    qsort(sorted, (size_t)n, sizeof *sorted, ascending);
    for (int64_t k = 0; k < n; k++)
        order[k] = sorted[k].row;
    wlab_free(sorted);
    for (int64_t positives = 1; positives < n; positives++) {
        double *sum = &loss[positives - 1];
        *sum = NAN;
        if (positives < lo || positives > hi)
            continue;
        const double cut = alt_cut_below(r->f, order, n - positives);
        *sum = 0;
        for (int64_t k = 0; k < n; k++)
            *sum += svr_loss(s, k < n - positives ? -1 : 1, r->f[order[k]] - cut);
    }
    return WL_OK;
}

/* The best of the present b and of all cuts. */
static wlab_code best_cut(alternate *s, int64_t k, double *b, double *loss, wlab_err *err)
{
    const alt_restart *r = &s->r[k];
    const int64_t n = s->n;
    int8_t *y = s->y + k * n;
    double *of = s->target; /* workspace */
    int64_t best = 0;
    for (int64_t i = 0; i < n; i++)
        s->tube[i] = r->f[i] + r->b;
    wlab_code code = wlab_labelset_argmax(s->w.p->labels, s->tube, r->y, y, err);
    if (code || (code = alt_cuts(s, r, s->w.p->labels->lo[0], s->w.p->labels->hi[0], s->order, of, err)))
        return code;
    *b = r->b;
    *loss = alt_loss(s, r->f, r->b, y);
    for (int64_t positives = 1; positives < n; positives++)
        if (of[positives - 1] < *loss) {
            *loss = of[positives - 1];
            best = positives;
        }
    if (!best)
        return WL_OK;
    *b = -alt_cut_below(r->f, s->order, n - best);
    for (int64_t i = 0; i < n; i++)
        y[s->order[i]] = i < n - best ? -1 : 1;
    return WL_OK;
}

wlab_code alt_best_labels(alternate *s, int64_t k, double *b, double *loss, wlab_err *err)
{
    const alt_restart *r = &s->r[k];
    if (s->regression)
        return best_cut(s, k, b, loss, err);
    wlab_code code = wlab_labelset_argmax(s->w.p->labels, r->f, r->y, s->y + k * s->n, err);
    *b = 0;
    *loss = code ? NAN : alt_loss(s, r->f, 0, s->y + k * s->n);
    return code;
}

wlab_code alt_label(alternate *s, wlab_ctx *ctx, wlab_err *err)
{
    double *b = s->aligned, *loss = s->aligned + s->restarts; /* workspace */
    for (int64_t k = 0; k < s->restarts; k++) {
        if (!s->r[k].moving)
            continue;
        if (wlab_interrupted(ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        wlab_code code = alt_best_labels(s, k, &b[k], &loss[k], err);
        if (code)
            return code;
    }
    for (int64_t k = 0; k < s->restarts; k++) {
        alt_restart *r = &s->r[k];
        if (!r->moving)
            continue;
        r->flips = 0;
        if (r->norm + loss[k] < r->norm + r->loss) {
            for (int64_t i = 0; i < s->n; i++)
                r->flips += r->y[i] != s->y[k * s->n + i];
            memcpy(r->y, s->y + k * s->n, (size_t)s->n);
            r->loss = loss[k];
            r->b = b[k];
        }
        const double now = r->norm + r->loss;
        r->moving = r->flips > 0 && r->first - now > s->decrease * now;
    }
    return WL_OK;
}
