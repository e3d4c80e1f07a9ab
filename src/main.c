/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The program: options, environment, folders, signals, and what is written to which stream.
 */
#include "base/text.h"
#include "grade/grade.h"
#include "plot/plot.h"
#include "report/report.h"
#include "study/commands/commands.h"
#include "sweep/job.h"
#include "sweep/subcommand.h"
#include "sweep/sweep.h"
#include "tui/places.h"
#include "tui/prompt/prompt.h"
#include "tui/terminal.h"
#include "tui/wrap.h"
#include <cblas.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <gsl/gsl_version.h>
#include <limits.h>
#include <locale.h>
#include <pthread.h>
#include <readline/readline.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifndef WLAB_DATADIR
#define WLAB_DATADIR "/usr/local/share/weaklab"
#endif
#ifndef WLAB_LIBDIR
#define WLAB_LIBDIR "/usr/local/lib/weaklab"
#endif

/* A hash of the code, made when the program is linked: a replay compares it to find out whether the build is the same.
 * The place where the program is installed does not change it. */
extern const char wlab_build[];

enum {
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_DIFFERS = 3,
    EXIT_UNMET = 4
};

typedef struct action {
    bool line; /* -e; else a script */
    const char *text;
} action;

typedef struct program {
    bool batch, dashboard, no_init, quiet, json, no_color, version, help, check;
    bool terminal; /* standard input and output are a terminal */
    uint64_t seed;
    double tol, pace;
    const char *record, *out, *replay;
    action *action;
    int nactions;
    wlab_subcommand sub;
    wlab_buf line;              /* the line of commands that `sub` becomes */
    wlab_job job;               /* this process as one of several; its number of threads */
    wlab_folders data, scripts; /* --data first, then the folders of the environment */
    wlab_session *session;
    wlab_prompt *prompt;
    bool closed;    /* standard output cannot be written any more */
    bool unwritten; /* and the cause was not that its reader ended */
} program;

/* ---- signals ---- */

static wlab_session *the_session; /* for the handler */
static volatile sig_atomic_t pending, prompting;
static volatile sig_atomic_t first_signal_at; /* seconds, of the first pending signal */
static volatile sig_atomic_t
    hurry_requested; /* a sweep was requested to end at once; it still reports its progress */
static pthread_t main_thread;
static int signal_pipe[2] = {-1, -1};

static void on_signal(int sig)
{
    int kept = errno;
    unsigned char byte = (unsigned char)sig;
    if (!pthread_equal(pthread_self(),
                       main_thread)) { /* a thread that OpenBLAS started does not block signals */
        (void)pthread_kill(main_thread, sig);
        errno = kept;
        return;
    }
    if (sig == SIGINT || sig == SIGTERM || sig == SIGHUP) {
        struct timespec now = {0};
        clock_gettime(CLOCK_MONOTONIC, &now);
        /* A second signal ends the program at once, which is safe because the log on disk has whole commands (a
         * command with a progress panel gets one more chance to end).  At a prompt SIGINT never ends it, and the
         * other signals only if the first came more than a second ago: when a terminal is closed, SIGHUP arrives
         * twice. */
        bool leave =
            !the_session || (pending && (!prompting || (sig != SIGINT && now.tv_sec - first_signal_at > 1)));
        if (leave && !hurry_requested && the_session && wlab_session_progress_panel(the_session)) {
            hurry_requested = 1;
            wlab_session_hurry(the_session);
        } else if (leave) {
            wlab_terminal_restore();
            _exit(128 + sig);
        }
        if (sig == SIGINT)
            wlab_session_interrupt(the_session); /* keeps a request to hurry */
        else
            wlab_session_hurry(the_session); /* to end the program: do not wait for running cells */
        if (sig != SIGINT || !prompting) {
            first_signal_at = pending ? first_signal_at : (sig_atomic_t)now.tv_sec;
            pending = sig;
        }
    }
    if (signal_pipe[1] >= 0)
        (void)!write(signal_pipe[1], &byte, 1);
    errno = kept;
}

