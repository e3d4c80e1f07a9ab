/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Live pictures.  A request keeps strokes (pictures) or a script (windows): a small copy of what is to be drawn, so
 * that it can be drawn again after a failure, or without gnuplot.
 */
#include "plot/draw/live.h"
#include "plot/draw/gnuplot.h"
#include "plot/draw/quote.h"
#include "plot/draw/stroke.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
    TIMEOUT = 5000,         /* ms for a picture */
    WINDOW_TIMEOUT = 20000, /* a window's first picture loads a toolkit */
    FORGIVEN = 100          /* after so many successful pictures in a row an old failure no longer counts */
};

enum {
    PICTURES = WL_LIVE_SLOTS - WL_LIVE_WINDOWS, /* slots */
    ENGINES = 1 + WL_LIVE_WINDOWS
};

#define FIRST_ROUND 0.02 /* s: estimated cost of a round of pictures before one was measured */

typedef struct request {
    bool pending;
    uint64_t order; /* the smallest is drawn first */
    wlab_strokes strokes;
    wlab_buf script; /* of a window */
} request;

typedef struct engine {
    wlab_gnuplot *gnuplot;
    int first, slots; /* which slots it serves */
    int slot;         /* the slot that gnuplot is drawing, -1: none */
    request current;  /* the request of `slot` */
    bool dropped;     /* the current request was cancelled */
    bool open;        /* the window was drawn */
    bool closed;      /* the window was drawn and closed by hand */
    int failures, successes;
    bool gone; /* it failed twice: do without gnuplot */
} engine;

struct wlab_live {
    engine engine[ENGINES]; /* [0]: of pictures; the others: of a window each */
    bool no_windows;
    request request[WL_LIVE_SLOTS];
    uint64_t order;
    char trouble[400];
    bool reported;
    double spent; /* s: own time and charged time */
    /* time spent when the solver began, and when wlab_live_may last found nothing to be drawn */
    double run, round;
    double cost;    /* of the last round */
    bool requested; /* a round was begun */
};

double wlab_thread_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void request_clear(request *w)
{
    wlab_strokes_clear(&w->strokes);
    wlab_buf_clear(&w->script);
    w->pending = false;
}

wlab_code wlab_live_create(wlab_live **result, const char *program, int timeout_ms, wlab_err *err)
{
    wlab_live *l = wlab_calloc(1, sizeof *l);
    wlab_code code = WL_OK;
    *result = NULL;
    if (!l)
        return wlab_nomem(err);
    l->reported = true;
    l->cost = FIRST_ROUND;
    for (int i = 0; i < ENGINES; i++)
        l->engine[i] = (engine){.first = i ? PICTURES + i - 1 : 0, .slots = i ? 1 : PICTURES, .slot = -1};
    for (int i = 0; i < ENGINES && !code; i++)
        code = wlab_gnuplot_prepare(&l->engine[i].gnuplot, program, NULL,
                                    timeout_ms > 0 ? timeout_ms
                                    : i            ? WINDOW_TIMEOUT
                                                   : TIMEOUT,
                                    err);
    if (code) {
        wlab_live_destroy(l);
        return code;
    }
    *result = l;
    return WL_OK;
}

void wlab_live_destroy(wlab_live *l)
{
    if (!l)
        return;
    for (int i = 0; i < WL_LIVE_SLOTS; i++)
        request_clear(&l->request[i]);
    for (int i = 0; i < ENGINES; i++) {
        request_clear(&l->engine[i].current);
        wlab_gnuplot_destroy(l->engine[i].gnuplot);
    }
    wlab_free(l);
}

/* Queue a request.  It keeps the place of a pending request for the same slot, so that frequent requests for a slot do
 * not delay it. */
static void put_request(wlab_live *l, int slot, request *w)
{
    w->order = l->request[slot].pending ? l->request[slot].order : ++l->order;
    w->pending = l->requested = true;
    request_clear(&l->request[slot]);
    l->request[slot] = *w;
}

wlab_code wlab_live_request(wlab_live *l, int slot, const wlab_figure *f, int columns, int rows,
                            bool characters, wlab_err *err)
{
    double start = wlab_thread_seconds();
    request w = {0};
    wlab_code code = slot < 0 || slot >= PICTURES
                         ? wlab_fail(err, WL_EARG, "there is no slot %d for a picture", slot)
                         : wlab_strokes_make(&w.strokes, f, columns, rows, characters, err);
    if (!code)
        put_request(l, slot, &w);
    l->spent += wlab_thread_seconds() - start;
    return code;
}

