/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pane `bagflips` (task llp, mil): the bags in which labels still change.  One line per bag, the largest proportion
 * on top; one column per step, the newest at the right.
 */
#include "plot/views/strip.h"
#include "tui/panes/draw.h"
#include <math.h>
#include <stdio.h>

static bool fits(const wlab_scene *s)
{
    const wlab_problem *p = s->mirrors ? s->mirror[0]->problem : NULL;
    return p && p->bag && p->bag_given;
}

static void draw(const wlab_scene *s, const wlab_picture *pic, wlab_canvas *c, const wlab_rect *in)
{
    static const wchar_t mark[2][4] = {{0xb7, 0x2591, 0x2592, 0x2588}, {L'-', L'.', L'o', L'#'}};
    static const char *const words[] = {"", "some", "a tenth", "a third"};
    const wlab_mirror *m = s->mirrors ? s->mirror[0] : NULL;
    const int left = in->cols >= 20 ? 6 : 0, below = in->rows >= 4;
    wlab_rect r = {in->row, in->col + left, in->rows - below, in->cols - left};
    wlab_strip_bag o = {0};
    wlab_strip_cell *cell = NULL;
    (void)pic;

    if (!fits(s) || m->rows < 2) {
        if (!m)
            wlab_draw_no_run(s, c, in);
        else
            wlab_draw_message(c, in, WL_S_DIM,
                              !fits(s) ? "the task has no bags" : "nothing to draw yet: F5 makes a step");
        return;
    }
    if (r.rows < 1 || r.cols < 1)
        return;
    const wlab_problem *p = m->problem;
    const int64_t first =
        m->rows - 1 > r.cols ? m->rows - r.cols : 1; /* a row of the trace: row 0 changed nothing */
    const int64_t columns = m->rows - first;
    if (!wlab_strip_bags(&o, p, r.rows, NULL) &&
        (cell = wlab_calloc((size_t)(columns * o.lines), sizeof *cell)) &&
        !wlab_strip_count(p, m->labels_first, m->row, m->rows, first, 1, o.line, o.lines, cell, NULL)) {
        for (int64_t k = 0; k < o.lines; k++) {
            const double given = p->bag_given[o.bag[k]];
            if (left && !isnan(given))
                wlab_canvas_text(c, in, (int)k, 1, WL_S_DIM, "%.2f", given);
            for (int64_t t = 0; t < columns; t++) {
                const wlab_strip_cell *of = &cell[t * o.lines + k];
                const int kind = wlab_strip_kind(of->to_positive + of->to_negative, o.size[k]);
                wlab_canvas_put(c, &r, (int)k, (int)t, mark[s->ascii][kind],
                                kind == 0          ? WL_S_DIM
                                : t == columns - 1 ? WL_S_NEWEST
                                                   : WL_S_INK1);
            }
        }
        int col = 1;
        for (int k = 1; below && k < 4 && col + 2 + wlab_text_columns(words[k]) <= in->cols; k++) {
            wlab_canvas_put(c, in, in->rows - 1, col, mark[s->ascii][k], WL_S_INK1);
            wlab_canvas_text(c, in, in->rows - 1, col + 2, WL_S_DIM, "%s", words[k]);
            col += 4 + wlab_text_columns(words[k]);
        }
        char steps[60];
        snprintf(steps, sizeof steps, "steps %lld to %lld", (long long)m->row[first].iter,
                 (long long)m->row[m->rows - 1].iter);
        if (below && col + wlab_text_columns(steps) <= in->cols)
            wlab_canvas_text(c, in, in->rows - 1, col, WL_S_DIM, "%s", steps);
    } else {
        wlab_draw_message(c, in, WL_S_DIM, "out of memory");
    }
    wlab_strip_bag_clear(&o);
    wlab_free(cell);
}

static void title(const wlab_scene *s, const wlab_picture *pic, char *buf, size_t size)
{
    const wlab_mirror *m = s->mirrors ? s->mirror[0] : NULL;
    char *last = m && m->problem->bag ? wlab_calloc((size_t)m->problem->bags, 1) : NULL;
    int64_t changed = 0;
    (void)pic;

    if (!last || m->rows < 2) {
        snprintf(buf, size, "flips per bag");
        wlab_free(last);
        return;
    }
    for (int64_t i = 0; i < m->problem->n; i++) {
        char *of = &last[m->problem->bag[i]];
        const bool flip =
            m->labels[i] != m->labels_before[i] && wlab_strip_flips(m->problem, m->labels_before[i]);
        changed += flip && !*of;
        *of = *of || flip;
    }
    wlab_free(last);
    snprintf(buf, size, "flips per bag: %lld of %lld changed", (long long)changed,
             (long long)m->problem->bags);
}

const wlab_pane wlab_pane_bagflips = {
    .name = "bagflips",
    .summary = "in which bags labels still change",
    .help =
        "For tasks with bags: in which bags labels change, and in how many of their rows. One line per bag, "
        "the largest proportion on top, and one column per step, the newest at the right. What to watch: at "
        "first all bags change, at the end only the few whose rows are near the decision boundary.",
    .fits = fits,
    .rank = 17,
    .title = title,
    .draw = draw,
};
