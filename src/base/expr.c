/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Conditions over metrics and formulas over columns: parsed by recursive descent into a postfix program with a small
 * stack.
 */
#include "weaklab/expr.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MAX_DEPTH = 60, /* nesting of parentheses and signs */
    MAX_STACK = 4 * MAX_DEPTH,
    MAX_OPS = 1000
};

typedef enum op_kind {
    OP_NUMBER,
    OP_METRIC,
    OP_NEG,
    OP_ABS, /* functions of one number, up to OP_SQRT */
    OP_SIN,
    OP_COS,
    OP_EXP,
    OP_LOG,
    OP_SQRT,
    OP_ADD, /* operators, up to OP_MAX functions of two numbers */
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_POWER,
    OP_MIN,
    OP_MAX,
    OP_LT,
    OP_LE,
    OP_GT,
    OP_GE,
    OP_EQ,
    OP_NE,
    OP_INCREASES,
    OP_DECREASES,
    OP_CHANGES,
    OP_NOT,
    OP_AND,
    OP_OR
} op_kind;

static const struct function {
    const char *name;
    op_kind kind;
    int numbers;
} functions[] = {
    {"abs", OP_ABS, 1}, {"sin", OP_SIN, 1},   {"cos", OP_COS, 1}, {"exp", OP_EXP, 1},
    {"log", OP_LOG, 1}, {"sqrt", OP_SQRT, 1}, {"min", OP_MIN, 2}, {"max", OP_MAX, 2},
};
enum {
    FUNCTIONS = sizeof functions / sizeof *functions
};

typedef struct op {
    op_kind kind;
    int index; /* of the metric */
    double number;
} op;

struct wlab_expr {
    char *text;
    op *ops;
    int n, cap;
    bool condition;
};

/* ---- tokens ---- */

typedef enum token {
    T_END,
    T_NUMBER,
    T_NAME,
    T_SIGN
} token;

typedef struct parser {
    const char *text, *at; /* at: after the present token */
    token kind;
    const char *begin; /* of the token */
    size_t len;
    double number;
    const char *const *known;
    int nknown, depth, stack, deepest;
    bool columns; /* the names are columns of data, not metrics */
    wlab_expr *expr;
    wlab_err *err;
} parser;

typedef enum type {
    BAD, /* an error was reported */
    REAL,
    TRUTH
} type;

static type fail(parser *p, const char *at, const char *what)
{
    size_t left = strlen(p->text);

    wlab_fail_at(p->err, NULL, 0, (long)(at - p->text) + 1, "%s at column %ld of \"%.*s%s\"", what,
                 (long)(at - p->text) + 1, left > 200 ? 200 : (int)left, p->text, left > 200 ? "..." : "");
    return BAD;
}

static bool read_token(parser *p)
{
    static const char *const signs[] = {"<=", ">=", "==", "!=", "&&", "||", "<", ">", "=", "!",
                                        "+",  "-",  "*",  "/",  "^",  "(",  ")", ",", NULL};
    const char *s = p->at;

    while (isspace((unsigned char)*s))
        s++;
    p->begin = s;
    if (!*s) {
        p->kind = T_END;
        p->len = 0;
    } else if (isdigit((unsigned char)*s) || (*s == '.' && isdigit((unsigned char)s[1]))) {
        char number[64];

        while (isalnum((unsigned char)*s) || *s == '.' ||
               ((*s == '+' || *s == '-') && (s[-1] == 'e' || s[-1] == 'E')))
            s++;
        p->kind = T_NUMBER;
        p->len = (size_t)(s - p->begin);
        if (p->len >= sizeof number)
            return fail(p, p->begin, "a number that is too long");
        memcpy(number, p->begin, p->len);
        number[p->len] = 0;
        if (!wlab_parse_real(number, &p->number))
            return fail(p, p->begin, "not a number");
    } else if (isalpha((unsigned char)*s) || *s == '_') {
        while (isalnum((unsigned char)*s) || *s == '_')
            s++;
        p->kind = T_NAME;
        p->len = (size_t)(s - p->begin);
    } else {
        int i = 0;

        while (signs[i] && strncmp(s, signs[i], strlen(signs[i])) != 0)
            i++;
        if (!signs[i])
            return fail(p, s, "unexpected character");
        p->kind = T_SIGN;
        p->len = strlen(signs[i]);
        s += p->len;
    }
    p->at = s;
    return true;
}

