/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The settings of figures in files.
 */
#include "session/look.h"
#include "base/locale.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

const char *const wlab_look_names[] = {"screen", "paper", "slide", "poster", NULL};

enum {
    LEAST_CM = 2,
    MOST_CM = 120,
    LEAST_POINTS = 3,
    MOST_POINTS = 200
};

/* "8.4x6cm" or "8.4x6". */
static bool read_size(const char *text, double *width, double *height)
{
    char copy[40];
    size_t n = strlen(text);

    if (n >= sizeof copy)
        return false;
    memcpy(copy, text, n + 1);
    if (n > 2 && strcmp(copy + n - 2, "cm") == 0)
        copy[n - 2] = '\0';
    char *by = strchr(copy, 'x');
    if (!by)
        return false;
    *by = '\0';
    return wlab_parse_real(copy, width) && wlab_parse_real(by + 1, height) && *width >= LEAST_CM &&
           *width <= MOST_CM && *height >= LEAST_CM && *height <= MOST_CM;
}

/* "NAME", "NAME,POINTS" or ",POINTS".  Only characters that mean nothing in a gnuplot string. */
static bool read_font(const char *text, char name[WL_FONT_NAME], double *points)
{
    const size_t n = strcspn(text, ",");

    *points = 0;
    if (n >= WL_FONT_NAME || (n == 0 && !text[n]))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)text[i]) && !(i > 0 && strchr(" -_.", text[i])))
            return false;
    memcpy(name, text, n);
    name[n] = '\0';
    return !text[n] ||
           (wlab_parse_real(text + n + 1, points) && *points >= LEAST_POINTS && *points <= MOST_POINTS);
}

static bool is_auto(const char *value)
{
    return !value || strcmp(value, "auto") == 0;
}

wlab_code wlab_look_check(const char *setting, const char *value, wlab_err *err)
{
    wlab_look look;

    if (strcmp(setting, "size") == 0 && !is_auto(value) && !read_size(value, &look.width, &look.height))
        return wlab_fail(err, WL_EARG,
                         "size=%.60s: must be auto or the width and height of a file in cm, each %d to %d: "
                         "size=8.4x6cm, say",
                         value, LEAST_CM, MOST_CM);
    if (strcmp(setting, "font") == 0 && !is_auto(value) && !read_font(value, look.font, &look.points))
        return wlab_fail(err, WL_EARG,
                         "font=%.60s: must be auto, a font's name, or name and size in points, %d to %d: "
                         "font=\"DejaVu Serif,9\", say, or font=,9",
                         value, LEAST_POINTS, MOST_POINTS);
    return WL_OK;
}

wlab_look wlab_look_of(const wlab_params *settings)
{
    wlab_look look = {.style = (wlab_style_of)wlab_params_choice(settings, "figure")};
    const char *title = wlab_params_text(settings, "title"), *size = wlab_params_text(settings, "size"),
               *font = wlab_params_text(settings, "font");

    look.title = is_auto(title) ? NULL : strcmp(title, "none") == 0 ? "" : title;
    if (is_auto(size) || !read_size(size, &look.width, &look.height))
        look.width = look.height = 0;
    if (is_auto(font) || !read_font(font, look.font, &look.points)) {
        look.font[0] = '\0';
        look.points = 0;
    }
    return look;
}
