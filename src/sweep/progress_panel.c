/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A sweep's progress as lines for a screen: cells done, the cell of each worker, and the best scores so far.
 */
#include "base/clock.h"
#include "base/text.h"
#include "sweep/state.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

/* ---- lines that fit the screen ---- */

/* Set *c to what is sent to a terminal for the character at s: the character itself, '?' for malformed bytes, a blank
 * for a control character.  Returns how many bytes of s this replaces. */
static size_t decode(const char *s, wchar_t *c)
{
    uint32_t code = '?';
    size_t n = wlab_utf8_read(s, SIZE_MAX, &code);

    *c = wlab_utf8_acts(code) ? L' ' : (wchar_t)code;
    return n ? n : 1;
}

static int width_of(wchar_t c)
{
    int w = wcwidth(c);
    return w < 0 ? 1 : w;
}

/* Columns that `text` occupies. */
static int width(const char *text)
{
    int sum = 0;

    while (*text) {
        wchar_t c;
        text += decode(text, &c);
        sum += width_of(c);
    }
    return sum;
}

/* As much of `text` as fits into cols columns. */
static void put_fit(wlab_buf *out, const char *text, int cols)
{
    int used = 0;

    while (*text) {
        wchar_t c;
        size_t n = decode(text, &c);
        if (used + width_of(c) > cols)
            break;
        used += width_of(c);
        (void)wlab_buf_put(out, c == L' ' ? " " : c == L'?' ? "?" : text, c == L' ' || c == L'?' ? 1 : n);
        text += n;
    }
}

static void put_line(wlab_buf *out, int cols, const char *text)
{
    put_fit(out, text, cols);
    (void)wlab_buf_put(out, "\n", 1);
}

/* `left`, shortened if necessary, and `right` at the right border; `left` alone if `right` is empty or there is no
 * space for both. */
static void put_two(wlab_buf *out, int cols, const char *left, const char *right)
{
    int space = cols - width(right) - 2, used = width(left);

    if (!*right || space < 8) {
        put_line(out, cols, left);
        return;
    }
    put_fit(out, left, space);
    used = used > space ? space : used;
    (void)wlab_buf_printf(out, "%*s", cols - width(right) - used, "");
    put_line(out, cols, right);
}

static void put_time(double seconds, char *buf, size_t size)
{
    long long s = (long long)(seconds + 0.5);

    if (s < 100)
        snprintf(buf, size, "%lld s", s);
    else if (s < 6000)
        snprintf(buf, size, "%lld min %02lld s", s / 60, s % 60);
    else
        snprintf(buf, size, "%lld h %02lld min", s / 3600, s / 60 % 60);
}

/* ---- the parts ---- */

static void put_head(const wlab_sweep *s, int cols, wlab_buf *out)
{
    const wlab_sweep_status *n = &s->now;
    char took[40], left[40], right[120], count[160];
    char *title = wlab_format("sweep %s", s->e->title && *s->e->title ? s->e->title : s->o.dir);

    put_time(n->seconds, took, sizeof took);
    snprintf(right, sizeof right, "%s", took);
    if (n->left < 1e10 && !n->stopping) { /* a damaged store may hold any number of seconds */
        put_time(n->left > 0 ? n->left : 0, left, sizeof left);
        if (n->left >= 1)
            snprintf(right, sizeof right, "%s, %s left", took, left);
        else
            snprintf(right, sizeof right, "%s, almost done", took);
    }
    put_two(out, cols, title ? title : "sweep", right);
    wlab_free(title);

    snprintf(count, sizeof count, "%lld of %lld cells", (long long)(n->before + n->done),
             (long long)n->total);
    if (n->failed > 0)
        wlab_text_append(count, sizeof count, ", %lld failed", (long long)n->failed);
    if (n->rate > 0)
        wlab_text_append(count, sizeof count, n->rate < 1 ? ", %.1f/min" : ", %.3g/s",
                         n->rate < 1 ? n->rate * 60 : n->rate);
    int k = (int)strlen(count);
    if (n->stopping)
        wlab_text_append(count, sizeof count, "%s",
                         n->working ? ", stopping after the running cells" : ", stopped");
    int bar = cols - k - 3 < 12 ? 0 : cols - k - 3 > 40 ? 40 : cols - k - 3;
    char line[256] = "";
    if (bar > 0 && !n->stopping) {
        int full = n->total > 0 ? (int)((double)bar * (double)(n->before + n->done) / (double)n->total) : 0;
        line[0] = '[';
        memset(line + 1, '#', (size_t)full);
        memset(line + 1 + full, '.', (size_t)(bar - full));
        memcpy(line + 1 + bar, "] ", 3);
    }
    snprintf(line + strlen(line), sizeof line - strlen(line), "%s", count);
    put_line(out, cols, line);
}

