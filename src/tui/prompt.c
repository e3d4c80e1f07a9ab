/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The prompt.
 *
 * One poll loop on the keyboard, the signals' pipe and, while the solver thread computes, its events.  A typed
 * line is only noted by readline's handler and carried out after rl_callback_read_char has returned, so that
 * the loop may be entered again from the session (idle) while a command goes on.
 */
#include "tui/prompt.h"
#include "tui/complete.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include <readline/history.h>
#include <readline/readline.h>

enum {
    KEPT_LINES = 2000,
    PATIENCE_MS = 150
};

struct wlab_prompt {
    wlab_session *session;
    char *history;
    int signals;
    void (*report)(void *, const wlab_err *);
    void *self;
    bool asks;      /* there will be a prompt */
    bool installed; /* readline has the terminal */
    bool shown;     /* its line is on the screen */
    bool ended;     /* end of input */
    bool ready;     /* `line` waits */
    char *line;     /* from readline, or NULL */
    int fatal;      /* the signal that ends the program */
    bool key;       /* a key was pressed while `wait` waits */
};

static wlab_prompt *the; /* readline's handlers get no data of ours */
static struct termios saved;
static bool saved_ok;

/* ---- the terminal after a crash ---- */

static void crashed(int sig)
{
    if (saved_ok)
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &saved);
    (void)signal(sig, SIG_DFL);
    (void)raise(sig);
}

static void guard_terminal(void)
{
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    static char stack_bytes[1 << 16];
    stack_t stack = {.ss_sp = stack_bytes, .ss_size = sizeof stack_bytes};
    struct sigaction act = {.sa_handler = crashed, .sa_flags = SA_ONSTACK | (int)SA_RESETHAND};

    saved_ok = tcgetattr(STDIN_FILENO, &saved) == 0;
    (void)sigaltstack(&stack, NULL);
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        (void)sigaction(fatal[i], &act, NULL);
}

/* ---- readline ---- */

static void prompt_text(const wlab_prompt *p, char *buf, size_t size)
{
    const wlab_run *run = wlab_session_run(p->session);
    if (wlab_session_running(p->session))
        snprintf(buf, size, "(running)> ");
    else if (run)
        snprintf(buf, size, "(%s:%lld %s)> ", wlab_run_name(run), (long long)wlab_run_iter(run),
                 wlab_run_algo(run)->name);
    else
        snprintf(buf, size, "weaklab> ");
}

static void on_line(char *line)
{
    rl_callback_handler_remove();
    the->installed = the->shown = false;
    the->ready = true;
    the->line = line;
    if (!line)
        (void)!write(STDOUT_FILENO, "\n", 1);
}

static void install(wlab_prompt *p)
{
    char text[128];
    prompt_text(p, text, sizeof text);
    rl_callback_handler_install(text, on_line);
    p->installed = p->shown = true;
}

static void uninstall(wlab_prompt *p)
{
    if (!p->installed)
        return;
    rl_clear_visible_line();
    rl_callback_handler_remove();
    p->installed = p->shown = false;
}

void wlab_prompt_hide(wlab_prompt *p)
{
    if (!p || !p->shown)
        return;
    rl_clear_visible_line();
    fflush(rl_outstream);
    p->shown = false;
}

void wlab_prompt_show(wlab_prompt *p)
{
    if (!p || !p->installed || p->shown)
        return;
    rl_on_new_line();
    rl_redisplay();
    p->shown = true;
}

/* A new prompt text under what is being typed. */
static void refresh(wlab_prompt *p)
{
    char text[128];
    prompt_text(p, text, sizeof text);
    wlab_prompt_hide(p);
    rl_set_prompt(text);
    wlab_prompt_show(p);
}

static void drop_line(wlab_prompt *p)
{
    if (!p->installed)
        return;
    rl_callback_sigcleanup();
    rl_free_line_state();
    rl_cleanup_after_signal();
    rl_replace_line("", 0);
    (void)!write(STDOUT_FILENO, "^C\n", 3);
    rl_callback_handler_remove();
    p->installed = p->shown = false;
    install(p);
}

