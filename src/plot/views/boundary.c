/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * View `boundary` of data with two columns: the labels of the rows, the rows whose label flipped in the last step, the
 * decision line f = 0 and the margins f = -1, +1, found by evaluating the model on a grid.
 *
 * The colours of the points show predicted labels, the newest labels, or the true labels (marks.h).  A point on the
 * shade of the other label is a row whose label the model does not predict.  A row whose label is observed has that one,
 * with a cross over it (as text: in lower case) if the other points show another label for it.  With task llp wrong
 * labels have a cross, and the bags, if there are few, have different shapes (as text: letters).
 */
#include "data/formula.h"
#include "model/deformed.h"
#include "model/model.h"
#include "plot/draw/grid.h"
#include "plot/views/classes.h"
#include "plot/views/marks.h"
#include "plot/views/regions.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    GRID_X = 160,
    GRID_Y = 120,
    LIVE_POINTS = 4000 /* a live picture of more rows is thinned, except for labelled and flipped rows */
};

wlab_range wlab_plane_range(const double *xy, int64_t n, int axis)
{
    wlab_range r = {INFINITY, -INFINITY};
    for (int64_t i = 0; i < n; i++) {
        r.lo = fmin(r.lo, xy[2 * i + axis]);
        r.hi = fmax(r.hi, xy[2 * i + axis]);
    }
    double pad = r.hi > r.lo ? 0.08 * (r.hi - r.lo) : fmax(0.5, 0.1 * fabs(r.lo));
    return (wlab_range){r.lo - pad, r.hi + pad};
}

wlab_code wlab_plane_make_grid(wlab_matrix **grid, wlab_range x, wlab_range y, int nx, int ny, wlab_err *err)
{
    wlab_code code = wlab_matrix_create_dense(grid, (int64_t)nx * ny, 2, err);
    for (int64_t k = 0; k < (int64_t)nx * ny && !code; k++) {
        double *p = (*grid)->dense + 2 * k;
        (*grid)->start[k] = 2 * k;
        (*grid)->len[k] = 2;
        p[0] = x.lo + (x.hi - x.lo) * (double)(k % nx) / (nx - 1);
        p[1] = y.lo + (y.hi - y.lo) * (double)(k / nx) / (ny - 1);
    }
    return code;
}

/* Evaluate f on the grid, [points x outputs]; *value is owned by the caller.  A model that cannot be evaluated here is
 * not an error (unless memory ran out or an interrupt came), as the picture can do without: *value remains NULL and
 * `why` has the reason. */
static wlab_code decision(const wlab_view_run *v, const wlab_view_request *q, const wlab_matrix *grid, int nx,
                          double **value, wlab_err *why, wlab_err *err)
{
    wlab_model *made = NULL;
    wlab_code code = WL_OK;
    int ny = (int)(grid->rows / nx);
    const int outputs = v->problem->classes > 2 ? v->problem->classes : 1;
    double *f = wlab_alloc((size_t)(grid->rows * outputs), sizeof *f);
    double *at = wlab_alloc((size_t)(nx + ny), sizeof *at); /* the grid's columns, then its rows */

    if (!f || !at) {
        wlab_free(f);
        wlab_free(at);
        return wlab_nomem(err);
    }
    for (int i = 0; i < nx; i++)
        at[i] = grid->dense[2 * i];
    for (int j = 0; j < ny; j++)
        at[nx + j] = grid->dense[2 * j * nx + 1];
    if (!v->model && !v->algo->model)
        code = wlab_fail(why, WL_ESTATE, "%s builds no model", v->algo->name);
    else if (!v->model && !v->state)
        code = wlab_fail(why, WL_ESTATE, "the model is not built yet");
    else if (!v->model)
        code = v->algo->model(v->state, &made, q->ctx, why);
    const wlab_model *m = v->model ? v->model : made;
    if (!code && m->outputs != outputs)
        code = wlab_fail(why, WL_ESTATE, "the model does not distinguish %d classes", v->problem->classes);
    if (!code && q->live && m->nsv > 0)
        code = wlab_blas_beside(why);
    if (!code && q->live && m->kernel.kind == WL_K_RBF && m->nsv > 0 && m->sv->cols == 2)
        code = wlab_grid_rbf(m, nx, at, ny, at + nx, f, why);
    else if (!code)
        code = wlab_model_predict_progress(m, grid, f, q->ctx, why);
    wlab_model_destroy(made);
    wlab_free(at);
    if (code) {
        wlab_free(f);
        if (code == WL_ENOMEM || code == WL_EINTERRUPTED) {
            if (err)
                *err = *why;
            return code;
        }
        return WL_OK;
    }
    *value = f;
    return WL_OK;
}

