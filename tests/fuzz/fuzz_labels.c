/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Files of labels, beside four rows; and the same bytes as a file of splits, and of proportions of four bags.
 */
#include "reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char rows[] = "1:1\n2:1\n3:1\n4:1\n";
    const char *settings[] = {"format", "svmlin", "labels", NULL, "truth", NULL, NULL};
    char path[64];
    const int fd = fuzz_file(path, data, size);
    int32_t *split = NULL;
    int64_t n = 0;

    settings[3] = settings[5] = path;
    fuzz_load((const uint8_t *)rows, strlen(rows), settings);
    if (wlab_split_file_read(path, 1 + (int64_t)(size % 3), &split, &n, NULL) == WL_OK)
        for (int64_t i = 0; i < n; i++)
            PROMISE(split[i] >= 0);
    else
        PROMISE(!split);
    wlab_free(split);
    double share[4];
    if (wlab_shares_file_read(path, NULL, true, 4, share, NULL) == WL_OK)
        for (int b = 0; b < 4; b++)
            PROMISE(!(share[b] < 0) && !(share[b] > 1)); /* or NaN: nothing is told */
    close(fd);
    return 0;
}
