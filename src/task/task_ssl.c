/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Semi-supervised learning: a few labels are seen, and how many of the other rows are positive.
 */
#include "task/task.h"

#include <math.h>
#include <string.h>

static const char *const only_names[] = {"both", "positive", "negative", NULL};

static const wlab_param_info ssl_params[] = {
    {.name = "labeled",
     .type = WL_P_TEXT,
     .unit = "rows",
     .meaning =
         "how many labels are seen: a count, a percentage of the training rows (5%), or @FILE, the row "
         "numbers on line line= of a split file"},
    {.name = "line",
     .type = WL_P_INT,
     .fallback = "1",
     .lo = 1,
     .hi = 1e9,
     .meaning = "line of the split file"},
    {.name = "stratified",
     .type = WL_P_BOOL,
     .fallback = "yes",
     .meaning = "each class has its share of the labels seen, and one at least"},
    {.name = "seed",
     .type = WL_P_INT,
     .fallback = "1",
     .lo = 0,
     .hi = 0x1p53,
     .meaning = "which rows are labelled"},
    {.name = "r",
     .type = WL_P_TEXT,
     .fallback = "auto",
     .meaning =
         "fraction of positives among the unlabelled rows; auto: as among the labelled ones; true: what it "
         "is, where the data say so"},
    {.name = "given",
     .type = WL_P_BOOL,
     .fallback = "no",
     .meaning = "the labels seen are those of the file; 0, or none, means unlabelled"},
    {.name = "only",
     .type = WL_P_CHOICE,
     .fallback = "both",
     .choices = only_names,
     .meaning = "of which class labels are seen: positive or negative is learning from one class (give r=)"},
    WL_TASK_POSITIVE,
    {0},
};

