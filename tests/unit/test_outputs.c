/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The semidefinite bound over outputs: without cuts it is that of gmmc's solver and of mmc-sdp; it holds for every labeling (by
 * enumeration), at every iterate, and never falls; the outputs of every labeling below the level are in the box, whose first
 * form is attained; memory, interrupts, snapshots.
 */
#include "unit/labeling_value.h"
#include "unit/posed.h"

#include "base/walk.h"
#include "solve/mmc/generalised.h"
#include "solve/mmc/mmc.h"
#include "solve/mmc/outputs.h"

enum {
    MOST = 16 /* rows */
};

typedef struct posed {
    const char *kind, *how, *task, *options;
} posed;
static const posed problems[] = {
    {"two-moons", "n=12 noise=0.4 seed=3", "ssl", "labeled=3 seed=1"},
    {"g50c", "n=12 seed=2", "ssl", "labeled=4 seed=2 r=0.5"},
    {"blobs", "n=11 classes=2 spread=1.5 seed=4", "ssl", "labeled=2 seed=1 r=0.3"},
    {"two-moons", "n=10 noise=0.3 seed=1", "cluster", "balance=0.2"},
    {"two-moons", "n=12 noise=0.4 seed=2", "llp", "bagsize=4 seed=1"},
    {"two-moons", "n=12 noise=0.4 seed=2", "llp", "bagsize=6 seed=2 eps=0.2"},
    {"two-moons", "n=13 noise=0.4 seed=1", "ambiguous", "ambiguous=0.7 seed=1"},
    {"two-moons", "n=2 noise=0.4 seed=1", "ssl", "labeled=1 seed=1 r=1"},
};
enum {
    PROBLEMS = sizeof problems / sizeof *problems,
    AMBIGUOUS = 6
};
static const char *const settings[] = {
    "kernel=rbf sigma=0.5x loss=squared-hinge C=1", "kernel=linear loss=squared-hinge C=10 bias=1",
    "kernel=rbf sigma=0.3x loss=squared-hinge C1=1 C2=0.05", "kernel=linear loss=squared-hinge C=1000"};
enum {
    SETTINGS = sizeof settings / sizeof *settings
};

/* A problem with its SVM (held by a state of wellsvm) and quadratic form. */
typedef struct scene {
    wlab_problem *p;
    wellsvm *w;
    wlab_form form;
    double alpha[MOST]; /* of the SVM of the known labels */
} scene;

static scene scene_of(const posed *q, const char *options)
{
    wlab_err err;
    double value = 0;
    int8_t y[MOST];
    bool any;
    scene s = {.p = pose(q->kind, q->how, q->task, q->options)};
    well_point at = {.alpha = s.alpha, .q = &value};
    assert_true(s.p->n <= MOST);
    s.w = create_state(&wlab_algo_wellsvm, s.p, options);
    ASSERT_OK(well_labelled_solve(s.w, 1e-10, y, &at, &any, NULL, &err), err);
    ASSERT_OK(wlab_form_create(&s.form, s.w->K, s.w->delta, s.w->n, NULL, &err), err);
    return s;
}

static void scene_clear(scene *s)
{
    wlab_form_clear(&s->form);
    wlab_algo_wellsvm.destroy(s->w);
    wlab_problem_unref(s->p);
}

static wlab_outputs *create(const scene *s, bool with_alpha, double level, bool plain)
{
    wlab_err err;
    wlab_outputs *o;
    ASSERT_OK(
        wlab_outputs_create(&o, &s->form, s->p->labels, with_alpha ? s->alpha : NULL, level, plain, &err),
        err);
    return o;
}

/* The objectives of all labelings, with their outputs x = K beta where the objective is at most `level`. */
typedef struct labelings {
    const scene *s;
    double least, level;
    const double *lo, *hi; /* of a box, or NULL */
} labelings;

