/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pane `labels`: the labels of all rows over the last steps, one line per step, the newest at the bottom.
 *
 * The rows are sorted by their current label, then by their label in the oldest line: so classes are blocks, and rows
 * that change together are neighbours.  (With signs of bags: by bag, positive ones first.)  If there are more rows
 * than columns, neighbours share a column.  The number of labels that flipped is at the right of each line,
 * because the marks leave out cells in which few labels flipped.
 */
#include "plot/views/classes.h"
#include "plot/views/strip.h"
#include "tui/panes/draw.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

typedef struct item {
    int32_t instance, bag; /* with signs of bags: the bag's rank, positive ones first; else 0 */
    int8_t given, now, then;
    /* two classes: given labels at both ends; more: given labels first in each class; no label last */
    int16_t key;
} item;

static int16_t key_of(const wlab_problem *p, const item *it)
{
    const int k = wlab_label_index(p, it->now);
    return (int16_t)(p->classes <= 2 ? -2 * it->now - it->given
                                     : 2 * (k < 0 ? p->classes : k) + (it->given == 0));
}

static int compare_items(const void *a, const void *b)
{
    const item *x = a, *y = b;
    if (x->bag != y->bag)
        return x->bag < y->bag ? -1 : 1;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->then != y->then)
        return x->then > y->then ? -1 : 1;
    return x->instance < y->instance ? -1 : x->instance > y->instance;
}

static int32_t bag_place(const wlab_problem *p, int64_t i)
{
    return p->task->sees == WL_SEES_BAG_SIGNS
               ? p->bag[i] + (p->bag_given[p->bag[i]] > 0.5 ? 0 : (int32_t)p->bags)
               : 0;
}

enum {
    RIGHT = 33, /* columns from which on flips are counted at the right: the title that says so fits */
    WIDEST = 8, /* columns of one row, if there are few rows */
    PART =
        4 /* a cell is marked as flipped if 1 in PART of its rows flipped, so that its class remains visible */
};

static int number_width(int64_t iter)
{
    char text[24];
    int w = snprintf(text, sizeof text, "%lld", (long long)iter);
    return w < 3 ? 3 : w;
}

/* The largest number at the right. */
static int64_t most_flips(const wlab_mirror *m)
{
    int64_t most = 0;
    for (int64_t t = 0; t < m->rows; t++)
        most = m->row[t].nflips > most ? m->row[t].nflips : most;
    return most;
}

/* Whether a cell of n rows is marked as flipped. */
static bool is_marked(const wlab_strip_cell *k, int64_t n, bool keys)
{
    const int64_t flips = k->to_positive + k->to_negative;
    return flips > 0 && (keys || flips >= n / PART + (n % PART != 0));
}

/* Key instances: one key decides the whole cell, as only one instance of many is a key. */
static void put_cell(const wlab_scene *s, const wlab_strip_cell *k, int64_t n, bool keys, bool given,
                     bool past, wlab_canvas *c, const wlab_rect *r, int row, int col, int wide)
{
    static const wchar_t shade[] = {0x2591, 0x2591, 0x2592, 0x2593, 0x2588, 0x2588};
    bool positive = keys ? k->positive > 0 : k->positive > k->negative;
    wlab_style style = positive ? WL_S_POSITIVE : k->negative ? WL_S_NEGATIVE : WL_S_UNKNOWN;
    wchar_t ch;

    if (is_marked(k, n, keys)) {
        positive = keys ? k->to_positive > 0 : k->to_positive > k->to_negative;
        style = positive ? WL_S_FLIP_POSITIVE : WL_S_FLIP_NEGATIVE;
        ch = wlab_class_mark(positive ? 1 : -1);
    } else if (given) {
        style = positive ? WL_S_GIVEN_POSITIVE : WL_S_GIVEN_NEGATIVE;
        ch = positive ? L'A' : L'B';
    } else if (!k->positive && !k->negative) {
        ch = s->ascii ? L' ' : 0xb7;
    } else if (keys) {
        ch = s->ascii ? (positive ? L'#' : L'.') : (positive ? shade[5] : shade[0]);
    } else if (s->ascii) {
        ch = 4 * k->positive >= 3 * n ? L'#' : 4 * k->negative >= 3 * n ? L'.' : L'=';
    } else {
        ch = shade[(5 * k->positive + n / 2) / n];
    }
    if (past && !is_marked(k, n, keys))
        style = WL_S_DIM;
    for (int w = 0; w < wide; w++)
        wlab_canvas_put(c, r, row, col + w, ch, style);
}

