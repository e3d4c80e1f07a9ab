/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Files of models: each is refused, or gives a model that predicts and that is the same after writing and reading it.
 */
#include "model/model.h"

#include "reader.h"

static wlab_code read_bytes(wlab_model **m, const void *data, size_t size)
{
    wlab_err err = {0};
    char path[64];
    const int fd = fuzz_file(path, data, size);
    const wlab_code code = wlab_model_read(m, path, &err);
    PROMISE(!code == !!*m && (!code || (err.message[0] && !strchr(err.message, '\n'))));
    close(fd);
    return code;
}

static void check_promises(const wlab_model *m)
{
    PROMISE(m->cols >= 0 && m->outputs >= 1 && m->outputs != 2 && m->outputs <= WL_CLASSES_MOST);
    for (int k = 0; k < wlab_model_classes(m); k++)
        PROMISE(m->class_name[k] != NULL);
    PROMISE(m->kernel.kind == WL_K_LINEAR ? m->w != NULL : m->sv && m->coef && m->sv->rows == m->nsv);
    for (int64_t s = 0; m->kernel.kind == WL_K_PRECOMPUTED && s < m->nsv; s++)
        PROMISE(m->sv_row[s] >= 0);
}

static void predict(const wlab_model *m)
{
    double f[2 * WL_CLASSES_MOST];
    wlab_matrix *X = NULL;

    if (m->kernel.kind == WL_K_PRECOMPUTED)
        return; /* its rows refer to a data set */
    PROMISE(!wlab_matrix_create_dense(&X, 2, 3, NULL));
    for (int k = 0; k < 6; k++)
        X->dense[k] = k - 2;
    X->nnz = 5;
    if (wlab_model_predict(m, X, f, NULL, NULL) == WL_OK)
        PROMISE(wlab_model_decide(m, f) < wlab_model_classes(m));
    wlab_matrix_destroy(X);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wlab_model *m = NULL, *back = NULL;
    wlab_buf first = {0}, second = {0};

    if (read_bytes(&m, data, size))
        return 0;
    check_promises(m);
    predict(m);
    if (!wlab_model_write(m, &first, NULL) && !read_bytes(&back, first.data, first.len)) {
        check_promises(back);
        PROMISE(back->outputs == m->outputs && back->kernel.kind == m->kernel.kind && back->nsv == m->nsv);
        PROMISE(!wlab_model_write(back, &second, NULL));
        if (m->outputs == 1) /* more classes: writing rounds the classifiers of pairs */
            PROMISE(first.len == second.len && memcmp(first.data, second.data, first.len) == 0);
        wlab_model_destroy(back);
    }
    wlab_model_destroy(m);
    wlab_buf_clear(&first);
    wlab_buf_clear(&second);
    return 0;
}