static bool visit(void *data, const int8_t *y, const int32_t *changed, int64_t nchanged)
{
    labelings *l = data;
    const wellsvm *w = l->s->w;
    const int64_t n = w->n;
    double Q[MOST * MOST], alpha[MOST] = {0}, g[MOST];
    wlab_err err;
    wlab_boxqp_result r;
    (void)changed, (void)nchanged;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            Q[i * n + j] = y[i] * y[j] * w->K[i * n + j];
    ASSERT_OK(wlab_boxqp_solve(Q, n, w->delta, w->upper, 1e-13, alpha, g, &r, NULL, &err), err);
    l->least = fmin(l->least, r.dual);
    if (!l->lo || r.primal > l->level)
        return true;
    for (int64_t i = 0; i < n; i++) {
        double x = 0;
        for (int64_t j = 0; j < n; j++)
            x += l->s->form.K[i * n + j] * y[j] * alpha[j];
        if (!(x >= l->lo[i] - 1e-5 * fabs(x) && x <= l->hi[i] + 1e-5 * fabs(x)))
            fail_msg("x of row %d is %.12g, its box [%.12g, %.12g]", (int)i, x, l->lo[i], l->hi[i]);
    }
    return true;
}

static double least_of_all(const scene *s, const wlab_outputs *o, double level)
{
    wlab_err err;
    labelings l = {s, HUGE_VAL, level, o ? wlab_outputs_lo(o) : NULL, o ? wlab_outputs_hi(o) : NULL};
    ASSERT_OK(wlab_labelset_enumerate(s->p->labels, visit, &l, &err), err);
    return l.least;
}

/* The bound in all rounds, with two levels; early ends; what the box leaves out. */
static void check_rounds(const scene *s, double optimum, double level, bool plain, bool exact)
{
    wlab_err err;
    wlab_outputs *o = create(s, true, level, plain);
    double last = wlab_outputs_get(o).bound;
    int64_t added = 1;
    for (int r = 0; r < 31 && added; r++) {
        const double lack = fmax(level - last, 1e-7 * level);
        /* one that ends at its first maximum, and one that is solved */
        ASSERT_OK(wlab_outputs_round(o, exact ? 1e-3 * lack : HUGE_VAL, level, NULL, &err), err);
        const wlab_outputs_numbers v = wlab_outputs_get(o);
        if (!(v.bound <= fmin(optimum * (1 + 1e-9), level)) || !(v.bound >= last))
            fail_msg("round %d: bound %.12g after %.12g, optimum %.12g, level %.12g", r, v.bound, last,
                     optimum, level);
        last = v.bound;
        ASSERT_OK(wlab_outputs_cut(o, &added, &err), err);
        assert_true(added <= 3 * s->w->n);
    }
    if (level > optimum)
        least_of_all(s, o, level);
    wlab_outputs_destroy(o);
}

static void test_bounds(void **unused)
{
    (void)unused;
    for (int q = 0; q < PROBLEMS; q++)
        for (int k = 0; k < SETTINGS; k++) {
            scene s = scene_of(&problems[q], settings[k]);
            const double optimum = least_of_all(&s, NULL, 0);
            for (int how = 0; how < 4; how++) {
                check_rounds(&s, optimum, optimum * 1.1, how & 1, how & 2);
                check_rounds(&s, optimum, optimum * (1 + 1e-9), how & 1, how & 2);
            }
            check_rounds(&s, optimum, optimum * 0.9, true,
                         true); /* no labeling is below: the bound is the level */
            scene_clear(&s);
        }
}

/* Solves to the end without cuts. */
static double base(const scene *s, double level)
{
    wlab_err err;
    wlab_outputs *o = create(s, true, level, true);
    ASSERT_OK(wlab_outputs_round(o, 1e-8 * level, HUGE_VAL, NULL, &err), err);
    const double bound = wlab_outputs_get(o).bound;
    wlab_outputs_destroy(o);
    return bound;
}

