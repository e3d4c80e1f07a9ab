/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The page that `help` alone prints, and the topics of help: lists made from the tables, and texts on the language.
 */
#include "session/commands/commands.h"
#include "session/help/help.h"
#include <stdio.h>
#include <string.h>

/* Commands grouped by purpose, in the order in which a user needs them.  Those in no group are listed under "more". */
static const struct group {
    const char *title;
    const char *command[16];
} groups[] = {
    {"data", {"load", "generate", "scale", "split"}},
    {"task", {"task"}},
    {"algorithm", {"algo", "tune", "set", "get"}},
    {"stepping", {"step", "stepi", "continue", "finish", "back", "goto", "break", "watch", "delete"}},
    {"looking", {"info", "explain", "display", "undisplay", "eval", "score"}},
    {"comparing", {"runs", "fork", "switch", "compare"}},
    {"figures", {"plot", "dashboard", "export"}},
    {"experiments", {"sweep", "table", "curve", "cell", "merge"}},
    {"sessions", {"record", "replay", "source", "new", "history", "quit"}},
    {"teaching",
     {"lesson", "resume", "say", "wait", "ask", "choose", "turn", "expect", "grade", "report", "help"}},
};

enum {
    GROUPS = sizeof groups / sizeof *groups
};

static const wlab_command *command_named(const wlab_session *s, const char *name)
{
    for (int i = 0; i < s->ncommands; i++)
        if (strcmp(s->commands[i]->name, name) == 0)
            return s->commands[i];
    return NULL;
}

static bool grouped(const char *name)
{
    for (int g = 0; g < GROUPS; g++)
        for (int i = 0; groups[g].command[i]; i++)
            if (strcmp(groups[g].command[i], name) == 0)
                return true;
    return false;
}

/* The k-th registered command of group g; g = GROUPS: the k-th command in no group.  NULL: no more. */
static const wlab_command *member(const wlab_session *s, int g, int k)
{
    const wlab_command *c = NULL;

    if (g == GROUPS) {
        for (int i = 0; i < s->ncommands; i++)
            if (!grouped(s->commands[i]->name) && k-- == 0)
                return s->commands[i];
        return NULL;
    }
    for (int i = 0; groups[g].command[i]; i++)
        if ((c = command_named(s, groups[g].command[i])) && k-- == 0)
            return c;
    return NULL;
}

/* Adds the names of one group, "a b c". */
static void add_names(wlab_buf *names, const wlab_session *s, int g)
{
    const wlab_command *c;

    for (int k = 0; (c = member(s, g, k)); k++)
        (void)wlab_buf_printf(names, "%s%s", k ? " " : "", c->name);
}

void wlab_help_page(wlab_buf *out, const wlab_session *s)
{
    wlab_buf names = {0};

    (void)wlab_buf_printf(out,
                          "weaklab learns from few or vague labels and shows how, step by step. To begin:\n"
                          "  generate two-moons n=200   data: two half circles (`load FILE`: your own)\n"
                          "  task ssl labeled=4         what the learner observes: 4 of the labels\n"
                          "  algo wellsvm               start an algorithm; it makes no step yet\n"
                          "  step                       make one step; an empty line makes the next\n"
                          "  explain                    what the step did, and what the next will do\n"
                          "  plot boundary              a picture; `back` undoes the step\n"
                          "Commands (`help commands`: one line on each; `help step`: all on one):\n");
    for (int g = 0; g <= GROUPS; g++) {
        add_names(&names, s, g);
        if (names.data)
            wlab_help_item(out, 11, g < GROUPS ? groups[g].title : "more", (const char *)names.data);
        wlab_buf_clear(&names);
    }
    (void)wlab_buf_printf(&names, "Also `help` with");
    for (const wlab_topic *t = wlab_topics; t->name; t++)
        (void)wlab_buf_printf(&names, " %s,", t->name);
    (void)wlab_buf_printf(
        &names, " or a name in these lists; `explain TERM` for terms of the field; `lesson` for lessons. Tab "
                "completes; Tab twice lists the possible words and their meanings.");
    if (names.data)
        wlab_help_wrap(out, (const char *)names.data, 0, 0);
    wlab_buf_clear(&names);
}

/* ---- topics ---- */

