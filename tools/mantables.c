/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Prints a man page: a file of man/ whose marker lines, such as `.\" @commands@`, are replaced by tables made from the
 * registries.  Runs only when the program is built, and is not installed.
 */
#include "plot/plot.h"
#include "session/command.h"
#include "study/commands/commands.h"
#include "study/table/table.h"
#include "sweep/sweep.h"
#include "tui/dashboard/dashboard.h"
#include "tui/panes/pane.h"
#include "tui/prompt/keys.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *what)
{
    fprintf(stderr, "mantables: %s\n", what);
    exit(1);
}

/* Print the text so that roff shows it literally; UTF-8 becomes \[uXXXX]. */
static void print_literally(const char *text)
{
    bool quoted = false;

    for (const unsigned char *s = (const unsigned char *)text; *s; s++) {
        switch (*s) {
        case '\\':
            fputs("\\e", stdout);
            break;
        case '-':
            fputs("\\-", stdout);
            break;
        case '\'':
            fputs("\\(aq", stdout);
            break;
        case '"':
            fputs("\\(dq", stdout);
            break;
        case '`': /* a command between back quotes is set in bold */
            quoted = !quoted && strchr((const char *)s + 1, '`');
            fputs(quoted ? "\\fB" : "\\fR", stdout);
            break;
        case '^':
            fputs("\\(ha", stdout);
            break;
        case '~':
            fputs("\\(ti", stdout);
            break;
        case '\n':
            putchar(' ');
            break;
        default:
            if (*s < 0x80) {
                putchar(*s);
            } else {
                int more = *s >= 0xf0 ? 3 : *s >= 0xe0 ? 2 : 1;
                unsigned code = *s & (0x3fu >> more);
                while (more-- > 0 && (s[1] & 0xc0) == 0x80)
                    code = code << 6 | (*++s & 0x3fu);
                printf("\\[u%04X]", code);
            }
        }
    }
}

/* Print a line of running text; \& keeps a dot or quote at its beginning from being a request. */
static void print_line(const char *text)
{
    fputs("\\&", stdout);
    print_literally(text);
    putchar('\n');
}

/* Paragraphs, separated by empty lines; indented lines are shown unchanged. */
static void print_paragraphs(const char *text)
{
    bool literal = false, first = true;

    while (*text) {
        size_t len = strcspn(text, "\n");
        char *copy = strndup(text, len);
        if (!copy)
            fail("out of memory");
        if (len == 0) {
            if (literal)
                puts(".EE");
            literal = false;
            if (!first)
                puts(".IP");
        } else {
            bool indented = copy[0] == ' ' && copy[1] == ' ';
            if (indented != literal)
                puts(indented ? ".EX" : ".EE");
            literal = indented;
            print_line(copy);
        }
        first = false;
        free(copy);
        text += len;
        if (*text == '\n')
            text++;
        if (!*text)
            break;
    }
    if (literal)
        puts(".EE");
}

static void print_number(double value)
{
    char text[32];
    print_literally(wlab_real_text(value, text));
}

/* "> 0", "at least 1", "2 to 100", "(0, 1]" */
static void print_range(const wlab_param_info *p)
{
    const bool open = p->flags & (WL_P_OPEN_LO | WL_P_OPEN_HI);

    if (p->hi >= 1e8) { /* a huge bound is not shown */
        fputs(p->flags & WL_P_OPEN_LO ? "> " : "at least ", stdout);
        print_number(p->lo);
        return;
    }
    if (open)
        putchar(p->flags & WL_P_OPEN_LO ? '(' : '[');
    print_number(p->lo);
    fputs(open ? ", " : " to ", stdout);
    print_number(p->hi);
    if (open)
        putchar(p->flags & WL_P_OPEN_HI ? ')' : ']');
}

static void parameter(const wlab_param_info *p)
{
    static const char *const kinds[] = {"NUMBER", "COUNT", "yes|no", "", "TEXT", "FILE", "NUMBER[x]"};

    puts(".TP");
    fputs(".BI \"", stdout);
    print_literally(p->name);
    fputs("=\" \"", stdout);
    if (p->type == WL_P_CHOICE) {
        for (int i = 0; p->choices[i]; i++) {
            if (i)
                putchar('|');
            print_literally(p->choices[i]);
        }
    } else {
        print_literally(kinds[p->type]);
    }
    puts("\"");
    print_line(p->meaning);
    if (p->fallback || p->lo != 0 || p->hi != 0 || p->unit || p->flags & WL_P_MUTABLE) {
        const char *sep = "\\&(";
        if (p->fallback && *p->fallback) {
            printf("%sdefault ", sep);
            print_literally(p->fallback);
            sep = "; ";
        }
        if (p->lo != 0 || p->hi != 0) {
            fputs(sep, stdout);
            print_range(p);
            sep = "; ";
        }
        if (p->unit) {
            fputs(p->lo != 0 || p->hi != 0 ? " " : sep[0] == ';' ? "; in " : "\\&(in ", stdout);
            print_literally(p->unit);
            sep = "; ";
        }
        if (p->flags & WL_P_MUTABLE) {
            printf("%s", sep);
            print_literally("may be set between steps");
            sep = "; ";
        }
        if (sep[0] == ';')
            puts(")");
    }
}

