/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every algorithm in the table, on problems and with parameters drawn at random: a run that is interrupted at any
 * check, or moved to and fro by step, stepi, goto, fork and set, equals a run that went straight to the same step,
 * bit for bit.
 *
 * The program is linked with --wrap=wlab_interrupted: the test receives each check of the flag and decides at which
 * check the flag is set.  So no clock is needed, and failures are reproducible.
 */
#include "drawn.h"
#include "weaklab/event.h"

enum {
    SESSIONS = REPEATS(40), /* interrupted sessions of each algorithm */
    WALKS = REPEATS(30),    /* walks of each algorithm */
    MOVES = 12,             /* moves of a walk */
    DRAWS = 8000,           /* draws in which these must be found */
    STEPS = 6,
    UNITS = 60,
    INTERRUPTS = 8 /* interrupts in a session */
};

static long checks, fires_at; /* checks since interrupt_at; the check at which the flag is set, 0: never */

bool __wrap_wlab_interrupted(const wlab_ctx *ctx);
bool __wrap_wlab_interrupted(const wlab_ctx *ctx)
{
    if (!ctx || !ctx->interrupt)
        return false;
    checks++;
    return fires_at > 0 && checks >= fires_at; /* it remains set, as the real one does */
}

static void interrupt_at(long at)
{
    checks = 0;
    fires_at = at;
}

/* The digest after each unit. */
typedef struct shown {
    wlab_digest digest;
    bool outer;
    long checks; /* of the flag during the unit, including that of the run before it */
} shown;

static void assert_digest(const wlab_run *run, const wlab_digest *expected, const drawn *d, const char *where)
{
    wlab_digest now;
    char what[300];

    wlab_run_digest(run, &now);
    strcpy(now.run, expected->run);
    if (!wlab_digest_equal(expected, &now, true, 0, what, sizeof what))
        fail_msg("%s\n%s, after unit %lld: %s", d->line, where, (long long)now.inner, what);
}

/* Makes a unit; false: the algorithm reports that the numbers are too extreme. */
static bool make_unit(wlab_run *run, const drawn *d, bool *outer)
{
    wlab_err err;
    bool did;
    const wlab_code code = wlab_run_stepi(run, wlab_session_ctx(d->s), &did, outer, &err);
    if (code && code != WL_ENUMERIC && code != WL_ESTATE && code != WL_EARG)
        fail_msg("%s\ncode %d, %s", d->line, (int)code, err.message);
    return code == WL_OK;
}

/* ---- interrupts ---- */

/* Makes the run's units without interrupts and stores the digest after each.  Returns the number of units; 0: the
 * algorithm refuses the numbers. */
static int run_straight(const drawn *d, shown *list)
{
    wlab_run *run = wlab_session_run(d->s);
    int n = 0;

    wlab_run_digest(run, &list[0].digest);
    while (n < UNITS && wlab_run_iter(run) < STEPS && wlab_run_verdict(run) == WL_MORE) {
        interrupt_at(0);
        if (!make_unit(run, d, &list[n + 1].outer))
            return 0;
        list[++n].checks = checks;
        wlab_run_digest(run, &list[n].digest);
    }
    return n;
}

/* Makes the same units again, interrupting some of them at a random check, and compares the digests with `list`.
 * Returns how many were interrupted. */
