/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * MAT-files that the test writes with matio: types, shapes, sparse matrices, structs, splits, damage.
 */
#include "reading.h"

#include <matio.h>

static char path[256];

static mat_t *create_mat(void)
{
    mat_t *mat;

    support_temp_file(path, ".mat", "", 0);
    mat = Mat_CreateVer(path, NULL, MAT_FT_MAT5);
    assert_non_null(mat);
    return mat;
}

static matvar_t *matrix(const char *name, size_t rows, size_t cols, enum matio_classes class,
                        enum matio_types type, const void *data)
{
    size_t dims[2] = {rows, cols};
    matvar_t *v = Mat_VarCreate(name, class, type, 2, dims, (void *)(uintptr_t)data, 0);

    assert_non_null(v);
    return v;
}

static void write_matrix(mat_t *mat, const char *name, size_t rows, size_t cols, const double *x)
{
    matvar_t *v = matrix(name, rows, cols, MAT_C_DOUBLE, MAT_T_DOUBLE, x);

    assert_int_equal(Mat_VarWrite(mat, v, MAT_COMPRESSION_ZLIB), 0);
    Mat_VarFree(v);
}

static wlab_dataset *load(mat_t *mat, const char *options)
{
    wlab_dataset *ds = NULL;
    wlab_params *p = reading_options(options);

    Mat_Close(mat);
    ASSERT_OK(wlab_dataset_load(&ds, path, NULL, p, NULL, &err), err);
    wlab_params_destroy(p);
    unlink(path);
    return ds;
}

static void assert_refused(mat_t *mat, const char *options, const char *part)
{
    wlab_dataset *ds = NULL;
    wlab_params *p = reading_options(options);
    wlab_code code;

    Mat_Close(mat);
    memset(&err, 0, sizeof err);
    code = wlab_dataset_load(&ds, path, NULL, p, NULL, &err);
    if ((code != WL_EINPUT && code != WL_EARG) || !strstr(err.message, part))
        fail_msg("code %d: %s; expected ...%s...", (int)code, err.message, part);
    assert_null(ds);
    wlab_params_destroy(p);
    unlink(path);
}

/* column-major: rows (1 0 2), (0 4 0) */
static const double X[] = {1, 0, 0, 4, 2, 0}, y[] = {1, -1}, y3[] = {3, 1, 2};
static const double rows[] = {1, 0, 2, 0, 4, 0};

static void full_and_sparse(void **state)
{
    static const int32_t label[] = {1, 0};
    static double values[] = {1, 4, 2};
    static mat_uint32_t ir[] = {0, 1, 0}, jc[] = {0, 1, 2, 3};
    mat_sparse_t s = {.nzmax = 3, .ir = ir, .nir = 3, .jc = jc, .njc = 4, .ndata = 3, .data = values};
    mat_t *mat = create_mat();
    matvar_t *v;
    wlab_dataset *a, *b;

    (void)state;
    write_matrix(mat, "idx", 1, 2, y);
    write_matrix(mat, "y", 2, 1, y);
    write_matrix(mat, "X", 2, 3, X);
    a = load(mat, NULL);
    reading_is(a, 2, 3, rows);
    reading_classes(a, "-1 1", label);
    mat = create_mat();
    write_matrix(mat, "target", 1, 2, y);
    v = matrix("fea", 2, 3, MAT_C_SPARSE, MAT_T_DOUBLE, &s);
    assert_int_equal(Mat_VarWrite(mat, v, MAT_COMPRESSION_NONE), 0);
    Mat_VarFree(v);
    b = load(mat, NULL);
    reading_equal(a, b);
    wlab_dataset_unref(b);
    mat = create_mat();
    write_matrix(mat, "y", 3, 1, y3);
    v = matrix("X", 2, 3, MAT_C_SPARSE, MAT_T_DOUBLE, &s);
    assert_int_equal(Mat_VarWrite(mat, v, MAT_COMPRESSION_NONE), 0);
    Mat_VarFree(v);
    b = load(mat, NULL); /* columns are the examples */
    reading_is(b, 3, 2, (double[]){1, 0, 0, 4, 2, 0});
    reading_remark(b, "rows of the matrix are features");
    wlab_dataset_unref(b);
    wlab_dataset_unref(a);
}

