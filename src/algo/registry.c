/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of algorithms: a line each, in the order of help.
 */
#include "algo/algos.h"

/* clang-format off */
const wlab_algo *const wlab_algos[] = {
    &wlab_algo_svm,
    &wlab_algo_wellsvm,
    &wlab_algo_mfn,
    &wlab_algo_tsvm,
    &wlab_algo_mfa,
    &wlab_algo_bb,
    &wlab_algo_conv,
    &wlab_algo_invcal,
    &wlab_algo_meanmap,
    &wlab_algo_alter,
    &wlab_algo_sdp,
    &wlab_algo_softmax_em,
    &wlab_algo_kmeans,
#ifdef WLAB_TEMPLATE /* for the tests over this table */
    &wlab_algo_template,
#endif
    NULL,
};
/* clang-format on */
