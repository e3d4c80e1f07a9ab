/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A table as rows and columns of words, which each of text, Markdown and LaTeX lays out.
 */
#include "study/table/parts.h"
#include <math.h>
#include <string.h>

enum {
    RANK_DIGITS = 3
};

typedef enum part {
    OURS,
    THEIRS,
    DIFF
} part;

/* The grid while it is filled; code: the first error. */
typedef struct writing {
    const wlab_sheet *t;
    const wlab_sheet_block *b;
    const char *plus_minus;
    wlab_grid *g;
    int row, column;
    wlab_code code;
} writing;

static void put(writing *w, int piece, const char *fmt, ...) WLAB_PRINTF(3, 4);
static void put(writing *w, int piece, const char *fmt, ...)
{
    wlab_grid_cell *c = &w->g->cell[w->row * w->g->columns + w->column];
    va_list ap;

    va_start(ap, fmt);
    c->piece[piece] = wlab_vformat(fmt, ap);
    va_end(ap);
    if (!c->piece[piece])
        w->code = WL_ENOMEM;
}

/* ---- cells ---- */

bool wlab_sheet_shows(const wlab_sheet_block *b, int data)
{
    bool shows = b->present == 0;

    for (int k = 0; k < b->columns && !shows; k++)
        shows = b->cell[data * b->columns + k].n > 0;
    return shows;
}

static void ours(writing *w, const wlab_sheet_cell *c)
{
    int digits = w->t->digits;

    if (c->n == 0) {
        put(w, WL_PIECE_MEAN, "-");
        return;
    }
    put(w, WL_PIECE_MEAN, "%.*f", digits, c->mean);
    if (!isnan(c->deviation))
        put(w, WL_PIECE_DEVIATION, "%s%.*f", w->plus_minus, digits, c->deviation);
    if (c->n < (w->t->averaged ? w->t->v->e->nseeds : w->t->v->replicates))
        put(w, WL_PIECE_N, "n=%lld", (long long)c->n);
    if (!isnan(c->rank))
        put(w, WL_PIECE_RANK, "(%g)", c->rank);
    if (c->mark)
        put(w, WL_PIECE_MARK, c->mark > 0 ? "v" : "*");
    if (c->best)
        put(w, WL_PIECE_BEST, ">");
    w->g->cell[w->row * w->g->columns + w->column].bold = c->best;
}

static void theirs(writing *w, const wlab_sheet_cell *c)
{
    int digits = w->b->published_digits;

    if (isnan(c->published)) {
        put(w, WL_PIECE_MEAN, "-");
        return;
    }
    put(w, WL_PIECE_MEAN, "%.*f", digits, c->published);
    if (!isnan(c->published_deviation))
        put(w, WL_PIECE_DEVIATION, "%s%.*f", w->plus_minus, digits, c->published_deviation);
}

static void diff(writing *w, const wlab_sheet_cell *c)
{
    if (isnan(c->diff))
        put(w, WL_PIECE_MEAN, "-");
    else
        put(w, WL_PIECE_MEAN, "%+.1f", c->diff);
}

static void cells(writing *w, part which, int k)
{
    w->row = 0;
    for (int d = 0; d < w->t->v->e->ndata; d++) {
        const wlab_sheet_cell *c = &w->b->cell[d * w->b->columns + k];

        if (!wlab_sheet_shows(w->b, d))
            continue;
        if (which == OURS)
            ours(w, c);
        else if (which == THEIRS)
            theirs(w, c);
        else
            diff(w, c);
        w->row++;
    }
}

/* ---- the rows of the summary ---- */

/* The names of the summary's rows: win/tie/loss, average, average rank, without those that the table does not have.
 * Returns how many. */
static int summary(const wlab_sheet *t, const char *name[3])
{
    int n = 0;

    if (t->against >= 0)
        name[n++] = "win/tie/loss";
    name[n++] = "average";
    if (t->ranks)
        name[n++] = "average rank";
    return n;
}

static void totals(writing *w, part which, int k)
{
    const wlab_sheet_column *c = &w->b->column[k];
    int digits = w->t->digits;

    w->row = w->g->body;
    if (w->t->against >= 0) {
        if (which == OURS && c->method != w->t->against && c->win + c->tie + c->loss == 0)
            put(w, WL_PIECE_MEAN, "-"); /* nothing was tested */
        else if (which == OURS && c->method != w->t->against)
            put(w, WL_PIECE_MEAN, "%d/%d/%d", c->win, c->tie, c->loss);
        w->row++;
    }
    if (which == OURS && !isnan(c->average))
        put(w, WL_PIECE_MEAN, "%.*f", digits, c->average);
    if (which == THEIRS && !isnan(c->published_average))
        put(w, WL_PIECE_MEAN, "%.*f", digits, c->published_average);
    w->row++;
    if (w->t->ranks && which == OURS && !isnan(c->average_rank))
        put(w, WL_PIECE_MEAN, "%.*f", RANK_DIGITS, c->average_rank);
}

/* ---- columns ---- */

