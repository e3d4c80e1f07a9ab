/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * View `bags`: bags from top to bottom, positive ones first, a bag's instances from left to right.  Shades are outputs;
 * a dot is the newest labeling's key instance (where bags have proportions, by which they are ordered: what it calls +1), a cross where it was before the last step, a
 * ring the largest output, by which a bag is predicted, a square an instance that is truly positive.
 */
#include "plot/draw/quote.h"
#include "plot/views/marks.h"
#include "plot/views/view.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINES = 80,      /* bags in a picture, */
    TEXT_LINES = 10, /* of them in text, */
    CELLS = 200,     /* and instances side by side; */
    LEAST_CELLS =
        24 /* bags of more than three times the median, and of this, are squeezed: instances share cells */
};
enum {
    NAMED = 24 /* as many bags at most have their number at the axis */
};
enum { /* columns of block 0 */
    PLACE = WL_BAGS_PLACE,
    LINE = WL_BAGS_LINE,
    OUTPUT = WL_BAGS_OUTPUT,
    KIND = WL_BAGS_KIND,
    LABEL = WL_BAGS_LABEL,
    BEFORE = WL_BAGS_BEFORE,
    BAG = WL_BAGS_BAG,
    SHARE = WL_BAGS_SHARE,
    TRUTH,
    LARGEST,
    ROW,
    WIDE
};

typedef struct bag {
    double shown;
    int64_t size;
    int32_t number;
    int32_t line; /* -1: not in the picture */
} bag;

typedef struct scene {
    const wlab_problem *p;
    const wlab_view_run *v;
    bool signs, outputs, truth; /* truth: instances' labels are known, not only their bags' */
    bag *bag;                   /* [bags] sorted */
    int64_t bags, positive;     /* that have instances */
    int64_t shown, shown_positive;
    int32_t *of;                     /* [p->bags] place in `bag` */
    int32_t *pick;                   /* [picked] instances of the bags shown */
    double *output;                  /* [picked] */
    int64_t picked, cells, squeezed; /* cells side by side; bags that have more instances */
} scene;

