/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The stepping commands in a session with runs of the toy algorithm, and of real ones for columns and for the replay
 * of a recording.
 */
#include "unit/toy_session.h"

typedef struct fixture {
    wlab_session *s;
    wlab_buf text, messages;
    json_t *objects;
    int stop_at;   /* send Ctrl-C when this step is reported; 0: never */
    bool answered; /* a WL_C_READS command was answered during the run */
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

/* Execute one line of the user; its output is in text and messages. */
static wlab_code type_line(fixture *f, const char *line, wlab_err *err)
{
    wlab_buf_clear(&f->text);
    wlab_buf_clear(&f->messages);
    json_array_clear(f->objects);
    return wlab_session_line(f->s, line, WL_FROM_PERSON, NULL, 0, err);
}

static void exec_line(fixture *f, const char *line)
{
    wlab_err err;

    ASSERT_OK(type_line(f, line, &err), err);
}

static void assert_refused(fixture *f, const char *line, wlab_code code, const char *words)
{
    wlab_err err;

    ASSERT_FAILS(type_line(f, line, &err), code, err, words);
}

static const char *text_of(const wlab_buf *buf)
{
    return buf->data ? (const char *)buf->data : "";
}

static void assert_has(const wlab_buf *buf, const char *words)
{
    if (!strstr(text_of(buf), words))
        fail_msg("\"%s\" is not in \"%s\"", words, text_of(buf));
}

static int lines(const wlab_buf *buf)
{
    int n = 0;

    for (const char *s = text_of(buf); *s; s++)
        n += *s == '\n';
    return n;
}

/* Compare the last lines of the journal that are commands with `expected`. */
static void check_recorded(const fixture *f, const char *const *expected)
{
    int n = 0, k = f->s->log.njournal;

    while (expected[n])
        n++;
    for (int i = n - 1; i >= 0; i--) {
        while (k > 0 && strncmp(f->s->log.journal[k - 1], "#@", 2) == 0)
            k--;
        assert_true(k > 0);
        assert_string_equal(f->s->log.journal[--k], expected[i]);
    }
}

static void test_steps(void **state)
{
    fixture f;
    wlab_run *run;

    (void)state;
    open_session(&f, false);
    assert_refused(&f, "step", WL_ESTATE, "no run");
    run = add_toy(f.s, "a", NULL, NULL);
    exec_line(&f, "step 3");
    assert_int_equal(wlab_run_iter(run), 3);
    assert_int_equal(lines(&f.text), 4); /* a header, once */
    assert_has(&f.text, "iter");
    assert_has(&f.text, "objective");
    assert_has(&f.text, "more");
    assert_null(strstr(text_of(&f.text), "violation")); /* the toy has none */
    exec_line(&f, "s");
    assert_int_equal(lines(&f.text), 1);
    assert_has(&f.text, "  -  "); /* no gap at even steps */
    exec_line(&f, "stepi 4");
    assert_int_equal(wlab_run_iter(run), 5);
    assert_int_equal(wlab_run_half(run), 1);
    assert_has(&f.text, "5+1");
    assert_refused(&f, "finish", WL_ESTATE,
                   "this run of toy has no phases to finish: `step` completes the step");
    exec_line(&f, "step");
    assert_int_equal(wlab_run_iter(run), 6);
    assert_refused(&f, "finish", WL_ESTATE, "`step` makes one step");
    exec_line(&f, "step");
    assert_int_equal(wlab_run_iter(run), 7);
    assert_refused(&f, "step 0", WL_EARG, "at least 1");
    assert_refused(&f, "step x", WL_EARG, "step 5");
    assert_refused(&f, "step 1 2", WL_EARG, "step 5");
    assert_refused(&f, "stepi -1", WL_EARG, "at least 1");
    assert_refused(&f, "finish two", WL_EARG, "finish takes a number of at least 1");
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
    assert_refused(&f, "finish", WL_ESTATE, "no run");
    run = add_toy_of(f.s, &levels, "a", "limit", "18");
    exec_line(&f, "finish");
    assert_int_equal(wlab_run_iter(run), 4);
    assert_has(&f.messages, "run a: level 1 ends with step 4");
    check_recorded(&f, (const char *const[]){"finish", NULL});
    exec_line(&f, "finish"); /* at the end of a phase: the whole next one */
    assert_int_equal(wlab_run_iter(run), 8);
    exec_line(&f, "stepi 2"); /* from inside a step and a phase */
    exec_line(&f, "finish");
    assert_int_equal(wlab_run_iter(run), 12);
    assert_int_equal(wlab_run_half(run), 0);
    exec_line(&f, "back; finish"); /* a step's row says whether it ended a phase; going back keeps the row */
    assert_int_equal(wlab_run_iter(run), 12);
    const wlab_trace_row *row;
    assert_int_equal(wlab_run_trace(run, &row), 13);
    for (int i = 0; i <= 12; i++) {
        assert_int_equal(row[i].phase, (i + PHASE - 1) / PHASE);
        assert_int_equal(row[i].phase_complete, i > 0 && i % PHASE == 0);
    }
    assert_has(&f.messages, "run a: level 3 ends with step 12");
    assert_refused(&f, "finish 0", WL_EARG, "at least 1");
    exec_line(&f, "break iter == 14; finish 3"); /* the breakpoint comes before the end of a phase */
    assert_int_equal(wlab_run_iter(run), 14);
    assert_has(&f.messages, "breakpoint 1");
    exec_line(&f, "finish");
    assert_int_equal(wlab_run_iter(run), 16);
    exec_line(&f, "finish"); /* the run ends before the phase */
    assert_int_equal(wlab_run_iter(run), 18);
    assert_has(&f.messages, "stopped at its limit after step 18");
    exec_line(&f, "finish");
    assert_has(&f.messages, "nothing left to do");
    run = add_toy_of(f.s, &levels, "c", "limit", "18");
    exec_line(
        &f, "delete 1; step; finish 2"); /* the rest of one phase and the whole next one; recorded as typed */
    assert_int_equal(wlab_run_iter(run), 8);
    assert_has(&f.messages, "run c: level 2 ends with step 8");
    assert_string_equal(f.s->log.journal[f.s->log.njournal - 2], "finish 2");
    exec_line(&f, "finish 9");
    assert_int_equal(wlab_run_iter(run), 18);
    run = add_toy_of(f.s, &levels, "b", "held", "1");
    atomic_store(&toy_turns, TOY_UNITS);
    f.stop_at = 2;
    assert_int_equal(type_line(&f, "finish", NULL), WL_EINTERRUPTED);
    assert_in_range(wlab_run_iter(run), 2, 3);
    bool found = false; /* the record has what was done */
    char done[32];
    snprintf(done, sizeof done, "step %lld", (long long)wlab_run_iter(run));
    for (int i = 0; i < f.s->log.njournal; i++)
        found = found || !strcmp(f.s->log.journal[i], done);
    assert_true(found);
    close_session(&f);
    open_session(&f, true);
    add_toy_of(f.s, &levels, "a", NULL, NULL);
    exec_line(&f, "finish");
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
    exec_line(&f, "continue");
    assert_int_equal(wlab_run_iter(run), 4);
    assert_has(&f.messages, "run a: stopped at its limit after step 4");
    exec_line(&f, "step");
    assert_has(&f.messages, "run a: stopped at its limit at step 4: nothing left to do");
    assert_int_equal(f.text.len, 0);
    assert_int_equal(wlab_run_iter(run), 4);
    exec_line(&f, "set limit=5");
    exec_line(&f, "step");
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
    exec_line(&f, "step 7");
    wlab_run_digest(run, &before);
    exec_line(&f, "back 3; step 3");
    wlab_run_digest(run, &after);
    if (!wlab_digest_equal(&before, &after, true, 0, what, sizeof what))
        fail_msg("%s", what);
    exec_line(&f, "stepi 2");
    exec_line(&f, "back"); /* the unfinished step */
    assert_int_equal(wlab_run_iter(run), 7);
    wlab_run_digest(run, &after);
    if (!wlab_digest_equal(&before, &after, true, 0, what, sizeof what))
        fail_msg("%s", what);
    exec_line(&f, "stepi; back 2");
    assert_int_equal(wlab_run_iter(run), 6);
    exec_line(&f, "stepi; back 7");
    assert_int_equal(wlab_run_iter(run), 0);
    assert_refused(&f, "back", WL_EARG, "cannot go back by 1");
    exec_line(&f, "step 5; goto 2");
    assert_int_equal(wlab_run_iter(run), 2);
    assert_has(&f.text, "2");
    assert_refused(&f, "goto 3", WL_EARG, "continue until iter == 3");
    assert_refused(&f, "goto", WL_EARG, "goto 3");
    assert_refused(&f, "goto -1", WL_EARG, "goto 3");
    close_session(&f);
}

static void test_conditions(void **state)
{
    fixture f;
    wlab_run *run;

    (void)state;
    open_session(&f, false);
    assert_refused(&f, "break iter == 2", WL_ESTATE, "no run");
    run = add_toy(f.s, "a", NULL, NULL);
    exec_line(&f, "continue until iter == 4");
    assert_int_equal(wlab_run_iter(run), 4);
    assert_has(&f.messages, "run a: iter == 4, after step 4");
    exec_line(&f, "break iter == 6 or iter == 8; watch gap");
    exec_line(&f, "info break");
    assert_has(&f.text, "  1  break    iter == 6 or iter == 8");
    assert_has(&f.text, "  2  watch    gap");
    exec_line(&f, "step 100");
    assert_has(&f.messages, "run a: watch 2: gap changed from - to 0.2, after step 5");
    exec_line(&f, "delete 2");
    exec_line(&f, "continue");
    assert_int_equal(wlab_run_iter(run), 6);
    assert_has(&f.messages, "run a: breakpoint 1: iter == 6 or iter == 8, after step 6");
    /* a metric without a value: reported once */
    exec_line(&f, "continue until gap < 0.14");
    assert_int_equal(wlab_run_iter(run), 8); /* the breakpoint came first */
    assert_has(&f.messages, "gap has no value at step 8");
    exec_line(&f, "continue until gap < 0.14");
    assert_int_equal(wlab_run_iter(run), 9);
    exec_line(&f, "break gap < 0.01");
    exec_line(&f, "step 2");
    assert_has(&f.messages, "gap has no value at step 10");
    exec_line(&f, "step 2");
    assert_int_equal(f.messages.len, 0);
    assert_refused(&f, "break gapp < 1", WL_EINPUT, "did you mean \"gap\"");
    assert_refused(&f, "break gap", WL_EINPUT, "comparison");
    exec_line(&f, "break");
    assert_has(&f.text, "break    gap < 0.01");
    assert_refused(&f, "watch gapp", WL_EARG, "did you mean \"gap\"");
    exec_line(&f, "watch");
    assert_has(&f.text, "no watches");
    assert_refused(&f, "watch gap + 1", WL_EARG, "one metric");
    assert_refused(&f, "delete 2", WL_EARG, "no breakpoint or watch 2");
    assert_refused(&f, "delete", WL_EARG, "which");
    assert_refused(&f, "continue until", WL_EARG, "until what");
    assert_refused(&f, "continue 5", WL_EARG, "step 5");
    assert_refused(&f, "continue until objektive < 1", WL_EINPUT, "\"objective\"");
    close_session(&f);
}

static void test_displays(void **state)
{
    fixture f;

    (void)state;
    open_session(&f, false);
    add_toy(f.s, "a", NULL, NULL);
    exec_line(&f, "display gap; display 2 * iter; display iter == 2; display objective increases");
    exec_line(&f, "step 2");
    assert_has(&f.text, "1: gap = 1\n");
    assert_has(&f.text, "1: gap = -\n");
    assert_has(&f.text, "2: 2 * iter = 4\n");
    assert_has(&f.text, "3: iter == 2 = no\n");
    assert_has(&f.text, "3: iter == 2 = yes\n");
    assert_has(&f.text, "4: objective increases = yes\n");
    exec_line(&f, "undisplay 2; step");
    assert_null(strstr(text_of(&f.text), "2 * iter"));
    assert_refused(&f, "undisplay 2", WL_EARG, "no display 2");
    assert_refused(&f, "display gapp", WL_EINPUT, "\"gap\"");
    exec_line(&f, "display");
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
    exec_line(&f, "display objective");
    exec_line(&f, "step; stepi 2"); /* a row and the display for each unit */
    assert_has(&f.text, "     1+1 ");
    assert_has(&f.text, "     1+2 ");
    assert_int_equal(lines(&f.text), 1 + 3 * 2);
    assert_has(&f.text, "mu1="); /* the toy has one weight now */
    char now[64], did[1024], words[1024];
    double metric[4];
    wlab_run_metrics(run, metric);
    snprintf(now, sizeof now, "= %.10g\n", metric[0]);
    assert_has(&f.text, now); /* the displayed value is the current one */
    exec_line(&f, "explain objective");
    assert_has(&f.text, "inside step 2");
    snprintf(words, sizeof words, "Inside step 2, after 2 inner units. A step: %s. One unit: %s. `step`",
             wlab_run_algo(run)->step_unit, wlab_run_algo(run)->inner_unit);
    wlab_session_explain(run, did, sizeof did);
    assert_memory_equal(did, words, strlen(words));
    exec_line(&f, "back");
    assert_has(&f.messages, "the unfinished step 2 is discarded");
    exec_line(&f, "step 4; goto 2");
    assert_has(&f.messages, "steps 3 to 5 are discarded; `step 3` repeats them, bit for bit");
    exec_line(&f, "set gain=3");
    assert_true(wlab_run_pending(run, "gain"));
    assert_false(wlab_run_pending(run, "limit"));
    exec_line(&f, "runs");
    assert_has(&f.text, "from the next step on");
    exec_line(&f, "fork b; step; compare a b");
    assert_has(&f.text, "(a: effective from the next step on)");
    exec_line(&f, "switch a; step; back");
    assert_null(strstr(text_of(&f.messages), "changes by `set`")); /* set at step 2, and still set there */
    exec_line(&f, "back");
    assert_has(&f.messages, "step 2 is discarded; so are the changes by `set` since");
    close_session(&f);
}

static void test_json(void **state)
{
    fixture f;
    json_t *o;

    (void)state;
    open_session(&f, true);
    add_toy(f.s, "a", "limit", "3");
    exec_line(&f, "step 2");
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
    exec_line(&f, "stepi");
    assert_int_equal(json_integer_value(json_object_get(object(&f, 0, "inner"), "half")), 1);
    exec_line(&f, "back 2");
    assert_int_equal(json_integer_value(json_object_get(object(&f, 0, "goto"), "iter")), 1);
    exec_line(&f, "display gap");
    object(&f, 0, "displays");
    exec_line(&f, "step");
    object(&f, 0, "step");
    assert_true(json_is_null(json_object_get(object(&f, 1, "display"), "value")));
    exec_line(&f, "continue");
    object(&f, 0, "step");
    object(&f, 2, "message");
    o = object(&f, 3, "stopped");
    assert_string_equal(json_string_value(json_object_get(o, "reason")), "verdict");
    assert_non_null(strstr(json_string_value(json_object_get(o, "text")), "limit"));
    assert_int_equal(json_array_size(f.objects), 4);
    assert_int_equal(f.text.len + f.messages.len, 0);
    exec_line(&f, "set gain=2");
    assert_string_equal(json_string_value(json_object_get(object(&f, 0, "setting"), "was")), "1");
    exec_line(&f, "fork b; compare a b");
    object(&f, 0, "fork");
    o = object(&f, 1, "compare");
    assert_int_equal(json_integer_value(json_object_get(json_object_get(o, "labels"), "differ")), 0);
    exec_line(&f, "info break");
    object(&f, 0, "breaks");
    exec_line(&f, "explain");
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
    exec_line(&f, "get history");
    assert_has(&f.text, "history = 256 (default)");
    run = add_toy(f.s, "a", NULL, NULL);
    exec_line(&f, "set gain=0.5");
    assert_has(&f.text, "gain = 0.5 (was 1)");
    exec_line(&f, "get gain");
    assert_has(&f.text, "gain = 0.5 (may change)");
    exec_line(&f, "get");
    assert_has(&f.text, "seed = 1 (default)");
    assert_has(&f.text, "pace = 0 (default)");
    exec_line(&f, "set threads=2");
    assert_int_equal(wlab_pool_threads(f.s->pool), 2);
    exec_line(&f, "step 3; set history=1");
    wlab_run_history(run, &snapshots);
    assert_int_equal(snapshots, 4); /* all are kept: they are small */
    assert_refused(&f, "set seed=2", WL_EARG, "cannot change during a run");
    assert_refused(&f, "set gian=2", WL_EARG, "\"gain\"");
    assert_refused(&f, "set threds=2", WL_EARG, "\"threads\"");
    assert_refused(&f, "set gain", WL_EARG, "key=value");
    assert_refused(&f, "set", WL_EARG, "key=value");
    assert_refused(&f, "set gain=much", WL_EARG, "gain");
    assert_refused(&f, "get gian", WL_EARG, "\"gain\"");
    exec_line(&f, "stepi");
    assert_refused(&f, "set gain=1", WL_ESTATE, "complete the step first, with `step`");
    exec_line(&f, "step");
    /* the first of two changes is made and recorded */
    assert_refused(&f, "set gain=3 seed=2", WL_EARG, "seed");
    assert_string_equal(wlab_params_text(wlab_run_params(run), "gain"), "3");
    check_recorded(&f, (const char *const[]){"set gain=3", NULL});
    close_session(&f);
}

static void test_runs(void **state)
{
    fixture f;

    (void)state;
    open_session(&f, false);
    exec_line(&f, "runs");
    assert_has(&f.text, "no runs");
    assert_refused(&f, "fork b", WL_ESTATE, "no run");
    add_toy(f.s, "a", NULL, NULL);
    exec_line(&f, "step 4; fork b");
    assert_string_equal(wlab_run_name(wlab_session_run(f.s)), "b");
    exec_line(&f, "set gain=2; step 2");
    assert_refused(&f, "fork a", WL_EARG, "already");
    assert_refused(&f, "fork", WL_EARG, "name");
    assert_refused(&f, "fork a/b", WL_EARG, "cannot be a run's name");
    exec_line(&f, "switch a");
    assert_string_equal(wlab_run_name(wlab_session_run(f.s)), "a");
    assert_int_equal(wlab_run_iter(wlab_session_run(f.s)), 4);
    assert_refused(&f, "switch c", WL_EARG, "no run \"c\"");
    exec_line(&f, "step 2; compare a b");
    assert_has(&f.text, "gain");
    assert_has(&f.text, "objective");
    assert_has(&f.text,
               "newest labelings that differ: 0 of 7"); /* the gain does not affect the random generator */
    exec_line(&f, "step; compare a b");
    assert_null(strstr(text_of(&f.text), "differ: 0 of"));
    assert_has(&f.text, "; rows ");
    assert_refused(&f, "compare a", WL_EARG, "two runs");
    assert_refused(&f, "compare a x", WL_EARG, "no run \"x\"");
    assert_string_equal(wlab_run_name(wlab_session_run(f.s)), "a");
    close_session(&f);
}

static void check_compared(const fixture *f, const char *expected)
{
    int number[WLAB_COMPARED], n = wlab_session_compared(f->s, number, WLAB_COMPARED);
    char text[64] = "";

    for (int i = 0; i < n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%d ", number[i]);
    assert_string_equal(text, expected);
}

static void test_compare(void **state)
{
    fixture f;

    (void)state;
    open_session(&f, false);
    assert_refused(&f, "compare", WL_ESTATE, "no run");
    add_toy(f.s, "a", NULL, NULL);
    assert_refused(&f, "compare", WL_ESTATE, "only run a");
    exec_line(&f,
              "step; fork b; set gain=2; step; fork c; set gain=12345678901234567890; step 2; fork d; step");
    check_compared(&f, "");
    exec_line(&f, "compare"); /* with the run made before */
    check_compared(&f, "3 4 ");
    check_recorded(&f, (const char *const[]){"compare c d", NULL});
    exec_line(&f, "compare b c a d");
    check_compared(&f, "2 3 1 4 ");
    assert_has(&f.text, "newest labelings of a that differ from those of b: ");
    assert_has(
        &f.text,
        "gain                          2 12345678901234              1 12345678901234\n"
        "                                          567890                        567890\n"); /* on as many lines as the value needs */
    for (const char *line = text_of(&f.text), *end; (end = strchr(line, '\n')); line = end + 1)
        assert_true(end - line <= 80);
    exec_line(&f, "compare");
    check_compared(&f, "2 3 1 4 ");
    check_recorded(&f, (const char *const[]){"compare b c a d", NULL});
    exec_line(&f, "compare a b; switch c");
    check_compared(&f, ""); /* the current run is not among them */
    exec_line(&f, "switch b");
    check_compared(&f, "1 2 ");
    assert_refused(&f, "compare a b a", WL_EARG, "named twice");
    assert_refused(&f, "compare a b c d a b c d a", WL_EARG, "up to 8");
    check_compared(&f, "1 2 ");
    exec_line(&f, "compare off");
    check_compared(&f, "");
    exec_line(&f, "switch a; compare");
    check_compared(&f, "1 2 ");
    close_session(&f);
}

/* Six digits; more if the values differ only after them; two for rounding errors. */
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
    exec_line(&f, "step 2; fork b; step; switch a; step");
    int64_t last = wlab_run_trace(run, &a) - 1;
    assert_int_equal(wlab_run_trace(wlab_session_find_run(f.s, "b"), &b) - 1, last);
    int k = wlab_metric_index(wlab_run_algo(run), "objective");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char expected[80];
        const char *p = rows[i].text;
        a[last].metric[k] = rows[i].a;
        b[last].metric[k] = rows[i].b;
        exec_line(&f, "compare a b");
        const char *line = strstr(text_of(&f.text), "  objective");
        assert_non_null(line);
        /* blanks do not count */
        size_t n = 0;
        for (line += strlen("  objective"); *line && *line != '\n' && n + 1 < sizeof expected; line++)
            if (*line != ' ' || (n > 0 && expected[n - 1] != ' '))
                expected[n++] = *line;
        expected[n] = '\0';
        for (const char *w = expected; *w; w++) {
            p += *w == ' ' ? strspn(p, " ") : *p == ' ' ? strspn(p, " ") : 0;
            if (*w != ' ' && *w != *p++)
                fail_msg("\"%s\" instead of %s", expected, rows[i].text);
        }
        assert_int_equal(*p, '\n');
    }
    assert_non_null(strstr(text_of(&f.text), "the settings are the same\nresults:\n  verdict"));
    exec_line(&f, "switch b; set gain=2; compare a b");
    const char *settings = strstr(text_of(&f.text), "settings that differ:\n  gain");
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
    exec_line(&f, "fork b; fork c; step 2");
    exec_line(&f, "compare a b c");
    o = object(&f, 0, "compare");
    assert_int_equal(json_array_size(json_object_get(o, "runs")), 3);
    assert_int_equal(json_array_size(json_object_get(json_object_get(o, "metrics"), "objective")), 3);
    assert_int_equal(
        json_integer_value(json_array_get(json_object_get(json_object_get(o, "metrics"), "iter"), 2)), 2);
    of = json_object_get(o, "labels_of");
    assert_true(json_equal(json_object_get(o, "labels"), json_object_get(of, "b")));
    assert_int_equal(json_integer_value(json_object_get(json_object_get(of, "b"), "differ")), 0);
    assert_true(json_integer_value(json_object_get(json_object_get(of, "c"), "differ")) > 0);
    exec_line(&f, "compare off");
    assert_int_equal(json_array_size(json_object_get(object(&f, 0, "compare"), "runs")), 0);
    close_session(&f);
}

