/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Themes.  The colours of curves and classes are those of Okabe and Ito, or the nearest of the terminal's 256.  With 8
 * or 16 colours the classes are cyan and yellow on a dark background, blue and red on a light one, and magenta and the
 * terminal's own colour on an unknown one.
 */
#include "tui/dashboard/theme.h"
#include <curses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const wlab_theme_names[] = {"auto", "dark", "light", "mono", NULL};

enum { /* attributes, independent of curses */
    BOLD = 1,
    DIM = 2,
    UNDER = 4,
    REVERSE = 8
};
enum {
    NO = -1 /* the terminal's own colour */
};
typedef struct appearance {
    short fg, bg;
    unsigned char attr;
} appearance;

typedef enum palette {
    MONO,
    DARK8,
    LIGHT8,
    DARK,
    LIGHT,
    EITHER, /* 256 colours, unknown background */
    PALETTES,
    EITHER8 = PALETTES /* 8 colours, unknown background: derived from DARK8 */
} palette;

/* One row per style: mono; dark and light in 8 colours; dark, light and either in 256 colours. */
static const appearance appearances[WL_STYLES][PALETTES] = {
    [WL_S_TEXT] = {{NO, NO, 0}, {NO, NO, 0}, {NO, NO, 0}, {NO, NO, 0}, {NO, NO, 0}, {NO, NO, 0}},
    [WL_S_DIM] = {{NO, NO, DIM}, {NO, NO, DIM}, {NO, NO, DIM}, {247, NO, 0}, {242, NO, 0}, {244, NO, 0}},
    [WL_S_STRONG] =
        {{NO, NO, BOLD}, {NO, NO, BOLD}, {NO, NO, BOLD}, {NO, NO, BOLD}, {NO, NO, BOLD}, {NO, NO, BOLD}},
    [WL_S_FRAME] = {{NO, NO, DIM}, {NO, NO, DIM}, {NO, NO, DIM}, {242, NO, 0}, {247, NO, 0}, {244, NO, 0}},
    [WL_S_FRAME_FOCUS] = {{NO, NO, BOLD},
                          {COLOR_CYAN, NO, BOLD},
                          {COLOR_BLUE, NO, BOLD},
                          {75, NO, BOLD},
                          {25, NO, BOLD},
                          {32, NO, BOLD}},
    [WL_S_TITLE] =
        {{NO, NO, BOLD}, {NO, NO, BOLD}, {NO, NO, BOLD}, {NO, NO, BOLD}, {NO, NO, BOLD}, {NO, NO, BOLD}},
    [WL_S_TITLE_FOCUS] = {{NO, NO, BOLD | REVERSE},
                          {COLOR_CYAN, NO, BOLD | REVERSE},
                          {COLOR_BLUE, NO, BOLD | REVERSE},
                          {16, 75, BOLD},
                          {231, 25, BOLD},
                          {231, 25, BOLD}},
    [WL_S_HEADER] = {{NO, NO, REVERSE},
                     {NO, NO, REVERSE},
                     {NO, NO, REVERSE},
                     {252, 237, 0},
                     {234, 252, 0},
                     {252, 237, 0}},
    [WL_S_PAUSED] = {{NO, NO, BOLD}, /* the header around it is reversed */
                     {COLOR_BLACK, COLOR_YELLOW, 0},
                     {COLOR_BLACK, COLOR_YELLOW, 0},
                     {16, 220, BOLD},
                     {16, 220, BOLD},
                     {16, 220, BOLD}},
    [WL_S_RUNNING] = {{NO, NO, BOLD | UNDER},
                      {COLOR_BLACK, COLOR_GREEN, 0},
                      {COLOR_BLACK, COLOR_GREEN, 0},
                      {16, 78, BOLD},
                      {231, 29, BOLD},
                      {16, 78, BOLD}},
    [WL_S_CONVERGED] = {{NO, NO, UNDER},
                        {COLOR_WHITE, COLOR_BLUE, BOLD},
                        {COLOR_WHITE, COLOR_BLUE, BOLD},
                        {231, 25, BOLD},
                        {231, 25, BOLD},
                        {231, 25, BOLD}},
    [WL_S_NEXT] = {{NO, NO, BOLD},
                   {COLOR_YELLOW, NO, BOLD},
                   {COLOR_BLUE, NO, BOLD},
                   {229, NO, BOLD},
                   {25, NO, BOLD},
                   {NO, NO, BOLD}},
    [WL_S_KEY] = {{NO, NO, REVERSE},
                  {NO, NO, REVERSE},
                  {NO, NO, REVERSE},
                  {231, 239, BOLD},
                  {16, 252, BOLD},
                  {231, 239, BOLD}},
    [WL_S_CAPTION] = {{NO, NO, BOLD},
                      {COLOR_CYAN, NO, BOLD},
                      {COLOR_BLUE, NO, BOLD},
                      {230, NO, BOLD},
                      {18, NO, BOLD},
                      {NO, NO, BOLD}},
    [WL_S_COMMAND] =
        {{NO, NO, BOLD}, {NO, NO, BOLD}, {NO, NO, BOLD}, {NO, NO, BOLD}, {NO, NO, BOLD}, {NO, NO, BOLD}},
    [WL_S_NOTE] =
        {{NO, NO, DIM}, {COLOR_CYAN, NO, 0}, {COLOR_BLUE, NO, 0}, {110, NO, 0}, {24, NO, 0}, {67, NO, 0}},
    [WL_S_WARNING] = {{NO, NO, BOLD | UNDER},
                      {COLOR_YELLOW, NO, BOLD},
                      {COLOR_MAGENTA, NO, BOLD},
                      {220, NO, BOLD},
                      {130, NO, BOLD},
                      {136, NO, BOLD}},
    [WL_S_ERROR] = {{NO, NO, REVERSE | BOLD},
                    {COLOR_RED, NO, BOLD},
                    {COLOR_RED, NO, BOLD},
                    {209, NO, BOLD},
                    {160, NO, BOLD},
                    {167, NO, BOLD}},
    [WL_S_POSITIVE] =
        {{NO, NO, 0}, {COLOR_CYAN, NO, 0}, {COLOR_BLUE, NO, 0}, {75, NO, 0}, {25, NO, 0}, {32, NO, 0}},
    [WL_S_NEGATIVE] =
        {{NO, NO, 0}, {COLOR_YELLOW, NO, 0}, {COLOR_RED, NO, 0}, {208, NO, 0}, {166, NO, 0}, {166, NO, 0}},
    [WL_S_UNKNOWN] = {{NO, NO, DIM}, {NO, NO, DIM}, {NO, NO, DIM}, {247, NO, 0}, {242, NO, 0}, {244, NO, 0}},
    [WL_S_GIVEN_POSITIVE] = {{NO, NO, BOLD | UNDER},
                             {COLOR_CYAN, NO, BOLD | REVERSE},
                             {COLOR_BLUE, NO, BOLD | REVERSE},
                             {16, 75, BOLD},
                             {231, 25, BOLD},
                             {231, 25, BOLD}},
    [WL_S_GIVEN_NEGATIVE] = {{NO, NO, BOLD | UNDER},
                             {COLOR_YELLOW, NO, BOLD | REVERSE},
                             {COLOR_RED, NO, BOLD | REVERSE},
                             {16, 208, BOLD},
                             {231, 166, BOLD},
                             {231, 166, BOLD}},
    [WL_S_FLIP_POSITIVE] = {{NO, NO, REVERSE | BOLD},
                            {NO, NO, REVERSE | BOLD},
                            {NO, NO, REVERSE | BOLD},
                            {18, 231, BOLD},
                            {195, 16, BOLD},
                            {18, 231, BOLD}},
    [WL_S_FLIP_NEGATIVE] = {{NO, NO, REVERSE | BOLD},
                            {NO, NO, REVERSE | BOLD},
                            {NO, NO, REVERSE | BOLD},
                            {88, 231, BOLD},
                            {223, 16, BOLD},
                            {88, 231, BOLD}},
    [WL_S_INK1] = {{NO, NO, BOLD}, {NO, NO, BOLD}, {NO, NO, BOLD}, {81, NO, 0}, {25, NO, 0}, {32, NO, 0}},
    [WL_S_INK2] =
        {{NO, NO, 0}, {COLOR_YELLOW, NO, 0}, {COLOR_RED, NO, 0}, {208, NO, 0}, {166, NO, 0}, {166, NO, 0}},
    [WL_S_INK3] =
        {{NO, NO, 0}, {COLOR_GREEN, NO, 0}, {COLOR_GREEN, NO, 0}, {43, NO, 0}, {29, NO, 0}, {29, NO, 0}},
    [WL_S_INK4] = {{NO, NO, 0},
                   {COLOR_MAGENTA, NO, 0},
                   {COLOR_MAGENTA, NO, 0},
                   {176, NO, 0},
                   {132, NO, 0},
                   {169, NO, 0}},
    [WL_S_INK5] =
        {{NO, NO, 0}, {COLOR_CYAN, NO, 0}, {COLOR_CYAN, NO, 0}, {227, NO, 0}, {94, NO, 0}, {136, NO, 0}},
    [WL_S_INK6] =
        {{NO, NO, 0}, {COLOR_RED, NO, 0}, {COLOR_BLUE, NO, 0}, {117, NO, 0}, {31, NO, 0}, {37, NO, 0}},
    [WL_S_INK7] = {{NO, NO, DIM}, {NO, NO, 0}, {NO, NO, 0}, {252, NO, 0}, {238, NO, 0}, {244, NO, 0}},
    [WL_S_NEWEST] = {{NO, NO, REVERSE | BOLD},
                     {NO, NO, REVERSE | BOLD},
                     {NO, NO, REVERSE | BOLD},
                     {16, 231, BOLD},
                     {231, 16, BOLD},
                     {NO, NO, REVERSE | BOLD}},
};

