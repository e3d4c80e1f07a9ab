/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The prompt.
 *
 * One poll loop on the keyboard, the signals' pipe and, while the solver thread computes, its events.  A typed
 * line is only noted by readline's handler and carried out after rl_callback_read_char has returned, so that
 * the loop may be entered again from the session (idle) while a command goes on.  Lines that come meanwhile are
 * kept and carried out in order: what a pasted text does must not depend on how fast a run was.
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
    PATIENCE_MS = 150,
    BY_HAND_MS = 20, /* nobody types a line without such a pause before or in it */
    STATUS_WIDTH = 78,
    QUIET_SECONDS = 2, /* from then on the prompt says how long it computes */
};

struct wlab_prompt {
    wlab_session *session;
    char *history;
    int signals;
    void (*report)(void *, const wlab_err *);
    void *self;
    bool asks;      /* there will be a prompt */
    bool silent;    /* no status line */
    bool installed; /* readline has the terminal */
    bool shown;     /* its line is on the screen */
    bool ended;     /* end of input */
    bool ready;     /* `line` waits */
    char *line;     /* from readline, or NULL */
    int fatal;      /* the signal that ends the program */
    bool key;       /* a key was pressed while `wait` waits */

    char **kept; /* lines that came while a command went on; NULL in it: the end of input */
    int nkept;
    bool closing;    /* the end of input is among them */
    bool told;       /* that they are kept */
    bool by_hand;    /* there was a pause in the line being typed, so that it was not pasted */
    double last_key; /* seconds */
    bool stuffed;    /* readline holds a byte that poll does not see */

