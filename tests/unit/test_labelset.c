/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Label sets against all 3^n vectors of -1, 0 and +1.
 */
#include "support.h"

#include "weaklab/labelset.h"

enum {
    NMAX = 9
};

typedef enum kind {
    SSL,
    CLUSTER,
    SINGLE,
    LLP,
    MIL,
    AMBIGUOUS
} kind;

/* A label set and its definition, which decides membership. */
typedef struct spec {
    wlab_labelset *set;
    int64_t n;
    kind kind;
    int8_t visible[NMAX];
    int64_t negatives;
    double beta;
    int32_t bag[NMAX];
    int64_t bags, keys;
    double proportion[NMAX], eps;
} spec;

static bool bag_allows(const spec *s, int64_t bag, const int8_t *y)
{
    int64_t up = 0, zero = 0, size = 0;
    for (int64_t k = 0; k < s->n; k++) {
        if (s->bag[k] != bag)
            continue;
        size++;
        up += y[k] > 0;
        zero += y[k] == 0;
    }
    if (s->kind == MIL && s->proportion[bag] > 0.5)
        return up == (s->keys < size ? s->keys : size) && up + zero == size;
    if (s->kind == MIL)
        return up == 0 && zero == 0;
    bool within = false; /* whether some count is within the limits */
    for (int64_t c = 0; c <= size && size; c++)
        within =
            within || fabs((double)c - s->proportion[bag] * (double)size) <= s->eps * (double)size + 1e-6;
    double off = fabs((double)up - s->proportion[bag] * (double)size);
    return zero == 0 &&
           (size == 0 || (within ? off <= s->eps * (double)size + 1e-6
                                 : up == (int64_t)floor(s->proportion[bag] * (double)size + 0.5)));
}

static bool member(const spec *s, const int8_t *y)
{
    int64_t sum = 0, negatives = 0, zero = 0;
    for (int64_t k = 0; k < s->n; k++) {
        if (s->visible[k] && y[k] != s->visible[k])
            return false;
        sum += y[k];
        zero += y[k] == 0;
        negatives += y[k] < 0 && !s->visible[k];
    }
    for (int64_t g = 0; g < s->bags; g++)
        if (!bag_allows(s, g, y))
            return false;
    if (s->kind == MIL)
        return true;
    return zero == 0 && (s->kind != SSL || negatives == s->negatives) &&
           (s->kind != CLUSTER || fabs((double)sum) <= s->beta + 1e-6);
}

static void vector_of(uint32_t number, int64_t n, int8_t *y)
{
    for (int64_t k = 0; k < n; k++, number /= 3)
        y[k] = (int8_t)(number % 3) - 1;
}

static uint32_t number_of(const int8_t *y, int64_t n)
{
    uint32_t number = 0;
    for (int64_t k = n; k-- > 0;)
        number = 3 * number + (uint32_t)(y[k] + 1);
    return number;
}

static uint32_t vectors(int64_t n)
{
    return n == 0 ? 1 : 3 * vectors(n - 1);
}

static int64_t brute_count(const spec *s)
{
    int64_t count = 0;
    int8_t y[NMAX] = {0};
    for (uint32_t v = 0; v < vectors(s->n); v++) {
        vector_of(v, s->n, y);
        count += member(s, y);
    }
    return count;
}

static double score(const double *r, const int8_t *y, int64_t n)
{
    double sum = 0;
    for (int64_t k = 0; k < n; k++)
        sum += r[k] * y[k];
    return sum;
}

