/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The command `plot` in a session: files, text, JSON, where a script may write, refusals.
 */
#include "plot/plot.h"
#include "plot/views/view.h"
#include "support.h"
#include <dirent.h>
#include <sys/stat.h>

typedef struct fixture {
    char folder[64];
    wlab_session *session;
    wlab_sink sink;
    wlab_places places;
    wlab_buf text, messages;
    json_t *object; /* the last */
} fixture;

static void on_text(void *self, const char *text)
{
    assert_int_equal(wlab_buf_printf(&((fixture *)self)->text, "%s", text), WL_OK);
}
static void on_message(void *self, const char *text)
{
    assert_int_equal(wlab_buf_printf(&((fixture *)self)->messages, "%s\n", text), WL_OK);
}
static void on_object(void *self, const json_t *object)
{
    fixture *f = self;
    json_decref(f->object);
    f->object = json_deep_copy(object);
}

static void exec_line(fixture *f, const char *text)
{
    wlab_err err;
    ASSERT_OK(wlab_session_line(f->session, text, WL_FROM_SCRIPT, "test", 1, &err), err);
}

static const char *build(void)
{
    return "this-test";
}

static fixture *create_empty_fixture(bool json)
{
    static const char *const none[] = {NULL};
    fixture *f = calloc(1, sizeof *f);
    wlab_err err;
    assert_non_null(f);
    strcpy(f->folder, "/tmp/weaklab-test-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    f->sink =
        (wlab_sink){.text = on_text, .message = on_message, .object = on_object, .json = json, .self = f};
    f->places = (wlab_places){.data_dirs = none, .script_dirs = none, .out_dir = f->folder, .build = build};
    ASSERT_OK(wlab_session_create(&f->session, &f->sink, &f->places, 1, 1, &err), err);
    ASSERT_OK(wlab_plot_register(f->session, &err), err);
    return f;
}

static fixture *create_fixture(bool json)
{
    fixture *f = create_empty_fixture(json);
    exec_line(f, "generate two-moons n=40 seed=1");
    exec_line(f, "task ssl labeled=4 seed=1");
    exec_line(f, "algo wellsvm kernel=rbf loss=hinge");
    exec_line(f, "step 2");
    return f;
}

static void destroy_fixture(fixture *f)
{
    wlab_session_destroy(f->session);
    wlab_buf_clear(&f->text);
    wlab_buf_clear(&f->messages);
    json_decref(f->object);
    assert_int_equal(rmdir(f->folder), 0); /* fails if there are files that the test did not remove */
    free(f);
}

/* The bytes of a file, 0-terminated; the file is removed. */
static char *read_and_remove(const fixture *f, const char *name, size_t *len)
{
    char path[512];
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", f->folder, name);
    if (stat(path, &st))
        fail_msg("%s was not written", path);
    char *data = malloc((size_t)st.st_size + 1);
    FILE *i = fopen(path, "rb");
    assert_true(data && i);
    assert_int_equal(fread(data, 1, (size_t)st.st_size, i), st.st_size);
    data[st.st_size] = 0;
    fclose(i);
    assert_int_equal(unlink(path), 0);
    if (len)
        *len = (size_t)st.st_size;
    return data;
}

static void drop_folder(const fixture *f, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", f->folder, name);
    assert_int_equal(rmdir(path), 0);
}

static void test_files(void **state)
{
    GNUPLOT_OR_SKIP();
    static const struct {
        const char *file, *magic;
    } kinds[] = {
        {"fig2.pdf", "%PDF"}, {"fig2.png", "\x89PNG"}, {"fig2.svg", "<?xml"}, {"fig2.txt", "objective"}};
    fixture *f = create_fixture(false);
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        char text[128];
        size_t len;
        snprintf(text, sizeof text, "plot objective to deep/%s", kinds[k].file);
        exec_line(f, text);
        snprintf(text, sizeof text, "deep/%s", kinds[k].file);
        char *image = read_and_remove(f, text, &len), *dat = read_and_remove(f, "deep/fig2.dat", NULL),
             *gp = read_and_remove(f, "deep/fig2.gp", NULL);
        assert_non_null(strstr(image, kinds[k].magic));
        assert_non_null(strstr(dat, "# data two-moons: 40 x 2"));
        snprintf(text, sizeof text, "set output './'.'%s'\ndata = './'.'fig2.dat'\n", kinds[k].file);
        assert_non_null(strstr(gp, text));
        free(image);
        free(dat);
        free(gp);
    }
    assert_non_null(strstr((char *)f->messages.data, "deep/fig2.pdf written"));
    drop_folder(f, "deep");
    /* the cells of an image are not blended, and the SVG is whole */
    exec_line(f, "plot gram to gram.svg");
    char *svg = read_and_remove(f, "gram.svg", NULL);
    assert_non_null(strstr(svg, "<image image-rendering='pixelated' "));
    assert_non_null(strstr(svg, "</svg>"));
    free(svg);
    free(read_and_remove(f, "gram.dat", NULL));
    free(read_and_remove(f, "gram.gp", NULL));
    destroy_fixture(f);
}