static void parameters(const wlab_param_info *table)
{
    for (const wlab_param_info *p = table; p && p->name; p++)
        parameter(p);
}

/* Parameters, indented below the entry to which they belong. */
static void nested(const wlab_param_info *table)
{
    if (!table || !table->name)
        return;
    puts(".RS");
    parameters(table);
    puts(".RE");
}

static void commands(const wlab_session *session)
{
    const wlab_command *const *all = wlab_session_commands(session);

    for (int i = 0; all[i]; i++) {
        const wlab_command *c = all[i];
        puts(".TP");
        fputs(".B \"", stdout);
        print_literally(c->usage);
        puts("\"");
        fputs("\\&", stdout);
        print_literally(c->summary);
        puts(".");
        if (c->alias) {
            fputs("(At the prompt also ", stdout);
            fputs("\\fB", stdout);
            print_literally(c->alias);
            puts("\\fR.)");
        }
        if (c->help && *c->help) {
            puts(".IP");
            print_paragraphs(c->help);
        }
        nested(c->params);
    }
}

static void command_index(const wlab_session *session)
{
    const wlab_command *const *all = wlab_session_commands(session);

    puts(".PD 0");
    for (int i = 0; all[i]; i++) {
        fputs(".TP 16\n.B \"", stdout);
        print_literally(all[i]->name);
        if (all[i]->alias) {
            fputs(", ", stdout);
            print_literally(all[i]->alias);
        }
        puts("\"");
        print_line(all[i]->summary);
    }
    puts(".PD");
}

static void print_entry(const char *name, const char *summary, const char *source)
{
    puts(".TP");
    fputs(".B \"", stdout);
    print_literally(name);
    puts("\"");
    fputs("\\&", stdout);
    print_literally(summary);
    puts(".");
    if (source && *source) {
        fputs("\\&(", stdout);
        print_literally(source);
        puts(".)");
    }
}

static void algorithms(void)
{
    for (int i = 0; wlab_algos[i]; i++) {
        const wlab_algo *a = wlab_algos[i];
        fputs(".SS \"", stdout);
        print_literally(a->name);
        puts("\"");
        fputs("\\&", stdout);
        print_literally(a->summary);
        puts(".");
        if (a->alias) {
            fputs("Alias: \\fB", stdout);
            print_literally(a->alias);
            puts("\\fR.");
        }
        fputs("\\&Source: ", stdout);
        print_literally(a->source);
        puts(".\n.PP");
        fputs("Tasks:", stdout);
        for (int t = 0; wlab_tasks[t]; t++)
            if (wlab_algo_suits(a, wlab_tasks[t], 2)) {
                putchar(' ');
                print_literally(wlab_tasks[t]->name);
            }
        fputs(".\n.br\nSolves: ", stdout);
        print_literally(a->problem);
        puts(".\n.br\nSymbols:\n.RS");
        for (const char *line = a->symbols; *line;) {
            char text[500];
            const size_t len = strcspn(line, "\n");
            snprintf(text, sizeof text, "%.*s", (int)len, line);
            print_line(text);
            puts(".br");
            line += len + (line[len] == '\n');
        }
        fputs(".RE\nA step: ", stdout);
        print_literally(a->step_unit);
        fputs(".\n.br\nAn inner unit: ", stdout);
        print_literally(a->inner_unit);
        if (a->phase_unit) {
            fputs(".\n.br\nA phase: ", stdout);
            print_literally(a->phase_unit);
        }
        fputs(".\n.br\nConverged: ", stdout);
        print_literally(a->converged);
        if (a->converged_also) {
            fputs("; ", stdout);
            print_literally(a->converged_also);
        }
        puts(".\n.PP\nParameters:");
        parameters(a->params);
        puts(".PP\nMetrics:");
        for (const wlab_metric_info *m = a->metrics; m->name; m++) {
            puts(".TP");
            fputs(".B \"", stdout);
            print_literally(m->name);
            puts("\"");
            print_line(m->meaning);
            if (m->equation && *m->equation) {
                puts(".br");
                print_line(m->equation);
            }
            if (m->flags & WL_M_VOLATILE)
                puts("(Volatile: in no digest.)");
        }
    }
}

