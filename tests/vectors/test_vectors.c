/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_vectors.c - delays of real systems, run or read from their source (retry-vectors.csv), judge
 * the retry policies: an exact delay to its last digit, a sample by its mean and deciles within
 * five standard errors of both samples together; deciles may also lie one step of the system's own
 * lattice apart.
 *
 * A decile x of n draws stands between our quantiles q - d and q + d, where d is five standard
 * errors of a share q of n and of N draws: that needs no density and holds at atoms too. */
#include "tests/vectors/vectors.h"

#include "models/study/mdl_delays.h"
#include "sim/base/sq_file.h"
#include "sim/conf/sq_csv.h"
#include "sim/core/sq_luck.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { DRAWS = 20000, DECILES = 9, LAWS_MAX = 256 };
#define ERRORS 5.0

struct row {
    const struct sq_csv_row *csv;
    const char *system, *version, *parameters, *kind;
    long attempt, draws;
    double value, max, mean, sd, decile[DECILES];
    int law;
};

struct vectors {
    struct sq_arena arena;
    struct row *rows;
    size_t count;
};

/* ---- reading ---- */

static double number(const char *text)
{
    char *end;
    double x = strtod(text, &end);
    assert_true(*text != '\0' && *end == '\0');
    return x;
}

static int law_of(const struct row *r)
{
    for (size_t i = 0; i < vec_law_count; i++) {
        const struct vec_law *l = &vec_laws[i];
        if (strstr(r->system, l->system) != NULL && strstr(r->version, l->version) != NULL &&
            (l->parameters == NULL || strstr(r->parameters, l->parameters) != NULL)) {
            return (int)i;
        }
    }
    fail_msg("no law for %s, %s, %s", r->system, r->version, r->parameters);
    return -1;
}

static struct row read_row(const struct sq_csv_row *csv)
{
    const char *const *c = csv->cells;
    struct row r = { .csv = csv, .system = c[0], .version = c[1], .parameters = c[2] };
    r.attempt = (long)number(c[3]);
    r.kind = c[4];
    r.value = number(c[5]);
    if (strcmp(r.kind, "sample") == 0) {
        r.max = number(c[6]);
        r.mean = number(c[7]);
        r.sd = number(c[8]);
        for (int q = 0; q < DECILES; q++) {
            r.decile[q] = number(c[9 + q]);
        }
        r.draws = (long)number(c[19]);
    } else {
        assert_string_equal(r.kind, "exact");
    }
    r.law = law_of(&r);
    return r;
}

static int setup(void **state)
{
    static const char path[] = "tests/vectors/retry-vectors.csv";
    struct vectors *v = test_calloc(1, sizeof(*v));
    struct sq_buf text = { 0 };
    struct sq_diag diag = { 0 };
    struct sq_csv csv;
    if (sq_file_read(path, 1 << 20, &text, &diag) != SQ_OK ||
        sq_csv_parse(path, &text, &v->arena, &diag, &csv) != SQ_OK) {
        return -1;
    }
    sq_buf_fini(&text);
    sq_diag_fini(&diag);
    v->rows = sq_arena_alloc(&v->arena, csv.count, sizeof(struct row));
    v->count = csv.count;
    for (size_t i = 0; i < csv.count; i++) {
        v->rows[i] = read_row(&csv.rows[i]);
    }
    *state = v;
    return 0;
}

static int teardown(void **state)
{
    struct vectors *v = *state;
    sq_arena_fini(&v->arena);
    test_free(v);
    return 0;
}

/* ---- our side ---- */

struct draws {
    struct mdl_policy policy;
    struct mdl_retry_cfg cfg;
    const struct vec_law *law;
    size_t count;
    double *sorted, *last;
};