static void check_argmax(const spec *s, wlab_rng *rng, bool ties)
{
    double r[NMAX];
    int8_t y[NMAX], z[NMAX], ref[NMAX];
    for (int64_t k = 0; k < s->n; k++)
        r[k] = ties ? (double)wlab_rng_below(rng, 3) - 1 : wlab_rng_normal(rng);
    wlab_labelset_random(s->set, rng, ref);
    assert_int_equal(wlab_labelset_argmax(s->set, r, ref, y, NULL), WL_OK);
    assert_true(member(s, y));
    double best = -INFINITY;
    int64_t nearest = s->n + 1, moved = 0;
    for (uint32_t v = 0; v < vectors(s->n); v++) {
        vector_of(v, s->n, z);
        if (!member(s, z))
            continue;
        double value = score(r, z, s->n);
        int64_t distance = 0;
        for (int64_t k = 0; k < s->n; k++)
            distance += z[k] != ref[k];
        if (value > best + 1e-9) {
            best = value;
            nearest = distance;
        } else if (value > best - 1e-9 && distance < nearest) {
            nearest = distance;
        }
    }
    for (int64_t k = 0; k < s->n; k++)
        moved += y[k] != ref[k];
    assert_true(fabs(score(r, y, s->n) - best) < 1e-9);
    assert_int_equal(moved, nearest); /* among the best labelings it selects the one nearest to ref */
    /* If free rows of a group have equal r and ref, the row with the lower number gets the lower label. */
    for (int64_t i = 0; i < s->n; i++) {
        for (int64_t j = i + 1; j < s->n; j++) {
            bool free_pair = s->set->group[i] >= 0 && s->set->group[i] == s->set->group[j];
            if (free_pair && !(r[i] < r[j]) && !(r[i] > r[j]) && ref[i] == ref[j])
                assert_true(y[i] <= y[j]);
        }
    }
    /* Without ref another labeling may be returned, but it is allowed and has the same value. */
    assert_int_equal(wlab_labelset_argmax(s->set, r, NULL, z, NULL), WL_OK);
    assert_true(member(s, z) && fabs(score(r, z, s->n) - best) < 1e-9);
}

typedef struct visited {
    const spec *s;
    bool *visited_before;
    int64_t count, most_changed, stop_after;
    int8_t before[NMAX];
} visited;

static bool on_visit(void *data, const int8_t *y, const int32_t *changed, int64_t nchanged)
{
    visited *v = data;
    int64_t n = v->s->n;
    bool reported[NMAX] = {false};
    for (int64_t i = 0; i < nchanged; i++) {
        assert_in_range(changed[i], 0, n - 1);
        assert_false(reported[changed[i]]);
        reported[changed[i]] = true;
    }
    if (v->count == 0)
        assert_int_equal(nchanged, n);
    else if (nchanged > v->most_changed)
        v->most_changed = nchanged;
    for (int64_t k = 0; k < n; k++) {
        assert_in_range(y[k] + 1, 0, 2);
        if (v->count > 0)
            assert_int_equal(reported[k], y[k] != v->before[k]);
    }
    assert_true(member(v->s, y));
    uint32_t number = number_of(y, n);
    assert_false(v->visited_before[number]);
    v->visited_before[number] = true;
    memcpy(v->before, y, (size_t)n);
    v->count++;
    return v->stop_after == 0 || v->count < v->stop_after;
}

static void check_enumerate(const spec *s, int64_t count)
{
    visited v = {.s = s, .visited_before = calloc(vectors(s->n), sizeof(bool))};
    assert_non_null(v.visited_before);
    assert_int_equal(wlab_labelset_enumerate(s->set, on_visit, &v, NULL), WL_OK);
    assert_int_equal(v.count, count);
    assert_in_range(v.most_changed, 0, s->bags > 1 ? s->n : s->kind == SSL ? 2 : 3);
    memset(v.visited_before, 0, (vectors(s->n)) * sizeof(bool));
    int64_t half = count > 1 ? count / 2 : 1;
    visited w = {.s = s, .visited_before = v.visited_before, .stop_after = half};
    assert_int_equal(wlab_labelset_enumerate(s->set, on_visit, &w, NULL), WL_OK);
    assert_int_equal(w.count, half);
    free(v.visited_before);
}