static int run_interrupted(const drawn *d, const shown *list, int units, wlab_rng *rng, int *inside)
{
    wlab_run *run = wlab_session_run(d->s), *fork;
    wlab_ctx *ctx = wlab_session_ctx(d->s);
    int stopped = 0;
    bool did, outer;
    wlab_err err;

    interrupt_at(0);
    ASSERT_OK(wlab_run_goto(run, 0, ctx, &err), err);
    for (int n = 0; n < units; n++) {
        bool whole = false;
        while (!whole && stopped < INTERRUPTS && wlab_rng_below(rng, 3) > 0) {
            const long at = 1 + (long)wlab_rng_below(rng, (uint64_t)list[n + 1].checks);
            interrupt_at(at);
            const wlab_code code = wlab_run_stepi(run, ctx, &did, &outer, &err);
            interrupt_at(0);
            whole = code == WL_OK; /* the unit had no work left */
            if (whole)
                break;
            if (code != WL_EINTERRUPTED)
                fail_msg("%s\nunit %d: code %d, %s", d->line, n + 1, (int)code, err.message);
            stopped++;
            *inside += at > 1;
            assert_digest(run, &list[n].digest, d, "interrupted");
            if (wlab_rng_below(rng, 4) ==
                0) { /* the interrupted state is complete: a copy of it continues, too */
                ASSERT_OK(wlab_run_fork(&fork, run, "fork", 9, ctx, &err), err);
                assert_digest(fork, &list[n].digest, d, "a fork of what was interrupted");
                ASSERT_OK(wlab_run_stepi(fork, ctx, &did, &outer, &err), err);
                assert_digest(fork, &list[n + 1].digest, d, "a fork of what was interrupted, going on");
                wlab_run_destroy(fork);
            }
        }
        if (!whole)
            ASSERT_OK(wlab_run_stepi(run, ctx, &did, &outer, &err), err);
        assert_digest(run, &list[n + 1].digest, d, whole ? "through a flag that is up" : "going on");
        assert_int_equal(outer, list[n + 1].outer);
    }
    return stopped;
}

static void test_interrupts(void **state)
{
    static shown list[UNITS + 1];
    (void)state;
    for (int a = 0; wlab_algos[a]; a++) {
        wlab_rng rng;
        int sessions = 0, stops = 0, inside = 0;
        wlab_rng_seed(&rng, 16 + (uint64_t)a);
        for (int draws = 0; draws < DRAWS && sessions < SESSIONS; draws++) {
            drawn d;
            interrupt_at(0);
            if (!drawn_create(&d, wlab_algos[a], &rng, DRAWN_PLAIN, 1))
                continue;
            const int units = run_straight(&d, list);
            const int stopped = run_interrupted(&d, list, units, &rng, &inside);
            stops += stopped;
            sessions += stopped > 0;
            wlab_session_destroy(d.s);
        }
        print_message("%-12s %d sessions, %3d interrupts, %3d of them inside a unit\n", wlab_algos[a]->name,
                      sessions, stops, inside);
        assert_int_equal(sessions, SESSIONS);
    }
}

/* ---- walks ---- */

/* Compares with a run that goes straight to the same step, with the same changes of parameters at the same steps. */
static void compare_with_straight(const wlab_run *run, const drawn *d, const char *where)
{
    drawn fresh = *d;
    const wlab_change *change;
    const int changes = wlab_run_changes(run, &change);
    int next = 0;
    wlab_digest expected;
    wlab_err err;
    bool outer;

    drawn_open(&fresh, 1, &err);
    wlab_run *other = wlab_session_run(fresh.s);
    while (true) {
        for (; next < changes && change[next].iter == wlab_run_iter(other) && wlab_run_half(other) == 0;
             next++)
            ASSERT_OK(wlab_run_set(other, change[next].name, change[next].value, &err), err);
        if (wlab_run_inner(other) == wlab_run_inner(run))
            break;
        assert_true(make_unit(other, d, &outer));
    }
    assert_int_equal(next, changes);
    wlab_run_digest(other, &expected);
    assert_digest(run, &expected, d, where);
    wlab_session_destroy(fresh.s);
}

/* Sets at most one mutable parameter, to a random value, if the algorithm allows it. */
static void change_one(wlab_run *run, wlab_rng *rng)
{
    const wlab_param_info *p = wlab_run_algo(run)->params;
    char value[40];
    wlab_err err;

    for (; p->name; p++)
        if (p->flags & WL_P_MUTABLE && wlab_rng_below(rng, 4) == 0 &&
            drawn_value(p, rng, DRAWN_PLAIN, value)) {
            (void)wlab_run_set(run, p->name, value, &err);
            return;
        }
}

