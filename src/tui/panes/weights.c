/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pane `weights`: the algorithm's weights after the last step (mu of the working set) as bars; the heaviest if not
 * all fit, always with the newest.  A wide pane shows their history at the right.
 */
#include "tui/panes/draw.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_BARS = 128,
    WIDE = 48, /* columns from which on the history is shown */
    BARS = 14  /* columns of the bars beside the history */
};

static const wlab_trace_row *last_row(const wlab_scene *s)
{
    return s->mirrors && s->mirror[0]->rows ? &s->mirror[0]->row[s->mirror[0]->rows - 1] : NULL;
}

/* The largest number of weights in a row of the trace: later ones have fewer if not all are known. */
static int64_t most_recorded(const wlab_scene *s)
{
    int64_t most = 0;
    for (int64_t i = 0; i < s->mirror[0]->rows; i++)
        most = s->mirror[0]->row[i].nweights > most ? s->mirror[0]->row[i].nweights : most;
    return most;
}

/* Chooses at most `most` weights to show, in ascending order of their indices.  If not all fit, it takes the heaviest
 * ones, or of objectives the smallest; if `newest`, the last one is always among them. */
static int select_weights(const wlab_trace_row *row, int most, bool newest, bool objectives, int64_t *pick)
{
    int64_t all = row->nweights;
    int n = 0;

    most = most < MOST_BARS ? most : MOST_BARS;
    if (all <= most) {
        while (n < all) {
            pick[n] = n;
            n++;
        }
        return n;
    }
    if (most < 1)
        return 0;
    if (newest)
        pick[n++] = all - 1;
    for (int64_t t = 0; t < all - newest;
         t++) { /* keep a sorted list of the heaviest so far; of equal weights the earlier */
        int k = n;
        while (k > newest && (objectives ? row->weight[t] < row->weight[pick[k - 1]]
                                         : fabs(row->weight[t]) > fabs(row->weight[pick[k - 1]])))
            k--;
        if (k >= most)
            continue;
        n = n < most ? n + 1 : n;
        memmove(&pick[k + 1], &pick[k], (size_t)(n - 1 - k) * sizeof *pick);
        pick[k] = t;
    }
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && pick[k] < pick[k - 1]; k--) {
            int64_t t = pick[k];
            pick[k] = pick[k - 1];
            pick[k - 1] = t;
        }
    return n;
}

static void draw_bar(const wlab_scene *s, wlab_canvas *c, const wlab_rect *r, int row, int col, int width,
                     double part, wlab_style style)
{
    int eighths = (int)lround(part * width * 8);
    if (part > 0 && eighths == 0)
        eighths = 1;
    for (int k = 0; k < width && eighths > 8 * k; k++) {
        int e = eighths - 8 * k;
        if (s->ascii && e >= 4)
            wlab_canvas_put(c, r, row, col + k, L'#', style);
        else if (!s->ascii)
            wlab_canvas_put(c, r, row, col + k, (wchar_t)(e >= 8 ? 0x2588 : 0x2590 - e), style);
    }
    if (s->ascii && part > 0 && eighths < 4)
        wlab_canvas_put(c, r, row, col, L'.', style);
}

/* One weight after each of the last steps, the newest at the right; blank before the weight existed. */
static void draw_history(const wlab_scene *s, wlab_canvas *c, const wlab_rect *r, int row, int64_t t,
                         double most, wlab_style style)
{
    static const wchar_t letters[] = L".:-=+*%#";
    const wlab_mirror *m = s->mirror[0];
    int64_t steps = m->rows < r->cols ? m->rows : r->cols;
    for (int64_t k = 0; k < steps; k++) {
        const wlab_trace_row *then = &m->row[m->rows - steps + k];
        if (t >= then->nweights)
            continue;
        double part = most > 0 ? fabs(then->weight[t]) / most : 0;
        int high = part > 0 ? (int)(part * 7.999) : -1;
        high = high > 7 ? 7 : high;
        if (high < 0)
            wlab_canvas_put(c, r, row, (int)k, s->ascii ? L'_' : 0xb7, WL_S_DIM);
        else
            wlab_canvas_put(c, r, row, (int)k, s->ascii ? letters[high] : (wchar_t)(0x2581 + high), style);
    }
}

