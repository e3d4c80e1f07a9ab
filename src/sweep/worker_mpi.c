/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Workers as ranks of an MPI job.  Both sides look for messages and sleep between the looks: MPI's own waiting would
 * keep a processor busy, of which there may be fewer than ranks.  A rank that dies ends the job, as mpirun has it.
 */
#include "sweep/mpi.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    LOOK_US = 2000
};

/* ---- getting at it ---- */

bool wlab_mpi_job(int *rank)
{
    static const char *const names[][2] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                           {"PMI_SIZE", "PMI_RANK"}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *size = getenv(names[i][0]), *which = getenv(names[i][1]);
        int64_t n = 0, r = 0;
        if (size && which && wlab_parse_int(size, &n) && n > 1 && wlab_parse_int(which, &r)) {
            *rank = (int)r;
            return true;
        }
    }
    return false;
}

wlab_code wlab_mpi_load(const wlab_mpi **out, const char *const *paths, int *rank, int *size, wlab_err *err)
{
    const char *path = NULL;
    const wlab_mpi *mpi;
    void *plugin;

    for (int i = 0; paths[i] && !path; i++)
        path = access(paths[i], R_OK) == 0 ? paths[i] : NULL;
    if (!path)
        return wlab_fail(err, WL_EIO,
                         "this weaklab was built without MPI: there is no '%s'; install libopenmpi-dev and "
                         "build it again, or do without mpirun (`help sweep`)",
                         paths[0]);
    /* MPI libraries load parts of their own that look for their symbols everywhere */
    plugin = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    mpi = plugin ? dlsym(plugin, WLAB_MPI_SYMBOL) : NULL;
    if (!mpi)
        return wlab_fail(err, WL_EIO, "cannot load '%s': %s", path, dlerror());
    if (mpi->begin(rank, size))
        return wlab_fail(err, WL_EIO, "MPI cannot begin (it must allow calls from several threads)");
    *out = mpi;
    return WL_OK;
}

static void rest(void)
{
    nanosleep(&(struct timespec){.tv_nsec = LOOK_US * 1000}, NULL);
}

/* A message that is there, as a string.  False: MPI failed, or memory. */
static bool take(const wlab_mpi *mpi, int from, size_t len, char **line)
{
    *line = wlab_alloc(len + 1, 1);
    if (!*line || mpi->receive(from, *line, len))
        return false;
    (*line)[len] = '\0';
    return true;
}

/* ---- rank 0 ---- */

typedef struct crew {
    wlab_crew crew;
    const wlab_mpi *mpi;
    char *line; /* heard last */
} crew;

static wlab_code start(wlab_crew *base, int w, wlab_err *err)
{
    (void)base;
    (void)w;
    (void)err;
    return WL_OK;
}

static wlab_code put(wlab_crew *base, int w, const char *line, size_t len, wlab_err *err)
{
    if (((crew *)base)->mpi->send(w + 1, line, len))
        return wlab_fail(err, WL_EIO, "MPI cannot send to rank %d", w + 1);
    return WL_OK;
}

static bool hear(wlab_crew *base, wlab_heard *h, int ms)
{
    crew *c = (crew *)base;
    bool there = false;
    int from = 0;
    size_t len = 0;

    c->line = wlab_free(c->line);
    for (int us = 0; us <= ms * 1000; us += LOOK_US) {
        if (c->mpi->look(&there, &from, &len))
            return false;
        if (there)
            break;
        rest();
    }
    if (!there || !take(c->mpi, from, len, &c->line))
        return false;
    *h = (wlab_heard){.worker = from - 1, .line = c->line, .len = len};
    return true;
}

static void destroy(wlab_crew *base)
{
    crew *c = (crew *)base;

    wlab_free(c->line);
    wlab_free(c);
}

wlab_code wlab_crew_mpi(wlab_crew **out, const wlab_mpi *mpi, int size, wlab_err *err)
{
    static const wlab_crew_type type = {start, put, hear, destroy};
    crew *c = wlab_calloc(1, sizeof *c);

    if (!c)
        return wlab_nomem(err);
    c->crew = (wlab_crew){&type, size - 1, false};
    c->mpi = mpi;
    *out = &c->crew;
    return WL_OK;
}

void wlab_crew_mpi_end(wlab_crew *base, int status)
{
    const wlab_mpi *mpi = ((crew *)base)->mpi;

    if (base->abandoned)
        mpi->abandon(status);
    for (int w = 0; w < base->size; w++)
        (void)mpi->send(w + 1, "", 0);
    destroy(base);
    (void)mpi->end();
}

/* ---- the other ranks ---- */

static bool next(void *self, char **line, size_t *len)
{
    const wlab_mpi *mpi = self;
    bool there = false;
    int from;

    do {
        if (mpi->look(&there, &from, len))
            return false;
        if (!there)
            rest();
    } while (!there);
    if (!take(mpi, from, *len, line)) {
        mpi->abandon(1);
        return false;
    }
    if (*len > 0)
        return true;
    *line = wlab_free(*line); /* an empty one: all is done */
    return false;
}

static void answer(void *self, const char *line, size_t len)
{
    const wlab_mpi *mpi = self;
    (void)mpi->send(0, line, len);
}

int wlab_mpi_worker(const wlab_mpi *mpi, const char *(*build)(void))
{
    int status = wlab_worker_serve(&(wlab_worker_side){(void *)(uintptr_t)mpi, next, answer}, build);

    if (status) { /* the others would wait for it for ever */
        mpi->abandon(status);
        return status;
    }
    (void)mpi->end();
    return 0;
}
