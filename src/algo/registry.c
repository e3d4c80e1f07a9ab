/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of algorithms that algos.h lists; for the tests with the template.
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
