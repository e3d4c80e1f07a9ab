/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Between the reader of MAT-files and the check of their bytes.
 */
#ifndef WEAKLAB_DATA_MAT_H
#define WEAKLAB_DATA_MAT_H

#include "data/reader.h"

/* The file's variables, unpacked, whose sizes fit together, as a MAT-file in `out`.  WL_EINPUT where the file
 * is damaged. */
wlab_code wlab_mat_check(const wlab_input *, wlab_buf *out, wlab_err *);

#endif