static void catch_signals(bool terminal)
{
    struct sigaction act = {.sa_handler = on_signal};
    struct sigaction old;
    static const int always[] = {SIGINT, SIGTERM, SIGHUP};
    static const int typed[] = {SIGWINCH, SIGTSTP, SIGCONT};

    main_thread = pthread_self();
    sigemptyset(&act.sa_mask);
    act.sa_flags = SA_RESTART;
    if (pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK) != 0)
        signal_pipe[0] = signal_pipe[1] = -1;
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        if (sigaction(always[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) /* keep nohup's SIG_IGN */
            (void)sigaction(always[i], &act, NULL);
    for (size_t i = 0; terminal && i < sizeof typed / sizeof *typed; i++)
        (void)sigaction(typed[i], &act, NULL);
    (void)signal(SIGXFSZ, SIG_IGN); /* then a write beyond the size limit fails, as on a full disk */
}

/* ---- the streams ---- */

static void check_stdout(program *p)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return;
    if (!p->closed && !p->unwritten && errno != EPIPE) {
        fprintf(stderr, "weaklab: cannot write to standard output: %s\n", strerror(errno));
        p->unwritten = true;
    }
    p->closed = true;
    if (p->session)
        wlab_session_interrupt(p->session);
}

/* Lines for a terminal are wrapped at blanks.  Control characters are replaced, also for a pipe, whose other end may
 * write to a terminal. */
static void put_wrapped(FILE *to, const char *text)
{
    bool terminal = isatty(fileno(to));
    char *inert = terminal ? wlab_printable(text) : wlab_text_inert(text);
    char *wrapped = inert && terminal ? wlab_wrap(inert, wlab_terminal_width(fileno(to))) : NULL;
    fputs(wrapped ? wrapped : inert && !terminal ? inert : "out of memory\n", to);
    wlab_free(wrapped);
    wlab_free(inert);
}

/* While the dashboard is on, all text is written to its log. */
static bool on_dashboard(program *p, wlab_style style, const char *text)
{
    wlab_dashboard *d = wlab_prompt_dashboard(p->prompt);
    if (d)
        wlab_dashboard_text(d, style, text);
    return wlab_dashboard_is_on(d);
}

static void put_text(void *self, const char *text)
{
    program *p = self;
    if (p->closed || on_dashboard(p, WL_S_TEXT, text))
        return;
    wlab_prompt_hide(p->prompt);
    put_wrapped(stdout, text);
    check_stdout(p);
    wlab_prompt_show(p->prompt);
}

/* The text of a `say` command. */
static void put_caption(void *self, const char *text)
{
    program *p = self;
    wlab_dashboard *d = wlab_prompt_dashboard(p->prompt);

    if (wlab_dashboard_is_on(d)) {
        wlab_dashboard_caption(d, text);
        return;
    }
    char *line = wlab_format("%s\n", text);
    if (line)
        put_text(self, line);
    wlab_free(line);
}

static void put_executes(void *self, const char *text, unsigned flags, bool begins)
{
    program *p = self;
    wlab_dashboard *d = wlab_prompt_dashboard(p->prompt);

    (void)text;
    if (d && flags & WL_C_READS)
        wlab_dashboard_informs(d, begins);
}

static void put_changed(void *self)
{
    program *p = self;
    wlab_dashboard *d = wlab_prompt_dashboard(p->prompt);
    if (d)
        wlab_dashboard_changed(d);
}

static void put_message(void *self, const char *text)
{
    program *p = self;
    size_t len = strlen(text);
    if (p->quiet || on_dashboard(p, strncmp(text, "warning:", 8) == 0 ? WL_S_WARNING : WL_S_NOTE, text))
        return;
    wlab_prompt_hide(p->prompt);
    put_wrapped(stderr, text);
    if (len == 0 || text[len - 1] != '\n')
        fputc('\n', stderr);
    wlab_prompt_show(p->prompt);
}

static void put_object(void *self, const json_t *object)
{
    program *p = self;
    if (p->closed)
        return;
    char *text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(17));
    if (!text)
        return;
    wlab_json_shorten(text);
    char *inert = wlab_json_inert(text);
    wlab_prompt_hide(p->prompt);
    fputs(inert ? inert : "", stdout);
    fputc('\n', stdout);
    check_stdout(p);
    wlab_prompt_show(p->prompt);
    wlab_free(inert);
    free(text);
}

