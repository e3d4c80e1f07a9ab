/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of views, and their common parts: titles, comments, the x axis, curves of metrics.
 */
#include "data/share.h"
#include "plot/views/view.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const wlab_axis_names[] = {"iter", "inner", "seconds", "level", NULL};
const char *wlab_axis_name(wlab_axis vs)
{
    return wlab_axis_names[vs - WL_VS_ITER];
}

#define VIEW(name) &wlab_view_##name,
const wlab_view *const wlab_views[] = {WLAB_VIEWS(VIEW) NULL};
#undef VIEW

/* The x coordinate of a row of the trace; NaN: it has none on this axis. */
static double place_of(const wlab_view_run *v, wlab_axis vs, const wlab_trace_row *row)
{
    const int m = vs == WL_VS_SECONDS ? wlab_metric_of(v->algo, WL_R_SECONDS)
                  : vs == WL_VS_LEVEL ? wlab_metric_level(v->algo)
                                      : -1;

    if (vs == WL_VS_ITER || vs == WL_VS_INNER)
        return (double)(vs == WL_VS_ITER ? row->iter : row->inner);
    return m < 0 || (vs == WL_VS_LEVEL && !(row->metric[m] > 0)) ? NAN : row->metric[m];
}

bool wlab_view_undone(const wlab_view_run *v, int i)
{
    for (int k = i + 1; k < v->changes && v->change[k].iter == v->change[i].iter; k++)
        if (strcmp(v->change[k].name, v->change[i].name) == 0)
            return true;
    return false;
}

/* Draw a vertical line at x with a label on its left or right, each a little lower than the one before.  What a label says
 * holds on the right of the line; one on the left ends beside it, with "from here". */
static wlab_code put_mark(wlab_figure *f, bool right, double x, const char *text, int *marks)
{
    wlab_buf *b = &f->before;
    wlab_code code =
        wlab_buf_printf(b,
                        "set arrow from first %.15g, graph 0 to first %.15g, graph 1 nohead back "
                        "lw 1 dt 1 lc rgb '#888888'\nset label ",
                        x, x);
    char *from = wlab_format("%s%s", text, right ? "" : " from here");
    code = code || from ? code : WL_ENOMEM;
    code = code ? code : wlab_figure_quote(f, b, from);
    wlab_free(from);
    code =
        code ? code
             : wlab_buf_printf(b, " at first %.15g, graph %.3g %s offset %s,0 noenhanced front\n", x,
                               0.97 - 0.06 * (*marks % 8), right ? "left" : "right", right ? "0.6" : "-0.6");
    ++*marks;
    return code;
}

/* The text of the changes [from, to) of a run, made between the same two steps: "b: C2=0.5 J=3"; for panes "... after
 * 4". */
static wlab_code name_changes(wlab_buf *text, const wlab_view_request *q, const wlab_view_run *v, int from,
                              int to, bool pane)
{
    wlab_code code = q->runs > 1 ? wlab_buf_printf(text, pane ? "%.40s: " : "%.40s:", v->name) : WL_OK;

    for (int i = from; i < to && !code; i++)
        if (!wlab_view_undone(v, i))
            code = wlab_buf_printf(text, "%s%s=%s%s", text->len && !pane ? " " : "", v->change[i].name,
                                   v->change[i].value, pane ? " " : "");
    if (!code && pane)
        code = wlab_buf_printf(text, "after %lld", (long long)v->change[from].iter);
    return code ? code : wlab_buf_put(text, "", 1);
}

static void put_event(wlab_figure *f, const wlab_view_request *q, int r, double x, const char *text)
{
    wlab_figure_event(f, x, q->runs > 1 ? wlab_view_place(q, r) % 7 + 1 : 0, text);
}

/* Draw a thin line at each step after which parameters were changed, with their new values. */
static void put_changes(wlab_figure *f, const wlab_view_request *q, int *marks)
{
    for (int r = 0; r < q->runs; r++) {
        const wlab_view_run *v = &q->run[r];
        for (int i = 0, j; i < v->changes && !f->failed; i = j) {
            double x = place_of(v, q->vs, &v->row[v->change[i].iter]);
            wlab_buf text = {0}, brief = {0};
            for (j = i + 1; j < v->changes && v->change[j].iter == v->change[i].iter; j++)
                ;
            wlab_figure_cover_x(f, x);
            if (isfinite(x) &&
                (name_changes(&text, q, v, i, j, false) || name_changes(&brief, q, v, i, j, true) ||
                 put_mark(f, x - f->xlo < 0.35 * (f->xhi - f->xlo), x, (const char *)text.data, marks)))
                f->failed = true;
            else if (isfinite(x))
                put_event(f, q, r, x, (const char *)brief.data);
            wlab_buf_clear(&text);
            wlab_buf_clear(&brief);
        }
    }
}

