/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The views, on a run made by hand: the content of .dat and .gp, degenerate ranges, refusals, all pictures.
 * WEAKLAB_FIGURES=FOLDER keeps the pictures for inspection.
 */
#include "algo/svmlin/transductive.h"
#include "plot/draw/render.h"
#include "plot/views/view.h"
#include "support.h"

/* ---- a run made by hand: two arcs, a kernel classifier on a few of their points, a trace of ROWS steps ---- */
enum {
    N = 120,
    ROWS = 9,
    BAGS = 20, /* of N / BAGS rows each, every other one positive */
    OBJECTIVE = 0,
    UPPER,
    LOWER,
    GAP,
    VIOLATION,
    INTEGER_UPPER,
    FLIPS,
    HIDDEN,
    SECONDS,
    TEMPERATURE,
    LAMBDA_NOW,
    BAG_ERROR,
    RISK,
    METRICS
};
static const wlab_metric_info metric_table[] = {
    {.name = "objective", .role = WL_R_OBJECTIVE},
    {.name = "upper", .role = WL_R_UPPER},
    {.name = "lower", .role = WL_R_LOWER},
    {.name = "gap", .role = WL_R_GAP},
    {.name = "violation", .role = WL_R_VIOLATION},
    {.name = "integer_upper", .role = WL_R_LABELING},
    {.name = "flips", .role = WL_R_FLIPS},
    {.name = "hidden_test", .role = WL_R_HIDDEN_TEST, .label = "test*", .axis = "accuracy on held-out rows"},
    {.name = "seconds", .role = WL_R_SECONDS, .flags = WL_M_VOLATILE},
    {.name = "T", .role = WL_R_TEMPERATURE, .axis = "temperature T"},
    {.name = "lambda_now", .role = WL_R_LEVEL},
    {.name = "bag_error", .role = WL_R_BAG_ERROR},
    {.name = "risk_neg", .role = WL_R_RISK_NEGATIVE},
    {.name = NULL},
};
static const wlab_param_info param_table[] = {
    {.name = "kernel", .type = WL_P_TEXT, .fallback = "rbf", .meaning = "kernel"},
    {.name = "C1", .type = WL_P_REAL, .fallback = "1", .meaning = "cost"},
    {.name = "lambda_u", .type = WL_P_REAL, .fallback = "2", .meaning = "weight of the unlabelled rows"},
    {.name = "loss", .type = WL_P_TEXT, .fallback = "squared-hinge", .meaning = "squared-hinge or hinge"},
    {.name = "schedule", .type = WL_P_TEXT, .fallback = "paper", .meaning = "of lambda'"},
    {.name = NULL},
};

typedef struct fake {
    wlab_dataset data;
    wlab_task task;
    wlab_problem problem;
    wlab_params *params;
    wlab_algo algo;
    double metric[ROWS][METRICS], weight[ROWS][ROWS];
    wlab_trace_row row[ROWS];
    wlab_flip flip[ROWS][N];
    int8_t labels[N], before[N], visible[N], first[N], truth[N];
    int32_t bag[N], label[N], row_of[N];
    double bag_given[BAGS];
    char *class_name[2];
    char many[WL_CLASSES_MOST][20], *many_names[WL_CLASSES_MOST];
    int32_t class_number[WL_CLASSES_MOST];
    wlab_view_run run;
    wlab_probe probe[10]; /* PROBES */
} fake;

static wlab_code fake_weights(const void *state, const wlab_probe_ask *ask, wlab_probed *w, wlab_ctx *ctx,
                              wlab_err *err)
{
    (void)state;
    (void)ask;
    (void)ctx;
    if (wlab_probed_make(w, ROWS, 1, err))
        return WL_ENOMEM;
    memset(w->value, 0, ROWS * sizeof *w->value);
    return WL_OK;
}

/* Pseudo-random numbers, the same on every machine. */
static double noise(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 24) - 0.5;
}

static wlab_code fake_model(const void *state, wlab_model **model, wlab_ctx *ctx, wlab_err *err)
{
    const fake *f = state;
    enum {
        SV = 30
    };
    wlab_model *m = wlab_calloc(1, sizeof *m);
    wlab_code code;
    (void)ctx;
    if (!m)
        return wlab_nomem(err);
    m->kernel = (wlab_kernel){.kind = WL_K_RBF, .gamma = 3};
    m->cols = 2;
    m->nsv = SV;
    m->coef = wlab_calloc(SV, sizeof *m->coef);
    m->sv_row = wlab_calloc(SV, sizeof *m->sv_row);
    m->outputs = 1;
    m->b = wlab_calloc(1, sizeof *m->b);
    code = m->coef && m->sv_row && m->b ? wlab_matrix_create_dense(&m->sv, SV, 2, err) : wlab_nomem(err);
    if (code) {
        wlab_model_destroy(m);
        return code;
    }
    for (int k = 0; k < SV; k++) {
        int i = k * (N / SV) + k % 2;
        m->sv_row[k] = i;
        m->coef[k] = f->labels[i];
        m->sv->start[k] = 2 * k;
        m->sv->len[k] = 2;
        for (int c = 0; c < 2; c++)
            m->sv->dense[2 * k + c] = wlab_matrix_at(f->data.X, i, c);
    }
    *model = m;
    return WL_OK;
}

/* Rows with the same label are similar, and a little more so if their numbers are close. */
static wlab_code fake_matrix(const void *state, const wlab_probe_ask *ask, wlab_probed *z, wlab_ctx *ctx,
                             wlab_err *err)
{
    const fake *f = state;
    const int32_t *rows = ask->instance;
    (void)ctx;
    if (wlab_probed_make(z, ask->n, ask->n, err))
        return WL_ENOMEM;
    for (int64_t i = 0; i < ask->n; i++)
        for (int64_t j = 0; j < ask->n; j++)
            z->value[i * ask->n + j] = (f->labels[rows[i]] == f->labels[rows[j]] ? 0.8 : -0.4) +
                                       0.2 * exp(-0.002 * pow(rows[i] - rows[j], 2));
    return WL_OK;
}

static wlab_code fake_scores(const void *state, const wlab_probe_ask *ask, wlab_probed *out, wlab_ctx *ctx,
                             wlab_err *err)
{
    const fake *f = state;
    const int P = f->problem.classes;
    unsigned seed = 5;
    (void)ask;
    (void)ctx;
    if (wlab_probed_make(out, N, P, err))
        return WL_ENOMEM;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < P; k++)
            out->value[i * P + k] = (k == wlab_label_index(&f->problem, f->labels[i])) + 0.8 * noise(&seed);
    return WL_OK;
}

/* Copy the traits of a task in the table, and whether its problem marks keys. */
static void copy_traits(fake *to, const char *of)
{
    const wlab_task *t = wlab_task_find(of);

    to->task.sees = t->sees;
    to->task.scored = t->scored;
    to->task.clusters = t->clusters;
    to->problem.keys = t->sees == WL_SEES_BAG_SIGNS;
}

/* Cosines of a chain of labelings, each similar to the one before; the last but one has no weight vector, so its
 * cosines have no value. */
static wlab_code fake_cosines(const void *state, const wlab_probe_ask *ask, wlab_probed *g, wlab_ctx *ctx,
                              wlab_err *err)
{
    (void)state;
    (void)ask;
    (void)ctx;
    if (wlab_probed_make(g, ROWS, ROWS, err))
        return WL_ENOMEM;
    for (int s = 0; s < ROWS; s++)
        for (int t = 0; t < ROWS; t++)
            g->value[s * ROWS + t] = s == ROWS - 2 || t == ROWS - 2 ? NAN
                                     : s == t                       ? 1
                                                                    : 0.9 - 0.25 * abs(s - t);
    return WL_OK;
}

/* A tree of depth 2: the root was split, one of its children was closed. */
static wlab_code fake_tree(const void *state, const wlab_probe_ask *ask, wlab_probed *t, wlab_ctx *ctx,
                           wlab_err *err)
{
    static const double tree[] = {1, 0, 0, 17, NAN, NAN, 1, 1, 0, 17.5, 19.5, NAN, 0, 0, 2, NAN, NAN, 18};
    (void)state;
    (void)ask;
    (void)ctx;
    if (wlab_probed_make(t, 3, WL_TREE_COLUMNS, err))
        return WL_ENOMEM;
    memcpy(t->value, tree, sizeof tree);
    return WL_OK;
}

/* A parabola with its minimum, 19, at t = 0.75; beside it, if that has a name, one that touches it at t = 0. */
static wlab_code fake_slice(const void *state, const wlab_probe_ask *ask, wlab_probed *p, wlab_ctx *ctx,
                            wlab_err *err)
{
    const int columns = ask->probe->beside ? 3 : 2;
    (void)state;
    (void)ctx;
    if (wlab_probed_make(p, WL_SLICE_POINTS, columns, err))
        return WL_ENOMEM;
    for (int k = 0; k < WL_SLICE_POINTS; k++) {
        const double t = wlab_slice_place(k);
        p->value[columns * k] = t;
        p->value[columns * k + 1] = 19 + (t - 0.75) * (t - 0.75);
        if (columns > 2)
            p->value[columns * k + 2] = 19 + (t - 0.75) * (t - 0.75) + t * t;
    }
    return WL_OK;
}

/* Nine cuts, of which 3 to 5 are allowed, and the chosen one half-way between two of them. */
static wlab_code fake_cuts(const void *state, const wlab_probe_ask *ask, wlab_probed *p, wlab_ctx *ctx,
                           wlab_err *err)
{
    (void)state;
    (void)ask;
    (void)ctx;
    if (wlab_probed_make(p, 10, WL_CUT_COLUMNS, err))
        return WL_ENOMEM;
    for (int k = 0; k < 10; k++) {
        const double at = k < 9 ? k : 3.5,
                     row[] = {at, 1 + (at - 3.5) * (at - 3.5), k == 9 || (k > 2 && k < 6), 0.5};
        memcpy(p->value + k * WL_CUT_COLUMNS, row, sizeof row);
    }
    return WL_OK;
}

/* A bowl around (1, 2) over the columns 0 and 1. */
static wlab_code fake_landscape(const void *state, const wlab_probe_ask *ask, wlab_probed *p, wlab_ctx *ctx,
                                wlab_err *err)
{
    const int places = WL_LAND_SIDE * WL_LAND_SIDE;
    (void)state;
    (void)ask;
    (void)ctx;
    if (wlab_probed_make(p, places + 2, WL_LAND_COLUMNS, err))
        return WL_ENOMEM;
    for (int k = 0; k < places; k++) {
        const double x = 0.1 * (k % WL_LAND_SIDE) - 2, y = 0.1 * (double)(k / WL_LAND_SIDE) - 1,
                     row[] = {x, y, (x - 1) * (x - 1) + (y - 2) * (y - 2)};
        memcpy(p->value + k * WL_LAND_COLUMNS, row, sizeof row);
    }
    const double last[] = {1, 2, 0, 0, 1, 0};
    memcpy(p->value + places * WL_LAND_COLUMNS, last, sizeof last);
    return WL_OK;
}

