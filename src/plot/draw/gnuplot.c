/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The gnuplot process, started with posix_spawn (child.h).  Its standard input is a socket, so that writing to a dead
 * process is an error, not a signal.  Scripts are in a file in memory, which gnuplot has as descriptor 3: each script
 * is one command `load` on standard input, from which gnuplot would read byte by byte.
 */
#include "plot/draw/gnuplot.h"
#include "base/clock.h"
#include "plot/draw/child.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_OUTPUT = 1 << 25, /* bytes: a program that answers more than this is not a gnuplot */
    PIECE = 1 << 18,       /* bytes read in one call, so that no call of serve takes long */
    SLICE = 100,           /* ms between checks of the interrupt flag */
    GRACE = 300,           /* ms that an idle process has to end by itself */
    LAST_OUTPUT = 200      /* ms to wait for the error output of a process that ended */
};

struct wlab_gnuplot {
    char *program, *folder;
    int timeout;
    pid_t pid; /* 0: none */
    int in, out, err;
    int file; /* the script */
    unsigned serial;
    bool busy;
    int64_t deadline;
    char token[64];
    char line[256];  /* the commands for its standard input */
    size_t sent;     /* bytes of `line` already sent */
    wlab_buf output; /* standard output since the last acknowledgement */
    wlab_buf errors; /* standard error of this script */
    wlab_buf terminals;
    double seconds; /* of processes that ended */
};

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static double process_seconds(pid_t pid)
{
    clockid_t clock;
    struct timespec t;
    if (pid <= 0 || clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &t))
        return 0;
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool wlab_gnuplot_alive(const wlab_gnuplot *g)
{
    return g->pid > 0;
}

double wlab_gnuplot_seconds(const wlab_gnuplot *g)
{
    return g->seconds + process_seconds(g->pid);
}

/* Whether the process has not ended yet.  An ended process is not reaped. */
static bool is_running(pid_t pid)
{
    siginfo_t info = {0};
    return !waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid == 0;
}

/* End the process, busy or not, and its whole group, because `program` may be a shell script with children.  An idle
 * process first gets time to end by itself. */
void wlab_gnuplot_stop(wlab_gnuplot *g)
{
    bool idle = g->pid > 0 && !g->busy;
    g->busy = false;
    close_fd(&g->in);
    /* an idle gnuplot ends when its input closes, and closes its windows, which are separate processes */
    for (int ms = 0; idle && ms < GRACE && is_running(g->pid); ms += 2)
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    g->seconds += process_seconds(g->pid);
    close_fd(&g->out);
    close_fd(&g->err);
    close_fd(&g->file);
    if (g->pid > 0) {
        kill(-g->pid, SIGKILL);
        kill(g->pid, SIGKILL);
        while (waitpid(g->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    g->pid = 0;
}

static wlab_code start_process(wlab_gnuplot *g, wlab_err *err)
{
    int in[2] = {-1, -1}, out[2] = {-1, -1}, er[2] = {-1, -1}, file = -1, bad = 0;
    wlab_code code = WL_OK;
    char *argv[] = {g->program, (char[]){"-d"}, NULL};

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) || pipe2(out, O_CLOEXEC) ||
        pipe2(er, O_CLOEXEC) || (file = memfd_create("weaklab-plot", MFD_CLOEXEC)) < 0) {
        code = wlab_fail_errno(err, "cannot make the pipes for gnuplot");
        goto done;
    }
    bad = wlab_child_start(&g->pid, g->program, argv, g->folder, (int[]){in[1], out[1], er[1], file}, 4);
    if (bad) {
        errno = bad;
        code = bad == ENOENT
                   ? wlab_fail(err, WL_EIO, "there is no program '%s' in PATH; install gnuplot", g->program)
                   : wlab_fail_errno(err, "cannot start '%s'", g->program);
        goto done;
    }
    g->in = in[0];
    g->out = out[0];
    g->err = er[0];
    g->file = file;
    in[0] = out[0] = er[0] = file = -1;
    fcntl(g->out, F_SETFL, O_NONBLOCK);
    fcntl(g->err, F_SETFL, O_NONBLOCK);
done:
    close_fd(&file);
    for (int i = 0; i < 2; i++) {
        close_fd(&in[i]);
        close_fd(&out[i]);
        close_fd(&er[i]);
    }
    return code;
}

wlab_code wlab_gnuplot_prepare(wlab_gnuplot **result, const char *program, const char *folder, int timeout_ms,
                               wlab_err *err)
{
    wlab_gnuplot *g = wlab_calloc(1, sizeof *g);

    *result = NULL;
    if (!g)
        return wlab_nomem(err);
    g->in = g->out = g->err = g->file = -1;
    g->timeout = timeout_ms > 0 ? timeout_ms : 20000;
    g->program = wlab_strdup(program ? program : "gnuplot");
    g->folder = folder ? wlab_strdup(folder) : NULL;
    if (!g->program || (folder && !g->folder)) {
        wlab_gnuplot_destroy(g);
        return wlab_nomem(err);
    }
    *result = g;
    return WL_OK;
}

wlab_code wlab_gnuplot_create(wlab_gnuplot **result, const char *program, const char *folder, int timeout_ms,
                              wlab_err *err)
{
    wlab_gnuplot *g;
    wlab_code code = wlab_gnuplot_prepare(&g, program, folder, timeout_ms, err);
    *result = NULL;
    if (!code && (code = start_process(g, err))) {
        wlab_gnuplot_destroy(g);
        return code;
    }
    *result = g;
    return code;
}

void wlab_gnuplot_destroy(wlab_gnuplot *g)
{
    if (!g)
        return;
    wlab_gnuplot_stop(g);
    wlab_buf_clear(&g->output);
    wlab_buf_clear(&g->errors);
    wlab_buf_clear(&g->terminals);
    wlab_free(g->program);
    wlab_free(g->folder);
    wlab_free(g);
}

/* Read what is available, at most PIECE bytes, and drop what goes beyond `most` bytes in buf.  The descriptor is closed
 * at the end of the stream. */
static wlab_code drain(int *fd, wlab_buf *buf, size_t most, wlab_err *err)
{
    char piece[16384];
    for (size_t got = 0; *fd >= 0 && got < PIECE;) {
        ssize_t n = read(*fd, piece, sizeof piece);
        if (n > 0) {
            got += (size_t)n;
            if (buf->len < most && wlab_buf_put(buf, piece, (size_t)n))
                return wlab_nomem(err);
        } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
            close_fd(fd);
        } else if (errno == EAGAIN) {
            break;
        }
    }
    return WL_OK;
}

