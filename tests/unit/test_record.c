/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tests of recordings and of their replay.
 */
#include "talk.h"
#include <signal.h>
#include <sys/resource.h>

static const char demo[] =
    "gen two-moons n=40 noise=0.1 seed=3; split test=0.25 seed=2; task ssl labeled=4; algo "
    "wellsvm kernel=rbf; s; s 2";

/* Record a line of the user to folder/name; returns the text of the file, and its path in `path`. */
static char *record(const char *folder, const char *name, const char *line, char path[512])
{
    talk t;
    snprintf(path, 512, "%s/%s", folder, name);
    talk_begin(&t, false, folder);
    ASSERT_OK(wlab_session_record(t.s, path, WL_FROM_PERSON, &t.err), t.err);
    EXEC(&t, line);
    ASSERT_OK(wlab_session_record_stop(t.s, &t.err), t.err);
    talk_end(&t);
    return talk_read(path);
}

static wlab_code replay(const char *path, bool check, wlab_err *err, char *said)
{
    talk t;
    talk_begin(&t, false, ".");
    wlab_code code = wlab_session_replay(t.s, path, check, 1e-6, 0, &t.err);
    *err = t.err;
    if (said)
        snprintf(said, 4096, "%.4000s", t.messages);
    talk_end(&t);
    return code;
}

static void full_names(void **state)
{
    char folder[256], path[512];
    (void)state;
    char *text = record(talk_folder(folder), "a.wlab", demo, path);
    assert_non_null(text);
    assert_int_equal(
        strncmp(text, "#@ weaklab " WLAB_VERSION " session 5  build=0123456789abcdef blas=OpenBLAS", 60), 0);
    assert_non_null(
        strstr(text, " threads=1 seed=1\ngenerate two-moons n=40 noise=0.1 seed=3\n#@ data two-moons rows=40 "
                     "cols=2 sha256="));
    assert_non_null(
        strstr(text, "\nsplit test=0.25 seed=2\ntask ssl labeled=4\nalgo wellsvm kernel=rbf\nstep\n#@ run=a "
                     "iter=1 "));
    assert_non_null(strstr(text, "\nstep 2\n#@ run=a iter="));
    free(text);
}

/* The recording of a replay, to be freed. */
static char *recorded_again(const char *folder, const char *from, const char *to)
{
    wlab_err err;
    talk t;

    talk_begin(&t, false, folder);
    ASSERT_OK(wlab_session_record(t.s, to, WL_FROM_PERSON, &err), err);
    ASSERT_OK(wlab_session_replay(t.s, from, false, 1e-6, 0, &err), err);
    ASSERT_OK(wlab_session_record_stop(t.s, &err), err);
    char *text = talk_read(to);
    talk_end(&t);
    return text;
}

