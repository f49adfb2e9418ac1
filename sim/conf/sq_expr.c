/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_expr.c - from the text of an expectation to a tree: tokens, then sums by recursive descent. */
#include "sim/conf/sq_expr_in.h"

#include "sim/base/sq_unit.h"

#include <math.h>
#include <string.h>

enum { NESTING_MAX = 64, REFS_MAX = 64 };

enum token_kind { TOKEN_END, TOKEN_NAME, TOKEN_WORD, TOKEN_QUOTED, TOKEN_AMOUNT, TOKEN_SIGN };

struct token {
    enum token_kind kind;
    size_t from, until; /* bytes of the text; of a quoted word: without the marks */
};

struct parser {
    const struct sq_node *node;
    const char *text, *path;
    struct sq_arena *arena;
    struct sq_diag *diag;
    struct token now;
    unsigned depth;
    struct sq_expr_ref refs[REFS_MAX];
    size_t ref_count;
    enum sq_status status;
};

/* ---- complaints ---- */

static struct sq_where place(const struct parser *p, size_t at)
{
    struct sq_where where = p->node->where;
    if (!p->node->verbatim || where.col == 0) {
        return where;
    }
    where.col += p->node->quoted;
    for (size_t i = 0; i < at; i++) {
        where.col += ((unsigned char)p->text[i] & 0xC0) != 0x80;
    }
    return where;
}

/* The first mistake is the one that counts. */
static void complain(struct parser *p, size_t at, const char *hint, const char *text)
{
    if (p->status == SQ_OK) {
        p->status = sq_diag_error(p->diag, place(p, at), p->path, hint, "%s", text);
    }
}

/* The same about a piece of the text, which `text` names by one %s. */
static void complain_piece(struct parser *p, struct token t, const char *hint, const char *before,
                           const char *after)
{
    if (p->status == SQ_OK) {
        p->status = sq_diag_error(p->diag, place(p, t.from), p->path, hint, "%s`%.*s`%s", before,
                                  (int)(t.until - t.from), p->text + t.from, after);
    }
}

/* ---- tokens ---- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name(char c)
{
    return is_letter(c) || is_digit(c) || c == '_' || c == '.' || c == '-';
}

/* The end of an amount that starts at `at`: 1.5, 1h30m, 20%, 1e-7, 24/s. */
static size_t amount_end(const char *s, size_t at)
{
    size_t i = at;
    bool plain = true; /* digits and dots alone so far */
    for (; is_letter(s[i]) || is_digit(s[i]) || s[i] == '.' || s[i] == '%'; i++) {
        bool exponent = plain && (s[i] == 'e' || s[i] == 'E');
        if (exponent && (s[i + 1] == '-' || s[i + 1] == '+') && is_digit(s[i + 2])) {
            i++;
        }
        plain = plain && (is_digit(s[i]) || s[i] == '.');
    }
    return s[i] == '/' && is_letter(s[i + 1]) && !is_name(s[i + 2]) ? i + 2 : i;
}

static struct token next_token(struct parser *p, size_t at)
{
    const char *s = p->text;
    while (s[at] == ' ' || s[at] == '\t' || s[at] == '\n') {
        at++;
    }
    struct token t = { TOKEN_SIGN, at, at + 1 };
    if (s[at] == '\0') {
        return (struct token){ TOKEN_END, at, at };
    }
    if (is_digit(s[at])) {
        return (struct token){ TOKEN_AMOUNT, at, amount_end(s, at) };
    }
    if (s[at] == '"' || s[at] == '\'') {
        const char *end = strchr(s + at + 1, s[at]);
        if (end == NULL) {
            complain(p, at, NULL, "the quotation mark is not closed");
            return (struct token){ TOKEN_END, at, at };
        }
        return (struct token){ TOKEN_QUOTED, at + 1, (size_t)(end - s) };
    }
    if (is_letter(s[at])) {
        t.kind = TOKEN_WORD;
        for (t.until = at; is_name(s[t.until]); t.until++) {
            t.kind = s[t.until] == '.' ? TOKEN_NAME : t.kind;
        }
        return t;
    }
    bool two = strchr("=!<>", s[at]) != NULL && strchr("=<>", s[at + 1]) != NULL;
    if (two && s[at + 1] != '\0') {
        t.until++;
    } else if ((s[at] == '&' || s[at] == '|') && s[at + 1] == s[at]) {
        t.until++;
    }
    while (((unsigned char)s[t.until] & 0xC0) == 0x80) {
        t.until++; /* a whole character */
    }
    return t;
}

