/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Andrews' text format of bags.
 */
#include "reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const settings[][5] = {
        {"format", "bags"}, {"format", "bags", "base", "0"}, {"format", "bags", "label", "none"}};

    /* the size decides, so that the bytes alone are the file */
    fuzz_load(data, size, settings[size % (sizeof settings / sizeof *settings)]);
    return 0;
}
