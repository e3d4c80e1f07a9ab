/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The command `plot`: draws a view of one or more runs in a window, in the terminal, or into a file.
 */
#include "plot/curve.h"
#include "plot/plot.h"
#include "plot/save.h"
#include "plot/show.h"
#include "session/complete/complete.h"
#include <stdio.h>
#include <string.h>

typedef struct request {
    wlab_show show;
    wlab_view_run run[WL_PLOT_RUNS];
    bool named;     /* runs were named; else it is the current one */
    const char *to; /* the file; NULL: on the screen */
    wlab_image kind;
} request;

static const char taker_key[] = "taker of figures";

wlab_code wlab_plot_set_taker(wlab_session *s, const wlab_plot_taker *taker, wlab_err *err)
{
    return wlab_session_attach(s, taker_key, (void *)(uintptr_t)taker, NULL, err);
}

static int find_word(const char *const *names, const char *word)
{
    for (int i = 0; names[i]; i++)
        if (!strcmp(names[i], word))
            return i;
    return -1;
}

static wlab_code find_view(const char *word, const wlab_view **view, wlab_err *err)
{
    const char *name[WL_VIEWS];
    int n = 0;
    if ((*view = wlab_view_find(word)) != NULL)
        return WL_OK;
    for (; wlab_views[n]; n++)
        name[n] = wlab_views[n]->name;
    if (!strcmp(word, "run"))
        return wlab_fail(err, WL_EARG,
                         "%s is a pane of the dashboard, not a view that can be plotted: `dashboard zoom %s` "
                         "shows it",
                         word, word);
    const char *near = strcmp(word, "weights") == 0 ? "mu" : wlab_nearest(word, name, (size_t)n);
    if (near)
        return wlab_fail(err, WL_EARG, "no view \"%s\"; did you mean \"%s\"?", word, near);
    return wlab_fail(err, WL_EARG, "no view \"%s\"; `plot` alone lists them", word);
}

static void put_run(request *q, const wlab_run *run)
{
    q->show.run[q->show.runs] = wlab_run_number(run);
    q->run[q->show.runs++] = wlab_view_run_of(run);
}

static wlab_code add_run(request *q, const wlab_session *s, const char *name, wlab_err *err)
{
    wlab_run *all[64], *run = name ? wlab_session_find_run(s, name) : wlab_session_run(s);
    if (!run && !name)
        return wlab_fail(err, WL_ESTATE, "there is no run to draw; start one with `algo`");
    if (!run) {
        const char *names[64];
        int n = wlab_session_runs(s, all, 64), shown = n < 64 ? n : 64;
        for (int i = 0; i < shown; i++)
            names[i] = wlab_run_name(all[i]);
        const char *near = wlab_nearest(name, names, (size_t)shown);
        if (near)
            return wlab_fail(err, WL_EARG, "no run \"%s\"; did you mean \"%s\"?", name, near);
        return wlab_fail(err, WL_EARG, "no run \"%s\"; `runs` lists them", name);
    }
    if (q->show.runs == WL_PLOT_RUNS)
        return wlab_fail(err, WL_EARG, "plot draws at most %d runs at a time", WL_PLOT_RUNS);
    for (int i = 0; i < q->show.runs; i++)
        if (!strcmp(q->run[i].name, wlab_run_name(run)))
            return wlab_fail(err, WL_EARG, "run \"%s\" is named twice", wlab_run_name(run));
    put_run(q, run);
    return WL_OK;
}

/* While `compare` holds, a view of several runs draws the compared runs together, as the dashboard does. */
static void add_compared(request *q, const wlab_session *s)
{
    int number[WL_PLOT_RUNS];
    const int n =
        q->named || q->show.view->of & WL_VIEW_ONE ? 0 : wlab_session_compared(s, number, WL_PLOT_RUNS - 1);

    q->show.runs = n > 0 ? 0 : q->show.runs;
    for (int i = 0; i < n; i++)
        put_run(q, wlab_session_run_numbered(s, number[i]));
}

/* Whether some algorithm anneals a quantity of this name: "T", "C_now", "C*". */
static bool is_level(const char *word)
{
    for (int i = 0; wlab_algos[i]; i++) {
        const int m = wlab_metric_level(wlab_algos[i]);
        if (m >= 0 && (!strcmp(wlab_algos[i]->metrics[m].name, word) ||
                       !strcmp(wlab_metric_style(&wlab_algos[i]->metrics[m]).label, word)))
            return true;
    }
    return false;
}

