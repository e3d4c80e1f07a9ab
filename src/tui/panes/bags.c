/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pane `bags` (task mil, llp): one line per bag, positive ones first (llp: by proportion), one mark per instance.  The
 * marks show the key instances (llp: the instances labelled +1) by the labels that `set marks=` selects, the largest
 * output, and the true positives.
 */
#include "tui/panes/draw.h"
#include <math.h>
#include <stdio.h>

enum {
    WIDEST = 3 /* columns of an instance, if there is space */
};

static bool fits(const wlab_scene *s)
{
    const wlab_problem *p = s->mirrors ? s->mirror[0]->problem : NULL;
    return p && p->bag && p->bag_given;
}

static bool has_signs(const wlab_scene *s)
{
    return s->mirrors && s->mirror[0]->problem->task->sees == WL_SEES_BAG_SIGNS;
}

static const double *instance(const wlab_figure *f, int64_t k)
{
    return f->block[0].value + k * f->block[0].columns;
}

/* ---- the bags that get a line ---- */

typedef struct plan {
    int64_t bags, shown; /* in the figure; lines in the pane */
    int64_t cells;       /* in the figure */
    int32_t *row;        /* [bags + 1] the pane's row of the figure's line, from 1; -1: not shown */
} plan;

/* Whether the label is another one than before the last step; false if that is not known. */
static bool label_moved(const double *one)
{
    return !isnan(one[WL_BAGS_BEFORE]) && one[WL_BAGS_LABEL] != one[WL_BAGS_BEFORE];
}

/* What a caption or the title speaks of: a key that moved, or that is wrong. */
static bool is_news(const double *one)
{
    return one[WL_BAGS_WRONG] > 0 || (one[WL_BAGS_LABEL] > 0 && label_moved(one));
}

/* Choose the bags for `rows` lines: if not all fit, those with news, then positive ones (llp: the first), then the others.
 * WL_ENOMEM, without a message. */
static wlab_code make_plan(plan *p, const wlab_figure *f, bool signs, int rows)
{
    enum {
        OTHER,
        POSITIVE,
        NEWS,
        CLASSES
    };
    char *rank;
    int64_t left = rows;

    *p = (plan){0};
    for (int64_t k = 0; k < f->block[0].rows; k++) {
        const double *one = instance(f, k);
        p->bags = one[WL_BAGS_LINE] > (double)p->bags ? (int64_t)one[WL_BAGS_LINE] : p->bags;
        p->cells = one[WL_BAGS_PLACE] > (double)p->cells ? (int64_t)one[WL_BAGS_PLACE] : p->cells;
    }
    p->row = wlab_alloc((size_t)p->bags + 1, sizeof *p->row);
    rank = wlab_calloc((size_t)p->bags + 1, 1);
    if (!p->row || !rank) {
        p->row = wlab_free(p->row);
        wlab_free(rank);
        return WL_ENOMEM;
    }
    for (int64_t k = 0; k < f->block[0].rows; k++) {
        const double *one = instance(f, k);
        char *of = &rank[(int64_t)one[WL_BAGS_LINE]];
        const char now = is_news(one) ? NEWS : signs && one[WL_BAGS_GIVEN] > 0.5 ? POSITIVE : OTHER;
        *of = now > *of ? now : *of;
    }
    for (int64_t line = 0; line <= p->bags; line++)
        p->row[line] = -1;
    for (int class = CLASSES - 1; class >= 0; class --)
        for (int64_t line = p->bags; line > 0 && left > 0; line--)
            if (rank[line] == class) {
                p->row[line] = 0;
                left--;
            }
    for (int64_t line = p->bags; line > 0; line--) /* the largest line is on top */
        if (p->row[line] == 0)
            p->row[line] = (int32_t)p->shown++;
    wlab_free(rank);
    return WL_OK;
}

/* ---- marks ---- */

