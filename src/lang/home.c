/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `~` and `~/...` in typed commands: the home folder, which main passes.
 */
#include "lang/phrase.h"
#include <string.h>

/* Keep word[0 .. len-1] and replace the `~` behind it. */
static char *expanded(const char *word, size_t len, const char *home)
{
    return wlab_format("%.*s%s%s", (int)len, word, home, word + len + 1);
}

static bool begins(const char *text)
{
    return text[0] == '~' && (text[1] == '\0' || text[1] == '/');
}

wlab_code wlab_phrase_expand(wlab_phrase *w, const char *home, wlab_err *err)
{
    bool found = false;
    wlab_buf rest = {0};
    wlab_code code = WL_OK;

    for (int i = 0; i < w->n; i++) {
        size_t len = wlab_setting_length(w->word[i]);
        size_t at = len ? len + 1 : 0;

        at += w->word[i][at] == '@'; /* a file of values */
        if (!w->plain[i] || !begins(w->word[i] + at))
            continue;
        char *other = expanded(w->word[i], at, home);
        if (!other)
            return wlab_nomem(err);
        wlab_free(w->word[i]);
        w->word[i] = other;
        found = true;
    }
    if (!found)
        return WL_OK;
    /* rebuild the line, which is recorded: scripts do not expand `~` */
    for (int i = 0; !code && i < w->n; i++) {
        size_t len = w->plain[i] ? wlab_setting_length(w->word[i]) : 0;
        if (i)
            code = wlab_buf_put(&rest, " ", 1);
        if (!code && len)
            code = wlab_buf_put(&rest, w->word[i], ++len);
        if (!code && (!len || w->word[i][len]))
            code = wlab_buf_quote(&rest, w->word[i] + len);
    }
    if (!code)
        code = wlab_buf_put(&rest, "", 1);
    char *line = code ? NULL : wlab_strdup((const char *)rest.data);
    wlab_buf_clear(&rest);
    if (!line)
        return wlab_nomem(err);
    wlab_free(w->rest);
    w->rest = line;
    return WL_OK;
}
