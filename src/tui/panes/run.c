/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pane `run`: the metrics of the run, aligned, with what the last step did to them; of several runs a column each.
 */
#include "tui/panes/draw.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_LINES = 64,
    MOST_RUNS = 8
};

/* What matters most comes first when there is little room; the lines then stand in the algorithm's order. */
static int rank(const wlab_metric_info *metric)
{
    return wlab_metric_style(metric).pane;
}

/* Runs of several algorithms stand side by side: what they have in common has the same name. */
static double value_of(const wlab_mirror *m, int64_t row, const char *metric)
{
    const int k = wlab_metric_index(m->algo, metric);
    return k < 0 || row < 0 || row >= m->rows ? (double)NAN : m->row[row].metric[k];
}

static bool has_value(const wlab_mirror *m, const char *metric)
{
    const int k = wlab_metric_index(m->algo, metric);
    for (int64_t i = 0; k >= 0 && i < m->rows; i++)
        if (isfinite(m->row[i].metric[k]))
            return true;
    return false;
}

/* Which metrics get one of `room` lines: those with a value in any run, by rank, then in the table's order. */
static int choose(const wlab_scene *s, int room, int *line)
{
    const wlab_algo *a = s->mirror[0]->algo;
    bool taken[MOST_LINES] = {false};
    int all = wlab_metric_count(a), n = 0;

    all = all < MOST_LINES ? all : MOST_LINES;
    while (n < room) {
        int best = -1;
        for (int k = 0; k < all; k++) {
            bool some = false;
            for (int r = 0; r < s->mirrors; r++)
                some = some || has_value(s->mirror[r], a->metrics[k].name);
            if (some && !taken[k] && (best < 0 || rank(&a->metrics[k]) < rank(&a->metrics[best])))
                best = k;
        }
        if (best < 0)
            break;
        taken[best] = true;
        n++;
    }
    n = 0;
    for (int k = 0; k < all; k++)
        if (taken[k])
            line[n++] = k;
    return n;
}

static const char *arrow(const wlab_scene *s, double now, double before)
{
    if (!isfinite(now) || !isfinite(before) || now == before)
        return " ";
    return now > before ? (s->ascii ? "^" : "\xe2\x96\xb2") : (s->ascii ? "v" : "\xe2\x96\xbc");
}

/* A value in at most `room` columns, its part from the point on in `after`, with up to six digits and at least three (for
 * a small room two); if that cannot be, the shortest. */
static void fit(const wlab_metric_info *i, double v, int room, int after, char *text, size_t size)
{
    int least = room < 8 ? 2 : 3;
    for (int digits = i->log || (i->flags & WL_M_VOLATILE) ? 4 : 6; digits >= least; digits--) {
        wlab_number_text(v, digits, i->flags & WL_M_COUNT, text, size);
        int n = (int)strlen(text);
        if (n <= room && n - wlab_number_point(text) <= after)
            return;
    }
}

/* One run's values in a field of columns that ends at `end`: the points under each other, but for what would not fit so. */
static void column(const wlab_scene *s, int r, const int *line, int n, wlab_canvas *c, const wlab_rect *in,
                   int top, int begin, int end)
{
    const wlab_mirror *m = s->mirror[r];
    char text[MOST_LINES][32];
    int before = 0, after = 0, arrows = s->mirrors == 1 ? 2 : 0, room = end - begin;

    for (int k = 0; k < n; k++) { /* the digits before the point decide how many may follow it */
        const wlab_metric_info *i = &s->mirror[0]->algo->metrics[line[k]];
        fit(i, value_of(m, m->rows - 1, i->name), room, room, text[k], sizeof text[k]);
        int point = wlab_number_point(text[k]);
        before = point > before ? point : before;
    }
    for (int k = 0; k < n; k++) {
        const wlab_metric_info *i = &s->mirror[0]->algo->metrics[line[k]];
        fit(i, value_of(m, m->rows - 1, i->name), room, room - before, text[k], sizeof text[k]);
        int rest = (int)strlen(text[k]) - wlab_number_point(text[k]);
        after = rest > after && rest <= room - before ? rest : after;
    }
    for (int k = 0; k < n; k++) {
        const char *name = s->mirror[0]->algo->metrics[line[k]].name;
        int len = (int)strlen(text[k]);
        int point = wlab_number_point(text[k]), col = len - point <= after ? end - after - point : end - len;
        wlab_rect field = {in->row, in->col + begin, in->rows, end + arrows - begin};
        wlab_canvas_text(c, &field, top + k, col - begin > 0 ? col - begin : 0, WL_S_STRONG, "%s", text[k]);
        if (!arrows || s->mirror[0]->algo->metrics[line[k]].flags & WL_M_VOLATILE)
            continue;
        wlab_canvas_text(c, &field, top + k, end + 1 - begin, WL_S_DIM, "%s",
                         arrow(s, value_of(m, m->rows - 1, name), value_of(m, m->rows - 2, name)));
    }
}

