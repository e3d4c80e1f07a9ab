/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The stepping commands, typed into a session whose runs are of the toy algorithm; and of wellsvm where a
 * recording is replayed.
 */
#include "unit/toy_session.h"

typedef struct fixture {
    wlab_session *s;
    wlab_buf text, messages;
    json_t *objects;
    int stop_at; /* Ctrl-C comes when this step is reported; 0: never */
    bool looked; /* a command that looks was answered while the run went on */
    const char *look;
} fixture;

static void put_text(void *self, const char *text)
{
    assert_int_equal(wlab_buf_printf(&((fixture *)self)->text, "%s", text), WL_OK);
}

static void put_message(void *self, const char *text)
{
    assert_int_equal(wlab_buf_printf(&((fixture *)self)->messages, "%s\n", text), WL_OK);
}

static void put_object(void *self, const json_t *object)
{
    json_array_append_new(((fixture *)self)->objects, json_deep_copy(object));
}

static void put_event(void *self, const wlab_event *event)
{
    fixture *f = self;

    if (event->kind == WL_EV_WARNING)
        put_message(f, event->text);
    if (event->kind == WL_EV_STEP && f->stop_at == event->step)
        wlab_session_interrupt(f->s);
    if (event->kind == WL_EV_STEP)
        atomic_fetch_add(&toy_turns, TOY_UNITS);
}

static void open_session(fixture *f, bool json)
{
    static const char *const none[] = {NULL};
    const wlab_places places = {.data_dirs = none, .script_dirs = none, .out_dir = "."};
    const wlab_sink sink = {.text = put_text,
                            .message = put_message,
                            .object = put_object,
                            .event = put_event,
                            .json = json,
                            .self = f};
    wlab_err err;

    memset(f, 0, sizeof *f);
    f->objects = json_array();
    ASSERT_OK(wlab_session_create(&f->s, &sink, &places, 1, 1, &err), err);
}

static void close_session(fixture *f)
{
    wlab_session_destroy(f->s);
    wlab_buf_clear(&f->text);
    wlab_buf_clear(&f->messages);
    json_decref(f->objects);
}

/* One line, as a script would have it; what it printed is in text and messages. */
static wlab_code type(fixture *f, const char *line, wlab_err *err)
{
    wlab_buf_clear(&f->text);
    wlab_buf_clear(&f->messages);
    json_array_clear(f->objects);
    return wlab_session_line(f->s, line, WL_FROM_PERSON, NULL, 0, err);
}

static void good(fixture *f, const char *line)
{
    wlab_err err;

    ASSERT_OK(type(f, line, &err), err);
}

static void bad(fixture *f, const char *line, wlab_code code, const char *words)
{
    wlab_err err;

    ASSERT_FAILS(type(f, line, &err), code, err, words);
}

static const char *said(const wlab_buf *buf)
{
    return buf->data ? (const char *)buf->data : "";
}

static void has(const wlab_buf *buf, const char *words)
{
    if (!strstr(said(buf), words))
        fail_msg("\"%s\" is not in \"%s\"", words, said(buf));
}

static int lines(const wlab_buf *buf)
{
    int n = 0;

    for (const char *s = said(buf); *s; s++)
        n += *s == '\n';
    return n;
}

/* The last line of the journal that is a command, i marks before the end left out. */
static void recorded(const fixture *f, const char *const *want)
{
    int n = 0, k = f->s->log.njournal;

    while (want[n])
        n++;
    for (int i = n - 1; i >= 0; i--) {
        while (k > 0 && strncmp(f->s->log.journal[k - 1], "#@", 2) == 0)
            k--;
        assert_true(k > 0);
        assert_string_equal(f->s->log.journal[--k], want[i]);
    }
}

static void test_steps(void **state)
{
    fixture f;
    wlab_run *run;

    (void)state;
    open_session(&f, false);
    bad(&f, "step", WL_ESTATE, "no run");
    run = add_toy(f.s, "a", NULL, NULL);
    good(&f, "step 3");
    assert_int_equal(wlab_run_iter(run), 3);
    assert_int_equal(lines(&f.text), 4); /* a header, once */
    has(&f.text, "iter");
    has(&f.text, "objective");
    has(&f.text, "more");
    assert_null(strstr(said(&f.text), "violation")); /* the toy has none */
    good(&f, "s");
    assert_int_equal(lines(&f.text), 1);
    has(&f.text, "  -  "); /* no gap at even steps */
    good(&f, "stepi 4");
    assert_int_equal(wlab_run_iter(run), 5);
    assert_int_equal(wlab_run_half(run), 1);
    has(&f.text, "5+1");
    bad(&f, "finish", WL_ESTATE, "toy has no phases to finish: `step` completes the step");
    good(&f, "step");
    assert_int_equal(wlab_run_iter(run), 6);
    bad(&f, "finish", WL_ESTATE, "`step` makes one step");
    good(&f, "step");
    assert_int_equal(wlab_run_iter(run), 7);
    bad(&f, "step 0", WL_EARG, "at least 1");
    bad(&f, "step x", WL_EARG, "step 5");
    bad(&f, "step 1 2", WL_EARG, "step 5");
    bad(&f, "stepi -1", WL_EARG, "at least 1");
    bad(&f, "finish two", WL_EARG, "finish takes a number of at least 1");
    assert_int_equal(wlab_run_iter(run), 7);
    close_session(&f);
}

