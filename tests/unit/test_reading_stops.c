/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reading stops at any check for an interrupt, in every format, packed or not, also in the middle of a very long
 * line.
 *
 * The program is linked with --wrap=wlab_interrupted: each check calls the function here, and the test decides which
 * check finds an interrupt.  AddressSanitizer reports memory that is not freed after it as a leak.
 */
#include "reading.h"

#include "base/sort.h"
#include "weaklab/rng.h"
#include <archive.h>
#include <archive_entry.h>
#include <matio.h>

static long checks, fires_at; /* checks since interrupt_at; the first that finds an interrupt, 0: none */

bool __wrap_wlab_interrupted(const wlab_ctx *ctx);
bool __wrap_wlab_interrupted(const wlab_ctx *ctx)
{
    if (!ctx)
        return false;
    checks++;
    return fires_at > 0 && checks >= fires_at; /* all later checks find it too, as with the real flag */
}

static void interrupt_at(long at)
{
    checks = 0;
    fires_at = at;
}

typedef struct text {
    char *data;
    size_t len;
} text;

static text empty_text(size_t size)
{
    text t = {malloc(size), 0};
    assert_non_null(t.data);
    return t;
}

static void append_text(text *t, const char *fmt, ...) WLAB_PRINTF(2, 3);
static void append_text(text *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    t->len += (size_t)vsprintf(t->data + t->len, fmt, ap);
    va_end(ap);
}

#ifdef __SANITIZE_ADDRESS__
enum {
    ENDS = 4, /* a load takes ten times as long */
    RANDOM = 6
};
#else
enum {
    ENDS = 10,
    RANDOM = 20
};
#endif

/* Checks that loading t can be interrupted at the first ENDS checks, at the last ENDS and at RANDOM random ones.  Returns
 * how many checks a whole load makes. */
static long check_stops(const char *what, text t, const char *suffix, const char *options)
{
    wlab_params *p = reading_options(options);
    wlab_dataset *ds = NULL;
    wlab_ctx ctx = {0};
    wlab_rng rng;
    char path[256];
    long all;

    support_temp_file(path, suffix, t.data, t.len);
    interrupt_at(0);
    ASSERT_OK(wlab_dataset_load(&ds, path, NULL, p, &ctx, &err), err);
    all = checks;
    wlab_dataset_unref(ds);
    wlab_rng_seed(&rng, 1);
    for (long k = 0; k < 2 * ENDS + RANDOM; k++) {
        const long at = k < ENDS       ? k + 1
                        : k < 2 * ENDS ? all - (k - ENDS)
                                       : 1 + (long)wlab_rng_below(&rng, (uint64_t)all);

        if (at < 1 || at > all)
            continue;
        interrupt_at(at);
        ds = NULL;
        if (wlab_dataset_load(&ds, path, NULL, p, &ctx, &err) != WL_EINTERRUPTED || ds)
            fail_msg("%s: interrupted at check %ld of %ld: code %d, %s", what, at, all, (int)err.code,
                     err.message);
    }
    interrupt_at(0);
    unlink(path);
    wlab_params_destroy(p);
    free(t.data);
    print_message("%-34s %ld checks\n", what, all);
    return all;
}

/* ---- many rows ---- */

enum {
    ROWS = 3000
};

static text libsvm(const char *label)
{
    text t = empty_text(ROWS * 80);
    for (int i = 0; i < ROWS; i++) /* some rows are not sorted */
        append_text(&t, "%s %d:%d.5 %d:2 90:1\n", i % 2 ? label : "1", i % 7 ? 3 : 8, i, i % 7 ? 9 : 4);
    return t;
}

static text csv(void)
{
    text t = empty_text(ROWS * 80);
    append_text(&t, "a,b,colour,class\n");
    for (int i = 0; i < ROWS; i++)
        append_text(&t, "%d,%s,%s,%s\n", i, i % 11 ? "0.5" : "", i % 3 ? "red" : "\"blue \"\"or\"\" green\"",
                    i % 2 ? "yes" : "no");
    return t;
}

static text names(void)
{
    text t = empty_text(ROWS * 400);
    for (int i = 0; i < 20 * ROWS; i++)
        append_text(&t, "%d,w%d\n", i, i);
    return t;
}

