/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where temporary files go.
 */
#include "plot/draw/temporary.h"
#include "weaklab/base.h"

#include <stdlib.h>

const char *wlab_temporary_folder(void)
{
    const char *folder = secure_getenv("TMPDIR");
    return folder && *folder == '/' ? folder : "/tmp";
}

char *wlab_temporary_name(const char *kind)
{
    return wlab_format("%s/weaklab-%s-XXXXXX", wlab_temporary_folder(), kind);
}
