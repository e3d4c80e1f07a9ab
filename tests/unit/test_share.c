/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Problems that ranks share: every rank has its rows of labels and of the label set; the best labeling and the threshold of
 * outputs are those of one process, also with equal values; selection of the k-th smallest.
 */
#include "unit/posed.h"
#include "unit/threaded.h"

#include "base/pack.h"
#include "base/select.h"
#include "linalg/spread.h"
#include "task/share.h"

#include <math.h>

static const int sizes[] = {1, 2, 3, 5, 8};
enum {
    SIZES = sizeof sizes / sizeof *sizes,
    ROUNDS = 60
};

typedef struct scene {
    wlab_problem *whole;
    wlab_buf args;
    double *r;     /* [ROUNDS x n] */
    int8_t *ref;   /* [n] */
    int8_t *y;     /* [ROUNDS x n] of one process */
    double *t;     /* [ROUNDS] */
    int64_t *miss; /* [ROUNDS] */
    int wrong[THREADED_MOST];
} scene;

static void on_a_rank(wlab_ranks *ranks, void *data)
{
    scene *s = data;
    const wlab_problem *whole = s->whole;
    const int64_t n = whole->n, begin = n * ranks->rank / ranks->size,
                  end = n * (ranks->rank + 1) / ranks->size;
    int *wrong = &s->wrong[ranks->rank];
    int32_t *pick = malloc(((size_t)n + 1) * sizeof *pick);
    wlab_matrix *own = NULL, *X = NULL;
    wlab_problem *p = NULL;
    wlab_spread how;
    wlab_err err;
    wlab_buf args = s->args; /* each rank reads its own copy */

    for (int64_t i = begin; i < end; i++)
        pick[i - begin] = (int32_t)i;
    if (wlab_matrix_rows(&own, whole->X, pick, end - begin, &err) ||
        wlab_matrix_spread(&X, own, ranks, &how, &err))
        abort();
    wlab_share share = {.own = X, .ranks = ranks};
    args.pos = 0;
    if (wlab_problem_share(&p, ranks->rank ? NULL : whole, &share, &args, &err)) {
        fprintf(stderr, "%s\n", err.message);
        abort();
    }
    const int64_t before = X->parts->before;
    *wrong += p->n != X->rows || p->labelled != whole->labelled || p->unlabelled != whole->unlabelled ||
              strcmp(p->task->name, whole->task->name) != 0;
    *wrong += !(p->r == whole->r || (isnan(p->r) && isnan(whole->r)));
    for (int64_t k = 0; k < p->n; k++)
        *wrong += p->visible[k] != whole->visible[before + k] || p->cost[k] != whole->cost[before + k] ||
                  p->labels->fixed[k] != whole->labels->fixed[before + k] || p->row[k] != before + k;
    int8_t *y = malloc((size_t)p->n + 1);
    for (int c = 0; c < ROUNDS; c++) {
        const double *r = s->r + (int64_t)c * n + before;
        double t;
        int64_t miss;
        if (wlab_share_argmax(p, r, c % 2 ? s->ref + before : NULL, y, &err) ||
            wlab_share_threshold(p, r, &t, &miss, &err))
            abort();
        *wrong += memcmp(y, s->y + (int64_t)c * n + before, (size_t)p->n) != 0;
        *wrong += t != s->t[c] || miss != s->miss[c];
    }
    free(y);
    free(pick);
    wlab_problem_unref(p);
    wlab_matrix_destroy(X);
    wlab_matrix_destroy(own);
}

