/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Status codes, errors for people, memory, byte buffers, hashing.
 *
 * The library never prints, exits or reads the environment.  A function that can fail returns a wlab_code and fills its
 * wlab_err argument, which may be NULL.  After a failure its out-parameters are NULL or unchanged, and nothing else has
 * changed.
 */
#ifndef WEAKLAB_BASE_H
#define WEAKLAB_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WLAB_VERSION "0.1.0"

#if defined(__GNUC__)
#define WLAB_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#else
#define WLAB_PRINTF(fmt, first)
#endif

typedef enum wlab_code {
    WL_OK = 0,
    WL_ENOMEM,       /* memory ran out */
    WL_EINPUT,       /* a file or a command line is malformed; file, line, column say where */
    WL_EIO,          /* the system refused to read or write */
    WL_EARG,         /* an argument or a parameter is out of its range, or unknown */
    WL_ESTATE,       /* the call is not possible now (no data loaded, a run in progress) */
    WL_ENUMERIC,     /* NaN, Inf, or a factorisation that failed */
    WL_EINTERRUPTED, /* the user stopped it; the state is consistent */
    WL_EDIFFERS,     /* a replayed session gave another result */
    WL_EUNMET,       /* the condition of `expect` does not hold */
} wlab_code;

/* What happened, where, and what to do; `message` is one sentence without a final dot. */
typedef struct wlab_err {
    wlab_code code;
    long line, column; /* from 1; 0: no place */
    char file[512];    /* "": no file */
    char message[1024];
} wlab_err;

/* Fills `err` (if not NULL), clears its place, and returns `code`.  In messages and file names, control characters become
 * blanks, invalid UTF-8 becomes '?', and a text that is too long ends in "...".  The arguments may point into `err`. */
wlab_code wlab_fail(wlab_err *err, wlab_code code, const char *fmt, ...) WLAB_PRINTF(3, 4);
/* The same with a place: WL_EINPUT at file:line:column (0: unknown). */
wlab_code wlab_fail_at(wlab_err *err, const char *file, long line, long column, const char *fmt, ...)
    WLAB_PRINTF(5, 6);
/* The same with strerror(errno) appended: "cannot open 'x': No such file or directory".
 * The code is WL_EIO, or WL_ENOMEM for ENOMEM. */
wlab_code wlab_fail_errno(wlab_err *err, const char *fmt, ...) WLAB_PRINTF(2, 3);
/* WL_ENOMEM with a standard sentence. */
wlab_code wlab_nomem(wlab_err *err);
/* Writes "FILE:LINE:COLUMN: error: MESSAGE", as far as the place is known, into buf; returns buf. */
char *wlab_err_format(const wlab_err *err, char *buf, size_t size);

/* ---- memory: the library allocates through these functions only ---- */
void *wlab_alloc(size_t n, size_t size); /* n * size bytes, overflow checked; n = 0 is fine */
void *wlab_calloc(size_t n, size_t size);
void *wlab_realloc(void *p, size_t n, size_t size); /* p stays valid on NULL */
void *wlab_free(void *p);                           /* always NULL: p = wlab_free(p) */
char *wlab_strdup(const char *s);
char *wlab_strndup(const char *s, size_t n);
char *wlab_format(const char *fmt, ...) WLAB_PRINTF(1, 2); /* a new string, or NULL */
/* Appends to the text in buf [size]; what does not fit is cut off. */
void wlab_text_append(char *buf, size_t size, const char *fmt, ...) WLAB_PRINTF(3, 4);
char *wlab_vformat(const char *fmt, va_list ap);
/* For tests: the k-th allocation from now (k = 1: the next one) and all later ones fail; 0: none fails. */
void wlab_alloc_fail_at(long k);
long wlab_alloc_count(void); /* allocations since wlab_alloc_fail_at */

/* ---- growing byte buffers: snapshots, text ---- */
typedef struct wlab_buf {
    unsigned char *data; /* owned; after the first wlab_buf_put a 0 follows the last byte */
    size_t len, cap;
    size_t pos; /* where the next wlab_buf_get reads */
} wlab_buf;

wlab_code wlab_buf_put(wlab_buf *, const void *data, size_t len);
wlab_code wlab_buf_get(wlab_buf *, void *data, size_t len); /* WL_EINPUT past the end */
wlab_code wlab_buf_printf(wlab_buf *, const char *fmt, ...) WLAB_PRINTF(2, 3);
/* Appends a word so that the command language reads it back as that word and not as a setting: bare if possible, else in
 * "..." or '...'. */
wlab_code wlab_buf_quote(wlab_buf *, const char *word);
void wlab_buf_clear(wlab_buf *); /* frees and zeroes */

/* ---- SHA-256 (nettle) ---- */
void wlab_sha256_hex(const void *data, size_t len, char hex[65]);

/* ---- words ---- */
/* A fraction as text for people, "0.63 %" or "251 %", written into text; returns text. */
const char *wlab_percent(double fraction, char text[32]);
/* The candidate nearest to `word`, or NULL if none is near: for "did you mean".  Case, - and _ do not matter.  Preferred
 * in this order: the word itself; names that begin with the word; names with hyphens of which the word is a part, but not
 * the first; names within one edit (swaps included) per three letters; names with which the word begins.  Within each kind
 * the name with the fewest edits, among equals the first.  NULL candidates are skipped. */
const char *wlab_nearest(const char *word, const char *const *candidates, size_t n);
/* Parses a decimal number that fills the whole string, as in the C locale whatever the locale is: 1e-3, +1, .5.  Returns
 * false and leaves *value unchanged for all else: inf, nan, hexadecimal, blanks, numbers beyond the largest double. */
bool wlab_parse_real(const char *text, double *value);
bool wlab_parse_int(const char *text, int64_t *value); /* digits with or without a sign; all of int64_t */
enum {
    WL_REAL_TEXT = 32
};
/* Writes the number into buf [WL_REAL_TEXT] with at most 15 significant digits, or with 16 or 17 if it needs them to
 * read back as the same double, and without trailing zeros: 0.5, 3; also "inf", "-inf", "nan".  The same in every
 * locale. */
char *wlab_real_text(double value, char *buf);
/* Rewrites in this way, in place, the numbers of a JSON text that have 16 characters or more and a fraction or an
 * exponent, if that makes them shorter: 0.33000000000000002 becomes 0.33. */
void wlab_json_shorten(char *json);

#ifdef __cplusplus
}
#endif

#endif
