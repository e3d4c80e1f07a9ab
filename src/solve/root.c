/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The root of a rising piecewise linear function.  Newton's method jumps from piece to piece, which needs no sorting
 * of the breakpoints: it visits three to six pieces, while a walk along sorted breakpoints visits thousands.
 */
#include "solve/root.h"

#include <math.h>

enum {
    MOST_PIECES = 100
};

double wlab_rising_root(wlab_slope *slope, void *data)
{
    double lo = 0, hi = INFINITY, t = 1, curve;

    for (int k = 0; k < MOST_PIECES; k++) {
        const double at = slope(data, t, &curve);

        if (at < 0)
            lo = t;
        else
            hi = t;
        if (at == 0 || !(curve > 0))
            break;
        double to = t - at / curve;
        /* on the piece with the root, Newton's step lands on the root, so the next one is 0 up to rounding */
        if (fabs(to - t) <= 1e-14 * fabs(t))
            break;
        if (!(to > lo && to < hi))
            to = isinf(hi) ? 2 * t : 0.5 * (lo + hi);
        if (to == t)
            break;
        t = to;
    }
    return t;
}