/* Without `to` a view is drawn as text of at most 79 columns. */
static void test_text(void **state)
{
    GNUPLOT_OR_SKIP();
    static const char *const views[] = {"objective", "gap",    "flips", "violation", "mu",
                                        "boundary",  "labels", "gram",  "loss"};
    fixture *f = create_fixture(false);
    (void)state;
    for (size_t v = 0; v < sizeof views / sizeof *views; v++) {
        char text[64];
        int lines = 0;
        if (!strcmp(views[v], "loss")) /* it needs an algorithm that anneals */
            exec_line(f, "algo mfa; step 3");
        wlab_buf_clear(&f->text);
        snprintf(text, sizeof text, "plot %s", views[v]);
        exec_line(f, text);
        assert_int_equal(wlab_buf_put(&f->text, "", 1), WL_OK);
        for (char *p = (char *)f->text.data; *p; p += strcspn(p, "\n") + 1) {
            assert_true(strcspn(p, "\n") <= 79 && strchr(p, '\n'));
            lines++;
        }
        assert_true(lines > 15 && lines <= 24);
        assert_non_null(strstr((char *)f->text.data, "two-moons (40 x 2)"));
    }
    wlab_buf_clear(&f->text);
    exec_line(f, "plot");
    assert_non_null(strstr((char *)f->text.data, "boundary"));
    destroy_fixture(f);
}

static void test_json(void **state)
{
    GNUPLOT_OR_SKIP();
    fixture *f = create_fixture(true);
    char *dat, hex[65];
    size_t len;
    (void)state;
    exec_line(f, "plot flips vs inner to fig.svg");
    assert_string_equal(json_string_value(json_object_get(f->object, "type")), "figure");
    char path[512]; /* of the file, below --out */
    snprintf(path, sizeof path, "%s/fig.svg", f->folder);
    assert_string_equal(json_string_value(json_object_get(f->object, "file")), path);
    dat = read_and_remove(f, "fig.dat", &len);
    wlab_sha256_hex(dat, len, hex);
    assert_string_equal(json_string_value(json_object_get(f->object, "dat_sha256")), hex);
    free(dat);
    free(read_and_remove(f, "fig.svg", NULL));
    free(read_and_remove(f, "fig.gp", NULL));
    exec_line(f, "plot gap");
    assert_non_null(json_string_value(json_object_get(f->object, "text")));
    exec_line(f, "plot");
    assert_int_equal(json_array_size(json_object_get(f->object, "views")), WL_VIEWS);
    destroy_fixture(f);
}

static void test_overlay(void **state)
{
    GNUPLOT_OR_SKIP();
    fixture *f = create_fixture(false);
    (void)state;
    exec_line(f, "algo wellsvm kernel=linear");
    exec_line(f, "step 1");
    exec_line(f, "plot objective a b to both.svg");
    char *gp = read_and_remove(f, "both.gp", NULL);
    assert_non_null(strstr(gp, "'a: objective'"));
    assert_non_null(strstr(gp, "'b: objective'"));
    free(gp);
    free(read_and_remove(f, "both.dat", NULL));
    free(read_and_remove(f, "both.svg", NULL));
    destroy_fixture(f);
}