static const char *class_name(const wlab_view_run *v, int sign)
{
    const wlab_problem *p = v->problem;
    int c = sign > 0 ? p->positive : p->negative;
    if (p->keys && v->marks != WL_MARKS_TRUTH)
        return sign > 0 ? "key" : "in negative bags";
    if (p->task->clusters && v->marks != WL_MARKS_TRUTH)
        return wlab_class_name(p, sign);
    return c >= 0 && c < p->data->classes ? p->data->class_name[c] : sign > 0 ? "+1" : "others";
}

static bool predicted(const wlab_view_run *v)
{
    return !v->problem->keys && !v->problem->task->clusters && v->marks == WL_MARKS_PREDICTION;
}

static const char *observed_word(const wlab_view_run *v)
{
    return v->problem->keys && v->marks != WL_MARKS_TRUTH ? "" : wlab_class_word(v->problem);
}

/* What the name of a class follows in the legend of unlabelled rows. */
static const char *word_of(const wlab_view_run *v)
{
    return predicted(v) ? "predicted " : observed_word(v);
}

/* A series of points of block 0: those with these values in these columns; NONE: no condition. */
enum {
    NONE = 0,
    LABEL = 3,
    OBSERVED = 4, /* the observed label; 0: none */
    FLIPPED = 5,
    OTHERWISE = 6, /* 1: `label` is not the observed one */
    COLUMNS = OTHERWISE,
    LETTER = 7, /* with proportions only */
    WRONG = 8,
    COLUMNS_OF_BAGS = WRONG
};
static void points(wlab_figure *f, const char *title, int column, int value, int column2, int value2,
                   char mark, int ink, const char *style)
{
    wlab_series s = {.draw = WL_D_POINTS, .x = 1, .y = 2, .mark = mark, .ink = ink};
    char text[32];
    if (column) {
        s.where[s.wheres].column = column;
        s.where[s.wheres++].value = value;
    }
    if (column2) {
        s.where[s.wheres].column = column2;
        s.where[s.wheres++].value = value2;
    }
    if (f->text) {
        snprintf(text, sizeof text, "with points pt '%c'", mark);
        style = text;
    }
    wlab_figure_series(f, &s, title, style);
}

/* A live picture of many rows draws only every `stride`-th row among those that are neither labelled nor flipped. */
static int64_t stride_of(const wlab_view_request *q, int64_t n)
{
    return q->live && n > LIVE_POINTS ? (n + LIVE_POINTS - 1) / LIVE_POINTS : 1;
}

bool wlab_boundary_flipped(const wlab_view_run *v, int64_t i)
{
    return !v->problem->visible[i] && v->labels_before[i] && v->labels[i] != v->labels_before[i];
}

bool wlab_boundary_otherwise(const wlab_problem *p, int8_t label, int64_t i)
{
    return p->visible[i] && label && label != p->visible[i];
}

void wlab_boundary_otherwise_words(const wlab_view_run *v, int64_t count, char *buf, size_t size)
{
    char words[64];

    wlab_marks_words(v, words, sizeof words);
    if (v->marks == WL_MARKS_PREDICTION)
        snprintf(buf, size, "labelled, predicted otherwise: %lld", (long long)count);
    else
        snprintf(buf, size, "labelled, another label in %s: %lld", words, (long long)count);
}

static int64_t points_kept(const wlab_view_run *v, int64_t stride)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < v->problem->n; i++)
        kept += i % stride == 0 || v->problem->visible[i] || wlab_boundary_flipped(v, i);
    return kept;
}

