/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Labels in cells are compared with direct counts, the cosines of angles between labelings with products with the
 * kernel matrix.  Then the copies of them in mirrors, and the figures drawn from these.
 */
#include "algo/wellsvm/wellsvm.h"
#include "plot/views/cells.h"
#include "plot/views/strip.h"
#include "probed.h"
#include "scene.h"

/* ---- a trace by hand ---- */
typedef struct past {
    wlab_problem problem;
    wlab_task task;
    wlab_view_run run;
    wlab_trace_row *row;
    int8_t *first, *visible, *truth, *labels; /* labels [rows x n] */
} past;

static uint32_t draw(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* Each step draws a new label, for mil also 0, for about one row in `rare`; it may be the old one. */
static past *past_create(int64_t n, int64_t rows, uint32_t rare, bool mil, uint32_t seed)
{
    past *p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->first = calloc((size_t)n, 1);
    p->visible = calloc((size_t)n, 1);
    p->truth = calloc((size_t)n, 1);
    p->labels = calloc((size_t)(n * rows), 1);
    p->row = calloc((size_t)rows, sizeof *p->row);
    assert_true(p->first && p->visible && p->truth && p->labels && p->row);
    p->problem =
        (wlab_problem){.n = n, .task = &p->task, .keys = mil, .visible = p->visible, .truth = p->truth};
    for (int64_t i = 0; i < n; i++) {
        p->first[i] = (int8_t)((int)(draw(&seed) % 3) - 1);
        p->truth[i] = (int8_t)((int)(draw(&seed) % 3) - 1);
        if (draw(&seed) % 20 == 0)
            p->visible[i] = p->truth[i];
    }
    memcpy(p->labels, p->first, (size_t)n);
    for (int64_t t = 1; t < rows; t++) {
        int8_t *now = p->labels + t * n;
        memcpy(now, now - n, (size_t)n);
        wlab_trace_row *row = &p->row[t];
        row->iter = t;
        row->flip = malloc((size_t)n * sizeof *row->flip);
        assert_non_null(row->flip);
        for (int64_t i = 0; i < n; i++)
            if (draw(&seed) % rare == 0) {
                int8_t to = (int8_t)(mil ? (int)(draw(&seed) % 3) - 1 : draw(&seed) % 2 ? 1 : -1);
                if (to == now[i])
                    continue;
                row->flip[row->nflips++] = (wlab_flip){(int32_t)i, now[i] = to};
            }
    }
    p->run = (wlab_view_run){.problem = &p->problem, .row = p->row, .rows = rows, .labels_first = p->first};
    return p;
}

static void past_destroy(past *p)
{
    for (int64_t t = 1; t < p->run.rows; t++)
        free(p->row[t].flip);
    free(p->row);
    free(p->first);
    free(p->visible);
    free(p->truth);
    free(p->labels);
    free(p);
}

/* Checks an order: every line has rows of one group only, groups and lines are ordered from the top, and every row
 * has a line, also those of rare groups. */
static void check_order(const past *p, const wlab_strip_order *o, int64_t lines)
{
    int64_t n = p->problem.n, rows = 0;
    int *group = malloc((size_t)o->lines * sizeof *group);
    int64_t *size = calloc((size_t)o->lines, sizeof *size);
    assert_true(group && size && o->lines >= 1 && o->lines <= lines);
    for (int64_t k = 0; k < o->lines; k++)
        group[k] = -1;
    for (int64_t i = 0; i < n; i++) {
        int8_t v = p->visible[i], t = p->truth[i];
        int g = v > 0 ? 0 : v < 0 ? 4 : t > 0 ? 1 : t < 0 ? 3 : 2;
        int32_t line = o->line[i];
        assert_in_range(line, o->begin[g], o->begin[g + 1] - 1);
        assert_true(group[line] < 0 || group[line] == g);
        group[line] = g;
        size[line]++;
    }
    for (int64_t k = 0; k < o->lines; k++) {
        assert_true(size[k] > 0 && size[k] == o->size[k]);
        assert_in_range(o->size[k], o->least, o->most);
        assert_true(k == 0 || group[k] >= group[k - 1]);
    }
    for (int g = 0; g < WL_STRIP_GROUPS; g++)
        rows += o->rows[g];
    assert_int_equal(rows, n);
    assert_int_equal(o->begin[WL_STRIP_GROUPS], o->lines);
    if (n <= lines)
        assert_int_equal(o->most, 1);
    free(group);
    free(size);
}

/* In a group the rows that were +1 more often are above. */
static void check_places(const past *p, const wlab_strip_order *o)
{
    int64_t n = p->problem.n;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < n; k++) {
            int64_t often[2] = {0, 0};
            if (p->visible[i] || p->visible[k] || p->truth[i] != p->truth[k])
                continue;
            for (int64_t t = 0; t < p->run.rows; t++) {
                often[0] += p->labels[t * n + i];
                often[1] += p->labels[t * n + k];
            }
            if (often[0] > often[1])
                assert_true(o->line[i] <= o->line[k]);
        }
}

