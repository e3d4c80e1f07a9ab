/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Breakpoints, watches and displays of a session.  They are kept as text and parsed anew for each run, because its
 * metrics may differ.
 */
#include "session/jobs/stops.h"
#include <stdio.h>

static void list_free(wlab_stop *list, int n)
{
    for (int i = 0; i < n; i++)
        wlab_free(list[i].text);
    wlab_free(list);
}

void wlab_stops_destroy(wlab_stops *stops)
{
    if (!stops)
        return;
    list_free(stops->stop, stops->nstops);
    list_free(stops->display, stops->ndisplays);
    wlab_free(stops);
}

wlab_code wlab_stops_get(wlab_session *s, wlab_stops **stops, wlab_err *err)
{
    if (!s->held.stops) {
        s->held.stops = wlab_calloc(1, sizeof *s->held.stops);
        if (!s->held.stops)
            return wlab_nomem(err);
    }
    *stops = s->held.stops;
    return WL_OK;
}

static wlab_code add_stop(wlab_stop **list, int *n, int *last, bool watch, const char *text, int *number,
                          wlab_err *err)
{
    wlab_stop *grown = wlab_realloc(*list, (size_t)*n + 1, sizeof *grown);
    char *copy;

    if (!grown)
        return wlab_nomem(err);
    *list = grown;
    copy = wlab_strdup(text);
    if (!copy)
        return wlab_nomem(err);
    *number = ++*last;
    grown[(*n)++] = (wlab_stop){.number = *number, .watch = watch, .text = copy};
    return WL_OK;
}

wlab_code wlab_stops_add(wlab_session *s, bool watch, const char *text, int *number, wlab_err *err)
{
    wlab_stops *stops = NULL;
    wlab_code code = wlab_stops_get(s, &stops, err);

    return code ? code : add_stop(&stops->stop, &stops->nstops, &stops->last_stop, watch, text, number, err);
}

wlab_code wlab_stops_add_display(wlab_session *s, const char *text, int *number, wlab_err *err)
{
    wlab_stops *stops = NULL;
    wlab_code code = wlab_stops_get(s, &stops, err);

    return code
               ? code
               : add_stop(&stops->display, &stops->ndisplays, &stops->last_display, false, text, number, err);
}

static bool remove_number(wlab_stop *list, int *n, int64_t number)
{
    for (int i = 0; i < *n; i++)
        if (list[i].number == number) {
            wlab_free(list[i].text);
            --*n;
            for (; i < *n; i++)
                list[i] = list[i + 1];
            return true;
        }
    return false;
}

wlab_code wlab_stops_remove(wlab_session *s, int64_t number, wlab_err *err)
{
    if (s->held.stops && remove_number(s->held.stops->stop, &s->held.stops->nstops, number))
        return WL_OK;
    return wlab_fail(err, WL_EARG, "no breakpoint or watch %lld; `info break` lists them", (long long)number);
}

wlab_code wlab_stops_remove_display(wlab_session *s, int64_t number, wlab_err *err)
{
    if (s->held.stops && remove_number(s->held.stops->display, &s->held.stops->ndisplays, number))
        return WL_OK;
    return wlab_fail(err, WL_EARG, "no display %lld; `info break` lists them", (long long)number);
}

static unsigned kind_of(const wlab_stop *stop, bool display)
{
    return display ? WL_SHOW_DISPLAYS : stop->watch ? WL_SHOW_WATCHES : WL_SHOW_BREAKS;
}

static json_t *show_list(wlab_session *s, const wlab_stop *list, int n, bool displays, unsigned what,
                         int *shown)
{
    json_t *all = json_array();

    for (int i = 0; i < n; i++) {
        unsigned kind = kind_of(&list[i], displays);
        const char *word = kind == WL_SHOW_DISPLAYS ? "display" : kind == WL_SHOW_WATCHES ? "watch" : "break";

        if (!(what & kind))
            continue;
        wlab_session_print(s, "%3d  %-7s  %s\n", list[i].number, word, list[i].text);
        json_array_append_new(all, json_pack("{s:i, s:s, s:o}", "number", list[i].number, "kind", word,
                                             "text", wlab_json_text(list[i].text)));
        ++*shown;
    }
    return all;
}

void wlab_stops_show(wlab_session *s, unsigned what)
{
    static const wlab_stops none;
    const wlab_stops *stops = s->held.stops ? s->held.stops : &none;
    int shown = 0;
    json_t *breaks = show_list(s, stops->stop, stops->nstops, false, what, &shown);
    json_t *displays = show_list(s, stops->display, stops->ndisplays, true, what, &shown);

    if (shown == 0)
        wlab_session_print(s, "no %s\n",
                           what == WL_SHOW_BREAKS    ? "breakpoints; for example, `break flips == 0` sets one"
                           : what == WL_SHOW_WATCHES ? "watches; for example, `watch lower` sets one"
                           : what == WL_SHOW_DISPLAYS ? "displays; for example, `display gap` makes one"
                                                      : "breakpoints, watches or displays");
    wlab_session_object(
        s, json_pack("{s:s, s:o, s:o}", "type", "breaks", "breaks", breaks, "displays", displays));
}

void wlab_stops_offer(wlab_offers *o, const wlab_session *s, bool displays)
{
    const wlab_stop *list = !s->held.stops ? NULL : displays ? s->held.stops->display : s->held.stops->stop;
    int n = !s->held.stops ? 0 : displays ? s->held.stops->ndisplays : s->held.stops->nstops;
    char number[16];

    for (int i = 0; i < n; i++) {
        unsigned kind = kind_of(&list[i], displays);
        snprintf(number, sizeof number, "%d", list[i].number);
        wlab_offers_add(o, number,
                        kind == WL_SHOW_WATCHES ? "watch"
                        : displays              ? "display"
                                                : "break",
                        list[i].text, 0);
    }
}

wlab_code wlab_stop_compile(wlab_expr **expr, const wlab_stop *stop, const wlab_run *run, wlab_err *err)
{
    const char *const *names;
    int n = wlab_run_names(run, &names);
    char *text = stop->watch ? wlab_format("%s changes", stop->text) : wlab_strdup(stop->text);
    wlab_code code = text ? wlab_expr_create(expr, text, names, n, err) : wlab_nomem(err);

    wlab_free(text);
    return code;
}

bool wlab_expr_volatile(const wlab_expr *expr, const wlab_run *run)
{
    const wlab_metric_info *metric = wlab_run_algo(run)->metrics;

    for (int i = 0; metric[i].name; i++)
        if ((metric[i].flags & WL_M_VOLATILE) && wlab_expr_uses(expr, i + 2))
            return true;
    return false;
}
