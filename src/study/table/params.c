/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The settings of `table` and `curve`, and which scores are better when they are smaller.
 */
#include "study/table/table.h"
#include <string.h>

const wlab_param_info wlab_table_params[] = {
    {.name = "score",
     .type = WL_P_TEXT,
     .fallback = "accuracy",
     .meaning =
         "what is compared: a score of `eval`, error (1 - accuracy), a metric of the run after its last "
         "step, "
         "seconds, tuning_seconds or iter. If `eval` scored several sets of rows, `accuracy` is that of "
         "the first set, and the names of the others begin with their set, as in unlabeled_accuracy"},
    {.name = "methods",
     .type = WL_P_TEXT,
     .meaning = "A,B,...: only these methods, in the experiment's order; the default is all"},
    {.name = "rows",
     .type = WL_P_CHOICE,
     .fallback = "data",
     .choices = (const char *const[]){"data", "settings", NULL},
     .meaning =
         "data: one table per setting, with one row per data set; settings: one table per data set, with "
         "one row per setting and without ranks, because settings are not independent samples (csv and "
         "json are the same for both)"},
    {.name = "best",
     .type = WL_P_CHOICE,
     .fallback = "auto",
     .choices = (const char *const[]){"auto", "high", "low", NULL},
     .meaning =
         "whether a high or a low score is better; auto: low for times, objectives and errors, high for "
         "others"},
    {.name = "against",
     .type = WL_P_TEXT,
     .meaning = "the method that the others are tested against; none: no tests"},
    {.name = "test",
     .type = WL_P_CHOICE,
     .fallback = "auto",
     .choices = (const char *const[]){"auto", "paired", "corrected", NULL},
     .meaning =
         "two-sided t-test over the replicates, of at least ten; paired: the usual one; corrected: with a "
         "larger variance, because the training rows of the replicates overlap (Nadeau and Bengio); auto: "
         "corrected for scores of rows that `split` holds out, but paired for generated data, of which each "
         "repetition draws another sample; paired for other scores, which then speaks of these data only"},
    {.name = "level",
     .type = WL_P_REAL,
     .fallback = "0.05",
     .hi = 1,
     .flags = WL_P_OPEN_LO | WL_P_OPEN_HI,
     .meaning = "significance level of all tests"},
    {.name = "spread",
     .type = WL_P_CHOICE,
     .fallback = "folds",
     .choices = (const char *const[]){"folds", "repetitions", NULL},
     .meaning = "what the standard deviation is over, if `split` has folds: all folds, or the repetitions, "
                "each with "
                "the mean of its folds (only repetitions with all folds count then)"},
    {.name = "ranks",
     .type = WL_P_BOOL,
     .fallback = "yes",
     .meaning =
         "show the rank of each method in its row, the mean ranks and Friedman's test; ranks are computed "
         "from the means rounded to six decimals, whatever digits= is"},
    {.name = "posthoc",
     .type = WL_P_CHOICE,
     .choices = (const char *const[]){"nemenyi", "holm", "none", NULL},
     .meaning = "which mean ranks differ: of all pairs (Nemenyi) or from the method `against` (Holm); the "
                "default is "
                "holm if `against` is given, else nemenyi"},
    {.name = "digits",
     .type = WL_P_INT,
     .fallback = "3",
     .hi = 12,
     .meaning = "decimals of printed means and deviations; csv and json have all digits"},
    {.name = "published",
     .type = WL_P_BOOL,
     .fallback = "yes",
     .meaning = "show the experiment's published accuracies beside the computed ones, with the difference in "
                "standard errors"},
    {.name = "format",
     .type = WL_P_CHOICE,
     .choices = (const char *const[]){"text", "markdown", "latex", "csv", "json", NULL},
     .meaning = "the default is that of the file's suffix, .txt .md .tex .csv .json, else text"},
    {.name = NULL},
};

static const char *const bars[] = {"sd", "se", "none", NULL};

const wlab_param_info wlab_curve_params[] = {
    {.name = "data",
     .type = WL_P_TEXT,
     .meaning = "the data set to draw; by default each point is the mean over all of them"},
    {.name = "methods",
     .type = WL_P_TEXT,
     .meaning = "A,B,...: curves of only these methods; the default is all"},
    {.name = "bars",
     .type = WL_P_CHOICE,
     .fallback = "sd",
     .choices = bars,
     .meaning = "error bars: standard deviation over the replicates, standard error of their mean, none"},
    {.name = "log",
     .type = WL_P_BOOL,
     .fallback = "no",
     .meaning = "a logarithmic y axis; error bars are drawn with the same length below as above"},
    {.name = "logx", .type = WL_P_BOOL, .fallback = "no", .meaning = "a logarithmic x axis"},
    {.name = "published",
     .type = WL_P_BOOL,
     .fallback = "yes",
     .meaning = "also draw the experiment's published accuracies, dashed"},
    {0},
};

/* For a metric its role decides; for other scores the last word of the name, as in tuning_seconds. */
bool wlab_score_lower(const char *score)
{
    static const char *const lower[] = {"seconds", "iter", "iters", "inner",   "error",
                                        "errors",  "fp",   "fn",    "skipped", "off"};
    const wlab_metric_info *metric = wlab_metric_named(score);
    const char *last = strrchr(score, '_');

    if (metric)
        return wlab_metric_style(metric).less;
    for (size_t i = 0; i < sizeof lower / sizeof *lower; i++)
        if (strcmp(last ? last + 1 : score, lower[i]) == 0)
            return true;
    return false;
}

bool wlab_score_published(const char *score)
{
    return strcmp(score, "accuracy") == 0 || strcmp(score, "error") == 0;
}