enum {
    PHASE = 4 /* steps */
};

static wlab_code advance_level(void *state, wlab_ctx *ctx, wlab_step *step, wlab_err *err)
{
    const toy *t = state;
    const wlab_code code = toy_advance(state, ctx, step, err);
    if (!code && step->complete) {
        step->phase = (t->step + PHASE - 1) / PHASE;
        step->phase_complete = t->step % PHASE == 0;
    }
    return code;
}

static void test_finish(void **state)
{
    wlab_algo levels = toy_algo;
    fixture f;
    wlab_run *run;

    (void)state;
    levels.phase_unit = "level";
    levels.advance = advance_level;
    open_session(&f, false);
    bad(&f, "finish", WL_ESTATE, "no run");
    run = add_toy_of(f.s, &levels, "a", "limit", "18");
    good(&f, "finish");
    assert_int_equal(wlab_run_iter(run), 4);
    has(&f.messages, "run a: level 1 ends with step 4");
    recorded(&f, (const char *const[]){"finish", NULL});
    good(&f, "finish"); /* at the end of one: all of the next */
    assert_int_equal(wlab_run_iter(run), 8);
    good(&f, "stepi 2"); /* from the middle of a step, and of a phase */
    good(&f, "finish");
    assert_int_equal(wlab_run_iter(run), 12);
    assert_int_equal(wlab_run_half(run), 0);
    good(&f, "back; finish"); /* what a step was the end of stands in its row, which going back leaves */
    assert_int_equal(wlab_run_iter(run), 12);
    const wlab_trace_row *row;
    assert_int_equal(wlab_run_trace(run, &row), 13);
    for (int i = 0; i <= 12; i++) {
        assert_int_equal(row[i].phase, (i + PHASE - 1) / PHASE);
        assert_int_equal(row[i].phase_complete, i > 0 && i % PHASE == 0);
    }
    has(&f.messages, "run a: level 3 ends with step 12");
    bad(&f, "finish 0", WL_EARG, "at least 1");
    good(&f, "break iter == 14; finish 3"); /* what comes first stops it, and the rest is still to do */
    assert_int_equal(wlab_run_iter(run), 14);
    has(&f.messages, "breakpoint 1");
    good(&f, "finish");
    assert_int_equal(wlab_run_iter(run), 16);
    good(&f, "finish"); /* the run's end before the phase's */
    assert_int_equal(wlab_run_iter(run), 18);
    has(&f.messages, "stopped at its limit after step 18");
    good(&f, "finish");
    has(&f.messages, "nothing left to do");
    run = add_toy_of(f.s, &levels, "c", "limit", "18");
    good(&f, "delete 1; step; finish 2"); /* the rest of one and all of the next; in the record as typed */
    assert_int_equal(wlab_run_iter(run), 8);
    has(&f.messages, "run c: level 2 ends with step 8");
    assert_string_equal(f.s->log.journal[f.s->log.njournal - 2], "finish 2");
    good(&f, "finish 9");
    assert_int_equal(wlab_run_iter(run), 18);
    run = add_toy_of(f.s, &levels, "b", "held", "1");
    atomic_store(&toy_turns, TOY_UNITS);
    f.stop_at = 2;
    assert_int_equal(type(&f, "finish", NULL), WL_EINTERRUPTED);
    assert_in_range(wlab_run_iter(run), 2, 3);
    bool found = false; /* recorded as what was done */
    char done[32];
    snprintf(done, sizeof done, "step %lld", (long long)wlab_run_iter(run));
    for (int i = 0; i < f.s->log.njournal; i++)
        found = found || !strcmp(f.s->log.journal[i], done);
    assert_true(found);
    close_session(&f);
    open_session(&f, true);
    add_toy_of(f.s, &levels, "a", NULL, NULL);
    good(&f, "finish");
    json_t *stopped = NULL;
    for (size_t i = 0; i < json_array_size(f.objects); i++)
        if (!strcmp(json_string_value(json_object_get(json_array_get(f.objects, i), "type")), "stopped"))
            stopped = json_array_get(f.objects, i);
    assert_string_equal(json_string_value(json_object_get(stopped, "reason")), "phase");
    close_session(&f);
}

static void test_end(void **state)
{
    fixture f;
    wlab_run *run;

    (void)state;
    open_session(&f, false);
    run = add_toy(f.s, "a", "limit", "4");
    good(&f, "continue");
    assert_int_equal(wlab_run_iter(run), 4);
    has(&f.messages, "run a: stopped at its limit after step 4");
    good(&f, "step");
    has(&f.messages, "run a: stopped at its limit at step 4: nothing left to do");
    assert_int_equal(f.text.len, 0);
    assert_int_equal(wlab_run_iter(run), 4);
    good(&f, "set limit=5");
    good(&f, "step");
    assert_int_equal(wlab_run_iter(run), 5);
    close_session(&f);
}

