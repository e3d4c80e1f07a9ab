/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Problems: the rows of a data set, with the labels that the task lets the learner observe.
 */
#include "task/task.h"
#include "base/progress.h"
#include "linalg/view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The table: a task is a line here, and a file that defines wlab_task_NAME. */
/* clang-format off */
#define TASKS(TASK) \
    TASK(ssl) \
    TASK(pu) \
    TASK(mil) \
    TASK(llp) \
    TASK(ambiguous) \
    TASK(cluster) \
    TASK(supervised)
#define DECLARED(name) extern const wlab_task wlab_task_##name;
#define LISTED(name) &wlab_task_##name,
TASKS(DECLARED)
const wlab_task *const wlab_tasks[] = {TASKS(LISTED) NULL};
/* clang-format on */

const char *const wlab_task_classes_names[] = {"two", "all", NULL};

const wlab_task *wlab_task_find(const char *name)
{
    for (size_t t = 0; wlab_tasks[t]; t++) {
        if (strcmp(wlab_tasks[t]->name, name) == 0)
            return wlab_tasks[t];
    }
    return NULL;
}

wlab_code wlab_task_look(const wlab_ctx *ctx, wlab_err *err)
{
    return wlab_interrupted(ctx) ? wlab_fail(err, WL_EINTERRUPTED, "interrupted") : WL_OK;
}

/* Whether two names mean the same class: the same number ("1", "+1", "1.0") or the same text. */
static bool same_class(const char *name, double value, const char *other, double other_value)
{
    if (!isnan(value) && !isnan(other_value))
        return !(value < other_value) && !(value > other_value);
    return strcmp(name, other) == 0;
}

static int find_class(const wlab_dataset *data, const char *name)
{
    double value;
    if (!wlab_parse_real(name, &value))
        value = NAN;
    for (int c = 0; c < data->classes; c++) {
        if (same_class(name, value, data->class_name[c], data->class_value[c]))
            return c;
    }
    return -1;
}

/* "a, b, c" of at most 20 classes. */
static void list_classes(const wlab_dataset *data, char *text, size_t size)
{
    wlab_buf list = {0};
    wlab_code code = WL_OK;
    for (int c = 0; c < data->classes && c < 20 && !code; c++)
        code = wlab_buf_printf(&list, "%s%s", c ? ", " : "", data->class_name[c]);
    if (!code && data->classes > 20)
        wlab_buf_printf(&list, ", ...");
    size_t len = list.len < size ? list.len : size - 1;
    if (len)
        memcpy(text, list.data, len);
    text[len] = 0;
    wlab_buf_clear(&list);
}

int wlab_task_sign(const wlab_problem *p, int c)
{
    if (p->class_number) {
        for (int k = 0; c >= 0 && k < p->truths; k++)
            if (p->class_number[k] == c)
                return k + 1;
        return 0;
    }
    if (c < 0 || p->positive < 0 || c == p->hidden)
        return 0;
    if (c == p->positive)
        return 1;
    return p->negative < 0 || c == p->negative ? -1 : 0;
}

int wlab_label_index(const wlab_problem *p, int8_t label)
{
    if (p->classes > 2)
        return label > 0 && label <= p->classes ? label - 1 : -1;
    return label ? label > 0 : -1;
}

int8_t wlab_label_at(const wlab_problem *p, int index)
{
    return (int8_t)(p->classes > 2 ? index + 1 : 2 * index - 1);
}

uint64_t wlab_problem_allowed(const wlab_problem *p, int64_t i)
{
    if (p->visible[i])
        return UINT64_C(1) << wlab_label_index(p, p->visible[i]);
    return p->candidates ? p->candidates[i] : UINT64_MAX >> (64 - p->classes);
}

bool wlab_problem_copies(const wlab_problem *p, const wlab_dataset *d)
{
    if (p->task->sees != WL_SEES_BAG_SIGNS || p->positive < 0 || !d->bag)
        return false;
    const int positive = find_class(d, p->data->class_name[p->positive]);
    return positive >= 0 && !wlab_dataset_instances_known(d, positive);
}

const char *wlab_problem_truth_class(const wlab_problem *p, int truth)
{
    if (p->classes == 2)
        return wlab_problem_class(p, truth);
    return truth > 0 && p->class_number && truth <= p->truths
               ? p->data->class_name[p->class_number[truth - 1]]
               : NULL;
}

