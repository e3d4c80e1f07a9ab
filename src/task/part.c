/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Problems derived from a problem: some of its rows, one class against the rest, or labels for the rows of bags.
 */
#include "task/task.h"

#include <math.h>
#include <string.h>

static wlab_code copy_rows(wlab_problem *s, const wlab_problem *p, const int32_t *fold, int f, wlab_err *err)
{
    int32_t *old = NULL;
    int64_t k = 0;
    wlab_code code;

    for (int64_t i = 0; i < p->n; i++) {
        if (fold && fold[i] == f)
            continue;
        s->row[k] = p->row[i];
        s->example[k] = p->example[i];
        s->visible[k] = p->visible[i];
        s->truth[k] = p->truth[i];
        if (s->bag)
            s->bag[k] = p->bag[i];
        if (s->candidates)
            s->candidates[k] = p->candidates[i];
        s->labelled += p->visible[i] != 0;
        k++;
    }
    s->unlabelled = s->n - s->labelled;
    if ((code = wlab_renumber(s->example, s->n, p->examples, &old, &s->examples, err)))
        return code;
    for (int64_t e = 0; e < s->examples; e++)
        s->cost[e] = p->cost[old[e]];
    wlab_free(old);
    if (!s->bag)
        return WL_OK;
    if ((code = wlab_renumber(s->bag, s->n, p->bags, &old, &s->bags, err)))
        return code;
    for (int64_t b = 0; b < s->bags; b++)
        s->bag_given[b] = p->bag_given[old[b]];
    wlab_free(old);
    return WL_OK;
}

static wlab_code allocate(wlab_problem *s, const wlab_problem *p, wlab_err *err)
{
    const size_t n = (size_t)s->n;
    bool fine = true;
    s->row = wlab_alloc(n, sizeof *s->row);
    s->example = wlab_alloc(n, sizeof *s->example);
    s->visible = wlab_alloc(n, 1);
    s->truth = wlab_alloc(n, 1);
    s->cost = wlab_alloc((size_t)p->examples, 1);
    fine = s->row && s->example && s->visible && s->truth && s->cost;
    if (fine && p->bag) {
        s->bag = wlab_alloc(n, sizeof *s->bag);
        s->bag_given = wlab_alloc((size_t)p->bags, sizeof *s->bag_given);
        fine = s->bag && s->bag_given;
    }
    if (fine && p->candidates)
        fine = (s->candidates = wlab_alloc(n, sizeof *s->candidates)) != NULL;
    if (fine && p->class_number) {
        s->class_number = wlab_alloc((size_t)p->truths, sizeof *s->class_number);
        if ((fine = s->class_number != NULL))
            memcpy(s->class_number, p->class_number, (size_t)p->truths * sizeof *s->class_number);
    }
    return fine ? WL_OK : wlab_nomem(err);
}

/* s->X: of p->X, whose columns need not be those of the data. */
static wlab_code view_rows(wlab_problem *s, const wlab_problem *p, const int32_t *fold, int f, wlab_err *err)
{
    int32_t *kept = wlab_alloc((size_t)s->n, sizeof *kept);
    int64_t k = 0;
    if (!kept)
        return wlab_nomem(err);
    for (int64_t i = 0; i < p->n; i++)
        if (!fold || fold[i] != f)
            kept[k++] = (int32_t)i;
    const wlab_code code = wlab_matrix_rows(&s->X, p->X, kept, k, err);
    wlab_free(kept);
    return code;
}

wlab_code wlab_task_part(wlab_problem **out, const wlab_problem *p, const int32_t *fold, int f, wlab_err *err)
{
    int64_t n = 0;
    wlab_code code;
    wlab_problem *s;

    *out = NULL;
    for (int64_t i = 0; i < p->n; i++)
        n += !fold || fold[i] != f;
    if (n == 0)
        return wlab_fail(err, WL_EARG, "no rows are left without fold %d", f + 1);
    s = wlab_calloc(1, sizeof *s);
    if (!s)
        return wlab_nomem(err);
    s->refs = 1;
    s->task = p->task;
    s->data = wlab_dataset_ref(p->data);
    s->n = n;
    s->r = p->r;
    s->r_lo = p->r_lo;
    s->r_hi = p->r_hi;
    s->classes = p->classes;
    s->truths = p->truths;
    s->positive = p->positive;
    s->negative = p->negative;
    s->hidden = p->hidden;
    s->keys = p->keys;
    memcpy(s->rest, p->rest, sizeof s->rest);
    code = allocate(s, p, err);
    if (!code)
        code = copy_rows(s, p, fold, f, err);
    if (!code)
        code = wlab_params_copy(&s->params, p->params, err);
    if (!code)
        code = view_rows(s, p, fold, f, err);
    if (code)
        wlab_problem_unref(s);
    else
        *out = s;
    return code;
}