/* One entry per key: "F5, C-x 5, s", its effect, and the command that it types. */
static void keys(void)
{
    puts(".PD 0");
    for (const wlab_key *k = wlab_keys; k->meaning; k++) {
        char twin[] = {k->twin, '\0'}, letter[] = {k->letter, '\0'};
        fputs(".TP 16\n.BR ", stdout);
        if (k->name) {
            print_literally(k->name);
            fputs(" \", \" ", stdout);
        }
        fputs("\"C\\-x ", stdout);
        print_literally(twin);
        putchar('"');
        if (k->letter) {
            fputs(" \", \" ", stdout);
            print_literally(letter);
        }
        puts("");
        print_line(k->meaning);
        if (k->types) {
            fputs("(types \\fB", stdout);
            print_literally(k->types);
            puts("\\fR)");
        }
    }
    puts(".PD");
}

static bool marker(const char *name, const wlab_session *session)
{
    wlab_format_info f;
    if (strcmp(name, "commands") == 0) {
        commands(session);
    } else if (strcmp(name, "command-index") == 0) {
        command_index(session);
    } else if (strcmp(name, "formats") == 0) {
        for (int k = 0; wlab_format_at(k, &f); k++) {
            print_entry(f.name, f.summary, NULL);
            fputs("\\&(", stdout);
            print_literally(f.extensions);
            puts(")");
        }
    } else if (strcmp(name, "load-params") == 0) {
        parameters(wlab_load_params);
    } else if (strcmp(name, "split-params") == 0) {
        parameters(wlab_split_params);
    } else if (strcmp(name, "tune-params") == 0) {
        parameters(wlab_tune_params);
    } else if (strcmp(name, "table-params") == 0) {
        parameters(wlab_table_params);
    } else if (strcmp(name, "curve-params") == 0) {
        parameters(wlab_curve_params);
    } else if (strcmp(name, "settings") == 0) {
        parameters(wlab_settings);
    } else if (strcmp(name, "generators") == 0) {
        for (int i = 0; wlab_generators[i]; i++) {
            print_entry(wlab_generators[i]->name, wlab_generators[i]->summary, wlab_generators[i]->source);
            nested(wlab_generators[i]->params);
        }
    } else if (strcmp(name, "tasks") == 0) {
        for (int i = 0; wlab_tasks[i]; i++) {
            print_entry(wlab_tasks[i]->name, wlab_tasks[i]->summary, wlab_tasks[i]->source);
            nested(wlab_tasks[i]->params);
        }
    } else if (strcmp(name, "algorithms") == 0) {
        algorithms();
    } else if (strcmp(name, "views") == 0) {
        for (const wlab_view_info *v = wlab_session_views(session); v && v->name; v++)
            print_entry(v->name, v->summary, NULL);
    } else if (strcmp(name, "keys") == 0) {
        keys();
    } else if (strcmp(name, "panes") == 0) {
        for (int i = 0; wlab_panes[i]; i++)
            print_entry(wlab_panes[i]->name, wlab_panes[i]->summary, NULL);
    } else {
        return false;
    }
    return true;
}

static void quiet(void *self, const char *text)
{
    (void)self;
    (void)text;
}

int main(int argc, char **argv)
{
    const wlab_sink sink = {.text = quiet, .message = quiet};
    const char *const none[] = {NULL};
    const wlab_places places = {.data_dirs = none, .script_dirs = none, .out_dir = "."};
    wlab_session *session = NULL;
    wlab_err err = {0};
    char text[1024], name[64];

    if (argc != 2)
        fail("usage: mantables FILE");
    FILE *in = fopen(argv[1], "r");
    if (!in)
        fail("cannot open the page");
    if (wlab_session_create(&session, &sink, &places, 1, 1, &err) || wlab_plot_register(session, &err) ||
        wlab_experiment_register(session, &err) || wlab_sweep_register(session, &err) ||
        wlab_dashboard_register(session, NULL, &err))
        fail(err.message);
    while (fgets(text, sizeof text, in)) {
        char *version = strstr(text, "@version@");
        if (sscanf(text, ".\\\" @%63[a-z-]@", name) == 1) {
            if (!marker(name, session))
                fail(name);
        } else if (version) {
            printf("%.*s%s%s", (int)(version - text), text, WLAB_VERSION, version + strlen("@version@"));
        } else {
            fputs(text, stdout);
        }
    }
    wlab_session_destroy(session);
    fclose(in);
    return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
