/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algo/alignment.h"

#include <math.h>
#include <string.h>

wlab_code wlab_aligned_labeling(const wlab_labelset *B, int64_t tries, wlab_rng *rng,
                                wlab_aligned_value value, void *data, int8_t *drawn, int8_t *best,
                                double *most, double *least, wlab_ctx *ctx, wlab_err *err)
{
    double top = -HUGE_VAL, bottom = HUGE_VAL, q = 0;
    for (int64_t k = 0; k < tries; k++) {
        if (wlab_interrupted(ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        wlab_labelset_random(B, rng, drawn);
        const wlab_code code = value(data, drawn, &q, ctx, err);
        if (code)
            return code;
        if (q > top || k == 0) {
            top = q;
            memcpy(best, drawn, (size_t)B->n);
        }
        bottom = fmin(bottom, q);
    }
    if (most)
        *most = top;
    if (least)
        *least = bottom;
    return WL_OK;
}
