/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tests of `new`, of presented replays (continue, back, take over) and of lessons.
 */
#include "talk.h"
#include "weaklab/run.h"

/* ---- a user who presses keys ---- */

typedef struct presenter {
    talk t;
    const char
        *key; /* '>' continue, '<' back, '!' take over, 'c' interrupt and continue; after the last, '>' */
    int answers;
    char lines[1 << 14]; /* the lines shown at the stops, one per stop */
    wlab_rng rng;
    int random, at; /* a random walk of so many answers; the current stop */
} presenter;

static wlab_present answer(void *self, const char *line, double seconds)
{
    presenter *h = self;
    char text[400];
    char key = *h->key ? *h->key++ : '>';

    h->answers++;
    snprintf(text, sizeof text, "%g %s\n", seconds, line ? line : "-");
    talk_keep(h->lines, sizeof h->lines, text);
    if (h->random > 0) {
        h->random--;
        key = h->random == 0 ? '!' : wlab_rng_uniform(&h->rng) < 0.6 ? '>' : '<';
        if (key == '<' && h->at > 0)
            h->at--;
        if (key == '>')
            h->at++;
    }
    if (key == 'c')
        wlab_session_interrupt(h->t.s);
    return key == '<' ? WL_PRESENT_BACK : key == '!' ? WL_PRESENT_TAKE_OVER : WL_PRESENT_ON;
}

static void hand_begin(presenter *h, const char *folder, const char *key)
{
    memset(h, 0, sizeof *h);
    h->key = key;
    talk_begin(&h->t, false, folder);
    wlab_session_set_terminal(h->t.s, &(wlab_terminal){.present = answer, .self = h});
}

/* The whole state of a session, as text. */
static char *describe_session(const wlab_session *s)
{
    wlab_buf out = {0};
    const char *names[] = {"threads", "history", "pace", "terminal"};

    for (int i = 0; i < 4; i++)
        (void)wlab_buf_printf(
            &out, "%s ",
            wlab_params_text(s->settings, names[i]) ? wlab_params_text(s->settings, names[i]) : "-");
    (void)wlab_buf_printf(&out, "seed %llu slots %d/%d runs %d/%d made %d\n", (unsigned long long)s->seed,
                          s->held.current_slot, s->held.nslots, s->held.current_run, s->held.nruns,
                          s->held.runs_made);
    for (int i = 0; i < s->held.nslots; i++)
        (void)wlab_buf_printf(&out, "data %s train %lld test %lld task %s\n", s->held.slot[i].data->name,
                              (long long)s->held.slot[i].ntrain, (long long)s->held.slot[i].ntest,
                              s->held.slot[i].problem ? s->held.slot[i].problem->task->name : "-");
    for (int i = 0; i < s->held.nruns; i++) {
        wlab_digest d;
        wlab_run_digest(s->held.run[i], &d);
        (void)wlab_buf_printf(&out, "number %d half %lld changes %d ", wlab_run_number(s->held.run[i]),
                              (long long)wlab_run_half(s->held.run[i]),
                              wlab_run_changes(s->held.run[i], NULL));
        (void)wlab_digest_format(&d, &out);
        (void)wlab_buf_printf(&out, "\n");
    }
    for (int i = 0; i < s->log.njournal; i++)
        (void)wlab_buf_printf(&out, "%s\n", s->log.journal[i]);
    char *text = strdup((char *)out.data);
    wlab_buf_clear(&out);
    return text;
}

/* As assert_string_equal, but reports the first line that differs. */
static void same_text(const char *a, const char *b)
{
    a = a ? a : "";
    b = b ? b : "";
    while (*a && strcspn(a, "\n") == strcspn(b, "\n") && strncmp(a, b, strcspn(a, "\n") + 1) == 0) {
        a += strcspn(a, "\n") + 1;
        b += strcspn(b, "\n") + 1;
    }
    if (strcmp(a, b) != 0)
        fail_msg("\"%.*s\" in place of \"%.*s\"", (int)strcspn(a, "\n"), a, (int)strcspn(b, "\n"), b);
}

