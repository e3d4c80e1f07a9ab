/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The random generator: compared with a second implementation of the authors' definition, and tested by statistics.
 */
#include "support.h"
#include "weaklab/rng.h"
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>

/* xoshiro256** as a linear map of its 256 bits of state, in bit arithmetic with the 64-bit operations written out, so
 * that a mistake in a shift or rotation of the library is not repeated here. */
typedef struct bits {
    unsigned char b[4][64];
} bits;

static bits to_bits(const uint64_t s[4])
{
    bits x;
    for (int w = 0; w < 4; w++)
        for (int i = 0; i < 64; i++)
            x.b[w][i] = (unsigned char)(s[w] >> i & 1);
    return x;
}

/* rotl(s1 * 5, 7) * 9 by additions modulo 2^64 */
static uint64_t slow_output(const uint64_t s[4])
{
    uint64_t five = 0, nine = 0, turned = 0;
    for (int i = 0; i < 5; i++)
        five += s[1];
    for (int i = 0; i < 64; i++)
        turned |= (five >> i & 1) << (i + 7) % 64;
    for (int i = 0; i < 9; i++)
        nine += turned;
    return nine;
}

/* s0' = s0+s1+s3, s1' = s0+s1+s2, s2' = s0+s2+(s1<<17), s3' = rotl(s1+s3, 45), all modulo 2 */
static void slow_step(uint64_t s[4])
{
    bits x = to_bits(s);
    uint64_t next[4] = {0};
    for (int i = 0; i < 64; i++) {
        int j = (i - 45 + 64) % 64;
        next[0] |= (uint64_t)(x.b[0][i] ^ x.b[1][i] ^ x.b[3][i]) << i;
        next[1] |= (uint64_t)(x.b[0][i] ^ x.b[1][i] ^ x.b[2][i]) << i;
        next[2] |= (uint64_t)(x.b[0][i] ^ x.b[2][i] ^ (i >= 17 ? x.b[1][i - 17] : 0)) << i;
        next[3] |= (uint64_t)(x.b[1][j] ^ x.b[3][j]) << i;
    }
    memcpy(s, next, sizeof next);
}

static void test_definition(void **state)
{
    (void)state;
    wlab_rng rng = {{1, 2, 3, 4}};
    uint64_t s[4] = {1, 2, 3, 4};
    /* the first by hand: rotl(2 * 5, 7) * 9 = 1280 * 9, then s1 = 1 ^ 2 ^ 3 = 0 */
    assert_true(slow_output(s) == 11520);
    for (int i = 0; i < 3000; i++) {
        uint64_t expected = slow_output(s);
        slow_step(s);
        assert_true(wlab_rng_next(&rng) == expected);
        assert_memory_equal(rng.s, s, sizeof s);
    }
}

static void test_published_numbers(void **state)
{
    (void)state;
    /* splitmix64 from seed 1234567, and xoshiro256** from the state 1, 2, 3, 4: widely published vectors */
    static const uint64_t seeds[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                     UINT64_C(9817491932198370423), UINT64_C(4593380528125082431)};
    static const uint64_t numbers[] = {UINT64_C(11520), 0, UINT64_C(1509978240),
                                       UINT64_C(1215971899390074240)};
    wlab_rng rng;
    wlab_rng_seed(&rng, 1234567);
    assert_memory_equal(rng.s, seeds, sizeof seeds);
    rng = (wlab_rng){{1, 2, 3, 4}};
    for (int i = 0; i < 4; i++)
        assert_true(wlab_rng_next(&rng) == numbers[i]);
}

static void test_copy_is_snapshot(void **state)
{
    (void)state;
    wlab_rng a, b, other;
    wlab_rng_seed(&a, 42);
    for (int i = 0; i < 100; i++)
        wlab_rng_normal(&a);
    b = a;
    for (int i = 0; i < 100; i++) {
        double x = wlab_rng_normal(&a), y = wlab_rng_normal(&b);
        assert_memory_equal(&x, &y, sizeof x);
    }
    wlab_rng_seed(&a, 1);
    wlab_rng_seed(&other, 2);
    assert_true(wlab_rng_next(&a) != wlab_rng_next(&other));
    wlab_rng_seed(&a, 0); /* not the all-zero state */
    assert_true((a.s[0] | a.s[1] | a.s[2] | a.s[3]) != 0);
}

/* The probability of a chi-square at least this large. */
static double chi_square(const long *count, const double *expected, int k)
{
    double sum = 0;
    for (int i = 0; i < k; i++)
        sum += ((double)count[i] - expected[i]) * ((double)count[i] - expected[i]) / expected[i];
    return gsl_cdf_chisq_Q(sum, k - 1);
}

enum {
    DRAWS = 200000
};

static void test_uniform(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 3);
    long count[64] = {0};
    double expected[64];
    for (int i = 0; i < 64; i++)
        expected[i] = (double)DRAWS / 64;
    for (int i = 0; i < DRAWS; i++) {
        double u = wlab_rng_uniform(&rng);
        assert_true(u >= 0 && u < 1);
        assert_true(ldexp(u, 53) == floor(ldexp(u, 53)));
        count[(int)(u * 64)]++;
    }
    double p = chi_square(count, expected, 64);
    assert_true(p > 1e-4 && p < 1 - 1e-4);
    /* the smallest value: s1 = 0 gives 0 */
    rng = (wlab_rng){{1, 0, 0, 0}};
    assert_true(wlab_rng_uniform(&rng) == 0);
}