static void test_explain(void **state)
{
    fixture f;

    (void)state;
    open_session(&f, false);
    assert_refused(&f, "explain", WL_ESTATE, "no run");
    exec_line(&f, "explain working set");
    assert_has(&f.text, "Algorithm 1");
    exec_line(&f, "explain Working-Set");
    assert_has(&f.text, "Algorithm 1");
    exec_line(&f, "explain C2"); /* the parameter of wellsvm */
    assert_has(&f.text, "setting of wellsvm");
    exec_line(&f, "explain step");
    assert_has(&f.text, "step [N]");
    add_toy(f.s, "a", NULL, NULL);
    exec_line(&f, "step; explain");
    assert_has(&f.text, "step 1 drew random numbers");
    assert_has(&f.text, "next: draw 3 numbers");
    exec_line(&f, "explain gap");
    assert_has(&f.text, "duality gap:");
    assert_has(&f.text, "in run a after step 1: 1");
    exec_line(&f, "step; explain gap");
    assert_has(&f.text, "it has no value");
    exec_line(&f, "explain seed");
    assert_has(&f.text, "in run a: seed=1 (default)");
    close_session(&f);
}

static void test_explain_unknown(void **state)
{
    fixture f;

    (void)state;
    open_session(&f, false);
    assert_refused(&f, "explain cuting plane", WL_EARG, "did you mean \"cutting plane\"");
    assert_refused(&f, "explain xyzzyq", WL_EARG, "not explained here");
    close_session(&f);
}

