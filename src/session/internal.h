/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a session is inside.  Only src/session includes this; what commands of upper layers may use is in command.h.
 */
#ifndef SESSION_INTERNAL_H
#define SESSION_INTERNAL_H

#include "base/text.h"
#include "lang/phrase.h"
#include "session/command.h"
#include <stdio.h>

/* A loaded data set with what was said about it. */
typedef struct wlab_slot {
    wlab_dataset *data; /* owned reference */
    int32_t *train;     /* NULL: no split */
    int64_t ntrain;
    int32_t *test;
    int64_t ntest;
    wlab_problem *problem; /* owned reference; NULL: no task yet */
    bool task_ended;       /* by a split */
    bool uneven;           /* its columns differ in scale; see wlab_dataset_uneven */
    wlab_spans spans;
} wlab_slot;

typedef struct wlab_recorder wlab_recorder; /* record/record.c */
typedef struct wlab_stops wlab_stops;       /* breakpoints, watches, displays; jobs/stops.c */

/* What `new` empties. */
typedef struct wlab_held {
    wlab_slot *slot;
    int nslots, current_slot;    /* -1: none */
    wlab_run **run;              /* owned, in order of making */
    int nruns, current_run;      /* -1: none */
    int runs_made;               /* numbers and names are never given twice */
    int compared[WLAB_COMPARED]; /* run numbers, as the last `compare` named them */
    int ncompared;
    wlab_stops *stops; /* NULL: there were none yet */
} wlab_held;

/* Copies of runs for who draws; jobs/mirror.c. */
typedef struct wlab_mirrors {
    struct wlab_kept **kept;
    int n;
    int64_t serial; /* the last one given */
} wlab_mirrors;

/* The solver thread and what it does; jobs/stepping.c. */
typedef struct wlab_jobs {
    struct wlab_worker *worker; /* NULL: nothing was computed yet */
    bool running;               /* a computation is under way; only commands that look are answered */
    wlab_run *run;              /* that it steps, or NULL */
    int64_t begun;              /* computations */
} wlab_jobs;

/* The command under way. */
typedef struct wlab_doing {
    wlab_origin origin;
    const char *file; /* of the script, or NULL */
    long line;
    int depth;       /* nested scripts */
    const char *dir; /* folder of the script, or NULL */
    char **instead;  /* wlab_session_record_as: what to record in place of the command */
    int ninstead;    /* -1: as typed; 0: nothing at all */
    char **mark;     /* its `#@` lines */
    int nmarks;
    const wlab_board *board; /* that it shows, or NULL */
} wlab_doing;

/* What a person typed. */
typedef struct wlab_typed_lines {
    char **line; /* for `history` */
    int n;
    char *repeat; /* what an empty line repeats, or NULL */
} wlab_typed_lines;

/* What is recorded; record/record.c. */
typedef struct wlab_log {
    char **journal; /* every recorded line so far, so that a recording may begin at any time */
    int njournal;
    wlab_recorder *record, *autosave;
    bool failed;    /* to write one that was asked for */
    bool changed;   /* a command that changed something was carried out */
    int64_t others; /* recorded commands that neither step nor only show: `goto` does not undo them */
} wlab_log;

typedef struct wlab_attachment {
    const char *key;
    void *data;
    void (*destroy)(void *data);
} wlab_attachment;

struct wlab_session {
    wlab_sink sink;
    const wlab_sink *loud; /* the sink while a presenter goes back, when `sink` is silent; else NULL */
    wlab_terminal terminal;
    struct {
        char **data_dirs, **script_dirs; /* NULL-terminated, owned */
        char *out_dir, *home;            /* home: or NULL */
        const char *(*build)(void);
    } places;
    wlab_attachment *attached; /* of upper layers, in order of attaching */
    int nattached;
    const wlab_command **commands; /* sorted, NULL-terminated, owned array */
    int ncommands;
    wlab_view_info *views; /* [nviews], ends with name = NULL; or NULL */
    int nviews;

    wlab_params *settings; /* wlab_settings */
    uint64_t seed;
    wlab_pool *pool;
    wlab_ctx ctx;
    atomic_int interrupt;
    bool quits;

    wlab_held held;
    wlab_mirrors mirrors;
    wlab_jobs job;
    wlab_doing now;
    wlab_typed_lines typed;
    wlab_log log;
    struct wlab_replay *replay; /* the replay or lesson under way, or NULL */
};

/* Nothing was loaded, run, or set to stop at or be displayed. */
bool wlab_session_is_empty(const wlab_session *);
/* Put away data sets, tasks, runs, breakpoints and displays; numbers and names begin anew.  Settings stay. */
void wlab_session_clear(wlab_session *);

/* ---- data sets and runs ---- */
wlab_slot *wlab_session_slot(const wlab_session *); /* current, or NULL */
wlab_slot *wlab_session_find_slot(const wlab_session *, const char *name);
wlab_slot *wlab_session_slot_of(const wlab_session *, const wlab_dataset *);
/* Takes `data` (also on failure); it becomes current; one of the same name is replaced. */
wlab_code wlab_session_add_data(wlab_session *, wlab_dataset *data, wlab_err *);
/* The current slot, run, or WL_ESTATE with what to do. */
wlab_code wlab_session_need_data(const wlab_session *, wlab_slot **, wlab_err *);
wlab_code wlab_session_need_run(const wlab_session *, wlab_run **, wlab_err *);
/* The name and number of the next run: a, b, ..., z, aa, ... (skipping names in use). */
void wlab_session_next_name(const wlab_session *, char name[16], int *number);
/* Takes `run` (also on failure); it becomes current. */
wlab_code wlab_session_add_run(wlab_session *, wlab_run *run, wlab_err *);
wlab_code wlab_session_switch_run(wlab_session *, const char *name, wlab_err *);
/* WL_ESTATE, with what to do, where no task is set for the data. */
wlab_code wlab_session_need_task(const wlab_slot *, wlab_err *);
/* ", kernel=rbf sigma=0.42": what the run's kernel and its width came to; "" where that is not known yet. */
void wlab_session_kernel_words(const wlab_run *, char *buf, size_t size);
/* The `#@ data` line; path: of the file, NULL for data made by a command. */
wlab_code wlab_session_mark_data(wlab_session *, const wlab_dataset *, const char *path, wlab_err *);
void wlab_session_show_data(wlab_session *, const wlab_slot *);
/* At the end of a run: says so when its model predicts one class only, on at most 2000 training rows, or when its objective
 * is 0. */
