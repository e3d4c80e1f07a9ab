/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * report: writes a session as a page to read.
 */
#include "plot/draw/temporary.h"
#include "report/report.h"
#include "session/complete/complete.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const wlab_report_format *const formats[] = {&wlab_report_html, &wlab_report_markdown,
                                                    &wlab_report_latex, NULL};
static const char key[] = "report";

static const wlab_param_info params[] = {
    {.name = "views",
     .type = WL_P_TEXT,
     .meaning = "views that the frames of the steps show, joined by commas (at most 4); the default is what "
                "the script "
                "shows on the dashboard, else where the rows lie, and the objective"},
    {.name = NULL}};

typedef struct work {
    wlab_report *r;
    const wlab_report_from *from;
    const wlab_places *places;
    const char *path;
} work;

static wlab_code collect(void *data, wlab_ctx *ctx, wlab_err *err)
{
    const work *w = data;
    return wlab_report_collect(w->r, w->from, w->places, w->path, ctx, err);
}

static wlab_code find_format(const char *path, const wlab_report_format **format, wlab_err *err)
{
    const char *dot = strrchr(path, '.');

    for (int k = 0; formats[k]; k++)
        if (dot && strcmp(dot + 1, formats[k]->ending) == 0) {
            *format = formats[k];
            return WL_OK;
        }
    return wlab_fail(err, WL_EARG, "the name of a report must end in .html, .md or .tex, unlike '%.300s'",
                     path);
}

static wlab_code read_views(wlab_report *r, const char *list, wlab_err *err)
{
    char name[40];

    for (const char *at = list; at && *at;) {
        const size_t len = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)len, at);
        const wlab_view *view = len < sizeof name ? wlab_view_find(name) : NULL;
        if (!view)
            return wlab_fail(err, WL_EARG, "views=: no view \"%s\"; `plot` alone lists them", name);
        if (r->views == WL_REPORT_VIEWS)
            return wlab_fail(err, WL_EARG, "views=: at most %d", WL_REPORT_VIEWS);
        r->view[r->views++] = view;
        at += len + (at[len] == ',');
    }
    return WL_OK;
}

/* *written (may be NULL): the path at which the file is. */
static wlab_code write_file(wlab_session *s, const char *path, const wlab_buf *b, const char *const *allowed,
                            char **written, wlab_err *err)
{
    wlab_output *out = NULL;
    wlab_code code = wlab_output_open(&out, s, path, allowed, err);

    if (code)
        return code;
    code = wlab_output_write(out, b->data, b->len, err);
    if (!code && written && !(*written = wlab_strdup(wlab_output_path(out))))
        code = wlab_nomem(err);
    wlab_code closed = wlab_output_close(out, !code, code ? NULL : err);
    return code ? code : closed;
}

/* The pictures beside the file, under the names that the format gives them. */
static wlab_code write_pictures(wlab_session *s, const wlab_report *r, const char *path, wlab_err *err)
{
    const char *const ending[] = {wlab_image_names[r->format->image], NULL};
    const int folder = (int)(strrchr(path, '/') ? strrchr(path, '/') + 1 - path : 0);
    wlab_code code = WL_OK;

    for (int i = 0; i < r->items && !code; i++) {
        const wlab_item *item = &r->item[i];
        for (int v = 0; v < (item->kind == WL_ITEM_FIGURE ? 1 : item->views) && !code; v++) {
            const wlab_buf *b =
                item->kind == WL_ITEM_FIGURE ? &item->picture : &item->frame[item->frames - 1].picture[v];
            char *name = wlab_format("%.*s%s/%d-%d.%s", folder, path, r->folder, i, v, ending[0]);
            code = !name ? wlab_nomem(err) : b->len ? write_file(s, name, b, ending, NULL, err) : WL_OK;
            wlab_free(name);
        }
    }
    return code;
}

/* The session so far, as a script. */
static wlab_code write_journal(wlab_session *s, char **path, wlab_err *err)
{
    int n, fd;
    char *const *line = wlab_session_journal(s, &n);
    wlab_code code = WL_OK;

    if (n == 0)
        return wlab_fail(err, WL_ESTATE,
                         "there is nothing to report yet; `report SCRIPT to FILE` reports on a script");
    char *name = wlab_temporary_name("journal");
    if (!name)
        return wlab_nomem(err);
    if ((fd = mkstemp(name)) < 0) {
        wlab_free(name);
        return wlab_fail_errno(err, "cannot make a temporary file (in $TMPDIR, or in /tmp)");
    }
    FILE *out = fdopen(fd, "w");
    for (int i = 0; out && i < n; i++)
        fprintf(out, "%s\n", line[i]);
    if (!out || fclose(out))
        code = wlab_fail_errno(err, "cannot write the temporary file '%.400s'", name);
    if (!code) {
        *path = name;
        return WL_OK;
    }
    (void)unlink(name);
    wlab_free(name);
    return code;
}

