/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Conditions: small expressions over a run's metrics, for `continue until`, `break` and `display`.
 *
 *   condition := comparison { ("and" | "or") comparison } | "not" condition | "(" condition ")"
 *   comparison := sum ("<" | "<=" | ">" | ">=" | "==" | "!=") sum | METRIC ("increases" | "decreases" | "changes")
 *   sum := product { ("+" | "-") product };  product := factor { ("*" | "/") factor }
 *   factor := NUMBER | METRIC | "-" factor | "(" sum ")" | "abs" "(" sum ")"
 *
 * "not" binds tighter than "and", "and" tighter than "or".  A metric without a value (NaN), or a result that is
 * not a number, makes its comparison false; wlab_expr_true reports which metric.
 */
#ifndef WEAKLAB_EXPR_H
#define WEAKLAB_EXPR_H

#include "weaklab/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wlab_expr wlab_expr;

/* Parse text over the names known[0..n-1] ("iter", "inner" and the metrics).  WL_EINPUT with column;
 * unknown names are answered with the nearest. */
wlab_code wlab_expr_create(wlab_expr **, const char *text, const char *const *known, int n, wlab_err *);
/* The same for `display`: a sum, or a condition whose value is 1 or 0. */
wlab_code wlab_expr_create_value(wlab_expr **, const char *text, const char *const *known, int n, wlab_err *);
bool wlab_expr_is_condition(const wlab_expr *);
void wlab_expr_destroy(wlab_expr *);
/* Value now and one step before (NULL: there is none; increases and its kin are then false).
 * *missing: index of a metric without a value that took part, or -1. */
bool wlab_expr_true(const wlab_expr *, const double *now, const double *before, int *missing);
/* NaN where a metric has no value. */
double wlab_expr_value(const wlab_expr *, const double *now, const double *before, int *missing);
const char *wlab_expr_text(const wlab_expr *);
/* Whether it reads the name with this index: a stop by a volatile metric is recorded as what it did. */
bool wlab_expr_uses(const wlab_expr *, int index);

#ifdef __cplusplus
}
#endif

#endif