static void write_group(wlab_buf *out, const wlab_session *s, int g)
{
    const wlab_command *c;

    for (int k = 0; (c = member(s, g, k)); k++) {
        char name[64];
        if (k == 0)
            (void)wlab_buf_printf(out, "%s:\n", g < GROUPS ? groups[g].title : "more");
        snprintf(name, sizeof name, "%s%s%s", c->name, c->alias ? ", " : "", c->alias ? c->alias : "");
        wlab_help_item(out, 12, name, c->summary);
    }
}

static void write_commands(wlab_buf *out, const wlab_session *s)
{
    for (int g = 0; g <= GROUPS; g++)
        write_group(out, s, g);
}

void wlab_help_group(wlab_buf *out, const wlab_session *s, const char *title)
{
    for (const wlab_topic *t = wlab_topics; t->name; t++)
        if (strcmp(t->name, title) == 0)
            return;
    for (int g = 0; g < GROUPS && !command_named(s, title); g++)
        if (strcmp(groups[g].title, title) == 0)
            write_group(out, s, g);
}

static void write_algorithms(wlab_buf *out, const wlab_session *s)
{
    (void)s;
    for (int idea = 1; idea < WL_IDEAS; idea++) {
        bool first = true;
        for (int i = 0; wlab_algos[i]; i++) {
            wlab_buf text = {0};
            if ((int)wlab_algos[i]->idea != idea)
                continue;
            if (first)
                (void)wlab_buf_printf(out, "%s:\n", wlab_idea_names[idea]);
            first = false;
            (void)wlab_buf_printf(&text, "%s (", wlab_algos[i]->summary);
            for (int t = 0, n = 0; wlab_tasks[t]; t++)
                if (wlab_algo_suits(wlab_algos[i], wlab_tasks[t], 2))
                    (void)wlab_buf_printf(&text, "%s%s", n++ ? ", " : "", wlab_tasks[t]->name);
            (void)wlab_buf_printf(&text, ")");
            if (text.data)
                wlab_help_item(out, 12, wlab_algos[i]->name, (const char *)text.data);
            wlab_buf_clear(&text);
        }
    }
}

static void write_tasks(wlab_buf *out, const wlab_session *s)
{
    (void)s;
    for (int i = 0; wlab_tasks[i]; i++)
        wlab_help_item(out, 12, wlab_tasks[i]->name, wlab_tasks[i]->summary);
}

static void write_generators(wlab_buf *out, const wlab_session *s)
{
    (void)s;
    for (int i = 0; wlab_generators[i]; i++)
        wlab_help_item(out, 12, wlab_generators[i]->name, wlab_generators[i]->summary);
}

static void write_formats(wlab_buf *out, const wlab_session *s)
{
    wlab_format_info f;

    (void)s;
    for (int k = 0; wlab_format_at(k, &f); k++) {
        wlab_buf text = {0};
        (void)wlab_buf_printf(&text, "%s (%s)", f.summary, f.extensions);
        if (text.data)
            wlab_help_item(out, 12, f.name, (const char *)text.data);
        wlab_buf_clear(&text);
    }
}

static bool is_view(const wlab_session *s, const char *name)
{
    for (const wlab_view_info *v = wlab_session_views(s); v && v->name; v++)
        if (!v->pane && strcmp(v->name, name) == 0)
            return true;
    return false;
}

static void write_views(wlab_buf *out, const wlab_session *s)
{
    for (const wlab_view_info *v = wlab_session_views(s); v && v->name; v++)
        if (!v->pane)
            wlab_help_item(out, 12, v->name, v->summary);
}

static void write_metrics(wlab_buf *out, const wlab_session *s)
{
    (void)s;
    for (int i = 0; wlab_algos[i]; i++) {
        (void)wlab_buf_printf(out, "%s:\n", wlab_algos[i]->name);
        for (const wlab_metric_info *m = wlab_algos[i]->metrics; m->name; m++)
            wlab_help_metric(out, m);
    }
}

static void write_settings(wlab_buf *out, const wlab_session *s)
{
    (void)s;
    wlab_help_params(out, wlab_settings);
}

