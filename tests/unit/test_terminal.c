/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The terminal's modes on a pseudo-terminal: restored after an end and a crash.  The query for sixel pictures, with
 * terminals that answer yes, no, something else, late, or not at all.
 */
#include "support.h"

#include "tui/terminal.h"
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <termios.h>

/* An action of the child on its terminal; its result is the exit status. */
typedef int (*deed)(void);

typedef struct child {
    pid_t pid;
    int fd;
} child;

static child start_child(deed what, const char *term)
{
    child c;
    struct winsize size = {.ws_row = 24, .ws_col = 80};
    c.pid = forkpty(&c.fd, NULL, NULL, &size);
    assert_true(c.pid >= 0);
    if (c.pid == 0) {
        setenv("TERM", term, 1);
        wlab_terminal_guard();
        _exit(what());
    }
    return c;
}

/* Reads until `text` comes, or the other end is closed. */
static bool read_until(const child *c, const char *text)
{
    char got[4096] = "";
    size_t n = 0;
    while (n + 1 < sizeof got) {
        ssize_t r = read(c->fd, got + n, sizeof got - 1 - n);
        if (r <= 0)
            return false;
        n += (size_t)r;
        got[n] = '\0';
        if (strstr(got, text))
            return true;
    }
    return false;
}

static int status_of(child *c)
{
    int status = 0;
    assert_int_equal(waitpid(c->pid, &status, 0), c->pid);
    close(c->fd);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* A pipe.  The test writes a byte to it when the answer is there; the child waits for this byte, because the query
 * itself waits only a moment. */
static int ready;

/* Returns 1 if the terminal can show sixel pictures, plus 2 if the query was sent only once, plus 4 if the characters
 * typed meanwhile were passed on. */
static int query_sixel(void)
{
    char typed[16], again[16];
    size_t n = 0, m = 0;
    (void)!read(ready, typed, 1);
    bool can = wlab_terminal_sixel(typed, sizeof typed, &n);
    bool still = wlab_terminal_sixel(again, sizeof again, &m);
    return can + 2 * (still == can && m == 0) + 4 * (n == 2 && memcmp(typed, "ls", 2) == 0);
}

static int answered(const char *term, const char *answer)
{
    int go[2];
    assert_int_equal(pipe(go), 0);
    ready = go[0];
    child c = start_child(query_sixel, term);
    if (answer)
        assert_int_equal(write(c.fd, answer, strlen(answer)), (ssize_t)strlen(answer));
    assert_int_equal(write(go[1], "", 1), 1);
    close(go[0]);
    close(go[1]);
    assert_int_equal(read_until(&c, "\033[c"), answer != NULL);
    return status_of(&c);
}

static void test_sixel(void **state)
{
    (void)state;
    assert_int_equal(answered("xterm-256color", "\033[?62;4;22c"), 1 + 2);
    assert_int_equal(answered("xterm-256color", "\033[?64;4c"), 1 + 2);
    assert_int_equal(answered("xterm-256color", "\033[?62;22c"), 2);
    assert_int_equal(answered("xterm-256color", "\033[?4c"), 2);        /* a VT132, not the attribute */
    assert_int_equal(answered("xterm-256color", "\033[?62;44;14c"), 2); /* no attribute 4 */
    assert_int_equal(answered("xterm-256color", "ls\033[?62;4c"), 1 + 2 + 4);
    assert_int_equal(answered("xterm-256color", "ls"), 2 + 4); /* no answer, but typed characters */
    assert_int_equal(answered("dumb", NULL), 2);               /* no query */
}

static int crash(void)
{
    wlab_terminal_mode(WL_MODE_SCREEN);
    wlab_terminal_leave_with("<left>");
    (void)wlab_terminal_catch_errors();
    fputs("last words", stderr);
    abort();
}

static int leave(void)
{
    wlab_terminal_mode(WL_MODE_SCREEN);
    wlab_terminal_leave_with("<left>");
    exit(7); /* the terminal is restored, whoever ends the program */
}

static tcflag_t local_flags(const child *c)
{
    struct termios now;
    assert_int_equal(tcgetattr(c->fd, &now), 0);
    return now.c_lflag & (tcflag_t)(ICANON | ECHO | ISIG | IEXTEN);
}

static void test_restored(void **state)
{
    const struct {
        deed what;
        const char *last;
        int status;
    } ends[] = {{crash, "<left>last words", 128 + SIGABRT}, {leave, "<left>", 7}};
    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        child c = start_child(ends[i].what, "xterm");
        assert_true(read_until(&c, ends[i].last));
        int status = 0;
        assert_int_equal(waitpid(c.pid, &status, 0), c.pid);
        assert_int_equal(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), ends[i].status);
        assert_int_equal(local_flags(&c), ICANON | ECHO | ISIG | IEXTEN);
        close(c.fd);
    }
}

static int modes(void)
{
    struct termios t;
    wlab_terminal_mode(WL_MODE_SCREEN);
    if (tcgetattr(0, &t) || t.c_lflag & (tcflag_t)(ICANON | ECHO) || !(t.c_lflag & ISIG) || t.c_iflag & ICRNL)
        return 1;
    wlab_terminal_mode(WL_MODE_KEYS);
    if (tcgetattr(0, &t) || t.c_lflag & (tcflag_t)(ICANON | ECHO) || !(t.c_iflag & ICRNL))
        return 2;
    wlab_terminal_mode(WL_MODE_FOUND);
    if (tcgetattr(0, &t) || !(t.c_lflag & ICANON) || !(t.c_lflag & ECHO))
        return 3;
    return 0;
}

static void test_modes(void **state)
{
    (void)state;
    child c = start_child(modes, "xterm");
    assert_int_equal(status_of(&c), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_modes), cmocka_unit_test(test_restored),
                                       cmocka_unit_test(test_sixel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
