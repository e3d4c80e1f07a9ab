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
    const wlab_share *s = wlab_shares_find(self, number);
    if (s)
        report_own(&own, s);
    wlab_ranks_collect(ranks, &own, sizeof own, all);
}

bool wlab_run_serve(wlab_ranks *ranks, wlab_ctx *ctx)
{
    static const wlab_remote reports[] = {{"report", report}, {NULL, NULL}};
    wlab_shares shares = {0};
    wlab_states *states = wlab_states_create(&shares);
    const wlab_servant servants[] = {
        {wlab_share_remotes, &shares}, {wlab_away_remotes, states}, {reports, &shares}, {NULL, NULL}};
    const bool served = states && wlab_ranks_serve(ranks, servants, ctx);

    wlab_states_destroy(states);
    wlab_shares_clear(&shares);
    return served;
}
