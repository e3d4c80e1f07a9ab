/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Completion at the prompt: passes the session's offers to readline.
 */
#include "tui/prompt/complete.h"
#include "base/text.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#include <readline/readline.h>

enum {
    WIDTH = 80, /* of a terminal that does not report its width */
    FRAME = 2   /* columns of the dashboard's frame around a list */
};

/* Readline's hooks get no user data: the session to complete from, and the offers made last. */
static const wlab_session *completing;
static wlab_offers last;
static char last_open; /* the open quote before the word, or 0 */
static bool last_quoted;

static bool needs_quotes(const wlab_offer *offer)
{
    size_t bare = strcspn(offer->text, " \t\"'\\;#=");

    if (offer->flags & WL_OFFER_PLAIN)
        return false;
    return bare == 0 || (offer->text[bare] && strcmp(offer->text + bare, "=") != 0); /* `key=` */
}

/* False for control characters: a file name may hold any bytes, and readline would write them to the terminal. */
static bool is_text(const char *word)
{
    mbstate_t state = {0};
    wchar_t ch;

    for (size_t n; *word; word += n) {
        n = mbrtowc(&ch, word, strlen(word), &state);
        if (MB_CUR_MAX == 1) /* one byte is one character, whatever the terminal's character set */
            n = 1, ch = (unsigned char)*word;
        if (n > MB_LEN_MAX || iswcntrl((wint_t)ch) || wlab_utf8_acts((uint32_t)ch))
            return false;
    }
    return true;
}

/* rl_completion_matches requests one malloc'ed word per call. */
static char *next_word(const char *text, int state)
{
    static int at;

    (void)text;
    if (state == 0)
        at = 0;
    while (at < last.n) {
        char *typed = wlab_offer_typed(&last.list[at++], last_open, last_quoted);
        char *copy = typed && is_text(typed) ? strdup(typed) : NULL;
        wlab_free(typed);
        if (copy)
            return copy;
    }
    return NULL;
}

static char **complete_word(const char *text, int begin, int end)
{
    rl_attempted_completion_over = 1;
    wlab_offers_clear(&last);
    if (!completing ||
        wlab_session_complete(completing, rl_line_buffer, (size_t)begin, (size_t)end, &last, NULL) ||
        last.n == 0)
        return NULL;
    last_open = '\0';
    if (last.quoted)
        last_open = rl_line_buffer[begin - 1];
    last_quoted = false;
    for (int i = 0; i < last.n; i++)
        last_quoted = last_quoted || needs_quotes(&last.list[i]);
    rl_sort_completion_matches = 0; /* the offers have an order of their own */
    if (last.n == 1 && (last.list[0].flags & WL_OFFER_OPEN)) {
        rl_completion_append_character = '\0';
        rl_completion_suppress_quote = 1;
    }
    return rl_completion_matches(text, next_word);
}

wlab_code wlab_complete_list(const wlab_session *s, char **word, int n, wlab_buf *out)
{
    static const wlab_offer none = {.note = (char *)"", .meaning = (char *)""};
    int rows = 0, width = 0, at = 0;
    wlab_offer *plain = wlab_calloc((size_t)n + 1, sizeof *plain);
    const wlab_offer **list = wlab_calloc((size_t)n + 1, sizeof *list);
    wlab_code code = plain && list ? WL_OK : WL_ENOMEM;

    for (int i = 0; !code && i < n; i++) {
        for (int tried = 0; s == completing && tried < last.n && !list[i]; tried++) {
            const wlab_offer *offer = &last.list[(at + tried) % last.n];
            char *typed = wlab_offer_typed(offer, last_open, last_quoted);
            if (typed && strcmp(typed, word[i + 1]) == 0) {
                list[i] = offer;
                at = (at + tried + 1) % last.n; /* both lists have the same order */
            }
            wlab_free(typed);
        }
        if (!list[i]) {
            plain[i] = none;
            plain[i].text = word[i + 1];
            list[i] = &plain[i];
        }
    }
    rl_get_screen_size(&rows, &width);
    if (!code)
        code = wlab_offers_layout(list, n, width > 20 ? width - FRAME : WIDTH, out);
    wlab_free(plain);
    wlab_free(list);
    return code;
}

void wlab_complete_install(const wlab_session *s)
{
    wlab_offers_clear(&last);
    completing = s;
    rl_attempted_completion_function = s ? complete_word : NULL;
    rl_completer_word_break_characters = " \t\n;=";
    rl_basic_word_break_characters = " \t\n;=";
    rl_completer_quote_characters = "\"'";
}
