/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The command `dashboard`, and the text of `help dashboard`: keys and panes from their tables.
 */
#include "session/complete/complete.h"
#include "tui/dashboard/dashboard.h"
#include "tui/panes/pane.h"
#include <string.h>

static const char key[] = "dashboard"; /* under which a session keeps its dashboard */

static wlab_code execute(wlab_session *s, const wlab_args *a, wlab_err *err)
{
    static const char *const words[] = {"on", "off", "zoom", "hide", "show", "save"};
    const char *word = a->nwords > 0 ? a->word[0] : NULL;
    const char *pane = a->nwords > 1 ? a->word[1] : NULL;
    wlab_dashboard *d = wlab_session_attached(s, key); /* NULL: no terminal */
    bool on = wlab_dashboard_is_on(d);

    if (a->nsettings > 0 || a->nwords > 2 || (pane && (!strcmp(word, "on") || !strcmp(word, "off"))))
        return wlab_fail(err, WL_EARG,
                         "dashboard takes on, off, `zoom PANE`, `hide PANE`, `show PANE`, or `save FILE`");
    if (word && !strcmp(word, "save"))
        return pane
                   ? wlab_dashboard_save(d, s, pane, err)
                   : wlab_fail(err, WL_EARG, "save to which file? `dashboard save FILE.svg`, or .html, .txt");
    if (pane && wlab_pane_find(pane) < 0)
        return wlab_dashboard_no_pane(pane, err);
    if (!d) /* no terminal: a script that shows panes runs anyway */
        return WL_OK;
    if (!word || !strcmp(word, "on") || !strcmp(word, "off")) {
        bool enable = word ? !strcmp(word, "on") : !on;
        if (enable)
            return wlab_dashboard_begin(d, err);
        wlab_dashboard_end(d);
        return WL_OK;
    }
    if (!strcmp(word, "zoom") || !strcmp(word, "hide") || !strcmp(word, "show")) {
        bool zoom = !strcmp(word, "zoom"), hide = !strcmp(word, "hide");
        if (!pane && !strcmp(word, "hide"))
            return wlab_fail(err, WL_EARG, "hide which pane? `help dashboard` lists them");
        if (pane && !hide && wlab_session_run(s) && !wlab_dashboard_can_show(d, pane))
            wlab_session_say(s, "the pane %s has nothing to show of this run", pane);
        return wlab_dashboard_pane(d, pane,
                                   zoom && pane ? WL_PANE_ZOOM
                                   : hide       ? WL_PANE_HIDE
                                                : WL_PANE_SHOW,
                                   err);
    }
    const char *near = wlab_nearest(word, words, sizeof words / sizeof *words);
    return near ? wlab_fail(err, WL_EARG, "dashboard \"%s\"? did you mean \"%s\"?", word, near)
                : wlab_fail(err, WL_EARG,
                            "dashboard takes on, off, `zoom PANE`, `hide PANE`, `show PANE`, or `save FILE`");
}

static void offer(wlab_offers *o, const wlab_session *s)
{
    static const char *const words[] = {"on", "off", "zoom", "hide", "show", "save", NULL};
    static const char *const meaning[] = {"take the whole screen",
                                          "return to the plain prompt",
                                          "enlarge a pane; alone: undo",
                                          "hide a pane",
                                          "show a pane again; alone: all",
                                          "write the screen to a file .svg, .html or .txt",
                                          NULL};

    (void)s;
    if (o->typed->nwords == 0)
        wlab_offers_list(o, words, meaning);
    else if (o->typed->nwords == 1 && !strcmp(o->typed->word[0], "save"))
        return;
    else if (o->typed->nwords == 1 && strcmp(o->typed->word[0], "on") && strcmp(o->typed->word[0], "off"))
        for (int i = 0; wlab_panes[i]; i++)
            wlab_offers_add(o, wlab_panes[i]->name, NULL, wlab_panes[i]->summary, 0);
}

static wlab_command command = {
    .name = "dashboard",
    .usage = "dashboard [on|off|zoom PANE|hide PANE|show PANE|save FILE]",
    .summary = "the full-screen view: on, off, which panes it shows; save the screen",
    .flags = WL_C_READS | WL_C_ALWAYS | WL_C_SCREEN | WL_C_FILES | WL_C_SHARED,
    .execute = execute,
    .offer = offer,
};
static char *help_text;

/* Made once: the text is the same for every session. */
static wlab_code make_help(wlab_err *err)
{
    wlab_buf b = {0};
    wlab_code code;

    if (help_text)
        return WL_OK;
    code = wlab_buf_printf(
        &b, "Keys. C-x and then the character does the same, for terminals that keep function keys for "
            "themselves; in single-key mode (C-x s) the letter alone does it:\n\n");
    code = code ? code : wlab_keys_help(&b);
    code = code ? code
                : wlab_buf_printf(
                      &b, "\nThe dashboard shows the run on the whole screen: pictures of its last steps, "
                          "its metrics, "
                          "and the log of typed lines and answers. The prompt at the bottom works as "
                          "without it. A key types its command, so the session's log has it.\n\n"
                          "Panes, for zoom, hide and show (zoom or show alone restores all); `help PANE` "
                          "explains one:\n\n");
    for (int i = 0; wlab_panes[i] && !code; i++)
        code = wlab_buf_printf(&b, "  %-11s %s\n", wlab_panes[i]->name, wlab_panes[i]->summary);
    code = code ? code
                : wlab_buf_printf(
                      &b, "\nLong answers, such as this one, replace the panes; the next command, "
                          "Escape, C-x q, or q on an empty line closes them. `dashboard save "
                          "FILE.svg` writes the screen as a picture, .html as a page, .txt as text. `set "
                          "theme=dark|light|mono` chooses colours. The session's log leaves out keys "
                          "that only change the view.");
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

    code = code || !d ? code : wlab_session_attach(s, key, d, NULL, err);
    code = code ? code : wlab_session_add_commands(s, commands, err);
    for (int i = 0; wlab_panes[i] && !code; i++)
        code = wlab_session_add_view(s,
                                     &(wlab_view_info){.pane = true,
                                                       .name = wlab_panes[i]->name,
                                                       .summary = wlab_panes[i]->summary,
                                                       .help = wlab_panes[i]->help},
                                     err);
    return code;
}
