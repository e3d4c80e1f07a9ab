/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pane `labels`: the labels of all rows over the last steps, a line a step, the newest at the bottom.
 *
 * The rows are sorted by what they are now, then by what they were in the oldest line, so that the classes are blocks and
 * those that wander stand together; neighbours share a column where there are more rows than columns.
 */
#include "tui/pane_draw.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct item {
    int32_t instance;
    int8_t given, now, then;
} item;

static int order(const void *a, const void *b)
{
    const item *x = a, *y = b;
    int kx = -2 * x->now - x->given, ky = -2 * y->now - y->given; /* given ones at both ends */
    if (kx != ky)
        return kx < ky ? -1 : 1;
    if (x->then != y->then)
        return x->then > y->then ? -1 : 1;
    return x->instance < y->instance ? -1 : x->instance > y->instance;
}

enum {
    WIDEST = 8 /* columns that one row takes where there are few rows */
};

static int number_width(int64_t iter)
{
    char text[24];
    int w = snprintf(text, sizeof text, "%lld", (long long)iter);
    return w < 3 ? 3 : w;
}

typedef struct cell {
    int32_t n, positive, negative, to_positive, to_negative, given;
} cell;

static void apply(int8_t *labels, const wlab_trace_row *row)
{
    for (int64_t k = 0; k < row->nflips; k++)
        labels[row->flip[k].instance] = row->flip[k].to;
}

static void put_cell(const wlab_scene *s, const cell *k, wlab_canvas *c, const wlab_rect *r, int row, int col,
                     int wide, bool single)
{
    static const wchar_t shade[] = {0x2591, 0x2591, 0x2592, 0x2593, 0x2588, 0x2588};
    bool up = k->positive > k->negative;
    wlab_style style = up ? WL_S_POSITIVE : k->negative ? WL_S_NEGATIVE : WL_S_UNKNOWN;
    wchar_t ch;

    if (k->to_positive + k->to_negative > 0) {
        up = k->to_positive > k->to_negative;
        style = up ? WL_S_FLIP_POSITIVE : WL_S_FLIP_NEGATIVE;
        ch = wlab_class_mark(up ? 1 : -1);
    } else if (single && k->given) {
        style = up ? WL_S_GIVEN_POSITIVE : WL_S_GIVEN_NEGATIVE;
        ch = up ? L'A' : L'B';
    } else if (!k->positive && !k->negative) {
        ch = s->ascii ? L' ' : 0xb7;
    } else if (s->ascii) {
        ch = 4 * k->positive >= 3 * k->n ? L'#' : 4 * k->negative >= 3 * k->n ? L'.' : L'=';
    } else {
        ch = shade[(5 * k->positive + k->n / 2) / k->n];
    }
    for (int w = 0; w < wide; w++)
        wlab_canvas_put(c, r, row, col + w, ch, style);
}

static void legend(const wlab_scene *s, const wlab_problem *p, wlab_canvas *c, const wlab_rect *in, int row,
                   int columns)
{
    int col = 1;
    wlab_canvas_put(c, in, row, col, s->ascii ? L'#' : 0x2588, WL_S_POSITIVE);
    col += 2 + wlab_canvas_text(c, in, row, col + 2, WL_S_POSITIVE, "%.10s", wlab_class_name(p, 1)) + 2;
    wlab_canvas_put(c, in, row, col, s->ascii ? L'.' : 0x2591, WL_S_NEGATIVE);
    col += 2 + wlab_canvas_text(c, in, row, col + 2, WL_S_NEGATIVE, "%.10s", wlab_class_name(p, -1)) + 2;
    wlab_canvas_put(c, in, row, col, wlab_class_mark(1), WL_S_FLIP_POSITIVE);
    wlab_canvas_put(c, in, row, col + 1, wlab_class_mark(-1), WL_S_FLIP_NEGATIVE);
    col += 3 + wlab_canvas_text(c, in, row, col + 3, WL_S_TEXT, "flipped") + 2;
    char rows[32];
    if (p->n % columns)
        snprintf(rows, sizeof rows, "%lld-%lld", (long long)(p->n / columns),
                 (long long)(p->n / columns + 1));
    else
        snprintf(rows, sizeof rows, "%lld", (long long)(p->n / columns));
    if (p->n > columns && col + 11 + (int)strlen(rows) <= in->cols) {
        wlab_canvas_text(c, in, row, col, WL_S_DIM, "cell: %s rows", rows);
    } else if (p->n == columns && p->labelled > 0 && col + 12 <= in->cols) {
        wlab_canvas_put(c, in, row, col, L'A', WL_S_GIVEN_POSITIVE);
        wlab_canvas_put(c, in, row, col + 1, L'B', WL_S_GIVEN_NEGATIVE);
        wlab_canvas_text(c, in, row, col + 3, WL_S_TEXT, "labelled");
    }
}