/* Three labelings, one of them a candidate, the start and the result. */
static wlab_code fake_map(const void *state, const wlab_probe_ask *ask, wlab_probed *p, wlab_ctx *ctx,
                          wlab_err *err)
{
    static const double points[][WL_MAP_COLUMNS] = {{0, 1, 5, WL_MAP_OTHER},
                                                    {1, 1, 6.5, WL_MAP_CANDIDATE},
                                                    {2, 0, 8, WL_MAP_OTHER},
                                                    {1, 2, NAN, WL_MAP_START},
                                                    {3, 1, NAN, WL_MAP_RESULT}};
    (void)state;
    (void)ask;
    (void)ctx;
    if (wlab_probed_make(p, 5, WL_MAP_COLUMNS, err))
        return WL_ENOMEM;
    memcpy(p->value, points, sizeof points);
    return WL_OK;
}

enum {
    WEIGHED,
    COSINES,
    CUTS = 5,
    SLICE = 6,
    LANDSCAPE = 7,
    MAP = 8,
    PROBES = 10
};
_Static_assert(sizeof((fake *)0)->probe / sizeof(wlab_probe) == PROBES, "room for all probes");
static const wlab_probe fake_probes[PROBES] = {
    {.name = "mu",
     .kind = WL_PROBE_WEIGHTS,
     .when = WL_PROBE_RECORDED,
     .meaning = "mu, the labelings' weights",
     .get = fake_weights},
    {.name = "cosines", .kind = WL_PROBE_COSINES, .when = WL_PROBE_QUICK, .meaning = "", .get = fake_cosines},
    {.name = "Z", .kind = WL_PROBE_MATRIX, .when = WL_PROBE_PAUSE, .meaning = "", .get = fake_matrix},
    {.name = "scores", .kind = WL_PROBE_SCORES, .when = WL_PROBE_QUICK, .meaning = "", .get = fake_scores},
    {.name = "tree", .kind = WL_PROBE_TREE, .when = WL_PROBE_QUICK, .meaning = "", .get = fake_tree},
    {.name = "Ncut", .kind = WL_PROBE_CUTS, .when = WL_PROBE_QUICK, .meaning = "", .get = fake_cuts},
    {.name = "slice", .kind = WL_PROBE_SLICE, .when = WL_PROBE_QUICK, .meaning = "", .get = fake_slice},
    {.name = "NLDD",
     .kind = WL_PROBE_LANDSCAPE,
     .when = WL_PROBE_QUICK,
     .meaning = "",
     .get = fake_landscape},
    {.name = "labelings", .kind = WL_PROBE_MAP, .when = WL_PROBE_QUICK, .meaning = "", .get = fake_map}};

static void fake_flip(fake *f, int step, int instance, int8_t *labels)
{
    labels[instance] = (int8_t)-labels[instance];
    f->flip[step][f->row[step].nflips++] = (wlab_flip){instance, labels[instance]};
}

static fake *fake_create(const char *run_name, const char *data_name)
{
    wlab_err err;
    fake *f = calloc(1, sizeof *f);
    unsigned seed = 7;
    assert_non_null(f);
    ASSERT_OK(wlab_matrix_create_dense(&f->data.X, N, 2, &err), err);
    for (int i = 0; i < N; i++) {
        double t = 3.14159265358979 * (i / 2) / (N / 2 - 1);
        int s = i % 2 ? 1 : -1;
        f->data.X->start[i] = 2 * i;
        f->data.X->len[i] = 2;
        f->data.X->dense[2 * i] = (s > 0 ? cos(t) : 1 - cos(t)) + 0.3 * noise(&seed);
        f->data.X->dense[2 * i + 1] = (s > 0 ? sin(t) : 0.5 - sin(t)) + 0.3 * noise(&seed);
        f->labels[i] = (int8_t)s;
        f->before[i] = (int8_t)(i % 31 == 7 ? -s : s);
        f->visible[i] = (int8_t)(i == 20 || i == 71 || i == 93 || i == 100 ? s : 0);
    }
    f->data.name = strdup(data_name);
    f->data.classes = 2;
    f->class_name[0] = (char *)"-1";
    f->class_name[1] = (char *)"1";
    f->data.class_name = f->class_name;
    strcpy(f->data.sha256, "0123456789abcdef");
    f->task.name = "ssl";
    ASSERT_OK(wlab_params_create(&f->params, param_table, &err), err);
    ASSERT_OK(wlab_params_set(f->params, "kernel", "rbf", &err), err);
    ASSERT_OK(wlab_params_set(f->params, "C1", "0.5", &err), err);
    f->data.bag = f->bag;
    f->data.bags = BAGS;
    f->data.label = f->label;
    f->problem = (wlab_problem){.task = &f->task,
                                .data = &f->data,
                                .X = f->data.X,
                                .n = N,
                                .row = f->row_of,
                                .visible = f->visible,
                                .truth = f->truth,
                                .bag = f->bag,
                                .bags = BAGS,
                                .bag_given = f->bag_given,
                                .unlabelled = N - 4,
                                .classes = 2,
                                .truths = 2,
                                .positive = 1,
                                .negative = 0};
    copy_traits(f, "mil"); /* all views can draw it */
    f->algo.name = "wellsvm";
    f->algo.metrics = metric_table;
    memcpy(f->probe, fake_probes, sizeof f->probe);
    f->algo.probes = f->probe;
    f->algo.model = fake_model;
    f->algo.row_loss = wlab_tr_row_loss;
    for (int i = 0; i < ROWS; i++) {
        double *m = f->metric[i], p = 19 + 2 * exp(-0.7 * i);
        m[OBJECTIVE] = p;
        m[UPPER] = p + 0.3 * exp(-0.9 * i);
        m[LOWER] = i < 1 ? NAN : 19 - 1.2 * exp(-0.8 * i);
        m[GAP] = i < 1 ? NAN : i == ROWS - 1 ? 0 : m[UPPER] - m[LOWER];
        m[VIOLATION] = 2 * exp(-1.3 * i);
        m[INTEGER_UPPER] = i < 2 ? NAN : i < 5 ? 20.5 : 19.6;
        m[FLIPS] = i ? (i * 7) % 12 : 0;
        m[HIDDEN] = 1 - ldexp(0.5, -i);
        m[SECONDS] = 0.1 * i + 0.01 * noise(&seed);
        m[RISK] = 0.3 - 0.1 * i;
        m[TEMPERATURE] = i ? 20 * pow(1.7, -i) : NAN;
        m[LAMBDA_NOW] = 2;
        m[BAG_ERROR] = 1.5 + 3 * exp(-i);
        f->row[i] = (wlab_trace_row){.iter = i, .inner = i * (i + 3) / 2, .metric = m, .nweights = i + 1};
        f->row[i].weight = f->weight[i];
        double sum = 0;
        for (int t = 0; t <= i; t++)
            sum += f->weight[i][t] = 1 + ((t * 5 + i) % 7) / 2.0;
        for (int t = 0; t <= i; t++)
            f->weight[i][t] /= sum;
    }
    int8_t labels[N];
    memcpy(labels, f->before, N);
    for (int i = 0; i < ROWS; i++)
        f->row[i].flip = f->flip[i];
    memcpy(f->first, labels, N);
    for (int i = 0; i < N; i++) {
        f->bag[i] = i / (N / BAGS);
        f->bag_given[i / (N / BAGS)] = i / (N / BAGS) % 2;
        f->truth[i] = i % 2 ? 1 : -1;
        f->label[i] = i % 2;
        f->row_of[i] = i;
        if (i % 10 == 0 && !f->visible[i])
            fake_flip(f, 3, i, labels);
    }
    for (int i = 0; i < N; i++)
        if (i % 10 == 0 && !f->visible[i])
            fake_flip(f, 5, i, labels);
    for (int i = 7; i < N; i += 31)
        fake_flip(f, ROWS - 1, i, labels);
    assert_memory_equal(labels, f->labels, N);
    f->run = (wlab_view_run){.name = run_name,
                             .problem = &f->problem,
                             .algo = &f->algo,
                             .params = f->params,
                             .state = f,
                             .row = f->row,
                             .rows = ROWS,
                             .labels = f->labels,
                             .labels_before = f->before,
                             .labels_first = f->first};
    return f;
}

/* More than two classes: labels 1 .. P by angle, one linear function per class, one flipped label per step. */
static wlab_code fake_class_model(const void *state, wlab_model **model, wlab_ctx *ctx, wlab_err *err)
{
    const fake *f = state;
    double W[2 * WL_CLASSES_MOST], b[WL_CLASSES_MOST];
    (void)ctx;
    for (int k = 0; k < f->problem.classes; k++) {
        const double angle = 2 * 3.14159265358979 * k / f->problem.classes;
        W[2 * k] = cos(angle);
        W[2 * k + 1] = sin(angle);
        b[k] = -0.5 * W[2 * k] - 0.25 * W[2 * k + 1];
    }
    return wlab_model_from_class_weights(model, &f->problem, W, b, err);
}

static void fake_classes(fake *f, int P)
{
    wlab_model *m = NULL;
    wlab_err err;
    double out[N * WL_CLASSES_MOST];
    f->data.classes = P;
    for (int k = 0; k < P; k++) {
        snprintf(f->many[k], sizeof f->many[k], "class%d", k + 1);
        f->many_names[k] = f->many[k];
        f->class_number[k] = k;
    }
    f->data.class_name = f->many_names;
    f->problem.classes = f->problem.truths = P;
    f->problem.class_number = f->class_number;
    f->problem.positive = -1;
    f->problem.bag = NULL;
    f->problem.bags = 0;
    f->problem.labelled = 4;
    copy_traits(f, "ssl");
    f->algo.model = fake_class_model;
    ASSERT_OK(fake_class_model(f, &m, NULL, &err), err);
    ASSERT_OK(wlab_model_predict(m, f->data.X, out, NULL, &err), err);
    for (int i = 0; i < N; i++) {
        f->labels[i] = (int8_t)(wlab_model_decide(m, out + i * P) + 1);
        f->truth[i] = f->before[i] = f->labels[i];
        f->visible[i] = (int8_t)(f->visible[i] ? f->labels[i] : 0);
    }
    wlab_model_destroy(m);
    memcpy(f->first, f->labels, N);
    for (int i = 0; i < ROWS; i++)
        f->row[i].nflips = 0;
    for (int i = 1; i < ROWS; i++) { /* in each step another row flips to the next class */
        const int8_t to = (int8_t)(f->labels[7 * i] % P + 1);
        memcpy(f->before, f->labels, N);
        f->flip[i][f->row[i].nflips++] = (wlab_flip){7 * i, to};
        f->labels[7 * i] = to;
    }
}

static void fake_destroy(fake *f)
{
    wlab_matrix_destroy(f->data.X);
    wlab_params_destroy(f->params);
    free(f->data.name);
    free(f);
}

static const wlab_view *view_named(const char *name)
{
    const wlab_view *view = wlab_view_find(name);
    assert_non_null(view);
    return view;
}

static char *terminated(wlab_buf *b)
{
    assert_int_equal(wlab_buf_put(b, "", 1), WL_OK);
    return (char *)b->data;
}