static void test_time_travel(void **state)
{
    fixture f;
    wlab_run *run;
    wlab_digest before, after;
    char what[200];

    (void)state;
    open_session(&f, false);
    run = add_toy(f.s, "a", NULL, NULL);
    good(&f, "step 7");
    wlab_run_digest(run, &before);
    good(&f, "back 3; step 3");
    wlab_run_digest(run, &after);
    if (!wlab_digest_equal(&before, &after, true, 0, what, sizeof what))
        fail_msg("%s", what);
    good(&f, "stepi 2");
    good(&f, "back"); /* what was begun */
    assert_int_equal(wlab_run_iter(run), 7);
    wlab_run_digest(run, &after);
    if (!wlab_digest_equal(&before, &after, true, 0, what, sizeof what))
        fail_msg("%s", what);
    good(&f, "stepi; back 2");
    assert_int_equal(wlab_run_iter(run), 6);
    good(&f, "stepi; back 7");
    assert_int_equal(wlab_run_iter(run), 0);
    bad(&f, "back", WL_EARG, "cannot go back by 1");
    good(&f, "step 5; goto 2");
    assert_int_equal(wlab_run_iter(run), 2);
    has(&f.text, "2");
    bad(&f, "goto 3", WL_EARG, "continue until iter == 3");
    bad(&f, "goto", WL_EARG, "goto 3");
    bad(&f, "goto -1", WL_EARG, "goto 3");
    close_session(&f);
}

static void test_conditions(void **state)
{
    fixture f;
    wlab_run *run;

    (void)state;
    open_session(&f, false);
    bad(&f, "break iter == 2", WL_ESTATE, "no run");
    run = add_toy(f.s, "a", NULL, NULL);
    good(&f, "continue until iter == 4");
    assert_int_equal(wlab_run_iter(run), 4);
    has(&f.messages, "run a: iter == 4, after step 4");
    good(&f, "break iter == 6 or iter == 8; watch gap");
    good(&f, "info break");
    has(&f.text, "  1  break    iter == 6 or iter == 8");
    has(&f.text, "  2  watch    gap");
    good(&f, "step 100");
    has(&f.messages, "run a: watch 2: gap changed from - to 0.2, after step 5");
    good(&f, "delete 2");
    good(&f, "continue");
    assert_int_equal(wlab_run_iter(run), 6);
    has(&f.messages, "run a: breakpoint 1: iter == 6 or iter == 8, after step 6");
    /* a metric without a value: said once */
    good(&f, "continue until gap < 0.14");
    assert_int_equal(wlab_run_iter(run), 8); /* the breakpoint came first */
    has(&f.messages, "gap has no value at step 8");
    good(&f, "continue until gap < 0.14");
    assert_int_equal(wlab_run_iter(run), 9);
    good(&f, "break gap < 0.01");
    good(&f, "step 2");
    has(&f.messages, "gap has no value at step 10");
    good(&f, "step 2");
    assert_int_equal(f.messages.len, 0);
    bad(&f, "break gapp < 1", WL_EINPUT, "did you mean \"gap\"");
    bad(&f, "break gap", WL_EINPUT, "comparison");
    good(&f, "break");
    has(&f.text, "break    gap < 0.01");
    bad(&f, "watch gapp", WL_EARG, "did you mean \"gap\"");
    good(&f, "watch");
    has(&f.text, "no watches");
    bad(&f, "watch gap + 1", WL_EARG, "one metric");
    bad(&f, "delete 2", WL_EARG, "no breakpoint 2");
    bad(&f, "delete", WL_EARG, "which");
    bad(&f, "continue until", WL_EARG, "until what");
    bad(&f, "continue 5", WL_EARG, "step 5");
    bad(&f, "continue until objektive < 1", WL_EINPUT, "\"objective\"");
    close_session(&f);
}

static void test_displays(void **state)
{
    fixture f;

    (void)state;
    open_session(&f, false);
    add_toy(f.s, "a", NULL, NULL);
    good(&f, "display gap; display 2 * iter; display iter == 2; display objective increases");
    good(&f, "step 2");
    has(&f.text, "1: gap = 1\n");
    has(&f.text, "1: gap = -\n");
    has(&f.text, "2: 2 * iter = 4\n");
    has(&f.text, "3: iter == 2 = no\n");
    has(&f.text, "3: iter == 2 = yes\n");
    has(&f.text, "4: objective increases = yes\n");
    good(&f, "undisplay 2; step");
    assert_null(strstr(said(&f.text), "2 * iter"));
    bad(&f, "undisplay 2", WL_EARG, "no display 2");
    bad(&f, "display gapp", WL_EINPUT, "\"gap\"");
    good(&f, "display");
    close_session(&f);
}

static json_t *object(const fixture *f, size_t i, const char *kind)
{
    json_t *o = json_array_get(f->objects, i);

    assert_non_null(o);
    assert_string_equal(json_string_value(json_object_get(o, "type")), kind);
    return o;
}

