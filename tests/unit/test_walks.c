/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every algorithm in the table, on problems and with parameters drawn at random: interrupted at any look, walked to and
 * fro by step, stepi, goto, fork and set, it is what a run would be that went straight there, to the bit.
 *
 * The program is linked with --wrap=wlab_interrupted: each look at the flag comes here, and the test says at which one it
 * is up.  So no clock is needed, and what fails once fails always.
 */
#include "drawn.h"
#include "weaklab/event.h"

enum {
    SESSIONS = 40, /* interrupted ones, of each algorithm */
    WALKS = 30,    /* of each algorithm */
    MOVES = 12,    /* of a walk */
    DRAWS = 2000,  /* in which these must be found */
    STEPS = 6,
    UNITS = 60,
    INTERRUPTS = 8 /* in a session */
};

static long looks, fires_at; /* since `arm`; 0: never */

bool __wrap_wlab_interrupted(const wlab_ctx *ctx);
bool __wrap_wlab_interrupted(const wlab_ctx *ctx)
{
    if (!ctx || !ctx->interrupt)
        return false;
    looks++;
    return fires_at > 0 && looks >= fires_at; /* it stays up, as the real one does */
}

static void arm(long at)
{
    looks = 0;
    fires_at = at;
}

/* What is shown after each unit. */
typedef struct shown {
    wlab_digest digest;
    bool outer;
    long looks; /* that the unit took, with the run's own before it */
} shown;

static void same(const wlab_run *run, const wlab_digest *want, const drawn *d, const char *where)
{
    wlab_digest now;
    char what[300];

    wlab_run_digest(run, &now);
    strcpy(now.run, want->run);
    if (!wlab_digest_equal(want, &now, true, 0, what, sizeof what))
        fail_msg("%s\n%s, after unit %lld: %s", d->line, where, (long long)now.inner, what);
}

/* A unit; false: the numbers are too extreme for the algorithm, which says so. */
static bool unit(wlab_run *run, const drawn *d, bool *outer)
{
    wlab_err err;
    bool did;
    const wlab_code code = wlab_run_stepi(run, wlab_session_ctx(d->s), &did, outer, &err);
    if (code && code != WL_ENUMERIC && code != WL_ESTATE && code != WL_EARG)
        fail_msg("%s\ncode %d, %s", d->line, (int)code, err.message);
    return code == WL_OK;
}

/* ---- interrupts ---- */

/* Straight ahead, as nobody interrupts it; how many units there were, 0: it cannot be. */
static int straight(const drawn *d, shown *list)
{
    wlab_run *run = wlab_session_run(d->s);
    int n = 0;

    wlab_run_digest(run, &list[0].digest);
    while (n < UNITS && wlab_run_iter(run) < STEPS && wlab_run_verdict(run) == WL_MORE) {
        arm(0);
        if (!unit(run, d, &list[n + 1].outer))
            return 0;
        list[++n].looks = looks;
        wlab_run_digest(run, &list[n].digest);
    }
    return n;
}

/* The same units, and in some of them the flag goes up, at any look; how many did stop. */
static int interrupted(const drawn *d, const shown *list, int units, wlab_rng *rng, int *inside)
{
    wlab_run *run = wlab_session_run(d->s), *fork;
    wlab_ctx *ctx = wlab_session_ctx(d->s);
    int stopped = 0;
    bool did, outer;
    wlab_err err;

    arm(0);
    ASSERT_OK(wlab_run_goto(run, 0, ctx, &err), err);
    for (int n = 0; n < units; n++) {
        bool whole = false;
        while (!whole && stopped < INTERRUPTS && wlab_rng_below(rng, 3) > 0) {
            const long at = 1 + (long)wlab_rng_below(rng, (uint64_t)list[n + 1].looks);
            arm(at);
            const wlab_code code = wlab_run_stepi(run, ctx, &did, &outer, &err);
            arm(0);
            whole = code == WL_OK; /* nothing was left to do */
            if (whole)
                break;
            if (code != WL_EINTERRUPTED)
                fail_msg("%s\nunit %d: code %d, %s", d->line, n + 1, (int)code, err.message);
            stopped++;
            *inside += at > 1;
            same(run, &list[n].digest, d, "interrupted");
            if (wlab_rng_below(rng, 4) == 0) { /* what is left is whole: a copy of it goes on as well */
                ASSERT_OK(wlab_run_fork(&fork, run, "fork", 9, ctx, &err), err);
                same(fork, &list[n].digest, d, "a fork of what was interrupted");
                ASSERT_OK(wlab_run_stepi(fork, ctx, &did, &outer, &err), err);
                same(fork, &list[n + 1].digest, d, "a fork of what was interrupted, going on");
                wlab_run_destroy(fork);
            }
        }
        if (!whole)
            ASSERT_OK(wlab_run_stepi(run, ctx, &did, &outer, &err), err);
        same(run, &list[n + 1].digest, d, whole ? "through a flag that is up" : "going on");
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
            arm(0);
            if (!drawn_create(&d, wlab_algos[a], &rng, DRAWN_PLAIN, 1))
                continue;
            const int units = straight(&d, list);
            const int stopped = interrupted(&d, list, units, &rng, &inside);
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

/* A run that goes straight to where this one is, with the changes of its parameters where they were made. */
static void compare_with_straight(const wlab_run *run, const drawn *d, const char *where)
{
    drawn fresh = *d;
    const wlab_change *change;
    const int changes = wlab_run_changes(run, &change);
    int next = 0;
    wlab_digest want;
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
        assert_true(unit(other, d, &outer));
    }
    assert_int_equal(next, changes);
    wlab_run_digest(other, &want);
    same(run, &want, d, where);
    wlab_session_destroy(fresh.s);
}

/* Sets one parameter that may be changed to another value, where that is allowed. */
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

/* One move of the walk, and what it was; false: the numbers are too extreme, and the walk ends. */
static bool move(wlab_run **run, const drawn *d, wlab_rng *rng, const char **what)
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
            going = unit(*run, d, &outer);
        return going;
    case 2:
    case 3:
        *what = "stepi";
        return unit(*run, d, &outer);
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
        arm(1 + (long)wlab_rng_below(rng, 12));
        going =
            wlab_run_stepi(*run, ctx, &(bool){false}, &outer, &err) == WL_OK || err.code == WL_EINTERRUPTED;
        arm(0);
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
        arm(0);
        for (int draws = 0; draws < DRAWS && walks < WALKS; draws++) {
            drawn d;
            if (!drawn_create(&d, wlab_algos[a], &rng, DRAWN_PLAIN, 1))
                continue;
            wlab_run *run = wlab_session_run(d.s);
            const char *what = "";
            wlab_run_set_history(run, wlab_rng_below(&rng, 2)); /* as many snapshots as may be, or one */
            for (int k = 0; k < MOVES && move(&run, &d, &rng, &what); k++, moves++)
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

/* Between machines of one class against the rest `set` refuses what the next machine would: a walk found that it did not,
 * and nothing could be done with the run any more. */
static void test_set_between_machines(void **state)
{
    drawn d = {
        .line =
            "generate blobs n=18 classes=3 seed=1; task ssl labeled=9 classes=all; algo wellsvm loss=hinge"};
    wlab_err err;
    bool outer;

    (void)state;
    arm(0);
    ASSERT_OK(drawn_open(&d, 1, &err), err);
    wlab_run *run = wlab_session_run(d.s), *fork;
    for (int ends = 0; wlab_run_verdict(run) == WL_MORE;) {
        assert_true(unit(run, &d, &outer));
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
                                       cmocka_unit_test(test_set_between_machines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
