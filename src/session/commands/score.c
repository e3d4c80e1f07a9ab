/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * score: scores by labels that the learner never observes, after every step.
 */
#include "session/commands/score.h"
#include "session/commands/commands.h"
#include <string.h>

typedef struct scoring {
    wlab_run *run;
    unsigned sets;
    const int32_t *test;
    int64_t n_test;
} scoring;

static wlab_code compute(void *self, wlab_ctx *ctx, wlab_err *err)
{
    const scoring *j = self;
    return wlab_run_score(j->run, j->sets, j->test, j->n_test, ctx, err);
}

/* The sets among `sets` that the problem has. */
static unsigned sets_of(const wlab_problem *p, unsigned sets, const int32_t *test, int64_t n_test)
{
    unsigned of = 0;
    for (unsigned set = 1; set <= WL_HIDDEN_BAGS; set <<= 1)
        if (sets & set && wlab_hidden_check(p, (wlab_hidden)set, test, n_test, NULL) == WL_OK)
            of |= set;
    return of;
}

wlab_code wlab_session_score_run(wlab_session *s, wlab_run *run, unsigned sets, wlab_err *err)
{
    const wlab_problem *p = wlab_run_problem(run);
    const wlab_slot *slot = wlab_session_slot_of(s, p->data);
    scoring job = {.run = run, .test = slot ? slot->test : NULL, .n_test = slot ? slot->ntest : 0};

    /* after a later split the held-out rows may be training rows of this run.  (Held-out bags count even if no label of a
     * single row is known.) */
    if (wlab_hidden_held_out(p, job.test, job.n_test, NULL))
        job.n_test = 0;
    job.sets = sets_of(p, sets, job.test, job.n_test);
    if (job.sets == 0 && wlab_run_scored(run) == 0)
        return WL_OK;
    return wlab_session_call(s, compute, &job, err);
}

void wlab_session_note_hidden(wlab_session *s, const char *condition)
{
    if (strstr(condition, "hidden_"))
        wlab_session_say(s, "note: hidden_ scores use labels that the learner never observes; a method that "
                            "stops by them is not a method for weak labels");
}

/* How many steps the run has made, and how many of them have all scores. */
static int64_t complete_rows(const wlab_run *run, int64_t *rows)
{
    const wlab_algo *algo = wlab_run_algo(run);
    const wlab_trace_row *row;
    int64_t complete = 0;

    *rows = wlab_run_trace(run, &row) - 1;
    for (int64_t i = 1; i <= *rows; i++) {
        bool whole = true;
        for (int m = 0; algo->metrics[m].name; m++)
            whole = whole &&
                    (!wlab_role_is_hidden(algo->metrics[m].role) || row[i].metric[m] == row[i].metric[m]);
        complete += whole;
    }
    return complete;
}

static void print_set(wlab_session *s, const wlab_problem *p, unsigned set, bool on)
{
    const char *name = wlab_hidden_names[set == WL_HIDDEN_UNLABELED ? 0 : set == WL_HIDDEN_TEST ? 1 : 2];
    if (!on)
        wlab_session_print(s, "score %s is off\n", name);
    else if (p) {
        const wlab_slot *slot = wlab_session_slot_of(s, p->data);
        const wlab_metric_info m =
            wlab_hidden_metric(p, (wlab_hidden)set, wlab_hidden_bags_given(p, slot ? slot->ntest : 0));
        wlab_session_print(s, "score %s is on: %s (metric %s) is the %s\n", name, m.label, m.name, m.meaning);
    } else
        wlab_session_print(s, "score %s is on, for the runs to come\n", name);
}

static void emit(wlab_session *s)
{
    json_t *sets = json_array();

    for (unsigned k = 0; k < WL_HIDDEN_SETS; k++)
        if (s->held.scored & 1U << k)
            json_array_append_new(sets, json_string(wlab_hidden_names[k]));
    wlab_session_object(s, json_pack("{s:s, s:o}", "type", "score", "sets", sets));
}

static wlab_code print_sets(wlab_session *s, wlab_err *err)
{
    const wlab_problem *p = wlab_session_problem(s);

    for (unsigned set = 1; set <= WL_HIDDEN_BAGS; set <<= 1)
        print_set(s, p, set, s->held.scored & set);
    emit(s);
    return wlab_session_record_as(s, err, NULL);
}

/* Change the sets of all runs, or, if one fails or is interrupted, of none. */
static wlab_code change_sets(wlab_session *s, unsigned sets, wlab_err *err)
{
    wlab_code code = WL_OK;
    int done = 0;

    for (; done < s->held.nruns && !code; done++)
        code = wlab_session_score_run(s, s->held.run[done], sets, err);
    if (!code) {
        s->held.scored = sets;
        return WL_OK;
    }
    for (int i = 0; i < done; i++)
        (void)wlab_session_score_run(s, s->held.run[i], s->held.scored, NULL);
    if (code == WL_EINTERRUPTED && err) {
        const wlab_err why = *err;
        return wlab_fail(err, code, "%s, run %s: what is scored has not changed", why.message,
                         wlab_run_name(s->held.run[done - 1]));
    }
    return code;
}

