/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The prompt: requests lines, executes them, and serves keys and signals while the session computes.
 *
 * Readline's handler only notes a typed line; it is executed after the handler has returned, so that the session may
 * enter the loop again (idle) while a command runs.  Lines that arrive meanwhile are kept and executed in order: the
 * effect of a pasted text must not depend on the speed of a run.
 */
#include "plot/plot.h"
#include "plot/views/view.h"
#include "tui/prompt/complete.h"
#include "tui/prompt/editor.h"
#include "tui/prompt/elapsed.h"
#include "tui/prompt/history.h"
#include "tui/prompt/prompt_state.h"
#include "tui/terminal.h"
#include "tui/wrap.h"
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <readline/readline.h>

enum {
    PATIENCE_MS = 150,
    BY_HAND_MS = 20,   /* a typed line has a longer pause before or in it, a pasted one has none */
    QUIET_SECONDS = 2, /* after so many seconds the prompt displays the elapsed time */
};

/* ---- texts ---- */

static void prompt_text(const wlab_prompt *p, char *buf, size_t size)
{
    const wlab_run *run = wlab_session_run(p->session);
    /* the dashboard and a progress panel display the progress on a line of their own */
    bool full = wlab_dashboard_is_on(p->dashboard) || wlab_session_progress_panel(p->session);

    if (wlab_session_running(p->session) && p->elapsed.second >= QUIET_SECONDS && !full) {
        char far[130];
        wlab_elapsed_text(&p->elapsed, wlab_seconds_now(), far, sizeof far);
        snprintf(buf, size, "(running %s)> ", far);
    } else if (wlab_session_running(p->session)) {
        snprintf(buf, size, "(running)> ");
    } else if (run) {
        wlab_verdict verdict = wlab_run_verdict(run);
        char half[24] = "";
        if (wlab_run_half(run) > 0)
            snprintf(half, sizeof half, "+%lld", (long long)wlab_run_half(run));
        snprintf(buf, size, "(%s:%lld%s %s%s%s)> ", wlab_run_name(run), (long long)wlab_run_iter(run), half,
                 wlab_run_algo(run)->name, verdict == WL_MORE ? "" : " ",
                 verdict == WL_MORE ? "" : wlab_verdict_names[verdict]);
    } else {
        snprintf(buf, size, "weaklab> ");
    }
}

static void refresh(wlab_prompt *p)
{
    char text[160];
    prompt_text(p, text, sizeof text);
    wlab_editor_prompt(text);
}

static void ask(wlab_prompt *p)
{
    char text[160];
    prompt_text(p, text, sizeof text);
    wlab_editor_ask(text);
}

void wlab_prompt_hide(wlab_prompt *p)
{
    if (!p)
        return;
    if (p->status) {
        fprintf(stderr, "\r%*s\r", STATUS_WIDTH, "");
        p->status = false;
    }
    wlab_editor_hide();
    wlab_panel_erase(&p->panel);
}

/* The progress panel, if there is one and the plain terminal shows it. */
static const wlab_progress_panel *panel_here(const wlab_prompt *p)
{
    return wlab_session_shows_panels(p->session) && !wlab_dashboard_is_on(p->dashboard)
               ? wlab_session_progress_panel(p->session)
               : NULL;
}

void wlab_prompt_show(wlab_prompt *p)
{
    const wlab_progress_panel *panel = p ? panel_here(p) : NULL;

    if (!p)
        return;
    if (panel && p->panel.drawn_at > 0)
        wlab_panel_draw(&p->panel, panel);
    wlab_editor_show();
}

/* A panel is about to end: leave its last state on the screen or in the log. */
static void leave_last_panel(void *self)
{
    wlab_prompt *p = self;
    const wlab_progress_panel *panel = panel_here(p);

    if (panel && p->panel.drawn_at > 0) {
        wlab_editor_hide();
        wlab_panel_draw(&p->panel, panel);
        p->panel.lines = 0;
        wlab_editor_show();
    } else if (wlab_dashboard_is_on(p->dashboard)) {
        wlab_dashboard_last_panel(p->dashboard);
    }
    p->panel = (wlab_panel_lines){0};
}

