/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Parameter values: checked against their table, with errors that say which values are valid.
 */
#include "weaklab/param.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct parsed {
    double real; /* REAL, INT, SCALED */
    int64_t integer;
    int choice; /* BOOL: 0 or 1; SCALED: index of the unit, -1: none */
} parsed;

typedef struct value {
    char *text; /* as typed; NULL: not given */
    parsed now; /* of text, else of the default */
} value;

struct wlab_params {
    const wlab_param_info *table;
    size_t n;
    value *values;
};

static size_t table_size(const wlab_param_info *table)
{
    size_t n = 0;
    while (table && table[n].name)
        n++;
    return n;
}

/* ---- sentences ---- */

/* " > 0 and <= 1", " >= 1" or "", with a blank in front */
static void range_text(const wlab_param_info *info, char *buf, size_t size)
{
    bool any = info->lo == 0 && info->hi == 0;
    bool low = !any && isfinite(info->lo), high = !any && isfinite(info->hi);
    char lo[32] = "", hi[32] = "";
    if (low)
        wlab_real_text(info->lo, lo);
    if (high)
        wlab_real_text(info->hi, hi);
    snprintf(buf, size, "%s%s%s%s%s", low ? info->flags & WL_P_OPEN_LO ? " > " : " >= " : "", lo,
             low && high ? " and" : "", high ? info->flags & WL_P_OPEN_HI ? " < " : " <= " : "", hi);
}

/* "a, b or c" if `last` is " or "; ends in "..." if the buffer is too small for all */
static void list_text(const char *const *words, size_t n, const char *last, char *buf, size_t size)
{
    size_t len = 0;
    buf[0] = 0;
    for (size_t i = 0; i < n; i++) {
        const char *joint = i == 0 ? "" : i + 1 == n ? last : ", ";
        size_t more = strlen(joint) + strlen(words[i]);
        if (len + more + sizeof ", ..." > size) {
            strcpy(buf + len, ", ...");
            return;
        }
        wlab_text_append(buf, size, "%s%s", joint, words[i]);
        len += more;
    }
}

/* "name=value: must be WHAT (meaning, in unit)" */
static wlab_code refuse(const wlab_param_info *info, const char *text, const char *what, wlab_err *err)
{
    const char *meaning = info->meaning ? info->meaning : "", *unit = info->unit ? info->unit : "";
    bool both = *meaning && *unit, none = !*meaning && !*unit;
    return wlab_fail(err, WL_EARG, "%s=%.80s%s: must be %s%s%s%s%s%s", info->name, text,
                     strlen(text) > 80 ? "..." : "", what, none ? "" : " (", meaning, both ? ", in " : "",
                     unit, none ? "" : ")");
}

/* The range is put between `kind` and `more`: "a number > 0, or a multiple like 0.5x" */
static wlab_code refuse_number(const wlab_param_info *info, const char *text, const char *kind,
                               const char *more, wlab_err *err)
{
    char range[96], what[192];
    range_text(info, range, sizeof range);
    snprintf(what, sizeof what, "%s%s%s", kind, *kind ? range : range + 1, more);
    return refuse(info, text, what, err);
}

/* ---- checking ---- */

static bool in_range(const wlab_param_info *info, double x)
{
    if (info->lo == 0 && info->hi == 0)
        return true;
    bool low = info->flags & WL_P_OPEN_LO ? x > info->lo : x >= info->lo;
    bool high = info->flags & WL_P_OPEN_HI ? x < info->hi : x <= info->hi;
    return low && high; /* x is finite, so an infinite bound does not restrict it, open or not */
}

static wlab_code check_number(const wlab_param_info *info, const char *text, parsed *out, wlab_err *err)
{
    if (!wlab_parse_real(text, &out->real))
        return refuse_number(info, text, "a number", "", err);
    return in_range(info, out->real) ? WL_OK : refuse_number(info, text, "", "", err);
}

static wlab_code check_int(const wlab_param_info *info, const char *text, parsed *out, wlab_err *err)
{
    if (!wlab_parse_int(text, &out->integer)) {
        double x; /* an integer with too many digits: the error states the range of int64_t */
        bool digits = wlab_parse_real(text, &x) && !strpbrk(text, ".eE");
        bool any = info->lo == 0 && info->hi == 0;
        return refuse_number(info, text, "an integer",
                             digits && any ? " from -9223372036854775808 to 9223372036854775807" : "", err);
    }
    out->real = (double)out->integer;
    return in_range(info, out->real) ? WL_OK : refuse_number(info, text, "", "", err);
}

static wlab_code check_scaled(const wlab_param_info *info, const char *text, parsed *out, wlab_err *err)
{
    size_t len = strlen(text);
    char number[64], more[64];
    out->choice = -1;
    for (int i = 0; info->choices[i]; i++) {
        size_t unit = strlen(info->choices[i]);
        if (len > unit && strcmp(text + len - unit, info->choices[i]) == 0) {
            out->choice = i;
            len -= unit;
            break;
        }
    }
    snprintf(number, sizeof number, "%.*s", (int)(len < sizeof number ? len : 0), text);
    if (!wlab_parse_real(number, &out->real)) {
        snprintf(more, sizeof more, ", or a multiple like");
        for (int i = 0; info->choices[i]; i++)
            wlab_text_append(more, sizeof more, "%s 0.5%s", i ? " or" : "", info->choices[i]);
        return refuse_number(info, text, "a number", more, err);
    }
    return in_range(info, out->real) ? WL_OK : refuse_number(info, text, "", "", err);
}

