/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Between the reader of MAT-files, the check of their bytes, their variables and their bags.
 */
#ifndef WEAKLAB_DATA_MAT_H
#define WEAKLAB_DATA_MAT_H

#include "data/reader.h"

#include <matio.h>

/* The file's variables, unpacked, whose sizes fit together, as a MAT-file in `out`.  WL_EINPUT where the file
 * is damaged. */
wlab_code wlab_mat_check(const wlab_input *, wlab_buf *out, wlab_err *);

/* ---- variables ---- */

#define WL_MAT_VARS 256

/* matio, loaded when a MAT-file is read: with what it depends on, half of all our libraries, it would take longer than
 * everything else at each start of the program. */
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
void wlab_mat_close(wlab_mat_file *); /* also after a failure, and of fd = -1 */
/* "X 400 x 117, y 400 x 1" */
const char *wlab_mat_listing(const wlab_mat_file *, char *buf, size_t size);
/* The first of these names (ending with NULL) that is a matrix of numbers, at the top before inside structs. */
matvar_t *wlab_mat_find(const wlab_mat_file *, const char *const *names);
/* "name" or "struct.name", of whatever kind. */
matvar_t *wlab_mat_find_spec(const wlab_mat_file *, const char *spec);

bool wlab_mat_is_numeric(const matvar_t *); /* a real matrix, dense or sparse */
bool wlab_mat_is_vector(const matvar_t *);  /* numeric, a row or a column */
int64_t wlab_mat_elements(const matvar_t *);
double wlab_mat_element(const void *data, enum matio_types, int64_t k);
int64_t wlab_mat_type_size(enum matio_types); /* bytes; 0: not a number that we know */
/* The numbers of a dense matrix; NULL: no memory, or not stored as such (*ok false). */
double *wlab_mat_vector(const matvar_t *, bool *ok);

/* ---- bags ---- */

typedef struct wlab_mat_bags {
    double *bag; /* [rows] the bag's number; NULL: the data have no bags */
    int64_t rows;
    bool beside;      /* they come from another file */
    const char *from; /* the variable's name, of the file's life, or the other file's */
    double *label;    /* [labels] the bags', in the order of their numbers; NULL: they are not here */
    int64_t labels;
} wlab_mat_bags;

/* The bags of features [tall x wide] in the file `in`: the variable that bag= names, or one called Bag2, bag, ...; of a
 * file X.mat without these, the vectors in Bag2.mat and BagI.mat beside it. */
wlab_code wlab_mat_bags_find(wlab_mat_bags *, const wlab_mat_file *, const wlab_input *in,
                             const wlab_read_options *, int64_t tall, int64_t wide, wlab_ctx *, wlab_err *);
/* y[rows]: each row has its bag's label; wide[labels]. */
wlab_code wlab_mat_bags_spread(const wlab_mat_bags *, const double *label, int64_t labels, double **y,
                               const wlab_input *, wlab_err *);
void wlab_mat_bags_clear(wlab_mat_bags *);

#endif
