/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Algorithms on data whose rows are on several ranks: what rank 0 tells the others, and what they do.
 */
#include "algo/away.h"
#include "algo/algos.h"
#include "algo/derived.h"
#include "base/pack.h"
#include "base/walk.h"
#include "task/share.h"

#include <string.h>

/* ---- what every rank does, in the same order ---- */

/* An algorithm's state on this rank, with the problem of this rank's rows. */
typedef struct held {
    int64_t number;
    const wlab_algo *base;
    wlab_problem *part;
    wlab_params *params;
    void *state;
} held;

static wlab_ranks *ranks_of(const held *h)
{
    return h->part->X->parts->ranks;
}

static void held_clear(held *h)
{
    if (h->state)
        h->base->destroy(h->state);
    wlab_problem_unref(h->part);
    wlab_params_destroy(h->params);
    *h = (held){0};
}

/* Rank 0's labels [n of all ranks] become those of the states; on other ranks `labels` is not used. */
static wlab_code fetch_labels(const held *h, int8_t *labels, wlab_err *err)
{
    const wlab_rows *rows = h->part->X->parts;
    int8_t *own = wlab_alloc((size_t)rows->n, 1);
    const wlab_code code = wlab_ranks_agree(rows->ranks, own ? WL_OK : wlab_nomem(err), err);

    if (!code) {
        h->base->observe(h->state, NULL, own);
        wlab_ranks_to_first(rows->ranks, rows->n, 1, own, labels);
    }
    wlab_free(own);
    return code;
}

static wlab_code held_create(held *h, const wlab_problem *whole, const wlab_share *share, wlab_buf *args,
                             int8_t *labels, wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code = wlab_problem_share(&h->part, whole, share, args, err);

    if (code)
        return code;
    code = wlab_ranks_agree(ranks_of(h), h->base->create(&h->state, h->part, h->params, ctx, err), err);
    return code ? code : fetch_labels(h, labels, err);
}

static wlab_code held_advance(held *h, int8_t *labels, wlab_step *step, wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code = h->base->advance(h->state, ctx, step, err);

    code = wlab_ranks_agree(ranks_of(h), code, err);
    return code || !step->complete ? code : fetch_labels(h, labels, err);
}

static wlab_code held_set(held *h, const wlab_params *given, wlab_err *err)
{
    return wlab_ranks_agree(ranks_of(h), h->base->set(h->state, given, err), err);
}

/* ---- on rank 0: the derived algorithm ---- */

typedef struct away {
    held h;
    wlab_ranks *ranks;
    int8_t *labels; /* [n of all ranks] */
    int64_t n;
    bool lost; /* a rank failed inside a step that others made: only a snapshot brings the state back */
} away;

/* The numbers that most calls send. */
typedef struct numbers {
    int64_t state, other;
} numbers;

/* begin with the numbers, and then the parameters unless NULL. */
static wlab_code begin(wlab_ranks *ranks, const char *remote, numbers n, const wlab_params *given,
                       wlab_err *err)
{
    wlab_buf args = {0};
    wlab_code code = wlab_buf_put(&args, &n, sizeof n);

    code = code || !given ? code : wlab_pack_params(&args, given);
    if (code)
        code = wlab_nomem(err);
    else
        wlab_ranks_begin(ranks, remote, &args);
    wlab_buf_clear(&args);
    return code;
}

static void destroy(void *state)
{
    away *s = state;

    if (!s)
        return;
    if (s->h.part && !begin(s->ranks, "destroy", (numbers){s->h.number, 0}, NULL, NULL))
        wlab_ranks_end(s->ranks);
    held_clear(&s->h);
    wlab_free(s->labels);
    wlab_free(s);
}

