/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lookups in the table of algorithms: by name, by task, with advice; verdicts in words; snapshots.
 */
#include "algo/algos.h"
#include "algo/away.h"
#include "algo/lowrank.h"
#include "algo/onevsrest.h"
#include "base/walk.h"
#include "model/kernel.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

const char *const wlab_verdict_names[] = {"more", "converged", "stalled", "limit", NULL};

static bool is_proven(wlab_verdict verdict, const wlab_certified *c)
{
    return verdict == WL_CONVERGED && c->relgap <= WLAB_PROVEN;
}

const char *wlab_verdict_open(wlab_verdict verdict, const wlab_certified *c, char *buf, size_t size)
{
    const char *of = c->of ? c->of : "", *space = c->of ? " " : "";
    char percent[32];

    *buf = '\0';
    if (is_proven(verdict, c))
        snprintf(buf, size, "%s%sproven", of, space);
    else if (isfinite(c->relgap) && verdict != WL_MORE)
        snprintf(buf, size, "%s%s%s open", of, space, wlab_percent(c->relgap, percent));
    return buf;
}

const char *wlab_verdict_open_whole(wlab_verdict verdict, const wlab_certified *c, char *buf, size_t size)
{
    (void)wlab_verdict_open(verdict, c, buf, size);
    if (*buf && c->of && isfinite(c->value) && isfinite(c->lower))
        wlab_text_append(buf, size, "; the labeling that predicts: objective %.4g, bound %.4g", c->value,
                         c->lower);
    return buf;
}

const char *wlab_verdict_text(wlab_verdict verdict, const wlab_certified *c, char *buf, size_t size)
{
    char words[64];

    (void)wlab_verdict_open(verdict, c, words, sizeof words);
    if (is_proven(verdict, c) && !c->of)
        snprintf(buf, size, "%s", words);
    else
        snprintf(buf, size, "%s%s%s", wlab_verdict_names[verdict], words[0] ? ", " : "", words);
    return buf;
}

wlab_code wlab_no_model(wlab_err *err)
{
    return wlab_fail(err, WL_ESTATE, "there is no model yet: `step` first");
}

const wlab_algo *wlab_algo_find(const char *name)
{
    for (int i = 0; wlab_algos[i]; i++)
        if (strcasecmp(wlab_algos[i]->name, name) == 0 ||
            (wlab_algos[i]->alias && strcasecmp(wlab_algos[i]->alias, name) == 0))
            return wlab_algos[i];
    return NULL;
}

bool wlab_algo_suits(const wlab_algo *algo, const wlab_task *task, int classes)
{
    return algo->learns_from & task->sees &&
           (classes <= 2 || algo->multiclass || (!task->clusters && wlab_onevsrest_takes(algo)));
}

const wlab_algo *wlab_algo_suited(const wlab_task *task, int classes, int k)
{
    for (int general = 0; general < 2; general++)
        for (int i = 0; wlab_algos[i]; i++)
            if (wlab_algo_suits(wlab_algos[i], task, classes) &&
                !(wlab_algos[i]->made_for & task->sees) == (general > 0) && k-- == 0)
                return wlab_algos[i];
    return NULL;
}

bool wlab_algo_reaches(const wlab_algo *algo, const wlab_problem *p)
{
    return !p->data || !p->data->share || algo->ranks & p->task->sees;
}

const char *wlab_algo_advised(const wlab_problem *p)
{
    if (!p || !p->task)
        return wlab_algo_wellsvm.name;
    const wlab_algo *ranks = NULL; /* the last that can: the baselines come first in the table */
    for (int i = 0; wlab_algos[i]; i++) {
        const bool suits = wlab_algo_suits(wlab_algos[i], p->task, p->classes);
        if (suits && wlab_algo_reaches(wlab_algos[i], p) && wlab_algos[i]->advised_for & p->task->sees)
            return wlab_algos[i]->name;
        ranks = suits && wlab_algos[i]->ranks & p->task->sees ? wlab_algos[i] : ranks;
    }
    if (p->data && p->data->share && ranks)
        return ranks->name;
    const wlab_algo *one = wlab_algo_suited(p->task, p->classes, 0);
    return one ? one->name : wlab_algo_sdp.name;
}