static void put_event(void *self, const wlab_event *event)
{
    program *p = self;
    char text[sizeof event->text + 16];
    if (event->kind == WL_EV_WARNING) {
        snprintf(text, sizeof text, "warning: %s", event->text);
        if (p->json) {
            json_t *o = json_pack("{s:s, s:s}", "type", "message", "message", text);
            if (o)
                put_object(p, o);
            json_decref(o);
        } else {
            put_message(p, text);
        }
    } else if (event->kind == WL_EV_NOTE && p->terminal) {
        put_message(p, event->text);
    } else if (event->kind == WL_EV_PROGRESS) {
        wlab_prompt_progress(p->prompt, event);
    }
}

static void put_error(void *self, const wlab_err *err)
{
    program *p = self;
    char text[2048];
    if (p->closed && err->code == WL_EINTERRUPTED)
        return;
    if (err->code == WL_EINTERRUPTED && p->terminal) { /* a person requested it: not an error */
        put_message(p, err->message);
        return;
    }
    if (p->json) {
        json_t *o = wlab_error_object(err);
        if (o)
            put_object(p, o);
        json_decref(o);
    }
    if (on_dashboard(p, WL_S_ERROR, wlab_err_format(err, text, sizeof text)))
        return;
    wlab_prompt_hide(p->prompt);
    put_wrapped(stderr, wlab_err_format(err, text, sizeof text));
    fputc('\n', stderr);
    wlab_prompt_show(p->prompt);
}

/* ---- options ---- */

static const char usage[] =
    "usage: weaklab [options] [SCRIPT...]\n"
    "       weaklab demo\n"
    "       weaklab replay [--check] [--tol 1e-6] [--pace S] SESSION\n"
    "       weaklab report SCRIPT -o FILE [views=VIEW,...]\n"
    "       weaklab grade EXERCISE ANSWER... [-o FILE.csv] [--items]\n"
    "       weaklab sweep FILE [--out DIR] [--shard I/N] [--retry] [--anew]\n"
    "       weaklab table DIR [--format F] [--to FILE] [key=value...]\n"
    "       weaklab merge DIR... --out DIR\n"
    "       weaklab cell N|all --of DIR [--to FILE]\n"
    "       weaklab curve SCORE [vs KEY] --of DIR [--to FILE]\n"
    "\n"
    "An interactive workbench for learning with weak labels. Commands are read from\n"
    "standard input if there is neither a SCRIPT, nor -e, nor a terminal, and for\n"
    "the SCRIPT -.\n"
    "\n"
    "  -b, --batch         end after the scripts and commands, without a prompt\n"
    "  -e, --execute CMD   execute a line of commands (may be repeated)\n"
    "  -d, --dashboard     start with the full-screen view\n"
    "  -n, --no-init       do not read init.wlab\n"
    "  -q, --quiet         print results and errors only\n"
    "  -j, --threads N     threads that compute (results do not depend on N)\n"
    "      --ranks N       start N-1 more processes, which share data with this one\n"
    "                      (`help ranks`)\n"
    "      --seed N        the seed of commands without seed= (default 1)\n"
    "      --json          results and errors as JSON, one object per line\n"
    "      --record FILE   record the session\n"
    "      --out DIR       the folder that scripts may write to (default: the current\n"
    "                      one; commands that you type or give with -e write\n"
    "                      anywhere); the folder for the results of sweep and merge\n"
    "      --data DIR      a folder in which load finds files (may be repeated)\n"
    "      --no-color      no colours\n"
    "      --version, -h, --help\n"
    "\n"
    "Exit status: 0 success, 1 a command failed, 2 wrong usage, 3 a replay differed,\n4 the condition of "
    "`expect` does not hold,\n"
    "130, 143, 129 after SIGINT, SIGTERM, SIGHUP. `help` at the prompt lists the\n"
    "commands.\n";

static bool bad_usage(const char *fmt, ...) WLAB_PRINTF(1, 2);
static bool bad_usage(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *what = wlab_vformat(fmt, ap);
    va_end(ap);
    char *text = what ? wlab_format("weaklab: %s; `weaklab --help` lists the options\n", what) : NULL;
    put_wrapped(stderr, text ? text : "weaklab: out of memory\n");
    wlab_free(text);
    wlab_free(what);
    return false;
}

static bool add_action(program *p, bool line, const char *text)
{
    action *grown = wlab_realloc(p->action, (size_t)p->nactions + 1, sizeof *grown);
    if (!grown)
        return bad_usage("out of memory");
    p->action = grown;
    p->action[p->nactions++] = (action){line, text};
    return true;
}

