/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Data sets whose rows are on 1 to 13 ranks: files and generated data are, to the bit, those of one process, with the same
 * labels, classes, remarks and checksums; a fault gives the same message, at the same place, on all ranks.
 */
#include "reading.h"
#include "unit/threaded.h"

#include "base/rows.h"
#include "data/away.h"
#include "data/generators/generate.h"
#include "weaklab/rng.h"

/* The program is linked with --wrap=wlab_interrupted: each check calls the function here.  On rank stops_on the checks from
 * number stops_at on say that there is an interrupt; only that rank's thread counts. */
static int stops_on;
static long stops_at, checks; /* stops_at 0: never */

bool __wrap_wlab_interrupted(const wlab_ctx *ctx);
bool __wrap_wlab_interrupted(const wlab_ctx *ctx)
{
    if (!ctx || !ctx->ranks || ctx->ranks->rank != stops_on)
        return false;
    checks++;
    return stops_at && checks >= stops_at;
}

static const int sizes[] = {1, 2, 3, 5, 13};
enum {
    SIZES = sizeof sizes / sizeof *sizes
};

typedef struct made {
    wlab_code code;
    wlab_err err;
    wlab_dataset *whole;
    wlab_matrix *own;
} made;

typedef struct job {
    const char *path;                /* NULL: generate */
    const wlab_generator *generator; /* with these parameters, else those of load */
    const wlab_params *params;
    made made[THREADED_MOST];
} job;

static void on_rank(wlab_ranks *r, void *data)
{
    job *j = data;
    made *m = &j->made[r->rank];
    wlab_ctx ctx = {.ranks = r};

    m->code = j->path ? wlab_away_load(&m->whole, &m->own, j->path, NULL, j->params, &ctx, &m->err)
                      : wlab_away_generate(&m->whole, &m->own, j->generator, NULL, j->params, &ctx, &m->err);
}

static void clear(job *j)
{
    for (int r = 0; r < THREADED_MOST; r++) {
        wlab_dataset_unref(j->made[r].whole);
        wlab_matrix_destroy(j->made[r].own);
    }
    memset(j->made, 0, sizeof j->made);
}

static void same_ints(const int32_t *a, const int32_t *b, int64_t n)
{
    assert_int_equal(a == NULL, b == NULL);
    if (a && n)
        assert_memory_equal(a, b, (size_t)n * sizeof *a);
}

/* What rank 0 knows of the data set is what one process knows. */
static void same_dataset(const wlab_dataset *a, const wlab_dataset *b)
{
    assert_string_equal(a->name, b->name);
    assert_string_equal(a->source, b->source);
    assert_string_equal(a->sha256, b->sha256);
    assert_true(a->X->away);
    assert_int_equal(a->X->rows, b->X->rows);
    assert_int_equal(a->X->cols, b->X->cols);
    assert_int_equal(a->X->nnz, b->X->nnz);
    assert_int_equal(a->X->sparse, b->X->sparse);
    assert_int_equal(a->classes, b->classes);
    for (int c = 0; c < a->classes; c++) {
        assert_string_equal(a->class_name[c], b->class_name[c]);
        assert_memory_equal(&a->class_value[c], &b->class_value[c], sizeof *a->class_value);
    }
    same_ints(a->label, b->label, b->X->rows);
    same_ints(a->given, b->given, b->X->rows);
    assert_null(a->bag);
    assert_int_equal(a->remark == NULL, b->remark == NULL);
    if (a->remark)
        assert_string_equal(a->remark, b->remark);
}

