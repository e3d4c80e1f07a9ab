/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The glossary: each term is found under each of its names, no name belongs to two terms, and docs/glossary.md has the
 * same text.  `test_glossary write` writes the entries into that page.
 */
#include "session/help/glossary.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>

#define PAGE  "docs/glossary.md"
#define BEGIN "<!-- entries: written by build/tests/test_glossary write -->\n"
#define END   "<!-- end of entries -->\n"

static void test_names(void **state)
{
    (void)state;
    for (const wlab_term *t = wlab_glossary; t->name; t++) {
        assert_ptr_equal(wlab_term_find(t->name), t);
        assert_true(strlen(t->meaning) > 20);
        if (!t->also)
            continue;
        assert_int_equal(t->also[0], '|');
        for (const char *p = t->also; p[1]; p += strcspn(p + 1, "|") + 1) {
            char name[64];

            snprintf(name, sizeof name, "%.*s", (int)strcspn(p + 1, "|"), p + 1);
            assert_true(*name);
            if (wlab_term_find(name) != t)
                fail_msg("\"%s\" of \"%s\" finds another term or none", name, t->name);
        }
        assert_int_equal(t->also[strlen(t->also) - 1], '|');
    }
}

static void test_spelling(void **state)
{
    (void)state;
    assert_non_null(wlab_term_find("working_set"));
    assert_ptr_equal(wlab_term_find("Working Set"), wlab_term_find("working-set"));
    assert_ptr_equal(wlab_term_find("svm"), wlab_term_find("SVM"));
    assert_ptr_not_equal(wlab_term_find("C"), wlab_term_find("B")); /* single letters as they are */
    assert_non_null(wlab_term_find("certified"));
    assert_non_null(wlab_term_find("Branch and Bound"));
    assert_ptr_equal(wlab_term_find("proportion"), wlab_term_find("llp"));
    assert_ptr_equal(wlab_term_find("multi-instance"), wlab_term_find("mil"));
    assert_ptr_equal(wlab_term_find("integer_upper"), wlab_term_find("upper bound"));
    assert_ptr_equal(wlab_term_find("mean-map"), wlab_term_find("MeanMap"));
    assert_ptr_equal(wlab_term_find("invcal"), wlab_term_find("InvCal"));
    assert_ptr_equal(wlab_term_find("bag_error"), wlab_term_find("bag error"));
    assert_ptr_not_equal(wlab_term_find("C*"), wlab_term_find("annealing"));
    assert_ptr_not_equal(wlab_term_find("proven"), wlab_term_find("converged"));
    /* the words of verdicts */
    assert_ptr_equal(wlab_term_find("relaxation proven"), wlab_term_find("proven"));
    assert_ptr_equal(wlab_term_find("% open"), wlab_term_find("open"));
    assert_string_equal(wlab_term_find("open")->name, "open");
    assert_null(wlab_term_find("c"));
    assert_null(wlab_term_find(""));
    assert_null(wlab_term_find("|"));
    assert_null(wlab_term_find("working"));
    assert_null(wlab_term_find("working set |C|"));
}

/* ---- docs/glossary.md ---- */

/* Text as Markdown shows it literally, except that words in back quotes are code. */
static void put_text(FILE *out, const char *text)
{
    bool code = false;

    for (; *text; text++) {
        code = code != (*text == '`');
        if (!code && strchr("*<", *text))
            fputc('\\', out);
        fputc(*text, out);
    }
}

static void put_item(FILE *out, const char *title, const char *text, const char *quote)
{
    if (!text)
        return;
    fprintf(out, "- %s: %s", title, quote);
    if (*quote)
        fputs(text, out);
    else
        put_text(out, text);
    fprintf(out, "%s\n", quote);
}

static void put_names(FILE *out, const char *also)
{
    const char *before = "- Also: ";

    for (const char *p = also; p && p[1]; p += strcspn(p + 1, "|") + 1) {
        fprintf(out, "%s`%.*s`", before, (int)strcspn(p + 1, "|"), p + 1);
        before = ", ";
    }
    if (also)
        fputc('\n', out);
}

/* The entries as the page has them; the caller frees the text. */
static char *write_entries(void)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    for (const wlab_term *t = wlab_glossary; t->name; t++) {
        assert_true(t->group || t > wlab_glossary);
        if (t->group)
            fprintf(out, "\n## %s\n", t->group);
        fprintf(out, "\n### ");
        put_text(out, t->name);
        fprintf(out, "\n\n");
        put_text(out, t->meaning);
        fprintf(out, "\n\n");
        put_item(out, "Equation", t->notation, "`");
        put_item(out, "Watch", t->watch, "");
        put_item(out, "Source", t->source, "");
        put_names(out, t->also);
    }
    fprintf(out, "\n");
    assert_int_equal(fclose(out), 0);
    return text;
}

static char *read_page(void)
{
    FILE *in = fopen(PAGE, "rb");
    char *text = calloc(1, 1 << 18);

    assert_non_null(in);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 18) - 1, in) > 0);
    assert_int_equal(fclose(in), 0);
    return text;
}

static void test_page(void **state)
{
    (void)state;
    char *page = read_page(), *entries = write_entries();
    char *begin = strstr(page, BEGIN), *end = strstr(page, END);

    assert_non_null(begin);
    assert_non_null(end);
    begin += strlen(BEGIN);
    *end = '\0';
    size_t at = 0;
    while (begin[at] && begin[at] == entries[at])
        at++;
    if (begin[at] != entries[at])
        fail_msg("%s differs from the glossary at '%.60s'; `build/tests/test_glossary write` updates it",
                 PAGE, entries + at);
    free(page);
    free(entries);
}

static void write_page(void)
{
    char *page = read_page(), *entries = write_entries();
    char *begin = strstr(page, BEGIN), *end = strstr(page, END);
    FILE *out = begin && end ? fopen(PAGE, "wb") : NULL;

    assert_non_null(out);
    fprintf(out, "%.*s%s%s", (int)(begin - page) + (int)strlen(BEGIN), page, entries, end);
    assert_int_equal(fclose(out), 0);
    free(page);
    free(entries);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_spelling),
        cmocka_unit_test(test_page),
    };

    if (argc > 1 && strcmp(argv[1], "write") == 0) {
        write_page();
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
