/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The random generator: xoshiro256**, seeded by splitmix64.  It is also a gsl_rng_type, so that GSL's distributions can
 * draw from it.  The state takes 32 bytes, and the numbers are the same on every platform.  No generator is shared: each
 * data set, split, task and run owns one.
 */
#ifndef WEAKLAB_RNG_H
#define WEAKLAB_RNG_H

#include "weaklab/base.h"
#include <gsl/gsl_rng.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wlab_rng {
    uint64_t s[4]; /* the whole state: copy these 32 bytes to snapshot */
} wlab_rng;

void wlab_rng_seed(wlab_rng *, uint64_t seed);
uint64_t wlab_rng_next(wlab_rng *);
double wlab_rng_uniform(wlab_rng *);                         /* [0, 1), 53 bits */
uint64_t wlab_rng_below(wlab_rng *, uint64_t n);             /* 0 .. n-1 without bias, n >= 1 */
double wlab_rng_normal(wlab_rng *);                          /* N(0, 1) by GSL's ziggurat */
void wlab_rng_shuffle(wlab_rng *, int32_t *items, size_t n); /* Fisher-Yates from the end */
/* Divides items [n] into blocks of `size` neighbours (the last may be smaller).  Writes a random order of the blocks,
 * numbered from 0, into order [ceil(n / size)], and shuffles the items of each block in place, block by block in that
 * order.  Returns the number of blocks. */
int64_t wlab_rng_shuffle_blocks(wlab_rng *, int32_t *items, int64_t n, int64_t size, int32_t *order);
/* A GSL view of this generator, to pass to gsl_ran_*; valid while `rng` lives.  Its integers are the upper 32 bits, the
 * same on every platform; its doubles are wlab_rng_uniform. */
gsl_rng wlab_rng_gsl(wlab_rng *rng);

#ifdef __cplusplus
}
#endif

#endif
