/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * libFuzzer target: any bytes are an experiment, or are refused with a place inside them; an experiment has a plan,
 * whose cells have lines and candidates that can be read.
 */
#include "lang/phrase.h"
#include "study/experiment/experiment.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* The place of an error is in the text, or directly after the end of a line. */
static void placed(const uint8_t *data, size_t size, const wlab_err *err)
{
    long line = 1;
    size_t begin = 0, end;

    require(err->message[0] && err->line >= 1 && err->column >= 1 && strcmp(err->file, "x.wexp") == 0);
    for (; line < err->line; line++) {
        const uint8_t *feed = memchr(data + begin, '\n', size - begin);
        require(feed != NULL);
        begin = (size_t)(feed - data) + 1;
    }
    for (end = begin; end < size && data[end] != '\n'; end++)
        continue;
    require((size_t)err->column <= end - begin + 1);
}

static void readable(const char *line)
{
    wlab_phrase w = {0};
    size_t pos = 0;
    bool more = true;
    require(wlab_phrase_read(&w, line, &pos, &more, NULL) == WL_OK && w.name && !more);
    wlab_phrase_clear(&w);
}

static void plan(wlab_experiment *e)
{
    wlab_err err = {0};
    for (int d = 0; d < e->ndata; d++)
        wlab_sha256_hex(e->data[d].line, strlen(e->data[d].line), e->data[d].sha256);
    if ((double)e->nseeds * e->nsettings * e->ndata * e->nmethods * (e->folds + 1) > 2000)
        return;
    if (wlab_experiment_plan(e, &err)) {
        require(err.message[0] && err.line >= 1 && err.column >= 1);
        return;
    }
    const wlab_cell *cell[] = {&e->cell[0], &e->cell[e->cells - 1]};
    for (int i = 0; i < 2; i++) {
        char **lines = NULL;
        wlab_candidate *list = NULL;
        int n = 0;
        require(wlab_cell_before(e, cell[i], &lines, &n, &err) == WL_OK && n >= 2);
        for (int k = 0; k < n; k++)
            readable(lines[k]);
        wlab_list_free(lines, n);
        require(wlab_cell_after(e, cell[i], &lines, &n, &err) == WL_OK && n >= 2); /* continue, eval ... */
        wlab_list_free(lines, n);
        if (e->method[cell[i]->method].candidates > 200)
            continue;
        require(wlab_cell_candidates(e, cell[i], &list, &n, &err) == WL_OK);
        require(n == e->method[cell[i]->method].candidates);
        wlab_candidates_free(list, n);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wlab_experiment *e = NULL;
    wlab_err err = {0};

    if (wlab_experiment_parse(&e, (const char *)data, size, "x.wexp", &err)) {
        require(e == NULL);
        placed(data, size, &err);
        return 0;
    }
    require(e->ndata > 0 && e->nmethods > 0 && e->nsettings > 0 && e->nseeds > 0 && e->task && e->go &&
            e->eval);
    plan(e);
    wlab_experiment_free(e);
    return 0;
}