static void test_refusals(void **state)
{
    static const struct {
        const char *line, *says;
    } cases[] = {
        {"plot objektive", "did you mean \"objective\"?"},
        {"plot xyzzy", "`plot` alone lists them"},
        {"plot gap vs time", "iter, inner, seconds and level"},
        {"plot gap vs", "vs what"},
        {"plot gap to", "which file"},
        {"plot gap to fig", ".png, .svg, .pdf, .tex or .txt"},
        {"plot gap to fig.jpg", ".png, .svg, .pdf, .tex or .txt"},
        {"plot gap to \xff/x.svg", "UTF-8"},
        {"plot gap to .svg", ".png, .svg, .pdf, .tex or .txt"},
        {"plot gap to a.svg to b.svg", "one file at a time"},
        {"plot gap zz", "no run \"zz\""},
        {"plot gap a a", "twice"},
        {"plot gap to ../x.svg", "may not write"},
        {"plot gap to /tmp/x.svg", "may not write"},
        {"plot gap size=3", "plot gap takes no setting size="},
        {"plot objective labels=truth", "takes no setting labels="},
        {"plot boundary labels=all", "must be prediction, labeling or truth"},
        {"plot weights", "did you mean \"mu\""},
        {"plot run", "`dashboard zoom run`"},
        {"plot labels vs inner", "leave out `vs inner`"},
        {"plot labels a b", "b"},
        {"plot bags", "task ssl has no bags to draw"},
        {"plot gram a vs iter", "leave out `vs iter`"},
        {"plot mu a b", "b"},
        {"plot boundary vs seconds", "leave out `vs seconds`"},
    };
    fixture *f = create_fixture(false);
    wlab_err err;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        err.message[0] = 0;
        if (!wlab_session_line(f->session, cases[i].line, WL_FROM_SCRIPT, NULL, 0, &err) ||
            !strstr(err.message, cases[i].says))
            fail_msg("%s: %s", cases[i].line, err.message);
    }
    exec_line(f, "algo wellsvm kernel=linear");
    ASSERT_FAILS(wlab_session_line(f->session, "plot gap to x.svg", WL_FROM_SCRIPT, NULL, 0, &err), WL_ESTATE,
                 err, "`step` first");
    destroy_fixture(f);
}

/* With one binary classifier per class, curves have breaks between the classifiers.  A figure that is refused has no
 * block in which to put a break: the command must report the refusal. */
static void test_classifiers(void **state)
{
    static const struct {
        const char *line, *says;
    } cases[] = {{"plot objective vs level to x.txt", "svm anneals nothing"},
                 {"plot gap vs level to x.txt", "svm anneals nothing"},
                 {"plot violation vs level to x.txt", "svm"},
                 {"plot flips vs level to x.txt", "svm"},
                 {"plot mu vs level to x.txt", "svm"}};
    fixture *f = create_empty_fixture(false);
    wlab_err err;
    (void)state;
    exec_line(f, "generate blobs n=60 classes=3");
    exec_line(f, "task ssl labeled=12 classes=all");
    exec_line(f, "algo svm");
    exec_line(f, "step 3");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        err.message[0] = 0;
        if (!wlab_session_line(f->session, cases[i].line, WL_FROM_SCRIPT, NULL, 0, &err) ||
            !strstr(err.message, cases[i].says))
            fail_msg("%s: %s", cases[i].line, err.message);
    }
    destroy_fixture(f);
}

static void assert_refused(fixture *f, const char *text, const char *says)
{
    wlab_err err;
    ASSERT_FAILS(wlab_session_line(f->session, text, WL_FROM_SCRIPT, NULL, 0, &err), WL_EARG, err, says);
}

static void write_file(const fixture *f, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", f->folder, name);
    FILE *o = fopen(path, "w");
    assert_non_null(o);
    fputs(text, o);
    fclose(o);
}

/* `plot` refuses to overwrite the .dat and .gp of a figure of which there is also another picture, unless the figure is
 * the same, and to overwrite files that it did not write.  A figure with one picture may be replaced. */