/* VIEW [RUN...] [vs AXIS] [to FILE|terminal] */
static wlab_code parse(request *q, const wlab_session *s, const wlab_args *a, wlab_err *err)
{
    wlab_code code = find_view(a->word[0], &q->show.view, err);
    q->show.marks = (wlab_marks)wlab_params_choice(wlab_session_settings(s), "marks");
    for (int i = 0; i < a->nsettings && !code; i++) {
        int k = find_word(wlab_marks_names, a->value[i]);
        if (strcmp(a->key[i], "labels") != 0 || !(q->show.view->of & WL_VIEW_MARKS))
            return wlab_fail(
                err, WL_EARG,
                "plot %s takes no setting %s=: plot VIEW [RUN...] [vs AXIS] [to FILE|terminal], and "
                "labels= for boundary, projection, histogram and bags",
                a->word[0], a->key[i]);
        if (k < 0)
            return wlab_fail(err, WL_EARG, "labels=%s: must be prediction, labeling or truth", a->value[i]);
        q->show.marks = (wlab_marks)k;
    }
    for (int i = 1; i < a->nwords && !code; i++) {
        bool is_vs = !strcmp(a->word[i], "vs"), is_to = !strcmp(a->word[i], "to");
        if ((is_vs || is_to) && i + 1 == a->nwords)
            return wlab_fail(err, WL_EARG,
                             is_vs ? "vs what? iter, inner, seconds or level"
                                   : "to which file? Or `to terminal`?");
        if (is_vs) {
            int k = WL_VS_ITER + find_word(wlab_axis_names, a->word[++i]);
            if (k < WL_VS_ITER && is_level(a->word[i]))
                k = WL_VS_LEVEL;
            if (k < WL_VS_ITER || q->show.vs != WL_VS_AUTO)
                return wlab_fail(err, WL_EARG, "vs takes one of iter, inner, seconds and level, not \"%s\"",
                                 a->word[i]);
            q->show.vs = (wlab_axis)k;
        } else if (is_to) {
            if (q->to || q->show.here)
                return wlab_fail(err, WL_EARG, "plot writes one file at a time");
            if (!strcmp(a->word[++i], "terminal")) {
                q->show.here = true;
                continue;
            }
            q->to = a->word[i];
            code = wlab_image_of(q->to, &q->kind, err);
        } else {
            code = add_run(q, s, a->word[i], err);
        }
    }
    q->named = q->show.runs > 0;
    if (!code && !q->named)
        code = add_run(q, s, NULL, err);
    return code;
}

static wlab_code list_views(wlab_session *s, wlab_err *err)
{
    if (wlab_session_sink(s)->json) {
        json_t *list = json_array();
        for (int i = 0; wlab_views[i]; i++)
            json_array_append_new(list, json_pack("{s:s, s:s}", "name", wlab_views[i]->name, "summary",
                                                  wlab_views[i]->summary));
        json_t *o = json_pack("{s:s, s:o}", "type", "views", "views", list);
        if (!o)
            return wlab_nomem(err);
        wlab_session_object(s, o);
        return WL_OK;
    }
    for (int i = 0; wlab_views[i]; i++)
        wlab_session_print(s, "%-11s  %s\n", wlab_views[i]->name, wlab_views[i]->summary);
    return WL_OK;
}