enum {
    O_SEED = 256,
    O_JSON,
    O_RECORD,
    O_OUT,
    O_DATA,
    O_NO_COLOR,
    O_VERSION,
    O_CHECK,
    O_TOL,
    O_PACE,
    O_SHARD,
    O_RETRY,
    O_ANEW,
    O_ITEMS,
    O_FORMAT,
    O_TO,
    O_OF,
    O_RANKS
};

static const struct option options[] = {
    {"batch", no_argument, NULL, 'b'},
    {"execute", required_argument, NULL, 'e'},
    {"dashboard", no_argument, NULL, 'd'},
    {"no-init", no_argument, NULL, 'n'},
    {"quiet", no_argument, NULL, 'q'},
    {"threads", required_argument, NULL, 'j'},
    {"ranks", required_argument, NULL, O_RANKS},
    {"help", no_argument, NULL, 'h'},
    {"seed", required_argument, NULL, O_SEED},
    {"json", no_argument, NULL, O_JSON},
    {"record", required_argument, NULL, O_RECORD},
    {"out", required_argument, NULL, O_OUT},
    {"data", required_argument, NULL, O_DATA},
    {"no-color", no_argument, NULL, O_NO_COLOR},
    {"version", no_argument, NULL, O_VERSION},
    {"check", no_argument, NULL, O_CHECK},
    {"tol", required_argument, NULL, O_TOL},
    {"pace", required_argument, NULL, O_PACE},
    {"shard", required_argument, NULL, O_SHARD},
    {"retry", no_argument, NULL, O_RETRY},
    {"anew", no_argument, NULL, O_ANEW},
    {"items", no_argument, NULL, O_ITEMS},
    {"format", required_argument, NULL, O_FORMAT},
    {"to", required_argument, NULL, O_TO},
    {"of", required_argument, NULL, O_OF},
    {NULL, 0, NULL, 0},
};

/* Adds the demo's script, which is found in the folders of scripts.  It runs with the dashboard in a terminal, in
 * batch mode elsewhere. */
static bool add_demo(program *p)
{
    const bool terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);

    p->dashboard = p->dashboard || terminal;
    p->batch = p->batch || !terminal;
    return add_action(p, false, "demo.wlab");
}

/* Translates a subcommand into the line of commands that a person would type for it, and adds that line.  The
 * program usually ends after it. */
static bool read_subcommand(program *p)
{
    wlab_err err = {0};

    if (!p->sub.name)
        return p->sub.shard || p->sub.retry || p->sub.anew || p->sub.format || p->sub.to || p->sub.of ||
                       p->sub.items
                   ? bad_usage("--shard, --retry, --anew, --items, --format, --to and --of are options of "
                               "`weaklab sweep`, "
                               "`grade`, `table`, `cell` and `curve`")
                   : true;
    if (p->nactions)
        return bad_usage("`weaklab %s` takes no -e", p->sub.name);
    if (wlab_subcommand_line(&p->sub, &p->line, &err))
        return bad_usage("%s", err.message);
    if (p->sub.out)
        p->out = "."; /* the line names the folder already */
    p->batch = p->batch || !wlab_subcommand_keeps_prompt(&p->sub);
    return add_action(p, true, (const char *)p->line.data);
}

/* Prints the error that getopt_long found; its own message would print control characters. word: the option as
 * typed. */
static bool bad_option(int c, const char *word)
{
    const struct option *o = options;
    const size_t len = strcspn(word, "=");
    int could = 0;

    while (o->name && (optopt == 0 || o->val != optopt))
        o++;
    if (o->name)
        return bad_usage(c == ':' ? "--%s needs a value" : "--%s takes no value", o->name);
    if (optopt)
        return bad_usage("there is no option -%c", optopt);
    for (o = options; o->name; o++)
        could += len > 2 && strncmp(o->name, word + 2, len - 2) == 0;
    return bad_usage(could > 1 ? "%s is the beginning of several options" : "there is no option %s", word);
}

