/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * generate topics: sparse text-like data of any size with two planted classes.
 *
 * A document of class c picks one of the topics of c (with probability noise=, it uses the topics and words of the
 * other class); each of its words comes from that topic, from the class's own words, or from the background (Zipf's
 * law).  Entries are (1 + log count) log(n / rows with the word), rows have length 1.  The order of the random draws
 * determines the data of a seed, so it must not change.
 */
#include "base/progress.h"
#include "data/generators/generate.h"
#include "data/share.h"

#include <math.h>
#include <stdlib.h>

enum {
    TOPIC_WORDS = 150, /* words of a topic */
    CLASS_WORDS = 400, /* words of a class beside its topics */
    COMMON_WORDS = 20, /* the most frequent words belong to no topic */
    LONGEST = 3000,    /* words of a document, at most */
    TOGETHER = 16384   /* rows after which ranks ask each other whether to stop */
};

static const wlab_param_info params[] = {
    WL_GEN_N("1460"),
    {.name = "d",
     .type = WL_P_INT,
     .fallback = "7511",
     .lo = COMMON_WORDS + 1,
     .hi = 1e8,
     .unit = "columns",
     .meaning = "words"},
    {.name = "meanlen",
     .type = WL_P_REAL,
     .fallback = "62",
     .lo = 1,
     .hi = LONGEST,
     .unit = "words",
     .meaning = "mean length of a document before repeated words are merged (log-normal, from 5 to 3000)"},
    {.name = "topics",
     .type = WL_P_INT,
     .fallback = "3",
     .lo = 1,
     .hi = 100000,
     .meaning = "topics of each class"},
    {.name = "positive",
     .type = WL_P_REAL,
     .fallback = "0.5",
     .lo = 0,
     .hi = 1,
     .meaning = "probability of class +1"},
    {.name = "noise",
     .type = WL_P_REAL,
     .fallback = "0.1",
     .lo = 0,
     .hi = 1,
     .meaning = "probability that a document has words of the other class"},
    {.name = "topic-share",
     .type = WL_P_REAL,
     .fallback = "0.1",
     .lo = 0,
     .hi = 1,
     .meaning = "probability that a word comes from the document's topic"},
    {.name = "class-share",
     .type = WL_P_REAL,
     .fallback = "0.08",
     .lo = 0,
     .hi = 1,
     .meaning = "probability that a word comes from the class's own words"},
    {.name = "overlap",
     .type = WL_P_REAL,
     .fallback = "0",
     .lo = 0,
     .hi = 1,
     .meaning = "fraction of its topic and class words that class +1 shares with class -1"},
    {.name = "labeled",
     .type = WL_P_INT,
     .fallback = "50",
     .lo = 0,
     .hi = 1e8,
     .unit = "rows",
     .meaning = "rows whose labels `task ssl given=yes` observes; 0: no rows are chosen"},
    WL_GEN_SEED,
    WL_RANKS_PARAM,
    {0},
};

typedef struct corpus {
    int64_t n, topics;
    int64_t begin,
        end; /* the rows that are kept; all are drawn, as they determine the weights of the words */
    int32_t d;
    double topic_share, class_share;
    int32_t *order;                              /* [d] background rank -> column */
    double *background;                          /* [d] cumulative weights */
    double topic[TOPIC_WORDS], own[CLASS_WORDS]; /* cumulative weights */
    int32_t *topic_word;                         /* [2 * topics * TOPIC_WORDS] ranks */
    int32_t own_word[2 * CLASS_WORDS];
    int32_t *count;     /* [d] occurrences of a word in this document; all 0 between documents */
    int32_t *rows_with; /* [d] documents that contain a word */
} corpus;

static void cumulate(double *weight, int64_t n, double shift)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += 1 / ((double)i + shift);
        weight[i] = sum;
    }
}

static int64_t draw(const double *cumulative, int64_t n, wlab_rng *rng)
{
    double u = wlab_rng_uniform(rng) * cumulative[n - 1];
    int64_t lo = 0, hi = n - 1;
    while (lo < hi) {
        int64_t middle = (lo + hi) / 2;
        if (cumulative[middle] > u)
            hi = middle;
        else
            lo = middle + 1;
    }
    return lo;
}