/* More than two classes: the letter of the most frequent class, reversed where rows flipped; a capital is a given
 * label. */
static void put_class_cell(const wlab_problem *p, const wlab_strip_cell *k, int64_t n, bool given, bool past,
                           wlab_canvas *c, const wlab_rect *r, int row, int col, int wide)
{
    const bool flip = is_marked(k, n, false);
    const int index = wlab_label_index(p, flip ? k->to : k->label);
    const wchar_t ch = index < 0 ? L'.' : (wchar_t)wlab_class_letter(index, given);
    for (int w = 0; w < wide; w++)
        wlab_canvas_put(c, r, row, col + w, ch,
                        flip        ? WL_S_FLIP_POSITIVE
                        : past      ? WL_S_DIM
                        : index < 0 ? WL_S_UNKNOWN
                                    : wlab_class_style(index));
}

typedef struct legend {
    const wlab_scene *scene;
    wlab_canvas *c;
    const wlab_rect *in;
    int top, row, col, rows; /* rows: the most rows that the legend may take */
    bool cut;                /* something did not fit */
} legend;

/* Put marks and their meaning, on the next line if they do not fit; c = NULL: only find the places. */
static void put_entry(legend *l, const wchar_t *marks, const wlab_style *styles, wlab_style words,
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

static void put_shared(legend *l, bool brief, int64_t least, int64_t most)
{
    char rows[48], text[64];
    snprintf(rows, sizeof rows, "%lld-%lld", (long long)least, (long long)most);
    if (least == most || least >= 100) /* such numbers differ too little to write both */
        snprintf(rows, sizeof rows, "%lld", (long long)least);
    snprintf(text, sizeof text, brief ? "%s per cell" : "cell: %s rows", rows);
    put_entry(l, L"", NULL, WL_S_DIM, text);
}

/* As many classes as fit after the entries on flips. */
static void put_class_entries(legend *l, const wlab_problem *p, bool brief, bool shared, int64_t least,
                              int64_t most)
{
    static const wlab_style flips[] = {WL_S_FLIP_POSITIVE};
    put_entry(l, L"a", flips, WL_S_TEXT,
              most <= PART ? "flipped"
              : brief      ? "1/4 flipped"
                           : "1/4 or more flipped");
    if (shared)
        put_shared(l, brief, least, most);
    else if (p->labelled > 0)
        put_entry(l, L"A", (const wlab_style[]){WL_S_TEXT}, WL_S_TEXT, "labelled");
    for (int k = 0; k < p->classes && !l->cut; k++) {
        const wchar_t mark[2] = {(wchar_t)wlab_class_letter(k, false), 0};
        const wlab_style style = wlab_class_style(k);
        char text[16], more[24];
        snprintf(text, sizeof text, "%.12s",
                 k == 0 && p->task->clusters ? wlab_class_name(p, 1) : wlab_problem_class(p, k + 1));
        const int left = p->classes - k, need = 2 + wlab_text_columns(text);
        const int rest = left > 1 ? 2 + snprintf(more, sizeof more, "%d more", left) : 0;
        const bool last = l->row + 1 >= l->rows || (l->row + 2 >= l->rows && l->col + need > l->in->cols);
        const int col = l->col > 1 && l->col + need > l->in->cols && l->row + 1 < l->rows ? 1 : l->col;
        if (last && col + need + rest > l->in->cols) {
            snprintf(more, sizeof more, "%d more", left);
            put_entry(l, L"", NULL, WL_S_DIM, more);
            l->cut = true;
            return;
        }
        put_entry(l, mark, &style, style, text);
    }
}

static void put_entries(legend *l, const wlab_problem *p, int columns, bool brief)
{
    static const wlab_style shades[] = {WL_S_POSITIVE, WL_S_POSITIVE, WL_S_NEGATIVE, WL_S_NEGATIVE},
                            flips[] = {WL_S_FLIP_POSITIVE, WL_S_FLIP_NEGATIVE},
                            given[] = {WL_S_GIVEN_POSITIVE, WL_S_GIVEN_NEGATIVE};
    bool ascii = l->scene->ascii, shared = p->n > columns;
    int64_t least = p->n / columns, most = least + (p->n % columns != 0);
    const bool keys = p->keys;
    if (p->classes > 2) {
        put_class_entries(l, p, brief, shared, least, most);
        return;
    }
    const char *up = keys ? "key" : wlab_class_name(p, 1);
    const char *down = keys ? (brief ? "neg. bag" : "negative bag") : wlab_class_name(p, -1);
    char text[64];

    if (shared && !keys) {
        snprintf(text, sizeof text, "%.10s to %.10s", up, down);
        put_entry(l, ascii ? L"#=." : L"\x2588\x2593\x2592\x2591", ascii ? shades + 1 : shades, WL_S_TEXT,
                  text);
    } else {
        snprintf(text, sizeof text, "%.10s", up);
        put_entry(l, ascii ? L"#" : L"\x2588", shades, WL_S_POSITIVE, text);
        snprintf(text, sizeof text, "%.12s", down);
        put_entry(l, ascii ? L"." : L"\x2591", shades + 2, WL_S_NEGATIVE, text);
    }
    if (keys) {
        static const wlab_style none[] = {WL_S_UNKNOWN, WL_S_UNKNOWN, WL_S_UNKNOWN};
        put_entry(l, ascii ? L"' '" : L"\xb7", none, WL_S_TEXT, "no key");
    }
    put_entry(l, L"+o", flips, WL_S_TEXT,
              keys           ? "new, was key"
              : most <= PART ? "flipped"
              : brief        ? "1/4 flipped"
                             : "1/4 or more flipped");
    if (shared)
        put_shared(l, brief, least, most);
    else if (p->labelled > 0)
        put_entry(l, L"AB", given, WL_S_TEXT, "labelled");
}

/* Put the legend on one line, if need be in fewer words, or on two.  Returns its lines; c = NULL: count only. */
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
            put_entries(&l, p, columns, brief);
        }
    if (c && most > 0) {
        l = (legend){.scene = s, .c = c, .in = in, .top = top, .col = 1, .rows = l.rows};
        put_entries(&l, p, columns, brief);
    }
    return most > 0 ? l.row + 1 : 0;
}

