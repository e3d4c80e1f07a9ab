/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What ranks do together, on 1 to 16 of them: every result is the same on all, and that of one process; rows that are
 * spread over them; passes and L2-SVM-MFN on such rows have the same bits as with all rows in one process.
 */
#include "unit/threaded.h"

#include "linalg/spread.h"
#include "solve/svm/mfn.h"
#include "weaklab/rng.h"

#include <math.h>

static const int sizes[] = {1, 2, 3, 4, 5, 8, 13};
enum {
    SIZES = sizeof sizes / sizeof *sizes
};

typedef struct answers {
    int wrong[THREADED_MOST];
    char message[THREADED_MOST][120];
} answers;

static void together(wlab_ranks *r, void *data)
{
    answers *a = data;
    int *wrong = &a->wrong[r->rank];
    int64_t all[THREADED_MOST], value = r->rank == 0 ? 17 : 0, mine = 100 + r->rank, total = 0;
    unsigned char joined[200], part[20];
    size_t len[THREADED_MOST], at = 0;

    wlab_ranks_broadcast(r, &value, sizeof value);
    *wrong += value != 17;
    wlab_ranks_collect(r, &mine, sizeof mine, all);
    for (int k = 0; k < r->size; k++) {
        *wrong += all[k] != 100 + k;
        total += all[k];
        len[k] = (size_t)((k * 7) % 5);
    }
    *wrong += wlab_ranks_total(r, mine) != total;
    *wrong += wlab_ranks_least(r, (double)mine) != 100 || wlab_ranks_most(r, (double)mine) != 99 + r->size;
    *wrong += !wlab_ranks_any(r, r->rank == r->size - 1) || wlab_ranks_any(r, false);
    memset(part, r->rank, sizeof part);
    wlab_ranks_join(r, part, len, joined);
    for (int k = 0; k < r->size; k++)
        for (size_t i = 0; i < len[k]; i++)
            *wrong += joined[at++] != k;

    wlab_err err = {0};
    *wrong += wlab_ranks_agree(r, WL_OK, &err) != WL_OK;
    const int bad = r->size / 2;
    wlab_code code = r->rank == bad ? wlab_fail(&err, WL_ENOMEM, "no room") : WL_OK;
    code = wlab_ranks_agree(r, code, &err);
    *wrong += code != WL_ENOMEM;
    *wrong += wlab_ranks_agree(r, code, &err) != WL_ENOMEM; /* a caller's: the message remains */
    snprintf(a->message[r->rank], sizeof *a->message, "%s", err.message);

    /* 10 items per rank, to which rank k's share is k + 1 of 1 + 2 + ... parts */
    int64_t from[THREADED_MOST + 1], to[THREADED_MOST + 1], item[10], got[200];
    for (int k = 0; k <= r->size; k++) {
        from[k] = 10 * k;
        to[k] = 10 * r->size * (k * (k + 1)) / (r->size * (r->size + 1));
    }
    for (int i = 0; i < 10; i++)
        item[i] = 10 * r->rank + i;
    wlab_ranks_move(r, from, to, sizeof *item, item, got);
    for (int64_t i = to[r->rank]; i < to[r->rank + 1]; i++)
        *wrong += got[i - to[r->rank]] != i;
}

static void test_together(void **state)
{
    (void)state;
    for (int s = 0; s < SIZES; s++) {
        answers a = {0};
        run_threaded(sizes[s], together, &a);
        for (int r = 0; r < sizes[s]; r++) {
            char expected[120];
            snprintf(expected, sizeof expected, sizes[s] > 1 ? "rank %d: no room" : "no room", sizes[s] / 2);
            assert_int_equal(a.wrong[r], 0);
            assert_string_equal(a.message[r], expected);
        }
    }
}

/* ---- rows ---- */

typedef struct whole {
    wlab_matrix *X;
    const double *w, *z, *h;
    double *o, *g, *q, *gh, sum, quad; /* results of one process */
    wlab_mfn *m;
    const double *pos, *neg;
    double bias;
    wlab_mfn_mode mode;
    int wrong[THREADED_MOST];
    int64_t rows[THREADED_MOST];
} whole;

