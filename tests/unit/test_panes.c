/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Panes on a canvas: scenes of a real session and of hand-made mirrors, at every size, with and without UTF-8.
 */
#include "plot/views/cells.h"
#include "plot/views/classes.h"
#include "scene.h"
#include <locale.h>

static talk t;
static wlab_scene moons;
static drawing d;

static int make_moons(void **state)
{
    (void)state;
    scene_begin(&t);
    EXEC(&t, MOONS);
    EXEC(&t, TASK);
    EXEC(&t, LEARNS);
    EXEC(&t, "step 7");
    moons = scene_of(&t);
    return 0;
}

static int end_moons(void **state)
{
    (void)state;
    talk_end(&t);
    return 0;
}

static bool holds(const char *text)
{
    return strstr(d.text, text) != NULL;
}

#define ASSERT_SHOWS(what)                                                                                   \
    do {                                                                                                     \
        if (!holds(what))                                                                                    \
            fail_msg("\"%s\" is not in\n%s", what, d.text);                                                  \
    } while (0)

static wlab_glyph glyph_at(int row, int col)
{
    return d.canvas.cell[row * d.canvas.cols + col];
}

/* ---- a hand-made mirror ---- */

typedef struct hand {
    wlab_mirror m;
    wlab_trace_row row[4];
    double metric[4][32], weight[4][40];
    wlab_flip flip[4][8];
    int8_t first[64], now[64], before[64];
    wlab_change change;
} hand;

/* A scene of a mirror with `rows` rows on the session's current problem; metrics are set afterwards. */
static wlab_scene hand_made_scene(hand *h, talk *of, int rows)
{
    wlab_run *run = wlab_session_run(of->s);
    wlab_scene s = {.session = of->s, .settings = wlab_session_settings(of->s), .mirrors = 1};
    memset(h, 0, sizeof *h);
    h->m = *wlab_session_mirror(of->s, wlab_run_number(run));
    h->m.row = h->row;
    h->m.rows = rows;
    h->m.labels_first = h->first;
    h->m.labels = h->now;
    h->m.labels_before = h->before;
    h->m.changes = 0;
    h->m.verdict = WL_MORE;
    h->m.half = 0;
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 32; k++)
            h->metric[i][k] = NAN;
        h->row[i] =
            (wlab_trace_row){.iter = i, .metric = h->metric[i], .weight = h->weight[i], .flip = h->flip[i]};
    }
    s.mirror[0] = &h->m;
    return s;
}

static void set_metric(hand *h, int row, const char *name, double value)
{
    h->metric[row][wlab_metric_index(h->m.algo, name)] = value;
}

static void small_problem(talk *of)
{
    scene_begin(of);
    EXEC(of, "generate two-moons n=12 seed=1");
    EXEC(of, "task ssl labeled=2 seed=1");
    EXEC(of, "algo wellsvm kernel=rbf sigma=1x C2=0.5");
}

/* ---- the table ---- */

static void table(void **state)
{
    (void)state;
    for (int p = 0; p < WL_PANES; p++) {
        assert_int_equal(wlab_pane_find(wlab_panes[p]->name), p);
        assert_non_null(wlab_panes[p]->summary);
        if (wlab_panes[p]->view)
            assert_string_equal(wlab_panes[p]->view->name, wlab_panes[p]->name);
        assert_true(wlab_panes[p]->rank >= 1 && wlab_panes[p]->rank <= WL_PANES);
        for (int other = 0; other < p; other++)
            assert_int_not_equal(wlab_panes[p]->rank, wlab_panes[other]->rank);
    }
    assert_null(wlab_panes[WL_PANES]);
    assert_int_equal(wlab_pane_find("nothing"), -1);
    for (int i = 0; i < WL_VIEWS; i++) { /* which pane shows a view; kernel, roi and map have none */
        const wlab_view *v = wlab_views[i];
        const int p = wlab_pane_find(v->name);
        if (strcmp(v->name, "kernel") == 0 || strcmp(v->name, "roi") == 0 || strcmp(v->name, "map") == 0)
            assert_int_equal(p, -1);
        else if (strcmp(v->name, "mu") == 0 || strcmp(v->name, "spectrum") == 0)
            assert_int_equal(p, wlab_pane_find("weights"));
        else
            assert_string_equal(wlab_panes[p]->name, v->name);
    }
}

/* Panes and views use the first probe of a kind, so an algorithm has at most one of each.  It records at most one
 * probe, a vector. */
static void one_probe_of_a_kind(void **state)
{
    (void)state;
    for (int a = 0; wlab_algos[a]; a++)
        for (int k = 0, recorded = 0; k < wlab_probe_count(wlab_algos[a]); k++) {
            const wlab_probe *probe = &wlab_algos[a]->probes[k];
            assert_true(probe->name && probe->meaning && probe->get);
            assert_int_equal(wlab_probe_index(wlab_algos[a], probe->kind), k);
            recorded += probe->when == WL_PROBE_RECORDED;
            assert_true(recorded <= 1 &&
                        (probe->when == WL_PROBE_RECORDED) == (probe->kind <= WL_PROBE_RESTARTS));
        }
}

/* ---- every size ---- */

/* Nothing is written over the frame, and without UTF-8 everything is ASCII. */
static void any_size(void **state)
{
    (void)state;
    for (int p = 0; p < WL_PANES; p++)
        draw_any_size(&moons, p);
}

static void nothing_yet(void **state)
{
    (void)state;
    talk e;
    scene_begin(&e);
    wlab_scene s = scene_of(&e);
    for (int p = 0; p < WL_PANES; p++) {
        draw_pane(&d, &s, p, 12, 50);
        ASSERT_SHOWS(p == wlab_pane_find("boundary") ? "generate two-moons" : "algo wellsvm");
        drawing_end(&d);
    }
    draw_pane(&d, &s, wlab_pane_find("run"), 4, 30);
    ASSERT_SHOWS("F5 types: generate");
    drawing_end(&d);
    EXEC(&e, MOONS);
    EXEC(&e, TASK);
    s = scene_of(&e);
    draw_pane(&d, &s, wlab_pane_find("run"), 14, 40);
    ASSERT_SHOWS("two-moons, 200 x 2");
    ASSERT_SHOWS("ssl, 4 labelled");
    drawing_end(&d);
    draw_pane(&d, &s, wlab_pane_find("boundary"), 20, 60); /* the labelled rows are shown before any run */
    ASSERT_SHOWS(" A ");
    ASSERT_SHOWS(" B ");
    ASSERT_SHOWS("no label: 196");
    drawing_end(&d);
    EXEC(&e, LEARNS);
    s = scene_of(&e);
    draw_pane(&d, &s, wlab_pane_find("objective"), 12, 50);
    ASSERT_SHOWS("nothing to draw yet");
    drawing_end(&d);
    draw_pane(&d, &s, wlab_pane_find("weights"), 12, 50);
    ASSERT_SHOWS("F5 makes a step");
    drawing_end(&d);
    talk_end(&e);
}

/* ---- boundary ---- */

static void boundary(void **state)
{
    (void)state;
    static const int sizes[][2] = {{15, 44}, {24, 80}, {40, 100}, {9, 60}};
    const wlab_mirror *m = moons.mirror[0];
    int flips = 0, given = 0;
    for (int64_t i = 0; i < m->problem->n; i++) {
        flips += m->labels[i] != m->labels_before[i];
        given += m->problem->visible[i] != 0;
    }
    assert_int_equal(given, 4);
    assert_true(flips > 0);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        draw_pane(&d, &moons, wlab_pane_find("boundary"), sizes[k][0], sizes[k][1]);
        int letters[2] = {0}, turned = 0, tinted[3] = {0}, line = 0;
        for (int r = 0; r < d.area.rows; r++)
            for (int c = 0; c < d.area.cols; c++) {
                wlab_glyph g = glyph_at(d.area.row + r, d.area.col + c);
                letters[0] += g.style == WL_S_GIVEN_POSITIVE && g.ch == L'A';
                letters[1] += g.style == WL_S_GIVEN_NEGATIVE && g.ch == L'B';
                turned += g.style == WL_S_FLIP_POSITIVE || g.style == WL_S_FLIP_NEGATIVE;
                if (g.style == WL_S_FLIP_POSITIVE)
                    assert_int_equal(g.ch, L'+');
                if (g.style == WL_S_FLIP_NEGATIVE)
                    assert_int_equal(g.ch, L'o');
                line += g.style == WL_S_STRONG && g.ch > 0x2800 && g.ch < 0x2900;
                tinted[g.ground]++;
            }
        assert_int_equal(letters[0] + letters[1], 4); /* each labelled row, none hidden */
        assert_true(letters[0] > 0 && letters[1] > 0);
        assert_in_range(turned, 1, flips);
        assert_true(line >= d.area.cols / 4);
        assert_int_equal(tinted[WL_G_NONE], 0);
        assert_true(tinted[WL_G_POSITIVE] > 0 && tinted[WL_G_NEGATIVE] > 0);
        char text[40];
        snprintf(text, sizeof text, "%d changed", flips);
        ASSERT_SHOWS(text);
        ASSERT_SHOWS("+ +1: 100");
        ASSERT_SHOWS("o -1: 100");
        ASSERT_SHOWS("4 labelled");
        if (sizes[k][0] >= 15)
            ASSERT_SHOWS("f = 0");
        assert_string_equal(d.title, "boundary and labeling y7");
        drawing_end(&d);
    }
    wlab_scene plain = moons;
    plain.tints = false;
    plain.ascii = true;
    draw_pane(&d, &plain, wlab_pane_find("boundary"), 15, 44);
    for (int i = 0; i < 15 * 44; i++)
        assert_int_equal(d.canvas.cell[i].ground, WL_G_NONE);
    ASSERT_SHOWS("** f = 0");
    drawing_end(&d);
}

