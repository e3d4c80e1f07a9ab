/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rows in bags, from every format that has them: Andrews' text, C4.5 files, MAT-files, a column or a file of bags.
 */
#include "reading.h"

#include <matio.h>
#include <sys/stat.h>

static void bags_are(const wlab_dataset *ds, int64_t bags, const int32_t *bag)
{
    assert_non_null(ds->bag);
    assert_int_equal(ds->bags, bags);
    for (int64_t i = 0; i < ds->X->rows; i++)
        if (ds->bag[i] != bag[i])
            fail_msg("row %d is in bag %d instead of %d", (int)i + 1, (int)ds->bag[i], (int)bag[i]);
}

/* A data set whose rows have copies of their bags' labels has this many rows, columns, bags and positive bags. */
static void assert_counts(const wlab_dataset *ds, int64_t rows, int32_t cols, int64_t bags, int64_t positive)
{
    int8_t *sign = malloc((size_t)ds->bags);
    int64_t of[3] = {0};

    assert_non_null(sign);
    assert_int_equal(ds->X->rows, rows);
    assert_int_equal(ds->X->cols, cols);
    assert_int_equal(ds->bags, bags);
    assert_int_equal(ds->classes, 2);
    wlab_dataset_bag_signs(ds, 1, sign);
    for (int64_t b = 0; b < ds->bags; b++)
        of[1 + sign[b]]++;
    assert_int_equal(of[2], positive);
    assert_int_equal(of[0], bags - positive);
    assert_false(wlab_dataset_instances_known(ds, 1));
    free(sign);
}

/* ---- Andrews' text ---- */

static void text(void **state)
{
    static const char file[] =
        "# three bags\n0:10:1 1:1 3:2\n\n1:10:+1 2:5\n  x9:b:-1 1:3 # alone\n3:9:-1 3:4\n4:10:1\n";
    static const double x[] = {1, 0, 2, 0, 5, 0, 3, 0, 0, 0, 0, 4, 0, 0, 0};
    static const int32_t label[] = {1, 1, 0, 0, 1}, bag[] = {1, 1, 2, 0, 1}, shifted[] = {1, 1, 0, 0, 1};
    wlab_dataset *ds;

    (void)state;
    for (int k = 0; k < 2; k++) { /* the format is detected from the content, or named */
        ds = reading_load(file, ".svm", k ? "format=bags" : NULL);
        reading_is(ds, 5, 3, x);
        reading_classes(ds, "-1 1", label);
        bags_are(ds, 3, bag); /* numbers ascending, then names */
        wlab_dataset_unref(ds);
    }
    ds = reading_load("0:0:1 1:1\n0:0:1 2:1\n0:1:0 1:5\n", "", NULL);
    reading_classes(ds, "0 1", (int32_t[]){1, 1, 0});
    wlab_dataset_unref(ds);
    ds = reading_load("0:0:0 1:1\n0:0:0 2:1\n0:1:1 1:5\n1:2:-1 1:3\n", "",
                      NULL); /* a bag whose class is not known */
    reading_classes(ds, "-1 1", (int32_t[]){-1, -1, 1, 0});
    wlab_dataset_unref(ds);
    ds = reading_load(file, "", "columns=7 label=none");
    assert_int_equal(ds->X->cols, 7);
    assert_int_equal(ds->classes, 0);
    bags_are(ds, 3, bag);
    wlab_dataset_unref(ds);
    ds = reading_load(file, "", "classes=1");
    bags_are(ds, 1, (int32_t[]){0, 0, 0}); /* bags without rows are removed */
    wlab_dataset_unref(ds);
    ds = reading_load(file, "", "bag=none");
    assert_null(ds->bag);
    assert_int_equal(ds->bags, 0);
    reading_classes(ds, "-1 1", shifted);
    wlab_dataset_unref(ds);
}

