/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Figures on the screen: in a live window, as a picture in the terminal, as text.
 */
#include "plot/show.h"
#include "plot/draw/gnuplot.h"
#include "plot/draw/render.h"
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_SLOT = WL_LIVE_SLOTS - WL_LIVE_WINDOWS,
    WINDOW_COLUMNS = 900,
    WINDOW_GRID_X = 120,
    WINDOW_GRID_Y = 80
};

typedef struct window {
    bool open;
    wlab_show show;
    int64_t serial; /* sum of the serial numbers of the mirrors when they were drawn; -1: not drawn yet */
    /* a new window replaces the one with the smallest order, which was requested longest ago */
    int64_t order;
} window;

typedef struct plots {
    wlab_plot_screen screen;
    bool has_screen;
    window window[WL_LIVE_WINDOWS];
    int64_t order;
    char terminal[8]; /* the terminal for windows, "" none; gnuplot is queried once */
    bool queried;
} plots;

static void plots_destroy(void *p)
{
    wlab_free(p);
}

wlab_code wlab_show_register(wlab_session *s, wlab_err *err)
{
    plots *p = wlab_calloc(1, sizeof *p);
    if (!p)
        return wlab_nomem(err);
    return wlab_session_attach(s, "plots", p, plots_destroy, err);
}

void wlab_plot_set_screen(wlab_session *s, const wlab_plot_screen *screen)
{
    plots *p = wlab_session_attached(s, "plots");
    if (!p)
        return;
    p->has_screen = screen != NULL;
    p->screen = screen ? *screen : (wlab_plot_screen){0};
}

static const atomic_int *interrupt_of(wlab_session *s)
{
    const wlab_ctx *ctx = wlab_session_ctx(s);
    return ctx ? ctx->interrupt : NULL;
}

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value;
}

/* The first of gnuplot's window terminals that works here; "": none.  `requested`: consider only it; NULL: all. */
static wlab_code window_terminal(wlab_session *s, const char *requested, char found[8], wlab_err *err)
{
    static const char *const names[] = {"qt", "wxt", "x11"};
    plots *p = wlab_session_attached(s, "plots");
    wlab_gnuplot *g = NULL;
    wlab_code code = WL_OK;
    found[0] = '\0';
    if (!is_set("DISPLAY") && !(is_set("WAYLAND_DISPLAY") && !(requested && !strcmp(requested, "x11"))))
        return WL_OK;
    if (!requested && p->queried) {
        strcpy(found, p->terminal);
        return WL_OK;
    }
    code = wlab_gnuplot_create(&g, NULL, NULL, 0, err);
    for (size_t i = 0; i < sizeof names / sizeof *names && !code && !found[0]; i++) {
        bool has = false;
        if (requested ? strcmp(requested, names[i]) != 0 : i == 2 && !is_set("DISPLAY"))
            continue;
        code = wlab_gnuplot_has(g, names[i], &has, interrupt_of(s), err);
        if (has)
            strcpy(found, names[i]);
    }
    wlab_gnuplot_destroy(g);
    if (!code && !requested) {
        p->queried = true;
        strcpy(p->terminal, found);
    }
    return code;
}

/* Whether to draw a sixel picture.  Querying the terminal takes a moment, so do it only when the answer matters. */
static bool draws_sixel(const plots *p, const char *terminal)
{
    int width, height;
    return p->screen.raw && (!strcmp(terminal, "sixel") ||
                             (p->screen.sixel && p->screen.sixel(p->screen.self, &width, &height)));
}

/* Test whether the view can be drawn of these runs, by drawing a small picture. */
static wlab_code try_view(const wlab_show *show, const wlab_view_request *q, wlab_err *err)
{
    wlab_view_request small = *q;
    wlab_figure f;

    small.live = true;
    small.columns = small.grid_x = small.grid_y = 2;
    wlab_figure_init(&f, false);
    wlab_code code = wlab_view_draw(show->view, &f, &small, err);
    wlab_figure_clear(&f);
    return code;
}

