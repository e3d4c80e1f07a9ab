/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * alter-pSVM step by step: metrics against model and labels, labels against every labeling, an objective
 * that never rises while C* is unchanged, bags of one row against LIBLINEAR and LIBSVM, the toy of Figure 1, visible
 * labels, merged restarts, a C that is too large, initial labels, snapshots, threads, interrupts, memory, refusals.
 */
#include "unit/posed.h"
#include "unit/probed.h"

#include "algo/llp/alter.h"

static const wlab_algo *const algo = &wlab_algo_alter;

static double loss_of(const alter *s, double d)
{
    const double a = fabs(d);
    return s->loss.weight * (s->loss.kind == WL_PROPORTION_SQUARED ? a * a
                             : s->loss.kind == WL_PROPORTION_HINGE ? fmax(0, a - s->loss.eps)
                                                                   : a);
}

/* Eq. 4 at C*, computed from labels and outputs by its definition. */
static double value_at(const alter *s, double norm, const double *f, const int8_t *y)
{
    const wlab_problem *p = s->p;
    double sum = norm;
    for (int64_t i = 0; i < p->n; i++)
        sum += (p->visible[i] ? s->C : s->C_now) * fmax(0, 1 - y[i] * f[i]);
    for (int64_t g = 0; g < (p->bag ? p->bags : 0); g++) {
        double size = 0, positives = 0;
        for (int64_t i = 0; i < p->n; i++) {
            size += p->bag[i] == g;
            positives += p->bag[i] == g && y[i] > 0;
        }
        if (!isnan(p->bag_given[g]))
            sum += (s->factor ? size : 1) * loss_of(s, positives / size - p->bag_given[g]);
    }
    return sum;
}

/* Checks the metrics against the model and the labels. */
static void check_metrics(const alter *s)
{
    wlab_err err;
    wlab_model *m = NULL;
    const int64_t n = s->n;
    double *f = calloc((size_t)n, sizeof *f), norm = 0;
    int8_t *y = calloc((size_t)n, 1);
    assert_true(f && y);
    ASSERT_OK(algo->model(s, &m, NULL, &err), err);
    ASSERT_OK(wlab_model_predict(m, s->p->X, f, NULL, &err), err);
    algo->observe(s, NULL, y);
    const alter_restart *r = &s->r[s->leader];
    if (s->K) {
        for (int64_t i = 0; i < n; i++)
            norm += 0.5 * r->w[i] * (f[i] - r->b);
    } else {
        const double wb = s->kernel.bias > 0 ? m->b[0] / s->kernel.bias : 0;
        for (int32_t j = 0; j < m->cols; j++)
            norm += 0.5 * m->w[j] * m->w[j];
        norm += 0.5 * wb * wb;
    }
    ASSERT_NEAR(metric(algo, s, "objective"), value_at(s, norm, f, y), 1e-9);
    double error = 0, proportion[128] = {0}, size[128] = {0};
    for (int64_t i = 0; i < n; i++) {
        assert_true(y[i] == 1 || y[i] == -1);
        if (s->p->visible[i])
            assert_int_equal(y[i], s->p->visible[i]);
        if (s->p->bag) {
            proportion[s->p->bag[i]] += f[i] > 0;
            size[s->p->bag[i]]++;
        }
    }
    for (int64_t g = 0; s->p->bag && g < s->p->bags; g++)
        error += isnan(s->p->bag_given[g]) ? 0 : fabs(proportion[g] / size[g] - s->p->bag_given[g]);
    if (s->p->bag)
        ASSERT_NEAR(metric(algo, s, "bag_error"), error, 1e-9);
    wlab_model_destroy(m);
    free(f);
    free(y);
}

/* Computes by definition, from weights and dual variables, the primal and dual value of the newest SVM of each
 * restart that has solved one since svms[k].  The values belong to that SVM until the restart solves the next; its
 * labels may change before. */
