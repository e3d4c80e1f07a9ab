/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a run will cost, by the formulas of its algorithm and by what all have in common.
 */
#include "algo/algos.h"
#include "algo/lowrank.h"
#include "model/kernel.h"
#include "weaklab/expr.h"

#include <stdio.h>
#include <string.h>

/* Processor seconds of one operation, and bytes, measured by tests/bench/costs.c. */
static const double PRODUCT = 6e-11;        /* one multiplication in a product of matrices */
static const double SPARSE_PRODUCT = 4e-10; /* of a sparse one */
static const double KERNEL_ENTRY = 1.2e-8;  /* exp, and storing it */
static const double DISTANCE = 4e-9; /* a pair of rows in the search for neighbours, beside the products */
static const double SPARSE_NEIGHBOUR = 4e-9; /* one multiplication in it */
static const double DEFORM = 1.2e-10;        /* n^3 of them: K (I + rho L K)^-1 */
static const double ANYHOW = 2e6;            /* bytes */
static const double WIDTH_ROWS = 512;        /* whose distances to all rows give a width with a unit */

enum {
    PROBLEM_NAMES = 8,
    NAMES_MOST = 64,
    RESTARTS = 10 /* of algorithms that choose their number by how they start, mostly */
};

typedef struct names {
    const char *name[NAMES_MOST];
    double value[NAMES_MOST];
    int n;
} names;

/* In this order. */
enum {
    N,
    D,
    Z,
    L,
    U,
    B,
    CLASSES,
    K
};
static const char *const problem_names[PROBLEM_NAMES] = {"n", "d", "z", "l", "u", "b", "P", "K"};

/* The value of a parameter that is a number.  Without one: restarts are those of random starts, others are 0. */
static double number(const wlab_algo *algo, const wlab_problem *p, const wlab_params *params,
                     const char *name)
{
    const double set = algo->setting ? algo->setting(p, params, name) : NAN;
    if (!isnan(set))
        return set;
    if (wlab_params_text(params, name))
        return wlab_params_real(params, name);
    return strcmp(name, "restarts") == 0 ? RESTARTS : 0;
}

static void collect(names *k, const wlab_algo *algo, const wlab_problem *p, const wlab_params *params)
{
    /* the baseline learns from the unlabelled rows, too, as negatives */
    const bool negatives = algo->kernel_of_labelled && p->task->sees == WL_SEES_POSITIVES;
    const double value[PROBLEM_NAMES] = {
        [N] = (double)p->n,
        [D] = (double)p->X->cols,
        [Z] = (double)(p->X->sparse ? p->X->nnz : p->n * p->X->cols),
        [L] = (double)(negatives ? p->n : p->labelled),
        [U] = (double)(negatives ? 0 : p->unlabelled),
        [B] = (double)p->bags,
        [CLASSES] = algo->multiclass ? p->classes : 2,
    };

    memcpy(k->name, problem_names, sizeof problem_names);
    memcpy(k->value, value, sizeof value);
    k->n = PROBLEM_NAMES;
    for (const wlab_param_info *i = algo->params; i->name && k->n < NAMES_MOST; i++) {
        bool taken = i->type != WL_P_INT && i->type != WL_P_REAL;
        for (int j = 0; j < PROBLEM_NAMES && !taken; j++)
            taken = strcmp(i->name, problem_names[j]) == 0;
        if (taken)
            continue;
        k->name[k->n] = i->name;
        k->value[k->n++] = number(algo, p, params, i->name);
    }
}

static wlab_code evaluate(double *out, const char *text, const names *k, wlab_err *err)
{
    wlab_expr *e;
    int missing;
    wlab_code code = wlab_expr_create_value(&e, text, k->name, k->n, err);

    if (code)
        return code;
    *out = wlab_expr_value(e, k->value, NULL, &missing);
    wlab_expr_destroy(e);
    return WL_OK;
}

