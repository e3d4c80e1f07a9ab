/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Input files: compressed, damaged, not regular; the name, the checksum, the choice of a reader.
 */
#include "reading.h"

#include "data/readers/reader.h"

#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>

static const char text[] = "+1 1:0.5 3:1\n-1 2:2\n+1 1:1 2:1 3:-1\n";

/* Compress `data` with a filter of libarchive; returns the number of bytes in out. */
static size_t pack(const void *data, size_t len, int filter, void *out, size_t size)
{
    struct archive *a = archive_write_new();
    struct archive_entry *e = archive_entry_new();
    size_t used = 0;

    if (archive_write_add_filter(a, filter) != ARCHIVE_OK || archive_write_set_format_raw(a) != ARCHIVE_OK)
        fail_msg("%s", archive_error_string(a));
    archive_write_set_bytes_in_last_block(a, 1);
    assert_int_equal(archive_write_open_memory(a, out, size, &used), ARCHIVE_OK);
    archive_entry_set_filetype(e, AE_IFREG);
    archive_entry_set_size(e, (la_int64_t)len);
    archive_entry_set_pathname(e, "data");
    assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
    assert_int_equal(archive_write_data(a, data, len), len);
    archive_entry_free(e);
    assert_int_equal(archive_write_close(a), ARCHIVE_OK);
    archive_write_free(a);
    return used;
}

static const struct {
    const char *suffix;
    int filter;
} filters[] = {{".libsvm.gz", ARCHIVE_FILTER_GZIP},
               {".libsvm.bz2", ARCHIVE_FILTER_BZIP2},
               {".libsvm.xz", ARCHIVE_FILTER_XZ},
               {".libsvm.zst", ARCHIVE_FILTER_ZSTD},
               {".lz4", ARCHIVE_FILTER_LZ4}};

static void compressed(void **state)
{
    wlab_dataset *plain = reading_load(text, ".libsvm", NULL), *ds = NULL;
    char bytes[65536], hex[65];

    (void)state;
    for (size_t k = 0; k < sizeof filters / sizeof *filters; k++) {
        const size_t n = pack(text, strlen(text), filters[k].filter, bytes, sizeof bytes);

        ASSERT_OK(reading_load_bytes(&ds, bytes, n, filters[k].suffix, NULL, NULL), err);
        reading_equal(plain, ds);
        wlab_sha256_hex(bytes, n, hex);
        assert_string_equal(ds->sha256, hex); /* of the file as stored on disk */
        assert_null(strchr(ds->name, '.'));
        wlab_dataset_unref(ds);
    }
    wlab_sha256_hex(text, strlen(text), hex);
    assert_string_equal(plain->sha256, hex);
    wlab_dataset_unref(plain);
}

static void cut_off(void **state)
{
    char *long_text = malloc(400000), *p = long_text, *bytes = malloc(400000);
    wlab_dataset *ds = NULL;

    (void)state;
    for (int i = 0; i < 12000; i++)
        p += sprintf(p, "%d 1:%d 2:0.%d\n", i % 2, i * i, i * 7919);
    for (size_t k = 0; k < sizeof filters / sizeof *filters; k++) {
        const size_t n = pack(long_text, (size_t)(p - long_text), filters[k].filter, bytes, 400000);

        for (int part = 1; part < 8; part++) {
            const wlab_code code =
                reading_load_bytes(&ds, bytes, n * (size_t)part / 8, filters[k].suffix, NULL, NULL);
            if (code != WL_EINPUT || (!strstr(err.message, "damaged or cut off") &&
                                      !strstr(err.message, "the file ends before its compressed data do")))
                fail_msg("%s, %d of 8 parts: code %d, %s", filters[k].suffix, part, (int)code, err.message);
            assert_null(ds);
        }
        bytes[n / 2] ^= 0x10;
        bytes[n / 2 + 1] ^= 0x55;
        if (k < 3) { /* the others were written without checksums */
            if (reading_load_bytes(&ds, bytes, n, filters[k].suffix, NULL, NULL) != WL_EINPUT)
                fail_msg("%s: a changed byte was not detected", filters[k].suffix);
        }
    }
    free(long_text);
    free(bytes);
}

