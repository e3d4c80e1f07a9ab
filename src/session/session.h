/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A session: data sets, task, runs and settings, the command language over them, and recording and replay.  It reads
 * files only as `load` may, writes only where its confinement allows, and writes results and messages to a sink: it
 * never prints, exits or reads the environment.
 *
 * A run is displayed from its mirror (session/mirror.h): a copy of the run's state, which the session's thread can
 * read while the solver's thread computes.
 */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include "base/ranks.h"
#include "session/mirror.h"
#include <jansson.h>
#include <stdio.h>

typedef struct wlab_session wlab_session;

enum {
    WLAB_COMPARED = 8 /* runs that `compare` takes */
};

/* Where results and messages go.  The terminal prints text; --json prints the objects. */
typedef struct wlab_sink {
    void (*text)(void *self, const char *text);       /* a result, for standard output; may have many lines */
    void (*message)(void *self, const char *text);    /* for standard error: progress, remarks, warnings */
    void (*object)(void *self, const json_t *object); /* a result as JSON; called instead of text if `json` */
    void (*event)(void *self,
                  const wlab_event *); /* the solver's events, on the session's thread; may be NULL */
    bool json;
    bool terminal; /* a user is present (`wait` waits, progress is shown) */
    void *self;
    /* the rest may be NULL */
    void (*caption)(void *self, const char *text); /* the text of `say`; NULL: use `text` */
    /* A mirror, the current run, the data or the task has changed.  NULL: nobody displays them, and no mirrors are
     * kept. */
    void (*changed)(void *self);
    /* A command of a script begins, or has ended: its text, with the full name, and its flags (WL_C_). */
    void (*executes)(void *self, const char *text, unsigned flags, bool begins);
} wlab_sink;

/* Facts about the environment, given by main: the session does not read it. */
typedef struct wlab_places {
    const char *const
        *data_dirs; /* NULL-terminated: --data, $WEAKLAB_DATA, $XDG_DATA_HOME/weaklab, installed */
    const char *const
        *script_dirs;    /* NULL-terminated: where `source` and `lesson` look besides the path as given */
    const char *out_dir; /* --out: where a script may write; "." */
    const char *(*build)(void); /* identifies this build, called when a recording begins; NULL: unknown */
    const char *home;           /* replaces `~` in a typed path `~/...`; NULL: no replacement */
} wlab_places;

wlab_code wlab_session_create(wlab_session **, const wlab_sink *, const wlab_places *, int threads,
                              uint64_t seed, wlab_err *);
void wlab_session_destroy(wlab_session *);

/* The origin of a command line: it determines the confinement of writes and the place given in errors. */
typedef enum wlab_origin {
    WL_FROM_PERSON,
    WL_FROM_SCRIPT
} wlab_origin;
/* Execute one line (several commands with `;`).  file/line: for messages, may be NULL/0.  Meanwhile, also in the
 * functions of the sink, this thread prints numbers with a decimal point, whatever the locale. */
wlab_code wlab_session_line(wlab_session *, const char *line, wlab_origin, const char *file, long number,
                            wlab_err *);
/* Execute a whole script; stops at the first error and stores its place in err. */
wlab_code wlab_session_script(wlab_session *, const char *path, wlab_origin, wlab_err *);
/* Execute commands from an open stream, called `name` in messages; stops at the first error.  A stream that is not a
 * file (a pipe, for example) is read through its descriptor, so the stream's buffer must be empty. */
wlab_code wlab_session_stream(wlab_session *, FILE *, const char *name, wlab_origin, wlab_err *);
bool wlab_session_quits(const wlab_session *);    /* `quit` was executed */
uint64_t wlab_session_seed(const wlab_session *); /* of commands without seed= */
/* From any thread or a signal handler: stop the running job after its inner unit. */
void wlab_session_interrupt(wlab_session *);
/* A second interrupt, or a request to end: abandons the work that the first one lets finish (wlab_hurried). */
void wlab_session_hurry(wlab_session *);
void wlab_session_clear_interrupt(wlab_session *);
/* Presenter mode: the user's answer at a stop of a replay (without --check) or of a lesson.  Stops are every `wait`
 * and, if there is a pace, the places between two commands.  An interrupt takes over too, and is no error.  At a
 * `wait` in a sourced script the user can go back, but going back never leads to such a `wait`.
 *
 * line: the next command; after a `wait`, the next that does more than talk or change the screen.  NULL: none
 * follows, or the `wait` is in a sourced script. seconds: how long the stop lasts without an answer; < 0: until a
 * key is pressed. */