/* Recordings of older formats keep their meaning; recording them again names the old defaults that have changed. */
static void older_format(void **state)
{
    char folder[256], from[512], to[512], *text;
    wlab_err err;
    talk t;
    (void)state;
    talk_folder(folder);
    snprintf(from, sizeof from, "%s/old.wlab", folder);
    snprintf(to, sizeof to, "%s/new.wlab", folder);
    talk_write(from, "#@ weaklab 0.1.0 session 1  build=x blas=y threads=1 seed=1\n"
                     "generate two-moons n=80 seed=1\ntask ssl labeled=4\nalgo wellsvm\nalgo svm kernel=rbf\n"
                     "algo wellsvm search=multistart\nalgo svm kernel=rbf gamma=2\n"
                     "generate two-moons n=20 seed=1\ntask ssl labeled=4\nalgo bb\nalgo wellsvm sigma=2\n");
    talk_begin(&t, false, folder);
    ASSERT_OK(wlab_session_record(t.s, to, WL_FROM_PERSON, &err), err);
    assert_int_equal(wlab_session_replay(t.s, from, false, 1e-6, 0, &err),
                     WL_EARG); /* as in format 1, whose default is kernel=linear */
    if (!strstr(err.message, "sigma=2 does not apply to kernel=linear"))
        fail_msg("%s", err.message);
    ASSERT_OK(wlab_session_record_stop(t.s, &err), err);
    text = talk_read(to);
    assert_non_null(
        strstr(text, "\nalgo wellsvm kernel=linear search=paper\nalgo svm kernel=rbf sigma=1x\n"
                     "algo wellsvm kernel=linear search=multistart\nalgo svm kernel=rbf gamma=2\ngenerate "));
    assert_non_null(strstr(text, "\nalgo bb kernel=linear\n"));
    free(text);
    talk_end(&t);

    talk_write(from, "#@ weaklab 0.1.0 session 2  build=x blas=y threads=1 seed=1\n"
                     "generate two-moons n=80 seed=1\ntask ssl labeled=4\nalgo wellsvm\nalgo svm kernel=rbf\n"
                     "algo wellsvm search=paper\n"
                     "generate two-moons n=20 seed=1\ntask ssl labeled=4\nalgo wellsvm sigma=1\n"
                     "generate two-moons n=500 seed=1\ntask ssl labeled=4\nalgo wellsvm sigma=2\n");
    text = recorded_again(folder, from, to);
    assert_non_null(
        strstr(text, "\nalgo wellsvm search=multistart\nalgo svm kernel=rbf\nalgo wellsvm search=paper\n"));
    assert_non_null(
        strstr(text, "\nalgo wellsvm sigma=1\n")); /* few labelings: exact, in format 2 as today */
    assert_non_null(strstr(text, "\nalgo wellsvm sigma=2\n")); /* too many for a tree */
    free(text);

    talk_write(from,
               "#@ weaklab 0.1.0 session 3  build=x blas=y threads=1 seed=1\n"
               "generate two-moons n=80 seed=1\ntask ssl labeled=4\nalgo wellsvm\n"
               "task cluster\nalgo kmeans\nalgo kmeans names=matched\n"
               "generate blobs n=30 classes=3\ntask ssl labeled=9 classes=all\nalgo wellsvm\nalgo tsvm\n");
    text = recorded_again(folder, from, to);
    assert_non_null(strstr(text, "\nalgo wellsvm\n"));
    assert_non_null(strstr(text, "\nalgo kmeans names=drawn\nalgo kmeans names=matched\n"));
    free(text);

    talk_write(from, "#@ weaklab 0.1.0 session 4  build=x blas=y threads=1 seed=1\n"
                     "generate two-moons n=80 seed=1\ntask ssl labeled=4\nalgo svm kernel=rbf rank=9\nalgo "
                     "svm kernel=rbf\n");
    text = recorded_again(folder, from, to);
    assert_non_null(strstr(text, "\nalgo svm kernel=rbf sigma=1nn rank=9\nalgo svm kernel=rbf\n"));
    free(text);
}

/* A recording may name a removed setting, if its value is the one that remains. */
static void removed_setting(void **state)
{
    char folder[256], from[512];
    wlab_err err;
    talk t;
    (void)state;
    talk_folder(folder);
    snprintf(from, sizeof from, "%s/old.wlab", folder);
    for (int format = 2; format <= 5; format++) {
        FILE *f = fopen(from, "w");
        assert_non_null(f);
        fprintf(f,
                "#@ weaklab 0.1.0 session %d  build=x blas=y threads=1 seed=1\n"
                "generate two-moons n=20 seed=1\ntask ssl labeled=4\nalgo wellsvm backend=own C1=2\nstep\n"
                "task llp bagsize=5\nalgo alter-psvm backend=own restarts=2\nalgo invcal backend=own\nstep\n",
                format);
        assert_int_equal(fclose(f), 0);
        talk_begin(&t, false, folder);
        ASSERT_OK(wlab_session_replay(t.s, from, true, 1e-6, 0, &err), err);
        talk_end(&t);
    }
    talk_write(from, "#@ weaklab 0.1.0 session 3  build=x blas=y threads=1 seed=1\n"
                     "generate two-moons n=20 seed=1\ntask llp bagsize=5\nalgo invcal backend=libsvm\n");
    talk_begin(&t, false, folder);
    assert_int_equal(wlab_session_replay(t.s, from, false, 1e-6, 0, &err), WL_EARG);
    assert_non_null(strstr(err.message, "only backend=own"));
    talk_end(&t);
}

