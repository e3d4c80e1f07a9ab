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
    wlab_show show; /* of the first view */
    const wlab_view *view[WL_SHEET_MOST];
    int views;
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

/* WORD is no run. */
static wlab_code fail_unknown(const wlab_session *s, const char *word, bool after_view, wlab_err *err)
{
    wlab_run *all[64];
    const char *names[64 + WL_VIEWS];
    const int n = wlab_session_runs(s, all, 64);
    size_t known = 0;

    if (wlab_view_find(word))
        return wlab_fail(err, WL_EARG,
                         "\"%s\" is a view, and views come before runs: plot VIEW... [of] RUN...", word);
    for (int i = 0; i < n && i < 64; i++)
        names[known++] = wlab_run_name(all[i]);
    for (int i = 0; after_view && wlab_views[i]; i++)
        names[known++] = wlab_views[i]->name;
    const char *near = wlab_nearest(word, names, known);
    if (near)
        return wlab_fail(err, WL_EARG, "no run%s \"%s\"; did you mean \"%s\"?", after_view ? " or view" : "",
                         word, near);
    return wlab_fail(err, WL_EARG, "no run \"%s\"; `runs` lists them", word);
}

static wlab_code add_run(request *q, const wlab_session *s, const char *name, bool after_view, wlab_err *err)
{
    wlab_run *run = name ? wlab_session_find_run(s, name) : wlab_session_run(s);
    if (!run && !name)
        return wlab_fail(err, WL_ESTATE, "there is no run to draw; start one with `algo`");
    if (!run)
        return fail_unknown(s, name, after_view, err);
    if (q->show.runs == WL_PLOT_RUNS)
        return wlab_fail(err, WL_EARG, "plot draws at most %d runs at a time", WL_PLOT_RUNS);
    for (int i = 0; i < q->show.runs; i++)
        if (!strcmp(q->run[i].name, wlab_run_name(run)))
            return wlab_fail(err, WL_EARG, "run \"%s\" is named twice", wlab_run_name(run));
    put_run(q, run);
    return WL_OK;
}

static wlab_code add_view(request *q, const char *word, wlab_err *err)
{
    const wlab_view *view;
    wlab_code code = find_view(word, &view, err);

    for (int i = 0; i < q->views && !code; i++)
        if (q->view[i] == view)
            code = wlab_fail(err, WL_EARG, "view \"%s\" is named twice", word);
    if (!code && q->views == WL_SHEET_MOST)
        code = wlab_fail(err, WL_EARG, "plot draws at most %d views at a time", WL_SHEET_MOST);
    if (!code)
        q->view[q->views++] = view;
    return code;
}

typedef enum of_word {
    NO_OF,
    OF_FOLLOWS, /* words are views */
    OF_BEFORE   /* words are runs */
} of_word;

/* A word after the first view: another view, or a run. */
static wlab_code add_name(request *q, const wlab_session *s, const char *word, of_word *of, wlab_err *err)
{
    const bool open = *of == NO_OF && q->show.runs == 0;
    const wlab_view *found = wlab_view_find(word);
    bool named = false;

    if (*of == OF_FOLLOWS && strcmp(word, "of") == 0) {
        *of = OF_BEFORE;
        return WL_OK;
    }
    if (*of == OF_FOLLOWS)
        return add_view(q, word, err);
    for (int i = 0; i < q->views; i++)
        named = named || q->view[i] == found;
    if (!open || !found || (named && wlab_session_find_run(s, word)))
        return add_run(q, s, word, open, err);
    if (wlab_session_find_run(s, word))
        return wlab_fail(
            err, WL_EARG,
            "\"%s\" is a view and a run: `plot %s of %s` draws the run, `plot %s %s of RUN` both views", word,
            q->view[0]->name, word, q->view[0]->name, word);
    return add_view(q, word, err);
}