static void value_svms(const alter *s, int64_t *svms, double *primal, double *dual)
{
    for (int64_t k = 0; k < s->restarts; k++) {
        const alter_restart *r = &s->r[k];
        double norm = 0, norm_alpha = 0;
        if (r->svms == svms[k])
            continue;
        svms[k] = r->svms;
        primal[k] = dual[k] = 0;
        for (int64_t i = 0; i < s->n; i++) {
            primal[k] += s->cost[i] * fmax(0, 1 - r->y[i] * r->f[i]);
            dual[k] += fabs(r->alpha[i]);
            for (int64_t j = 0; s->K && j < s->n; j++) {
                norm += r->w[i] * s->K[i * s->n + j] * r->w[j];
                norm_alpha += r->alpha[i] * s->K[i * s->n + j] * r->alpha[j];
            }
        }
        for (int64_t j = 0; !s->K && j < s->dim; j++) {
            norm += r->w[j] * r->w[j];
            norm_alpha += r->v[j] * r->v[j];
        }
        primal[k] += 0.5 * norm;
        dual[k] -= 0.5 * norm_alpha;
    }
}

/* Runs to the end.  After every half step, the inner gap is that of the displayed restart's SVM; after every step,
 * the metrics are right, and no restart's objective has risen unless C* has. */
static void run_checked(alter *s)
{
    double last[64], shown = HUGE_VAL, C_last = 0, best = HUGE_VAL, primal[64], dual[64];
    int64_t svms[64] = {0};
    wlab_step step = {0};
    for (int k = 0; step.verdict == WL_MORE; k++) {
        wlab_err err;
        assert_true(k < 2000);
        for (step.complete = false; !step.complete;) {
            ASSERT_OK(algo->advance(s, NULL, &step, &err), err);
            if (s->stage == ALTER_Y)
                value_svms(s, svms, primal, dual);
            const double gap = metric(algo, s, "inner_gap"), at = svms[s->leader] ? primal[s->leader] : 0;
            if (isnan(gap)) {
                assert_true(svms[s->leader] == 0);
                continue;
            }
            ASSERT_NEAR(gap, at - dual[s->leader], 1e-12 * at);
            assert_true(gap >= 0);
            assert_true(s->r[s->leader].missed || gap <= s->tol * at * (1 + 1e-9));
        }
        check_metrics(s);
        const double C_now = metric(algo, s, "C_now"), objective = metric(algo, s, "objective");
        const bool same = C_now == C_last;
        assert_true(C_now >= C_last && (!same || objective <= shown));
        for (int64_t r = 0; r < s->restarts; r++) {
            if (same)
                assert_true(s->value[r] <= last[r]);
            assert_true(s->value[r] >= objective);
            last[r] = s->value[r];
        }
        assert_true(metric(algo, s, "best") <= best);
        best = metric(algo, s, "best");
        shown = objective;
        C_last = C_now;
    }
    assert_int_equal(step.verdict, WL_CONVERGED);
    assert_true(C_last == s->C);
    ASSERT_NEAR(best, shown, 1e-12);
}

static void step_to_end(void *s, wlab_ctx *ctx)
{
    while (step(algo, s, ctx) == WL_MORE)
        ;
}

static void test_objective(void **state)
{
    (void)state;
    static const char *const settings[] = {
        "",
        "weight=size Cp=1 restarts=3",
        "C=5 Cp=2 ploss=squared restarts=4 start=bags",
        "ploss=hinge eps=0.1 Cp=100 restarts=3 bias=0",
        "kernel=rbf sigma=0.5x restarts=4",
        "kernel=rbf sigma=0.5x offset=feature bias=2 restarts=3",
        "kernel=linear offset=free restarts=3 C=3",
        "first=1 restarts=5 Cp=100",
        "tol=1e-2 C=10 Cp=100",
    };
    static const char *const tasks[] = {"bagsize=8 seed=2", "bagsize=5 seed=1 labeled=6"};
    for (size_t t = 0; t < 2; t++)
        for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
            wlab_problem *p = pose("two-moons", "n=60 noise=0.2 seed=3", "llp", tasks[t]);
            alter *s = create_state(algo, p, settings[k]);
            run_checked(s);
            algo->destroy(s);
            wlab_problem_unref(p);
        }
}

