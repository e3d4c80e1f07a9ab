/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Errors, memory, buffers, hashing, words, events.
 */
#include "base/clock.h"
#include "base/progress.h"
#include "base/text.h"
#include "support.h"
#include "weaklab/rng.h"
#include <errno.h>

/* ---- errors ---- */

static void test_error_places(void **state)
{
    (void)state;
    wlab_err err;
    char text[2048];
    assert_int_equal(wlab_fail(NULL, WL_EARG, "%d", 1), WL_EARG);
    assert_int_equal(wlab_fail_at(&err, "a.csv", 3, 14, "found '%s'", "x"), WL_EINPUT);
    assert_string_equal(wlab_err_format(&err, text, sizeof text), "a.csv:3:14: error: found 'x'");
    wlab_fail_at(&err, "a.csv", 3, 0, "short");
    assert_string_equal(wlab_err_format(&err, text, sizeof text), "a.csv:3: error: short");
    wlab_fail_at(&err, "a.csv", 0, 7, "short");
    assert_string_equal(wlab_err_format(&err, text, sizeof text), "a.csv: error: short");
    wlab_fail_at(&err, NULL, 3, 7, "short");
    assert_string_equal(wlab_err_format(&err, text, sizeof text), "error: short");
    wlab_fail(&err, WL_ESTATE, "no data"); /* the place is cleared */
    assert_string_equal(wlab_err_format(&err, text, sizeof text), "error: no data");
    assert_int_equal(err.code, WL_ESTATE);
    assert_int_equal(wlab_nomem(&err), WL_ENOMEM);
    assert_string_equal(err.message, "out of memory");
}

static void test_error_wraps_itself(void **state)
{
    (void)state;
    wlab_err err;
    wlab_fail_at(&err, "f", 1, 2, "inner");
    wlab_fail_at(&err, err.file, 5, 6, "in '%s': %s", err.file, err.message);
    assert_string_equal(err.message, "in 'f': inner");
    assert_string_equal(err.file, "f");
    assert_int_equal(err.line, 5);
}

static void test_error_errno(void **state)
{
    (void)state;
    wlab_err err;
    errno = ENOENT;
    assert_int_equal(wlab_fail_errno(&err, "cannot open '%s'", "x"), WL_EIO);
    assert_string_equal(err.message, "cannot open 'x': No such file or directory");
    errno = ENOMEM;
    assert_int_equal(wlab_fail_errno(NULL, "x"), WL_ENOMEM);
    char name[3000];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    errno = EACCES;
    wlab_fail_errno(&err, "cannot open '%s'", name); /* the reason is kept even with a long name */
    const char *end = ": Permission denied";
    assert_string_equal(err.message + strlen(err.message) - strlen(end), end);
}

/* Text for pipes is cleaned as text for terminals is, except that line ends, tabs, and bytes that are letters in
 * 8-bit character sets are kept. */
static void test_inert(void **state)
{
    (void)state;
    static const char text[] = "a\tb\n\x1b[31m \xc2\x9b"
                               "31m \x9b \xe9 \xc3\xa9 \xe2\x80\xae\xe2\x81\xa9\x7f";
    char *got = wlab_text_inert(text);
    assert_string_equal(got, "a\tb\n [31m  31m ? \xe9 \xc3\xa9    ");
    wlab_free(got);
    got = wlab_json_inert("{\"\xc3\xa9\": \"\xc2\x9b\xe2\x80\xae\x7f \xe6\xbc\xa2\"}\n");
    assert_string_equal(got, "{\"\xc3\xa9\": \"\\u009b\\u202e\\u007f \xe6\xbc\xa2\"}\n");
    wlab_free(got);
    uint32_t c = 1;
    assert_int_equal(wlab_utf8_read("\xe6\xbc\xa2", 3, &c), 3);
    assert_int_equal(c, 0x6f22);
    assert_int_equal(wlab_utf8_read("\xe6\xbc\xa2", 2, &c), 0);
    assert_int_equal(wlab_utf8_read("", SIZE_MAX, &c), 1);
    assert_int_equal(c, 0);
    wlab_alloc_fail_at(1);
    assert_null(wlab_text_inert(text));
    assert_null(wlab_json_inert(text));
    wlab_alloc_fail_at(0);
}

