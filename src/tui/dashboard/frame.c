/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A frame of the dashboard: lay out the panes, request new pictures for stale ones, draw every pane on the canvas,
 * and write the canvas to the screen.
 */
#include "tui/dashboard/frame.h"
#include "tui/dashboard/screen.h"
#include "tui/dashboard/theme.h"
#include "tui/panes/draw.h"
#include "tui/prompt/editor.h"
#include "tui/wrap.h"
#include <stdio.h>
#include <string.h>

void wlab_frame_forget(wlab_pane_picture *p)
{
    if (p->shown.has_figure)
        wlab_figure_clear(&p->shown.figure);
    if (p->requested)
        wlab_figure_clear(&p->pending);
    wlab_raster_clear(&p->shown.raster);
    *p = (wlab_pane_picture){.serial = -1};
}

/* ---- the scene ---- */

void wlab_frame_refresh(wlab_dashboard *d)
{
    wlab_scene *s = &d->scene;
    wlab_run *run = wlab_session_run(d->session);
    int numbers[8], n = 0, current = run ? wlab_run_number(run) : -1;

    *s = (wlab_scene){.session = d->session,
                      .settings = wlab_session_settings(d->session),
                      .ascii = !wlab_screen_has_utf8(),
                      .tints = wlab_theme_tints(),
                      .captions = (int)wlab_textlog_rows(d->said, d->canvas.cols),
                      .command = wlab_session_running(d->session) && d->command[0] ? d->command : NULL,
                      .stopping =
                          wlab_session_running(d->session) && wlab_interrupted(wlab_session_ctx(d->session))};
    if (!run)
        return;
    s->mirror[0] = wlab_session_mirror(d->session, current);
    s->mirrors = s->mirror[0] != NULL;
    n = s->mirrors ? wlab_session_compared(d->session, numbers, 8) : 0;
    for (int i = 0; i < n && s->mirrors < 8; i++) {
        const wlab_mirror *m = numbers[i] == current ? NULL : wlab_session_mirror(d->session, numbers[i]);
        if (m)
            s->mirror[s->mirrors++] = m;
    }
}

/* The state that the pictures show, as a number: it changes when any mirror of the scene changes. */
static int64_t serial_of(const wlab_scene *s)
{
    uint64_t sum = (uint64_t)s->mirrors * 4 + (uint64_t)wlab_params_choice(s->settings, "marks");

    for (int i = 0; i < s->mirrors; i++)
        sum = sum * 1000003 + (uint64_t)s->mirror[i]->serial * 31 + (uint64_t)s->mirror[i]->number +
              (s->mirror[i]->model ? (uint64_t)s->mirror[i]->model_serial * 7 : 0);
    return (int64_t)(sum >> 1);
}

/* ---- pictures ---- */

bool wlab_frame_may_draw(wlab_dashboard *d)
{
    if (d->job_began <= 0)
        return true;
    return wlab_live_may(d->live, wlab_seconds_now() - d->job_began,
                         (int)wlab_params_int(wlab_session_settings(d->session), "threads"));
}

static void make_picture(wlab_dashboard *d, int i, const wlab_rect *area)
{
    wlab_pane_picture *p = &d->pane[i];
    wlab_view_run runs[8];
    wlab_view_request q = {.run = runs,
                           .runs = d->scene.mirrors,
                           .ctx = wlab_session_ctx(d->session),
                           .vs = p->vs,
                           .marks = (wlab_marks)wlab_params_choice(d->scene.settings, "marks")};
    wlab_figure f;
    wlab_err err = {0};
    int64_t serial = serial_of(&d->scene);

    if (p->requested || (p->serial == serial && p->columns == area->cols && p->rows == area->rows))
        return;
    if (!d->may_draw && p->shown.has_figure && p->columns == area->cols && p->rows == area->rows)
        return;
    p->serial = serial;
    p->columns = area->cols;
    p->rows = area->rows;
    const unsigned of = wlab_panes[i]->view->of;
    if ((of & (WL_VIEW_MODEL | WL_VIEW_PROBE)) && d->scene.mirrors) {
        int number = d->scene.mirror[0]->number;
        wlab_view_prepare(wlab_panes[i]->view, d->session, number);
        d->scene.mirror[0] = wlab_session_mirror(d->session, number);
        if (!d->scene.mirror[0])
            return;
        p->serial = serial_of(&d->scene);
    }
    for (int r = 0; r < d->scene.mirrors; r++)
        runs[r] = wlab_view_run_of_mirror(d->scene.mirror[r]);
    if (of & WL_VIEW_ONE)
        q.runs = q.runs > 0;
    q.live = true;
    q.columns = area->cols;
    q.rows = area->rows;
    q.grid_x = area->cols < 80 ? area->cols : 80;
    q.grid_y = area->rows < 48 ? area->rows : 48;
    wlab_figure_init(&f, false);
    if (!q.runs || wlab_view_draw(wlab_panes[i]->view, &f, &q, &err)) {
        wlab_figure_clear(&f);
        if (p->shown.has_figure)
            wlab_figure_clear(&p->shown.figure);
        p->shown.has_figure = false;
        wlab_raster_clear(&p->shown.raster);
        snprintf(p->shown.why, sizeof p->shown.why, "%.199s",
                 q.runs ? err.message : "no run yet: `generate`, `task`, `algo`; or `lesson`");
        return;
    }
    p->pending = f;
    p->requested = true;
    if (wlab_live_request(d->live, i, &p->pending, area->cols, area->rows, d->scene.ascii, &err)) {
        wlab_figure_clear(&p->pending);
        p->requested = false;
    }
}