wlab_code wlab_live_window(wlab_live *l, int slot, const wlab_figure *f, const char *terminal, int window,
                           wlab_err *err)
{
    double start = wlab_thread_seconds();
    request w = {0};
    wlab_buf line = {0};
    wlab_code code = WL_OK;
    if (l->no_windows)
        return wlab_fail(err, WL_EIO, "gnuplot could not draw in a window; `set terminal=dumb` draws text");
    if (slot < PICTURES || slot >= WL_LIVE_SLOTS)
        return wlab_fail(err, WL_EARG, "there is no slot %d for a window", slot);
    code = wlab_buf_printf(&line, "%s %d noenhanced noraise size 900,600 title ", terminal, window);
    code = code ? code : wlab_quote_text(&line, f->titles ? f->title[0] : "weaklab");
    code = code ? code : wlab_buf_put(&line, "", 1);
    code = code ? wlab_nomem(err) : wlab_figure_script(f, (const char *)line.data, &w.script, err);
    /* not in x11, where gnuplot reports "Close" also when the pointer leaves a window: there a closed window reopens */
    if (!code && strcmp(terminal, "x11") != 0 &&
        wlab_buf_printf(&w.script,
                        "if (strstrt(GPVAL_COMPILE_OPTIONS, '+USE_MOUSE')) bind 'Close' 'exit gnuplot'\n"))
        code = wlab_nomem(err);
    if (code) {
        request_clear(&w);
    } else {
        put_request(l, slot, &w);
        l->engine[1 + slot - PICTURES].closed = false;
    }
    wlab_buf_clear(&line);
    l->spent += wlab_thread_seconds() - start;
    return code;
}

void wlab_live_forget(wlab_live *l, int slot)
{
    if (slot < 0 || slot >= WL_LIVE_SLOTS)
        return;
    request_clear(&l->request[slot]);
    engine *e = &l->engine[slot < PICTURES ? 0 : 1 + slot - PICTURES];
    if (slot >= PICTURES) {
        wlab_gnuplot_stop(e->gnuplot);
        request_clear(&e->current);
        e->slot = -1;
        e->open = e->closed = false;
    } else if (e->slot == slot) {
        e->dropped = true;
    }
}

bool wlab_live_closed(const wlab_live *l, int slot)
{
    return slot >= PICTURES && slot < WL_LIVE_SLOTS && l->engine[1 + slot - PICTURES].closed;
}

/* The slot of the engine with the oldest pending request, -1: none. */
static int oldest(const wlab_live *l, const engine *e)
{
    int best = -1;
    for (int i = e->first; i < e->first + e->slots; i++)
        if (l->request[i].pending && (best < 0 || l->request[i].order < l->request[best].order))
            best = i;
    return best;
}

bool wlab_live_busy(const wlab_live *l)
{
    bool busy = false;
    for (int i = 0; i < ENGINES; i++)
        busy = busy || l->engine[i].slot >= 0 || oldest(l, &l->engine[i]) >= 0;
    return busy;
}

int wlab_live_poll(const wlab_live *l, struct pollfd *fds)
{
    int rest = -1;
    for (int i = 0; i < ENGINES; i++) {
        const engine *e = &l->engine[i];
        int own = wlab_gnuplot_poll(e->gnuplot, fds + WL_GNUPLOT_FDS * i);
        if (e->slot < 0 && oldest(l, e) >= 0)
            own = 0;
        rest = rest < 0 || (own >= 0 && own < rest) ? own : rest;
    }
    return rest;
}

/* Count a failure of gnuplot: after the first it is tried again, after the second it is given up. */
static void count_failure(wlab_live *l, engine *e, const wlab_err *why)
{
    e->successes = 0;
    wlab_gnuplot_stop(e->gnuplot); /* it still runs if it only answered nonsense */
    if (++e->failures < 2)
        return;
    e->gone = true;
    if (e != l->engine)
        l->no_windows = true;
    snprintf(l->trouble, sizeof l->trouble,
             e == l->engine ? "%.300s: curves are drawn without it" : "%.300s: nothing is drawn in windows",
             why->message);
    l->reported = false;
}

/* Return the current request to its slot, unless it was cancelled, a newer one is pending, or gnuplot was given up. */
static void requeue_current(wlab_live *l, engine *e)
{
    int slot = e->slot;
    e->slot = -1;
    if (e->dropped || l->request[slot].pending || e->gone) {
        request_clear(&e->current);
    } else {
        l->request[slot] = e->current;
        memset(&e->current, 0, sizeof e->current);
    }
    e->dropped = false;
}

