/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Live pictures.  Each wish is kept as strokes (pictures) or as a script (windows): small copies of what is to be drawn,
 * from which it can be drawn again, or without gnuplot.
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
    FORGIVEN = 100          /* pictures in a row after which an old failure counts no more */
};

enum {
    PICTURES = WL_LIVE_SLOTS - WL_LIVE_WINDOWS, /* slots */
    ENGINES = 1 + WL_LIVE_WINDOWS
};

#define FIRST_ROUND 0.02 /* s that a round of pictures is thought to take before one was measured */

typedef struct wish {
    bool there;
    uint64_t order; /* the oldest is drawn first */
    wlab_strokes strokes;
    wlab_buf script; /* of a window */
} wish;

typedef struct engine {
    wlab_gnuplot *gnuplot;
    int first, slots; /* which slots it serves */
    int slot;         /* in flight, -1: none */
    wish flight;
    bool dropped; /* nobody wants what is in flight */
    bool open;    /* a window that was drawn */
    bool closed;  /* ... and closed by hand */
    int failures, fine;
    bool gone;
} engine;

struct wlab_live {
    engine engine[ENGINES]; /* [0]: of pictures; the others: of a window each */
    bool no_windows;
    wish wish[WL_LIVE_SLOTS];
    uint64_t order;
    char trouble[400];
    bool said;
    double spent;      /* own time and what was charged */
    double run, round; /* spent when the solver began; when a round was allowed last */
    double cost;       /* of the last round */
    bool wished;       /* a round goes on */
};

double wlab_thread_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void wish_clear(wish *w)
{
    wlab_strokes_clear(&w->strokes);
    wlab_buf_clear(&w->script);
    w->there = false;
}

wlab_code wlab_live_create(wlab_live **result, const char *program, int timeout_ms, wlab_err *err)
{
    wlab_live *l = wlab_calloc(1, sizeof *l);
    wlab_code code = WL_OK;
    *result = NULL;
    if (!l)
        return wlab_nomem(err);
    l->said = true;
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
        wish_clear(&l->wish[i]);
    for (int i = 0; i < ENGINES; i++) {
        wish_clear(&l->engine[i].flight);
        wlab_gnuplot_destroy(l->engine[i].gnuplot);
    }
    wlab_free(l);
}

/* `w` takes the slot's place in the queue: a slot that is wished for again and again does not fall behind. */
static void put_wish(wlab_live *l, int slot, wish *w)
{
    w->order = l->wish[slot].there ? l->wish[slot].order : ++l->order;
    w->there = l->wished = true;
    wish_clear(&l->wish[slot]);
    l->wish[slot] = *w;
}

wlab_code wlab_live_wish(wlab_live *l, int slot, const wlab_figure *f, int columns, int rows, bool characters,
                         wlab_err *err)
{
    double start = wlab_thread_seconds();
    wish w = {0};
    wlab_code code = slot < 0 || slot >= PICTURES
                         ? wlab_fail(err, WL_EARG, "there is no slot %d for a picture", slot)
                         : wlab_strokes_make(&w.strokes, f, columns, rows, characters, err);
    if (!code)
        put_wish(l, slot, &w);
    l->spent += wlab_thread_seconds() - start;
    return code;
}

