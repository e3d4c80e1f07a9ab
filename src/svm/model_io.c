/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Models as text: LIBLINEAR's format for linear models, LIBSVM's for kernel models.
 */
#include "weaklab/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool whole_number(const char *name, long *value)
{
    double v;
    if (!wlab_parse_real(name, &v) || !(fabs(v) < 1e9) || v - floor(v) > 0)
        return false;
    *value = (long)v;
    return true;
}

/* Both formats hold integer labels: class names that are none become +1 and -1. */
static void integer_labels(const wlab_model *m, long *positive, long *negative)
{
    if (!whole_number(m->class_name[1], positive) || !whole_number(m->class_name[0], negative) ||
        *positive == *negative) {
        *positive = 1;
        *negative = -1;
    }
}

static wlab_code write_liblinear(const wlab_model *m, wlab_buf *out)
{
    long pos, neg;
    char number[32];
    wlab_code code;
    integer_labels(m, &pos, &neg);
    bool offset = m->b[0] != 0;
    code = wlab_buf_printf(out, "solver_type %s\nnr_class 2\nlabel %ld %ld\nnr_feature %d\nbias %d\nw\n",
                           m->squared ? "L2R_L2LOSS_SVC" : "L2R_L1LOSS_SVC_DUAL", pos, neg, m->cols,
                           offset ? 1 : -1);
    for (int32_t j = 0; j < m->cols && !code; j++)
        code = wlab_buf_printf(out, "%s \n", wlab_real_text(m->w[j], number));
    if (!code && offset)
        code = wlab_buf_printf(out, "%s \n", wlab_real_text(m->b[0], number));
    return code;
}

static wlab_code write_vector(const wlab_model *m, int64_t s, wlab_buf *out)
{
    char number[32];
    wlab_code code = WL_OK;
    if (m->kernel.kind == WL_K_PRECOMPUTED)
        return wlab_buf_printf(out, "0:%d ", m->sv_row[s] + 1);
    int64_t first = m->sv->start[s];
    for (int32_t k = 0; k < m->sv->len[s] && !code; k++) {
        double v = m->sv->sparse ? (double)m->sv->val[first + k] : m->sv->dense[first + k];
        if (v != 0)
            code = wlab_buf_printf(out, "%d:%s ", (m->sv->sparse ? m->sv->col[first + k] : k) + 1,
                                   wlab_real_text(v, number));
    }
    return code;
}

static wlab_code write_libsvm(const wlab_model *m, wlab_buf *out)
{
    static const char *const types[] = {"linear", "rbf", "polynomial", "precomputed"};
    long pos, neg;
    char number[32];
    int64_t npos = 0;
    wlab_code code;
    integer_labels(m, &pos, &neg);
    for (int64_t s = 0; s < m->nsv; s++)
        npos += m->coef[s] > 0;
    code = wlab_buf_printf(out, "svm_type c_svc\nkernel_type %s\n", types[m->kernel.kind]);
    if (!code && m->kernel.kind == WL_K_POLY)
        code = wlab_buf_printf(out, "degree %d\n", m->kernel.degree);
    if (!code && (m->kernel.kind == WL_K_POLY || m->kernel.kind == WL_K_RBF))
        code = wlab_buf_printf(out, "gamma %s\n", wlab_real_text(m->kernel.gamma, number));
    if (!code && m->kernel.kind == WL_K_POLY)
        code = wlab_buf_printf(out, "coef0 %s\n", wlab_real_text(m->kernel.coef0, number));
    if (!code)
        code = wlab_buf_printf(out, "nr_class 2\ntotal_sv %lld\nrho %s\nlabel %ld %ld\nnr_sv %lld %lld\nSV\n",
                               (long long)m->nsv, wlab_real_text(m->b[0] == 0 ? 0 : -m->b[0], number), pos,
                               neg, (long long)npos, (long long)(m->nsv - npos));
    for (int64_t s = 0; s < m->nsv && !code; s++) {
        code = wlab_buf_printf(out, "%s ", wlab_real_text(m->coef[s], number));
        code = code ? code : write_vector(m, s, out);
        code = code ? code : wlab_buf_printf(out, "\n");
    }
    return code;
}

