/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Files that take the place of others: written, on the disk, renamed, in this order.
 */
#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A file system that cannot do it says EINVAL or that it does not know how: there is nothing better then. */
static int on_disk(int fd)
{
    int failed;

    do
        failed = fsync(fd);
    while (failed && errno == EINTR);
    return failed && errno != EINVAL && errno != ENOSYS && errno != ENOTSUP ? -1 : 0;
}

/* The folder that `name`, relative to dir, lies in. */
static int folder_of(int dir, const char *name)
{
    const char *slash = strrchr(name, '/');
    char path[4096];
    size_t len = !slash ? 0 : slash == name ? 1 : (size_t)(slash - name);

    if (len >= sizeof path)
        return -1;
    memcpy(path, slash ? name : ".", len ? len : 1);
    path[len ? len : 1] = '\0';
    return openat(dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int wlab_file_replace(int dir, int fd, const char *temp, const char *name)
{
    const int failed = fd < 0 ? 0 : on_disk(fd), why = errno;

    if (fd >= 0 && close(fd) != 0 && !failed) /* some file systems tell of a full disk only now */
        return -1;
    errno = why;
    if (failed || renameat(dir, temp, dir, name) != 0)
        return -1;
    int folder = folder_of(dir, name);
    if (folder >= 0) { /* it is there, whoever may not open the folder notwithstanding */
        (void)on_disk(folder);
        close(folder);
    }
    return 0;
}