wlab_dashboard *wlab_prompt_dashboard(const wlab_prompt *p)
{
    return p ? p->dashboard : NULL;
}

/* ---- lines ---- */

static void on_line(void *self, char *line)
{
    wlab_prompt *p = self;
    char text[160];
    prompt_text(p, text, sizeof text);
    wlab_panel_below(&p->panel, text, line ? line : "");
    p->ready = true;
    p->line = line;
}

static void on_edit(void *self)
{
    wlab_prompt *p = self;
    if (p->dashboard)
        wlab_dashboard_edited(p->dashboard);
}

/* Escape and q close a long answer. */
static bool on_first_key(void *self, unsigned char c)
{
    wlab_prompt *p = self;

    return p->dashboard && (c == WL_ESCAPE || c == 'q') && wlab_dashboard_close_answer(p->dashboard);
}

static void execute(wlab_prompt *p, const char *line)
{
    wlab_err err = {0};
    const char *text = line[strspn(line, " \t")] == '\0' ? wlab_session_repeat(p->session) : line;
    char *copy = text ? strdup(text) : NULL;

    if (!copy)
        return;
    wlab_session_clear_interrupt(p->session);
    p->paused = false;
    if (p->dashboard)
        wlab_dashboard_command(p->dashboard, copy);
    if (wlab_session_line(p->session, copy, WL_FROM_PERSON, NULL, 0, &err))
        p->o.report(p->o.self, &err);
    if (p->dashboard) {
        wlab_dashboard_status(p->dashboard, NULL, NULL, NULL);
        wlab_dashboard_command(p->dashboard, NULL);
    }
    if (!p->fatal)
        wlab_session_clear_interrupt(p->session);
    free(copy);
}

/* Takes ownership of line. */
static void keep_line(wlab_prompt *p, char *line)
{
    char **grown = wlab_realloc(p->kept, (size_t)p->nkept + 1, sizeof *grown);
    if (!grown) {
        wlab_err err = {0};
        (void)wlab_nomem(&err);
        p->o.report(p->o.self, &err);
        free(line);
        return;
    }
    p->kept = grown;
    p->kept[p->nkept++] = line;
    p->closing = p->closing || !line;
}

static int drop_kept(wlab_prompt *p)
{
    int n = 0;
    for (int i = 0; i < p->nkept; i++) {
        n += p->kept[i] != NULL;
        free(p->kept[i]);
    }
    p->nkept = 0;
    p->closing = p->reported = false;
    return n;
}

/* Keep what readline has read.  A macro of the user's inputrc may give a text of several lines: each is kept. */
static void keep_read_lines(wlab_prompt *p)
{
    char *text = p->line;

    p->ready = false;
    p->line = NULL;
    if (!text) {
        keep_line(p, NULL);
        return;
    }
    for (char *line = text;;) {
        size_t len = strcspn(line, "\r\n");
        bool last = line[len] == '\0' || line[len + 1] == '\0';
        char *one = strndup(line, len);
        if (one) {
            wlab_history_add(p->history, one);
            keep_line(p, one);
        }
        if (last)
            break;
        line += len + 1;
    }
    free(text);
}

/* A line came while the session computes.  A `quit` typed by hand ends the computation; in a pasted text it waits for
 * its turn, so that the commands before it are executed whenever it arrives. */
static void handle_line_while_running(wlab_prompt *p)
{
    bool by_hand = p->by_hand;
    int before = p->nkept;
    wlab_line_kind kind;

    p->by_hand = false;
    keep_read_lines(p);
    if (p->nkept != before + 1) {
        kind = WL_LINE_WAITS;
    } else if (!p->kept[before]) {
        kind = WL_LINE_QUITS;
    } else {
        kind = wlab_session_line_kind(p->session, p->kept[before]);
    }
    if (kind == WL_LINE_ANSWERED && before == 0) {
        wlab_err err = {0};
        char *line = p->kept[--p->nkept];
        if (wlab_session_line(p->session, line, WL_FROM_PERSON, NULL, 0, &err))
            p->o.report(p->o.self, &err);
        free(line);
    } else if (kind == WL_LINE_QUITS && by_hand) {
        bool end = p->closing;
        wlab_err err = {0};
        (void)drop_kept(p);
        p->ended = end;
        if (end)
            wlab_session_interrupt(p->session);
        else
            (void)wlab_session_line(p->session, "quit", WL_FROM_PERSON, NULL, 0, &err);
    } else if (!p->reported) {
        p->reported = true;
        wlab_session_say(p->session,
                         "running: the line waits for the end; Ctrl-C stops this and drops the line");
    }
}

