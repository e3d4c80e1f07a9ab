/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What ranks do together, from messages between two of them: broadcasts go down a binomial tree, collections up the same
 * tree and then down.
 */
#include "base/ranks.h"
#include "base/clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void wlab_ranks_send(wlab_ranks *r, int to, const void *data, size_t len)
{
    if (r->broken || !len)
        return;
    r->broken = r->wire->send(r->self, to, data, len) != 0;
    r->messages++;
    r->sent += (int64_t)len;
}

void wlab_ranks_receive(wlab_ranks *r, int from, void *data, size_t len)
{
    const double begin = wlab_seconds_now();

    if (!len)
        return;
    if (!r->broken)
        r->broken = r->wire->receive(r->self, from, data, len) != 0;
    if (r->broken)
        memset(data, 0, len); /* what is computed from it is discarded */
    r->waited += wlab_seconds_now() - begin;
}

/* The largest power of 2 that divides the rank; for rank 0 one that is at least the number of ranks. */
static int low_bit(const wlab_ranks *r)
{
    int bit = 1;

    while (r->rank ? !(r->rank & bit) : bit < r->size)
        bit *= 2;
    return bit;
}

static void hand_down(wlab_ranks *r, void *data, size_t len)
{
    const int bit = low_bit(r);

    if (r->rank)
        wlab_ranks_receive(r, r->rank - bit, data, len);
    for (int d = bit / 2; d > 0; d /= 2)
        if (r->rank + d < r->size)
            wlab_ranks_send(r, r->rank + d, data, len);
}

void wlab_ranks_broadcast(wlab_ranks *r, void *data, size_t len)
{
    if (r && r->size > 1)
        hand_down(r, data, len);
}

void wlab_ranks_await(wlab_ranks *r, void *data, size_t len)
{
    if (r->rank && !r->broken)
        r->broken = r->wire->wait(r->self, r->rank - low_bit(r)) != 0;
    hand_down(r, data, len);
}

/* Rank 0 gets the bytes of all; rank k's begin at at(k). */
static void hand_up(wlab_ranks *r, const size_t *len, size_t each, unsigned char *all)
{
    size_t begin = 0, end = 0, next;
    int held = r->rank; /* up to this rank, this one has all bytes */

    for (int k = 0; k < r->rank; k++)
        begin += len ? len[k] : each;
    end = begin + (len ? len[r->rank] : each);
    for (int d = 1; d < r->size; d *= 2) {
        if (r->rank & d) {
            wlab_ranks_send(r, r->rank - d, all + begin, end - begin);
            return;
        }
        next = end;
        for (int k = held + 1; k < r->size && k < r->rank + 2 * d; k++, held++)
            next += len ? len[k] : each;
        if (r->rank + d < r->size)
            wlab_ranks_receive(r, r->rank + d, all + end, next - end);
        end = next;
    }
}

static void collect(wlab_ranks *r, const void *mine, const size_t *len, size_t each, void *all)
{
    const int size = wlab_ranks_size(r);
    size_t begin = 0, total = 0;

    for (int k = 0; k < size; k++) {
        if (r && k == r->rank)
            begin = total;
        total += len ? len[k] : each;
    }
    const size_t own = len ? len[r ? r->rank : 0] : each;
    if (own)
        memcpy((unsigned char *)all + begin, mine, own);
    if (size == 1)
        return;
    hand_up(r, len, each, all);
    hand_down(r, all, total);
}

void wlab_ranks_collect(wlab_ranks *r, const void *mine, size_t each, void *all)
{
    collect(r, mine, NULL, each, all);
}

void wlab_ranks_join(wlab_ranks *r, const void *mine, const size_t *len, void *all)
{
    collect(r, mine, len, 0, all);
}

/* Combines a number of every rank on rank 0, in order up the tree. */
static double combine(wlab_ranks *r, double x, double (*two)(double, double))
{
    if (wlab_ranks_size(r) == 1)
        return x;
    for (int d = 1; d < r->size; d *= 2) {
        double other = 0;
        if (r->rank & d) {
            wlab_ranks_send(r, r->rank - d, &x, sizeof x);
            break;
        }
        if (r->rank + d < r->size) {
            wlab_ranks_receive(r, r->rank + d, &other, sizeof other);
            x = two(x, other);
        }
    }
    hand_down(r, &x, sizeof x);
    return x;
}

