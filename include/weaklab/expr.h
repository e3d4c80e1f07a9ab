/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Expressions: conditions over a run's metrics, for `continue until`, `break` and `display`; formulas over the columns
 * of data, for `generate formula`.
 *
 *   condition := comparison { ("and" | "or") comparison } | "not" condition | "(" condition ")"
 *   comparison := sum ("<" | "<=" | ">" | ">=" | "==" | "!=") sum | METRIC ("increases" | "decreases" | "changes")
 *   sum := product { ("+" | "-") product };  product := factor { ("*" | "/") factor }
 *   factor := ["-"] power;  power := primary ["^" factor]
 *   primary := NUMBER | METRIC | "pi" | "(" sum ")" | ("abs" | "sin" | "cos" | "exp" | "log" | "sqrt") "(" sum ")"
 *              | ("min" | "max") "(" sum "," sum ")"
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

/* Parses text over the names known[0..n-1] ("iter", "inner" and the metrics).  WL_EINPUT with the column; the message for
 * an unknown name suggests the nearest. */
wlab_code wlab_expr_create(wlab_expr **, const char *text, const char *const *known, int n, wlab_err *);
/* The same for `display`: a sum, or a condition whose value is 1 or 0. */
wlab_code wlab_expr_create_value(wlab_expr **, const char *text, const char *const *known, int n, wlab_err *);
enum {
    WL_EXPR_COLUMNS = 40 /* of a formula */
};
/* A formula: a sum over the names x1 .. x<columns>, at most WL_EXPR_COLUMNS. */
wlab_code wlab_expr_create_formula(wlab_expr **, const char *text, int columns, wlab_err *);
bool wlab_expr_is_condition(const wlab_expr *);
void wlab_expr_destroy(wlab_expr *);
/* Evaluates the condition on the values now and one step before.  before NULL: there is no step before; `increases`,
 * `decreases` and `changes` are then false.  *missing: the index of the first metric of the condition that has no value
 * now, or -1. */
bool wlab_expr_true(const wlab_expr *, const double *now, const double *before, int *missing);
/* The value: of a sum, NaN if one of its metrics has no value; of a condition, 1 or 0. */
double wlab_expr_value(const wlab_expr *, const double *now, const double *before, int *missing);
const char *wlab_expr_text(const wlab_expr *);
/* Whether the expression reads known[index].  If a condition on a volatile metric (such as seconds) stops a run, the
 * session file records the number of steps instead; this function finds such conditions. */
bool wlab_expr_uses(const wlab_expr *, int index);

#ifdef __cplusplus
}
#endif

#endif
