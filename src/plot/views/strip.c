/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Labels over steps in cells: sorting rows into lines, counting labels and flips.
 */
#include "plot/views/strip.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Set the counts of a cell from the rows of its line by label: for two classes both, for more the largest one. */
static void sum_up(int P, const int32_t *now, wlab_strip_cell *to)
{
    if (P == 2) {
        to->negative = now[0];
        to->positive = now[2];
        return;
    }
    for (int8_t c = 1; c <= P; c++)
        if (now[c] > to->positive) {
            to->positive = now[c];
            to->label = c;
        }
}

wlab_code wlab_strip_count(const wlab_problem *p, const int8_t *labels_first, const wlab_trace_row *row,
                           int64_t rows, int64_t first, int64_t stride, const int32_t *line, int64_t lines,
                           wlab_strip_cell *cell, int64_t *most)
{
    const int P = p->classes > 2 ? p->classes : 2;
    const int zero = P == 2; /* labels are -1, 0, 1, or 0 .. P: their counts are at index label + zero */
    int8_t *labels = wlab_alloc((size_t)p->n, sizeof *labels);
    int32_t *now = wlab_calloc((size_t)(lines * (P + 1)), sizeof *now); /* [lines x labels] rows */
    const wlab_code code = labels && now ? WL_OK : WL_ENOMEM;

    for (int64_t i = 0; i < p->n && !code; i++)
        now[line[i] * (P + 1) + (labels[i] = labels_first[i]) + zero]++;
    for (int64_t t = 0; t < rows && !code; t++) {
        const int64_t column = t < first ? -1 : (t - first) / stride;
        wlab_strip_cell *to = column < 0 ? NULL : cell + column * lines;
        int64_t flips = 0;
        for (int64_t k = 0; k < row[t].nflips; k++) {
            const wlab_flip *flip = &row[t].flip[k];
            int8_t *label = &labels[flip->instance];
            const int64_t at = line[flip->instance];
            if (to && wlab_strip_flips(p, *label)) {
                to[at].to_positive += P > 2 || flip->to > 0;
                to[at].to_negative += P == 2 && flip->to <= 0;
                if (P > 2)
                    to[at].to = flip->to;
                flips++;
            }
            now[at * (P + 1) + *label + zero]--;
            now[at * (P + 1) + flip->to + zero]++;
            *label = flip->to;
        }
        if (!to)
            continue;
        if (most && flips > most[column])
            most[column] = flips;
        if (t + 1 < rows && (t + 1 - first) % stride != 0)
            continue;
        for (int64_t k = 0; k < lines; k++)
            sum_up(P, now + k * (P + 1), &to[k]);
    }
    wlab_free(labels);
    wlab_free(now);
    return code;
}

/* ---- the order of rows ---- */

typedef struct item {
    int64_t steps; /* the number in which it was +1, minus the number in which it was -1 */
    int32_t instance, bag;
    int16_t group;
    int8_t truth; /* of more than two classes: the newest label */
} item;

static int order(const void *a, const void *b)
{
    const item *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->bag != y->bag)
        return x->bag < y->bag ? -1 : 1;
    if (x->truth != y->truth)
        return x->truth > y->truth ? -1 : 1;
    if (x->steps != y->steps)
        return x->steps > y->steps ? -1 : 1;
    return x->instance < y->instance ? -1 : x->instance > y->instance;
}

static int groups_of(const wlab_problem *p)
{
    const int k = p->truths > p->classes ? p->truths : p->classes;
    return p->classes <= 2 ? WL_STRIP_GROUPS : 2 * k + 1 > WL_STRIP_GROUPS_MOST ? 1 : 2 * k + 1;
}

static int group_of(const wlab_problem *p, int64_t i, int groups)
{
    if (p->classes > 2 && (p->visible[i] || (p->truth && p->truth[i])) && groups > 1)
        return p->visible[i] ? 2 * p->visible[i] - 2 : 2 * p->truth[i] - 1;
    if (p->classes > 2)
        return groups - 1;
    if (p->bag && p->bag_given && isnan(p->bag_given[p->bag[i]]))
        return WL_STRIP_UNKNOWN;
    if (p->bag && p->bag_given)
        return p->bag_given[p->bag[i]] > 0.5 ? WL_STRIP_GIVEN_POSITIVE : WL_STRIP_GIVEN_NEGATIVE;
    if (p->visible[i])
        return p->visible[i] > 0 ? WL_STRIP_GIVEN_POSITIVE : WL_STRIP_GIVEN_NEGATIVE;
    int truth = p->truth ? p->truth[i] : 0;
    return truth > 0 ? WL_STRIP_POSITIVE : truth < 0 ? WL_STRIP_NEGATIVE : WL_STRIP_UNKNOWN;
}

