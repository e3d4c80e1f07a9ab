/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * compare: whether the scores of runs may be compared: they must be the same measure, of the same rows.
 */
#include "session/commands/compare.h"
#include <string.h>

static wlab_hidden set_of(wlab_role role)
{
    return (wlab_hidden)(1U << (role - WL_R_HIDDEN));
}

static bool has_score(const wlab_run *run, wlab_role role)
{
    return wlab_metric_of(wlab_run_algo(run), role) >= 0;
}

static const char *measure_of(const wlab_run *run, wlab_role role)
{
    return wlab_hidden_measure(wlab_run_problem(run), set_of(role));
}

/* Whether the score is the same measure in all runs that have it. */
static bool same_measure(const wlab_comparison *c, wlab_role role)
{
    const char *first = NULL;

    for (int k = 0; k < c->n; k++) {
        if (!has_score(c->run[k], role))
            continue;
        const char *own = measure_of(c->run[k], role);
        if (first && strcmp(own, first) != 0)
            return false;
        first = own;
    }
    return true;
}

/* Whether two data sets have the same rows and classes, so that row numbers mean the same: `scale` copies a data set. */
static bool same_data(const wlab_dataset *a, const wlab_dataset *b)
{
    return a == b || (a->X->rows == b->X->rows && a->label && b->label &&
                      memcmp(a->label, b->label, (size_t)a->X->rows * sizeof *a->label) == 0);
}

/* The first run that has the score and is scored on other rows than the first that has it; -1: none. */
static int other_rows(const wlab_comparison *c, wlab_role role)
{
    const int32_t *first = NULL, *own = NULL;
    int64_t n = 0;
    int of = -1;

    for (int k = 0; k < c->n; k++) {
        if (!has_score(c->run[k], role))
            continue;
        const int64_t rows = wlab_run_scored_rows(c->run[k], set_of(role), &own);
        if (of < 0) {
            of = k;
            n = rows;
            first = own;
        } else if (rows != n ||
                   !same_data(wlab_run_problem(c->run[of])->data, wlab_run_problem(c->run[k])->data) ||
                   memcmp(first, own, (size_t)n * sizeof *own) != 0) {
            return k;
        }
    }
    return -1;
}

void wlab_compare_measures(wlab_comparison *c, wlab_role role)
{
    const char *text[WLAB_COMPARED], *of[WLAB_COMPARED];
    char words[WLAB_COMPARED][32];
    json_t *list = json_array(), *rows = json_array();

    for (int k = 0; k < c->n; k++) {
        const int64_t n = wlab_run_scored_rows(c->run[k], set_of(role), NULL);
        text[k] = has_score(c->run[k], role) ? measure_of(c->run[k], role) : "";
        snprintf(words[k], sizeof words[k], "of %lld rows", (long long)n);
        of[k] = *text[k] ? words[k] : "";
        json_array_append_new(list, *text[k] ? json_string(text[k]) : json_null());
        json_array_append_new(rows, *text[k] ? json_integer((json_int_t)n) : json_null());
    }
    json_object_set_new(c->measures, wlab_role_name(role), list);
    json_object_set_new(c->scored_rows, wlab_role_name(role), rows);
    if (!same_measure(c, role))
        wlab_compare_texts(c, "", text);
    if (other_rows(c, role) >= 0)
        wlab_compare_texts(c, "", of);
}

/* The most rows on which two clusters of lo to hi rows can agree with the classes. */
static int64_t most_right(const wlab_problem *p, int64_t lo, int64_t hi)
{
    int64_t known = 0, wrong = p->n;

    for (int cls = -1; cls <= 1; cls += 2) {
        int64_t of_class = 0;
        for (int64_t i = 0; i < p->n; i++)
            of_class += p->truth[i] == cls;
        known += of_class;
        const int64_t away = of_class < lo ? lo - of_class : of_class > hi ? of_class - hi : 0;
        wrong = away < wrong ? away : wrong;
    }
    return known == p->n ? p->n - wrong : 0;
}