/* The same by the solver of gmmc. */
static double generalised(const scene *s)
{
    const int64_t n = s->w->n, m = n + 1;
    double H[(MOST + 1) * (MOST + 1)] = {0};
    int8_t label[MOST];
    wlab_err err;
    wlab_gmmc *g;
    bool centred, stuck = false;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++)
            H[(i + 1) * m + j + 1] = s->form.C[i * n + j];
        label[i] = s->p->labels->group[i] < 0 ? s->p->labels->fixed[i] : 0;
    }
    ASSERT_OK(wlab_gmmc_create(&g, H, label, n, 5, &err), err);
    for (int k = 0; k < 400 && !stuck; k++) {
        ASSERT_OK(wlab_gmmc_advance(g, &centred, &stuck, NULL, &err), err);
        const wlab_gmmc_numbers v = wlab_gmmc_get(g);
        if (v.upper - v.lower < 1e-9 * v.upper)
            break;
    }
    const double lower = wlab_gmmc_get(g).lower;
    wlab_gmmc_destroy(g);
    return lower;
}

/* And over label matrices, where the label set prescribes no sum. */
static double over_labels(const scene *s)
{
    const wlab_mmc_problem q = {s->p->labels, s->w->K, s->w->delta, s->w->upper, 5};
    wlab_err err;
    wlab_mmc *m;
    wlab_mmc_made made = WL_MMC_MOVED;
    ASSERT_OK(wlab_mmc_create(&m, &q, &err), err);
    for (int k = 0; k < 400 && made != WL_MMC_STUCK && !(wlab_mmc_get(m).t > 1e10); k++)
        ASSERT_OK(wlab_mmc_advance(m, &made, NULL, &err), err);
    const double dual = wlab_mmc_get(m).dual;
    wlab_mmc_destroy(m);
    return dual;
}

static void test_base(void **unused)
{
    (void)unused;
    for (int q = 0; q < PROBLEMS; q++)
        for (int k = 0; k < SETTINGS - 1; k++) { /* C=1000: other solvers stop earlier */
            scene s = scene_of(&problems[q], settings[k]);
            const double optimum = least_of_all(&s, NULL, 0), ours = base(&s, optimum);
            /* the rounding errors that a bound subtracts grow with the box */
            assert_true(fabs(ours - generalised(&s)) <= 1e-5 * optimum);
            if (q == AMBIGUOUS)
                assert_true(fabs(ours - over_labels(&s)) <= 1e-5 * optimum);
            scene_clear(&s);
        }
}

/* Without multipliers the ends of the box are attained on x'Cx / 2 = level, and no point of this ellipsoid is outside. */
static void test_box(void **unused)
{
    (void)unused;
    scene s = scene_of(&problems[1], "kernel=rbf sigma=0.5x loss=squared-hinge C=0.7");
    const int64_t n = s.w->n;
    const double level = 9;
    wlab_rng rng;
    wlab_labelset *B;
    wlab_err err;
    int8_t visible[MOST] = {0};
    ASSERT_OK(wlab_labelset_ambiguous(&B, visible, n, &err), err);
    wlab_outputs *o;
    ASSERT_OK(wlab_outputs_create(&o, &s.form, B, NULL, level, false, &err), err);
    const double *lo = wlab_outputs_lo(o), *hi = wlab_outputs_hi(o);
    wlab_rng_seed(&rng, 1);
    for (int64_t j = 0; j < n; j++) {
        double value = 0;
        ASSERT_NEAR(lo[j], -hi[j], 1e-14);
        ASSERT_NEAR(hi[j], sqrt(2 * level * s.form.K[j * (n + 1)]), 1e-12);
        for (int64_t i = 0; i < n; i++) /* x = column j of K, scaled so that x_j = hi_j */
            for (int64_t k = 0; k < n; k++)
                value += s.form.K[i * n + j] * s.form.C[i * n + k] * s.form.K[k * n + j] / 2;
        value *= hi[j] * hi[j] / (s.form.K[j * (n + 1)] * s.form.K[j * (n + 1)]);
        ASSERT_NEAR(value, level, 1e-10);
    }
    for (int draw = 0; draw < 2000; draw++) {
        double x[MOST], value = 0;
        for (int64_t i = 0; i < n; i++)
            x[i] = wlab_rng_normal(&rng);
        for (int64_t i = 0; i < n; i++)
            for (int64_t k = 0; k < n; k++)
                value += x[i] * s.form.C[i * n + k] * x[k] / 2;
        for (int64_t j = 0; j < n; j++)
            assert_true(fabs(x[j]) * sqrt(level / value) <= hi[j] * (1 + 1e-12));
    }
    wlab_outputs_destroy(o);
    wlab_labelset_destroy(B);
    scene_clear(&s);
}

