/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * S4VM: metrics, the map of its labelings, and its words.
 */
#include "algo/safe/s4vm.h"

#include <lapacke.h>
#include <stdio.h>
#include <string.h>

enum {
    M_OBJECTIVE,
    M_WORST,
    M_IMPROVEMENT,
    M_BOUND,
    M_GAP,
    M_SAFE,
    M_FLIPS,
    M_MOVING,
    M_DISTINCT,
    M_SVMS,
    M_SECONDS
};
const wlab_metric_info s4vm_metrics[] = {
    {.name = "objective",
     .role = WL_R_OBJECTIVE,
     .flags = WL_M_SHOWN,
     .meaning = "the smallest SVM objective of the samplings now: the best local minimum; it may rise, "
                "because only a "
                "part of the rows gets a new label in a round, and their SVM may be worse",
     .equation = "1/2 ||w||^2 + C1 sum_i H(1 - y_i f_i) + C2 sum_j H(1 - y_j f_j)"},
    {.name = "largest",
     .meaning = "the largest SVM objective of the samplings now: the worst local minimum",
     .equation = "the same"},
    {.name = "improvement",
     .flags = WL_M_LINE,
     .meaning = "the worst improvement of the best y in the box so far, in rows; at least 0",
     .equation = "min_t c_t'y + d_t"},
    {.name = "bound",
     .flags = WL_M_LINE,
     .meaning = "a certified upper bound on the worst improvement of every y, in rows",
     .equation = "d'mu + ||C'mu||_1"},
    {.name = "maxmin_gap",
     .log = true,
     .meaning = "improvement is at most this far from the best",
     .equation = "bound - improvement"},
    {.name = "safe",
     .meaning = "the worst improvement of the labels that are handed out, in rows; at least 0, and 0 where "
                "the supervised "
                "SVM's labels are kept",
     .equation = "min_t gain - lambda loss"},
    {.name = "flips",
     .role = WL_R_FLIPS,
     .unit = "rows",
     .flags = WL_M_COUNT | WL_M_SHOWN,
     .meaning = "labels that differ from those shown one step before"},
    {.name = "moving",
     .unit = "samplings",
     .flags = WL_M_COUNT | WL_M_LINE,
     .meaning = "samplings that have not ended"},
    {.name = "distinct",
     .unit = "labelings",
     .flags = WL_M_COUNT,
     .meaning = "labelings among the samplings, those that have met counted once"},
    {.name = "svms", .flags = WL_M_COUNT, .meaning = "SVMs that were trained since the start"},
    WLAB_SECONDS,
    {.name = NULL}};

bool s4vm_solved(const s4vm *s)
{
    return s->game->upper - s->game->lower <= s->eps * (1 + fabs(s->game->upper));
}

int64_t s4vm_count_moving(const s4vm *s)
{
    int64_t moving = 0;
    for (int64_t k = 0; k < s->samplings; k++)
        moving += s->r[k].moving;
    return moving;
}

/* ---- metrics, labels and pictures ---- */

void s4vm_observe(const void *state, double *metric, int8_t *labels)
{
    const s4vm *s = state;

    if (labels)
        memcpy(labels, s->shown, (size_t)s->n);
    if (!metric)
        return;
    for (int m = 0; m < M_FLIPS; m++)
        metric[m] = NAN;
    for (int64_t k = 0; k < s->samplings; k++) {
        metric[M_OBJECTIVE] = fmin(metric[M_OBJECTIVE], s->r[k].objective); /* fmin and fmax ignore NaN */
        metric[M_WORST] = fmax(metric[M_WORST], s->r[k].objective);
    }
    if (s->game) {
        metric[M_IMPROVEMENT] = s->game->lower;
        metric[M_BOUND] = fmax(s->game->upper, s->game->lower); /* the dual value has rounding errors */
        metric[M_GAP] = fmax(s->game->upper - s->game->lower, 0);
    }
    metric[M_SAFE] = s->rounded;
    metric[M_FLIPS] = (double)s->flips;
    metric[M_MOVING] = s->stage == S4VM_BEGIN ? NAN : (double)s4vm_count_moving(s);
    metric[M_DISTINCT] = s->rounds > 0 ? (double)s->distinct : NAN;
    metric[M_SVMS] = (double)s->svms;
    metric[M_SECONDS] = s->seconds;
}

