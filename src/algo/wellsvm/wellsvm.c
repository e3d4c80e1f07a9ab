/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * WellSVM (Li, Tsang, Kwok and Zhou): max over alpha of min over y in B of G(alpha, y), by cutting planes
 * (Algorithms 1 and 2).  A step adds the violated labeling that the step before found, solves the master problem over
 * the working set, and searches for the next violated labeling.  The code knows label sets only, not tasks.
 */
#include "algo/wellsvm/wellsvm.h"
#include "algo/algos.h"
#include "task/share.h"

#include <string.h>

enum {
    AUTO_LOG2 = 40,      /* search=auto: exact up to 2^40 labelings ... */
    AUTO_FREE = 200,     /* ... and this number of free labels */
    AUTO_NODES = 100,    /* nodes of the tree search after multistart */
    EXACT_FREE = 1000,   /* search=exact: the largest number of free labels */
    SIZE_LABELINGS = 25, /* default of labelings= at size */
};

const char *const well_search_names[] = {"auto", "paper", "multistart", "exact", "linf", NULL};
static const char *const master_names[] = {"newton", "mklgl", NULL};
const char *const well_bound_names[] = {"auto", "labelled", "diagonal", NULL};
const char *const well_threshold_names[] = {"auto", "balance", "zero", NULL};
static const char *const integer_names[] = {"seen", "all", NULL};
static const char *const finish_names[] = {"none", "alternate", NULL};

static const wlab_param_info params[] = {
    WELL_PROBLEM_PARAMS(WL_P_MUTABLE),
    {"search", WL_P_CHOICE, "auto", 0, 0, well_search_names, NULL,
     "how to search for a violated labeling; paper: Eq. 21, once; multistart: local search from many "
     "labelings; exact: all labelings if they are at most 2^14, else branch and bound; linf: as in "
     "conv-psvm, along one feature or principal axis at a time; auto: paper for a linear kernel above 4000 "
     "rows; else exact for up to 2^14 labelings, or 2^40 with at most 200 free labels; else multistart, "
     "followed, for up to 400 free labels and 4000 rows and unless bound=labelled, by a tree of 100 nodes",
     WL_P_MUTABLE},
    {"nodes", WL_P_INT, "10000000", 1, 9007199254740992.0, NULL, NULL,
     "exact: largest number of nodes of the tree of one search; subtrees left open weaken the lower bound. "
     "With search=auto also that of the tree after multistart, which is 100 if nodes= is not given",
     WL_P_MUTABLE},
    {"master", WL_P_CHOICE, "newton", 0, 0, master_names, NULL,
     "how to find mu; newton: Newton's method (linear kernel above 4000 rows: the proximal point method, "
     "inside the sweeps over alpha); mklgl: as in the paper (Section 4.1.2)",
     WL_P_MUTABLE},
    {"bound", WL_P_CHOICE, "auto", 0, 0, well_bound_names, NULL,
     "how to find a certified lower bound; labelled: from the SVM on the labelled rows only; diagonal: "
     "also by a minimal-trace diagonal shift; auto: diagonal for up to 400 free labels, else labelled",
     WL_P_MUTABLE},
    {"integer", WL_P_CHOICE, "seen", 0, 0, integer_names, NULL,
     "seen: integer_upper is the SVM objective of the best labeling found; all: of the best of all "
     "labelings, which is the mixed-integer optimum (trains an SVM on each; up to 2^16)",
     WL_P_MUTABLE},
    WELL_THRESHOLD_PARAM,
    {"finish", WL_P_CHOICE, "none", 0, 0, finish_names, NULL,
     "what follows when the relaxation is solved; alternate: take the better of two single labelings, that "
     "to which "
     "the mixture rounds and y_1, then alternate between its SVM and the labeling to which that rounds, at "
     "most ten "
     "times, and predict by the last SVM, as the authors' program does",
     0},
    {"eps", WL_P_REAL, "1e-6", 0, 1, NULL, "relative",
     "stop when violation + master_gap + inner_gap <= eps |objective|", WL_P_OPEN_LO | WL_P_MUTABLE},
    {"mtol", WL_P_REAL, NULL, 0, 1, NULL, "relative",
     "gap to which the master is solved (default 1e-8; linear kernel above 4000 rows: 1e-3)",
     WL_P_OPEN_LO | WL_P_MUTABLE},
    {"decrease", WL_P_REAL, "0", 0, 1, NULL, "relative",
     "search=paper, linf: the run has also converged when a step lowers the objective by less than this",
     WL_P_MUTABLE},
    {"labelings", WL_P_INT, "200", 1, WELL_MOST_LABELINGS, NULL, NULL,
     "stop at this many labelings in the working set. If not given, a linear kernel above 4000 rows stops "
     "at 25, as each labeling costs a pass over the data and the last ones gain little",
     WL_P_MUTABLE},
    {"starts", WL_P_INT, "10", 0, 100000, NULL, NULL, "multistart: number of random labelings to start from",
     WL_P_MUTABLE},
    {"seed", WL_P_INT, "1", 0, 9007199254740992.0, NULL, NULL,
     "seed of all random labelings and vectors: those from which searches start, and for task cluster the "
     "candidates for the first labeling",
     0},
    {.name = NULL, .fallback = "backend=own"}};