/* The ranks' rows, one after the other, are those of X, to the bit. */
static void same_rows(const job *j, int size, const wlab_matrix *X)
{
    int64_t row = 0, nnz = 0;

    for (int r = 0; r < size; r++) {
        const wlab_matrix *m = j->made[r].own;
        assert_non_null(m->parts);
        assert_int_equal(m->parts->before, row);
        assert_int_equal(m->parts->all, X->rows);
        assert_int_equal(m->cols, X->cols);
        assert_int_equal(m->sparse, X->sparse);
        for (int64_t i = 0; i < m->rows; i++, row++) {
            const int64_t s = m->start[i], t = X->start[row];
            const size_t n = (size_t)m->len[i];
            assert_int_equal(m->len[i], X->len[row]);
            if (n && m->sparse) {
                assert_memory_equal(m->col + s, X->col + t, n * sizeof *m->col);
                assert_memory_equal(m->val + s, X->val + t, n * sizeof *m->val);
            } else if (n) {
                assert_memory_equal(m->dense + s, X->dense + t, n * sizeof *m->dense);
            }
        }
        nnz += m->nnz;
    }
    assert_int_equal(row, X->rows);
    assert_int_equal(nnz, X->nnz);
}

static void same_error(const made *m, wlab_code code, const wlab_err *e)
{
    if (m->code != code || m->err.line != e->line || m->err.column != e->column ||
        strcmp(m->err.message, e->message) != 0 || strcmp(m->err.file, e->file) != 0)
        fail_msg("code %d, %s:%ld:%ld: %s; expected %d, %s:%ld:%ld: %s", (int)m->code, m->err.file,
                 m->err.line, m->err.column, m->err.message, (int)code, e->file, e->line, e->column,
                 e->message);
    assert_int_equal(m->err.code, code);
    assert_null(m->whole);
    assert_null(m->own);
}

/* Compares what the ranks have made with what one process makes: X, or an error. */
static void compare(job *j, const wlab_dataset *expected, wlab_code code, const wlab_err *e)
{
    for (int s = 0; s < SIZES; s++) {
        run_threaded(sizes[s], on_rank, j);
        for (int r = 0; r < sizes[s]; r++) {
            if (code) {
                same_error(&j->made[r], code, e);
                continue;
            }
            if (j->made[r].code)
                fail_msg("rank %d of %d: %s", r, sizes[s], j->made[r].err.message);
            assert_int_equal(j->made[r].whole == NULL, r > 0);
        }
        if (!code) {
            same_dataset(j->made[0].whole, expected);
            same_rows(j, sizes[s], expected->X);
        }
        clear(j);
    }
}

/* These bytes, which give this code in one process. */
static void check(const char *text, size_t len, const char *options, wlab_code expected)
{
    wlab_params *p = reading_options(options);
    wlab_dataset *ds = NULL;
    wlab_err e = {0};
    char path[256];

    support_temp_file(path, ".libsvm", text, len);
    const wlab_code code = wlab_dataset_load(&ds, path, NULL, p, NULL, &e);
    if (code != expected)
        fail_msg("\"%.60s\" gives code %d: %s", text, (int)code, e.message);
    job j = {.path = path, .params = p};
    compare(&j, ds, code, &e);
    wlab_dataset_unref(ds);
    wlab_params_destroy(p);
    unlink(path);
}

static void fine(const char *text, const char *options)
{
    check(text, strlen(text), options, WL_OK);
}

static void bad(const char *text, const char *options)
{
    check(text, strlen(text), options, WL_EINPUT);
}

