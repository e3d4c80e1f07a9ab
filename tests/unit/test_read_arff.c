/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * ARFF, dense and sparse.
 */
#include "reading.h"

static const char head[] = "% a comment\n@RELATION 'some thing'\n\n"
                           "@attribute len numeric\n@Attribute \"a name\" {red, 'light green', blue}\n"
                           "@attribute sex {m,f} % two\n@attribute when date 'yyyy'\n"
                           "@attribute k integer [1,10]\n@attribute class {no, yes, never}\n@data\n";

static wlab_dataset *load(const char *rows, const char *options)
{
    char text[4096];

    snprintf(text, sizeof text, "%s%s", head, rows);
    return reading_load(text, ".arff", options);
}

static void assert_refused(const char *rows, const char *options, long line, long column, const char *part)
{
    char text[4096];

    snprintf(text, sizeof text, "%s%s", head, rows);
    reading_fails(text, ".arff", options, line ? line + 10 : 0, column, part);
}

static void dense_rows(void **state)
{
    wlab_dataset *ds = load("1, red, m, 1999, 3, yes\n"
                            "% between\n\n-2.5,'light green',f,?,4,no\r\n"
                            "3e1,\tblue , \"m\",\"1\",'5', 'yes'",
                            NULL);
    static const double x[] = {1, 1, 0, 0, 0, 3, -2.5, 0, 1, 0, 1, 4, 30, 0, 0, 1, 0, 5};
    static const int32_t label[] = {1, 0, 1};
    static const char *const names[] = {"len",         "a name=red", "a name=light green",
                                        "a name=blue", "sex=f",      "k"};

    (void)state;
    reading_is(ds, 3, 6, x);
    reading_classes(ds, "no yes", label); /* no row has the declared class `never` */
    for (int c = 0; c < 6; c++)
        assert_string_equal(ds->feature_name[c], names[c]);
    reading_remark(ds, "left out: when");
    reading_remark(ds, "classes from attribute 6, 'class'");
    wlab_dataset_unref(ds);
}

static void sparse_rows(void **state)
{
    wlab_dataset *ds = load("{0 1, 4 3, 5 yes}\n{}\n{ 1 blue,2 f , 4 2 }\n", NULL);
    static const double x[] = {1, 1, 0, 0, 0, 3, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2};
    static const int32_t label[] = {1, 0, 0};

    (void)state;
    reading_is(ds, 3, 6, x); /* what is left out is 0; for categories the first declared value */
    reading_classes(ds, "no yes", label);
    wlab_dataset_unref(ds);
    ds = reading_load("@relation r\n@attribute a numeric\n@attribute b numeric\n@attribute y numeric\n@data\n"
                      "{0 5}\n{1 2, 2 1}\n{2 1}\n",
                      ".arff", NULL);
    reading_classes(ds, "0 1", (int32_t[]){0, 1, 1});
    wlab_dataset_unref(ds);
}

static void which_column_is_the_class(void **state)
{
    static const char first[] =
        "@relation r\n@attribute Class {a,b}\n@attribute x numeric\n@data\na,1\nb,2\n";
    static const char both[] = "@relation r\n@attribute class {a,b}\n@attribute x numeric\n@attribute out "
                               "{u,v}\n@data\na,1,v\nb,2,u\n";
    wlab_dataset *ds = reading_load(first, ".arff", NULL);

    (void)state;
    assert_string_equal(ds->class_name[0], "a");
    wlab_dataset_unref(ds);
    ds = reading_load(both, ".arff", NULL); /* the last attribute, if its values are declared */
    assert_string_equal(ds->class_name[0], "u");
    wlab_dataset_unref(ds);
    ds = reading_load(both, ".arff", "label=class");
    assert_string_equal(ds->class_name[0], "a");
    wlab_dataset_unref(ds);
    ds = reading_load(both, ".arff", "label=none");
    assert_int_equal(ds->classes, 0);
    assert_int_equal(ds->X->cols, 3);
    wlab_dataset_unref(ds);
    ds = reading_load(both, ".arff", "classes=v,u"); /* picked in this order */
    assert_string_equal(ds->class_name[1], "u");
    assert_int_equal(ds->label[0], 0);
    wlab_dataset_unref(ds);
}

