/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Generators: the properties that their descriptions state, and comparisons with the reference program of topics and
 * with the authors' points of llp-toy.
 */
#include "support.h"

#include "data/generators/generate.h"
#include "made.h"
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

static wlab_dataset *generate_or_fail(const char *kind, const char *text)
{
    wlab_err err = {0};
    wlab_dataset *data = made_data(kind, text, &err);
    if (!data)
        fail_msg("generate %s %s: %s", kind, text, err.message);
    return data;
}

static const char *small_settings(const char *kind)
{
    return strcmp(kind, "topics") == 0     ? "n=60 d=300 labeled=6"
           : strcmp(kind, "roi-bags") == 0 ? "bags=6 most=20 dims=4"
           : strcmp(kind, "blobs") == 0    ? "n=31 classes=3"
           : strcmp(kind, "g241d") == 0    ? "n=31 dims=9"
           : strcmp(kind, "g241c") == 0    ? "n=31 dims=9"
           : strcmp(kind, "formula") == 0  ? "n=31 f=x1^2+max(x2,x3)-1"
                                           : "n=31";
}

/* Equal settings give equal bytes, another seed gives others, and the source line reproduces the data. */
static void every_generator(void **state)
{
    (void)state;
    for (size_t g = 0; wlab_generators[g]; g++) {
        const wlab_generator *generator = wlab_generators[g];
        const char *text = small_settings(generator->name);
        char other[100], command[64];
        snprintf(other, sizeof other, "%s seed=2", text);
        snprintf(command, sizeof command, "generate %s ", generator->name);
        wlab_dataset *a = generate_or_fail(generator->name, text),
                     *b = generate_or_fail(generator->name, other);
        assert_string_equal(a->name, generator->name);
        assert_memory_equal(a->source, command, strlen(command));
        wlab_dataset *c = generate_or_fail(generator->name, a->source + strlen(command));
        assert_string_equal(a->sha256, c->sha256);
        assert_string_not_equal(a->sha256, b->sha256);
        assert_string_equal(a->source, c->source);
        assert_int_equal(strlen(a->sha256), 64);
        int64_t n = a->X->rows, nnz = 0;
        for (int64_t i = 0; i < n; i++) {
            assert_in_range(a->label[i], 0, a->classes - 1);
            for (int32_t j = 0; j < a->X->cols; j++) {
                double x = wlab_matrix_at(a->X, i, j);
                assert_true(isfinite(x));
                nnz += x < 0 || x > 0;
            }
        }
        assert_int_equal(a->X->nnz, nnz);
        wlab_dataset_unref(a);
        wlab_dataset_unref(b);
        wlab_dataset_unref(c);
    }
    assert_null(wlab_generator_find("three-moons"));
}

static wlab_code attempt(const char *kind)
{
    wlab_err err = {0};
    wlab_dataset *data = made_data(kind, small_settings(kind), &err);
    wlab_dataset_unref(data);
    return data ? WL_OK : err.code;
}

static void out_of_memory(void **state)
{
    (void)state;
    for (size_t g = 0; wlab_generators[g]; g++)
        ALLOC_SWEEP(attempt(wlab_generators[g]->name));
}

static int64_t class_size(const wlab_dataset *data, int32_t c)
{
    int64_t size = 0;
    for (int64_t i = 0; i < data->X->rows; i++)
        size += data->label[i] == c;
    return size;
}

static void two_moons(void **state)
{
    (void)state;
    wlab_dataset *data = generate_or_fail("two-moons", "n=201 noise=0 seed=3");
    assert_int_equal(class_size(data, 0), 101);
    assert_string_equal(data->class_name[1], "+1");
    int64_t switches = 0;
    for (int64_t i = 0; i < 201; i++) {
        double x = data->X->dense[2 * i], y = data->X->dense[2 * i + 1];
        if (data->label[i] == 0) {
            x = 1 - x;
            y = 0.5 - y;
        }
        assert_true(fabs(x * x + y * y - 1) < 1e-12 && y > -1e-12);
        switches += i > 0 && data->label[i] != data->label[i - 1];
    }
    assert_true(switches > 60); /* the rows are not sorted by class */
    wlab_dataset_unref(data);
    data = generate_or_fail("two-moons", "n=200 dims=102 noise=0.3");
    assert_int_equal(data->X->cols, 102);
    double square = 0;
    for (int64_t i = 0; i < 200; i++) {
        for (int64_t j = 2; j < 102; j++)
            square += pow(data->X->dense[i * 102 + j], 2);
    }
    assert_true(fabs(sqrt(square / 20000) - 0.3) < 0.3 * 4 / sqrt(40000));
    wlab_dataset_unref(data);
}

