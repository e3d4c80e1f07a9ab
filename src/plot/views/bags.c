/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * View `bags`: bags from top to bottom, positive bags first, the instances of a bag from left to right.  Shades are
 * outputs.  A dot is the key instance by the labels that the marks show (marks.h), a cross the key instance before the
 * last step, a ring the largest output, which predicts the label of the bag, a square a truly positive instance, a
 * diamond over the dot a key instance that is truly negative.  Bags with proportions are sorted by them, and dots are the labels +1.
 */
#include "plot/views/marks.h"
#include "plot/views/view.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINES = 80,     /* most bags in a picture */
    TEXT_LINES = 9, /* most bags in text */
    CELLS = 200,    /* most cells side by side */
    /* in a bag of more than three times the median size, and more than this, several instances share a cell */
    LEAST_CELLS = 24
};
enum {
    NAMED = 24, /* most bags with their name or number at the axis */
    NAME = 8    /* characters of a name */
};
enum { /* columns of block 0 */
    PLACE = WL_BAGS_PLACE,
    LINE = WL_BAGS_LINE,
    OUTPUT = WL_BAGS_OUTPUT,
    KIND = WL_BAGS_KIND,
    LABEL = WL_BAGS_LABEL,
    BEFORE = WL_BAGS_BEFORE,
    BAG = WL_BAGS_BAG,
    GIVEN = WL_BAGS_GIVEN,
    WRONG = WL_BAGS_WRONG,
    TRUTH,
    LARGEST,
    ROW,
    WIDE
};

typedef struct bag {
    double given; /* label (0, 1) or proportion; NaN: none */
    int64_t size;
    int32_t bag;    /* of the problem */
    int32_t number; /* in the data, from 1 */
    int32_t line;   /* -1: not in the picture */
} bag;

typedef struct scene {
    const wlab_problem *p;
    const wlab_view_run *v;
    bool signs, outputs, truth; /* truth: the labels of instances are known, not only those of their bags */
    bag *bag;                   /* [p->bags] sorted */
    int64_t bags, positive;     /* numbers of bags and of positive bags that have instances */
    int64_t drawn, drawn_positive;   /* and of those in the picture */
    int32_t *of;                     /* [p->bags] index in `bag` */
    int32_t *pick;                   /* [picked] instances of the drawn bags */
    double *output;                  /* [picked] */
    int64_t picked, cells, squeezed; /* cells: side by side; squeezed: bags with more instances than cells */
} scene;

