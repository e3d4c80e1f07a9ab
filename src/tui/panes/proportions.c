/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pane `proportions` (task llp): each bag's proportion of positives according to the model, against the given one.
 * If each bag has a line, these are bars; otherwise points, which are right on the diagonal.
 */
#include "tui/panes/draw.h"
#include <math.h>
#include <stdio.h>

enum {
    LEAST_BARS = 30, /* a pane with fewer columns has points */
    LEAST_BAR = 10,  /* a bar has at least so many columns; otherwise the difference is a number */
    LEFT = 11,       /* columns for the bag's number and rows */
    RIGHT = 17       /* columns for its values */
};

static bool fits(const wlab_scene *s)
{
    const wlab_problem *p = s->mirrors ? s->mirror[0]->problem : NULL;
    return p && p->bag && p->task->sees == WL_SEES_PROPORTIONS;
}

static const double *bag_of(const wlab_figure *f, int64_t k)
{
    return f->block[0].value + k * f->block[0].columns;
}

/* The proportion that the model predicts, or else that of the newest labels. */
static double predicted(const double *b)
{
    return isnan(b[WL_PROPORTIONS_OUTPUTS]) ? b[WL_PROPORTIONS_LABELS] : b[WL_PROPORTIONS_OUTPUTS];
}

static double error_of(const wlab_figure *f)
{
    double sum = 0;
    for (int64_t k = 0; k < f->block[0].rows; k++) {
        const double *b = bag_of(f, k);
        sum += isnan(b[WL_PROPORTIONS_GIVEN]) ? 0 : fabs(predicted(b) - b[WL_PROPORTIONS_GIVEN]);
    }
    return sum;
}

/* ---- one line per bag ---- */

static void draw_bar(const wlab_scene *s, const double *b, wlab_canvas *c, const wlab_rect *in, int row)
{
    const int columns = in->cols - LEFT - RIGHT;
    const bool wide = columns >= LEAST_BAR; /* a shorter bar looks alike for different proportions */
    const int at = wide ? LEFT + columns : LEFT;
    char given[8] = "?", name[24];

    wlab_canvas_text(c, in, row, 1, WL_S_DIM, "%3s",
                     wlab_view_bag(s->mirror[0]->problem, (int64_t)b[WL_PROPORTIONS_BAG], 3, name));
    wlab_canvas_text(c, in, row, 4, WL_S_DIM, ":%-5.0f", b[WL_PROPORTIONS_ROWS]);
    if (wide) {
        const int end = (int)lround(predicted(b) * (columns - 1));
        for (int k = 0; k < end; k++)
            wlab_canvas_put(c, in, row, LEFT + k, s->ascii ? L'#' : L'\x2588', WL_S_INK1);
        if (!isnan(b[WL_PROPORTIONS_OUTPUTS]))
            wlab_canvas_put(c, in, row, LEFT + (int)lround(b[WL_PROPORTIONS_LABELS] * (columns - 1)), L'x',
                            WL_S_INK2);
        if (!isnan(b[WL_PROPORTIONS_GIVEN]))
            wlab_canvas_put(c, in, row, LEFT + (int)lround(b[WL_PROPORTIONS_GIVEN] * (columns - 1)),
                            s->ascii ? L'|' : L'\x2503', WL_S_STRONG);
    }
    if (!isnan(b[WL_PROPORTIONS_GIVEN]))
        snprintf(given, sizeof given, "%.2f", b[WL_PROPORTIONS_GIVEN]);
    wlab_canvas_text(c, in, row, at + 1, WL_S_TEXT, "%.2f", predicted(b));
    wlab_canvas_text(c, in, row, at + 6, WL_S_DIM, "of %s", given);
    const double off = predicted(b) - b[WL_PROPORTIONS_GIVEN];
    if (!wide && fabs(off) >= 0.005)
        wlab_canvas_text(c, in, row, at + 15, WL_S_STRONG, "%+.2f", off);
    if (b[WL_PROPORTIONS_FLIPS] > 0)
        wlab_canvas_text(c, in, row, wide ? at + 14 : at + 21, WL_S_FLIP_POSITIVE, "%.0f",
                         b[WL_PROPORTIONS_FLIPS]);
}

/* ---- points ---- */

static int cell_of(double proportion, int cells)
{
    return (int)lround(proportion * (cells - 1));
}

