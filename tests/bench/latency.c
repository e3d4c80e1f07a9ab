/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The time from key to echo during a large solve: characters are typed in a pseudo-terminal at irregular moments, each
 * after the echo of the one before.  The 95th percentile, beside that of bash, which uses the same line editing, while
 * two busy loops occupy the processors as our solver's threads do.
 */
#include "tui/loop.h"
#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    KEYS = 300,
    MOST = 1 << 16
};

/* Read for at most `seconds`, or until `text` was read. */
static int until(int fd, const char *text, double seconds)
{
    static char got[MOST];
    size_t n = 0;
    double end = wlab_seconds_now() + seconds;

    while (wlab_seconds_now() < end) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (poll(&p, 1, (int)((end - wlab_seconds_now()) * 1000) + 1) <= 0)
            continue;
        if (n > MOST / 2) { /* keep the end */
            memmove(got, got + n - 256, 256);
            n = 256;
        }
        ssize_t r = read(fd, got + n, MOST - 1 - n);
        if (r <= 0)
            return 0;
        n += (size_t)r;
        got[n] = '\0';
        for (size_t i = 0; i < n; i++) /* strstr stops at a zero byte */
            if (!got[i])
                got[i] = ' ';
        if (text && strstr(got, text))
            return 1;
    }
    return text == NULL;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The 95th percentile from key to echo, in ms; `ready`: the text that the program shows when it accepts input. */
static int measure(char *const argv[], const char *setup, const char *ready, double *p95, double *worst)
{
    static const char letters[] = "~@&{}"; /* a character that is not on the screen otherwise */
    double ms[KEYS];
    struct winsize size = {.ws_row = 40, .ws_col = 120};
    int fd, status, ok = 1;
    pid_t pid = forkpty(&fd, NULL, NULL, &size);

    if (pid < 0)
        return 0;
    if (pid == 0) {
        setenv("TERM", "xterm-256color", 1);
        execvp(argv[0], argv);
        _exit(127);
    }
    ok = until(fd, NULL, 1.0);
    if (setup)
        ok = ok && write(fd, setup, strlen(setup)) == (ssize_t)strlen(setup);
    if (ready)
        ok = ok && until(fd, ready, 60);
    (void)until(fd, NULL, 3.0); /* the solver runs */
    srand(1);
    for (int i = 0; i < KEYS && ok; i++) {
        char key[2] = {letters[i % (int)(sizeof letters - 1)], '\0'};
        (void)until(fd, NULL, 0.015 + 0.03 * rand() / RAND_MAX);
        double began = wlab_seconds_now();
        ok = write(fd, key, 1) == 1 && until(fd, key, 5);
        ms[i] = (wlab_seconds_now() - began) * 1000;
        if (i % 40 == 39)
            ok = ok && write(fd, "\025", 1) == 1; /* Ctrl-U clears the line */
    }
    kill(pid, SIGKILL);
    close(fd);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (!ok)
        return 0;
    qsort(ms, KEYS, sizeof *ms, by_size);
    *p95 = ms[KEYS * 95 / 100];
    *worst = ms[KEYS - 1];
    return 1;
}

static void burn(pid_t *pid)
{
    *pid = fork();
    if (*pid == 0)
        for (volatile unsigned long k = 0;; k++)
            ;
}

int main(void)
{
    const char *weaklab = getenv("WEAKLAB");
    static const char solve[] =
        "generate topics n=6000 d=2000 seed=1; task ssl labeled=20; algo wellsvm kernel=rbf sigma=1x "
        "search=multistart; continue until iter > 99999\r";
    static const char moons[] =
        "generate two-moons n=2000 seed=1; task ssl labeled=20; algo wellsvm kernel=rbf sigma=1x "
        "sigma=0.5x search=multistart; continue until iter > 99999\r";
    char *plain[] = {(char *)(uintptr_t)(weaklab ? weaklab : "build/weaklab"), "-n", NULL};
    char *full[] = {plain[0], "-n", "-d", NULL};
    char *bash[] = {"bash", "--norc", "--noprofile", NULL};
    double p95, worst, ref, ref_worst;
    pid_t hog[2];

    setenv("XDG_STATE_HOME", getenv("TMP") ? getenv("TMP") : "/tmp", 1);
    burn(&hog[0]);
    burn(&hog[1]);
    int ok = measure(bash, NULL, NULL, &ref, &ref_worst);
    kill(hog[0], SIGKILL);
    kill(hog[1], SIGKILL);
    while (wait(NULL) > 0)
        ;
    if (!ok)
        return 1;
    const struct {
        const char *name, *setup;
        char *const *argv;
    } mine[] = {{"key to echo, prompt, 6000 x 2000 rbf run", solve, plain},
                {"key to echo, dashboard, the same run", solve, full},
                {"key to echo, dashboard, 2000 points live", moons, full}};
    for (size_t i = 0; i < sizeof mine / sizeof *mine; i++) {
        if (!measure(mine[i].argv, mine[i].setup, "(running", &p95, &worst))
            return 1;
        printf("%s, 95th percentile\t%.3f\t%.3f\tms\n", mine[i].name, p95, ref);
        printf("%s, worst of %d\t%.3f\t%.3f\tms\n", mine[i].name, KEYS, worst, ref_worst);
        fflush(stdout);
    }
    return 0;
}
