/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plugin weaklab-mpi.so: the few MPI calls that sweeps and ranks that share data use.  Built if mpicc is installed.
 */
#include "sweep/mpi.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mpi.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    TAG = 1,
    SHARED_TAG = 2,      /* of ranks that share data */
    PIECE = 1 << 30,     /* bytes per message: MPI counts in int */
    SPINS = 2000,        /* first looks for a message without a pause, together about a millisecond */
    LEAST_PAUSE = 20000, /* ns */
    LONGEST_PAUSE = 2000000
};

extern const wlab_mpi wlab_mpi_plugin;

/* A process that spawn has started, or that has started this one.  mpirun ends its job if a process dies; of these nobody
 * would notice. */
typedef struct peer {
    pid_t pid;
    char host[MPI_MAX_PROCESSOR_NAME];
} peer;
static struct pollfd *
    peers; /* [n_peers] the process of each rank, fd -1: on another machine; NULL: mpirun has started the job */
static int n_peers, own;                 /* own: this rank, if there are peers */
static MPI_Comm between = MPI_COMM_NULL; /* rank 0 and those that it has started */

static MPI_Comm shared =
    MPI_COMM_NULL; /* the ranks that share data: those of the job, or those that rank 0 has started */

/* one_host: all processes are on this machine. */
static int begin(bool one_host)
{
    int provided;

    /* a rank that waits gives its processor to others, which may be more than processors are free */
    (void)setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
    if (one_host) /* shared memory at once, unless the environment says otherwise: a search for network cards takes .2 s */
        (void)setenv("OMPI_MCA_pml", "ob1", 0);
    return MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS ||
           provided < MPI_THREAD_SERIALIZED;
}

static int number(int *rank, int *size)
{
    return MPI_Comm_rank(shared, rank) != MPI_SUCCESS || MPI_Comm_size(shared, size) != MPI_SUCCESS;
}

static int init(int *rank, int *size)
{
    const char *all = getenv("OMPI_COMM_WORLD_SIZE"), *here = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");

    if (begin(all && here && !strcmp(all, here)))
        return 1;
    shared = MPI_COMM_WORLD;
    return number(rank, size);
}

/* Everyone learns who the others are. */
static int meet(int *rank, int *size)
{
    peer me = {.pid = getpid()}, *all = NULL;
    int len;

    if (number(rank, size) || MPI_Comm_set_errhandler(shared, MPI_ERRORS_RETURN) != MPI_SUCCESS ||
        MPI_Get_processor_name(me.host, &len) != MPI_SUCCESS || !(all = calloc((size_t)*size, sizeof *all)) ||
        !(peers = calloc((size_t)*size, sizeof *peers)) ||
        MPI_Allgather(&me, sizeof me, MPI_BYTE, all, sizeof me, MPI_BYTE, shared) != MPI_SUCCESS) {
        free(all);
        return 1;
    }
    own = *rank;
    n_peers = *size;
    for (int k = 0; k < n_peers; k++) {
        const bool other = k != own && !strcmp(all[k].host, me.host);
        peers[k] = (struct pollfd){.fd = other ? pidfd_open(all[k].pid, 0) : -1, .events = POLLIN};
    }
    free(all);
    return 0;
}

