/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * libFuzzer target: any line is divided into commands, or refused with a place inside it; the words, quoted, are read
 * back unchanged.
 */
#include "session/commands/commands.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void read_back(const wlab_phrase *w)
{
    wlab_buf line = {0};
    wlab_phrase again = {0};
    size_t pos = 0;
    bool more;
    require(wlab_buf_printf(&line, "x") == WL_OK);
    for (int i = 0; i < w->n; i++) {
        require(wlab_buf_printf(&line, " ") == WL_OK);
        require(wlab_buf_quote(&line, w->word[i]) == WL_OK);
    }
    require(wlab_phrase_read(&again, (const char *)line.data, &pos, &more, NULL) == WL_OK);
    require(!more && again.n == w->n);
    for (int i = 0; i < w->n; i++)
        require(strcmp(again.word[i], w->word[i]) == 0);
    wlab_phrase_clear(&again);
    wlab_buf_clear(&line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const wlab_command *command;
    char *line = malloc(size + 1);
    size_t pos = 0;
    bool more = true;

    require(line != NULL);
    memcpy(line, data, size);
    line[size] = '\0';
    size_t len = strlen(line);
    while (more) {
        wlab_phrase w = {0};
        wlab_err err = {0};
        if (wlab_phrase_read(&w, line, &pos, &more, &err)) {
            require(err.column >= 1 && (size_t)err.column <= len + 1 && err.message[0] && !more);
            break;
        }
        require(pos <= len);
        if (w.name) {
            read_back(&w);
            if (wlab_command_find(wlab_commands, w.name, true, &command, &err))
                require(err.message[0] != '\0');
        }
        wlab_phrase_clear(&w);
    }
    free(line);
    return 0;
}