static void test_small(void **state)
{
    (void)state;
    fine("+1 1:1 3:2\n-1 2:1\n", NULL);
    fine("+1 1:1 3:2\n-1 2:1", NULL);
    fine("+1 1:1", NULL);
    fine("1\n", "format=libsvm");
    fine("1\n2\n2\n", "format=libsvm columns=3");
    fine("3 2:1\n\n# a comment\n1 1:1 # another\n2 3:1\n\n\n3 9:1\n", NULL);
    fine("3 2:1\r\n1 1:1\r\n\r\n2 3:1\r\n3 9:1", NULL);
    fine("\n\n\n\n\n\n\n\n# nothing\n\n\n\n\n\n\n1 7:1\n\n\n\n\n", NULL);
    fine("+1 0:1 30:2\n-1 2:1\n+1 3:1\n", NULL);
    fine("+1 2:1 30:2\n-1 2:1\n+1 3:1\n-1 4:1\n+1 0:4\n", NULL); /* only the last row has index 0 */
    fine("+1 2:1 30:2\n-1 2:1\n+1 3:1\n", "base=0");
    fine("+1 2:1 30:2\n-1 2:1\n+1 3:1\n", "base=1 columns=50");
    fine("1 9:1 2:1\n2 5:1 3:1\n3 1:1 4:1 2:1\n1 1:1\n2 2:1 9:1\n3 40:1 2:1\n", NULL);
    fine("1 qid:1 9:1\n2 qid:1 5:1\n3 qid:2 1:1\n1 20:1\n", NULL);
    fine("1 1:0.1 2:0.2\n2 1:0.3\n3 1:0 2:0.7\n1 2:1e-300\n", NULL); /* dense */
    fine("1 1:0 2:0 9:1\n2 1:0\n1 9:0\n2 3:1e-60\n1 4:1\n", NULL);   /* zeros */
    fine("-1 5:1\n0 4:1\n1 9:1\n0 1:1\n1 1:1\n", NULL);              /* unlabelled rows */
    fine("-1 5:1\n0 4:1\n1 9:1\n0 1:1\n1 1:1\n", "label=none");
    fine("+1 5:1\n1 4:1\n1.0 9:1\n2 1:1\n+2 1:1\n", NULL); /* words that are the same number */
    fine("9 5:1\n8 4:1\n7 9:1\n6 1:1\n5 1:1\n4 1:2\n3 1:2\n2 3:2\n1 3:2\n9 3:3\n", NULL);
    fine("5:1 7:2\n1:3\n4:1\n2:5 9:1\n", NULL); /* SVMlin */
    fine("5:1 7:2\n1:3\n4:1\n2:5 9:1\n", "format=svmlin");
    fine("1 5:1\n1 6:1\n1 7:1\n1 8:1\n1 9:1\n2 5:1\n", NULL); /* ranges that begin exactly where lines do */
    fine("1 5:1\n1 6:1\n1 7:1\n1 8:1\n1 9:1\n", NULL);
    /* precomputed kernels, and files that are almost one */
    fine("1 0:1 1:4 2:1\n2 0:2 1:1 2:4\n1 0:3 1:1 2:1\n", NULL);
    fine("1 0:1 1:4 2:1\n2 0:2 1:1 2:4\n1 0:4 1:1 2:1\n", NULL);
    fine("1 0:1 1:4 2:1\n2 0:2 1:1 2:4\n1 1:1 2:1\n", NULL);
}

static void test_faults(void **state)
{
    char zero[] = "1 1:1\n2 2:1\n1 3:1\n2 X:1\n1 1:1\n2 2:1\n";

    (void)state;
    bad("1 1:1\n2 2:1\n1 3:1\n2 x:1\n1 1:1\n2 2:1\n", NULL);
    bad("1 1:1\n2 2:1\n1 3:1\n2 1:1\n1 1:1\n2 2:1\n3 1:2 1:2", NULL);
    bad("1 1:1\n2 2:1\n1 3:1 2:1 3:5\n2 1:1\n1 1:1\n2 2:1\n3 1:2 1:2", NULL); /* of two the first */
    bad("1 1:1\n\n\n\n\n\n#\n\n\n\n\n\n\n\n  a 2:1\n1 1:1\n", NULL);
    bad("1 1:1\n2 2:1\n1 3:1\n1:1\n1 1:1\n2 2:1\n", NULL);
    bad("1 1:1\n2 2:1\n1 3:1\n2 0:1\n1 1:1\n2 2:1\n", "base=1");
    bad("1 1:1\n2 2:1\n1 3:1\n2 9:1\n1 1:1\n2 2:1\n", "columns=4");
    bad("1 1:1\n2 2:1\n1 3:1\n2 2147483647:1\n1 1:1\n", NULL);
    bad("1 99:1\n2 2:1\n1 3:1\n2 7:1e39\n1 1:1\n2 2:1\n", NULL);
    bad("#\n#\n#\n#\n#\n#\n\n", "format=libsvm");
    bad("1 1:1 2:x\n", NULL);
    bad("1.5 9:1\n2.5 1:1\n3.5 1:1\n4.5 1:1\n5.5 1:1\n6.5 1:1\n7.5 1:1\n8.5 1:1\n9.5 1:1\n10.5 1:1\n11.5 "
        "1:1\n",
        NULL);
    zero[21] = 0;
    check(zero, sizeof zero - 1, "format=libsvm", WL_EINPUT);
    check("", 0, NULL, WL_EINPUT);
    check("PK\3\4 1:1\n", 9, NULL, WL_EINPUT);
    check("1 1:1\n", 6, "missing=zero", WL_EARG);
    check("1 1:1\n", 6, "label=3", WL_EARG);

    char path[] = "/no/such/file.libsvm";
    wlab_params *p = reading_options(NULL);
    wlab_dataset *ds = NULL;
    wlab_err e = {0};
    job j = {.path = path, .params = p};
    const wlab_code code = wlab_dataset_load(&ds, path, NULL, p, NULL, &e);
    assert_int_equal(code, WL_EIO);
    compare(&j, NULL, code, &e);
    wlab_params_destroy(p);
}

