/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The program on a pseudo-terminal, ended by each signal in each of its states: it dies of that signal and leaves the
 * terminal as it was found.  There is no shell between, which would repair the terminal.  The same holds after
 * `quit`, on a terminal of any size and of sizes that keep changing.
 */
#include "base/thread.h"
#include "support.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <utmp.h>

enum {
    GIVE_UP = 100, /* seconds without any sign of life */
    ESC = 27
};

static char program[4096], folder[] = "/tmp/weaklab-crash-XXXXXX";

typedef struct session {
    const char *name;
    pid_t pid;
    int fd, slave;
    struct termios found;
    char *output;
    size_t n, used; /* bytes read; of these, matched by wait_until already */
    bool ended;
    int status;
} session;

typedef struct step {
    const char *type; /* keys */
    const char *until;
} step;

typedef struct state {
    const char *name;
    const char *const *words; /* of the command line */
    step steps[6];            /* ended by one without `until` */
    bool elsewhere;           /* other tests check its SIGTERM and SIGHUP (a sweep) */
} state;

#define RUN                                                                                                  \
    "generate topics n=300 d=300 seed=1; task ssl labeled=20; algo wellsvm kernel=rbf search=multistart; "   \
    "continue until iter > 99999\r"

static const char *const plain[] = {"-n", NULL};
static const char *const dashboard[] = {"-n", "-d", NULL};
static const char *const waiting[] = {"-n", "-b", "-e", "wait key", NULL};

static const state states[] = {
    {"idle", plain, {{"", "weaklab> "}}, false},
    {"typing", plain, {{"", "weaklab> "}, {"say half", "say half"}}, false},
    {"search", plain, {{"", "weaklab> "}, {"\022", "i-search"}}, false},
    {"completion", plain, {{"", "weaklab> "}, {"set \t\t", "history="}, {"", "weaklab> set "}}, false},
    {"run", plain, {{"", "weaklab> "}, {RUN, "(running)> "}}, false},
    {"typing while it runs",
     plain,
     {{"", "weaklab> "}, {RUN, "(running)> "}, {"say half", "say half"}},
     false},
    {"sweep", plain, {{"", "weaklab> "}, {"sweep long.wexp to out\r", "cells"}, {"", "(running)> "}}, true},
    {"wait", plain, {{"", "weaklab> "}, {"wait key\r", "press a key"}}, false},
    {"wait in a script", waiting, {{"", "press a key"}}, false},
    {"lesson", plain, {{"", "weaklab> "}, {"lesson short\r", "take over"}}, false},
    {"dashboard", dashboard, {{"", "weaklab> "}}, false},
    {"dashboard, run", dashboard, {{"", "weaklab> "}, {RUN, "(running)> "}}, false},
    {"dashboard, lesson", dashboard, {{"", "weaklab> "}, {"lesson short\r", "take over"}}, false},
    {"dashboard, wait", dashboard, {{"", "weaklab> "}, {"wait key\r", "press a key"}}, false},
};

/* ---- a program on a terminal ---- */

static void read_output(session *s)
{
    char piece[4096];
    ssize_t n = read(s->fd, piece, sizeof piece);

    if (n <= 0)
        return;
    s->output = realloc(s->output, s->n + (size_t)n + 1);
    assert_non_null(s->output);
    memcpy(s->output + s->n, piece, (size_t)n);
    s->n += (size_t)n;
    s->output[s->n] = '\0';
    for (size_t i = 0; i < s->n; i++)
        if (!s->output[i])
            s->output[i] = ' ';
}

static void print_output(const session *s)
{
    print_message("%s, it wrote: ", s->name);
    for (size_t i = s->n > 1500 ? s->n - 1500 : 0; i < s->n; i++)
        print_message(s->output[i] == ESC ? "<ESC>" : "%c", s->output[i]);
    print_message("\n");
}

/* Reads what the program has written; if there is nothing to read, notes whether it has ended or stopped.  True: one
 * of these happened. */
