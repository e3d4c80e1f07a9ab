/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Results as JSON objects.
 */
#include "base/text.h"
#include "session/internal.h"
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

json_t *wlab_json_data(const wlab_slot *slot)
{
    const wlab_dataset *d = slot->data;
    json_t *classes = json_array();
    int64_t unknown = 0;

    for (int64_t i = 0; i < d->X->rows; i++)
        unknown += d->label && d->label[i] < 0;
    for (int c = 0; c < d->classes; c++) {
        int64_t count = 0;
        for (int64_t i = 0; i < d->X->rows; i++)
            count += d->label[i] == c;
        json_array_append_new(classes, json_pack("{s:o, s:I}", "name", wlab_json_text(d->class_name[c]),
                                                 "count", (json_int_t)count));
    }
    json_t *o = json_pack("{s:s, s:o, s:I, s:I, s:I, s:b, s:o, s:I, s:I, s:s, s:o}", "type", "data", "name",
                          wlab_json_text(d->name), "rows", (json_int_t)d->X->rows, "cols",
                          (json_int_t)d->X->cols, "nnz", (json_int_t)d->X->nnz, "sparse", (int)d->X->sparse,
                          "classes", classes, "unknown", (json_int_t)unknown, "bags", (json_int_t)d->bags,
                          "sha256", d->sha256, "source", wlab_json_text(d->source ? d->source : ""));
    if (o && d->remark)
        json_object_set_new(o, "remark", wlab_json_text(d->remark));
    wlab_bag_summary b;
    if (o && d->bag && wlab_dataset_bag_summary(d, d->classes - 1, &b, NULL) == WL_OK) {
        json_object_set_new(o, "bag_rows",
                            json_pack("{s:I, s:f, s:I}", "min", (json_int_t)b.smallest, "median", b.median,
                                      "max", (json_int_t)b.largest));
        if (d->classes == 2) {
            json_object_set_new(o, "positive_bags", json_integer(b.positive));
            json_object_set_new(o, "negative_bags", json_integer(b.negative));
            json_object_set_new(o, "instances_known", json_boolean(b.instances_known));
        }
    }
    if (o && slot->train) {
        json_object_set_new(o, "train", json_integer(slot->ntrain));
        json_object_set_new(o, "test", json_integer(slot->ntest));
    }
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
