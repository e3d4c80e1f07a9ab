/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * View `score`: the scores by labels that the learner never observes, which the command `score` switches on.
 */
#include "base/text.h"
#include "plot/views/view.h"
#include <string.h>

static const char *axis_of(const wlab_view_run *v, wlab_role role)
{
    const int m = wlab_metric_of(v->algo, role);
    return m < 0 ? NULL : v->algo->metrics[m].axis;
}

/* The title of the axis: that of the scores if all are of one kind, else "score". */
static const char *axis(const wlab_view_request *q, wlab_role role, int n, bool *mixed)
{
    const char *title = NULL;
    *mixed = false;
    for (int r = 0; r < q->runs; r++) {
        const char *own = axis_of(&q->run[r], role);
        *mixed = *mixed || (own && title && strcmp(own, title) != 0);
        title = own ? own : title;
    }
    return n > 1 || *mixed || !title ? "score" : title;
}

/* Runs have other measures on the one axis: say in the title which run has which. */
static void say_measures(wlab_figure *f, const wlab_view_request *q, wlab_role role)
{
    char text[400] = "";
    for (int r = 0; r < q->runs; r++)
        if (axis_of(&q->run[r], role))
            wlab_text_append(
                text, sizeof text, "%s%.20s %s", *text ? ", " : "", q->run[r].name,
                wlab_hidden_measure(q->run[r].problem, (wlab_hidden)(1U << (role - WL_R_HIDDEN))));
    wlab_figure_title(f, "not comparable: %s", text);
}

/* Whether two problems have the same training rows, and so the same held-out ones; role: and the same unlabelled ones. */
static bool same_rows(const wlab_problem *p, const wlab_problem *q, wlab_role role)
{
    bool same = p == q || (p->n == q->n && memcmp(p->row, q->row, (size_t)p->n * sizeof *p->row) == 0);
    for (int64_t i = 0; same && p != q && role == WL_R_HIDDEN && i < p->n; i++)
        same = (p->visible[i] == 0) == (q->visible[i] == 0);
    return same;
}

/* Runs are scored on other rows: say so, and how many each has. */
static void say_rows(wlab_figure *f, const wlab_view_request *q, wlab_role role)
{
    const int set = (int)(role - WL_R_HIDDEN);
    const wlab_view_run *first = NULL;
    bool same = true;
    char text[400] = "";
    for (int r = 0; r < q->runs; r++) {
        const int64_t n = q->run[r].scored[set];
        if (n == 0)
            continue;
        same = same &&
               (!first || (n == first->scored[set] && same_rows(first->problem, q->run[r].problem, role)));
        first = first ? first : &q->run[r];
        wlab_text_append(text, sizeof text, "%s%.20s %lld", *text ? ", " : "", q->run[r].name, (long long)n);
    }
    if (!same)
        wlab_figure_title(f, "%s, of other rows, not comparable: %s", wlab_role_name(role), text);
}

bool wlab_view_scores_given(const wlab_algo *algo)
{
    for (wlab_role role = WL_R_HIDDEN; role <= WL_R_HIDDEN_BAGS; role++) {
        const int k = wlab_metric_of(algo, role);
        if (k >= 0 && !(algo->metrics[k].flags & WL_M_GIVEN))
            return false;
    }
    return true;
}

static wlab_code draw_view(wlab_figure *f, const wlab_view_request *q, wlab_err *err)
{
    wlab_role metrics[3];
    int drawn = 0, n = 0;
    bool mixed;
    wlab_code code = wlab_view_stepped(q, err);

    for (wlab_role role = WL_R_HIDDEN; role <= WL_R_HIDDEN_BAGS; role++)
        for (int r = 0; r < q->runs; r++)
            if (wlab_metric_of(q->run[r].algo, role) >= 0) {
                metrics[n++] = role;
                break;
            }
    if (!code && n == 0)
        code = wlab_fail(err, WL_ESTATE, "no score is on; `score unlabeled on` (or test, or bags)");
    bool given = true;
    for (int r = 0; r < q->runs; r++)
        given = given && wlab_view_scores_given(q->run[r].algo);
    code = code ? code
                : wlab_view_titles(f, q,
                                   given ? "score on the training bags, whose labels the learner has"
                                         : "score by labels that the learner never observes",
                                   err);
    if (code)
        return code;
    wlab_view_axes(f, q, axis(q, metrics[0], n, &mixed), false);
    for (int i = 0; i < n; i++) {
        (void)axis(q, metrics[i], n, &mixed);
        if (mixed)
            say_measures(f, q, metrics[i]);
        else
            say_rows(f, q, metrics[i]);
    }
    for (int r = 0; r < q->runs && !code; r++)
        code = wlab_view_curves(f, q, r, "score", metrics, n, (1U << n) - 1, &drawn, err);
    if (!code && !drawn)
        code = wlab_fail(err, WL_ESTATE, "no step has a score yet");
    return code;
}

const wlab_view wlab_view_score = {
    .name = "score",
    .summary =
        "how well the model of each step predicts labels that the learner never observes (command `score`)",
    .of = WL_VIEW_VALUES, /* to score a model takes the values of the rows */
    .draw = draw_view,
};
