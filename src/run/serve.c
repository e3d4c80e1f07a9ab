/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A rank above 0.
 */
#include "run/serve.h"
#include "algo/away.h"
#include "data/share.h"

typedef struct holdings {
    wlab_shares shares;
    wlab_states *states;
} holdings;

static void load(void *self, wlab_ranks *ranks, wlab_buf *args, wlab_ctx *ctx)
{
    wlab_shares_load(&((holdings *)self)->shares, ranks, args, ctx);
}

static void generate(void *self, wlab_ranks *ranks, wlab_buf *args, wlab_ctx *ctx)
{
    wlab_shares_generate(&((holdings *)self)->shares, ranks, args, ctx);
}

static void drop(void *self, wlab_ranks *ranks, wlab_buf *args, wlab_ctx *ctx)
{
    (void)ranks, (void)ctx;
    wlab_shares_drop(&((holdings *)self)->shares, args);
}

#define REMOTE_OF_STATES(name)                                                                               \
    static void name(void *self, wlab_ranks *ranks, wlab_buf *args, wlab_ctx *ctx)                           \
    {                                                                                                        \
        holdings *h = self;                                                                                  \
        wlab_states_obey(h->states, &h->shares, #name, ranks, args, ctx);                                    \
    }
REMOTE_OF_STATES(create)
REMOTE_OF_STATES(advance)
REMOTE_OF_STATES(set)
REMOTE_OF_STATES(save)
REMOTE_OF_STATES(restore)
REMOTE_OF_STATES(count)
REMOTE_OF_STATES(destroy)

bool wlab_run_serve(wlab_ranks *ranks, wlab_ctx *ctx)
{
    static const wlab_remote table[] = {
        {"load", load},       {"generate", generate}, {"drop", drop}, {"create", create},
        {"advance", advance}, {"set", set},           {"save", save}, {"restore", restore},
        {"count", count},     {"destroy", destroy},   {NULL, NULL}};
    holdings h = {.states = wlab_states_create()};
    const bool served = h.states && wlab_ranks_serve(ranks, table, &h, ctx);

    wlab_states_destroy(h.states);
    wlab_shares_clear(&h.shares);
    return served;
}
