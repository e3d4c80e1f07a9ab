/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Numbers that are legible from a distance: few digits, and columns aligned at their decimal points.
 */
#ifndef TUI_NUMBER_H
#define TUI_NUMBER_H

#include "weaklab/base.h"

/* With `digits` significant digits: "19.0412", "0.00143", "1.43e-4", "2.1e+7"; "-" for NaN; counts (`whole`) in full
 * up to nine digits.  Returns buf. */
char *wlab_number_text(double value, int digits, bool whole, char *buf, size_t size);
/* In at most `width` columns: with as many of the `digits` as fit, and with a power of ten in place of more digits before
 * the point than fit.  The sign, the places before the point and the power are never cut: if not even one digit fits,
 * the field is filled with '#'.  Returns buf. */
char *wlab_number_fit(double value, int digits, bool whole, int width, char *buf, size_t size);
/* The characters before the decimal point (all, if there is none). */
int wlab_number_point(const char *text);

#endif
