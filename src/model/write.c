/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Models as text: LIBLINEAR's format for linear models, LIBSVM's for kernel models.
 */
#include "model/model.h"

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

bool wlab_model_labels(const wlab_model *m, long *label)
{
    const int classes = wlab_model_classes(m);
    bool fine = true;
    for (int k = 0; k < classes && fine; k++) {
        fine = whole_number(m->class_name[k], &label[k]);
        for (int i = 0; i < k && fine; i++)
            fine = label[i] != label[k];
    }
    for (int k = 0; k < classes && !fine; k++)
        label[k] = classes == 2 ? 2 * k - 1 : k + 1;
    return fine;
}

/* Writes "label 1 -1", from the last class to the first or in the order of the classes. */
static wlab_code write_labels(const wlab_model *m, bool from_last, wlab_buf *out)
{
    const int classes = wlab_model_classes(m);
    long label[WL_CLASSES_MOST];
    (void)wlab_model_labels(m, label);
    wlab_code code = wlab_buf_printf(out, "label");
    for (int k = 0; k < classes && !code; k++)
        code = wlab_buf_printf(out, " %ld", label[from_last ? classes - 1 - k : k]);
    return code ? code : wlab_buf_printf(out, "\n");
}

/* LIBLINEAR's solver types, by which a file states the loss.  Its types of regression are not used, as its program then
 * prints outputs instead of classes. */
static const struct {
    const char *type, *loss; /* loss: in words, if the type is only the nearest one */
} solvers[] = {
    [WL_LOSS_HINGE] = {"L2R_L1LOSS_SVC_DUAL", NULL},
    [WL_LOSS_SQUARED_HINGE] = {"L2R_L2LOSS_SVC", NULL},
    [WL_LOSS_DOUBLE_HINGE] = {"L2R_L1LOSS_SVC_DUAL", "the double hinge loss"},
    [WL_LOSS_LOGISTIC] = {"L2R_LR", NULL},
    [WL_LOSS_LOGISTIC_DOUBLE] = {"L2R_LR", "the logistic loss of twice the output"},
    [WL_LOSS_SOFTMAX] = {"L2R_LR", "the soft-max loss"},
    [WL_LOSS_INSENSITIVE] = {"L2R_L1LOSS_SVC_DUAL", "the insensitive loss of a regression"},
    [WL_LOSS_DISTANCE] = {"L2R_L2LOSS_SVC", "the squared distance from a mean"},
};

/* The soft-max loss of two classes is the logistic loss of the difference of their functions. */
static wlab_loss loss_of(const wlab_model *m)
{
    return m->loss == WL_LOSS_SOFTMAX && m->outputs == 1 ? WL_LOSS_LOGISTIC : m->loss;
}

const char *wlab_model_nearest(const wlab_model *m, const char **type)
{
    *type = solvers[loss_of(m)].type;
    return m->kernel.kind == WL_K_LINEAR ? solvers[loss_of(m)].loss : NULL;
}

