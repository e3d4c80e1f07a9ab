/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * S4VM: the sampled labelings, how they move, and their clusters.
 */
#include "algo/restarts.h"
#include "algo/safe/s4vm.h"

#include <string.h>

#define PART   0.8 /* of the rows that want another label, those that get it */
#define RANDOM 0.8 /* of the samplings, those that begin at random labels; the others near y0 */
#define AWAY   0.2 /* of y0's labels, those that the others change */

void s4vm_draw(s4vm *s)
{
    for (int64_t k = 0; k < s->samplings; k++) {
        s4vm_sampling *r = &s->r[k];
        const bool random = (double)k < RANDOM * (double)s->samplings;
        memcpy(r->y, s->y0, (size_t)s->n);
        memcpy(s->pick, s->row, (size_t)s->u * sizeof *s->row);
        wlab_rng_shuffle(&s->rng, s->pick, (size_t)s->u);
        if (random) {
            const int64_t positives = s->lo + (int64_t)wlab_rng_below(&s->rng, (uint64_t)(s->hi - s->lo + 1));
            for (int64_t j = 0; j < s->u; j++)
                r->y[s->pick[j]] = j < positives ? 1 : -1;
        } else {
            const int64_t changed = (int64_t)(AWAY * (double)s->u + 0.5);
            for (int64_t j = 0; j < changed; j++)
                r->y[s->pick[j]] = (int8_t)-r->y[s->pick[j]];
        }
    }
}

wlab_code s4vm_move(s4vm *s, s4vm_sampling *r, const double *f, wlab_err *err)
{
    int64_t wanting = 0;
    const wlab_code code = wlab_labelset_argmax(s->balanced, f, NULL, s->target, err);

    if (code)
        return code;
    for (int64_t j = 0; j < s->u; j++)
        if (s->target[s->row[j]] != r->y[s->row[j]])
            s->pick[wanting++] = s->row[j];
    r->moving = wanting > 0;
    const int64_t part = wanting > 1 ? (int64_t)(PART * (double)wanting) : wanting;
    wlab_rng_shuffle(&s->rng, s->pick, (size_t)wanting);
    for (int64_t j = 0; j < part; j++)
        r->y[s->pick[j]] = s->target[s->pick[j]];
    return WL_OK;
}

void s4vm_merge(s4vm *s)
{
    s->distinct = 0;
    for (int64_t k = 0; k < s->samplings; k++) {
        s4vm_sampling *r = &s->r[k];
        for (int64_t j = 0; j < k && r->same_as < 0 && !r->moving; j++)
            if (s->r[j].same_as < 0 && !s->r[j].moving && wlab_labels_nearly_equal(s->r[j].y, r->y, s->n, 0))
                r->same_as = j;
        s->distinct += r->same_as < 0;
    }
}

/* ---- clusters ---- */

static int64_t differ(const s4vm *s, int64_t a, int64_t b)
{
    int64_t n = 0;
    for (int64_t j = 0; j < s->u; j++)
        n += s->r[a].y[s->row[j]] != s->r[b].y[s->row[j]];
    return n;
}

/* Sum over all of the distance to the nearest medoid; of[k]: its number. */
static int64_t assign(const int64_t *D, int64_t m, const int64_t *medoid, int64_t k, int64_t *of)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < m; i++) {
        of[i] = 0;
        for (int64_t c = 1; c < k; c++)
            if (D[i * m + medoid[c]] < D[i * m + medoid[of[i]]])
                of[i] = c;
        sum += D[i * m + medoid[of[i]]];
    }
    return sum;
}

/* Medoids: each further one where it lowers the sum most, then swaps of a medoid with another labeling as long as one lowers
 * it. */
static int64_t place_medoids(const int64_t *D, int64_t m, int64_t k, int64_t *medoid, int64_t *of)
{
    int64_t best = INT64_MAX;
    for (int64_t c = 0; c < k; c++) {
        int64_t chosen = 0;
        best = INT64_MAX;
        for (int64_t i = 0; i < m; i++) {
            medoid[c] = i;
            const int64_t sum = assign(D, m, medoid, c + 1, of);
            if (sum < best) {
                best = sum;
                chosen = i;
            }
        }
        medoid[c] = chosen;
    }
    for (bool better = true; better;) {
        better = false;
        for (int64_t c = 0; c < k && !better; c++) {
            const int64_t was = medoid[c];
            for (int64_t i = 0; i < m && !better; i++) {
                medoid[c] = i;
                const int64_t sum = assign(D, m, medoid, k, of);
                if (sum < best) {
                    best = sum;
                    better = true;
                }
            }
            if (!better)
                medoid[c] = was;
        }
    }
    return assign(D, m, medoid, k, of);
}