static void test_markdown(void **state)
{
    static const struct {
        const char *text;
        bool code;
        const char *shown;
    } cases[] = {
        {"`cell N` of a_b", true, "`cell N` of a\\_b"},
        {"`cell N` of a_b", false, "\\`cell N\\` of a\\_b"},
        {"`plot a_b <c>` & `d &lt;", true, "`plot a_b <c>` & \\`d \\&lt;"},
        {"`on two\nlines`", true, "\\`on two\nlines\\`"},
        {"``a`` and `b``c`", true, "\\`\\`a\\`\\` and \\`b\\`\\`c\\`"},
        {"", true, ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wlab_buf out = {0};

        assert_int_equal(wlab_text_markdown(&out, cases[i].text, cases[i].code), WL_OK);
        assert_int_equal(wlab_buf_put(&out, "", 1), WL_OK);
        assert_string_equal((const char *)out.data, cases[i].shown);
        wlab_buf_clear(&out);
    }
}

static void test_error_text_is_clean(void **state)
{
    (void)state;
    wlab_err err;
    wlab_fail(&err, WL_EARG, "a\x1b[31m\nb\x7f \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
    assert_string_equal(err.message, "a [31m b  \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
    /* a lone continuation byte, an overlong form, a surrogate, a number past the end of Unicode, a character cut short,
     * a C1 control, and a byte that no character has */
    wlab_fail(&err, WL_EARG, "\x80|\xc0\xaf|\xed\xa0\x80|\xf4\x90\x80\x80|\xe2\x82|\xc2\x9b|\xff");
    assert_string_equal(err.message, "?|\?\?|\?\?\?|\?\?\?\?|\?\?| |?");
    /* characters that change the direction of text: marks, embeddings, an override, isolates; a zero-width joiner is
     * kept */
    wlab_fail(&err, WL_EARG, "%s",
              "\xd8\x9c|\xe2\x80\x8e|\xe2\x80\x8f|\xe2\x80\xaa|\xe2\x80\xae|\xe2\x81\xa6|\xe2\x81\xa9|"
              "\xe2\x80\x8d");
    assert_string_equal(err.message, " | | | | | | |\xe2\x80\x8d");
    char name[3000];
    for (size_t shift = 0; shift < 4; shift++) { /* cut inside a character of three bytes */
        memset(name, 'n', shift);
        for (size_t i = shift; i + 3 < sizeof name; i += 3)
            memcpy(name + i, "\xe2\x82\xac", 4);
        wlab_fail(&err, WL_EARG, "%s", name);
        size_t len = strlen(err.message);
        assert_in_range(len, sizeof err.message - 4, sizeof err.message - 1);
        assert_string_equal(err.message + len - 3, "...");
        assert_null(strchr(err.message, '?'));
    }
}

static void test_error_format_bounds(void **state)
{
    (void)state;
    wlab_err err;
    wlab_fail_at(&err, "name", 1, 2, "message");
    char full[64], text[64];
    wlab_err_format(&err, full, sizeof full);
    for (size_t size = 1; size < sizeof text; size++) {
        memset(text, '!', sizeof text);
        wlab_err_format(&err, text, size);
        assert_in_range(strlen(text), 0, size - 1);
        for (size_t i = size; i < sizeof text; i++)
            assert_int_equal(text[i], '!');
        if (size > strlen(full))
            assert_string_equal(text, full);
    }
}

/* ---- memory ---- */

static void test_alloc(void **state)
{
    (void)state;
    assert_null(wlab_alloc(SIZE_MAX / 2 + 1, 2));
    assert_null(wlab_calloc(SIZE_MAX / 8 + 1, 8));
    assert_null(wlab_alloc(SIZE_MAX, SIZE_MAX));
    void *p = wlab_alloc(0, 8);
    assert_non_null(p);
    assert_null(wlab_realloc(p, SIZE_MAX / 4, 8)); /* p stays valid */
    p = wlab_realloc(p, 0, 8);
    assert_non_null(p);
    p = wlab_free(p);
    assert_null(p);
    unsigned char *z = wlab_calloc(7, 3);
    for (int i = 0; i < 21; i++)
        assert_int_equal(z[i], 0);
    wlab_free(z);
}

static void test_alloc_fails_on_demand(void **state)
{
    (void)state;
    wlab_alloc_fail_at(2);
    void *p = wlab_alloc(1, 1);
    assert_non_null(p);
    assert_null(wlab_calloc(1, 1));
    assert_null(wlab_realloc(p, 10, 1));
    assert_null(wlab_strdup("x"));
    assert_int_equal(wlab_alloc_count(), 4);
    wlab_alloc_fail_at(0);
    assert_int_equal(wlab_alloc_count(), 0);
    p = wlab_realloc(p, 10, 1);
    assert_non_null(p);
    wlab_free(p);
}

static void test_strings(void **state)
{
    (void)state;
    char *a = wlab_strdup("hello"), *b = wlab_strndup("hello", 3), *c = wlab_strndup("hi", 9);
    char *d = wlab_format("%s-%d", "x", 42);
    assert_string_equal(a, "hello");
    assert_string_equal(b, "hel");
    assert_string_equal(c, "hi");
    assert_string_equal(d, "x-42");
    wlab_free(a), wlab_free(b), wlab_free(c), wlab_free(d);
}

/* ---- buffers ---- */

static void test_buf_round_trip(void **state)
{
    (void)state;
    wlab_buf buf = {0};
    wlab_rng rng;
    wlab_rng_seed(&rng, 7);
    unsigned char *all = malloc(100000);
    size_t len = 0;
    while (len < 90000) {
        size_t n = (size_t)wlab_rng_below(&rng, 700);
        for (size_t i = 0; i < n; i++)
            all[len + i] = (unsigned char)wlab_rng_below(&rng, 256);
        assert_int_equal(wlab_buf_put(&buf, all + len, n), WL_OK);
        len += n;
        assert_int_equal(buf.len, len);
        assert_true(buf.cap > len && buf.cap <= (len < 32 ? 64 : 2 * (len + 1)));
    }
    assert_memory_equal(buf.data, all, len);
    unsigned char back[1000];
    size_t at = 0;
    while (at + sizeof back <= len) {
        assert_int_equal(wlab_buf_get(&buf, back, sizeof back), WL_OK);
        assert_memory_equal(back, all + at, sizeof back);
        at += sizeof back;
    }
    back[0] = 77;
    assert_int_equal(wlab_buf_get(&buf, back, len - at + 1), WL_EINPUT);
    assert_int_equal(back[0], 77);
    assert_int_equal(buf.pos, at);
    assert_int_equal(wlab_buf_get(&buf, back, len - at), WL_OK);
    assert_int_equal(wlab_buf_get(&buf, back, 0), WL_OK);
    assert_int_equal(wlab_buf_get(&buf, back, 1), WL_EINPUT);
    buf.pos = SIZE_MAX; /* from a damaged snapshot */
    assert_int_equal(wlab_buf_get(&buf, back, 1), WL_EINPUT);
    assert_int_equal(wlab_buf_put(&buf, back, SIZE_MAX - 3), WL_ENOMEM);
    assert_int_equal(buf.len, len);
    wlab_buf_clear(&buf);
    assert_null(buf.data);
    assert_int_equal(buf.len + buf.cap + buf.pos, 0);
    wlab_buf_clear(&buf);
    free(all);
}

static void test_buf_text(void **state)
{
    (void)state;
    wlab_buf buf = {0};
    assert_int_equal(wlab_buf_printf(&buf, "%s", ""), WL_OK);
    assert_string_equal((char *)buf.data, "");
    for (int i = 0; i < 100; i++)
        assert_int_equal(wlab_buf_printf(&buf, "%d,", i), WL_OK);
    assert_int_equal(strlen((char *)buf.data), buf.len);
    assert_int_equal(strncmp((char *)buf.data, "0,1,2,3,4,5,6,7,8,9,10,", 23), 0);
    wlab_buf_clear(&buf);
}

/* Read one quoted word, following only the description of the language. */
static char *unquote(const char *s)
{
    char *out = malloc(strlen(s) + 1), *o = out;
    while (*s) {
        if (*s == '\'') {
            for (s++; *s != '\''; s++) {
                assert_true(*s != 0);
                *o++ = *s;
            }
            s++;
        } else if (*s == '"') {
            for (s++; *s != '"'; s++) {
                assert_true(*s != 0);
                if (*s == '\\' && (s[1] == '"' || s[1] == '\\'))
                    s++;
                *o++ = *s;
            }
            s++;
        } else {
            assert_null(strchr(" \t;#\\=", *s)); /* would end the word, make it a setting, or be ambiguous */
            *o++ = *s++;
        }
    }
    *o = 0;
    return out;
}

static void test_buf_quote(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"plain", "plain"},         {"", "\"\""},       {"a b", "\"a b\""},
        {"a;b", "\"a;b\""},         {"#1", "\"#1\""},   {"it's", "\"it's\""},
        {"a\"b", "'a\"b'"},         {"a\\b", "'a\\b'"}, {"5%", "5%"},
        {"a=b", "\"a=b\""},         {"%s", "%s"},       {"a'\"", "\"a'\\\"\""},
        {"'\\\\", "\"'\\\\\\\\\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wlab_buf buf = {0};
        assert_int_equal(wlab_buf_quote(&buf, cases[i][0]), WL_OK);
        assert_string_equal((char *)buf.data, cases[i][1]);
        wlab_buf_clear(&buf);
    }
    wlab_rng rng;
    wlab_rng_seed(&rng, 3);
    static const char letters[] = "ab \t'\"\\;#=";
    for (int round = 0; round < 5000; round++) {
        char word[12];
        size_t n = (size_t)wlab_rng_below(&rng, sizeof word);
        for (size_t i = 0; i < n; i++)
            word[i] = letters[wlab_rng_below(&rng, sizeof letters - 1)];
        word[n] = 0;
        wlab_buf buf = {0};
        assert_int_equal(wlab_buf_quote(&buf, word), WL_OK);
        assert_int_equal(strlen((char *)buf.data), buf.len);
        char *back = unquote((char *)buf.data);
        assert_string_equal(back, word);
        free(back);
        wlab_buf_clear(&buf);
    }
}

static wlab_code append_all_kinds(wlab_buf *buf)
{
    char junk[100] = {1};
    wlab_code code = wlab_buf_put(buf, junk, sizeof junk);
    if (!code)
        code = wlab_buf_printf(buf, "%0300d", 1);
    if (!code)
        code = wlab_buf_quote(buf, "a 'b' \"c\"");
    if (code)
        wlab_buf_clear(buf);
    return code;
}

static void test_buf_without_memory(void **state)
{
    (void)state;
    wlab_buf buf = {0};
    ALLOC_SWEEP_CHECK(append_all_kinds(&buf), assert_null(buf.data));
    assert_int_equal(buf.len, 100 + 300 + strlen("\"a 'b' \\\"c\\\"\""));
    size_t len = buf.len;
    char *big = calloc(1, 5000);
    wlab_alloc_fail_at(1);
    assert_int_equal(wlab_buf_put(&buf, big, 5000), WL_ENOMEM);
    wlab_alloc_fail_at(0);
    assert_int_equal(buf.len, len);
    free(big);
    wlab_buf_clear(&buf);
    char word[200];
    memset(word, '\\', sizeof word);
    memcpy(word, "a'", 2);
    word[sizeof word - 1] = 0;
    ALLOC_SWEEP_CHECK(wlab_buf_quote(&buf, word), assert_int_equal(buf.len, 0));
    assert_int_equal(buf.len, 2 + 2 + 2 * (sizeof word - 3));
    wlab_buf_clear(&buf);
}

/* ---- hashing: FIPS 180-4 examples ---- */

static void test_sha256(void **state)
{
    (void)state;
    char hex[65];
    wlab_sha256_hex("abc", 3, hex);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    wlab_sha256_hex(NULL, 0, hex);
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    char *million = malloc(1000000);
    memset(million, 'a', 1000000);
    wlab_sha256_hex(million, 1000000, hex);
    assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(million);
}

/* ---- words ---- */

static const char *const commands[] = {
    "step", "stepi",      "set",     "continue", "objective",     "sigma", "C1",
    "C2",   "sum-to-one", "labeled", "r",        "squared-hinge", "x"};

static const char *nearest(const char *word)
{
    const char *near = wlab_nearest(word, commands, sizeof commands / sizeof *commands);
    return near ? near : "-";
}

static void test_nearest(void **state)
{
    (void)state;
    assert_string_equal(nearest("objektive"), "objective");
    assert_string_equal(nearest("sgima"), "sigma"); /* a swap is one edit */
    assert_string_equal(nearest("SIGMA"), "sigma");
    assert_string_equal(nearest("c1"), "C1");
    assert_string_equal(nearest("C"), "C1"); /* the first of equals */
    assert_string_equal(nearest("C3"), "C1");
    assert_string_equal(nearest("sum_to_one"), "sum-to-one");
    assert_string_equal(nearest("ste"), "step"); /* a beginning has priority over an edit */
    assert_string_equal(nearest("obj"), "objective");
    assert_string_equal(nearest("labels"), "labeled");
    assert_string_equal(nearest("stepiii"), "stepi");
    assert_string_equal(nearest("continues-to-the-end"), "continue");
    assert_string_equal(nearest("sqared-hinge"), "squared-hinge");
    assert_string_equal(nearest("banana"), "-");
    assert_string_equal(nearest("y"),
                        "-"); /* any two letters are one edit apart: that is too many for one letter */
    assert_string_equal(nearest(""), "-");
    char longest[200];
    memset(longest, 's', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    assert_string_equal(nearest(longest), "-");
    assert_null(wlab_nearest("x", NULL, 0));
    const char *const odd[] = {"", longest, NULL, "xyz"};
    assert_string_equal(wlab_nearest("xyy", odd, 4), "xyz");
}

/* The distance that wlab_nearest uses, by recursion according to its definition. */
static int slow_distance(const char *a, size_t i, const char *b, size_t j)
{
    if (i == 0 || j == 0)
        return (int)(i + j);
    int best = slow_distance(a, i - 1, b, j - 1) + (a[i - 1] != b[j - 1]);
    int other = slow_distance(a, i - 1, b, j) + 1;
    best = other < best ? other : best;
    other = slow_distance(a, i, b, j - 1) + 1;
    best = other < best ? other : best;
    if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        other = slow_distance(a, i - 2, b, j - 2) + 1;
        best = other < best ? other : best;
    }
    return best;
}

/* Among words of one length, none of which begins another, the nearest word has the smallest distance. */
static void test_nearest_is_nearest(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 11);
    int found = 0;
    for (int round = 0; round < 300; round++) {
        char words[5][7];
        const char *list[4];
        for (int w = 0; w < 5; w++) {
            for (int i = 0; i < 6; i++)
                words[w][i] = (char)('a' + wlab_rng_below(&rng, 3));
            words[w][6] = 0;
            if (w > 0)
                list[w - 1] = words[w];
        }
        const char *expected = NULL;
        int least = 3; /* words of 6 letters: at most 2 edits */
        for (int w = 0; w < 4; w++) {
            int d = slow_distance(words[0], 6, list[w], 6);
            if (d < least) {
                least = d;
                expected = list[w];
            }
        }
        found += expected != NULL;
        assert_ptr_equal(wlab_nearest(words[0], list, 4), expected);
    }
    assert_in_range(found, 30, 270); /* both results occurred */
}

static void test_parse_real(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } good[] = {{"1e-3", 1e-3},
                {"+1", 1},
                {".5", .5},
                {"5.", 5},
                {"-0", -0.0},
                {"1E+5", 1e5},
                {"007", 7},
                {"-2.5e1", -25},
                {"1e-999", 0},
                {"4.9e-324", 4.9e-324},
                {"0.1", 0.1},
                {"1e22", 1e22},
                {"9007199254740993", 9007199254740992.0}};
    static const char *const bad[] = {"",    " ",        "1 ",    " 1",      "0x10", "inf", "-inf",
                                      "nan", "NaN(1)",   "1e",    "1e+",     "e5",   ".",   "+",
                                      "-",   "1,5",      "1.5.2", "1e999",   "--1",  "1x",  "+-1",
                                      "1d5", "infinity", "1e5.0", "\xd9\xa1"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        double x = 77;
        assert_true(wlab_parse_real(good[i].text, &x));
        assert_true(memcmp(&x, &good[i].value, sizeof x) == 0);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double x = 77;
        if (wlab_parse_real(bad[i], &x) || x != 77)
            fail_msg("\"%s\" was read as %g", bad[i], x);
    }
}