static void write_language(wlab_buf *out, const wlab_session *s)
{
    (void)s;
    wlab_help_wrap(
        out,
        "A line is a command, words and key=value settings.\n"
        "  # ...          a comment\n"
        "  ;              separates two commands\n"
        "  \"...\" '...'    quotes; inside \"...\" write \\\" for \" and \\\\ for \\\n"
        "  ~/...          in a path: the home folder, at the prompt\n"
        "At the prompt a unique beginning of a command's name is enough; short names (s for step) have "
        "precedence. Scripts need full names. An empty line repeats the last step, stepi, finish, back or "
        "continue, whatever was typed since. Lines typed during a run are executed when the run stops, "
        "except help, history and dashboard, which are executed at once. Ctrl-C stops the run and drops the "
        "lines.",
        0, 0);
}

static void write_conditions(wlab_buf *out, const wlab_session *s)
{
    (void)s;
    wlab_help_wrap(
        out,
        "`continue until`, `break` and `display` take expressions of the run's metrics, iter (steps made) "
        "and "
        "inner (inner units made):\n"
        "  relgap < 1e-3 and iter > 5       < <= > >= == !=; and, or\n"
        "  abs(upper - lower) <= 0.1        + - * / abs() and brackets\n"
        "  objective increases              or decreases, changes: in this step\n"
        "  flips > 20 or not gap decreases  not binds tightest, then and, then or\n"
        "A metric without a value is shown as -, and every comparison with it is false; the program says so "
        "once for each condition. `help metrics` lists the metrics. For `display` the expression need not be "
        "a condition: "
        "`display (upper - lower) / abs(upper)`.",
        0, 0);
}

static void write_files(wlab_buf *out, const wlab_session *s)
{
    (void)s;
    wlab_help_wrap(
        out,
        "A session file (.wlab) is a script: the commands that were executed, one per line, in full names, "
        "with comments that the recorder adds:\n"
        "  #@ weaklab ...       at the beginning: versions, build, threads and seed\n"
        "  #@ data ...          after a command that makes data: their size and SHA-256\n"
        "  #@ run=a iter=7 ...  after a stepping command: verdict, objective and gap with all digits, flips, "
        "hashes of labels and metrics\n"
        "  # failed: ...        a command that failed, and why\n"
        "`record FILE` writes one, from the session's beginning. A log of each session at the prompt is "
        "kept in any case. "
        "`replay FILE` executes it; with --check it compares every digest. Commands that change nothing "
        "(help, info, explain, get, runs, history, table, cell) are not recorded. A script writes only below "
        "the folder of --out, at relative paths, and starts no other program.",
        0, 0);
}

static void write_experiments(wlab_buf *out, const wlab_session *s)
{
    (void)s;
    wlab_help_wrap(
        out,
        "An experiment compares methods on data sets over many splits. Its file, for example moons.wexp, "
        "contains commands as typed at the prompt, and some lines that only experiments have:\n"
        "  generate two-moons n=200 as moons  # data, also by load; any number of sets\n"
        "  split test=0.25                    # holds out a quarter, drawn anew each time\n"
        "  task ssl labeled={6,20}            # values in braces: one table for each\n"
        "  repeat 10                          # 10 times, each with another seed\n"
        "  tune folds=5                       # selects among the values in braces below\n"
        "  method SVM algo svm kernel=rbf sigma={1x,0.5x}\n"
        "  method WellSVM algo wellsvm kernel=rbf sigma={1x,0.5x} C2={0.1,1}\n"
        "  table against=SVM                  # what is reported\n"
        "`sweep moons.wexp` computes the results that are missing; Ctrl-C stops it, and the same line "
        "continues "
        "it. `table` and `curve accuracy vs labeled` show the results; `cell 2 to cell2.wlab` writes the "
        "session of one result, the second, for `replay`. docs/experiments.md is an introduction; "
        "weaklab-experiment(5) describes everything.",
        0, 0);
}