/* After each of the first steps, for every restart that is not merged: at its w and b none of all 2^12 labelings has a
 * smaller objective than its labels. */
static void test_enumeration(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = pose("two-moons", "n=12 noise=0.3 seed=5", "llp", "bagsize=6 seed=1");
    alter *s = create_state(algo, p, "restarts=3 Cp=2 C=3");
    int looked = 0;
    for (wlab_step step = {0}; step.verdict == WL_MORE;) {
        step.complete = false;
        ASSERT_OK(algo->advance(s, NULL, &step, &err), err);
        if (!step.complete)
            step.verdict = WL_MORE;
        if (!step.complete || looked > 12)
            continue;
        looked++;
        for (int64_t k = 0; k < s->restarts; k++) {
            double least = HUGE_VAL;
            for (uint32_t code = 0; code < 1u << 12; code++) {
                int8_t y[12];
                for (int i = 0; i < 12; i++)
                    y[i] = code >> i & 1 ? 1 : -1;
                least = fmin(least, value_at(s, s->r[k].at.norm, s->r[k].f, y));
            }
            if (s->r[k].same_as < 0)
                ASSERT_NEAR(s->value[k], least, 1e-10);
        }
    }
    assert_true(looked > 3);
    algo->destroy(s);
    wlab_problem_unref(p);
}

/* Bags of one row determine every label. */
static void test_single_rows(void **state)
{
    (void)state;
    static const struct {
        const char *ours, *theirs;
    } pair[] = {
        {"C=0.5 tol=1e-7", "C=0.5 bias=1 eps=1e-7"},
        {"kernel=rbf sigma=0.5x C=2 tol=1e-8", "kernel=rbf sigma=0.5x C=2 eps=1e-7"},
        {"kernel=rbf sigma=0.5x C=2 tol=1e-8", "kernel=rbf sigma=0.5x C=2 eps=1e-7 backend=libsvm"},
        {"C=0.5 tol=1e-7", "C=0.5 bias=1 eps=1e-7 backend=liblinear"},
        {"offset=free C=2 tol=1e-9", "backend=libsvm C=2 eps=1e-7"},
        {"kernel=rbf sigma=0.5x offset=feature tol=1e-9", "kernel=rbf sigma=0.5x bias=1 offset=feature"},
    };
    for (size_t k = 0; k < sizeof pair / sizeof *pair; k++) {
        wlab_problem *p = pose("two-moons", "n=80 noise=0.25 seed=2", "llp", "bagsize=1"),
                     *q = pose("two-moons", "n=80 noise=0.25 seed=2", "supervised", "");
        alter *s = create_state(algo, p, pair[k].ours);
        void *svm = create_state(&wlab_algo_svm, q, pair[k].theirs);
        int8_t y[80];
        run_checked(s);
        algo->observe(s, NULL, y);
        assert_memory_equal(y, p->truth, 80);
        assert_true(metric(algo, s, "distinct") == 1);
        step(&wlab_algo_svm, svm, NULL);
        ASSERT_NEAR(metric(algo, s, "objective") / metric(&wlab_algo_svm, svm, "objective"), 1, 1e-6);
        double *f = outputs(algo, s, p), *g = outputs(&wlab_algo_svm, svm, q);
        for (int i = 0; i < 80; i++)
            assert_true(fabs(f[i] - g[i]) < 2e-3);
        free(f);
        free(g);
        algo->destroy(s);
        wlab_algo_svm.destroy(svm);
        wlab_problem_unref(p);
        wlab_problem_unref(q);
    }
}

/* If all labels are given, alter-pSVM finds the same objective and the same outputs as the algorithm svm, and its gap
 * is nearly 0. */