static void equal(void **state)
{
    char folder[256], path[512], said[4096];
    wlab_err err;
    (void)state;
    free(record(talk_folder(folder), "a.wlab", demo, path));
    ASSERT_OK(replay(path, true, &err, said), err);
    assert_non_null(strstr(said, "3 recorded results compared, all equal bit for bit"));
}

/* A change of any digit in the recorded digest of step 1 is noticed. */
static void every_digit(void **state)
{
    char folder[256], path[512], other[600];
    wlab_err err;
    int tried = 0;
    (void)state;
    char *text = record(talk_folder(folder), "a.wlab", demo, path);
    char *mark = strstr(text, "#@ run=a iter=1 ");
    assert_non_null(mark);
    size_t end = strcspn(mark, "\n");
    snprintf(other, sizeof other, "%s/b.wlab", folder);
    for (size_t i = 0; i < end; i++) {
        char c = mark[i];
        if (c < '0' || c > '9')
            continue;
        mark[i] = c == '9' ? '8' : (char)(c + 1);
        talk_write(other, text);
        wlab_code code = replay(other, true, &err, NULL);
        if (code != WL_EDIFFERS || err.code != WL_EDIFFERS)
            fail_msg("changed \"%.*s\" at %zu: code %d, %s", (int)end, mark, i, (int)code, err.message);
        mark[i] = c;
        tried++;
    }
    assert_true(tried > 40);
    free(text);
}

/* The scores of `eval` are compared, number by number; an older recording, which lacks them, is accepted. */
static void scores(void **state)
{
    static const char *const counts[] = {" n=", " tp=", " fn=", " fp=", " tn=", " matched="};
    char folder[256], path[512], other[600], said[4096];
    wlab_err err;
    int tried = 0;
    (void)state;
    talk_folder(folder);
    snprintf(other, sizeof other, "%s/b.wlab", folder);
    for (int cluster = 0; cluster < 2; cluster++) {
        char *text =
            record(folder, cluster ? "c.wlab" : "a.wlab",
                   cluster ? "gen two-moons n=40 noise=0.1 seed=3; task cluster; algo wellsvm kernel=rbf; s; "
                             "eval; s"
                           : "gen two-moons n=40 noise=0.1 seed=3; split test=0.25 seed=2; task ssl "
                             "labeled=4; algo wellsvm kernel=rbf; s; eval; eval unlabeled; s",
                   path);
        char *mark =
            strstr(text, cluster ? "#@ eval set=unlabeled n=40 matched=" : "#@ eval set=test n=10 tp=");
        assert_non_null(mark);
        ASSERT_OK(replay(path, true, &err, said), err);
        assert_non_null(
            strstr(said, cluster ? "4 recorded results compared" : "5 recorded results compared"));
        char *end = mark + strcspn(mark, "\n");
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            char *at = strstr(mark, counts[i]);
            if (!at || at > end)
                continue;
            at += strlen(counts[i]);
            char c = *at;
            *at = c == '9' ? '8' : (char)(c + 1);
            talk_write(other, text);
            ASSERT_FAILS(replay(other, true, &err, NULL), WL_EDIFFERS, err, "the replay differs: recorded ");
            *at = c;
            tried++;
        }
        while ((mark = strstr(text, "#@ eval ")))
            memmove(mark, strchr(mark, '\n') + 1, strlen(strchr(mark, '\n') + 1) + 1);
        talk_write(other, text);
        ASSERT_OK(replay(other, true, &err, said), err);
        assert_non_null(strstr(said, "3 recorded results compared, all equal bit for bit"));
        free(text);
    }
    assert_int_equal(tried, 7);
}