static void g50c(void **state)
{
    (void)state;
    wlab_dataset *data = generate_or_fail("g50c", "n=20000");
    int64_t wrong = 0;
    for (int64_t i = 0; i < 20000; i++) {
        double sum = 0;
        for (int64_t j = 0; j < 50; j++)
            sum += data->X->dense[i * 50 + j];
        wrong += (sum > 0) != (data->label[i] == 1);
    }
    /* the error of the best possible classifier is 5 %, within four standard deviations of a binomial */
    assert_true(fabs((double)wrong / 20000 - 0.05) < 4 * sqrt(0.05 * 0.95 / 20000));
    wlab_dataset_unref(data);
    data = generate_or_fail("g50c", "");
    assert_int_equal(data->X->rows, 550);
    assert_int_equal(data->X->cols, 50);
    assert_int_equal(class_size(data, 1), 275);
    wlab_dataset_unref(data);
}

static void check_standardised(const wlab_matrix *X)
{
    for (int32_t j = 0; j < X->cols; j++) {
        double sum = 0, square = 0;
        for (int64_t i = 0; i < X->rows; i++) {
            sum += X->dense[i * X->cols + j];
            square += pow(X->dense[i * X->cols + j], 2);
        }
        assert_true(fabs(sum / (double)X->rows) < 1e-12);
        assert_true(fabs(square / (double)X->rows - 1) < 1e-12);
    }
}

/* The distance between the means of two sets of rows; the sampling noise is subtracted from its square. */
static double centre_distance(const wlab_matrix *X, const bool *in_a, const bool *in_b)
{
    double square = 0, na = 0, nb = 0;
    for (int64_t i = 0; i < X->rows; i++) {
        na += in_a[i];
        nb += in_b[i];
    }
    for (int32_t j = 0; j < X->cols; j++) {
        double a = 0, b = 0;
        for (int64_t i = 0; i < X->rows; i++) {
            double x = X->dense[i * X->cols + j];
            a += in_a[i] ? x : 0;
            b += in_b[i] ? x : 0;
        }
        square += pow(a / na - b / nb, 2);
    }
    return sqrt(square - X->cols * (1 / na + 1 / nb));
}

static void g241c(void **state)
{
    (void)state;
    static bool positive[1500], negative[1500];
    wlab_dataset *data = generate_or_fail("g241c", "");
    assert_int_equal(data->X->rows, 1500);
    assert_int_equal(data->X->cols, 241);
    assert_int_equal(class_size(data, 1), 750);
    check_standardised(data->X);
    for (int64_t i = 0; i < 1500; i++) {
        positive[i] = data->label[i] == 1;
        negative[i] = !positive[i];
    }
    assert_true(fabs(centre_distance(data->X, positive, negative) - 2.5) < 0.25);
    wlab_dataset_unref(data);
}

/* The direction of the largest variance separates the clusters, and the clusters are unrelated to the classes. */
static void g241d(void **state)
{
    (void)state;
    enum {
        D = 241,
        N = 1500
    };
    static bool group[4][N];
    static double output[N];
    double v[D], length;
    wlab_dataset *data = generate_or_fail("g241d", "");
    check_standardised(data->X);
    for (int j = 0; j < D; j++)
        v[j] = 1 + j % 3;
    for (int round = 0; round < 30; round++) {
        double w[D] = {0};
        wlab_matrix_mul(data->X, v, output, NULL);
        for (int64_t i = 0; i < N; i++)
            wlab_matrix_row_axpy(data->X, i, output[i], w);
        length = 0;
        for (int j = 0; j < D; j++)
            length += w[j] * w[j];
        for (int j = 0; j < D; j++)
            v[j] = w[j] / sqrt(length);
    }
    wlab_matrix_mul(data->X, v, output, NULL);
    int64_t size[4] = {0};
    for (int64_t i = 0; i < N; i++) {
        int g = 2 * (output[i] > 0) + (data->label[i] == 1);
        group[g][i] = true;
        size[g]++;
    }
    for (int g = 0; g < 4; g++)
        assert_in_range(size[g], 370, 380);
    double ends = centre_distance(data->X, group[1], group[3]);
    assert_true(fabs(ends - 6) < 0.4);
    assert_true(fabs(centre_distance(data->X, group[0], group[1]) - 2.5) < 0.4);
    assert_true(fabs(centre_distance(data->X, group[2], group[3]) - 2.5) < 0.4);
    wlab_dataset_unref(data);
}