static text arff(bool sparse)
{
    text t = empty_text(ROWS * 80);
    append_text(
        &t, "@relation r\n@attribute a numeric\n@attribute 'b b' {x,'y y'}\n@attribute c {no,yes}\n@data\n");
    for (int i = 0; i < ROWS; i++)
        append_text(&t, sparse ? "{0 %d, 1 %s, 2 %s}\n" : "%d,%s,%s\n", i, i % 5 ? "x" : "'y y'",
                    i % 2 ? "yes" : "no");
    return t;
}

static text bags(void)
{
    text t = empty_text(ROWS * 80);
    for (int i = 0; i < ROWS; i++)
        append_text(&t, "%d:b%d:%d 1:%d 2:1\n", i, i / 4, i / 4 % 2, i);
    return t;
}

static text mat(bool compressed)
{
    static double x[ROWS * 3], y[ROWS], ir[ROWS];
    size_t dims[2] = {ROWS, 3}, one[2] = {ROWS, 1};
    char path[256];
    text t = empty_text(ROWS * 80);
    FILE *f;

    (void)ir;
    for (int i = 0; i < ROWS; i++) {
        x[i] = i;
        y[i] = i % 2;
    }
    support_temp_file(path, ".mat", "", 0);
    mat_t *m = Mat_CreateVer(path, NULL, MAT_FT_MAT5);
    matvar_t *v[] = {Mat_VarCreate("X", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, x, 0),
                     Mat_VarCreate("y", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, one, y, 0)};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(Mat_VarWrite(m, v[i], compressed ? MAT_COMPRESSION_ZLIB : MAT_COMPRESSION_NONE), 0);
        Mat_VarFree(v[i]);
    }
    Mat_Close(m);
    f = fopen(path, "rb");
    t.data = realloc(t.data, sizeof x + sizeof y + 4096);
    t.len = fread(t.data, 1, sizeof x + sizeof y + 4096, f);
    fclose(f);
    unlink(path);
    return t;
}

static void rows(void **state)
{
    (void)state;
    assert_true(check_stops("libsvm", libsvm("-1"), ".libsvm", NULL) > ROWS);
    assert_true(check_stops("libsvm, classes=", libsvm("-1"), ".libsvm", "classes=-1,1") > ROWS);
    assert_true(check_stops("csv", csv(), ".csv", NULL) > ROWS);
    assert_true(check_stops("csv, label=none", names(), ".csv", "label=none") > 20 * ROWS);
    assert_true(check_stops("arff", arff(false), ".arff", NULL) > ROWS);
    assert_true(check_stops("arff, sparse", arff(true), ".arff", NULL) > ROWS);
    assert_true(check_stops("bags", bags(), ".bags", NULL) > ROWS);
    assert_true(check_stops("mat", mat(false), ".mat", NULL) > ROWS);
    assert_true(check_stops("mat, compressed", mat(true), ".mat", NULL) > ROWS);
}

static void other_files(void **state)
{
    text l = empty_text(ROWS * 8);
    char path[256], options[300];

    (void)state;
    for (int i = 0; i < ROWS; i++)
        append_text(&l, "%d\n", i % 2);
    support_temp_file(path, ".txt", l.data, l.len);
    free(l.data);
    snprintf(options, sizeof options, "labels=%s", path);
    assert_true(check_stops("labels=", libsvm("-1"), ".libsvm", options) > 2 * ROWS);
    snprintf(options, sizeof options, "bags=%s", path);
    assert_true(check_stops("bags=", libsvm("-1"), ".libsvm", options) > 2 * ROWS);
    unlink(path);
}

/* ---- one line ---- */

static text pairs(int n)
{
    text t = empty_text((size_t)n * 16);
    append_text(&t, "1");
    for (int k = n; k > 0; k--)
        append_text(&t, " %d:1", k);
    return t;
}

static text cells(int n)
{
    text t = empty_text((size_t)n * 8);
    for (int k = 0; k < n; k++)
        append_text(&t, "%s%d", k ? "," : "", k % 10);
    append_text(&t, "\n");
    return t;
}

static text named(int n)
{
    text t = empty_text((size_t)n * 16);
    for (int line = 0; line < 2; line++) {
        for (int k = 0; k < n; k++)
            append_text(&t, line ? "%s%d" : "%sa%d", k ? "," : "", line ? k % 10 : k);
        append_text(&t, "\n");
    }
    return t;
}