static void test_inside(void **state)
{
    fixture f;
    wlab_run *run;

    (void)state;
    open_session(&f, false);
    run = add_toy(f.s, "a", NULL, NULL);
    good(&f, "display objective");
    good(&f, "step; stepi 2"); /* a row and the display for each unit */
    has(&f.text, "     1+1 ");
    has(&f.text, "     1+2 ");
    assert_int_equal(lines(&f.text), 1 + 3 * 2);
    has(&f.text, "mu1="); /* the toy has one weight now */
    char now[64];
    double metric[4];
    wlab_run_metrics(run, metric);
    snprintf(now, sizeof now, "= %.10g\n", metric[0]);
    has(&f.text, now); /* what is displayed is the value now */
    good(&f, "explain objective");
    has(&f.text, "inside step 2");
    good(&f, "back");
    has(&f.messages, "what was made of step 2 is given up");
    good(&f, "step 4; goto 2");
    has(&f.messages, "steps 3 to 5 are given up; `step 3` makes them again, the same bits");
    good(&f, "set gain=3");
    assert_true(wlab_run_pending(run, "gain"));
    assert_false(wlab_run_pending(run, "limit"));
    good(&f, "runs");
    has(&f.text, "from the next step on");
    good(&f, "fork b; step; compare a b");
    has(&f.text, "(a: from the next step on)");
    good(&f, "switch a; step; back");
    assert_null(strstr(said(&f.messages), "what was set")); /* set at step 2, where it is still */
    good(&f, "back");
    has(&f.messages, "step 2 is given up; so is what was set since");
    close_session(&f);
}

static void test_json(void **state)
{
    fixture f;
    json_t *o;

    (void)state;
    open_session(&f, true);
    add_toy(f.s, "a", "limit", "3");
    good(&f, "step 2");
    assert_int_equal(json_array_size(f.objects), 3);
    o = object(&f, 2, "stopped");
    assert_string_equal(json_string_value(json_object_get(o, "reason")), "count");
    assert_int_equal(json_integer_value(json_object_get(o, "iter")), 2);
    o = object(&f, 1, "step");
    assert_string_equal(json_string_value(json_object_get(o, "run")), "a");
    assert_int_equal(json_integer_value(json_object_get(o, "iter")), 2);
    assert_string_equal(json_string_value(json_object_get(o, "verdict")), "more");
    assert_true(json_is_null(json_object_get(json_object_get(o, "metrics"), "gap")));
    assert_true(json_is_real(json_object_get(json_object_get(o, "metrics"), "objective")));
    assert_true(json_is_integer(json_object_get(json_object_get(o, "metrics"), "flips")));
    good(&f, "stepi");
    assert_int_equal(json_integer_value(json_object_get(object(&f, 0, "inner"), "half")), 1);
    good(&f, "back 2");
    assert_int_equal(json_integer_value(json_object_get(object(&f, 0, "goto"), "iter")), 1);
    good(&f, "display gap");
    object(&f, 0, "displays");
    good(&f, "step");
    object(&f, 0, "step");
    assert_true(json_is_null(json_object_get(object(&f, 1, "display"), "value")));
    good(&f, "continue");
    object(&f, 0, "step");
    object(&f, 2, "message");
    o = object(&f, 3, "stopped");
    assert_string_equal(json_string_value(json_object_get(o, "reason")), "verdict");
    assert_non_null(strstr(json_string_value(json_object_get(o, "text")), "limit"));
    assert_int_equal(json_array_size(f.objects), 4);
    assert_int_equal(f.text.len + f.messages.len, 0);
    good(&f, "set gain=2");
    assert_string_equal(json_string_value(json_object_get(object(&f, 0, "setting"), "was")), "1");
    good(&f, "fork b; compare a b");
    object(&f, 0, "fork");
    o = object(&f, 1, "compare");
    assert_int_equal(json_integer_value(json_object_get(json_object_get(o, "labels"), "differ")), 0);
    good(&f, "info break");
    object(&f, 0, "breaks");
    good(&f, "explain");
    assert_string_equal(json_string_value(json_object_get(object(&f, 0, "explain"), "next")),
                        "draw 3 numbers");
    close_session(&f);
}

static void test_set_get(void **state)
{
    fixture f;
    wlab_run *run;
    int snapshots;

    (void)state;
    open_session(&f, false);
    good(&f, "get history");
    has(&f.text, "history = 256 (default)");
    run = add_toy(f.s, "a", NULL, NULL);
    good(&f, "set gain=0.5");
    has(&f.text, "gain = 0.5 (was 1)");
    good(&f, "get gain");
    has(&f.text, "gain = 0.5 (may change)");
    good(&f, "get");
    has(&f.text, "seed = 1 (default)");
    has(&f.text, "pace = 0 (default)");
    good(&f, "set threads=2");
    assert_int_equal(wlab_pool_threads(f.s->pool), 2);
    good(&f, "step 3; set history=1");
    wlab_run_history(run, &snapshots);
    assert_int_equal(snapshots, 4); /* small ones */
    bad(&f, "set seed=2", WL_EARG, "cannot change during a run");
    bad(&f, "set gian=2", WL_EARG, "\"gain\"");
    bad(&f, "set threds=2", WL_EARG, "\"threads\"");
    bad(&f, "set gain", WL_EARG, "key=value");
    bad(&f, "set", WL_EARG, "key=value");
    bad(&f, "set gain=much", WL_EARG, "gain");
    bad(&f, "get gian", WL_EARG, "\"gain\"");
    good(&f, "stepi");
    bad(&f, "set gain=1", WL_ESTATE, "`step` completes it");
    good(&f, "step");
    /* the first of two is made, and recorded */
    bad(&f, "set gain=3 seed=2", WL_EARG, "seed");
    assert_string_equal(wlab_params_text(wlab_run_params(run), "gain"), "3");
    recorded(&f, (const char *const[]){"set gain=3", NULL});
    close_session(&f);
}

