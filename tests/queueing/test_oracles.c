/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine judged by oracles.csv: one test per row that a scenario can express, in every place
 * (pool, waiting room) that its family has. What is not judged is listed with the reason.
 *
 *   test_oracles            the fast selection; everything with ORACLES=all in the environment
 *   test_oracles mm1. mmc   everything whose id begins so, with its figures
 *
 * ORACLES_SEED=n draws other luck, to see whether a miss was chance. */
#include "tests/queueing/oracle.h"

#include "sim/base/sq_file.h"

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 651, JUDGED_MIN = 598 };

/* The fast selection: all that is cheap, and these. Where laws are checked after every event only
 * what is cheap. */
#define FAST_COST 60e3 /* jobs and calls */
#ifdef SQ_DEBUG
static const char *const fast[] = { "fluid." };
#else
static const char *const fast[] = {
    "mm1.rho0.8.",
    "mmc.c5.rho0.8.",
    "mmck.c2.K7.",
    "erlB.c40.a40",
    "md1.rho0.8.",
    "mdc.c5.",
    "mmcD.c5.",
    "mm1zombie.rho0.8",
    "prio.0.2",
    "disc.rho0.5.ps",
    "tokbucket.rho1.2.",
    "retrial1.rho0.5.nu1.",
    "attempts3.c5",
    "att.p0.5.n3",
    "nest.p1.3x3",
    "empty.n10.",
    "fluid.",
    "cohort.plain",
    "outage.retries.plain",
    "collapse.spike",
    "budget.all.r0.2.p0.8",
    "gthrottle.K1.1.D2",
};
#endif

struct item {
    const struct oracle *o;
    const struct oracle_family *f;
    int place;
    struct oracle_check check;
    struct oracle_group *group;
    size_t ask; /* number in the group */
    double measured, se, band;
    char name[160];
};

struct all {
    struct sq_arena arena;
    struct oracle *oracles;
    size_t oracle_count;
    struct item *items;
    size_t item_count;
    struct oracle_group *groups;
    size_t group_count;
    char *const *heads; /* selection by id */
    int head_count;
    bool everything;
};

static const struct oracle_family *const families[] = {
    oracle_stations,  oracle_orders,   oracle_retrials, oracle_drains, oracle_storms,
    oracle_published, oracle_incident, oracle_claims,   oracle_occ,
};

/* ---- reading ---- */

static double cell_number(const char *text)
{
    char *end = NULL;
    double v = strtod(text, &end);
    return *text != '\0' && *end == '\0' ? v : (double)NAN;
}

static void read_rows(struct all *a)
{
    struct sq_buf text = { 0 };
    struct sq_diag diag = { 0 };
    struct sq_csv csv;
    const char *file = "tests/queueing/oracles.csv";
    if (sq_file_read(file, 1 << 20, &text, &diag) != SQ_OK ||
        sq_csv_parse(file, &text, &a->arena, &diag, &csv) != SQ_OK) {
        (void)fprintf(stderr, "cannot read %s\n", file);
        exit(1);
    }
    a->oracles = sq_arena_alloc(&a->arena, csv.count, sizeof(*a->oracles));
    a->oracle_count = csv.count;
    for (size_t i = 0; i < csv.count; i++) {
        const char **cell = csv.rows[i].cells;
        a->oracles[i] = (struct oracle){ .id = cell[0],
                                         .family = cell[1],
                                         .parameters = cell[3],
                                         .value_text = cell[5],
                                         .value = cell_number(cell[5]),
                                         .rel = cell_number(cell[6]),
                                         .abs = cell_number(cell[7]) };
        a->oracles[i].rel = isnan(a->oracles[i].rel) ? 0 : a->oracles[i].rel;
        a->oracles[i].abs = isnan(a->oracles[i].abs) ? 0 : a->oracles[i].abs;
    }
    sq_buf_fini(&text);
    sq_diag_fini(&diag);
}

static const struct oracle_family *family_of(const struct oracle *o)
{
    for (size_t i = 0; i < SQ_COUNT(families); i++) {
        for (const struct oracle_family *f = families[i]; f->name != NULL; f++) {
            if (strcmp(f->name, o->family) == 0) {
                return f;
            }
        }
    }
    (void)fprintf(stderr, "%s: no function for family %s\n", o->id, o->family);
    exit(1);
}

/* ---- checks and groups ---- */

static bool is_wanted(const struct all *a, const struct oracle *o)
{
    bool wanted = a->head_count == 0;
    for (int i = 0; i < a->head_count; i++) {
        wanted = wanted || oracle_begins(o, a->heads[i]);
    }
    return wanted;
}