bool wlab_boundary_wrong(const wlab_problem *p, int8_t label, int64_t i)
{
    return p->task->sees == WL_SEES_PROPORTIONS && !p->visible[i] && p->truth && p->truth[i] && label &&
           label != p->truth[i];
}

bool wlab_boundary_lettered(const wlab_problem *p)
{
    return p->task->sees == WL_SEES_PROPORTIONS && p->bag && p->bags <= WL_BOUNDARY_BAGS;
}

char wlab_boundary_letter(const wlab_problem *p, int8_t label, int64_t i)
{
    if (!wlab_boundary_lettered(p) || p->visible[i] || !label)
        return 0;
    return (char)((label > 0 ? 'P' : 'p') + (wlab_boundary_wrong(p, label, i) ? 'w' - 'p' : 0) + p->bag[i]);
}

/* Rows with letters: the shape shows the bag, the colour the label. */
static void put_letters(wlab_figure *f, const wlab_view_run *v)
{
    static const int shape[WL_BOUNDARY_BAGS] = {7, 9, 5, 13};
    const wlab_problem *p = v->problem;
    int64_t count[128] = {0};
    char title[300], style[120], name[24];

    for (int64_t i = 0; i < p->n; i++)
        count[(int)wlab_boundary_letter(p, v->labels[i], i)]++;
    for (int bag = 0; bag < (int)p->bags; bag++)
        for (int kind = 0; kind < 4; kind++) {
            const bool up = kind < 2, wrong = kind % 2;
            const char letter = (char)((up ? 'P' : 'p') + (wrong ? 'w' - 'p' : 0) + bag);
            if (!count[(int)letter])
                continue;
            snprintf(title, sizeof title, "bag %s, %.100s%s: %lld",
                     wlab_view_bag(p, wlab_problem_bag_number(p, bag), sizeof name - 1, name),
                     class_name(v, up ? 1 : -1), wrong ? ", wrong" : "", (long long)count[(int)letter]);
            snprintf(style, sizeof style, "with points pt %d ps 1.5 lc rgb '#%s'", shape[bag],
                     up ? "0072b2" : "d55e00");
            points(f, title, LETTER, letter, NONE, 0, letter, up ? 2 : 3, style);
        }
}

/* Draw crosses over the rows with wrong labels, and report their number in the title. */
static void put_wrong(wlab_figure *f, const wlab_view_run *v, bool letters)
{
    const wlab_problem *p = v->problem;
    int64_t wrong = 0, known = 0;
    char title[100];

    for (int64_t i = 0; i < p->n; i++) {
        known += p->truth && p->truth[i] && v->labels[i] && !p->visible[i];
        wrong += wlab_boundary_wrong(p, v->labels[i], i);
    }
    if (!known)
        return;
    wlab_figure_title(f, "wrong labels: %lld of %lld", (long long)wrong, (long long)known);
    if (!wrong || (f->text && letters)) /* the letters show it */
        return;
    snprintf(title, sizeof title, "wrong: %lld", (long long)wrong);
    points(f, title, WRONG, 1, NONE, 0, 'x', 1, "with points pt 2 ps 0.8 lw 1.3 lc rgb '#000000'");
}

/* The labelled rows whose observed label is not `label`: in text a letter in lower case, else a cross over the mark. */
static void put_otherwise(wlab_figure *f, const wlab_view_run *v, const int64_t otherwise[3])
{
    const int64_t all = otherwise[0] + otherwise[2];
    char title[120];

    if (!all)
        return;
    wlab_boundary_otherwise_words(v, all, title, sizeof title);
    if (!f->text) {
        points(f, title, OTHERWISE, 1, NONE, 0, 'a', 1, WL_CROSS);
        return;
    }
    for (int s = 1; s >= -1; s -= 2) {
        if (!otherwise[s + 1])
            continue;
        char one[200];
        wlab_boundary_otherwise_words(v, otherwise[s + 1], title, sizeof title);
        snprintf(one, sizeof one, "%.60s, %s", class_name(v, s), title);
        points(f, one, OBSERVED, s, OTHERWISE, 1, s > 0 ? 'a' : 'b', s > 0 ? 2 : 3, "");
    }
}

