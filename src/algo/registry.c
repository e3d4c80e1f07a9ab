/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of the algorithms that algos.h lists; in the tests it also has the template.
 */
#include "algo/algos.h"

/* clang-format off */
#define LISTED(name) &wlab_algo_##name,
const wlab_algo *const wlab_algos[] = {
    WLAB_ALGOS(LISTED)
#ifdef WLAB_TEMPLATE /* for the tests over this table */
    &wlab_algo_template,
#endif
    NULL,
};
/* clang-format on */

const char *const wlab_idea_names[WL_IDEAS] = {[WL_IDEA_NONE] = "",
                                               [WL_IDEA_LABELLED] = "labelled rows only: the baselines",
                                               [WL_IDEA_RELAXATION] =
                                                   "a convex relaxation with certified bounds",
                                               [WL_IDEA_EXACT] = "all labelings, by branch and bound",
                                               [WL_IDEA_IN_TURN] = "labels and classifier in turn",
                                               [WL_IDEA_DESCENT] = "descent on an objective without labels",
                                               [WL_IDEA_BAG_MEANS] = "the means of bags",
                                               [WL_IDEA_GRAPH] = "a graph of neighbours"};