static void blobs_and_rings(void **state)
{
    (void)state;
    wlab_dataset *data = generate_or_fail("blobs", "n=31 classes=3 dims=4 spread=0 box=2");
    assert_string_equal(data->class_name[2], "3");
    const double *first[3] = {NULL, NULL, NULL};
    for (int64_t i = 0; i < 31; i++) {
        const double *x = data->X->dense + 4 * i, **centre = &first[data->label[i]];
        *centre = *centre ? *centre : x;
        assert_memory_equal(x, *centre, 4 * sizeof *x);
        assert_true(fabs(x[0]) <= 2 && fabs(x[3]) <= 2);
    }
    wlab_dataset_unref(data);
    data = generate_or_fail("ring-clusters", "n=90 rings=3 noise=0");
    for (int64_t i = 0; i < 90; i++)
        assert_true(fabs(hypot(data->X->dense[2 * i], data->X->dense[2 * i + 1]) - data->label[i] - 1) <
                    1e-12);
    assert_int_equal(class_size(data, 2), 30);
    wlab_dataset_unref(data);
}

static void llp_toy(void **state)
{
    (void)state;
    wlab_dataset *data = generate_or_fail("llp-toy", "n=2000");
    double mean[2][2] = {{0}}, bag_sum[2] = {0};
    int64_t right = 0;
    assert_int_equal(data->bags, 2);
    for (int64_t i = 0; i < 2000; i++) {
        double sum = data->X->dense[2 * i] + data->X->dense[2 * i + 1];
        bag_sum[data->bag[i]] += sum / 1000;
        mean[data->bag[i]][data->label[i]] += sum / 2;
        right += (sum < 0) == (data->label[i] == 1);
    }
    assert_int_equal(class_size(data, 1), 1000);
    assert_true(bag_sum[0] > 0.05 && bag_sum[1] < -0.05); /* positive rows have a negative sum */
    assert_true(right > 1960);
    wlab_dataset_unref(data);
    data = generate_or_fail("llp-toy", "n=505 bags=5"); /* more bags, alternately of both kinds */
    double positive[5] = {0}, of[5] = {0}, at[5] = {0};
    assert_int_equal(data->bags, 5);
    for (int64_t i = 0; i < 505; i++) {
        positive[data->bag[i]] += data->label[i];
        of[data->bag[i]]++;
        at[data->bag[i]] += data->X->dense[2 * i] + data->X->dense[2 * i + 1];
    }
    for (int b = 0; b < 5; b++) {
        assert_true(of[b] == 101 && fabs(positive[b] / 101 - (b % 2 ? 0.4 : 0.6)) < 0.01);
        assert_true(b % 2 ? at[b] < 0 : at[b] > 0);
    }
    wlab_dataset_unref(data);
}

/* The authors' points form groups of 60 and 40 rows around the centres that the generator uses. */
static void llp_toy_reference(void **state)
{
    (void)state;
    FILE *file = fopen(SHARED_OR_SKIP("datasets/llp/psvm_toy.csv"), "r");
    assert_non_null(file);
    wlab_dataset *data = generate_or_fail("llp-toy", "n=2000");
    double theirs[2][2] = {{0}}, ours[2][2] = {{0}}, many[2][2] = {{0}}, x, y;
    int bag, label;
    char line[200];
    for (int64_t i = 0; i < 2000; i++)
        ours[data->bag[i]][data->label[i]] += (data->X->dense[2 * i] + data->X->dense[2 * i + 1]) / 2;
    assert_non_null(fgets(line, sizeof line, file));
    while (fgets(line, sizeof line, file) && sscanf(line, "%lf,%lf,%d,%d", &x, &y, &bag, &label) == 4) {
        theirs[bag - 1][label > 0] += (x + y) / 2;
        many[bag - 1][label > 0] += 1;
    }
    fclose(file);
    for (int b = 0; b < 2; b++) {
        for (int c = 0; c < 2; c++) {
            double size = (b == 0) == (c == 1) ? 60 : 40;
            ASSERT_NEAR(many[b][c], size, 1e-9);
            assert_true(fabs(theirs[b][c] / size - ours[b][c] / (10 * size)) < 0.05);
        }
    }
    wlab_dataset_unref(data);
}

