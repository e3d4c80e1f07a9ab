/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * CSV and similar text: delimiters, headers, quotes, categories, missing values, classes, malformed lines.
 */
#include "reading.h"

static void same_table_in_many_forms(void **state)
{
    static const double x[] = {1, 2.5, 3, -4, 5, 60};
    static const int32_t label[] = {1, 0, 1};
    static const struct {
        const char *text, *options;
    } form[] = {
        {"1,2.5,b\n3,-4,a\n5,60,b\n", NULL},
        {"1;2.5;b\r\n3;-4;a\r\n5;60;b", NULL},
        {"1\t2.5\tb\n3\t-4\ta\n5\t60\tb\n", NULL},
        {"  1   2.5 b  \n3 -4\t a\n\n 5 60 b\n", NULL},
        {"\xef\xbb\xbf"
         "1,2.5,b\n3,-4,a\n5,60,b\n",
         NULL},
        {"# made by hand\nx,y,kind\n1,2.5,b\n# more\n3,-4,a\n5,6e1,b\n", NULL},
        {"x,class,y\n1,b,2.5\n3,a,-4\n5,b,60\n", NULL},
        {"x,kind,y\n1,b,2.5\n3,a,-4\n5,b,60\n", "label=kind"},
        {"x,kind,y\n1,b,2.5\n3,a,-4\n5,b,60\n", "label=2"},
        {"b,1,2.5\na,3,-4\nb,5,60\n", "label=1"},
        {"\"x\",\"y\",\"the \"\"kind\"\"\"\n\"1\",\"2.5\",\"b\"\n\"3\",-4,a\n5, \"60\" ,\"b\"\n", NULL},
        {"x,y,Target,\n1,2.5,b,\n3,-4,a,\n5,60,b,\n", NULL},
        {"1,2.5,b\n3,-4,a\n5,60,b\n", "header=no label=last"},
        {"10,20,z\n1,2.5,b\n3,-4,a\n5,60,b\n", "header=yes"},
    };

    (void)state;
    for (size_t k = 0; k < sizeof form / sizeof *form; k++) {
        wlab_dataset *ds = reading_load(form[k].text, ".csv", form[k].options);
        reading_is(ds, 3, 2, x);
        reading_classes(ds, "a b", label);
        wlab_dataset_unref(ds);
    }
}

static void names_and_remarks(void **state)
{
    wlab_dataset *ds =
        reading_load("len,colour,sex,y\n1,red,m,0\n2,green,f,1\n3,blue,f,1\n4,red,m,0\n", ".csv", NULL);
    static const char *const names[] = {"len", "colour=blue", "colour=green", "colour=red", "sex=m"};
    static const double x[] = {1, 0, 0, 1, 1, 2, 0, 1, 0, 0, 3, 1, 0, 0, 0, 4, 0, 0, 1, 1};
    static const int32_t label[] = {0, 1, 1, 0};

    (void)state;
    reading_is(ds, 4, 5, x);
    reading_classes(ds, "0 1", label);
    for (int c = 0; c < 5; c++)
        assert_string_equal(ds->feature_name[c], names[c]);
    reading_remark(ds, "classes from column 4, 'y'");
    reading_remark(ds, "2 columns of categories as 4 columns of 0 and 1");
    wlab_dataset_unref(ds);
    ds = reading_load("1,2,0\n3,4,1\n", ".csv", NULL);
    assert_null(ds->feature_name);
    reading_remark(ds, "no header; classes from column 3, the last");
    wlab_dataset_unref(ds);
}

static void all_words_without_a_header(void **state)
{
    wlab_dataset *ds = reading_load("n,y,rep\ny,y,dem\nn,n,rep\ny,n,dem\n", ".data", NULL);
    static const double x[] = {0, 1, 1, 1, 0, 0, 1, 0};

    (void)state;
    reading_is(ds, 4, 2, x);
    assert_string_equal(ds->class_name[1], "rep");
    wlab_dataset_unref(ds);
}