static bool token_is(const parser *p, const char *word)
{
    return p->kind != T_END && p->kind != T_NUMBER && p->len == strlen(word) &&
           strncmp(p->begin, word, p->len) == 0;
}

/* ---- the program ---- */

static bool add_op(parser *p, op_kind kind, int index, double number)
{
    wlab_expr *e = p->expr;
    int change = kind == OP_NUMBER || kind == OP_METRIC || (kind >= OP_INCREASES && kind <= OP_CHANGES) ? 1
                 : (kind >= OP_NEG && kind <= OP_SQRT) || kind == OP_NOT                                ? 0
                                                                                                        : -1;

    if (e->n == e->cap) {
        int cap = e->cap ? 2 * e->cap : 8;
        op *ops = e->n < MAX_OPS ? wlab_realloc(e->ops, (size_t)cap, sizeof *ops) : NULL;

        if (e->n >= MAX_OPS) {
            fail(p, p->begin, "an expression that is too long");
            return false;
        }
        if (!ops) {
            wlab_nomem(p->err);
            return false;
        }
        e->ops = ops;
        e->cap = cap;
    }
    e->ops[e->n++] = (op){.kind = kind, .index = index, .number = number};
    p->stack += change;
    if (p->stack > p->deepest)
        p->deepest = p->stack;
    return true;
}

static int find_name(const parser *p, const char *name, size_t len)
{
    for (int i = 0; i < p->nknown; i++)
        if (strlen(p->known[i]) == len && strncmp(p->known[i], name, len) == 0)
            return i;
    return -1;
}

static type unknown_name(parser *p)
{
    char word[65], what[256];
    const char *near;

    memcpy(word, p->begin, p->len < 64 ? p->len : 64);
    word[p->len < 64 ? p->len : 64] = 0;
    if (p->columns) {
        snprintf(what, sizeof what,
                 p->nknown > 1 ? "no column \"%s\" (there are x1 to x%d) and no function of this name,"
                               : "no column \"%s\" (there is x%d alone) and no function of this name,",
                 word, p->nknown);
        return fail(p, p->begin, what);
    }
    near = wlab_nearest(word, p->known, (size_t)p->nknown);
    if (near)
        snprintf(what, sizeof what, "no metric \"%s\" (did you mean \"%s\"?)", word, near);
    else
        snprintf(what, sizeof what, "no metric \"%s\" in this run", word);
    return fail(p, p->begin, what);
}

static type parse_or(parser *);

/* "(" sum { "," sum } ")" after the name of a function. */
static type parse_call(parser *p, const struct function *f)
{
    char what[80];

    if (!read_token(p))
        return BAD;
    if (!token_is(p, "(")) {
        snprintf(what, sizeof what, "expected \"(\" after %s", f->name);
        return fail(p, p->begin, what);
    }
    for (int i = 0; i < f->numbers; i++) {
        if (i > 0 && !token_is(p, ",")) {
            snprintf(what, sizeof what, "expected \",\": %s takes %d numbers", f->name, f->numbers);
            return fail(p, p->begin, what);
        }
        if (!read_token(p))
            return BAD;
        const char *at = p->begin;
        const type t = parse_or(p);
        if (t == BAD)
            return BAD;
        if (t == TRUTH) {
            snprintf(what, sizeof what, "%s needs a number, not a condition;", f->name);
            return fail(p, at, what);
        }
    }
    if (!token_is(p, ")"))
        return fail(p, p->begin, "expected \")\"");
    return read_token(p) && add_op(p, f->kind, 0, 0) ? REAL : BAD;
}

static const struct function *function_of(const parser *p)
{
    for (int i = 0; i < FUNCTIONS; i++)
        if (token_is(p, functions[i].name) && find_name(p, p->begin, p->len) < 0)
            return &functions[i];
    return NULL;
}

