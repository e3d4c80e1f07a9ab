/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The text on the progress of long work, and the loop that serves sources meanwhile.
 */
#include "support.h"

#include "tui/loop.h"
#include "tui/prompt/elapsed.h"
#include <string.h>
#include <unistd.h>

static wlab_event progress_event(const char *unit, int64_t done, int64_t total)
{
    wlab_event e = {.kind = WL_EV_PROGRESS, .done = done, .total = total};
    snprintf(e.text, sizeof e.text, "%s", unit);
    return e;
}

static void assert_text(const wlab_elapsed *p, double now, const char *expected)
{
    char text[200];
    wlab_elapsed_text(p, now, text, sizeof text);
    assert_string_equal(text, expected);
}

static void test_text(void **state)
{
    wlab_elapsed p = {0};
    (void)state;
    wlab_elapsed_begin(&p, 1, 100);
    assert_text(&p, 103.2, "3 s");
    wlab_elapsed_event(&p, &(wlab_event){.kind = WL_EV_NOTE, .text = "rows"}, 104);
    assert_text(&p, 104, "4 s"); /* other events do not count */
    wlab_event e = progress_event("rows", 100, 1000);
    wlab_elapsed_event(&p, &e, 104);
    assert_text(&p, 105, "5 s: 100 of 1000 rows"); /* too early for a rate */
    e = progress_event("rows", 300, 1000);
    wlab_elapsed_event(&p, &e, 106);
    assert_text(&p, 108, "8 s: 300 of 1000 rows, 50/s, 14 s left"); /* (300 - 100) in 4 s; 700 to do */
    e = progress_event("rows", 1000, 1000);
    wlab_elapsed_event(&p, &e, 114);
    assert_text(&p, 114, "14 s: 1000 of 1000 rows, 90/s");
    e = progress_event("labelings", 2, 0); /* another unit, without a total */
    wlab_elapsed_event(&p, &e, 115);
    assert_text(&p, 116, "16 s: 2 labelings");
    wlab_elapsed_begin(&p, 1, 117); /* the same job */
    assert_text(&p, 117, "17 s: 2 labelings");
    wlab_elapsed_begin(&p, 2, 200);
    assert_text(&p, 200, "0 s");
    e = progress_event("steps", 1, 100000);
    wlab_elapsed_event(&p, &e, 200);
    e = progress_event("steps", 11, 100000);
    wlab_elapsed_event(&p, &e, 210);
    assert_text(&p, 210, "10 s: 11 of 100000 steps, 1.1/s, 25.2 h left");
    e = progress_event("steps", 1011, 100000); /* a larger count continues: the rate is that of the whole */
    wlab_elapsed_event(&p, &e, 211);
    e = progress_event("steps", 5, 100000);
    wlab_elapsed_event(&p, &e, 212); /* a smaller count begins anew */
    assert_text(&p, 213, "13 s: 5 of 100000 steps");
    /* the text shows a unit inside a step after the steps, until the step has ended */
    wlab_elapsed_begin(&p, 3, 300);
    e = progress_event("starts", 7, 19);
    wlab_elapsed_event(&p, &e, 310);
    assert_text(&p, 310, "10 s: 7 of 19 starts");
    e = progress_event("steps", 1, 5);
    wlab_elapsed_event(&p, &e, 320);
    assert_text(&p, 320, "20 s: 1 of 5 steps, 0.05/s, 80 s left"); /* the first step counts from the start */
    e = progress_event("SVM iterations", 30, 0);
    wlab_elapsed_event(&p, &e, 325);
    assert_text(
        &p, 330,
        "30 s: 1 of 5 steps, 70 s left; 30 SVM iterations"); /* a step in 20 s; 10 of the next have passed */
    e = progress_event("starts", 1, 19);
    wlab_elapsed_event(&p, &e, 330);
    e = progress_event("starts", 10, 19);
    wlab_elapsed_event(&p, &e, 333);
    assert_text(&p, 333, "33 s: 1 of 5 steps, 67 s left; 10 of 19 starts, 3 s left");
    assert_text(
        &p, 360,
        "60 s: 1 of 5 steps, 90 s left; 10 of 19 starts, 24 s left"); /* the second takes 40 s already */
    e = progress_event("steps", 4, 5);
    wlab_elapsed_event(&p, &e, 380);
    assert_text(&p, 390, "90 s: 4 of 5 steps, 0.0444/s, 10 s left");
    assert_text(&p, 405, "105 s: 4 of 5 steps, 0.0381/s"); /* the last one is overdue: nobody knows */
    /* the part in brackets may change: it is not part of the unit */
    wlab_elapsed_begin(&p, 4, 400);
    e = progress_event("nodes (best 1, at most 3)", 64, 0);
    wlab_elapsed_event(&p, &e, 400);
    e = progress_event("nodes (best 1.5, at most 2)", 464, 0);
    wlab_elapsed_event(&p, &e, 404);
    assert_text(&p, 404, "4 s: 464 nodes (best 1.5, at most 2), 100/s");
    char small[8];
    wlab_elapsed_text(&p, 213, small, sizeof small);
    assert_true(strlen(small) < sizeof small);
}

typedef struct listener {
    int fd, heard, polled, ms;
    wlab_loop *loop;
    bool leaves;
} listener;

static int request_fds(void *self, struct pollfd *fds)
{
    listener *e = self;
    e->polled++;
    fds[0] = (struct pollfd){.fd = e->fd, .events = POLLIN};
    return e->ms;
}

static void serve(void *self, const struct pollfd *fds)
{
    listener *e = self;
    char c;
    if (fds[0].revents && read(e->fd, &c, 1) == 1)
        e->heard += c;
    if (e->leaves)
        wlab_loop_remove(e->loop, e);
}

static void test_loop(void **state)
{
    int a[2], b[2];
    wlab_loop loop = {0};
    listener one = {.ms = -1, .loop = &loop}, two = {.ms = -1, .loop = &loop, .leaves = true};
    (void)state;

    assert_int_equal(pipe(a), 0);
    assert_int_equal(pipe(b), 0);
    one.fd = a[0];
    two.fd = b[0];
    wlab_loop_add(&loop, &(wlab_source){&one, request_fds, serve});
    wlab_loop_add(&loop, &(wlab_source){&two, request_fds, serve});
    assert_int_equal(write(a[1], "\1", 1), 1);
    assert_int_equal(write(b[1], "\2", 1), 1);
    assert_false(wlab_loop_turn(&loop, -1, 1000));
    assert_int_equal(one.heard, 1);
    assert_int_equal(two.heard, 2); /* it was removed while it was served */
    assert_int_equal(loop.sources, 1);
    assert_int_equal(write(b[1], "\2", 1), 1);
    assert_true(wlab_loop_turn(&loop, b[0], 1000)); /* the turn does not read the extra descriptor */
    assert_int_equal(two.heard, 2);
    one.ms = 0; /* the loop does not wait if a source is due */
    double began = wlab_seconds_now();
    assert_false(wlab_loop_turn(&loop, -1, 60000));
    assert_true(wlab_seconds_now() - began < 30);
    close(a[0]);
    close(a[1]);
    close(b[0]);
    close(b[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_text), cmocka_unit_test(test_loop)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