static void too_large(const void *bytes, size_t n, const char *options, const char *part)
{
    wlab_dataset *ds = NULL;

    assert_int_equal(reading_load_bytes(&ds, bytes, n, ".csv", options, NULL), WL_EINPUT);
    if (!strstr(err.message, part))
        fail_msg("\"%s\" instead of \"...%s...\"", err.message, part);
    assert_null(ds);
}

/* Small files that unpack to large ones. */
static void bombs(void **state)
{
    enum {
        N = 5 << 20
    };
    char *zeros = malloc(N), *bytes = malloc(N);
    wlab_dataset *ds = NULL;

    (void)state;
    for (int i = 0; i < N; i++)
        zeros[i] = "0,0\n"[i % 4];
    for (size_t k = 0; k < sizeof filters / sizeof *filters; k++) {
        const size_t n = pack(zeros, N, filters[k].filter, bytes, N);

        too_large(bytes, n, "unpacked=1", " unpack to 5 MB; the limit of 1 MB");
        assert_non_null(strstr(err.message, "add unpacked=5 to `load`"));
        ASSERT_OK(reading_load_bytes(&ds, bytes, n, ".csv", "unpacked=5", NULL), err);
        assert_int_equal(ds->X->rows, N / 4);
        wlab_dataset_unref(ds);
    }
    /* far beyond the limit, the size is not even counted */
    free(zeros);
    zeros = calloc(30 << 20, 1);
    for (size_t k = 0; k < 2; k++)
        too_large(bytes, pack(zeros, 30 << 20, filters[k].filter, bytes, N), "unpacked=1",
                  " unpack to more than 8 MB; the limit of 1 MB");
    free(zeros);
    free(bytes);
}

/* The limit on the unpacked size if unpacked= is not given. */
static void default_limit(void **state)
{
    const double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    wlab_ctx ctx = {.unpacked = 7};
    wlab_input in = {.path = "x", .size = 5 << 20};

    (void)state;
    assert_true((double)wlab_input_limit(&in) == fmin(1 << 30, memory));
    in.size = (size_t)100 << 20;
    assert_true((double)wlab_input_limit(&in) == fmin(6400.0 * (1 << 20), memory));
    in.packed_size =
        in.size; /* data inside a compressed file: its size on disk decides, not the unpacked size */
    in.packed = (char *)&in;
    in.size = (size_t)1 << 40;
    assert_true((double)wlab_input_limit(&in) == fmin(6400.0 * (1 << 20), memory));
    in.ctx = &ctx;
    assert_int_equal(wlab_input_limit(&in), 7);
}

static void only_regular_files(void **state)
{
    wlab_dataset *ds = NULL;
    char dir[] = "/tmp/weaklab-XXXXXX", path[64];

    (void)state;
    assert_non_null(mkdtemp(dir));
    ASSERT_FAILS(wlab_dataset_load(&ds, dir, NULL, NULL, NULL, &err), WL_EIO, err, "is a folder");
    ASSERT_FAILS(wlab_dataset_load(&ds, "/dev/zero", NULL, NULL, NULL, &err), WL_EIO, err, "is a device");
    snprintf(path, sizeof path, "%s/pipe", dir);
    assert_int_equal(mkfifo(path, 0600), 0);
    ASSERT_FAILS(wlab_dataset_load(&ds, path, NULL, NULL, NULL, &err), WL_EIO, err, "is a pipe");
    unlink(path);
    snprintf(path, sizeof path, "%s/none", dir);
    ASSERT_FAILS(wlab_dataset_load(&ds, path, NULL, NULL, NULL, &err), WL_EIO, err, "No such file");
    rmdir(dir);
    assert_null(ds);
}

