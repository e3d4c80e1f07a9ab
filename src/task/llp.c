/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Learning from label proportions: of each bag of rows, only the fraction of positives is given.
 */
#include "base/text.h"
#include "task/task.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const deal_names[] = {"random", "even", "all", NULL};
enum {
    RANDOM,
    EVEN,
    ALL
};

static const wlab_param_info llp_params[] = {
    {.name = "bagsize",
     .type = WL_P_INT,
     .unit = "rows",
     .lo = 1,
     .hi = 1e9,
     .meaning = "deal the training rows at random into bags of this size (the last may be smaller)"},
    {.name = "deal",
     .type = WL_P_CHOICE,
     .fallback = "random",
     .choices = deal_names,
     .meaning =
         "how bagsize= deals rows into bags; random: any rows may be in one bag; even: each bag gets its "
         "proportion of either class, as nearly as its size allows, and all bags are given the proportion "
         "of all training rows; all: all rows of the data set are dealt, also those held out, so that "
         "after `split` with the same bagsize= and seed= the training rows are whole bags"},
    {.name = "bags",
     .type = WL_P_FILE,
     .meaning =
         "a file with one bag number (or name) per row of the data set, in row order; without bagsize= and "
         "bags=, the data's own bags"},
    {.name = "proportions",
     .type = WL_P_FILE,
     .meaning = "a file with one line per bag: its number (or name) and its fraction of positives, such as 7 "
                "0.4; without it the fractions are counted from the true labels"},
    {.name = "noise",
     .type = WL_P_REAL,
     .fallback = "0",
     .lo = 0,
     .hi = 1,
     .meaning =
         "standard deviation of a Gaussian error that is added to each given proportion, which is then "
         "clipped to 0 .. 1"},
    {.name = "eps",
     .type = WL_P_REAL,
     .fallback = "0",
     .lo = 0,
     .hi = 1,
     .meaning = "by how much a labeling's fraction of positives in a bag may differ from the bag's given "
                "proportion; if no count of rows is that close, the nearest is allowed"},
    {.name = "labeled",
     .type = WL_P_TEXT,
     .unit = "rows",
     .meaning =
         "how many labels are observed inside the bags: a count, a percentage of the training rows (5%), or "
         "@FILE: those of the rows whose numbers are on one line of FILE (line=); they are kept even if "
         "they contradict a bag's proportion"},
    WL_TASK_LINE,
    {.name = "stratified",
     .type = WL_P_BOOL,
     .fallback = "yes",
     .meaning = "for labeled=; yes: each class gets its proportion of the observed labels, and at least one "
                "if there "
                "are enough"},
    WL_TASK_GIVEN,
    {.name = "seed",
     .type = WL_P_INT,
     .fallback = "1",
     .lo = 0,
     .hi = 0x1p53,
     .meaning = "seed of all draws: which rows share a bag (bagsize=), the errors (noise=), which labels are "
                "observed (labeled=)"},
    WL_TASK_POSITIVE,
    {0},
};

/* What is drawn.  Each kind of draw has a generator of its own, so that with the same seed= one of them does not change
 * when a setting of another one does. */
enum {
    OF_DEALING = 0,
    OF_NOISE = 1,
    OF_LABELS = 2
};
static uint64_t seed_of(const wlab_params *params, unsigned what)
{
    return (uint64_t)wlab_params_int(params, "seed") + ((uint64_t)what << 60);
}

/* ---- bags ---- */

/* Append the rows of sign `sign` to order[0 .. n-1] and shuffle them; returns the new n. */
static int64_t append_shuffled(const wlab_problem *p, int sign, int32_t *order, int64_t n, wlab_rng *rng)
{
    int64_t from = n;
    for (int64_t i = 0; i < p->n; i++)
        if (p->truth[i] == sign)
            order[n++] = p->row[i];
    wlab_rng_shuffle(rng, order + from, (size_t)(n - from));
    return n;
}

/* Deal all n rows so that the counts in every bag are right within one: of the first m rows dealt, floor(m u/n + 1/2)
 * are of the u rows without a label; of the other k rows, the nearest whole number to k times the fraction of
 * positives is positive. */
