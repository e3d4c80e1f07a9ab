/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The command `plot`.
 */
#include "plot/beside.h"
#include "plot/plot.h"
#include "plot/render.h"
#include "plot/show.h"
#include "weaklab/complete.h"
#include <string.h>

typedef struct request {
    wlab_show show;
    wlab_view_run run[WL_PLOT_RUNS];
    const char *to; /* NULL: on the screen */
    wlab_image kind;
} request;

static int find_word(const char *const *names, const char *word)
{
    for (int i = 0; names[i]; i++)
        if (!strcmp(names[i], word))
            return i;
    return -1;
}

static wlab_code find_view(const char *word, int *view, wlab_err *err)
{
    const char *name[32];
    int n = 0;
    for (; wlab_views[n].name; n++) {
        name[n] = wlab_views[n].name;
        if (!strcmp(name[n], word)) {
            *view = n;
            return WL_OK;
        }
    }
    if (!strcmp(word, "labels") || !strcmp(word, "run"))
        return wlab_fail(err, WL_EARG,
                         "%s is a pane of the dashboard and no view that can be plotted: `dashboard zoom %s`",
                         word, word);
    const char *near = strcmp(word, "weights") == 0 ? "mu" : wlab_nearest(word, name, (size_t)n);
    if (near)
        return wlab_fail(err, WL_EARG, "no view \"%s\"; did you mean \"%s\"?", word, near);
    return wlab_fail(err, WL_EARG, "no view \"%s\"; `plot` alone lists them", word);
}

static wlab_code add_run(request *q, const wlab_session *s, const char *name, wlab_err *err)
{
    wlab_run *all[64], *run = name ? wlab_session_find_run(s, name) : wlab_session_run(s);
    if (!run && !name)
        return wlab_fail(err, WL_ESTATE, "there is no run to draw; start one with `algo`");
    if (!run) {
        const char *names[64];
        int n = wlab_session_runs(s, all, 64), shown = n < 64 ? n : 64;
        for (int i = 0; i < shown; i++)
            names[i] = wlab_run_name(all[i]);
        const char *near = wlab_nearest(name, names, (size_t)shown);
        if (near)
            return wlab_fail(err, WL_EARG, "no run \"%s\"; did you mean \"%s\"?", name, near);
        return wlab_fail(err, WL_EARG, "no run \"%s\"; `runs` lists them", name);
    }
    if (q->show.runs == WL_PLOT_RUNS)
        return wlab_fail(err, WL_EARG, "plot draws at most %d runs at a time", WL_PLOT_RUNS);
    for (int i = 0; i < q->show.runs; i++)
        if (!strcmp(q->run[i].name, wlab_run_name(run)))
            return wlab_fail(err, WL_EARG, "run \"%s\" is named twice", wlab_run_name(run));
    q->show.run[q->show.runs] = wlab_run_number(run);
    q->run[q->show.runs++] = wlab_view_run_of(run);
    return WL_OK;
}

static wlab_code find_kind(const char *path, wlab_image *kind, wlab_err *err)
{
    const char *base = strrchr(path, '/');
    base = base ? base + 1 : path;
    const char *dot = strrchr(base, '.');
    int k = dot && dot > base ? find_word(wlab_image_names, dot + 1) : -1;
    json_t *probe = json_string(path);
    if (!probe)
        return wlab_fail(err, WL_EARG, "a figure's path must be UTF-8");
    json_decref(probe);
    if (k < 0)
        return wlab_fail(err, WL_EARG, "a figure's name ends in .png, .svg, .pdf or .txt, and '%s' does not",
                         path);
    *kind = (wlab_image)k;
    return WL_OK;
}

