/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The list of completions for the user: words with their meanings; and how a word is typed on the line.
 */
#include "tui/dashboard/canvas.h"
#include "tui/prompt/complete.h"
#include <limits.h>
#include <string.h>

enum {
    WIDEST = 32,     /* the column of words */
    WIDEST_NOTE = 28 /* the column of notes; a longer one pushes its meaning aside */
};

/* How many bytes of `text` fit in `width` columns. */
static size_t fit_bytes(const char *text, int width)
{
    size_t at = 0;

    for (int used = 0; text[at];) {
        wchar_t ch;
        size_t len = wlab_utf8_next(text + at, &ch);
        used += wlab_utf8_put(&ch);
        if (used > width)
            break;
        at += len;
    }
    return at;
}

static wlab_code put_bytes(wlab_buf *out, const char *text, size_t len)
{
    wlab_code code = WL_OK;

    for (size_t i = 0; !code && i < len;) {
        wchar_t ch, shown;
        size_t n = wlab_utf8_next(text + i, &ch);
        shown = ch;
        (void)wlab_utf8_put(&shown);
        if (shown == ch)
            code = wlab_buf_put(out, text + i, n);
        else /* replace what would act on the terminal */
            code = wlab_buf_printf(out, "%c", (char)shown);
        i += n;
    }
    return code;
}

/* Put `blanks`, then the text in at most `width` columns.  A longer text ends in "...", after a whole word if one
 * ends near.  If not even "..." fits, put nothing. */
static wlab_code put_text(wlab_buf *out, int blanks, const char *text, int width, int *columns)
{
    size_t len = width > 0 ? fit_bytes(text, width) : 0;
    bool cut = text[len] != '\0';

    *columns = 0;
    if (!*text || (cut && width < 4))
        return WL_OK;
    if (cut) {
        len = fit_bytes(text, width - 3);
        size_t word = len;
        while (word > 0 && text[word] != ' ' && len - word < 20)
            word--;
        if (word > 0 && text[word] == ' ')
            len = word;
        while (len > 0 && strchr(" ,;:", text[len - 1]))
            len--;
    }
    char *shown = wlab_strndup(text, len);
    if (!shown)
        return WL_ENOMEM;
    *columns = wlab_text_columns(shown) + (cut ? 3 : 0);
    wlab_free(shown);
    wlab_code code = blanks > 0 ? wlab_buf_printf(out, "%*s", blanks, "") : WL_OK;
    if (!code)
        code = put_bytes(out, text, len);
    return code || !cut ? code : wlab_buf_put(out, "...", 3);
}

static int widest(int now, int width, int limit)
{
    return width > now && width <= limit ? width : now;
}

static const char *last_part(const char *path)
{
    const char *last = path;

    for (; *path; path++)
        if (*path == '/' && path[1])
            last = path + 1;
    return last;
}

/* List names without notes, column by column; of a path, its last part. */
static wlab_code put_columns(const wlab_offer *const *offer, int n, int width, wlab_buf *out)
{
    wlab_code code = WL_OK;
    int cell = 1;

    for (int i = 0; i < n; i++)
        cell = widest(cell, wlab_text_columns(last_part(offer[i]->text)), INT_MAX);
    cell = cell < width ? cell : width;
    int across = (width + 2) / (cell + 2), down = across > 1 ? (n + across - 1) / across : n;
    for (int row = 0; !code && row < down; row++) {
        for (int i = row, blanks = 0, used = 0; !code && i < n; i += down, blanks = cell + 2 - used) {
            code = put_text(out, blanks, last_part(offer[i]->text), cell, &used);
        }
        if (!code)
            code = wlab_buf_put(out, "\n", 1);
    }
    return code;
}

wlab_code wlab_offers_layout(const wlab_offer *const *offer, int n, int width, wlab_buf *out)
{
    int word = 0, note = 0;
    bool bare = true;
    wlab_code code = WL_OK;

    for (int i = 0; i < n; i++) {
        bare = bare && !*offer[i]->note && !*offer[i]->meaning;
        word = widest(word, wlab_text_columns(offer[i]->text), WIDEST);
        note = widest(note, wlab_text_columns(offer[i]->note), WIDEST_NOTE);
    }
    if (bare)
        return put_columns(offer, n, width, out);
    for (int i = 0; !code && i < n; i++) {
        const char *text[3] = {offer[i]->text, offer[i]->note, offer[i]->meaning};
        const int column[3] = {0, word + 2, word + 2 + (note > 0 ? note + 2 : 0)};
        for (int k = 0, at = 0, used; !code && k < 3; k++, at += used) {
            int blanks = column[k] > at + 1 || k == 0 ? column[k] - at : 2;
            code = put_text(out, blanks, text[k], width - at - blanks, &used);
            used += used > 0 ? blanks : 0;
        }
        if (!code)
            code = wlab_buf_put(out, "\n", 1);
    }
    return code;
}

char *wlab_offer_typed(const wlab_offer *offer, char open, bool quoted)
{
    const char *text = offer->text;
    size_t n = 0;
    char *out;

    if (open == '\'' && strchr(text, '\''))
        return NULL;
    out = wlab_alloc(2 * strlen(text) + 3, 1);
    if (!out)
        return NULL;
    if (!open && quoted)
        out[n++] = '"';
    for (; *text; text++) {
        if ((open == '"' || (!open && quoted)) && (*text == '"' || *text == '\\'))
            out[n++] = '\\';
        out[n++] = *text;
    }
    if (!open && quoted && !(offer->flags & WL_OFFER_OPEN))
        out[n++] = '"';
    out[n] = '\0';
    return out;
}
