/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Completion: the words that may stand where a person types, each with what it means.  The settings of a command
 * come from its table of parameters, its words from its own hook (wlab_command.offer).
 */
#ifndef SESSION_COMPLETE_H
#define SESSION_COMPLETE_H

#include "session/command.h"

enum {
    WL_OFFER_OPEN = 1,  /* goes on without a blank: `kernel=`, a folder's name */
    WL_OFFER_VALUE = 2, /* of offers->key, behind its `=`: others are not taken there */
    WL_OFFER_PLAIN = 4  /* no word that could need quotes: an operator */
};

typedef struct wlab_offer {
    char *text;    /* as it is, without quotes; it replaces what is typed of the word */
    char *note;    /* default, legal values, unit; the value now; "" */
    char *meaning; /* one line, or "" */
    unsigned flags;
} wlab_offer;

/* What was found, and for the hooks what they are asked. */
typedef struct wlab_offers {
    wlab_offer *list; /* each text once */
    int n;
    const wlab_args *typed; /* of this command: the words and settings before the one being typed */
    const char *key;        /* the setting whose value is typed, or NULL */
    char *prefix;           /* what is typed of the word: others are not taken */
    bool quoted;            /* behind an opening quote */
    bool no_settings;       /* set by a hook: the settings of `params` do not fit here */
    bool failed;            /* memory ran out */
} wlab_offers;

/* All that may stand at line[begin .. len-1], the beginning of a word up to the cursor: commands, where the
 * command is known its words and settings, behind `key=` the values.  `begin` stands behind a blank, `;`, `key=`
 * or an opening quote; elsewhere there is nothing.  May be called while a run goes.  Reads folders, no files. */
wlab_code wlab_session_complete(const wlab_session *, const char *line, size_t begin, size_t len,
                                wlab_offers *, wlab_err *);
void wlab_offers_clear(wlab_offers *);

/* ---- for the hooks ---- */
/* Take the word if it begins as what is typed; note and meaning may be NULL. */
void wlab_offers_add(wlab_offers *, const char *text, const char *note, const char *meaning, unsigned flags);
/* All of a NULL-terminated list, with their meanings in the same order (or NULL). */
void wlab_offers_list(wlab_offers *, const char *const *text, const char *const *meaning);
/* `name=` of the settings that are not on the line yet, or the values of offers->key if it is in the table.
 * now: values to show (or NULL); flags: only settings that have all of these (WL_P_MUTABLE, or 0). */
void wlab_offers_params(wlab_offers *, const wlab_session *, const wlab_param_info *table,
                        const wlab_params *now, unsigned flags);
/* The runs that are not on the line yet; the current one too where `current`. */
void wlab_offers_runs(wlab_offers *, const wlab_session *, bool current);
/* iter, inner and the metrics of the current run, of all algorithms where there is none. */
void wlab_offers_metrics(wlab_offers *, const wlab_session *);
/* What may follow in a condition, or an expression of `display`, of which `before` stands on the line. */
void wlab_offers_condition(wlab_offers *, const wlab_session *, const char *before);
typedef enum wlab_file_kind {
    WL_FILES_ANY,    /* as the path is given */
    WL_FILES_DATA,   /* there, and where `load` looks */
    WL_FILES_SCRIPTS /* there, and where `source` looks: .wlab, others only where there is none */
} wlab_file_kind;
/* Files and folders; `before` ("@", say) stands in front of each name. */
void wlab_offers_files(wlab_offers *, const wlab_session *, wlab_file_kind, const char *before);

#endif
