/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Data sets on several ranks.  Each rank reads or makes about equally many bytes or rows; then the rows move to the ranks
 * to which they belong.
 *
 * No rank may wait for one that has failed.  So what may fail on a single rank ends with wlab_input_agree, and what is
 * between two of these only sends and receives.
 */
#include "data/away.h"
#include "base/sha256.h"
#include "data/generators/generate.h"
#include "data/readers/reader.h"
#include "linalg/spread.h"

#include <string.h>

enum {
    PIECE = 1 << 20 /* bytes that are hashed between two checks for an interrupt */
};

static int rank_of(const wlab_ranks *ranks)
{
    return ranks ? ranks->rank : 0;
}

typedef wlab_code hash_work(struct sha256_ctx *, const void *data, wlab_ctx *, wlab_err *);

/* Each rank adds to the sum in its turn, and passes it on to the next one; rank 0 has the sum of all. */
static wlab_code hash_in_turn(struct sha256_ctx *sum, hash_work *add, const void *data, wlab_ranks *ranks,
                              wlab_ctx *ctx, wlab_err *err)
{
    const int me = rank_of(ranks), size = wlab_ranks_size(ranks);

    if (me > 0)
        wlab_ranks_receive(ranks, me - 1, sum, sizeof *sum);
    const wlab_code code = add(sum, data, ctx, err);
    if (size > 1)
        wlab_ranks_send(ranks, (me + 1) % size, sum, sizeof *sum);
    if (size > 1 && me == 0)
        wlab_ranks_receive(ranks, size - 1, sum, sizeof *sum);
    return wlab_input_agree(ranks, code, err);
}

static wlab_code hash_text(struct sha256_ctx *sum, const void *data, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_input *in = data;
    wlab_code code = WL_OK;

    (void)ctx;
    for (size_t at = 0; at < in->size && !(code = wlab_input_check_stop(in, err)); at += PIECE)
        sha256_update(sum, in->size - at < PIECE ? in->size - at : PIECE, (const uint8_t *)in->data + at);
    return code;
}

static wlab_code hash_rows(struct sha256_ctx *sum, const void *data, wlab_ctx *ctx, wlab_err *err)
{
    return wlab_gen_hash_rows(sum, data, ctx, err);
}

/* Moves the rows of *X, which is destroyed, to their ranks.  *nnz: the entries that are not 0, of all ranks. */
static wlab_code spread(wlab_matrix **own, wlab_matrix **X, int64_t *nnz, wlab_ranks *ranks, wlab_err *err)
{
    wlab_spread how;
    const wlab_code code = wlab_matrix_spread(own, *X, ranks, &how, err);

    wlab_matrix_destroy(*X);
    *X = NULL;
    if (!code)
        *nnz = wlab_ranks_total(ranks, (*own)->nnz);
    return code;
}

/* ---- loading ---- */

static wlab_code check_options(const wlab_params *options, wlab_err *err)
{
    static const char *const refused[] = {"labels", "truth", "bags", "classes", "one"};

    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++)
        if (wlab_params_given(options, refused[k]))
            return wlab_fail(
                err, WL_EARG,
                "%s= cannot be used with ranks=all, which reads all rows of one file that also has "
                "their labels",
                refused[k]);
    return WL_OK;
}

/* The number of the file's format among the choices of format=. */
static wlab_code choose_format(const char *path, const wlab_params *options, int *format, wlab_ctx *ctx,
                               wlab_err *err)
{
    const wlab_reader *reader = NULL;
    wlab_input head = {0};
    bool packed = false;
    wlab_code code = check_options(options, err);

    if (code || (code = wlab_input_open_head(&head, path, &packed, ctx, err)))
        return code;
    if (packed)
        code = wlab_fail(err, WL_EARG, "'%s' is compressed: " WL_ONLY_SHARES, path);
    else if (!(code = wlab_reader_choose(&reader, wlab_params_choice(options, "format"), &head, err)) &&
             !(reader->flags & WL_READS_SHARES))
        code = wlab_fail(err, WL_EARG, "'%s' has the format %s: " WL_ONLY_SHARES, path, reader->name);
    if (!code)
        code = wlab_load_check_options(reader, options, err);
    for (*format = 0; !code && strcmp(wlab_format_choices[*format], reader->name) != 0;)
        ++*format;
    wlab_input_close(&head);
    return code;
}

/* Moves the labels of the rows of all ranks to rank 0, where r->label then has all. */
static wlab_code gather_labels(wlab_reading *r, int64_t rows, wlab_ranks *ranks, wlab_err *err)
{
    if (!r->label || wlab_ranks_size(ranks) == 1)
        return WL_OK;
    int32_t *all = wlab_alloc(rank_of(ranks) ? 0 : (size_t)rows, sizeof *all);
    const wlab_code code = wlab_input_agree(ranks, all ? WL_OK : wlab_nomem(err), err);
    if (!code)
        wlab_ranks_to_first(ranks, r->X->rows, sizeof *all, r->label, all);
    else
        all = wlab_free(all);
    wlab_free(r->label);
    r->label = all;
    return code;
}

/* The data set on rank 0 without its checksum; X is away, its nnz not yet known. */
static wlab_code describe(wlab_dataset **made, wlab_reading *r, int64_t rows, const char *path,
                          const char *name, const wlab_params *options, wlab_ctx *ctx, wlab_err *err)
{
    wlab_dataset *ds = wlab_calloc(1, sizeof *ds);
    wlab_code code;

    if (!ds)
        return wlab_nomem(err);
    ds->refs = 1;
    if ((code = wlab_matrix_away(&ds->X, rows, r->X->cols, r->X->sparse, 0, err)) ||
        (code = wlab_labels_assign(ds, r, options, ctx, err)) || (code = wlab_load_name(ds, path, name, err)))
        goto out;
    if (r->remark.len && !(ds->remark = wlab_strndup((const char *)r->remark.data, r->remark.len)))
        code = wlab_nomem(err);
out:
    if (code)
        wlab_dataset_unref(ds);
    else
        *made = ds;
    return code;
}

