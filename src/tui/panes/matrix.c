/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Panes `matrix` and `scores`: cells of a figure as shades, from the smallest value (blank) to the largest (full),
 * with the marks of the classes beside the lines and above the columns.  If rows are sorted by true class, the marks
 * beside the lines are true classes (letters: capitals), and those above the columns labels.  `scores` of two classes is a curve.
 */
#include "plot/views/cells.h"
#include "plot/views/classes.h"
#include "tui/panes/draw.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    LETTERS = 5 /* lines needed for letters above the columns; two more: for the scale below */
};

/* From 0 to 1 as a shade. */
static wchar_t shade(const wlab_scene *s, double part)
{
    static const wchar_t blocks[] = {' ', 0x2591, 0x2592, 0x2593, 0x2588};
    const int n = s->ascii ? WL_CELLS_LEVELS : 5, k = (int)(part * n), at = k < 0 ? 0 : k >= n ? n - 1 : k;
    return s->ascii ? (wchar_t)wlab_cells_ramp[at] : blocks[at];
}

/* Two classes: + and o, as in the other panes.  More: the letter of a label, or, in capitals, of a true class. */
static void put_class(const wlab_problem *p, wlab_canvas *c, const wlab_rect *r, int row, int col, int index,
                      bool truth)
{
    if (index < 0)
        wlab_canvas_put(c, r, row, col, L'.', WL_S_UNKNOWN);
    else if (p->classes == 2)
        wlab_canvas_put(c, r, row, col, index ? L'+' : L'o', index ? WL_S_POSITIVE : WL_S_NEGATIVE);
    else
        wlab_canvas_put(c, r, row, col, (wchar_t)wlab_class_letter(index, truth), wlab_class_style(index));
}

typedef struct table {
    const wlab_block *cell, *instance; /* blocks 0 and 1 of the figure */
    int64_t columns, lines;
    bool by_class; /* the lines are the classes */
    bool by_truth; /* the lines are the instances, by their true classes */
    double lo, hi;
} table;

static table table_of(const wlab_figure *f, bool by_class)
{
    table t = {.cell = &f->block[0],
               .instance = &f->block[1],
               .by_class = by_class,
               .lo = INFINITY,
               .hi = -INFINITY};
    t.columns = t.cell->scan;
    t.lines = t.cell->rows / t.columns;
    for (int64_t i = 0; i < t.cell->rows; i++) {
        const double v = t.cell->value[i * WL_CELLS_COLUMNS + WL_CELLS_VALUE];
        t.lo = fmin(t.lo, v);
        t.hi = fmax(t.hi, v);
    }
    t.hi = t.hi > t.lo ? t.hi : t.lo + 1;
    return t;
}

/* The class of the k-th of `all` parts of the instances; column: WL_ROWS_LABEL or WL_ROWS_TRUTH. */
static int class_of(const table *t, const wlab_problem *p, int column, int k, int all)
{
    const int64_t i = (2 * k + 1) * t->instance->rows / (2 * all);
    const int label = (int)t->instance->value[i * WL_ROWS_COLUMNS + column];
    return p->classes > 2
               ? label - 1
               : wlab_label_index(p, (int8_t)label); /* there may be more true classes than labels */
}

/* The mean of the cells that share the character in row i and column k of high x wide ones, scaled to 0 ..  1. */
static double part_of(const table *t, int i, int high, int k, int wide)
{
    const int64_t top = i * t->lines / high, left = k * t->columns / wide;
    int64_t bottom = (i + 1) * t->lines / high, right = (k + 1) * t->columns / wide;
    double sum = 0;

    bottom = bottom > top ? bottom : top + 1;
    right = right > left ? right : left + 1;
    for (int64_t r = top; r < bottom; r++)
        for (int64_t c = left; c < right; c++)
            sum += t->cell->value[(r * t->columns + c) * WL_CELLS_COLUMNS + WL_CELLS_VALUE];
    return (sum / (double)((bottom - top) * (right - left)) - t->lo) / (t->hi - t->lo);
}

enum {
    SHADES = 5
};

/* The smallest value of a shade, in at most `width` columns; a value near 0 relative to the whole range is written as
 * 0. */
static void shade_text(const table *t, int k, int width, char *number, size_t size)
{
    const double v = t->lo + (t->hi - t->lo) * k / (SHADES - 1);
    wlab_number_fit(fabs(v) < 2e-3 * (t->hi - t->lo) ? 0 : v, 2, false, width, number, size);
}

