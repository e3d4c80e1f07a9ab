/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The dashboard.  A frame: lay out, ask for pictures that are stale, draw every pane on the canvas, put it on the
 * screen.  At most FRAMES a second; a typed character is shown at once, by drawing the prompt's lines alone.
 */
#include "tui/dashboard.h"
#include "plot/live.h"
#include "plot/plot.h"
#include "tui/editor.h"
#include "tui/pane.h"
#include "tui/screen.h"
#include "tui/terminal.h"
#include "tui/textlog.h"
#include "tui/theme.h"
#include "tui/wrap.h"
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    FRAMES = 20,
    LOG_LINES = 5000,
    CAPTIONS = 6,
    REACH = 1024,     /* bytes of the line before its cursor that are looked at */
    LEFT_BEHIND = 12, /* lines of the log that stay on the plain terminal */
    MOST_PANES = WL_LIVE_SLOTS - WL_LIVE_WINDOWS
};

typedef struct wlab_pane_state {
    wlab_picture shown;  /* a figure and the raster of it */
    wlab_figure waiting; /* the figure of the raster that was wished for */
    bool waits;
    int64_t serial;    /* of the mirrors when the last figure was made; -1: none */
    int columns, rows; /* and the room for it */
    int asked_columns, asked_rows;
} pane_state;

struct wlab_dashboard {
    wlab_session *session;
    wlab_loop *loop;
    wlab_live *live;
    bool colors;
    bool on;
    int told; /* lines of the log that are on the plain terminal already */

    wlab_canvas canvas;
    wlab_scene scene;
    wlab_layout layout;
    pane_state pane[MOST_PANES];
    int panes;

    wlab_textlog *log, *reader;
    wlab_textlog *said; /* captions in sight */
    bool stopped;       /* since the last of them: the next begins anew */
    bool reading;       /* the reader has the panes' room */
    bool answering;     /* a command is under way */
    bool did;           /* and it changed something: its answer is not all there is to see */
    bool presents;      /* a stop of presenter mode */
    int errors;         /* the pipe of what libraries write to standard error */

    unsigned hidden;
    int zoom, focus, column;
    char running[200], hint[240];
    char theme[16]; /* as it was set last */

    bool dirty;         /* a frame is due */
    bool windows_dirty; /* gnuplot's own windows may be stale */
    bool line_dirty;    /* the prompt's lines are */
    double line_at;     /* the line being typed, alone */
    double drawn_at;    /* the last frame, seconds */
    double job_began;   /* 0: the solver does not run */
    bool may;           /* pictures may be asked for in this frame */
};

static void forget_picture(pane_state *p)
{
    if (p->shown.has_figure)
        wlab_figure_clear(&p->shown.figure);
    if (p->waits)
        wlab_figure_clear(&p->waiting);
    wlab_raster_clear(&p->shown.raster);
    *p = (pane_state){.serial = -1};
}

bool wlab_dashboard_is_on(const wlab_dashboard *d)
{
    return d && d->on;
}

/* ---- the scene ---- */