static wlab_code objectives(const void *state, const wlab_probe_ask *ask, wlab_probed *out, wlab_ctx *ctx,
                            wlab_err *err)
{
    const s4vm *s = state;
    (void)ask, (void)ctx;
    if (wlab_probed_make(out, s->rounds > 0 ? s->samplings : 0, 1, err))
        return WL_ENOMEM;
    for (int64_t k = 0; k < out->rows; k++)
        out->value[k] = s->r[k].objective;
    return WL_OK;
}

/* Two coordinates of m labelings whose distances are as near as possible to those that they have: the leading eigenvectors of
 * the centred inner products. */
static wlab_code scale_labelings(const s4vm *s, const int8_t *const *y, int64_t m, double *at, wlab_err *err)
{
    const size_t M = (size_t)m;
    double *G = wlab_alloc(M * M, sizeof *G), *mean = wlab_calloc(M, sizeof *mean),
           *value = wlab_alloc(M, sizeof *value), all = 0;
    wlab_code code = G && mean && value ? WL_OK : wlab_nomem(err);

    for (int64_t a = 0; a < m && !code; a++)
        for (int64_t b = 0; b < m; b++) {
            double sum = 0;
            for (int64_t j = 0; j < s->u; j++)
                sum += y[a][s->row[j]] * y[b][s->row[j]];
            G[a * m + b] = sum;
            mean[a] += sum / (double)m;
            all += sum / (double)(m * m);
        }
    for (int64_t a = 0; a < m && !code; a++)
        for (int64_t b = 0; b < m; b++)
            G[a * m + b] += all - mean[a] - mean[b];
    if (!code && LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'U', (lapack_int)m, G, (lapack_int)m, value))
        code = wlab_fail(err, WL_ENUMERIC, "the eigenvalues of the labelings' inner products were not found");
    for (int64_t a = 0; a < m && !code; a++)
        for (int k = 0; k < 2; k++) {
            const int64_t e = m - 1 - k;
            at[2 * a + k] = e >= 0 ? sqrt(fmax(value[e], 0)) * G[e * m + a] : 0;
        }
    wlab_free(G);
    wlab_free(mean);
    wlab_free(value);
    return code;
}

static bool is_candidate(const s4vm *s, int64_t k)
{
    for (int64_t t = 0; t < s->candidates; t++)
        if (s->candidate[t] == k)
            return true;
    return false;
}

static wlab_code map(const void *state, const wlab_probe_ask *ask, wlab_probed *out, wlab_ctx *ctx,
                     wlab_err *err)
{
    const s4vm *s = state;
    int64_t m = 0;

    (void)ask, (void)ctx;
    if (s->rounds == 0)
        return wlab_fail(err, WL_ESTATE, "there are no labelings yet: `step` first");
    const int8_t **y = wlab_alloc((size_t)s->samplings + 2, sizeof *y);
    double *at = wlab_alloc(2 * (size_t)s->samplings + 4, sizeof *at);
    wlab_code code = y && at ? WL_OK : wlab_nomem(err);
    for (int64_t k = 0; k < s->samplings && !code; k++)
        if (s->r[k].same_as < 0)
            y[m++] = s->r[k].y;
    if (!code) {
        y[m++] = s->y0;
        if (s->stage == S4VM_DONE)
            y[m++] = s->shown;
        code = scale_labelings(s, y, m, at, err);
    }
    code = code ? code : wlab_probed_make(out, m, WL_MAP_COLUMNS, err);
    for (int64_t k = 0, a = 0; k < s->samplings + 2 && a < m && !code; k++) {
        const bool sampling = k < s->samplings;
        if (sampling && s->r[k].same_as >= 0)
            continue;
        double *row = out->value + a * WL_MAP_COLUMNS;
        row[WL_MAP_X] = at[2 * a];
        row[WL_MAP_Y] = at[2 * a + 1];
        row[WL_MAP_VALUE] = sampling ? s->r[k].objective : NAN;
        row[WL_MAP_KIND] = !sampling            ? k == s->samplings ? WL_MAP_START : WL_MAP_RESULT
                           : is_candidate(s, k) ? WL_MAP_CANDIDATE
                                                : WL_MAP_OTHER;
        a++;
    }
    wlab_free(y);
    wlab_free(at);
    return code;
}