static void walk(void *o, wlab_walk *w)
{
    wlab_outputs_walk(o, w);
}

static void assert_same(const wlab_outputs *a, const wlab_outputs *b, int64_t n)
{
    const wlab_outputs_numbers x = wlab_outputs_get(a), y = wlab_outputs_get(b);
    assert_true(x.bound == y.bound && x.width == y.width && x.newtons == y.newtons && x.rounds == y.rounds);
    assert_memory_equal(wlab_outputs_x(a), wlab_outputs_x(b), (size_t)n * sizeof(double));
    assert_memory_equal(wlab_outputs_lo(a), wlab_outputs_lo(b), (size_t)n * sizeof(double));
}

/* Copies, snapshots, threads and failures. */
static void test_states(void **unused)
{
    (void)unused;
    scene s = scene_of(&problems[0], settings[0]);
    wlab_err err;
    wlab_pool *pool;
    ASSERT_OK(wlab_pool_create(&pool, 3, &err), err);
    wlab_ctx threads = {.pool = pool};
    const double level = 1.1 * least_of_all(&s, NULL, 0);
    wlab_outputs *o = NULL, *read = create(&s, false, level, true);
    ALLOC_SWEEP_OUT(wlab_outputs_create(&o, &s.form, s.p->labels, s.alpha, level, true, &err), o);
    for (int r = 0; r < 3; r++) {
        int64_t added, again;
        wlab_outputs *copy = wlab_outputs_copy(o), *tried;
        atomic_int stop = 1;
        wlab_ctx ctx = {.interrupt = &stop};
        assert_int_equal(wlab_outputs_round(copy, 1e-4, level, &ctx, &err), WL_EINTERRUPTED);
        wlab_outputs_destroy(copy);
        for (long k = 1;; k++) { /* a failed round may leave anything that can be destroyed */
            tried = wlab_outputs_copy(o);
            wlab_alloc_fail_at(k);
            const wlab_code code = wlab_outputs_round(tried, 1e-4, level, NULL, &err);
            const bool reached = wlab_alloc_count() >= k;
            wlab_alloc_fail_at(0);
            assert_int_equal(code, reached ? WL_ENOMEM : WL_OK);
            if (!reached)
                break;
            wlab_outputs_destroy(tried);
        }
        ASSERT_OK(wlab_outputs_round(o, 1e-4, level, &threads, &err), err);
        assert_same(o, tried, s.w->n);
        wlab_buf shot = {0};
        ASSERT_OK(wlab_walk_write(&shot, walk, o, &err), err);
        ASSERT_OK(wlab_walk_read(&shot, walk, read, NULL, &err), err);
        assert_same(o, read, s.w->n);
        ASSERT_OK(wlab_outputs_cut(o, &added, &err), err);
        ASSERT_OK(wlab_outputs_cut(read, &again, &err), err);
        assert_true(added == again);
        ASSERT_OK(wlab_outputs_round(read, 1e-4, level, NULL, &err), err);
        wlab_buf_clear(&shot);
        wlab_outputs_destroy(tried);
    }
    wlab_form form;
    ALLOC_SWEEP(wlab_form_create(&form, s.w->K, s.w->delta, s.w->n, NULL, &err));
    wlab_form_clear(&form);
    wlab_outputs *none;
    assert_int_equal(wlab_outputs_create(&none, &s.form, s.p->labels, NULL, HUGE_VAL, true, &err),
                     WL_ENUMERIC);
    assert_null(none);
    wlab_outputs_destroy(o);
    wlab_outputs_destroy(read);
    wlab_pool_destroy(pool);
    scene_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bounds), cmocka_unit_test(test_base),
                                       cmocka_unit_test(test_box), cmocka_unit_test(test_states)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