static wlab_code check_bool(const wlab_param_info *info, const char *text, parsed *out, wlab_err *err)
{
    static const char *const words[] = {"no", "yes", "off", "on", "false", "true", "0", "1"};
    for (int i = 0; i < (int)(sizeof words / sizeof *words); i++)
        if (strcmp(text, words[i]) == 0) {
            out->choice = i & 1;
            return WL_OK;
        }
    return refuse(info, text, "yes or no", err);
}

static wlab_code check_choice(const wlab_param_info *info, const char *text, parsed *out, wlab_err *err)
{
    size_t n = 0;
    for (; info->choices[n]; n++)
        if (strcmp(text, info->choices[n]) == 0) {
            out->choice = (int)n;
            return WL_OK;
        }
    char what[640], hint[128] = "";
    list_text(info->choices, n, " or ", what, sizeof what - sizeof hint);
    const char *near = wlab_nearest(text, info->choices, n);
    if (near)
        snprintf(hint, sizeof hint, "; did you mean \"%s\"?", near);
    strcat(what, hint);
    return refuse(info, text, what, err);
}

static wlab_code check_text(const wlab_param_info *info, const char *text, wlab_err *err)
{
    if (info->type == WL_P_FILE && !*text)
        return refuse(info, text, "the name of a file", err);
    return WL_OK;
}

static wlab_code check_value(const wlab_param_info *info, const char *text, parsed *out, wlab_err *err)
{
    *out = (parsed){.real = NAN};
    for (const char *s = text; *s; s++)
        if (((unsigned char)*s < 0x20 && *s != '\t') || *s == 0x7f) /* would break the session's lines */
            return refuse(info, text, "without control characters", err);
    switch (info->type) {
    case WL_P_REAL:
        return check_number(info, text, out, err);
    case WL_P_INT:
        return check_int(info, text, out, err);
    case WL_P_BOOL:
        return check_bool(info, text, out, err);
    case WL_P_CHOICE:
        return check_choice(info, text, out, err);
    case WL_P_SCALED:
        return check_scaled(info, text, out, err);
    case WL_P_TEXT:
    case WL_P_FILE:
        return check_text(info, text, err);
    }
    return wlab_fail(err, WL_EARG, "%s: has no type", info->name);
}

/* ---- removed settings ---- */

/* The only value that a removed setting still accepts: that of "name=value" in the last row of the table.  NULL:
 * there never was such a setting. */
static const char *removed_value(const wlab_param_info *table, const char *name)
{
    const size_t n = strlen(name);
    const char *word = table ? table[table_size(table)].fallback : NULL;
    while (word && !(strncmp(word, name, n) == 0 && word[n] == '='))
        word = (word = strchr(word, ' ')) ? word + 1 : NULL;
    return word ? word + n + 1 : NULL;
}

static wlab_code check_removed(const char *accepted, const char *name, const char *text, wlab_err *err)
{
    const int n = (int)strcspn(accepted, " ");
    if ((int)strlen(text) == n && strncmp(text, accepted, (size_t)n) == 0)
        return WL_OK;
    return wlab_fail(err, WL_EARG, "%s=%.80s: this setting was removed; only %s=%.*s is accepted", name, text,
                     name, n, accepted);
}

/* ---- values ---- */

wlab_code wlab_params_create(wlab_params **out, const wlab_param_info *table, wlab_err *err)
{
    *out = NULL;
    wlab_params *params = wlab_calloc(1, sizeof *params);
    if (!params)
        return wlab_nomem(err);
    params->table = table;
    params->n = table_size(table);
    params->values = wlab_calloc(params->n, sizeof *params->values);
    wlab_code code = params->values ? WL_OK : wlab_nomem(err);
    for (size_t i = 0; !code && i < params->n; i++) {
        params->values[i].now = (parsed){.real = NAN};
        if (table[i].type == WL_P_CHOICE || table[i].type == WL_P_SCALED)
            params->values[i].now.choice = -1;
        if (table[i].fallback)
            code = check_value(&table[i], table[i].fallback, &params->values[i].now, err);
    }
    if (code) {
        wlab_params_destroy(params);
        return code;
    }
    *out = params;
    return WL_OK;
}

wlab_code wlab_params_copy(wlab_params **out, const wlab_params *from, wlab_err *err)
{
    wlab_code code = wlab_params_create(out, from->table, err);
    for (size_t i = 0; !code && i < from->n; i++) {
        value *to = &(*out)->values[i];
        to->now = from->values[i].now;
        if (from->values[i].text) {
            to->text = wlab_strdup(from->values[i].text);
            if (!to->text)
                code = wlab_nomem(err);
        }
    }
    if (code) {
        wlab_params_destroy(*out);
        *out = NULL;
    }
    return code;
}