static void echo_kept(wlab_prompt *p)
{
    char text[160];

    if (!p->kept[0] || wlab_dashboard_is_on(p->dashboard))
        return;
    prompt_text(p, text, sizeof text);
    wlab_prompt_hide(p);
    wlab_put_printable(stdout, text);
    wlab_put_printable(stdout, p->kept[0]);
    putchar('\n');
    fflush(stdout);
    wlab_prompt_show(p);
}

/* Execute the first kept line. */
static void execute_kept(wlab_prompt *p)
{
    char *line = p->kept[0];

    p->nkept--;
    memmove(p->kept, p->kept + 1, (size_t)p->nkept * sizeof *p->kept);
    if (p->nkept == 0)
        p->reported = false;
    if (!line) {
        p->ended = true;
        return;
    }
    execute(p, line);
    free(line);
}

/* ---- keys and signals ---- */

/* Says that the running command stops; a command with a progress panel says so itself. */
static void say_stopping(wlab_prompt *p, const char *more)
{
    if (!wlab_session_progress_panel(p->session))
        wlab_session_say(p->session, "stopping%s%s",
                         wlab_session_stepping(p->session) ? ": after this update" : "", more);
}

/* Ctrl-C: stop the running command and drop the kept lines.  A second one during the same command abandons the work. */
static void stop_all(wlab_prompt *p)
{
    int n = drop_kept(p);
    char dropped[64] = "";

    if (n > 0)
        snprintf(dropped, sizeof dropped, "; %d kept line%s dropped", n, n == 1 ? " is" : "s are");
    if (wlab_session_running(p->session)) {
        bool again = p->stopped_job == wlab_session_job(p->session);
        p->stopped_job = wlab_session_job(p->session);
        if (again)
            wlab_session_hurry(p->session);
        else
            wlab_session_interrupt(p->session);
        if (!wlab_editor_empty()) {
            wlab_prompt_hide(p);
            wlab_editor_drop();
        }
        say_stopping(p, dropped);
    } else {
        wlab_editor_drop();
        if (n > 0)
            wlab_session_say(p->session, "stopped%s", dropped);
    }
}

static void on_key(void *self, const wlab_key *k)
{
    wlab_prompt *p = self;
    bool running = wlab_session_running(p->session);

    if (k->act == WL_ACT_GO && running) { /* lines typed meanwhile are executed afterwards */
        wlab_session_interrupt(p->session);
        say_stopping(p, "");
    } else if (k->act == WL_ACT_TYPE || k->act == WL_ACT_BEGIN || k->act == WL_ACT_GO) {
        if (running && wlab_session_line_kind(p->session, k->types) == WL_LINE_WAITS) {
            if (!p->reported)
                wlab_session_say(p->session, "running: F6 or Ctrl-C stops it, then %s",
                                 k->name ? k->name : k->types);
            p->reported = true;
            return;
        }
        char first[64]; /* on a dashboard without a run F5 types the command that leads to one */
        const bool begins = k->act == WL_ACT_BEGIN && p->dashboard &&
                            wlab_dashboard_suggests(p->dashboard, first, sizeof first);
        wlab_editor_type(begins ? first : k->types);
        p->by_hand = true;
    } else if (k->act == WL_ACT_HELP) {
        char line[64];
        snprintf(line, sizeof line, "help %s",
                 p->dashboard ? wlab_dashboard_help_topic(p->dashboard) : "dashboard");
        wlab_editor_type(line);
        p->by_hand = true;
    } else if (k->act == WL_ACT_MARKS) {
        char line[32];
        int now = wlab_params_choice(wlab_session_settings(p->session), "marks") + 1;
        snprintf(line, sizeof line, "set marks=%s", wlab_marks_names[wlab_marks_names[now] ? now : 0]);
        wlab_editor_type(line);
        p->by_hand = true;
    } else if (k->act == WL_ACT_SINGLE) {
        wlab_keys_single(!wlab_keys_are_single());
        if (p->dashboard && wlab_dashboard_is_on(p->dashboard))
            wlab_dashboard_changed(p->dashboard);
        else
            wlab_session_say(
                p->session,
                wlab_keys_are_single()
                    ? "single-key mode: s steps, c continues, b goes back, h helps, q ends it; `help "
                      "dashboard` lists them"
                    : "single-key mode is off");
    } else if (!(p->dashboard && wlab_dashboard_act(p->dashboard, k->act)) && k->act == WL_ACT_REDRAW) {

        rl_clear_screen(1, 12);
        p->panel.lines = 0;
    }
}

