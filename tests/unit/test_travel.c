/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Time travel of every algorithm in the table, on every task that it solves: going back and forth, forks, incomplete
 * steps, changes of parameters and other numbers of threads give the same bits.
 */
#include "base/text.h"
#include "run/history.h"
#include "session/session.h"
#include "support.h"

enum {
    MOST = 6 /* steps */
};

/* The problems, and for each the algorithms that solve it with the number of settings below that they accept.  The
 * lists are exact, so that no algorithm is left out unnoticed.  Add a new algorithm here. */
static const struct {
    const char *line;
    bool thorough; /* try all settings also with algorithms not made for the task; else only "" */
    const char *travel;
} places[] = {
    {"generate two-moons n=24 noise=0.35 seed=5; task pu labeled=6 prior=0.4 seed=1", false,
     "svm 1, wellsvm 1, tsvm 1, mfa 1, bb 1, alternate 1, s3vm 1, cccp 1, upu 4, nnpu 3"},
    {"generate two-moons n=24 noise=0.35 seed=5; task ssl labeled=6 seed=1", true,
     "svm 4, wellsvm 6, mfn 3, tsvm 7, mfa 6, bb 4, conv-psvm 2, invcal 2, mean-map 3, alter-psvm 2, "
     "softmax-sdp 3, softmax-em 3, alternate 4, s3vm 5, entropy 3, s4vm 3, cccp 4, lapsvm 4, mmc-sdp 4, "
     "gmmc 2, template 1"},
    {"generate two-moons n=24 noise=0.35 seed=5; task cluster balance=0.1", true,
     "wellsvm 6, tsvm 7, mfa 6, bb 4, softmax-sdp 3, softmax-em 3, kmeans 2, alternate 4, itersvr 2, "
     "ncut 1, mmc-sdp 4, gmmc 2, cpmmc 2"},
    {"generate two-moons n=24 noise=0.35 seed=5; task supervised", true,
     "svm 4, wellsvm 6, mfn 3, bb 4, conv-psvm 2, invcal 2, mean-map 3, alter-psvm 2, softmax-sdp 3, "
     "softmax-em 3, clpl 3, pl-svm 3, template 1"},
    {"generate two-moons n=24 noise=0.35 seed=5; task llp bagsize=4 seed=1", false,
     "wellsvm 1, bb 1, conv-psvm 2, invcal 2, mean-map 3, lmm 1, amm 1, alter-psvm 2, alternate 1"},
    {"generate roi-bags bags=8 least=2 most=3 dims=2 rois=1 seed=1; task mil", false,
     "wellsvm 1, bb 1, softmax-sdp 1, softmax-em 1, alternate 1, mi-bag 1, mi-instance 1, sil 1, "
     "mi-kernel 1, citation-knn 1, ppmm 1, dd 1, em-dd 1"},
    {"generate roi-bags bags=8 least=2 most=3 dims=2 rois=1 seed=1; task mil labels=instances", false,
     "wellsvm 1, bb 1, softmax-sdp 1, softmax-em 1, alternate 1, mi-bag 1, mi-instance 1, sil 1, "
     "mi-kernel 1, citation-knn 1, ppmm 1, dd 1, em-dd 1"},
    {"generate blobs n=18 classes=3 spread=3 seed=5; task ambiguous positive=1 seed=1", false,
     "svm 1, wellsvm 1, bb 1, softmax-sdp 1, softmax-em 1, alternate 1, clpl 3, pl-svm 3"},
    {"generate blobs n=18 classes=3 spread=3 seed=5; task ambiguous classes=all seed=1", false,
     "svm 1, wellsvm 1, bb 1, softmax-sdp 1, softmax-em 1, alternate 1, clpl 3, pl-svm 3"},
    {"generate blobs n=18 classes=3 spread=3 seed=5; task ssl classes=all labeled=9 seed=1", false,
     "svm 1, wellsvm 1, mfn 1, tsvm 1, mfa 1, bb 1, conv-psvm 1, invcal 1, mean-map 1, alter-psvm 1, "
     "softmax-sdp 1, softmax-em 1, alternate 1, s3vm 1, entropy 1, s4vm 1, cccp 1, lapsvm 1, mmc-sdp 1, "
     "gmmc 1, template 1"},
    {"generate blobs n=18 classes=3 spread=3 seed=5; task supervised classes=all", false,
     "svm 1, wellsvm 1, mfn 1, bb 1, conv-psvm 1, invcal 1, mean-map 1, alter-psvm 1, softmax-sdp 1, "
     "softmax-em 1, clpl 1, pl-svm 1, template 1"},
    {"generate blobs n=18 classes=3 spread=3 seed=5; task cluster classes=3", false,
     "softmax-sdp 1, softmax-em 1, kmeans 1"},
};
enum {
    PLACES = sizeof places / sizeof *places
};
/* Settings that affect the content of a state; each is tried with every algorithm that has them. */
static const char *const settings[] = {"",
                                       "loss=logistic kernel=linear",
                                       "kernel=linear",
                                       "method=gradient kernel=linear",
                                       "method=newton kernel=rbf",
                                       "method=da kernel=rbf C=0.5",
                                       "kernel=rbf sigma=0.5x loss=hinge",
                                       "kernel=rbf sigma=0.3x loss=sum-to-one search=multistart",
                                       "kernel=rbf sigma=0.5x loss=hinge master=mklgl search=multistart",
                                       "kernel=rbf loss=squared-hinge bias=1",
                                       "kernel=rbf lambda=0.01",
                                       "kernel=rbf lambda=0.01 loss=hinge",
                                       "schedule=svmlight lambda=0.01",
                                       "loss=squared-hinge kernel=linear s=-0.3"};

