/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any file: the choice of a reader and the unpacking of compressed files.
 */
#include "reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const settings[] = {NULL};

    fuzz_load(data, size, settings);
    return 0;
}
