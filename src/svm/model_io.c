/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Models as text: LIBLINEAR's format for linear models, LIBSVM's for kernel models.
 */
#include "weaklab/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Both formats hold integer labels: class names that are none become +1 and -1. */
static void integer_labels(const wlab_model *m, long *positive, long *negative)
{
    int64_t p, n;
    *positive = 1;
    *negative = -1;
    if (wlab_parse_int(m->positive, &p) && wlab_parse_int(m->negative, &n) && p != n &&
        labs((long)p) < 1000000000 && labs((long)n) < 1000000000) {
        *positive = (long)p;
        *negative = (long)n;
    }
}

static wlab_code write_liblinear(const wlab_model *m, wlab_buf *out)
{
    long pos, neg;
    char number[32];
    wlab_code code;
    integer_labels(m, &pos, &neg);
    bool offset = m->b != 0;
    code = wlab_buf_printf(
        out, "solver_type L2R_L1LOSS_SVC_DUAL\nnr_class 2\nlabel %ld %ld\nnr_feature %d\nbias %d\nw\n", pos,
        neg, m->cols, offset ? 1 : -1);
    for (int32_t j = 0; j < m->cols && !code; j++)
        code = wlab_buf_printf(out, "%s \n", wlab_real_text(m->w[j], number));
    if (!code && offset)
        code = wlab_buf_printf(out, "%s \n", wlab_real_text(m->b, number));
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
                               (long long)m->nsv, wlab_real_text(m->b == 0 ? 0 : -m->b, number), pos, neg,
                               (long long)npos, (long long)(m->nsv - npos));
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

static wlab_code malformed(reader *r, const char *what)
{
    return wlab_fail_at(r->err, r->path, r->number, 1, "%s", what);
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
    if (!a || !b || m->positive)
        return malformed(r, "expected `label A B`: two classes");
    m->positive = wlab_strdup(a);
    m->negative = wlab_strdup(b);
    return m->positive && m->negative ? WL_OK : wlab_nomem(r->err);
}

static wlab_code read_weights(reader *r, wlab_model *m, int64_t features, double bias)
{
    if (features < 1 || features > 2147483646)
        return malformed(r, "expected nr_feature before w");
    m->cols = (int32_t)features;
    m->w = wlab_calloc((size_t)features, sizeof *m->w);
    if (!m->w)
        return wlab_nomem(r->err);
    for (int64_t j = 0; j < features + (bias > 0); j++) {
        char *line = next_line(r);
        double v;
        if (!line || !wlab_parse_real(line, &v))
            return malformed(r, line ? "expected one weight" : "the file ends before its last weight");
        if (j < features)
            m->w[j] = v;
        else
            m->b = v * bias;
    }
    return WL_OK;
}

static wlab_code read_vectors(reader *r, wlab_model *m, int64_t total)
{
    wlab_code code = WL_OK;
    if (total < 1 || total > 2147483646)
        return malformed(r, "expected total_sv before SV");
    bool pre = m->kernel.kind == WL_K_PRECOMPUTED;
    m->nsv = total;
    m->coef = wlab_alloc((size_t)total, sizeof *m->coef);
    m->sv_row = wlab_calloc((size_t)total, sizeof *m->sv_row);
    if (!m->coef || !m->sv_row)
        return wlab_nomem(r->err);
    /* two passes over the rest: count, then fill */
    long start = ftell(r->file), first = r->number;
    int64_t nnz = 0;
    int32_t cols = 0;
    wlab_matrix *X = NULL;
    for (int pass = 0; pass < 2 && !code; pass++) {
        int64_t at = 0;
        if (pass == 1) {
            if (fseek(r->file, start, SEEK_SET))
                return wlab_fail_errno(r->err, "cannot read '%s' twice", r->path);
            r->number = first;
            code = wlab_matrix_create_sparse(&X, total, cols, nnz, r->err);
            m->sv = X;
        }
        for (int64_t s = 0; s < total && !code; s++) {
            char *line = next_line(r), *save = NULL, *word = line ? strtok_r(line, " ", &save) : NULL;
            if (!word || !wlab_parse_real(word, &m->coef[s])) {
                code = malformed(r, line ? "expected a coefficient"
                                         : "the file ends before its last support vector");
                break;
            }
            if (pass == 1) {
                X->start[s] = at;
                X->len[s] = 0;
            }
            int32_t last = -1;
            while ((word = strtok_r(NULL, " ", &save))) {
                char *colon = strchr(word, ':');
                int64_t index;
                double v;
                if (colon)
                    *colon = 0;
                if (!colon || !wlab_parse_int(word, &index) || !wlab_parse_real(colon + 1, &v) ||
                    index < (pre ? 0 : 1) || index > 2147483646 || (!pre && index - 1 <= last)) {
                    code = malformed(r, "expected ascending index:value pairs");
                    break;
                }
                if (pre) {
                    m->sv_row[s] = (int32_t)v - 1;
                    continue;
                }
                last = (int32_t)index - 1;
                cols = last + 1 > cols ? last + 1 : cols;
                if (pass == 1) {
                    X->val[at] = (float)v;
                    X->col[at] = last;
                    X->len[s]++;
                }
                at++;
            }
        }
        nnz = at;
    }
    if (!code)
        X->nnz = nnz;
    m->cols = cols;
    return code;
}

