/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of algorithms, and declarations that their files have in common.
 */
#ifndef WEAKLAB_ALGO_ALGOS_H
#define WEAKLAB_ALGO_ALGOS_H

#include "weaklab/algo.h"
#include <math.h>

/* The table: each algorithm has one line here, in the order of help, and a file that defines wlab_algo_NAME. */
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
    ALGO(lmm) \
    ALGO(amm) \
    ALGO(alter) \
    ALGO(sdp) \
    ALGO(softmax_em) \
    ALGO(kmeans) \
    ALGO(alternate) \
    ALGO(itersvr) \
    ALGO(mi_bag) \
    ALGO(mi_instance) \
    ALGO(sil) \
    ALGO(mi_kernel) \
    ALGO(citation_knn) \
    ALGO(ppmm) \
    ALGO(dd) \
    ALGO(em_dd) \
    ALGO(s3vm) \
    ALGO(entropy) \
    ALGO(s4vm) \
    ALGO(cccp) \
    ALGO(lapsvm) \
    ALGO(upu) \
    ALGO(nnpu) \
    ALGO(ncut) \
    ALGO(mmc_sdp) \
    ALGO(gmmc) \
    ALGO(cpmmc) \
    ALGO(clpl) \
    ALGO(pl_svm)
#define WLAB_ALGO_DECLARED(name) extern const wlab_algo wlab_algo_##name;
WLAB_ALGOS(WLAB_ALGO_DECLARED)
#undef WLAB_ALGO_DECLARED
/* clang-format on */
extern const wlab_algo wlab_algo_template; /* TEMPLATE.c: in the table of the tests only */

/* Defines the hook `kernel` for a state that holds its kernel in `field`. */
#define WLAB_KERNEL_HOOK(type, field)                                                                        \
    static const wlab_kernel *kernel(const void *state)                                                      \
    {                                                                                                        \
        return &((const type *)state)->field;                                                                \
    }

/* WL_ESTATE: before the first step there is no model. */
wlab_code wlab_no_model(wlab_err *);

/* A hash (FNV-1a) of the labels y [n], by which an alternation notices that labels come back. */
static inline uint64_t wlab_labels_hash(const int8_t *y, int64_t n)
{
    uint64_t h = 14695981039346656037u;
    for (int64_t k = 0; k < n; k++)
        h = (h ^ (uint8_t)y[k]) * 1099511628211u;
    return h;
}

/* A certified lower bound for display beside an upper one.  Both are sums in double precision of numbers of this
 * size, so rounding may put the lower bound above the upper one by some units in the last place; then it returns
 * `upper`.  A larger excess is an error, which must stay visible. */
static inline double wlab_lower_beside(double lower, double upper, double size)
{
    return lower > upper && lower - upper <= 1e-14 * size ? upper : lower;
}

#define WLAB_PROVEN 1e-6 /* a run whose relative gap is at most this has proven its result */
/* For the hook `certified` of a relaxation that predicts by its best labeling, of value `single`: NULL if the lower bound
 * proves that one, too. */
static inline const char *wlab_relaxation_of(double single, double lower)
{
    return single - lower <= WLAB_PROVEN * fabs(single) ? NULL : "relaxation";
}

/* The values of a probe of kind WL_PROBE_EIGENVALUES: the first ones of value [n], in descending order. */
wlab_code wlab_probed_eigenvalues(wlab_probed *, const double *value, int64_t n, wlab_err *);

/* Metrics that many algorithms have: `relgap`, directly after `gap`, and `seconds`. */
#define WLAB_RELGAP                                                                                          \
    {                                                                                                        \
        .name = "relgap", .role = WL_R_RELGAP, .log = true, .flags = WL_M_DERIVED,                           \
        .meaning = "the gap as a fraction of upper: 0.05 is 5 % open", .equation = "gap / |upper|"           \
    }
#define WLAB_SECONDS                                                                                         \
    {                                                                                                        \
        .name = "seconds", .role = WL_R_SECONDS, .unit = "s", .flags = WL_M_VOLATILE,                        \
        .meaning = "time in the solver since the start"                                                      \
    }

/* Sets the values of `gap`, at[0], and `relgap`, at[1]: `gap` = upper - lower of certified bounds, NaN if there are
 * none. A negative value is due to rounding and becomes 0. */
static inline void wlab_put_gap(double *at, double gap, double upper)
{
    at[0] = gap < 0 ? 0 : gap;
    at[1] = at[0] > 0 ? at[0] / fabs(upper) : at[0];
}

#endif
