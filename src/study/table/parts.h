/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A table after it was computed and before it is formatted: private to src/study/table and its tests.
 */
#ifndef TABLE_PARTS_H
#define TABLE_PARTS_H

#include "study/table/table.h"
#include "weaklab/statistics.h"

typedef enum wlab_sheet_format {
    WL_TABLE_TEXT, /* in the order of the setting's choices */
    WL_TABLE_MARKDOWN,
    WL_TABLE_LATEX,
    WL_TABLE_CSV,
    WL_TABLE_JSON
} wlab_sheet_format;
typedef enum wlab_posthoc {
    WL_POSTHOC_NEMENYI,
    WL_POSTHOC_HOLM,
    WL_POSTHOC_NONE
} wlab_posthoc;

typedef struct wlab_sheet_cell {
    int64_t n;              /* replicates that have a value */
    double mean, deviation; /* NaN: too few replicates */
    /* NaN: some method that has values has none in this row, this method has none at all, or ranks are off */
    double rank;
    bool best;
    int64_t pairs;  /* replicates for which `against` has a value too */
    wlab_test test; /* against `against`; p NaN: none */
    int mark;       /* 1: significantly better than `against`, -1: worse */
    double published, published_deviation;
    int64_t published_n;
    double diff; /* ours - published, in standard errors */
} wlab_sheet_cell;

typedef struct wlab_sheet_column {
    const char *name; /* borrowed */
    int method;       /* -1: published only */
    bool oracle, published;
    bool present; /* the method has a value on some data set */
    double average, published_average,
        average_rank;   /* over the complete rows; NaN: there are none, or not present */
    int win, tie, loss; /* against `against`, over the tested rows */
    wlab_test holm;     /* p NaN: none */
} wlab_sheet_column;

/* The table of one setting. */
typedef struct wlab_sheet_block {
    const char *setting; /* borrowed; "": there is only one */
    int columns;
    wlab_sheet_column *column; /* methods in order, then methods that are published only */
    wlab_sheet_cell *cell;     /* [data][columns] */
    int present; /* number of methods with a value; the others are left out of averages, ranks and tests of ranks */
    int complete;         /* number of data sets on which all of these have a value */
    int published_digits; /* decimals of published numbers; -1: there are none */
    int compared, agree;  /* cells with a published number, and those with |diff| <= 2 */
    bool friedman;        /* chi2 and F are set */
    wlab_test chi2, F;    /* of Friedman's test */
    double critical;      /* critical difference of Nemenyi's test; NaN: none */
    char **note;          /* [notes] sentences below this table */
    int notes;
} wlab_sheet_block;

typedef struct wlab_sheet {
    const wlab_values *v; /* borrowed */
    char *score;
    bool lower;     /* a smaller score is better */
    int against;    /* index of the method; -1: none */
    bool corrected; /* corrected resampled t-test, at least where replicates share rows */
    bool sampled;   /* test=auto: the plain test for data that are drawn anew in each repetition */
    double ratio;   /* test rows / training rows, for the corrected test; 0: plain test */
    bool held_out;  /* the score is of rows that the split holds out */
    bool averaged;  /* mean and deviation are over repetitions, each with the mean of its folds */
    double level;
    bool ranks, published;
    int digits;
    wlab_posthoc posthoc;
    wlab_sheet_block *block; /* [settings] */
    char **note;             /* [notes] sentences below all tables */
    int notes;
} wlab_sheet;

/* Keep only the chosen methods, in values, cells and published numbers. */
void wlab_values_pick(wlab_values *, const bool *chosen);
/* Compute the table.  `v` must live as long as the table. */
wlab_code wlab_sheet_make(wlab_sheet *, const wlab_values *v, const wlab_params *options, wlab_err *);
void wlab_sheet_clear(wlab_sheet *);
/* Whether the replicates of a row share no rows of data: each repetition draws another sample. */
bool wlab_sheet_independent(const wlab_sheet *, int setting, int data);
/* Write the sentences; called by wlab_sheet_make. */
wlab_code wlab_sheet_notes(wlab_sheet *, wlab_err *);

/* ---- formats; all append ---- */
/* first: the first of several tables, which has the title or the header. */
wlab_code wlab_sheet_text(const wlab_sheet *, bool first, wlab_buf *out);
wlab_code wlab_sheet_markdown(const wlab_sheet *, bool first, wlab_buf *out);
wlab_code wlab_sheet_latex(const wlab_sheet *, bool first, wlab_buf *out);
wlab_code wlab_sheet_csv(const wlab_sheet *, bool first, wlab_buf *out);
json_t *wlab_sheet_object(const wlab_sheet *); /* NULL: out of memory */

/* ---- a grid of words, which text, Markdown and LaTeX share ---- */
/* The pieces of one cell, from left to right; Markdown and LaTeX join those that are not NULL. */
enum {
    WL_PIECE_BEST, /* ">", for text only: Markdown and LaTeX print the best in bold */
    WL_PIECE_MEAN,
    WL_PIECE_DEVIATION,
    WL_PIECE_N,
    WL_PIECE_RANK,
    WL_PIECE_MARK,
    WL_PIECES
};
typedef struct wlab_grid_cell {
    char *piece[WL_PIECES]; /* owned; NULL: none */
    bool bold;
} wlab_grid_cell;
typedef struct wlab_grid {
    int rows, columns;
    char **head;          /* [columns], owned */
    const char **name;    /* [rows], borrowed */
    wlab_grid_cell *cell; /* [rows][columns] */
    bool *with;           /* [columns] must be beside the column to its left */
    int body;             /* number of rows above the summary */
} wlab_grid;
wlab_code wlab_grid_make(wlab_grid *, const wlab_sheet *, const wlab_sheet_block *, const char *plus_minus);
void wlab_grid_clear(wlab_grid *);
/* Whether a data set has a row: not if nothing is computed on it, unless that holds for all of them. */
bool wlab_sheet_shows(const wlab_sheet_block *, int data);
/* "accuracy, mean +- standard deviation of 30 repetitions (rank)" */
wlab_code wlab_sheet_caption(const wlab_sheet *, const wlab_sheet_block *, const char *plus_minus,
                             wlab_buf *);

#endif