static void test_names(void **state)
{
    GNUPLOT_OR_SKIP();
    fixture *f = create_fixture(false);
    char *dat, *gp;
    (void)state;
    exec_line(f, "plot objective to fig.svg");
    assert_refused(f, "plot boundary to fig.txt", "choose another name, such as fig-boundary.txt");
    assert_refused(f, "plot boundary to fig.txt", "fig.svg, which shows the objective of run a");
    exec_line(f, "plot objective to fig.txt"); /* the same data, another kind */
    gp = read_and_remove(f, "fig.gp", NULL);
    assert_non_null(strstr(gp, "\n# Pictures: txt, svg\n"));
    write_file(f, "fig.gp", gp);
    free(gp);
    assert_refused(f, "plot boundary to fig.txt",
                   "choose another name"); /* else nothing would rebuild fig.svg */
    assert_refused(f, "plot boundary to fig.svg", "choose another name");
    exec_line(f, "step 1");
    assert_refused(f, "plot objective to fig.png", "choose another name"); /* other data */
    exec_line(f, "plot objective to fig.svg");                             /* the same figure, later */
    exec_line(f, "plot objective to fig.txt");
    exec_line(f, "algo wellsvm kernel=linear");
    exec_line(f, "step 1");
    assert_refused(f, "plot objective to fig.svg", "choose another name"); /* another run */
    exec_line(f, "plot objective a to fig.svg");
    dat = read_and_remove(f, "fig.dat", NULL);
    assert_non_null(strstr(dat, "# weaklab objective of run a: "));
    free(dat);
    free(read_and_remove(f, "fig.gp", NULL));
    free(read_and_remove(f, "fig.svg", NULL));
    free(read_and_remove(f, "fig.txt", NULL));
    exec_line(f, "plot gap to gap.svg");
    assert_refused(f, "plot gap a to gap.txt", "such as gap-2.txt");
    free(read_and_remove(f, "gap.dat", NULL));
    free(read_and_remove(f, "gap.gp", NULL));
    free(read_and_remove(f, "gap.svg", NULL));
    exec_line(f, "plot gap to one.svg"); /* one image only: it may become another figure */
    exec_line(f, "plot flips to one.svg");
    free(read_and_remove(f, "one.gp", NULL));
    free(read_and_remove(f, "one.svg", NULL));
    write_file(f, "one.dat", "1 2 3\n");
    assert_refused(f, "plot gap to one.svg", "one.dat' exists and does not hold the data of a figure");
    dat = read_and_remove(f, "one.dat", NULL);
    assert_string_equal(dat, "1 2 3\n");
    free(dat);
    write_file(f, "one.gp", "plot sin(x)\n");
    assert_refused(f, "plot gap to one.svg", "one.gp' exists and is not the script of a figure");
    free(read_and_remove(f, "one.gp", NULL));
    destroy_fixture(f);
}

/* The message gives the full paths of the picture and of the script. */
static void test_paths(void **state)
{
    GNUPLOT_OR_SKIP();
    fixture *f = create_fixture(false);
    char expected[512];
    (void)state;
    exec_line(f, "plot flips to sub/o.txt");
    assert_int_equal(wlab_buf_put(&f->messages, "", 1), WL_OK);
    snprintf(expected, sizeof expected, "%s/sub/o.txt written; %s/sub/o.gp rebuilds it from o.dat\n",
             f->folder, f->folder);
    assert_non_null(strstr((char *)f->messages.data, expected));
    free(read_and_remove(f, "sub/o.txt", NULL));
    free(read_and_remove(f, "sub/o.gp", NULL));
    free(read_and_remove(f, "sub/o.dat", NULL));
    drop_folder(f, "sub");
    destroy_fixture(f);
}

/* After a change of a parameter the title has the value at the start, and a line marks the change.  A row's first label
 * is not drawn as flipped. */
