/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tests of writing: where a script may write and where not, and that nobody sees half a file.
 */
#include "talk.h"
#include <dirent.h>
#include <fcntl.h>

static const char *const csv[] = {"csv", "jsonl", NULL};

static int entries(const char *folder)
{
    int n = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));)
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(d);
    return n;
}

static wlab_code write_as(talk *t, wlab_origin origin, const char *path, const char *text, bool commit)
{
    wlab_output *o = NULL;
    t->s->origin = origin;
    wlab_code code = wlab_output_open(&o, t->s, path, csv, &t->err);
    if (code) {
        assert_null(o);
        return code;
    }
    code = wlab_output_write(o, text, strlen(text), &t->err);
    wlab_code closed = wlab_output_close(o, commit && !code, &t->err);
    return code ? code : closed;
}

static void script(void **state)
{
    char folder[256], path[512];
    talk t;
    struct stat st;
    (void)state;
    talk_begin(&t, false, talk_folder(folder));
    ASSERT_OK(write_as(&t, WL_FROM_SCRIPT, "a.csv", "one", true), t.err);
    ASSERT_OK(write_as(&t, WL_FROM_SCRIPT, "deep/er/b.jsonl", "two", true), t.err);
    ASSERT_OK(write_as(&t, WL_FROM_SCRIPT, "./a.csv", "three", true), t.err);
    snprintf(path, sizeof path, "%s/a.csv", folder);
    char *text = talk_read(path);
    assert_string_equal(text, "three");
    free(text);
    snprintf(path, sizeof path, "%s/deep/er/b.jsonl", folder);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(entries(folder), 2);
    /* not committed: as if nothing had been */
    ASSERT_OK(write_as(&t, WL_FROM_SCRIPT, "a.csv", "four", false), t.err);
    ASSERT_OK(write_as(&t, WL_FROM_SCRIPT, "c.csv", "five", false), t.err);
    snprintf(path, sizeof path, "%s/a.csv", folder);
    text = talk_read(path);
    assert_string_equal(text, "three");
    free(text);
    assert_int_equal(entries(folder), 2);
    talk_end(&t);
}

static void attacks(void **state)
{
    static const char *const paths[] = {
        "/tmp/evil.csv",
        "../evil.csv",
        "a/../../evil.csv",
        "a/../b.csv",
        ".bashrc.csv",
        ".csv",
        "a/.ssh/x.csv",
        "a//b.csv",
        "",
        "a/",
        "..",
        "evil.sh",
        "evil",
        "csv",
        "a.csv/",
        "a.CSV",
        "a.csv.exe",
        "link.csv",
        "linkdir/a.csv",
        "folder.csv",
        "dangling.csv",
        "a.png",
        "a.csv~",
    };
    char folder[256], outside[256], path[600];
    talk t;
    (void)state;
    talk_folder(outside);
    talk_begin(&t, false, talk_folder(folder));
    snprintf(path, sizeof path, "%s/target.csv", outside);
    talk_write(path, "untouched");
    char name[600];
    snprintf(name, sizeof name, "%s/link.csv", folder);
    assert_int_equal(symlink(path, name), 0);
    snprintf(name, sizeof name, "%s/linkdir", folder);
    assert_int_equal(symlink(outside, name), 0);
    snprintf(name, sizeof name, "%s/dangling.csv", folder);
    assert_int_equal(symlink("/tmp/weaklab-nothing-here", name), 0);
    snprintf(name, sizeof name, "%s/folder.csv", folder);
    assert_int_equal(mkdir(name, 0700), 0);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        t.err.message[0] = '\0';
        wlab_code code = write_as(&t, WL_FROM_SCRIPT, paths[i], "evil", true);
        if (code == WL_OK || !t.err.message[0])
            fail_msg("a script may write \"%s\" (%s)", paths[i], t.err.message);
    }
    char *text = talk_read(path);
    assert_string_equal(text, "untouched");
    free(text);
    assert_int_equal(entries(outside), 1);
    assert_int_equal(access("/tmp/evil.csv", F_OK), -1);
    snprintf(name, sizeof name, "%s/../evil.csv", folder);
    assert_int_equal(access(name, F_OK), -1);
    talk_end(&t);
}

/* What scripts are refused stays refused through the commands, whatever they are. */
static void commands(void **state)
{
    char folder[256];
    talk t;
    (void)state;
    talk_begin(&t, false, talk_folder(folder));
    ASSERT_FAILS(tell_script(&t, "record /tmp/evil.wlab"), WL_EARG, t.err, "a script may not write");
    assert_string_equal(t.err.file, "demo.wlab");
    assert_int_equal(t.err.line, 7);
    ASSERT_FAILS(tell_script(&t, "record ../evil.wlab"), WL_EARG, t.err, "a script may not write");
    ASSERT_FAILS(tell_script(&t, "record notes.txt"), WL_EARG, t.err, ".wlab");
    ASSERT_OK(tell_script(&t, "record fine.wlab; say hello; record stop"), t.err);
    assert_int_equal(entries(folder), 1);
    talk_end(&t);
}

static void person(void **state)
{
    char folder[256], path[512], link[512];
    talk t;
    struct stat st;
    (void)state;
    talk_begin(&t, false, "/nowhere");
    talk_folder(folder);
    snprintf(path, sizeof path, "%s/x/y/../y/a.csv", folder);
    ASSERT_FAILS(write_as(&t, WL_FROM_PERSON, folder, "", true), WL_EARG, t.err, "must end in .csv, .jsonl");
    snprintf(path, sizeof path, "%s/x/y/a.csv", folder);
    ASSERT_OK(write_as(&t, WL_FROM_PERSON, path, "one", true), t.err);
    /* a person's link stays a link, and what it points to is written */
    snprintf(link, sizeof link, "%s/link.csv", folder);
    assert_int_equal(symlink(path, link), 0);
    ASSERT_OK(write_as(&t, WL_FROM_PERSON, link, "two", true), t.err);
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    char *text = talk_read(path);
    assert_string_equal(text, "two");
    free(text);
    assert_int_equal(chmod(path, 0600), 0);
    ASSERT_OK(write_as(&t, WL_FROM_PERSON, path, "three", true), t.err);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    ASSERT_FAILS(write_as(&t, WL_FROM_PERSON, "/proc/none/a.csv", "x", true), WL_EIO, t.err, "cannot");
    talk_end(&t);
}

/* /dev/full under an allowed name: the error is told, nothing is left behind. */
static void full_disk(void **state)
{
    char folder[256], link[512];
    talk t;
    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    talk_begin(&t, false, ".");
    talk_folder(folder);
    snprintf(link, sizeof link, "%s/full.csv", folder);
    assert_int_equal(symlink("/dev/full", link), 0);
    ASSERT_FAILS(write_as(&t, WL_FROM_PERSON, link, "some text", true), WL_EIO, t.err, "No space left");
    assert_int_equal(entries(folder), 1);
    talk_end(&t);
}

static wlab_code try_write(talk *t)
{
    return write_as(t, WL_FROM_SCRIPT, "a/b.csv", "text", true);
}

static void memory(void **state)
{
    char folder[256];
    talk t;
    (void)state;
    talk_begin(&t, false, talk_folder(folder));
    ALLOC_SWEEP(try_write(&t));
    talk_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(script), cmocka_unit_test(attacks),   cmocka_unit_test(commands),
        cmocka_unit_test(person), cmocka_unit_test(full_disk), cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