static void check_random(const spec *s, wlab_rng *rng, int64_t count)
{
    int8_t y[NMAX];
    int64_t draws = count <= 256 ? 60 * count : 400;
    int64_t *hits = calloc(vectors(s->n), sizeof *hits);
    assert_non_null(hits);
    for (int64_t i = 0; i < draws; i++) {
        wlab_labelset_random(s->set, rng, y);
        assert_true(member(s, y));
        hits[number_of(y, s->n)]++;
    }
    if (count <= 256 && count > 1) {
        /* Chi squared with d = count - 1 degrees of freedom has mean d and standard deviation sqrt(2 d). */
        double chi = 0;
        for (uint32_t v = 0; v < vectors(s->n); v++) {
            vector_of(v, s->n, y);
            if (member(s, y)) {
                assert_true(hits[v] > 0);
                chi += pow((double)hits[v] - 60, 2) / 60;
            }
        }
        double degrees = (double)(count - 1);
        assert_true(chi < degrees + 6 * sqrt(2 * degrees) + 12);
    }
    free(hits);
}

/* Checks fixed, group, mean, may_flip and contains at every vector. */
static void check_structure(const spec *s)
{
    const wlab_labelset *B = s->set;
    int8_t y[NMAX], z[NMAX];
    int64_t sum[NMAX] = {0}, least[NMAX], most[NMAX], members = 0, free_count = 0;
    double mean[NMAX];
    for (uint32_t v = 0; v < vectors(s->n); v++) {
        vector_of(v, s->n, y);
        bool inside = member(s, y);
        assert_int_equal(wlab_labelset_contains(B, y), inside);
        if (!inside)
            continue;
        for (int64_t k = 0; k < s->n; k++) {
            sum[k] += y[k];
            least[k] = members == 0 || y[k] < least[k] ? y[k] : least[k];
            most[k] = members == 0 || y[k] > most[k] ? y[k] : most[k];
            memcpy(z, y, (size_t)s->n);
            z[k] = (int8_t)-z[k];
            if (y[k] != 0)
                assert_int_equal(wlab_labelset_may_flip(B, y, k), member(s, z));
            else
                assert_false(wlab_labelset_may_flip(B, y, k));
            for (int64_t j = 0; j < s->n; j++) {
                if (y[j] == y[k] || B->group[k] < 0 || B->group[k] != B->group[j])
                    continue;
                memcpy(z, y, (size_t)s->n);
                z[j] = y[k];
                z[k] = y[j];
                assert_true(member(s, z));
            }
        }
        members++;
    }
    wlab_labelset_mean(B, mean);
    for (int64_t k = 0; k < s->n; k++) {
        bool fixed = least[k] == most[k];
        assert_int_equal(B->fixed[k], fixed ? least[k] : WL_FREE);
        assert_int_equal(B->group[k] < 0, fixed);
        assert_true(fabs(mean[k] - (double)sum[k] / (double)members) < 1e-12);
        free_count += !fixed;
    }
    assert_int_equal(wlab_labelset_free_count(B), free_count);
    for (int64_t g = 0; g < B->groups; g++)
        for (int64_t i = B->start[g]; i < B->start[g + 1]; i++) {
            assert_int_equal(B->group[B->member[i]], g);
            assert_true(i == B->start[g] || B->member[i - 1] < B->member[i]);
        }
}

/* Checks restrict with labels decided at random, most of them as in an allowed labeling. */
static void check_restrict(const spec *s, wlab_rng *rng)
{
    int8_t decided[NMAX], y[NMAX];
    wlab_labelset *part = NULL;
    int64_t count = 0;
    wlab_labelset_random(s->set, rng, decided);
    for (int64_t k = 0; k < s->n; k++) {
        uint64_t how = wlab_rng_below(rng, 8);
        if (how < 4)
            decided[k] = WL_FREE;
        else if (how == 4)
            decided[k] = (int8_t)((int)wlab_rng_below(rng, 3) - 1);
    }
    assert_int_equal(wlab_labelset_restrict(&part, s->set, decided, NULL), WL_OK);
    for (uint32_t v = 0; v < vectors(s->n); v++) {
        vector_of(v, s->n, y);
        bool inside = member(s, y);
        for (int64_t k = 0; k < s->n; k++)
            inside = inside && (decided[k] == WL_FREE || decided[k] == y[k]);
        count += inside;
        assert_int_equal(part ? wlab_labelset_contains(part, y) : false, inside);
    }
    assert_int_equal(part != NULL, count > 0);
    if (part)
        assert_true(fabs(wlab_labelset_count(part) - (double)count) < 0.5);
    wlab_labelset_destroy(part);
}