void wlab_params_destroy(wlab_params *params)
{
    if (!params)
        return;
    for (size_t i = 0; params->values && i < params->n; i++)
        wlab_free(params->values[i].text);
    wlab_free(params->values);
    wlab_free(params);
}

const wlab_param_info *wlab_param_find(const wlab_param_info *table, const char *name)
{
    while (table && table->name && strcmp(table->name, name) != 0)
        table++;
    return table && table->name ? table : NULL;
}

bool wlab_param_known(const wlab_param_info *table, const char *name)
{
    return wlab_param_find(table, name) != NULL;
}

const wlab_param_info *wlab_params_table(const wlab_params *params)
{
    return params ? params->table : NULL;
}

static const value *find_value(const wlab_params *params, const char *name, size_t *index)
{
    for (size_t i = 0; params && i < params->n; i++)
        if (strcmp(params->table[i].name, name) == 0) {
            *index = i;
            return &params->values[i];
        }
    return NULL;
}

static wlab_code fail_unknown(const wlab_params *params, const char *name, wlab_err *err)
{
    char known[640], hint[128] = "";
    if (params->n == 0)
        return wlab_fail(err, WL_EARG, "unknown setting \"%.80s\" (there are none here)", name);
    const char **names = wlab_alloc(params->n, sizeof *names);
    if (!names)
        return wlab_nomem(err);
    for (size_t i = 0; i < params->n; i++)
        names[i] = params->table[i].name;
    list_text(names, params->n, ", ", known, sizeof known);
    const char *near = wlab_nearest(name, names, params->n);
    if (near)
        snprintf(hint, sizeof hint, "; did you mean \"%s\"?", near);
    wlab_free(names);
    return wlab_fail(err, WL_EARG, "unknown setting \"%.80s\"%s (known: %s)", name, hint, known);
}

wlab_code wlab_params_set(wlab_params *params, const char *name, const char *text, wlab_err *err)
{
    size_t i;
    const char *accepted;
    if (!find_value(params, name, &i)) {
        accepted = removed_value(wlab_params_table(params), name);
        return accepted ? check_removed(accepted, name, text, err) : fail_unknown(params, name, err);
    }
    parsed now;
    wlab_code code = check_value(&params->table[i], text, &now, err);
    if (code)
        return code;
    char *copy = wlab_strdup(text);
    if (!copy)
        return wlab_nomem(err);
    wlab_free(params->values[i].text);
    params->values[i] = (value){.text = copy, .now = now};
    return WL_OK;
}

bool wlab_params_given(const wlab_params *params, const char *name)
{
    size_t i;
    const value *v = find_value(params, name, &i);
    return v && v->text;
}

bool wlab_params_agree(const wlab_params *a, const wlab_params *b, const char *name)
{
    const bool given = wlab_params_given(a, name);
    return given == wlab_params_given(b, name) &&
           (!given || strcmp(wlab_params_text(a, name), wlab_params_text(b, name)) == 0);
}

const char *wlab_params_text(const wlab_params *params, const char *name)
{
    size_t i;
    const value *v = find_value(params, name, &i);
    if (!v)
        return NULL;
    return v->text ? v->text : params->table[i].fallback;
}

bool wlab_param_same_value(const char *a, const char *b)
{
    double x, y;

    if (!a || !b)
        return a == b;
    return strcmp(a, b) == 0 ||
           (wlab_parse_real(a, &x) && wlab_parse_real(b, &y) && fabs(x - y) <= 1e-9 * fmax(fabs(x), fabs(y)));
}

double wlab_params_real(const wlab_params *params, const char *name)
{
    size_t i;
    const value *v = find_value(params, name, &i);
    return v ? v->now.real : NAN;
}

int64_t wlab_params_int(const wlab_params *params, const char *name)
{
    size_t i;
    const value *v = find_value(params, name, &i);
    return v ? v->now.integer : 0;
}

bool wlab_params_bool(const wlab_params *params, const char *name)
{
    size_t i;
    const value *v = find_value(params, name, &i);
    return v && v->now.choice > 0;
}

int wlab_params_choice(const wlab_params *params, const char *name)
{
    size_t i;
    const value *v = find_value(params, name, &i);
    return v ? v->now.choice : -1;
}

int wlab_params_scale(const wlab_params *params, const char *name)
{
    size_t i;
    const value *v = find_value(params, name, &i);
    return v ? v->now.choice : -1;
}

wlab_code wlab_params_format(const wlab_params *params, wlab_buf *out)
{
    size_t len = out->len;
    bool first = true;
    wlab_code code = wlab_buf_put(out, "", 0);
    for (size_t i = 0; !code && i < params->n; i++) {
        if (!params->values[i].text)
            continue;
        code = wlab_buf_printf(out, "%s%s=", first ? "" : " ", params->table[i].name);
        if (!code)
            code = wlab_buf_quote(out, params->values[i].text);
        first = false;
    }
    if (code) { /* nothing half-written */
        out->len = len;
        if (out->data)
            out->data[len] = 0;
    }
    return code;
}
