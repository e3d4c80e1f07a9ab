/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A file of bags: one name or number a row.
 */
#include "data/reader.h"

wlab_code wlab_bags_file_read(const char *path, int64_t rows, int32_t **bag, int64_t *bags, wlab_err *err)
{
    wlab_words words = {0};
    int32_t *list = wlab_alloc((size_t)rows, sizeof *list);
    wlab_code code;

    *bag = NULL;
    *bags = 0;
    if (!list)
        return wlab_nomem(err);
    code = wlab_labels_read(path, rows, &words, list, NULL, err);
    for (int64_t i = 0; !code && i < rows; i++)
        if (list[i] < 0)
            code = wlab_fail_at(err, path, 0, 0, "row %lld has no bag: one bag number a row is expected",
                                (long long)i + 1);
    if (!code) {
        *bag = list;
        *bags = words.n;
        list = NULL;
    }
    wlab_words_clear(&words);
    wlab_free(list);
    return code;
}