/* The number of the binary classifier (one class against the rest) that made row i; 0: there are none. */
static int classifier_of(const wlab_view_run *v, int64_t i)
{
    const int m = v->problem->classes > 2 ? wlab_metric_of(v->algo, WL_R_CLASSIFIER) : -1;
    return m < 0 || !isfinite(v->row[i].metric[m]) ? 0 : (int)v->row[i].metric[m];
}

/* The stage of row i; a step before the first has none. */
static int stage_of(const wlab_view_run *v, int64_t i)
{
    return i > 0 ? wlab_metric_stage(v->algo, v->row[i].metric) : 0;
}

/* Draw a line where a later stage begins, as its objective is another one. */
static void put_stages(wlab_figure *f, const wlab_view_request *q, int *marks)
{
    for (int r = 0; r < q->runs; r++) {
        const wlab_view_run *v = &q->run[r];
        for (int64_t i = 2; i < v->rows && !f->failed; i++) {
            const double x = place_of(v, q->vs, &v->row[i]);
            if (stage_of(v, i) <= stage_of(v, i - 1) || !isfinite(x))
                continue;
            const wlab_metric_info *stage = &v->algo->metrics[wlab_metric_of(v->algo, WL_R_STAGE)];
            char *text = wlab_format("%s%s%s", q->runs > 1 ? v->name : "", q->runs > 1 ? ": " : "",
                                     wlab_metric_style(stage).label);
            if (!text || put_mark(f, x - f->xlo < 0.5 * (f->xhi - f->xlo), x, text, marks))
                f->failed = true;
            else
                put_event(f, q, r, x, text);
            wlab_free(text);
        }
    }
}

/* One class against the rest: draw a line where a binary classifier begins, with its class. */
static void put_classifiers(wlab_figure *f, const wlab_view_request *q, int *marks)
{
    for (int r = 0; r < q->runs; r++) {
        const wlab_view_run *v = &q->run[r];
        for (int64_t i = 1; i < v->rows && !f->failed; i++) {
            const int now = classifier_of(v, i);
            const double x = place_of(v, q->vs, &v->row[i]);
            if (!now || (i > 1 && now == classifier_of(v, i - 1)) || !isfinite(x))
                continue;
            const char *name = wlab_problem_class(v->problem, wlab_label_at(v->problem, now - 1));
            char *text = wlab_format("%s%sclass %.20s", q->runs > 1 ? v->name : "", q->runs > 1 ? ": " : "",
                                     name ? name : "?");
            if (!text || put_mark(f, x - f->xlo < 0.9 * (f->xhi - f->xlo), x, text, marks))
                f->failed = true;
            else
                put_event(f, q, r, x, text);
            if (!f->failed)
                f->event[f->events - 1].beside = true;
            wlab_free(text);
        }
    }
}

void wlab_view_break(wlab_figure *f, int block, const wlab_view_run *v)
{
    for (int64_t i = v->rows - 1; i > 1; i--)
        if (classifier_of(v, i) != classifier_of(v, i - 1) || stage_of(v, i) != stage_of(v, i - 1))
            wlab_figure_break(f, block, i);
}

const wlab_view *wlab_view_find(const char *name)
{
    for (int i = 0; wlab_views[i]; i++)
        if (strcmp(wlab_views[i]->name, name) == 0)
            return wlab_views[i];
    return NULL;
}

void wlab_view_prepare(const wlab_view *view, wlab_session *s, int number)
{
    if (view->of & WL_VIEW_MODEL)
        wlab_session_request_model(s, number);
    if (view->of & WL_VIEW_MARKS)
        wlab_session_request_predicted(s, number);
    if (view->of & (WL_VIEW_PROBE | WL_VIEW_MAY_PROBE)) {
        const wlab_mirror *m =
            wlab_session_mirror(s, number); /* the requests above may have ended an earlier one */
        if (m)
            wlab_session_request_probe(s, number, wlab_probe_index(m->algo, view->probe)); /* -1: no effect */
    }
}

