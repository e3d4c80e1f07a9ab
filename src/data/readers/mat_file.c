/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The variables of a MAT-file, read with matio.
 */
#include "data/readers/mat.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    PIECE = 1 << 24
};

static wlab_code matio_load(wlab_matio *lib, wlab_err *err)
{
    static const char *const name[] = {"Mat_Open",
                                       "Mat_Close",
                                       "Mat_VarReadNext",
                                       "Mat_VarFree",
                                       "Mat_VarGetNumberOfFields",
                                       "Mat_VarGetStructFieldnames",
                                       "Mat_VarGetStructFieldByIndex"};
    void *const place[] = {&lib->open,   &lib->close, &lib->next, &lib->free,
                           &lib->fields, &lib->names, &lib->field};
    void *so = dlopen(WLAB_MATIO, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

    for (size_t k = 0; so && k < sizeof name / sizeof *name; k++) {
        void *function = dlsym(so, name[k]);
        if (!function)
            so = NULL;
        memcpy(place[k], &function,
               sizeof function); /* C has no cast between pointers to objects and to functions */
    }
    return so ? WL_OK
              : wlab_fail(err, WL_EIO,
                          "MAT-files are read with matio, which must be installed but cannot be loaded: %s",
                          dlerror());
}

void wlab_mat_close(wlab_mat_file *f)
{
    if (f->fd < 0)
        return;
    for (int i = 0; i < f->owners; i++)
        f->lib.free(f->owner[i]);
    if (f->mat)
        f->lib.close(f->mat);
    close(f->fd);
}

static bool add_var(wlab_mat_file *f, matvar_t *v, const char *name, const char *inside)
{
    if (f->vars == WL_MAT_VARS || !name)
        return false;
    f->var[f->vars++] = (wlab_mat_var){v, name, inside};
    return true;
}

/* matio reads only from a path, so the bytes are written to an anonymous file. */
wlab_code wlab_mat_open(wlab_mat_file *f, const wlab_input *in, wlab_err *err)
{
    wlab_buf checked = {0};
    char path[64];
    size_t done = 0;
    wlab_code code;

    memset(f, 0, sizeof *f);
    f->fd = -1;
    if ((code = matio_load(&f->lib, err)))
        return code;
    code = wlab_mat_check(in, &checked, err);
    if (!code) {
        f->fd = memfd_create("weaklab", MFD_CLOEXEC);
        while (f->fd >= 0 && done < checked.len) {
            const size_t left = checked.len - done;
            ssize_t n;

            if ((code = wlab_input_check_stop(in, err)))
                break;
            n = write(f->fd, checked.data + done, left < PIECE ? left : PIECE);
            if (n <= 0 && errno != EINTR)
                break;
            done += n > 0 ? (size_t)n : 0;
        }
        if (!code && (f->fd < 0 || done < checked.len))
            code = wlab_fail_errno(err, "cannot make an anonymous file to read '%s'", in->path);
    }
    wlab_buf_clear(&checked);
    if (code)
        return code;
    snprintf(path, sizeof path, "/proc/self/fd/%d", f->fd);
    f->mat = f->lib.open(path, MAT_ACC_RDONLY);
    if (!f->mat)
        return wlab_fail_at(err, in->path, 0, 0, "this MAT-file cannot be read: it is damaged or cut off");
    for (;;) {
        matvar_t *v = f->owners < WL_MAT_VARS ? f->lib.next(f->mat) : NULL;

        if (!v)
            break;
        if ((code = wlab_input_check_stop(in, err))) {
            f->lib.free(v);
            return code;
        }
        f->owner[f->owners++] = v;
        add_var(f, v, v->name, NULL);
        if (v->class_type == MAT_C_STRUCT && v->data) {
            const unsigned n = f->lib.fields(v);
            char *const *names = f->lib.names(v);

            for (unsigned i = 0; names && i < n; i++) {
                matvar_t *field = f->lib.field(v, i, 0);
                if (field)
                    add_var(f, field, names[i], v->name);
            }
        }
    }
    return f->vars ? WL_OK
                   : wlab_fail_at(err, in->path, 0, 0, "the MAT-file has no variables, or is damaged");
}

bool wlab_mat_is_numeric(const matvar_t *v)
{
    return v->rank == 2 && !v->isComplex && v->data &&
           ((v->class_type >= MAT_C_DOUBLE && v->class_type <= MAT_C_UINT64) ||
            v->class_type == MAT_C_SPARSE);
}

bool wlab_mat_is_vector(const matvar_t *v)
{
    return wlab_mat_is_numeric(v) && (v->dims[0] == 1 || v->dims[1] == 1);
}

const char *wlab_mat_listing(const wlab_mat_file *f, char *buf, size_t size)
{
    buf[0] = 0;
    for (int i = 0; i < f->vars && strlen(buf) + 120 < size; i++) {
        const wlab_mat_var *var = &f->var[i];
        char name[40], inside[40] = "";

        if (var->inside)
            wlab_text_clean(var->inside, strlen(var->inside), inside, sizeof inside);
        wlab_text_clean(var->name, strlen(var->name), name, sizeof name);
        wlab_text_append(buf, size, "%s%s%s%s", i ? ", " : "", inside, var->inside ? "." : "", name);
        if (var->v->rank == 2)
            wlab_text_append(buf, size, " %zux%zu", var->v->dims[0], var->v->dims[1]);
    }
    return buf;
}

matvar_t *wlab_mat_find(const wlab_mat_file *f, const char *const *names)
{
    for (size_t n = 0; names[n]; n++) /* at the top first */
        for (int i = 0; i < f->vars; i++)
            if (!f->var[i].inside && strcmp(f->var[i].name, names[n]) == 0 &&
                wlab_mat_is_numeric(f->var[i].v))
                return f->var[i].v;
    for (size_t n = 0; names[n]; n++)
        for (int i = 0; i < f->vars; i++)
            if (f->var[i].inside && strcmp(f->var[i].name, names[n]) == 0 && wlab_mat_is_numeric(f->var[i].v))
                return f->var[i].v;
    return NULL;
}

/* What `part` names in v: a field, if v is a struct; a cell by its number, if v is a cell array. */
static matvar_t *step_into(const wlab_mat_file *f, const matvar_t *v, const char *part, size_t len)
{
    char text[64];
    int64_t at;

    if (len >= sizeof text || !v->data)
        return NULL;
    memcpy(text, part, len);
    text[len] = 0;
    if (v->class_type == MAT_C_CELL && v->rank == 2)
        return wlab_parse_int(text, &at) && at >= 1 && at <= (int64_t)(v->dims[0] * v->dims[1])
                   ? ((matvar_t *const *)v->data)[at - 1]
                   : NULL;
    if (v->class_type == MAT_C_STRUCT) {
        char *const *names = f->lib.names(v);

        for (unsigned i = 0; names && i < f->lib.fields(v); i++)
            if (strcmp(names[i], text) == 0)
                return f->lib.field(v, i, 0);
    }
    return NULL;
}

matvar_t *wlab_mat_find_spec(const wlab_mat_file *f, const char *spec)
{
    const char *dot = strchrnul(spec, '.');
    matvar_t *v = NULL;

    for (int inside = 0; inside < 2 && !v; inside++)
        for (int i = 0; i < f->vars && !v; i++)
            if (!f->var[i].inside == !inside && strlen(f->var[i].name) == (size_t)(dot - spec) &&
                memcmp(f->var[i].name, spec, (size_t)(dot - spec)) == 0)
                v = f->var[i].v;
    while (v && *dot) {
        const char *part = dot + 1;

        dot = strchrnul(part, '.');
        v = step_into(f, v, part, (size_t)(dot - part));
    }
    return v;
}

int64_t wlab_mat_elements(const matvar_t *v)
{
    return (int64_t)v->dims[0] * (int64_t)v->dims[1];
}

double wlab_mat_element(const void *data, enum matio_types type, int64_t k)
{
    switch (type) {
    case MAT_T_DOUBLE:
        return ((const double *)data)[k];
    case MAT_T_SINGLE:
        return (double)((const float *)data)[k];
    case MAT_T_INT8:
        return ((const int8_t *)data)[k];
    case MAT_T_UINT8:
        return ((const uint8_t *)data)[k];
    case MAT_T_INT16:
        return ((const int16_t *)data)[k];
    case MAT_T_UINT16:
        return ((const uint16_t *)data)[k];
    case MAT_T_INT32:
        return ((const int32_t *)data)[k];
    case MAT_T_UINT32:
        return ((const uint32_t *)data)[k];
    case MAT_T_INT64:
        return (double)((const int64_t *)data)[k];
    case MAT_T_UINT64:
        return (double)((const uint64_t *)data)[k];
    default:
        return NAN;
    }
}

int64_t wlab_mat_type_size(enum matio_types type)
{
    switch (type) {
    case MAT_T_INT8:
    case MAT_T_UINT8:
        return 1;
    case MAT_T_INT16:
    case MAT_T_UINT16:
        return 2;
    case MAT_T_INT32:
    case MAT_T_UINT32:
    case MAT_T_SINGLE:
        return 4;
    case MAT_T_DOUBLE:
    case MAT_T_INT64:
    case MAT_T_UINT64:
        return 8;
    default:
        return 0;
    }
}

double *wlab_mat_vector(const matvar_t *v, bool *ok)
{
    const int64_t n = wlab_mat_elements(v);
    double *x;

    *ok = v->class_type != MAT_C_SPARSE && wlab_mat_type_size(v->data_type) > 0 &&
          (int64_t)v->nbytes >= n * wlab_mat_type_size(v->data_type);
    if (!*ok)
        return NULL;
    x = wlab_alloc((size_t)n, sizeof *x);
    for (int64_t i = 0; x && i < n; i++)
        x[i] = wlab_mat_element(v->data, v->data_type, i);
    return x;
}