static void test_supervised(void **state)
{
    (void)state;
    wlab_problem *p = pose("two-moons", "n=80 noise=0.25 seed=2", "supervised", "");
    static const char *const ours[] = {"C=0.5 tol=1e-8", "C=0.5 kernel=rbf tol=1e-8"},
                             *const theirs[] = {"C=0.5 bias=1 eps=1e-7", "C=0.5 kernel=rbf eps=1e-7"};
    for (int k = 0; k < 2; k++) {
        alter *s = create_state(algo, p, ours[k]);
        void *svm = create_state(&wlab_algo_svm, p, theirs[k]);
        assert_int_equal(step(algo, s, NULL), WL_CONVERGED);
        step(&wlab_algo_svm, svm, NULL);
        check_metrics(s);
        ASSERT_NEAR(metric(algo, s, "objective") / metric(&wlab_algo_svm, svm, "objective"), 1, 1e-6);
        assert_true(metric(algo, s, "gap") >= 0 && metric(algo, s, "gap") < 1e-6);
        double *f = outputs(algo, s, p), *g = outputs(&wlab_algo_svm, svm, p);
        for (int i = 0; i < 80; i++)
            assert_true(fabs(f[i] - g[i]) < 2e-3);
        free(f);
        free(g);
        algo->destroy(s);
        wlab_algo_svm.destroy(svm);
    }
    wlab_problem_unref(p);
}

static int wrong_rows(const void *s, const wlab_problem *p)
{
    int bad = 0;
    double *f = outputs(algo, s, p);
    for (int64_t i = 0; i < p->n; i++)
        bad += (f[i] > 0) != (p->truth[i] > 0);
    free(f);
    return bad;
}

/* Figure 1: although the bags' means lie on the wrong sides, every row is right, with each SVM solver and
 * each start. */
static void test_toy(void **state)
{
    (void)state;
    static const char *const settings[] = {"",
                                           "offset=free",
                                           "kernel=rbf sigma=1x",
                                           "ploss=squared Cp=100",
                                           "weight=size",
                                           "start=bags",
                                           "start=invcal restarts=5",
                                           "start=conv"};
    wlab_problem *p = pose("llp-toy", "seed=1", "llp", "");
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
        void *s = create_state(algo, p, settings[k]);
        step_to_end(s, NULL);
        if (wrong_rows(s, p) != 0)
            fail_msg("%s: %d rows wrong", settings[k], wrong_rows(s, p));
        algo->destroy(s);
    }
    wlab_problem_unref(p);
}

/* ssl: the unlabelled rows are one bag whose proportion is the task's r. */
static void test_ssl(void **state)
{
    (void)state;
    wlab_problem *p = pose("two-moons", "n=100 noise=0.1 seed=1", "ssl", "labeled=10 seed=2 r=0.5");
    alter *s = create_state(algo, p, "kernel=rbf sigma=0.5x Cp=1000 C=5");
    int8_t y[100];
    int64_t positives = 0, free = 0;
    run_checked(s);
    algo->observe(s, NULL, y);
    for (int i = 0; i < 100; i++)
        if (!p->visible[i]) {
            free++;
            positives += y[i] > 0;
        }
    assert_true(free == 90 && positives == 45);
    algo->destroy(s);
    wlab_problem_unref(p);
}

/* With merge=0 only restarts with the same labels are merged, with merge=1 all restarts. */
static void test_merge(void **state)
{
    (void)state;
    wlab_problem *p = pose("two-moons", "n=60 noise=0.3 seed=3", "llp", "bagsize=10");
    alter *exact = create_state(algo, p, "restarts=6 merge=0 C=3"),
          *all = create_state(algo, p, "restarts=6 merge=1");
    while (!stepped(algo, all, NULL).phase_complete)
        continue;
    assert_true(metric(algo, all, "distinct") == 1);
    for (wlab_step now = {0}; now.verdict == WL_MORE;) {
        int left = 0;
        now = stepped(algo, exact, NULL);
        for (int64_t k = 0; k < 6 && now.phase_complete; k++) {
            left += exact->r[k].same_as < 0;
            for (int64_t j = 0; j < k; j++)
                if (exact->r[k].same_as < 0 && exact->r[j].same_as < 0)
                    assert_memory_not_equal(exact->r[k].y, exact->r[j].y, 60);
        }
        if (now.phase_complete)
            assert_true(metric(algo, exact, "distinct") == left);
    }
    algo->destroy(exact);
    algo->destroy(all);
    wlab_problem_unref(p);
}