static void serve_signals(wlab_prompt *p)
{
    unsigned char byte[32];
    ssize_t n = read(p->o.signals, byte, sizeof byte);

    for (ssize_t i = 0; i < n; i++)
        switch (byte[i]) {
        case SIGINT:
            stop_all(p);
            p->key = -1;
            break;
        case SIGTERM:
        case SIGHUP:
            p->fatal = byte[i];
            p->key = -1;
            wlab_session_hurry(p->session);
            break;
        case SIGWINCH:
            wlab_editor_resized();
            if (p->dashboard)
                wlab_dashboard_resized(p->dashboard);
            break;
        case SIGCONT: /* another program may have changed the terminal */
            if (wlab_dashboard_is_on(p->dashboard))
                wlab_dashboard_continue(p->dashboard);
            else
                wlab_editor_continue();
            break;
        case SIGTSTP:
            if (wlab_dashboard_is_on(p->dashboard))
                wlab_dashboard_suspend(p->dashboard);
            else
                wlab_editor_suspend(wlab_terminal_suspend);
            p->panel.lines = 0;
            break;
        default:
            break;
        }
}

static int request_fds(void *self, struct pollfd *fds)
{
    wlab_prompt *p = self;
    bool keys = (wlab_editor_asks() || p->waits) && !p->fatal && !p->ended;

    fds[0] = (struct pollfd){.fd = p->o.signals, .events = POLLIN};
    fds[1] = (struct pollfd){.fd = keys ? STDIN_FILENO : -1, .events = POLLIN};
    return p->stuffed && keys && wlab_editor_asks() ? 0 : -1;
}

static void serve(void *self, const struct pollfd *fds)
{
    wlab_prompt *p = self;
    bool gone = (fds[1].revents & (POLLHUP | POLLERR | POLLNVAL)) && !(fds[1].revents & POLLIN);

    if (fds[0].revents)
        serve_signals(p);
    if (p->fatal || !(fds[1].revents || p->stuffed))
        return;
    if (gone) {
        wlab_editor_stop(false);
        p->ended = true;
        p->key = -1;
        wlab_session_hurry(p->session);
    } else if (p->waits && fds[1].revents) {
        unsigned char c;
        if (read(STDIN_FILENO, &c, 1) <= 0) {
            p->ended = true;
            p->key = -1;
        } else {
            wlab_wait_byte(p, c);
        }
    } else if (wlab_editor_asks()) {
        double now = wlab_seconds_now();
        p->by_hand = p->by_hand || now - p->last_key > (double)BY_HAND_MS * 1e-3;
        p->last_key = now;
        bool held = p->stuffed;
        p->stuffed = false;
        wlab_editor_read(held);
    }
}

/* ---- while the session computes ---- */

/* Draw the panel at most ten times per second.  Returns the ms until the next drawing, at most one second. */
static int draw_panel(wlab_prompt *p, const wlab_progress_panel *panel)
{
    double since = wlab_seconds_now() - p->panel.drawn_at;

    if (since < 0.1)
        return (int)((0.1 - since) * 1000) + 1;
    wlab_editor_hide();
    wlab_panel_draw(&p->panel, panel);
    wlab_editor_show();
    return 1000;
}