/* The background of a cell shows the sign of the model's output there. */
static void background_is_the_model(void **state)
{
    (void)state;
    const wlab_mirror *m = moons.mirror[0];
    wlab_matrix *X;
    double f;
    int wrong = 0;
    draw_pane(&d, &moons, wlab_pane_find("boundary"), 30, 90);
    const wlab_figure *fig = &d.picture.figure;
    ASSERT_OK(wlab_matrix_create_dense(&X, 1, 2, &t.err), t.err);
    assert_non_null(m->model);
    for (int r = 0; r < d.area.rows; r += 3)
        for (int c = 0; c < d.area.cols; c += 5) {
            X->dense[0] = fig->xlo + (fig->xhi - fig->xlo) * (c + 0.5) / d.area.cols;
            X->dense[1] = fig->yhi - (fig->yhi - fig->ylo) * (r + 0.5) / d.area.rows;
            ASSERT_OK(wlab_model_predict(m->model, X, &f, NULL, &t.err), t.err);
            wrong += fabs(f) > 0.2 &&
                     (glyph_at(d.area.row + r, d.area.col + c).ground == WL_G_POSITIVE) != (f > 0);
        }
    assert_int_equal(wrong, 0);
    wlab_matrix_destroy(X);
    drawing_end(&d);
}

/* ---- curves ---- */

static void curves(void **state)
{
    (void)state;
    static const int sizes[][2] = {{9, 32}, {12, 32}, {8, 39}, {20, 60}, {9, 24}, {7, 20}};
    for (int ascii = 0; ascii < 2; ascii++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            wlab_scene s = moons;
            s.ascii = ascii;
            draw_pane(&d, &s, wlab_pane_find("objective"), sizes[k][0], sizes[k][1]);
            assert_string_equal(d.title, "objective and bounds");
            /* each curve is in the legend and differs from the others in letter and ink */
            const wlab_figure *f = &d.picture.figure;
            bool found[4] = {false};
            assert_int_equal(f->nseries, 4);
            for (int r = d.inner.row; r < d.area.row; r++)
                for (int c = 1; c + 2 < sizes[k][1]; c++)
                    for (int i = 0; i < 4; i++)
                        found[i] = found[i] || (glyph_at(r, c).ch == (wchar_t)f->series[i].mark &&
                                                glyph_at(r, c + 1).ch == L' ' &&
                                                glyph_at(r, c + 2).ch == (wchar_t)f->series[i].title[0] &&
                                                glyph_at(r, c).style == WL_S_INK1 + f->series[i].ink - 1);
            for (int i = 0; i < 4; i++) {
                if (!found[i])
                    fail_msg("%s is not in the legend of\n%s", f->series[i].title, d.text);
                for (int j = 0; j < i; j++)
                    assert_true(f->series[i].mark != f->series[j].mark &&
                                f->series[i].ink != f->series[j].ink);
            }
            /* the newest points of the objective and of the lower bound are in one column, the lower bound below */
            int column[4] = {-1, -1, -1, -1}, row[4] = {-1, -1, -1, -1};
            for (int r = 0; r < d.area.rows; r++)
                for (int c = 0; c < d.area.cols; c++) {
                    wlab_glyph g = glyph_at(d.area.row + r, d.area.col + c);
                    for (int i = 0; g.style == WL_S_NEWEST && i < 4; i++)
                        if (g.ch == (wchar_t)f->series[i].mark) {
                            column[i] = c;
                            row[i] = r;
                        }
                }
            assert_true(column[0] >= d.area.cols - 4); /* objective, on top of upper where they meet */
            assert_int_equal(column[2], column[0]);
            assert_true(row[2] > row[0]);
            drawing_end(&d);
        }
    draw_pane(&d, &moons, wlab_pane_find("gap"), 12, 34);
    char gap[60], number[32];
    double value = wlab_mirror_metric(moons.mirror[0], 7, WL_R_GAP);
    snprintf(gap, sizeof gap, "gap (log): %s", wlab_number_text(value, 3, false, number, sizeof number));
    assert_string_equal(d.title, gap);
    ASSERT_SHOWS("* gap");
    ASSERT_SHOWS("step");
    drawing_end(&d);
    draw_pane(&d, &moons, wlab_pane_find("objective"), 6,
              16); /* too small for a picture: the newest values */
    ASSERT_SHOWS("objective");
    assert_true(cells_of(&d, WL_S_STRONG) > 0);
    drawing_end(&d);
    draw_pane(&d, &moons, wlab_pane_find("flips"), 12, 40);
    char title[60];
    const wlab_mirror *m = moons.mirror[0];
    snprintf(title, sizeof title, "flips: %.0f in the last step",
             wlab_mirror_metric(m, m->rows - 1, WL_R_FLIPS));
    assert_string_equal(d.title, title);
    drawing_end(&d);
}

/* Each mark of the lower bound is at the place of its value: the cell and the axes' ranges give the value back. */
static void marks_are_at_their_values(void **state)
{
    (void)state;
    const wlab_mirror *m = moons.mirror[0];
    for (int rows = 10; rows < 40; rows += 3) {
        draw_pane(&d, &moons, wlab_pane_find("objective"), rows, 70);
        wlab_axis_span x, y;
        wlab_figure_spans(&d.picture.figure, 2, 2, &x, &y);
        int found = 0;
        for (int r = 0; r < d.area.rows; r++)
            for (int c = 0; c < d.area.cols; c++) {
                wlab_glyph g = glyph_at(d.area.row + r, d.area.col + c);
                if (g.ch != L'l')
                    continue;
                double step = x.lo + (x.hi - x.lo) * (c + 0.5) / d.area.cols;
                double value = y.hi - (y.hi - y.lo) * (r + 0.5) / d.area.rows;
                double lower = wlab_mirror_metric(m, lround(step), WL_R_LOWER);
                assert_true(fabs(step - (double)lround(step)) < 2 * (x.hi - x.lo) / d.area.cols);
                assert_true(fabs(value - lower) < (y.hi - y.lo) / d.area.rows);
                found++;
            }
        assert_in_range(found, 3, 7);
        drawing_end(&d);
    }
}

static void no_certified_bound(void **state)
{
    (void)state;
    talk e;
    hand h;
    char title[100];
    small_problem(&e);
    wlab_scene s = hand_made_scene(&h, &e, 3);
    wlab_picture none = {0};
    for (int i = 1; i < 3; i++) {
        set_metric(&h, i, "objective", 3 - i);
        set_metric(&h, i, "violation", 0.5 / i);
    }
    wlab_panes[wlab_pane_find("gap")]->title(&s, &none, title, sizeof title);
    assert_string_equal(title, "violation (log): no certified bound, so no gap");
    assert_false(wlab_pane_fits(wlab_pane_find("violation"), &s)); /* pane `gap` already shows it */
    wlab_panes[wlab_pane_find("objective")]->title(&s, &none, title, sizeof title);
    assert_string_equal(title, "objective");
    set_metric(&h, 2, "gap", 0.25);
    wlab_panes[wlab_pane_find("gap")]->title(&s, &none, title, sizeof title);
    assert_string_equal(title, "gap (log): 0.250");
    assert_true(wlab_pane_fits(wlab_pane_find("violation"), &s));
    talk_end(&e);
}

static void several_runs(void **state)
{
    (void)state;
    talk e;
    scene_begin(&e);
    EXEC(&e, MOONS);
    EXEC(&e, TASK);
    EXEC(&e, LEARNS);
    EXEC(&e, "step 3");
    EXEC(&e, "fork b");
    EXEC(&e, "set C2=1");
    EXEC(&e, "step 2");
    EXEC(&e, "compare a b");
    wlab_scene s = scene_of(&e);
    assert_int_equal(s.mirrors, 2);
    for (int now = 0; now < 2;
         now++) { /* colours and marks do not change when the other run becomes current */
        s = scene_of(&e);
        draw_pane(&d, &s, wlab_pane_find("objective"), 14, 50);
        assert_string_equal(d.title, "objective of 2 runs");
        ASSERT_SHOWS("a: * objective  l lower");
        ASSERT_SHOWS("b: # objective  L lower");
        assert_int_equal(d.picture.figure.nseries, 4);
        for (int i = 0; i < 4; i++) {
            const wlab_series *c = &d.picture.figure.series[i];
            assert_int_equal(c->ink, c->title[0] == 'a' ? 1 : 2);
        }
        drawing_end(&d);
        draw_pane(&d, &s, wlab_pane_find("objective"), 20, 90); /* all curves */
        ASSERT_SHOWS("a: * objective  u upper  l lower  i integer");
        ASSERT_SHOWS("b: # objective  U upper  L lower  I integer");
        ASSERT_SHOWS("b: C2=1 after 3");
        drawing_end(&d);
        for (int rows = 8; rows < 12; rows += 3) { /* as in 80 x 24: one curve per run, marked by its name */
            draw_pane(&d, &s, wlab_pane_find("objective"), rows, 36);
            ASSERT_SHOWS(now ? " a  b  \u250a b: C2=1 after 3 " : " b  a  \u250a b: C2=1 after 3 ");
            assert_int_equal(d.picture.figure.nseries, 2);
            drawing_end(&d);
        }
        draw_pane(&d, &s, wlab_pane_find("gap"), 14, 50);
        ASSERT_SHOWS(now ? "\u2502 a  b  " : "\u2502 b  a  ");
        int inks[2] = {0};
        for (int c = 1; c < 8; c++) {
            inks[0] += glyph_at(1, c).ch == L'a' && glyph_at(1, c).style == WL_S_INK1;
            inks[1] += glyph_at(1, c).ch == L'b' && glyph_at(1, c).style == WL_S_INK2;
        }
        assert_true(inks[0] == 1 && inks[1] == 1);
        drawing_end(&d);
        draw_pane(&d, &s, wlab_pane_find("run"), 14, 50);
        inks[0] = inks[1] = 0;
        for (int c = 1; c < 49; c++) {
            inks[0] += glyph_at(1, c).ch == L'a' && glyph_at(1, c).style == WL_S_INK1;
            inks[1] += glyph_at(1, c).ch == L'b' && glyph_at(1, c).style == WL_S_INK2;
        }
        assert_true(inks[0] == 1 && inks[1] == 1);
        drawing_end(&d);
        EXEC(&e, "switch a");
    }
    EXEC(&e, "switch b");
    s = scene_of(&e);
    for (int cols = 27; cols < 60; cols += 8) {
        draw_pane(&d, &s, wlab_pane_find("run"), 12, cols);
        ASSERT_SHOWS("b:5");
        ASSERT_SHOWS("a:3");
        drawing_end(&d);
    }
    talk_end(&e);
}

