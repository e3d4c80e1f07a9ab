/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The assignment problem: adds one row at a time, each along the cheapest path of exchanges to a free column.
 */
#include "score/matching.h"

/* The smaller set is used as rows, n <= m.  Both are numbered from 1; column 0 holds the row to match. */
typedef struct assignment {
    const int64_t *gain;
    int n, m;
    bool transposed; /* the caller's rows are our columns */
    int64_t *u, *v;  /* [n + 1], [m + 1] potentials: u_i + v_j <= -gain_ij, with equality for matched pairs */
    int64_t *distance; /* [m + 1] of each column from the tree, in reduced costs */
    int *owner, *from; /* [m + 1] row of a column, 0: free; the column before it on the path */
    bool *reached;     /* [m + 1] */
} assignment;

static int64_t reduced(const assignment *a, int i, int j)
{
    const int64_t gain = a->transposed ? a->gain[(j - 1) * a->n + i - 1] : a->gain[(i - 1) * a->m + j - 1];
    return -gain - a->u[i] - a->v[j];
}

static void match_row(assignment *a, int row)
{
    int column = 0;
    a->owner[0] = row;
    for (int j = 0; j <= a->m; j++) {
        a->distance[j] = INT64_MAX;
        a->reached[j] = false;
    }
    do {
        const int i = a->owner[column];
        int64_t step = INT64_MAX;
        int next = 0;
        a->reached[column] = true;
        for (int j = 1; j <= a->m; j++) {
            if (a->reached[j])
                continue;
            const int64_t d = reduced(a, i, j);
            if (d < a->distance[j]) {
                a->distance[j] = d;
                a->from[j] = column;
            }
            if (a->distance[j] < step) {
                step = a->distance[j];
                next = j;
            }
        }
        for (int j = 0; j <= a->m; j++) {
            if (a->reached[j]) {
                a->u[a->owner[j]] += step;
                a->v[j] -= step;
            } else if (j > 0) {
                a->distance[j] -= step;
            }
        }
        column = next;
    } while (a->owner[column]);
    for (; column; column = a->from[column])
        a->owner[column] = a->owner[a->from[column]];
}

wlab_code wlab_matching(const int64_t *gain, int rows, int cols, int *match, wlab_err *err)
{
    const bool transposed = rows > cols;
    assignment a = {
        .gain = gain, .n = transposed ? cols : rows, .m = transposed ? rows : cols, .transposed = transposed};
    const size_t m = (size_t)a.m + 1;
    wlab_code code = WL_OK;
    a.u = wlab_calloc((size_t)a.n + 1, sizeof *a.u);
    a.v = wlab_calloc(m, sizeof *a.v);
    a.distance = wlab_alloc(m, sizeof *a.distance);
    a.owner = wlab_calloc(m, sizeof *a.owner);
    a.from = wlab_calloc(m, sizeof *a.from);
    a.reached = wlab_calloc(m, sizeof *a.reached);
    if (!a.u || !a.v || !a.distance || !a.owner || !a.from || !a.reached) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int i = 1; i <= a.n; i++)
        match_row(&a, i);
    for (int i = 0; i < rows; i++)
        match[i] = transposed ? a.owner[i + 1] - 1 : -1;
    for (int j = 1; !transposed && j <= a.m; j++)
        if (a.owner[j])
            match[a.owner[j] - 1] = j - 1;
out:
    wlab_free(a.u);
    wlab_free(a.v);
    wlab_free(a.distance);
    wlab_free(a.owner);
    wlab_free(a.from);
    wlab_free(a.reached);
    return code;
}
