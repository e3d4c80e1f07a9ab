/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The labels' half of an alternation of alter-pSVM: Eq. 7, solved exactly bag by bag (Proposition 1); and the initial
 * labels.
 */
#include "algo/llp/alter.h"

#include <math.h>
#include <string.h>

/* ---- initial labels ---- */

/* As in the paper, a fair coin decides every free label; with start=bags, a draw from the label set. */
void alter_draw_labels(alter *s, int64_t k)
{
    wlab_rng rng;
    wlab_rng_seed(&rng, s->seed * 1000003 + (uint64_t)k);
    if (s->start == ALTER_BAGS) {
        wlab_labelset_random(s->p->labels, &rng, s->r[k].y);
        return;
    }
    for (int64_t i = 0; i < s->n; i++) {
        const bool positive = wlab_rng_next(&rng) >> 63;
        s->r[k].y[i] = s->p->visible[i] ? s->p->visible[i] : positive ? 1 : -1;
    }
}

/* Copies the settings that the user gave and that mean the same in the other algorithm. */
static wlab_code copy_settings(wlab_params **out, const alter *s, const wlab_algo *other, wlab_err *err)
{
    static const char *const same[] = {"kernel", "gamma", "sigma", "degree", "coef0", "C", "Cp"};
    wlab_code code = wlab_params_create(out, other->params, err);
    for (size_t i = 0; !code && i < sizeof same / sizeof *same; i++)
        for (const wlab_param_info *q = other->params; !code && q->name; q++)
            if (strcmp(q->name, same[i]) == 0 && wlab_params_given(s->given, same[i]))
                code = wlab_params_set(*out, same[i], wlab_params_text(s->given, same[i]), err);
    return code;
}

/* Runs another algorithm to its end and puts the outputs of its predictor on the training rows into f [n]. */
static wlab_code other_outputs(const alter *s, const char *name, double *f, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_algo *other = wlab_algo_find(name);
    wlab_params *params = NULL;
    wlab_model *m = NULL;
    void *state = NULL;
    wlab_step step = {0};
    wlab_ctx quiet = {.pool = ctx ? ctx->pool : NULL, .interrupt = ctx ? ctx->interrupt : NULL, .lean = true};
    wlab_code code;
    if (!other || !wlab_algo_suits(other, s->p->task, 2))
        return wlab_fail(err, WL_EARG,
                         "%s does not solve the task %s, so it gives no initial labels; use start=random",
                         name, s->p->task->name);
    if ((code = copy_settings(&params, s, other, err)) ||
        (code = other->create(&state, s->p, params, &quiet, err)))
        goto out;
    while (!step.complete || step.verdict == WL_MORE) {
        if ((code = other->advance(state, &quiet, &step, err)))
            goto out;
        if (wlab_interrupted(ctx)) {
            code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
            goto out;
        }
    }
    if (!(code = other->model(state, &m, &quiet, err)))
        code = wlab_model_predict(m, s->p->X, f, quiet.pool, err);
out:
    wlab_model_destroy(m);
    if (state)
        other->destroy(state);
    wlab_params_destroy(params);
    return code;
}

/* By how much the hinge loss of a row with output f falls when its label changes from -1 to +1, at cost 1. */
static double positive_gain(double f)
{
    return (f > -1 ? 1 + f : 0) - (f < 1 ? 1 - f : 0);
}

/* Gives restart 0 the best labels for another algorithm's predictor at the final C. */
static wlab_code label_by_other(alter *s, const char *name, wlab_ctx *ctx, wlab_err *err)
{
    double *f = wlab_alloc((size_t)s->n, sizeof *f);
    wlab_code code = f ? other_outputs(s, name, f, ctx, err) : wlab_nomem(err);
    for (int64_t i = 0; !code && i < s->n; i++)
        f[i] = s->C * positive_gain(f[i]);
    if (!code)
        code = wlab_proportions_label(s->bags, &s->loss, f, s->r[0].y, NULL, ctx ? ctx->pool : NULL, err);
    wlab_free(f);
    return code;
}