static void column(writing *w, part which, int k)
{
    const wlab_sheet_column *c = &w->b->column[k];
    bool alone = c->method < 0;
    char **head = &w->g->head[w->column];

    if (which == OURS)
        *head = wlab_format("%s%s", c->name, c->oracle ? " (oracle)" : "");
    else if (which == THEIRS && alone)
        *head = wlab_format("%s (published)", c->name);
    else
        *head = wlab_strdup(which == THEIRS ? "published" : "diff");
    if (!*head)
        w->code = WL_ENOMEM;
    w->g->with[w->column] = which != OURS && !alone;
    cells(w, which, k);
    totals(w, which, k);
    w->column++;
}

wlab_code wlab_grid_make(wlab_grid *out, const wlab_sheet *t, const wlab_sheet_block *b,
                         const char *plus_minus)
{
    const wlab_experiment *e = t->v->e;
    wlab_grid g = {0};
    writing w = {.t = t, .b = b, .plus_minus = plus_minus, .g = &g};
    const char *name[3];
    const int more = summary(t, name);
    int row = 0;

    for (int d = 0; d < e->ndata; d++)
        g.body += wlab_sheet_shows(b, d);
    g.rows = g.body + more;
    for (int k = 0; k < b->columns; k++)
        g.columns += b->column[k].method < 0 ? 1 : b->column[k].published ? 3 : 1;
    g.head = wlab_calloc((size_t)g.columns, sizeof *g.head);
    g.with = wlab_calloc((size_t)g.columns, sizeof *g.with);
    g.name = wlab_calloc((size_t)g.rows, sizeof *g.name);
    g.cell = wlab_calloc((size_t)g.rows * (size_t)g.columns, sizeof *g.cell);
    if (!g.head || !g.with || !g.name || !g.cell) {
        wlab_grid_clear(&g);
        return WL_ENOMEM;
    }
    for (int d = 0; d < e->ndata; d++)
        if (wlab_sheet_shows(b, d))
            g.name[row++] = e->data[d].name;
    for (int i = 0; i < more; i++)
        g.name[row++] = name[i];
    for (int k = 0; k < b->columns; k++) {
        if (b->column[k].method >= 0)
            column(&w, OURS, k);
        if (b->column[k].published)
            column(&w, THEIRS, k);
        if (b->column[k].published && b->column[k].method >= 0)
            column(&w, DIFF, k);
    }
    if (w.code)
        wlab_grid_clear(&g);
    else
        *out = g;
    return w.code;
}

void wlab_grid_clear(wlab_grid *g)
{
    for (int i = 0; g->head && i < g->columns; i++)
        wlab_free(g->head[i]);
    for (int i = 0; g->cell && i < g->rows * g->columns; i++)
        for (int p = 0; p < WL_PIECES; p++)
            wlab_free(g->cell[i].piece[p]);
    wlab_free(g->head);
    wlab_free(g->with);
    wlab_free(g->name);
    wlab_free(g->cell);
    *g = (wlab_grid){0};
}

/* ---- the caption ---- */

/* The largest number of repetitions of a cell. */
static int64_t most_repetitions(const wlab_sheet *t, const wlab_sheet_block *b)
{
    const wlab_experiment *e = t->v->e;
    int64_t most = 0;

    for (int i = 0; i < e->ndata * b->columns; i++)
        most = b->cell[i].n > most ? b->cell[i].n : most;
    return most;
}

wlab_code wlab_sheet_caption(const wlab_sheet *t, const wlab_sheet_block *b, const char *plus_minus,
                             wlab_buf *out)
{
    const wlab_experiment *e = t->v->e;
    const char *s = e->nseeds == 1 ? "" : "s", *rows;
    const bool folds = e->folds > 0 && !t->averaged;
    bool time = false;
    const int64_t most = folds ? 0 : most_repetitions(t, b);
    wlab_code code = wlab_buf_printf(out, "%s%s%s", b->setting, b->setting[0] ? ": " : "", t->score);

    for (int i = 0; wlab_cell_scores[i]; i++)
        time = time || strcmp(t->score, wlab_cell_scores[i]) == 0;
    const int len = wlab_exp_score_rows(e, t->score, &rows);
    if (!code && !time && wlab_metric_named(t->score) && len == 0)
        code = wlab_buf_printf(out, " (a metric of the run)");
    else if (!code && len > 0 && rows != t->score) /* the score's name does not say of which rows it is */
        code = wlab_buf_printf(out, " (%.*s)", len, rows);
    if (!code && t->v->replicates > 1)
        code = wlab_buf_printf(out, ", mean %s standard deviation", plus_minus);
    if (!code && !folds && most > 0 && most < e->nseeds)
        code = wlab_buf_printf(out, " of %lld of", (long long)most);
    else if (!code)
        code = wlab_buf_printf(out, " of");
    if (!code && t->averaged)
        code = wlab_buf_printf(out, " %d repetition%s, each the mean of %d folds", e->nseeds, s, e->folds);
    else if (!code && e->folds > 0)
        code = wlab_buf_printf(out, " %d repetition%s x %d folds", e->nseeds, s, e->folds);
    else if (!code)
        code = wlab_buf_printf(out, " %d repetition%s", e->nseeds, s);
    return code || !t->ranks ? code : wlab_buf_printf(out, " (rank)");
}