static void draw(const wlab_scene *s, const wlab_picture *pic, wlab_canvas *c, const wlab_rect *in)
{
    const wlab_mirror *m = s->mirrors ? s->mirror[0] : NULL;
    (void)pic;

    if (!m || m->problem->n < 1) {
        wlab_draw_message(c, in, WL_S_DIM, "no run yet: algo wellsvm, or lesson");
        return;
    }
    const wlab_problem *p = m->problem;
    int64_t n = p->n;
    int legend_rows = in->rows >= 4, lines = in->rows - legend_rows, wide;
    int left = in->cols >= 24 ? number_width(m->rows - 1) + 2 : 0;
    wlab_rect r = {in->row, in->col + left, lines, in->cols - left - (left > 0)};
    if (lines < 1 || r.cols < 1)
        return;
    int64_t first = m->rows > lines ? m->rows - lines : 0; /* the oldest line's row of the trace */
    wide = n < r.cols ? (int)(r.cols / n) : 1;
    wide = wide < WIDEST ? wide : WIDEST;
    int columns = n < r.cols ? (int)n : r.cols;

    int8_t *labels = wlab_alloc((size_t)n, sizeof *labels);
    item *sorted = wlab_alloc((size_t)n, sizeof *sorted);
    cell *sum = wlab_alloc((size_t)columns, sizeof *sum);
    int32_t *place = wlab_alloc((size_t)n, sizeof *place); /* [n] the column of an instance */
    if (!labels || !sorted || !sum || !place) {
        wlab_draw_message(c, in, WL_S_DIM, "memory is short");
        goto out;
    }
    memcpy(labels, m->labels_first, (size_t)n);
    for (int64_t i = 1; i <= first; i++)
        apply(labels, &m->row[i]);
    for (int64_t i = 0; i < n; i++)
        sorted[i] = (item){(int32_t)i, p->visible[i], labels[i], labels[i]};
    for (int64_t i = first + 1; i < m->rows; i++)
        for (int64_t k = 0; k < m->row[i].nflips; k++)
            sorted[m->row[i].flip[k].instance].now = m->row[i].flip[k].to;
    qsort(sorted, (size_t)n, sizeof *sorted, order);
    for (int64_t i = 0; i < n; i++)
        place[sorted[i].instance] = (int32_t)(i * columns / n);

    for (int64_t t = first; t < m->rows; t++) {
        int row = (int)(t - first);
        memset(sum, 0, (size_t)columns * sizeof *sum);
        if (t > first)
            apply(labels, &m->row[t]);
        for (int64_t i = 0; i < n; i++) {
            cell *k = &sum[place[i]];
            k->n++;
            k->positive += labels[i] > 0;
            k->negative += labels[i] < 0;
            k->given += p->visible[i] != 0;
        }
        for (int64_t k = 0; k < m->row[t].nflips; k++) {
            const wlab_flip *f = &m->row[t].flip[k];
            sum[place[f->instance]].to_positive += f->to > 0;
            sum[place[f->instance]].to_negative += f->to < 0;
        }
        for (int k = 0; k < columns; k++)
            put_cell(s, &sum[k], c, &r, row, k * wide, wide, n == columns);
        if (left)
            wlab_canvas_text(c, in, row, 1, t == m->rows - 1 ? WL_S_STRONG : WL_S_DIM, "%*lld", left - 2,
                             (long long)m->row[t].iter);
    }
    if (legend_rows)
        legend(s, p, c, in, in->rows - 1, columns);
out:
    wlab_free(labels);
    wlab_free(sorted);
    wlab_free(sum);
    wlab_free(place);
}

static void title(const wlab_scene *s, const wlab_picture *p, char *buf, size_t size)
{
    (void)s;
    (void)p;
    snprintf(buf, size, "labels, a line a step");
}

static bool fits(const wlab_scene *s)
{
    return s->mirrors > 0;
}

const wlab_pane wlab_pane_labels = {
    .name = "labels",
    .summary = "the labels of all rows over the last steps, and which of them flipped",
    .view = -1,
    .fits = fits,
    .title = title,
    .draw = draw,
};
