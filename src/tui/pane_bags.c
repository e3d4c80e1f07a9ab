/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pane `bags` (task mil, llp): a line a bag, positive ones first, a mark an instance: which is the key of the newest
 * labeling, which has the largest output, which is truly positive.
 */
#include "tui/pane_draw.h"
#include <math.h>
#include <stdio.h>

enum {
    WIDEST = 3 /* columns that an instance takes where there is room */
};

static bool fits(const wlab_scene *s)
{
    const wlab_problem *p = s->mirrors ? s->mirror[0]->problem : NULL;
    return p && p->bag && p->bag_shown;
}

static bool is_mil(const wlab_scene *s)
{
    return s->mirrors && s->mirror[0]->problem->task->bit == WL_T_MIL;
}

static const double *instance(const wlab_figure *f, int64_t k)
{
    return f->block[0].value + k * f->block[0].columns;
}

/* ---- which bags have a line ---- */

typedef struct plan {
    int64_t bags, positive; /* in the figure; positive ones are on top */
    int64_t up, down;       /* of them in the pane */
    int64_t cells;          /* in the figure */
} plan;

static plan make_plan(const wlab_figure *f, int rows)
{
    plan p = {0};
    double lowest = INFINITY; /* line of a positive bag */
    for (int64_t k = 0; k < f->block[0].rows; k++) {
        const double *one = instance(f, k);
        p.bags = one[WL_BAGS_LINE] > (double)p.bags ? (int64_t)one[WL_BAGS_LINE] : p.bags;
        p.cells = one[WL_BAGS_PLACE] > (double)p.cells ? (int64_t)one[WL_BAGS_PLACE] : p.cells;
        if (one[WL_BAGS_SHARE] > 0.5)
            lowest = fmin(lowest, one[WL_BAGS_LINE]);
    }
    p.positive = isinf(lowest) ? 0 : p.bags - (int64_t)lowest + 1;
    int64_t others = p.bags - p.positive, least = others < rows / 4 ? others : rows / 4;
    p.up = p.positive < rows - least ? p.positive : rows - least;
    p.down = others < rows - p.up ? others : rows - p.up;
    return p;
}

/* The row of a bag in the pane, -1: none. */
static int row_of(const plan *p, double line)
{
    int64_t place = p->bags - (int64_t)line; /* from the top */
    if (place < p->up)
        return (int)place;
    place -= p->positive;
    return place >= 0 && place < p->down ? (int)(p->up + place) : -1;
}

/* ---- marks ---- */

static void mark(const wlab_scene *s, const double *one, wchar_t *ch, wlab_style *style)
{
    static const wchar_t marks[] = {L'.', L'+', L'x', L'O', L'K', L'@'};
    int kind = (int)one[WL_BAGS_KIND];
    bool up = one[WL_BAGS_OUTPUT] > 0, moved = one[WL_BAGS_LABEL] != one[WL_BAGS_BEFORE];
    *ch = kind == 0 && !s->ascii ? 0xb7 : marks[kind >= 0 && kind <= 5 ? kind : 0];
    if (kind >= 4)
        *style = moved ? WL_S_FLIP_POSITIVE : WL_S_GIVEN_POSITIVE;
    else if (kind == 2)
        *style = WL_S_FLIP_NEGATIVE;
    else
        *style = isnan(one[WL_BAGS_OUTPUT]) ? WL_S_DIM : up ? WL_S_POSITIVE : WL_S_NEGATIVE;
}

static void legend(const wlab_scene *s, wlab_canvas *c, const wlab_rect *in, int row)
{
    static const struct {
        const char *mark, *mil, *llp;
        wlab_style style;
    } all[] = {{"K", "key", "+1", WL_S_GIVEN_POSITIVE},        {"O", "largest f", NULL, WL_S_TEXT},
               {"@", "both", NULL, WL_S_GIVEN_POSITIVE},       {"K", "moved", "moved", WL_S_FLIP_POSITIVE},
               {"x", "was key", "was +1", WL_S_FLIP_NEGATIVE}, {"+", "true", "true", WL_S_TEXT}};
    bool mil = is_mil(s);
    int col = 1;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        const char *text = mil ? all[k].mil : all[k].llp;
        if (!text || col + 2 + wlab_text_columns(text) > in->cols)
            continue;
        wlab_canvas_text(c, in, row, col, all[k].style, "%s", all[k].mark);
        col += 2 + wlab_canvas_text(c, in, row, col + 2, WL_S_TEXT, "%s", text) + 2;
    }
}