static wlab_code deal_evenly(const wlab_problem *p, int64_t size, uint64_t seed, int32_t *of_row,
                             wlab_err *err)
{
    int32_t *order = wlab_alloc((size_t)p->n, sizeof *order);
    int64_t at[3], end[3], known;
    wlab_rng rng;
    if (!order)
        return wlab_nomem(err);
    wlab_rng_seed(&rng, seed);
    at[0] = 0;
    at[1] = end[0] = append_shuffled(p, -1, order, 0, &rng);
    at[2] = end[1] = append_shuffled(p, 1, order, end[0], &rng);
    end[2] = append_shuffled(p, 0, order, end[1], &rng);
    known = at[2];
    for (int64_t m = 1; m <= p->n; m++) {
        int64_t unknown = (2 * m * (p->n - known) + p->n) / (2 * p->n), k = m - unknown;
        int64_t positives = known ? (2 * k * (end[1] - end[0]) + known) / (2 * known) : 0;
        int which = at[2] - end[1] < unknown ? 2 : at[1] - end[0] < positives ? 1 : 0;
        of_row[order[at[which]++]] = (int32_t)((m - 1) / size);
    }
    wlab_free(order);
    return WL_OK;
}

/* Set p->bag and p->all. */
static wlab_code find_bags(wlab_problem *p, const wlab_params *params, wlab_err *err)
{
    const char *file = wlab_params_text(params, "bags");
    int64_t rows = p->data->X->rows, size = wlab_params_int(params, "bagsize");
    wlab_code code = WL_OK;

    if (file) {
        code = wlab_bags_file_read(file, rows, &p->all.own, &p->all.bags, &p->all.own_name, NULL, err);
        p->all.of_row = p->all.own;
        p->all.name = p->all.own_name;
    } else if (wlab_params_choice(params, "deal") == ALL) {
        p->all.own = wlab_alloc((size_t)rows, sizeof *p->all.own);
        p->all.of_row = p->all.own;
        p->all.bags = (rows + size - 1) / size;
        code = p->all.own
                   ? wlab_bags_deal(rows, size, (uint64_t)wlab_params_int(params, "seed"), p->all.own, err)
                   : wlab_nomem(err);
    } else if (wlab_params_given(params, "bagsize")) {
        int32_t *dealt = wlab_alloc((size_t)rows, sizeof *dealt);
        const uint64_t seed = seed_of(params, OF_DEALING);
        code = !dealt ? wlab_nomem(err)
               : wlab_params_choice(params, "deal") == EVEN
                   ? deal_evenly(p, size, seed, dealt, err)
                   : wlab_bags_deal_rows(p->row, p->n, size, seed, dealt, err);
        if (!code)
            code = wlab_task_bags(p, dealt, (p->n + size - 1) / size, err);
        wlab_free(dealt);
        return code;
    } else {
        p->all = (wlab_all_bags){.of_row = p->data->bag, .bags = p->data->bags, .name = p->data->bag_name};
    }
    return code ? code : wlab_task_bags(p, p->all.of_row, p->all.bags, err);
}

/* ---- their proportions ---- */

/* Set each bag's proportion to the fraction of positives among its rows of known class; NaN if there are none. */
static wlab_code count_proportions(wlab_problem *p, wlab_err *err)
{
    int64_t *known = wlab_calloc((size_t)p->bags, sizeof *known);
    if (!known)
        return wlab_nomem(err);
    memset(p->bag_given, 0, (size_t)p->bags * sizeof *p->bag_given);
    for (int64_t i = 0; i < p->n; i++) {
        known[p->bag[i]] += p->truth[i] != 0;
        p->bag_given[p->bag[i]] += p->truth[i] > 0;
    }
    for (int64_t b = 0; b < p->bags; b++)
        p->bag_given[b] = known[b] ? p->bag_given[b] / (double)known[b] : NAN;
    wlab_free(known);
    return WL_OK;
}

/* Give every bag the proportion of all training rows. */
static void set_same_proportion(wlab_problem *p)
{
    int64_t known = 0, positives = 0;
    for (int64_t i = 0; i < p->n; i++) {
        known += p->truth[i] != 0;
        positives += p->truth[i] > 0;
    }
    for (int64_t b = 0; b < p->bags; b++)
        p->bag_given[b] = known ? (double)positives / (double)known : NAN;
}

