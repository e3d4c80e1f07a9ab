/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Models read back from the formats of LIBLINEAR and LIBSVM.
 */
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct reader {
    const char *path;
    FILE *file;
    char *line;
    size_t capacity;
    long number;
    wlab_err *err;
} reader;

/* The next line without its end, or NULL at the end of the file. */
static char *next_line(reader *r)
{
    ssize_t len = getline(&r->line, &r->capacity, r->file);
    if (len < 0)
        return NULL;
    r->number++;
    /* a zero byte must not end a word: make the word invalid */
    for (char *zero; (zero = memchr(r->line, 0, (size_t)len));)
        *zero = 1;
    while (len > 0 && strchr("\r\n ", r->line[len - 1]))
        r->line[--len] = 0;
    return r->line;
}

/* Reports a fault at `at`, a position in the line, or NULL for the whole line. */
static wlab_code malformed(reader *r, const char *at, const char *what)
{
    return wlab_fail_at(r->err, r->path, r->number, at ? at - r->line + 1 : 1, "%s", what);
}

/* Whether a header announces more lines than the file can have, at two bytes each at least.  Checked before memory for
 * them is allocated. */
static bool too_short_for(const reader *r, int64_t lines)
{
    struct stat file;
    return fstat(fileno(r->file), &file) == 0 && S_ISREG(file.st_mode) && lines > 1 + file.st_size / 2;
}

static bool value_of(char *line, const char *key, char **value)
{
    size_t len = strlen(key);
    if (strncmp(line, key, len) != 0 || (line[len] && line[len] != ' '))
        return false;
    *value = line + len + (line[len] == ' ');
    return true;
}

/* The values before the weights or the vectors. */
typedef struct header {
    int64_t features, total; /* -1: not given */
    int classes;
    double bias;
    bool kernel, body;
    double rho[WL_CLASSES_MOST * (WL_CLASSES_MOST - 1) / 2];
    int64_t nsv[WL_CLASSES_MOST];
} header;

static wlab_code read_classes(reader *r, char *value, header *h, wlab_model *m)
{
    int64_t whole = 0;
    if (!wlab_parse_int(value, &whole) || whole < 2 || whole > WL_CLASSES_MOST || m->class_name)
        return malformed(r, value, "nr_class must be from 2 to 64, before `label`");
    h->classes = (int)whole;
    m->outputs = whole > 2 ? (int)whole : 1;
    return WL_OK;
}

/* The order in the file is ours for linear models of more than two classes, else the reverse. */
static wlab_code read_labels(reader *r, char *value, header *h, wlab_model *m)
{
    char *save = NULL, *name = strtok_r(value, " ", &save);
    int n = 0;
    if (!m->class_name) {
        if (!(m->class_name = wlab_calloc((size_t)h->classes, sizeof *m->class_name)))
            return wlab_nomem(r->err);
        for (; name && n < h->classes; name = strtok_r(NULL, " ", &save))
            if (!(m->class_name[n++] = wlab_strdup(name)))
                return wlab_nomem(r->err);
    }
    if (n < h->classes || name)
        return malformed(r, value,
                         h->classes == 2 ? "expected `label A B`: two classes, once"
                                         : "expected `label` and a name for each class, once");
    for (int k = 0; (h->classes == 2 || h->kernel) && k < n / 2; k++) {
        char *swap = m->class_name[k];
        m->class_name[k] = m->class_name[n - 1 - k];
        m->class_name[n - 1 - k] = swap;
    }
    return WL_OK;
}

/* Reads a line of exactly n numbers. */
static wlab_code read_reals(reader *r, char *value, double *x, int n, const char *what)
{
    char *save = NULL, *word = strtok_r(value, " ", &save);
    for (int k = 0; k < n; k++, word = strtok_r(NULL, " ", &save))
        if (!word || !wlab_parse_real(word, &x[k]))
            return malformed(r, word ? word : value, what);
    return word ? malformed(r, word, what) : WL_OK;
}

static wlab_code read_counts(reader *r, char *value, header *h)
{
    char *save = NULL, *word = strtok_r(value, " ", &save);
    for (int k = 0; k < h->classes; k++, word = strtok_r(NULL, " ", &save))
        if (!word || !wlab_parse_int(word, &h->nsv[k]) || h->nsv[k] < 0 || h->nsv[k] > 2147483646)
            return malformed(r, word ? word : value, "expected a number of support vectors for each class");
    return WL_OK;
}

static wlab_code read_weights(reader *r, wlab_model *m, const header *h)
{
    const size_t P = (size_t)m->outputs;
    double v[WL_CLASSES_MOST];
    if (h->features < 0 || h->features > 2147483646)
        return malformed(r, NULL, "expected nr_feature before w");
    if (too_short_for(r, h->features))
        return malformed(r, NULL, "the file is too short for nr_feature weights");
    m->cols = (int32_t)h->features;
    m->w = wlab_calloc(P * (size_t)h->features, sizeof *m->w);
    if (!m->w)
        return wlab_nomem(r->err);
    for (int64_t j = 0; j < h->features + (h->bias > 0); j++) {
        char *line = next_line(r);
        if (!line)
            return malformed(r, NULL, "the file ends before its last weight");
        wlab_code code = read_reals(r, line, v, m->outputs,
                                    P > 1 ? "expected one weight for each class" : "expected one weight");
        if (code)
            return code;
        for (size_t k = 0; k < P; k++)
            *(j < h->features ? &m->w[k * (size_t)h->features + (size_t)j] : &m->b[k]) =
                j < h->features ? v[k] : v[k] * h->bias;
    }
    return WL_OK;
}

/* Sizes of the support vectors, which the first pass over them counts. */
typedef struct extent {
    int64_t stored;
    int32_t cols;
    bool single, large; /* all values fit single precision exactly; one is beyond its range */
} extent;