/* Ctrl-C during a run: what was done is recorded, and the state is as reported. */
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
    ASSERT_FAILS(type_line(&f, "continue", &err), WL_EINTERRUPTED, err, "interrupted: run a is at step");
    assert_true(wlab_run_iter(run) >= 4 && wlab_run_iter(run) < 1000);
    wlab_session_clear_interrupt(f.s);
    /* its record leads another session to the same state */
    open_session(&g, false);
    other = add_toy(g.s, "a", NULL, NULL);
    for (int i = 0; i < f.s->log.njournal; i++)
        if (strncmp(f.s->log.journal[i], "#@", 2) != 0)
            exec_line(&g, f.s->log.journal[i]);
    wlab_run_digest(run, &a);
    wlab_run_digest(other, &b);
    if (!wlab_digest_equal(&a, &b, true, 0, what, sizeof what))
        fail_msg("%s", what);
    close_session(&g);
    /* before the first unit: nothing is recorded */
    int n = f.s->log.njournal;

    wlab_session_interrupt(f.s);
    ASSERT_FAILS(type_line(&f, "step 3", &err), WL_EINTERRUPTED, err, "interrupted");
    assert_int_equal(f.s->log.njournal, n);
    wlab_run_set_history(run, 1); /* so that going back must repeat steps */
    ASSERT_FAILS(type_line(&f, "goto 2", &err), WL_EINTERRUPTED, err, "interrupted on the way back");
    assert_int_equal(f.s->log.njournal, n);
    close_session(&f);
}

