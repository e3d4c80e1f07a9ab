/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Views `matrix` and `kernel`: a matrix over the instances as an image.  Rows and columns are sorted by true class, if
 * known, then by newest label, with lines where the class changes.  As text, a character shows the mean over its cells.
 *
 * A matrix that clearly separates the classes is dark in square blocks along the diagonal and light elsewhere.  The rows
 * are not sorted by label alone, because any matrix has such blocks if its rows are sorted by labels rounded from it.
 */
#include "model/kernel.h"
#include "plot/views/cells.h"
#include "plot/views/classes.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct shades {
    double lo, hi;
} shades;

static shades extent(const double *value, int64_t n)
{
    shades s = {0, 0};
    for (int64_t i = 0; i < n * n; i++) {
        s.lo = fmin(s.lo, value[i]);
        s.hi = fmax(s.hi, value[i]);
    }
    if (!(s.hi > s.lo))
        s.hi = s.lo + 1;
    return s;
}

/* The mean over rows [i, j) and columns [k, l). */
static double mean(const wlab_probed *m, int64_t i, int64_t j, int64_t k, int64_t l)
{
    double sum = 0;
    for (int64_t a = i; a < j; a++)
        for (int64_t b = k; b < l; b++)
            sum += m->value[a * m->rows + b];
    return sum / (double)((j - i) * (l - k));
}

/* Add columns x rows cells: one per entry of the matrix if both are n, else means. */
static void put_cells(wlab_figure *f, const wlab_view_run *v, const char *view, const wlab_probed *m,
                      int64_t columns, int64_t rows)
{
    const double n = (double)m->rows;
    const int b = wlab_cells_block(f, v, view, "value", columns, rows);

    wlab_figure_about(f, b, "column from the left, place from the bottom, 6 significant digits%s",
                      columns < m->rows ? "; a cell is a mean" : "");
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < columns; k++) {
            const int64_t at = i * columns + k;
            *wlab_figure_at(f, b, at, WL_CELLS_X) = ((double)k + 0.5) * n / (double)columns + 0.5;
            *wlab_figure_at(f, b, at, WL_CELLS_PLACE) = n + 0.5 - ((double)i + 0.5) * n / (double)rows;
            *wlab_figure_at(f, b, at, WL_CELLS_VALUE) =
                mean(m, i * m->rows / rows, (i + 1) * m->rows / rows, k * m->rows / columns,
                     (k + 1) * m->rows / columns);
        }
}

static wlab_code draw(wlab_figure *f, const wlab_view_request *q, const char *view, const char *what,
                      const wlab_shown *shown, wlab_err *err)
{
    const wlab_view_run *v = &q->run[0];
    const wlab_problem *p = v->problem;
    const wlab_excerpt *e = &shown->over;
    const double *value = shown->value.value;
    const shades s = extent(value, e->n);

    for (int64_t i = 0; i < e->n * e->n; i++)
        if (!isfinite(value[i]))
            return wlab_fail(err, WL_ESTATE, "%s has entries that are not finite: there is nothing to draw",
                             what);
    if (e->n < 2)
        return wlab_fail(err, WL_ESTATE, "%s has one row: there is nothing to draw", what);
    const char *by = e->truth ? "true class, then label" : "label";
    const char *axis = e->truth ? "rows by true class" : "rows by label";
    if (e->n < p->n)
        wlab_figure_title(f, "%s after step %lld: %lld of %lld rows, evenly spaced, sorted by %s", what,
                          (long long)shown->iter, (long long)e->n, (long long)p->n, by);
    else
        wlab_figure_title(f, "%s after step %lld: rows sorted by %s", what, (long long)shown->iter, by);
    wlab_figure_axes(f, f->text ? axis : "", f->text ? "" : axis);
    f->fixed = true;
    wlab_figure_cover(f, 0.5, 0.5);
    wlab_figure_cover(f, (double)e->n + 0.5, (double)e->n + 0.5);
    put_cells(f, v, view, &shown->value,
              f->text && e->n > WL_CELLS_TEXT_COLUMNS ? WL_CELLS_TEXT_COLUMNS : e->n,
              f->text && e->n > WL_CELLS_TEXT_ROWS ? WL_CELLS_TEXT_ROWS : e->n);
    wlab_cells_rows(f, v, e);
    wlab_class_frames(f, p, e->truth ? e->truth : e->label, e->truth, e->n, 3,
                      f->text ? WL_CELLS_NAMES / 3 : WL_CELLS_NAMES);
    wlab_cells_draw(f, s.lo, s.hi);
    if (f->text)
        return f->failed ? wlab_nomem(err) : WL_OK;
    const double most = fmax(-s.lo, s.hi);
    if (s.lo < -1e-9 * s.hi)
        wlab_figure_before(f,
                           "set palette defined (-1 '#7a2c00', -0.5 '#e06c1f', 0 '#ffffff', 0.5 '#7fb3d8', 1 "
                           "'#00304f')\nset cbrange [%.6g:%.6g]\n",
                           -most, most);
    else
        wlab_figure_before(
            f, "set palette defined (0 '#ffffff', 0.5 '#7fb3d8', 1 '#00304f')\nset cbrange [0:%.6g]\n", most);
    wlab_figure_before(f, "unset grid\nunset key\nset size ratio -1\nset border 15\nset tics scale 0\n");
    return f->failed ? wlab_nomem(err) : WL_OK;
}

