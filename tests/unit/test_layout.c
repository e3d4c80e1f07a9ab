/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The layout at every size: nothing overlaps, everything is inside, every pane can be reached.
 */
#include "scene.h"

static talk t;

static const wlab_scene *moons(void)
{
    static wlab_scene s;
    if (!t.s) {
        scene_begin(&t);
        EXEC(&t, MOONS);
        EXEC(&t, TASK);
        EXEC(&t, LEARNS);
        EXEC(&t, "step 2");
        s = scene_of(&t);
    }
    return &s;
}

static bool inside(const wlab_rect *r, const wlab_rect *of)
{
    return r->rows >= 0 && r->cols >= 0 &&
           (r->rows == 0 ||
            (r->row >= of->row && r->col >= of->col && r->row + r->rows <= of->row + of->rows &&
             r->col + r->cols <= of->col + of->cols));
}

static bool overlap(wlab_rect a, wlab_rect b)
{
    return a.rows > 0 && b.rows > 0 && a.cols > 0 && b.cols > 0 && a.row < b.row + b.rows &&
           b.row < a.row + a.rows && a.col < b.col + b.cols && b.col < a.col + a.cols;
}

static void check_layout(const wlab_layout *l, int rows, int cols)
{
    wlab_rect all = {0, 0, rows, cols};
    const wlab_rect *line[] = {&l->header, &l->metrics, &l->next, &l->text, &l->prompt, &l->keys};
    int sum = 0;
    for (int i = 0; i < 6; i++) {
        assert_true(inside(line[i], &all));
        sum += line[i]->rows;
        for (int k = 0; k < i; k++)
            assert_false(overlap(*line[i], *line[k]));
        for (int k = 0; k < l->places; k++)
            assert_false(overlap(*line[i], l->place[k].rect));
    }
    assert_int_equal(l->prompt.rows, 1);
    assert_int_equal(l->text.row + l->text.rows, l->prompt.row); /* the text is right above the prompt */
    assert_true(l->places <= WL_MOST_PLACES);
    if (l->places) {
        assert_int_equal(sum + l->panes.rows, rows);
        long cells = 0;
        const wlab_rect down = {l->panes.row, 0, l->prompt.row - l->panes.row,
                                cols}; /* beside the log, too */
        for (int i = 0; i < l->places; i++) {
            wlab_rect r = l->place[i].rect, in = {r.row + 1, r.col + 1, r.rows - 2, r.cols - 2};
            assert_true(inside(&r, &down));
            assert_true(r.rows >= 3 && r.cols >= 12);
            cells += (long)(r.rows - 1) * (r.cols - 1);
            for (int k = 0; k < i; k++) {
                assert_false(overlap(in, l->place[k].rect)); /* they share only a line */
                assert_int_not_equal(l->place[i].pane, l->place[k].pane);
            }
        }
        const long beside =
            l->text.cols < cols ? (long)(down.rows - l->panes.rows) * (cols - 1 - l->text.cols) : 0;
        assert_int_equal(cells,
                         (long)(l->panes.rows - 1) * (l->panes.cols - 1) + beside); /* no gap between them */
    } else {
        assert_int_equal(sum, rows);
    }
}

static bool has_pane(const wlab_layout *l, int pane)
{
    for (int i = 0; i < l->places; i++)
        if (l->place[i].pane == pane)
            return true;
    return false;
}

static void every_size(void **state)
{
    (void)state;
    wlab_layout l;
    for (int rows = 1; rows <= 70; rows++)
        for (int cols = 1; cols <= 220; cols++) {
            wlab_layout_make(&l, moons(), rows, cols, 0, -1, 0);
            check_layout(&l, rows, cols);
            assert_int_equal(l.small, rows < 8 || cols < 40);
            assert_int_equal(l.small, l.places == 0);
            if (rows > 1)
                assert_int_equal(l.header.rows, 1);
            if (l.small)
                continue;
            assert_int_equal(l.next.rows, 1);
            assert_true(rows < 12 || has_pane(&l, wlab_pane_find("run")) || l.metrics.rows == 1);
            unsigned found = 0; /* turning the pages shows every pane */
            int columns = l.columns;
            for (int k = 0; k < columns; k++) {
                wlab_layout_make(&l, moons(), rows, cols, 0, -1, k - columns);
                for (int i = 0; i < l.places; i++)
                    found |= 1u << l.place[i].pane;
            }
            for (int p = 0; p < WL_PANES; p++)
                assert_true(!wlab_pane_fits(p, moons()) || found >> p & 1);
        }
}

/* The k-th of SUBSETS sets of hidden panes: none, each one alone, all, all but one, and random ones (there are too many to
 * try all). */
static unsigned hidden_set(int k, wlab_rng *rng)
{
    const unsigned all = (1u << WL_PANES) - 1;
    if (k < 2 * (WL_PANES + 1)) {
        const int p = k / 2 - 1;
        const unsigned one = p < 0 ? 0 : 1u << p;
        return k % 2 ? all & ~one : one;
    }
    return (unsigned)wlab_rng_below(rng, (uint64_t)all + 1);
}