/* Of two to five runs, of which some have more curves than others, no two curves of a view have the same mark, in files and
 * in panes of all widths; the legend has all of them. */
static void marks_of_runs(void **state)
{
    (void)state;
    static const char *const runs[] = {"algo wellsvm; step 2", "algo softmax-sdp; step 2",
                                       "algo tsvm; step 2", "algo mfa; step 2", "switch b; fork B; step"};
    talk e;
    wlab_err err;
    scene_begin(&e);
    EXEC(&e, "generate two-moons n=40 seed=1; split test=0.25 seed=1; task ssl labeled=4 seed=1; score "
             "unlabeled on; score test on");
    for (int n = 1; n <= 5; n++) {
        wlab_view_run run[8];
        wlab_run *all[8];
        EXEC(&e, runs[n - 1]);
        assert_int_equal(wlab_session_runs(e.s, all, 8), n);
        for (int r = 0; r < n; r++)
            run[r] = wlab_view_run_of(all[r]);
        for (int v = 0; wlab_views[v]; v++)
            for (int columns = 0; columns < 120 && !(wlab_views[v]->of & WL_VIEW_ONE); columns += 20) {
                wlab_figure f;
                wlab_view_request q = {.run = run, .runs = n, .live = columns > 0, .columns = columns};
                bool taken[128] = {false};
                wlab_figure_init(&f, columns == 0);
                if (!wlab_view_draw(wlab_views[v], &f, &q, &err))
                    for (int i = 0; i < f.nseries; i++) {
                        const char mark = f.series[i].mark;
                        if (!f.series[i].title || f.series[i].draw != WL_D_CURVE)
                            continue;
                        if (mark <= ' ' || mark > '~' || taken[(int)mark])
                            fail_msg("%s of %d runs: mark %c of %s", wlab_views[v]->name, n, mark,
                                     f.series[i].title);
                        taken[(int)mark] = true;
                    }
                wlab_figure_clear(&f);
            }
    }
    EXEC(&e, "switch c; compare a b c");
    wlab_scene s = scene_of(&e);
    draw_pane(&d, &s, wlab_pane_find("gap"), 14, 60);
    ASSERT_SHOWS("b: b gap  B inner_gap");
    drawing_end(&d);
    talk_end(&e);
}

/* A change of a parameter by `set` is drawn as a line at the step; its value is in the legend or beside the line. */
static void changes(void **state)
{
    (void)state;
    talk e;
    scene_begin(&e);
    EXEC(&e, MOONS);
    EXEC(&e, TASK);
    EXEC(&e, LEARNS);
    EXEC(&e, "step 3");
    EXEC(&e, "set C2=0.3");
    EXEC(&e, "step 3");
    wlab_scene s = scene_of(&e);
    for (int ascii = 0; ascii < 2; ascii++) {
        wchar_t line = ascii ? L':' : L'\x250a', foot = ascii ? L'|' : L'\x2534';
        s.ascii = ascii;
        draw_pane(&d, &s, wlab_pane_find("gap"), 12, 50);
        ASSERT_SHOWS(ascii ? "* gap  : C2=0.3 after 3 " : "* gap  \u250a C2=0.3 after 3 ");
        int there = 0, column = -1;
        for (int k = 0; k < d.area.cols; k++)
            if (glyph_at(d.area.row + d.area.rows, d.area.col + k).ch == foot)
                column = k;
        assert_true(column >= 0);
        const wlab_figure *f = &d.picture.figure;
        wlab_axis_span x, y;
        wlab_figure_spans(f, 2, 2, &x, &y);
        assert_true(fabs(x.lo + (x.hi - x.lo) * (column + 0.5) / d.area.cols - 3) <
                    (x.hi - x.lo) / d.area.cols);
        for (int k = 0; k < d.area.rows; k++)
            there += glyph_at(d.area.row + k, d.area.col + column).ch == line;
        assert_true(there >= d.area.rows / 2);
        drawing_end(&d);
        draw_pane(&d, &s, wlab_pane_find("objective"), 11,
                  32); /* the legend is full: the value is beside the line */
        ASSERT_SHOWS("C2=0.3 after 3");
        drawing_end(&d);
    }
    for (long k = 1; k < 400; k++) { /* memory runs out at the k-th allocation, for each k */
        wlab_figure f;
        wlab_err err = {0};
        wlab_view_run run = wlab_view_run_of_mirror(s.mirror[0]);
        wlab_view_request q = {.run = &run, .runs = 1, .live = true, .columns = 40};
        wlab_figure_init(&f, false);
        wlab_alloc_fail_at(k);
        wlab_code code = wlab_view_draw(&wlab_view_gap, &f, &q, &err);
        wlab_alloc_fail_at(0);
        if (!code)
            assert_int_equal(f.events, 1);
        else
            assert_int_equal(code, WL_ENOMEM);
        wlab_figure_clear(&f);
        if (!code)
            break;
        assert_true(k < 399);
    }
    talk_end(&e);
}

/* ---- text panes ---- */

static void run_golden(void **state)
{
    (void)state;
    talk e;
    hand h;
    small_problem(&e);
    wlab_scene s = hand_made_scene(&h, &e, 3);
    set_metric(&h, 1, "objective", 21.5);
    set_metric(&h, 2, "objective", 19.041187);
    set_metric(&h, 1, "lower", 17);
    set_metric(&h, 2, "lower", 19.039787);
    set_metric(&h, 1, "gap", 4.5);
    set_metric(&h, 2, "gap", 0.00014);
    set_metric(&h, 1, "flips", 3);
    set_metric(&h, 2, "flips", 3);
    set_metric(&h, 2, "seconds", 0.25);
    h.change = (wlab_change){2, "C2", "0.75"};
    h.m.change = &h.change;
    h.m.changes = 1;
    draw_pane(&d, &s, wlab_pane_find("run"), 14, 30);
    assert_string_equal(d.text, "┌─ run a ────────────────────┐\n"
                                "│ step                    2  │\n"
                                "│ objective       19.0412   ▼│\n"
                                "│ lower           19.0398   ▲│\n"
                                "│ gap              1.400e-4 ▼│\n"
                                "│ flips            3         │\n"
                                "│ seconds          0.2500    │\n"
                                "│                            │\n"
                                "│ kernel=rbf                 │\n"
                                "│ sigma=1x                   │\n"
                                "│ C2=0.75 since step 2       │\n"
                                "│                            │\n"
                                "│                            │\n"
                                "└────────────────────────────┘\n");
    drawing_end(&d);
    s.ascii = true;
    draw_pane(&d, &s, wlab_pane_find("run"), 5, 24);
    assert_string_equal(d.text, "+- run a --------------+\n"
                                "| objective 19.0412   v|\n"
                                "| lower     19.0398   ^|\n"
                                "| gap        1.400e-4 v|\n"
                                "+----------------------+\n");
    drawing_end(&d);
    talk_end(&e);
}

/* Inside a step the pane names the inner units in words if these fit, else in the short form; it never cuts them. */
static void run_half(void **state)
{
    (void)state;
    talk e;
    hand h;
    small_problem(&e);
    wlab_scene s = hand_made_scene(&h, &e, 2);
    h.m.half = 3;
    set_metric(&h, 1, "objective", 21.5);
    for (int cols = 21; cols < 50; cols++) {
        draw_pane(&d, &s, wlab_pane_find("run"), 8, cols);
        bool words = holds("1 (+3 inner)"), brief = holds(" 1+3 ");
        if (words == brief || (cols >= 34 && !words))
            fail_msg("%d columns:\n%s", cols, d.text);
        drawing_end(&d);
    }
    talk_end(&e);
}

