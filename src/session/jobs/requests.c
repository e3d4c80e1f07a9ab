/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of mirrors made only on request: models, predictions, probes.
 */
#include "session/jobs/mirrors.h"

void wlab_mirror_drop_model(wlab_mirror *m)
{
    wlab_model_destroy(m->model);
    m->model = NULL;
    m->model_iter = m->model_serial = -1;
    m->model_half = 0;
}

void wlab_mirror_drop_predicted(wlab_mirror *m)
{
    m->predicted = wlab_free(m->predicted);
    m->predicted_before = wlab_free(m->predicted_before);
    m->predicted_iter = m->predicted_serial = -1;
}

void wlab_mirror_drop_probe(wlab_shown *shown)
{
    wlab_shown_clear(shown);
    shown->iter = shown->serial = -1;
}

void wlab_mirror_take_model(wlab_mirror *m, wlab_model *model)
{
    if (model) {
        wlab_mirror_drop_model(m);
        m->model = model;
        m->model_iter = m->rows - 1;
        m->model_half = m->half;
    }
    m->model_serial = m->state_serial;
}

void wlab_session_request_model(wlab_session *s, int number)
{
    struct wlab_kept *k = wlab_mirrors_get(s, number);
    wlab_ctx ctx = {.pool = s->pool};
    wlab_mirror *m = k ? &k->m : NULL;
    wlab_model *model = NULL;

    if (!m || wlab_mirror_model_is_new(m))
        return;
    if (s->job.running) {
        if (s->job.run == k->run)
            wlab_worker_request_model(s->job.worker);
        return;
    }
    if (!m->algo->model || m->algo->model(wlab_run_state(k->run), &model, &ctx, NULL))
        model = NULL;
    wlab_mirror_take_model(m, model);
    m->serial = ++*k->serials;
}

void wlab_session_request_predicted(wlab_session *s, int number)
{
    struct wlab_kept *k = wlab_mirrors_get(s, number);
    wlab_mirror *m = k ? &k->m : NULL;

    if (!m || !m->model || m->predicted_serial == m->model_serial)
        return;
    const wlab_problem *p = m->problem;
    const double each = (double)(m->model->nsv > 0 ? m->model->nsv : 1) * (double)p->X->cols;
    if (p->X->away || m->model->outputs != wlab_problem_outputs(p) ||
        (double)p->n * each > WL_PREDICTED_QUICK)
        return;
    double *f = wlab_alloc((size_t)p->n * (size_t)m->model->outputs, sizeof *f);
    int8_t *labels = wlab_alloc((size_t)p->n, 1);
    if (f && labels && !(m->model->nsv > 0 && wlab_blas_beside(NULL)) &&
        !wlab_model_predict_rows(m->model, p->X, p->data, p->row, f, s->job.running ? NULL : s->pool, NULL) &&
        !wlab_predicted_labels(p, f, labels, NULL)) {
        const bool next =
            m->predicted && m->predicted_iter == m->model_iter - 1 && !m->predicted_half && !m->model_half;
        const bool same =
            m->predicted && m->predicted_iter == m->model_iter && m->predicted_half == m->model_half;
        if (!same) { /* the newest becomes the one before, if it is of the previous step */
            wlab_free(m->predicted_before);
            m->predicted_before = next ? m->predicted : NULL;
            m->predicted = next ? NULL : m->predicted;
        }
        wlab_free(m->predicted);
        m->predicted = labels;
        m->predicted_iter = m->model_iter;
        m->predicted_half = m->model_half;
        m->predicted_serial = m->model_serial;
        m->serial = ++*k->serials;
        labels = NULL;
    }
    wlab_free(labels);
    wlab_free(f);
}

void wlab_session_request_probe(wlab_session *s, int number, int which)
{
    struct wlab_kept *k = s->job.running ? NULL : wlab_mirrors_get(s, number); /* only at pauses */
    wlab_ctx ctx = {.pool = s->pool};
    wlab_mirror *m = k ? &k->m : NULL;

    if (!m || which < 0 || m->probe[which].serial == m->state_serial)
        return;
    const wlab_probe *probe = &m->algo->probes[which];
    wlab_shown *shown = &m->probe[which], made = {.iter = m->rows - 1};
    if (wlab_probe_is_quick(probe, m->problem, m->row[m->rows - 1].nweights) &&
        !wlab_shown_get(&made, probe, wlab_run_state(k->run), m->problem, m->labels, &ctx, NULL)) {
        wlab_shown_clear(shown);
        *shown = made;
    }
    shown->serial = m->state_serial;
    m->serial = ++*k->serials;
}
