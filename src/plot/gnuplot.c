/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The gnuplot process.  posix_spawn, never fork; its standard input is a socket, so that writing to a dead
 * one is an error and no signal.
 */
#include "plot/gnuplot.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum {
    RUBBISH = 1 << 20, /* more output than this in one answer: not a gnuplot */
    PARTS = 3,
    SLICE = 100, /* ms between looks at the interrupt flag */
};

struct wlab_gnuplot {
    char *program, *folder;
    int timeout;
    pid_t pid; /* 0: none */
    int in, out, err;
    unsigned serial;
    wlab_buf said;      /* standard output since the last acknowledgement */
    wlab_buf complaint; /* standard error of this script */
    wlab_buf terminals;
};

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* End the process whatever it is doing; its whole group, for a program that is a script. */
static void stop(wlab_gnuplot *g)
{
    close_fd(&g->in);
    close_fd(&g->out);
    close_fd(&g->err);
    if (g->pid > 0) {
        kill(-g->pid, SIGKILL);
        kill(g->pid, SIGKILL);
        while (waitpid(g->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    g->pid = 0;
}

static wlab_code start(wlab_gnuplot *g, wlab_err *err)
{
    int in[2] = {-1, -1}, out[2] = {-1, -1}, er[2] = {-1, -1}, bad = 0;
    posix_spawn_file_actions_t act;
    posix_spawnattr_t attr;
    sigset_t all, none;
    wlab_code code = WL_OK;
    char *argv[] = {g->program, (char[]){"-d"}, NULL};

    if (posix_spawn_file_actions_init(&act))
        return wlab_nomem(err);
    if (posix_spawnattr_init(&attr)) {
        posix_spawn_file_actions_destroy(&act);
        return wlab_nomem(err);
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) || pipe2(out, O_CLOEXEC) ||
        pipe2(er, O_CLOEXEC)) {
        code = wlab_fail_errno(err, "cannot make the pipes for gnuplot");
        goto done;
    }
    sigfillset(&all);
    sigdelset(&all, SIGKILL);
    sigdelset(&all, SIGSTOP);
    sigemptyset(&none);
    bad |= posix_spawnattr_setflags(&attr,
                                    POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    bad |= posix_spawnattr_setsigdefault(&attr, &all);
    bad |= posix_spawnattr_setsigmask(&attr, &none);
    bad |= posix_spawnattr_setpgroup(&attr, 0);
    bad |= posix_spawn_file_actions_adddup2(&act, in[1], 0);
    bad |= posix_spawn_file_actions_adddup2(&act, out[1], 1);
    bad |= posix_spawn_file_actions_adddup2(&act, er[1], 2);
    if (g->folder)
        bad |= posix_spawn_file_actions_addchdir_np(&act, g->folder);
    if (bad) {
        code = wlab_nomem(err);
        goto done;
    }
    bad = posix_spawnp(&g->pid, g->program, &act, &attr, argv, environ);
    if (bad) {
        g->pid = 0;
        errno = bad;
        code = bad == ENOENT ? wlab_fail(err, WL_EIO,
                                         "there is no program '%s' in PATH; install the package gnuplot-nox",
                                         g->program)
                             : wlab_fail_errno(err, "cannot start '%s'", g->program);
        goto done;
    }
    g->in = in[0];
    g->out = out[0];
    g->err = er[0];
    in[0] = out[0] = er[0] = -1;
    fcntl(g->out, F_SETFL, O_NONBLOCK);
    fcntl(g->err, F_SETFL, O_NONBLOCK);
done:
    for (int i = 0; i < 2; i++) {
        close_fd(&in[i]);
        close_fd(&out[i]);
        close_fd(&er[i]);
    }
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&act);
    return code;
}

wlab_code wlab_gnuplot_create(wlab_gnuplot **result, const char *program, const char *folder, int timeout_ms,
                              wlab_err *err)
{
    wlab_code code = WL_ENOMEM;
    wlab_gnuplot *g = wlab_calloc(1, sizeof *g);

    *result = NULL;
    if (!g)
        return wlab_nomem(err);
    g->in = g->out = g->err = -1;
    g->timeout = timeout_ms > 0 ? timeout_ms : 20000;
    g->program = wlab_strdup(program ? program : "gnuplot");
    g->folder = folder ? wlab_strdup(folder) : NULL;
    if (!g->program || (folder && !g->folder)) {
        wlab_nomem(err);
        goto fail;
    }
    code = start(g, err);
    if (code)
        goto fail;
    *result = g;
    return WL_OK;
fail:
    wlab_gnuplot_destroy(g);
    return code;
}

void wlab_gnuplot_destroy(wlab_gnuplot *g)
{
    if (!g)
        return;
    stop(g);
    wlab_buf_clear(&g->said);
    wlab_buf_clear(&g->complaint);
    wlab_buf_clear(&g->terminals);
    wlab_free(g->program);
    wlab_free(g->folder);
    wlab_free(g);
}

/* Read what is there.  *open = false at its end. */
static wlab_code drain(int fd, wlab_buf *buf, size_t most, bool *open, wlab_err *err)
{
    char piece[4096];
    for (;;) {
        ssize_t n = read(fd, piece, sizeof piece);
        if (n > 0) {
            if (buf->len < most && wlab_buf_put(buf, piece, (size_t)n))
                return wlab_nomem(err);
            if (buf->len >= most)
                return WL_OK;
            continue;
        }
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0 || errno != EAGAIN)
            *open = false;
        return WL_OK;
    }
}

/* The first line of the complaint that says something: gnuplot repeats the command and points at it with ^. */
static void complaint_line(const wlab_gnuplot *g, char *line, size_t size)
{
    const char *p = (const char *)g->complaint.data, *end = p + g->complaint.len;
    char first[200] = "";
    line[0] = '\0';
    while (p && p < end) {
        const char *nl = memchr(p, '\n', (size_t)(end - p)), *q = nl ? nl : end;
        while (p < q && (*p == ' ' || *p == '\t' || *p == '^'))
            p++;
        char text[200];
        size_t n = 0;
        for (; p < q && n + 1 < sizeof text; p++)
            text[n++] = (unsigned char)*p < ' ' || *p == 127 ? ' ' : *p;
        text[n] = '\0';
        if (n && !first[0])
            memcpy(first, text, n + 1);
        if (n && strstr(text, "line ") && strstr(text, ": ") && strncmp(text, "gnuplot>", 8)) {
            snprintf(line, size, "%s", text);
            return;
        }
        p = q + 1;
    }
    snprintf(line, size, "%s", first);
}

/* The length of the acknowledgement at the end of what was said: the token, a blank, the error number, a newline; 0:
 * it is not there.  After a bitmap no newline stands before it.  A program that echoes the command does not write it:
 * there the token is followed by a quote. */
static size_t acknowledged(const wlab_buf *said, const char *token)
{
    size_t n = said->len, len = strlen(token), i = n;
    if (n < len + 3 || said->data[n - 1] != '\n')
        return 0;
    for (i = n - 1; i > 0 && i + 6 > n && said->data[i - 1] >= '0' && said->data[i - 1] <= '9'; i--)
        ;
    if (i == n - 1 || i < len + 1 || said->data[i - 1] != ' ' ||
        memcmp(said->data + i - 1 - len, token, len) != 0)
        return 0;
    return n - (i - 1 - len);
}

typedef enum outcome {
    DONE,
    REFUSED,
    DIED,
    FAILED
} outcome;

/* One script to one process.  REFUSED: done, with an error in it; DIED: it ended without the acknowledgement;
 * FAILED: err is filled. */
static outcome attempt(wlab_gnuplot *g, const char *script, const char *tail, const char *token,
                       const atomic_int *interrupt, wlab_err *err)
{
    static const char head[] = "reset errors\n";
    const char *part[PARTS] = {head, script, tail};
    size_t left[PARTS] = {strlen(head), strlen(script), strlen(tail)};
    int now = 0;
    bool out_open = true, err_open = true;
    int64_t deadline = now_ms() + g->timeout;

    wlab_buf_clear(&g->said);
    wlab_buf_clear(&g->complaint);
    while (now < PARTS && !left[now])
        now++;
    while (out_open) {
        if (interrupt && atomic_load(interrupt)) {
            wlab_fail(err, WL_EINTERRUPTED, "drawing was stopped");
            return FAILED;
        }
        int64_t rest = deadline - now_ms();
        if (rest <= 0) {
            wlab_fail(err, WL_EIO, "gnuplot did not answer within %g seconds and was ended",
                      g->timeout / 1e3);
            return FAILED;
        }
        struct pollfd p[3] = {{g->out, POLLIN, 0},
                              {err_open ? g->err : -1, POLLIN, 0},
                              {now < PARTS && g->in >= 0 ? g->in : -1, POLLOUT, 0}};
        if (poll(p, 3, (int)(rest < SLICE ? rest : SLICE)) < 0 && errno != EINTR) {
            wlab_fail_errno(err, "cannot wait for gnuplot");
            return FAILED;
        }
        if (p[2].revents) {
            ssize_t n = send(g->in, part[now], left[now], MSG_NOSIGNAL | MSG_DONTWAIT);
            if (n > 0) {
                part[now] += n;
                left[now] -= (size_t)n;
                while (now < PARTS && !left[now])
                    now++;
            } else if (n < 0 && errno != EAGAIN && errno != EINTR) {
                close_fd(&g->in); /* it went; what it said is still to be read */
            }
        }
        if (drain(g->err, &g->complaint, 65536, &err_open, err) ||
            drain(g->out, &g->said, RUBBISH, &out_open, err))
            return FAILED;
        if (g->said.len >= RUBBISH) {
            wlab_fail(err, WL_EIO, "what '%s' answers is not gnuplot's; it was ended", g->program);
            return FAILED;
        }
        size_t ack = acknowledged(&g->said, token);
        if (ack) {
            bool fine = g->said.data[g->said.len - 2] == '0' && g->said.data[g->said.len - 3] == ' ';
            g->said.len = g->said.len - ack;
            drain(g->err, &g->complaint, 65536, &err_open, NULL);
            return fine ? DONE : REFUSED;
        }
    }
    while (err_open && now_ms() < deadline) { /* its last words */
        struct pollfd p = {g->err, POLLIN, 0};
        if (poll(&p, 1, 200) <= 0 || drain(g->err, &g->complaint, 65536, &err_open, NULL))
            break;
    }
    return DIED;
}

wlab_code wlab_gnuplot_run(wlab_gnuplot *g, const char *script, wlab_buf *answer, const atomic_int *interrupt,
                           wlab_err *err)
{
    wlab_err own;
    err = err ? err : &own;
    for (int again = 0; again < 2; again++) {
        char token[64], tail[160], line[240];
        wlab_code code;
        if (!g->pid && (code = start(g, err)))
            return code;
        snprintf(token, sizeof token, "weaklab-done-%ld-%u", (long)g->pid, ++g->serial);
        snprintf(tail, sizeof tail, "\nset print '-'\nprint '%s', GPVAL_ERRNO\n", token);
        switch (attempt(g, script, tail, token, interrupt, err)) {
        case DONE:
            if (answer) {
                wlab_buf_clear(answer);
                if (wlab_buf_put(answer, g->said.data, g->said.len))
                    return wlab_nomem(err);
            }
            return WL_OK;
        case FAILED:
            stop(g);
            return err->code;
        case REFUSED:
        case DIED:
            stop(g);
            complaint_line(g, line, sizeof line);
            if (line[0])
                return wlab_fail(err, WL_EIO, "gnuplot refused the figure: %s", line);
        }
    }
    return wlab_fail(err, WL_EIO, "gnuplot ended before the figure was done, twice");
}

wlab_code wlab_gnuplot_has(wlab_gnuplot *g, const char *terminal, bool *has, const atomic_int *interrupt,
                           wlab_err *err)
{
    wlab_code code = WL_OK;
    char *word;

    *has = false;
    if (!g->terminals.len) {
        code = wlab_gnuplot_run(g, "set print '-'\nprint ' '.GPVAL_TERMINALS.' '", &g->terminals, interrupt,
                                err);
        if (code)
            return code;
        for (size_t i = 0; i < g->terminals.len; i++) /* one long line of words */
            if (g->terminals.data[i] < ' ')
                g->terminals.data[i] = ' ';
        if (wlab_buf_put(&g->terminals, "", 1)) {
            wlab_buf_clear(&g->terminals);
            return wlab_nomem(err);
        }
    }
    word = wlab_format(" %s ", terminal);
    if (!word)
        return wlab_nomem(err);
    *has = strstr((const char *)g->terminals.data, word) != NULL;
    wlab_free(word);
    return WL_OK;
}
