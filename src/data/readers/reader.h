/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Between the readers: what one is given (a file in memory, options), what it returns, and the tools
 * they share (numbers, interned words, blocks of lines, tables with named columns).
 */
#ifndef WEAKLAB_DATA_READER_H
#define WEAKLAB_DATA_READER_H

#include "weaklab/dataset.h"

/* ---- the file ---- */
typedef struct wlab_input {
    const char *path; /* borrowed; named in errors */
    char *data;       /* unpacked; not 0-terminated */
    size_t size;
    char *packed; /* the bytes as on disk where they were compressed, else NULL */
    size_t packed_size;
    const wlab_ctx *ctx; /* borrowed, may be NULL */
} wlab_input;

/* Reads a regular file whole, unpacking gzip, bzip2, xz, zstd and lz4, up to wlab_input_limit. */
wlab_code wlab_input_open(wlab_input *, const char *path, wlab_ctx *, wlab_err *);
void wlab_input_close(wlab_input *);
/* WL_EINTERRUPTED where somebody asked to stop.  Every loop over the data looks: once a row, and inside what may be long
 * (a row too) once in some thousand items, as wlab_input_due says. */
wlab_code wlab_input_look(const wlab_input *, wlab_err *);
static inline bool wlab_input_due(int64_t i)
{
    return (i & 4095) == 4095;
}
/* How many bytes may come out of the compressed file, or out of what is compressed inside it: ctx->unpacked, else 1 GiB
 * or WL_PACKED times the file where that is more, but not more than the machine's memory. */
#define WL_PACKED 64
size_t wlab_input_limit(const wlab_input *);
/* WL_EINPUT: more than the limit comes out.  size: all of it, as far as it was unpacked; whole: that is all. */
wlab_code wlab_input_too_large(const wlab_input *, size_t size, bool whole, wlab_err *);
/* WL_EINPUT at the line and column of the byte `at`, which lies in (or just past) the data. */
wlab_code wlab_input_fail(const wlab_input *, const char *at, wlab_err *, const char *fmt, ...)
    WLAB_PRINTF(4, 5);

/* The line and column, from 1, of the byte `at`. */
void wlab_input_place(const wlab_input *, const char *at, long *line, long *column);

/* ---- words: each distinct text once, numbered from 0 in the order of first use ---- */
typedef struct wlab_words {
    wlab_buf bytes;  /* the texts, each 0-terminated */
    int64_t *offset; /* [n] where in bytes */
    int32_t n, cap;
    int32_t *slot; /* [slots] number + 1, or 0; slots is a power of 2 */
    int32_t slots;
} wlab_words;

int32_t wlab_words_add(wlab_words *, const char *p, size_t len);        /* -1: memory ran out */
int32_t wlab_words_find(const wlab_words *, const char *p, size_t len); /* -1: not there */
const char *wlab_words_text(const wlab_words *, int32_t id);
/* The words of one block go into those of all; *to [words.n], the caller's: their numbers there. */
wlab_code wlab_words_join(wlab_words *all, const wlab_words *, int32_t **to, const wlab_input *, wlab_err *);
/* place[words.n]: a word's place in order (numbers ascending, then texts), or, where the order is declared, its own number. */
wlab_code wlab_words_rank(const wlab_words *, bool declared, int32_t **place, const wlab_ctx *, wlab_err *);
void wlab_words_clear(wlab_words *);

/* ---- numbers ---- */
/* Reads the decimal at *p, not beyond end; moves *p behind it.  Correctly rounded; false where there is none
 * or it is beyond double's range. */
bool wlab_number_read(const char **p, const char *end, double *value);
/* The whole of [p, end) is a number. */
bool wlab_number_is(const char *p, const char *end, double *value);

/* ---- text ---- */
/* A text of a file, as a name: control characters and broken UTF-8 replaced, cut at `size`.  Marks of the writing's
 * direction stay: who shows it leaves them out. */
char *wlab_text_clean(const char *p, size_t len, char *buf, size_t size);
/* "", "?", "NA", "NaN" in any case */
bool wlab_text_missing(const char *p, size_t len);
/* Equal but for ASCII case. */
bool wlab_text_same(const char *p, size_t len, const char *word);

/* ---- blocks of lines ---- */
typedef struct wlab_lines {
    const wlab_input *in; /* borrowed */
    const char *begin, *end;
    wlab_code code; /* of the work on this block */
    const char *at; /* where it failed */
    wlab_err err;
} wlab_lines;

/* Cut data[from ..] at line ends into blocks of about 1 MiB, the same for any number of threads.  With
 * quote, a line end inside a pair of these characters is none. */