static void test_changes(void **state)
{
    GNUPLOT_OR_SKIP();
    fixture *f = create_fixture(false);
    char *gp, *dat;
    (void)state;
    exec_line(f, "set C2=0.5");
    exec_line(f, "step 1");
    exec_line(f, "plot objective to c.svg");
    gp = read_and_remove(f, "c.gp", NULL);
    dat = read_and_remove(f, "c.dat", NULL);
    assert_non_null(strstr(gp, "set arrow from first 2, graph 0 to first 2, graph 1 nohead"));
    assert_non_null(strstr(gp, "set label 'C2=0.5 from here' at first 2, graph "));
    assert_non_null(strstr(gp, "'wellsvm kernel=rbf loss=hinge'"));
    assert_non_null(strstr(dat, "# set after step 2: C2=0.5\n"));
    free(gp);
    free(dat);
    free(read_and_remove(f, "c.svg", NULL));
    exec_line(f, "plot boundary to c.svg");
    gp = read_and_remove(f, "c.gp", NULL);
    assert_non_null(strstr(gp, "after step 3; C2=0.5 since step 2; marks: prediction"));
    free(gp);
    free(read_and_remove(f, "c.dat", NULL));
    free(read_and_remove(f, "c.svg", NULL));
    exec_line(f, "algo svm kernel=rbf");
    exec_line(f, "step");
    exec_line(f, "plot boundary to c.svg");
    gp = read_and_remove(f, "c.gp", NULL);
    assert_null(strstr(gp, "flipped"));
    dat = read_and_remove(f, "c.dat", NULL);
    assert_non_null(strstr(dat, "6 significant digits"));
    assert_true(strlen(dat) < 640000);
    free(gp);
    free(dat);
    free(read_and_remove(f, "c.svg", NULL));
    destroy_fixture(f);
}

/* Without gnuplot the .dat and the .gp are written nevertheless, and the message says so. */
static void test_no_gnuplot(void **state)
{
    fixture *f = create_fixture(false);
    char path[4096];
    wlab_err err;
    const char *old = getenv("PATH");
    (void)state;
    snprintf(path, sizeof path, "%s", old ? old : "");
    setenv("PATH", f->folder, 1);
    wlab_code code =
        wlab_session_line(f->session, "plot objective to fig.svg", WL_FROM_SCRIPT, NULL, 0, &err);
    setenv("PATH", path, 1);
    assert_int_equal(code, WL_EIO);
    assert_non_null(strstr(err.message, "no program 'gnuplot'"));
    assert_non_null(strstr(err.message, "fig.gp are written: `gnuplot fig.gp`"));
    free(read_and_remove(f, "fig.dat", NULL));
    free(read_and_remove(f, "fig.gp", NULL));
    destroy_fixture(f);
}

/* A replay gives the recorded numbers; a changed digest of the .dat is reported. */
static void test_replay(void **state)
{
    GNUPLOT_OR_SKIP();
    fixture *f = create_empty_fixture(false), *g;
    char session[512], *text, *at;
    wlab_err err;
    FILE *o;
    (void)state;
    snprintf(session, sizeof session, "%s/s.wlab", f->folder);
    ASSERT_OK(wlab_session_record(f->session, session, WL_FROM_PERSON, &err), err);
    exec_line(f, "generate two-moons n=40 seed=2");
    exec_line(f, "task ssl labeled=4 seed=1");
    exec_line(f, "algo wellsvm kernel=rbf loss=hinge");
    exec_line(f, "step 2");
    exec_line(f, "plot boundary to fig.svg");
    exec_line(f, "plot objective vs seconds to time.svg");
    ASSERT_OK(wlab_session_record_stop(f->session, &err), err);
    text = read_and_remove(f, "s.wlab", NULL);
    at = strstr(text, "#@ figure file=fig.svg dat=fig.dat sha256=");
    assert_non_null(at);
    assert_non_null(strstr(text, "#@ figure file=time.svg dat=time.dat\n"));
    for (int round = 0; round < 2; round++) {
        o = fopen(session, "w");
        assert_non_null(o);
        fputs(text, o);
        fclose(o);
        g = create_empty_fixture(false);
        wlab_code code = wlab_session_replay(g->session, session, true, 1e-6, 0, &err);
        if (round == 0) {
            if (code)
                fail_msg("%s", err.message);
            char *digit = strstr(at, "sha256=") + 7;
            *digit = *digit == '0' ? '1' : '0';
            free(read_and_remove(g, "time.svg", NULL));
            free(read_and_remove(g, "time.gp", NULL));
            free(read_and_remove(g, "time.dat", NULL));
        } else {
            assert_int_equal(code, WL_EDIFFERS);
            assert_non_null(strstr(err.message, "sha256="));
        }
        free(read_and_remove(g, "fig.svg", NULL));
        free(read_and_remove(g, "fig.gp", NULL));
        free(read_and_remove(g, "fig.dat", NULL));
        destroy_fixture(g);
        assert_int_equal(unlink(session), 0);
    }
    static const char *const made[] = {"fig.svg", "fig.gp", "fig.dat", "time.svg", "time.gp", "time.dat"};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        free(read_and_remove(f, made[i], NULL));
    free(text);
    destroy_fixture(f);
}