wlab_code s4vm_cluster(s4vm *s, wlab_err *err)
{
    const int64_t m = s->distinct, k = s->wanted < m ? s->wanted : m;
    int64_t *D = wlab_alloc((size_t)(m * m), sizeof *D), *of = wlab_alloc((size_t)m, sizeof *of),
            *medoid = wlab_alloc((size_t)k, sizeof *medoid), *which = wlab_alloc((size_t)m, sizeof *which);
    wlab_code code = D && of && medoid && which ? WL_OK : wlab_nomem(err);
    int64_t n = 0;

    for (int64_t i = 0; i < s->samplings && !code; i++)
        if (s->r[i].same_as < 0)
            which[n++] = i;
    for (int64_t a = 0; a < n; a++)
        for (int64_t b = 0; b <= a; b++)
            D[a * m + b] = D[b * m + a] = differ(s, which[a], which[b]);
    wlab_maxmin *game = NULL;
    if (!code) {
        (void)place_medoids(D, m, k, medoid, of);
        s->candidates = 0;
        for (int64_t c = 0; c < k; c++) {
            int64_t best = -1;
            for (int64_t i = 0; i < m; i++)
                if (of[i] == c && (best < 0 || s->r[which[i]].objective < s->r[best].objective))
                    best = which[i];
            if (best >= 0)
                s->candidate[s->candidates++] = best;
        }
        code = wlab_maxmin_create(&game, s->candidates, s->u, err);
    }
    for (int64_t i = 0; i < s->samplings && !code; i++)
        s->r[i].cluster = -1;
    for (int64_t i = 0; i < n && !code; i++)
        s->r[which[i]].cluster = of[i];
    if (!code) {
        wlab_maxmin_destroy(s->game);
        s->game = game;
        s4vm_game(s);
    }
    wlab_free(D);
    wlab_free(of);
    wlab_free(medoid);
    wlab_free(which);
    return code;
}

/* ---- improvements ---- */

/* Gain: rows on which y agrees with the candidate and y0 does not; loss: rows on which y0 agrees and y does not.  For signs
 * gain - lambda loss = c'y + d with c = ((1 + lambda) y_t + (lambda - 1) y0) / 4, d = (-(1 + lambda) y_t'y0 + (1 - lambda) u) / 4. */
void s4vm_game(s4vm *s)
{
    wlab_maxmin *g = s->game;
    for (int64_t t = 0; t < g->t; t++) {
        const int8_t *y = s->r[s->candidate[t]].y;
        double agree = 0;
        for (int64_t j = 0; j < s->u; j++) {
            const int32_t i = s->row[j];
            agree += y[i] * s->y0[i];
            g->c[t * s->u + j] = ((1 + s->lambda) * y[i] + (s->lambda - 1) * s->y0[i]) / 4;
        }
        g->d[t] = (-(1 + s->lambda) * agree + (1 - s->lambda) * (double)s->u) / 4;
    }
    double *start = g->best; /* y0, whose improvement is 0 */
    for (int64_t j = 0; j < s->u; j++)
        start[j] = s->y0[s->row[j]];
    wlab_maxmin_start(g, start);
}

double s4vm_improvement(const s4vm *s, const int8_t *y)
{
    double least = HUGE_VAL;
    for (int64_t t = 0; t < s->candidates; t++) {
        const int8_t *of = s->r[s->candidate[t]].y;
        double gain = 0;
        for (int64_t j = 0; j < s->u; j++) {
            const int32_t i = s->row[j];
            gain += y[i] == of[i] && s->y0[i] != of[i];
            gain -= s->lambda * (y[i] != of[i] && s->y0[i] == of[i]);
        }
        least = fmin(least, gain);
    }
    return least;
}
