/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether runs of one algorithm minimise the same function: the settings that determine it are compared (WL_P_OBJECTIVE).
 */
#include "session/objectives.h"
#include "base/locale.h"
#include "model/deformed.h"
#include "model/kernel.h"
#include <math.h>
#include <string.h>

#define NEAR 1e-9 /* relative, as of settings */

typedef struct list {
    wlab_buf *out;
    json_t *names;
    bool *certain;
} list;

static bool near(double a, double b)
{
    return fabs(a - b) <= NEAR * fmax(fabs(a), fabs(b));
}

static void begin(list *l, const char *name)
{
    (void)wlab_buf_printf(l->out, "%s%s (", json_array_size(l->names) ? ", " : "", name);
    json_array_append_new(l->names, json_string(name));
}

static void compare_setting(list *l, const wlab_run *const *run, int n, const wlab_param_info *p)
{
    char number[2][WL_REAL_TEXT];
    const char *first = wlab_run_setting(run[0], p, NULL, number[0]);
    bool same = true, chosen = false;

    for (int k = 0; k < n; k++) {
        const wlab_param_info *by;
        const char *text = wlab_run_setting(run[k], p, &by, number[1]);
        if (wlab_run_pending(run[k], by ? by->name : p->name)) /* no step has used this value yet */
            return;
        same = same && wlab_param_same_value(first, text);
        chosen = chosen || !text || strcmp(text, "auto") == 0;
    }
    if (same)
        return;
    begin(l, p->name);
    for (int k = 0; k < n; k++) {
        const char *text = wlab_run_setting(run[k], p, NULL, number[1]);
        (void)wlab_buf_printf(l->out, "%s%s", k ? ", " : "", text ? text : "not given");
    }
    (void)wlab_buf_printf(l->out, ")");
    *l->certain = *l->certain || !chosen;
}

static bool same_kernel(const wlab_kernel *a, const wlab_kernel *b)
{
    if (a->kind != b->kind)
        return false;
    if (a->kind == WL_K_DEFORMED)
        return wlab_deformed_alike(a->deformed, b->deformed) &&
               same_kernel(&a->deformed->base, &b->deformed->base);
    return a->kind == WL_K_RBF ? near(a->gamma, b->gamma)
           : a->kind == WL_K_POLY
               ? a->degree == b->degree && near(a->gamma, b->gamma) && near(a->coef0, b->coef0)
               : true;
}

/* Compares the kernels that the runs have in use.  Returns false if that of a run is not known yet. */
static bool compare_kernels(list *l, const wlab_run *const *run, int n)
{
    const wlab_kernel *first = wlab_run_kernel(run[0]);
    bool same = true;

    for (int k = 0; k < n; k++) {
        const wlab_kernel *kernel = wlab_run_kernel(run[k]);
        if (!kernel)
            return false;
        same = same && same_kernel(first, kernel);
    }
    if (same)
        return true;
    begin(l, "kernel");
    for (int k = 0; k < n; k++) {
        char words[128];
        wlab_kernel_describe(wlab_run_kernel(run[k]), words, sizeof words);
        (void)wlab_buf_printf(l->out, "%s%s", k ? ", " : "", strchr(words, '=') + 1);
    }
    (void)wlab_buf_printf(l->out, ")");
    *l->certain = true;
    return true;
}

bool wlab_runs_of_one_algorithm(const wlab_run *const *run, int n)
{
    for (int k = 1; k < n; k++) /* scored runs have descriptors of their own, so names are compared */
        if (strcmp(wlab_run_algo(run[k])->name, wlab_run_algo(run[0])->name) != 0)
            return false;
    return true;
}

json_t *wlab_objectives_differ(const wlab_run *const *run, int n, wlab_buf *out, bool *certain)
{
    const wlab_algo *algo = wlab_run_algo(run[0]);
    list l = {.out = out, .names = json_array(), .certain = certain};

    *certain = false;
    if (!l.names)
        return NULL;
    if (!wlab_runs_of_one_algorithm(run, n))
        return l.names;
    const bool known = compare_kernels(&l, run, n);
    for (const wlab_param_info *p = algo->params; p->name; p++)
        if (p->flags & WL_P_OBJECTIVE && !(known && p->flags & WL_P_KERNEL))
            compare_setting(&l, run, n, p);
    return l.names;
}

static bool same_params(const wlab_params *a, const wlab_params *b)
{
    for (const wlab_param_info *p = wlab_params_table(a); p && p->name; p++)
        if (!wlab_param_same_value(wlab_params_text(a, p->name), wlab_params_text(b, p->name)))
            return false;
    return true;
}

static bool same_problem(const wlab_problem *p, const wlab_problem *q)
{
    const size_t n = (size_t)p->n;
    return p == q || (p->n == q->n && p->data == q->data && p->task == q->task && p->row && q->row &&
                      memcmp(p->row, q->row, n * sizeof *p->row) == 0 &&
                      memcmp(p->visible, q->visible, n) == 0 && same_params(p->params, q->params));
}

bool wlab_objectives_equal(const wlab_run *a, const wlab_run *b)
{
    const wlab_run *const both[] = {a, b};
    const wlab_algo *one = wlab_run_algo(a), *other = wlab_run_algo(b);
    wlab_buf words = {0};
    bool certain = false, kernels;
    list l = {.out = &words, .names = json_array(), .certain = &certain};

    if (!l.names || !wlab_algo_certifies(one, wlab_run_params(a)) ||
        !wlab_algo_certifies(other, wlab_run_params(b)) ||
        !same_problem(wlab_run_problem(a), wlab_run_problem(b))) {
        json_decref(l.names);
        return false;
    }
    kernels = compare_kernels(&l, both, 2);
    for (const wlab_param_info *p = one->params; p->name; p++)
        if (p->flags & WL_P_OBJECTIVE && !(p->flags & WL_P_KERNEL) &&
            wlab_param_known(other->params, p->name))
            compare_setting(&l, both, 2, p);
    const bool equal =
        kernels && json_array_size(l.names) == 0 && !wlab_run_pending(a, NULL) && !wlab_run_pending(b, NULL);
    wlab_buf_clear(&words);
    json_decref(l.names);
    return equal;
}