/* The bias of the remainder is negligible, and must be kept: the data of a seed depend on it. */
static int64_t below(wlab_rng *rng, int64_t n)
{
    return (int64_t)(wlab_rng_next(rng) % (uint64_t)n);
}

/* Copy the fraction `overlap` of the words of class -1, evenly spread over the ranks, to class +1. */
static void copy_overlap(int32_t *words, int64_t each, int64_t lists, double overlap)
{
    for (int64_t list = 0; list < lists; list++) {
        for (int64_t i = 0; i < each; i++) {
            if (floor((double)(i + 1) * overlap) > floor((double)i * overlap))
                words[(lists + list) * each + i] = words[list * each + i];
        }
    }
}

static void corpus_clear(corpus *c)
{
    wlab_free(c->order);
    wlab_free(c->background);
    wlab_free(c->topic_word);
    wlab_free(c->count);
    wlab_free(c->rows_with);
}

static wlab_code corpus_make(corpus *c, const wlab_params *p, wlab_rng *rng, wlab_err *err)
{
    *c = (corpus){
        .n = wlab_params_int(p, "n"),
        .topics = wlab_params_int(p, "topics"),
        .d = (int32_t)wlab_params_int(p, "d"),
        .topic_share = wlab_params_real(p, "topic-share"),
        .class_share = wlab_params_real(p, "class-share"),
    };
    double overlap = wlab_params_real(p, "overlap");
    int64_t topic_words = 2 * c->topics * TOPIC_WORDS;
    c->order = wlab_alloc((size_t)c->d, sizeof *c->order);
    c->background = wlab_alloc((size_t)c->d, sizeof *c->background);
    c->topic_word = wlab_alloc((size_t)topic_words, sizeof *c->topic_word);
    c->count = wlab_calloc((size_t)c->d, sizeof *c->count);
    c->rows_with = wlab_calloc((size_t)c->d, sizeof *c->rows_with);
    if (!c->order || !c->background || !c->topic_word || !c->count || !c->rows_with)
        return wlab_nomem(err);
    for (int32_t i = 0; i < c->d; i++)
        c->order[i] = i;
    for (int32_t i = c->d - 1; i > 0; i--) {
        int64_t j = below(rng, i + 1);
        int32_t kept = c->order[i];
        c->order[i] = c->order[j];
        c->order[j] = kept;
    }
    cumulate(c->background, c->d, 2.7);
    cumulate(c->topic, TOPIC_WORDS, 5);
    cumulate(c->own, CLASS_WORDS, 20);
    for (int64_t i = 0; i < topic_words; i++)
        c->topic_word[i] = (int32_t)(COMMON_WORDS + below(rng, c->d - COMMON_WORDS));
    for (int64_t i = 0; i < 2 * CLASS_WORDS; i++)
        c->own_word[i] = (int32_t)(COMMON_WORDS + below(rng, c->d - COMMON_WORDS));
    copy_overlap(c->topic_word, TOPIC_WORDS, c->topics, overlap);
    copy_overlap(c->own_word, CLASS_WORDS, 1, overlap);
    return WL_OK;
}

static int compare_words(const void *a, const void *b)
{
    int32_t p = *(const int32_t *)a, q = *(const int32_t *)b;
    return (p > q) - (p < q);
}

static void sort_words(int32_t *word, int32_t m)
{
    if (m > 100) {
        qsort(word, (size_t)m, sizeof *word, compare_words);
        return;
    }
    for (int32_t i = 1; i < m; i++) {
        int32_t moved = word[i], j = i;
        for (; j > 0 && word[j - 1] > moved; j--)
            word[j] = word[j - 1];
        word[j] = moved;
    }
}