static void test_runs(void **state)
{
    fixture f;

    (void)state;
    open_session(&f, false);
    good(&f, "runs");
    has(&f.text, "no runs");
    bad(&f, "fork b", WL_ESTATE, "no run");
    add_toy(f.s, "a", NULL, NULL);
    good(&f, "step 4; fork b");
    assert_string_equal(wlab_run_name(wlab_session_run(f.s)), "b");
    good(&f, "set gain=2; step 2");
    bad(&f, "fork a", WL_EARG, "already");
    bad(&f, "fork", WL_EARG, "name");
    bad(&f, "fork a/b", WL_EARG, "cannot be a run's name");
    good(&f, "switch a");
    assert_string_equal(wlab_run_name(wlab_session_run(f.s)), "a");
    assert_int_equal(wlab_run_iter(wlab_session_run(f.s)), 4);
    bad(&f, "switch c", WL_EARG, "no run \"c\"");
    good(&f, "step 2; compare a b");
    has(&f.text, "gain");
    has(&f.text, "objective");
    has(&f.text, "labels that differ: 0 of 7"); /* the gain does not touch the generator */
    good(&f, "step; compare a b");
    assert_null(strstr(said(&f.text), "differ: 0 of"));
    has(&f.text, "; rows ");
    bad(&f, "compare a", WL_EARG, "two runs");
    bad(&f, "compare a x", WL_EARG, "no run \"x\"");
    assert_string_equal(wlab_run_name(wlab_session_run(f.s)), "a");
    close_session(&f);
}

static void compared(const fixture *f, const char *want)
{
    int number[WLAB_COMPARED], n = wlab_session_compared(f->s, number, WLAB_COMPARED);
    char text[64] = "";

    for (int i = 0; i < n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%d ", number[i]);
    assert_string_equal(text, want);
}

static void test_compare(void **state)
{
    fixture f;

    (void)state;
    open_session(&f, false);
    bad(&f, "compare", WL_ESTATE, "no run");
    add_toy(f.s, "a", NULL, NULL);
    bad(&f, "compare", WL_ESTATE, "only run a");
    good(&f, "step; fork b; set gain=2; step; fork c; set gain=12345678901234567890; step 2; fork d; step");
    compared(&f, "");
    good(&f, "compare"); /* the one made before it */
    compared(&f, "3 4 ");
    recorded(&f, (const char *const[]){"compare c d", NULL});
    good(&f, "compare b c a d");
    compared(&f, "2 3 1 4 ");
    has(&f.text, "labels of a that differ from those of b: ");
    has(&f.text, "gain                          2 12345678901... "); /* aligned, whatever the value */
    for (const char *line = said(&f.text), *end; (end = strchr(line, '\n')); line = end + 1)
        assert_true(end - line <= 80);
    good(&f, "compare");
    compared(&f, "2 3 1 4 ");
    recorded(&f, (const char *const[]){"compare b c a d", NULL});
    good(&f, "compare a b; switch c");
    compared(&f, ""); /* the current one is not among them */
    good(&f, "switch b");
    compared(&f, "1 2 ");
    bad(&f, "compare a b a", WL_EARG, "named twice");
    bad(&f, "compare a b c d a b c d a", WL_EARG, "up to 8");
    compared(&f, "1 2 ");
    good(&f, "compare off");
    compared(&f, "");
    good(&f, "switch a; compare");
    compared(&f, "1 2 ");
    close_session(&f);
}

/* Six digits, as many as it takes where values differ behind them, two for rounding errors. */
static void test_compare_numbers(void **state)
{
    static const struct {
        double a, b;
        const char *text;
    } rows[] = {
        {1.0 / 3, 2.0 / 3, "0.333333             0.666667\n"},
        {0.1234567891, 0.1234567893, "0.1234567891         0.1234567893\n"},
        {1, 1 + 0x1p-52, "  1.0000000000000000   1.0000000000000002\n"},
        {3.7258053249136, 3.725805324913596, "3.725805324913600 3.725805324913596\n"},
        {1.38777878078e-17, 9.87654321e-10, "1.4e-17              9.9e-10\n"},
        {0.5, NAN, "0.5                    -\n"},
        {INFINITY, INFINITY, "inf                  inf\n"},
    };
    fixture f;
    const wlab_trace_row *a, *b;

    (void)state;
    open_session(&f, false);
    wlab_run *run = add_toy(f.s, "a", NULL, NULL);
    good(&f, "step 2; fork b; step; switch a; step");
    int64_t last = wlab_run_trace(run, &a) - 1;
    assert_int_equal(wlab_run_trace(wlab_session_find_run(f.s, "b"), &b) - 1, last);
    int k = wlab_metric_index(wlab_run_algo(run), "objective");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char want[80];
        const char *p = rows[i].text;
        a[last].metric[k] = rows[i].a;
        b[last].metric[k] = rows[i].b;
        good(&f, "compare a b");
        const char *line = strstr(said(&f.text), "  objective");
        assert_non_null(line);
        /* blanks do not count */
        size_t n = 0;
        for (line += strlen("  objective"); *line && *line != '\n' && n + 1 < sizeof want; line++)
            if (*line != ' ' || (n > 0 && want[n - 1] != ' '))
                want[n++] = *line;
        want[n] = '\0';
        for (const char *w = want; *w; w++) {
            p += *w == ' ' ? strspn(p, " ") : *p == ' ' ? strspn(p, " ") : 0;
            if (*w != ' ' && *w != *p++)
                fail_msg("\"%s\" instead of %s", want, rows[i].text);
        }
        assert_int_equal(*p, '\n');
    }
    assert_non_null(strstr(said(&f.text), "the settings are the same\nresults:\n  verdict"));
    good(&f, "switch b; set gain=2; compare a b");
    const char *settings = strstr(said(&f.text), "settings that differ:\n  gain");
    assert_non_null(settings);
    assert_non_null(strstr(settings, "\nresults:\n  verdict"));
    close_session(&f);
}

