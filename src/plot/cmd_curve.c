/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The command `curve`: draws a score of an experiment against one of its settings.
 */
#include "lang/phrase.h"
#include "plot/curve.h"
#include "plot/plot.h"
#include "plot/save.h"
#include "session/command.h"
#include "session/complete/complete.h"
#include "study/commands/commands.h"
#include <string.h>

/* SCORE [vs KEY] [of DIR] [to FILE] */
static wlab_code parse(const wlab_args *a, wlab_curve *what, const char **dir, const char **to, wlab_err *err)
{
    if (!a->nwords)
        return wlab_fail(err, WL_EARG, "curve needs a score, for example `curve accuracy vs labeled of DIR`");
    what->score = a->word[0];
    for (int i = 1; i < a->nwords; i += 2) {
        const char **place = !strcmp(a->word[i], "vs")   ? &what->vs
                             : !strcmp(a->word[i], "of") ? dir
                             : !strcmp(a->word[i], "to") ? to
                                                         : NULL;
        if (!place)
            return wlab_fail(err, WL_EARG,
                             "\"%.60s\": curve SCORE [vs KEY] [of DIR] [key=value...] [to FILE]", a->word[i]);
        if (i + 1 == a->nwords)
            return wlab_fail(err, WL_EARG, "%s what?", a->word[i]);
        if (*place)
            return wlab_fail(err, WL_EARG, "\"%s\" is given twice", a->word[i]);
        *place = a->word[i + 1];
    }
    what->data = wlab_params_text(a->params, "data");
    what->methods = wlab_params_text(a->params, "methods");
    what->log = wlab_params_bool(a->params, "log");
    what->logx = wlab_params_bool(a->params, "logx");
    what->bar = (wlab_bar)wlab_params_choice(a->params, "bars");
    what->published = wlab_params_bool(a->params, "published");
    return WL_OK;
}

static bool is_time(const char *score)
{
    return score && (!strcmp(score, "seconds") || !strcmp(score, "tuning_seconds"));
}

wlab_code wlab_curve_report(wlab_session *s, const wlab_store *store, const char *line, const char *dir,
                            wlab_err *err)
{
    char *typed = wlab_format("curve %s", line), *path = NULL;
    const char *unused = NULL, *to = NULL;
    wlab_phrase words = {0};
    wlab_params *p = NULL;
    wlab_args args = {0};
    wlab_curve what = {0};
    wlab_figure f;
    size_t pos = 0;
    bool more = false;
    wlab_code code = typed ? wlab_phrase_read(&words, typed, &pos, &more, err) : wlab_nomem(err);

    wlab_figure_init(&f, false);
    if (!code)
        code = wlab_params_create(&p, wlab_curve_params, err);
    if (!code && !(args.word = wlab_calloc((size_t)words.n + 1, sizeof *args.word)))
        code = wlab_nomem(err);
    if (!code)
        code = wlab_phrase_settings(&words, p, NULL, args.word, &args.nwords, err);
    args.params = p;
    if (!code)
        code = parse(&args, &what, &unused, &to, err);
    if (!code && !(path = to ? wlab_format("%s/%s", dir, to) : wlab_format("%s/%s.png", dir, what.score)))
        code = wlab_nomem(err);
    if (!code)
        code = wlab_curve_draw(&f, store, &what, err);
    if (!code)
        code = wlab_figures_save(s, &f, &(const char *){"curve"}, 1, path,
                                 is_time(what.score) || is_time(what.vs), err);
    wlab_figure_clear(&f);
    wlab_free(args.word);
    wlab_free(path);
    wlab_free(typed);
    wlab_params_destroy(p);
    wlab_phrase_clear(&words);
    return code;
}

