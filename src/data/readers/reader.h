/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Interface of the readers: their input (a file in memory, options), their result, and the tools that they share
 * (numbers, interned words, blocks of lines, tables with named columns).
 */
#ifndef WEAKLAB_DATA_READER_H
#define WEAKLAB_DATA_READER_H

#include "base/ranks.h"
#include "weaklab/dataset.h"

/* ---- the file ---- */
typedef struct wlab_input {
    const char *path; /* borrowed; named in errors */
    char *data;       /* unpacked; not 0-terminated */
    size_t size;
    char *packed; /* the bytes on disk if they are compressed, else NULL */
    size_t packed_size;
    const wlab_ctx *ctx; /* borrowed, may be NULL */
    /* of a share: the data are this rank's lines of the file, and other ranks have the others; else NULL and 0 */
    wlab_ranks *ranks;
    int64_t before;    /* bytes of the file before the data */
    long lines_before; /* lines of the file before the data */
} wlab_input;

/* Read a whole regular file; gzip, bzip2, xz, zstd and lz4 are unpacked up to wlab_input_limit. */
wlab_code wlab_input_open(wlab_input *, const char *path, wlab_ctx *, wlab_err *);
void wlab_input_close(wlab_input *);
/* The first bytes of a regular file: all that wlab_reader_choose needs.  *packed: they are compressed. */
wlab_code wlab_input_open_head(wlab_input *, const char *path, bool *packed, wlab_ctx *, wlab_err *);
/* Read this rank's share of a regular file: the lines that begin in the `rank`-th of `size` equal ranges of its bytes.
 * Every rank calls it. */
wlab_code wlab_input_open_share(wlab_input *, const char *path, wlab_ranks *, wlab_ctx *, wlab_err *);
/* wlab_ranks_agree with the message that one process would print: only if a rank runs out of memory, or cannot read what
 * lower ranks can, the message names it. */
wlab_code wlab_input_agree(wlab_ranks *, wlab_code, wlab_err *);
/* Opens a regular file that is not empty; its size is *size. */
wlab_code wlab_input_file(const char *path, int *fd, int64_t *size, wlab_err *);
/* Sets in->data and in->size to the bytes from `from` to `end`, by the threads of ctx. */
wlab_code wlab_input_bytes(wlab_input *in, int fd, int64_t from, int64_t end, wlab_ctx *ctx, wlab_err *);
/* Whether these first bytes are those of a compressed file; WL_EINPUT: of a zip archive. */
bool wlab_input_packed(const char *data, size_t size);
wlab_code wlab_input_refuse_zip(const wlab_input *, wlab_err *);
/* WL_EINTERRUPTED after an interrupt.  Every loop over the data checks: once per row, and within anything that may be
 * long (also a row) once in some thousand items, when wlab_input_due says so. */
wlab_code wlab_input_check_stop(const wlab_input *, wlab_err *);
wlab_code wlab_input_stopped(const wlab_input *, wlab_err *); /* that error */
static inline bool wlab_input_due(int64_t i)
{
    return (i & 4095) == 4095;
}
/* How many bytes the compressed file, or the compressed data inside it, may unpack to: ctx->unpacked; else 1 GiB or
 * WL_PACKED times the file's size, whichever is more, but not more than the memory of the computer. */
#define WL_PACKED 64
size_t wlab_input_limit(const wlab_input *);
/* WL_EINPUT: the file unpacks to more than the limit.  size: the bytes unpacked so far; whole: that is all. */
wlab_code wlab_input_too_large(const wlab_input *, size_t size, bool whole, wlab_err *);
/* WL_EINPUT at the line and column of the byte `at`, which is in (or just past) the data. */
wlab_code wlab_input_fail(const wlab_input *, const char *at, wlab_err *, const char *fmt, ...)
    WLAB_PRINTF(4, 5);

/* The line and column, from 1, of the byte `at`. */
void wlab_input_place(const wlab_input *, const char *at, long *line, long *column);

