/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * L2-SVM-MFN on the labelled rows (Table 1 of Sindhwani and Keerthi): the supervised baseline of TSVM and mean field
 * annealing, in their scaling, with one Newton iteration per step.
 */
#include "solve/svm/mfn.h"
#include "algo/algos.h"
#include "base/clock.h"
#include "base/walk.h"
#include "linalg/spread.h"
#include "model/kernel.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const wlab_param_info params[] = {
    WLAB_KERNEL_PARAMS("linear", "1"),
    {"lambda", WL_P_REAL, "0.001", 0, HUGE_VAL, NULL, NULL, "lambda, weight of ||w||^2/2",
     WL_P_OPEN_LO | WL_P_OBJECTIVE},
    {"newton", WL_P_CHOICE, "fast", 0, 0, wlab_mfn_modes, NULL,
     "fast: find w to a certified relative gap of eps; paper: CGLS with the tolerances of Tables 1 and 2", 0},
    {"eps", WL_P_REAL, "1e-6", 0, 1, NULL, "relative", "duality gap to which w is found, newton=fast",
     WL_P_OPEN_LO},
    {NULL, WL_P_TEXT, NULL, 0, 0, NULL, NULL, NULL, 0}};

enum {
    M_OBJECTIVE,
    M_UPPER,
    M_LOWER,
    M_GAP,
    M_RELGAP,
    M_INNER_GAP,
    M_GRADIENT,
    M_ACTIVE,
    M_CG,
    M_SECONDS
};
static const wlab_metric_info metrics[] = {
    {.name = "objective",
     .role = WL_R_OBJECTIVE,
     .flags = WL_M_SHOWN,
     .meaning = "f(w), the objective on the labelled rows",
     .equation = "Eq. 2: lambda/2 ||w||^2 + 1/(2l) sum max(0, 1 - y o)^2"},
    {.name = "upper",
     .role = WL_R_UPPER,
     .flags = WL_M_HEADER,
     .meaning = "the smallest objective so far: an upper bound on the optimum",
     .equation = "f(w), Eq. 2"},
    {.name = "lower",
     .role = WL_R_LOWER,
     .flags = WL_M_HEADER,
     .meaning = "the largest dual value so far: a certified lower bound on the optimum",
     .equation = "f - ||gradient||^2 / (2 lambda)"},
    {.name = "gap",
     .role = WL_R_GAP,
     .log = true,
     .flags = WL_M_SHOWN,
     .meaning = "the best objective is at most this far above the optimum",
     .equation = "upper - lower"},
    WLAB_RELGAP,
    {.name = "inner_gap",
     .role = WL_R_INNER_GAP,
     .log = true,
     .meaning = "duality gap at the current w",
     .equation = "||gradient||^2 / (2 lambda)"},
    {.name = "gradient",
     .log = true,
     .meaning = "norm of the gradient",
     .equation = "lambda w + X'C(o - y) on the active rows"},
    {.name = "active",
     .role = WL_R_ACTIVE,
     .unit = "rows",
     .flags = WL_M_COUNT,
     .meaning = "labelled rows inside the margin, which have a loss",
     .equation = "|{i: y_i o_i < 1}|"},
    {.name = "cg", .flags = WL_M_COUNT, .meaning = "conjugate gradient iterations in this step"},
    WLAB_SECONDS,
    {0}};

typedef struct supervised {
    wlab_problem *p; /* a reference */
    wlab_kernel kernel;
    int64_t l;     /* labelled rows of all ranks */
    int32_t *pick; /* the labelled rows of this rank */
    int8_t *y;     /* [n] displayed labels: predictions on the unlabelled rows */
    wlab_matrix
        *X; /* [m->n x d] labelled rows: a view of those in pick; on several ranks these are spread anew */
    int8_t *label; /* [m->n] their labels */
    double *K;     /* [l x l] or NULL: linear */
    wlab_mfn *m;
    /* ---- snapshot, with y and m ---- */
    double upper, lower, seconds;
    double f, gap, gradient; /* of m after the last whole step */
    int64_t step, cg, active;
    int64_t before; /* m's CG iterations before this step */
    bool owed;      /* the iteration is done, but its predictions are not: after an interrupt or WL_ENOMEM */
} supervised;