wlab_code wlab_lines_cut(wlab_lines **, int *n, const wlab_input *, const char *from, int quote, wlab_err *);
/* The error of the first block that failed. */
wlab_code wlab_lines_check(const wlab_input *, const wlab_lines *, int n, wlab_err *);
/* Note a failure in a block; returns WL_EINPUT. */
wlab_code wlab_lines_fail(wlab_lines *, const char *at, const char *fmt, ...) WLAB_PRINTF(3, 4);
/* wlab_input_look for the work on a block: WL_EINTERRUPTED is its code then. */
wlab_code wlab_lines_look(wlab_lines *);

/* ---- options and result ---- */
enum {
    WL_MISSING_MEAN,
    WL_MISSING_ZERO,
    WL_MISSING_DROP,
    WL_MISSING_ERROR
};
enum {
    WL_HEADER_AUTO,
    WL_HEADER_YES,
    WL_HEADER_NO
};
enum {
    WL_BASE_AUTO,
    WL_BASE_0,
    WL_BASE_1
};

typedef struct wlab_read_options {
    const char *label; /* column or variable; NULL: as the format has it; "none" */
    const char *bag;   /* the same */
    int header, missing, base;
    int32_t columns;       /* index:value text: 0: as the indices say */
    bool labels_elsewhere; /* a labels or truth file comes with it */
} wlab_read_options;

typedef struct wlab_reading {
    wlab_matrix *X;
    wlab_words words; /* the labels' texts */
    int32_t *label;   /* [rows] number of a word, -1: unknown; NULL: the file has none */
    bool declared;    /* the words' order is the classes' order */
    char **feature_name;
    int32_t *bag;
    int64_t bags;
    char **bag_name; /* [bags] or NULL */
    int32_t *filled; /* [rows] missing values that were replaced; NULL: none */
    wlab_buf remark;
} wlab_reading;

void wlab_reading_clear(wlab_reading *);
/* Add a clause to the remark; clauses are joined by "; ". */
wlab_code wlab_reading_remark(wlab_reading *, wlab_err *, const char *fmt, ...) WLAB_PRINTF(3, 4);

/* A reader is one file that defines one of these, wlab_reader_NAME, and a line of the table in readers.c. */
typedef struct wlab_reader {
    const char *name, *summary;
    const char *extensions; /* "csv tsv": where two readers are as sure, the one that has the file's */
    const char *folder;     /* or NULL: the file that stands for a folder of this format */
    unsigned flags;
    int (*probe)(const char *head, size_t len); /* 0: cannot be; 100: certainly */
    wlab_code (*read)(wlab_reading *, const wlab_input *, const wlab_read_options *, wlab_ctx *, wlab_err *);
} wlab_reader;
enum {
    WL_READS_PAIRS = 1,  /* index:value text: no named columns, nothing missing; takes base= and columns= */
    WL_READS_HEADER = 2, /* takes header= */
    WL_READS_BINARY = 4  /* is no text */
};

/* "auto", then the readers' names: what format= takes. */
extern const char *const wlab_format_choices[];
/* The formats' names with commas; returns buf. */
const char *wlab_format_list(char *buf, size_t size);
/* The reader that the choice `format` names; of "auto" the one whose probe is the surest.  WL_EINPUT: none. */
wlab_code wlab_reader_choose(const wlab_reader **, int format, const wlab_input *, wlab_err *);
/* A path behind its last slash, in place. */
const char *wlab_file_part(const char *path);
/* The length of a file name without its extensions: one of compression, then one of a format. */
size_t wlab_file_stem(const char *name, const char **extension, size_t *extension_len);

/* index:value text: what stands before the pairs */
typedef enum wlab_pairs_kind {
    WL_PAIRS_ONLY, /* nothing (SVMlin's examples) */
    WL_PAIRS_LABELLED,
    WL_PAIRS_BAGS, /* instance:bag:label */
} wlab_pairs_kind;

wlab_code wlab_sparse_text_read(wlab_reading *, const wlab_input *, wlab_pairs_kind,
                                const wlab_read_options *, wlab_ctx *, wlab_err *);
/* How many of the first lines are such text: 0 .. 100. */
int wlab_sparse_text_probe(const char *head, size_t len, wlab_pairs_kind);
/* One label (`what`, for messages: "label", "bag") a line into label[rows], interned in `words`; -1 where it is
 * missing. */
wlab_code wlab_labels_read(const char *path, const char *what, int64_t rows, wlab_words *words,
                           int32_t *label, wlab_ctx *, wlab_err *);
/* The rows' labels into the data set, of the same rows so far: `given` from labels=, `label` from truth=, else the file's
 * own, else from labels=; then classes= and one= leave rows out. */
wlab_code wlab_labels_take(wlab_dataset *, wlab_reading *, const wlab_params *options, wlab_ctx *,
                           wlab_err *);
/* Why a row must be in one bag only, behind the words that it is not. */
#define WL_NO_OVERLAP                                                                                        \
    "bags that overlap cannot be learnt from, as labels are chosen bag by bag; each row belongs to exactly " \
    "one"