static void put_points(wlab_figure *f, const wlab_view_run *v, const wlab_plane *plane, int b, int64_t stride)
{
    const wlab_problem *p = v->problem;
    /* by label + 1: all rows, those without an observed label, observed labels, those that are another label */
    int64_t all[3] = {0}, count[3] = {0}, given[3] = {0}, otherwise[3] = {0}, flips = 0, at = 0;
    const bool proportions = p->task->sees == WL_SEES_PROPORTIONS, letters = wlab_boundary_lettered(p);

    wlab_view_about(f, b, plane->view, v);
    wlab_figure_column(f, b, 0, "%s", plane->column[0]);
    wlab_figure_column(f, b, 1, "%s", plane->column[1]);
    wlab_figure_column(f, b, 2, "label");
    wlab_figure_column(f, b, 3, "observed");
    wlab_figure_column(f, b, 4, "flipped");
    wlab_figure_column(f, b, 5, "otherwise");
    if (proportions) {
        wlab_figure_about(
            f, b,
            "letter: the code of p, q, r, s by bag, w, x, y, z where the label is wrong, a capital "
            "where it is +1; 0: none");
        wlab_figure_column(f, b, LETTER - 1, "letter");
        wlab_figure_column(f, b, WRONG - 1, "wrong");
    }
    for (int64_t i = 0; i < p->n; i++) {
        bool flipped = wlab_boundary_flipped(v, i), labelled = p->visible[i] != 0;
        flips += flipped;
        all[v->labels[i] + 1]++;
        count[v->labels[i] + 1] += !labelled;
        given[p->visible[i] + 1] += labelled;
        otherwise[p->visible[i] + 1] += wlab_boundary_otherwise(p, v->labels[i], i);
        if (i % stride && !labelled && !flipped)
            continue;
        *wlab_figure_at(f, b, at, 0) = plane->xy[2 * i];
        *wlab_figure_at(f, b, at, 1) = plane->xy[2 * i + 1];
        *wlab_figure_at(f, b, at, 2) = v->labels[i];
        *wlab_figure_at(f, b, at, OBSERVED - 1) = p->visible[i];
        *wlab_figure_at(f, b, at, FLIPPED - 1) = flipped;
        *wlab_figure_at(f, b, at, OTHERWISE - 1) = wlab_boundary_otherwise(p, v->labels[i], i);
        if (proportions) {
            *wlab_figure_at(f, b, at, LETTER - 1) = wlab_boundary_letter(p, v->labels[i], i);
            *wlab_figure_at(f, b, at, WRONG - 1) = wlab_boundary_wrong(p, v->labels[i], i);
        }
        at++;
    }
    char title[300], style[120];
    double size = given[0] + given[2] <= 60
                      ? 1
                      : 0.65; /* large marks for few labels; many large ones would hide the rest */
    if (count[1])
        points(f, p->keys ? "no key" : "no label", LABEL, 0, OBSERVED, 0, '.', 7,
               "with points pt 2 ps 0.7 lw 1 lc rgb '#777777'");
    for (int s = 1; s >= -1; s -= 2) {
        const char *name = class_name(v, s), *color = s > 0 ? "0072b2" : "d55e00";
        int mark = s > 0 ? 7 : 9, ink = s > 0 ? 2 : 3;
        if (count[s + 1] && !letters) {
            snprintf(title, sizeof title, "%s%.100s: %lld%s", word_of(v), name,
                     (long long)(p->keys ? count[s + 1] : all[s + 1]),
                     all[s + 1] > count[s + 1] && !p->keys && !predicted(v) ? " in all" : "");
            snprintf(style, sizeof style, "with points pt %d ps %g lc rgb '#%s'", mark, s > 0 ? 1.1 : 1.3,
                     color);
            points(f, title, LABEL, s, OBSERVED, 0, s > 0 ? '+' : '-', ink, style);
        }
        if (given[s + 1]) {
            snprintf(title, sizeof title, "%s%.100s: %lld labelled", observed_word(v), name,
                     (long long)given[s + 1]);
            if (!f->text) { /* a black rim */
                snprintf(style, sizeof style, "with points pt %d ps %g lc rgb '#000000'", mark,
                         (s > 0 ? 2.5 : 3.0) * size);
                points(f, NULL, OBSERVED, s, NONE, 0, s > 0 ? 'A' : 'B', ink, style);
            }
            snprintf(style, sizeof style, "with points pt %d ps %g lc rgb '#%s'", mark,
                     (s > 0 ? 2.0 : 2.2) * size, color);
            points(f, title, OBSERVED, s, NONE, 0, s > 0 ? 'A' : 'B', ink, style);
        }
    }
    put_otherwise(f, v, otherwise);
    if (letters)
        put_letters(f, v);
    if (proportions)
        put_wrong(f, v, letters);
    if (flips && letters && f->text) { /* a mark would hide the letter */
        wlab_figure_title(f, "changed in the last step: %lld", (long long)flips);
    } else if (flips) {
        snprintf(title, sizeof title, "changed in the last step: %lld", (long long)flips);
        points(f, title, FLIPPED, 1, NONE, 0, '#', 4, "with points pt 6 ps 1.9 lw 1.8 lc rgb '#000000'");
    }
}