/* The scale of the shades: all, every second, or the two ends, as fits. */
static void put_scale(const wlab_scene *s, const table *t, wlab_canvas *c, const wlab_rect *in)
{
    char number[32];
    int each = 1, need, col = 1;

    for (; each < SHADES; each *= 2) {
        need = 0;
        for (int k = 0; k < SHADES; k += each) {
            shade_text(t, k, in->cols, number, sizeof number);
            need += (k ? 1 : 5) + 1 + (int)strlen(number) + (k ? 2 : 1);
        }
        if (need <= in->cols || each == SHADES - 1)
            break;
    }
    for (int k = 0; k < SHADES; k += each) {
        const wchar_t ch = shade(s, (k + 0.5) / (double)SHADES);
        if (ch == L' ')
            col += wlab_canvas_text(c, in, in->rows - 1, col, WL_S_DIM, "blank");
        else
            wlab_canvas_put(c, in, in->rows - 1, col++, ch, WL_S_TEXT);
        shade_text(t, k, in->cols - col - 1, number, sizeof number);
        col += 3 + wlab_canvas_text(c, in, in->rows - 1, col + 1, WL_S_DIM, "%s", number);
    }
}

static void draw_table(const wlab_scene *s, const table *t, wlab_canvas *c, const wlab_rect *in)
{
    const wlab_problem *p = s->mirror[0]->problem;
    const bool above = in->rows >= LETTERS, scale = in->rows >= LETTERS + 2;
    const wlab_rect r = {in->row + above, in->col + 2, in->rows - above - scale, in->cols - 2};

    if (r.rows < 1 || r.cols < 1)
        return;
    /* each class gets as many lines as fit; instances share lines */
    const int each = t->by_class ? (int)(r.rows / t->lines) : 0;
    const int high = !t->by_class ? r.rows : each > 0 ? each * (int)t->lines : r.rows;
    for (int i = 0; i < high; i++) {
        put_class(p, c, in, above + i, 0,
                  t->by_class ? (int)(i * t->lines / high)
                              : class_of(t, p, t->by_truth ? WL_ROWS_TRUTH : WL_ROWS_LABEL, i, high),
                  !t->by_class && t->by_truth);
        for (int k = 0; k < r.cols; k++)
            wlab_canvas_put(c, &r, i, k, shade(s, part_of(t, i, high, k, r.cols)), WL_S_TEXT);
    }
    for (int k = 0; k < r.cols && above; k++)
        put_class(p, c, in, 0, 2 + k, class_of(t, p, WL_ROWS_LABEL, k, r.cols), false);
    if (scale)
        put_scale(s, t, c, in);
}

/* " of step 3" if the picture is not of the current step. */
static void put_step(const wlab_mirror *m, int probe, const wlab_picture *pic, char *buf, size_t size)
{
    const int64_t iter = probe >= 0 && pic->has_figure ? m->probe[probe].iter : -1;

    if (iter >= 0 && iter < m->rows - 1)
        snprintf(buf, size, " of step %lld", (long long)iter);
}

/* ---- matrix ---- */

static bool matrix_fits(const wlab_scene *s)
{
    return s->mirrors && wlab_probe_index(s->mirror[0]->algo, WL_PROBE_MATRIX) >= 0;
}

/* Are the rows sorted by true class? */
static bool by_truth(const wlab_picture *pic)
{
    const wlab_block *rows = &pic->figure.block[1];
    for (int64_t i = 0; i < rows->rows; i++)
        if (rows->value[i * WL_ROWS_COLUMNS + WL_ROWS_TRUTH] != 0)
            return true;
    return false;
}

static void matrix_draw(const wlab_scene *s, const wlab_picture *pic, wlab_canvas *c, const wlab_rect *in)
{
    if (!pic->has_figure || !s->mirrors) {
        wlab_draw_no_figure(s, pic, c, in);
        return;
    }
    table t = table_of(&pic->figure, false);
    t.by_truth = by_truth(pic);
    draw_table(s, &t, c, in);
}

static void matrix_title(const wlab_scene *s, const wlab_picture *pic, char *buf, size_t size)
{
    const wlab_mirror *m = s->mirrors ? s->mirror[0] : NULL;
    char of[32] = "";
    const int k = m ? wlab_probe_index(m->algo, WL_PROBE_MATRIX) : -1;
    put_step(m, k, pic, of, sizeof of);
    const bool truth = pic->has_figure && by_truth(pic);
    snprintf(buf, size, "matrix %s%s, rows by %s", k >= 0 ? m->algo->probes[k].name : "", of,
             truth ? "true class; above: labels" : "label");
}