wlab_code wlab_model_write(const wlab_model *m, wlab_buf *out, wlab_err *err)
{
    wlab_code code = m->kernel.kind == WL_K_LINEAR ? write_liblinear(m, out) : write_libsvm(m, out);
    return code ? wlab_nomem(err) : WL_OK;
}

/* ---- reading back ---- */

typedef struct reader {
    const char *path;
    FILE *file;
    char *line;
    size_t room;
    long number;
    wlab_err *err;
} reader;

/* The next line without its end, or NULL at the end of the file. */
static char *next_line(reader *r)
{
    ssize_t len = getline(&r->line, &r->room, r->file);
    if (len < 0)
        return NULL;
    r->number++;
    while (len > 0 && strchr("\r\n ", r->line[len - 1]))
        r->line[--len] = 0;
    return r->line;
}

/* `at` points into the line, or is NULL: the whole line is meant. */
static wlab_code malformed(reader *r, const char *at, const char *what)
{
    return wlab_fail_at(r->err, r->path, r->number, at ? at - r->line + 1 : 1, "%s", what);
}

static bool value_of(char *line, const char *key, char **value)
{
    size_t len = strlen(key);
    if (strncmp(line, key, len) != 0 || (line[len] && line[len] != ' '))
        return false;
    *value = line + len + (line[len] == ' ');
    return true;
}

static wlab_code read_labels(reader *r, char *value, wlab_model *m)
{
    char *save = NULL, *a = strtok_r(value, " ", &save), *b = strtok_r(NULL, " ", &save);
    if (!a || !b || m->class_name[1] || strtok_r(NULL, " ", &save))
        return malformed(r, value, "expected `label A B`: two classes, once");
    m->class_name[1] = wlab_strdup(a);
    m->class_name[0] = wlab_strdup(b);
    return m->class_name[1] && m->class_name[0] ? WL_OK : wlab_nomem(r->err);
}

static wlab_code read_weights(reader *r, wlab_model *m, int64_t features, double bias)
{
    if (features < 0 || features > 2147483646)
        return malformed(r, NULL, "expected nr_feature before w");
    m->cols = (int32_t)features;
    m->w = wlab_calloc((size_t)features, sizeof *m->w);
    if (!m->w)
        return wlab_nomem(r->err);
    for (int64_t j = 0; j < features + (bias > 0); j++) {
        char *line = next_line(r);
        double v;
        if (!line)
            return malformed(r, NULL, "the file ends before its last weight");
        if (!wlab_parse_real(line, &v))
            return malformed(r, line, "expected one weight");
        if (j < features)
            m->w[j] = v;
        else
            m->b[0] = v * bias;
    }
    return WL_OK;
}

/* What the first pass over the support vectors finds out. */
typedef struct extent {
    int64_t stored;
    int32_t cols;
    bool single, large; /* all values are single precision; one is beyond it */
} extent;