static const char script[] =
    "# A script with a bit of everything\n"
    "say \"first; of all\"\n"
    "generate two-moons n=30 noise=0.1 seed=3\n"
    "wait 2\n"
    "task ssl labeled=4; wait key; algo wellsvm kernel=rbf sigma=1x search=multistart\n"
    "say one step\n"
    "wait\n"
    "step\n"
    "wait\n"
    "stepi 1\n"
    "wait\n"
    "step; say \"two\"; eval unlabeled\n"
    "wait # and on\n"
    "back; step 3\n"
    "wait\n"
    "set C2=0.3 pace=0\n"
    "step\n"
    "wait\n"
    "fork other\n"
    "break iter == 2\n"
    "display gap\n"
    "stepi 2\n"
    "wait\n"
    "goto 1\n"
    "wait\n"
    "step 4\n"
    "export labels present-labels.csv\n"
    "wait\n"
    "switch a; step\n"
    "wait\n"
    "new\n"
    "generate two-moons n=20 noise=0.1\n"
    "wait\n"
    "task ssl labeled=4\n"
    "algo wellsvm kernel=linear\n"
    "wait\n"
    "step 2\n"
    "wait\n"
    "back 2\n"
    "wait\n"
    "step\n";

enum {
    STOPS = 16
};

static char folder[256];

static int setup(void **state)
{
    char path[400];
    (void)state;
    talk_folder(folder);
    snprintf(path, sizeof path, "%s/script.wlab", folder);
    talk_write(path, script);
    return 0;
}

/* Replay the script; its record and log are NAME.wlab and NAME-log.wlab. */
static wlab_code present(presenter *h, const char *name, double pace)
{
    char path[400], record[400], log[400];

    snprintf(path, sizeof path, "%s/script.wlab", folder);
    snprintf(record, sizeof record, "%s/%s.wlab", folder, name);
    snprintf(log, sizeof log, "%s/%s-log.wlab", folder, name);
    ASSERT_OK(wlab_session_autosave(h->t.s, log, &h->t.err), h->t.err);
    ASSERT_OK(wlab_session_record(h->t.s, record, WL_FROM_PERSON, &h->t.err), h->t.err);
    return wlab_session_replay(h->t.s, path, false, 0, pace, &h->t.err);
}

static char *text_of_file(const char *name, const char *ending)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s%s.wlab", folder, name, ending);
    return talk_read(path);
}

static void assert_replays(const char *name)
{
    char path[400];
    talk t;

    snprintf(path, sizeof path, "%s/%s.wlab", folder, name);
    talk_begin(&t, false, folder);
    ASSERT_OK(wlab_session_replay(t.s, path, true, 0, 0, &t.err), t.err);
    talk_end(&t);
}

/* Replays straight to stop number `stop` and takes over there: the state and the files that going back and forth to
 * that stop must give. */
static void replay_straight(int stop, char **described, char **recorded, char **logged)
{
    presenter h;
    char keys[64] = "";

    memset(keys, '>', (size_t)stop);
    strcpy(keys + stop, "!");
    hand_begin(&h, folder, keys);
    ASSERT_OK(present(&h, "straight", 0), h.t.err);
    assert_int_equal(h.answers, stop + 1);
    *described = describe_session(h.t.s);
    talk_end(&h.t);
    *recorded = text_of_file("straight", "");
    *logged = text_of_file("straight", "-log");
}

static void walks(void **state)
{
    int inside = 0, deepest = 0;
    (void)state;
    for (unsigned seed = 1; seed <= 24; seed++) {
        char *described, *recorded, *logged, *now, *record, *log;
        presenter h;

        hand_begin(&h, folder, "");
        wlab_rng_seed(&h.rng, seed);
        h.random = 12 + (int)seed;
        ASSERT_OK(present(&h, "walk", 0), h.t.err);
        int at = h.at;
        bool ended = h.random > 0; /* it has reached the end of the script */
        now = describe_session(h.t.s);
        talk_end(&h.t);
        record = text_of_file("walk", "");
        log = text_of_file("walk", "-log");
        assert_replays("walk");
        if (!ended) {
            inside++;
            deepest = at > deepest ? at : deepest;
            replay_straight(at, &described, &recorded, &logged);
            same_text(now, described);
            same_text(record, recorded);
            same_text(log, logged);
            free(described);
            free(recorded);
            free(logged);
        }
        free(now);
        free(record);
        free(log);
    }
    assert_true(inside >= 12 && deepest >= STOPS - 4);
}

