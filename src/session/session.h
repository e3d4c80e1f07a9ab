/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A session: data sets, task, runs, settings; the command language over them; recorder and replay.
 * It reads files only as `load` may, writes only where its confinement allows, and speaks through a sink:
 * it never prints, exits or reads the environment.
 */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include "session/mirror.h"
#include <jansson.h>
#include <stdio.h>

typedef struct wlab_session wlab_session;

enum {
    WLAB_COMPARED = 8 /* runs that `compare` takes */
};

/* Where results and messages go.  The terminal prints text; --json prints the objects. */
typedef struct wlab_sink {
    void (*text)(void *self, const char *text);    /* a result, for standard output; may hold many lines */
    void (*message)(void *self, const char *text); /* for standard error: progress, remarks, warnings */
    void (*object)(void *self,
                   const json_t *object); /* a result as JSON; called in place of text when `json` */
    void (*event)(void *self,
                  const wlab_event *); /* what the solver tells, on the session's thread; may be NULL */
    bool json;
    bool terminal; /* a person is there (wait waits, progress is shown) */
    void *self;
    /* the rest may be NULL */
    void (*caption)(void *self, const char *text); /* what `say` says; NULL: as text */
    void (*changed)(
        void *self); /* a mirror, the current run, the data or the task is another than before; NULL: nobody
                                    looks, and no mirrors are kept */
} wlab_sink;

/* What main knows of the surroundings and the library must not ask for. */
typedef struct wlab_places {
    const char *const
        *data_dirs; /* NULL-terminated: --data, $WEAKLAB_DATA, $XDG_DATA_HOME/weaklab, installed */
    const char *const
        *script_dirs;    /* NULL-terminated: where `source` and `lesson` look besides the path as given */
    const char *out_dir; /* --out: where a script may write; "." */
    const char *(*build)(
        void);        /* what identifies this build, asked for when a recording begins; NULL: unknown */
    const char *home; /* what `~/` at the beginning of a typed path stands for; NULL: itself */
} wlab_places;

wlab_code wlab_session_create(wlab_session **, const wlab_sink *, const wlab_places *, int threads,
                              uint64_t seed, wlab_err *);
void wlab_session_destroy(wlab_session *);

/* Where a command line came from: decides on confinement and error places. */
typedef enum wlab_origin {
    WL_FROM_PERSON,
    WL_FROM_SCRIPT
} wlab_origin;
/* Carry out one line (several commands with `;`).  file/line: for messages, may be NULL/0.  Meanwhile, also in the sink's
 * functions, this thread prints numbers with a decimal point, whatever the locale. */
wlab_code wlab_session_line(wlab_session *, const char *line, wlab_origin, const char *file, long number,
                            wlab_err *);
/* A whole script; stops at the first error, whose place is in err. */
wlab_code wlab_session_script(wlab_session *, const char *path, wlab_origin, wlab_err *);
/* Commands from an open stream, `name`d for messages; stops at the first error.  What is no file, a pipe say, is read by
 * its descriptor: nothing of it may be in the stream's buffer. */
wlab_code wlab_session_stream(wlab_session *, FILE *, const char *name, wlab_origin, wlab_err *);
bool wlab_session_quits(const wlab_session *); /* `quit` was carried out */
/* From any thread or a signal handler: stop what runs after its inner unit. */
void wlab_session_interrupt(wlab_session *);
/* Asked twice, or told to end: what would first be finished is given up (wlab_hurried). */
void wlab_session_hurry(wlab_session *);
void wlab_session_clear_interrupt(wlab_session *);
/* Presenter mode: what the person wants at a stop of a replay (without --check) or lesson.  Stops are the places
 * between two commands when there is a pace, and every `wait`.  `line`: the next command (behind a `wait`: the next
 * that does something, `say` and `wait` passed over), NULL: none follows; seconds: how long the stop lasts by itself,
 * < 0: until a key.  An interrupt takes over too, and is no error.  A `wait` in a script that the presented one
 * sources can be left backwards, but not returned to. */
typedef enum wlab_present {
    WL_PRESENT_ON,       /* carry out the next command */
    WL_PRESENT_BACK,     /* to the stop before this one, everything as it was there */
    WL_PRESENT_TAKE_OVER /* the replay ends here, the prompt goes on */
} wlab_present;
/* What a terminal does for the session, all on the session's thread; each may be NULL. */
typedef struct wlab_terminal {
    /* While the worker computes it is called again and again: it may serve other input (lines go to wlab_session_line as
     * ever, which answers what only looks) and returns when fd is readable.  NULL: the session sleeps on fd alone. */
    void (*idle)(void *self, int fd);
    void (*pause)(void *self, double seconds); /* `wait`; seconds < 0: until a key; NULL: no waiting */
    wlab_present (*present)(void *self, const char *line,
                            double seconds); /* NULL: no presenter mode, `pause` waits */
    /* It can show boards; one is put away, while it still may be drawn. */
    void (*board_ends)(void *self);
    void *self;
} wlab_terminal;
void wlab_session_set_terminal(wlab_session *, const wlab_terminal *); /* copied; NULL: none (the start) */
/* The bundled lessons, by name; a script that is found in two folders counts once. */
typedef struct wlab_lesson {
    char *name, *title, *path; /* title: the script's first comment, "" where it has none */
} wlab_lesson;
wlab_code wlab_session_lessons(const wlab_session *, wlab_lesson **, int *n, wlab_err *);
void wlab_lessons_free(wlab_lesson *, int n);
/* The mirror of a run (NULL: there is no such run, the sink has no `changed`, or memory ran out).  Between jobs it is
 * brought up to date, which is cheap when little changed.  While a job goes on it is what was told so far, and NULL
 * for a run whose mirror was never asked for before, unless the job is on it.  What it points to is good until the
 * next command, report of the solver, or call of this or of wlab_session_want_model. */
