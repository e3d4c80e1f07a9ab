/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The Laplacian SVM: manifold regularisation (Belkin, Niyogi and Sindhwani, JMLR 7, 2006), as an SVM on the labelled rows
 * with a kernel that a graph of all rows deforms (model/deformed.h).  A step is a pass of the SVM's solver: l updates of
 * SMO for the hinge loss, a Newton step for its square.  Before that, the first step has two units, the graph and the
 * kernel, and after `set gamma_I=` the next one has the kernel's: the path of solutions in gamma_I, on one graph.
 *
 * The constant feature (bias=) is not in the graph: f'Lf is that of f without the offset, as in the paper.
 */
#include "algo/algos.h"
#include "base/clock.h"
#include "base/walk.h"
#include "model/deformed.h"
#include "model/kernel.h"
#include "solve/svm/mfn.h"
#include "solve/svm/smo.h"

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const loss_names[] = {"hinge", "squared-hinge", NULL};
static const char *const preset_names[] = {"paper", "program", NULL};

/* clang-format off */
static const wlab_param_info params[] = {
    WLAB_KERNEL_PLAIN_PARAMS("auto"),
    {.name = "bias", .type = WL_P_REAL, .fallback = "1", .lo = 0, .hi = HUGE_VAL,
     .meaning = "value of a constant feature that is added to every row, with a regularised weight; 0: no such feature",
     .flags = WL_P_OBJECTIVE},
    {.name = "graph", .type = WL_P_TEXT, .fallback = "knn:6",
     .meaning = "graph of all training rows; knn:6: each row is joined to its 6 nearest; knn:6:heat: weights that fall "
                "with the distance; knn:6:normalised: the normalised Laplacian", .flags = WLAB_KERNEL_FLAGS},
    {.name = "rank", .type = WL_P_INT, .lo = 0, .hi = WL_KERNEL_ROWS, .unit = "columns", .meaning = WLAB_RANK_MEANING,
     .flags = WL_P_OBJECTIVE},
    {.name = "preset", .type = WL_P_CHOICE, .fallback = "paper", .choices = preset_names,
     .meaning = "gamma_A and gamma_I where they are not given; paper: gamma_A = 0.005/l and gamma_I = 0.045 n^2/l, those "
                "for digits; program: 1e-6/l and n^2/l, the defaults of the authors' program", .flags = WL_P_OBJECTIVE},
    {.name = "gamma_A", .type = WL_P_REAL, .lo = 0, .hi = HUGE_VAL,
     .meaning = "gamma_A, weight of ||f||^2; an SVM with C = 1 / (2 gamma_A l)", .flags = WL_P_OPEN_LO | WL_P_OPEN_HI | WL_P_OBJECTIVE},
    {.name = "gamma_I", .type = WL_P_REAL, .lo = 0, .hi = HUGE_VAL,
     .meaning = "gamma_I, weight of f'Lf / n^2, the squared differences along the edges; 0: an SVM on the labelled rows",
     .flags = WL_P_OPEN_HI | WL_P_OBJECTIVE | WL_P_MUTABLE},
    {.name = "loss", .type = WL_P_CHOICE, .fallback = "hinge", .choices = loss_names,
     .meaning = "hinge, or squared-hinge: 1/2 max(0, 1 - y f)^2", .flags = WL_P_OBJECTIVE},
    {.name = "eps", .type = WL_P_REAL, .fallback = "1e-6", .lo = 0, .hi = 1, .unit = "relative",
     .meaning = "duality gap to which the SVM is solved", .flags = WL_P_OPEN_LO},
    {.name = "iterations", .type = WL_P_INT, .fallback = "1000", .lo = 1, .hi = 1e9,
     .meaning = "largest number of passes of the solver", .flags = WL_P_MUTABLE},
    {.name = NULL}};
/* clang-format on */

