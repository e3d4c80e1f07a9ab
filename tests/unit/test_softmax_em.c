/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * softmax-em step by step: metrics against model and labels, the objective never rises, every labeling of a small
 * problem, all labels given, constraints of multi-instance learning, more classes, initial labels, changed lambda,
 * threads, snapshots, interrupts, memory, refusals.
 */
#include "unit/posed.h"
#include "unit/probed.h"

#include "algo/softmax/em.h"

static const wlab_algo *const algo = &wlab_algo_softmax_em;

/* Checks the metrics against f by its definition, from the model's outputs and z. */
static void check_metrics(const softmax_em *s)
{
    const int P = s->P;
    const int64_t n = s->n;
    const wlab_em *e = s->em[s->leader];
    const double *z = wlab_em_z(e);
    wlab_model *m = model_of(algo, s);
    wlab_err err;
    wlab_probed scores;
    double *f = outputs(algo, s, s->p);
    double *v = calloc((size_t)(n * P), sizeof *v), loss = 0, h = 0;
    int8_t *y = malloc((size_t)n);
    ASSERT_OK(probed(algo, s, WL_PROBE_SCORES, &scores, &err), err);
    assert_true(v && y && scores.rows == n && scores.columns == P);
    const double *score = scores.value;
    algo->observe(s, NULL, y);
    assert_int_equal(m->outputs, P == 2 ? 1 : P);
    for (int64_t i = 0; i < n; i++) {
        const double *a = score + i * P;
        double top = a[0], sum = 0;
        for (int k = 1; k < P; k++)
            top = fmax(top, a[k]);
        for (int k = 0; k < P; k++) {
            sum += exp(a[k] - top);
            if (P == 2)
                ASSERT_NEAR(f[i], a[1] - a[0], 1e-5);
            else
                ASSERT_NEAR(f[i * P + k], a[k], 1e-5);
        }
        const int64_t g = s->rows.bag ? s->rows.bag[i] : 0;
        double own[WL_CLASSES_MOST]; /* z_i in the order of the displayed names */
        for (int c = 0; c < P; c++)
            own[s->name[c]] = z[i * P + c];
        for (int k = 0; k < P; k++) {
            loss += s->rows.pi[i] * own[k] * (top + log(sum) - a[k]);
            v[g * P + k] += s->rows.pi[i] * own[k];
            assert_true(own[k] <= own[wlab_label_index(s->p, y[i])]);
        }
        if (s->p->visible[i])
            assert_int_equal(y[i], s->p->visible[i]);
        assert_true(s->rows.allowed[i] >> wlab_label_index(s->p, y[i]) & 1);
    }
    for (int64_t k = 0; k < n * P; k++)
        h -= v[k] > 0 ? v[k] * log(v[k]) : 0;
    ASSERT_NEAR(metric(algo, s, "loss"), loss, 1e-9);
    ASSERT_NEAR(metric(algo, s, "entropy"), h, 1e-9);
    ASSERT_NEAR(metric(algo, s, "objective"), loss - h + metric(algo, s, "norm"), 1e-9);
    if (m->w && s->f->kernel.bias == 0) {
        double norm = 0;
        for (int64_t j = 0; j < m->outputs * m->cols; j++)
            norm += m->w[j] * m->w[j];
        ASSERT_NEAR(metric(algo, s, "norm"), s->lambda / (2 * P) * (P == 2 ? norm / 2 : norm), 1e-9);
    }
    wlab_model_destroy(m);
    free(f);
    wlab_probed_clear(&scores);
    free(v);
    free(y);
}

/* Runs to the end with checks. */
static void run_checked(softmax_em *s)
{
    double last = HUGE_VAL;
    wlab_verdict verdict = WL_MORE;
    for (int k = 0; verdict == WL_MORE; k++) {
        assert_true(k < 500);
        verdict = step(algo, s, NULL);
        check_metrics(s);
        const double now = metric(algo, s, "objective");
        assert_true(now <= last);
        for (int64_t r = 0; r < s->restarts; r++)
            assert_true(s->values[r] >= now);
        assert_true(metric(algo, s, "inner_gap") >= 0 && metric(algo, s, "inner_gap") <= 1e-2 * s->eps * 10);
        last = now;
    }
    assert_int_equal(verdict, WL_CONVERGED);
    assert_true(metric(algo, s, "moving") == 0);
}

