/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Properties of metrics that follow from their roles: how they are displayed, which one is used to compare runs, and
 * for which a smaller value is better.
 */
#include "algo/algos.h"
#include <math.h>
#include <string.h>

enum {
    LAST = 99 /* the place of metrics without a place in an order */
};

/* Fields that are 0 or NULL get a default in wlab_metric_style. */
static const wlab_role_style styles[WL_ROLES] = {
    [WL_R_OBJECTIVE] = {.name = "objective",
                        .brief = "obj",
                        .line = 1,
                        .width = 17,
                        .digits = 10,
                        .header = 1,
                        .pane = 1,
                        .less = true},
    [WL_R_TARGET] = {.name = "J", .line = 2, .width = 15, .digits = 9, .header = 2, .pane = 2, .less = true},
    [WL_R_TARGET_BEST] = {.name = "J_best", .less = true},
    [WL_R_BALANCED] = {.less = true},
    [WL_R_TEMPERATURE] = {.line = 3, .header = 3, .pane = 3},
    [WL_R_LEVEL] = {.line = 4, .header = 4, .pane = 4},
    [WL_R_LOWER] = {.name = "lower", .brief = "low", .header = 11, .pane = 5},
    [WL_R_UPPER] = {.name = "upper", .brief = "up", .header = 12, .pane = 7, .less = true},
    [WL_R_GAP] = {.name = "gap", .line = 5, .header = 5, .pane = 6, .less = true},
    [WL_R_RELGAP] = {.less = true},
    [WL_R_INNER_GAP] = {.name = "inner_gap", .less = true},
    [WL_R_INSIDE] = {.less = true},
    [WL_R_LABELING] =
        {.name = "integer_upper", .label = "integer", .brief = "int", .header = 13, .pane = 10, .less = true},
    [WL_R_BEST] = {.header = 10, .less = true},
    [WL_R_VIOLATION] =
        {.name = "violation", .brief = "viol", .line = 6, .header = 8, .pane = 8, .less = true},
    [WL_R_RISK_POSITIVE] = {.name = "risk_pos", .label = "R+", .header = 7, .pane = 8},
    [WL_R_RISK_NEGATIVE] = {.name = "risk_neg", .label = "R-", .line = 7, .header = 6, .pane = 8},
    [WL_R_BAG_ERROR] = {.label = "bag error", .line = 7, .header = 6, .header_width = 6, .less = true},
    [WL_R_DISTINCT] = {.line = 8, .width = 10, .digits = 6, .header = 7, .header_width = 4},
    [WL_R_FLIPS] = {.name = "flips",
                    .line = 9,
                    .width = 7,
                    .digits = 6,
                    .header = 9,
                    .header_width = 5,
                    .pane = 9,
                    .less = true},
    [WL_R_ACTIVE] = {.pane = 11, .less = true},
    [WL_R_WORKING_SET] = {.brief = "set", .pane = 12, .less = true},
    [WL_R_HIDDEN] =
        {.name = "hidden_unlabeled", .line = 10, .digits = 4, .header = 3, .header_width = 6, .pane = 1},
    [WL_R_HIDDEN_TEST] =
        {.name = "hidden_test", .line = 11, .digits = 4, .header = 3, .header_width = 6, .pane = 1},
    [WL_R_HIDDEN_BAGS] =
        {.name = "hidden_bags", .line = 12, .digits = 4, .header = 3, .header_width = 6, .pane = 1},
    [WL_R_SECONDS] = {.name = "seconds", .brief = "s", .pane = 13, .less = true},
};

static int place_or_last(int place)
{
    return place ? place : LAST;
}

const char *wlab_role_name(wlab_role role)
{
    return styles[role].name;
}

