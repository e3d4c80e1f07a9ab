/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The state of mmc-sdp, shared by its parts: the table and the steps (sdp.c), metrics and explanations (sdp_report.c).
 * The problem is that of wellsvm and bb, so their struct holds kernel, losses and costs.
 *
 * A step ends when the barrier method (solve/mmc/mmc.h) has reached a maximum and so has a new matrix M.  It consists of
 * Newton steps, one a unit, and a last unit that computes F(M), the certified lower bound, and labels.
 */
#ifndef WEAKLAB_ALGO_MMC_SDP_H
#define WEAKLAB_ALGO_MMC_SDP_H

#include "algo/wellsvm/wellsvm.h"
#include "solve/mmc/mmc.h"

typedef struct mmc_sdp {
    wellsvm w; /* K and costs; w.at: the SVM of the labeling `best` */
    wlab_mmc *sdp;
    int64_t n, nodes;
    double eps, growth;
    /* ---- snapshot ---- */
    bool pending; /* there is a new M whose bounds are not known yet */
    bool stuck, finished;
    int64_t step, flips, rank;
    int64_t newtons; /* of this step */
    int64_t before;  /* Newton steps of all steps before */
    double objective, inner_gap, upper, lower, leading, rounded, integer_upper, seconds;
    double *inner; /* [n] alpha of F(M) */
    double *value; /* [nodes] eigenvalues of M in descending order */
    int8_t *best;  /* [n] the labeling with the smallest SVM objective of all roundings */
} mmc_sdp;

static inline wlab_verdict mmc_verdict(const mmc_sdp *s)
{
    return !s->finished ? WL_MORE : s->stuck ? WL_STALLED : WL_CONVERGED;
}

/* ---- sdp_report.c ---- */
extern const wlab_metric_info mmc_sdp_metrics[];
extern const wlab_probe mmc_sdp_probes[];
void mmc_sdp_observe(const void *state, double *metric, int8_t *labels);
const char *mmc_sdp_certified(const wlab_params *, const double *metric, double *value);
wlab_code mmc_sdp_model(const void *state, wlab_model **, wlab_ctx *, wlab_err *);
void mmc_sdp_explain(const void *state, char *buf, size_t size);
void mmc_sdp_next(const void *state, char *buf, size_t size);

#endif
