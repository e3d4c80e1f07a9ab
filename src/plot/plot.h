/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What main takes from the plot layer.
 */
#ifndef PLOT_PLOT_H
#define PLOT_PLOT_H

#include "weaklab/session.h"

/* Add the command `plot` and its views to a session. */
wlab_code wlab_plot_register(wlab_session *, wlab_err *);

#endif