static wlab_code execute(wlab_session *s, const wlab_args *a, wlab_err *err)
{
    request q = {0};
    wlab_where where = WL_AS_TEXT;
    wlab_figure f;
    wlab_code code;

    if (!a->nwords)
        return list_views(s, err);
    if ((code = parse(&q, s, a, err)))
        return code;
    wlab_view_request v = {.run = q.run,
                           .runs = q.show.runs,
                           .vs = q.show.vs,
                           .marks = q.show.marks,
                           .ctx = wlab_session_ctx(s)};
    if (!q.to && (code = wlab_show_where(s, &q.show, &v, &where, err)))
        return code;
    if (where == WL_NOWHERE)
        wlab_session_say(s, "nothing is drawn, as terminal=none; `set terminal=auto` turns drawing on");
    if (where == WL_IN_PANE || where == WL_NOWHERE)
        return WL_OK;
    add_compared(&q, s);
    v.runs = q.show.runs;
    const wlab_plot_taker *taker = wlab_session_attached(s, taker_key); /* draws a picture, never text */
    const bool text = !taker && (q.to ? q.kind == WL_TXT : where == WL_AS_TEXT);
    wlab_figure_init(&f, text);
    code = wlab_view_draw(q.show.view, &f, &v, err); /* also for a window, so that errors are reported now */
    if (code && !q.named &&
        v.runs > 1) { /* `compare` must not make an error of what the run alone can draw */
        wlab_figure_clear(&f);
        wlab_figure_init(&f, text);
        q.show.runs = 0;
        put_run(&q, wlab_session_run(s));
        v.runs = q.show.runs;
        wlab_err together = *err;
        if (!(code = wlab_view_draw(q.show.view, &f, &v, err)))
            wlab_session_say(s, "only run %s is drawn, not the compared runs together: %s", q.run[0].name,
                             together.message);
    }
    if (!code && taker)
        code = taker->take(taker->self, &f, q.show.view->name, err);
    if (!code && (q.to || !taker))
        code = q.to ? wlab_figure_save(s, &f, q.show.view->name, q.to, q.show.vs == WL_VS_SECONDS, err)
               : where == WL_IN_WINDOW ? wlab_show_window(s, &q.show, err)
               : where == WL_AS_SIXEL  ? wlab_show_sixel(s, &f, err)
                                       : wlab_figure_print(s, &f, q.show.view->name, err);
    wlab_figure_clear(&f);
    return code;
}

/* VIEW [RUN...] [vs AXIS] [to FILE|terminal] */
static void offer(wlab_offers *o, const wlab_session *s)
{
    static const char *const axis_meaning[] = {"steps", "inner units", "the solver's time",
                                               "what the algorithm anneals: C*, T, lambda'"};
    const wlab_args *a = o->typed;
    const char *before = a->nwords > 0 ? a->word[a->nwords - 1] : "";
    bool vs = false, to = false;
    const wlab_view *view;
    unsigned of = a->nwords > 0 && !find_view(a->word[0], &view, NULL) ? view->of : 0;

    for (int i = 1; i < a->nwords; i++) {
        vs = vs || !strcmp(a->word[i], "vs");
        to = to || !strcmp(a->word[i], "to");
    }
    if (a->nwords == 0) {
        for (int i = 0; wlab_views[i]; i++)
            wlab_offers_add(o, wlab_views[i]->name, NULL, wlab_views[i]->summary, 0);
    } else if (!strcmp(before, "vs")) {
        wlab_offers_list(o, wlab_axis_names, axis_meaning);
    } else if (!strcmp(before, "to")) {
        wlab_offers_add(o, "terminal", NULL, "draw here, as a picture or as text", 0);
        wlab_offers_files(o, s, WL_FILES_ANY, "");
    } else {
        if (!vs && !to && !(of & WL_VIEW_ONE && a->nwords > 1))
            wlab_offers_runs(o, s, true);
        if (!vs && !(of & WL_VIEW_FIXED))
            wlab_offers_add(o, "vs", NULL, "the quantity on the x axis follows", 0);
        if (of & WL_VIEW_MARKS)
            for (int k = 0; wlab_marks_names[k]; k++) {
                char word[32];
                snprintf(word, sizeof word, "labels=%s", wlab_marks_names[k]);
                wlab_offers_add(o, word, NULL, "which labels the marks of the rows show", 0);
            }
        if (!to)
            wlab_offers_add(o, "to", NULL, "a file (.png, .svg, .pdf, .txt) or `terminal` follows", 0);
    }
}