/* Whatever the magnitude of a value and the width of the pane, no column shows a power of ten with a digit less. */
static void run_powers(void **state)
{
    (void)state;
    static const double value[] = {4.9e-17, 9.4e-17, -3.25e-123, 7.77e+15};
    static const char *const power[] = {"e-17", "e-17", "e-123", "e+15"};
    talk e;
    hand h;
    small_problem(&e);
    wlab_scene s = hand_made_scene(&h, &e, 2);
    s.mirrors = 3;
    s.mirror[1] = s.mirror[2] = s.mirror[0];
    for (size_t k = 0; k < sizeof value / sizeof *value; k++)
        for (int cols = 20; cols < 60; cols++) {
            set_metric(&h, 1, "objective", 1);
            set_metric(&h, 1, "gap", value[k]);
            draw_pane(&d, &s, wlab_pane_find("run"), 8, cols);
            const char *at = strstr(d.text, " gap");
            int columns = 0, powers = 0;
            for (; *at && *at != '\n'; at++) {
                columns += *at == 'e' || (*at == '#' && at[1] != '#');
                powers += strncmp(at, power[k], strlen(power[k])) == 0 || (*at == '#' && at[1] != '#');
            }
            if (!columns || columns != powers)
                fail_msg("%g in %d columns:\n%s", value[k], cols, d.text);
            drawing_end(&d);
        }
    talk_end(&e);
}

static void weights_golden(void **state)
{
    (void)state;
    static const double mu[7] = {0.05, 0.31, 0.4, 0, 0.01, 0.13, 0.1};
    talk e;
    hand h;
    small_problem(&e);
    wlab_scene s = hand_made_scene(&h, &e, 2);
    memcpy(h.weight[1], mu, sizeof mu);
    h.row[1].nweights = 7;
    draw_pane(&d, &s, wlab_pane_find("weights"), 9, 30);
    assert_string_equal(d.title, "mu: 6 of 7 labelings");
    assert_string_equal(d.text, "┌─ mu: 6 of 7 labelings ─────┐\n"
                                "│ y1 ██▏               0.050 │\n"
                                "│ y2 █████████████▏    0.310 │\n"
                                "│ y3 █████████████████ 0.400 │\n"
                                "│ y4                   0.000 │\n"
                                "│ y5 ▍                 0.010 │\n"
                                "│ y6 █████▌            0.130 │\n"
                                "│ y7 ████▎             0.100 │\n"
                                "└────────────────────────────┘\n");
    drawing_end(&d);
    s.ascii = true; /* too few lines: the heaviest, and always the newest */
    draw_pane(&d, &s, wlab_pane_find("weights"), 6, 24);
    assert_string_equal(d.text, "+- mu: 6 of 7 ---------+\n"
                                "| y2 #########   0.310 |\n"
                                "| y3 ########### 0.400 |\n"
                                "| y7 ###         0.100 |\n"
                                "| 4 more: 0.190        |\n"
                                "+----------------------+\n");
    drawing_end(&d);
    talk_end(&e);
}

static void labels_golden(void **state)
{
    (void)state;
    talk e;
    hand h;
    small_problem(&e);
    wlab_scene s = hand_made_scene(&h, &e, 3);
    const wlab_problem *p = h.m.problem;
    int a = -1, b = -1, flip[4], n = 0; /* the labelled rows; and other rows to flip */
    for (int i = 0; i < 12; i++) {
        if (p->visible[i] > 0)
            a = i;
        else if (p->visible[i] < 0)
            b = i;
        else if (n < 4)
            flip[n++] = i;
        h.first[i] = p->visible[i] ? p->visible[i] : -1;
    }
    assert_true(a >= 0 && b >= 0);
    /* all unlabelled rows are -1; two become +1 in step 1, and one of these becomes -1 again in step 2 */
    h.flip[1][0] = (wlab_flip){flip[0], 1};
    h.flip[1][1] = (wlab_flip){flip[1], 1};
    h.row[1].nflips = 2;
    h.flip[2][0] = (wlab_flip){flip[1], -1};
    h.row[2].nflips = 1;
    memcpy(h.now, h.first, 12);
    h.now[flip[0]] = 1;
    s.ascii = true;
    draw_pane(&d, &s, wlab_pane_find("labels"), 6, 50);
    assert_int_equal(cells_of(&d, WL_S_FLIP_POSITIVE), 2 * 3 + 1); /* three columns each, one in the legend */
    assert_int_equal(cells_of(&d, WL_S_FLIP_NEGATIVE), 1 * 3 + 1);
    ASSERT_SHOWS("|   0 AAA..............................BBB       |");
    ASSERT_SHOWS("| # +1  . -1  +o flipped  AB labelled            |");
    const char *one = strstr(d.text, "|   1 ");
    assert_non_null(one);
    assert_memory_equal(one, "|   1 AAA++++++...", 18);
    assert_memory_equal(strstr(d.text, "|   2 "), "|   2 AAA###ooo...", 18);
    drawing_end(&d);
    draw_pane(&d, &s, wlab_pane_find("labels"), 4, 50); /* the newest lines are shown */
    assert_null(strstr(d.text, "|   0 "));
    assert_non_null(strstr(d.text, "|   2 "));
    drawing_end(&d);
    for (long k = 1; k <= 4; k++) {
        wlab_picture none = {0};
        wlab_canvas c = {0};
        wlab_rect all = {0, 0, 6, 50};
        wlab_buf text = {0};
        ASSERT_OK(wlab_canvas_resize(&c, 6, 50, &e.err), e.err);
        wlab_alloc_fail_at(k);
        wlab_panes[wlab_pane_find("labels")]->draw(&s, &none, &c, &all);
        wlab_alloc_fail_at(0);
        assert_int_equal(wlab_canvas_dump(&c, &text), WL_OK);
        assert_non_null(strstr((const char *)text.data, "out of memory"));
        wlab_buf_clear(&text);
        wlab_canvas_clear(&c);
    }
    talk_end(&e);
}

/* Each line of the pane has as many rows of each class as the run had after that step, and a cell is dim if its row flips
 * later. */
static void labels_are_exact(void **state)
{
    (void)state;
    enum {
        N = 24,
        STEPS = 6
    };
    talk e;
    int positive[STEPS + 1];
    scene_begin(&e);
    EXEC(&e, "generate two-moons n=24 noise=0.2 seed=3");
    EXEC(&e, "task ssl labeled=4 r=0.6 seed=2");
    EXEC(&e, "algo wellsvm kernel=rbf sigma=1x");
    int64_t steps = 0;
    for (int k = 0; k <= STEPS; k++) {
        wlab_scene s = scene_of(&e);
        steps = s.mirror[0]->rows - 1;
        positive[steps] = 0;
        for (int i = 0; i < N; i++)
            positive[steps] += s.mirror[0]->labels[i] > 0;
        if (k < STEPS)
            EXEC(&e, "step");
    }
    assert_true(steps >= 2);
    wlab_scene s = scene_of(&e);
    draw_pane(&d, &s, wlab_pane_find("labels"), STEPS + 4, N + 8); /* one row per column */
    for (int k = 0; k <= steps; k++) {
        int up = 0;
        for (int c = 6; c < 6 + N; c++) {
            wlab_style style = glyph_at(1 + k, c).style;
            up += glyph_at(1 + k, c).ch == 0x2588 || style == WL_S_GIVEN_POSITIVE ||
                  style == WL_S_FLIP_POSITIVE;
            bool flips_later = false, flips = style == WL_S_FLIP_POSITIVE || style == WL_S_FLIP_NEGATIVE;
            for (int later = k + 1; later <= steps; later++) {
                const wlab_style one = glyph_at(1 + later, c).style;
                flips_later = flips_later || one == WL_S_FLIP_POSITIVE || one == WL_S_FLIP_NEGATIVE;
            }
            assert_int_equal(style == WL_S_DIM, flips_later && !flips);
        }
        assert_int_equal(up, positive[k]);
    }
    drawing_end(&d);
    talk_end(&e);
}

/* A cell of many rows is marked if at least a quarter of them flipped; else its class remains visible. */
static void labels_in_bulk(void **state)
{
    (void)state;
    enum {
        N = 4000,
        COLS = 60,
        CELLS = COLS - 2 - 5 - 6 /* without the frame, the step number, and the flip count with its blanks */
    };
    static int8_t first[N], now[N];
    static wlab_flip few[N], many[2 * N];
    talk e;
    hand h;
    scene_begin(&e);
    EXEC(&e, "generate two-moons n=4000 seed=1");
    EXEC(&e, "task ssl labeled=2 seed=1");
    EXEC(&e, "algo wellsvm kernel=rbf sigma=1x C2=0.5");
    wlab_scene s = hand_made_scene(&h, &e, 3);
    for (int i = 0; i < N; i++)
        now[i] = first[i] = i % 2 ? 1 : -1;
    int nfew = 0, nmany = 0;
    for (int i = 0; i < N; i += 50) { /* 1 in 50 rows, there and back: 3 or 4 in each cell of class -1 */
        few[nfew++] = (wlab_flip){i, 1};
        many[nmany++] = (wlab_flip){i, -1};
    }
    for (int i = 1; i < N; i += 4) { /* half of the rows of class +1 */
        many[nmany++] = (wlab_flip){i, -1};
        now[i] = -1;
    }
    h.m.labels_first = first;
    h.m.labels = now;
    h.row[1].flip = few;
    h.row[1].nflips = nfew;
    h.row[2].flip = many;
    h.row[2].nflips = nmany;
    for (int ascii = 0; ascii < 2; ascii++) {
        s.ascii = ascii;
        draw_pane(&d, &s, wlab_pane_find("labels"), 10, COLS);
        int marked[3] = {0};
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < CELLS; c++) {
                wlab_style style = glyph_at(1 + k, 6 + c).style;
                marked[k] += style == WL_S_FLIP_POSITIVE || style == WL_S_FLIP_NEGATIVE;
            }
        assert_int_equal(marked[0], 0);
        assert_int_equal(marked[1], 0);
        assert_in_range(marked[2], CELLS / 4 - 2, CELLS / 4 + 2); /* a quarter of all rows, sorted together */
        ASSERT_SHOWS(ascii ? "#=. +1 to -1  +o 1/4 or more flipped  "
                           : "\u2588\u2593\u2592\u2591 +1 to -1  ");
        ASSERT_SHOWS("cell: 85-86 rows");
        ASSERT_SHOWS(ascii ? "   80 |\n" : "   80 \u2502\n"); /* also where no cell is marked */
        ASSERT_SHOWS(ascii ? " 1080 |\n" : " 1080 \u2502\n");
        drawing_end(&d);
    }
    draw_pane(&d, &s, wlab_pane_find("labels"), 8, 32); /* two lines of legend */
    ASSERT_SHOWS("| #=. +1 to -1  +o 1/4 flipped |\n| 166 per cell");
    drawing_end(&d);
    talk_end(&e);
}