/* What was given at the start or changed since, as far as there are lines. */
static void params(const wlab_mirror *m, wlab_canvas *c, const wlab_rect *in, int row)
{
    for (const wlab_param_info *i = wlab_params_table(m->params); i->name && row < in->rows; i++) {
        const wlab_change *last = NULL;
        for (int k = 0; k < m->changes; k++)
            if (strcmp(m->change[k].name, i->name) == 0)
                last = &m->change[k];
        if (!last && !wlab_params_given(m->params, i->name))
            continue;
        const char *value = last ? last->value : wlab_params_text(m->params, i->name);
        if (last)
            wlab_canvas_text(c, in, row++, 1, WL_S_STRONG, "%s=%s since step %lld", i->name, value,
                             (long long)last->iter);
        else
            wlab_canvas_text(c, in, row++, 1, WL_S_DIM, "%s=%s", i->name, value ? value : "-");
    }
}

/* As wlab_view_place: a run has the colour that its curves have. */
static int place(const wlab_scene *s, int r)
{
    int before = 0;
    for (int i = 0; i < s->mirrors; i++)
        before += s->mirror[i]->number < s->mirror[r]->number;
    return before;
}

static void draw(const wlab_scene *s, const wlab_picture *p, wlab_canvas *c, const wlab_rect *in)
{
    int line[MOST_LINES], runs = s->mirrors < MOST_RUNS ? s->mirrors : MOST_RUNS,
                          head = runs > 1 || in->rows > 3;
    (void)p;

    if (!runs) {
        wlab_draw_guide(s, c, in);
        return;
    }
    int n = choose(s, in->rows - head < MOST_LINES ? in->rows - head : MOST_LINES, line), names = 4;
    for (int k = 0; k < n; k++) {
        int w = (int)strlen(s->mirror[0]->algo->metrics[line[k]].name);
        names = w > names ? w : names;
    }
    int room = in->cols - names - 2;
    if (s->mirrors > 1 && room < 9 * runs) { /* names give way, then runs */
        runs = in->cols / 8 - 1 < runs ? in->cols / 8 - 1 : runs;
        runs = runs < 1 ? 1 : runs;
        room = in->cols - 2 - names > 9 * runs ? in->cols - 2 - names
               : in->cols - 9 > 8 * runs       ? in->cols - 9
                                               : 8 * runs;
    }
    if (room < 8)
        room = in->cols - 9 > 8 ? 9 : in->cols > 8 ? 8 : in->cols;
    int first = in->cols - room;
    if (head)
        wlab_canvas_text(c, in, 0, 1, WL_S_DIM, "step");
    wlab_rect left = {in->row, in->col, in->rows, first > 0 ? first - 1 : 0};
    for (int k = 0; k < n; k++) {
        const char *name = s->mirror[0]->algo->metrics[line[k]].name;
        int width = left.cols - 1;
        wlab_canvas_text(c, &left, head + k, 1, WL_S_TEXT, "%s",
                         (int)strlen(name) <= width ? name : wlab_draw_short(name, width));
    }
    for (int r = 0; r < runs; r++) {
        const wlab_mirror *m = s->mirror[r];
        int begin = first + r * (room / runs), end = begin + room / runs - (s->mirrors > 1 ? 0 : 2);
        begin += s->mirrors > 1;
        column(s, r, line, n, c, in, head, begin, end);
        if (head) {
            char text[64];
            if (s->mirrors > 1)
                snprintf(text, sizeof text, "%.12s:%lld", m->name, (long long)(m->rows - 1));
            else if (m->half > 0)
                snprintf(text, sizeof text, "%lld + %lld inner", (long long)(m->rows - 1),
                         (long long)m->half);
            else
                snprintf(text, sizeof text, "%lld", (long long)(m->rows - 1));
            if (s->mirrors == 1 && wlab_text_columns(text) > end - begin)
                snprintf(text, sizeof text, "%lld+%lld", (long long)(m->rows - 1), (long long)m->half);
            int col = end - wlab_text_columns(text);
            wlab_canvas_text(c, in, 0, col > begin ? col : begin,
                             s->mirrors > 1 ? (wlab_style)(WL_S_INK1 + place(s, r) % 7) : WL_S_STRONG, "%s",
                             text);
        }
    }
    if (head + n + 2 < in->rows && s->mirrors == 1)
        params(s->mirror[0], c, in, head + n + 1);
}

static void title(const wlab_scene *s, const wlab_picture *p, char *buf, size_t size)
{
    (void)p;
    if (!s->mirrors)
        snprintf(buf, size, "start");
    else if (s->mirrors > 1)
        snprintf(buf, size, "%d runs", s->mirrors);
    else
        snprintf(buf, size, "run %s", s->mirror[0]->name);
}

const wlab_pane wlab_pane_run = {
    .name = "run",
    .summary = "the metrics of the run, and whether the last step raised or lowered them",
    .side = WL_SIDE_RIGHT,
    .rank = 7,
    .weight = 14,
    .title = title,
    .draw = draw,
};
