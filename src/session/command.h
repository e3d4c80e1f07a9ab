/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Commands: what one says of itself, and what it may use of the session that carries it out.  The session's own commands and
 * those of upper layers (study, plot, tui, sweep) are made of this; upper layers include no other header of src/session but
 * session.h, mirror.h, complete/complete.h and this one.
 */
#ifndef SESSION_COMMAND_H
#define SESSION_COMMAND_H

#include "base/text.h"
#include "lang/args.h"
#include "lang/json.h"
#include "session/session.h"

enum {
    WL_C_LOOKS = 1,    /* only looks: answered while a run goes, not recorded */
    WL_C_STEPS = 2,    /* a stepping command: a digest follows it in recordings */
    WL_C_WORDS = 4,    /* takes the rest of the line as it is (conditions, say) */
    WL_C_ALWAYS = 8,   /* says the same whether a run goes or not */
    WL_C_SHOWS = 16,   /* recorded, but shows or writes something only: left out when a presenter goes back */
    WL_C_REPEATS = 32, /* an empty line that a person types repeats it */
    WL_C_FILES = 64,   /* takes names of files: `~/` in what a person types is the home folder */
    WL_C_QUITS = 128,  /* ends the session; typed while a run goes it stops that first */
    WL_C_EMPTIES = 256, /* what was carried out before has left nothing but the settings */
    /* how a presented script goes over it */
    WL_C_SAYS = 512,    /* says something: not shown as a command, and several in a row are one stop */
    WL_C_WAITS = 1024,  /* is a stop itself */
    WL_C_SCREEN = 2048, /* turns the screen only: no stop, and nothing of the session */
};
struct wlab_offers;
typedef struct wlab_command {
    const char *name;
    const char *alias; /* what a person may type as well, "q, exit"; or NULL */
    const char
        *meant; /* what it is called elsewhere, "undo": an unknown command is answered with it; or NULL */
    const char *usage;             /* "step [N]" */
    const char *summary;           /* one line */
    const char *help;              /* paragraphs */
    const wlab_param_info *params; /* or NULL */
    unsigned flags;
    wlab_code (*execute)(wlab_session *, const wlab_args *, wlab_err *);
    /* For completion: wlab_offers_add what may stand behind offers->typed (complete.h); the settings of `params` are
     * offered without it.  While a run goes it must not look at what the worker changes.  NULL: no words. */
    void (*offer)(struct wlab_offers *offers, const wlab_session *);
} wlab_command;

/* Add commands of an upper layer (plot, tui); the array ends with NULL and must live on. */
wlab_code wlab_session_add_commands(wlab_session *, const wlab_command *const *, wlab_err *);
extern const wlab_command wlab_cmd_algo; /* for who begins a run as if it had been typed */
/* All commands, sorted by name, NULL-terminated. */
const wlab_command *const *wlab_session_commands(const wlab_session *);
/* Pictures that an upper layer draws, for help and completion. */
typedef struct wlab_view_info {
    const char *name, *summary;
} wlab_view_info;
wlab_code wlab_session_add_view(wlab_session *, const char *name, const char *summary,
                                wlab_err *);                    /* which live on */
const wlab_view_info *wlab_session_views(const wlab_session *); /* ends with name = NULL; or NULL */

/* ---- what an upper layer keeps ---- */
/* What an upper layer keeps with the session, under a key of its own ("plots").  Takes `data` (also on failure; NULL:
 * nothing any more); what was there is destroyed, and all at the session's end, before all else, the last attached
 * first.  destroy: or NULL (borrowed). */
wlab_code wlab_session_attach(wlab_session *, const char *key, void *data, void (*destroy)(void *data),
                              wlab_err *);
void *wlab_session_attached(const wlab_session *, const char *key); /* or NULL */

/* ---- for whom it works ---- */
wlab_origin wlab_session_origin(const wlab_session *); /* of the command under way */
/* What is written from now on is confined as that of `origin` is; returns as what it was. */
wlab_origin wlab_session_write_as(wlab_session *, wlab_origin origin);
/* As it was made with; what it points to is the session's. */
void wlab_session_places(const wlab_session *, wlab_places *);
/* Change a setting of the session, as `set` does. */
wlab_code wlab_session_set(wlab_session *, const char *name, const char *value, wlab_err *);

