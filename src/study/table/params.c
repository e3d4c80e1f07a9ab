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
         "what is compared: a number that `eval` gave (of the rows that it scored second, with these in "
         "front: "
         "unlabeled_accuracy), error (1 - accuracy), a metric of the run after its last step, seconds, "
         "tuning_seconds or iter"},
    {.name = "methods",
     .type = WL_P_TEXT,
     .meaning = "A,B,...: these methods alone, in the experiment's order; left out: all"},
    {.name = "rows",
     .type = WL_P_CHOICE,
     .fallback = "data",
     .choices = (const char *const[]){"data", "settings", NULL},
     .meaning = "data: a table a setting, with a row a data set; settings: a table a data set, with a row a "
                "setting, "
                "and without ranks, as settings are no samples (csv and json are the same for both)"},
    {.name = "best",
     .type = WL_P_CHOICE,
     .fallback = "auto",
     .choices = (const char *const[]){"auto", "high", "low", NULL},
     .meaning =
         "which score is better; auto: the lower of times, objectives and errors, of others the higher"},
    {.name = "against",
     .type = WL_P_TEXT,
     .meaning = "the method that the others are tested against; none: no tests"},
    {.name = "test",
     .type = WL_P_CHOICE,
     .fallback = "paired",
     .choices = (const char *const[]){"paired", "corrected", NULL},
     .meaning = "t-test over the replicates, two-sided; corrected for the overlap of resampled training rows "
                "(Nadeau and Bengio)"},
    {.name = "level",
     .type = WL_P_REAL,
     .fallback = "0.05",
     .hi = 1,
     .flags = WL_P_OPEN_LO | WL_P_OPEN_HI,
     .meaning = "significance level of all tests"},
    {.name = "ranks",
     .type = WL_P_BOOL,
     .fallback = "yes",
     .meaning = "ranks in each row, of the means to six decimals whatever is printed; their averages and "
                "Friedman's test"},
    {.name = "posthoc",
     .type = WL_P_CHOICE,
     .choices = (const char *const[]){"nemenyi", "holm", "none", NULL},
     .meaning =
         "which mean ranks differ: of all pairs (Nemenyi) or from the method `against` (Holm); left out: "
         "holm where `against` is given, else nemenyi"},
    {.name = "digits",
     .type = WL_P_INT,
     .fallback = "3",
     .hi = 12,
     .meaning = "decimals of means and deviations; of what is printed only"},
    {.name = "published",
     .type = WL_P_BOOL,
     .fallback = "yes",
     .meaning =
         "beside accuracies the published ones of the experiment, with the difference in standard errors"},
    {.name = "format",
     .type = WL_P_CHOICE,
     .choices = (const char *const[]){"text", "markdown", "latex", "csv", "json", NULL},
     .meaning = "left out: by the ending of the file, .txt .md .tex .csv .json, else text"},
    {.name = NULL},
};

static const char *const bars[] = {"sd", "se", "none", NULL};

const wlab_param_info wlab_curve_params[] = {
    {.name = "data", .type = WL_P_TEXT, .meaning = "one data set; without it the mean over all of them"},
    {.name = "methods",
     .type = WL_P_TEXT,
     .meaning = "A,B,...: curves of these methods alone; left out: all"},
    {.name = "bars",
     .type = WL_P_CHOICE,
     .fallback = "sd",
     .choices = bars,
     .meaning = "error bars: standard deviation over the replicates, standard error of their mean, none"},
    {.name = "log",
     .type = WL_P_BOOL,
     .fallback = "no",
     .meaning = "a logarithmic y axis; error bars are as long below as above"},
    {.name = "logx", .type = WL_P_BOOL, .fallback = "no", .meaning = "a logarithmic x axis"},
    {.name = "published",
     .type = WL_P_BOOL,
     .fallback = "yes",
     .meaning = "draw the experiment's published accuracies too, dashed"},
    {0},
};

/* Of a metric as its role says; of a score of `eval` and of the cells by the last word of its name: tuning_seconds. */
bool wlab_score_lower(const char *score)
{
    static const char *const lower[] = {"seconds", "iter", "iters", "inner",  "error",
                                        "errors",  "fp",   "fn",    "skipped"};
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
