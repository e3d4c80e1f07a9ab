/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any file: choosing a reader, and decompressing.
 */
#include "reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const settings[] = {NULL};

    fuzz_load(data, size, settings);
    return 0;
}