static void draw(const wlab_scene *s, const wlab_picture *p, wlab_canvas *c, const wlab_rect *all)
{
    const wlab_trace_row *row = last_row(s);
    int64_t pick[MOST_BARS];
    char name[24];
    double most = 0, ever = 0;
    wlab_rect bars = *all, *in = &bars;
    (void)p;

    if (!row || !row->nweights) {
        if (s->mirrors)
            wlab_draw_message(c, all, WL_S_DIM, "nothing to draw yet: F5 makes a step");
        else
            wlab_draw_no_run(s, c, all);
        return;
    }
    const wlab_probe *of = wlab_probe_recorded(s->mirror[0]->algo);
    const bool mu = of->kind == WL_PROBE_WEIGHTS, spectrum = of->kind == WL_PROBE_EIGENVALUES;
    int lines = all->rows > 1 && row->nweights > all->rows ? all->rows - 1 : all->rows;
    const bool objectives = !mu && !spectrum;
    int n = select_weights(row, lines, mu, objectives, pick), names = 0;
    double left = 0, best = INFINITY, worst = -INFINITY;
    for (int64_t t = 0; t < row->nweights; t++) {
        most = fmax(most, fabs(row->weight[t]));
        best = fmin(best, row->weight[t]);
        worst = fmax(worst, row->weight[t]);
    }
    for (int k = 0; k < n; k++) {
        int w = snprintf(name, sizeof name, "%s%lld", mu ? "y" : "", (long long)pick[k] + 1);
        names = w > names ? w : names;
    }
    if (all->cols >= WIDE)
        bars.cols = names + 2 + BARS + 7;
    wlab_rect then = {all->row, all->col + bars.cols + 1, all->rows, all->cols - bars.cols - 2};
    for (int64_t i = 0; i < s->mirror[0]->rows && all->cols >= WIDE; i++)
        for (int64_t t = 0; t < s->mirror[0]->row[i].nweights; t++)
            ever = fmax(ever, fabs(s->mirror[0]->row[i].weight[t]));
    int begin = names + 2,
        digits = objectives && in->cols >= 26 ? 9
                 : in->cols >= 20             ? 6
                                              : 5,
        width = in->cols - begin - digits - 1, room = in->cols - begin - 1;
    for (int k = 0; k < n; k++) {
        double w = row->weight[pick[k]];
        const bool newest = mu && pick[k] == row->nweights - 1;
        char value[32];
        snprintf(name, sizeof name, "%s%lld", mu ? "y" : "", (long long)pick[k] + 1);
        if (objectives) /* their differences matter: as many digits as fit */
            wlab_number_fit(w, digits - 1, false, room, value, sizeof value);
        else if (mu || (most <= 1 && most >= 0.01))
            snprintf(value, sizeof value, "%.*f", digits - 3, w);
        else
            wlab_number_fit(w, 3, false, room, value, sizeof value);
        wlab_canvas_text(c, in, k, 1 + names - (int)strlen(name), newest ? WL_S_STRONG : WL_S_TEXT, "%s",
                         name);
        /* a bar shows an objective's excess over the best one: bars from 0 would all look alike */
        const double part = !objectives    ? (most > 0 ? fabs(w) / most : 0)
                            : worst > best ? (w - best) / (worst - best)
                                           : 0;
        if (width > 0 && part > 0)
            draw_bar(s, c, in, k, begin, width, part, newest ? WL_S_INK2 : WL_S_INK1);
        if (objectives && w == best && width > 4)
            wlab_canvas_text(c, in, k, begin, WL_S_DIM, "best");
        if (all->cols >= WIDE)
            draw_history(s, c, &then, k, pick[k], ever, newest ? WL_S_INK2 : WL_S_INK1);
        int at = in->cols - 1 - (int)strlen(value);
        wlab_canvas_text(c, in, k, at > begin ? at : begin, w != 0 ? WL_S_STRONG : WL_S_DIM, "%s", value);
    }
    if (all->cols >= WIDE && all->rows >= n + 1 + (n < row->nweights)) {
        const wlab_mirror *m = s->mirror[0];
        int64_t oldest = m->rows < then.cols ? 0 : m->rows - then.cols;
        wlab_canvas_text(c, &then, all->rows - 1, 0, WL_S_DIM, "after steps %lld to %lld",
                         (long long)m->row[oldest].iter, (long long)m->row[m->rows - 1].iter);
    }
    if (n < row->nweights && n < all->rows) {
        for (int64_t t = 0, k = 0; t < row->nweights; t++) {
            if (k < n && pick[k] == t)
                k++;
            else
                left += fabs(row->weight[t]);
        }
        char value[32];
        const long long more = (long long)(row->nweights - n);
        if (spectrum && row->nweights >= WL_EIGENVALUES_MOST) /* the algorithm reports at most so many */
            wlab_canvas_text(c, all, n, 1, WL_S_DIM, "%lld more of %d kept", more, WL_EIGENVALUES_MOST);
        else if (!mu && !spectrum) /* a sum of objectives has no meaning */
            wlab_canvas_text(c, all, n, 1, WL_S_DIM, "%lld more", more);
        else {
            const int col = 1 + wlab_canvas_text(c, all, n, 1, WL_S_DIM, "%lld more: ", more);
            wlab_canvas_text(c, all, n, col, WL_S_DIM, "%s",
                             wlab_number_fit(left, 3, false, all->cols - col, value, sizeof value));
        }
    }
}

