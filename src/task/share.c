/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The problem of one rank.
 */
#include "task/share.h"
#include "base/pack.h"
#include "task/task.h"

#include <math.h>
#include <string.h>

/* What all ranks have in common. */
typedef struct facts {
    double r, r_lo, r_hi;
    int64_t labelled, unlabelled, lo, hi;
    int32_t groups;
    int8_t low;
} facts;

wlab_code wlab_problem_shareable(const wlab_problem *p, wlab_err *err)
{
    const char *what = p->classes > 2                            ? "more than two classes"
                       : p->bag || p->keys                       ? "bags"
                       : p->candidates                           ? "sets of candidates"
                       : p->labels && p->labels->groups > 1      ? "several groups of labels"
                       : p->n < p->data->X->rows                 ? "rows that are held out"
                       : p->n > INT32_MAX || p->examples != p->n ? "other examples than rows"
                                                                 : NULL;
    if (!what)
        return WL_OK;
    return wlab_fail(
        err, WL_ESTATE,
        "the rows of '%s' are spread over ranks, where the tasks ssl, supervised, cluster and pu of two "
        "classes can be solved, on all rows; this one has %s: load the file without ranks=all",
        p->data->name, what);
}

static facts facts_of(const wlab_problem *p)
{
    const wlab_labelset *B = p->labels;
    facts f = {
        .r = p->r, .r_lo = p->r_lo, .r_hi = p->r_hi, .labelled = p->labelled, .unlabelled = p->unlabelled};

    if (B->groups) {
        f.groups = 1;
        f.lo = B->lo[0];
        f.hi = B->hi[0];
        f.low = B->low[0];
    }
    return f;
}

wlab_code wlab_problem_pack(wlab_buf *buf, const wlab_problem *p, wlab_err *err)
{
    const facts f = facts_of(p);
    wlab_code code = wlab_pack_text(buf, p->task->name);

    code = code ? code : wlab_pack_params(buf, p->params);
    code = code ? code : wlab_buf_put(buf, &f, sizeof f);
    return code ? wlab_nomem(err) : WL_OK;
}

/* The members of B that are on this rank, in one group at most; its bounds are those of all ranks. */
static wlab_code share_labels(wlab_problem *p, const facts *f, const int8_t *fixed, wlab_err *err)
{
    const int64_t n = p->n;
    int64_t member = 0;
    wlab_labelset *B = p->labels = wlab_calloc(1, sizeof *B);

    if (!B)
        return wlab_nomem(err);
    B->name = p->task->name;
    B->n = n;
    B->groups = f->groups;
    B->fixed = wlab_alloc((size_t)n, 1);
    B->group = wlab_alloc((size_t)n, sizeof *B->group);
    B->member = wlab_alloc((size_t)n, sizeof *B->member);
    B->start = wlab_calloc(2, sizeof *B->start);
    B->lo = wlab_calloc(1, sizeof *B->lo);
    B->hi = wlab_calloc(1, sizeof *B->hi);
    B->low = wlab_calloc(1, 1);
    B->below = wlab_calloc(1, sizeof *B->below);
    if (!B->fixed || !B->group || !B->member || !B->start || !B->lo || !B->hi || !B->low || !B->below)
        return wlab_nomem(err);
    for (int64_t k = 0; k < n; k++) {
        B->fixed[k] = fixed[k];
        B->group[k] = fixed[k] == WL_FREE ? 0 : WL_NO_GROUP;
        if (fixed[k] == WL_FREE)
            B->member[member++] = (int32_t)k;
    }
    B->start[1] = member;
    B->lo[0] = f->lo;
    B->hi[0] = f->hi;
    B->low[0] = f->low;
    return WL_OK;
}

static wlab_code make(wlab_problem *p, const wlab_problem *whole, const wlab_share *share, wlab_buf *args,
                      facts *f, wlab_err *err)
{
    const wlab_matrix *X = share->own;
    const size_t n = (size_t)X->rows;
    wlab_code code;

    p->refs = 1;
    p->n = p->examples = X->rows;
    p->classes = p->truths = 2;
    p->positive = whole ? whole->positive : -1;
    p->negative = whole ? whole->negative : -1;
    p->hidden = whole ? whole->hidden : -1;
    p->task = whole ? whole->task : wlab_task_find(wlab_unpack_text(args));
    if (!p->task)
        return wlab_fail(err, WL_EIO, "a message is damaged");
    code = whole ? wlab_params_copy(&p->params, whole->params, err)
                 : wlab_unpack_params(&p->params, p->task->params, args, err);
    if (code || (!whole && (code = wlab_buf_get(args, f, sizeof *f))))
        return code;
    if (whole) {
        memcpy(p->rest, whole->rest, sizeof p->rest);
        p->data = wlab_dataset_ref(whole->data);
    } else if (!(p->data = wlab_calloc(1, sizeof *p->data)) ||
               wlab_matrix_away(&p->data->X, X->parts->all, X->cols, X->sparse, 0, err)) {
        return wlab_nomem(err);
    } else {
        p->data->refs = 1;
    }
    p->row = wlab_alloc(n, sizeof *p->row);
    p->example = wlab_alloc(n, sizeof *p->example);
    p->visible = wlab_calloc(n, 1);
    p->truth = wlab_calloc(n, 1);
    p->cost = wlab_calloc(n, 1);
    if (!p->row || !p->example || !p->visible || !p->truth || !p->cost)
        return wlab_nomem(err);
    for (int64_t k = 0; k < p->n; k++) {
        p->row[k] = (int32_t)(X->parts->before + k);
        p->example[k] = (int32_t)k;
    }
    code = wlab_matrix_rows(&p->X, X, p->example, p->n, err);
    if (!code)
        p->X->parts = X->parts; /* also if this rank has no rows */
    return code;
}

wlab_code wlab_problem_share(wlab_problem **part, const wlab_problem *whole, const wlab_share *share,
                             wlab_buf *args, wlab_err *err)
{
    const wlab_rows *rows = share->own->parts;
    wlab_ranks *ranks = rows->ranks;
    wlab_problem *p = wlab_calloc(1, sizeof *p);
    int8_t *fixed = wlab_alloc((size_t)rows->n, 1);
    facts f = {0};
    wlab_code code = p && fixed ? WL_OK : wlab_nomem(err);

    *part = NULL;
    if (whole)
        f = facts_of(whole);
    code = code ? code : make(p, whole, share, args, &f, err);
    code = wlab_ranks_agree(ranks, code, err);
    if (!code) {
        wlab_ranks_from_first(ranks, p->n, 1, whole ? whole->visible : NULL, p->visible);
        wlab_ranks_from_first(ranks, p->n, 1, whole ? whole->labels->fixed : NULL, fixed);
        for (int64_t k = 0; k < p->n; k++)
            p->cost[k] = p->visible[k] == 0;
        p->labelled = f.labelled;
        p->unlabelled = f.unlabelled;
        p->r = f.r;
        p->r_lo = f.r_lo;
        p->r_hi = f.r_hi;
        code = wlab_ranks_agree(ranks, share_labels(p, &f, fixed, err), err);
    }
    wlab_free(fixed);
    if (code)
        wlab_problem_unref(p);
    else
        *part = p;
    return code;
}
