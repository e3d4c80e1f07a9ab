/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * softmax-sdp, from points to the arrays of the relaxation (Section 3 of Joulin and Bach): groups of points that
 * share a label vector, the label vectors of the classes, and pairs of groups whose label vectors must differ.
 */
#include "algo/softmax/sdp.h"

#include <math.h>
#include <string.h>

/* Sets the label vectors of the classes.  Simplex coding: unit vectors with inner products -1/(P-1), the rows of the
 * Cholesky factor of their Gram matrix; indicator coding: the coordinate axes. */
static void class_vectors(sdp *s)
{
    const int P = s->P;
    const int64_t block = s->block;
    memset(s->vertex, 0, (size_t)P * (size_t)block * sizeof *s->vertex);
    for (int k = 0; k < P; k++) {
        double *v = s->vertex + k * block, rest = 1;
        if (!s->simplex) {
            v[k] = 1;
            continue;
        }
        for (int j = 0; j < k && j < block; j++) {
            const double *u = s->vertex + j * block;
            double dot = 0;
            for (int i = 0; i < j; i++)
                dot += u[i] * v[i];
            v[j] = (-1.0 / (P - 1) - dot) / u[j];
            rest -= v[j] * v[j];
        }
        if (k < block)
            v[k] = sqrt(rest);
    }
    if (P == 2 && s->simplex) { /* so that the positive class is displayed as +1 */
        s->vertex[0] = -1;
        s->vertex[1] = 1;
    }
}

static bool has_one_class(uint64_t allowed)
{
    return (allowed & (allowed - 1)) == 0;
}

/* Lists the pairs of groups whose product of label vectors is prescribed: a group and each class that is not among its
 * candidates and, with links=rows, two groups without a common candidate. */
static wlab_code prescribe_products(sdp *s, bool link_rows, wlab_err *err)
{
    const double apart = s->simplex ? -1.0 / (s->P - 1) : 0;
    const uint64_t all = s->P == 64 ? ~(uint64_t)0 : ((uint64_t)1 << s->P) - 1;
    int64_t found = 0;
    for (int pass = 0; pass < 2; pass++) {
        found = 0;
        for (int64_t g = s->P; g < s->groups; g++) {
            const uint64_t mine = s->group_allowed[g];
            if (mine == all)
                continue;
            for (int k = 0; k < s->P; k++)
                if (!(mine >> k & 1)) {
                    if (pass)
                        s->pair[found] = (wlab_relax_pair){(int32_t)g, k, apart};
                    found++;
                }
            for (int64_t o = s->P; link_rows && o < g; o++)
                if (!(mine & s->group_allowed[o])) {
                    if (pass)
                        s->pair[found] = (wlab_relax_pair){(int32_t)g, (int32_t)o, apart};
                    found++;
                }
        }
        if (!pass && !(s->pair = wlab_alloc((size_t)found, sizeof *s->pair)))
            return wlab_nomem(err);
    }
    s->pairs = found;
    return WL_OK;
}

/* A point with one candidate belongs to the group of that class; every other point is a group of its own.  If some
 * point may not be of every class, groups 0 .. P-1 are those of the classes; they exist even without points, because
 * pairs refer to them. */
wlab_code sdp_groups(sdp *s, bool link_rows, wlab_err *err)
{
    const sdp_points *q = &s->points;
    const uint64_t all = s->P == 64 ? ~(uint64_t)0 : ((uint64_t)1 << s->P) - 1;
    bool restricted = false;
    for (int64_t i = 0; i < q->n; i++)
        restricted = restricted || q->allowed[i] != all;
    s->block = restricted ? s->P - s->simplex : 0;
    const int64_t first = restricted ? s->P : 0, most = first + q->n;
    s->group = wlab_alloc((size_t)q->n, sizeof *s->group);
    s->node = wlab_alloc((size_t)most, sizeof *s->node);
    s->weight = wlab_calloc((size_t)most, sizeof *s->weight);
    s->group_allowed = wlab_alloc((size_t)most, sizeof *s->group_allowed);
    s->vertex = wlab_alloc((size_t)(s->P * s->block), sizeof *s->vertex);
    s->label = wlab_calloc((size_t)most, sizeof *s->label);
    s->score = wlab_calloc((size_t)(most * s->P), sizeof *s->score);
    s->best_label = wlab_calloc((size_t)most, sizeof *s->best_label);
    s->best_score = wlab_calloc((size_t)(most * s->P), sizeof *s->best_score);
    if (!s->group || !s->node || !s->weight || !s->group_allowed || !s->vertex || !s->label || !s->score ||
        !s->best_label || !s->best_score)
        return wlab_nomem(err);
    if (restricted)
        class_vectors(s);
    for (int64_t k = 0; k < first; k++) {
        s->node[k] = (int32_t)(-1 - k);
        s->group_allowed[k] = (uint64_t)1 << k;
    }
    s->groups = first;
    s->nodes = s->block;
    for (int64_t i = 0; i < q->n; i++) {
        int64_t g = s->groups;
        if (has_one_class(q->allowed[i])) {
            g = __builtin_ctzll(q->allowed[i]);
        } else {
            s->node[g] = (int32_t)s->nodes++;
            s->group_allowed[g] = q->allowed[i];
            s->groups++;
        }
        s->group[i] = (int32_t)g;
        s->weight[g]++;
    }
    s->c = s->simplex ? 1 - 1.0 / s->P : 1;
    return restricted ? prescribe_products(s, link_rows, err) : WL_OK;
}
