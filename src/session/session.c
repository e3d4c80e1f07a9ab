/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A session: its data sets, tasks, runs and settings, and access to them for commands.
 */
#include "model/kernel.h"
#include "session/jobs/mirrors.h"
#include "session/jobs/stops.h"
#include "session/look.h"
#include <stdio.h>
#include <string.h>

static const char *const terminals[] = {"auto", "none", "dumb", "sixel", "qt", "wxt", "x11", NULL};

const wlab_param_info wlab_settings[] = {
    {.name = "threads",
     .type = WL_P_INT,
     .lo = 1,
     .hi = 256,
     .unit = "threads",
     .meaning = "threads that compute; results are the same for any number"},
    {.name = "history",
     .type = WL_P_INT,
     .fallback = "256",
     .lo = 1,
     .hi = 1048576,
     .unit = "MB",
     .meaning = "memory that the snapshots of a run may take, for back and goto"},
    {.name = "pace",
     .type = WL_P_REAL,
     .fallback = "0",
     .lo = 0,
     .hi = 3600,
     .unit = "seconds",
     .meaning = "pause between commands while a session is replayed"},
    {.name = "terminal",
     .type = WL_P_CHOICE,
     .fallback = "auto",
     .choices = terminals,
     .meaning =
         "where `plot VIEW` draws: in a live window of gnuplot (qt, wxt, x11), on this terminal, as a "
         "picture "
         "(sixel) or as text (dumb), or nowhere (none); auto: in a window if there is a display, else as a "
         "picture if this terminal says it can, else as text"},
    {.name = "theme",
     .type = WL_P_CHOICE,
     .fallback = "auto",
     .choices = (const char *const[]){"auto", "dark", "light", "mono", NULL},
     .meaning = "colours of the dashboard; auto: legible on dark and light backgrounds"},
    {.name = "marks",
     .type = WL_P_CHOICE,
     .fallback = "prediction",
     .choices = (const char *const[]){"prediction", "labeling", "truth", NULL},
     .meaning = "what the marks of rows show in `boundary`, `projection`, `histogram` and `bags`: the "
                "model's prediction, "
                "the algorithm's newest labeling, or the truth, which learners never observe"},
    {.name = "questions",
     .type = WL_P_CHOICE,
     .fallback = "yes",
     .choices = (const char *const[]){"yes", "no", NULL},
     .meaning = "no: lessons and exercises ask nothing, and print no questions (`help ask`)"},
    {.name = "figure",
     .type = WL_P_CHOICE,
     .fallback = "screen",
     .choices = wlab_look_names,
     .meaning =
         "what figures in files are for: screen, a paper's column (8.4 cm; several views 17.4 cm), a slide "
         "(16 "
         "cm) or a poster (40 cm); lines, letters and titles follow, and axes are labelled as in the papers"},
    {.name = "size",
     .type = WL_P_TEXT,
     .fallback = "auto",
     .meaning = "width and height of a figure's file in cm, 8.4x6cm; auto: those of figure="},
    {.name = "title",
     .type = WL_P_TEXT,
     .fallback = "auto",
     .meaning = "of figures in files: a text, none, or auto (what is drawn, with figure=screen; else none)"},
    {.name = "font",
     .type = WL_P_TEXT,
     .fallback = "auto",
     .meaning =
         "of figures in files, \"DejaVu Serif\" or \"DejaVu Serif,9\" (points); of a .tex only the size"},
    {.name = NULL},
};

/* ---- life ---- */

static char **copy_list(const char *const *list)
{
    size_t n = 0;
    while (list && list[n])
        n++;
    char **copy = wlab_calloc(n + 1, sizeof *copy);
    for (size_t i = 0; copy && i < n; i++) {
        copy[i] = wlab_strdup(list[i]);
        if (!copy[i]) {
            wlab_list_free(copy, (int)i);
            return NULL;
        }
    }
    return copy;
}

