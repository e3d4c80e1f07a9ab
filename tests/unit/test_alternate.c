/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The alternations alternate and itersvr: the objective never rises in either half; half 1 against another solver and half
 * 2 against all labelings; local minima against the enumerated and the certified optimum; other orders of the rows;
 * a plain IterSVR; mi-bag with one slack per negative bag; merging, starts by alignment, units, snapshots, interrupts,
 * memory.
 */
#include "unit/labeling_value.h"
#include "unit/posed.h"
#include "unit/probed.h"

#include "algo/alternate/alternate.h"
#include "solve/svm/groupqp.h"
#include "solve/svm/svr.h"

enum {
    MOST_ROWS = 40
};

typedef struct posed {
    const char *kind, *how, *task, *options;
} posed;

static const posed problems[] = {
    {"two-moons", "n=10 noise=0.4 seed=3", "ssl", "labeled=3 seed=1"},
    {"g50c", "n=10 seed=2", "ssl", "labeled=3 seed=2"},
    {"two-moons", "n=10 noise=0.3 seed=1", "cluster", "balance=0.2"},
    {"two-moons", "n=10 noise=0.4 seed=5", "llp", "bagsize=5 seed=1"},
    {"two-moons", "n=10 noise=0.4 seed=4", "llp", "bagsize=5 seed=2 eps=0.2"},
    {"two-moons", "n=10 noise=0.4 seed=4", "ambiguous", "ambiguous=0.7 seed=1"},
    {"roi-bags", "bags=5 positive=0.5 least=2 most=4 rois=1 dims=3 seed=2", "mil", ""},
    {"roi-bags", "bags=4 positive=0.5 least=3 most=4 rois=2 dims=3 seed=3", "mil", "keys=2"},
    {"roi-bags", "bags=4 positive=0.5 least=3 most=4 rois=1 dims=3 seed=4", "mil", "labels=instances"},
};
enum {
    PROBLEMS = sizeof problems / sizeof *problems,
    CLUSTERS = 2
};
static const char *const settings[] = {
    "kernel=linear C2=0.5 start=random", "kernel=rbf sigma=0.5x loss=hinge C2=1 start=alignment",
    "kernel=rbf sigma=0.5x", "kernel=linear loss=squared-hinge C2=0.5 bias=1 start=random",
    "kernel=rbf sigma=0.3x loss=squared-hinge lambda=0.1 restarts=3"};
enum {
    SETTINGS = sizeof settings / sizeof *settings
};
static const char *const svr_settings[] = {"kernel=linear start=random C=0.3",
                                           "kernel=rbf sigma=0.5x C=2 eps=0.1",
                                           "kernel=rbf sigma=1x start=alignment eps=0.5 decrease=0"};

static wlab_problem *pose_one(const posed *q)
{
    return pose(q->kind, q->how, q->task, q->options);
}

/* One hinge loss per bag: of a positive one that of its keys' output o, of a negative one that of its largest output. */
static double shared_loss_by_definition(const alternate *s, const double *o)
{
    const wlab_problem *p = s->w.p;
    double loss = 0;
    for (int64_t b = 0; b < p->bags; b++) {
        double worst = 0;
        for (int64_t i = 0; i < s->n; i++)
            worst = p->bag[i] == b ? fmax(worst, 1 - o[p->example[i]]) : worst;
        loss += (p->bag_given[b] > 0 ? s->w.C1 : s->w.C2) * worst;
    }
    return loss;
}

/* P by its definition: w from its coefficients by the kernel matrix, the loss from its outputs. */
static double value_by_definition(const alternate *s, const alt_restart *r)
{
    const wellsvm *w = &s->w;
    double norm = 0, loss = 0, o[MOST_ROWS] = {0};
    for (int64_t i = 0; i < s->n; i++) {
        double f = 0;
        for (int64_t j = 0; j < s->n; j++)
            f += w->K[i * s->n + j] * r->beta[j];
        norm += r->beta[i] * f / 2;
        if (s->regression)
            loss += s->C * fmax(0, fabs(r->y[i] - f - r->b) - s->eps);
        o[w->p->example[i]] += r->y[i] * f;
    }
    if (w->group)
        return norm + shared_loss_by_definition(s, o);
    for (int64_t i = 0; i < s->m && !s->regression; i++) {
        const double slack = fmax(0, 1 - o[i]), C = w->p->cost[i] ? w->C2 : w->C1;
        loss += w->loss == WELL_HINGE ? C * slack : C * slack * slack / 2;
    }
    return !s->regression && w->loss == WELL_SUM_TO_ONE ? -1 / (4 * (norm + loss)) : norm + loss;
}

