/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tables in the text of a result: the rows of steps, metrics by run.  A table is a line of names above lines with as many
 * words, where each column is aligned at its left or at its right side.
 */
#include "report/report.h"

#include <ctype.h>
#include <string.h>

enum {
    MOST = 24 /* columns */
};

typedef struct edges {
    int n;
    int left[MOST], right[MOST];
} edges;

/* The words of the line; false: none, or too many. */
static bool words_of(const char *line, edges *e)
{
    e->n = 0;
    for (int at = 0; line[at] && line[at] != '\n';) {
        if (line[at] == ' ') {
            at++;
            continue;
        }
        if (e->n == MOST)
            return false;
        e->left[e->n] = at;
        while (line[at] && line[at] != ' ' && line[at] != '\n')
            at++;
        e->right[e->n++] = at;
    }
    return e->n > 0;
}

const char *wlab_columns_word(const char *line, int k, size_t *len)
{
    edges e;

    *len = 0;
    if (!words_of(line, &e) || k >= e.n)
        return line;
    *len = (size_t)(e.right[k] - e.left[k]);
    return line + e.left[k];
}

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');
    return end ? end + 1 : line + strlen(line);
}

const char *wlab_columns_skip(const char *line, int n)
{
    while (n-- > 0 && *line)
        line = next_line(line);
    return line;
}

wlab_code wlab_report_result(wlab_buf *out, const char *text,
                             wlab_code (*table)(wlab_buf *, const char *text, const wlab_columns *),
                             wlab_code (*lines)(wlab_buf *, const char *kind, const char *text, size_t len))
{
    wlab_columns c;
    wlab_code code = WL_OK;

    while (*text && !code) {
        const char *end = text;
        if (wlab_columns_find(text, &c)) {
            code = table(out, text, &c);
            text = wlab_columns_skip(text, c.lines);
            continue;
        }
        do
            end = next_line(end);
        while (*end && !wlab_columns_find(end, &c));
        code = lines(out, "", text, (size_t)(end - text));
        text = end;
    }
    return code;
}

bool wlab_columns_find(const char *text, wlab_columns *c)
{
    edges names, row;
    bool left[MOST], right[MOST];

    *c = (wlab_columns){0};
    if (!words_of(text, &names) || names.n < 3)
        return false;
    for (int k = 0; k < names.n; k++) {
        if (!isalpha((unsigned char)text[names.left[k]]))
            return false; /* not a name */
        left[k] = right[k] = true;
    }
    for (const char *line = next_line(text); *line; line = next_line(line)) {
        bool fits = words_of(line, &row) && row.n == names.n;
        for (int k = 0; k < names.n && fits; k++)
            fits = (left[k] && row.left[k] == names.left[k]) || (right[k] && row.right[k] == names.right[k]);
        if (!fits)
            break;
        for (int k = 0; k < names.n; k++) {
            left[k] = left[k] && row.left[k] == names.left[k];
            right[k] = right[k] && row.right[k] == names.right[k];
        }
        c->lines++;
    }
    /* rows with other lines between them stay text, as they would lose their names */
    for (const char *line = wlab_columns_skip(text, c->lines + 1); *line; line = next_line(line))
        if (words_of(line, &row) && row.n == names.n && row.right[0] == names.right[0])
            return false;
    if (c->lines == 0)
        return false;
    c->lines++;
    c->columns = names.n;
    return true;
}
