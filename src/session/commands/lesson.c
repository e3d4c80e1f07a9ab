/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lesson: list or start a bundled lesson.
 */
#include "session/commands/commands.h"
#include <string.h>

static void list_all(wlab_session *s, const wlab_lesson *lesson, int n)
{
    json_t *all = json_array();
    int width = 0;

    for (int i = 0; i < n; i++)
        if ((int)strlen(lesson[i].name) > width)
            width = (int)strlen(lesson[i].name);
    for (int i = 0; i < n; i++) {
        wlab_session_print(s, "  %-*s  %s\n", width, lesson[i].name, lesson[i].title);
        json_array_append_new(all, json_pack("{s:o, s:o, s:o}", "name", wlab_json_text(lesson[i].name),
                                             "title", wlab_json_text(lesson[i].title), "file",
                                             wlab_json_text(lesson[i].path)));
    }
    if (n == 0)
        wlab_session_say(s, "no lessons are installed");
    else
        wlab_session_say(s, "`lesson %s` starts one", lesson[0].name);
    wlab_session_object(s, json_pack("{s:s, s:o}", "type", "lessons", "lessons", all));
}

/* By name, or by a unique beginning when a person asks; -1: in err. */
static int find(const wlab_session *s, const wlab_lesson *lesson, int n, const char *name, wlab_err *err)
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

static wlab_code start(wlab_session *s, const wlab_lesson *lesson, wlab_err *err)
{
    wlab_code code = WL_OK;

    if (s->replay)
        return wlab_fail(err, WL_ESTATE, "a replay or lesson goes on; it cannot hold another");
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
        which = find(s, list, n, args->word[0], err);
        code = which < 0 ? WL_EARG : start(s, &list[which], err);
    }
    wlab_lessons_free(list, n);
    if (!code || args->nwords > 0)
        (void)wlab_session_record_as(s, NULL, NULL); /* its lines were recorded one by one */
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
    .help =
        "Alone: the lessons that come with the program. With a NAME (its beginning is enough): that lesson, "
        "in "
        "an empty session. It stops at each `wait`: Space or the right arrow goes on, the left arrow goes "
        "back "
        "to the stop before, Enter takes over, and the prompt goes on with the session as it is there. The "
        "record holds the lesson's commands. Without a terminal it runs through.",
    .execute = lesson,
    .offer = offer,
};