static bool poll_session(session *s)
{
    struct pollfd in = {.fd = s->fd, .events = POLLIN};
    int status;

    if (poll(&in, 1, 10) == 1 && (in.revents & POLLIN)) {
        read_output(s);
        return true;
    }
    if (!s->ended && waitpid(s->pid, &status, WNOHANG | WUNTRACED) == s->pid) {
        s->status = status;
        s->ended = !WIFSTOPPED(status);
        return true;
    }
    return false;
}

static bool same_modes(const session *s)
{
    struct termios now;

    assert_int_equal(tcgetattr(s->slave, &now), 0);
    return now.c_iflag == s->found.c_iflag && now.c_oflag == s->found.c_oflag &&
           now.c_cflag == s->found.c_cflag && now.c_lflag == s->found.c_lflag &&
           memcmp(now.c_cc, s->found.c_cc, sizeof now.c_cc) == 0;
}

typedef bool (*condition)(session *, const char *text);

/* It has set modes, so that restoring them changes something. */
static bool has_set_modes(session *s, const char *text)
{
    (void)text;
    return !same_modes(s);
}

static bool text_has_come(session *s, const char *text)
{
    const char *at = s->n > s->used ? strstr(s->output + s->used, text) : NULL;

    if (!at)
        return false;
    s->used = (size_t)(at - s->output) + strlen(text);
    return true;
}

static bool stopped(session *s, const char *text)
{
    (void)text;
    return WIFSTOPPED(s->status);
}

static bool has_ended(session *s, const char *text)
{
    (void)text;
    return s->ended;
}

static void wait_until(session *s, condition is, const char *text)
{
    time_t last = time(NULL);

    while (!is(s, text)) {
        if (poll_session(s))
            last = time(NULL);
        else if (s->ended || time(NULL) - last > GIVE_UP) {
            print_output(s);
            if (!s->ended)
                (void)kill(s->pid, SIGKILL);
            fail_msg("%s: %s before %s", s->name, s->ended ? "it ended" : "nothing came",
                     text                  ? text
                     : is == has_ended     ? "it ended"
                     : is == has_set_modes ? "it set its modes"
                                           : "it stopped");
        }
    }
}

static struct winsize size = {.ws_row = 30, .ws_col = 100}; /* of the next program */

static session start_program(const char *name, const char *file, const char *const *words)
{
    session s = {.name = name, .output = calloc(1, 1)};
    char *argv[16] = {(char *)(uintptr_t)file};

    for (int i = 0; words[i] && i < 14; i++)
        argv[i + 1] = (char *)(uintptr_t)words[i];
    assert_int_equal(openpty(&s.fd, &s.slave, NULL, NULL, &size), 0);
    (void)fcntl(s.fd, F_SETFD, FD_CLOEXEC);
    assert_int_equal(tcgetattr(s.slave, &s.found), 0);
    s.found.c_lflag &= (tcflag_t)~ECHOK; /* a mode that is not a default */
    s.found.c_cc[VERASE] = 'H' - '@';
    s.found.c_cc[VMIN] = 1;
    assert_int_equal(tcsetattr(s.slave, TCSANOW, &s.found), 0);
    assert_int_equal(tcgetattr(s.slave, &s.found), 0);
    s.pid = fork();
    assert_true(s.pid >= 0);
    if (s.pid == 0) {
        (void)login_tty(s.slave);
        execv(file, argv);
        _exit(127);
    }
    return s;
}

static session start(const char *name, const char *const *words)
{
    return start_program(name, program, words);
}

static void type_keys(session *s, const char *keys)
{
    size_t n = strlen(keys);
    assert_int_equal(write(s->fd, keys, n), (ssize_t)n);
}

static session reach_state(const state *in)
{
    session s = start(in->name, in->words);

    for (const step *t = in->steps; t->until; t++) {
        type_keys(&s, t->type);
        wait_until(&s, text_has_come, t->until);
    }
    wait_until(&s, has_set_modes, NULL);
    return s;
}

