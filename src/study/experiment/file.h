/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files of the experiment language share: lines cut into words, settings checked with their tables, and
 * what is known of a file while it is read.
 */
#ifndef EXPERIMENT_FILE_H
#define EXPERIMENT_FILE_H

#include "lang/phrase.h"
#include "study/experiment/experiment.h"

enum {
    WLAB_EXP_CELLS = 1000000,
    WLAB_EXP_CANDIDATES = 10000, /* of a method */
    WLAB_EXP_MOST = 10000        /* data sets, methods, settings, published numbers, reports */
};

typedef struct wlab_exp_line {
    wlab_phrase w;
    long number;
    const char *raw; /* the line as it stands in the file, up to its end or a line feed */
} wlab_exp_line;

/* A key that stands in braces in generate, split or task. */
typedef struct wlab_exp_brace {
    char *key, **value;
    int n;
    long line, column;
    bool common; /* in split or task: of every data set */
    int datas;   /* how many data sets have it */
} wlab_exp_brace;

typedef struct wlab_exp_alternative {
    int method;
    const wlab_algo *algo;
    long line, column; /* of the algorithm's name */
} wlab_exp_alternative;

/* A file that is being read. */
typedef struct wlab_exp_file {
    wlab_experiment *e;
    wlab_err *err;
    wlab_exp_line *line; /* that say something */
    int nlines;
    wlab_exp_brace *brace;
    int nbraces;
    wlab_exp_alternative *alternative;
    int nalternatives;
    long many_line, many_column; /* where the first method begins to have several candidates; 0: none has */
    bool more;                   /* the last line was `method` or `or` */
} wlab_exp_file;

/* ---- words (words.c) ---- */
/* WL_EINPUT at a place of the file. */
wlab_code wlab_exp_fail(const wlab_exp_file *, long line, long column, const char *fmt, ...)
    WLAB_PRINTF(4, 5);
/* `code` is what something said that knows no place: it gets this one. */
wlab_code wlab_exp_at(const wlab_exp_file *, wlab_code code, long line, long column);
/* Room for element n of a list that grows by one. */
wlab_code wlab_exp_grow(void *list /* T ** */, int n, size_t size, wlab_err *);
/* How many of word[from .. to-1] are no settings; the first `max` of them in index[]. */
int wlab_exp_words(const wlab_exp_line *, int from, int to, int *index, int max);
/* WL_EINPUT: word i stands where a setting should. */
wlab_code wlab_exp_stray(const wlab_exp_file *, const wlab_exp_line *, int i);
/* What braces are for in a line. */
typedef enum wlab_exp_braces {
    WL_BRACES_NONE,
    WL_BRACES_SETTINGS, /* each value is a table of its own; {seed} and {data} stand for the cell's */
    WL_BRACES_TRIED     /* candidates */
} wlab_exp_braces;
/* Check the settings among word[from .. to-1] with the table and append them to `out`, " key=value" each.
 * *combinations (may be NULL): the product of the numbers of values.  common: see wlab_exp_brace. */
wlab_code wlab_exp_settings(wlab_exp_file *, const wlab_exp_line *, int from, int to,
                            const wlab_param_info *table, wlab_exp_braces, bool common, int64_t *combinations,
                            wlab_buf *out);
/* It has a brace that is not {seed} or {data}. */
bool wlab_exp_braced(const char *value);
/* wlab_braces_values, with {seed} and {data} left as they are. */
wlab_code wlab_exp_values(const char *value, char ***list, int *n, wlab_err *);
/* "no WHAT "word"; did you mean "near"?" or "...; SAYS" at the place of word i. */
wlab_code wlab_exp_unknown(const wlab_exp_file *, const wlab_exp_line *, int i, const char *what,
                           const char *const *names, size_t n, const char *says);
/* The text of a buffer as a string of its own; clears the buffer. */
wlab_code wlab_exp_take(wlab_buf *, char **text, wlab_err *);

/* ---- the whole (finish.c) ---- */
/* What needs more than one line: whether the parts fit together, defaults, settings, published numbers, reports. */
wlab_code wlab_exp_finish(wlab_exp_file *);

/* ---- lines of a cell (lines.c) ---- */
/* The table of a command's settings, NULL where it has none; which: its first word. */
const wlab_param_info *wlab_exp_table(const char *command, const char *which);
typedef enum wlab_exp_form {
    WL_FORM_RUN, /* as a session takes it */
    WL_FORM_KEY  /* what decides on the result: no names of data and files, no seed that was not given */
} wlab_exp_form;
/* `line` with the values of a setting, appended to `out`; seed, data, fold (0: none) where RUN needs them. */
wlab_code wlab_exp_fill(const wlab_experiment *, const char *line, wlab_exp_form, int setting, int data,
                        int64_t seed, int fold, wlab_buf *out, wlab_err *);
/* The column of a word of this line of the file: NULL: of the line's first; "": of the first word behind it that is no
 * setting; "key=...": of the setting with that key. */
long wlab_exp_column(const wlab_experiment *, long number, const char *word);
/* The absolute path of `path` when it is a file beside the experiment, else *found = NULL. */
wlab_code wlab_exp_beside(const wlab_experiment *, const char *path, char **found, wlab_err *);
/* A path from the root on, its last part as it is. */
wlab_code wlab_exp_absolute(const char *path, char **absolute, wlab_err *);

#endif
