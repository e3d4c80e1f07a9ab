/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * readline, plain and under a full screen.
 */
#include "tui/prompt/editor.h"
#include "base/clock.h"
#include "tui/dashboard/canvas.h"
#include "tui/terminal.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <readline/readline.h>

enum {
    NARROWEST = 8, /* columns */
    REST_MS = 100
};

static wlab_editor_hooks hooks;
static bool full;   /* the full screen draws the line */
static bool asks;   /* readline has the terminal */
static bool shown;  /* plain: its line is on the screen */
static char *draft; /* for the next line asked for */
static FILE *nowhere;
static char last_prompt[200]; /* still shown between two lines, so that nothing flickers */

static char part[8], queue[8]; /* a character whose bytes come; one for readline */
static int npart, expected, next, nqueue;
static bool ended; /* end of input, for readline */
static int64_t
    escape_at;      /* when an Escape came behind which nothing was typed yet; readline does not have it */
static char took;   /* the key that the screen took last, of an empty line; 0: another came since */
static char *ahead; /* lines that a macro of the user's inputrc has typed */

/* A macro may hold several lines; readline goes on with it before it returns. */
static bool more_comes(char **line)
{
    size_t had = ahead ? strlen(ahead) : 0;
    bool more = *line && RL_ISSTATE(RL_STATE_MACROINPUT);
    char *all;

    if (!*line || (!more && !ahead) || !(all = realloc(ahead, had + strlen(*line) + 2)))
        return false;
    memcpy(all + had, *line, strlen(*line) + 1);
    strcat(all, more ? "\n" : "");
    free(*line);
    ahead = more ? all : NULL;
    *line = all;
    return more;
}

static void on_line(char *line)
{
    if (more_comes(&line))
        return;
    rl_callback_handler_remove();
    if (!full)
        wlab_terminal_mode(WL_MODE_QUIET);
    asks = shown = false;
    if (!line && !full)
        (void)!write(STDOUT_FILENO, "\n", 1);
    hooks.line(hooks.self, line);
}

static void redisplay(void)
{
    hooks.edited(hooks.self);
}

/* readline takes the terminal.  Whatever the user's inputrc says, read again with C-x C-r or not: */
static void take_terminal(int meta)
{
    const char *keypad;

    /* readline would wait for the end of a paste, and nothing else be served */
    rl_variable_bind("enable-bracketed-paste", "off");
    rl_variable_bind("isearch-terminators", "\033\n"); /* see end_search */
    keypad = rl_variable_value("enable-keypad");
    wlab_terminal_mode(WL_MODE_LINE);
    wlab_terminal_leave_with(keypad && strcmp(keypad, "on") == 0 ? rl_get_termcap("ke") : NULL);
    rl_prep_terminal(meta);
}

static void give_terminal(void)
{
    rl_deprep_terminal();
    wlab_terminal_leave_with(NULL);
}

static void prep(int meta)
{
    (void)meta;
}

static void deprep(void)
{
}

static void list_matches(char **word, int n, int longest)
{
    (void)longest;
    if (!full) {
        fputc('\n', rl_outstream);
        fflush(rl_outstream);
    }
    hooks.matches(hooks.self, word, n);
    if (!full) {
        rl_on_new_line();
        rl_forced_update_display();
    }
}

/* ---- input: readline loops for ever over bytes that are no characters, so that it gets none ---- */

/* A byte from the terminal; true: readline has something to take. */
static bool take_byte(void)
{
    unsigned char c;
    wchar_t ch;
    ssize_t n = read(STDIN_FILENO, &c, 1);

    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return false;
    if (n <= 0) {
        ended = true;
        return true;
    }
    if (npart > 0 && (c & 0xc0) == 0x80) {
        part[npart++] = (char)c;
        if (npart < expected)
            return false;
        part[npart] = '\0';
        /* a control character of UTF-8 says nothing to readline, and something to the terminal that echoes it */
        nqueue = wlab_utf8_next(part, &ch) == (size_t)expected && (ch < 0x80 || ch >= 0xa0) ? expected : 0;
        memcpy(queue, part, (size_t)nqueue);
        npart = next = 0;
        return nqueue > 0;
    }
    npart = 0;
    if (c < 0x80 || MB_CUR_MAX == 1) {
        queue[0] = (char)c;
        nqueue = 1;
        next = 0;
        return true;
    }
    if (c >= 0xc2 && c <= 0xf4) {
        part[npart++] = (char)c;
        expected = c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    }
    return false;
}