static void test_explanations(void **state)
{
    (void)state;
    wlab_err err;
    char text[1024];
    wlab_probed w;
    wlab_problem *p = pose("two-moons", "n=40 noise=0.2 seed=3", "llp", "bagsize=8");
    alter *s = create_state(algo, p, "restarts=3");
    algo->next(s, text, sizeof text);
    assert_non_null(strstr(text, "C* = 0.00015"));
    algo->explain(s, text, sizeof text);
    assert_non_null(strstr(text, "3 restarts"));
    int8_t first[40], now[40]; /* the initial labels are displayed, and step 1 counts its flips from them */
    int64_t flips = 0;
    algo->observe(s, NULL, first);
    wlab_step last = stepped(algo, s, NULL);
    algo->observe(s, NULL, now);
    for (int i = 0; i < 40; i++) {
        assert_int_not_equal(first[i], 0);
        flips += first[i] != now[i];
    }
    assert_true(flips > 0);
    assert_int_equal((int64_t)metric(algo, s, "flips"), flips);
    algo->explain(s, text, sizeof text);
    assert_non_null(strstr(text, "At C* = 0.00015"));
    assert_true((metric(algo, s, "restart") > 1) == (strstr(text, "was shown before") != NULL));
    ASSERT_OK(probed(algo, s, WL_PROBE_RESTARTS, &w, &err), err);
    assert_true(w.rows == 3 && w.value[s->leader] == metric(algo, s, "objective"));
    wlab_probed_clear(&w);
    while (!last.phase_complete)
        last = stepped(algo, s, NULL);
    assert_int_equal(last.phase, 1);
    algo->next(s, text, sizeof text);
    assert_non_null(strstr(text, "raise C* from 0.00015 to 0.000225"));
    assert_int_equal(stepped(algo, s, NULL).phase, 2);
    step_to_end(s, NULL);
    algo->next(s, text, sizeof text);
    assert_non_null(strstr(text, "nothing"));
    algo->destroy(s);
    wlab_problem_unref(p);
}

static void same_restarts(const alter *a, const alter *b)
{
    same_state(algo, a, b, a->n);
    for (int64_t k = 0; k < a->restarts; k++) {
        assert_memory_equal(a->r[k].y, b->r[k].y, (size_t)a->n);
        assert_memory_equal(a->r[k].w, b->r[k].w, (size_t)a->dim * sizeof(double));
        assert_memory_equal(a->r[k].f, b->r[k].f, (size_t)a->n * sizeof(double));
        assert_memory_equal(a->r[k].alpha, b->r[k].alpha, (size_t)a->n * sizeof(double));
        assert_memory_equal(&a->r[k].gap, &b->r[k].gap, sizeof(double));
    }
}

static int warnings;

static void advance_unit(alter *s, wlab_ctx *ctx)
{
    wlab_err err;
    wlab_step step = {0};
    ASSERT_OK(algo->advance(s, ctx, &step, &err), err);
}

static void test_snapshots(void **state)
{
    (void)state;
    static const char *const settings[] = {"restarts=4", "kernel=rbf sigma=0.5x restarts=4 C=3",
                                           "kernel=rbf offset=feature restarts=2"};
    wlab_err err;
    wlab_problem *p = pose("two-moons", "n=50 noise=0.3 seed=3", "llp", "bagsize=7 labeled=3");
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++)
        for (int units = 0; units < 40; units += 7) {
            alter *a = create_state(algo, p, settings[k]), *b = create_state(algo, p, settings[k]);
            wlab_buf buf = {0};
            for (int u = 0; u < units; u++)
                advance_unit(a, NULL);
            ASSERT_OK(wlab_algo_snapshot(algo, a, &buf, &err), err);
            ASSERT_OK(wlab_algo_restore(algo, b, &buf, NULL, &err), err);
            same_restarts(a, b);
            for (int u = 0; u < 9; u++) {
                advance_unit(a, NULL);
                advance_unit(b, NULL);
            }
            same_restarts(a, b);
            buf.len = buf.len / 2;
            buf.pos = 0;
            ASSERT_FAILS(wlab_algo_restore(algo, b, &buf, NULL, &err), WL_EINPUT, err, "damaged");
            wlab_buf_clear(&buf);
            algo->destroy(a);
            algo->destroy(b);
        }
    wlab_problem_unref(p);
}

