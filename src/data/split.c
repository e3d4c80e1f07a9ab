/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rows, or whole bags of rows, held out for testing.
 */
#include "weaklab/dataset.h"

#include <math.h>
#include <string.h>

enum {
    BY_AUTO,
    BY_ROWS,
    BY_BAGS
};

static const char *const by_names[] = {"auto", "rows", "bags", NULL};

const wlab_param_info wlab_split_params[] = {
    {.name = "test",
     .type = WL_P_REAL,
     .fallback = "0.25",
     .lo = 0,
     .hi = 1e9,
     .meaning = "rows (bags) held out: a fraction below 1, or a count",
     .flags = WL_P_OPEN_LO},
    {.name = "folds",
     .type = WL_P_INT,
     .lo = 2,
     .hi = 1e9,
     .meaning =
         "in place of test=: the rows (bags) are cut into so many folds, each of which can be held out"},
    {.name = "fold", .type = WL_P_INT, .lo = 1, .hi = 1e9, .meaning = "the fold that is held out, from 1"},
    {.name = "hold",
     .type = WL_P_TEXT,
     .meaning =
         "in place of test=: the bags whose names begin so are held out; hold=test, where a file brought its "
         "own split"},
    {.name = "seed",
     .type = WL_P_INT,
     .fallback = "1",
     .lo = 0,
     .hi = 0x1p53,
     .meaning = "which rows (bags) are held out"},
    {.name = "stratified",
     .type = WL_P_BOOL,
     .fallback = "yes",
     .meaning =
         "each class is held out in proportion; rows without a label count as a class; a bag is of the last "
         "class among its rows', so that it is positive when one of them is"},
    {.name = "by",
     .type = WL_P_CHOICE,
     .fallback = "auto",
     .choices = by_names,
     .meaning =
         "what is cut: single rows, or bags, whose rows stay together; auto: bags where the data have them"},
    {.name = "bagsize",
     .type = WL_P_INT,
     .unit = "rows",
     .lo = 1,
     .hi = 1e9,
     .meaning =
         "all rows are dealt at random into bags of this size (the last may be smaller), and these are cut; "
         "`task llp` with the same bagsize= and seed= and deal=all has the same bags"},
    {0},
};

/* How many of `held` go to each group of size[0..groups-1]: shares rounded down, then the largest remainders
 * (the lower group when equal) get one more.  Integers throughout: n * held < 2^62. */
static wlab_code apportion(int64_t *quota, const int64_t *size, int groups, int64_t n, int64_t held,
                           wlab_err *err)
{
    int64_t *rest = wlab_alloc((size_t)groups, sizeof *rest), left = held;
    if (!rest)
        return wlab_nomem(err);
    for (int g = 0; g < groups; g++) {
        quota[g] = size[g] * held / n;
        rest[g] = size[g] * held % n;
        left -= quota[g];
    }
    for (; left > 0; left--) {
        int best = 0;
        for (int g = 1; g < groups; g++) {
            if (rest[g] > rest[best])
                best = g;
        }
        quota[best]++;
        rest[best] = -1;
    }
    wlab_free(rest);
    return WL_OK;
}

static wlab_code how_many(int64_t *held, const wlab_params *params, int64_t n, const char *what,
                          wlab_err *err)
{
    double test = wlab_params_real(params, "test");
    if (test < 1)
        *held = (int64_t)floor(test * (double)n + 0.5);
    else if (test > floor(test))
        return wlab_fail(err, WL_EARG, "test=%g: give a fraction below 1 or a whole number of %ss", test,
                         what);
    else
        *held = (int64_t)test;
    if (*held < 1)
        return wlab_fail(err, WL_EARG, "test=%g of %lld %s%s is not a single one", test, (long long)n, what,
                         n == 1 ? "" : "s");
    if (*held >= n)
        return wlab_fail(err, WL_EARG, "test=%g of %lld %s%s leaves none to train on", test, (long long)n,
                         what, n == 1 ? "" : "s");
    return WL_OK;
}

