/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The full screen.  ncurses remembers what the terminal shows and sends only the differences.  It reads no key, sets
 * only modes of the terminal that terminal.c also sets, and is never called from a signal handler.
 */
#include "tui/dashboard/screen.h"
#include "tui/dashboard/theme.h"
#include "tui/terminal.h"
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <curses.h>
#include <term.h>

static SCREEN *screen; /* made once, kept: readline uses the terminal's description too */
static bool on;

/* A terminfo string without its delays. */
static void add_string(char *to, size_t size, const char *name)
{
    const char *s = tigetstr((char *)(uintptr_t)name);
    size_t n = strlen(to);

    if (!s || s == (const char *)-1)
        return;
    while (*s && n + 1 < size) {
        if (s[0] == '$' && s[1] == '<') {
            const char *end = strchr(s, '>');
            if (end) {
                s = end + 1;
                continue;
            }
        }
        to[n++] = *s++;
    }
    to[n] = '\0';
}

static bool string_begins(const char *name, const char *with)
{
    const char *s = tigetstr((char *)(uintptr_t)name);
    return s && s != (const char *)-1 && strncmp(s, with, strlen(with)) == 0;
}

#define WHOLE "\033[r" /* the whole terminal scrolls; moves the cursor to its corner */

/* ncurses moves lines by scrolling a part of the terminal.  Afterwards it sets that part to the size that it believes
 * the terminal to have.  If the terminal is, or becomes, larger, the part must be reset to the whole. */
static bool scrolls_parts(void)
{
    return string_begins("csr", "\033[");
}

/* The string that resets the scrolling part to the whole and leaves the cursor where it was; "" if not needed. */
static const char *reset_scrolling(void)
{
    return scrolls_parts() && string_begins("sc", "\0337") && string_begins("rc", "\0338") ? "\0337" WHOLE
                                                                                             "\0338"
                                                                                           : "";
}

bool wlab_screen_has_utf8(void)
{
    const char *term = getenv("TERM");
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0 && !(term && strcmp(term, "linux") == 0);
}

static void send_string(const char *name)
{
    char text[64] = "";
    add_string(text, sizeof text, name);
    (void)!write(STDOUT_FILENO, text, strlen(text));
}

wlab_code wlab_screen_theme(const char *theme, wlab_err *err)
{
    return wlab_theme_start(theme, has_colors() ? COLORS : 0, err);
}

wlab_code wlab_screen_begin(const char *theme, wlab_err *err)
{
    const char *term = getenv("TERM");
    char restore[200] = "";

    if (on)
        return WL_OK;
    if (!term || !term[0] || (!screen && setupterm(NULL, STDOUT_FILENO, &(int){0}) == ERR))
        return wlab_fail(
            err, WL_ESTATE,
            "the dashboard needs a terminal type with a description: TERM=%.40s has none; set TERM, "
            "for example to xterm-256color",
            term ? term : "");
    if (!tigetstr("cup") || tigetstr("cup") == (char *)-1)
        return wlab_fail(
            err, WL_ESTATE,
            "the dashboard cannot place a cursor on this terminal (TERM=%.40s); use the prompt and "
            "`plot VIEW`",
            term);
    fflush(stdout);
    if (!screen) {
        if (!(screen = newterm(NULL, stdout, stdin)))
            return wlab_fail(err, WL_ESTATE, "the dashboard cannot use this terminal (TERM=%.40s)", term);
        set_term(screen);
        start_color();
        use_default_colors();
    }
    if (wlab_screen_theme(theme, err))
        return err ? err->code : WL_EARG;
    add_string(restore, sizeof restore, "sgr0");
    add_string(restore, sizeof restore, "cnorm");
    add_string(restore, sizeof restore, "rmkx");
    add_string(restore, sizeof restore, "rmcup");
    if (strlen(restore) + strlen(reset_scrolling()) < sizeof restore)
        strcat(restore, reset_scrolling());
    wlab_terminal_mode(WL_MODE_SCREEN);
    wlab_terminal_leave_with(restore);
    (void)wlab_terminal_catch_errors();
    def_prog_mode();
    leaveok(stdscr, FALSE);
    clearok(curscr, TRUE);
    refresh();
    send_string("smkx"); /* function keys send what the terminal's description says */
    on = true;
    return WL_OK;
}

static void leave(void)
{
    curs_set(1);
    endwin();
    send_string("rmkx");
    (void)!write(STDOUT_FILENO, reset_scrolling(), strlen(reset_scrolling()));
}

void wlab_screen_end(void)
{
    if (!on)
        return;
    int rows, cols;
    wlab_screen_size(&rows, &cols);
    on = false;
    leave();
    wlab_terminal_leave_with(NULL);
    wlab_terminal_release_errors();
}

void wlab_screen_size(int *rows, int *cols)
{
    struct winsize size;

    *rows = LINES;
    *cols = COLS;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0) {
        *rows = size.ws_row;
        *cols = size.ws_col;
    }
    if (*rows != LINES || *cols != COLS) {
        resizeterm(*rows, *cols);
        if (scrolls_parts())
            (void)!write(STDOUT_FILENO, WHOLE, strlen(WHOLE));
        clearok(curscr, TRUE);
    }
}

void wlab_screen_continue(void)
{
    wlab_terminal_mode(WL_MODE_SCREEN);
    reset_prog_mode();
    clearok(curscr, TRUE);
    refresh();
    send_string("smkx");
}

void wlab_screen_bell(void)
{
    beep();
}

void wlab_screen_suspend(void)
{
    bool was = on;

    if (was)
        leave();
    wlab_terminal_suspend();
    if (was)
        wlab_screen_continue();
}

void wlab_screen_again(void)
{
    clearok(curscr, TRUE);
}

void wlab_screen_put(const wlab_canvas *c, int row, int col)
{
    int rows, cols;

    getmaxyx(stdscr, rows, cols);
    for (int r = 0; r < rows && r < c->rows; r++)
        for (int k = 0; k < cols && k < c->cols; k++) {
            const wlab_glyph *g = &c->cell[(ptrdiff_t)r * c->cols + k];
            wchar_t text[2] = {g->ch ? g->ch : L' ', 0};
            short pair = 0;
            attr_t attr = (attr_t)wlab_theme_attr((wlab_style)g->style, (wlab_ground)g->ground, &pair);
            cchar_t cell;

            if (g->ch == 0 && k > 0)
                continue; /* the right half of the wide character before it */
            if (setcchar(&cell, text, attr, pair, NULL) == OK)
                (void)mvwadd_wch(stdscr, r, k,
                                 &cell); /* ERR in the last corner, but the character is written */
        }
    if (row >= 0 && row < rows && col >= 0 && col < cols) {
        move(row, col);
        curs_set(1);
    } else {
        curs_set(0);
    }
    wnoutrefresh(stdscr);
    doupdate();
}
