/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tests of writing files: the places where a script may write, and that no half-written file is ever visible.
 */
#include "talk.h"
#include "tui/prompt/history.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>

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
    t->s->now.origin = origin;
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
    /* not committed: nothing has changed */
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

/* `record` in a script writes only where a script may write. */
static void commands(void **state)
{
    char folder[256];
    talk t;
    (void)state;
    talk_begin(&t, false, talk_folder(folder));
    ASSERT_FAILS(exec_script(&t, "record /tmp/evil.wlab"), WL_EARG, t.err, "a script may not write");
    assert_string_equal(t.err.file, "demo.wlab");
    assert_int_equal(t.err.line, 7);
    ASSERT_FAILS(exec_script(&t, "record ../evil.wlab"), WL_EARG, t.err, "a script may not write");
    ASSERT_FAILS(exec_script(&t, "record notes.txt"), WL_EARG, t.err, ".wlab");
    ASSERT_OK(exec_script(&t, "record fine.wlab; say hello; record stop"), t.err);
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
    /* the user may write to a link: the link remains, and the file to which it points is written */
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

/* The user writes to a link to /dev/full: the system's error is reported, and the folder has only the link. */
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

/* ---- the calls that reach the disk, in order: these functions replace the library's ---- */

static char calls[64];
static int sync_fails; /* errno, or 0 */

static void note_call(char what)
{
    size_t n = strlen(calls);
    if (n + 1 < sizeof calls)
        calls[n] = what;
}

int fsync(int fd)
{
    struct stat st;
    note_call(fstat(fd, &st) == 0 && S_ISDIR(st.st_mode) ? 'd' : 'f');
    errno = sync_fails;
    return sync_fails ? -1 : (int)syscall(SYS_fsync, fd);
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
    note_call('r');
    return (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, 0);
}

static void order_on_the_disk(void **state)
{
    char folder[256], path[512];
    talk t;
    (void)state;
    talk_begin(&t, false, talk_folder(folder));
    for (int again = 0; again < 2; again++) { /* a new file, and one that replaces another */
        memset(calls, 0, sizeof calls);
        ASSERT_OK(write_as(&t, WL_FROM_SCRIPT, "a.csv", again ? "two" : "one", true), t.err);
        assert_string_equal(calls, "frd");
    }
    memset(calls, 0, sizeof calls);
    ASSERT_OK(write_as(&t, WL_FROM_SCRIPT, "a.csv", "given up", false), t.err);
    assert_string_equal(calls, "");
    sync_fails = EIO; /* the disk has failed: only the old file remains */
    ASSERT_FAILS(write_as(&t, WL_FROM_SCRIPT, "a.csv", "three", true), WL_EIO, t.err, "cannot write");
    assert_string_equal(calls, "f");
    sync_fails = EINVAL; /* a file system without fsync */
    ASSERT_OK(write_as(&t, WL_FROM_SCRIPT, "b.csv", "four", true), t.err);
    sync_fails = 0;
    snprintf(path, sizeof path, "%s/a.csv", folder);
    char *text = talk_read(path);
    assert_string_equal(text, "two");
    free(text);
    assert_int_equal(entries(folder), 2);
    talk_end(&t);
}

/* A recording does not destroy an older one of the same name: that one is kept as NAME~, and is on the disk before
 * the new one is opened. */
static void recordings(void **state)
{
    char folder[256];
    talk t;
    (void)state;
    for (int again = 0; again < 2; again++) {
        if (!again)
            talk_folder(folder);
        talk_begin(&t, false, folder);
        memset(calls, 0, sizeof calls);
        ASSERT_OK(exec_script(&t, "record a.wlab; say hello; record stop"), t.err);
        assert_string_equal(calls, again ? "frd" : "");
        talk_end(&t);
    }
    assert_int_equal(entries(folder), 2);
}

/* The file of typed lines is rewritten when a prompt ends. */
static void history(void **state)
{
    char folder[256], path[512];
    (void)state;
    talk_folder(folder);
    snprintf(path, sizeof path, "%s/history", folder);
    wlab_history_load(path);
    for (int i = 0; i < 3; i++)
        wlab_history_add(path, i == 1 ? "step" : "runs");
    memset(calls, 0, sizeof calls);
    wlab_history_save(path);
    assert_string_equal(calls, "frd");
    char *text = talk_read(path);
    assert_string_equal(text, "step\nruns\n");
    free(text);
    assert_int_equal(entries(folder), 1);
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
        cmocka_unit_test(script),
        cmocka_unit_test(attacks),
        cmocka_unit_test(commands),
        cmocka_unit_test(person),
        cmocka_unit_test(full_disk),
        cmocka_unit_test(memory),
        cmocka_unit_test(order_on_the_disk),
        cmocka_unit_test(history),
        cmocka_unit_test(recordings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