typedef enum wlab_present {
    WL_PRESENT_ON,       /* execute the next command */
    WL_PRESENT_BACK,     /* return to the previous stop, with everything as it was there */
    WL_PRESENT_TAKE_OVER /* end the replay here, continue at the prompt */
} wlab_present;
/* Services of a terminal for the session, all on the session's thread; each may be NULL. */
typedef struct wlab_terminal {
    /* Called repeatedly while the worker computes.  It may serve other input (it passes lines to wlab_session_line as
     * usual, which answers WL_C_READS commands) and returns when fd is readable.  NULL: the session waits on fd
     * alone. */
    void (*idle)(void *self, int fd);
    void (*pause)(void *self,
                  double seconds); /* `wait`; seconds < 0: until a key; NULL: `wait` does not wait */
    /* NULL: no presenter mode, `pause` waits instead. */
    wlab_present (*present)(void *self, const char *line, double seconds);
    /* A question of a script: read a line, `what` is expected ("a number"), into answer, "" if it is skipped.  NULL: nobody
     * can be asked. */
    wlab_present (*question)(void *self, const char *what, char *answer, size_t size);
    /* Not NULL: the terminal can show progress panels.  Called when one ends, while it can still be drawn. */
    void (*panel_ends)(void *self);
    void *self;
} wlab_terminal;
void wlab_session_set_terminal(wlab_session *,
                               const wlab_terminal *); /* copied; NULL: none (the initial state) */
/* The bundled lessons, in the order in which they build on each other; a script in two folders counts once.  The first
 * line of a lesson's script is its title, as a comment.  The second may be "# lesson NUMBER, MINUTES minutes" or "# lesson
 * NUMBER, MINUTES minutes, after NAME". */
typedef struct wlab_lesson {
    char *name, *title, *path; /* title: "" if it has none */
    int number, minutes;       /* 0: not given; such lessons come last, by name */
    char after[40];            /* the lesson that it builds on; "": none */
} wlab_lesson;
wlab_code wlab_session_lessons(const wlab_session *, wlab_lesson **, int *n, wlab_err *);
void wlab_lessons_free(wlab_lesson *, int n);
/* The mirror of a run.  NULL if there is no such run, the sink has no `changed`, memory ran out, or, during a job on another
 * run, this mirror was never requested.  Between jobs it is first brought up to date, which is cheap after small changes;
 * during a job it is the state reported so far.  Its pointers are valid until the next command, the next report of the
 * solver, or the next call of this function or of a wlab_session_request_ function. */
const wlab_mirror *wlab_session_mirror(wlab_session *, int run_number);
/* Request mirror->model.  Between jobs it is built at once, on this thread (cheap if it exists).  During a job that
 * steps this run, the worker builds it once, after its next step, unless the job ends with that step.  During any
 * other job it is not built. */
void wlab_session_request_model(wlab_session *, int run_number);
/* Make mirror->predicted from mirror->model, on this thread, also during a job.  Does nothing if that would take more than
 * WL_PREDICTED_QUICK. */
void wlab_session_request_predicted(wlab_session *, int run_number);
/* Make mirror->probe[k], on this thread and only between jobs, so that it never slows a job.  Does nothing for a probe that
 * would be slow in the present state. */
void wlab_session_request_probe(wlab_session *, int run_number, int k);
/* The numbers of the runs that `compare` named last, in that order, as far as they exist and have the same rows as
 * the current run, which must be among them.  Returns how many were stored, 0: none. */
int wlab_session_compared(const wlab_session *, int *numbers, int max);
/* The progress panel of a long command (the cells of a sweep), shown instead of only the elapsed seconds. */
typedef struct wlab_progress_panel {
    const char *name; /* of the command */
    /* Write the panel's lines for a screen of so many rows and columns: at most `rows` lines, each at most `cols`
     * wide and ending in a newline.  Called on the session's thread, whenever the terminal draws. */
    void (*draw)(void *self, int rows, int cols, wlab_buf *out);
    /* Called on the session's thread after each report of the solver, so that the command can print its messages. */
    void (*served)(void *self);
    void *self;
} wlab_progress_panel;
const wlab_progress_panel *
wlab_session_progress_panel(const wlab_session *); /* of the running command, or NULL */
bool wlab_session_running(const wlab_session *);   /* the worker computes */
bool wlab_session_stepping(const wlab_session *);  /* it steps a run */
int64_t wlab_session_job(const wlab_session *);    /* the number of that computation, from 1; 0: none */
/* The effect of a line that the user types while the worker computes: it waits, is answered at once (no answer of its
 * commands depends on whether the worker computes), or ends the session. */