static void test_threads(void **state)
{
    (void)state;
    static const char *const settings[] = {"restarts=5", "kernel=rbf sigma=0.5x restarts=5"};
    wlab_err err;
    wlab_ctx ctx = {0};
    wlab_problem *p = pose("two-moons", "n=60 noise=0.3 seed=3", "llp", "bagsize=10");
    ASSERT_OK(wlab_pool_create(&ctx.pool, 4, &err), err);
    for (int k = 0; k < 2; k++) {
        alter *a = create_state(algo, p, settings[k]), *b = create_state(algo, p, settings[k]);
        step_to_end(a, NULL);
        step_to_end(b, &ctx);
        same_restarts(a, b);
        algo->destroy(a);
        algo->destroy(b);
    }
    wlab_pool_destroy(ctx.pool);
    wlab_problem_unref(p);
}

static void count_warnings(void *sink, const wlab_event *event)
{
    (void)sink;
    if (event->kind == WL_EV_WARNING) {
        warnings++;
        assert_non_null(strstr(event->text, "or use a smaller C"));
    }
}

/* With C so large that doubles cannot hold an exact solution, the run ends as stalled, not as converged, and warns
 * once; a run restored from a snapshot warns no second time.  The lower bound is never below 0, its value at alpha =
 * 0. */
static void test_stalled(void **state)
{
    (void)state;
    static const char *const settings[] = {"kernel=linear C=1e20", "kernel=rbf sigma=0.5x C=1e18",
                                           "kernel=rbf sigma=0.5x offset=feature C=1e18"};
    wlab_err err;
    wlab_ctx ctx = {.emit = count_warnings};
    wlab_problem *p = pose("two-moons", "n=50 noise=0.6 seed=3", "supervised", "");
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
        alter *s = create_state(algo, p, settings[k]), *b = create_state(algo, p, settings[k]);
        wlab_step now = {0};
        wlab_buf buf = {0};
        now.complete = false;
        char text[2048];
        warnings = 0;
        while (now.verdict == WL_MORE)
            now.verdict = step(algo, s, &ctx);
        assert_int_equal(now.verdict, WL_STALLED);
        assert_int_equal(warnings, 1);
        assert_true(metric(algo, s, "lower") >= 0);
        algo->explain(s, text, sizeof text);
        assert_non_null(strstr(text, "missed tol"));
        assert_true(metric(algo, s, "inner_gap") > 1e-4 * metric(algo, s, "objective"));
        ASSERT_OK(wlab_algo_snapshot(algo, s, &buf, &err), err);
        ASSERT_OK(wlab_algo_restore(algo, b, &buf, NULL, &err), err);
        ASSERT_OK(algo->advance(b, &ctx, &now, &err), err);
        assert_int_equal(now.verdict, WL_STALLED);
        assert_int_equal(warnings, 1);
        wlab_buf_clear(&buf);
        algo->destroy(s);
        algo->destroy(b);
    }
    wlab_problem_unref(p);
}

/* An interrupt is requested before each of 150 units.  A unit that is interrupted leaves the metrics unchanged.  The
 * run is then saved, restored in a new run, and continued there: after each unit its state is that of a run that was
 * never interrupted. */
