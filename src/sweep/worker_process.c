/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Workers as processes.  Standard input and output of each worker are one socket: whatever ends this process, the
 * worker reads the end of its input and ends too.  The last part of its standard error is kept for the message about
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
    GRACE_MS = 1000, /* the time that a worker gets to end after its socket was closed */
    TAIL_LEN = 200
};

typedef struct process {
    pid_t pid; /* 0: none */
    int fd, err;
    wlab_buf in;     /* received bytes; in.pos: where the next line begins */
    wlab_buf out;    /* bytes to be sent; out.pos: how many of them have been sent */
    size_t searched; /* offset into `in`: there is no newline between in.pos and it */
    int at, err_at;  /* index of `fd` and `err` in process_workers.poll; -1: not in it */
    char stderr_tail[TAIL_LEN + 1];
} process;

typedef struct process_workers {
    wlab_workers base;
    char *program;
    process *p;
    struct pollfd *poll; /* only open descriptors: poll refuses a list longer than the limit of descriptors */
    int first; /* the worker to be read first: it rotates, so that a talkative one does not hide the others */
} process_workers;

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* ---- starting ---- */

static wlab_code spawn(const process_workers *c, process *p, int socket, int err, wlab_err *error)
{
    char *argv[] = {c->program, (char[]){"--worker"}, NULL};
    int bad = wlab_child_start(&p->pid, c->program, argv, NULL, (int[]){socket, socket, err}, 3);

    if (!bad)
        return WL_OK;
    errno = bad;
    return wlab_fail_errno(error, "cannot start a worker ('%.200s --worker')", c->program);
}

static wlab_code start(wlab_workers *base, int w, wlab_err *err)
{
    process_workers *c = (process_workers *)base;
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
    p->stderr_tail[0] = '\0';
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

/* Append the available standard error to the tail that is kept. */
static void read_stderr(process *p)
{
    char piece[4096];
    ssize_t n = -1;

    while (p->err >= 0 && (n = read(p->err, piece, sizeof piece)) > 0) {
        size_t old = strlen(p->stderr_tail), len = (size_t)n;
        size_t take = len < TAIL_LEN ? len : TAIL_LEN;
        size_t keep = old + take <= TAIL_LEN ? old : TAIL_LEN - take;
        memmove(p->stderr_tail, p->stderr_tail + (old - keep), keep);
        for (size_t i = 0; i < take; i++) {
            char ch = piece[len - take + i];
            p->stderr_tail[keep + i] = ch ? ch : ' ';
        }
        p->stderr_tail[keep + take] = '\0';
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

static void end_worker(process *p, char *how, size_t size)
{
    int status;
    const char *last;
    size_t len;

    close_fd(&p->fd);
    status = reap(p);
    read_stderr(p);
    close_fd(&p->err);
    len = strlen(p->stderr_tail);
    while (len > 0 && strchr("\r\n ", p->stderr_tail[len - 1]))
        p->stderr_tail[--len] = '\0';
    last = strrchr(p->stderr_tail, '\n');
    last = last ? last + 1 : p->stderr_tail;
    if (WIFSIGNALED(status))
        snprintf(how, size, "the worker was killed by signal %d (%s)%s%s", WTERMSIG(status),
                 strsignal(WTERMSIG(status)), *last ? ": " : "", last);
    else
        snprintf(how, size, "the worker ended with status %d%s%s", WEXITSTATUS(status), *last ? ": " : "",
                 last);
}

static void destroy(wlab_workers *base)
{
    process_workers *c = (process_workers *)base;

    for (int w = 0; c->p && w < c->base.size; w++) {
        process *p = &c->p[w];
        close_fd(&p->fd);
        if (p->pid) /* a worker has no files or state that a kill could damage */
            (void)kill(p->pid, SIGKILL);
    }
    for (int w = 0; c->p && w < c->base.size; w++) {
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

/* ---- sending and receiving ---- */

static void flush(process *p)
{
    while (p->fd >= 0 && p->out.pos < p->out.len) {
        ssize_t n = send(p->fd, p->out.data + p->out.pos, p->out.len - p->out.pos, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            /* the socket is full, or the worker has ended: `receive` tries again, or finds its end */
            return;
        p->out.pos += (size_t)n;
    }
    p->out.len = p->out.pos = 0;
}

static wlab_code send_line(wlab_workers *base, int w, const char *line, size_t len, wlab_err *err)
{
    process *p = &((process_workers *)base)->p[w];

    if (wlab_buf_put(&p->out, line, len) || wlab_buf_put(&p->out, "\n", 1))
        return wlab_nomem(err);
    flush(p);
    return WL_OK;
}

/* Read what is available.  True: the worker has ended. */
static bool read_output(process *p)
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
        if (wlab_buf_put(&p->in, piece, (size_t)n)) /* out of memory: treat the worker as ended */
            return true;
        if ((size_t)n < sizeof piece)
            return false;
    }
}

/* The next complete line of the received bytes.  False: there is none yet. */
static bool next_line(process *p, wlab_worker_event *h)
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

static nfds_t add_poll(process_workers *c, nfds_t n, int fd, bool out, int *at)
{
    *at = -1;
    if (fd < 0)
        return n;
    c->poll[n] = (struct pollfd){.fd = fd, .events = (short)(POLLIN | (out ? POLLOUT : 0))};
    *at = (int)n;
    return n + 1;
}

static short polled(const process_workers *c, int at)
{
    return at < 0 ? 0 : c->poll[at].revents;
}

static bool receive(wlab_workers *base, wlab_worker_event *h, int ms)
{
    process_workers *c = (process_workers *)base;
    int n = c->base.size;

    for (bool waited = false;; waited = true) {
        nfds_t open = 0;

        for (int k = 0; k < n; k++) {
            int w = (c->first + k) % n;
            process *p = &c->p[w];
            bool ended = waited && p->fd >= 0 && polled(c, p->at) && read_output(p);

            if (waited && polled(c, p->err_at))
                read_stderr(p);
            *h = (wlab_worker_event){.worker = w};
            if (p->in.data && next_line(p, h)) {
                c->first = w + 1;
                if (ended) /* report the lines first: after this, the next read finds the end again */
                    (void)shutdown(p->fd, SHUT_RDWR);
                return true;
            }
            if (ended) {
                end_worker(p, h->how, sizeof h->how);
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

wlab_code wlab_workers_processes(wlab_workers **out, int size, const char *program, wlab_err *err)
{
    static const wlab_workers_type type = {start, send_line, receive, destroy};
    process_workers *c = wlab_calloc(1, sizeof *c);

    if (!c)
        return wlab_nomem(err);
    c->base = (wlab_workers){&type, size, false};
    c->program = wlab_strdup(program ? program : "/proc/self/exe");
    c->p = wlab_calloc((size_t)size, sizeof *c->p);
    c->poll = wlab_calloc(2 * (size_t)size, sizeof *c->poll);
    for (int w = 0; c->p && w < size; w++)
        c->p[w].fd = c->p[w].err = -1;
    if (!c->program || !c->p || !c->poll) {
        destroy(&c->base);
        return wlab_nomem(err);
    }
    *out = &c->base;
    return WL_OK;
}