static wlab_code set_proportions(wlab_problem *p, const wlab_params *params, wlab_err *err)
{
    const char *file = wlab_params_text(params, "proportions");
    double noise = wlab_params_real(params, "noise");
    wlab_rng rng;
    wlab_code code = WL_OK;

    if (file) {
        p->all.given = wlab_alloc((size_t)p->all.bags, sizeof *p->all.given);
        code = p->all.given
                   ? wlab_proportions_file_read(file, p->all.name, !p->all.own && !p->data->bags_apart,
                                                p->all.bags, p->all.given, err)
                   : wlab_nomem(err);
        for (int64_t b = 0; !code && b < p->bags; b++)
            p->bag_given[b] = p->all.given[p->bag_number[b]];
    } else if (wlab_params_choice(params, "deal") == EVEN) {
        set_same_proportion(p);
    } else {
        code = count_proportions(p, err);
    }
    wlab_rng_seed(&rng, seed_of(params, OF_NOISE));
    for (int64_t b = 0; !code && noise > 0 && b < p->bags; b++) {
        double off = noise * wlab_rng_normal(&rng); /* one draw for every bag, with or without a proportion */
        if (!isnan(p->bag_given[b]))
            p->bag_given[b] = fmin(fmax(p->bag_given[b] + off, 0), 1);
    }
    return code;
}

/* Count the bags whose observed labels contradict the given proportion: whatever labels the other rows get, the number
 * of positives misses the given one (proportion times size) by more than eps times size, and by more than half a
 * row. */
static wlab_code count_conflicts(const wlab_problem *p, double eps, int64_t *conflicts, wlab_err *err)
{
    int64_t *size = wlab_calloc((size_t)p->bags, sizeof *size),
            *positives = wlab_calloc((size_t)p->bags, sizeof *positives),
            *negatives = wlab_calloc((size_t)p->bags, sizeof *negatives);
    wlab_code code = size && positives && negatives ? WL_OK : wlab_nomem(err);

    *conflicts = 0;
    for (int64_t i = 0; !code && i < p->n; i++) {
        size[p->bag[i]]++;
        positives[p->bag[i]] += p->visible[i] > 0;
        negatives[p->bag[i]] += p->visible[i] < 0;
    }
    for (int64_t b = 0; !code && b < p->bags; b++) {
        double given = p->bag_given[b], off = fmax(eps * (double)size[b], 0.5) + 1e-9 * (double)size[b];
        *conflicts += (double)positives[b] > given * (double)size[b] + off ||
                      (double)(size[b] - negatives[b]) < given * (double)size[b] - off;
    }
    wlab_free(size);
    wlab_free(positives);
    wlab_free(negatives);
    return code;
}

/* Name a bag in a message: by its name or number if the data set has the bags.  Files of bags must not be quoted, so a
 * bag of a file is named by its first row. */
static void name_bag(const wlab_problem *p, int64_t bag, char *buf, size_t size)
{
    int64_t i = 0;
    char number[24];

    while (p->bag[i] != bag)
        i++;
    if (p->all.own || p->data->bags_apart)
        (void)snprintf(buf, size, "the bag of row %d", p->row[i] + 1);
    else
        (void)snprintf(buf, size, "bag %.60s",
                       wlab_problem_bag_name(p, wlab_problem_bag_number(p, bag), number));
}

/* Append remarks to `text`.  One is on bags with held-out rows, as proportions from a file are those of all rows of a
 * bag.  The other is on whole bags in which no count of positives gives the proportion to within eps, or to within 5e-4
 * (the rounding of a proportion with three decimals) if eps is smaller. */
