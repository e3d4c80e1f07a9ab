/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * set: changes parameters of the run and settings of the session.
 */
#include "session/commands/commands.h"
#include <string.h>

enum {
    MOST = 64
};

static wlab_code fail_unknown(const wlab_session *s, const wlab_param_info *table, const char *key,
                              wlab_err *err)
{
    wlab_run *run;

    for (int i = 0; !table && wlab_algos[i]; i++)
        if (wlab_param_known(wlab_algos[i]->params, key))
            return wlab_session_need_run(s, &run, err);
    const char *names[2 * MOST], *near;
    size_t n = 0;

    for (; table && table->name && n < MOST; table++)
        names[n++] = table->name;
    for (const wlab_param_info *p = wlab_settings; p->name && n < 2 * MOST; p++)
        names[n++] = p->name;
    near = wlab_nearest(key, names, n);
    if (near)
        return wlab_fail(err, WL_EARG, "no setting \"%.60s\"; did you mean \"%s\"?", key, near);
    return wlab_fail(err, WL_EARG, "no setting \"%.60s\"; `get` lists them", key);
}

static wlab_code set_one(wlab_session *s, const char *key, const char *value, wlab_err *err)
{
    wlab_run *run = wlab_session_run(s);
    const wlab_param_info *table = run ? wlab_params_table(wlab_run_params(run)) : NULL;
    const wlab_param_info *info = wlab_param_find(table, key);
    const bool of_run = info != NULL;
    char number[WL_REAL_TEXT];
    const char *text;
    char *was;
    wlab_code code;

    if (!of_run && !wlab_param_known(wlab_settings, key))
        return fail_unknown(s, table, key, err);
    text = of_run ? wlab_run_setting(run, info, NULL, number) : wlab_params_text(s->settings, key);
    was = wlab_strdup(text ? text : "-");
    if (!was)
        return wlab_nomem(err);
    code = of_run ? wlab_run_set(run, key, value, err) : wlab_session_set(s, key, value, err);
    if (!code && !of_run && strcmp(key, "history") == 0)
        for (int i = 0; i < s->held.nruns; i++)
            wlab_run_set_history(s->held.run[i], (size_t)wlab_params_int(s->settings, "history") << 20);
    if (!code) {
        wlab_session_print(s, "%s = %s (was %s)\n", key, value, was);
        if (s->sink.json)
            wlab_session_object(s, json_pack("{s:s, s:s, s:o, s:o, s:s}", "type", "setting", "name", key,
                                             "value", wlab_json_text(value), "was", wlab_json_text(was), "of",
                                             of_run ? wlab_run_name(run) : "session"));
    }
    wlab_free(was);
    return code;
}

static wlab_code set(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    if (args->nwords > 0)
        return wlab_args_stray(args, 0, err);
    if (args->nsettings == 0)
        return wlab_fail(err, WL_EARG, "set takes key=value: `set C2=0.5`, say; `get` lists keys");
    for (int i = 0; i < args->nsettings; i++) {
        wlab_code code = set_one(s, args->key[i], args->value[i], err);

        if (!code)
            continue;
        for (int k = 0; k < i; k++) { /* the assignments before this one are in effect: record them */
            wlab_buf value = {0};

            if (!wlab_buf_quote(&value, args->value[k]))
                (void)wlab_session_record_as(s, NULL, "set %s=%s", args->key[k], (const char *)value.data);
            wlab_buf_clear(&value);
        }
        return code;
    }
    return WL_OK;
}

static void offer(wlab_offers *o, const wlab_session *s)
{
    const wlab_run *run = s->job.running ? NULL : wlab_session_run(s); /* the solver may read them */

    if (run)
        wlab_offers_params(o, s, wlab_run_algo(run)->params, wlab_run_params(run), WL_P_MUTABLE);
    wlab_offers_params(o, s, wlab_settings, s->settings, 0);
}

const wlab_command wlab_cmd_set = {
    .name = "set",
    .usage = "set KEY=VALUE...",
    .summary = "change a setting of the run or of the session",
    .help =
        "Changes settings of the current run and of the session (`help settings` lists these). "
        "Of those of the run only those may change that `get` marks with (may change), and only between "
        "steps: `step` first completes a step that `stepi` began. After a change a run that has ended may "
        "be able to continue.",
    .flags = WL_C_OWN | WL_C_SHARED,
    .execute = set,
    .offer = offer,
};
