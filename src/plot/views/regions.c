/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Points in a plane, of more than two classes: regions by the largest output, lines between them, and a shape, colour and
 * letter for each class.
 */
#include "plot/views/regions.h"
#include "plot/views/classes.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    LEGEND = 12 /* most classes in the legend */
};

static int largest(const double *f, int P)
{
    int best = 0;
    for (int k = 1; k < P; k++)
        if (f[k] > f[best])
            best = k;
    return best;
}

/* ---- lines ---- */

typedef struct line {
    double *xy; /* [2 n] */
    int64_t n, capacity;
    bool failed;
} line;

static void add(line *l, double x, double y)
{
    if (l->n == l->capacity && !l->failed) {
        const int64_t capacity = l->capacity ? 2 * l->capacity : 512;
        double *grown = wlab_realloc(l->xy, (size_t)capacity, 2 * sizeof *grown);
        l->failed = !grown;
        if (grown) {
            l->xy = grown;
            l->capacity = capacity;
        }
    }
    if (l->failed)
        return;
    l->xy[2 * l->n] = x;
    l->xy[2 * l->n++ + 1] = y;
}

/* Add segments, two points each, through the cells of the grid whose corners have different classes.  On an edge
 * between two classes find the point at which their outputs are equal.  Connect two such points of a cell; if there
 * are more, connect each to their mean. */
static void add_segments(line *l, const wlab_matrix *G, int nx, const double *f, int P)
{
    const int64_t ny = G->rows / nx;
    for (int64_t j = 0; j + 1 < ny; j++)
        for (int64_t i = 0; i + 1 < nx; i++) {
            const int64_t at[4] = {j * nx + i, j * nx + i + 1, (j + 1) * nx + i + 1, (j + 1) * nx + i};
            double x[4], y[4], mx = 0, my = 0;
            int crossings = 0;
            for (int e = 0; e < 4; e++) {
                const double *p = f + at[e] * P, *q = f + at[(e + 1) % 4] * P;
                const int a = largest(p, P), b = largest(q, P);
                const double here = p[a] - p[b], there = q[a] - q[b];
                if (a == b || !(here - there > 0) || !isfinite(here - there))
                    continue;
                const double t = here / (here - there), *u = G->dense + 2 * at[e],
                             *w = G->dense + 2 * at[(e + 1) % 4];
                x[crossings] = u[0] + t * (w[0] - u[0]);
                y[crossings] = u[1] + t * (w[1] - u[1]);
                mx += x[crossings];
                my += y[crossings++];
            }
            if (crossings == 2) {
                add(l, x[0], y[0]);
                add(l, x[1], y[1]);
            }
            for (int c = 0; c < crossings && crossings > 2; c++) {
                add(l, x[c], y[c]);
                add(l, mx / crossings, my / crossings);
            }
        }
}

static void put_lines(wlab_figure *f, const wlab_matrix *G, int nx, const double *value,
                      const wlab_problem *p, int digits)
{
    const char *between = p->task->clusters ? "between clusters" : "between classes";
    line l = {0};

    add_segments(&l, G, nx, value, p->classes);
    if (l.failed) {
        f->failed = true;
    } else if (l.n) {
        const int b = wlab_figure_block(f, l.n, 2);
        wlab_figure_about(f, b, "segments of the lines along which the two largest outputs are equal");
        wlab_figure_column(f, b, 0, "x1");
        wlab_figure_column(f, b, 1, "x2");
        for (int64_t k = 0; k < 2 * l.n; k++)
            *wlab_figure_at(f, b, k / 2, (int)(k % 2)) = l.xy[k];
        if (!f->failed) {
            f->block[b].scan = 2; /* separate segments */
            f->block[b].digits = digits;
        }
        wlab_figure_series(
            f, &(wlab_series){.block = b, .draw = WL_D_LINES, .x = 1, .y = 2, .ink = 7, .mark = '*'}, between,
            f->text ? "with points pt '*'" : "with lines lw 2 dt 1 lc rgb '#000000'");
    }
    wlab_free(l.xy);
}