static void test_parse_int(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {{"0", 0},
                {"+5", 5},
                {"-5", -5},
                {"007", 7},
                {"9223372036854775807", INT64_MAX},
                {"-0", 0},
                {"-9223372036854775808", INT64_MIN}};
    static const char *const bad[] = {"",
                                      "+",
                                      "-",
                                      " 1",
                                      "1 ",
                                      "1.0",
                                      "1e3",
                                      "0x1",
                                      "--1",
                                      "one",
                                      "9223372036854775808",
                                      "-9223372036854775809",
                                      "99999999999999999999999"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        int64_t x = 77;
        assert_true(wlab_parse_int(good[i].text, &x));
        assert_true(x == good[i].value);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t x = 77;
        if (wlab_parse_int(bad[i], &x) || x != 77)
            fail_msg("\"%s\" was read as %lld", bad[i], (long long)x);
    }
}

static void test_real_text(void **state)
{
    (void)state;
    char text[32];
    assert_string_equal(wlab_real_text(0.1, text), "0.1");
    assert_string_equal(wlab_real_text(1.0 / 3, text), "0.3333333333333333");
    assert_string_equal(wlab_real_text(0.1 + 0.2, text), "0.30000000000000004");
    assert_string_equal(wlab_real_text(1e22, text), "1e+22");
    assert_string_equal(wlab_real_text(200, text), "200");
    assert_string_equal(wlab_real_text(-0.0, text), "-0");
    assert_string_equal(wlab_real_text(-NAN, text), "nan");
    assert_string_equal(wlab_real_text(-INFINITY, text), "-inf");
    wlab_rng rng;
    wlab_rng_seed(&rng, 5);
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = wlab_rng_next(&rng);
        double x, back;
        memcpy(&x, &bits, sizeof x);
        if (!isfinite(x))
            continue;
        assert_true(strlen(wlab_real_text(x, text)) < sizeof text);
        assert_true(wlab_parse_real(text, &back));
        assert_true(memcmp(&x, &back, sizeof x) == 0);
    }
}