static void types_and_shapes(void **state)
{
    static const float single[] = {1, 0, 0, 4, 2, 0};
    static const uint8_t small[] = {1, 0, 0, 4, 2, 0};
    static const int8_t ys[] = {1, -1};
    static const int32_t label[] = {1, 0}, label3[] = {2, 0, 1};
    mat_t *mat = create_mat();
    matvar_t *v;
    wlab_dataset *ds;

    (void)state;
    v = matrix("data", 2, 3, MAT_C_SINGLE, MAT_T_SINGLE, single);
    Mat_VarWrite(mat, v, MAT_COMPRESSION_NONE);
    Mat_VarFree(v);
    v = matrix("Y", 2, 1, MAT_C_INT8, MAT_T_INT8, ys);
    Mat_VarWrite(mat, v, MAT_COMPRESSION_NONE);
    Mat_VarFree(v);
    ds = load(mat, NULL);
    reading_is(ds, 2, 3, rows);
    reading_classes(ds, "-1 1", label);
    wlab_dataset_unref(ds);
    mat = create_mat();
    v = matrix("X", 2, 3, MAT_C_UINT8, MAT_T_UINT8, small);
    Mat_VarWrite(mat, v, MAT_COMPRESSION_ZLIB);
    Mat_VarFree(v);
    write_matrix(mat, "y", 3, 1, y3);
    ds = load(mat, NULL); /* 2 features of 3 examples */
    reading_is(ds, 3, 2, X);
    reading_classes(ds, "1 2 3", label3);
    wlab_dataset_unref(ds);
    mat = create_mat();
    write_matrix(mat, "X", 2, 3, X);
    write_matrix(mat, "mine", 2, 1, y);
    ds = load(mat, "label=mine");
    reading_classes(ds, "-1 1", label);
    wlab_dataset_unref(ds);
    mat = create_mat();
    write_matrix(mat, "X", 2, 3, X);
    ds = load(mat, "label=none");
    assert_int_equal(ds->classes, 0);
    wlab_dataset_unref(ds);
    { /* NaN: a missing value, a row without a class */
        static const double holes[] = {1, NAN, 3, 5, 6, 7}, some[] = {1, NAN, 2};

        mat = create_mat();
        write_matrix(mat, "X", 3, 2, holes);
        write_matrix(mat, "y", 3, 1, some);
        ds = load(mat, NULL);
        reading_is(ds, 3, 2, (double[]){1, 5, 2, 6, 3, 7});
        reading_classes(ds, "1 2", (int32_t[]){0, -1, 1});
        reading_remark(ds, "1 missing value in 1 row");
        wlab_dataset_unref(ds);
    }
}

static matvar_t *structure(const char *name, const char *const *fields, unsigned n, matvar_t **values)
{
    size_t dims[2] = {1, 1};
    matvar_t *s = Mat_VarCreateStruct(name, 2, dims, (const char **)(uintptr_t)fields, n);

    assert_non_null(s);
    for (unsigned i = 0; i < n; i++)
        Mat_VarSetStructFieldByName(s, fields[i], 0, values[i]);
    return s;
}

static void structs(void **state)
{
    static const double x4[] = {1, 2, 3, 4}, train[] = {4, 1}, test[] = {2, 3}, ytrain[] = {1, -1},
                        ytest[] = {-1, 1};
    static const char *const inside[] = {"fea", "label"};
    static const char *const split[] = {"train_data_idx", "train_label", "test_data_idx", "test_label"};
    matvar_t *values[4], *s;
    mat_t *mat = create_mat();
    wlab_dataset *ds;

    (void)state;
    values[0] = matrix(NULL, 2, 3, MAT_C_DOUBLE, MAT_T_DOUBLE, X);
    values[1] = matrix(NULL, 2, 1, MAT_C_DOUBLE, MAT_T_DOUBLE, y);
    s = structure("all", inside, 2, values);
    Mat_VarWrite(mat, s, MAT_COMPRESSION_ZLIB);
    Mat_VarFree(s);
    ds = load(mat, NULL);
    reading_is(ds, 2, 3, rows);
    reading_classes(ds, "-1 1", (int32_t[]){1, 0});
    wlab_dataset_unref(ds);
    mat = create_mat();
    write_matrix(mat, "data", 4, 1, x4);
    values[0] = matrix(NULL, 1, 2, MAT_C_DOUBLE, MAT_T_DOUBLE, train);
    values[1] = matrix(NULL, 2, 1, MAT_C_DOUBLE, MAT_T_DOUBLE, ytrain);
    values[2] = matrix(NULL, 1, 2, MAT_C_DOUBLE, MAT_T_DOUBLE, test);
    values[3] = matrix(NULL, 2, 1, MAT_C_DOUBLE, MAT_T_DOUBLE, ytest);
    s = structure("split", split, 4, values);
    Mat_VarWrite(mat, s, MAT_COMPRESSION_NONE);
    Mat_VarFree(s);
    ds = load(mat, NULL);
    reading_is(ds, 4, 1, x4);
    reading_classes(ds, "-1 1", (int32_t[]){0, 0, 1, 1});
    reading_remark(ds, "train_label and test_label");
    wlab_dataset_unref(ds);
}

