/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lesson: lists the bundled lessons, or starts one.
 */
#include "session/commands/commands.h"
#include <stdio.h>
#include <string.h>

static void list_all(wlab_session *s, const wlab_lesson *lesson, int n)
{
    json_t *all = json_array();
    int width = 0;

    for (int i = 0; i < n; i++)
        if ((int)strlen(lesson[i].name) > width)
            width = (int)strlen(lesson[i].name);
    for (int i = 0; i < n; i++) {
        const wlab_lesson *l = &lesson[i];
        char number[16] = "", minutes[16] = "";

        if (l->number)
            snprintf(number, sizeof number, "%d", l->number);
        if (l->minutes)
            snprintf(minutes, sizeof minutes, "%d min", l->minutes);
        wlab_session_print(s, "  %2s  %-*s  %6s  %s\n", number, width, l->name, minutes, l->title);
        json_array_append_new(all, json_pack("{s:o, s:o, s:i, s:i, s:o, s:o}", "name",
                                             wlab_json_text(l->name), "title", wlab_json_text(l->title),
                                             "number", l->number, "minutes", l->minutes, "after",
                                             wlab_json_text(l->after), "file", wlab_json_text(l->path)));
    }
    if (n == 0)
        wlab_session_say(s, "no lessons are installed");
    else
        wlab_session_say(s, "they build on each other in this order; `lesson %s` starts one", lesson[0].name);
    wlab_session_object(s, json_pack("{s:s, s:o}", "type", "lessons", "lessons", all));
}

/* The index of the lesson `name`; a person may also type a unique beginning of the name.  -1: none, the error is in err. */
static int find_lesson(const wlab_session *s, const wlab_lesson *lesson, int n, const char *name,
                       wlab_err *err)
{
    char could[300] = "";
    const char *names[100] = {NULL}, *near;
    int found = -1, matches = 0;

    for (int i = 0; i < n; i++) {
        if (strcmp(lesson[i].name, name) == 0)
            return i;
        if (s->now.origin == WL_FROM_PERSON && strncmp(lesson[i].name, name, strlen(name)) == 0) {
            size_t used = strlen(could);

            found = i;
            snprintf(could + used, sizeof could - used, "%s%s", matches++ ? ", " : "", lesson[i].name);
        }
        if (i < 100)
            names[i] = lesson[i].name;
    }
    if (matches == 1)
        return found;
    near = wlab_nearest(name, names, (size_t)(n < 100 ? n : 100));
    if (matches > 1)
        (void)wlab_fail(err, WL_EARG, "ambiguous lesson: %.60s, could be: %s", name, could);
    else if (near)
        (void)wlab_fail(err, WL_EARG, "no lesson \"%.60s\"; did you mean \"%s\"?", name, near);
    else
        (void)wlab_fail(err, WL_EARG, "no lesson \"%.60s\"; `lesson` lists them", name);
    return -1;
}

static wlab_code start_lesson(wlab_session *s, const wlab_lesson *lesson, wlab_err *err)
{
    wlab_code code = WL_OK;

    if (s->replay)
        return wlab_fail(err, WL_ESTATE, "a replay or lesson is in progress and cannot contain another one");
    if (!wlab_session_is_empty(s))
        code = wlab_session_line(s, "new", WL_FROM_SCRIPT, NULL, 0, err);
    if (!code)
        code = wlab_session_show(s, lesson->path, err);
    return code;
}

static wlab_code lesson(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    wlab_lesson *list = NULL;
    int n = 0, which;
    wlab_code code;

    if (args->nwords > 1 || args->nsettings > 0)
        return wlab_fail(err, WL_EARG, "lesson takes one name; `lesson` lists them");
    code = wlab_session_lessons(s, &list, &n, err);
    if (!code && args->nwords == 0) {
        list_all(s, list, n);
    } else if (!code) {
        which = find_lesson(s, list, n, args->word[0], err);
        code = which < 0 ? WL_EARG : start_lesson(s, &list[which], err);
    }
    wlab_lessons_free(list, n);
    if (!code || args->nwords > 0)
        (void)wlab_session_record_as(s, NULL, NULL); /* the lesson's lines were recorded one by one */
    return code;
}

static void offer(wlab_offers *o, const wlab_session *s)
{
    wlab_lesson *list = NULL;
    int n = 0;

    if (o->typed->nwords == 0 && wlab_session_lessons(s, &list, &n, NULL) != WL_OK)
        o->failed = true;
    for (int i = 0; i < n; i++)
        wlab_offers_add(o, list[i].name, NULL, list[i].title, 0);
    wlab_lessons_free(list, n);
}

const wlab_command wlab_cmd_lesson = {
    .name = "lesson",
    .usage = "lesson [NAME]",
    .summary = "list the lessons, or start one",
    .help = "Without NAME: lists the lessons that come with the program, in the order in which they build on "
            "each "
            "other, and how long each takes. With NAME (at the prompt an unambiguous beginning is enough): "
            "removes data, runs and breakpoints, as `new` does, and starts that lesson. The lesson pauses at "
            "each `wait`: Space or the right arrow continues, the left arrow "
            "returns to the previous pause, and F1 lists the keys and explains the screen. Enter gives you "
            "the prompt, with the "
            "session in the state reached; `resume` returns to the lesson. The record holds the lesson's "
            "commands. Without a terminal the lesson runs to its end without pauses.",
    .flags = WL_C_SHARED,
    .execute = lesson,
    .offer = offer,
};