static void draw(const wlab_scene *s, const wlab_picture *pic, wlab_canvas *c, const wlab_rect *in)
{
    const wlab_mirror *m = s->mirrors ? s->mirror[0] : NULL;
    bool done = false;
    (void)pic;

    if (!m || m->problem->n < 1) {
        wlab_draw_no_run(s, c, in);
        return;
    }
    const wlab_problem *p = m->problem;
    int64_t n = p->n;
    int left = in->cols >= 24 ? number_width(m->rows - 1) + 2 : 0, wide;
    int right = in->cols >= RIGHT ? number_width(most_flips(m)) + 2 : left > 0;
    wlab_rect r = {in->row, in->col + left, in->rows, in->cols - left - right};
    if (r.rows < 1 || r.cols < 1)
        return;
    int columns = n < r.cols ? (int)n : r.cols, lines = in->rows - put_legend(s, p, NULL, in, columns, 0);
    r.rows = lines;
    int64_t first = m->rows > lines ? m->rows - lines : 0; /* the oldest line's row of the trace */
    wide = n < r.cols ? (int)(r.cols / n) : 1;
    wide = wide < WIDEST ? wide : WIDEST;

    item *sorted = wlab_alloc((size_t)n, sizeof *sorted);
    int32_t *place = wlab_alloc((size_t)n, sizeof *place); /* [n] the column of each instance */
    wlab_strip_cell *cell = wlab_calloc((size_t)(columns * lines), sizeof *cell);
    int64_t *flips = wlab_calloc((size_t)lines, sizeof *flips);
    if (!sorted || !place || !cell || !flips)
        goto out;
    for (int64_t i = 0; i < n; i++)
        sorted[i] =
            (item){(int32_t)i, bag_place(p, i), p->visible[i], m->labels_first[i], m->labels_first[i], 0};
    for (int64_t t = 0; t < m->rows; t++)
        for (int64_t k = 0; k < m->row[t].nflips; k++) {
            item *it = &sorted[m->row[t].flip[k].instance];
            it->now = m->row[t].flip[k].to;
            it->then = t <= first ? it->now : it->then;
        }
    for (int64_t i = 0; i < n; i++)
        sorted[i].key = key_of(p, &sorted[i]);
    qsort(sorted, (size_t)n, sizeof *sorted, compare_items);
    for (int64_t i = 0; i < n; i++)
        place[sorted[i].instance] = (int32_t)(i * columns / n);
    if (wlab_strip_count(p, m->labels_first, m->row, m->rows, first, 1, place, columns, cell, flips))
        goto out;
    for (int k = 0; k < columns; k++) { /* a cell is past, and dim, if a later one in its column is marked */
        const int64_t begin = (k * n + columns - 1) / columns, end = ((k + 1) * n + columns - 1) / columns;
        bool past = false;
        for (int row = (int)(m->rows - first) - 1; row >= 0; row--) {
            const wlab_strip_cell *one = &cell[row * columns + k];
            if (p->classes > 2)
                put_class_cell(p, one, end - begin, n == columns && sorted[k].given, past, c, &r, row,
                               k * wide, wide);
            else
                put_cell(s, one, end - begin, p->keys, n == columns && sorted[k].given, past, c, &r, row,
                         k * wide, wide);
            past = past || is_marked(one, end - begin, p->keys);
        }
    }
    for (int64_t t = first; t < m->rows; t++) {
        int row = (int)(t - first);
        if (left)
            wlab_canvas_text(c, in, row, 1, t == m->rows - 1 ? WL_S_STRONG : WL_S_DIM, "%*lld", left - 2,
                             (long long)m->row[t].iter);
        if (right > 1 && wlab_row_restarted(m->algo, m->row, t))
            wlab_canvas_text(c, in, row, in->cols - right, WL_S_TEXT, "%*s", right - 1, "new");
        else if (right > 1 && t > 0)
            wlab_canvas_text(c, in, row, in->cols - right, flips[row] ? WL_S_TEXT : WL_S_DIM, "%*lld",
                             right - 1, (long long)flips[row]);
    }
    put_legend(s, p, c, in, columns, lines);
    done = true;
out:
    if (!done)
        wlab_draw_message(c, in, WL_S_DIM, "out of memory");
    wlab_free(sorted);
    wlab_free(place);
    wlab_free(cell);
    wlab_free(flips);
}

