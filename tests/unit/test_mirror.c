/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mirrors: between jobs they equal the run, whatever commands changed it; during a job they follow it step by step.
 */
#include "session/jobs/mirrors.h"
#include "unit/toy_session.h"

enum {
    MOST_STEPS = 4000
};

typedef struct fixture {
    wlab_session *s;
    int follows;     /* the run whose mirror is followed; 0: none */
    bool model;      /* request its model at every check */
    bool lets;       /* permit a held toy algorithm one unit at every check */
    int64_t stop_at; /* interrupt the run when the mirror has this many rows; 0: never */
    /* observed during the job */
    int changes, checks, followed, models, halves;
    int64_t rows, serial;
    int64_t made[MOST_STEPS];
} fixture;

static void assert_row(const wlab_trace_row *a, const wlab_trace_row *b, int nmetrics)
{
    assert_int_equal(a->iter, b->iter);
    assert_int_equal(a->inner, b->inner);
    assert_int_equal(a->made, b->made);
    assert_int_equal(a->verdict, b->verdict);
    assert_memory_equal(a->metric, b->metric, (size_t)nmetrics * sizeof(double));
    assert_int_equal(a->nweights, b->nweights);
    if (a->nweights)
        assert_memory_equal(a->weight, b->weight, (size_t)a->nweights * sizeof(double));
    assert_int_equal(a->nflips, b->nflips);
    for (int64_t k = 0; k < a->nflips; k++) {
        assert_int_equal(a->flip[k].instance, b->flip[k].instance);
        assert_int_equal(a->flip[k].to, b->flip[k].to);
    }
}

/* The labels after row `iter`, from the first labels and the flips. */
static void labels_at(const wlab_mirror *m, int64_t iter, int8_t *labels)
{
    memcpy(labels, m->labels_first, (size_t)m->problem->n);
    for (int64_t i = 1; i <= iter; i++)
        for (int64_t k = 0; k < m->row[i].nflips; k++) {
            assert_int_not_equal(labels[m->row[i].flip[k].instance], m->row[i].flip[k].to);
            assert_true(k == 0 || m->row[i].flip[k].instance > m->row[i].flip[k - 1].instance);
            labels[m->row[i].flip[k].instance] = m->row[i].flip[k].to;
        }
}

static void assert_model(const wlab_mirror *m)
{
    if (!m->model) {
        assert_int_equal(m->model_iter, -1);
        return;
    }
    assert_in_range(m->model_iter, 0, m->rows - 1);
    if (m->algo == &toy_algo && m->model_half == 0)
        assert_true(m->model->b[0] == m->row[m->model_iter].metric[0]);
}

/* The mirror of a run between jobs. */
static void assert_mirrored(wlab_session *s, const wlab_run *run)
{
    const wlab_mirror *m = wlab_session_mirror(s, wlab_run_number(run));
    const wlab_trace_row *row;
    const wlab_change *change;
    int64_t rows = wlab_run_trace(run, &row);
    size_t n = (size_t)wlab_run_problem(run)->n;
    int nmetrics = wlab_metric_count(wlab_run_algo(run)), changes = wlab_run_changes(run, &change);
    int8_t *labels = malloc(n);
    char next[224] = "";

    assert_non_null(m);
    assert_string_equal(m->name, wlab_run_name(run));
    assert_ptr_equal(m->algo, wlab_run_algo(run));
    assert_ptr_equal(m->problem, wlab_run_problem(run));
    assert_true(wlab_params_table(m->params) == wlab_params_table(wlab_run_params(run)));
    assert_int_equal(m->rows, rows);
    for (int64_t i = 0; i < rows; i++)
        assert_row(&m->row[i], &row[i], nmetrics);
    assert_int_equal(m->changes, changes);
    for (int i = 0; i < changes; i++) {
        assert_int_equal(m->change[i].iter, change[i].iter);
        assert_string_equal(m->change[i].name, change[i].name);
        assert_string_equal(m->change[i].value, change[i].value);
    }
    assert_memory_equal(m->labels_first, wlab_run_labels_first(run), n);
    assert_memory_equal(m->labels, wlab_run_labels(run), n);
    assert_memory_equal(m->labels_before, wlab_run_labels_before(run), n);
    if (wlab_run_half(run) == 0) {
        labels_at(m, rows - 1, labels);
        assert_memory_equal(m->labels, labels, n);
        labels_at(m, rows > 1 ? rows - 2 : 0, labels);
        assert_memory_equal(m->labels_before, labels, n);
    }
    assert_int_equal(m->verdict, wlab_run_verdict(run));
    assert_int_equal(m->inner, wlab_run_inner(run));
    assert_int_equal(m->half, wlab_run_half(run));
    assert_int_equal(isnan(m->value), m->half == 0);
    assert_false(m->running);
    wlab_run_algo(run)->next(wlab_run_state(run), next, sizeof next);
    assert_string_equal(m->next, next);
    assert_model(m);
    free(labels);
}