static wlab_code pack_create(wlab_buf *args, const away *s, const wlab_problem *p, const wlab_params *given,
                             wlab_err *err)
{
    const numbers n = {s->h.number, p->data->share->number};
    wlab_code code = wlab_buf_put(args, &n, sizeof n);

    code = code ? code : wlab_pack_text(args, s->h.base->name);
    code = code ? code : wlab_pack_params(args, given);
    return code ? wlab_nomem(err) : wlab_problem_pack(args, p, err);
}

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    wlab_ranks *ranks = p->data->share->ranks;
    away *s = wlab_calloc(1, sizeof *s);
    wlab_buf args = {0};
    wlab_code code;

    *state = NULL;
    if (!s)
        return wlab_nomem(err);
    s->ranks = ranks;
    s->n = p->n;
    s->h.base = wlab_algo_of_params(given);
    s->h.number = ranks ? __atomic_add_fetch(&ranks->numbers, 1, __ATOMIC_RELAXED) : 0;
    s->labels = wlab_calloc((size_t)p->n, 1);
    code = s->labels ? wlab_params_copy(&s->h.params, given, err) : wlab_nomem(err);
    code = code ? code : pack_create(&args, s, p, given, err);
    if (!code) {
        wlab_ranks_begin(ranks, "create", &args);
        code = held_create(&s->h, p, p->data->share, NULL, s->labels, ctx, err);
        wlab_ranks_end(ranks);
        if (code)
            held_clear(&s->h); /* the others have done the same */
    }
    wlab_buf_clear(&args);
    if (code)
        destroy(s);
    else
        *state = s;
    return code;
}

static wlab_code advance(void *state, wlab_ctx *ctx, wlab_step *step, wlab_err *err)
{
    away *s = state;

    *step = (wlab_step){0};
    if (s->ranks && s->ranks->broken)
        return wlab_ranks_say_lost(s->ranks, err);
    if (s->lost)
        return wlab_fail(err, WL_ESTATE,
                         "a rank failed inside a step: go back with `goto`, or begin another run");
    wlab_code code = begin(s->ranks, "advance", (numbers){s->h.number, 0}, NULL, err);
    if (code)
        return code;
    code = held_advance(&s->h, s->labels, step, ctx, err);
    wlab_ranks_end(s->ranks);
    s->lost =
        code == WL_ENOMEM || code == WL_EIO; /* all ranks return other errors before they change anything */
    return code;
}

static void observe(const void *state, double *metric, int8_t *labels)
{
    const away *s = state;

    if (metric)
        s->h.base->observe(s->h.state, metric, NULL);
    if (labels)
        memcpy(labels, s->labels, (size_t)s->n);
}

static wlab_code model(const void *state, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    const away *s = state;
    return s->h.base->model(s->h.state, out, ctx, err);
}

static const wlab_kernel *kernel(const void *state)
{
    const away *s = state;
    return s->h.base->kernel(s->h.state);
}

static void explain(const void *state, char *buf, size_t size)
{
    const away *s = state;
    s->h.base->explain(s->h.state, buf, size);
}

static void next(const void *state, char *buf, size_t size)
{
    const away *s = state;
    s->h.base->next(s->h.state, buf, size);
}

static wlab_code set(void *state, const wlab_params *given, wlab_err *err)
{
    away *s = state;
    wlab_code code = begin(s->ranks, "set", (numbers){s->h.number, 0}, given, err);

    if (code)
        return code;
    code = held_set(&s->h, given, err);
    wlab_ranks_end(s->ranks);
    return code;
}

/* What a snapshot on rank 0 begins with: the others' parts have this number. */
typedef struct ticket {
    wlab_ranks *ranks;
    int64_t number;
} ticket;

static void walk(void *state, wlab_walk *w)
{
    away *s = state;
    ticket t = {.ranks = s->ranks};

    if (!w->reading && s->ranks)
        t.number = __atomic_add_fetch(&s->ranks->numbers, 1, __ATOMIC_RELAXED);
    WL_WALK(w, t);
    if (w->code || !wlab_walk_check(w, begin(s->ranks, w->reading ? "restore" : "save",
                                             (numbers){s->h.number, t.number}, NULL, w->err)))
        return;
    s->h.base->walk(s->h.state, w);
    w->code = wlab_ranks_agree(s->ranks, w->code, w->err);
    if (wlab_walk_has_read(w))
        w->code = fetch_labels(&s->h, s->labels, w->err);
    wlab_ranks_end(s->ranks);
    if (w->reading)
        s->lost = w->code != WL_OK;
}

