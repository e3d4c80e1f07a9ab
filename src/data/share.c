/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Data of which every rank has some rows: what rank 0 says, and what the others do.
 */
#include "data/share.h"
#include "base/clock.h"
#include "base/pack.h"
#include "data/away.h"

#include <stdio.h>
#include <string.h>

static wlab_share share_of(int64_t number, wlab_matrix *own, wlab_ranks *ranks)
{
    wlab_share s = {.number = number, .own = own, .ranks = ranks, .made = wlab_seconds_now()};

    if (ranks) {
        s.waited = ranks->waited;
        s.messages = ranks->messages;
        s.sent = ranks->sent;
    }
    return s;
}

/* The data set of what was read or made, on rank 0. */
static wlab_code give_share(wlab_dataset *whole, wlab_matrix *own, wlab_ranks *ranks, int64_t number,
                            wlab_err *err)
{
    whole->share = wlab_calloc(1, sizeof *whole->share);
    if (!whole->share)
        return wlab_nomem(err);
    *whole->share = share_of(number, own, ranks);
    return WL_OK;
}

/* What rank 0 tells the others: the number, then what `fill` adds. */
typedef struct order {
    const char *remote, *path, *name;
    const wlab_generator *generator;
    const wlab_params *params;
} order;

static wlab_code make_share(wlab_dataset **out, const order *o, wlab_ctx *ctx, wlab_err *err)
{
    wlab_ranks *ranks = ctx ? ctx->ranks : NULL;
    const int64_t number = ranks ? __atomic_add_fetch(&ranks->numbers, 1, __ATOMIC_RELAXED) : 0;
    wlab_buf args = {0};
    wlab_matrix *own = NULL;
    wlab_code code = wlab_buf_put(&args, &number, sizeof number);

    *out = NULL;
    code = code ? code : wlab_pack_text(&args, o->generator ? o->generator->name : o->path);
    code = code ? code : wlab_pack_text(&args, o->name);
    code = code ? code : wlab_pack_params(&args, o->params);
    if (code) {
        wlab_buf_clear(&args);
        return wlab_nomem(err);
    }
    wlab_ranks_begin(ranks, o->remote, &args);
    code = o->generator ? wlab_away_generate(out, &own, o->generator, o->name, o->params, ctx, err)
                        : wlab_away_load(out, &own, o->path, o->name, o->params, ctx, err);
    if (!code && (code = give_share(*out, own, ranks, number, err)))
        wlab_matrix_destroy(own);
    wlab_ranks_end(ranks);
    wlab_buf_clear(&args);
    if (code && *out) { /* the others have their rows */
        wlab_buf drop = {0};
        if (!wlab_buf_put(&drop, &number, sizeof number)) {
            wlab_ranks_begin(ranks, "drop", &drop);
            wlab_ranks_end(ranks);
        }
        wlab_buf_clear(&drop);
        wlab_dataset_unref(*out);
        *out = NULL;
    }
    return code;
}

wlab_code wlab_share_load(wlab_dataset **out, const char *path, const char *name, const wlab_params *options,
                          wlab_ctx *ctx, wlab_err *err)
{
    return make_share(out, &(order){.remote = "load", .path = path, .name = name, .params = options}, ctx,
                      err);
}

wlab_code wlab_share_generate(wlab_dataset **out, const wlab_generator *generator, const char *name,
                              const wlab_params *params, wlab_ctx *ctx, wlab_err *err)
{
    return make_share(out,
                      &(order){.remote = "generate", .name = name, .generator = generator, .params = params},
                      ctx, err);
}

void wlab_share_destroy(wlab_share *s)
{
    wlab_buf args = {0};

    if (!s)
        return;
    if (s->ranks &&
        !wlab_buf_put(&args, &s->number, sizeof s->number)) { /* else the others keep them to the end */
        wlab_ranks_begin(s->ranks, "drop", &args);
        wlab_ranks_end(s->ranks);
    }
    wlab_buf_clear(&args);
    wlab_matrix_destroy(s->own);
    wlab_free(s);
}