wlab_code wlab_task_number_examples(wlab_problem *p, bool keys, wlab_err *err)
{
    int32_t *place = wlab_alloc((size_t)p->bags + 1, sizeof *place), last = 0;
    if (!place)
        return wlab_nomem(err);
    for (int64_t b = 0; b < p->bags; b++)
        place[b] = -1;
    for (int64_t i = 0; i < p->n; i++) {
        int32_t *own = &place[p->bag[i]];
        if (!keys || p->bag_given[p->bag[i]] <= 0.5 || *own < 0)
            *own = last++;
        p->example[i] = *own;
    }
    p->examples = last;
    p->keys = keys;
    wlab_free(place);
    return WL_OK;
}

wlab_code wlab_problem_of_bags(wlab_problem **out, const wlab_problem *p, wlab_bag_labels labels,
                               wlab_err *err)
{
    wlab_problem *s;

    *out = NULL;
    if (p->task->sees != WL_SEES_BAG_SIGNS)
        return wlab_fail(err, WL_ESTATE, "the task %s has no positive bags", p->task->name);
    wlab_code code = wlab_task_part(&s, p, NULL, 0, err);
    if (code)
        return code;
    wlab_free(s->cost);
    s->cost = wlab_alloc((size_t)s->n, 1);
    code = s->cost ? wlab_task_number_examples(s, labels == WL_LABELS_KEYS, err) : wlab_nomem(err);
    for (int64_t i = 0; i < s->n && labels == WL_LABELS_OF_BAGS; i++)
        s->visible[i] = s->visible[i] ? s->visible[i] : 1;
    if (!code) {
        wlab_task_count(s);
        code = labels == WL_LABELS_KEYS
                   ? wlab_labelset_mil(&s->labels, s->bag, s->n, s->bags, s->bag_given, 1, err)
               : labels == WL_LABELS_INSTANCES
                   ? wlab_labelset_instances(&s->labels, s->bag, s->n, s->bags, s->bag_given, err)
                   : wlab_labelset_single(&s->labels, s->visible, s->n, err);
    }
    if (code)
        wlab_problem_unref(s);
    else
        *out = s;
    return code;
}

wlab_code wlab_problem_one_vs_rest(wlab_problem **out, const wlab_problem *p, int k, wlab_err *err)
{
    const int8_t label = wlab_label_at(p, k);
    wlab_problem *s;

    *out = NULL;
    if (p->task->clusters || p->classes <= 2)
        return wlab_fail(err, WL_ESTATE, "the task %s has no classes to separate from the rest",
                         p->task->name);
    wlab_code code = wlab_task_part(&s, p, NULL, 0, err);
    if (code)
        return code;
    s->classes = s->truths = 2;
    s->positive = p->class_number[k];
    wlab_task_name_rest(s);
    s->class_number = wlab_free(s->class_number);
    s->candidates = wlab_free(s->candidates);
    for (int64_t i = 0; i < p->n; i++) {
        const uint64_t allowed = wlab_problem_allowed(p, i), own = UINT64_C(1) << k;
        s->visible[i] = allowed == own ? 1 : allowed & own ? 0 : -1;
        s->truth[i] = p->truth[i] ? p->truth[i] == label ? 1 : -1 : 0;
    }
    wlab_task_count(s);
    if (p->task->one_class)
        code = p->task->one_class(s, p->params, err);
    if (!code)
        code = wlab_task_allow(s, err);
    if (code)
        wlab_problem_unref(s);
    else
        *out = s;
    return code;
}

wlab_code wlab_problem_with_columns(wlab_problem **out, const wlab_problem *p, wlab_matrix *X, wlab_err *err)
{
    wlab_problem *s = NULL;
    wlab_code code = X->rows == p->n
                         ? wlab_task_part(&s, p, NULL, 0, err)
                         : wlab_fail(err, WL_EARG, "the problem has %lld instances, and the columns %lld",
                                     (long long)p->n, (long long)X->rows);
    *out = NULL;
    if (code) {
        wlab_matrix_destroy(X);
        return code;
    }
    wlab_matrix_destroy(s->X);
    s->X = X;
    if ((code = wlab_task_allow(s, err)))
        wlab_problem_unref(s);
    else
        *out = s;
    return code;
}