const int8_t *well_unpacked(const wellsvm *s, int64_t t, int8_t *buffer)
{
    if (s->y)
        return well_labeling(s, t);
    for (int64_t k = 0; k < s->n; k++)
        buffer[k] = well_label(s, t, k);
    return buffer;
}

void well_put(wellsvm *s, int64_t t, const int8_t *y)
{
    const uint32_t bit = (uint32_t)1 << (t & 31);
    if (s->y)
        memcpy(s->y + t * s->n, y, (size_t)s->n);
    for (int64_t k = 0; k < s->n && !s->y; k++) {
        uint32_t *sign = &s->sign[k * s->words + (t >> 5)];
        *sign = y[k] < 0 ? *sign | bit : *sign & ~bit;
    }
}

void well_forget(wellsvm *s, int64_t first)
{
    for (int64_t t = first; t < s->T && s->sign; t++)
        for (int64_t k = 0; k < s->n; k++)
            s->sign[k * s->words + (t >> 5)] &= ~((uint32_t)1 << (t & 31));
}

double well_mean_label(const wellsvm *s, int64_t k)
{
    double c = 0;
    for (int64_t t = 0; t < s->T; t++)
        c += s->mu[t] * well_label(s, t, k);
    return c;
}

bool well_known(const wellsvm *s, const int8_t *y)
{
    for (int64_t t = 0; t < s->T; t++) {
        int64_t k = 0;
        while (k < s->n && well_label(s, t, k) == y[k])
            k++;
        if (!wlab_ranks_any(well_ranks(s), k < s->n))
            return true;
    }
    return false;
}

wlab_code well_argmax(const wellsvm *s, const double *r, const int8_t *ref, int8_t *y, wlab_err *err)
{
    return s->spread ? wlab_share_argmax(s->p, r, ref, y, err)
                     : wlab_labelset_argmax(s->p->labels, r, ref, y, err);
}

wlab_code well_threshold_of(const wellsvm *s, const double *f, double *threshold, int64_t *by_sign,
                            wlab_err *err)
{
    return s->spread ? wlab_share_threshold(s->p, f, threshold, by_sign, err)
                     : wlab_labelset_threshold(s->p->labels, f, threshold, by_sign, err);
}

double well_sum(const wellsvm *s, wlab_rows_work *work, const void *data, wlab_pool *pool)
{
    double sum[WL_ROW_SUMS];

    wlab_rows_run(wlab_passes_rows(s->passes), work, (void *)(uintptr_t)data, sum, pool);
    return sum[0];
}

/* Whether search=auto uses the exact search in every step. */
static bool exact_feasible(const wlab_problem *p)
{
    const double count = wlab_labelset_count(p->labels);

    return count <= ldexp(1, WELL_ENUMERATE_LOG2) ||
           (count <= ldexp(1, AUTO_LOG2) && wlab_labelset_free_count(p->labels) <= AUTO_FREE);
}

