/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The convex relaxation of the soft-max loss: three clusters in the plane, linear and with an rbf kernel, to a relative
 * gap of 1e-2.  Processor seconds of all threads, beside LAPACK's eigen-decomposition (dsyevd) of a matrix of N rows in
 * the same run, because an outer step needs at least one such decomposition.  BENCH_ROWS=500: only this size.
 */
#include "solve/relax/relax.h"
#include "seconds.h"
#include "weaklab/matrix.h"
#include "weaklab/rng.h"

#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static double *vector(int64_t n)
{
    double *v = calloc((size_t)n, sizeof *v);
    if (!v)
        exit(1);
    return v;
}

/* Computes the eigenvalues and, in the rows of A [n x n], the eigenvectors of A; returns the processor seconds. */
static double eigen(double *A, int64_t n, double *value)
{
    const double begin = bench_seconds(CLOCK_PROCESS_CPUTIME_ID);
    if (LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', (lapack_int)n, A, (lapack_int)n, value))
        exit(1);
    return bench_seconds(CLOCK_PROCESS_CPUTIME_ID) - begin;
}

/* The processor seconds for a matrix without structure, which gives dsyevd nothing to deflate. */
static double plain_eigen(int64_t n)
{
    double *A = vector(n * n), *e = vector(n);
    wlab_rng rng;
    wlab_rng_seed(&rng, 2);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++)
            A[i * n + j] = A[j * n + i] = wlab_rng_normal(&rng);
    const double took = eigen(A, n, e);
    free(A);
    free(e);
    return took;
}

static double *clusters(int64_t n)
{
    double *X = vector(2 * n);
    wlab_rng rng;
    wlab_rng_seed(&rng, 1);
    for (int64_t i = 0; i < n; i++) {
        const double angle = 2 * M_PI * (double)(i % 3) / 3;
        X[2 * i] = cos(angle) + 0.18 * wlab_rng_normal(&rng);
        X[2 * i + 1] = sin(angle) + 0.18 * wlab_rng_normal(&rng);
    }
    return X;
}

/* A factor of exp(-|x - x'|^2), [n x *d], without negligible columns. */
static double *rbf(const double *X, int64_t n, int64_t *d)
{
    double *K = vector(n * n), *e = vector(n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            K[i * n + j] = exp(-pow(X[2 * i] - X[2 * j], 2) - pow(X[2 * i + 1] - X[2 * j + 1], 2));
    (void)eigen(K, n, e);
    for (*d = 0; *d < n && e[n - 1 - *d] > 1e-6 * e[n - 1];)
        ++*d;
    double *F = vector(n * *d);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < *d; j++)
            F[i * *d + j] = K[(n - 1 - j) * n + i] * sqrt(e[n - 1 - j]);
    free(K);
    free(e);
    return F;
}

static double run(const double *X, int64_t n, int64_t d, double lambda, int64_t *steps, wlab_ctx *ctx)
{
    double *pi = vector(n);
    int32_t *number = malloc((size_t)n * sizeof *number);
    wlab_relax *s = NULL;
    wlab_err err;
    if (!number)
        exit(1);
    for (int64_t i = 0; i < n; i++) {
        pi[i] = 1 / (double)n;
        number[i] = (int32_t)i;
    }
    const wlab_relax_problem q = {.n = n,
                                  .d = d,
                                  .X = X,
                                  .pi = pi,
                                  .classes = 3,
                                  .lambda = lambda,
                                  .intercept = true,
                                  .groups = n,
                                  .group = number,
                                  .nodes = n,
                                  .node = number,
                                  .c = 2.0 / 3};
    const double begin = bench_seconds(CLOCK_PROCESS_CPUTIME_ID);
    if (wlab_relax_create(&s, &q, WL_RELAX_NEWTON, 1e-2, ctx, &err)) {
        fprintf(stderr, "relax: %s\n", err.message);
        exit(1);
    }
    while (wlab_relax_state(s) == WL_RELAX_GOING) {
        bool outer;
        if (wlab_relax_advance(s, &outer, ctx, &err)) {
            fprintf(stderr, "relax: %s\n", err.message);
            exit(1);
        }
    }
    const double took = bench_seconds(CLOCK_PROCESS_CPUTIME_ID) - begin;
    if (wlab_relax_state(s) != WL_RELAX_CONVERGED)
        fprintf(stderr, "relax: stalled\n");
    *steps = wlab_relax_get(s).outer;
    wlab_relax_destroy(s);
    free(pi);
    free(number);
    return took;
}

int main(void)
{
    static const int64_t sizes[] = {250, 500, 1000, 2000};
    static const double lambdas[] = {0.1, 0.01};
    const char *quick = getenv("QUICK"), *only = getenv("BENCH_ROWS");
    const int count = quick && *quick ? 2 : 4;
    double first[4] = {0};
    wlab_ctx ctx = {0};

    if (wlab_pool_create(&ctx.pool, (int)sysconf(_SC_NPROCESSORS_ONLN), NULL))
        return 1;
    for (int k = 0; k < count; k++) {
        const int64_t n = sizes[k];
        if (only && *only && atoll(only) != n)
            continue;
        int64_t d;
        double *X = clusters(n), *F = rbf(X, n, &d), reference = plain_eigen(n);
        for (int kind = 0; kind < 4; kind++) {
            const bool linear = kind < 2;
            const double lambda = lambdas[kind % 2];
            int64_t steps;
            const double took = run(linear ? X : F, n, linear ? 2 : d, lambda, &steps, &ctx);
            printf("%s, lambda %g, %lld rows, %lld features: %lld steps to a gap of 1e-2, against one "
                   "dsyevd\t%.4g\t%.4g\ts\n",
                   linear ? "linear" : "rbf", lambda, (long long)n, (long long)(linear ? 2 : d),
                   (long long)steps, took, reference);
            if (k == 0)
                first[kind] = took;
            else if (first[kind] > 0)
                printf("%s, lambda %g: growth exponent from 250 to %lld rows\t%.3g\t-\t\n",
                       linear ? "linear" : "rbf", lambda, (long long)n,
                       log(took / first[kind]) / log((double)n / 250));
            fflush(stdout);
        }
        free(X);
        free(F);
    }
    wlab_pool_destroy(ctx.pool);
    return 0;
}