static void draw_points(const wlab_scene *s, const wlab_figure *f, wlab_canvas *c, const wlab_rect *in)
{
    static const wchar_t mark[] = {L'o', L'O', L'@'};
    const wlab_rect r = {in->row, in->col + 2, in->rows - 2, in->cols - 3};

    if (r.rows < 2 || r.cols < 4) {
        wlab_canvas_text(c, in, 0, 1, WL_S_TEXT, "error %.3g", error_of(f));
        return;
    }
    for (int k = 0; k < r.rows; k++)
        wlab_canvas_put(c, in, k, 1, s->ascii ? L'|' : L'\x2502', WL_S_FRAME);
    for (int k = 0; k < r.cols; k++) {
        wlab_canvas_put(c, in, r.rows, 2 + k, s->ascii ? L'-' : L'\x2500', WL_S_FRAME);
        wlab_canvas_put(c, &r, r.rows - 1 - cell_of((double)k / (r.cols - 1), r.rows), k,
                        s->ascii ? L'.' : 0xb7, WL_S_DIM);
    }
    wlab_canvas_put(c, in, r.rows, 1, s->ascii ? L'+' : L'\x2514', WL_S_FRAME);
    wlab_canvas_put(c, in, 0, 0, L'1', WL_S_DIM);
    wlab_canvas_put(c, in, r.rows - 1, 0, L'0', WL_S_DIM);
    for (int64_t k = 0; k < f->block[0].rows; k++) {
        const double *b = bag_of(f, k);
        if (!isnan(b[WL_PROPORTIONS_GIVEN]) && !isnan(b[WL_PROPORTIONS_OUTPUTS]))
            wlab_canvas_put(c, &r, r.rows - 1 - cell_of(b[WL_PROPORTIONS_LABELS], r.rows),
                            cell_of(b[WL_PROPORTIONS_GIVEN], r.cols), L'x', WL_S_INK2);
    }
    for (int kind = 0; kind < 3; kind++)
        for (int64_t k = 0; k < f->block[0].rows; k++) {
            const double *b = bag_of(f, k);
            if ((int)b[WL_PROPORTIONS_KIND] == kind && !isnan(b[WL_PROPORTIONS_GIVEN]))
                wlab_canvas_put(c, &r, r.rows - 1 - cell_of(predicted(b), r.rows),
                                cell_of(b[WL_PROPORTIONS_GIVEN], r.cols), mark[kind],
                                b[WL_PROPORTIONS_FLIPS] > 0 ? WL_S_FLIP_POSITIVE : WL_S_INK1);
        }
    wlab_canvas_put(c, in, r.rows + 1, 2, L'0', WL_S_DIM);
    wlab_canvas_put(c, in, r.rows + 1, r.cols + 1, L'1', WL_S_DIM);
    if (r.cols >= 60)
        wlab_canvas_text(c, in, r.rows + 1, 5, WL_S_DIM,
                         "given; up: o O @ predicted (few to many rows), x labels");
    else if (r.cols >= 36)
        wlab_canvas_text(c, in, r.rows + 1, 5, WL_S_DIM, "given; up: oO@ by rows, x labels");
    else if (r.cols >= 18)
        wlab_canvas_text(c, in, r.rows + 1, 5, WL_S_DIM, "given");
}

static void draw(const wlab_scene *s, const wlab_picture *pic, wlab_canvas *c, const wlab_rect *in)
{
    if (!pic->has_figure) {
        wlab_draw_no_figure(s, pic, c, in);
        return;
    }
    const wlab_figure *f = &pic->figure;
    if (f->block[0].rows > in->rows || in->cols < LEAST_BARS) {
        draw_points(s, f, c, in);
        return;
    }
    for (int64_t k = 0; k < f->block[0].rows; k++)
        draw_bar(s, bag_of(f, k), c, in, (int)k);
    if (f->block[0].rows < in->rows) {
        const int row = (int)f->block[0].rows;
        if (in->cols - LEFT - RIGHT < LEAST_BAR) {
            wlab_canvas_text(c, in, row, 1, WL_S_DIM, "bag:rows");
            wlab_canvas_text(c, in, row, LEFT, WL_S_DIM, "model of given  off%s",
                             in->cols >= LEFT + 27 ? "  flips" : "");
            return;
        }
        wlab_canvas_put(c, in, row, 1, s->ascii ? L'#' : L'\x2588', WL_S_INK1);
        wlab_canvas_text(c, in, row, 3, WL_S_DIM, "model");
        wlab_canvas_put(c, in, row, 9, s->ascii ? L'|' : L'\x2503', WL_S_STRONG);
        wlab_canvas_text(c, in, row, 11, WL_S_DIM, "given");
        wlab_canvas_put(c, in, row, 17, L'x', WL_S_INK2);
        wlab_canvas_text(c, in, row, 19, WL_S_DIM, "labels");
        wlab_canvas_text(c, in, row, 26, WL_S_DIM, "right: flips");
    }
}

static void title(const wlab_scene *s, const wlab_picture *pic, char *buf, size_t size)
{
    const wlab_mirror *m = s->mirrors ? s->mirror[0] : NULL;
    bool outputs = true;
    char old[40] = "";

    if (m && m->model && m->model_iter < m->rows - 1)
        snprintf(old, sizeof old, " of step %lld", (long long)m->model_iter);
    for (int64_t k = 0; pic->has_figure && k < pic->figure.block[0].rows; k++) {
        const double *b = bag_of(&pic->figure, k);
        outputs = outputs && !isnan(b[WL_PROPORTIONS_OUTPUTS]);
    }
    if (pic->has_figure)
        snprintf(buf, size, "proportions: bag error %.3g%s", error_of(&pic->figure),
                 outputs ? old : " of the labels");
    else
        snprintf(buf, size, "proportions");
}

const wlab_pane wlab_pane_proportions = {
    .name = "proportions",
    .summary = "each bag's proportion of positives, predicted against given",
    .help =
        "For task llp: the fraction of positives that the model predicts in each bag, against the given one. "
        "The title has the bag error, the sum of the absolute differences over all bags.\n\n"
        "- If there is space for a line per bag, these are bars, with the bag's short name, or its number in "
        "the data, and its rows at the "
        "left and a mark "
        "at the given fraction. `x` is the fraction of the newest labels, which may be right although the "
        "model's is not. The number at the right is how many of the bag's labels the last step changed.\n- "
        "Else the bags are points: the given fraction to the right, the predicted one "
        "upwards. So bags on the diagonal are right. `o`, `O` and `@` stand for few, more and most rows in "
        "the bags at that place, in reverse video if the last step changed labels in them. `x` is again the "
        "newest labels.",
    .view = &wlab_view_proportions,
    .fits = fits,
    .rank = 6,
    .title = title,
    .plot_area = wlab_draw_all_area,
    .draw = draw,
};