void wlab_frame_accept(wlab_dashboard *d, int i, wlab_raster *raster)
{
    wlab_pane_picture *p = &d->pane[i];

    if (i < 0 || i >= d->panes || !p->requested) {
        wlab_raster_clear(raster);
        return;
    }
    if (p->shown.has_figure)
        wlab_figure_clear(&p->shown.figure);
    wlab_raster_clear(&p->shown.raster);
    p->shown.figure = p->pending;
    p->shown.has_figure = true;
    p->shown.raster = *raster;
    p->shown.raster_columns = p->columns;
    p->shown.raster_rows = p->rows;
    p->shown.why[0] = '\0';
    p->requested = false;
    memset(&p->pending, 0, sizeof p->pending);
    d->dirty = true;
}

/* ---- drawing ---- */

static void draw_pane(wlab_dashboard *d, int at)
{
    const wlab_slot_place *place = &d->layout.place[at];
    const wlab_pane *pane = wlab_panes[place->pane];
    wlab_pane_picture *p = &d->pane[place->pane];
    char title[200] = "";
    wlab_rect inner, area;

    pane->title(&d->scene, &p->shown, title, sizeof title);
    wlab_canvas_frame(&d->canvas, &place->rect, title, at == d->focus && d->layout.places > 1, d->scene.ascii,
                      &inner);
    if (pane->view && inner.rows > 0 && inner.cols > 0) {
        pane->plot_area(&d->scene, &p->shown, &inner, &area);
        if (area.rows > 0 && area.cols > 0)
            make_picture(d, place->pane, &area);
    }
    if (inner.rows > 0 && inner.cols > 0)
        pane->draw(&d->scene, &p->shown, &d->canvas, &inner);
}

/* The line being typed, scrolled so that its cursor is visible.  Sets the cursor's place. */
static void draw_line(wlab_dashboard *d, int *row, int *col)
{
    const wlab_rect *r = &d->layout.prompt;
    wlab_rect last = {r->row + r->rows - 1, r->col, 1, r->cols};
    const char *prompt, *line;
    size_t point;
    int before = 0, at;
    wchar_t wide[REACH + 1024]; /* more than any terminal is wide */
    size_t n = 0, cursor = 0;
    mbstate_t state = {0};

    wlab_editor_view(&prompt, &line, &point);
    for (int k = 0; k < last.cols; k++)
        wlab_canvas_put(&d->canvas, &last, 0, k, L' ', WL_S_TEXT);
    before = wlab_canvas_text(&d->canvas, &last, 0, 0, WL_S_STRONG, "%s", prompt);
    const char *start = line + (point > REACH ? point - REACH : 0), *end = line + strlen(line);
    while (start > line && ((unsigned char)*start & 0xc0) == 0x80) /* do not start inside a character */
        start++;
    for (const char *p = start; *p && n + 1 < sizeof wide / sizeof *wide;) {
        wchar_t c;
        size_t used = mbrtowc(&c, p, (size_t)(end - p), &state);
        if ((size_t)(p - line) == point)
            cursor = n;
        if (used == 0 || used > 16) { /* a byte that is no character */
            memset(&state, 0, sizeof state);
            c = L'?';
            used = 1;
        }
        wide[n++] = c;
        p += used;
        if ((size_t)(p - line) <= point)
            cursor = n;
    }
    /* choose the first character so that the prompt, the text up to the cursor, and one more column fit */
    size_t first = 0;
    int width = 0, free_cols = last.cols - before - 1;
    for (size_t i = cursor; i > 0; i--) {
        int w = wcwidth(wide[i - 1]);
        width += w < 0 ? 2 : w;
        if (width > free_cols) {
            first = i;
            break;
        }
    }
    at = before;
    *row = last.row;
    *col = last.col + at;
    for (size_t i = first; i <= n; i++) {
        if (i == cursor)
            *col = last.col + at;
        if (i == n)
            break;
        int w = wcwidth(wide[i]);
        if (w < 0) { /* a control character, as readline shows it */
            wlab_canvas_put(&d->canvas, &last, 0, at++, L'^', WL_S_DIM);
            wlab_canvas_put(&d->canvas, &last, 0, at++, (wchar_t)((wide[i] & 31) + 64), WL_S_DIM);
        } else if (w > 0 && at + w <= last.cols) {
            wlab_canvas_put(&d->canvas, &last, 0, at, wide[i], WL_S_TEXT);
            at += w;
        } else if (w > 0) {
            break;
        }
    }
    if (first > 0 || start > line)
        wlab_canvas_put(&d->canvas, &last, 0, before, L'<', WL_S_DIM);
}