static void list_clear(char ***list, int *n)
{
    wlab_list_free(*list, *n > 0 ? *n : 0);
    *list = NULL;
    *n = 0;
}

static void emit_direct(void *self, const wlab_event *event)
{
    wlab_session *s = self;
    if (s->sink.event)
        s->sink.event(s->sink.self, event);
}

static wlab_attachment *find_attached(const wlab_session *s, const char *key)
{
    for (int i = 0; i < s->nattached; i++)
        if (strcmp(s->attached[i].key, key) == 0)
            return &s->attached[i];
    return NULL;
}

static void detach(wlab_attachment *a)
{
    if (a->destroy && a->data)
        a->destroy(a->data);
    a->data = NULL;
}

wlab_code wlab_session_attach(wlab_session *s, const char *key, void *data, void (*destroy)(void *data),
                              wlab_err *err)
{
    wlab_attachment *a = find_attached(s, key);
    if (!a) {
        wlab_attachment *grown = wlab_realloc(s->attached, (size_t)s->nattached + 1, sizeof *grown);
        if (!grown) {
            detach(&(wlab_attachment){key, data, destroy});
            return wlab_nomem(err);
        }
        s->attached = grown;
        a = &s->attached[s->nattached++];
        a->data = NULL;
    }
    detach(a);
    *a = (wlab_attachment){key, data, destroy};
    return WL_OK;
}

void *wlab_session_attached(const wlab_session *s, const char *key)
{
    const wlab_attachment *a = find_attached(s, key);
    return a ? a->data : NULL;
}

wlab_code wlab_session_create(wlab_session **out, const wlab_sink *sink, const wlab_places *places,
                              int threads, uint64_t seed, wlab_err *err)
{
    char number[32];
    wlab_session *s = wlab_calloc(1, sizeof *s);
    wlab_code code = WL_OK;

    if (!s)
        return wlab_nomem(err);
    s->sink = *sink;
    s->seed = seed;
    s->held.current_slot = s->held.current_run = -1;
    s->now.ninstead = -1;
    s->places.build = places->build;
    s->ctx.interrupt = &s->interrupt;
    s->ctx.emit = emit_direct;
    s->ctx.sink = s;
    s->places.data_dirs = copy_list(places->data_dirs);
    s->places.script_dirs = copy_list(places->script_dirs);
    s->places.out_dir = wlab_strdup(places->out_dir ? places->out_dir : ".");
    s->places.home = places->home ? wlab_strdup(places->home) : NULL;
    if (!s->places.data_dirs || !s->places.script_dirs || !s->places.out_dir ||
        (places->home && !s->places.home)) {
        code = wlab_nomem(err);
        goto out;
    }
    code = wlab_params_create(&s->settings, wlab_settings, err);
    if (code)
        goto out;
    snprintf(number, sizeof number, "%d", threads);
    code = wlab_session_set(s, "threads", number, err);
    if (!code)
        code = wlab_session_add_commands(s, wlab_commands, err);
out:
    if (code)
        wlab_session_destroy(s);
    else
        *out = s;
    return code;
}

static void slot_clear(wlab_slot *slot)
{
    wlab_problem_unref(slot->problem);
    wlab_free(slot->train);
    wlab_free(slot->test);
    wlab_free(slot->split);
    wlab_dataset_unref(slot->data);
    memset(slot, 0, sizeof *slot);
}

bool wlab_session_is_empty(const wlab_session *s)
{
    return s->held.nslots == 0 && s->held.nruns == 0 &&
           (!s->held.stops || (s->held.stops->nstops == 0 && s->held.stops->ndisplays == 0));
}