static void missing_values(void **state)
{
    wlab_dataset *ds = load("1,red,m,x,?,yes\n3,?,f,x,2,no\n?,red,?,?,4,?\n5,blue,f,x,3,yes\n", NULL);
    static const double x[] = {1, 1, 0, 0, 0, 3, 3, 1, 0, 0, 1, 2, 3, 1, 0, 0, 1, 4, 5, 0, 0, 1, 1, 3};
    static const int32_t label[] = {1, 0, -1, 1};

    (void)state;
    reading_is(ds, 4, 6, x);
    reading_classes(ds, "no yes", label);
    reading_remark(ds, "4 missing values in 3 rows");
    reading_remark(ds, "1 row without a class");
    wlab_dataset_unref(ds);
    assert_refused("1,red,m,x,4,yes\n3,red,f,x,?,no\n", "missing=error", 2, 11, "missing=error");
}

static void malformed(void **state)
{
    (void)state;
    assert_refused("1,red,m,x,4,yes\n1,pink,m,x,4,yes\n", NULL, 2, 3,
                   "'pink' is not among the declared values");
    assert_refused("1,red,m,x,4,yes\n1,red,m,x,4,maybe\n", NULL, 2, 13,
                   "'maybe' is not among the declared values");
    assert_refused("1,red,m,x,4,yes\none,red,m,x,4,no\n", NULL, 2, 1, "'one' is not a finite number");
    assert_refused("1,red,m,x,4,yes\nnan,red,m,x,4,no\n", NULL, 2, 1, "'nan' is not a finite number");
    assert_refused("1,red,m,x,4,yes\n1,red,m,x,4\n", NULL, 2, 1, "5 values for 6 attributes");
    assert_refused("1,red,m,x,4,yes\n1,red,m,x,4,no,7\n", NULL, 2, 15, "more values than attributes (6)");
    assert_refused("1,red,m,x,4,yes\n1,'red,m,x,4,no\n", NULL, 2, 3, "never closed");
    assert_refused("1,red,m,x,4,yes\n1,'red'e,m,x,4,no\n", NULL, 2, 8, "after a closing quote");
    assert_refused("1,red,m,x,4,yes\n1,,m,x,4,no\n", NULL, 2, 3, "write ? for a missing value");
    assert_refused("1,red,m,x,4,yes\n{0 1}\n", NULL, 2, 1, "mixed");
    assert_refused("{0 1}\n{0 1, 6 2}\n", NULL, 2, 7, "there is no column 6: the last one is 5");
    assert_refused("{0 1}\n{0 1, 0 2}\n", NULL, 2, 7, "given twice");
    assert_refused("{0 1}\n{4 1, 0 2}\n", NULL, 2, 7, "out of order");
    assert_refused("{0 1}\n{0 1\n", NULL, 2, 5, "no closing '}'");
    assert_refused("{0 1}\n{0, 1}\n", NULL, 2, 2, "column number");
    assert_refused("{0 1}\n{0 1} 3\n", NULL, 2, 7, "after the row");
    assert_refused("", NULL, 0, 0, "no rows");
    assert_refused("1,red,m,x,4,yes\n", "label=klass", 0, 0, "no such column");
    reading_fails("@relation r\n@attribute a\n@data\n1\n", "", NULL, 2, 13, "has no known type");
    reading_fails("@relation r\n@attribute a relational\n@data\n1\n", "", NULL, 2, 14, "is relational");
    reading_fails("@relation r\n@attribute a {x,y\n@data\n1\n", "", NULL, 2, 18, "',' or '}'");
    reading_fails("@relation r\n@attribute a {x,,y}\n@data\n1\n", "", NULL, 2, 17, "a value is missing");
    reading_fails("@relation r\n@attribute a {x,x}\n@data\n1\n", "", NULL, 2, 18, "declared twice");
    reading_fails("@relation r\n@attribute a {'x\n@data\n1\n", "", NULL, 2, 15, "never closed");
    reading_fails("@relation r\n@attribute 'a numeric\n@data\n1\n", "", NULL, 2, 12, "name is missing");
    reading_fails("@relation r\n@data\n1\n", "", NULL, 2, 1, "before any @attribute");
    reading_fails("@relation r\n@atribute a numeric\n@data\n1\n", "", NULL, 2, 1, "is expected");
    reading_fails("@relation r\n@attribute a numeric\n", "", NULL, 3, 1, "ends before @data");
    /* an attribute without values: leaving it out of a sparse row would mean its first value */
    reading_fails("@relation r\n@attribute a numeric\n@attribute c {}\n@attribute y {u,v}\n@data\n{0 1, 1 ?, "
                  "2 v}\n{0 2, 2 u}\n",
                  "", NULL, 7, 7, "no value is declared");
    reading_fails("@relation r\n@attribute a numeric\n@attribute y {}\n@data\n{0 1}\n", "", NULL, 5, 5,
                  "no value is declared");
}