/* The number of leading digits that all numbers of this range have in common. */
static double common_digits(wlab_range r)
{
    return fmax(0, ceil(log10(fmax(fabs(r.lo), fabs(r.hi)) / (r.hi - r.lo))));
}

/* Block 1: the values on the grid, drawn as shades and contours.  known: the formula of the data, or NULL. */
static void put_grid(wlab_figure *f, const wlab_plane *plane, int digits, const wlab_formula *known)
{
    const wlab_matrix *G = plane->grid;
    const double *value = plane->value;
    const int nx = plane->nx;
    double lo = INFINITY, hi = -INFINITY;
    int b = wlab_figure_block(f, G->rows, 3);

    if (b >= 0)
        f->block[b].digits = digits;
    wlab_figure_about(f, b, "the decision function f on a grid of %d x %d points, %d significant digits", nx,
                      (int)(G->rows / nx), digits);
    wlab_figure_column(f, b, 0, "%s", plane->column[0]);
    wlab_figure_column(f, b, 1, "%s", plane->column[1]);
    wlab_figure_column(f, b, 2, "f");
    for (int64_t k = 0; k < G->rows; k++) {
        *wlab_figure_at(f, b, k, 0) = G->dense[2 * k];
        *wlab_figure_at(f, b, k, 1) = G->dense[2 * k + 1];
        *wlab_figure_at(f, b, k, 2) = value[k];
        lo = fmin(lo, value[k]);
        hi = fmax(hi, value[k]);
    }
    if (f->failed)
        return;
    f->block[b].scan = nx;
    if (!f->text && hi > lo) {
        double most = fmin(fmax(fabs(lo), fabs(hi)), 2);
        wlab_figure_before(f,
                           "set palette defined (-1 '#f7cdb5', 0 '#ffffff', 1 '#b9d6ea')\n"
                           "set cbrange [%.6g:%.6g]\nunset colorbox\nset grid layerdefault\nunset grid\n",
                           -most, most);
        wlab_figure_series(f, &(wlab_series){.block = b, .draw = WL_D_IMAGE, .mark = ' '}, NULL,
                           "with image");
    }
    if (lo < 0 && hi > 0) {
        wlab_series zero = {
            .block = b, .draw = WL_D_CONTOUR, .from = "$zero", .levels = 1, .ink = 1, .mark = '*'};
        wlab_figure_series(f, &zero, known ? "learner: f = 0" : "f = 0",
                           f->text ? "with points pt '0'" : "with lines lw 3 dt 1 lc rgb '#000000'");
    }
    if ((lo < 1 && hi > 1) || (lo < -1 && hi > -1)) {
        wlab_series margin = {.block = b,
                              .draw = WL_D_CONTOUR,
                              .from = "$margin",
                              .level = {-1, 1},
                              .levels = 2,
                              .ink = 7,
                              .mark = ':',
                              .dash = 3};
        wlab_figure_series(f, &margin, "f = -1, +1",
                           f->text ? "with points pt '1'" : "with lines lw 1.5 dt 2 lc rgb '#444444'");
    }
}