/* ---- words: each distinct text once, numbered from 0 in the order of first use ---- */
typedef struct wlab_words {
    wlab_buf bytes;  /* the texts, each 0-terminated */
    int64_t *offset; /* [n] where each text begins in `bytes` */
    int32_t n, cap;
    int32_t *slot; /* [slots] number + 1, or 0; slots is a power of 2 */
    int32_t slots;
} wlab_words;

int32_t wlab_words_add(wlab_words *, const char *p, size_t len);        /* -1: out of memory */
int32_t wlab_words_find(const wlab_words *, const char *p, size_t len); /* -1: not there */
const char *wlab_words_text(const wlab_words *, int32_t id);
/* Add the words of one block to those of all; *to [words.n]: their numbers there, owned by the caller. */
wlab_code wlab_words_join(wlab_words *all, const wlab_words *, int32_t **to, const wlab_input *, wlab_err *);
/* *place[words.n]: the rank of each word (numbers ascending, then texts); its own number if the order is declared.
 * Owned by the caller. */
wlab_code wlab_words_rank(const wlab_words *, bool declared, int32_t **place, const wlab_ctx *, wlab_err *);
void wlab_words_clear(wlab_words *);

/* ---- numbers ---- */
/* Read the decimal at *p, not beyond end; *p moves behind it.  Correctly rounded.  False: there is none, or it is
 * beyond the range of double, or it is too long (some hundred digits). */
bool wlab_number_read(const char **p, const char *end, double *value);
/* Whether the whole of [p, end) is a number. */
bool wlab_number_is(const char *p, const char *end, double *value);

/* ---- text ---- */
/* A text of a file, cleaned for use as a name: control characters and malformed UTF-8 are replaced, and it is cut at
 * `size`. Marks of the direction of writing are kept; code that displays the name removes them. */
char *wlab_text_clean(const char *p, size_t len, char *buf, size_t size);
/* "", "?", "NA", "NaN" in any case */
bool wlab_text_missing(const char *p, size_t len);
/* Equal but for ASCII case. */
bool wlab_text_same(const char *p, size_t len, const char *word);

/* ---- blocks of lines ---- */
typedef struct wlab_lines {
    const wlab_input *in; /* borrowed */
    const char *begin, *end;
    wlab_code code; /* result of the work on this block */
    const char *at; /* where the work failed */
    wlab_err err;
} wlab_lines;

/* Cut data[from ..] at line ends into blocks of about 1 MiB, the same for any number of threads.  With
 * quote, a line end inside a pair of these characters does not count. */
wlab_code wlab_lines_cut(wlab_lines **, int *n, const wlab_input *, const char *from, int quote, wlab_err *);
/* The error of the first block that failed. */
wlab_code wlab_lines_check(const wlab_input *, const wlab_lines *, int n, wlab_err *);
/* Record a failure in a block; returns WL_EINPUT. */
wlab_code wlab_lines_fail(wlab_lines *, const char *at, const char *fmt, ...) WLAB_PRINTF(3, 4);
/* wlab_input_check_stop for the work on a block; sets its code to WL_EINTERRUPTED. */
wlab_code wlab_lines_check_stop(wlab_lines *);

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
    const char *label; /* column or variable of labels; "none"; NULL: the default of the format */
    const char *bag;   /* the same for bags */
    int header, missing, base;
    int32_t columns;       /* of index:value text; 0: from the largest index */
    bool labels_elsewhere; /* labels come from a file of labels or of true labels */
} wlab_read_options;

typedef struct wlab_reading {
    wlab_matrix *X;
    wlab_words words; /* the labels' texts */
    int32_t *label;   /* [rows] number of a word, -1: unknown; NULL: the file has no labels */
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
    const char *extensions; /* "csv tsv": decide between readers whose probes are equal */
    const char *folder;     /* name of the file to load from a folder of this format; NULL: no folders */
    unsigned flags;
    int (*probe)(const char *head, size_t len); /* 0: cannot be; 100: certainly */
    wlab_code (*read)(wlab_reading *, const wlab_input *, const wlab_read_options *, wlab_ctx *, wlab_err *);
} wlab_reader;
enum {
    WL_READS_PAIRS =
        1, /* index:value text: no named columns, no missing values; accepts base= and columns= */
    WL_READS_HEADER = 2, /* accepts header= */
    WL_READS_BINARY = 4, /* is not text */
    WL_READS_SHARES =
        8 /* reads also the share that this rank has of a file; all ranks call `read` at once, and it
                            returns the same code on all */
};
#define WL_ONLY_SHARES                                                                                       \
    "with ranks=all only index:value text that is not compressed can be read: unpack it, or load it "        \
    "without ranks=all"
