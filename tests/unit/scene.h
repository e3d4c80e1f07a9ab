/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The display of a dashboard without a terminal, from a real session: scenes, panes on a canvas, the canvas as text.
 */
#ifndef WEAKLAB_TESTS_SCENE_H
#define WEAKLAB_TESTS_SCENE_H

#include "rastered.h"
#include "talk.h"
#include "tui/panes/draw.h"

#define MOONS  "generate two-moons n=200 noise=0.08 seed=1"
#define TASK   "task ssl labeled=4 seed=1"
#define LEARNS "algo wellsvm kernel=rbf sigma=1x loss=hinge C1=1 C2=0.1"

static inline void scene_changed(void *self)
{
    (void)self; /* the session keeps mirrors only for a sink that has `changed` */
}

static inline void scene_begin(talk *t)
{
    wlab_sink sink = {.text = talk_text,
                      .message = talk_message,
                      .object = talk_object,
                      .self = t,
                      .changed = scene_changed};
    wlab_places places = {talk_nowhere, talk_nowhere, ".", talk_build, "/nowhere/of no body"};
    memset(t, 0, sizeof *t);
    t->objects = json_array();
    ASSERT_OK(wlab_session_create(&t->s, &sink, &places, 1, 1, &t->err), t->err);
}

/* The scene that the session would show now: its current run, then the other runs of the last comparison. */
static inline wlab_scene scene_of(talk *t)
{
    wlab_scene s = {.session = t->s, .settings = wlab_session_settings(t->s), .tints = true};
    wlab_run *run = wlab_session_run(t->s);
    int numbers[8], n = wlab_session_compared(t->s, numbers, 8);
    if (!run)
        return s;
    wlab_session_request_model(t->s, wlab_run_number(run));
    s.mirror[s.mirrors++] = wlab_session_mirror(t->s, wlab_run_number(run));
    for (int i = 0; i < n; i++)
        if (numbers[i] != wlab_run_number(run))
            s.mirror[s.mirrors++] = wlab_session_mirror(t->s, numbers[i]);
    return s;
}

typedef struct drawing {
    wlab_canvas canvas;
    wlab_picture picture;
    wlab_rect inner, area; /* area: of the raster, rows = 0: none */
    char title[100];
    char text[1 << 15]; /* the canvas */
} drawing;

static inline void drawing_end(drawing *d)
{
    wlab_canvas_clear(&d->canvas);
    wlab_figure_clear(&d->picture.figure);
    wlab_raster_clear(&d->picture.raster);
}

static inline void drawing_dump(drawing *d)
{
    wlab_buf b = {0};
    assert_int_equal(wlab_canvas_dump(&d->canvas, &b), WL_OK);
    snprintf(d->text, sizeof d->text, "%s", b.data ? (const char *)b.data : "");
    wlab_buf_clear(&b);
}

/* The picture of a view, as the dashboard requests it. */
static inline void drawing_picture(drawing *d, const wlab_scene *s, const wlab_pane *pane, int columns)
{
    wlab_err err;
    wlab_view_run run[8];
    wlab_picture *p = &d->picture;
    memset(p, 0, sizeof *p);
    wlab_figure_init(&p->figure, false);
    if (!pane->view || !s->mirrors)
        return;
    wlab_view_request q = {.run = run,
                           .runs = pane->view->of & WL_VIEW_ONE ? 1 : s->mirrors,
                           .ctx = wlab_session_ctx(s->session),
                           .live = true,
                           .columns = columns};
    for (int i = 0; i < q.runs; i++) {
        wlab_run *shown = wlab_session_run_numbered(s->session, s->mirror[i]->number);
        assert_non_null(shown);
        run[i] = wlab_view_run_of(shown);
    }
    if (wlab_view_draw(pane->view, &p->figure, &q, &err)) {
        snprintf(p->why, sizeof p->why, "%.190s", err.message);
        return;
    }
    p->has_figure = true;
}

/* Draws a pane and its frame on a canvas that has no other pane. again: use the figure of the last call, which may
 * have been made for another size. */
static inline void draw_pane_with(drawing *d, const wlab_scene *s, int pane, int rows, int cols, bool again)
{
    wlab_err err;
    const wlab_pane *p = wlab_panes[pane];
    ASSERT_OK(wlab_canvas_resize(&d->canvas, rows, cols, &err), err);
    wlab_canvas_frame(&d->canvas, NULL, "", false, s->ascii, &d->inner);
    if (!again)
        drawing_picture(d, s, p, cols > 8 ? cols - 8 : 1);
    memset(&d->area, 0, sizeof d->area);
    wlab_raster_clear(&d->picture.raster);
    if (d->picture.has_figure) {
        p->plot_area(s, &d->picture, &d->inner, &d->area);
        if (d->area.rows > 0 && d->area.cols > 0)
            ASSERT_OK(raster_draw(&d->picture.figure, d->area.cols, d->area.rows, s->ascii,
                                  &d->picture.raster, &err),
                      err);
    }
    p->title(s, &d->picture, d->title, sizeof d->title);
    wlab_canvas_frame(&d->canvas, NULL, d->title, false, s->ascii, &d->inner);
    p->draw(s, &d->picture, &d->canvas, &d->inner);
    drawing_dump(d);
}

static inline void draw_pane(drawing *d, const wlab_scene *s, int pane, int rows, int cols)
{
    memset(&d->canvas, 0, sizeof d->canvas);
    draw_pane_with(d, s, pane, rows, cols, false);
}

/* How many cells of the canvas have this style. */
static inline int cells_of(const drawing *d, wlab_style style)
{
    int n = 0;
    for (int i = 0; i < d->canvas.rows * d->canvas.cols; i++)
        n += d->canvas.cell[i].style == style;
    return n;
}

/* Draws a pane at many sizes, also in ASCII.  It draws nothing over the left, right and bottom edge of its frame.  With
 * at least 3 rows and 12 columns it shows something. */
static inline void draw_any_size(const wlab_scene *scene, int pane)
{
    drawing d;
    draw_pane(&d, scene, pane, 30, 100);
    for (int k = 0; k < 2; k++)
        for (int rows = 1; rows <= 40; rows += rows < 14 ? 1 : 5)
            for (int cols = 1; cols <= 120; cols += cols < 30 ? 1 + SANITIZED : 11) {
                wlab_scene s = *scene;
                s.ascii = k == 1;
                draw_pane_with(&d, &s, pane, rows, cols, true);
                for (int i = 0; i < rows * cols; i++) {
                    int row = i / cols, col = i % cols;
                    wlab_glyph g = d.canvas.cell[i];
                    assert_true(g.style < WL_STYLES);
                    if (s.ascii)
                        assert_in_range(g.ch, ' ', '~');
                    if (rows >= 2 && cols >= 2 && (col == 0 || col == cols - 1 || row == rows - 1))
                        assert_int_equal(g.style, WL_S_FRAME);
                }
                if (rows < 3 || cols < 12)
                    continue;
                int written = 0; /* at these sizes a pane is never empty */
                for (int i = 0; i < d.inner.rows * d.inner.cols; i++)
                    written +=
                        d.canvas
                            .cell[(d.inner.row + i / d.inner.cols) * cols + d.inner.col + i % d.inner.cols]
                            .ch != L' ';
                assert_true(written > 0);
            }
    drawing_end(&d);
}

#endif