static bool read_options(program *p, int argc, char **argv)
{
    bool replaying = false, replay_option = false;
    int c;
    int64_t n;

    opterr = 0;
    while ((c = getopt_long(argc, argv, "-:be:dnqj:ho:", options, NULL)) != -1)
        switch (c) {
        case 1: /* a word: options may follow words, and scripts and -e keep their order */
            if (p->sub.name) {
                if (wlab_subcommand_add(&p->sub, optarg, NULL))
                    return bad_usage("out of memory");
            } else if (!replaying && p->nactions == 0 && strcmp(optarg, "demo") == 0) {
                if (!add_demo(p))
                    return false;
            } else if (!replaying && p->nactions == 0 && strcmp(optarg, "replay") == 0)
                replaying = true;
            else if (!replaying && p->nactions == 0 && wlab_subcommand_is(optarg))
                p->sub.name = optarg;
            else if (replaying && !p->replay)
                p->replay = optarg;
            else if (replaying)
                return bad_usage("replay takes one session file, not \"%s\" as well", optarg);
            else if (!add_action(p, false, optarg))
                return false;
            break;
        case 'b':
            p->batch = true;
            break;
        case 'e':
            if (!add_action(p, true, optarg))
                return false;
            break;
        case 'd':
            p->dashboard = true;
            break;
        case 'n':
            p->no_init = true;
            break;
        case 'q':
            p->quiet = true;
            break;
        case 'j':
            if (!wlab_parse_int(optarg, &n) || n < 1 || n > 256)
                return bad_usage("-j takes a number of threads from 1 to 256, not \"%s\"", optarg);
            p->job.threads = (int)n;
            p->job.threads_given = true;
            break;
        case O_RANKS:
            if (!wlab_parse_int(optarg, &n) || n < 1 || n > WL_RANKS_MOST)
                return bad_usage("--ranks takes a number of processes from 1 to %d, not \"%s\"",
                                 WL_RANKS_MOST, optarg);
            p->job.processes = (int)n;
            break;
        case O_SEED:
            if (!wlab_parse_int(optarg, &n) || n < 0)
                return bad_usage("--seed takes a number from 0, not \"%s\"", optarg);
            p->seed = (uint64_t)n;
            break;
        case O_JSON:
            p->json = true;
            break;
        case O_RECORD:
            p->record = optarg;
            break;
        case O_OUT:
            p->out = p->sub.out = optarg;
            break;
        case O_SHARD:
            p->sub.shard = optarg;
            break;
        case O_RETRY:
            p->sub.retry = true;
            break;
        case O_ANEW:
            p->sub.anew = true;
            break;
        case O_ITEMS:
            p->sub.items = true;
            break;
        case O_FORMAT:
            p->sub.format = optarg;
            break;
        case 'o':
        case O_TO:
            p->sub.to = optarg;
            break;
        case O_OF:
            p->sub.of = optarg;
            break;
        case O_DATA:
            wlab_folders_add(&p->data, optarg);
            break;
        case O_NO_COLOR:
            p->no_color = true;
            break;
        case O_VERSION:
            p->version = true;
            break;
        case 'h':
            p->help = true;
            break;
        case O_CHECK:
            p->check = replay_option = true;
            break;
        case O_TOL:
            replay_option = true;
            if (!wlab_parse_real(optarg, &p->tol) || p->tol < 0)
                return bad_usage("--tol takes a number from 0, not \"%s\"", optarg);
            break;
        case O_PACE:
            replay_option = true;
            if (!wlab_parse_real(optarg, &p->pace) || p->pace < 0 || p->pace > 3600)
                return bad_usage("--pace takes seconds from 0 to 3600, not \"%s\"", optarg);
            break;
        default:
            return bad_option(c, argv[optind - 1]);
        }
    for (; optind < argc; optind++) /* words after -- */
        if (p->sub.name ? wlab_subcommand_add(&p->sub, argv[optind], NULL) != WL_OK
                        : !add_action(p, false, argv[optind]))
            return false;
    if (p->help || p->version)
        return true;
    if (!read_subcommand(p))
        return false;
    if (replaying && !p->replay)
        return bad_usage("replay takes a session file: `weaklab replay [--check] SESSION`");
    if (replaying && p->nactions)
        return bad_usage("replay takes neither scripts nor -e");
    if (p->dashboard && (p->batch || p->json || p->check))
        return bad_usage(
            "-d is for a terminal with a prompt: it cannot be combined with -b, --json or --check");
    if (replay_option && !replaying)
        return bad_usage("--check, --tol and --pace are options of `weaklab replay SESSION`");
    return true;
}

static int default_threads(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return n < 1 ? 1 : n > 256 ? 256 : n;
}

/* ---- running ---- */