static void test_below(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 4);
    for (int i = 0; i < 100; i++)
        assert_true(wlab_rng_below(&rng, 1) == 0);
    for (uint64_t n = 2; n <= 12; n++) {
        long count[12] = {0};
        double expected[12];
        for (uint64_t i = 0; i < n; i++)
            expected[i] = 50000.0 / (double)n;
        for (int i = 0; i < 50000; i++) {
            uint64_t x = wlab_rng_below(&rng, n);
            assert_true(x < n);
            count[x]++;
        }
        assert_true(chi_square(count, expected, (int)n) > 1e-4);
    }
    /* n = 3 * 2^62: a plain remainder would hit the first third twice as often as the others */
    uint64_t third = UINT64_C(1) << 62;
    long count[3] = {0};
    double expected[3] = {10000, 10000, 10000};
    for (int i = 0; i < 30000; i++)
        count[wlab_rng_below(&rng, 3 * third) / third]++;
    assert_true(chi_square(count, expected, 3) > 1e-4);
    bool high = false;
    for (int i = 0; i < 100; i++)
        high |= wlab_rng_below(&rng, UINT64_MAX) > UINT64_MAX / 2;
    assert_true(high);
}

static void test_normal(void **state)
{
    (void)state;
    enum {
        K = 40
    };
    wlab_rng rng;
    wlab_rng_seed(&rng, 5);
    long count[K] = {0};
    double expected[K], sum = 0, squares = 0, far = 0;
    for (int i = 0; i < K; i++)
        expected[i] = (double)DRAWS / (double)K;
    for (int i = 0; i < DRAWS; i++) {
        double x = wlab_rng_normal(&rng);
        int cell = (int)(gsl_cdf_ugaussian_P(x) * (double)K); /* cells of equal probability */
        count[cell < K ? cell : K - 1]++;
        sum += x;
        squares += x * x;
        far += fabs(x) > 3.5;
    }
    assert_true(chi_square(count, expected, K) > 1e-4);
    assert_true(fabs(sum / (double)DRAWS) < 4 / sqrt(DRAWS));
    assert_true(fabs(squares / (double)DRAWS - 1) < 4 * sqrt(2.0 / (double)DRAWS));
    double tail = 2 * gsl_cdf_ugaussian_Q(3.5) * (double)DRAWS; /* 93 */
    assert_true(fabs(far - tail) < 4 * sqrt(tail));
}

static void test_shuffle(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 6);
    long count[24] = {0};
    double expected[24];
    for (int i = 0; i < 24; i++)
        expected[i] = 1000;
    for (int i = 0; i < 24000; i++) {
        int32_t x[4] = {0, 1, 2, 3};
        wlab_rng_shuffle(&rng, x, 4);
        int mask = 0, rank = 0;
        for (int a = 0; a < 4; a++) {
            mask |= 1 << x[a];
            int smaller = 0;
            for (int b = a + 1; b < 4; b++)
                smaller += x[b] < x[a];
            rank = rank * (4 - a) + smaller;
        }
        assert_int_equal(mask, 15);
        count[rank]++;
    }
    assert_true(chi_square(count, expected, 24) > 1e-4);
    wlab_rng before = rng;
    wlab_rng_shuffle(&rng, NULL, 0);
    int32_t one = 9;
    wlab_rng_shuffle(&rng, &one, 1);
    assert_int_equal(one, 9);
    assert_memory_equal(&before, &rng, sizeof rng); /* without items to shuffle, no number is drawn */
}

static void test_gsl_view(void **state)
{
    (void)state;
    wlab_rng a, b;
    wlab_rng_seed(&a, 8);
    b = a;
    gsl_rng view = wlab_rng_gsl(&a);
    for (int i = 0; i < 100; i++)
        assert_true(gsl_rng_uniform(&view) == wlab_rng_uniform(&b));
    for (int i = 0; i < 100; i++)
        assert_true(gsl_rng_get(&view) == wlab_rng_next(&b) >> 32);
    assert_memory_equal(&a, &b, sizeof a); /* the view draws from `a` itself */
    for (int i = 0; i < 100; i++)
        assert_true(gsl_ran_gaussian_ziggurat(&view, 1) == wlab_rng_normal(&b));
    gsl_rng_set(&view, 99);
    wlab_rng_seed(&b, 99);
    assert_memory_equal(&a, &b, sizeof a);
    double gamma = 0;
    for (int i = 0; i < 20000; i++)
        gamma += gsl_ran_gamma(&view, 2, 3);
    assert_true(fabs(gamma / 20000 - 6) < 4 * sqrt(18.0 / 20000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definition),
        cmocka_unit_test(test_published_numbers),
        cmocka_unit_test(test_copy_is_snapshot),
        cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_below),
        cmocka_unit_test(test_normal),
        cmocka_unit_test(test_shuffle),
        cmocka_unit_test(test_gsl_view),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
