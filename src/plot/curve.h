/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Curves of an experiment: a score's mean over a setting, a line a method, with error bars.
 */
#ifndef PLOT_CURVE_H
#define PLOT_CURVE_H

#include "plot/figure.h"
#include "session/command.h"
#include "study/table/table.h"

typedef enum wlab_bar {
    WL_BAR_SD, /* standard deviation over the replicates */
    WL_BAR_SE, /* of their mean */
    WL_BAR_NONE
} wlab_bar;

typedef struct wlab_curve {
    const char *score; /* y */
    const char *vs;   /* a key of the settings, or another score; NULL: the settings' only key with numbers */
    const char *data; /* a data set; NULL: the mean over all, of the replicates that every one of them has */
    const char *methods; /* "A,B"; NULL: all */
    wlab_bar bar;
    bool log; /* y */
    bool logx;
    bool published; /* with the published means of those data sets */
} wlab_curve;

/* Draw into an empty figure.  WL_EARG: no such score, key or data set; WL_ESTATE: nothing to draw yet. */
wlab_code wlab_curve_draw(wlab_figure *, const wlab_store *, const wlab_curve *, wlab_err *);

/* Draw what stands behind `curve` in a line of an experiment into a picture in the folder `dir` of its results. */
wlab_code wlab_curve_report(wlab_session *, const wlab_store *, const char *line, const char *dir,
                            wlab_err *);

extern const wlab_command wlab_cmd_curve;

#endif
