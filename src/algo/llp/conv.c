/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * conv-psvm (Yu, Liu, Kumar, Jebara and Chang, Algorithm 2): the large-margin problem over the labelings that keep the
 * bags' proportions, relaxed to the convex hull of their yy'.  It uses WellSVM's cutting planes, by default with the
 * search along axes (wellsvm/linf.c).  What it adds are the labels y, recovered from M = sum_t mu_t y_t y_t', and the
 * predictor that uses them.
 */
#include "algo/llp/conv.h"
#include "algo/algos.h"
#include "base/walk.h"

#include <cblas.h>
#include <lapacke.h>
#include <string.h>

enum {
    DIAGONAL_ROWS = 200
};

static const char *const search_names[] = {"linf", "multistart", "exact", NULL};
static const well_search searches[] = {WELL_LINF, WELL_MULTISTART, WELL_EXACT};
static const char *const sign_names[] = {"error", "means", NULL};
static const char *const basis_names[] = {"auto", "features", "pca", NULL};

static const wlab_param_info params[] = {
    WLAB_KERNEL_PARAMS("linear", "0"),
    {"C", WL_P_REAL, "1", 0, HUGE_VAL, NULL, NULL, "penalty of a row",
     WL_P_OPEN_LO | WL_P_MUTABLE | WL_P_OBJECTIVE},
    {"eps", WL_P_REAL, NULL, 0, 1, NULL, NULL,
     "llp: by how much a labeling's proportion of positives in a bag may differ from the given one; if not "
     "given: the task's eps=",
     WL_P_OBJECTIVE},
    {"center", WL_P_BOOL, "no", 0, 0, NULL, NULL,
     "yes: move the rows' mean to 0 in the kernel's feature space, in place of an offset", WL_P_OBJECTIVE},
    {"search", WL_P_CHOICE, "linf", 0, 0, search_names, NULL,
     "how to search for a violated labeling: linf (Eqs. 18 to 21), or multistart or exact as in wellsvm",
     WL_P_MUTABLE},
    {"basis", WL_P_CHOICE, "auto", 0, 0, basis_names, NULL,
     "search=linf: the axes; features: the columns of the data; pca: the leading eigenvectors of the kernel "
     "matrix; auto: features if linear, else pca",
     0},
    {"variance", WL_P_REAL, "0.9", 0, 1, NULL, NULL,
     "basis=pca: the fraction of K's trace that the axes cover", WL_P_OPEN_LO},
    {"sign", WL_P_CHOICE, "error", 0, 0, sign_names, NULL,
     "how the training bags decide the sign of y; error: the sign with the smaller error of Eq. 23; means: "
     "the sign with which the mean outputs of the bags increase with their proportions",
     WL_P_MUTABLE},
    {"decrease", WL_P_REAL, "1e-4", 0, 1, NULL, "relative",
     "the run has also converged when a step lowers the objective by less than this", WL_P_MUTABLE},
    {"labelings", WL_P_INT, "10", 1, WELL_MOST_LABELINGS, NULL, NULL,
     "stop at this many labelings in the working set; the paper's runs needed fewer than 10 steps (Section "
     "5.3)",
     WL_P_MUTABLE},
    {"bound", WL_P_CHOICE, "auto", 0, 0, well_bound_names, NULL,
     "how to find a certified lower bound; labelled: from the labelled rows and, with search=linf, the "
     "axes; diagonal: also by a minimal-trace diagonal shift, which is tighter and slow; auto: diagonal "
     "for up to 200 rows, else labelled",
     WL_P_MUTABLE},
    {"mtol", WL_P_REAL, NULL, 0, 1, NULL, "relative",
     "gap to which the MKL problem is solved (default 1e-6; linear kernel above 4000 rows 1e-3)",
     WL_P_OPEN_LO | WL_P_MUTABLE},
    {"nodes", WL_P_INT, "10000000", 1, 9007199254740992.0, NULL, NULL,
     "search=exact: largest number of nodes of the tree of one search", WL_P_MUTABLE},
    {"starts", WL_P_INT, "10", 0, 100000, NULL, NULL,
     "search=multistart: number of random labelings to start "
     "from",
     WL_P_MUTABLE},
    {"seed", WL_P_INT, "1", 0, 9007199254740992.0, NULL, NULL, "search=multistart: seed of the random starts",
     0},
    {NULL, WL_P_TEXT, NULL, 0, 0, NULL, NULL, NULL, 0}};