/* From each stop after the first, goes back by one or by two stops and takes over: the state and the recording are
 * those of a replay straight to that stop. */
static void all_the_way(void **state)
{
    (void)state;
    for (int stop = 1; stop < STOPS; stop++)
        for (int by = 1; by <= 2 && by <= stop; by++) {
            char *described, *recorded, *logged, *now, *record, keys[64];
            presenter h;

            memset(keys, '>', (size_t)stop);
            memset(keys + stop, '<', (size_t)by);
            strcpy(keys + stop + by, "!");
            hand_begin(&h, folder, keys);
            ASSERT_OK(present(&h, "back", 0), h.t.err);
            now = describe_session(h.t.s);
            talk_end(&h.t);
            record = text_of_file("back", "");
            replay_straight(stop - by, &described, &recorded, &logged);
            same_text(now, described);
            same_text(record, recorded);
            free(now);
            free(record);
            free(described);
            free(recorded);
            free(logged);
        }
}

static void questions(void **state)
{
    presenter h;
    (void)state;
    hand_begin(&h, folder, "");
    ASSERT_OK(present(&h, "questions", 0), h.t.err);
    assert_int_equal(h.answers, STOPS);
    char first[] = "2 task ssl labeled=4\n"
                   "-1 algo wellsvm kernel=rbf sigma=1x search=multistart\n"
                   "-1 step\n"
                   "-1 stepi 1\n"
                   "-1 step\n";
    assert_int_equal(strncmp(h.lines, first, sizeof first - 1), 0);
    assert_null(strstr(h.lines, "say"));
    /* commands are shown; captions are not shown twice */
    assert_non_null(strstr(h.t.messages, "> step\n"));
    assert_null(strstr(h.t.messages, "> say"));
    assert_null(strstr(h.t.messages, "> wait"));
    assert_non_null(strstr(h.t.text, "first; of all\n"));
    talk_end(&h.t);
}

/* With a pace there is a stop before every command, except the first and those after a wait. */
static void paced(void **state)
{
    presenter h;
    (void)state;
    hand_begin(&h, folder, ">>>>!");
    ASSERT_OK(present(&h, "paced", 0.5), h.t.err);
    assert_string_equal(h.lines,
                        "0.5 generate two-moons n=30 noise=0.1 seed=3\n2 task ssl labeled=4\n"
                        "-1 algo wellsvm kernel=rbf sigma=1x search=multistart\n0.5 say one step\n-1 step\n");
    talk_end(&h.t);
    hand_begin(&h, folder, "><<<>!");
    ASSERT_OK(present(&h, "paced", 0.5), h.t.err);
    assert_int_equal(h.t.s->held.nslots, 1);
    assert_int_equal(h.answers, 6);
    talk_end(&h.t);
    char *record = text_of_file("paced", "");
    assert_null(strstr(record, "wait"));
    assert_non_null(strstr(record, "generate"));
    free(record);
}

/* Going back to a stop repeats its captions, but not those between. */
static void captions_repeated(void **state)
{
    presenter h;
    char *text;
    (void)state;
    hand_begin(&h, folder, ">>>><!");
    ASSERT_OK(present(&h, "said", 0), h.t.err);
    assert_non_null(text = strstr(h.t.text, "one step\n"));
    assert_null(strstr(text + 1, "one step\n"));
    talk_end(&h.t);
    hand_begin(&h, folder, ">>><!");
    ASSERT_OK(present(&h, "said", 0), h.t.err);
    assert_non_null(text = strstr(h.t.text, "one step\n"));
    assert_non_null(strstr(text + 1, "one step\n"));
    assert_non_null(strstr(h.t.messages, "back at line 7: run a at step 0"));
    talk_end(&h.t);
}