/* Whether search=auto adds a tree search of few nodes after multistart, if it does not search exactly.  The step's
 * lower bound then comes from the bound of the tree.  So the limit on free labels is that for the diagonal bound of
 * bound=auto, which the tree replaces. */
static bool adds_tree(const wlab_problem *p)
{
    return p->n <= WELL_GRAM_ROWS && wlab_labelset_free_count(p->labels) <= WELL_DIAGONAL_FREE;
}

static void read_mutable(wellsvm *s, const wlab_params *p)
{
    well_read_costs(s, p);
    s->master = (well_master)wlab_params_choice(p, "master");
    s->bound = (well_bound)wlab_params_choice(p, "bound");
    s->integer_all = wlab_params_choice(p, "integer") == 1;
    s->threshold = (well_threshold)wlab_params_choice(p, "threshold");
    s->eps = wlab_params_real(p, "eps");
    s->decrease = wlab_params_real(p, "decrease");
    s->master_tol = wlab_params_real(p, "mtol");
    if (isnan(s->master_tol))
        s->master_tol = s->at_size ? 1e-3 : 1e-8;
    s->max_labelings = wlab_params_int(p, "labelings");
    if (s->at_size && !wlab_params_given(p, "labelings"))
        s->max_labelings = SIZE_LABELINGS;
    s->starts = wlab_params_int(p, "starts");
    s->enumerated = ldexp(1, WELL_ENUMERATE_LOG2);
    s->max_nodes = wlab_params_int(p, "nodes");
    s->tree_nodes = 0;
    s->variance = 0.9;
    int search = wlab_params_choice(p, "search");
    if (search > 0) {
        s->search = (well_search)(search - 1);
        if (s->search != WELL_PAPER && s->search != WELL_LINF)
            s->decrease = 0;
        return;
    }
    s->search = s->at_size ? WELL_PAPER : exact_feasible(s->p) ? WELL_EXACT : WELL_MULTISTART;
    if (s->search == WELL_MULTISTART && s->bound != WELL_BOUND_LABELLED && adds_tree(s->p))
        s->tree_nodes = wlab_params_given(p, "nodes") ? s->max_nodes : AUTO_NODES;
    if (!s->at_size)
        s->decrease = 0;
}

static wlab_code older(const wlab_problem *p, int format, wlab_params *given, wlab_err *err)
{
    if (format > 2 || !p->labels) /* a problem of several classes has no label set of its own */
        return WL_OK;
    const bool proved = p->n <= WELL_GRAM_ROWS && exact_feasible(p);
    const well_search was = proved ? WELL_EXACT : format == 1 ? WELL_PAPER : WELL_MULTISTART;

    if (wlab_params_choice(given, "search") > 0 || (format > 1 && (proved || !adds_tree(p))))
        return WL_OK;
    return wlab_params_set(given, "search", well_search_names[1 + was], err);
}

wlab_code well_check_search(const wellsvm *s, wlab_err *err)
{
    const wlab_labelset *B = s->p->labels;
    if (s->spread && s->search != WELL_PAPER)
        return wlab_fail(err, WL_EARG, "with rows on several ranks only search=paper is possible");
    if (s->spread && s->finish.wanted)
        return wlab_fail(err, WL_EARG, "with rows on several ranks only finish=none is possible");
    const double count = s->spread ? HUGE_VAL : wlab_labelset_count(B);
    if (s->search == WELL_EXACT && s->at_size)
        return wlab_fail(
            err, WL_EARG,
            "search=exact needs the kernel matrix, which the linear kernel keeps for at most %d rows; "
            "use search=multistart",
            WELL_GRAM_ROWS);
    if (s->search == WELL_EXACT && wlab_labelset_free_count(B) > EXACT_FREE && !well_enumerates(s))
        return wlab_fail(err, WL_EARG,
                         "search=exact allows at most %d free labels, but there are %lld (the time of its "
                         "bound grows with their cube, that of its tree exponentially at worst); use "
                         "search=multistart, or hide fewer labels",
                         EXACT_FREE, (long long)wlab_labelset_free_count(B));
    if (s->integer_all && (s->at_size || count > ldexp(1, WELL_INTEGER_LOG2)))
        return wlab_fail(err, WL_EARG,
                         "integer=all trains an SVM on every labeling and allows at most 2^%d, but there "
                         "are about %.3g; use integer=seen, or hide fewer labels",
                         WELL_INTEGER_LOG2, count);
    wlab_code code = s->search == WELL_LINF ? well_linf_check(s, err) : WL_OK;
    if (code)
        return code;
    if (s->bound == WELL_BOUND_DIAGONAL && (s->spread || s->n > WELL_DIAGONAL_MOST))
        return wlab_fail(err, WL_EARG,
                         "bound=diagonal allows at most %d rows, as it factors matrices of that size; use "
                         "bound=labelled",
                         WELL_DIAGONAL_MOST);
    return WL_OK;
}