static void check_cells(const past *p, const int32_t *line, int64_t lines, int64_t first, int64_t stride)
{
    int64_t n = p->problem.n, rows = p->run.rows, columns = (rows - first + stride - 1) / stride;
    wlab_strip_cell *cell = calloc((size_t)(columns * lines), sizeof *cell), expected;
    int64_t *most = calloc((size_t)columns, sizeof *most);
    assert_true(cell && most);
    assert_int_equal(
        wlab_strip_count(&p->problem, p->first, p->row, rows, first, stride, line, lines, cell, most), WL_OK);
    for (int64_t c = 0; c < columns; c++) {
        int64_t begin = first + c * stride, end = begin + stride < rows ? begin + stride : rows, peak = 0;
        for (int64_t k = 0; k < lines; k++) {
            memset(&expected, 0, sizeof expected);
            for (int64_t i = 0; i < n; i++) {
                if (line[i] != k)
                    continue;
                expected.positive += p->labels[(end - 1) * n + i] > 0;
                expected.negative += p->labels[(end - 1) * n + i] < 0;
                for (int64_t t = begin > 1 ? begin : 1; t < end; t++) {
                    int8_t was = p->labels[(t - 1) * n + i], is = p->labels[t * n + i];
                    if (was == is || (!was && !p->problem.keys))
                        continue;
                    expected.to_positive += is > 0;
                    expected.to_negative += is <= 0;
                }
            }
            assert_memory_equal(&expected, &cell[c * lines + k], sizeof expected);
        }
        for (int64_t t = begin > 1 ? begin : 1; t < end; t++) {
            int64_t flips = 0;
            for (int64_t i = 0; i < n; i++) {
                int8_t was = p->labels[(t - 1) * n + i];
                flips += was != p->labels[t * n + i] && (was || p->problem.keys);
            }
            peak = flips > peak ? flips : peak;
        }
        assert_int_equal(most[c], peak);
    }
    free(cell);
    free(most);
}

static void test_cells(void **state)
{
    static const int64_t sizes[] = {1, 2, 5, 10, 37, 120};
    wlab_err err;
    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int mil = 0; mil < 2; mil++) {
            past *p = past_create(sizes[k], 1 + (int64_t)k * 7, 4, mil, (uint32_t)k);
            for (int64_t lines = 5; lines <= 200; lines = 3 * lines + 1) {
                wlab_strip_order o;
                ASSERT_OK(wlab_strip_sort(&o, &p->run, lines, &err), err);
                check_order(p, &o, lines);
                check_places(p, &o);
                for (int64_t stride = 1; stride < 12; stride += 4)
                    for (int64_t first = 0; first < p->run.rows; first += 3)
                        check_cells(p, o.line, o.lines, first, stride);
                wlab_strip_order_clear(&o);
            }
            past_destroy(p);
        }
}