static void close_session(session *s)
{
    if (s->fd >= 0)
        close(s->fd);
    close(s->slave);
    free(s->output);
}

/* Is a mode that was turned on turned off again? */
static bool is_off(const session *s, const char *on, const char *off)
{
    const char *last_on = NULL, *last_off = NULL;

    for (const char *p = s->output; p && (p = strstr(p, on)); p++)
        last_on = p;
    for (const char *p = s->output; p && (p = strstr(p, off)); p++)
        last_off = p;
    return !last_on || (last_off && last_off > last_on);
}

/* The cursor is at the beginning of a line: only sequences follow the last newline or return, or the beginning. */
static bool at_line_start(const session *s)
{
    size_t at = s->n;
    while (at > 0 && s->output[at - 1] != '\n' && s->output[at - 1] != '\r')
        at--;
    for (const char *p = s->output + at; *p;) {
        if (*p++ != ESC)
            return false;
        if (*p == '[')
            p += 1 + strspn(p + 1, "?;0123456789");
        p += *p != '\0';
    }
    return true;
}

/* It has ended and left nothing in the terminal. */
static void assert_restored(session *s, const char *how)
{
    static const struct {
        const char *on, *off, *what;
    } twos[] = {{"\033[?1049h", "\033[?1049l", "the full screen"},
                {"\033[?25l", "\033[?25h", "a hidden cursor"},
                {"\033[?1h", "\033[?1l", "the keypad"},
                {"\033[?2004h", "\033[?2004l", "bracketed paste"},
                {"\033[?1034h", "\033[?1034l", "the meta key"}};
    struct pollfd in = {.fd = s->fd, .events = POLLIN};

    while (poll(&in, 1, 0) == 1 && (in.revents & POLLIN))
        read_output(s);
    if (!same_modes(s)) {
        print_output(s);
        fail_msg("%s, %s: the terminal's modes are others", s->name, how);
    }
    for (size_t i = 0; i < sizeof twos / sizeof *twos; i++)
        if (!is_off(s, twos[i].on, twos[i].off)) {
            print_output(s);
            fail_msg("%s, %s: %s is left on", s->name, how, twos[i].what);
        }
    if (!is_off(s, "\033[?1049h", "\033[?1049l") ||
        (!strstr(s->output, "\033[?1049h") && !at_line_start(s))) {
        print_output(s);
        fail_msg("%s, %s: the cursor is in the middle of a line", s->name, how);
    }
}

static void assert_died_of(session *s, int sig)
{
    char how[40];

    snprintf(how, sizeof how, "signal %d", sig);
    wait_until(s, has_ended, NULL);
    if (!WIFSIGNALED(s->status) || WTERMSIG(s->status) != sig)
        fail_msg("%s, %s: ended by signal %d, status %d", s->name, how,
                 WIFSIGNALED(s->status) ? WTERMSIG(s->status) : 0, WEXITSTATUS(s->status));
    assert_restored(s, how);
}

/* ---- which signals ---- */

/* Sanitizers handle the faults themselves. */
#ifdef __SANITIZE_ADDRESS__
enum {
    FAULT = SIGABRT
};
#define FAULTS SIGABRT
enum {
    EVERY = 3 /* each state gets every third signal only: a program under sanitizers begins slowly */
};
#else
enum {
    FAULT = SIGSEGV
};
enum {
    EVERY = 1
};
#define FAULTS SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP
#endif

static int signals_to_die_of(int *list)
{
    static const int named[] = {FAULTS,  SIGQUIT,   SIGSYS,  SIGXCPU, SIGALRM, SIGUSR1,
                                SIGUSR2, SIGVTALRM, SIGPROF, SIGIO,   SIGPWR,  SIGSTKFLT};
    int n = 0;

    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        list[n++] = named[i];
    list[n++] = SIGRTMIN;
    list[n++] = SIGRTMIN + 7;
    list[n++] = SIGRTMAX;
    return n;
}

/* ---- tests ---- */