/* Handle the answer to the current request; true: *r is a picture for *slot. */
static bool handle_answer(wlab_live *l, engine *e, wlab_turn turn, const wlab_buf *answer, wlab_err *err,
                          int *slot, wlab_raster *r)
{
    const wlab_strokes *k = &e->current.strokes;
    char marks[WL_INKS];
    wlab_code code = WL_OK;
    bool picture = e == l->engine && !e->dropped;
    if (turn == WL_TURN_DONE && picture) {
        wlab_strokes_marks(k, marks);
        code =
            wlab_raster_read(answer->data, answer->len, k->characters ? k->width : k->width / 2,
                             k->characters ? k->height : k->height / 4, k->characters ? marks : NULL, r, err);
    }
    if (e->open && turn == WL_TURN_DIED) { /* the user closed it while it was drawn again */
        e->open = false;
        e->closed = true;
        e->dropped = true;
        requeue_current(l, e);
        return false;
    }
    if (turn == WL_TURN_DONE && !code) {
        e->open = e != l->engine;
        if (++e->successes >= FORGIVEN)
            e->failures = 0;
        *slot = e->slot;
        e->slot = -1;
        e->dropped = false;
        request_clear(&e->current);
        return picture;
    }
    count_failure(l, e, err);
    if (e->gone && picture && !wlab_strokes_draw(k, r, NULL)) {
        *slot = e->slot;
        requeue_current(l, e);
        return true;
    }
    requeue_current(l, e);
    return false;
}

/* Read the answer of one engine and begin its next request; true: *r is a picture for *slot. */
static bool serve_engine(wlab_live *l, engine *e, int *slot, wlab_raster *r)
{
    for (;;) {
        wlab_buf answer = {0};
        wlab_err err = {0};
        bool picture = false;
        wlab_turn turn = wlab_gnuplot_serve(e->gnuplot, &answer, &err);
        if (e->slot >= 0 && turn != WL_TURN_BUSY)
            picture = handle_answer(l, e, turn, &answer, &err, slot, r);
        wlab_buf_clear(&answer);
        if (e->open && !wlab_gnuplot_alive(e->gnuplot)) {
            e->open = false;
            e->closed = true;
        }
        if (picture || e->slot >= 0)
            return picture;
        int next = oldest(l, e);
        if (next < 0)
            return false;
        e->current = l->request[next];
        e->slot = next;
        memset(&l->request[next], 0, sizeof l->request[next]);
        if (e->gone) {
            bool drawn = e == l->engine && !wlab_strokes_draw(&e->current.strokes, r, NULL);
            *slot = next;
            requeue_current(l, e);
            if (drawn)
                return true;
            continue;
        }
        wlab_buf script = {0}, *text = e == l->engine ? &script : &e->current.script;
        wlab_code code = e == l->engine ? wlab_strokes_script(&e->current.strokes, &script, &err) : WL_OK;
        code = code ? code : wlab_gnuplot_begin(e->gnuplot, (const char *)text->data, text->len, &err);
        wlab_buf_clear(&script);
        if (code && handle_answer(l, e, WL_TURN_FAILED, NULL, &err, slot, r))
            return true;
    }
}

bool wlab_live_serve(wlab_live *l, const struct pollfd *fds, int *slot, wlab_raster *r)
{
    double start = wlab_thread_seconds();
    int none;
    (void)fds;
    memset(r, 0, sizeof *r);
    for (int i = 1; i < ENGINES; i++)
        (void)serve_engine(l, &l->engine[i], &none, r);
    bool picture = serve_engine(l, &l->engine[0], slot, r);
    l->spent += wlab_thread_seconds() - start;
    return picture;
}

const char *wlab_live_trouble(wlab_live *l)
{
    if (l->reported)
        return NULL;
    l->reported = true;
    return l->trouble;
}

/* ---- pacing ---- */

double wlab_live_spent(const wlab_live *l)
{
    double sum = l->spent;
    for (int i = 0; i < ENGINES; i++)
        sum += wlab_gnuplot_seconds(l->engine[i].gnuplot);
    return sum;
}

void wlab_live_charge(wlab_live *l, double seconds)
{
    l->spent += seconds;
}

void wlab_live_run_begins(wlab_live *l)
{
    l->run = l->round = wlab_live_spent(l);
    l->requested = false;
}

bool wlab_live_may(wlab_live *l, double seconds, int threads)
{
    double now = wlab_live_spent(l), allowed = 0.01 * seconds * (threads > 1 ? threads : 1);
    if (wlab_live_busy(l))
        return false;
    if (l->requested) /* a round is complete: its cost has the figures and gnuplot in it */
        l->cost = now - l->round;
    l->requested = false;
    l->round = now;
    return now - l->run + l->cost <= allowed;
}