/* Many rows and steps: each group has a line, and the only flip, of one row in one of thousands of steps, is in its
 * cell. */
static void test_at_size(void **state)
{
    enum {
        N = 70000,
        STEPS = 4000
    };
    past *p = past_create(N, 1, 2, false, 3);
    wlab_trace_row *row = calloc(STEPS, sizeof *row);
    wlab_flip flip = {12345, 1};
    wlab_strip_order o;
    wlab_err err;
    (void)state;
    assert_non_null(row);
    for (int i = 0; i < N; i++) { /* a single labelled row of each sign */
        p->first[i] = -1;
        p->visible[i] = (int8_t)(i == 7 ? 1 : i == 8 ? -1 : 0);
        p->truth[i] = i % 2 ? 1 : -1;
    }
    for (int t = 0; t < STEPS; t++)
        row[t].iter = t;
    row[1234].flip = &flip;
    row[1234].nflips = 1;
    p->run.row = row;
    p->run.rows = STEPS;
    ASSERT_OK(wlab_strip_sort(&o, &p->run, 200, &err), err);
    check_order(p, &o, 200);
    assert_true(o.size[0] == 1 && o.size[o.lines - 1] == 1);
    assert_in_range(o.most, N / 200, N / 190);
    int64_t columns = (STEPS + 15) / 16, total = 0;
    wlab_strip_cell *cell = calloc((size_t)(columns * o.lines), sizeof *cell);
    assert_non_null(cell);
    assert_int_equal(wlab_strip_count(&p->problem, p->first, row, STEPS, 0, 16, o.line, o.lines, cell, NULL),
                     WL_OK);
    for (int64_t i = 0; i < columns * o.lines; i++)
        total += cell[i].to_positive + cell[i].to_negative;
    assert_int_equal(total, 1);
    assert_int_equal(cell[1234 / 16 * o.lines + o.line[12345]].to_positive, 1);
    free(cell);
    wlab_strip_order_clear(&o);
    free(row);
    p->run.rows = 1;
    past_destroy(p);
}

static wlab_code sort_and_count(const past *p)
{
    wlab_strip_order o;
    wlab_strip_cell cell[200 * 5];
    wlab_code code = wlab_strip_sort(&o, &p->run, 200, NULL);
    memset(cell, 0, sizeof cell);
    if (!code)
        code =
            wlab_strip_count(&p->problem, p->first, p->row, p->run.rows, 0, 2, o.line, o.lines, cell, NULL);
    wlab_strip_order_clear(&o);
    return code;
}

static void test_memory(void **state)
{
    past *p = past_create(40, 9, 4, false, 1);
    (void)state;
    ALLOC_SWEEP(sort_and_count(p));
    past_destroy(p);
}

/* ---- the angles between labelings ---- */

static void check_gram(const wellsvm *s, const wlab_probed *g)
{
    double(*expected)[8] = calloc(8, sizeof *expected);
    assert_non_null(expected);
    assert_true(s->K && g->rows == s->T && s->T <= 8 && g->first == 0);
    for (int64_t a = 0; a < s->T; a++)
        for (int64_t b = 0; b < s->T; b++)
            for (int64_t i = 0; i < s->n; i++)
                for (int64_t k = 0; k < s->n; k++)
                    expected[a][b] += s->y[a * s->n + i] * s->at.alpha[s->p->example[i]] *
                                      s->K[i * s->n + k] * s->at.alpha[s->p->example[k]] * s->y[b * s->n + k];
    for (int64_t a = 0; a < s->T; a++)
        for (int64_t b = 0; b < s->T; b++)
            ASSERT_NEAR(g->value[a * s->T + b], expected[a][b] / sqrt(expected[a][a] * expected[b][b]),
                        1e-10);
    free(expected);
}