static void test_every_signal_in_every_state(void **unused)
{
    int list[64], n = signals_to_die_of(list), tried = 0;

    (void)unused;
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        for (int k = (int)i % EVERY; k < n; k += EVERY) {
            session s = reach_state(&states[i]);
            assert_int_equal(kill(s.pid, list[k]), 0);
            assert_died_of(&s, list[k]);
            close_session(&s);
            tried++;
        }
    print_message("%d ends by %d signals\n", tried, n);
}

/* The fault may be in any of the program's threads. */
static void test_fault_of_each_thread(void **unused)
{
    static const char *const words[] = {"-n", "-j", "3", NULL};
    static const state run = {"run, a thread", words, {{"", "weaklab> "}, {RUN, "(running)> "}}, false};
    int tried = 0;

    (void)unused;
    for (int nth = 0;; nth++) {
        session s = reach_state(&run);
        char tasks[64];
        int i = 0, tid = 0;
        snprintf(tasks, sizeof tasks, "/proc/%d/task", (int)s.pid);
        DIR *d = opendir(tasks);
        assert_non_null(d);
        for (struct dirent *e; (e = readdir(d)) && !tid;)
            if (e->d_name[0] != '.' && i++ == nth)
                tid = atoi(e->d_name);
        closedir(d);
        if (tid) {
            assert_int_equal(syscall(SYS_tgkill, s.pid, tid, FAULT), 0);
            assert_died_of(&s, FAULT);
            tried++;
        } else {
            kill(s.pid, SIGKILL);
            wait_until(&s, has_ended, NULL);
        }
        close_session(&s);
        if (!tid)
            break;
    }
    assert_true(tried >= 4);
}

/* ---- a stack that is full ---- */

static int recurse(int n)
{
    volatile char bytes[4096];

    bytes[n % 4096] = (char)n;
    return n < 0 ? 0 : recurse(n + 1) + bytes[n % 4096];
}

static void *overflow(void *unused)
{
    (void)unused;
    (void)recurse(1);
    return NULL;
}

static void handled(int sig)
{
    _exit(sig == SIGSEGV ? 42 : 1);
}

/* The handler has a stack of its own: a thread whose stack is full could not restore the terminal. */
static void test_overflow_of_a_thread(void **unused)
{
    int status;

    (void)unused;
    pid_t pid = fork();
    if (pid == 0) {
        const struct sigaction act = {.sa_handler = handled, .sa_flags = SA_ONSTACK};
        pthread_t thread;

        (void)sigaction(SIGSEGV, &act, NULL);
        (void)(wlab_thread_start(&thread, overflow, NULL) || pthread_join(thread, NULL));
        _exit(2);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 42);
}

/* Requested to end by SIGTERM or SIGHUP, the program exits, and its exit status names the signal. */
static void test_requested_to_end(void **unused)
{
    static const int request[] = {SIGTERM, SIGHUP};

    (void)unused;
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        for (size_t k = 0; k < 2 && !states[i].elsewhere; k++) {
            session s = reach_state(&states[i]);
            assert_int_equal(kill(s.pid, request[k]), 0);
            wait_until(&s, has_ended, NULL);
            if (!WIFEXITED(s.status) || WEXITSTATUS(s.status) != 128 + request[k])
                fail_msg("%s, signal %d: status %x", s.name, request[k], (unsigned)s.status);
            assert_restored(&s, "requested to end");
            close_session(&s);
        }
}

/* The terminal is closed: nobody reads its output, but it ends. */
static void test_closed_terminal(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        if (states[i].elsewhere)
            continue;
        session s = reach_state(&states[i]);
        close(s.fd);
        s.fd = -1;
        wait_until(&s, has_ended, NULL);
        if (!WIFEXITED(s.status) || WEXITSTATUS(s.status) != 128 + SIGHUP)
            fail_msg("%s, terminal closed: status %x", s.name, (unsigned)s.status);
        close_session(&s);
    }
}

/* Its work does not end (here it reads a script that nobody writes): a second request, some time after the first,
 * makes it abandon the work. */