static void missing_variables(void **state)
{
    static const double inf[] = {1, INFINITY, 0, 4, 2, 0}, two[] = {1, -1, 1, -1, 1, -1};
    mat_t *mat = create_mat();

    (void)state;
    write_matrix(mat, "X", 2, 3, X);
    assert_refused(mat, NULL, "no variable with labels (y, label, target, ...) among X 2x3");
    mat = create_mat();
    write_matrix(mat, "bag", 2, 1, y);
    assert_refused(mat, NULL, "no variable with features (X, data, fea) among bag 2x1");
    mat = create_mat();
    write_matrix(mat, "X", 2, 3, X);
    write_matrix(mat, "y", 4, 1, X);
    assert_refused(mat, NULL, "4 labels do not fit features of 2 x 3");
    mat = create_mat();
    write_matrix(mat, "X", 2, 3, X);
    write_matrix(mat, "y", 2, 3, two);
    assert_refused(mat, NULL, "labels are a matrix of 2 x 3");
    mat = create_mat();
    write_matrix(mat, "X", 2, 3, inf);
    write_matrix(mat, "y", 2, 1, y);
    assert_refused(mat, NULL, "row 2, column 1 of the features is not finite");
    mat = create_mat();
    write_matrix(mat, "X", 2, 3, X);
    assert_refused(mat, "label=z", "no such variable; it has X 2x3");
    mat = create_mat();
    assert_refused(mat, NULL, "no variables, or is damaged");
}

/* Names of variables may be very long: an error lists the beginning of each. */
static void long_names(void **state)
{
    static const size_t lengths[] = {30, 500, 4000, 9000000};
    static const char *const inside[] = {"bag", "number", "other"};

    (void)state;
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        const size_t n = lengths[k];
        char *name = malloc(n + 1);
        mat_t *mat = create_mat();
        matvar_t *values[3], *s;

        assert_non_null(name);
        memset(name, 'n', n);
        name[n] = 0;
        for (int i = 0; i < 3; i++)
            values[i] = matrix(NULL, 2, 1, MAT_C_DOUBLE, MAT_T_DOUBLE, y);
        s = structure(name, inside, 3, values);
        assert_int_equal(Mat_VarWrite(mat, s, MAT_COMPRESSION_NONE), 0);
        Mat_VarFree(s);
        assert_refused(mat, NULL, "among nnnnnnnnnnnnnnnnnnnnnnnnnnnnnn");
        assert_non_null(strstr(err.message, "n.bag 2x1"));
        free(name);
    }
}

static void split_rows(void **state)
{
    static const double labs[] = {1, 10, 5, 50}; /* two splits: (1 5), (10 50) */
    static const double odd[] = {1.5, 10};
    static const char text[] = "3 1 2\r\n\n# a comment\n7,8\n";
    mat_t *mat = create_mat();
    int32_t *r = NULL;
    int64_t n = 0;

    (void)state;
    write_matrix(mat, "idxLabs", 2, 2, labs);
    Mat_Close(mat);
    ASSERT_OK(wlab_split_file_read(path, 2, &r, &n, &err), err);
    assert_int_equal(n, 2);
    assert_true(r[0] == 9 && r[1] == 49);
    wlab_free(r);
    ASSERT_FAILS(wlab_split_file_read(path, 3, &r, &n, &err), WL_EARG, err, "2 splits");
    ASSERT_FAILS(wlab_split_file_read(path, 0, &r, &n, &err), WL_EARG, err, "from 1");
    ALLOC_SWEEP_OUT(wlab_split_file_read(path, 1, &r, &n, &err), r);
    wlab_free(r);
    unlink(path);
    mat = create_mat();
    write_matrix(mat, "idxLabs", 1, 2, odd);
    Mat_Close(mat);
    ASSERT_FAILS(wlab_split_file_read(path, 1, &r, &n, &err), WL_EINPUT, err, "not a row number");
    unlink(path);
    support_temp_file(path, ".txt", text, strlen(text));
    ASSERT_OK(wlab_split_file_read(path, 2, &r, &n, &err), err);
    assert_true(n == 2 && r[0] == 6 && r[1] == 7);
    wlab_free(r);
    ASSERT_FAILS(wlab_split_file_read(path, 3, &r, &n, &err), WL_EARG, err, "2 splits");
    ALLOC_SWEEP_OUT(wlab_split_file_read(path, 1, &r, &n, &err), r);
    wlab_free(r);
    unlink(path);
    for (int k = 0; k < 5; k++) {
        static const char *const bad[] = {"1 2\n3 x\n", "1 2\n3 0\n", "1 2\n3 2.5\n", "1 2\n3 -1\n",
                                          "1 2\n3 3\n"};

        support_temp_file(path, ".txt", bad[k], strlen(bad[k]));
        ASSERT_FAILS(wlab_split_file_read(path, 2, &r, &n, &err), WL_EINPUT, err,
                     k < 4 ? "row number" : "twice");
        assert_int_equal(err.line, 2);
        assert_int_equal(err.column, k < 4 ? 3 : 0);
        assert_null(r);
        unlink(path);
    }
}

