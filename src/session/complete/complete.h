/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Completion: the words that may be typed at a place, each with its meaning.  The settings of a command come from its
 * table of parameters, its words from its own hook (wlab_command.offer).
 */
#ifndef SESSION_COMPLETE_H
#define SESSION_COMPLETE_H

#include "session/command.h"

enum {
    WL_OFFER_OPEN = 1,  /* typing continues without a blank: `kernel=`, a folder's name */
    WL_OFFER_VALUE = 2, /* a value of offers->key, after its `=`: other offers are dropped there */
    WL_OFFER_PLAIN = 4  /* never needs quotes: an operator */
};

typedef struct wlab_offer {
    char *text;    /* without quotes; it replaces the typed part of the word */
    char *note;    /* default or current value, legal values, unit; "" */
    char *meaning; /* one line, or "" */
    unsigned flags;
} wlab_offer;

/* The offers found, and for the hooks the place to complete. */
typedef struct wlab_offers {
    wlab_offer *list; /* each text once */
    int n;
    const wlab_args *typed; /* the command's words and settings before the word being typed */
    const char *key;        /* the setting whose value is being typed, or NULL */
    char *
        prefix; /* the typed part of the word: offers that do not begin with it (terms: whatever the case) are dropped */
    bool quoted;      /* after an opening quote */
    bool no_settings; /* set by a hook: the settings of `params` are not legal here */
    bool failed;      /* memory ran out */
} wlab_offers;

/* Everything that may complete line[begin .. len-1], the beginning of a word up to the cursor: commands; for a known
 * command its words and settings; after `key=` the values.  `begin` is after a blank, `;`, `key=` or an opening
 * quote; elsewhere nothing is offered.  May be called while the worker computes.  Reads folders, no files. */
wlab_code wlab_session_complete(const wlab_session *, const char *line, size_t begin, size_t len,
                                wlab_offers *, wlab_err *);
void wlab_offers_clear(wlab_offers *);

/* ---- for the hooks ---- */
/* Add the word if it begins with the typed prefix; note and meaning may be NULL. */
void wlab_offers_add(wlab_offers *, const char *text, const char *note, const char *meaning, unsigned flags);
/* All of a NULL-terminated list, with their meanings in the same order (or NULL). */
void wlab_offers_list(wlab_offers *, const char *const *text, const char *const *meaning);
/* Add `name=` for the settings that are not on the line yet, or the values of offers->key if it is in the table.
 * now: values to show (or NULL); flags: only settings that have all of these (WL_P_MUTABLE, or 0). */
void wlab_offers_params(wlab_offers *, const wlab_session *, const wlab_param_info *table,
                        const wlab_params *now, unsigned flags);
/* The runs that are not on the line yet; also the current one if `current`. */
void wlab_offers_runs(wlab_offers *, const wlab_session *, bool current);
/* iter, inner and the metrics of the current run, or of all algorithms if there is none. */
void wlab_offers_metrics(wlab_offers *, const wlab_session *);
/* What may follow `before` in a condition or in an expression of `display`. */
void wlab_offers_condition(wlab_offers *, const wlab_session *, const char *before);
typedef enum wlab_file_kind {
    WL_FILES_ANY,    /* as the path is given */
    WL_FILES_DATA,   /* as given, and where `load` looks */
    WL_FILES_SCRIPTS /* as given, and where `source` looks: .wlab; others only if there is none */
} wlab_file_kind;
/* Files and folders; `before` (for example "@") is put in front of each name. */
void wlab_offers_files(wlab_offers *, const wlab_session *, wlab_file_kind, const char *before);

#endif