/* Update the elapsed time where it is displayed: in the dashboard, the panel, the prompt or the status line.  Returns
 * the ms until the next update. */
static int show_elapsed(wlab_prompt *p)
{
    double now = wlab_seconds_now(), since;
    const wlab_progress_panel *panel = panel_here(p);
    char far[160];

    wlab_elapsed_begin(&p->elapsed, wlab_session_job(p->session), now);
    since = now - p->elapsed.began;
    if (p->dashboard && wlab_dashboard_is_on(p->dashboard)) {
        int n = snprintf(far, sizeof far, "computing: ");
        wlab_elapsed_text(&p->elapsed, now, far + n, sizeof far - (size_t)n);
        wlab_dashboard_status(p->dashboard, far, NULL, NULL);
    }
    if (panel)
        return draw_panel(p, panel);
    if (p->elapsed.second != (int64_t)since) {
        p->elapsed.second = (int64_t)since;
        if (p->elapsed.second >= QUIET_SECONDS && wlab_editor_asks())
            refresh(p);
        if (p->elapsed.second >= QUIET_SECONDS && !p->o.asks && !p->silent) {
            wlab_elapsed_text(&p->elapsed, now, far, sizeof far);
            wlab_prompt_hide(p);
            fprintf(stderr, "computing ... %.*s", STATUS_WIDTH - 14, far);
            p->status = true;
        }
    }
    return (int)(((double)p->elapsed.second + 1 - since) * 1000) + 1;
}

void wlab_prompt_progress(wlab_prompt *p, const wlab_event *event)
{
    if (p)
        wlab_elapsed_event(&p->elapsed, event, wlab_seconds_now());
}

/* Serve the keyboard once while the session computes: return when fd is readable, something was served, or the display
 * is due.  Short commands never show a prompt. */
static void idle(void *self, int fd)
{
    wlab_prompt *p = self;
    int ms = show_elapsed(p);

    if (!p->o.asks) {
        (void)poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, ms);
        return;
    }
    if (!wlab_editor_asks() && !p->ended && !p->fatal && !p->closing) {
        struct pollfd typed = {.fd = STDIN_FILENO, .events = POLLIN};
        double end =
            p->elapsed.began +
            (double)PATIENCE_MS * 1e-3; /* counted from the start of the computation, not of a step */
        for (double left; (left = (end - wlab_seconds_now()) * 1e3) > 0;)
            if (wlab_loop_turn(&p->loop, fd, (int)left + 1))
                return;
        ask(p);
        p->by_hand = false;
        if (poll(&typed, 1, 0) > 0) /* typed before there was a prompt */
            p->last_key = wlab_seconds_now();
    }
    (void)wlab_loop_turn(&p->loop, fd, ms);
    if (p->ready)
        handle_line_while_running(p);
}

/* ---- the program's loop ---- */

int wlab_prompt_run(wlab_prompt *p)
{
    struct pollfd asked = {.fd = p->o.signals, .events = POLLIN};

    while (!p->ended && !p->fatal && !wlab_session_quits(p->session)) {
        if (p->nkept > 0) {
            if (poll(&asked, 1, 0) > 0) { /* a Ctrl-C between two kept lines */
                serve_signals(p);
                continue;
            }
            echo_kept(p);
            execute_kept(p);
            continue;
        }
        p->reported = false;
        if (!wlab_editor_asks())
            ask(p);
        else
            refresh(p);
        while (!p->ready && !p->ended && !p->fatal)
            (void)wlab_loop_turn(&p->loop, -1, -1);
        if (p->ready) {
            keep_read_lines(p);
            p->by_hand = false;
            if (p->nkept == 1)
                execute_kept(p); /* without echo: the line is already on the screen */
        }
    }
    wlab_editor_stop(false);
    return p->fatal;
}