const char *wlab_problem_class(const wlab_problem *p, int sign)
{
    static const char cluster[WL_CLASSES_MOST][3] = {
        "1",  "2",  "3",  "4",  "5",  "6",  "7",  "8",  "9",  "10", "11", "12", "13", "14", "15", "16",
        "17", "18", "19", "20", "21", "22", "23", "24", "25", "26", "27", "28", "29", "30", "31", "32",
        "33", "34", "35", "36", "37", "38", "39", "40", "41", "42", "43", "44", "45", "46", "47", "48",
        "49", "50", "51", "52", "53", "54", "55", "56", "57", "58", "59", "60", "61", "62", "63", "64"};
    if (sign == 0)
        return NULL;
    if (p->classes > 2 && p->task->clusters)
        return sign > 0 && sign <= p->classes ? cluster[sign - 1] : NULL;
    if (p->classes > 2)
        return wlab_problem_truth_class(p, sign);
    if (sign > 0)
        return p->positive >= 0 ? p->data->class_name[p->positive] : "+1";
    return p->negative >= 0 ? p->data->class_name[p->negative] : p->positive >= 0 ? p->rest : "-1";
}

void wlab_task_name_rest(wlab_problem *p)
{
    for (int k = 1; k == 1 || find_class(p->data, p->rest) >= 0; k++) /* -1, 1, -2, 2, ... */
        (void)snprintf(p->rest, sizeof p->rest, "%d", k % 2 ? -(k + 1) / 2 : k / 2);
}

wlab_code wlab_task_remark(wlab_problem *p, char *clause, wlab_err *err)
{
    char *all = clause && p->remark ? wlab_format("%s; %s", p->remark, clause) : clause;
    if (all != clause)
        wlab_free(clause);
    if (!all)
        return wlab_nomem(err);
    wlab_free(p->split);
    wlab_free(p->remark);
    p->remark = all;
    return WL_OK;
}

bool wlab_task_separates_all(const wlab_problem *p, const wlab_params *params)
{
    return p->task->sees & WL_SEES_ROWS && wlab_params_choice(params, "classes") == 1;
}

/* Add a remark that lists the classes whose count is 0. */
static wlab_code remark_empty(wlab_problem *p, const int64_t *count, const char *what, wlab_err *err)
{
    char list[240] = "";
    int empty = 0;
    for (int k = 0; k < p->truths; k++) {
        size_t len = strlen(list);
        if (count[k] == 0 && empty++ < 8)
            (void)snprintf(list + len, sizeof list - len, "%s%.20s", len ? ", " : "",
                           p->data->class_name[p->class_number[k]]);
    }
    return empty ? wlab_task_remark(p,
                                    wlab_format("%s class%s %s%s", what, empty > 1 ? "es" : "", list,
                                                empty > 8 ? ", ..." : ""),
                                    err)
                 : WL_OK;
}

wlab_code wlab_task_remark_unobserved(wlab_problem *p, wlab_err *err)
{
    int64_t count[WL_CLASSES_MOST] = {0};
    for (int64_t i = 0; i < p->n && p->classes > 2; i++)
        if (p->visible[i])
            count[p->visible[i] - 1]++;
    return p->classes > 2 ? remark_empty(p, count, "no label is observed of", err) : WL_OK;
}

wlab_code wlab_task_all_classes(wlab_problem *p, wlab_err *err)
{
    const wlab_dataset *data = p->data;
    int64_t count[WL_CLASSES_MOST] = {0};
    int n = data->classes - (p->hidden >= 0);
    if (n > WL_CLASSES_MOST)
        return wlab_fail(err, WL_EARG,
                         "'%s' has %d classes, but at most %d can be distinguished: is its column of labels "
                         "really a class?",
                         data->name, n, (int)WL_CLASSES_MOST);
    p->class_number = wlab_alloc((size_t)n, sizeof *p->class_number);
    if (!p->class_number)
        return wlab_nomem(err);
    p->truths = 0;
    for (int c = 0; c < data->classes; c++)
        if (c != p->hidden)
            p->class_number[p->truths++] = c;
    for (int64_t i = 0; i < p->n; i++) {
        p->truth[i] = (int8_t)wlab_task_sign(p, data->label ? data->label[p->row[i]] : -1);
        if (p->truth[i])
            count[p->truth[i] - 1]++;
    }
    return remark_empty(p, count, "no training row is of", err);
}