static wlab_code parse_sets(const wlab_args *args, unsigned *sets, bool *on, wlab_err *err)
{
    const char *last = args->nwords ? args->word[args->nwords - 1] : "";
    const bool off = !strcmp(last, "off"), said = off || !strcmp(last, "on");

    *on = !off;
    *sets = 0;
    for (int i = 0; i < args->nwords - said; i++) {
        int k = 0;
        while (wlab_hidden_names[k] && strcmp(wlab_hidden_names[k], args->word[i]))
            k++;
        if (!wlab_hidden_names[k])
            return wlab_fail(err, WL_EARG,
                             "score takes unlabeled, test or bags, and on or off: `score unlabeled on`");
        *sets |= 1U << k;
    }
    if (off && *sets == 0)
        *sets = (1U << WL_HIDDEN_SETS) - 1;
    return *sets ? WL_OK : wlab_fail(err, WL_EARG, "score what? `score unlabeled on`, or test, or bags");
}

static wlab_code score(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    const wlab_problem *p = wlab_session_problem(s);
    const wlab_slot *slot = wlab_session_slot(s);
    unsigned sets;
    bool on;
    wlab_code code;

    if (args->nsettings > 0)
        return wlab_fail(err, WL_EARG, "score takes no settings: `score unlabeled on`");
    if (args->nwords == 0)
        return print_sets(s, err);
    if ((code = parse_sets(args, &sets, &on, err)))
        return code;
    for (unsigned set = 1; set <= WL_HIDDEN_BAGS && on && p; set <<= 1)
        if (sets & set && (code = wlab_hidden_check(p, (wlab_hidden)set, slot->test, slot->ntest, err)))
            return code;
    if ((code = change_sets(s, on ? s->held.scored | sets : s->held.scored & ~sets, err)))
        return code;
    for (unsigned set = 1; set <= WL_HIDDEN_BAGS; set <<= 1)
        if (sets & set)
            print_set(s, p, set, on);
    for (int i = 0; i < s->held.nruns && on; i++) {
        int64_t rows, complete = complete_rows(s->held.run[i], &rows);
        if (complete < rows)
            wlab_session_say(
                s,
                "run %s: %lld of %lld steps have a score; `goto 0` and stepping again%s computes "
                "those of the others",
                wlab_run_name(s->held.run[i]), (long long)complete, (long long)rows,
                wlab_run_changes(s->held.run[i], NULL) ? ", with the same `set` where it was made," : "");
    }
    emit(s);
    return WL_OK;
}

static void offer(wlab_offers *o, const wlab_session *s)
{
    static const char *const set[] = {"unlabeled", "test", "bags", "off", NULL};
    static const char *const what[] = {"the training rows whose labels are hidden",
                                       "the rows that `split` held out",
                                       "the bags held out, else the training bags", "all scores off", NULL};
    static const char *const word[] = {"on", "off", NULL};
    static const char *const meaning[] = {"compute it after every step", "no longer", NULL};

    (void)s;
    if (o->typed->nwords == 0)
        wlab_offers_list(o, set, what);
    else if (o->typed->nwords == 1)
        wlab_offers_list(o, word, meaning);
}

const wlab_command wlab_cmd_score = {
    .name = "score",
    .usage = "score [unlabeled|test|bags [on|off]] | score off",
    .summary = "score every step by labels that the learner never observes",
    .help =
        "Computes, after every step of every run, how well the run's model predicts labels that the learner "
        "never observes. The score is a metric of the run: it has a column marked with * in the line of a "
        "step, a place in the dashboard and in `compare`, and `plot score` draws its curve. Its name begins "
        "with hidden_, because it is for the person who watches: a method that stopped by it would use "
        "labels that it does not have. It has no effect on the steps.\n"
        "  unlabeled   hidden_unlabeled: the training rows whose labels are hidden\n"
        "  test        hidden_test: the rows that `split` held out\n"
        "  bags        hidden_bags: tasks mil and llp: the bags held out; if none\n"
        "              are, the training bags, whose labels the learner has\n"
        "The score is the accuracy; for clusters it is the adjusted Rand index, and for bags of llp the mean "
        "error of the predicted proportions (smaller is better).\n"
        "\n"
        "Steps that were made before are scored too if the run has kept a snapshot of them. `score` alone "
        "shows which scores are on, and `score off` ends them. A score makes each step longer by one "
        "prediction of its rows. `eval` computes more scores, of the present model only.\n"
        "  task ssl labeled=4; score unlabeled on; algo wellsvm; step 3",
    .execute = score,
    .offer = offer,
};