/* While `compare` holds, a view of several runs draws the compared runs together, as the dashboard does. */
static void add_compared(request *q, const wlab_session *s, const wlab_view *view)
{
    int number[WL_PLOT_RUNS];
    const int n = q->named || view->of & WL_VIEW_ONE ? 0 : wlab_session_compared(s, number, WL_PLOT_RUNS - 1);

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

static unsigned properties(const request *q, bool all)
{
    unsigned of = q->view[0]->of;
    for (int i = 1; i < q->views; i++)
        of = all ? of & q->view[i]->of : of | q->view[i]->of;
    return of;
}

static wlab_code parse_marks(request *q, const wlab_args *a, wlab_err *err)
{
    for (int i = 0; i < a->nsettings; i++) {
        int k = find_word(wlab_marks_names, a->value[i]);
        if (strcmp(a->key[i], "labels") != 0 || !(properties(q, false) & WL_VIEW_MARKS))
            return wlab_fail(
                err, WL_EARG,
                "plot %s takes no setting %s=: plot VIEW... [[of] RUN...] [vs AXIS] [to FILE|terminal], and "
                "labels= for boundary, projection, histogram and bags",
                a->word[0], a->key[i]);
        if (k < 0)
            return wlab_fail(err, WL_EARG, "labels=%s: must be prediction, labeling or truth", a->value[i]);
        q->show.marks = (wlab_marks)k;
    }
    return WL_OK;
}

/* VIEW... [[of] RUN...] [vs AXIS] [to FILE|terminal] */
static wlab_code parse(request *q, const wlab_session *s, const wlab_args *a, wlab_err *err)
{
    wlab_code code = add_view(q, a->word[0], err);
    of_word of = NO_OF;
    for (int i = 1; i < a->nwords; i++)
        of = strcmp(a->word[i], "of") == 0 ? OF_FOLLOWS : of;
    q->show.view = q->view[0];
    q->show.marks = (wlab_marks)wlab_params_choice(wlab_session_settings(s), "marks");
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
            code = add_name(q, s, a->word[i], &of, err);
        }
    }
    if (!code && of != NO_OF && !q->show.runs)
        return wlab_fail(err, WL_EARG, "of which run? `runs` lists them");
    q->named = q->show.runs > 0;
    code = code ? code : parse_marks(q, a, err);
    if (!code && !q->named)
        code = add_run(q, s, NULL, false, err);
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

/* What to draw of a view.  Beside other views, one without an axis of steps has no use for `vs`. */
static wlab_view_request request_of(const request *q, wlab_session *s, const wlab_view *view)
{
    const bool fixed = q->views > 1 && view->of & WL_VIEW_FIXED && !(properties(q, true) & WL_VIEW_FIXED);
    return (wlab_view_request){.run = q->run,
                               .runs = q->show.runs,
                               .vs = fixed ? WL_VS_AUTO : q->show.vs,
                               .marks = q->show.marks,
                               .ctx = wlab_session_ctx(s)};
}

/* Draws a view into an empty figure, with the compared runs if none was named, and gives it to the taker.  The runs of
 * *q become those that are drawn. */
static wlab_code draw_view(wlab_session *s, request *q, const wlab_view *view, bool text, wlab_figure *f,
                           wlab_err *err)
{
    const bool latex = q->to && q->kind == WL_TEX, small = q->to && wlab_kind_small(s, q->kind);

    const wlab_plot_taker *taker = wlab_session_attached(s, taker_key); /* draws a picture, never text */

    add_compared(q, s, view);
    wlab_view_request v = request_of(q, s, view);
    wlab_figure_init(f, text && !taker);
    f->latex = latex;
    f->small = small;
    wlab_code code =
        wlab_view_draw(view, f, &v, err); /* also for a window, so that errors are reported now */
    if (code && !q->named &&
        v.runs > 1) { /* `compare` must not make an error of what the run alone can draw */
        wlab_figure_clear(f);
        f->latex = latex;
        f->small = small;
        q->show.runs = 0;
        put_run(q, wlab_session_run(s));
        v = request_of(q, s, view);
        wlab_err together = *err;
        if (!(code = wlab_view_draw(view, f, &v, err)))
            wlab_session_say(s, "only run %s is drawn, not the compared runs together: %s", q->run[0].name,
                             together.message);
    }
    if (!code && taker)
        code = taker->take(taker->self, f, view->name, err);
    return code;
}