static void interrupted(void **state)
{
    char *record;
    presenter h;
    (void)state;
    hand_begin(&h, folder, ">>>c");
    ASSERT_OK(present(&h, "interrupted", 0), h.t.err);
    assert_int_equal(wlab_run_iter(wlab_session_run(h.t.s)), 1);
    assert_non_null(strstr(h.t.messages, "taken over before line 9"));
    wlab_session_clear_interrupt(h.t.s);
    EXEC(&h.t, "step");
    talk_end(&h.t);
    record = text_of_file("interrupted", "");
    assert_non_null(strstr(record, "iter=2"));
    free(record);
    assert_replays("interrupted");
}

/* The recording to a file that cannot be cut ends, with a message; the session goes back even so. */
static void file_cannot_be_cut(void **state)
{
    presenter h;
    char path[400];
    int ends[2];
    (void)state;
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
    hand_begin(&h, folder, ">>>><!");
    ASSERT_OK(wlab_session_record(h.t.s, path, WL_FROM_PERSON, &h.t.err), h.t.err);
    snprintf(path, sizeof path, "%s/script.wlab", folder);
    ASSERT_OK(wlab_session_replay(h.t.s, path, false, 0, 0, &h.t.err), h.t.err);
    assert_non_null(strstr(h.t.messages, "cannot remove commands from"));
    assert_int_equal(wlab_run_iter(wlab_session_run(h.t.s)), 1);
    assert_true(wlab_session_record_failed(h.t.s));
    talk_end(&h.t);
    close(ends[0]);
    close(ends[1]);
}

static wlab_code show_pane(wlab_session *s, const wlab_args *a, wlab_err *err)
{
    char *panes_set = wlab_session_attached(s, "panes_set");
    (void)err;
    strcat(strcat(panes_set, a->word[a->nwords - 1]), " ");
    return WL_OK;
}

/* Going back restores the panes of the stop, silently; the log does not have them. */
static void panes_back(void **state)
{
    static const wlab_command dashboard = {.name = "dashboard",
                                           .usage = "dashboard",
                                           .flags = WL_C_READS | WL_C_ALWAYS | WL_C_SCREEN,
                                           .execute = show_pane};
    static const wlab_command *const commands[] = {&dashboard, NULL};
    char path[400], panes_set[200] = "", *log;
    presenter h;
    (void)state;
    snprintf(path, sizeof path, "%s/panes.wlab", folder);
    talk_write(path,
               "dashboard on\nsay one\nwait\ndashboard show gap\ngenerate two-moons n=30\nsay two\nwait\n"
               "dashboard show run\nsay three\nwait\nsay four\nwait\ntask ssl labeled=4\n");
    /* stops 1, 2, 3, 4; back to 3: no pane changes; back to 2: pane gap again; back to 1: no pane was shown before;
     * then to the end */
    hand_begin(&h, folder, ">>><<<>>>>");
    ASSERT_OK(wlab_session_attach(h.t.s, "panes_set", panes_set, NULL, &h.t.err), h.t.err);
    ASSERT_OK(wlab_session_add_commands(h.t.s, commands, &h.t.err), h.t.err);
    char line[500];
    snprintf(line, sizeof line, "record %s/panes-log.wlab", folder);
    EXEC(&h.t, line);
    ASSERT_OK(wlab_session_replay(h.t.s, path, false, 0, 0, &h.t.err), h.t.err);
    assert_string_equal(panes_set, "on gap run gap gap run ");
    assert_null(strstr(h.t.messages, "> dashboard"));
    assert_string_equal(h.lines, "-1 generate two-moons n=30\n-1 task ssl labeled=4\n-1 task ssl labeled=4\n"
                                 "-1 task ssl labeled=4\n-1 task ssl labeled=4\n-1 task ssl labeled=4\n"
                                 "-1 generate two-moons n=30\n-1 task ssl labeled=4\n-1 task ssl labeled=4\n"
                                 "-1 task ssl labeled=4\n");
    EXEC(&h.t, "record stop");
    talk_end(&h.t);
    snprintf(path, sizeof path, "%s/panes-log.wlab", folder);
    log = talk_read(path);
    assert_null(strstr(log, "dashboard"));
    free(log);
}