/* Called after every change, and whenever the terminal is idle.  During a job the mirror must only grow, and its parts
 * must belong to one step. */
static void check_mirror(fixture *f)
{
    const wlab_mirror *m = f->follows ? wlab_session_mirror(f->s, f->follows) : NULL;
    int8_t labels[256];

    f->checks++;
    if (!m || !m->running) {
        f->rows = 0;
        return;
    }
    f->followed++;
    assert_true(m->rows >= f->rows && m->serial >= f->serial);
    for (int64_t i = 0; i < f->rows; i++)
        assert_int_equal(m->row[i].made, f->made[i]);
    for (f->rows = 0; f->rows < m->rows && f->rows < MOST_STEPS; f->rows++)
        f->made[f->rows] = m->row[f->rows].made;
    f->serial = m->serial;
    labels_at(m, m->rows - 1, labels);
    if (m->algo == &toy_algo)
        assert_memory_equal(m->labels, labels, (size_t)m->problem->n);
    assert_int_equal(m->half, m->inner - m->row[m->rows - 1].inner);
    f->halves += m->half > 0;
    assert_model(m);
    f->models += m->model_iter > 0 && wlab_mirror_model_is_new(m);
    if (f->model)
        wlab_session_request_model(f->s, f->follows);
    if (f->stop_at && m->rows >= f->stop_at)
        wlab_session_interrupt(f->s);
}

static void changed(void *self)
{
    fixture *f = self;

    f->changes++;
    check_mirror(f);
}

static void idle(void *self, int fd)
{
    (void)fd;
    usleep(200);
    check_mirror(self);
    if (((fixture *)self)->lets)
        atomic_fetch_add(&toy_turns, 1);
}

static void open_session(fixture *f, bool mirrors)
{
    static const char *const none[] = {NULL};
    const wlab_places places = {.data_dirs = none, .script_dirs = none, .out_dir = "."};
    const wlab_sink sink = {.changed = mirrors ? changed : NULL, .self = f};
    wlab_err err;

    memset(f, 0, sizeof *f);
    ASSERT_OK(wlab_session_create(&f->s, &sink, &places, 2, 1, &err), err);
    wlab_session_set_terminal(f->s, &(wlab_terminal){.idle = idle, .self = f});
}

static wlab_code type_line(fixture *f, const char *line)
{
    wlab_err err;
    wlab_code code = wlab_session_line(f->s, line, WL_FROM_SCRIPT, NULL, 0, &err);

    wlab_session_clear_interrupt(f->s);
    return code;
}

static void all_mirrored(fixture *f)
{
    for (int i = 0; i < f->s->held.nruns; i++)
        assert_mirrored(f->s, f->s->held.run[i]);
}

static int64_t random_below(wlab_rng *rng, int64_t n)
{
    return (int64_t)wlab_rng_below(rng, (uint64_t)n);
}

