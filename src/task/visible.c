/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which labels the learner observes: drawn, named by a split file, or those of the data file.
 */
#include "task/task.h"

#include <math.h>
#include <string.h>

/* Read labeled= as a number of rows. */
static wlab_code read_count(int64_t *count, const char *text, int64_t n, wlab_err *err)
{
    size_t len = strlen(text);
    if (len > 1 && text[len - 1] == '%') {
        double percent;
        char *number = wlab_strndup(text, len - 1);
        if (!number)
            return wlab_nomem(err);
        bool fine = wlab_parse_real(number, &percent) && percent > 0 && percent <= 100;
        wlab_free(number);
        if (!fine)
            return wlab_fail(err, WL_EARG, "labeled=%s: a percentage is above 0%% and at most 100%%", text);
        *count = (int64_t)floor(percent * (double)n / 100 + 0.5);
        if (*count < 1)
            return wlab_fail(err, WL_EARG, "labeled=%s of %lld training rows selects none", text,
                             (long long)n);
        return WL_OK;
    }
    if (!wlab_parse_int(text, count) || *count < 1)
        return wlab_fail(err, WL_EARG,
                         "labeled=%s: give a count (labeled=10), a percentage (labeled=5%%) or a split file "
                         "(labeled=@FILE line=1)",
                         text);
    return WL_OK;
}

/* Observe the labels of `count` of the rows pick[0..m-1], drawn without replacement. */
static void observe_some(wlab_problem *p, int32_t *pick, int64_t m, int64_t count, wlab_rng *rng)
{
    wlab_rng_shuffle(rng, pick, (size_t)m);
    for (int64_t i = 0; i < count; i++)
        p->visible[pick[i]] = p->truth[pick[i]];
}

/* Set quota[k], how many of `count` rows are drawn from class k, which has of[k] of the m rows.  If `count` suffices,
 * each class with rows first gets one.  The remaining ones go one by one to the class that is furthest below its
 * proportion, of equal classes to the last. */
static void set_quotas(int64_t *quota, const int64_t *of, int classes, int64_t m, int64_t count)
{
    int64_t left = count, present = 0;
    for (int k = 0; k < classes; k++)
        present += of[k] > 0;
    for (int k = 0; k < classes; k++)
        left -= quota[k] = count >= present && of[k] > 0;
    for (; left > 0; left--) {
        int most = classes - 1;
        for (int k = classes - 2; k >= 0; k--)
            if (count * of[k] - quota[k] * m > count * of[most] - quota[most] * m)
                most = k;
        quota[most]++;
    }
}

/* Select rows with the generator of `seed`.  Stratified: shuffle the rows of each class in turn (negative rows first)
 * and select the quota of the class from the front; otherwise shuffle all rows with a label together. */
static wlab_code observe_drawn(wlab_problem *p, int64_t count, bool stratified, int only, uint64_t seed,
                               wlab_err *err)
{
    int64_t of[WL_CLASSES_MOST] = {0}, at[WL_CLASSES_MOST] = {0}, quota[WL_CLASSES_MOST], m = 0;
    for (int64_t i = 0; i < p->n; i++) {
        if (p->truth[i] && (!only || p->truth[i] == only)) {
            of[wlab_label_index(p, p->truth[i])]++;
            m++;
        }
    }
    if (count > m)
        return wlab_fail(err, WL_EARG,
                         "%lld labels are requested, but only %lld of the %lld training rows %s",
                         (long long)count, (long long)m, (long long)p->n,
                         only > 0   ? "are known to be positive (only=positive)"
                         : only < 0 ? "are known to be negative (only=negative)"
                                    : "have one");
    int32_t *pick = wlab_alloc((size_t)m, sizeof *pick);
    if (!pick)
        return wlab_nomem(err);
    for (int k = 1; k < p->classes; k++)
        at[k] = at[k - 1] + of[k - 1];
    for (int64_t i = 0; i < p->n; i++) {
        if (p->truth[i] && (!only || p->truth[i] == only)) {
            int64_t *next = &at[stratified ? wlab_label_index(p, p->truth[i]) : 0];
            pick[(*next)++] = (int32_t)i;
        }
    }
    wlab_rng rng;
    wlab_rng_seed(&rng, seed);
    if (stratified) {
        set_quotas(quota, of, p->classes, m, count);
        for (int k = 0; k < p->classes; k++) /* at[k]: where the class ends */
            observe_some(p, pick + at[k] - of[k], of[k], quota[k], &rng);
    } else {
        observe_some(p, pick, m, count, &rng);
    }
    wlab_free(pick);
    return WL_OK;
}

/* Observe the labels of the rows that a line of a split file names. */
static wlab_code observe_listed(wlab_problem *p, const char *path, int64_t line, const int32_t *test,
                                int64_t n_test, wlab_err *err)
{
    enum {
        NOWHERE = -1,
        HELD_OUT = -2
    };
    int64_t rows = p->data->X->rows, n = 0;
    int32_t *listed = NULL, *place = NULL; /* [rows] position among the training rows */
    wlab_code code = wlab_split_file_read(path, line, &listed, &n, err);
    if (code)
        return code;
    place = wlab_alloc((size_t)rows, sizeof *place);
    if (!place) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int64_t i = 0; i < rows; i++)
        place[i] = NOWHERE;
    for (int64_t i = 0; i < p->n; i++)
        place[p->row[i]] = (int32_t)i;
    for (int64_t i = 0; i < n_test; i++)
        place[test[i]] = HELD_OUT;
    for (int64_t i = 0; i < n && !code; i++) {
        int32_t row = listed[i];
        if (row < 0 || row >= rows)
            code = wlab_fail_at(err, path, line, 0, "there is no row %lld: '%s' has %lld", (long long)row + 1,
                                p->data->name, (long long)rows);
        else if (place[row] == HELD_OUT)
            code =
                wlab_fail_at(err, path, line, 0,
                             "row %d is held out for testing; undo the split, or use another line", row + 1);
        else if (place[row] == NOWHERE)
            code = wlab_fail_at(err, path, line, 0, "row %d is not among the training rows", row + 1);
        else if (p->truth[place[row]] == 0)
            code = wlab_fail_at(err, path, line, 0, "row %d has no label in '%s'", row + 1, p->data->name);
        if (code)
            goto out;
        p->visible[place[row]] = p->truth[place[row]];
    }
out:
    wlab_free(place);
    wlab_free(listed);
    return code;
}

wlab_code wlab_task_observe(wlab_problem *p, const char *labeled, int64_t line, bool stratified, int only,
                            uint64_t seed, const int32_t *test, int64_t n_test, wlab_err *err)
{
    int64_t count = 0;
    if (labeled[0] == '@')
        return observe_listed(p, labeled + 1, line, test, n_test, err);
    wlab_code code = read_count(&count, labeled, p->n, err);
    return code ? code : observe_drawn(p, count, stratified, only, seed, err);
}

void wlab_task_hidden(wlab_problem *p)
{
    for (int c = 0; c < p->data->classes && !p->data->given; c++)
        if (!(p->data->class_value[c] < 0) && !(p->data->class_value[c] > 0) &&
            !isnan(p->data->class_value[c]))
            p->hidden = c;
}

void wlab_task_observe_given(wlab_problem *p)
{
    const int32_t *source = p->data->given ? p->data->given : p->data->label;
    for (int64_t i = 0; i < p->n; i++)
        p->visible[i] = (int8_t)wlab_task_sign(p, source[p->row[i]]);
}
