/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * xoshiro256** 1.0 by Blackman and Vigna, seeded by splitmix64.
 */
#include "weaklab/rng.h"
#include <gsl/gsl_randist.h>

static uint64_t splitmix64(uint64_t *x)
{
    uint64_t z = (*x += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t rotate(uint64_t x, int k)
{
    return x << k | x >> (64 - k);
}

void wlab_rng_seed(wlab_rng *rng, uint64_t seed)
{
    for (int i = 0; i < 4; i++)
        rng->s[i] = splitmix64(&seed);
}

uint64_t wlab_rng_next(wlab_rng *rng)
{
    uint64_t *s = rng->s;
    uint64_t result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

double wlab_rng_uniform(wlab_rng *rng)
{
    return (double)(wlab_rng_next(rng) >> 11) * 0x1.0p-53;
}

uint64_t wlab_rng_below(wlab_rng *rng, uint64_t n)
{
    uint64_t reject = (0 - n) % n; /* 2^64 mod n: rejecting that many numbers leaves a multiple of n */
    uint64_t x;
    do
        x = wlab_rng_next(rng);
    while (x < reject);
    return x % n;
}

double wlab_rng_normal(wlab_rng *rng)
{
    gsl_rng view = wlab_rng_gsl(rng);
    return gsl_ran_gaussian_ziggurat(&view, 1.0);
}

void wlab_rng_shuffle(wlab_rng *rng, int32_t *items, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)wlab_rng_below(rng, i);
        int32_t t = items[i - 1];
        items[i - 1] = items[j];
        items[j] = t;
    }
}

int64_t wlab_rng_shuffle_blocks(wlab_rng *rng, int32_t *items, int64_t n, int64_t size, int32_t *order)
{
    const int64_t blocks = (n + size - 1) / size;
    for (int64_t b = 0; b < blocks; b++)
        order[b] = (int32_t)b;
    wlab_rng_shuffle(rng, order, (size_t)blocks);
    for (int64_t b = 0; b < blocks; b++) {
        const int64_t first = (int64_t)order[b] * size;
        wlab_rng_shuffle(rng, items + first, (size_t)(first + size < n ? size : n - first));
    }
    return blocks;
}

static void view_set(void *state, unsigned long seed)
{
    wlab_rng_seed(state, seed);
}

/* The upper 32 bits, so that GSL's numbers are the same on systems whose long has 32 bits. */
static unsigned long view_get(void *state)
{
    return (unsigned long)(wlab_rng_next(state) >> 32);
}

static double view_get_double(void *state)
{
    return wlab_rng_uniform(state);
}

static const gsl_rng_type view_type = {
    .name = "xoshiro256**",
    .max = 0xffffffffUL,
    .min = 0,
    .size = sizeof(wlab_rng),
    .set = view_set,
    .get = view_get,
    .get_double = view_get_double,
};

gsl_rng wlab_rng_gsl(wlab_rng *rng)
{
    return (gsl_rng){.type = &view_type, .state = rng};
}
