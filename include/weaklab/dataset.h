/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Data sets: a matrix, the labels that are known, bags where given.  Immutable once made, shared by
 * reference; readers and generators make them, scaling makes a new one.
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
    char *name;          /* what the user calls it */
    char *source;        /* path as given, or the generate/scale command that made it */
    char sha256[65];     /* of the file's bytes as on disk; of matrix and labels where generated */
    wlab_matrix *X;      /* [rows x cols] */
    int classes;         /* 0: no labels at all */
    char **class_name;   /* [classes] as written in the file; the last class is the positive one of two:
                            numeric classes ascending, declared (ARFF) order, else alphabetical */
    double *class_value; /* [classes] NaN where not a number */
    int32_t *label;      /* [rows] true class, -1: unknown */
    int32_t *given;      /* [rows] or NULL: the classes a labels file shows, -1: hidden (0 in the file) */
    char **feature_name; /* [cols] or NULL */
    int32_t *bag;        /* [rows] or NULL: bag number from 0 */
    int64_t bags;
    char **bag_name; /* [bags] as written in the file, or NULL: bags are numbered only */
    bool bags_apart; /* they come from a file of their own, which errors do not quote */
    char *remark;    /* or NULL: what the reader did (missing values, columns encoded), one sentence */
} wlab_dataset;

wlab_dataset *wlab_dataset_ref(wlab_dataset *);
void wlab_dataset_unref(wlab_dataset *); /* NULL is fine */

/* ---- reading ---- */
/* Parameters of `load`: format, labels, truth, label, bags, bag, header, missing, base, columns, classes. */
extern const wlab_param_info wlab_load_params[];
/* Read `path` (any format in the table of readers, compressed or not; chosen by content unless format=
 * names one).  `name`: NULL for the file's base name without its extensions.  Errors: WL_EIO, WL_EINPUT
 * with file:line:column, WL_EARG.  Parsing runs in parallel blocks on ctx->pool. */
wlab_code wlab_dataset_load(wlab_dataset **, const char *path, const char *name, const wlab_params *options,
                            wlab_ctx *, wlab_err *);
typedef struct wlab_format_info {
    const char *name, *summary, *extensions;
} wlab_format_info;
/* The k-th format that `load` reads, from 0; false: there are no more. */
bool wlab_format_at(int k, wlab_format_info *);
/* Some formats' data come as folders.  *file: the file in the folder that `load` reads, the caller's; NULL: there is none. */
wlab_code wlab_folder_data(const char *folder, char **file, wlab_err *);
/* Whether a file of this name stands for the folder that it is in. */
bool wlab_folder_data_is(const char *name, size_t len);
/* Row numbers (from 1) of line `line` (from 1) of a split file as in ssl/ *_splits_*.txt, or row `line` of
 * idxLabs in a .mat split file.  *rows is owned by the caller, numbered from 0 on return. */
wlab_code wlab_split_file_read(const char *path, int64_t line, int32_t **rows, int64_t *n, wlab_err *);

/* ---- bags ---- */
/* sign[bags]: +1 where a row of the bag is of class `positive`, -1 where all are of known and other classes,
 * else 0.  Data without bags: nothing. */
void wlab_dataset_bag_signs(const wlab_dataset *, int positive, int8_t *sign);
/* Whether a bag holds rows of class `positive` and rows of another: then the rows' labels are their own, and not
 * copies of their bag's. */
bool wlab_dataset_instances_known(const wlab_dataset *, int positive);
typedef struct wlab_bag_summary {
    int64_t bags, positive, negative, unknown; /* by sign */
    int64_t smallest, largest;                 /* rows in one */
    double median;
    bool instances_known;
} wlab_bag_summary;
/* Data without bags: all 0. */
wlab_code wlab_dataset_bag_summary(const wlab_dataset *, int positive, wlab_bag_summary *, wlab_err *);
/* How many bags have rows in `train`, in `test`, and in both: *split[3]. */
wlab_code wlab_dataset_bags_split(const wlab_dataset *, const int32_t *train, int64_t n_train,
                                  const int32_t *test, int64_t n_test, int64_t split[3], wlab_err *);
