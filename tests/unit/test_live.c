/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Live pictures with the real gnuplot, and with gnuplots that are missing, die, hang, print garbage, report errors,
 * are slow, or are killed while they draw.  None of them blocks the caller; in every case each slot gets its picture,
 * and no process or descriptor remains.
 */
#include "plot/draw/live.h"
#include "support.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

static int descriptors(void)
{
    int n = 0;
    DIR *d = opendir("/proc/self/fd");
    assert_non_null(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

/* No child process remains, not even a zombie. */
static void no_children(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

/* A line from the lower left to the upper right, or (down) from the upper left to the lower right. */
static void make_figure(wlab_figure *f, int ink, bool down)
{
    wlab_figure_init(f, false);
    wlab_figure_title(f, "a `figure`'s title");
    int b = wlab_figure_block(f, 2, 2);
    wlab_figure_about(f, b, "a comment");
    for (int i = 0; i < 2; i++) {
        *wlab_figure_at(f, b, i, 0) = i;
        *wlab_figure_at(f, b, i, 1) = down ? 1 - i : i;
        wlab_figure_cover(f, i, i);
    }
    wlab_series s = {.block = b, .draw = WL_D_LINES, .x = 1, .y = 2, .ink = ink, .mark = 'x'};
    wlab_figure_series(f, &s, "x", "with lines");
    assert_false(f->failed);
}

static void request(wlab_live *l, int slot, int ink, bool down)
{
    wlab_figure f;
    wlab_err err;
    make_figure(&f, ink, down);
    ASSERT_OK(wlab_live_request(l, slot, &f, 20, 5, false, &err), err);
    wlab_figure_clear(&f);
}

/* The ink of the line in a picture; negative if the line goes down. */
static int ink_drawn(const wlab_raster *r)
{
    int ink = 0;
    bool left_bottom = false;
    assert_int_equal(r->width, 40);
    assert_int_equal(r->height, 20);
    for (int y = 0; y < r->height; y++)
        for (int x = 0; x < r->width; x++)
            if (r->cell[y * r->width + x]) {
                ink = r->cell[y * r->width + x];
                left_bottom = left_bottom || (x < 10 && y > 10);
            }
    return left_bottom ? ink : -ink;
}

typedef struct got {
    int frames, last[WL_LIVE_SLOTS];
} got;

/* Poll and serve until no request is pending. */
static got serve_requests(wlab_live *l)
{
    got g = {0};
    while (wlab_live_busy(l)) {
        struct pollfd fds[WL_LIVE_FDS];
        wlab_raster r;
        int slot;
        poll(fds, WL_LIVE_FDS, wlab_live_poll(l, fds));
        while (wlab_live_serve(l, fds, &slot, &r)) {
            g.frames++;
            g.last[slot] = ink_drawn(&r);
            wlab_raster_clear(&r);
        }
    }
    return g;
}

static char folder[64], program[128];

/* Starts live pictures with FOLDER/gnuplot, which is the shell script `script` ("": there is no such file); NULL: with
 * the real gnuplot.  timeout: in ms; 0: practically none, since an answer may take long on a loaded machine. */
static wlab_live *start_live(const char *script, int timeout)
{
    wlab_live *l = NULL;
    wlab_err err;
    if (script) {
        strcpy(folder, "/tmp/weaklab-test-XXXXXX");
        assert_non_null(mkdtemp(folder));
        snprintf(program, sizeof program, "%s/gnuplot", folder);
        if (*script) {
            FILE *o = fopen(program, "w");
            assert_non_null(o);
            fprintf(o, "#!/bin/sh\ncd %s || exit\n%s", folder, script);
            fclose(o);
            assert_int_equal(chmod(program, 0700), 0);
        }
    }
    ASSERT_OK(wlab_live_create(&l, script ? program : NULL, timeout ? timeout : 3600000, &err), err);
    return l;
}

static int file_lines(const char *name)
{
    char path[256];
    int n = 0, c;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *i = fopen(path, "r");
    while (i && (c = getc(i)) != EOF)
        n += c == '\n';
    if (i)
        fclose(i);
    return n;
}

static void destroy_live(wlab_live *l)
{
    static const char *const files[] = {"gnuplot", "starts", "frames", "once", "go"};
    char path[256];
    wlab_live_destroy(l);
    no_children();
    if (!folder[0])
        return;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        unlink(path);
    }
    assert_int_equal(rmdir(folder), 0);
    folder[0] = 0;
}

static void test_pictures(void **state)
{
    GNUPLOT_OR_SKIP();
    int before = descriptors();
    wlab_live *l = start_live(NULL, 0);
    struct pollfd fds[WL_LIVE_FDS];
    (void)state;
    assert_int_equal(wlab_live_poll(l, fds), -1); /* nothing was started */
    for (int i = 0; i < WL_LIVE_FDS; i++)
        assert_int_equal(fds[i].fd, -1);
    assert_false(wlab_live_busy(l));
    for (int slot = 0; slot < 7; slot++)
        request(l, slot, slot + 1, slot % 2);
    assert_int_equal(wlab_live_poll(l, fds), 0);
    got g = serve_requests(l);
    assert_int_equal(g.frames, 7);
    for (int slot = 0; slot < 7; slot++)
        assert_int_equal(g.last[slot], slot % 2 ? -(slot + 1) : slot + 1);
    assert_null(wlab_live_trouble(l));
    double spent = wlab_live_spent(l);
    assert_true(spent > 0);
    wlab_live_charge(l, 1);
    assert_true(wlab_live_spent(l) > spent + 1 - 1e-9); /* rounding: summed in another order */
    /* cancelled before and after gnuplot began to draw */
    request(l, 1, 1, false);
    request(l, 2, 2, false);
    wlab_live_forget(l, 1);
    wlab_raster r;
    int slot;
    if (wlab_live_serve(l, NULL, &slot,
                        &r)) { /* 2 was begun; on a busy machine its picture may be ready at once */
        assert_int_equal(slot, 2);
        wlab_raster_clear(&r);
    }
    wlab_live_forget(l, 2);
    request(l, 3, 3, false);
    g = serve_requests(l);
    assert_int_equal(g.frames, 1);
    assert_int_equal(g.last[3], 3);
    /* characters */
    wlab_figure f;
    wlab_err err;
    make_figure(&f, 1, false);
    ASSERT_OK(wlab_live_request(l, 0, &f, 20, 5, true, &err), err);
    while (!wlab_live_serve(l, NULL, &slot, &r))
        usleep(1000);
    assert_true(r.characters && r.width == 20 && r.height == 5);
    assert_int_equal(r.cell[4 * 20], 'x');
    wlab_raster_clear(&r);
    ASSERT_FAILS(wlab_live_request(l, WL_LIVE_SLOTS, &f, 20, 5, true, &err), WL_EARG, err, "no slot");
    ASSERT_FAILS(wlab_live_window(l, 0, &f, "x11", 1, &err), WL_EARG, err, "no slot");
    wlab_figure_clear(&f);
    destroy_live(l);
    assert_int_equal(descriptors(), before);
}

/* Checks that the program draws every request itself if gnuplot fails, and that it reports the failure once, with
 * the words `trouble`, after it has started gnuplot `starts` times. */
static void check_bad_gnuplot(const char *script, int timeout, int starts, const char *trouble)
{
    int before = descriptors();
    wlab_live *l = start_live(script, timeout);
    request(l, 0, 3, false);
    request(l, 5, 4, true);
    got g = serve_requests(l);
    assert_int_equal(g.frames, 2);
    assert_int_equal(g.last[0], 3);
    assert_int_equal(g.last[5], -4);
    const char *reported = wlab_live_trouble(l);
    assert_non_null(reported);
    if (!strstr(reported, trouble) || !strstr(reported, "drawn without it"))
        fail_msg("\"%s\" does not contain \"%s\"", reported, trouble);
    assert_null(wlab_live_trouble(l));
    /* from now on pictures are drawn without it, at once */
    request(l, 0, 7, true);
    wlab_raster r;
    int slot = -1;
    assert_true(wlab_live_serve(l, NULL, &slot, &r));
    assert_int_equal(slot, 0);
    assert_int_equal(ink_drawn(&r), -7);
    wlab_raster_clear(&r);
    assert_null(wlab_live_trouble(l));
    assert_int_equal(file_lines("starts"), starts);
    destroy_live(l);
    assert_int_equal(descriptors(), before);
}

static void test_missing(void **state)
{
    (void)state;
    check_bad_gnuplot("", 0, 0, "no program");
}

static void test_dies(void **state)
{
    (void)state;
    check_bad_gnuplot("echo >>starts\nexit 3\n", 0, 2, "gnuplot ended before");
    check_bad_gnuplot("echo >>starts\nkill -9 $$\n", 0, 2, "gnuplot ended before");
    check_bad_gnuplot("echo >>starts\necho 'no such library' >&2\nexit 1\n", 0, 2, "no such library");
}

/* timeout in ms for a gnuplot that never answers: it must have started by then */
enum {
    PATIENCE = 1500
};

static void test_hangs(void **state)
{
    (void)state;
    check_bad_gnuplot("echo >>starts\nsleep 600\n", PATIENCE, 2, "did not answer");
    check_bad_gnuplot("echo >>starts\nsleep 600 & cat >/dev/null\n", PATIENCE, 2, "did not answer");
}

static void test_garbage(void **state)
{
    GNUPLOT_OR_SKIP();
    (void)state;
    check_bad_gnuplot("echo >>starts\nexec yes P6\n", 0, 2, "gnuplot");
    check_bad_gnuplot("echo >>starts\nexec cat\n", PATIENCE, 2, "did not answer");
    /* it acknowledges but draws nothing */
    check_bad_gnuplot(
        "echo >>starts\nwhile read -r a b; do case $b in \"'weak\"*) b=${b#?}; echo \"${b%%\\'*} 0\";; esac; "
        "done\n",
        0, 2, "not a picture");
    /* an old gnuplot without the terminal */
    check_bad_gnuplot(
        "echo >>starts\n{ while read -r a b; do case $a in load) sed 's/pbm/nosuch/' /dev/fd/3;; *) echo "
        "\"$a "
        "$b\";; esac; "
        "done; } | gnuplot -d\n",
        0, 2, "unknown or ambiguous terminal");
}

/* gnuplot fails once: it is tried again, and nothing is reported. */
static void test_once(void **state)
{
    GNUPLOT_OR_SKIP();
    (void)state;
    wlab_live *l = start_live("if test -e once; then exec gnuplot -d; fi\n: >once\n", 0);
    request(l, 0, 3, false);
    got g = serve_requests(l);
    assert_int_equal(g.frames, 1);
    assert_int_equal(g.last[0], 3);
    assert_null(wlab_live_trouble(l));
    destroy_live(l);
}

/* A gnuplot that waits for the file `go` after each picture.  Its shell counts the pictures. */
static const char slow[] =
    "sed -u '/^load/{s/.*/&; system \"until test -e go; do sleep 0.01; done\"/;w frames\n}' | "
    "exec gnuplot -d\n";

static void let_go(bool go)
{
    char path[256];
    snprintf(path, sizeof path, "%s/go", folder);
    if (go)
        assert_int_equal(close(open(path, O_CREAT | O_WRONLY, 0600)), 0);
    else
        assert_int_equal(unlink(path), 0);
}

/* While gnuplot draws, further requests for a slot replace each other, and only the newest is drawn.  No call of
 * wlab_live_serve waits for gnuplot, which here would wait for ever. */
static void test_slow(void **state)
{
    GNUPLOT_OR_SKIP();
    (void)state;
    wlab_live *l = start_live(slow, 0);
    wlab_raster r;
    int slot;
    request(l, 2, 1, false);
    assert_false(wlab_live_serve(l, NULL, &slot, &r)); /* being drawn */
    for (int k = 0; k < 100; k++)
        request(l, 2, 1 + k % 7, k % 2); /* the last one has ink 2 and goes down */
    struct pollfd fds[WL_LIVE_FDS];
    while (file_lines("frames") < 1) {
        poll(fds, WL_LIVE_FDS, 10);
        assert_false(wlab_live_serve(l, fds, &slot, &r));
    }
    let_go(true);
    got g = serve_requests(l);
    assert_int_equal(g.frames, 2);
    assert_int_equal(g.last[2], -2);
    assert_int_equal(file_lines("frames"), 2);
    assert_null(wlab_live_trouble(l));
    let_go(false);
    /* the slot that waits longest is drawn first, however often another one is requested */
    request(l, 0, 1, false);
    assert_false(wlab_live_serve(l, NULL, &slot, &r));
    request(l, 1, 1, false);
    for (int k = 0; k < 10; k++)
        request(l, 0, 2, false);
    int order[3], n = 0;
    let_go(true);
    while (n < 3) {
        poll(fds, WL_LIVE_FDS, wlab_live_poll(l, fds));
        if (wlab_live_serve(l, fds, &slot, &r)) {
            order[n++] = slot;
            wlab_raster_clear(&r);
        }
    }
    assert_true(order[0] == 0 && order[1] == 1 && order[2] == 0);
    destroy_live(l);
}

/* A gnuplot that is killed while idle is started again, and nothing is reported.  Destroying it while it draws leaves
 * no process. */
static void test_killed(void **state)
{
    GNUPLOT_OR_SKIP();
    (void)state;
    wlab_live *l = start_live("echo $$ >starts\nexec gnuplot -d\n", 0);
    for (int round = 0; round < 4; round++) {
        request(l, 0, 1 + round, false);
        got g = serve_requests(l);
        assert_int_equal(g.last[0], 1 + round);
        char path[256], text[32] = "";
        snprintf(path, sizeof path, "%s/starts", folder);
        FILE *i = fopen(path, "r");
        assert_non_null(i);
        assert_non_null(fgets(text, sizeof text, i));
        fclose(i);
        assert_int_equal(kill((pid_t)atoi(text), SIGKILL), 0);
        for (int turns = 0; !kill((pid_t)atoi(text), 0); turns++) {
            struct pollfd fds[WL_LIVE_FDS];
            wlab_raster r;
            int slot;
            (void)wlab_live_poll(l, fds);
            poll(fds, WL_LIVE_FDS, turns ? 10 : -1); /* the end of the process wakes the poll */
            (void)wlab_live_serve(l, fds, &slot, &r);
        }
        no_children(); /* and the process is reaped */
    }
    assert_null(wlab_live_trouble(l));
    destroy_live(l);

    l = start_live(slow, 0);
    wlab_raster r;
    int slot;
    request(l, 0, 5, false);
    assert_false(wlab_live_serve(l, NULL, &slot, &r));
    wlab_live_destroy(l); /* while it draws */
    no_children();
    l = start_live(NULL, 0);
    destroy_live(l);
}

/* A window that cannot be opened is reported, and pictures are drawn nevertheless. */
static void test_window(void **state)
{
    GNUPLOT_OR_SKIP();
    wlab_live *l = start_live(NULL, 0);
    wlab_figure f;
    wlab_err err;
    (void)state;
    make_figure(&f, 1, false);
    ASSERT_OK(wlab_live_window(l, WL_LIVE_SLOTS - 1, &f, "nosuch", 3, &err), err);
    request(l, 0, 3, false);
    got g = serve_requests(l);
    assert_int_equal(g.frames, 1);
    assert_int_equal(g.last[0], 3);
    const char *reported = wlab_live_trouble(l);
    assert_non_null(reported);
    assert_non_null(strstr(reported, "nothing is drawn in windows"));
    assert_null(wlab_live_trouble(l));
    ASSERT_FAILS(wlab_live_window(l, WL_LIVE_SLOTS - 1, &f, "nosuch", 3, &err), WL_EIO, err, "in a window");
    wlab_figure_clear(&f);
    destroy_live(l);
    /* a script that is drawn without error in another terminal (the rest of its line is a comment) */
    l = start_live(NULL, 0);
    make_figure(&f, 1, false);
    ASSERT_OK(wlab_live_window(l, WL_LIVE_SLOTS - 1, &f, "unknown # ", 3, &err), err);
    g = serve_requests(l);
    assert_false(wlab_live_busy(l));
    assert_int_equal(g.frames, 0);
    assert_null(wlab_live_trouble(l));
    wlab_figure_clear(&f);
    destroy_live(l);
}

/* Drawing uses at most a hundredth of the processor time. */
static void test_pacing(void **state)
{
    (void)state;
    wlab_live *l = start_live(NULL, 0);
    wlab_live_charge(l, 5); /* time before the run does not count */
    wlab_live_run_begins(l);
    assert_false(wlab_live_may(l, 0.1, 1));
    assert_false(wlab_live_may(l, 1.9, 1)); /* the estimated cost of the first round is 0.02 s */
    assert_true(wlab_live_may(l, 0.96, 2 + 1));
    assert_true(wlab_live_may(l, 2.1, 1));
    const double end = 100, before = wlab_live_spent(l),
                 ticks = 0.02; /* how exactly gnuplot's time is known */
    double cost = 0.02, began = before;
    int rounds = 0;
    wlab_live_run_begins(l);
    for (double t = 0; t < end; t += 0.05) { /* rounds of 0.05 s plus gnuplot's time */
        (void)wlab_live_may(l, t / 2, 1);    /* an additional call changes nothing */
        if (wlab_live_may(l, t, 1)) { /* what was spent, and another round like the last one, are allowed */
            const double now = wlab_live_spent(l);
            cost = rounds > 0 ? now - began : cost;
            assert_true(now - before + cost <= 0.01 * t + ticks);
            began = now;
            rounds++;
            wlab_live_charge(l, 0.05);
            request(l, 0, 1, false);
            (void)serve_requests(l);
        }
    }
    cost = wlab_live_spent(l) - began;
    assert_true(rounds >= 2 &&
                wlab_live_spent(l) - before + cost >= 0.01 * end - ticks); /* no fewer than allowed */
    request(l, 0, 1, false);
    assert_false(wlab_live_may(l, 1000, 1)); /* not while a picture is requested */
    destroy_live(l);
}

static void test_allocations(void **state)
{
    wlab_live *l = NULL;
    wlab_figure f;
    wlab_err err;
    (void)state;
    ALLOC_SWEEP_OUT(wlab_live_create(&l, NULL, 0, &err), l);
    make_figure(&f, 3, false);
    ALLOC_SWEEP(wlab_live_request(l, 0, &f, 20, 5, false, &err));
    ALLOC_SWEEP(wlab_live_window(l, WL_LIVE_SLOTS - 1, &f, "dumb", 0, &err));
    wlab_live_forget(l, WL_LIVE_SLOTS - 1);
    wlab_figure_clear(&f);
    got g = serve_requests(l);
    assert_int_equal(g.frames, 1);
    /* when memory runs out in serve, the picture is drawn or lost, and nothing hangs */
    for (long k = 1; k < 40; k++) {
        wlab_raster r;
        int slot;
        request(l, 0, 3, false);
        wlab_alloc_fail_at(k);
        while (wlab_live_busy(l)) {
            struct pollfd fds[WL_LIVE_FDS];
            poll(fds, WL_LIVE_FDS, wlab_live_poll(l, fds));
            while (wlab_live_serve(l, fds, &slot, &r))
                wlab_raster_clear(&r);
        }
        wlab_alloc_fail_at(0);
    }
    destroy_live(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pictures), cmocka_unit_test(test_missing),     cmocka_unit_test(test_dies),
        cmocka_unit_test(test_hangs),    cmocka_unit_test(test_garbage),     cmocka_unit_test(test_once),
        cmocka_unit_test(test_slow),     cmocka_unit_test(test_killed),      cmocka_unit_test(test_window),
        cmocka_unit_test(test_pacing),   cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