static size_t after(const struct parser *p, struct token t)
{
    return t.until + (t.kind == TOKEN_QUOTED && p->text[t.until] != '\0');
}

static void advance(struct parser *p)
{
    p->now = next_token(p, after(p, p->now));
}

static bool is_sign(const struct parser *p, const char *sign)
{
    size_t len = strlen(sign);
    return p->now.kind == TOKEN_SIGN && p->now.until - p->now.from == len &&
           memcmp(p->text + p->now.from, sign, len) == 0;
}

static char *piece(struct parser *p, size_t from, size_t until)
{
    char *text = sq_arena_text(p->arena, p->text + from, until - from);
    if (text == NULL && p->status == SQ_OK) {
        p->status = SQ_NOMEM;
    }
    return text;
}

/* ---- leaves ---- */

static struct sq_expr_node *new_node(struct parser *p, enum sq_expr_kind kind, size_t at)
{
    struct sq_expr_node *n = sq_arena_alloc(p->arena, 1, sizeof(*n));
    if (n == NULL) {
        p->status = p->status == SQ_OK ? SQ_NOMEM : p->status;
        return NULL;
    }
    n->kind = kind;
    n->where = place(p, at);
    return n;
}

/* Percentages may be above 100 here: `> 150% * ...`. */
static bool read_percent(char *text, double *out)
{
    size_t len = strlen(text);
    if (text[len - 1] != '%') {
        return false;
    }
    text[len - 1] = '\0';
    bool good = sq_unit_number(text, out) == NULL;
    *out /= 100;
    return good;
}

static bool read_amount(char *text, struct sq_expr_node *n)
{
    int64_t whole;
    if (sq_unit_number(text, &n->amount) == NULL || sq_unit_rate(text, &n->amount) == NULL) {
        return true;
    }
    if (sq_unit_duration(text, &whole) == NULL) {
        n->amount = sq_time_to_s(whole);
        n->unit = SQ_EXPR_SECONDS;
        return true;
    }
    if (sq_unit_count(text, &whole) == NULL || sq_unit_size(text, &whole) == NULL) {
        n->amount = (double)whole;
        return true;
    }
    n->unit = SQ_EXPR_SHARE;
    return read_percent(text, &n->amount);
}

static struct sq_expr_node *parse_amount(struct parser *p)
{
    struct sq_expr_node *n = new_node(p, SQ_EXPR_AMOUNT, p->now.from);
    char *text = piece(p, p->now.from, p->now.until);
    if (n != NULL && text != NULL && !read_amount(text, n)) {
        complain_piece(p, p->now, "amounts are written 1.5, 60k, 20%, 20m, 24/s or 512MiB", "",
                       " is no amount");
    }
    advance(p);
    return n;
}

/* drain.healthy_s is in seconds, dependency.x.calls_per_s is not. */
static enum sq_expr_unit unit_of(const char *name)
{
    size_t len = strlen(name);
    if (strncmp(name, "outcome.p_", 10) == 0) {
        return SQ_EXPR_SHARE;
    }
    bool ends = len >= 2 && strcmp(name + len - 2, "_s") == 0;
    return ends && (len < 6 || strcmp(name + len - 6, "_per_s") != 0) ? SQ_EXPR_SECONDS
                                                                      : SQ_EXPR_NUMBER;
}

/* Reads `@variant` behind a name. */
static void parse_variant(struct parser *p, struct sq_expr_ref *ref)
{
    size_t from = p->now.until + 1, until = from;
    while (is_name(p->text[until]) && p->text[until] != '.') {
        until++;
    }
    if (until == from) {
        complain(p, from - 1, "for example @base", "the name of a variant is missing behind the @");
    }
    ref->variant = piece(p, from, until);
    ref->at_variant = place(p, from);
    p->now.until = until;
}

static struct sq_expr_node *parse_name(struct parser *p)
{
    struct sq_expr_node *n = new_node(p, SQ_EXPR_REF, p->now.from);
    if (p->ref_count == REFS_MAX) {
        complain(p, p->now.from, NULL, "the expression has too many names");
    }
    if (p->status != SQ_OK || n == NULL) {
        return n;
    }
    struct sq_expr_ref *ref = &p->refs[p->ref_count];
    *ref = (struct sq_expr_ref){ .name = piece(p, p->now.from, p->now.until), .where = n->where };
    n->ref = p->ref_count++;
    n->unit = ref->name != NULL ? unit_of(ref->name) : SQ_EXPR_NUMBER;
    if (p->text[p->now.until] == '@') {
        parse_variant(p, ref);
    }
    advance(p);
    return n;
}

