/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of ppmm (Wang, Yang and Zha, ICML 2008): bags as pooled posteriors of a Gaussian mixture,
 *
 *     pi_c(B) = mean over x in B of r_c(x),    K(B, B') = sum_c pi_c(B)^p pi_c(B')^p.
 */
#ifndef ALGO_PPMM_H
#define ALGO_PPMM_H

#include "solve/cluster/mixture.h"
#include "weaklab/model.h"

enum {
    PPMM_POWERS = 100 /* powers that are tried: 3 k / 100, k = 1 .. 100 */
};

/* The alignment <K, yy'> / (||K|| ||yy'||) of the kernel matrix (Frobenius norms) with the bags' labels y [bags], centred:
 * y has the mean 0 over the bags, and so has each feature.  pi [bags x k]; work [bags x k + k]. */
double ppmm_alignment(const double *pi, int64_t bags, int64_t k, const double *y, double p, double *work);
/* F [bags x k] = pi^p. */
void ppmm_features(const double *pi, int64_t bags, int64_t k, double p, double *F);
/* The model f(B) = sum_c w_c pi_c(B)^p + b.  centre, width [columns]: the mixture is one of (x - centre) / width; a column of
 * width 0 is left out. */
wlab_code ppmm_model(wlab_model **, const wlab_problem *, const wlab_mixture *, const double *centre,
                     const double *width, const double *w, double p, double b, wlab_err *);

#endif
