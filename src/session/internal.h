/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The inside of a session.  Only src/session includes this; command.h has what commands of upper layers may use.
 */
#ifndef SESSION_INTERNAL_H
#define SESSION_INTERNAL_H

#include "base/text.h"
#include "lang/phrase.h"
#include "session/command.h"
#include <stdio.h>

/* A loaded data set with its split and task. */
typedef struct wlab_slot {
    wlab_dataset *data; /* owned reference */
    int32_t *train;     /* NULL: no split */
    int64_t ntrain;
    int32_t *test;
    int64_t ntest;
    char *split;           /* the settings of `split`; NULL: no split */
    wlab_problem *problem; /* owned reference; NULL: no task yet */
    bool task_ended;       /* a split has removed the task */
    bool uneven;           /* its columns differ in scale; see wlab_dataset_uneven */
    wlab_spans spans;
} wlab_slot;

typedef struct wlab_recorder wlab_recorder; /* record/record.c */
typedef struct wlab_stops wlab_stops;       /* breakpoints, watches, displays; jobs/stops.c */

/* The part of a session that `new` empties. */
typedef struct wlab_held {
    wlab_slot *slot;
    int nslots, current_slot;    /* current_slot -1: none */
    wlab_run **run;              /* owned, in order of making */
    int nruns, current_run;      /* current_run -1: none */
    int runs_made;               /* so that no number or name is used twice */
    int compared[WLAB_COMPARED]; /* run numbers, as the last `compare` named them */
    int ncompared;
    wlab_stops *stops; /* NULL: none yet */
    unsigned scored;   /* sets that `score` names (bits of wlab_hidden), for the runs to come too */
} wlab_held;

/* Copies of runs for drawing (session/mirror.h); jobs/mirror.c. */
typedef struct wlab_mirrors {
    struct wlab_kept **kept;
    int n;
    int64_t serial; /* the last number given */
} wlab_mirrors;

/* The solver thread and its job; jobs/stepping.c. */
typedef struct wlab_jobs {
    struct wlab_worker *worker; /* NULL: nothing has been computed yet */
    bool running;               /* a computation is under way; only WL_C_READS commands are answered */
    wlab_run *run;              /* the run that it steps, or NULL */
    int64_t begun;              /* how many computations have begun */
} wlab_jobs;

/* The command under way. */
typedef struct wlab_doing {
    wlab_origin origin;
    const char *file; /* of the script, or NULL */
    long line;
    int depth;       /* nested scripts */
    const char *dir; /* folder of the script, or NULL */
    char **instead;  /* wlab_session_record_as: what to record in place of the command */
    int ninstead;    /* -1: record it as typed; 0: record nothing */
    char **mark;     /* its `#@` lines */
    int nmarks;
    const wlab_progress_panel *panel; /* its progress panel, or NULL */
} wlab_doing;

/* The lines typed by the user. */
typedef struct wlab_typed_lines {
    char **line; /* for `history` */
    int n;
    char *repeat; /* the command that an empty line repeats, or NULL */
} wlab_typed_lines;

/* The recording; record/record.c. */
typedef struct wlab_log {
    char **journal; /* every recorded line so far, so that a recording may begin at any time */
    int njournal;
    wlab_recorder *record, *autosave;
    bool failed;  /* to write a requested recording */
    bool changed; /* a command that changed something was executed */
    int64_t
        others; /* recorded commands that neither step nor only show something: `goto` does not undo them */
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
    struct wlab_replay *left;   /* the one that the user took over last and `resume` continues, or NULL */
    int left_at;                /* the journal's length then */
};

/* No data, runs, breakpoints or displays. */
bool wlab_session_is_empty(const wlab_session *);
/* Destroy data sets, tasks, runs, breakpoints and displays; numbers and names begin anew.  Settings are kept. */
void wlab_session_clear(wlab_session *);

/* ---- data sets and runs ---- */
wlab_slot *wlab_session_slot(const wlab_session *); /* current, or NULL */
wlab_slot *wlab_session_find_slot(const wlab_session *, const char *name);
wlab_slot *wlab_session_slot_of(const wlab_session *, const wlab_dataset *);
/* Takes ownership of `data` (also on failure), makes it current, and replaces one of the same name. */
wlab_code wlab_session_add_data(wlab_session *, wlab_dataset *data, wlab_err *);
/* The current slot, run, or WL_ESTATE with a remedy. */
wlab_code wlab_session_need_data(const wlab_session *, wlab_slot **, wlab_err *);
wlab_code wlab_session_need_run(const wlab_session *, wlab_run **, wlab_err *);
/* The name and number of the next run: a, b, ..., z, aa, ... (skipping names in use). */
void wlab_session_next_name(const wlab_session *, char name[16], int *number);
/* Takes ownership of `run` (also on failure) and makes it current. */
wlab_code wlab_session_add_run(wlab_session *, wlab_run *run, wlab_err *);
wlab_code wlab_session_switch_run(wlab_session *, const char *name, wlab_err *);
/* WL_ESTATE, with a remedy, if no task is set for the data. */
wlab_code wlab_session_need_task(const wlab_slot *, wlab_err *);
/* ", kernel=rbf sigma=0.42": the run's kernel and its width in use; "" if not known yet. */
void wlab_session_kernel_words(const wlab_run *, char *buf, size_t size);
/* The `#@ data` line; path: of the file, NULL for data made by a command. */
wlab_code wlab_session_mark_data(wlab_session *, const wlab_dataset *, const char *path, wlab_err *);
void wlab_session_show_data(wlab_session *, const wlab_slot *);
/* At the end of a run: warn if its model predicts only one class for the training rows (if there are more than 2000,
 * for 2000 evenly spaced ones), or if its objective is 0. */
