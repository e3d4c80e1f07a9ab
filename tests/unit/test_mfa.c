/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mean field annealing step by step: beliefs against brute force and long double, temperatures and stages as in Table
 * 5, the objective at T, J and the return to its minimum, gaps, polishing; every labeling enumerated; snapshots,
 * threads, memory, refusals.
 */
#include "unit/transduction.h"

#include "algo/svmlin/mfa.h"

static const wlab_algo *const annealing = &wlab_algo_mfa;

/* ---- beliefs ---- */

/* log p and log (1 - p) of log-odds x. */
static long double log_p(long double x)
{
    return x > 0 ? -log1pl(expl(-x)) : x - log1pl(expl(x));
}

/* p (log p - log q) for the p whose log-odds are x; 0 if p is 0. */
static long double term(long double x, long double log_q)
{
    return expl(log_p(x)) > 0 ? expl(log_p(x)) * (log_p(x) - log_q) : 0;
}

static long double entropy_of(const double *x, int64_t u)
{
    long double sum = 0;
    for (int64_t j = 0; j < u; j++)
        sum -= term(x[j], 0) + term(-x[j], 0);
    return sum / (long double)u;
}

static long double kl_of(const double *x, const double *from, int64_t u)
{
    long double sum = 0;
    for (int64_t j = 0; j < u; j++)
        sum += term(x[j], log_p(from[j])) + term(-x[j], log_p(-from[j]));
    return sum / (long double)u;
}

static long double mean_of(const mfa *s)
{
    long double sum = 0;
    for (int64_t j = 0; j < s->t.u; j++)
        sum += s->p[j];
    return sum / (long double)s->t.u;
}

/* The part of Eq. 8 that depends on p, times 2u. */
static long double part(const mfa *s, const long double *p)
{
    long double sum = 0;
    for (int64_t j = 0; j < s->t.u; j++) {
        const double o = s->t.m->o[s->t.unl[j]];
        sum += 2 * s->t.lambda_u * (p[j] * half_square(o) + (1 - p[j]) * half_square(-o));
        sum += p[j] > 0 ? s->T * p[j] * logl(p[j]) : 0;
        sum += p[j] < 1 ? s->T * (1 - p[j]) * log1pl(-p[j]) : 0;
    }
    return sum;
}

/* The minimum over p[k], ..., p[u-1] with a given sum, by nested golden section searches. */
static long double golden(const mfa *s, int64_t k, long double *p, long double sum)
{
    const long double ratio = (sqrtl(5) - 1) / 2;
    const int64_t left = s->t.u - k - 1;
    if (left == 0) {
        p[k] = fminl(1, fmaxl(0, sum));
        return part(s, p);
    }
    long double lo = fmaxl(0, sum - (long double)left), hi = fminl(1, sum), best = HUGE_VALL, at = lo;
    for (int i = 0; i < 55; i++) {
        const long double a = hi - ratio * (hi - lo), b = lo + ratio * (hi - lo);
        p[k] = a;
        const long double fa = golden(s, k + 1, p, sum - a);
        p[k] = b;
        const long double fb = golden(s, k + 1, p, sum - b);
        if (fa < fb)
            hi = b;
        else
            lo = a;
        at = fa < best ? a : fb < best ? b : at;
        best = fminl(best, fminl(fa, fb));
    }
    p[k] = at;
    return golden(s, k + 1, p, sum - at);
}

