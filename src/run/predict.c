/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Outputs of a run's model for rows of a data set.
 */
#include "run/predict.h"
#include "base/progress.h"
#include "model/model.h"

enum {
    PIECE =
        4096 /* rows; a multiple of wlab_model_predict's blocks, so the bits are those of one large piece */
};

/* f of rows[0 .. n-1] of data; NULL: of all. */
static wlab_code predict_rows(const wlab_model *model, const wlab_dataset *data, const int32_t *rows,
                              int64_t n, double *f, wlab_ctx *ctx, wlab_err *err)
{
    int64_t all_rows = rows ? n : data->X->rows;
    int32_t *all = NULL;
    wlab_progress progress;
    wlab_ctx quiet = wlab_quiet(ctx);
    wlab_code code = WL_OK;

    if (!rows && !(all = wlab_alloc(PIECE, sizeof *all)))
        code = wlab_nomem(err);
    wlab_progress_begin(&progress, ctx, "rows predicted", all_rows);
    for (int64_t at = 0; !code && at < all_rows; at += PIECE) {
        int64_t m = all_rows - at < PIECE ? all_rows - at : PIECE;
        wlab_matrix *piece = NULL;

        for (int64_t i = 0; all && i < m; i++)
            all[i] = (int32_t)(at + i);
        const int32_t *these = all ? all : rows + at;
        if (wlab_interrupted(ctx))
            code = wlab_fail(err, WL_EINTERRUPTED, "interrupted after %lld of %lld rows", (long long)at,
                             (long long)all_rows);
        else if (!(code = wlab_matrix_rows(&piece, data->X, these, m, err)))
            code = wlab_model_predict_rows_progress(model, piece, data, these, f + at * model->outputs,
                                                    &quiet, err);
        wlab_matrix_destroy(piece);
        wlab_progress_add(&progress, m);
    }
    wlab_free(all);
    return code;
}

wlab_code wlab_state_predict(const wlab_algo *algo, const void *state, const wlab_dataset *data,
                             const int32_t *rows, int64_t n, double *f, wlab_ctx *ctx, wlab_err *err)
{
    wlab_model *model = NULL;
    wlab_code code = algo->model(state, &model, ctx, err);

    code = code ? code : predict_rows(model, data, rows, n, f, ctx, err);
    wlab_model_destroy(model);
    return code;
}

wlab_code wlab_predicted_bags(wlab_bag_outputs *o, const wlab_model *model, wlab_bag_rule rule,
                              const wlab_dataset *data, const int32_t *rows, int64_t n, const int32_t *bag,
                              int64_t bags, const double *f, wlab_pool *pool, wlab_err *err)
{
    wlab_matrix *part = NULL;
    double *whole = NULL;
    wlab_code code = WL_OK;

    if (model->bagged) {
        whole = wlab_calloc((size_t)bags, sizeof *whole);
        code = !whole ? wlab_nomem(err) : rows ? wlab_matrix_rows(&part, data->X, rows, n, err) : WL_OK;
        code = code ? code
                    : wlab_model_predict_bags(model, part ? part : data->X, data, rows, bag, bags, whole,
                                              pool, err);
    }
    code = code ? code : wlab_bag_outputs_make(o, rule, f, whole, bag, n, bags, err);
    wlab_matrix_destroy(part);
    wlab_free(whole);
    return code;
}

wlab_code wlab_state_predict_bags(const wlab_algo *algo, const void *state, const wlab_dataset *data,
                                  const int32_t *rows, int64_t n, const int32_t *bag, int64_t bags, double *f,
                                  wlab_bag_outputs *o, wlab_ctx *ctx, wlab_err *err)
{
    wlab_model *model = NULL;
    wlab_code code = algo->model(state, &model, ctx, err);

    wlab_bag_outputs_clear(o);
    code = code ? code : predict_rows(model, data, rows, n, f, ctx, err);
    code = code ? code
                : wlab_predicted_bags(o, model, algo->bag_rule, data, rows, n, bag, bags, f,
                                      ctx ? ctx->pool : NULL, err);
    wlab_model_destroy(model);
    return code;
}