static void no_event(void *self, const wlab_event *event)
{
    (void)self;
    (void)event;
}

/* A session with a run of the algorithm, or NULL if it does not accept these settings. */
static wlab_session *start(const wlab_algo *algo, const char *place, const char *setting, int threads)
{
    static const char *const none[] = {NULL};
    const wlab_places folders = {.data_dirs = none, .script_dirs = none, .out_dir = "."};
    const wlab_sink sink = {.event = no_event};
    wlab_session *s = NULL;
    char line[256];
    wlab_err err;

    ASSERT_OK(wlab_session_create(&s, &sink, &folders, threads, 1, &err), err);
    ASSERT_OK(wlab_session_line(s, place, WL_FROM_SCRIPT, NULL, 0, &err), err);
    snprintf(line, sizeof line, "algo %s %s", algo->name, setting);
    if (wlab_session_line(s, line, WL_FROM_SCRIPT, NULL, 0, &err)) {
        assert_int_equal(err.code, WL_EARG); /* no such setting, or not with this task */
        wlab_session_destroy(s);
        return NULL;
    }
    return s;
}

/* The first labels and the flips of all steps give the current labels.  The metric counts only labels of rows, except
 * in a binary classifier of one class against the rest, whose labels are not those of the rows.  Each algorithm
 * defines from which labeling the flips of the first step are counted. */
static void assert_flips(const wlab_run *run)
{
    const wlab_trace_row *row;
    int64_t rows = wlab_run_trace(run, &row), n = wlab_run_problem(run)->n;
    const wlab_algo *algo = wlab_run_algo(run);
    int metric = wlab_metric_index(algo, "classifier") >= 0 ? -1 : wlab_metric_index(algo, "flips");
    int8_t *labels = malloc((size_t)n);

    assert_non_null(labels);
    memcpy(labels, wlab_run_labels_first(run), (size_t)n);
    for (int64_t i = 1; i < rows; i++) {
        for (int64_t k = 0; k < row[i].nflips; k++) {
            assert_int_not_equal(labels[row[i].flip[k].instance], row[i].flip[k].to);
            labels[row[i].flip[k].instance] = row[i].flip[k].to;
        }
        if (i > 1 && metric >= 0 && row[i].metric[metric] > (double)row[i].nflips)
            fail_msg("%s: step %lld: %g flips, but %lld labels differ", algo->name, (long long)i,
                     row[i].metric[metric], (long long)row[i].nflips);
    }
    if (wlab_run_half(run) == 0)
        assert_memory_equal(labels, wlab_run_labels(run), (size_t)n);
    free(labels);
}