static void test_interrupt(void **state)
{
    (void)state;
    wlab_err err;
    atomic_int flag;
    wlab_ctx ctx = {.interrupt = &flag};
    wlab_problem *p = pose("g50c", "n=200 seed=2", "llp", "bagsize=20");
    const char *settings = "restarts=3 C=0.5 tol=1e-7";
    alter *a = create_state(algo, p, settings), *b = create_state(algo, p, settings);
    int heard = 0;
    atomic_init(&flag, 0);
    for (int u = 0; u < 150; u++) {
        wlab_step step = {0};
        double before[MOST_METRICS], after[MOST_METRICS];
        advance_unit(a, NULL);
        atomic_store(&flag, 1);
        algo->observe(b, before, NULL);
        wlab_code code = algo->advance(b, &ctx, &step, &err);
        atomic_store(&flag, 0);
        if (code) {
            assert_int_equal(code, WL_EINTERRUPTED);
            heard++;
            algo->observe(b, after, NULL);
            for (int k = 0; algo->metrics[k].name; k++)
                assert_true(before[k] == after[k] || (isnan(before[k]) && isnan(after[k])));
            wlab_buf buf = {0};
            alter *c = create_state(algo, p, settings);
            ASSERT_OK(wlab_algo_snapshot(algo, b, &buf, &err), err);
            ASSERT_OK(wlab_algo_restore(algo, c, &buf, NULL, &err), err);
            wlab_buf_clear(&buf);
            algo->destroy(b);
            b = c;
            advance_unit(b, &ctx);
        }
        same_restarts(a, b);
    }
    assert_true(heard > 0);
    algo->destroy(a);
    algo->destroy(b);
    wlab_problem_unref(p);
}

static void test_memory(void **state)
{
    (void)state;
    static const char *const settings[] = {"restarts=2 weight=size", "kernel=rbf restarts=2",
                                           "kernel=rbf offset=feature restarts=2", "start=invcal"};
    wlab_err err;
    wlab_problem *p = pose("two-moons", "n=20 noise=0.3 seed=3", "llp", "bagsize=5");
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
        void *s = NULL;
        wlab_step step = {0};
        wlab_buf buf = {0};
        wlab_params *params = made_params(algo->params, settings[k], &err);
        assert_non_null(params);
        ALLOC_SWEEP_OUT(algo->create(&s, p, params, NULL, &err), s);
        for (int u = 0; u < 5; u++)
            ALLOC_SWEEP(algo->advance(s, NULL, &step, &err));
        ALLOC_SWEEP_CHECK(wlab_algo_snapshot(algo, s, &buf, &err), wlab_buf_clear(&buf));
        wlab_buf_clear(&buf);
        /* the same as if memory had never run short */
        alter *other = create_state(algo, p, settings[k]);
        for (int u = 0; u < 5; u++)
            advance_unit(other, NULL);
        same_restarts(s, other);
        algo->destroy(other);
        algo->destroy(s);
        wlab_params_destroy(params);
    }
    wlab_problem_unref(p);
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *settings, *text;
    } bad[] = {
        {"offset=free bias=1", "bias= needs offset=feature"},
        {"eps=0.1", "eps= needs ploss=hinge"},
        {"first=1e-300 C=1e-10", "use a larger first="},
        {"C=1e-320", "use a larger first="},
    };
    wlab_err err;
    wlab_problem *p = pose("two-moons", "n=20 noise=0.3 seed=3", "llp", "bagsize=5");
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        void *s = NULL;
        wlab_params *params = made_params(algo->params, bad[k].settings, &err);
        assert_non_null(params);
        ASSERT_FAILS(algo->create(&s, p, params, NULL, &err), WL_EARG, err, bad[k].text);
        assert_null(s);
        wlab_params_destroy(params);
    }
    assert_null(made_params(algo->params, "grow=1e-17", &err)); /* 1 + grow == 1: it would never end */
    assert_non_null(strstr(err.message, "grow"));
    wlab_problem_unref(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_objective),   cmocka_unit_test(test_enumeration),
        cmocka_unit_test(test_single_rows), cmocka_unit_test(test_supervised),
        cmocka_unit_test(test_toy),         cmocka_unit_test(test_ssl),
        cmocka_unit_test(test_merge),       cmocka_unit_test(test_explanations),
        cmocka_unit_test(test_snapshots),   cmocka_unit_test(test_threads),
        cmocka_unit_test(test_interrupt),   cmocka_unit_test(test_memory),
        cmocka_unit_test(test_refusals),    cmocka_unit_test(test_stalled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