static void check_all(const spec *s, wlab_rng *rng)
{
    int64_t count = brute_count(s);
    assert_true(fabs(wlab_labelset_count(s->set) - (double)count) < 0.5);
    check_structure(s);
    check_enumerate(s, count);
    check_random(s, rng, count);
    for (int i = 0; i < 6; i++) {
        check_argmax(s, rng, i % 2);
        check_restrict(s, rng);
    }
}

static void ssl_all(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 7);
    for (int64_t n = 1; n <= NMAX; n++) {
        for (int64_t labelled = 0; labelled <= n; labelled += 1 + n / 6) {
            for (int64_t negatives = 0; negatives <= n - labelled; negatives += 1 + n / 8) {
                spec s = {.n = n, .kind = SSL, .negatives = negatives};
                int32_t order[NMAX];
                for (int32_t k = 0; k < n; k++)
                    order[k] = k;
                wlab_rng_shuffle(&rng, order, (size_t)n);
                for (int64_t i = 0; i < labelled; i++)
                    s.visible[order[i]] = wlab_rng_below(&rng, 2) ? 1 : -1;
                assert_int_equal(wlab_labelset_ssl(&s.set, s.visible, n, negatives, NULL), WL_OK);
                check_all(&s, &rng);
                wlab_labelset_destroy(s.set);
            }
        }
    }
}

static void cluster_all(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 8);
    for (int64_t n = 1; n <= NMAX; n++) {
        for (double beta = 0; beta <= (double)n + 1; beta += 0.5) {
            spec s = {.n = n, .kind = CLUSTER, .beta = beta};
            wlab_err err = {0};
            if (n % 2 && beta < 1) {
                assert_int_equal(wlab_labelset_cluster(&s.set, n, beta, &err), WL_EARG);
                assert_null(s.set);
                continue;
            }
            assert_int_equal(wlab_labelset_cluster(&s.set, n, beta, &err), WL_OK);
            check_all(&s, &rng);
            wlab_labelset_destroy(s.set);
        }
    }
}

static void single_all(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 9);
    for (int64_t n = 1; n <= NMAX; n++) {
        spec s = {.n = n, .kind = SINGLE};
        for (int64_t k = 0; k < n; k++)
            s.visible[k] = wlab_rng_below(&rng, 2) ? 1 : -1;
        assert_int_equal(wlab_labelset_single(&s.set, s.visible, n, NULL), WL_OK);
        check_all(&s, &rng);
        wlab_labelset_destroy(s.set);
    }
}

/* Assigns rows at random to bags of any size, also 0. */
static void deal_bags(spec *s, int64_t bags, wlab_rng *rng)
{
    s->bags = bags;
    for (int64_t k = 0; k < s->n; k++)
        s->bag[k] = (int32_t)wlab_rng_below(rng, (uint64_t)bags);
}

static void llp_all(void **state)
{
    (void)state;
    static const double eps[] = {0, 0.1, 0.34, 1};
    wlab_rng rng;
    wlab_rng_seed(&rng, 10);
    for (int64_t n = 1; n < NMAX; n++)
        for (int64_t bags = 1; bags <= 4; bags++)
            for (int e = 0; e < 4; e++) {
                spec s = {.n = n, .kind = LLP, .eps = eps[e]};
                deal_bags(&s, bags, &rng);
                for (int64_t g = 0; g < bags; g++)
                    s.proportion[g] = wlab_rng_below(&rng, 2) ? (double)wlab_rng_below(&rng, 4) / 3
                                                              : wlab_rng_uniform(&rng);
                assert_int_equal(wlab_labelset_llp(&s.set, s.bag, NULL, n, bags, s.proportion, s.eps, NULL),
                                 WL_OK);
                check_all(&s, &rng);
                wlab_labelset_destroy(s.set);
            }
}