static void draw(const wlab_scene *s, const wlab_picture *pic, wlab_canvas *c, const wlab_rect *in)
{
    if (!pic->has_figure) {
        wlab_draw_message(c, in, WL_S_DIM,
                          !s->mirrors   ? "no run yet: algo wellsvm, or lesson"
                          : pic->why[0] ? pic->why
                                        : "nothing to draw yet: F5 makes a step");
        return;
    }
    const wlab_figure *f = &pic->figure;
    int rows = in->rows >= 4 ? in->rows - 1 : in->rows, left = in->cols >= 20 ? 6 : 0;
    plan p = make_plan(f, rows);
    wlab_rect r = {in->row, in->col + left, rows, in->cols - left};
    if (r.cols < 1 || rows < 1 || p.cells < 1)
        return;
    int wide = p.cells < r.cols ? (int)(r.cols / p.cells) : 1;
    wide = wide < WIDEST ? wide : WIDEST;
    int64_t each = p.cells > r.cols ? (p.cells + r.cols - 1) / r.cols : 1;
    for (int kind = 0; kind <= 5; kind++) /* the more important ones last */
        for (int64_t k = 0; k < f->block[0].rows; k++) {
            const double *one = instance(f, k);
            int row = row_of(&p, one[WL_BAGS_LINE]);
            wlab_style style;
            wchar_t ch;
            if (row < 0 || (int)one[WL_BAGS_KIND] != kind)
                continue;
            mark(s, one, &ch, &style);
            wlab_canvas_put(c, &r, row, (int)(((int64_t)one[WL_BAGS_PLACE] - 1) / each) * wide, ch, style);
            if (left && one[WL_BAGS_PLACE] == 1) {
                if (is_mil(s))
                    wlab_canvas_text(c, in, row, 1, WL_S_DIM, "%c%-4lld",
                                     one[WL_BAGS_SHARE] > 0.5 ? '+' : '-', (long long)one[WL_BAGS_BAG]);
                else
                    wlab_canvas_text(c, in, row, 1, WL_S_DIM, "%.2f", one[WL_BAGS_SHARE]);
            }
        }
    if (rows < in->rows)
        legend(s, c, in, in->rows - 1);
}

static void title(const wlab_scene *s, const wlab_picture *pic, char *buf, size_t size)
{
    int64_t keys = 0, both = 0, moved = 0;
    const wlab_mirror *m = s->mirrors ? s->mirror[0] : NULL;
    char old[40] = "";
    if (m && m->model && m->model_iter < m->rows - 1)
        snprintf(old, sizeof old, " of step %lld", (long long)m->model_iter);
    for (int64_t k = 0; pic->has_figure && k < pic->figure.block[0].rows; k++) {
        const double *one = instance(&pic->figure, k);
        bool key = one[WL_BAGS_LABEL] > 0;
        keys += key;
        both += one[WL_BAGS_KIND] == 5;
        moved += key && one[WL_BAGS_LABEL] != one[WL_BAGS_BEFORE];
    }
    if (keys && is_mil(s))
        snprintf(buf, size, "bags: %lld keys, %lld moved, %lld largest f%s", (long long)keys,
                 (long long)moved, (long long)both, old);
    else if (keys)
        snprintf(buf, size, "bags: %lld labels +1, %lld moved", (long long)keys, (long long)moved);
    else
        snprintf(buf, size, "bags");
}

static void area_of(const wlab_scene *s, const wlab_picture *p, const wlab_rect *in, wlab_rect *area)
{
    (void)s;
    (void)p;
    *area = *in;
}

const wlab_pane wlab_pane_bags = {
    .name = "bags",
    .summary = "bags and their instances: keys of the newest labeling, largest outputs, what moved",
    .view = WL_VIEW_BAGS,
    .fits = fits,
    .title = title,
    .plot_area = area_of,
    .draw = draw,
};
