/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The dashboard of mean field annealing and TSVM: the pane `loss`, J in the pane `objective`, and first labels in the
 * pane `labels`.
 */
#include "scene.h"

static talk t;
static drawing d;

static void start_session(const char *algo)
{
    if (t.s)
        talk_end(&t);
    scene_begin(&t);
    EXEC(&t, MOONS);
    EXEC(&t, TASK);
    EXEC(&t, algo);
}

static void assert_shows(const char *text)
{
    if (!strstr(d.text, text))
        fail_msg("\"%s\" is not in\n%s", text, d.text);
}

/* Rows of the area from the top at which a cell of this ink is in column c; -1: none. */
static int first_row(int column, int ink)
{
    for (int r = 0; r < d.area.rows; r++)
        if (d.canvas.cell[(d.area.row + r) * d.canvas.cols + d.area.col + column].style ==
            (wlab_style)(WL_S_INK1 + ink - 1))
            return r;
    return -1;
}

static void loss_deforms(void **state)
{
    wlab_scene s;
    int before = -1;
    (void)state;
    start_session("algo mfa kernel=rbf sigma=0.3x");
    s = scene_of(&t);
    assert_true(wlab_pane_fits(wlab_pane_find("loss"), &s));
    draw_pane(&d, &s, wlab_pane_find("loss"), 20, 60);
    assert_shows("nothing to draw yet");
    assert_string_equal(d.title, "loss at T=10.0");
    drawing_end(&d);
    for (int phase = 1; phase <= 7; phase += 3) {
        EXEC(&t, phase == 1 ? "finish" : "finish; finish; finish");
        s = scene_of(&t);
        draw_pane(&d, &s, wlab_pane_find("loss"), 24, 80);
        assert_shows("in margin");
        assert_shows("* T = ");
        assert_shows("tallest bar ");
        /* no higher than it must be: the hump of a cold loss, two shallow valleys included, fills the axis */
        assert_true(d.picture.figure.yhi == (phase == 1 ? 3 : phase == 4 ? 3 : 1.1));
        assert_shows(". last");
        if (phase > 1)
            assert_shows("- T = 10, first");
        /* Near the left edge, far outside the margin, the curve of the current loss must not rise from one phase to
         * the next, and in phase 7 it is below its value at o = 0. */
        int side = first_row(d.area.cols / 6, 1), middle = first_row(d.area.cols / 2, 1);
        assert_true(middle > 0 && middle < d.area.rows * 3 / 4);
        if (phase == 7)
            assert_true(side > middle);
        assert_true(side >= before);
        before = side;
        drawing_end(&d);
    }
    /* as in a terminal of 80 x 24: the hump and the whole legend are visible */
    draw_pane(&d, &s, wlab_pane_find("loss"), 9, 36);
    assert_shows(". last  - first  * now  # rows");
    assert_true(d.picture.figure.yhi == 1.1);
    drawing_end(&d);
    assert_non_null(strstr(s.mirror[0]->next, "lower T"));
    draw_any_size(&s, wlab_pane_find("loss"));
    draw_any_size(&s, wlab_pane_find("objective"));
    draw_pane(&d, &s, wlab_pane_find("objective"), 20, 80);
    for (int i = 0; i < d.picture.figure.nseries; i++)
        assert_non_null(strchr("*lJb", d.picture.figure.series[i].mark));
    assert_int_equal(d.picture.figure.nseries, 4);
    assert_shows("J_best");
    drawing_end(&d);
    /* The picture's range covers J and its lower bound, but not the objective, which at T = 10 is far below them. */
    const wlab_mirror *m = s.mirror[0];
    draw_pane(&d, &s, wlab_pane_find("objective"), 20, 80);
    assert_true(d.picture.figure.ylo > wlab_mirror_metric(m, 1, WL_R_OBJECTIVE));
    assert_true(d.picture.figure.ylo < wlab_mirror_metric(m, 1, WL_R_LOWER));
    assert_true(d.picture.figure.yhi >= wlab_mirror_metric(m, 1, WL_R_TARGET));
    drawing_end(&d);
}

/* The pane `labels` does not draw an instance's first label as a flip, although nflips counts it; it draws a label that
 * replaces another one. */
static void first_labels(void **state)
{
    (void)state;
    for (int a = 0; a < 2; a++) {
        start_session(a ? "algo mfa kernel=rbf sigma=0.3x" : "algo tsvm kernel=rbf sigma=0.3x");
        EXEC(&t, "step");
        for (int more = 0; more < 2; more++) {
            const wlab_trace_row *row;
            int64_t n = wlab_run_trace(wlab_session_run(t.s), &row);
            for (bool again = more; again; again = row[n - 1].nflips == 0) {
                EXEC(&t, "step");
                n = wlab_run_trace(wlab_session_run(t.s), &row);
                assert_true(row[n - 1].verdict == WL_MORE);
            }
            assert_true(row[n - 1].nflips > 0);
            wlab_scene s = scene_of(&t);
            draw_pane(&d, &s, wlab_pane_find("labels"), 40, 130);
            int cells = 0;
            for (int i = 0; i < (d.inner.row + d.inner.rows - 2) * d.canvas.cols;
                 i++) /* the legend is below */
                cells += d.canvas.cell[i].style == WL_S_FLIP_POSITIVE ||
                         d.canvas.cell[i].style == WL_S_FLIP_NEGATIVE;
            if ((cells > 0) != (more > 0))
                fail_msg("%d flips in\n%s", cells, d.text);
            drawing_end(&d);
        }
    }
}

static void loss_grows(void **state)
{
    wlab_layout l;
    bool there = false;
    (void)state;
    start_session("algo tsvm kernel=rbf sigma=0.3x");
    EXEC(&t, "continue until lambda_now > 0.3");
    wlab_scene s = scene_of(&t);
    draw_pane(&d, &s, wlab_pane_find("loss"), 24, 80);
    assert_string_equal(d.title, "loss at lambda'=0.328");
    const wlab_block *b = &d.picture.figure.block[0]; /* lambda' is about a third of its last value */
    for (int64_t i = 0; i < b->rows; i++)
        ASSERT_NEAR(b->value[4 * i + 1], b->value[4 * i + 3] * 0.32768, 1e-12);
    drawing_end(&d);
    wlab_layout_make(&l, &s, 60, 200, 0, -1, 0);
    for (int i = 0; i < l.places; i++)
        there = there || l.place[i].pane == wlab_pane_find("loss");
    assert_true(there);
    /* with two runs, pane `objective` has J and the lower bound of each, and pane `loss` the loss of the current run */
    EXEC(&t, "continue; algo mfa kernel=rbf sigma=0.3x; finish; finish; compare");
    s = scene_of(&t);
    assert_int_equal(s.mirrors, 2);
    draw_pane(&d, &s, wlab_pane_find("objective"), 24, 90);
    assert_int_equal(d.picture.figure.nseries, 4);
    assert_shows("a: l lower");
    drawing_end(&d);
    draw_pane(&d, &s, wlab_pane_find("loss"), 24, 90);
    assert_string_equal(d.title, "loss at T=6.67");
    drawing_end(&d);
    /* svm has no loss of unlabelled rows, so the pane does not fit it */
    EXEC(&t, "algo svm");
    s = scene_of(&t);
    assert_false(wlab_pane_fits(wlab_pane_find("loss"), &s));
}

static int teardown(void **state)
{
    (void)state;
    talk_end(&t);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(loss_deforms), cmocka_unit_test(first_labels),
                                       cmocka_unit_test(loss_grows)};
    return cmocka_run_group_tests(tests, NULL, teardown);
}