static int order(const void *a, const void *b)
{
    const bag *x = a, *y = b;
    if (isnan(x->given) != isnan(y->given)) /* bags without a given proportion come last */
        return isnan(x->given) ? 1 : -1;
    if (!isnan(x->given) && x->given != y->given)
        return x->given > y->given ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int by_size(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* Choose the width of the picture, in cells. */
static wlab_code choose_width(scene *s, wlab_err *err)
{
    int64_t *size = wlab_alloc((size_t)s->drawn, sizeof *size), n = 0;
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

/* Bags with labels are positive or negative; bags with proportions form one list, all of it "not positive". */
static bool is_positive(const scene *s, double given)
{
    return s->signs && given > 0.5;
}

/* Sort the bags, select at most `lines` of them for the picture, and assign their lines. */
static wlab_code select_bags(scene *s, int64_t lines, wlab_err *err)
{
    const wlab_problem *p = s->p;
    s->bag = wlab_calloc((size_t)p->bags, sizeof *s->bag);
    s->of = wlab_alloc((size_t)p->bags, sizeof *s->of);
    if (!s->bag || !s->of)
        return wlab_nomem(err);
    for (int64_t b = 0; b < p->bags; b++)
        s->bag[b] = (bag){.given = p->bag_given[b],
                          .bag = (int32_t)b,
                          .number = (int32_t)wlab_problem_bag_number(p, b),
                          .line = -1};
    for (int64_t i = 0; i < p->n; i++)
        s->bag[p->bag[i]].size++;
    qsort(s->bag, (size_t)p->bags, sizeof *s->bag, order);
    for (int64_t b = 0; b < p->bags; b++) {
        s->of[s->bag[b].bag] = (int32_t)b;
        s->bags += s->bag[b].size > 0;
        s->positive += s->bag[b].size > 0 && is_positive(s, s->bag[b].given);
    }
    int64_t others = s->bags - s->positive, least = others < lines / 4 ? others : lines / 4;
    int64_t up = s->positive < lines - least ? s->positive : lines - least, down = lines - up;
    down = s->signs && down > up && down > least ? (up > least ? up : least)
                                                 : down; /* not more negative than positive bags */
    down = others < down ? others : down;
    s->drawn_positive = up;
    for (int64_t b = 0; b < p->bags; b++) {
        bag *k = &s->bag[b];
        int64_t *left = is_positive(s, k->given) ? &up : &down;
        if (!k->size || !*left)
            continue;
        --*left;
        k->line = (int32_t)s->drawn++;
        s->picked += k->size;
    }
    wlab_code code = choose_width(s, err);
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
        if (!s->signs || is_positive(s, p->bag_given[p->bag[i]])) {
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

/* Counts for the title. Of all bags: key instances, those that moved in the last step, those that are truly positive.  Of
 * the drawn bags: key instances with the largest output of their bag or truly negative, and negative bags predicted
 * positive. */
typedef struct count {
    int64_t keys, moved, agree, true_keys, false_keys, alarms;
} count;

/* The label of an instance now and before the last step; an observed one is kept whatever the model predicts. */
static bool kept(const scene *s, int64_t i)
{
    return s->p->visible[i] && s->v->marks == WL_MARKS_PREDICTION;
}

static int8_t label_of(const scene *s, int64_t i)
{
    return kept(s, i) ? s->p->visible[i] : s->v->labels[i];
}

static int8_t label_before(const scene *s, int64_t i)
{
    return kept(s, i) ? s->p->visible[i] : s->v->labels_before[i];
}

static bool changed(const scene *s, int64_t i)
{
    return label_of(s, i) != label_before(s, i) && (s->p->keys || label_before(s, i));
}

/* Block 0: one row per instance, by bag. */
static void put_instances(wlab_figure *f, const scene *s, count *n)
{
    static const char *const names[WIDE] = {"place", "line",  "output", "kind",  "label",   "before",
                                            "bag",   "share", "wrong",  "truth", "largest", "row"};
    int b = wlab_figure_block(f, s->picked, WIDE);
    int64_t *best = wlab_alloc((size_t)s->drawn, sizeof *best),
            *at = wlab_calloc((size_t)s->drawn, sizeof *at);

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
    for (int64_t i = 0; i < s->p->n; i++) {
        const bool key = label_of(s, i) > 0;
        n->keys += key;
        n->moved += key && changed(s, i);
        n->true_keys += key && s->truth && s->p->truth[i] > 0;
    }
    for (int64_t k = 0; k < s->drawn; k++)
        best[k] = -1;
    for (int64_t k = 0; k < s->picked && s->outputs; k++) {
        int32_t line = s->bag[s->of[s->p->bag[s->pick[k]]]].line;
        if (best[line] < 0 || s->output[k] > s->output[best[line]])
            best[line] = k;
    }
    for (int64_t k = 0; k < s->picked; k++) {
        int64_t i = s->pick[k];
        const bag *in = &s->bag[s->of[s->p->bag[i]]];
        bool up = is_positive(s, in->given), key = label_of(s, i) > 0, was = label_before(s, i) > 0,
             largest = s->signs && best[in->line] == k, sure = s->truth && s->p->truth[i] > 0;
        int kind = key && largest ? 5 : key ? 4 : largest ? 3 : was && changed(s, i) ? 2 : sure ? 1 : 0;
        n->agree += key && largest;
        n->alarms += !up && largest && s->output[k] > 0;
        *wlab_figure_at(f, b, k, PLACE) =
            (double)(at[in->line]++ / ((in->size + s->cells - 1) / s->cells) + 1);
        *wlab_figure_at(f, b, k, LINE) = (double)(s->drawn - in->line);
        *wlab_figure_at(f, b, k, OUTPUT) = s->outputs ? s->output[k] : NAN;
        *wlab_figure_at(f, b, k, KIND) = kind;
        *wlab_figure_at(f, b, k, LABEL) = label_of(s, i);
        *wlab_figure_at(f, b, k, BEFORE) = s->v->labels_before == s->v->labels ? NAN : label_before(s, i);
        *wlab_figure_at(f, b, k, WRONG) = s->signs && s->truth && key && s->p->truth[i] < 0;
        n->false_keys += *wlab_figure_at(f, b, k, WRONG) > 0;
        *wlab_figure_at(f, b, k, TRUTH) = s->truth ? s->p->truth[i] : NAN;
        *wlab_figure_at(f, b, k, LARGEST) = largest;
        *wlab_figure_at(f, b, k, BAG) = in->number;
        *wlab_figure_at(f, b, k, GIVEN) = in->given;
        *wlab_figure_at(f, b, k, ROW) = s->p->row ? s->p->row[i] + 1 : (double)(i + 1);
    }
out:
    wlab_free(best);
    wlab_free(at);
}

/* Block 1: the largest output of each cell, as shades.  Without outputs all cells with instances get one shade; empty
 * cells are white.  No cell is left out, because gnuplot finds the place of a cell in an image by counting. */
static void put_shades(wlab_figure *f, const scene *s)
{
    double largest = 0;
    int b = wlab_figure_block(f, s->cells * s->drawn, 3);
    for (int64_t k = 0; k < s->picked && s->outputs; k++)
        largest = fmax(largest, fabs(s->output[k]));
    const double most = largest > 0 ? fmin(largest, 2) : 1;
    wlab_figure_about(f, b, "the largest output of each cell's instances, within %.6g; %.6g: an empty cell",
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
    for (int64_t k = 0; k < s->cells * s->drawn; k++) {
        double *cell = wlab_figure_at(f, b, k, 0);
        cell[0] = (double)(k % s->cells + 1);
        cell[1] = (double)(k / s->cells + 1);
        cell[2] = isnan(cell[2]) ? 1.1 * most : cell[2];
    }
    if (f->text)
        return;
    wlab_figure_before(
        f,
        "set palette defined (-1 '#ef9a5b', 0 '#ebebeb', 1 '#74b3dc', 1.001 '#ffffff', 1.1 '#ffffff')\n"
        "set cbrange [%.8g:%.8g]\nset cblabel '%s'\n%sunset grid\n",
        -most, 1.1 * most, largest > most && !f->small ? "output f; beyond 2 the same shade" : "output f",
        s->outputs ? "set colorbox noborder\n" : "unset colorbox\n");
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

/* The marks: in pictures drawn over each other, in text only the most important one of a cell. */
static void put_all_marks(wlab_figure *f, const scene *s, const count *n)
{
    double size = s->drawn <= 12 ? 1.6 : s->drawn <= 30 ? 1.1 : s->drawn <= 50 ? 0.8 : 0.6;
    const char *key = s->signs ? "key instance" : "label +1";
    char style[100];

    if (f->text) {
        put_marks(f, "instance", KIND, 0, -1, 0, '.', 7, "");
        if (s->truth)
            put_marks(f, "truly +", KIND, 1, -1, 0, '+', 3, "");
        put_marks(f, s->signs ? "key before" : "+1 before", KIND, 2, -1, 0, 'x', 7, "");
        if (s->signs && s->outputs)
            put_marks(f, "largest output", KIND, 3, -1, 0, 'O', 1, "");
        put_marks(f, key, KIND, 4, -1, 0, s->signs ? 'K' : '1', 2, "");
        if (s->signs && s->outputs)
            put_marks(f, "key, largest output", KIND, 5, -1, 0, '@', 2, "");
        if (n->false_keys)
            put_marks(f, "key, truly -", WRONG, 1, -1, 0, '!', 3, "");
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
    if (n->false_keys) {
        char title[100];
        snprintf(title, sizeof title, "key, truly negative: %lld (never observed)", (long long)n->false_keys);
        snprintf(style, sizeof style, "with points pt 13 ps %.2f lc rgb '#d00000'", size * 1.5);
        put_marks(f, title, WRONG, 1, -1, 0, '!', 3, style);
    }
    if (s->signs && s->outputs) {
        snprintf(style, sizeof style, "with points pt 6 ps %.2f lw 2 lc rgb '#000000'", size * 1.9);
        put_marks(f, "largest output", LARGEST, 1, -1, 0, 'O', 1, style);
    }
}

static void put_axes(wlab_figure *f, const scene *s)
{
    int64_t none = s->drawn - s->drawn_positive;
    bool proportions = !s->signs;
    int64_t each = (s->drawn + NAMED - 1) / NAMED;
    const char *between = "";
    char text[24];
    wlab_figure_before(f, "set ytics noenhanced (");
    for (int64_t b = 0; b < s->p->bags; b++) {
        const bag *k = &s->bag[b];
        long long at = (long long)(s->drawn - k->line);
        if (k->line < 0 || k->line % each != 0)
            continue;
        const char *name = wlab_view_bag(s->p, k->number, NAME, text);
        if (proportions && isnan(k->given))
            wlab_figure_before(f, "%s'%s: ?' %lld", between, name, at);
        else if (proportions)
            wlab_figure_before(f, "%s'%s: %.2f' %lld", between, name, k->given, at);
        else
            wlab_figure_before(f, "%s'%s %s' %lld", between, is_positive(s, k->given) ? "+" : "-", name, at);
        between = ", ";
    }
    wlab_figure_before(f, ")\n");
    if (s->drawn_positive && none && !f->text)
        wlab_figure_before(
            f,
            "set arrow from graph 0, first %.6g to graph 1, first %.6g nohead front lw 2 dt 1 lc rgb "
            "'#000000'\n",
            (double)none + 0.5, (double)none + 0.5);
    for (int64_t k = 1; k < s->drawn && s->drawn <= 50 && !f->text; k++)
        if (k != none)
            wlab_figure_before(
                f,
                "set arrow from graph 0, first %.6g to graph 1, first %.6g nohead front lw 1 lc rgb "
                "'#ffffff'\n",
                (double)k + 0.5, (double)k + 0.5);
    char x[120] = "instance of the bag";
    if (s->squeezed)
        snprintf(x, sizeof x, "instance of the bag; in %lld longer bag%s several share a cell",
                 (long long)s->squeezed, s->squeezed == 1 ? "" : "s");
    char y[120] = "bag: its given proportion";
    if (s->signs)
        snprintf(y, sizeof y, f->text ? "bag" : "bag (%lld positive, %lld negative)",
                 (long long)s->drawn_positive, (long long)none);
    wlab_figure_axes(f, x, y);
    f->fixed = f->whole_x = true;
    /* in text the last line would lie on the axis */
    wlab_figure_cover(f, 0.5, f->text ? 0 : 0.5);
    wlab_figure_cover(f, (double)s->cells + 0.5, (double)s->drawn + (f->text ? 0 : 0.5));
}

static void put_state(wlab_figure *f, const scene *s, const count *n, const char *why)
{
    int64_t now = s->v->row[s->v->rows - 1].iter;
    char some[80] = "", bad[80] = "", old[64] = "", most[80] = "";

    if (s->drawn < s->bags)
        snprintf(some, sizeof some, "; %lld of %lld bags shown", (long long)s->drawn, (long long)s->bags);
    if (s->outputs && s->v->model && s->v->model_iter < now)
        snprintf(old, sizeof old, "; outputs of step %lld", (long long)s->v->model_iter);
    if (!s->signs) {
        wlab_figure_title(f, "after step %lld: labels that became +1: %lld%s%s%s%s", (long long)now,
                          (long long)n->moved, some, old,
                          s->outputs ? "" : "; no outputs: ", s->outputs ? "" : why);
        return;
    }
    if (s->outputs && s->drawn > s->drawn_positive)
        snprintf(bad, sizeof bad, "negative bags %swith %s > 0: %lld of %lld",
                 s->drawn < s->bags ? "in the picture " : "",
                 s->v->algo->bag_rule == WL_BAG_LARGEST ? "f" : "an instance's f", (long long)n->alarms,
                 (long long)(s->drawn - s->drawn_positive));
    if (s->outputs && s->v->marks != WL_MARKS_PREDICTION && s->drawn == s->bags)
        snprintf(most, sizeof most, ", %lld their bag's largest f", (long long)n->agree);
    char moved[40] = ""; /* what was predicted a step before is not known */
    if (s->v->marks != WL_MARKS_PREDICTION)
        snprintf(moved, sizeof moved, ", %lld moved", (long long)n->moved);
    wlab_figure_title(f, "after step %lld: %lld %skeys%s%s", (long long)now, (long long)n->keys,
                      s->v->marks == WL_MARKS_PREDICTION ? "predicted "
                      : s->v->marks == WL_MARKS_TRUTH    ? "true "
                                                         : "",
                      moved, most);
    if (s->truth)
        wlab_figure_title(f, "never observed: %lld of %lld keys are truly positive", (long long)n->true_keys,
                          (long long)n->keys);
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
    int8_t *buffer = NULL;
    scene s = {.p = v->problem, .v = v, .signs = v->problem->task->sees == WL_SEES_BAG_SIGNS};
    count n = {0};
    wlab_err why = {0};
    wlab_code code = wlab_view_alone(q, "bags", "its axes are bags and their instances", err);

    if (code)
        return code;
    if ((code = wlab_view_stepped(q, err)))
        return code;
    if (!s.p->bag || !s.p->bag_given)
        return wlab_fail(
            err, WL_ESTATE,
            "task %s has no bags to draw: `bags` draws `task mil` and `task llp`; try `plot labels`",
            s.p->task->name);
    code = wlab_view_titles(f, q, "bags", err);
    code = code ? code : wlab_marks_select(v, q, &buffer, err);
    code = code ? code : select_bags(&s, f->text ? TEXT_LINES : LINES, err);
    code = code ? code : wlab_view_outputs(v, q, s.pick, s.picked, s.output, &s.outputs, &why, err);
    if (!code) {
        put_instances(f, &s, &n);
        put_state(f, &s, &n, why.message);
        put_axes(f, &s);
        put_shades(f, &s);
        put_all_marks(f, &s, &n);
    }
    scene_clear(&s);
    wlab_free(buffer);
    return code ? code : f->failed ? wlab_nomem(err) : WL_OK;
}

const wlab_view wlab_view_bags = {
    .name = "bags",
    .summary =
        "task mil, llp: the instances of each bag, shaded by output; mil: the key instances by the model or "
        "the newest labeling (set marks=) and the largest output; llp: the labels +1",
    .of = WL_VIEW_ONE | WL_VIEW_FIXED | WL_VIEW_STATE | WL_VIEW_MODEL | WL_VIEW_MARKS | WL_VIEW_VALUES,
    .draw = draw_view,
};
