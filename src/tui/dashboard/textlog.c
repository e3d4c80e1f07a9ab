/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Scrolling text: a ring of lines, wrapped for the width of each drawing.
 */
#include "tui/dashboard/textlog.h"
#include <string.h>

typedef struct line {
    char *text;
    wlab_style style;
} line;

struct wlab_textlog {
    line *ring; /* [most] */
    int most, n, oldest;
    int64_t dropped; /* lines that left the ring: line i of the ring is number dropped + i of all */
    bool open;       /* the next text continues the newest line */
    bool follow;     /* the newest line is at the bottom; else `top` and `part` say what is on top */
    int64_t top;     /* the line on top, counted from the first of all */
    int part;        /* the part of that line that is on top */
    int pending;     /* screen lines to scroll, once the width is known */
};

wlab_code wlab_textlog_create(wlab_textlog **out, int most, wlab_err *err)
{
    *out = NULL;
    if (most < 1)
        return wlab_fail(err, WL_EARG, "a log keeps at least one line");
    wlab_textlog *t = wlab_calloc(1, sizeof *t);
    if (t && !(t->ring = wlab_calloc((size_t)most, sizeof *t->ring)))
        t = wlab_free(t);
    if (!t)
        return wlab_nomem(err);
    t->most = most;
    t->follow = true;
    *out = t;
    return WL_OK;
}

void wlab_textlog_destroy(wlab_textlog *t)
{
    if (!t)
        return;
    wlab_textlog_empty(t);
    wlab_free(t->ring);
    wlab_free(t);
}

static const line *line_at(const wlab_textlog *t, int i)
{
    return &t->ring[(t->oldest + i) % t->most];
}

static void drop(wlab_textlog *t)
{
    t->ring[t->oldest].text = wlab_free(t->ring[t->oldest].text);
    t->oldest = (t->oldest + 1) % t->most;
    t->n--;
    t->dropped++;
}

void wlab_textlog_empty(wlab_textlog *t)
{
    while (t->n > 0)
        drop(t);
    wlab_textlog_end(t);
}

void wlab_textlog_add(wlab_textlog *t, wlab_style style, const char *text)
{
    t->open = false;
    while (*text) {
        size_t len = strcspn(text, "\n");
        char *copy = wlab_strndup(text, len);
        if (copy) {
            if (t->n == t->most)
                drop(t);
            t->ring[(t->oldest + t->n++) % t->most] = (line){copy, style};
        }
        text += len + (text[len] == '\n');
    }
}

void wlab_textlog_stream(wlab_textlog *t, wlab_style style, const char *text)
{
    const size_t all = strlen(text);
    const bool ends = all > 0 && text[all - 1] == '\n';

    if (all == 0)
        return;
    if (t->open && t->n > 0) {
        line *last = &t->ring[(t->oldest + t->n - 1) % t->most];
        const size_t len = strcspn(text, "\n");
        char *whole = wlab_format("%s%.*s", last->text, (int)len, text);
        if (whole) {
            wlab_free(last->text);
            last->text = whole;
        }
        text += len + (text[len] == '\n');
    }
    wlab_textlog_add(t, style, text);
    t->open = !ends;
}

int wlab_textlog_lines(const wlab_textlog *t)
{
    return t->n;
}

const char *wlab_textlog_line(const wlab_textlog *t, int i)
{
    return i >= 0 && i < t->n ? line_at(t, i)->text : NULL;
}

void wlab_textlog_end(wlab_textlog *t)
{
    t->follow = true;
    t->pending = 0;
}

void wlab_textlog_begin(wlab_textlog *t)
{
    t->follow = false;
    t->top = t->part = t->pending = 0;
}

void wlab_textlog_scroll(wlab_textlog *t, int lines)
{
    if (t->pending > -1000000 && t->pending < 1000000)
        t->pending += lines;
}

/* ---- wrapping ---- */

/* The columns before the first word: the later parts of a line are indented to it. */
static int indent_of(const char *text, int width)
{
    int n = (int)strspn(text, " *");
    return n < width / 2 ? n : 0;
}

/* The bytes of `text` that fit on a line of `width` columns: up to the last blank that fits, or a full line of a
 * longer word.  *next: where the rest begins. */