static void stop_job(wlab_prompt *p)
{
    bool was = p->installed;
    if (was)
        rl_deprep_terminal();
    (void)raise(SIGSTOP);
    if (was) {
        rl_prep_terminal(1);
        p->shown = false;
        wlab_prompt_show(p);
    }
}

/* ---- history ---- */

static void remember(wlab_prompt *p, const char *line)
{
    if (line[0] == ' ' || line[strspn(line, " \t")] == '\0')
        return;
    for (int i = history_length - 1; i >= 0; i--) {
        HIST_ENTRY *e = history_get(history_base + i);
        if (e && strcmp(e->line, line) == 0)
            free_history_entry(remove_history(i));
    }
    add_history(line);
    if (p->history && append_history(1, p->history) != 0) {
        int fd = open(p->history, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        if (fd >= 0) {
            close(fd);
            (void)append_history(1, p->history);
        }
    }
}

/* Of lines that are there twice the later one stays. */
static void drop_repeats(void)
{
    for (int i = history_length - 1; i > 0; i--) {
        const HIST_ENTRY *e = history_get(history_base + i);
        for (int k = i - 1; k >= 0; k--) {
            const HIST_ENTRY *older = history_get(history_base + k);
            if (e && older && strcmp(e->line, older->line) == 0) {
                free_history_entry(remove_history(k));
                i--;
            }
        }
    }
}

/* The file grows by a line each time, here and in other prompts, and is written anew, without repeats, at the
 * end. */
static void save_history(const wlab_prompt *p)
{
    char temp[4096];
    if (!p->history || snprintf(temp, sizeof temp, "%s.%ld", p->history, (long)getpid()) >= (int)sizeof temp)
        return;
    clear_history();
    if (read_history(p->history) != 0)
        return;
    drop_repeats();
    mode_t mask = umask(077);
    if (write_history(temp) == 0 && rename(temp, p->history) != 0)
        (void)unlink(temp);
    (void)umask(mask);
}

static void load_history(const wlab_prompt *p)
{
    using_history();
    stifle_history(KEPT_LINES);
    if (p->history && read_history(p->history) == 0)
        drop_repeats();
}

/* ---- the loop ---- */

static void carry_out(wlab_prompt *p)
{
    wlab_err err = {0};
    char *line = p->line;
    bool running = wlab_session_running(p->session);

    p->ready = false;
    p->line = NULL;
    if (!line) {
        if (running)
            wlab_session_interrupt(p->session);
        p->ended = true;
        return;
    }
    const char *text = line;
    if (line[strspn(line, " \t")] == '\0') {
        text = running ? NULL : wlab_session_repeat(p->session);
    } else {
        remember(p, line);
    }
    char *copy = text ? strdup(text) : NULL;
    if (copy) {
        if (!running)
            wlab_session_clear_interrupt(p->session);
        if (wlab_session_line(p->session, copy, WL_FROM_PERSON, NULL, 0, &err))
            p->report(p->self, &err);
        if (!running && !p->fatal)
            wlab_session_clear_interrupt(p->session);
    }
    free(copy);
    free(line);
}

static void serve_signal(wlab_prompt *p)
{
    unsigned char byte[32];
    ssize_t n = read(p->signals, byte, sizeof byte);
    for (ssize_t i = 0; i < n; i++)
        switch (byte[i]) {
        case SIGINT:
            if (wlab_session_running(p->session))
                wlab_session_interrupt(p->session);
            else
                drop_line(p);
            p->key = true;
            break;
        case SIGTERM:
        case SIGHUP:
            p->fatal = byte[i];
            p->key = true;
            wlab_session_interrupt(p->session);
            break;
        case SIGWINCH:
            if (p->installed)
                rl_resize_terminal();
            break;
        case SIGTSTP:
            stop_job(p);
            break;
        default:
            break;
        }
}

/* Wait for the keyboard, a signal, or fd (-1: none) at most ms (-1: for ever) and serve the first two.
 * Returns whether fd is readable. */
static bool serve(wlab_prompt *p, int fd, int ms)
{
    struct pollfd on[3] = {{.fd = p->installed ? STDIN_FILENO : -1, .events = POLLIN},
                           {.fd = p->signals, .events = POLLIN},
                           {.fd = fd, .events = POLLIN}};
    if (poll(on, 3, ms) < 0)
        return false;
    if (on[1].revents)
        serve_signal(p);
    if (on[0].revents && p->installed && !p->fatal) {
        if ((on[0].revents & (POLLHUP | POLLERR | POLLNVAL)) && !(on[0].revents & POLLIN)) {
            uninstall(p);
            p->ended = true;
            wlab_session_interrupt(p->session);
        } else {
            rl_callback_read_char();
        }
    }
    return on[2].revents != 0;
}

/* The session computes: serve the keyboard until fd has something.  Short commands never see a prompt. */
static void idle(void *self, int fd)
{
    wlab_prompt *p = self;
    struct pollfd soon = {.fd = fd, .events = POLLIN};

    if (!p->installed && !p->ended && !p->fatal) {
        if (poll(&soon, 1, PATIENCE_MS) > 0)
            return;
        install(p);
    }
    (void)serve(p, fd, -1);
    if (p->ready)
        carry_out(p);
}

static void pause_at(void *self, double seconds)
{
    wlab_prompt *p = self;
    struct termios raw, before;
    struct timespec now;
    double end = 0;
    bool held = false;

    uninstall(p);
    if (tcgetattr(STDIN_FILENO, &before) == 0) {
        raw = before;
        raw.c_lflag &= (tcflag_t) ~(ICANON | ECHO);
        (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    end = (double)now.tv_sec + (double)now.tv_nsec * 1e-9 + seconds;
    p->key = false;
    if (seconds < 0)
        fprintf(stderr, "-- press a key --");
    while (!p->key && !p->fatal) {
        int ms = -1;
        if (seconds >= 0 && !held) {
            clock_gettime(CLOCK_MONOTONIC, &now);
            double left = end - (double)now.tv_sec - (double)now.tv_nsec * 1e-9;
            if (left <= 0)
                break;
            ms = (int)(left * 1000) + 1;
        }
        struct pollfd on[2] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = p->signals, .events = POLLIN}};
        if (poll(on, 2, ms) < 0)
            continue;
        if (on[1].revents)
            serve_signal(p);
        if (on[0].revents) {
            char c;
            if (read(STDIN_FILENO, &c, 1) <= 0)
                p->ended = true;
            else if (c == ' ' && seconds >= 0 && !held) { /* Space holds a pause of some seconds */
                held = true;
                fprintf(stderr, "-- press a key --");
                continue;
            }
            p->key = true;
        }
    }
    if (seconds < 0 || held)
        fprintf(stderr, "\r                 \r");
    (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
}

int wlab_prompt_run(wlab_prompt *p)
{
    p->ended = false;
    while (!p->ended && !p->fatal && !wlab_session_quits(p->session)) {
        if (!p->installed)
            install(p);
        else
            refresh(p);
        while (!p->ready && !p->ended && !p->fatal)
            (void)serve(p, -1, -1);
        if (p->ready)
            carry_out(p);
    }
    uninstall(p);
    return p->fatal;
}

wlab_code wlab_prompt_create(wlab_prompt **out, wlab_session *session, bool asks, const char *history,
                             int signals, void (*report)(void *, const wlab_err *), void *self, wlab_err *err)
{
    wlab_prompt *p = wlab_calloc(1, sizeof *p);
    if (!p)
        return wlab_nomem(err);
    p->session = session;
    p->history = history ? wlab_strdup(history) : NULL;
    p->signals = signals;
    p->report = report;
    p->self = self;
    p->asks = asks;
    the = p;
    guard_terminal();
    rl_readline_name = "weaklab";
    rl_catch_signals = 0;
    rl_catch_sigwinch = 0;
    rl_change_environment = 0;
    rl_variable_bind("enable-bracketed-paste", "off");
    wlab_complete_install(session);
    load_history(p);
    wlab_session_set_idle(session, asks ? idle : NULL, pause_at, p);
    *out = p;
    return WL_OK;
}

void wlab_prompt_destroy(wlab_prompt *p)
{
    if (!p)
        return;
    uninstall(p);
    if (p->asks)
        save_history(p);
    wlab_session_set_idle(p->session, NULL, NULL, NULL);
    clear_history();
    free(p->line);
    wlab_free(p->history);
    wlab_free(p);
    the = NULL;
}