/* All views in one file. */
static wlab_code draw_file(wlab_session *s, const request *q, wlab_err *err)
{
    wlab_figure f[WL_SHEET_MOST];
    const char *name[WL_SHEET_MOST];
    int n = 0;
    wlab_code code = WL_OK;

    for (; n < q->views && !code; n++) {
        request one = *q;
        name[n] = q->view[n]->name;
        code = draw_view(s, &one, q->view[n], q->kind == WL_TXT, &f[n], err);
    }
    code = code ? code : wlab_figures_save(s, f, name, n, q->to, q->show.vs == WL_VS_SECONDS, err);
    for (int i = 0; i < n; i++)
        wlab_figure_clear(&f[i]);
    return code;
}

/* One view on the screen. */
static wlab_code draw_shown(wlab_session *s, const request *asked, const wlab_view *view, wlab_err *err)
{
    request q = *asked;
    const wlab_view_request v = request_of(&q, s, view);
    wlab_where where;
    wlab_figure f;

    q.show.view = view;
    q.show.vs = v.vs;
    wlab_code code = wlab_show_where(s, &q.show, &v, &where, err);
    if (code)
        return code;
    if (where == WL_NOWHERE)
        wlab_session_say(s, "nothing is drawn, as terminal=none; `set terminal=auto` turns drawing on");
    if (where == WL_IN_PANE || where == WL_NOWHERE)
        return WL_OK;
    code = draw_view(s, &q, view, where == WL_AS_TEXT, &f, err);
    if (!code && !wlab_session_attached(s, taker_key))
        code = where == WL_IN_WINDOW  ? wlab_show_window(s, &q.show, err)
               : where == WL_AS_SIXEL ? wlab_show_sixel(s, &f, err)
                                      : wlab_figure_print(s, &f, view->name, err);
    wlab_figure_clear(&f);
    return code;
}

static wlab_code execute(wlab_session *s, const wlab_args *a, wlab_err *err)
{
    request q = {0};

    if (!a->nwords)
        return list_views(s, err);
    wlab_code code = parse(&q, s, a, err);
    if (!code && q.to)
        return draw_file(s, &q, err);
    for (int i = 0; i < q.views && !code; i++)
        code = draw_shown(s, &q, q.view[i], err);
    return code;
}