static struct sq_expr_node *parse_word(struct parser *p)
{
    bool quoted = p->now.kind == TOKEN_QUOTED;
    struct sq_expr_node *n = new_node(p, SQ_EXPR_WORD, p->now.from - quoted);
    char *text = piece(p, p->now.from, p->now.until);
    if (n == NULL || text == NULL) {
        return n;
    }
    n->word = text;
    if (!quoted && strcmp(text, "null") == 0) {
        n->kind = SQ_EXPR_NULL;
    }
    if (!quoted && p->text[p->now.until] == '@') {
        complain_piece(p, p->now, "metrics have names with dots, for example jobs.completed", "",
                       " is a word, not a metric");
    }
    advance(p);
    return n;
}

/* ---- sums ---- */

static struct sq_expr_node *parse_sum(struct parser *p);

static struct sq_expr_node *parse_group(struct parser *p)
{
    size_t at = p->now.from;
    if (p->depth == NESTING_MAX) {
        complain(p, at, NULL, "parentheses stand too deep");
        return NULL;
    }
    p->depth++;
    advance(p);
    struct sq_expr_node *n = parse_sum(p);
    p->depth--;
    if (!is_sign(p, ")")) {
        complain(p, at, NULL, "the parenthesis is not closed");
    }
    advance(p);
    return n;
}

static struct sq_expr_node *parse_factor(struct parser *p)
{
    if (p->status != SQ_OK) {
        return NULL;
    }
    switch (p->now.kind) {
    case TOKEN_NAME:
        return parse_name(p);
    case TOKEN_WORD:
    case TOKEN_QUOTED:
        return parse_word(p);
    case TOKEN_AMOUNT:
        return parse_amount(p);
    case TOKEN_SIGN:
        if (is_sign(p, "(")) {
            return parse_group(p);
        }
        complain_piece(p, p->now, NULL, "a metric or an amount is missing before ", "");
        return NULL;
    case TOKEN_END:
        complain(p, p->now.from, NULL, "a metric or an amount is missing at the end");
        return NULL;
    }
    SQ_UNREACHABLE("every token is handled above");
}

static struct sq_expr_node *parse_signed(struct parser *p)
{
    if (!is_sign(p, "-")) {
        return parse_factor(p);
    }
    struct sq_expr_node *n = new_node(p, SQ_EXPR_NEG, p->now.from);
    advance(p);
    const struct sq_expr_node *a = parse_factor(p);
    if (n != NULL && a != NULL) {
        n->a = a;
        n->unit = a->unit;
    }
    return n;
}

/* Seconds stay seconds when plain numbers multiply or divide them. */
static enum sq_expr_unit unit_with(enum sq_expr_kind kind, enum sq_expr_unit a, enum sq_expr_unit b)
{
    if (kind == SQ_EXPR_ADD || kind == SQ_EXPR_SUB) {
        return a == b ? a : SQ_EXPR_NUMBER;
    }
    if (kind == SQ_EXPR_MUL && a != SQ_EXPR_SECONDS) {
        return b == SQ_EXPR_SECONDS ? b : SQ_EXPR_NUMBER;
    }
    return a == SQ_EXPR_SECONDS && b != SQ_EXPR_SECONDS ? a : SQ_EXPR_NUMBER;
}

static struct sq_expr_node *join(struct parser *p, enum sq_expr_kind kind, struct sq_expr_node *a,
                                 struct sq_expr_node *b)
{
    if (a == NULL || b == NULL) {
        return NULL;
    }
    struct sq_expr_node *n = new_node(p, kind, 0);
    if (n != NULL) {
        n->where = a->where;
        n->a = a;
        n->b = b;
        n->unit = unit_with(kind, a->unit, b->unit);
    }
    return n;
}

static struct sq_expr_node *parse_product(struct parser *p)
{
    struct sq_expr_node *n = parse_signed(p);
    while (p->status == SQ_OK && (is_sign(p, "*") || is_sign(p, "/"))) {
        enum sq_expr_kind kind = is_sign(p, "*") ? SQ_EXPR_MUL : SQ_EXPR_DIV;
        advance(p);
        n = join(p, kind, n, parse_signed(p));
    }
    return n;
}