/* The backgrounds of the classes: dark or light ones.  On dark ones the dark palette is used, whatever the terminal's
 * own background. */
static short ground_color(palette p, wlab_ground g)
{
    if (g == WL_G_NONE || p < DARK || p == EITHER8)
        return NO;
    if (p == LIGHT)
        return g == WL_G_POSITIVE ? 153 : 223;
    return g == WL_G_POSITIVE ? 17 : 52;
}

static appearance appearance_of(palette p, wlab_style style, wlab_ground ground)
{
    short bg = ground_color(p, ground);
    appearance l = appearances[style][p == EITHER8 ? DARK8 : bg != NO && p == EITHER ? DARK : p];
    if (p == EITHER8 && l.bg == NO) { /* of 8 colours these are legible on black and on white */
        bool red = l.fg == COLOR_MAGENTA || l.fg == COLOR_RED;
        l.fg = l.fg == COLOR_CYAN ? COLOR_MAGENTA : red ? COLOR_RED : NO;
        if (style == WL_S_GIVEN_POSITIVE || style == WL_S_GIVEN_NEGATIVE)
            l.attr |= UNDER;
    }
    if (bg != NO && l.bg == NO && !(l.attr & REVERSE)) {
        l.bg = bg;
        if (l.fg == NO)
            l.fg = p == LIGHT ? 16 : 255;
    }
    return l;
}