static void mil_all(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 11);
    for (int64_t n = 1; n < NMAX; n++)
        for (int64_t bags = 1; bags <= 4; bags++)
            for (int64_t keys = 1; keys <= 3; keys++) {
                spec s = {.n = n, .kind = MIL, .keys = keys};
                deal_bags(&s, bags, &rng);
                for (int64_t g = 0; g < bags; g++)
                    s.proportion[g] = wlab_rng_below(&rng, 3) ? 1 : 0;
                assert_int_equal(wlab_labelset_mil(&s.set, s.bag, n, bags, s.proportion, keys, NULL), WL_OK);
                check_all(&s, &rng);
                wlab_labelset_destroy(s.set);
            }
}

static void ambiguous_all(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 12);
    for (int64_t n = 1; n <= NMAX; n++)
        for (int t = 0; t < 3; t++) {
            spec s = {.n = n, .kind = AMBIGUOUS};
            for (int64_t k = 0; k < n; k++)
                s.visible[k] = (int8_t)((int)wlab_rng_below(&rng, 3) - 1);
            assert_int_equal(wlab_labelset_ambiguous(&s.set, s.visible, n, NULL), WL_OK);
            check_all(&s, &rng);
            wlab_labelset_destroy(s.set);
        }
}

/* For each of these percentages and n, the percentage of n is an integer, but in doubles a product such as 0.57 n may
 * be slightly below it.  The label set must allow a difference of that integer all the same. */
static void cluster_rounding(void **state)
{
    (void)state;
    static const int percent[] = {3, 29, 30, 57};
    int8_t y[2000];
    int64_t tricky = 0;
    for (int b = 0; b < 4; b++) {
        for (int64_t n = 100; n <= 2000; n += 100) {
            int64_t beta = percent[b] * n / 100, least = (n - beta + 1) / 2;
            wlab_labelset *set;
            assert_int_equal(wlab_labelset_cluster(&set, n, percent[b] / 100.0 * (double)n, NULL), WL_OK);
            tricky += ceil(((double)n - percent[b] / 100.0 * (double)n) / 2) > (double)least;
            for (int64_t k = 0; k < n; k++)
                y[k] = k < least ? -1 : 1;
            assert_true(wlab_labelset_contains(set, y));
            y[0] = 1;
            assert_false(wlab_labelset_contains(set, y));
            wlab_labelset_destroy(set);
        }
    }
    assert_true(tricky > 0);
}

static void counts(void **state)
{
    (void)state;
    static int8_t none[2000];
    wlab_labelset *set;
    wlab_err err;
    assert_int_equal(wlab_labelset_ssl(&set, none, 50, 25, NULL), WL_OK);
    assert_true(wlab_labelset_count(set) == 126410606437752.0);
    assert_int_equal(wlab_labelset_enumerate(set, on_visit, NULL, &err), WL_EARG);
    wlab_labelset_destroy(set);
    assert_int_equal(wlab_labelset_ssl(&set, none, 1000, 500, NULL), WL_OK);
    assert_true(fabs(wlab_labelset_count(set) / 2.702882409454366e299 - 1) < 1e-12);
    wlab_labelset_destroy(set);
    assert_int_equal(wlab_labelset_ssl(&set, none, 2000, 1000, NULL), WL_OK);
    assert_true(isinf(wlab_labelset_count(set)));
    wlab_labelset_destroy(set);
    assert_int_equal(wlab_labelset_cluster(&set, 53, 53, NULL), WL_OK);
    assert_true(fabs(wlab_labelset_count(set) - 0x1p53) <= 1);
    assert_int_equal(wlab_labelset_enumerate(set, on_visit, NULL, &err), WL_EARG);
    wlab_labelset_destroy(set);
}