static wlab_code make(wlab_session *s, wlab_report *r, const char *script, const char *to, wlab_err *err)
{
    static const char *const allowed[] = {"html", "md", "tex", NULL};
    wlab_report_opens *open = wlab_session_attached(s, key);
    const char *base = strrchr(to, '/') ? strrchr(to, '/') + 1 : to;
    wlab_places places;
    wlab_buf page = {0};
    char *found = NULL, *written = NULL;
    wlab_code code =
        script ? wlab_session_find_script(s, script, &found, err) : write_journal(s, &found, err);

    if (code)
        return code;
    wlab_session_places(s, &places);
    const wlab_report_from from = {*open, s};
    work w = {r, &from, &places, found};
    r->folder = wlab_format("%.*s-files", (int)(strrchr(base, '.') - base), base);
    if (!script)
        r->title = wlab_strdup("A session of weaklab");
    code = r->folder && (script || r->title) ? wlab_session_call(s, collect, &w, err) : wlab_nomem(err);
    if (!code && r->format->write(r, &page))
        code = wlab_nomem(err);
    if (!code && !r->format->inside)
        code = write_pictures(s, r, to, err);
    code = code ? code : write_file(s, to, &page, allowed, &written, err);
    if (!code) {
        wlab_session_object(s, json_pack("{s:s, s:s, s:b, s:s}", "type", "report", "file", written, "held",
                                         r->held, "verdict", r->verdict));
        if (!wlab_session_sink(s)->json)
            wlab_session_say(s, "report written to %s; %s", written, r->verdict);
    }
    if (!script)
        (void)unlink(found);
    wlab_buf_clear(&page);
    wlab_free(found);
    wlab_free(written);
    return code;
}

static wlab_code execute(wlab_session *s, const wlab_args *a, wlab_err *err)
{
    wlab_report r = {0};
    const wlab_report_opens *open = wlab_session_attached(s, key);
    const char *to = a->nwords > 0 ? a->word[a->nwords - 1] : NULL;
    wlab_code code;

    if (a->nwords != 1 && !(a->nwords == 3 && strcmp(a->word[1], "to") == 0))
        return wlab_fail(err, WL_EARG,
                         "report takes a file for the session so far, `report page.html`, or a script and a "
                         "file, `report SCRIPT to page.html`");
    code = wlab_session_record_as(s, err, NULL); /* or the session's own report would make a report */
    if (!code && !*open) {
        wlab_session_say(s, "a report within a report is not made");
        return WL_OK;
    }
    code = code ? code : find_format(to, &r.format, err);
    code = code ? code : read_views(&r, wlab_params_text(a->params, "views"), err);
    code = code ? code : make(s, &r, a->nwords == 3 ? a->word[0] : NULL, to, err);
    wlab_report_clear(&r);
    return code;
}

static void offer(wlab_offers *o, const wlab_session *s)
{
    if (o->typed->nwords == 1)
        wlab_offers_add(o, "to", NULL, "the file follows", 0);
    else
        wlab_offers_files(o, s, WL_FILES_ANY, "");
}

static const wlab_command command = {
    .name = "report",
    .usage = "report [SCRIPT to] FILE [views=VIEW,...]",
    .summary = "write a session as a page to read: .html, .md or .tex",
    .help = "Executes SCRIPT, or the session so far, again in a session of its own, and writes FILE: what "
            "`say` says as text, "
            "the commands and their results, and every figure. A .html page holds all that in one file that "
            "needs nothing "
            "else; where the session stepped it has a slider over the steps, with pictures and explanation. "
            ".md and .tex have "
            "pictures of the last step only, in the folder NAME-files beside the file. At its end is the "
            "session with its "
            "digests, and what `replay --check` says of it. Of a session that you type it has what a "
            "recording has: no `explain` "
            "or `info`, and no command that failed.\n"
            "\n"
            "What the script itself writes goes to a temporary folder, and is removed. A stretch of more "
            "than 24 steps has 24 "
            "frames. `weaklab report SCRIPT -o FILE` does the same from the shell.",
    .params = params,
    .flags = WL_C_SHOWS | WL_C_FILES | WL_C_SHARED,
    .execute = execute,
    .offer = offer,
};

static void release(void *data)
{
    wlab_free(data);
}

wlab_code wlab_report_register(wlab_session *s, wlab_report_opens open, wlab_err *err)
{
    static const wlab_command *const commands[] = {&command, NULL};
    wlab_report_opens *kept = wlab_alloc(1, sizeof *kept);

    if (!kept)
        return wlab_nomem(err);
    *kept = open;
    wlab_code code = wlab_session_attach(s, key, kept, release, err);
    return code ? code : wlab_session_add_commands(s, commands, err);
}
