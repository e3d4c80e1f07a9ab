/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The keys besides those of line editing: their table and their bindings.
 */
#include "tui/prompt/keys.h"
#include <stdio.h>
#include <string.h>

#include <readline/readline.h>
#include <term.h>
#undef lines /* term.h's */
#undef columns

const wlab_key wlab_keys[] = {
    {.name = "F1",
     .twin = '1',
     .letter = 'h',
     .act = WL_ACT_HELP,
     .label = "help",
     .meaning = "these keys; again, or after C-x o: the pane in focus",
     .always = true},
    {.name = "F2",
     .twin = '2',
     .act = WL_ACT_TYPE,
     .types = "dashboard",
     .meaning = "turn the dashboard on or off"},
    {.name = "F3",
     .twin = '3',
     .letter = 'z',
     .act = WL_ACT_ZOOM,
     .label = "zoom",
     .meaning = "enlarge the pane in focus, or restore all"},
    {.name = "F4",
     .twin = '4',
     .letter = 'v',
     .act = WL_ACT_COLUMN,
     .label = "more panes",
     .meaning = "show the next panes, if not all fit",
     .always = true},
    {.name = "F5",
     .twin = '5',
     .letter = 's',
     .act = WL_ACT_BEGIN,
     .types = "step",
     .label = "step",
     .meaning = "one step"},
    {.name = "F6",
     .twin = '6',
     .letter = 'c',
     .act = WL_ACT_GO,
     .types = "continue",
     .label = "go/pause",
     .meaning = "run to convergence; while it runs: stop"},
    {.name = "F7",
     .twin = '7',
     .letter = 'b',
     .act = WL_ACT_TYPE,
     .types = "back",
     .label = "back",
     .meaning = "one step back, exactly"},
    {.name = "F8",
     .twin = '8',
     .letter = 'i',
     .act = WL_ACT_TYPE,
     .types = "stepi",
     .label = "stepi",
     .meaning = "one inner unit"},
    {.name = "F9",
     .twin = '9',
     .letter = 'x',
     .act = WL_ACT_TYPE,
     .types = "compare",
     .label = "compare",
     .meaning = "this run beside the previous one"},
    {.name = "F10",
     .twin = '0',
     .letter = 'e',
     .act = WL_ACT_TYPE,
     .types = "explain",
     .label = "explain",
     .meaning = "what the last step did, in words"},
    {.name = "PgUp", .twin = 'p', .act = WL_ACT_UP, .meaning = "scroll the log or the answer back"},
    {.name = "PgDn", .twin = 'n', .act = WL_ACT_DOWN, .meaning = "scroll it forward"},
    {.twin = 'o', .act = WL_ACT_FOCUS, .meaning = "move the focus to the next pane"},
    {.twin = 'k', .act = WL_ACT_HIDE, .meaning = "hide the pane in focus"},
    {.twin = 'a', .act = WL_ACT_ALL, .meaning = "show all panes again"},
    {.twin = 'm',
     .letter = 'm',
     .act = WL_ACT_MARKS,
     .meaning = "show the next labels: prediction, labeling, truth (types set marks=)"},
    {.twin = 'r', .act = WL_ACT_READ, .meaning = "read the last answer in place of the panes"},
    {.twin = 'q', .act = WL_ACT_CLOSE, .meaning = "close the answer"},
    {.twin = 's', .letter = 'q', .act = WL_ACT_SINGLE, .meaning = "single-key mode on; q ends it"},
    {.twin = 'l', .act = WL_ACT_REDRAW, .meaning = "redraw the screen"},
    {.meaning = NULL},
};

static void (*on_key)(void *, const wlab_key *);
static void *on_key_self;
static bool single;

static int twin(int count, int c)
{
    (void)count;
    for (const wlab_key *k = wlab_keys; k->meaning; k++)
        if (k->twin == c && on_key)
            on_key(on_key_self, k);
    return 0;
}

/* In single-key mode a letter on an empty line acts or does nothing; once a line has begun (by Up, for example),
 * letters are typed as usual. */
static int letter(int count, int c)
{
    if (rl_end > 0)
        return rl_insert(count, c);
    for (const wlab_key *k = wlab_keys; k->meaning; k++)
        if (k->letter == c && on_key)
            on_key(on_key_self, k);
    return 0;
}

static int redraw(int count, int c)
{
    for (const wlab_key *k = wlab_keys; k->meaning; k++)
        if (k->act == WL_ACT_REDRAW && on_key)
            on_key(on_key_self, k);
    (void)count;
    (void)c;
    return 0;
}