static size_t fit_part(const char *text, int width, size_t *next)
{
    size_t i = 0, best = 0, indent = strspn(text, " ");
    int columns = 0;

    while (text[i]) {
        wchar_t ch;
        size_t k = wlab_utf8_next(text + i, &ch);
        int w = wlab_utf8_put(&ch);
        if (columns + w > width)
            break;
        if (text[i] == ' ' && i >= indent)
            best = i;
        columns += w;
        i += k;
    }
    if (text[i] && text[i] != ' ' && best > 0)
        i = best;
    if (i == 0 && text[0]) { /* a wide character, but only one column */
        wchar_t ch;
        i = wlab_utf8_next(text, &ch);
    }
    *next = i + strspn(text + i, " ");
    return i;
}

/* Count the parts of a line; store the one of index `part`, if it exists, in text, len and col. */
static int count_parts(const char *text, int width, int part, const char **at_text, size_t *len, int *col)
{
    int hang = indent_of(text, width), n = 0;
    do {
        size_t next, k = fit_part(text, n ? width - hang : width, &next);
        if (n == part) {
            *at_text = text;
            *len = k;
            *col = n ? hang : 0;
        }
        text += next;
        n++;
    } while (*text);
    return n;
}

static int count_rows(const wlab_textlog *t, int i, int width)
{
    return count_parts(line_at(t, i)->text, width, -1, NULL, NULL, NULL);
}

/* ---- drawing ---- */

/* Find the screen line `back` parts before the end: part *p of line *i; the first line if there are fewer. */
static void from_end(const wlab_textlog *t, int width, int64_t back, int *i, int *p)
{
    for (*i = t->n - 1; *i >= 0; --*i) {
        int k = count_rows(t, *i, width);
        if (back <= k) {
            *p = (int)(k - back);
            return;
        }
        back -= k;
    }
    *i = *p = 0;
}

static int64_t to_end(const wlab_textlog *t, int width, int i, int p)
{
    int64_t n = -p;
    for (; i < t->n; i++)
        n += count_rows(t, i, width);
    return n;
}

int64_t wlab_textlog_rows(const wlab_textlog *t, int cols)
{
    return cols > 0 ? to_end(t, cols, 0, 0) : 0;
}

void wlab_textlog_draw(wlab_textlog *t, wlab_canvas *c, const wlab_rect *r)
{
    int width = r->cols, rows = r->rows, i = 0, p = 0;
    if (width < 1 || rows < 1 || t->n == 0)
        return;
    int64_t all = -1, below;

    if (t->pending || !t->follow) {
        if (t->follow) {
            below = rows;
        } else {
            if (t->top < t->dropped) {
                t->top = t->dropped;
                t->part = 0;
            }
            i = (int)(t->top - t->dropped);
            if (i >= t->n) {
                i = t->n - 1;
                t->part = 0;
            }
            int k = count_rows(t, i, width);
            below = to_end(t, width, i, t->part < k ? t->part : k - 1);
        }
        all = to_end(t, width, 0, 0);
        below = below < all ? below : all; /* screen lines from the top one on */
        int64_t least = rows < all ? rows : all;
        int64_t target = below - t->pending;
        if (t->pending) {
            target = target < least ? least : target > all ? all : target;
            t->follow = all > rows ? target == least : t->follow;
            below = target;
        }
        t->pending = 0;
        from_end(t, width, below, &i, &p);
        t->top = t->dropped + i;
        t->part = p;
    } else {
        from_end(t, width, rows, &i, &p);
        below = to_end(t, width, i, p);
    }
    int row = t->follow && below < rows ? rows - (int)below : 0;
    bool more = below > rows;
    for (; i < t->n && row < rows - more; i++, p = 0) {
        const line *l = line_at(t, i);
        int k = count_rows(t, i, width);
        for (; p < k && row < rows - more; p++, row++) {
            const char *text = NULL;
            size_t len = 0;
            int col = 0;
            count_parts(l->text, width, p, &text, &len, &col);
            wlab_canvas_text(c, r, row, col, l->style, "%.*s", (int)len, text);
        }
    }
    if (more)
        wlab_canvas_text(c, r, rows - 1, 0, WL_S_NOTE, "-- %lld more: PgDn --",
                         (long long)(below - rows + 1));
}
