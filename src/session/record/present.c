/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Presenter mode: the stops of a replay or lesson, and going back from one stop to the previous one.  If only steps
 * are between, the run's own time travel does it; else the session is emptied and its journal is executed again,
 * silently.  The record follows, so that it always describes the session as it is.
 */
#include "session/jobs/mirrors.h"
#include "session/jobs/stepping.h"
#include "session/jobs/stops.h"
#include "session/record/replay.h"
#include <string.h>

bool wlab_replay_presents(const wlab_session *s)
{
    return s->replay && s->replay->presents;
}

/* ---- stops ---- */

static wlab_code save_place(const wlab_session *s, wlab_place *p, wlab_err *err)
{
    const wlab_replay *r = s->replay;
    const wlab_run *run = wlab_session_run(s);
    wlab_place here = {
        .line = r->at, .pos = r->pos, .njournal = s->log.njournal, .others = s->log.others, .seed = s->seed};

    if (run) {
        here.run = wlab_run_number(run);
        here.changes = wlab_run_changes(run, NULL);
        here.iter = wlab_run_iter(run);
        here.half = wlab_run_half(run);
    }
    *p = here;
    return wlab_params_copy(&p->settings, s->settings, err);
}

wlab_code wlab_replay_pass_stop(wlab_session *s, wlab_err *err)
{
    wlab_replay *r = s->replay;
    wlab_place *grown = wlab_realloc(r->stop, (size_t)r->nstops + 1, sizeof *grown);

    if (!grown)
        return wlab_nomem(err);
    r->stop = grown;
    wlab_code code = save_place(s, &grown[r->nstops], err);
    r->nstops += code == WL_OK;
    return code;
}

void wlab_replay_forget_stops(wlab_replay *r)
{
    for (int i = 0; i < r->nstops; i++)
        wlab_params_destroy(r->stop[i].settings);
    r->stop = wlab_free(r->stop);
    r->nstops = 0;
}

/* Request the user's answer; at the first stop, `back` has no effect. */
static wlab_present request_answer(wlab_session *s, const char *line, double seconds)
{
    wlab_replay *r = s->replay;

    do {
        r->answer = s->terminal.present(s->terminal.self, line, seconds);
        if (wlab_interrupted(&s->ctx) || s->quits)
            r->answer = WL_PRESENT_TAKE_OVER;
    } while (r->answer == WL_PRESENT_BACK && r->nstops == 0);
    return r->answer;
}

wlab_code wlab_replay_stop(wlab_session *s, const char *line, double seconds, wlab_err *err)
{
    return request_answer(s, line, seconds) == WL_PRESENT_ON ? wlab_replay_pass_stop(s, err) : WL_OK;
}

/* Returns the next command of the script that is neither a caption nor a `wait` nor a change of panes; the caller
 * frees it.  NULL: none. */
static char *next_shown(const wlab_session *s)
{
    const wlab_replay *r = s->replay;
    size_t pos = r->pos;

    wlab_free(wlab_replay_cut(r->line[r->at], &pos));
    for (int i = r->at + (pos == 0); i < r->n; i++)
        do {
            const char *line = r->line[i] + pos + strspn(r->line[i] + pos, " \t");
            char *text = *line == '\0' || *line == '#' ? NULL : wlab_replay_cut(r->line[i], &pos);

            if (!text)
                pos = 0;
            else if (wlab_line_flags(s, text) & (WL_C_SAYS | WL_C_WAITS | WL_C_SCREEN))
                wlab_free(text);
            else {
                size_t blank = strspn(text, " \t");
                memmove(text, text + blank, strlen(text + blank) + 1);
                return text;
            }
        } while (pos > 0);
    return NULL;
}

