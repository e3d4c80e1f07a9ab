/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The processes ("ranks") that compute together, each on rows of its own.  All of them run the same code and call these
 * functions in the same order; what a function returns is the same, to the bit, on every rank.  `ranks` may be NULL
 * everywhere: then this process has all rows.
 *
 * Cost: every function sends O(log size) messages per rank, one after the other.
 */
#ifndef BASE_RANKS_H
#define BASE_RANKS_H

#include "weaklab/event.h"

#include <pthread.h>

enum {
    WL_RANKS_MOST = 1024
};

/* How ranks exchange bytes: MPI (sweep/mpi_plugin.c), or threads (tests).  All functions return 0 on success. */
typedef struct wlab_wire {
    int (*send)(void *self, int to, const void *data, size_t len);
    int (*receive)(void *self, int from, void *data, size_t len);
    /* both at once; len 0: nothing in this direction */
    int (*swap)(void *self, int to, const void *out, size_t out_len, int from, void *in, size_t in_len);
    /* returns when a message from that rank has begun to arrive; keeps no processor busy meanwhile */
    int (*wait)(void *self, int from);
    int (*lost)(void *self); /* a rank whose process has ended, or -1: none is known to have; may be NULL */
} wlab_wire;

typedef struct wlab_ranks {
    int rank, size;
    const wlab_wire *wire;
    void *self;              /* of the wire */
    bool broken;             /* a message failed: nothing more is sent, and wlab_ranks_agree fails */
    pthread_mutex_t calling; /* rank 0: held from wlab_ranks_begin to wlab_ranks_end */
    int64_t numbers;         /* rank 0: numbers given so far to what all ranks hold a part of */
    double waited;           /* seconds in which this rank waited for messages */
    int64_t messages, sent;  /* messages and bytes that this rank has sent */
} wlab_ranks;

static inline int wlab_ranks_size(const wlab_ranks *r)
{
    return r ? r->size : 1;
}

/* Every rank gets rank 0's `data`. */
void wlab_ranks_broadcast(wlab_ranks *, void *data, size_t len);
/* The same, for a rank that may wait for long. */
void wlab_ranks_await(wlab_ranks *, void *data, size_t len);
/* all [size x each]: the `each` bytes of every rank, in order. */
void wlab_ranks_collect(wlab_ranks *, const void *mine, size_t each, void *all);
/* The same with len[r] bytes of rank r, which every rank knows. */
void wlab_ranks_join(wlab_ranks *, const void *mine, const size_t *len, void *all);
bool wlab_ranks_any(wlab_ranks *, bool);
int64_t wlab_ranks_total(wlab_ranks *, int64_t);
void wlab_ranks_totals(wlab_ranks *, int64_t *count, int n); /* of each count[k]; n <= WL_RANKS_MOST */
double wlab_ranks_least(wlab_ranks *, double);               /* NaN is left out, as in fmin */
double wlab_ranks_most(wlab_ranks *, double);
/* WL_OK if every rank passes WL_OK; else the code of the lowest rank that does not, and its message, which names the
 * rank unless all ranks fail: then it says nothing of a single one, or the ranks have agreed on it before.  Every
 * function that may fail on a single rank ends with it, so that no rank waits for one that has given up. */
wlab_code wlab_ranks_agree(wlab_ranks *, wlab_code, wlab_err *);
/* The same, but the message is as that rank wrote it; *first: its number.  wlab_ranks_name puts the number before it. */
wlab_code wlab_ranks_agree_bare(wlab_ranks *, wlab_code, wlab_err *, int *first);
void wlab_ranks_name(const wlab_ranks *, int rank, wlab_err *);
/* After a message has failed, WL_EIO: says which rank has ended, if that is known, and what to do. */
wlab_code wlab_ranks_say_lost(const wlab_ranks *, wlab_err *);

/* ---- calls: rank 0 says what all do next ---- */
/* What a rank above 0 can be told to do; args: what rank 0 sent. */
typedef struct wlab_remote {
    const char *name;
    void (*run)(void *self, wlab_ranks *, wlab_buf *args, wlab_ctx *);
} wlab_remote;
/* Who does it: `self`, which holds parts of data or of states, all that is in the table (which ends with name = NULL). */
typedef struct wlab_servant {
    const wlab_remote *table;
    void *self;
} wlab_servant;
/* On rank 0, from any thread: all other ranks run the remote of this name, and this one goes on with the same work, up to
 * wlab_ranks_end.  Meanwhile other threads wait.  args may be NULL. */
void wlab_ranks_begin(wlab_ranks *, const char *remote, const wlab_buf *args);
void wlab_ranks_end(wlab_ranks *);
/* On the other ranks: run what rank 0 says, by the servant that can (the last has table = NULL), until it calls
 * wlab_ranks_dismiss.  Returns whether it did; false: a message failed. */
bool wlab_ranks_serve(wlab_ranks *, const wlab_servant *, wlab_ctx *);
void wlab_ranks_dismiss(wlab_ranks *);

/* Single messages: from rank `from`, which calls _send, to this one, which calls _receive. */
void wlab_ranks_send(wlab_ranks *, int to, const void *data, size_t len);
void wlab_ranks_receive(wlab_ranks *, int from, void *data, size_t len);
/* Moves items of `each` bytes, which lie on the ranks in one order, to other ranks in the same order: before, rank r has
 * items from[r] .. from[r+1]-1, which are at `data` there, and afterwards to[r] .. to[r+1]-1, at `out`. */
void wlab_ranks_move(wlab_ranks *, const int64_t *from, const int64_t *to, size_t each, const void *data,
                     void *out);

/* first [size + 1]: the number of the first of the items of each rank, if this one has n of them. */
void wlab_ranks_number(wlab_ranks *, int64_t n, int64_t *first);
/* Rank 0 gets the items of all ranks, in order: own [n x each], all [of all ranks x each], which other ranks do not use; and
 * back. */
void wlab_ranks_to_first(wlab_ranks *, int64_t n, size_t each, const void *own, void *all);
void wlab_ranks_from_first(wlab_ranks *, int64_t n, size_t each, const void *all, void *own);

#endif
