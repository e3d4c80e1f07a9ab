/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * s3vm: the semi-supervised SVM in the primal, J(w) of s3vm.h, by four methods.  J is not convex, so each method solves a
 * sequence of problems (levels), each from the minimum of the one before: C* rises (gradient, newton), a smoothing of J
 * narrows (continuation), or a temperature falls (da).  Level 0 has the labelled rows alone: its minimum is certified and
 * gives the lower bound.  A step is one iteration of the descent; the first unit of a level prepares it.
 */
#include "algo/smooth/s3vm.h"
#include "algo/balance.h"

#include <math.h>
#include <string.h>

#define SHARP  (1.0 / 20) /* the last gamma above 0 makes 2 s v at most this times 2 */
#define LEVELS 11         /* default of levels= */
#define FALLS  30         /* the same for da */

const char *const wlab_s3vm_methods[] = {"gradient", "continuation", "newton", "da", NULL};
static const wlab_param_info params[] = {
    {.name = "method",
     .type = WL_P_CHOICE,
     .fallback = "continuation",
     .choices = wlab_s3vm_methods,
     .meaning =
         "gradient: L-BFGS while C* rises; continuation: L-BFGS on J smoothed by a Gaussian function that "
         "narrows; "
         "newton: Newton's method while C* rises; da: L-BFGS on the effective loss at a falling temperature"},
    WLAB_KERNEL_ONLY_PARAMS("auto"),
    {.name = "C",
     .type = WL_P_TEXT,
     .fallback = "auto",
     .meaning =
         "C, weight of a labelled row's loss; auto: 1 / the variance of the unlabelled rows, the mean of "
         "||phi - m||^2",
     .flags = WL_P_OBJECTIVE},
    {.name = "ratio",
     .type = WL_P_REAL,
     .fallback = "1",
     .lo = 0,
     .hi = HUGE_VAL,
     .meaning = "last C*/C, the weight of an unlabelled row relative to a labelled one",
     .flags = WL_P_OPEN_LO | WL_P_OBJECTIVE},
    WLAB_BALANCE_PARAM,
    {.name = "levels",
     .type = WL_P_INT,
     .lo = 1,
     .hi = 1000,
     .meaning = "number of values of C*, of the smoothing, or of the temperature; default: 11, for da 30; 1: "
                "only the last "
                "one (da: the first)"},
    {.name = "iterations",
     .type = WL_P_INT,
     .fallback = "1000",
     .lo = 1,
     .hi = 1e9,
     .meaning = "largest number of iterations at a level",
     .flags = WL_P_MUTABLE},
    {.name = "eps",
     .type = WL_P_REAL,
     .fallback = "1e-6",
     .lo = 0,
     .hi = 1,
     .meaning = "a level ends when the norm of the gradient is at most this times 1 + |objective|",
     .flags = WL_P_OPEN_LO},
    {.name = NULL}};

static void destroy(void *state)
{
    s3vm *s = state;
    if (!s)
        return;
    wlab_smooth_clear(&s->m);
    wlab_free(s->Z);
    wlab_free(s->scaled);
    wlab_free(s->H);
    wlab_free(s->factor);
    wlab_free(s->move);
    wlab_free(s);
}

static wlab_code choose_C(s3vm *s, const wlab_params *given, wlab_err *err)
{
    for (int64_t i = 0; i < s->m.n; i++)
        if (!s->m.p->visible[i])
            s->mean_square += s->m.rows->square[i] / (double)s->m.u;
    return wlab_balance_choose_C(&s->C, s->mean_square, given, err);
}

/* The first and the last width of the smoothing.  If J is certainly convex, no smoothing is needed. */
static void choose_widths(s3vm *s)
{
    double largest = 0;

    for (int64_t i = 0; i < s->m.n; i++)
        if (!s->m.p->visible[i])
            largest = fmax(largest, s->m.rows->square[i]);
    s->gamma_first = wlab_s3vm_convex_gamma(s, s->C * s->ratio);
    s->gamma_last = SHARP / (S3VM_S * largest);
    if (s->gamma_first <= s->gamma_last)
        s->m.levels = 1;
}