static wlab_code write_liblinear(const wlab_model *m, wlab_buf *out)
{
    char number[32];
    bool offset = false;
    for (int k = 0; k < m->outputs; k++)
        offset = offset || m->b[k] != 0;
    wlab_code code = wlab_buf_printf(out, "solver_type %s\nnr_class %d\n", solvers[loss_of(m)].type,
                                     wlab_model_classes(m));
    /* the first of two classes is the one with f > 0; among several classes, the first of equal outputs wins */
    code = code ? code : write_labels(m, m->outputs == 1, out);
    code = code ? code : wlab_buf_printf(out, "nr_feature %d\nbias %d\nw\n", m->cols, offset ? 1 : -1);
    for (int32_t j = 0; j < m->cols + offset && !code; j++) {
        for (int k = 0; k < m->outputs && !code; k++) {
            const double v = j < m->cols ? m->w[(size_t)k * (size_t)m->cols + (size_t)j] : m->b[k];
            code = wlab_buf_printf(out, "%s ", wlab_real_text(v, number));
        }
        code = code ? code : wlab_buf_printf(out, "\n");
    }
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

/* Writes nr_class .. nr_sv for two classes, and the vectors. */
static wlab_code write_two(const wlab_model *m, wlab_buf *out)
{
    char number[32];
    int64_t npos = 0;
    for (int64_t s = 0; s < m->nsv; s++)
        npos += m->coef[s] > 0;
    wlab_code code = wlab_buf_printf(out, "nr_class 2\ntotal_sv %lld\nrho %s\n", (long long)m->nsv,
                                     wlab_real_text(m->b[0] == 0 ? 0 : -m->b[0], number));
    code = code ? code : write_labels(m, true, out);
    code = code ? code
                : wlab_buf_printf(out, "nr_sv %lld %lld\nSV\n", (long long)npos, (long long)(m->nsv - npos));
    for (int64_t s = 0; s < m->nsv && !code; s++) {
        code = wlab_buf_printf(out, "%s ", wlab_real_text(m->coef[s], number));
        code = code ? code : write_vector(m, s, out);
        code = code ? code : wlab_buf_printf(out, "\n");
    }
    return code;
}

/* The same for more classes: one binary classifier per pair of classes.  The class with the largest output gets the
 * most votes (model/model.h). */
static wlab_code write_pairs(const wlab_model *m, wlab_buf *out, wlab_err *err)
{
    const int P = m->outputs;
    char number[32];
    wlab_pairs pairs;
    wlab_code code = wlab_pairs_of_model(&pairs, m, err);
    if (code)
        return code;
    code = wlab_buf_printf(out, "nr_class %d\ntotal_sv %lld\nrho", P, (long long)pairs.total);
    for (int k = 0; k < P * (P - 1) / 2 && !code; k++)
        code = wlab_buf_printf(out, " %s", wlab_real_text(pairs.rho[k], number));
    code = code ? code : wlab_buf_printf(out, "\n");
    code = code ? code : write_labels(m, true, out);
    code = code ? code : wlab_buf_printf(out, "nr_sv");
    for (int a = 0; a < P && !code; a++)
        code = wlab_buf_printf(out, " %lld", (long long)pairs.nsv[a]);
    code = code ? code : wlab_buf_printf(out, "\nSV\n");
    for (int64_t s = 0; s < pairs.total && !code; s++) {
        for (int k = 0; k < P - 1 && !code; k++)
            code = wlab_buf_printf(out, "%s ", wlab_real_text(pairs.coef[s * (P - 1) + k], number));
        code = code ? code : write_vector(m, pairs.vector[s], out);
        code = code ? code : wlab_buf_printf(out, "\n");
    }
    wlab_pairs_clear(&pairs);
    return code ? wlab_nomem(err) : WL_OK;
}

static wlab_code write_libsvm(const wlab_model *m, wlab_buf *out, wlab_err *err)
{
    static const char *const types[] = {"linear", "rbf", "polynomial", "precomputed"};
    char number[32];
    wlab_code code = wlab_buf_printf(out, "svm_type c_svc\nkernel_type %s\n", types[m->kernel.kind]);
    if (!code && m->kernel.kind == WL_K_POLY)
        code = wlab_buf_printf(out, "degree %d\n", m->kernel.degree);
    if (!code && (m->kernel.kind == WL_K_POLY || m->kernel.kind == WL_K_RBF))
        code = wlab_buf_printf(out, "gamma %s\n", wlab_real_text(m->kernel.gamma, number));
    if (!code && m->kernel.kind == WL_K_POLY)
        code = wlab_buf_printf(out, "coef0 %s\n", wlab_real_text(m->kernel.coef0, number));
    return code ? code : m->outputs > 1 ? write_pairs(m, out, err) : write_two(m, out);
}

wlab_code wlab_model_write(const wlab_model *m, wlab_buf *out, wlab_err *err)
{
    if (m->bagged)
        return wlab_fail(
            err, WL_ESTATE,
            "the model classifies bags, and no single rows: the formats of LIBLINEAR and LIBSVM "
            "have no form for it; `export bags` and `export predictions` write what it predicts");
    wlab_code code = m->kernel.kind == WL_K_LINEAR ? write_liblinear(m, out) : write_libsvm(m, out, err);
    return code ? wlab_nomem(err) : WL_OK;
}
