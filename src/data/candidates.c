/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Files of candidate classes.
 */
#include "data/readers/reader.h"
#include "weaklab/dataset.h"
#include <string.h>

/* The class whose name is text[0 .. len-1]; -1: none. */
static int find_class(const char *text, size_t len, char *const *class_name, int classes)
{
    for (int c = 0; c < classes; c++)
        if (strncmp(class_name[c], text, len) == 0 && class_name[c][len] == '\0')
            return c;
    return -1;
}

/* The bits of the classes that `text` names, joined by +.  WL_EINPUT: it names another one. */
static wlab_code read_set(const char *text, char *const *class_name, int classes, const char *path,
                          int64_t row, uint64_t *set, wlab_err *err)
{
    *set = 0;
    for (const char *at = text;; at++) {
        const size_t len = strcspn(at, "+");
        const int c = find_class(at, len, class_name, classes);
        char shown[64];

        if (c < 0) {
            wlab_text_clean(at, len, shown, sizeof shown);
            return wlab_fail_at(
                err, path, 0, 0,
                "row %lld: '%s' is no class of the data; `info data` lists them. Candidates are "
                "joined by +, and ? stands for any class",
                (long long)row + 1, shown);
        }
        *set |= UINT64_C(1) << c;
        at += len;
        if (*at == '\0')
            return WL_OK;
    }
}

wlab_code wlab_candidates_file_read(const char *path, int64_t rows, char *const *class_name, int classes,
                                    uint64_t *candidates, wlab_err *err)
{
    wlab_words words = {0};
    uint64_t *set = NULL;
    int32_t *id = wlab_alloc((size_t)rows, sizeof *id);
    wlab_code code = classes > 64
                         ? wlab_fail(err, WL_EARG, "candidates from a file are for at most 64 classes")
                     : id ? wlab_labels_read(path, "set of candidates", rows, &words, id, NULL, err)
                          : wlab_nomem(err);

    if (!code && !(set = wlab_calloc((size_t)words.n + 1, sizeof *set)))
        code = wlab_nomem(err);
    for (int64_t i = 0; !code && i < rows; i++) {
        if (id[i] >= 0 && !set[id[i]])
            code = read_set(wlab_words_text(&words, id[i]), class_name, classes, path, i, &set[id[i]], err);
        candidates[i] = id[i] >= 0 ? set[id[i]] : UINT64_MAX >> (64 - classes);
    }
    wlab_words_clear(&words);
    wlab_free(set);
    wlab_free(id);
    return code;
}
