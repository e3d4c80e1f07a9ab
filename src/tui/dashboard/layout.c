/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The layout: which panes a screen of some size shows, and where.
 *
 * Panes are stacked in columns.  The left column has the picture (boundary; labels below it); with three or more
 * columns the right one has the numbers (run, weights); the other panes share the columns between.  Panes that do not
 * fit go to further pages: a key turns to the next.
 *
 * Captions, log and prompt are below the panes.  Their lines have at most about 100 columns, so on a wide screen the
 * columns of panes that begin farther to the right reach down to the prompt.
 */
#include "tui/panes/pane.h"
#include <stdio.h>
#include <string.h>

enum {
    MOST_COLUMNS = 4,
    LEAST_ROWS = 8, /* of a screen that shows panes */
    LEAST_COLS = 40,
    WIDE = 160,      /* columns of a screen of which the log needs a part only */
    LOG_COLS = 100,  /* what it needs */
    CAPTION_ROWS = 3 /* a stop of a lesson has at most three lines of `say` */
};

typedef struct stack {
    int pane[WL_PANES];
    int n;
} stack;

static void push(stack *s, int pane)
{
    s->pane[s->n++] = pane;
}

/* How many panes fit above each other in so many rows. */
static int panes_per_column(int rows)
{
    return rows < 13 ? 1 : rows < 31 ? 2 : rows < 44 ? 3 : 4;
}

static int column_count(int cols)
{
    return cols < 70 ? 1 : cols < 100 ? 2 : cols < 150 ? 3 : 4;
}

/* A pane's weight in dividing the height of its column. */
static int weight(int pane)
{
    return wlab_panes[pane]->weight ? wlab_panes[pane]->weight : 10;
}

/* The picture for the top of the left column: the first that fits; -1: none does. */
static int main_picture(const bool *shown)
{
    int best = -1;

    for (int p = 0; p < WL_PANES; p++)
        if (shown[p] && wlab_panes[p]->main && (best < 0 || wlab_panes[p]->main < wlab_panes[best]->main))
            best = p;
    return best;
}

static void place_stack(wlab_layout *l, const stack *s, wlab_rect r)
{
    int sum = 0, row = r.row, left = r.rows + s->n - 1; /* two neighbours share a line: it counts twice */

    for (int i = 0; i < s->n; i++)
        sum += weight(s->pane[i]);
    for (int i = 0; i < s->n; i++) {
        int w = weight(s->pane[i]), h = i == s->n - 1 ? left : (left * w + sum / 2) / sum;
        l->place[l->places++] = (wlab_slot_place){s->pane[i], {row, r.col, h, r.cols}};
        row += h - 1;
        left -= h;
        sum -= w;
    }
}

/* Distribute the panes of `pool` over `slots` columns of up to `most` panes, beginning with page `column`.  Returns the
 * number of columns used. */
static int place_pool(wlab_layout *l, const stack *pool, int slots, int most, int column, stack *out)
{
    int pages, each;

    if (pool->n <= slots * most) { /* all fit: distribute them evenly */
        int used = pool->n < slots ? pool->n : slots;
        if (!used)
            return 0;
        while (used > 1 && pool->n < 2 * used && pool->n <= (used - 1) * most)
            used--; /* prefer two small panes above each other to two narrow columns */
        for (int i = 0, k = 0; i < used; i++) {
            int n = (pool->n - k + used - i - 1) / (used - i);
            for (out[i].n = 0; n > 0; n--)
                push(&out[i], pool->pane[k++]);
        }
        return used;
    }
    each = most;
    pages = (pool->n + each - 1) / each;
    column = (column % pages + pages) % pages;
    for (int i = 0; i < slots; i++) {
        int page = (column + i) % pages;
        out[i].n = 0;
        for (int k = page * each; k < pool->n && k < (page + 1) * each; k++)
            push(&out[i], pool->pane[k]);
    }
    l->columns = pages;
    int next = (column + slots) % pages;
    l->more[0] = '\0';
    for (int k = next * each; k < pool->n && k < (next + 1) * each; k++)
        wlab_text_append(l->more, sizeof l->more, "%s%s", l->more[0] ? ", " : "",
                         wlab_panes[pool->pane[k]]->name);
    return slots;
}

/* Set the widths of n columns in `cols` (shared lines counted twice). */
static void set_widths(int n, int cols, bool left, bool right, int *width)
{
    int rest = cols + n - 1, middle = n - left - right;

    if (right && n > 1) {
        int w = cols / 4;
        width[n - 1] = w < 27 ? 27 : w > 38 ? 38 : w;
        rest -= width[n - 1];
    }
    if (left && n > 1) {
        width[0] = middle == 0 ? rest : middle == 1 ? (rest * 56 + 50) / 100 : (rest * 42 + 50) / 100;
        rest -= width[0];
    }
    for (int i = left && n > 1 ? 1 : 0, k = n == 1 ? 1 : middle; k > 0; i++, k--) {
        width[i] = (rest + k - 1) / k;
        rest -= width[i];
    }
}

static bool shows_little(int pane, const wlab_scene *scene)
{
    return wlab_panes[pane]->little && wlab_panes[pane]->little(scene);
}