/* ---- events ---- */

typedef struct heard {
    int n;
    wlab_event last;
} heard;

static void store_event(void *sink, const wlab_event *event)
{
    heard *h = sink;
    h->n++;
    h->last = *event;
}

static void test_events(void **state)
{
    (void)state;
    heard h = {0};
    wlab_ctx ctx = {.emit = store_event, .sink = &h}, deaf = {0};
    wlab_emit_note(NULL, "x");
    wlab_emit_note(&deaf, "x");
    wlab_emit_progress(NULL, "rows", 1, 2);
    wlab_emit_note(&ctx, "y%d: %d flips", 7, 3);
    assert_int_equal(h.last.kind, WL_EV_NOTE);
    assert_string_equal(h.last.text, "y7: 3 flips");
    wlab_emit_warning(&ctx, "%0400d", 1);
    assert_int_equal(h.last.kind, WL_EV_WARNING);
    assert_int_equal(strlen(h.last.text), sizeof h.last.text - 1);
    wlab_emit_progress(&ctx, "rows", 5, 10);
    assert_int_equal(h.last.kind, WL_EV_PROGRESS);
    assert_string_equal(h.last.text, "rows");
    assert_true(h.last.done == 5 && h.last.total == 10);
    assert_int_equal(h.n, 3);
    atomic_int stop = 0;
    ctx.interrupt = &stop;
    assert_false(wlab_interrupted(&ctx));
    assert_false(wlab_interrupted(NULL));
    atomic_store(&stop, 1);
    assert_true(wlab_interrupted(&ctx));
}