/* A file of bags, one number or name a line for `rows` rows, in row order.  *bag[rows], owned by the caller, from 0, in
 * the order of numbers, then of names; names (NULL: not asked for): *names[bags], wlab_bag_names_free.  Errors: WL_EIO, WL_EINPUT with line and column. */
wlab_code wlab_bags_file_read(const char *path, int64_t rows, int32_t **bag, int64_t *bags, char ***names,
                              wlab_ctx *, wlab_err *);
/* Deal rows row[0 .. n-1] (NULL: 0 .. n-1) at random into bags of `size`, the last may be smaller: bag[row], from 0. */
wlab_code wlab_bags_deal_rows(const int32_t *row, int64_t n, int64_t size, uint64_t seed, int32_t *bag,
                              wlab_err *);
/* All rows of a data set, by a seed that `split` and the task share. */
wlab_code wlab_bags_deal(int64_t rows, int64_t size, uint64_t seed, int32_t *bag, wlab_err *);
/* A file of proportions, "bag proportion" a line, the bag by its name (NULL: by its number from 1): share[bags], NaN for
 * bags without a line.  Blanks, a comma, a semicolon or a tab stand between; # begins a comment; the first line may name
 * the columns.  `quotable`: errors may tell the names, which are the data set's own and not those of a file of bags.
 * Errors: WL_EIO, WL_EINPUT with line and column. */
wlab_code wlab_shares_file_read(const char *path, char *const *name, bool quotable, int64_t bags,
                                double *share, wlab_err *err);
void wlab_bag_names_free(char **names, int64_t bags); /* NULL is fine */

/* ---- generators ---- */
typedef struct wlab_generator {
    const char *name, *summary, *source;
    const wlab_param_info *params; /* with seed */
    wlab_code (*make)(wlab_dataset **, const wlab_params *, wlab_ctx *, wlab_err *);
} wlab_generator;
extern const wlab_generator *const wlab_generators[]; /* NULL-terminated */
const wlab_generator *wlab_generator_find(const char *name);
/* make, then fill name, source and sha256 */
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
/* A new data set; statistics from `train` rows only (NULL: all), so that nothing leaks from held-out rows.
 * Constant columns become 0 (minmax, symmetric, zscore).  Sparse data: minmax and symmetric scale by the largest |x|
 * and keep zeros, zscore divides by the deviation without centring; `remark` says so. */
wlab_code wlab_dataset_scale(wlab_dataset **, const wlab_dataset *, wlab_scaling, const int32_t *train,
                             int64_t n, wlab_ctx *, wlab_err *);
/* The columns (from 0) with the largest and the smallest span, max - min, of those that are not constant and not 0 in at
 * least a tenth of the rows. */
typedef struct wlab_spans {
    int32_t wide, narrow;
    double widest, narrowest;
} wlab_spans;
/* Whether one span is a hundred times another: then the wide columns alone make distances and products, and solvers take
 * long.  false, too, of more than a million columns, where memory is short, and at an interrupt.  Cost: nnz. */
bool wlab_dataset_uneven(const wlab_dataset *, wlab_spans *, const wlab_ctx *);
/* Parameters of `split`: test (fraction or count), or folds and fold; seed, stratified, by, bagsize. */
extern const wlab_param_info wlab_split_params[];
/* Cut the rows into train and test, both ascending, owned by the caller; rows of a bag stay together unless by=rows. */
wlab_code wlab_dataset_split(const wlab_dataset *, const wlab_params *, int32_t **train, int64_t *n_train,
                             int32_t **test, int64_t *n_test, wlab_err *);

#ifdef __cplusplus
}
#endif

#endif
