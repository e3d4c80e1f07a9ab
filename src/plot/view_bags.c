/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * View `bags`: bags from top to bottom, positive ones first, a bag's instances from left to right.  Shades are outputs;
 * a dot is the newest labeling's key instance (for llp: what it calls +1), a cross where it was before the last step, a
 * ring the largest output, by which a bag is predicted, a square an instance that is truly positive.
 */
#include "plot/quote.h"
#include "plot/view.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINES = 80,  /* bags in a picture, */
    CELLS = 240, /* and instances side by side; more share a cell */
    TEXT_LINES = 15,
    TEXT_CELLS = 56,
    NAMED = 24 /* as many bags have their number at the axis */
};
enum { /* columns of block 0 */
    PLACE,
    LINE,
    OUTPUT,
    KIND,
    LABEL,
    BEFORE,
    TRUTH,
    LARGEST,
    BAG,
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
    bool mil, outputs, truth; /* truth: instances' labels are known, not only their bags' */
    bag *bag;                 /* [bags] sorted */
    int64_t bags, positive;   /* that have instances */
    int64_t shown, shown_positive;
    int32_t *of;              /* [p->bags] place in `bag` */
    int32_t *pick;            /* [picked] instances of the bags shown */
    double *output;           /* [picked] */
    int64_t picked, widest, each; /* each: instances a cell */
} scene;

static int order(const void *a, const void *b)
{
    const bag *x = a, *y = b;
    if (x->shown != y->shown)
        return x->shown > y->shown ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static bool is_positive(double shown)
{
    return shown > 0.5;
}

/* Which bags there are, which are shown and where. */
static wlab_code arrange(scene *s, int64_t lines, int64_t cells, wlab_err *err)
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
        s->positive += s->bag[b].size > 0 && is_positive(s->bag[b].shown);
    }
    int64_t others = s->bags - s->positive, least = others < lines / 4 ? others : lines / 4;
    int64_t up = s->positive < lines - least ? s->positive : lines - least,
            down = others < lines - up ? others : lines - up;
    s->shown_positive = up;
    for (int64_t b = 0; b < p->bags; b++) {
        bag *k = &s->bag[b];
        int64_t *left = is_positive(k->shown) ? &up : &down;
        if (!k->size || !*left)
            continue;
        --*left;
        k->line = (int32_t)s->shown++;
        s->picked += k->size;
        s->widest = k->size > s->widest ? k->size : s->widest;
    }
    s->each = (s->widest + cells - 1) / cells;
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
        if (is_positive(p->bag_shown[p->bag[i]])) {
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
    return s->v->labels[i] != s->v->labels_before[i] && (s->mil || s->v->labels_before[i]);
}

/* Block 0: a row an instance, by bag. */
static void put_instances(wlab_figure *f, const scene *s, count *n)
{
    static const char *const names[WIDE] = {"place",  "line",  "output",  "kind", "label",
                                            "before", "truth", "largest", "bag",  "row"};
    int b = wlab_figure_block(f, s->picked, WIDE);
    int64_t *best = wlab_alloc((size_t)s->shown, sizeof *best), *at = wlab_calloc((size_t)s->shown, sizeof *at);

    wlab_view_about(f, b, "bags", s->v);
    wlab_figure_about(f, b, "kind: 0 instance, 1 truly positive, 2 key before the last step, 3 largest output, 4 key, "
                            "5 key with the largest output");
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
        bool up = is_positive(in->shown), key = s->v->labels[i] > 0, was = s->v->labels_before[i] > 0,
             largest = s->mil && best[in->line] == k, sure = s->truth && s->p->truth[i] > 0;
        int kind = key && largest ? 5 : key ? 4 : largest ? 3 : was && changed(s, i) ? 2 : sure ? 1 : 0;
        n->keys += key;
        n->moved += key && changed(s, i);
        n->agree += key && largest;
        n->true_keys += key && sure;
        n->alarms += !up && largest && s->output[k] > 0;
        *wlab_figure_at(f, b, k, PLACE) = (double)(at[in->line]++ / s->each + 1);
        *wlab_figure_at(f, b, k, LINE) = (double)(s->shown - in->line);
        *wlab_figure_at(f, b, k, OUTPUT) = s->outputs ? s->output[k] : NAN;
        *wlab_figure_at(f, b, k, KIND) = kind;
        *wlab_figure_at(f, b, k, LABEL) = s->v->labels[i];
        *wlab_figure_at(f, b, k, BEFORE) = s->v->labels_before[i];
        *wlab_figure_at(f, b, k, TRUTH) = s->truth ? s->p->truth[i] : NAN;
        *wlab_figure_at(f, b, k, LARGEST) = largest;
        *wlab_figure_at(f, b, k, BAG) = in->number;
        *wlab_figure_at(f, b, k, ROW) = s->p->row ? s->p->row[i] + 1 : (double)(i + 1);
    }
