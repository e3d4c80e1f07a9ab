/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where temporary files go.
 */
#ifndef PLOT_DRAW_TEMPORARY_H
#define PLOT_DRAW_TEMPORARY_H

#include "weaklab/base.h"

/* $TMPDIR if that is an absolute path, else /tmp. */
const char *wlab_temporary_folder(void);
/* "FOLDER/weaklab-KIND-XXXXXX" for mkstemp and mkdtemp, owned by the caller.  NULL: out of memory. */
char *wlab_temporary_name(const char *kind);
/* Makes a folder of such a name, *path, owned by the caller. */
wlab_code wlab_temporary_make(const char *kind, char **path, wlab_err *);

#endif
