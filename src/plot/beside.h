/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The .gp and .dat beside an image: whose they are before they are written over.
 */
#ifndef PLOT_BESIDE_H
#define PLOT_BESIDE_H

#include "weaklab/base.h"

/* May `dat` (the bytes to come) and its script take the places gp_path and dat_path, beside the image `image` (its
 * name without folders)?  Yes when nothing is there, when both rebuild that image only, when the data are equal, or
 * when they are an earlier state of the same figure.  WL_EARG otherwise: they rebuild another figure, or are
 * no figure's at all.  `kinds`: the endings of all images they will rebuild, "png, txt", 0-terminated. */
wlab_code wlab_beside(const char *image, const char *gp_path, const char *dat_path, const wlab_buf *dat,
                      wlab_buf *kinds, wlab_err *);

#endif
