/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The views, on a run made by hand: what the .dat and the .gp hold, ranges that are none, refusals, all pictures.
 * WEAKLAB_FIGURES=FOLDER keeps the pictures, to look at.
 */
#include "plot/render.h"
#include "plot/view.h"
#include "support.h"

/* ---- a run made by hand: two arcs, a kernel machine on a few of their points, a trace of ROWS steps ---- */
enum {
    N = 120,
    ROWS = 9,
    OBJECTIVE = 0,
    UPPER,
    LOWER,
    GAP,
    VIOLATION,
    INTEGER_UPPER,
    FLIPS,
    SECONDS,
    TEMPERATURE,
    LAMBDA_NOW,
    METRICS
};
static const wlab_metric_info metric_table[] = {
    {.name = "objective"}, {.name = "upper"},
    {.name = "lower"},     {.name = "gap"},
    {.name = "violation"}, {.name = "integer_upper"},
    {.name = "flips"},     {.name = "seconds", .flags = WL_M_VOLATILE},
    {.name = "T"},         {.name = "lambda_now"},
    {.name = NULL},
};
static const wlab_param_info param_table[] = {
    {.name = "kernel", .type = WL_P_TEXT, .fallback = "rbf", .meaning = "kernel"},
    {.name = "C1", .type = WL_P_REAL, .fallback = "1", .meaning = "cost"},
    {.name = "lambda_u", .type = WL_P_REAL, .fallback = "2", .meaning = "weight of the unlabelled rows"},
    {.name = "loss", .type = WL_P_TEXT, .fallback = "squared-hinge", .meaning = "squared-hinge or hinge"},
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
    int8_t labels[N], before[N], visible[N];
    char *class_name[2];
    wlab_view_run run;
} fake;

static wlab_code fake_weights(const void *state, wlab_weights *w, wlab_err *err)
{
    (void)state;
    w->name = "mu";
    w->n = ROWS;
    w->value = wlab_calloc(ROWS, sizeof(double));
    return w->value ? WL_OK : wlab_nomem(err);
}

/* Fixed numbers, the same everywhere. */
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
    m->positive = wlab_strdup("1");
    m->negative = wlab_strdup("-1");
    code = m->coef && m->sv_row && m->positive && m->negative ? wlab_matrix_create_dense(&m->sv, SV, 2, err)
                                                              : wlab_nomem(err);
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
    f->problem = (wlab_problem){.task = &f->task,
                                .data = &f->data,
                                .X = f->data.X,
                                .n = N,
                                .visible = f->visible,
                                .unlabelled = N - 4,
                                .positive = 1,
                                .negative = 0};
    f->algo.name = "wellsvm";
    f->algo.metrics = metric_table;
    f->algo.weights = fake_weights;
    f->algo.weights_name = "mu";
    f->algo.model = fake_model;
    for (int i = 0; i < ROWS; i++) {
        double *m = f->metric[i], p = 19 + 2 * exp(-0.7 * i);
        m[OBJECTIVE] = p;
        m[UPPER] = p + 0.3 * exp(-0.9 * i);
        m[LOWER] = i < 1 ? NAN : 19 - 1.2 * exp(-0.8 * i);
        m[GAP] = i < 1 ? NAN : i == ROWS - 1 ? 0 : m[UPPER] - m[LOWER];
        m[VIOLATION] = 2 * exp(-1.3 * i);
        m[INTEGER_UPPER] = i < 2 ? NAN : i < 5 ? 20.5 : 19.6;
        m[FLIPS] = i ? (i * 7) % 12 : 0;
        m[SECONDS] = 0.1 * i + 0.01 * noise(&seed);
        m[TEMPERATURE] = i ? 20 * pow(1.7, -i) : NAN;
        m[LAMBDA_NOW] = 2;
        f->row[i] = (wlab_trace_row){.iter = i, .inner = i * (i + 3) / 2, .metric = m, .nweights = i + 1};
        f->row[i].weight = f->weight[i];
        double sum = 0;
        for (int t = 0; t <= i; t++)
            sum += f->weight[i][t] = 1 + ((t * 5 + i) % 7) / 2.0;
        for (int t = 0; t <= i; t++)
            f->weight[i][t] /= sum;
    }
    f->run = (wlab_view_run){.name = run_name,
                             .problem = &f->problem,
                             .algo = &f->algo,
                             .params = f->params,
                             .state = f,
                             .row = f->row,
                             .rows = ROWS,
                             .labels = f->labels,
                             .labels_before = f->before};
    return f;
}

