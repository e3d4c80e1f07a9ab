/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Colour, shape and character of classes, and the blocks of classes in sorted rows.
 */
#include "plot/views/classes.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    INKS = 7,
    FIRST = 8 /* classes with a chosen colour */
};

int wlab_class_ink(int index)
{
    return index % INKS + 1;
}

char wlab_class_letter(int index, bool given)
{
    static const char others[] = "!$%&*+,-/:;<=>?@[]^_{|}~()"; /* they need no quotes in a script */
    if (index < 26)
        return (char)((given ? 'A' : 'a') + index);
    return index < 36 ? (char)('0' + index - 26) : others[(size_t)(index - 36) % (sizeof others - 1)];
}

int wlab_class_shape(int index)
{
    static const int shape[] = {7, 9, 5, 13, 11, 15};
    return shape[(index + index / INKS) % 6];
}

unsigned wlab_class_color(int index, double light)
{
    /* also easy to distinguish when they are mixed with white */
    static const unsigned first[FIRST] = {0x0072b2, 0xd55e00, 0x009e73, 0xf06fc0,
                                          0xf0d000, 0x6a1fd0, 0x666666, 0x80e830};
    double rgb[3];

    for (int c = 0; c < 3; c++) {
        if (index < FIRST) {
            rgb[c] = (double)(first[index] >> (16 - 8 * c) & 255) / 255;
        } else { /* hues at multiples of the golden ratio, in three brightnesses */
            double h = fmod((index - FIRST) * 0.618034 + 0.08, 1) * 6;
            double k = fmod((c == 0 ? 5 : c == 1 ? 3 : 1) + h, 6), v = 0.85 - 0.2 * (index % 3);
            rgb[c] = v - v * 0.7 * fmax(0, fmin(fmin(k, 4 - k), 1));
        }
        rgb[c] += light > 0 ? light * (1 - rgb[c]) : light * rgb[c];
    }
    return (unsigned)lround(255 * rgb[0]) << 16 | (unsigned)lround(255 * rgb[1]) << 8 |
           (unsigned)lround(255 * rgb[2]);
}

int wlab_class_blocks(const int8_t *label, int64_t n, int64_t *begin, int8_t *of)
{
    int blocks = 0;
    for (int64_t i = 0; i < n; i++)
        if (i == 0 || label[i] != label[i - 1]) {
            of[blocks] = label[i];
            begin[blocks++] = i;
        }
    begin[blocks] = n;
    return blocks;
}

const char *wlab_class_name(const wlab_problem *p, int label)
{
#define TEN(t)                                                                                               \
    "cluster " t "0", "cluster " t "1", "cluster " t "2", "cluster " t "3", "cluster " t "4",                \
        "cluster " t "5", "cluster " t "6", "cluster " t "7", "cluster " t "8", "cluster " t "9"
    static const char *const cluster[] = {TEN(""),  TEN("1"), TEN("2"), TEN("3"),
                                          TEN("4"), TEN("5"), TEN("6")};
#undef TEN
    _Static_assert(sizeof cluster / sizeof *cluster > WL_CLASSES_MOST, "one name per cluster");
    if (label && p->task->clusters && label <= p->classes)
        return p->classes > 2 ? cluster[label > 0 ? label : 0] : label > 0 ? "cluster +1" : "cluster -1";
    const char *name = label ? wlab_problem_class(p, label) : NULL;
    return name ? name : "none";
}

const char *wlab_class_word(const wlab_problem *p)
{
    return p->task->clusters ? "" : "class ";
}

/* Write the names of the blocks at their middles, except those too near to the last one written.  Along x, all names are
 * rotated if together they are long. */
static wlab_code put_names(const wlab_figure *f, wlab_buf *b, const wlab_problem *p, bool truths, char axis,
                           const int64_t *begin, const int8_t *of, int blocks, int64_t n, int most)
{
    double last = -INFINITY;
    wlab_buf list = {0};
    size_t long_ones = 0;
    wlab_code code = WL_OK;

    for (int k = 0; k < blocks && !code; k++) {
        const double middle = (double)(begin[k] + begin[k + 1] + 1) / 2;
        char name[20];
        if (middle - last < (double)n / most)
            continue;
        last = middle;
        const char *whole = truths ? wlab_problem_truth_class(p, of[k]) : wlab_class_name(p, of[k]);
        snprintf(name, sizeof name, "%.12s", whole ? whole : "unknown");
        long_ones += strlen(name) + 2;
        code = wlab_buf_printf(&list, list.len ? ", " : "");
        code = code ? code : wlab_figure_quote(f, &list, name);
        code = code ? code : wlab_buf_printf(&list, " %.6g", axis == 'x' ? middle : (double)(n + 1) - middle);
    }
    code = code ? code
                : wlab_buf_printf(b, "set %ctics noenhanced %s(", axis,
                                  axis == 'x' && long_ones > 36 ? "rotate by 90 right " : "");
    code = code ? code : wlab_buf_put(b, list.data, list.len);
    wlab_buf_clear(&list);
    return code ? code : wlab_buf_printf(b, ")\n");
}

void wlab_class_frames(wlab_figure *f, const wlab_problem *p, const int8_t *label, bool truths, int64_t n,
                       int axes, int most)
{
    int64_t begin[WL_CLASSES_MOST + 2];
    int8_t of[WL_CLASSES_MOST + 1];
    const int blocks = wlab_class_blocks(label, n, begin, of);
    wlab_buf b = {0};
    wlab_code code = WL_OK;

    for (int axis = 0; axis < 2 && !code; axis++) {
        if (!(axes >> axis & 1))
            continue;
        code = put_names(f, &b, p, truths, axis ? 'y' : 'x', begin, of, blocks, n, most);
        for (int k = 1; k < blocks && !code && !f->text; k++) {
            const double at = axis ? (double)(n - begin[k]) + 0.5 : (double)begin[k] + 0.5;
            code = axis ? wlab_buf_printf(
                              &b,
                              "set arrow from graph 0, first %.6g to graph 1, first %.6g nohead front "
                              "lw 0.8 dt 1 lc rgb '#000000'\n",
                              at, at)
                        : wlab_buf_printf(
                              &b,
                              "set arrow from first %.6g, graph 0 to first %.6g, graph 1 nohead front "
                              "lw 0.8 dt 1 lc rgb '#000000'\n",
                              at, at);
        }
    }
    if (code || (b.len && wlab_buf_put(&f->before, b.data, b.len)))
        f->failed = true;
    wlab_buf_clear(&b);
}
