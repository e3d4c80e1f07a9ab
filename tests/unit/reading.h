/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the tests of readers share: loading a text given in the test, and checks of the result.
 */
#ifndef WEAKLAB_TESTS_READING_H
#define WEAKLAB_TESTS_READING_H

#include "support.h"

#include "weaklab/dataset.h"

static wlab_err err;

/* "key=value key=value" (values without blanks) as parameters of load. */
static inline wlab_params *reading_options(const char *text)
{
    wlab_params *p = NULL;
    char copy[1024], *save = NULL;

    ASSERT_OK(wlab_params_create(&p, wlab_load_params, &err), err);
    snprintf(copy, sizeof copy, "%s", text ? text : "");
    for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        char *eq = strchr(word, '=');
        *eq = 0;
        ASSERT_OK(wlab_params_set(p, word, eq + 1, &err), err);
    }
    return p;
}

static inline wlab_code reading_load_bytes(wlab_dataset **ds, const void *data, size_t len,
                                           const char *suffix, const char *options, wlab_ctx *ctx)
{
    wlab_params *p = reading_options(options);
    char path[256];
    wlab_code code;

    support_temp_file(path, suffix, data, len);
    memset(&err, 0, sizeof err);
    code = wlab_dataset_load(ds, path, NULL, p, ctx, &err);
    if (err.file[0] && strcmp(err.file, path) != 0)
        fail_msg("the error names '%s'", err.file);
    unlink(path);
    wlab_params_destroy(p);
    return code;
}

/* The text must load. */
static inline wlab_dataset *reading_load(const char *text, const char *suffix, const char *options)
{
    wlab_dataset *ds = NULL;

    ASSERT_OK(reading_load_bytes(&ds, text, strlen(text), suffix, options, NULL), err);
    return ds;
}

/* The text must be refused at this place (0:0: without a place) with a message that contains `part`. */
static inline void reading_fails(const char *text, const char *suffix, const char *options, long line,
                                 long column, const char *part)
{
    wlab_dataset *ds = NULL;
    const wlab_code code = reading_load_bytes(&ds, text, strlen(text), suffix, options, NULL);

    assert_null(ds);
    if ((code != WL_EINPUT && code != WL_EARG && code != WL_ENUMERIC) || err.line != line ||
        err.column != column || !strstr(err.message, part))
        fail_msg("\"%.60s\" gave code %d, %ld:%ld: %s; expected %ld:%ld: ...%s...", text, (int)code, err.line,
                 err.column, err.message, line, column, part);
    if (code == WL_EINPUT)
        assert_true(err.file[0]);
}

/* The matrix has these rows * cols numbers (rounded to single precision if it is sparse).  It is sparse exactly if
 * fewer than half of them differ from 0. */
static inline void reading_is(const wlab_dataset *ds, int64_t rows, int32_t cols, const double *x)
{
    int64_t nnz = 0;

    assert_int_equal(ds->X->rows, rows);
    assert_int_equal(ds->X->cols, cols);
    for (int64_t i = 0; i < rows; i++)
        for (int32_t c = 0; c < cols; c++) {
            const double v = wlab_matrix_at(ds->X, i, c), expected = x[i * cols + c];
            nnz += expected != 0.0;
            if (v != (ds->X->sparse ? (double)(float)expected : expected))
                fail_msg("row %d, column %d is %.17g instead of %.17g", (int)i + 1, (int)c + 1, v, expected);
        }
    assert_int_equal(ds->X->nnz, nnz);
    assert_true(ds->X->sparse == ((double)nnz * 2 < (double)rows * cols));
}

/* The data have these class names, joined by blanks, and the rows these classes. */
static inline void reading_classes(const wlab_dataset *ds, const char *names, const int32_t *label)
{
    char text[512] = "";

    for (int c = 0; c < ds->classes; c++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", c ? " " : "", ds->class_name[c]);
    assert_string_equal(text, names);
    for (int64_t i = 0; i < ds->X->rows; i++)
        if (ds->label[i] != label[i])
            fail_msg("row %d is of class %d instead of %d", (int)i + 1, (int)ds->label[i], (int)label[i]);
}

static inline void reading_remark(const wlab_dataset *ds, const char *part)
{
    if (!part ? ds->remark != NULL : !ds->remark || !strstr(ds->remark, part))
        fail_msg("the remark is \"%s\" and not \"...%s...\"", ds->remark ? ds->remark : "(none)",
                 part ? part : "");
}

/* Two data sets have the same matrix, the same labels and the same number of classes; each class has the same name or
 * the same value in both.  Nothing else is compared. */
static inline void reading_equal(const wlab_dataset *a, const wlab_dataset *b)
{
    assert_int_equal(a->X->rows, b->X->rows);
    assert_int_equal(a->X->cols, b->X->cols);
    assert_true(a->X->sparse == b->X->sparse);
    assert_int_equal(a->X->nnz, b->X->nnz);
    for (int64_t i = 0; i < a->X->rows; i++) {
        const int64_t s = a->X->start[i], t = b->X->start[i];
        const size_t n = (size_t)a->X->len[i];

        assert_int_equal(a->X->len[i], b->X->len[i]);
        if (!a->X->sparse) {
            assert_memory_equal(a->X->dense + s, b->X->dense + t, n * sizeof(double));
        } else if (n) {
            assert_memory_equal(a->X->val + s, b->X->val + t, n * sizeof(float));
            assert_memory_equal(a->X->col + s, b->X->col + t, n * sizeof(int32_t));
        }
    }
    assert_int_equal(a->classes, b->classes);
    for (int c = 0; c < a->classes; c++)
        assert_true(strcmp(a->class_name[c], b->class_name[c]) == 0 ||
                    a->class_value[c] == b->class_value[c]);
    assert_memory_equal(a->label, b->label, (size_t)a->X->rows * sizeof *a->label);
}

#endif
