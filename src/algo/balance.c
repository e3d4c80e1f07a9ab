/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The fraction of positives that prescribes the mean output of the unlabelled rows.
 */
#include "algo/balance.h"

#include <math.h>
#include <string.h>

wlab_code wlab_balance_choose(double *r, const wlab_problem *p, const wlab_params *given, wlab_err *err)
{
    const char *text = wlab_params_text(given, "r");

    if (strcmp(text, "auto") == 0)
        *r = isnan(p->r) ? 0.5 : p->r;
    else if (!wlab_parse_real(text, r))
        return wlab_fail(err, WL_EARG, "r=%s: give a fraction above 0 and below 1, or auto", text);
    if (!(*r > 0 && *r < 1))
        return wlab_fail(
            err, WL_EARG,
            "r=%g: each class needs a part of the unlabelled rows: give a fraction above 0 and below 1", *r);
    return WL_OK;
}

wlab_code wlab_balance_choose_C(double *C, double mean_square, const wlab_params *given, wlab_err *err)
{
    const char *text = wlab_params_text(given, "C");

    if (!(mean_square > 0))
        return wlab_fail(err, WL_ESTATE, "all unlabelled rows are equal, so no function separates them");
    if (strcmp(text, "auto") == 0)
        *C = 1 / mean_square;
    else if (!wlab_parse_real(text, C) || !(*C > 0) || isinf(*C))
        return wlab_fail(err, WL_EARG, "C=%s: give a number above 0, or auto", text);
    return WL_OK;
}

wlab_code wlab_balance_check(const wlab_problem *p, wlab_err *err)
{
    int64_t u = 0;

    for (int64_t i = 0; i < p->n; i++)
        u += p->visible[i] == 0;
    if (u < 2)
        return wlab_fail(
            err, WL_ESTATE,
            "at least two unlabelled rows are needed, but there %s; `algo svm` and `algo mfn` learn from "
            "labelled rows alone",
            u ? "is one" : "are none");
    if (u == p->n)
        return wlab_fail(
            err, WL_ESTATE,
            "at least one labelled row is needed: without labels w = 0 is a stationary point; `algo mfa` "
            "learns without labels");
    return WL_OK;
}
