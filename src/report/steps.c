/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The frames of a stretch of steps.  A copy of the run travels from its last step to the earlier ones, so the run itself,
 * and what the session does next, remain as they are.
 */
#include "report/report.h"

#include <string.h>

enum {
    EXPLAINED = 2000,
    WIDTH = 800, /* of a picture in a page, where two stand side by side */
    HEIGHT = 560
};

wlab_code wlab_report_draw(const wlab_report *r, const wlab_figure *f, wlab_buf *picture, wlab_ctx *ctx,
                           wlab_err *err)
{
    if (r->format->image == WL_SVG)
        return wlab_render_svg(f, WIDTH, HEIGHT, ctx ? ctx->interrupt : NULL, picture, err);
    return wlab_render(f, r->format->image, NULL, NULL, 0, ctx ? ctx->interrupt : NULL, picture, err);
}

/* Draws the view of the run as it is; *drawn is false if there is nothing to draw. */
static wlab_code draw_view(const wlab_report *r, const wlab_view *view, const wlab_run *run,
                           wlab_buf *picture, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_view_run of = wlab_view_run_of(run);
    const wlab_view_request request = {.run = &of, .runs = 1, .ctx = ctx, .grid_x = 80, .grid_y = 60};
    wlab_figure f;

    wlab_figure_init(&f, false);
    wlab_code code = wlab_view_draw(view, &f, &request, err);
    const bool drawn = !code;
    if (code == WL_ESTATE || code == WL_EARG) /* nothing to draw yet, or not of this run */
        code = WL_OK;
    if (!code && drawn)
        code = wlab_report_draw(r, &f, picture, ctx, err);
    wlab_figure_clear(&f);
    return code;
}

/* Without views= and panes of the script: where the rows lie, if that can be drawn, and the objective. */
static int usual_views(const wlab_run *run, const wlab_view **view)
{
    const bool plane = wlab_run_problem(run)->X->cols == 2;

    view[0] = wlab_view_find(plane ? "boundary" : "projection");
    view[1] = wlab_view_find("objective");
    return 2;
}

static int64_t step_of_frame(int64_t from, int64_t to, int k, int frames)
{
    return to - (to - from - 1) * (frames - 1 - k) / (frames > 1 ? frames - 1 : 1);
}

static wlab_code draw_frame(const wlab_report *r, wlab_frame *frame, const wlab_run *run,
                            const wlab_view *const *view, int views, wlab_ctx *ctx, wlab_err *err)
{
    char text[EXPLAINED];
    wlab_code code = WL_OK;

    frame->iter = wlab_run_iter(run);
    wlab_session_explain(run, text, sizeof text);
    frame->explanation = wlab_strdup(text);
    if (!frame->explanation)
        return wlab_nomem(err);
    for (int v = 0; v < views && !code; v++)
        code = draw_view(r, view[v], run, &frame->picture[v], ctx, err);
    return code;
}

/* Leaves out the views that no frame could draw. */
static void drop_empty(wlab_item *item, const wlab_view **view)
{
    int kept = 0;

    for (int v = 0; v < item->views; v++) {
        bool some = false;
        for (int k = 0; k < item->frames; k++)
            some = some || item->frame[k].picture[v].len > 0;
        if (!some)
            continue;
        view[kept] = view[v];
        for (int k = 0; k < item->frames && kept < v; k++) {
            item->frame[k].picture[kept] = item->frame[k].picture[v];
            item->frame[k].picture[v] = (wlab_buf){0};
        }
        kept++;
    }
    item->views = kept;
}

wlab_code wlab_report_steps(wlab_report *r, const wlab_run *run, int64_t from, const wlab_view *const *asked,
                            int n, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_view *view[WL_REPORT_VIEWS] = {NULL};
    const int64_t to = wlab_run_iter(run);
    const int64_t all = r->format->moves ? to - from : 1;
    wlab_item *item = wlab_report_add(r, WL_ITEM_STEPS);
    wlab_run *copy = NULL;
    wlab_code code;

    if (!item)
        return wlab_nomem(err);
    item->views = n > 0 ? n : usual_views(run, view);
    if (n > 0)
        memcpy(view, asked, (size_t)n * sizeof *view);
    item->frames = (int)(all < WL_REPORT_FRAMES ? all : WL_REPORT_FRAMES);
    item->frame = wlab_calloc((size_t)item->frames, sizeof *item->frame);
    if (!item->frame) {
        item->frames = 0;
        return wlab_nomem(err);
    }
    code = wlab_run_fork(&copy, run, wlab_run_name(run), wlab_run_number(run), ctx, err);
    for (int k = item->frames - 1; k >= 0 && !code; k--) {
        const int64_t iter = item->frames > 1 ? step_of_frame(from, to, k, item->frames) : to;
        if (iter < wlab_run_iter(copy))
            code = wlab_run_goto(copy, iter, ctx, err);
        code = code ? code : draw_frame(r, &item->frame[k], copy, view, item->views, ctx, err);
    }
    wlab_run_destroy(copy);
    if (code)
        return code;
    drop_empty(item, view);
    for (int v = 0; v < item->views && !code; v++)
        code = wlab_buf_printf(&item->text, "%s%s",
                               v == 0                ? ""
                               : v + 1 < item->views ? ", "
                                                     : " and ",
                               view[v]->name);
    return code ? wlab_nomem(err) : WL_OK;
}