/* The sequences of a key: first that of the terminal's description, then the usual ones: TERM is often wrong. */
static void find_sequences(const char *name, const char *seq[6])
{
    static const char *const usual[][4] = {
        {"F1", "\033OP", "\033[11~", "\033[[A"}, {"F2", "\033OQ", "\033[12~", "\033[[B"},
        {"F3", "\033OR", "\033[13~", "\033[[C"}, {"F4", "\033OS", "\033[14~", "\033[[D"},
        {"F5", "\033[15~", "\033[[E", NULL},     {"F6", "\033[17~", NULL, NULL},
        {"F7", "\033[18~", NULL, NULL},          {"F8", "\033[19~", NULL, NULL},
        {"F9", "\033[20~", NULL, NULL},          {"F10", "\033[21~", NULL, NULL},
        {"PgUp", "\033[5~", NULL, NULL},         {"PgDn", "\033[6~", NULL, NULL}};
    char cap[8];
    int n = 0;

    if (name[0] == 'F')
        snprintf(cap, sizeof cap, "kf%s", name + 1);
    else
        snprintf(cap, sizeof cap, "%s", strcmp(name, "PgUp") == 0 ? "kpp" : "knp");
    const char *own = cur_term ? tigetstr(cap) : NULL;
    if (own && own != (const char *)-1 && own[0] == '\033')
        seq[n++] = own;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        for (int j = 1; j < 4 && strcmp(usual[i][0], name) == 0; j++)
            if (usual[i][j])
                seq[n++] = usual[i][j];
    seq[n] = NULL;
}

void wlab_keys_bind(void (*act)(void *, const wlab_key *), void *self)
{
    Keymap maps[] = {rl_get_keymap_by_name("emacs-standard"), rl_get_keymap_by_name("vi-insert")};

    on_key = act;
    on_key_self = self;
    for (size_t m = 0; m < sizeof maps / sizeof *maps; m++)
        for (const wlab_key *k = wlab_keys; k->meaning; k++) {
            char prefixed[] = {24 /* C-x */, k->twin, '\0'};
            char macro[] = {'\\', 'C', '-', 'x', k->twin, '\0'};
            const char *seq[6];
            (void)rl_bind_keyseq_in_map(prefixed, twin, maps[m]);
            if (k->name)
                find_sequences(k->name, seq);
            for (int i = 0; k->name && seq[i]; i++) {
                char quoted[32];
                size_t n = 0;
                for (const char *p = seq[i]; *p && n + 3 < sizeof quoted; p++) {
                    if (*p == '\033')
                        quoted[n++] = '\\', quoted[n++] = 'e';
                    else
                        quoted[n++] = *p;
                }
                quoted[n] = '\0';
                (void)rl_macro_bind(quoted, macro, maps[m]);
            }
        }
    for (size_t m = 0; m < sizeof maps / sizeof *maps; m++) {
        (void)rl_bind_key_in_map(12 /* C-l */, redraw, maps[m]);
        (void)rl_bind_keyseq_in_map("\033[", rl_skip_csi_sequence,
                                    maps[m]); /* keys without a meaning insert nothing */
    }
}

void wlab_keys_single(bool on)
{
    Keymap maps[] = {rl_get_keymap_by_name("emacs-standard"), rl_get_keymap_by_name("vi-insert")};

    single = on;
    for (size_t m = 0; m < sizeof maps / sizeof *maps; m++)
        for (int c = ' '; c < 0x7f; c++)
            (void)rl_bind_key_in_map(c, on ? letter : rl_insert, maps[m]);
}

const wlab_key *wlab_keys_find(const char *bytes)
{
    for (const wlab_key *k = wlab_keys; k->meaning; k++) {
        const char *seq[6] = {NULL};
        if (bytes[0] == 24 && bytes[1] == k->twin)
            return k;
        if (k->name)
            find_sequences(k->name, seq);
        for (int i = 0; seq[i]; i++)
            if (strcmp(seq[i], bytes) == 0)
                return k;
    }
    return NULL;
}

bool wlab_keys_are_single(void)
{
    return single;
}

wlab_code wlab_keys_help(wlab_buf *b)
{
    wlab_code code = WL_OK;

    for (const wlab_key *k = wlab_keys; k->meaning && !code; k++) {
        char types[64] = "", single_key[24] = "";
        if (k->types)
            snprintf(types, sizeof types, " (types %s)", k->types);
        if (k->letter)
            snprintf(single_key, sizeof single_key, "%c", k->letter);
        code = wlab_buf_printf(b, "  %-5s C-x %c  %-2s %s%s\n", k->name ? k->name : "", k->twin, single_key,
                               k->meaning, types);
    }
    return code;
}