/* Draw text at the right end and shorten *r to the rest of the line. */
static void draw_right(wlab_dashboard *d, wlab_rect *r, const char *text)
{
    int col = r->cols - (int)strlen(text) - 2;
    if (col < r->cols / 3)
        return;
    wlab_canvas_text(&d->canvas, r, 0, col, WL_S_DIM, " %s ", text);
    r->cols = col;
}

/* A hint that does not fit continues over the log's first line: the hint is what matters now. */
static void draw_hint(wlab_dashboard *d)
{
    const wlab_rect *at[] = {&d->layout.next, &d->layout.text};
    char *text = wlab_wrap(d->hint, d->layout.next.cols), *line = text;

    for (int k = 0; k < 2 && line && at[k]->rows > 0; k++) {
        char *end = strchr(line, '\n');
        if (end)
            *end = '\0';
        for (int col = 0; col < at[k]->cols; col++)
            wlab_canvas_put(&d->canvas, at[k], 0, col, L' ', WL_S_TEXT);
        wlab_canvas_text(&d->canvas, at[k], 0, 0, WL_S_NEXT, "%s", line);
        line = end ? end + 1 : NULL;
    }
    wlab_free(text);
}

/* The log shows only a part of the newest answer, and nothing covers the panes. */
static bool answer_is_cut(const wlab_dashboard *d)
{
    return !d->reading && !d->answering && d->layout.text.rows > 0 &&
           wlab_textlog_rows(d->reader, d->layout.text.cols) > d->layout.text.rows;
}

static void draw_keys(wlab_dashboard *d)
{
    const wlab_rect *r = &d->layout.keys;
    int at = 0;

    if (r->rows < 1)
        return;
    for (const wlab_hint_key *k = d->keys; k && k->name; k++) {
        at += wlab_canvas_text(&d->canvas, r, 0, at, WL_S_KEY, "%s", k->name);
        at += wlab_canvas_text(&d->canvas, r, 0, at, WL_S_DIM, " %s ", k->does) + 1;
    }
    if (d->keys) /* other keys do nothing */
        return;
    if (wlab_keys_are_single())
        at += wlab_canvas_text(&d->canvas, r, 0, at, WL_S_RUNNING, " SINGLE KEY, q ends ") + 1;
    for (const wlab_key *k = wlab_keys; k->meaning; k++) {
        char name[8];
        if (!k->label || (!d->scene.mirrors && !k->always))
            continue; /* without a run there is nothing to step */
        if (wlab_keys_are_single() && k->letter)
            snprintf(name, sizeof name, "%c", k->letter);
        else
            snprintf(name, sizeof name, "%s", k->name);
        const char *label = k->label;
        if (k->act == WL_ACT_COLUMN) {
            if (d->layout.columns < 2)
                continue;
            label = d->layout.more;
        }
        if (at + (int)strlen(name) + 1 + (int)strlen(label) > r->cols)
            continue;
        at += wlab_canvas_text(&d->canvas, r, 0, at, WL_S_KEY, "%s", name);
        at += wlab_canvas_text(&d->canvas, r, 0, at, WL_S_DIM, " %s ", label) + 1;
    }
}

/* Draw a running command's progress panel in place of the panes. */
static void draw_panel(wlab_dashboard *d, const wlab_progress_panel *panel)
{
    wlab_rect inner;
    wlab_buf text = {0};
    int row = 0;

    wlab_canvas_frame(&d->canvas, &d->layout.panes, panel->name, true, d->scene.ascii, &inner);
    if (inner.rows > 0 && inner.cols > 0)
        panel->draw(panel->self, inner.rows, inner.cols, &text);
    for (char *line = (char *)text.data; line && *line && row < inner.rows; row++) {
        size_t len = strcspn(line, "\n");
        bool more = line[len] == '\n';
        line[len] = '\0';
        wlab_canvas_text(&d->canvas, &inner, row, 0, row == 1 ? WL_S_STRONG : WL_S_TEXT, "%s", line);
        line += len + more;
    }
    wlab_buf_clear(&text);
}