/* Two clusters: some of the runs keep to the balance that the task prescribes, and others, which need not, do not. */
static void say_balance(const wlab_comparison *c)
{
    const wlab_problem *p = wlab_run_problem(c->run[0]);
    const wlab_labelset *B = p->labels;
    wlab_buf within = {0}, beyond = {0};
    int keeping = 0;

    if (!p->task || !p->task->clusters || p->classes > 2 || !B || B->groups != 1 ||
        wlab_labelset_size(B, 0) != p->n)
        return;
    for (int k = 0; k < c->n; k++) {
        if (wlab_run_problem(c->run[k]) != p)
            break;
        const bool keeps = wlab_labelset_contains(B, wlab_run_labels(c->run[k]));
        wlab_buf *list = keeps ? &within : &beyond;
        keeping += keeps;
        (void)wlab_buf_printf(list, "%s%s", list->len > 0 ? ", " : "", wlab_run_name(c->run[k]));
        if (k < c->n - 1 || keeping == 0 || keeping == c->n)
            continue;
        wlab_session_print(c->s,
                           "balance=%s allows clusters of %lld to %lld rows: %s keep%s to it, %s do%s not",
                           wlab_params_text(p->params, "balance"), (long long)B->lo[0], (long long)B->hi[0],
                           within.data, keeping > 1 ? "" : "s", beyond.data, c->n - keeping > 1 ? "" : "es");
        const int64_t most = most_right(p, B->lo[0], B->hi[0]);
        if (most > 0 && most < p->n)
            wlab_session_print(c->s, "; clusters that do are right on at most %.4g of the rows",
                               (double)most / (double)p->n);
        wlab_session_print(c->s, "\n");
    }
    wlab_buf_clear(&within);
    wlab_buf_clear(&beyond);
}

void wlab_compare_say_scores(wlab_comparison *c)
{
    for (wlab_role role = WL_R_HIDDEN; role <= WL_R_HIDDEN_BAGS; role++)
        if (!same_measure(c, role))
            wlab_session_print(c->s,
                               "%s is not the same measure in these runs: its values cannot be compared\n",
                               wlab_role_name(role));
        else if (other_rows(c, role) >= 0)
            wlab_session_print(c->s,
                               "%s is of other %s rows in each run: its values cannot be compared; start the "
                               "runs on one split and one task\n",
                               wlab_role_name(role), role == WL_R_HIDDEN_TEST ? "test" : "unlabelled");
    say_balance(c);
}

/* Whether a score of the models would be the same measure in all runs. */
static bool same_kind(const wlab_comparison *c)
{
    const wlab_task *first = wlab_run_problem(c->run[0])->task;

    for (int k = 1; k < c->n; k++)
        if (wlab_run_problem(c->run[k])->task->clusters != first->clusters)
            return false;
    return true;
}

/* Whether the same rows are held out. */
static bool same_held_out(const wlab_problem *p, const wlab_problem *q)
{
    return p->held_out == q->held_out && same_data(p->data, q->data) && p->n == q->n &&
           memcmp(p->row, q->row, (size_t)p->n * sizeof *p->row) == 0;
}

static bool same_unlabelled(const wlab_problem *p, const wlab_problem *q)
{
    if (p == q)
        return true;
    if (p->n != q->n || !same_data(p->data, q->data))
        return false;
    for (int64_t i = 0; i < p->n; i++)
        if (p->row[i] != q->row[i] || (p->visible[i] == 0) != (q->visible[i] == 0))
            return false;
    return true;
}

/* Which scores are of the same rows in all runs. */
static void find_alike(const wlab_comparison *c, bool *unlabelled, bool *test)
{
    const wlab_problem *first = wlab_run_problem(c->run[0]);

    *unlabelled = same_kind(c);
    *test = *unlabelled && first->held_out > 0;
    for (int k = 1; k < c->n; k++) {
        const wlab_problem *p = wlab_run_problem(c->run[k]);
        *unlabelled = *unlabelled && same_unlabelled(first, p);
        *test = *test && same_held_out(first, p);
    }
}

bool wlab_compare_scores_alike(const wlab_comparison *c)
{
    bool unlabelled, test;

    find_alike(c, &unlabelled, &test);
    return unlabelled || test;
}

/* Whether the rows of a run are spread over ranks, where `score` and `eval` refuse them. */
static bool any_spread(const wlab_comparison *c)
{
    for (int k = 0; k < c->n; k++)
        if (wlab_run_problem(c->run[k])->data && wlab_run_problem(c->run[k])->data->share)
            return true;
    return false;
}

const char *wlab_compare_advice(const wlab_comparison *c)
{
    bool unlabelled, test;

    find_alike(c, &unlabelled, &test);
    if (same_kind(c) && any_spread(c))
        return "what may be compared is `eval` of the same test rows, loaded without ranks=all, by name";
    return !same_kind(c) ? "nor are their scores comparable: those of clusters are of the clusters' best "
                           "matching, or the adjusted Rand index, those of classes are the accuracy"
           : unlabelled ? "`score unlabeled on` and `eval` give numbers that may be compared on the same rows"
           : test ? "`score test on` and `eval test` give numbers that may be compared, on the same held-out "
                    "rows"
                  : "nor are their scores comparable, which are of other rows";
}