static void test_objective(void **state)
{
    (void)state;
    static const char *const settings[] = {
        "",
        "lambda=0.1 intercept=no restarts=4",
        "weight=bag restarts=3",
        "entropy=bag restarts=3 lambda=1e-3",
        "start=kmeans restarts=2",
        "kernel=rbf sigma=0.5x lambda=1e-3 restarts=3",
        "kernel=rbf sigma=0.2x rank=20 lambda=1e-3 restarts=2 start=kmeans",
        "kernel=poly degree=2 coef0=1 restarts=2 lambda=1e-4",
        "bias=1 restarts=2",
    };
    static const struct {
        const char *data, *how, *task, *options;
    } problems[] = {
        {"two-moons", "n=40 noise=0.2 seed=3", "ssl", "labeled=6"},
        {"two-moons", "n=40 noise=0.2 seed=3", "cluster", ""},
        {"two-moons", "n=40 noise=0.2 seed=3", "supervised", ""},
        {"blobs", "n=44 classes=4 seed=2", "cluster", "classes=4"},
        {"blobs", "n=44 classes=4 seed=2", "ssl", "labeled=8 classes=all"},
        {"blobs", "n=44 classes=4 seed=2", "ambiguous", "candidates=2 classes=all"},
        {"roi-bags", "bags=16 seed=2", "mil", ""},
    };
    for (size_t t = 0; t < sizeof problems / sizeof *problems; t++)
        for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
            wlab_problem *p = pose(problems[t].data, problems[t].how, problems[t].task, problems[t].options);
            softmax_em *s = create_state(algo, p, settings[k]);
            run_checked(s);
            if (s->rows.free_rows == 0)
                assert_true(metric(algo, s, "gap") >= 0 && metric(algo, s, "gap") < 1e-8);
            algo->destroy(s);
            wlab_problem_unref(p);
        }
}

/* No labeling of 10 rows has a lower objective than the best of 40 restarts. */
static void test_enumeration(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = pose("two-moons", "n=10 noise=0.3 seed=5", "cluster", "");
    softmax_em *s = create_state(algo, p, "restarts=40 lambda=0.05");
    run_checked(s);
    const double found = metric(algo, s, "objective");
    double least = HUGE_VAL;
    int32_t label[10];
    wlab_em *e = s->em[0];
    for (int code = 0; code < 1 << 10; code++) {
        for (int i = 0; i < 10; i++)
            label[i] = code >> i & 1;
        ASSERT_OK(wlab_em_set_labels(e, label, &err), err);
        ASSERT_OK(wlab_em_m_step(e, 1e-10, NULL, &err), err);
        least = fmin(least, wlab_em_objective(e).total);
    }
    assert_true(found <= least + 1e-6);
    algo->destroy(s);
    wlab_problem_unref(p);
}

/* Eq. 7: the model puts no instance of a negative bag on the positive side; without the constraint it puts some
 * there. */
static void test_mil(void **state)
{
    (void)state;
    wlab_problem *p = pose("roi-bags", "bags=40 seed=4", "mil", "");
    int64_t wrong[2] = {0, 0};
    for (int hard = 0; hard < 2; hard++) {
        softmax_em *s = create_state(algo, p,
                                     hard ? "lambda=1e-3 weight=bag restarts=2"
                                          : "lambda=1e-3 weight=bag restarts=2 hard=no");
        assert_true((s->rows.hard != NULL) == (hard == 1));
        run_checked(s);
        double *f = outputs(algo, s, p), sum = 0;
        for (int64_t i = 0; i < p->n; i++) {
            wrong[hard] += p->visible[i] < 0 && f[i] > 0;
            sum += s->rows.pi[i];
        }
        ASSERT_NEAR(sum, 1, 1e-12);
        free(f);
        algo->destroy(s);
    }
    assert_int_equal(wrong[1], 0);
    assert_true(wrong[0] > 0);
    wlab_problem_unref(p);
}

/* With all labels given, there is only one restart, one step gives the certified optimum, and the labels are the given
 * ones. */
