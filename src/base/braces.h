/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Values in braces: one setting that stands for several, in experiments and in `tune`.
 */
#ifndef WEAKLAB_BASE_BRACES_H
#define WEAKLAB_BASE_BRACES_H

#include "weaklab/base.h"

enum {
    WLAB_BRACES_MOST = 10000 /* values of one brace */
};

/* The values that `value` stands for: "{a,b,c}" three, "{1..5}" five integers, "{0.5,1}x" 0.5x and 1x; a value without
 * braces stands for itself.  There is at most one pair of braces, and its values differ.  *list (wlab_braces_free) has
 * *n >= 1 strings.  WL_EINPUT with the column in `value`, from 1. */
wlab_code wlab_braces_values(const char *value, char ***list, int *n, wlab_err *err);
void wlab_braces_free(char **list, int n); /* NULL is fine */
bool wlab_braces_in(const char *value);    /* whether it contains { or }, well-formed or not */

#endif
