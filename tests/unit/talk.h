/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A session whose output a test can read: its texts, messages and objects are kept.
 */
#ifndef WEAKLAB_TESTS_TALK_H
#define WEAKLAB_TESTS_TALK_H

#include "../support.h"

#include "session/internal.h"
#include <sys/stat.h>

typedef struct talk {
    wlab_session *s;
    wlab_err err;
    char text[1 << 16], messages[1 << 16];
    json_t *objects;
} talk;

static inline void talk_keep(char *to, size_t size, const char *text)
{
    size_t used = strlen(to);
    snprintf(to + used, size - used, "%s", text);
}

static inline void talk_text(void *self, const char *text)
{
    talk *t = self;
    talk_keep(t->text, sizeof t->text, text);
}

static inline void talk_message(void *self, const char *text)
{
    talk *t = self;
    talk_keep(t->messages, sizeof t->messages, text);
    talk_keep(t->messages, sizeof t->messages, "\n");
}

static inline void talk_object(void *self, const json_t *object)
{
    talk *t = self;
    json_array_append_new(t->objects, json_deep_copy(object));
}

static inline const char *talk_build(void)
{
    return "0123456789abcdef";
}

static const char *const talk_nowhere[] = {NULL};

static inline wlab_code talk_create(talk *t, bool json, const char *out, const char *const *data)
{
    wlab_sink sink = {
        .text = talk_text, .message = talk_message, .object = talk_object, .json = json, .self = t};
    wlab_places places = {data ? data : talk_nowhere, talk_nowhere, out, talk_build, "/nowhere/of no body"};
    t->text[0] = t->messages[0] = '\0';
    t->objects = json_array();
    memset(&t->err, 0, sizeof t->err);
    t->s = NULL;
    return wlab_session_create(&t->s, &sink, &places, 1, 1, &t->err);
}

static inline void talk_begin(talk *t, bool json, const char *out)
{
    assert_int_equal(talk_create(t, json, out, NULL), WL_OK);
}

static inline void talk_end(talk *t)
{
    wlab_session_destroy(t->s);
    json_decref(t->objects);
    t->s = NULL;
    t->objects = NULL;
}

/* Execute a line typed by the user. */
static inline wlab_code type_line(talk *t, const char *line)
{
    return wlab_session_line(t->s, line, WL_FROM_PERSON, NULL, 0, &t->err);
}

/* Execute a line of a script, line 7 of demo.wlab. */
static inline wlab_code exec_script(talk *t, const char *line)
{
    return wlab_session_line(t->s, line, WL_FROM_SCRIPT, "demo.wlab", 7, &t->err);
}

#define EXEC(t, line)                   ASSERT_OK(type_line((t), (line)), (t)->err)
#define EXEC_FAILS(t, line, code, text) ASSERT_FAILS(type_line((t), (line)), (code), (t)->err, (text))

static inline char *talk_folder(char path[256])
{
    const char *dir = getenv("TMPDIR");
    snprintf(path, 256, "%s/weaklab-XXXXXX", dir ? dir : "/tmp");
    assert_non_null(mkdtemp(path));
    return path;
}

/* The file, its first 2^20 - 1 bytes at most, as a string that the caller frees; NULL if it cannot be opened. */
static inline char *talk_read(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    size_t n = fread(text, 1, (1 << 20) - 1, f);
    text[n] = '\0';
    fclose(f);
    return text;
}

static inline void talk_write(const char *path, const char *text)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
    assert_int_equal(fclose(f), 0);
}

#endif
