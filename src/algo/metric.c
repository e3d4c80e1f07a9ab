/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tables of metrics, and the words for verdicts.
 */
#include "weaklab/algo.h"
#include <string.h>

const char *const wlab_verdict_names[] = {"more", "converged", "stalled", "limit", NULL};

int wlab_metric_index(const wlab_algo *algo, const char *name)
{
    for (int i = 0; algo->metrics[i].name; i++)
        if (strcmp(algo->metrics[i].name, name) == 0)
            return i;
    return -1;
}

int wlab_metric_count(const wlab_algo *algo)
{
    int n = 0;

    while (algo->metrics[n].name)
        n++;
    return n;
}
