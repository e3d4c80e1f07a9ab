/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The command `curve`: a score of an experiment over one of its settings.
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
        return wlab_fail(err, WL_EARG, "curve takes a score: `curve accuracy vs labeled of DIR`, say");
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
            return wlab_fail(err, WL_EARG, "\"%s\" stands there twice", a->word[i]);
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
        code = wlab_figure_save(s, &f, "curve", path, is_time(what.score) || is_time(what.vs), err);
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
        code =
            wlab_fail(err, WL_ESTATE, "of which results? `curve %.60s of DIR`, or `sweep` first", what.score);
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
    code = wlab_curve_draw(&f, store, &what, err);
    wlab_store_close(store);
    if (!code)
        code = to ? wlab_figure_save(s, &f, "curve", to, is_time(what.score) || is_time(what.vs), err)
                  : wlab_figure_print(s, &f, "curve", err);
    wlab_figure_clear(&f);
    return code;
}

static void offer(wlab_offers *o, const wlab_session *s)
{
    static const char *const score[] = {
        "accuracy", "error", "balanced_accuracy", "f1", "auc", "seconds", "tuning_seconds", "iter", NULL};
    static const char *const meaning[] = {"of the rows that `eval` scored", "1 - accuracy",
                                          "mean of the classes' recalls",   "of the positive class",
                                          "area under the ROC curve",       "of the last training",
                                          "of the choice of parameters",    "steps"};
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
    .summary = "draw a score of an experiment over one of its settings",
    .help =
        "Draws, for each method of the experiment whose results are in DIR (the last sweep's, if none is "
        "named), the mean of SCORE over the values of the setting KEY, with error bars: a learning curve "
        "with "
        "`curve accuracy vs labeled`, the time with `curve seconds vs labeled`. KEY is one that has values "
        "in "
        "braces in a generate, split or task line of the experiment; it can be left out when there is only "
        "one; a score in its place, `curve accuracy vs seconds`, puts that score's mean on the x axis.\n"
        "\n"
        "With several data sets a point is the mean over all of them, of those replicates that none of them "
        "lacks; data= draws one. A method has its colour and mark by its place in the experiment, in every "
        "figure of "
        "it. Where there are error bars the curves stand a little apart sideways, so that bars do not "
        "cover each other (not with logx=yes). Published accuracies, where the experiment has them for all "
        "data sets "
        "drawn, are dashed.\n"
        "\n"
        "SCORE is a score of `eval`, error (1 - accuracy), a metric of the algorithm, seconds, "
        "tuning_seconds "
        "or iter; methods without it have no curve, and methods=A,B draws these alone. `to FILE` "
        "writes a picture with its .dat and .gp beside it, as `plot` does; without it the curve is drawn as "
        "text.",
    .params = wlab_curve_params,
    .flags = WL_C_SHOWS,
    .execute = execute,
    .offer = offer,
};