/* Task llp, few bags: letters name the bag and mark wrong labels. */
static void toy(void **state)
{
    (void)state;
    talk e;
    scene_begin(&e);
    EXEC(&e, "generate llp-toy seed=1");
    EXEC(&e, "task llp");
    EXEC(&e, "algo invcal kernel=linear");
    EXEC(&e, "step");
    for (int k = 0; k < 2; k++) {
        wlab_scene s = scene_of(&e);
        int letters = 0;
        draw_pane(&d, &s, wlab_pane_find("boundary"), 20, 76);
        for (int r = 0; r < d.area.rows; r++)
            for (int c = 0; c < d.area.cols; c++) {
                wchar_t ch = glyph_at(d.area.row + r, d.area.col + c).ch;
                letters += k ? ch == L'P' || ch == L'p' || ch == L'Q' || ch == L'q'
                             : ch == L'W' || ch == L'w' || ch == L'X' || ch == L'x';
            }
        assert_true(letters > 40);
        ASSERT_SHOWS(k ? "w-z 0 wrong" : "w-z 200 wrong");
        ASSERT_SHOWS("pw bag 1");
        ASSERT_SHOWS("P +1: 100");
        drawing_end(&d);
        EXEC(&e, "algo alter-psvm kernel=linear");
        EXEC(&e, "finish");
    }
    talk_end(&e);
}

/* Task llp.  Pane `proportions` has a line per bag if the lines fit, else a point per bag; `bagflips` has the bags
 * in which labels still change. */
static void proportions(void **state)
{
    (void)state;
    talk e;
    scene_begin(&e);
    EXEC(&e, "generate blobs n=60 seed=1 spread=3");
    EXEC(&e, "task llp bagsize=12 seed=1");
    EXEC(&e, "algo wellsvm kernel=linear");
    wlab_scene s = scene_of(&e);
    assert_true(wlab_pane_fits(wlab_pane_find("proportions"), &s) &&
                wlab_pane_fits(wlab_pane_find("bagflips"), &s));
    assert_false(wlab_pane_fits(wlab_pane_find("proportions"), &moons) ||
                 wlab_pane_fits(wlab_pane_find("bagflips"), &moons));
    draw_pane(&d, &s, wlab_pane_find("proportions"), 12, 60);
    ASSERT_SHOWS("nothing to draw yet");
    drawing_end(&d);
    draw_pane(&d, &s, wlab_pane_find("bagflips"), 12, 60);
    ASSERT_SHOWS("nothing to draw yet");
    drawing_end(&d);
    EXEC(&e, "step 4");
    s = scene_of(&e);
    s.ascii = true;
    const wlab_mirror *m = s.mirror[0];
    const wlab_problem *p = m->problem;
    draw_pane(&d, &s, wlab_pane_find("proportions"), 12, 70);
    ASSERT_SHOWS("proportions: bag error ");
    double error = 0, f[60];
    ASSERT_OK(wlab_model_predict(m->model, p->X, f, NULL, &e.err), e.err);
    for (int b = 0; b < 5; b++) {
        int up = 0, flips = 0;
        char text[40];
        for (int i = 0; i < 60; i++)
            if (p->bag[i] == b) {
                up += f[i] > 0;
                flips += m->labels[i] != m->labels_before[i];
            }
        error += fabs(up / 12.0 - p->bag_given[b]);
        snprintf(text, sizeof text, "%.2f of %.2f", up / 12.0, p->bag_given[b]);
        ASSERT_SHOWS(text);
        int bar = 0; /* of 70 - 2 - 28 columns */
        for (int c = 12; c < 52; c++)
            bar += glyph_at(1 + b, c).ch == L'#';
        assert_in_range(bar + 2, (int)lround(up / 12.0 * 39),
                        (int)lround(up / 12.0 * 39) + 2); /* x and | are drawn over it */
        if (flips)
            assert_int_equal(glyph_at(1 + b, 12 + 40 + 14).ch, L'0' + flips % 10);
    }
    char words[40];
    snprintf(words, sizeof words, "bag error %.3g", error);
    ASSERT_SHOWS(words);
    ASSERT_SHOWS("# model | given x labels right: flips");
    drawing_end(&d);
    draw_pane(&d, &s, wlab_pane_find("proportions"), 9, 40); /* as wide as in 80 columns */
    ASSERT_SHOWS("# model | given x labels right: flips");
    drawing_end(&d);
    draw_pane(&d, &s, wlab_pane_find("proportions"), 6, 42);
    ASSERT_SHOWS("given; up: oO@ by rows, x labels");
    drawing_end(&d);
    draw_pane(&d, &s, wlab_pane_find("bags"), 9, 60); /* all five bags, and no key instances */
    for (int b = 0; b < 5; b++) {
        char given[8];
        snprintf(given, sizeof given, "%.2f", p->bag_given[b]);
        ASSERT_SHOWS(given);
    }
    assert_true(holds("1 label +1") && !holds("K ") && !holds(" of 5 bags"));
    drawing_end(&d);
    draw_pane(&d, &s, wlab_pane_find("proportions"), 6, 24); /* points: the diagonal, and no line per bag */
    assert_false(holds(" of "));
    ASSERT_SHOWS("given");
    assert_true(cells_of(&d, WL_S_INK1) + cells_of(&d, WL_S_FLIP_POSITIVE) >= 1);
    drawing_end(&d);
    draw_pane(&d, &s, wlab_pane_find("bagflips"), 8, 60);
    snprintf(words, sizeof words, "steps 1 to %lld", (long long)m->row[m->rows - 1].iter);
    ASSERT_SHOWS(words);
    ASSERT_SHOWS("flips per bag: ");
    int64_t last = m->row[m->rows - 1].nflips;
    assert_int_equal(cells_of(&d, WL_S_NEWEST) > 0, last > 0);
    drawing_end(&d);
    draw_any_size(&s, wlab_pane_find("proportions"));
    draw_any_size(&s, wlab_pane_find("bagflips"));
    talk_end(&e);
}

static void bags(void **state)
{
    (void)state;
    talk e;
    char path[] = "/tmp/weaklab-bags-XXXXXX.csv", line[80];
    int fd = mkstemps(path, 4);
    assert_true(fd >= 0);
    FILE *o = fdopen(fd, "w");
    assert_non_null(o);
    fprintf(o, "bag,x,y,class\n");
    /* bag b has b + 2 instances; if b is even, one is positive: the third from the end, of bag 0 the first */
    for (int b = 0; b < 12; b++)
        for (int i = 0; i < b + 2; i++) {
            bool key = b % 2 == 0 && i == (b > 0 ? b - 1 : 0);
            fprintf(o, "b%02d,%g,%g,%d\n", b + 1, key + 0.01 * ((7 * i + b) % 10),
                    key - 0.02 * ((3 * i + b) % 10), key ? 1 : -1);
        }
    fclose(o);
    scene_begin(&e);
    snprintf(line, sizeof line, "load %s", path);
    EXEC(&e, line);
    remove(path);
    EXEC(&e, "task mil");
    EXEC(&e, "algo wellsvm kernel=linear C1=1 C2=1 search=paper");
    wlab_scene s = scene_of(&e);
    draw_pane(&d, &s, wlab_pane_find("bags"), 20, 60);
    ASSERT_SHOWS("nothing to draw yet");
    drawing_end(&d);
    EXEC(&e, "step 2");
    s = scene_of(&e);
    s.ascii = true;
    draw_pane(&d, &s, wlab_pane_find("bags"), 16, 70);
    ASSERT_SHOWS("bags: 6 keys, ");
    for (int b = 0; b < 12; b++) {
        char name[8];
        int row = 1 + b / 2 + (b % 2 ? 6 : 0), keys = 0, cells = 0;
        snprintf(name, sizeof name, "%cb%02d ", b % 2 ? '-' : '+', b + 1);
        for (int k = 0; name[k]; k++)
            assert_int_equal(glyph_at(row, 2 + k).ch, name[k]);
        for (int c = 7; c < 69; c++) {
            keys += glyph_at(row, c).ch == L'K' || glyph_at(row, c).ch == L'@';
            cells += glyph_at(row, c).ch != L' ';
        }
        assert_int_equal(keys, b % 2 == 0);
        assert_int_equal(cells, b + 2);
    }
    drawing_end(&d);
    draw_pane(&d, &s, wlab_pane_find("bags"), 7, 40); /* four lines, of positive bags */
    ASSERT_SHOWS("| +b07 ");
    assert_false(holds("| -b02 "));
    ASSERT_SHOWS("4 of 12 bags");
    drawing_end(&d);
    draw_pane(&d, &s, wlab_pane_find("labels"), 10, 40); /* 90 rows: each key that has changed is marked */
    ASSERT_SHOWS("new, was key");
    ASSERT_SHOWS("labels by step; right: changed");
    int64_t moved = 0;
    for (int64_t r = 1; r < s.mirror[0]->rows; r++)
        moved += s.mirror[0]->row[r].nflips;
    assert_int_equal(moved > 0, cells_of(&d, WL_S_FLIP_POSITIVE) > 1);
    drawing_end(&d);
    draw_pane(&d, &s, wlab_pane_find("labels"), 10, 30); /* too narrow for flips: the title omits them */
    ASSERT_SHOWS("labels by step");
    assert_false(holds("right"));
    drawing_end(&d);
    draw_any_size(&s, wlab_pane_find("bags"));
    draw_any_size(&s, wlab_pane_find("labels"));
    wlab_layout l;
    wlab_layout_make(&l, &s, 30, 100, 0, -1, 0);
    assert_int_equal(l.place[0].pane, wlab_pane_find("boundary")); /* two columns: a picture */
    wlab_layout_make(&l, &s, 30, 100, 1u << wlab_pane_find("boundary"), -1, 0);
    assert_int_equal(l.place[0].pane, wlab_pane_find("bags"));
    talk_end(&e);
}

