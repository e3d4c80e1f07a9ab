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