static void threads_do_not_matter(void **state)
{
    const int rows = 40000;

    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        char *text = malloc((size_t)rows * 120), *p = text;
        wlab_dataset *one = NULL, *ds = NULL;

        p += sprintf(p, "@relation r\n");
        for (int c = 0; c < 8; c++)
            p += sprintf(p, "@attribute a%d numeric\n", c);
        p += sprintf(p, "@attribute c {x,y,z}\n@attribute w numeric\n@data\n");
        for (int i = 0; i < rows; i++) {
            if (sparse)
                p += sprintf(p, "{%d 0.%06d, 7 3.25,%s 9 %d}\n", i % 7, i * 37 % 1000000,
                             i % 3 ? " 8 y," : "", i % 4);
            else
                p += sprintf(p, "%d,0.%06d,1,2,3,4,5,%s,%c,%d%s\n", i % 7, i * 37 % 1000000,
                             i % 50 ? "6" : "?", 'x' + i % 3, i % 4, i % 999 ? "" : "\n% comment");
        }
        ASSERT_OK(reading_load_bytes(&one, text, (size_t)(p - text), "", NULL, NULL), err);
        assert_int_equal(one->X->rows, rows);
        assert_int_equal(one->classes, 4);
        for (int threads = 1; threads <= 4; threads *= 2) {
            wlab_ctx ctx = {0};

            ASSERT_OK(wlab_pool_create(&ctx.pool, threads, &err), err);
            ASSERT_OK(reading_load_bytes(&ds, text, (size_t)(p - text), "", NULL, &ctx), err);
            reading_equal(one, ds);
            wlab_dataset_unref(ds);
            wlab_pool_destroy(ctx.pool);
        }
        wlab_dataset_unref(one);
        free(text);
    }
}

static void allocations_may_fail(void **state)
{
    static const char *const rows[] = {"1,red,m,x,?,yes\n3,?,f,x,2,no\n5,'bl\\ue',f,x,3,'y\\es'\n",
                                       "{0 1, 4 3, 5 yes}\n{}\n{ 1 blue,2 f , 4 2 }\n"};
    wlab_dataset *ds = NULL;
    char path[256], text[4096];

    (void)state;
    for (int k = 0; k < 2; k++) {
        snprintf(text, sizeof text, "%s%s", head, rows[k]);
        support_temp_file(path, ".arff", text, strlen(text));
        ALLOC_SWEEP_OUT(wlab_dataset_load(&ds, path, NULL, NULL, NULL, &err), ds);
        assert_int_equal(ds->X->rows, 3);
        wlab_dataset_unref(ds);
        unlink(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_rows),
        cmocka_unit_test(sparse_rows),
        cmocka_unit_test(which_column_is_the_class),
        cmocka_unit_test(missing_values),
        cmocka_unit_test(malformed),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(allocations_may_fail),
    };
    return cmocka_run_group_tests_name("read_arff", tests, NULL, NULL);
}