/* Check the request and write the titles. */
static wlab_code begin_view(wlab_figure *f, const wlab_view_request *q, const char *view, wlab_err *err)
{
    wlab_code code = wlab_view_alone(q, view, "its axes are the rows of the data", err);
    code = code ? code : wlab_view_stepped(q, err);
    return code ? code : wlab_view_titles(f, q, view, err);
}

static wlab_code draw_matrix(wlab_figure *f, const wlab_view_request *q, wlab_err *err)
{
    const wlab_view_run *v = &q->run[0];
    const int k = wlab_probe_index(v->algo, WL_PROBE_MATRIX);
    wlab_shown made = {0};
    const wlab_shown *shown = NULL;
    wlab_code code = begin_view(f, q, "matrix", err);

    if (!code && k < 0)
        code = wlab_fail(err, WL_ESTATE, "%s has no matrix of its own; try `plot kernel`", v->algo->name);
    if (!code)
        code = wlab_view_probe(v, q, WL_PROBE_MATRIX, "the matrix is copied at the next pause", &made, &shown,
                               err);
    if (!code)
        code = draw(f, q, "matrix", v->algo->probes[k].name, shown, err);
    wlab_shown_clear(&made);
    return code;
}

/* Compute the kernel matrix of the rows of an excerpt. */
static wlab_code fill_kernel(wlab_shown *shown, const wlab_view_run *v, const wlab_view_request *q,
                             const wlab_kernel *kernel, wlab_err *err)
{
    wlab_matrix *X = NULL;
    const wlab_excerpt *e = &shown->over;
    int32_t *of = wlab_alloc((size_t)e->n, sizeof *of);
    wlab_code code = of ? wlab_probed_make(&shown->value, e->n, e->n, err) : wlab_nomem(err);

    for (int64_t i = 0; i < e->n && !code; i++)
        of[i] = v->problem->row[e->row[i]];
    code = code ? code : wlab_matrix_rows(&X, v->problem->X, e->row, e->n, err);
    code = code ? code
                : wlab_kernel_matrix(kernel, X, X, of, shown->value.value, q->ctx ? q->ctx->pool : NULL, err);
    wlab_matrix_destroy(X);
    wlab_free(of);
    return code;
}

/* The kernel to draw: that of the state if a graph deforms it, as the model has it undeformed. */
static const wlab_kernel *kernel_of(const wlab_view_run *v, const wlab_model *model)
{
    const wlab_kernel *own = v->state && v->algo->kernel ? v->algo->kernel(v->state) : NULL;
    return own && own->deformed ? own : &model->kernel;
}

static wlab_code draw_kernel(wlab_figure *f, const wlab_view_request *q, wlab_err *err)
{
    const wlab_view_run *v = &q->run[0];
    wlab_shown shown = {.iter = v->row[v->rows - 1].iter};
    wlab_model *made = NULL;
    wlab_code code = begin_view(f, q, "kernel", err);

    if (!code && !v->model && !v->algo->model)
        code = wlab_fail(err, WL_ESTATE, "%s builds no model, so there is no kernel to draw", v->algo->name);
    if (!code && !v->model && !v->state)
        code = wlab_fail(err, WL_ESTATE, "the model is not built yet");
    if (!code && !v->model)
        code = v->algo->model(v->state, &made, q->ctx, err);
    code = code ? code : wlab_excerpt_choose(&shown.over, v->problem, v->labels, true, WL_EXCERPT_MOST, err);
    const wlab_kernel *k = code ? NULL : kernel_of(v, v->model ? v->model : made);
    code = code ? code : fill_kernel(&shown, v, q, k, err);
    if (!code) {
        char what[160], words[120];
        if (k->kind == WL_K_DEFORMED) {
            wlab_kernel_describe(k, words, sizeof words);
            snprintf(what, sizeof what, "kernel (%s)", words);
        } else if (k->kind == WL_K_RBF) {
            snprintf(what, sizeof what, "kernel (rbf, gamma %.4g)", k->gamma);
        } else {
            snprintf(what, sizeof what, "kernel (%s)", wlab_kernel_names[k->kind]);
        }
        code = draw(f, q, "kernel", what, &shown, err);
    }
    wlab_shown_clear(&shown);
    wlab_model_destroy(made);
    return code;
}

const wlab_view wlab_view_matrix = {
    .name = "matrix",
    .summary = "a matrix over the rows that an algorithm works on (softmax-sdp: Z), rows sorted by true "
               "class, or by label if that is unknown",
    .of = WL_VIEW_ONE | WL_VIEW_FIXED | WL_VIEW_STATE | WL_VIEW_PROBE,
    .probe = WL_PROBE_MATRIX,
    .draw = draw_matrix,
};

const wlab_view wlab_view_kernel = {
    .name = "kernel",
    .summary = "the model's kernel matrix, rows sorted by true class, or by label if that is unknown",
    .of = WL_VIEW_ONE | WL_VIEW_FIXED | WL_VIEW_STATE | WL_VIEW_MODEL | WL_VIEW_VALUES,
    .draw = draw_kernel,
};