void wlab_regions_grid(wlab_figure *f, const wlab_problem *p, const wlab_matrix *G, int nx,
                       const double *value, int digits)
{
    const int P = p->classes, b = wlab_figure_block(f, G->rows, 4);

    wlab_figure_about(
        f, b, "a grid of %d x %d points: the class of the largest output, and its margin over the next", nx,
        (int)(G->rows / nx));
    wlab_figure_column(f, b, 0, "x1");
    wlab_figure_column(f, b, 1, "x2");
    wlab_figure_column(f, b, 2, "label");
    wlab_figure_column(f, b, 3, "margin");
    for (int64_t k = 0; k < G->rows; k++) {
        const double *out = value + k * P;
        const int best = largest(out, P);
        double next = -INFINITY;
        for (int c = 0; c < P; c++)
            next = c == best ? next : fmax(next, out[c]);
        *wlab_figure_at(f, b, k, 0) = G->dense[2 * k];
        *wlab_figure_at(f, b, k, 1) = G->dense[2 * k + 1];
        *wlab_figure_at(f, b, k, 2) = wlab_label_at(p, best);
        *wlab_figure_at(f, b, k, 3) = out[best] - next;
    }
    if (f->failed)
        return;
    f->block[b].scan = nx;
    f->block[b].digits = digits;
    if (!f->text) { /* the colour of a label extends half a unit to either side */
        for (int c = 0; c < P; c++)
            wlab_figure_before(f, "%s%d '#%06x', %d '#%06x'", c ? ", " : "set palette defined (", c,
                               wlab_class_color(c, 0.72), c + 1, wlab_class_color(c, 0.72));
        wlab_figure_before(
            f, ")\nset palette maxcolors 0\nset cbrange [0.5:%d.5]\nunset colorbox\nunset grid\n", P);
        wlab_figure_series(f, &(wlab_series){.block = b, .draw = WL_D_IMAGE, .mark = ' '}, NULL,
                           "with image");
    }
    put_lines(f, G, nx, value, p, digits);
}

/* ---- points ---- */

enum { /* columns of the block, from 1 */
    LABEL = 3,
    OBSERVED,
    FLIPPED,
    OTHERWISE,
    NO_COLUMN = 0
};

static void put(wlab_figure *f, const char *title, int column, int value, int column2, int value2, char mark,
                int ink, const char *style)
{
    wlab_series s = {
        .draw = WL_D_POINTS, .x = 1, .y = 2, .mark = mark, .ink = ink, .wheres = column2 ? 2 : 1};
    char text[32];

    s.where[0].column = column;
    s.where[0].value = value;
    s.where[1].column = column2;
    s.where[1].value = value2;
    if (f->text) {
        snprintf(text, sizeof text, "with points pt '%c'", mark);
        style = text;
    }
    wlab_figure_series(f, &s, title, style);
}

typedef struct tally {
    int64_t all, given,
        rest; /* rows with the label, observed labels, rows with the label and no observed one */
} tally;

/* Whether class k is among the LEGEND classes with the most rows. */
static bool in_legend(const tally *t, int P, int k)
{
    int before = 0;
    for (int c = 0; c < P; c++)
        before += t[c].all > t[k].all || (t[c].all == t[k].all && c < k);
    return before < LEGEND;
}

