/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Values in braces: expand one setting into its values.
 */
#include "base/braces.h"
#include <stdlib.h>
#include <string.h>

typedef struct brace {
    const char *value, *open, *close;
    char **list;
    int n;
    wlab_err *err;
} brace;

static wlab_code fail(const brace *b, const char *at, const char *what)
{
    return wlab_fail_at(b->err, NULL, 0, (long)(at - b->value) + 1, "%s", what);
}

bool wlab_braces_in(const char *value)
{
    return strpbrk(value, "{}") != NULL;
}

void wlab_braces_free(char **list, int n)
{
    for (int i = 0; i < n; i++)
        wlab_free(list[i]);
    wlab_free(list);
}

/* Append a value to the list: the text before the brace, `text`, and the text after the brace. */
static wlab_code add_value(brace *b, const char *text, size_t len)
{
    b->list[b->n] =
        wlab_format("%.*s%.*s%s", (int)(b->open - b->value), b->value, (int)len, text, b->close + 1);
    if (!b->list[b->n])
        return wlab_nomem(b->err);
    b->n++;
    return WL_OK;
}

static wlab_code allocate_list(brace *b, int n)
{
    b->list = wlab_calloc((size_t)n, sizeof *b->list);
    return b->list ? WL_OK : wlab_nomem(b->err);
}

/* Where the dots of INT..INT are, or NULL. */
static const char *find_dots(const char *text, size_t len)
{
    const char *p = memmem(text, len, "..", 2);
    return p && p > text && p + 2 < text + len && p[-1] >= '0' && p[-1] <= '9' ? p : NULL;
}

static bool parse_integer(const char *text, size_t len, int64_t *value)
{
    char digits[32];

    if (len >= sizeof digits)
        return false;
    memcpy(digits, text, len);
    digits[len] = '\0';
    return wlab_parse_int(digits, value);
}

static wlab_code expand_range(brace *b, const char *mid)
{
    const char *begin = b->open + 1;
    int64_t from, to;
    wlab_code code;

    if (!parse_integer(begin, (size_t)(mid - begin), &from))
        return fail(b, begin, "a range needs two integers, as in {1..5}");
    if (!parse_integer(mid + 2, (size_t)(b->close - mid - 2), &to))
        return fail(b, mid + 2, "a range needs two integers, as in {1..5}");
    if (to < from)
        return fail(b, begin, "this range goes down; write the smaller number first");
    if ((uint64_t)to - (uint64_t)from >= WLAB_BRACES_MOST)
        return fail(b, begin, "this range has more than 10000 numbers");
    code = allocate_list(b, (int)(to - from) + 1);
    for (int64_t i = 0; !code && i <= to - from; i++) {
        char *text = wlab_format("%lld", (long long)(from + i));
        code = text ? add_value(b, text, strlen(text)) : wlab_nomem(b->err);
        wlab_free(text);
    }
    return code;
}

static int by_text(const void *a, const void *b)
{
    const char *const *x = *(const char *const *const *)a, *const *y = *(const char *const *const *)b;
    int order = strcmp(*x, *y);
    return order ? order : x < y ? -1 : x > y;
}

/* The index of the first value that repeats an earlier one, or -1; order[n] is used as a buffer. */
static int find_duplicate(const brace *b, char ***order)
{
    int first = -1;

    for (int i = 0; i < b->n; i++)
        order[i] = &b->list[i];
    qsort(order, (size_t)b->n, sizeof *order, by_text);
    for (int i = 1; i < b->n; i++) {
        int at = (int)(order[i] - b->list);
        if (strcmp(*order[i - 1], *order[i]) == 0 && (first < 0 || at < first))
            first = at;
    }
    return first;
}

static wlab_code expand_list(brace *b)
{
    const char *p = b->open + 1;
    int values = 1;
    wlab_code code;

    for (const char *q = p; q < b->close; q++)
        if (*q == ',' && ++values > WLAB_BRACES_MOST)
            return fail(b, q, "this brace has more than 10000 values");
    code = allocate_list(b, values);
    while (!code) {
        const char *end = memchr(p, ',', (size_t)(b->close - p));
        if (!end)
            end = b->close;
        if (end == p)
            code = fail(b, p, "a value is missing here");
        else if (find_dots(p, (size_t)(end - p)) && strspn(p, "+-0123456789.") >= (size_t)(end - p))
            code = fail(b, p, "a range must be alone in its braces, as in {1..5}");
        else
            code = add_value(b, p, (size_t)(end - p));
        if (end == b->close)
            break;
        p = end + 1;
    }
    if (code)
        return code;
    char ***order = wlab_alloc((size_t)b->n, sizeof *order);
    if (!order)
        return wlab_nomem(b->err);
    int again = find_duplicate(b, order);
    wlab_free(order);
    if (again < 0)
        return WL_OK;
    for (p = b->open + 1; again > 0; again--)
        p = strchr(p, ',') + 1;
    return fail(b, p, "this value occurs twice in the braces");
}

wlab_code wlab_braces_values(const char *value, char ***list, int *n, wlab_err *err)
{
    brace b = {.value = value, .err = err};
    const char *other = strpbrk(value, "{}"), *mid;
    wlab_code code = WL_OK;

    if (!other) {
        char **one = wlab_alloc(1, sizeof *one);
        char *copy = one ? wlab_strdup(value) : NULL;
        if (!copy) {
            wlab_free(one);
            return wlab_nomem(err);
        }
        one[0] = copy;
        *list = one;
        *n = 1;
        return WL_OK;
    }
    if (*other == '}')
        return fail(&b, other, "this } has no opening brace");
    b.open = other;
    b.close = strpbrk(b.open + 1, "{}");
    if (!b.close)
        return fail(&b, b.open, "this brace is never closed: write {a,b,c} or {1..5}, without blanks");
    if (*b.close == '{')
        return fail(&b, b.close, "braces cannot be nested");
    other = strpbrk(b.close + 1, "{}");
    if (other)
        return fail(&b, other,
                    *other == '{' ? "a value can have only one pair of braces"
                                  : "this } has no opening brace");
    if (b.close == b.open + 1)
        return fail(&b, b.open, "these braces are empty: write {a,b,c} or {1..5}");
    mid = memchr(b.open, ',', (size_t)(b.close - b.open))
              ? NULL
              : memmem(b.open + 1, (size_t)(b.close - b.open - 1), "..", 2);
    code = mid ? expand_range(&b, mid) : expand_list(&b);
    if (code) {
        wlab_braces_free(b.list, b.n);
        return code;
    }
    *list = b.list;
    *n = b.n;
    return WL_OK;
}