static void write_ranks(wlab_buf *out, const wlab_session *s)
{
    wlab_buf names = {0};

    (void)s;
    for (int i = 0; wlab_algos[i]; i++)
        if (wlab_algos[i]->ranks)
            (void)wlab_buf_printf(&names, "%s%s", names.len ? ", " : "", wlab_algos[i]->name);
    char *text =
        names.data
            ? wlab_format(
                  "For data that are larger than the memory of one machine (on one, threads are faster, "
                  "-j). In `mpirun -n 4 weaklab SCRIPT` the first process (rank 0) executes the script, "
                  "and the others help it; `weaklab --ranks 4` starts them itself and keeps the terminal. "
                  "After `load FILE ranks=all`, or `generate topics ranks=all`, each has a share of "
                  "the rows, and rank 0 has all labels. These algorithms learn from such data: %s. "
                  "Every number is the same, to the last bit, on any number of ranks, also on one, so a "
                  "recording made on many ranks can be checked on one.\n"
                  "\n"
                  "Whatever reads the values of rows itself says so and does nothing: split, scale, "
                  "tune, score, `eval` of these rows, `export predictions`, and pictures such as "
                  "boundary. `eval NAME` scores the model on another data set, loaded without "
                  "ranks=all. `info ranks` shows the rows, memory and waiting of each rank. If a rank "
                  "is killed, and at Ctrl-C, mpirun ends the job. With --ranks, Ctrl-C stops the run, "
                  "and the session survives a rank, but not the rows that were spread. In `mpirun -n 4 "
                  "weaklab sweep FILE` the ranks compute the cells of an experiment: `help sweep`.",
                  (const char *)names.data)
            : NULL;
    if (text)
        wlab_help_wrap(out, text, 0, 0);
    wlab_free(text);
    wlab_buf_clear(&names);
}

const wlab_topic wlab_topics[] = {
    {"commands", "one line on each, by purpose", write_commands},
    {"algorithms", "what `algo` starts", write_algorithms},
    {"tasks", "what the learner observes", write_tasks},
    {"generators", "what `generate` makes", write_generators},
    {"formats", "files that `load` reads", write_formats},
    {"views", "pictures that `plot` draws", write_views},
    {"metrics", "what is measured after each step, with equations", write_metrics},
    {"settings", "of the session, for `set` and `get`", write_settings},
    {"conditions", "for `continue until`, `break` and `display`", write_conditions},
    {"language", "how lines are written", write_language},
    {"experiments", "comparing methods over splits: the file, sweeps, tables", write_experiments},
    {"ranks", "data larger than the memory of one machine: mpirun, ranks=all", write_ranks},
    {"session-files", "what a recorded session contains", write_files},
    {NULL, NULL, NULL},
};

/* ---- completion ---- */

static void offer_params(wlab_offers *o, const wlab_param_info *p)
{
    for (; p && p->name; p++)
        wlab_offers_add(o, p->name, "setting", p->meaning, 0);
}

void wlab_offers_words(wlab_offers *o, const wlab_session *s)
{
    for (int i = 0; wlab_algos[i]; i++)
        for (const wlab_metric_info *m = wlab_algos[i]->metrics; m->name; m++)
            wlab_offers_add(o, m->name, "metric", m->meaning, 0);
    for (int i = 0; wlab_algos[i]; i++)
        offer_params(o, wlab_algos[i]->params);
    for (int i = 0; wlab_tasks[i]; i++)
        offer_params(o, wlab_tasks[i]->params);
    for (int i = 0; wlab_generators[i]; i++)
        offer_params(o, wlab_generators[i]->params);
    for (int i = 0; i < s->ncommands; i++)
        offer_params(o, s->commands[i]->params);
    offer_params(o, wlab_settings);
}

void wlab_offers_topics(wlab_offers *o, const wlab_session *s)
{
    wlab_format_info f;

    for (const wlab_topic *t = wlab_topics; t->name; t++)
        wlab_offers_add(o, t->name, "list", t->summary, 0);
    for (int i = 0; i < s->ncommands; i++)
        wlab_offers_add(o, s->commands[i]->name, "command", s->commands[i]->summary, 0);
    for (int i = 0; wlab_algos[i]; i++)
        wlab_offers_add(o, wlab_algos[i]->name, "algorithm", wlab_algos[i]->summary, 0);
    for (int i = 0; wlab_tasks[i]; i++)
        wlab_offers_add(o, wlab_tasks[i]->name, "task", wlab_tasks[i]->summary, 0);
    for (int i = 0; wlab_generators[i]; i++)
        wlab_offers_add(o, wlab_generators[i]->name, "generator", wlab_generators[i]->summary, 0);
    for (const wlab_view_info *v = wlab_session_views(s); v && v->name; v++)
        if (!v->pane || !is_view(s, v->name))
            wlab_offers_add(o, v->name, v->pane ? "pane" : "view", v->summary, 0);
    for (int k = 0; wlab_format_at(k, &f); k++)
        wlab_offers_add(o, f.name, "format", f.summary, 0);
    if (o->prefix[0])
        wlab_offers_words(o, s);
}
