/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_contention.c - one row per law of contention. */
#include "models/policy/mdl_contention.h"

#include "sim/conf/sq_rows.h"
#include "sim/core/sq_fn.h"

#include <string.h>

struct factor { /* what every factor starts with */
    const char *of;
};
struct usl {
    struct factor f;
    double alpha, beta;
};
struct linear {
    struct factor f;
    double per_call;
};
struct power {
    struct factor f;
    double scale, power;
};
struct sharing {
    int64_t among;
};

struct contention_row {
    struct sq_kind kind;
    double (*factor)(const void *cfg, double n); /* NULL: sharing */
};

#define OF(T)                                   \
    SQ_ROW_TEXT(T, f.of, "of", "in_service", 0, \
                "What N counts: in_service, in_flight or queue.NAME.")

static const struct sq_field usl_rows[] = {
    OF(struct usl),
    SQ_ROW_NUMBER(struct usl, alpha, "alpha", NULL, 0, 1e6, 0,
                  "Contention: waiting for each other."),
    SQ_ROW_NUMBER(struct usl, beta, "beta", NULL, 0, 1e6, 0,
                  "Crosstalk: agreeing with each other."),
};
static const struct sq_field linear_rows[] = {
    OF(struct linear),
    SQ_ROW_NUMBER(struct linear, per_call, "per_call", NULL, 0, 1e6, 0, "Added for each call."),
};
static const struct sq_field power_rows[] = {
    OF(struct power),
    SQ_ROW_NUMBER(struct power, scale, "scale", NULL, 0, 1e12, SQ_F_ABOVE_MIN,
                  "The number of calls that doubles the time."),
    SQ_ROW_NUMBER(struct power, power, "power", NULL, 0, 100, 0, "How sharply it grows."),
};
static const struct sq_field sharing_rows[] = {
    SQ_ROW_AMOUNT(struct sharing, among, "among", NULL, 1, SQ_F_STAR,
                  "Servers shared equally by all calls in service."),
};

static void check_of(const void *cfg, const struct sq_node *node, const char *path,
                     struct sq_diag *diag)
{
    const char *of = ((const struct factor *)cfg)->of;
    bool queue = strncmp(of, "queue.", 6) == 0 && of[6] != '\0';
    if (!queue && strcmp(of, "in_service") != 0 && strcmp(of, "in_flight") != 0) {
        sq_diag_error(diag, sq_node_get(node, "of")->where, path,
                      "for example of: in_flight, or of: queue.jobs", "`%s` is nothing to count",
                      of);
    }
}

static double factor_usl(const void *cfg, double n)
{
    const struct usl *u = cfg;
    n = n < 1 ? 1 : n;
    return 1 + u->alpha * (n - 1) + u->beta * n * (n - 1);
}

static double factor_linear(const void *cfg, double n)
{
    return 1 + ((const struct linear *)cfg)->per_call * n;
}

static double factor_power(const void *cfg, double n)
{
    const struct power *p = cfg;
    return 1 + sq_fn_pow(n / p->scale, p->power);
}

#define FACTOR(rows_, T)                                             \
    {                                                                \
        .rows = SQ_ROWS(rows_), .size = sizeof(T), .check = check_of \
    }
static const struct contention_row rows[] = {
    { { .name = "usl",
        .doc = "The universal scalability law.",
        .table = FACTOR(usl_rows, struct usl) },
      factor_usl },
    { { .name = "linear",
        .doc = "Each call adds the same.",
        .table = FACTOR(linear_rows, struct linear) },
      factor_linear },
    { { .name = "power",
        .doc = "A power of the number of calls.",
        .table = FACTOR(power_rows, struct power) },
      factor_power },
    { { .name = "sharing",
        .doc = "All calls in service share the servers equally, at every instant.",
        .table = { .rows = SQ_ROWS(sharing_rows), .size = sizeof(struct sharing) } },
      NULL },
};

const struct sq_family mdl_contention_family = {
    .type = "contention",
    .kinds = rows,
    .kind_count = SQ_COUNT(rows),
    .stride = sizeof(struct contention_row),
};

static bool is_factor(const struct sq_block *c)
{
    return c->kind != NULL &&
           ((const struct contention_row *)(const void *)c->kind)->factor != NULL;
}

const char *mdl_contention_queue(const struct sq_block *c)
{
    if (!is_factor(c)) {
        return NULL;
    }
    const char *of = ((const struct factor *)c->cfg)->of;
    return strncmp(of, "queue.", 6) == 0 ? of + 6 : NULL;
}

enum mdl_load mdl_contention_load(const struct sq_block *c)
{
    SQ_ASSERT(is_factor(c));
    if (mdl_contention_queue(c) != NULL) {
        return MDL_LOAD_QUEUE;
    }
    const char *of = ((const struct factor *)c->cfg)->of;
    return strcmp(of, "in_flight") == 0 ? MDL_LOAD_IN_FLIGHT : MDL_LOAD_IN_SERVICE;
}

double mdl_contention_factor(const struct sq_block *c, int64_t n)
{
    if (!is_factor(c)) {
        return 1;
    }
    return ((const struct contention_row *)(const void *)c->kind)->factor(c->cfg, (double)n);
}

int64_t mdl_contention_among(const struct sq_block *c)
{
    bool shared = c->kind != NULL && !is_factor(c);
    return shared ? ((const struct sharing *)c->cfg)->among : 0;
}