/* Every truncation of a small file is refused, except perhaps within its last 60 bytes.  So is another version. */
static void damage(void **state)
{
    mat_t *mat = create_mat();
    static double values[] = {1, 4, 2};
    static mat_uint32_t ir[] = {0, 1, 0}, jc[] = {0, 1, 2, 3};
    mat_sparse_t s = {.nzmax = 3, .ir = ir, .nir = 3, .jc = jc, .njc = 4, .ndata = 3, .data = values};
    unsigned char bytes[4096];
    wlab_dataset *ds = NULL;
    matvar_t *v;
    FILE *f;
    size_t n;
    int refused = 0;

    (void)state;
    write_matrix(mat, "y", 2, 1, y);
    v = matrix("X", 2, 3, MAT_C_SPARSE, MAT_T_DOUBLE, &s);
    Mat_VarWrite(mat, v, MAT_COMPRESSION_NONE);
    Mat_VarFree(v);
    Mat_Close(mat);
    f = fopen(path, "rb");
    n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    unlink(path);
    for (size_t cut = 1; cut < n; cut++) {
        refused += reading_load_bytes(&ds, bytes, cut, ".mat", NULL, NULL) != WL_OK;
        wlab_dataset_unref(ds);
    }
    assert_true(refused > (int)n - 60); /* some of the last bytes are padding */
    bytes[125] = 2;                     /* the version, 0x0200 */
    assert_int_equal(reading_load_bytes(&ds, bytes, n, ".mat", NULL, NULL), WL_EINPUT);
    assert_non_null(strstr(err.message, "save -v7"));
}

static void allocations_may_fail(void **state)
{
    static const double holes[] = {1, NAN, 3, 5, 6, 7};
    mat_t *mat = create_mat();
    wlab_dataset *ds = NULL;

    (void)state;
    write_matrix(mat, "X", 3, 2, holes);
    write_matrix(mat, "y", 3, 1, y3);
    Mat_Close(mat);
    ALLOC_SWEEP_OUT(wlab_dataset_load(&ds, path, NULL, NULL, NULL, &err), ds);
    wlab_dataset_unref(ds);
    unlink(path);
}

/* The limit applies to the compressed data inside the file too. */
static void limit_of_compressed_variables(void **state)
{
    double *x = calloc(1 << 20, sizeof *x);
    wlab_dataset *ds;
    mat_t *mat;

    (void)state;
    mat = create_mat();
    write_matrix(mat, "X", 1 << 18, 4, x);
    assert_refused(mat, "unpacked=3 label=none", "unpack to more than 8 MB; the limit of 3 MB");
    assert_non_null(strstr(err.message, "add unpacked=16 or more"));
    mat = create_mat();
    write_matrix(mat, "X", 1 << 18, 4, x);
    ds = load(mat, "unpacked=9 label=none");
    assert_int_equal(ds->X->rows, 1 << 18);
    wlab_dataset_unref(ds);
    mat = create_mat(); /* uncompressed data are not limited */
    matvar_t *v = matrix("X", 1 << 18, 4, MAT_C_DOUBLE, MAT_T_DOUBLE, x);
    assert_int_equal(Mat_VarWrite(mat, v, MAT_COMPRESSION_NONE), 0);
    Mat_VarFree(v);
    ds = load(mat, "unpacked=1 label=none");
    wlab_dataset_unref(ds);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limit_of_compressed_variables),
        cmocka_unit_test(full_and_sparse),
        cmocka_unit_test(types_and_shapes),
        cmocka_unit_test(structs),
        cmocka_unit_test(missing_variables),
        cmocka_unit_test(split_rows),
        cmocka_unit_test(long_names),
        cmocka_unit_test(damage),
        cmocka_unit_test(allocations_may_fail),
    };
    return cmocka_run_group_tests_name("read_mat", tests, NULL, NULL);
}