static void test_minimum(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 1);
    for (int n = 6; n <= 7; n++) {
        char how[64];
        snprintf(how, sizeof how, "n=%d noise=0.1 seed=1", n);
        wlab_problem *p = pose("two-moons", how, "ssl", "labeled=4 seed=1");
        for (int c = 0; c < (n == 6 ? 60 : 12); c++) {
            char options[64];
            snprintf(options, sizeof options, "r=%g T=%g lambda_u=%g", c % 3 ? 0.5 : 0.6, pow(10, c % 5 - 3),
                     c % 2 ? 1.0 : 4.0);
            mfa *s = create_state(annealing, p, options);
            long double brute[3];
            for (int64_t j = 0; j < s->t.u; j++)
                s->t.m->o[s->t.unl[j]] = 1.5 * wlab_rng_normal(&rng);
            wlab_mfa_beliefs(s, NULL);
            const long double least = golden(s, 0, brute, (long double)s->t.r * (long double)s->t.u);
            long double mine[3];
            for (int64_t j = 0; j < s->t.u; j++)
                mine[j] = s->p[j];
            const long double f = part(s, mine);
            if (!(f <= least + 1e-11L * (fabsl(least) + s->T)) || !(f >= least - 1e-7L))
                fail_msg("%s: %.15Lg, by brute force %.15Lg", options, f, least);
            assert_true(fabsl(mean_of(s) - s->t.r) <= 1e-10L);
            annealing->destroy(s);
        }
        wlab_problem_unref(p);
    }
}

/* Many rows, temperatures from high to nearly 0: balance, entropy and divergence against long double; no exchange of
 * belief between rows lowers the objective. */
static void test_beliefs(void **state)
{
    (void)state;
    wlab_problem *p = pose("two-moons", "n=400 noise=0.1 seed=1", "ssl", "labeled=10 seed=1");
    wlab_rng rng;
    wlab_rng_seed(&rng, 2);
    double *from = calloc(400, sizeof *from);
    long double *at = calloc(400, sizeof *at);
    assert_true(from && at);
    for (int c = 0; c < 120; c++) {
        const double r = c % 3 == 0 ? 0.5 : c % 3 == 1 ? 0.004 : 0.93, T = pow(10, c % 8 - 5);
        const double spread = c % 5 == 0 ? 0 : pow(10, c % 4 - 2);
        char options[64];
        snprintf(options, sizeof options, "r=%g T=%g", r, T);
        mfa *s = create_state(annealing, p, options);
        const int64_t u = s->t.u;
        for (int round = 0; round < 3; round++) {
            memcpy(from, s->x, (size_t)u * sizeof *from);
            for (int64_t j = 0; j < u; j++)
                s->t.m->o[s->t.unl[j]] = spread * wlab_rng_normal(&rng) + 0.1;
            if (round == 2)
                for (int64_t j = 0; j < u; j++)
                    s->t.m->o[s->t.unl[j]] =
                        round % 2 ? 0.3 : s->t.m->o[s->t.unl[j / 7 * 7]]; /* equal outputs */
            wlab_mfa_beliefs(s, NULL);
            if (!(fabsl(mean_of(s) - r) <= 1e-10L))
                fail_msg("%s, spread %g: the mean is %.15Lg", options, spread, mean_of(s));
            long double size = 1;
            for (int64_t j = 0; j < u; j++) {
                const double o = s->t.m->o[s->t.unl[j]],
                             g = 2 * s->t.lambda_u * (half_square(o) - half_square(-o));
                assert_true(fabs(s->x[j] - (s->nu2 - g) / T) <= 1e-12 * (fabs(s->nu2) + fabs(g)) / T);
                assert_true(fabsl(s->p[j] - expl(log_p(s->x[j]))) <= 1e-15L * expl(log_p(s->x[j])) + 1e-300L);
                size = fmaxl(size, fabsl((long double)s->x[j]) + fabsl((long double)from[j]));
                at[j] = s->p[j];
            }
            const long double h = entropy_of(s->x, u), kl = kl_of(s->x, from, u);
            if (!(fabsl(s->entropy - h) <= 1e-14L * h + 1e-300L))
                fail_msg("%s: entropy %.17g instead of %.17Lg", options, s->entropy, h);
            if (!(fabsl(s->kl - kl) <= 1e-15L * size))
                fail_msg("%s: divergence %.17g instead of %.17Lg", options, s->kl, kl);
            const long double f = part(s, at);
            for (int k = 0; k < 50; k++) {
                const uint64_t i = wlab_rng_below(&rng, (uint64_t)u), j = wlab_rng_below(&rng, (uint64_t)u);
                const long double a = at[i], b = at[j];
                long double move = fminl(1 - a, b) * (k % 2 ? 0.5L : 1e-4L);
                if (i == j)
                    continue;
                at[i] = a + move;
                at[j] = b - move;
                assert_true(part(s, at) >= f - 1e-15L * size * T * (long double)u);
                at[i] = a;
                at[j] = b;
            }
        }
        annealing->destroy(s);
    }
    free(from);
    free(at);
    wlab_problem_unref(p);
}