void wlab_session_clear(wlab_session *s)
{
    wlab_stops_destroy(s->held.stops);
    s->held.stops = NULL;
    wlab_mirrors_clear(s);
    s->held.ncompared = 0;
    s->held.scored = 0;
    for (int i = 0; i < s->held.nruns; i++)
        wlab_run_destroy(s->held.run[i]);
    s->held.run = wlab_free(s->held.run);
    s->held.nruns = s->held.runs_made = 0;
    for (int i = 0; i < s->held.nslots; i++)
        slot_clear(&s->held.slot[i]);
    s->held.slot = wlab_free(s->held.slot);
    s->held.nslots = 0;
    s->held.current_slot = s->held.current_run = -1;
    s->typed.repeat = wlab_free(s->typed.repeat);
}

void wlab_session_destroy(wlab_session *s)
{
    if (!s)
        return;
    while (s->nattached > 0)
        detach(&s->attached[--s->nattached]);
    wlab_free(s->attached);
    wlab_worker_destroy(s->job.worker);
    wlab_record_free(s);
    wlab_replay_destroy(s->left);
    wlab_session_clear(s);
    list_clear(&s->now.instead, &s->now.ninstead);
    list_clear(&s->now.mark, &s->now.nmarks);
    list_clear(&s->typed.line, &s->typed.n);
    list_clear(&s->log.journal, &s->log.njournal);
    wlab_params_destroy(s->settings);
    for (int i = 0; s->places.data_dirs && s->places.data_dirs[i]; i++)
        wlab_free(s->places.data_dirs[i]);
    wlab_free(s->places.data_dirs);
    for (int i = 0; s->places.script_dirs && s->places.script_dirs[i]; i++)
        wlab_free(s->places.script_dirs[i]);
    wlab_free(s->places.script_dirs);
    wlab_free(s->places.out_dir);
    wlab_free(s->places.home);
    wlab_free(s->commands);
    wlab_free(s->views);
    wlab_pool_destroy(s->pool);
    wlab_free(s);
}

/* ---- its contents ---- */

wlab_code wlab_session_set(wlab_session *s, const char *name, const char *value, wlab_err *err)
{
    if (strcmp(name, "threads") == 0) {
        wlab_params *trial = NULL;
        wlab_pool *pool = NULL;
        wlab_code code = wlab_params_copy(&trial, s->settings, err);
        if (!code)
            code = wlab_params_set(trial, name, value, err);
        if (!code)
            code = wlab_pool_create(&pool, (int)wlab_params_int(trial, name), err);
        if (!code && wlab_blas_used()) /* for the existing runs */
            code = wlab_blas_init(wlab_pool_threads(pool), err);
        if (code) {
            wlab_pool_destroy(pool);
            wlab_params_destroy(trial);
            return code;
        }
        wlab_params_destroy(s->settings);
        s->settings = trial;
        wlab_pool_destroy(s->pool);
        s->pool = s->ctx.pool = pool;
        return WL_OK;
    }
    wlab_code code = wlab_look_check(name, value, err);
    return code ? code : wlab_params_set(s->settings, name, value, err);
}

const wlab_params *wlab_session_settings(const wlab_session *s)
{
    return s->settings;
}

wlab_slot *wlab_session_slot(const wlab_session *s)
{
    return s->held.current_slot < 0 ? NULL : &s->held.slot[s->held.current_slot];
}

wlab_slot *wlab_session_find_slot(const wlab_session *s, const char *name)
{
    for (int i = 0; i < s->held.nslots; i++)
        if (strcmp(s->held.slot[i].data->name, name) == 0)
            return &s->held.slot[i];
    return NULL;
}

wlab_slot *wlab_session_slot_of(const wlab_session *s, const wlab_dataset *data)
{
    for (int i = 0; i < s->held.nslots; i++)
        if (s->held.slot[i].data == data)
            return &s->held.slot[i];
    return NULL;
}