/* Makes one move of the walk; *what: its name.  false: the numbers are too extreme, and the walk ends. */
static bool random_move(wlab_run **run, const drawn *d, wlab_rng *rng, const char **what)
{
    wlab_ctx *ctx = wlab_session_ctx(d->s);
    const int64_t iter = wlab_run_iter(*run);
    wlab_run *fork;
    bool outer, going;
    wlab_err err;

    switch (wlab_rng_below(rng, 8)) {
    case 0:
    case 1:
        *what = "step";
        for (going = true, outer = false; going && !outer && wlab_run_verdict(*run) == WL_MORE;)
            going = make_unit(*run, d, &outer);
        return going;
    case 2:
    case 3:
        *what = "stepi";
        return make_unit(*run, d, &outer);
    case 4:
        *what = "goto";
        ASSERT_OK(wlab_run_goto(*run, (int64_t)wlab_rng_below(rng, (uint64_t)iter + 1), ctx, &err), err);
        return true;
    case 5:
        *what = "fork";
        ASSERT_OK(wlab_run_fork(&fork, *run, "a", 9, ctx, &err), err);
        if (*run != wlab_session_run(d->s))
            wlab_run_destroy(*run);
        *run = fork;
        return true;
    case 6:
        *what = "set";
        if (wlab_run_half(*run) == 0)
            change_one(*run, rng);
        return true;
    default:
        *what = "interrupt";
        interrupt_at(1 + (long)wlab_rng_below(rng, 12));
        going =
            wlab_run_stepi(*run, ctx, &(bool){false}, &outer, &err) == WL_OK || err.code == WL_EINTERRUPTED;
        interrupt_at(0);
        return going;
    }
}

static void test_walks(void **state)
{
    (void)state;
    for (int a = 0; wlab_algos[a]; a++) {
        wlab_rng rng;
        int walks = 0, moves = 0;
        wlab_rng_seed(&rng, 9 + (uint64_t)a);
        interrupt_at(0);
        for (int draws = 0; draws < DRAWS && walks < WALKS; draws++) {
            drawn d;
            if (!drawn_create(&d, wlab_algos[a], &rng, DRAWN_PLAIN, 1))
                continue;
            wlab_run *run = wlab_session_run(d.s);
            const char *what = "";
            wlab_run_set_history(run, wlab_rng_below(&rng, 2)); /* all snapshots, or the first and last */
            for (int k = 0; k < MOVES && random_move(&run, &d, &rng, &what); k++, moves++)
                compare_with_straight(run, &d, what);
            if (run != wlab_session_run(d.s))
                wlab_run_destroy(run);
            wlab_session_destroy(d.s);
            walks++;
        }
        print_message("%-12s %d walks, %d moves\n", wlab_algos[a]->name, walks, moves);
        assert_int_equal(walks, WALKS);
    }
}

/* Between two binary classifiers of one class against the rest, `set` refuses what the next classifier would refuse.
 * A walk found that it did not, which left the run unusable. */
static void test_set_between_classifiers(void **state)
{
    drawn d = {
        .line =
            "generate blobs n=18 classes=3 seed=1; task ssl labeled=9 classes=all; algo wellsvm loss=hinge"};
    wlab_err err;
    bool outer;

    (void)state;
    interrupt_at(0);
    ASSERT_OK(drawn_open(&d, 1, &err), err);
    wlab_run *run = wlab_session_run(d.s), *fork;
    for (int ends = 0; wlab_run_verdict(run) == WL_MORE;) {
        assert_true(make_unit(run, &d, &outer));
        const wlab_trace_row *row;
        const int64_t rows = wlab_run_trace(run, &row);
        ends += outer && row[rows - 1].phase_complete;
        if (outer && (ends == 1 || wlab_run_verdict(run) != WL_MORE))
            ASSERT_FAILS(wlab_run_set(run, "lambda_u", "1", &err), WL_EARG, err, "squared-hinge");
    }
    ASSERT_OK(wlab_run_fork(&fork, run, "fork", 9, wlab_session_ctx(d.s), &err), err);
    wlab_run_destroy(fork);
    wlab_session_destroy(d.s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_interrupts), cmocka_unit_test(test_walks),
                                       cmocka_unit_test(test_set_between_classifiers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