/* From a wait in a sourced script one can go back. */
static void nested(void **state)
{
    char path[400];
    presenter h;
    (void)state;
    snprintf(path, sizeof path, "%s/inner.wlab", folder);
    talk_write(path, "task ssl labeled=4\nwait\nalgo wellsvm kernel=linear\nwait\nstep\n");
    snprintf(path, sizeof path, "%s/outer.wlab", folder);
    talk_write(path, "generate two-moons n=30\nwait\nsource inner.wlab\nwait\nstep\n");
    hand_begin(&h, folder, ">><!");
    ASSERT_OK(wlab_session_replay(h.t.s, path, false, 0, 0, &h.t.err), h.t.err);
    assert_null(wlab_session_run(h.t.s));
    assert_null(wlab_session_problem(h.t.s));
    assert_string_equal(h.lines, "-1 source inner.wlab\n-1 -\n-1 -\n-1 source inner.wlab\n");
    talk_end(&h.t);
    hand_begin(&h, folder, "");
    ASSERT_OK(wlab_session_replay(h.t.s, path, false, 0, 0, &h.t.err), h.t.err);
    assert_int_equal(wlab_run_iter(wlab_session_run(h.t.s)), 2);
    talk_end(&h.t);
}

/* A replay with --check has no stops. */
static void check_has_no_stops(void **state)
{
    char path[400];
    presenter h;
    (void)state;
    snprintf(path, sizeof path, "%s/script.wlab", folder);
    hand_begin(&h, folder, "<<<!");
    ASSERT_OK(wlab_session_replay(h.t.s, path, true, 0, 0, &h.t.err), h.t.err);
    assert_int_equal(h.answers, 0);
    talk_end(&h.t);
}

/* ---- new ---- */

static void new_session(void **state)
{
    char path[400];
    talk t;
    (void)state;
    snprintf(path, sizeof path, "%s/new.wlab", folder);
    talk_begin(&t, false, folder);
    ASSERT_OK(wlab_session_record(t.s, path, WL_FROM_PERSON, &t.err), t.err);
    EXEC(&t, "new");
    assert_non_null(strstr(t.messages, "the session is empty"));
    EXEC(&t, "generate two-moons n=30 seed=2; task ssl labeled=4; algo wellsvm kernel=linear; step 2; break "
             "iter == 9; "
             "display gap");
    EXEC(&t, "set history=99; generate two-moons n=20 seed=5");
    EXEC(&t, "new");
    assert_non_null(
        strstr(t.messages, "removed: 1 data set, 1 run, 1 breakpoint, 1 display; the commands are kept in "));
    assert_non_null(strstr(t.messages, path));
    assert_null(wlab_session_data(t.s));
    assert_null(wlab_session_run(t.s));
    assert_null(wlab_session_repeat(t.s));
    assert_string_equal(wlab_params_text(wlab_session_settings(t.s), "history"), "99");
    EXEC_FAILS(&t, "step", WL_ESTATE, "there is no run");
    EXEC(&t, "new seed=7; generate two-moons n=24; task ssl labeled=4; algo wellsvm kernel=linear; step");
    assert_string_equal(wlab_run_name(wlab_session_run(t.s)), "a");
    assert_int_equal(wlab_run_number(wlab_session_run(t.s)), 1);
    EXEC(&t, "break iter == 4");
    t.text[0] = '\0';
    EXEC(&t, "info break");
    assert_non_null(strstr(t.text, "  1  break"));
    EXEC_FAILS(&t, "new x", WL_EARG, "new takes no words");
    EXEC(&t, "record stop");
    talk_end(&t);
    assert_replays("new");
    char *text = talk_read(path);
    assert_non_null(strstr(text, "\nnew\ngenerate") ? text : strstr(text, "\nnew\n"));
    assert_non_null(strstr(text, "\nnew seed=7\n"));
    free(text);
}

/* Replay a recording whose header has another seed, in a session that already has a header. */
static void seed_of_replay(void **state)
{
    char path[400], line[900];
    talk t;
    (void)state;
    snprintf(path, sizeof path, "%s/seeded.wlab", folder);
    talk_write(path, "#@ weaklab 0.1.0 session 1  build=x blas=y threads=1 seed=5\n"
                     "generate two-moons n=30\ntask ssl labeled=4\nalgo wellsvm kernel=linear\nstep\n");
    talk_begin(&t, false, folder);
    snprintf(line, sizeof line, "record %s/seed.wlab; generate two-moons n=20; new; replay %s", folder, path);
    EXEC(&t, line);
    EXEC(&t, "record stop");
    talk_end(&t);
    assert_replays("seed");
    char *text = text_of_file("seed", "");
    assert_non_null(strstr(text, "\nnew\nnew seed=5\ngenerate two-moons n=30\n"));
    free(text);
}