/* Runs unit by unit.  P of no restart rises in any unit, equals its definition, and belongs to an allowed labeling. */
static void check_falls(const wlab_algo *algo, wlab_problem *p, const char *setting)
{
    wlab_err err;
    alternate *s = create_state(algo, p, setting);
    double was[64];
    wlab_step step = {0};
    for (int64_t k = 0; k < s->restarts; k++)
        was[k] = HUGE_VAL;
    assert_true(s->restarts <= 64 && p->n <= MOST_ROWS);
    for (int t = 0; !(step.complete && step.verdict != WL_MORE); t++) {
        assert_true(t < 3000);
        ASSERT_OK(algo->advance(s, NULL, &step, &err), err);
        for (int64_t k = 0; k < s->restarts; k++) {
            const alt_restart *r = &s->r[k];
            const double now = alt_objective(s, r);
            assert_true(now <= was[k]);
            was[k] = now;
            ASSERT_NEAR(now, value_by_definition(s, r), 1e-9 * fmax(1, fabs(now)));
            assert_true(wlab_labelset_contains(p->labels, r->y));
        }
        if (!step.complete)
            continue;
        assert_true(metric(algo, s, "objective") == alt_objective(s, &s->r[s->leader]));
        assert_true(metric(algo, s, "best") <= metric(algo, s, "objective"));
        assert_true(metric(algo, s, "inner_gap") >= 0 && metric(algo, s, "spread") >= 0);
    }
    assert_int_equal(step.verdict, WL_CONVERGED);
    algo->destroy(s);
}

static void test_falls(void **state)
{
    (void)state;
    for (int q = 0; q < PROBLEMS; q++) {
        wlab_problem *p = pose_one(&problems[q]);
        for (int k = 0; k < SETTINGS; k++)
            check_falls(&wlab_algo_alternate, p, settings[k]);
        for (int k = 0; k < 3 && q == CLUSTERS; k++)
            check_falls(&wlab_algo_itersvr, p, svr_settings[k]);
        wlab_problem_unref(p);
    }
}

/* value_of where the instances of a negative bag share a slack. */
static double shared_value_of(const wellsvm *w, const int8_t *y)
{
    wlab_err err;
    wlab_groupqp_result result;
    const wlab_problem *p = w->p;
    const int64_t m = w->m;
    double *Q = calloc((size_t)(m * m), sizeof *Q), alpha[MOST_ROWS] = {0}, g[MOST_ROWS], most[MOST_ROWS];
    int32_t group[MOST_ROWS];
    assert_non_null(Q);
    for (int64_t i = 0; i < w->n; i++) {
        group[p->example[i]] = p->bag[i];
        most[p->bag[i]] = p->bag_given[p->bag[i]] > 0 ? w->C1 : w->C2;
        for (int64_t j = 0; j < w->n; j++)
            Q[p->example[i] * m + p->example[j]] += y[i] * y[j] * w->K[i * w->n + j];
    }
    const wlab_groupqp q = {Q, m, p->bags, group, most};
    ASSERT_OK(wlab_groupqp_solve(&q, 1e-12, alpha, g, &result, NULL, NULL, &err), err);
    free(Q);
    return result.dual;
}

typedef struct brute {
    const alternate *s;
    const alt_restart *r;
    double least; /* the smallest SVM objective of a labeling */
    double loss;  /* the smallest loss of a labeling at the w of r */
} brute;