static void test_requested_again(void **unused)
{
    static const int request[] = {SIGTERM, SIGHUP};
    static const char *const stuck[] = {"-n", "-e", "wait 0.001", "fifo", NULL};
    static const char *const panel_stuck[] = {"-n", "-d", "fifo", NULL};

    (void)unused;
    for (size_t i = 0; i < 4; i++) {
        session s = i < 2 ? start("stuck", stuck) : start("dashboard, stuck", panel_stuck);
        int writer = -1, sig = request[i % 2];
        time_t last = 0;
        while (!s.ended && (writer = open("fifo", O_WRONLY | O_NONBLOCK | O_CLOEXEC)) < 0)
            (void)poll_session(&s);
        wait_until(&s, has_set_modes, NULL);
        while (!s.ended) {
            if (time(NULL) != last)
                (void)kill(s.pid, sig);
            last = time(NULL);
            (void)poll_session(&s);
        }
        if (!WIFEXITED(s.status) || WEXITSTATUS(s.status) != 128 + sig)
            fail_msg("%s, signal %d: status %x", s.name, sig, (unsigned)s.status);
        assert_restored(&s, "requested twice to end");
        close(writer);
        close_session(&s);
    }
}

/* On Ctrl-Z the program restores the terminal and stops.  A signal that it gets while it is stopped, or after it was
 * continued, ends it as usual. */
static void test_stopped_and_continued(void **unused)
{
    static const state some[] = {{"stopped", plain, {{"", "weaklab> "}, {"say half", "say half"}}, false},
                                 {"dashboard, stopped", dashboard, {{"", "weaklab> "}}, false}};
    int list[64], n = signals_to_die_of(list);

    (void)unused;
    for (size_t i = 0; i < 2; i++)
        for (int k = (int)i % EVERY; k < 2 * n; k += EVERY) {
            session s = reach_state(&some[i]);
            type_keys(&s, "\032");
            wait_until(&s, stopped, NULL);
            if (!same_modes(&s))
                fail_msg("%s: the terminal is not restored", s.name);
            if (k % 2 == 0) { /* continue it before the signal; else send the signal while it is stopped */
                s.status = 0;
                s.used = s.n;
                assert_int_equal(kill(s.pid, SIGCONT), 0);
                wait_until(&s, text_has_come, "weaklab> ");
                wait_until(&s, has_set_modes, NULL);
            }
            assert_int_equal(kill(s.pid, list[k / 2]), 0);
            assert_int_equal(kill(s.pid, SIGCONT), 0);
            assert_died_of(&s, list[k / 2]);
            close_session(&s);
        }
}

/* In the background the program does not own the terminal: it must leave the modes alone, but the signal must still
 * end it.  If the system gives the signal to another thread, the main thread may first go on, and is stopped by SIGTTOU
 * when it sets the modes: then it must be continued once more. */
static void test_in_the_background(void **unused)
{
    char line[5000];
    snprintf(line, sizeof line,
             "set -m; '%s' -n; echo stopped=$?; stty -echo -icanon min 7; stty -g; kill -s %d %%1; kill -s "
             "CONT %%1; "
             "while wait %%1; r=$?; [ $r -eq %d ] || [ $r -eq %d ]; do jobs >/dev/null; [ $r -eq %d ] || "
             "kill -s CONT "
             "%%1; sleep 0.02; done; echo ended=$r; stty -g; echo done",
             program, FAULT, 128 + SIGSTOP, 128 + SIGTTOU, 128 + SIGSTOP);
    const char *words[] = {"-c", line, NULL};
    session s = start_program("in the background", "/bin/sh", words);
    char expected[40], modes[2][200] = {"", ""};

    (void)unused;
    wait_until(&s, text_has_come, "weaklab> ");
    type_keys(&s, "\032");
    wait_until(&s, text_has_come, "done");
    snprintf(expected, sizeof expected, "ended=%d", 128 + FAULT);
    if (!strstr(s.output, expected)) {
        print_output(&s);
        fail_msg("in the background: not %s", expected);
    }
    assert_int_equal(sscanf(strstr(s.output, "stopped="), "stopped=%*d %199s", modes[0]), 1);
    assert_int_equal(sscanf(strstr(s.output, expected) + strlen(expected), " %199s", modes[1]), 1);
    assert_string_equal(modes[0], modes[1]);
    wait_until(&s, has_ended, NULL);
    close_session(&s);
}

