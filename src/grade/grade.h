/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Grading: students' recorded sessions against an exercise.  What is executed are the exercise's commands.  A student's file
 * gives only the answers to its questions, and the commands of its turns, of which only those are executed that work on
 * runs (WL_C_OWN).  Each file has a process of its own (grader.c), which is limited in time, memory and what it writes.
 */
#ifndef GRADE_GRADE_H
#define GRADE_GRADE_H

#include "session/command.h"

/* A command of an exercise or of a student's file, as a recording has it. */
typedef struct wlab_worksheet_line {
    char *text;                  /* with its name; without given= */
    char *given;                 /* the answer; NULL: none, or skipped */
    char *check;                 /* what the mark after it says about the answer; NULL: nothing */
    const wlab_command *command; /* NULL: there is none of that name */
    long line;                   /* in the file */
    int item;                    /* its number among the items, from 1; 0: it is none */
    char **mark;                 /* the `#@` lines after it, without `#@ ` */
    int marks;
} wlab_worksheet_line;

typedef struct wlab_worksheet {
    wlab_worksheet_line *line; /* those that only talk or change the screen are left out */
    int n, items;
    bool elsewhere; /* recorded by another build, or on another type of processor */
} wlab_worksheet;

/* Reads an ordinary file of at most some MB.  WL_EIO; WL_EINPUT: not text. */
wlab_code wlab_worksheet_read(wlab_worksheet *, const wlab_session *, const char *path, wlab_err *);
void wlab_worksheet_clear(wlab_worksheet *);
/* WL_EINPUT: an exercise has no items, or a command that is unknown or cannot be followed. */
wlab_code wlab_worksheet_check(const wlab_worksheet *, const char *path, wlab_err *);
/* Whether the answer is the one that was recorded. */
bool wlab_worksheet_untouched(const wlab_worksheet_line *);
/* Finds the student's line of each of the exercise's, hit[exercise->n] (-1: none), and where its turn ends, end[].  Returns
 * the student's line at which the two part, or -1. */
int wlab_worksheet_follow(const wlab_worksheet *exercise, const wlab_worksheet *student, int *hit, int *end);

/* A session with all commands of the program, without a terminal. */
typedef wlab_code (*wlab_grade_opens)(wlab_session **, const wlab_sink *, const wlab_places *, uint64_t seed,
                                      wlab_err *);
/* The process of one student's file: argv is EXERCISE STUDENT FOLDER SECONDS SEED, then the folders of data.  Writes one
 * JSON object per line to standard output.  Returns the exit status. */
int wlab_grader(int argc, char **argv, const wlab_places *, wlab_grade_opens);
#define WLAB_GRADER "--grader" /* the option of the program that starts it; not for people */
enum {
    WLAB_GRADER_WORDS = 5 /* after it, before the folders of data */
};

wlab_code wlab_grade_register(wlab_session *, wlab_err *);

#endif