/* At extreme temperatures all numbers are finite, and the balance is as good as doubles allow. */
static void test_extreme_temperatures(void **state)
{
    (void)state;
    wlab_problem *p = pose("two-moons", "n=60 noise=0.1 seed=1", "ssl", "labeled=6 seed=1");
    static const char *const T[] = {"1e-300", "1e-30", "1e-15", "1e-9", "1e9", "1e30", "1e300"};
    for (size_t c = 0; c < sizeof T / sizeof *T; c++)
        for (int anneal = 0; anneal < 2; anneal++) {
            char options[64];
            snprintf(options, sizeof options, "r=0.3 T=%s anneal=%s", T[c], anneal ? "yes" : "no");
            mfa *s = create_state(annealing, p, options);
            wlab_verdict verdict = WL_MORE;
            for (int k = 0; verdict == WL_MORE; k++) {
                assert_true(k < 4000);
                verdict = step(annealing, s, NULL);
                assert_true(isfinite(s->t.objective) && isfinite(s->t.J) && isfinite(s->entropy) &&
                            s->entropy >= 0);
                assert_true(isnan(s->kl) == (k == 0 && !anneal) || s->t.finished);
                const long double off = fabsl(mean_of(s) - 0.3L);
                if (!(off <= 1e-10L + 1e-14L / s->T) || !(off <= 1 / (long double)s->t.u))
                    fail_msg("%s, step %d: the mean is off by %.3Lg", options, k, off);
                for (int64_t j = 0; j < s->t.u; j++)
                    assert_true(s->p[j] >= 0 && s->p[j] <= 1);
            }
            annealing->destroy(s);
        }
    wlab_problem_unref(p);
}

/* ---- whole runs ---- */

/* Eq. 8 at an observed step and the current beliefs. */
static double at_T(const mfa *s, const observation *now)
{
    double sum = 0;
    for (int64_t j = 0; j < s->t.u; j++) {
        const double o = now->o[s->t.unl[j]];
        sum += s->p[j] * half_square(o) + (1 - s->p[j]) * half_square(-o);
    }
    return now->norm + now->labelled + s->t.lambda_u * sum / (double)s->t.u -
           0.5 * s->T * (double)entropy_of(s->x, s->t.u);
}

typedef struct settings {
    double T, r;
    bool anneal, polish, svmlin, paper, linear;
    int64_t temperatures, alternations;
    double cooling; /* 0: 1.5 */
} settings;