static wlab_code remark_unfit(const wlab_problem *p, double eps, wlab_buf *text, wlab_err *err)
{
    int64_t *in = wlab_calloc((size_t)p->bags, sizeof *in),
            *all = wlab_calloc((size_t)p->all.bags, sizeof *all), cut = 0, off = 0, bag = -1;
    wlab_code code = in && all ? WL_OK : wlab_nomem(err);

    for (int64_t i = 0; !code && i < p->n; i++)
        in[p->bag[i]]++;
    for (int64_t i = 0; !code && i < p->data->X->rows; i++)
        all[p->all.of_row[i]]++;
    for (int64_t b = 0; !code && b < p->bags; b++) {
        const double size = (double)in[b], given = p->bag_given[b];

        if (isnan(given))
            continue;
        if (in[b] < all[p->bag_number[b]]) {
            cut++;
        } else if (fabs(floor(given * size + 0.5) / size - given) > fmax(eps, 5e-4)) {
            bag = off++ ? bag : b;
        }
    }
    if (!code && cut && !p->all.given)
        code = wlab_buf_printf(text,
                               "%s%lld of the %lld bags %s cut by the split: `split` with the same bagsize= "
                               "and seed= keeps them whole",
                               text->len ? "; " : "", (long long)cut, (long long)p->bags,
                               cut == 1 ? "is" : "are");
    else if (!code && cut)
        code = wlab_buf_printf(
            text,
            "%s%lld of the %lld bags %s cut by the split, but the given proportions are those of all "
            "rows of a bag, also of those held out: %s keeps bags whole",
            text->len ? "; " : "", (long long)cut, (long long)p->bags, cut == 1 ? "is" : "are",
            p->data->bag ? "`split` without by=rows" : "`load ... bags=FILE` before `split`");
    if (!code && off) {
        const double size = (double)in[bag], near = floor(p->bag_given[bag] * size + 0.5);
        char which[80];

        name_bag(p, bag, which, sizeof which);
        code = wlab_buf_printf(
            text,
            "%sin %lld bag%s no count of positives gives the proportion, so labelings have "
            "the nearest count: in %s, given %.4g of %lld row%s, %.0f positive (%.4g)",
            text->len ? "; " : "", (long long)off, off == 1 ? "" : "s", which, p->bag_given[bag],
            (long long)in[bag], in[bag] == 1 ? "" : "s", near, near / size);
    }
    wlab_free(in);
    wlab_free(all);
    return code;
}

static wlab_code remark(wlab_problem *p, const wlab_params *params, wlab_err *err)
{
    const char *file = wlab_params_text(params, "proportions");
    const double eps = wlab_params_real(params, "eps");
    int64_t not_given = 0, conflicts = 0;
    wlab_buf text = {0};
    for (int64_t b = 0; b < p->bags; b++)
        not_given += isnan(p->bag_given[b]);
    if (not_given == p->bags)
        return file
                   ? wlab_fail(err, WL_EARG, "'%s' gives no proportion for any bag of the training rows",
                               file)
                   : wlab_fail(err, WL_EARG,
                               "no row of any bag has a label, so no proportions can be counted: name a file "
                               "with them, proportions=FILE");
    wlab_code code = count_conflicts(p, eps, &conflicts, err);
    if (!code && not_given)
        code = wlab_buf_printf(&text, "%lld bag%s without a given proportion: %s", (long long)not_given,
                               not_given == 1 ? "" : "s",
                               file ? "the file has no such line" : "no row there has a label");
    if (!code && conflicts)
        code = wlab_buf_printf(
            &text,
            "%sin %lld bag%s the observed labels contradict the given proportion: they are kept, and the "
            "other labels come as near to it as possible",
            text.len ? "; " : "", (long long)conflicts, conflicts == 1 ? "" : "s");
    if (!code && p->bags == 1 && p->n > 1)
        code = wlab_buf_printf(&text,
                               "%sall %lld training rows are in one bag, so only their overall proportion is "
                               "known%s",
                               text.len ? "; " : "", (long long)p->n,
                               wlab_params_given(params, "bagsize") ? ": a smaller bagsize= deals more bags"
                                                                    : "");
    if (!code && (file || wlab_params_choice(params, "deal") == ALL) &&
        !(wlab_params_real(params, "noise") > 0))
        code = remark_unfit(p, eps, &text, err);
    if (!code && text.len && !(p->remark = wlab_strdup((const char *)text.data)))
        code = WL_ENOMEM;
    wlab_buf_clear(&text);
    return code == WL_ENOMEM ? wlab_nomem(err) : code;
}