static void malformed_text(void **state)
{
    static const char o[] = "format=bags";

    (void)state;
    reading_fails("0:0:1 1:1\n1:0 1:2\n", "", o, 2, 1, "'1:0' is not instance:bag:label");
    reading_fails("0:0:1 1:1\n1 1:2\n", "", o, 2, 1, "is not instance:bag:label");
    reading_fails("0:0:1 1:1\n1::1 1:2\n", "", o, 2, 3, "'1::1' names no bag");
    reading_fails("0:0:1 1:1\n1:0: 1:2\n", "", o, 2, 5, "'1:0:' does not end with a label");
    reading_fails("0:0:1 1:1\n1:0:1x 1:2\n", "", o, 2, 5, "does not end with a label");
    reading_fails("0:0:1 1:1\n1:0:nan 1:2\n", "", o, 2, 5, "does not end with a label");
    reading_fails("0:0:1 1:1\n1:0:1 1:nan\n", "", o, 2, 7, "not a finite number");
    reading_fails("0:0:1 1:1\n1:0:1 1:2 spam\n", "", o, 2, 11, "is not index:value");
    reading_fails("0:0:1 1:1\n1:0:1 2147483647:2\n", "", o, 2, 7, "above 2147483646");
    reading_fails("0:0:1 1:1\n1:0:1 5:2 5:1\n", "", o, 2, 11, "index 5 occurs twice");
    reading_fails("0:0:1 1:1\n4:0:1 4:2 3:1 4:1\n", "", o, 2, 15, "index 4 occurs twice");
    reading_fails("0:0:1 1:1\n1e27:0:1 4:2 3:1 4:1\n", "", o, 2, 18, "index 4 occurs twice");
    reading_fails("# x\n0:a:1 1:1\n0:b:-1 1:1\n # y\n\n  2:a:-1 1:1\n", "", o, 6, 7,
                  "label -1, but line 2 gives the same bag label 1");
    reading_fails("# nothing\n", "", o, 1, 1, "no rows");
    reading_fails("0:0:1 1:1\n", "", "bag=2", 0, 0, "bags=");
    reading_fails("0:0:1 1:1\n", "", "label=2", 0, 0, "label=none");
    reading_fails("0:0:1 1:1\n1:0:1 1:2\n", "", "format=libsvm", 1, 1, "format=bags");
}

/* Several blocks of lines give the same with any number of threads; a bag that contradicts an earlier block is found. */
static void long_text(void **state)
{
    enum {
        ROWS = 60000
    };
    size_t size = (size_t)ROWS * 48, at = 0;
    char *file = malloc(size);
    wlab_dataset *one = NULL, *many = NULL;
    wlab_ctx ctx = {0};

    (void)state;
    assert_non_null(file);
    for (int i = 0; i < ROWS; i++)
        at += (size_t)snprintf(file + at, size - at, "%d:bag%d:%d 1:%d 2:0.5 4:%d\n", i, i % 997, i % 997 % 2,
                               i + 1, i % 7 + 1);
    assert_true(at > 1 << 20);
    ASSERT_OK(reading_load_bytes(&one, file, at, ".svm", NULL, NULL), err);
    assert_int_equal(one->X->rows, ROWS);
    assert_int_equal(one->bags, 997);
    for (int i = 0; i < ROWS; i++)
        assert_int_equal(one->bag[i], one->bag[i % 997]);
    ASSERT_OK(wlab_pool_create(&ctx.pool, 3, &err), err);
    ASSERT_OK(reading_load_bytes(&many, file, at, ".svm", NULL, &ctx), err);
    reading_equal(one, many);
    assert_memory_equal(one->bag, many->bag, ROWS * sizeof *one->bag);
    wlab_dataset_unref(many);
    wlab_dataset_unref(one);
    at += (size_t)snprintf(file + at, size - at, "x:bag1:0 1:1\n");
    many = NULL;
    assert_int_equal(reading_load_bytes(&many, file, at, ".svm", NULL, &ctx), WL_EINPUT);
    assert_int_equal(err.line, ROWS + 1);
    assert_int_equal(err.column, 8);
    assert_non_null(strstr(err.message, "label 0, but line 2 gives"));
    wlab_pool_destroy(ctx.pool);
    free(file);
}

