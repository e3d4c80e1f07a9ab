/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The dashboard: on and off, its input, the keys that change the view, and when a frame is due (frame.c draws it).  A
 * typed character is displayed at once.
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

/* More input is waiting: a pasted text is not drawn character by character. */
static bool more_typed(void)
{
    int n = 0;
    return ioctl(STDIN_FILENO, FIONREAD, &n) == 0 && n > 0;
}

/* At most FRAMES frames per second.  While the solver runs there are fewer, but at least one per second for the
 * clock. */
static bool frame_is_due(wlab_dashboard *d)
{
    double since = wlab_seconds_now() - d->drawn_at;
    return d->dirty && since >= 1.0 / (double)FRAMES && (since >= 1 || wlab_frame_may_draw(d));
}

/* ---- the loop's source ---- */

_Static_assert((int)WL_LIVE_FDS <= (int)WL_SOURCE_FDS,
               "the source has a place for each of live's descriptors");

static int request_fds(void *self, struct pollfd *fds)
{
    wlab_dashboard *d = self;
    int ms = wlab_live_poll(d->live, fds);

    if (d->on && d->line_dirty)
        return 0;
    if (d->windows_dirty && wlab_frame_may_draw(d))
        return 0;
    if (d->on && d->dirty) {
        double wait = d->job_began > 0 && !wlab_frame_may_draw(d) ? 1.0 : 1.0 / (double)FRAMES;
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
        wlab_frame_accept(d, slot, &raster);
        raster = (wlab_raster){0};
    }
    if ((trouble = wlab_live_trouble(d->live)))
        wlab_session_say(d->session, "%s", trouble);
    serve_errors(d);
    if (d->windows_dirty && wlab_frame_may_draw(d)) {
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
    d->zoom = d->requested = -1;
    d->errors = -1;
    while (wlab_panes[d->panes] && d->panes < MOST_PANES)
        d->pane[d->panes++].serial = -1;
    code = wlab_textlog_create(&d->log, LOG_LINES, err);
    code = code ? code : wlab_textlog_create(&d->reader, LOG_LINES, err);
    code = code ? code : wlab_textlog_create(&d->answer, LOG_LINES, err);
    code = code ? code : wlab_textlog_create(&d->since, LOG_LINES, err);
    code = code ? code : wlab_textlog_create(&d->said, CAPTIONS, err);
    code = code ? code : wlab_live_create(&d->live, NULL, 0, err);
    if (code) {
        wlab_dashboard_destroy(d);
        return code;
    }
    wlab_loop_add(loop, &(wlab_source){d, request_fds, serve});
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
    wlab_textlog_destroy(d->answer);
    wlab_textlog_destroy(d->since);
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
    d->printed = wlab_textlog_lines(d->log);
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
    from = from > d->printed ? from : d->printed;
    d->printed = n;
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

/* ---- input ---- */

/* On a screen without space for captions, log them before the answers that follow them.  Where they have a place of
 * their own they are not logged: there they would take the lines of the answers that they speak of. */
static void log_captions(wlab_dashboard *d)
{
    for (; d->said_logged < wlab_textlog_lines(d->said); d->said_logged++)
        if (!d->on || wlab_layout_most_captions(d->canvas.rows) == 0)
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
    if (d->informing)
        add(d->answer, style, text);
    add(d->since, style, text);
    d->dirty = true;
}

void wlab_dashboard_informs(wlab_dashboard *d, bool begins)
{
    d->informing = begins;
}

/* Move the captions from the screen to the log. */
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
    if (wlab_textlog_lines(d->said) == CAPTIONS) { /* drop the oldest */
        if (d->said_logged > 0)
            d->said_logged--;
        else
            wlab_textlog_add(d->log, WL_S_CAPTION, wlab_textlog_line(d->said, 0));
    }
    wlab_textlog_add(d->said, WL_S_CAPTION, text);
    d->dirty = true;
}

/* Whether the line is a single plot command.  It may draw a picture as text, whose last lines alone, in the log, would
 * mean nothing. */
static bool is_plot_command(const char *line)
{
    return (strncmp(line, "plot ", 5) == 0 || strncmp(line, "p ", 2) == 0) && !strchr(line, ';');
}

/* A long answer of a command that changed nothing (help, info), or of a plot command, is shown from its beginning, in
 * place of the panes. */
void wlab_dashboard_command(wlab_dashboard *d, const char *line)
{
    const bool drew = !line && is_plot_command(d->command);

    snprintf(d->command, sizeof d->command, "%s", line ? line : "");
    if (line) {
        char *text = wlab_format("> %s", line);
        drop_captions(d);
        if (text)
            wlab_textlog_add(d->log, WL_S_COMMAND, text);
        wlab_free(text);
        wlab_textlog_end(d->log);
        wlab_textlog_empty(d->reader);
        wlab_textlog_empty(d->answer);
        wlab_textlog_empty(d->since);
        d->keys_explained = strcmp(line, "help dashboard") == 0;
        d->reading = false;
        d->answering = true;
        d->changed = false;
    } else {
        d->answering = false;
        d->windows_dirty = true;
        if (d->layout.text.rows > 0 &&
            wlab_textlog_rows(d->reader, d->layout.text.cols) >= d->layout.text.rows &&
            (!d->changed || drew) && d->on) {
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

void wlab_dashboard_last_panel(wlab_dashboard *d)
{
    const wlab_progress_panel *panel = wlab_session_progress_panel(d->session);
    wlab_buf text = {0};

    panel->draw(panel->self, LEFT_BEHIND, d->canvas.cols > 20 ? d->canvas.cols - 4 : 76, &text);
    if (text.data && !wlab_buf_put(&text, "", 1))
        wlab_textlog_add(d->log, WL_S_NOTE, (const char *)text.data);
    wlab_buf_clear(&text);
    d->dirty = true;
}

void wlab_dashboard_changed(wlab_dashboard *d)
{
    d->dirty = d->windows_dirty = d->changed = true;
}

void wlab_dashboard_edited(wlab_dashboard *d)
{
    d->line_dirty = true;
}

void wlab_dashboard_status(wlab_dashboard *d, const char *running, const char *hint,
                           const wlab_hint_key *keys)
{
    snprintf(d->running, sizeof d->running, "%s", running ? running : "");
    snprintf(d->hint, sizeof d->hint, "%s", hint ? hint : "");
    d->stopped = d->stopped || hint;
    d->offered = d->offered || (hint && wlab_textlog_lines(d->since) > 0);
    d->keys = hint ? keys : NULL;
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
        d->reading = false; /* show their effect */
    page = page < 1 ? 1 : page;
    switch (act) {
    case WL_ACT_ZOOM:
        d->zoom = d->zoom >= 0 || !d->layout.places ? -1 : d->layout.place[d->focus].pane;
        d->focus = 0;
        break;
    case WL_ACT_COLUMN:
        d->column++;
        d->requested = -1;
        break;
    case WL_ACT_FOCUS:
        d->chosen = true;
        wlab_frame_refresh(d); /* the session may have changed since the last frame */
        d->focus = d->layout.places ? (d->focus + 1) % d->layout.places : 0;
        if (d->zoom >= 0) /* zoom the next pane instead */
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
        d->chosen = d->reading = false;
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

const char *wlab_dashboard_help_topic(wlab_dashboard *d)
{
    if (!d->on || !d->layout.places || (!d->chosen && !(d->reading && d->keys_explained)))
        return "dashboard";
    return wlab_panes[d->layout.place[d->focus].pane]->name;
}

void wlab_dashboard_help(wlab_dashboard *d)
{
    const char *topic = wlab_dashboard_help_topic(d);
    wlab_buf text = {0};

    wlab_session_describe(d->session, topic, true, &text);
    if (text.len > 0 && !wlab_buf_put(&text, "", 1)) {
        wlab_dashboard_read(d, (const char *)text.data);
        d->keys_explained = strcmp(topic, "dashboard") == 0;
    }
    wlab_buf_clear(&text);
}

bool wlab_dashboard_close_answer(wlab_dashboard *d)
{
    return wlab_dashboard_is_on(d) && d->reading && wlab_dashboard_act(d, WL_ACT_CLOSE);
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

wlab_code wlab_dashboard_no_pane(const char *name, wlab_err *err)
{
    const char *names[MOST_PANES];
    size_t n = 0;
    for (; wlab_panes[n] && n < MOST_PANES; n++)
        names[n] = wlab_panes[n]->name;
    if (wlab_view_find(name))
        return wlab_fail(err, WL_EARG, "\"%s\" is a view without a pane; `plot %s` draws it", name, name);
    const char *near = wlab_nearest(name, names, n);
    return near ? wlab_fail(err, WL_EARG, "no pane \"%s\"; did you mean \"%s\"?", name, near)
                : wlab_fail(err, WL_EARG, "no pane \"%s\"; `help dashboard` lists them", name);
}

bool wlab_dashboard_can_show(wlab_dashboard *d, const char *name)
{
    wlab_frame_refresh(d);
    return wlab_pane_fits(wlab_pane_find(name), &d->scene);
}

wlab_code wlab_dashboard_pane(wlab_dashboard *d, const char *name, wlab_pane_action action, wlab_err *err)
{
    int i = name ? wlab_pane_find(name) : -1;

    if (name && i < 0)
        return wlab_dashboard_no_pane(name, err);
    if (action == WL_PANE_ZOOM) {
        d->zoom = i;
        d->hidden &= ~(1U << i);
    } else if (action == WL_PANE_HIDE) {
        d->hidden |= 1U << i;
    } else if (i >= 0) {
        d->hidden &= ~(1U << i);
        d->zoom = d->zoom == i ? i : -1;
        d->requested = i;
    } else {
        d->hidden = 0;
        d->zoom = d->requested = -1;
        d->column = 0;
    }
    d->dirty = true;
    return WL_OK;
}