out:
    wlab_free(best);
    wlab_free(at);
}

/* Block 1: the largest output of each cell, as shades; without outputs all cells are alike. */
static void put_shades(wlab_figure *f, const scene *s)
{
    int64_t wide = (s->widest + s->each - 1) / s->each;
    int b = wlab_figure_block(f, wide * s->shown, 3);
    wlab_figure_about(f, b, "the largest output of the instances in each cell; NaN beside a bag");
    wlab_figure_column(f, b, 0, "place");
    wlab_figure_column(f, b, 1, "line");
    wlab_figure_column(f, b, 2, "output");
    if (f->failed)
        return;
    f->block[b].scan = wide;
    f->block[b].digits = 8;
    for (int64_t line = 0; line < s->shown; line++)
        for (int64_t k = 0; k < wide; k++) {
            *wlab_figure_at(f, b, line * wide + k, 0) = (double)(k + 1);
            *wlab_figure_at(f, b, line * wide + k, 1) = (double)(line + 1);
        }
    for (int64_t k = 0; k < s->picked; k++) {
        const double *one = wlab_figure_at(f, 0, k, 0);
        double *cell = wlab_figure_at(f, b, ((int64_t)one[LINE] - 1) * wide + (int64_t)one[PLACE] - 1, 2);
        *cell = fmax(*cell, s->outputs ? one[OUTPUT] : 0); /* fmax ignores the NaN of an empty cell */
    }
    wlab_figure_before(f, "set palette defined (-2 '#ef9a5b', 0 '#f2f2f2', 2 '#74b3dc')\nset cbrange [-2:2]\n"
                          "set cblabel 'output f'\n%sunset grid\n",
                       s->outputs ? "" : "unset colorbox\n");
    wlab_figure_series(f, &(wlab_series){.block = b, .draw = WL_D_IMAGE, .mark = ' '}, NULL, "with image pixels");
}

static void put_marks(wlab_figure *f, const char *title, int column, int value, int column2, int value2, char mark,
                      int ink, const char *style)
{
    wlab_series m = {.draw = WL_D_POINTS, .x = PLACE + 1, .y = LINE + 1, .ink = ink, .mark = mark, .wheres = 1};
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
    const char *key = s->mil ? "key instance" : "label +1";
    char style[100];

    if (f->text) {
        put_marks(f, "instance", KIND, 0, -1, 0, '.', 7, "");
        if (s->truth)
            put_marks(f, "truly +", KIND, 1, -1, 0, '+', 3, "");
        put_marks(f, s->mil ? "key before" : "+1 before", KIND, 2, -1, 0, 'x', 7, "");
        if (s->mil && s->outputs)
            put_marks(f, "predicted", KIND, 3, -1, 0, 'O', 1, "");
        put_marks(f, key, KIND, 4, -1, 0, 'K', 2, "");
        if (s->mil && s->outputs)
            put_marks(f, "both", KIND, 5, -1, 0, '@', 2, "");
        return;
    }
    if (s->truth) {
        snprintf(style, sizeof style, "with points pt 4 ps %.2f lw 2 lc rgb '#007a5a'", size * 1.2);
        put_marks(f, "truly positive", TRUTH, 1, -1, 0, '+', 3, style);
    }
    snprintf(style, sizeof style, "with points pt 2 ps %.2f lw 2 lc rgb '#8a3800'", size);
    put_marks(f, s->mil ? "key before the last step" : "+1 before the last step", KIND, 2, -1, 0, 'x', 7, style);
    snprintf(style, sizeof style, "with points pt 7 ps %.2f lc rgb '#000000'", size);
    put_marks(f, key, LABEL, 1, -1, 0, 'K', 2, style);
    if (s->mil && s->outputs) {
        snprintf(style, sizeof style, "with points pt 6 ps %.2f lw 2 lc rgb '#000000'", size * 1.9);
        put_marks(f, "largest output", LARGEST, 1, -1, 0, 'O', 1, style);
    }
}

