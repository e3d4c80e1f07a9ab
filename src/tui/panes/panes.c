/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of panes, and drawing common to them.
 */
#include "plot/views/classes.h"
#include "tui/panes/draw.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define PANE(name) &wlab_pane_##name,
const wlab_pane *const wlab_panes[] = {WLAB_PANES(PANE) NULL};
#undef PANE

int wlab_pane_find(const char *name)
{
    for (int p = 0; p < WL_PANES; p++) {
        if (strcmp(wlab_panes[p]->name, name) == 0)
            return p;
        for (const char *const *also = wlab_panes[p]->also; *also; also++)
            if (strcmp(*also, name) == 0)
                return p;
    }
    return -1;
}

bool wlab_pane_fits(int pane, const wlab_scene *scene)
{
    const wlab_pane *p = wlab_panes[pane];
    const wlab_dataset *data = scene->mirrors   ? scene->mirror[0]->problem->data
                               : scene->session ? wlab_session_data(scene->session)
                                                : NULL;
    return (!p->view || !wlab_view_readable(p->view, data, NULL)) && (!p->fits || p->fits(scene));
}

int wlab_draw_cut(const wlab_scene *scene, wlab_canvas *c, const wlab_rect *r, int col, int width,
                  wlab_style style, const char *s)
{
    wlab_rect part = {r->row, r->col + col, 1, width};
    int n = wlab_text_columns(s), mark = scene->ascii ? 2 : 1;

    if (width < 1)
        return 0;
    wlab_canvas_text(c, &part, 0, 0, style, "%s", s);
    if (n > width && width > mark + 1)
        wlab_canvas_text(c, &part, 0, width - mark, style, "%s", scene->ascii ? ".." : "\xe2\x80\xa6");
    return n < width ? n : width;
}

bool wlab_scene_one_step(const wlab_scene *s)
{
    for (int r = 0; r < s->mirrors; r++)
        if (s->mirror[r]->verdict == WL_MORE || s->mirror[r]->rows > 2)
            return false;
    return s->mirrors > 0;
}

double wlab_mirror_metric(const wlab_mirror *m, int64_t row, wlab_role role)
{
    return row < 0 || row >= m->rows ? (double)NAN : wlab_metric_value(m->algo, m->row[row].metric, role);
}

int64_t wlab_mirror_values(const wlab_mirror *m, wlab_role role)
{
    const int k = wlab_metric_of(m->algo, role);
    int64_t n = 0;
    for (int64_t i = 0; k >= 0 && i < m->rows; i++)
        n += isfinite(m->row[i].metric[k]) != 0;
    return n;
}

const char *wlab_mirror_param(const wlab_mirror *m, const char *name)
{
    for (int i = m->changes; i-- > 0;)
        if (strcmp(m->change[i].name, name) == 0)
            return m->change[i].value;
    return wlab_params_text(m->params, name);
}

wchar_t wlab_class_mark(int sign)
{
    return sign > 0 ? L'+' : sign < 0 ? L'o' : L'.';
}

wlab_style wlab_class_style(int index)
{
    return (wlab_style)(WL_S_INK1 + wlab_class_ink(index) - 1);
}

/* How many bytes of `text` go on a line of `width` columns: to the last blank that fits, or a full line. */
static size_t fit_line(const char *text, int width)
{
    size_t i = 0, best = 0;
    int columns = 0;
    while (text[i]) {
        wchar_t ch;
        size_t k = wlab_utf8_next(text + i, &ch);
        columns += wlab_utf8_put(&ch);
        if (columns > width)
            return best ? best : i ? i : k;
        if (text[i] == ' ')
            best = i;
        i += k;
    }
    return i;
}

void wlab_draw_message(wlab_canvas *c, const wlab_rect *r, wlab_style style, const char *text)
{
    int rows = 0, width = r->cols > 6 ? r->cols - 2 : r->cols;

    if (r->rows < 1 || width < 1)
        return;
    for (const char *p = text; *p; rows++) {
        p += fit_line(p, width);
        p += strspn(p, " ");
    }
    int row = rows < r->rows ? (r->rows - rows) / 2 : 0;
    for (const char *p = text; *p; row++) {
        size_t n = fit_line(p, width);
        char one[512];
        snprintf(one, sizeof one, "%.*s", (int)n, p);
        wlab_canvas_text(c, r, row, (r->cols - wlab_text_columns(one)) / 2, style, "%s", one);
        p += n;
        p += strspn(p, " ");
    }
}