/* Three runs and more: all that fit in columns of seven, and the last line names the others, or counts them if the names
 * are too long. */
static void columns_of_runs(void **state)
{
    static const struct {
        int cols, columns;
        const char *rest;
    } size[] = {{100, 4, NULL},
                {36, 3, "not shown: longest "},
                {30, 3, "not shown: longest "},
                {29, 2, "not shown: bb longest "},
                {22, 1, "not shown: 3 runs "}};
    talk e;
    (void)state;
    scene_begin(&e);
    EXEC(&e, MOONS);
    EXEC(&e, TASK);
    EXEC(&e, LEARNS);
    EXEC(&e, "step 2; fork bb; step; fork longest; step; fork d; step; compare a bb longest d");
    wlab_scene s = scene_of(&e);
    assert_int_equal(s.mirrors, 4);
    for (size_t k = 0; k < sizeof size / sizeof *size; k++) {
        int columns = 0;
        draw_pane(&d, &s, wlab_pane_find("run"), 12, size[k].cols);
        ASSERT_SHOWS("4 runs");
        for (int c = 1; c + 1 < size[k].cols; c++) /* "d:5" in the first line */
            columns += glyph_at(1, c).ch == L':';
        if (columns != size[k].columns)
            fail_msg("%d columns of runs in %d:\n%s", columns, size[k].cols, d.text);
        if (size[k].rest)
            ASSERT_SHOWS(size[k].rest);
        else
            assert_false(holds("not shown"));
        drawing_end(&d);
    }
    talk_end(&e);
}

/* A key instance that is truly negative has a sign of its own, and the legend counts these. */
static void wrong_keys(void **state)
{
    talk e;
    int signs = 0, wrong = 0;
    (void)state;
    scene_begin(&e);
    EXEC(&e, "generate roi-bags bags=20 positive=0.5 rois=2 least=8 most=12 dims=2 clutter=4 modes=1 seed=2");
    EXEC(&e, "task mil; algo wellsvm kernel=rbf; step 2; set marks=labeling");
    wlab_scene s = scene_of(&e);
    const wlab_mirror *m = s.mirror[0];
    for (int64_t i = 0; i < m->problem->n; i++)
        wrong += m->labels[i] > 0 && m->problem->truth[i] < 0;
    assert_in_range(wrong, 1, 9);
    for (int cols = 36; cols <= 90; cols += 54) {
        char text[80];
        signs = 0;
        draw_pane(&d, &s, wlab_pane_find("bags"), 40, cols);
        for (int r = 1; r < 21; r++)
            for (int c = 0; c < cols; c++)
                signs += glyph_at(r, c).ch == L'!';
        assert_int_equal(signs, wrong);
        snprintf(text, sizeof text, "! %d of 10 keys truly negative%s", wrong,
                 cols > 60 ? " (never observed)" : "");
        ASSERT_SHOWS(text);
        drawing_end(&d);
    }
    talk_end(&e);
}

/* The table of cosines has 1 on the diagonal and numbers from -1 to 1. */
static void gram(void **state)
{
    (void)state;
    draw_pane(&d, &moons, wlab_pane_find("gram"), 12, 60);
    ASSERT_SHOWS("gram: cosines of labelings");
    for (int i = 0; i < 7; i++) {
        char number[7][6] = {{0}};
        for (int k = 0; k < 7; k++)
            for (int c = 0; c < 5; c++)
                number[k][c] = (char)glyph_at(2 + i, 1 + 4 + 6 * k + c).ch;
        assert_string_equal(number[i], " 1.00");
        for (int k = 0; k < 7; k++) {
            double v = atof(number[k]);
            assert_true(v >= -1 && v <= 1 && number[k][2] == '.');
        }
    }
    drawing_end(&d);
    draw_pane(&d, &moons, wlab_pane_find("gram"), 5, 20); /* the newest labelings that fit */
    ASSERT_SHOWS("y7");
    assert_false(holds("y3 "));
    drawing_end(&d);
    talk e;
    scene_begin(&e);
    EXEC(&e, MOONS);
    EXEC(&e, TASK);
    EXEC(&e, "algo tsvm");
    wlab_scene s = scene_of(&e);
    assert_false(wlab_pane_fits(wlab_pane_find("gram"), &s)); /* tsvm has no working set of labelings */
    assert_false(wlab_pane_fits(wlab_pane_find("bags"), &s));
    talk_end(&e);
}

/* More than two classes: one letter each, a capital for a given label; the largest number of classes at every size. */
static void classes(void **state)
{
    static const char *const tasks[] = {
        "generate polygon n=60 seed=1; task ssl classes=all labeled=6 seed=1",
        "generate blobs n=256 classes=64 seed=1; task supervised classes=all"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        talk e;
        scene_begin(&e);
        EXEC(&e, tasks[k]);
        EXEC(&e, "algo mfn");
        EXEC(&e, "step 3");
        wlab_scene s = scene_of(&e);
        draw_any_size(&s, wlab_pane_find("boundary"));
        draw_any_size(&s, wlab_pane_find("labels"));
        s.ascii = true;
        if (k == 0) {
            int64_t letters = 0;
            draw_pane(&d, &s, wlab_pane_find("boundary"), 40, 100);
            ASSERT_SHOWS("6 labelled  a 1: ");
            ASSERT_SHOWS("[A]");
            for (int i = 0; i < d.canvas.rows * d.canvas.cols; i++)
                letters += d.canvas.cell[i].style >= WL_S_INK1 && d.canvas.cell[i].style <= WL_S_INK3 &&
                           d.canvas.cell[i].ch >= L'a' && d.canvas.cell[i].ch <= L'c';
            assert_true(letters > 20 && letters <= 60);
            drawing_end(&d);
        }
        talk_end(&e);
    }
}

/* A labelled row that the model predicts otherwise has another sign, whatever its observed label: as many as the model's
 * outputs say.  With more than two classes a sign follows its letter. */