wlab_role_style wlab_metric_style(const wlab_metric_info *metric)
{
    wlab_role_style style = styles[metric->role];
    const bool hidden = wlab_role_is_hidden(metric->role);
    const char *heading = hidden ? metric->label : metric->name;
    const int wide = (int)strlen(heading) + 2, least = hidden ? 10 : 11;

    style.name = metric->name;
    style.heading = heading;
    style.label = metric->label ? metric->label : style.label ? style.label : metric->name;
    style.brief = style.brief ? style.brief : style.label;
    style.width = style.width ? style.width : wide > least ? wide : least;
    style.digits = style.digits ? style.digits : 4;
    style.header_width = style.header_width ? style.header_width : 8;
    style.line = place_or_last(style.line);
    style.header = place_or_last(style.header);
    style.pane = place_or_last(style.pane);
    style.less = style.less || metric->flags & WL_M_LESS;
    return style;
}

int wlab_metric_count(const wlab_algo *algo)
{
    int n = 0;
    while (algo->metrics[n].name)
        n++;
    return n;
}

int wlab_metric_index(const wlab_algo *algo, const char *name)
{
    for (int i = 0; algo->metrics[i].name; i++)
        if (strcmp(algo->metrics[i].name, name) == 0)
            return i;
    return -1;
}

int wlab_metric_of(const wlab_algo *algo, wlab_role role)
{
    for (int i = 0; algo->metrics[i].name; i++)
        if (algo->metrics[i].role == role)
            return i;
    return -1;
}

double wlab_metric_value(const wlab_algo *algo, const double *metric, wlab_role role)
{
    const int i = wlab_metric_of(algo, role);
    return i < 0 ? (double)NAN : metric[i];
}

int wlab_metric_level(const wlab_algo *algo)
{
    const int temperature = wlab_metric_of(algo, WL_R_TEMPERATURE);
    return temperature >= 0 ? temperature : wlab_metric_of(algo, WL_R_LEVEL);
}

int wlab_metric_compared(const wlab_algo *algo)
{
    const int target = wlab_metric_of(algo, WL_R_TARGET);
    return target >= 0 ? target : wlab_metric_of(algo, WL_R_OBJECTIVE);
}

wlab_certified wlab_metric_certified(const wlab_algo *algo, const wlab_params *params, const double *metric)
{
    wlab_certified c = {.relgap = NAN, .value = NAN, .lower = NAN};

    if (wlab_metric_of(algo, WL_R_CLASSIFIER) >= 0)
        return c;
    c.relgap = wlab_metric_value(algo, metric, WL_R_RELGAP);
    c.lower = wlab_metric_value(algo, metric, WL_R_LOWER);
    c.of = algo->certified ? algo->certified(params, metric, &c.value) : NULL;
    if (c.value - c.lower <= WLAB_PROVEN * fabs(c.value)) /* the bound proves this labeling, too */
        c.of = NULL;
    return c;
}

int wlab_metric_stage(const wlab_algo *algo, const double *metric)
{
    return wlab_metric_value(algo, metric, WL_R_STAGE) >
           0; /* its value counts the steps of the later stage */
}

bool wlab_metric_gap_of_other(const wlab_algo *algo, const double *metric, int k)
{
    const wlab_role role = algo->metrics[k].role;
    const int gap = wlab_metric_of(algo, WL_R_GAP);
    const int last = gap >= 0 && algo->metrics[gap].flags & WL_M_LAST ? 1 : 0;

    return (role == WL_R_GAP || role == WL_R_RELGAP) && wlab_metric_stage(algo, metric) != last;
}

int wlab_metrics_shown(const wlab_algo *algo, unsigned flag, int *index, int most)
{
    int n = 0;

    for (int at = 1; at <= LAST; at++)
        for (int i = 0; algo->metrics[i].name && n < most; i++) {
            const wlab_role_style *style = &styles[algo->metrics[i].role];
            if (algo->metrics[i].flags & flag &&
                place_or_last(flag == WL_M_LINE ? style->line : style->header) == at)
                index[n++] = i;
        }
    return n;
}

const wlab_metric_info *wlab_metric_named(const char *name)
{
    for (int k = 0; wlab_algos[k]; k++) {
        const int i = wlab_metric_index(wlab_algos[k], name);
        if (i >= 0)
            return &wlab_algos[k]->metrics[i];
    }
    return NULL;
}