const char *wlab_algo_setting(const wlab_algo *algo, const wlab_problem *p, const wlab_params *params,
                              const wlab_param_info *info, const wlab_param_info **by, char buf[WL_REAL_TEXT])
{
    double by_others = algo->setting ? algo->setting(p, params, info->name) : NAN;
    int unit;

    if (info->flags & WL_P_FACTOR && !wlab_params_given(params, info->name))
        by_others = (double)wlab_lowrank_columns(algo, p, params);

    if (by)
        *by = NULL;
    if (info->flags & WL_P_KERNEL && strcmp(info->name, "sigma") == 0)
        return wlab_kernel_sigma(params, p->X, &by_others, &unit);
    if (isnan(by_others))
        return wlab_params_text(params, info->name);
    if (info->type == WL_P_CHOICE)
        return info->choices[(int)by_others];
    for (const wlab_param_info *a = algo->params; by && a->name; a++)
        if (a->flags & WL_P_ALIAS && wlab_params_given(params, a->name))
            *by = a;
    return wlab_real_text(by_others, buf);
}

wlab_code wlab_algo_older(const wlab_algo *algo, const wlab_problem *p, int format, wlab_params *params,
                          wlab_err *err)
{
    wlab_code code = WL_OK;

    if (wlab_param_known(algo->params, "kernel"))
        code = wlab_kernel_set_old_defaults(params, p->X, format, err);
    return code || !algo->older ? code : algo->older(p, format, params, err);
}

const wlab_algo *wlab_algo_of_params(const wlab_params *params)
{
    for (int i = 0; wlab_algos[i]; i++)
        if (wlab_algos[i]->params == wlab_params_table(params))
            return wlab_algos[i];
    return NULL;
}

static wlab_code for_classes(const wlab_algo **out, const wlab_algo *algo, const wlab_problem *p,
                             wlab_err *err)
{
    *out = p->classes <= 2 || algo->multiclass ? algo : NULL;
    if (*out)
        return WL_OK;
    if (!p->task->clusters && wlab_onevsrest_takes(algo)) {
        *out = wlab_onevsrest(algo);
        return *out ? WL_OK : wlab_nomem(err);
    }
    char list[200] = "";
    const wlab_algo *one;
    for (int k = 0; (one = wlab_algo_suited(p->task, p->classes, k)); k++) {
        const size_t len = strlen(list);
        (void)snprintf(list + len, sizeof list - len, "%s%s", len ? ", " : "", one->name);
    }
    if (p->task->clusters)
        return wlab_fail(err, WL_ESTATE,
                         "%s makes two clusters, but the task requests %d: use %s%s`task cluster classes=2`",
                         algo->name, p->classes, list, *list ? ", or " : "");
    return wlab_fail(err, WL_ESTATE,
                     "%s distinguishes two classes, but the task has %d: name one, positive=CLASS",
                     algo->name, p->classes);
}

wlab_code wlab_algo_for(const wlab_algo **out, const wlab_algo *algo, const wlab_problem *p,
                        const wlab_params *given, wlab_err *err)
{
    if (p->data && p->data->share)
        return wlab_away(out, algo, p, err);
    const wlab_code code = for_classes(out, algo, p, err);

    if (code || !given || !wlab_lowrank_columns(algo, p, given))
        return code;
    *out = wlab_lowrank(*out);
    return *out ? WL_OK : wlab_nomem(err);
}

wlab_code wlab_algo_to_end(const wlab_algo *algo, void *state, wlab_ctx *ctx, wlab_err *err)
{
    wlab_step step = {0};
    wlab_code code = WL_OK;

    while (!code && (!step.complete || step.verdict == WL_MORE)) {
        code = algo->advance(state, ctx, &step, err);
        if (!code && wlab_interrupted(ctx))
            code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    }
    return code;
}

wlab_code wlab_algo_snapshot(const wlab_algo *algo, const void *state, wlab_buf *buf, wlab_err *err)
{
    return wlab_walk_write(buf, algo->walk, state, err);
}

wlab_code wlab_algo_restore(const wlab_algo *algo, void *state, wlab_buf *buf, wlab_ctx *ctx, wlab_err *err)
{
    return wlab_walk_read(buf, algo->walk, state, ctx, err);
}