wlab_code wlab_view_probe(const wlab_view_run *v, const wlab_view_request *q, wlab_probe_kind kind,
                          const char *at_pause, wlab_shown *made, const wlab_shown **shown, wlab_err *err)
{
    const int k = wlab_probe_index(v->algo, kind);

    *shown = v->probe && v->probe[k].iter >= 0 ? &v->probe[k] : NULL;
    if (*shown)
        return WL_OK;
    if (!v->state)
        return wlab_fail(err, WL_ESTATE, "%s", at_pause);
    *made = (wlab_shown){.iter = v->row[v->rows - 1].iter};
    *shown = made;
    return wlab_shown_get(made, &v->algo->probes[k], v->state, v->problem, v->labels, q->ctx, err);
}

wlab_code wlab_view_alone(const wlab_view_request *q, const char *view, const char *axes, wlab_err *err)
{
    if (q->runs > 1)
        return wlab_fail(err, WL_EARG, "%s draws one run at a time: plot %s %s", view, view, q->run[0].name);
    if (axes && q->vs != WL_VS_AUTO)
        return wlab_fail(err, WL_EARG, "%s has no axis of steps or seconds: %s; leave out `vs %s`", view,
                         axes, wlab_axis_name(q->vs));
    return WL_OK;
}

static wlab_code draw_runs(const wlab_view *view, wlab_figure *f, const wlab_view_request *q, wlab_err *err)
{
    wlab_code code = view->draw(f, q, err);
    f->runs = q->runs;
    int marks = 0;
    if (!code && !(view->of & WL_VIEW_STATE))
        put_changes(f, q, &marks);
    if (!code && !(view->of & (WL_VIEW_STATE | WL_VIEW_FIXED)))
        put_classifiers(f, q, &marks);
    if (!code && !(view->of & (WL_VIEW_STATE | WL_VIEW_FIXED)))
        put_stages(f, q, &marks);
    if (!code && q->live)
        wlab_figure_thin(f, q->columns);
    return code ? code : f->failed ? wlab_nomem(err) : WL_OK;
}

/* Several runs: a run without a step has no curve yet.  The title names such runs, and the others are drawn. */
static wlab_code draw_stepped(const wlab_view *view, wlab_figure *f, const wlab_view_request *all,
                              wlab_err *err)
{
    wlab_view_request q = *all;
    wlab_view_run *stepped = wlab_alloc((size_t)all->runs, sizeof *stepped);

    if (!stepped)
        return wlab_nomem(err);
    q.run = stepped;
    q.runs = 0;
    for (int r = 0; r < all->runs; r++)
        if (all->run[r].rows > 1)
            stepped[q.runs++] = all->run[r];
    wlab_code code = draw_runs(view, f, &q, err);
    for (int r = 0; r < all->runs && !code; r++)
        if (all->run[r].rows < 2)
            wlab_figure_title(f, "run %s has no step yet", all->run[r].name);
    wlab_free(stepped);
    return code;
}

/* The axis of a view that has one, if the user gave none. */
static wlab_axis own_axis(const wlab_view *view, const wlab_view_request *q)
{
    bool level = view->of & WL_VIEW_LEVEL;
    for (int r = 0; r < q->runs; r++)
        level =
            level && wlab_metric_level(q->run[r].algo) >= 0 && wlab_metric_of(q->run[r].algo, WL_R_BEST) >= 0;
    return level ? WL_VS_LEVEL : WL_VS_ITER;
}

