/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the dashboard shows of mean field annealing and TSVM: the pane `loss`, and J in the pane `objective`.
 */
#include "scene.h"

static talk t;
static drawing d;

static void begin(const char *algo)
{
    if (t.s)
        talk_end(&t);
    scene_begin(&t);
    TELL(&t, MOONS);
    TELL(&t, TASK);
    TELL(&t, algo);
}

static void shows(const char *text)
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
    begin("algo mfa kernel=rbf sigma=0.3x");
    s = scene_of(&t);
    assert_true(wlab_pane_fits(wlab_pane_find("loss"), &s));
    draw_pane(&d, &s, wlab_pane_find("loss"), 20, 60);
    shows("nothing to draw yet");
    assert_string_equal(d.title, "loss by output: T=10.0");
    drawing_end(&d);
    for (int phase = 1; phase <= 7; phase += 3) {
        TELL(&t, phase == 1 ? "finish" : "finish; finish; finish");
        s = scene_of(&t);
        draw_pane(&d, &s, wlab_pane_find("loss"), 24, 80);
        shows("in margin");
        shows("* now");
        shows(". TSVM");
        if (phase > 1)
            shows("- first");
        /* the loss of now far outside the margin: ever lower; at o = 0 it stays */
        int side = first_row(d.area.cols / 6, 1), middle = first_row(d.area.cols / 2, 1);
        assert_true(middle > 0 && middle < d.area.rows * 3 / 4);
        if (phase == 7)
            assert_true(side > middle);
        assert_true(side >= before);
        before = side;
        drawing_end(&d);
    }
    draw_pane(&d, &s, wlab_pane_find("loss"), 9,
              36); /* as at 80 x 24: the hump is to be seen, and the whole legend */
    shows(". TSVM  - first  * now  # rows");
    assert_true(d.picture.figure.yhi == 1.5);
    drawing_end(&d);
    assert_non_null(strstr(s.mirror[0]->next, "lower T"));
    draw_any_size(&s, wlab_pane_find("loss"));
    draw_any_size(&s, wlab_pane_find("objective"));
    draw_pane(&d, &s, wlab_pane_find("objective"), 20, 80);
    for (int i = 0; i < d.picture.figure.nseries; i++)
        assert_non_null(strchr("*lJb", d.picture.figure.series[i].mark));
    assert_int_equal(d.picture.figure.nseries, 4);
    shows("J_best");
    drawing_end(&d);
    /* the picture's range is J's, which the objective at T = 10 is far below */
    const wlab_mirror *m = s.mirror[0];
    draw_pane(&d, &s, wlab_pane_find("objective"), 20, 80);
    assert_true(d.picture.figure.ylo > wlab_mirror_metric(m, 1, WL_R_OBJECTIVE));
    assert_true(d.picture.figure.ylo < wlab_mirror_metric(m, 1, WL_R_LOWER));
    assert_true(d.picture.figure.yhi >= wlab_mirror_metric(m, 1, WL_R_TARGET));
    drawing_end(&d);
}

/* A row's first label is no flip; one that it gets in place of another is. */
static void first_labels(void **state)
{
    (void)state;
    for (int a = 0; a < 2; a++) {
        begin(a ? "algo mfa kernel=rbf sigma=0.3x" : "algo tsvm kernel=rbf sigma=0.3x");
        TELL(&t, "step");
        for (int more = 0; more < 2; more++) {
            const wlab_trace_row *row;
            int64_t n = wlab_run_trace(wlab_session_run(t.s), &row);
            for (bool again = more; again; again = row[n - 1].nflips == 0) {
                TELL(&t, "step");
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
    begin("algo tsvm kernel=rbf sigma=0.3x");
    TELL(&t, "continue until lambda_now > 0.3");
    wlab_scene s = scene_of(&t);
    draw_pane(&d, &s, wlab_pane_find("loss"), 24, 80);
    assert_string_equal(d.title, "loss by output: lambda'=0.328");
    const wlab_block *b = &d.picture.figure.block[0]; /* a third of the last */
    for (int64_t i = 0; i < b->rows; i++)
        ASSERT_NEAR(b->value[4 * i + 1], b->value[4 * i + 3] * 0.32768, 1e-12);
    drawing_end(&d);
    wlab_layout_make(&l, &s, 60, 200, 0, -1, 0);
    for (int i = 0; i < l.places; i++)
        there = there || l.place[i].pane == wlab_pane_find("loss");
    assert_true(there);
    /* two runs: J and the bound of each; the loss of the current one */
    TELL(&t, "continue; algo mfa kernel=rbf sigma=0.3x; finish; finish; compare");
    s = scene_of(&t);
    assert_int_equal(s.mirrors, 2);
    draw_pane(&d, &s, wlab_pane_find("objective"), 24, 90);
    assert_int_equal(d.picture.figure.nseries, 4);
    shows("a: l lower");
    drawing_end(&d);
    draw_pane(&d, &s, wlab_pane_find("loss"), 24, 90);
    assert_string_equal(d.title, "loss by output: T=6.67");
    drawing_end(&d);
    /* and none of an algorithm that has neither */
    TELL(&t, "algo svm");
    s = scene_of(&t);
    assert_false(wlab_pane_fits(wlab_pane_find("loss"), &s));
}

static int end(void **state)
{
    (void)state;
    talk_end(&t);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(loss_deforms), cmocka_unit_test(first_labels),
                                       cmocka_unit_test(loss_grows)};
    return cmocka_run_group_tests(tests, NULL, end);
}
