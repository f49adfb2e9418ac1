/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_leaf.c - values that are written as one scalar: reading, ranges, absence. */
#include "sim/conf/sq_conf_in.h"

#include "sim/base/sq_unit.h"

#include <math.h>
#include <string.h>

bool sq_leaf_is(const struct sq_field *row)
{
    return row->type <= SQ_REF;
}

const char *sq_leaf_wanted(const struct sq_field *row)
{
    static const char *const wanted[] = {
        [SQ_TIME] = "a duration such as 5s",
        [SQ_RATE] = "a rate such as 24/s",
        [SQ_RATIO] = "a ratio such as 20%",
        [SQ_AMOUNT] = "a whole number such as 40 or 60k",
        [SQ_SIZE] = "a size such as 512MB",
        [SQ_SEED] = "a whole number such as 7",
        [SQ_NUMBER] = "a number such as 1.5",
        [SQ_QUANTITY] = "a value such as 750, 30s, 10/s or 70%",
        [SQ_BOOL] = "true or false",
        [SQ_TEXT] = "a text",
        [SQ_CHOICE] = "a word",
        [SQ_REF] = "a name",
        [SQ_GROUP] = "a map of keys",
        [SQ_BLOCK] = "a map with `kind`",
        [SQ_LIST] = "a list",
        [SQ_MAP] = "a map",
        [SQ_RAW] = "a value",
    };
    SQ_ASSERT(row->type < SQ_COUNT(wanted));
    return row->type == SQ_GROUP && (row->flags & SQ_F_TUPLE) != 0 ? "a list of values"
                                                                   : wanted[row->type];
}

static bool is_real(enum sq_ftype type)
{
    return type == SQ_RATE || type == SQ_RATIO || type == SQ_NUMBER;
}

static bool is_amount(enum sq_ftype type)
{
    return type == SQ_AMOUNT || type == SQ_SIZE;
}

/* The value of `none` or an absent key. */
static union sq_leaf absent_value(const struct sq_field *row)
{
    union sq_leaf v = { .whole = -1 };
    if (is_real(row->type)) {
        v.real = (double)NAN;
    } else if (row->type == SQ_TIME) {
        v.whole = SQ_NEVER;
    } else if (row->type == SQ_SEED) {
        v.seed = 0;
    } else if (row->type == SQ_QUANTITY) {
        v.quantity = (struct sq_quantity){ (double)NAN, SQ_NUMBER };
    } else if (row->type == SQ_BOOL) {
        v.truth = false;
    } else if (row->type == SQ_TEXT || row->type == SQ_REF) {
        v.text = NULL;
    }
    return v;
}

/* -1: not among the words of a CHOICE. */
static int find_choice(const struct sq_field *row, const char *text)
{
    const char *const *words = row->more;
    for (int i = 0; words[i] != NULL; i++) {
        if (strcmp(words[i], text) == 0) {
            return i;
        }
    }
    return -1;
}

static const char *read_truth(const struct sq_node *node, bool *out)
{
    bool yes = strcmp(node->text, "true") == 0;
    if (node->quoted || (!yes && strcmp(node->text, "false") != 0)) {
        return "is not true or false";
    }
    *out = yes;
    return NULL;
}

/* The first way of reading it that works; without a unit it is a number or a count (60k). */
static const char *read_quantity(const char *text, struct sq_quantity *out)
{
    sq_time_t time;
    int64_t count;
    out->unit = SQ_NUMBER;
    if (sq_unit_number(text, &out->value) == NULL) {
        return NULL;
    }
    if (sq_unit_count(text, &count) == NULL) {
        out->value = (double)count;
        return NULL;
    }
    out->unit = SQ_TIME;
    if (sq_unit_duration(text, &time) == NULL) {
        out->value = sq_time_to_s(time);
        return NULL;
    }
    out->unit = SQ_RATE;
    if (sq_unit_rate(text, &out->value) == NULL) {
        return NULL;
    }
    out->unit = SQ_RATIO;
    return sq_unit_ratio(text, &out->value) == NULL ? NULL : "is no value that can stand here";
}

/* A change is written with its sign; without one it is an increase. */
static const char *read_amount(const struct sq_field *row, const char *text, int64_t *out)
{
    if ((row->flags & SQ_F_SIGNED) == 0 || (text[0] != '+' && text[0] != '-')) {
        return sq_unit_count(text, out);
    }
    const char *problem = sq_unit_count(text + 1, out);
    *out = text[0] == '-' ? -*out : *out;
    return problem;
}

