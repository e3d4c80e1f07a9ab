/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The typed lines of all sessions.
 */
#include "tui/prompt/history.h"
#include "base/file.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <readline/history.h>

enum {
    KEPT_LINES = 2000
};

void wlab_history_add(const char *path, const char *line)
{
    if (line[0] == ' ' || line[strspn(line, " \t")] == '\0')
        return;
    for (int i = history_length - 1; i >= 0; i--) {
        HIST_ENTRY *e = history_get(history_base + i);
        if (e && strcmp(e->line, line) == 0)
            free_history_entry(remove_history(i));
    }
    add_history(line);
    if (path && append_history(1, path) != 0) {
        int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        if (fd >= 0) {
            close(fd);
            (void)append_history(1, path);
        }
    }
}

/* Keep only the latest of equal lines. */
static void drop_repeats(void)
{
    for (int i = history_length - 1; i > 0; i--) {
        const HIST_ENTRY *e = history_get(history_base + i);
        for (int k = i - 1; k >= 0; k--) {
            const HIST_ENTRY *older = history_get(history_base + k);
            if (e && older && strcmp(e->line, older->line) == 0) {
                free_history_entry(remove_history(k));
                i--;
            }
        }
    }
}

void wlab_history_save(const char *path)
{
    char temp[4096];
    if (!path || snprintf(temp, sizeof temp, "%s.%ld", path, (long)getpid()) >= (int)sizeof temp)
        return;
    clear_history();
    if (read_history(path) != 0)
        return;
    drop_repeats();
    mode_t mask = umask(077);
    if (write_history(temp) == 0 &&
        wlab_file_replace(AT_FDCWD, open(temp, O_RDONLY | O_CLOEXEC), temp, path) != 0)
        (void)unlink(temp);
    (void)umask(mask);
}

void wlab_history_load(const char *path)
{
    using_history();
    stifle_history(KEPT_LINES);
    if (path && read_history(path) == 0)
        drop_repeats();
}