wlab_code wlab_task_classes(wlab_problem *p, const wlab_params *params, bool alone, wlab_err *err)
{
    const wlab_dataset *data = p->data;
    const char *positive_name = wlab_params_text(params, "positive");
    int positive = -1, first = -1, last = -1, classes = 0;
    char list[600];
    list_classes(data, list, sizeof list);
    for (int c = 0; c < data->classes; c++) {
        if (c == p->hidden)
            continue;
        if (first < 0)
            first = c;
        last = c;
        classes++;
    }
    if (classes == 0)
        return wlab_fail(
            err, WL_EARG,
            "'%s' has no labels, but '%s' needs some: load it with labels=FILE or label=COLUMN, or "
            "learn without labels: %stask cluster",
            data->name, p->task->name,
            p->task->sees == WL_SEES_PROPORTIONS ? "proportions=FILE gives each bag's fraction of positives; "
                                                 : "");
    if (classes == 1 && !alone)
        return wlab_fail(err, WL_EARG, "'%s' has only one class (%s), but '%s' needs two", data->name,
                         data->class_name[first], p->task->name);
    if (wlab_task_separates_all(p, params)) {
        if (positive_name)
            return wlab_fail(err, WL_EARG, "classes=all and positive=%s exclude each other", positive_name);
        if (classes > 2) {
            p->classes = classes;
            return wlab_task_all_classes(p, err);
        }
    }
    if (positive_name) {
        positive = find_class(data, positive_name);
        if (positive < 0 || positive == p->hidden)
            return wlab_fail(err, WL_EARG, "'%s' has no class '%s'; its classes are %s", data->name,
                             positive_name, list);
    }
    if (positive < 0 && classes > 2)
        return wlab_fail(
            err, WL_EARG,
            "'%s' has %d classes (%s); say which one is learnt against the others: positive=%s%s", data->name,
            classes, list, data->class_name[last],
            p->task->sees & WL_SEES_ROWS && wlab_param_known(p->task->params, "classes")
                ? ", or learn them all: classes=all"
                : "");
    p->positive = positive < 0 ? last : positive;
    p->negative = classes != 2 ? -1 : p->positive == last ? first : last;
    wlab_task_name_rest(p);
    for (int64_t i = 0; i < p->n; i++)
        p->truth[i] = (int8_t)wlab_task_sign(p, data->label[p->row[i]]);
    return WL_OK;
}

void wlab_task_count(wlab_problem *p)
{
    /* with bag signs, C1 is the cost of positive bags and C2 that of the instances of negative bags, whose labels are
     * observed; otherwise C1 is the cost of labelled rows */
    bool cost_if_observed = p->task->sees == WL_SEES_BAG_SIGNS;
    p->labelled = 0;
    for (int64_t i = 0; i < p->n; i++) {
        p->cost[p->example[i]] = (p->visible[i] != 0) == cost_if_observed;
        p->labelled += p->visible[i] != 0;
    }
    p->unlabelled = p->n - p->labelled;
}

wlab_code wlab_task_keep(wlab_problem *p, const bool *keep, wlab_err *err)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < p->n; i++) {
        if (keep[i]) {
            p->row[kept] = p->row[i];
            p->truth[kept++] = p->truth[i];
        }
    }
    wlab_matrix *X;
    wlab_code code = wlab_matrix_rows(&X, p->data->X, p->row, kept, err);
    if (code)
        return code;
    wlab_matrix_destroy(p->X);
    p->X = X;
    p->n = p->examples = kept;
    return WL_OK;
}

wlab_code wlab_renumber(int32_t *list, int64_t n, int64_t size, int32_t **old, int64_t *total, wlab_err *err)
{
    int32_t *fresh = wlab_alloc((size_t)size, sizeof *fresh);
    int32_t *was = wlab_alloc((size_t)size, sizeof *was);
    int64_t made = 0;
    if (!fresh || !was) {
        wlab_free(fresh);
        wlab_free(was);
        return wlab_nomem(err);
    }
    for (int64_t i = 0; i < size; i++)
        fresh[i] = -1;
    for (int64_t i = 0; i < n; i++) {
        if (fresh[list[i]] < 0) {
            was[made] = list[i];
            fresh[list[i]] = (int32_t)made++;
        }
        list[i] = fresh[list[i]];
    }
    wlab_free(fresh);
    *old = was;
    *total = made;
    return WL_OK;
}

wlab_code wlab_task_bags(wlab_problem *p, const int32_t *of_row, int64_t bags, wlab_err *err)
{
    p->bag = wlab_alloc((size_t)p->n, sizeof *p->bag);
    if (!p->bag)
        return wlab_nomem(err);
    for (int64_t i = 0; i < p->n; i++)
        p->bag[i] = of_row[p->row[i]];
    wlab_code code = wlab_renumber(p->bag, p->n, bags, &p->bag_number, &p->bags, err);
    if (code)
        return code;
    p->bag_given = wlab_alloc((size_t)p->bags, sizeof *p->bag_given);
    if (!p->all.of_row) /* dealt for these rows only: nobody knows other numbers */
        p->bag_number = wlab_free(p->bag_number);
    return p->bag_given ? WL_OK : wlab_nomem(err);
}

int64_t wlab_problem_bag_number(const wlab_problem *p, int64_t b)
{
    return (p->bag_number ? p->bag_number[b] : b) + 1;
}