wlab_code wlab_session_add_data(wlab_session *s, wlab_dataset *data, wlab_err *err)
{
    wlab_slot *slot = wlab_session_find_slot(s, data->name);
    if (slot) {
        slot_clear(slot);
    } else {
        wlab_slot *grown = wlab_realloc(s->held.slot, (size_t)s->held.nslots + 1, sizeof *grown);
        if (!grown) {
            wlab_dataset_unref(data);
            return wlab_nomem(err);
        }
        s->held.slot = grown;
        slot = &s->held.slot[s->held.nslots++];
        memset(slot, 0, sizeof *slot);
    }
    slot->data = data;
    slot->uneven = wlab_dataset_uneven(data, &slot->spans, &s->ctx);
    s->held.current_slot = (int)(slot - s->held.slot);
    return WL_OK;
}

wlab_code wlab_session_need_data(const wlab_session *s, wlab_slot **slot, wlab_err *err)
{
    *slot = wlab_session_slot(s);
    if (*slot)
        return WL_OK;
    return wlab_fail(err, WL_ESTATE,
                     "no data are loaded; begin with `load FILE` or, for example, `generate two-moons`");
}

wlab_code wlab_session_need_task(const wlab_slot *slot, wlab_err *err)
{
    if (slot->problem)
        return WL_OK;
    return wlab_fail(err, WL_ESTATE, "no task is set for %s: %s, for example `task ssl labeled=10`",
                     slot->data->name,
                     slot->task_ended ? "the one before the split was for other rows, so define it again"
                                      : "first choose which labels the learner observes");
}

void wlab_session_kernel_words(const wlab_run *run, char *buf, size_t size)
{
    const wlab_kernel *kernel = wlab_run_kernel(run);
    char words[128];

    *buf = '\0';
    if (!kernel)
        return;
    wlab_kernel_describe(kernel, words, sizeof words);
    snprintf(buf, size, ", %s", words);
}

wlab_code wlab_session_need_run(const wlab_session *s, wlab_run **run, wlab_err *err)
{
    *run = wlab_session_run(s);
    if (*run)
        return WL_OK;
    const wlab_slot *slot = wlab_session_slot(s);
    if (!slot)
        return wlab_fail(err, WL_ESTATE,
                         "there is no run; for example, first `load FILE` or `generate KIND`, then "
                         "`task ssl labeled=10`, then `algo wellsvm`");
    if (!slot->problem)
        return wlab_fail(err, WL_ESTATE,
                         "there is no run; for example, first `task ssl labeled=10`, then `algo wellsvm`");
    return wlab_fail(err, WL_ESTATE, "there is no run; start one, for example with `algo %s`",
                     wlab_algo_advised(slot->problem));
}

wlab_run *wlab_session_run(const wlab_session *s)
{
    return s->held.current_run < 0 ? NULL : s->held.run[s->held.current_run];
}

wlab_run *wlab_session_find_run(const wlab_session *s, const char *name)
{
    for (int i = 0; i < s->held.nruns; i++)
        if (strcmp(wlab_run_name(s->held.run[i]), name) == 0)
            return s->held.run[i];
    return NULL;
}

wlab_run *wlab_session_run_numbered(const wlab_session *s, int number)
{
    for (int i = 0; i < s->held.nruns; i++)
        if (wlab_run_number(s->held.run[i]) == number)
            return s->held.run[i];
    return NULL;
}

int wlab_session_runs(const wlab_session *s, wlab_run **runs, int max)
{
    for (int i = 0; i < s->held.nruns && i < max; i++)
        runs[i] = s->held.run[i];
    return s->held.nruns;
}

void wlab_session_next_name(const wlab_session *s, char name[16], int *number)
{
    *number = s->held.runs_made + 1;
    for (int k = s->held.runs_made;; k++) {
        char back[16];
        int len = 0;
        for (int rest = k; rest >= 0 && len < 15; rest = rest / 26 - 1)
            back[len++] = (char)('a' + rest % 26);
        for (int i = 0; i < len; i++)
            name[i] = back[len - 1 - i];
        name[len] = '\0';
        if (!wlab_session_find_run(s, name))
            return;
    }
}