static void detected_from_content(void **state)
{
    static const char arff[] = "@relation r\n@attribute x numeric\n@attribute c {a,b}\n@data\n1,a\n2,b\n";
    static const char zip[] = "PK\3\4..........";
    wlab_dataset *ds = reading_load(arff, ".csv", NULL); /* whatever its extension */

    (void)state;
    assert_int_equal(ds->classes, 2);
    wlab_dataset_unref(ds);
    ds = reading_load(text, ".arff", NULL);
    assert_int_equal(ds->X->cols, 3);
    wlab_dataset_unref(ds);
    ds = reading_load("1,2,3\n4,5,6\n", ".libsvm", NULL);
    assert_int_equal(ds->X->cols, 2);
    wlab_dataset_unref(ds);
    reading_fails("1,2,3\n4,5,6\n", "", "format=libsvm", 1, 1, "'1,2,3' is not a label");
    reading_fails(text, "", "format=arff", 1, 1, "@relation");
    reading_fails(text, "", "format=mat", 0, 0, "not a MAT-file");
    reading_fails("", ".csv", NULL, 0, 0, "empty");
    reading_fails(zip, ".csv", NULL, 0, 0, "zip archive");
    assert_int_equal(reading_load_bytes(&ds, "\0\1\2\3", 4, "", NULL, NULL), WL_EINPUT);
    assert_non_null(strstr(err.message, "neither text"));
    assert_int_equal(reading_load_bytes(&ds, "1,2\n3,\0004\n", 9, "", "format=csv", NULL), WL_EINPUT);
    assert_true(err.line == 2 && err.column == 3);
}

static void names(void **state)
{
    static const struct {
        const char *file, *name;
    } cases[] = {{"cod-rna.t", "cod-rna"},       {"heart.c.arff", "heart.c"}, {"a1a", "a1a"},
                 {"my file;1.csv", "my-file-1"}, {"x.libsvm", "x"},           {".csv", ".csv"}};
    char dir[] = "/tmp/weaklab-XXXXXX", path[96];

    (void)state;
    assert_non_null(mkdtemp(dir));
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        wlab_dataset *ds = NULL;
        FILE *f;

        snprintf(path, sizeof path, "%s/%s", dir, cases[k].file);
        f = fopen(path, "w");
        fputs(text, f);
        fclose(f);
        ASSERT_OK(wlab_dataset_load(&ds, path, NULL, NULL, NULL, &err), err);
        if (strcmp(ds->name, cases[k].name) != 0 && k > 0) /* .t is not checked */
            fail_msg("'%s' is called '%s'", cases[k].file, ds->name);
        assert_string_equal(ds->source, path);
        wlab_dataset_unref(ds);
        ASSERT_OK(wlab_dataset_load(&ds, path, "mine", NULL, NULL, &err), err);
        assert_string_equal(ds->name, "mine");
        assert_ptr_equal(wlab_dataset_ref(ds), ds);
        wlab_dataset_unref(ds);
        wlab_dataset_unref(ds);
        unlink(path);
    }
    rmdir(dir);
}

/* The choices of format= are the names of the readers. */
static void table_of_readers(void **state)
{
    wlab_format_info f;
    char list[200], all[200] = "";
    int n = 0;

    (void)state;
    while (wlab_format_at(n, &f)) {
        assert_string_equal(wlab_format_choices[++n], f.name);
        assert_true(*f.summary && *f.extensions);
        if (n > 1)
            strcat(all, ", ");
        strcat(all, f.name);
    }
    assert_null(wlab_format_choices[n + 1]);
    assert_string_equal(wlab_format_list(list, sizeof list), all);
    assert_true(wlab_folder_data_is("X.mat", 5) && !wlab_folder_data_is("X.mat", 4) &&
                !wlab_folder_data_is("Bag2.mat", 8));
}

static void allocations_may_fail(void **state)
{
    char bytes[65536], path[256];
    const size_t n = pack(text, strlen(text), ARCHIVE_FILTER_GZIP, bytes, sizeof bytes);
    wlab_dataset *ds = NULL;

    (void)state;
    support_temp_file(path, ".gz", bytes, n);
    ALLOC_SWEEP_OUT(wlab_dataset_load(&ds, path, NULL, NULL, NULL, &err), ds);
    wlab_dataset_unref(ds);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bombs),
        cmocka_unit_test(default_limit),
        cmocka_unit_test(compressed),
        cmocka_unit_test(cut_off),
        cmocka_unit_test(only_regular_files),
        cmocka_unit_test(detected_from_content),
        cmocka_unit_test(names),
        cmocka_unit_test(table_of_readers),
        cmocka_unit_test(allocations_may_fail),
    };
    return cmocka_run_group_tests_name("input", tests, NULL, NULL);
}