/* VIEW [RUN...] [vs AXIS] [to FILE|terminal] */
static wlab_code parse(request *q, const wlab_session *s, const wlab_args *a, wlab_err *err)
{
    wlab_code code = find_view(a->word[0], &q->show.view, err);
    if (!code && a->nsettings)
        return wlab_fail(
            err, WL_EARG,
            "plot takes no settings such as %s=: plot VIEW [RUN...] [vs AXIS] [to FILE|terminal]", a->key[0]);
    for (int i = 1; i < a->nwords && !code; i++) {
        bool is_vs = !strcmp(a->word[i], "vs"), is_to = !strcmp(a->word[i], "to");
        if ((is_vs || is_to) && i + 1 == a->nwords)
            return wlab_fail(err, WL_EARG,
                             is_vs ? "vs what? iter, inner or seconds" : "to which file, or `to terminal`?");
        if (is_vs) {
            int k = find_word(wlab_axis_names, a->word[++i]);
            if (k < 0 || q->show.vs_given)
                return wlab_fail(err, WL_EARG, "vs takes one of iter, inner and seconds, not \"%s\"",
                                 a->word[i]);
            q->show.vs = (wlab_axis)k;
            q->show.vs_given = true;
        } else if (is_to) {
            if (q->to || q->show.here)
                return wlab_fail(err, WL_EARG, "plot writes one file at a time");
            if (!strcmp(a->word[++i], "terminal")) {
                q->show.here = true;
                continue;
            }
            q->to = a->word[i];
            code = find_kind(q->to, &q->kind, err);
        } else {
            code = add_run(q, s, a->word[i], err);
        }
    }
    if (!code && !q->show.runs)
        code = add_run(q, s, NULL, err);
    return code;
}

static wlab_code list_views(wlab_session *s, wlab_err *err)
{
    if (wlab_session_sink(s)->json) {
        json_t *list = json_array();
        for (const wlab_view_info *v = wlab_views; v->name; v++)
            json_array_append_new(list, json_pack("{s:s, s:s}", "name", v->name, "summary", v->summary));
        json_t *o = json_pack("{s:s, s:o}", "type", "views", "views", list);
        if (!o)
            return wlab_nomem(err);
        wlab_session_object(s, o);
        return WL_OK;
    }
    for (const wlab_view_info *v = wlab_views; v->name; v++)
        wlab_session_print(s, "%-10s  %s\n", v->name, v->summary);
    return WL_OK;
}

static const atomic_int *interrupt_of(wlab_session *s)
{
    const wlab_ctx *ctx = wlab_session_ctx(s);
    return ctx ? ctx->interrupt : NULL;
}