wlab_code alter_initial_labels(alter *s, wlab_ctx *ctx, wlab_err *err)
{
    int64_t k = 0;
    if (s->start == ALTER_INVCAL || s->start == ALTER_CONV) {
        wlab_code code = label_by_other(s, s->start == ALTER_CONV ? "conv-psvm" : "invcal", ctx, err);
        if (code)
            return code;
        memcpy(s->shown, s->r[0].y, (size_t)s->n);
        k = 1;
    }
    for (; k < s->restarts; k++)
        alter_draw_labels(s, k);
    for (k = 0; k < s->restarts; k++) {
        alter_restart *r = &s->r[k];
        r->at = (alter_value){.penalty = wlab_proportions_penalty(s->bags, &s->loss, r->y)};
        for (int64_t i = 0; i < s->n; i++) /* w = 0 */
            *(s->p->visible[i] ? &r->at.known : &r->at.free) += 1;
    }
    return WL_OK;
}

/* ---- an alternation ---- */

static double hinge(double margin)
{
    return margin < 1 ? 1 - margin : 0;
}

/* Changes the label of row i to `to`.  The row's alpha becomes 0 if the row is outside the margin of its new label,
 * else the row's cost. */
static void flip(alter *s, alter_restart *r, int64_t i, int8_t to)
{
    const double cap = to * r->f[i] < 1 ? s->cost[i] : 0;
    if (s->K) {
        r->alpha[i] = to * cap;
    } else {
        const double by = to * cap - r->y[i] * r->alpha[i];
        wlab_matrix_row_axpy(s->p->X, i, by, r->v);
        r->v[s->dim - 1] += s->kernel.bias * by;
        r->alpha[i] = cap;
    }
    r->y[i] = to;
}

static wlab_code label_restart(alter *s, int64_t k, alter_work *work, wlab_ctx *ctx, wlab_progress *progress,
                               wlab_err *err)
{
    alter_restart *r = &s->r[k];
    const double before = alter_objective(s, &r->at), start = r->objective;
    double *gain = work->f;
    for (int64_t i = 0; i < s->n; i++)
        gain[i] = s->C_now * positive_gain(r->f[i]);
    wlab_code code =
        wlab_proportions_label(s->bags, &s->loss, gain, work->y, work->rank, ctx ? ctx->pool : NULL, err);
    if (code)
        return code;
    alter_value at = r->at;
    at.free = 0;
    at.penalty = wlab_proportions_penalty(s->bags, &s->loss, work->y);
    for (int64_t i = 0; i < s->n; i++)
        if (!s->p->visible[i])
            at.free += hinge(work->y[i] * r->f[i]);
    r->flips = 0;
    if (alter_objective(s, &at) < before) { /* else equal up to rounding: keep the labels */
        for (int64_t i = 0; i < s->n; i++)
            if (work->y[i] != r->y[i]) {
                flip(s, r, i, work->y[i]);
                r->flips++;
            }
        r->at = at;
    }
    r->objective = alter_objective(s, &r->at);
    r->moving = r->flips > 0 && start - r->objective > s->decrease * fabs(r->objective);
    wlab_progress_add(progress, 1);
    return WL_OK;
}

wlab_code alter_label(alter *s, wlab_ctx *ctx, wlab_err *err)
{
    return alter_each(s, label_restart, "restarts", ctx, err);
}

/* Whether at most a fraction s->merge of all labels differ. */
static bool nearly_equal(const alter *s, const int8_t *a, const int8_t *b)
{
    const int64_t most = (int64_t)(s->merge * (double)s->n);
    int64_t differ = 0;
    for (int64_t i = 0; i < s->n && differ <= most; i++)
        differ += a[i] != b[i];
    return differ <= most;
}

void alter_merge(alter *s)
{
    for (int64_t k = 1; k < s->restarts; k++)
        for (int64_t j = 0; j < k && s->r[k].same_as < 0; j++) {
            if (s->r[j].same_as >= 0 || !nearly_equal(s, s->r[j].y, s->r[k].y))
                continue;
            /* keep the better one, so that no objective rises */
            const bool earlier = s->r[j].objective <= s->r[k].objective;
            s->r[earlier ? k : j].same_as = earlier ? j : k;
            s->r[earlier ? k : j].moving = false;
        }
}