typedef enum wlab_line_kind {
    WL_LINE_WAITS,
    WL_LINE_ANSWERED,
    WL_LINE_QUITS
} wlab_line_kind;
wlab_line_kind wlab_session_line_kind(const wlab_session *, const char *line);
/* The command that an empty line repeats (the last step, stepi, back or continue), or NULL. */
const char *wlab_session_repeat(const wlab_session *);
/* A requested recording has failed (disk full), while the session continued. */
bool wlab_session_record_failed(const wlab_session *);
/* The session's settings: threads, history (MB), pace (seconds), terminal (gnuplot's). */
const wlab_params *wlab_session_settings(const wlab_session *);
extern const wlab_param_info wlab_settings[]; /* their table */

/* ---- contents and output ---- */
wlab_dataset *wlab_session_data(const wlab_session *);    /* current, or NULL */
wlab_problem *wlab_session_problem(const wlab_session *); /* current, or NULL */
wlab_run *wlab_session_run(const wlab_session *);         /* current, or NULL */
wlab_run *wlab_session_find_run(const wlab_session *, const char *name);
wlab_run *wlab_session_run_numbered(const wlab_session *,
                                    int number); /* or NULL: there is no such run any more */
int wlab_session_runs(const wlab_session *, wlab_run **runs,
                      int max); /* in order of making; returns how many there are */
const int32_t *wlab_session_test_rows(const wlab_session *, int64_t *n);
wlab_ctx *wlab_session_ctx(wlab_session *);
/* Other processes that can hold rows of data (`load FILE ranks=all`); they must outlive the session. */
void wlab_session_use_ranks(wlab_session *, wlab_ranks *);
wlab_ranks *wlab_session_ranks(const wlab_session *); /* or NULL */
const wlab_sink *wlab_session_sink(const wlab_session *);
void wlab_session_say(wlab_session *, const char *fmt, ...)
    WLAB_PRINTF(2, 3); /* a message (type "message" in JSON) */
void wlab_session_print(wlab_session *, const char *fmt, ...)
    WLAB_PRINTF(2, 3); /* result text; dropped when JSON */
/* Takes ownership of `object` (which has "type"); printed only if the sink takes JSON. */
void wlab_session_object(wlab_session *, json_t *object);
/* ---- recording and replay ---- */
enum {
    /* The version of the defaults of `algo` and `tune`: a recording is replayed with the defaults of its own
     * version.
     * 1: kernel=linear and sigma=1x; wellsvm's search is exact if few labelings are possible, otherwise paper.
     * 2: wellsvm's search is exact if few labelings are possible, otherwise multistart without a tree search after it.
     * 3: kmeans and softmax-em did not match the names of clusters when another restart was shown.
     * 4: sigma=1nn also with rank= and more than 16 000 rows.
     * 5: the present defaults. */
    WLAB_RECORD_FORMAT = 5
};
/* Record from the session's first command on, whenever the recording begins; an older file is kept as PATH~. */
wlab_code wlab_session_record(wlab_session *, const char *path, wlab_origin, wlab_err *);
wlab_code wlab_session_record_stop(wlab_session *, wlab_err *);
/* The automatic log (main gives its path in the state directory). */
wlab_code wlab_session_autosave(wlab_session *, const char *path, wlab_err *);
/* check: compare digests; WL_EDIFFERS at the first difference, message with both values.  pace: seconds between
 * commands. */
wlab_code wlab_session_replay(wlab_session *, const char *path, bool check, double tol, double pace,
                              wlab_err *);

/* Whether the first line of a recording names another build or type of processor than these here; false: it is no header. */
bool wlab_session_recorded_elsewhere(const wlab_session *, const char *header);

/* What `explain` says of the last step, from the run's present state. */
void wlab_session_explain(const wlab_run *, char *buf, size_t size);

#endif