static void mark(const wlab_scene *s, const double *one, wchar_t *ch, wlab_style *style)
{
    static const wchar_t marks[] = {L'.', L'+', L'x', L'O', L'K', L'@'};
    int kind = (int)one[WL_BAGS_KIND];
    bool positive = one[WL_BAGS_OUTPUT] > 0, moved = label_moved(one);
    *ch = kind == 0 && one[WL_BAGS_OUTPUT] < 0 ? L'-'
          : kind == 0 && !s->ascii             ? 0xb7
                                               : marks[kind >= 0 && kind <= 5 ? kind : 0];
    *ch = kind == 4 && !has_signs(s) ? L'1' : one[WL_BAGS_WRONG] > 0 ? L'!' : *ch;
    if (kind >= 4)
        *style = moved ? WL_S_FLIP_POSITIVE : WL_S_GIVEN_POSITIVE;
    else if (kind == 2)
        *style = WL_S_FLIP_NEGATIVE;
    else
        *style = isnan(one[WL_BAGS_OUTPUT]) ? WL_S_DIM : positive ? WL_S_POSITIVE : WL_S_NEGATIVE;
}

/* ---- the legend ---- */

enum {
    KEY,
    LARGEST,
    BOTH,
    MOVED,
    WAS,
    TRULY,
    UP,
    DOWN,
    MARKS
};

/* The marks that the figure has, one bit each. */
static unsigned marks_of(const wlab_figure *f)
{
    static const unsigned of_kind[] = {0, 1u << TRULY, 1u << WAS, 1u << LARGEST, 1u << KEY, 1u << BOTH};
    unsigned present = 0;
    for (int64_t k = 0; k < f->block[0].rows; k++) {
        const double *one = instance(f, k);
        int kind = (int)one[WL_BAGS_KIND];
        present |= kind >= 0 && kind <= 5 ? of_kind[kind] : 0;
        if (kind >= 4)
            present |= label_moved(one) ? 1u << MOVED : 0;
        else if (kind == 0 && !isnan(one[WL_BAGS_OUTPUT]))
            present |= one[WL_BAGS_OUTPUT] > 0 ? 1u << UP : 1u << DOWN;
    }
    return present;
}

/* The number of key instances that are truly negative. */
static int64_t wrong_keys(const wlab_figure *f, int64_t *keys)
{
    int64_t wrong = 0;
    *keys = 0;
    for (int64_t k = 0; k < f->block[0].rows; k++) {
        wrong += instance(f, k)[WL_BAGS_WRONG] > 0;
        *keys += instance(f, k)[WL_BAGS_LABEL] > 0;
    }
    return wrong;
}

/* Draw the legend of the marks, after the number of bags shown if not all are, on at most `most` lines from `top` on.
 * Returns the lines used; c = NULL: count them only. */
static int legend(const wlab_scene *s, const wlab_figure *f, wlab_canvas *c, const wlab_rect *in, int top,
                  int most, unsigned present, int64_t shown, int64_t all)
{
    static const struct {
        const char *mark, *signs, *proportions;
        wlab_style style;
    } each[MARKS] = {[KEY] = {"K", "key", "label +1", WL_S_GIVEN_POSITIVE},
                     [LARGEST] = {"O", "largest f", NULL, WL_S_TEXT},
                     [BOTH] = {"@", "both", NULL, WL_S_GIVEN_POSITIVE},
                     [MOVED] = {"K", "moved", "just now", WL_S_FLIP_POSITIVE},
                     [WAS] = {"x", "was key", "was +1", WL_S_FLIP_NEGATIVE},
                     [TRULY] = {"+", "true", "truly +", WL_S_TEXT},
                     [UP] = {".", "f > 0", "f > 0", WL_S_POSITIVE},
                     [DOWN] = {"-", "f < 0", "f < 0", WL_S_NEGATIVE}};
    bool signs = has_signs(s);
    int row = 0, col = 1;
    char words[100] = "", bags[60] = "";
    int64_t keys;
    const int64_t wrong = wrong_keys(f, &keys);

    if (shown < all)
        snprintf(bags, sizeof bags, "%lld of %lld bags", (long long)shown, (long long)all);
    if (wrong) { /* first, so that it is there in any width; on one line with the number of bags shown */
        const int room = in->cols - 3 - (most == 1 && *bags ? wlab_text_columns(bags) + 2 : 0);
        snprintf(words, sizeof words, "%lld of %lld keys truly negative (never observed)", (long long)wrong,
                 (long long)keys);
        if (wlab_text_columns(words) > room)
            snprintf(words, sizeof words, "%lld of %lld keys truly negative", (long long)wrong,
                     (long long)keys);
        if (wlab_text_columns(words) > room)
            snprintf(words, sizeof words, "%lld of %lld wrong", (long long)wrong, (long long)keys);
        if (c) {
            wlab_canvas_put(c, in, top, col, L'!', WL_S_GIVEN_POSITIVE);
            wlab_canvas_text(c, in, top, col + 2, WL_S_STRONG, "%s", words);
        }
        col += 2 + wlab_text_columns(words) + 2;
    }
    if (*bags) {
        const bool fits = col == 1 || col + wlab_text_columns(bags) <= in->cols;
        if (!fits && most > 1) {
            row++;
            col = 1;
        }
        if (fits || most > 1) {
            if (c)
                wlab_canvas_text(c, in, top + row, col, WL_S_DIM, "%s", bags);
            col += wlab_text_columns(bags) + 2;
        }
    }
    for (int k = 0; k < MARKS; k++) {
        const char *text = signs ? each[k].signs : each[k].proportions;
        if (k == BOTH && signs && !(present >> KEY & 1)) /* the model's key instances: no others are drawn */
            text = "key";
        const char *sign = *each[k].mark == 'K' && !signs ? "1" : each[k].mark;
        if (!text || !(present >> k & 1))
            continue;
        int need = 2 + wlab_text_columns(text);
        if (col + need > in->cols) {
            if (row + 1 >= most)
                continue;
            row++;
            col = 1;
        }
        if (c) {
            wlab_canvas_put(c, in, top + row, col, *sign == '.' && !s->ascii ? 0xb7 : (wchar_t)*sign,
                            each[k].style);
            wlab_canvas_text(c, in, top + row, col + 2, WL_S_TEXT, "%s", text);
        }
        col += need + 2;
    }
    return row + 1;
}