static void first_difference(void **state)
{
    char folder[256], path[512], other[600];
    wlab_err err;
    (void)state;
    char *text = record(talk_folder(folder), "a.wlab", demo, path);
    /* another build: plain values within the tolerance, labels exactly, hashes not at all */
    memcpy(strstr(text, "build=") + 6, "fedcba9876543210", 16);
    char *metrics = strstr(text, " metrics=");
    metrics[9] = metrics[9] == '0' ? '1' : '0';
    snprintf(other, sizeof other, "%s/b.wlab", folder);
    talk_write(other, text);
    ASSERT_OK(replay(other, true, &err, NULL), err);
    char *labels = strstr(text, " labels=");
    char kept = labels[8];
    labels[8] = kept == '0' ? '1' : '0';
    talk_write(other, text);
    ASSERT_FAILS(replay(other, true, &err, NULL), WL_EDIFFERS, err, "labels");
    assert_non_null(strstr(err.message, "build=fedcba9876543210, now 0123456789abcdef"));
    assert_string_equal(err.file, other);
    assert_true(err.line > 1);
    labels[8] = kept;
    char *objective = strstr(text, " objective=") + 11;
    objective += strcspn(objective, "123456789");
    *objective = *objective == '9' ? '8' : (char)(*objective + 1);
    talk_write(other, text);
    ASSERT_FAILS(replay(other, true, &err, NULL), WL_EDIFFERS, err, "objective");
    /* without --check nothing is compared */
    ASSERT_OK(replay(other, false, &err, NULL), err);
    free(text);
}

static void data_differ(void **state)
{
    char folder[256], data[512], path[512], line[1200], said[4096], *text;
    wlab_err err;
    talk t;
    (void)state;
    talk_folder(folder);
    snprintf(data, sizeof data, "%s/points.csv", folder);
    talk_write(data, "x,y,class\n1,2,a\n2,1,b\n3,3,a\n4,1,b\n");
    snprintf(line, sizeof line, "load %s", data);
    text = record(folder, "a.wlab", line, path);
    assert_non_null(strstr(text, "#@ data points rows=4 cols=2 bytes=34 sha256="));
    ASSERT_OK(replay(path, true, &err, NULL), err);
    /* under another name, below a data folder: the file is found by its bytes */
    char elsewhere[256], moved[600];
    talk_folder(elsewhere);
    snprintf(moved, sizeof moved, "%s/deeper", elsewhere);
    assert_int_equal(mkdir(moved, 0700), 0);
    snprintf(moved, sizeof moved, "%s/deeper/other.csv", elsewhere);
    assert_int_equal(rename(data, moved), 0);
    const char *dirs[] = {elsewhere, NULL};
    assert_int_equal(talk_create(&t, false, ".", dirs), WL_OK);
    ASSERT_OK(wlab_session_replay(t.s, path, true, 1e-6, 0, &t.err), t.err);
    snprintf(said, sizeof said, "%.4000s", t.messages);
    assert_non_null(strstr(said, "other.csv"));
    talk_end(&t);
    /* a file of the right name with other bytes */
    talk_write(data, "x,y,class\n1,2,a\n2,1,b\n3,3,a\n4,5,b\n");
    ASSERT_FAILS(replay(path, true, &err, NULL), WL_EDIFFERS, err, "sha256=");
    free(text);
}

static void keeps_older(void **state)
{
    char folder[256], path[512], kept[600];
    (void)state;
    free(record(talk_folder(folder), "a.wlab", "say first", path));
    free(record(folder, "a.wlab", "say second", path));
    snprintf(kept, sizeof kept, "%s~", path);
    char *text = talk_read(kept), *now = talk_read(path);
    assert_non_null(strstr(text, "say first"));
    assert_non_null(strstr(now, "say second"));
    free(text);
    free(now);
}

static void from_the_middle(void **state)
{
    char folder[256], line[600], path[512];
    wlab_err err;
    talk t;
    (void)state;
    talk_folder(folder);
    talk_begin(&t, false, ".");
    EXEC(&t, "generate two-moons n=20 seed=1");
    EXEC_FAILS(&t, "algo wellsvm", WL_ESTATE, "no task is set");
    EXEC_FAILS(&t, "taks ssl", WL_EARG, "did you mean \"task\"");
    EXEC_FAILS(&t, "say 'open", WL_EINPUT, "never closed");
    EXEC(&t, "help; history; info; info data");
    snprintf(path, sizeof path, "%s/a.wlab", folder);
    snprintf(line, sizeof line, "record %s", path);
    EXEC(&t, line);
    EXEC_FAILS(&t, line, WL_ESTATE, "already recording");
    EXEC(&t, "task ssl labeled=4");
    EXEC(&t, "record stop");
    EXEC_FAILS(&t, "record stop", WL_ESTATE, "nothing is being recorded");
    EXEC(&t, "say not recorded");
    char *text = talk_read(path), said[512];
    int lines = 0;
    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    snprintf(said, sizeof said, "recorded to %s: %d lines\n", path, lines);
    assert_non_null(strstr(t.messages, said));
    talk_end(&t);
    char *body = strchr(text, '\n') + 1;
    static const char expected[] = "generate two-moons n=20 seed=1\n#@ data two-moons rows=20 cols=2 sha256=";
    assert_int_equal(strncmp(body, expected, sizeof expected - 1), 0);
    assert_non_null(strstr(body, "\n# failed: algo wellsvm    (no task is set"));
    assert_non_null(strstr(body, "\n# failed: taks ssl    (unknown command"));
    assert_non_null(strstr(body, "\n# failed: say 'open    ("));
    assert_null(strstr(body, "help"));
    assert_null(strstr(body, "history"));
    assert_null(strstr(body, "info"));
    assert_null(strstr(body, "record"));
    assert_null(strstr(body, "not recorded"));
    assert_non_null(strstr(body, "\ntask ssl labeled=4\n"));
    free(text);
    ASSERT_OK(replay(path, true, &err, NULL), err);
}