void wlab_session_warn_collapse(wlab_session *, const wlab_run *);
/* Where columns differ in scale by orders of magnitude: which, and `then`, what mends that. */
void wlab_session_say_uneven(wlab_session *, const wlab_slot *, const char *then);
/* "300 rows to train, 100 held out", or so of bags; NULL: no memory. */
char *wlab_split_text(const wlab_slot *);
void wlab_session_print_task(wlab_session *, const wlab_problem *);
/* What the task tells, and its settings: the part of `info task` that `task` leaves out. */
void wlab_session_print_told(wlab_session *, const wlab_problem *);
/* A file with these bytes beside the script or below a data folder; *found is NULL when there is none.
 * bytes < 0: size unknown. */
wlab_code wlab_session_find_sha256(const wlab_session *, const char *sha256, int64_t bytes, char **found,
                                   wlab_err *);

/* ---- words ---- */
/* Whether `word` is one of "q, exit"; list may be NULL. */
bool wlab_command_called(const char *list, const char *word);
/* The command that `word` names; `person`: aliases and unique prefixes too. */
wlab_code wlab_command_find(const wlab_command *const *table, const char *word, bool person,
                            const wlab_command **, wlab_err *);
extern const wlab_command *const wlab_commands[]; /* NULL-terminated, sorted */

/* What `say` does with the rest of its line; only: its one word, where it has but one. */
void wlab_session_caption(wlab_session *, const char *rest, const char *only);

/* ---- looking ---- */
wlab_code wlab_session_help_algo(wlab_session *, const char *name, wlab_err *);
/* All that the tables say of `word` (nothing: out stays empty), and the way their text is wrapped. */
/* `only` (may be NULL): of the metrics and settings that algorithms have by that name, this one's where it has any. */
void wlab_session_describe(const wlab_session *, const char *word, const wlab_algo *only, wlab_buf *out);
void wlab_help_wrap(wlab_buf *out, const char *text, int indent, int at);

/* What is legal for a setting: "(0, 1]", "> 0", "rbf|poly". */
void wlab_param_legal(const wlab_param_info *, char *buf, size_t size);

/* ---- completion ---- */
struct wlab_offer;
void wlab_offer_clear(struct wlab_offer *);
/* A word whatever is typed; a value's file names. */
void wlab_offers_add_any(struct wlab_offers *, const char *text, const char *note, const char *meaning,
                         unsigned flags);
/* All that `help` knows, and `explain`; metrics and settings once something is typed. */
void wlab_offers_topics(struct wlab_offers *, const wlab_session *);
void wlab_offers_words(struct wlab_offers *, const wlab_session *); /* metrics and settings */
void wlab_offers_terms(struct wlab_offers *, const wlab_session *);
void wlab_offers_file_names(struct wlab_offers *, const wlab_session *, unsigned kind, const char *before);

/* ---- evaluation (session/commands/eval.c), shared with export ---- */
/* f[n] of the current run's model for rows[0..n-1] of data (NULL: all rows). */
wlab_code wlab_session_predict(wlab_session *, const wlab_run *, const wlab_dataset *, const int32_t *rows,
                               int64_t n, double *f, wlab_err *);

/* ---- JSON ---- */
json_t *wlab_json_data(const wlab_slot *);
json_t *wlab_json_task(const wlab_problem *);
json_t *wlab_json_run(const wlab_run *);

/* ---- recorder (record.c) ---- */
/* After a command: `line` as typed or NULL, its marks, or `failed` with the reason.  Never fails the session. */
void wlab_record_command(wlab_session *, const char *line, const wlab_err *failed);
void wlab_record_free(wlab_session *);
bool wlab_record_is(const wlab_session *, int fd);          /* fd is the file being recorded */
const char *wlab_session_record_path(const wlab_session *); /* or NULL */
const char *
wlab_session_log_path(const wlab_session *); /* of the log that is always kept, once it is there */
/* The journal was `old` and is another now: the files are cut behind what both begin with, and go on from there.
 * What cannot be cut breaks off, and that is said. */
void wlab_record_rewrite(wlab_session *, char *const *old, int nold);
/* The journal loses all but its first n lines, and so do the files. */
void wlab_record_back(wlab_session *, int n);

/* ---- output (output.c) ---- */
/* Open the folder of `path` and say the name inside it, as origin may; *dir is owned, *leaf by the caller. */
wlab_code wlab_output_place(wlab_session *, const char *path, wlab_origin, const char *const *allowed,
                            int *dir, char **leaf, char **full, wlab_err *);

/* ---- replay (replay.c) ---- */
/* A mark was made while a replay goes on. */
wlab_code wlab_replay_mark(wlab_session *, const char *mark, wlab_err *);
/* The SHA-256 and size that the recording has for the next data set, or NULL. */
const char *wlab_replay_sha256(const wlab_session *, int64_t *bytes);
/* A lesson: the script at `path` is shown as a replay is. */
wlab_code wlab_session_show(wlab_session *, const char *path, wlab_err *);

#endif
