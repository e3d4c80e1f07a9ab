/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What stands on a command's line behind its name.
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
    const wlab_params *params; /* settings checked against the command's table; NULL where it has none */
} wlab_args;

/* A table of settings from args: params created, every key set. */
wlab_code wlab_args_params(const wlab_args *, const wlab_param_info *table, wlab_params **, wlab_err *);
/* [N] of step, stepi, back: 1 when left out, at least 1. */
wlab_code wlab_args_count(const wlab_args *, const char *command, int64_t *count, wlab_err *);
/* Nothing but the command's name may stand on the line. */
wlab_code wlab_args_none(const wlab_args *, const char *command, wlab_err *);
/* The text behind a command's name: unquoted when it is one quoted word. */
const char *wlab_args_text(const wlab_args *);
/* WL_EARG: word[which] stands where a setting should; says how it would be written. */
wlab_code wlab_args_stray(const wlab_args *, int which, wlab_err *);

#endif