const char *wlab_problem_bag_name(const wlab_problem *p, int64_t number, char text[24])
{
    if (p->all.of_row && p->all.name)
        return p->all.name[number - 1];
    snprintf(text, 24, "%lld", (long long)number);
    return text;
}

wlab_code wlab_task_allow(wlab_problem *p, wlab_err *err)
{
    return p->classes > 2 ? WL_OK : p->task->allow(p, p->params, err);
}

wlab_code wlab_problem_create(wlab_problem **problem, wlab_dataset *data, const int32_t *train,
                              int64_t n_train, const int32_t *test, int64_t n_test, const wlab_task *task,
                              const wlab_params *params, wlab_ctx *ctx, wlab_err *err)
{
    wlab_progress progress;
    *problem = NULL;
    int64_t rows = data->X->rows, n = train ? n_train : rows;
    if (n < 1)
        return wlab_fail(err, WL_EARG, "there are no training rows");
    wlab_code code = WL_OK;
    wlab_problem *p = wlab_calloc(1, sizeof *p);
    if (!p)
        return wlab_nomem(err);
    p->refs = 1;
    p->task = task;
    p->data = wlab_dataset_ref(data);
    p->n = p->examples = n;
    p->r = p->r_lo = p->r_hi = NAN;
    p->classes = p->truths = 2;
    p->positive = p->negative = p->hidden = -1;
    p->row = wlab_alloc((size_t)n, sizeof *p->row);
    p->example = wlab_alloc((size_t)n, sizeof *p->example);
    p->visible = wlab_calloc((size_t)n, sizeof *p->visible);
    p->truth = wlab_calloc((size_t)n, sizeof *p->truth);
    p->cost = wlab_calloc((size_t)n, sizeof *p->cost);
    if (!p->row || !p->example || !p->visible || !p->truth || !p->cost) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int64_t i = 0; i < n; i++) {
        p->row[i] = train ? train[i] : (int32_t)i;
        p->example[i] = (int32_t)i;
        if (p->row[i] < 0 || p->row[i] >= rows) {
            code = wlab_fail(err, WL_EARG, "there is no row %lld: '%s' has %lld", (long long)p->row[i] + 1,
                             data->name, (long long)rows);
            goto out;
        }
    }
    wlab_progress_begin(&progress, ctx, "parts of the task", 3);
    code = wlab_params_copy(&p->params, params, err);
    code = code ? code : wlab_task_look(ctx, err);
    code = code ? code : wlab_matrix_rows_progress(&p->X, data->X, p->row, n, ctx, err);
    wlab_progress_add(&progress, 1);
    code = code ? code : wlab_task_look(ctx, err);
    code = code ? code : task->fill(p, params, test, n_test, ctx, err);
    wlab_progress_add(&progress, 1);
    code = code ? code : wlab_task_look(ctx, err);
    code = code ? code : wlab_task_allow(p, err);
    wlab_progress_add(&progress, 1);
    code = code ? code : wlab_task_look(ctx, err);
    if (!code)
        wlab_task_count(p);
out:
    if (code) {
        wlab_problem_unref(p);
        return code;
    }
    *problem = p;
    return WL_OK;
}

wlab_problem *wlab_problem_ref(wlab_problem *p)
{
    p->refs++;
    return p;
}

void wlab_problem_unref(wlab_problem *p)
{
    if (!p || --p->refs > 0)
        return;
    wlab_labelset_destroy(p->labels);
    wlab_matrix_destroy(p->X);
    wlab_params_destroy(p->params);
    wlab_dataset_unref(p->data);
    wlab_free(p->split);
    wlab_free(p->remark);
    wlab_free(p->bag_given);
    wlab_free(p->bag_number);
    wlab_free(p->bag);
    wlab_free(p->all.given);
    wlab_free(p->all.own);
    wlab_bag_names_free(p->all.own_name, p->all.bags);
    wlab_free(p->cost);
    wlab_free(p->candidates);
    wlab_free(p->class_number);
    wlab_free(p->truth);
    wlab_free(p->visible);
    wlab_free(p->example);
    wlab_free(p->row);
    wlab_free(p);
}

int wlab_problem_truth(const wlab_problem *p, const wlab_dataset *data, int64_t row)
{
    int c = data->label ? data->label[row] : -1;
    if (c < 0 || data == p->data)
        return wlab_task_sign(p, c);
    for (int own = 0; own < p->data->classes; own++) {
        if (same_class(data->class_name[c], data->class_value[c], p->data->class_name[own],
                       p->data->class_value[own]))
            return wlab_task_sign(p, own);
    }
    /* the data of the problem have only one class: rows of all other classes are negative */
    return p->positive >= 0 && p->data->classes == (p->hidden >= 0 ? 2 : 1) ? -1 : 0;
}