static void save_figure(const wlab_figure *f, wlab_image kind, const char *folder, const char *name)
{
    wlab_buf image = {0};
    wlab_err err;
    char path[512];
    ASSERT_OK(wlab_render(f, kind, NULL, NULL, 0, NULL, &image, &err), err);
    assert_true(image.len > 100);
    if (folder) { /* WEAKLAB_FIGURES=FOLDER: keep the picture for inspection */
        snprintf(path, sizeof path, "%s/%s.%s", folder, name, wlab_image_names[kind]);
        FILE *o = fopen(path, "wb");
        assert_non_null(o);
        assert_int_equal(fwrite(image.data, 1, image.len, o), image.len);
        fclose(o);
    }
    wlab_buf_clear(&image);
}

/* Makes the weights of the fake run eigenvalues (for `spectrum`) or weights of labelings. */
static void suit_weights(fake *a, const char *view)
{
    const bool spectrum = strcmp(view, "spectrum") == 0;
    a->probe[WEIGHED].name = spectrum ? "eigenvalue" : "mu";
    a->probe[WEIGHED].kind = spectrum ? WL_PROBE_EIGENVALUES : WL_PROBE_WEIGHTS;
}

/* Gives the fake run the task that the view needs for its bags, llp for `proportions` and mil for others, and its
 * weights. */
static void suit_task(fake *a, const char *view)
{
    copy_traits(a, strcmp(view, "proportions") == 0 ? "llp" : "mil");
    suit_weights(a, view);
}

/* Every view in every kind of picture, drawn by the real gnuplot. */
static void test_all_pictures(void **state)
{
    GNUPLOT_OR_SKIP();
    const char *folder = getenv("WEAKLAB_FIGURES");
    fake *a = fake_create("a", "two-moons");
    wlab_err err;
    (void)state;
    for (int v = 0; wlab_views[v]; v++)
        for (int k = WL_PNG; k <= WL_TXT; k++) {
            wlab_view_request q = {.run = &a->run, .runs = 1};
            wlab_figure f;
            wlab_figure_init(&f, k == WL_TXT);
            suit_task(a, wlab_views[v]->name);
            ASSERT_OK(wlab_view_draw(wlab_views[v], &f, &q, &err), err);
            save_figure(&f, (wlab_image)k, folder, wlab_views[v]->name);
            wlab_figure_clear(&f);
        }
    fake_destroy(a);
}

static void dat_of(const char *view, const wlab_view_request *q, wlab_buf *dat, wlab_buf *gp)
{
    wlab_figure f;
    wlab_err err;
    wlab_buf_clear(dat);
    wlab_buf_clear(gp);
    wlab_figure_init(&f, false);
    ASSERT_OK(wlab_view_draw(view_named(view), &f, q, &err), err);
    ASSERT_OK(wlab_figure_dat(&f, dat, &err), err);
    ASSERT_OK(wlab_sheet_gp(&(wlab_sheet){.figure = &f, .n = 1}, "dumb", "x.dat", "x.txt", NULL, gp, &err),
              err);
    terminated(dat);
    terminated(gp);
    wlab_figure_clear(&f);
}
#define ASSERT_HOLDS(buf, text) assert_non_null(strstr((const char *)(buf).data, text))

/* The title of `spectrum` does not take eigenvalues that are known for all of them, if an earlier row has more. */
static void test_spectrum(void **state)
{
    fake *a = fake_create("a", "two-moons");
    wlab_view_request q = {.run = &a->run, .runs = 1};
    wlab_buf dat = {0}, gp = {0};
    wlab_trace_row *first = NULL, *last = &a->row[a->run.rows - 1];
    (void)state;
    suit_weights(a, "spectrum");
    for (int64_t i = 0; i < a->run.rows && !first; i++)
        first = a->row[i].nweights ? &a->row[i] : NULL;
    assert_true(first != last && last->nweights > 2);
    dat_of("spectrum", &q, &dat, &gp);
    assert_null(strstr((const char *)gp.data, "known"));
    const int64_t all = first->nweights;
    double *weight = first->weight;
    first->nweights = last->nweights;
    first->weight = last->weight;
    last->nweights -= 1;
    dat_of("spectrum", &q, &dat, &gp);
    ASSERT_HOLDS(gp, "that are known, at least");
    first->nweights = all;
    first->weight = weight;
    last->nweights += 1;
    wlab_buf_clear(&dat);
    wlab_buf_clear(&gp);
    fake_destroy(a);
}

/* The view `loss`: its curves agree with the formula, all have one value at o = 0, and each unlabelled row is in one
 * bar. */
static void test_loss(void **state)
{
    fake *a = fake_create("a", "two-moons");
    wlab_view_request q = {.run = &a->run, .runs = 1};
    wlab_figure f;
    wlab_err err;
    double inside = 0, rows = 0, tallest = 0, x, y;
    char words[120];
    (void)state;
    for (int hinge = 0; hinge < 2; hinge++) {
        ASSERT_OK(wlab_params_set(a->params, "loss", hinge ? "hinge" : "squared-hinge", &err), err);
        wlab_figure_init(&f, false);
        ASSERT_OK(wlab_view_draw(view_named("loss"), &f, &q, &err), err);
        const wlab_block *b = &f.block[0];
        double tau = a->metric[ROWS - 1][TEMPERATURE] / 2, tau1 = a->metric[1][TEMPERATURE] / 2;
        for (int64_t i = 0; i < b->rows; i++) {
            const double *v = b->value + i * b->columns;
            double pos = fmax(0, 1 - v[0]), neg = fmax(0, 1 + v[0]), d, mean;
            pos = hinge ? pos : pos * pos;
            neg = hinge ? neg : neg * neg;
            d = fabs(pos - neg) / 2;
            mean = (pos + neg) / 2; /* the loss is the mean minus tau log cosh(d / tau) */
            ASSERT_NEAR(v[1], mean - tau * (d / tau + log1p(exp(-2 * d / tau)) - log(2)), 1e-12);
            ASSERT_NEAR(v[2], mean - tau1 * (d / tau1 + log1p(exp(-2 * d / tau1)) - log(2)), 1e-12);
            ASSERT_NEAR(v[3], fmin(pos, neg), 1e-14);
            if (v[0] == 0)
                for (int c = 1; c < 4; c++)
                    ASSERT_NEAR(v[c], 1.0, 1e-12);
        }
        wlab_figure_clear(&f);
    }
    wlab_figure_init(&f, false);
    ASSERT_OK(wlab_view_draw(view_named("loss"), &f, &q, &err), err);
    const wlab_block *h = &f.block[2];
    for (int64_t k = 0; k < h->rows; k++) {
        rows += h->value[3 * k + 1];
        inside += fabs(h->value[3 * k]) < 1 ? h->value[3 * k + 1] : 0;
        assert_true(h->value[3 * k + 2] <= -0.036 * f.yhi); /* beneath the curves */
        tallest = fmax(tallest, h->value[3 * k + 1]);
    }
    snprintf(words, sizeof words, "every 1. of them; %g beyond 3", N - 4 - rows);
    assert_non_null(strstr(h->about[0], words));
    assert_true(rows > 10);
    int n = snprintf(words, sizeof words, "%g of %d rows inside the margin, %g in the tallest bar", inside,
                     N - 4, tallest);
    if (rows < N - 4)
        snprintf(words + n, sizeof words - (size_t)n, ", %g beyond 3", N - 4 - rows);
    assert_string_equal(f.series[f.nseries - 1].title, words);
    const wlab_series *bars = &f.series[f.nseries - 1];
    for (int64_t k = 0; k < wlab_series_points(&f, bars); k++)
        assert_true(wlab_series_point(&f, bars, k, &x, &y) && y >= bars->base);
    wlab_figure_clear(&f);
    /* with the weight lambda' instead of a temperature: the same curve times lambda' / lambda_u */
    static const wlab_metric_info weight_only[] = {{.name = "lambda_now", .role = WL_R_LEVEL},
                                                   {.name = NULL}};
    double grows[ROWS];
    for (int i = 0; i < ROWS; i++) {
        grows[i] = ldexp(2, i + 1 - ROWS);
        a->row[i].metric = &grows[i];
    }
    a->algo.metrics = weight_only;
    a->run.rows = ROWS - 1;
    wlab_figure_init(&f, false);
    ASSERT_OK(wlab_view_draw(view_named("loss"), &f, &q, &err), err);
    for (int64_t i = 0; i < f.block[0].rows; i++)
        ASSERT_NEAR(f.block[0].value[4 * i + 1], f.block[0].value[4 * i + 3] / 2, 1e-15);
    wlab_figure_clear(&f);
    fake_destroy(a);
}

/* The view `labels`: each cell has the labels of its rows, and every flip is drawn. */
static void test_labels(void **state)
{
    fake *a = fake_create("a", "two-moons");
    wlab_view_request q = {.run = &a->run, .runs = 1};
    wlab_figure f;
    wlab_err err;
    double flips = 0, bars = 0, trace = 0;
    (void)state;
    for (int i = 0; i < ROWS; i++)
        trace += (double)a->row[i].nflips;
    for (int bags = 1; bags >= 0; bags--) {
        a->problem.bag = bags ? a->bag : NULL;
        wlab_figure_init(&f, false);
        ASSERT_OK(wlab_view_draw(view_named("labels"), &f, &q, &err), err);
        const wlab_block *b = &f.block[0];
        assert_int_equal(b->rows, N * ROWS);
        flips = bars = 0;
        int64_t up[ROWS] = {0}, dark = 0;
        for (int64_t i = 0; i < b->rows; i++) {
            const double *v = b->value + i * b->columns;
            up[(int)v[0]] += (int64_t)v[5];
            flips += v[7] + v[8];
            assert_int_equal(v[2] >= 2, v[7] + v[8] > 0); /* dark exactly where something flipped */
            dark += v[2] >= 2;
        }
        assert_true(flips == trace && dark == (int64_t)trace);
        int8_t labels[N];
        memcpy(labels, a->first, N);
        for (int t = 0; t < ROWS; t++) {
            int64_t expected = 0;
            for (int64_t k = 0; k < a->row[t].nflips; k++)
                labels[a->row[t].flip[k].instance] = a->row[t].flip[k].to;
            for (int i = 0; i < N; i++)
                expected += labels[i] > 0;
            assert_int_equal(up[t], expected);
            assert_true(f.block[1].value[3 * t + 1] == (double)a->row[t].nflips);
        }
        wlab_figure_clear(&f);
    }
    a->problem.n = 1; /* a single row, a single label */
    for (int i = 0; i < ROWS; i++)
        a->row[i].nflips = 0;
    wlab_figure_init(&f, false);
    ASSERT_OK(wlab_view_draw(view_named("labels"), &f, &q, &err), err);
    assert_int_equal(f.block[0].rows, ROWS);
    wlab_figure_clear(&f);
    fake_destroy(a);
}

static const wlab_series *series_marked(const wlab_figure *, char mark, wlab_draw);
static int64_t points_of(const wlab_figure *, const wlab_series *);

/* The view `bags`: rings are the largest outputs, dots the labels, counted in the title; instances of long bags share
 * cells. */