wlab_code wlab_away_load(wlab_dataset **whole, wlab_matrix **own, const char *path, const char *name,
                         const wlab_params *options, wlab_ctx *ctx, wlab_err *err)
{
    wlab_ranks *ranks = ctx ? ctx->ranks : NULL;
    wlab_params *defaults = NULL;
    wlab_dataset *ds = NULL;
    wlab_reading r = {0};
    wlab_input in = {0};
    wlab_read_options o;
    const wlab_reader *reader = NULL;
    struct sha256_ctx sum;
    wlab_err unread;
    int format = 0;
    int64_t rows, nnz = 0;
    wlab_code code = WL_OK;

    *whole = NULL;
    *own = NULL;
    err = err ? err : &unread; /* other ranks may report what happens on this one */
    if (!options) {
        code = wlab_params_create(&defaults, wlab_load_params, err);
        options = defaults;
    }
    if (!code && rank_of(ranks) == 0)
        code = choose_format(path, options, &format, ctx, err);
    if ((code = wlab_input_agree(ranks, code, err)))
        goto out;
    wlab_ranks_broadcast(ranks, &format, sizeof format);
    code = format ? wlab_reader_choose(&reader, format, NULL, err) : WL_OK; /* 0: the connection is lost */
    if ((code = wlab_input_agree(ranks, code, err)))
        goto out;
    wlab_load_options(&o, options);
    if ((code = wlab_input_open_share(&in, path, ranks, ctx, err)) ||
        (code = wlab_input_agree(ranks, wlab_load_check_text(&in, err), err)) ||
        (code = reader->read(&r, &in, &o, ctx, err)))
        goto out;
    wlab_load_drop_labels(&r, &o);
    rows = wlab_ranks_total(ranks, r.X->rows);
    if ((code = gather_labels(&r, rows, ranks, err)))
        goto out;
    if (rank_of(ranks) == 0)
        code = describe(&ds, &r, rows, path, name, options, ctx, err);
    if ((code = wlab_input_agree(ranks, code, err)))
        goto out;
    sha256_init(&sum);
    if ((code = hash_in_turn(&sum, hash_text, &in, ranks, ctx, err)))
        goto out;
    wlab_input_close(&in); /* before the rows exist twice */
    r.label = wlab_free(r.label);
    wlab_words_clear(&r.words);
    if ((code = spread(own, &r.X, &nnz, ranks, err)))
        goto out;
    if (ds) {
        wlab_sha256_end(&sum, ds->sha256);
        ds->X->nnz = nnz;
    }
    *whole = ds;
    ds = NULL;
out:
    wlab_dataset_unref(ds);
    if (code == WL_EINPUT && !err->file[0])
        strncpy(err->file, path, sizeof err->file - 1);
    wlab_reading_clear(&r);
    wlab_input_close(&in);
    wlab_params_destroy(defaults);
    return code;
}

/* ---- generating ---- */

static wlab_code refuse_generator(const wlab_generator *generator, wlab_err *err)
{
    char list[200] = "";

    for (size_t g = 0; wlab_generators[g]; g++)
        if (wlab_generators[g]->make_part)
            wlab_text_append(list, sizeof list, "%s%s", *list ? ", " : "", wlab_generators[g]->name);
    return wlab_fail(
        err, WL_EARG,
        "'generate %s' makes all rows in one process: the data that can be spread over ranks are %s",
        generator->name, list);
}

wlab_code wlab_away_generate(wlab_dataset **whole, wlab_matrix **own, const wlab_generator *generator,
                             const char *name, const wlab_params *params, wlab_ctx *ctx, wlab_err *err)
{
    wlab_ranks *ranks = ctx ? ctx->ranks : NULL;
    const int me = rank_of(ranks);
    wlab_dataset *data = NULL;
    wlab_matrix *X = NULL, *rows = NULL;
    struct sha256_ctx sum;
    wlab_err unread;
    int64_t nnz = 0;
    wlab_code code;

    *whole = NULL;
    *own = NULL;
    err = err ? err : &unread;
    if (!generator->make_part)
        return refuse_generator(generator, err);
    code = generator->make_part(&data, params, me, wlab_ranks_size(ranks), ctx, err);
    if (!code && me == 0)
        code = wlab_gen_name(data, generator, name, params, err);
    if (!code) {
        X = data->X;
        data->X = NULL;
    }
    const int64_t all = code ? 0 : wlab_params_int(params, "n");
    if (!code && me == 0)
        code = wlab_matrix_away(&data->X, all, X->cols, X->sparse, 0, err);
    if ((code = wlab_input_agree(ranks, code, err)) || (code = spread(&rows, &X, &nnz, ranks, err)))
        goto out;
    sha256_init(&sum);
    if (me == 0)
        wlab_gen_hash_begin(&sum, data->X);
    if ((code = hash_in_turn(&sum, hash_rows, rows, ranks, ctx, err)))
        goto out;
    if (me == 0) {
        wlab_gen_hash_end(&sum, data, data->sha256);
        data->X->nnz = nnz;
        *whole = data;
        data = NULL;
    }
    *own = rows;
    rows = NULL;
out:
    wlab_matrix_destroy(X);
    wlab_matrix_destroy(rows);
    wlab_dataset_unref(data);
    return code;
}
