/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Snapshots of softmax-sdp: the relaxation's, those of EM, and what is shown.
 */
#include "algo/softmax/sdp.h"
#include "base/walk.h"

/* clang-format off */
#define SCALARS(X)                                                                                           \
    X(relaxed) X(begun_em) X(middle) X(finished) X(pending) X(step) X(em_steps) X(flips)          \
    X(objective) X(upper) X(lower) X(integer_upper) X(best_f) X(seconds) X(before) X(entropy) X(rounded) X(best_step) X(share) X(reset)
/* clang-format on */

static wlab_code walk_own(sdp *s, wlab_buf *buf, wlab_walk go)
{
    wlab_code code = WL_OK;
    SCALARS(WL_WALK_FIELD)
    code = code ? code : go(buf, s->label, (size_t)s->groups * sizeof *s->label);
    if (s->best) {
        code = code ? code : go(buf, s->best_label, (size_t)s->groups * sizeof *s->best_label);
        code = code ? code : go(buf, s->best_score, (size_t)(s->groups * s->P) * sizeof *s->best_score);
    }
    code = code ? code : go(buf, s->score, (size_t)(s->groups * s->P) * sizeof *s->score);
    return code ? code : go(buf, s->shown, (size_t)s->n * sizeof *s->shown);
}

wlab_code sdp_snapshot(const void *state, wlab_buf *buf, wlab_err *err)
{
    const sdp *s = state;
    wlab_code code = wlab_relax_snapshot(s->relax, buf, err);
    if (!code && walk_own((sdp *)state, buf, wlab_walk_put)) /* which only reads it */
        code = wlab_nomem(err);
    code = code ? code : wlab_em_snapshot(s->part, buf, err);
    return code || s->full == s->part ? code : wlab_em_snapshot(s->full, buf, err);
}

wlab_code sdp_restore(void *state, wlab_buf *buf, wlab_ctx *ctx, wlab_err *err)
{
    sdp *s = state;
    wlab_code code = wlab_relax_restore(s->relax, buf, err); /* first: it alone may want memory */
    if (!code && walk_own(s, buf, wlab_buf_get))
        code = wlab_fail(err, WL_EINPUT, "the snapshot is damaged");
    code = code ? code : wlab_em_restore(s->part, buf, ctx, err);
    return code || s->full == s->part ? code : wlab_em_restore(s->full, buf, ctx, err);
}