static int put_workers(const wlab_sweep *s, int cols, int most, wlab_buf *out)
{
    double now = wlab_seconds_now();
    int lines = 0, shown = 0;

    for (int w = 0; w < s->nworkers; w++) {
        const wlab_assignment *h = &s->assignment[w];
        wlab_buf title = {0};
        char far[120] = "", took[40];
        int k = 0;

        if (h->cell < 0)
            continue;
        if (lines == most - 1 && s->now.working - shown > 1) {
            snprintf(far, sizeof far, "  + %d more workers", s->now.working - shown);
            put_line(out, cols, far);
            return lines + 1;
        }
        shown++;
        lines++;
        put_time(now - h->since, took, sizeof took);
        if (h->text[0] && h->total > 0)
            k = snprintf(far, sizeof far, "%lld of %lld %s, ", (long long)h->done, (long long)h->total,
                         h->text);
        else if (h->text[0])
            k = snprintf(far, sizeof far, "%lld %s, ", (long long)h->done, h->text);
        snprintf(far + k, sizeof far - (size_t)k, "%s", took);
        if (wlab_buf_printf(&title, "%3d  ", w + 1) == WL_OK &&
            wlab_cell_title(s->e, &s->e->cell[h->cell], &title) == WL_OK)
            put_two(out, cols, (const char *)title.data, far);
        else
            put_line(out, cols, "");
        wlab_buf_clear(&title);
    }
    return lines;
}

static void put_best(const wlab_sweep *s, int cols, int most, wlab_buf *out)
{
    const wlab_experiment *e = s->e;
    int known = 0, shown = 0, row = 0, columns[2] = {0, 0};
    double mean, deviation;
    int64_t n;

    for (int pass = 0; pass < 2; pass++)
        for (int set = 0; set < e->nsettings; set++)
            for (int d = 0; d < e->ndata; d++) {
                const char *setting = e->setting[set].name;
                int m = wlab_tally_best(&s->tally, set, d, &mean, &deviation, &n);
                char numbers[80], spread[32] = "";
                int wide;

                if (m < 0)
                    continue;
                wide = width(e->data[d].name) + (*setting ? 1 + width(setting) : 0);
                if (pass == 0) {
                    known++;
                    columns[0] = wide > columns[0] ? wide : columns[0];
                    wide = width(e->method[m].name);
                    columns[1] = wide > columns[1] ? wide : columns[1];
                    continue;
                }
                if (known < 1 || most < 2)
                    return;
                if (row == 0) {
                    char *head = wlab_format("best so far, mean %s:", s->tally.score);
                    put_line(out, cols, head ? head : "best so far:");
                    wlab_free(head);
                    row++;
                }
                if (row == most - 1 && known - shown > 1) {
                    snprintf(numbers, sizeof numbers, "  + %d more", known - shown);
                    put_line(out, cols, numbers);
                    return;
                }
                if (isfinite(deviation))
                    snprintf(spread, sizeof spread, " +- %.3f", deviation);
                snprintf(numbers, sizeof numbers, "%.3f%-10s n=%lld", mean, spread, (long long)n);
                char *line = wlab_format("  %s%s%s%*s  %s%*s  %s", e->data[d].name, *setting ? " " : "",
                                         setting, columns[0] - wide, "", e->method[m].name,
                                         columns[1] - width(e->method[m].name), "", numbers);
                put_line(out, cols, line ? line : "");
                wlab_free(line);
                shown++;
                row++;
            }
}

void wlab_sweep_draw(void *self, int rows, int cols, wlab_buf *out)
{
    wlab_sweep *s = self;
    int used = 2;

    if (rows < 2 || cols < 8)
        return;
    pthread_mutex_lock(&s->lock);
    wlab_sweep_times(s);
    if (s->planned) {
        put_head(s, cols, out);
        if (rows > used)
            used += put_workers(s, cols, rows < 8 ? rows - used : rows / 2 - used, out);
        if (rows > used)
            put_best(s, cols, rows - used, out);
    } else {
        put_line(out, cols, "sweep: checking the experiment");
    }
    pthread_mutex_unlock(&s->lock);
}