wlab_code wlab_session_add_run(wlab_session *s, wlab_run *run, wlab_err *err)
{
    wlab_run **grown = wlab_realloc(s->held.run, (size_t)s->held.nruns + 1, sizeof(wlab_run *));
    if (!grown) {
        wlab_run_destroy(run);
        return wlab_nomem(err);
    }
    s->held.run = grown;
    s->held.current_run = s->held.nruns++;
    s->held.run[s->held.current_run] = run;
    s->held.runs_made++;
    return WL_OK;
}

wlab_code wlab_session_switch_run(wlab_session *s, const char *name, wlab_err *err)
{
    const char **names = wlab_alloc((size_t)s->held.nruns + 1, sizeof *names);
    const char *near = NULL;
    if (!names)
        return wlab_nomem(err);
    for (int i = 0; i < s->held.nruns; i++) {
        names[i] = wlab_run_name(s->held.run[i]);
        if (strcmp(names[i], name) == 0) {
            s->held.current_run = i;
            wlab_free(names);
            return WL_OK;
        }
    }
    near = wlab_nearest(name, names, (size_t)s->held.nruns);
    wlab_free(names);
    if (near)
        return wlab_fail(err, WL_EARG, "no run \"%.60s\"; did you mean \"%s\"?", name, near);
    return wlab_fail(err, WL_EARG, "no run \"%.60s\"; `runs` lists them", name);
}

wlab_dataset *wlab_session_data(const wlab_session *s)
{
    wlab_slot *slot = wlab_session_slot(s);
    return slot ? slot->data : NULL;
}

wlab_problem *wlab_session_problem(const wlab_session *s)
{
    wlab_slot *slot = wlab_session_slot(s);
    return slot ? slot->problem : NULL;
}

const int32_t *wlab_session_test_rows(const wlab_session *s, int64_t *n)
{
    wlab_slot *slot = wlab_session_slot(s);
    *n = slot ? slot->ntest : 0;
    return slot ? slot->test : NULL;
}

wlab_dataset *wlab_session_find_data(const wlab_session *s, const char *name)
{
    const wlab_slot *slot = wlab_session_find_slot(s, name);
    return slot ? slot->data : NULL;
}

bool wlab_session_use_data(wlab_session *s, const char *name)
{
    const wlab_slot *slot = wlab_session_find_slot(s, name);
    if (slot)
        s->held.current_slot = (int)(slot - s->held.slot);
    return slot != NULL;
}

wlab_code wlab_session_need_problem(const wlab_session *s, wlab_problem **problem, wlab_err *err)
{
    wlab_slot *slot = NULL;
    wlab_code code = wlab_session_need_data(s, &slot, err);
    code = code ? code : wlab_session_need_task(slot, err);
    *problem = code ? NULL : slot->problem;
    return code;
}

wlab_code wlab_session_split(const wlab_session *s, int64_t *train, int64_t *test, wlab_err *err)
{
    const wlab_slot *slot = wlab_session_slot(s);
    int64_t bags[3];

    *train = slot ? slot->ntrain : 0;
    *test = slot ? slot->ntest : 0;
    if (*test == 0 || !slot->data->bag)
        return WL_OK;
    const wlab_code code =
        wlab_dataset_bags_split(slot->data, slot->train, slot->ntrain, slot->test, slot->ntest, bags, err);
    if (!code && bags[2] == 0) {
        *train = bags[0];
        *test = bags[1];
    }
    return code;
}

wlab_origin wlab_session_origin(const wlab_session *s)
{
    return s->now.origin;
}

wlab_origin wlab_session_write_as(wlab_session *s, wlab_origin origin)
{
    const wlab_origin before = s->now.origin;
    s->now.origin = origin;
    return before;
}

void wlab_session_places(const wlab_session *s, wlab_places *places)
{
    *places = (wlab_places){.data_dirs = (const char *const *)s->places.data_dirs,
                            .script_dirs = (const char *const *)s->places.script_dirs,
                            .out_dir = s->places.out_dir,
                            .build = s->places.build,
                            .home = s->places.home};
}