/* The last line of the title: the step, changed parameters, which labels the marks show, the model's step. */
static wlab_code put_state(wlab_figure *f, const wlab_view_run *v, int64_t stride, bool drawn,
                           const char *why)
{
    const wlab_trace_row *now = &v->row[v->rows - 1];
    char words[64];
    wlab_buf b = {0};
    wlab_code code = wlab_buf_printf(&b, "after step %lld", (long long)now->iter);

    for (int i = 0, said = 0; i < v->changes && !code; i++)
        if (!wlab_view_undone(v, i))
            code = wlab_buf_printf(&b, "%s%s=%s since step %lld", said++ ? ", " : "; ", v->change[i].name,
                                   v->change[i].value, (long long)v->change[i].iter);
    wlab_marks_words(v, words, sizeof words);
    code = code ? code : wlab_buf_printf(&b, "; marks: %s", words);
    if (!code && v->marks == WL_MARKS_PREDICTION && v->labels_before == v->labels && v->rows > 1)
        code = wlab_buf_printf(&b, ", changes not marked");
    if (!code && !drawn)
        code = wlab_buf_printf(&b, "; no decision line: %s", why);
    if (!code && drawn && v->model && v->model_iter < now->iter)
        code = wlab_buf_printf(&b, "; decision line of step %lld", (long long)v->model_iter);
    if (!code && stride > 1)
        code = wlab_buf_printf(&b, "; 1 in %lld of the other rows drawn", (long long)stride);
    if (!code)
        wlab_figure_title(f, "%.*s", (int)b.len, (const char *)b.data);
    wlab_buf_clear(&b);
    return code;
}

/* The graph that deforms the run's kernel (graph=), as thin lines below the points.  A mirror has no kernel, and the text
 * pictures have no space: they draw none. */
static void put_edges(wlab_figure *f, const wlab_view_request *q, const wlab_view_run *v,
                      const wlab_plane *plane)
{
    enum {
        EDGES = 20000 /* more are a grey area */
    };
    const wlab_kernel *kernel = v->state && v->algo->kernel ? v->algo->kernel(v->state) : NULL;
    const wlab_graph *g = kernel && kernel->deformed ? kernel->deformed->graph : NULL;
    char title[60];

    if (!g || f->text || q->live || g->edges > EDGES || g->n != v->problem->n)
        return;
    const int b = wlab_figure_block(f, 3 * g->edges, 3); /* a row without values interrupts the line */
    wlab_figure_about(f, b, "the edges of the graph, each as two points and a row without values");
    wlab_figure_column(f, b, 0, "%s", plane->column[0]);
    wlab_figure_column(f, b, 1, "%s", plane->column[1]);
    wlab_figure_column(f, b, 2, "weight");
    for (int64_t e = 0; e < g->edges; e++)
        for (int end = 0; end < 2; end++) {
            const int64_t i = end ? g->edge[e].j : g->edge[e].i;
            *wlab_figure_at(f, b, 3 * e + end, 0) = plane->xy[2 * i];
            *wlab_figure_at(f, b, 3 * e + end, 1) = plane->xy[2 * i + 1];
            *wlab_figure_at(f, b, 3 * e + end, 2) = g->edge[e].weight;
        }
    snprintf(title, sizeof title, "edges of the graph: %lld", (long long)g->edges);
    wlab_figure_series(f,
                       &(wlab_series){.block = b, .draw = WL_D_LINES, .x = 1, .y = 2, .mark = '.', .ink = 7},
                       title, "with lines lw 0.7 dt 1 lc rgb '#8a8a8a'");
}