/* FNV-1a of the parameters: rows of one model share their runs, others have luck of their own. */
static uint32_t seed_of(const struct oracle *o, int place)
{
    const char *other = getenv("ORACLES_SEED");
    uint32_t h = 2166136261u + (uint32_t)place;
    h += other != NULL ? (uint32_t)strtoul(other, NULL, 10) * 2654435761u : 0;
    for (const char *p = o->parameters; *p != '\0'; p++) {
        h = (h ^ (unsigned char)*p) * 16777619u;
    }
    return h;
}

static void make_items(struct all *a)
{
    a->items = sq_arena_alloc(&a->arena, 3 * a->oracle_count, sizeof(*a->items));
    for (size_t i = 0; i < a->oracle_count; i++) {
        const struct oracle *o = &a->oracles[i];
        const struct oracle_family *f = family_of(o);
        for (int place = 0; is_wanted(a, o) && (place == 0 || place < f->places); place++) {
            struct item *it = &a->items[a->item_count];
            *it = (struct item){ .o = o, .f = f, .place = place };
            it->check =
                (struct oracle_check){ .ask = { .expected = (double)NAN,
                                                .match = { .outcome = -1, .producer = -1 },
                                                .base = { .outcome = -1, .producer = -1 } } };
            it->check.why = f->why;
            it->check.seed = seed_of(o, place);
            if (f->make != NULL) {
                f->make(o, place, &it->check);
            }
            (void)snprintf(it->name, sizeof(it->name), "%s%s", o->id,
                           place == 0 ? "" : " (in a waiting room)");
            if (place == 0 || it->check.why == NULL) {
                a->item_count++;
            } else {
                sq_buf_fini(&it->check.yaml);
            }
        }
    }
}

static bool runs(const struct all *a, const struct item *it)
{
    bool chosen = a->everything || a->head_count > 0 || it->check.cost <= FAST_COST;
    for (size_t i = 0; i < SQ_COUNT(fast); i++) {
        chosen = chosen || (it->place == 0 && oracle_begins(it->o, fast[i]));
    }
    return it->check.why == NULL && chosen;
}

static struct oracle_group *group_of(struct all *a, const struct oracle_check *c)
{
    for (size_t i = 0; i < a->group_count; i++) {
        const struct oracle_check *first = a->groups[i].first;
        if (first->reps == c->reps && strcmp(first->yaml.text, c->yaml.text) == 0) {
            return &a->groups[i];
        }
    }
    struct oracle_group *g = &a->groups[a->group_count++];
    *g = (struct oracle_group){ .first = c };
    return g;
}

static void make_groups(struct all *a)
{
    a->groups = sq_arena_alloc(&a->arena, a->item_count + 1, sizeof(*a->groups));
    for (size_t i = 0; i < a->item_count; i++) {
        struct item *it = &a->items[i];
        if (runs(a, it) && it->check.compute == NULL) {
            it->group = group_of(a, &it->check);
            it->ask = it->group->ask_count++;
        }
    }
    for (size_t i = 0; i < a->group_count; i++) {
        struct oracle_group *g = &a->groups[i];
        g->asks = sq_arena_alloc(&a->arena, g->ask_count, sizeof(*g->asks));
        g->sums = sq_arena_alloc(&a->arena, g->ask_count * g->first->reps, sizeof(*g->sums));
    }
    for (size_t i = 0; i < a->item_count; i++) {
        if (a->items[i].group != NULL) {
            a->items[i].group->asks[a->items[i].ask] = &a->items[i].check.ask;
        }
    }
}

/* ---- judging ---- */

static double expected_of(const struct item *it)
{
    return isnan(it->check.ask.expected) ? it->o->value : it->check.ask.expected;
}

static void measure(struct item *it)
{
    if (it->check.compute != NULL) {
        it->measured = it->check.compute(it->o);
    } else {
        struct oracle_estimate e = oracle_estimate(it->group, it->ask);
        it->measured = e.value;
        it->se = e.se;
    }
    it->band =
        ORACLE_Z * it->se + it->o->rel * fabs(expected_of(it)) + it->o->abs + it->check.slack;
}

