/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is said to words that stand where they should not, and to commands that lack something.
 */
#include "talk.h"

static void test_stray(void **state)
{
    static const struct {
        const char *line, *says;
    } wrong[] = {
        {"task ssl labeled==4", "\"labeled==4\" is not key=value; write labeled=4"},
        {"task ssl labeled=5 %", "\"%\" is not key=value; write labeled=5% without blanks"},
        {"task ssl labeled = 4 seed=1", "write labeled=4 without blanks"},
        {"task ssl labeled seed=1", "write labeled=..."},
        {"algo wellsvm C2", "\"C2\" is not key=value; write C2=..."},
        {"algo wellsvm C2 = 1", "\"C2\" is not key=value; write C2=1 without blanks"},
        {"algo wellsvm C2= 1", "write C2=1 without blanks"},
        {"algo wellsvm C2 =1", "write C2=1 without blanks"},
        {"generate two-moons n 100", "write n=100 without blanks"},
        {"algo wellsvm ==", "\"==\" is not key=value"},
        {"algo wellsvm \"a b\"", "\"a b\" is not key=value"},
        {"set C2 1", "write C2=1 without blanks"},
        {"generate moons", "did you mean \"two-moons\""},
        {"set C2=1", "there is no run"},
        {"get C2", "there is no run"},
        {"delete", "delete which"},
        {"undisplay", "undisplay which"},
    };
    talk t;
    (void)state;

    talk_begin(&t, false, ".");
    TELL(&t, "generate blobs n=20");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        TELL_FAILS(&t, wrong[i].line, strstr(wrong[i].says, "no run") ? WL_ESTATE : WL_EARG, wrong[i].says);
    talk_end(&t);
}

static void test_place(void **state)
{
    talk t;
    (void)state;

    talk_begin(&t, false, ".");
    assert_int_equal(wlab_session_line(t.s, "say x;  nosuch", WL_FROM_PERSON, "-e", 2, &t.err), WL_EARG);
    assert_string_equal(t.err.file, "-e");
    assert_int_equal(t.err.line, 2);
    assert_int_equal(t.err.column, 9);
    assert_int_equal(wlab_session_line(t.s, "  nosuch", WL_FROM_PERSON, "-e", 3, &t.err), WL_EARG);
    assert_int_equal(t.err.column, 0); /* the only command of its line */
    talk_end(&t);
}

static void test_eval(void **state)
{
    char dir[256], path[300];
    talk t;
    (void)state;

    talk_folder(dir);
    snprintf(path, sizeof path, "%s/three.csv", dir);
    talk_write(path, "x,y,class\n1,2,a\n2,1,b\n3,5,c\n4,1,a\n5,2,b\n6,6,c\n");
    talk_begin(&t, false, dir);
    TELL(&t, "generate blobs n=20");
    TELL(&t, "task supervised");
    TELL(&t, "algo svm");
    TELL(&t, "step");
    TELL_FAILS(&t, "eval unlabeled", WL_ESTATE, "there are no unlabeled rows");
    TELL(&t, "generate blobs as wide n=10 dims=3");
    TELL(&t, "eval wide");
    assert_non_null(strstr(t.messages, "wide has 3 columns, the model has 2: the others are not looked at"));
    char line[400];
    snprintf(line, sizeof line, "load %s", path);
    TELL(&t, line);
    TELL(&t, "task cluster");
    TELL(&t, "algo wellsvm");
    TELL(&t, "step");
    TELL(&t, "eval");
    assert_non_null(strstr(t.messages,
                           "three has 3 classes, and the task does not say which one is positive: "
                           "`task cluster positive=a`, say"));
    talk_end(&t);
    remove(path);
    remove(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stray),
        cmocka_unit_test(test_place),
        cmocka_unit_test(test_eval),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