static bool visit(void *data, const int8_t *y, const int32_t *changed, int64_t nchanged)
{
    brute *b = data;
    (void)changed, (void)nchanged;
    if (!b->s->regression)
        b->least = fmin(b->least, b->s->w.group ? shared_value_of(&b->s->w, y) : value_of(&b->s->w, y));
    b->loss = fmin(b->loss, alt_loss(b->s, b->r->f, b->r->b, y));
    return true;
}

/* At the end every restart that is left is a fixed point: the SVM of its labels, by the box QP, has its objective, and no
 * labeling has a smaller loss at its w.  No restart is below the best of all labelings; with many restarts the best of
 * them is it. */
static void test_enumeration(void **state)
{
    wlab_err err;
    (void)state;
    for (int q = 0; q < PROBLEMS; q++)
        for (int k = 0; k < SETTINGS; k++) {
            char setting[128];
            wlab_problem *p = pose_one(&problems[q]);
            snprintf(setting, sizeof setting, "%s restarts=60", settings[k]);
            alternate *s = create_state(&wlab_algo_alternate, p, k == 4 ? settings[k] : setting);
            double least = NAN;
            while (step(&wlab_algo_alternate, s, NULL) == WL_MORE)
                ;
            for (int64_t i = 0; i < s->restarts; i++) {
                const alt_restart *r = &s->r[i];
                brute b = {.s = s, .r = r, .least = HUGE_VAL, .loss = HUGE_VAL};
                if (r->same_as >= 0)
                    continue;
                const double own = alt_objective(s, r), eps = 1e-7 * fabs(own);
                ASSERT_NEAR(own, value_of(&s->w, r->y), eps);
                ASSERT_OK(wlab_labelset_enumerate(p->labels, visit, &b, &err), err);
                assert_true(r->loss <= b.loss + eps);
                assert_true(own >= b.least - eps);
                least = b.least;
            }
            if (k != 4)
                ASSERT_NEAR(metric(&wlab_algo_alternate, s, "best"), least, 1e-7 * fabs(least));
            wlab_algo_alternate.destroy(s);
            wlab_problem_unref(p);
        }
}

static const char *const bag_settings[] = {
    "negatives=bag kernel=linear C=1", "negatives=bag kernel=rbf sigma=0.5x C1=2 C2=0.7 bias=0.5",
    "negatives=bag kernel=rbf sigma=0.3x loss=hinge C=10 start=random restarts=3",
    "negatives=bag kernel=linear C=0.1 start=alignment restarts=2 bias=1"};
enum {
    BAG_SETTINGS = sizeof bag_settings / sizeof *bag_settings,
    BAGS = 6 /* the first of two problems with keys */
};

/* mi-bag with one slack per negative bag: P falls in both halves, and the best of many restarts is the best of all keys. */
static void test_shared(void **state)
{
    const wlab_algo *algo = &wlab_algo_mi_bag;
    wlab_err err;
    (void)state;
    for (int q = BAGS; q < BAGS + 2; q++)
        for (int k = 0; k < BAG_SETTINGS; k++) {
            wlab_problem *p = pose_one(&problems[q]);
            char setting[160];
            check_falls(algo, p, bag_settings[k]);
            snprintf(setting, sizeof setting, "%s restarts=300", bag_settings[k]);
            alternate *s = create_state(algo, p, setting);
            while (step(algo, s, NULL) == WL_MORE)
                ;
            double least = NAN;
            for (int64_t i = 0; i < s->restarts; i++) {
                const alt_restart *r = &s->r[i];
                brute b = {.s = s, .r = r, .least = HUGE_VAL, .loss = HUGE_VAL};
                if (r->same_as >= 0)
                    continue;
                const double own = alt_objective(s, r), eps = 1e-7 * own;
                ASSERT_NEAR(own, shared_value_of(&s->w, r->y), eps);
                ASSERT_OK(wlab_labelset_enumerate(p->labels, visit, &b, &err), err);
                assert_true(r->loss <= b.loss + eps && own >= b.least - eps);
                least = b.least;
            }
            ASSERT_NEAR(metric(algo, s, "best"), least, 1e-7 * least);
            algo->destroy(s);
            wlab_problem_unref(p);
        }
}