/* If not all panes fit, turn to the page with the requested pane, however much space other things take. */
static void make_layout(wlab_dashboard *d, int rows, int cols)
{
    wlab_layout_make(&d->layout, &d->scene, rows, cols, d->hidden, d->zoom, d->column);
    for (int turns = 0; d->requested >= 0 && turns < d->layout.columns; turns++) {
        for (int i = 0; i < d->layout.places; i++)
            if (d->layout.place[i].pane == d->requested)
                return;
        wlab_layout_make(&d->layout, &d->scene, rows, cols, d->hidden, d->zoom, ++d->column);
    }
}

/* At a stop of a script: what informing commands answered since the last one replaces the panes, if the log has no room for
 * it; otherwise a key can show all that was printed since then. */
static void open_answer(wlab_dashboard *d)
{
    if (!d->offered)
        return;
    d->offered = false;
    const bool opens =
        d->layout.text.rows > 0 && wlab_textlog_rows(d->answer, d->layout.text.cols) > d->layout.text.rows;
    wlab_textlog **shown = opens ? &d->answer : &d->since, *swapped = d->reader;
    d->reader = *shown;
    *shown = swapped;
    wlab_textlog_begin(d->reader);
    d->reading = d->reading || opens;
    wlab_textlog_empty(d->answer);
    wlab_textlog_empty(d->since);
}

void wlab_frame_draw(wlab_dashboard *d)
{
    int rows, cols, row = -1, col = 0;
    const wlab_progress_panel *panel = wlab_session_progress_panel(d->session);
    const char *theme = wlab_params_text(wlab_session_settings(d->session), "theme");
    wlab_err err = {0};

    double began = wlab_thread_seconds();

    if (!wlab_session_running(d->session)) {
        d->running[0] = '\0';
        d->job_began = 0;
    }
    d->dirty = d->line_dirty = false;
    d->drawn_at = wlab_seconds_now();
    d->may_draw = wlab_frame_may_draw(d);
    if (d->colors && strcmp(theme, d->theme) != 0) {
        snprintf(d->theme, sizeof d->theme, "%s", theme);
        (void)wlab_screen_theme(theme, NULL);
        wlab_screen_again();
    }
    wlab_screen_size(&rows, &cols);
    if (wlab_canvas_resize(&d->canvas, rows, cols, &err))
        return;
    wlab_frame_refresh(d);
    make_layout(d, rows, cols);
    open_answer(d);
    if (d->focus >= d->layout.places)
        d->focus = 0;
    if (d->layout.header.rows > 0)
        wlab_pane_header(&d->scene, &d->canvas, &d->layout.header);
    if (d->reading) {
        wlab_rect all = d->layout.panes, inner;
        wlab_canvas_frame(&d->canvas, &all, "answer   PgUp PgDn scroll, Esc closes", true, d->scene.ascii,
                          &inner);
        wlab_textlog_draw(d->reader, &d->canvas, &inner);
    } else if (panel) {
        draw_panel(d, panel);
    } else {
        for (int i = 0; i < d->layout.places; i++)
            if (i != d->focus)
                draw_pane(d, i);
        if (d->layout.places > 0) /* drawn last: neighbours share the lines of their frames */
            draw_pane(d, d->focus);
    }
    if (d->layout.captions.rows > 0)
        wlab_textlog_draw(d->said, &d->canvas, &d->layout.captions);
    bool shared = d->reading && d->layout.text.row == d->layout.panes.row; /* a small screen */
    if (d->layout.text.rows > 0 && !shared)
        wlab_textlog_draw(d->log, &d->canvas, &d->layout.text);
    if (d->layout.next.rows > 0) {
        wlab_rect next = d->layout.next;
        if (answer_is_cut(d) && !d->hint[0] && !d->running[0])
            draw_right(d, &next, "C-x r: the whole answer");
        if (d->hint[0])
            draw_hint(d);
        else
            wlab_pane_next(&d->scene, &d->canvas, &next, d->running[0] ? d->running : NULL);
    }
    if (d->layout.metrics.rows > 0)
        wlab_pane_metrics(&d->scene, &d->canvas, &d->layout.metrics);
    draw_keys(d);
    draw_line(d, &row, &col);
    wlab_screen_put(&d->canvas, row, col);
    wlab_live_charge(d->live, wlab_thread_seconds() - began);
}

void wlab_frame_line(wlab_dashboard *d)
{
    int row, col;

    d->line_dirty = false;
    d->line_at = wlab_seconds_now();
    if (!d->canvas.cell)
        return;
    draw_line(d, &row, &col);
    wlab_screen_put(&d->canvas, row, col);
}