/* *folds = 0: test= is meant. */
static wlab_code which_fold(int64_t *folds, int64_t *fold, const wlab_params *params, int64_t n,
                            const char *what, wlab_err *err)
{
    bool cut = wlab_params_given(params, "folds"), one = wlab_params_given(params, "fold");
    *folds = *fold = 0;
    if (!cut && !one)
        return WL_OK;
    if (wlab_params_given(params, "test"))
        return wlab_fail(err, WL_EARG, "test= and folds= exclude each other: keep one");
    if (!cut)
        return wlab_fail(err, WL_EARG, "fold=%s of how many? folds=10 fold=%s, say",
                         wlab_params_text(params, "fold"), wlab_params_text(params, "fold"));
    *folds = wlab_params_int(params, "folds");
    if (*folds > n)
        return wlab_fail(err, WL_EARG, "folds=%lld, but there are only %lld %ss", (long long)*folds,
                         (long long)n, what);
    if (!one)
        return wlab_fail(err, WL_EARG, "which of the %lld folds is held out? fold=1 to fold=%lld",
                         (long long)*folds, (long long)*folds);
    *fold = wlab_params_int(params, "fold");
    if (*fold > *folds)
        return wlab_fail(err, WL_EARG, "fold=%lld: there are only %lld folds", (long long)*fold,
                         (long long)*folds);
    return WL_OK;
}

/* The groups of what is cut (rows, or bags), in which shares are held out: its class, the unknown last.  A bag is of
 * the last class among its rows', unknown where a row is that could still change this.  bag: NULL for rows. */
static void find_groups(const wlab_dataset *data, const int32_t *bag, int32_t *group, int64_t n)
{
    int32_t unknown = data->classes;

    if (!bag) {
        for (int64_t i = 0; i < n; i++)
            group[i] = data->label[i] < 0 ? unknown : data->label[i];
        return;
    }
    for (int64_t b = 0; b < n; b++)
        group[b] = -1;
    for (int64_t i = 0; i < data->X->rows; i++) {
        int32_t *of = &group[bag[i]], label = data->label[i] < 0 ? unknown : data->label[i];
        if (*of == unknown - 1 || label == unknown - 1)
            *of = unknown - 1;
        else
            *of = label > *of ? label : *of;
    }
}

/* Group by group, in the order of the classes (unknown last), what is cut is shuffled and the first ones held
 * out; without stratification all is one group.  Folds: the shuffled, one group behind the other, are dealt out in
 * turn, so that each fold has its share of every class and all are of one size, within one. */
static wlab_code hold_out(bool *out_of, const int32_t *group, int groups, int64_t n, int64_t held,
                          int64_t folds, int64_t fold, uint64_t seed, wlab_err *err)
{
    int64_t *size = wlab_calloc((size_t)groups, sizeof *size);
    int64_t *next = wlab_calloc((size_t)groups, sizeof *next);
    int64_t *quota = wlab_calloc((size_t)groups, sizeof *quota);
    int32_t *order = wlab_alloc((size_t)n, sizeof *order);
    wlab_rng rng;
    wlab_code code = size && next && quota && order ? WL_OK : wlab_nomem(err);

    for (int64_t i = 0; !code && i < n; i++)
        size[group[i]]++;
    if (!code)
        code = apportion(quota, size, groups, n, held, err);
    if (code)
        goto out;
    for (int g = 1; g < groups; g++)
        next[g] = next[g - 1] + size[g - 1];
    for (int64_t i = 0; i < n; i++)
        order[next[group[i]]++] = (int32_t)i;
    wlab_rng_seed(&rng, seed);
    for (int g = 0; g < groups; g++) {
        int32_t *of = order + next[g] - size[g];
        wlab_rng_shuffle(&rng, of, (size_t)size[g]);
        for (int64_t i = 0; i < (folds ? size[g] : quota[g]); i++)
            out_of[of[i]] = !folds || (of + i - order) % folds == fold - 1;
    }
out:
    wlab_free(order);
    wlab_free(quota);
    wlab_free(next);
    wlab_free(size);
    return code;
}

/* The bags whose names begin with `hold`. */
static wlab_code hold_named(bool *out_of, const wlab_dataset *data, const char *hold, wlab_err *err)
{
    int64_t held = 0;

    for (int64_t b = 0; b < data->bags; b++) {
        out_of[b] = data->bag_name && strncmp(data->bag_name[b], hold, strlen(hold)) == 0;
        held += out_of[b];
    }
    if (held == 0)
        return wlab_fail(err, WL_EARG, "hold=%s: the name of no bag of '%s' begins so", hold, data->name);
    if (held == data->bags)
        return wlab_fail(err, WL_EARG,
                         "hold=%s: the names of all %lld bags begin so: none is left to train on", hold,
                         (long long)held);
    return WL_OK;
}