static void title(const wlab_scene *s, const wlab_picture *p, char *buf, size_t size)
{
    (void)s;
    (void)p;
    snprintf(buf, size, "labels by step; right: changed");
}

static bool fits(const wlab_scene *s)
{
    return s->mirrors > 0;
}

const wlab_pane wlab_pane_labels = {
    .name = "labels",
    .summary = "the labels of all rows over the last steps, and which of them flipped",
    .help = "All rows at once: one line per step, the newest at the bottom, and one column per row or per "
            "few neighbouring rows (`3-4 per cell`). Rows are sorted by their current class.\n\n"
            "- Full blocks are +1, light ones -1. Shades between them are cells of mixed labels.\n- `+` and "
            "`o` are flips to that class in that step: of the row, or of at least a quarter of the cell's "
            "rows. If fewer of them flipped, the cell shows its class.\n- The number at the right of a line "
            "is how many labels the step changed (`flips` of wellsvm leaves out rows with alpha = 0); `new`: "
            "another restart is shown.\n- For task mil, rows are "
            "grouped by bag. One new key "
            "instance (`+`), or one former (`o`), is enough to mark its cell.\n- With more than two classes "
            "a cell has the letter of most of its rows, reversed if they flipped to that class.\n\n"
            "Cells above the last mark of their column are dim: bright ones have had their label since then "
            "(`info since` lists "
            "the rows).\n\n"
            "What to watch: blocks that no longer change are settled; columns with a mark in every line "
            "alternate. `plot labels to FILE` draws every step since the first.",
    .fits = fits,
    .side = WL_SIDE_LEFT,
    .rank = 15,
    .title = title,
    .draw = draw,
};
