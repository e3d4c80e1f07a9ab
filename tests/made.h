/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * For tests: making parameters from text and data sets from generators.
 */
#ifndef TESTS_MADE_H
#define TESTS_MADE_H

#include "weaklab/dataset.h"

#include <stdio.h>
#include <string.h>

/* "n=5 seed=2" as parameters of `table`; NULL with *err if a setting is refused or memory runs out. */
static inline wlab_params *made_params(const wlab_param_info *table, const char *text, wlab_err *err)
{
    wlab_params *params;
    char line[512], *rest = NULL;
    if (wlab_params_create(&params, table, err))
        return NULL;
    snprintf(line, sizeof line, "%s", text);
    for (char *word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *equals = strchr(word, '=');
        if (!equals)
            continue;
        *equals = 0;
        if (wlab_params_set(params, word, equals + 1, err)) {
            wlab_params_destroy(params);
            return NULL;
        }
    }
    return params;
}

/* A data set made by a generator: made_data("two-moons", "n=20 seed=1", &err). */
static inline wlab_dataset *made_data(const char *kind, const char *text, wlab_err *err)
{
    const wlab_generator *generator = wlab_generator_find(kind);
    wlab_dataset *data = NULL;
    wlab_params *params = made_params(generator->params, text, err);
    if (params)
        wlab_dataset_generate(&data, generator, NULL, params, NULL, err);
    wlab_params_destroy(params);
    return data;
}

#endif