const wlab_probe s4vm_probes[] = {
    {.name = "objective",
     .kind = WL_PROBE_RESTARTS,
     .when = WL_PROBE_RECORDED,
     .meaning = "SVM objective of each sampling",
     .get = objectives},
    {.name = "labelings",
     .kind = WL_PROBE_MAP,
     .when = WL_PROBE_QUICK,
     .meaning = "a map of the samplings' labelings, by the rows on which they differ",
     .get = map},
    {.name = NULL}};

/* ---- words ---- */

void s4vm_explain(const void *state, char *buf, size_t size)
{
    const s4vm *s = state;
    double metric[M_SECONDS + 1];

    s4vm_observe(s, metric, NULL);
    if (s->step == 0)
        snprintf(buf, size,
                 "No step has been made yet: the SVM of the %lld labelled rows will give labels to the %lld "
                 "others, from "
                 "which, and at random, %lld labelings are drawn.",
                 (long long)s->l, (long long)s->u, (long long)s->samplings);
    else if (s->rounds == 0)
        snprintf(buf, size,
                 "The SVM of the %lld labelled rows gave labels to the others.  %lld labelings were drawn, "
                 "of which "
                 "between %lld and %lld rows are positive, or which differ from the SVM's labels on a fifth "
                 "of the rows.",
                 (long long)s->l, (long long)s->samplings, (long long)s->lo, (long long)s->hi);
    else if (!s->game)
        snprintf(buf, size,
                 "Round %lld: an SVM was trained for each labeling that had not ended, and four in five of "
                 "the rows that "
                 "want another label got it.  %lld labelings have not ended; %lld are distinct, with "
                 "objectives from "
                 "%.6g to %.6g.",
                 (long long)s->rounds, (long long)s4vm_count_moving(s), (long long)s->distinct,
                 metric[M_OBJECTIVE], metric[M_WORST]);
    else if (s->stage != S4VM_DONE)
        snprintf(buf, size,
                 "%lld distinct labelings were divided into %lld cluster%s, and the one with the smallest "
                 "objective of "
                 "each is a candidate.  After %lld step%s of the max-min problem the worst improvement on "
                 "the supervised "
                 "SVM is %.6g rows, and no y in the box has more than %.6g.",
                 (long long)s->distinct, (long long)s->candidates, s->candidates == 1 ? "" : "s",
                 (long long)s->game->steps, s->game->steps == 1 ? "" : "s", s->game->lower, s->game->upper);
    else if (s->kept)
        snprintf(buf, size,
                 "Kept the supervised SVM, with C=%.4g: no labels are surely better.  In the box the worst "
                 "improvement is "
                 "at most %.6g "
                 "rows, and the labels that it rounds to have a worst improvement that is not above 0.",
                 s->C1, round(1e9 * fmax(s->game->upper, s->game->lower)) / 1e9);
    else
        snprintf(
            buf, size,
            "If %s right, the labels have at least %.6g rows more right than those of the supervised SVM "
            "with C=%.4g, if each lost row counts %.4g times.  They differ from it on %lld rows. "
            "The model is the SVM for these labels; it may predict some rows otherwise, and nothing is "
            "certified of its predictions.",
            s->candidates == 1 ? "the only candidate is" : "any of the candidates is", s->rounded, s->C1,
            s->lambda, (long long)s->flips);
}

void s4vm_next(const void *state, char *buf, size_t size)
{
    const s4vm *s = state;
    switch (s->stage) {
    case S4VM_BEGIN:
        snprintf(buf, size, "train the SVM on the labelled rows, and draw %lld labelings",
                 (long long)s->samplings);
        break;
    case S4VM_DESCENT:
        snprintf(buf, size, "an SVM and better labels for each of %lld labelings",
                 (long long)s4vm_count_moving(s));
        break;
    case S4VM_CLUSTERS:
        snprintf(buf, size, "divide %lld labelings into %lld clusters", (long long)s->distinct,
                 (long long)(s->wanted < s->distinct ? s->wanted : s->distinct));
        break;
    case S4VM_MAXMIN:
        snprintf(buf, size, "%s",
                 s4vm_solved(s) ? "round the solution to labels, or keep those of the supervised SVM"
                                : "a proximal step of the max-min problem");
        break;
    case S4VM_DONE:
        snprintf(buf, size, "nothing: %s",
                 s->kept ? "the labels of the supervised SVM are kept" : "the safe labels were found");
        break;
    }
}
