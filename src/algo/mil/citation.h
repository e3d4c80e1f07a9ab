/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rule of citation kNN (Wang and Zucker, ICML 2000).  The distance of two bags is that of their nearest instances,
 *
 *     d(B, B') = min over x in B and x' in B' of ||x - x'||.
 *
 * The references of a bag are the R training bags nearest to it; its citers are the training bags for which it is among
 * the C nearest.  Each of these has a vote, a bag that is both has two:
 *
 *     f(B) = positive references + positive citers - negative references - negative citers,
 *
 * and B is positive if f(B) > 0.  The order of the bags has no effect: where several bags are as far away as the R-th, all of
 * them are references, and a bag is a citer if fewer than C others are strictly nearer to it than B.
 *
 * A training bag is classified without itself.
 */
#ifndef ALGO_CITATION_H
#define ALGO_CITATION_H

#include "weaklab/model.h"

typedef struct citation {
    int64_t n, bags, references, citers; /* R and C */
    wlab_matrix *X; /* [n x columns] the training instances: a view of the problem's, or a copy */
    int32_t *bag;   /* [n] */
    int8_t *y;      /* [bags] */
    double *
        radius; /* [bags] squared distance to which a bag cites: of its C-th nearest other; -1: it does not */
} citation;

/* Which training bags vote for a bag, and how. */
typedef struct citation_votes {
    int64_t positive_references, negative_references, positive_citers, negative_citers;
    double f;
} citation_votes;

/* X is copied if `copy`, else borrowed; radius is 0.  WL_ENOMEM. */
wlab_code citation_make(citation *, const wlab_problem *, bool copy, wlab_err *);
void citation_clear(citation *, bool copied);
/* Sets R, C and the radii, which follow from D [bags x bags], squared distances.  work [bags].  Expected cost
 * bags^2.  WL_EINTERRUPTED: some radii are not set. */
wlab_code citation_set(citation *, int64_t references, int64_t citers, const double *D, double *work,
                       wlab_ctx *, wlab_err *);
/* near [bags]: the squared distance of row i of X from the nearest instance of each training bag. */
void citation_near(const citation *, const wlab_matrix *X, int64_t i, double *near);
/* The output of an instance: how much farther it is from the negative bags than from the positive ones,
 *
 *     f(x) = min over x' in negative bags of ||x - x'|| - min over x' in positive bags of ||x - x'||,
 *
 * bag `without` (-1: none) left out.  If there are no positive bags: -1 / (1 + the first minimum); no negative ones: 1 / (1 +
 * the second); neither: 0. */
double citation_instance(const citation *, const double *near, int64_t without);
/* The votes for a bag at the squared distances d [bags], bag `without` (-1: none) left out.  role [bags], or NULL: bit 0: a
 * reference, bit 1: a citer.  work [bags]. */
citation_votes citation_vote(const citation *, const double *d, int64_t without, int8_t *role, double *work);
/* A model with a copy of the rule. */
wlab_code citation_model(wlab_model **, const wlab_problem *, const citation *, wlab_err *);

#endif