/* Puts `fd` in the place of a standard stream; returns the stream's own file, or -1. */
static int put_in_place(int fd, int stream)
{
    const int was = fcntl(stream, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

    if (was >= 0 && fd >= 0)
        (void)dup2(fd, stream);
    return was;
}

static void put_back(int was, int stream)
{
    if (was >= 0) {
        (void)dup2(was, stream);
        close(was);
    }
}

static void copy(int from, int to)
{
    char text[4096];
    off_t at = 0;
    ssize_t n;

    while ((n = pread(from, text, sizeof text, at)) > 0) {
        at += n;
        if (write(to, text, (size_t)n) != n)
            return;
    }
}

/* A process that shows what was written into `said`, unless this one calls end_watch: MPI ends a process in which it cannot
 * begin, without a chance to catch that.  Returns it, and in *end what it waits for; -1: there is none. */
static pid_t begin_watch(int said, int *end)
{
    int ends[2];
    char fine;

    if (pipe2(ends, O_CLOEXEC))
        return *end = -1;
    const pid_t watch = fork();
    if (watch == 0) {
        close(ends[1]);
        (void)signal(SIGINT, SIG_IGN); /* at Ctrl-C this process ends by the end of the other */
        if (read(ends[0], &fine, 1) != 1)
            copy(said, STDERR_FILENO);
        _exit(0);
    }
    close(ends[0]);
    *end = ends[1];
    return watch;
}

static void end_watch(pid_t watch, int end, bool fine)
{
    if (fine)
        (void)!write(end, "", 1);
    if (end >= 0)
        close(end);
    if (watch > 0)
        (void)waitpid(watch, NULL, 0);
}

static int spawn(const char *program, char **args, int others, int *rank, int *size)
{
    /* MPI starts a process of its own, which would read this one's standard input and write into its terminal, about a rank
     * that has died, say; so do the ranks.  What they write is of interest only if they cannot be started. */
    const int none = open("/dev/null", O_RDONLY | O_CLOEXEC), said = memfd_create("weaklab", MFD_CLOEXEC);
    int end;
    const pid_t watch = begin_watch(said, &end);
    const int input = put_in_place(none, STDIN_FILENO), output = put_in_place(said, STDOUT_FILENO),
              errors = put_in_place(said, STDERR_FILENO);

    (void)setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 0); /* there may be more ranks than processors */
    const int failed = begin(true) ||
                       MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN) != MPI_SUCCESS ||
                       MPI_Comm_spawn(program, args, others, MPI_INFO_NULL, 0, MPI_COMM_SELF, &between,
                                      MPI_ERRCODES_IGNORE) != MPI_SUCCESS ||
                       MPI_Intercomm_merge(between, 0, &shared) != MPI_SUCCESS || meet(rank, size);
    put_back(input, STDIN_FILENO);
    put_back(output, STDOUT_FILENO);
    put_back(errors, STDERR_FILENO);
    end_watch(watch, end, !failed);
    if (none >= 0)
        close(none);
    if (said >= 0)
        close(said);
    return failed;
}

static int join(int *rank, int *size)
{
    return begin(true) || MPI_Comm_get_parent(&between) != MPI_SUCCESS || between == MPI_COMM_NULL ||
           MPI_Intercomm_merge(between, 1, &shared) != MPI_SUCCESS || meet(rank, size);
}

static int send_bytes(int to, const void *data, size_t len)
{
    return len > INT_MAX || MPI_Send(data, (int)len, MPI_BYTE, to, TAG, MPI_COMM_WORLD) != MPI_SUCCESS;
}

static int probe(bool *there, int *from, size_t *len)
{
    MPI_Status status;
    int flag = 0, count = 0;

    if (MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &flag, &status) != MPI_SUCCESS)
        return 1;
    *there = flag != 0;
    if (!flag)
        return 0;
    *from = status.MPI_SOURCE;
    if (MPI_Get_count(&status, MPI_BYTE, &count) != MPI_SUCCESS || count < 0)
        return 1;
    *len = (size_t)count;
    return 0;
}

