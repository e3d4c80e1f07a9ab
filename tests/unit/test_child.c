/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Starting a program while keys of a terminal send signals to its foreground process group.
 */
#include "support.h"

#include "plot/draw/child.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>

static atomic_int over;
static const int *key; /* ends with 0 */

static void ignore_signal(int sig)
{
    (void)sig;
}

static void *press_keys(void *arg)
{
    (void)arg;
    for (const int *k = key; !atomic_load(&over); k = k[1] ? k + 1 : key)
        (void)kill(0, *k);
    return NULL;
}

/* Starts 100 programs, one after the other, in a process group of its own.  Returns 0, the number of the first program
 * that did not start or did not end normally, or 255 if it could not begin. */
static int start_many(void)
{
    char *argv[] = {(char[]){"true"}, NULL};
    pthread_t keys;
    int bad = 0;

    for (const int *k = key; *k; k++)
        (void)signal(*k, ignore_signal);
    /* if starting hangs, the thread that presses keys continues until this limit of processor time */
    (void)setrlimit(RLIMIT_CPU, &(struct rlimit){.rlim_cur = 60, .rlim_max = 60});
    if (setpgid(0, 0) || pthread_create(&keys, NULL, press_keys, NULL))
        return 255;
    for (int i = 1; i <= 100 && !bad; i++) {
        pid_t pid = 0;
        int status = -1;
        if (wlab_child_start(&pid, "true", argv, NULL, (int[]){0, 1, 2}, 3))
            bad = i;
        while (!bad && waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
        bad = status ? i : 0;
    }
    atomic_store(&over, 1);
    (void)pthread_join(keys, NULL);
    return bad;
}

static void start_while(const int *keys)
{
    int status = 0;
    pid_t pid;

    key = keys;
    fflush(NULL);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(start_many());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (!WIFEXITED(status))
        fail_msg("starting a program did not return");
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* Ctrl-Z must not stop the child before it has executed the program: the caller would wait for it for ever. */
static void test_stop(void **state)
{
    (void)state;
    start_while((const int[]){SIGTSTP, SIGTTOU, SIGTTIN, 0});
}

static void test_interrupt(void **state)
{
    (void)state;
    start_while((const int[]){SIGINT, 0});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stop), cmocka_unit_test(test_interrupt)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
