/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Workers as processes.  Standard input and output of each are one socket: when this process ends, however it does,
 * the worker reads the end of its input and ends too.  What it writes to standard error is kept for the message about
 * its death.
 */
#include "plot/draw/child.h"
#include "sweep/workers.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    GRACE_MS = 1000, /* for a worker whose socket is closed to be gone */
    LAST_WORDS = 200
};

typedef struct process {
    pid_t pid; /* 0: none */
    int fd, err;
    wlab_buf in;     /* what came; in.pos: where the next line begins */
    wlab_buf out;    /* what is to be sent; out.pos: how much of it was */
    size_t searched; /* of `in`: there is no newline before it */
    int at, err_at;  /* where `fd` and `err` stand in crew.poll; -1: nowhere */
    char said[LAST_WORDS + 1];
} process;

typedef struct crew {
    wlab_crew crew;
    char *program;
    process *p;
    struct pollfd *poll; /* of what is open: a list longer than the limit of descriptors is refused */
    int turn;            /* who is heard next, so that a talkative one does not drown the others */
} crew;

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* ---- starting ---- */

static wlab_code spawn(const crew *c, process *p, int socket, int err, wlab_err *error)
{
    char *argv[] = {c->program, (char[]){"--worker"}, NULL};
    int bad = wlab_child_start(&p->pid, c->program, argv, NULL, (int[]){socket, socket, err}, 3);

    if (!bad)
        return WL_OK;
    errno = bad;
    return wlab_fail_errno(error, "cannot start a worker ('%.200s --worker')", c->program);
}

static wlab_code start(wlab_crew *base, int w, wlab_err *err)
{
    crew *c = (crew *)base;
    process *p = &c->p[w];
    int both[2] = {-1, -1}, er[2] = {-1, -1};
    wlab_code code = WL_OK;

    if (p->pid)
        return WL_OK;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both) || pipe2(er, O_CLOEXEC)) {
        code = wlab_fail_errno(err, "cannot make the pipes for a worker");
        goto out;
    }
    (void)fcntl(both[0], F_SETFL, O_NONBLOCK);
    (void)fcntl(er[0], F_SETFL, O_NONBLOCK);
    code = spawn(c, p, both[1], er[1], err);
    if (code)
        goto out;
    wlab_buf_clear(&p->in);
    wlab_buf_clear(&p->out);
    p->searched = 0;
    p->said[0] = '\0';
    p->fd = both[0];
    p->err = er[0];
    both[0] = er[0] = -1;
out:
    for (int i = 0; i < 2; i++) {
        close_fd(&both[i]);
        close_fd(&er[i]);
    }
    return code;
}

/* ---- ending ---- */

/* Its last line on standard error, as it is. */
static void read_words(process *p)
{
    char piece[4096];
    ssize_t n = -1;

    while (p->err >= 0 && (n = read(p->err, piece, sizeof piece)) > 0) {
        size_t old = strlen(p->said), len = (size_t)n;
        size_t take = len < LAST_WORDS ? len : LAST_WORDS;
        size_t keep = old + take <= LAST_WORDS ? old : LAST_WORDS - take;
        memmove(p->said, p->said + (old - keep), keep);
        for (size_t i = 0; i < take; i++) {
            char ch = piece[len - take + i];
            p->said[keep + i] = ch ? ch : ' ';
        }
        p->said[keep + take] = '\0';
    }
    if (p->err >= 0 && n == 0)
        close_fd(&p->err);
}