static void assert_digest(const wlab_run *run, const wlab_digest *expected, const char *where)
{
    wlab_digest now;
    char what[300];

    wlab_run_digest(run, &now);
    strcpy(now.run, expected->run);
    if (!wlab_digest_equal(expected, &now, true, 0, what, sizeof what))
        fail_msg("%s, %s: %s", wlab_run_algo(run)->name, where, what);
    assert_flips(run);
}

static wlab_code step(wlab_run *run, wlab_ctx *ctx)
{
    bool did;
    wlab_err err;

    ASSERT_OK(wlab_run_step(run, ctx, &did, &err), err);
    return WL_OK;
}

/* Makes a run without interruption; stores its digests in expected[0..last]. */
static int step_to_end(wlab_session *s, wlab_digest *expected)
{
    wlab_run *run = wlab_session_run(s);
    int n = 0;

    wlab_run_digest(run, &expected[0]);
    while (n < MOST && wlab_run_verdict(run) == WL_MORE) {
        step(run, wlab_session_ctx(s));
        wlab_run_digest(run, &expected[++n]);
    }
    return n;
}

static void travel(wlab_session *s, const wlab_digest *expected, int last, size_t budget)
{
    wlab_run *run = wlab_session_run(s), *fork = NULL;
    wlab_ctx *ctx = wlab_session_ctx(s);
    wlab_err err;
    bool did, outer;

    wlab_run_set_history(run, budget);
    for (int to = last; to >= 0; to--) {
        ASSERT_OK(wlab_run_goto(run, to, ctx, &err), err);
        assert_digest(run, &expected[to], "goto");
        /* make one unit of the next step, then leave the step in three ways: complete it in a fork, drop it by
         * `goto`, complete it here */
        ASSERT_OK(wlab_run_stepi(run, ctx, &did, &outer, &err), err);
        if (did && !outer && to < last) {
            ASSERT_OK(wlab_run_fork(&fork, run, "fork", 9, ctx, &err), err);
            step(fork, ctx);
            assert_digest(fork, &expected[to + 1], "a fork inside a step");
            wlab_run_destroy(fork);
            ASSERT_OK(wlab_run_goto(run, to, ctx, &err), err);
            assert_digest(run, &expected[to], "dropping a step");
        }
        if (to == last) /* drop a step that was started and that `expected` does not have */
            ASSERT_OK(wlab_run_goto(run, last, ctx, &err), err);
        while (wlab_run_iter(run) < last)
            step(run, ctx);
        assert_digest(run, &expected[last], "forward again");
    }
}

/* Changes a parameter after step 1, makes two steps, and goes back to before the change: the run must then continue
 * as if nothing had been changed. */
static void change_and_undo(wlab_session *s, const wlab_digest *expected, int last, const char *key,
                            const char *value)
{
    wlab_run *run = wlab_session_run(s);
    wlab_ctx *ctx = wlab_session_ctx(s);
    wlab_digest other[3];
    wlab_err err;

    if (last < 2)
        return;
    ASSERT_OK(wlab_run_goto(run, 1, ctx, &err), err);
    if (wlab_run_set(run, key, value, &err))
        return; /* the algorithm has no such parameter */
    wlab_run_digest(run, &other[0]);
    for (int i = 1; i < 3; i++) {
        step(run, ctx);
        wlab_run_digest(run, &other[i]);
    }
    for (int i = (int)wlab_run_iter(run) - 1; i >= 0; i--) {
        if (i >= wlab_run_iter(run))
            continue;
        ASSERT_OK(wlab_run_goto(run, 1 + i, ctx, &err), err);
        assert_digest(run, &other[i], "goto behind a change");
    }
    ASSERT_OK(wlab_run_goto(run, 0, ctx, &err), err);
    assert_digest(run, &expected[0], "goto before a change");
    while (wlab_run_iter(run) < last)
        step(run, ctx);
    assert_digest(run, &expected[last], "forward without the change");
}

/* false: the algorithm does not accept these settings on this problem. */
typedef bool test_one(const wlab_algo *, const char *place, const char *setting);

