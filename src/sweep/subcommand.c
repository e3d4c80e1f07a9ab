/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Turns a subcommand on the shell's command line into a line of the command language.
 */
#include "sweep/subcommand.h"
#include "lang/phrase.h"
#include <string.h>

enum {
    OUT = 1,
    SHARD = 2,
    FORMAT = 4,
    TO = 8,
    OF = 16,
    RETRY = 32,
    ANEW = 64,
    ITEMS = 1024,
    /* not options, but properties of the subcommand */
    FOLDERS = 128, /* every word names a folder, even one that contains '=' */
    RANKS = 256,   /* ranks of an MPI job compute for it */
    PROMPT = 512   /* without --to, the prompt follows, with the objects that the subcommand made */
};

static const struct {
    const char *name;
    unsigned takes, needs;
    int least, most; /* number of words other than settings; most -1: any number */
    const char *usage;
} subcommands[] = {
    {.name = "sweep",
     .takes = OUT | SHARD | RETRY | ANEW | RANKS,
     .least = 1,
     .most = 1,
     .usage = "weaklab sweep FILE [--out DIR] [--shard I/N] [--retry] [--anew] [-j WORKERS]"},
    {.name = "table",
     .takes = FORMAT | TO,
     .least = 1,
     .most = 1,
     .usage = "weaklab table DIR [--format F] [--to FILE] [key=value...]"},
    {.name = "merge",
     .takes = OUT | FOLDERS,
     .needs = OUT,
     .least = 1,
     .most = -1,
     .usage = "weaklab merge DIR... --out DIR"},
    {.name = "cell",
     .takes = OF | TO | PROMPT,
     .needs = OF,
     .least = 1,
     .most = 1,
     .usage = "weaklab cell N|all --of DIR [--to FILE] [scores=A,B]"},
    {.name = "report",
     .takes = TO,
     .needs = TO,
     .least = 1,
     .most = 1,
     .usage = "weaklab report SCRIPT -o FILE [views=VIEW,...]"},
    {.name = "grade",
     .takes = TO | ITEMS,
     .least = 2,
     .most = -1,
     .usage = "weaklab grade EXERCISE ANSWER... [-o FILE.csv] [--items] [limit=SECONDS]"},
    {.name = "curve",
     .takes = OF | TO,
     .least = 1,
     .most = 7,
     .usage = "weaklab curve SCORE [vs KEY] --of DIR [--to FILE] [key=value...]"},
};

static int find_subcommand(const char *name)
{
    for (int i = 0; i < (int)(sizeof subcommands / sizeof *subcommands); i++)
        if (strcmp(subcommands[i].name, name) == 0)
            return i;
    return -1;
}

bool wlab_subcommand_is(const char *word)
{
    return find_subcommand(word) >= 0;
}

const char *wlab_subcommand_nearest(const char *word)
{
    const char *names[sizeof subcommands / sizeof *subcommands + 1] = {"replay"};
    size_t n = 1;

    for (; n < sizeof names / sizeof *names; n++)
        names[n] = subcommands[n - 1].name;
    return wlab_nearest(word, names, n);
}

wlab_code wlab_subcommand_add(wlab_subcommand *s, const char *word, wlab_err *err)
{
    const char **grown = wlab_realloc(s->word, (size_t)s->n + 1, sizeof *grown);

    if (!grown)
        return wlab_nomem(err);
    s->word = grown;
    s->word[s->n++] = word;
    return WL_OK;
}

void wlab_subcommand_clear(wlab_subcommand *s)
{
    wlab_free(s->word);
    *s = (wlab_subcommand){0};
}

static unsigned accepted_flags(const wlab_subcommand *s)
{
    const int which = s->name ? find_subcommand(s->name) : -1;
    return which < 0 ? 0 : subcommands[which].takes;
}

bool wlab_subcommand_uses_ranks(const wlab_subcommand *s)
{
    return accepted_flags(s) & RANKS;
}

bool wlab_subcommand_keeps_prompt(const wlab_subcommand *s)
{
    return (accepted_flags(s) & PROMPT) && !s->to;
}

static wlab_code put_word(wlab_buf *line, const char *before, const char *word)
{
    wlab_code code = wlab_buf_printf(line, "%s", before);
    return code ? code : wlab_buf_quote(line, word);
}

/* key=value, the value quoted if necessary. */
static wlab_code put_setting(wlab_buf *line, const char *setting, size_t key)
{
    wlab_code code = wlab_buf_printf(line, " %.*s=", (int)key, setting);
    return code ? code : wlab_buf_quote(line, setting + key + 1);
}

/* Length of the key if word i is a setting, else 0.  The first word is never a setting, nor is any word of a subcommand
 * with FOLDERS, even if it contains '='. */
static size_t key_of(const wlab_subcommand *s, int i)
{
    return i == 0 || (accepted_flags(s) & FOLDERS) ? 0 : wlab_setting_length(s->word[i]);
}

wlab_code wlab_subcommand_line(const wlab_subcommand *s, wlab_buf *line, wlab_err *err)
{
    int which = find_subcommand(s->name), words = 0;
    unsigned given = (s->out ? OUT : 0U) | (s->shard ? SHARD : 0U) | (s->format ? FORMAT : 0U) |
                     (s->to ? TO : 0U) | (s->of ? OF : 0U) | (s->retry ? RETRY : 0U) | (s->anew ? ANEW : 0U) |
                     (s->items ? ITEMS : 0U);
    const char *to = subcommands[which < 0 ? 0 : which].takes & TO ? s->to : s->out;
    bool bad;

    for (int i = 0; i < s->n; i++)
        words += key_of(s, i) == 0;
    if (which < 0 || (given & ~subcommands[which].takes) || words < subcommands[which].least ||
        (subcommands[which].most >= 0 && words > subcommands[which].most) ||
        (subcommands[which].needs & ~given))
        return wlab_fail(err, WL_EARG, "usage: %s", which < 0 ? "weaklab --help" : subcommands[which].usage);
    bad = wlab_buf_printf(line, "%s", s->name);
    for (int i = 0; !bad && i < s->n; i++)
        if (key_of(s, i) == 0)
            bad = put_word(line, " ", s->word[i]);
    if (!bad && s->of)
        bad = put_word(line, " of ", s->of);
    if (!bad && to)
        bad = put_word(line, " to ", to);
    if (!bad && s->shard)
        bad = wlab_buf_printf(line, " shard=") || wlab_buf_quote(line, s->shard);
    if (!bad && s->format)
        bad = wlab_buf_printf(line, " format=") || wlab_buf_quote(line, s->format);
    for (int i = 0; !bad && i < s->n; i++)
        if (key_of(s, i) > 0)
            bad = put_setting(line, s->word[i], key_of(s, i));
    if (!bad)
        bad = wlab_buf_printf(line, "%s%s%s", s->retry ? " retry=yes" : "", s->anew ? " anew=yes" : "",
                              s->items ? " items=yes" : "");
    return bad ? wlab_nomem(err) : WL_OK;
}