wlab_code wlab_plane_draw(wlab_figure *f, const wlab_view_request *q, const wlab_view_run *v,
                          const wlab_plane *plane, wlab_err *err)
{
    const wlab_problem *p = v->problem;
    const wlab_range x = plane->range[0], y = plane->range[1];
    const int64_t stride = stride_of(q, p->n);

    if (put_state(f, v, stride, plane->value != NULL, plane->why))
        return wlab_nomem(err);
    wlab_figure_axes(f, plane->axis[0], plane->axis[1]);
    f->names = plane->named;
    f->fixed = true;
    wlab_figure_cover(f, x.lo, y.lo);
    wlab_figure_cover(f, x.hi, y.hi);
    double shape = (x.hi - x.lo) / (y.hi - y.lo);
    if (!f->text && plane->one_unit && shape > 1.0 / 3 && shape < 3)
        wlab_figure_before(f, "set size ratio -1\n");
    int b = wlab_figure_block(
        f, points_kept(v, stride),
        p->task->sees == WL_SEES_PROPORTIONS ? COLUMNS_OF_BAGS : COLUMNS); /* block 0, which is drawn last */
    const int digits = (int)fmin(17, 6 + fmax(common_digits(x), common_digits(y)));
    if (plane->value && p->classes > 2)
        wlab_regions_grid(f, p, plane->grid, plane->nx, plane->value, digits);
    else if (plane->value)
        put_grid(f, plane, digits, v->problem->data->formula);
    put_edges(f, q, v, plane);
    if (p->classes > 2)
        wlab_regions_points(f, v, plane, b, stride);
    else
        put_points(f, v, plane, b, stride);
    return f->failed ? wlab_nomem(err) : WL_OK;
}

/* The boundary of the best possible classifier, if the law that drew the labels is known.  The formula is evaluated here:
 * gnuplot gets numbers, never its text. */
static void put_bayes(wlab_figure *f, const wlab_view_run *v, const wlab_plane *plane)
{
    const wlab_dataset *data = v->problem->data;
    const wlab_matrix *G = plane->grid;
    double lo = INFINITY, hi = -INFINITY;

    if (!data->formula)
        return;
    const int b = wlab_figure_block(f, G->rows, 3);
    wlab_figure_about(f, b, "the formula f of the data on the grid; the Bayes boundary is f = 0");
    wlab_figure_column(f, b, 0, "%s", plane->column[0]);
    wlab_figure_column(f, b, 1, "%s", plane->column[1]);
    wlab_figure_column(f, b, 2, "formula");
    for (int64_t k = 0; k < G->rows; k++) {
        const double value = wlab_formula_value(data->formula, G->dense + 2 * k);
        *wlab_figure_at(f, b, k, 0) = G->dense[2 * k];
        *wlab_figure_at(f, b, k, 1) = G->dense[2 * k + 1];
        *wlab_figure_at(f, b, k, 2) = value;
        lo = fmin(lo, value);
        hi = fmax(hi, value);
    }
    if (f->failed)
        return;
    f->block[b].scan = plane->nx;
    f->block[b].digits = 6;
    f->block[b].aside = true;
    if (lo < 0 && hi > 0)
        wlab_figure_series(f,
                           &(wlab_series){.block = b,
                                          .draw = WL_D_CONTOUR,
                                          .from = "$bayes",
                                          .levels = 1,
                                          .ink = 4,
                                          .mark = '=',
                                          .dash = 1},
                           "Bayes boundary",
                           f->text ? "with points pt '='" : "with lines lw 3 dt 4 lc rgb '#cc79a7'");
}