static wlab_code select_palette(const char *name, int colors, palette *p, wlab_err *err)
{
    int k = 0;
    while (wlab_theme_names[k] && strcmp(wlab_theme_names[k], name) != 0)
        k++;
    if (!wlab_theme_names[k])
        return wlab_fail(err, WL_EARG, "no theme \"%.40s\"; the themes are auto, dark, light, mono", name);
    const char *no = getenv("NO_COLOR"), *ground = getenv("COLORFGBG"), *back;
    if (k == 3 || colors < 8 || (k == 0 && no && *no)) {
        *p = MONO;
        return WL_OK;
    }
    bool many = colors >= 256, known = k > 0, light = k == 2;
    if (k == 0 && ground && (back = strrchr(ground, ';')) != NULL) { /* "15;0", "0;default;15" */
        long n = strtol(back + 1, NULL, 10);
        known = back[1] >= '0' && back[1] <= '9';
        light = known && (n == 7 || n == 15);
    }
    *p = many ? (!known ? EITHER : light ? LIGHT : DARK) : !known ? EITHER8 : light ? LIGHT8 : DARK8;
    return WL_OK;
}

/* ---- curses ---- */

/* The terminal's state is global in curses, and so it is here. */
static struct {
    palette palette;
    attr_t attr[WL_STYLES][WL_GROUNDS];
    short pair[WL_STYLES][WL_GROUNDS];
} theme;