static void missing_values(void **state)
{
    static const char text[] = "a,b,c,class\n1,x,5,p\n,x,?,q\n3,NA,NaN,p\n8,y,7,\n";
    static const double mean[] = {1, 0, 5, 4, 0, 6, 3, 0, 6, 8, 1, 7};
    static const double zero[] = {1, 0, 5, 0, 0, 0, 3, 0, 0, 8, 1, 7};
    static const double drop[] = {1, 0, 5, 8, 1, 7};
    static const int32_t label[] = {0, 1, 0, -1}, left[] = {0, -1};
    wlab_dataset *ds = reading_load(text, ".csv", NULL);

    (void)state;
    reading_is(ds, 4, 3, mean);
    reading_classes(ds, "p q", label);
    reading_remark(ds, "4 missing values in 2 rows replaced by the column's mean");
    reading_remark(ds, "1 row without a class");
    wlab_dataset_unref(ds);
    ds = reading_load(text, ".csv", "missing=zero");
    reading_is(ds, 4, 3, zero);
    wlab_dataset_unref(ds);
    ds = reading_load(text, ".csv", "missing=drop");
    reading_is(ds, 2, 3, drop);
    reading_classes(ds, "p", left);
    reading_remark(ds, "2 of 4 rows are left");
    reading_remark(ds, "4 missing values in 3 columns dropped");
    wlab_dataset_unref(ds);
    reading_fails(text, ".csv", "missing=error", 3, 1, "a missing value");
    ds = reading_load("1,2,a\n?,3,b\n4,?,a\n?,?,b\n", ".csv", "classes=a"); /* rows of class b do not count */
    reading_remark(ds, "1 missing value in 1 row replaced");
    wlab_dataset_unref(ds);
    ds = reading_load("1,2,a\n?,3,b\n4,5,a\n", ".csv", "classes=a");
    assert_true(!ds->remark || !strstr(ds->remark, "missing"));
    wlab_dataset_unref(ds);
    ds = reading_load("1e308,0\n?,1\n1.5e308,1\n", ".csv", NULL); /* the sum would be infinite */
    assert_true(wlab_matrix_at(ds->X, 1, 0) == 1e308 / 2 + 1.5e308 / 2);
    wlab_dataset_unref(ds);
    ds = reading_load("1,,0\n2,?,1\n4,,1\n", ".csv", NULL);
    assert_int_equal(ds->X->cols, 1);
    reading_remark(ds, "1 column left out");
    wlab_dataset_unref(ds);
}

/* A column of distinct words contains names, not categories; a column called bag is no feature. */
static void names_are_left_out(void **state)
{
    char text[4000] = "who,age,bag,label\n", *p = text + strlen(text);
    wlab_dataset *ds;

    (void)state;
    for (int i = 0; i < 30; i++)
        p += sprintf(p, "person%d,%d,%d,%d\n", i, i * i, 10 - i / 10, i % 2);
    ds = reading_load(text, ".csv", NULL);
    assert_int_equal(ds->X->cols, 1);
    assert_int_equal(ds->bags, 3);
    for (int i = 0; i < 30; i++)
        assert_int_equal(ds->bag[i], 2 - i / 10); /* in the order of their numbers: 8, 9, 10 */
    reading_remark(ds, "left out: who");
    reading_remark(ds, "'bag' gives 3 bags");
    wlab_dataset_unref(ds);
}

static void quotes_may_contain_anything(void **state)
{
    wlab_dataset *ds = reading_load(
        "x,t,class\n1,\"a,b\n\"\"c\"\"\",\"p,1\"\n2,\"\",q\n3,\"a,b\n\"\"c\"\"\",q\n4,d,q\n", ".csv", NULL);
    static const double x[] = {1, 0, 2, 0, 3, 0, 4, 1};
    static const int32_t label[] = {0, 1, 1, 1};

    (void)state;
    reading_is(ds, 4, 2, x);
    reading_classes(ds, "p,1 q", label);
    assert_string_equal(ds->feature_name[1], "t=d");
    wlab_dataset_unref(ds);
}