static void test_bags(void **state)
{
    fake *a = fake_create("a", "two-moons");
    wlab_view_request q = {.run = &a->run, .runs = 1, .marks = WL_MARKS_LABELING};
    wlab_model *model;
    wlab_figure f;
    wlab_err err;
    double out[N];
    int best[BAGS], moved = 0, keys = 0, agree = 0, wrong = 0;
    char words[120];
    (void)state;
    ASSERT_OK(fake_model(a, &model, NULL, &err), err);
    ASSERT_OK(wlab_model_predict(model, a->problem.X, out, NULL, &err), err);
    for (int i = 0; i < N; i++)
        if (i % (N / BAGS) == 0 || out[i] > out[best[a->bag[i]]])
            best[a->bag[i]] = i;
    for (int i = 0, done = 0; i < N && !done; i++) /* one key is truly negative */
        if (a->labels[i] > 0 && a->bag[i] % 2) {
            a->truth[i] = -1;
            done = 1;
        }
    for (int i = 0; i < N; i++) {
        keys += a->labels[i] > 0;
        moved += a->labels[i] > 0 && a->before[i] <= 0;
        agree += a->labels[i] > 0 && best[a->bag[i]] == i;
    }
    wlab_figure_init(&f, false);
    ASSERT_OK(wlab_view_draw(view_named("bags"), &f, &q, &err), err);
    const wlab_block *b = &f.block[0];
    assert_int_equal(b->rows, N);
    for (int64_t k = 0; k < N; k++) { /* all bags are drawn: rows are as in the problem */
        const double *v = b->value + k * b->columns;
        int bag = a->bag[k], line = bag % 2 ? BAGS - bag / 2 : BAGS / 2 - bag / 2;
        assert_true(v[WL_BAGS_LINE] == line && v[WL_BAGS_BAG] == bag + 1 && v[WL_BAGS_GIVEN] == bag % 2);
        assert_true(v[WL_BAGS_PLACE] == (double)(k % (N / BAGS) + 1) && v[WL_BAGS_OUTPUT] == out[k]);
        assert_true(v[WL_BAGS_LABEL] == a->labels[k] && v[WL_BAGS_BEFORE] == a->before[k]);
        assert_int_equal(v[WL_BAGS_KIND] == 3 || v[WL_BAGS_KIND] == 5, best[bag] == k);
        assert_int_equal(v[WL_BAGS_KIND] >= 4, a->labels[k] > 0);
        assert_int_equal(v[WL_BAGS_WRONG] > 0, a->labels[k] > 0 && a->truth[k] < 0);
        wrong += a->labels[k] > 0 && a->truth[k] < 0;
    }
    assert_int_equal(wrong, 1);
    assert_int_equal(points_of(&f, series_marked(&f, '!', WL_D_POINTS)), wrong);
    snprintf(words, sizeof words, "never observed: %d of %d keys are truly positive", keys - wrong, keys);
    assert_non_null(strstr(f.title[3], words));
    snprintf(words, sizeof words, ": %d keys, %d moved, %d their bag's largest f", keys, moved, agree);
    assert_non_null(strstr(f.title[2], words));
    wlab_figure_clear(&f);
    q.marks = WL_MARKS_PREDICTION; /* the largest output of each positive bag; the step before is not known */
    wlab_figure_init(&f, false);
    ASSERT_OK(wlab_view_draw(view_named("bags"), &f, &q, &err), err);
    int keyed[BAGS];
    for (int i = 0; i < BAGS; i++)
        keyed[i] = -1;
    for (int i = 0; i < N; i++)
        if (!a->visible[i] && (keyed[a->bag[i]] < 0 || out[i] > out[keyed[a->bag[i]]]))
            keyed[a->bag[i]] = i;
    for (int64_t k = 0; k < N; k++) {
        const double *v = f.block[0].value + k * f.block[0].columns;
        assert_true(v[WL_BAGS_LABEL] == (a->visible[k] ? a->visible[k] : keyed[a->bag[k]] == k) &&
                    isnan(v[WL_BAGS_BEFORE]));
    }
    assert_non_null(strstr(f.title[2], "predicted keys"));
    assert_null(strstr(f.title[2], "moved"));
    wlab_figure_clear(&f);
    a->run.state = NULL; /* without a model the newest keys are drawn */
    wlab_figure_init(&f, false);
    ASSERT_OK(wlab_view_draw(view_named("bags"), &f, &q, &err), err);
    assert_non_null(strstr(f.title[f.titles - 1], "no outputs: the model is not built yet"));
    wlab_figure_clear(&f);
    a->problem.bags = 3; /* of one row, of two rows, of all the others */
    for (int i = 0; i < N; i++)
        a->bag[i] = i < 1 ? 0 : i < 3 ? 1 : 2;
    wlab_figure_init(&f, false);
    ASSERT_OK(wlab_view_draw(view_named("bags"), &f, &q, &err), err);
    assert_non_null(strstr(f.xlabel, "in 1 longer bag several share a cell"));
    for (int64_t k = 0; k < N; k++)
        assert_in_range((int)f.block[0].value[k * f.block[0].columns], 1, 24);
    wlab_figure_clear(&f);
    a->problem.bag = NULL;
    ASSERT_FAILS(wlab_view_draw(view_named("bags"), &f, &q, &err), WL_ESTATE, err, "task mil");
    wlab_figure_clear(&f);
    wlab_model_destroy(model);
    fake_destroy(a);
}

/* The views `proportions` and `bagflips` agree with counts made here. */
static void test_bag_proportions(void **state)
{
    fake *a = fake_create("a", "two-moons");
    wlab_view_request q = {.run = &a->run, .runs = 1};
    double out[N], sum = 0, labels = 0;
    wlab_model *model;
    wlab_figure f;
    wlab_err err;
    char words[80];
    (void)state;
    suit_task(a, "proportions");
    ASSERT_OK(fake_model(a, &model, NULL, &err), err);
    ASSERT_OK(wlab_model_predict(model, a->problem.X, out, NULL, &err), err);
    for (int b = 0; b < BAGS; b++)
        a->bag_given[b] = b == 1 ? NAN : 0.2 + 0.05 * (b % 4);
    wlab_figure_init(&f, false);
    ASSERT_OK(wlab_view_draw(view_named("proportions"), &f, &q, &err), err);
    const wlab_block *k = &f.block[0];
    assert_int_equal(k->rows, BAGS);
    for (int b = 0; b < BAGS; b++) {
        const double *v = k->value + b * k->columns;
        double up = 0, predicted = 0, flips = 0, size = 0;
        for (int i = 0; i < N; i++)
            if (a->bag[i] == b) {
                size++;
                up += a->labels[i] > 0;
                predicted += out[i] > 0;
                flips += a->labels[i] != a->before[i];
            }
        assert_true(v[WL_PROPORTIONS_BAG] == b + 1 && v[WL_PROPORTIONS_ROWS] == size);
        ASSERT_NEAR(v[WL_PROPORTIONS_LABELS], up / size, 1e-15);
        ASSERT_NEAR(v[WL_PROPORTIONS_OUTPUTS], predicted / size, 1e-15);
        assert_true(v[WL_PROPORTIONS_FLIPS] == flips);
        if (b == 1) {
            assert_true(isnan(v[WL_PROPORTIONS_GIVEN]));
            continue;
        }
        ASSERT_NEAR(v[WL_PROPORTIONS_GIVEN], a->bag_given[b], 0);
        sum += fabs(predicted / size - a->bag_given[b]);
        labels += fabs(up / size - a->bag_given[b]);
    }
    snprintf(words, sizeof words, "bag error %.4g (Eq. 23)", sum);
    assert_non_null(strstr(f.title[2], words));
    snprintf(words, sizeof words, "newest labels %.4g", labels);
    assert_non_null(strstr(f.title[2], words));
    wlab_figure_clear(&f);
    a->run.state = NULL; /* without a model the newest labels are drawn */
    wlab_figure_init(&f, false);
    ASSERT_OK(wlab_view_draw(view_named("proportions"), &f, &q, &err), err);
    assert_non_null(strstr(f.title[f.titles - 1], "no outputs"));
    assert_true(isnan(f.block[0].value[WL_PROPORTIONS_OUTPUTS]));
    wlab_figure_clear(&f);
    /* flips by bag and step: all flips, each in the line of its bag */
    wlab_figure_init(&f, false);
    ASSERT_OK(wlab_view_draw(view_named("bagflips"), &f, &q, &err), err);
    k = &f.block[0];
    assert_int_equal(k->rows, BAGS * ROWS);
    int8_t now[N];
    memcpy(now, a->first, N);
    for (int t = 0; t < ROWS; t++) {
        double flips[BAGS] = {0};
        for (int64_t j = 0; j < a->row[t].nflips; j++) {
            const wlab_flip *flip = &a->row[t].flip[j];
            flips[a->bag[flip->instance]] += now[flip->instance] != 0;
            now[flip->instance] = flip->to;
        }
        for (int line = 0; line < BAGS; line++) {
            const double *v = k->value + (line * ROWS + t) * k->columns;
            assert_true(v[0] == t && v[4] == flips[(int)v[6] - 1]);
        }
    }
    for (int line = 1; line < BAGS; line++) { /* the largest proportion at the top, a bag without one last */
        double above = a->bag_given[(int)k->value[((line - 1) * ROWS) * k->columns + 6] - 1],
               here = a->bag_given[(int)k->value[(line * ROWS) * k->columns + 6] - 1];
        assert_true(isnan(here) ? line == BAGS - 1 : above >= here);
    }
    wlab_figure_clear(&f);
    copy_traits(a, "mil");
    ASSERT_FAILS(wlab_view_draw(view_named("proportions"), &f, &q, &err), WL_ESTATE, err,
                 "gives no proportions");
    wlab_figure_clear(&f);
    a->problem.bag = NULL;
    ASSERT_FAILS(wlab_view_draw(view_named("bagflips"), &f, &q, &err), WL_ESTATE, err, "has no bags");
    wlab_figure_clear(&f);
    wlab_model_destroy(model);
    fake_destroy(a);
}

/* A step after which another restart is shown has no box among the flips, and the title says so. */
static void test_restarts(void **state)
{
    fake *a = fake_create("a", "two-moons");
    wlab_view_request q = {.run = &a->run, .runs = 1};
    wlab_metric_info table[METRICS + 1];
    wlab_buf dat = {0}, gp = {0};
    wlab_figure f;
    wlab_err err;
    (void)state;
    memcpy(table, metric_table, sizeof table);
    table[VIOLATION].role = WL_R_RESTART;
    a->algo.metrics = table;
    for (int i = 0; i < ROWS; i++)
        a->metric[i][VIOLATION] = i < 3 ? 1 : 2;
    wlab_figure_init(&f, false);
    ASSERT_OK(wlab_view_draw(view_named("flips"), &f, &q, &err), err);
    for (int i = 0; i < ROWS; i++) {
        const double drawn = f.block[0].value[i * f.block[0].columns + 2];
        assert_true(i == 3 ? isnan(drawn) : drawn == a->metric[i][FLIPS]);
    }
    wlab_figure_clear(&f);
    dat_of("flips", &q, &dat, &gp);
    ASSERT_HOLDS(gp, "1 step without a box: another restart is shown");
    wlab_buf_clear(&dat);
    wlab_buf_clear(&gp);
    fake_destroy(a);
}