const wlab_mirror *wlab_session_mirror(wlab_session *, int run_number);
/* Have mirror->model made: between jobs at once, on this thread (cheap when it is there already); during a job that
 * steps this run by the worker after its next step, once, unless the job ends with that; during any other job not
 * at all. */
void wlab_session_want_model(wlab_session *, int run_number);
/* Have mirror->predicted made from mirror->model, on this thread, also during a job.  Only where that is quick
 * (WL_PREDICTED_QUICK). */
void wlab_session_want_predicted(wlab_session *, int run_number);
/* Have mirror->probe[k] made, between jobs only, on this thread: a job's time is not taken for it.  Of a probe that is not
 * quick now: nothing. */
void wlab_session_want_probe(wlab_session *, int run_number, int k);
/* The numbers of the runs that `compare` named last, in that order, as far as they exist and are of the same rows as
 * the current run, which must be among them; how many of them were stored, 0: none. */
int wlab_session_compared(const wlab_session *, int *numbers, int max);
/* What a long command shows of itself while it goes on (a sweep's cells), in place of the seconds alone. */
typedef struct wlab_board {
    const char *name; /* the command's */
    /* Lines for a screen of so many rows and columns, each ending in a newline, none longer, at most `rows`.  Asked on
     * the session's thread, whenever the terminal likes. */
    void (*draw)(void *self, int rows, int cols, wlab_buf *out);
    /* On the session's thread after what the solver told: what is to be said is said. */
    void (*served)(void *self);
    void *self;
} wlab_board;
const wlab_board *wlab_session_board(const wlab_session *); /* of the command under way, or NULL */
bool wlab_session_running(const wlab_session *);            /* the worker computes */
int64_t wlab_session_job(const wlab_session *); /* the number of that computation, from 1; 0: none */
/* What a line that a person typed while the worker computes may do: wait, be answered at once (all its commands
 * say the same whether a run goes or not), or end the session. */
typedef enum wlab_line_kind {
    WL_LINE_WAITS,
    WL_LINE_ANSWERED,
    WL_LINE_QUITS
} wlab_line_kind;
wlab_line_kind wlab_session_line_kind(const wlab_session *, const char *line);
/* What an empty line repeats (the last step, stepi, back or continue), or NULL. */
const char *wlab_session_repeat(const wlab_session *);
/* A recording that was asked for broke off (disk full); the session went on. */
bool wlab_session_record_failed(const wlab_session *);
/* The values that `set` gave: threads, history (MB), pace (seconds), terminal (gnuplot's). */
const wlab_params *wlab_session_settings(const wlab_session *);
extern const wlab_param_info wlab_settings[]; /* their table */

/* ---- what it holds, and says ---- */
wlab_dataset *wlab_session_data(const wlab_session *);    /* current, or NULL */
wlab_problem *wlab_session_problem(const wlab_session *); /* current, or NULL */
wlab_run *wlab_session_run(const wlab_session *);         /* current, or NULL */
wlab_run *wlab_session_find_run(const wlab_session *, const char *name);
int wlab_session_runs(const wlab_session *, wlab_run **runs,
                      int max); /* in order of making; returns how many there are */
const int32_t *wlab_session_test_rows(const wlab_session *, int64_t *n);
wlab_ctx *wlab_session_ctx(wlab_session *);
const wlab_sink *wlab_session_sink(const wlab_session *);
void wlab_session_say(wlab_session *, const char *fmt, ...)
    WLAB_PRINTF(2, 3); /* a message (type "message" in JSON) */
void wlab_session_print(wlab_session *, const char *fmt, ...)
    WLAB_PRINTF(2, 3); /* result text; dropped when JSON */
/* Steals `object` (which has "type"); printed only when the sink speaks JSON. */
void wlab_session_object(wlab_session *, json_t *object);
/* ---- recording and replay ---- */
enum {
    /* What `algo` and `tune` leave unsaid changed its meaning; a recording is replayed with that of its own time.
     * 1: kernel=linear, sigma=1x; wellsvm's search=exact where few labelings are possible, else paper.
     * 2: search=multistart there, without a tree behind it. */
    WLAB_RECORD_FORMAT = 3
};
/* From the session's first command on, whenever the recording begins; an older file is kept as PATH~. */
wlab_code wlab_session_record(wlab_session *, const char *path, wlab_origin, wlab_err *);
wlab_code wlab_session_record_stop(wlab_session *, wlab_err *);
/* The log that is always kept (state directory given by main). */
wlab_code wlab_session_autosave(wlab_session *, const char *path, wlab_err *);
/* check: compare digests; WL_EDIFFERS at the first difference, message with both values.  pace: seconds between
 * commands. */
wlab_code wlab_session_replay(wlab_session *, const char *path, bool check, double tol, double pace,
                              wlab_err *);

#endif