/* One support vector: into row s of m where m->sv is there, else into *e only. */
static wlab_code read_vector(reader *r, wlab_model *m, int64_t s, extent *e)
{
    bool pre = m->kernel.kind == WL_K_PRECOMPUTED;
    wlab_matrix *X = m->sv;
    char *line = next_line(r), *save = NULL, *word = line ? strtok_r(line, " ", &save) : NULL;
    if (!line)
        return malformed(r, NULL, "the file ends before its last support vector");
    if (!word || !wlab_parse_real(word, &m->coef[s]))
        return malformed(r, word, "expected a coefficient");
    if (X && X->sparse)
        X->start[s] = e->stored;
    int64_t last = pre ? -1 : 0, index, row;
    double v = 0;
    while ((word = strtok_r(NULL, " ", &save))) {
        char *colon = strchr(word, ':');
        if (colon)
            *colon = 0;
        if (!colon || !wlab_parse_int(word, &index) || !wlab_parse_real(colon + 1, &v) || index <= last ||
            index > (pre ? 0 : 2147483646))
            return malformed(r, word, pre ? "expected 0:ROW" : "expected ascending index:value pairs");
        last = index;
        if (pre) {
            if (!wlab_parse_int(colon + 1, &row) || row < 1 || row > 2147483646)
                return malformed(r, colon + 1, "expected a row number from 1");
            m->sv_row[s] = (int32_t)(row - 1);
            continue;
        }
        e->cols = index > e->cols ? (int32_t)index : e->cols;
        if (!(fabs(v) < 3.4e38))
            e->large = true;
        else if ((double)(float)v < v || (double)(float)v > v)
            e->single = false;
        if (X && !X->sparse) {
            X->dense[s * X->cols + index - 1] = v;
        } else if (X) {
            X->val[e->stored] = (float)v;
            X->col[e->stored] = (int32_t)index - 1;
            X->len[s]++;
        }
        e->stored++;
    }
    if (pre && last < 0)
        return malformed(r, NULL, "expected 0:ROW after the coefficient");
    return WL_OK;
}

/* A model of dense data holds doubles, which a sparse matrix would round. */
static bool better_dense(const extent *e, int64_t rows)
{
    double entries = (double)rows * e->cols, stored = (double)e->stored;
    return e->large || (e->single ? 2 : 8) * stored >= entries;
}

static wlab_code read_vectors(reader *r, wlab_model *m, int64_t total)
{
    wlab_code code = WL_OK;
    if (total < 0 || total > 2147483646)
        return malformed(r, NULL, "expected total_sv before SV");
    m->nsv = total;
    m->coef = wlab_alloc((size_t)total, sizeof *m->coef);
    m->sv_row = wlab_calloc((size_t)total, sizeof *m->sv_row);
    if (!m->coef || !m->sv_row)
        return wlab_nomem(r->err);
    /* two passes over the rest: measure, then fill */
    extent seen = {.single = true}, again = {.single = true};
    long start = ftell(r->file), first = r->number;
    for (int64_t s = 0; s < total && !code; s++)
        code = read_vector(r, m, s, &seen);
    if (code)
        return code;
    if (start < 0 || fseek(r->file, start, SEEK_SET))
        return wlab_fail_errno(r->err, "cannot read '%s' twice", r->path);
    r->number = first;
    code = better_dense(&seen, total)
               ? wlab_matrix_create_dense(&m->sv, total, seen.cols, r->err)
               : wlab_matrix_create_sparse(&m->sv, total, seen.cols, seen.stored, r->err);
    for (int64_t s = 0; s < total && !code; s++)
        code = read_vector(r, m, s, &again);
    if (!code)
        m->sv->nnz = seen.stored;
    m->cols = seen.cols;
    return code;
}

typedef struct header {
    int64_t features, total; /* -1: not given */
    double bias;
    bool kernel, body;
} header;