static const wlab_command command = {
    .name = "plot",
    .alias = "p",
    .usage = "plot VIEW [RUN...] [vs AXIS] [labels=...] [to FILE|terminal]",
    .summary = "draw a view of the run: live in a window, on the terminal, or into a file",
    .help =
        "VIEW is a picture of one run, or of several in the same axes; `plot` lists them. "
        "Without RUN it draws the current run, with those that `compare` put beside it.\n"
        "\n"
        "AXIS is the x axis: iter (steps, the default; alter-psvm: level), inner (inner units), seconds (the "
        "solver's time) "
        "or level (what the algorithm anneals, on a log scale: C* of alter-psvm, the temperature of mfa, "
        "lambda' of tsvm). A thin line marks a change by `set`.\n"
        "\n"
        "In `boundary`, `projection`, `histogram` and `bags` the marks show the predicted labels, with "
        "`labels=labeling` the algorithm's newest labels (`explain labels`), with `labels=truth` the true "
        "ones; `set marks=` selects it for all. In `boundary` a labelled row that is predicted otherwise "
        "has a cross, and with `labels=labeling` a ring is around the rows whose label the last step "
        "changed. "
        "With more than two classes, lines show where the two largest outputs are equal; as text a class is "
        "a letter, a capital if the label is observed. For task llp a cross "
        "marks a wrong label, if the truth is known, and if there are at most four bags, each has its own "
        "shape. As text the bags are the letters p to s, or w to z if the label is wrong; a capital means "
        "+1.\n"
        "\n"
        "`loss` draws the loss of an unlabelled row, in units of lambda_u/(2u), as a function of its "
        "output o: at the beginning, now, and at the end, when it is that of a TSVM. It is for algorithms "
        "with a temperature T or a growing weight lambda' of these rows. Beneath are the outputs of at most "
        "50000 rows.\n"
        "\n"
        "`labels` has a line for each row and a column for each step; bars beneath count flips. A cell "
        "shows the label, and is dark if it flipped. From top to bottom come the rows with observed label "
        "+1, the others by their true class, +1 first, and the rows with observed label -1; within each "
        "group, rows that were +1 most often come first. With bags, rows are sorted by bag. With more than "
        "200 rows or 250 steps, several share a cell, as the title says, which is dark if any of them "
        "flipped.\n"
        "\n"
        "`bags`, for task mil, has a line for each bag, positive ones first (at most 80; at most as many "
        "negative as positive ones, or 20), and a cell for each instance, "
        "shaded by its output. A ring is the largest output, a dot the key instance (with "
        "`labels=labeling` the algorithm's, else that of the ring), a cross the key before the last step, "
        "a square a truly positive instance, a diamond a key that is not, if known. For task llp dots are "
        "the labels +1.\n"
        "\n"
        "`proportions`, for task llp, has a point for each bag, larger for more rows: to the right is the "
        "given proportion, upwards the fraction of predicted positives, so points on the diagonal are right. "
        "Crosses are those of the newest labels. Up to twelve bags are bars, marked at the given proportion. "
        "`bagflips` has a line for each bag and a column for each step: the more of the bag's "
        "labels changed, the darker. With several restarts these are the labels of the one shown.\n"
        "\n"
        "`gram` shows the cosines of the angles between the weight vectors of wellsvm's newest labelings "
        "(at most 200): 1 if two are alike.\n"
        "\n"
        "`matrix` and `kernel` show at most 200 rows, by true class if known, then by label, with lines "
        "where the class changes; `spectrum` shows the matrix's eigenvalues now and after the first step. "
        "`scores`: for two classes the rows by the difference of their scores, for more one column per row.\n"
        "\n"
        "`to FILE` writes a picture: .png, .svg, .pdf or .txt. Beside it go the numbers (.dat: 17 digits, "
        "6 for the grid of `boundary`; times only with `vs seconds`, as they differ from one execution to "
        "the next) and a .gp: `gnuplot FILE.gp`, in that folder, draws the picture again. The .dat and .gp "
        "of another figure are not overwritten.\n"
        "\n"
        "Without `to`, a dashboard that is on shows a view of the current run in its pane. Otherwise `set "
        "terminal=` decides, and `auto`, the default, selects the first of these that is possible: a "
        "window (with a display and a gnuplot with qt, wxt or x11), redrawn at each pause and, for at most "
        "1 % of the time, during a run; a sixel image, if the terminal reports sixel support; text. `to "
        "terminal` draws it once in the terminal, whatever the setting.",
    .flags = WL_C_SHOWS | WL_C_FILES,
    .execute = execute,
    .offer = offer,
};

wlab_code wlab_plot_register(wlab_session *s, wlab_err *err)
{
    static const wlab_command *const commands[] = {&command, &wlab_cmd_curve, NULL};
    wlab_code code = wlab_show_register(s, err);
    code = code ? code : wlab_session_add_commands(s, commands, err);
    for (int i = 0; wlab_views[i] && !code; i++)
        code = wlab_session_add_view(
            s, &(wlab_view_info){.name = wlab_views[i]->name, .summary = wlab_views[i]->summary}, err);
    return code;
}