static void test_supervised(void **state)
{
    (void)state;
    wlab_problem *p = pose("blobs", "n=80 classes=3 seed=2", "supervised", "classes=all");
    softmax_em *s = create_state(algo, p, "restarts=5 lambda=1e-3");
    int8_t y[80];
    assert_int_equal(s->restarts, 1);
    assert_int_equal(step(algo, s, NULL), WL_CONVERGED);
    algo->observe(s, NULL, y);
    assert_memory_equal(y, p->truth, 80);
    assert_true(metric(algo, s, "gap") >= 0 && metric(algo, s, "gap") < 1e-8);
    assert_true(metric(algo, s, "lower") <= metric(algo, s, "upper"));
    check_metrics(s);
    algo->destroy(s);
    wlab_problem_unref(p);
}

/* From the start by k-means, EM finds well separated clusters.  With a larger lambda it continues, and ends at a larger
 * f. */
static void test_kmeans_and_lambda(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = pose("blobs", "n=90 classes=3 seed=2 spread=0.1", "cluster", "classes=3");
    softmax_em *s = create_state(algo, p, "start=kmeans lambda=1e-3");
    run_checked(s);
    for (int i = 0; i < 90; i++)
        for (int j = 0; j < i; j++)
            assert_true((s->shown[i] == s->shown[j]) == (p->truth[i] == p->truth[j]));
    const double before = metric(algo, s, "objective");
    wlab_params *more = made_params(algo->params, "start=kmeans lambda=1e-2", &err);
    ASSERT_OK(algo->set(s, more, &err), err);
    wlab_params_destroy(more);
    assert_int_equal(s->finished, false);
    run_checked(s);
    assert_true(metric(algo, s, "objective") > before);
    algo->destroy(s);
    softmax_em *t = create_state(algo, p, "start=kmeans iterations=1");
    assert_int_equal(step(algo, t, NULL), WL_LIMIT);
    algo->destroy(t);
    wlab_problem_unref(p);
}

/* With an eps that only some M-steps reach, the verdict is that of the displayed restart, also right after another
 * one was displayed. */
static void test_missed(void **state)
{
    (void)state;
    int changes = 0, missed = 0;
    wlab_problem *p = pose("two-moons", "n=40 noise=0.2 seed=3", "cluster", "");
    for (int seed = 1; seed <= 12; seed++) {
        char settings[64];
        bool late[8] = {0};
        wlab_step step = {0};
        snprintf(settings, sizeof settings, "restarts=8 eps=1e-13 lambda=1e-3 seed=%d", seed);
        softmax_em *s = create_state(algo, p, settings);
        while (step.verdict == WL_MORE) {
            wlab_err err;
            int64_t leader = 0;
            for (step.complete = false; !step.complete;) {
                ASSERT_OK(algo->advance(s, NULL, &step, &err), err);
                if (s->stage != SEM_E)
                    continue;
                leader = s->leader;
                for (int k = 0; k < 8; k++) {
                    const wlab_em_value v = wlab_em_objective(s->em[k]);
                    if (s->r[k].moving)
                        late[k] =
                            wlab_em_m_gap(s->em[k]) > 0.01 * s->eps * (v.loss + v.norm + fabs(v.entropy));
                }
            }
            changes += leader != s->leader && late[leader] != late[s->leader];
            missed += late[s->leader];
            assert_true(s->missed == late[s->leader]);
        }
        assert_int_equal(step.verdict, late[s->leader] ? WL_STALLED : WL_CONVERGED);
        algo->destroy(s);
    }
    assert_true(changes > 0 && missed > 0);
    wlab_problem_unref(p);
}

