/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Waiting for a key: `wait`, and presenter mode at its stops.
 */
#include "tui/prompt/editor.h"
#include "tui/prompt/prompt_state.h"
#include "tui/terminal.h"
#include "tui/wrap.h"
#include <stdio.h>
#include <string.h>

#include <readline/readline.h>

enum {
    CTRL_D = 4,
    CTRL_U = 21,
    CTRL_X = 24,
    DELETE = 127,
    KEY_RIGHT = 0x1000,
    KEY_LEFT,
    KEY_OTHER, /* without a meaning here */
};

/* Collect the bytes of a key for `wait` and presenter mode. */
void wlab_wait_byte(wlab_prompt *p, unsigned char c)
{
    if (p->nseq == 1 && p->seq[0] == WL_ESCAPE && wlab_ms_now() - p->seq_at > WL_ESCAPE_MS)
        p->nseq = 0;   /* Escape alone */
    if (p->nseq > 0) { /* after Escape a sequence ends at a letter or ~; after C-x comes one character */
        p->seq[p->nseq] = (char)c;
        p->nseq = p->nseq + 2 < (int)sizeof p->seq ? p->nseq + 1 : p->nseq;
        if (p->seq[0] == CTRL_X ||
            (p->nseq > 2 && ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '~'))) {
            p->seq[p->nseq] = '\0';
            p->nseq = 0;
            const wlab_key *k = wlab_keys_find(p->seq);
            if (k && k->act == WL_ACT_HELP && wlab_dashboard_is_on(p->dashboard)) {
                wlab_dashboard_help(p->dashboard);
                return;
            }
            if (k && p->dashboard && wlab_dashboard_act(p->dashboard, k->act))
                return; /* the key changed the view: keep waiting */
            p->key = k ? KEY_OTHER : c == 'C' ? KEY_RIGHT : c == 'D' ? KEY_LEFT : KEY_OTHER;
        }
        return;
    }
    if (c == WL_ESCAPE || (c == CTRL_X && wlab_dashboard_is_on(p->dashboard))) {
        p->seq[0] = (char)c;
        p->nseq = 1;
        p->seq_at = wlab_ms_now();
        return;
    }
    if (c == 'q' && wlab_dashboard_close_answer(p->dashboard))
        return;
    p->key = c;
}

static const wlab_hint_key stop_keys[] = {{"Space", "on, pause"}, {"Right", "next"},      {"Left", "back"},
                                          {"F1", "help"},         {"Enter", "take over"}, {NULL, NULL}};
static const wlab_hint_key question_keys[] = {
    {"Enter", "answer, or skip"}, {"Left", "back"}, {"F1", "help"}, {"Ctrl-D", "take over"}, {NULL, NULL}};

static void put_hint(wlab_prompt *p, const char *hint, const wlab_hint_key *keys)
{
    if (wlab_dashboard_is_on(p->dashboard)) {
        wlab_dashboard_status(p->dashboard, NULL, hint, keys);
    } else if (hint) {
        char text[STATUS_WIDTH + 1];
        snprintf(text, sizeof text, "%s", hint);
        wlab_editor_stop(true); /* what it clears is the line on which the hint will be */
        fputc('\r', stderr);
        wlab_put_printable(stderr, text);
        p->status = true;
    } else {
        wlab_prompt_hide(p);
    }
}

/* Wait for a key, at most that many seconds (< 0: for ever).  0: none came; -1: something else ended the waiting. */
static int wait_key(wlab_prompt *p, double seconds)
{
    double end = wlab_seconds_now() + seconds;
    bool full = wlab_dashboard_is_on(p->dashboard);

    wlab_editor_stop(true);
    wlab_editor_between("");
    if (!full)
        wlab_terminal_mode(WL_MODE_KEYS);
    p->waits = true;
    p->key = 0;
    p->nseq = 0;
    while (!p->key && !p->fatal && !p->ended) {
        double left = end - wlab_seconds_now();
        if (seconds >= 0 && left <= 0)
            break;
        (void)wlab_loop_turn(&p->loop, -1, seconds < 0 ? -1 : (int)(left * 1000) + 1);
    }
    p->waits = false;
    if (!full)
        wlab_terminal_mode(WL_MODE_QUIET);
    return p->fatal || p->ended ? -1 : p->key;
}

