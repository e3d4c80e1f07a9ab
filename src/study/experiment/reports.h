/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reading the lines of an experiment file that request tables and curves or give published numbers.
 */
#ifndef EXPERIMENT_REPORTS_H
#define EXPERIMENT_REPORTS_H

#include "study/experiment/file.h"

/* To be called when data, methods and settings are known. */
wlab_code wlab_exp_published_line(wlab_exp_file *, const wlab_exp_line *);
wlab_code wlab_exp_table_line(wlab_exp_file *, const wlab_exp_line *);
wlab_code wlab_exp_curve_line(wlab_exp_file *, const wlab_exp_line *);

#endif
