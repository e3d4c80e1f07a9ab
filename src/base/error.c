/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Error messages: what happened and where.
 */
#include "base/text.h"
#include "weaklab/base.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

static void copy_text(char *dst, size_t size, const char *fmt, ...) WLAB_PRINTF(3, 4);

static void copy_text(char *dst, size_t size, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    wlab_text_vformat(dst, size, fmt, ap);
    va_end(ap);
}

static void set_place(wlab_err *err, wlab_code code, const char *file, long line, long column)
{
    err->code = code;
    err->line = line;
    err->column = column;
    copy_text(err->file, sizeof err->file, "%s", file ? file : "");
}

wlab_code wlab_fail(wlab_err *err, wlab_code code, const char *fmt, ...)
{
    if (err) {
        va_list ap;
        va_start(ap, fmt);
        wlab_text_vformat(err->message, sizeof err->message, fmt,
                          ap); /* before set_place: ap may point into *err */
        va_end(ap);
        set_place(err, code, NULL, 0, 0);
    }
    return code;
}

wlab_code wlab_fail_at(wlab_err *err, const char *file, long line, long column, const char *fmt, ...)
{
    if (err) {
        va_list ap;
        va_start(ap, fmt);
        wlab_text_vformat(err->message, sizeof err->message, fmt, ap);
        va_end(ap);
        set_place(err, WL_EINPUT, file, line, column);
    }
    return WL_EINPUT;
}

wlab_code wlab_fail_errno(wlab_err *err, const char *fmt, ...)
{
    int number = errno;
    wlab_code code = number == ENOMEM ? WL_ENOMEM : WL_EIO;
    if (err) {
        char what[sizeof err->message], buffer[128];
        va_list ap;
        va_start(ap, fmt);
        wlab_text_vformat(what, sizeof what, fmt, ap);
        va_end(ap);
        const char *reason = strerror_r(number, buffer, sizeof buffer);
        /* the reason matters most, so a long `what` is cut to leave space for it */
        copy_text(err->message, sizeof err->message, "%.*s: %s", (int)(sizeof what - sizeof buffer - 3), what,
                  reason);
        set_place(err, code, NULL, 0, 0);
    }
    return code;
}

wlab_code wlab_nomem(wlab_err *err)
{
    return wlab_fail(err, WL_ENOMEM, "out of memory");
}

char *wlab_err_format(const wlab_err *err, char *buf, size_t size)
{
    char place[64] = "";
    if (err->file[0] && err->line > 0 && err->column > 0)
        snprintf(place, sizeof place, ":%ld:%ld", err->line, err->column);
    else if (err->file[0] && err->line > 0)
        snprintf(place, sizeof place, ":%ld", err->line);
    copy_text(buf, size, "%s%s%serror: %s", err->file, place, err->file[0] ? ": " : "", err->message);
    return buf;
}