wlab_code wlab_show_where(wlab_session *s, const wlab_show *show, const wlab_view_request *q,
                          wlab_where *where, wlab_err *err)
{
    plots *p = wlab_session_attached(s, "plots");
    const char *terminal = wlab_params_text(wlab_session_settings(s), "terminal");
    char found[8];
    wlab_code code;
    *where = WL_AS_TEXT;
    if (!p || !p->has_screen || wlab_session_sink(s)->json)
        return WL_OK;
    if (!show->here && p->screen.show && (code = try_view(show, q, err)))
        return code; /* report the error: an empty pane would not say why it is empty */
    if (!show->here && p->screen.show &&
        p->screen.show(p->screen.self, show->view->name, show->run, show->runs, show->vs)) {
        *where = WL_IN_PANE;
        return WL_OK;
    }
    bool is_auto = !strcmp(terminal, "auto");
    if (show->here) {
        *where = strcmp(terminal, "dumb") != 0 && draws_sixel(p, terminal) ? WL_AS_SIXEL : WL_AS_TEXT;
    } else if (!strcmp(terminal, "none")) {
        *where = WL_NOWHERE;
    } else if (!strcmp(terminal, "sixel")) {
        *where = draws_sixel(p, terminal) ? WL_AS_SIXEL : WL_AS_TEXT;
    } else if (strcmp(terminal, "dumb") != 0 && p->screen.windows) {
        code = window_terminal(s, is_auto ? NULL : terminal, found, err);
        if (code && !is_auto)
            return code;
        if (!code && found[0])
            *where = WL_IN_WINDOW;
        else if (!is_auto)
            return wlab_fail(
                err, WL_EARG,
                "windows of kind %s are not available here: they need a display and a gnuplot built with "
                "that terminal; `set terminal=auto` draws elsewhere",
                terminal);
    }
    if (is_auto && !show->here && *where == WL_AS_TEXT && draws_sixel(p, terminal))
        *where = WL_AS_SIXEL;
    return WL_OK;
}

/* ---- a picture in the terminal ---- */

wlab_code wlab_show_sixel(wlab_session *s, const wlab_figure *f, wlab_err *err)
{
    const wlab_plot_screen *screen = &((const plots *)wlab_session_attached(s, "plots"))->screen;
    int wide = 0, high = 0;
    if (screen->sixel)
        (void)screen->sixel(screen->self, &wide, &high);
    int width = wide > 0 ? wide * 9 / 10 : 800, height;
    wlab_buf image = {0};
    width = width < 320 ? 320 : width > 1200 ? 1200 : width;
    height = width * 5 / 8;
    if (high > 0 && height > high * 3 / 4)
        height = high * 3 / 4;
    height = height < 200 ? 200 : height;
    wlab_code code = wlab_render_sixel(f, width, height, NULL, NULL, interrupt_of(s), &image, err);
    if (!code) {
        wlab_session_print(s, "\n"); /* puts earlier output on the screen before the picture */
        screen->raw(screen->self, image.data, image.len);
        screen->raw(screen->self, "\n", 1);
    }
    wlab_buf_clear(&image);
    return code;
}

/* ---- windows ---- */

static bool same(const wlab_show *a, const wlab_show *b)
{
    return a->view == b->view && a->runs == b->runs && a->vs == b->vs &&
           !memcmp(a->run, b->run, (size_t)a->runs * sizeof *a->run);
}

