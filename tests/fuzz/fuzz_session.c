/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * libFuzzer target: any bytes as a session file, replayed with --check.  The table has only commands that show or print
 * something, so that nothing is computed or written: this tests the lines of the file.
 */
#include "session/commands/commands.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ignore_text(void *self, const char *text)
{
    (void)self;
    (void)text;
}

/* Makes a mark of its words, to be compared with recorded marks. */
static wlab_code mark(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    return wlab_session_mark(s, err, "%s", args->rest);
}

static const wlab_command mark_command = {.name = "mark", .flags = WL_C_WORDS, .execute = mark};

static const char *build(void)
{
    return "0123";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const nowhere[] = {NULL};
    static const wlab_command *const harmless[] = {&wlab_cmd_history, &mark_command, &wlab_cmd_quit,
                                                   &wlab_cmd_say, NULL};
    wlab_sink sink = {.text = ignore_text, .message = ignore_text};
    wlab_places places = {nowhere, nowhere, ".", build, "/nowhere"};
    wlab_session *s = NULL;
    wlab_err err = {0};
    char path[64];
    int fd = memfd_create("session", MFD_CLOEXEC);

    if (fd < 0 || write(fd, data, size) != (ssize_t)size ||
        wlab_session_create(&s, &sink, &places, 1, 1, &err) != WL_OK)
        abort();
    s->ncommands = 0;
    s->commands[0] = NULL;
    if (wlab_session_add_commands(s, harmless, &err) != WL_OK)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    wlab_code code = wlab_session_replay(s, path, true, 1e-6, 0, &err);
    if (code != WL_OK && (err.code != code || !err.message[0]))
        abort();
    wlab_session_destroy(s);
    close(fd);
    return 0;
}