enum {
    M_OBJECTIVE,
    M_LOSS,
    M_NORM,
    M_SMOOTH,
    M_UPPER,
    M_LOWER,
    M_GAP,
    M_RELGAP,
    M_INNER_GAP,
    M_FLIPS,
    M_ENERGY,
    M_ERRORS,
    M_EDGES,
    M_COMPONENTS,
    M_UNREACHED,
    M_CONDITION,
    M_SECONDS
};
static const wlab_metric_info metrics[] = {
    {.name = "objective",
     .role = WL_R_OBJECTIVE,
     .flags = WL_M_SHOWN,
     .meaning = "the sum of the three parts below",
     .equation = "1/l sum of losses + gamma_A ||f||^2 + gamma_I/n^2 f'Lf"},
    {.name = "loss_part",
     .flags = WL_M_LESS,
     .meaning = "the first part: the mean loss of the labelled rows",
     .equation = "1/l sum_i loss(y_i f_i)"},
    {.name = "norm_part",
     .flags = WL_M_LESS,
     .meaning = "the second part: the norm of f, with the weight of the constant feature",
     .equation = "gamma_A ||f||^2"},
    {.name = "graph_part",
     .flags = WL_M_LESS,
     .meaning = "the third part: how much f changes along the edges",
     .equation = "gamma_I/n^2 f'Lf"},
    {.name = "upper",
     .role = WL_R_UPPER,
     .flags = WL_M_HEADER,
     .meaning = "the smallest objective so far: an upper bound on the minimum",
     .equation = "min objective"},
    {.name = "lower",
     .role = WL_R_LOWER,
     .flags = WL_M_HEADER,
     .meaning = "a certified lower bound on the minimum: the largest value of the SVM's dual so far",
     .equation = "1'beta - beta'K^beta / (4 gamma_A), 0 <= y_i beta_i <= 1/l"},
    {.name = "gap",
     .role = WL_R_GAP,
     .log = true,
     .flags = WL_M_SHOWN,
     .meaning = "the objective is at most this far above the minimum",
     .equation = "upper - lower"},
    WLAB_RELGAP,
    {.name = "inner_gap",
     .role = WL_R_INNER_GAP,
     .log = true,
     .meaning = "the gap of the last pass alone",
     .equation = "primal - dual"},
    {.name = "flips",
     .role = WL_R_FLIPS,
     .unit = "rows",
     .flags = WL_M_COUNT | WL_M_SHOWN,
     .meaning = "unlabelled rows whose output changed its sign in this pass"},
    {.name = "energy",
     .flags = WL_M_LESS | WL_M_LINE,
     .log = true,
     .label = "f'Lf",
     .meaning =
         "f'Lf; before the first pass, when there is no f, that of the given labels, with 0 for the others",
     .equation = "sum over edges of W_ij (f_i - f_j)^2"},
    {.name = "errors",
     .unit = "rows",
     .flags = WL_M_COUNT | WL_M_LESS,
     .meaning = "labelled rows with a loss, the set E of the paper on the primal problem: y f < 1 - 1e-6"},
    {.name = "edges", .flags = WL_M_COUNT, .meaning = "edges of the graph"},
    {.name = "components", .flags = WL_M_COUNT, .meaning = "components of the graph"},
    {.name = "unreached",
     .unit = "rows",
     .flags = WL_M_COUNT | WL_M_LESS,
     .meaning = "unlabelled rows in components without a label: no label reaches them along edges"},
    {.name = "condition",
     .log = true,
     .flags = WL_M_LESS,
     .meaning = "how much the graph deforms the kernel: the ratio of the largest pivot of S to the smallest",
     .equation = "SS' = I + rho Phi'L Phi, rho = gamma_I / (gamma_A n^2)"},
    WLAB_SECONDS,
    {.name = NULL}};

typedef enum stage {
    BEGIN,  /* nothing is made */
    GRAPH,  /* the graph is */
    FACTOR, /* the kernel is */
    SOLVE   /* there is an f */
} stage;

/* The kernel for one rho, and what solves the SVM with it. */
typedef struct machine {
    wlab_kernel kernel; /* deformed != NULL: made */
    double *K;          /* [l x l] K^ of the labelled rows, bias^2 included */
    wlab_mfn *newton;   /* squared */
    double *w;          /* [columns of the kernel's factor] workspace */
} machine;

typedef struct lapsvm {
    wlab_problem *p;
    int64_t n, l, most;
    int64_t rank; /* columns of the factor; 0: all */
    wlab_kernel plain;
    wlab_graph_spec spec;
    double bias, gamma_A, lambda, eps;
    double wanted; /* gamma_I of the next kernel */
    bool squared;
    int32_t *labelled; /* [l] rows */
    /* ---- made by the first two units, and again after a snapshot is read; kept if the run goes back ---- */
    wlab_graph *graph;
    machine at_rho;
    int64_t edges, components, unreached; /* known when the graph is */
    double energy_of_labels;
    /* ---- snapshot ---- */
    stage stage;
    double gamma_I; /* of the kernel */
    int64_t passes, flips;
    bool finished;
    wlab_verdict verdict;
    double loss, norm, energy, errors, upper, lower, inner_gap, seconds;
    double *beta; /* [l] */
    double *f;    /* [n] outputs, with the offset */
    int8_t *y;    /* [n] */
    /* ---- workspace ---- */
    double *beta_new, *at; /* [l] */
    double *pos, *neg;     /* [l] costs */
} lapsvm;

