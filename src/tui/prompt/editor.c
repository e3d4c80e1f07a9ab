/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The line editor: readline on a plain terminal and under a full screen.
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
static bool asks;   /* a line is requested: readline reads the terminal */
static bool shown;  /* plain terminal: readline's line is on the screen */
static char *draft; /* initial text of the next requested line */
static FILE *nowhere;
static char last_prompt[200]; /* still shown between two lines, so that nothing flickers */

/* part: the first bytes of a character, of which some are missing; queue: a whole one for readline */
static char part[8], queue[8];
static int npart, expected, next, nqueue;
static bool ended;        /* end of input, for readline */
static int64_t escape_at; /* when an Escape came, if nothing followed yet; readline has not got it */
static char taken_key;    /* the last key, if the line was empty and the hook used the key; else 0 */
static char *ahead;       /* lines that a macro of the user's inputrc has typed */

/* A macro may hold several lines; readline types all of them before it returns. */
static bool macro_continues(char **line)
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
    if (macro_continues(&line))
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

/* Called by readline to take the terminal.  Overrides the user's inputrc, even if it was read again with C-x C-r. */
static void take_terminal(int meta)
{
    const char *keypad;

    /* else readline would wait for the end of a paste, and no other source would be served */
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

/* ---- input: readline loops for ever on malformed bytes, so it gets only whole characters ---- */

/* Read a byte from the terminal; true: there is a character for readline, or the end of input. */
static bool read_byte(void)
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
        /* drop C1 controls: they mean nothing to readline, but act on the terminal that echoes them */
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

/* readline's getc.  If readline calls it again by itself, the rest of a character gets a moment to arrive. */
static int next_byte(FILE *in)
{
    struct pollfd typed = {.fd = STDIN_FILENO, .events = POLLIN};

    (void)in;
    while (next >= nqueue && !ended && !read_byte())
        if (poll(&typed, 1, npart > 0 ? REST_MS : 0) == 0)
            return 0;
    if (next < nqueue)
        return (unsigned char)queue[next++];
    ended = false;
    return EOF;
}

static int ignore_key(int count, int c)
{
    (void)count;
    (void)c;
    return 0;
}

/* readline divides by the width that the prompt leaves: in a terminal narrower than this it would divide by zero. */
static bool enforce_width(void)
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
    static const char *const marks[] = {"\\e[200~", "\\e[201~"}; /* the marks around a paste */

    hooks = *h;
    rl_readline_name = "weaklab";
    rl_catch_signals = 0;
    rl_catch_sigwinch = 0;
    rl_change_environment = 0;
    rl_completion_query_items = -1; /* readline's question would block */
    rl_completion_display_matches_hook = list_matches;
    rl_getc_function = next_byte;
    rl_initialize(); /* before ncurses: readline sets the terminal's description too */
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
            (void)rl_bind_keyseq_in_map(marks[k], ignore_key, rl_get_keymap_by_name(maps[i]));
    wlab_editor_face(false);
    enforce_width();
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
    rl_outstream = full && nowhere ? nowhere : stdout; /* readline itself writes nothing on a full screen */
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

/* Forget the undo list of the line being edited.  It may be shared with the line typed before the user went back in
 * the history; only undoing handles that. */
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

/* A key that begins a sequence ends a search through the history.  Called key by key, as here, readline would
 * continue the search first and crash at the end of the sequence.  At Escape it ends the search by itself. */
static void end_search(void)
{
    unsigned char c = next < nqueue ? (unsigned char)queue[next] : 0;

    if (!RL_ISSTATE(RL_STATE_ISEARCH) || next >= nqueue || c == '\033' || rl_get_keymap()[c].type != ISKMAP)
        return;
    rl_callback_sigcleanup();
    (*rl_redisplay_function)();
}

static void pass_key(void)
{
    end_search();
    rl_callback_read_char();
    /* readline keeps next_byte's 0 ("no byte") as a pending key, and would then wait for ever for the rest of an
     * Escape sequence */
    if (rl_pending_input == 0)
        rl_clear_pending_input();
}

/* Pass the Escape only if a key followed within the time: readline would join an Escape alone to the next key,
 * however late. */
static void pass_escape(void)
{
    const bool follows = wlab_ms_now() - escape_at <= WL_ESCAPE_MS;

    escape_at = 0;
    if (!follows)
        return;
    queue[0] = WL_ESCAPE;
    nqueue = 1;
    next = 0;
    pass_key();
}

/* Is the key in the queue not for readline, or not yet? */
static bool holds_key(void)
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
    if (taken_key == 'q' && queue[0] == 'u') { /* the q was the first letter of `quit` */
        queue[nqueue++] = queue[0];
        queue[0] = taken_key;
        taken_key = '\0';
        return false;
    }
    taken_key = hooks.key(hooks.self, (unsigned char)queue[0]) ? queue[0] : '\0';
    return taken_key != '\0';
}

void wlab_editor_read(bool held)
{
    char *lines;

    if (asks && escape_at > 0)
        pass_escape();
    if (asks && (held || next < nqueue || read_byte())) {
        if (!held && holds_key())
            next = nqueue = 0;
        else
            do
                pass_key();
            while (asks && (next < nqueue || ended));
    }
    if ((lines = ahead)) { /* the macro did not end its last line */
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
    if (asks && !full && !enforce_width())
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
        (void)rl_newline(1, '\n'); /* the answer begins on a new line */
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