static wlab_code run_stdin(program *p, wlab_err *err)
{
    return wlab_session_stream(p->session, stdin, "standard input", WL_FROM_SCRIPT, err);
}

static wlab_code run_action(program *p, const action *a, wlab_err *err)
{
    char *path = NULL;
    long number = 0;
    for (const action *b = p->action; b <= a; b++)
        number += b->line;
    if (p->sub.name)
        return wlab_session_line(p->session, a->text, WL_FROM_PERSON, NULL, 0, err);
    if (a->line)
        return wlab_session_line(p->session, a->text, WL_FROM_PERSON, "-e", number, err);
    if (strcmp(a->text, "-") == 0)
        return run_stdin(p, err);
    if (access(a->text, F_OK) == 0) /* may be a pipe: a person named it */
        return wlab_session_script(p->session, a->text, WL_FROM_SCRIPT, err);
    wlab_code code = wlab_session_find_script(p->session, a->text, &path, err);
    const char *near = code && a == p->action ? wlab_subcommand_nearest(a->text) : NULL;
    if (near)
        code = wlab_fail(err, code, "no script '%.60s'; did you mean `weaklab %s`?", a->text, near);
    if (!code)
        code = wlab_session_script(p->session, path, WL_FROM_SCRIPT, err);
    wlab_free(path);
    return code;
}

static void read_init(program *p)
{
    char folder[PATH_MAX], path[PATH_MAX + 16];
    wlab_err err = {0};
    wlab_xdg_folder("XDG_CONFIG_HOME", ".config", folder, sizeof folder);
    snprintf(path, sizeof path, "%s/init.wlab", folder);
    if (p->no_init || p->replay || !folder[0] || access(path, F_OK) != 0)
        return;
    if (wlab_session_script(p->session, path, WL_FROM_SCRIPT, &err))
        put_error(p, &err);
}

static wlab_code run_replay(program *p, wlab_err *err)
{
    char *path = NULL;
    wlab_code code = wlab_session_find_script(p->session, p->replay, &path, err);
    if (!code)
        code = wlab_session_replay(p->session, path, p->check, p->tol, p->pace, err);
    wlab_free(path);
    return code;
}

static const char *build_id(void)
{
    return wlab_build;
}

/* A session with all commands, in whose scripts `report` opens further sessions by `open` (NULL: does nothing). */
static wlab_code make_session(wlab_session **s, const wlab_sink *sink, const wlab_places *places, int threads,
                              uint64_t seed, wlab_report_opens open, wlab_err *err)
{
    wlab_code code = wlab_session_create(s, sink, places, threads, seed, err);

    code = code ? code : wlab_experiment_register(*s, err);
    code = code ? code : wlab_sweep_register(*s, err);
    code = code ? code : wlab_plot_register(*s, err);
    code = code ? code : wlab_grade_register(*s, err);
    return code ? code : wlab_report_register(*s, open, err);
}

static wlab_code open_inner(wlab_session **s, const wlab_session *outer, const wlab_sink *sink,
                            const wlab_places *places, wlab_err *err)
{
    wlab_code code =
        make_session(s, sink, places, (int)wlab_params_int(wlab_session_settings(outer), "threads"),
                     wlab_session_seed(outer), NULL, err);

    code = code ? code : wlab_dashboard_register(*s, NULL, err);
    if (!code)
        wlab_session_use_ranks(*s,
                               wlab_session_ranks(outer)); /* what it loads need not fit into one process */
    if (code) {
        wlab_session_destroy(*s);
        *s = NULL;
    }
    return code;
}

/* The session of a process that `grade` starts. */
static wlab_code open_graded(wlab_session **s, const wlab_sink *sink, const wlab_places *places,
                             uint64_t seed, wlab_err *err)
{
    wlab_code code = make_session(s, sink, places, 1, seed, NULL, err);

    return code ? code : wlab_dashboard_register(*s, NULL, err);
}

static int run_grader(int argc, char **argv)
{
    const int own = argc < WLAB_GRADER_WORDS ? argc : WLAB_GRADER_WORDS;
    const wlab_places places = {(const char *const *)argv + own, (const char *const[]){NULL}, ".", build_id,
                                NULL};

    return wlab_grader(own, argv, &places, open_graded);
}

static bool is_interactive(const program *p)
{
    return p->terminal && !p->batch && !p->check;
}