static bool on_count(void *data, const int8_t *y, const int32_t *changed, int64_t nchanged)
{
    (void)y, (void)changed, (void)nchanged;
    ++*(int64_t *)data;
    return true;
}

static void many_visits(void **state)
{
    (void)state;
    static int8_t none[24];
    wlab_labelset *set;
    int64_t count = 0;
    assert_int_equal(wlab_labelset_ssl(&set, none, 24, 12, NULL), WL_OK);
    assert_int_equal(wlab_labelset_enumerate(set, on_count, &count, NULL), WL_OK);
    assert_int_equal(count, 2704156);
    wlab_labelset_destroy(set);
}

static void refusals(void **state)
{
    (void)state;
    int8_t visible[3] = {0, 1, 0};
    double r[3] = {0, 0, NAN};
    int8_t y[3] = {5, 5, 5};
    wlab_labelset *set;
    wlab_err err;
    assert_int_equal(wlab_labelset_ssl(&set, visible, 3, 3, &err), WL_EARG);
    assert_null(set);
    assert_int_equal(wlab_labelset_ssl(&set, visible, 3, -1, &err), WL_EARG);
    visible[0] = 2;
    assert_int_equal(wlab_labelset_ssl(&set, visible, 3, 1, &err), WL_EARG);
    visible[0] = 0;
    assert_int_equal(wlab_labelset_ssl(&set, visible, 3, 1, &err), WL_OK);
    assert_int_equal(wlab_labelset_argmax(set, r, NULL, y, &err), WL_ENUMERIC);
    assert_int_equal(y[0], 5);
    wlab_labelset_destroy(set);
    assert_int_equal(wlab_labelset_cluster(&set, 4, -1, &err), WL_EARG);
    assert_int_equal(wlab_labelset_cluster(&set, 4, NAN, &err), WL_EARG);
    assert_int_equal(wlab_labelset_cluster(&set, 0, 1, &err), WL_EARG);
    wlab_labelset_destroy(NULL);
}

static wlab_code use_all(kind which)
{
    int8_t visible[6] = {1, -1, 0, 0, 0, 0}, labels[6] = {1, 1, -1, -1, 1, -1}, y[6] = {0};
    int32_t bag[6] = {0, 0, 0, 1, 1, 1};
    double r[6] = {1, 2, 3, -3, -2, -1}, proportion[2] = {1.0 / 3, 1};
    int64_t count = 0;
    wlab_labelset *set;
    wlab_code code = which == SSL       ? wlab_labelset_ssl(&set, visible, 6, 2, NULL)
                     : which == CLUSTER ? wlab_labelset_cluster(&set, 6, 2, NULL)
                     : which == SINGLE  ? wlab_labelset_single(&set, labels, 6, NULL)
                     : which == LLP     ? wlab_labelset_llp(&set, bag, NULL, 6, 2, proportion, 0.4, NULL)
                     : which == MIL     ? wlab_labelset_mil(&set, bag, 6, 2, proportion, 1, NULL)
                                        : wlab_labelset_ambiguous(&set, visible, 6, NULL);
    if (!code)
        code = wlab_labelset_argmax(set, r, NULL, y, NULL);
    if (!code)
        code = wlab_labelset_enumerate(set, on_count, &count, NULL);
    wlab_labelset *part = NULL;
    int8_t decided[6] = {WL_FREE, y[1], WL_FREE, WL_FREE, WL_FREE, WL_FREE};
    if (!code)
        code = wlab_labelset_restrict(&part, set, decided, NULL);
    wlab_labelset_destroy(part);
    wlab_labelset_destroy(set);
    return code;
}

static void out_of_memory(void **state)
{
    (void)state;
    for (int which = SSL; which <= AMBIGUOUS; which++)
        ALLOC_SWEEP(use_all((kind)which));
}

/* ---- the threshold at which signs have the prescribed counts ---- */