/* Against levels: the axis is logarithmic, rows without a level are not drawn, and an algorithm that anneals nothing
 * is an error. */
static void test_levels(void **state)
{
    fake *a = fake_create("a", "two-moons");
    wlab_view_request q = {.run = &a->run, .runs = 1, .vs = WL_VS_LEVEL};
    wlab_buf dat = {0}, gp = {0};
    wlab_metric_info none[] = {{.name = "objective", .role = WL_R_OBJECTIVE}, {.name = NULL}};
    wlab_figure f;
    wlab_err err;
    (void)state;
    dat_of("flips", &q, &dat, &gp);
    ASSERT_HOLDS(dat, "# columns: 1 iter 2 inner 3 level 4 flips\n");
    ASSERT_HOLDS(gp, "set logscale x");
    ASSERT_HOLDS(gp, "set xlabel 'temperature T'");
    wlab_figure_init(&f, false);
    ASSERT_OK(wlab_view_draw(view_named("objective"), &f, &q, &err), err);
    assert_true(f.logx && isnan(f.block[0].value[2])); /* at the start there is no T */
    for (int i = 1; i < ROWS; i++)
        ASSERT_NEAR(f.block[0].value[i * f.block[0].columns + 2], a->metric[i][TEMPERATURE], 0);
    wlab_figure_clear(&f);
    /* without `vs` the axis is steps, unless the objective is that of the level */
    wlab_metric_info table[METRICS + 1];
    memcpy(table, metric_table, sizeof table);
    a->algo.metrics = table;
    q.vs = WL_VS_AUTO;
    for (int with = 0; with < 2; with++)
        for (int k = 0; k < 3; k++) {
            const char *view[] = {"objective", "bagerror", "gap"};
            table[VIOLATION].role = with ? WL_R_BEST : WL_R_VIOLATION;
            ASSERT_OK(wlab_view_draw(view_named(view[k]), &f, &q, &err), err);
            assert_int_equal(f.logx, with && k < 2);
            wlab_figure_clear(&f);
        }
    q.vs = WL_VS_LEVEL;
    a->algo.metrics = none;
    ASSERT_FAILS(wlab_view_draw(view_named("objective"), &f, &q, &err), WL_EARG, err, "anneals nothing");
    wlab_figure_clear(&f);
    wlab_buf_clear(&dat);
    wlab_buf_clear(&gp);
    fake_destroy(a);
}

/* The view `roi` agrees with a count made here: the bags, among the k with the largest outputs, whose instance with
 * that output is truly positive. */
static void test_roi(void **state)
{
    enum {
        IN = N / 2, /* training instances: whole bags */
        SIZE = N / BAGS
    };
    fake *a = fake_create("a", "two-moons"), *b = fake_create("b", "two-moons");
    wlab_view_run runs[2] = {a->run, b->run};
    wlab_view_request q = {.run = runs, .runs = 1};
    int32_t *const bag = a->bag, *const label = a->label;
    double out[N];
    wlab_model *model;
    wlab_figure f;
    wlab_err err;
    (void)state;
    ASSERT_OK(fake_model(a, &model, NULL, &err), err);
    ASSERT_OK(wlab_model_predict(model, a->data.X, out, NULL, &err), err);
    wlab_model_destroy(model);
    for (int i = 0; i < N; i++) { /* in bags with odd numbers every third row is positive */
        assert_int_equal(bag[i], i / SIZE);
        label[i] = b->label[i] = bag[i] % 2 && i % 3 == 0;
    }
    a->problem.n = b->problem.n = IN;
    copy_traits(a, "ssl");
    ASSERT_FAILS(wlab_view_draw(view_named("roi"), &f, &q, &err), WL_ESTATE, err, "task ssl has no regions");
    copy_traits(a, "mil");
    wlab_figure_init(&f, false);
    ASSERT_OK(wlab_view_draw(view_named("roi"), &f, &q, &err), err);
    assert_int_equal(f.blocks, 2); /* held-out bags, then training bags */
    for (int k = 0; k < 2; k++) {
        const wlab_block *blk = &f.block[k];
        int found = 0, relevant = 0;
        bool used[BAGS] = {false};
        assert_int_equal(blk->rows, BAGS / 2 + 1);
        for (int c = 0; c < BAGS; c++)
            relevant += c % 2 && (c * SIZE < IN) == (k == 1);
        for (int64_t r = 1; r < blk->rows; r++) {
            const double *v = blk->value + r * blk->columns;
            int best = -1;
            for (int i = 0; i < N; i++)
                if ((i < IN) == (k == 1) && !used[bag[i]] && (best < 0 || out[i] > out[best]))
                    best = i;
            used[bag[best]] = true;
            found += label[best];
            assert_true(v[0] == (double)r && v[1] == found);
            assert_true(v[2] == (double)(r < relevant ? r : relevant));
            assert_true(v[3] == out[best] && v[4] == bag[best] + 1 && v[5] == best + 1);
        }
    }
    assert_int_equal(f.nseries, 3); /* both parts have the same ideal curve, drawn once */
    wlab_figure_clear(&f);
    q.runs = 2;
    wlab_figure_init(&f, false);
    ASSERT_OK(wlab_view_draw(view_named("roi"), &f, &q, &err), err);
    assert_int_equal(f.blocks, 4);
    assert_int_equal(f.nseries, 5);
    wlab_figure_clear(&f);
    wlab_figure_init(&f, false);
    q.runs = 1;
    q.vs = WL_VS_ITER;
    ASSERT_FAILS(wlab_view_draw(view_named("roi"), &f, &q, &err), WL_EARG, err, "leave out `vs iter`");
    q.vs = WL_VS_AUTO;
    runs[0].state = NULL;
    ASSERT_FAILS(wlab_view_draw(view_named("roi"), &f, &q, &err), WL_ESTATE, err, "the model is not built");
    wlab_figure_clear(&f);
    wlab_figure_init(&f, false);
    runs[0].state = a;
    for (int i = 0; i < N; i++) /* the labels of instances are copies of their bag's */
        label[i] = bag[i] % 2;
    ASSERT_FAILS(wlab_view_draw(view_named("roi"), &f, &q, &err), WL_ESTATE, err,
                 "which instances are positive");
    wlab_figure_clear(&f);
    fake_destroy(a);
    fake_destroy(b);
}

static void test_gram(void **state)
{
    fake *a = fake_create("a", "two-moons");
    wlab_view_request q = {.run = &a->run, .runs = 1};
    wlab_buf dat = {0}, gp = {0};
    wlab_figure f;
    wlab_shown shown[PROBES] = {{.iter = -1}, {.iter = -1}, {.iter = -1}, {.iter = -1}};
    wlab_probed *gram = &shown[COSINES].value;
    wlab_err err;
    (void)state;
    ASSERT_OK(fake_cosines(a, NULL, gram, NULL, &err), err);
    wlab_figure_init(&f, false);
    ASSERT_OK(wlab_view_draw(view_named("gram"), &f, &q, &err), err);
    for (int64_t i = 0; i < ROWS * ROWS; i++) {
        const double *v = f.block[0].value + i * f.block[0].columns;
        int64_t at = ((int64_t)v[3] - 1) * ROWS + (int64_t)v[0] - 1;
        assert_true(v[5] == gram->value[at] || (isnan(v[5]) && isnan(gram->value[at])));
        assert_true(v[2] == (isnan(v[5]) ? 0 : v[5])); /* an image has no holes */
        assert_true(v[1] == ROWS + 1 - v[3]);
    }
    wlab_figure_clear(&f);
    dat_of("gram", &q, &dat, &gp);
    ASSERT_HOLDS(gp, "set label '0.65' at first 2, first 9");
    ASSERT_HOLDS(gp, "'y9  mu 0."); /* the weight is beside the name */
    wlab_view_run run = a->run;     /* a mirror with the probe of the step before */
    run.state = NULL;
    run.probe = shown;
    q.run = &run;
    wlab_figure_init(&f, false);
    ASSERT_FAILS(wlab_view_draw(view_named("gram"), &f, &q, &err), WL_ESTATE, err, "next pause");
    wlab_figure_clear(&f);
    shown[COSINES].iter = ROWS - 2;
    dat_of("gram", &q, &dat, &gp);
    ASSERT_HOLDS(gp, "after step 7");
    for (int64_t i = 0; i < ROWS * ROWS; i++)
        gram->value[i] = NAN;
    ASSERT_FAILS(wlab_view_draw(view_named("gram"), &f, &q, &err), WL_ESTATE, err, "all alpha are 0");
    wlab_figure_clear(&f);
    a->probe[COSINES].name = NULL;
    ASSERT_FAILS(wlab_view_draw(view_named("gram"), &f, &q, &err), WL_ESTATE, err, "plot mu");
    wlab_figure_clear(&f);
    wlab_probed_clear(gram);
    wlab_buf_clear(&dat);
    wlab_buf_clear(&gp);
    fake_destroy(a);
}

/* If there are many unlabelled rows, the outputs of every k-th only are used, and the title says so. */
static void test_loss_sampled(void **state)
{
    enum {
        MANY = 9001
    };
    fake *a = fake_create("a", "two-moons");
    wlab_view_request q = {.run = &a->run, .runs = 1, .live = true};
    int32_t *pick = calloc(MANY, sizeof *pick);
    int8_t *visible = calloc(MANY, 1);
    wlab_matrix *X = NULL;
    wlab_figure f;
    wlab_err err;
    double rows = 0;
    (void)state;
    for (int i = 0; i < MANY; i++) {
        pick[i] = i % N;
        visible[i] = i < 1;
    }
    ASSERT_OK(wlab_matrix_rows(&X, a->data.X, pick, MANY, &err), err);
    a->problem.X = X;
    a->problem.n = MANY;
    a->problem.row = pick;
    a->problem.keys = false;
    a->problem.visible = visible;
    wlab_figure_init(&f, false);
    ASSERT_OK(wlab_view_draw(view_named("loss"), &f, &q, &err), err);
    for (int64_t k = 0; k < f.block[2].rows; k++)
        rows += f.block[2].value[3 * k + 1];
    assert_true(rows > 500 && rows <= MANY / 3);
    assert_non_null(strstr(f.title[f.titles - 1], "outputs of 1 unlabelled row in 3"));
    assert_non_null(strstr(f.series[f.nseries - 1].title, " % in margin"));
    wlab_figure_clear(&f);
    wlab_matrix_destroy(X);
    free(pick);
    free(visible);
    fake_destroy(a);
}