static void machine_clear(machine *m)
{
    wlab_mfn_destroy(m->newton);
    wlab_free(m->K);
    wlab_free(m->w);
    wlab_kernel_clear(&m->kernel);
    *m = (machine){.newton = NULL};
}

static void destroy(void *state)
{
    lapsvm *s = state;
    if (!s)
        return;
    machine_clear(&s->at_rho);
    wlab_graph_unref(s->graph);
    wlab_problem_unref(s->p);
    wlab_free(s->labelled);
    wlab_free(s->beta);
    wlab_free(s->f);
    wlab_free(s->y);
    wlab_free(s->beta_new);
    wlab_free(s->at);
    wlab_free(s->pos);
    wlab_free(s->neg);
    wlab_free(s);
}

/* gamma_A and gamma_I, which preset= sets where they are not given. */
static double setting(const wlab_problem *p, const wlab_params *given, const char *name)
{
    const bool program = wlab_params_choice(given, "preset") == 1;
    const double l = (double)p->labelled, n = (double)p->n;

    if (wlab_params_given(given, name))
        return NAN;
    if (strcmp(name, "rank") == 0)
        return (double)wlab_kernel_columns(given, p->n);
    if (strcmp(name, "gamma_A") == 0)
        return (program ? 1e-6 : 0.005) / l;
    return strcmp(name, "gamma_I") == 0 ? (program ? 1 : 0.045) * n * n / l : NAN;
}

static double weight(const lapsvm *s, const wlab_params *given, const char *name)
{
    return wlab_params_given(given, name) ? wlab_params_real(given, name) : setting(s->p, given, name);
}

static void choose_weights(lapsvm *s, const wlab_params *given)
{
    s->gamma_A = weight(s, given, "gamma_A");
    s->wanted = weight(s, given, "gamma_I");
    s->lambda = 2 * s->gamma_A;
}

static double rho_of(const lapsvm *s, double gamma_I)
{
    return gamma_I / (s->gamma_A * (double)s->n * (double)s->n);
}

static wlab_code fill(lapsvm *s, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_problem *p = s->p;
    wlab_code code;

    s->n = p->n;
    for (int64_t i = 0; i < s->n; i++)
        s->l += p->visible[i] != 0;
    if (s->l == 0)
        return wlab_fail(err, WL_ESTATE,
                         "at least one labelled row is needed; `algo ncut` cuts a graph without labels");
    s->squared = wlab_params_choice(given, "loss") == 1;
    s->eps = wlab_params_real(given, "eps");
    s->bias = wlab_params_real(given, "bias");
    s->most = wlab_params_int(given, "iterations");
    choose_weights(s, given);
    s->gamma_I = s->wanted;
    s->rank = wlab_kernel_columns(given, p->n);
    if ((s->rank == 0 && (code = wlab_kernel_fits(s->n, WL_KERNEL_ROWS, "rows", "leave rank= out", err))) ||
        (code = wlab_graph_parse(&s->spec, wlab_params_text(given, "graph"), err)) ||
        (code = wlab_kernel_choose(&s->plain, given, p->X, ctx, err)))
        return code;
    if (s->spec.neighbours == 0)
        return wlab_fail(err, WL_EARG,
                         "graph=none: this algorithm needs a graph, knn:6 for example; `algo svm` has none");
    const size_t n = (size_t)s->n, l = (size_t)s->l;
    s->labelled = wlab_alloc(l, sizeof *s->labelled);
    s->beta = wlab_calloc(l, sizeof *s->beta);
    s->beta_new = wlab_alloc(l, sizeof *s->beta_new);
    s->at = wlab_alloc(l, sizeof *s->at);
    s->pos = wlab_alloc(l, sizeof *s->pos);
    s->neg = wlab_alloc(l, sizeof *s->neg);
    s->f = wlab_calloc(n, sizeof *s->f);
    s->y = wlab_alloc(n, 1);
    if (!s->labelled || !s->beta || !s->beta_new || !s->at || !s->pos || !s->neg || !s->f || !s->y)
        return wlab_nomem(err);
    for (int64_t i = 0, k = 0; i < s->n; i++)
        if (p->visible[i]) {
            s->pos[k] = p->visible[i] > 0 ? 1 / (double)s->l : 0;
            s->neg[k] = p->visible[i] < 0 ? 1 / (double)s->l : 0;
            s->labelled[k++] = (int32_t)i;
        }
    memcpy(s->y, p->visible, n);
    s->loss = s->norm = s->energy = s->errors = s->upper = s->lower = s->inner_gap = NAN;
    return WL_OK;
}

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    lapsvm *s = wlab_calloc(1, sizeof *s);
    *state = NULL;
    if (!s)
        return wlab_nomem(err);
    s->p = wlab_problem_ref(p);
    const wlab_code code = fill(s, given, ctx, err);
    if (code) {
        destroy(s);
        return code;
    }
    *state = s;
    return WL_OK;
}