enum {
    WL_HEAD = 65536,        /* bytes of a file that the probes get at most */
    WL_LINE_BLOCK = 1 << 20 /* bytes of a block of lines, about */
};

/* The values of format=: "auto", then the readers' names. */
extern const char *const wlab_format_choices[];
/* The formats' names with commas; returns buf. */
const char *wlab_format_list(char *buf, size_t size);
/* The reader that the choice `format` names; for "auto" the one with the largest probe result, for which
 * alone the input is needed.  WL_EINPUT: none. */
wlab_code wlab_reader_choose(const wlab_reader **, int format, const wlab_input *, wlab_err *);
/* The part of a path after its last slash, in place. */
const char *wlab_file_part(const char *path);
/* The length of a file name without its extensions: one of compression, then one of a format. */
size_t wlab_file_stem(const char *name, const char **extension, size_t *extension_len);

/* What `load` does for a file of any format, also one that is on several ranks (load.c): the reader's options; what the
 * reader does not accept; text that is not text; the data set's name and source; label=none. */
void wlab_load_options(wlab_read_options *, const wlab_params *options);
wlab_code wlab_load_check_options(const wlab_reader *, const wlab_params *options, wlab_err *);
wlab_code wlab_load_check_text(const wlab_input *, wlab_err *);
wlab_code wlab_load_name(wlab_dataset *, const char *path, const char *name, wlab_err *);
void wlab_load_drop_labels(wlab_reading *, const wlab_read_options *);

/* index:value text: what comes before the pairs of a line */
typedef enum wlab_pairs_kind {
    WL_PAIRS_ONLY, /* nothing (SVMlin's examples) */
    WL_PAIRS_LABELLED,
    WL_PAIRS_BAGS, /* instance:bag:label */
} wlab_pairs_kind;

wlab_code wlab_sparse_text_read(wlab_reading *, const wlab_input *, wlab_pairs_kind,
                                const wlab_read_options *, wlab_ctx *, wlab_err *);
/* How certain it is that the first lines are such text: 0 .. 100. */
int wlab_sparse_text_probe(const char *head, size_t len, wlab_pairs_kind);
/* Read one label per line into label[rows], interned in `words`; -1: missing.  `what`: what messages call it: "label",
 * "bag" or "set of candidates". */
wlab_code wlab_labels_read(const char *path, const char *what, int64_t rows, wlab_words *words,
                           int32_t *label, wlab_ctx *, wlab_err *);
/* Set the labels of the data set, whose rows are still those of the file: `given` from labels=; `label` from truth=,
 * else from the file itself, else from labels=.  Then classes= and one= leave out rows. */
wlab_code wlab_labels_assign(wlab_dataset *, wlab_reading *, const wlab_params *options, wlab_ctx *,
                             wlab_err *);
/* End of messages about a row in several bags: why it must be in exactly one. */
#define WL_NO_OVERLAP                                                                                        \
    "overlapping bags cannot be learnt from, because labels are chosen bag by bag; put each row into "       \
    "exactly one"
/* Where the second entry begins if [p, p + len) is a list of bags, which would put a row into several; NULL: it is
 * one bag. Commas, semicolons, bars or blanks separate entries; `numbers`: only whole numbers form a list. */