static void predicted_otherwise(void **state)
{
    static const char *const runs[] = {
        "generate two-moons n=200 noise=0.4 seed=3; task ssl labeled=20; algo svm kernel=linear; step",
        "generate blobs n=150 classes=3 seed=2 spread=2.5; task ssl classes=all labeled=15; algo svm "
        "kernel=linear; continue",
        "generate two-moons n=200 noise=0.4 dims=3 seed=3; task ssl labeled=20; algo svm kernel=linear; "
        "step"};
    (void)state;
    for (int k = 0; k < 3; k++) {
        talk e;
        wlab_model *m = NULL;
        wlab_err err;
        char text[80];
        scene_begin(&e);
        EXEC(&e, runs[k]);
        wlab_scene s = scene_of(&e);
        wlab_session_request_predicted(e.s, wlab_run_number(wlab_session_run(e.s)));
        const wlab_run *run = wlab_session_run(e.s);
        const wlab_problem *p = wlab_run_problem(run);
        double *f = malloc((size_t)p->n * (size_t)wlab_problem_outputs(p) * sizeof *f);
        int expected = 0, signs = 0;
        ASSERT_OK(wlab_run_algo(run)->model(wlab_run_state(run), &m, NULL, &err), err);
        ASSERT_OK(wlab_model_predict(m, p->X, f, NULL, &err), err);
        for (int64_t i = 0; i < p->n; i++)
            expected += p->visible[i] && wlab_label_index(p, p->visible[i]) !=
                                             wlab_model_decide(m, f + i * wlab_problem_outputs(p));
        assert_true(expected > 1);
        draw_pane(&d, &s, wlab_pane_find(k == 2 ? "projection" : "boundary"), 40, 100);
        if (k == 2) { /* with the predictions of the mirror, as the dashboard draws it */
            wlab_view_run v = wlab_view_run_of_mirror(s.mirror[0]);
            const wlab_view_request q = {.run = &v, .runs = 1, .live = true, .ctx = wlab_session_ctx(e.s)};
            wlab_figure_clear(&d.picture.figure);
            wlab_figure_init(&d.picture.figure, false);
            ASSERT_OK(wlab_view_draw(wlab_view_find("projection"), &d.picture.figure, &q, &err), err);
            draw_pane_with(&d, &s, wlab_pane_find("projection"), 40, 100, true);
        }
        snprintf(text, sizeof text, "%d labelled, predicted otherwise", expected);
        ASSERT_SHOWS(text);
        for (int r = 0; r < d.area.rows; r++)
            for (int c = 0; c < d.area.cols; c++) {
                const wlab_glyph g = glyph_at(d.area.row + r, d.area.col + c);
                const bool given = g.style == WL_S_GIVEN_POSITIVE || g.style == WL_S_GIVEN_NEGATIVE;
                signs += k == 1 ? g.ch == L'!' : given && (g.ch == L'a' || g.ch == L'b');
            }
        assert_int_equal(signs, expected);
        drawing_end(&d);
        EXEC(&e, "set marks=truth"); /* the observed labels are true */
        draw_pane(&d, &s, wlab_pane_find(k == 2 ? "projection" : "boundary"), 40, 100);
        assert_false(holds("otherwise"));
        drawing_end(&d);
        wlab_model_destroy(m);
        free(f);
        talk_end(&e);
    }
}

/* The matrix is darker where two rows have the same label.  Letters beside its lines are true classes, and letters
 * above its columns are labels.  Among the scores of a row that of its label is darkest. */
static void matrix_and_scores(void **state)
{
    (void)state;
    for (int P = 2; P <= 3; P++) {
        talk e;
        scene_begin(&e);
        EXEC(&e, P == 2 ? "generate two-moons n=40 noise=0.05 seed=1; task ssl labeled=4 seed=1"
                        : "generate polygon n=60 seed=1; task cluster classes=3");
        EXEC(&e, "algo softmax-sdp");
        wlab_scene s = scene_of(&e);
        draw_pane(&d, &s, wlab_pane_find("matrix"), 20, 60);
        ASSERT_SHOWS("`step` first");
        drawing_end(&d);
        EXEC(&e, "step 4");
        s = scene_of(&e);
        assert_true(wlab_pane_fits(wlab_pane_find("matrix"), &s) &&
                    wlab_pane_fits(wlab_pane_find("scores"), &s));
        draw_any_size(&s, wlab_pane_find("matrix"));
        draw_any_size(&s, wlab_pane_find("scores"));
        s.ascii = true;
        draw_pane(&d, &s, wlab_pane_find("matrix"), 30, 70);
        ASSERT_SHOWS("matrix Z, rows by true class; above: labels");
        double same = 0, other = 0, n[2] = {0, 0};
        const wlab_mirror *m = s.mirror[0];
        wlab_excerpt x; /* of all rows: a letter is that of the middle row of its part */
        ASSERT_OK(wlab_excerpt_choose(&x, m->problem, m->labels, true, WL_EXCERPT_MOST, &e.err), e.err);
        for (int row = 2; row < 28; row++)
            for (int col = 3; col < 69; col++) {
                const int64_t i = (2 * (row - 2) + 1) * x.n / (2 * 26),
                              j = (2 * (col - 3) + 1) * x.n / (2 * 66);
                const int truth = wlab_label_index(m->problem, x.truth[i]),
                          label = wlab_label_index(m->problem, x.label[j]);
                assert_int_equal(glyph_at(row, 1).ch, P == 2 ? "o+"[truth] : wlab_class_letter(truth, true));
                assert_int_equal(glyph_at(1, col).ch, P == 2 ? "o+"[label] : wlab_class_letter(label, false));
                const char *level = strchr(wlab_cells_ramp, (int)glyph_at(row, col).ch);
                assert_non_null(level);
                const bool is = x.label[i] == x.label[j];
                *(is ? &same : &other) += (double)(level - wlab_cells_ramp);
                n[is]++;
            }
        assert_true(same / n[1] > other / n[0] + 2);
        wlab_excerpt_clear(&x);
        drawing_end(&d);
        draw_pane(&d, &s, wlab_pane_find("scores"), 30, 70);
        ASSERT_SHOWS(P == 2 ? "scores, sorted" : "scores, one line per class");
        double label = 0, rest = 0;
        for (int col = 3; col < 69 && P == 3; col++) /* of the six lines, the two of the label are darker */
            for (int row = 2; row < 8; row++)
                *(glyph_at(row, 1).ch == glyph_at(1, col).ch ? &label : &rest) +=
                    (double)(strchr(wlab_cells_ramp, (int)glyph_at(row, col).ch) - wlab_cells_ramp);
        assert_true(P == 2 || label / 2 > rest / 4 + 2 * 66);
        drawing_end(&d);
        talk_end(&e);
    }
}

/* 150 rows in three clusters: cells of the matrix hold more than four rows, the legends name the clusters, and
 * eigenvalues, unlike weights of labelings, have no newest one. */
static void many_rows_of_clusters(void **state)
{
    (void)state;
    talk e;
    scene_begin(&e);
    EXEC(&e, "generate polygon n=150 ends=0 spread=0.05 seed=3; task cluster classes=3");
    EXEC(&e, "algo softmax-sdp");
    EXEC(&e, "step 2");
    wlab_scene s = scene_of(&e);
    for (int pane = wlab_pane_find("matrix"); pane <= wlab_pane_find("scores"); pane++) {
        draw_pane(&d, &s, pane, 14, 30);
        for (wchar_t ch = L'a'; ch <= L'c'; ch++) {
            int n = 0;
            for (int col = 3; col < 29; col++)
                n += glyph_at(1, col).ch == ch;
            assert_in_range(n, 5, 14);
        }
        ASSERT_SHOWS("blank ");
        ASSERT_SHOWS("█ ");
        drawing_end(&d);
    }
    draw_pane(&d, &s, wlab_pane_find("boundary"), 20, 60);
    ASSERT_SHOWS("a cluster 1: ");
    drawing_end(&d);
    draw_pane(&d, &s, wlab_pane_find("labels"), 12, 60);
    ASSERT_SHOWS("   1 ");
    ASSERT_SHOWS("a cluster 1  b 2  c 3");
    drawing_end(&d);
    const wlab_mirror *m = s.mirror[0];
    assert_true(m->row[1].metric[wlab_metric_index(m->algo, "flips")] == 0); /* first labels are not flips */
    draw_pane(&d, &s, wlab_pane_find("weights"), 10, 30);
    ASSERT_SHOWS("93 more of 100 kept");
    ASSERT_SHOWS(" 7 ");
    assert_int_equal(cells_of(&d, WL_S_INK2), 0);
    drawing_end(&d);
    EXEC(&e, "generate blobs n=200 classes=20 seed=1; task supervised classes=all; algo mfn; step 1");
    s = scene_of(&e);
    draw_pane(&d, &s, wlab_pane_find("boundary"), 20, 46);
    ASSERT_SHOWS(" more");
    drawing_end(&d);
    draw_pane(&d, &s, wlab_pane_find("labels"), 12, 46);
    ASSERT_SHOWS(" more");
    drawing_end(&d);
    talk_end(&e);
}

/* Where EM follows the relaxation its objective is another one: the curves are interrupted, a line marks the place, and
 * neither the step's line nor the dashboard show the relaxation's gap beside it. */
static void stages(void **state)
{
    (void)state;
    talk e;
    wlab_run *run;
    const wlab_trace_row *row;
    scene_begin(&e);
    EXEC(&e, "generate two-moons n=40 seed=1; task ssl labeled=4 seed=1; algo softmax-sdp; continue");
    run = wlab_session_run(e.s);
    const int64_t rows = wlab_run_trace(run, &row);
    const wlab_algo *algo = wlab_run_algo(run);
    const int gap = wlab_metric_of(algo, WL_R_GAP);
    int64_t em = 1;
    for (; em < rows && !wlab_metric_stage(algo, row[em].metric); em++)
        assert_false(wlab_metric_gap_of_other(algo, row[em].metric, gap));
    assert_true(em > 2 && em < rows && isfinite(row[em].metric[gap]));
    assert_true(wlab_metric_gap_of_other(algo, row[em].metric, gap));
    assert_false(wlab_metric_gap_of_other(algo, row[em].metric, wlab_metric_of(algo, WL_R_OBJECTIVE)));
    char line[160];
    snprintf(line, sizeof line, "          EM from the relaxation's labels:\n%8lld %16.10g          -  ",
             (long long)em, row[em].metric[wlab_metric_of(algo, WL_R_OBJECTIVE)]);
    assert_non_null(strstr(e.text, line));
    wlab_scene s = scene_of(&e);
    static const char *const panes[] = {"objective", "gap"};
    for (int k = 0; k < 2; k++) {
        draw_pane(&d, &s, wlab_pane_find(panes[k]), 14, 60);
        const wlab_figure *f = &d.picture.figure;
        assert_int_equal(f->events, 1);
        assert_string_equal(f->event[0].text, "EM");
        assert_true(f->event[0].x == (double)em);
        assert_true(isnan(f->block[0].value[em * f->block[0].columns]));
        ASSERT_SHOWS(" EM");
        assert_true(k == 0 || strcmp(d.title, "gap (log)") == 0);
        drawing_end(&d);
    }
    talk_end(&e);
}

