/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where temporary files go.
 */
#include "plot/draw/temporary.h"

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

wlab_code wlab_temporary_make(const char *kind, char **path, wlab_err *err)
{
    *path = wlab_temporary_name(kind);
    if (!*path)
        return wlab_nomem(err);
    if (mkdtemp(*path))
        return WL_OK;
    *path = wlab_free(*path);
    return wlab_fail_errno(err, "cannot make a temporary folder (in $TMPDIR, or in /tmp)");
}
