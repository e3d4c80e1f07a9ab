/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Questions of lessons and exercises, and turns.  Their state is in the journal alone: a question is open from its line to
 * the next stepping command, a turn from its line to `resume`.  So going back, `resume` and a replay need no other record.
 */
#ifndef SESSION_QUESTIONS_H
#define SESSION_QUESTIONS_H

#include "session/internal.h"

/* Compare the answers to the open questions with the current run, after a step. */
void wlab_questions_answer(wlab_session *);
bool wlab_questions_off(const wlab_session *); /* set questions=no */
/* What is left of a question then: in a presented script a stop, as at `wait`. */
wlab_code wlab_question_pass(wlab_session *, wlab_err *);
/* Obtains the answer to the question `line` (the whole command), in this order: `given` if it is not NULL (then it is in the
 * line), from the terminal, and, where a script is executed silently up to its place, from the journal.  `accept` turns the typed text into
 * the one that is recorded, or says false; `what` describes it.  Records the command with given=ANSWER, and a mark that
 * shows whether somebody has edited it.  answer is "" if nobody answers, or skips. */
wlab_code wlab_question_obtain(wlab_session *, const char *line, const char *given, const char *what,
                               bool (*accept)(void *data, const char *typed, char *answer, size_t size),
                               void *data, char *answer, size_t size, wlab_err *);

typedef enum wlab_turn {
    WL_TURN_NONE, /* there was none */
    WL_TURN_OPEN, /* its commands follow, or nobody has taken it */
    WL_TURN_TAKEN
} wlab_turn;
wlab_turn wlab_turn_of(const wlab_session *); /* the last one in the journal */
/* Executes again the commands that the journal has of the turn `line`, and records them after it, with `resume`. */
wlab_code wlab_turn_again(wlab_session *, const char *line, wlab_err *);

extern const wlab_param_info wlab_ask_params[];

#endif