static struct sq_expr_node *parse_sum(struct parser *p)
{
    struct sq_expr_node *n = parse_product(p);
    while (p->status == SQ_OK && (is_sign(p, "+") || is_sign(p, "-"))) {
        enum sq_expr_kind kind = is_sign(p, "+") ? SQ_EXPR_ADD : SQ_EXPR_SUB;
        advance(p);
        n = join(p, kind, n, parse_product(p));
    }
    return n;
}

/* ---- the comparison ---- */

static const char *const comparisons[] = { "==", "!=", "<", "<=", ">", ">=" };

/* Index of the comparison that stands here, or -1. */
static int find_comparison(const struct parser *p)
{
    for (size_t i = 0; i < SQ_COUNT(comparisons); i++) {
        if (is_sign(p, comparisons[i])) {
            return (int)i;
        }
    }
    return -1;
}

/* What stands where the comparison, or the end, should. */
static void complain_here(struct parser *p, bool second)
{
    struct token t = p->now;
    if (t.kind == TOKEN_END) {
        complain(p, t.from, "one of == != < <= > >=", "a comparison is missing");
    } else if (is_sign(p, "=")) {
        complain_piece(p, t, "did you mean `==`?", "", " is no comparison");
    } else if (is_sign(p, "=<") || is_sign(p, "=>") || is_sign(p, "<>")) {
        complain_piece(p, t, "comparisons: == != < <= > >=", "", " is no comparison");
    } else if (second && (find_comparison(p) >= 0 || is_sign(p, "&&") || is_sign(p, "||"))) {
        complain_piece(p, t, "write two expectations",
                       "one comparison is enough: ", " cannot follow");
    } else if (t.kind == TOKEN_WORD || t.kind == TOKEN_QUOTED) {
        complain_piece(p, t, "a word with blanks stands in quotation marks: \"will not drain\"", "",
                       " cannot stand here");
    } else {
        complain_piece(p, t, NULL, "", " cannot stand here");
    }
}

static enum sq_expr_cmp mirrored(enum sq_expr_cmp cmp)
{
    static const enum sq_expr_cmp mirror[] = { SQ_EXPR_EQ, SQ_EXPR_NE, SQ_EXPR_GT,
                                               SQ_EXPR_GE, SQ_EXPR_LT, SQ_EXPR_LE };
    return mirror[cmp];
}

static void parse_comparison(struct parser *p, struct sq_expr *e)
{
    e->left = parse_sum(p);
    int cmp = p->status == SQ_OK ? find_comparison(p) : -1;
    if (cmp < 0) {
        complain_here(p, false);
        return;
    }
    e->cmp = (enum sq_expr_cmp)cmp;
    advance(p);
    e->right = parse_sum(p);
    if (p->status == SQ_OK && p->now.kind != TOKEN_END) {
        complain_here(p, true);
    }
    if (p->ref_count == 0) {
        complain(p, 0, "metrics have names with dots, for example jobs.completed",
                 "the expression names no metric");
    }
    if (p->status == SQ_OK && sq_expr_is_constant(e->left)) {
        const struct sq_expr_node *left = e->left;
        e->left = e->right;
        e->right = left;
        e->cmp = mirrored(e->cmp);
    }
}

enum sq_status sq_expr_parse(const struct sq_node *node, const char *path, struct sq_arena *arena,
                             struct sq_diag *diag, const struct sq_expr **out)
{
    SQ_ASSERT(node->kind == SQ_NODE_SCALAR);
    struct parser p = {
        .node = node, .text = node->text, .path = path, .arena = arena, .diag = diag
    };
    struct sq_expr *e = sq_arena_alloc(arena, 1, sizeof(*e));
    if (e == NULL) {
        return SQ_NOMEM;
    }
    advance(&p);
    if (p.now.kind == TOKEN_END) {
        complain(&p, 0, "for example jobs.completed > 0", "the expression is empty");
    } else {
        parse_comparison(&p, e);
    }
    e->text = node->text;
    e->ref_count = p.ref_count;
    e->refs = sq_arena_alloc(arena, p.ref_count + 1, sizeof(*e->refs));
    if (p.status != SQ_OK || e->refs == NULL) {
        return p.status != SQ_OK && !diag->failed ? p.status : SQ_NOMEM;
    }
    memcpy(e->refs, p.refs, p.ref_count * sizeof(*e->refs));
    *out = e;
    return SQ_OK;
}