/* ---- lessons ---- */

static const char *dirs[2];

static void lesson_begin(presenter *h, bool json, const char *key)
{
    wlab_sink sink = {
        .text = talk_text, .message = talk_message, .object = talk_object, .json = json, .self = &h->t};
    wlab_places places = {talk_nowhere, dirs, folder, talk_build, NULL};

    memset(h, 0, sizeof *h);
    h->key = key;
    h->t.objects = json_array();
    ASSERT_OK(wlab_session_create(&h->t.s, &sink, &places, 1, 1, &h->t.err), h->t.err);
}

static int lessons_there(void **state)
{
    char path[400];
    (void)state;
    snprintf(path, sizeof path, "%s/lessons", folder);
    (void)mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/lessons/moons.wlab", folder);
    talk_write(path, "# What moons are.\n# lesson 1, 2 minutes, after blobs\nsay moons\ngenerate two-moons "
                     "n=30\nwait\ntask ssl labeled=4\nalgo "
                     "wellsvm kernel=linear\n"
                     "wait\nstep 2\nsay \"on your own: step\"\n");
    snprintf(path, sizeof path, "%s/lessons/moving.wlab", folder);
    talk_write(path, "say moving\n");
    snprintf(path, sizeof path, "%s/lessons/blobs.wlab", folder);
    talk_write(path, "#   What blobs are\ngenerate blobs n=30\nbad line\n");
    dirs[0] = folder;
    return 0;
}

static void lessons(void **state)
{
    presenter h;
    (void)state;
    lesson_begin(&h, false, "");
    EXEC(&h.t, "lesson");
    assert_string_equal(h.t.text, "   1  moons    2 min  What moons are\n      blobs           What blobs "
                                  "are\n      moving          \n");
    EXEC_FAILS(&h.t, "lesson mo", WL_EARG, "ambiguous lesson: mo, could be: moons, moving");
    EXEC_FAILS(&h.t, "lesson monos", WL_EARG, "did you mean \"moons\"");
    EXEC_FAILS(&h.t, "lesson moons x", WL_EARG, "one name");
    EXEC_FAILS(&h.t, "lesson blobs", WL_EARG, "bad");
    assert_string_equal(h.t.err.file + strlen(h.t.err.file) - 10, "blobs.wlab");
    assert_int_equal(h.t.err.line, 3);
    ASSERT_FAILS(exec_script(&h.t, "lesson moo"), WL_EARG, h.t.err, "no lesson");
    talk_end(&h.t);

    lesson_begin(&h, true, "");
    EXEC(&h.t, "lesson");
    json_t *all = json_object_get(json_array_get(h.t.objects, 1), "lessons");
    assert_int_equal(json_array_size(all), 3);
    assert_string_equal(json_string_value(json_object_get(json_array_get(all, 0), "title")),
                        "What moons are");
    talk_end(&h.t);
}

/* A lesson begun in a session with data, with going back and taking over: the log of all this replays. */
static void lesson_recorded(void **state)
{
    char line[500];
    presenter h;
    (void)state;
    lesson_begin(&h, false, "><>>");
    wlab_session_set_terminal(h.t.s, &(wlab_terminal){.present = answer, .self = &h});
    snprintf(line, sizeof line, "record %s/lesson.wlab", folder);
    EXEC(&h.t, line);
    EXEC(&h.t, "generate blobs n=20; lesson moon");
    assert_non_null(strstr(h.t.messages, "removed: 1 data set; the commands are kept in "));
    assert_int_equal(wlab_run_iter(wlab_session_run(h.t.s)), 2);
    EXEC(&h.t, "step; record stop");
    talk_end(&h.t);
    assert_replays("lesson");
    char *text = text_of_file("lesson", "");
    char *from = strstr(text, "\nnew\n");
    assert_non_null(from);
    assert_int_equal(strncmp(from, "\nnew\nsay moons\ngenerate two-moons n=30\n#@ data", 46), 0);
    assert_non_null(strstr(
        from, "\nwait\ntask ssl labeled=4\nalgo wellsvm kernel=linear\nwait\nstep 2\n#@ run=a iter=2"));
    free(text);
}

