/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The terminal's modes.  Restoring calls only functions that are safe in a signal handler.
 */
#include "tui/terminal.h"
#include "tui/loop.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static struct termios found_modes;
static bool found_ok;
static volatile wlab_mode mode = WL_MODE_FOUND;
static char leave[256]; /* written when the terminal is restored */
static volatile sig_atomic_t leave_len;
static pthread_t main_thread;
static int real_err = -1, caught[2] = {-1, -1};

/* Restoring must not block on a terminal that is stopped or that nobody reads. */
static bool is_writable(int fd)
{
    struct pollfd out = {.fd = fd, .events = POLLOUT};
    return poll(&out, 1, 0) == 1 && (out.revents & POLLOUT);
}

/* A background process does not own the terminal: setting its modes would stop the process. */
static bool in_background(void)
{
    pid_t front = tcgetpgrp(STDIN_FILENO);
    return front > 0 && front != getpgrp();
}

void wlab_terminal_restore(void)
{
    int kept = errno;
    bool changed = found_ok && mode != WL_MODE_FOUND && !in_background();
    char piece[512];
    ssize_t n;

    if (changed && is_writable(STDOUT_FILENO)) {
        (void)!write(STDOUT_FILENO, leave, (size_t)leave_len);
        if (mode != WL_MODE_SCREEN) /* later output begins on a new line */
            (void)!write(STDOUT_FILENO, "\r\n", 2);
    }
    leave_len = 0;
    if (real_err >= 0) {
        (void)dup2(real_err, STDERR_FILENO);
        while (is_writable(STDERR_FILENO) && (n = read(caught[0], piece, sizeof piece)) > 0)
            (void)!write(STDERR_FILENO, piece, (size_t)n);
    }
    if (changed)
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &found_modes);
    errno = kept;
}

/* All signals are blocked in this handler.  A fault in it therefore ends the process at once, and a second thread
 * that gets a signal waits until the first has restored the terminal and the process is gone. */
static void handle_fatal_signal(int sig, siginfo_t *info, void *context)
{
    static atomic_flag entered = ATOMIC_FLAG_INIT;

    (void)context;
    /* A signal that another process sent may have reached another thread.  Pass it to the main thread: only that one
     * changes the terminal's modes, so none is being changed while it runs this handler. */
    if (info->si_code == SI_USER && !pthread_equal(pthread_self(), main_thread)) {
        (void)pthread_kill(main_thread, sig);
        return;
    }
    while (atomic_flag_test_and_set(&entered))
        (void)pause();
    wlab_terminal_restore();
    (void)signal(sig, SIG_DFL);
    (void)raise(sig); /* delivered on return: the core dump shows where the fault was */
}

/* Signals that by default do not end a process. */
static bool harmless(int sig)
{
    static const int list[] = {SIGCHLD, SIGCONT, SIGURG, SIGWINCH, SIGTSTP, SIGTTIN, SIGTTOU};

    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (sig == list[i])
            return true;
    return false;
}

/* Handle every signal that would end the program silently: its own faults, limits, timers, and signals that others
 * send.  The program gives none of them a meaning of its own, so each has its default effect once the terminal is
 * restored.  Signals that were found ignored, or that have a handler (of main.c, a profiler, a sanitizer), are left
 * alone. */
void wlab_terminal_guard(void)
{
    static char stack_bytes[1 << 16];
    stack_t stack = {.ss_sp = stack_bytes, .ss_size = sizeof stack_bytes};
    struct sigaction act = {.sa_sigaction = handle_fatal_signal, .sa_flags = SA_ONSTACK | SA_SIGINFO}, old;

    main_thread = pthread_self();
    found_ok = tcgetattr(STDIN_FILENO, &found_modes) == 0;
    (void)sigaltstack(&stack, NULL);
    sigfillset(&act.sa_mask);
    for (int sig = 1; sig <= SIGRTMAX; sig++)
        if (!harmless(sig) && sigaction(sig, NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO) &&
            old.sa_handler == SIG_DFL)
            (void)sigaction(sig, &act, NULL);
    (void)atexit(wlab_terminal_restore);
}

/* `mode` is set first (and reset last) so that a signal between the two lines restores whatever may have changed. */
static void set_mode(wlab_mode next, const struct termios *modes)
{
    if (next != WL_MODE_FOUND)
        mode = next;
    (void)tcsetattr(STDIN_FILENO, TCSADRAIN, modes);
    mode = next;
}