/* The numbers in the .dat are those of the trace, bit for bit, with names of the columns, run and data. */
static void test_dat(void **state)
{
    static const int column[] = {OBJECTIVE, UPPER, LOWER, INTEGER_UPPER};
    fake *a = fake_create("a", "two-moons");
    wlab_view_request q = {.run = &a->run, .runs = 1};
    wlab_buf dat = {0}, gp = {0};
    int rows = 0;
    (void)state;
    dat_of("objective", &q, &dat, &gp);
    for (char *p = (char *)dat.data; *p;) {
        char *nl = strchr(p, '\n');
        if (*p != '#') {
            assert_true(rows < ROWS);
            assert_int_equal(strtol(p, &p, 10), rows);
            assert_int_equal(strtol(p, &p, 10), a->row[rows].inner);
            for (int c = 0; c < 4; c++) {
                double got = strtod(p, &p), expected = a->metric[rows][column[c]];
                assert_true(got == expected || (isnan(got) && isnan(expected)));
            }
            assert_int_equal(*p, '\n');
            rows++;
        }
        p = nl + 1;
    }
    assert_int_equal(rows, ROWS);
    ASSERT_HOLDS(dat, "# columns: 1 iter 2 inner 3 objective 4 upper 5 lower 6 integer_upper\n");
    ASSERT_HOLDS(dat, "# data two-moons: 120 x 2, sha256 0123456789abcdef\n");
    ASSERT_HOLDS(dat, "run a: wellsvm kernel=rbf C1=0.5, 8 steps, more\n");
    wlab_buf_clear(&dat);
    wlab_buf_clear(&gp);
    fake_destroy(a);
}

/* The .dat has times only on request. */
static void test_no_times(void **state)
{
    fake *a = fake_create("a", "two-moons");
    wlab_view_request q = {.run = &a->run, .runs = 1};
    wlab_buf dat = {0}, again = {0}, gp = {0};
    (void)state;
    for (int v = 0; wlab_views[v]; v++) {
        suit_task(a, wlab_views[v]->name);
        dat_of(wlab_views[v]->name, &q, &dat, &gp);
        for (int i = 0; i < ROWS; i++)
            a->metric[i][SECONDS] += 1;
        dat_of(wlab_views[v]->name, &q, &again, &gp);
        assert_int_equal(dat.len, again.len);
        assert_memory_equal(dat.data, again.data, dat.len);
    }
    q.vs = WL_VS_SECONDS;
    dat_of("flips", &q, &dat, &gp);
    ASSERT_HOLDS(dat, "# columns: 1 iter 2 inner 3 seconds 4 flips\n");
    ASSERT_HOLDS(gp, "set xlabel 'seconds'");
    q.vs = WL_VS_INNER;
    dat_of("gap", &q, &dat, &gp);
    ASSERT_HOLDS(gp, "using 2:");
    wlab_buf_clear(&dat);
    wlab_buf_clear(&again);
    wlab_buf_clear(&gp);
    fake_destroy(a);
}

static void test_gap_without_lower_bound(void **state)
{
    fake *a = fake_create("a", "two-moons");
    wlab_view_request q = {.run = &a->run, .runs = 1};
    wlab_buf dat = {0}, gp = {0};
    wlab_figure f;
    wlab_err err;
    (void)state;
    dat_of("gap", &q, &dat, &gp);
    ASSERT_HOLDS(gp, "1 step with gap 0 or less not drawn: log scale");
    ASSERT_HOLDS(gp, "set logscale y");
    ASSERT_HOLDS(gp, "set ylabel 'gap (log scale)'");
    ASSERT_HOLDS(gp, "title 'gap' noenhanced");
    ASSERT_HOLDS(gp, "set xrange [0.86:8.14]"); /* step 0 has no gap */
    for (int i = 0; i < ROWS; i++)
        a->metric[i][GAP] = NAN;
    dat_of("gap", &q, &dat, &gp);
    ASSERT_HOLDS(gp, "'violation (no certified lower bound, so no gap): two-moons");
    ASSERT_HOLDS(dat, "3 violation\n");
    for (int i = 0; i < ROWS; i++)
        a->metric[i][VIOLATION] = NAN;
    wlab_figure_init(&f, false);
    ASSERT_FAILS(wlab_view_draw(view_named("gap"), &f, &q, &err), WL_ESTATE, err, "plot objective");
    wlab_figure_clear(&f);
    wlab_buf_clear(&dat);
    wlab_buf_clear(&gp);
    fake_destroy(a);
}

static void test_refusals(void **state)
{
    fake *a = fake_create("a", "wide"), *b = fake_create("b", "two-moons");
    wlab_view_run two[2] = {a->run, b->run};
    wlab_view_request q = {.run = two, .runs = 1};
    wlab_figure f;
    wlab_err err;
    (void)state;
    wlab_figure_init(&f, false);
    two[0].rows = 1;
    for (int v = 0; wlab_views[v]; v++)
        if (strcmp(wlab_views[v]->name, "boundary") != 0 &&
            strcmp(wlab_views[v]->name, "projection") != 0) { /* these can draw the start too */
            ASSERT_FAILS(wlab_view_draw(wlab_views[v], &f, &q, &err), WL_ESTATE, err,
                         "nothing to draw yet in run a: `step` first");
            wlab_figure_clear(&f);
        }
    ASSERT_OK(wlab_view_draw(view_named("boundary"), &f, &q, &err), err);
    wlab_figure_clear(&f);
    ASSERT_OK(wlab_view_draw(view_named("projection"), &f, &q, &err), err);
    wlab_figure_clear(&f);
    two[0].rows = ROWS;
    q.runs = 2;
    ASSERT_FAILS(wlab_view_draw(view_named("mu"), &f, &q, &err), WL_EARG, err, "plot mu a");
    ASSERT_FAILS(wlab_view_draw(view_named("boundary"), &f, &q, &err), WL_EARG, err, "plot boundary a");
    ASSERT_FAILS(wlab_view_draw(view_named("loss"), &f, &q, &err), WL_EARG, err, "plot loss a");
    q.runs = 1;
    a->data.X->cols = 3;
    ASSERT_FAILS(wlab_view_draw(view_named("boundary"), &f, &q, &err), WL_EARG, err, "'wide' has 3");
    a->data.X->cols = 2;
    a->algo.probes = NULL;
    ASSERT_FAILS(wlab_view_draw(view_named("mu"), &f, &q, &err), WL_ESTATE, err, "records no weights");
    wlab_figure_clear(&f);
    a->algo.metrics = metric_table + TEMPERATURE - 1; /* seconds come first, which this view does not use */
    ASSERT_OK(wlab_view_draw(view_named("loss"), &f, &q, &err), err);
    wlab_figure_clear(&f);
    static const wlab_metric_info plain[] = {{.name = "objective", .role = WL_R_OBJECTIVE}, {.name = NULL}};
    a->algo.metrics = plain;
    a->algo.row_loss = NULL;
    ASSERT_FAILS(wlab_view_draw(view_named("loss"), &f, &q, &err), WL_ESTATE, err, "neither a temperature");
    a->algo.metrics = metric_table;
    a->algo.row_loss = wlab_tr_row_loss;
    q.vs = WL_VS_ITER;
    ASSERT_FAILS(wlab_view_draw(view_named("loss"), &f, &q, &err), WL_EARG, err, "leave out `vs iter`");
    q.vs = WL_VS_AUTO;
    ASSERT_OK(wlab_params_set(a->params, "lambda_u", "0", &err), err);
    ASSERT_FAILS(wlab_view_draw(view_named("loss"), &f, &q, &err), WL_ESTATE, err, "lambda_u is 0");
    ASSERT_OK(wlab_params_set(a->params, "lambda_u", "2", &err), err);
    wlab_figure_clear(&f);
    /* without a model the picture shows the points, and its title gives the reason */
    a->algo.model = NULL;
    ASSERT_OK(wlab_view_draw(view_named("boundary"), &f, &q, &err), err);
    assert_non_null(strstr(f.title[f.titles - 1], "no decision line: wellsvm builds no model"));
    assert_int_equal(f.blocks, 1);
    wlab_figure_clear(&f);
    ASSERT_OK(wlab_view_draw(view_named("loss"), &f, &q, &err), err);
    assert_non_null(strstr(f.title[f.titles - 1], "no outputs: the model is not built yet"));
    assert_int_equal(f.blocks, 2);
    wlab_figure_clear(&f);
    fake_destroy(a);
    fake_destroy(b);
}

static void test_overlay(void **state)
{
    GNUPLOT_OR_SKIP();
    fake *a = fake_create("a", "two-moons"), *b = fake_create("b's", "it's `other`");
    wlab_view_run two[2] = {a->run, b->run};
    wlab_view_run four[4] = {a->run, a->run, b->run, b->run};
    wlab_view_request q = {.run = two, .runs = 2}, q4 = {.run = four, .runs = 4};
    const char *folder = getenv("WEAKLAB_FIGURES");
    wlab_buf dat = {0}, gp = {0};
    (void)state;
    for (int i = 0; i < ROWS; i++)
        for (int m = 0; m < SECONDS; m++)
            b->metric[i][m] *= m == FLIPS ? 2 : 1.02;
    dat_of("objective", &q, &dat, &gp);
    ASSERT_HOLDS(gp, "title 'a two-moons: objective'");
    ASSERT_HOLDS(gp, "title 'b'.\"\\047\".'s it'.\"\\047\".'s `other`: objective'");
    ASSERT_HOLDS(gp, "data index 1 using 1:3");
    ASSERT_HOLDS(dat, "# data it's ?other?: 120 x 2");
    /* runs of different algorithms: these are named in the legend, and in the title if there are many runs */
    const char *name = b->algo.name;
    b->algo.name = "second";
    wlab_buf_clear(&dat);
    wlab_buf_clear(&gp);
    four[1].name = "c";
    four[1].number = 3;
    four[3].name = "d";
    four[3].number = 4;
    dat_of("objective", &q4, &dat, &gp);
    char words[100];
    snprintf(words, sizeof words, "title 'a %s two-moons'", name);
    ASSERT_HOLDS(gp, words);
    ASSERT_HOLDS(gp, "title 'd second it'");
    ASSERT_HOLDS(gp, "d: second");
    b->algo.name = name;
    for (int v = 0; wlab_views[v]; v++) {
        wlab_figure f;
        wlab_err err;
        char stem[64];
        if (wlab_views[v]->of & WL_VIEW_ONE)
            continue;
        wlab_figure_init(&f, false);
        ASSERT_OK(wlab_view_draw(wlab_views[v], &f, &q, &err), err);
        snprintf(stem, sizeof stem, "%s-overlay", wlab_views[v]->name);
        save_figure(&f, WL_PNG, folder, stem);
        wlab_figure_clear(&f);
    }
    wlab_buf_clear(&dat);
    wlab_buf_clear(&gp);
    fake_destroy(a);
    fake_destroy(b);
}

/* Values for which gnuplot would have no range, or one beyond the doubles. */
static void test_degenerate_ranges(void **state)
{
    GNUPLOT_OR_SKIP();
    static const double values[] = {0, 1, -1, 1e-300, 1e300, -1e300, 1e-5, 19.000000000000004, INFINITY, NAN};
    fake *a = fake_create("a", "two-moons");
    (void)state;
    for (size_t k = 0; k < sizeof values / sizeof *values; k++)
        for (int rows = 2; rows <= 3; rows++)
            for (int v = 0; wlab_views[v] != &wlab_view_mu; v++) {
                wlab_view_request q = {.run = &a->run, .runs = 1};
                wlab_figure f;
                wlab_err err;
                a->run.rows = rows;
                for (int i = 0; i < rows; i++)
                    for (int m = 0; m < SECONDS; m++)
                        a->metric[i][m] = values[k];
                a->metric[0][OBJECTIVE] = 19;
                wlab_figure_init(&f, true);
                wlab_code code = wlab_view_draw(wlab_views[v], &f, &q, &err);
                if (code && isfinite(values[k]))
                    fail_msg("%s of %g: %s", wlab_views[v]->name, values[k], err.message);
                if (!code)
                    save_figure(&f, WL_TXT, NULL, NULL);
                else
                    assert_int_equal(code, WL_ESTATE);
                wlab_figure_clear(&f);
            }
    fake_destroy(a);
}

