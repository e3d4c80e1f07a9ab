/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs of the toy algorithm in a session.
 */
#ifndef WEAKLAB_TESTS_TOY_SESSION_H
#define WEAKLAB_TESTS_TOY_SESSION_H

#include "session/internal.h"
#include "support.h"
#include "unit/toy.h"

static wlab_problem problem = {.refs = 1, .n = TOY_ROWS};

/* Adds to the session a run of `algo`, the toy algorithm or a variant of it, and sets parameter `key` to `value` unless
 * `key` is NULL. */
static inline wlab_run *add_toy_of(wlab_session *s, const wlab_algo *algo, const char *name, const char *key,
                                   const char *value)
{
    wlab_params *params = NULL;
    wlab_run *run = NULL;
    wlab_err err;

    ASSERT_OK(wlab_params_create(&params, toy_params, &err), err);
    if (key)
        ASSERT_OK(wlab_params_set(params, key, value, &err), err);
    ASSERT_OK(wlab_run_create(&run, name, s->held.runs_made + 1, &problem, algo, params, 0, NULL, &err), err);
    wlab_params_destroy(params);
    ASSERT_OK(wlab_session_add_run(s, run, &err), err);
    return run;
}

static inline wlab_run *add_toy(wlab_session *s, const char *name, const char *key, const char *value)
{
    return add_toy_of(s, &toy_algo, name, key, value);
}

#endif
