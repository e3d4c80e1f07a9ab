/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A fuzz target for one reader: the bytes are a file, which is refused or gives a data set that is valid.
 */
#ifndef WEAKLAB_FUZZ_READER_H
#define WEAKLAB_FUZZ_READER_H

#include "weaklab/dataset.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PROMISE(condition)                                                                                   \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "broken: %s\n", #condition);                                                     \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

static void check_data(const wlab_dataset *ds)
{
    const wlab_matrix *X = ds->X;
    int64_t nnz = 0;

    PROMISE(X->rows > 0 && X->cols >= 0 && strlen(ds->sha256) == 64 && ds->name && ds->source);
    for (int64_t i = 0; i < X->rows; i++) {
        for (int32_t k = 0; k < X->len[i]; k++) {
            const int64_t at = X->start[i] + k;
            const double v = X->sparse ? (double)X->val[at] : X->dense[at];

            PROMISE(isfinite(v));
            PROMISE(!X->sparse || (v != 0 && X->col[at] >= 0 && X->col[at] < X->cols));
            PROMISE(!X->sparse || k == 0 || X->col[at] > X->col[at - 1]);
            nnz += v != 0;
        }
        PROMISE(ds->label[i] >= -1 && ds->label[i] < ds->classes);
        PROMISE(!ds->given || (ds->given[i] >= -1 && ds->given[i] < ds->classes));
        PROMISE(!ds->bag || (ds->bag[i] >= 0 && ds->bag[i] < ds->bags));
    }
    PROMISE(!ds->bag == !ds->bags && ds->bags <= X->rows);
    for (int64_t b = 0, i = 0; b < ds->bags && b < 100; b++, i = 0) { /* none is empty */
        while (i < X->rows && ds->bag[i] != b)
            i++;
        PROMISE(i < X->rows);
    }
    PROMISE(nnz == X->nnz);
    PROMISE(X->sparse == ((double)nnz * 2 < (double)X->rows * (double)X->cols));
    for (int c = 0; c < ds->classes; c++)
        PROMISE(ds->class_name[c]);
    for (int32_t c = 0; ds->feature_name && c < X->cols; c++)
        PROMISE(ds->feature_name[c]);
}

/* The bytes as a file, which exists until the returned descriptor is closed. */
static inline int fuzz_file(char path[64], const void *data, size_t size)
{
    const int fd = memfd_create("fuzz", MFD_CLOEXEC);

    snprintf(path, 64, "/proc/self/fd/%d", fd);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    return fd;
}

static inline void fuzz_load(const uint8_t *data, size_t size, const char *const *settings)
{
    wlab_params *p = NULL;
    wlab_dataset *ds = NULL;
    wlab_err err = {0};
    char path[64];
    const int fd = fuzz_file(path, data, size);

    if (wlab_params_create(&p, wlab_load_params, NULL))
        abort();
    for (; *settings; settings += 2)
        if (wlab_params_set(p, settings[0], settings[1], NULL))
            abort();
    if (wlab_dataset_load(&ds, path, NULL, p, NULL, &err) == WL_OK)
        check_data(ds);
    else
        PROMISE(!ds && err.message[0] && memchr(err.message, '\n', strlen(err.message)) == NULL);
    wlab_dataset_unref(ds);
    wlab_params_destroy(p);
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- long names: libFuzzer alone seldom makes a name more than some bytes longer ---- */

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

/* By how many bytes a name becomes longer. */
static size_t fuzz_more(size_t size, size_t most, unsigned seed)
{
    const size_t wanted = (size_t)1 << seed % 13, space = most - size;

    return wanted < space ? wanted : space;
}

/* One byte becomes many. */
static inline size_t fuzz_repeat(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    const size_t at = seed / 64 % size, more = fuzz_more(size, most, seed);

    memmove(data + at + more, data + at, size - at);
    memset(data + at, data[at + more], more);
    return size + more;
}

#ifndef FUZZ_LONGER /* a format that stores the length of names has a mutator of its own */
#define FUZZ_LONGER fuzz_repeat
#endif

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    if (seed % 8 == 0 && size > 0 && size < most)
        size = FUZZ_LONGER(data, size, most, seed / 8);
    return seed % 16 ? LLVMFuzzerMutate(data, size, most) : size;
}

#endif