/* While `compare` holds, a file has the compared runs, in its order, whatever the axis; a run that is named, a
 * view of one run, and a view that cannot draw the runs together have the current run alone. */
static void test_compared(void **state)
{
    GNUPLOT_OR_SKIP();
    (void)state;
    fixture *f = create_fixture(false);
    static const struct {
        const char *line, *has[2];
        bool said;
    } t[] = {{"plot objective to x.txt", {"of run b", NULL}, false},
             {"compare a b; plot objective to x.txt", {"of run a", "of run b"}, false},
             {"plot objective vs inner to x.txt", {"of run a", "of run b"}, false},
             {"plot objective b to x.txt", {"of run b", NULL}, false},
             {"plot boundary to x.txt", {"of run b", NULL}, false},
             {"plot objective vs level to x.txt", {"of run b", NULL}, true},
             {"switch a; plot objective to x.txt", {"of run a", "of run b"}, false},
             {"switch b; compare off; plot objective to x.txt", {"of run b", NULL}, false}};
    exec_line(f, "algo tsvm; continue");
    for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
        wlab_buf_clear(&f->messages);
        exec_line(f, t[k].line);
        char *dat = read_and_remove(f, "x.dat", NULL), *first = strstr(dat, t[k].has[0]);
        assert_non_null(first);
        if (t[k].has[1])
            assert_true(strstr(dat, t[k].has[1]) > first);
        else
            assert_null(strstr(dat, "of run a"));
        assert_true(t[k].said ==
                    (f->messages.data && strstr((char *)f->messages.data, "only run b is drawn")));
        free(dat);
        free(read_and_remove(f, "x.txt", NULL));
        free(read_and_remove(f, "x.gp", NULL));
    }
    destroy_fixture(f);
}

/* `boundary` of data with 13 columns is an error, which ends a script; it names the view that draws them. */
static void test_columns(void **state)
{
    GNUPLOT_OR_SKIP();
    (void)state;
    fixture *f = create_empty_fixture(false);
    wlab_err err;
    exec_line(f, "generate blobs n=40 dims=13; task ssl labeled=4; algo svm; step");
    assert_int_equal(wlab_session_line(f->session, "plot boundary to x.txt", WL_FROM_SCRIPT, "test", 1, &err),
                     WL_EARG);
    assert_non_null(strstr(err.message, "'blobs' has 13: plot the view projection instead"));
    exec_line(f, "plot projection to x.txt");
    for (int i = 0; i < 3; i++) {
        static const char *const file[] = {"x.txt", "x.dat", "x.gp"};
        free(read_and_remove(f, file[i], NULL));
    }
    destroy_fixture(f);
}

/* The three files of a figure; *gp and *dat are owned by the caller. */
static void take_figure(const fixture *f, const char *stem, const char *ending, char **gp, char **dat)
{
    char name[64];
    snprintf(name, sizeof name, "%s.%s", stem, ending);
    free(read_and_remove(f, name, NULL));
    snprintf(name, sizeof name, "%s.gp", stem);
    *gp = read_and_remove(f, name, NULL);
    snprintf(name, sizeof name, "%s.dat", stem);
    *dat = read_and_remove(f, name, NULL);
}