const char *wlab_view_bag(const wlab_problem *p, int64_t number, size_t width, char text[24])
{
    static const char plain[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-.";
    bool named = p->all.of_row && p->all.name && !p->all.own_name && !p->data->bags_apart;

    for (int64_t b = 0; named && b < p->all.bags; b++)
        named = strlen(p->all.name[b]) <= width && p->all.name[b][0] &&
                p->all.name[b][strspn(p->all.name[b], plain)] == '\0';
    if (named)
        snprintf(text, 24, "%s", p->all.name[number - 1]);
    else
        snprintf(text, 24, "%lld", (long long)number);
    return text;
}

wlab_code wlab_view_readable(const wlab_view *view, const wlab_dataset *data, wlab_err *err)
{
    char what[64];

    if (data && data->share && view->of & (WL_VIEW_PROBE | WL_VIEW_RECORDED) && !(view->of & WL_VIEW_VALUES))
        return wlab_fail(err, WL_ESTATE,
                         "the view %s draws a probe of the algorithm, and with rows spread over ranks "
                         "there are none: load or generate '%s' without ranks=all",
                         view->name, data->name);
    if (!(view->of & WL_VIEW_VALUES))
        return WL_OK;
    snprintf(what, sizeof what, "the view %s", view->name);
    return wlab_share_refuse(data, what, err);
}

wlab_code wlab_view_draw(const wlab_view *view, wlab_figure *f, const wlab_view_request *request,
                         wlab_err *err)
{
    wlab_view_request q = *request;
    int stepped = 0;

    for (int r = 0; r < q.runs; r++) {
        const wlab_code code = wlab_view_readable(view, q.run[r].problem->data, err);
        if (code)
            return code;
    }
    if (q.vs == WL_VS_AUTO && !(view->of & WL_VIEW_FIXED))
        q.vs = own_axis(view, &q);
    for (int r = 0; r < q.runs; r++)
        stepped += q.run[r].rows > 1;
    return view->of & WL_VIEW_ONE || stepped == 0 || stepped == q.runs ? draw_runs(view, f, &q, err)
                                                                       : draw_stepped(view, f, &q, err);
}

wlab_view_run wlab_view_run_of(const wlab_run *run)
{
    wlab_view_run v = {.name = wlab_run_name(run),
                       .number = wlab_run_number(run),
                       .problem = wlab_run_problem(run),
                       .algo = wlab_run_algo(run),
                       .params = wlab_run_params_first(run),
                       .state = wlab_run_state(run),
                       .labels = wlab_run_labels(run),
                       .labels_before = wlab_run_labels_before(run),
                       .labels_first = wlab_run_labels_first(run)};
    v.rows = wlab_run_trace(run, &v.row);
    v.changes = wlab_run_changes(run, &v.change);
    for (int set = 0; set < WL_HIDDEN_SETS; set++)
        v.scored[set] = wlab_run_scored_rows(run, (wlab_hidden)(1U << set), NULL);
    return v;
}

wlab_view_run wlab_view_run_of_mirror(const wlab_mirror *m)
{
    wlab_view_run v = {.name = m->name,
                       .number = m->number,
                       .problem = m->problem,
                       .algo = m->algo,
                       .params = m->params,
                       .change = m->change,
                       .changes = m->changes,
                       .model = m->model,
                       .model_iter = m->model_iter,
                       .row = m->row,
                       .rows = m->rows,
                       .labels = m->labels,
                       .labels_before = m->labels_before,
                       .labelings = m->labelings,
                       .predicted = m->predicted,
                       .predicted_before = m->predicted_before,
                       .labels_first = m->labels_first,
                       .probe = m->probe};
    memcpy(v.scored, m->scored, sizeof v.scored);
    return v;
}

/* "name key=value ...", owned by the caller; NULL: memory ran out. */
static char *with_params(const char *name, const wlab_params *params)
{
    wlab_buf b = {0};
    char *text = NULL;
    if (!params || !wlab_params_format(params, &b))
        text = b.len ? wlab_format("%s %.*s", name, (int)b.len, (const char *)b.data) : wlab_strdup(name);
    wlab_buf_clear(&b);
    return text;
}

/* What all runs have in common.  *data: whether they use the same data.  *task, *algo: the task and the algorithm with
 * their parameters as text, owned by the caller; NULL if the runs differ in it. */
static wlab_code find_common(const wlab_view_request *q, bool *data, char **task, char **algo)
{
    *data = true;
    *task = *algo = NULL;
    for (int r = 0; r < q->runs; r++) {
        const wlab_view_run *v = &q->run[r];
        char *t = with_params(v->problem->task->name, v->problem->params);
        char *a = with_params(v->algo->name, v->params);
        if (!t || !a) {
            wlab_free(t);
            wlab_free(a);
            *task = wlab_free(*task);
            *algo = wlab_free(*algo);
            return WL_ENOMEM;
        }
        *data = *data && v->problem->data == q->run[0].problem->data;
        if (r == 0) {
            *task = t;
            *algo = a;
            continue;
        }
        if (*task && strcmp(*task, t) != 0)
            *task = wlab_free(*task);
        if (*algo && strcmp(*algo, a) != 0)
            *algo = wlab_free(*algo);
        wlab_free(t);
        wlab_free(a);
    }
    return WL_OK;
}

wlab_code wlab_view_titles(wlab_figure *f, const wlab_view_request *q, const char *view, wlab_err *err)
{
    const wlab_problem *p = q->run[0].problem;
    char *task, *algo;
    bool data;

    if (find_common(q, &data, &task, &algo))
        return wlab_nomem(err);
    bool same_size = true;
    for (int r = 1; r < q->runs; r++)
        same_size = same_size && q->run[r].problem->n == p->n;
    if (data && same_size)
        wlab_figure_title(f, "%s: %s (%lld x %d)%s%s", view, p->data->name, (long long)p->n, p->X->cols,
                          task ? ", " : "", task ? task : "");
    else if (data)
        wlab_figure_title(f, "%s: %s, other training rows%s%s", view, p->data->name, task ? ", " : "",
                          task ? task : "");
    else
        wlab_figure_title(f, "%s: %d runs%s%s", view, q->runs, task ? ", " : "", task ? task : "");
    if (algo)
        wlab_figure_title(f, "%s", algo);
    for (int r = 0; r < q->runs && !algo && q->runs < WL_FIG_TITLES; r++) {
        char *own = with_params(q->run[r].algo->name, q->run[r].params);
        if (!own)
            f->failed = true;
        else
            wlab_figure_title(f, "%s: %s", q->run[r].name, own);
        wlab_free(own);
    }
    if (!algo && q->runs >= WL_FIG_TITLES) { /* too many for one line each: one text for all */
        wlab_buf all = {0};
        wlab_code code = WL_OK;
        for (int r = 0; r < q->runs && !code; r++) {
            char *own = with_params(q->run[r].algo->name, q->run[r].params);
            code = own ? wlab_buf_printf(&all, "%s%s: %s", r ? ",  " : "", q->run[r].name, own) : WL_ENOMEM;
            wlab_free(own);
        }
        if (code)
            f->failed = true;
        else
            wlab_figure_title(f, "%.*s", (int)all.len, (const char *)all.data);
        wlab_buf_clear(&all);
    }
    wlab_free(task);
    wlab_free(algo);
    return f->failed ? wlab_nomem(err) : WL_OK;
}

void wlab_view_about(wlab_figure *f, int block, const char *view, const wlab_view_run *v)
{
    const wlab_problem *p = v->problem;
    char *task = with_params(p->task->name, p->params), *algo = with_params(v->algo->name, v->params);
    if (task && algo) {
        wlab_figure_about(f, block, "weaklab %s of run %s: %s, %lld steps, %s", view, v->name, algo,
                          (long long)(v->rows - 1), wlab_verdict_names[v->row[v->rows - 1].verdict]);
        wlab_figure_about(f, block, "data %s: %lld x %d, sha256 %s", p->data->name, (long long)p->X->rows,
                          p->X->cols, p->data->sha256);
        wlab_figure_about(f, block, "task %s", task);
        for (int i = 0; i < v->changes; i++)
            if (!wlab_view_undone(v, i))
                wlab_figure_about(f, block, "set after step %lld: %s=%s", (long long)v->change[i].iter,
                                  v->change[i].name, v->change[i].value);
    } else {
        f->failed = true;
    }
    wlab_free(task);
    wlab_free(algo);
}

void wlab_view_points(wlab_figure *f, int block, const char *title, int column, int value, char mark, int ink,
                      const char *style)
{
    char text[32];
    wlab_series s = {
        .block = block, .draw = WL_D_POINTS, .x = 1, .y = 2, .mark = mark, .ink = ink, .wheres = column >= 0};
    s.where[0].column = column + 1;
    s.where[0].value = value;
    snprintf(text, sizeof text, "with points pt '%c'", mark);
    wlab_figure_series(f, &s, title, f->text ? text : style);
}

wlab_code wlab_view_stepped(const wlab_view_request *q, wlab_err *err)
{
    for (int r = 0; r < q->runs; r++)
        if (q->run[r].rows < 2)
            return wlab_fail(err, WL_ESTATE, "nothing to draw yet in run %s: `step` first", q->run[r].name);
    return WL_OK;
}

void wlab_view_axes(wlab_figure *f, const wlab_view_request *q, const char *ylabel, bool logy)
{
    static const char *const label[] = {"step", "inner units", "seconds", "level"};
    const char *level = label[q->vs - WL_VS_ITER];
    char text[100];
    snprintf(text, sizeof text, "%s%s", ylabel, logy ? " (log scale)" : "");
    for (int r = 0; q->vs == WL_VS_LEVEL && r < q->runs; r++) {
        const wlab_algo *algo = q->run[r].algo;
        const int m = wlab_metric_level(algo);
        const char *own = m < 0                   ? label[WL_VS_LEVEL - WL_VS_ITER]
                          : algo->metrics[m].axis ? algo->metrics[m].axis
                                                  : algo->metrics[m].name;
        level = r == 0 || strcmp(own, level) == 0 ? own : label[WL_VS_LEVEL - WL_VS_ITER];
    }
    wlab_figure_axes(f, level, text);
    f->whole_x = q->vs == WL_VS_ITER || q->vs == WL_VS_INNER;
    f->logx = q->vs == WL_VS_LEVEL;
    f->logy = logy;
}

/* "alter-psvm has C*, mfa T": the algorithms that anneal, by name, and the quantities. */
static const char *list_annealing(char *buf, size_t size)
{
    const char *last = "";

    buf[0] = '\0';
    for (;;) {
        const wlab_algo *next = NULL;
        for (int k = 0; wlab_algos[k]; k++)
            if (wlab_metric_level(wlab_algos[k]) >= 0 && strcmp(wlab_algos[k]->name, last) > 0 &&
                (!next || strcmp(wlab_algos[k]->name, next->name) < 0))
                next = wlab_algos[k];
        if (!next)
            return buf;
        wlab_text_append(buf, size, "%s%s%s %s", *last ? ", " : "", next->name, *last ? "" : " has",
                         wlab_metric_style(&next->metrics[wlab_metric_level(next)]).label);
        last = next->name;
    }
}

wlab_code wlab_view_block(wlab_figure *f, const wlab_view_request *q, const wlab_view_run *v,
                          const char *view, int more, int *block, int *x, int *first, wlab_err *err)
{
    const bool own = q->vs == WL_VS_SECONDS || q->vs == WL_VS_LEVEL;
    if (q->vs == WL_VS_SECONDS && wlab_metric_of(v->algo, WL_R_SECONDS) < 0)
        return wlab_fail(err, WL_EARG, "%s records no seconds: plot %s vs iter", v->algo->name, view);
    if (q->vs == WL_VS_LEVEL && wlab_metric_level(v->algo) < 0) {
        char others[160];
        return wlab_fail(err, WL_EARG, "%s anneals nothing, so it has no levels (%s): plot %s vs iter",
                         v->algo->name, list_annealing(others, sizeof others), view);
    }
    *first = own ? 3 : 2;
    *x = own ? 3 : q->vs == WL_VS_INNER ? 2 : 1;
    *block = wlab_figure_block(f, v->rows, *first + more);
    wlab_view_about(f, *block, view, v);
    for (int c = 0; c < *first; c++)
        wlab_figure_column(f, *block, c, "%s", c < 2 ? wlab_axis_names[c] : wlab_axis_name(q->vs));
    for (int64_t i = 0; i < v->rows; i++) {
        *wlab_figure_at(f, *block, i, 0) = (double)v->row[i].iter;
        *wlab_figure_at(f, *block, i, 1) = (double)v->row[i].inner;
        if (own)
            *wlab_figure_at(f, *block, i, 2) = place_of(v, q->vs, &v->row[i]);
    }
    /* the axis reaches to the end of the run, drawn or not, and begins where the curves begin */
    wlab_figure_cover_x(f, *wlab_figure_at(f, *block, v->rows - 1, *x - 1));
    return f->failed ? wlab_nomem(err) : WL_OK;
}

int64_t wlab_view_values(const wlab_view_run *v, wlab_role role)
{
    const int m = wlab_metric_of(v->algo, role);
    int64_t n = 0;
    for (int64_t i = 0; m >= 0 && i < v->rows; i++)
        n += isfinite(v->row[i].metric[m]);
    return n;
}

/* The first letter of the run's name; 0 if the name of another run begins with it. */
static char initial(const wlab_view_request *q, int r)
{
    char c = q->run[r].name[0];
    for (int i = 0; i < q->runs; i++)
        if (i != r && q->run[i].name[0] == c)
            return 0;
    return c > ' ' && c < 0x7f ? c : 0;
}

/* Initials are used only if all runs have one. */
static bool have_initials(const wlab_view_request *q)
{
    for (int r = 0; r < q->runs; r++)
        if (!initial(q, r))
            return false;
    return true;
}

int wlab_view_place(const wlab_view_request *q, int r)
{
    int place = 0;
    for (int i = 0; i < q->runs; i++)
        place += q->run[i].number < q->run[r].number || (q->run[i].number == q->run[r].number && i < r);
    return place;
}

static const char *setting_in_use(const wlab_view_run *v, const wlab_param_info *p, char buf[WL_REAL_TEXT])
{
    const wlab_problem *solved = v->state && v->algo->solved ? v->algo->solved(v->state) : v->problem;
    return wlab_algo_setting(v->algo, solved, v->params, p, NULL, buf);
}

/* Whether two runs began with other values of a setting of the objective that both have. */
static bool other_objective(const wlab_view_run *a, const wlab_view_run *b)
{
    const wlab_param_info *p = wlab_params_table(a->params), *q;
    char number[2][WL_REAL_TEXT];

    if (!p || !b->params)
        return false;
    for (; p->name; p++) {
        for (q = wlab_params_table(b->params); q->name && strcmp(q->name, p->name) != 0; q++)
            ;
        if (q->name && p->flags & WL_P_OBJECTIVE && !(p->flags & WL_P_KERNEL) &&
            !wlab_param_same_value(setting_in_use(a, p, number[0]), setting_in_use(b, q, number[1])))
            return true;
    }
    return false;
}

/* Other algorithms may bound one problem, that of all labelings. */
static bool one_problem(const wlab_view_run *a, const wlab_view_run *b)
{
    return a->problem == b->problem && wlab_algo_certifies(a->algo, a->params) &&
           wlab_algo_certifies(b->algo, b->params) && !other_objective(a, b);
}

const char *wlab_view_differ(const wlab_view_run *v, int runs)
{
    const char *why = NULL;
    bool sure;

    for (int r = 1; r < runs && !why; r++) {
        if (one_problem(&v[0], &v[r]))
            continue;
        why = wlab_problems_differ(v[0].algo, v[0].problem, v[r].algo, v[r].problem, &sure);
        if (!why && strcmp(v[0].algo->name, v[r].algo->name) == 0 && other_objective(&v[0], &v[r]))
            why = "other settings";
    }
    return why;
}

char wlab_view_letter(const wlab_view_request *q, int r)
{
    if (have_initials(q))
        return initial(q, r);
    return (char)('a' + wlab_view_place(q, r) % 26);
}

static bool mark_free(const wlab_figure *f, const wlab_view_request *q, char mark)
{
    for (int i = 0; i < f->nseries; i++)
        if (f->series[i].mark == mark)
            return false;
    for (int r = 0; r < q->runs; r++)
        if (wlab_view_letter(q, r) == mark)
            return false;
    return true;
}

/* The mark of a curve that is not its run's only or first one: `wanted`, unless another curve has it, or a run. */
static char own_mark(const wlab_figure *f, const wlab_view_request *q, char wanted)
{
    if (mark_free(f, q, wanted))
        return wanted;
    for (char c = '1'; c <= 'z'; c++)
        if (isalnum((unsigned char)c) && mark_free(f, q, c))
            return c;
    return wanted;
}

/* Style of a line with marks.  With several runs and several metrics the colour distinguishes the runs, dash and mark
 * the metrics.  As text and in panes no two curves have the same mark: of more than two runs the `first` metric has the
 * run's letter, another its capital; the runs need not draw equally many metrics. */
static void curve_style(const wlab_figure *f, const wlab_view_request *q, int r, int metrics, int m,
                        int first, int64_t rows, wlab_series *s, char *style, size_t size)
{
    int runs = q->runs, place = wlab_view_place(q, r);
    static const char *const color[] = {"0072b2", "d55e00", "009e73", "cc79a7", "e69f00", "56b4e9", "000000"};
    static const int mark[] = {7, 11, 9, 13} /* less 1: not filled */, dash[] = {1, 2, 4, 3};
    static const char letter[] = "*uliJbbz", first_of_two[] = "*ulijbbz", second_of_two[] = "#ULIJBBZ";
    int every = (int)(rows / 40) + 1; /* the line passes through all points, marks are on every `every`-th */
    const char name = wlab_view_letter(q, r);
    s->ink = (runs > 1 ? place : m) % 7 + 1;
    s->dash = metrics > 1 ? m % 4 : 0;
    if (runs == 1 || (runs == 2 && metrics > 1))
        s->mark = runs == 1 ? letter[m % 8] : own_mark(f, q, (place ? second_of_two : first_of_two)[m % 8]);
    else if (m == first)
        s->mark = name;
    else
        s->mark = own_mark(f, q, isalpha((unsigned char)name) ? (char)(name ^ ('a' ^ 'A')) : '1');
    if (f->text) /* one letter per curve */
        snprintf(style, size, "with points pt '%c'", s->mark);
    else if (runs > 1 && metrics > 1)
        snprintf(style, size, "with linespoints lc rgb '#%s' lw 2 dt %d pt %d ps 0.9 pi %d", color[place % 7],
                 dash[m % 4], mark[m % 4] - place % 2, every);
    else
        snprintf(style, size, "with linespoints ls %d%s pi %d", (runs > 1 ? place : m) % 7 + 1,
                 runs > 7 && place >= 7 ? " dt 3"
                 : runs == 1 && m == 4  ? " dt 1" /* J, drawn over J_best */
                                        : "",
                 every);
}

/* The index of the metric that is drawn as the j-th.  As text a later curve hides the earlier ones.  In a picture
 * J_best is drawn before J, which mostly covers it.  Panes draw solid lines over dashed ones anyway and keep the
 * order of the legend. */
static int in_order(const wlab_figure *f, bool live, const wlab_role *metrics, int n, int j)
{
    if (f->text)
        return n - 1 - j;
    if (!live && j + 2 >= n && n > 1 && metrics[n - 1] == WL_R_TARGET_BEST)
        return 2 * n - 3 - j;
    return j;
}

wlab_code wlab_view_curves(wlab_figure *f, const wlab_view_request *q, int r, const char *view,
                           const wlab_role *metrics, int n, unsigned show, int *drawn, wlab_err *err)
{
    const wlab_view_run *v = &q->run[r];
    int block, x, first;
    bool one_data = true, one_algo = true;
    int shows = __builtin_popcount(show);
    wlab_code code = wlab_view_block(f, q, v, view, n, &block, &x, &first, err);

    for (int i = 1; i < q->runs; i++) {
        one_data = one_data && q->run[i].problem->data == q->run[0].problem->data;
        one_algo = one_algo && !strcmp(q->run[i].algo->name, q->run[0].algo->name);
    }
    one_algo = one_algo || q->live; /* panes are too narrow for it, and windows have it in the title */
    for (int j = 0; j < n && !code; j++) {
        int m = in_order(f, q->live, metrics, n, j);
        const int k = wlab_metric_of(v->algo, metrics[m]);
        const char *name = k < 0 ? wlab_role_name(metrics[m]) : v->algo->metrics[k].name;
        int64_t shown = 0, left_out = 0;
        wlab_figure_column(f, block, first + m, "%s", name);
        for (int64_t i = 0; k >= 0 && i < v->rows; i++) {
            double y = v->row[i].metric[k];
            *wlab_figure_at(f, block, i, first + m) = y;
            if (show >> m & 1 && wlab_figure_cover(f, *wlab_figure_at(f, block, i, x - 1), y))
                shown++;
            else if (show >> m & 1 && f->logy && y <= 0)
                left_out++;
        }
        if (!(show >> m & 1) || (!shown && !left_out))
            continue;
        char title[200], style[120];
        wlab_series curve = {
            .block = block, .draw = WL_D_CURVE, .x = x, .y = first + m + 1, .positive = f->logy};
        if (left_out && q->runs == 1)
            wlab_figure_title(f, "%lld step%s with %s 0 or less not drawn: log scale", (long long)left_out,
                              left_out == 1 ? "" : "s", name);
        else if (left_out)
            wlab_figure_title(f, "%.40s: %lld step%s with %s 0 or less not drawn: log scale", v->name,
                              (long long)left_out, left_out == 1 ? "" : "s", name);
        const bool on_axis = strcmp(view, name) == 0 || (k >= 0 && v->algo->metrics[k].axis);
        const bool named = shows > 1 || !on_axis; /* else the axis has the name */
        if (q->runs == 1)
            snprintf(title, sizeof title, "%s", name);
        else
            snprintf(title, sizeof title, "%.40s%s%.30s%s%.60s%s%s", v->name, one_algo ? "" : " ",
                     one_algo ? "" : v->algo->name, one_data ? "" : " ",
                     one_data ? "" : v->problem->data->name, named ? ": " : "", named ? name : "");
        curve_style(f, q, r, shows, m, __builtin_ctz(show), v->rows, &curve, style, sizeof style);
        wlab_figure_series(f, &curve, title, style);
        *drawn += 1;
        code = f->failed ? wlab_nomem(err) : WL_OK;
    }
    if (!code)
        wlab_view_break(f, block, v);
    return code ? code : f->failed ? wlab_nomem(err) : WL_OK;
}