/* The curve, and the two ends of the move; without the probe, or with values that are not finite, there is no picture. */
static void test_slice(void **state)
{
    fake *a = fake_create("a", "two-moons");
    wlab_view_request q = {.run = &a->run, .runs = 1};
    wlab_figure f;
    wlab_err err;
    (void)state;
    wlab_figure_init(&f, false);
    ASSERT_OK(wlab_view_draw(view_named("slice"), &f, &q, &err), err);
    assert_int_equal(f.block[0].rows, WL_SLICE_POINTS);
    for (int k = 0; k < WL_SLICE_POINTS; k++) {
        const double t = -0.5 + 2.0 * k / (WL_SLICE_POINTS - 1);
        ASSERT_NEAR(f.block[0].value[2 * k], t, 1e-15);
        ASSERT_NEAR(f.block[0].value[2 * k + 1], 19 + (t - 0.75) * (t - 0.75), 1e-14);
    }
    const double ends[] = {0, 19.5625, 1, 19.0625};
    assert_int_equal(f.block[1].rows, 2);
    for (int k = 0; k < 4; k++)
        assert_true(f.block[1].value[k] == ends[k]);
    wlab_figure_clear(&f);
    a->probe[SLICE].beside = "majoriser";
    wlab_figure_init(&f, false);
    ASSERT_OK(wlab_view_draw(view_named("slice"), &f, &q, &err), err);
    assert_true(f.block[0].rows == WL_SLICE_POINTS && f.block[0].columns == 3 && f.block[1].columns == 2);
    for (int k = 0; k < WL_SLICE_POINTS; k++) {
        const double t = -0.5 + 2.0 * k / (WL_SLICE_POINTS - 1), J = 19 + (t - 0.75) * (t - 0.75);
        ASSERT_NEAR(f.block[0].value[3 * k + 1], J, 1e-14);
        ASSERT_NEAR(f.block[0].value[3 * k + 2], J + t * t, 1e-14);
    }
    for (int k = 0; k < 4; k++)
        assert_true(f.block[1].value[k] == ends[k]);
    wlab_figure_clear(&f);
    a->probe[SLICE].name = NULL;
    wlab_figure_init(&f, false);
    ASSERT_FAILS(wlab_view_draw(view_named("slice"), &f, &q, &err), WL_ESTATE, err, "does not move along");
    wlab_figure_clear(&f);
    fake_destroy(a);
}

/* The places with their shades and kinds, the instances and the concept; without the probe there is no picture. */
static void test_landscape(void **state)
{
    fake *a = fake_create("a", "two-moons");
    wlab_view_request q = {.run = &a->run, .runs = 1};
    wlab_figure f;
    wlab_err err;
    int kinds[4] = {0};
    (void)state;
    wlab_figure_init(&f, false);
    ASSERT_OK(wlab_view_draw(view_named("landscape"), &f, &q, &err), err);
    const int places = WL_LAND_SIDE * WL_LAND_SIDE;
    assert_true(f.block[0].rows == places && f.block[0].columns == 5 && f.block[0].scan == WL_LAND_SIDE);
    for (int k = 0; k < places; k++) {
        const double *row = f.block[0].value + 5 * k;
        assert_true(row[2] <= row[4] && row[3] >= 0 && row[3] <= 3);
        kinds[(int)row[3]]++;
        if (row[3] < 3)
            assert_true(row[2] == row[4]); /* the lowest places have shades of their own */
    }
    assert_true(kinds[0] >= places / 50 && kinds[0] < places / 25 && kinds[3] > places / 2);
    const int one = f.blocks - 1;
    assert_true(f.block[one].rows == 1 && f.block[one].value[0] == 1 && f.block[one].value[1] == 2);
    wlab_figure_clear(&f);
    a->probe[LANDSCAPE].name = NULL;
    wlab_figure_init(&f, false);
    ASSERT_FAILS(wlab_view_draw(view_named("landscape"), &f, &q, &err), WL_ESTATE, err,
                 "looks for no concept");
    wlab_figure_clear(&f);
    fake_destroy(a);
}

/* The points with the third of their objective, what they are, and the legend; without the probe there is no picture. */
static void test_map(void **state)
{
    static const double level[] = {0, 1, 2};
    fake *a = fake_create("a", "two-moons");
    wlab_view_request q = {.run = &a->run, .runs = 1};
    wlab_figure f;
    wlab_err err;
    (void)state;
    wlab_figure_init(&f, false);
    ASSERT_OK(wlab_view_draw(view_named("map"), &f, &q, &err), err);
    assert_true(f.block[0].rows == 5 && f.block[0].columns == 5 && f.nseries == 6);
    for (int k = 0; k < 5; k++) {
        const double *row = f.block[0].value + 5 * k;
        if (k < 3)
            assert_true(row[4] == level[k]);
        else
            assert_true(isnan(row[4]) && row[3] == (k == 3 ? WL_MAP_START : WL_MAP_RESULT));
    }
    assert_non_null(strstr(f.title[2], "3 labelings, objectives 5 to 8"));
    wlab_figure_clear(&f);
    a->probe[MAP].name = NULL;
    wlab_figure_init(&f, false);
    ASSERT_FAILS(wlab_view_draw(view_named("map"), &f, &q, &err), WL_ESTATE, err, "keeps no labelings");
    wlab_figure_clear(&f);
    fake_destroy(a);
}

/* Every cut, those that are allowed, the chosen one and the bound; without the probe there is no picture. */
static void test_cuts(void **state)
{
    fake *a = fake_create("a", "two-moons");
    wlab_view_request q = {.run = &a->run, .runs = 1};
    wlab_figure f;
    wlab_err err;
    (void)state;
    wlab_figure_init(&f, false);
    ASSERT_OK(wlab_view_draw(view_named("cuts"), &f, &q, &err), err);
    assert_true(f.block[0].rows == 9 && f.block[0].columns == 3 && f.block[1].rows == 1);
    for (int k = 0; k < 9; k++) {
        const double *row = f.block[0].value + 3 * k, value = 1 + (k - 3.5) * (k - 3.5);
        assert_true(row[0] == k && row[2] == value);
        assert_true(k > 2 && k < 6 ? row[1] == value : isnan(row[1]));
    }
    assert_true(f.block[1].value[0] == 3.5 && f.block[1].value[1] == 1);
    assert_true(f.block[2].rows == 2 && f.block[2].value[1] == 0.5 && f.block[2].value[3] == 0.5);
    assert_int_equal(f.nseries, 4);
    wlab_figure_clear(&f);
    a->probe[CUTS].name = NULL;
    wlab_figure_init(&f, false);
    ASSERT_FAILS(wlab_view_draw(view_named("cuts"), &f, &q, &err), WL_ESTATE, err,
                 "does not choose among cuts");
    wlab_figure_clear(&f);
    fake_destroy(a);
}

static wlab_code draw_and_write(const wlab_view *view, const wlab_view_request *q, bool write)
{
    wlab_figure f;
    wlab_buf out = {0};
    wlab_figure_init(&f, false);
    wlab_code code = wlab_view_draw(view, &f, q, NULL);
    if (!code && write) {
        code = wlab_figure_dat(&f, &out, NULL);
        code = code ? code
                    : wlab_sheet_gp(&(wlab_sheet){.figure = &f, .n = 1}, "dumb", "x.dat", "x.txt", NULL, &out,
                                    NULL);
    }
    wlab_figure_clear(&f);
    wlab_buf_clear(&out);
    return code;
}

/* Whether a view draws only tasks with two classes. */
static bool needs_two_classes(const char *view)
{
    static const char *const names[] = {"bags", "roi", "proportions", "bagflips", "histogram"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(view, names[k]) == 0)
            return true;
    return false;
}

/* Three, ten and the largest number of classes, in every view and kind of picture. */
static void test_classes(void **state)
{
    GNUPLOT_OR_SKIP();
    static const int classes[] = {3, 10, WL_CLASSES_MOST};
    const char *folder = getenv("WEAKLAB_FIGURES");
    wlab_err err;
    (void)state;
    for (size_t c = 0; c < sizeof classes / sizeof *classes; c++) {
        fake *a = fake_create("a", "two-moons");
        fake_classes(a, classes[c]);
        for (int v = 0; wlab_views[v]; v++) {
            wlab_view_request q = {.run = &a->run, .runs = 1};
            if (needs_two_classes(wlab_views[v]->name))
                continue;
            suit_weights(a, wlab_views[v]->name);
            const bool shows =
                !strcmp(wlab_views[v]->name, "boundary") || !strcmp(wlab_views[v]->name, "labels");
            for (int k = WL_PNG; k <= WL_TXT; k += WL_TXT - WL_PNG) {
                wlab_figure f;
                char stem[64];
                wlab_figure_init(&f, k == WL_TXT);
                ASSERT_OK(wlab_view_draw(wlab_views[v], &f, &q, &err), err);
                snprintf(stem, sizeof stem, "%s-%d", wlab_views[v]->name, classes[c]);
                if (folder || (shows && classes[c] != 10))
                    save_figure(&f, (wlab_image)k, folder, stem);
                wlab_figure_clear(&f);
            }
        }
        fake_destroy(a);
    }
}

static void test_memory_runs_out(void **state)
{
    fake *a = fake_create("a", "two-moons"), *b = fake_create("b", "two-moons");
    wlab_view_run two[2] = {a->run, b->run};
    (void)state;
    for (int v = 0; wlab_views[v]; v++) {
        const char *name =
            wlab_views[v]->name; /* megabytes of cells are not written: other views cover that code */
        const bool cells = !strcmp(name, "boundary") || !strcmp(name, "projection") ||
                           !strcmp(name, "matrix") || !strcmp(name, "kernel");
        const bool one = wlab_views[v]->of & WL_VIEW_ONE;
        wlab_view_request q = {.run = two, .runs = one ? 1 : 2};
        suit_task(a, wlab_views[v]->name);
        ALLOC_SWEEP(draw_and_write(wlab_views[v], &q, !cells));
    }
    fake_destroy(a);
    fake_destroy(b);
}

static void test_style_file(void **state)
{
    char text[8192];
    FILE *i = fopen("plots/style.gp", "rb");
    (void)state;
    assert_non_null(i);
    text[fread(text, 1, sizeof text - 1, i)] = 0;
    fclose(i);
    assert_string_equal(text, wlab_figure_style);
}

/* ---- live pictures, from mirrors ---- */