/* The distinct words of one document, ascending, with their counts left in c->count. */
static int32_t document(corpus *c, int32_t *word, int side, double mean, wlab_rng *rng)
{
    int64_t topic = below(rng, c->topics);
    double a = wlab_rng_uniform(rng), b = wlab_rng_uniform(rng);
    double normal = sqrt(-2 * log(1 - a)) * cos(6.283185307179586 * b);
    int length = (int)(mean * exp(0.5 * normal - 0.125) + 0.5);
    length = length < 5 ? 5 : length > LONGEST ? LONGEST : length;
    int32_t m = 0;
    for (int t = 0; t < length; t++) {
        double u = wlab_rng_uniform(rng);
        int64_t rank;
        if (u < c->topic_share)
            rank = c->topic_word[(side * c->topics + topic) * TOPIC_WORDS + draw(c->topic, TOPIC_WORDS, rng)];
        else if (u < c->topic_share + c->class_share)
            rank = c->own_word[side * CLASS_WORDS + draw(c->own, CLASS_WORDS, rng)];
        else
            rank = draw(c->background, c->d, rng);
        int32_t w = c->order[rank];
        if (!c->count[w]++)
            word[m++] = w;
    }
    sort_words(word, m);
    return m;
}

/* Make space for `more` entries after the first `used`; *cap: how many are allocated. */
static wlab_code reserve_entries(wlab_matrix *X, int64_t *cap, int64_t used, int64_t more, wlab_err *err)
{
    if (used + more <= *cap)
        return WL_OK;
    int64_t new_cap = *cap + *cap / 4 + more;
    int32_t *col = wlab_realloc(X->col, (size_t)new_cap, sizeof *col);
    if (!col)
        return wlab_nomem(err);
    X->col = col;
    float *val = wlab_realloc(X->val, (size_t)new_cap, sizeof *val);
    if (!val)
        return wlab_nomem(err);
    X->val = val;
    *cap = new_cap;
    return WL_OK;
}

/* Release the space beyond the first `used` entries; if that fails, it is kept. */
static void trim(wlab_matrix *X, int64_t used)
{
    int32_t *col = wlab_realloc(X->col, (size_t)used, sizeof *col);
    if (col)
        X->col = col;
    float *val = wlab_realloc(X->val, (size_t)used, sizeof *val);
    if (val)
        X->val = val;
}

/* labels: of how many rows data->label has space, all or none. */
static wlab_code write_documents(corpus *c, wlab_dataset *data, int64_t labels, const wlab_params *p,
                                 wlab_rng *rng, wlab_ranks *ranks, wlab_ctx *ctx, wlab_err *err)
{
    double positive = wlab_params_real(p, "positive"), noise = wlab_params_real(p, "noise");
    double mean = wlab_params_real(p, "meanlen");
    wlab_matrix *X = data->X;
    int32_t word[LONGEST];
    int64_t used = 0, cap = 0;
    wlab_code code = WL_OK;
    for (int64_t i = 0; i < c->n; i++) {
        if (i % 1024 == 0) {
            /* every rank makes all rows, and does not know when another stops */
            if ((wlab_ranks_size(ranks) == 1 || i % TOGETHER == 0) &&
                wlab_ranks_any(ranks, wlab_interrupted(ctx)))
                return wlab_fail(err, WL_EINTERRUPTED, "stopped after %lld of %lld rows", (long long)i,
                                 (long long)c->n);
            if (ranks && ranks->broken)
                return wlab_ranks_say_lost(ranks, err);
            wlab_emit_progress(ctx, "rows", i, c->n);
        }
        int side = wlab_rng_uniform(rng) < positive;
        if (i < labels)
            data->label[i] = side;
        if (wlab_rng_uniform(rng) < noise)
            side = !side;
        int32_t m = document(c, word, side, mean, rng);
        bool kept = !code && i >= c->begin && i < c->end;
        if (kept && (code = reserve_entries(X, &cap, used, m, err))) {
            if (wlab_ranks_size(ranks) == 1)
                return code;
            kept = false; /* goes on, for the sake of the others */
        }
        if (kept) {
            X->start[i - c->begin] = used;
            X->len[i - c->begin] = m;
        }
        for (int32_t j = 0; j < m; j++) {
            if (kept) {
                X->col[used] = word[j];
                X->val[used++] = (float)c->count[word[j]];
            }
            c->rows_with[word[j]]++;
            c->count[word[j]] = 0;
        }
    }
    trim(X, used);
    return code;
}

