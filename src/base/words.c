/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Words and numbers as people type them.
 */
#include "base/locale.h"
#include "weaklab/base.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LONGEST = 63
}; /* longer words are never "near": no parameter or command is that long */

/* Ignore case, and whether a name is joined by - or _. */
static int fold(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A' + 'a';
    return c == '_' ? '-' : (unsigned char)c;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Optimal string alignment: insertions, deletions, replacements and swaps of neighbours. */
static int distance(const char *a, int na, const char *b, int nb)
{
    int d[3][LONGEST + 1]; /* rows i-2, i-1, i by index modulo 3 */
    for (int j = 0; j <= nb; j++)
        d[0][j] = j;
    for (int i = 1; i <= na; i++) {
        int *row = d[i % 3], *above = d[(i + 2) % 3], *above2 = d[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= nb; j++) {
            int x = fold(a[i - 1]), y = fold(b[j - 1]);
            row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == fold(b[j - 2]) && y == fold(a[i - 2]))
                row[j] = least(row[j], above2[j - 2] + 1);
        }
    }
    return d[na % 3][nb];
}

static bool begins(const char *word, const char *prefix, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!word[i] || fold(word[i]) != fold(prefix[i]))
            return false;
    return true;
}

/* Whether the word is one of the parts that hyphens join in the name, except the first. */
static bool is_part(const char *name, const char *word, size_t len)
{
    for (const char *at = strchr(name, '-'); at; at = strchr(at + 1, '-'))
        if (begins(at + 1, word, len) && (at[1 + len] == '-' || !at[1 + len]))
            return true;
    return false;
}

const char *wlab_nearest(const char *word, const char *const *candidates, size_t n)
{
    size_t len = strlen(word);
    if (len == 0 || len > LONGEST)
        return NULL;
    int limit = (int)(len + 2) / 3;
    const char *best = NULL;
    int best_score = 0;
    for (size_t i = 0; i < n; i++) {
        const char *c = candidates[i];
        size_t m = c ? strlen(c) : 0;
        if (m == 0 || m > LONGEST)
            continue;
        int d = distance(word, (int)len, c, (int)m);
        int longer = (int)(len > m ? len : m);
        int score; /* 0: equal except for case; then by beginnings, parts, edits, stems */
        if (d == 0)
            score = 0;
        else if (m > len && begins(c, word, len)) /* the word is a beginning: the shortest completion wins */
            score = 1000 + d;
        else if (is_part(c, word, len)) /* psvm: the nearer of alter-psvm and conv-psvm */
            score = 1500 + d;
        else if (d <= limit && d < longer)
            score = 2000 + d;
        else if (len > m && m >= 3 &&
                 begins(word, c, m)) /* the word continues a name: the longest such name wins */
            score = 3000 + d;
        else
            continue;
        if (!best || score < best_score) {
            best = c;
            best_score = score;
        }
    }
    return best;
}

bool wlab_parse_real(const char *text, double *value)
{
    const char *s = text;
    size_t digits = 0;
    if (*s == '+' || *s == '-')
        s++;
    for (; isdigit((unsigned char)*s); s++)
        digits++;
    if (*s == '.')
        for (s++; isdigit((unsigned char)*s); s++)
            digits++;
    if (digits == 0)
        return false;
    if (*s == 'e' || *s == 'E') {
        s++;
        if (*s == '+' || *s == '-')
            s++;
        if (!isdigit((unsigned char)*s))
            return false;
        while (isdigit((unsigned char)*s))
            s++;
    }
    if (*s)
        return false;
    double x = wlab_strtod(text, NULL);
    if (!isfinite(x))
        return false;
    *value = x;
    return true;
}

bool wlab_parse_int(const char *text, int64_t *value)
{
    const char *s = text;
    bool negative = *s == '-';
    if (*s == '+' || *s == '-')
        s++;
    if (!*s)
        return false;
    uint64_t limit = negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX, sum = 0;
    for (; *s; s++) {
        if (!isdigit((unsigned char)*s))
            return false;
        uint64_t digit = (uint64_t)(*s - '0');
        if (sum > (limit - digit) / 10)
            return false;
        sum = 10 * sum + digit;
    }
    *value = negative ? (int64_t)(0 - sum) : (int64_t)sum;
    return true;
}

const char *wlab_percent(double fraction, char text[32])
{
    const double percent = 100 * fraction;

    snprintf(text, 32, percent < 99.5 || percent > 1e6 ? "%.2g %%" : "%.0f %%", percent);
    return text;
}

char *wlab_real_text(double value, char *buf)
{
    if (isnan(value))
        return strcpy(buf, "nan");
    for (int digits = 15; digits <= 17; digits++) {
        wlab_print(buf, WL_REAL_TEXT, "%.*g", digits, value);
        if (wlab_strtod(buf, NULL) == value)
            break;
    }
    return buf;
}

void wlab_json_shorten(char *json)
{
    enum {
        LONG = 16
    }; /* a number of fewer characters has no more than 15 digits */
    char *to = json, number[64], text[32];
    bool quoted = false;

    for (const char *s = json; *s;) {
        size_t n = quoted ? 0 : strspn(s, "+-.0123456789eE");
        double value;

        if (n >= LONG && n < sizeof number) {
            memcpy(number, s, n);
            number[n] = '\0';
            if (strpbrk(number, ".eE") && wlab_parse_real(number, &value) &&
                strpbrk(wlab_real_text(value, text), ".e") && strlen(text) < n) {
                memcpy(to, text, strlen(text));
                to += strlen(text);
                s += n;
                continue;
            }
        }
        quoted ^= *s == '"';
        n = n > 0 ? n : quoted && *s == '\\' && s[1] ? 2 : 1;
        memmove(to, s, n);
        to += n;
        s += n;
    }
    *to = '\0';
}