/* below: rows below r that columns of panes beside the log may use.  Returns the column where these begin. */
static int place_panes(wlab_layout *l, const wlab_scene *scene, wlab_rect r, int below, unsigned hidden,
                       int column)
{
    int columns = column_count(r.cols), most = panes_per_column(r.rows), n = 0, width[MOST_COLUMNS];
    stack left = {0}, right = {0}, pool = {0}, col[MOST_COLUMNS];
    bool shown[WL_PANES];

    for (int p = 0; p < WL_PANES; p++)
        shown[p] = !(hidden >> p & 1) && wlab_pane_fits(p, scene);
    if (columns >= 2) {
        const int picture = main_picture(shown);
        if (picture >= 0) {
            push(&left, picture);
            shown[picture] = false;
        }
        for (int p = 0; p < WL_PANES; p++)
            if (shown[p] && wlab_panes[p]->side == WL_SIDE_LEFT && left.n < most &&
                (left.n == 0 || r.rows >= 20)) {
                push(&left, p);
                shown[p] = false;
            }
    }
    if (columns >= 3)
        for (int p = 0; p < WL_PANES; p++)
            if (shown[p] && wlab_panes[p]->side == WL_SIDE_RIGHT && right.n < most) {
                push(&right, p);
                shown[p] = false;
            }
    for (int little = 0; little < 2; little++)
        for (int rank = 1; rank <= WL_PANES; rank++)
            for (int p = 0; p < WL_PANES; p++)
                if (shown[p] && wlab_panes[p]->rank == rank && shows_little(p, scene) == little)
                    push(&pool, p);

    if (left.n)
        col[n++] = left;
    n += place_pool(l, &pool, columns - (left.n > 0) - (right.n > 0), most, column, col + n);
    if (right.n)
        col[n++] = right;
    if (!n)
        return r.cols;
    set_widths(n, r.cols, left.n > 0, right.n > 0, width);
    const int all = r.cols;
    int beside = all;
    for (int i = 0; i < n; i++) {
        const bool tall = all >= WIDE && r.col >= LOG_COLS;
        beside = tall && r.col < beside ? r.col : beside;
        place_stack(l, &col[i], (wlab_rect){r.row, r.col, r.rows + (tall ? below : 0), width[i]});
        r.col += width[i] - 1;
    }
    return beside;
}

static bool has_place(const wlab_layout *l, int pane)
{
    for (int i = 0; i < l->places; i++)
        if (l->place[i].pane == pane)
            return true;
    return false;
}

static wlab_rect line_rect(int row, int cols)
{
    return (wlab_rect){row, 0, 1, cols};
}

int wlab_layout_most_captions(int rows)
{
    return rows < 13 ? 0 : rows < 20 ? 2 : rows < 30 ? 4 : 6;
}

void wlab_layout_make(wlab_layout *l, const wlab_scene *scene, int rows, int cols, unsigned hidden, int zoom,
                      int column)
{
    memset(l, 0, sizeof *l);
    l->columns = 1;
    if (rows < 1 || cols < 1) {
        l->small = true;
        return;
    }
    if (rows < LEAST_ROWS || cols < LEAST_COLS) { /* no panes: the log gets the rest */
        l->small = true;
        l->header = rows > 1 ? line_rect(0, cols) : (wlab_rect){0, 0, 0, cols};
        l->panes = l->text = (wlab_rect){l->header.rows, 0, rows - 1 - l->header.rows, cols};
        l->prompt = line_rect(rows - 1, cols);
        return;
    }
    int keys = rows >= 10, log = rows < 13 ? 0 : rows < 20 ? 2 : rows < 28 ? 3 : rows < 36 ? 4 : rows / 6;
    int most = wlab_layout_most_captions(rows);
    /* a height that does not change from caption to caption keeps the panes where they are */
    const int wanted = scene->captions > 0 && scene->captions < CAPTION_ROWS ? CAPTION_ROWS : scene->captions;
    int said = wanted < most ? wanted : most;
    int bottom = rows - keys - 1 - log - 1 - said; /* the first row below the panes */
    bool metrics = false;
    int beside = cols; /* the columns of captions and log */
    wlab_rect area = {1, 0, bottom - 1, cols};

    for (;;) {
        l->places = 0;
        l->columns = 1;
        l->more[0] = '\0';
        if (zoom >= 0 && zoom < WL_PANES && wlab_pane_fits(zoom, scene))
            l->place[l->places++] = (wlab_slot_place){zoom, area};
        else
            beside = place_panes(l, scene, area, said + 1 + log, hidden, column);
        bool always = has_place(l, wlab_pane_find("run")) && (l->columns == 1 || column_count(cols) >= 3);
        if (metrics || !scene->mirrors || rows < 12 || always)
            break;
        metrics =
            true; /* lay out again with a line for the metrics; each page has it, so that pages are alike */
        area.row++;
        area.rows--;
    }
    l->header = line_rect(0, cols);
    l->metrics = (wlab_rect){1, 0, metrics, cols};
    l->captions = (wlab_rect){bottom, 0, said, beside};
    l->next = line_rect(bottom + said, beside);
    l->text = (wlab_rect){bottom + said + 1, 0, log, beside};
    l->panes = area;
    if (!l->places) { /* no panes: the text gets their area */
        l->captions.row = area.row;
        l->next.row = area.row + said;
        l->panes = l->text = (wlab_rect){area.row + said + 1, 0, area.rows + log, cols};
    }
    l->prompt = line_rect(rows - 1 - keys, cols);
    l->keys = (wlab_rect){rows - 1, 0, keys, cols};
}