static wlab_code show_text(wlab_session *s, const request *q, const wlab_figure *f, wlab_err *err)
{
    wlab_buf image = {0};
    const char *terminal;
    wlab_code code =
        wlab_render(f, WL_TXT, wlab_show_folder(), NULL, 0, interrupt_of(s), &terminal, &image, err);

    if (!code && wlab_buf_put(&image, "", 1))
        code = wlab_nomem(err);
    if (!code) {
        char *text = (char *)image.data, *end = text + strlen(text);
        while (end > text && strchr(" \n\f", end[-1]))
            *--end = '\0';
        while (*text == '\f' || *text == '\n')
            text++;
        if (wlab_session_sink(s)->json) {
            json_t *o = json_pack("{s:s, s:s, s:s}", "type", "figure", "view", wlab_views[q->show.view].name,
                                  "text", text);
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

/* Everything into one output, kept or dropped. */
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

/* The image, and beside it the .dat and the .gp, which are written first: they stay when gnuplot fails. */
static wlab_code save(wlab_session *s, const request *q, const wlab_figure *f, wlab_err *err)
{
    static const char *const image_ext[] = {"png", "svg", "pdf", "txt", NULL}, *const gp_ext[] = {"gp", NULL},
                             *const dat_ext[] = {"dat", NULL};
    int stem = (int)(strrchr(q->to, '.') - q->to);
    char *gp_to = wlab_format("%.*s.gp", stem, q->to), *dat_to = wlab_format("%.*s.dat", stem, q->to);
    char *path = NULL, *gp_path = NULL, *dat_path = NULL; /* as they are written: --out and all */
    wlab_output *image_out = NULL, *gp_out = NULL, *dat_out = NULL;
    wlab_buf image = {0}, gp = {0}, dat = {0}, kinds = {0};
    char sha[65];
    const char *terminal = wlab_render_terminal(q->kind), *base = base_name(q->to);
    wlab_code code = gp_to && dat_to ? WL_OK : wlab_nomem(err), drawn;
    wlab_err draw_err = {0};

    /* everything that can refuse is asked before anything is written */
    code = code ? code : wlab_figure_gp(f, terminal, base_name(dat_to), base, NULL, &gp, err);
    code = code ? code : wlab_figure_dat(f, &dat, err);
    code = code ? code : wlab_output_open(&image_out, s, q->to, image_ext, err);
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
    if ((code = wlab_beside(base, gp_path, dat_path, &dat, &kinds, err)))
        goto out;
    drawn =
        wlab_render(f, q->kind, wlab_show_folder(), NULL, 0, interrupt_of(s), &terminal, &image, &draw_err);
    wlab_buf_clear(&gp); /* again: now the terminal is known */
    code = wlab_figure_gp(f, terminal, base_name(dat_to), base, (const char *)kinds.data, &gp, err);
    code = code ? code : put_output(&dat_out, &dat, err);
    code = code ? code : put_output(&gp_out, &gp, err);
    if (code)
        goto out;
    if (drawn) {
        code = wlab_fail(err, drawn, "%s; %s and %s are written: `gnuplot %s`, in that folder, draws %s",
                         draw_err.message, dat_path, gp_path, base_name(gp_path), base);
        goto out;
    }
    if ((code = put_output(&image_out, &image, err)))
        goto out;
    wlab_sha256_hex(dat.data, dat.len, sha);
    if (q->show.vs == WL_VS_SECONDS) /* times never come back */
        code = wlab_session_mark(s, err, "figure file=%s dat=%s", q->to, dat_to);
    else
        code = wlab_session_mark(s, err, "figure file=%s dat=%s sha256=%s", q->to, dat_to, sha);
    if (code)
        goto out;
    if (wlab_session_sink(s)->json) {
        json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "type", "figure", "view",
                              wlab_views[q->show.view].name, "file", path, "gp", gp_path, "dat", dat_path,
                              "dat_sha256", sha);
        code =
            o ? WL_OK : wlab_fail(err, WL_EIO, "%s is written, but this path cannot be told in JSON", path);
        if (o)
            wlab_session_object(s, o);
    } else {
        wlab_session_say(s, "%s written; %s rebuilds it from %s", path, gp_path, base_name(dat_path));
    }
out:
    if (image_out)
        wlab_output_close(image_out, false, NULL);
    if (gp_out)
        wlab_output_close(gp_out, false, NULL);
    if (dat_out)
        wlab_output_close(dat_out, false, NULL);
    wlab_buf_clear(&image);
    wlab_buf_clear(&gp);
    wlab_buf_clear(&dat);
    wlab_buf_clear(&kinds);
    wlab_free(gp_to);
    wlab_free(dat_to);
    wlab_free(path);
    wlab_free(gp_path);
    wlab_free(dat_path);
    return code;
}

static wlab_code execute(wlab_session *s, const wlab_args *a, wlab_err *err)
{
    request q = {0};
    wlab_where where = WL_AS_TEXT;
    wlab_figure f;
    wlab_code code;

    if (!a->nwords)
        return list_views(s, err);
    if ((code = parse(&q, s, a, err)))
        return code;
    wlab_view_request v = {.run = q.run,
                           .runs = q.show.runs,
                           .vs = q.show.vs,
                           .vs_given = q.show.vs_given,
                           .ctx = wlab_session_ctx(s)};
    if (!q.to && (code = wlab_show_where(s, &q.show, &v, &where, err)))
        return code;
    if (where == WL_NOWHERE)
        wlab_session_say(s, "nothing is drawn: terminal=none; `set terminal=auto` draws");
    if (where == WL_IN_PANE || where == WL_NOWHERE)
        return WL_OK;
    wlab_figure_init(&f, q.to ? q.kind == WL_TXT : where == WL_AS_TEXT);
    code = wlab_view_draw(q.show.view, &f, &v, err); /* for a window too: what cannot be drawn is said now */
    if (!code)
        code = q.to                    ? save(s, &q, &f, err)
               : where == WL_IN_WINDOW ? wlab_show_window(s, &q.show, err)
               : where == WL_AS_SIXEL  ? wlab_show_sixel(s, &f, err)
                                       : show_text(s, &q, &f, err);
    wlab_figure_clear(&f);
    return code;
}

/* VIEW [RUN...] [vs AXIS] [to FILE|terminal] */
static void offer(wlab_offers *o, const wlab_session *s)
{
    static const char *const axis_meaning[] = {"steps", "inner iterations", "the solver's time"};
    const wlab_args *a = o->typed;
    const char *before = a->nwords > 0 ? a->word[a->nwords - 1] : "";
    bool vs = false, to = false;

    for (int i = 1; i < a->nwords; i++) {
        vs = vs || !strcmp(a->word[i], "vs");
        to = to || !strcmp(a->word[i], "to");
    }
    if (a->nwords == 0) {
        for (const wlab_view_info *v = wlab_views; v->name; v++)
            wlab_offers_add(o, v->name, NULL, v->summary, 0);
    } else if (!strcmp(before, "vs")) {
        wlab_offers_list(o, wlab_axis_names, axis_meaning);
    } else if (!strcmp(before, "to")) {
        wlab_offers_add(o, "terminal", NULL, "here, as a picture or as text", 0);
        wlab_offers_files(o, s, WL_FILES_ANY, "");
    } else {
        if (!vs && !to)
            wlab_offers_runs(o, s, true);
        if (!vs)
            wlab_offers_add(o, "vs", NULL, "what the x axis shows follows", 0);
        if (!to)
            wlab_offers_add(o, "to", NULL, "a file (.png, .svg, .pdf, .txt) or `terminal` follows", 0);
    }
}

static const wlab_command command = {
    .name = "plot",
    .alias = "p",
    .usage = "plot VIEW [RUN...] [vs iter|inner|seconds] [to FILE|terminal]",
    .summary = "draw a view of the run: live in a window, on the terminal, or into a file",
    .help =
        "VIEW is a picture of one run, or of several laid over each other: objective, gap, flips, violation, "
        "mu, boundary; `plot` alone lists them with what they show. RUN names other runs than the current "
        "one.\n"
        "\n"
        "`vs inner` puts inner iterations and `vs seconds` the solver's time on the x axis; times differ "
        "from "
        "run to run, so only then are they in the data file. The title has the parameters of the start; a "
        "thin line marks the step after which `set` changed one.\n"
        "\n"
        "In `boundary` a point has the colour of its newest label, as it is chosen for the working set; the "
        "shades behind it are the model's prediction, and the two may differ. A ring marks a label that the "
        "last step changed.\n"
        "\n"
        "`to FILE` writes a picture; its ending chooses the kind: .png, .svg, .pdf or .txt. Beside it go a "
        ".dat "
        "with the numbers in plain columns (17 digits; 6 for the grid of `boundary`) and a .gp: `gnuplot "
        "FILE.gp`, in that folder, draws the picture again. So one name belongs to one figure, in as many "
        "kinds as you like: what rebuilds another figure is not overwritten.\n"
        "\n"
        "Without `to`, `set terminal=` says where it goes. `auto`, the default: in the dashboard its pane "
        "comes to the "
        "front; where there is a display and a gnuplot with qt, wxt or x11, it is a window that is drawn "
        "again at "
        "each pause and, as far as there is time, while a run goes (at most a hundredth of it); on a "
        "terminal that says "
        "it can show sixel pictures it is one; else, and in scripts without a terminal, it is text. `to "
        "terminal` draws "
        "it once in the terminal, as a picture or as text, whatever the setting.",
    .flags = WL_C_SHOWS,
    .execute = execute,
    .offer = offer,
};

wlab_code wlab_plot_register(wlab_session *s, wlab_err *err)
{
    static const wlab_command *const commands[] = {&command, NULL};
    wlab_code code = wlab_show_register(s, err);
    code = code ? code : wlab_session_add_commands(s, commands, err);
    if (!code)
        wlab_session_set_views(s, wlab_views);
    return code;
}
