/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * C4.5's two files: the bytes before the first byte 1 are the data, those after it the names.
 */
#include "reader.h"

static char dir[64];

static void put(const char *path, const uint8_t *data, size_t size)
{
    FILE *f = fopen(path, "wb");

    if (!f || fwrite(data, 1, size, f) != size || fclose(f))
        abort();
}

static void clean(void)
{
    char path[100];

    snprintf(path, sizeof path, "%s/x.data", dir);
    unlink(path);
    snprintf(path, sizeof path, "%s/x.names", dir);
    unlink(path);
    rmdir(dir);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *cut = memchr(data, 1, size);
    wlab_dataset *ds = NULL;
    wlab_err err = {0};
    char path[100];

    if (!dir[0]) {
        strcpy(dir, "/tmp/fuzz-c45-XXXXXX");
        if (!mkdtemp(dir) || atexit(clean))
            abort();
    }
    snprintf(path, sizeof path, "%s/x.names", dir);
    unlink(path);
    if (cut)
        put(path, cut + 1, size - (size_t)(cut + 1 - data));
    snprintf(path, sizeof path, "%s/x.data", dir);
    put(path, data, cut ? (size_t)(cut - data) : size);
    if (wlab_dataset_load(&ds, path, NULL, NULL, NULL, &err) == WL_OK)
        check_data(ds);
    else
        PROMISE(!ds && err.message[0] && memchr(err.message, '\n', strlen(err.message)) == NULL);
    wlab_dataset_unref(ds);
    return 0;
}
