/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The lines without a frame: the header, the metrics in one line, the next step.
 */
#include "tui/panes/draw.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    OPEN_FROM = 72 /* columns from which on the verdict includes the open gap */
};

/* PROVEN, "CONVERGED, relaxation proven", "CONVERGED, 5.5 % open", LIMIT: the first word in capitals. */
static const char *verdict_state(const wlab_mirror *m, int cols, char *buf, size_t size)
{
    wlab_certified c = wlab_metric_certified(m->algo, m->params, m->row[m->rows - 1].metric);

    if (cols < OPEN_FROM)
        c.relgap = NAN;
    wlab_verdict_text(m->verdict, &c, buf, size);
    for (char *at = buf; *at >= 'a' && *at <= 'z'; at++)
        *at = (char)(*at - 'a' + 'A');
    return buf;
}

const char *wlab_pane_state(const wlab_scene *scene, int cols, char *buf, size_t size, wlab_style *style)
{
    const wlab_mirror *m = scene->mirrors ? scene->mirror[0] : NULL;
    bool running = (m && m->running) || (scene->session && wlab_session_running(scene->session));

    *style = WL_S_RUNNING;
    if (running)
        return scene->stopping ? "STOPPING" : "RUNNING";
    *style = m && m->verdict != WL_MORE ? WL_S_CONVERGED : WL_S_PAUSED;
    return !m ? "READY" : m->verdict == WL_MORE ? "PAUSED" : verdict_state(m, cols, buf, size);
}

/* ---- pieces of the header, appended to a string ---- */

typedef struct text {
    char s[512];
    size_t n;
} text;

static void append(text *t, const char *fmt, ...) WLAB_PRINTF(2, 3);
static void append(text *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int k = vsnprintf(t->s + t->n, sizeof t->s - t->n, fmt, ap);
    va_end(ap);
    t->n += k > 0 ? (size_t)k : 0;
    t->n = t->n < sizeof t->s ? t->n : sizeof t->s - 1;
}

/* "rbf sigma=1x hinge C1=1": the given parameters, choices without their names, and those set since the start; "(next)": the
 * metrics shown are still those of the value before. */
static void append_params(text *t, const wlab_params *params, const wlab_mirror *m)
{
    const wlab_param_info *i = params ? wlab_params_table(params) : NULL;
    for (; i && i->name; i++) {
        bool changed = false, next = false;
        for (int k = 0; m && k < m->changes; k++)
            if (strcmp(m->change[k].name, i->name) == 0) {
                changed = true;
                next = m->change[k].iter == m->rows - 1 && m->half == 0 && !m->running;
            }
        if (!changed && !wlab_params_given(params, i->name))
            continue;
        const char *value = m ? wlab_mirror_param(m, i->name) : wlab_params_text(params, i->name);
        if (!value)
            continue;
        if (i->type == WL_P_CHOICE)
            append(t, " %s", value);
        else
            append(t, " %s=%s", i->name, value);
        append(t, "%s", next ? " (next)" : "");
    }
}

static void append_task(text *t, const wlab_problem *p)
{
    append(t, "%s", p->task->name);
    if (p->classes > 2)
        append(t, " %d classes", p->classes);
    if (p->labelled > 0 && p->unlabelled > 0)
        append(t, " %lld labelled", (long long)p->labelled);
    if (isfinite(p->r))
        append(t, " r=%.2f", p->r);
}

