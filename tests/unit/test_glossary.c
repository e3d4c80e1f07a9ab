/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The glossary: every word is found, under all its names, and no name stands twice.
 */
#include "session/help/glossary.h"
#include "support.h"

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
                fail_msg("\"%s\" of \"%s\" is found elsewhere or nowhere", name, t->name);
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
    assert_null(wlab_term_find("c"));
    assert_null(wlab_term_find(""));
    assert_null(wlab_term_find("|"));
    assert_null(wlab_term_find("working"));
    assert_null(wlab_term_find("working set |C|"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_spelling),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