static void fake_destroy(fake *f)
{
    wlab_matrix_destroy(f->data.X);
    wlab_params_destroy(f->params);
    free(f->data.name);
    free(f);
}

static int view_named(const char *name)
{
    for (int i = 0; wlab_views[i].name; i++)
        if (!strcmp(wlab_views[i].name, name))
            return i;
    fail_msg("no view %s", name);
    return -1;
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
    const char *terminal;
    char path[512];
    ASSERT_OK(wlab_render(f, kind, NULL, NULL, 0, NULL, &terminal, &image, &err), err);
    assert_true(image.len > 100);
    if (folder) { /* WEAKLAB_FIGURES=FOLDER: to look at */
        snprintf(path, sizeof path, "%s/%s.%s", folder, name, wlab_image_names[kind]);
        FILE *o = fopen(path, "wb");
        assert_non_null(o);
        assert_int_equal(fwrite(image.data, 1, image.len, o), image.len);
        fclose(o);
    }
    wlab_buf_clear(&image);
}

/* Every view in every kind of picture, by the real gnuplot. */
static void test_all_pictures(void **state)
{
    const char *folder = getenv("WEAKLAB_FIGURES");
    fake *a = fake_create("a", "two-moons");
    wlab_err err;
    (void)state;
    for (int v = 0; wlab_views[v].name; v++)
        for (int k = WL_PNG; k <= WL_TXT; k++) {
            wlab_view_request q = {.run = &a->run, .runs = 1};
            wlab_figure f;
            wlab_figure_init(&f, k == WL_TXT);
            ASSERT_OK(wlab_view_draw(v, &f, &q, &err), err);
            save_figure(&f, (wlab_image)k, folder, wlab_views[v].name);
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
    ASSERT_OK(wlab_figure_gp(&f, "dumb", "x.dat", "x.txt", NULL, gp, &err), err);
    terminated(dat);
    terminated(gp);
    wlab_figure_clear(&f);
}
#define ASSERT_HOLDS(buf, text) assert_non_null(strstr((const char *)(buf).data, text))

/* The view `loss`: its curves by the formula, one value at o = 0, and each unlabelled row in one bar. */
static void test_loss(void **state)
{
    fake *a = fake_create("a", "two-moons");
    wlab_view_request q = {.run = &a->run, .runs = 1};
    wlab_figure f;
    wlab_err err;
    double inside = 0, rows = 0, x, y;
    char words[64];
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
            mean = (pos + neg) / 2; /* the mean less tau log cosh(d / tau) */
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
        assert_true(h->value[3 * k + 2] <= -0.1 + 1e-12); /* beneath the curves */
    }
    snprintf(words, sizeof words, "every 1. of them; %g beyond 3", N - 4 - rows);
    assert_non_null(strstr(h->about[0], words));
    assert_true(rows > 10);
    snprintf(words, sizeof words, "%g of %d rows inside the margin", inside, N - 4);
    assert_string_equal(f.series[f.nseries - 1].title, words);
    const wlab_series *bars = &f.series[f.nseries - 1];
    for (int64_t k = 0; k < wlab_series_points(&f, bars); k++)
        assert_true(wlab_series_point(&f, bars, k, &x, &y) && y >= bars->base);
    wlab_figure_clear(&f);
    /* the weight lambda' instead of a temperature: the same curve times lambda' / lambda_u */
    static const wlab_metric_info weight_only[] = {{.name = "lambda_now"}, {.name = NULL}};
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

/* Of many rows a fixed part is looked at, which is said. */
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

/* The numbers of the .dat are those of the trace, bit for bit, under names, with what they are of. */
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
                double got = strtod(p, &p), want = a->metric[rows][column[c]];
                assert_true(got == want || (isnan(got) && isnan(want)));
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

/* Times are in the .dat on request only. */
static void test_no_times(void **state)
{
    fake *a = fake_create("a", "two-moons");
    wlab_view_request q = {.run = &a->run, .runs = 1};
    wlab_buf dat = {0}, again = {0}, gp = {0};
    (void)state;
    for (int v = 0; wlab_views[v].name; v++) {
        dat_of(wlab_views[v].name, &q, &dat, &gp);
        for (int i = 0; i < ROWS; i++)
            a->metric[i][SECONDS] += 1;
        dat_of(wlab_views[v].name, &q, &again, &gp);
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
    for (int v = 0; wlab_views[v].name; v++)
        if (strcmp(wlab_views[v].name, "boundary") != 0) { /* which shows the start too */
            ASSERT_FAILS(wlab_view_draw(v, &f, &q, &err), WL_ESTATE, err,
                         "nothing to draw yet in run a: `step` first");
            wlab_figure_clear(&f);
        }
    ASSERT_OK(wlab_view_draw(view_named("boundary"), &f, &q, &err), err);
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
    a->algo.weights = NULL;
    ASSERT_FAILS(wlab_view_draw(view_named("mu"), &f, &q, &err), WL_ESTATE, err, "keeps no weights");
    wlab_figure_clear(&f);
    a->algo.metrics = metric_table + TEMPERATURE - 1; /* seconds first, of which this view knows nothing */
    ASSERT_OK(wlab_view_draw(view_named("loss"), &f, &q, &err), err);
    wlab_figure_clear(&f);
    static const wlab_metric_info plain[] = {{.name = "objective"}, {.name = NULL}};
    a->algo.metrics = plain;
    ASSERT_FAILS(wlab_view_draw(view_named("loss"), &f, &q, &err), WL_ESTATE, err, "neither a temperature");
    a->algo.metrics = metric_table;
    q.vs_given = true;
    ASSERT_FAILS(wlab_view_draw(view_named("loss"), &f, &q, &err), WL_EARG, err, "leave out `vs iter`");
    q.vs_given = false;
    ASSERT_OK(wlab_params_set(a->params, "lambda_u", "0", &err), err);
    ASSERT_FAILS(wlab_view_draw(view_named("loss"), &f, &q, &err), WL_ESTATE, err, "lambda_u is 0");
    ASSERT_OK(wlab_params_set(a->params, "lambda_u", "2", &err), err);
    wlab_figure_clear(&f);
    /* a model that cannot be had is said in the picture, which shows the points */
    a->algo.model = NULL;
    ASSERT_OK(wlab_view_draw(view_named("boundary"), &f, &q, &err), err);
    assert_non_null(strstr(f.title[f.titles - 1], "no decision line: wellsvm makes no model"));
    assert_int_equal(f.blocks, 1);
    wlab_figure_clear(&f);
    ASSERT_OK(wlab_view_draw(view_named("loss"), &f, &q, &err), err);
    assert_non_null(strstr(f.title[f.titles - 1], "no outputs: the model is not made yet"));
    assert_int_equal(f.blocks, 2);
    wlab_figure_clear(&f);
    fake_destroy(a);
    fake_destroy(b);
}

static void test_overlay(void **state)
{
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
    /* of different algorithms: in the legend, and in the title of many runs */
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
    ASSERT_HOLDS(gp, ",  d: second");
    b->algo.name = name;
    for (int v = 0; wlab_views[v].name; v++) {
        wlab_figure f;
        wlab_err err;
        char stem[64];
        if (!strcmp(wlab_views[v].name, "mu") || wlab_view_of_model(v))
            continue;
        wlab_figure_init(&f, false);
        ASSERT_OK(wlab_view_draw(v, &f, &q, &err), err);
        snprintf(stem, sizeof stem, "%s-overlay", wlab_views[v].name);
        save_figure(&f, WL_PNG, folder, stem);
        wlab_figure_clear(&f);
    }
    wlab_buf_clear(&dat);
    wlab_buf_clear(&gp);
    fake_destroy(a);
    fake_destroy(b);
}

/* Values that leave gnuplot without a range, or beyond one. */
static void test_degenerate_ranges(void **state)
{
    static const double values[] = {0, 1, -1, 1e-300, 1e300, -1e300, 1e-5, 19.000000000000004, INFINITY, NAN};
    fake *a = fake_create("a", "two-moons");
    (void)state;
    for (size_t k = 0; k < sizeof values / sizeof *values; k++)
        for (int rows = 2; rows <= 3; rows++)
            for (int v = 0; v < view_named("mu"); v++) {
                wlab_view_request q = {.run = &a->run, .runs = 1};
                wlab_figure f;
                wlab_err err;
                a->run.rows = rows;
                for (int i = 0; i < rows; i++)
                    for (int m = 0; m < SECONDS; m++)
                        a->metric[i][m] = values[k];
                a->metric[0][OBJECTIVE] = 19;
                wlab_figure_init(&f, true);
                wlab_code code = wlab_view_draw(v, &f, &q, &err);
                if (code && isfinite(values[k]))
                    fail_msg("%s of %g: %s", wlab_views[v].name, values[k], err.message);
                if (!code)
                    save_figure(&f, WL_TXT, NULL, NULL);
                else
                    assert_int_equal(code, WL_ESTATE);
                wlab_figure_clear(&f);
            }
    fake_destroy(a);
}

static wlab_code draw_and_write(int view, const wlab_view_request *q, bool write)
{
    wlab_figure f;
    wlab_buf out = {0};
    wlab_figure_init(&f, false);
    wlab_code code = wlab_view_draw(view, &f, q, NULL);
    if (!code && write) {
        code = wlab_figure_dat(&f, &out, NULL);
        code = code ? code : wlab_figure_gp(&f, "dumb", "x.dat", "x.txt", NULL, &out, NULL);
    }
    wlab_figure_clear(&f);
    wlab_buf_clear(&out);
    return code;
}

static void test_memory_runs_out(void **state)
{
    fake *a = fake_create("a", "two-moons"), *b = fake_create("b", "two-moons");
    wlab_view_run two[2] = {a->run, b->run};
    (void)state;
    for (int v = 0; wlab_views[v].name; v++) {
        bool boundary = !strcmp(wlab_views[v].name, "boundary"),
             one = wlab_view_of_model(v) || !strcmp(wlab_views[v].name, "mu");
        wlab_view_request q = {.run = two, .runs = one ? 1 : 2};
        ALLOC_SWEEP(draw_and_write(v, &q, !boundary)); /* its megabyte of grid is written like the others */
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

static void live(const char *view, const wlab_view_run *run, wlab_figure *f)
{
    wlab_view_request q = {.run = run, .runs = 1, .live = true, .columns = 100, .grid_x = 40, .grid_y = 24};
    wlab_err err;
    wlab_figure_init(f, false);
    ASSERT_OK(wlab_view_draw(view_named(view), f, &q, &err), err);
    assert_false(f->failed);
}

/* All views but for the model draw the same from a mirror; without a model there are the points. */
static void test_mirror(void **state)
{
    fake *a = fake_create("a", "two-moons");
    wlab_mirror m = mirror_of(a);
    wlab_view_run run = wlab_view_run_of_mirror(&m);
    (void)state;
    for (int v = 0; wlab_views[v].name; v++) {
        wlab_view_request q = {.run = &run, .runs = 1};
        wlab_buf own = {0}, mirrored = {0}, gp = {0};
        if (wlab_view_of_model(v))
            continue;
        dat_of(wlab_views[v].name, &q, &mirrored, &gp);
        q.run = &a->run;
        dat_of(wlab_views[v].name, &q, &own, &gp);
        assert_string_equal((char *)own.data, (char *)mirrored.data);
        wlab_buf_clear(&own);
        wlab_buf_clear(&mirrored);
        wlab_buf_clear(&gp);
    }
    wlab_figure f;
    live("boundary", &run, &f);
    assert_non_null(strstr(f.title[f.titles - 1], "no decision line: the model is not made yet"));
    assert_null(series_marked(&f, '*', WL_D_CONTOUR));
    assert_int_equal(points_of(&f, series_marked(&f, 'A', WL_D_POINTS)), 2);
    assert_int_equal(points_of(&f, series_marked(&f, 'B', WL_D_POINTS)), 2);
    assert_int_equal(points_of(&f, series_marked(&f, '#', WL_D_POINTS)), 4);
    wlab_figure_clear(&f);
    m.rows = 1; /* before the first step */
    run = wlab_view_run_of_mirror(&m);
    live("boundary", &run, &f);
    wlab_figure_clear(&f);
    fake_destroy(a);
}

/* The grid of a live picture is the model's, of the size asked for; the title says when the model is older. */
static void test_live_boundary(void **state)
{
    fake *a = fake_create("a", "two-moons");
    wlab_mirror m = mirror_of(a);
    wlab_err err;
    wlab_figure f;
    (void)state;
    ASSERT_OK(fake_model(a, &m.model, NULL, &err), err);
    m.model->b = 0.25;
    m.model_iter = ROWS - 2;
    wlab_view_run run = wlab_view_run_of_mirror(&m);
    live("boundary", &run, &f);
    assert_non_null(strstr(f.title[f.titles - 1], "decision line of step 7"));
    assert_int_equal(f.block[1].scan, 40);
    assert_int_equal(f.block[1].rows, 40 * 24);
    assert_non_null(series_marked(&f, '*', WL_D_CONTOUR));
    wlab_matrix *grid = NULL;
    double want[40 * 24];
    ASSERT_OK(wlab_matrix_create_dense(&grid, 40 * 24, 2, &err), err);
    for (int k = 0; k < 40 * 24; k++) {
        grid->start[k] = 2 * k;
        grid->len[k] = 2;
        memcpy(grid->dense + 2 * k, f.block[1].value + 3 * k, 2 * sizeof(double));
    }
    ASSERT_OK(wlab_model_predict(m.model, grid, want, NULL, &err), err);
    for (int k = 0; k < 40 * 24; k++) {
        const double *row = f.block[1].value + 3 * k;
        ASSERT_NEAR(row[2], want[k], 1e-12);
        assert_true(wlab_figure_value(&f, row[0], row[1]) == row[2]);
    }
    double lo = 0, hi = 0;
    for (int k = 0; k < 40 * 24; k++) {
        lo = fmin(lo, want[k]);
        hi = fmax(hi, want[k]);
    }
    assert_true(lo < 0 && hi > 0);
    wlab_matrix_destroy(grid);
    wlab_figure_clear(&f);
    wlab_model_destroy(m.model);
    fake_destroy(a);
}

/* Many rows: some thousand are drawn, the labelled and the flipped all. */
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
        visible[i] = (int8_t)(i % 3000 == 7 ? labels[i] : 0);
    }
    a->problem.X = X;
    a->problem.n = MANY;
    a->problem.visible = visible;
    m.labels = labels;
    m.labels_before = before;
    wlab_view_run run = wlab_view_run_of_mirror(&m);
    live("boundary", &run, &f);
    assert_true(f.block[0].rows > 3000 && f.block[0].rows < 4200);
    assert_int_equal(points_of(&f, series_marked(&f, '#', WL_D_POINTS)), 30);
    assert_int_equal(points_of(&f, series_marked(&f, 'A', WL_D_POINTS)), 10);
    char said[500] = "";
    for (int i = 0; i < f.titles; i++) {
        strcat(said, f.title[i]);
        strcat(said, " ");
    }
    assert_non_null(strstr(said, "1 in 8 of the other rows drawn"));
    assert_non_null(strstr(series_marked(&f, '+', WL_D_POINTS)->title, ": 15000 in all")); /* of all */
    wlab_figure_clear(&f);
    wlab_matrix_destroy(X);
    free(labels);
    fake_destroy(a);
}

/* Long runs: curves keep their extremes; of very many weights there are the heaviest. */
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
    live("objective", &run, &f);
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
    live("flips", &run, &f);
    assert_true(f.block[0].rows < 1000);
    wlab_figure_clear(&f);
    live("mu", &run, &f);
    assert_int_equal(f.nseries, 7);
    assert_string_equal(f.block[0].column[2 + 5], "y51");
    assert_non_null(strstr(f.title[f.titles - 1], "the 7 largest of 80"));
    wlab_figure_clear(&f);
    a->algo.weights_name = "temperature";
    live("mu", &run, &f);
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
        cmocka_unit_test(test_loss),
        cmocka_unit_test(test_loss_sampled),
        cmocka_unit_test(test_no_times),
        cmocka_unit_test(test_gap_without_lower_bound),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_overlay),
        cmocka_unit_test(test_degenerate_ranges),
        cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_style_file),
        cmocka_unit_test(test_mirror),
        cmocka_unit_test(test_live_boundary),
        cmocka_unit_test(test_live_thinned),
        cmocka_unit_test(test_live_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
