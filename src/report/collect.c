/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Executes a script in a session of its own and collects what it says, does and draws.  A second session then replays what
 * the first one recorded, and compares the digests.
 */
#include "base/file.h"
#include "base/list.h"
#include "plot/draw/temporary.h"
#include "plot/plot.h"
#include "report/report.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    POLL_MS = 50 /* between two looks at the interrupt of the outer session */
};

/* A session that the report opens. */
typedef struct inner {
    wlab_session *s;
    wlab_ctx *outer; /* of the session that makes the report */
} inner;

typedef struct collector {
    inner in;
    wlab_report *r;
    int shows; /* commands under way that only change the screen or talk: their answers are not results */
    const wlab_view *asked[WL_REPORT_VIEWS];
    int nasked;
    bool drawn;     /* the command under way has drawn a figure, and speaks of files that nobody keeps */
    int64_t from;   /* where the last stretch of steps began */
    int run;        /* number of the current run before the command; 0: none */
    int64_t iter;   /* its steps */
    wlab_code code; /* the first error of the collection itself */
    wlab_err err;
} collector;

static void pass_interrupt(const inner *in)
{
    if (wlab_interrupted(in->outer))
        wlab_session_interrupt(in->s);
}

/* Waits for the inner session's solver. */
static void wait_inner(void *self, int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};

    while (poll(&p, 1, POLL_MS) == 0)
        pass_interrupt(self);
}

wlab_item *wlab_report_add(wlab_report *r, wlab_item_kind kind)
{
    wlab_item *grown = wlab_realloc(r->item, (size_t)r->items + 1, sizeof *grown);

    if (!grown)
        return NULL;
    r->item = grown;
    grown[r->items] = (wlab_item){.kind = kind};
    return &grown[r->items++];
}

static void clear_item(wlab_item *item)
{
    for (int k = 0; k < item->frames; k++) {
        for (int v = 0; v < WL_REPORT_VIEWS; v++)
            wlab_buf_clear(&item->frame[k].picture[v]);
        wlab_free(item->frame[k].explanation);
    }
    wlab_free(item->frame);
    wlab_buf_clear(&item->text);
    wlab_buf_clear(&item->picture);
}

void wlab_report_clear(wlab_report *r)
{
    for (int i = 0; i < r->items; i++)
        clear_item(&r->item[i]);
    wlab_free(r->item);
    wlab_free(r->title);
    wlab_free(r->folder);
    wlab_free(r->session);
    wlab_free(r->verdict);
    *r = (wlab_report){0};
}

static void failed(collector *c, wlab_code code)
{
    if (!c->code)
        c->code = code;
    wlab_session_interrupt(c->in.s);
}

/* The item of this kind that belongs to the command under way, or to the prose; NULL: there is none yet. */
static wlab_item *open_item(const wlab_report *r, wlab_item_kind kind)
{
    const bool answers = kind == WL_ITEM_RESULT || kind == WL_ITEM_NOTE;

    for (int i = r->items - 1; i >= 0; i--) {
        const wlab_item_kind is = r->item[i].kind;
        if (is == kind)
            return &r->item[i];
        if (!answers || (is != WL_ITEM_RESULT && is != WL_ITEM_NOTE))
            return NULL;
    }
    return NULL;
}

/* Appends text to such an item, or begins one. */
static void put(collector *c, wlab_item_kind kind, const char *text)
{
    wlab_report *r = c->r;
    wlab_item *last = open_item(r, kind);
    const size_t len = strlen(text);
    last = last ? last : wlab_report_add(r, kind);
    wlab_code code = last ? wlab_buf_put(&last->text, text, len) : WL_ENOMEM;

    if (!code && kind != WL_ITEM_RESULT && (len == 0 || text[len - 1] != '\n')) /* results come in pieces */
        code = wlab_buf_put(&last->text, "\n", 1);
    if (code)
        failed(c, wlab_nomem(&c->err));
}

static void take_text(void *self, const char *text)
{
    collector *c = self;
    if (!c->shows)
        put(c, WL_ITEM_RESULT, text);
}

static void take_message(void *self, const char *text)
{
    collector *c = self;
    if (!c->shows && !c->drawn)
        put(c, WL_ITEM_NOTE, text);
}

static void take_caption(void *self, const char *text)
{
    put(self, WL_ITEM_SAY, text);
}

static void take_event(void *self, const wlab_event *event)
{
    collector *c = self;

    pass_interrupt(&c->in);
    if ((event->kind == WL_EV_NOTE || event->kind == WL_EV_WARNING) && event->text[0])
        put(c, WL_ITEM_NOTE, event->text);
}

/* The views among the words of a command about the screen become the first of c->asked, which the frames of the next steps
 * show.  Returns how many there are. */
