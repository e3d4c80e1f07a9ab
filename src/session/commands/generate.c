/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * generate: makes a data set.
 */
#include "data/share.h"
#include "session/commands/commands.h"
#include "session/jobs/stepping.h"
#include <string.h>

static wlab_code fail_unknown(const char *word, wlab_err *err)
{
    const char *name[64] = {NULL};
    size_t n = 0;
    for (; wlab_generators[n] && n < 64; n++)
        name[n] = wlab_generators[n]->name;
    const char *near = wlab_nearest(word, name, n);
    for (size_t i = 0; i < n && !near && strlen(word) > 2; i++) /* moons: two-moons */
        if (strstr(name[i], word))
            near = name[i];
    if (near)
        return wlab_fail(err, WL_EARG, "no generator \"%.60s\"; did you mean \"%s\"?", word, near);
    return wlab_fail(err, WL_EARG, "no generator \"%.60s\"; `help generators` lists them", word);
}

/* The setting that is free text, as the formula of `generate formula`; NULL: none. */
static const char *text_setting(const wlab_generator *g)
{
    for (const wlab_param_info *p = g->params; p->name; p++)
        if (p->type == WL_P_TEXT)
            return p->name;
    return NULL;
}

/* Returns `code`.  A place in the text of that setting becomes a place in the line. */
static wlab_code place_error(const wlab_args *args, const wlab_generator *g, wlab_code code, wlab_err *err)
{
    const char *key = text_setting(g), *at = NULL;
    if (code != WL_EINPUT || !key || !err)
        return code;
    for (int i = 0; i < args->nsettings; i++)
        if (strcmp(args->key[i], key) == 0)
            at = strstr(args->rest, args->value[i]);
    if (at)
        return wlab_args_place(args, at, code, err);
    err->column = 0; /* the default, or a text with quotes in it */
    return code;
}

typedef struct making {
    wlab_dataset *data;
    const wlab_generator *generator;
    const char *name;
    const wlab_params *params;
} making;

static wlab_code make_data(void *self, wlab_ctx *ctx, wlab_err *err)
{
    making *m = self;
    return wlab_param_known(m->generator->params, "ranks") && wlab_params_choice(m->params, "ranks")
               ? wlab_share_generate(&m->data, m->generator, m->name, m->params, ctx, err)
               : wlab_dataset_generate(&m->data, m->generator, m->name, m->params, ctx, err);
}

static wlab_code generate(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    making job = {0};
    wlab_params *params = NULL;
    bool named = args->nwords == 3 && args->word[1][0] == 'a' && args->word[1][1] == 's' && !args->word[1][2];

    const wlab_generator *g = args->nwords ? wlab_generator_find(args->word[0]) : NULL;
    if (g && args->nwords == 2 && text_setting(g))
        return wlab_fail(err, WL_EARG, "\"%.60s\" is not key=value; write %s=\"%.60s\"", args->word[1],
                         text_setting(g), args->word[1]);
    if (g && args->nwords > 1 && !named)
        return wlab_args_stray(args, 1, err);
    if (args->nwords != 1 && !named)
        return wlab_fail(err, WL_EARG,
                         "generate takes a kind: `generate two-moons n=200 seed=1`, say; "
                         "`help generators` lists them");
    if (!g)
        return fail_unknown(args->word[0], err);
    wlab_code code = wlab_args_params(args, g->params, &params, err);
    if (!code)
        code = wlab_session_default_seed(s, params, err);
    if (!code) {
        job = (making){NULL, g, named ? args->word[2] : g->name, params};
        code = place_error(args, g, wlab_session_call(s, make_data, &job, err), err);
    }
    if (!code) {
        code = wlab_session_mark_data(s, job.data, NULL, err);
        if (!code)
            code = wlab_session_add_data(s, job.data, err);
        else
            wlab_dataset_unref(job.data);
    }
    if (!code)
        wlab_session_show_data(s, wlab_session_slot(s));
    wlab_params_destroy(params);
    return code;
}

static void offer(wlab_offers *o, const wlab_session *s)
{
    int n = o->typed->nwords;
    const wlab_generator *g = n > 0 ? wlab_generator_find(o->typed->word[0]) : NULL;

    for (int i = 0; n == 0 && wlab_generators[i]; i++)
        wlab_offers_add(o, wlab_generators[i]->name, NULL, wlab_generators[i]->summary, 0);
    if (n == 1)
        wlab_offers_add(o, "as", NULL, "a name of your own for the data set follows", 0);
    if (g && n != 2)
        wlab_offers_params(o, s, g->params, NULL, 0);
}

const wlab_command wlab_cmd_generate = {
    .name = "generate",
    .usage = "generate KIND [as NAME] [key=value...]",
    .summary = "make a data set",
    .help = "Generates a data set of the given kind and makes it the current one. The same kind, settings "
            "and seed give the same data. `as NAME` names the data set (default: KIND). `help generators` "
            "lists the kinds; `help KIND`, as in `help two-moons`, lists its settings.",
    .flags = WL_C_SHARED,
    .execute = generate,
    .offer = offer,
};
