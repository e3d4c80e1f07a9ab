/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The alternation on a label set for bags: that of the task, or another one.
 */
#include "algo/mil/mil.h"

wlab_code mil_create(void **state, wlab_problem *p, bool keys, bool shared, const wlab_params *given,
                     wlab_ctx *ctx, wlab_err *err)
{
    wlab_problem *solved = NULL;
    wlab_code code = WL_OK;
    *state = NULL;
    if (p->keys == keys)
        solved = wlab_problem_ref(p);
    else
        code = wlab_problem_of_bags(&solved, p, keys ? WL_LABELS_KEYS : WL_LABELS_INSTANCES, err);
    if (!code)
        code = alt_create(state, solved, given, ctx, shared ? ALT_SVM_OF_BAGS : ALT_SVM_OF_EACH, err);
    wlab_problem_unref(solved);
    if (!code)
        ((alternate *)*state)->as_keys = p->keys;
    return code;
}