static wlab_code set(void *state, const wlab_params *given, wlab_err *err)
{
    lapsvm *s = state;
    (void)err;
    s->most = wlab_params_int(given, "iterations");
    choose_weights(s, given);
    if ((s->verdict == WL_LIMIT && s->passes < s->most) || (s->finished && s->wanted != s->gamma_I)) {
        s->finished = false;
        s->verdict = WL_MORE;
    }
    return WL_OK;
}

/* ---- the graph and the kernel ---- */

/* Counts the rows that no label reaches: spreads a mark from the labelled rows along edges until nothing changes. */
static wlab_code measure_graph(lapsvm *s, const wlab_graph *g, wlab_err *err)
{
    bool *reached = wlab_calloc((size_t)s->n, sizeof *reached), changed = true;
    double *label = wlab_calloc((size_t)s->n, sizeof *label);
    wlab_code code = reached && label ? WL_OK : wlab_nomem(err);

    for (int64_t k = 0; !code && k < s->l; k++) {
        reached[s->labelled[k]] = true;
        label[s->labelled[k]] = s->p->visible[s->labelled[k]];
    }
    while (!code && changed) {
        changed = false;
        for (int64_t e = 0; e < g->edges; e++)
            if (reached[g->edge[e].i] != reached[g->edge[e].j])
                reached[g->edge[e].i] = reached[g->edge[e].j] = changed = true;
    }
    s->unreached = 0;
    for (int64_t i = 0; !code && i < s->n; i++)
        s->unreached += !reached[i];
    if (!code)
        s->energy_of_labels = wlab_graph_energy(g, label);
    s->edges = g->edges;
    s->components = g->components;
    wlab_free(reached);
    wlab_free(label);
    return code;
}

static wlab_code make_graph(lapsvm *s, wlab_ctx *ctx, wlab_err *err)
{
    wlab_graph *g = NULL;
    if (s->graph)
        return WL_OK;
    wlab_code code =
        wlab_graph_make(&g, s->p->X, s->spec.neighbours, s->spec.heat, s->spec.normalised, ctx, err);
    code = code ? code : measure_graph(s, g, err);
    if (code) {
        wlab_graph_unref(g);
        return code;
    }
    s->graph = g;
    if (10 * s->unreached > s->n - s->l)
        wlab_emit_warning(
            ctx,
            "no label reaches %lld of the %lld unlabelled rows along edges; more neighbours in graph= "
            "join the parts of the graph",
            (long long)s->unreached, (long long)(s->n - s->l));
    return WL_OK;
}

/* K^ of the labelled rows, and the solver that works on it. */
static wlab_code make_solver(const lapsvm *s, machine *m, wlab_ctx *ctx, wlab_err *err)
{
    wlab_matrix *L = NULL;
    wlab_code code = wlab_matrix_rows(&L, s->p->X, s->labelled, s->l, err);

    if (!code && (!(m->K = wlab_alloc((size_t)(s->l * s->l), sizeof *m->K)) ||
                  !(m->w = wlab_alloc((size_t)m->kernel.deformed->r + 1, sizeof *m->w))))
        code = wlab_nomem(err);
    code = code ? code : wlab_kernel_matrix_progress(&m->kernel, L, L, NULL, m->K, ctx, err);
    wlab_matrix_destroy(L);
    if (!code && s->squared)
        code = wlab_mfn_create(&m->newton, NULL, 0, m->K, s->l, s->lambda, WL_MFN_FAST, 0.9 * s->eps, err);
    if (!code && s->squared) {
        memcpy(m->newton->pos, s->pos, (size_t)s->l * sizeof *s->pos);
        memcpy(m->newton->neg, s->neg, (size_t)s->l * sizeof *s->neg);
    }
    return code;
}

/* With another kernel, or after the run went back, the solver starts from 0. */
static void restart_solver(lapsvm *s)
{
    wlab_mfn *newton = s->at_rho.newton;
    memset(s->beta, 0, (size_t)s->l * sizeof *s->beta);
    if (!s->squared)
        return;
    memset(newton->w, 0, (size_t)s->l * sizeof *newton->w);
    memset(newton->o, 0, (size_t)s->l * sizeof *newton->o);
    wlab_mfn_start(newton, NULL);
}