static void sourced(void **state)
{
    char folder[256], path[512], script[512], inner[512], line[1100];
    wlab_err err;
    (void)state;
    talk_folder(folder);
    snprintf(inner, sizeof inner, "%s/inner.wlab", folder);
    talk_write(inner, "# a comment\nsay deep; say deeper\n");
    snprintf(script, sizeof script, "%s/outer.wlab", folder);
    talk_write(script, "generate two-moons n=20\r\nsource inner.wlab\r\nsay done");
    snprintf(line, sizeof line, "source %s", script);
    char *text = record(folder, "a.wlab", line, path);
    assert_null(strstr(text, "source"));
    assert_non_null(strstr(text, "\nsay deep\nsay deeper\nsay done\n"));
    free(text);
    ASSERT_OK(replay(path, true, &err, NULL), err);
}

static void seeds(void **state)
{
    char folder[256], path[512];
    wlab_err err;
    talk t;
    (void)state;
    snprintf(path, sizeof path, "%s/a.wlab", talk_folder(folder));
    talk_begin(&t, false, ".");
    t.s->seed = 77;
    ASSERT_OK(wlab_session_record(t.s, path, WL_FROM_PERSON, &t.err), t.err);
    EXEC(&t, "generate two-moons n=30; task ssl labeled=4");
    talk_end(&t);
    char *text = talk_read(path);
    assert_non_null(strstr(text, " seed=77\ngenerate two-moons n=30\n"));
    ASSERT_OK(replay(path, true, &err, NULL), err); /* a session with seed 1 adopts the recorded seed */
    memcpy(strstr(text, "seed=77"), "seed=78", 7);
    talk_write(path, text);
    ASSERT_FAILS(replay(path, true, &err, NULL), WL_EDIFFERS, err, "sha256");
    free(text);
}

/* The disk fills while recording: the user is informed, the session continues, and the file has whole commands. */
static void full_disk(void **state)
{
    char folder[256], path[512];
    struct rlimit old, small = {700, RLIM_INFINITY};
    talk t;
    wlab_err err;
    (void)state;
    snprintf(path, sizeof path, "%s/a.wlab", talk_folder(folder));
    talk_begin(&t, false, ".");
    ASSERT_OK(wlab_session_record(t.s, path, WL_FROM_PERSON, &t.err), t.err);
    EXEC(&t, "generate two-moons n=20");
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small.rlim_max = old.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    for (int i = 0; i < 20; i++)
        EXEC(&t, "say this is a line of some length that fills the disk at last");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    (void)signal(SIGXFSZ, before);
    assert_true(wlab_session_record_failed(t.s));
    assert_non_null(strstr(t.messages, "cannot record to"));
    assert_non_null(strstr(t.messages, "the session continues"));
    EXEC(&t, "task ssl labeled=4");
    talk_end(&t);
    char *text = talk_read(path);
    size_t n = strlen(text);
    assert_in_range(n, 200, 700);
    assert_int_equal(text[n - 1], '\n');
    assert_non_null(strstr(text, "fills the disk at last\n"));
    free(text);
    ASSERT_OK(replay(path, true, &err, NULL), err);
}

