/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Data sets: a matrix, the known labels, and bags if the data have them.  Readers and generators make them.  A data set
 * does not change afterwards and is shared by reference; scaling makes a new one.
 */
#ifndef WEAKLAB_DATASET_H
#define WEAKLAB_DATASET_H

#include "weaklab/event.h"
#include "weaklab/matrix.h"
#include "weaklab/param.h"
#include "weaklab/rng.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wlab_dataset {
    int refs;
    char *name;               /* by which commands refer to it */
    char *source;             /* the path as given, or the generate or scale command that made it */
    char sha256[65];          /* of the file's bytes on disk; of matrix and labels if generated */
    wlab_matrix *X;           /* [rows x cols] */
    struct wlab_share *share; /* NULL: the rows are in X; else every rank has some of them, and X is `away` */
    int classes;              /* 0: no labels at all */
    char **class_name; /* [classes] as written in the file: numeric classes ascending, else in declared order
                            (ARFF), else alphabetical; of two classes the last one is the positive one */
    double *class_value; /* [classes] NaN if the name is no number */
    int32_t *label;      /* [rows] true class, -1: unknown */
    int32_t *given;      /* [rows] or NULL: the class in a labels file, -1: hidden (0 in the file) */
    char **feature_name; /* [cols] or NULL */
    int32_t *bag;        /* [rows] or NULL: bag number from 0 */
    int64_t bags;
    char **bag_name; /* [bags] as written in the file, or NULL: bags have numbers only */
    bool
        bags_apart; /* the bags come from a separate file, so error messages about the data do not quote their names */
    char *remark; /* or NULL: one sentence on what the reader did (missing values, encoded columns) */
    struct wlab_formula
        *formula; /* or NULL: the law that drew the labels, which is known for `generate formula` */
} wlab_dataset;

wlab_dataset *wlab_dataset_ref(wlab_dataset *);
void wlab_dataset_unref(wlab_dataset *); /* NULL is fine */

/* ---- reading ---- */
/* Parameters of `load`: format, labels, truth, label, bags, bag, header, missing, base, columns, classes,
 * one, draw, unpacked. */
extern const wlab_param_info wlab_load_params[];
/* Reads `path` in any format of the table of readers, compressed or not; the content decides which, unless format= names
 * one.  name NULL: the file's base name without its extensions.  Errors: WL_EIO, WL_EINPUT with file:line:column, WL_EARG.
 * Parses blocks in parallel on ctx->pool. */
wlab_code wlab_dataset_load(wlab_dataset **, const char *path, const char *name, const wlab_params *options,
                            wlab_ctx *, wlab_err *);
typedef struct wlab_format_info {
    const char *name, *summary, *extensions;
} wlab_format_info;
/* The k-th format that `load` reads, from 0; false: there are no more. */
bool wlab_format_at(int k, wlab_format_info *);
/* Data of some formats come as folders.  *file: the file in the folder that `load` reads, owned by the caller; NULL: none. */
wlab_code wlab_folder_data(const char *folder, char **file, wlab_err *);
/* Whether `load` accepts the folder in place of a file with this name in it. */
bool wlab_folder_data_is(const char *name, size_t len);
/* Reads the row numbers (from 1 in the file) of one split: those on line number `line` of a split file such as
 * ssl/ *_splits_*.txt, counted from 1 over the lines that have numbers, or in row `line` of idxLabs of a .mat split
 * file.  *rows is owned by the caller and counts from 0. */
wlab_code wlab_split_file_read(const char *path, int64_t line, int32_t **rows, int64_t *n, wlab_err *);

/* ---- bags ---- */
/* sign[bags]: +1 if a row of the bag is of class `positive`, -1 if all its rows are of other, known classes, else 0.
 * Writes nothing for data without bags. */
void wlab_dataset_bag_signs(const wlab_dataset *, int positive, int8_t *sign);
/* Whether some bag has rows of class `positive` and rows of another class: then rows have labels of their own, and not
 * copies of their bag's label. */
bool wlab_dataset_instances_known(const wlab_dataset *, int positive);
typedef struct wlab_bag_summary {
    int64_t bags, positive, negative, unknown; /* by sign */
    int64_t smallest, largest;                 /* rows per bag */
    double median;
    bool instances_known;
} wlab_bag_summary;
/* Data without bags: all 0. */
wlab_code wlab_dataset_bag_summary(const wlab_dataset *, int positive, wlab_bag_summary *, wlab_err *);
/* How many bags have rows in `train`, in `test`, and in both: *split[3]. */
wlab_code wlab_dataset_bags_split(const wlab_dataset *, const int32_t *train, int64_t n_train,
                                  const int32_t *test, int64_t n_test, int64_t split[3], wlab_err *);
/* Reads a file of bags: one number or name per line, one line per row of the data, in the order of the rows.  *bag[rows],
 * owned by the caller, counts from 0: numbers first, in ascending order, then names.  names: *names[bags], to be freed by
 * wlab_bag_names_free; NULL: not requested.  Errors: WL_EIO, WL_EINPUT with line and column. */