static void put_axes(wlab_figure *f, const scene *s)
{
    int64_t wide = (s->widest + s->each - 1) / s->each, none = s->shown - s->shown_positive;
    bool llp = !s->mil;
    wlab_figure_before(f, "set ytics noenhanced (");
    if (s->shown <= NAMED && (!f->text || s->shown <= TEXT_LINES)) {
        const char *between = "";
        for (int64_t b = 0; b < s->p->bags; b++) {
            const bag *k = &s->bag[b];
            if (k->line < 0)
                continue;
            if (llp)
                wlab_figure_before(f, "%s'bag %d: %.2f' %lld", between, k->number + 1, k->shown,
                                   (long long)(s->shown - k->line));
            else
                wlab_figure_before(f, "%s'%s%d' %lld", between, is_positive(k->shown) ? "+ bag " : "- bag ",
                                   k->number + 1, (long long)(s->shown - k->line));
            between = ", ";
        }
    } else {
        const char *up = llp ? "share over 1/2" : "positive", *down = llp ? "others" : "negative";
        const char *between = "";
        if (s->shown_positive) {
            wlab_figure_before(f, "'%s: %lld' %.6g", up, (long long)s->positive,
                               (double)s->shown - (double)(s->shown_positive - 1) / 2);
            between = ", ";
        }
        if (none)
            wlab_figure_before(f, "%s'%s: %lld' %.6g", between, down, (long long)(s->bags - s->positive),
                               (double)(none + 1) / 2);
    }
    wlab_figure_before(f, ")\n");
    if (s->shown_positive && none)
        wlab_figure_before(f,
                           "set arrow from graph 0, first %.6g to graph 1, first %.6g nohead front lw 2 dt 1 lc rgb "
                           "'#000000'\n",
                           (double)none + 0.5, (double)none + 0.5);
    for (int64_t k = 1; k < s->shown && s->shown <= 50 && !f->text; k++)
        wlab_figure_before(f, "set arrow from graph 0, first %.6g to graph 1, first %.6g nohead front lw 1 lc rgb "
                              "'#ffffff'\n",
                           (double)k + 0.5, (double)k + 0.5);
    char x[80] = "instance of the bag";
    if (s->each > 1)
        snprintf(x, sizeof x, "instance of the bag, %lld a cell", (long long)s->each);
    wlab_figure_axes(f, x, s->mil ? "bag" : "bag, and its share of positives");
    f->fixed = f->whole_x = true;
    wlab_figure_cover(f, 0.5, 0.5);
    wlab_figure_cover(f, (double)wide + 0.5, (double)s->shown + 0.5);
}

static void put_words(wlab_figure *f, const scene *s, const count *n, const char *why)
{
    int64_t now = s->v->row[s->v->rows - 1].iter;
    char some[80] = "", bad[80] = "", old[64] = "", sure[80] = "";

    if (s->shown < s->bags)
        snprintf(some, sizeof some, "; %lld of %lld bags shown", (long long)s->shown, (long long)s->bags);
    if (s->outputs && s->v->model && s->v->model_iter < now)
        snprintf(old, sizeof old, "; outputs of step %lld", (long long)s->v->model_iter);
    if (!s->mil) {
        wlab_figure_title(f, "after step %lld: %lld labels moved to +1%s%s%s%s", (long long)now, (long long)n->moved,
                          some, old, s->outputs ? "" : "; no outputs: ", s->outputs ? "" : why);
        return;
    }
    if (s->outputs && s->shown > s->shown_positive)
        snprintf(bad, sizeof bad, "; of %lld negative bags %lld are called positive",
                 (long long)(s->shown - s->shown_positive), (long long)n->alarms);
    if (s->truth)
        snprintf(sure, sizeof sure, ", truly positive: %lld", (long long)n->true_keys);
    if (s->outputs)
        wlab_figure_title(f, "after step %lld: of %lld keys %lld moved, %lld have their bag's largest output%s%s%s%s",
                          (long long)now, (long long)n->keys, (long long)n->moved, (long long)n->agree, sure, bad,
                          some, old);
    else
        wlab_figure_title(f, "after step %lld: of %lld keys %lld moved%s%s; no outputs: %s", (long long)now,
                          (long long)n->keys, (long long)n->moved, sure, some, why);
}

wlab_code wlab_view_bags(wlab_figure *f, const wlab_view_request *q, wlab_err *err)
{
    const wlab_view_run *v = &q->run[0];
    scene s = {.p = v->problem, .v = v, .mil = v->problem->task->bit == WL_T_MIL};
    count n = {0};
    wlab_err why = {0};
    wlab_code code = wlab_view_alone(q, "bags", "its axes are bags and their instances", err);

    if (code)
        return code;
    if (!s.p->bag || !s.p->bag_shown)
        return wlab_fail(err, WL_ESTATE,
                         "task %s has no bags to draw: `bags` is of `task mil` and `task llp`; try `plot labels`",
                         s.p->task->name);
    code = wlab_view_stepped(q, err);
    code = code ? code : wlab_view_titles(f, q, "bags", err);
    code = code ? code : arrange(&s, f->text ? TEXT_LINES : LINES, f->text ? TEXT_CELLS : CELLS, err);
    code = code ? code : wlab_view_outputs(v, q, s.pick, s.picked, s.output, &s.outputs, &why, err);
    if (!code) {
        put_instances(f, &s, &n);
        put_words(f, &s, &n, why.message);
        put_axes(f, &s);
        if (!f->text)
            put_shades(f, &s);
        put_all_marks(f, &s);
    }
    scene_clear(&s);
    return code ? code : f->failed ? wlab_nomem(err) : WL_OK;
}