/* Checks every step of a run; returns the last J. */
static double check_run(wlab_problem *p, const char *options, settings expected)
{
    mfa *s = create_state(annealing, p, options);
    transductive *t = &s->t;
    const int64_t u = t->u, positives = u - (int64_t)ceil((1 - expected.r) * (double)u - 1e-9 * (double)u);
    const double tolerance = 1e-6 * (expected.svmlin ? log(2) : 1);
    double T = expected.T, objective = HUGE_VAL, best = HUGE_VAL, upper = HUGE_VAL, lower = NAN,
           polished = NAN;
    double *from = calloc((size_t)u, sizeof *from);
    int32_t *pair = calloc((size_t)u, sizeof *pair);
    int64_t level = 1, turn = 0, phase = 0, steps = 0, pairs = 0;
    bool cool = false, over = false;
    observation before = {0}, now;
    wlab_verdict end = WL_MORE;
    wlab_step last = {0};
    assert_true(from && pair);
    while (last.verdict == WL_MORE) {
        const mfa_stage stage = s->stage;
        memcpy(from, s->x, (size_t)u * sizeof *from);
        assert_true(steps < 20000);
        last = stepped(annealing, s, NULL);
        now = observe_step(annealing, s, p, positives);
        const bool labels = stage == MFA_ROUNDED || stage == MFA_SWITCHING;
        /* the order of the stages, and T */
        if (steps == 0) {
            assert_true(stage == MFA_LABELLED);
        } else if (!over) {
            assert_true(stage == MFA_ANNEALING);
            if (cool) {
                T /= expected.cooling > 0 ? expected.cooling : 1.5;
                level++;
                turn = 0;
            }
        } else {
            assert_true(stage == MFA_BEST || labels);
        }
        assert_true(s->T == T && metric(annealing, s, "T") == T && t->lambda_now == t->lambda_u);
        if (!over) {
            turn++;
            assert_int_equal(s->level, level);
            assert_int_equal(s->turn, turn);
            if (steps == 0) {
                for (int64_t j = 0; j < u; j++)
                    ASSERT_NEAR(s->p[j], expected.r, 1e-15);
            } else {
                for (int64_t j = 0; j < u; j++) {
                    const double o = before.o[t->unl[j]],
                                 g = 2 * t->lambda_u * (half_square(o) - half_square(-o));
                    assert_true(fabs(s->x[j] - (s->nu2 - g) / T) <=
                                1e-9 * (1 + (fabs(s->nu2) + fabs(g)) / T));
                }
                const double kl = (double)kl_of(s->x, from, u);
                assert_true(fabs(metric(annealing, s, "kl") - kl) <= 1e-12 + 1e-9 * kl);
            }
            if (steps == 0 && expected.anneal && !expected.svmlin)
                assert_true(s->kl == 0);
            else if (steps == 0)
                assert_true(isnan(s->kl));
            assert_true(fabsl(mean_of(s) - expected.r) <= 1e-10L);
            ASSERT_NEAR(metric(annealing, s, "entropy"), (double)entropy_of(s->x, u), 1e-13);
            cool = s->kl <= tolerance || turn >= expected.alternations;
            over = cool && (!expected.anneal || level >= expected.temperatures || s->entropy <= tolerance);
            end = (expected.anneal ? s->entropy <= tolerance : s->kl <= tolerance) ? WL_CONVERGED : WL_LIMIT;
            assert_true(last.phase_complete == cool);
        }
        /* the objective, which does not rise at one temperature or during switches */
        if (stage != MFA_BEST)
            ASSERT_NEAR(metric(annealing, s, "objective") / at_T(s, &now), 1, 1e-9);
        if (last.phase == phase && !(t->objective <= objective * (1 + (expected.paper ? 1e-9 : 1e-14))))
            fail_msg("%s: step %lld, T = %g: the objective rose from %.17g to %.17g", options,
                     (long long)steps, T, objective, t->objective);
        assert_true(last.phase == phase || last.phase == phase + 1);
        phase = last.phase;
        objective = t->objective;
        /* J, bounds, the gap in w */
        ASSERT_NEAR(metric(annealing, s, "J") / now.J, 1, 1e-9);
        ASSERT_NEAR(metric(annealing, s, "J_norm") / now.norm, 1, 1e-8);
        if (!labels)
            ASSERT_NEAR(metric(annealing, s, "J_balanced") / now.balanced, 1, 1e-9);
        best = fmin(best, metric(annealing, s, "J"));
        upper = fmin(upper, metric(annealing, s, "J_balanced"));
        lower = steps ? lower : metric(annealing, s, "lower");
        assert_true(metric(annealing, s, "J_best") == best && metric(annealing, s, "upper") == upper);
        assert_true(metric(annealing, s, "lower") == lower && lower > 0 && lower <= upper);
        if (stage != MFA_BEST && expected.linear && !expected.paper) {
            assert_true(gap_of(s) <= 1e-6 * (1 + 1e-6));
            assert_true(t->m->gap <= 1e-6 * t->m->f);
        }
        /* labels */
        int64_t differ = 0;
        for (int64_t k = 0; k < p->n; k++) {
            if (p->visible[k])
                continue;
            differ += before.y ? now.y[k] != before.y[k] : 1;
            assert_true(labels || now.y[k] == (t->m->o[k] > 0 ? 1 : -1));
        }
        assert_true(steps ? metric(annealing, s, "flips") == (double)differ
                          : isnan(metric(annealing, s, "flips"))); /* a first label does not count */
        assert_true(!labels || now.positives == positives);
        assert_true(metric(annealing, s, "pairs") == (stage == MFA_SWITCHING ? (double)pairs : 0));
        assert_true(stage != MFA_SWITCHING || differ == 2 * pairs);
        if (stage == MFA_ROUNDED)
            polished = before.J;
        pairs = s->stage == MFA_SWITCHING ? s->pending : 0;
        assert_true(s->stage != MFA_SWITCHING || (expected.polish && pairs > 0));
        if (labels) /* switching continues exactly while there are pairs */
            assert_int_equal(pairs_of(t, s->y, 0, pair, NULL), pairs);
        observation_free(&before);
        before = now;
        steps++;
    }
    assert_true(over && last.verdict == end && t->J == best);
    ASSERT_NEAR(now.J / best, 1, 1e-9);
    assert_true(expected.polish == !isnan(polished));
    assert_true(!expected.polish || (best <= polished * (1 + 1e-12) && s->polished));
    assert_true(step(annealing, s, NULL) == end && t->J == best);
    observation_free(&before);
    free(from);
    free(pair);
    annealing->destroy(s);
    return best;
}

