/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The settings figure=, size=, title= and font=: how the figures that `plot` and `curve` write to files look.
 */
#ifndef SESSION_LOOK_H
#define SESSION_LOOK_H

#include "weaklab/param.h"

typedef enum wlab_style_of {
    WL_FOR_SCREEN,
    WL_FOR_PAPER,
    WL_FOR_SLIDE,
    WL_FOR_POSTER
} wlab_style_of;
extern const char *const wlab_look_names[]; /* "screen", "paper", "slide", "poster", NULL */

enum {
    WL_FONT_NAME = 64
};
typedef struct wlab_look {
    wlab_style_of style;
    double width, height;    /* of the file, in cm; 0: those of the style */
    const char *title;       /* borrowed from the settings; NULL: auto; "": none */
    char font[WL_FONT_NAME]; /* "": that of the style */
    double points;           /* the size of letters; 0: that of the style */
} wlab_look;

/* Reads the settings, which were checked when they were set. */
wlab_look wlab_look_of(const wlab_params *settings);
/* Whether the value of one of these settings is legal; WL_EARG with what is.  Other settings: WL_OK. */
wlab_code wlab_look_check(const char *setting, const char *value, wlab_err *);

#endif