static int read_screen(collector *c, const char *text)
{
    const wlab_view *view[WL_REPORT_VIEWS];
    int n = 0;
    char word[40];

    for (const char *at = text; *at;) {
        at += strspn(at, " ");
        const size_t len = strcspn(at, " ");
        snprintf(word, sizeof word, "%.*s", (int)len, at);
        const wlab_view *one = len < sizeof word ? wlab_view_find(word) : NULL;
        if (one && n < WL_REPORT_VIEWS)
            view[n++] = one;
        at += len;
    }
    if (n == 0)
        return 0;
    memmove(c->asked + n, c->asked, (size_t)(WL_REPORT_VIEWS - n) * sizeof *c->asked);
    memcpy(c->asked, view, (size_t)n * sizeof *view);
    c->nasked =
        c->nasked + n < 2 ? c->nasked + n : 2; /* the newest two, as the dashboard shows several panes */
    if (c->nasked == 2 && c->asked[0] == c->asked[1])
        c->nasked = 1;
    return n;
}

static void note_run(collector *c)
{
    const wlab_run *run = wlab_session_run(c->in.s);
    c->run = run ? wlab_run_number(run) : 0;
    c->iter = run ? wlab_run_iter(run) : 0;
}

static void draw_steps(collector *c, const wlab_run *run, const wlab_view *const *view, int n)
{
    wlab_code code =
        c->code ? WL_OK : wlab_report_steps(c->r, run, c->from, view, n, wlab_session_ctx(c->in.s), &c->err);
    if (code)
        failed(c, code);
}

static void add_steps(collector *c)
{
    const wlab_run *run = wlab_session_run(c->in.s);
    const bool given = c->r->views > 0;

    if (!run)
        return;
    const int64_t from = wlab_run_number(run) == c->run ? c->iter : 0;
    if (wlab_run_iter(run) <= from)
        return;
    c->from = from;
    note_run(c);
    draw_steps(c, run, given ? c->r->view : c->asked, given ? c->r->views : c->nasked);
}

/* A script that puts another view on the screen speaks about it next: the last stretch of steps in that view. */
static void add_views(collector *c, int n)
{
    const wlab_run *run = wlab_session_run(c->in.s);

    if (n > 0 && c->r->views == 0 && run && wlab_run_number(run) == c->run && wlab_run_iter(run) > c->from)
        draw_steps(c, run, c->asked, n);
}

static void take_command(void *self, const char *text, unsigned flags, bool begins)
{
    collector *c = self;
    const bool silent = (flags & (WL_C_SAYS | WL_C_WAITS | WL_C_SCREEN)) != 0;

    pass_interrupt(&c->in);
    if (flags & WL_C_SCREEN) {
        c->shows += begins ? 1 : -1;
        if (begins)
            add_views(c, read_screen(c, text));
    }
    if (flags & WL_C_WAITS && begins &&
        open_item(c->r, WL_ITEM_SAY)) /* the next words answer: a new paragraph */
        put(c, WL_ITEM_SAY, "");
    if (silent)
        return;
    if (begins) {
        put(c, WL_ITEM_COMMAND, text);
        c->drawn = false;
        if (flags & WL_C_STEPS)
            note_run(c);
    } else if (flags & WL_C_STEPS) {
        add_steps(c);
    }
}

static wlab_code take_figure(void *self, const wlab_figure *f, const char *view, wlab_err *err)
{
    collector *c = self;
    wlab_item *item = wlab_report_add(c->r, WL_ITEM_FIGURE);
    c->drawn = true;

    if (!item || wlab_buf_printf(&item->text, "%s", view))
        return wlab_nomem(err);
    return wlab_report_draw(c->r, f, &item->picture, wlab_session_ctx(c->in.s), err);
}

/* ---- the temporary folder ---- */

static char *read_text(const char *path)
{
    FILE *in = fopen(path, "re");
    wlab_buf b = {0};
    char piece[4096];
    size_t n;
    bool bad = !in;

    while (in && !bad && (n = fread(piece, 1, sizeof piece, in)) > 0)
        bad = wlab_buf_put(&b, piece, n) != WL_OK;
    if (in)
        fclose(in);
    if (!bad && !b.data)
        bad = wlab_buf_put(&b, "", 0) != WL_OK;
    if (bad)
        wlab_buf_clear(&b);
    return (char *)b.data;
}

/* ---- the replay ---- */

typedef struct checker {
    inner in;
    char *said; /* the last message */
} checker;

static void check_text(void *self, const char *text)
{
    (void)self;
    (void)text;
}

