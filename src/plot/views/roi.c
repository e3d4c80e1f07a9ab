/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * View `roi`: how many of the most confident bags point at a region of interest (Figure 6 of Li, Tsang, Kwok, Zhou,
 * 2013).  Bags are sorted by decreasing f(B) = max f(x).  A success among the first k bags is a bag in which the
 * instance with the largest output is truly positive.
 */
#include "plot/views/view.h"
#include "weaklab/score.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { /* columns of a block, which has one row per number of bags reported */
    REPORTED,
    SUCCESSES,
    IDEAL,
    OUTPUT,
    BAG,
    KEY,
    TRUTH, /* of the bag */
    WIDE
};

/* The training bags, or the held-out bags. */
typedef struct part {
    bool held_out;
    int64_t bags, relevant, successes;
} part;

typedef struct ranked {
    double top;
    int64_t at; /* index in the outputs of the bags */
} ranked;

/* By decreasing output; ties: by number. */
static int order(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->top != y->top)
        return x->top > y->top ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* For all bags of the data: sign, whether they are training bags, and their order by largest output. */
typedef struct scene {
    const wlab_view_run *v;
    const wlab_problem *p;
    int8_t *sign; /* [bags] */
    bool *learnt; /* [bags] */
    ranked *rank; /* [o.n] */
    double *f;    /* [rows] */
    wlab_bag_outputs o;
} scene;

static void scene_clear(scene *s)
{
    wlab_free(s->sign);
    wlab_free(s->learnt);
    wlab_free(s->rank);
    wlab_free(s->f);
    wlab_bag_outputs_clear(&s->o);
}

/* Compute the outputs of all bags and rank them. */
static wlab_code rank_bags(scene *s, const wlab_view_request *q, wlab_err *err)
{
    const wlab_problem *p = s->p;
    const wlab_dataset *d = p->data;
    const int64_t rows = d->X->rows;
    wlab_err why = {0};
    bool have;
    s->sign = wlab_alloc((size_t)d->bags, sizeof *s->sign);
    s->learnt = wlab_calloc((size_t)d->bags, sizeof *s->learnt);
    s->f = wlab_alloc((size_t)rows, sizeof *s->f);
    if (!s->sign || !s->learnt || !s->f)
        return wlab_nomem(err);
    wlab_dataset_bag_signs(d, p->positive, s->sign);
    for (int64_t i = 0; i < p->n; i++)
        s->learnt[d->bag[p->row[i]]] = true;
    wlab_code code = wlab_view_outputs_of_bags(s->v, q, s->f, &s->o, &have, &why, err);
    if (!code && !have) /* an error: without outputs there is no order */
        code = wlab_fail(err, WL_ESTATE, "roi needs the outputs of the bags: %s", why.message);
    if (code)
        return code;
    s->rank = wlab_alloc((size_t)s->o.n, sizeof *s->rank);
    if (!s->rank)
        return wlab_nomem(err);
    for (int64_t k = 0; k < s->o.n; k++)
        s->rank[k] = (ranked){s->o.top[k], k};
    qsort(s->rank, (size_t)s->o.n, sizeof *s->rank, order);
    return WL_OK;
}

/* Add the block of one curve; -1: the part has no bags. */
static int put_part(wlab_figure *f, const scene *s, part *n)
{
    static const char *const names[WIDE] = {"reported", "successes", "ideal", "output",
                                            "bag",      "key",       "truth"};
    for (int64_t k = 0; k < s->o.n; k++)
        if (s->learnt[s->o.bag[k]] != n->held_out) {
            n->bags++;
            n->relevant += s->sign[s->o.bag[k]] > 0;
        }
    if (!n->bags)
        return -1;
    const int b = wlab_figure_block(f, n->bags + 1, WIDE);
    wlab_view_about(f, b, "roi", s->v);
    wlab_figure_about(f, b,
                      "%s bags: %lld, relevant: %lld; a success: the largest output is a positive instance's",
                      n->held_out ? "held-out" : "training", (long long)n->bags, (long long)n->relevant);
    for (int c = 0; c < WIDE; c++)
        wlab_figure_column(f, b, c, "%s", names[c]);
    *wlab_figure_at(f, b, 0, REPORTED) = *wlab_figure_at(f, b, 0, SUCCESSES) =
        *wlab_figure_at(f, b, 0, IDEAL) = 0;
    for (int64_t k = 0, row = 1; k < s->o.n; k++) {
        const int64_t at = s->rank[k].at, key = s->o.key[at];
        const int32_t bag = s->o.bag[at];
        if (s->learnt[bag] == n->held_out)
            continue;
        n->successes += wlab_problem_truth(s->p, s->p->data, key) > 0;
        *wlab_figure_at(f, b, row, REPORTED) = (double)row;
        *wlab_figure_at(f, b, row, SUCCESSES) = (double)n->successes;
        *wlab_figure_at(f, b, row, IDEAL) = (double)(row < n->relevant ? row : n->relevant);
        *wlab_figure_at(f, b, row, OUTPUT) = s->rank[k].top;
        *wlab_figure_at(f, b, row, BAG) = bag + 1;
        *wlab_figure_at(f, b, row, KEY) = (double)(key + 1);
        *wlab_figure_at(f, b, row++, TRUTH) = s->sign[bag];
    }
    wlab_figure_cover(f, 0, 0);
    wlab_figure_cover(f, (double)n->bags, (double)(n->relevant > n->successes ? n->relevant : n->successes));
    return b;
}

