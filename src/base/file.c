/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Replace files safely: the new file is written, synchronised to the disk, then renamed.  Remove temporary folders.
 */
#include "base/file.h"
#include "weaklab/base.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* fsync, which counts as done on a file system that does not support it (EINVAL, ENOSYS, ENOTSUP). */
static int sync_to_disk(int fd)
{
    int failed;

    do
        failed = fsync(fd);
    while (failed && errno == EINTR);
    return failed && errno != EINVAL && errno != ENOSYS && errno != ENOTSUP ? -1 : 0;
}

/* Open the folder that contains `name`, relative to dir. */
static int open_folder(int dir, const char *name)
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
    const int failed = fd < 0 ? 0 : sync_to_disk(fd), why = errno;

    if (fd >= 0 && close(fd) != 0 && !failed) /* some file systems report a full disk only now */
        return -1;
    errno = why;
    if (failed || renameat(dir, temp, dir, name) != 0)
        return -1;
    int folder = open_folder(dir, name);
    if (folder >= 0) { /* the file is replaced even if the folder cannot be opened */
        (void)sync_to_disk(folder);
        close(folder);
    }
    return 0;
}

void wlab_file_remove_folder(const char *path)
{
    DIR *d = opendir(path);
    const struct dirent *e;

    while (d && (e = readdir(d)) != NULL) {
        struct stat st;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        char *at = wlab_format("%s/%s", path, e->d_name);
        if (at && lstat(at, &st) == 0 && S_ISDIR(st.st_mode))
            wlab_file_remove_folder(at);
        else if (at)
            (void)unlink(at);
        wlab_free(at);
    }
    if (d)
        closedir(d);
    (void)rmdir(path);
}