/* A text of random rows.  kind: bits that say what occurs in it. */
enum {
    DENSE_FIRST = 1,
    DENSE_LAST = 2,
    ZERO_BASED = 4,
    UNSORTED = 8,
    ODD = 16, /* comments, empty lines, \r, qid: */
    TINY = 32 /* values that are 0 in single precision */
};

static void draw_text(wlab_buf *out, int64_t rows, int kind, wlab_rng *rng)
{
    for (int64_t i = 0; i < rows; i++) {
        const bool dense = kind & (i < rows / 2 ? DENSE_FIRST : DENSE_LAST);
        const int cols = 12, first = kind & ZERO_BASED ? 0 : 1;
        assert_int_equal(wlab_buf_printf(out, "%d", (int)wlab_rng_below(rng, 5) - 2), 0);
        if (kind & ODD && wlab_rng_below(rng, 5) == 0)
            wlab_buf_printf(out, " qid:%d", (int)i);
        const bool back = kind & UNSORTED && wlab_rng_below(rng, 3) == 0;
        for (int c = 0; c < cols; c++)
            if (wlab_rng_uniform(rng) < (dense ? 0.9 : 0.2))
                wlab_buf_printf(out, " %d:%.*g", first + (back ? cols - 1 - c : c),
                                (int)wlab_rng_below(rng, 17) + 1,
                                wlab_rng_below(rng, 9) ? wlab_rng_normal(rng)
                                : kind & TINY          ? 1e-60
                                                       : 0.0);
        if (kind & ODD && wlab_rng_below(rng, 5) == 0)
            wlab_buf_printf(out, " # 1:2 %*s", (int)wlab_rng_below(rng, 60), "");
        if (kind & ODD && wlab_rng_below(rng, 5) == 0)
            wlab_buf_printf(out, "\r");
        if (i + 1 < rows || !(kind & ODD))
            wlab_buf_printf(out, "\n");
        for (int k = 0; kind & ODD && i + 1 < rows && k < (int)wlab_rng_below(rng, 6); k++)
            wlab_buf_printf(out, k % 2 ? "# 1 2:3\n" : "\n");
    }
}

static void test_drawn(void **state)
{
    wlab_rng rng;

    (void)state;
    wlab_rng_seed(&rng, 7);
    for (int round = 0; round < REPEATS(160); round++) {
        wlab_buf text = {0};
        draw_text(&text, 1 + (int64_t)wlab_rng_below(&rng, round % 2 ? 9 : 80), (int)wlab_rng_below(&rng, 64),
                  &rng);
        check((const char *)text.data, text.len, NULL, WL_OK);
        /* a fault somewhere in a token, which may also become no fault */
        wlab_params *p = reading_options("format=libsvm");
        wlab_dataset *ds = NULL;
        wlab_err e = {0};
        char path[256];
        for (int k = 0; k < 3; k++)
            text.data[wlab_rng_below(&rng, (uint64_t)text.len)] = (unsigned char)(k % 2 ? 'x' : ':');
        support_temp_file(path, ".libsvm", text.data, text.len);
        const wlab_code code = wlab_dataset_load(&ds, path, NULL, p, NULL, &e);
        job j = {.path = path, .params = p};
        compare(&j, ds, code, &e);
        wlab_dataset_unref(ds);
        wlab_params_destroy(p);
        unlink(path);
        wlab_buf_clear(&text);
    }
}

