/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pane `gram`: the cosines between the labelings of the working set as a table of shades, with numbers if there is
 * space; the newest labelings if not all fit.
 */
#include "tui/panes/draw.h"
#include <math.h>
#include <stdio.h>

enum {
    LEAST_NUMBERS = 4 /* the least columns of a cell with a number */
};

static bool fits(const wlab_scene *s)
{
    return s->mirrors && wlab_probe_index(s->mirror[0]->algo, WL_PROBE_COSINES) >= 0;
}

/* |c| from 0 to 1 as one of five shades, light to full; the style shows the sign. */
static void shade(const wlab_scene *s, double c, wchar_t *ch, wlab_style *style)
{
    static const wchar_t shades[] = {0xb7, 0x2591, 0x2592, 0x2593, 0x2588}, letters[] = L".:+*#";
    int k = isnan(c) ? 0 : (int)(fabs(c) * 4.5);
    *ch = isnan(c) ? L'?' : (s->ascii ? letters : shades)[k > 4 ? 4 : k];
    *style = isnan(c) ? WL_S_DIM : c < 0 && k > 0 ? WL_S_NEGATIVE : WL_S_POSITIVE;
}

static void draw(const wlab_scene *s, const wlab_picture *pic, wlab_canvas *c, const wlab_rect *in)
{
    if (!pic->has_figure) {
        wlab_draw_no_figure(s, pic, c, in);
        return;
    }
    const wlab_block *b = &pic->figure.block[0];
    int64_t n = b->scan, before = (int64_t)b->value[3] - 1; /* labelings before those in the table */
    char name[24];
    int left = in->cols >= 12 ? 2 + snprintf(name, sizeof name, "y%lld", (long long)(before + n)) : 0;
    bool heading = in->rows >= 5 && left > 0, words = in->rows >= 8;
    wlab_rect r = {in->row + heading, in->col + left, in->rows - heading - words, in->cols - left};
    int wide = n > 0 ? (int)(r.cols / n) : 1, high;
    wide = wide > 6 ? 6 : wide < 1 ? 1 : wide;
    int columns = r.cols / wide < n ? r.cols / wide : (int)n;
    high = r.rows < n ? r.rows : (int)n;
    if (r.rows < 1 || columns < 1 || n < 1)
        return;
    int64_t first = n - high, from = n - columns;
    for (int i = 0; i < high; i++) {
        int64_t row = first + i;
        snprintf(name, sizeof name, "y%lld", (long long)(before + row + 1));
        if (left)
            wlab_canvas_text(c, in, heading + i, 1, row == n - 1 ? WL_S_STRONG : WL_S_DIM, "%s", name);
        for (int k = 0; k < columns; k++) {
            double v = b->value[(row * n + from + k) * b->columns + 5];
            wlab_style style;
            wchar_t ch;
            shade(s, v, &ch, &style);
            if (wide >= LEAST_NUMBERS && !isnan(v)) {
                wlab_canvas_text(c, &r, i, k * wide, style, wide == LEAST_NUMBERS ? "%4.1f" : "%5.2f",
                                 fabs(v) < 0.005                           ? 0
                                 : wide == LEAST_NUMBERS && fabs(v) < 0.05 ? 0
                                                                           : v);
                continue;
            }
            for (int w = 0; w < wide; w++) /* a sign below 0: colour must not be the only difference */
                wlab_canvas_put(c, &r, i, k * wide + w, w == wide / 2 && style == WL_S_NEGATIVE ? L'-' : ch,
                                style);
        }
    }
    for (int k = 0, free = 0; heading && k < columns; k++) {
        int at = left + k * wide,
            len = snprintf(name, sizeof name, "y%lld", (long long)(before + from + k + 1));
        if (at < free || at + len > in->cols)
            continue;
        wlab_canvas_text(c, in, 0, at + (wide >= LEAST_NUMBERS ? (wide > 4 ? 5 : 4) - len : 0), WL_S_DIM,
                         "%s", name);
        free = at + len + 1;
    }
    if (words && wide < LEAST_NUMBERS) {
        static const double at[] = {-1, -0.5, 0, 0.5, 1};
        for (int k = 0, col = 1; k < 5; k++) {
            wlab_style style;
            wchar_t ch;
            shade(s, at[k], &ch, &style);
            wlab_canvas_put(c, in, in->rows - 1, col, style == WL_S_NEGATIVE ? L'-' : ch, style);
            col += 3 + wlab_canvas_text(c, in, in->rows - 1, col + 2, WL_S_TEXT, "%g", at[k]) + 1;
        }
    } else if (words) {
        wlab_canvas_text(c, in, in->rows - 1, 1, WL_S_DIM, "1: equal to the SVM, 0: orthogonal");
    }
}

static void title(const wlab_scene *s, const wlab_picture *pic, char *buf, size_t size)
{
    const wlab_mirror *m = s->mirrors ? s->mirror[0] : NULL;
    const int k = m ? wlab_probe_index(m->algo, WL_PROBE_COSINES) : -1;
    if (k >= 0 && pic->has_figure && m->probe[k].iter >= 0 && m->probe[k].iter < m->rows - 1)
        snprintf(buf, size, "gram: cosines of step %lld", (long long)m->probe[k].iter);
    else
        snprintf(buf, size, "gram: cosines of labelings");
}

const wlab_pane wlab_pane_gram = {
    .name = "gram",
    .summary = "how similar the working set's labelings are: cosines between their weight vectors",
    .help = "How similar the labelings of the working set are: the cosine of the angle between the weight "
            "vectors of y_s and y_t at the current alpha, as numbers or shades. At 1 their weight vectors "
            "are equal up to their lengths, and the second one added nothing. Around 0 they are nearly "
            "unrelated. Below 0 "
            "they contradict each other. The cosines are computed when no stepping command is being "
            "executed. If that "
            "would take long, the pane says so, and `plot gram to FILE` computes them.",
    .view = &wlab_view_gram,
    .fits = fits,
    .rank = 19,
    .title = title,
    .plot_area = wlab_draw_all_area,
    .draw = draw,
};
