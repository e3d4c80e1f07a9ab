/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A figure as a small picture in one call: drawn by our own rasteriser, or the script with which gnuplot draws the
 * same.
 */
#ifndef WEAKLAB_TESTS_RASTERED_H
#define WEAKLAB_TESTS_RASTERED_H

#include "plot/draw/stroke.h"

#include <string.h>

static inline wlab_code raster_draw(const wlab_figure *f, int columns, int rows, bool characters,
                                    wlab_raster *r, wlab_err *err)
{
    wlab_strokes k;
    wlab_code code = wlab_strokes_make(&k, f, columns, rows, characters, err);
    memset(r, 0, sizeof *r);
    code = code ? code : wlab_strokes_draw(&k, r, err);
    wlab_strokes_clear(&k);
    return code;
}

static inline wlab_code raster_script(const wlab_figure *f, int columns, int rows, bool characters,
                                      char marks[WL_INKS], wlab_buf *out, wlab_err *err)
{
    wlab_strokes k;
    wlab_code code = wlab_strokes_make(&k, f, columns, rows, characters, err);
    code = code ? code : wlab_strokes_script(&k, out, err);
    if (!code)
        wlab_strokes_marks(&k, marks);
    wlab_strokes_clear(&k);
    return code;
}

#endif