/* Several views in a file: each in its place, with its own blocks of the data. */
static void test_sheet(void **state)
{
    static const char *const kinds[] = {"png", "svg", "pdf", "txt"};
    fixture *f = create_fixture(false);
    char *gp, *dat, text[128];
    (void)state;
    exec_line(f, "algo wellsvm kernel=linear; step");
    for (int k = 0; k < 4; k++) {
        snprintf(text, sizeof text, "plot objective gap boundary flips of a to x.%s", kinds[k]);
        exec_line(f, text);
        take_figure(f, "x", kinds[k], &gp, &dat);
        assert_int_equal(strncmp(dat, "# weaklab objective gap boundary flips: the data of 4 views", 59), 0);
        assert_non_null(strstr(gp, "set multiplot"));
        assert_non_null(strstr(gp, k == 3 ? "set origin 0,0.25\n" : "set origin 0.5,0\n"));
        assert_non_null(
            strstr(gp, "data index 0 using")); /* objective, gap, boundary: points and grid, flips */
        assert_non_null(strstr(gp, "data index 1 using"));
        assert_non_null(strstr(gp, "data index 2 using"));
        assert_non_null(strstr(gp, "data index 3 using 1:2:3"));
        assert_non_null(strstr(gp, "data index 4 using"));
        assert_null(strstr(gp, "data index 5"));
        free(gp);
        free(dat);
    }
    /* `vs` and `labels=` act on the views that have them */
    exec_line(f, "plot gap boundary a vs inner labels=truth to x.svg");
    take_figure(f, "x", "svg", &gp, &dat);
    assert_non_null(strstr(gp, "'inner units'"));
    assert_non_null(strstr(gp, "marks: true labels"));
    free(gp);
    free(dat);
    exec_line(f, "plot objective gap a b"); /* on the screen one after the other */
    assert_int_equal(wlab_buf_put(&f->text, "", 1), WL_OK);
    char *first = strstr((char *)f->text.data, "objective: two-moons");
    assert_non_null(first);
    assert_non_null(strstr(first, "gap: two-moons"));
    destroy_fixture(f);
}

/* A run may have the name of a view. */
static void test_called_like_a_view(void **state)
{
    fixture *f = create_fixture(false);
    char *gp, *dat;
    (void)state;
    exec_line(f, "fork gap");
    assert_refused(f, "plot objective gap to x.svg",
                   "\"gap\" is a view and a run: `plot objective of gap` draws");
    assert_refused(f, "plot objective a flips to x.svg", "views come before runs");
    assert_refused(f, "plot objective flipps", "no run or view \"flipps\"; did you mean \"flips\"?");
    assert_refused(f, "plot objective objective", "view \"objective\" is named twice");
    assert_refused(f, "plot objective of", "of which run?");
    assert_refused(f, "plot objective of flips", "views come before runs");
    exec_line(f, "plot objective of gap to x.svg");
    take_figure(f, "x", "svg", &gp, &dat);
    assert_non_null(strstr(dat, "objective of run gap"));
    free(gp);
    free(dat);
    exec_line(f, "plot gap gap to x.svg"); /* the first word is a view */
    take_figure(f, "x", "svg", &gp, &dat);
    free(gp);
    free(dat);
    exec_line(f, "plot objective gap of gap to x.svg");
    take_figure(f, "x", "svg", &gp, &dat);
    assert_non_null(strstr(dat, "gap of run gap"));
    free(gp);
    free(dat);
    destroy_fixture(f);
}