static void hidden_and_zoomed(void **state)
{
    (void)state;
    enum {
        SUBSETS = 20000
    };
    wlab_rng rng;
    wlab_rng_seed(&rng, 1);
    static const int sizes[][2] = {{15, 60}, {24, 80}, {30, 100}, {40, 130}, {60, 200}, {70, 90}};
    wlab_layout l;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        int rows = sizes[k][0], cols = sizes[k][1];
        for (int subset = 0; subset < SUBSETS; subset++) {
            const unsigned hidden = hidden_set(subset, &rng);
            wlab_layout_make(&l, moons(), rows, cols, hidden, -1, subset % 5);
            check_layout(&l, rows, cols);
            for (int i = 0; i < l.places; i++)
                assert_false(hidden >> l.place[i].pane & 1);
            bool any = false;
            for (int p = 0; p < WL_PANES; p++)
                any = any || (!(hidden >> p & 1) && wlab_pane_fits(p, moons()));
            assert_int_equal(l.places == 0, !any);
        }
        for (int p = 0; p < WL_PANES; p++) {
            if (!wlab_pane_fits(p, moons())) /* such as loss, a pane of other algorithms */
                continue;
            wlab_layout_make(&l, moons(), rows, cols, 0, p, 0);
            check_layout(&l, rows, cols);
            assert_int_equal(l.places, 1);
            assert_int_equal(l.place[0].pane, p);
            assert_memory_equal(&l.place[0].rect, &l.panes, sizeof l.panes);
        }
        wlab_layout_make(&l, moons(), rows, cols, 0, 99, 0); /* no such pane */
        assert_true(l.places >= 1);
    }
}

/* Common sizes of terminals. */
static void known_sizes(void **state)
{
    (void)state;
    wlab_layout l;
    wlab_layout_make(&l, moons(), 30, 100, 0, -1, 0);
    assert_true(has_pane(&l, wlab_pane_find("boundary")) && has_pane(&l, wlab_pane_find("labels")) &&
                has_pane(&l, wlab_pane_find("objective")) && has_pane(&l, wlab_pane_find("gap")) &&
                has_pane(&l, wlab_pane_find("run")) && has_pane(&l, wlab_pane_find("weights")));
    assert_string_equal(l.more, "flips, violation");
    wlab_layout_make(&l, moons(), 60, 200, 0, -1, 0);
    for (int p = 0; p < WL_PANES; p++)
        assert_int_equal(has_pane(&l, p), wlab_pane_fits(p, moons()));
    assert_int_equal(l.columns, 1);
    assert_string_equal(l.more, "");
    wlab_layout_make(&l, moons(), 24, 80, 0, -1, 0);
    assert_int_equal(l.places, 3);
    assert_true(has_pane(&l, wlab_pane_find("boundary")) && has_pane(&l, wlab_pane_find("objective")) &&
                has_pane(&l, wlab_pane_find("gap")));
    assert_string_equal(l.more, "run, weights");
    assert_int_equal(l.text.rows, 3);
    wlab_layout_make(&l, moons(), 24, 80, 0, -1, 1);
    assert_true(has_pane(&l, wlab_pane_find("boundary")) && has_pane(&l, wlab_pane_find("run")) &&
                has_pane(&l, wlab_pane_find("weights")));
    wlab_layout_make(&l, moons(), 15, 60, 0, -1, 0);
    assert_int_equal(l.places, 1);
    assert_true(has_pane(&l, wlab_pane_find("boundary")));
    assert_int_equal(l.text.rows, 2);
}

/* Data that are not 2-D have no boundary but a projection; without a run there are few panes. */
static void other_scenes(void **state)
{
    (void)state;
    wlab_layout l;
    if (t.s)
        talk_end(&t);
    scene_begin(&t);
    wlab_scene s = scene_of(&t);
    wlab_layout_make(&l, &s, 30, 100, 0, -1, 0);
    check_layout(&l, 30, 100);
    assert_int_equal(l.places, 1);
    assert_int_equal(l.place[0].pane, wlab_pane_find("run"));
    assert_int_equal(l.metrics.rows, 0);
    EXEC(&t, MOONS);
    s = scene_of(&t);
    wlab_layout_make(&l, &s, 30, 100, 0, -1, 0);
    assert_true(has_pane(&l, wlab_pane_find("boundary")) && has_pane(&l, wlab_pane_find("run")));
    EXEC(&t, "generate g50c n=60 seed=1");
    EXEC(&t, "task ssl labeled=6");
    EXEC(&t, "algo wellsvm kernel=linear");
    s = scene_of(&t);
    for (int rows = 8; rows <= 70; rows += 3)
        for (int cols = 40; cols <= 220; cols += 7) {
            /* a pane that does not fit is not zoomed */
            wlab_layout_make(&l, &s, rows, cols, 0, wlab_pane_find("boundary"), 0);
            check_layout(&l, rows, cols);
            assert_false(has_pane(&l, wlab_pane_find("boundary")));
            assert_int_equal(l.place[0].pane, wlab_pane_find("projection"));
        }
    talk_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_size), cmocka_unit_test(hidden_and_zoomed),
                                       cmocka_unit_test(known_sizes), cmocka_unit_test(other_scenes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
