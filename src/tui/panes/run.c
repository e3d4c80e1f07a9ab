/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pane `run`: the metrics of the run, aligned, and whether the last step raised or lowered them; one column per run.
 */
#include "tui/panes/draw.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_LINES = 64,
    MOST_RUNS = 8,
    NARROW = 7 /* columns of one of several runs, with the space before it, and of the names, at least */
};

/* The most important metrics are chosen first if space is short; the lines then have the algorithm's order. */
static int rank(const wlab_metric_info *metric)
{
    return wlab_metric_style(metric).pane;
}

/* A metric by name, because compared runs may have different algorithms: a common metric has the same name. */
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

/* Choose the metrics that get one of `lines` lines: those with a value in any run, by rank, then in the table's
 * order. */
static int select_metrics(const wlab_scene *s, int lines, int *line)
{
    const wlab_algo *a = s->mirror[0]->algo;
    bool selected[MOST_LINES] = {false};
    int all = wlab_metric_count(a), n = 0;

    all = all < MOST_LINES ? all : MOST_LINES;
    while (n < lines) {
        int best = -1;
        for (int k = 0; k < all; k++) {
            bool some = false;
            for (int r = 0; r < s->mirrors; r++)
                some = some || has_value(s->mirror[r], a->metrics[k].name);
            if (some && !selected[k] && (best < 0 || rank(&a->metrics[k]) < rank(&a->metrics[best])))
                best = k;
        }
        if (best < 0)
            break;
        selected[best] = true;
        n++;
    }
    n = 0;
    for (int hidden = 1; hidden >= 0; hidden--) /* the score first: who switched it on wants to see it */
        for (int k = 0; k < all; k++)
            if (selected[k] && wlab_role_is_hidden(a->metrics[k].role) == hidden)
                line[n++] = k;
    return n;
}

/* No arrow for a change that the digits shown do not have: it may be rounding only. */
static const char *arrow(const wlab_scene *s, double now, double before, bool same_text)
{
    if (!isfinite(now) || !isfinite(before) || same_text)
        return " ";
    return now > before ? (s->ascii ? "^" : "\xe2\x96\xb2") : (s->ascii ? "v" : "\xe2\x96\xbc");
}

/* Write a value in at most `width` columns, with up to six digits: at most `after` columns from the point on if that
 * leaves three digits (two if width is small). */
static void put_value(const wlab_metric_info *i, double v, int width, int after, char *text, size_t size)
{
    int least = width < 8 ? 2 : 3;
    for (int digits = i->log || (i->flags & WL_M_VOLATILE) ? 4 : 6; digits >= least; digits--) {
        wlab_number_text(v, digits, i->flags & WL_M_COUNT, text, size);
        int n = (int)strlen(text);
        if (n <= width && n - wlab_number_point(text) <= after)
            return;
    }
    wlab_number_fit(v, least, i->flags & WL_M_COUNT, width, text, size);
}

/* One run's values in a field that ends at column `end`, aligned at their decimal points where that fits. */
static void draw_column(const wlab_scene *s, int r, const int *line, int n, wlab_canvas *c,
                        const wlab_rect *in, int top, int begin, int end)
{
    const wlab_mirror *m = s->mirror[r];
    char text[MOST_LINES][32];
    int before = 0, after = 0, arrows = s->mirrors == 1 ? 2 : 0, width = end - begin;

    for (int k = 0; k < n; k++) { /* the digits before the point limit those after it */
        const wlab_metric_info *i = &s->mirror[0]->algo->metrics[line[k]];
        put_value(i, value_of(m, m->rows - 1, i->name), width, width, text[k], sizeof text[k]);
        int point = wlab_number_point(text[k]);
        before = point > before ? point : before;
    }
    for (int k = 0; k < n; k++) {
        const wlab_metric_info *i = &s->mirror[0]->algo->metrics[line[k]];
        put_value(i, value_of(m, m->rows - 1, i->name), width, width - before, text[k], sizeof text[k]);
        int rest = (int)strlen(text[k]) - wlab_number_point(text[k]);
        after = rest > after && rest <= width - before ? rest : after;
    }
    for (int k = 0; k < n; k++) {
        const char *name = s->mirror[0]->algo->metrics[line[k]].name;
        int len = (int)strlen(text[k]);
        int point = wlab_number_point(text[k]), col = len - point <= after ? end - after - point : end - len;
        wlab_rect field = {in->row, in->col + begin, in->rows, end + arrows - begin};
        wlab_canvas_text(c, &field, top + k, col - begin > 0 ? col - begin : 0, WL_S_STRONG, "%s", text[k]);
        if (!arrows || s->mirror[0]->algo->metrics[line[k]].flags & WL_M_VOLATILE)
            continue;
        const double old = value_of(m, m->rows - 2, name);
        char old_text[32];
        put_value(&s->mirror[0]->algo->metrics[line[k]], old, width, width - before, old_text,
                  sizeof old_text);
        wlab_canvas_text(c, &field, top + k, end + 1 - begin, WL_S_DIM, "%s",
                         arrow(s, value_of(m, m->rows - 1, name), old, strcmp(text[k], old_text) == 0));
    }
}