static const char *advised(const wlab_scene *s)
{
    return wlab_algo_advised(s->session ? wlab_session_problem(s->session) : NULL);
}

void wlab_draw_no_run(const wlab_scene *s, wlab_canvas *c, const wlab_rect *r)
{
    char text[80];

    snprintf(text, sizeof text, "no run yet: algo %s, or lesson", advised(s));
    wlab_draw_message(c, r, WL_S_DIM, text);
}

void wlab_draw_no_figure(const wlab_scene *s, const wlab_picture *p, wlab_canvas *c, const wlab_rect *r)
{
    if (!s->mirrors)
        wlab_draw_no_run(s, c, r);
    else
        wlab_draw_message(c, r, WL_S_DIM, p->why[0] ? p->why : "nothing to draw yet: F5 makes a step");
}

void wlab_draw_all_area(const wlab_scene *s, const wlab_picture *p, const wlab_rect *inner, wlab_rect *area)
{
    (void)s;
    (void)p;
    *area = *inner;
}

/* The commands that lead to a first run: data, task, algorithm. */
typedef struct guide {
    char todo[3][64];
    int done;
} guide;

static guide guide_of(const wlab_scene *scene)
{
    const bool data = scene->session && wlab_session_data(scene->session),
               task = scene->session && wlab_session_problem(scene->session);
    guide g = {.todo = {"generate two-moons", "task ssl labeled=4"}, .done = task ? 2 : data ? 1 : 0};

    snprintf(g.todo[2], sizeof g.todo[2], "algo %s", advised(scene));
    return g;
}

void wlab_pane_suggestion(const wlab_scene *scene, char *buf, size_t size)
{
    const guide g = guide_of(scene);

    snprintf(buf, size, "%s", g.todo[g.done]);
}

void wlab_draw_guide(const wlab_scene *scene, wlab_canvas *c, const wlab_rect *r)
{
    const wlab_dataset *data = scene->session ? wlab_session_data(scene->session) : NULL;
    const wlab_problem *task = scene->session ? wlab_session_problem(scene->session) : NULL;
    const char *const what[] = {"1 data", "2 observed labels", "3 algorithm"};
    const guide g = guide_of(scene);
    const int done = g.done;
    int row = r->rows >= 10 ? 1 : 0, gap = r->rows >= 10 ? 3 : 2;

    if (r->rows < 6 || r->cols < 20) {
        char text[200];
        snprintf(text, sizeof text, "%s: %s", scene->command ? "computing" : "F5 types",
                 scene->command ? scene->command : g.todo[done]);
        wlab_draw_message(c, r, WL_S_STRONG, text);
        return;
    }
    for (int k = 0; k < 3; k++, row += gap) {
        if (k < done) {
            wlab_canvas_text(c, r, row, 1, WL_S_DIM, "%s", what[k]);
            if (k == 0)
                wlab_canvas_text(c, r, row + 1, 3, WL_S_TEXT, "%s, %lld x %ld", data->name,
                                 (long long)data->X->rows, (long)data->X->cols);
            else
                wlab_canvas_text(c, r, row + 1, 3, WL_S_TEXT, "%s, %lld labelled", task->task->name,
                                 (long long)task->labelled);
        } else if (k == done && scene->command) {
            wlab_canvas_text(c, r, row, 1, WL_S_STRONG, "%s: computing", what[k]);
            wlab_canvas_text(c, r, row + 1, 3, WL_S_RUNNING, "%s", scene->command);
        } else {
            wlab_canvas_text(c, r, row, 1, k == done ? WL_S_STRONG : WL_S_DIM, "%s%s", what[k],
                             k == done ? ": F5 types this" : "");
            wlab_canvas_text(c, r, row + 1, 3, k == done ? WL_S_NEXT : WL_S_DIM, "%s", g.todo[k]);
        }
    }
    if (row < r->rows)
        wlab_canvas_text(c, r, row, 1, WL_S_DIM,
                         done < 1 ? "or: load FILE, lesson, help" : "or: lesson, help");
}