typedef struct reports {
    pthread_t thread;
    int n;
    int64_t last;
} reports;

static void check_report(void *sink, const wlab_event *event)
{
    reports *t = sink;
    assert_true(pthread_equal(t->thread, pthread_self()));
    assert_string_equal(event->text, "things");
    assert_int_equal(event->total, 1001);
    assert_true(event->done > t->last && event->done <= 1001);
    t->last = event->done;
    t->n++;
}

typedef struct slow {
    atomic_int sum, caller_works;
    pthread_t caller;
} slow;

/* The caller's blocks take long enough for a report; the other threads wait until the caller has a block. */
static void sleep_a_while(void *data, int block)
{
    slow *s = data;
    atomic_fetch_add(&s->sum, block);
    if (pthread_equal(pthread_self(), s->caller)) {
        atomic_store(&s->caller_works, 1);
        usleep(110000);
    }
    while (!atomic_load(&s->caller_works))
        usleep(1000);
}

/* Only the thread that began emits reports, at a limited rate, whichever thread works. */
static void test_progress(void **state)
{
    (void)state;
    reports t = {.thread = pthread_self()};
    wlab_ctx ctx = {.emit = check_report, .sink = &t};
    wlab_progress p;
    slow s = {.caller = pthread_self()};
    assert_int_equal(wlab_pool_create(&ctx.pool, 2, NULL), WL_OK);
    int64_t began = wlab_ms_now();
    wlab_pool_run_progress(&ctx, 14, sleep_a_while, &s, "things", 1001);
    assert_int_equal(atomic_load(&s.sum), 91);
    assert_in_range(t.n, 1, (wlab_ms_now() - began) / 100);
    wlab_pool_run_progress(NULL, 2, sleep_a_while, &s, "things", 1001);
    assert_int_equal(atomic_load(&s.sum), 92);
    t.n = 0;
    t.last = 0;
    began = wlab_ms_now();
    wlab_progress_begin(&p, &ctx, "things", 1001);
    assert_true(p.due <= wlab_ms_now() + 100); /* earlier if the work before it has said nothing for long */
    p.due = INT64_MAX;
    for (int i = 0; i < 100; i++)
        wlab_progress_add(&p, 1);
    assert_int_equal(t.n, 0); /* too soon */
    p.due = began = wlab_ms_now();
    wlab_progress_add(&p, 5);
    assert_true(p.due >= began + 100);
    p.due = INT64_MAX;
    wlab_progress_add(&p, 5);
    assert_int_equal(t.n, 1);
    assert_int_equal(t.last, 105);
    p.due = wlab_ms_now();
    wlab_progress_add(&p, 5000);
    assert_int_equal(t.last, 1001);
    wlab_pool_destroy(ctx.pool);
}