static void destroy(void *state)
{
    conv_state *s = state;
    if (!s)
        return;
    if (s->real)
        s->w.p = s->real;
    wlab_labelset_destroy(s->allowed);
    well_clear(&s->w);
    wlab_proportions_destroy(s->bags);
    wlab_free(s->mean);
    wlab_free(s->c);
    wlab_free(s->label);
    wlab_free(s);
}

static void read_mutable(conv_state *s, const wlab_params *p)
{
    wellsvm *w = &s->w;
    s->by_means = wlab_params_choice(p, "sign") == 1;
    w->C1 = w->C2 = wlab_params_real(p, "C");
    w->search = searches[wlab_params_choice(p, "search")];
    w->decrease = wlab_params_real(p, "decrease");
    w->bound = (well_bound)wlab_params_choice(p, "bound");
    if (w->bound == WELL_BOUND_AUTO) /* with more rows the diagonal bound would take most of a step's time */
        w->bound = w->n <= DIAGONAL_ROWS ? WELL_BOUND_DIAGONAL : WELL_BOUND_LABELLED;
    w->max_labelings = wlab_params_int(p, "labelings");
    w->max_nodes = wlab_params_int(p, "nodes");
    w->starts = wlab_params_int(p, "starts");
    w->master_tol = wlab_params_real(p, "mtol");
    if (isnan(w->master_tol))
        w->master_tol = w->at_size ? 1e-3 : 1e-6;
}

wlab_code conv_recover(const wellsvm *w, double *y, double *proportion, wlab_err *err)
{
    const int64_t n = w->n, T = w->T;
    int64_t N = 0, lwork = 34 * (T > 0 ? T : 1);
    double *A = wlab_calloc((size_t)(T * T), sizeof *A), *value = wlab_alloc((size_t)T, sizeof *value);
    double *work = wlab_alloc((size_t)lwork, sizeof *work), trace = 0;
    int64_t *live = wlab_alloc((size_t)T, sizeof *live);
    wlab_code code = WL_OK;
    if (!A || !value || !work || !live) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int64_t t = 0; t < T; t++)
        if (w->mu[t] > 0)
            live[N++] = t;
    /* M = Y diag(mu) Y' has the eigenvalues of the N x N matrix sqrt(mu_a mu_b) y_a'y_b */
    for (int64_t a = 0; a < N; a++)
        for (int64_t b = 0; b <= a; b++) {
            int64_t dot = 0;
            for (int64_t k = 0; k < n; k++)
                dot += well_label(w, live[a], k) * well_label(w, live[b], k);
            A[b * N + a] = sqrt(w->mu[live[a]] * w->mu[live[b]]) * (double)dot;
            trace += a == b ? A[b * N + a] : 0;
        }
    if (LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'L', (lapack_int)N, A, (lapack_int)N, value, work,
                           (lapack_int)lwork) != 0) {
        code = wlab_fail(err, WL_ENUMERIC, "the leading eigenvector of M could not be computed");
        goto out;
    }
    /* a unit eigenvector v of A gives the eigenvector Y diag(sqrt(mu)) v of M, whose length is the root of its
     * eigenvalue */
    memset(y, 0, (size_t)n * sizeof *y);
    for (int64_t a = 0; a < N; a++) {
        const double weight = sqrt(w->mu[live[a]]) * A[(N - 1) * N + a];
        for (int64_t k = 0; k < n; k++)
            y[k] += weight * well_label(w, live[a], k);
    }
    *proportion = value[N - 1] / trace;