uint64_t wlab_session_seed(const wlab_session *s)
{
    return s->seed;
}

char *const *wlab_session_journal(const wlab_session *s, int *n)
{
    *n = s->log.njournal;
    return s->log.journal;
}

void wlab_session_use_ranks(wlab_session *s, wlab_ranks *ranks)
{
    s->ctx.ranks = ranks;
}

wlab_ranks *wlab_session_ranks(const wlab_session *s)
{
    return s->ctx.ranks;
}

wlab_ctx *wlab_session_ctx(wlab_session *s)
{
    return &s->ctx;
}

const wlab_sink *wlab_session_sink(const wlab_session *s)
{
    return &s->sink;
}

void wlab_session_interrupt(wlab_session *s)
{
    int never = 0;
    (void)atomic_compare_exchange_strong(&s->interrupt, &never, 1); /* keep a hurried interrupt */
}

void wlab_session_hurry(wlab_session *s)
{
    atomic_store(&s->interrupt, 2);
}

void wlab_session_clear_interrupt(wlab_session *s)
{
    atomic_store(&s->interrupt, 0);
}

void wlab_session_set_terminal(wlab_session *s, const wlab_terminal *terminal)
{
    s->terminal = terminal ? *terminal : (wlab_terminal){0};
}

void wlab_session_show_panel(wlab_session *s, const wlab_progress_panel *panel)
{
    if (!panel && s->now.panel && s->terminal.panel_ends)
        s->terminal.panel_ends(s->terminal.self);
    s->now.panel = panel;
}

const wlab_progress_panel *wlab_session_progress_panel(const wlab_session *s)
{
    return s->now.panel;
}

bool wlab_session_shows_panels(const wlab_session *s)
{
    return s->terminal.panel_ends != NULL;
}

bool wlab_session_running(const wlab_session *s)
{
    return s->job.running;
}

bool wlab_session_stepping(const wlab_session *s)
{
    return s->job.running && s->job.run;
}

int64_t wlab_session_job(const wlab_session *s)
{
    return s->job.running ? s->job.begun : 0;
}

bool wlab_session_quits(const wlab_session *s)
{
    return s->quits;
}

const char *wlab_session_repeat(const wlab_session *s)
{
    return s->typed.repeat;
}

bool wlab_session_record_failed(const wlab_session *s)
{
    return s->log.failed;
}

wlab_code wlab_session_default_seed(const wlab_session *s, wlab_params *params, wlab_err *err)
{
    char text[32];
    for (const wlab_param_info *p = wlab_params_table(params); p->name; p++)
        if (strcmp(p->name, "seed") == 0 && !wlab_params_given(params, "seed") && s->seed != 1) {
            snprintf(text, sizeof text, "%llu", (unsigned long long)s->seed);
            return wlab_params_set(params, "seed", text, err);
        }
    return WL_OK;
}

/* ---- output ---- */

void wlab_session_say(wlab_session *s, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *text = wlab_vformat(fmt, ap);
    va_end(ap);
    if (!text)
        return;
    if (s->sink.json && s->sink.object) {
        json_t *o = json_pack("{s:s, s:o}", "type", "message", "message", wlab_json_text(text));
        if (o)
            s->sink.object(s->sink.self, o);
        json_decref(o);
    } else if (s->sink.message) {
        s->sink.message(s->sink.self, text);
    }
    wlab_free(text);
}

void wlab_session_print(wlab_session *s, const char *fmt, ...)
{
    if (s->sink.json || !s->sink.text)
        return;
    va_list ap;
    va_start(ap, fmt);
    char *text = wlab_vformat(fmt, ap);
    va_end(ap);
    if (text)
        s->sink.text(s->sink.self, text);
    wlab_free(text);
}

void wlab_session_object(wlab_session *s, json_t *object)
{
    if (object && s->sink.json && s->sink.object)
        s->sink.object(s->sink.self, object);
    json_decref(object);
}