static void put_class(wlab_figure *f, const wlab_problem *p, const tally *t, int k)
{
    const int label = wlab_label_at(p, k), ink = wlab_class_ink(k), shape = wlab_class_shape(k);
    const bool legend = in_legend(t, p->classes, k);
    const char *word = wlab_class_word(p), *name = wlab_class_name(p, label);
    char title[160], style[100];

    if (t[k].rest) {
        int n = snprintf(title, sizeof title, "%s%.60s: %lld", word, name, (long long)t[k].all);
        if (t[k].given)
            snprintf(title + n, sizeof title - (size_t)n, ", %lld labelled", (long long)t[k].given);
        snprintf(style, sizeof style, "with points pt %d ps 1.1 lc rgb '#%06x'", shape,
                 wlab_class_color(k, 0));
        put(f, legend ? title : NULL, LABEL, label, OBSERVED, 0, wlab_class_letter(k, false), ink, style);
    }
    if (!t[k].given)
        return;
    snprintf(title, sizeof title, "%s%.60s: %lld labelled", word, name, (long long)t[k].given);
    if (!f->text) { /* a black rim */
        snprintf(style, sizeof style, "with points pt %d ps 2.3 lc rgb '#000000'", shape);
        put(f, NULL, OBSERVED, label, NO_COLUMN, 0, wlab_class_letter(k, true), ink, style);
    }
    snprintf(style, sizeof style, "with points pt %d ps 1.7 lc rgb '#%06x'", shape, wlab_class_color(k, 0));
    put(f, legend && !t[k].rest ? title : NULL, OBSERVED, label, NO_COLUMN, 0, wlab_class_letter(k, true),
        ink, style);
}

void wlab_regions_points(wlab_figure *f, const wlab_view_run *v, const wlab_plane *plane, int b,
                         int64_t stride)
{
    const char *const names[] = {plane->column[0], plane->column[1], "label",
                                 "observed",       "flipped",        "otherwise"};
    const wlab_problem *p = v->problem;
    tally t[WL_CLASSES_MOST] = {{0, 0, 0}};
    int64_t none = 0, flips = 0, otherwise = 0, at = 0;
    char title[120];

    wlab_view_about(f, b, plane->view, v);
    for (int c = 0; c < OTHERWISE; c++)
        wlab_figure_column(f, b, c, "%s", names[c]);
    for (int64_t i = 0; i < p->n; i++) {
        const bool flipped = wlab_boundary_flipped(v, i), given = p->visible[i] != 0;
        const int k = wlab_label_index(p, v->labels[i]);
        const int observed = wlab_label_index(p, p->visible[i]);
        flips += flipped;
        none += k < 0 && !given;
        otherwise += wlab_boundary_otherwise(p, v->labels[i], i);
        if (k >= 0) {
            t[k].all++;
            t[k].rest += !given;
        }
        if (observed >= 0)
            t[observed].given++;
        if (i % stride && !given && !flipped)
            continue;
        *wlab_figure_at(f, b, at, 0) = plane->xy[2 * i];
        *wlab_figure_at(f, b, at, 1) = plane->xy[2 * i + 1];
        *wlab_figure_at(f, b, at, 2) = v->labels[i];
        *wlab_figure_at(f, b, at, OBSERVED - 1) = p->visible[i];
        *wlab_figure_at(f, b, at, FLIPPED - 1) = flipped;
        *wlab_figure_at(f, b, at++, OTHERWISE - 1) = wlab_boundary_otherwise(p, v->labels[i], i);
    }
    if (none)
        put(f, "no label", LABEL, 0, OBSERVED, 0, '.', 7, "with points pt 2 ps 0.7 lw 1 lc rgb '#777777'");
    for (int k = 0; k < p->classes; k++)
        if (t[k].all || t[k].given)
            put_class(f, p, t, k);
    if (p->classes > LEGEND)
        wlab_figure_title(f, "%d %s; the legend names the largest %d", p->classes,
                          p->task->clusters ? "clusters" : "classes", LEGEND);
    if (otherwise) {
        wlab_boundary_otherwise_words(v, otherwise, title, sizeof title);
        put(f, title, OTHERWISE, 1, NO_COLUMN, 0, '!', 1, WL_CROSS);
    }
    if (flips) {
        snprintf(title, sizeof title, "changed in the last step: %lld", (long long)flips);
        put(f, title, FLIPPED, 1, NO_COLUMN, 0, '#', 4, "with points pt 6 ps 1.9 lw 1.8 lc rgb '#000000'");
    }
}