void wlab_pane_header(const wlab_scene *scene, wlab_canvas *c, const wlab_rect *r)
{
    const wlab_mirror *m = scene->mirrors ? scene->mirror[0] : NULL;
    const wlab_problem *p = m ? m->problem : scene->session ? wlab_session_problem(scene->session) : NULL;
    const wlab_dataset *data = p ? p->data : scene->session ? wlab_session_data(scene->session) : NULL;
    wlab_style style;
    char words[64];
    const char *state = wlab_pane_state(scene, r->cols, words, sizeof words, &style);
    text left = {0}, step = {0};
    int end = r->cols - (int)strlen(state) - 2;

    if (r->rows < 1)
        return;
    for (int col = 0; col < r->cols; col++)
        wlab_canvas_put(c, r, 0, col, L' ', WL_S_HEADER);
    wlab_canvas_text(c, r, 0, end > 0 ? end : 0, style, " %s ", state);
    if (m && !m->running && scene->session && wlab_session_running(scene->session) && scene->command)
        /* tune, eval: no steps of the run.  In a line of several commands, the one that runs is not known */
        append(&step, " | %.*s ", strchr(scene->command, ';') ? 9 : (int)strcspn(scene->command, " \t"),
               strchr(scene->command, ';') ? "computing" : scene->command);
    else if (m && (m->half > 0 || m->running))
        append(&step, " | %s: step %lld+%lld ", m->name, (long long)(m->rows - 1), (long long)m->half);
    else if (m)
        append(&step, " | %s: step %lld ", m->name, (long long)(m->rows - 1));
    if (end > (int)step.n) {
        end -= wlab_text_columns(step.s);
        wlab_canvas_text(c, r, 0, end, WL_S_HEADER, "%s", step.s);
    }
    append(&left, data ? " weaklab |" : " weaklab");
    if (data)
        append(&left, " %s %lldx%ld", data->name, (long long)(m ? p->n : data->X->rows), (long)data->X->cols);
    if (p) {
        append(&left, " | ");
        append_task(&left, p);
    }
    if (m) {
        append(&left, " | %s", m->algo->name);
        append_params(&left, m->params, m);
    }
    const char *from = left.s; /* drop the program's name if space is short */
    if (data && wlab_text_columns(from) > end)
        from += strlen(" weaklab |");
    wlab_draw_cut(scene, c, r, 0, end, WL_S_HEADER, from);
}

/* Each metric has a fixed place, whatever the others' values are; metrics at the end that do not fit are left out. */
void wlab_pane_metrics(const wlab_scene *scene, wlab_canvas *c, const wlab_rect *r)
{
    enum {
        MOST = 20
    };
    int metric[MOST];
    if (r->rows < 1 || !scene->mirrors)
        return;
    const wlab_mirror *m = scene->mirror[0];
    const int metrics = wlab_metrics_shown(m->algo, WL_M_HEADER, metric, MOST);
    int col = 1;
    bool some = false;
    for (int k = 0; k < metrics && !some; k++)
        some = !isnan(m->row[m->rows - 1].metric[metric[k]]);
    if (!some) {
        wlab_canvas_text(c, r, 0, 1, WL_S_DIM, "no step yet");
        return;
    }
    if (m->half > 0) /* the header says step 3+2, but metrics are those of a complete step */
        col += wlab_canvas_text(c, r, 0, col, WL_S_DIM, "step %lld: ", (long long)(m->rows - 1));
    for (int k = 0; k < metrics; k++) {
        const wlab_metric_info *info = &m->algo->metrics[metric[k]];
        const wlab_role_style style = wlab_metric_style(info);
        const int name = (int)strlen(style.label) + 1;
        char number[32];
        const int space = r->cols - col - name;
        if (style.header_width > space)
            break;
        const double *value = m->row[m->rows - 1].metric;
        wlab_number_fit(wlab_metric_gap_of_other(m->algo, value, metric[k]) ? (double)NAN : value[metric[k]],
                        info->log ? 3 : 6, info->flags & WL_M_COUNT, space, number, sizeof number);
        wlab_canvas_text(c, r, 0, col, WL_S_DIM, "%s ", style.label);
        int n = wlab_canvas_text(c, r, 0, col + name, WL_S_STRONG, "%s", number);
        col += name + (n > style.header_width ? n : style.header_width) + 1;
    }
}

void wlab_pane_next(const wlab_scene *scene, wlab_canvas *c, const wlab_rect *r, const char *running)
{
    const wlab_mirror *m = scene->mirrors ? scene->mirror[0] : NULL;
    const wlab_session *s = scene->session;
    char line[512];

    if (r->rows < 1)
        return;
    if (running && *running)
        snprintf(line, sizeof line, " %s", running);
    else if (m && m->running)
        snprintf(line, sizeof line, " running: %s; Ctrl-C stops it", m->algo->step_unit);
    else if (m)
        snprintf(line, sizeof line, " next: %s", m->next[0] ? m->next : m->algo->step_unit);
    else if (s && wlab_session_problem(s))
        snprintf(line, sizeof line, " first: choose an algorithm, for example `algo %s`",
                 wlab_algo_advised(wlab_session_problem(s)));
    else
        snprintf(line, sizeof line, " first: %s",
                 s && wlab_session_data(s)
                     ? "choose which labels are observed, for example `task ssl labeled=4`"
                     : "`generate two-moons`, `load FILE`, or `lesson`");
    wlab_draw_cut(scene, c, r, 0, r->cols, WL_S_NEXT, line);
}