/* Adds the kernel matrix or its factor to *c, and changes the names as the factor does. */
static wlab_code add_kernel(wlab_cost *c, names *k, const wlab_algo *algo, const wlab_problem *p,
                            const wlab_params *params, wlab_err *err)
{
    const double n = k->value[N], z = k->value[Z], rows = algo->kernel_of_labelled ? k->value[L] : n;
    const double product = p->X->sparse ? SPARSE_PRODUCT : PRODUCT;
    double R = 0;
    wlab_code code = WL_OK;

    if (algo->rows_most > 0 && rows > (double)algo->rows_most)
        c->most = algo->rows_most;
    if (!wlab_param_known(algo->params, "kernel"))
        return WL_OK;
    const char *graph = wlab_params_text(params, "graph");
    if (graph && strcmp(graph, "none") != 0)
        c->start += DISTANCE * n * n + (p->X->sparse ? SPARSE_NEIGHBOUR : PRODUCT) * n * z;
    const wlab_kernel_kind kind = wlab_kernel_kind_of(params, p->X);
    if (kind == WL_K_LINEAR)
        return WL_OK;
    if (wlab_kernel_plain_kind(params, p->X) == WL_K_RBF && !wlab_params_given(params, "gamma")) {
        double sigma;
        int unit;
        (void)wlab_kernel_sigma(params, p->X, &sigma, &unit);
        if (unit >= 0 && unit != WL_WIDTH_RMS) {
            c->start += fmin(WIDTH_ROWS, n) * n * (KERNEL_ENTRY / 2 + product * z / n);
            c->bytes += 4 * fmin(WIDTH_ROWS, n) * n;
        }
    }
    if (algo->columns)
        code = evaluate(&R, algo->columns, k, err);
    else
        R = (double)wlab_lowrank_columns(algo, p, params);
    R = fmin(R, n);
    if (kind == WL_K_DEFORMED && !(R > 0))
        c->start += DEFORM * n * n * n;
    if (R > 0) {
        c->start += n * R * (KERNEL_ENTRY + PRODUCT * R + product * z / n);
        c->bytes += 16 * n * R;
        k->value[D] = R;
        k->value[Z] = n * R;
        return code;
    }
    k->value[K] = 1;
    c->start += rows * rows * (KERNEL_ENTRY + product * z / n);
    c->bytes += 8 * rows * rows * (kind == WL_K_DEFORMED ? 3 : 1);
    if (rows > WL_KERNEL_ROWS && !c->most)
        c->most = WL_KERNEL_ROWS;
    return code;
}

wlab_code wlab_algo_cost(wlab_cost *c, const wlab_algo *algo, const wlab_problem *p, const wlab_params *given,
                         wlab_err *err)
{
    wlab_params *defaults = NULL;
    names k = {.n = 0};
    double once = 0, bytes = 0;
    wlab_code code = given ? WL_OK : wlab_params_create(&defaults, algo->params, err);

    *c = (wlab_cost){.bytes = ANYHOW};
    if (code)
        return code;
    const wlab_params *params = given ? given : defaults;
    collect(&k, algo, p, params);
    if (!(code = add_kernel(c, &k, algo, p, params, err)) &&
        !(code = evaluate(&c->step, algo->work, &k, err)) &&
        !(code = evaluate(&bytes, algo->memory, &k, err)) && algo->work_once)
        code = evaluate(&once, algo->work_once, &k, err);
    c->start += once;
    c->bytes += bytes + 9 * k.value[N] * (p->classes > 2 ? p->classes : 1);
    wlab_params_destroy(defaults);
    return code;
}

/* ---- in words ---- */

/* x to one digit. */
static double one_digit(double x)
{
    const double unit = x > 0 ? pow(10, floor(log10(x))) : 1;
    return round(x / unit) * unit;
}

/* x in the largest unit that it reaches. */
static const char *in_words(const char *about, double x, const double *unit, const char *const *name,
                            int units, char *buf, size_t size)
{
    int k = units - 1;
    x = one_digit(x); /* 57 s are 1 min */
    if (!(x / unit[0] >= 1 - 1e-9)) {
        snprintf(buf, size, "less than 1 %s", name[0]);
        return buf;
    }
    while (k > 0 && x / unit[k] < 1 - 1e-9)
        k--;
    snprintf(buf, size, "%s%.12g %s", about, one_digit(x / unit[k]), name[k]);
    return buf;
}

const char *wlab_cost_seconds(double seconds, char *buf, size_t size)
{
    static const double unit[] = {1e-3, 1, 60, 3600, 86400};
    static const char *const name[] = {"ms", "s", "min", "h", "days"};
    if (seconds >= 0.095 && seconds < 0.95) {
        snprintf(buf, size, "about %.1f s", one_digit(seconds));
        return buf;
    }
    return in_words("about ", seconds, unit, name, 5, buf, size);
}

const char *wlab_cost_bytes(double bytes, char *buf, size_t size)
{
    static const double unit[] = {1e6, 1e9, 1e12};
    static const char *const name[] = {"MB", "GB", "TB"};
    return in_words("", bytes, unit, name, 3, buf, size);
}
