/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Scores by hidden labels, for the commands that make runs and take conditions.
 */
#ifndef SESSION_COMMANDS_SCORE_H
#define SESSION_COMMANDS_SCORE_H

#include "session/internal.h"

/* Make the run compute those of these sets that its problem has (wlab_run_score). */
wlab_code wlab_session_score_run(wlab_session *, wlab_run *, unsigned sets, wlab_err *);
/* Remind the user that a condition with a hidden_ score is no stopping rule. */
void wlab_session_note_hidden(wlab_session *, const char *condition);

#endif
