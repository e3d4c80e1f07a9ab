/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algo/restarts.h"

static bool near(const int8_t *a, const int8_t *b, int64_t n, int64_t most, int sign)
{
    int64_t differ = 0;
    for (int64_t i = 0; i < n && differ <= most; i++)
        differ += a[i] != sign * b[i];
    return differ <= most;
}

bool wlab_labels_nearly_equal(const int8_t *a, const int8_t *b, int64_t n, int64_t most)
{
    return near(a, b, n, most, 1);
}

bool wlab_labels_nearly_opposite(const int8_t *a, const int8_t *b, int64_t n, int64_t most)
{
    return near(a, b, n, most, -1);
}

int64_t wlab_restarts_merge(const wlab_restart *r, int64_t restarts, int64_t n, int64_t most, bool opposite)
{
    int64_t left = 0;
    for (int64_t k = 1; k < restarts; k++)
        for (int64_t j = 0; j < k && *r[k].same_as < 0; j++) {
            if (*r[j].same_as >= 0 || !(wlab_labels_nearly_equal(r[j].y, r[k].y, n, most) ||
                                        (opposite && wlab_labels_nearly_opposite(r[j].y, r[k].y, n, most))))
                continue;
            const bool earlier = r[j].objective <= r[k].objective;
            *r[earlier ? k : j].same_as = earlier ? j : k;
            *r[earlier ? k : j].moving = false;
        }
    for (int64_t k = 0; k < restarts; k++)
        left += *r[k].same_as < 0;
    return left;
}