/* Makes the kernel for gamma_I, unless it is there.  After an error the former one remains. */
static wlab_code make_kernel(lapsvm *s, double gamma_I, wlab_ctx *ctx, wlab_err *err)
{
    wlab_deformed *d = NULL;
    const double rho = rho_of(s, gamma_I);
    wlab_code code = make_graph(s, ctx, err);

    if (code || (s->at_rho.kernel.deformed && s->at_rho.kernel.deformed->rho == rho))
        return code;
    if ((code = wlab_deformed_make(&d, &s->plain, s->p->X, wlab_graph_ref(s->graph), rho, s->rank, ctx, err)))
        return code;
    if (d->left > 1e-9 * d->trace && !(ctx && ctx->lean))
        wlab_emit_warning(
            ctx,
            "rank=%lld: a factor F of the kernel matrix with %lld columns is used in its place; "
            "trace(K - FF') is %.2g %% of trace(K), certified",
            (long long)s->rank, (long long)d->r, 100 * d->left / d->trace);
    machine m = {.kernel = {.kind = WL_K_DEFORMED, .bias = s->bias, .deformed = d}};
    if ((code = make_solver(s, &m, ctx, err))) {
        machine_clear(&m);
        return code;
    }
    machine_clear(&s->at_rho);
    s->at_rho = m;
    return WL_OK;
}

/* ---- the solver ---- */

static double row_loss_at(const lapsvm *s, double margin)
{
    const double slack = margin < 1 ? 1 - margin : 0;
    return s->squared ? 0.5 * slack * slack : slack;
}

/* Outputs of all rows, and the parts of the objective, for the coefficients beta / lambda of the labelled rows (c). */
static void evaluate(lapsvm *s, const double *c, double *f)
{
    const wlab_deformed *d = s->at_rho.kernel.deformed;
    const int64_t r = d->r;
    double sum = 0, *w = s->at_rho.w;

    memset(w, 0, (size_t)r * sizeof *w);
    for (int64_t k = 0; k < s->l; k++) {
        sum += c[k];
        if (r > 0)
            cblas_daxpy((int)r, c[k], d->Phi + s->labelled[k] * r, 1, w, 1);
    }
    for (int64_t i = 0; i < s->n; i++)
        f[i] = r > 0 ? cblas_ddot((int)r, d->Phi + i * r, 1, w, 1) : 0;
    s->energy = wlab_graph_energy(d->graph, f);
    const double all = r > 0 ? cblas_ddot((int)r, w, 1, w, 1) : 0, constant = s->bias * sum;
    s->norm = fmax(all - d->rho * s->energy, 0) + constant * constant;
    s->loss = s->errors = 0;
    for (int64_t i = 0; i < s->n; i++)
        f[i] += s->bias * constant;
    for (int64_t k = 0; k < s->l; k++) {
        const int64_t i = s->labelled[k];
        s->loss += row_loss_at(s, s->p->visible[i] * f[i]) / (double)s->l;
        s->errors += s->p->visible[i] * f[i] < 1 - 1e-6;
    }
}

static double graph_part(const lapsvm *s)
{
    return s->gamma_I / ((double)s->n * (double)s->n) * s->energy;
}

static double objective(const lapsvm *s)
{
    return s->loss + s->gamma_A * s->norm + graph_part(s);
}

/* One pass.  *primal, *dual: of the point reached; *stuck: doubles allow no more progress. */
static wlab_code pass(lapsvm *s, double *primal, double *dual, bool *stuck, wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code;
    if (s->squared) {
        wlab_mfn *m = s->at_rho.newton;
        if (m->done || m->stalled) { /* a run that was continued */
            *primal = m->f;
            *dual = m->f - m->gap;
            *stuck = true;
            return WL_OK;
        }
        if ((code = wlab_mfn_iterate(m, ctx, err)))
            return code;
        memcpy(s->beta_new, m->w, (size_t)s->l * sizeof *s->beta_new);
        *primal = m->f;
        *dual = m->f - m->gap;
        *stuck = m->stalled;
        return WL_OK;
    }
    wlab_smo_result result;
    memcpy(s->beta_new, s->beta, (size_t)s->l * sizeof *s->beta_new);
    code = wlab_smo_solve(s->at_rho.K, s->l, s->lambda, s->pos, s->neg, 0.9 * s->eps, s->l, s->beta_new,
                          s->at, &result, ctx, err);
    if (code)
        return code;
    if (result.stopped)
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    *primal = result.primal;
    *dual = result.dual;
    *stuck = result.updates < s->l;
    return WL_OK;
}