wlab_code wlab_replay_wait(wlab_session *s, double seconds, wlab_err *err)
{
    wlab_replay *r = s->replay;
    bool own = s->now.depth == r->depth;
    if (r->silent_to)
        return own ? wlab_replay_pass_stop(s, err) : WL_OK;
    char *line = own ? next_shown(s) : NULL;
    wlab_present answer = request_answer(s, line, seconds);

    wlab_free(line);
    if (answer != WL_PRESENT_ON)
        return wlab_fail(err, WL_EINTERRUPTED, "left");
    return own ? wlab_replay_pass_stop(s, err) : WL_OK;
}

wlab_code wlab_replay_question(wlab_session *s, const char *what, char *answer, size_t size, bool *asked,
                               wlab_err *err)
{
    wlab_replay *r = s->replay;
    wlab_present got;

    answer[0] = '\0';
    *asked =
        s->sink.terminal && !s->sink.json && s->terminal.question && (!r || (r->presents && !r->silent_to));
    if (!*asked)
        return WL_OK;
    do {
        got = s->terminal.question(s->terminal.self, what, answer, size);
        if (wlab_interrupted(&s->ctx) || s->quits)
            got = WL_PRESENT_TAKE_OVER;
    } while (got == WL_PRESENT_BACK && (!r || r->nstops == 0));
    if (r)
        r->answer = got;
    if (got != WL_PRESENT_ON)
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    return WL_OK;
}

bool wlab_replay_turn(wlab_session *s)
{
    wlab_replay *r = s->replay;

    if (!r || !r->presents || r->silent_to || s->now.depth != r->depth)
        return false;
    for (int i = r->at + 1; i < r->n; i++) {
        if (strcmp(r->line[i], "resume") == 0)
            return false;
        if (strncmp(r->line[i], "turn ", 5) == 0)
            break;
    }
    return r->turn = true;
}

/* ---- silence ---- */

static void no_text(void *self, const char *text)
{
    (void)self;
    (void)text;
}

static void no_object(void *self, const json_t *object)
{
    (void)self;
    (void)object;
}

static void no_event(void *self, const wlab_event *event)
{
    (void)self;
    (void)event;
}

static void no_change(void *self)
{
    (void)self;
}

void wlab_replay_silence(wlab_session *s, wlab_sink *loud)
{
    *loud = s->sink;
    s->loud = loud;
    s->sink.text = s->sink.message = s->sink.caption = no_text;
    s->sink.object = no_object;
    s->sink.event = no_event;
    s->sink.executes = NULL;
    if (loud->changed) /* mirrors are kept even so */
        s->sink.changed = no_change;
}

void wlab_replay_end_silence(wlab_session *s)
{
    s->sink = *s->loud;
    s->loud = NULL;
    wlab_session_changed(s);
}

void wlab_replay_report_progress(const wlab_session *s, int64_t done, int64_t total)
{
    wlab_event event = {.kind = WL_EV_PROGRESS, .done = done, .total = total, .text = "commands"};

    if (s->loud->event)
        s->loud->event(s->loud->self, &event);
}

/* ---- going back by the run's own time travel ---- */

/* Does the run's own time travel suffice to go back to p?  It does if since that stop only steps were made, of the
 * run that was current there and is still current, without a change of its parameters, and if the run is not before
 * that place. */
static bool only_steps_since(const wlab_session *s, const wlab_place *p)
{
    const wlab_run *run = wlab_session_run(s);

    if (s->log.others != p->others)
        return false;
    if (!run)
        return p->run == 0;
    return wlab_run_number(run) == p->run && wlab_run_changes(run, NULL) == p->changes &&
           wlab_run_iter(run) >= p->iter;
}

/* Go back completely or, if interrupted, not at all. */
static wlab_code travel(wlab_session *s, const wlab_place *p, wlab_err *err)
{
    const wlab_run *run = wlab_session_run(s);
    wlab_sink loud;
    wlab_code code = WL_OK;

    if (!run || (wlab_run_iter(run) == p->iter && wlab_run_half(run) == p->half))
        return WL_OK;
    wlab_replay_silence(s, &loud);
    if (wlab_run_iter(run) > p->iter || wlab_run_half(run) > p->half)
        code = wlab_session_go(s, WL_JOB_GOTO, p->iter, NULL, err);
    if (!code && wlab_run_half(run) < p->half) { /* a part of one step: it must not be interrupted */
        s->ctx.interrupt = NULL;
        code = wlab_session_go(s, WL_JOB_STEPI, p->half - wlab_run_half(run), NULL, err);
        s->ctx.interrupt = &s->interrupt;
    }
    wlab_replay_end_silence(s);
    return code;
}