static void test_compare_json(void **state)
{
    fixture f;
    json_t *o, *of;

    (void)state;
    open_session(&f, true);
    add_toy(f.s, "a", NULL, NULL);
    good(&f, "fork b; fork c; step 2");
    good(&f, "compare a b c");
    o = object(&f, 0, "compare");
    assert_int_equal(json_array_size(json_object_get(o, "runs")), 3);
    assert_int_equal(json_array_size(json_object_get(json_object_get(o, "metrics"), "objective")), 3);
    assert_int_equal(
        json_integer_value(json_array_get(json_object_get(json_object_get(o, "metrics"), "iter"), 2)), 2);
    of = json_object_get(o, "labels_of");
    assert_true(json_equal(json_object_get(o, "labels"), json_object_get(of, "b")));
    assert_int_equal(json_integer_value(json_object_get(json_object_get(of, "b"), "differ")), 0);
    assert_true(json_integer_value(json_object_get(json_object_get(of, "c"), "differ")) > 0);
    good(&f, "compare off");
    assert_int_equal(json_array_size(json_object_get(object(&f, 0, "compare"), "runs")), 0);
    close_session(&f);
}

static void test_explain(void **state)
{
    fixture f;

    (void)state;
    open_session(&f, false);
    bad(&f, "explain", WL_ESTATE, "no run");
    good(&f, "explain working set");
    has(&f.text, "Algorithm 1");
    good(&f, "explain Working-Set");
    has(&f.text, "Algorithm 1");
    good(&f, "explain C2"); /* the parameter of wellsvm */
    has(&f.text, "setting of wellsvm");
    good(&f, "explain step");
    has(&f.text, "step [N]");
    add_toy(f.s, "a", NULL, NULL);
    good(&f, "step; explain");
    has(&f.text, "step 1 drew random numbers");
    has(&f.text, "next: draw 3 numbers");
    good(&f, "explain gap");
    has(&f.text, "duality gap:");
    has(&f.text, "in run a after step 1: 1");
    good(&f, "step; explain gap");
    has(&f.text, "it has no value");
    good(&f, "explain seed");
    has(&f.text, "in run a: seed=1 (default)");
    close_session(&f);
}

static void test_explain_unknown(void **state)
{
    fixture f;

    (void)state;
    open_session(&f, false);
    bad(&f, "explain cuting plane", WL_EARG, "did you mean \"cutting plane\"");
    bad(&f, "explain xyzzyq", WL_EARG, "not explained here");
    close_session(&f);
}

/* Ctrl-C while a run goes: what was done is recorded, and the state is the one it says. */
static void test_interrupt(void **state)
{
    fixture f, g;
    wlab_run *run, *other;
    wlab_err err;
    wlab_digest a, b;
    char what[200];

    (void)state;
    open_session(&f, false);
    run = add_toy(f.s, "a", "held", "1");
    atomic_store(&toy_turns, TOY_UNITS);
    f.stop_at = 4;
    ASSERT_FAILS(type(&f, "continue", &err), WL_EINTERRUPTED, err, "interrupted: run a is at step");
    assert_true(wlab_run_iter(run) >= 4 && wlab_run_iter(run) < 1000);
    wlab_session_clear_interrupt(f.s);
    /* what it recorded leads another session to the same place */
    open_session(&g, false);
    other = add_toy(g.s, "a", NULL, NULL);
    for (int i = 0; i < f.s->log.njournal; i++)
        if (strncmp(f.s->log.journal[i], "#@", 2) != 0)
            good(&g, f.s->log.journal[i]);
    wlab_run_digest(run, &a);
    wlab_run_digest(other, &b);
    if (!wlab_digest_equal(&a, &b, true, 0, what, sizeof what))
        fail_msg("%s", what);
    close_session(&g);
    /* before anything was done: nothing is recorded */
    int n = f.s->log.njournal;

    wlab_session_interrupt(f.s);
    ASSERT_FAILS(type(&f, "step 3", &err), WL_EINTERRUPTED, err, "interrupted");
    assert_int_equal(f.s->log.njournal, n);
    wlab_run_set_history(run, 1); /* so that there are steps to make again */
    ASSERT_FAILS(type(&f, "goto 2", &err), WL_EINTERRUPTED, err, "interrupted on the way back");
    assert_int_equal(f.s->log.njournal, n);
    close_session(&f);
}

