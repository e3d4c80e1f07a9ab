/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Files of labels for four rows; the same bytes also as a file of splits, and of the proportions of four bags.
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
    double proportion[4];
    if (wlab_proportions_file_read(path, NULL, true, 4, proportion, NULL) == WL_OK)
        for (int b = 0; b < 4; b++)
            PROMISE(!(proportion[b] < 0) && !(proportion[b] > 1)); /* or NaN: not given */
    close(fd);
    return 0;
}