static const settings usual = {
    .T = 10, .r = 0.5, .anneal = true, .linear = true, .temperatures = 30, .alternations = 100};

static settings with_options(settings s, const char *what)
{
    s.svmlin = strstr(what, "schedule=svmlin");
    s.paper = strstr(what, "newton=paper");
    s.polish = strstr(what, "polish=yes");
    s.anneal = !strstr(what, "anneal=no");
    s.linear = !strstr(what, "rbf");
    return s;
}

static void check_variants(wlab_problem *p)
{
    static const char *const options[] = {
        "r=0.5",
        "r=0.5 schedule=svmlin",
        "r=0.5 newton=paper",
        "r=0.5 polish=yes",
        "r=0.5 polish=yes schedule=svmlin newton=paper",
        "r=0.5 kernel=rbf sigma=0.5x lambda=0.01",
        "r=0.5 bias=0 lambda=0.1",
    };
    for (size_t c = 0; c < sizeof options / sizeof *options; c++)
        check_run(p, options[c], with_options(usual, options[c]));
    settings s = with_options(usual, "anneal=no");
    s.T = 0.1;
    check_run(p, "r=0.5 anneal=no T=0.1", s);
    s.T = 1;
    s.polish = true;
    check_run(p, "r=0.5 anneal=no T=1 polish=yes", s);
    s = usual;
    s.T = 100;
    s.r = 0.31;
    check_run(p, "r=0.31 lambda_u=10", s);
    s.temperatures = 3;
    s.alternations = 2;
    s.T = 5;
    check_run(p, "r=0.31 T=5 temperatures=3 alternations=2", s);
    s = usual;
    s.cooling = 1.2;
    s.temperatures = 67; /* 1.2^67 is the first above 1.5^30 */
    check_run(p, "r=0.5 cooling=1.2", s);
    s.cooling = 2;
    s.temperatures = 4;
    check_run(p, "r=0.5 cooling=2 temperatures=4", s);
}