out:
    wlab_free(A);
    wlab_free(value);
    wlab_free(work);
    wlab_free(live);
    return code;
}

/* Eq. 23 of the signs of f, counting each row with a visible label as one more bag. */
static double training_error(const conv_state *s, const double *f)
{
    double sum = wlab_proportions_output_error(s->bags, f);
    for (int64_t k = 0; k < s->w.n; k++)
        sum += s->w.p->visible[k] && s->w.p->visible[k] * f[k] <= 0;
    return sum;
}

/* sum over bags of (p_k - p)(f_k - f), where f_k is the mean output of bag k: negative if f falls as the proportion
 * rises. */
static double proportion_covariance(const wlab_proportions *b, const double *f)
{
    double p = 0, mean = 0, sum = 0;
    for (int turn = 0; turn < 2; turn++)
        for (int64_t g = 0; g < b->bags; g++) {
            const int64_t size = wlab_proportions_size(b, g);
            double of_bag = 0;
            if (size == 0 || isnan(b->proportion[g]))
                continue;
            for (int64_t k = b->start[g]; k < b->start[g + 1]; k++)
                of_bag += f[b->member[k]] / (double)size;
            if (turn) {
                sum += (b->proportion[g] - p) * (of_bag - mean);
            } else {
                p += b->proportion[g] / (double)b->given;
                mean += of_bag / (double)b->given;
            }
        }
    return sum;
}

/* Decides the sign when f and -f fit the bags equally well.  Returns whether the inner product of f and the mean
 * labeling of the label set is negative or, if it is 0, whether the output of the first row is. */
static bool mean_labeling_opposes(const wellsvm *w, const double *f, double *scratch)
{
    double sum = 0;
    wlab_labelset_mean(w->p->labels, scratch);
    for (int64_t k = 0; k < w->n; k++)
        sum += scratch[k] * f[k];
    return sum != 0 ? sum < 0 : f[0] < 0;
}

/* What a step does beyond WellSVM's: it recovers y from M, decides its sign, and predicts the training rows' labels. */
static wlab_code recover_labels(wellsvm *w, wlab_ctx *ctx, wlab_err *err)
{
    conv_state *s = (conv_state *)(void *)w;
    const size_t n = (size_t)w->n;
    double *c = wlab_alloc(n, sizeof *c), *f = wlab_alloc(n, sizeof *f),
           *scratch = wlab_alloc(n, sizeof *scratch);
    double proportion = 0;
    wlab_code code = c && f && scratch ? conv_recover(w, scratch, &proportion, err) : wlab_nomem(err);
    for (int64_t k = 0; k < w->n && !code; k++)
        c[k] = scratch[k] * w->at.alpha[k];
    if (!code)
        code = well_product(w, c, f, ctx, err);
    if (code)
        goto out;
    const double as_is = training_error(s, f), error = wlab_proportions_output_error(s->bags, f);
    cblas_dscal((int)n, -1, f, 1);
    const double other = training_error(s, f), other_error = wlab_proportions_output_error(s->bags, f),
                 rises = s->by_means ? proportion_covariance(s->bags, f) : 0;
    const bool turn = rises != 0       ? rises > 0
                      : other != as_is ? other < as_is
                                       : !mean_labeling_opposes(w, f, scratch);
    cblas_dscal((int)n, turn ? -1 : 1, c, 1);
    s->bag_error = s->bags->given == 0 ? NAN : turn ? other_error : error;
    s->other = s->bags->given == 0 ? NAN : turn ? error : other_error;
    s->rank_one = proportion;
    s->flips = 0;
    for (int64_t k = 0; k < w->n; k++) {
        const bool positive = turn ? f[k] > 0 : -f[k] > 0;
        const int8_t label = w->p->visible[k] ? w->p->visible[k] : positive ? 1 : -1;
        s->flips += label != s->label[k];
        s->label[k] = label;
    }
    s->steps++;
    memcpy(s->c, c, n * sizeof *c);
out:
    wlab_free(c);
    wlab_free(f);
    wlab_free(scratch);
    return code;
}