const char *wlab_share_text(const wlab_share *s, char buf[48])
{
    const int size = wlab_ranks_size(s->ranks), parts = s->own->parts->all_parts;

    if (parts < size)
        snprintf(buf, 48, "%d of %d ranks", parts, size);
    else
        snprintf(buf, 48, "%d rank%s", size, size == 1 ? "" : "s");
    return buf;
}

wlab_code wlab_share_refuse(const wlab_dataset *data, const char *what, wlab_err *err)
{
    if (!data || !data->share)
        return WL_OK;
    return wlab_fail(
        err, WL_ESTATE,
        "%s reads the values of all rows, but those of '%s' are spread over ranks: load or generate "
        "it without ranks=all",
        what, data->name);
}

/* ---- on the other ranks ---- */

static void add(wlab_shares *all, int64_t number, wlab_matrix *own, wlab_ranks *ranks)
{
    all->share[all->n++] = share_of(number, own, ranks);
}

/* A place for one more; false: there is no memory. */
static bool reserve(wlab_shares *all)
{
    wlab_share *more = wlab_realloc(all->share, (size_t)all->n + 1, sizeof *more);

    all->share = more ? more : all->share;
    return more != NULL;
}

static void make(wlab_shares *all, wlab_ranks *ranks, wlab_buf *args, wlab_ctx *ctx, bool loads)
{
    int64_t number = 0;
    wlab_dataset *none = NULL;
    wlab_matrix *own = NULL;
    wlab_params *params = NULL;
    wlab_err err;

    (void)wlab_buf_get(args, &number, sizeof number);
    const char *what = wlab_unpack_text(args), *name = wlab_unpack_text(args);
    const wlab_generator *generator = loads || !what ? NULL : wlab_generator_find(what);
    /* the parameters are those that rank 0 has checked; without memory for them nothing can be done on any rank */
    const bool ready = reserve(all) && what && (loads || generator) &&
                       !wlab_unpack_params(&params, loads ? wlab_load_params : generator->params, args, &err);
    if (!ready)
        ranks->broken = true;
    else if (!(loads ? wlab_away_load(&none, &own, what, name, params, ctx, &err)
                     : wlab_away_generate(&none, &own, generator, name, params, ctx, &err)))
        add(all, number, own, ranks);
    wlab_params_destroy(params);
}

static void obey_load(void *self, wlab_ranks *ranks, wlab_buf *args, wlab_ctx *ctx)
{
    make(self, ranks, args, ctx, true);
}

static void obey_generate(void *self, wlab_ranks *ranks, wlab_buf *args, wlab_ctx *ctx)
{
    make(self, ranks, args, ctx, false);
}

static void obey_drop(void *self, wlab_ranks *ranks, wlab_buf *args, wlab_ctx *ctx)
{
    wlab_shares *all = self;
    int64_t number = 0;

    (void)ranks, (void)ctx;
    (void)wlab_buf_get(args, &number, sizeof number);
    for (int k = 0; k < all->n; k++)
        if (all->share[k].number == number) {
            wlab_matrix_destroy(all->share[k].own);
            all->share[k--] = all->share[--all->n];
        }
}

const wlab_remote wlab_share_remotes[] = {
    {"load", obey_load}, {"generate", obey_generate}, {"drop", obey_drop}, {NULL, NULL}};

const wlab_share *wlab_shares_find(const wlab_shares *all, int64_t number)
{
    for (int k = 0; k < all->n; k++)
        if (all->share[k].number == number)
            return &all->share[k];
    return NULL;
}

void wlab_shares_clear(wlab_shares *all)
{
    for (int k = 0; k < all->n; k++)
        wlab_matrix_destroy(all->share[k].own);
    all->share = wlab_free(all->share);
    all->n = 0;
}