/* Runs the test at one place with every algorithm. took: the algorithms with the number of settings that each
 * accepted, "svm 4, mfn 5"; an algorithm that accepted none is left out. */
static void at_place(test_one *test, int place, char *took, size_t size)
{
    const char *task = strstr(places[place].line, "task ") + strlen("task ");
    char name[20];

    snprintf(name, sizeof name, "%.*s", (int)strcspn(task, " "), task);
    took[0] = '\0';
    for (int a = 0; wlab_algos[a]; a++) {
        const bool all = places[place].thorough || wlab_algos[a]->made_for & wlab_task_find(name)->sees;
        const size_t n = all ? sizeof settings / sizeof *settings : 1;
        int taken = 0;

        for (size_t k = 0; k < n; k++)
            taken += test(wlab_algos[a], places[place].line, settings[k]);
        if (taken)
            wlab_text_append(took, size, "%s%s %d", took[0] ? ", " : "", wlab_algos[a]->name, taken);
    }
}

static void at_each_place(test_one *test)
{
    char took[400];

    for (int place = 0; place < PLACES; place += SANITIZED ? 2 : 1) {
        at_place(test, place, took, sizeof took);
        assert_string_equal(took, places[place].travel);
    }
}

/* lower is never above upper, not even by rounding. */
static void assert_bounds(const wlab_run *run)
{
    const wlab_trace_row *row;
    const wlab_algo *algo = wlab_run_algo(run);
    int lower = wlab_metric_index(algo, "lower"), upper = wlab_metric_index(algo, "upper");
    int64_t rows = wlab_run_trace(run, &row);

    for (int64_t i = 0; i < rows && lower >= 0 && upper >= 0; i++)
        if (row[i].metric[lower] > row[i].metric[upper])
            fail_msg("%s, step %lld: lower %.17g, upper %.17g", algo->name, (long long)i,
                     row[i].metric[lower], row[i].metric[upper]);
}

/* Problems on which both bounds equal the optimum, which is 0 or another number. */
static void test_bounds(void **state)
{
    static const char *const lines[] = {
        "generate two-moons n=12 noise=0.3 seed=81; task cluster balance=0.2; algo softmax-sdp lambda=1e300 "
        "eps=1e-9",
        "generate two-moons n=16 noise=0.3 seed=62; task llp bagsize=4 seed=52; algo invcal"};
    (void)state;
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        static const char *const none[] = {NULL};
        const wlab_places folders = {.data_dirs = none, .script_dirs = none, .out_dir = "."};
        const wlab_sink sink = {.event = no_event};
        wlab_session *s = NULL;
        wlab_err err;

        ASSERT_OK(wlab_session_create(&s, &sink, &folders, 1, 1, &err), err);
        ASSERT_OK(wlab_session_line(s, lines[k], WL_FROM_SCRIPT, NULL, 0, &err), err);
        for (int i = 0; i < 8 && wlab_run_verdict(wlab_session_run(s)) == WL_MORE; i++)
            step(wlab_session_run(s), wlab_session_ctx(s));
        assert_bounds(wlab_session_run(s));
        wlab_session_destroy(s);
    }
}

static int walked, stepped, starved, damaged;

static bool travel_one(const wlab_algo *algo, const char *place, const char *setting)
{
    wlab_session *s = start(algo, place, setting, 1);
    wlab_digest expected[MOST + 1];
    int last;

    if (!s)
        return false;
    last = step_to_end(s, expected);
    assert_bounds(wlab_session_run(s));
    walked++;
    stepped += last;
    travel(s, expected, last, 0);
    travel(s, expected, last, 1);
    change_and_undo(s, expected, last, "C2", "0.3");
    change_and_undo(s, expected, last, "eps", "1e-3");
    wlab_session_destroy(s);
    return true;
}

