/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * SVMlin's files of examples.
 */
#include "reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const settings[][5] = {{"format", "svmlin"}, {"format", "svmlin", "base", "1"}};

    /* the size decides, so that the bytes alone are the file */
    fuzz_load(data, size, settings[size % (sizeof settings / sizeof *settings)]);
    return 0;
}