/* Negative bags of one instance: one slack per bag is one per instance.  With more instances it is not, and smaller. */
static void test_shared_alone(void **state)
{
    static const char *const how[] = {"bags=20 positive=0.5 least=1 most=1 rois=1 dims=3 seed=2",
                                      "bags=8 positive=0.5 least=3 most=4 rois=1 dims=3 seed=2"};
    const wlab_algo *algo = &wlab_algo_mi_bag;
    (void)state;
    for (int many = 0; many < 2; many++) {
        wlab_problem *p = pose("roi-bags", how[many], "mil", "");
        void *a = create_state(algo, p, "negatives=bag kernel=rbf sigma=0.5x C=2"),
             *b = create_state(algo, p, "loss=hinge kernel=rbf sigma=0.5x C=2");
        for (wlab_verdict verdict = WL_MORE; verdict == WL_MORE;) {
            verdict = step(algo, a, NULL);
            const wlab_verdict other = step(algo, b, NULL);
            const double x = metric(algo, a, "objective"), y = metric(algo, b, "objective");
            assert_true(many || verdict == other);
            if (many)
                assert_true(x < y);
            else
                ASSERT_NEAR(x, y, 1e-7);
        }
        algo->destroy(a);
        algo->destroy(b);
        wlab_problem_unref(p);
    }
}

/* The default is the form of the WellSVM paper: `alternate` with one start, bit for bit.  Losses but the hinge loss are
 * refused with one slack per bag. */
static void test_shared_settings(void **state)
{
    static const char *const refused[] = {"negatives=bag loss=squared-hinge", "negatives=bag loss=sum-to-one",
                                          "negatives=bag lambda=2"};
    const wlab_algo *algo = &wlab_algo_mi_bag;
    wlab_err err;
    void *s;
    (void)state;
    wlab_problem *p = pose_one(&problems[BAGS]);
    alternate *a = create_state(algo, p, "kernel=rbf sigma=0.5x"),
              *b = create_state(&wlab_algo_alternate, p, "kernel=rbf sigma=0.5x restarts=1 start=svm");
    for (wlab_verdict verdict = WL_MORE; verdict == WL_MORE;) {
        verdict = step(algo, a, NULL);
        assert_int_equal(step(&wlab_algo_alternate, b, NULL), verdict);
        assert_true(metric(algo, a, "objective") == metric(&wlab_algo_alternate, b, "objective"));
        assert_memory_equal(a->r[0].f, b->r[0].f, (size_t)p->n * sizeof *a->r[0].f);
    }
    algo->destroy(a);
    algo->destroy(b);
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        wlab_params *params = made_params(algo->params, refused[k], &err);
        ASSERT_FAILS(algo->create(&s, p, params, NULL, &err), WL_EARG, err,
                     k < 2 ? "negatives=instance" : "lambda");
        assert_null(s);
        assert_string_equal(algo->departs(params), "negatives=bag");
        assert_false(wlab_algo_certifies(algo, params));
        wlab_params_destroy(params);
    }
    wlab_params *plain = made_params(algo->params, "", &err);
    assert_true(wlab_algo_certifies(algo, plain) && wlab_algo_certifies(algo, NULL));
    wlab_params_destroy(plain);
    wlab_problem_unref(p);
}

/* bb's certified bound of the same settings is below every step of alternate. */
static void test_certified(void **state)
{
    (void)state;
    for (int q = 0; q < PROBLEMS; q++) {
        wlab_problem *p = pose_one(&problems[q]);
        const char *same = "kernel=rbf sigma=0.5x loss=squared-hinge C2=0.5 bias=1";
        void *bb = create_state(&wlab_algo_bb, p, same), *s = create_state(&wlab_algo_alternate, p, same);
        while (step(&wlab_algo_bb, bb, NULL) == WL_MORE)
            ;
        const double lower = metric(&wlab_algo_bb, bb, "lower");
        for (wlab_verdict verdict = WL_MORE; verdict == WL_MORE;) {
            verdict = step(&wlab_algo_alternate, s, NULL);
            assert_true(metric(&wlab_algo_alternate, s, "best") >= lower - 1e-9 * fabs(lower));
        }
        wlab_algo_bb.destroy(bb);
        wlab_algo_alternate.destroy(s);
        wlab_problem_unref(p);
    }
}