/* Random commands on several runs; the mirrors are checked after each command, or only now and then. */
static void random_session(uint64_t seed, const char *parameter, int *followed, int *halves)
{
    fixture f;
    wlab_rng rng;
    char line[64];
    int forks = 0;

    open_session(&f, true);
    wlab_rng_seed(&rng, seed);
    if (strcmp(parameter, "gain") == 0) {
        add_toy(f.s, "a", NULL, NULL);
    } else {
        assert_int_equal(
            type_line(&f, "generate two-moons n=36 noise=0.35 seed=5; task ssl labeled=6 seed=1"), WL_OK);
        assert_int_equal(type_line(&f, "algo wellsvm kernel=rbf sigma=0.5x loss=hinge"), WL_OK);
    }
    for (int i = 0; i < 150; i++) {
        wlab_run *run = wlab_session_run(f.s);
        int64_t iter = wlab_run_iter(run), what = random_below(&rng, 20);

        f.follows = random_below(&rng, 4) ? wlab_run_number(run) : 1 + (int)random_below(&rng, 3);
        f.model = random_below(&rng, 2);
        f.rows = f.serial = 0;
        f.stop_at = random_below(&rng, 4) ? 0 : iter + 1 + random_below(&rng, 4);
        if (what < 6)
            snprintf(line, sizeof line, "step %d", 1 + (int)random_below(&rng, 6));
        else if (what < 10)
            snprintf(line, sizeof line, "stepi %d", 1 + (int)random_below(&rng, 5));
        else if (what < 12)
            snprintf(line, sizeof line, "back %d", 1 + (int)random_below(&rng, 4));
        else if (what < 14)
            snprintf(line, sizeof line, "goto %lld", (long long)random_below(&rng, iter + 1));
        else if (what < 16)
            snprintf(line, sizeof line, "set %s=0.%d", parameter, 1 + (int)random_below(&rng, 9));
        else if (what == 16 && forks < 4)
            snprintf(line, sizeof line, "fork f%d", ++forks);
        else if (what == 17 && forks > 0)
            snprintf(line, sizeof line, "switch f%d", 1 + (int)random_below(&rng, forks));
        else if (what == 18)
            snprintf(line, sizeof line, "switch a");
        else
            snprintf(line, sizeof line, "continue until iter >= %lld", (long long)iter + 3);
        (void)type_line(&f, line); /* it may be refused */
        if (random_below(&rng, 3))
            all_mirrored(&f);
        if (random_below(&rng, 3) == 0) {
            int number = wlab_run_number(wlab_session_run(f.s));
            const wlab_mirror *m;

            wlab_session_request_model(f.s, number);
            m = wlab_session_mirror(f.s, number);
            assert_true(wlab_mirror_model_is_new(m));
            all_mirrored(&f);
        }
    }
    *followed += f.followed;
    *halves += f.halves;
    wlab_session_destroy(f.s);
}

static void test_random(void **state)
{
    int followed = 0, halves = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++)
        random_session(seed, "gain", &followed, &halves);
    for (uint64_t seed = 1; seed <= 2; seed++)
        random_session(seed, "C2", &followed, &halves);
    assert_true(followed > 100 && halves > 0);
}

/* The mirror shows slow steps, and their models, during the job. */
static void test_follow(void **state)
{
    fixture f;

    (void)state;
    open_session(&f, true);
    add_toy(f.s, "a", "held", "1");
    f.lets = true;
    f.follows = 1;
    f.model = true;
    assert_int_equal(type_line(&f, "step 40"), WL_OK);
    assert_true(f.followed > 10 && f.halves > 0 && f.models > 1);
    all_mirrored(&f);
    f.stop_at = 50;
    assert_int_equal(type_line(&f, "continue"), WL_EINTERRUPTED);
    all_mirrored(&f);
    wlab_session_destroy(f.s);
}

/* The facts of a mirror's model remain right after going back and taking another path. */
static void test_model(void **state)
{
    fixture f;
    const wlab_mirror *m;

    (void)state;
    open_session(&f, true);
    add_toy(f.s, "a", NULL, NULL);
    wlab_session_request_model(f.s, 1);
    m = wlab_session_mirror(f.s, 1);
    assert_null(m->model);
    assert_true(wlab_mirror_model_is_new(m)); /* no model can be built */
    assert_int_equal(type_line(&f, "step 5"), WL_OK);
    m = wlab_session_mirror(f.s, 1);
    assert_false(wlab_mirror_model_is_new(m));
    wlab_session_request_model(f.s, 1);
    m = wlab_session_mirror(f.s, 1);
    assert_int_equal(m->model_iter, 5);
    assert_true(wlab_mirror_model_is_new(m));
    assert_true(m->model->b[0] == m->row[5].metric[0]);
    assert_int_equal(type_line(&f, "stepi 1"), WL_OK);
    wlab_session_request_model(f.s, 1);
    m = wlab_session_mirror(f.s, 1);
    assert_int_equal(m->model_iter, 5);
    assert_int_equal(m->model_half, 1);
    assert_true(m->model->b[0] > m->row[5].metric[0]);
    assert_int_equal(type_line(&f, "goto 5"), WL_OK);
    m = wlab_session_mirror(f.s, 1);
    assert_null(m->model); /* it was of a unit that has been undone */
    wlab_session_request_model(f.s, 1);
    assert_int_equal(type_line(&f, "goto 3; set gain=2; step 4"), WL_OK);
    m = wlab_session_mirror(f.s, 1);
    /* the model belonged to a fifth step that has been undone: the present fifth step is another */
    assert_null(m->model);
    wlab_session_destroy(f.s);
}