void wlab_session_warn_collapse(wlab_session *, const wlab_run *);
/* If columns differ in scale by orders of magnitude: say which, and the remedy `then`. */
void wlab_session_say_uneven(wlab_session *, const wlab_slot *, const char *then);
/* "300 rows to train, 100 held out", or the same of bags; NULL: out of memory. */
char *wlab_split_text(const wlab_slot *);
void wlab_session_print_task(wlab_session *, const wlab_problem *);
/* The data given by the task, and its settings: the part of `info task` that `task` leaves out. */
void wlab_session_print_given(wlab_session *, const wlab_problem *);
/* Finds a file by its SHA-256 and size (bytes < 0: unknown), in the script's folder or at most 6 levels below a data
 * folder; *found is NULL if there is none. */
wlab_code wlab_session_find_sha256(const wlab_session *, const char *sha256, int64_t bytes, char **found,
                                   wlab_err *);

/* ---- words ---- */
/* Is `word` one of a list such as "q, exit"?  list may be NULL. */
bool wlab_command_called(const char *list, const char *word);
/* The name of the command that has the word as an alias, or as its name in another program; NULL: none. */
const char *wlab_command_meant(const wlab_command *const *table, const char *word);
/* The command that `word` names; `person`: also by aliases and unique prefixes. */
wlab_code wlab_command_find(const wlab_command *const *table, const char *word, bool person,
                            const wlab_command **, wlab_err *);
extern const wlab_command *const wlab_commands[]; /* NULL-terminated, sorted */

/* What `say` does.  rest: the rest of its line as typed; only: the word of that rest, without quotes, or NULL if it has
 * several. */
void wlab_session_caption(wlab_session *, const char *rest, const char *only);

/* ---- help ---- */
wlab_code wlab_session_help_algo(wlab_session *, const char *name, wlab_err *);
void wlab_help_wrap(wlab_buf *out, const char *text, int indent, int at);

/* The legal values of a setting: "(0, 1]", "> 0", "rbf|poly". */
void wlab_param_legal(const wlab_param_info *, char *buf, size_t size);

/* ---- completion ---- */
struct wlab_offer;
void wlab_offer_clear(struct wlab_offer *);
/* Add a word without comparing it with the typed prefix. */
void wlab_offers_add_any(struct wlab_offers *, const char *text, const char *note, const char *meaning,
                         unsigned flags);
/* All topics of `help` and `explain`; metrics and settings only once something is typed. */
void wlab_offers_topics(struct wlab_offers *, const wlab_session *);
void wlab_offers_words(struct wlab_offers *, const wlab_session *); /* metrics and settings */
void wlab_offers_terms(struct wlab_offers *, const wlab_session *);
void wlab_offers_file_names(struct wlab_offers *, const wlab_session *, unsigned kind, const char *before);

/* ---- evaluation (session/commands/eval.c), shared with export ---- */
/* f[n]: outputs of the run's model for rows[0..n-1] of data (NULL: all rows). */
wlab_code wlab_session_predict(wlab_session *, const wlab_run *, const wlab_dataset *, const int32_t *rows,
                               int64_t n, double *f, wlab_err *);
/* The same, and the outputs of the bags 0 .. bags-1, to which rows belong by bag[n]; the caller clears *o. */
wlab_code wlab_session_predict_bags(wlab_session *, const wlab_run *, const wlab_dataset *,
                                    const int32_t *rows, int64_t n, const int32_t *bag, int64_t bags,
                                    double *f, wlab_bag_outputs *o, wlab_err *);

/* ---- JSON ---- */
json_t *wlab_json_data(const wlab_slot *);
json_t *wlab_json_task(const wlab_problem *);
json_t *wlab_json_run(const wlab_run *);

/* ---- recorder (record.c) ---- */
/* Record a command: `line` as typed or NULL, and its marks; or `failed`, the reason.  Never fails the session. */
void wlab_record_command(wlab_session *, const char *line, const wlab_err *failed);
void wlab_record_free(wlab_session *);
bool wlab_record_is(const wlab_session *, int fd);          /* is fd the file being recorded? */
const char *wlab_session_record_path(const wlab_session *); /* or NULL */
const char *wlab_session_log_path(const wlab_session *); /* of the automatic log, once it exists; or NULL */
/* The journal, which was `old`, has changed: cut the files after the lines that both have in common, and write the
 * rest.  If a file cannot be cut, its recording ends, with a message. */
void wlab_record_rewrite(wlab_session *, char *const *old, int nold);
/* Drop all but the first n lines of the journal and of the files. */
void wlab_record_back(wlab_session *, int n);

/* ---- output (output.c) ---- */
/* Open the folder of `path`, as `origin` permits, and return the name in it.  The caller owns *dir, *leaf and *full. */
wlab_code wlab_output_place(wlab_session *, const char *path, wlab_origin, const char *const *allowed,
                            int *dir, char **leaf, char **full, wlab_err *);

/* ---- replay (replay.c) ---- */
/* Queue a mark that the current command of a replay has made. */
wlab_code wlab_replay_mark(wlab_session *, const char *mark, wlab_err *);
/* The SHA-256 and size of the next data set according to the recording, or NULL. */
const char *wlab_replay_sha256(const wlab_session *, int64_t *bytes);
/* Continue the lesson or replay that the user has taken over.  If the session has changed since, the script is first
 * executed again, silently, in an empty session.  WL_ESTATE: there is none. */
wlab_code wlab_session_resume(wlab_session *, wlab_err *);
void wlab_replay_destroy(struct wlab_replay *);
/* A lesson: present the script at `path` as a replay is presented. */
wlab_code wlab_session_show(wlab_session *, const char *path, wlab_err *);

#endif