wlab_code wlab_show_window(wlab_session *s, const wlab_show *show, wlab_err *err)
{
    plots *p = wlab_session_attached(s, "plots");
    int at = -1;
    (void)err;
    for (int i = 0; i < WL_LIVE_WINDOWS; i++)
        if (p->window[i].open && same(&p->window[i].show, show))
            at = i;
    for (int i = 0; i < WL_LIVE_WINDOWS && at < 0; i++)
        if (!p->window[i].open)
            at = i;
    for (int i = 0, oldest = 0; i < WL_LIVE_WINDOWS && at < 0; i++) {
        if (p->window[i].order < p->window[oldest].order)
            oldest = i;
        if (i + 1 == WL_LIVE_WINDOWS)
            at = oldest;
    }
    p->window[at] = (window){.open = true, .show = *show, .serial = -1, .order = ++p->order};
    wlab_session_say(s, "%s is shown live in window %d", show->view->name, at + 1);
    return WL_OK;
}

int wlab_plot_windows(const wlab_session *s)
{
    const plots *p = wlab_session_attached(s, "plots");
    int n = 0;
    for (int i = 0; p && i < WL_LIVE_WINDOWS; i++)
        n += p->window[i].open;
    return n;
}

/* Queue the figure of one window if its runs changed.  WL_EIO: windows are not possible. */
static wlab_code draw_window(wlab_session *s, wlab_live *live, window *w, int number, const char *terminal)
{
    wlab_view_run run[WL_PLOT_RUNS];
    int64_t serial = 0;
    double start = wlab_thread_seconds();
    wlab_figure f;
    wlab_code code;

    if (w->serial >= 0 && wlab_live_closed(live, FIRST_SLOT + number)) {
        w->open = false; /* the user closed it */
        return WL_OK;
    }

    for (int r = 0; r < w->show.runs; r++) {
        const wlab_mirror *m = wlab_session_mirror(s, w->show.run[r]);
        if (!m && wlab_session_running(s))
            return WL_OK; /* draw it at the pause */
        if (!m) {         /* its run was deleted */
            w->open = false;
            wlab_live_forget(live, FIRST_SLOT + number);
            return WL_OK;
        }
        serial += m->serial;
        run[r] = wlab_view_run_of_mirror(m);
    }
    if (serial == w->serial)
        return WL_OK;
    wlab_view_request q = {.run = run,
                           .runs = w->show.runs,
                           .vs = w->show.vs,
                           .marks = w->show.marks,
                           .ctx = NULL,
                           .live = true,
                           .columns = WINDOW_COLUMNS,
                           .grid_x = WINDOW_GRID_X,
                           .grid_y = WINDOW_GRID_Y};
    wlab_figure_init(&f, false);
    code = wlab_view_draw(w->show.view, &f, &q, NULL);
    wlab_live_charge(live, wlab_thread_seconds() - start);
    if (!code)
        code = wlab_live_window(live, FIRST_SLOT + number, &f, terminal, number + 1, NULL);
    else
        code = WL_OK; /* nothing to draw yet */
    wlab_figure_clear(&f);
    w->serial = serial;
    return code;
}

void wlab_plot_refresh(wlab_session *s, wlab_live *live)
{
    plots *p = wlab_session_attached(s, "plots");
    const char *terminal = wlab_params_text(wlab_session_settings(s), "terminal");
    char found[8] = "";
    if (!wlab_plot_windows(s))
        return;
    if (!strcmp(terminal, "auto"))
        (void)window_terminal(s, NULL, found, NULL);
    else if (!strcmp(terminal, "qt") || !strcmp(terminal, "wxt") || !strcmp(terminal, "x11"))
        strcpy(found, terminal);
    for (int i = 0; i < WL_LIVE_WINDOWS && found[0]; i++) /* first, because this changes the mirrors */
        if (p->window[i].open)
            wlab_view_prepare(p->window[i].show.view, s, p->window[i].show.run[0]);
    for (int i = 0; i < WL_LIVE_WINDOWS && found[0]; i++)
        if (p->window[i].open && draw_window(s, live, &p->window[i], i, found) == WL_EIO)
            found[0] = '\0';
    if (!found[0]) /* another terminal was set, or windows turned out not to be possible */
        for (int i = 0; i < WL_LIVE_WINDOWS; i++) {
            p->window[i].open = false;
            wlab_live_forget(live, FIRST_SLOT + i);
        }
}