/* The problem of the rows order[0 .. n-1]. */
static wlab_problem *reordered(const posed *q, const int32_t *order, int64_t n)
{
    wlab_err err;
    wlab_problem *p = NULL;
    const wlab_task *task = wlab_task_find(q->task);
    wlab_dataset *data = made_data(q->kind, q->how, &err);
    wlab_params *params = made_params(task->params, q->options, &err);
    ASSERT_OK(wlab_problem_create(&p, data, order, n, NULL, 0, task, params, NULL, &err), err);
    wlab_params_destroy(params);
    wlab_dataset_unref(data);
    return p;
}

/* Makes the first unit, and then gives restart 0 the labels y, of row order[i] for instance i. */
static alternate *begun_with(const wlab_algo *algo, wlab_problem *p, const char *setting, const int8_t *y,
                             const int32_t *order)
{
    wlab_err err;
    wlab_step step;
    alternate *s = create_state(algo, p, setting);
    ASSERT_OK(algo->advance(s, NULL, &step, &err), err);
    for (int64_t i = 0; i < p->n; i++)
        s->r[0].y[i] = y[order[i]];
    s->r[0].loss = alt_loss(s, s->r[0].f, 0, s->r[0].y);
    return s;
}

/* The rows in another order: the same steps. */
static void test_permuted(void **state)
{
    static const posed q = {"two-moons", "n=30 noise=0.3 seed=6", "cluster", "balance=0.2"};
    static const struct {
        const wlab_algo *algo;
        const char *setting;
    } tried[] = {{&wlab_algo_alternate, "restarts=1 start=random kernel=rbf sigma=0.5 loss=hinge C=1"},
                 {&wlab_algo_itersvr, "restarts=1 start=random kernel=rbf sigma=0.5"}};
    int8_t y[30];
    int32_t order[2][30];
    (void)state;
    for (int32_t i = 0; i < 30; i++) {
        order[0][i] = i;
        order[1][i] = (7 * i + 3) % 30;
        y[i] = i % 2 ? 1 : -1;
    }
    for (int k = 0; k < 2; k++) {
        const wlab_algo *algo = tried[k].algo;
        wlab_problem *p[2];
        alternate *s[2];
        for (int t = 0; t < 2; t++) {
            p[t] = reordered(&q, order[t], 30);
            s[t] = begun_with(algo, p[t], tried[k].setting, y, order[t]);
        }
        for (wlab_verdict verdict = WL_MORE; verdict == WL_MORE;) {
            verdict = step(algo, s[0], NULL);
            assert_int_equal(step(algo, s[1], NULL), verdict);
            ASSERT_NEAR(metric(algo, s[0], "objective"), metric(algo, s[1], "objective"), 1e-6);
            for (int i = 0; i < 30; i++)
                assert_int_equal(s[0]->shown[order[1][i]], s[1]->shown[i]);
        }
        for (int t = 0; t < 2; t++) {
            algo->destroy(s[t]);
            wlab_problem_unref(p[t]);
        }
    }
}

/* A plain IterSVR with another solver of the regression (coordinate descent on the rows), whose offset is also tried as a
 * cut: the same labels at every step from the same initial ones. */
