/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes and reads the messages between the scheduler and its workers.
 */
#include "sweep/message.h"
#include <stdlib.h>
#include <string.h>

json_t *wlab_message_bytes(const char *bytes, size_t len)
{
    char *text = wlab_alloc(2 * len + 1, 1), *to = text;
    json_t *o;

    if (!text)
        return NULL;
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c >= 0x80)
            *to++ = (char)(0xc0 | (c >> 6));
        *to++ = (char)(c >= 0x80 ? 0x80 | (c & 0x3f) : c);
    }
    o = json_stringn(text, (size_t)(to - text));
    wlab_free(text);
    return o;
}

char *wlab_message_read_bytes(const json_t *o, size_t *len)
{
    const unsigned char *text = (const unsigned char *)json_string_value(o);
    size_t n = json_string_length(o), k = 0;
    char *bytes = text ? wlab_alloc(n + 1, 1) : NULL;

    for (size_t i = 0; bytes && i < n; i++) {
        unsigned c = text[i];
        if (c >= 0x80 && i + 1 < n)
            c = ((c & 3U) << 6) | (text[++i] & 0x3fU);
        bytes[k++] = (char)c;
    }
    if (!bytes)
        return NULL;
    bytes[k] = '\0';
    if (len)
        *len = k;
    return bytes;
}

char *wlab_message_line(json_t *o)
{
    char *text = o ? json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    char *line = text ? wlab_strdup(text) : NULL;

    free(text);
    json_decref(o);
    return line;
}

/* A text that is NULL is sent as null.  Returns nonzero if memory ran out; the object then lacks the value. */
static int put_text(json_t *o, const char *name, const char *text)
{
    return json_object_set_new(o, name, text ? wlab_message_bytes(text, strlen(text)) : json_null());
}

static int put_list(json_t *o, const char *name, const char *const *list)
{
    json_t *a = json_array();
    int bad = json_object_set_new(o, name, a);

    for (int i = 0; !bad && list && list[i]; i++)
        bad = json_array_append_new(a, wlab_message_bytes(list[i], strlen(list[i])));
    return bad;
}

char *wlab_message_setup(const wlab_experiment *e, const wlab_places *places)
{
    json_t *o = json_object(), *data = json_array(), *folders = json_object();
    int bad = !o || !data || !folders;

    if (!bad) {
        bad |= json_object_set_new(o, "experiment", wlab_message_bytes(e->text, strlen(e->text)));
        bad |= put_text(o, "path", e->path);
        bad |= put_text(o, "plan", e->plan);
        bad |= put_list(folders, "data_dirs", places->data_dirs);
        bad |= put_list(folders, "script_dirs", places->script_dirs);
        bad |= put_text(folders, "out_dir", places->out_dir);
        bad |= put_text(folders, "home", places->home);
        for (int i = 0; !bad && i < e->ndata; i++) {
            json_t *d = json_object();
            bad |= put_text(d, "line", e->data[i].line);
            bad |= put_text(d, "sha256", e->data[i].sha256);
            bad |= put_text(d, "file", e->data[i].file);
            bad |= json_array_append_new(data, d);
        }
        bad |= json_object_set(o, "data", data);
        bad |= json_object_set(o, "places", folders);
    }
    json_decref(data);
    json_decref(folders);
    if (bad) {
        json_decref(o);
        return NULL;
    }
    return wlab_message_line(o);
}

/* ---- the worker's side ---- */

static wlab_code read_text(char **text, const json_t *o, const char *name, bool needed, wlab_err *err)
{
    const json_t *value = json_object_get(o, name);

    if (!json_is_string(value))
        return needed ? wlab_fail(err, WL_EINPUT, "the first message has no \"%s\"", name) : WL_OK;
    *text = wlab_message_read_bytes(value, NULL);
    return *text ? WL_OK : wlab_nomem(err);
}

