/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A long command's board on a plain terminal.  A terminal that was made narrower has wrapped its lines: so many more
 * rows it takes to go back over them.
 */
#include "tui/prompt/board.h"
#include "tui/loop.h"
#include "tui/wrap.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

/* Seconds without a frame: the program was stopped, and others have written where the board was. */
static const double AWAY = 3;

bool wlab_board_possible(void)
{
    const char *term = getenv("TERM");

    return isatty(STDOUT_FILENO) && term && term[0] && strcmp(term, "dumb") != 0;
}

static void size_of_terminal(int *rows, int *cols)
{
    struct winsize size;
    bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0;

    *rows = known ? size.ws_row : 24;
    *cols = known ? size.ws_col : 80;
}

static int columns(const char *text, size_t len)
{
    mbstate_t state = {0};
    int sum = 0;

    while (len > 0) {
        wchar_t c;
        size_t n = mbrtowc(&c, text, len, &state);
        int w;
        if (n == 0 || n > len) {
            memset(&state, 0, sizeof state);
            n = 1;
            c = L'?';
        }
        w = wcwidth(c);
        sum += w < 0 ? 1 : w;
        text += n;
        len -= n;
    }
    return sum;
}

/* To the first of its lines. */
static void go_up(const wlab_board_lines *b, int cols, wlab_buf *out)
{
    int rows = 0;

    for (int i = 0; i < b->lines; i++)
        rows += b->width[i] > cols ? (b->width[i] + cols - 1) / cols : 1;
    (void)wlab_buf_put(out, "\r", 1);
    if (rows > 0)
        (void)wlab_buf_printf(out, "\033[%dA", rows);
}

static void send(wlab_buf *out)
{
    fflush(stdout);
    for (size_t at = 0; at < out->len;) { /* in one piece: no half board is ever seen */
        ssize_t n = write(STDOUT_FILENO, out->data + at, out->len - at);
        if (n <= 0)
            break;
        at += (size_t)n;
    }
    wlab_buf_clear(out);
}

void wlab_board_draw(wlab_board_lines *b, const wlab_board *board)
{
    wlab_buf text = {0}, out = {0};
    int rows, cols, before = b->lines;
    char *clean = NULL;

    size_of_terminal(&rows, &cols);
    if (wlab_seconds_now() - b->drawn_at > AWAY)
        b->lines = 0;
    b->drawn_at = wlab_seconds_now();
    /* a row for the prompt, and one more so that the first line stays; a column so that nothing wraps */
    board->draw(board->self, rows - 2 < BOARD_LINES ? rows - 2 : BOARD_LINES, cols - 1, &text);
    if (text.data && !wlab_buf_put(&text, "", 1))
        clean = wlab_printable((const char *)text.data);
    wlab_buf_clear(&text);
    if (!clean)
        return;
    go_up(b, cols, &out);
    b->lines = 0;
    for (const char *line = clean; *line && b->lines < BOARD_LINES;) {
        size_t len = strcspn(line, "\n");
        b->width[b->lines++] = columns(line, len);
        (void)wlab_buf_put(&out, line, len);
        (void)wlab_buf_printf(&out, "\033[K\n");
        line += len + (line[len] == '\n');
    }
    if (before > 0)
        (void)wlab_buf_printf(&out, "\033[J"); /* what was longer, or wrapped */
    send(&out);
    wlab_free(clean);
}

void wlab_board_below(wlab_board_lines *b, const char *prompt, const char *line)
{
    if (b->lines > 0 && b->lines < BOARD_ABOVE)
        b->width[b->lines++] = columns(prompt, strlen(prompt)) + columns(line, strlen(line));
}

void wlab_board_erase(wlab_board_lines *b)
{
    wlab_buf out = {0};
    int rows, cols;

    if (b->lines == 0)
        return;
    size_of_terminal(&rows, &cols);
    go_up(b, cols, &out);
    (void)wlab_buf_printf(&out, "\033[J");
    b->lines = 0;
    send(&out);
}