const char *wlab_bag_list(const char *p, size_t len, bool numbers);
/* WL_EINPUT, with the place in the file, if one of these bags is a list of numbers. */
wlab_code wlab_bags_check(const wlab_words *, const wlab_input *, wlab_err *);
/* Renumber the bags so that those without rows, and their names, are left out.  name = NULL: there are no names. */
wlab_code wlab_bags_compact(int32_t *bag, int64_t rows, int64_t *bags, char **name, wlab_err *);
/* Replace the word numbers in id[n] by bag numbers, the ranks of the words; *names[words.n]: the words in that order. */
wlab_code wlab_bags_order(const wlab_words *, int32_t *id, int64_t n, char ***names, const wlab_ctx *,
                          wlab_err *);
/* Form the classes of the words in use: set ds->classes, class_name, class_value and to[words.n], the class of each
 * word (-1: not kept).  keep: "A,B,..." or NULL. */
wlab_code wlab_classes_assign(wlab_dataset *ds, const wlab_words *, const bool *used, bool declared,
                              const char *keep, int32_t *to, const wlab_ctx *, wlab_err *);

/* Whether the file is a MAT-file, by its first bytes. */
bool wlab_mat_is(const char *head, size_t len);
/* Write to `out` a MAT-file of those variables, unpacked, whose sizes are consistent.  WL_EINPUT: the file is
 * damaged. */
wlab_code wlab_mat_check(const wlab_input *, wlab_buf *out, wlab_err *);
/* Append row `row` (from 1) of the matrix `name` of row numbers as int32_t from 0. */
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
    bool declared;          /* the file declares the words */
    const char *what;       /* what it was read from, for remarks; NULL: a column */
    wlab_words words;       /* NOMINAL, LABEL, BAG */
    int64_t missing;        /* cells without a value */
    const char *missing_at; /* the first of them in the file, or NULL */
    double fill;            /* replaces a missing cell: the mean, or the number of the commonest word */
    int32_t first, width;   /* its columns in X */
} wlab_column;

/* Cells are numbers, or word numbers, or NaN where missing. */
typedef struct wlab_table {
    int64_t rows;
    int32_t cols;
    wlab_column *column; /* [cols] */
    double *cell;        /* [rows * cols]; sparse: [start[rows]] */
    int64_t *start;      /* sparse: [rows + 1], cells that are not stored are 0; else NULL */
    int32_t *at;         /* sparse: the columns, ascending within a row */
} wlab_table;

/* If a C4.5 names file beside the data file NAME.data describes t->cols columns, set classes, names, kinds and values
 * of the columns from it, and *found. */
wlab_code wlab_c45_names(wlab_table *t, const wlab_input *data, bool *found, wlab_ctx *, wlab_err *);
/* After the rows are read: remove the periods after the classes; refuse words of a column beyond its first
 * declared[cols] ones (NULL: no names file); `bags`: columns 1 and 2 become bag and instance if they look like that. */
wlab_code wlab_c45_finish(wlab_table *t, const int32_t *declared, bool bags, wlab_reading *,
                          const wlab_input *, wlab_err *);
void wlab_table_clear(wlab_table *);
/* The column that `spec` (a name, a number from 1, "last") of the option `what` names. */
wlab_code wlab_table_named(const wlab_table *, const wlab_input *, const char *what, const char *spec,
                           int32_t *col, wlab_err *);
/* The column of bags: the one that bag= names, else one called bag; -1: none. */
#define WL_BAG_IS_LAST                                                                                       \
    "column %d, '%s', gives the bags, and no column is called class, label, target or y: loaded without "    \
    "labels; name the class with label=COLUMN"
wlab_code wlab_table_bag(const wlab_table *, const wlab_input *, const wlab_read_options *, int32_t *col,
                         wlab_err *);
/* The column called class, label, target or y (the first of these names that occurs), or -1. */
wlab_code wlab_table_usual_label(const wlab_table *, const wlab_input *, int32_t *col, wlab_err *);
/* Convert the table to a reading: one-hot columns, missing values, labels, bags. */
wlab_code wlab_table_finish(wlab_table *, wlab_reading *, const wlab_input *, const wlab_read_options *,
                            wlab_ctx *, wlab_err *);

#endif
