/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Parameters: one description serves parsing, checking, completion, help, the tables of the man pages and error messages.
 * Commands, readers, generators, tasks, algorithms and views describe their parameters this way.
 */
#ifndef WEAKLAB_PARAM_H
#define WEAKLAB_PARAM_H

#include "weaklab/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum wlab_param_type {
    WL_P_REAL,
    WL_P_INT,
    WL_P_BOOL,   /* yes|no (also on|off, true|false, 1|0) */
    WL_P_CHOICE, /* one of `choices` */
    WL_P_TEXT,   /* free text; the code that uses it checks it */
    WL_P_FILE,   /* a path to read */
    WL_P_SCALED, /* a number, or a number and a unit from `choices` (2x): that multiple of the length that `meaning` describes */
} wlab_param_type;

enum {
    WL_P_MUTABLE = 1, /* `set` may change it between steps */
    WL_P_OPEN_LO = 2, /* lo itself is excluded */
    WL_P_OPEN_HI = 4,
    /* It sets other parameters and has no effect of its own (C= for C1 and C2); wlab_algo.setting has their values. */
    WL_P_ALIAS = 8,
    /* It changes the function that the algorithm minimises, or the set over which it does: objectives of runs with
     * different values are not comparable. */
    WL_P_OBJECTIVE = 16,
    WL_P_KERNEL =
        32, /* it is a part of the kernel, which `wlab_algo.kernel` knows after `auto` and units are resolved */
    WL_P_FACTOR =
        64, /* rank=: above 0 the algorithm works by a factor of the kernel matrix (algo/lowrank.h) */
};

typedef struct wlab_param_info {
    const char *name;
    wlab_param_type type;
    const char *fallback;       /* default as it would be typed; NULL: none */
    double lo, hi;              /* REAL, INT, SCALED: legal range; lo = hi = 0: any */
    const char *const *choices; /* CHOICE, SCALED (its units): NULL-terminated */
    const char *unit;           /* or NULL */
    const char *meaning;        /* one line, with the paper's symbol */
    unsigned flags;
} wlab_param_info; /* tables end with name = NULL.  `fallback` of that last entry may be "name=value ...": removed settings,
                      each with the only value that is left.  Giving that value is no error and has no effect, so that
                      old recordings replay. */

typedef struct wlab_params wlab_params; /* values for one table */

/* The description of a parameter in a table (NULL: none), or NULL. */
const wlab_param_info *wlab_param_find(const wlab_param_info *table, const char *name);
bool wlab_param_known(const wlab_param_info *table, const char *name); /* whether there is one */
/* All parameters at their defaults; the table must outlive the result.  WL_EARG if a default itself is not legal. */
wlab_code wlab_params_create(wlab_params **, const wlab_param_info *table, wlab_err *);
wlab_code wlab_params_copy(wlab_params **, const wlab_params *, wlab_err *);
void wlab_params_destroy(wlab_params *);
const wlab_param_info *wlab_params_table(const wlab_params *); /* NULL of NULL */
/* Checks and sets a value.  WL_EARG, and the old value is kept: for an unknown name the message suggests the nearest, for a
 * bad value it gives the legal range.  Refuses control characters other than tabs, because a value must fit on one line of
 * a session. */
wlab_code wlab_params_set(wlab_params *, const char *name, const char *value, wlab_err *);
bool wlab_params_given(const wlab_params *, const char *name); /* set explicitly, not by default */
/* Whether two sets of values of one table give this parameter the same text, or neither gives it. */
bool wlab_params_agree(const wlab_params *, const wlab_params *, const char *name);
/* The value as it was typed, or the default; NULL if there is none. */
const char *wlab_params_text(const wlab_params *, const char *name);
/* Whether two texts of values are equal, as numbers up to 1e-9 of their size: 1/3 may be typed as 0.3333333333.  NULL equals
 * NULL only. */
bool wlab_param_same_value(const char *, const char *);
double wlab_params_real(const wlab_params *, const char *name); /* NaN if there is none */
int64_t wlab_params_int(const wlab_params *, const char *name);
bool wlab_params_bool(const wlab_params *, const char *name);
int wlab_params_choice(const wlab_params *, const char *name); /* index into choices */
int wlab_params_scale(const wlab_params *,
                      const char *name); /* SCALED: index of its unit; -1: a plain number */
/* Appends "name=value ..." for all explicitly set parameters, in table order, quoted if the command language needs it. */
wlab_code wlab_params_format(const wlab_params *, wlab_buf *out);

#ifdef __cplusplus
}
#endif

#endif
