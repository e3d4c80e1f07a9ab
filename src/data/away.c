/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * (For now: rank 0 reads all, and the rows are spread.)
 */
#include "data/away.h"
#include "linalg/spread.h"

static wlab_code spread(wlab_dataset **whole, wlab_matrix **own, wlab_dataset *made, wlab_code code,
                        wlab_ctx *ctx, wlab_err *err)
{
    wlab_ranks *ranks = ctx ? ctx->ranks : NULL;
    struct {
        int64_t rows, nnz;
        int32_t cols;
        bool sparse;
    } shape = {0};
    wlab_matrix *X = NULL, *away = NULL;
    wlab_spread how;

    *whole = NULL;
    *own = NULL;
    if ((code = wlab_ranks_agree(ranks, code, err)))
        return code;
    if (made) {
        shape.rows = made->X->rows;
        shape.nnz = made->X->nnz;
        shape.cols = made->X->cols;
        shape.sparse = made->X->sparse;
        X = made->X;
    }
    wlab_ranks_broadcast(ranks, &shape, sizeof shape);
    if (!X)
        code = shape.sparse ? wlab_matrix_create_sparse(&X, 0, shape.cols, 0, err)
                            : wlab_matrix_create_dense(&X, 0, shape.cols, err);
    code = wlab_ranks_agree(ranks, code, err);
    if (!code)
        code = wlab_matrix_spread(own, X, ranks, &how, err);
    if (!code && made)
        code = wlab_matrix_away(&away, shape.rows, shape.cols, shape.sparse, shape.nnz, err);
    code = wlab_ranks_agree(ranks, code, err);
    wlab_matrix_destroy(X);
    if (made) {
        made->X = away;
        *whole = made;
    }
    return code;
}

wlab_code wlab_away_load(wlab_dataset **whole, wlab_matrix **own, const char *path, const char *name,
                         const wlab_params *options, wlab_ctx *ctx, wlab_err *err)
{
    wlab_dataset *made = NULL;
    wlab_code code = WL_OK;
    if (!ctx || !ctx->ranks || ctx->ranks->rank == 0)
        code = wlab_dataset_load(&made, path, name, options, ctx, err);
    return spread(whole, own, made, code, ctx, err);
}

wlab_code wlab_away_generate(wlab_dataset **whole, wlab_matrix **own, const wlab_generator *g,
                             const char *name, const wlab_params *params, wlab_ctx *ctx, wlab_err *err)
{
    wlab_dataset *made = NULL;
    wlab_code code = WL_OK;
    if (!ctx || !ctx->ranks || ctx->ranks->rank == 0)
        code = wlab_dataset_generate(&made, g, name, params, ctx, err);
    return spread(whole, own, made, code, ctx, err);
}
