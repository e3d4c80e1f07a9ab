/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of algorithms.
 */
#include "algo/algos.h"
#include "algo/onevsrest.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

const char *const wlab_verdict_names[] = {"more", "converged", "stalled", "limit", NULL};

/* clang-format off */
const wlab_algo *const wlab_algos[] = {
    &wlab_algo_svm,
    &wlab_algo_wellsvm,
    &wlab_algo_mfn,
    &wlab_algo_tsvm,
    &wlab_algo_mfa,
    &wlab_algo_bb,
    &wlab_algo_conv,
    &wlab_algo_invcal,
    &wlab_algo_meanmap,
    &wlab_algo_alter,
    NULL,
};
/* clang-format on */

const wlab_algo *wlab_algo_find(const char *name)
{
    for (int i = 0; wlab_algos[i]; i++)
        if (strcasecmp(wlab_algos[i]->name, name) == 0 ||
            (wlab_algos[i]->alias && strcasecmp(wlab_algos[i]->alias, name) == 0))
            return wlab_algos[i];
    return NULL;
}

const wlab_algo *wlab_algo_suited(const wlab_task *task, int k)
{
    for (int general = 0; general < 2; general++)
        for (int i = 0; wlab_algos[i]; i++) {
            const bool any = task->bit == WL_T_LLP && wlab_algos[i]->tasks & WL_T_MIL;
            if (wlab_algos[i]->tasks & task->bit && any == (general > 0) && k-- == 0)
                return wlab_algos[i];
        }
    return NULL;
}

wlab_code wlab_algo_for(const wlab_algo **out, const wlab_algo *algo, const wlab_problem *p, wlab_err *err)
{
    *out = p->classes <= 2 || algo->multiclass ? algo
           : p->task->bit == WL_T_CLUSTER      ? NULL
                                               : wlab_onevsrest(algo);
    if (*out)
        return WL_OK;
    char list[200] = "";
    for (int i = 0; wlab_algos[i]; i++) {
        const size_t len = strlen(list);
        if (wlab_algos[i]->multiclass && wlab_algos[i]->tasks & p->task->bit)
            (void)snprintf(list + len, sizeof list - len, "%s%s", len ? ", " : "", wlab_algos[i]->name);
    }
    if (p->task->bit == WL_T_CLUSTER)
        return wlab_fail(err, WL_ESTATE,
                         "%s makes two clusters, and the task asks for %d: take %s%s`task cluster classes=2`",
                         algo->name, p->classes, list, *list ? ", or " : "");
    return wlab_fail(err, WL_ESTATE,
                     "%s tells two classes apart, and the task has %d: name one, positive=CLASS", algo->name,
                     p->classes);
}

int wlab_metric_count(const wlab_algo *algo)
{
    int n = 0;
    while (algo->metrics[n].name)
        n++;
    return n;
}

int wlab_metric_index(const wlab_algo *algo, const char *name)
{
    for (int i = 0; algo->metrics[i].name; i++)
        if (strcmp(algo->metrics[i].name, name) == 0)
            return i;
    return -1;
}
