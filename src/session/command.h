/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Commands: the description that each gives of itself, and what it may use of the session that executes it.  Upper
 * layers (study, plot, tui, sweep) make their commands of this, as the session does.  Of src/session they include
 * only this header, session.h, mirror.h and complete/complete.h.
 */
#ifndef SESSION_COMMAND_H
#define SESSION_COMMAND_H

#include "base/text.h"
#include "lang/args.h"
#include "lang/json.h"
#include "session/session.h"

enum {
    WL_C_READS = 1,     /* only reads: answered while the worker computes, not recorded */
    WL_C_STEPS = 2,     /* a stepping command: a digest follows it in recordings */
    WL_C_WORDS = 4,     /* takes the rest of the line unparsed (a condition, for example) */
    WL_C_ALWAYS = 8,    /* its answer does not depend on whether the worker computes */
    WL_C_SHOWS = 16,    /* recorded, but only shows or writes something: skipped when a presenter goes back */
    WL_C_REPEATS = 32,  /* an empty line typed by the user repeats it */
    WL_C_FILES = 64,    /* takes file names: in a line typed by the user, `~/` is the home folder */
    WL_C_QUITS = 128,   /* ends the session; while the worker computes, it first stops that */
    WL_C_EMPTIES = 256, /* empties the session: nothing of earlier commands remains but the settings */
    /* how a presented script treats it */
    WL_C_SAYS = 512,    /* a caption: not shown as a command, and several in a row are one stop */
    WL_C_WAITS = 1024,  /* is a stop itself */
    WL_C_SCREEN = 2048, /* changes only the screen: no stop, and no part of the session's state */
    /* exercises */
    WL_C_ASKS = 4096,   /* a question; a recording adds given=ANSWER to its line */
    WL_C_AIMS = 8192,   /* a condition that is to hold; where it does not, a recording lacks it */
    WL_C_TURNS = 16384, /* the commands after it, up to `resume`, are the person's own */
    WL_C_OWN =
        32768, /* may be among them when they are graded: it works on runs, of the data and the task that are there */
    WL_C_SHARED =
        65536, /* reads no values of the current data's rows itself, or refuses to: works on data of `load ranks=all` */
};
struct wlab_offers;
typedef struct wlab_command {
    const char *name;
    const char *alias; /* other names that the user may type, "q, exit"; or NULL */
    const char
        *meant; /* its names in other programs, "undo": for them the message names this command; or NULL */
    const char *usage;             /* "step [N]" */
    const char *summary;           /* one line */
    const char *help;              /* paragraphs */
    const wlab_param_info *params; /* or NULL */
    unsigned flags;
    wlab_code (*execute)(wlab_session *, const wlab_args *, wlab_err *);
    /* For completion: call wlab_offers_add for what may follow offers->typed (complete.h); the settings of `params`
     * are offered without it.  While the worker computes, it must not read what the worker changes.  NULL: no
     * words. */
    void (*offer)(struct wlab_offers *offers, const wlab_session *);
} wlab_command;

/* Add commands of an upper layer (plot, tui); the array ends with NULL and must remain valid. */
wlab_code wlab_session_add_commands(wlab_session *, const wlab_command *const *, wlab_err *);
extern const wlab_command wlab_cmd_algo; /* for code that begins a run as if `algo` had been typed */
/* All commands, sorted by name, NULL-terminated. */
const wlab_command *const *wlab_session_commands(const wlab_session *);
/* Pictures that an upper layer draws, for help and completion: views, which `plot` draws, and panes of the dashboard. */
typedef struct wlab_view_info {
    bool pane; /* else a view */
    const char *name, *summary;
    const char *help; /* further text for `help NAME`; NULL: none */
} wlab_view_info;
/* The strings must remain valid. */
wlab_code wlab_session_add_view(wlab_session *, const wlab_view_info *, wlab_err *);
const wlab_view_info *wlab_session_views(const wlab_session *); /* ends with name = NULL; or NULL */
/* Put all that the tables say of `word` to out, which remains empty if they say nothing.  of_algos: also the metrics and
 * settings of that name that algorithms have. */
void wlab_session_describe(const wlab_session *, const char *word, bool of_algos, wlab_buf *out);

/* ---- data of upper layers ---- */
/* Keep data of an upper layer with the session, under a key such as "plots".  Takes ownership of `data`, also on
 * failure, and first destroys what the key held; with data = NULL nothing else happens.  When the session ends, it
 * destroys all such data before anything else, the last attached first. destroy: NULL if the session does not own
 * the data. */
wlab_code wlab_session_attach(wlab_session *, const char *key, void *data, void (*destroy)(void *data),
                              wlab_err *);
void *wlab_session_attached(const wlab_session *, const char *key); /* or NULL */

/* ---- on whose behalf it works ---- */
wlab_origin wlab_session_origin(const wlab_session *); /* of the command under way */
/* Confine later writes as those of `origin`; returns the origin used before. */
wlab_origin wlab_session_write_as(wlab_session *, wlab_origin origin);
/* The places that the session was created with; the strings are the session's. */
void wlab_session_places(const wlab_session *, wlab_places *);
/* Change a setting of the session, as `set` does. */
wlab_code wlab_session_set(wlab_session *, const char *name, const char *value, wlab_err *);