/* Files of several blocks: the first one decides whether the values are kept in double, also if one rank has only a part
 * of it; and parts of different sizes. */
static void test_large(void **state)
{
    static const int kinds[] = {DENSE_FIRST, DENSE_LAST | UNSORTED, DENSE_FIRST | DENSE_LAST | ZERO_BASED,
                                ODD | TINY, DENSE_FIRST | TINY};
    wlab_rng rng;

    (void)state;
    wlab_rng_seed(&rng, 8);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        wlab_buf text = {0};
        draw_text(&text, 1200, kinds[k], &rng);
        check((const char *)text.data, text.len, NULL, WL_OK);
        if (k > 0) {
            wlab_buf_printf(&text, "\n");
            draw_text(&text, REPEATS(40000), 0, &rng);
            check((const char *)text.data, text.len, NULL, WL_OK);
            wlab_buf_printf(&text, "1 2:1 3:\n");
            check((const char *)text.data, text.len, NULL, WL_EINPUT);
        }
        wlab_buf_clear(&text);
    }
    /* dense by its first lines, but sparse as a whole, with a number that single precision has not */
    wlab_buf text = {0};
    for (int i = 0; i < 2000; i++)
        wlab_buf_printf(&text, i < 1100 ? "1 1:1 2:2\n" : "-1 1:1 900:1 99:%s\n",
                        i == 1900 ? "1e39" : "1e-60");
    check((const char *)text.data, text.len, NULL, WL_ENUMERIC);
    char *huge = strstr((char *)text.data, "1e39");
    memcpy(huge, "1e30", 4);
    check((const char *)text.data, text.len, NULL, WL_OK);
    wlab_buf_clear(&text);
    /* a first line, which is dense, that fills the first block: the sparse lines after it have no say */
    for (int c = 1; text.len < (1 << 20) + 1000; c++)
        wlab_buf_printf(&text, c == 1 ? "1 1:1" : " %d:1", c);
    for (int i = 0; i < 60000; i++)
        wlab_buf_printf(&text, i == 100 ? "\n1 3:1e39" : "\n1 900000:1");
    check((const char *)text.data, text.len, NULL, WL_ENUMERIC);
    wlab_buf_clear(&text);
    /* one line that is longer than all others together, at each place */
    for (int at = 0; at < 4; at++) {
        for (int i = 0; i < 4; i++) {
            wlab_buf_printf(&text, "%d 3:1", i % 2);
            for (int c = 4; i == at && c < 30000; c++)
                wlab_buf_printf(&text, " %d:1", c);
            wlab_buf_printf(&text, i < 3 ? "\n" : "");
        }
        check((const char *)text.data, text.len, NULL, WL_OK);
        wlab_buf_clear(&text);
    }
}

static void refused(const char *text, size_t len, const char *suffix, const char *options, const char *part)
{
    wlab_params *p = reading_options(options);
    char path[256];

    support_temp_file(path, suffix, text, len);
    job j = {.path = path, .params = p};
    for (int s = 0; s < SIZES; s++) {
        run_threaded(sizes[s], on_rank, &j);
        for (int r = 0; r < sizes[s]; r++) {
            assert_int_equal(j.made[r].code, WL_EARG);
            if (!strstr(j.made[r].err.message, part))
                fail_msg("\"%s\" instead of \"...%s...\"", j.made[r].err.message, part);
        }
        clear(&j);
    }
    wlab_params_destroy(p);
    unlink(path);
}