/* How much of the dual value may be rounding: its quadratic term beta'K^beta / (2 lambda) is a difference of larger ones if
 * the constant feature is large.  0 if that is less than what a bound is read to. */
static double rounding(const lapsvm *s)
{
    double sum = 0;
    for (int64_t k = 0; k < s->l; k++)
        sum +=
            fabs(s->squared ? s->beta[k] * s->lambda : s->beta[k]) * sqrt(fmax(s->at_rho.K[k * s->l + k], 0));
    const double error = DBL_EPSILON * (double)(s->l + 2) * sum * sum / (2 * s->lambda);
    return error > 1e-9 * objective(s) ? error : 0;
}

static wlab_code solve(lapsvm *s, wlab_ctx *ctx, wlab_err *err)
{
    double primal = 0, dual = 0;
    bool stuck = false;
    const bool first = s->stage == FACTOR; /* with this kernel */
    wlab_code code = pass(s, &primal, &dual, &stuck, ctx, err);

    if (code)
        return code;
    for (int64_t k = 0; k < s->l; k++)
        s->at[k] = s->squared ? s->beta_new[k] : s->beta_new[k] / s->lambda;
    evaluate(s, s->at, s->f);
    memcpy(s->beta, s->beta_new, (size_t)s->l * sizeof *s->beta);
    s->flips = 0;
    for (int64_t i = 0; i < s->n; i++) {
        const int8_t y = s->p->visible[i] ? s->p->visible[i] : s->f[i] > 0 ? 1 : -1;
        s->flips += y != s->y[i];
        s->y[i] = y;
    }
    s->passes++;
    s->stage = SOLVE;
    s->inner_gap = fmax(primal - dual, 0);
    s->upper = first ? objective(s) : fmin(s->upper, objective(s));
    dual -= rounding(s);
    s->lower = first ? fmax(dual, 0) : fmax(s->lower, dual);
    const double gap = s->upper - s->lower;
    s->verdict = gap <= s->eps * s->upper ? WL_CONVERGED
                 : stuck                  ? WL_STALLED
                 : s->passes >= s->most   ? WL_LIMIT
                                          : WL_MORE;
    s->finished = s->verdict != WL_MORE;
    if (s->verdict == WL_LIMIT)
        wlab_emit_note(ctx, "limit iterations=%lld reached: `set iterations=%lld` continues",
                       (long long)s->most, 2 * (long long)s->most);
    if (s->verdict == WL_STALLED)
        wlab_emit_note(ctx, "the solver makes no more progress in double precision: the gap is %.2g", gap);
    return WL_OK;
}

static wlab_step report(const lapsvm *s)
{
    return (wlab_step){.complete = s->stage == SOLVE, .verdict = s->verdict};
}

static wlab_code advance(void *state, wlab_ctx *ctx, wlab_step *step, wlab_err *err)
{
    lapsvm *s = state;
    const double from = wlab_seconds_now();
    wlab_code code = WL_OK;

    *step = s->finished ? report(s) : (wlab_step){0};
    if (s->finished)
        return WL_OK;
    if (wlab_interrupted(ctx))
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    if (s->stage == BEGIN) {
        if (!(code = make_graph(s, ctx, err)))
            s->stage = GRAPH;
    } else if (s->stage == GRAPH || s->wanted != s->gamma_I) {
        if (!(code = make_kernel(s, s->wanted, ctx, err))) {
            restart_solver(s);
            s->gamma_I = s->wanted;
            s->stage = FACTOR;
        }
    } else {
        code = solve(s, ctx, err);
    }
    if (code)
        return code;
    *step = report(s);
    s->seconds += wlab_seconds_now() - from;
    return WL_OK;
}

/* ---- what is shown ---- */

static void observe(const void *state, double *metric, int8_t *labels)
{
    const lapsvm *s = state;
    const bool g = s->stage >= GRAPH;
    const wlab_deformed *d = s->stage >= FACTOR ? s->at_rho.kernel.deformed : NULL;

    if (labels)
        memcpy(labels, s->y, (size_t)s->n);
    if (!metric)
        return;
    metric[M_OBJECTIVE] = s->passes ? objective(s) : NAN;
    metric[M_LOSS] = s->loss;
    metric[M_NORM] = s->gamma_A * s->norm;
    metric[M_SMOOTH] = graph_part(s);
    metric[M_UPPER] = s->upper;
    metric[M_LOWER] = wlab_lower_beside(s->lower, s->upper, s->upper);
    wlab_put_gap(&metric[M_GAP], metric[M_UPPER] - metric[M_LOWER], metric[M_UPPER]);
    metric[M_INNER_GAP] = s->inner_gap;
    metric[M_FLIPS] = s->passes > 1 ? (double)s->flips : NAN; /* a first label does not count */
    metric[M_ENERGY] = s->passes ? s->energy : g ? s->energy_of_labels : NAN;
    metric[M_ERRORS] = s->errors;
    metric[M_EDGES] = g ? (double)s->edges : NAN;
    metric[M_COMPONENTS] = g ? (double)s->components : NAN;
    metric[M_UNREACHED] = g ? (double)s->unreached : NAN;
    metric[M_CONDITION] = d ? d->largest / d->least : NAN;
    metric[M_SECONDS] = s->seconds;
}

