/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * rows PREFIX GENERATOR SHOWN KEY=VALUE...: the rows of a generator as files that other programs read: PREFIX.all
 * (LIBSVM text with all true labels), PREFIX.ex (without labels), PREFIX.lab (labels; 0 except for the first SHOWN rows
 * or, if SHOWN is "given", for the rows that the generator chose), PREFIX.truth.  A helper of svmlin.sh.
 */
#include "data/generators/generate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *file(const char *prefix, const char *ending)
{
    char path[4096];
    FILE *f;

    snprintf(path, sizeof path, "%s.%s", prefix, ending);
    f = fopen(path, "w");
    if (!f) {
        fprintf(stderr, "rows: cannot write %s\n", path);
        exit(1);
    }
    return f;
}

int main(int argc, char **argv)
{
    const wlab_generator *g = argc > 3 ? wlab_generator_find(argv[2]) : NULL;
    wlab_params *p = NULL;
    wlab_dataset *data = NULL;
    wlab_buf text = {0};
    wlab_err err;

    if (!g || wlab_params_create(&p, g->params, &err))
        return 2;
    for (int a = 4; a < argc; a++) {
        char *value = strchr(argv[a], '=');
        if (!value)
            return 2;
        *value++ = '\0';
        if (wlab_params_set(p, argv[a], value, &err)) {
            fprintf(stderr, "rows: %s\n", err.message);
            return 2;
        }
    }
    if (wlab_dataset_generate(&data, g, "rows", p, NULL, &err) || wlab_libsvm_write(data, &text, &err)) {
        fprintf(stderr, "rows: %s\n", err.message);
        return 1;
    }
    FILE *all = file(argv[1], "all"), *ex = file(argv[1], "ex"), *lab = file(argv[1], "lab"),
         *truth = file(argv[1], "truth");
    fwrite(text.data, 1, text.len, all);
    const char *at = (const char *)text.data;
    for (int64_t i = 0; i < data->X->rows; i++) {
        const char *end = strchr(at, '\n'), *space = memchr(at, ' ', (size_t)(end - at));
        const bool shown = strcmp(argv[3], "given") == 0 ? data->given && data->given[i] >= 0
                                                         : i < strtoll(argv[3], NULL, 10);
        const int y = data->label[i] == data->classes - 1 ? 1 : -1;
        if (space)
            fwrite(space + 1, 1, (size_t)(end - space - 1), ex);
        fputc('\n', ex);
        fprintf(lab, "%d\n", shown ? y : 0);
        fprintf(truth, "%d\n", y);
        at = end + 1;
    }
    if (fclose(all) || fclose(ex) || fclose(lab) || fclose(truth))
        return 1;
    wlab_buf_clear(&text);
    wlab_dataset_unref(data);
    wlab_params_destroy(p);
    return 0;
}