/* A stop by time is recorded as the steps made, a stop by a metric as typed. */
static void test_recorded(void **state)
{
    fixture f;
    wlab_run *run;

    (void)state;
    open_session(&f, false);
    run = add_toy(f.s, "a", NULL, NULL);
    exec_line(&f, "continue until seconds >= 12"); /* the toy's clock: 3 a step */
    assert_int_equal(wlab_run_iter(run), 4);
    check_recorded(&f, (const char *const[]){"step 4", NULL});
    exec_line(&f, "continue until iter == 6");
    check_recorded(&f, (const char *const[]){"continue until iter == 6", NULL});
    exec_line(&f, "break seconds > 23");
    exec_line(&f, "continue");
    assert_int_equal(wlab_run_iter(run), 8);
    check_recorded(&f, (const char *const[]){"break seconds > 23", "step 2", NULL});
    exec_line(&f, "delete 1");
    exec_line(&f, "s 2");
    check_recorded(&f, (const char *const[]){"delete 1", "step 2", NULL});
    exec_line(&f, "runs; info break; explain; get");
    check_recorded(&f, (const char *const[]){"delete 1", "step 2", NULL});
    close_session(&f);
}

/* An error during a command: the steps before it are kept, and are recorded beside the failure. */
static void test_error(void **state)
{
    fixture f;
    wlab_run *run;

    (void)state;
    open_session(&f, false);
    run = add_toy(f.s, "a", "fail", "3");
    assert_refused(&f, "step 5", WL_ENUMERIC, "step 3 cannot be made");
    assert_int_equal(wlab_run_iter(run), 2);
    assert_int_equal(wlab_run_half(run), 1);
    check_recorded(
        &f, (const char *const[]){"# failed: step 5    (step 3 cannot be made)", "step 2", "stepi 1", NULL});
    close_session(&f);
}