static void look(wlab_dashboard *d)
{
    wlab_scene *s = &d->scene;
    wlab_run *run = wlab_session_run(d->session);
    int numbers[8], n = 0, current = run ? wlab_run_number(run) : -1;

    *s = (wlab_scene){.session = d->session,
                      .settings = wlab_session_settings(d->session),
                      .ascii = !wlab_screen_has_utf8(),
                      .tints = wlab_theme_tints(),
                      .captions = (int)wlab_textlog_rows(d->said, d->canvas.cols),
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

/* What the pictures are of: changes when any mirror of the scene does. */
static int64_t serial_of(const wlab_scene *s)
{
    uint64_t sum = (uint64_t)s->mirrors;

    for (int i = 0; i < s->mirrors; i++)
        sum = sum * 1000003 + (uint64_t)s->mirror[i]->serial * 31 + (uint64_t)s->mirror[i]->number +
              (s->mirror[i]->model ? (uint64_t)s->mirror[i]->model_serial * 7 : 0);
    return (int64_t)(sum >> 1);
}

/* ---- pictures ---- */

/* While the solver runs, drawing takes at most a hundredth of its time; a frame a second is always there, for the
 * seconds. */
static bool may_draw(wlab_dashboard *d)
{
    if (d->job_began <= 0)
        return true;
    return wlab_live_may(d->live, wlab_seconds_now() - d->job_began,
                         (int)wlab_params_int(wlab_session_settings(d->session), "threads"));
}

static bool frame_is_due(wlab_dashboard *d)
{
    double since = wlab_seconds_now() - d->drawn_at;
    return d->dirty && since >= 1.0 / FRAMES && (since >= 1 || may_draw(d));
}

static void make_picture(wlab_dashboard *d, int i, const wlab_rect *area)
{
    pane_state *p = &d->pane[i];
    wlab_view_run runs[8];
    wlab_view_request q = {.run = runs, .runs = d->scene.mirrors, .ctx = wlab_session_ctx(d->session)};
    wlab_figure f;
    wlab_err err = {0};
    int64_t serial = serial_of(&d->scene);

    if (p->waits || (p->serial == serial && p->columns == area->cols && p->rows == area->rows))
        return;
    if (!d->may && p->shown.has_figure && p->columns == area->cols && p->rows == area->rows)
        return;
    p->serial = serial;
    p->columns = area->cols;
    p->rows = area->rows;
    if (i == WL_PANE_BOUNDARY && d->scene.mirrors) {
        wlab_session_want_model(d->session, d->scene.mirror[0]->number);
        d->scene.mirror[0] = wlab_session_mirror(d->session, d->scene.mirror[0]->number);
        if (!d->scene.mirror[0])
            return;
        p->serial = serial_of(&d->scene);
    }
    for (int r = 0; r < d->scene.mirrors; r++)
        runs[r] = wlab_view_run_of_mirror(d->scene.mirror[r]);
    if (i == WL_PANE_BOUNDARY) /* of one run */
        q.runs = q.runs > 0;
    q.live = true;
    q.columns = area->cols;
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
    p->waiting = f;
    p->waits = true;
    p->asked_columns = area->cols;
    p->asked_rows = area->rows;
    if (wlab_live_wish(d->live, i, &p->waiting, area->cols, area->rows, d->scene.ascii, &err)) {
        wlab_figure_clear(&p->waiting);
        p->waits = false;
    }
}

/* Takes the raster. */
static void take_picture(wlab_dashboard *d, int i, wlab_raster *raster)
{
    pane_state *p = &d->pane[i];

    if (i < 0 || i >= d->panes || !p->waits) {
        wlab_raster_clear(raster);
        return;
    }
    if (p->shown.has_figure)
        wlab_figure_clear(&p->shown.figure);
    wlab_raster_clear(&p->shown.raster);
    p->shown.figure = p->waiting;
    p->shown.has_figure = true;
    p->shown.raster = *raster;
    p->shown.raster_columns = p->asked_columns;
    p->shown.raster_rows = p->asked_rows;
    p->shown.why[0] = '\0';
    p->waits = false;
    memset(&p->waiting, 0, sizeof p->waiting);
    d->dirty = true;
}

/* ---- drawing ---- */

static void draw_pane(wlab_dashboard *d, int at)
{
    const wlab_slot_place *place = &d->layout.place[at];
    const wlab_pane *pane = wlab_panes[place->pane];
    pane_state *p = &d->pane[place->pane];
    char title[200] = "";
    wlab_rect inner, area;

    pane->title(&d->scene, &p->shown, title, sizeof title);
    wlab_canvas_frame(&d->canvas, &place->rect, title, at == d->focus && d->layout.places > 1, d->scene.ascii,
                      &inner);
    if (pane->view >= 0 && inner.rows > 0 && inner.cols > 0) {
        pane->plot_area(&d->scene, &p->shown, &inner, &area);
        if (area.rows > 0 && area.cols > 0)
            make_picture(d, place->pane, &area);
    }
    if (inner.rows > 0 && inner.cols > 0)
        pane->draw(&d->scene, &p->shown, &d->canvas, &inner);
}

/* The line being typed, scrolled so that its cursor is seen.  Sets where that is. */
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
    while (start > line && ((unsigned char)*start & 0xc0) == 0x80) /* not in the middle of a character */
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
    /* the first character shown: so that prompt, text up to the cursor, and one more column fit */
    size_t first = 0;
    int width = 0, room = last.cols - before - 1;
    for (size_t i = cursor; i > 0; i--) {
        int w = wcwidth(wide[i - 1]);
        width += w < 0 ? 2 : w;
        if (width > room) {
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

static void draw_right(wlab_dashboard *d, const wlab_rect *r, const char *text)
{
    int col = r->cols - (int)strlen(text) - 1;
    if (col > r->cols / 3)
        wlab_canvas_text(&d->canvas, r, 0, col - 1, WL_S_DIM, " %s ", text);
}

static void draw_keys(wlab_dashboard *d)
{
    const wlab_rect *r = &d->layout.keys;
    int at = 0;

    if (r->rows < 1)
        return;
    if (d->presents) { /* other keys do nothing now */
        static const char *const key[][2] = {
            {"Space", "on, pause"}, {"Right", "one on"}, {"Left", "back"}, {"Enter", "take over"}};
        for (size_t i = 0; i < sizeof key / sizeof *key; i++) {
            at += wlab_canvas_text(&d->canvas, r, 0, at, WL_S_KEY, "%s", key[i][0]);
            at += wlab_canvas_text(&d->canvas, r, 0, at, WL_S_DIM, " %s ", key[i][1]) + 1;
        }
        return;
    }
    if (wlab_keys_are_single())
        at += wlab_canvas_text(&d->canvas, r, 0, at, WL_S_RUNNING, " SINGLE KEY, q ends ") + 1;
    for (const wlab_key *k = wlab_keys; k->meaning; k++) {
        char name[8];
        if (!k->label || (!d->scene.mirrors && k->act != WL_ACT_COLUMN && strcmp(k->label, "help") != 0))
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

static void frame(wlab_dashboard *d)
{
    int rows, cols, row = -1, col = 0;
    const char *theme = wlab_params_text(wlab_session_settings(d->session), "theme");
    wlab_err err = {0};

    double began = wlab_thread_seconds();

    if (!wlab_session_running(d->session)) {
        d->running[0] = '\0';
        d->job_began = 0;
    }
    d->dirty = d->line_dirty = false;
    d->drawn_at = wlab_seconds_now();
    d->may = may_draw(d);
    if (d->colors && theme && strcmp(theme, d->theme) != 0) {
        snprintf(d->theme, sizeof d->theme, "%s", theme);
        (void)wlab_screen_theme(theme, NULL);
        wlab_screen_again();
    }
    wlab_screen_size(&rows, &cols);
    if (wlab_canvas_resize(&d->canvas, rows, cols, &err))
        return;
    look(d);
    wlab_layout_make(&d->layout, &d->scene, rows, cols, d->hidden, d->zoom, d->column);
    if (d->focus >= d->layout.places)
        d->focus = 0;
    if (d->layout.header.rows > 0)
        wlab_pane_header(&d->scene, &d->canvas, &d->layout.header);
    if (d->reading) {
        wlab_rect all = d->layout.panes, inner;
        wlab_canvas_frame(&d->canvas, &all, "answer   PgUp PgDn scroll, C-x q closes", true, d->scene.ascii,
                          &inner);
        wlab_textlog_draw(d->reader, &d->canvas, &inner);
    } else {
        for (int i = 0; i < d->layout.places; i++)
            if (i != d->focus)
                draw_pane(d, i);
        if (d->layout.places > 0) /* last: neighbours share their frames' lines */
            draw_pane(d, d->focus);
    }
    if (d->layout.captions.rows > 0)
        wlab_textlog_draw(d->said, &d->canvas, &d->layout.captions);
    bool shared = d->reading && d->layout.text.row == d->layout.panes.row; /* a small screen */
    if (d->layout.text.rows > 0 && !shared)
        wlab_textlog_draw(d->log, &d->canvas, &d->layout.text);
    if (d->layout.next.rows > 0) {
        if (d->hint[0])
            wlab_canvas_text(&d->canvas, &d->layout.next, 0, 0, WL_S_NEXT, "%s", d->hint);
        else
            wlab_pane_next(&d->scene, &d->canvas, &d->layout.next, d->running[0] ? d->running : NULL);
        if (!d->reading && !d->answering && d->layout.text.rows > 0 &&
            wlab_textlog_rows(d->reader, d->layout.text.cols) > d->layout.text.rows)
            draw_right(d, &d->layout.next, "C-x r: the whole answer");
    }
    if (d->layout.metrics.rows > 0)
        wlab_pane_metrics(&d->scene, &d->canvas, &d->layout.metrics);
    draw_keys(d);
    draw_line(d, &row, &col);
    wlab_screen_put(&d->canvas, row, col);
    wlab_live_charge(d->live, wlab_thread_seconds() - began);
}

/* A pasted text is not drawn character by character. */
static bool more_typed(void)
{
    int n = 0;
    return ioctl(STDIN_FILENO, FIONREAD, &n) == 0 && n > 0;
}

static void line_only(wlab_dashboard *d)
{
    int row, col;

    d->line_dirty = false;
    d->line_at = wlab_seconds_now();
    if (!d->canvas.cell)
        return;
    draw_line(d, &row, &col);
    wlab_screen_put(&d->canvas, row, col);
}

/* ---- the loop's source ---- */

_Static_assert((int)WL_LIVE_FDS <= (int)WL_SOURCE_FDS, "all of live's descriptors are polled");

static int wants(void *self, struct pollfd *fds)
{
    wlab_dashboard *d = self;
    int ms = wlab_live_poll(d->live, fds);

    if (d->on && d->line_dirty)
        return 0;
    if (d->windows_dirty && may_draw(d))
        return 0;
    if (d->on && d->dirty) {
        double wait = d->job_began > 0 && !may_draw(d) ? 1.0 : 1.0 / FRAMES;
        int due = (int)((d->drawn_at + wait - wlab_seconds_now()) * 1000) + 1;
        due = due < 0 ? 0 : due;
        ms = ms < 0 || due < ms ? due : ms;
    }
    return ms;
}

static void serve_errors(wlab_dashboard *d)
{
    char piece[4096];
    ssize_t n;

    for (int most = 32; most > 0 && d->errors >= 0 && (n = read(d->errors, piece, sizeof piece - 1)) > 0;
         most--) {
        piece[n] = '\0';
        if (strchr(piece, '\a')) { /* readline's bell */
            wlab_screen_bell();
            n = 0;
            for (const char *p = piece; *p; p++)
                if (*p != '\a')
                    piece[n++] = *p;
            piece[n] = '\0';
        }
        if (piece[0])
            wlab_dashboard_text(d, WL_S_WARNING, piece);
    }
}

static void serve(void *self, const struct pollfd *fds)
{
    wlab_dashboard *d = self;
    wlab_raster raster = {0};
    const char *trouble;
    int slot;

    while (wlab_live_serve(d->live, fds, &slot, &raster)) {
        take_picture(d, slot, &raster);
        raster = (wlab_raster){0};
    }
    if ((trouble = wlab_live_trouble(d->live)))
        wlab_session_say(d->session, "%s", trouble);
    serve_errors(d);
    if (d->windows_dirty && may_draw(d)) {
        d->windows_dirty = false;
        wlab_plot_refresh(d->session, d->live);
    }
    if (!d->on)
        return;
    if (frame_is_due(d))
        frame(d);
    else if (d->line_dirty && (!more_typed() || wlab_seconds_now() - d->line_at >= 1.0 / FRAMES))
        line_only(d);
}

void wlab_dashboard_flush(wlab_dashboard *d)
{
    if (wlab_dashboard_is_on(d) && d->dirty)
        frame(d);
}

/* ---- life, on and off ---- */

wlab_code wlab_dashboard_create(wlab_dashboard **out, wlab_session *session, wlab_loop *loop, bool colors,
                                wlab_err *err)
{
    wlab_dashboard *d = wlab_calloc(1, sizeof *d);
    wlab_code code;

    *out = NULL;
    if (!d)
        return wlab_nomem(err);
    d->session = session;
    d->loop = loop;
    d->colors = colors;
    d->zoom = -1;
    d->errors = -1;
    while (wlab_panes[d->panes] && d->panes < MOST_PANES)
        d->pane[d->panes++].serial = -1;
    code = wlab_textlog_create(&d->log, LOG_LINES, err);
    code = code ? code : wlab_textlog_create(&d->reader, LOG_LINES, err);
    code = code ? code : wlab_textlog_create(&d->said, CAPTIONS, err);
    code = code ? code : wlab_live_create(&d->live, NULL, 0, err);
    if (code) {
        wlab_dashboard_destroy(d);
        return code;
    }
    wlab_loop_add(loop, &(wlab_source){d, wants, serve});
    *out = d;
    return WL_OK;
}

void wlab_dashboard_destroy(wlab_dashboard *d)
{
    if (!d)
        return;
    wlab_dashboard_end(d);
    wlab_loop_remove(d->loop, d);
    for (int i = 0; i < d->panes; i++)
        forget_picture(&d->pane[i]);
    wlab_live_destroy(d->live);
    wlab_textlog_destroy(d->log);
    wlab_textlog_destroy(d->reader);
    wlab_textlog_destroy(d->said);
    wlab_canvas_clear(&d->canvas);
    wlab_free(d);
}

wlab_code wlab_dashboard_begin(wlab_dashboard *d, wlab_err *err)
{
    const char *theme = wlab_params_text(wlab_session_settings(d->session), "theme");
    bool asked = wlab_editor_asks();
    wlab_code code;

    if (d->on)
        return WL_OK;
    d->told = wlab_textlog_lines(d->log);
    theme = !d->colors || !theme ? (d->colors ? "auto" : "mono") : theme;
    if (asked)
        wlab_editor_stop(true);
    code = wlab_screen_begin(theme, err);
    if (code)
        return code;
    snprintf(d->theme, sizeof d->theme, "%s", theme);
    wlab_editor_face(true);
    d->errors = wlab_terminal_catch_errors();
    d->on = d->dirty = true;
    d->drawn_at = 0;
    for (int i = 0; i < d->panes; i++)
        d->pane[i].serial = -1;
    return WL_OK;
}

void wlab_dashboard_end(wlab_dashboard *d)
{
    int n, from;

    if (!d->on)
        return;
    serve_errors(d);
    wlab_editor_stop(true);
    wlab_screen_end();
    d->on = false;
    d->errors = -1;
    wlab_editor_face(false);
    wlab_terminal_mode(WL_MODE_QUIET);
    n = wlab_textlog_lines(d->log);
    from = n > LEFT_BEHIND ? n - LEFT_BEHIND : 0;
    from = from > d->told ? from : d->told;
    d->told = n;
    for (int i = from; i < n; i++) {
        char *line = wlab_printable(wlab_textlog_line(d->log, i));
        printf("%s\n", line ? line : "");
        wlab_free(line);
    }
    fflush(stdout);
}

void wlab_dashboard_resized(wlab_dashboard *d)
{
    if (wlab_dashboard_is_on(d)) {
        d->dirty = true;
        d->drawn_at = 0;
    }
}

void wlab_dashboard_suspend(wlab_dashboard *d)
{
    wlab_screen_suspend();
    wlab_dashboard_resized(d);
}

void wlab_dashboard_continue(wlab_dashboard *d)
{
    wlab_screen_continue();
    wlab_dashboard_resized(d);
}

/* ---- what comes in ---- */

void wlab_dashboard_text(wlab_dashboard *d, wlab_style style, const char *text)
{
    wlab_textlog_add(d->log, style, text);
    if (d->answering)
        wlab_textlog_add(d->reader, style, text);
    d->dirty = true;
}

/* Captions leave the screen for the log. */
static void drop_captions(wlab_dashboard *d)
{
    for (int i = 0; i < wlab_textlog_lines(d->said); i++)
        wlab_textlog_add(d->log, WL_S_CAPTION, wlab_textlog_line(d->said, i));
    wlab_textlog_empty(d->said);
    d->stopped = false;
}

void wlab_dashboard_caption(wlab_dashboard *d, const char *text)
{
    if (d->stopped)
        drop_captions(d);
    if (wlab_textlog_lines(d->said) == CAPTIONS) /* the oldest makes room */
        wlab_textlog_add(d->log, WL_S_CAPTION, wlab_textlog_line(d->said, 0));
    wlab_textlog_add(d->said, WL_S_CAPTION, text);
    d->dirty = true;
}

/* A long answer of a command that changed nothing (help, info) is shown from its beginning, with room to read it. */
void wlab_dashboard_command(wlab_dashboard *d, const char *line)
{
    if (line) {
        char *text = wlab_format("> %s", line);
        drop_captions(d);
        if (text)
            wlab_textlog_add(d->log, WL_S_COMMAND, text);
        wlab_free(text);
        wlab_textlog_end(d->log);
        wlab_textlog_empty(d->reader);
        d->reading = false;
        d->answering = true;
        d->did = false;
    } else {
        d->answering = false;
        d->windows_dirty = true;
        if (d->layout.text.rows > 0 &&
            wlab_textlog_rows(d->reader, d->layout.text.cols) >= d->layout.text.rows && !d->did && d->on) {
            wlab_textlog_begin(d->reader);
            d->reading = true;
        }
    }
    d->dirty = true;
}

void wlab_dashboard_read(wlab_dashboard *d, const char *text)
{
    wlab_textlog_empty(d->reader);
    wlab_textlog_add(d->reader, WL_S_TEXT, text);
    wlab_textlog_begin(d->reader);
    d->reading = d->dirty = true;
    d->drawn_at = 0;
}

void wlab_dashboard_changed(wlab_dashboard *d)
{
    d->dirty = d->windows_dirty = d->did = true;
}

void wlab_dashboard_edited(wlab_dashboard *d)
{
    d->line_dirty = true;
}

void wlab_dashboard_status(wlab_dashboard *d, const char *running, const char *hint, bool presents)
{
    snprintf(d->running, sizeof d->running, "%s", running ? running : "");
    snprintf(d->hint, sizeof d->hint, "%s", hint ? hint : "");
    d->stopped = d->stopped || hint;
    d->presents = hint && presents;
    if (running && d->job_began <= 0) {
        d->job_began = wlab_seconds_now();
        wlab_live_run_begins(d->live);
    } else if (!running) {
        d->job_began = 0;
    }
    d->dirty = true;
}

bool wlab_dashboard_act(wlab_dashboard *d, wlab_act act)
{
    int page = d->reading ? d->layout.panes.rows - 3 : d->layout.text.rows - 1;

    if (!d->on)
        return false;
    if (act == WL_ACT_ZOOM || act == WL_ACT_COLUMN || act == WL_ACT_FOCUS || act == WL_ACT_HIDE ||
        act == WL_ACT_ALL)
        d->reading = false; /* what they do is to be seen */
    page = page < 1 ? 1 : page;
    switch (act) {
    case WL_ACT_ZOOM:
        d->zoom = d->zoom >= 0 || !d->layout.places ? -1 : d->layout.place[d->focus].pane;
        d->focus = 0;
        break;
    case WL_ACT_COLUMN:
        d->column++;
        break;
    case WL_ACT_FOCUS:
        look(d); /* what the last frame saw may be gone */
        d->focus = d->layout.places ? (d->focus + 1) % d->layout.places : 0;
        if (d->zoom >= 0) /* the next pane takes the room */
            do
                d->zoom = (d->zoom + 1) % d->panes;
            while (!wlab_pane_fits(d->zoom, &d->scene));
        break;
    case WL_ACT_HIDE:
        if (d->layout.places > 1)
            d->hidden |= 1U << d->layout.place[d->focus].pane;
        break;
    case WL_ACT_ALL:
        d->hidden = 0;
        d->zoom = -1;
        break;
    case WL_ACT_UP:
    case WL_ACT_DOWN:
        wlab_textlog_scroll(d->reading ? d->reader : d->log, act == WL_ACT_UP ? -page : page);
        break;
    case WL_ACT_READ:
        d->reading = wlab_textlog_lines(d->reader) > 0;
        wlab_textlog_begin(d->reader);
        break;
    case WL_ACT_CLOSE:
        d->reading = false;
        wlab_textlog_end(d->log);
        break;
    case WL_ACT_REDRAW:
        wlab_screen_again();
        break;
    default:
        return false;
    }
    d->dirty = true;
    d->drawn_at = 0;
    return true;
}

/* Where not all panes have room: the page that has this one. */
static void turn_to(wlab_dashboard *d, int pane)
{
    int rows, cols;
    wlab_layout l = {.columns = 1};

    if (!d->on || d->zoom >= 0)
        return;
    wlab_screen_size(&rows, &cols);
    look(d);
    for (int turns = 0, column = d->column; turns < WL_MOST_PLACES; turns++, column++) {
        wlab_layout_make(&l, &d->scene, rows, cols, d->hidden, d->zoom, column);
        for (int i = 0; i < l.places; i++)
            if (l.place[i].pane == pane) {
                d->column = column;
                return;
            }
    }
}

wlab_code wlab_dashboard_pane(wlab_dashboard *d, const char *name, wlab_pane_wish wish, wlab_err *err)
{
    int i = name ? wlab_pane_find(name) : -1;

    if (name && i < 0) {
        const char *names[MOST_PANES];
        for (int k = 0; k < d->panes; k++)
            names[k] = wlab_panes[k]->name;
        const char *near = wlab_nearest(name, names, (size_t)d->panes);
        return near ? wlab_fail(err, WL_EARG, "no pane \"%s\"; did you mean \"%s\"?", name, near)
                    : wlab_fail(err, WL_EARG, "no pane \"%s\"; `help dashboard` lists them", name);
    }
    if (wish == WL_PANE_ZOOM) {
        d->zoom = i;
        d->hidden &= ~(1U << i);
    } else if (wish == WL_PANE_HIDE) {
        d->hidden |= 1U << i;
    } else if (i >= 0) {
        d->hidden &= ~(1U << i);
        d->zoom = d->zoom == i ? i : -1;
        turn_to(d, i);
    } else {
        d->hidden = 0;
        d->zoom = -1;
    }
    d->dirty = true;
    return WL_OK;
}