/* ---- C4.5 ---- */

static const char molecules[] =
    "Z,z_1,42,-198,1.\nA,a_1,42,-191,0.\nZ,z_2,40,-1,1.\nA,a_2,0,7,0.\nB,b_1,1,2,0.\n";
static const double molecules_x[] = {42, -198, 42, -191, 40, -1, 0, 7, 1, 2};
static const int32_t molecules_label[] = {1, 0, 1, 0, 0}, molecules_bag[] = {2, 0, 2, 0, 1};

static void c45(void **state)
{
    wlab_dataset *ds = reading_load(molecules, ".data", NULL);

    (void)state;
    reading_is(ds, 5, 2, molecules_x);
    reading_classes(ds, "0 1", molecules_label);
    bags_are(ds, 3, molecules_bag);
    reading_remark(ds, "column 1 gives 3 bags");
    reading_remark(ds, "the period after each class was removed");
    wlab_dataset_unref(ds);
    ds = reading_load(molecules, ".data", "bag=none");
    assert_null(ds->bag);
    assert_int_equal(ds->X->cols, 2 + 3 + 5); /* words as categories again */
    wlab_dataset_unref(ds);
    ds = reading_load(molecules, ".data", "bag=2");
    assert_int_equal(ds->bags, 5);
    wlab_dataset_unref(ds);
    /* any other file is a table of categories */
    static const char *const others[] = {
        "Z,z_1,42,1\nA,a_1,42,0\nZ,z_2,40,0\nB,b_1,1,0\n",              /* a word with two classes */
        "Z,z_1,42,1\nA,a_1,42,0\nZ,z_1,40,1\nB,b_1,1,0\n",              /* an instance twice */
        "7,z_1,42,1\n8,a_1,42,0\n7,z_2,40,1\n9,b_1,1,0\n",              /* numbers in front */
        "Z,1,42,1\nA,2,42,0\nZ,3,40,1\nB,4,1,0\n",                      /* no instance names */
        "Z,z_1,red,1\nA,a_1,blue,0\nZ,z_2,red,1\nB,b_1,blue,0\n",       /* words among the features */
        "m,i,x,class\nZ,z_1,42,1\nA,a_1,42,0\nZ,z_2,40,1\nB,b_1,1,0\n", /* columns with names */
        "Z,z_1,42,1\nA,a_1,42,0\nB,b_1,1,0\nC,c_1,1,0\n",               /* each word in one row only */
    };
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        ds = reading_load(others[k], ".data", NULL);
        if (ds->bag)
            fail_msg("table %d has bags", (int)k);
        wlab_dataset_unref(ds);
    }
    ds = reading_load(others[5], ".csv", "bag=m");
    bags_are(ds, 3, (int32_t[]){2, 0, 2, 1});
    reading_remark(ds, "column 'm' gives 3 bags");
    wlab_dataset_unref(ds);
    reading_fails(others[5], ".csv", "bag=mm", 0, 0, "did you mean 'm'?");
    reading_fails(others[5], ".csv", "bag=class", 0, 0, "this column is read as the class");
    reading_fails("bag,x,class\n1,2,0\n?,3,1\n", ".csv", NULL, 3, 1, "this row has no bag");

    /* bags in the last column are not the classes */
    static const char last[] = "x1,x2,bag\n1,2,b\n2,3,a\n3,5,b\n";
    ds = reading_load(last, ".csv", NULL);
    bags_are(ds, 2, (int32_t[]){1, 0, 1});
    reading_remark(ds, "column 3, 'bag', gives the bags");
    reading_remark(ds, "loaded without labels");
    assert_int_equal(ds->classes, 0);
    reading_is(ds, 3, 2, (double[]){1, 2, 2, 3, 3, 5});
    wlab_dataset_unref(ds);
    ds = reading_load(last, ".csv", "label=bag");
    assert_null(ds->bag);
    assert_int_equal(ds->classes, 2);
    wlab_dataset_unref(ds);
    ds = reading_load("x1,class,bag\n1,2,b\n2,3,a\n3,2,b\n", ".csv", NULL);
    bags_are(ds, 2, (int32_t[]){1, 0, 1});
    assert_int_equal(ds->classes, 2);
    wlab_dataset_unref(ds);
}

