/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Status codes, errors for people, memory, byte buffers, hashing.
 *
 * The library never prints, exits or reads the environment.  A fallible function returns a
 * wlab_code and fills the wlab_err it is given (which may be NULL); on failure its out-parameters
 * are NULL or untouched and nothing else has changed.
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
    WL_ESTATE,       /* right command, wrong moment (no data loaded, run already going) */
    WL_ENUMERIC,     /* NaN, Inf, or a factorisation that failed */
    WL_EINTERRUPTED, /* the user stopped it; the state is consistent */
    WL_EDIFFERS,     /* a replayed session gave another result */
} wlab_code;

/* What happened, where, and what to do; `message` is one sentence without a final dot. */
typedef struct wlab_err {
    wlab_code code;
    long line, column; /* from 1; 0: no place */
    char file[512];    /* "": no file */
    char message[1024];
} wlab_err;

/* Fill `err` (if not NULL), clearing the place, and return `code`.  In messages and file names control
 * characters become blanks and broken UTF-8 '?', and what is too long ends in "...".  The arguments may
 * point into `err` itself. */
wlab_code wlab_fail(wlab_err *err, wlab_code code, const char *fmt, ...) WLAB_PRINTF(3, 4);
/* The same with a place: WL_EINPUT at file:line:column (0: unknown). */
wlab_code wlab_fail_at(wlab_err *err, const char *file, long line, long column, const char *fmt, ...)
    WLAB_PRINTF(5, 6);
/* The same with strerror(errno) appended: "cannot open 'x': No such file or directory".
 * The code is WL_EIO, or WL_ENOMEM for ENOMEM. */
wlab_code wlab_fail_errno(wlab_err *err, const char *fmt, ...) WLAB_PRINTF(2, 3);
/* WL_ENOMEM with a standard sentence. */
wlab_code wlab_nomem(wlab_err *err);
/* "FILE:LINE:COLUMN: error: MESSAGE" as far as the place is known, into buf; returns buf. */
char *wlab_err_format(const wlab_err *err, char *buf, size_t size);

/* ---- memory: every allocation of the library's own goes through these ---- */
void *wlab_alloc(size_t n, size_t size); /* n * size bytes, overflow checked; n = 0 is fine */
void *wlab_calloc(size_t n, size_t size);
void *wlab_realloc(void *p, size_t n, size_t size); /* p stays valid on NULL */
void *wlab_free(void *p);                           /* always NULL: p = wlab_free(p) */
char *wlab_strdup(const char *s);
char *wlab_strndup(const char *s, size_t n);
char *wlab_format(const char *fmt, ...) WLAB_PRINTF(1, 2); /* a new string, or NULL */
/* Behind the text in buf [size]; what does not fit is left out. */
void wlab_text_append(char *buf, size_t size, const char *fmt, ...) WLAB_PRINTF(3, 4);
char *wlab_vformat(const char *fmt, va_list ap);
/* For tests: the k-th allocation from now fails (k = 1: the next one), and all after it; 0: none fails. */
void wlab_alloc_fail_at(long k);
long wlab_alloc_count(void); /* allocations since wlab_alloc_fail_at */

/* ---- growing byte buffers: snapshots, text ---- */
typedef struct wlab_buf {
    unsigned char *data; /* owned; a 0 follows the last byte once anything was put */
    size_t len, cap;
    size_t pos; /* where the next wlab_buf_get reads */
} wlab_buf;

wlab_code wlab_buf_put(wlab_buf *, const void *data, size_t len);
wlab_code wlab_buf_get(wlab_buf *, void *data, size_t len); /* WL_EINPUT past the end */
wlab_code wlab_buf_printf(wlab_buf *, const char *fmt, ...) WLAB_PRINTF(2, 3);
/* A word as the command language reads it back, never as a setting: bare if it can be, else "..." or '...'. */
wlab_code wlab_buf_quote(wlab_buf *, const char *word);
void wlab_buf_clear(wlab_buf *); /* frees and zeroes */

/* ---- SHA-256 (nettle) ---- */
void wlab_sha256_hex(const void *data, size_t len, char hex[65]);

/* ---- words ---- */
/* "0.63 %", "251 %": a share for people, written into text. */
const char *wlab_percent(double share, char text[32]);
/* The candidate nearest to `word`, or NULL when none is near: for "did you mean".  Case, - and _ don't matter;
 * names that begin with the word come first, then those of whose parts, joined by hyphens, it is one, then those within
 * one edit (swaps included) for each three letters, then stems of the word; the first of equals.  NULL candidates are
 * passed over. */
const char *wlab_nearest(const char *word, const char *const *candidates, size_t n);
/* A decimal number in C locale, whatever the locale, filling the whole string: 1e-3, +1, .5; false, with
 * *value untouched, for anything else (inf, nan, hexadecimal, blanks, beyond the largest double). */
bool wlab_parse_real(const char *text, double *value);
bool wlab_parse_int(const char *text, int64_t *value); /* digits with a sign or none; all of int64_t */
/* The number with 15, 16 or 17 digits, the fewest that read back as the same double, into buf (at least
 * 32 bytes); "inf", "-inf", "nan".  The same in every locale. */
char *wlab_real_text(double value, char *buf);
/* The same for every number of a JSON text that has a fraction or an exponent, in place: 0.33000000000000002 becomes
 * 0.33. */
void wlab_json_shorten(char *json);

#ifdef __cplusplus
}
#endif

#endif
