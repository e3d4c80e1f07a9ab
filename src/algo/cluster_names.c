/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names of clusters when another restart is shown.
 */
#include "algo/cluster_names.h"
#include "score/matching.h"

const char *const wlab_cluster_names[] = {"matched", "drawn", NULL};

bool wlab_cluster_names_matched(const wlab_problem *p, const wlab_params *given)
{
    return p->task->clusters && wlab_params_choice(given, "names") == 0;
}

wlab_code wlab_cluster_names_match(const wlab_problem *p, const int32_t *cluster, const int8_t *shown,
                                   int *name, wlab_err *err)
{
    int64_t common[WL_CLASSES_MOST * WL_CLASSES_MOST] = {0};

    for (int64_t i = 0; i < p->n; i++) {
        const int now = wlab_label_index(p, shown[i]);
        if (now >= 0)
            common[cluster[i] * p->classes + now]++;
    }
    return wlab_matching(common, p->classes, p->classes, name, err);
}

wlab_code wlab_cluster_names_older(const wlab_problem *p, int format, wlab_params *given, wlab_err *err)
{
    return format > 3 || !p->task->clusters || wlab_params_given(given, "names")
               ? WL_OK
               : wlab_params_set(given, "names", "drawn", err);
}
