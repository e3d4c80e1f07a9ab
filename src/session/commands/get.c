/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * get: shows parameters and settings.
 */
#include "session/commands/commands.h"
#include <string.h>

/* run: whose parameters these are, or NULL. */
static void show_setting(wlab_session *s, const wlab_run *run, const wlab_params *params,
                         const wlab_param_info *p)
{
    char number[WL_REAL_TEXT];
    const wlab_param_info *by = NULL;
    const char *text = run ? wlab_run_setting(run, p, &by, number) : wlab_params_text(params, p->name);
    const bool given = wlab_params_given(params, p->name), is_mutable = p->flags & WL_P_MUTABLE;

    wlab_session_print(s, "%s = %s", p->name, text ? text : "-");
    if (by)
        wlab_session_print(s, " (from %s=%s)", by->name, wlab_params_text(params, by->name));
    else if (!given)
        wlab_session_print(s, " (default)");
    wlab_session_print(s, "%s\n", is_mutable ? " (may change)" : "");
    if (s->sink.json)
        wlab_session_object(s, json_pack("{s:s, s:s, s:o, s:b, s:s*, s:b, s:s}", "type", "setting", "name",
                                         p->name, "value", text ? wlab_json_text(text) : json_null(), "given",
                                         (int)given, "from", by ? by->name : NULL, "mutable", (int)is_mutable,
                                         "of", run ? wlab_run_name(run) : "session"));
}

/* Shows `key` of the run, or of the session if it is NULL, or all keys if `key` is NULL.  Adds the names of all to names[*n ..], at most `most` of them, for suggestions.
 * Returns how many were shown. */
static int show_all(wlab_session *s, const wlab_run *run, const char *key, const char **names, int *n,
                    int most)
{
    const wlab_params *params = run ? wlab_run_params(run) : s->settings;
    int shown = 0;

    for (const wlab_param_info *p = wlab_params_table(params); p->name; p++) {
        if (*n < most)
            names[(*n)++] = p->name;
        if (!key || strcmp(key, p->name) == 0) {
            show_setting(s, run, params, p);
            shown++;
        }
    }
    return shown;
}

static wlab_code get(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    const char *names[128], *near, *key = args->nwords == 1 ? args->word[0] : NULL;
    wlab_run *run = wlab_session_run(s);
    int n = 0, shown = 0;

    if (args->nwords > 1 || args->nsettings > 0)
        return wlab_fail(err, WL_EARG, "get takes one key, or none for all");
    if (run && !s->job.running) /* during a job the solver may change them */
        shown += show_all(s, run, key, names, &n, 128);
    if (!key || shown == 0)
        shown += show_all(s, NULL, key, names, &n, 128);
    if (shown > 0)
        return WL_OK;
    if (s->job.running)
        return wlab_fail(err, WL_ESTATE, "running: settings can be shown once the run has stopped");
    for (int i = 0; !run && wlab_algos[i]; i++)
        if (wlab_param_known(wlab_algos[i]->params, key))
            return wlab_session_need_run(s, &run, err);
    near = wlab_nearest(key, names, (size_t)n);
    if (near)
        return wlab_fail(err, WL_EARG, "no setting \"%.60s\"; did you mean \"%s\"?", key, near);
    return wlab_fail(err, WL_EARG, "no setting \"%.60s\"; `get` lists them", key);
}

static void offer(wlab_offers *o, const wlab_session *s)
{
    const wlab_run *run = s->job.running ? NULL : wlab_session_run(s);
    const wlab_param_info *table[2] = {run ? wlab_run_algo(run)->params : NULL, wlab_settings};

    for (int k = 0; k < 2 && o->typed->nwords == 0; k++)
        for (const wlab_param_info *p = table[k]; p && p->name; p++) {
            const char *now = wlab_params_text(k ? s->settings : wlab_run_params(run), p->name);
            wlab_offers_add(o, p->name, now, p->meaning, 0);
        }
}

const wlab_command wlab_cmd_get = {
    .name = "get",
    .usage = "get [KEY]",
    .summary = "show a setting, or all",
    .help = "Shows the settings of the current run and of the session, or only KEY. (default) "
            "marks values that were not set, (may change) marks settings that `set` can change between "
            "steps. `explain KEY` says what a setting means.",
    .flags = WL_C_READS | WL_C_SHARED,
    .execute = get,
    .offer = offer,
};