/* hold= excludes the other ways to say what is held out. */
static wlab_code check_hold(const wlab_dataset *data, const wlab_params *params, wlab_err *err)
{
    static const char *const others[] = {"test", "folds", "fold", "by"};

    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (wlab_params_given(params, others[k]))
            return wlab_fail(err, WL_EARG, "hold= and %s= exclude each other: keep one", others[k]);
    return data->bag
               ? WL_OK
               : wlab_fail(err, WL_EARG, "hold= names bags, and the rows of '%s' are in none", data->name);
}

/* *bag[rows], NULL where rows are cut, and how many; *dealt: the caller's, where bagsize= asks for bags. */
static wlab_code which_bags(const wlab_dataset *data, const wlab_params *params, const int32_t **bag,
                            int64_t *bags, int32_t **dealt, wlab_err *err)
{
    const int by = wlab_params_choice(params, "by");
    const int64_t rows = data->X->rows, size = wlab_params_int(params, "bagsize");

    if (!wlab_params_given(params, "bagsize")) {
        *bag = by == BY_ROWS ? NULL : data->bag;
        *bags = data->bags;
        return by != BY_BAGS || data->bag
                   ? WL_OK
                   : wlab_fail(err, WL_EARG,
                               "by=bags: the rows are in no bags; by=rows cuts rows, bagsize=16 deals bags, "
                               "and bags= of `load` names a file that puts the rows into bags");
    }
    if (by == BY_ROWS || wlab_params_text(params, "hold"))
        return wlab_fail(err, WL_EARG, "bagsize= deals bags, and %s: keep one",
                         by == BY_ROWS ? "by=rows cuts single rows" : "hold= names the data's own");
    *dealt = wlab_alloc((size_t)rows, sizeof **dealt);
    if (!*dealt)
        return wlab_nomem(err);
    *bag = *dealt;
    *bags = (rows + size - 1) / size;
    return wlab_bags_deal(rows, size, (uint64_t)wlab_params_int(params, "seed"), *dealt, err);
}

wlab_code wlab_dataset_split(const wlab_dataset *data, const wlab_params *params, int32_t **train,
                             int64_t *n_train, int32_t **test, int64_t *n_test, wlab_err *err)
{
    int64_t rows = data->X->rows, n = 0, held = 0, folds = 0, fold = 0, out = 0;
    bool *out_of = NULL;
    const char *hold = wlab_params_text(params, "hold");
    bool stratified = wlab_params_bool(params, "stratified") && data->classes > 0;
    const int32_t *bag = NULL;
    int32_t *dealt = NULL, *group = NULL, *kept = NULL, *taken = NULL;

    *train = *test = NULL;
    *n_train = *n_test = 0;
    wlab_code code = which_bags(data, params, &bag, &n, &dealt, err);
    const char *what = bag ? "bag" : "row";
    if (!bag)
        n = rows;
    if (!code)
        code = hold ? check_hold(data, params, err) : which_fold(&folds, &fold, params, n, what, err);
    if (!code && hold)
        stratified = false;
    else if (!code && folds)
        held = n / folds + (fold <= n % folds);
    else if (!code)
        code = how_many(&held, params, n, what, err);
    if (code)
        goto out;
    group = wlab_calloc((size_t)n, sizeof *group);
    out_of = wlab_calloc((size_t)n, sizeof *out_of);
    if (!group || !out_of) {
        code = wlab_nomem(err);
        goto out;
    }
    if (stratified)
        find_groups(data, bag, group, n);
    code = hold ? hold_named(out_of, data, hold, err)
                : hold_out(out_of, group, stratified ? data->classes + 1 : 1, n, held, folds, fold,
                           (uint64_t)wlab_params_int(params, "seed"), err);
    if (code)
        goto out;
    for (int64_t i = 0; i < rows; i++)
        out += out_of[bag ? bag[i] : i];
    kept = wlab_alloc((size_t)(rows - out), sizeof *kept);
    taken = wlab_alloc((size_t)out, sizeof *taken);
    if (!kept || !taken) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int64_t i = 0; i < rows; i++) {
        if (out_of[bag ? bag[i] : i])
            taken[(*n_test)++] = (int32_t)i;
        else
            kept[(*n_train)++] = (int32_t)i;
    }
    *train = kept;
    *test = taken;
    kept = taken = NULL;
out:
    wlab_free(kept);
    wlab_free(taken);
    wlab_free(out_of);
    wlab_free(group);
    wlab_free(dealt);
    return code;
}