/* Memory runs out while a snapshot is written, at every allocation: the state is unchanged. */
static void starve_snapshot(const wlab_run *run)
{
    const wlab_algo *algo = wlab_run_algo(run);
    wlab_buf was = {0};
    wlab_err err;

    ASSERT_OK(wlab_algo_snapshot(algo, wlab_run_state(run), &was, &err), err);
    for (long k = 1;; k++) {
        wlab_buf half = {0}, now = {0};

        wlab_alloc_fail_at(k);
        const wlab_code code = wlab_algo_snapshot(algo, wlab_run_state(run), &half, &err);
        const bool reached = wlab_alloc_count() >= k;
        wlab_alloc_fail_at(0);
        ASSERT_OK(wlab_algo_snapshot(algo, wlab_run_state(run), &now, &err), err);
        if (now.len != was.len || memcmp(now.data, was.data, was.len) != 0)
            fail_msg("%s, allocation %ld: a snapshot that failed (%d) changed the state", algo->name, k,
                     (int)code);
        wlab_buf_clear(&half);
        wlab_buf_clear(&now);
        if (!reached)
            break;
    }
    wlab_buf_clear(&was);
}

/* Memory runs out while a run goes back, at every allocation: the run is where it was or, if returning needs memory
 * too, at the step that it had reached; never in between. */
static void starve_one(const wlab_algo *algo, const char *place)
{
    wlab_session *s = start(algo, place, "", 1);
    wlab_run *run = s ? wlab_session_run(s) : NULL;
    wlab_ctx *ctx = s ? wlab_session_ctx(s) : NULL;
    wlab_digest expected[MOST + 1];
    wlab_err err;
    int last = s ? step_to_end(s, expected) : 0;

    if (last > 0) {
        ASSERT_OK(wlab_run_goto(run, (last + 1) / 2, ctx, &err), err);
        starve_snapshot(run);
        while (wlab_run_iter(run) < last)
            step(run, ctx);
    }
    for (long k = 1; last >= 2; k++) {
        const int to = last / 2;
        wlab_buf was = {0}, now = {0};
        bool did, outer;

        wlab_run_set_history(run, (size_t)(k % 2) * 1000000);
        ASSERT_OK(wlab_run_stepi(run, ctx, &did, &outer, &err), err);
        const bool half = wlab_run_half(run) > 0;
        if (!half)
            ASSERT_OK(wlab_run_goto(run, last, ctx, &err), err); /* one step more than `expected` has */
        ASSERT_OK(wlab_algo_snapshot(wlab_run_algo(run), wlab_run_state(run), &was, &err), err);
        wlab_alloc_fail_at(k);
        const wlab_code code = wlab_run_goto(run, to, ctx, &err);
        const bool reached = wlab_alloc_count() >= k;
        wlab_alloc_fail_at(0);
        const int at = (int)wlab_run_iter(run);
        if (code == WL_OK) {
            assert_int_equal(at, to);
            assert_digest(run, &expected[to], "goto");
        } else if (at == last) {
            assert_int_equal(code, WL_ENOMEM);
            ASSERT_OK(wlab_algo_snapshot(wlab_run_algo(run), wlab_run_state(run), &now, &err), err);
            if (now.len != was.len || memcmp(now.data, was.data, was.len) != 0)
                fail_msg("%s, allocation %ld: the run changed", algo->name, k);
            starved++;
        } else if (wlab_run_half(run) == 0) {
            assert_digest(run, &expected[at], "without a way back");
        }
        wlab_buf_clear(&was);
        wlab_buf_clear(&now);
        ASSERT_OK(wlab_run_goto(run, wlab_run_iter(run), ctx, &err), err);
        while (wlab_run_iter(run) < last)
            step(run, ctx);
        assert_digest(run, &expected[last], "forward after memory ran out");
        if (!reached)
            break;
    }
    wlab_session_destroy(s);
}

static void test_memory(void **state)
{
    (void)state;
    for (int a = 0; wlab_algos[a]; a++)
        for (int place = 0; place < PLACES; place++)
            starve_one(wlab_algos[a], places[place].line);
    assert_true(starved >= 30);
}

static void assert_at(const wlab_run *run, const wlab_buf *expected, const char *after)
{
    wlab_buf now = {0};
    wlab_err err;

    ASSERT_OK(wlab_algo_snapshot(wlab_run_algo(run), wlab_run_state(run), &now, &err), err);
    if (now.len != expected->len || memcmp(now.data, expected->data, now.len) != 0)
        fail_msg("%s: %s, the state changed", wlab_run_algo(run)->name, after);
    wlab_buf_clear(&now);
}