/* Load a data file with a names file beside it. */
static wlab_code load_with_names(wlab_dataset **ds, const char *names, const char *options)
{
    char data[256], other[256];
    FILE *f;
    wlab_params *p = reading_options(options);
    wlab_code code;

    support_temp_file(data, ".data", molecules, strlen(molecules));
    snprintf(other, sizeof other, "%.*s.names", (int)(strlen(data) - 5), data);
    f = fopen(other, "w");
    assert_non_null(f);
    fputs(names, f);
    fclose(f);
    *ds = NULL;
    code = wlab_dataset_load(ds, data, NULL, p, NULL, &err);
    wlab_params_destroy(p);
    unlink(data);
    unlink(other);
    return code;
}

static void names_files(void **state)
{
    static const char good[] =
        "| made by hand\n0,1.\nmolecule: A, B,Z. | the bag\nconf: z_1,z_2,a_1,a_2,\n  b_1.\n"
        "f1: continuous scale=0.5.\nf2: continuous.\n";
    static const char nominal[] = "0,1.\nmolecule: A,B,Z.\nconf: ignore.\nf1: 0,1,40,42.\nf2: discrete 9.";
    static const char *const ignored[] = {
        "1. Title: molecules\n\n2. Sources: none.\n",
        "0,1.\nmolecule: A,B,Z.\n",
        "0,1.\nmolecule: A,B,Z.\nconf: ignore.\nf1: continuous.\nf2: continuous.\nf3: continuous.\n",
        "0,1.\nmolecule: A,B,Z.\nconf: ignore.\nf1: continuous.\nf2: .\n",
        "0.\n",
        "\n",
        "|\n"};
    wlab_dataset *ds;

    (void)state;
    ASSERT_OK(load_with_names(&ds, good, NULL), err);
    reading_is(ds, 5, 2, molecules_x);
    reading_classes(ds, "0 1", molecules_label);
    bags_are(ds, 3, molecules_bag);
    assert_string_equal(ds->feature_name[1], "f2");
    reading_remark(ds, "as in the .names file beside the data");
    reading_remark(ds, "'molecule' gives 3 bags");
    wlab_dataset_unref(ds);
    ASSERT_OK(load_with_names(&ds,
                              "1,0.\nmolecule: A,B,Z.\nconf: ignore.\nf1: continuous.\nf2: continuous.\n",
                              "bag=molecule"),
              err);
    reading_classes(ds, "1 0", (int32_t[]){0, 1, 0, 1, 1}); /* in the declared order */
    bags_are(ds, 3, molecules_bag);
    wlab_dataset_unref(ds);
    ASSERT_OK(load_with_names(&ds, nominal, NULL),
              err); /* the numbers are categories, so this is no file of bags */
    assert_null(ds->bag);
    assert_int_equal(ds->X->cols, 3 + 4 + 5);
    wlab_dataset_unref(ds);
    for (size_t k = 0; k < sizeof ignored / sizeof *ignored; k++) {
        ASSERT_OK(load_with_names(&ds, ignored[k], NULL), err);
        assert_null(ds->feature_name);
        bags_are(ds, 3, molecules_bag);
        wlab_dataset_unref(ds);
    }
    assert_int_equal(
        load_with_names(&ds, "0,2.\nmolecule: A,B,Z.\nconf: ignore.\nf1: continuous.\nf2: continuous.\n",
                        NULL),
        WL_EINPUT);
    assert_non_null(strstr(err.message, "'1', which the .names file"));
    assert_int_equal(
        load_with_names(&ds, "0,1.\nmolecule: A,B.\nconf: ignore.\nf1: continuous.\nf2: continuous.\n", NULL),
        WL_EINPUT);
    assert_non_null(strstr(err.message, "column 1, 'molecule', contains 'Z'"));
    ASSERT_OK(load_with_names(&ds, good, "label=molecule"), err); /* then the last column is a feature */
    assert_int_equal(ds->classes, 3);
    wlab_dataset_unref(ds);
}

