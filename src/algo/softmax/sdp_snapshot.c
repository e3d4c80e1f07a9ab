/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Snapshots of softmax-sdp: those of the relaxation and of EM, and what is displayed.
 */
#include "algo/softmax/sdp.h"
#include "base/walk.h"

/* clang-format off */
#define SCALARS(X)                                                                                           \
    X(relaxed) X(begun_em) X(middle) X(finished) X(pending) X(step) X(em_steps) X(flips)          \
    X(objective) X(upper) X(lower) X(integer_upper) X(best_f) X(seconds) X(before) X(entropy) X(rounded) X(best_step) X(leading) X(reset)
/* clang-format on */

void sdp_walk(void *state, wlab_walk *w)
{
    sdp *s = state;
    wlab_relax_walk(s->relax, w); /* first, as it alone may allocate memory and fail */
    SCALARS(WL_WALK_FIELD)
    WL_WALK_ARRAY(w, s->label, s->groups);
    if (s->best) {
        WL_WALK_ARRAY(w, s->best_label, s->groups);
        WL_WALK_ARRAY(w, s->best_score, s->groups * s->P);
    }
    WL_WALK_ARRAY(w, s->score, s->groups * s->P);
    WL_WALK_ARRAY(w, s->shown, s->n);
    wlab_em_walk(s->part, w);
    if (s->full != s->part)
        wlab_em_walk(s->full, w);
}
