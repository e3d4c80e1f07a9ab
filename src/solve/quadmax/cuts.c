/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Triangle inequalities for a part whose tree is large.  Of the 4 (N choose 3) only some hundred get multipliers: those
 * that the last relaxation violated most.
 */
#include "solve/quadmax/quadmax.h"

#include <stdlib.h>
#include <string.h>

enum {
    FRESH = 100,      /* new cuts of an update, at most */
    OF_NODE = 20,     /* of which so many may have the same node: those of one node say much the same */
    ENOUGH = 350,     /* cuts; there are no new ones beyond them */
    CANDIDATES = 8192 /* that are kept at a time */
};

static const double LEAST_VIOLATION = 0.03, LARGE_SLACK = 0.1;

void quad_cuts_clear(quad_cuts *c)
{
    c->cut = wlab_free(c->cut);
    c->n = 0;
}

static wlab_code make_room(quad_cuts *c, wlab_err *err)
{
    if (!c->cut && !(c->cut = wlab_alloc(QUAD_CUTS, sizeof *c->cut)))
        return wlab_nomem(err);
    return WL_OK;
}

wlab_code quad_cuts_copy(quad_cuts *to, const quad_cuts *from, wlab_err *err)
{
    *to = (quad_cuts){0};
    if (from->n == 0)
        return WL_OK;
    wlab_code code = make_room(to, err);
    if (code)
        return code;
    to->n = from->n;
    memcpy(to->cut, from->cut, (size_t)from->n * sizeof *to->cut);
    return WL_OK;
}

/* By how much Z violates the cut: half of 1 - the expectation of (sum of sign z)^2. */
static double violation(const quad_cut *c, const double *Z, int64_t N)
{
    int64_t i = c->node[0], j = c->node[1], k = c->node[2];
    return -1 - (c->sign[0] * c->sign[1] * Z[i * N + j] + c->sign[0] * c->sign[2] * Z[i * N + k] +
                 c->sign[1] * c->sign[2] * Z[j * N + k]);
}

/* A total order, so that the choice does not depend on how qsort treats equals. */
static int most_violated_first(const void *pa, const void *pb)
{
    const quad_cut *a = pa, *b = pb;
    if (a->violation != b->violation)
        return a->violation > b->violation ? -1 : 1;
    int order = memcmp(a->node, b->node, sizeof a->node);
    return order ? order : memcmp(a->sign, b->sign, sizeof a->sign);
}

/* The most violated cuts, sorted; returns how many.  top [CANDIDATES] */
static int64_t most_violated(const double *Z, int64_t N, quad_cut *top)
{
    static const int8_t signs[4][3] = {{1, 1, 1}, {1, 1, -1}, {1, -1, 1}, {-1, 1, 1}};
    int64_t n = 0;
    double least = LEAST_VIOLATION;
    for (int32_t i = 0; i < N; i++)
        for (int32_t j = 0; j < i; j++)
            for (int32_t k = 0; k < j; k++)
                for (int s = 0; s < 4; s++) {
                    quad_cut c = {{i, j, k}, {signs[s][0], signs[s][1], signs[s][2]}, -1, 0};
                    c.violation = violation(&c, Z, N);
                    if (!(c.violation > least))
                        continue;
                    top[n++] = c;
                    if (n == CANDIDATES) {
                        qsort(top, (size_t)n, sizeof *top, most_violated_first);
                        n /= 2;
                        least = top[n - 1].violation;
                    }
                }
    qsort(top, (size_t)n, sizeof *top, most_violated_first);
    return n;
}

static bool is_among(const quad_cuts *c, const quad_cut *one)
{
    for (int64_t i = 0; i < c->n; i++)
        if (!memcmp(c->cut[i].node, one->node, sizeof one->node) &&
            !memcmp(c->cut[i].sign, one->sign, sizeof one->sign))
            return true;
    return false;
}

wlab_code quad_cuts_update(quad_cuts *c, const quad_form *f, const double *Z, int64_t *fresh, wlab_err *err)
{
    int64_t N = f->N, kept = 0;
    *fresh = 0;
    if (c->n >= ENOUGH)
        return WL_OK;
    int32_t used[QUAD_CUT_NODES] = {0};
    quad_cut *top = wlab_alloc(CANDIDATES, sizeof *top);
    wlab_code code = top ? make_room(c, err) : wlab_nomem(err);
    if (code)
        goto out;
    for (int64_t i = 0; i < c->n; i++)
        if (violation(&c->cut[i], Z, N) > -LARGE_SLACK) {
            c->cut[kept] = c->cut[i];
            c->cut[kept++].was = (int32_t)i;
        }
    c->n = kept;
    int64_t found = most_violated(Z, N, top);
    for (int64_t i = 0; i < found && *fresh < FRESH; i++) {
        int32_t *of[3];
        bool full = is_among(c, &top[i]);
        for (int j = 0; j < 3; j++) {
            of[j] = &used[top[i].node[j]];
            full = full || *of[j] >= OF_NODE;
        }
        if (full)
            continue;
        for (int j = 0; j < 3; j++)
            ++*of[j];
        c->cut[c->n++] = top[i];
        ++*fresh;
    }
out:
    wlab_free(top);
    return code;
}

void quad_cuts_to_instances(quad_cuts *c, const quad_form *f)
{
    for (int64_t i = 0; i < c->n; i++)
        for (int j = 0; j < 3; j++)
            c->cut[i].node[j] = f->row[c->cut[i].node[j]];
}

static void swap_nodes(quad_cut *c, int i, int j)
{
    int32_t node = c->node[i];
    int8_t sign = c->sign[i];
    c->node[i] = c->node[j];
    c->sign[i] = c->sign[j];
    c->node[j] = node;
    c->sign[j] = sign;
}

wlab_code quad_cuts_to_nodes(quad_cuts *to, const quad_cuts *from, const quad_form *f, int64_t n,
                             wlab_err *err)
{
    *to = (quad_cuts){0};
    if (from->n == 0)
        return WL_OK;
    int32_t *at = wlab_calloc((size_t)n, sizeof *at);
    wlab_code code = at ? make_room(to, err) : wlab_nomem(err);
    if (code)
        goto out;
    for (int64_t k = 1; k < f->N; k++)
        at[f->row[k]] = (int32_t)k;
    for (int64_t i = 0; i < from->n; i++) {
        quad_cut c = from->cut[i];
        int decided = 0;
        for (int j = 0; j < 3; j++) {
            int32_t k = c.node[j];
            c.node[j] = k < 0 ? 0 : at[k];
            if (k >= 0 && c.node[j] == 0) /* a decided node is a multiple of node 0 */
                c.sign[j] = (int8_t)(c.sign[j] * f->forced[k]);
            decided += c.sign[j] == 0 ? 3 : c.node[j] == 0;
        }
        if (decided > 1) /* says no more than |z_k| <= 1 */
            continue;
        for (int j = 0; j < 2; j++) /* node 0 is the last */
            if (c.node[j] == 0)
                swap_nodes(&c, j, 2);
        if (c.node[0] < c.node[1])
            swap_nodes(&c, 0, 1);
        if (c.sign[0] + c.sign[1] + c.sign[2] < 0) /* one of the two ways to write it */
            for (int j = 0; j < 3; j++)
                c.sign[j] = (int8_t)-c.sign[j];
        if (!is_among(to, &c))
            to->cut[to->n++] = c;
    }
out:
    wlab_free(at);
    if (code)
        quad_cuts_clear(to);
    return code;
}