/* The rows that this rank has at first: unequal shares, some without any. */
static wlab_matrix *own_rows(const wlab_matrix *X, const wlab_ranks *r, int64_t *first)
{
    wlab_matrix *view = NULL;
    wlab_err err;
    const int64_t begin = X->rows * r->rank * r->rank / (r->size * r->size),
                  end = X->rows * (r->rank + 1) * (r->rank + 1) / (r->size * r->size);
    int32_t *pick = malloc(((size_t)(end - begin) + 1) * sizeof *pick);
    for (int64_t i = begin; pick && i < end; i++)
        pick[i - begin] = (int32_t)i;
    *first = begin;
    if (!pick || wlab_matrix_rows(&view, X, pick, end - begin, &err))
        abort();
    free(pick);
    view->parts = NULL;
    return view;
}

static int differ(const double *a, const double *b, int64_t n)
{
    return n > 0 && memcmp(a, b, (size_t)n * sizeof *a) != 0;
}

static void solve(wlab_mfn *m, const double *pos, const double *neg, int64_t first)
{
    wlab_err err;
    for (int64_t i = 0; i < m->n; i++) {
        m->pos[i] = pos[first + i];
        m->neg[i] = neg[first + i];
    }
    m->g_known = false;
    wlab_mfn_start(m, NULL);
    while (!m->done && !m->stalled)
        if (wlab_mfn_iterate(m, NULL, &err))
            abort();
    wlab_mfn_changes(m);
    for (int64_t i = 0; i < m->n; i++) /* the gradient is corrected */
        if ((first + i) % 5 == 1)
            wlab_mfn_set_costs(m, i, m->neg[i], m->pos[i]);
    wlab_mfn_start(m, NULL);
    while (!m->done && !m->stalled)
        if (wlab_mfn_iterate(m, NULL, &err))
            abort();
}

static void on_parts(wlab_ranks *r, void *data)
{
    whole *all = data;
    int *wrong = &all->wrong[r->rank];
    const int32_t cols = all->X->cols;
    wlab_matrix *X;
    wlab_spread how;
    wlab_passes *p;
    wlab_mfn *m;
    wlab_err err;
    int64_t at;
    wlab_matrix *own = own_rows(all->X, r, &at);

    if (wlab_matrix_spread(&X, own, r, &how, &err) || wlab_passes_create(&p, X, &err))
        abort();
    const int64_t n = X->rows, first = X->parts->before;
    all->rows[r->rank] = n;
    double *o = calloc((size_t)n + 1, sizeof *o), *g = calloc((size_t)cols + 1, sizeof *g), quad;
    int64_t *number = calloc((size_t)n + 1, sizeof *number),
            *before = calloc((size_t)own->rows + 1, sizeof *before);
    for (int64_t i = 0; i < own->rows; i++)
        before[i] = at + i;
    wlab_spread_move(&how, sizeof *number, before, number);
    for (int64_t i = 0; i < n; i++) {
        *wrong += number[i] != first + i;
        for (int32_t j = 0; j < cols; j++)
            *wrong += wlab_matrix_at(X, i, j) != wlab_matrix_at(all->X, first + i, j);
    }
    *wrong += wlab_passes_rows(p)->all != all->X->rows;
    wlab_passes_outputs(p, NULL, all->w, 0.5, o, NULL);
    *wrong += differ(o, all->o + first, n);
    wlab_passes_transpose(p, all->z + first, g, NULL);
    *wrong += differ(g, all->g, cols);
    memset(o, 0, (size_t)n * sizeof *o);
    const double sum = wlab_passes_normal(p, all->h + first, all->w, 0.25, o, g, &quad, NULL);
    *wrong += sum != all->sum || quad != all->quad;
    *wrong += differ(g, all->gh, cols);
    if (wlab_mfn_create(&m, X, all->bias, NULL, 0, 1e-3, all->mode, 1e-8, &err))
        abort();
    solve(m, all->pos, all->neg, first);
    *wrong += differ(m->w, all->m->w, m->dim) || differ(m->o, all->m->o + first, n) || m->f != all->m->f ||
              m->gap != all->m->gap || m->newtons != all->m->newtons || m->cg != all->m->cg;
    wlab_mfn_destroy(m);
    wlab_passes_destroy(p);
    wlab_matrix_destroy(X);
    wlab_matrix_destroy(own);
    free(o);
    free(g);
    free(number);
    free(before);
}