static void test_plain_itersvr(void **state)
{
    static const posed q = {"two-moons", "n=30 noise=0.3 seed=2", "cluster", "balance=0.2"};
    const wlab_algo *algo = &wlab_algo_itersvr;
    const int n = 30;
    int8_t first[30], y[30];
    int32_t order[30];
    wlab_err err;
    (void)state;
    for (int32_t i = 0; i < n; i++)
        order[i] = i;
    wlab_problem *p = reordered(&q, order, n);
    for (int i = 0; i < n; i++) { /* the upper half of a direction */
        int below = 0;
        for (int j = 0; j < n; j++)
            below += wlab_matrix_row_dot(p->X, j, (double[]){0.5, -0.3}) <
                     wlab_matrix_row_dot(p->X, i, (double[]){0.5, -0.3});
        first[i] = y[i] = below >= n / 2 ? 1 : -1;
    }
    alternate *s =
        begun_with(algo, p, "restarts=1 start=random kernel=linear C=0.7 decrease=0 tol=1e-9", first, order);
    bool flipped = false;
    for (wlab_verdict verdict = WL_MORE; verdict == WL_MORE;) {
        double target[30], tube[30] = {0}, beta[30] = {0}, f[30], w[2], sorted[30], least = HUGE_VAL, cut = 0;
        wlab_svr_result result;
        for (int i = 0; i < n; i++)
            target[i] = y[i];
        const wlab_svr_problem svr = {n, target, tube, 0.7, true};
        ASSERT_OK(wlab_svr_solve_linear(&svr, p->X, 0, 1e-9, 100000, beta, w, &result, NULL, &err), err);
        wlab_matrix_mul(p->X, w, f, NULL);
        memcpy(sorted, f, sizeof f);
        for (int i = 0; i < n; i++) /* insertion sort */
            for (int j = i; j > 0 && sorted[j - 1] > sorted[j]; j--) {
                const double swap = sorted[j];
                sorted[j] = sorted[j - 1];
                sorted[j - 1] = swap;
            }
        for (int down = 12; down <= 18; down++)  /* |1'y| <= 0.2 n = 6 */
            for (int own = 1; own >= 0; own--) { /* with the regression's offset, and with the midpoint */
                const double middle = 0.5 * (sorted[down - 1] + sorted[down]), at = own ? -result.b : middle;
                double sum = 0;
                for (int i = 0; i < n; i++)
                    sum += fabs((f[i] > middle ? 1 : -1) - (f[i] - at));
                if (sum < least) {
                    least = sum;
                    cut = middle;
                }
            }
        verdict = step(algo, s, NULL);
        for (int i = 0; i < n; i++)
            y[i] = f[i] > cut ? 1 : -1;
        flipped = flipped || s->flips > 0;
        assert_memory_equal(s->shown, y, (size_t)n);
    }
    assert_true(flipped);
    algo->destroy(s);
    wlab_problem_unref(p);
}

/* The probe of itersvr has the losses of every cut by their definition; the chosen one is at most the smallest allowed. */
static void test_cuts(void **state)
{
    (void)state;
    wlab_err err;
    const wlab_algo *algo = &wlab_algo_itersvr;
    wlab_problem *p = pose("two-moons", "n=30 noise=0.3 seed=2", "cluster", "balance=0.2");
    alternate *s = create_state(algo, p, "kernel=rbf sigma=1x C=2 eps=0.1");
    wlab_probed got = {0};
    assert_int_equal(probed(algo, s, WL_PROBE_CUTS, &got, &err), WL_ESTATE);
    for (wlab_verdict verdict = WL_MORE; verdict == WL_MORE;) {
        verdict = step(algo, s, NULL);
        ASSERT_OK(probed(algo, s, WL_PROBE_CUTS, &got, &err), err);
        const alt_restart *r = &s->r[s->leader];
        const double *chosen = got.value + 29 * WL_CUT_COLUMNS;
        double least = HUGE_VAL;
        int checked = 0;
        assert_true(got.rows == 30 && got.columns == WL_CUT_COLUMNS);
        for (int k = 0; k < 29; k++) {
            const double *row = got.value + k * WL_CUT_COLUMNS;
            double sum = 0;
            int above = 0;
            for (int i = 0; i < 30; i++) {
                const int up = r->f[i] > row[WL_CUT_AT];
                sum += 2 * fmax(0, fabs((up ? 1 : -1) - (r->f[i] - row[WL_CUT_AT])) - 0.1);
                above += up;
            }
            if (above != 29 - k) /* outputs at the edge of the tube are equal up to rounding */
                continue;
            checked++;
            ASSERT_NEAR(row[WL_CUT_VALUE], sum, 1e-9);
            assert_true((row[WL_CUT_ALLOWED] > 0) == (above >= 12 && above <= 18));
            assert_true(isnan(row[WL_CUT_BOUND]));
            if (row[WL_CUT_ALLOWED] > 0)
                least = fmin(least, sum);
        }
        assert_true(checked > 15);
        ASSERT_NEAR(chosen[WL_CUT_VALUE], r->loss, 1e-9);
        assert_true(chosen[WL_CUT_VALUE] <= least + 1e-9);
        wlab_probed_clear(&got);
    }
    algo->destroy(s);
    wlab_problem_unref(p);
}