/* What an inputrc turns on in the terminal is turned off at the end.  Bracketed paste, which the program turns off, is
 * not turned on, even if the file is read again. */
static void test_inputrc(void **unused)
{
    static const state keypad = {
        "inputrc",
        plain,
        {{"", "weaklab> "}, {"\030\022say once\r", "once"}, {"", "once"}, {"", "weaklab> "}},
        false};
    char path[sizeof folder + 20];

    (void)unused;
    snprintf(path, sizeof path, "%s/inputrc", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("set enable-keypad on\nset enable-bracketed-paste on\n", f);
    assert_int_equal(fclose(f), 0);
    setenv("INPUTRC", path, 1);
    session s = reach_state(&keypad);
    setenv("INPUTRC", "/dev/null", 1);
    assert_non_null(strstr(s.output, "\033[?1h"));
    assert_null(strstr(s.output, "\033[?2004h"));
    assert_int_equal(kill(s.pid, FAULT), 0);
    assert_died_of(&s, FAULT);
    close_session(&s);
}

/* The query for sixel pictures, while a line is requested, leaves readline its modes. */
static void test_query_keeps_modes(void **unused)
{
    static const state query = {
        "sixel",
        plain,
        {{"", "weaklab> "},
         {"generate topics n=300 d=300 seed=1; task ssl labeled=20; algo wellsvm kernel=rbf "
          "search=multistart; continue until seconds > 0.5; plot gap\r",
          "(running)> "},
         {"", "\033[c"},
         {"\033[?62c", "wellsvm)> "}},
        false};
    session s = reach_state(&query);
    struct termios now;

    (void)unused;
    assert_int_equal(tcgetattr(s.slave, &now), 0);
    if (now.c_lflag & (tcflag_t)(ICANON | ECHO)) {
        print_output(&s);
        fail_msg("the line is requested in the modes found at the start");
    }
    assert_int_equal(kill(s.pid, FAULT), 0);
    assert_died_of(&s, FAULT);
    close_session(&s);
}

/* `quit` typed by hand ends the running command and the program. */
static void quit_session(session *s, const char *how)
{
    time_t last = 0;

    while (!s->ended) {
        if (time(NULL) != last)
            (void)!write(s->fd, "\025quit\r", 6);
        last = time(NULL);
        (void)poll_session(s);
    }
    if (!WIFEXITED(s->status) || WEXITSTATUS(s->status) != 0) {
        print_output(s);
        fail_msg("%s, %s: status %x", s->name, how, (unsigned)s->status);
    }
    assert_restored(s, how);
}

static void test_any_size(void **unused)
{
    static const unsigned short sizes[][2] = {{1, 1},   {5, 3},   {3, 5}, {2, 8},
                                              {1, 200}, {200, 1}, {0, 0}, {400, 400}};
    const struct winsize usual = size;

    (void)unused;
    for (size_t i = 0; i < 2 * (sizeof sizes / sizeof *sizes); i++) {
        char how[40];
        size.ws_row = sizes[i / 2][0];
        size.ws_col = sizes[i / 2][1];
        snprintf(how, sizeof how, "%d rows, %d columns", size.ws_row, size.ws_col);
        session s = i % 2 ? start("dashboard", dashboard) : start("plain", plain);
        wait_until(&s, has_set_modes, NULL);
        type_keys(&s,
                  "generate two-moons n=40 seed=1; task ssl labeled=4; algo wellsvm kernel=rbf; step 2\rset "
                  "\t\t\025"
                  "say a line that is longer than some terminals are wide\r\022say\007explain\rback\r");
        quit_session(&s, how);
        close_session(&s);
    }
    size = usual;
}

static void test_storm_of_sizes(void **unused)
{
    uint64_t seed = 1;

    (void)unused;
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        session s = reach_state(&states[i]);
        for (int k = 0; k < 300 && !s.ended; k++) {
            struct winsize next = size;
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            next.ws_row = (unsigned short)(1 + (seed >> 33) % 60);
            next.ws_col = (unsigned short)(1 + (seed >> 45) % 200);
            if (k % 5 == 0)
                next.ws_row = next.ws_col = 1;
            assert_int_equal(ioctl(s.fd, TIOCSWINSZ, &next), 0);
            if (k % 3 == 0)
                (void)poll_session(&s);
        }
        assert_int_equal(ioctl(s.fd, TIOCSWINSZ, &size), 0);
        if (s.ended) {
            print_output(&s);
            fail_msg("%s: it ended in a storm of sizes, status %x", s.name, (unsigned)s.status);
        }
        assert_int_equal(kill(s.pid, states[i].elsewhere ? FAULT : SIGTERM), 0);
        wait_until(&s, has_ended, NULL);
        if (!states[i].elsewhere && (!WIFEXITED(s.status) || WEXITSTATUS(s.status) != 128 + SIGTERM))
            fail_msg("%s, after a storm of sizes: status %x", s.name, (unsigned)s.status);
        assert_restored(&s, "after a storm of sizes");
        close_session(&s);
    }
}

