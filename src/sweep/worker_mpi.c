/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Workers as ranks of an MPI job.  Both sides poll for messages and sleep in between: MPI's own waiting keeps a
 * processor busy, and there may be fewer processors than ranks.  If a rank dies, mpirun ends the whole job.
 */
#include "sweep/mpi.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    PROBE_US = 2000
};

/* ---- loading the plugin ---- */

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

wlab_code wlab_mpi_load(const wlab_mpi **out, const char *const *paths, wlab_err *err)
{
    const char *path = NULL;
    const wlab_mpi *mpi;
    void *plugin;

    for (int i = 0; paths[i] && !path; i++)
        path = access(paths[i], R_OK) == 0 ? paths[i] : NULL;
    if (!path)
        return wlab_fail(err, WL_EIO,
                         "this weaklab was built without MPI: there is no '%s'; install Open MPI and build "
                         "weaklab again, or run it without mpirun (`help sweep`)",
                         paths[0]);
    /* RTLD_GLOBAL: an MPI library loads plugins of its own, which need its symbols */
    plugin = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    mpi = plugin ? dlsym(plugin, WLAB_MPI_SYMBOL) : NULL;
    if (!mpi)
        return wlab_fail(err, WL_EIO, "cannot load '%s': %s", path, dlerror());
    *out = mpi;
    return WL_OK;
}

static void sleep_briefly(void)
{
    nanosleep(&(struct timespec){.tv_nsec = PROBE_US * 1000}, NULL);
}

/* Receive a message that has arrived, as a string.  False: MPI failed, or out of memory. */
static bool receive_message(const wlab_mpi *mpi, int from, size_t len, char **line)
{
    *line = wlab_alloc(len + 1, 1);
    if (!*line || mpi->receive(from, *line, len))
        return false;
    (*line)[len] = '\0';
    return true;
}

/* ---- rank 0 ---- */

typedef struct mpi_workers {
    wlab_workers base;
    const wlab_mpi *mpi;
    char *line; /* received last */
} mpi_workers;

static wlab_code start(wlab_workers *base, int w, wlab_err *err)
{
    (void)base;
    (void)w;
    (void)err;
    return WL_OK;
}

static wlab_code send_line(wlab_workers *base, int w, const char *line, size_t len, wlab_err *err)
{
    if (((mpi_workers *)base)->mpi->send(w + 1, line, len))
        return wlab_fail(err, WL_EIO, "MPI cannot send to rank %d", w + 1);
    return WL_OK;
}

static bool receive(wlab_workers *base, wlab_worker_event *h, int ms)
{
    mpi_workers *c = (mpi_workers *)base;
    bool there = false;
    int from = 0;
    size_t len = 0;

    c->line = wlab_free(c->line);
    for (int us = 0; us <= ms * 1000; us += PROBE_US) {
        if (c->mpi->probe(&there, &from, &len))
            return false;
        if (there)
            break;
        sleep_briefly();
    }
    if (!there || !receive_message(c->mpi, from, len, &c->line))
        return false;
    *h = (wlab_worker_event){.worker = from - 1, .line = c->line, .len = len};
    return true;
}

static void destroy(wlab_workers *base)
{
    mpi_workers *c = (mpi_workers *)base;

    wlab_free(c->line);
    wlab_free(c);
}

wlab_code wlab_workers_mpi(wlab_workers **out, const wlab_mpi *mpi, int size, wlab_err *err)
{
    static const wlab_workers_type type = {start, send_line, receive, destroy};
    mpi_workers *c = wlab_calloc(1, sizeof *c);

    if (!c)
        return wlab_nomem(err);
    c->base = (wlab_workers){&type, size - 1, false};
    c->mpi = mpi;
    *out = &c->base;
    return WL_OK;
}

void wlab_workers_mpi_end(wlab_workers *base, int status)
{
    const wlab_mpi *mpi = ((mpi_workers *)base)->mpi;

    if (base->abandoned)
        mpi->abort_job(status);
    for (int w = 0; w < base->size; w++)
        (void)mpi->send(w + 1, "", 0);
    destroy(base);
    (void)mpi->finalize();
}

/* ---- the other ranks ---- */

static bool next_line(void *self, char **line, size_t *len)
{
    const wlab_mpi *mpi = self;
    bool there = false;
    int from;

    do {
        if (mpi->probe(&there, &from, len))
            return false;
        if (!there)
            sleep_briefly();
    } while (!there);
    if (!receive_message(mpi, from, *len, line)) {
        mpi->abort_job(1);
        return false;
    }
    if (*len > 0)
        return true;
    *line = wlab_free(*line); /* an empty message: there is no more work */
    return false;
}

static void answer(void *self, const char *line, size_t len)
{
    const wlab_mpi *mpi = self;
    (void)mpi->send(0, line, len);
}

int wlab_mpi_worker(const wlab_mpi *mpi, const char *(*build)(void))
{
    int status = wlab_worker_serve(&(wlab_worker_side){(void *)(uintptr_t)mpi, next_line, answer}, build);

    if (status) { /* the other ranks would wait for this one forever */
        mpi->abort_job(status);
        return status;
    }
    (void)mpi->finalize();
    return 0;
}
