/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The alternation on a problem derived from that of the task.
 */
#include "algo/mil/mil.h"

wlab_code mil_create(void **state, const wlab_problem *p, wlab_problem *solved, const wlab_params *given,
                     wlab_ctx *ctx, wlab_err *err)
{
    const wlab_code code = alt_create(state, solved, given, ctx, false, err);
    wlab_problem_unref(solved);
    if (!code)
        ((alternate *)*state)->as_keys = p->keys;
    return code;
}