static wlab_code gram_of(const wlab_run *run)
{
    wlab_probed g;
    wlab_code code = probed(wlab_run_algo(run), wlab_run_state(run), WL_PROBE_COSINES, &g, NULL);
    wlab_probed_clear(&g);
    return code;
}

static void test_angles(void **state)
{
    static const char *const tasks[] = {"generate two-moons n=40 seed=2; task ssl labeled=4 seed=1",
                                        "generate llp-toy n=30; task llp",
                                        "generate two-moons n=24; task cluster"};
    (void)state;
    for (size_t k = 0; k < sizeof tasks / sizeof *tasks; k++) {
        talk t;
        wlab_probed g;
        scene_begin(&t);
        EXEC(&t, tasks[k]);
        EXEC(&t, "algo wellsvm kernel=rbf sigma=0.5x loss=squared-hinge C1=1 C2=0.5 search=multistart");
        wlab_run *run = wlab_session_run(t.s);
        const wlab_algo *algo = wlab_run_algo(run);
        ASSERT_FAILS(probed(algo, wlab_run_state(run), WL_PROBE_COSINES, &g, &t.err), WL_ESTATE, t.err,
                     "`step`");
        assert_null(g.value);
        EXEC(&t, "step 4");
        ASSERT_OK(probed(algo, wlab_run_state(run), WL_PROBE_COSINES, &g, &t.err), t.err);
        check_gram(wlab_run_state(run), &g);
        wlab_probed_clear(&g);
        ALLOC_SWEEP(gram_of(run));
        atomic_int stop = 1;
        wlab_ctx ctx = {.interrupt = &stop};
        ASSERT_FAILS(probed_over(algo, wlab_run_state(run), WL_PROBE_COSINES, NULL, 0, &g, &ctx, &t.err),
                     WL_EINTERRUPTED, t.err, "interrupted");
        talk_end(&t);
    }
}

/* A mirror has the angles after they are requested, until the step to which they belong is undone. */
static void test_mirror(void **state)
{
    talk t;
    (void)state;
    scene_begin(&t);
    EXEC(&t, MOONS);
    EXEC(&t, TASK);
    EXEC(&t, LEARNS);
    const int number = wlab_run_number(wlab_session_run(t.s));
    const int COSINES = wlab_probe_index(wlab_run_algo(wlab_session_run(t.s)), WL_PROBE_COSINES);
    wlab_session_request_probe(t.s, number, COSINES); /* before the first step there are none */
    assert_true(wlab_session_mirror(t.s, number)->probe[COSINES].iter == -1);
    EXEC(&t, "step 3");
    const wlab_mirror *m = wlab_session_mirror(t.s, number);
    assert_true(m->probe[COSINES].iter == -1);
    wlab_session_request_probe(t.s, number, COSINES);
    m = wlab_session_mirror(t.s, number);
    assert_true(m->probe[COSINES].iter == 3 && m->probe[COSINES].value.rows == m->row[3].nweights);
    int64_t serial = m->serial;
    wlab_session_request_probe(t.s, number, COSINES); /* the mirror has them: nothing changes */
    assert_true(wlab_session_mirror(t.s, number)->serial == serial);
    EXEC(&t, "step 1");
    m = wlab_session_mirror(t.s, number);
    assert_true(m->probe[COSINES].iter == 3); /* the older ones are kept, with their step */
    wlab_view_run run = wlab_view_run_of_mirror(m);
    wlab_view_request q = {.run = &run, .runs = 1, .live = true};
    wlab_figure f;
    wlab_figure_init(&f, false);
    ASSERT_OK(wlab_view_draw(&wlab_view_gram, &f, &q, &t.err), t.err);
    assert_non_null(strstr(f.title[f.titles - 1], "after step 3"));
    wlab_figure_clear(&f);
    EXEC(&t, "back 2");
    assert_true(wlab_session_mirror(t.s, number)->probe[COSINES].iter == -1);
    talk_end(&t);
}