static wlab_code execute(wlab_session *s, const wlab_args *a, wlab_err *err)
{
    wlab_curve what = {0};
    const char *dir = NULL, *to = NULL;
    wlab_image kind = WL_TXT;
    wlab_store *store = NULL;
    wlab_figure f;
    char *found = NULL;
    wlab_code code = parse(a, &what, &dir, &to, err);

    if (!code && !dir && !(dir = wlab_results_kept(s)))
        code = wlab_fail(err, WL_ESTATE, "of which results? `curve %.60s of DIR`, or run `sweep` first",
                         what.score);
    if (!code && to)
        code = wlab_image_of(to, &kind, err);
    if (!code && dir != wlab_results_kept(s)) {
        code = wlab_session_find_results(s, dir, &found, err);
        dir = found;
    }
    if (!code)
        code = wlab_store_open(&store, dir, false, wlab_session_ctx(s), err);
    wlab_free(found);
    if (code)
        return code;
    wlab_figure_init(&f, kind == WL_TXT);
    f.latex = kind == WL_TEX;
    code = wlab_curve_draw(&f, store, &what, err);
    wlab_store_close(store);
    if (!code)
        code = to ? wlab_figures_save(s, &f, &(const char *){"curve"}, 1, to,
                                      is_time(what.score) || is_time(what.vs), err)
                  : wlab_figure_print(s, &f, "curve", err);
    wlab_figure_clear(&f);
    return code;
}

static void offer(wlab_offers *o, const wlab_session *s)
{
    static const char *const score[] = {
        "accuracy", "error", "balanced_accuracy", "f1", "auc", "seconds", "tuning_seconds", "iter", NULL};
    static const char *const meaning[] = {"of the rows that `eval` scored",   "1 - accuracy",
                                          "mean of the classes' recalls",     "of the positive class",
                                          "area under the ROC curve",         "time of the last training",
                                          "time for choosing the parameters", "steps"};
    const wlab_args *a = o->typed;
    const char *before = a->nwords > 1 && a->nwords % 2 == 0 ? a->word[a->nwords - 1] : "";

    if (a->nwords == 0) {
        wlab_offers_list(o, score, meaning);
    } else if (!strcmp(before, "of")) {
        wlab_offers_files(o, s, WL_FILES_ANY, "");
    } else if (!strcmp(before, "to")) {
        wlab_offers_files(o, s, WL_FILES_ANY, "");
    } else if (!*before) {
        wlab_offers_add(o, "vs", NULL, "the setting on the x axis follows", 0);
        wlab_offers_add(o, "of", NULL, "the folder of a sweep follows", 0);
        wlab_offers_add(o, "to", NULL, "a file (.png, .svg, .pdf, .txt) follows", 0);
    }
}

const wlab_command wlab_cmd_curve = {
    .name = "curve",
    .usage = "curve SCORE [vs KEY] [of DIR] [key=value...] [to FILE]",
    .summary = "draw a score of an experiment against one of its settings",
    .help =
        "Draws the mean of SCORE over the replicates (repetitions or folds) of an experiment against the "
        "values of KEY, with error bars: `curve accuracy vs labeled` draws a learning curve, `curve "
        "seconds vs labeled` the time. KEY is a key=value of a generate, split or task line of the "
        "experiment that has several numbers in braces, all counts or all percentages. `vs KEY` can be left "
        "out if there is only one such "
        "key. Each method has one curve; if other keys have several values too, it has one for each "
        "combination of those. If a score is in the place of KEY, as in `curve accuracy vs "
        "seconds`, each method has one curve, with a point for each combination of settings; x is the mean "
        "of that score. DIR is the folder of the results; the default is that of the last "
        "sweep, merge, table or cell.\n"
        "\n"
        "With several data sets a point is the mean over all of them, computed from the replicates that "
        "every data set has; a data set that lacks a value at some point is left out of the whole figure, "
        "and the title says so. data= draws one data set. The colour and mark of a method follow its place "
        "in the experiment, so they are the same in all its figures. Curves with error bars are shifted a "
        "little sideways so that the bars do not cover each other (not with logx=yes). Dashed curves are "
        "published results. They are drawn if SCORE is accuracy or error, the x axis is a KEY, and the "
        "experiment has published results for all data sets of the figure.\n"
        "\n"
        "SCORE is a score of `eval`, error (1 - accuracy), a metric of the algorithm, seconds, "
        "tuning_seconds or iter. Methods that do not have this score have no curve; methods=A,B draws only "
        "these methods. `to FILE` writes a picture with its .dat and .gp beside it, as `plot` does; "
        "without it the curve is drawn as text.",
    .params = wlab_curve_params,
    .flags = WL_C_SHOWS | WL_C_SHARED,
    .execute = execute,
    .offer = offer,
};