static type parse_primary(parser *p)
{
    type t = BAD;

    if (p->kind == T_NUMBER) {
        if (add_op(p, OP_NUMBER, 0, p->number) && read_token(p))
            t = REAL;
    } else if (token_is(p, "(")) {
        if (!read_token(p))
            return BAD;
        t = parse_or(p);
        if (t != BAD && !token_is(p, ")"))
            t = fail(p, p->begin, "expected \")\"");
        if (t != BAD && !read_token(p))
            t = BAD;
    } else if (function_of(p)) {
        t = parse_call(p, function_of(p));
    } else if (token_is(p, "pi") && find_name(p, "pi", 2) < 0) {
        if (add_op(p, OP_NUMBER, 0, M_PI) && read_token(p))
            t = REAL;
    } else if (p->kind == T_NAME && !token_is(p, "and") && !token_is(p, "or") && !token_is(p, "not")) {
        int index = find_name(p, p->begin, p->len);
        op_kind kind = OP_METRIC;

        if (index < 0)
            return unknown_name(p);
        if (!read_token(p))
            return BAD;
        if (token_is(p, "increases"))
            kind = OP_INCREASES;
        else if (token_is(p, "decreases"))
            kind = OP_DECREASES;
        else if (token_is(p, "changes"))
            kind = OP_CHANGES;
        if (add_op(p, kind, index, 0) && (kind == OP_METRIC || read_token(p)))
            t = kind == OP_METRIC ? REAL : TRUTH;
    } else {
        t = fail(p, p->begin,
                 p->columns && p->kind == T_END ? "expected a column or a number, found the end"
                 : p->columns                   ? "expected a column or a number"
                 : p->kind == T_END             ? "expected a metric or a number, found the end"
                                                : "expected a metric or a number");
    }
    return t;
}

/* "^" binds tighter than the sign before it and takes the sign behind it: -x^2 = -(x^2), x^-1 = 1/x. */
static type parse_factor(parser *p)
{
    const bool minus = token_is(p, "-");
    const char *at;
    type t;

    if (++p->depth > MAX_DEPTH)
        return fail(p, p->begin, "nested too deeply");
    if (minus && !read_token(p))
        return BAD;
    at = p->begin;
    t = minus ? parse_factor(p) : parse_primary(p);
    if (minus && t == TRUTH)
        t = fail(p, at, p->columns ? "expected a number or a column" : "expected a number or a metric");
    else if (minus && t == REAL && !add_op(p, OP_NEG, 0, 0))
        t = BAD;
    if (t != BAD && token_is(p, "^")) {
        if (t != REAL)
            return fail(p, at, "cannot calculate with a condition;");
        if (!read_token(p))
            return BAD;
        at = p->begin;
        t = parse_factor(p);
        if (t == TRUTH)
            t = fail(p, at, "cannot calculate with a condition;");
        else if (t == REAL && !add_op(p, OP_POWER, 0, 0))
            t = BAD;
    }
    p->depth--;
    return t;
}

/* Left-associative chains of two operators over numbers. */
static type parse_chain(parser *p, const char *const word[2], const op_kind kind[2], type (*part)(parser *))
{
    type t = part(p);

    while (t != BAD && (token_is(p, word[0]) || token_is(p, word[1]))) {
        op_kind k = token_is(p, word[0]) ? kind[0] : kind[1];
        const char *at = p->begin;

        if (t != REAL)
            return fail(p, at, "cannot calculate with a condition;");
        if (!read_token(p))
            return BAD;
        at = p->begin;
        t = part(p);
        if (t == TRUTH)
            return fail(p, at, "cannot calculate with a condition;");
        if (t == REAL && !add_op(p, k, 0, 0))
            t = BAD;
    }
    return t;
}

static type parse_product(parser *p)
{
    return parse_chain(p, (const char *const[]){"*", "/"}, (const op_kind[]){OP_MUL, OP_DIV}, parse_factor);
}

static type parse_sum(parser *p)
{
    return parse_chain(p, (const char *const[]){"+", "-"}, (const op_kind[]){OP_ADD, OP_SUB}, parse_product);
}