wlab_code wlab_bags_file_read(const char *path, int64_t rows, int32_t **bag, int64_t *bags, char ***names,
                              wlab_ctx *, wlab_err *);
/* Deals rows row[0 .. n-1] (NULL: 0 .. n-1) at random into bags of `size` rows; the last may be smaller.  bag[row] counts
 * from 0. */
wlab_code wlab_bags_deal_rows(const int32_t *row, int64_t n, int64_t size, uint64_t seed, int32_t *bag,
                              wlab_err *);
/* The same for all rows of a data set, with a seed that `split` and the task share. */
wlab_code wlab_bags_deal(int64_t rows, int64_t size, uint64_t seed, int32_t *bag, wlab_err *);
/* Reads a file of proportions with lines "bag proportion": the bag by its name (name NULL: by its number, from 1).
 * proportion[bags] is NaN for bags without a line.  Blanks, a comma, a semicolon or a tab separate the two; # begins a
 * comment; the first line may name the columns.  `quotable`: error messages may quote the names, because they come from the
 * data set and not from a separate file of bags.  Errors: WL_EIO, WL_EINPUT with line and column. */
wlab_code wlab_proportions_file_read(const char *path, char *const *name, bool quotable, int64_t bags,
                                     double *proportion, wlab_err *err);
void wlab_bag_names_free(char **names, int64_t bags); /* NULL is fine */
/* Reads a file of candidate classes: one line per row of the data, in the order of the rows, with the names of the row's
 * candidates joined by + ("cat+dog"); ? for any class.  candidates[rows]: bits of the classes (at most 64).  Errors: WL_EIO,
 * WL_EINPUT with the line, or with the row whose class is unknown. */
wlab_code wlab_candidates_file_read(const char *path, int64_t rows, char *const *class_name, int classes,
                                    uint64_t *candidates, wlab_err *err);

/* ---- generators ---- */
typedef struct wlab_generator {
    const char *name, *summary, *source;
    const wlab_param_info *params; /* with seed */
    wlab_code (*make)(wlab_dataset **, const wlab_params *, wlab_ctx *, wlab_err *);
    /* The same data, but X has only the rows from n part / parts up to n (part + 1) / parts, and only part 0 has label and
     * given, of all n rows.  NULL: the rows cannot be made in parts. */
    wlab_code (*make_part)(wlab_dataset **, const wlab_params *, int part, int parts, wlab_ctx *, wlab_err *);
} wlab_generator;
extern const wlab_generator *const wlab_generators[]; /* NULL-terminated */
const wlab_generator *wlab_generator_find(const char *name);
/* Calls `make`, then fills name, source and sha256. */
wlab_code wlab_dataset_generate(wlab_dataset **, const wlab_generator *, const char *name,
                                const wlab_params *, wlab_ctx *, wlab_err *);

/* ---- scaling and splitting ---- */
typedef enum wlab_scaling {
    WL_SCALE_MINMAX,
    WL_SCALE_ZSCORE,
    WL_SCALE_UNIT,
    WL_SCALE_TFIDF,
    WL_SCALE_SYMMETRIC
} wlab_scaling;
extern const char *const wlab_scaling_names[]; /* "minmax", "zscore", "unit", "tfidf", "symmetric", NULL */
/* Makes a scaled data set.  Uses statistics of the `train` rows only (NULL: all), so that nothing leaks from held-out rows.
 * Constant columns become 0 (minmax, symmetric, zscore).  For sparse data, minmax and symmetric divide by the largest |x|
 * and keep zeros, and zscore divides by the deviation without centring; `remark` says so. */
wlab_code wlab_dataset_scale(wlab_dataset **, const wlab_dataset *, wlab_scaling, const int32_t *train,
                             int64_t n, wlab_ctx *, wlab_err *);
/* The columns (from 0) with the largest and the smallest span, max - min, among those that are not constant and are nonzero
 * in at least a tenth of the rows. */
typedef struct wlab_spans {
    int32_t wide, narrow;
    double widest, narrowest;
} wlab_spans;
/* Whether one span is at least a hundred times another: then the wide columns dominate distances and products, and solvers
 * are slow.  Also false for more than a million columns, if the rows are on several ranks, if memory is short, and after an
 * interrupt.  Cost: nnz. */
bool wlab_dataset_uneven(const wlab_dataset *, wlab_spans *, wlab_ctx *);
/* Parameters of `split`: test (fraction or count), or folds and fold, or hold; seed, stratified, by, bagsize. */
extern const wlab_param_info wlab_split_params[];
/* Splits the rows into *train and *test, both ascending and owned by the caller.  All rows of a bag are in the same one
 * of the two unless by=rows. */
wlab_code wlab_dataset_split(const wlab_dataset *, const wlab_params *, int32_t **train, int64_t *n_train,
                             int32_t **test, int64_t *n_test, wlab_err *);

#ifdef __cplusplus
}
#endif

#endif