const char *sq_leaf_read(const struct sq_field *row, const struct sq_node *node, union sq_leaf *out)
{
    const char *text = node->text;
    int choice = row->type == SQ_CHOICE ? find_choice(row, text) : -1;
    if (choice < 0 && (row->flags & SQ_F_NONE) != 0 && strcmp(text, "none") == 0) {
        *out = absent_value(row);
        return NULL;
    }
    if ((row->flags & SQ_F_UNLIMITED) != 0 && strcmp(text, "unlimited") == 0 &&
        (is_real(row->type) || is_amount(row->type) || row->type == SQ_TIME)) {
        if (is_real(row->type)) {
            out->real = (double)INFINITY;
        } else {
            out->whole = SQ_UNLIMITED; /* which SQ_NEVER is, too */
        }
        return NULL;
    }
    switch (row->type) {
    case SQ_TIME:
        return sq_unit_duration(text, &out->whole);
    case SQ_RATE:
        return sq_unit_rate(text, &out->real);
    case SQ_RATIO:
        return sq_unit_ratio(text, &out->real);
    case SQ_AMOUNT:
        return read_amount(row, text, &out->whole);
    case SQ_SIZE:
        return sq_unit_size(text, &out->whole);
    case SQ_SEED:
        return sq_unit_seed(text, &out->seed);
    case SQ_NUMBER:
        return sq_unit_number(text, &out->real);
    case SQ_QUANTITY:
        return read_quantity(text, &out->quantity);
    case SQ_BOOL:
        return read_truth(node, &out->truth);
    case SQ_TEXT:
        out->text = text;
        return NULL;
    case SQ_CHOICE:
        out->whole = choice;
        return choice < 0 ? "is not a word that can stand here" : NULL;
    case SQ_REF:
        out->text = text;
        return sq_is_name(text) ? NULL : "is not a name";
    case SQ_GROUP:
    case SQ_BLOCK:
    case SQ_LIST:
    case SQ_MAP:
    case SQ_RAW:
        break;
    }
    return "is not a map or list";
}

static void put_bound(struct sq_buf *b, const struct sq_field *row, double bound)
{
    switch (row->type) {
    case SQ_TIME:
        sq_unit_put_duration(b, (sq_time_t)bound);
        return;
    case SQ_RATE:
        sq_unit_put_rate(b, bound);
        return;
    case SQ_RATIO:
        sq_unit_put_ratio(b, bound);
        return;
    case SQ_AMOUNT:
        sq_unit_put_count(b, (int64_t)bound);
        return;
    case SQ_SIZE:
        sq_unit_put_count(b, (int64_t)bound);
        sq_buf_putc(b, 'B');
        return;
    case SQ_SEED:
    case SQ_NUMBER:
    case SQ_QUANTITY:
    case SQ_BOOL:
    case SQ_TEXT:
    case SQ_CHOICE:
    case SQ_REF:
    case SQ_GROUP:
    case SQ_BLOCK:
    case SQ_LIST:
    case SQ_MAP:
    case SQ_RAW:
        sq_buf_number(b, bound, 15);
        return;
    }
}

bool sq_leaf_check(struct sq_walk *w, const struct sq_field *row, const struct sq_node *node,
                   const union sq_leaf *value, const struct sq_path *path)
{
    bool real = is_real(row->type) || row->type == SQ_QUANTITY;
    bool whole = row->type == SQ_TIME || is_amount(row->type);
    bool open = row->min == 0 && row->max == 0;
    double amount = row->type == SQ_QUANTITY ? value->quantity.value : value->real;
    bool special = real ? !isfinite(amount) : value->whole == SQ_UNLIMITED || value->whole == -1;
    if ((!real && !whole) || special || (open && (row->flags & SQ_F_ABOVE_MIN) == 0)) {
        return true;
    }
    double v = real ? amount : (double)value->whole;
    bool above = (row->flags & SQ_F_ABOVE_MIN) != 0;
    bool low = above ? !(v > row->min) : v < row->min;
    bool high = !open && row->max >= row->min && v > row->max;
    if (!low && !high) {
        return true;
    }
    struct sq_buf b = { 0 };
    put_bound(&b, row, low ? row->min : row->max);
    w->nomem |= b.failed;
    (void)sq_diag_error(w->c->diag, node->where, sq_walk_at(w, path), low ? row->below : NULL,
                        "%s is %s %s", node->text,
                        low && above ? "not above"
                        : low        ? "below the minimum"
                                     : "above the maximum",
                        b.failed ? "" : b.text);
    sq_buf_fini(&b);
    return false;
}

void sq_leaf_store(const struct sq_field *row, const union sq_leaf *value, struct sq_where where,
                   void *at)
{
    if (is_real(row->type)) {
        *(double *)at = value->real;
    } else if (row->type == SQ_TIME || is_amount(row->type)) {
        *(int64_t *)at = value->whole;
    } else if (row->type == SQ_SEED) {
        *(uint64_t *)at = value->seed;
    } else if (row->type == SQ_QUANTITY) {
        *(struct sq_quantity *)at = value->quantity;
    } else if (row->type == SQ_CHOICE) {
        *(int *)at = (int)value->whole;
    } else if (row->type == SQ_BOOL) {
        *(bool *)at = value->truth;
    } else if (row->type == SQ_TEXT) {
        *(const char **)at = value->text;
    } else {
        SQ_ASSERT(row->type == SQ_REF);
        *(struct sq_ref *)at = (struct sq_ref){ .name = value->text, .where = where, .id = -1 };
    }
}

void sq_leaf_absent(const struct sq_field *row, void *at)
{
    if (sq_leaf_is(row)) {
        union sq_leaf v = absent_value(row);
        sq_leaf_store(row, &v, (struct sq_where){ 0 }, at);
    } else if (row->type == SQ_GROUP || row->type == SQ_RAW) {
        memset(at, 0, sizeof(void *));
    } else {
        memset(at, 0, sq_field_size(row)); /* kind NULL, count 0 */
    }
}