static void roi_bags(void **state)
{
    (void)state;
    wlab_err err = {0};
    wlab_bag_summary b;
    wlab_dataset *data =
        generate_or_fail("roi-bags", "bags=400 positive=0.25 least=10 most=40 rois=5 dims=6");
    ASSERT_OK(wlab_dataset_bag_summary(data, 1, &b, &err), err);
    assert_int_equal(b.bags, 400);
    assert_int_equal(b.positive, 100);
    assert_int_equal(b.negative, 300);
    assert_int_equal(b.smallest, 10);
    assert_int_equal(b.largest, 40);
    assert_true(fabs(b.median - 25) < 3 && b.instances_known);
    assert_true(fabs((double)class_size(data, 1) / 100 - 5) <
                0.7); /* 3 standard deviations of a mean of 100 */
    int64_t together = 0;
    for (int64_t i = 1; i < data->X->rows; i++) {
        assert_in_range(data->bag[i] - data->bag[i - 1], 0, 1);
        together += data->bag[i] == data->bag[i - 1] && data->label[i] && data->label[i - 1];
    }
    assert_true(together < class_size(data, 1) / 2); /* at random places in their bags */
    wlab_dataset_unref(data);

    /* without noise and light every region is a centre: appearances are at their distance from a background, and no
     * row of a negative bag is one of them */
    data = generate_or_fail("roi-bags", "bags=60 noise=0 light=0 clutter=4 modes=2 distance=3 dims=5 rois=3");
    const wlab_matrix *X = data->X;
    double centre[64][5];
    int centres = 0, appearances = 0, is_appearance[64] = {0};
    for (int64_t i = 0; i < X->rows; i++) {
        int c = 0;
        while (c < centres && memcmp(centre[c], X->dense + 5 * i, sizeof centre[c]) != 0)
            c++;
        if (c == centres) {
            memcpy(centre[centres], X->dense + 5 * i, sizeof centre[c]);
            is_appearance[centres++] = data->label[i];
        }
        assert_int_equal(is_appearance[c], data->label[i]);
        assert_true(centres < 64);
    }
    assert_int_equal(centres, 6);
    for (int c = 0; c < centres; c++) {
        double near = INFINITY, norm = 0;
        for (int k = 0; k < centres; k++) {
            double square = 0;
            for (int j = 0; j < 5; j++)
                square += (centre[c][j] - centre[k][j]) * (centre[c][j] - centre[k][j]);
            if (!is_appearance[k] && k != c)
                near = fmin(near, fabs(sqrt(square) - 3));
        }
        for (int j = 0; j < 5; j++)
            norm += centre[c][j] * centre[c][j];
        if (is_appearance[c])
            assert_true(near < 1e-12);
        else
            ASSERT_NEAR(sqrt(norm), 5, 1e-12);
        appearances += is_appearance[c];
    }
    assert_int_equal(appearances, 2);
    wlab_dataset_unref(data);

    data = generate_or_fail(
        "roi-bags", "bags=3 positive=0.99 least=1 most=1 rois=100"); /* at least one bag stays negative */
    assert_int_equal(data->X->rows, 3);
    assert_int_equal(class_size(data, 1), 2);
    wlab_dataset_unref(data);
    const wlab_generator *generator = wlab_generator_find("roi-bags");
    wlab_params *params = made_params(generator->params, "least=9 most=8", &err);
    assert_non_null(params);
    ASSERT_FAILS(wlab_dataset_generate(&data, generator, NULL, params, NULL, &err), WL_EARG, err, "most=8");
    wlab_params_destroy(params);
}

