/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `split`: hold out rows, or whole bags of rows, for testing.
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
         "in place of test=: divide the rows (bags) into this many folds, of which fold= names the one held "
         "out"},
    {.name = "fold", .type = WL_P_INT, .lo = 1, .hi = 1e9, .meaning = "the fold to hold out, from 1"},
    {.name = "hold",
     .type = WL_P_TEXT,
     .meaning =
         "in place of test=: hold out the bags whose names begin with this text; hold=test for a file that "
         "has its own split"},
    {.name = "seed",
     .type = WL_P_INT,
     .fallback = "1",
     .lo = 0,
     .hi = 0x1p53,
     .meaning = "seed of the draw that selects the rows (bags) to hold out"},
    {.name = "stratified",
     .type = WL_P_BOOL,
     .fallback = "yes",
     .meaning = "hold out the same fraction of each class; rows without a label count as a class; a bag "
                "counts as that class of its rows which `info data` lists last, so one positive row makes it "
                "positive"},
    {.name = "by",
     .type = WL_P_CHOICE,
     .fallback = "auto",
     .choices = by_names,
     .meaning =
         "what to divide: single rows, or bags, whose rows stay together; auto: bags if the data have them"},
    {.name = "bagsize",
     .type = WL_P_INT,
     .unit = "rows",
     .lo = 1,
     .hi = 1e9,
     .meaning =
         "deal all rows at random into bags of this size (the last may be smaller) and divide these bags; "
         "`task llp` with the same bagsize= and seed= and with deal=all has the same bags"},
    {0},
};

/* quota[g]: how many of the `held` items come from group g, by the largest remainder method.  Each group gets its
 * proportion size[g] held / n, rounded down; then the groups with the largest remainders (the lower group of equals)
 * get one more each.  Integers throughout: n * held < 2^62. */
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

static wlab_code count_held(int64_t *held, const wlab_params *params, int64_t n, const char *what,
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
        return wlab_fail(err, WL_EARG, "test=%g of %lld %s%s holds out none", test, (long long)n, what,
                         n == 1 ? "" : "s");
    if (*held >= n)
        return wlab_fail(err, WL_EARG, "test=%g of %lld %s%s leaves none to train on", test, (long long)n,
                         what, n == 1 ? "" : "s");
    return WL_OK;
}

/* *folds = 0: test= applies. */
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
        return wlab_fail(err, WL_EARG, "fold=%s needs the number of folds, for example folds=10 fold=%s",
                         wlab_params_text(params, "fold"), wlab_params_text(params, "fold"));
    *folds = wlab_params_int(params, "folds");
    if (*folds > n)
        return wlab_fail(err, WL_EARG, "folds=%lld, but there are only %lld %ss", (long long)*folds,
                         (long long)n, what);
    if (!one)
        return wlab_fail(err, WL_EARG, "say which of the %lld folds to hold out: fold=1 to fold=%lld",
                         (long long)*folds, (long long)*folds);
    *fold = wlab_params_int(params, "fold");
    if (*fold > *folds)
        return wlab_fail(err, WL_EARG, "fold=%lld: there are only %lld folds", (long long)*fold,
                         (long long)*folds);
    return WL_OK;
}

/* group[n]: the class of each item (row, or bag), from which the same proportion is held out; items of unknown class
 * form the last group.  A bag has the last class among its rows; it is unknown if a row without a label could still
 * change this.  bag = NULL: the items are rows. */
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

/* Shuffle the items of each group, in the order of the classes (unknown last), and hold out the first quota[g];
 * without stratification all items are one group.  With folds, deal the shuffled items, group after group, to the
 * folds in turn, so that each fold has its proportion of every class and the fold sizes differ by one at most. */
static wlab_code hold_out(bool *is_held, const int32_t *group, int groups, int64_t n, int64_t held,
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
            is_held[of[i]] = !folds || (of + i - order) % folds == fold - 1;
    }
out:
    wlab_free(order);
    wlab_free(quota);
    wlab_free(next);
    wlab_free(size);
    return code;
}

/* The bags whose names begin with `hold`. */
static wlab_code hold_named(bool *is_held, const wlab_dataset *data, const char *hold, wlab_err *err)
{
    int64_t held = 0;

    for (int64_t b = 0; b < data->bags; b++) {
        is_held[b] = data->bag_name && strncmp(data->bag_name[b], hold, strlen(hold)) == 0;
        held += is_held[b];
    }
    if (held == 0)
        return wlab_fail(err, WL_EARG, "hold=%s: no bag of '%s' has a name that begins with this text", hold,
                         data->name);
    if (held == data->bags)
        return wlab_fail(
            err, WL_EARG,
            "hold=%s: the names of all %lld bags begin with this text, so none is left to train on", hold,
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
    return data->bag ? WL_OK
                     : wlab_fail(err, WL_EARG, "hold= selects bags by their names, but '%s' has no bags",
                                 data->name);
}

/* Set *bag [rows] (NULL: single rows are divided) and *bags.  With bagsize= the bags are dealt into *dealt, which the
 * caller frees. */
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
                               "by=bags: the data have no bags; divide rows with by=rows, deal bags with "
                               "bagsize=16, say, or load the data with bags=FILE");
    }
    if (by == BY_ROWS || wlab_params_text(params, "hold"))
        return wlab_fail(err, WL_EARG, "bagsize= deals bags, but %s: keep one",
                         by == BY_ROWS ? "by=rows divides single rows" : "hold= selects the data's own bags");
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
    bool *is_held = NULL;
    const char *hold = wlab_params_text(params, "hold");
    bool stratified = wlab_params_bool(params, "stratified") && data->classes > 0;
    const int32_t *bag = NULL;
    int32_t *dealt = NULL, *group = NULL, *train_rows = NULL, *test_rows = NULL;

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
        code = count_held(&held, params, n, what, err);
    if (code)
        goto out;
    group = wlab_calloc((size_t)n, sizeof *group);
    is_held = wlab_calloc((size_t)n, sizeof *is_held);
    if (!group || !is_held) {
        code = wlab_nomem(err);
        goto out;
    }
    if (stratified)
        find_groups(data, bag, group, n);
    code = hold ? hold_named(is_held, data, hold, err)
                : hold_out(is_held, group, stratified ? data->classes + 1 : 1, n, held, folds, fold,
                           (uint64_t)wlab_params_int(params, "seed"), err);
    if (code)
        goto out;
    for (int64_t i = 0; i < rows; i++)
        out += is_held[bag ? bag[i] : i];
    train_rows = wlab_alloc((size_t)(rows - out), sizeof *train_rows);
    test_rows = wlab_alloc((size_t)out, sizeof *test_rows);
    if (!train_rows || !test_rows) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int64_t i = 0; i < rows; i++) {
        if (is_held[bag ? bag[i] : i])
            test_rows[(*n_test)++] = (int32_t)i;
        else
            train_rows[(*n_train)++] = (int32_t)i;
    }
    *train = train_rows;
    *test = test_rows;
    train_rows = test_rows = NULL;
out:
    wlab_free(train_rows);
    wlab_free(test_rows);
    wlab_free(is_held);
    wlab_free(group);
    wlab_free(dealt);
    return code;
}