static wlab_mirror mirror_of(fake *f)
{
    return (wlab_mirror){.name = (char *)"a",
                         .algo = &f->algo,
                         .problem = &f->problem,
                         .params = f->params,
                         .row = f->row,
                         .rows = ROWS,
                         .labels = f->labels,
                         .labels_before = f->before,
                         .labels_first = f->first,
                         .model_iter = -1};
}

static const wlab_series *series_marked(const wlab_figure *f, char mark, wlab_draw draw)
{
    for (int i = 0; i < f->nseries; i++)
        if (f->series[i].mark == mark && f->series[i].draw == draw)
            return &f->series[i];
    return NULL;
}

static int64_t points_of(const wlab_figure *f, const wlab_series *s)
{
    int64_t n = 0;
    double x, y;
    for (int64_t i = 0; i < wlab_series_points(f, s); i++)
        n += wlab_series_point(f, s, i, &x, &y);
    return n;
}

static void live_figure(const char *view, const wlab_view_run *run, wlab_figure *f)
{
    wlab_view_request q = {.run = run, .runs = 1, .live = true, .columns = 100, .grid_x = 40, .grid_y = 24};
    wlab_err err;
    wlab_figure_init(f, false);
    ASSERT_OK(wlab_view_draw(view_named(view), f, &q, &err), err);
    assert_false(f->failed);
}

/* Every view that needs neither model nor probe draws the same from a mirror as from the run; `boundary`, which
 * lacks a model there, draws the points. */
static void test_mirror(void **state)
{
    fake *a = fake_create("a", "two-moons");
    wlab_mirror m = mirror_of(a);
    wlab_view_run run = wlab_view_run_of_mirror(&m);
    (void)state;
    for (int v = 0; wlab_views[v]; v++) {
        wlab_view_request q = {.run = &run, .runs = 1};
        wlab_buf own = {0}, mirrored = {0}, gp = {0};
        if (wlab_views[v]->of & (WL_VIEW_MODEL | WL_VIEW_PROBE))
            continue;
        suit_task(a, wlab_views[v]->name);
        dat_of(wlab_views[v]->name, &q, &mirrored, &gp);
        q.run = &a->run;
        dat_of(wlab_views[v]->name, &q, &own, &gp);
        assert_string_equal((char *)own.data, (char *)mirrored.data);
        wlab_buf_clear(&own);
        wlab_buf_clear(&mirrored);
        wlab_buf_clear(&gp);
    }
    wlab_figure f;
    live_figure("boundary", &run, &f);
    assert_non_null(strstr(f.title[f.titles - 1], "no decision line: the model is not built yet"));
    assert_null(series_marked(&f, '*', WL_D_CONTOUR));
    for (int sign = -1; sign <= 1; sign += 2) {
        int observed = 0;
        for (int i = 0; i < N; i++)
            observed += a->visible[i] == sign;
        assert_int_equal(points_of(&f, series_marked(&f, sign > 0 ? 'A' : 'B', WL_D_POINTS)), observed);
    }
    int flipped = 0; /* rows with observed labels are not among them */
    for (int i = 0; i < N; i++)
        flipped += !a->visible[i] && m.labels[i] != m.labels_before[i] && m.labels_before[i];
    assert_true(flipped > 1);
    assert_int_equal(points_of(&f, series_marked(&f, '#', WL_D_POINTS)), flipped);
    wlab_figure_clear(&f);
    m.rows = 1; /* before the first step */
    run = wlab_view_run_of_mirror(&m);
    live_figure("boundary", &run, &f);
    wlab_figure_clear(&f);
    fake_destroy(a);
}

/* The grid of a live picture has the model's values and the requested size; the title says if the model is that
 * of an earlier step. */
static void test_live_boundary(void **state)
{
    fake *a = fake_create("a", "two-moons");
    wlab_mirror m = mirror_of(a);
    wlab_err err;
    wlab_figure f;
    (void)state;
    ASSERT_OK(fake_model(a, &m.model, NULL, &err), err);
    m.model->b[0] = 0.25;
    m.model_iter = ROWS - 2;
    wlab_view_run run = wlab_view_run_of_mirror(&m);
    live_figure("boundary", &run, &f);
    assert_non_null(strstr(f.title[f.titles - 1], "decision line of step 7"));
    assert_int_equal(f.block[1].scan, 40);
    assert_int_equal(f.block[1].rows, 40 * 24);
    assert_non_null(series_marked(&f, '*', WL_D_CONTOUR));
    wlab_matrix *grid = NULL;
    double expected[40 * 24];
    ASSERT_OK(wlab_matrix_create_dense(&grid, 40 * 24, 2, &err), err);
    for (int k = 0; k < 40 * 24; k++) {
        grid->start[k] = 2 * k;
        grid->len[k] = 2;
        memcpy(grid->dense + 2 * k, f.block[1].value + 3 * k, 2 * sizeof(double));
    }
    ASSERT_OK(wlab_model_predict(m.model, grid, expected, NULL, &err), err);
    for (int k = 0; k < 40 * 24; k++) {
        const double *row = f.block[1].value + 3 * k;
        ASSERT_NEAR(row[2], expected[k], 1e-12);
        assert_true(wlab_figure_value(&f, row[0], row[1]) == row[2]);
    }
    double lo = 0, hi = 0;
    for (int k = 0; k < 40 * 24; k++) {
        lo = fmin(lo, expected[k]);
        hi = fmax(hi, expected[k]);
    }
    assert_true(lo < 0 && hi > 0);
    wlab_matrix_destroy(grid);
    wlab_figure_clear(&f);
    wlab_model_destroy(m.model);
    fake_destroy(a);
}

/* Many rows: a few thousand are drawn, with all labelled and flipped ones. */
static void test_live_thinned(void **state)
{
    enum {
        MANY = 30000
    };
    fake *a = fake_create("a", "many");
    wlab_mirror m = mirror_of(a);
    wlab_err err;
    wlab_figure f;
    wlab_matrix *X = NULL;
    int8_t *labels = calloc(3 * MANY, 1), *before = labels + MANY, *visible = labels + 2 * MANY;
    (void)state;
    ASSERT_OK(wlab_matrix_create_dense(&X, MANY, 2, &err), err);
    for (int i = 0; i < MANY; i++) {
        X->start[i] = 2 * i;
        X->len[i] = 2;
        X->dense[2 * i] = i;
        X->dense[2 * i + 1] = i % 100;
        labels[i] = (int8_t)(i % 2 ? 1 : -1);
        before[i] = (int8_t)(i % 1000 == 999 ? -labels[i] : labels[i]);
        visible[i] = (int8_t)(i % 3000 == 7 ? i == 3007 ? -labels[i] : labels[i] : 0);
    }
    a->problem.X = X;
    a->problem.n = MANY;
    a->problem.keys = false;
    a->problem.visible = visible;
    m.labels = labels;
    m.labels_before = before;
    wlab_view_run run = wlab_view_run_of_mirror(&m);
    live_figure("boundary", &run, &f);
    assert_true(f.block[0].rows > 3000 && f.block[0].rows < 4200);
    assert_int_equal(points_of(&f, series_marked(&f, '#', WL_D_POINTS)), 30);
    assert_int_equal(points_of(&f, series_marked(&f, 'A', WL_D_POINTS)), 9);
    assert_int_equal(points_of(&f, series_marked(&f, 'B', WL_D_POINTS)), 1);
    const wlab_series *cross =
        series_marked(&f, 'a', WL_D_POINTS); /* over the observed B of a row labelled +1 */
    assert_int_equal(points_of(&f, cross), 1);
    assert_non_null(strstr(cross->title, ": 1"));
    char titles[500] = "";
    for (int i = 0; i < f.titles; i++) {
        strcat(titles, f.title[i]);
        strcat(titles, " ");
    }
    assert_non_null(strstr(titles, "1 in 8 of the other rows drawn"));
    assert_non_null(
        strstr(series_marked(&f, '+', WL_D_POINTS)->title, ": 15000 in all")); /* counted over all rows */
    wlab_figure_clear(&f);
    wlab_matrix_destroy(X);
    free(labels);
    fake_destroy(a);
}

/* Long runs: curves keep their extremes; of very many weights only the largest are drawn. */
static void test_live_long(void **state)
{
    enum {
        STEPS = 10000,
        WEIGHTS = 80
    };
    fake *a = fake_create("a", "long");
    wlab_mirror m = mirror_of(a);
    wlab_figure f;
    wlab_trace_row *row = calloc(STEPS, sizeof *row);
    double *metric = calloc((size_t)STEPS * METRICS, sizeof *metric), weight[WEIGHTS] = {0};
    (void)state;
    for (int i = 0; i < STEPS; i++) {
        double *k = metric + i * METRICS;
        for (int j = 0; j < METRICS; j++)
            k[j] = i == 1234 ? 99 : 1 + i % 7;
        row[i] =
            (wlab_trace_row){.iter = i, .inner = 2 * i, .metric = k, .nweights = WEIGHTS, .weight = weight};
    }
    weight[50] = 0.5;
    weight[70] = 0.25;
    m.row = row;
    m.rows = STEPS;
    wlab_view_run run = wlab_view_run_of_mirror(&m);
    live_figure("objective", &run, &f);
    assert_true(f.block[0].rows < 1000 && f.yhi == 99);
    const wlab_series *s = series_marked(&f, '*', WL_D_CURVE);
    double x, y, highest = 0, last = 0;
    for (int64_t i = 0; i < wlab_series_points(&f, s); i++)
        if (wlab_series_point(&f, s, i, &x, &y)) {
            highest = fmax(highest, y);
            last = x;
        }
    assert_true(highest == 99 && last == STEPS - 1);
    wlab_figure_clear(&f);
    live_figure("flips", &run, &f);
    assert_true(f.block[0].rows < 1000);
    wlab_figure_clear(&f);
    live_figure("mu", &run, &f);
    assert_int_equal(f.nseries, 7);
    assert_string_equal(f.block[0].column[2 + 5], "y51");
    assert_non_null(strstr(f.title[f.titles - 1], "the 7 largest of 80"));
    wlab_figure_clear(&f);
    a->probe[WEIGHED].name = "temperature";
    a->probe[WEIGHED].kind = WL_PROBE_EIGENVALUES;
    live_figure("mu", &run, &f);
    assert_string_equal(f.ylabel, "temperature");
    assert_memory_equal(f.title[0], "temperature:", 12);
    wlab_figure_clear(&f);
    free(row);
    free(metric);
    fake_destroy(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_pictures),
        cmocka_unit_test(test_dat),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_bags),
        cmocka_unit_test(test_bag_proportions),
        cmocka_unit_test(test_restarts),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_roi),
        cmocka_unit_test(test_gram),
        cmocka_unit_test(test_spectrum),
        cmocka_unit_test(test_loss),
        cmocka_unit_test(test_loss_sampled),
        cmocka_unit_test(test_no_times),
        cmocka_unit_test(test_gap_without_lower_bound),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_overlay),
        cmocka_unit_test(test_degenerate_ranges),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_slice),
        cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_landscape),
        cmocka_unit_test(test_map),
        cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_style_file),
        cmocka_unit_test(test_mirror),
        cmocka_unit_test(test_live_boundary),
        cmocka_unit_test(test_live_thinned),
        cmocka_unit_test(test_live_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