static text field(int n, bool quotes)
{
    text t = empty_text((size_t)n + 100);
    append_text(&t, "x,text,class\n1,%s", quotes ? "\"" : "");
    memset(t.data + t.len, quotes ? '"' : 'a', (size_t)n);
    t.len += (size_t)n;
    append_text(&t, "%s,no\n2,b,yes\n", quotes ? "\"" : "");
    return t;
}

static text value(int n)
{
    text t = empty_text((size_t)n + 200);
    append_text(&t,
                "@relation r\n@attribute a numeric\n@attribute b string\n@attribute c {no,yes}\n@data\n1,");
    memset(t.data + t.len, 'a', (size_t)n);
    t.len += (size_t)n;
    append_text(&t, ",no\n2,b,yes\n");
    return t;
}

static text attributes(int n)
{
    text t = empty_text((size_t)n * 32);
    append_text(&t, "@relation r\n");
    for (int k = 0; k < n; k++)
        append_text(&t, "@attribute a%d numeric\n", k);
    append_text(&t, "@attribute c {no,yes}\n@data\n");
    for (int k = 0; k < n; k++)
        append_text(&t, "%d,", k % 10);
    append_text(&t, "no\n");
    return t;
}

/* If a line is twice as long, there is at least one more check per 4096 additional items, or per MiB of a field. */
static void one_line(void **state)
{
    const int n = SANITIZED ? 1 << 15 : 1 << 16;

    (void)state;
    long before = check_stops("libsvm, a line of pairs", pairs(n), ".libsvm", NULL);
    assert_true(check_stops("twice as long", pairs(2 * n), ".libsvm", NULL) - before >= 2 * n / 4096);
    before = check_stops("csv, a line of cells", cells(n), ".csv", "header=no");
    assert_true(check_stops("twice as long", cells(2 * n), ".csv", "header=no") - before >= n / 4096);
    before = check_stops("csv, a line of names", named(n), ".csv", NULL);
    assert_true(check_stops("twice as long", named(2 * n), ".csv", NULL) - before >= 4 * n / 4096);
    before = check_stops("csv, a long field", field(1 << 20, false), ".csv", NULL);
    assert_true(check_stops("four times as long", field(1 << 22, false), ".csv", NULL) - before >= 3);
    before = check_stops("csv, a field of quotes", field(2 * n, true), ".csv", NULL);
    assert_true(check_stops("twice as long", field(4 * n, true), ".csv", NULL) - before >= n / 4096);
    before = check_stops("arff, a long value", value(n), ".arff", NULL);
    assert_true(check_stops("twice as long", value(2 * n), ".arff", NULL) - before >= n / 4096);
    before = check_stops("arff, a line of values", attributes(n / 4), ".arff", NULL);
    assert_true(check_stops("twice as long", attributes(n / 2), ".arff", NULL) - before >= n / 4 / 4096);
}

/* ---- packed ---- */

static const struct {
    const char *name;
    int filter;
} filters[] = {{"gz", ARCHIVE_FILTER_GZIP},
               {"bz2", ARCHIVE_FILTER_BZIP2},
               {"xz", ARCHIVE_FILTER_XZ},
               {"zst", ARCHIVE_FILTER_ZSTD},
               {"lz4", ARCHIVE_FILTER_LZ4}};

static text packed(text from, int filter)
{
    struct archive *a = archive_write_new();
    struct archive_entry *e = archive_entry_new();
    text t = empty_text(from.len + 4096);

    assert_int_equal(archive_write_add_filter(a, filter), ARCHIVE_OK);
    assert_int_equal(archive_write_set_format_raw(a), ARCHIVE_OK);
    archive_write_set_bytes_in_last_block(a, 1);
    assert_int_equal(archive_write_open_memory(a, t.data, from.len + 4096, &t.len), ARCHIVE_OK);
    archive_entry_set_filetype(e, AE_IFREG);
    archive_entry_set_size(e, (la_int64_t)from.len);
    archive_entry_set_pathname(e, "data");
    assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
    assert_int_equal(archive_write_data(a, from.data, from.len), from.len);
    archive_entry_free(e);
    assert_int_equal(archive_write_close(a), ARCHIVE_OK);
    archive_write_free(a);
    free(from.data);
    return t;
}

static void unpacking(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof filters / sizeof *filters; k++)
        (void)check_stops(filters[k].name, packed(libsvm("-1"), filters[k].filter), ".libsvm", NULL);
}