static wlab_code model(const void *state, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    const lapsvm *s = state;
    *out = NULL;
    if (s->stage < SOLVE)
        return wlab_no_model(err);
    double *c = wlab_calloc((size_t)s->n, sizeof *c);
    if (!c)
        return wlab_nomem(err);
    for (int64_t k = 0; k < s->l; k++)
        c[s->labelled[k]] = s->squared ? s->beta[k] : s->beta[k] / s->lambda;
    const wlab_code code =
        wlab_model_from_coefficients(out, s->p, &s->at_rho.kernel, c, ctx ? ctx->pool : NULL, err);
    wlab_free(c);
    return code;
}

/* Of the graph's kernel once there is one. */
static const wlab_kernel *kernel(const void *state)
{
    const lapsvm *s = state;
    return s->stage >= FACTOR ? &s->at_rho.kernel : NULL;
}

static wlab_loss loss_of(const wlab_params *given)
{
    return wlab_params_choice(given, "loss") == 1 ? WL_LOSS_SQUARED_HINGE : WL_LOSS_HINGE;
}

static void explain(const void *state, char *buf, size_t size)
{
    const lapsvm *s = state;

    if (s->stage == BEGIN) {
        snprintf(buf, size,
                 "No step has been made yet: %lld of %lld rows have a label.  Step 1 joins each row to its "
                 "%d nearest, makes the kernel that this graph deforms, and begins to solve the SVM "
                 "(`stepi` does one of these three); further steps go on solving.",
                 (long long)s->l, (long long)s->n, s->spec.neighbours);
    } else if (s->stage == GRAPH) {
        snprintf(buf, size,
                 "Each row was joined to its %d nearest: %lld edges, %lld component%s.  %lld unlabelled rows "
                 "are in a "
                 "component without a label, so that no label reaches them along edges.  f'Lf of the labels, "
                 "with 0 for "
                 "the other rows, is %.6g.",
                 s->spec.neighbours, (long long)s->edges, (long long)s->components,
                 s->components == 1 ? "" : "s", (long long)s->unreached, s->energy_of_labels);
    } else if (s->stage == FACTOR) {
        const wlab_deformed *d = s->at_rho.kernel.deformed;
        snprintf(buf, size,
                 "The kernel matrix was written as Phi Phi' with %lld columns, and I + rho Phi'L Phi = SS' "
                 "factored for "
                 "rho = gamma_I / (gamma_A n^2) = %.4g.  The columns of Phi S'^-1 give the deformed kernel; "
                 "the pivots "
                 "of S go from %.3g to %.3g.",
                 (long long)d->r, d->rho, d->least, d->largest);
    } else {
        snprintf(buf, size,
                 "Pass %lld of the SVM on the %lld labelled rows (%s).  The objective is %.10g = %.4g "
                 "(losses) + %.4g "
                 "(gamma_A ||f||^2) + %.4g (gamma_I/n^2 f'Lf), at most %.3g above its minimum; %lld labelled "
                 "rows have a "
                 "loss.",
                 (long long)s->passes, (long long)s->l,
                 s->squared ? "a Newton step" : "SMO, a round of updates", objective(s), s->loss,
                 s->gamma_A * s->norm, graph_part(s), fmax(s->upper - s->lower, 0), (long long)s->errors);
        if (s->passes > 1)
            wlab_text_append(buf, size, "  %lld of %lld unlabelled rows changed their sign.",
                             (long long)s->flips, (long long)(s->n - s->l));
        wlab_text_append(buf, size, "%s",
                         s->verdict == WL_CONVERGED ? "  The gap is small enough: this is the minimum."
                         : s->verdict == WL_STALLED ? "  Doubles allow no more progress."
                         : s->verdict == WL_LIMIT   ? "  The limit iterations= stopped the run."
                                                    : "");
    }
}