/* ---- MAT-files ---- */

static void write_matrix(const char *path, const char *name, size_t rows, size_t cols, const double *x,
                         bool more)
{
    mat_t *mat = more ? Mat_Open(path, MAT_ACC_RDWR) : Mat_CreateVer(path, NULL, MAT_FT_MAT5);
    size_t dims[2] = {rows, cols};
    matvar_t *v = Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, (void *)(uintptr_t)x, 0);

    assert_non_null(mat);
    assert_non_null(v);
    assert_int_equal(Mat_VarWrite(mat, v, MAT_COMPRESSION_ZLIB), 0);
    Mat_VarFree(v);
    Mat_Close(mat);
}

static void remove_files(const char *dir)
{
    static const char *const name[] = {"X.mat", "Bag2.mat", "BagI.mat"};
    char path[300];

    for (int k = 0; k < 3; k++) {
        snprintf(path, sizeof path, "%s/%s", dir, name[k]);
        unlink(path);
    }
    rmdir(dir);
}

static void mat_fails(const char *path, const char *options, const char *part)
{
    wlab_dataset *ds = NULL;
    wlab_params *p = reading_options(options);
    wlab_code code = wlab_dataset_load(&ds, path, NULL, p, NULL, &err);

    if ((code != WL_EINPUT && code != WL_EARG) || ds || !strstr(err.message, part))
        fail_msg("code %d: %s; expected ...%s...", (int)code, err.message, part);
    wlab_params_destroy(p);
}

/* column-major: rows (1 5), (2 6), (3 7), (4 8) */
static const double X[] = {1, 2, 3, 4, 5, 6, 7, 8}, X_t[] = {1, 5, 2, 6, 3, 7, 4, 8};
static const double rows_x[] = {1, 5, 2, 6, 3, 7, 4, 8};

