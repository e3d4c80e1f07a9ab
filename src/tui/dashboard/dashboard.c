/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The dashboard: on and off, what comes in, which keys change the view, and when a frame is due (frame.c draws it); a
 * typed character is shown at once.
 */
#include "tui/dashboard/dashboard.h"
#include "plot/plot.h"
#include "tui/dashboard/frame.h"
#include "tui/dashboard/screen.h"
#include "tui/prompt/editor.h"
#include "tui/terminal.h"
#include "tui/wrap.h"
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool wlab_dashboard_is_on(const wlab_dashboard *d)
{
    return d && d->on;
}

/* A pasted text is not drawn character by character. */
static bool more_typed(void)
{
    int n = 0;
    return ioctl(STDIN_FILENO, FIONREAD, &n) == 0 && n > 0;
}

/* At most FRAMES a second; while the solver runs fewer, but one a second, for the seconds. */
static bool frame_is_due(wlab_dashboard *d)
{
    double since = wlab_seconds_now() - d->drawn_at;
    return d->dirty && since >= 1.0 / (double)FRAMES && (since >= 1 || wlab_frame_may(d));
}

/* ---- the loop's source ---- */

_Static_assert((int)WL_LIVE_FDS <= (int)WL_SOURCE_FDS, "all of live's descriptors are polled");

static int wants(void *self, struct pollfd *fds)
{
    wlab_dashboard *d = self;
    int ms = wlab_live_poll(d->live, fds);

    if (d->on && d->line_dirty)
        return 0;
    if (d->windows_dirty && wlab_frame_may(d))
        return 0;
    if (d->on && d->dirty) {
        double wait = d->job_began > 0 && !wlab_frame_may(d) ? 1.0 : 1.0 / (double)FRAMES;
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
        wlab_frame_take(d, slot, &raster);
        raster = (wlab_raster){0};
    }
    if ((trouble = wlab_live_trouble(d->live)))
        wlab_session_say(d->session, "%s", trouble);
    serve_errors(d);
    if (d->windows_dirty && wlab_frame_may(d)) {
        d->windows_dirty = false;
        wlab_plot_refresh(d->session, d->live);
    }
    if (!d->on)
        return;
    if (frame_is_due(d))
        wlab_frame_draw(d);
    else if (d->line_dirty && (!more_typed() || wlab_seconds_now() - d->line_at >= 1.0 / (double)FRAMES))
        wlab_frame_line(d);
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
    d->zoom = d->wanted = -1;
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
        wlab_frame_forget(&d->pane[i]);
    wlab_live_destroy(d->live);
    wlab_textlog_destroy(d->log);
    wlab_textlog_destroy(d->reader);
    wlab_textlog_destroy(d->said);
    wlab_canvas_clear(&d->canvas);
    wlab_free(d);
}