void well_forget_bounds(wellsvm *s)
{
    s->objective = s->last_objective = s->upper_bound = s->lower_bound = s->integer_upper = NAN;
    s->inner_gap = s->master_gap = s->violation = s->rounded = NAN;
    s->integer_done = false;
    for (int64_t t = 0; t < s->T; t++)
        s->own[t] = NAN;
}

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    wellsvm *s = wlab_calloc(1, sizeof *s);
    wlab_code code = wlab_ranks_agree(wlab_matrix_ranks(p->X), s ? WL_OK : wlab_nomem(err), err);
    *state = NULL;
    if (code) {
        wlab_free(s);
        return code;
    }
    if ((code = well_problem_read(s, p, given, ctx, err)))
        goto fail;
    wlab_rng_seed(&s->rng, (uint64_t)wlab_params_int(given, "seed"));
    read_mutable(s, given);
    s->finish.wanted = wlab_params_choice(given, "finish") == 1;
    code = well_check_search(s, err);
    code = code ? code : well_problem_make(s, ctx, err);
    code = wlab_ranks_agree(well_ranks(s), code, err);
    if (code || (code = well_thin_decide(s, err)))
        goto fail;
    well_forget_bounds(s);
    if (s->finish.wanted) {
        s->finish.y = wlab_calloc((size_t)s->n, 1);
        s->finish.at.alpha = wlab_calloc((size_t)s->m, sizeof *s->finish.at.alpha);
        s->finish.at.q = wlab_calloc(1, sizeof *s->finish.at.q);
        if (!s->finish.y || !s->finish.at.alpha || !s->finish.at.q) {
            code = wlab_nomem(err);
            goto fail;
        }
    }
    wlab_progress progress;
    wlab_progress_begin(&progress, ctx, "SVM iterations (first labeling)", 0);
    s->progress = &progress;
    code = well_start(s, ctx, err);
    s->progress = NULL;
    if (code)
        goto fail;
    s->svms = 0; /* counts the SVMs of a step only */
    *state = s;
    return WL_OK;
fail:
    well_destroy(s);
    return code;
}

void well_changed(wellsvm *s, const wellsvm *was)
{
    if (s->C1 != was->C1 || s->C2 != was->C2) {
        /* another problem: discard the bounds, keep labelings and mu as a warm start */
        well_costs(s);
        well_forget_bounds(s);
        s->evaluated = false;
    }
    s->spread_mu = s->master == WELL_MKLGL && (s->spread_mu || was->master != WELL_MKLGL);
    if (s->finished || s->finish.active) {
        well_finish_cancel(s);
        s->finished = false;
        s->verdict = WL_MORE;
    }
}

static wlab_code set(void *state, const wlab_params *p, wlab_err *err)
{
    wellsvm *s = state, was = *s;
    read_mutable(s, p);
    wlab_code code = well_check_search(s, err);
    if (!code)
        code = well_check_costs(s, p, err);
    if (code) {
        *s = was;
        return code;
    }
    well_changed(s, &was);
    s->pending_known = s->spread && s->T > 0 && well_known(s, s->pending);
    return WL_OK;
}

