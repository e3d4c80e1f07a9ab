/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Starting another program with posix_spawn.
 */
#include "plot/draw/child.h"
#include <errno.h>
#include <signal.h>
#include <spawn.h>

extern char **environ;

int wlab_child_start(pid_t *pid, const char *program, char *const argv[], const char *folder, const int *fd,
                     int n)
{
    /* Until the child has its own process group, it receives the signals of keys typed at the terminal, so block them.
     * If such a signal stopped the child before it executes the program, posix_spawn would wait for ever; if the signal
     * killed it, posix_spawn would report success. */
    static const int typed[] = {SIGINT, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU};
    posix_spawn_file_actions_t act;
    posix_spawnattr_t attr;
    sigset_t all, blocked;
    int bad = 0;

    *pid = 0;
    if (posix_spawn_file_actions_init(&act))
        return ENOMEM;
    if (posix_spawnattr_init(&attr)) {
        posix_spawn_file_actions_destroy(&act);
        return ENOMEM;
    }
    sigfillset(&all);
    sigdelset(&all, SIGKILL);
    sigdelset(&all, SIGSTOP);
    sigemptyset(&blocked);
    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++)
        sigaddset(&blocked, typed[i]);
    bad |= posix_spawnattr_setflags(&attr,
                                    POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    bad |= posix_spawnattr_setsigdefault(&attr, &all);
    bad |= posix_spawnattr_setsigmask(&attr, &blocked);
    bad |= posix_spawnattr_setpgroup(&attr, 0);
    for (int i = 0; i < n; i++)
        bad |= posix_spawn_file_actions_adddup2(&act, fd[i], i);
    if (folder)
        bad |= posix_spawn_file_actions_addchdir_np(&act, folder);
    bad = bad ? ENOMEM : posix_spawnp(pid, program, &act, &attr, argv, environ);
    if (bad)
        *pid = 0;
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&act);
    return bad;
}