/* ---- going back by executing the journal ---- */

static bool only_shows(const wlab_session *s, const char *line)
{
    wlab_phrase w = {0};
    const wlab_command *command = NULL;
    size_t pos = 0;
    bool more, is = wlab_phrase_read(&w, line, &pos, &more, NULL) == WL_OK && w.name &&
                    wlab_command_find(s->commands, w.name, false, &command, NULL) == WL_OK &&
                    (command->flags & WL_C_SHOWS);

    wlab_phrase_clear(&w);
    return is;
}

/* Executes line[from..to-1] again.  Commands that only show something are not executed, but copied to the journal. */
static wlab_code execute_again(wlab_session *s, char *const *line, int from, int to, wlab_err *err)
{
    bool copying = false;
    wlab_code code = WL_OK;

    for (int i = from; !code && i < to; i++) {
        if (line[i][0] != '#')
            copying = only_shows(s, line[i]);
        if (copying || (line[i][0] == '#' && !wlab_is_mark(line[i]))) {
            code = wlab_list_add(&s->log.journal, &s->log.njournal, wlab_strdup(line[i]), err);
        } else if (!wlab_is_mark(line[i])) {
            wlab_replay_report_progress(s, i - from, to - from);
            wlab_replay_expect(s->replay, line, to, i);
            code = wlab_interrupted(&s->ctx) ? wlab_fail(err, WL_EINTERRUPTED, "interrupted")
                                             : wlab_session_line(s, line[i], WL_FROM_SCRIPT, NULL, 0, err);
        }
    }
    return code;
}

/* Empties the session and rebuilds it from the first `to` lines of the journal: those up to the last line that empties
 * the session are copied only, the others executed again.  Whether that succeeds or not, journal
 * and files describe the session afterwards. */
static wlab_code rebuild(wlab_session *s, int to, uint64_t seed, wlab_err *err)
{
    wlab_replay *outer = s->replay, inner = {.bytes = -1};
    char **old = s->log.journal, **first = NULL;
    int nold = s->log.njournal, base = to, kept = 0;
    wlab_sink loud;
    wlab_recorder *record = s->log.record, *autosave = s->log.autosave;
    char *repeat = s->typed.repeat;
    wlab_code code = WL_OK;

    while (base > 0 && !(wlab_line_flags(s, old[base - 1]) & WL_C_EMPTIES))
        base--;
    for (int i = 0; !code && i < base; i++)
        code = wlab_list_add(&first, &kept, wlab_strdup(old[i]), err);
    if (code) {
        wlab_list_free(first, kept);
        return code;
    }
    s->log.journal = first;
    s->log.njournal = kept;
    s->log.record = s->log.autosave = NULL;
    s->typed.repeat = NULL;
    s->seed = seed;
    s->replay = &inner;
    wlab_replay_silence(s, &loud);
    wlab_session_clear(s);
    code = execute_again(s, old, base, to, err);
    bool same = s->log.njournal == to;
    for (int i = base; same && i < to; i++)
        same = strcmp(s->log.journal[i], old[i]) == 0;
    if (!code && !same)
        code = wlab_fail(err, WL_EDIFFERS,
                         "going back did not reproduce the recorded session; please report this");
    if (code == WL_EINTERRUPTED)
        (void)wlab_fail(err, code, "interrupted on the way back: the session is at an earlier command");
    wlab_replay_end_silence(s);
    wlab_replay_expect(&inner, NULL, 0, 0); /* free its marks */
    s->replay = outer;
    wlab_free(s->typed.repeat);
    s->typed.repeat = repeat;
    s->log.record = record;
    s->log.autosave = autosave;
    wlab_record_rewrite(s, old, nold);
    wlab_list_free(old, nold);
    return code;
}