static void destroy(void *state)
{
    supervised *s = state;
    if (!s)
        return;
    wlab_mfn_destroy(s->m);
    wlab_matrix_destroy(s->X);
    wlab_problem_unref(s->p);
    wlab_kernel_clear(&s->kernel);
    wlab_free(s->pick);
    wlab_free(s->label);
    wlab_free(s->y);
    wlab_free(s->K);
    wlab_free(s);
}

/* A view of the labelled rows of this rank; of many rows on several ranks the few labelled ones would be divided
 * unevenly, and otherwise than in one process. */
static wlab_code take_rows(supervised *s, int64_t here, wlab_err *err)
{
    const wlab_problem *p = s->p;
    wlab_spread how;
    wlab_matrix *view;
    int8_t *label = wlab_alloc((size_t)here, 1);
    wlab_code code = label ? wlab_matrix_rows(&view, p->X, s->pick, here, err) : wlab_nomem(err);

    for (int64_t i = 0; label && i < here; i++)
        label[i] = p->visible[s->pick[i]];
    if (!p->X->parts) {
        s->label = label;
        s->X = code ? NULL : view;
        return code;
    }
    wlab_ranks *ranks = wlab_matrix_ranks(p->X);
    bool made = !code;
    code = wlab_ranks_agree(ranks, code, err);
    code = code ? code : wlab_matrix_spread(&s->X, view, ranks, &how, err);
    if (!code && !(s->label = wlab_alloc((size_t)s->X->rows, 1)))
        code = wlab_nomem(err);
    code = s->X ? wlab_ranks_agree(ranks, code, err) : code;
    if (!code)
        wlab_spread_move(&how, 1, label, s->label);
    if (made)
        wlab_matrix_destroy(view);
    wlab_free(label);
    return code;
}

static wlab_code labelled_rows(supervised *s, wlab_err *err)
{
    const wlab_problem *p = s->p;
    wlab_ranks *ranks = wlab_matrix_ranks(p->X);
    int64_t count[2] = {0, 0}, here = 0;

    s->pick = wlab_alloc((size_t)p->n, sizeof *s->pick);
    s->y = wlab_calloc((size_t)p->n, 1);
    const wlab_code code = wlab_ranks_agree(ranks, s->pick && s->y ? WL_OK : wlab_nomem(err), err);
    if (code)
        return code;
    for (int64_t k = 0; k < p->n; k++)
        if ((s->y[k] = p->visible[k])) {
            count[p->visible[k] > 0]++;
            s->pick[here++] = (int32_t)k;
        }
    count[0] = wlab_ranks_total(ranks, count[0]);
    count[1] = wlab_ranks_total(ranks, count[1]);
    s->l = count[0] + count[1];
    if (!count[0] || !count[1])
        return wlab_fail(err, WL_ESTATE,
                         "mfn needs labelled rows of both classes, but the task `%s` gives %lld positive and "
                         "%lld negative ones%s",
                         p->task->name, (long long)count[1], (long long)count[0],
                         p->unlabelled ? "; tsvm and mfa also learn from one class and the unlabelled rows"
                                       : "");
    return take_rows(s, here, err);
}

static wlab_code kernel_matrix(supervised *s, wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code =
        wlab_kernel_fits(s->l, WL_KERNEL_ROWS, "labelled rows", "use fewer labels, or kernel=linear", err);

    if (code)
        return code;
    int32_t *row = wlab_alloc((size_t)s->l, sizeof *row);
    s->K = wlab_alloc((size_t)s->l * (size_t)s->l, sizeof *s->K);
    if (!row || !s->K) {
        wlab_free(row);
        return wlab_nomem(err);
    }
    for (int64_t i = 0; i < s->l; i++)
        row[i] = s->p->row[s->pick[i]];
    code = wlab_kernel_matrix_progress(&s->kernel, s->X, s->X, row, s->K, ctx, err);
    wlab_free(row);
    return code;
}

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code;
    *state = NULL;
    supervised *s = wlab_calloc(1, sizeof *s);
    if ((code = wlab_ranks_agree(wlab_matrix_ranks(p->X), s ? WL_OK : wlab_nomem(err), err))) {
        wlab_free(s);
        return code;
    }
    s->p = wlab_problem_ref(p);
    s->kernel.kind = wlab_kernel_kind_of(given, p->X);
    if ((code = labelled_rows(s, err)) || (code = wlab_kernel_choose(&s->kernel, given, p->X, ctx, err)))
        goto fail;
    if (s->kernel.kind != WL_K_LINEAR &&
        ((code = wlab_kernel_here(p->X, err)) || (code = kernel_matrix(s, ctx, err))))
        goto fail;
    code = wlab_mfn_create(&s->m, s->X, s->kernel.bias, s->K, s->l, wlab_params_real(given, "lambda"),
                           (wlab_mfn_mode)wlab_params_choice(given, "newton"), wlab_params_real(given, "eps"),
                           err);
    if (code)
        goto fail;
    for (int64_t i = 0; i < s->m->n; i++) {
        s->m->pos[i] = s->label[i] > 0 ? 1 / (double)s->l : 0;
        s->m->neg[i] = s->label[i] < 0 ? 1 / (double)s->l : 0;
    }
    s->active = s->l;
    wlab_mfn_start(s->m, NULL);
    s->upper = INFINITY;
    s->lower = 0;
    *state = s;
    return WL_OK;