/* Restarts are merged as soon as their labels meet, clusters up to the sign; those that are left are distinct. */
static void test_merged(void **state)
{
    (void)state;
    bool any = false;
    for (int q = 0; q < PROBLEMS; q++) {
        wlab_problem *p = pose_one(&problems[q]);
        alternate *s =
            create_state(&wlab_algo_alternate, p, "restarts=40 start=random kernel=linear loss=hinge C2=1");
        for (wlab_verdict verdict = WL_MORE; verdict == WL_MORE;) {
            int64_t left = 0;
            verdict = step(&wlab_algo_alternate, s, NULL);
            for (int64_t a = 0; a < s->restarts; a++) {
                left += s->r[a].same_as < 0;
                assert_true(s->r[a].same_as < 0 || !s->r[a].moving);
                for (int64_t b = 0; b < a && s->r[a].same_as < 0; b++)
                    assert_true(
                        s->r[b].same_as >= 0 ||
                        !(wlab_labels_nearly_equal(s->r[a].y, s->r[b].y, s->n, 0) ||
                          (s->mirrored && wlab_labels_nearly_opposite(s->r[a].y, s->r[b].y, s->n, 0))));
            }
            assert_int_equal((int64_t)metric(&wlab_algo_alternate, s, "distinct"), left);
            any = any || left < 40;
        }
        wlab_algo_alternate.destroy(s);
        wlab_problem_unref(p);
    }
    assert_true(any);
}

/* start=alignment: the best of the labelings that the same generator draws, by y'Ky. */
static void test_alignment(void **state)
{
    (void)state;
    wlab_err err;
    wlab_step step;
    wlab_problem *p = pose("two-moons", "n=20 noise=0.3 seed=1", "cluster", "balance=0.3");
    for (int kind = 0; kind < 2; kind++) {
        const wlab_algo *algo = kind ? &wlab_algo_itersvr : &wlab_algo_alternate;
        alternate *s =
            create_state(algo, p, "start=alignment restarts=3 tries=7 seed=5 kernel=rbf sigma=0.5");
        ASSERT_OK(algo->advance(s, NULL, &step, &err), err);
        for (uint64_t k = 0; k < 3; k++) {
            wlab_rng rng;
            double most = -HUGE_VAL, least = HUGE_VAL;
            int8_t y[20], best[20];
            wlab_rng_seed(&rng, 5 * 1000003 + k);
            for (int t = 0; t < 7; t++) {
                double q = 0;
                wlab_labelset_random(p->labels, &rng, y);
                for (int i = 0; i < 20; i++)
                    for (int j = 0; j < 20; j++)
                        q += y[i] * y[j] * s->w.K[i * 20 + j];
                if (q > most)
                    memcpy(best, y, sizeof y);
                most = fmax(most, q);
                least = fmin(least, q);
            }
            ASSERT_NEAR(s->r[k].alignment, most, 1e-9);
            ASSERT_NEAR(s->r[k].least, least, 1e-9);
            assert_memory_equal(s->r[k].y, best, sizeof best);
        }
        assert_true(metric(algo, s, "alignment") == s->r[0].alignment);
        algo->destroy(s);
    }
    wlab_problem_unref(p);
}

