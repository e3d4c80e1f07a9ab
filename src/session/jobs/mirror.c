/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mirrors: copies of the state of runs for display.  During a job they follow the worker's reports; between jobs they
 * are compared with the runs and brought up to date.
 */
#include "run/history.h"
#include "session/jobs/mirrors.h"
#include <math.h>
#include <string.h>

void wlab_session_changed(wlab_session *s)
{
    if (s->sink.changed)
        s->sink.changed(s->sink.self);
}

/* ---- life ---- */

static void changes_clear(wlab_mirror *m)
{
    for (int i = 0; i < m->changes; i++) {
        wlab_free(m->change[i].name);
        wlab_free(m->change[i].value);
    }
    m->change = wlab_free(m->change);
    m->changes = 0;
}

static void rows_cut(wlab_mirror *m, int64_t rows)
{
    while (m->rows > rows)
        wlab_row_clear(&m->row[--m->rows]);
}

static void kept_free(struct wlab_kept *k)
{
    wlab_mirror *m = &k->m;

    rows_cut(m, 0);
    changes_clear(m);
    wlab_mirror_drop_model(m);
    wlab_mirror_drop_predicted(m);
    for (int i = 0; m->probe && i < wlab_probe_count(m->algo); i++)
        wlab_shown_clear(&m->probe[i]);
    wlab_free(m->probe);
    wlab_params_destroy(m->params);
    wlab_problem_unref(m->problem);
    wlab_free(m->name);
    wlab_free(m->row);
    wlab_free(m->labels_first);
    wlab_free(m->labels);
    wlab_free(m->labels_before);
    wlab_free(k->last);
    wlab_free(k);
}

void wlab_mirrors_clear(wlab_session *s)
{
    for (int i = 0; i < s->mirrors.n; i++)
        kept_free(s->mirrors.kept[i]);
    s->mirrors.kept = wlab_free(s->mirrors.kept);
    s->mirrors.n = 0;
}

static int kept_index(const wlab_session *s, int number)
{
    for (int i = 0; i < s->mirrors.n; i++)
        if (s->mirrors.kept[i]->m.number == number)
            return i;
    return -1;
}

static void drop_mirror(wlab_session *s, int i)
{
    kept_free(s->mirrors.kept[i]);
    s->mirrors.kept[i] = s->mirrors.kept[--s->mirrors.n];
}

static struct wlab_kept *kept_create(wlab_session *s, const wlab_run *run)
{
    struct wlab_kept *k = wlab_calloc(1, sizeof *k);
    wlab_mirror *m = k ? &k->m : NULL;
    size_t n = (size_t)wlab_run_problem(run)->n;

    if (!k)
        return NULL;
    k->run = run;
    k->serials = &s->mirrors.serial;
    m->number = wlab_run_number(run);
    m->algo = wlab_run_algo(run);
    m->problem = wlab_problem_ref(wlab_run_problem(run));
    m->value = NAN;
    m->model_iter = m->model_serial = m->predicted_iter = m->predicted_serial = -1;
    k->nmetrics = wlab_metric_count(m->algo);
    m->name = wlab_strdup(wlab_run_name(run));
    m->probe = wlab_calloc((size_t)wlab_probe_count(m->algo), sizeof *m->probe);
    for (int i = 0; m->probe && i < wlab_probe_count(m->algo); i++)
        m->probe[i].iter = m->probe[i].serial = -1;
    m->labels_first = wlab_alloc(n, 1);
    m->labels = wlab_calloc(n, 1);
    m->labels_before = wlab_calloc(n, 1);
    k->last = wlab_alloc(n, 1);
    if (!m->name || !m->probe || !m->labels_first || !m->labels || !m->labels_before || !k->last ||
        wlab_params_copy(&m->params, wlab_run_params_first(run), NULL)) {
        kept_free(k);
        return NULL;
    }
    memcpy(m->labels_first, wlab_run_labels_first(run), n);
    memcpy(k->last, m->labels_first, n);
    return k;
}

/* ---- between jobs: as the run is ---- */

static wlab_code rows_reserve(struct wlab_kept *k, int64_t rows)
{
    int64_t cap = k->row_cap ? k->row_cap : 16;
    wlab_trace_row *row;

    if (rows <= k->row_cap)
        return WL_OK;
    while (cap < rows)
        cap *= 2;
    row = wlab_realloc(k->m.row, (size_t)cap, sizeof *row);
    if (!row)
        return WL_ENOMEM;
    k->m.row = row;
    k->row_cap = cap;
    return WL_OK;
}

static void apply_flips(int8_t *labels, const wlab_trace_row *row)
{
    for (int64_t i = 0; i < row->nflips; i++)
        labels[row->flip[i].instance] = row->flip[i].to;
}

/* Copies the rows of the trace that the mirror lacks.  Leaves the first *kept rows alone, which mirror and run have
 * in common. */