static wlab_code centre_kernel(conv_state *s, wlab_err *err)
{
    const int64_t n = s->w.n;
    double *K = s->w.K;
    s->mean = wlab_alloc((size_t)n, sizeof *s->mean);
    if (!s->mean)
        return wlab_nomem(err);
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t j = 0; j < n; j++)
            sum += K[i * n + j];
        s->mean[i] = sum / (double)n;
        s->grand += s->mean[i] / (double)n;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            K[i * n + j] += s->grand - (s->mean[i] + s->mean[j]);
    return WL_OK;
}

static wlab_code check_params(const wellsvm *w, wlab_err *err)
{
    if (w->centred && w->at_size)
        return wlab_fail(err, WL_EARG,
                         "center=yes needs the kernel matrix, which the linear kernel stores for at most %d "
                         "rows; `scale zscore` moves each feature's mean to 0, or use bias=1",
                         WELL_GRAM_ROWS);
    if (w->centred && w->kernel.bias != 0)
        return wlab_fail(err, WL_EARG,
                         "center=yes and bias=%g exclude each other: a constant feature is 0 once it is "
                         "centred",
                         w->kernel.bias);
    return well_check_search(w, err);
}

/* Computes the first labeling of Algorithm 2: the one that the search along axes finds at alpha = 1/N, whichever
 * search= the steps use.  If the problem is too large for axes, it is WellSVM's first labeling instead. */
static wlab_code first_labeling(wellsvm *w, wlab_ctx *ctx, wlab_err *err)
{
    wlab_err unused;
    if (well_linf_check(w, &unused)) /* no axes; create() has refused search=linf then */
        return well_start(w, ctx, err);
    double most, M, *a = wlab_alloc((size_t)w->n, sizeof *a);
    if (!a)
        return wlab_nomem(err);
    for (int64_t k = 0; k < w->n; k++)
        a[k] = 1 / (double)w->n;
    wlab_code code = well_linf_run(w, a, w->pending, &most, &M, ctx, err);
    if (!code)
        memcpy(w->before, w->pending, (size_t)w->n);
    wlab_free(a);
    return code;
}

/* The labelings that eps= allows in place of the task's eps. */
static wlab_code allowed_by(wlab_labelset **set, const wlab_problem *p, double eps, wlab_err *err)
{
    *set = NULL;
    if (p->task->sees != WL_SEES_PROPORTIONS)
        return wlab_fail(err, WL_EARG,
                         "eps= is how far the bags' proportions may be off, but the task %s gives none",
                         p->task->name);
    return wlab_labelset_llp(set, p->bag, p->visible, p->n, p->bags, p->bag_given, eps, err);
}

/* Makes WellSVM work on a view of the problem, whose label set is that of the parameter eps=. */
static wlab_code replace_labelset(conv_state *s, wlab_problem *p, double eps, wlab_err *err)
{
    wlab_code code = allowed_by(&s->allowed, p, eps, err);
    if (code)
        return code;
    s->real = s->w.p;
    s->view = *p;
    s->view.labels = s->allowed;
    s->w.p = &s->view;
    return WL_OK;
}

