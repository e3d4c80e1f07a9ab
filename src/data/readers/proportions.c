/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Files of proportions: one bag and its fraction of positives per line.
 */
#include "data/readers/reader.h"

#include <math.h>
#include <string.h>

typedef struct reading {
    const wlab_input *in;
    char *const *name; /* NULL: numbers */
    bool quotable;     /* the names are the data set's own */
    int64_t bags;
    wlab_words words; /* the names */
    double *proportion;
    long *line; /* [bags] the line that gives the proportion, 0: none yet */
    wlab_err *err;
} reading;

static bool is_blank(char c)
{
    return (unsigned char)c <= ' ';
}

static bool is_separator(char c)
{
    return is_blank(c) || c == ',' || c == ';';
}

/* Words of files of labels, bags and proportions are not quoted in messages, here and below: a script by a stranger
 * may name any file, also a secret one. */
static wlab_code no_such_bag(const reading *r, const char *p)
{
    char least[64] = "1", most[64];

    if (r->name && !r->quotable)
        return wlab_input_fail(r->in, p, r->err, "this bag is none of the %lld bags in the file of bags",
                               (long long)r->bags);
    if (r->name) {
        wlab_text_clean(r->name[0], strlen(r->name[0]), least, sizeof least);
        wlab_text_clean(r->name[r->bags - 1], strlen(r->name[r->bags - 1]), most, sizeof most);
    } else {
        (void)snprintf(most, sizeof most, "%lld", (long long)r->bags);
    }
    return wlab_input_fail(r->in, p, r->err, "this bag is none of the %lld bags, which are %s to %s",
                           (long long)r->bags, least, most);
}

/* The bag that [p, p + len) names, literally or by its value as a number; -1: none. */
static int64_t find_bag(const reading *r, const char *p, size_t len)
{
    char number[32];
    int64_t b = r->name ? wlab_words_find(&r->words, p, len) : -1;
    double v;

    if (b >= 0 || !wlab_number_is(p, p + len, &v))
        return b;
    if (r->name) {
        wlab_real_text(v, number);
        return wlab_words_find(&r->words, number, strlen(number));
    }
    return v >= 1 && v <= (double)r->bags && v == floor(v) ? (int64_t)v - 1 : -1;
}

/* Read the line [p, end), which is trimmed and not empty; `first`: it may be a header, then *header is set. */
static wlab_code read_line(reading *r, const char *p, const char *end, bool first, bool *header)
{
    const char *value = end, *stop;
    double proportion;
    long line, column;

    while (value > p && !is_separator(value[-1]))
        value--;
    for (stop = value; stop > p && is_separator(stop[-1]);)
        stop--;
    *header = first && (wlab_text_same(value, (size_t)(end - value), "proportion") ||
                        wlab_text_same(value, (size_t)(end - value), "share"));
    if (*header)
        return WL_OK;
    if (stop == p)
        return wlab_input_fail(r->in, p, r->err, "a bag and its proportion are expected, for example 7 0.4");
    if (!wlab_number_is(value, end, &proportion) || !(proportion >= 0 && proportion <= 1))
        return wlab_input_fail(r->in, value, r->err,
                               "this is not a proportion: a number from 0 to 1 is expected (0.4 for 40 %%)");
    const int64_t b = find_bag(r, p, (size_t)(stop - p));
    if (b < 0)
        return no_such_bag(r, p);
    if (r->line[b])
        return wlab_input_fail(r->in, p, r->err, "line %ld already gives the proportion of this bag: %g",
                               r->line[b], r->proportion[b]);
    wlab_input_place(r->in, p, &line, &column);
    r->line[b] = line;
    r->proportion[b] = proportion;
    return WL_OK;
}

wlab_code wlab_proportions_file_read(const char *path, char *const *name, bool quotable, int64_t bags,
                                     double *proportion, wlab_err *err)
{
    wlab_input in;
    reading r = {
        .in = &in, .name = name, .quotable = quotable, .bags = bags, .proportion = proportion, .err = err};
    wlab_code code = wlab_input_open(&in, path, NULL, err);
    bool first = true, header;

    if (code)
        return code;
    r.line = wlab_calloc((size_t)bags, sizeof *r.line);
    if (!r.line)
        code = wlab_nomem(err);
    for (int64_t b = 0; !code && b < bags; b++) {
        proportion[b] = NAN;
        const int32_t word = name ? wlab_words_add(&r.words, name[b], strlen(name[b])) : 0;
        if (word < 0)
            code = wlab_nomem(err);
        else if (name && word != b)
            code = wlab_fail(err, WL_EARG,
                             "bags %lld and %lld have the same name%s%.60s%s, so their proportions cannot be "
                             "distinguished",
                             (long long)word + 1, (long long)b + 1, quotable ? ", '" : "",
                             quotable ? name[b] : "", quotable ? "'" : "");
    }
    if (!code && memchr(in.data, 0, in.size))
        code = wlab_fail_at(
            err, path, 0, 0,
            "not a file of proportions: it is binary; one bag and its proportion per line are expected");
    for (const char *p = in.data, *const end = p + in.size; !code && p < end;) {
        const char *line = p, *stop = memchr(p, '\n', (size_t)(end - p));

        stop = stop ? stop : end;
        p = stop < end ? stop + 1 : end;
        while (line < stop && is_blank(*line))
            line++;
        while (stop > line && is_blank(stop[-1]))
            stop--;
        if (line == stop || *line == '#')
            continue;
        code = read_line(&r, line, stop, first, &header);
        first = false;
    }
    wlab_words_clear(&r.words);
    wlab_free(r.line);
    wlab_input_close(&in);
    return code;
}