static bool run(char *const *argv)
{
    pid_t pid;
    int status;
    if (posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ))
        return false;
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* The generator's rows equal those that the reference program wrote with six digits. */
static void compare_topics(const char *folder, const char *settings, char *const *words)
{
    char out[300], path[400], program[300];
    snprintf(out, sizeof out, "%s/out", folder);
    snprintf(program, sizeof program, "%s/topics", folder);
    char *argv[] = {program,  out,      words[0], words[1], words[2], words[3], words[4],
                    words[5], words[6], words[7], words[8], words[9], NULL};
    assert_true(run(argv));
    wlab_dataset *data = generate_or_fail("topics", settings);
    snprintf(path, sizeof path, "%s.svm_all", out);
    FILE *rows = fopen(path, "r");
    snprintf(path, sizeof path, "%s.truth", out);
    FILE *truth = fopen(path, "r");
    assert_true(rows && truth);
    for (int64_t i = 0; i < data->X->rows; i++) {
        int given, label, column, next;
        double value;
        assert_int_equal(fscanf(rows, "%d", &given), 1);
        assert_int_equal(fscanf(truth, "%d", &label), 1);
        assert_int_equal(label, data->label[i] ? 1 : -1);
        assert_int_equal(given, data->given[i] < 0 ? 0 : label);
        while ((next = getc(rows)) == ' ') {
            assert_int_equal(fscanf(rows, "%d:%lf", &column, &value), 2);
            double ours = wlab_matrix_at(data->X, i, column - 1);
            assert_true(fabs(ours - value) <= 5.2e-6 * value);
        }
        assert_int_equal(next, '\n');
    }
    int64_t entries = 0;
    rewind(rows);
    for (int c = getc(rows); c != EOF; c = getc(rows))
        entries += c == ':';
    assert_int_equal(entries, data->X->nnz);
    fclose(rows);
    fclose(truth);
    const char *const ends[] = {"ex", "lab", "truth", "svm_l", "svm_u", "svm_all"};
    for (int e = 0; e < 6; e++) {
        snprintf(path, sizeof path, "%s.%s", out, ends[e]);
        unlink(path);
    }
    wlab_dataset_unref(data);
}

static void topics_reference(void **state)
{
    (void)state;
    const char *source = SHARED_OR_SKIP("bench/topics.c");
    char folder[] = "/tmp/weaklab-topics-XXXXXX", program[100];
    assert_non_null(mkdtemp(folder));
    snprintf(program, sizeof program, "%s/topics", folder);
    char *cc[] = {"cc", "-O2", "-o", program, (char *)(uintptr_t)source, "-lm", NULL};
    assert_true(run(cc));
    char *small[] = {"1460", "7511", "62", "3", "0.5", "0.10", "0.10", "0.08", "50", "2"};
    compare_topics(folder,
                   "n=1460 d=7511 meanlen=62 topics=3 positive=0.5 noise=0.10 topic-share=0.10 "
                   "class-share=0.08 labeled=50 seed=2",
                   small);
    char *other[] = {"400", "900", "250", "1", "0.35", "0", "0.3", "0.2", "7", "11"};
    compare_topics(folder,
                   "n=400 d=900 meanlen=250 topics=1 positive=0.35 noise=0 topic-share=0.3 "
                   "class-share=0.2 labeled=7 seed=11",
                   other);
    unlink(program);
    rmdir(folder);
}

/* The accuracy, on every other row, of the linear classifier whose weights are the difference of the sums of the two
 * classes over the remaining rows. */
static double centroid_accuracy(const wlab_dataset *data)
{
    int32_t d = data->X->cols;
    double *w = calloc((size_t)d, sizeof *w), right = 0, tested = 0;
    assert_non_null(w);
    for (int64_t i = 0; i < data->X->rows; i += 2)
        wlab_matrix_row_axpy(data->X, i, data->label[i] ? 1 : -1, w);
    for (int64_t i = 1; i < data->X->rows; i += 2) {
        right += (wlab_matrix_row_dot(data->X, i, w) > 0) == (data->label[i] == 1);
        tested++;
    }
    free(w);
    return right / tested;
}

static void topics_properties(void **state)
{
    (void)state;
    wlab_dataset *apart =
        generate_or_fail("topics", "n=2000 d=3000 noise=0 topic-share=0.3 class-share=0.3 labeled=0");
    wlab_dataset *same = generate_or_fail(
        "topics", "n=2000 d=3000 noise=0 topic-share=0.3 class-share=0.3 labeled=0 overlap=1");
    assert_null(apart->given);
    assert_true(centroid_accuracy(apart) > 0.95);
    assert_true(fabs(centroid_accuracy(same) - 0.5) < 0.08);
    for (int64_t i = 0; i < 2000; i++) {
        assert_true(fabs(wlab_matrix_row_sqnorm(apart->X, i) - 1) < 1e-6);
        for (int32_t e = 1; e < apart->X->len[i]; e++)
            assert_true(apart->X->col[apart->X->start[i] + e - 1] < apart->X->col[apart->X->start[i] + e]);
    }
    wlab_dataset_unref(apart);
    wlab_dataset_unref(same);
    wlab_err err = {0};
    assert_null(made_data("topics", "n=10 d=100 labeled=11", &err));
    assert_int_equal(err.code, WL_EARG);
}