const wlab_pane wlab_pane_matrix = {
    .name = "matrix",
    .summary = "the matrix that the algorithm works on, rows by true class where known, "
               "else by label",
    .help =
        "For algorithms that relax labels to a matrix over the rows (softmax-sdp's Z: how certainly two rows "
        "have the same class). The pane has at most 200 rows, evenly selected, with shades from blank (the "
        "smallest value) to full (the largest). Rows are sorted by their true classes if the data have them, "
        "then by the newest labels; the title says which. Sorting by labels alone would prove nothing: the "
        "labels are rounded from the matrix, so any matrix sorted by them has blocks.\n\n"
        "At the left are the true classes, or the labels if no truth is known. Above the columns, in the "
        "same "
        "order, are the labels: a mark that differs from its class at the left is a wrong label. Two classes "
        "have the marks + and o, more have letters, true classes capitals. Clusters are numbered in an order "
        "of their own, so cluster `a` need not be class `A`.\n\n"
        "Some algorithms keep one row for several rows of the data (mmc-sdp: the labelled ones together); "
        "the pane shows all rows of the data, `weights` and `plot spectrum` the eigenvalues of the smaller "
        "matrix.\n\n"
        "The matrix `distance` of citation-knn is another one: blank is 0, full is far, and the rows of one "
        "bag are "
        "the blank "
        "squares on the diagonal. There, blank cells outside the blocks are the pairs of classes that are "
        "near.\n\n"
        "What to watch, for all others: square blocks along the diagonal are classes that the matrix has "
        "found. Smaller "
        "blocks within a class, or full cells outside the blocks, are pairs of rows of different classes "
        "that "
        "the matrix puts together. Grey means undecided, until the matrix is rounded to labels. The matrix "
        "is computed when no stepping command is being "
        "executed. `plot matrix to FILE` "
        "draws the picture, `plot kernel` the kernel matrix in the same order, and `plot spectrum` the "
        "eigenvalues: the faster they decrease, the nearer the matrix is to a labeling.",
    .view = &wlab_view_matrix,
    .fits = matrix_fits,
    .rank = 11,
    .title = matrix_title,
    .plot_area = wlab_draw_all_area,
    .draw = matrix_draw,
};

/* ---- scores ---- */

static bool has_two_classes(const wlab_scene *s)
{
    return !s->mirrors || s->mirror[0]->problem->classes < 3;
}

static bool scores_fits(const wlab_scene *s)
{
    return s->mirrors && wlab_probe_index(s->mirror[0]->algo, WL_PROBE_SCORES) >= 0;
}

static void scores_area(const wlab_scene *s, const wlab_picture *pic, const wlab_rect *in, wlab_rect *area)
{
    if (has_two_classes(s))
        wlab_plot_area(s, pic, in, area);
    else
        *area = *in;
}

static void scores_draw(const wlab_scene *s, const wlab_picture *pic, wlab_canvas *c, const wlab_rect *in)
{
    if (has_two_classes(s)) {
        wlab_plot_draw(s, pic, c, in);
        return;
    }
    if (!pic->has_figure) {
        wlab_draw_no_figure(s, pic, c, in);
        return;
    }
    const table t = table_of(&pic->figure, true);
    draw_table(s, &t, c, in);
}

static void scores_title(const wlab_scene *s, const wlab_picture *pic, char *buf, size_t size)
{
    const wlab_mirror *m = s->mirrors ? s->mirror[0] : NULL;
    char of[32] = "";
    put_step(m, m ? wlab_probe_index(m->algo, WL_PROBE_SCORES) : -1, pic, of, sizeof of);
    snprintf(buf, size, has_two_classes(s) ? "scores%s, sorted" : "scores%s, one line per class", of);
}

const wlab_pane wlab_pane_scores = {
    .name = "scores",
    .summary =
        "each row's score for each class, from which its label is derived; two classes: their difference",
    .help = "The scores from which labels are rounded. With two classes, a curve of the rows sorted by their "
            "scores, with the marks of their labels: the steeper its step at 0, the less depends on "
            "rounding. With more classes, one line per class, and one column per row or per several "
            "neighbouring rows, sorted by label: one full cell in a column is a clear case.",
    .view = &wlab_view_scores,
    .fits = scores_fits,
    .rank = 20,
    .title = scores_title,
    .plot_area = scores_area,
    .draw = scores_draw,
};
