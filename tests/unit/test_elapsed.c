/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is said of long work, and the loop that serves sources while it goes on.
 */
#include "support.h"

#include "tui/loop.h"
#include "tui/prompt/elapsed.h"
#include <string.h>
#include <unistd.h>

static wlab_event at(const char *unit, int64_t done, int64_t total)
{
    wlab_event e = {.kind = WL_EV_PROGRESS, .done = done, .total = total};
    snprintf(e.text, sizeof e.text, "%s", unit);
    return e;
}

static void says(const wlab_elapsed *p, double now, const char *expected)
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
    says(&p, 103.2, "3 s");
    wlab_elapsed_event(&p, &(wlab_event){.kind = WL_EV_NOTE, .text = "rows"}, 104);
    says(&p, 104, "4 s"); /* other events are not about it */
    wlab_event e = at("rows", 100, 1000);
    wlab_elapsed_event(&p, &e, 104);
    says(&p, 105, "5 s: 100 of 1000 rows"); /* no rate from so little */
    e = at("rows", 300, 1000);
    wlab_elapsed_event(&p, &e, 106);
    says(&p, 108, "8 s: 300 of 1000 rows, 50/s, 14 s left"); /* (300 - 100) in 4 s; 700 to do */
    e = at("rows", 1000, 1000);
    wlab_elapsed_event(&p, &e, 114);
    says(&p, 114, "14 s: 1000 of 1000 rows, 90/s");
    e = at("labelings", 2, 0); /* another unit, without a total */
    wlab_elapsed_event(&p, &e, 115);
    says(&p, 116, "16 s: 2 labelings");
    wlab_elapsed_begin(&p, 1, 117); /* the same job */
    says(&p, 117, "17 s: 2 labelings");
    wlab_elapsed_begin(&p, 2, 200);
    says(&p, 200, "0 s");
    e = at("steps", 1, 100000);
    wlab_elapsed_event(&p, &e, 200);
    e = at("steps", 11, 100000);
    wlab_elapsed_event(&p, &e, 210);
    says(&p, 210, "10 s: 11 of 100000 steps, 1.1/s, 25.2 h left");
    e = at("steps", 1011, 100000); /* forward only: the rate is of the whole */
    wlab_elapsed_event(&p, &e, 211);
    e = at("steps", 5, 100000);
    wlab_elapsed_event(&p, &e, 212); /* begun anew */
    says(&p, 213, "13 s: 5 of 100000 steps");
    /* what goes on inside a step stands behind the steps, and is forgotten with it */
    wlab_elapsed_begin(&p, 3, 300);
    e = at("starts", 7, 19);
    wlab_elapsed_event(&p, &e, 310);
    says(&p, 310, "10 s: 7 of 19 starts");
    e = at("steps", 1, 5);
    wlab_elapsed_event(&p, &e, 320);
    says(&p, 320, "20 s: 1 of 5 steps, 0.05/s, 80 s left"); /* the first step counts from the start */
    e = at("SVM iterations", 30, 0);
    wlab_elapsed_event(&p, &e, 325);
    says(&p, 330, "30 s: 1 of 5 steps, 2 min left; 30 SVM iterations");
    e = at("starts", 1, 19);
    wlab_elapsed_event(&p, &e, 330);
    e = at("starts", 10, 19);
    wlab_elapsed_event(&p, &e, 333);
    says(&p, 333, "33 s: 1 of 5 steps, 2 min left; 10 of 19 starts, 3 s left");
    /* brackets say how it stands, not what is counted */
    wlab_elapsed_begin(&p, 4, 400);
    e = at("nodes (best 1, at most 3)", 64, 0);
    wlab_elapsed_event(&p, &e, 400);
    e = at("nodes (best 1.5, at most 2)", 464, 0);
    wlab_elapsed_event(&p, &e, 404);
    says(&p, 404, "4 s: 464 nodes (best 1.5, at most 2), 100/s");
    char small[8];
    wlab_elapsed_text(&p, 213, small, sizeof small);
    assert_true(strlen(small) < sizeof small);
}

typedef struct ear {
    int fd, heard, asked, ms;
    wlab_loop *loop;
    bool leaves;
} ear;

static int wants(void *self, struct pollfd *fds)
{
    ear *e = self;
    e->asked++;
    fds[0] = (struct pollfd){.fd = e->fd, .events = POLLIN};
    return e->ms;
}

static void serve(void *self, const struct pollfd *fds)
{
    ear *e = self;
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
    ear one = {.ms = -1, .loop = &loop}, two = {.ms = -1, .loop = &loop, .leaves = true};
    (void)state;

    assert_int_equal(pipe(a), 0);
    assert_int_equal(pipe(b), 0);
    one.fd = a[0];
    two.fd = b[0];
    wlab_loop_add(&loop, &(wlab_source){&one, wants, serve});
    wlab_loop_add(&loop, &(wlab_source){&two, wants, serve});
    assert_int_equal(write(a[1], "\1", 1), 1);
    assert_int_equal(write(b[1], "\2", 1), 1);
    assert_false(wlab_loop_turn(&loop, -1, 1000));
    assert_int_equal(one.heard, 1);
    assert_int_equal(two.heard, 2); /* and it went while it was served */
    assert_int_equal(loop.sources, 1);
    assert_int_equal(write(b[1], "\2", 1), 1);
    assert_true(wlab_loop_turn(&loop, b[0], 1000)); /* the extra descriptor is not read */
    assert_int_equal(two.heard, 2);
    one.ms = 0; /* a source that is due does not let the others wait */
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