wlab_code wlab_model_read(wlab_model **out, const char *path, wlab_err *err)
{
    static const char *const types[] = {"linear", "rbf", "polynomial", "precomputed"};
    reader r = {.path = path, .err = err, .file = fopen(path, "r")};
    wlab_code code = WL_OK;
    int64_t features = 0, total = 0;
    double bias = -1, rho = 0;
    bool body = false;
    char *line, *v;
    *out = NULL;
    if (!r.file)
        return wlab_fail_errno(err, "cannot open '%s'", path);
    wlab_model *m = wlab_calloc(1, sizeof *m);
    if (!m) {
        fclose(r.file);
        return wlab_nomem(err);
    }
    m->kernel.gamma = 1;
    m->kernel.degree = 3;
    while (!code && !body && (line = next_line(&r))) {
        int64_t whole = 0;
        if (value_of(line, "kernel_type", &v)) {
            int kind = 0;
            while (kind < 4 && strcmp(types[kind], v) != 0)
                kind++;
            if (kind == 4 || kind == 0)
                code = malformed(&r, "kernel_type must be rbf, polynomial or precomputed");
            m->kernel.kind = (wlab_kernel_kind)(kind & 3);
        } else if (value_of(line, "svm_type", &v)) {
            if (strcmp(v, "c_svc") != 0 && strcmp(v, "nu_svc") != 0)
                code = malformed(&r, "svm_type must be c_svc");
        } else if (value_of(line, "label", &v)) {
            code = read_labels(&r, v, m);
        } else if (value_of(line, "nr_class", &v)) {
            if (!wlab_parse_int(v, &whole) || whole != 2)
                code = malformed(&r, "nr_class must be 2");
        } else if (value_of(line, "nr_feature", &v)) {
            if (!wlab_parse_int(v, &features))
                code = malformed(&r, "expected a number of features");
        } else if (value_of(line, "total_sv", &v)) {
            if (!wlab_parse_int(v, &total))
                code = malformed(&r, "expected a number of support vectors");
        } else if (value_of(line, "bias", &v)) {
            if (!wlab_parse_real(v, &bias))
                code = malformed(&r, "expected a number");
        } else if (value_of(line, "gamma", &v)) {
            if (!wlab_parse_real(v, &m->kernel.gamma))
                code = malformed(&r, "expected a number");
        } else if (value_of(line, "coef0", &v)) {
            if (!wlab_parse_real(v, &m->kernel.coef0))
                code = malformed(&r, "expected a number");
        } else if (value_of(line, "degree", &v)) {
            if (!wlab_parse_int(v, &whole) || whole < 1 || whole > 20)
                code = malformed(&r, "expected a degree from 1 to 20");
            m->kernel.degree = (int)whole;
        } else if (value_of(line, "rho", &v)) {
            if (!wlab_parse_real(v, &rho))
                code = malformed(&r, "expected a number");
            m->b = rho == 0 ? 0 : -rho;
        } else if (value_of(line, "w", &v)) {
            body = true;
            code = read_weights(&r, m, features, bias);
        } else if (value_of(line, "SV", &v)) {
            body = true;
            code = read_vectors(&r, m, total);
        } else if (!value_of(line, "solver_type", &v) && !value_of(line, "nr_sv", &v) &&
                   !value_of(line, "probA", &v) && !value_of(line, "probB", &v) &&
                   !value_of(line, "rho", &v)) {
            code = malformed(&r, "this is neither a LIBLINEAR nor a LIBSVM model");
        }
    }
    if (!code && (!body || !m->positive))
        code = malformed(&r, "the model has no weights, or no `label` line");
    free(r.line);
    fclose(r.file);
    if (code) {
        wlab_model_destroy(m);
        return code;
    }
    *out = m;
    return WL_OK;
}
