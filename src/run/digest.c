/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Digests: the result of a run in one line, for session files and their replay.
 */
#include "base/locale.h"
#include "run/history.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static void short_hash(const void *data, size_t len, char out[17])
{
    char hex[65];

    wlab_sha256_hex(data, len, hex);
    memcpy(out, hex, 16);
    out[16] = 0;
}

/* The bits of `value` in little-endian order; all NaNs have the same bits. */
static void store_bits(unsigned char *to, double value)
{
    uint64_t bits = 0x7ff8000000000000u;

    if (!isnan(value))
        memcpy(&bits, &value, sizeof bits);
    for (int i = 0; i < 8; i++)
        to[i] = (unsigned char)(bits >> (8 * i));
}

void wlab_run_digest(const wlab_run *run, wlab_digest *digest)
{
    const wlab_algo *algo = run->algo;
    double *metric = run->scratch; /* its second half holds the bytes to hash */
    unsigned char *bytes = (unsigned char *)(run->scratch + run->nmetrics + 2);
    size_t kept = 0;

    memset(digest, 0, sizeof *digest);
    wlab_run_metrics(run, metric);
    for (int i = 0; i < run->nmetrics; i++)
        if (!(algo->metrics[i].flags & (WL_M_VOLATILE | WL_M_DERIVED)))
            store_bits(bytes + 8 * kept++, metric[i]);
    snprintf(digest->run, sizeof digest->run, "%s", run->name);
    digest->iter = run->iter;
    digest->inner = run->inner;
    snprintf(digest->verdict, sizeof digest->verdict, "%s", wlab_verdict_names[run->verdict]);
    digest->objective = wlab_metric_value(algo, metric, WL_R_OBJECTIVE);
    digest->gap = wlab_metric_value(algo, metric, WL_R_GAP);
    digest->flips = wlab_metric_value(algo, metric, WL_R_FLIPS);
    short_hash(run->labels, (size_t)run->problem->n, digest->labels);
    short_hash(bytes, 8 * kept, digest->metrics);
}

/* ---- as text ---- */

static void real_text(double value, char buf[32])
{
    if (isnan(value))
        strcpy(buf, "-");
    else
        wlab_print(buf, 32, "%.17g", value);
}

wlab_code wlab_digest_format(const wlab_digest *d, wlab_buf *buf)
{
    char objective[32], gap[32], flips[32];

    real_text(d->objective, objective);
    real_text(d->gap, gap);
    real_text(d->flips, flips);
    return wlab_buf_printf(
        buf, "run=%s iter=%lld inner=%lld verdict=%s objective=%s gap=%s flips=%s labels=%s metrics=%s",
        d->run, (long long)d->iter, (long long)d->inner, d->verdict, objective, gap, flips, d->labels,
        d->metrics);
}

static bool parse_real(const char *text, double *value)
{
    if (strcmp(text, "-") == 0)
        *value = NAN;
    else if (strcmp(text, "inf") == 0 || strcmp(text, "-inf") == 0)
        *value = *text == '-' ? -INFINITY : INFINITY;
    else
        return wlab_parse_real(text, value);
    return true;
}

static bool parse_word(const char *text, char *to, size_t size)
{
    if (!*text || strlen(text) >= size)
        return false;
    strcpy(to, text);
    return true;
}

static bool parse_hash(const char *text, char to[17])
{
    return strlen(text) == 16 && strspn(text, "0123456789abcdef") == 16 && parse_word(text, to, 17);
}

static bool parse_field(wlab_digest *d, int key, const char *value)
{
    switch (key) {
    case 0:
        return parse_word(value, d->run, sizeof d->run);
    case 1:
        return wlab_parse_int(value, &d->iter);
    case 2:
        return wlab_parse_int(value, &d->inner);
    case 3:
        return parse_word(value, d->verdict, sizeof d->verdict);
    case 4:
        return parse_real(value, &d->objective);
    case 5:
        return parse_real(value, &d->gap);
    case 6:
        return parse_real(value, &d->flips);
    case 7:
        return parse_hash(value, d->labels);
    default:
        return parse_hash(value, d->metrics);
    }
}

