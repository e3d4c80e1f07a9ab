/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What mirrors have only when somebody wants to see it: models, angles, matrices, scores.
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

void wlab_mirror_drop_gram(wlab_mirror *m)
{
    wlab_free(m->gram.cosine);
    m->gram = (wlab_gram){0};
    m->gram_iter = m->gram_serial = -1;
}

void wlab_mirror_drop_matrix(wlab_mirror *m)
{
    wlab_excerpt_clear(&m->matrix);
    m->matrix_iter = m->matrix_serial = -1;
}

void wlab_mirror_drop_scores(wlab_mirror *m)
{
    m->scores = wlab_free(m->scores);
    m->scores_iter = m->scores_serial = -1;
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

void wlab_session_want_model(wlab_session *s, int number)
{
    struct wlab_kept *k = wlab_mirrors_look(s, number);
    wlab_ctx ctx = {.pool = s->pool};
    wlab_mirror *m = k ? &k->m : NULL;
    wlab_model *model = NULL;

    if (!m || wlab_mirror_model_is_new(m))
        return;
    if (s->job.running) {
        if (s->job.run == k->run)
            wlab_worker_want_model(s->job.worker);
        return;
    }
    if (!m->algo->model || m->algo->model(wlab_run_state(k->run), &model, &ctx, NULL))
        model = NULL;
    wlab_mirror_take_model(m, model);
    m->serial = ++*k->serials;
}

void wlab_session_want_predicted(wlab_session *s, int number)
{
    struct wlab_kept *k = wlab_mirrors_look(s, number);
    wlab_mirror *m = k ? &k->m : NULL;

    if (!m || !m->model || m->predicted_serial == m->model_serial)
        return;
    const wlab_problem *p = m->problem;
    const double each = (double)(m->model->nsv > 0 ? m->model->nsv : 1) * (double)p->X->cols;
    if (m->model->outputs != wlab_problem_outputs(p) || (double)p->n * each > WL_PREDICTED_QUICK)
        return;
    double *f = wlab_alloc((size_t)p->n * (size_t)m->model->outputs, sizeof *f);
    int8_t *labels = wlab_alloc((size_t)p->n, 1);
    if (f && labels && !(m->model->nsv > 0 && wlab_blas_beside(NULL)) &&
        !wlab_model_predict(m->model, p->X, f, s->job.running ? NULL : s->pool, NULL) &&
        !wlab_predicted_labels(p, f, labels, NULL)) {
        const bool next =
            m->predicted && m->predicted_iter == m->model_iter - 1 && !m->predicted_half && !m->model_half;
        const bool same =
            m->predicted && m->predicted_iter == m->model_iter && m->predicted_half == m->model_half;
        if (!same) { /* what was the newest is the one before, or nothing to compare with */
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

/* What is made at pauses only: of which run, NULL during a job. */
static struct wlab_kept *at_pause(wlab_session *s, int number)
{
    return s->job.running ? NULL : wlab_mirrors_look(s, number);
}

void wlab_session_want_gram(wlab_session *s, int number)
{
    struct wlab_kept *k = at_pause(s, number);
    wlab_ctx ctx = {.pool = s->pool};
    wlab_mirror *m = k ? &k->m : NULL;
    wlab_gram gram = {0};

    if (!m || m->gram_serial == m->state_serial)
        return;
    if (wlab_gram_is_quick(m->problem, m->row[m->rows - 1].nweights) && m->algo->gram &&
        !m->algo->gram(wlab_run_state(k->run), &gram, &ctx, NULL)) {
        wlab_mirror_drop_gram(m);
        m->gram = gram;
        m->gram_iter = m->rows - 1;
    }
    m->gram_serial = m->state_serial;
    m->serial = ++*k->serials;
}

void wlab_session_want_matrix(wlab_session *s, int number)
{
    struct wlab_kept *k = at_pause(s, number);
    wlab_mirror *m = k ? &k->m : NULL;
    wlab_excerpt e;

    if (!m || m->matrix_serial == m->state_serial)
        return;
    if (m->algo->matrix &&
        !wlab_excerpt_matrix(&e, m->algo, wlab_run_state(k->run), m->problem, m->labels, NULL)) {
        wlab_mirror_drop_matrix(m);
        m->matrix = e;
        m->matrix_iter = m->rows - 1;
    }
    m->matrix_serial = m->state_serial;
    m->serial = ++*k->serials;
}

void wlab_session_want_scores(wlab_session *s, int number)
{
    struct wlab_kept *k = at_pause(s, number);
    wlab_mirror *m = k ? &k->m : NULL;
    double *scores = NULL;

    if (!m || m->scores_serial == m->state_serial)
        return;
    const int64_t numbers = m->problem->n * m->problem->classes;
    if (m->algo->scores && numbers <= WL_SCORES_QUICK)
        scores = wlab_alloc((size_t)numbers, sizeof *scores);
    if (scores && m->algo->scores(wlab_run_state(k->run), scores)) {
        wlab_mirror_drop_scores(m);
        m->scores = scores;
        m->scores_iter = m->rows - 1;
    } else {
        wlab_free(scores);
    }
    m->scores_serial = m->state_serial;
    m->serial = ++*k->serials;
}