static void test_moons(void **state)
{
    (void)state;
    wlab_problem *p = pose("two-moons", "n=120 noise=0.15 seed=1", "ssl", "labeled=8 seed=1");
    check_variants(p);
    wlab_problem_unref(p);
}

static void test_clouds(void **state)
{
    (void)state;
    wlab_problem *p = pose("g50c", "n=210 seed=1", "ssl", "labeled=10");
    check_variants(p);
    settings s = usual;
    s.r = 2.0 / 200; /* two positive rows of 200 */
    check_run(p, "r=0.01", s);
    s.r = 0.99;
    check_run(p, "r=0.99", s);
    wlab_problem_unref(p);
}

static void test_topics(void **state)
{
    (void)state;
    wlab_problem *p = pose("topics", "seed=2", "ssl", "given=yes");
    const double J = check_run(p, "r=0.5", usual),
                 svmlin = check_run(p, "r=0.5 schedule=svmlin polish=yes",
                                    with_options(usual, "schedule=svmlin polish=yes"));
    assert_true(J > 0 && svmlin > 0);
    wlab_problem_unref(p);
}

/* If all rows are the same, so are all outputs and beliefs. */
static void test_identical_rows(void **state)
{
    (void)state;
    char path[256], text[1024];
    wlab_err err;
    size_t len = 0;
    for (int i = 0; i < 30; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%s 1:0.5 2:-1 3:2\n", i % 2 ? "+1" : "-1");
    support_temp_file(path, ".libsvm", text, len);
    wlab_dataset *data = NULL;
    wlab_params *load = made_params(wlab_load_params, "", &err);
    ASSERT_OK(wlab_dataset_load(&data, path, NULL, load, NULL, &err), err);
    unlink(path);
    const wlab_task *task = wlab_task_find("ssl");
    wlab_params *params = made_params(task->params, "labeled=4", &err);
    wlab_problem *p = NULL;
    ASSERT_OK(wlab_problem_create(&p, data, NULL, 0, NULL, 0, task, params, NULL, &err), err);
    static const char *const options[] = {"r=0.3 newton=paper", "r=0.5", "r=0.3 polish=yes bias=0",
                                          "r=0.5 polish=yes schedule=svmlin"};
    for (int c = 0; c < 4; c++) {
        mfa *s = create_state(annealing, p, options[c]);
        mfa_stage stage = s->stage;
        for (int k = 0; step(annealing, s, NULL) == WL_MORE; k++) {
            assert_true(k < 4000);
            for (int64_t j = 0; j < s->t.u && stage <= MFA_ANNEALING; j++)
                ASSERT_NEAR(s->p[j], s->t.r, 1e-9);
            assert_true(isfinite(s->t.J) && isfinite(s->t.objective));
            stage = s->stage;
        }
        annealing->destroy(s);
        transductive *t = create_state(&wlab_algo_tsvm, p, c % 2 ? "r=0.5 S=1" : "r=0.3");
        for (int k = 0; step(&wlab_algo_tsvm, t, NULL) == WL_MORE; k++)
            assert_true(k < 4000 && isfinite(t->J) && isfinite(t->objective));
        wlab_algo_tsvm.destroy(t);
    }
    wlab_params_destroy(load);
    wlab_params_destroy(params);
    wlab_problem_unref(p);
    wlab_dataset_unref(data);
}

static void test_enumerated(void **state)
{
    (void)state;
    int found = 0;
    for (int seed = 1; seed <= 10; seed++) {
        char how[64];
        snprintf(how, sizeof how, "n=12 noise=0.2 seed=%d", seed);
        wlab_problem *p = pose("two-moons", how, "ssl", "labeled=4 seed=1");
        for (int c = 0; c < 3; c++) {
            const char *const options[] = {"r=0.5 lambda=0.1", "r=0.26 lambda=0.01 lambda_u=0.5 polish=yes",
                                           "r=0.63 lambda=1 lambda_u=10 bias=0"};
            mfa *s = create_state(annealing, p, options[c]);
            transductive *t = &s->t;
            const double best = enumerated(p, t->kernel.bias, t->lambda, t->lambda_u, t->positives);
            while (step(annealing, s, NULL) == WL_MORE)
                assert_true(t->upper >= best * (1 - 1e-9) && t->lower <= best * (1 + 1e-9));
            assert_true(t->upper >= best * (1 - 1e-9) && t->lower <= best && t->J <= t->upper);
            found += t->upper <= best * (1 + 1e-3);
            annealing->destroy(s);
        }
        wlab_problem_unref(p);
    }
    assert_true(found >= 10);
}

/* ---- what all algorithms must do ---- */

static void test_restored(void **state)
{
    (void)state;
    static const char *const options[] = {"r=0.5", "schedule=svmlin newton=paper r=0.5 polish=yes",
                                          "polish=yes lambda_u=0.7 r=0.4",
                                          "anneal=no T=0.3 polish=yes r=0.5"};
    assert_restored(annealing, options, 4);
}

static void test_threads(void **state)
{
    (void)state;
    assert_threads(annealing, "topics", "n=9000 d=3000 meanlen=40 labeled=60 seed=2", "given=yes",
                   "r=0.5 temperatures=9 polish=yes");
    assert_threads(annealing, "blobs", "n=9001 dims=5 spread=2 box=1 seed=1", "labeled=40 seed=1",
                   "temperatures=9 polish=yes"); /* dense */
}

/* `cooling`, `temperatures` and `alternations` may change between steps. */
static void test_set(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = pose("two-moons", "n=60 noise=0.15 seed=1", "ssl", "labeled=6 seed=1");
    mfa *s = create_state(annealing, p, "r=0.5");
    while (s->level < 3)
        assert_true(step(annealing, s, NULL) == WL_MORE);
    wlab_params *params =
        made_params(annealing->params, "r=0.5 cooling=3 temperatures=4 alternations=1", &err);
    const double T = s->T;
    ASSERT_OK(annealing->set(s, params, &err), err);
    while (step(annealing, s, NULL) == WL_MORE)
        ;
    assert_true(s->level == 4 && s->turn == 1 && s->T == T / 3 && s->t.verdict == WL_LIMIT);
    wlab_params_destroy(params);
    /* after the limit is raised the run continues */
    params = made_params(annealing->params, "r=0.5 cooling=3 temperatures=5 alternations=1", &err);
    ASSERT_OK(annealing->set(s, params, &err), err);
    step(annealing, s, NULL);
    assert_true(s->level == 5 && s->T == T / 9);
    while (step(annealing, s, NULL) == WL_MORE)
        ;
    assert_true(s->level == 5 && s->t.verdict == WL_LIMIT);
    wlab_params_destroy(params);
    annealing->destroy(s);
    s = create_state(annealing, p, "r=0.5");
    assert_int_equal(s->temperatures, 30);
    annealing->destroy(s);
    s = create_state(annealing, p, "r=0.5 cooling=1.2");
    assert_int_equal(s->temperatures, 67); /* as low as 30 at 1.5 */
    annealing->destroy(s);
    wlab_problem_unref(p);
}

/* If one class is rare, the model with the smallest J (keep=J) predicts fewer positives than the one with the
 * smallest J_balanced (keep=balanced).  A run ends at the model that keep= names. */
static void test_keep(void **state)
{
    (void)state;
    wlab_problem *p =
        pose("topics", "n=300 d=900 positive=0.15 labeled=0 seed=2", "ssl", "labeled=30 seed=1");
    static const char *const options[] = {"r=0.15 keep=J", "r=0.15 keep=balanced", "r=0.15 keep=last"};
    int64_t positive[3] = {0, 0, 0};
    for (int c = 0; c < 3; c++) {
        mfa *s = create_state(annealing, p, options[c]);
        double J = HUGE_VAL, balanced = HUGE_VAL, last = NAN;
        bool back = false;
        while (s->t.verdict == WL_MORE) {
            const mfa_stage stage = s->stage;
            back = back || stage == MFA_BEST;
            step(annealing, s, NULL);
            J = fmin(J, s->t.J);
            balanced = fmin(balanced, s->t.J_balanced);
            last = s->t.J;
        }
        assert_true(s->t.J_best == J && s->t.upper == balanced);
        assert_true(c == 0 ? last == J : c == 1 ? s->t.J_balanced == balanced : !back);
        for (int64_t j = 0; j < s->t.u; j++)
            positive[c] += s->t.m->o[s->t.unl[j]] > 0;
        annealing->destroy(s);
    }
    assert_true(positive[0] < positive[1]);
    wlab_problem_unref(p);
}

static void test_memory(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = pose("two-moons", "n=40 noise=0.15 seed=1", "ssl", "labeled=6 seed=1");
    static const char *const options[] = {"r=0.5 temperatures=8 polish=yes",
                                          "r=0.5 kernel=rbf sigma=0.5 temperatures=4 polish=yes"};
    for (int c = 0; c < 2; c++) {
        wlab_params *params = made_params(annealing->params, options[c], &err);
        void *a = NULL, *b = create_state(annealing, p, options[c]);
        ALLOC_SWEEP_OUT(annealing->create(&a, p, params, NULL, &err), a);
        wlab_step now = {0};
        for (now.complete = false; now.verdict == WL_MORE || !now.complete;) {
            wlab_buf buf = {0};
            ALLOC_SWEEP(annealing->advance(a, NULL, &now, &err));
            ALLOC_SWEEP_CHECK(wlab_algo_snapshot(annealing, a, &buf, &err), wlab_buf_clear(&buf));
            wlab_buf_clear(&buf);
        }
        while (step(annealing, b, NULL) == WL_MORE)
            ;
        assert_same(annealing, a, b, options[c]);
        annealing->destroy(a);
        annealing->destroy(b);
        wlab_params_destroy(params);
    }
    wlab_problem_unref(p);
}

static void test_refusals(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = pose("two-moons", "n=40 noise=0.15 seed=1", "ssl", "labeled=6 seed=1");
    static const char *const bad[] = {"T=0", "T=-1", "T=inf", "T=nan", "T=x", "r=0", "r=1", "r=0.001"};
    for (size_t c = 0; c < sizeof bad / sizeof *bad; c++) {
        void *s = NULL;
        wlab_params *params = made_params(annealing->params, bad[c], &err);
        assert_non_null(params);
        ASSERT_FAILS(annealing->create(&s, p, params, NULL, &err), WL_EARG, err, bad[c]);
        assert_null(s);
        wlab_params_destroy(params);
    }
    void *s = create_state(annealing, p, "");
    wlab_buf buf = {0};
    step(annealing, s, NULL);
    ASSERT_OK(wlab_algo_snapshot(annealing, s, &buf, &err), err);
    for (size_t len = 0; len < buf.len; len += 5) {
        wlab_buf cut = buf;
        void *other = create_state(annealing, p, "");
        cut.len = len;
        ASSERT_FAILS(wlab_algo_restore(annealing, other, &cut, NULL, &err), WL_EINPUT, err, "damaged");
        annealing->destroy(other);
    }
    wlab_buf_clear(&buf);
    annealing->destroy(s);
    wlab_problem_unref(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_minimum),
        cmocka_unit_test(test_beliefs),
        cmocka_unit_test(test_extreme_temperatures),
        cmocka_unit_test(test_moons),
        cmocka_unit_test(test_clouds),
        cmocka_unit_test(test_topics),
        cmocka_unit_test(test_identical_rows),
        cmocka_unit_test(test_enumerated),
        cmocka_unit_test(test_restored),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_keep),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_refusals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