/* Makes the nearest snapshot claim the given length. */
static void shorten(wlab_past *past, uint64_t length)
{
    past->state.len = (size_t)length;
    memcpy(past->state.data, &length, sizeof length);
}

/* A snapshot that is cut short is not used.  If this is detected only after half of it was read, the run, which would
 * have gone back to it, does not move. */
static void damage_one(const wlab_algo *algo, const char *place)
{
    wlab_session *s = start(algo, place, "", 1);
    wlab_run *run = s ? wlab_session_run(s) : NULL;
    wlab_digest expected[MOST + 1];
    wlab_buf was = {0};
    wlab_err err;
    bool did, outer;
    const int last = s ? step_to_end(s, expected) : 0;

    if (!s)
        return;
    ASSERT_OK(wlab_run_stepi(run, NULL, &did, &outer, &err), err);
    ASSERT_OK(wlab_algo_snapshot(wlab_run_algo(run), wlab_run_state(run), &was, &err), err);
    for (size_t len = 0; len < was.len; len += was.len / 23 + 1) {
        wlab_buf cut = was;
        cut.len = len;
        ASSERT_FAILS(wlab_algo_restore(wlab_run_algo(run), wlab_run_state(run), &cut, NULL, &err), WL_EINPUT,
                     err, "the snapshot is damaged");
        assert_at(run, &was, "of a snapshot cut short");
    }
    for (int k = 1; k < 24 && last > 1; k++) {
        wlab_past *past = (wlab_past *)wlab_history_nearest(&run->history, 1);
        const size_t whole = past->state.len, length = 8 + (whole - 9) * (size_t)k / 24;
        shorten(past, length);
        ASSERT_FAILS(wlab_run_goto(run, 1, NULL, &err), WL_EINPUT, err, "the snapshot is damaged");
        assert_at(run, &was, "of a snapshot damaged within");
        shorten(past, whole);
        damaged++;
    }
    wlab_buf_clear(&was);
    wlab_session_destroy(s);
}

static void test_damaged(void **state)
{
    (void)state;
    for (int a = 0; wlab_algos[a]; a++)
        for (int place = 0; place < PLACES; place++)
            damage_one(wlab_algos[a], places[place].line);
    assert_true(damaged >= 23 * 20);
}

static void test_travel(void **state)
{
    (void)state;
    at_each_place(travel_one);
    assert_true(stepped > walked); /* some runs have more than one step */
}

static bool threads_one(const wlab_algo *algo, const char *place, const char *setting)
{
    wlab_digest expected[MOST + 1], other[MOST + 1];
    wlab_session *s = start(algo, place, setting, 1);
    int last;

    if (!s)
        return false;
    last = step_to_end(s, expected);
    wlab_session_destroy(s);
    for (int threads = 2; threads <= 4; threads += 2) {
        s = start(algo, place, setting, threads);
        assert_non_null(s);
        assert_int_equal(step_to_end(s, other), last);
        for (int i = 0; i <= last; i++)
            assert_memory_equal(&other[i], &expected[i], sizeof expected[i]);
        wlab_session_destroy(s);
    }
    return true;
}

static void test_threads(void **state)
{
    (void)state;
    at_each_place(threads_one);
}

/* The time of steps that were undone does not count towards the next snapshot. */
static void test_worked(void **state)
{
    (void)state;
    wlab_history h = {.worked = 5};
    wlab_past past = {.iter = 3};
    assert_int_equal(wlab_history_put(&h, &past, 0), WL_OK);
    wlab_history_cut(&h, 3, 0);
    assert_true(h.worked == 0 && h.count == 1);
    wlab_history_cut(&h, 2, 0);
    assert_int_equal(h.count, 0);
    wlab_history_clear(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_travel),  cmocka_unit_test(test_memory), cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_threads), cmocka_unit_test(test_worked), cmocka_unit_test(test_damaged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