/* The parameters given at the start or changed since, as many as there are lines. */
static void draw_params(const wlab_scene *s, wlab_canvas *c, const wlab_rect *in, int row)
{
    const wlab_mirror *m = s->mirror[0];

    for (const wlab_param_info *i = wlab_params_table(m->params); i->name && row < in->rows; i++) {
        const wlab_change *last = NULL;
        for (int k = 0; k < m->changes; k++)
            if (strcmp(m->change[k].name, i->name) == 0)
                last = &m->change[k];
        if (!last && !wlab_params_given(m->params, i->name))
            continue;
        const char *value = last ? last->value : wlab_params_text(m->params, i->name);
        char text[160] = "";
        const wlab_rect line = {in->row + row++, in->col, 1, in->cols};
        wlab_text_append(text, sizeof text, "%s=%s", i->name, value ? value : "-");
        if (last)
            wlab_text_append(text, sizeof text, " since step %lld", (long long)last->iter);
        wlab_draw_cut(s, c, &line, 1, in->cols - 1, last ? WL_S_STRONG : WL_S_DIM, text);
    }
}

/* As wlab_view_place: a run has the colour of its curves. */
static int place(const wlab_scene *s, int r)
{
    int before = 0;
    for (int i = 0; i < s->mirrors; i++)
        before += s->mirror[i]->number < s->mirror[r]->number;
    return before;
}

/* In the last line: the runs that have no column, by name if the names fit. */
static void draw_rest(const wlab_scene *s, int shown, wlab_canvas *c, const wlab_rect *in)
{
    char text[200] = "not shown:", count[40];

    for (int r = shown; r < s->mirrors; r++) {
        const size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, " %.12s", s->mirror[r]->name);
    }
    snprintf(count, sizeof count, "not shown: %d runs", s->mirrors - shown);
    wlab_canvas_text(c, in, in->rows - 1, 1, WL_S_STRONG, "%s",
                     wlab_text_columns(text) < in->cols ? text : count);
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
    const int fit = in->cols / NARROW - 1, shown = runs == 1 || fit < 1 ? 1 : fit < runs ? fit : runs;
    const int lines =
        in->rows - head - (shown < s->mirrors && in->rows > 3); /* the last one says what is not shown */
    int n = select_metrics(s, lines < MOST_LINES ? lines : MOST_LINES, line), names = 4;
    for (int k = 0; k < n; k++) {
        int w = (int)strlen(wlab_metric_style(&s->mirror[0]->algo->metrics[line[k]]).heading);
        names = w > names ? w : names;
    }
    int columns = in->cols - names - 2;
    runs = shown;
    if (s->mirrors > 1 && runs > 1 && in->cols / 8 - 1 < runs) { /* narrow columns */
        columns = in->cols - NARROW;
    } else if (s->mirrors > 1 && columns < 9 * runs) { /* shorten the names */
        columns = in->cols - 2 - names > 9 * runs ? in->cols - 2 - names
                  : in->cols - 9 > 8 * runs       ? in->cols - 9
                                                  : 8 * runs;
    }
    if (columns < 8)
        columns = in->cols - 9 > 8 ? 9 : in->cols > 8 ? 8 : in->cols;
    int first = in->cols - columns;
    /* within a step the values are still those of the last whole one */
    const bool inside = s->mirrors == 1 && s->mirror[0]->half > 0;
    if (head)
        wlab_canvas_text(c, in, 0, 1, WL_S_DIM, "%s", inside && first > 11 ? "as of step" : "step");
    wlab_rect left = {in->row, in->col, in->rows, first > 0 ? first - 1 : 0};
    for (int k = 0; k < n; k++) {
        const char *name = wlab_metric_style(&s->mirror[0]->algo->metrics[line[k]]).heading;
        int width = left.cols - 1;
        wlab_canvas_text(c, &left, head + k, 1, WL_S_TEXT, "%s",
                         (int)strlen(name) <= width ? name : wlab_draw_short(name, width));
    }
    for (int r = 0; r < runs; r++) {
        const wlab_mirror *m = s->mirror[r];
        int begin = first + r * (columns / runs), end = begin + columns / runs - (s->mirrors > 1 ? 0 : 2);
        begin += s->mirrors > 1;
        draw_column(s, r, line, n, c, in, head, begin, end);
        if (head) {
            char text[64];
            if (s->mirrors > 1) { /* a long name is cut, the number of steps is not */
                char steps[32];
                wlab_number_fit((double)(m->rows - 1), 6, true, end - begin, steps, sizeof steps);
                const int room = end - begin - (int)strlen(steps) - 1;
                snprintf(text, sizeof text, "%.*s%s%s",
                         room < 1    ? 0
                         : room < 12 ? room
                                     : 12,
                         m->name, room < 1 ? "" : ":", steps);
            } else if (m->half > 0)
                snprintf(text, sizeof text, "%lld (+%lld inner)", (long long)(m->rows - 1),
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
    if (runs < s->mirrors && in->rows > 3)
        draw_rest(s, runs, c, in);
    if (head + n + 2 < in->rows && s->mirrors == 1)
        draw_params(s, c, in, head + n + 1);
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
    .help = "The metrics of the run, aligned at the decimal point. An arrow shows whether the last step "
            "raised or lowered a value; of several runs each has a column, without arrows, and the last line "
            "names those for "
            "which there is no space (F3 enlarges the pane; `compare` prints all). Below are the "
            "settings "
            "that you gave, with `C2=0.1 since step 5` for those "
            "that `set` changed. If there is no space for this pane, its most important numbers are in a "
            "line below the top line. `explain METRIC` says what a metric means.",
    .side = WL_SIDE_RIGHT,
    .rank = 12,
    .weight = 14,
    .title = title,
    .draw = draw,
};