/* Rows are sorted by true class if at least two true classes occur, then by label, then by number; of many rows an
 * evenly spaced part is selected. */
static void test_excerpt_order(void **state)
{
    int8_t truth[7] = {2, 5, 0, 2, 5, 1, 2}, labels[7] = {3, 1, 2, 1, 1, 0, 3};
    static const int32_t by_truth[] = {5, 3, 0, 6, 1, 4, 2}, by_label[] = {1, 3, 4, 2, 0, 6, 5};
    wlab_problem p = {.n = 7, .classes = 3, .truths = 5, .truth = truth};
    wlab_excerpt e;
    wlab_err err;
    (void)state;
    ALLOC_SWEEP(wlab_excerpt_choose(&e, &p, labels, true, 7, &err));
    assert_int_equal(e.n, 7);
    assert_memory_equal(e.row, by_truth, sizeof by_truth);
    for (int k = 0; k < 7; k++)
        assert_true(e.truth[k] == truth[e.row[k]] && e.label[k] == labels[e.row[k]]);
    wlab_excerpt_clear(&e);
    ASSERT_OK(wlab_excerpt_choose(&e, &p, labels, true, 3, &err), err);
    assert_true(e.n == 3 && e.row[0] == 5 && e.row[1] == 0 && e.row[2] == 1);
    wlab_excerpt_clear(&e);
    for (int how = 0; how < 3; how++) { /* truth not requested, not known, of a single class */
        for (int i = 0; i < 7 && how; i++)
            truth[i] = how == 2 && i > 3;
        p.truth = how == 1 ? NULL : truth;
        ASSERT_OK(wlab_excerpt_choose(&e, &p, labels, how > 0, 7, &err), err);
        assert_null(e.truth);
        assert_memory_equal(e.row, by_label, sizeof by_label);
        wlab_excerpt_clear(&e);
    }
    int8_t two[4] = {1, -1, -1, 1}, signs[4] = {-1, 1, -1, -1};
    p = (wlab_problem){.n = 4, .classes = 2, .truths = 2, .truth = two};
    ASSERT_OK(wlab_excerpt_choose(&e, &p, signs, true, 200, &err), err);
    assert_true(e.row[0] == 2 && e.row[1] == 1 && e.row[2] == 0 && e.row[3] == 3);
    wlab_excerpt_clear(&e);
}

/* The titles of the figures say how rows are sorted, and their data have the sort keys. */
static void test_matrix_figures(void **state)
{
    static const char *const views[] = {"matrix", "kernel"};
    talk t;
    (void)state;
    for (int known = 0; known < 2; known++) {
        scene_begin(&t);
        EXEC(&t, "generate polygon n=60 seed=1");
        EXEC(&t,
             known ? "task cluster classes=3" : "task cluster classes=2"); /* of three classes: not scored */
        EXEC(&t, "algo softmax-sdp; step 3");
        wlab_view_run v = wlab_view_run_of(wlab_session_run(t.s));
        wlab_view_request q = {.run = &v, .runs = 1};
        for (int k = 0; k < 2; k++) {
            wlab_figure f;
            wlab_figure_init(&f, false);
            ASSERT_OK(wlab_view_draw(wlab_view_find(views[k]), &f, &q, &t.err), t.err);
            assert_non_null(strstr(f.title[f.titles - 1],
                                   known ? "rows sorted by true class, then label" : "rows sorted by label"));
            const wlab_block *b = &f.block[1];
            assert_true(b->rows == 60 && b->columns == WL_ROWS_COLUMNS);
            for (int64_t i = 0; i < b->rows; i++) {
                const double *row = b->value + i * WL_ROWS_COLUMNS, *before = row - WL_ROWS_COLUMNS;
                assert_true(row[WL_ROWS_TRUTH] == v.problem->truth[(int64_t)row[WL_ROWS_INSTANCE] - 1]);
                assert_true(i == 0 || row[WL_ROWS_TRUTH] > before[WL_ROWS_TRUTH] ||
                            (row[WL_ROWS_TRUTH] == before[WL_ROWS_TRUTH] &&
                             row[WL_ROWS_LABEL] >= before[WL_ROWS_LABEL]));
            }
            assert_true((b->value[59 * WL_ROWS_COLUMNS + WL_ROWS_TRUTH] == 3) == known);
            wlab_figure_clear(&f);
        }
        talk_end(&t);
    }
}