static type parse_comparison(parser *p)
{
    static const char *const signs[] = {"<", "<=", ">", ">=", "==", "!="};
    const char *at = p->begin;
    type t = parse_sum(p);

    if (t != BAD && token_is(p, "="))
        return fail(p, p->begin, "use \"==\" to compare, not \"=\";");
    for (int i = 0; t != BAD && i < 6; i++) {
        if (!token_is(p, signs[i]))
            continue;
        if (t == TRUTH)
            return fail(p, at, "only numbers can be compared;");
        if (!read_token(p))
            return BAD;
        at = p->begin;
        t = parse_sum(p);
        if (t == TRUTH)
            return fail(p, at, "only numbers can be compared;");
        if (t != BAD && !add_op(p, (op_kind)(OP_LT + i), 0, 0))
            return BAD;
        return t == BAD ? BAD : TRUTH;
    }
    return t;
}

static type parse_not(parser *p)
{
    const char *at;
    type t;

    if (!token_is(p, "not") && !token_is(p, "!"))
        return parse_comparison(p);
    if (++p->depth > MAX_DEPTH)
        return fail(p, p->begin, "nested too deeply");
    if (!read_token(p))
        return BAD;
    at = p->begin;
    t = parse_not(p);
    p->depth--;
    if (t == REAL)
        return fail(p, at, "expected a condition after \"not\"");
    return t != BAD && add_op(p, OP_NOT, 0, 0) ? TRUTH : BAD;
}

static type parse_logic(parser *p, const char *word, const char *sign, op_kind kind, type (*part)(parser *))
{
    const char *at = p->begin;
    type t = part(p);

    while (t != BAD && (token_is(p, word) || token_is(p, sign))) {
        if (t != TRUTH)
            return fail(p, at, "expected a condition, such as relgap < 1e-3,");
        if (!read_token(p))
            return BAD;
        at = p->begin;
        t = part(p);
        if (t == REAL)
            return fail(p, at, "expected a condition, such as relgap < 1e-3,");
        if (t != BAD && !add_op(p, kind, 0, 0))
            return BAD;
    }
    return t;
}

static type parse_and(parser *p)
{
    return parse_logic(p, "and", "&&", OP_AND, parse_not);
}

static type parse_or(parser *p)
{
    return parse_logic(p, "or", "||", OP_OR, parse_and);
}

typedef enum wanted {
    CONDITION,
    VALUE,  /* a number or a condition */
    FORMULA /* a number, over columns */
} wanted;

static wlab_code create(wlab_expr **out, const char *text, const char *const *known, int n, wanted want,
                        wlab_err *err)
{
    wlab_expr *e = wlab_calloc(1, sizeof *e);
    wlab_err own;
    parser p = {.known = known, .nknown = n, .expr = e, .err = err ? err : &own};
    size_t len;
    type t = BAD;

    p.columns = want == FORMULA;
    *out = NULL;
    if (!e)
        return wlab_nomem(err);
    while (!p.columns && isspace((unsigned char)*text))
        text++;
    len = strlen(text);
    while (len > 0 && isspace((unsigned char)text[len - 1]))
        len--;
    e->text = wlab_strndup(text, len);
    if (!e->text) {
        wlab_expr_destroy(e);
        return wlab_nomem(err);
    }
    p.text = p.at = e->text;
    if (len == 0)
        wlab_fail_at(p.err, NULL, 0, 1, "a %s is missing, such as %s", p.columns ? "formula" : "condition",
                     p.columns ? "x1^2 + x2 - 1" : "relgap < 1e-3");
    else if (read_token(&p))
        t = parse_or(&p);
    if (t != BAD && p.kind != T_END)
        t = fail(&p, p.begin, token_is(&p, "=") ? "use \"==\" to compare, not \"=\";" : "unexpected text");
    if (t == TRUTH && p.columns)
        t = fail(&p, p.text, "expected a number, such as x1 - x2, not a condition,");
    if (t == REAL && want == CONDITION)
        t = fail(&p, p.begin, "expected a comparison, such as < 1e-3,");
    if (t != BAD && p.deepest > MAX_STACK)
        t = fail(&p, p.begin, "nested too deeply");
    if (t == BAD) {
        wlab_expr_destroy(e);
        return p.err->code;
    }
    e->condition = t == TRUTH;
    *out = e;
    return WL_OK;
}

wlab_code wlab_expr_create(wlab_expr **out, const char *text, const char *const *known, int n, wlab_err *err)
{
    return create(out, text, known, n, CONDITION, err);
}

wlab_code wlab_expr_create_value(wlab_expr **out, const char *text, const char *const *known, int n,
                                 wlab_err *err)
{
    return create(out, text, known, n, VALUE, err);
}