static wlab_code weigh_words(const corpus *c, wlab_matrix *X, wlab_ctx *ctx, wlab_err *err)
{
    enum {
        PIECE = 4096
    };
    double weight[LONGEST];
    wlab_progress progress;
    wlab_progress_begin(&progress, ctx, "rows weighed", X->rows);
    for (int64_t i = 0; i < X->rows; i++) {
        if (i % PIECE == 0) {
            if (wlab_interrupted(ctx))
                return wlab_fail(err, WL_EINTERRUPTED, "interrupted: no data were generated");
            wlab_progress_add(&progress, i ? PIECE : 0);
        }
        float *val = X->val + X->start[i];
        const int32_t *col = X->col + X->start[i];
        double square = 0;
        for (int32_t j = 0; j < X->len[i]; j++) {
            weight[j] = (1 + log((double)val[j])) * log((double)c->n / c->rows_with[col[j]] + 1e-9);
            if (weight[j] < 1e-6)
                weight[j] = 1e-6;
            square += weight[j] * weight[j];
        }
        for (int32_t j = 0; j < X->len[i]; j++)
            val[j] = (float)(weight[j] / sqrt(square));
    }
    return WL_OK;
}

static wlab_code select_labelled(wlab_dataset *data, int64_t n, int64_t labelled, wlab_rng *rng,
                                 wlab_err *err)
{
    if (labelled == 0)
        return WL_OK;
    data->given = wlab_alloc((size_t)n, sizeof *data->given);
    if (!data->given)
        return wlab_nomem(err);
    for (int64_t i = 0; i < n; i++)
        data->given[i] = -1;
    while (labelled > 0) {
        int64_t i = below(rng, n);
        if (data->given[i] < 0) {
            data->given[i] = data->label[i];
            labelled--;
        }
    }
    return WL_OK;
}

static wlab_code make_part(wlab_dataset **made, const wlab_params *p, int part, int parts, wlab_ctx *ctx,
                           wlab_err *err)
{
    *made = NULL;
    int64_t labelled = wlab_params_int(p, "labeled");
    corpus c;
    wlab_dataset *data = NULL;
    wlab_rng rng;
    wlab_rng_seed(&rng, (uint64_t)wlab_params_int(p, "seed"));
    if (labelled > wlab_params_int(p, "n"))
        return wlab_fail(err, WL_EARG, "labeled=%lld: there are only n=%lld rows", (long long)labelled,
                         (long long)wlab_params_int(p, "n"));
    wlab_code code = corpus_make(&c, p, &rng, err);
    c.begin = c.n * part / parts;
    c.end = c.n * (part + 1) / parts;
    int64_t labels = part == 0 ? c.n : 0;
    if (!code)
        code = wlab_gen_labels(&data, labels, 2, err);
    if (!code)
        code = wlab_matrix_create_sparse(&data->X, c.end - c.begin, c.d, 0, err);
    wlab_ranks *ranks = parts > 1 && ctx ? ctx->ranks : NULL;
    code = wlab_ranks_agree(ranks, code, err);
    if (!code)
        code = write_documents(&c, data, labels, p, &rng, ranks, ctx, err);
    if (!code && labels)
        code = select_labelled(data, c.n, labelled, &rng, err);
    code = code ? code : weigh_words(&c, data->X, ctx, err);
    if (code)
        wlab_dataset_unref(data);
    else
        *made = data;
    corpus_clear(&c);
    return code;
}

static wlab_code make(wlab_dataset **made, const wlab_params *p, wlab_ctx *ctx, wlab_err *err)
{
    return make_part(made, p, 0, 1, ctx, err);
}

const wlab_generator wlab_gen_topics = {
    .name = "topics",
    .summary = "sparse text-like data of any size with two planted classes of several topics each",
    .source = "a mixture of Zipf distributions, weighted by tf-idf",
    .params = params,
    .make = make,
    .make_part = make_part,
};