fail:
    destroy(s);
    return code;
}

static wlab_code model_now(const supervised *s, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    *out = NULL;
    if (!s->K)
        return wlab_model_from_weights(out, s->p, s->m->w,
                                       s->kernel.bias > 0 ? s->kernel.bias * s->m->w[s->m->dim - 1] : 0, err);
    double *c = wlab_calloc((size_t)s->p->n, sizeof *c);
    if (!c)
        return wlab_nomem(err);
    for (int64_t i = 0; i < s->l; i++)
        c[s->pick[i]] = s->m->w[i];
    wlab_code code = wlab_model_from_coefficients(out, s->p, &s->kernel, c, ctx ? ctx->pool : NULL, err);
    wlab_free(c);
    return code;
}

static wlab_code model(const void *state, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    const supervised *s = state;
    *out = NULL;
    if (s->step == 0)
        return wlab_no_model(err);
    return model_now(s, out, ctx, err);
}

static wlab_code predict(supervised *s, wlab_ctx *ctx, wlab_err *err)
{
    wlab_model *m = NULL;
    double *f = wlab_alloc((size_t)s->p->n, sizeof *f);
    wlab_code code = f ? model_now(s, &m, ctx, err) : wlab_nomem(err);

    if (!code && !(code = wlab_model_predict_progress(m, s->p->X, f, ctx, err)))
        for (int64_t k = 0; k < s->p->n; k++)
            s->y[k] = s->p->visible[k] ? s->p->visible[k] : f[k] > 0 ? 1 : -1;
    wlab_model_destroy(m);
    wlab_free(f);
    return code;
}

static void count_active(supervised *s)
{
    int64_t active = 0;

    for (int64_t i = 0; i < s->m->n; i++)
        active += s->label[i] * s->m->o[i] < 1;
    s->active = wlab_ranks_total(s->m->rows.ranks, active);
}

static wlab_code advance(void *state, wlab_ctx *ctx, wlab_step *step, wlab_err *err)
{
    supervised *s = state;
    const double from = wlab_seconds_now();
    const int64_t newtons = s->m->newtons;
    wlab_code code;

    *step = (wlab_step){0};
    if (!s->owed) {
        if (!s->m->in_cg)
            s->before = s->m->cg;
        if ((code = wlab_mfn_iterate(s->m, ctx, err)))
            return code;
        s->owed = s->m->newtons > newtons || s->m->done || s->m->stalled;
    }
    if (s->owed) { /* what is observed is that of the last step until the predictions are made */
        if ((code = wlab_ranks_agree(s->m->rows.ranks, predict(s, ctx, err), err)))
            return code;
        s->owed = false;
        s->step++;
        count_active(s);
        s->f = s->m->f;
        s->gap = s->m->gap;
        s->gradient = s->m->gradient;
        s->upper = fmin(s->upper, s->f);
        s->lower = fmax(s->lower, s->f - s->gap);
        step->complete = true;
        step->verdict = s->m->done ? WL_CONVERGED : s->m->stalled ? WL_STALLED : WL_MORE;
        if (s->m->stalled)
            wlab_emit_note(ctx,
                           "no step lowers the objective in double precision: a relative gap of %.2g is left",
                           s->m->gap / s->m->f);
    }
    s->cg = s->m->cg - s->before;
    s->seconds += wlab_seconds_now() - from;
    return WL_OK;
}

