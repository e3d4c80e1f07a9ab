/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writing figures into files, and printing them on the terminal as text.
 */
#include "plot/save.h"
#include "plot/beside.h"
#include "plot/show.h"
#include <ctype.h>
#include <string.h>

static int image_named(const char *word)
{
    for (int i = 0; wlab_image_names[i]; i++)
        if (!strcmp(wlab_image_names[i], word))
            return i;
    return -1;
}

wlab_code wlab_image_of(const char *path, wlab_image *kind, wlab_err *err)
{
    const char *base = strrchr(path, '/');
    base = base ? base + 1 : path;
    const char *dot = strrchr(base, '.');
    int k = dot && dot > base ? image_named(dot + 1) : -1;
    json_t *probe = json_string(path);
    if (!probe)
        return wlab_fail(err, WL_EARG, "a figure's path must be UTF-8");
    json_decref(probe);
    if (k < 0)
        return wlab_fail(err, WL_EARG,
                         "the name of a figure must end in .png, .svg, .pdf, .tex or .txt, unlike '%s'",
                         path);
    for (const char *p = base; k == WL_TEX && *p; p++)
        if (!(isalnum((unsigned char)*p) || strchr("-_.", *p)) || (p == base && !isalnum((unsigned char)*p)))
            return wlab_fail(
                err, WL_EARG,
                "the name of a .tex file is a word in LaTeX: letters without accents, digits, - and _, "
                "unlike '%s'",
                path);
    *kind = (wlab_image)k;
    return WL_OK;
}

static const atomic_int *interrupt_of(wlab_session *s)
{
    const wlab_ctx *ctx = wlab_session_ctx(s);
    return ctx ? ctx->interrupt : NULL;
}

/* Remove the spaces with which gnuplot pads its lines. */
static void trim_lines(char *text)
{
    char *to = text;

    for (const char *from = text; *from; from++) {
        if (*from == '\n')
            while (to > text && to[-1] == ' ')
                to--;
        *to++ = *from;
    }
    *to = '\0';
}

wlab_code wlab_figure_print(wlab_session *s, const wlab_figure *f, const char *name, wlab_err *err)
{
    wlab_buf image = {0};
    wlab_code code = wlab_render(f, WL_TXT, NULL, NULL, 0, interrupt_of(s), &image, err);

    if (!code && wlab_buf_put(&image, "", 1))
        code = wlab_nomem(err);
    if (!code) {
        char *text = (char *)image.data, *end = text + strlen(text);
        while (end > text && strchr(" \n\f", end[-1]))
            *--end = '\0';
        for (char *line = text; line[strspn(line, " \f")] == '\n';)
            text = line = line + strspn(line, " \f") + 1;
        trim_lines(text);
        if (wlab_session_sink(s)->json) {
            json_t *o = json_pack("{s:s, s:s, s:s}", "type", "figure", "view", name, "text", text);
            code = o ? WL_OK : wlab_fail(err, WL_EIO, "gnuplot's text is not UTF-8");
            if (o)
                wlab_session_object(s, o);
        } else {
            wlab_session_print(s, "%s\n", text);
        }
    }
    wlab_buf_clear(&image);
    return code;
}