WLAB_KERNEL_HOOK(wellsvm, kernel)

static bool suggest(const wlab_problem *p, char *words, size_t size)
{
    if (wlab_labelset_free_count(p->labels) <= WELL_DIAGONAL_FREE) {
        snprintf(words, size, "WellSVM on the same problem may have a tighter lower bound");
        return true;
    }
    snprintf(
        words, size,
        "WellSVM has no tighter lower bound with more than %d free labels: it then uses the bound of the "
        "labelled rows, too%s",
        WELL_DIAGONAL_FREE, p->n <= WELL_DIAGONAL_MOST ? " (except with bound=diagonal, which is slow)" : "");
    return false;
}

const wlab_algo wlab_algo_wellsvm = {
    .name = "wellsvm",
    .summary =
        "cutting planes over labelings: a convex relaxation of the large-margin problem with unknown labels",
    .idea = WL_IDEA_RELAXATION,
    .problem = "min over mu of max over alpha of sum_t mu_t G(alpha, y_t), a relaxation of: min over y in B "
               "of max over alpha of G(alpha, y), that is, the labeling whose SVM has the smallest objective",
    .symbols = "B: the label set, all labelings that the task allows\n"
               "y: a labeling, one label per row\n"
               "y_1, y_2, ..: the labelings of the working set, those found so far\n"
               "mu_t: the weight of y_t in the mixture; the weights are not negative and sum to 1\n"
               "alpha: the dual variables of the SVM\n"
               "G(alpha, y): the dual objective of the SVM with the labels y\n"
               "K: the kernel matrix\n"
               "a.b: product entry by entry\n"
               "f: the function of the mixture, whose sign predicts a label\n"
               "l, u: number of labelled and of unlabelled rows",
    .when = "a first choice for few labels, bags, candidates and clusters",
    .cost = "some SVMs and a search, on a kernel matrix of rows x rows; linear above 4000 rows: on the data "
            "themselves",
    .proves = "a lower bound on the SVM objective of every allowed labeling",
    .work = "0.1 * min(1, u) + (1 - K) * (6e-9 * (n * max(0, min(1, 4001 - n)))^2.4 + 3e-7 * z) + K * 6e-9 * "
            "n^2.4",
    .memory = "(1 - K) * 24 * (n * max(0, min(1, 4001 - n)))^2 + K * 12 * n^2 + 100 * n + 200 * d",
    .source =
        "Li, Tsang, Kwok, Zhou, Convex and Scalable Weakly Labeled SVMs, JMLR 14 (2013): Algorithms 1 and 2, "
        "Eqs. 4 to 22",
    .learns_from = WL_SEES_ANYTHING,
    .advised_for = WL_SEES_ANYTHING & ~(WL_SEES_PROPORTIONS | WL_SEES_POSITIVES),
    .ranks = WL_SEES_ALL_LABELS | WL_SEES_SOME_LABELS, /* it begins with the SVM of the labelled rows */
    .step_unit =
        "add the violated labeling, solve the master to mtol=, search for the next violated labeling",
    .inner_unit = "one update of the mixing weights mu",
    .converged = "violation + master_gap + inner_gap <= eps * abs(objective) or decrease > 0",
    .converged_also =
        "with decrease= above 0 the run has also converged, whatever the gaps are, when a step lowered the "
        "objective by less than that fraction; a linear kernel above 4000 rows, whose master is solved to "
        "mtol only, "
        "has also converged when the violation is below 1e-2 |objective|, or when the objective "
        "fell by less than 1e-3 |objective| in each of two steps",
    .params = params,
    .metrics = well_metrics,
    .probes = well_probes,
    .create = create,
    .advance = well_advance,
    .observe = well_observe,
    .model = well_model,
    .kernel = kernel,
    .certifies = true,
    .certified = well_certified,
    .suggest = suggest,
    .loss_of = well_loss_of,
    .setting = well_setting,
    .explain = well_explain,
    .next = well_next,
    .walk = well_walk,
    .set = set,
    .destroy = well_destroy,
    .older = older,
};