static void on_matches(void *self, char **word, int n)
{
    wlab_prompt *p = self;
    wlab_buf text = {0};

    if (wlab_complete_list(p->session, word, n, &text) == WL_OK && !wlab_buf_put(&text, "", 1)) {
        if (wlab_dashboard_is_on(p->dashboard))
            wlab_dashboard_read(p->dashboard, (const char *)text.data);
        else
            wlab_put_printable(rl_outstream, (const char *)text.data);
        p->panel.lines = 0; /* the old panel remains above the list; a new one is drawn below */
    }
    wlab_buf_clear(&text);
}

/* ---- drawing for `plot VIEW` ---- */

static bool draws_sixel(void *self, int *width, int *height)
{
    wlab_prompt *p = self;
    struct winsize size;
    char typed[64];
    size_t n = 0;
    bool can = !wlab_dashboard_is_on(p->dashboard) && wlab_terminal_sixel(typed, sizeof typed, &n);

    for (size_t i = 0; i < n && p->o.asks; i++) /* the user typed meanwhile */
        p->stuffed = rl_stuff_char((unsigned char)typed[i]) != 0;
    *width = *height = 0;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
        *width = size.ws_xpixel;
        *height = size.ws_ypixel;
    }
    return can;
}

static void put_raw(void *self, const void *bytes, size_t len)
{
    (void)self;
    fflush(stdout);
    fwrite(bytes, 1, len, stdout);
    fflush(stdout);
}

static bool show_view(void *self, const char *view, const int *runs, int nruns, wlab_axis vs)
{
    wlab_prompt *p = self;
    const wlab_run *run = wlab_session_run(p->session);

    return wlab_dashboard_is_on(p->dashboard) && run && nruns == 1 && runs[0] == wlab_run_number(run) &&
           wlab_dashboard_pane(p->dashboard, view, WL_PANE_ZOOM, NULL) == WL_OK &&
           wlab_dashboard_axis(p->dashboard, view, vs);
}

wlab_code wlab_prompt_create(wlab_prompt **out, wlab_session *session, const wlab_prompt_options *options,
                             wlab_err *err)
{
    wlab_prompt *p = wlab_calloc(1, sizeof *p);
    wlab_code code = WL_OK;

    *out = NULL;
    if (!p)
        return wlab_nomem(err);
    p->session = session;
    p->o = *options;
    p->history = options->history ? wlab_strdup(options->history) : NULL;
    p->o.history = p->history;
    p->silent = !isatty(STDERR_FILENO);
    wlab_terminal_guard();
    wlab_editor_create(&(wlab_editor_hooks){on_line, on_edit, on_matches, on_first_key, p});
    wlab_complete_install(session);
    wlab_history_load(p->history);
    wlab_loop_add(&p->loop, &(wlab_source){p, request_fds, serve});
    if (options->asks) {
        wlab_keys_bind(on_key, p);
        wlab_plot_set_screen(
            session,
            &(wlab_plot_screen){
                .windows = true, .sixel = draws_sixel, .raw = put_raw, .show = show_view, .self = p});
        code = wlab_dashboard_create(&p->dashboard, session, &p->loop, options->colors, err);
    }
    wlab_session_set_terminal(
        session,
        &(wlab_terminal){.idle = idle,
                         .pause = wlab_wait_pause,
                         .present = wlab_wait_present,
                         .question = wlab_wait_question,
                         .panel_ends = options->panels && wlab_panel_possible() ? leave_last_panel : NULL,
                         .self = p});
    *out = p;
    return code;
}

void wlab_prompt_destroy(wlab_prompt *p)
{
    if (!p)
        return;
    wlab_prompt_hide(p);
    wlab_editor_stop(false);
    wlab_dashboard_destroy(p->dashboard);
    wlab_editor_destroy();
    wlab_terminal_mode(WL_MODE_FOUND);
    (void)drop_kept(p);
    wlab_free(p->kept);
    if (p->o.asks)
        wlab_history_save(p->history);
    wlab_session_set_terminal(p->session, NULL);
    wlab_plot_set_screen(p->session, NULL);
    free(p->line);
    wlab_free(p->history);
    wlab_free(p);
}