/* ---- going back ---- */

static wlab_code restore_settings(wlab_session *s, const wlab_params *were, wlab_err *err)
{
    wlab_code code = WL_OK;

    for (const wlab_param_info *p = wlab_settings; !code && p->name; p++) {
        const char *now = wlab_params_text(s->settings, p->name), *then = wlab_params_text(were, p->name);

        if (now && then && strcmp(now, then) != 0)
            code = wlab_session_set(s, p->name, then, err);
    }
    return code;
}

static void report_place(wlab_session *s)
{
    const wlab_run *run = wlab_session_run(s);

    if (run)
        wlab_session_say(s, "back at line %d: run %s at step %lld", s->replay->at + 1, wlab_run_name(run),
                         (long long)wlab_run_iter(run));
    else
        wlab_session_say(s, "back at line %d", s->replay->at + 1);
}

wlab_code wlab_replay_repeat_captions(wlab_session *s, wlab_err *err)
{
    const wlab_replay *r = s->replay;
    wlab_code code = WL_OK;

    for (int i = r->nstops > 0 ? r->stop[r->nstops - 1].njournal : r->began; !code && i < s->log.njournal;
         i++) {
        wlab_phrase w = {0};
        size_t pos = 0;
        bool more;

        if (!(wlab_line_flags(s, s->log.journal[i]) & WL_C_SAYS))
            continue;
        code = wlab_phrase_read(&w, s->log.journal[i], &pos, &more, err);
        if (!code)
            wlab_session_caption(s, w.rest, w.n == 1 ? w.word[0] : NULL);
        wlab_phrase_clear(&w);
    }
    return code;
}

/* Show the panes of the script's last such command before this line. */
wlab_code wlab_replay_restore_panes(wlab_session *s, int line, wlab_err *err)
{
    const wlab_replay *r = s->replay;
    int last = -1;

    for (int i = 0; i < r->n && i < line; i++)
        if (wlab_line_flags(s, r->line[i]) & WL_C_SCREEN)
            last = i;
    /* only the panes: a dashboard that was turned off remains off */
    if (last < 0 || !strstr(r->line[last], "show"))
        return WL_OK;
    return wlab_session_line(s, r->line[last], WL_FROM_SCRIPT, r->path, last + 1, err);
}

/* Whether the script changes the panes between two of its lines. */
static bool changes_panes(const wlab_session *s, int from, int to)
{
    const wlab_replay *r = s->replay;

    for (int i = from; i < r->n && i <= to; i++)
        if (wlab_line_flags(s, r->line[i]) & WL_C_SCREEN)
            return true;
    return false;
}

wlab_code wlab_replay_back(wlab_session *s, wlab_err *err)
{
    wlab_replay *r = s->replay;
    int from = r->at;
    wlab_place to = r->stop[r->nstops - 1];
    bool fast = only_steps_since(s, &to);
    wlab_code code = fast ? travel(s, &to, err) : rebuild(s, to.njournal, to.seed, err);

    if (fast && code)
        return code; /* nothing has changed */
    r->nstops--;
    r->at = to.line;
    r->pos = to.pos;
    r->waited = false;
    if (!code && fast)
        wlab_record_back(s, to.njournal);
    if (!code)
        code = restore_settings(s, to.settings, err);
    wlab_params_destroy(to.settings);
    s->log.others = code ? s->log.others : to.others;
    if (s->held.stops)
        s->held.stops->shown_run = 0; /* print the header again: the last one is far above */
    if (code)
        return code;
    report_place(s);
    if (changes_panes(s, to.line, from) && (code = wlab_replay_restore_panes(s, to.line, err)))
        return code;
    return wlab_replay_repeat_captions(s, err);
}
