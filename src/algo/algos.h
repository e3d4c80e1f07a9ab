/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of algorithms, and what their files share.
 */
#ifndef WEAKLAB_ALGO_ALGOS_H
#define WEAKLAB_ALGO_ALGOS_H

#include "weaklab/algo.h"
#include <math.h>

/* The table: an algorithm is a line here, in the order of help, and a file that defines wlab_algo_NAME. */
/* clang-format off */
#define WLAB_ALGOS(ALGO) \
    ALGO(svm) \
    ALGO(wellsvm) \
    ALGO(mfn) \
    ALGO(tsvm) \
    ALGO(mfa) \
    ALGO(bb) \
    ALGO(conv) \
    ALGO(invcal) \
    ALGO(meanmap) \
    ALGO(alter) \
    ALGO(sdp) \
    ALGO(softmax_em) \
    ALGO(kmeans)
#define WLAB_ALGO_DECLARED(name) extern const wlab_algo wlab_algo_##name;
WLAB_ALGOS(WLAB_ALGO_DECLARED)
#undef WLAB_ALGO_DECLARED
/* clang-format on */
extern const wlab_algo wlab_algo_template; /* TEMPLATE.c: in the tests' table only */

/* The hook `kernel` of a state that holds it, in `field`. */
#define WLAB_KERNEL_HOOK(type, field)                                                                        \
    static const wlab_kernel *kernel(const void *state)                                                      \
    {                                                                                                        \
        return &((const type *)state)->field;                                                                \
    }

/* WL_ESTATE, before the first step: there is no model yet. */
wlab_code wlab_no_model(wlab_err *);

/* A certified lower bound as it stands beside an upper one.  Both are sums in double, so that rounding may put it above by
 * some units in the last place of what was summed, numbers of this size; by more it is another fault, which is to be
 * seen. */
static inline double wlab_lower_beside(double lower, double upper, double size)
{
    return lower > upper && lower - upper <= 1e-14 * size ? upper : lower;
}

/* The row of `relgap`, behind that of `gap`, and its value. */
#define WLAB_RELGAP                                                                                          \
    {                                                                                                        \
        .name = "relgap", .role = WL_R_RELGAP, .log = true, .flags = WL_M_DERIVED,                           \
        .meaning = "the gap as a part of upper: 0.05 is 5 % open", .equation = "gap / |upper|"               \
    }
static inline double wlab_relgap(double gap, double upper)
{
    return isnan(gap) || isnan(upper) ? (double)NAN : gap > 0 ? gap / fabs(upper) : 0;
}

#endif
