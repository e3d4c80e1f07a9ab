/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The command language: words, quotes, settings, places, names of commands.
 */
#include "talk.h"

static wlab_code read_one(wlab_phrase *w, const char *line, wlab_err *err)
{
    size_t pos = 0;
    bool more;
    memset(w, 0, sizeof *w);
    return wlab_phrase_read(w, line, &pos, &more, err);
}

static void words(void **state)
{
    wlab_phrase w;
    wlab_err err = {0};
    (void)state;
    ASSERT_OK(read_one(&w, "  load  a.csv\tas b # a comment; quit", &err), err);
    assert_string_equal(w.name, "load");
    assert_int_equal(w.column, 3);
    assert_int_equal(w.n, 3);
    assert_string_equal(w.word[0], "a.csv");
    assert_string_equal(w.word[2], "b");
    assert_int_equal(w.at[0], 9);
    assert_string_equal(w.rest, "a.csv\tas b");
    wlab_phrase_clear(&w);

    ASSERT_OK(read_one(&w, "   # nothing", &err), err);
    assert_null(w.name);
    assert_string_equal(w.rest, "");
    wlab_phrase_clear(&w);

    /* a # inside a word is no comment */
    ASSERT_OK(read_one(&w, "load a#b.csv", &err), err);
    assert_string_equal(w.word[0], "a#b.csv");
    wlab_phrase_clear(&w);
}

static void quotes(void **state)
{
    wlab_phrase w;
    wlab_err err = {0};
    (void)state;
    ASSERT_OK(read_one(&w, "load \"a b; #c\" 'it\"s' x=\"1 2\" say=it's \"q\\\"\\\\\\n\" \"k=v\" ''", &err),
              err);
    assert_int_equal(w.n, 7);
    assert_string_equal(w.word[0], "a b; #c");
    assert_string_equal(w.word[1], "it\"s");
    assert_string_equal(w.word[2], "x=1 2");
    assert_true(w.plain[2]);
    assert_string_equal(w.word[3], "say=it's");
    assert_string_equal(w.word[4], "q\"\\\\n");
    assert_false(w.plain[5]); /* a quoted word is no setting */
    assert_string_equal(w.word[6], "");
    wlab_phrase_clear(&w);

    ASSERT_FAILS(read_one(&w, "say hello 'open", &err), WL_EINPUT, err, "never closed");
    assert_int_equal(err.column, 11);
    ASSERT_FAILS(read_one(&w, "load a\x01z", &err), WL_EINPUT, err, "control character");
    assert_int_equal(err.column, 7);
    ASSERT_FAILS(read_one(&w, "load 'a\x1b[2Jz'", &err), WL_EINPUT, err, "control character");
}

static void several(void **state)
{
    static const char line[] = "a 1; ;b 'x;y' ; c";
    static const char *const names[] = {"a", NULL, "b", "c"};
    wlab_err err = {0};
    size_t pos = 0;
    bool more = true;
    int n = 0;
    (void)state;
    for (; more; n++) {
        wlab_phrase w = {0};
        ASSERT_OK(wlab_phrase_read(&w, line, &pos, &more, &err), err);
        assert_in_range(n, 0, 3);
        if (names[n])
            assert_string_equal(w.name, names[n]);
        else
            assert_null(w.name);
        wlab_phrase_clear(&w);
    }
    assert_int_equal(n, 4);
}

static void settings(void **state)
{
    (void)state;
    assert_int_equal(wlab_setting_length("gamma=0.5"), 5);
    assert_int_equal(wlab_setting_length("C1="), 2);
    assert_int_equal(wlab_setting_length("gap==1"), 0);
    assert_int_equal(wlab_setting_length("=1"), 0);
    assert_int_equal(wlab_setting_length("1x=1"), 0);
    assert_int_equal(wlab_setting_length("a/b=1"), 0);
    assert_int_equal(wlab_setting_length("plain"), 0);
}

/* What wlab_buf_quote writes is read back as the same single word. */
static void quoting(void **state)
{
    static const char alphabet[] = "ab =;#'\"\\\t/.-x\xc3\xa9";
    wlab_rng rng;
    (void)state;
    wlab_rng_seed(&rng, 5);
    for (int k = 0; k < 20000; k++) {
        char word[12];
        int n = (int)wlab_rng_below(&rng, sizeof word);
        for (int i = 0; i < n; i++)
            word[i] = alphabet[wlab_rng_below(&rng, sizeof alphabet - 1)];
        word[n] = '\0';
        wlab_buf line = {0};
        wlab_err err = {0};
        wlab_phrase w;
        assert_int_equal(wlab_buf_printf(&line, "name "), WL_OK);
        assert_int_equal(wlab_buf_quote(&line, word), WL_OK);
        ASSERT_OK(read_one(&w, (const char *)line.data, &err), err);
        assert_int_equal(w.n, 1);
        assert_string_equal(w.word[0], word);
        wlab_phrase_clear(&w);
        wlab_buf_clear(&line);
    }
}

