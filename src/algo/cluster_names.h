/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names of clusters, for algorithms with restarts.  Clusters have no names of their own, so when another restart is shown
 * its clusters may be named such that the fewest labels change.
 */
#ifndef ALGO_CLUSTER_NAMES_H
#define ALGO_CLUSTER_NAMES_H

#include "weaklab/task.h"

extern const char *const wlab_cluster_names[];
#define WLAB_CLUSTER_NAMES_PARAM                                                                             \
    {                                                                                                        \
        "names", WL_P_CHOICE, "matched", 0, 0, wlab_cluster_names, NULL,                                     \
            "task cluster: names of the clusters when another restart is shown; matched: those with which "  \
            "the fewest labels change; drawn: those that the restart began with, as in older recordings",    \
            0                                                                                                \
    }
/* Whether the task is cluster and names=matched. */
bool wlab_cluster_names_matched(const wlab_problem *, const wlab_params *);
/* name [classes]: the class index for each cluster with which the most instances keep the label `shown` [n];
 * cluster [n]: the cluster of each instance.  WL_ENOMEM. */
wlab_code wlab_cluster_names_match(const wlab_problem *, const int32_t *cluster, const int8_t *shown,
                                   int *name, wlab_err *);
/* wlab_algo.older: until format 3 clusters kept the names of their restart. */
wlab_code wlab_cluster_names_older(const wlab_problem *, int format, wlab_params *given, wlab_err *);

#endif