/* A stop by time is recorded as what it did, one by a metric as it was typed. */
static void test_recorded(void **state)
{
    fixture f;
    wlab_run *run;

    (void)state;
    open_session(&f, false);
    run = add_toy(f.s, "a", NULL, NULL);
    good(&f, "continue until seconds >= 12"); /* the toy's clock: 3 a step */
    assert_int_equal(wlab_run_iter(run), 4);
    recorded(&f, (const char *const[]){"step 4", NULL});
    good(&f, "continue until iter == 6");
    recorded(&f, (const char *const[]){"continue until iter == 6", NULL});
    good(&f, "break seconds > 23");
    good(&f, "continue");
    assert_int_equal(wlab_run_iter(run), 8);
    recorded(&f, (const char *const[]){"break seconds > 23", "step 2", NULL});
    good(&f, "delete 1");
    good(&f, "s 2");
    recorded(&f, (const char *const[]){"delete 1", "step 2", NULL});
    good(&f, "runs; info break; explain; get");
    recorded(&f, (const char *const[]){"delete 1", "step 2", NULL});
    close_session(&f);
}

/* An error on the way: what was made before it counts, and is recorded beside the failure. */
static void test_error(void **state)
{
    fixture f;
    wlab_run *run;

    (void)state;
    open_session(&f, false);
    run = add_toy(f.s, "a", "fail", "3");
    bad(&f, "step 5", WL_ENUMERIC, "step 3 cannot be made");
    assert_int_equal(wlab_run_iter(run), 2);
    assert_int_equal(wlab_run_half(run), 1);
    recorded(&f,
             (const char *const[]){"# failed: step 5    (step 3 cannot be made)", "step 2", "stepi 1", NULL});
    close_session(&f);
}

static void look(void *self, int fd)
{
    fixture *f = self;
    wlab_err err;

    (void)fd;
    if (!f->looked) {
        f->looked = true;
        assert_true(f->s->job.running);
        ASSERT_OK(wlab_session_line(f->s, "runs", WL_FROM_PERSON, NULL, 0, &err), err);
        has(&f->text, "running");
        ASSERT_OK(wlab_session_line(f->s, "get threads; explain mu", WL_FROM_PERSON, NULL, 0, &err), err);
        ASSERT_FAILS(wlab_session_line(f->s, "explain", WL_FROM_PERSON, NULL, 0, &err), WL_ESTATE, err,
                     "running");
        ASSERT_FAILS(wlab_session_line(f->s, "get gain", WL_FROM_PERSON, NULL, 0, &err), WL_ESTATE, err,
                     "running");
        ASSERT_FAILS(wlab_session_line(f->s, "step", WL_FROM_PERSON, NULL, 0, &err), WL_ESTATE, err,
                     "Ctrl-C");
        ASSERT_FAILS(wlab_session_line(f->s, "fork z", WL_FROM_PERSON, NULL, 0, &err), WL_ESTATE, err,
                     "Ctrl-C");
    }
    atomic_fetch_add(&toy_turns, 1);
}

/* While a run goes, commands that look are answered, others refused. */
static void test_while_running(void **state)
{
    fixture f;
    wlab_run *run;

    (void)state;
    open_session(&f, false);
    run = add_toy(f.s, "a", "held", "1");
    atomic_store(&toy_turns, 0);
    wlab_session_set_terminal(f.s, &(wlab_terminal){.idle = look, .self = &f});
    good(&f, "step 5");
    assert_true(f.looked);
    assert_false(f.s->job.running);
    assert_int_equal(wlab_run_iter(run), 5);
    recorded(&f, (const char *const[]){"step 5", NULL});
    close_session(&f);
}

/* Breakpoints of one algorithm's metrics do not disturb another's runs. */
static void test_foreign_break(void **state)
{
    fixture f;

    (void)state;
    open_session(&f, false);
    good(&f, "generate two-moons n=40 noise=0.1 seed=2; task ssl labeled=4 seed=1; algo svm");
    good(&f, "break iter == 99; display iter");
    add_toy(f.s, "toy", NULL, NULL);
    good(&f, "watch flips; break seconds < 0");
    good(&f, "switch a; continue");
    has(&f.messages, "breakpoint 2 does not count for run a: no metric \"flips\"");
    good(&f, "step");
    assert_null(strstr(said(&f.messages), "does not count")); /* said once */
    close_session(&f);
}

static const char plain_walk[] =
    "generate two-moons n=60 noise=0.3 seed=3\n"
    "task ssl labeled=6 seed=1\n"
    "algo wellsvm kernel=rbf sigma=0.5x loss=hinge C1=1 C2=0.1\n"
    "break seconds > 1e9\n"
    "step 2\nstepi 3\nset C2=0.2\nstep\nset C2=0.2\nback 2\nstep\nfork side\nstepi\n"
    "continue until seconds > 0\ncontinue until iter >= 6\nswitch a\nstep 2\n";

static const char annealing_walk[] =
    "generate two-moons n=60 noise=0.2 seed=3\n"
    "task ssl labeled=6 seed=1\n"
    "algo mfa kernel=rbf sigma=0.5x\n"
    "finish\nfinish\nstepi\nfinish\nbreak T < 3\nfinish\nfinish\nfinish\nback 2\nfinish\n"
    "watch flips\ncontinue until T < 1\ndelete 2\nfinish\ncontinue\n"
    "algo tsvm kernel=rbf sigma=0.5x\nfinish\nstep 2\nfinish\nfinish\n"
    "continue until lambda_now > 0.001\nfinish\ncompare\n";

