/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes results as JSON and reads them.
 */
#include "study/experiment/result.h"
#include "lang/json.h"
#include <string.h>

void wlab_result_clear(wlab_result *r)
{
    wlab_free(r->error);
    wlab_free(r->parameters);
    wlab_free(r->verdict);
    json_decref(r->scores);
    json_decref(r->tuning);
    wlab_free(r->digest);
    wlab_free(r->session);
    wlab_free(r->version);
    wlab_free(r->build);
    memset(r, 0, sizeof *r);
}

/* The texts of a result, all of which may be missing. */
static const struct {
    const char *name;
    size_t at;
} texts[] = {
    {"error", offsetof(wlab_result, error)},     {"parameters", offsetof(wlab_result, parameters)},
    {"verdict", offsetof(wlab_result, verdict)}, {"digest", offsetof(wlab_result, digest)},
    {"session", offsetof(wlab_result, session)}, {"version", offsetof(wlab_result, version)},
    {"build", offsetof(wlab_result, build)},
};
enum {
    TEXTS = sizeof texts / sizeof *texts
};

static char **text_of(wlab_result *r, int i)
{
    return (char **)(void *)((char *)r + texts[i].at);
}

json_t *wlab_result_json(const wlab_result *r)
{
    json_t *o = json_pack("{s:s, s:I, s:s, s:I, s:O?, s:O?, s:o, s:o}", "type", "result", "number",
                          (json_int_t)r->number, "key", r->key, "iter", (json_int_t)r->iter, "scores",
                          r->scores, "tuning", r->tuning, "seconds", wlab_json_real(r->seconds),
                          "tuning_seconds", wlab_json_real(r->tuning_seconds));
    wlab_result copy = *r;

    for (int i = 0; o && i < TEXTS; i++) {
        const char *text = *text_of(&copy, i);
        if (json_object_set_new(o, texts[i].name, text ? wlab_json_text(text) : json_null()) != 0) {
            json_decref(o);
            o = NULL;
        }
    }
    return o;
}

static wlab_code bad(wlab_err *err, const char *name, const char *what)
{
    return wlab_fail(err, WL_EINPUT, "this is not a result: \"%s\" is not %s", name, what);
}

static wlab_code read_integer(int64_t *to, const json_t *o, const char *name, int64_t least, wlab_err *err)
{
    const json_t *value = json_object_get(o, name);

    if (!json_is_integer(value) || json_integer_value(value) < least)
        return bad(err, name, "a whole number");
    *to = json_integer_value(value);
    return WL_OK;
}

static wlab_code read_seconds(double *to, const json_t *o, const char *name, wlab_err *err)
{
    const json_t *value = json_object_get(o, name);

    if (!json_is_number(value) || json_number_value(value) < 0)
        return bad(err, name, "a time in seconds");
    *to = json_number_value(value);
    return WL_OK;
}

static wlab_code read_object(json_t **to, const json_t *o, const char *name, wlab_err *err)
{
    const json_t *value = json_object_get(o, name);

    if (!value || json_is_null(value))
        return WL_OK;
    if (!json_is_object(value))
        return bad(err, name, "an object");
    *to = json_deep_copy(value);
    return *to ? WL_OK : wlab_nomem(err);
}

wlab_code wlab_result_read(wlab_result *r, const json_t *o, wlab_err *err)
{
    wlab_result new = {0};
    const char *key = json_string_value(json_object_get(o, "key"));
    const char *name;
    json_t *value;
    wlab_code code;

    if (!json_is_object(o))
        return wlab_fail(err, WL_EINPUT, "this is not a result: not an object");
    if (!key || strlen(key) != 64 || strspn(key, "0123456789abcdef") != 64)
        return bad(err, "key", "the SHA-256 of a cell");
    memcpy(new.key, key, 65);
    code = read_integer(&new.number, o, "number", 1, err);
    code = code ? code : read_integer(&new.iter, o, "iter", 0, err);
    code = code ? code : read_seconds(&new.seconds, o, "seconds", err);
    code = code ? code : read_seconds(&new.tuning_seconds, o, "tuning_seconds", err);
    code = code ? code : read_object(&new.scores, o, "scores", err);
    code = code ? code : read_object(&new.tuning, o, "tuning", err);
    for (int i = 0; !code && i < TEXTS; i++) {
        value = json_object_get(o, texts[i].name);
        if (!value || json_is_null(value))
            continue;
        if (!json_is_string(value))
            code = bad(err, texts[i].name, "a text");
        else if (!(*text_of(&new, i) = wlab_strdup(json_string_value(value))))
            code = wlab_nomem(err);
    }
    if (!code && !new.error && !(new.parameters &&new.verdict &&new.scores &&new.digest &&new.session))
        code = wlab_fail(err, WL_EINPUT,
                         "this is not a result: it has neither an error nor all values of a run");
    if (!code)
        json_object_foreach(new.scores, name, value) if (!json_is_number(value) && !json_is_null(value))
        {
            code = bad(err, name, "a number");
            break;
        }
    if (code)
        wlab_result_clear(&new);
    else
        *r = new;
    return code;
}
