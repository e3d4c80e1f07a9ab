/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Asserts that two results of cells are the same.
 */
#ifndef TESTS_SAME_RESULT_H
#define TESTS_SAME_RESULT_H

#include "study/experiment/result.h"
#include "support.h"

static inline void same_text(const char *a, const char *b)
{
    if (a && b)
        assert_string_equal(a, b);
    else
        assert_true(a == b);
}

static inline void same_result(const wlab_result *a, const wlab_result *b)
{
    assert_int_equal(a->number, b->number);
    assert_string_equal(a->key, b->key);
    same_text(a->error, b->error);
    same_text(a->parameters, b->parameters);
    same_text(a->verdict, b->verdict);
    assert_int_equal(a->iter, b->iter);
    assert_true(a->scores ? json_equal(a->scores, b->scores) : !b->scores);
    assert_true(a->tuning ? json_equal(a->tuning, b->tuning) : !b->tuning);
    assert_true(a->seconds == b->seconds && a->tuning_seconds == b->tuning_seconds);
    same_text(a->digest, b->digest);
    same_text(a->session, b->session);
    same_text(a->version, b->version);
    same_text(a->build, b->build);
}

#endif