static void test_refused(void **state)
{
    static const char csv[] = "a,b,class\n1,2,x\n3,4,y\n", pairs[] = "1 2:1\n2 3:1\n",
                      bags[] = "a:b:1 1:2\nc:b:1 1:3\n", gzip[] = "\x1f\x8b\x08";

    (void)state;
    refused(csv, strlen(csv), ".csv", NULL,
            "has the format csv: with ranks=all only index:value text that is not compressed can be read");
    refused(gzip, 3, ".libsvm.gz", NULL, "is compressed: with ranks=all only index:value text");
    refused(bags, strlen(bags), ".txt", NULL, "has the format bags: with ranks=all");
    refused(pairs, strlen(pairs), ".libsvm", "classes=1,2", "classes= cannot be used with ranks=all");
    refused(pairs, strlen(pairs), ".libsvm", "one=1", "one= cannot be used with ranks=all");
    refused(pairs, strlen(pairs), ".libsvm", "labels=x", "labels= cannot be used with ranks=all");
    refused(pairs, strlen(pairs), ".libsvm", "truth=x", "truth= cannot be used with ranks=all");
    refused(pairs, strlen(pairs), ".libsvm", "bags=x", "bags= cannot be used with ranks=all");
}

/* ---- generated data ---- */

static wlab_params *parameters(const wlab_generator *g, const char *text)
{
    wlab_params *p = NULL;
    char copy[200], *save = NULL;

    ASSERT_OK(wlab_params_create(&p, g->params, &err), err);
    snprintf(copy, sizeof copy, "%s", text);
    for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        char *eq = strchr(word, '=');
        *eq = 0;
        ASSERT_OK(wlab_params_set(p, word, eq + 1, &err), err);
    }
    return p;
}

static void test_generated(void **state)
{
    static const char *const settings[] = {
        "n=2 d=50 labeled=1",
        "n=7 d=300 labeled=0 seed=4",
        "n=300 d=1000 labeled=30",
        "n=4000 d=900 labeled=100 noise=0.2 positive=0.3 seed=3",
        "n=40 d=30 meanlen=200 topics=1 labeled=3",
        "n=5 d=50 labeled=6" /* refused */,
    };
    const wlab_generator *g = wlab_generator_find("topics");

    (void)state;
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
        wlab_params *p = parameters(g, settings[k]);
        wlab_dataset *ds = NULL;
        wlab_err e = {0};
        const wlab_code code = wlab_dataset_generate(&ds, g, NULL, p, NULL, &e);
        job j = {.generator = g, .params = p};
        assert_int_equal(code, k == 5 ? WL_EARG : WL_OK);
        compare(&j, ds, code, &e);
        wlab_dataset_unref(ds);
        wlab_params_destroy(p);
    }
    g = wlab_generator_find("blobs");
    wlab_params *p = parameters(g, "n=20");
    wlab_err e = {.code = WL_EARG};
    snprintf(
        e.message, sizeof e.message,
        "'generate blobs' makes all rows in one process: the data that can be spread over ranks are topics");
    job j = {.generator = g, .params = p};
    compare(&j, NULL, WL_EARG, &e);
    wlab_params_destroy(p);
}

/* ---- memory, interrupts, and what cannot be done with such data ---- */

/* With every number of allocations after which memory runs out, all ranks say so, and none waits for ever. */
static void run_out(job *j)
{
    for (int s = 0; s < 3; s++) {
        bool failed = true;
        for (long k = 1; failed; k++) {
            wlab_alloc_fail_at(k);
            run_threaded(sizes[s], on_rank, j);
            failed = wlab_alloc_count() >= k;
            wlab_alloc_fail_at(0);
            for (int r = 0; r < sizes[s]; r++) {
                int named;
                assert_int_equal(j->made[r].code, failed ? WL_ENOMEM : WL_OK);
                if (failed && sizes[s] > 1) /* no rank is named where all have failed */
                    assert_true(sscanf(j->made[r].err.message, "rank %d: out of memory", &named) == 1 ||
                                strncmp(j->made[r].err.message, "out of memory", 13) == 0);
                assert_int_equal(j->made[r].own == NULL, failed);
                assert_int_equal(j->made[r].whole == NULL, failed || r > 0);
            }
            clear(j);
        }
    }
}

