/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * compare: whether the scores of runs may be compared: they must be the same measure.
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

void wlab_compare_measures(wlab_comparison *c, wlab_role role)
{
    const char *text[WLAB_COMPARED];
    json_t *list = json_array();

    for (int k = 0; k < c->n; k++) {
        text[k] = has_score(c->run[k], role) ? measure_of(c->run[k], role) : "";
        json_array_append_new(list, *text[k] ? json_string(text[k]) : json_null());
    }
    json_object_set_new(c->measures, wlab_role_name(role), list);
    if (!same_measure(c, role))
        wlab_compare_texts(c, "", text);
}

void wlab_compare_say_scores(wlab_comparison *c)
{
    for (wlab_role role = WL_R_HIDDEN; role <= WL_R_HIDDEN_BAGS; role++)
        if (!same_measure(c, role))
            wlab_session_print(c->s,
                               "%s is not the same measure in these runs: its values cannot be compared\n",
                               wlab_role_name(role));
}

/* Whether a score of the present models would be the same measure in all runs. */
static bool same_kind(const wlab_comparison *c)
{
    const wlab_task *first = wlab_run_problem(c->run[0])->task;

    for (int k = 1; k < c->n; k++) {
        const wlab_task *task = wlab_run_problem(c->run[k])->task;
        if (task->clusters != first->clusters)
            return false;
    }
    return true;
}

bool wlab_compare_scores_alike(const wlab_comparison *c)
{
    return same_kind(c);
}

const char *wlab_compare_advice(const wlab_comparison *c)
{
    if (!same_kind(c))
        return "nor are their scores comparable: those of clusters are of the clusters' best matching, or "
               "the "
               "adjusted Rand index, those of classes are the accuracy";
    return "`score unlabeled on` and `eval` give numbers that may be compared on the same rows";
}
