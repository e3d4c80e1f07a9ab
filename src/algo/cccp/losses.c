/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The loss of an unlabelled row and its convex majorisers (cccp.h).
 */
#include "algo/cccp/cccp.h"

#include <math.h>

double cccp_hinge(const cccp_hat *hat, double margin)
{
    const double slack = margin < 1 ? 1 - margin : 0;
    return hat->squared ? slack * slack : slack;
}

double cccp_loss(const cccp_hat *hat, double o)
{
    const double top = 1 + hat->s;
    return fmin(cccp_hinge(hat, fabs(o)), hat->squared ? top * top : top);
}

int cccp_side(const cccp_hat *hat, double o)
{
    return o > -hat->s ? 1 : o < hat->s ? -1 : 0;
}

/* G(|o|) */
static double concave_part(const cccp_hat *hat, double o)
{
    const double m = fabs(o), s = hat->s;

    if (!hat->squared)
        return 1 - s + fmax(0, s + m);
    return m >= -s ? (1 + m) * (1 + m) : 2 + 2 * m * m - (1 + s) * (1 + s);
}

double cccp_slope(const cccp_hat *hat, double at)
{
    const int side = cccp_side(hat, at);

    if (!hat->squared)
        return side;
    return side ? 2 * (side + at) : 4 * at;
}

double cccp_majoriser(const cccp_hat *hat, double at, double o)
{
    return cccp_hinge(hat, o) + cccp_hinge(hat, -o) - concave_part(hat, at) - cccp_slope(hat, at) * (o - at);
}

static cccp_hat hat_of(const wlab_params *params)
{
    return (cccp_hat){.squared = wlab_params_choice(params, "loss") == 1, .s = wlab_params_real(params, "s")};
}

double cccp_row_loss(const wlab_params *params, double T, double weight, double o, double *full)
{
    const cccp_hat hat = hat_of(params);

    (void)T;
    (void)weight;
    *full = 1;
    return cccp_loss(&hat, o);
}

/* The tangent at the middle of a side of the hat. */
double cccp_row_majoriser(const wlab_params *params, int side, double o, double *at)
{
    const cccp_hat hat = hat_of(params);

    *at = side * (1 - hat.s) / 2;
    return cccp_majoriser(&hat, *at, o);
}