static wlab_code read_line(reader *r, char *line, header *h, wlab_model *m)
{
    static const char *const types[] = {"linear", "rbf", "polynomial", "precomputed"};
    static const char *const ignored[] = {"solver_type", "nr_sv", "probA", "probB", "prob_density_marks"};
    char *v;
    int64_t whole = 0;
    double rho = 0;
    if (value_of(line, "kernel_type", &v)) {
        int kind = 0;
        while (kind < 4 && strcmp(types[kind], v) != 0)
            kind++;
        if (kind == 4 || kind == 0)
            return malformed(r, v, "kernel_type must be rbf, polynomial or precomputed");
        m->kernel.kind = (wlab_kernel_kind)kind;
        h->kernel = true;
    } else if (value_of(line, "svm_type", &v)) {
        if (strcmp(v, "c_svc") != 0 && strcmp(v, "nu_svc") != 0)
            return malformed(r, v, "svm_type must be c_svc");
    } else if (value_of(line, "label", &v)) {
        return read_labels(r, v, m);
    } else if (value_of(line, "nr_class", &v)) {
        if (!wlab_parse_int(v, &whole) || whole != 2)
            return malformed(r, v, "nr_class must be 2");
    } else if (value_of(line, "nr_feature", &v)) {
        if (!wlab_parse_int(v, &h->features) || h->features < 0)
            return malformed(r, v, "expected a number of features");
    } else if (value_of(line, "total_sv", &v)) {
        if (!wlab_parse_int(v, &h->total) || h->total < 0)
            return malformed(r, v, "expected a number of support vectors");
    } else if (value_of(line, "bias", &v)) {
        if (!wlab_parse_real(v, &h->bias))
            return malformed(r, v, "expected a number");
    } else if (value_of(line, "gamma", &v)) {
        if (!wlab_parse_real(v, &m->kernel.gamma))
            return malformed(r, v, "expected a number");
    } else if (value_of(line, "coef0", &v)) {
        if (!wlab_parse_real(v, &m->kernel.coef0))
            return malformed(r, v, "expected a number");
    } else if (value_of(line, "degree", &v)) {
        if (!wlab_parse_int(v, &whole) || whole < 1 || whole > 20)
            return malformed(r, v, "expected a degree from 1 to 20");
        m->kernel.degree = (int)whole;
    } else if (value_of(line, "rho", &v)) {
        if (!wlab_parse_real(v, &rho))
            return malformed(r, v, "expected a number");
        m->b[0] = 0 - rho;
    } else if (value_of(line, "w", &v)) {
        h->body = true;
        return h->kernel ? malformed(r, line, "a model with kernel_type has SV, not w")
                         : read_weights(r, m, h->features, h->bias);
    } else if (value_of(line, "SV", &v)) {
        h->body = true;
        return h->kernel ? read_vectors(r, m, h->total)
                         : malformed(r, line, "expected kernel_type before SV");
    } else {
        for (size_t k = 0; k < sizeof ignored / sizeof *ignored; k++)
            if (value_of(line, ignored[k], &v))
                return WL_OK;
        return malformed(r, line, "this is neither a LIBLINEAR nor a LIBSVM model");
    }
    return WL_OK;
}

wlab_code wlab_model_read(wlab_model **out, const char *path, wlab_err *err)
{
    reader r = {.path = path, .err = err, .file = fopen(path, "r")};
    header h = {.features = -1, .total = -1, .bias = -1};
    wlab_code code = WL_OK;
    char *line;
    *out = NULL;
    if (!r.file)
        return wlab_fail_errno(err, "cannot open '%s'", path);
    wlab_model *m = wlab_calloc(1, sizeof *m);
    if (m) {
        m->outputs = 1;
        m->b = wlab_calloc(1, sizeof *m->b);
        m->class_name = wlab_calloc(2, sizeof *m->class_name);
    }
    if (!m || !m->b || !m->class_name) {
        wlab_model_destroy(m);
        fclose(r.file);
        return wlab_nomem(err);
    }
    m->kernel.gamma = 1;
    m->kernel.degree = 3;
    while (!code && !h.body && (line = next_line(&r)))
        code = read_line(&r, line, &h, m);
    if (!code && (!h.body || !m->class_name[1]))
        code = malformed(&r, NULL, "the model has no weights, or no `label` line");
    while (!code && (line = next_line(&r)))
        if (*line)
            code = malformed(&r, NULL, "the model should end before this line");
    if (!code && ferror(r.file))
        code = wlab_fail_errno(err, "cannot read '%s'", path);
    free(r.line);
    fclose(r.file);
    if (code) {
        wlab_model_destroy(m);
        return code;
    }
    *out = m;
    return WL_OK;
}