/* Thousands of empty members, one after the other: the unpacked size stays 0, so only the members can be counted.
 * For each member of bzip2, libbz2 allocates megabytes, which AddressSanitizer fills: that would take many minutes. */
#ifdef __SANITIZE_ADDRESS__
#define EMPTY_FILTERS 1
#else
#define EMPTY_FILTERS 2
#endif

static void empty_members(void **state)
{
    (void)state;
    for (size_t k = 0; k < EMPTY_FILTERS; k++) {
        const text one = packed(empty_text(1), filters[k].filter);
        const size_t n = ((size_t)8 << 20) / one.len;
        text all = empty_text(n * one.len);
        wlab_dataset *ds = NULL;
        wlab_ctx ctx = {0};
        char path[256];

        for (size_t i = 0; i < n; i++)
            memcpy(all.data + i * one.len, one.data, one.len);
        support_temp_file(path, ".libsvm", all.data, n * one.len);
        interrupt_at(0);
        ASSERT_FAILS(wlab_dataset_load(&ds, path, NULL, NULL, &ctx, &err), WL_EINPUT, err, "compressed file");
        const long found = checks;
        assert_true(found >= 8);
        interrupt_at(found / 2);
        ASSERT_FAILS(wlab_dataset_load(&ds, path, NULL, NULL, &ctx, &err), WL_EINTERRUPTED, err,
                     "was stopped");
        interrupt_at(0);
        unlink(path);
        free(one.data);
        free(all.data);
    }
}

/* ---- sorting, scaling, hashing ---- */

static int descending(const void *a, const void *b)
{
    const int32_t *x = a, *y = b;
    return (x[0] < y[0]) - (x[0] > y[0]);
}

static void sorting(void **state)
{
    enum {
        N = 200001
    };
    static int32_t item[N][2];
    static bool found_item[N];
    wlab_ctx ctx = {0};
    wlab_rng rng;
    long all = 1;

    (void)state;
    wlab_rng_seed(&rng, 1);
    for (long at = 0; at <= all; at += at < 20 ? 1 : 7) {
        for (int32_t i = 0; i < N; i++) {
            item[i][0] = (int32_t)wlab_rng_below(&rng, 1000);
            item[i][1] = i;
        }
        interrupt_at(at);
        const wlab_code code = wlab_sort(item, N, sizeof *item, descending, &ctx, &err);
        assert_int_equal(code, at ? WL_EINTERRUPTED : WL_OK);
        all = at ? all : checks;
        memset(found_item, 0, sizeof found_item);
        for (int32_t i = 0; i < N; i++) { /* no item is lost or doubled */
            assert_false(found_item[item[i][1]]);
            found_item[item[i][1]] = true;
            if (!at && i)
                assert_true(item[i - 1][0] >= item[i][0]);
        }
    }
    interrupt_at(0);
    assert_true(all > N / 4096);
    ALLOC_SWEEP(wlab_sort(item, N, sizeof *item, descending, &ctx, &err));
}

static void scaling(void **state)
{
    wlab_dataset *ds = NULL, *scaled = NULL;
    wlab_ctx ctx = {0};
    text t = libsvm("-1");
    char path[256];

    (void)state;
    support_temp_file(path, ".libsvm", t.data, t.len);
    ASSERT_OK(wlab_dataset_load(&ds, path, NULL, NULL, &ctx, &err), err);
    for (int kind = 0; wlab_scaling_names[kind]; kind++) {
        interrupt_at(0);
        ASSERT_OK(wlab_dataset_scale(&scaled, ds, (wlab_scaling)kind, NULL, 0, &ctx, &err), err);
        const long all = checks;
        assert_true(all > ROWS);
        wlab_dataset_unref(scaled);
        for (long at = 1; at <= all; at += 501) {
            interrupt_at(at);
            ASSERT_FAILS(wlab_dataset_scale(&scaled, ds, (wlab_scaling)kind, NULL, 0, &ctx, &err),
                         WL_EINTERRUPTED, err, "interrupted");
            assert_null(scaled);
        }
    }
    interrupt_at(0);
    wlab_dataset_unref(ds);
    unlink(path);
    free(t.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows),      cmocka_unit_test(other_files),   cmocka_unit_test(one_line),
        cmocka_unit_test(unpacking), cmocka_unit_test(empty_members), cmocka_unit_test(sorting),
        cmocka_unit_test(scaling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