/* Where the second entry of a list of bags begins in [p, p + len), so that a row with this text would be in several; NULL:
 * it is one bag.  Between entries stand commas, semicolons, bars or blanks; `numbers`: only whole numbers make a list. */
const char *wlab_bag_list(const char *p, size_t len, bool numbers);
/* WL_EINPUT, where the first of these bags that is a list of numbers stands in the text. */
wlab_code wlab_bags_check(const wlab_words *, const wlab_input *, wlab_err *);
/* Leave out the numbers of bags that have no row, and their names (NULL: there are none). */
wlab_code wlab_bags_compact(int32_t *bag, int64_t rows, int64_t *bags, char **name, wlab_err *);
/* id[n], numbers of words, become bags: the words' places in order; *names[words.n] are the words so ordered. */
wlab_code wlab_bags_order(const wlab_words *, int32_t *id, int64_t n, char ***names, const wlab_ctx *,
                          wlab_err *);
/* From the words in use to classes: fills ds->classes, class_name, class_value and to[words.n] (-1: a class
 * that is not kept).  keep: "A,B,..." or NULL. */
wlab_code wlab_classes_settle(wlab_dataset *ds, const wlab_words *, const bool *used, bool declared,
                              const char *keep, int32_t *to, const wlab_ctx *, wlab_err *);

/* Is it a MAT-file?  Row `row` (from 1) of the matrix `name` of row numbers, appended as int32_t from 0. */
bool wlab_mat_is(const char *head, size_t len);
wlab_code wlab_mat_read_row(const wlab_input *, const char *name, int64_t row, wlab_buf *, wlab_err *);

/* ---- tables: rows with typed columns, as in CSV and ARFF ---- */
typedef enum wlab_column_kind {
    WL_COL_NUMBER,
    WL_COL_NOMINAL,
    WL_COL_LEFT_OUT, /* names, dates, free text */
    WL_COL_LABEL,
    WL_COL_BAG,
} wlab_column_kind;

typedef struct wlab_column {
    char *name; /* NULL: none */
    wlab_column_kind kind;
    bool declared;          /* the words were given by the file */
    const char *what;       /* what it was read from; NULL: a column */
    wlab_words words;       /* NOMINAL, LABEL, BAG */
    int64_t missing;        /* cells without a value */
    const char *missing_at; /* the first of them in the file, or NULL */
    double fill;            /* what stands for a missing cell: mean, or the number of the commonest word */
    int32_t first, width;   /* its columns in X */
} wlab_column;

/* Cells are numbers, or word numbers, or NaN where missing. */
typedef struct wlab_table {
    int64_t rows;
    int32_t cols;
    wlab_column *column; /* [cols] */
    double *cell;        /* [rows * cols]; sparse: [start[rows]] */
    int64_t *start;      /* sparse: [rows + 1], cells that are not there are 0; else NULL */
    int32_t *at;         /* sparse: the columns, ascending within a row */
} wlab_table;

/* The C4.5 names file beside the data file NAME.data, where there is one that describes t->cols columns: classes,
 * names, kinds and values become those of the columns.  *found: it was so. */
wlab_code wlab_c45_names(wlab_table *t, const wlab_input *data, bool *found, wlab_ctx *, wlab_err *);
/* After the rows: periods behind the classes go; words beyond the declared[cols] first ones of a column (NULL: no names
 * file) are an error; `bags`: columns 1 and 2 become bag and instance where they look like that. */
wlab_code wlab_c45_finish(wlab_table *t, const int32_t *declared, bool bags, wlab_reading *,
                          const wlab_input *, wlab_err *);
void wlab_table_clear(wlab_table *);
/* The column that `spec` (a name, a number from 1, "last") of the option `what` names. */
wlab_code wlab_table_named(const wlab_table *, const wlab_input *, const char *what, const char *spec,
                           int32_t *col, wlab_err *);
/* The column of bags: the one that bag= names, else one called bag; -1: none. */
#define WL_BAG_IS_LAST                                                                                       \
    "column %d, '%s', numbers the bags, and no column is called class, label, target or y: loaded without "  \
    "labels; label=COLUMN says which column is the class"
wlab_code wlab_table_bag(const wlab_table *, const wlab_input *, const wlab_read_options *, int32_t *col,
                         wlab_err *);
/* The column called class, label, target or y (the first of these names that occurs), or -1. */
wlab_code wlab_table_usual_label(const wlab_table *, const wlab_input *, int32_t *col, wlab_err *);
/* One-hot, missing values, labels, bags: the table becomes a reading.  Frees the cells as early as it can. */
wlab_code wlab_table_finish(wlab_table *, wlab_reading *, const wlab_input *, const wlab_read_options *,
                            wlab_err *);

#endif