static void same_hash(const wlab_dataset *data, bool same)
{
    char hex[65];
    assert_int_equal(wlab_dataset_sha256(data, hex, NULL, NULL), WL_OK);
    assert_int_equal(strcmp(hex, data->sha256) == 0, same);
}

/* The hash depends on the entries, their columns, the number of columns, the labels, the given labels and the bags. */
static void content_hash(void **state)
{
    (void)state;
    wlab_dataset *data = generate_or_fail("topics", "n=60 d=300 labeled=6");
    wlab_matrix *X = data->X;
    float value = X->val[X->nnz - 1];
    int32_t column = X->col[X->start[59]];
    same_hash(data, true);
    X->val[X->nnz - 1] += 1;
    same_hash(data, false);
    X->val[X->nnz - 1] = value;
    X->col[X->start[59]] = column + 1;
    same_hash(data, false);
    X->col[X->start[59]] = column;
    data->label[59] = !data->label[59];
    same_hash(data, false);
    data->label[59] = !data->label[59];
    data->given[59]--;
    same_hash(data, false);
    data->given[59]++;
    X->cols++;
    same_hash(data, false);
    X->cols--;
    same_hash(data, true);
    wlab_dataset_unref(data);
    data = generate_or_fail("llp-toy", "n=20");
    data->bag[19] = 0;
    same_hash(data, false);
    data->bag[19] = 1;
    data->X->dense[39] += 1;
    same_hash(data, false);
    wlab_dataset_unref(data);
}

/* The files that the project ships are those that their list describes. */
static void shipped(void **state)
{
    (void)state;
    FILE *list = fopen("datasets/MADE", "r");
    char line[1024], name[128], kind[64], path[256];
    int files = 0;
    assert_non_null(list);
    while (fgets(line, sizeof line, list)) {
        int settings = 0;
        line[strcspn(line, "\n")] = 0;
        if (line[0] == '#' || sscanf(line, "%127s %63s %n", name, kind, &settings) < 2)
            continue;
        wlab_err err = {0};
        wlab_buf text = {0};
        wlab_dataset *data = generate_or_fail(kind, line + settings);
        ASSERT_OK(wlab_libsvm_write(data, &text, &err), err);
        snprintf(path, sizeof path, "datasets/%s", name);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        char *shipped_text = malloc(text.len + 1);
        assert_non_null(shipped_text);
        assert_int_equal(fread(shipped_text, 1, text.len + 1, file), text.len);
        assert_memory_equal(shipped_text, text.data, text.len);
        assert_true(text.len < 100000);
        fclose(file);
        free(shipped_text);
        wlab_buf_clear(&text);
        wlab_dataset_unref(data);
        files++;
    }
    fclose(list);
    assert_int_equal(files, 7);
}

static void interrupted(void **state)
{
    (void)state;
    atomic_int stop = 1;
    wlab_ctx ctx = {.interrupt = &stop};
    wlab_err err = {0};
    wlab_dataset *data;
    const wlab_generator *topics = wlab_generator_find("topics");
    wlab_params *params = made_params(topics->params, "n=100 d=100", &err);
    assert_non_null(params);
    assert_int_equal(wlab_dataset_generate(&data, topics, NULL, params, &ctx, &err), WL_EINTERRUPTED);
    assert_null(data);
    wlab_params_destroy(params);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_generator),
        cmocka_unit_test(out_of_memory),
        cmocka_unit_test(two_moons),
        cmocka_unit_test(g50c),
        cmocka_unit_test(g241c),
        cmocka_unit_test(g241d),
        cmocka_unit_test(blobs_and_rings),
        cmocka_unit_test(llp_toy),
        cmocka_unit_test(llp_toy_reference),
        cmocka_unit_test(roi_bags),
        cmocka_unit_test(topics_reference),
        cmocka_unit_test(topics_properties),
        cmocka_unit_test(interrupted),
        cmocka_unit_test(shipped),
        cmocka_unit_test(content_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