void wlab_terminal_mode(wlab_mode next)
{
    struct termios now = found_modes;

    if (!found_ok)
        return;
    if (next != WL_MODE_FOUND && next != WL_MODE_LINE) {
        now.c_lflag &= (tcflag_t) ~(ICANON | ECHO);
        now.c_cc[VMIN] = 1;
        now.c_cc[VTIME] = 0;
    }
    if (next == WL_MODE_QUIET || next == WL_MODE_SCREEN)
        now.c_iflag &= (tcflag_t) ~(ICRNL | INLCR);
    if (next == WL_MODE_SCREEN) {
        now.c_iflag &= (tcflag_t) ~(IXON | IGNCR | ISTRIP);
        now.c_lflag &= (tcflag_t) ~(IEXTEN | ECHONL);
    }
    set_mode(next, &now);
}

wlab_mode wlab_terminal_mode_now(void)
{
    return mode;
}

void wlab_terminal_leave_with(const char *strings)
{
    leave_len = 0;
    if (strings && strlen(strings) < sizeof leave) {
        memcpy(leave, strings, strlen(strings));
        leave_len = (sig_atomic_t)strlen(strings);
    }
}

int wlab_terminal_catch_errors(void)
{
    if (real_err >= 0)
        return caught[0];
    if (pipe2(caught, O_CLOEXEC | O_NONBLOCK) != 0)
        return -1;
    int kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 10);
    if (kept < 0 || dup2(caught[1], STDERR_FILENO) < 0) {
        if (kept >= 0)
            close(kept);
        close(caught[0]);
        close(caught[1]);
        caught[0] = caught[1] = -1;
        return -1;
    }
    real_err = kept;
    return caught[0];
}

void wlab_terminal_release_errors(void)
{
    if (real_err < 0)
        return;
    (void)dup2(real_err, STDERR_FILENO);
    close(real_err);
    real_err = -1;
    close(caught[0]);
    close(caught[1]);
    caught[0] = caught[1] = -1;
}

void wlab_terminal_suspend(void)
{
    struct termios now;
    bool ok = tcgetattr(STDIN_FILENO, &now) == 0;

    if (found_ok)
        (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &found_modes);
    (void)raise(SIGSTOP);
    if (ok)
        (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &now);
}

/* "ESC [ ? 6 2 ; 4 ; ... c": attribute 4 is sixel. */
static bool has_attribute_4(const char *answer)
{
    for (const char *p = answer; *p && *p != 'c'; p++)
        if ((p[0] == ';' || p[0] == '?') && p[1] == '4' && (p[2] == ';' || p[2] == 'c'))
            return p > answer && p[0] == ';';
    return false;
}

bool wlab_terminal_sixel(char *typed, size_t size, size_t *ntyped)
{
    static int known = -1;
    char got[128];
    size_t n = 0;
    double end;
    wlab_mode before = mode;
    struct termios as_before; /* readline may have set modes of its own */
    const char *term = getenv("TERM");

    *ntyped = 0;
    if (known >= 0 || mode == WL_MODE_SCREEN)
        return known == 1;
    known = 0;
    if (!term || strcmp(term, "dumb") == 0 || !isatty(STDOUT_FILENO) ||
        tcgetattr(STDIN_FILENO, &as_before) != 0)
        return false;
    wlab_terminal_mode(WL_MODE_KEYS);
    fflush(stdout);
    (void)!write(STDOUT_FILENO, "\033[c", 3);
    end = wlab_seconds_now() + 0.3;
    while (n + 1 < sizeof got) {
        struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
        double left = end - wlab_seconds_now();
        if (left <= 0 || poll(&in, 1, (int)(left * 1000) + 1) <= 0 || read(STDIN_FILENO, got + n, 1) != 1)
            break;
        n++;
        got[n] = '\0';
        const char *start = strstr(got, "\033[?");
        if (start && got[n - 1] == 'c') {
            known = has_attribute_4(start);
            n = (size_t)(start - got);
            break;
        }
    }
    for (size_t i = 0; i < n && *ntyped < size; i++)
        typed[(*ntyped)++] = got[i];
    set_mode(before, &as_before);
    return known == 1;
}