static void test_memory(void **state)
{
    char path[256];
    const wlab_generator *g = wlab_generator_find("topics");

    (void)state;
    for (int dense = 0; dense < 2; dense++) {
        const char *text =
            dense ? "2 1:1 2:1\n3 2:1 1:4\n1 2:2\n-1 2:0\n" : "2 1:1\n3 9:1 2:4\n1 7:2\n-1 2:0 5:1\n";
        wlab_params *p = reading_options(NULL);
        support_temp_file(path, ".libsvm", text, strlen(text));
        job j = {.path = path, .params = p};
        run_out(&j);
        wlab_params_destroy(p);
        unlink(path);
    }
    wlab_params *p = parameters(g, "n=9 d=40 labeled=3");
    job j = {.generator = g, .params = p};
    run_out(&j);
    wlab_params_destroy(p);
}

/* An interrupt that only one rank sees, at any of its checks, stops all ranks. */
static void stop_everywhere(job *j, const char *message)
{
    long seen = 0;

    for (int s = 0; s < 4; s++)
        for (stops_on = 0; stops_on < sizes[s]; stops_on++) {
            bool stopped = true;
            for (stops_at = 1; stopped; stops_at++) {
                checks = 0;
                run_threaded(sizes[s], on_rank, j);
                stopped = checks >= stops_at;
                seen += stopped;
                for (int r = 0; r < sizes[s]; r++) {
                    assert_int_equal(j->made[r].code, stopped ? WL_EINTERRUPTED : WL_OK);
                    assert_int_equal(j->made[r].own == NULL, stopped);
                    assert_int_equal(j->made[r].whole == NULL, stopped || r > 0);
                    if (stopped && !strstr(j->made[r].err.message, message))
                        fail_msg("\"%s\" instead of \"...%s...\"", j->made[r].err.message, message);
                }
                clear(j);
            }
        }
    stops_at = 0;
    assert_true(seen > 20);
}

static void test_interrupt(void **state)
{
    const char text[] = "2 1:1\n3 9:1 2:4\n1 7:2\n-1 2:0 5:1\n";
    const wlab_generator *g = wlab_generator_find("topics");
    char path[256];
    wlab_params *p = reading_options(NULL);

    (void)state;
    support_temp_file(path, ".libsvm", text, strlen(text));
    job j = {.path = path, .params = p};
    stop_everywhere(&j, "was stopped");
    wlab_params_destroy(p);
    unlink(path);
    p = parameters(g, "n=9 d=40 labeled=3");
    job k = {.generator = g, .params = p};
    stop_everywhere(&k, "");
    wlab_params_destroy(p);
}

static void test_no_values(void **state)
{
    const wlab_generator *g = wlab_generator_find("topics");
    wlab_params *p = parameters(g, "n=20 d=40 labeled=3");
    wlab_dataset *whole = NULL, *scaled = NULL;
    wlab_matrix *own = NULL;
    wlab_spans spans;
    wlab_bag_summary bags;
    wlab_buf text = {0};
    char hex[65];

    (void)state;
    ASSERT_OK(wlab_away_generate(&whole, &own, g, "t", p, NULL, &err), err);
    assert_true(whole->X->away);
    assert_string_equal(whole->name, "t");
    assert_false(wlab_dataset_uneven(whole, &spans, NULL));
    assert_int_equal(spans.wide, -1);
    ASSERT_FAILS(wlab_dataset_scale(&scaled, whole, WL_SCALE_UNIT, NULL, 0, NULL, &err), WL_ESTATE, err,
                 "several ranks");
    ASSERT_FAILS(wlab_libsvm_write(whole, &text, &err), WL_ESTATE, err, "several ranks");
    ASSERT_FAILS(wlab_dataset_sha256(whole, hex, NULL, &err), WL_ESTATE, err, "several ranks");
    ASSERT_OK(wlab_dataset_bag_summary(whole, 1, &bags, &err), err);
    assert_int_equal(bags.bags, 0);
    wlab_dataset_unref(whole);
    wlab_matrix_destroy(own);
    wlab_params_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small),  cmocka_unit_test(test_faults),    cmocka_unit_test(test_drawn),
        cmocka_unit_test(test_large),  cmocka_unit_test(test_refused),   cmocka_unit_test(test_generated),
        cmocka_unit_test(test_memory), cmocka_unit_test(test_interrupt), cmocka_unit_test(test_no_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
