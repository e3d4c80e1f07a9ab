/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tables as CSV: one row per cell of the table, numbers with all digits; a missing value is empty.
 */
#include "study/table/parts.h"
#include <math.h>
#include <string.h>

static wlab_code text(wlab_buf *out, const char *word)
{
    wlab_code code;

    if (!strpbrk(word, ",\"\r\n"))
        return wlab_buf_put(out, word, strlen(word));
    code = wlab_buf_put(out, "\"", 1);
    for (; !code && *word; word++)
        code = wlab_buf_printf(out, *word == '"' ? "\"\"" : "%c", *word);
    return code ? code : wlab_buf_put(out, "\"", 1);
}

static wlab_code real(wlab_buf *out, double x)
{
    char number[32];

    return wlab_buf_printf(out, ",%s", isnan(x) ? "" : wlab_real_text(x, number));
}

static wlab_code cell(const wlab_sheet_cell *c, wlab_buf *out)
{
    bool published = !isnan(c->published);
    const double first[] = {c->mean, c->deviation, c->rank};
    const double last[] = {c->test.statistic, c->test.p, c->published, c->published_deviation};
    wlab_code code = wlab_buf_printf(out, ",%lld", (long long)c->n);

    for (size_t i = 0; !code && i < sizeof first / sizeof *first; i++)
        code = real(out, first[i]);
    if (!code)
        code = wlab_buf_printf(out, ",%d,%s", c->best, c->mark > 0 ? "v" : c->mark < 0 ? "*" : "");
    for (size_t i = 0; !code && i < sizeof last / sizeof *last; i++)
        code = real(out, last[i]);
    if (!code)
        code = real(out, published ? (double)c->published_n : (double)NAN);
    if (!code)
        code = real(out, c->diff);
    return code ? code : wlab_buf_put(out, "\n", 1);
}

wlab_code wlab_sheet_csv(const wlab_sheet *t, bool first, wlab_buf *out)
{
    const wlab_experiment *e = t->v->e;
    wlab_code code = WL_OK;

    if (first)
        code = wlab_buf_printf(out, "score,setting,data,method,n,mean,deviation,rank,best,mark,t,p,published,"
                                    "published_deviation,published_n,diff\n");
    for (int s = 0; s < e->nsettings; s++)
        for (int d = 0; d < e->ndata; d++)
            for (int k = 0; k < t->block[s].columns; k++) {
                const wlab_sheet_block *b = &t->block[s];
                const char *word[] = {t->score, b->setting, e->data[d].name, b->column[k].name};

                for (int i = 0; !code && i < 4; i++)
                    if (!i || !(code = wlab_buf_put(out, ",", 1)))
                        code = text(out, word[i]);
                if (!code)
                    code = cell(&b->cell[d * b->columns + k], out);
            }
    return code;
}