/* readline takes its keys here.  Where it reads on by itself, the rest of a character has a moment to come. */
static int next_byte(FILE *in)
{
    struct pollfd typed = {.fd = STDIN_FILENO, .events = POLLIN};

    (void)in;
    while (next >= nqueue && !ended && !take_byte())
        if (poll(&typed, 1, npart > 0 ? REST_MS : 0) == 0)
            return 0;
    if (next < nqueue)
        return (unsigned char)queue[next++];
    ended = false;
    return EOF;
}

static int nothing(int count, int c)
{
    (void)count;
    (void)c;
    return 0;
}

/* readline divides by what is left of a line of two columns. */
static bool keep_size(void)
{
    struct winsize size;

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_col >= NARROWEST)
        return false;
    rl_set_screen_size(size.ws_row > 0 ? size.ws_row : 1, NARROWEST);
    return true;
}

void wlab_editor_create(const wlab_editor_hooks *h)
{
    static const char *const maps[] = {"emacs-standard", "vi-insert", "vi-command"};
    static const char *const marks[] = {"\\e[200~", "\\e[201~"}; /* the ends of a paste */

    hooks = *h;
    rl_readline_name = "weaklab";
    rl_catch_signals = 0;
    rl_catch_sigwinch = 0;
    rl_change_environment = 0;
    rl_completion_query_items = -1; /* its question would block */
    rl_completion_display_matches_hook = list_matches;
    rl_getc_function = next_byte;
    rl_initialize(); /* before ncurses: it sets the terminal's description too */
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
            (void)rl_bind_keyseq_in_map(marks[k], nothing, rl_get_keymap_by_name(maps[i]));
    wlab_editor_face(false);
    keep_size();
}

void wlab_editor_destroy(void)
{
    wlab_editor_stop(false);
    wlab_editor_face(false);
    free(draft);
    draft = NULL;
    if (nowhere)
        fclose(nowhere);
    nowhere = NULL;
}

void wlab_editor_face(bool to_full)
{
    full = to_full;
    if (full && !nowhere)
        nowhere = fopen("/dev/null", "we");
    rl_redisplay_function = full ? redisplay : rl_redisplay;
    rl_prep_term_function = full ? prep : take_terminal;
    rl_deprep_term_function = full ? deprep : give_terminal;
    rl_outstream = full && nowhere ? nowhere : stdout; /* nothing of readline's own on a full screen */
}

void wlab_editor_ask(const char *prompt)
{
    char *before = draft;

    if (asks)
        return;
    snprintf(last_prompt, sizeof last_prompt, "%s", prompt);
    draft = NULL;
    rl_callback_handler_install(prompt, on_line);
    asks = shown = true;
    if (before && before[0]) {
        rl_insert_text(before);
        if (full)
            redisplay();
        else
            rl_redisplay();
    }
    free(before);
}

/* Of the line being edited.  By undoing: the line that was typed before one went back in the history may share the list,
 * and only undoing looks after that. */
static void forget_undo(void)
{
    while (rl_undo_list && rl_do_undo())
        ;
}

void wlab_editor_stop(bool keep)
{
    if (!asks)
        return;
    if (keep && rl_end > 0) {
        free(draft);
        draft = strdup(rl_line_buffer);
    }
    if (!full)
        rl_clear_visible_line();
    forget_undo();
    rl_replace_line("", 0);
    rl_callback_handler_remove();
    if (!full)
        wlab_terminal_mode(WL_MODE_QUIET);
    asks = shown = false;
    escape_at = 0;
}

bool wlab_editor_asks(void)
{
    return asks;
}

/* A key that begins a sequence ends a search through the history: readline, which is called key by key here, would
 * go on with the search first, and crash at the sequence's end.  Escape it has end the search by itself. */
static void end_search(void)
{
    unsigned char c = next < nqueue ? (unsigned char)queue[next] : 0;

    if (!RL_ISSTATE(RL_STATE_ISEARCH) || next >= nqueue || c == '\033' || rl_get_keymap()[c].type != ISKMAP)
        return;
    rl_callback_sigcleanup();
    (*rl_redisplay_function)();
}

static void give_key(void)
{
    end_search();
    rl_callback_read_char();
    /* next_byte's "nothing came" is kept by readline as a key to come, and it would wait for what follows an Escape for
     * ever */
    if (rl_pending_input == 0)
        rl_clear_pending_input();
}

/* An Escape alone would take the next key along, whenever that comes. */
static void give_escape(void)
{
    const bool follows = wlab_ms_now() - escape_at <= WL_ESCAPE_MS;

    escape_at = 0;
    if (!follows)
        return;
    queue[0] = WL_ESCAPE;
    nqueue = 1;
    next = 0;
    give_key();
}