/* ---- data and tasks ---- */
wlab_dataset *wlab_session_find_data(const wlab_session *, const char *name); /* or NULL */
/* Make the data set of this name the current one; false: there is none. */
bool wlab_session_use_data(wlab_session *, const char *name);
/* The current problem (borrowed), or WL_ESTATE with a remedy. */
wlab_code wlab_session_need_problem(const wlab_session *, wlab_problem **, wlab_err *);
/* How many rows of the current data set are for training and held out, or how many bags where the split keeps these whole;
 * 0, 0: no split.  WL_ENOMEM. */
wlab_code wlab_session_split(const wlab_session *, int64_t *train, int64_t *test, wlab_err *);
/* Set `seed` to the session's if the table has it and the user did not give it. */
wlab_code wlab_session_default_seed(const wlab_session *, wlab_params *, wlab_err *);
/* The name that `load` gives to a file's data: the path's last part without extensions; NULL: out of memory. */
char *wlab_session_data_name(const char *path);
/* Replace each file that a setting names (labels=FILE, labeled=@FILE) by the path of the file found. */
wlab_code wlab_session_resolve(wlab_session *, wlab_params *, bool mark, wlab_err *);

/* ---- computing ---- */
/* Run a long computation on the solver thread; its events go to the sink, and WL_C_READS commands are answered. */
wlab_code wlab_session_call(wlab_session *, wlab_code (*call)(void *data, wlab_ctx *, wlab_err *), void *data,
                            wlab_err *);
/* Show this progress panel (borrowed) while the current command runs.  The command calls it again with NULL before
 * it ends; the last state of the panel remains on the screen. */
void wlab_session_show_panel(wlab_session *, const wlab_progress_panel *);
bool wlab_session_shows_panels(const wlab_session *); /* the terminal can show panels */

/* ---- recording ---- */
/* Record this line instead of the typed one (several calls: several lines); fmt NULL: record nothing. */
wlab_code wlab_session_record_as(wlab_session *, wlab_err *, const char *fmt, ...) WLAB_PRINTF(3, 4);
/* Record a `#@ ` line ("figure dat=... sha256=...").  Once a command is done, a replay with --check compares its
 * lines, in order, with the recorded ones. */
wlab_code wlab_session_mark(wlab_session *, wlab_err *, const char *fmt, ...) WLAB_PRINTF(3, 4);
/* The format of the recording being replayed; for a script without a header, or without a replay, the current one. */
int wlab_session_format(const wlab_session *);
/* All recorded lines so far, the first command first; borrowed until the next command. */
char *const *wlab_session_journal(const wlab_session *, int *n);
/* The header line, without a newline. */
wlab_code wlab_record_header(const wlab_session *, wlab_buf *);

/* ---- files ---- */
/* Open `path` for writing, as the origin of the current command permits.  A script may write only to relative paths
 * below out_dir, not through .. or a link, not to dot-files, and only with an extension in `allowed`
 * (NULL-terminated, such as "csv").  The user may write anywhere.  Missing folders are made.  The data go to a
 * temporary file in the same folder, which _close renames. */
typedef struct wlab_output wlab_output;
wlab_code wlab_output_open(wlab_output **, wlab_session *, const char *path, const char *const *allowed,
                           wlab_err *);
wlab_code wlab_output_write(wlab_output *, const void *data, size_t len, wlab_err *);
int wlab_output_fd(const wlab_output *);
const char *wlab_output_temporary(const wlab_output *); /* the temporary file's path, for gnuplot */
const char *wlab_output_path(const wlab_output *);      /* the final path */
/* commit = false: remove the temporary file and change nothing else.  Always frees. */
wlab_code wlab_output_close(wlab_output *, bool commit, wlab_err *);
/* The folder `path` for results, as the origin of the current command may write it: a script's is below --out, is
 * reached without links, and is made if missing.  *dir is owned by the caller. */
wlab_code wlab_output_folder(wlab_session *, const char *path, char **dir, wlab_err *);
/* Find a data file: as given, beside the running script, in out_dir, in the folders of data.  *found is owned by the
 * caller.  WL_EIO: there is none; the message says where it was looked for. */
wlab_code wlab_session_find_file(const wlab_session *, const char *path, char **found, wlab_err *);
/* Find a script: as given, beside the running script, in out_dir, where scripts write (so that what a script has written
 * never takes the place of what it reads), among the installed ones.  Otherwise as a data file. */
wlab_code wlab_session_find_script(const wlab_session *, const char *path, char **found, wlab_err *);
/* Find an experiment file as a script is found. */
wlab_code wlab_session_find_experiment(const wlab_session *, const char *path, char **found, wlab_err *);
/* The path of a sweep's folder `dir`: for a script the one below out_dir if that has results.sqlite, because the
 * script's `sweep` writes there; otherwise `dir` as given. */
wlab_code wlab_session_find_results(const wlab_session *, const char *dir, char **found, wlab_err *);
wlab_code wlab_file_sha256(const char *path, char hex[65], const wlab_ctx *, wlab_err *);

/* ---- help ---- */
/* Put "  name    text", the text wrapped after the names; width: of the column of names. */
void wlab_help_item(wlab_buf *out, int width, const char *name, const char *text);

#endif