static int receive(int from, void *data, size_t len)
{
    return MPI_Recv(data, (int)len, MPI_BYTE, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS;
}

static int finalize(void)
{
    if (peers) {
        (void)MPI_Barrier(shared);
        (void)MPI_Comm_free(&shared);
        (void)MPI_Comm_disconnect(&between);
        for (int k = 0; k < n_peers; k++)
            if (peers[k].fd >= 0)
                close(peers[k].fd);
        free(peers);
        peers = NULL;
    }
    return MPI_Finalize() != MPI_SUCCESS;
}

/* Whether a process on this machine with which this one shares data has ended. */
static bool is_lost(void)
{
    return peers && poll(peers, (nfds_t)n_peers, 0) > 0;
}

/* MPI_Abort does not reach a process that was not started by mpirun: rank 0 ends its peers.  Another rank ends at once, which
 * the others notice, but if one has ended before, it waits for rank 0, so that this can tell which was the first. */
static void abort_job(int status)
{
    if (!peers)
        (void)MPI_Abort(shared, status);
    else if (own == 0)
        for (int k = 0; k < n_peers; k++)
            (void)(peers[k].fd >= 0 && pidfd_send_signal(peers[k].fd, SIGKILL, NULL, 0));
    else if (is_lost() && peers[0].fd >= 0)
        while (poll(&peers[0], 1, -1) < 0 && errno == EINTR)
            ;
    _exit(status);
}

/* ---- ranks that share data ---- */

/* MPI's own waiting keeps a processor busy: a rank that waits for a person's next command (idle) looks for it more and more
 * rarely.  Pauses in a step would make it slower, even with more ranks than processors. */
typedef struct waiting {
    bool idle;
    long looks;
    struct timespec pause;
} waiting;

/* Between two looks.  Also looks now and then whether all processes are there; 1 if not. */
static int pause_between_looks(waiting *w)
{
    w->looks++;
    const bool pauses = w->idle && w->looks >= SPINS;

    if ((pauses || w->looks % SPINS == 0) && is_lost())
        return 1;
    if (!pauses) {
        if (w->looks % 64 == 0)
            (void)sched_yield();
        return 0;
    }
    if (w->pause.tv_nsec == 0)
        w->pause.tv_nsec = LEAST_PAUSE;
    else if (w->pause.tv_nsec < LONGEST_PAUSE)
        w->pause.tv_nsec += w->pause.tv_nsec / 8;
    nanosleep(&w->pause, NULL);
    return 0;
}

/* The length of the piece that begins at `at`; 0: there is none. */
static size_t piece(size_t len, size_t at)
{
    return at >= len ? 0 : len - at < PIECE ? len - at : PIECE;
}

static int share_swap(void *self, int to, const void *out, size_t out_len, int from, void *in, size_t in_len)
{
    (void)self;
    if (is_lost()) /* MPI would write its own words about it to the terminal */
        return 1;
    for (size_t at = 0; at < out_len || at < in_len; at += PIECE) {
        const size_t n = piece(out_len, at), m = piece(in_len, at);
        MPI_Request both[] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        waiting w = {0};
        int done = 0;
        if ((n && MPI_Isend((const char *)out + at, (int)n, MPI_BYTE, to, SHARED_TAG, shared, &both[0]) !=
                      MPI_SUCCESS) ||
            (m &&
             MPI_Irecv((char *)in + at, (int)m, MPI_BYTE, from, SHARED_TAG, shared, &both[1]) != MPI_SUCCESS))
            return 1;
        /* Not MPI_Waitall: a rank may die when half of its message has arrived.  Then the requests stay as they are, and
         * nothing calls MPI any more but abort_job. */
        while (MPI_Testall(2, both, &done, MPI_STATUSES_IGNORE) == MPI_SUCCESS && !done)
            if (pause_between_looks(&w))
                return 1;
        if (!done)
            return 1;
    }
    return 0;
}

static int share_send(void *self, int to, const void *data, size_t len)
{
    return share_swap(self, to, data, len, 0, NULL, 0);
}

static int share_receive(void *self, int from, void *data, size_t len)
{
    return share_swap(self, 0, NULL, 0, from, data, len);
}

static int share_wait(void *self, int from)
{
    waiting w = {.idle = true};
    int there = 0;

    (void)self;
    while (MPI_Iprobe(from, SHARED_TAG, shared, &there, MPI_STATUS_IGNORE) == MPI_SUCCESS && !there)
        if (pause_between_looks(&w))
            return 1;
    return !there;
}

static int share_lost(void *self)
{
    int found = -1;

    (void)self;
    for (int k = 0; is_lost() && k < n_peers; k++)
        if (peers[k].revents)
            found = found < 0 ? k : n_peers; /* more than one: unknown which was the first */
    return found < n_peers ? found : -1;
}

const wlab_mpi wlab_mpi_plugin = {
    init,       spawn,     join,
    send_bytes, probe,     receive,
    finalize,   abort_job, {share_send, share_receive, share_swap, share_wait, share_lost}};
