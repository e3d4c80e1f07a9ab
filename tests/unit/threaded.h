/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Ranks as threads of one process, for tests: messages go through one box for each pair of ranks.
 */
#ifndef TESTS_THREADED_H
#define TESTS_THREADED_H

#include "support.h"

#include "base/ranks.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    THREADED_MOST = 16
};

typedef struct threaded_box {
    unsigned char *data; /* sent and not yet received */
    size_t len;
} threaded_box;

typedef struct threaded {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    threaded_box box[THREADED_MOST][THREADED_MOST]; /* [from][to] */
    wlab_ranks ranks[THREADED_MOST];
    struct threaded_end {
        struct threaded *job;
        int rank;
    } end[THREADED_MOST];
    void (*work)(wlab_ranks *, void *data);
    void *data;
} threaded;

static inline int threaded_send(void *self, int to, const void *data, size_t len)
{
    struct threaded_end *e = self;
    threaded_box *box = &e->job->box[e->rank][to];

    pthread_mutex_lock(&e->job->lock);
    box->data = realloc(box->data, box->len + len);
    if (!box->data)
        abort();
    memcpy(box->data + box->len, data, len);
    box->len += len;
    pthread_cond_broadcast(&e->job->changed);
    pthread_mutex_unlock(&e->job->lock);
    return 0;
}

static inline int threaded_receive(void *self, int from, void *data, size_t len)
{
    struct threaded_end *e = self;
    threaded_box *box = &e->job->box[from][e->rank];

    pthread_mutex_lock(&e->job->lock);
    while (box->len < len)
        pthread_cond_wait(&e->job->changed, &e->job->lock);
    memcpy(data, box->data, len);
    memmove(box->data, box->data + len, box->len - len);
    box->len -= len;
    pthread_mutex_unlock(&e->job->lock);
    return 0;
}

static inline int threaded_swap(void *self, int to, const void *out, size_t out_len, int from, void *in,
                                size_t in_len)
{
    if (out_len)
        (void)threaded_send(self, to, out, out_len);
    return in_len ? threaded_receive(self, from, in, in_len) : 0;
}

static inline int threaded_wait(void *self, int from)
{
    (void)self, (void)from;
    return 0;
}

static inline void *threaded_main(void *end)
{
    struct threaded_end *e = end;
    e->job->work(&e->job->ranks[e->rank], e->job->data);
    return NULL;
}

/* Runs work on `size` ranks at once.  A failing assertion on a rank that is not in the calling thread would jump out of it:
 * work writes its results into data, and the caller looks at them. */
static inline void run_threaded(int size, void (*work)(wlab_ranks *, void *data), void *data)
{
    static const wlab_wire wire = {threaded_send, threaded_receive, threaded_swap, threaded_wait, NULL};
    threaded *job = calloc(1, sizeof *job);
    pthread_t thread[THREADED_MOST];

    assert_non_null(job);
    assert_true(size <= THREADED_MOST);
    pthread_mutex_init(&job->lock, NULL);
    pthread_cond_init(&job->changed, NULL);
    job->work = work;
    job->data = data;
    for (int r = 0; r < size; r++) {
        job->end[r].job = job;
        job->end[r].rank = r;
        job->ranks[r] = (wlab_ranks){.rank = r, .size = size, .wire = &wire, .self = &job->end[r]};
    }
    for (int r = 0; r < size; r++)
        assert_int_equal(pthread_create(&thread[r], NULL, threaded_main, &job->end[r]), 0);
    for (int r = 0; r < size; r++)
        pthread_join(thread[r], NULL);
    for (int a = 0; a < size; a++)
        for (int b = 0; b < size; b++) {
            assert_int_equal(job->box[a][b].len, 0); /* every message was received */
            free(job->box[a][b].data);
        }
    pthread_mutex_destroy(&job->lock);
    pthread_cond_destroy(&job->changed);
    free(job);
}

#endif
