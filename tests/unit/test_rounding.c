/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rounding: recovers labelings from their matrices in both codings, rotated and with noise; labelled rows name the
 * clusters; labels that are not allowed do not occur; rows that represent several rows; memory, refusals.
 */
#include "support.h"

#include "solve/relax/rounding.h"
#include "weaklab/rng.h"

enum {
    N = 90,
    R = 9
};

typedef struct planted {
    double V[N * R], nodes[6 * R];
    int32_t truth[N];
    uint64_t allowed[N];
} planted;

/* Rows v_n = class vector times a random orthogonal matrix, and noise.  Simplex: the class vectors sum to 0. */
static void plant(planted *s, int P, bool simplex, double noise, uint64_t seed)
{
    double Q[R * R];
    wlab_rng rng;
    wlab_rng_seed(&rng, seed);
    for (int a = 0; a < R; a++) {
        for (int j = 0; j < R; j++)
            Q[a * R + j] = wlab_rng_normal(&rng);
        for (int pass = 0; pass < 2; pass++)
            for (int b = 0; b < a; b++) {
                double dot = 0;
                for (int j = 0; j < R; j++)
                    dot += Q[a * R + j] * Q[b * R + j];
                for (int j = 0; j < R; j++)
                    Q[a * R + j] -= dot * Q[b * R + j];
            }
        double size = 0;
        for (int j = 0; j < R; j++)
            size += Q[a * R + j] * Q[a * R + j];
        for (int j = 0; j < R; j++)
            Q[a * R + j] /= sqrt(size);
    }
    for (int c = 0; c < P; c++)
        for (int j = 0; j < R; j++) {
            s->nodes[c * R + j] = Q[c * R + j];
            for (int o = 0; o < P && simplex; o++)
                s->nodes[c * R + j] -= Q[o * R + j] / P;
        }
    for (int i = 0; i < N; i++) {
        const int c = i < P ? i : (int)wlab_rng_below(&rng, (uint64_t)(2 * P - 1)) / 2;
        s->truth[i] = c;
        s->allowed[i] = i % 9 == 0 ? UINT64_C(1) << c : (UINT64_C(1) << P) - 1;
        for (int j = 0; j < R; j++)
            s->V[i * R + j] = s->nodes[c * R + j] + noise * wlab_rng_normal(&rng);
    }
    for (int i = 0; i < P; i++)
        s->allowed[i] = UINT64_C(1) << i;
}

/* Whether two labelings are the same partition, whatever the clusters are called. */
static bool same_parts(const int32_t *a, const int32_t *b)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < i; j++)
            if ((a[i] == a[j]) != (b[i] == b[j]))
                return false;
    return true;
}

static void test_planted(void **state)
{
    (void)state;
    wlab_err err;
    for (int P = 2; P <= 6; P++)
        for (int how = 0; how < 12; how++) {
            planted s;
            int32_t label[N];
            double score[N * 6];
            const bool simplex = how & 1, named = how & 2;
            plant(&s, P, simplex, how & 4 ? 0.08 : 0, (uint64_t)(P + how));
            const wlab_rounding m = {.kind = how & 8 ? WL_ROUND_SPECTRAL : WL_ROUND_KMEANS,
                                     .n = N,
                                     .r = R,
                                     .V = s.V,
                                     .P = P,
                                     .simplex = simplex,
                                     .allowed = named ? s.allowed : NULL,
                                     .seed = 3};
            ASSERT_OK(wlab_round(&m, label, score, NULL, &err), err);
            if (!same_parts(label, s.truth))
                fail_msg("P=%d how=%d: another partition", P, how);
            if (named)
                assert_memory_equal(label, s.truth, sizeof label);
            for (int i = 0; i < N; i++)
                for (int c = 0; c < P; c++)
                    assert_true((named && !(s.allowed[i] >> c & 1)) ||
                                score[i * P + c] <= score[i * P + label[i]]);
        }
}

/* With nodes, a score is the product of the row with the class vector, plus 1/P in the simplex coding: 1 for the row's
 * class, 0 for the others. */
static void test_nodes(void **state)
{
    (void)state;
    wlab_err err;
    for (int simplex = 0; simplex < 2; simplex++) {
        planted s;
        int32_t label[N];
        double score[N * 4];
        plant(&s, 4, simplex, 0, 7);
        const wlab_rounding m = {.kind = WL_ROUND_SPECTRAL,
                                 .n = N,
                                 .r = R,
                                 .V = s.V,
                                 .P = 4,
                                 .simplex = simplex,
                                 .nodes = s.nodes};
        ASSERT_OK(wlab_round(&m, label, score, NULL, &err), err);
        assert_memory_equal(label, s.truth, sizeof label);
        for (int i = 0; i < N; i++)
            for (int c = 0; c < 4; c++)
                ASSERT_NEAR(score[i * 4 + c], c == s.truth[i], 1e-12);
    }
}