static int reap(process *p)
{
    int status = 0;

    for (int ms = 0;; ms += 5) {
        pid_t got = waitpid(p->pid, &status, WNOHANG);
        if (got == p->pid || (got < 0 && errno != EINTR))
            break;
        if (ms == GRACE_MS)
            (void)kill(p->pid, SIGKILL);
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    p->pid = 0;
    return status;
}

static void end(process *p, char *how, size_t size)
{
    int status;
    const char *last;
    size_t len;

    close_fd(&p->fd);
    status = reap(p);
    read_words(p);
    close_fd(&p->err);
    len = strlen(p->said);
    while (len > 0 && strchr("\r\n ", p->said[len - 1]))
        p->said[--len] = '\0';
    last = strrchr(p->said, '\n');
    last = last ? last + 1 : p->said;
    if (WIFSIGNALED(status))
        snprintf(how, size, "the worker was killed by signal %d (%s)%s%s", WTERMSIG(status),
                 strsignal(WTERMSIG(status)), *last ? ": " : "", last);
    else
        snprintf(how, size, "the worker ended with status %d%s%s", WEXITSTATUS(status), *last ? ": " : "",
                 last);
}

static void destroy(wlab_crew *base)
{
    crew *c = (crew *)base;

    for (int w = 0; c->p && w < c->crew.size; w++) {
        process *p = &c->p[w];
        close_fd(&p->fd);
        if (p->pid) /* it has nothing that it could lose */
            (void)kill(p->pid, SIGKILL);
    }
    for (int w = 0; c->p && w < c->crew.size; w++) {
        process *p = &c->p[w];
        if (p->pid)
            (void)reap(p);
        close_fd(&p->err);
        wlab_buf_clear(&p->in);
        wlab_buf_clear(&p->out);
    }
    wlab_free(c->p);
    wlab_free(c->poll);
    wlab_free(c->program);
    wlab_free(c);
}

/* ---- talking ---- */

static void flush(process *p)
{
    while (p->fd >= 0 && p->out.pos < p->out.len) {
        ssize_t n = send(p->fd, p->out.data + p->out.pos, p->out.len - p->out.pos, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return; /* later, or its end will be heard of */
        p->out.pos += (size_t)n;
    }
    p->out.len = p->out.pos = 0;
}

static wlab_code put(wlab_crew *base, int w, const char *line, size_t len, wlab_err *err)
{
    process *p = &((crew *)base)->p[w];

    if (wlab_buf_put(&p->out, line, len) || wlab_buf_put(&p->out, "\n", 1))
        return wlab_nomem(err);
    flush(p);
    return WL_OK;
}

/* What there is to read.  True: its end was read. */
static bool fetch(process *p)
{
    char piece[65536];

    for (;;) {
        ssize_t n = recv(p->fd, piece, sizeof piece, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return false;
        if (n <= 0)
            return true;
        if (wlab_buf_put(&p->in, piece, (size_t)n)) /* no room for what it says: as if it had ended */
            return true;
        if ((size_t)n < sizeof piece)
            return false;
    }
}

/* A whole line of what came. */
static bool line_of(process *p, wlab_heard *h)
{
    unsigned char *newline =
        p->in.len > p->searched ? memchr(p->in.data + p->searched, '\n', p->in.len - p->searched) : NULL;

    if (!newline) {
        memmove(p->in.data, p->in.data + p->in.pos, p->in.len - p->in.pos);
        p->in.len -= p->in.pos;
        p->in.pos = 0;
        p->searched = p->in.len;
        return false;
    }
    *newline = '\0';
    h->line = (const char *)p->in.data + p->in.pos;
    h->len = (size_t)(newline - p->in.data) - p->in.pos;
    p->in.pos = p->searched = (size_t)(newline - p->in.data) + 1;
    return true;
}

static nfds_t add_poll(crew *c, nfds_t n, int fd, bool out, int *at)
{
    *at = -1;
    if (fd < 0)
        return n;
    c->poll[n] = (struct pollfd){.fd = fd, .events = (short)(POLLIN | (out ? POLLOUT : 0))};
    *at = (int)n;
    return n + 1;
}

static short polled(const crew *c, int at)
{
    return at < 0 ? 0 : c->poll[at].revents;
}

static bool hear(wlab_crew *base, wlab_heard *h, int ms)
{
    crew *c = (crew *)base;
    int n = c->crew.size;

    for (bool waited = false;; waited = true) {
        nfds_t open = 0;

        for (int k = 0; k < n; k++) {
            int w = (c->turn + k) % n;
            process *p = &c->p[w];
            bool ended = waited && p->fd >= 0 && polled(c, p->at) && fetch(p);

            if (waited && polled(c, p->err_at))
                read_words(p);
            *h = (wlab_heard){.worker = w};
            if (p->in.data && line_of(p, h)) {
                c->turn = w + 1;
                if (ended) /* heard of once its lines are */
                    (void)shutdown(p->fd, SHUT_RDWR);
                return true;
            }
            if (ended) {
                end(p, h->how, sizeof h->how);
                return true;
            }
        }
        if (waited)
            return false;
        for (int w = 0; w < n; w++) {
            process *p = &c->p[w];
            open = add_poll(c, open, p->pid ? p->fd : -1, p->out.len > p->out.pos, &p->at);
            open = add_poll(c, open, p->pid ? p->err : -1, false, &p->err_at);
        }
        if (poll(c->poll, open, ms) <= 0)
            return false;
        for (int w = 0; w < n; w++)
            if (polled(c, c->p[w].at) & POLLOUT)
                flush(&c->p[w]);
    }
}

wlab_code wlab_crew_processes(wlab_crew **out, int size, const char *program, wlab_err *err)
{
    static const wlab_crew_type type = {start, put, hear, destroy};
    crew *c = wlab_calloc(1, sizeof *c);

    if (!c)
        return wlab_nomem(err);
    c->crew = (wlab_crew){&type, size, false};
    c->program = wlab_strdup(program ? program : "/proc/self/exe");
    c->p = wlab_calloc((size_t)size, sizeof *c->p);
    c->poll = wlab_calloc(2 * (size_t)size, sizeof *c->poll);
    for (int w = 0; c->p && w < size; w++)
        c->p[w].fd = c->p[w].err = -1;
    if (!c->program || !c->p || !c->poll) {
        destroy(&c->crew);
        return wlab_nomem(err);
    }
    *out = &c->crew;
    return WL_OK;
}