static wlab_code sync_rows(struct wlab_kept *k, int64_t *kept)
{
    wlab_mirror *m = &k->m;
    const wlab_trace_row *row;
    int64_t rows = wlab_run_trace(k->run, &row), same = m->rows < rows ? m->rows : rows;

    while (same > 0 && m->row[same - 1].made != row[same - 1].made)
        same--;
    *kept = same;
    if (same < m->rows) {
        rows_cut(m, same);
        memcpy(k->last, m->labels_first, (size_t)m->problem->n);
        for (int64_t i = 0; i < same; i++)
            apply_flips(k->last, &m->row[i]);
    }
    if (rows_reserve(k, rows))
        return WL_ENOMEM;
    for (; m->rows < rows; m->rows++) {
        if (wlab_row_copy(&m->row[m->rows], &row[m->rows], k->nmetrics))
            return WL_ENOMEM;
        apply_flips(k->last, &row[m->rows]);
    }
    return WL_OK;
}

static wlab_code sync_changes(struct wlab_kept *k, bool *changed)
{
    wlab_mirror *m = &k->m;
    const wlab_change *c;
    int n = wlab_run_changes(k->run, &c);
    bool same = n == m->changes;

    for (int i = 0; same && i < n; i++)
        same = c[i].iter == m->change[i].iter && strcmp(c[i].name, m->change[i].name) == 0 &&
               strcmp(c[i].value, m->change[i].value) == 0;
    *changed = !same;
    if (same)
        return WL_OK;
    changes_clear(m);
    m->change = wlab_calloc((size_t)n, sizeof *m->change);
    if (!m->change)
        return WL_ENOMEM;
    for (int i = 0; i < n; i++) {
        wlab_change *to = &m->change[m->changes++];

        to->iter = c[i].iter;
        to->name = wlab_strdup(c[i].name);
        to->value = wlab_strdup(c[i].value);
        if (!to->name || !to->value)
            return WL_ENOMEM;
    }
    return WL_OK;
}

/* Copy the n labels; returns whether any differed. */
static bool sync_labels(int8_t *to, const int8_t *from, int64_t n)
{
    if (memcmp(to, from, (size_t)n) == 0)
        return false;
    memcpy(to, from, (size_t)n);
    return true;
}

/* Update what is shown while the run waits inside a step: the current objective, the number of labelings, what comes
 * next.  It reads m->rows and m->half, so update those first. */
static wlab_code sync_pause(struct wlab_kept *k)
{
    wlab_mirror *m = &k->m;
    int objective = wlab_metric_of(m->algo, WL_R_OBJECTIVE);

    m->value = NAN;
    m->labelings = m->row[m->rows - 1].nweights;
    if (m->half > 0 && m->labelings > 0) {
        wlab_probed weights = {0};

        if (wlab_run_recorded(k->run, &weights, NULL))
            return WL_ENOMEM;
        m->labelings = weights.rows;
        wlab_probed_clear(&weights);
    }
    if (m->half > 0 && objective >= 0) {
        double *metric = wlab_calloc((size_t)k->nmetrics, sizeof *metric);

        if (!metric)
            return WL_ENOMEM;
        wlab_run_metrics(k->run, metric);
        m->value = metric[objective];
        wlab_free(metric);
    }
    m->next[0] = '\0';
    if (m->algo->next)
        m->algo->next(wlab_run_state(k->run), m->next, sizeof m->next);
    return WL_OK;
}

/* Between jobs: make the mirror equal to the run. */
static wlab_code sync(struct wlab_kept *k)
{
    wlab_mirror *m = &k->m;
    const wlab_run *run = k->run;
    int64_t n = m->problem->n, had = m->rows, half = wlab_run_half(run), kept = 0;
    bool other = false, set = false, gone;
    wlab_verdict verdict = wlab_run_verdict(run);

    for (int i = 0; i < WL_HIDDEN_SETS; i++)
        m->scored[i] = wlab_run_scored_rows(run, (wlab_hidden)(1U << i), NULL);
    if (sync_rows(k, &kept) || sync_changes(k, &set))
        return WL_ENOMEM;
    other = set || kept < had || m->rows > had || half != m->half || wlab_run_inner(run) != m->inner;
    other |= sync_labels(m->labels, wlab_run_labels(run), n);
    other |= sync_labels(m->labels_before, wlab_run_labels_before(run), n);
    gone = kept < had || (m->rows == had && half < m->half);
    if (gone && (m->model_iter >= kept || (m->model_iter == kept - 1 && m->model_half > 0)))
        wlab_mirror_drop_model(m);
    if (gone)
        wlab_mirror_drop_predicted(m);
    for (int i = 0; gone && i < wlab_probe_count(m->algo); i++)
        if (m->probe[i].iter >= kept - 1)
            wlab_mirror_drop_probe(&m->probe[i]);
    if (!other && verdict == m->verdict && !m->running && !k->follows && m->serial > 0)
        return WL_OK;
    m->serial = ++*k->serials;
    if (other || m->state_serial == 0)
        m->state_serial = m->serial;
    m->verdict = verdict;
    m->inner = wlab_run_inner(run);
    m->half = half;
    m->running = k->follows = false;
    return sync_pause(k);
}

/* The run's mirror, up to date, created if there is none; NULL: memory ran out. */
static struct wlab_kept *current_mirror(wlab_session *s, const wlab_run *run)
{
    int i = kept_index(s, wlab_run_number(run));