/* Any bytes give words, or an error with a place in the line; reading always ends within the line. */
static void anything(void **state)
{
    wlab_rng rng;
    (void)state;
    wlab_rng_seed(&rng, 6);
    for (int k = 0; k < 50000; k++) {
        char line[40];
        int n = (int)wlab_rng_below(&rng, sizeof line);
        for (int i = 0; i < n; i++)
            line[i] = wlab_rng_below(&rng, 3) ? "a=b;#'\" \\"[wlab_rng_below(&rng, 9)]
                                              : (char)(1 + wlab_rng_below(&rng, 255));
        line[n] = '\0';
        size_t pos = 0;
        bool more = true;
        int rounds = 0;
        while (more) {
            wlab_phrase w = {0};
            wlab_err err = {0};
            size_t before = pos;
            if (wlab_phrase_read(&w, line, &pos, &more, &err)) {
                assert_in_range(err.column, 1, n + 1);
                assert_false(more);
            } else {
                assert_true(pos > before || !more);
                assert_true(pos <= (size_t)n);
            }
            wlab_phrase_clear(&w);
            assert_true(++rounds <= n + 1);
        }
    }
}

static wlab_code none(wlab_session *s, const wlab_args *a, wlab_err *err)
{
    (void)s;
    (void)a;
    (void)err;
    return WL_OK;
}

static const wlab_command step = {.name = "step", .alias = "s", .execute = none},
                          stepi = {.name = "stepi", .alias = "si", .execute = none},
                          source = {.name = "source", .execute = none},
                          back = {.name = "back", .execute = none};
static const wlab_command *const table[] = {&back, &source, &step, &stepi, NULL};

static void names(void **state)
{
    const wlab_command *c = NULL;
    wlab_err err = {0};
    (void)state;
    ASSERT_OK(wlab_command_find(table, "step", true, &c, &err), err);
    assert_ptr_equal(c, &step); /* a whole name wins over longer ones */
    ASSERT_OK(wlab_command_find(table, "s", true, &c, &err), err);
    assert_ptr_equal(c, &step); /* an alias wins over beginnings */
    ASSERT_OK(wlab_command_find(table, "b", true, &c, &err), err);
    assert_ptr_equal(c, &back);
    ASSERT_FAILS(wlab_command_find(table, "st", true, &c, &err), WL_EARG, err,
                 "ambiguous command: st, could be: step, stepi");
    ASSERT_FAILS(wlab_command_find(table, "", true, &c, &err), WL_EARG, err, "unknown command");
    ASSERT_FAILS(wlab_command_find(table, "setp", true, &c, &err), WL_EARG, err, "did you mean \"step\"");
    /* scripts must use full names; the error suggests one */
    ASSERT_FAILS(wlab_command_find(table, "b", false, &c, &err), WL_EARG, err, "unknown command \"b\"");
    ASSERT_FAILS(wlab_command_find(table, "s", false, &c, &err), WL_EARG, err, "did you mean \"step\"");
    ASSERT_FAILS(wlab_command_find(table, "sour", false, &c, &err), WL_EARG, err, "did you mean \"source\"");
}

/* A line of 20000 words is read with about one allocation per word.  A line of 20000 commands is read to its end. */
static void long_lines(void **state)
{
    enum {
        MANY = 20000
    };
    char *line = malloc(2 * MANY + 10);
    wlab_phrase w;
    wlab_err err;
    size_t pos = 0;
    bool more = true;
    int n = 0;
    (void)state;
    assert_non_null(line);
    strcpy(line, "say");
    for (int i = 0; i < MANY; i++)
        memcpy(line + 3 + 2 * i, " x", 3);
    wlab_alloc_fail_at(1000000000);
    ASSERT_OK(read_one(&w, line, &err), err);
    assert_in_range(wlab_alloc_count(), MANY, MANY + 100);
    wlab_alloc_fail_at(0);
    assert_int_equal(w.n, MANY);
    assert_string_equal(w.word[MANY - 1], "x");
    assert_int_equal(w.at[MANY - 1], 2 * MANY + 3);
    wlab_phrase_clear(&w);
    for (int i = 0; i < MANY; i++)
        memcpy(line + 2 * i, "x;", 3);
    for (; more; n++) {
        ASSERT_OK(wlab_phrase_read(&w, line, &pos, &more, &err), err);
        assert_true((n < MANY) == (w.name != NULL));
        wlab_phrase_clear(&w);
    }
    assert_int_equal(n, MANY + 1);
    free(line);
}

static void memory(void **state)
{
    wlab_phrase w;
    wlab_err err;
    (void)state;
    ALLOC_SWEEP(read_one(&w, "load 'a b' c=1 d e f g # h", &err));
    wlab_phrase_clear(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),    cmocka_unit_test(quotes),  cmocka_unit_test(several),
        cmocka_unit_test(settings), cmocka_unit_test(quoting), cmocka_unit_test(anything),
        cmocka_unit_test(names),    cmocka_unit_test(memory),  cmocka_unit_test(long_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
