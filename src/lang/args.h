/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The arguments of a command: what follows its name on the line.
 */
#ifndef LANG_ARGS_H
#define LANG_ARGS_H

#include "weaklab/param.h"

typedef struct wlab_args {
    int nwords;
    char **word; /* words without '=', the command's name left out */
    int nsettings;
    char **key, **value;       /* key=value, in order */
    const char *rest;          /* the line after the command's name, trimmed */
    long at;                   /* the column of rest, from 1 */
    const wlab_params *params; /* settings checked against the command's table; NULL: it has none */
} wlab_args;

/* Create params from a table of settings and set every key of args. */
wlab_code wlab_args_params(const wlab_args *, const wlab_param_info *table, wlab_params **, wlab_err *);
/* [N] of step, stepi, back: 1 when left out, at least 1. */
wlab_code wlab_args_count(const wlab_args *, const char *command, int64_t *count, wlab_err *);
/* WL_EARG if there are any arguments. */
wlab_code wlab_args_none(const wlab_args *, const char *command, wlab_err *);
/* The text behind a command's name, without quotes if it is one quoted word. */
const char *wlab_args_text(const wlab_args *);
/* Returns `code`, the result of a function that parsed `text`, a part of the command's arguments.  If err has a
 * column in `text`, it becomes the column in the line. */
wlab_code wlab_args_place(const wlab_args *, const char *text, wlab_code code, wlab_err *);
/* WL_EARG: word[which] is not a setting; the message says how to write it as one. */
wlab_code wlab_args_stray(const wlab_args *, int which, wlab_err *);

#endif
