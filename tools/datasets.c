/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * datasets FOLDER: make the data sets that FOLDER/MADE lists.
 */
#include "data/generators/generate.h"

#include <stdio.h>
#include <string.h>

static wlab_code set_all(wlab_params *params, char *settings, wlab_err *err)
{
    char *rest = NULL;
    for (char *word = strtok_r(settings, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
        char *equals = strchr(word, '=');
        if (!equals)
            return wlab_fail(err, WL_EARG, "'%s' is no key=value", word);
        *equals = 0;
        wlab_code code = wlab_params_set(params, word, equals + 1, err);
        if (code)
            return code;
    }
    return WL_OK;
}

static wlab_code make_file(const char *path, const char *kind, char *settings, wlab_err *err)
{
    const wlab_generator *generator = wlab_generator_find(kind);
    wlab_params *params = NULL;
    wlab_dataset *data = NULL;
    wlab_buf text = {0};
    if (!generator)
        return wlab_fail(err, WL_EARG, "there is no generator '%s'", kind);
    wlab_code code = wlab_params_create(&params, generator->params, err);
    if (!code)
        code = set_all(params, settings, err);
    if (!code)
        code = wlab_dataset_generate(&data, generator, NULL, params, NULL, err);
    if (!code)
        code = wlab_libsvm_write(data, &text, err);
    if (!code) {
        FILE *file = fopen(path, "w");
        bool written = file && fwrite(text.data, 1, text.len, file) == text.len;
        if (file && fclose(file))
            written = false;
        if (!written)
            code = wlab_fail_errno(err, "cannot write '%s'", path);
    }
    wlab_buf_clear(&text);
    wlab_dataset_unref(data);
    wlab_params_destroy(params);
    return code;
}

int main(int argc, char **argv)
{
    char path[4096], line[1024], name[128], kind[64];
    wlab_err err = {0};
    wlab_code code = WL_OK;
    if (argc != 2) {
        fprintf(stderr, "usage: datasets FOLDER\n");
        return 2;
    }
    snprintf(path, sizeof path, "%s/MADE", argv[1]);
    FILE *list = fopen(path, "r");
    if (!list) {
        perror(path);
        return 1;
    }
    while (!code && fgets(line, sizeof line, list)) {
        int settings = 0;
        if (line[0] == '#' || sscanf(line, "%127s %63s %n", name, kind, &settings) < 2)
            continue;
        snprintf(path, sizeof path, "%s/%s", argv[1], name);
        code = make_file(path, kind, line + settings, &err);
    }
    fclose(list);
    if (code)
        fprintf(stderr, "datasets: error: %s\n", err.message);
    return code ? 1 : 0;
}