/* Words after `set terminal`, the first line of a title, the label of the x axis. */
static void test_looks(void **state)
{
    static const struct {
        const char *set, *file, *says, *lacks;
    } cases[] = {
        {"figure=screen", "x.png",
         "pngcairo noenhanced size 1280,800 font 'DejaVu Sans,16' background '#ffffff'\n", "# boundary:"},
        {"figure=screen", "x.svg", "svg noenhanced size 960,600 dynamic font 'DejaVu Sans,13' background",
         NULL},
        {"figure=screen", "x.pdf", "pdfcairo noenhanced size 20cm,12.5cm font 'DejaVu Sans,11'\n", NULL},
        {"figure=screen", "x.svg", "set title 'boundary: two-moons (40 x 2)", "'x\u2081'"},
        {"figure=paper", "x.pdf", "size 8.4cm,6cm font 'DejaVu Sans,7' linewidth 0.75", "set title"},
        {"figure=paper", "x.pdf", "\n# boundary: two-moons (40 x 2)", NULL},
        {"figure=paper", "x.pdf", "set xlabel 'x\u2081' noenhanced", NULL},
        {"figure=slide", "x.pdf", "size 16cm,9cm font 'DejaVu Sans,11'", NULL},
        {"figure=poster", "x.pdf", "size 40cm,28cm font 'DejaVu Sans,26'", NULL},
        {"figure=paper size=10x5.5cm", "x.pdf", "size 10cm,5.5cm", NULL},
        {"figure=paper size=10x5", "x.png", "size 1181,591", NULL},
        {"figure=paper", "x.txt", "dumb noenhanced size 79,24", NULL},
        {"font=\"DejaVu Serif,9\"", "x.pdf", "font 'DejaVu Serif,9'", NULL},
        {"font=,9", "x.pdf", "font 'DejaVu Sans,9'", NULL},
        {"title=\"it's `date`\"", "x.svg", "set title 'it'.\"\\047\".'s `date`' noenhanced\n",
         "set title 'boundary"},
        {"title=none", "x.svg", "set xlabel", "set title"},
        {"title=none", "x.tex",
         "cairolatex pdf input colourtext header '\\fontsize{8}{9.6}\\selectfont' size 8.4cm,6cm", NULL},
        {"figure=paper", "x.tex", "set xlabel '$x_1$' noenhanced", NULL},
        {"title=\"50% & a_b\"", "x.tex", "set title '50\\% \\& a\\_b' noenhanced", NULL},
    };
    static const char *const bad[] = {"size=8",   "size=8x", "size=1x5cm",   "size=8x500", "font=",
                                      "font=a'b", "font=,1", "font=\"x,y\"", "figure=book"};
    fixture *f = create_fixture(false);
    wlab_err err;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[200], *gp, *dat;
        exec_line(f, "set figure=screen size=auto font=auto title=auto");
        snprintf(line, sizeof line, "set %s", cases[i].set);
        exec_line(f, line);
        snprintf(line, sizeof line, "plot boundary to %s", cases[i].file);
        exec_line(f, line);
        take_figure(f, "x", cases[i].file + 2, &gp, &dat);
        if (strcmp(cases[i].file, "x.tex") == 0)
            free(read_and_remove(f, "x.pdf", NULL));
        if (!strstr(gp, cases[i].says) || (cases[i].lacks && strstr(gp, cases[i].lacks)))
            fail_msg("%s, %s:\n%s", cases[i].set, cases[i].file, gp);
        free(gp);
        free(dat);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char line[64];
        snprintf(line, sizeof line, "set %s", bad[i]);
        if (wlab_session_line(f->session, line, WL_FROM_SCRIPT, NULL, 0, &err) != WL_EARG)
            fail_msg("%s was accepted", line);
    }
    exec_line(f, "set size=120x120cm figure=paper");
    assert_refused(f, "plot gap to x.png", "write a .pdf or .svg");
    assert_refused(f, "plot gap to \"a b.tex\"", "the name of a .tex file is a word in LaTeX");
    exec_line(f, "set size=auto title=auto; plot gap to x.tex");
    assert_refused(f, "plot gap to x.pdf", "x.pdf is the drawing that goes with the .tex of this name");
    char *gp, *dat, *pdf = read_and_remove(f, "x.pdf", NULL);
    assert_int_equal(strncmp(pdf, "%PDF", 4), 0);
    free(pdf);
    take_figure(f, "x", "tex", &gp, &dat);
    free(gp);
    free(dat);
    destroy_fixture(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_compared),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_overlay),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_no_gnuplot),
        cmocka_unit_test(test_classifiers),
        cmocka_unit_test(test_replay),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_sheet),
        cmocka_unit_test(test_called_like_a_view),
        cmocka_unit_test(test_looks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
