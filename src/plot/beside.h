/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The .gp and .dat beside an image: check which figure existing files belong to before they are overwritten.
 */
#ifndef PLOT_BESIDE_H
#define PLOT_BESIDE_H

#include "weaklab/base.h"

/* Check whether `dat` (the bytes to be written) and its script may overwrite the files dat_path and gp_path beside the
 * image `image` (its name without folders).  They may if there are no such files, if the files rebuild that image
 * only, if the data are equal, or if the files are an earlier state of the same figure.  WL_EARG otherwise: the files
 * rebuild another figure, or belong to no figure.  `kinds` receives the endings of all images that the new files
 * rebuild, such as "png, txt", 0-terminated. */
wlab_code wlab_check_beside(const char *image, const char *gp_path, const char *dat_path, const wlab_buf *dat,
                            wlab_buf *kinds, wlab_err *);

#endif
