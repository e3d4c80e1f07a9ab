/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * finish=alternate: after the relaxation, a single labeling.  The first step of this stage rounds the mixture's outputs
 * into the label set, compares the result with y_1, the labeling of the supervised classifier with which the run began,
 * and takes the one whose SVM has the smaller objective.  Each further step alternates: the label set rounds the outputs
 * of that SVM, and an SVM is trained on the labeling that results.  The stage ends when a labeling comes again, or after
 * ten alternations.  From its first step on the run predicts by the SVM of its labeling.
 *
 * The published program of WellSVM ends in this way; the paper does not mention it.  An alternation lowers the objective,
 * as the labeling that maximises f'y over the label set has the smallest sum of losses (algo/alternate/alternate.h).
 */
#include "algo/algos.h"
#include "algo/wellsvm/wellsvm.h"

#include <string.h>

void well_finish_begin(wellsvm *s)
{
    if (!s->finish.wanted || !s->finished)
        return;
    s->finish.active = true;
    s->finish.rounds = 0;
    s->finish.ended = s->verdict;
    s->finished = false;
    s->verdict = WL_MORE;
}

void well_finish_cancel(wellsvm *s)
{
    s->finish.active = false;
    s->finish.rounds = 0;
}

/* Buffers of one candidate. */
typedef struct candidate {
    int8_t *y; /* [n] */
    well_point at;
    double q, value;
} candidate;

static wlab_code make(candidate *c, const wellsvm *s, wlab_err *err)
{
    c->y = wlab_alloc((size_t)s->n, 1);
    c->at.alpha = wlab_alloc((size_t)s->m, sizeof *c->at.alpha);
    c->at.q = &c->q;
    return c->y && c->at.alpha ? WL_OK : wlab_nomem(err);
}

static void clear(candidate *c)
{
    wlab_free(c->y);
    wlab_free(c->at.alpha);
}

/* The labeling that the mixture rounds to into c[0], y_1 into c[1], each with its SVM; *best: the better one. */
static wlab_code choose_first(wellsvm *s, candidate c[2], int *best, wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code;
    if ((code = well_round(s, well_unpacked(s, s->T - 1, c[1].y), c[0].y, ctx,
                           err))) /* ties as in the newest labeling */
        return code;
    for (int64_t k = 0; k < s->n; k++)
        c[1].y[k] = well_label(s, 0, k);
    *best = 0;
    if ((code = well_train(s, c[0].y, &c[0].at, &c[0].value, ctx, err)))
        return code;
    s->finish.mixture = s->finish.first = c[0].value;
    if (memcmp(c[0].y, c[1].y, (size_t)s->n) == 0)
        return WL_OK;
    if ((code = well_train(s, c[1].y, &c[1].at, &c[1].value, ctx, err)))
        return code;
    s->finish.first = c[1].value;
    *best = c[1].value < c[0].value;
    return WL_OK;
}

/* The labeling to which the outputs of the current SVM round into *c, with its SVM; *again: it was the current one at
 * some step, and has no SVM. */
static wlab_code alternate(wellsvm *s, candidate *c, bool *again, wlab_ctx *ctx, wlab_err *err)
{
    double q;
    wlab_code code = well_quadratic(s, s->finish.at.alpha, s->finish.y, &q, ctx, err); /* kb = f */
    code = code ? code : well_argmax(s, s->kb, s->finish.y, c->y, err);
    if (code)
        return code;
    const uint64_t hash = wlab_labels_hash(c->y, s->n);
    for (int64_t k = 0; k < s->finish.rounds; k++)
        *again = *again || s->finish.seen[k] == hash;
    return *again ? WL_OK : well_train(s, c->y, &c->at, &c->value, ctx, err);
}

wlab_code well_finish_step(wellsvm *s, wlab_ctx *ctx, wlab_err *err)
{
    candidate c[2] = {{0}};
    const int64_t round = s->finish.rounds;
    int best = 0;
    bool again = false;
    wlab_code code = make(&c[0], s, err);

    code = code ? code : make(&c[1], s, err);
    s->svms = s->updates = 0;
    if (!code)
        code = round == 0 ? choose_first(s, c, &best, ctx, err) : alternate(s, &c[0], &again, ctx, err);
    if (code)
        goto out;
    s->flips = 0;
    if (!again) {
        for (int64_t k = 0; k < s->n; k++)
            s->flips += c[best].y[k] != (round ? s->finish.y[k] : well_label(s, s->T - 1, k));
        memcpy(s->finish.y, c[best].y, (size_t)s->n);
        memcpy(s->finish.at.alpha, c[best].at.alpha, (size_t)s->m * sizeof *s->finish.at.alpha);
        *s->finish.at.q = c[best].q;
        s->finish.at.S = c[best].at.S;
        s->finish.at.D = c[best].at.D;
        s->finish.at.dual = c[best].at.dual;
        s->finish.at.primal = c[best].at.primal;
        s->rounded = c[best].value;
        well_offer_labeling(s, s->rounded);
        s->finish.seen[round] = wlab_labels_hash(s->finish.y, s->n);
        s->finish.rounds++;
    }
    s->step++;
    if (again || s->finish.rounds > WELL_ALTERNATIONS) {
        s->finish.active = false;
        s->finished = true;
        s->verdict = s->finish.ended;
    }
    if (round == 0)
        wlab_emit_note(
            ctx, "finish: the mixture rounds to a labeling with the SVM objective %.10g, y1 has %.10g: %s",
            s->finish.mixture, s->finish.first, best ? "y1 is better" : "the mixture's labeling is taken");
    else if (again)
        wlab_emit_note(ctx, "finish: no new labeling after %lld alternation%s", (long long)round - 1,
                       round == 2 ? "" : "s");
    else
        wlab_emit_note(ctx, "finish: alternation %lld: %lld label%s changed, SVM objective %.10g",
                       (long long)round, (long long)s->flips, s->flips == 1 ? "" : "s", s->rounded);
out:
    clear(&c[0]);
    clear(&c[1]);
    return code;
}