static void test_explanations(void **state)
{
    (void)state;
    wlab_err err;
    char text[1024];
    int8_t first[60], now[60];
    int64_t flips = 0;
    wlab_model *m;
    wlab_probed w;
    wlab_problem *p = pose("two-moons", "n=60 noise=0.2 seed=3", "ssl", "labeled=6");
    softmax_em *s = create_state(algo, p, "restarts=3");
    algo->explain(s, text, sizeof text);
    assert_non_null(strstr(text, "3 restarts"));
    ASSERT_FAILS(algo->model(s, &m, NULL, &err), WL_ESTATE, err, "step");
    ASSERT_FAILS(probed(algo, s, WL_PROBE_SCORES, &w, &err), WL_ESTATE, err, "no scores yet");
    algo->observe(s, NULL, first);
    step(algo, s, NULL);
    algo->observe(s, NULL, now);
    for (int i = 0; i < 60; i++) {
        assert_int_not_equal(first[i], 0);
        flips += first[i] != now[i];
    }
    assert_int_equal((int64_t)metric(algo, s, "flips"), flips);
    algo->explain(s, text, sizeof text);
    assert_non_null(strstr(text, "has the smallest f"));
    algo->next(s, text, sizeof text);
    assert_non_null(strstr(text, "M-step"));
    ASSERT_OK(probed(algo, s, WL_PROBE_RESTARTS, &w, &err), err);
    assert_true(w.rows == 3 && w.value[s->leader] == metric(algo, s, "objective"));
    wlab_probed_clear(&w);
    while (step(algo, s, NULL) == WL_MORE)
        ;
    algo->next(s, text, sizeof text);
    assert_non_null(strstr(text, "has converged"));
    algo->destroy(s);
    wlab_problem_unref(p);
}

static void test_threads_interrupts_memory(void **state)
{
    (void)state;
    wlab_problem *p = pose("two-moons", "n=60 noise=0.2 seed=3", "ssl", "labeled=6");
    units_hold(algo, p, "restarts=3 kernel=rbf lambda=1e-3", 9,
               1); /* random labels need no work that could be interrupted */
    units_hold(algo, p, "restarts=2 start=kmeans", 9, 0);
    wlab_problem_unref(p);
}

static void assert_refused(wlab_problem *p, const char *setting, const char *text)
{
    wlab_err err;
    void *s = NULL;
    wlab_params *params = made_params(algo->params, setting, &err);
    ASSERT_FAILS(algo->create(&s, p, params, NULL, &err), WL_EARG, err, text);
    assert_null(s);
    wlab_params_destroy(params);
}

static void test_refusals(void **state)
{
    (void)state;
    wlab_problem *p = pose("two-moons", "n=20 seed=3", "cluster", ""),
                 *q = pose("roi-bags", "bags=12 seed=2", "mil", "");
    assert_refused(p, "hard=yes", "mil");
    assert_refused(q, "hard=yes intercept=no", "intercept");
    assert_refused(p, "entropy=bag intercept=no", "intercept");
    assert_refused(p, "gamma=2", "kernel");
    wlab_problem_unref(p);
    wlab_problem_unref(q);
}

/* names=matched gives the same clusters as names=drawn; when another restart is shown, not more labels change. */
static void test_names(void **state)
{
    (void)state;
    int switches = 0;
    for (int seed = 1; seed <= 4; seed++) {
        char how[60];
        snprintf(how, sizeof how, "n=60 classes=3 spread=2 seed=%d", seed);
        wlab_problem *p = pose("blobs", how, "cluster", "classes=3");
        void *a = create_state(algo, p, "restarts=5 names=drawn"),
             *b = create_state(algo, p, "restarts=5 names=matched");
        int8_t u[60], v[60];
        double shown = NAN;
        wlab_verdict verdict = WL_MORE;
        for (int t = 0; verdict == WL_MORE; t++) {
            verdict = step(algo, a, NULL);
            assert_int_equal(step(algo, b, NULL), verdict);
            assert_true(metric(algo, a, "objective") == metric(algo, b, "objective"));
            assert_true(metric(algo, a, "restart") == metric(algo, b, "restart"));
            algo->observe(a, NULL, u);
            algo->observe(b, NULL, v);
            int name[3] = {0};
            for (int64_t i = 0; i < p->n; i++) { /* the same clusters under other names */
                const int c = wlab_label_index(p, u[i]);
                assert_true(!name[c] || name[c] == v[i]);
                name[c] = v[i];
            }
            if (t > 0 && metric(algo, b, "restart") != shown) {
                switches++;
                assert_true(metric(algo, b, "flips") <= metric(algo, a, "flips"));
            }
            shown = metric(algo, b, "restart");
        }
        algo->destroy(a);
        algo->destroy(b);
        wlab_problem_unref(p);
    }
    assert_true(switches > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_objective),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_enumeration),
        cmocka_unit_test(test_mil),
        cmocka_unit_test(test_supervised),
        cmocka_unit_test(test_kmeans_and_lambda),
        cmocka_unit_test(test_explanations),
        cmocka_unit_test(test_missed),
        cmocka_unit_test(test_threads_interrupts_memory),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