static void test_json_shorten(void **state)
{
    const struct {
        const char *before, *after;
    } pairs[] = {
        {"{\"a\":0.33000000000000002,\"b\":[-1.0999999999999999e-298,2]}",
         "{\"a\":0.33,\"b\":[-1.1e-298,2]}"},
        {"[0.30000000000000004,0.29999999999999999]", "[0.30000000000000004,0.3]"},
        {"[12345678901234567890,1234567890123456.0]",
         "[12345678901234567890,1234567890123456.0]"}, /* unchanged */
        {"[\"0.33000000000000002\",\"\\\"\",0.33000000000000002]", "[\"0.33000000000000002\",\"\\\"\",0.33]"},
        {"[\"\\\\\",0.33000000000000002,\"a\\\" 0.33000000000000002\"]",
         "[\"\\\\\",0.33,\"a\\\" 0.33000000000000002\"]"},
        {"", ""},
        {"0.33000000000000002", "0.33"}};
    char text[200];

    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        snprintf(text, sizeof text, "%s", pairs[i].before);
        wlab_json_shorten(text);
        assert_string_equal(text, pairs[i].after);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_error_places),
        cmocka_unit_test(test_error_wraps_itself),
        cmocka_unit_test(test_error_errno),
        cmocka_unit_test(test_error_text_is_clean),
        cmocka_unit_test(test_inert),
        cmocka_unit_test(test_markdown),
        cmocka_unit_test(test_error_format_bounds),
        cmocka_unit_test(test_alloc),
        cmocka_unit_test(test_alloc_fails_on_demand),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_buf_round_trip),
        cmocka_unit_test(test_buf_text),
        cmocka_unit_test(test_buf_quote),
        cmocka_unit_test(test_buf_without_memory),
        cmocka_unit_test(test_sha256),
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_nearest_is_nearest),
        cmocka_unit_test(test_parse_real),
        cmocka_unit_test(test_json_shorten),
        cmocka_unit_test(test_parse_int),
        cmocka_unit_test(test_real_text),
        cmocka_unit_test(test_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