static void judge(void **state)
{
    struct item *it = *state;
    if (it->group != NULL && it->group->error[0] != '\0') {
        print_error("%s: %s\n%s\n", it->o->id, it->group->error, it->check.yaml.text);
        fail();
    }
    measure(it);
    if (it->check.within) {
        double room = ORACLE_Z * it->se;
        if (!(it->measured + room >= it->check.lo && it->measured - room <= it->check.hi)) {
            print_error("%s: %.9g (standard error %.3g) is not within %.9g .. %.9g\n", it->o->id,
                        it->measured, it->se, it->check.lo, it->check.hi);
            fail();
        }
        return;
    }
    if (!(fabs(it->measured - expected_of(it)) <= it->band)) {
        print_error("%s: %.9g is not within %.3g of %.9g (%.2f standard errors)\n", it->o->id,
                    it->measured, it->band, expected_of(it),
                    (it->measured - expected_of(it)) / it->se);
        fail();
    }
}

static void show(const struct item *it)
{
    double want = expected_of(it);
    (void)printf("# %-44s %.7g  measured %.7g", it->name, want, it->measured);
    if (it->se > 0) {
        (void)printf("  z %+.2f", (it->measured - want) / it->se);
    }
    (void)printf("  band %.2g%%  cost %.3gM  %.2f s\n", 100 * it->band / fabs(want),
                 it->check.cost / 1e6, it->group != NULL ? it->group->seconds : 0);
}

/* Rows of a family: how many, how many judged. */
static void report_families(const struct all *a)
{
    for (size_t k = 0; k < SQ_COUNT(families); k++) {
        for (const struct oracle_family *f = families[k]; f->name != NULL; f++) {
            size_t rows = 0, judged = 0, now = 0;
            for (size_t i = 0; i < a->item_count; i++) {
                const struct item *it = &a->items[i];
                bool mine = it->f == f && it->place == 0;
                rows += mine ? 1 : 0;
                judged += mine && it->check.why == NULL ? 1 : 0;
                now += mine && runs(a, it) ? 1 : 0;
            }
            (void)printf("# %-20s %3zu rows, %3zu judged, %3zu of them now\n", f->name, rows,
                         judged, now);
        }
    }
}

static void report_rest(const struct all *a)
{
    for (size_t i = 0; i < a->item_count; i++) {
        const struct item *it = &a->items[i];
        if (it->place == 0 && it->check.why != NULL) {
            (void)printf("# not judged: %s: %s\n", it->o->id, it->check.why);
        }
    }
}

/* Every row is judged or has its reason, and enough are judged. */
static void test_count(void **state)
{
    const struct all *a = *state;
    size_t judged = 0, told = 0;
    for (size_t i = 0; i < a->item_count; i++) {
        const struct item *it = &a->items[i];
        judged += it->place == 0 && it->check.why == NULL ? 1 : 0;
        told += it->place == 0 && it->check.why != NULL ? 1 : 0;
    }
    (void)printf("# %zu rows judged, %zu not\n", judged, told);
    assert_int_equal(judged + told, a->oracle_count);
    assert_int_equal(a->oracle_count, ROWS);
    assert_true(judged >= JUDGED_MIN);
}

static void run_groups(struct all *a)
{
    for (size_t i = 0; i < a->group_count; i++) {
        oracle_run(&a->groups[i]);
    }
}

int main(int argc, char **argv)
{
    struct all a = { .heads = argv + 1, .head_count = argc - 1 };
    const char *wanted = getenv("ORACLES");
    a.everything = wanted != NULL && strcmp(wanted, "all") == 0;
    read_rows(&a);
    make_items(&a);
    make_groups(&a);
    run_groups(&a);
    struct CMUnitTest *tests = sq_arena_alloc(&a.arena, a.item_count + 1, sizeof(*tests));
    size_t count = 0;
    for (size_t i = 0; i < a.item_count; i++) {
        struct item *it = &a.items[i];
        if (runs(&a, it)) {
            tests[count++] = (struct CMUnitTest){ it->name, judge, NULL, NULL, it };
        }
    }
    if (a.head_count == 0) {
        tests[count++] = (struct CMUnitTest){ "every row counted", test_count, NULL, NULL, &a };
        report_families(&a);
        report_rest(&a);
    }
    int failed = _cmocka_run_group_tests("oracles", tests, count, NULL, NULL);
    for (size_t i = 0; i < a.item_count && (a.head_count > 0 || a.everything); i++) {
        if (runs(&a, &a.items[i])) {
            show(&a.items[i]);
        }
    }
    for (size_t i = 0; i < a.item_count; i++) {
        sq_buf_fini(&a.items[i].check.yaml);
    }
    sq_arena_fini(&a.arena);
    return failed;
}