/* A remark reports a column that one mistake turns into categories, with the place. */
static void words_among_numbers(void **state)
{
    wlab_dataset *ds = reading_load("x,y,c\n1,2,a\n2,zz,b\n3,4,a\n4,5,b\n", ".csv", NULL);

    (void)state;
    reading_remark(ds,
                   "column 2, 'y', was read as categories because of 'zz' at line 3, column 3 (3 of 4 values "
                   "are numbers)");
    wlab_dataset_unref(ds);
    ds = reading_load("x,y,c\n1,u,a\n2,v,b\n3,4,a\n4,,b\n", ".csv", NULL); /* more words than numbers */
    assert_true(!ds->remark || !strstr(ds->remark, "as categories because"));
    wlab_dataset_unref(ds);
    ds = reading_load("1\t1,2\ta\n2\tu,v\tb\n3\t1,2\tb\n", ".tsv", NULL); /* lists, not numbers */
    assert_int_equal(ds->X->cols, 2);
    wlab_dataset_unref(ds);
    ds = reading_load("4 9 2\n1 3 8\n7 2 5\n", ".txt", NULL);
    reading_remark(ds, "labeled=@FILE");
    wlab_dataset_unref(ds);
    ds = reading_load("4 9 2\n1 3 1\n7 2 5\n", ".txt", NULL);
    assert_true(!strstr(ds->remark, "labeled=@FILE"));
    wlab_dataset_unref(ds);
}

static void malformed(void **state)
{
    (void)state;
    reading_fails("1,2,0\n3,4,1\n5,6\n", ".csv", NULL, 3, 1, "2 fields, but the first line has 3");
    reading_fails("1,2,0\n3,4,1\n5,6,1,9\n", ".csv", NULL, 3, 7,
                  "this line has 4 fields, but the first line has 3");
    reading_fails("1,2,0\n3,\"4,1\n5,6,1\n", ".csv", NULL, 2, 3, "never closed");
    reading_fails("1,2,0\n3,\"4\"x,1\n5,6,1\n", ".csv", NULL, 2, 6, "after a closing quote");
    reading_fails("1,2,0\n3,inf,1\n5,6,1\n", ".csv", NULL, 2, 3, "not finite");
    reading_fails("a,b,class\n", ".csv", "header=yes", 1, 1, "no data lines after the header");
    reading_fails("\n\n  \n", ".csv", NULL, 1, 1, "no rows");
    reading_fails("1\n2\n3\n", ".csv", NULL, 1, 1, "the only column is read as the class");
    reading_fails("a,b,class\n", ".csv", NULL, 1, 1, "no data lines after the header");
    reading_fails("\na,b,class\n\n# that is all\n", ".csv", NULL, 2, 1, "no data lines after the header");
    reading_fails("a,b,class\nu,v,0\nu,v,1\n", ".csv", NULL, 0, 0, "one value only: 2");
    reading_fails("{\"rows\": [1, 2],\n \"labels\": 3}\n", ".csv", NULL, 1, 1, "looks like JSON");
    reading_fails("[\n  [1, 2],\n  [3, 4]\n]\n", ".csv", NULL, 1, 1, "looks like JSON");
    reading_fails("Some prose here.\nIt goes on, and on,\nand ends.\n", ".csv", NULL, 1, 1,
                  "no column is left as a feature");
    reading_fails("1,5;2;a\n2,5;3;b\n", ".csv", NULL, 1, 1, "'1,5' is written with a decimal comma");
    reading_fails("1;\"-2,5e3\";a\n2;?;b\n", ".csv", NULL, 1, 4, "'-2,5e3' is written with a decimal comma");
    reading_fails("a,b,class\n1,2,0\n3,4,1\n", ".csv", "label=clas", 0, 0, "did you mean 'class'?");
    reading_fails("a,b,class\n1,2,0\n3,4,1\n", ".csv", "label=4", 0, 0, "no such column");
    reading_fails("1,?,0\n?,4,1\n", ".csv", "missing=drop", 0, 0, "every row has a missing value");
    reading_fails("1,2,0\n3,4,1\n", ".csv", "base=1", 0, 0, "base=");
    reading_fails("\xff\xfe"
                  "1\0,\0",
                  ".csv", NULL, 1, 1, "UTF-16");
    reading_fails("1e39,0,0,0\n0,0,1,1\n0,0,0,0\n", ".csv", NULL, 0, 0, "row 1 has a number above 3.4e38");
    { /* one mistake among numbers */
        char text[4000], *p = text;

        for (int i = 0; i < 100; i++)
            p += sprintf(p, i == 70 ? "%d,oops,%d\n" : "%d,%d.5,%d\n", i, i == 70 ? 1 : i * i, i % 2);
        reading_fails(text, ".csv", NULL, 71, 4,
                      "'oops' is not a number, but nearly all values of column 2 are");
    }
    { /* regression targets */
        char text[4000], *p = text;

        for (int i = 0; i < 100; i++)
            p += sprintf(p, "%d,%d.25\n", i, i);
        reading_fails(text, ".csv", NULL, 0, 0, "regression targets");
    }
}