wlab_code wlab_expr_create_formula(wlab_expr **out, const char *text, int columns, wlab_err *err)
{
    char name[WL_EXPR_COLUMNS][8];
    const char *known[WL_EXPR_COLUMNS];

    for (int i = 0; i < columns; i++) {
        snprintf(name[i], sizeof name[i], "x%d", i + 1);
        known[i] = name[i];
    }
    return create(out, text, known, columns, FORMULA, err);
}

void wlab_expr_destroy(wlab_expr *e)
{
    if (!e)
        return;
    wlab_free(e->text);
    wlab_free(e->ops);
    wlab_free(e);
}

const char *wlab_expr_text(const wlab_expr *e)
{
    return e->text;
}

bool wlab_expr_is_condition(const wlab_expr *e)
{
    return e->condition;
}

bool wlab_expr_uses(const wlab_expr *e, int index)
{
    for (int i = 0; i < e->n; i++)
        if ((e->ops[i].kind == OP_METRIC ||
             (e->ops[i].kind >= OP_INCREASES && e->ops[i].kind <= OP_CHANGES)) &&
            e->ops[i].index == index)
            return true;
    return false;
}

/* ---- evaluation ---- */

static double apply_function(op_kind kind, double a)
{
    switch (kind) {
    case OP_NEG:
        return -a;
    case OP_ABS:
        return fabs(a);
    case OP_SIN:
        return sin(a);
    case OP_COS:
        return cos(a);
    case OP_EXP:
        return exp(a);
    case OP_LOG:
        return log(a);
    case OP_SQRT:
        return sqrt(a);
    default: /* OP_NOT */
        return a == 0;
    }
}

static double apply_operator(op_kind kind, double a, double b)
{
    bool both = !isnan(a) && !isnan(b);

    switch (kind) {
    case OP_ADD:
        return a + b;
    case OP_SUB:
        return a - b;
    case OP_MUL:
        return a * b;
    case OP_DIV:
        return a / b;
    case OP_POWER:
        return pow(a, b);
    case OP_MIN: /* unlike fmin, NaN if one of them is */
        return both ? fmin(a, b) : NAN;
    case OP_MAX:
        return both ? fmax(a, b) : NAN;
    case OP_LT:
        return both && a < b;
    case OP_LE:
        return both && a <= b;
    case OP_GT:
        return both && a > b;
    case OP_GE:
        return both && a >= b;
    case OP_EQ:
        return both && a == b;
    case OP_NE:
        return both && a != b;
    case OP_AND:
        return a != 0 && b != 0;
    default: /* OP_OR */
        return a != 0 || b != 0;
    }
}

static double has_moved(op_kind kind, double now, double before)
{
    if (kind == OP_INCREASES)
        return now > before;
    if (kind == OP_DECREASES)
        return now < before;
    return now != before && !isnan(now); /* the first value after a missing one is a change too */
}

double wlab_expr_value(const wlab_expr *e, const double *now, const double *before, int *missing)
{
    double stack[MAX_STACK + 1];
    int n = 0, none = -1;

    for (int i = 0; i < e->n; i++) {
        const op *o = &e->ops[i];
        bool reads = o->kind == OP_METRIC || (o->kind >= OP_INCREASES && o->kind <= OP_CHANGES);

        if (reads && isnan(now[o->index]) && none < 0)
            none = o->index;
        if (o->kind == OP_NUMBER)
            stack[n++] = o->number;
        else if (o->kind == OP_METRIC)
            stack[n++] = now[o->index];
        else if (reads)
            stack[n++] = before ? has_moved(o->kind, now[o->index], before[o->index]) : 0;
        else if ((o->kind >= OP_NEG && o->kind <= OP_SQRT) || o->kind == OP_NOT)
            stack[n - 1] = apply_function(o->kind, stack[n - 1]);
        else {
            n--;
            stack[n - 1] = apply_operator(o->kind, stack[n - 1], stack[n]);
        }
    }
    if (missing)
        *missing = none;
    return stack[0];
}

bool wlab_expr_true(const wlab_expr *e, const double *now, const double *before, int *missing)
{
    return wlab_expr_value(e, now, before, missing) != 0;
}