static void type_while_running(void *self, int fd)
{
    fixture *f = self;
    wlab_err err;

    (void)fd;
    if (!f->answered) {
        f->answered = true;
        assert_true(f->s->job.running);
        ASSERT_OK(wlab_session_line(f->s, "runs", WL_FROM_PERSON, NULL, 0, &err), err);
        assert_has(&f->text, "running");
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

/* During a run, WL_C_READS commands are answered, others refused. */
static void test_while_running(void **state)
{
    fixture f;
    wlab_run *run;

    (void)state;
    open_session(&f, false);
    run = add_toy(f.s, "a", "held", "1");
    atomic_store(&toy_turns, 0);
    wlab_session_set_terminal(f.s, &(wlab_terminal){.idle = type_while_running, .self = &f});
    exec_line(&f, "step 5");
    assert_true(f.answered);
    assert_false(f.s->job.running);
    assert_int_equal(wlab_run_iter(run), 5);
    check_recorded(&f, (const char *const[]){"step 5", NULL});
    close_session(&f);
}

/* Breakpoints on the metrics of one algorithm do not disturb runs of another. */
static void test_foreign_break(void **state)
{
    fixture f;

    (void)state;
    open_session(&f, false);
    exec_line(&f, "generate two-moons n=40 noise=0.1 seed=2; task ssl labeled=4 seed=1; algo svm");
    exec_line(&f, "break iter == 99; display iter");
    add_toy(f.s, "toy", NULL, NULL);
    exec_line(&f, "watch flips; break seconds < 0");
    exec_line(&f, "switch a; continue");
    assert_has(&f.messages, "breakpoint 2 is ignored in run a: no metric \"flips\"");
    exec_line(&f, "step");
    assert_null(strstr(text_of(&f.messages), "is ignored")); /* reported once */
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

/* A recorded walk replays to the same digits; a change of one digit is noticed. */
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
        (void)type_line(&f, line, &err); /* `set` inside a step fails, and the failure is recorded */
    }
    ASSERT_OK(wlab_session_record_stop(f.s, &err), err);
    close_session(&f);
    open_session(&f, false);
    ASSERT_OK(wlab_session_replay(f.s, path, true, 1e-6, 0, &err), err);
    assert_has(&f.messages, "recorded results compared");
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

/* The line of an algorithm shows its most important metrics. */
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
        exec_line(&f, "generate two-moons n=40 noise=0.1 seed=2; task ssl labeled=4 seed=1");
        snprintf(line, sizeof line, "algo %s; display objective; step", cases[k].algo);
        exec_line(&f, line);
        assert_has(&f.text, cases[k].with);
        assert_null(strstr(text_of(&f.text), cases[k].without));
        close_session(&f);
    }
    /* conditions, watches and displays accept the metrics by name */
    open_session(&f, false);
    exec_line(&f, "generate two-moons n=40 noise=0.1 seed=2; task ssl labeled=4 seed=1; algo mfa");
    exec_line(&f, "break T < 5 and entropy > 0; watch pairs; display J_best; continue");
    assert_has(&f.messages, "breakpoint 1: T < 5 and entropy > 0, after step");
    assert_has(&f.text, ": J_best = ");
    assert_refused(&f, "break lambda_nou < 1", WL_EINPUT, "lambda_now");
    close_session(&f);
}

/* Memory runs out at the k-th allocation of a command: it reports this or succeeds, and the next `step` works. */
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
            f.s->sink.text = NULL; /* so that the fixture allocates nothing */
            f.s->sink.message = NULL;
            f.s->sink.event = NULL;
            add_toy(f.s, "a", NULL, NULL);
            exec_line(&f, "step 3");
            wlab_alloc_fail_at(k);
            code = wlab_session_line(f.s, commands[c], WL_FROM_PERSON, NULL, 0, &err);
            used = wlab_alloc_count();
            wlab_alloc_fail_at(0);
            assert_true(code == WL_OK || code == WL_ENOMEM || used < k);
            exec_line(&f, "step");
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