static void threads_do_not_matter(void **state)
{
    const int rows = 40000;
    char *text = malloc((size_t)rows * 120), *p = text;
    wlab_dataset *one = NULL, *ds = NULL;

    (void)state;
    p += sprintf(p, "a,word,b,c,d,class\n");
    for (int i = 0; i < rows; i++)
        p += sprintf(p, "%d.%03d,\"w%d\n%s\",%d,%s,0.%07d,k%d\n", i, i % 1000, i * 7 % 13,
                     i % 13 ? "" : "\"\"", i % 17, i % 100 ? "3.5" : "?", i * 31 % 10000000, i % 3);
    ASSERT_OK(reading_load_bytes(&one, text, (size_t)(p - text), ".csv", NULL, NULL), err);
    assert_int_equal(one->X->rows, rows);
    assert_int_equal(one->classes, 3);
    for (int threads = 1; threads <= 4; threads *= 2) {
        wlab_ctx ctx = {0};

        ASSERT_OK(wlab_pool_create(&ctx.pool, threads, &err), err);
        ASSERT_OK(reading_load_bytes(&ds, text, (size_t)(p - text), ".csv", NULL, &ctx), err);
        reading_equal(one, ds);
        wlab_dataset_unref(ds);
        wlab_pool_destroy(ctx.pool);
    }
    wlab_dataset_unref(one);
    free(text);
}

static void allocations_may_fail(void **state)
{
    static const char text[] = "a,b,bag,class\n1,x,1,\"p\"\"\"\n,y,2,q\n3,x,1,p\n8,\"z\"\"\",2,q\n";
    wlab_dataset *ds = NULL;
    wlab_params *p = reading_options("missing=drop");
    char path[256];

    (void)state;
    support_temp_file(path, ".csv", text, strlen(text));
    ALLOC_SWEEP_OUT(wlab_dataset_load(&ds, path, NULL, NULL, NULL, &err), ds);
    assert_int_equal(ds->X->rows, 4);
    wlab_dataset_unref(ds);
    ALLOC_SWEEP_OUT(wlab_dataset_load(&ds, path, NULL, p, NULL, &err), ds);
    assert_int_equal(ds->X->rows, 3);
    wlab_dataset_unref(ds);
    wlab_params_destroy(p);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_table_in_many_forms),   cmocka_unit_test(names_and_remarks),
        cmocka_unit_test(all_words_without_a_header), cmocka_unit_test(missing_values),
        cmocka_unit_test(names_are_left_out),         cmocka_unit_test(quotes_may_contain_anything),
        cmocka_unit_test(words_among_numbers),        cmocka_unit_test(malformed),
        cmocka_unit_test(threads_do_not_matter),      cmocka_unit_test(allocations_may_fail),
    };
    return cmocka_run_group_tests_name("read_csv", tests, NULL, NULL);
}