double wlab_ranks_least(wlab_ranks *r, double x)
{
    return combine(r, x, fmin);
}

double wlab_ranks_most(wlab_ranks *r, double x)
{
    return combine(r, x, fmax);
}

void wlab_ranks_totals(wlab_ranks *r, int64_t *count, int n)
{
    const size_t len = (size_t)n * sizeof *count;

    for (int d = 1; d < wlab_ranks_size(r); d *= 2) {
        int64_t other[WL_RANKS_MOST];
        if (r->rank & d) {
            wlab_ranks_send(r, r->rank - d, count, len);
            break;
        }
        if (r->rank + d >= r->size)
            continue;
        wlab_ranks_receive(r, r->rank + d, other, len);
        for (int k = 0; k < n; k++)
            count[k] += other[k];
    }
    wlab_ranks_broadcast(r, count, len);
}

int64_t wlab_ranks_total(wlab_ranks *r, int64_t n)
{
    wlab_ranks_totals(r, &n, 1);
    return n;
}

bool wlab_ranks_any(wlab_ranks *r, bool yes)
{
    return combine(r, yes, fmax) > 0;
}

wlab_code wlab_ranks_agree_bare(wlab_ranks *r, wlab_code code, wlab_err *err, int *first)
{
    wlab_err found = {0};

    *first = 0;
    if (wlab_ranks_size(r) == 1)
        return code;
    *first = (int)wlab_ranks_least(r, code ? r->rank : r->size);
    if (!r->broken && *first < r->size) {
        if (r->rank == *first && err)
            found = *err;
        found.code = r->rank == *first ? code : found.code;
        if (*first) { /* to rank 0, which hands it down */
            if (r->rank == *first)
                wlab_ranks_send(r, 0, &found, sizeof found);
            if (r->rank == 0)
                wlab_ranks_receive(r, *first, &found, sizeof found);
        }
        hand_down(r, &found, sizeof found);
        code = found.code;
        if (err)
            *err = found;
    }
    if (r->broken)
        return wlab_ranks_say_lost(r, err);
    return *first < r->size ? code : WL_OK;
}

wlab_code wlab_ranks_say_lost(const wlab_ranks *r, wlab_err *err)
{
    const int lost = r->wire->lost ? r->wire->lost(r->self) : -1;
    char who[64] = "the connection to another rank is lost";

    if (lost >= 0)
        snprintf(who, sizeof who, "rank %d has ended", lost);
    return wlab_fail(err, WL_EIO,
                     "%s, and with it what was on several ranks: quit, and `replay` this session's recording",
                     who);
}

void wlab_ranks_name(const wlab_ranks *r, int rank, wlab_err *err)
{
    char message[sizeof err->message];

    if (wlab_ranks_size(r) == 1 || r->broken || !err)
        return;
    snprintf(message, sizeof message, "rank %d: %.900s", rank, err->message);
    memcpy(err->message, message, sizeof message);
}

wlab_code wlab_ranks_agree(wlab_ranks *r, wlab_code code, wlab_err *err)
{
    const bool fine = !code;
    int first;

    code = wlab_ranks_agree_bare(r, code, err, &first);
    if (code && wlab_ranks_any(r, fine))
        wlab_ranks_name(r, first, err);
    return code;
}

void wlab_ranks_move(wlab_ranks *r, const int64_t *from, const int64_t *to, size_t each, const void *data,
                     void *out)
{
    const int me = r ? r->rank : 0, size = wlab_ranks_size(r);

    for (int d = 0; d < size; d++) { /* in round d to the rank d above, and from the rank d below */
        const int above = (me + d) % size, below = (me + size - d) % size;
        int64_t begin[2], end[2];
        for (int k = 0; k < 2; k++) {
            const int source = k ? below : me, target = k ? me : above;
            begin[k] = from[source] > to[target] ? from[source] : to[target];
            end[k] = from[source + 1] < to[target + 1] ? from[source + 1] : to[target + 1];
            end[k] = end[k] < begin[k] ? begin[k] : end[k];
        }
        const unsigned char *send = (const unsigned char *)data + (size_t)(begin[0] - from[me]) * each;
        unsigned char *receive = (unsigned char *)out + (size_t)(begin[1] - to[me]) * each;
        const size_t n_send = (size_t)(end[0] - begin[0]) * each,
                     n_receive = (size_t)(end[1] - begin[1]) * each;
        if (d == 0 && n_send)
            memcpy(receive, send, n_send);
        if (d == 0 || (!n_send && !n_receive))
            continue;
        const double start = wlab_seconds_now();
        if (!r->broken)
            r->broken = r->wire->swap(r->self, above, send, n_send, below, receive, n_receive) != 0;
        if (r->broken && n_receive)
            memset(receive, 0, n_receive);
        r->waited += wlab_seconds_now() - start;
        r->messages += n_send > 0;
        r->sent += (int64_t)n_send;
    }
}