/* eps= changes nothing until it allows a bag another number of positives: eps=0.1 first with bags of ten. */
static bool same(const wlab_problem *p, const wlab_params *a, const wlab_params *b)
{
    wlab_labelset *of_a = NULL, *of_b = NULL;
    wlab_err unused;
    for (const wlab_param_info *i = params; i->name; i++)
        if (strcmp(i->name, "eps") == 0 ? !wlab_params_given(a, "eps") || !wlab_params_given(b, "eps")
                                        : !wlab_params_agree(a, b, i->name))
            return false;
    const bool equal = !allowed_by(&of_a, p, wlab_params_real(a, "eps"), &unused) &&
                       !allowed_by(&of_b, p, wlab_params_real(b, "eps"), &unused) &&
                       wlab_labelset_same(of_a, of_b);
    wlab_labelset_destroy(of_a);
    wlab_labelset_destroy(of_b);
    return equal;
}

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    conv_state *s = wlab_calloc(1, sizeof *s);
    wellsvm *w;
    wlab_code code;
    *state = NULL;
    if (!s)
        return wlab_nomem(err);
    w = &s->w;
    w->loss = WELL_HINGE;
    w->lambda = 1;
    w->eps = 1e-6;
    w->enumerated = ldexp(1, WELL_ENUMERATE_LOG2);
    w->after_search = recover_labels;
    w->centred = wlab_params_bool(given, "center");
    w->basis = (well_basis)wlab_params_choice(given, "basis");
    w->variance = wlab_params_real(given, "variance");
    wlab_rng_seed(&w->rng, (uint64_t)wlab_params_int(given, "seed"));
    if ((code = well_problem_init(w, p, given, ctx, err)) ||
        (wlab_params_given(given, "eps") &&
         (code = replace_labelset(s, p, wlab_params_real(given, "eps"), err))))
        goto fail;
    read_mutable(s, given);
    if ((code = check_params(w, err)) || (code = well_problem_make(w, ctx, err)) ||
        (w->centred && (code = centre_kernel(s, err))))
        goto fail;
    well_forget_bounds(w);
    s->bag_error = s->other = s->rank_one = NAN;
    s->c = wlab_calloc((size_t)p->n, sizeof *s->c);
    s->label = wlab_alloc((size_t)p->n, 1);
    if (!s->c || !s->label) {
        code = wlab_nomem(err);
        goto fail;
    }
    if ((code = wlab_proportions_create(&s->bags, p, err)) || (code = first_labeling(w, ctx, err)))
        goto fail;
    memcpy(s->label, w->pending, (size_t)p->n);
    *state = s;
    return WL_OK;
fail:
    destroy(s);
    return code;
}

/* A sum of centred kernel functions with coefficients c_k equals a sum of the kernel functions themselves, with other
 * coefficients, plus a constant.  The model has these coefficients and this constant. */
static wlab_code model(const void *state, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    const conv_state *s = state;
    const wellsvm *w = &s->w;
    double mean = 0, offset = 0, *c;
    *out = NULL;
    if (s->steps == 0)
        return wlab_no_model(err);
    if (!(c = wlab_alloc((size_t)w->n, sizeof *c)))
        return wlab_nomem(err);
    for (int64_t k = 0; k < w->n && w->centred; k++) {
        mean += s->c[k] / (double)w->n;
        offset -= s->c[k] * (s->mean[k] - s->grand);
    }
    for (int64_t k = 0; k < w->n; k++)
        c[k] = s->c[k] - mean;
    wlab_code code = wlab_model_from_coefficients(out, w->p, &w->kernel, c, ctx ? ctx->pool : NULL, err);
    if (!code)
        (*out)->b[0] += offset;
    wlab_free(c);
    return code;
}

#define CONV_SCALARS(X) X(steps) X(flips) X(bag_error) X(other) X(rank_one)

static void walk(void *state, wlab_walk *w)
{
    conv_state *s = state;
    well_walk(&s->w, w); /* first, as it alone may allocate memory and fail */
    CONV_SCALARS(WL_WALK_FIELD)
    WL_WALK_ARRAY(w, s->c, s->w.n);
    WL_WALK_ARRAY(w, s->label, s->w.n);
}

