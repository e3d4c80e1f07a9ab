/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The command `dashboard`, and what `help dashboard` says: keys and panes from their tables.
 */
#include "session/complete/complete.h"
#include "tui/dashboard/dashboard.h"
#include "tui/panes/pane.h"
#include <string.h>

static wlab_dashboard *the; /* commands get the session only */

static wlab_code execute(wlab_session *s, const wlab_args *a, wlab_err *err)
{
    static const char *const words[] = {"on", "off", "zoom", "hide", "show"};
    const char *word = a->nwords > 0 ? a->word[0] : NULL;
    const char *pane = a->nwords > 1 ? a->word[1] : NULL;
    bool on = wlab_dashboard_is_on(the);

    if (a->nsettings > 0 || a->nwords > 2 || (pane && (!strcmp(word, "on") || !strcmp(word, "off"))))
        return wlab_fail(err, WL_EARG, "dashboard takes on, off, `zoom PANE`, `hide PANE`, or `show PANE`");
    (void)s;
    if (!the) /* without a terminal: a script that shows panes runs all the same */
        return WL_OK;
    if (!word || !strcmp(word, "on") || !strcmp(word, "off")) {
        bool wanted = word ? !strcmp(word, "on") : !on;
        if (wanted)
            return wlab_dashboard_begin(the, err);
        wlab_dashboard_end(the);
        return WL_OK;
    }
    if (!strcmp(word, "zoom") || !strcmp(word, "hide") || !strcmp(word, "show")) {
        bool zoom = !strcmp(word, "zoom"), hide = !strcmp(word, "hide");
        if (!pane && !strcmp(word, "hide"))
            return wlab_fail(err, WL_EARG, "hide which pane? `help dashboard` lists them");
        return wlab_dashboard_pane(the, pane,
                                   zoom && pane ? WL_PANE_ZOOM
                                   : hide       ? WL_PANE_HIDE
                                                : WL_PANE_SHOW,
                                   err);
    }
    const char *near = wlab_nearest(word, words, sizeof words / sizeof *words);
    return near
               ? wlab_fail(err, WL_EARG, "dashboard \"%s\"? did you mean \"%s\"?", word, near)
               : wlab_fail(err, WL_EARG, "dashboard takes on, off, `zoom PANE`, `hide PANE`, or `show PANE`");
}

static void offer(wlab_offers *o, const wlab_session *s)
{
    static const char *const words[] = {"on", "off", "zoom", "hide", "show", NULL};
    static const char *const meaning[] = {
        "take the whole screen", "back to the plain prompt",      "a pane has all the room; alone: no more",
        "a pane goes away",      "a pane comes back; alone: all", NULL};

    (void)s;
    if (o->typed->nwords == 0)
        wlab_offers_list(o, words, meaning);
    else if (o->typed->nwords == 1 && strcmp(o->typed->word[0], "on") && strcmp(o->typed->word[0], "off"))
        for (int i = 0; wlab_panes[i]; i++)
            wlab_offers_add(o, wlab_panes[i]->name, NULL, wlab_panes[i]->summary, 0);
}

static wlab_command command = {
    .name = "dashboard",
    .usage = "dashboard [on|off|zoom PANE|hide PANE|show PANE]",
    .summary = "the full-screen view: on, off, and which panes it has",
    .flags = WL_C_LOOKS | WL_C_ALWAYS | WL_C_SCREEN,
    .execute = execute,
    .offer = offer,
};
static char *help_text;

/* Once: the text is the same for every session. */
static wlab_code make_help(wlab_err *err)
{
    wlab_buf b = {0};
    wlab_code code;

    if (help_text)
        return WL_OK;
    code = wlab_buf_printf(
        &b,
        "Shows the run on the whole screen: pictures of its last steps, its metrics, and the log of what was "
        "typed and answered. The prompt stays, at the bottom, with everything that it can do. Function keys "
        "type "
        "a command for you, so that the session's log has it; C-x and a character does the same where a "
        "terminal keeps a function key for itself; the letter does it alone in single-key mode (C-x s):\n\n");
    code = code ? code : wlab_keys_help(&b);
    code = code ? code
                : wlab_buf_printf(
                      &b, "\nPanes, for zoom, hide and show (zoom or show alone: all as before):\n\n");
    for (int i = 0; wlab_panes[i] && !code; i++)
        code = wlab_buf_printf(&b, "  %-11s %s\n", wlab_panes[i]->name, wlab_panes[i]->summary);
    code = code
               ? code
               : wlab_buf_printf(&b,
                                 "\nLong answers, such as this one, take the panes' place; the next command, "
                                 "Escape, C-x q, or q where nothing is typed, closes them. `set "
                                 "theme=dark|light|mono` chooses colours. Keys that only change "
                                 "the view are not in the session's log.");
    code = code ? code : wlab_buf_put(&b, "", 1);
    if (code)
        return wlab_nomem(err);
    help_text = (char *)b.data;
    command.help = help_text;
    return WL_OK;
}

wlab_code wlab_dashboard_register(wlab_session *s, wlab_dashboard *d, wlab_err *err)
{
    static const wlab_command *const commands[] = {&command, NULL};
    wlab_code code = make_help(err);

    the = d;
    return code ? code : wlab_session_add_commands(s, commands, err);
}