wlab_code wlab_digest_parse(wlab_digest *digest, const char *text, wlab_err *err)
{
    static const char *const keys[] = {"run", "iter",  "inner",  "verdict", "objective",
                                       "gap", "flips", "labels", "metrics"};
    enum {
        KEYS = sizeof keys / sizeof *keys
    };
    wlab_digest d = {0};
    bool found[KEYS] = {false};
    const char *s = text;

    while (*(s += strspn(s, " \t\r\n"))) {
        char word[128], *value;
        size_t len = strcspn(s, " \t\r\n");
        long column = (long)(s - text) + 1;
        int key = 0;

        if (len >= sizeof word)
            return wlab_fail_at(err, NULL, 0, column, "a value in a digest line is too long");
        memcpy(word, s, len);
        word[len] = 0;
        s += len;
        value = strchr(word, '=');
        if (!value)
            return wlab_fail_at(err, NULL, 0, column, "\"%s\" is not key=value in a digest line", word);
        *value++ = 0;
        while (key < KEYS && strcmp(word, keys[key]) != 0)
            key++;
        if (key == KEYS || found[key])
            return wlab_fail_at(err, NULL, 0, column, "%s \"%s\" in a digest line",
                                key == KEYS ? "unknown key" : "a second", word);
        if (!parse_field(&d, key, value))
            return wlab_fail_at(err, NULL, 0, column, "%s=%s in a digest line is malformed", word, value);
        found[key] = true;
    }
    for (int i = 0; i < KEYS; i++)
        if (!found[i])
            return wlab_fail_at(err, NULL, 0, 0, "the digest line has no %s=", keys[i]);
    *digest = d;
    return WL_OK;
}

/* ---- comparison ---- */

static bool same_bits(double a, double b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static bool same_real(double a, double b, bool exact, double tol, double scale)
{
    if (exact || isnan(a) || isnan(b) || isinf(a) || isinf(b))
        return same_bits(a, b);
    return fabs(a - b) <= tol * fmax(scale, fmax(fabs(a), fabs(b)));
}

bool wlab_digest_equal(const wlab_digest *recorded, const wlab_digest *now, bool exact, double tol,
                       char *what, size_t size)
{
    const wlab_digest *a = recorded, *b = now;
    double scale = isfinite(a->objective) ? fabs(a->objective) : 0;
    const struct {
        const char *name, *a, *b;
        bool compare;
    } words[] = {{"run", a->run, b->run, true},
                 {"verdict", a->verdict, b->verdict, true},
                 {"labels", a->labels, b->labels, true},
                 {"metrics", a->metrics, b->metrics, exact}};
    const struct {
        const char *name;
        int64_t a, b;
        bool compare;
    } counts[] = {{"iter", a->iter, b->iter, true}, {"inner", a->inner, b->inner, exact}};
    const struct {
        const char *name;
        double a, b;
        bool exact;
    } reals[] = {{"objective", a->objective, b->objective, exact},
                 {"gap", a->gap, b->gap, exact},
                 {"flips", a->flips, b->flips, true}};

    if (size > 0)
        *what = 0;
    for (size_t i = 0; i < 2; i++)
        if (counts[i].compare && counts[i].a != counts[i].b) {
            snprintf(what, size, "%s: recorded %lld, now %lld", counts[i].name, (long long)counts[i].a,
                     (long long)counts[i].b);
            return false;
        }
    for (size_t i = 0; i < 3; i++)
        if (!same_real(reals[i].a, reals[i].b, reals[i].exact, tol, i == 1 ? scale : 0)) {
            char ta[32], tb[32];

            real_text(reals[i].a, ta);
            real_text(reals[i].b, tb);
            snprintf(what, size, "%s: recorded %s, now %s", reals[i].name, ta, tb);
            return false;
        }
    for (size_t i = 0; i < 4; i++)
        if (words[i].compare && strcmp(words[i].a, words[i].b) != 0) {
            snprintf(what, size, "%s: recorded %s, now %s", words[i].name, words[i].a, words[i].b);
            return false;
        }
    return true;
}
