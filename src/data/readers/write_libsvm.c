/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Write data sets as LIBSVM text, six digits per value.
 */
#include "data/generators/generate.h"

wlab_code wlab_libsvm_write(const wlab_dataset *data, wlab_buf *out, wlab_err *err)
{
    const wlab_matrix *X = data->X;
    if (X->away)
        return wlab_fail(err, WL_ESTATE, "the rows of %s are on several ranks, where they cannot be written",
                         data->name);
    for (int64_t i = 0; i < X->rows; i++) {
        wlab_code code =
            wlab_buf_printf(out, "%s", data->label[i] < 0 ? "0" : data->class_name[data->label[i]]);
        for (int32_t e = 0; e < X->len[i] && !code; e++) {
            int32_t j = X->sparse ? X->col[X->start[i] + e] : e;
            double x = X->sparse ? (double)X->val[X->start[i] + e] : X->dense[X->start[i] + e];
            if (x < 0 || x > 0)
                code = wlab_buf_printf(out, " %d:%.6g", j + 1, x);
        }
        if (!code)
            code = wlab_buf_printf(out, "\n");
        if (code)
            return wlab_nomem(err);
    }
    return WL_OK;
}
