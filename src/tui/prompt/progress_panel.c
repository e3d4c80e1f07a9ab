/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The progress panel of a long command on a plain terminal.  If the terminal was made narrower, its lines have
 * wrapped: the cursor must then go up by more rows.
 */
#include "tui/prompt/progress_panel.h"
#include "tui/loop.h"
#include "tui/wrap.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* If no frame was drawn for more seconds than this, the program was stopped, and others have written over the panel. */
static const double AWAY = 3;

bool wlab_panel_possible(void)
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

/* Move the cursor to the panel's first line. */
static void go_up(const wlab_panel_lines *b, int cols, wlab_buf *out)
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
    for (size_t at = 0; at < out->len;) { /* in one piece, so that no half-drawn panel is visible */
        ssize_t n = write(STDOUT_FILENO, out->data + at, out->len - at);
        if (n <= 0)
            break;
        at += (size_t)n;
    }
    wlab_buf_clear(out);
}

void wlab_panel_draw(wlab_panel_lines *b, const wlab_progress_panel *panel)
{
    wlab_buf text = {0}, out = {0};
    int rows, cols, before = b->lines;
    char *clean = NULL;

    size_of_terminal(&rows, &cols);
    if (wlab_seconds_now() - b->drawn_at > AWAY)
        b->lines = 0;
    b->drawn_at = wlab_seconds_now();
    /* leave a row for the prompt, one so that the first line does not scroll away, and a column against wrapping */
    panel->draw(panel->self, rows - 2 < PANEL_LINES ? rows - 2 : PANEL_LINES, cols - 1, &text);
    if (text.data && !wlab_buf_put(&text, "", 1))
        clean = wlab_printable((const char *)text.data);
    wlab_buf_clear(&text);
    if (!clean)
        return;
    go_up(b, cols, &out);
    b->lines = 0;
    for (const char *line = clean; *line && b->lines < PANEL_LINES;) {
        size_t len = strcspn(line, "\n");
        b->width[b->lines++] = wlab_locale_columns(line, len);
        (void)wlab_buf_put(&out, line, len);
        (void)wlab_buf_printf(&out, "\033[K\n");
        line += len + (line[len] == '\n');
    }
    if (before > 0)
        (void)wlab_buf_printf(&out, "\033[J"); /* erase what was longer, or wrapped */
    send(&out);
    wlab_free(clean);
}

void wlab_panel_below(wlab_panel_lines *b, const char *prompt, const char *line)
{
    if (b->lines > 0 && b->lines < PANEL_ABOVE)
        b->width[b->lines++] =
            wlab_locale_columns(prompt, strlen(prompt)) + wlab_locale_columns(line, strlen(line));
}

void wlab_panel_erase(wlab_panel_lines *b)
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