static wlab_code read_list(char ***list, const json_t *o, const char *name, wlab_err *err)
{
    const json_t *value = json_object_get(o, name);
    size_t n = json_array_size(value);

    *list = wlab_calloc(n + 1, sizeof **list);
    if (!*list)
        return wlab_nomem(err);
    for (size_t i = 0; i < n; i++)
        if (!((*list)[i] = wlab_message_read_bytes(json_array_get(value, i), NULL)))
            return wlab_nomem(err);
    return WL_OK;
}

/* Give each data set of the experiment the line and the SHA-256 sum that the scheduler's check found. */
static wlab_code read_data(wlab_experiment *e, const json_t *data, wlab_err *err)
{
    if (json_array_size(data) != (size_t)e->ndata)
        return wlab_fail(err, WL_EINPUT, "the first message names %zu data sets, the experiment has %d",
                         json_array_size(data), e->ndata);
    for (int i = 0; i < e->ndata; i++) {
        const json_t *d = json_array_get(data, (size_t)i);
        const char *sum = json_string_value(json_object_get(d, "sha256"));
        const char *file = json_string_value(json_object_get(d, "file"));
        char *line = NULL;
        wlab_code code = read_text(&line, d, "line", true, err);

        if (code)
            return code;
        wlab_free(e->data[i].line);
        e->data[i].line = line;
        if (!sum || strlen(sum) >= sizeof e->data[i].sha256 || !file ||
            strlen(file) >= sizeof e->data[i].file)
            return wlab_fail(err, WL_EINPUT, "the first message has no SHA-256 sum of data set %d", i + 1);
        memcpy(e->data[i].sha256, sum, strlen(sum) + 1);
        memcpy(e->data[i].file, file, strlen(file) + 1);
    }
    return WL_OK;
}

wlab_code wlab_setup_read(wlab_setup *s, const json_t *o, wlab_err *err)
{
    const json_t *places = json_object_get(o, "places");
    char *text = NULL, *path = NULL, *plan = NULL;
    size_t len = 0;
    wlab_code code;

    memset(s, 0, sizeof *s);
    if (!json_is_string(json_object_get(o, "experiment")))
        return wlab_fail(err, WL_EINPUT, "the first message has no experiment");
    if (!(text = wlab_message_read_bytes(json_object_get(o, "experiment"), &len)))
        return wlab_nomem(err);
    code = read_text(&path, o, "path", true, err);
    code = code ? code : read_text(&plan, o, "plan", true, err);
    code = code ? code : read_text(&s->out_dir, places, "out_dir", true, err);
    code = code ? code : read_text(&s->home, places, "home", false, err);
    code = code ? code : read_list(&s->data_dirs, places, "data_dirs", err);
    code = code ? code : read_list(&s->script_dirs, places, "script_dirs", err);
    code = code ? code : wlab_experiment_parse(&s->e, text, len, path, err);
    code = code ? code : read_data(s->e, json_object_get(o, "data"), err);
    code = code ? code : wlab_experiment_plan(s->e, err);
    if (!code && strcmp(plan, s->e->plan) != 0)
        code = wlab_fail(err, WL_EINPUT,
                         "the worker finds other cells in the experiment than the scheduler does: check that "
                         "both are the same program");
    s->places = (wlab_places){.data_dirs = (const char *const *)s->data_dirs,
                              .script_dirs = (const char *const *)s->script_dirs,
                              .out_dir = s->out_dir,
                              .home = s->home};
    wlab_free(text);
    wlab_free(path);
    wlab_free(plan);
    if (code)
        wlab_setup_clear(s);
    return code;
}

static void list_free(char **list)
{
    for (int i = 0; list && list[i]; i++)
        wlab_free(list[i]);
    wlab_free(list);
}

void wlab_setup_clear(wlab_setup *s)
{
    wlab_experiment_free(s->e);
    list_free(s->data_dirs);
    list_free(s->script_dirs);
    wlab_free(s->out_dir);
    wlab_free(s->home);
    memset(s, 0, sizeof *s);
}
