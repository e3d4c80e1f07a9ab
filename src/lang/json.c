/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Results as JSON objects.
 */
#include "lang/json.h"
#include "base/text.h"
#include <math.h>
#include <string.h>

json_t *wlab_json_real(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

json_t *wlab_json_text(const char *text)
{
    json_t *o = json_string(text);
    if (o)
        return o;
    char *clean = wlab_alloc(3 * strlen(text) + 1, 1), *to = clean;
    if (!clean)
        return NULL;
    for (const char *s = text; *s;) {
        uint32_t c;
        size_t n = wlab_utf8_read(s, SIZE_MAX, &c);
        memcpy(to, n ? s : "\xef\xbf\xbd", n ? n : 3);
        to += n ? n : 3;
        s += n ? n : 1;
    }
    *to = '\0';
    o = json_string(clean);
    wlab_free(clean);
    return o;
}

json_t *wlab_json_step(const wlab_run *run, const wlab_trace_row *row)
{
    const wlab_metric_info *info = wlab_run_algo(run)->metrics;
    json_t *metrics = json_object();
    for (int i = 0; info[i].name; i++) {
        double x = row->metric[i];
        json_t *value = (info[i].flags & WL_M_COUNT) && isfinite(x) && fabs(x) < 9e15
                            ? json_integer((json_int_t)x)
                            : wlab_json_real(x);
        json_object_set_new(metrics, info[i].name, value);
    }
    return json_pack("{s:s, s:o, s:I, s:I, s:s, s:o}", "type", "step", "run",
                     wlab_json_text(wlab_run_name(run)), "iter", (json_int_t)row->iter, "inner",
                     (json_int_t)row->inner, "verdict", wlab_verdict_names[row->verdict], "metrics", metrics);
}

json_t *wlab_error_object(const wlab_err *err)
{
    json_t *o = json_pack("{s:s, s:o, s:o, s:o}", "type", "error", "file",
                          err->file[0] ? wlab_json_text(err->file) : json_null(), "line",
                          err->line > 0 ? json_integer(err->line) : json_null(), "message",
                          wlab_json_text(err->message));
    if (o && err->column > 0)
        json_object_set_new(o, "column", json_integer(err->column));
    return o;
}