static void title(const wlab_scene *s, const wlab_picture *p, char *buf, size_t size)
{
    const wlab_trace_row *row = last_row(s);
    const wlab_probe *of = s->mirrors ? wlab_probe_recorded(s->mirror[0]->algo) : NULL;
    int64_t active = 0;
    (void)p;
    for (int64_t t = 0; row && t < row->nweights; t++)
        active += row->weight[t] != 0;
    if (of && of->kind == WL_PROBE_WEIGHTS && row && active < row->nweights)
        snprintf(buf, size, "mu: %lld of %lld labelings", (long long)active, (long long)row->nweights);
    else if (of && of->kind == WL_PROBE_WEIGHTS)
        snprintf(buf, size, "mu of %lld labeling%s", (long long)active, active == 1 ? "" : "s");
    else if (of && of->kind == WL_PROBE_EIGENVALUES && row && row->nweights &&
             row->nweights < WL_EIGENVALUES_MOST && row->nweights == most_recorded(s))
        snprintf(buf, size, "%lld %s", (long long)row->nweights, of->meaning);
    else if (of && of->kind == WL_PROBE_EIGENVALUES)
        snprintf(buf, size, "%s", of->meaning);
    else
        snprintf(buf, size, "%s", of ? "restarts, above the best" : "weights");
}

static bool fits(const wlab_scene *s)
{
    return s->mirrors && wlab_probe_recorded(s->mirror[0]->algo);
}

const wlab_pane wlab_pane_weights = {
    .name = "weights",
    .summary = "the weights of the working set (mu), eigenvalues (spectrum), or the objectives of restarts",
    .help =
        "The weights mu of the working set: the model is the sum over t of mu_t times the SVM of "
        "labeling y_t. A labeling whose weight is exactly 0 (dim, without a bar) has no part in it, but may "
        "get weight again. The newest has another colour. If not all fit, the pane shows the heaviest, the "
        "newest, and the sum of the others. A "
        "pane of at least 48 columns (F3 makes it larger) has their history at the right: one block per "
        "step, as high as "
        "the weight; a dot if it was 0; nothing before the labeling was added.\n\n"
        "Of algorithms with restarts: the objective of each restart. The best restart has no bar, the worst "
        "has the longest one, and the others lie between in proportion to their objectives.\n\n"
        "Of algorithms with a matrix (spectrum): its largest eigenvalues; the title has their number, if all "
        "are "
        "recorded. One large eigenvalue of M (mmc-sdp), or P - 1 of Z for P classes (softmax-sdp; "
        "coding=indicator: P), come with a matrix near that of one labeling; more of them exclude it.",
    .also = {"mu", "spectrum"},
    .fits = fits,
    .side = WL_SIDE_RIGHT,
    .rank = 13,
    .title = title,
    .draw = draw,
};
