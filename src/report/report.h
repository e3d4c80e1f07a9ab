/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reports: a session as a page to read.  A script is executed again in a session of its own (collect.c), whose prose,
 * commands, results and figures become items in order.  Where the session stepped, the states between are drawn as frames
 * (steps.c).  A format (formats[]) writes the items.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "plot/draw/render.h"
#include "plot/views/view.h"

#include <string.h>

enum {
    WL_REPORT_VIEWS = 4,   /* views of one stretch of steps */
    WL_REPORT_FRAMES = 24, /* frames of one stretch; of a longer one, evenly spaced steps */
};

typedef enum wlab_item_kind {
    WL_ITEM_SAY,     /* a line of prose */
    WL_ITEM_COMMAND, /* as it can be typed */
    WL_ITEM_RESULT,  /* lines */
    WL_ITEM_NOTE,    /* remarks, warnings */
    WL_ITEM_FIGURE,
    WL_ITEM_STEPS
} wlab_item_kind;

typedef struct wlab_frame {
    int64_t iter;
    char *explanation;
    wlab_buf picture[WL_REPORT_VIEWS]; /* empty: the view cannot be drawn there */
} wlab_frame;

typedef struct wlab_item {
    wlab_item_kind kind;
    wlab_buf text;     /* of a figure or steps: the names of the views, "boundary and objective" */
    wlab_buf picture;  /* a figure */
    int views;         /* steps */
    wlab_frame *frame; /* [frames] */
    int frames;
} wlab_item;

typedef struct wlab_report wlab_report;

/* What differs between the kinds of files. */
typedef struct wlab_report_format {
    const char *ending;
    wlab_image image; /* the kind of the pictures */
    bool inside;      /* the pictures are in the file, else beside it */
    bool moves;       /* shows all frames, else the last one of each stretch */
    wlab_code (*write)(const wlab_report *, wlab_buf *out);
} wlab_report_format;
extern const wlab_report_format wlab_report_html, wlab_report_markdown, wlab_report_latex;

struct wlab_report {
    const wlab_report_format *format;
    char *title;  /* the script's first comment, or its name */
    char *folder; /* of the pictures beside the file, as the file names it */
    wlab_item *item;
    int items;
    char *session, *verdict;                /* the recorded session; what its replay with --check says */
    bool held;                              /* the replay gave the same results */
    const wlab_view *view[WL_REPORT_VIEWS]; /* [views] asked for by views= */
    int views;
};

/* A session with all commands of the program, without a terminal, with the threads and the seed of `outer`; the caller
 * destroys it. */
typedef wlab_code (*wlab_report_opens)(wlab_session **, const wlab_session *outer, const wlab_sink *,
                                       const wlab_places *, wlab_err *);
typedef struct wlab_report_from {
    wlab_report_opens open;
    const wlab_session *outer;
} wlab_report_from;

/* ---- collect.c ---- */
/* Executes the script at `path` and fills the report's items, session and verdict.  Its commands write into a temporary
 * folder.  Errors: those of the script, with its place; of gnuplot; WL_EINTERRUPTED. */
wlab_code wlab_report_collect(wlab_report *, const wlab_report_from *, const wlab_places *, const char *path,
                              wlab_ctx *, wlab_err *);
/* A new item at the end; NULL: no memory. */
wlab_item *wlab_report_add(wlab_report *, wlab_item_kind);
void wlab_report_clear(wlab_report *);

/* ---- steps.c ---- */
/* Adds the item of the steps from + 1 to the present one of a run: a copy of it travels back, and each view that can be
 * drawn is. */
wlab_code wlab_report_steps(wlab_report *, const wlab_run *, int64_t from, const wlab_view *const *asked,
                            int n, wlab_ctx *, wlab_err *);
/* The figure as a picture of the report's kind. */
wlab_code wlab_report_draw(const wlab_report *, const wlab_figure *, wlab_buf *picture, wlab_ctx *,
                           wlab_err *);

/* Appends a text. */
static inline wlab_code wlab_report_put(wlab_buf *out, const char *text)
{
    return wlab_buf_put(out, text, strlen(text));
}

/* ---- columns.c ---- */
/* A table found in a result. */
typedef struct wlab_columns {
    int lines; /* of the text that it takes: a line of names, and at least one of cells */
    int columns;
} wlab_columns;
/* Whether a table begins at `text`: lines of equally many words, in columns that are aligned at one side. */
bool wlab_columns_find(const char *text, wlab_columns *);
/* The line after n others; at most the end of the text. */
const char *wlab_columns_skip(const char *text, int n);
/* The k-th word of a line; *len: its length. */
const char *wlab_columns_word(const char *line, int k, size_t *len);

/* Writes a result: its tables by `table`, the lines between them by `lines`, as text of no kind. */
wlab_code wlab_report_result(wlab_buf *out, const char *text,
                             wlab_code (*table)(wlab_buf *, const char *text, const wlab_columns *),
                             wlab_code (*lines)(wlab_buf *, const char *kind, const char *text, size_t len));

/* ---- the command ---- */
/* open: NULL in a session that a report opens, where `report` does nothing. */
wlab_code wlab_report_register(wlab_session *, wlab_report_opens open, wlab_err *);

#endif