/* labeled= as a number of rows. */
static wlab_code wanted_count(int64_t *count, const char *text, int64_t n, wlab_err *err)
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
            return wlab_fail(err, WL_EARG, "labeled=%s of %lld training rows is not a single one", text,
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

/* Show the labels of `count` of the rows pick[0..m-1], drawn without replacement. */
static void show_some(wlab_problem *p, int32_t *pick, int64_t m, int64_t count, wlab_rng *rng)
{
    wlab_rng_shuffle(rng, pick, (size_t)m);
    for (int64_t i = 0; i < count; i++)
        p->visible[pick[i]] = p->truth[pick[i]];
}

/* Random choice with the generator of `seed`.  Stratified: the negative rows are shuffled, then the positive
 * ones, and each class's share (rounded, a half to the positive class) is taken from the front; otherwise all
 * rows with a label are shuffled as one. */
static wlab_code choose_rows(wlab_problem *p, int64_t count, bool stratified, int only, uint64_t seed,
                             wlab_err *err)
{
    int64_t of[2] = {0, 0};
    for (int64_t i = 0; i < p->n; i++) {
        if (p->truth[i] && p->truth[i] != -only)
            of[p->truth[i] > 0]++;
    }
    int64_t m = of[0] + of[1];
    if (count > m)
        return wlab_fail(err, WL_EARG,
                         "%lld labels are asked for, but only %lld of the %lld training rows %s",
                         (long long)count, (long long)m, (long long)p->n,
                         only > 0   ? "are known to be positive (only=positive)"
                         : only < 0 ? "are known to be negative (only=negative)"
                                    : "have one");
    int32_t *pick = wlab_alloc((size_t)m, sizeof *pick);
    if (!pick)
        return wlab_nomem(err);
    int64_t at[2] = {0, of[0]};
    for (int64_t i = 0; i < p->n; i++) {
        if (p->truth[i] && p->truth[i] != -only) {
            int64_t *next = stratified ? &at[p->truth[i] > 0] : &at[0];
            pick[(*next)++] = (int32_t)i;
        }
    }
    wlab_rng rng;
    wlab_rng_seed(&rng, seed);
    if (stratified) {
        int64_t positives = (2 * count * of[1] + m) / (2 * m);
        if (count >= 2 && of[0] && of[1]) {
            positives = positives < 1 ? 1 : positives;
            positives = positives > count - 1 ? count - 1 : positives;
        }
        show_some(p, pick, of[0], count - positives, &rng);
        show_some(p, pick + of[0], of[1], positives, &rng);
    } else {
        show_some(p, pick, m, count, &rng);
    }
    wlab_free(pick);
    return WL_OK;
}

/* Show the labels of the rows that a line of a split file names. */
static wlab_code read_rows(wlab_problem *p, const char *path, int64_t line, const int32_t *test,
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

/* The fraction of positives among the unlabelled rows.  other_way: what else than r= may help r=auto. */
static wlab_code balance(wlab_problem *p, const char *r, const char *other_way, wlab_err *err)
{
    int64_t positive = 0, labelled = 0, known = 0, hidden_positive = 0;
    for (int64_t i = 0; i < p->n; i++) {
        bool hidden = p->visible[i] == 0 && p->truth[i] != 0;
        labelled += p->visible[i] != 0;
        positive += p->visible[i] > 0;
        known += hidden;
        hidden_positive += hidden && p->truth[i] > 0;
    }
    bool automatic = strcmp(r, "auto") == 0, oracle = strcmp(r, "true") == 0;
    if (oracle && labelled < p->n) {
        if (known == 0)
            return wlab_fail(err, WL_EARG,
                             "r=true: the data have no true label of any unlabelled row; give r=0.5, say");
        p->r = (double)hidden_positive / (double)known;
        return WL_OK;
    }
    automatic = automatic || oracle;
    if (!automatic && (!wlab_parse_real(r, &p->r) || p->r < 0 || p->r > 1))
        return wlab_fail(err, WL_EARG, "r=%s: give a fraction from 0 to 1, auto, or true", r);
    if (automatic && (positive == 0 || positive == labelled))
        return wlab_fail(
            err, WL_EARG,
            "%s class is among the %lld labelled rows, so r=auto has nothing to go by: %sgive r=",
            labelled ? "only one" : "no", (long long)labelled, other_way);
    if (automatic)
        p->r = (double)positive / (double)labelled;
    return WL_OK;
}

static wlab_code ssl_fill(wlab_problem *p, const wlab_params *params, const int32_t *test, int64_t n_test,
                          wlab_err *err)
{
    const char *labeled = wlab_params_text(params, "labeled");
    bool given = wlab_params_bool(params, "given");
    if (given && labeled)
        return wlab_fail(err, WL_EARG, "given=yes and labeled=%s exclude each other", labeled);
    if (!given && !labeled)
        return wlab_fail(
            err, WL_EARG,
            "say which labels the learner sees: labeled=10, labeled=5%%, labeled=@FILE line=1, or given=yes");
    for (int c = 0; c < p->data->classes && given && !p->data->given; c++) {
        if (!(p->data->class_value[c] < 0) && !(p->data->class_value[c] > 0) &&
            !isnan(p->data->class_value[c]))
            p->hidden = c;
    }
    const int choice = wlab_params_choice(params, "only"), only = choice == 0 ? 0 : choice == 1 ? 1 : -1;
    wlab_code code = wlab_task_classes(p, params, given, err);
    if (code)
        return code;
    if (given) {
        const int32_t *source = p->data->given ? p->data->given : p->data->label;
        for (int64_t i = 0; i < p->n; i++)
            p->visible[i] = (int8_t)wlab_task_sign(p, source[p->row[i]]);
    } else if (labeled[0] == '@') {
        code = read_rows(p, labeled + 1, wlab_params_int(params, "line"), test, n_test, err);
    } else {
        int64_t count = 0;
        code = wanted_count(&count, labeled, p->n, err);
        if (!code)
            code = choose_rows(p, count, wlab_params_bool(params, "stratified"), only,
                               (uint64_t)wlab_params_int(params, "seed"), err);
    }
    for (int64_t i = 0; i < p->n; i++)
        if (only && p->visible[i] == -only)
            p->visible[i] = 0;
    if (!code)
        code = balance(p, wlab_params_text(params, "r"),
                       only || given     ? ""
                       : *labeled == '@' ? "show rows of both classes, or "
                                         : "show more labels, use stratified=yes, or ",
                       err);
    return code;
}

static wlab_code ssl_allow(wlab_problem *p, const wlab_params *params, wlab_err *err)
{
    int64_t unlabelled = 0;
    (void)params;
    for (int64_t i = 0; i < p->n; i++)
        unlabelled += p->visible[i] == 0;
    return wlab_labelset_ssl(&p->labels, p->visible, p->n, wlab_negatives(p->r, unlabelled), err);
}

const wlab_task wlab_task_ssl = {
    .name = "ssl",
    .summary = "semi-supervised: a few labels are seen, and the balance of the others",
    .source = "Li, Tsang, Kwok, Zhou, JMLR 14 (2013), section 4.1",
    .bit = WL_T_SSL,
    .params = ssl_params,
    .fill = ssl_fill,
    .allow = ssl_allow,
};