/* Reads one support vector: into row s of m->sv if that exists (second pass), else only its sizes into *e. */
static wlab_code read_vector(reader *r, wlab_model *m, int64_t s, extent *e)
{
    bool pre = m->kernel.kind == WL_K_PRECOMPUTED;
    wlab_matrix *X = m->sv;
    char *line = next_line(r), *save = NULL, *word = line ? strtok_r(line, " ", &save) : NULL;
    if (!line)
        return malformed(r, NULL, "the file ends before its last support vector");
    const int coefs = wlab_model_classes(m) - 1;
    for (int k = 0; k < coefs; k++) {
        if (!word || !wlab_parse_real(word, &m->coef[s * coefs + k]))
            return malformed(r, word,
                             coefs > 1 ? "expected a coefficient for each other class"
                                       : "expected a coefficient");
        word = k + 1 < coefs ? strtok_r(NULL, " ", &save) : NULL;
    }
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
        if (!(v < 0) && !(v > 0))
            continue;
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

/* Whether to store the vectors densely: a sparse matrix would round doubles. */
static bool better_dense(const extent *e, int64_t rows)
{
    double entries = (double)rows * e->cols, stored = (double)e->stored;
    return e->large || (e->single ? 2 : 8) * stored >= entries;
}

static wlab_code read_vectors(reader *r, wlab_model *m, const header *h)
{
    wlab_code code = WL_OK;
    int64_t total = h->total, of_classes = 0;
    if (total < 0 || total > 2147483646)
        return malformed(r, NULL, "expected total_sv before SV");
    if (too_short_for(r, total))
        return malformed(r, NULL, "the file is too short for total_sv support vectors");
    for (int k = 0; k < h->classes; k++)
        of_classes += h->nsv[k];
    if (m->outputs > 1 && of_classes != total)
        return malformed(r, NULL, "nr_sv does not add up to total_sv");
    m->nsv = total;
    m->coef = wlab_alloc((size_t)total * (size_t)(h->classes - 1), sizeof *m->coef);
    m->sv_row = wlab_calloc((size_t)total, sizeof *m->sv_row);
    if (!m->coef || !m->sv_row)
        return wlab_nomem(r->err);
    /* two passes over the rest: count, then read */
    extent first_pass = {.single = true}, second_pass = {.single = true};
    long start = ftell(r->file), first = r->number;
    for (int64_t s = 0; s < total && !code; s++)
        code = read_vector(r, m, s, &first_pass);
    if (code)
        return code;
    if (first_pass.large && 64.0 * (double)first_pass.stored < (double)total * first_pass.cols)
        return malformed(r, NULL,
                         "values beyond 3.4e38 need dense support vectors, and these are mostly zeros");
    if (start < 0 || fseek(r->file, start, SEEK_SET))
        return wlab_fail_errno(r->err, "cannot read '%s' twice", r->path);
    r->number = first;
    code = better_dense(&first_pass, total)
               ? wlab_matrix_create_dense(&m->sv, total, first_pass.cols, r->err)
               : wlab_matrix_create_sparse(&m->sv, total, first_pass.cols, first_pass.stored, r->err);
    for (int64_t s = 0; s < total && !code; s++)
        code = read_vector(r, m, s, &second_pass);
    if (!code)
        m->sv->nnz = first_pass.stored;
    m->cols = first_pass.cols;
    if (code || m->outputs == 1)
        return code;
    code = wlab_model_of_pairs(m, h->nsv, h->rho, r->err);
    return code == WL_EINPUT
               ? malformed(r, NULL,
                           "the binary classifiers of pairs of classes are not differences of one function "
                           "per class: predict with LIBSVM's own program (svm-predict)")
               : code;
}

static wlab_code read_line(reader *r, char *line, header *h, wlab_model *m)
{
    static const char *const types[] = {"linear", "rbf", "polynomial", "precomputed"};
    static const char *const ignored[] = {"solver_type", "probA", "probB", "prob_density_marks"};
    char *v;
    int64_t whole = 0;
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
        return read_labels(r, v, h, m);
    } else if (value_of(line, "nr_class", &v)) {
        return read_classes(r, v, h, m);
    } else if (value_of(line, "nr_sv", &v)) {
        return m->outputs > 1 ? read_counts(r, v, h) : WL_OK;
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
        return read_reals(r, v, h->rho, h->classes * (h->classes - 1) / 2,
                          h->classes > 2 ? "expected a number for each pair of classes"
                                         : "expected a number");
    } else if (value_of(line, "w", &v) || value_of(line, "SV", &v)) {
        const bool linear = *line == 'w';
        h->body = true;
        if (linear == h->kernel)
            return malformed(r, line,
                             linear ? "a model with kernel_type has SV, not w"
                                    : "expected kernel_type before SV");
        if (!(m->b = wlab_calloc((size_t)m->outputs, sizeof *m->b)))
            return wlab_nomem(r->err);
        if (m->outputs == 1)
            m->b[0] = 0 - h->rho[0];
        return linear ? read_weights(r, m, h) : read_vectors(r, m, h);
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
    header h = {.features = -1, .total = -1, .bias = -1, .classes = 2};
    wlab_code code = WL_OK;
    char *line;
    *out = NULL;
    if (!r.file)
        return wlab_fail_errno(err, "cannot open '%s'", path);
    wlab_model *m = wlab_calloc(1, sizeof *m);
    if (!m) {
        fclose(r.file);
        return wlab_nomem(err);
    }
    m->outputs = 1;
    m->kernel.gamma = 1;
    m->kernel.degree = 3;
    while (!code && !h.body && (line = next_line(&r)))
        code = read_line(&r, line, &h, m);
    if (!code && (!h.body || !m->class_name))
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