static int32_t others_checked;

static void check_others(void *self, int fd)
{
    fixture *f = self;

    (void)fd;
    if (!wlab_session_running(f->s))
        return;
    assert_non_null(wlab_session_mirror(f->s, 1));
    assert_false(wlab_session_mirror(f->s, 1)->running);
    wlab_session_request_model(f->s, 1); /* not during this job */
    assert_null(wlab_session_mirror(f->s, 2));
    assert_true(wlab_session_mirror(f->s, 3)->running);
    assert_null(wlab_session_mirror(f->s, 4));
    others_checked++;
    atomic_fetch_add(&toy_turns, 1);
}

static void test_others(void **state)
{
    fixture f;

    (void)state;
    open_session(&f, true);
    assert_null(wlab_session_mirror(f.s, 1));
    add_toy(f.s, "a", NULL, NULL);
    assert_non_null(wlab_session_mirror(f.s, 1));
    add_toy(f.s, "b", NULL, NULL); /* nobody requests its mirror */
    add_toy(f.s, "c", "held", "1");
    wlab_session_set_terminal(f.s, &(wlab_terminal){.idle = check_others, .self = &f});
    assert_int_equal(type_line(&f, "step 5"), WL_OK);
    assert_true(others_checked > 0);
    wlab_mirrors_clear(f.s);
    all_mirrored(&f);
    wlab_session_destroy(f.s);
}

static void test_none(void **state)
{
    fixture f;

    (void)state;
    open_session(&f, false);
    add_toy(f.s, "a", NULL, NULL);
    assert_int_equal(type_line(&f, "step 5"), WL_OK);
    assert_null(wlab_session_mirror(f.s, 1));
    assert_int_equal(f.s->mirrors.n, 0);
    wlab_session_destroy(f.s);
}

/* Every command that changes the displayed state calls `changed`; commands that only read do not. */
static void test_changed_is_called(void **state)
{
    static const struct {
        const char *line;
        bool changes;
    } lines[] = {{"generate two-moons n=20 seed=1", true},
                 {"task ssl labeled=4 seed=1", true},
                 {"algo wellsvm", true},
                 {"info run", false},
                 {"step", true},
                 {"fork b", true},
                 {"switch a", true},
                 {"set C2=0.5", true},
                 {"runs", false},
                 {"back 1", true}};
    fixture f;

    (void)state;
    open_session(&f, true);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        f.changes = 0;
        if (type_line(&f, lines[i].line))
            fail_msg("%s failed", lines[i].line);
        if ((f.changes > 0) != lines[i].changes)
            fail_msg("%s: `changed` called %d times", lines[i].line, f.changes);
    }
    wlab_session_destroy(f.s);
}

/* All allocations from the k-th on fail, for each k.  During the job the mirror shows nothing wrong, and after the
 * job it is right again as soon as there is memory. */
static void test_memory(void **state)
{
    static const char *const lines[] = {"step 3", "stepi 4", "back 2", "set gain=3"};

    (void)state;
    for (size_t l = 0; l < sizeof lines / sizeof *lines; l++)
        for (long k = 1;; k++) {
            fixture f;
            long used;

            open_session(&f, true);
            add_toy(f.s, "a", NULL, NULL);
            assert_int_equal(type_line(&f, "step 5"), WL_OK);
            all_mirrored(&f);
            f.follows = 1;
            f.model = true;
            wlab_alloc_fail_at(k);
            (void)type_line(&f, lines[l]);
            used = wlab_alloc_count();
            wlab_alloc_fail_at(0);
            all_mirrored(&f);
            wlab_session_destroy(f.s);
            if (used < k)
                break;
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random), cmocka_unit_test(test_follow),
        cmocka_unit_test(test_model),  cmocka_unit_test(test_others),
        cmocka_unit_test(test_none),   cmocka_unit_test(test_changed_is_called),
        cmocka_unit_test(test_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