    if (i >= 0 && (s->mirrors.kept[i]->run != run || s->mirrors.kept[i]->m.problem != wlab_run_problem(run) ||
                   s->mirrors.kept[i]->m.algo != wlab_run_algo(run))) {
        drop_mirror(s, i);
        i = -1;
    }
    if (i < 0) {
        struct wlab_kept **grown =
            wlab_realloc(s->mirrors.kept, (size_t)s->mirrors.n + 1, sizeof(struct wlab_kept *));
        struct wlab_kept *k = grown ? kept_create(s, run) : NULL;

        if (grown)
            s->mirrors.kept = grown;
        if (!k)
            return NULL;
        i = s->mirrors.n++;
        s->mirrors.kept[i] = k;
    }
    if (sync(s->mirrors.kept[i])) {
        drop_mirror(s, i);
        return NULL;
    }
    return s->mirrors.kept[i];
}

/* ---- during a job ---- */

void wlab_mirrors_begin(wlab_session *s, wlab_run *run)
{
    struct wlab_kept *k;

    s->job.run = run;
    if (!s->sink.changed)
        return;
    for (int i = s->mirrors.n;
         i-- > 0;) { /* drop_mirror() moves the last one to the place of the dropped one */
        const wlab_run *r = wlab_session_run_numbered(s, s->mirrors.kept[i]->m.number);

        if (r)
            (void)current_mirror(s, r);
        else
            drop_mirror(s, i);
    }
    k = run ? current_mirror(s, run) : NULL;
    if (!k)
        return;
    k->m.running = k->follows = true;
    k->inside = k->m.half > 0;
    k->m.serial = ++*k->serials;
}

void wlab_mirrors_end(wlab_session *s)
{
    wlab_run *run = s->job.run;

    s->job.run = NULL;
    if (!s->sink.changed)
        return;
    if (run)
        (void)current_mirror(s, run);
    wlab_session_changed(s);
}

/* Follows a step.  If the mirror cannot follow (a report lacks memory, or memory runs out here), it follows nothing
 * more until the job has ended: it is then out of date, but never wrong. */
static bool follow_step(struct wlab_kept *k, wlab_report *r)
{
    wlab_mirror *m = &k->m;
    size_t n = (size_t)m->problem->n;

    if (!r->whole || r->row.iter != m->rows || rows_reserve(k, m->rows + 1)) {
        k->follows = false;
        return false;
    }
    if (!k->inside)
        memcpy(m->labels_before, m->labels, n);
    k->inside = false;
    apply_flips(k->last, &r->row);
    memcpy(m->labels, k->last, n);
    m->inner = r->row.inner;
    m->half = 0;
    m->verdict = r->row.verdict;
    m->value = NAN;
    m->labelings = r->row.nweights;
    m->row[m->rows++] = r->row;
    r->row = (wlab_trace_row){0};
    m->state_serial = ++*k->serials;
    return true;
}

static bool follow_inner(struct wlab_kept *k, const wlab_event *event)
{
    wlab_mirror *m = &k->m;

    if (event->step != m->rows) /* an event of another step */
        return false;
    m->inner = event->inner;
    m->half = event->inner - m->row[m->rows - 1].inner;
    m->value = event->value;
    m->state_serial = ++*k->serials;
    return true;
}

static bool follow_model(struct wlab_kept *k, wlab_report *r)
{
    wlab_mirror *m = &k->m;

    if (m->half > 0 || m->row[m->rows - 1].made != r->made)
        return false;
    wlab_mirror_take_model(m, r->model);
    r->model = NULL;
    return true;
}

void wlab_mirrors_report(wlab_session *s, wlab_report *r)
{
    int i = s->sink.changed && s->job.run ? kept_index(s, wlab_run_number(s->job.run)) : -1;
    struct wlab_kept *k = i >= 0 ? s->mirrors.kept[i] : NULL;
    bool changed = false;

    if (!k || !k->follows)
        return;
    switch (r->kind) {
    case WL_REPORT_STEP:
        changed = follow_step(k, r);
        break;
    case WL_REPORT_EVENT:
        changed = r->event.kind == WL_EV_INNER && follow_inner(k, &r->event);
        break;
    case WL_REPORT_MODEL:
        changed = follow_model(k, r);
        break;
    case WL_REPORT_END:
        break;
    }
    if (!changed)
        return;
    k->m.serial = ++*k->serials;
    wlab_session_changed(s);
}

/* ---- for display ---- */

struct wlab_kept *wlab_mirrors_get(wlab_session *s, int number)
{
    wlab_run *run = s->sink.changed ? wlab_session_run_numbered(s, number) : NULL;
    int i;

    if (!run)
        return NULL;
    if (!s->job.running)
        return current_mirror(s, run);
    i = kept_index(s, number);
    return i >= 0 ? s->mirrors.kept[i] : NULL;
}

const wlab_mirror *wlab_session_mirror(wlab_session *s, int number)
{
    struct wlab_kept *k = wlab_mirrors_get(s, number);

    return k ? &k->m : NULL;
}