static void lesson_taken_over(void **state)
{
    presenter h;
    (void)state;
    lesson_begin(&h, false, ">!");
    wlab_session_set_terminal(h.t.s, &(wlab_terminal){.present = answer, .self = &h});
    EXEC(&h.t, "lesson moons");
    assert_non_null(strstr(h.t.messages, "taken over before line 8 of lesson moons: the session continues"));
    talk_end(&h.t);
}

/* Take over at the second stop of the lesson, execute a line of one's own, resume with these keys: in the end the session
 * is as if the lesson had been followed without leaving it. */
static void assert_resumes(const char *own, const char *keys)
{
    presenter straight, left;
    char all[40];

    lesson_begin(&straight, false, "");
    wlab_session_set_terminal(straight.t.s, &(wlab_terminal){.present = answer, .self = &straight});
    EXEC(&straight.t, "lesson moons");
    snprintf(all, sizeof all, ">!%s", keys);
    lesson_begin(&left, false, all);
    wlab_session_set_terminal(left.t.s, &(wlab_terminal){.present = answer, .self = &left});
    EXEC(&left.t, "lesson moons");
    if (*own)
        EXEC(&left.t, own);
    left.t.text[0] = '\0';
    EXEC(&left.t, "resume");
    assert_null(strstr(left.t.text, "30 rows")); /* the commands before the place show nothing */
    assert_int_equal(wlab_run_iter(wlab_session_run(left.t.s)), 2);
    char *a = describe_session(straight.t.s), *b = describe_session(left.t.s);
    /* all but the journals, one of which has the user's own line */
    *strstr(a, "\nsay moons") = '\0';
    *strstr(b, "\nsay moons") = '\0';
    assert_string_equal(a, b);
    wlab_free(a);
    wlab_free(b);
    talk_end(&straight.t);
    talk_end(&left.t);
}

static void lesson_resumed(void **state)
{
    presenter h;
    (void)state;
    assert_resumes("", ">");
    assert_resumes("", "<>>");
    assert_resumes("help step", ">");
    assert_resumes("set C2=0.3; step", ">");
    assert_resumes("new; generate blobs n=20", ">");
    assert_resumes("generate blobs n=20; task cluster; algo kmeans; step", "<>>");
    /* left again, on the way */
    lesson_begin(&h, false, ">!!>>>");
    wlab_session_set_terminal(h.t.s, &(wlab_terminal){.present = answer, .self = &h});
    EXEC_FAILS(&h.t, "resume", WL_ESTATE, "no lesson or replay has been left");
    EXEC(&h.t, "lesson moons");
    EXEC(&h.t, "step; resume");
    EXEC(&h.t, "step");
    h.t.messages[0] = '\0';
    EXEC(&h.t, "resume");
    assert_null(strstr(h.t.messages, "taken over"));
    assert_int_equal(wlab_run_iter(wlab_session_run(h.t.s)), 2);
    assert_non_null(strstr(h.t.messages, "the end of lesson moons; `resume` returns to its last stop"));
    const int answers = h.answers;
    EXEC(&h.t, "resume"); /* after the end: the last stop again, and the end again */
    assert_int_equal(h.answers, answers + 1);
    assert_int_equal(wlab_run_iter(wlab_session_run(h.t.s)), 2);
    EXEC_FAILS(&h.t, "resume moons", WL_EARG, "takes no words");
    talk_end(&h.t);
}