static const char *part_name(const part *n)
{
    return n->held_out ? "held-out bags" : "training bags";
}

/* Draw the curve of a part, and its ideal curve if `ideal` is set (an earlier curve may have had the same). */
static void put_curves(wlab_figure *f, const wlab_view_request *q, int r, int block, const part *n,
                       bool ideal)
{
    static const char letter[2] = {'h', 't'};
    const int place = wlab_view_place(q, r), which = n->held_out ? 0 : 1;
    const int ink = (q->runs > 1 ? place : which) % 6 + 1; /* 7 is the ideal's */
    char title[160], style[100];
    wlab_series c = {.block = block,
                     .draw = WL_D_LINES,
                     .x = REPORTED + 1,
                     .y = IDEAL + 1,
                     .ink = 7,
                     .dash = 3,
                     .mark = '.'};
    if (ideal) {
        snprintf(title, sizeof title, "ideal: %lld of %lld", (long long)n->relevant, (long long)n->bags);
        wlab_figure_series(f, &c, title,
                           f->text ? "with points pt '.'" : "with lines lw 1.5 dt 3 lc rgb '#555555'");
    }
    c = (wlab_series){.block = block,
                      .draw = WL_D_CURVE,
                      .x = REPORTED + 1,
                      .y = SUCCESSES + 1,
                      .ink = ink,
                      .dash = q->runs > 1 && which ? 1 : 0,
                      .mark = q->runs > 1 ? wlab_view_letter(q, r) : letter[which]};
    if (q->runs > 1 && which && c.mark >= 'a' && c.mark <= 'z')
        c.mark = (char)(c.mark - 'a' + 'A');
    snprintf(title, sizeof title, "%.40s%s%s", q->runs > 1 ? q->run[r].name : "", q->runs > 1 ? ": " : "",
             part_name(n));
    if (f->text)
        snprintf(style, sizeof style, "with points pt '%c'", c.mark);
    else
        snprintf(style, sizeof style, "with linespoints ls %d%s pi %d", ink, c.dash ? " dt 2" : " dt 1",
                 (int)(n->bags / 40) + 1);
    wlab_figure_series(f, &c, title, style);
}

static wlab_code check(const wlab_view_run *v, wlab_err *err)
{
    const wlab_problem *p = v->problem;
    if (p->task->sees != WL_SEES_BAG_SIGNS)
        return wlab_fail(err, WL_ESTATE,
                         "task %s has no regions of interest: `roi` draws `task mil`; try `plot objective`",
                         p->task->name);
    if (!wlab_dataset_instances_known(p->data, p->positive))
        return wlab_fail(
            err, WL_ESTATE,
            "%s does not say which instances are positive (each has its bag's label), so regions of "
            "interest cannot be checked; `generate roi-bags` makes data that do, and `plot bags` needs "
            "none",
            p->data->name);
    return WL_OK;
}

/* Whether the ideals of two parts are one line. */
static bool same(const part *a, const part *b)
{
    return a->bags == b->bags && a->relevant == b->relevant;
}

static void put_summary(wlab_figure *f, const part *n)
{
    wlab_figure_title(f, "%s: %lld success%s in %lld bag%s, %lld relevant", part_name(n),
                      (long long)n->successes, n->successes == 1 ? "" : "es", (long long)n->bags,
                      n->bags == 1 ? "" : "s", (long long)n->relevant);
}

static wlab_code draw_view(wlab_figure *f, const wlab_view_request *q, wlab_err *err)
{
    part had[2] = {{0}};
    wlab_code code = wlab_view_stepped(q, err);
    for (int r = 0; r < q->runs && !code; r++)
        code = check(&q->run[r], err);
    if (!code && q->vs != WL_VS_AUTO)
        code = wlab_fail(err, WL_EARG,
                         "roi has no axis of steps or seconds: its axis is bags reported; leave out `vs %s`",
                         wlab_axis_name(q->vs));
    code = code ? code : wlab_view_titles(f, q, "roi", err);
    if (code)
        return code;
    wlab_figure_axes(f, "most confident bags reported", "regions of interest found");
    f->whole_x = f->whole_y = f->zero_y = true;
    for (int r = 0; r < q->runs && !code; r++) {
        scene s = {.v = &q->run[r], .p = q->run[r].problem};
        code = rank_bags(&s, q, err);
        for (int k = 0; k < 2 && !code; k++) {
            part n = {.held_out = k == 0};
            const int block = put_part(f, &s, &n);
            if (block < 0)
                continue;
            put_curves(f, q, r, block, &n, !same(&n, &had[0]) && !same(&n, &had[1]));
            had[k] = n;
            if (q->runs == 1) /* the titles of several runs have no space for it */
                put_summary(f, &n);
        }
        scene_clear(&s);
    }
    return code ? code : f->failed ? wlab_nomem(err) : WL_OK;
}

const wlab_view wlab_view_roi = {
    .name = "roi",
    .summary = "task mil: in how many of the k bags with the largest outputs the instance with the largest "
               "output is truly positive, for each k",
    .of = WL_VIEW_FIXED | WL_VIEW_STATE | WL_VIEW_MODEL | WL_VIEW_VALUES,
    .draw = draw_view,
};
