/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Outputs of a run's model for rows of a data set.
 */
#include "run/predict.h"
#include "base/progress.h"

enum {
    PIECE =
        4096 /* rows; a multiple of wlab_model_predict's blocks, so the bits are those of one large piece */
};

wlab_code wlab_state_predict(const wlab_algo *algo, const void *state, const wlab_dataset *data,
                             const int32_t *rows, int64_t n, double *f, wlab_ctx *ctx, wlab_err *err)
{
    int64_t all_rows = rows ? n : data->X->rows;
    int32_t *all = NULL;
    wlab_model *model = NULL;
    wlab_progress progress;
    wlab_code code = algo->model(state, &model, ctx, err);

    if (!code && !rows && !(all = wlab_alloc(PIECE, sizeof *all)))
        code = wlab_nomem(err);
    wlab_progress_begin(&progress, ctx, "rows predicted", all_rows);
    for (int64_t at = 0; !code && at < all_rows; at += PIECE) {
        int64_t m = all_rows - at < PIECE ? all_rows - at : PIECE;
        wlab_matrix *piece = NULL;

        for (int64_t i = 0; all && i < m; i++)
            all[i] = (int32_t)(at + i);
        if (wlab_interrupted(ctx))
            code = wlab_fail(err, WL_EINTERRUPTED, "interrupted after %lld of %lld rows", (long long)at,
                             (long long)all_rows);
        else if (!(code = wlab_matrix_rows(&piece, data->X, all ? all : rows + at, m, err)))
            code = wlab_model_predict(model, piece, f + at * model->outputs, ctx ? ctx->pool : NULL, err);
        wlab_matrix_destroy(piece);
        wlab_progress_add(&progress, m);
    }
    wlab_free(all);
    wlab_model_destroy(model);
    return code;
}