void wlab_wait_pause(void *self, double seconds)
{
    wlab_prompt *p = self;
    int key;

    if (p->nkept > 0) /* lines have already been typed */
        return;
    if (seconds < 0)
        put_hint(p, "-- press a key --", NULL);
    key = wait_key(p, seconds);
    if (key == ' ' && seconds >= 0) { /* Space holds a pause of some seconds */
        put_hint(p, "-- press a key --", NULL);
        key = wait_key(p, -1);
    }
    put_hint(p, NULL, NULL);
    (void)wlab_dashboard_close_answer(p->dashboard);
    if (key > ' ' && key < 0x7f && p->o.asks) /* the key begins the next line */
        p->stuffed = rl_stuff_char(key) != 0;
}

/* Presenter mode: Space pauses and continues, arrows step forward and back (and pause), Enter takes over. */
wlab_present wlab_wait_present(void *self, const char *line, double seconds)
{
    wlab_prompt *p = self;
    char hint[240];

    for (;;) {
        bool held = p->paused || seconds < 0;
        snprintf(hint, sizeof hint, "-- %s, Left: back, Enter: take over --%s%s",
                 p->paused     ? "paused; Space: on, Right: next"
                 : seconds < 0 ? "Space: on"
                               : "Space: pause",
                 line ? "  " : "", line ? line : "");
        put_hint(p, hint, stop_keys);
        int key = wait_key(p, held ? -1 : seconds);
        if (key == ' ' && !held) {
            p->paused = true;
            continue;
        }
        put_hint(p, NULL, NULL);
        if (key >= 0 && key != KEY_OTHER)
            (void)wlab_dashboard_close_answer(p->dashboard);
        if (key == ' ')
            p->paused = false;
        if (key == KEY_LEFT || (key == KEY_RIGHT && seconds >= 0))
            p->paused = true;
        if (key == KEY_LEFT) {
            if (wlab_dashboard_is_on(p->dashboard))
                wlab_dashboard_unsay(p->dashboard);
            return WL_PRESENT_BACK;
        }
        if (key == '\r' || key == '\n' || key < 0) {
            p->paused = false;
            return WL_PRESENT_TAKE_OVER;
        }
        if (key == ' ' || key == KEY_RIGHT || key == 0)
            return WL_PRESENT_ON;
    }
}

/* The answer to a question: the keys of a stop, but that text and Enter belong to the answer. */
wlab_present wlab_wait_question(void *self, const char *what, char *answer, size_t size)
{
    wlab_prompt *p = self;
    const bool full = wlab_dashboard_is_on(p->dashboard);
    size_t len = 0;
    char hint[160];
    int key = '\r'; /* lines that have already been typed are no answer */

    answer[0] = '\0';
    while (p->nkept == 0) {
        snprintf(hint, sizeof hint, "-- your answer, %s: %s_%s", what, answer,
                 full ? " --" : "   (Enter: on, Left: back, Ctrl-D: take over)");
        put_hint(p, NULL, NULL); /* the line may have become shorter */
        put_hint(p, hint, question_keys);
        key = wait_key(p, -1);
        if (key == '\r' || key == '\n' || key < 0 || key == CTRL_D || key == KEY_LEFT ||
            (len == 0 && key == KEY_RIGHT))
            break; /* not by Space, which a class has got used to at pauses */
        if (key == DELETE || key == '\b')
            len -= len > 0;
        else if (key == CTRL_U)
            len = 0;
        else if (key > ' ' && key < DELETE && len + 1 < size)
            answer[len++] = (char)key;
        answer[len] = '\0';
    }
    put_hint(p, NULL, NULL);
    if (key >= 0)
        (void)wlab_dashboard_close_answer(p->dashboard);
    p->paused = p->paused && key >= 0 && key != CTRL_D;
    if (key == KEY_LEFT && full)
        wlab_dashboard_unsay(p->dashboard);
    return key == KEY_LEFT            ? WL_PRESENT_BACK
           : key < 0 || key == CTRL_D ? WL_PRESENT_TAKE_OVER
                                      : WL_PRESENT_ON;
}