static int64_t missed_at(const wlab_labelset *B, const double *f, double t)
{
    int64_t sum = 0;
    for (int64_t g = 0; g < B->groups; g++) {
        int64_t up = 0;
        for (int64_t i = B->start[g]; i < B->start[g + 1]; i++)
            up += f[B->member[i]] > t;
        sum += up < B->lo[g] ? B->lo[g] - up : up > B->hi[g] ? up - B->hi[g] : 0;
    }
    return sum;
}

/* Compares with all thresholds that give different signs, on outputs with ties and outputs all on one side of 0. */
static void threshold_all(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_err err;
    wlab_rng_seed(&rng, 7);
    for (int trial = 0; trial < 600; trial++) {
        const int64_t n = 3 + (int64_t)(wlab_rng_uniform(&rng) * 9);
        int8_t visible[12] = {0};
        int32_t bag[12];
        double f[12], proportion[3], shift = (double)(trial % 5 - 2), t;
        int64_t by_sign;
        for (int64_t k = 0; k < n; k++) {
            visible[k] = (int8_t)(k < 2 ? 2 * k - 1 : 0);
            bag[k] = (int32_t)(k % 3);
            f[k] = shift + floor(8 * wlab_rng_uniform(&rng)) / 4;
        }
        for (int b = 0; b < 3; b++)
            proportion[b] = wlab_rng_uniform(&rng);
        wlab_labelset *B;
        const int sort = trial % 3;
        ASSERT_OK(sort == 0   ? wlab_labelset_ssl(&B, visible, n, trial % (n - 1), &err)
                  : sort == 1 ? wlab_labelset_cluster(&B, n, 0.5 * (double)n, &err)
                              : wlab_labelset_llp(&B, bag, NULL, n, 3, proportion, 0.1, &err),
                  err);
        ASSERT_OK(wlab_labelset_threshold(B, f, &t, &by_sign, &err), err);
        if (wlab_labelset_counts(B)) {
            int64_t least = missed_at(B, f, 100);
            for (int64_t k = 0; k < n; k++)
                for (int side = -1; side <= 1; side += 2)
                    least = missed_at(B, f, f[k] + side * 1e-6) < least ? missed_at(B, f, f[k] + side * 1e-6)
                                                                        : least;
            assert_int_equal(by_sign, missed_at(B, f, 0));
            assert_int_equal(missed_at(B, f, t), least);
            assert_true(by_sign != least || t == 0); /* threshold 0 is kept if it is among the best */
        } else {
            assert_true(t == 0 && by_sign == 0);
        }
        wlab_labelset_destroy(B);
    }
}

static void threshold_of_none(void **state)
{
    (void)state;
    wlab_err err;
    const int32_t bag[4] = {0, 0, 1, 1};
    const double proportion[2] = {1, 0}, f[4] = {-3, -2, -5, NAN};
    double t = 5;
    int64_t by_sign = 5;
    wlab_labelset *B;
    ASSERT_OK(wlab_labelset_mil(&B, bag, 4, 2, proportion, 1, &err),
              err); /* numbers of key instances are not counts of signs */
    assert_false(wlab_labelset_counts(B));
    ASSERT_OK(wlab_labelset_threshold(B, f, &t, &by_sign, &err), err);
    assert_true(t == 0 && by_sign == 0);
    wlab_labelset_destroy(B);
    const int8_t visible[4] = {0};
    ASSERT_OK(wlab_labelset_ssl(&B, visible, 4, 2, &err), err);
    assert_int_equal(wlab_labelset_threshold(B, f, &t, &by_sign, &err), WL_ENUMERIC);
    wlab_labelset_destroy(B);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ssl_all),           cmocka_unit_test(cluster_all),   cmocka_unit_test(single_all),
        cmocka_unit_test(llp_all),           cmocka_unit_test(mil_all),       cmocka_unit_test(ambiguous_all),
        cmocka_unit_test(cluster_rounding),  cmocka_unit_test(counts),        cmocka_unit_test(many_visits),
        cmocka_unit_test(refusals),          cmocka_unit_test(out_of_memory), cmocka_unit_test(threshold_all),
        cmocka_unit_test(threshold_of_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
