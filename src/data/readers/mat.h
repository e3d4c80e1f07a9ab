/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shared by the parts of the reader of MAT-files that use matio: variables and bags.
 */
#ifndef WEAKLAB_DATA_MAT_H
#define WEAKLAB_DATA_MAT_H

#include "data/readers/reader.h"

#include <matio.h>

/* ---- variables ---- */

#define WL_MAT_VARS 256

/* matio is loaded only when a MAT-file is read: loading it and the libraries that it depends on, half of all our
 * libraries, would take longer than everything else at each start of the program. */
typedef struct wlab_matio {
    mat_t *(*open)(const char *, int);
    int (*close)(mat_t *);
    matvar_t *(*next)(mat_t *);
    void (*free)(matvar_t *);
    unsigned (*fields)(const matvar_t *);
    char *const *(*names)(const matvar_t *);
    matvar_t *(*field)(const matvar_t *, size_t, size_t);
} wlab_matio;

typedef struct wlab_mat_var {
    matvar_t *v;        /* borrowed from `owner` */
    const char *name;   /* its own, or the field's */
    const char *inside; /* the struct's name, or NULL */
} wlab_mat_var;

typedef struct wlab_mat_file {
    wlab_matio lib;
    mat_t *mat;
    matvar_t *owner[WL_MAT_VARS];
    int owners;
    wlab_mat_var var[WL_MAT_VARS];
    int vars;
    int fd; /* -1: not open */
} wlab_mat_file;

wlab_code wlab_mat_open(wlab_mat_file *, const wlab_input *, wlab_err *);
void wlab_mat_close(wlab_mat_file *); /* also after a failure; nothing if fd = -1 */
/* "X 400x117, y 400x1" */
const char *wlab_mat_listing(const wlab_mat_file *, char *buf, size_t size);
/* The first of these names (ending with NULL) that is a matrix of numbers, at the top before inside structs. */
matvar_t *wlab_mat_find(const wlab_mat_file *, const char *const *names);
/* The variable of any kind called "name", or at a path: "struct.name", "cells.2.5.name".  The first part of a path
 * may also be the name of a field of a struct. */
matvar_t *wlab_mat_find_spec(const wlab_mat_file *, const char *spec);

bool wlab_mat_is_numeric(const matvar_t *); /* a real matrix, dense or sparse */
bool wlab_mat_is_vector(const matvar_t *);  /* numeric, a row or a column */
int64_t wlab_mat_elements(const matvar_t *);
double wlab_mat_element(const void *data, enum matio_types, int64_t k);
int64_t wlab_mat_type_size(enum matio_types); /* bytes; 0: not a known type of number */
/* The numbers of a dense matrix; NULL: no memory, or not stored as such (*ok false). */
double *wlab_mat_vector(const matvar_t *, bool *ok);

/* ---- bags ---- */

typedef struct wlab_mat_bags {
    double *bag; /* [rows] the bag's number; NULL: the data have no bags */
    int64_t rows;
    bool beside;      /* they come from another file */
    const char *from; /* name of the variable (valid until the file is closed), or of the other file */
    double *label;    /* [labels] labels of the bags in the order of their numbers; NULL: not in the file */
    int64_t labels;
    bool split;       /* they come from a split: test bag k has the number -k here */
    double *given[2]; /* [n_given] the proportions of its training and test bags by number from 1, or NULL */
    int64_t n_given[2];
} wlab_mat_bags;

/* Find the bags of features [tall x wide] in the file `in`: the variable or split that bag= names; else a variable
 * called Bag2, bag, ...; else, if the file is called X.mat, the vectors in Bag2.mat and BagI.mat beside it; else the first
 * variable that is a split; else, for a cell array of splits, none, and a remark lists their names. */
wlab_code wlab_mat_bags_find(wlab_mat_bags *, const wlab_mat_file *, const wlab_input *in,
                             const wlab_read_options *, int64_t tall, int64_t wide, wlab_reading *,
                             wlab_ctx *, wlab_err *);
/* *y[rows]: each row gets the label of its bag, from label[labels]. */
wlab_code wlab_mat_bags_spread(const wlab_mat_bags *, const double *label, int64_t labels, double **y,
                               const wlab_input *, wlab_err *);
void wlab_mat_bags_clear(wlab_mat_bags *);
/* Whether v is a split: a struct with train_bag_idx.  The first split among the variables and fields, or NULL. */
bool wlab_mat_is_split(const wlab_mat_file *, const matvar_t *v);
const matvar_t *wlab_mat_own_split(const wlab_mat_file *, const char **name);
/* If v, called `name`, is a cell array of splits: "bag=name.1.1 to bag=name.7.5" into text[size]; else false. */
bool wlab_mat_splits_text(const wlab_mat_file *, const matvar_t *v, const char *name, char *text,
                          size_t size);
/* The bags of all rows in the split v.  WL_EINPUT: a row is in several bags, or in none. */
wlab_code wlab_mat_split_bags(wlab_mat_bags *, const wlab_mat_file *, const matvar_t *v, const wlab_input *,
                              int64_t rows, wlab_err *);
/* Add a remark if the split's proportions differ from those of the labels y[rows]. */
wlab_code wlab_mat_split_check(const wlab_mat_bags *, const double *y, wlab_reading *, wlab_err *);

#endif
