/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * export data: the rows of the current data set as a table that `load` and other programs read.
 */
#include "session/commands/export.h"
#include <stdio.h>

/* A table has a cell for each zero: this many cells are some gigabytes. */
#define CELLS_MOST 1e8

static wlab_code write_head(const wlab_dataset *d, wlab_buf *out)
{
    wlab_code code = WL_OK;

    for (int32_t j = 0; j < d->X->cols && !code; j++) {
        code = j ? wlab_buf_printf(out, ",") : WL_OK;
        if (!code)
            code = d->feature_name ? wlab_export_csv_text(out, d->feature_name[j])
                                   : wlab_buf_printf(out, "x%ld", (long)j + 1);
    }
    code = code || !d->bag ? code : wlab_buf_printf(out, ",bag");
    code = code || !d->classes ? code : wlab_buf_printf(out, ",class");
    return code ? code : wlab_buf_printf(out, "\n");
}

static wlab_code write_data_row(const wlab_dataset *d, int64_t i, wlab_buf *out)
{
    char number[32];
    wlab_code code = WL_OK;

    for (int32_t j = 0; j < d->X->cols && !code; j++)
        code = wlab_buf_printf(out, "%s%s", j ? "," : "", wlab_real_text(wlab_matrix_at(d->X, i, j), number));
    if (!code && d->bag && d->bag_name) {
        code = wlab_buf_printf(out, ",");
        code = code ? code : wlab_export_csv_text(out, d->bag_name[d->bag[i]]);
    } else if (!code && d->bag) {
        code = wlab_buf_printf(out, ",%ld", (long)d->bag[i] + 1);
    }
    if (!code && d->classes) {
        code = wlab_buf_printf(out, ",");
        if (!code && d->label[i] >= 0)
            code = wlab_export_csv_text(out, d->class_name[d->label[i]]);
    }
    return code ? code : wlab_buf_printf(out, "\n");
}

wlab_code wlab_export_data(const wlab_dataset *d, wlab_buf *out, wlab_err *err)
{
    if ((double)d->X->rows * (double)d->X->cols > CELLS_MOST)
        return wlab_fail(err, WL_EARG, "%s has %lld x %ld cells, too many for a table", d->name,
                         (long long)d->X->rows, (long)d->X->cols);
    wlab_code code = write_head(d, out);
    for (int64_t i = 0; i < d->X->rows && !code; i++)
        code = write_data_row(d, i, out);
    return code ? wlab_nomem(err) : WL_OK;
}