static wlab_code set(void *state, const wlab_params *p, wlab_err *err)
{
    conv_state *s = state, was = *s;
    read_mutable(s, p);
    wlab_code code = check_params(&s->w, err);
    if (code) {
        *s = was;
        return code;
    }
    well_changed(&s->w, &was.w);
    return WL_OK;
}

WLAB_KERNEL_HOOK(conv_state, w.kernel)

/* The bounds are those of the relaxation; the recovered labels predict, whose objective is not computed. */
static const char *certified(const wlab_params *given, const double *metric, double *value)
{
    (void)given;
    (void)metric;
    (void)value;
    return "relaxation";
}

const wlab_algo wlab_algo_conv = {
    .name = "conv-psvm",
    .alias = "conv",
    .summary = "label proportions: the convex relaxation, by cutting planes over labelings",
    .certified = certified,
    .labels_are = "recovered labels",
    .idea = WL_IDEA_RELAXATION,
    .problem = "max over alpha of min over y in Y of G(alpha, y) = 1'alpha - 1/2 (alpha.y)'K(alpha.y), a "
               "relaxation of: the labeling in Y whose SVM has the smallest objective",
    .symbols = "Y: the labelings whose proportion of positives in each bag is the given one, up to eps=\n"
               "Y_active: the working set, the labelings that were found so far\n"
               "y_t: one of them\n"
               "mu_t: the weight of y_t in the mixture; the weights are not negative and sum to 1\n"
               "M: the mixture, sum_t mu_t y_t y_t'\n"
               "alpha: the dual variables of the SVM\n"
               "w_t: the SVM's weights if the labels are y_t\n"
               "K: the kernel matrix\n"
               "a.b: product entry by entry\n"
               "f: the function whose sign predicts a label\n"
               "p_k, p^_k: given and predicted proportion of positives in bag k",
    .when = "proportions of small bags, if a bound is wanted; it is loose for large bags",
    .cost = "some SVMs and a search, on a kernel matrix of rows x rows; linear above 4000 rows: on the data "
            "themselves",
    .proves = "a lower bound on the SVM objective of every allowed labeling",
    .work = "(1 - K) * (2e-8 * (n * max(0, min(1, 4001 - n)))^2.4 + 3e-7 * z) + K * 6e-9 * n^2.4",
    .work_once = "K * 1.8e-10 * n^3",
    .memory = "(1 - K) * 24 * (n * max(0, min(1, 4001 - n)))^2 + K * 24 * n^2 + 40 * z",
    .source =
        "Yu, Liu, Kumar, Jebara, Chang, pSVM for Learning with Label Proportions, ICML 2013: Algorithm 2, "
        "Eqs. 9 to 22",
    .learns_from = WL_SEES_ALL_LABELS | WL_SEES_SOME_LABELS | WL_SEES_PROPORTIONS,
    .made_for = WL_SEES_PROPORTIONS,
    .step_unit =
        "add the violated labeling, solve the MKL problem over the working set, search for the next violated "
        "labeling, recover y from the mixture",
    .inner_unit = "one update of the weights mu",
    .converged = "violation + master_gap + inner_gap <= 1e-6 * abs(objective) or decrease > 0",
    .converged_also =
        "with decrease= above 0 the run has also converged, whatever the gaps are, when a step lowered the "
        "objective by less than that fraction; a linear kernel above 4000 rows, whose MKL problem is solved "
        "to mtol "
        "only, has also converged when the violation is below 1e-2 |objective|, or when the "
        "objective fell by less than 1e-3 |objective| in each of two steps",
    .params = params,
    .metrics = conv_metrics,
    .probes = well_probes,
    .create = create,
    .advance = well_advance,
    .observe = conv_observe,
    .loss = WL_LOSS_HINGE,
    .model = model,
    .kernel = kernel,
    .same = same,
    .explain = conv_explain,
    .next = conv_next,
    .walk = walk,
    .set = set,
    .destroy = destroy,
};