/* Refuse settings that exclude each other. */
static wlab_code check_settings(const wlab_problem *p, const wlab_params *params, wlab_err *err)
{
    const char *file = wlab_params_text(params, "bags"), *labeled = wlab_params_text(params, "labeled");
    bool sized = wlab_params_given(params, "bagsize");

    if (file && sized)
        return wlab_fail(err, WL_EARG, "bagsize= and bags= exclude each other");
    if (sized && wlab_params_text(params, "proportions"))
        return wlab_fail(
            err, WL_EARG,
            "proportions= cannot refer to the bags that bagsize= deals: give the bags too, bags=FILE");
    if (!sized && wlab_params_choice(params, "deal") != RANDOM)
        return wlab_fail(err, WL_EARG, "deal=%s needs bagsize=, for example bagsize=16",
                         wlab_params_text(params, "deal"));
    if (labeled && wlab_params_bool(params, "given"))
        return wlab_fail(err, WL_EARG, "given=yes and labeled=%s exclude each other", labeled);
    if (!file && !sized && !p->data->bag)
        return wlab_fail(
            err, WL_EARG,
            "'%s' has no bags of its own: deal some with bagsize=16, say, or name a file with one "
            "bag per row: bags=FILE",
            p->data->name);
    return WL_OK;
}

static wlab_code llp_fill(wlab_problem *p, const wlab_params *params, const int32_t *test, int64_t n_test,
                          wlab_ctx *ctx, wlab_err *err)
{
    const char *file = wlab_params_text(params, "proportions"),
               *labeled = wlab_params_text(params, "labeled");
    bool given = wlab_params_bool(params, "given");
    wlab_code code = check_settings(p, params, err);

    if (given)
        wlab_task_hidden(p);
    if (!code && !(file && p->data->classes == 0 && !wlab_params_text(params, "positive")))
        code = wlab_task_classes(p, params, file != NULL, err);
    code = code ? code : wlab_task_look(ctx, err);
    code = code ? code : find_bags(p, params, err);
    code = code ? code : wlab_task_look(ctx, err);
    code = code ? code : set_proportions(p, params, err);
    code = code ? code : wlab_task_look(ctx, err);
    if (!code && given && p->positive >= 0)
        wlab_task_observe_given(p);
    if (!code && labeled)
        code = wlab_task_observe(p, labeled, wlab_params_int(params, "line"),
                                 wlab_params_bool(params, "stratified"), 0, seed_of(params, OF_LABELS), test,
                                 n_test, err);
    code = code ? code : wlab_task_look(ctx, err);
    return code ? code : remark(p, params, err);
}

static wlab_code llp_allow(wlab_problem *p, const wlab_params *params, wlab_err *err)
{
    return wlab_labelset_llp(&p->labels, p->bag, p->visible, p->n, p->bags, p->bag_given,
                             wlab_params_real(params, "eps"), err);
}

static wlab_code llp_describe(const wlab_problem *p, wlab_buf *text)
{
    const double noise = wlab_params_real(p->params, "noise");
    wlab_given_bags t;
    wlab_code code = wlab_task_given_bags(p, &t);

    if (!code)
        code = wlab_buf_printf(text,
                               "given proportions of positives: %.4g to %.4g, mean %.4g, spread %.4g; eps=%g",
                               t.least, t.most, t.mean, t.spread, wlab_params_real(p->params, "eps"));
    if (!code && noise > 0)
        code = wlab_buf_printf(text, ", noise=%g", noise);
    if (!code && t.not_given)
        code = wlab_buf_printf(text, "; %lld bag%s without a given proportion", (long long)t.not_given,
                               wlab_plural(t.not_given));
    code = code ? code : wlab_buf_printf(text, "\n");
    if (!code && t.spread <= 1e-12 && t.mean > 0 && t.mean < 1 && p->bags - t.not_given > 1)
        code = wlab_buf_printf(
            text,
            "all bags have the same proportion: methods that compare bags' means cannot learn from it\n");
    return code;
}

static int llp_facts(const wlab_problem *p, wlab_fact fact[WL_FACTS_MOST])
{
    fact[0] = (wlab_fact){"eps", wlab_params_real(p->params, "eps"), false};
    fact[1] = (wlab_fact){"noise", wlab_params_real(p->params, "noise"), false};
    return 2;
}

const wlab_task wlab_task_llp = {
    .name = "llp",
    .summary = "label proportions: of each bag of rows only the fraction of positives is given",
    .source =
        "Yu, Liu, Kumar, Jebara, Chang, ICML 2013; as a label set of Li, Tsang, Kwok, Zhou, JMLR 14 (2013)",
    .sees = WL_SEES_PROPORTIONS,
    .scored = WL_SCORED_PROPORTIONS,
    .params = llp_params,
    .fill = llp_fill,
    .allow = llp_allow,
    .describe = llp_describe,
    .facts = llp_facts,
};