static int order(const void *a, const void *b)
{
    const bag *x = a, *y = b;
    if (isnan(x->shown) != isnan(y->shown)) /* of which nothing is told: last */
        return isnan(x->shown) ? 1 : -1;
    if (!isnan(x->shown) && x->shown != y->shown)
        return x->shown > y->shown ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int by_size(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* The width of the picture. */
static wlab_code measure(scene *s, wlab_err *err)
{
    int64_t *size = wlab_alloc((size_t)s->shown, sizeof *size), n = 0;
    if (!size)
        return wlab_nomem(err);
    for (int64_t b = 0; b < s->p->bags; b++)
        if (s->bag[b].line >= 0)
            size[n++] = s->bag[b].size;
    qsort(size, (size_t)n, sizeof *size, by_size);
    int64_t most = 3 * size[n / 2];
    most = most < LEAST_CELLS ? LEAST_CELLS : most > CELLS ? CELLS : most;
    s->cells = size[n - 1] < most ? size[n - 1] : most;
    while (n > 0 && size[n - 1] > s->cells) {
        s->squeezed++;
        n--;
    }
    wlab_free(size);
    return WL_OK;
}

/* Where bags have signs they are positive and negative ones; else one list. */
static bool is_positive(const scene *s, double shown)
{
    return s->signs && shown > 0.5;
}

/* Which bags there are, which are shown and where. */
static wlab_code arrange(scene *s, int64_t lines, wlab_err *err)
{
    const wlab_problem *p = s->p;
    s->bag = wlab_calloc((size_t)p->bags, sizeof *s->bag);
    s->of = wlab_alloc((size_t)p->bags, sizeof *s->of);
    if (!s->bag || !s->of)
        return wlab_nomem(err);
    for (int64_t b = 0; b < p->bags; b++)
        s->bag[b] = (bag){.shown = p->bag_shown[b], .number = (int32_t)b, .line = -1};
    for (int64_t i = 0; i < p->n; i++)
        s->bag[p->bag[i]].size++;
    qsort(s->bag, (size_t)p->bags, sizeof *s->bag, order);
    for (int64_t b = 0; b < p->bags; b++) {
        s->of[s->bag[b].number] = (int32_t)b;
        s->bags += s->bag[b].size > 0;
        s->positive += s->bag[b].size > 0 && is_positive(s, s->bag[b].shown);
    }
    int64_t others = s->bags - s->positive, least = others < lines / 4 ? others : lines / 4;
    int64_t up = s->positive < lines - least ? s->positive : lines - least, down = lines - up;
    down = s->signs && down > up && down > least ? (up > least ? up : least)
                                                 : down; /* not more than positive ones */
    down = others < down ? others : down;
    s->shown_positive = up;
    for (int64_t b = 0; b < p->bags; b++) {
        bag *k = &s->bag[b];
        int64_t *left = is_positive(s, k->shown) ? &up : &down;
        if (!k->size || !*left)
            continue;
        --*left;
        k->line = (int32_t)s->shown++;
        s->picked += k->size;
    }
    wlab_code code = measure(s, err);
    if (code)
        return code;
    s->pick = wlab_alloc((size_t)s->picked, sizeof *s->pick);
    s->output = wlab_alloc((size_t)s->picked, sizeof *s->output);
    if (!s->pick || !s->output)
        return wlab_nomem(err);
    s->picked = 0;
    for (int64_t i = 0; i < p->n; i++)
        if (s->bag[s->of[p->bag[i]]].line >= 0)
            s->pick[s->picked++] = (int32_t)i;
    bool yes = false, no = false;
    for (int64_t i = 0; i < p->n && p->truth; i++)
        if (!s->signs || is_positive(s, p->bag_shown[p->bag[i]])) {
            yes = yes || p->truth[i] > 0;
            no = no || p->truth[i] < 0;
        }
    s->truth = yes && no;
    return WL_OK;
}

static void scene_clear(scene *s)
{
    wlab_free(s->bag);
    wlab_free(s->of);
    wlab_free(s->pick);
    wlab_free(s->output);
}

/* What is said of the bags shown and, where all outputs are known, counted. */
typedef struct count {
    int64_t keys, moved, agree, true_keys, alarms;
} count;

static bool changed(const scene *s, int64_t i)
{
    return s->v->labels[i] != s->v->labels_before[i] && (s->p->task->keys || s->v->labels_before[i]);
}

/* Block 0: a row an instance, by bag. */
static void put_instances(wlab_figure *f, const scene *s, count *n)
{
    static const char *const names[WIDE] = {"place", "line",  "output", "kind",    "label", "before",
                                            "bag",   "share", "truth",  "largest", "row"};
    int b = wlab_figure_block(f, s->picked, WIDE);
    int64_t *best = wlab_alloc((size_t)s->shown, sizeof *best),
            *at = wlab_calloc((size_t)s->shown, sizeof *at);

    wlab_view_about(f, b, "bags", s->v);
    wlab_figure_about(
        f, b, "%s",
        s->signs ? "kind: 0 instance, 1 truly positive, 2 key before the last step, 3 largest output, 4 key, "
                   "5 key with the largest output"
                 : "kind: 0 instance, 1 truly positive, 2 label +1 before the last step, 4 label +1");
    for (int c = 0; c < WIDE; c++)
        wlab_figure_column(f, b, c, "%s", names[c]);
    if (!best || !at || f->failed) {
        f->failed = true;
        goto out;
    }
    for (int64_t k = 0; k < s->shown; k++)
        best[k] = -1;
    for (int64_t k = 0; k < s->picked && s->outputs; k++) {
        int32_t line = s->bag[s->of[s->p->bag[s->pick[k]]]].line;
        if (best[line] < 0 || s->output[k] > s->output[best[line]])
            best[line] = k;
    }
    for (int64_t k = 0; k < s->picked; k++) {
        int64_t i = s->pick[k];
        const bag *in = &s->bag[s->of[s->p->bag[i]]];
        bool up = is_positive(s, in->shown), key = s->v->labels[i] > 0, was = s->v->labels_before[i] > 0,
             largest = s->signs && best[in->line] == k, sure = s->truth && s->p->truth[i] > 0;
        int kind = key && largest ? 5 : key ? 4 : largest ? 3 : was && changed(s, i) ? 2 : sure ? 1 : 0;
        n->keys += key;
        n->moved += key && changed(s, i);
        n->agree += key && largest;
        n->true_keys += key && sure;
        n->alarms += !up && largest && s->output[k] > 0;
        *wlab_figure_at(f, b, k, PLACE) =
            (double)(at[in->line]++ / ((in->size + s->cells - 1) / s->cells) + 1);
        *wlab_figure_at(f, b, k, LINE) = (double)(s->shown - in->line);
        *wlab_figure_at(f, b, k, OUTPUT) = s->outputs ? s->output[k] : NAN;
        *wlab_figure_at(f, b, k, KIND) = kind;
        *wlab_figure_at(f, b, k, LABEL) = s->v->labels[i];
        *wlab_figure_at(f, b, k, BEFORE) = s->v->labels_before[i];
        *wlab_figure_at(f, b, k, TRUTH) = s->truth ? s->p->truth[i] : NAN;
        *wlab_figure_at(f, b, k, LARGEST) = largest;
        *wlab_figure_at(f, b, k, BAG) = in->number + 1;
        *wlab_figure_at(f, b, k, SHARE) = in->shown;
        *wlab_figure_at(f, b, k, ROW) = s->p->row ? s->p->row[i] + 1 : (double)(i + 1);
    }
out:
    wlab_free(best);
    wlab_free(at);
}

/* Block 1: the largest output of each cell, as shades; without outputs all cells are alike.  Every cell of the grid has
 * a value, as gnuplot puts the cells of an image where they belong by counting them. */
static void put_shades(wlab_figure *f, const scene *s)
{
    double most = 0;
    int b = wlab_figure_block(f, s->cells * s->shown, 3);
    for (int64_t k = 0; k < s->picked && s->outputs; k++)
        most = fmax(most, fabs(s->output[k]));
    most = most > 0 ? fmin(most, 2) : 1;
    wlab_figure_about(f, b, "the largest output of each cell's instances, within %.6g; %.6g: beside a bag",
                      most, 1.1 * most);
    wlab_figure_column(f, b, 0, "place");
    wlab_figure_column(f, b, 1, "line");
    wlab_figure_column(f, b, 2, "shade");
    if (f->failed)
        return;
    f->block[b].scan = s->cells;
    f->block[b].digits = 8;
    for (int64_t k = 0; k < s->picked; k++) {
        const double *one = wlab_figure_at(f, 0, k, 0);
        double *cell = wlab_figure_at(f, b, ((int64_t)one[LINE] - 1) * s->cells + (int64_t)one[PLACE] - 1, 2);
        *cell = fmax(*cell, s->outputs ? fmax(fmin(one[OUTPUT], most), -most) : 0); /* fmax ignores NaN */
    }
    for (int64_t k = 0; k < s->cells * s->shown; k++) {
        double *cell = wlab_figure_at(f, b, k, 0);
        cell[0] = (double)(k % s->cells + 1);
        cell[1] = (double)(k / s->cells + 1);
        cell[2] = isnan(cell[2]) ? 1.1 * most : cell[2];
    }
    if (f->text)
        return;
    wlab_figure_before(
        f,
        "set palette defined (-1 '#ef9a5b', 0 '#ebebeb', 1 '#74b3dc', 1 '#ffffff', 1.1 '#ffffff')\n"
        "set cbrange [%.8g:%.8g]\nset cblabel 'output f'\n%sunset grid\n",
        -most, 1.1 * most, s->outputs ? "set colorbox noborder\n" : "unset colorbox\n");
    wlab_figure_series(f, &(wlab_series){.block = b, .draw = WL_D_IMAGE, .mark = ' '}, NULL, "with image");
}

static void put_marks(wlab_figure *f, const char *title, int column, int value, int column2, int value2,
                      char mark, int ink, const char *style)
{
    wlab_series m = {
        .draw = WL_D_POINTS, .x = PLACE + 1, .y = LINE + 1, .ink = ink, .mark = mark, .wheres = 1};
    char text[32];
    m.where[0].column = column + 1;
    m.where[0].value = value;
    if (column2 >= 0) {
        m.where[1].column = column2 + 1;
        m.where[1].value = value2;
        m.wheres = 2;
    }
    snprintf(text, sizeof text, "with points pt '%c'", mark);
    wlab_figure_series(f, &m, title, f->text ? text : style);
}

/* Marks, for pictures one over the other, in text the most important one. */
static void put_all_marks(wlab_figure *f, const scene *s)
{
    double size = s->shown <= 12 ? 1.6 : s->shown <= 30 ? 1.1 : s->shown <= 50 ? 0.8 : 0.6;
    const char *key = s->signs ? "key instance" : "label +1";
    char style[100];

    if (f->text) {
        put_marks(f, "instance", KIND, 0, -1, 0, '.', 7, "");
        if (s->truth)
            put_marks(f, "truly +", KIND, 1, -1, 0, '+', 3, "");
        put_marks(f, s->signs ? "key before" : "+1 before", KIND, 2, -1, 0, 'x', 7, "");
        if (s->signs && s->outputs)
            put_marks(f, "predicted", KIND, 3, -1, 0, 'O', 1, "");
        put_marks(f, key, KIND, 4, -1, 0, s->signs ? 'K' : '1', 2, "");
        if (s->signs && s->outputs)
            put_marks(f, "both", KIND, 5, -1, 0, '@', 2, "");
        return;
    }
    if (s->truth) {
        snprintf(style, sizeof style, "with points pt 4 ps %.2f lw 2 lc rgb '#007a5a'", size * 1.2);
        put_marks(f, "truly positive", TRUTH, 1, -1, 0, '+', 3, style);
    }
    snprintf(style, sizeof style, "with points pt 2 ps %.2f lw 2 lc rgb '#8a3800'", size);
    put_marks(f, s->signs ? "key before the last step" : "+1 before the last step", KIND, 2, -1, 0, 'x', 7,
              style);
    snprintf(style, sizeof style, "with points pt 7 ps %.2f lc rgb '#000000'", size);
    put_marks(f, key, LABEL, 1, -1, 0, 'K', 2, style);
    if (s->signs && s->outputs) {
        snprintf(style, sizeof style, "with points pt 6 ps %.2f lw 2 lc rgb '#000000'", size * 1.9);
        put_marks(f, "largest output", LARGEST, 1, -1, 0, 'O', 1, style);
    }
}

static void put_axes(wlab_figure *f, const scene *s)
{
    int64_t none = s->shown - s->shown_positive;
    bool shares = !s->signs, part = f->text && s->shown > TEXT_LINES;
    int64_t lines = part ? TEXT_LINES : s->shown, each = (lines + NAMED - 1) / NAMED;
    const char *between = "";
    wlab_figure_before(f, "set ytics noenhanced (");
    for (int64_t b = 0; b < s->p->bags; b++) {
        const bag *k = &s->bag[b];
        long long at = (long long)(s->shown - k->line);
        if (k->line < 0 || k->line % each != 0)
            continue;
        if (shares && isnan(k->shown))
            wlab_figure_before(f, "%s'%d: ?' %lld", between, k->number + 1, at);
        else if (shares)
            wlab_figure_before(f, "%s'%d: %.2f' %lld", between, k->number + 1, k->shown, at);
        else
            wlab_figure_before(f, "%s'%s %d' %lld", between, is_positive(s, k->shown) ? "+" : "-",
                               k->number + 1, at);
        between = ", ";
    }
    wlab_figure_before(f, ")\n");
    if (s->shown_positive && none && !part)
        wlab_figure_before(
            f,
            "set arrow from graph 0, first %.6g to graph 1, first %.6g nohead front lw 2 dt 1 lc rgb "
            "'#000000'\n",
            (double)none + 0.5, (double)none + 0.5);
    for (int64_t k = 1; k < s->shown && s->shown <= 50 && !f->text; k++)
        if (k != none)
            wlab_figure_before(
                f,
                "set arrow from graph 0, first %.6g to graph 1, first %.6g nohead front lw 1 lc rgb "
                "'#ffffff'\n",
                (double)k + 0.5, (double)k + 0.5);
    char x[120] = "instance of the bag";
    if (part)
        snprintf(x, sizeof x, "instance of the bag (the first %d of %lld bags)", TEXT_LINES,
                 (long long)s->bags);
    else if (s->squeezed)
        snprintf(x, sizeof x, "instance of the bag; in %lld longer one%s several share a cell",
                 (long long)s->squeezed, s->squeezed == 1 ? "" : "s");
    char y[120] = "bag, and its share of positives";
    if (s->signs)
        snprintf(y, sizeof y, f->text ? "bag" : "bag (%lld positive, %lld negative)",
                 (long long)s->shown_positive, (long long)none);
    wlab_figure_axes(f, x, y);
    f->fixed = f->whole_x = true;
    wlab_figure_cover(f, 0.5, part ? (double)(s->shown - TEXT_LINES) + 0.5 : 0.5);
    wlab_figure_cover(f, (double)s->cells + 0.5, (double)s->shown + 0.5);
}

static void put_words(wlab_figure *f, const scene *s, const count *n, const char *why)
{
    int64_t now = s->v->row[s->v->rows - 1].iter;
    char some[80] = "", bad[80] = "", old[64] = "", sure[80] = "", most[80] = "";

    if (s->shown < s->bags)
        snprintf(some, sizeof some, "; %lld of %lld bags shown", (long long)s->shown, (long long)s->bags);
    if (s->outputs && s->v->model && s->v->model_iter < now)
        snprintf(old, sizeof old, "; outputs of step %lld", (long long)s->v->model_iter);
    if (!s->signs) {
        wlab_figure_title(f, "after step %lld: labels that became +1: %lld%s%s%s%s", (long long)now,
                          (long long)n->moved, some, old,
                          s->outputs ? "" : "; no outputs: ", s->outputs ? "" : why);
        return;
    }
    if (s->outputs && s->shown > s->shown_positive)
        snprintf(bad, sizeof bad, "negative bags %swith f > 0: %lld of %lld",
                 s->shown < s->bags ? "in the picture " : "", (long long)n->alarms,
                 (long long)(s->shown - s->shown_positive));
    if (s->truth)
        snprintf(sure, sizeof sure, ", %lld truly positive", (long long)n->true_keys);
    if (s->outputs && s->v->marks != WL_MARKS_PREDICTION)
        snprintf(most, sizeof most, ", %lld their bag's largest f", (long long)n->agree);
    wlab_figure_title(f, "after step %lld: %lld %skeys, %lld moved%s%s", (long long)now, (long long)n->keys,
                      s->v->marks == WL_MARKS_PREDICTION ? "predicted "
                      : s->v->marks == WL_MARKS_TRUTH    ? "true "
                                                         : "",
                      (long long)n->moved, most, sure);
    const char *more = *bad ? bad : some[0] ? some + 2 : old[0] ? old + 2 : "";
    if (!s->outputs)
        wlab_figure_title(f, "no outputs: %s%s", why, some);
    else if (*more)
        wlab_figure_title(f, "%s%s%s", more, more == bad ? some : "",
                          more == bad || more == some + 2 ? old : "");
}

static wlab_code draw_view(wlab_figure *f, const wlab_view_request *q, wlab_err *err)
{
    wlab_view_run marked = q->run[0], *v = &marked;
    int8_t *room = NULL;
    scene s = {.p = v->problem, .v = v, .signs = v->problem->task->sees == WL_SEES_BAG_SIGNS};
    count n = {0};
    wlab_err why = {0};
    wlab_code code = wlab_view_alone(q, "bags", "its axes are bags and their instances", err);

    if (code)
        return code;
    if ((code = wlab_view_stepped(q, err)))
        return code;
    if (!s.p->bag || !s.p->bag_shown)
        return wlab_fail(
            err, WL_ESTATE,
            "task %s has no bags to draw: `bags` is of `task mil` and `task llp`; try `plot labels`",
            s.p->task->name);
    code = wlab_view_titles(f, q, "bags", err);
    code = code ? code : wlab_marks_take(v, q, &room, err);
    code = code ? code : arrange(&s, LINES, err);
    code = code ? code : wlab_view_outputs(v, q, s.pick, s.picked, s.output, &s.outputs, &why, err);
    if (!code) {
        put_instances(f, &s, &n);
        put_words(f, &s, &n, why.message);
        put_axes(f, &s);
        put_shades(f, &s);
        put_all_marks(f, &s);
    }
    scene_clear(&s);
    wlab_free(room);
    return code ? code : f->failed ? wlab_nomem(err) : WL_OK;
}

const wlab_view wlab_view_bags = {
    .name = "bags",
    .summary =
        "task mil, llp: the bags' instances with their outputs, the newest key instances, the predicted ones",
    .of = WL_VIEW_ONE | WL_VIEW_FIXED | WL_VIEW_STATE | WL_VIEW_MODEL | WL_VIEW_MARKS,
    .draw = draw_view,
};
