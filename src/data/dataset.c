/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Data sets: reference counting, and the classes that follow from the labels of a reader.
 */
#include "base/sort.h"
#include "data/formula.h"
#include "data/readers/reader.h"
#include "data/share.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLASSES_MAX 1000
#define REALS_MAX                                                                                            \
    10 /* more distinct labels than this, some of them fractions, are regression targets and refused */

wlab_dataset *wlab_dataset_ref(wlab_dataset *ds)
{
    if (ds)
        __atomic_add_fetch(&ds->refs, 1, __ATOMIC_RELAXED);
    return ds;
}

void wlab_dataset_unref(wlab_dataset *ds)
{
    if (!ds || __atomic_sub_fetch(&ds->refs, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    for (int c = 0; ds->class_name && c < ds->classes; c++)
        wlab_free(ds->class_name[c]);
    for (int32_t c = 0; ds->feature_name && c < ds->X->cols; c++)
        wlab_free(ds->feature_name[c]);
    wlab_matrix_destroy(ds->X);
    wlab_share_destroy(ds->share);
    wlab_free(ds->name);
    wlab_free(ds->source);
    wlab_free(ds->class_name);
    wlab_free(ds->class_value);
    wlab_free(ds->label);
    wlab_free(ds->given);
    wlab_free(ds->feature_name);
    wlab_free(ds->bag);
    wlab_bag_names_free(ds->bag_name, ds->bags);
    wlab_free(ds->remark);
    wlab_formula_destroy(ds->formula);
    wlab_free(ds);
}

void wlab_reading_clear(wlab_reading *r)
{
    for (int32_t c = 0; r->X && r->feature_name && c < r->X->cols; c++)
        wlab_free(r->feature_name[c]);
    wlab_free(r->feature_name);
    wlab_matrix_destroy(r->X);
    wlab_words_clear(&r->words);
    wlab_free(r->label);
    wlab_free(r->bag);
    wlab_bag_names_free(r->bag_name, r->bags);
    wlab_free(r->filled);
    wlab_buf_clear(&r->remark);
    memset(r, 0, sizeof *r);
}

wlab_code wlab_reading_remark(wlab_reading *r, wlab_err *err, const char *fmt, ...)
{
    char *text;
    va_list ap;
    wlab_code code;

    va_start(ap, fmt);
    text = wlab_vformat(fmt, ap);
    va_end(ap);
    if (!text)
        return wlab_nomem(err);
    code = wlab_buf_printf(&r->remark, "%s%s", r->remark.len ? "; " : "", text);
    wlab_free(text);
    return code ? wlab_nomem(err) : WL_OK;
}

/* ---- classes ---- */

typedef struct entry {
    int32_t id;
    double value; /* NaN: a word */
    const char *text;
} entry;

static int by_value(const void *a, const void *b)
{
    const entry *x = a, *y = b;

    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(((const entry *)a)->text, ((const entry *)b)->text);
}

static wlab_code refuse_regression(int n, const char *example, wlab_err *err)
{
    char buf[48];

    return wlab_fail(err, WL_EINPUT,
                     "the labels have %d different values (such as '%s'): these are regression targets, not "
                     "classes; select another column with label=, or use label=none",
                     n, wlab_text_clean(example, strlen(example), buf, sizeof buf));
}

/* The index of the class that the text p[0 .. len-1] of classes= names, or -1. */
static int named_class(const entry *e, const int *first, int classes, const char *p, size_t len)
{
    double v;
    const bool number = wlab_number_is(p, p + len, &v);

    for (int c = 0; c < classes; c++) {
        const entry *x = &e[first[c]];
        if (strlen(x->text) == len && memcmp(x->text, p, len) == 0)
            return c;
        if (number && x->value == v)
            return c;
    }
    return -1;
}

static wlab_code unknown_class(const entry *e, const int *first, int classes, const char *p, size_t len,
                               wlab_err *err)
{
    char word[64], list[400] = "", buf[48];

    for (int c = 0; c < classes && strlen(list) + 60 < sizeof list; c++)
        wlab_text_append(list, sizeof list, "%s%s", c ? ", " : "",
                         wlab_text_clean(e[first[c]].text, strlen(e[first[c]].text), buf, sizeof buf));
    return wlab_fail(err, WL_EARG, "classes=: there is no class '%s'; the classes are %s",
                     wlab_text_clean(p, len, word, sizeof word), list);
}

/* Fill order[] with the classes that `keep` names, in the order of `keep`. */
static wlab_code pick_classes(const entry *e, const int *first, int classes, const char *keep, int *order,
                              int *n, wlab_err *err)
{
    const char *p = keep;

    *n = 0;
    for (;;) {
        const char *stop = strchrnul(p, ',');
        size_t len = (size_t)(stop - p);
        int c;

        while (len && *p == ' ')
            p++, len--;
        while (len && p[len - 1] == ' ')
            len--;
        c = named_class(e, first, classes, p, len);
        if (c < 0)
            return unknown_class(e, first, classes, p, len, err);
        for (int i = 0; i < *n; i++)
            if (order[i] == c)
                return wlab_fail(err, WL_EARG, "classes=%s names a class twice", keep);
        order[(*n)++] = c;
        if (!*stop)
            return WL_OK;
        p = stop + 1;
    }
}

wlab_code wlab_classes_assign(wlab_dataset *ds, const wlab_words *words, const bool *used, bool declared,
                              const char *keep, int32_t *to, const wlab_ctx *ctx, wlab_err *err)
{
    entry *e = wlab_alloc((size_t)words->n, sizeof *e);
    int *first = wlab_alloc((size_t)words->n + 1, sizeof *first), *order = NULL; /* a class's first entry */
    bool numbers = true, fractions = false;
    int n = 0, classes = 0, kept;
    wlab_code code = WL_OK;

    if (!e || !first)
        goto nomem;
    for (int32_t i = 0; i < words->n; i++) {
        const char *text = wlab_words_text(words, i);

        to[i] = -1;
        if (!used[i])
            continue;
        e[n].id = i;
        e[n].text = text;
        if (!wlab_number_is(text, text + strlen(text), &e[n].value))
            numbers = false;
        else
            fractions |= e[n].value != nearbyint(e[n].value);
        n++;
    }
    if (numbers && !declared && (code = wlab_sort(e, (size_t)n, sizeof *e, by_value, ctx, err)))
        goto out;
    for (int i = 0; i < n && !numbers; i++)
        e[i].value = NAN;
    if (!numbers && !declared && (code = wlab_sort(e, (size_t)n, sizeof *e, by_text, ctx, err)))
        goto out;
    for (int i = 0; i < n; i++) /* different words may be the same number: +1 and 1 */
        if (i == 0 || !(e[i].value == e[i - 1].value))
            first[classes++] = i;
    first[classes] = n;
    if (classes > CLASSES_MAX || (numbers && fractions && classes > REALS_MAX)) {
        code = refuse_regression(classes, e[classes / 2].text, err);
        goto out;
    }
    order = wlab_alloc((size_t)classes + 1, sizeof *order);
    if (!order)
        goto nomem;
    kept = classes;
    for (int c = 0; c < classes; c++)
        order[c] = c;
    if (keep && (code = pick_classes(e, first, classes, keep, order, &kept, err)))
        goto out;
    ds->class_name = wlab_calloc((size_t)kept, sizeof *ds->class_name);
    ds->class_value = wlab_alloc((size_t)kept, sizeof *ds->class_value);
    if (!ds->class_name || !ds->class_value)
        goto nomem;
    ds->classes = kept;
    for (int c = 0; c < kept; c++) {
        const entry *x = &e[first[order[c]]];
        const size_t len = strlen(x->text);

        for (int i = first[order[c]]; i < first[order[c] + 1]; i++)
            to[e[i].id] = c;
        ds->class_value[c] = x->value;
        ds->class_name[c] = wlab_alloc(len + 1, 1);
        if (!ds->class_name[c])
            goto nomem;
        wlab_text_clean(x->text, len, ds->class_name[c], len + 1);
    }
    goto out;
nomem:
    code = wlab_nomem(err);
out:
    wlab_free(e);
    wlab_free(first);
    wlab_free(order);
    return code;
}