/* ---- data and tasks ---- */
wlab_dataset *wlab_session_find_data(const wlab_session *, const char *name); /* or NULL */
/* The data set of this name becomes the current one; false: there is none. */
bool wlab_session_use_data(wlab_session *, const char *name);
/* The current problem (borrowed), or WL_ESTATE with what to do. */
wlab_code wlab_session_need_problem(const wlab_session *, wlab_problem **, wlab_err *);
/* Rows to train and held out of the current data set; 0, 0: no split. */
void wlab_session_split(const wlab_session *, int64_t *train, int64_t *test);
/* Sets `seed` from the session's where the table has it and the user did not give it. */
wlab_code wlab_session_default_seed(const wlab_session *, wlab_params *, wlab_err *);
/* What `load` calls the data of a file: the path's last part without its extensions; NULL: out of memory. */
char *wlab_session_data_name(const char *path);
/* Replace each file that a setting names (labels=FILE, labeled=@FILE) by the one that was found. */
wlab_code wlab_session_resolve(wlab_session *, wlab_params *, bool mark, wlab_err *);

/* ---- computing ---- */
/* A long computation on the solver thread; its events go to the sink, and commands that look are answered. */
wlab_code wlab_session_call(wlab_session *, wlab_code (*call)(void *data, wlab_ctx *, wlab_err *), void *data,
                            wlab_err *);
/* What the command shows of itself meanwhile; NULL, before it ends: the board's last state stays in sight.  Borrowed. */
void wlab_session_show_board(wlab_session *, const wlab_board *);
bool wlab_session_shows_boards(const wlab_session *); /* the terminal can */

/* ---- recording ---- */
/* Record this line in place of what was typed (several calls: several lines); fmt NULL: record nothing. */
wlab_code wlab_session_record_as(wlab_session *, wlab_err *, const char *fmt, ...) WLAB_PRINTF(3, 4);
/* A `#@ ` line for the recorder ("figure dat=... sha256=...").  A replay with --check compares the lines of a
 * command, in order, with the recorded ones once it is done. */
wlab_code wlab_session_mark(wlab_session *, wlab_err *, const char *fmt, ...) WLAB_PRINTF(3, 4);
/* The format of the recording under way; else, and of a script without a header, that of today. */
int wlab_session_format(const wlab_session *);
/* Every recorded line so far, the first command first; borrowed until the next. */
char *const *wlab_session_journal(const wlab_session *, int *n);
/* The header line, without a newline. */
wlab_code wlab_record_header(const wlab_session *, wlab_buf *);

/* ---- files ---- */
/* Open `path` for writing as the origin of the current command may: a script writes only relative paths below
 * out_dir, never through .. or a link, no dot-files, only the extensions in `allowed` (NULL-terminated, "csv");
 * a person anywhere.  Folders are made.  Data go to a temporary file beside it, renamed by _close. */
typedef struct wlab_output wlab_output;
wlab_code wlab_output_open(wlab_output **, wlab_session *, const char *path, const char *const *allowed,
                           wlab_err *);
wlab_code wlab_output_write(wlab_output *, const void *data, size_t len, wlab_err *);
int wlab_output_fd(const wlab_output *);
const char *wlab_output_temporary(const wlab_output *); /* the temporary file's path: what gnuplot is given */
const char *wlab_output_path(const wlab_output *);      /* the final path */
/* commit = false: the temporary file is removed and nothing else happened.  Always frees. */
wlab_code wlab_output_close(wlab_output *, bool commit, wlab_err *);
/* The folder `path` for results, as the origin of the current command may write it: a script's lies below --out, on a
 * way without links, and is made.  *dir is owned by the caller. */
wlab_code wlab_output_folder(wlab_session *, const char *path, char **dir, wlab_err *);
/* Find a file as `load` does. *found is owned by the caller. */
wlab_code wlab_session_find_file(const wlab_session *, const char *path, char **found, wlab_err *);
/* Find a script: as given, beside the script under way, among the installed. *found is owned by the caller. */
wlab_code wlab_session_find_script(const wlab_session *, const char *path, char **found, wlab_err *);
/* As a script is. */
wlab_code wlab_session_find_experiment(const wlab_session *, const char *path, char **found, wlab_err *);
/* A folder with results.sqlite: what a script names is below out_dir, where its `sweep` puts it, else as it is given. */
wlab_code wlab_session_find_results(const wlab_session *, const char *dir, char **found, wlab_err *);
wlab_code wlab_file_sha256(const char *path, char hex[65], const wlab_ctx *, wlab_err *);

/* ---- help ---- */
/* "  name    text" with the text wrapped behind; width: of the column of names. */
void wlab_help_item(wlab_buf *out, int width, const char *name, const char *text);

#endif
