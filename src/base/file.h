/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Replace files safely.
 */
#ifndef WEAKLAB_BASE_FILE_H
#define WEAKLAB_BASE_FILE_H

/* Rename the file `temp`, open as fd (-1: it cannot be opened, and is only renamed), to `name`, both in the folder
 * `dir` (or AT_FDCWD); fd is closed in any case.  The content is synchronised to the disk before the renaming, and
 * the folder after it: if the power fails at any moment, either the old file or the new one is there, whole.  -1 with
 * errno: nothing was replaced, and `temp` still exists. */
int wlab_file_replace(int dir, int fd, const char *temp, const char *name);
/* Removes a folder of files and folders that this program made; links in it are removed, not followed. */
void wlab_file_remove_folder(const char *path);

#endif