static short pair_of(short fg, short bg, short (*made)[2], short *n)
{
    if (fg == NO && bg == NO)
        return 0;
    for (short k = 1; k <= *n; k++)
        if (made[k][0] == fg && made[k][1] == bg)
            return k;
    if (*n + 1 >= COLOR_PAIRS || init_pair((short)(*n + 1), fg, bg) == ERR)
        return 0;
    ++*n;
    made[*n][0] = fg;
    made[*n][1] = bg;
    return *n;
}

wlab_code wlab_theme_start(const char *name, int colors, wlab_err *err)
{
    short made[(int)WL_STYLES * (int)WL_GROUNDS + 1][2], n = 0;
    wlab_code code = select_palette(name, colors, &theme.palette, err);

    if (code)
        return code;
    for (int s = 0; s < WL_STYLES; s++)
        for (int g = 0; g < WL_GROUNDS; g++) {
            appearance l = appearance_of(theme.palette, (wlab_style)s, (wlab_ground)g);
            theme.attr[s][g] = (l.attr & BOLD ? A_BOLD : 0) | (l.attr & DIM ? A_DIM : 0) |
                               (l.attr & UNDER ? A_UNDERLINE : 0) | (l.attr & REVERSE ? A_REVERSE : 0);
            theme.pair[s][g] = theme.palette == MONO ? 0 : pair_of(l.fg, l.bg, made, &n);
        }
    return WL_OK;
}

unsigned long wlab_theme_attr(wlab_style style, wlab_ground ground, short *pair)
{
    *pair = theme.pair[style][ground];
    return theme.attr[style][ground];
}

bool wlab_theme_tints(void)
{
    return theme.palette >= DARK && theme.palette < PALETTES;
}

/* ---- as escape sequences ---- */

void wlab_theme_sgr(const char *name, int colors, wlab_style style, wlab_ground ground, char *buf,
                    size_t size)
{
    palette p;
    if (select_palette(name, colors, &p, NULL))
        p = MONO;
    appearance l = appearance_of(p, style, ground);
    char fg[24] = "", bg[24] = "";
    bool many = p >= DARK && p < PALETTES;
    if (l.fg >= 0)
        snprintf(fg, sizeof fg, many ? ";38;5;%d" : ";%d", many ? l.fg : 30 + l.fg);
    if (l.bg >= 0)
        snprintf(bg, sizeof bg, many ? ";48;5;%d" : ";%d", many ? l.bg : 40 + l.bg);
    snprintf(buf, size, "\033[0%s%s%s%s%s%sm", l.attr & BOLD ? ";1" : "", l.attr & DIM ? ";2" : "",
             l.attr & UNDER ? ";4" : "", l.attr & REVERSE ? ";7" : "", fg, bg);
}