static void test_threads_interrupts_memory(void **state)
{
    (void)state;
    wlab_problem *p = pose_one(&problems[CLUSTERS]);
    units_hold(&wlab_algo_alternate, p, "restarts=3 start=alignment kernel=rbf sigma=0.5x", 12, 0);
    units_hold(&wlab_algo_itersvr, p, "restarts=3 start=random", 12, 0);
    wlab_problem_unref(p);
    p = pose_one(&problems[0]);
    units_hold(&wlab_algo_alternate, p, "restarts=2 kernel=linear", 12, 0);
    wlab_problem_unref(p);
    p = pose_one(&problems[BAGS]);
    units_hold(&wlab_algo_mi_bag, p, bag_settings[1], 12, 0);
    units_hold(&wlab_algo_mi_bag, p, bag_settings[2], 12, 0);
    wlab_problem_unref(p);
}

/* Without a kernel matrix (a linear kernel above 4000 rows) the order of the rows is random: a restored state, and one
 * that repeats a unit after an interrupt, continue to the same bits. */
static void test_at_size(void **state)
{
    (void)state;
    const wlab_algo *algo = &wlab_algo_alternate;
    wlab_err err;
    wlab_buf buf = {0};
    atomic_int stop = 1;
    wlab_ctx stopped = {.interrupt = &stop};
    wlab_problem *p = pose("two-moons", "n=4100 seed=1", "ssl", "labeled=40 seed=1");
    alternate *a = create_state(algo, p, "kernel=linear restarts=2"),
              *b = create_state(algo, p, "kernel=linear restarts=2");
    assert_true(a->w.at_size);
    assert_int_equal(step(algo, a, NULL), WL_MORE);
    ASSERT_OK(wlab_algo_snapshot(algo, a, &buf, &err), err);
    ASSERT_OK(wlab_algo_restore(algo, b, &buf, NULL, &err), err);
    wlab_buf_clear(&buf);
    for (int t = 0; t < 2; t++) {
        wlab_step made;
        ASSERT_FAILS(algo->advance(b, &stopped, &made, &err), WL_EINTERRUPTED, err, "");
        step(algo, a, NULL);
        step(algo, b, NULL);
        same_state(algo, a, b, p->n);
    }
    algo->destroy(a);
    algo->destroy(b);
    wlab_problem_unref(p);
}

/* Limits, `set`, and a finished run that is advanced again. */
static void test_limit(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = pose("two-moons", "n=40 noise=0.4 seed=3", "cluster", "balance=0.2");
    const char *how = "start=random restarts=8 kernel=rbf sigma=0.5x loss=hinge C=1 iterations=1";
    const wlab_algo *algo = &wlab_algo_alternate;
    void *s = create_state(algo, p, how);
    char words[1024];
    assert_int_equal(step(algo, s, NULL), WL_LIMIT);
    assert_int_equal(step(algo, s, NULL), WL_LIMIT);
    algo->next(s, words, sizeof words);
    assert_non_null(strstr(words, "iterations="));
    wlab_params *params = made_params(algo->params, how, &err);
    ASSERT_OK(wlab_params_set(params, "iterations", "100", &err), err);
    ASSERT_OK(algo->set(s, params, &err), err);
    wlab_verdict verdict;
    while ((verdict = step(algo, s, NULL)) == WL_MORE)
        ;
    assert_int_equal(verdict, WL_CONVERGED);
    algo->explain(s, words, sizeof words);
    assert_non_null(strstr(words, "local minima"));
    wlab_params_destroy(params);
    algo->destroy(s);
    wlab_problem_unref(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_falls),         cmocka_unit_test(test_enumeration),
        cmocka_unit_test(test_certified),     cmocka_unit_test(test_permuted),
        cmocka_unit_test(test_plain_itersvr), cmocka_unit_test(test_merged),
        cmocka_unit_test(test_alignment),     cmocka_unit_test(test_threads_interrupts_memory),
        cmocka_unit_test(test_at_size),       cmocka_unit_test(test_limit),
        cmocka_unit_test(test_cuts),          cmocka_unit_test(test_shared),
        cmocka_unit_test(test_shared_alone),  cmocka_unit_test(test_shared_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