/* Whether the key in the queue is not for readline, or not yet. */
static bool kept(void)
{
    struct pollfd typed = {.fd = STDIN_FILENO, .events = POLLIN};
    const bool idle =
        !RL_ISSTATE(RL_STATE_ISEARCH | RL_STATE_NSEARCH | RL_STATE_CHARSEARCH | RL_STATE_VIMOTION |
                    RL_STATE_METANEXT | RL_STATE_MOREINPUT | RL_STATE_NUMERICARG | RL_STATE_MULTIKEY);

    if (ended || !idle || nqueue != 1 || next != 0)
        return false;
    if (queue[0] == WL_ESCAPE) {
        if (poll(&typed, 1, 0) > 0)
            return false;
        const bool taken = hooks.key(hooks.self, WL_ESCAPE), emacs = rl_editing_mode == 1;
        if (emacs) /* in vi mode it is a command */
            escape_at = wlab_ms_now();
        return emacs || taken;
    }
    if (rl_end > 0)
        return false;
    if (took == 'q' && queue[0] == 'u') { /* it was meant for `quit` */
        queue[nqueue++] = queue[0];
        queue[0] = took;
        took = '\0';
        return false;
    }
    took = hooks.key(hooks.self, (unsigned char)queue[0]) ? queue[0] : '\0';
    return took != '\0';
}

void wlab_editor_read(bool held)
{
    char *lines;

    if (asks && escape_at > 0)
        give_escape();
    if (asks && (held || next < nqueue || take_byte())) {
        if (!held && kept())
            next = nqueue = 0;
        else
            do
                give_key();
            while (asks && (next < nqueue || ended));
    }
    if ((lines = ahead)) { /* the macro's last line is not at its end */
        ahead = NULL;
        wlab_editor_stop(true);
        hooks.line(hooks.self, lines);
    }
}

void wlab_editor_hide(void)
{
    if (full || !shown)
        return;
    rl_clear_visible_line();
    fflush(rl_outstream);
    shown = false;
}

void wlab_editor_show(void)
{
    if (full || !asks || shown)
        return;
    rl_on_new_line();
    rl_redisplay();
    shown = true;
}

void wlab_editor_prompt(const char *text)
{
    if (!asks)
        return;
    wlab_editor_hide();
    snprintf(last_prompt, sizeof last_prompt, "%s", text);
    rl_set_prompt(text);
    if (full)
        redisplay();
    wlab_editor_show();
}

void wlab_editor_between(const char *text)
{
    snprintf(last_prompt, sizeof last_prompt, "%s", text);
}

void wlab_editor_drop(void)
{
    char *prompt;

    if (!asks)
        return;
    prompt = strdup(rl_prompt ? rl_prompt : "");
    rl_callback_sigcleanup();
    forget_undo();
    rl_free_line_state();
    if (!full) {
        rl_cleanup_after_signal();
        (void)!write(STDOUT_FILENO, "^C\n", 3);
    }
    rl_replace_line("", 0);
    rl_callback_handler_remove();
    asks = shown = false;
    wlab_editor_ask(prompt ? prompt : "> ");
    free(prompt);
}

bool wlab_editor_empty(void)
{
    return !asks || rl_end == 0;
}

void wlab_editor_resized(void)
{
    if (asks && !full && !keep_size())
        rl_resize_terminal();
}

void wlab_editor_type(const char *text)
{
    if (!asks)
        return;
    free(draft);
    draft = rl_end > 0 ? strdup(rl_line_buffer) : NULL;
    forget_undo();
    rl_replace_line(text, 0);
    rl_point = rl_end;
    (*rl_redisplay_function)();
    if (full)
        rl_done = 1;
    else
        (void)rl_newline(1, '\n'); /* what is answered begins on a line of its own */
}

void wlab_editor_view(const char **prompt, const char **line, size_t *point)
{
    *prompt = asks && rl_display_prompt ? rl_display_prompt : last_prompt;
    *line = asks ? rl_line_buffer : draft ? draft : "";
    *point = asks ? (size_t)rl_point : strlen(*line);
}

static void no_stop(void)
{
}

void wlab_editor_continue(void)
{
    if (asks && !full)
        wlab_editor_suspend(no_stop);
    else
        wlab_terminal_mode(wlab_terminal_mode_now());
}

void wlab_editor_suspend(void (*stop)(void))
{
    bool was = asks && !full;

    if (was)
        give_terminal();
    stop();
    if (was) {
        take_terminal(1);
        shown = false;
        wlab_editor_show();
    }
}
