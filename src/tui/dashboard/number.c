/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Numbers as text with few digits.
 */
#include "tui/dashboard/number.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "1.43e-4" */
static void with_power(double value, int digits, char *buf, size_t size)
{
    char e[48];
    snprintf(e, sizeof e, "%.*e", digits - 1, value);
    char *x = strchr(e, 'e');
    const int power = atoi(x + 1);
    *x = '\0';
    snprintf(buf, size, "%se%+d", e, power);
}

char *wlab_number_text(double value, int digits, bool whole, char *buf, size_t size)
{
    double a = fabs(value);

    digits = digits < 1 ? 1 : digits > 17 ? 17 : digits;
    if (isnan(value)) {
        snprintf(buf, size, "-");
    } else if (isinf(value)) {
        snprintf(buf, size, "%sinf", value < 0 ? "-" : "");
    } else if (value == 0) {
        snprintf(buf, size, "0");
    } else if (whole && a < 1e9) {
        snprintf(buf, size, "%.0f", value);
    } else {
        char e[48];
        snprintf(e, sizeof e, "%.*e", digits - 1,
                 value); /* round before the power is chosen: 9.99999 gives 10.000 */
        int power = atoi(strchr(e, 'e') + 1);
        if (power >= -3 && power < (digits > 6 ? digits : 6)) {
            snprintf(buf, size, "%.*f", power < digits ? digits - 1 - power : 0, value);
        } else {
            with_power(value, digits, buf, size);
        }
    }
    return buf;
}

char *wlab_number_fit(double value, int digits, bool whole, int width, char *buf, size_t size)
{
    const int most = digits < 1 ? 1 : digits > 17 ? 17 : digits;

    for (int d = most; d >= 1; d--)
        if ((int)strlen(wlab_number_text(value, d, whole, buf, size)) <= width)
            return buf;
    for (int d = most; d >= 1 && isfinite(value) && value != 0; d--) {
        with_power(value, d, buf, size);
        if ((int)strlen(buf) <= width)
            return buf;
    }
    width = width < 0 ? 0 : width < (int)size ? width : (int)size - 1;
    memset(buf, '#', (size_t)width);
    buf[width] = '\0';
    return buf;
}

int wlab_number_point(const char *text)
{
    return (int)strcspn(text, ".e");
}
