/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Curves of an experiment: the mean of a score against a setting, one line per method, with error bars.
 */
#ifndef PLOT_CURVE_H
#define PLOT_CURVE_H

#include "plot/figure.h"
#include "session/command.h"
#include "study/table/table.h"

typedef enum wlab_bar {
    WL_BAR_SD, /* standard deviation over the replicates */
    WL_BAR_SE, /* standard error of their mean */
    WL_BAR_NONE
} wlab_bar;

typedef struct wlab_curve {
    const char *score; /* on the y axis */
    const char *vs; /* a key of the settings, or another score; NULL: the only key whose values are numbers */
    /* a data set; NULL: the mean over all data sets, of the replicates that all of them have */
    const char *data;
    const char *methods; /* "A,B"; NULL: all */
    wlab_bar bar;
    bool log;       /* a log scale on the y axis */
    bool logx;      /* a log scale on the x axis */
    bool published; /* also draw the published means of the drawn data sets */
} wlab_curve;

/* Draw into an empty figure.  WL_EARG: no such score, key or data set; WL_ESTATE: nothing to draw yet. */
wlab_code wlab_curve_draw(wlab_figure *, const wlab_store *, const wlab_curve *, wlab_err *);

/* Draw the figure that a `curve` line of an experiment requests (line: the words after `curve`), into a picture in the
 * folder `dir` of its results. */
wlab_code wlab_curve_report(wlab_session *, const wlab_store *, const char *line, const char *dir,
                            wlab_err *);

extern const wlab_command wlab_cmd_curve;

#endif
