/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What generators share: entries of their parameter tables, making a data set, hashing its content.
 */
#ifndef DATA_GENERATE_H
#define DATA_GENERATE_H

#include "base/sha256.h"
#include "weaklab/dataset.h"

#define WL_GEN_SEED                                                                                          \
    {                                                                                                        \
        .name = "seed", .type = WL_P_INT, .fallback = "1", .lo = 0, .hi = 0x1p53,                            \
        .meaning = "of the random generator (xoshiro256**)"                                                  \
    }
#define WL_GEN_N(fallback_)                                                                                  \
    {                                                                                                        \
        .name = "n", .type = WL_P_INT, .fallback = fallback_, .lo = 2, .hi = 1e8, .unit = "rows",            \
        .meaning = "rows"                                                                                    \
    }
#define WL_GEN_DIMS(fallback_)                                                                               \
    {                                                                                                        \
        .name = "dims", .type = WL_P_INT, .fallback = fallback_, .lo = 2, .hi = 1e6, .unit = "columns",      \
        .meaning = "columns"                                                                                 \
    }

extern const wlab_generator wlab_gen_two_moons, wlab_gen_g50c, wlab_gen_g241c, wlab_gen_g241d, wlab_gen_blobs,
    wlab_gen_rings, wlab_gen_polygon, wlab_gen_llp_toy, wlab_gen_topics, wlab_gen_roi_bags, wlab_gen_formula;

/* A data set without matrix: label [n] all 0; classes "-1" and "+1" for two, else "1", "2", ... */
wlab_code wlab_gen_labels(wlab_dataset **, int64_t n, int classes, wlab_err *);
/* The same with a dense matrix [n x dims] of zeros. */
wlab_code wlab_gen_dense(wlab_dataset **, int64_t n, int64_t dims, int classes, wlab_err *);
/* label[i] = group of row i in 0 .. groups-1, of equal sizes (the first ones larger by one), shuffled. */
void wlab_gen_groups(wlab_dataset *, int groups, wlab_rng *);
/* Each row = centre [groups x dims] of its label.  This and the next: after WL_EINTERRUPTED there is no data set. */
wlab_code wlab_gen_around(wlab_dataset **, const double *centre, wlab_ctx *, wlab_err *);
/* x += scale * N(0, I) for each row. */
wlab_code wlab_gen_noise(wlab_dataset **, double scale, wlab_rng *, wlab_ctx *, wlab_err *);
/* A direction, uniform on the sphere of `radius` in `dims` dimensions. */
void wlab_gen_direction(double *v, int64_t dims, double radius, wlab_rng *);

/* SHA-256 of the content: rows as int64, cols as int32, each row (sparse: int32 count, int32 columns, float
 * values; dense: doubles), then label, given and bag if they exist, all little-endian. */
wlab_code wlab_dataset_sha256(const wlab_dataset *, char hex[65], wlab_ctx *, wlab_err *);
/* Its three parts: what is before the rows; rows; what is after them, and the digest. */
void wlab_gen_hash_begin(struct sha256_ctx *, const wlab_matrix *);
wlab_code wlab_gen_hash_rows(struct sha256_ctx *, const wlab_matrix *, wlab_ctx *, wlab_err *);
void wlab_gen_hash_end(struct sha256_ctx *, const wlab_dataset *, char hex[65]);
/* Sets name and source. */
wlab_code wlab_gen_name(wlab_dataset *, const wlab_generator *, const char *name, const wlab_params *,
                        wlab_err *);
/* Append the rows as LIBSVM text: the class name, which must be a number (0: unlabelled), then column:value for each entry
 * that is not 0, columns from 1, six significant digits. */
wlab_code wlab_libsvm_write(const wlab_dataset *, wlab_buf *out, wlab_err *);

#endif