/* Two classes: one column of signs; one row may not have the class of its sign. */
static void test_signs(void **state)
{
    (void)state;
    wlab_err err;
    double V[20];
    int32_t label[20];
    uint64_t allowed[20];
    for (int i = 0; i < 20; i++) {
        V[i] = (i % 3 ? 1 : -1) * sqrt(0.5);
        allowed[i] = i == 0 ? 1 : i == 1 ? 2 : 3;
    }
    allowed[2] = 1;
    for (int kind = 0; kind < 2; kind++) {
        const wlab_rounding m = {.kind = kind ? WL_ROUND_SPECTRAL : WL_ROUND_KMEANS,
                                 .n = 20,
                                 .r = 1,
                                 .V = V,
                                 .P = 2,
                                 .simplex = true,
                                 .allowed = allowed};
        ASSERT_OK(wlab_round(&m, label, NULL, NULL, &err), err);
        assert_int_equal(label[2], 0);
        for (int i = 3; i < 20; i++)
            assert_int_equal(label[i], i % 3 != 0);
    }
    /* all rows equal: one class, no failure */
    for (int i = 0; i < 20; i++)
        V[i] = 1;
    for (int kind = 0; kind < 2; kind++) {
        const wlab_rounding m = {
            .kind = kind ? WL_ROUND_SPECTRAL : WL_ROUND_KMEANS, .n = 20, .r = 1, .V = V, .P = 3};
        ASSERT_OK(wlab_round(&m, label, NULL, NULL, &err), err);
        for (int i = 1; i < 20; i++)
            assert_int_equal(label[i], label[0]);
    }
    /* all eigenvalues equal: any labels, no failure */
    enum {
        EQUAL = 60
    };
    double I[EQUAL * EQUAL] = {0};
    for (int i = 0; i < EQUAL; i++)
        I[i * EQUAL + i] = 1;
    const wlab_rounding equal = {.kind = WL_ROUND_KMEANS, .n = EQUAL, .r = EQUAL, .V = I, .P = 3};
    int32_t any[EQUAL];
    ASSERT_OK(wlab_round(&equal, any, NULL, NULL, &err), err);
}

/* Eigenvectors that several roundings share give each the same result as its own, in lent memory too. */
static void test_shared(void **state)
{
    (void)state;
    wlab_err err;
    planted s;
    plant(&s, 4, true, 0.2, 7);
    const int64_t space = N * (R + 1) + 1000;
    double *room = malloc((size_t)space * sizeof *room);
    assert_non_null(room);
    for (int lent = 0; lent < 2; lent++) {
        const wlab_rounding base = {.n = N,
                                    .r = R,
                                    .V = s.V,
                                    .P = 4,
                                    .simplex = true,
                                    .room = lent ? room : NULL,
                                    .space = lent ? space : 0};
        wlab_leading leading;
        ASSERT_OK(wlab_leading_make(&leading, &base, 8, NULL, &err), err);
        for (int way = 0; way < 4; way++) {
            wlab_rounding m = base;
            int32_t own[N], shared[N];
            double own_score[N * 4], score[N * 4];
            m.kind = way == 3 ? WL_ROUND_SPECTRAL : WL_ROUND_KMEANS;
            m.k = way == 2 ? 8 : 0;
            m.plain = way == 1 || way == 2;
            ASSERT_OK(wlab_round(&m, own, own_score, NULL, &err), err);
            m.leading = &leading;
            ASSERT_OK(wlab_round(&m, shared, score, NULL, &err), err);
            assert_memory_equal(own, shared, sizeof own);
            assert_memory_equal(own_score, score, sizeof score);
        }
        wlab_leading_clear(&leading);
    }
    free(room);
}

/* The leading eigenpairs of a large Z + 11'/P: columns x with Z x = value x and length sqrt(value), orthogonal to one another.
 * V is diagonal with few different values, which have known eigenvectors, or has a few large eigenvalues. */