wlab_code wlab_live_window(wlab_live *l, int slot, const wlab_figure *f, const char *terminal, int window,
                           wlab_err *err)
{
    double start = wlab_thread_seconds();
    wish w = {0};
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
    /* gnuplot's x11 says "Close" also when the pointer leaves a window: there a closed one comes back */
    if (!code && strcmp(terminal, "x11") != 0 &&
        wlab_buf_printf(&w.script,
                        "if (strstrt(GPVAL_COMPILE_OPTIONS, '+USE_MOUSE')) bind 'Close' 'exit gnuplot'\n"))
        code = wlab_nomem(err);
    if (code) {
        wish_clear(&w);
    } else {
        put_wish(l, slot, &w);
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
    wish_clear(&l->wish[slot]);
    engine *e = &l->engine[slot < PICTURES ? 0 : 1 + slot - PICTURES];
    if (slot >= PICTURES) {
        wlab_gnuplot_stop(e->gnuplot);
        wish_clear(&e->flight);
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

/* The slot of the engine whose wish is the oldest, -1: none. */
static int oldest(const wlab_live *l, const engine *e)
{
    int best = -1;
    for (int i = e->first; i < e->first + e->slots; i++)
        if (l->wish[i].there && (best < 0 || l->wish[i].order < l->wish[best].order))
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

/* gnuplot did not do what is in flight.  It has another try unless it failed before. */
static void failed(wlab_live *l, engine *e, const wlab_err *why)
{
    e->fine = 0;
    wlab_gnuplot_stop(e->gnuplot); /* one that answered rubbish still lives */
    if (++e->failures < 2)
        return;
    e->gone = true;
    if (e != l->engine)
        l->no_windows = true;
    snprintf(l->trouble, sizeof l->trouble,
             e == l->engine ? "%.300s: curves are drawn without it" : "%.300s: nothing is drawn in windows",
             why->message);
    l->said = false;
}

/* What is in flight goes back, unless something newer waits. */
static void put_back(wlab_live *l, engine *e)
{
    int slot = e->slot;
    e->slot = -1;
    if (e->dropped || l->wish[slot].there || e->gone) {
        wish_clear(&e->flight);
    } else {
        l->wish[slot] = e->flight;
        memset(&e->flight, 0, sizeof e->flight);
    }
    e->dropped = false;
}

/* The answer to what is in flight; true: a picture. */
static bool landed(wlab_live *l, engine *e, wlab_turn turn, const wlab_buf *answer, wlab_err *err, int *slot,
                   wlab_raster *r)
{
    const wlab_strokes *k = &e->flight.strokes;
    char marks[WL_INKS];
    wlab_code code = WL_OK;
    bool picture = e == l->engine && !e->dropped;
    if (turn == WL_TURN_DONE && picture) {
        wlab_strokes_marks(k, marks);
        code =
            wlab_raster_read(answer->data, answer->len, k->characters ? k->width : k->width / 2,
                             k->characters ? k->height : k->height / 4, k->characters ? marks : NULL, r, err);
    }
    if (e->open && turn == WL_TURN_DIED) { /* closed while it was drawn again */
        e->open = false;
        e->closed = true;
        e->dropped = true;
        put_back(l, e);
        return false;
    }
    if (turn == WL_TURN_DONE && !code) {
        e->open = e != l->engine;
        if (++e->fine >= FORGIVEN)
            e->failures = 0;
        *slot = e->slot;
        e->slot = -1;
        e->dropped = false;
        wish_clear(&e->flight);
        return picture;
    }
    failed(l, e, err);
    if (e->gone && picture && !wlab_strokes_draw(k, r, NULL)) {
        *slot = e->slot;
        put_back(l, e);
        return true;
    }
    put_back(l, e);
    return false;
}

/* One engine's turn; true: a picture. */
static bool turn_of(wlab_live *l, engine *e, int *slot, wlab_raster *r)
{
    for (;;) {
        wlab_buf answer = {0};
        wlab_err err = {0};
        bool picture = false;
        wlab_turn turn = wlab_gnuplot_serve(e->gnuplot, &answer, &err);
        if (e->slot >= 0 && turn != WL_TURN_BUSY)
            picture = landed(l, e, turn, &answer, &err, slot, r);
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
        e->flight = l->wish[next];
        e->slot = next;
        memset(&l->wish[next], 0, sizeof l->wish[next]);
        if (e->gone) {
            bool drawn = e == l->engine && !wlab_strokes_draw(&e->flight.strokes, r, NULL);
            *slot = next;
            put_back(l, e);
            if (drawn)
                return true;
            continue;
        }
        wlab_buf script = {0}, *text = e == l->engine ? &script : &e->flight.script;
        wlab_code code = e == l->engine ? wlab_strokes_script(&e->flight.strokes, &script, &err) : WL_OK;
        code = code ? code : wlab_gnuplot_begin(e->gnuplot, (const char *)text->data, text->len, &err);
        wlab_buf_clear(&script);
        if (code && landed(l, e, WL_TURN_FAILED, NULL, &err, slot, r))
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
        (void)turn_of(l, &l->engine[i], &none, r);
    bool picture = turn_of(l, &l->engine[0], slot, r);
    l->spent += wlab_thread_seconds() - start;
    return picture;
}

const char *wlab_live_trouble(wlab_live *l)
{
    if (l->said)
        return NULL;
    l->said = true;
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
    l->wished = false;
}

bool wlab_live_may(wlab_live *l, double seconds, int threads)
{
    double now = wlab_live_spent(l), share = 0.01 * seconds * (threads > 1 ? threads : 1);
    if (wlab_live_busy(l))
        return false;
    if (l->wished) /* a round is over: with figures, gnuplot and all */
        l->cost = now - l->round;
    l->wished = false;
    l->round = now;
    return now - l->run + l->cost <= share;
}