static wlab_matrix *drawn_matrix(int64_t rows, int32_t cols, double density, wlab_rng *rng)
{
    wlab_matrix *X = NULL;
    wlab_err err;
    int64_t at = 0;

    if (density >= 1) {
        ASSERT_OK(wlab_matrix_create_dense(&X, rows, cols, &err), err);
        for (int64_t i = 0; i < rows * cols; i++)
            X->dense[i] = wlab_rng_normal(rng);
        return X;
    }
    ASSERT_OK(wlab_matrix_create_sparse(&X, rows, cols, rows * cols, &err), err);
    for (int64_t i = 0; i < rows; i++) {
        X->start[i] = at;
        for (int32_t c = 0; c < cols; c++)
            if (wlab_rng_uniform(rng) < (i % 3 ? density : 3 * density)) {
                X->col[at] = c;
                X->val[at++] = (float)wlab_rng_normal(rng);
            }
        X->len[i] = (int32_t)(at - X->start[i]);
    }
    X->nnz = at;
    return X;
}

/* From one part (few entries) to more than MANY_PARTS of them, on more ranks than parts, too. */
static void test_parts(void **state)
{
    static const struct {
        int64_t rows;
        int32_t cols;
        double density;
    } shape[] = {{50, 20, 0.2}, {900, 60, 0.4}, {2500, 70, 0.5}, {20000, 8, 1}, {3, 5, 1}, {40000, 100, 0.9}};
    (void)state;
    wlab_rng rng;
    wlab_err err;
    int most = 0;
    wlab_rng_seed(&rng, 1);
    for (size_t k = 0; k < sizeof shape / sizeof *shape - SANITIZED; k++) { /* the last one is large */
        const int64_t n = shape[k].rows;
        const int32_t cols = shape[k].cols;
        wlab_matrix *X = drawn_matrix(n, cols, shape[k].density, &rng);
        double *v[9];
        for (int i = 0; i < 9; i++) {
            const int64_t len = n > cols ? n : cols;
            v[i] = calloc((size_t)len + 1, sizeof **v);
            assert_non_null(v[i]);
            for (int64_t j = 0; j < len; j++)
                v[i][j] = i < 2 ? wlab_rng_normal(&rng) : (double)wlab_rng_below(&rng, 3);
        }
        whole all = {.X = X, .w = v[0], .z = v[1], .h = v[2], .o = v[3], .g = v[4], .q = v[5], .gh = v[6]};
        all.pos = v[7];
        all.neg = v[8];
        for (int64_t i = 0; i < n; i++) {
            v[7][i] = (double)(i % 3 == 0) / (double)n;
            v[8][i] = (double)(i % 3 == 1 || i % 7 == 0) / (double)n;
        }
        wlab_passes *p;
        ASSERT_OK(wlab_passes_create(&p, X, &err), err);
        most = wlab_passes_rows(p)->all_parts > most ? wlab_passes_rows(p)->all_parts : most;
        wlab_passes_outputs(p, NULL, all.w, 0.5, all.o, NULL);
        wlab_passes_transpose(p, all.z, all.g, NULL);
        double *q = calloc((size_t)n + 1, sizeof *q);
        all.sum = wlab_passes_normal(p, all.h, all.w, 0.25, q, all.gh, &all.quad, NULL);
        free(q);
        wlab_passes_destroy(p);
        for (int c = 0; c < (n > 10000 ? 2 : 4); c++) {
            all.mode = c % 2 ? WL_MFN_PAPER : WL_MFN_FAST;
            all.bias = c < 2 ? 1 : 0;
            ASSERT_OK(wlab_mfn_create(&all.m, X, all.bias, NULL, 0, 1e-3, all.mode, 1e-8, &err), err);
            solve(all.m, all.pos, all.neg, 0);
            for (int s = 0; s < SIZES; s++) {
                int64_t rows = 0;
                if (n > 10000 && sizes[s] > 5)
                    continue;
                memset(all.wrong, 0, sizeof all.wrong);
                run_threaded(sizes[s], on_parts, &all);
                for (int r = 0; r < sizes[s]; r++) {
                    rows += all.rows[r];
                    assert_int_equal(all.wrong[r], 0);
                }
                assert_int_equal(rows, n);
            }
            wlab_mfn_destroy(all.m);
        }
        for (int i = 0; i < 9; i++)
            free(v[i]);
        wlab_matrix_destroy(X);
    }
    assert_true(SANITIZED || most > 8); /* tasks of several parts */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_together),
        cmocka_unit_test(test_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