static void open_law(struct draws *d, const struct vec_law *law)
{
    struct sq_diag diag = { 0 };
    *d = (struct draws){ .law = law };
    if (mdl_policy_open(&d->policy, law->policy, &diag) != SQ_OK) {
        struct sq_buf b = { 0 };
        sq_diag_print(&diag, &b);
        fail_msg("%s: %s", law->policy, b.text);
    }
    sq_diag_fini(&diag);
    d->cfg = *d->policy.cfg; /* without its limits: the vectors go on beyond them */
    d->cfg.max_attempts = SQ_UNLIMITED;
    d->cfg.max_retries = -1;
    d->cfg.max_elapsed = SQ_NEVER;
    d->count = mdl_policy_is_exact(&d->policy) && law->hint == 0 ? 1 : DRAWS;
    d->sorted = test_calloc(d->count, sizeof(double));
    d->last = test_calloc(d->count, sizeof(double));
}

static void close_law(struct draws *d)
{
    test_free(d->sorted);
    test_free(d->last);
    mdl_policy_fini(&d->policy);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The delays after failure n of each chain, sorted. */
static void draw(struct draws *d, uint32_t n)
{
    struct sq_luck luck = sq_luck_init(20260805, 1);
    sq_time_t hint = d->law->hint > 0 ? sq_time_from_s(d->law->hint) : SQ_NEVER;
    for (size_t i = 0; i < d->count; i++) {
        struct mdl_failure f = { .error = MDL_ERR_UNAVAILABLE,
                                 .n = n,
                                 .starts = n,
                                 .hint = hint,
                                 .u = sq_luck_uniform(&luck, 7, i, n, 0),
                                 .last = d->last[i] };
        struct mdl_retry_plan plan = mdl_retry_decide(&d->cfg, &f);
        assert_true(plan.retry);
        d->last[i] = plan.last;
        d->sorted[i] = sq_time_to_s(plan.delay);
    }
    qsort(d->sorted, d->count, sizeof(double), compare);
}

static double quantile(const struct draws *d, double share)
{
    double i = share * (double)d->count;
    if (i < 0) {
        return d->sorted[0];
    }
    return d->sorted[i >= (double)d->count ? d->count - 1 : (size_t)i];
}

/* ---- judging: everything is said before the test fails ---- */

struct score {
    size_t exact, sample, apart, wrong;
};

static void wrong(struct score *score, const struct row *r, const struct draws *d, const char *what)
{
    score->wrong++;
    print_message("# line %u, %s attempt %ld (%s): %s\n", r->csv->line, r->system, r->attempt,
                  d->law->policy, what);
}

static void judge_exact(struct score *score, const struct row *r, const struct draws *d)
{
    char want[32], least[32], most[32], what[160];
    score->exact++;
    (void)snprintf(want, sizeof(want), "%.9g", r->value);
    (void)snprintf(least, sizeof(least), "%.9g", d->sorted[0]);
    (void)snprintf(most, sizeof(most), "%.9g", d->sorted[d->count - 1]);
    if (strcmp(want, least) != 0 || strcmp(want, most) != 0) {
        (void)snprintf(what, sizeof(what), "%s, ours %s to %s", want, least, most);
        wrong(score, r, d, what);
    }
}

static void judge_mean(struct score *score, const struct row *r, const struct draws *d)
{
    double sum = 0, squares = 0, n = (double)d->count;
    for (size_t i = 0; i < d->count; i++) {
        sum += d->sorted[i];
    }
    double mean = sum / n;
    for (size_t i = 0; i < d->count; i++) {
        squares += (d->sorted[i] - mean) * (d->sorted[i] - mean);
    }
    double error = sqrt(r->sd * r->sd / (double)r->draws + squares / n / n);
    if (!(fabs(mean - r->mean) <= ERRORS * error)) {
        char what[160];
        (void)snprintf(what, sizeof(what), "mean %.9g, ours %.9g, standard error %.3g", r->mean,
                       mean, error);
        wrong(score, r, d, what);
    }
}

static void judge_sample(struct score *score, const struct row *r, const struct draws *d)
{
    double step = d->law->step * (1 + 1e-9) + 1e-8 * r->max; /* nine digits are given */
    score->sample++;
    judge_mean(score, r, d);
    for (int q = 0; q < DECILES; q++) {
        double p = (q + 1) / 10.0;
        double width = ERRORS * sqrt(p * (1 - p) * (1 / (double)r->draws + 1 / (double)d->count));
        double low = quantile(d, p - width) - step, high = quantile(d, p + width) + step;
        if (!(r->decile[q] >= low && r->decile[q] <= high)) {
            char what[160];
            (void)snprintf(what, sizeof(what), "decile %d is %.9g, ours %.9g to %.9g", q + 1,
                           r->decile[q], low, high);
            wrong(score, r, d, what);
        }
    }
}

static void judge_law(struct score *score, const struct vectors *v, int law, long longest)
{
    struct draws d;
    open_law(&d, &vec_laws[law]);
    for (long n = 1; n <= longest; n++) {
        draw(&d, (uint32_t)n);
        for (size_t i = 0; i < v->count; i++) {
            const struct row *r = &v->rows[i];
            if (r->law == law && r->attempt == n && r->kind[0] == 'e') {
                judge_exact(score, r, &d);
            } else if (r->law == law && r->attempt == n) {
                judge_sample(score, r, &d);
            }
        }
    }
    close_law(&d);
}

static void every_row_is_judged(void **state)
{
    const struct vectors *v = *state;
    struct score score = { 0 };
    for (size_t k = 0; k < vec_law_count; k++) {
        long longest = 0;
        size_t rows = 0;
        for (size_t i = 0; i < v->count; i++) {
            if (v->rows[i].law == (int)k) {
                longest = v->rows[i].attempt > longest ? v->rows[i].attempt : longest;
                rows++;
            }
        }
        if (rows == 0) {
            print_message("# no row is judged by %s, %s\n", vec_laws[k].system, vec_laws[k].policy);
            score.wrong++;
        } else if (vec_laws[k].policy == NULL) {
            score.apart += rows;
        } else {
            judge_law(&score, v, (int)k, longest);
        }
    }
    print_message("# %zu rows: %zu exact, %zu samples, %zu no delays of a policy\n", v->count,
                  score.exact, score.sample, score.apart);
    assert_int_equal(score.wrong, 0);
    assert_int_equal(v->count, 1219);
    assert_int_equal(score.exact, 472);
    assert_int_equal(score.sample, 697);
    assert_int_equal(score.apart, 50);
}

/* The rows that are no delay of a policy, by reason. */
static void what_is_left_out_is_known(void **state)
{
    const struct vectors *v = *state;
    static const struct {
        const char *why;
        size_t rows;
    } known[] = {
        { "wall-clock gap", 17 },     { "count of runs", 6 },         { "tokens or counts", 8 },
        { "requests per second", 6 }, { "interval of a poller", 10 }, { "how a broker", 2 },
        { "a default value", 1 },
    };
    size_t all = 0, apart = 0;
    for (size_t k = 0; k < SQ_COUNT(known); k++) {
        size_t rows = 0;
        const char *why = "";
        for (size_t i = 0; i < v->count; i++) {
            const struct vec_law *l = &vec_laws[v->rows[i].law];
            if (l->policy == NULL && strstr(l->why, known[k].why) == l->why) {
                why = l->why;
                rows++;
            }
        }
        print_message("# %3zu rows: %s\n", rows, why);
        assert_int_equal(rows, known[k].rows);
        all += rows;
    }
    for (size_t i = 0; i < v->count; i++) {
        apart += vec_laws[v->rows[i].law].policy == NULL;
    }
    assert_int_equal(all, apart);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_judged),
        cmocka_unit_test(what_is_left_out_is_known),
    };
    return cmocka_run_group_tests_name("vectors", tests, setup, teardown);
}