/* A recorded walk replays to the same digits; one digit changed is noticed. */
static void replay_walk(const char *walk)
{
    fixture f;
    char path[256], line[200];
    wlab_err err;
    FILE *file;

    support_temp_file(path, ".wlab", "", 0);
    open_session(&f, false);
    ASSERT_OK(wlab_session_record(f.s, path, WL_FROM_PERSON, &err), err);
    for (const char *s = walk; *s; s += strcspn(s, "\n") + 1) {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(s, "\n"), s);
        (void)type(&f, line, &err); /* `set` inside a step fails: that is recorded too */
    }
    ASSERT_OK(wlab_session_record_stop(f.s, &err), err);
    close_session(&f);
    open_session(&f, false);
    ASSERT_OK(wlab_session_replay(f.s, path, true, 1e-6, 0, &err), err);
    has(&f.messages, "recorded results compared");
    close_session(&f);
    file = fopen(path, "r+");
    assert_non_null(file);
    for (long at = 0; fgets(line, sizeof line, file); at = ftell(file)) {
        char *digit = strstr(line, "objective=");

        if (!digit)
            continue;
        digit += strlen("objective=");
        assert_int_equal(fseek(file, at + (digit - line), SEEK_SET), 0);
        assert_true(fputc(*digit == '9' ? '8' : *digit + 1, file) != EOF);
        break;
    }
    assert_int_equal(fclose(file), 0);
    open_session(&f, false);
    ASSERT_FAILS(wlab_session_replay(f.s, path, true, 1e-6, 0, &err), WL_EDIFFERS, err, "objective");
    close_session(&f);
    unlink(path);
    strcat(path, "~");
    unlink(path);
}

static void test_replay(void **state)
{
    (void)state;
    replay_walk(plain_walk);
    replay_walk(annealing_walk);
}

/* The line of an algorithm shows what there is to watch in it. */
static void test_columns(void **state)
{
    static const struct {
        const char *algo, *with, *without;
    } cases[] = {{"wellsvm", "iter        objective        gap  violation  flips  verdict", " J "},
                 {"mfa", "iter        objective              J          T  flips  verdict", "lambda_now"},
                 {"tsvm", "iter        objective              J  lambda_now  flips  verdict", "gap"}};
    fixture f;
    char line[100];

    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        open_session(&f, false);
        good(&f, "generate two-moons n=40 noise=0.1 seed=2; task ssl labeled=4 seed=1");
        snprintf(line, sizeof line, "algo %s; display objective; step", cases[k].algo);
        good(&f, line);
        has(&f.text, cases[k].with);
        assert_null(strstr(said(&f.text), cases[k].without));
        close_session(&f);
    }
    /* conditions, watches and displays know the metrics by name */
    open_session(&f, false);
    good(&f, "generate two-moons n=40 noise=0.1 seed=2; task ssl labeled=4 seed=1; algo mfa");
    good(&f, "break T < 5 and entropy > 0; watch pairs; display J_best; continue");
    has(&f.messages, "breakpoint 1: T < 5 and entropy > 0, after step");
    has(&f.text, ": J_best = ");
    bad(&f, "break lambda_nou < 1", WL_EINPUT, "lambda_now");
    close_session(&f);
}

/* The k-th allocation fails inside a command: it fails cleanly or is carried out. */
static void test_memory(void **state)
{
    static const char *const commands[] = {"step 2",
                                           "stepi 2",
                                           "back 2",
                                           "break iter == 9",
                                           "display gap",
                                           "set gain=2",
                                           "fork b",
                                           "fork b; compare a b",
                                           "explain gap",
                                           "watch flips",
                                           "continue until iter == 6",
                                           "runs"};

    (void)state;
    for (size_t c = 0; c < sizeof commands / sizeof *commands; c++)
        for (long k = 1;; k++) {
            fixture f;
            wlab_code code;
            wlab_err err;
            long used;

            open_session(&f, false);
            f.s->sink.text = NULL; /* the fixture's own memory is not what fails */
            f.s->sink.message = NULL;
            f.s->sink.event = NULL;
            add_toy(f.s, "a", NULL, NULL);
            good(&f, "step 3");
            wlab_alloc_fail_at(k);
            code = wlab_session_line(f.s, commands[c], WL_FROM_PERSON, NULL, 0, &err);
            used = wlab_alloc_count();
            wlab_alloc_fail_at(0);
            assert_true(code == WL_OK || code == WL_ENOMEM || used < k);
            good(&f, "step");
            close_session(&f);
            if (used < k) {
                assert_int_equal(code, WL_OK);
                break;
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_finish),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_end),
        cmocka_unit_test(test_time_travel),
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_displays),
        cmocka_unit_test(test_inside),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_set_get),
        cmocka_unit_test(test_runs),
        cmocka_unit_test(test_compare),
        cmocka_unit_test(test_compare_numbers),
        cmocka_unit_test(test_compare_json),
        cmocka_unit_test(test_explain),
        cmocka_unit_test(test_explain_unknown),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_recorded),
        cmocka_unit_test(test_error),
        cmocka_unit_test(test_while_running),
        cmocka_unit_test(test_foreign_break),
        cmocka_unit_test(test_replay),
        cmocka_unit_test(test_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