static void test_large(void **state)
{
    enum {
        LARGE = 1100,
        COUNT = 6,
        P = 3
    };
    enum {
        SPREAD,
        UNIT,
        VALUES, /* 1 or 2, and one is 5 */
        ALONE,  /* the same without 11'/P */
        PAIRS,  /* columns (1, 1) and (1, -1), of which the sum is 0 */
        MANY,   /* all different */
        KINDS
    };
    (void)state;
    wlab_err err;
    wlab_rng rng;
    double *V = calloc((size_t)LARGE * LARGE, sizeof *V);
    assert_non_null(V);
    wlab_rng_seed(&rng, 9);
    for (int kind = 0; kind < KINDS; kind++) {
        const bool simplex = kind != ALONE;
        for (int64_t i = 0; i < LARGE; i++)
            for (int64_t j = 0; j < LARGE; j++)
                V[i * LARGE + j] = kind == SPREAD
                                       ? wlab_rng_normal(&rng) * (j < COUNT ? (double)(9 - j) : 0.01)
                                   : kind == PAIRS ? (i / 2 == j / 2) * (i % 2 && j % 2 ? -1 : 1)
                                   : i != j        ? 0
                                   : kind == UNIT  ? 1
                                   : kind == MANY  ? 1 + (double)i
                                                   : (i == 30 ? 5 : 1 + (double)(i % 4 == 0));
        const wlab_rounding m = {.n = LARGE, .r = LARGE, .V = V, .P = P, .simplex = simplex, .seed = 4};
        wlab_leading l;
        ASSERT_OK(wlab_leading_make(&l, &m, COUNT, NULL, &err), err);
        assert_int_equal(l.k, COUNT);
        for (int64_t a = 0; a < COUNT && kind == UNIT; a++)
            ASSERT_NEAR(l.value[a], a > 0 ? 1 : 1 + (double)LARGE / P, 1e-10 * l.value[a]);
        for (int64_t a = 0; a < COUNT && kind == ALONE; a++)
            ASSERT_NEAR(l.value[a], a > 0 ? 4 : 25, 1e-10 * l.value[a]);
        for (int64_t a = 0; a < COUNT; a++) {
            double x[LARGE], Vx[LARGE] = {0}, total = 0, worst = 0;
            for (int64_t i = 0; i < LARGE; i++) {
                x[i] = l.row[i * COUNT + a];
                total += simplex ? x[i] / P : 0;
                for (int64_t j = 0; j < LARGE; j++)
                    Vx[j] += V[i * LARGE + j] * x[i];
            }
            for (int64_t b = 0; b <= a; b++) {
                double product = 0;
                for (int64_t i = 0; i < LARGE; i++)
                    product += x[i] * l.row[i * COUNT + b];
                ASSERT_NEAR(product, a == b ? l.value[a] : 0, 1e-8 * l.value[0]);
            }
            for (int64_t i = 0; i < LARGE; i++) {
                double sum = total;
                for (int64_t j = 0; j < LARGE; j++)
                    sum += V[i * LARGE + j] * Vx[j];
                worst = fmax(worst, fabs(sum - l.value[a] * x[i]));
            }
            assert_true(worst <= 1e-7 * l.value[0]);
        }
        wlab_leading_clear(&l);
    }
    free(V);
}

/* Weighted rows give the same result as copies. */
static void test_weights(void **state)
{
    (void)state;
    wlab_err err;
    planted s;
    double weight[N], V[N * R], many[N * 3], few[N * 3];
    int32_t label[N], again[N];
    plant(&s, 3, false, 0.1, 5);
    for (int kind = 1; kind >= 0; kind--) {
        for (int i = 0; i < N; i++)
            memcpy(V + i * R, s.V + (i / 3) * R, R * sizeof *V);
        for (int i = 0; i < N / 3; i++)
            weight[i] = 3;
        const wlab_rounding a = {
            .kind = kind ? WL_ROUND_SPECTRAL : WL_ROUND_KMEANS, .n = N, .r = R, .V = V, .P = 3};
        const wlab_rounding b = {.kind = a.kind, .n = N / 3, .r = R, .V = s.V, .P = 3, .weight = weight};
        ASSERT_OK(wlab_round(&a, label, many, NULL, &err), err);
        ASSERT_OK(wlab_round(&b, again, few, NULL, &err), err);
        for (int i = 0; i < N; i++) {
            if (kind)
                assert_int_equal(label[i], again[i / 3]);
            for (int c = 0; c < 3 && kind; c++)
                ASSERT_NEAR(many[i * 3 + c], few[i / 3 * 3 + c], 1e-9);
            for (int j = 0; j < i; j++)
                assert_true((label[i] == label[j]) == (again[i / 3] == again[j / 3]));
        }
    }
}

static void test_refusals(void **state)
{
    (void)state;
    wlab_err err;
    planted s;
    int32_t label[N];
    plant(&s, 3, false, 0.1, 5);
    for (int kind = 0; kind < 2; kind++) {
        wlab_rounding m = {
            .kind = kind ? WL_ROUND_SPECTRAL : WL_ROUND_KMEANS, .n = N, .r = R, .V = s.V, .P = 3};
        ALLOC_SWEEP(wlab_round(&m, label, NULL, NULL, &err));
        m.P = 1;
        ASSERT_FAILS(wlab_round(&m, label, NULL, NULL, &err), WL_EARG, err, "classes");
    }
    double zero[4] = {0};
    wlab_rounding m = {.kind = WL_ROUND_KMEANS, .n = 4, .r = 1, .V = zero, .P = 2};
    ASSERT_FAILS(wlab_round(&m, label, NULL, NULL, &err), WL_ENUMERIC, err, "eigenvalue");
    zero[2] = NAN;
    ASSERT_FAILS(wlab_round(&m, label, NULL, NULL, &err), WL_ENUMERIC, err, "finite");
    atomic_int stop = 1;
    wlab_ctx stopped = {.interrupt = &stop};
    ASSERT_FAILS(wlab_round(&m, label, NULL, &stopped, &err), WL_EINTERRUPTED, err, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planted), cmocka_unit_test(test_nodes),  cmocka_unit_test(test_signs),
        cmocka_unit_test(test_weights), cmocka_unit_test(test_shared), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