/* steps = sum over t of the label after step t: each flip counts for all steps from then on. */
static void add_steps(item *it, const wlab_view_run *v, int8_t *labels)
{
    memcpy(labels, v->labels_first, (size_t)v->problem->n);
    for (int64_t i = 0; i < v->problem->n; i++)
        it[i].steps = v->rows * labels[i];
    for (int64_t t = 0; t < v->rows; t++)
        for (int64_t k = 0; k < v->row[t].nflips; k++) {
            const wlab_flip *flip = &v->row[t].flip[k];
            it[flip->instance].steps += (v->rows - t) * (flip->to - labels[flip->instance]);
            labels[flip->instance] = flip->to;
        }
}

/* Distribute the lines over the groups: one line per row if there are enough lines; otherwise in proportion to the rows.
 * A group gets at least one line in 50 (one line if there are fewer than 50), so that small groups are visible.  lines >=
 * groups. */
static void distribute_lines(wlab_strip_order *o, int64_t n, int64_t lines)
{
    int64_t given[WL_STRIP_GROUPS_MOST], sum = 0, big = 0, few = lines < 50 ? 1 : lines / 50;

    for (int g = 0; g < o->groups; g++) {
        int64_t part = (int64_t)((double)o->rows[g] * (double)lines / (double)n);
        part = part < few ? few : part;
        given[g] = n <= lines || part > o->rows[g] ? o->rows[g] : part;
        sum += given[g];
    }
    while (sum > lines &&
           n > lines) { /* the largest groups give up the lines that small ones got in addition */
        for (int g = 0; g < o->groups; g++)
            big = given[g] > given[big] ? g : big;
        given[big]--;
        sum--;
    }
    o->begin[0] = 0;
    for (int g = 0; g < o->groups; g++)
        o->begin[g + 1] = o->begin[g] + given[g];
    o->lines = o->begin[o->groups];
}

wlab_code wlab_strip_sort(wlab_strip_order *o, const wlab_view_run *v, int64_t lines, wlab_err *err)
{
    const wlab_problem *p = v->problem;
    item *it = wlab_alloc((size_t)p->n, sizeof *it);
    int8_t *labels = wlab_alloc((size_t)p->n, sizeof *labels);

    memset(o, 0, sizeof *o);
    o->groups = groups_of(p);
    o->line = wlab_alloc((size_t)p->n, sizeof *o->line);
    if (it && labels && o->line) {
        for (int64_t i = 0; i < p->n; i++) {
            const int g = group_of(p, i, o->groups);
            it[i] = (item){.instance = (int32_t)i, .group = (int16_t)g};
            it[i].bag = p->bag ? p->bag[i] : 0;
            it[i].truth = p->classes > 2 ? v->labels[i] : p->bag && p->truth ? p->truth[i] : 0;
            o->rows[g]++;
        }
        add_steps(it, v, labels);
        qsort(it, (size_t)p->n, sizeof *it, order);
        distribute_lines(o, p->n, lines);
        o->size = wlab_calloc((size_t)o->lines, sizeof *o->size);
    }
    wlab_free(labels);
    if (!o->size) {
        wlab_free(it);
        wlab_strip_order_clear(o);
        return wlab_nomem(err);
    }
    int64_t at = 0;
    for (int g = 0; g < o->groups; g++)
        for (int64_t k = 0; k < o->rows[g]; k++, at++) {
            int64_t line = o->begin[g] + k * (o->begin[g + 1] - o->begin[g]) / o->rows[g];
            o->line[it[at].instance] = (int32_t)line;
            o->size[line]++;
        }
    wlab_free(it);
    for (int64_t k = 0; k < o->lines; k++) {
        o->least = k == 0 || o->size[k] < o->least ? o->size[k] : o->least;
        o->most = o->size[k] > o->most ? o->size[k] : o->most;
    }
    return WL_OK;
}

void wlab_strip_order_clear(wlab_strip_order *o)
{
    wlab_free(o->line);
    wlab_free(o->size);
    memset(o, 0, sizeof *o);
}
