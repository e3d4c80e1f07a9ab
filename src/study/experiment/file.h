/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the readers of experiment files share: lines cut into words, settings checked against their tables, and the
 * state of a file while it is read.
 */
#ifndef EXPERIMENT_FILE_H
#define EXPERIMENT_FILE_H

#include "lang/phrase.h"
#include "study/experiment/experiment.h"

enum {
    WLAB_EXP_CELLS = 1000000,
    WLAB_EXP_CANDIDATES = 10000, /* per method */
    WLAB_EXP_MOST = 10000        /* data sets, methods, settings, published numbers, reports, of each */
};

typedef struct wlab_exp_line {
    wlab_phrase w;
    long number;
    const char *raw; /* the line in the text of the file, up to a line feed or the end of the text */
} wlab_exp_line;

/* A key of generate, split or task whose value has braces. */
typedef struct wlab_exp_brace {
    char *key, **value;
    int n;
    long line, column;
    bool common; /* in split or task, and so for every data set */
    int datas;   /* how many data sets have it, if not common */
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
    wlab_exp_line *line; /* without empty lines and comments */
    int nlines;
    wlab_exp_brace *brace;
    int nbraces;
    wlab_exp_alternative *alternative;
    int nalternatives;
    /* where the first method with several candidates gives the second; 0: none has several */
    long many_line, many_column;
    bool in_method; /* the last line was `method` or `or` */
} wlab_exp_file;

/* ---- words (words.c) ---- */
/* WL_EINPUT at a place of the file. */
wlab_code wlab_exp_fail(const wlab_exp_file *, long line, long column, const char *fmt, ...)
    WLAB_PRINTF(4, 5);
/* `code` is the result of a function that does not know the file.  If it is an error other than WL_ENOMEM, add the
 * place in the file to the error and return WL_EINPUT; else return `code`. */
wlab_code wlab_exp_set_place(const wlab_exp_file *, wlab_code code, long line, long column);
/* Make space for element n of a list that grows by one. */
wlab_code wlab_exp_reserve(void *list /* T ** */, int n, size_t size, wlab_err *);
/* How many of word[from .. to-1] are not settings; the first `max` of them in index[]. */
int wlab_exp_words(const wlab_exp_line *, int from, int to, int *index, int max);
/* WL_EINPUT: word i is not a setting, as it should be. */
wlab_code wlab_exp_stray(const wlab_exp_file *, const wlab_exp_line *, int i);
/* What braces mean in a line. */
typedef enum wlab_exp_braces {
    WL_BRACES_NONE,     /* not allowed */
    WL_BRACES_SETTINGS, /* each value gives a table of its own; {seed} and {data} are replaced by the cell's */
    WL_BRACES_TRIED     /* each value gives a candidate */
} wlab_exp_braces;
/* Check the settings among word[from .. to-1] against the table and append each to `out` as " key=value".
 * *combinations (may be NULL): multiplied by the number of values of each.  common: see wlab_exp_brace. */
wlab_code wlab_exp_settings(wlab_exp_file *, const wlab_exp_line *, int from, int to,
                            const wlab_param_info *table, wlab_exp_braces, bool common, int64_t *combinations,
                            wlab_buf *out);
/* Does the value have braces other than {seed} and {data}? */
bool wlab_exp_braced(const char *value);
/* As wlab_braces_values, but {seed} and {data} are kept. */
wlab_code wlab_exp_values(const char *value, char ***list, int *n, wlab_err *);
/* WL_EINPUT at word i (-1: at the line's first word): "no WHAT "word"; did you mean "near"?", or "no WHAT "word"; SAYS"
 * if no name is near. */
wlab_code wlab_exp_unknown(const wlab_exp_file *, const wlab_exp_line *, int i, const char *what,
                           const char *const *names, size_t n, const char *says);
/* Copy the text of a buffer to a new string and clear the buffer. */
wlab_code wlab_exp_buf_text(wlab_buf *, char **text, wlab_err *);

/* ---- after the last line (finish.c) ---- */
/* Does what needs all lines of the file: checks that the parts fit together, sets defaults, makes the settings, and reads
 * published numbers and reports. */
wlab_code wlab_exp_finish(wlab_exp_file *);

/* ---- lines of a cell (lines.c) ---- */
/* The table of a command's settings, NULL: it has none; which: the first word after the command. */
const wlab_param_info *wlab_exp_table(const char *command, const char *which);
typedef enum wlab_exp_form {
    WL_FORM_RUN, /* as a session executes it */
    WL_FORM_KEY  /* only what the result depends on: no names of data and files, no seed that was not given */
} wlab_exp_form;
/* Append `line` to `out`, with the values of a setting for its braces and the data set's name for {data}.  RUN also
 * replaces {seed} (not if seed < 0), makes the paths of files beside the experiment absolute, adds seed= if the command
 * takes a seed and the line gives none, and adds fold= to `split` (0: none). */
wlab_code wlab_exp_fill(const wlab_experiment *, const char *line, wlab_exp_form, int setting, int data,
                        int64_t seed, int fold, wlab_buf *out, wlab_err *);
/* The column of a word in line `number` of the file.  NULL: the line's first word; "": the first word after it that is
 * not a setting; "key=...": the setting with that key. */
long wlab_exp_column(const wlab_experiment *, long number, const char *word);
/* *found: the absolute path of the file `path`, relative to the experiment's folder, or of the data file in the folder
 * `path`.  NULL: there is none. */
wlab_code wlab_exp_beside(const wlab_experiment *, const char *path, char **found, wlab_err *);
/* The absolute path; its last part is not resolved. */
wlab_code wlab_exp_absolute(const char *path, char **absolute, wlab_err *);

#endif