    int64_t job;    /* whose time is shown */
    double began;   /* when it did, in seconds */
    int64_t second; /* shown last */
    char what[64];  /* its progress, or "" */
    bool status;    /* the line that says so is on the screen (no prompt asked for) */
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
    if (wlab_session_running(p->session) && p->second >= QUIET_SECONDS)
        snprintf(buf, size, "(running %lld s%s)> ", (long long)p->second, p->what);
    else if (wlab_session_running(p->session))
        snprintf(buf, size, "(running)> ");
    else if (run && wlab_run_half(run) > 0)
        snprintf(buf, size, "(%s:%lld+%lld %s)> ", wlab_run_name(run), (long long)wlab_run_iter(run),
                 (long long)wlab_run_half(run), wlab_run_algo(run)->name);
    else if (run)
        snprintf(buf, size, "(%s:%lld %s)> ", wlab_run_name(run), (long long)wlab_run_iter(run),
                 wlab_run_algo(run)->name);
    else
        snprintf(buf, size, "weaklab> ");
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Between two prompts what is typed ahead is not echoed: readline will show it.  It looks at the terminal's own
 * echo flag, so that must be on again before it begins. */
static void quiet_terminal(bool quiet)
{
    if (!saved_ok)
        return;
    struct termios now = saved;
    if (quiet) {
        now.c_lflag &= (tcflag_t) ~(ICANON | ECHO);
        now.c_iflag &= (tcflag_t) ~(ICRNL | INLCR);
        now.c_cc[VMIN] = 1;
        now.c_cc[VTIME] = 0;
    }
    (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &now);
}

static void on_line(char *line)
{
    rl_callback_handler_remove();
    quiet_terminal(true);
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
    quiet_terminal(false);
    rl_callback_handler_install(text, on_line);
    p->installed = p->shown = true;
}

static void uninstall(wlab_prompt *p)
{
    if (!p->installed)
        return;
    rl_clear_visible_line();
    rl_callback_handler_remove();
    quiet_terminal(true);
    p->installed = p->shown = false;
}

void wlab_prompt_hide(wlab_prompt *p)
{
    if (p && p->status) {
        fprintf(stderr, "\r%*s\r", STATUS_WIDTH, "");
        p->status = false;
    }
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
    else
        quiet_terminal(false);
    (void)raise(SIGSTOP);
    if (!was)
        quiet_terminal(true);
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

static void carry_out(wlab_prompt *p, const char *line)
{
    wlab_err err = {0};
    const char *text = line[strspn(line, " \t")] == '\0' ? wlab_session_repeat(p->session) : line;
    char *copy = text ? strdup(text) : NULL;

    if (!copy)
        return;
    wlab_session_clear_interrupt(p->session);
    if (wlab_session_line(p->session, copy, WL_FROM_PERSON, NULL, 0, &err))
        p->report(p->self, &err);
    if (!p->fatal)
        wlab_session_clear_interrupt(p->session);
    free(copy);
}

/* Takes line. */
static void keep(wlab_prompt *p, char *line)
{
    char **grown = wlab_realloc(p->kept, (size_t)p->nkept + 1, sizeof *grown);
    if (!grown) {
        wlab_err err = {0};
        (void)wlab_nomem(&err);
        p->report(p->self, &err);
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
    p->closing = p->told = false;
    return n;
}

/* What readline has read: with its bracketed paste a text of several lines, each of which is kept. */
static void take_line(wlab_prompt *p)
{
    char *text = p->line;

    p->ready = false;
    p->line = NULL;
    if (!text) {
        keep(p, NULL);
        return;
    }
    for (char *line = text;;) {
        size_t len = strcspn(line, "\r\n");
        bool last = line[len] == '\0' || line[len + 1] == '\0';
        char *one = strndup(line, len);
        if (one) {
            remember(p, one);
            keep(p, one);
        }
        if (last)
            break;
        line += len + 1;
    }
    free(text);
}

/* A line came while the session computes.  `quit` by hand ends that; in a pasted text it waits for its turn,
 * so that the commands before it are carried out whenever it arrives. */
static void take_meanwhile(wlab_prompt *p)
{
    bool by_hand = p->by_hand;
    int before = p->nkept;
    wlab_line_kind kind;

    p->by_hand = false;
    take_line(p);
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
            p->report(p->self, &err);
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
    } else if (!p->told) {
        p->told = true;
        wlab_session_say(p->session, "running: kept for when it stops; Ctrl-C stops it");
    }
}

/* The first kept line, shown as if typed now. */
static void carry_out_kept(wlab_prompt *p)
{
    char *line = p->kept[0];

    p->nkept--;
    memmove(p->kept, p->kept + 1, (size_t)p->nkept * sizeof *p->kept);
    if (p->nkept == 0)
        p->told = false;
    if (!line) {
        p->ended = true;
        return;
    }
    carry_out(p, line);
    free(line);
}

static void echo_kept(wlab_prompt *p)
{
    char text[128];

    if (!p->kept[0])
        return;
    prompt_text(p, text, sizeof text);
    wlab_prompt_hide(p);
    fprintf(rl_outstream, "%s%s\n", text, p->kept[0]);
    fflush(rl_outstream);
    wlab_prompt_show(p);
}

/* Ctrl-C: stops what goes on and forgets what was to come. */
static void stop_all(wlab_prompt *p)
{
    int n = drop_kept(p);
    char dropped[64] = "";

    if (n > 0)
        snprintf(dropped, sizeof dropped, "; %d kept line%s dropped", n, n == 1 ? " is" : "s are");
    if (wlab_session_running(p->session)) {
        wlab_session_interrupt(p->session);
        if (p->installed && rl_end > 0)
            drop_line(p);
        wlab_session_say(p->session, "stopping: after this update%s", dropped);
    } else {
        drop_line(p);
        if (n > 0)
            wlab_session_say(p->session, "stopped%s", dropped);
    }
}

static void serve_signal(wlab_prompt *p)
{
    unsigned char byte[32];
    ssize_t n = read(p->signals, byte, sizeof byte);
    for (ssize_t i = 0; i < n; i++)
        switch (byte[i]) {
        case SIGINT:
            stop_all(p);
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
    struct pollfd on[3] = {
        {.fd = p->installed && !p->fatal && !p->ended ? STDIN_FILENO : -1, .events = POLLIN},
        {.fd = p->signals, .events = POLLIN},
        {.fd = fd, .events = POLLIN}};
    if (poll(on, 3, p->stuffed && p->installed ? 0 : ms) < 0)
        return false;
    if (on[1].revents)
        serve_signal(p);
    if ((on[0].revents || p->stuffed) && p->installed && !p->fatal) {
        double now = seconds_now();
        p->by_hand = p->by_hand || now - p->last_key > BY_HAND_MS * 1e-3;
        p->last_key = now;
        if ((on[0].revents & (POLLHUP | POLLERR | POLLNVAL)) && !(on[0].revents & POLLIN)) {
            uninstall(p);
            p->ended = true;
            wlab_session_interrupt(p->session);
        } else {
            p->stuffed = false;
            rl_callback_read_char();
        }
    }
    return on[2].revents != 0;
}

/* The seconds in the prompt.  Returns how many ms to wait for the next. */
static int tick(wlab_prompt *p)
{
    double now = seconds_now(), since;
    if (p->job != wlab_session_job(p->session)) {
        p->job = wlab_session_job(p->session);
        p->began = now;
        p->second = 0;
        p->what[0] = '\0';
    }
    since = now - p->began;
    if (p->second != (int64_t)since) {
        p->second = (int64_t)since;
        if (p->second >= QUIET_SECONDS && p->installed)
            refresh(p);
        if (p->second >= QUIET_SECONDS && !p->asks && !p->silent) {
            wlab_prompt_hide(p);
            fprintf(stderr, "computing ... %lld s%s", (long long)p->second, p->what);
            p->status = true;
        }
    }
    return (int)(((double)p->second + 1 - since) * 1000) + 1;
}

void wlab_prompt_progress(wlab_prompt *p, const wlab_event *event)
{
    if (p && event->kind == WL_EV_PROGRESS)
        snprintf(p->what, sizeof p->what, ": %lld of %lld %.20s", (long long)event->done,
                 (long long)event->total, event->text);
}

/* The session computes: serve the keyboard until fd has something.  Short commands never see a prompt. */
static void idle(void *self, int fd)
{
    wlab_prompt *p = self;
    struct pollfd soon = {.fd = fd, .events = POLLIN};

    int ms = tick(p);

    if (!p->asks) {
        (void)poll(&soon, 1, ms);
        return;
    }
    if (!p->installed && !p->ended && !p->fatal && !p->closing) {
        struct pollfd typed = {.fd = STDIN_FILENO, .events = POLLIN};
        if (poll(&soon, 1, PATIENCE_MS) > 0)
            return;
        install(p);
        p->by_hand = false;
        if (poll(&typed, 1, 0) > 0) /* typed before there was a prompt to answer to */
            p->last_key = seconds_now();
    }
    (void)serve(p, fd, ms);
    if (p->ready)
        take_meanwhile(p);
}

static void pause_at(void *self, double seconds)
{
    wlab_prompt *p = self;
    struct termios raw, before;
    double end = seconds_now() + seconds;
    bool held = false;

    if (p->nkept > 0) /* something was typed already */
        return;
    uninstall(p);
    if (tcgetattr(STDIN_FILENO, &before) == 0) {
        raw = before;
        raw.c_lflag &= (tcflag_t) ~(ICANON | ECHO);
        (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
    }
    p->key = false;
    if (seconds < 0)
        fprintf(stderr, "-- press a key --");
    while (!p->key && !p->fatal) {
        int ms = -1;
        if (seconds >= 0 && !held) {
            double left = end - seconds_now();
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
            } else if (c > ' ' && c < 0x7f && p->asks) { /* the next line begins */
                p->stuffed = rl_stuff_char(c) != 0;
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
    struct pollfd asked = {.fd = p->signals, .events = POLLIN};

    while (!p->ended && !p->fatal && !wlab_session_quits(p->session)) {
        if (p->nkept > 0) {
            if (poll(&asked, 1, 0) > 0) { /* a Ctrl-C that came between two of them */
                serve_signal(p);
                continue;
            }
            echo_kept(p);
            carry_out_kept(p);
            continue;
        }
        if (!p->installed)
            install(p);
        else
            refresh(p);
        while (!p->ready && !p->ended && !p->fatal)
            (void)serve(p, -1, -1);
        if (p->ready) {
            take_line(p);
            p->by_hand = false;
            if (p->nkept == 1)
                carry_out_kept(p); /* it is on the screen already */
        }
    }
    uninstall(p);
    quiet_terminal(false);
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
    p->silent = !isatty(STDERR_FILENO);
    the = p;
    guard_terminal();
    rl_readline_name = "weaklab";
    rl_catch_signals = 0;
    rl_catch_sigwinch = 0;
    rl_change_environment = 0;
    rl_variable_bind("enable-bracketed-paste", "off");
    wlab_complete_install(session);
    load_history(p);
    wlab_session_set_idle(session, idle, pause_at, p);
    *out = p;
    return WL_OK;
}

void wlab_prompt_destroy(wlab_prompt *p)
{
    if (!p)
        return;
    wlab_prompt_hide(p);
    uninstall(p);
    if (p->asks)
        quiet_terminal(false);
    (void)drop_kept(p);
    wlab_free(p->kept);
    if (p->asks)
        save_history(p);
    wlab_session_set_idle(p->session, NULL, NULL, NULL);
    clear_history();
    free(p->line);
    wlab_free(p->history);
    wlab_free(p);
    the = NULL;
}
