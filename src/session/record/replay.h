/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A replay or a lesson under way: the script and the current place in it, the marks to compare (replay.c), and the
 * stops at which the user may continue, go back or take over (present.c).
 */
#ifndef SESSION_REPLAY_H
#define SESSION_REPLAY_H

#include "session/internal.h"

/* A stop at which the user was asked, with the state of the session there. */
typedef struct wlab_place {
    int line;
    size_t pos;
    int njournal;
    int64_t others;
    uint64_t seed;
    wlab_params *settings;
    int run, changes; /* the current run's number, or 0; how many changes of its parameters */
    int64_t iter, half;
} wlab_place;

typedef struct wlab_replay {
    bool check, exact;
    double tol;
    char **mark; /* made by the current command */
    int nmarks, next;
    char sha256[65]; /* of the next data set, "" */
    int64_t bytes;
    const char *header; /* the recorded one, or NULL */
    int format;         /* the format it names; 0: a script without a header */

    char *path;
    char **line;
    int n;
    int at;     /* the current line */
    size_t pos; /* where in it the next command begins; 0 unless it is presented */
    double pace;
    bool lesson;
    bool presents;
    int depth;        /* of its own commands; those of a script that it sources are deeper */
    int began;        /* the journal's length at the start */
    int commands;     /* executed, including those undone by going back */
    bool waited;      /* the previous command was a wait */
    bool said;        /* the previous command was a say */
    wlab_place *stop; /* the stops passed so far, in order */
    int nstops;
    bool turn; /* the previous command gave the user a turn: `resume` continues with the state that is left */
    wlab_present answer; /* the user's last answer; not ON: the current command is being left because of it */

    /* `resume` after commands of the user's own: the commands before this place are executed silently, without stops. */
    int silent_to;     /* a line; 0: not silent */
    size_t silent_pos; /* and in it */
} wlab_replay;

static inline bool wlab_is_mark(const char *line)
{
    return line[0] == '#' && line[1] == '@' && line[2] == ' ';
}

/* Before line[i] is executed: drop the marks of the previous command, and find the data that line[i] will load. */
void wlab_replay_expect(wlab_replay *, char *const *line, int n, int i);
/* A copy of the command at *pos of a line, with blanks for the text before it, so that columns are kept.  Moves *pos
 * after it, or to 0 after the last command.  NULL: out of memory. */
char *wlab_replay_cut(const char *line, size_t *pos);
/* The flags (WL_C_) of the command at the beginning of a script's line; 0: no command. */
unsigned wlab_line_flags(const wlab_session *, const char *line);

/* ---- presenting (present.c) ---- */
bool wlab_replay_presents(const wlab_session *); /* there is a user to ask */
/* Reads the user's answer to a question, for which `what` ("a number") is expected; "": skipped.  In a presented script the
 * question is a stop.  *asked false: nobody can be asked, here or now.  WL_EINTERRUPTED: the user left or went back. */
wlab_code wlab_replay_question(wlab_session *, const char *what, char *answer, size_t size, bool *asked,
                               wlab_err *);
/* The current command of the presented script gives the user a turn, unless the script has the commands of that turn
 * already, up to `resume`.  Returns whether it does. */
bool wlab_replay_turn(wlab_session *);
/* `wait` in a presented script.  WL_EINTERRUPTED: the answer was not ON. */
wlab_code wlab_replay_wait(wlab_session *, double seconds, wlab_err *);
/* The stop before the next command.  The answer is in replay->answer. */
wlab_code wlab_replay_stop(wlab_session *, const char *line, double seconds, wlab_err *);
/* Go back to the last stop and continue the replay there.  WL_EINTERRUPTED: going back was interrupted; the session,
 * and with it the record, is now at an earlier command of the script. */
wlab_code wlab_replay_back(wlab_session *, wlab_err *);
void wlab_replay_forget_stops(wlab_replay *);
/* While nothing is printed, the session's own sink is in *loud. */
void wlab_replay_silence(wlab_session *, wlab_sink *loud);
void wlab_replay_end_silence(wlab_session *);
void wlab_replay_report_progress(const wlab_session *, int64_t done, int64_t total);
/* Show the panes that the script's last `dashboard show` before this line requested. */
wlab_code wlab_replay_restore_panes(wlab_session *, int line, wlab_err *);
/* Repeat the captions since the last stop. */
wlab_code wlab_replay_repeat_captions(wlab_session *, wlab_err *);
/* Remember a stop at the current place without asking the user. */
wlab_code wlab_replay_pass_stop(wlab_session *, wlab_err *);

#endif
