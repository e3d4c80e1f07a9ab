/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The terminal's modes.  Restoring uses only what a signal handler may call.
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

static struct termios found;
static bool found_ok;
static volatile wlab_mode mode = WL_MODE_FOUND;
static char leave[256]; /* written on the way out */
static volatile sig_atomic_t leave_len;
static pthread_t main_thread;
static int real_err = -1, caught[2] = {-1, -1};

/* A terminal that is stopped, or that nobody reads, must not hold up the end. */
static bool takes(int fd)
{
    struct pollfd out = {.fd = fd, .events = POLLOUT};
    return poll(&out, 1, 0) == 1 && (out.revents & POLLOUT);
}

/* In the background the terminal is somebody else's, and setting its modes would stop this process. */
static bool behind(void)
{
    pid_t front = tcgetpgrp(STDIN_FILENO);
    return front > 0 && front != getpgrp();
}

void wlab_terminal_restore(void)
{
    int kept = errno;
    bool changed = found_ok && mode != WL_MODE_FOUND && !behind();
    char piece[512];
    ssize_t n;

    if (changed && takes(STDOUT_FILENO)) {
        (void)!write(STDOUT_FILENO, leave, (size_t)leave_len);
        if (mode != WL_MODE_SCREEN) /* what comes next begins a line */
            (void)!write(STDOUT_FILENO, "\r\n", 2);
    }
    leave_len = 0;
    if (real_err >= 0) {
        (void)dup2(real_err, STDERR_FILENO);
        while (takes(STDERR_FILENO) && (n = read(caught[0], piece, sizeof piece)) > 0)
            (void)!write(STDERR_FILENO, piece, (size_t)n);
    }
    if (changed)
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &found);
    errno = kept;
}

/* All signals are blocked here.  So a fault in here ends the process at once, and a second thread that gets a signal
 * waits until the first has restored the terminal and the process is gone. */
static void crashed(int sig, siginfo_t *info, void *context)
{
    static atomic_flag one = ATOMIC_FLAG_INIT;

    (void)context;
    /* What somebody sent may come to any thread: it is the main one's, which then sets no modes meanwhile. */
    if (info->si_code == SI_USER && !pthread_equal(pthread_self(), main_thread)) {
        (void)pthread_kill(main_thread, sig);
        return;
    }
    while (atomic_flag_test_and_set(&one))
        (void)pause();
    wlab_terminal_restore();
    (void)signal(sig, SIG_DFL);
    (void)raise(sig); /* delivered on return: the core dump shows where it was */
}

/* By default these end no process. */
static bool harmless(int sig)
{
    static const int list[] = {SIGCHLD, SIGCONT, SIGURG, SIGWINCH, SIGTSTP, SIGTTIN, SIGTTOU};

    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (sig == list[i])
            return true;
    return false;
}

/* Whatever would end the program without a word: its own faults, limits, timers, and what others send.  None of them
 * means anything here, so that each does what it does to any program, after the terminal was restored.  What was
 * found ignored, or has a handler (of main.c, a profiler, a sanitizer), stays as it is. */
void wlab_terminal_guard(void)
{
    static char stack_bytes[1 << 16];
    stack_t stack = {.ss_sp = stack_bytes, .ss_size = sizeof stack_bytes};
    struct sigaction act = {.sa_sigaction = crashed, .sa_flags = SA_ONSTACK | SA_SIGINFO}, old;

    main_thread = pthread_self();
    found_ok = tcgetattr(STDIN_FILENO, &found) == 0;
    (void)sigaltstack(&stack, NULL);
    sigfillset(&act.sa_mask);
    for (int sig = 1; sig <= SIGRTMAX; sig++)
        if (!harmless(sig) && sigaction(sig, NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO) &&
            old.sa_handler == SIG_DFL)
            (void)sigaction(sig, &act, NULL);
    (void)atexit(wlab_terminal_restore);
}

/* The order is for a signal that comes between the two: what may have changed is restored. */
static void set(wlab_mode wanted, const struct termios *modes)
{
    if (wanted != WL_MODE_FOUND)
        mode = wanted;
    (void)tcsetattr(STDIN_FILENO, TCSADRAIN, modes);
    mode = wanted;
}

void wlab_terminal_mode(wlab_mode wanted)
{
    struct termios now = found;

    if (!found_ok)
        return;
    if (wanted != WL_MODE_FOUND && wanted != WL_MODE_LINE) {
        now.c_lflag &= (tcflag_t) ~(ICANON | ECHO);
        now.c_cc[VMIN] = 1;
        now.c_cc[VTIME] = 0;
    }
    if (wanted == WL_MODE_QUIET || wanted == WL_MODE_SCREEN)
        now.c_iflag &= (tcflag_t) ~(ICRNL | INLCR);
    if (wanted == WL_MODE_SCREEN) {
        now.c_iflag &= (tcflag_t) ~(IXON | IGNCR | ISTRIP);
        now.c_lflag &= (tcflag_t) ~(IEXTEN | ECHONL);
    }
    set(wanted, &now);
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
        (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &found);
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
    struct termios as_before; /* readline may have the terminal */
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
    set(before, &as_before);
    return known == 1;
}