static wlab_code run_program(program *p, const char *history, wlab_err *err)
{
    bool ask = is_interactive(p);
    wlab_code code = WL_OK;

    if (p->terminal)
        code = wlab_prompt_create(&p->prompt, p->session,
                                  &(wlab_prompt_options){.asks = ask,
                                                         .colors = !p->no_color,
                                                         .panels = !p->quiet && !p->json,
                                                         .history = ask && history[0] ? history : NULL,
                                                         .signals = signal_pipe[0],
                                                         .report = put_error,
                                                         .self = p},
                                  err);
    code = code ? code : wlab_dashboard_register(p->session, wlab_prompt_dashboard(p->prompt), err);
    if (!code && p->record)
        code = wlab_session_record(p->session, p->record, WL_FROM_PERSON, err);
    if (code)
        return code;
    prompting = ask;
    read_init(p);
    if (p->dashboard && wlab_session_line(p->session, "dashboard on", WL_FROM_PERSON, NULL, 0, err))
        put_error(p, err); /* and use the plain prompt */
    if (ask && !p->quiet && !p->json && !p->replay && p->nactions == 0)
        put_text(
            p,
            "weaklab " WLAB_VERSION
            ": learning with weak labels, step by step. `help` lists commands, `quit` ends the program.\n");
    fflush(stdout);
    if (p->replay)
        code = run_replay(p, err);
    else if (p->nactions == 0 && !ask)
        code = run_stdin(p, err);
    for (int i = 0; !code && i < p->nactions && !wlab_session_quits(p->session); i++)
        code = run_action(p, &p->action[i], err);
    if (!ask || pending || p->closed || wlab_session_quits(p->session))
        return code;
    if (code)
        put_error(p, err); /* and continue at the prompt */
    wlab_session_clear_interrupt(p->session);
    int sig = wlab_prompt_run(p->prompt);
    prompting = 0;
    if (sig)
        pending = sig;
    return WL_OK;
}

static int finish(program *p, wlab_code code, const wlab_err *err)
{
    wlab_err last = {0};
    bool by_signal = pending != 0;

    if (pending == SIGINT && !p->closed) {
        put_wrapped(stderr, code == WL_EINTERRUPTED ? err->message : "interrupted");
        fputc('\n', stderr);
    } else if (code && !(code == WL_EINTERRUPTED && (by_signal || p->closed))) {
        put_error(p, err);
    }
    if (p->session && p->record && !wlab_session_record_failed(p->session) &&
        wlab_session_record_stop(p->session, &last) && last.code != WL_ESTATE) /* ESTATE: stopped by hand */
        put_error(p, &last);
    bool broken = p->session && wlab_session_record_failed(p->session);
    if (by_signal)
        return 128 + pending;
    if (p->unwritten)
        return EXIT_FAILED;
    if (p->closed && code == WL_EINTERRUPTED) /* the reader closed the pipe: not an error */
        code = WL_OK;
    if (code == WL_EDIFFERS)
        return EXIT_DIFFERS;
    if (code == WL_EUNMET)
        return EXIT_UNMET;
    return code || broken ? EXIT_FAILED : EXIT_SUCCESS;
}

static void release(program *p)
{
    wlab_session_destroy(p->session);
    p->session = NULL;
    wlab_folders_clear(&p->data);
    wlab_folders_clear(&p->scripts);
    wlab_free(p->action);
    wlab_subcommand_clear(&p->sub);
    wlab_buf_clear(&p->line);
}

/* Replaces the function of OpenBLAS that its constructor calls to start threads.  The program does not use them, and if
 * the address space is limited (ulimit -v) they try to allocate memory forever and cannot be stopped. */
int blas_thread_init(void);
int blas_thread_init(void)
{
    return 0;
}

/* If a standard stream is closed at the start, the next file that is opened would get its descriptor, and messages
 * would be written into that file.  Occupy the descriptors; writing to them remains an error: they are read-only. */
