/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Files that take the place of others.
 */
#ifndef WEAKLAB_BASE_FILE_H
#define WEAKLAB_BASE_FILE_H

/* The file `temp`, open as fd (-1: it may not be opened, and is only renamed), becomes `name`, both in the folder `dir` (or AT_FDCWD); fd is closed, whatever happens.
 * What was written is on the disk before the renaming, and the folder behind it: whenever the power goes, the old file
 * is there or the new one, whole.  -1 with errno: nothing was replaced; `temp` is still there. */
int wlab_file_replace(int dir, int fd, const char *temp, const char *name);

#endif