/* The number of bags that have instances; without memory, of those in the figure. */
static int64_t count_bags(const wlab_problem *p, const plan *in)
{
    char *some = wlab_calloc((size_t)p->bags, 1);
    int64_t n = 0;
    if (!some)
        return in->bags; /* out of memory */
    for (int64_t i = 0; i < p->n; i++) {
        n += !some[p->bag[i]];
        some[p->bag[i]] = 1;
    }
    wlab_free(some);
    return n;
}

static void draw(const wlab_scene *s, const wlab_picture *pic, wlab_canvas *c, const wlab_rect *in)
{
    if (!pic->has_figure) {
        wlab_draw_no_figure(s, pic, c, in);
        return;
    }
    const wlab_figure *f = &pic->figure;
    int rows = in->rows >= 4 ? in->rows - 1 : in->rows, left = in->cols >= 20 ? 6 : 0;
    plan p;
    if (make_plan(&p, f, has_signs(s), rows)) {
        wlab_draw_message(c, in, WL_S_DIM, "out of memory");
        return;
    }
    int64_t all = count_bags(s->mirror[0]->problem, &p);
    unsigned present = marks_of(f);
    int64_t keys;
    const int lines = in->rows >= 12 && wrong_keys(f, &keys) ? 3 : 2; /* of the legend, at most */
    if (in->rows >= 6 &&
        (rows = in->rows - legend(s, f, NULL, in, 0, lines, present, p.shown, all)) < in->rows - 1) {
        wlab_free(p.row);
        if (make_plan(&p, f, has_signs(s), rows)) {
            wlab_draw_message(c, in, WL_S_DIM, "out of memory");
            return;
        }
    }
    wlab_rect r = {in->row, in->col + left, rows, in->cols - left};
    if (r.cols < 1 || rows < 1 || p.cells < 1) {
        wlab_free(p.row);
        return;
    }
    int wide = p.cells < r.cols ? (int)(r.cols / p.cells) : 1;
    wide = wide < WIDEST ? wide : WIDEST;
    int64_t each = p.cells > r.cols ? (p.cells + r.cols - 1) / r.cols : 1;
    for (int kind = 0; kind <= 5; kind++) /* the more important marks last */
        for (int64_t k = 0; k < f->block[0].rows; k++) {
            const double *one = instance(f, k);
            int row = p.row[(int64_t)one[WL_BAGS_LINE]];
            char name[24];
            wlab_style style;
            wchar_t ch;
            if (row < 0 || (int)one[WL_BAGS_KIND] != kind)
                continue;
            mark(s, one, &ch, &style);
            wlab_canvas_put(c, &r, row, (int)(((int64_t)one[WL_BAGS_PLACE] - 1) / each) * wide, ch, style);
            if (left && one[WL_BAGS_PLACE] == 1) {
                if (has_signs(s))
                    wlab_canvas_text(
                        c, in, row, 1, WL_S_DIM, "%c%-4s", one[WL_BAGS_GIVEN] > 0.5 ? '+' : '-',
                        wlab_view_bag(s->mirror[0]->problem, (int64_t)one[WL_BAGS_BAG], 4, name));
                else if (isnan(one[WL_BAGS_GIVEN]))
                    wlab_canvas_text(c, in, row, 1, WL_S_DIM, "   ?");
                else
                    wlab_canvas_text(c, in, row, 1, WL_S_DIM, "%.2f", one[WL_BAGS_GIVEN]);
            }
        }
    if (rows < in->rows)
        legend(s, f, c, in, rows, in->rows - rows, present, p.shown, all);
    wlab_free(p.row);
}

