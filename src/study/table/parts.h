/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A table between its values and its format: private to table*.c and their test.
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
    double mean, deviation; /* NaN: too few */
    double rank;            /* NaN: a method has no value here, or there are no ranks */
    bool best;
    int64_t pairs;  /* replicates that the method `against` has too */
    wlab_test test; /* p NaN: none */
    int mark;       /* 1: significantly better than `against`, -1: worse */
    double published, published_deviation;
    int64_t published_n;
    double diff; /* ours - published, in standard errors */
} wlab_sheet_cell;

typedef struct wlab_sheet_column {
    const char *name; /* borrowed */
    int method;       /* -1: published only */
    bool oracle, published;
    bool present;                                    /* of a method: some data set has a value */
    double average, published_average, average_rank; /* over the complete rows; NaN: none, or not present */
    int win, tie, loss;                              /* against `against`, over the rows that were tested */
    wlab_test holm;                                  /* p NaN: none */
} wlab_sheet_column;

/* One setting. */
typedef struct wlab_sheet_block {
    const char *setting; /* borrowed; "": there is but one */
    int columns;
    wlab_sheet_column *column; /* methods in order, then those that are published only */
    wlab_sheet_cell *cell;     /* [data][columns] */
    int present;  /* methods that have a value at all: the others are in no average, rank and test of ranks */
    int complete; /* data sets for which every one of these has a value */
    int published_digits; /* decimals that published numbers have, -1: there are none */
    bool friedman;
    wlab_test chi2, F;
    double critical; /* Nemenyi's difference, NaN: none */
    char **note;     /* sentences of this setting */
    int notes;
} wlab_sheet_block;

typedef struct wlab_sheet {
    const wlab_values *v; /* borrowed */
    char *score;
    bool lower;     /* smaller is better */
    int against;    /* -1: none */
    bool corrected; /* t-test */
    double ratio;   /* of test to training rows, 0: plain */
    double level;
    bool ranks, published;
    int digits;
    wlab_posthoc posthoc;
    wlab_sheet_block *block; /* [settings] */
    char **note;             /* sentences of the whole table */
    int notes;
} wlab_sheet;

/* Keep the methods that are chosen, in values, cells and published numbers. */
void wlab_values_pick(wlab_values *, const bool *chosen);
/* `v` must stay while the table does. */
wlab_code wlab_sheet_make(wlab_sheet *, const wlab_values *v, const wlab_params *options, wlab_err *);
void wlab_sheet_clear(wlab_sheet *);
/* The sentences; called by wlab_sheet_make. */
wlab_code wlab_sheet_notes(wlab_sheet *, wlab_err *);

/* ---- formats; all append ---- */
/* first: of several tables, the one that has the title, or the header. */
wlab_code wlab_sheet_text(const wlab_sheet *, bool first, wlab_buf *out);
wlab_code wlab_sheet_markdown(const wlab_sheet *, bool first, wlab_buf *out);
wlab_code wlab_sheet_latex(const wlab_sheet *, bool first, wlab_buf *out);
wlab_code wlab_sheet_csv(const wlab_sheet *, bool first, wlab_buf *out);
json_t *wlab_sheet_object(const wlab_sheet *); /* NULL: out of memory */

/* ---- what text, Markdown and LaTeX share ---- */
/* The pieces of one column, from left to right; md and latex join those that are there. */
enum {
    WL_PIECE_BEST, /* ">", text only: the others are bold */
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
    bool *with;           /* [columns] belongs to the column before */
    int body;             /* rows before the summary */
} wlab_grid;
wlab_code wlab_grid_make(wlab_grid *, const wlab_sheet *, const wlab_sheet_block *, const char *plus_minus);
void wlab_grid_clear(wlab_grid *);
/* "accuracy, mean +- standard deviation of 30 repetitions (rank)" */
wlab_code wlab_sheet_caption(const wlab_sheet *, const wlab_sheet_block *, const char *plus_minus,
                             wlab_buf *);

#endif