/* One against the rest: curves break where a binary classifier begins, and its class is named there.  A parameter set
 * twice after one step is reported once. */
static void classifiers_and_changes(void **state)
{
    (void)state;
    talk e;
    wlab_figure f;
    wlab_buf dat = {0};
    int blank = 0;

    scene_begin(&e);
    EXEC(&e, "generate polygon n=60 seed=1; task ssl classes=all labeled=6 seed=1; algo tsvm; continue");
    wlab_view_run v = wlab_view_run_of(wlab_session_run(e.s));
    wlab_view_request q = {.run = &v, .runs = 1};
    wlab_figure_init(&f, false);
    ASSERT_OK(wlab_view_draw(&wlab_view_objective, &f, &q, &e.err), e.err);
    assert_int_equal(f.events, 3);
    assert_string_equal(f.event[1].text, "class 2");
    assert_int_equal(f.block[0].rows, v.rows + 2);
    ASSERT_OK(wlab_figure_dat(&f, &dat, &e.err), e.err);
    for (size_t i = 1; i < dat.len; i++)
        blank += dat.data[i] == '\n' && dat.data[i - 1] == '\n';
    assert_int_equal(blank, 2);
    wlab_buf_clear(&dat);
    wlab_figure_clear(&f);

    EXEC(&e,
         "task cluster classes=3; algo softmax-sdp; step 2; set lambda=0.02; step; goto 2; set lambda=0.05");
    EXEC(&e, "step");
    v = wlab_view_run_of(wlab_session_run(e.s));
    wlab_figure_init(&f, false);
    ASSERT_OK(wlab_view_draw(&wlab_view_gap, &f, &q, &e.err), e.err);
    assert_int_equal(f.events, 1);
    assert_string_equal(f.event[0].text, "lambda=0.05 after 2");
    assert_null(strstr((const char *)f.before.data, "0.02"));
    wlab_figure_clear(&f);
    talk_end(&e);
}

/* A wide pane shows the weights after each step, blank before the labeling existed. */
static void weights_history(void **state)
{
    (void)state;
    talk e;
    hand h;
    small_problem(&e);
    wlab_scene s = hand_made_scene(&h, &e, 4);
    for (int step = 1; step < 4; step++) {
        h.row[step].nweights = step;
        for (int k = 0; k < step; k++)
            h.weight[step][k] = k == step - 1 ? 1 : 0;
    }
    s.ascii = true;
    draw_pane(&d, &s, wlab_pane_find("weights"), 6, 60);
    ASSERT_SHOWS("y1                0.000   #__");
    ASSERT_SHOWS("y2                0.000    #_");
    ASSERT_SHOWS("y3 ############## 1.000     #");
    ASSERT_SHOWS("after steps 0 to 3");
    drawing_end(&d);
    talk_end(&e);
}

/* ---- lines ---- */

static const char *line_of(void draw(const wlab_scene *, wlab_canvas *, const wlab_rect *),
                           const wlab_scene *s, int cols)
{
    wlab_rect r = {0, 0, 1, cols};
    memset(&d, 0, sizeof d);
    ASSERT_OK(wlab_canvas_resize(&d.canvas, 1, cols, &t.err), t.err);
    draw(s, &d.canvas, &r);
    drawing_dump(&d);
    drawing_end(&d);
    return d.text;
}

static void next_line(const wlab_scene *s, wlab_canvas *c, const wlab_rect *r)
{
    wlab_pane_next(s, c, r, NULL);
}

static void lines(void **state)
{
    (void)state;
    talk e;
    hand h;
    small_problem(&e);
    wlab_scene s = hand_made_scene(&h, &e, 3);
    assert_string_equal(
        line_of(wlab_pane_header, &s, 100),
        " weaklab | two-moons 12x2 | ssl 2 labelled r=0.50 | wellsvm rbf sigma=1x C2=0.5 | a: step 2  "
        "PAUSED\n");
    assert_string_equal(line_of(wlab_pane_header, &s, 50),
                        " two-moons 12x2 | ssl 2 labe… | a: step 2  PAUSED\n");
    s.ascii = true;
    assert_string_equal(line_of(wlab_pane_header, &s, 50),
                        " two-moons 12x2 | ssl 2 lab.. | a: step 2  PAUSED\n");
    static const struct {
        wlab_verdict verdict;
        bool running, stopping;
        const char *word;
    } states[] = {{WL_MORE, false, false, "PAUSED"},      {WL_MORE, true, false, "RUNNING"},
                  {WL_MORE, true, true, "STOPPING"},      {WL_CONVERGED, false, false, "CONVERGED"},
                  {WL_STALLED, false, false, "STALLED"},  {WL_LIMIT, false, false, "LIMIT"},
                  {WL_CONVERGED, true, false, "RUNNING"}, {WL_MORE, false, true, "PAUSED"}};
    for (size_t k = 0; k < sizeof states / sizeof *states; k++)
        for (int cols = 12; cols < 120; cols += 9) {
            h.m.verdict = states[k].verdict;
            h.m.running = states[k].running;
            s.stopping = states[k].stopping;
            assert_non_null(strstr(line_of(wlab_pane_header, &s, cols), states[k].word));
        }
    h.m.verdict = WL_MORE;
    h.m.running = s.stopping = false;
    h.m.half = 3;
    assert_non_null(strstr(line_of(wlab_pane_header, &s, 100), "a: step 2+3  PAUSED"));
    strcpy(h.m.next, "add y3, solve the master");
    assert_string_equal(line_of(next_line, &s, 60), " next: add y3, solve the master\n");
    assert_string_equal(line_of(next_line, &s, 20), " next: add y3, sol..\n");
    set_metric(&h, 2, "objective", 19.041187);
    set_metric(&h, 2, "gap", 0.0014);
    set_metric(&h, 2, "flips", 3);
    /* violation has no value: it keeps its place */
    /* inside a step the line says of which complete step it is, as the header has the incomplete one */
    assert_string_equal(line_of(wlab_pane_metrics, &s, 60),
                        " step 2: objective 19.0412  gap 0.00140  violation -\n");
    h.m.half = 0;
    assert_string_equal(line_of(wlab_pane_metrics, &s, 60), " objective 19.0412  gap 0.00140  violation -\n");
    assert_string_equal(line_of(wlab_pane_metrics, &s, 80),
                        " objective 19.0412  gap 0.00140  violation -        flips 3     lower -\n");
    assert_string_equal(line_of(wlab_pane_metrics, &s, 30),
                        " objective 19.0412\n"); /* the other metrics do not fit */
    set_metric(&h, 2, "objective", 9);           /* the places do not depend on the numbers */
    set_metric(&h, 2, "gap", 1.5e-14);
    set_metric(&h, 2, "lower", -123.456);
    assert_string_equal(line_of(wlab_pane_metrics, &s, 80),
                        " objective 9.00000  gap 1.50e-14 violation -        flips 3     lower -123.456\n");
    set_metric(&h, 2, "lower", -0.00135999e-3); /* fewer digits rather than half an exponent */
    assert_string_equal(line_of(wlab_pane_metrics, &s, 80),
                        " objective 9.00000  gap 1.50e-14 violation -        flips 3     lower -1.3600e-6\n");
    wlab_scene none = {.session = e.s};
    assert_string_equal(line_of(next_line, &none, 80),
                        " first: choose an algorithm, for example `algo wellsvm`\n");
    talk_end(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(table),
                                       cmocka_unit_test(one_probe_of_a_kind),
                                       cmocka_unit_test(any_size),
                                       cmocka_unit_test(nothing_yet),
                                       cmocka_unit_test(boundary),
                                       cmocka_unit_test(toy),
                                       cmocka_unit_test(background_is_the_model),
                                       cmocka_unit_test(curves),
                                       cmocka_unit_test(marks_are_at_their_values),
                                       cmocka_unit_test(no_certified_bound),
                                       cmocka_unit_test(several_runs),
                                       cmocka_unit_test(marks_of_runs),
                                       cmocka_unit_test(changes),
                                       cmocka_unit_test(run_golden),
                                       cmocka_unit_test(run_half),
                                       cmocka_unit_test(run_powers),
                                       cmocka_unit_test(weights_golden),
                                       cmocka_unit_test(labels_golden),
                                       cmocka_unit_test(labels_are_exact),
                                       cmocka_unit_test(labels_in_bulk),
                                       cmocka_unit_test(bags),
                                       cmocka_unit_test(proportions),
                                       cmocka_unit_test(gram),
                                       cmocka_unit_test(wrong_keys),
                                       cmocka_unit_test(columns_of_runs),
                                       cmocka_unit_test(classes),
                                       cmocka_unit_test(predicted_otherwise),
                                       cmocka_unit_test(matrix_and_scores),
                                       cmocka_unit_test(weights_history),
                                       cmocka_unit_test(many_rows_of_clusters),
                                       cmocka_unit_test(classifiers_and_changes),
                                       cmocka_unit_test(stages),
                                       cmocka_unit_test(lines)};
    setlocale(LC_CTYPE, "C.UTF-8");
    return cmocka_run_group_tests(tests, make_moons, end_moons);
}
