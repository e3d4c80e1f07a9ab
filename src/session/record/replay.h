/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A replay or a lesson under way: the script and the place in it, what is compared with it (replay.c), and the
 * stops at which a person may go on, go back or take over (present.c).
 */
#ifndef SESSION_REPLAY_H
#define SESSION_REPLAY_H

#include "session/internal.h"

/* A place where the person was asked, and the session as it was there. */
typedef struct wlab_place {
    int line;
    size_t pos;
    int njournal;
    int64_t others;
    uint64_t seed;
    wlab_params *settings;
    int run, changes; /* the current run's number, or 0; what had been set in it */
    int64_t iter, half;
} wlab_place;

typedef struct wlab_replay {
    bool check, exact;
    double tol;
    char **mark; /* that the command under way made */
    int nmarks, next;
    char sha256[65]; /* of the next data set, "" */
    int64_t bytes;
    const char *header; /* the recorded one, or NULL */
    int format;         /* that it names; 0: a script without a header */

    const char *path;
    char **line;
    int n;
    int at;     /* the line under way */
    size_t pos; /* where in it the next command begins; 0 unless it is presented */
    double pace;
    bool lesson;
    bool presents;
    int depth;        /* of its own commands: those of a script that it sources lie deeper */
    int began;        /* the journal's length at the start */
    int commands;     /* carried out, or gone back over */
    bool waited;      /* the command before was a wait */
    bool said;        /* ... was a say */
    wlab_place *stop; /* those that were gone on from, in order */
    int nstops;
    wlab_present answer; /* what the person said last; not ON: a command is being left because of it */
} wlab_replay;

static inline bool wlab_is_mark(const char *line)
{
    return line[0] == '#' && line[1] == '@' && line[2] == ' ';
}

/* Before line[i] is carried out: forget the marks of the command before, and find the data that it will load. */
void wlab_replay_expect(wlab_replay *, char *const *line, int n, int i);
/* A copy of the command at *pos of a line, blanks in place of what stands before it so that columns stay; *pos moves
 * behind it, to 0 after the last.  NULL: out of memory. */
char *wlab_replay_cut(const char *line, size_t *pos);
/* What the command that a line of a script begins with says of itself (WL_C_); 0: no command. */
unsigned wlab_line_flags(const wlab_session *, const char *line);

/* ---- presenting (present.c) ---- */
bool wlab_replay_presents(const wlab_session *); /* there is a person to ask */
/* `wait` in a presented script.  WL_EINTERRUPTED: the answer was not ON. */
wlab_code wlab_replay_wait(wlab_session *, double seconds, wlab_err *);
/* The stop before the next command.  The answer is in replay->answer. */
wlab_code wlab_replay_stop(wlab_session *, const char *line, double seconds, wlab_err *);
/* The session is put back to the last stop, which becomes the place of the replay.  WL_EINTERRUPTED: it is at an
 * earlier command of the script, and so is its record. */
wlab_code wlab_replay_back(wlab_session *, wlab_err *);
void wlab_replay_forget_stops(wlab_replay *);

#endif