static void test_labels(void **state)
{
    static const struct {
        const char *data, *task, *options;
    } pose_of[] = {{"two-moons", "ssl", "labeled=11 seed=3"},
                   {"two-moons", "ssl", "labeled=4 seed=3 r=0.1"},
                   {"two-moons", "cluster", "balance=0.2"},
                   {"two-moons", "supervised", ""}};
    (void)state;
    wlab_rng rng;
    wlab_err err;
    wlab_rng_seed(&rng, 5);
    for (size_t k = 0; k < sizeof pose_of / sizeof *pose_of; k++) {
        scene s = {.whole =
                       pose(pose_of[k].data, "n=157 noise=0.1 seed=1", pose_of[k].task, pose_of[k].options)};
        const int64_t n = s.whole->n;
        s.r = calloc((size_t)(ROUNDS * n), sizeof *s.r);
        s.y = calloc((size_t)(ROUNDS * n), 1);
        s.ref = calloc((size_t)n, 1);
        s.t = calloc(ROUNDS, sizeof *s.t);
        s.miss = calloc(ROUNDS, sizeof *s.miss);
        assert_true(s.r && s.y && s.ref && s.t && s.miss);
        ASSERT_OK(wlab_problem_shareable(s.whole, &err), err);
        ASSERT_OK(wlab_problem_pack(&s.args, s.whole, &err), err);
        wlab_labelset_random(s.whole->labels, &rng, s.ref);
        for (int c = 0; c < ROUNDS; c++) {
            double *r = s.r + (int64_t)c * n;
            for (int64_t i = 0; i < n; i++)
                r[i] = c % 3 == 0   ? wlab_rng_normal(&rng)
                       : c % 3 == 1 ? (double)wlab_rng_below(&rng, 5) - 2
                                    : (double)wlab_rng_below(&rng, 2) + (c % 4 ? 0.5 : -0.5);
            ASSERT_OK(
                wlab_labelset_argmax(s.whole->labels, r, c % 2 ? s.ref : NULL, s.y + (int64_t)c * n, &err),
                err);
            ASSERT_OK(wlab_labelset_threshold(s.whole->labels, r, &s.t[c], &s.miss[c], &err), err);
        }
        for (int z = 0; z < SIZES; z++) {
            memset(s.wrong, 0, sizeof s.wrong);
            run_threaded(sizes[z], on_a_rank, &s);
            for (int r = 0; r < sizes[z]; r++)
                assert_int_equal(s.wrong[r], 0);
        }
        wlab_buf_clear(&s.args);
        wlab_problem_unref(s.whole);
        free(s.r);
        free(s.y);
        free(s.ref);
        free(s.t);
        free(s.miss);
    }
}

/* Bags, candidates, several classes and rows that are held out cannot be shared, and the sentence says which it is. */
static void test_refused(void **state)
{
    static const struct {
        const char *data, *of, *task, *options, *why;
    } pose_of[] = {{"two-moons", "n=60 seed=1", "llp", "bagsize=5 seed=1", "bags"},
                   {"two-moons", "n=60 seed=1", "ssl", "labeled=8 seed=1", NULL}};
    (void)state;
    wlab_err err;
    wlab_matrix one = {.rows = 60};
    wlab_rows rows;
    wlab_rows_whole(&rows, 60);
    one.parts = &rows;
    for (size_t k = 0; k < sizeof pose_of / sizeof *pose_of; k++) {
        wlab_problem *p = pose(pose_of[k].data, pose_of[k].of, pose_of[k].task, pose_of[k].options);
        wlab_share share = {.own = &one};
        p->data->share = &share;
        const wlab_code code = wlab_problem_shareable(p, &err);
        p->data->share = NULL;
        assert_int_equal(code, pose_of[k].why ? WL_ESTATE : WL_OK);
        if (pose_of[k].why)
            assert_non_null(strstr(err.message, pose_of[k].why));
        wlab_problem_unref(p);
    }
}

/* ---- selection ---- */

typedef struct numbers {
    const double *f;
    int64_t n;
    const wlab_ranked *sorted;
    int wrong[THREADED_MOST];
} numbers;

static void select_on_a_rank(wlab_ranks *ranks, void *data)
{
    numbers *s = data;
    const int64_t begin = s->n * ranks->rank * ranks->rank / (ranks->size * ranks->size),
                  end = s->n * (ranks->rank + 1) * (ranks->rank + 1) / (ranks->size * ranks->size);
    wlab_ranked *list = malloc(((size_t)s->n + 1) * sizeof *list);

    for (int64_t k = 1; k <= s->n; k += 1 + k / 3) {
        for (int64_t i = begin; i < end; i++)
            list[i - begin] = (wlab_ranked){s->f[i], i};
        const wlab_ranked got = wlab_select(ranks, list, end - begin, k);
        s->wrong[ranks->rank] += got.f != s->sorted[k - 1].f || got.row != s->sorted[k - 1].row;
    }
    free(list);
}

static void test_selection(void **state)
{
    static const int64_t lengths[] = {1, 2, 7, 100, 3001};
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 9);
    for (size_t c = 0; c < 2 * sizeof lengths / sizeof *lengths; c++) {
        numbers s = {.n = lengths[c / 2]};
        double *f = calloc((size_t)s.n, sizeof *f);
        wlab_ranked *sorted = calloc((size_t)s.n, sizeof *sorted);
        assert_true(f && sorted);
        for (int64_t i = 0; i < s.n; i++) {
            f[i] = c % 2 ? wlab_rng_normal(&rng) : (double)wlab_rng_below(&rng, 4);
            sorted[i] = (wlab_ranked){f[i], i};
        }
        qsort(sorted, (size_t)s.n, sizeof *sorted, wlab_ranked_compare);
        s.f = f;
        s.sorted = sorted;
        for (int z = 0; z < SIZES; z++) {
            memset(s.wrong, 0, sizeof s.wrong);
            run_threaded(sizes[z], select_on_a_rank, &s);
            for (int r = 0; r < sizes[z]; r++)
                assert_int_equal(s.wrong[r], 0);
        }
        free(f);
        free(sorted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_selection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
