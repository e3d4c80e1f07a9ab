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
#include <wchar.h>

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
    WIDEST = 8, /* columns that one row takes where there are few rows */
    PART =
        4 /* a cell counts as flipped when one in so many of its rows flipped: its class stays to be seen */
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

    int32_t flips = k->to_positive + k->to_negative;
    if (flips > 0 && flips >= k->n / PART + (k->n % PART != 0)) {
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

typedef struct legend {
    const wlab_scene *scene;
    wlab_canvas *c;
    const wlab_rect *in;
    int top, row, col, rows; /* rows: as many as there may be */
    bool cut;                /* something had no room */
} legend;

/* Marks and what they say, on the next line where they do not fit; c = NULL: only the places. */
static void entry(legend *l, const wchar_t *marks, const wlab_style *styles, wlab_style words,
                  const char *text)
{
    int n = (int)wcslen(marks), need = n + (n > 0) + wlab_text_columns(text);

    if (l->col > 1 && l->col + need > l->in->cols && l->row + 1 < l->rows) {
        l->row++;
        l->col = 1;
    }
    if (l->col + need > l->in->cols) {
        l->cut = true;
        return;
    }
    if (l->c) {
        for (int k = 0; k < n; k++)
            wlab_canvas_put(l->c, l->in, l->top + l->row, l->col + k, marks[k], styles[k]);
        wlab_canvas_text(l->c, l->in, l->top + l->row, l->col + n + (n > 0), words, "%s", text);
    }
    l->col += need + 2;
}

static void entries(legend *l, const wlab_problem *p, int columns, bool brief)
{
    static const wlab_style shades[] = {WL_S_POSITIVE, WL_S_POSITIVE, WL_S_NEGATIVE, WL_S_NEGATIVE},
                            flips[] = {WL_S_FLIP_POSITIVE, WL_S_FLIP_NEGATIVE},
                            given[] = {WL_S_GIVEN_POSITIVE, WL_S_GIVEN_NEGATIVE};
    bool ascii = l->scene->ascii, shared = p->n > columns;
    int64_t least = p->n / columns, most = least + (p->n % columns != 0);
    char text[64];

    if (shared) {
        snprintf(text, sizeof text, "%.10s to %.10s", wlab_problem_class(p, 1), wlab_problem_class(p, -1));
        entry(l, ascii ? L"#=." : L"\x2588\x2593\x2592\x2591", ascii ? shades + 1 : shades, WL_S_TEXT, text);
    } else {
        snprintf(text, sizeof text, "%.10s", wlab_problem_class(p, 1));
        entry(l, ascii ? L"#" : L"\x2588", shades, WL_S_POSITIVE, text);
        snprintf(text, sizeof text, "%.10s", wlab_problem_class(p, -1));
        entry(l, ascii ? L"." : L"\x2591", shades + 2, WL_S_NEGATIVE, text);
    }
    entry(l, L"+o", flips, WL_S_TEXT,
          most <= PART ? "flipped"
          : brief      ? "1/4 flipped"
                       : "1/4 or more flipped");
    if (shared) {
        char rows[48];
        snprintf(rows, sizeof rows, "%lld-%lld", (long long)least, (long long)most);
        if (least == most || least >= 100) /* one more or less is nothing then */
            snprintf(rows, sizeof rows, "%lld", (long long)least);
        snprintf(text, sizeof text, brief ? "%s a cell" : "cell: %s rows", rows);
        entry(l, L"", NULL, WL_S_DIM, text);
    } else if (p->labelled > 0) {
        entry(l, L"AB", given, WL_S_TEXT, "labelled");
    }
}

/* On one line, if need be in fewer words; on two where there is height.  The lines it takes; c = NULL: no more than that. */
static int put_legend(const wlab_scene *s, const wlab_problem *p, wlab_canvas *c, const wlab_rect *in,
                      int columns, int top)
{
    int most = in->rows >= 6 ? 2 : in->rows >= 4 ? 1 : 0;
    legend l = {.cut = true};
    bool brief = false;

    for (int rows = 1; rows <= most && l.cut; rows++)
        for (int k = 0; k < 2 && l.cut; k++) {
            brief = k > 0;
            l = (legend){.scene = s, .in = in, .col = 1, .rows = rows};
            entries(&l, p, columns, brief);
        }
    if (c && most > 0) {
        l = (legend){.scene = s, .c = c, .in = in, .top = top, .col = 1, .rows = l.rows};
        entries(&l, p, columns, brief);
    }
    return most > 0 ? l.row + 1 : 0;
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
    int left = in->cols >= 24 ? number_width(m->rows - 1) + 2 : 0, wide;
    wlab_rect r = {in->row, in->col + left, in->rows, in->cols - left - (left > 0)};
    if (r.rows < 1 || r.cols < 1)
        return;
    int columns = n < r.cols ? (int)n : r.cols, lines = in->rows - put_legend(s, p, NULL, in, columns, 0);
    r.rows = lines;
    int64_t first = m->rows > lines ? m->rows - lines : 0; /* the oldest line's row of the trace */
    wide = n < r.cols ? (int)(r.cols / n) : 1;
    wide = wide < WIDEST ? wide : WIDEST;

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

    memcpy(labels, m->labels_first, (size_t)n); /* again: what a row's labels were before it */
    for (int64_t i = 1; i < first; i++)
        apply(labels, &m->row[i]);
    for (int64_t t = first; t < m->rows; t++) {
        int row = (int)(t - first);
        memset(sum, 0, (size_t)columns * sizeof *sum);
        for (int64_t k = 0; k < m->row[t].nflips; k++) {
            const wlab_flip *flip = &m->row[t].flip[k];
            if (!labels[flip->instance]) /* its first label is no flip */
                continue;
            sum[place[flip->instance]].to_positive += flip->to > 0;
            sum[place[flip->instance]].to_negative += flip->to < 0;
        }
        apply(labels, &m->row[t]);
        for (int64_t i = 0; i < n; i++) {
            cell *k = &sum[place[i]];
            k->n++;
            k->positive += labels[i] > 0;
            k->negative += labels[i] < 0;
            k->given += p->visible[i] != 0;
        }
        for (int k = 0; k < columns; k++)
            put_cell(s, &sum[k], c, &r, row, k * wide, wide, n == columns);
        if (left)
            wlab_canvas_text(c, in, row, 1, t == m->rows - 1 ? WL_S_STRONG : WL_S_DIM, "%*lld", left - 2,
                             (long long)m->row[t].iter);
    }
    put_legend(s, p, c, in, columns, lines);
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