/* first [size + 1]: the number of the first of the n items of each rank; at_0: that if rank 0 had them all. */
static void number_items(wlab_ranks *r, int64_t n, int64_t *first, int64_t *at_0)
{
    wlab_ranks_number(r, n, first);
    at_0[0] = 0;
    for (int k = 1; k <= wlab_ranks_size(r); k++)
        at_0[k] = first[wlab_ranks_size(r)];
}

void wlab_ranks_number(wlab_ranks *r, int64_t n, int64_t *first)
{
    int64_t each[WL_RANKS_MOST];

    wlab_ranks_collect(r, &n, sizeof n, each);
    first[0] = 0;
    for (int k = 0; k < wlab_ranks_size(r); k++)
        first[k + 1] = first[k] + each[k];
}

void wlab_ranks_to_first(wlab_ranks *r, int64_t n, size_t each, const void *own, void *all)
{
    int64_t first[WL_RANKS_MOST + 1], at_0[WL_RANKS_MOST + 1];

    number_items(r, n, first, at_0);
    wlab_ranks_move(r, first, at_0, each, own, all);
}

void wlab_ranks_from_first(wlab_ranks *r, int64_t n, size_t each, const void *all, void *own)
{
    int64_t first[WL_RANKS_MOST + 1], at_0[WL_RANKS_MOST + 1];

    number_items(r, n, first, at_0);
    wlab_ranks_move(r, at_0, first, each, all, own);
}

/* ---- calls ---- */

typedef struct call {
    char remote[24]; /* "": the end */
    uint64_t len;
} call;

void wlab_ranks_begin(wlab_ranks *r, const char *remote, const wlab_buf *args)
{
    call c = {.len = args ? args->len : 0};

    if (!r)
        return;
    pthread_mutex_lock(&r->calling);
    if (r->size == 1)
        return;
    strncpy(c.remote, remote, sizeof c.remote - 1);
    wlab_ranks_await(r, &c, sizeof c);
    if (c.len)
        hand_down(r, args->data, args->len);
}

void wlab_ranks_end(wlab_ranks *r)
{
    if (r)
        pthread_mutex_unlock(&r->calling);
}

void wlab_ranks_dismiss(wlab_ranks *r)
{
    wlab_ranks_begin(r, "", NULL);
    wlab_ranks_end(r);
}

/* Runs a remote of this name, if a servant has one. */
static bool run_remote(wlab_ranks *r, const wlab_servant *servant, const char *name, wlab_buf *args,
                       wlab_ctx *ctx)
{
    for (; servant->table; servant++)
        for (const wlab_remote *what = servant->table; what->name; what++)
            if (strcmp(what->name, name) == 0) {
                what->run(servant->self, r, args, ctx);
                return true;
            }
    return false;
}

bool wlab_ranks_serve(wlab_ranks *r, const wlab_servant *servants, wlab_ctx *ctx)
{
    call c;

    for (;;) {
        wlab_buf args = {0};
        wlab_ranks_await(r, &c, sizeof c);
        if (r->broken || !c.remote[0])
            return !r->broken;
        args.data = wlab_alloc(c.len, 1);
        if (!args.data)
            return false; /* the job ends: what this rank should do is lost */
        args.len = args.cap = c.len;
        hand_down(r, args.data, args.len);
        const bool known = !r->broken && run_remote(r, servants, c.remote, &args, ctx);
        wlab_buf_clear(&args);
        if (!known)
            return false;
    }
}
