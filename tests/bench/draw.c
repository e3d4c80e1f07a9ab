/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The cost of live pictures.  The same run is timed without pictures and with them: all pictures of a dashboard are
 * requested after every step, as often as the pacing of wlab_live permits.  Also the number of pictures per second
 * while nothing is computed.
 */
#include "plot/plot.h"
#include "plot/views/view.h"
#include "seconds.h"
#include "tui/loop.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROUNDS = 3,
    COLUMNS = 60,
    ROWS = 14,
    VIEWS = 6 /* all: the panes of a large dashboard */
};

typedef struct watcher {
    wlab_session *session;
    wlab_live *live;
    double began;
    int64_t serial;
    long pictures;
    bool draws;
} watcher;

static void nothing(void *self, const char *text)
{
    (void)self;
    (void)text;
}

static void changed(void *self)
{
    (void)self;
}

/* Request all pictures once, as the dashboard does. */
static void request_pictures(watcher *w)
{
    double start = wlab_thread_seconds();
    int number = wlab_run_number(wlab_session_run(w->session));
    wlab_session_request_model(w->session, number);
    const wlab_mirror *m = wlab_session_mirror(w->session, number);
    if (!m || m->serial == w->serial)
        return;
    w->serial = m->serial;
    wlab_view_run run = wlab_view_run_of_mirror(m);
    wlab_view_request q = {
        .run = &run, .runs = 1, .live = true, .columns = COLUMNS, .grid_x = COLUMNS, .grid_y = ROWS};
    wlab_figure figure[VIEWS];
    bool made[VIEWS];
    for (int v = 0; v < VIEWS; v++) {
        wlab_figure_init(&figure[v], false);
        made[v] = !wlab_view_draw(wlab_views[v], &figure[v], &q, NULL);
    }
    wlab_live_charge(w->live, wlab_thread_seconds() - start);
    for (int v = 0; v < VIEWS; v++) {
        if (made[v])
            (void)wlab_live_request(w->live, v, &figure[v], COLUMNS, ROWS, false, NULL);
        wlab_figure_clear(&figure[v]);
    }
}

static void receive_pictures(watcher *w, const struct pollfd *fds)
{
    wlab_raster r;
    int slot;
    while (wlab_live_serve(w->live, fds, &slot, &r)) {
        w->pictures++;
        wlab_raster_clear(&r);
    }
}

/* The session's loop while the worker computes. */
static void idle(void *self, int fd)
{
    watcher *w = self;
    struct pollfd fds[WL_LIVE_FDS + 1];
    int threads = (int)wlab_params_int(wlab_session_settings(w->session), "threads");
    do {
        int ms = w->draws ? wlab_live_poll(w->live, fds) : -1;
        int n = w->draws ? WL_LIVE_FDS : 0;
        fds[n] = (struct pollfd){fd, POLLIN, 0};
        poll(fds, (nfds_t)n + 1, ms);
        if (w->draws)
            receive_pictures(w, fds);
        if (w->draws && wlab_live_may(w->live, wlab_seconds_now() - w->began, threads))
            request_pictures(w);
        fds[0] = (struct pollfd){fd, POLLIN, 0};
        poll(fds, 1, 0);
    } while (!fds[0].revents);
}

static void exec_line(wlab_session *s, const char *text)
{
    wlab_err err = {0};
    if (wlab_session_line(s, text, WL_FROM_PERSON, NULL, 0, &err)) {
        fprintf(stderr, "draw: %s: %s\n", text, err.message);
        exit(1);
    }
}

int main(void)
{
    static const char *const none[] = {NULL};
    watcher w = {.serial = -1};
    wlab_sink sink = {.text = nothing, .message = nothing, .changed = changed, .self = &w};
    wlab_places places = {.data_dirs = none, .script_dirs = none, .out_dir = "."};
    double best[2] = {INFINITY, INFINITY}, cpu = 0, spent = 0, pictures = 0;

    if (wlab_session_create(&w.session, &sink, &places, 1, 1, NULL) || wlab_plot_register(w.session, NULL) ||
        wlab_live_create(&w.live, NULL, 0, NULL))
        return 1;
    wlab_session_set_terminal(w.session, &(wlab_terminal){.idle = idle, .self = &w});
    exec_line(w.session, "generate two-moons n=800 noise=0.2 seed=1; task ssl labeled=10 seed=1");
    for (int round = 0; round < ROUNDS; round++)
        for (int draws = 0; draws < 2; draws++) {
            exec_line(w.session, "algo wellsvm kernel=rbf sigma=0.3x C2=0.1 eps=1e-9");
            exec_line(w.session, "step"); /* gnuplot is up before the measured part, as at a prompt */
            w.draws = draws;
            w.serial = -1;
            if (draws) {
                request_pictures(&w);
                while (wlab_live_busy(w.live))
                    receive_pictures(&w, NULL);
            }
            w.pictures = 0;
            wlab_live_run_begins(w.live);
            double before = wlab_live_spent(w.live), cpu_before = bench_seconds(CLOCK_PROCESS_CPUTIME_ID);
            w.began = wlab_seconds_now();
            exec_line(w.session, "step 30");
            best[draws] = fmin(best[draws], wlab_seconds_now() - w.began);
            if (draws) {
                cpu = bench_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_before;
                spent = wlab_live_spent(w.live) - before;
                pictures = (double)w.pictures;
            }
            while (wlab_live_busy(w.live))
                receive_pictures(&w, NULL);
        }
    printf("30 steps with live pictures, against none\t%.6g\t%.6g\ts\n", best[1], best[0]);
    printf("processor time of the pictures, against all\t%.6g\t%.6g\ts\n", spent, cpu);
    printf("pictures in that run\t%g\t-\tpictures\n", pictures);
    /* at a pause: all panes again and again */
    w.pictures = 0;
    double start = wlab_seconds_now();
    while (wlab_seconds_now() - start < 2) {
        w.serial = -1;
        request_pictures(&w);
        while (wlab_live_busy(w.live)) {
            struct pollfd fds[WL_LIVE_FDS];
            poll(fds, WL_LIVE_FDS, wlab_live_poll(w.live, fds));
            receive_pictures(&w, fds);
        }
    }
    printf("pictures per second at a pause, %d x %d cells\t%.6g\t-\t1/s\n", COLUMNS, ROWS,
           (double)w.pictures / (wlab_seconds_now() - start));
    wlab_live_destroy(w.live);
    wlab_session_destroy(w.session);
    return 0;
}