static void mat_siblings(void **state)
{
    static const double bag[] = {2, 1, 2, 1}, label[] = {0, 1}, high[] = {2, 3, 2, 3}, three[] = {0, 1, 1},
                        fraction[] = {1.5, 1, 2, 1};
    static const int32_t rows_label[] = {1, 0, 1, 0}, rows_bag[] = {1, 0, 1, 0};
    char dir[256], x[300], number[300], of[300];
    wlab_dataset *a = NULL, *b = NULL;

    (void)state;
    snprintf(dir, sizeof dir, "%s/weaklab-bags-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    assert_non_null(mkdtemp(dir));
    snprintf(x, sizeof x, "%s/X.mat", dir);
    snprintf(number, sizeof number, "%s/Bag2.mat", dir);
    snprintf(of, sizeof of, "%s/BagI.mat", dir);
    write_matrix(x, "X", 4, 2, X, false);
    mat_fails(x, NULL, "no variable with labels");
    write_matrix(of, "bagI", 2, 1, label, false);
    mat_fails(x, NULL, "BagI.mat (the bags' labels) is beside it, but Bag2.mat (the rows' bags) is missing");
    write_matrix(number, "Bag2", 4, 1, bag, false);
    ASSERT_OK(wlab_dataset_load(&a, x, NULL, NULL, NULL, &err), err);
    reading_is(a, 4, 2, rows_x);
    reading_classes(a, "0 1", rows_label);
    bags_are(a, 2, rows_bag);
    ASSERT_OK(wlab_dataset_load(&b, dir, NULL, NULL, NULL, &err), err); /* the folder of the three files */
    reading_equal(a, b);
    assert_string_equal(a->sha256, b->sha256);
    assert_string_equal(b->name, strrchr(dir, '/') + 1);
    wlab_dataset_unref(b);
    wlab_dataset_unref(a);
    write_matrix(x, "X", 2, 4, X_t,
                 false); /* Bag2.mat numbers four rows, so the columns of X are the examples */
    ALLOC_SWEEP_OUT(wlab_dataset_load(&a, dir, NULL, NULL, NULL, &err), a);
    reading_is(a, 4, 2, rows_x);
    bags_are(a, 2, rows_bag);
    wlab_dataset_unref(a);
    write_matrix(number, "Bag2", 4, 1, high, false);
    mat_fails(x, NULL, "row 2 is in bag 3, but there are 2 labels of bags, numbered from 1");
    write_matrix(of, "bagI", 3, 1, three, false);
    mat_fails(dir, NULL, "bag 1 has a label but no rows");
    write_matrix(number, "Bag2", 4, 1, fraction, false);
    mat_fails(dir, NULL, "the bag of row 1, 1.5, is not a whole number");
    write_matrix(number, "Bag2", 3, 1, bag, false);
    mat_fails(dir, NULL, "3 bag numbers do not fit features of 2 x 4");
    unlink(number);
    mat_fails(dir, NULL, "but Bag2.mat (the rows' bags) is missing");
    support_temp_file(number, ".mat", "spam", 4); /* the buffer `number` may be used again */
    snprintf(of, sizeof of, "%s/Bag2.mat", dir);
    assert_int_equal(rename(number, of), 0);
    mat_fails(dir, NULL, "the numbers of the rows' bags are expected here, in a MAT-file");
    remove_files(dir);
}

static void mat_alone(void **state)
{
    static const double bag[] = {7, 3, 7, 3}, own[] = {1, -1, -1, -1}, from_0[] = {1, 0, 1, 0},
                        label[] = {-1, 1};
    char path[256];
    wlab_params *p;
    wlab_dataset *ds = NULL;

    (void)state;
    support_temp_file(path, ".mat", "", 0);
    write_matrix(path, "X", 4, 2, X, false);
    write_matrix(path, "bag", 1, 4, bag, true);
    write_matrix(path, "y", 4, 1, own, true); /* one label per row: that of the instance */
    ASSERT_OK(wlab_dataset_load(&ds, path, NULL, NULL, NULL, &err), err);
    reading_classes(ds, "-1 1", (int32_t[]){1, 0, 0, 0});
    bags_are(ds, 2, (int32_t[]){1, 0, 1, 0});
    assert_true(wlab_dataset_instances_known(ds, 1));
    wlab_dataset_unref(ds);
    mat_fails(path, "bag=nobag", "has no such vector or split; it has X 4x2");
    mat_fails(path, "bag=X", "a matrix of 4 x 2, which may put a row into several bags");
    p = reading_options("bag=none");
    ASSERT_OK(wlab_dataset_load(&ds, path, NULL, p, NULL, &err), err);
    assert_null(ds->bag);
    wlab_dataset_unref(ds);
    wlab_params_destroy(p);
    write_matrix(path, "X", 4, 2, X, false);
    write_matrix(path, "bags", 4, 1, from_0, true);
    write_matrix(path, "label", 2, 1, label, true); /* one label per bag; the bags' numbers begin with 0 */
    ASSERT_OK(wlab_dataset_load(&ds, path, NULL, NULL, NULL, &err), err);
    reading_is(ds, 4, 2, rows_x);
    reading_classes(ds, "-1 1", (int32_t[]){1, 0, 1, 0});
    bags_are(ds, 2, (int32_t[]){1, 0, 1, 0});
    wlab_dataset_unref(ds);
    unlink(path);
}

/* ---- a file of bags ---- */

static void file_of_bags(void **state)
{
    static const char rows[] = "1,2,b\n3,-4,a\n5,60,b\n";
    char path[256], option[300];
    wlab_dataset *ds;
    int32_t *bag = NULL;
    int64_t bags = 0;

    (void)state;
    support_temp_file(path, ".txt", "10\n\n9\n10\n", 9);
    snprintf(option, sizeof option, "bags=%s", path);
    ds = reading_load(rows, ".csv", option);
    bags_are(ds, 2, (int32_t[]){1, 0, 1});
    wlab_dataset_unref(ds);
    ds = reading_load("1 1:1\n0 2:1\n1 1:2\n", "", option);
    bags_are(ds, 2, (int32_t[]){1, 0, 1});
    wlab_dataset_unref(ds);
    ALLOC_SWEEP_OUT(wlab_bags_file_read(path, 3, &bag, &bags, NULL, NULL, &err), bag);
    assert_int_equal(bags, 2);
    wlab_free(bag);
    bag = NULL;
    ASSERT_FAILS(wlab_bags_file_read(path, 4, &bag, &bags, NULL, NULL, &err), WL_EINPUT, err,
                 "3 bags for 4 rows: one bag per line");
    assert_null(bag);
    unlink(path);
    support_temp_file(path, ".txt", "1\n?\n1\n", 6);
    ASSERT_FAILS(wlab_bags_file_read(path, 3, &bag, &bags, NULL, NULL, &err), WL_EINPUT, err,
                 "row 2 has no bag");
    unlink(path);
    ASSERT_FAILS(wlab_bags_file_read(path, 3, &bag, &bags, NULL, NULL, &err), WL_EIO, err, "cannot open");
}

static void arff(void **state)
{
    static const char file[] =
        "@relation r\n@attribute bag {b1,b2,b3}\n@attribute x numeric\n@attribute class {0,1}\n"
        "@data\nb3,1,1\nb1,2,0\nb3,3,0\n";
    wlab_dataset *ds = reading_load(file, ".arff", NULL);

    (void)state;
    reading_is(ds, 3, 1, (double[]){1, 2, 3});
    bags_are(ds, 2, (int32_t[]){1, 0, 1}); /* b2 has no rows */
    wlab_dataset_unref(ds);
    ds = reading_load("@relation r\n@attribute x numeric\n@attribute bag {b1,b2}\n@data\n1,b2\n2,b1\n3,b2\n",
                      ".arff", NULL);
    bags_are(ds, 2, (int32_t[]){1, 0, 1});
    assert_int_equal(ds->classes, 0);
    wlab_dataset_unref(ds);
    reading_fails(file, ".arff", "bag=x", 0, 0, "has no declared values");
    reading_fails(file, ".arff", "bag=class", 0, 0, "is the class");
}

/* ---- real data ---- */

static void real_text_and_mat(void **state)
{
    static const struct {
        const char *name;
        int64_t rows, bags, positive;
        int32_t cols;
    } set[] = {
        {"elephant", 1391, 200, 100, 230}, {"fox", 1320, 200, 100, 230}, {"musk2", 6598, 102, 39, 166}};

    (void)state;
    (void)SHARED_OR_SKIP("datasets/mil");
    for (size_t k = 0; k < sizeof set / sizeof *set; k++) {
        char path[200];
        wlab_dataset *a = NULL, *b = NULL;

        snprintf(path, sizeof path, "../shared/datasets/mil/%s.svm", set[k].name);
        ASSERT_OK(wlab_dataset_load(&a, path, NULL, NULL, NULL, &err), err);
        assert_counts(a, set[k].rows, set[k].cols, set[k].bags, set[k].positive);
        snprintf(path, sizeof path, "../shared/datasets/mil/%s", set[k].name);
        ASSERT_OK(wlab_dataset_load(&b, path, NULL, NULL, NULL, &err), err);
        assert_int_equal(a->bags, b->bags);
        assert_memory_equal(a->bag, b->bag, (size_t)set[k].rows * sizeof *a->bag);
        assert_memory_equal(a->label, b->label, (size_t)set[k].rows * sizeof *a->label);
        assert_true(a->X->sparse == b->X->sparse);
        reading_is(b, set[k].rows, set[k].cols, a->X->dense);
        wlab_dataset_unref(a);
        wlab_dataset_unref(b);
    }
}

static void real_others(void **state)
{
    static const char names[] = "../shared/datasets/mil/musk1.names";
    char copy[256];
    FILE *in, *out;
    wlab_dataset *a = NULL, *b = NULL;
    int c;

    (void)state;
    (void)SHARED_OR_SKIP("datasets/mil/musk1.data");
    assert_int_equal(access(names, R_OK), 0);
    ASSERT_OK(wlab_dataset_load(&a, "../shared/datasets/mil/musk1.data", NULL, NULL, NULL, &err), err);
    assert_counts(a, 476, 166, 92, 47);
    assert_string_equal(a->class_name[0], "0");
    assert_string_equal(a->class_name[1], "1");
    assert_string_equal(a->feature_name[165], "f166");
    support_temp_file(copy, ".data", "", 0); /* without the names file beside it */
    in = fopen("../shared/datasets/mil/musk1.data", "r");
    out = fopen(copy, "w");
    assert_non_null(in);
    assert_non_null(out);
    while ((c = getc(in)) != EOF)
        putc(c, out);
    fclose(in);
    fclose(out);
    ASSERT_OK(wlab_dataset_load(&b, copy, NULL, NULL, NULL, &err), err);
    unlink(copy);
    reading_equal(a, b);
    assert_memory_equal(a->bag, b->bag, 476 * sizeof *a->bag);
    wlab_dataset_unref(a);
    wlab_dataset_unref(b);
    for (int k = 1; k <= 2; k++) {
        snprintf(copy, sizeof copy, "../shared/datasets/mil/newsgroups%d.svm", k);
        ASSERT_OK(wlab_dataset_load(&a, copy, NULL, NULL, NULL, &err), err);
        assert_counts(a, k == 1 ? 5443 : 3094, 200, 100, 50);
        assert_true(a->X->sparse);
        wlab_dataset_unref(a);
    }
}

static void allocations_may_fail(void **state)
{
    static const char file[] = "0:10:1 1:1 3:2\n1:10:1 2:5\n2:b:-1 1:3\n";
    static const char names[] = "0,1.\nmolecule: A,B,Z.\nconf: ignore.\nf1: continuous.\nf2: discrete.\n";
    char path[256], other[256];
    wlab_dataset *ds;
    FILE *f;

    (void)state;
    support_temp_file(path, ".svm", file, strlen(file));
    ALLOC_SWEEP_OUT(wlab_dataset_load(&ds, path, NULL, NULL, NULL, &err), ds);
    assert_int_equal(ds->bags, 2);
    wlab_dataset_unref(ds);
    unlink(path);
    support_temp_file(path, ".data", molecules, strlen(molecules));
    ALLOC_SWEEP_OUT(wlab_dataset_load(&ds, path, NULL, NULL, NULL, &err), ds);
    assert_int_equal(ds->bags, 3);
    wlab_dataset_unref(ds);
    snprintf(other, sizeof other, "%.*s.names", (int)(strlen(path) - 5), path);
    f = fopen(other, "w");
    assert_non_null(f);
    fputs(names, f);
    fclose(f);
    ALLOC_SWEEP_OUT(wlab_dataset_load(&ds, path, NULL, NULL, NULL, &err), ds);
    wlab_dataset_unref(ds);
    unlink(path);
    unlink(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text),        cmocka_unit_test(malformed_text),
        cmocka_unit_test(long_text),   cmocka_unit_test(c45),
        cmocka_unit_test(names_files), cmocka_unit_test(mat_siblings),
        cmocka_unit_test(mat_alone),   cmocka_unit_test(file_of_bags),
        cmocka_unit_test(arff),        cmocka_unit_test(real_text_and_mat),
        cmocka_unit_test(real_others), cmocka_unit_test(allocations_may_fail),
    };
    return cmocka_run_group_tests_name("read_bags", tests, NULL, NULL);
}