static void hold_streams(void)
{
    int fd;

    while ((fd = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0 && fd <= STDERR_FILENO)
        ;
    if (fd >= 0)
        close(fd);
}

/* OpenBLAS chooses its code for the processor when it is loaded.  A processor that is newer than itself counts as one of 2004,
 * with a quarter of the speed.  So the program tells it what the processor can do, by the variable that it reads only then,
 * and starts anew, once. */
static void restart_with_core(char **argv)
{
#ifdef __x86_64__
    const char *core = NULL;

    if (strcmp(openblas_get_corename(), "Prescott") != 0 || getenv("OPENBLAS_CORETYPE"))
        return;
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        core = "Haswell";
    if (core && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        core = "SkylakeX";
    char self[PATH_MAX]; /* by its path, or the process would be called exe */
    const ssize_t n = core ? readlink("/proc/self/exe", self, sizeof self - 1) : 0;

    self[n > 0 ? n : 0] = '\0';
    if (n > 0 && setenv("OPENBLAS_CORETYPE", core, 0) == 0)
        (void)execv(self, argv); /* after a failure the program goes on as it is */
#else
    (void)argv;
#endif
}

int main(int argc, char **argv)
{
    program p = {.seed = 1, .tol = 1e-6, .out = "."};
    char history[PATH_MAX + 16] = "", log[PATH_MAX + 64] = "";
    wlab_err err = {0};

    p.job = (wlab_job){.libdir = WLAB_LIBDIR,
                       .build = build_id,
                       .threads = default_threads(),
                       .complain = put_error,
                       .self = &p};
    restart_with_core(argv);
    hold_streams();
    (void)wlab_blas_init(0, NULL);
    if (argc == 2 && strcmp(argv[1], "--worker") == 0) /* sweeps start it: not an option for people */
        return wlab_sweep_worker(build_id);
    if (argc == 3 && strcmp(argv[1], "--rank") == 0) /* --ranks starts it */
        return wlab_job_rank(&p.job, argv[2]);
    if (argc > 2 && strcmp(argv[1], WLAB_GRADER) == 0) /* `grade` starts it */
        return run_grader(argc - 2, argv + 2);
    (void)signal(SIGPIPE, SIG_IGN); /* before any output: a closed pipe is then a failed write */
    (void)setlocale(LC_CTYPE, "");
    if (!read_options(&p, argc, argv)) {
        release(&p);
        return EXIT_USAGE;
    }
    if (p.help || p.version) {
        release(&p);
        if (p.help)
            fputs(usage, stdout);
        else
            printf("weaklab %s\nbuild %s\n%s\nGSL %s, jansson %s, readline %s\n", WLAB_VERSION, build_id(),
                   openblas_get_config(), gsl_version, jansson_version_str(), rl_library_version);
        check_stdout(&p);
        return p.unwritten ? EXIT_FAILED : EXIT_SUCCESS;
    }
    p.terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    if (p.dashboard && !p.terminal) {
        (void)bad_usage("-d needs a terminal");
        release(&p);
        return EXIT_USAGE;
    }
    int joined;
    p.job.sweeps = wlab_subcommand_uses_ranks(&p.sub);
    if (wlab_job_join(&p.job, &joined)) {
        release(&p);
        return joined;
    }
    wlab_folders_find(&p.data, &p.scripts, WLAB_DATADIR);
    wlab_sink sink = {.text = put_text,
                      .message = put_message,
                      .object = put_object,
                      .event = put_event,
                      .json = p.json,
                      .terminal = p.terminal,
                      .self = &p,
                      .caption = put_caption,
                      .changed = is_interactive(&p) && !p.json ? put_changed : NULL,
                      .executes = put_executes};
    wlab_places places = {(const char *const *)p.data.list, (const char *const *)p.scripts.list, p.out,
                          build_id, getenv("HOME")};
    catch_signals(is_interactive(&p));
    wlab_code code = make_session(&p.session, &sink, &places, p.job.threads, p.seed, open_inner, &err);
    the_session = p.session;
    code = code ? code : wlab_sweep_use_workers(p.session, p.job.workers, &err);
    if (!code && p.job.ranks.size)
        wlab_session_use_ranks(p.session, &p.job.ranks);
    if (!code) {
        if (is_interactive(&p)) /* a batch run is repeated by its own command line, so it leaves no log */
            wlab_state_files(history, sizeof history, log, sizeof log);
        if (log[0])
            (void)wlab_session_autosave(p.session, log, NULL);
        code = run_program(&p, history, &err);
    }
    wlab_prompt_destroy(p.prompt);
    p.prompt = NULL;
    int status = finish(&p, code, &err);
    the_session = NULL;
    release(&p);
    wlab_job_end(&p.job, status);
    return status;
}