/* Write the buffer into one output and close it; the file is kept only if all was written. */
static wlab_code put_output(wlab_output **o, const wlab_buf *b, wlab_err *err)
{
    wlab_code code = wlab_output_write(*o, b->data, b->len, err);
    wlab_code closed = wlab_output_close(*o, !code, code ? NULL : err);
    *o = NULL;
    return code ? code : closed;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool wlab_kind_small(const wlab_session *s, wlab_image kind)
{
    return kind == WL_TEX ||
           (kind != WL_TXT && wlab_look_of(wlab_session_settings(s)).style != WL_FOR_SCREEN);
}

/* "objective gap": the views of the sheet; owned by the caller. */
static char *names_of(const wlab_sheet *sheet)
{
    wlab_buf b = {0};
    wlab_code code = WL_OK;
    for (int i = 0; i < sheet->n && !code; i++)
        code = wlab_buf_printf(&b, "%s%s", i ? " " : "", sheet->name[i]);
    char *names = code ? NULL : wlab_strndup((const char *)b.data, b.len);
    wlab_buf_clear(&b);
    return names;
}

wlab_code wlab_figures_save(wlab_session *s, const wlab_figure *f, const char *const *name, int n,
                            const char *to, bool times, wlab_err *err)
{
    static const char *const gp_ext[] = {"gp", NULL}, *const dat_ext[] = {"dat", NULL},
                             *const part_ext[] = {"pdf", NULL};
    wlab_sheet sheet = {.figure = f, .name = name, .n = n, .look = wlab_look_of(wlab_session_settings(s))};
    wlab_code code = wlab_image_of(to, &sheet.kind, err), drawn;
    if (code)
        return code;
    const bool tex = sheet.kind == WL_TEX;
    int stem = (int)(strrchr(to, '.') - to);
    char *gp_to = wlab_format("%.*s.gp", stem, to), *dat_to = wlab_format("%.*s.dat", stem, to),
         *part_to = wlab_format("%.*s.pdf", stem, to), *names = names_of(&sheet);
    char *path = NULL, *gp_path = NULL,
         *dat_path = NULL; /* where the files are written, with --out applied */
    wlab_output *image_out = NULL, *gp_out = NULL, *dat_out = NULL, *part_out = NULL;
    wlab_buf image = {0}, gp = {0}, dat = {0}, kinds = {0}, part = {0};
    char sha[65], terminal[WL_SHEET_TERMINAL], *own = NULL;
    const char *base = base_name(to);
    wlab_err draw_err = {0};

    /* make every check that can fail before anything is written */
    if (!gp_to || !dat_to || !part_to || !names ||
        !(own = wlab_strndup(base, (size_t)stem - (size_t)(base - to))))
        code = wlab_nomem(err);
    code = code ? code : wlab_sheet_terminal(&sheet, wlab_terminal_of(sheet.kind, 0), terminal, err);
    code = code ? code : wlab_sheet_gp(&sheet, terminal, base_name(dat_to), base, NULL, &gp, err);
    code = code ? code : wlab_sheet_dat(&sheet, &dat, err);
    code = code ? code : wlab_output_open(&image_out, s, to, wlab_image_names, err);
    if (!code && tex)
        code = wlab_output_open(&part_out, s, part_to, part_ext, err);
    code = code ? code : wlab_output_open(&gp_out, s, gp_to, gp_ext, err);
    code = code ? code : wlab_output_open(&dat_out, s, dat_to, dat_ext, err);
    if (code)
        goto out;
    path = wlab_strdup(wlab_output_path(image_out));
    gp_path = wlab_strdup(wlab_output_path(gp_out));
    dat_path = wlab_strdup(wlab_output_path(dat_out));
    if (!path || !gp_path || !dat_path) {
        code = wlab_nomem(err);
        goto out;
    }
    if ((code = wlab_check_beside(base, gp_path, dat_path, &dat, &kinds, err)))
        goto out;
    drawn = wlab_render_sheet(&sheet, own, NULL, interrupt_of(s), terminal, &image, &part, &draw_err);
    wlab_buf_clear(&gp); /* write the script again, now that the terminal is known */
    code = wlab_sheet_gp(&sheet, terminal, base_name(dat_to), base, (const char *)kinds.data, &gp, err);
    code = code ? code : put_output(&dat_out, &dat, err);
    code = code ? code : put_output(&gp_out, &gp, err);
    if (code)
        goto out;
    if (drawn) {
        code = wlab_fail(err, drawn, "%s; %s and %s are written: `gnuplot %s`, in that folder, draws %s",
                         draw_err.message, dat_path, gp_path, base_name(gp_path), base);
        goto out;
    }
    if ((tex && (code = put_output(&part_out, &part, err))) || (code = put_output(&image_out, &image, err)))
        goto out;
    wlab_sha256_hex(dat.data, dat.len, sha);
    if (times) /* a replay cannot reproduce times */
        code = wlab_session_mark(s, err, "figure file=%s dat=%s", to, dat_to);
    else
        code = wlab_session_mark(s, err, "figure file=%s dat=%s sha256=%s", to, dat_to, sha);
    if (code)
        goto out;
    if (wlab_session_sink(s)->json) {
        json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "type", "figure", "view", names, "file", path,
                              "gp", gp_path, "dat", dat_path, "dat_sha256", sha);
        code = o ? WL_OK : wlab_fail(err, WL_EIO, "%s is written, but JSON cannot represent this path", path);
        if (o)
            wlab_session_object(s, o);
    } else {
        wlab_session_say(s, "%s written%s%s; %s rebuilds it from %s", path, tex ? ", and with it " : "",
                         tex ? base_name(part_to) : "", gp_path, base_name(dat_path));
    }
out:
    if (image_out)
        wlab_output_close(image_out, false, NULL);
    if (part_out)
        wlab_output_close(part_out, false, NULL);
    if (gp_out)
        wlab_output_close(gp_out, false, NULL);
    if (dat_out)
        wlab_output_close(dat_out, false, NULL);
    wlab_buf_clear(&image);
    wlab_buf_clear(&gp);
    wlab_buf_clear(&dat);
    wlab_buf_clear(&kinds);
    wlab_buf_clear(&part);
    wlab_free(part_to);
    wlab_free(names);
    wlab_free(own);
    wlab_free(gp_to);
    wlab_free(dat_to);
    wlab_free(path);
    wlab_free(gp_path);
    wlab_free(dat_path);
    return code;
}