static void title(const wlab_scene *s, const wlab_picture *pic, char *buf, size_t size)
{
    int64_t keys = 0, both = 0, moved = 0, bags = 0;
    bool known = false;
    char changed[40] = "";
    const wlab_mirror *m = s->mirrors ? s->mirror[0] : NULL;
    char old[40] = "";
    if (m && m->model && m->model_iter < m->rows - 1)
        snprintf(old, sizeof old, " of step %lld", (long long)m->model_iter);
    for (int64_t k = 0; pic->has_figure && k < pic->figure.block[0].rows; k++) {
        const double *one = instance(&pic->figure, k);
        bool key = one[WL_BAGS_LABEL] > 0;
        bags = one[WL_BAGS_LINE] > (double)bags ? (int64_t)one[WL_BAGS_LINE] : bags;
        keys += key;
        both += one[WL_BAGS_KIND] == 5;
        moved += key && label_moved(one);
        known = known || !isnan(one[WL_BAGS_BEFORE]);
    }
    char some[64] = "bags";
    if (m && pic->has_figure && bags < m->problem->bags)
        snprintf(some, sizeof some, "%lld of %lld bags", (long long)bags, (long long)m->problem->bags);
    if (known) /* after several steps at once the predictions before the last one are not */
        snprintf(changed, sizeof changed, ", %lld moved", (long long)moved);
    if (keys && has_signs(s))
        snprintf(buf, size, "%s: %lld keys%s, %lld largest f%s", some, (long long)keys, changed,
                 (long long)both, old);
    else if (keys)
        snprintf(buf, size, "%s: %lld labels +1%s", some, (long long)keys, changed);
    else
        snprintf(buf, size, "%s", some);
}

const wlab_pane wlab_pane_bags = {
    .name = "bags",
    .summary = "bags and their instances; mil: the key instances, which of them moved, and "
               "largest outputs; llp: the labels +1",
    .help =
        "For task mil: one line per bag, positive bags on top, with their short names or their numbers in "
        "the data, and one mark per "
        "instance.\n\n"
        "  @   the instance with the largest output, which the model takes for the key instance; after C-x "
        "m, an instance that is both K and O\n  K   after C-x m: the key instance of the newest labeling\n  "
        "O   after C-x m: the instance with the largest output\n  x   the key instance before the last step; "
        "the new one is reversed\n  !   in place of @ or K: a key instance that is truly negative\n  +   "
        "another truly positive instance\n  .   "
        "another instance with an output above 0, `-` below\n\n"
        "`!` and `+` appear only if the labels of the instances are known. The learner never observes them; "
        "the legend and the title count them.\n\nIf there are more bags than lines, those whose key moved or "
        "is wrong come "
        "first, then positive ones, and the legend "
        "says how many bags are shown. What to watch: in the end most positive bags have an `@` after C-x m "
        "too, and a negative bag has only `-`.\n\n"
        "For task llp there are no key instances. The line of a bag begins with its given proportion (`?` if "
        "none is given); the largest is on top.\n\n"
        "  1   a row that the model (after C-x m the newest labeling) labels +1, reversed if the last step "
        "made it so\n  x   a row that was labelled +1 before the last step\n  +   a truly positive row that "
        "is not labelled +1\n  .   another row with an output above 0, `-` below\n\n"
        "What to watch: a larger proportion should mean more `1` in the line. Each `+` is a missed row, "
        "although its bag may have the right number of `1`: a proportion does not say which rows are "
        "positive.",
    .view = &wlab_view_bags,
    .fits = fits,
    .main = 2,
    .rank = 14,
    .weight = 20,
    .title = title,
    .plot_area = wlab_draw_all_area,
    .draw = draw,
};