/* A mirror also has a matrix, as an excerpt sorted by true class, and scores. */
static void test_matrix_and_scores(void **state)
{
    talk t;
    (void)state;
    scene_begin(&t);
    EXEC(&t, "generate polygon n=240 seed=1; task cluster classes=3");
    EXEC(&t, "algo softmax-sdp");
    const wlab_run *run = wlab_session_run(t.s);
    const wlab_algo *algo = wlab_run_algo(run);
    const int number = wlab_run_number(run);
    EXEC(&t, "step 2");
    const int matrix = wlab_probe_index(algo, WL_PROBE_MATRIX);
    const int scores = wlab_probe_index(algo, WL_PROBE_SCORES);
    wlab_session_request_probe(t.s, number, matrix);
    wlab_session_request_probe(t.s, number, scores);
    const wlab_mirror *m = wlab_session_mirror(t.s, number);
    const wlab_excerpt *e = &m->probe[matrix].over;
    const double *Z = m->probe[matrix].value.value;
    assert_true(m->probe[matrix].iter == 2 && m->probe[scores].iter == 2 && e->n == WL_EXCERPT_MOST);
    for (int64_t i = 0; i < e->n; i++) {
        assert_int_equal(e->label[i], m->labels[e->row[i]]);
        assert_int_equal(e->truth[i], m->problem->truth[e->row[i]]);
        assert_true(i == 0 || e->truth[i] > e->truth[i - 1] ||
                    (e->truth[i] == e->truth[i - 1] &&
                     (e->label[i] > e->label[i - 1] ||
                      (e->label[i] == e->label[i - 1] && e->row[i] > e->row[i - 1]))));
        for (int64_t j = 0; j < i; j++)
            assert_true(Z[i * e->n + j] == Z[j * e->n + i]);
    }
    wlab_probed now;
    const int32_t two[2] = {e->row[7], e->row[150]};
    ASSERT_OK(probed_over(algo, wlab_run_state(run), WL_PROBE_MATRIX, two, 2, &now, NULL, &t.err), t.err);
    assert_true(now.value[1] == Z[7 * e->n + 150]);
    wlab_probed_clear(&now);
    ASSERT_OK(probed(algo, wlab_run_state(run), WL_PROBE_SCORES, &now, &t.err), t.err);
    assert_true(now.rows == 240 && now.columns == 3);
    assert_memory_equal(now.value, m->probe[scores].value.value, sizeof(double[240 * 3]));
    wlab_probed_clear(&now);
    wlab_shown again;
    ALLOC_SWEEP(wlab_shown_get(&again, &algo->probes[matrix], wlab_run_state(run), m->problem, m->labels,
                               NULL, NULL));
    wlab_shown_clear(&again);
    EXEC(&t, "back 1");
    m = wlab_session_mirror(t.s, number);
    assert_true(m->probe[matrix].iter == -1 && m->probe[scores].iter == -1 && !m->probe[scores].value.value);
    talk_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells),          cmocka_unit_test(test_at_size),
        cmocka_unit_test(test_memory),         cmocka_unit_test(test_angles),
        cmocka_unit_test(test_mirror),         cmocka_unit_test(test_excerpt_order),
        cmocka_unit_test(test_matrix_figures), cmocka_unit_test(test_matrix_and_scores)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