static void refuses(void **state)
{
    char folder[256], path[512];
    wlab_err err;
    talk t;
    (void)state;
    snprintf(path, sizeof path, "%s/a.wlab", talk_folder(folder));
    talk_write(path, "#@ weaklab 9.0 session 6  build=x\nsay hello\n");
    ASSERT_FAILS(replay(path, true, &err, NULL), WL_EINPUT, err, "format 6");
    talk_write(path, "say hello\nsayy hello\n");
    ASSERT_FAILS(replay(path, false, &err, NULL), WL_EARG, err, "did you mean \"say\"");
    assert_int_equal(err.line, 2);
    talk_write(path, "#@ run=a iter=1\n");
    ASSERT_FAILS(replay(path, true, &err, NULL), WL_EDIFFERS, err, "now nothing");
    ASSERT_FAILS(replay("/nowhere/at/all.wlab", true, &err, NULL), WL_EIO, err, "No such file");
    talk_begin(&t, false, ".");
    EXEC(&t, "generate two-moons n=20");
    ASSERT_FAILS(wlab_session_replay(t.s, path, false, 0, 0, &t.err), WL_ESTATE, t.err, "empty session");
    talk_end(&t);
}

static void logs(void **state)
{
    char folder[256], path[512];
    talk t;
    (void)state;
    snprintf(path, sizeof path, "%s/log.wlab", talk_folder(folder));
    talk_begin(&t, false, ".");
    ASSERT_OK(wlab_session_autosave(t.s, path, &t.err), t.err);
    EXEC(&t, "help; history");
    assert_int_equal(access(path, F_OK), -1); /* no command has changed anything yet */
    EXEC(&t, "generate two-moons n=20");
    char *text = talk_read(path); /* it is on the disk before the session ends */
    assert_non_null(strstr(text, "\ngenerate two-moons n=20\n"));
    free(text);
    talk_end(&t);
    talk_begin(&t, false, ".");
    ASSERT_OK(wlab_session_autosave(t.s, "/proc/none/log.wlab", &t.err), t.err);
    EXEC(&t, "generate two-moons n=20"); /* a log that cannot be written does not disturb the session */
    assert_false(wlab_session_record_failed(t.s));
    talk_end(&t);
}

static wlab_code record_and_replay(const char *path, const char *other, talk *t)
{
    wlab_code code = talk_create(t, false, ".", NULL);
    if (code) {
        json_decref(t->objects);
        t->objects = NULL;
        return code;
    }
    code = wlab_session_record(t->s, other, WL_FROM_PERSON, &t->err);
    if (!code)
        code = wlab_session_replay(t->s, path, true, 1e-6, 0, &t->err);
    if (!code)
        code = wlab_session_record_stop(t->s, &t->err);
    talk_end(t);
    return code;
}

/* At whichever allocation memory runs out, recording and replaying succeed or report this, and never a difference. */
static void memory(void **state)
{
    char folder[256], path[512], other[600];
    talk t;
    (void)state;
    free(record(talk_folder(folder), "a.wlab",
                "generate two-moons n=12 seed=1; task ssl labeled=4; algo svm; step; help", path));
    snprintf(other, sizeof other, "%s/b.wlab", folder);
    for (long k = 1, reached = k; reached >= k; k++) {
        wlab_alloc_fail_at(k);
        wlab_code code = record_and_replay(path, other, &t);
        reached = wlab_alloc_count();
        wlab_alloc_fail_at(0);
        if (code != WL_OK && code != WL_ENOMEM)
            fail_msg("code %d when allocation %ld fails: %s", (int)code, k, t.err.message);
        if (reached < k)
            assert_int_equal(code, WL_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_names),
        cmocka_unit_test(older_format),
        cmocka_unit_test(removed_setting),
        cmocka_unit_test(equal),
        cmocka_unit_test(every_digit),
        cmocka_unit_test(scores),
        cmocka_unit_test(first_difference),
        cmocka_unit_test(data_differ),
        cmocka_unit_test(keeps_older),
        cmocka_unit_test(from_the_middle),
        cmocka_unit_test(sourced),
        cmocka_unit_test(seeds),
        cmocka_unit_test(full_disk),
        cmocka_unit_test(refuses),
        cmocka_unit_test(logs),
        cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
