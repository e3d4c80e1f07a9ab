/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A rank above 0.
 */
#include "run/serve.h"
#include "algo/away.h"
#include "base/clock.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

/* The memory of this process that is not swapped out, in bytes. */
static double memory_used(void)
{
    FILE *in = fopen("/proc/self/statm", "re");
    long long pages = 0;

    if (!in || fscanf(in, "%*d %lld", &pages) != 1)
        pages = 0;
    if (in)
        fclose(in);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static void report_own(wlab_rank_report *r, const wlab_share *s)
{
    memset(r, 0, sizeof *r);
    (void)gethostname(r->host, sizeof r->host - 1);
    r->rows = s->own->rows;
    r->stored = s->own->sparse ? s->own->nnz : s->own->rows * s->own->cols;
    r->memory = memory_used();
    r->seconds = wlab_seconds_now() - s->made;
    if (s->ranks) {
        r->waited = s->ranks->waited - s->waited;
        r->messages = s->ranks->messages - s->messages;
        r->sent = s->ranks->sent - s->sent;
    }
}

wlab_code wlab_run_report(const wlab_share *s, wlab_rank_report *all, wlab_err *err)
{
    wlab_rank_report own;
    wlab_buf args = {0};

    if (wlab_buf_put(&args, &s->number, sizeof s->number)) {
        wlab_buf_clear(&args);
        return wlab_nomem(err);
    }
    report_own(&own, s); /* before the messages of the report itself */
    wlab_ranks_begin(s->ranks, "report", &args);
    wlab_ranks_collect(s->ranks, &own, sizeof own, all);
    const bool lost = s->ranks && s->ranks->broken;
    wlab_ranks_end(s->ranks);
    wlab_buf_clear(&args);
    return lost ? wlab_ranks_say_lost(s->ranks, err) : WL_OK;
}

static void report(void *self, wlab_ranks *ranks, wlab_buf *args, wlab_ctx *ctx)
{
    wlab_rank_report own = {.rows = 0}, all[WL_RANKS_MOST];
    int64_t number = 0;

    (void)ctx;
    (void)wlab_buf_get(args, &number, sizeof number);
    const wlab_share *s = wlab_shares_find(&((holdings *)self)->shares, number);
    if (s)
        report_own(&own, s);
    wlab_ranks_collect(ranks, &own, sizeof own, all);
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
    static const wlab_remote table[] = {{"load", load},       {"generate", generate}, {"drop", drop},
                                        {"create", create},   {"advance", advance},   {"set", set},
                                        {"save", save},       {"restore", restore},   {"count", count},
                                        {"destroy", destroy}, {"report", report},     {NULL, NULL}};
    holdings h = {.states = wlab_states_create()};
    const bool served = h.states && wlab_ranks_serve(ranks, table, &h, ctx);

    wlab_states_destroy(h.states);
    wlab_shares_clear(&h.shares);
    return served;
}