/* VIEW... [[of] RUN...] [vs AXIS] [to FILE|terminal] */
static void offer(wlab_offers *o, const wlab_session *s)
{
    static const char *const axis_meaning[] = {"steps", "inner units", "the solver's time",
                                               "what the algorithm anneals: C*, T, lambda'"};
    const wlab_args *a = o->typed;
    const char *before = a->nwords > 0 ? a->word[a->nwords - 1] : "";
    bool vs = false, to = false, run = false, of = false;
    unsigned any = 0, all = ~0U; /* properties of some view, of every view */

    for (int i = 0; i < a->nwords; i++) {
        const wlab_view *view = run || of || vs || to ? NULL : wlab_view_find(a->word[i]);
        vs = vs || !strcmp(a->word[i], "vs");
        to = to || !strcmp(a->word[i], "to");
        of = of || !strcmp(a->word[i], "of");
        run = run || (i > 0 && !view && !vs && !to && strcmp(a->word[i], "of") != 0);
        any |= view ? view->of : 0;
        all &= view ? view->of : ~0U;
    }
    if (!strcmp(before, "vs")) {
        wlab_offers_list(o, wlab_axis_names, axis_meaning);
    } else if (!strcmp(before, "to")) {
        wlab_offers_add(o, "terminal", NULL, "draw here, as a picture or as text", 0);
        wlab_offers_files(o, s, WL_FILES_ANY, "");
    } else if (a->nwords > 0) {
        if (!vs && !to && !(any & WL_VIEW_ONE && run))
            wlab_offers_runs(o, s, true);
        if (!vs && !(all & WL_VIEW_FIXED))
            wlab_offers_add(o, "vs", NULL, "the quantity on the x axis follows", 0);
        if (any & WL_VIEW_MARKS)
            for (int k = 0; wlab_marks_names[k]; k++) {
                char word[32];
                snprintf(word, sizeof word, "labels=%s", wlab_marks_names[k]);
                wlab_offers_add(o, word, NULL, "which labels the marks of the rows show", 0);
            }
        if (!to)
            wlab_offers_add(o, "to", NULL, "a file (.png, .svg, .pdf, .tex, .txt) or `terminal` follows", 0);
    }
    for (int i = 0; wlab_views[i] && !vs && !to && !run && !of; i++) {
        bool typed = false;
        for (int k = 0; k < a->nwords; k++)
            typed = typed || strcmp(a->word[k], wlab_views[i]->name) == 0;
        if (!typed)
            wlab_offers_add(o, wlab_views[i]->name, NULL, wlab_views[i]->summary, 0);
    }
}

static const wlab_command command = {
    .name = "plot",
    .alias = "p",
    .usage = "plot VIEW... [RUN...] [vs AXIS] [labels=...] [to FILE|terminal]",
    .summary = "draw views of the run: live in a window, on the terminal, or into a file",
    .help =
        "VIEW is a picture of one run, or of several in the same axes; `plot` lists them. "
        "Without RUN it draws the current run, with those that `compare` put beside it. A file takes up to "
        "nine "
        "views, side by side: `plot objective gap to x.pdf`. After `of` all words are runs, even one called "
        "like a "
        "view.\n"
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
        "marks a wrong label, if the truth is known; up to four bags have shapes of their own, as text the "
        "letters "
        "p to s, or w to z if the label is wrong, a capital for +1.\n"
        "\n"
        "`loss` draws the loss of an unlabelled row, in units of lambda_u/(2u), as a function of its "
        "output o: at the beginning, now, and at the end, when it is that of a TSVM. It is for algorithms "
        "with a temperature T or a growing weight lambda' of these rows. Beneath are outputs of rows.\n"
        "\n"
        "`labels` has a line for each row and a column for each step; bars beneath count flips. A cell "
        "shows the label, and is dark if it flipped. From top to bottom come the rows with observed label "
        "+1, the others by their true class, +1 first, and the rows with observed label -1; within each "
        "group, rows that were +1 most often come first. With bags, rows are sorted by bag. Of more than "
        "200 rows or 250 steps several share a cell, which is dark if any flipped.\n"
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
        "`to FILE` writes .png, .svg, .pdf, .txt, or .tex for LaTeX, and beside it the numbers (.dat; times "
        "only with `vs seconds`, as they differ from one execution to "
        "the next) and a .gp: `gnuplot FILE.gp`, in that folder, draws it again. The .dat and .gp "
        "of another figure are not overwritten. How it looks: figure=, size=, title=, font= (`help "
        "settings`).\n"
        "\n"
        "Without `to`, a dashboard that is on shows a view of the current run in its pane. Otherwise `set "
        "terminal=` decides; auto, the default, selects the first of these that is possible: a window (with "
        "a "
        "display), redrawn at each pause and, for at most 1 % of the time, during a run; a sixel image; "
        "text. `to "
        "terminal` draws it once in the terminal, whatever the setting.",
    .flags = WL_C_SHOWS | WL_C_FILES | WL_C_SHARED,
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