/* The last block: the centres of the classes, if the algorithm has some that are points of this plane. */
static wlab_code put_centres(wlab_figure *f, const wlab_view_run *v, const wlab_view_request *q,
                             wlab_err *err)
{
    wlab_shown made = {0};
    const wlab_shown *shown = NULL;
    wlab_err none = {0};
    char title[40];

    if (wlab_probe_index(v->algo, WL_PROBE_CENTRES) < 0)
        return WL_OK;
    wlab_code code = wlab_view_probe(v, q, WL_PROBE_CENTRES, "the centres are copied at the next pause",
                                     &made, &shown, &none);
    if (!code && shown->value.rows > 0 && shown->value.columns == 2) {
        const int b = wlab_figure_block(f, shown->value.rows, 2);
        wlab_figure_about(f, b, "the centres of the clusters");
        wlab_figure_column(f, b, 0, "x1");
        wlab_figure_column(f, b, 1, "x2");
        for (int64_t k = 0; k < 2 * shown->value.rows; k++)
            *wlab_figure_at(f, b, k / 2, (int)(k % 2)) = shown->value.value[k];
        snprintf(title, sizeof title, "centres: %lld", (long long)shown->value.rows);
        wlab_figure_series(
            f, &(wlab_series){.block = b, .draw = WL_D_POINTS, .x = 1, .y = 2, .mark = '@', .ink = 1}, title,
            f->text ? "with points pt '@'" : "with points pt 2 ps 2.2 lw 3.5 lc rgb '#000000'");
    }
    wlab_shown_clear(&made);
    if (code == WL_ENOMEM || code == WL_EINTERRUPTED)
        *err = none;
    return code == WL_ENOMEM || code == WL_EINTERRUPTED ? code : WL_OK;
}

static wlab_code draw_view(wlab_figure *f, const wlab_view_request *q, wlab_err *err)
{
    wlab_view_run marked = q->run[0], *v = &marked;
    const wlab_problem *p = v->problem;
    char **name = p->data->feature_name;
    wlab_plane plane = {.view = "boundary",
                        .column = {"x1", "x2"},
                        .axis = {name ? name[0] : "x1", name ? name[1] : "x2"},
                        .nx = q->grid_x > 1 ? q->grid_x : GRID_X,
                        .one_unit = true,
                        .named = name != NULL};
    int8_t *buffer = NULL;
    wlab_matrix *grid = NULL;
    double *value = NULL, *xy = NULL;
    wlab_err why = {0};
    wlab_code code;

    if ((code = wlab_view_alone(q, "boundary", "its axes are the two columns of the data", err)))
        return code;
    if (p->X->cols != 2)
        return wlab_fail(
            err, WL_EARG,
            "boundary needs data with 2 columns, but '%s' has %d: plot the view projection instead, "
            "which draws any number of columns",
            p->data->name, p->X->cols);
    if ((code = wlab_view_titles(f, q, "boundary", err)) || (code = wlab_marks_select(v, q, &buffer, err)))
        return code;
    if (!(xy = wlab_alloc((size_t)p->n, 2 * sizeof *xy))) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int64_t i = 0; i < 2 * p->n; i++)
        xy[i] = wlab_matrix_at(p->X, i / 2, (int32_t)(i % 2));
    plane.xy = xy;
    for (int axis = 0; axis < 2; axis++)
        plane.range[axis] = wlab_plane_range(xy, p->n, axis);
    if ((code = wlab_plane_make_grid(&grid, plane.range[0], plane.range[1], plane.nx,
                                     q->grid_y > 1 ? q->grid_y : GRID_Y, err)) ||
        (code = decision(v, q, grid, plane.nx, &value, &why, err)))
        goto out;
    plane.grid = grid;
    plane.value = value;
    plane.why = why.message;
    code = wlab_plane_draw(f, q, v, &plane, err);
    if (!code)
        put_bayes(f, v, &plane);
    code = code ? code : put_centres(f, v, q, err);
out:
    wlab_matrix_destroy(grid);
    wlab_free(xy);
    wlab_free(value);
    wlab_free(buffer);
    return code;
}

const wlab_view wlab_view_boundary = {
    .name = "boundary",
    .summary = "data with 2 columns: labels (predicted, newest or true, by the setting `marks`), which of "
               "them flipped, the lines f = 0, -1 and +1 of the model",
    .of = WL_VIEW_ONE | WL_VIEW_FIXED | WL_VIEW_STATE | WL_VIEW_MODEL | WL_VIEW_MARKS | WL_VIEW_MAY_PROBE |
          WL_VIEW_VALUES,
    .probe = WL_PROBE_CENTRES,
    .draw = draw_view,
};