/* A snapshot is `length` (base/walk.h), and then what walk() writes. */
static void hold(const wlab_buf *snapshot, int by)
{
    ticket t;

    if (snapshot->len < sizeof(uint64_t) + sizeof t)
        return;
    memcpy(&t, snapshot->data + sizeof(uint64_t), sizeof t);
    if (t.ranks && !begin(t.ranks, "count", (numbers){by, t.number}, NULL, NULL))
        wlab_ranks_end(t.ranks);
}

static wlab_derived *derive(const wlab_algo *base)
{
    wlab_derived *d = wlab_calloc(1, sizeof *d);

    if (!d)
        return NULL;
    d->base = base;
    d->algo = *base;
    d->algo.probes = NULL;
    d->algo.create = create;
    d->algo.advance = advance;
    d->algo.observe = observe;
    d->algo.model = model;
    d->algo.kernel = base->kernel ? kernel : NULL;
    d->algo.explain = explain;
    d->algo.next = next;
    d->algo.walk = walk;
    d->algo.hold = hold;
    d->algo.set = base->set ? set : NULL;
    d->algo.destroy = destroy;
    return d;
}

static wlab_derivations derivations = {.lock = PTHREAD_MUTEX_INITIALIZER, .make = derive};

wlab_code wlab_away(const wlab_algo **out, const wlab_algo *algo, const wlab_problem *p, wlab_err *err)
{
    char list[200] = "";

    if (!(algo->ranks & p->task->sees)) {
        for (const wlab_algo *const *a = wlab_algos; *a; a++)
            if ((*a)->ranks & p->task->sees)
                wlab_text_append(list, sizeof list, "%s%s", *list ? ", " : "", (*a)->name);
        return wlab_fail(err, WL_ESTATE,
                         "the rows of '%s' are spread over ranks, and %s cannot learn from these: %s%s",
                         p->data->name, algo->name, *list ? "use " : "no algorithm can with this task", list);
    }
    const wlab_code code = wlab_problem_shareable(p, err);
    const wlab_derived *d = code ? NULL : wlab_derived_find(&derivations, algo);
    *out = d ? &d->algo : NULL;
    return code ? code : d ? WL_OK : wlab_nomem(err);
}

/* ---- on the other ranks ---- */

typedef struct saved {
    int64_t number;
    int64_t copies;
    wlab_buf part;
} saved;

struct wlab_states {
    const wlab_shares *shares;
    held *state;
    int states;
    saved *saved;
    int64_t snapshots, cap;
};

wlab_states *wlab_states_create(const wlab_shares *shares)
{
    wlab_states *all = wlab_calloc(1, sizeof *all);

    if (all)
        all->shares = shares;
    return all;
}

void wlab_states_destroy(wlab_states *all)
{
    if (!all)
        return;
    for (int k = 0; k < all->states; k++)
        held_clear(&all->state[k]);
    for (int64_t k = 0; k < all->snapshots; k++)
        wlab_buf_clear(&all->saved[k].part);
    wlab_free(all->state);
    wlab_free(all->saved);
    wlab_free(all);
}

static held *held_find(wlab_states *all, int64_t number)
{
    for (int k = 0; k < all->states; k++)
        if (all->state[k].number == number)
            return &all->state[k];
    return NULL;
}

static saved *saved_find(wlab_states *all, int64_t number)
{
    for (int64_t k = 0; k < all->snapshots; k++)
        if (all->saved[k].number == number)
            return &all->saved[k];
    return NULL;
}

/* The state that rank 0 means; NULL: there is none, which may be only at "destroy" (of one that could not be created).
 * What rank 0 sends is consistent; a rank that cannot even begin ends the job. */
static held *held_meant(wlab_states *all, wlab_buf *args, numbers *n)
{
    *n = (numbers){0};
    return wlab_buf_get(args, n, sizeof *n) == WL_OK ? held_find(all, n->state) : NULL;
}