/* The first line of the error output that has the error message: before it gnuplot repeats the command and points at it
 * with ^. */
static void error_line(const wlab_gnuplot *g, char *line, size_t size)
{
    const char *p = (const char *)g->errors.data, *end = p ? p + g->errors.len : NULL;
    char first[200] = "";
    line[0] = '\0';
    while (p && p < end) {
        const char *nl = memchr(p, '\n', (size_t)(end - p)), *q = nl ? nl : end;
        while (p < q && (*p == ' ' || *p == '\t' || *p == '^'))
            p++;
        if (q - p > 13 && !memcmp(p, "\"/dev/fd/3\" ", 12)) /* the script has no name */
            p += 12;
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

/* The length of the acknowledgement at the end of the output: the token, a blank, the error number, a newline; 0: there
 * is none.  After a bitmap no newline precedes it.  A program that only echoes the command does not acknowledge it: in
 * an echo a quote follows the token. */
static size_t acknowledgement_length(const wlab_buf *output, const char *token)
{
    size_t n = output->len, len = strlen(token), i = n;
    if (n < len + 3 || output->data[n - 1] != '\n')
        return 0;
    for (i = n - 1; i > 0 && i + 6 > n && output->data[i - 1] >= '0' && output->data[i - 1] <= '9'; i--)
        ;
    if (i == n - 1 || i < len + 1 || output->data[i - 1] != ' ' ||
        memcmp(output->data + i - 1 - len, token, len) != 0)
        return 0;
    return n - (i - 1 - len);
}

static wlab_code write_script(int fd, const char *script, size_t len, wlab_err *err)
{
    size_t done = 0;
    if (ftruncate(fd, 0))
        return wlab_fail_errno(err, "cannot hand a script to gnuplot");
    while (done < len) {
        ssize_t n = pwrite(fd, script + done, len - done, (off_t)done);
        if (n < 0 && errno != EINTR)
            return wlab_fail_errno(err, "cannot hand a script to gnuplot");
        done += n > 0 ? (size_t)n : 0;
    }
    return WL_OK;
}

wlab_code wlab_gnuplot_begin(wlab_gnuplot *g, const char *script, size_t len, wlab_err *err)
{
    wlab_code code = g->busy ? wlab_fail(err, WL_ESTATE, "gnuplot is drawing") : WL_OK;
    if (code || (!g->pid && (code = start_process(g, err))) ||
        (code = write_script(g->file, script, len, err)))
        return code;
    wlab_buf_clear(&g->output);
    wlab_buf_clear(&g->errors);
    snprintf(g->token, sizeof g->token, "weaklab-done-%ld-%u", (long)g->pid, ++g->serial);
    snprintf(g->line, sizeof g->line,
             "reset errors\nload '/dev/fd/3'\nset print '-'\nprint '%s', GPVAL_ERRNO\n", g->token);
    g->sent = 0;
    g->busy = true;
    g->deadline = wlab_ms_now() + g->timeout;
    return WL_OK;
}

int wlab_gnuplot_poll(const wlab_gnuplot *g, struct pollfd *fds)
{
    bool to_send = g->busy && g->line[g->sent];
    fds[0] = (struct pollfd){g->out, POLLIN, 0};
    fds[1] = (struct pollfd){g->err, POLLIN, 0};
    fds[2] = (struct pollfd){to_send ? g->in : -1, POLLOUT, 0};
    int64_t rest = g->deadline - wlab_ms_now();
    return !g->busy ? -1 : rest < 0 ? 0 : (int)rest;
}

/* Stop the process after a failure.  Writes the reason into err, unless turn is WL_TURN_FAILED: then err has the reason
 * already. */
static wlab_turn end_process(wlab_gnuplot *g, wlab_turn turn, wlab_err *err)
{
    char line[240];
    wlab_gnuplot_stop(g);
    if (turn == WL_TURN_FAILED)
        return turn;
    error_line(g, line, sizeof line);
    if (turn == WL_TURN_DIED && !line[0])
        wlab_fail(err, WL_EIO, "gnuplot ended before the figure was done");
    else if (line[0])
        wlab_fail(err, WL_EIO, "gnuplot refused the figure: %s", line);
    else
        wlab_fail(err, WL_EIO, "gnuplot refused the figure");
    return line[0] ? WL_TURN_REFUSED : turn;
}

wlab_turn wlab_gnuplot_serve(wlab_gnuplot *g, wlab_buf *answer, wlab_err *err)
{
    wlab_err own;
    err = err ? err : &own;
    if (!g->pid)
        return WL_TURN_IDLE;
    while (g->busy && g->in >= 0 && g->line[g->sent]) {
        ssize_t n = send(g->in, g->line + g->sent, strlen(g->line + g->sent), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n > 0)
            g->sent += (size_t)n;
        else if (n < 0 && errno == EAGAIN)
            break;
        else if (n < 0 && errno != EINTR)
            close_fd(&g->in); /* the process ended; its output is still to be read */
    }
    bool was_open = g->out >= 0;
    /* in this order: gnuplot writes an error message before the acknowledgement */
    if (drain(&g->out, &g->output, MOST_OUTPUT, err) || drain(&g->err, &g->errors, 65536, err))
        return end_process(g, WL_TURN_FAILED, err);
    if (!g->busy) { /* drop output between scripts */
        if (g->out < 0 || g->output.len >= PIECE)
            wlab_gnuplot_stop(g);
        wlab_buf_clear(&g->output);
        wlab_buf_clear(&g->errors);
        return WL_TURN_IDLE;
    }
    size_t ack = acknowledgement_length(&g->output, g->token);
    if (ack) {
        bool fine = !memcmp(g->output.data + g->output.len - 3, " 0\n", 3);
        g->output.len -= ack;
        if (!fine)
            return end_process(g, WL_TURN_REFUSED, err);
        g->busy = false;
        if (answer) {
            wlab_buf_clear(answer);
            *answer = g->output;
            memset(&g->output, 0, sizeof g->output);
        }
        return WL_TURN_DONE;
    }
    if (g->output.len >= MOST_OUTPUT) {
        wlab_fail(err, WL_EIO, "'%s' does not answer like gnuplot; it was ended", g->program);
        return end_process(g, WL_TURN_FAILED, err);
    }
    int64_t now = wlab_ms_now();
    if (g->out < 0 && was_open && g->deadline > now + LAST_OUTPUT)
        g->deadline = now + LAST_OUTPUT;
    if (g->out < 0 && (g->err < 0 || now >= g->deadline))
        return end_process(g, WL_TURN_DIED, err);
    if (now >= g->deadline) {
        wlab_fail(err, WL_EIO, "gnuplot did not answer within %g seconds and was ended", g->timeout / 1e3);
        return end_process(g, WL_TURN_FAILED, err);
    }
    return WL_TURN_BUSY;
}

/* Wait until the script is done or has failed. */
static wlab_turn wait_for(wlab_gnuplot *g, wlab_buf *answer, const atomic_int *interrupt, wlab_err *err)
{
    for (;;) {
        struct pollfd fds[WL_GNUPLOT_FDS];
        int rest = wlab_gnuplot_poll(g, fds);
        if (interrupt && atomic_load(interrupt)) {
            wlab_fail(err, WL_EINTERRUPTED, "drawing was stopped");
            return end_process(g, WL_TURN_FAILED, err);
        }
        if (poll(fds, WL_GNUPLOT_FDS, rest < SLICE ? rest : SLICE) < 0 && errno != EINTR) {
            wlab_fail_errno(err, "cannot wait for gnuplot");
            return end_process(g, WL_TURN_FAILED, err);
        }
        wlab_turn turn = wlab_gnuplot_serve(g, answer, err);
        if (turn != WL_TURN_BUSY)
            return turn;
    }
}

wlab_code wlab_gnuplot_run(wlab_gnuplot *g, const char *script, wlab_buf *answer, const atomic_int *interrupt,
                           wlab_err *err)
{
    wlab_err own;
    err = err ? err : &own;
    for (int again = 0; again < 2; again++) {
        wlab_code code = wlab_gnuplot_begin(g, script, strlen(script), err);
        wlab_turn turn = code ? WL_TURN_FAILED : wait_for(g, answer, interrupt, err);
        if (code || turn == WL_TURN_DONE)
            return code;
        if (turn != WL_TURN_DIED)
            return err->code;
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
