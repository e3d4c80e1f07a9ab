/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pane `landscape`: the objective of a concept over two columns.
 */
#include "tui/panes/draw.h"

#include <stdio.h>

enum { /* columns of the figure's blocks */
    X,
    Y,
    KIND = 3,
    SIGN = 2
};

/* Where a point is in the rectangle. */
static void place(const wlab_figure *f, const wlab_rect *r, const double *at, int *row, int *col)
{
    *col = (int)((at[X] - f->xlo) / (f->xhi - f->xlo) * (r->cols - 1) + 0.5);
    *row = r->rows - 1 - (int)((at[Y] - f->ylo) / (f->yhi - f->ylo) * (r->rows - 1) + 0.5);
}

static const double *row_of(const wlab_figure *f, int block, int64_t k)
{
    return f->block[block].value + k * f->block[block].columns;
}

/* The valleys first, then what lies on them. */
static void draw(const wlab_scene *s, const wlab_picture *pic, wlab_canvas *c, const wlab_rect *in)
{
    static const wchar_t valley[] = L"#:.";
    static const struct {
        const char *mark, *words;
        wlab_style style;
    } legend[] = {{"#", "lowest 2 %", WL_S_DIM},
                  {":", "10 %", WL_S_DIM},
                  {".", "30 %", WL_S_DIM},
                  {"+", "in positive bags", WL_S_POSITIVE},
                  {"-", "in negative bags", WL_S_NEGATIVE},
                  {"*", "concept", WL_S_NEWEST}};
    const wlab_figure *f = &pic->figure;
    const int below = in->rows >= 4;
    const wlab_rect r = {in->row, in->col, in->rows - below, in->cols};
    int row, col = 1;

    if (!pic->has_figure) {
        wlab_draw_no_figure(s, pic, c, in);
        return;
    }
    if (r.rows < 2 || r.cols < 2)
        return;
    for (int kind = 2; kind >= 0; kind--) /* the lowest ones last */
        for (int64_t k = 0; k < f->block[0].rows; k++) {
            const double *one = row_of(f, 0, k);
            if ((int)one[KIND] != kind)
                continue;
            place(f, &r, one, &row, &col);
            wlab_canvas_put(c, &r, row, col, valley[kind], WL_S_DIM);
        }
    for (int b = 1; b < f->blocks; b++)
        for (int64_t k = 0; k < f->block[b].rows; k++) {
            const double *one = row_of(f, b, k);
            const bool concept = b == f->blocks - 1;
            place(f, &r, one, &row, &col);
            wlab_canvas_put(c, &r, row, col,
                            concept         ? L'*'
                            : one[SIGN] > 0 ? L'+'
                                            : L'-',
                            concept         ? WL_S_NEWEST
                            : one[SIGN] > 0 ? WL_S_POSITIVE
                                            : WL_S_NEGATIVE);
        }
    col = 1;
    for (size_t k = 0; below && k < sizeof legend / sizeof *legend; k++) {
        const int wide = wlab_text_columns(legend[k].words) + 4;
        if (col + wide > in->cols)
            break;
        wlab_canvas_put(c, in, in->rows - 1, col, (wchar_t)*legend[k].mark, legend[k].style);
        wlab_canvas_text(c, in, in->rows - 1, col + 2, WL_S_DIM, "%s", legend[k].words);
        col += wide;
    }
}

static void title(const wlab_scene *s, const wlab_picture *p, char *buf, size_t size)
{
    const wlab_figure *f = &p->figure;
    (void)s;
    if (p->has_figure && f->xlabel && f->ylabel)
        snprintf(buf, size, "landscape: %s, %s", f->xlabel, f->ylabel);
    else
        snprintf(buf, size, "landscape");
}

static bool fits(const wlab_scene *s)
{
    return s->mirrors && wlab_probe_index(s->mirror[0]->algo, WL_PROBE_LANDSCAPE) >= 0;
}

const wlab_pane wlab_pane_landscape = {
    .name = "landscape",
    .summary = "the objective of a concept over the two columns that count most",
    .help =
        "For dd and em-dd: the objective if the concept `*` were at another place, over the two columns with "
        "the largest scales; in the other columns it stays where it is. `#`, `:` and `.` are the lowest 2, "
        "10 "
        "and 30 % of the places. `+` is an instance of a positive bag, `-` one of a negative bag.\n\n"
        "What to watch: each step moves `*` and changes the scales, and with them the whole landscape. A "
        "valley needs an instance of every positive bag nearby, and none of a negative bag. Other valleys "
        "are "
        "where other starts end.",
    .view = &wlab_view_landscape,
    .fits = fits,
    .rank = 25,
    .title = title,
    .plot_area = wlab_draw_all_area,
    .draw = draw,
};