static void next(const void *state, char *buf, size_t size)
{
    const lapsvm *s = state;
    if (s->finished)
        snprintf(buf, size, "nothing: %s",
                 s->verdict == WL_CONVERGED ? "the minimum was found"
                 : s->verdict == WL_LIMIT   ? "the limit iterations= was reached; `set iterations=` continues"
                                            : "the solver makes no more progress in double precision");
    else if (s->stage == BEGIN)
        snprintf(buf, size, "make the graph: join each of %lld rows to its %d nearest", (long long)s->n,
                 s->spec.neighbours);
    else if (s->stage == GRAPH || s->wanted != s->gamma_I)
        snprintf(buf, size, "make the kernel: K (I + rho L K)^-1 with rho = %.4g", rho_of(s, s->wanted));
    else
        snprintf(buf, size, "a pass of the SVM on %lld labelled rows: %s", (long long)s->l,
                 s->squared ? "a Newton step" : "a round of SMO updates");
}

static void walk(void *state, wlab_walk *w)
{
    lapsvm *s = state;
    stage reached = s->stage;
    wlab_verdict verdict = s->verdict;
    double gamma_I = s->gamma_I;

    WL_WALK(w, reached);
    WL_WALK(w, verdict);
    WL_WALK(w, gamma_I);
    if (wlab_walk_has_read(w) &&
        ((unsigned)reached > SOLVE || (unsigned)verdict > WL_LIMIT || !(gamma_I >= 0)))
        wlab_walk_damaged(w);
    if (wlab_walk_has_read(w) && reached >= GRAPH)
        (void)wlab_walk_check(w, reached >= FACTOR ? make_kernel(s, gamma_I, w->ctx, w->err)
                                                   : make_graph(s, w->ctx, w->err));
    if (wlab_walk_has_read(w)) {
        s->stage = reached;
        s->verdict = verdict;
        s->gamma_I = gamma_I;
    }
    WL_WALK(w, s->passes);
    WL_WALK(w, s->flips);
    WL_WALK(w, s->finished);
    WL_WALK(w, s->loss);
    WL_WALK(w, s->norm);
    WL_WALK(w, s->energy);
    WL_WALK(w, s->errors);
    WL_WALK(w, s->upper);
    WL_WALK(w, s->lower);
    WL_WALK(w, s->inner_gap);
    WL_WALK(w, s->seconds);
    WL_WALK_ARRAY(w, s->beta, s->l);
    WL_WALK_ARRAY(w, s->f, s->n);
    WL_WALK_ARRAY(w, s->y, s->n);
    if (s->squared && reached >= FACTOR && !w->code)
        wlab_mfn_walk(s->at_rho.newton, w);
}

const wlab_algo wlab_algo_lapsvm = {
    .name = "lapsvm",
    .summary = "Laplacian SVM: outputs that change little along the edges of a graph of the rows",
    .idea = WL_IDEA_GRAPH,
    .problem = "min over f of 1/l sum_i loss(y_i f_i) + gamma_A ||f||^2 + gamma_I/n^2 f'Lf",
    .symbols = "i: one of l labelled rows, with the label y_i and the output f_i\n"
               "f'Lf: sum over the edges of the graph of W_ij (f_i - f_j)^2; the graph has all n rows\n"
               "||f||: the norm of the kernel\n"
               "loss: max(0, 1 - y f), or half its square",
    .when = "few labels, and rows of one class that lie close together, in any shape (two moons, digits)",
    .cost = "once n^2 d for the graph and n r^2 for the kernel, on all rows; a step: a pass over the "
            "labelled rows",
    .proves = "its own objective, which is convex, to the gap; nothing about labelings",
    .work = "(1 - K) * 2.5e-8 * z + K * 1e-9 * n^2",
    .work_once = "K * 1.25e-10 * n^3",
    .columns = "rank",
    .memory = "3000 * n + K * 25 * n^2",
    .source =
        "Belkin, Niyogi and Sindhwani, JMLR 7 (2006); the kernel: Sindhwani, Niyogi and Belkin, ICML 2005",
    .learns_from = WL_SEES_SOME_LABELS,
    .any_balance = true,
    .step_unit =
        "a pass of the SVM's solver; step 1 makes the graph and its kernel before, and the first after "
        "`set gamma_I=` the kernel",
    .inner_unit =
        "in step 1: the graph, its kernel, a pass; after `set gamma_I=`: the kernel, a pass; else the "
        "same as a step",
    .converged = "gap <= eps * upper",
    .params = params,
    .metrics = metrics,
    .create = create,
    .advance = advance,
    .observe = observe,
    .model = model,
    .kernel = kernel,
    .setting = setting,
    .loss_of = loss_of,
    .explain = explain,
    .next = next,
    .walk = walk,
    .set = set,
    .destroy = destroy,
};