static void lesson_resumed_is_recorded(void **state)
{
    char line[500];
    presenter h;
    (void)state;
    lesson_begin(&h, false, ">!>");
    wlab_session_set_terminal(h.t.s, &(wlab_terminal){.present = answer, .self = &h});
    snprintf(line, sizeof line, "record %s/resumed.wlab", folder);
    EXEC(&h.t, line);
    EXEC(&h.t, "lesson moons");
    EXEC(&h.t, "set C2=0.3; step");
    EXEC(&h.t, "resume");
    EXEC(&h.t, "record stop");
    talk_end(&h.t);
    assert_replays("resumed");
    char *text = text_of_file("resumed", "");
    assert_non_null(strstr(text, "\nset C2=0.3\n")); /* the user's own commands are kept */
    assert_non_null(strstr(text, "\nnew\nsay moons\n"));
    assert_null(strstr(text, "resume"));
    free(text);
}

/* A lesson without a user runs to its end without stops. */
static void lesson_alone(void **state)
{
    presenter h;
    (void)state;
    lesson_begin(&h, false, "");
    EXEC(&h.t, "lesson moons");
    assert_int_equal(wlab_run_iter(wlab_session_run(h.t.s)), 2);
    assert_non_null(strstr(h.t.text, "moons\n"));
    assert_int_equal(h.answers, 0);
    talk_end(&h.t);
}

static void caption(void *self, const char *text)
{
    talk *t = self;
    talk_keep(t->messages, sizeof t->messages, "caption: ");
    talk_keep(t->messages, sizeof t->messages, text);
    talk_keep(t->messages, sizeof t->messages, "\n");
}

static void captions(void **state)
{
    wlab_sink sink = {.text = talk_text, .message = talk_message, .caption = caption};
    wlab_places places = {talk_nowhere, talk_nowhere, ".", NULL, NULL};
    talk t = {0};
    (void)state;
    sink.self = &t;
    ASSERT_OK(wlab_session_create(&t.s, &sink, &places, 1, 1, &t.err), t.err);
    EXEC(&t, "say \"one; two\"; say three  # four");
    assert_string_equal(t.messages, "caption: one; two\ncaption: three\n");
    assert_string_equal(t.text, "");
    wlab_session_destroy(t.s);
}

/* Memory runs out at the k-th allocation of a presented replay that goes back, for k = 1, 2, ...,
 * with gaps between large k. */
static void memory(void **state)
{
    char path[400];
    (void)state;
    snprintf(path, sizeof path, "%s/short.wlab", folder);
    talk_write(path, "generate two-moons n=12\nwait\ntask ssl labeled=4\nalgo wellsvm "
                     "kernel=linear\nwait\nstep\nwait\nset C2=0.2\n"
                     "wait\nnew\n");
    for (long k = 1, reached = k; reached >= k; k += 1 + k / 50) {
        presenter h;

        hand_begin(&h, folder, ">>><<>>><<!");
        wlab_alloc_fail_at(k);
        wlab_code code = wlab_session_replay(h.t.s, path, false, 0, 0, &h.t.err);
        if (!code)
            code = wlab_session_line(h.t.s, "generate blobs n=10; resume", WL_FROM_PERSON, NULL, 0, &h.t.err);
        reached = wlab_alloc_count();
        wlab_alloc_fail_at(0);
        if (code != WL_OK && code != WL_ENOMEM)
            fail_msg("code %d when allocation %ld fails: %s", (int)code, k, h.t.err.message);
        talk_end(&h.t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(questions),
        cmocka_unit_test(all_the_way),
        cmocka_unit_test(walks),
        cmocka_unit_test(paced),
        cmocka_unit_test(captions_repeated),
        cmocka_unit_test(interrupted),
        cmocka_unit_test(file_cannot_be_cut),
        cmocka_unit_test(panes_back),
        cmocka_unit_test(nested),
        cmocka_unit_test(check_has_no_stops),
        cmocka_unit_test(new_session),
        cmocka_unit_test(seed_of_replay),
        cmocka_unit_test_setup(lessons, lessons_there),
        cmocka_unit_test_setup(lesson_recorded, lessons_there),
        cmocka_unit_test_setup(lesson_taken_over, lessons_there),
        cmocka_unit_test_setup(lesson_resumed, lessons_there),
        cmocka_unit_test_setup(lesson_resumed_is_recorded, lessons_there),
        cmocka_unit_test_setup(lesson_alone, lessons_there),
        cmocka_unit_test(captions),
        cmocka_unit_test(memory),
    };

    return cmocka_run_group_tests(tests, setup, NULL);
}