static void observe(const void *state, double *metric, int8_t *labels)
{
    const supervised *s = state;

    if (labels)
        memcpy(labels, s->y, (size_t)s->p->n);
    if (!metric)
        return;
    const bool begun = s->step > 0;
    metric[M_OBJECTIVE] = begun ? s->f : NAN;
    metric[M_UPPER] = begun ? s->upper : NAN;
    metric[M_LOWER] = begun ? wlab_lower_beside(s->lower, s->upper, fabs(s->upper)) : NAN;
    wlab_put_gap(&metric[M_GAP], metric[M_UPPER] - s->lower, metric[M_UPPER]);
    metric[M_INNER_GAP] = begun ? s->gap : NAN;
    metric[M_GRADIENT] = begun ? s->gradient : NAN;
    metric[M_ACTIVE] = (double)s->active;
    metric[M_CG] = (double)s->cg;
    metric[M_SECONDS] = s->seconds;
}

static void explain(const void *state, char *buf, size_t size)
{
    const supervised *s = state;
    char how[64] = "a Cholesky factor";

    if (!s->K)
        snprintf(how, sizeof how, "%lld CG iterations", (long long)s->cg);
    if (s->step == 0)
        snprintf(buf, size, "No step has been made yet: w = 0, and all %lld labelled rows are active.",
                 (long long)s->l);
    else
        snprintf(
            buf, size,
            "The Newton system on the active rows was solved by %s, and the exact line search led to f = "
            "%.10g; the norm of the gradient is %.3g, so the optimum is at most %.3g lower.",
            how, s->f, s->gradient, s->gap);
}

static void next(const void *state, char *buf, size_t size)
{
    const supervised *s = state;

    snprintf(buf, size, "%s",
             s->owed         ? "predict all rows with the new weights"
             : s->m->done    ? "nothing: the gap is small enough"
             : s->m->stalled ? "nothing: no progress is possible in double precision"
                             : "solve the Newton system on the active rows and search along its solution");
}

#define SCALARS(X)                                                                                           \
    X(upper) X(lower) X(seconds) X(f) X(gap) X(gradient) X(step) X(cg) X(active) X(before) X(owed)

static void walk(void *state, wlab_walk *w)
{
    supervised *s = state;
    SCALARS(WL_WALK_FIELD)
    WL_WALK_ARRAY(w, s->y, s->p->n);
    wlab_mfn_walk(s->m, w);
}

WLAB_KERNEL_HOOK(supervised, kernel)

const wlab_algo wlab_algo_mfn = {
    .name = "mfn",
    .summary = "the supervised L2-SVM on the labelled rows by Newton's method (L2-SVM-MFN), one Newton "
               "iteration per step",
    .idea = WL_IDEA_LABELLED,
    .problem =
        "min over w of lambda/2 ||w||^2 + 1/(2l) sum_i max(0, 1 - y_i o_i)^2, over the labelled rows i",
    .symbols = "l: number of labelled rows\n"
               "y_i: label of row i, -1 or +1\n"
               "o_i: the output of row i, w'x_i\n"
               "active rows: labelled rows with y_i o_i < 1\n"
               "X, y, o: the active rows, their labels and outputs\n"
               "C: the diagonal matrix of the active rows' weights, 1/l",
    .when = "the supervised SVM of tsvm and mfa, to watch Newton's method",
    .cost = "one Newton iteration: some passes over the labelled rows",
    .proves = "that its SVM is solved",
    .work = "(1 - K) * 3e-9 * z * l / n + K * 1e-8 * l * (l + n)",
    .work_once = "K * 2.5e-8 * l^2",
    .memory = "K * 4 * l^2 + 60 * n",
    .source = "Keerthi and DeCoste, JMLR 6 (2005); Sindhwani and Keerthi (2006), Section 2, Tables 1 to 3",
    .learns_from = WL_SEES_ALL_LABELS | WL_SEES_SOME_LABELS,
    .kernel_of_labelled = true,
    .ranks = WL_SEES_ALL_LABELS | WL_SEES_SOME_LABELS,
    .any_balance = true,
    .step_unit = "one Newton iteration: the system on the active rows, and an exact line search",
    .inner_unit = "the same",
    .converged = "newton=paper or inner_gap <= eps * abs(objective)",
    .converged_also = "with newton=paper the test of Table 1 decides instead",
    .params = params,
    .metrics = metrics,
    .create = create,
    .advance = advance,
    .observe = observe,
    .loss = WL_LOSS_SQUARED_HINGE,
    .model = model,
    .kernel = kernel,
    .explain = explain,
    .next = next,
    .walk = walk,
    .destroy = destroy,
};