static void check_message(void *self, const char *text)
{
    checker *c = self;
    char *copy = wlab_strdup(text);
    if (copy) {
        wlab_free(c->said);
        c->said = copy;
    }
}

/* Replays the recording and notes what that says.  A difference is no error: the report shows it. */
static wlab_code check(wlab_report *r, const wlab_report_from *from, const wlab_places *places,
                       const char *path, wlab_ctx *outer, wlab_err *err)
{
    checker c = {.in.outer = outer};
    const wlab_sink sink = {.text = check_text, .message = check_message, .self = &c};
    wlab_err differs = {0};
    wlab_code code = from->open(&c.in.s, from->outer, &sink, places, err);

    if (code)
        return code;
    wlab_session_set_terminal(c.in.s, &(wlab_terminal){.idle = wait_inner, .self = &c.in});
    code = wlab_session_replay(c.in.s, path, true, 1e-6, 0, &differs);
    wlab_session_destroy(c.in.s);
    r->held = code == WL_OK;
    if (code == WL_EDIFFERS || code == WL_OK) {
        const char *said = code ? differs.message : c.said ? c.said : "the replay gave the same results";
        const size_t name = strlen(path); /* of a temporary file, mostly */
        if (strncmp(said, path, name) == 0 && strncmp(said + name, ": ", 2) == 0)
            said += name + 2;
        r->verdict = wlab_strdup(said);
        code = r->verdict ? WL_OK : wlab_nomem(err);
    } else {
        *err = differs;
    }
    wlab_free(c.said);
    return code;
}

/* ---- collecting ---- */

/* The first comment of a script is its title; NULL: it does not begin with one, or no memory. */
static char *title_of(const char *script)
{
    if (script[0] != '#' || script[1] != ' ')
        return NULL;
    size_t len = strcspn(script + 2, "\r\n");
    while (len > 0 && (script[2 + len - 1] == '.' || script[2 + len - 1] == ' '))
        len--;
    return wlab_strndup(script + 2, len);
}

static bool has_digests(const char *script)
{
    return strncmp(script, "#@ weaklab ", 11) == 0;
}

static wlab_code execute(collector *c, const wlab_report_from *from, const wlab_places *places,
                         const char *path, const char *record, wlab_err *err)
{
    const wlab_sink sink = {.text = take_text,
                            .message = take_message,
                            .event = take_event,
                            .caption = take_caption,
                            .executes = take_command,
                            .self = c};
    const wlab_plot_taker taker = {take_figure, c};
    wlab_code code = from->open(&c->in.s, from->outer, &sink, places, err);

    if (code)
        return code;
    wlab_session_set_terminal(c->in.s, &(wlab_terminal){.idle = wait_inner, .self = &c->in});
    code = wlab_plot_set_taker(c->in.s, &taker, err);
    c->shows++; /* what recording says is no result of the script */
    code = code ? code : wlab_session_record(c->in.s, record, WL_FROM_PERSON, err);
    c->shows--;
    code = code ? code : wlab_session_script(c->in.s, path, WL_FROM_SCRIPT, err);
    if (c->code) { /* it interrupted the script */
        code = c->code;
        *err = c->err;
    }
    c->shows++;
    wlab_code stopped = wlab_session_record_stop(c->in.s, code ? NULL : err);
    code = code ? code : stopped;
    wlab_session_destroy(c->in.s);
    return code;
}

wlab_code wlab_report_collect(wlab_report *r, const wlab_report_from *from, const wlab_places *outer,
                              const char *path, wlab_ctx *ctx, wlab_err *err)
{
    char *folder;
    collector c = {.r = r, .in.outer = ctx};
    wlab_places places = *outer;

    wlab_code code = wlab_temporary_make("report", &folder, err);
    if (code)
        return code;
    char *record = wlab_format("%s/session.wlab", folder), *files = wlab_format("%s/files", folder);
    code = record && files ? WL_OK : wlab_nomem(err);

    if (!code) {
        places.out_dir = files;
        code = execute(&c, from, &places, path, record, err);
    }
    if (!code && !(r->session = read_text(record)))
        code = wlab_nomem(err);
    char *script = code ? NULL : read_text(path);
    if (!code && !script)
        code = wlab_fail_errno(err, "cannot read '%.400s'", path);
    if (!code)
        code = check(r, from, &places, has_digests(script) ? path : record, ctx, err);
    if (!code && !r->title) {
        const char *base = strrchr(path, '/');
        r->title = title_of(script);
        if (!r->title)
            r->title = wlab_strdup(base ? base + 1 : path);
        if (!r->title)
            code = wlab_nomem(err);
    }
    wlab_free(script);
    wlab_file_remove_folder(folder);
    wlab_free(folder);
    wlab_free(record);
    wlab_free(files);
    return code;
}