static wlab_code fill(s3vm *s, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    wlab_problem *p = s->m.p;
    wlab_code code = wlab_balance_check(p, err);

    s->method = (s3vm_method)wlab_params_choice(given, "method");
    s->ratio = wlab_params_real(given, "ratio");
    wlab_smooth_set(&s->m, given);
    s->m.levels = wlab_params_given(given, "levels") ? wlab_params_int(given, "levels")
                  : s->method == S3VM_DA             ? FALLS
                                                     : LEVELS;
    s->m.kernel.kind = wlab_kernel_kind_of(given, p->X);
    if (code || (code = wlab_balance_choose(&s->r, p, given, err)) ||
        (code = wlab_kernel_choose(&s->m.kernel, given, p->X, ctx, err)))
        return code;
    s->m.kernel.bias = 0; /* there is no bias=: the offset is free */
    uint8_t *member = wlab_alloc((size_t)p->n, 1);
    if (!member)
        return wlab_nomem(err);
    for (int64_t i = 0; i < p->n; i++)
        member[i] = p->visible[i] == 0;
    s->m.penalty = 1;
    s->m.loss = wlab_s3vm_loss;
    s->m.set_level = wlab_s3vm_set_level;
    s->m.measure = wlab_s3vm_measure;
    s->m.iterate = s->method == S3VM_NEWTON ? wlab_s3vm_newton_iterate : NULL;
    s->m.of = s;
    code = wlab_smooth_create(&s->m, member, 2 * s->r - 1, s->method == S3VM_NEWTON, ctx, err);
    wlab_free(member);
    if (code || (code = choose_C(s, given, err)))
        return code;
    if (s->method == S3VM_CONTINUATION)
        choose_widths(s);
    return s->method == S3VM_NEWTON ? wlab_s3vm_newton_create(s, ctx, err) : WL_OK;
}

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    s3vm *s = wlab_calloc(1, sizeof *s);

    *state = NULL;
    if (!s)
        return wlab_nomem(err);
    s->m.p = wlab_problem_ref(p);
    wlab_code code = fill(s, given, ctx, err);
    if (code) {
        destroy(s);
        return code;
    }
    s->m.objective = s->m.gradient = s->m.length = s->J = s->J_norm = s->J_labelled = s->J_unlabelled =
        s->m.lower = s->entropy = NAN;
    s->m.upper = INFINITY;
    wlab_s3vm_set_level(s);
    *state = s;
    return WL_OK;
}

static wlab_code set(void *state, const wlab_params *given, wlab_err *err)
{
    (void)err;
    wlab_smooth_set(&((s3vm *)state)->m, given);
    return WL_OK;
}

WLAB_SMOOTH_HOOKS(s3vm, "the objective of the current level along the last move of w");

static void walk(void *state, wlab_walk *w)
{
    s3vm *s = state;
    WL_WALK(w, s->J);
    WL_WALK(w, s->J_norm);
    WL_WALK(w, s->J_labelled);
    WL_WALK(w, s->J_unlabelled);
    WL_WALK(w, s->entropy);
    WL_WALK(w, s->mu);
    WL_WALK(w, s->refused);
    wlab_smooth_walk(&s->m, w);
}

WLAB_KERNEL_HOOK(s3vm, m.kernel)

const wlab_algo wlab_algo_s3vm = {
    .name = "s3vm",
    .summary = "semi-supervised SVM in the primal, by gradients, continuation, Newton's method or annealing",
    .idea = WL_IDEA_DESCENT,
    .problem = "min over w of J(w) = 1/2 ||w||^2 + C sum_i max(0, 1 - y_i o_i)^2 + C* sum_j exp(-3 o'_j^2), "
               "where the mean "
               "of o' is 2 r - 1; method=da: max(0, 1 - |o'_j|)^2 in place of exp(-3 o'_j^2)",
    .symbols = "i: a labelled row, with the label y_i and the output o_i = w'(phi(x_i) - m) + 2 r - 1\n"
               "j: an unlabelled row, with the output o'_j\n"
               "m: the mean of phi over the unlabelled rows\n"
               "phi(x): the features of a row; their inner products are the kernel\n"
               "C, C*: weights of a labelled and of an unlabelled row; C* = C times ratio=\n"
               "gamma: variance of the Gaussian function in w by which J is smoothed (method=continuation)\n"
               "v: the variance of a row's output that this causes, gamma ||phi(x) - m||^2\n"
               "T: the temperature, in units of C* (method=da)\n"
               "p_j: the probability that unlabelled row j has the label +1, best for o'_j (method=da)\n"
               "H(p): the entropy of p\n"
               "I: the identity matrix\n"
               "mu: a multiple of the identity that is added to the Hessian of J (method=newton)",
    .when = "some labels, a margin between the classes, and the balance of the classes is known",
    .cost = "an iteration: some passes over the rows; a kernel needs a factor of its matrix once",
    .proves = "a lower bound on J, from the labelled rows alone",
    .work = "(1 - K) * 2e-9 * z + K * 1.5e-9 * n^2",
    .work_once = "(1 - K) * 8e-9 * z + K * 4.4e-11 * n^3",
    .memory = "K * 16 * n^2 + 60 * n",
    .source = "Chapelle and Zien, AISTATS 2005 (gradient); Chapelle, Chi and Zien, ICML 2006 (continuation); "
              "Chapelle, "
              "Neural Computation 19 (2007) (newton); Sindhwani, Keerthi and Chapelle, ICML 2006 (da)",
    .learns_from = WL_SEES_SOME_LABELS | WL_SEES_POSITIVES,
    .step_unit = "an iteration of the descent: L-BFGS, or Newton's method",
    .inner_unit = "the same; the first of a level changes C*, gamma or T",
    .converged = "gradient <= eps * (1 + abs(objective))",
    .converged_also = "the condition is that of the last level; with method=da a level is also the last if "
                      "the mean entropy "
                      "is at most 1e-6",
    .phase_unit = "level",
    .params = params,
    .metrics = wlab_s3vm_metrics,
    .probes = probes,
    .create = create,
    .advance = advance,
    .observe = wlab_s3vm_observe,
    .model = model,
    .kernel = kernel,
    .row_loss = wlab_s3vm_row_loss,
    .loss = WL_LOSS_SQUARED_HINGE,
    .explain = wlab_s3vm_explain,
    .next = wlab_s3vm_next,
    .walk = walk,
    .set = set,
    .destroy = destroy,
};