static void obey_create(void *self, wlab_ranks *ranks, wlab_buf *args, wlab_ctx *ctx)
{
    wlab_states *all = self;
    numbers n;
    wlab_err err;

    (void)held_meant(all, args, &n);
    const wlab_share *share = wlab_shares_find(all->shares, n.other);
    const wlab_algo *base = wlab_algo_find(wlab_unpack_text(args));
    held *more = wlab_realloc(all->state, (size_t)all->states + 1, sizeof *more);
    held h = {.number = n.state, .base = base};
    all->state = more ? more : all->state;
    if (!share || !base || !more || wlab_unpack_params(&h.params, base->params, args, &err)) {
        ranks->broken = true;
        return;
    }
    if (held_create(&h, NULL, share, args, NULL, ctx, &err))
        held_clear(&h);
    else
        all->state[all->states++] = h;
}

static void obey_advance(void *self, wlab_ranks *ranks, wlab_buf *args, wlab_ctx *ctx)
{
    numbers n;
    held *h = held_meant(self, args, &n);
    wlab_step step;
    wlab_err err;

    if (h)
        (void)held_advance(h, NULL, &step, ctx, &err);
    else
        ranks->broken = true;
}

static void obey_set(void *self, wlab_ranks *ranks, wlab_buf *args, wlab_ctx *ctx)
{
    numbers n;
    held *h = held_meant(self, args, &n);
    wlab_params *given = NULL;
    wlab_err err;

    (void)ctx;
    if (!h || wlab_unpack_params(&given, h->base->params, args, &err))
        ranks->broken = true;
    else
        (void)held_set(h, given, &err);
    wlab_params_destroy(given);
}

static void obey_save(void *self, wlab_ranks *ranks, wlab_buf *args, wlab_ctx *ctx)
{
    wlab_states *all = self;
    numbers n;
    const held *h = held_meant(all, args, &n);
    saved *more = all->snapshots < all->cap ? all->saved : NULL;
    wlab_err err;

    (void)ctx;
    if (!more) {
        const int64_t cap = all->cap ? 2 * all->cap : 16;
        if ((more = wlab_realloc(all->saved, (size_t)cap, sizeof *more))) {
            all->saved = more;
            all->cap = cap;
        }
    }
    if (!h || !more) {
        ranks->broken = true;
        return;
    }
    saved now = {.number = n.other, .copies = 1};
    const wlab_code code = wlab_walk_write(&now.part, h->base->walk, h->state, &err);
    if (wlab_ranks_agree(ranks, code, &err))
        wlab_buf_clear(&now.part);
    else
        all->saved[all->snapshots++] = now;
}

static void obey_restore(void *self, wlab_ranks *ranks, wlab_buf *args, wlab_ctx *ctx)
{
    numbers n;
    held *h = held_meant(self, args, &n);
    saved *from = saved_find(self, n.other);
    wlab_err err;

    if (!h || !from) {
        ranks->broken = true;
        return;
    }
    from->part.pos = 0;
    const wlab_code code = wlab_walk_read(&from->part, h->base->walk, h->state, ctx, &err);
    if (!wlab_ranks_agree(ranks, code, &err))
        (void)fetch_labels(h, NULL, &err);
}

/* Adds n.state to the copies that rank 0 has of a snapshot. */
static void obey_count(void *self, wlab_ranks *ranks, wlab_buf *args, wlab_ctx *ctx)
{
    wlab_states *all = self;
    numbers n;

    (void)ranks, (void)ctx;
    (void)held_meant(all, args, &n);
    saved *s = saved_find(all, n.other);
    if (!s || (s->copies += n.state) > 0)
        return;
    wlab_buf_clear(&s->part);
    *s = all->saved[--all->snapshots];
}

static void obey_destroy(void *self, wlab_ranks *ranks, wlab_buf *args, wlab_ctx *ctx)
{
    wlab_states *all = self;
    numbers n;
    held *h = held_meant(all, args, &n);

    (void)ranks, (void)ctx;
    if (!h)
        return;
    held_clear(h);
    *h = all->state[--all->states];
}

const wlab_remote wlab_away_remotes[] = {
    {"create", obey_create},   {"advance", obey_advance}, {"set", obey_set},         {"save", obey_save},
    {"restore", obey_restore}, {"count", obey_count},     {"destroy", obey_destroy}, {NULL, NULL}};