wlab_code wlab_dashboard_begin(wlab_dashboard *d, wlab_err *err)
{
    const char *theme = d->colors ? wlab_params_text(wlab_session_settings(d->session), "theme") : "mono";
    wlab_code code;

    if (d->on)
        return WL_OK;
    d->told = wlab_textlog_lines(d->log);
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
        wlab_put_printable(stdout, wlab_textlog_line(d->log, i));
        putchar('\n');
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

/* Captions that are said go into the log as well, before what is answered behind them: there they push nothing away
 * that the next caption speaks of. */
static void log_captions(wlab_dashboard *d)
{
    for (; d->said_logged < wlab_textlog_lines(d->said); d->said_logged++)
        wlab_textlog_add(d->log, WL_S_CAPTION, wlab_textlog_line(d->said, d->said_logged));
}

void wlab_dashboard_text(wlab_dashboard *d, wlab_style style, const char *text)
{
    void (*add)(wlab_textlog *, wlab_style, const char *) =
        style == WL_S_TEXT ? wlab_textlog_stream
                           : wlab_textlog_add; /* answers come in pieces, messages whole */

    log_captions(d);
    add(d->log, style, text);
    if (d->answering)
        add(d->reader, style, text);
    d->dirty = true;
}

/* Captions leave the screen for the log. */
static void drop_captions(wlab_dashboard *d)
{
    log_captions(d);
    wlab_textlog_empty(d->said);
    d->said_logged = 0;
    d->stopped = false;
}

void wlab_dashboard_unsay(wlab_dashboard *d)
{
    wlab_textlog_empty(d->said);
    d->said_logged = 0;
    d->dirty = true;
}

void wlab_dashboard_caption(wlab_dashboard *d, const char *text)
{
    if (d->stopped)
        drop_captions(d);
    if (wlab_textlog_lines(d->said) == CAPTIONS) { /* the oldest makes room */
        if (d->said_logged > 0)
            d->said_logged--;
        else
            wlab_textlog_add(d->log, WL_S_CAPTION, wlab_textlog_line(d->said, 0));
    }
    wlab_textlog_add(d->said, WL_S_CAPTION, text);
    d->dirty = true;
}

/* A picture as text: its foot in the log would say nothing. */
static bool draws(const char *line)
{
    return (strncmp(line, "plot ", 5) == 0 || strncmp(line, "p ", 2) == 0) && !strchr(line, ';');
}

/* A long answer of a command that changed nothing (help, info) is shown from its beginning, with room to read it. */
void wlab_dashboard_command(wlab_dashboard *d, const char *line)
{
    const bool drew = !line && draws(d->command);

    snprintf(d->command, sizeof d->command, "%s", line ? line : "");
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
            wlab_textlog_rows(d->reader, d->layout.text.cols) >= d->layout.text.rows && (!d->did || drew) &&
            d->on) {
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

void wlab_dashboard_last_board(wlab_dashboard *d)
{
    const wlab_board *board = wlab_session_board(d->session);
    wlab_buf text = {0};

    board->draw(board->self, LEFT_BEHIND, d->canvas.cols > 20 ? d->canvas.cols - 4 : 76, &text);
    if (text.data && !wlab_buf_put(&text, "", 1))
        wlab_textlog_add(d->log, WL_S_NOTE, (const char *)text.data);
    wlab_buf_clear(&text);
    d->dirty = true;
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
        d->wanted = -1;
        break;
    case WL_ACT_FOCUS:
        wlab_frame_look(d); /* what the last frame saw may be gone */
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

bool wlab_dashboard_suggests(const wlab_dashboard *d, char *buf, size_t size)
{
    if (!d->on || !d->scene.session || wlab_session_run(d->scene.session))
        return false;
    wlab_pane_suggestion(&d->scene, buf, size);
    return true;
}

bool wlab_dashboard_close_answer(wlab_dashboard *d)
{
    return d->on && d->reading && wlab_dashboard_act(d, WL_ACT_CLOSE);
}

bool wlab_dashboard_axis(wlab_dashboard *d, const char *name, wlab_axis vs)
{
    const int i = wlab_pane_find(name);

    if (i < 0)
        return false;
    if (d->pane[i].vs != vs)
        d->pane[i].serial = -1; /* another picture */
    d->pane[i].vs = vs;
    d->dirty = true;
    return true;
}

wlab_code wlab_dashboard_pane(wlab_dashboard *d, const char *name, wlab_pane_wish wish, wlab_err *err)
{
    int i = name ? wlab_pane_find(name) : -1;

    if (name && i < 0) {
        const char *names[MOST_PANES];
        for (int k = 0; k < d->panes; k++)
            names[k] = wlab_panes[k]->name;
        if (wlab_view_find(name))
            return wlab_fail(err, WL_EARG, "\"%s\" is a view without a pane; `plot %s` draws it", name, name);
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
        d->wanted = i;
    } else {
        d->hidden = 0;
        d->zoom = -1;
    }
    d->dirty = true;
    return WL_OK;
}