static void write_file(const char *name, const char *text)
{
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static int prepare(void **unused)
{
    (void)unused;
    if (!mkdtemp(folder) || chdir(folder) || mkfifo("fifo", 0600) || mkdir("weaklab", 0700) ||
        mkdir("weaklab/scripts", 0700) || mkdir("weaklab/scripts/lessons", 0700))
        return -1;
    write_file("weaklab/scripts/lessons/short.wlab", "# A short one.\nsay begun\nwait\nsay ended\n");
    write_file("long.wexp",
               "generate two-moons n=300 noise=0.3 as moons\nsplit test=0.25\ntask ssl labeled=6\nrepeat 30\n"
               "method W algo wellsvm kernel=rbf sigma={1x} C2=0.1 search=multistart starts=3000 eps=1e-10\n"
               "table\n");
    setenv("TERM", "xterm-256color", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    setenv("HOME", folder, 1);
    setenv("XDG_STATE_HOME", folder, 1);
    setenv("XDG_CONFIG_HOME", folder, 1);
    setenv("XDG_DATA_HOME", folder, 1);
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* a killed program frees nothing */
    setenv("INPUTRC", "/dev/null", 1);
    unsetenv("DISPLAY");
    return 0;
}

static int clear(void **unused)
{
    char line[100];

    (void)unused;
    snprintf(line, sizeof line, "rm -rf '%s'", folder);
    return chdir("/") || system(line) ? -1 : 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_signal_in_every_state),
        cmocka_unit_test(test_fault_of_each_thread),
        cmocka_unit_test(test_overflow_of_a_thread),
        cmocka_unit_test(test_requested_to_end),
        cmocka_unit_test(test_closed_terminal),
        cmocka_unit_test(test_requested_again),
        cmocka_unit_test(test_stopped_and_continued),
        cmocka_unit_test(test_in_the_background),
        cmocka_unit_test(test_inputrc),
        cmocka_unit_test(test_query_keeps_modes),
        cmocka_unit_test(test_any_size),
        cmocka_unit_test(test_storm_of_sizes),
    };
    const char *given = getenv("WEAKLAB");
    char beside[4000];

    snprintf(beside, sizeof beside, "%s", argc > 0 ? argv[0] : "");
    if (strrchr(beside, '/'))
        *strrchr(beside, '/') = '\0';
    strcat(beside, "/../weaklab"); /* beside the folder of this program */
    if (!realpath(given ? given : beside, program)) {
        fprintf(stderr, "there is no program %s\n", given ? given : beside);
        return 1;
    }
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, prepare, clear);
}
