/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of delay kernels: by hand, and against delays drawn one by one. */
#include "models/part/mdl_kernel.h"
#include "models/study/mdl_delays.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { BINS = 8000 };

static void open_policy(struct mdl_policy *p, const char *text)
{
    struct sq_diag diag = { 0 };
    assert_int_equal(mdl_policy_open(p, text, &diag), SQ_OK);
    sq_diag_fini(&diag);
}

/* Within 1e-9; the numeric default within a step of its grid at a jump. */
static void expect_within(const char *text, uint32_t n, bool anywhere, const double *want,
                          double tolerance)
{
    struct mdl_policy p = { 0 };
    struct sq_mass m;
    open_policy(&p, text);
    sq_mass_init(&m, 1, anywhere, BINS);
    mdl_kernel_fill(p.cfg, n, &m);
    for (size_t i = 0; i < 12; i++) {
        double got = i < m.count ? m.bins[i] : 0;
        if (fabs(got - want[i]) > tolerance) {
            fail_msg("%s: bin %zu is %.12g, want %.12g", text, i, got, want[i]);
        }
    }
    sq_mass_fini(&m);
    mdl_policy_fini(&p);
}

static void expect_bins(const char *text, uint32_t n, bool anywhere, const double *want)
{
    expect_within(text, n, anywhere, want, 1e-9);
}

/* What a person would write down. */
static void test_by_hand(void **state)
{
    (void)state;
    static const double full[12] = { 0.2, 0.2, 0.2, 0.2, 0.2 };
    expect_bins("{backoff: 5s, jitter: full}", 1, false, full);
    /* a failure anywhere in its second: the first and the last get half of the others' share */
    static const double smeared[12] = { 0.1, 0.2, 0.2, 0.2, 0.2, 0.1 };
    expect_bins("{backoff: 5s, jitter: full}", 1, true, smeared);
    static const double fixed[12] = { 0, 0, 0, 1 };
    expect_bins("{backoff: 3s, jitter: none}", 1, false, fixed);
    static const double between[12] = { 0, 0, 0, 0.75, 0.25 };
    expect_bins("{backoff: 3250ms, jitter: none}", 1, true, between);
    static const double equal[12] = { 0, 0, 0, 0, 0.25, 0.25, 0.25, 0.25 };
    expect_bins("{backoff: {kind: exponential, base: 2s}, jitter: equal}", 3, false, equal);
    static const double spread[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.5, 0.5 };
    expect_bins("{backoff: 10s, jitter: {kind: proportional, ratio: 10%}}", 1, false, spread);
    static const double lattice[12] = { 0.25, 0, 0.25, 0, 0.25, 0, 0.25 };
    expect_within("{backoff: 8s, jitter: {kind: full, lattice: 2s}}", 1, false, lattice, 5e-4);
}

/* Exponential delays: the shares of exp(-x / 4). */
static void test_exponential(void **state)
{
    (void)state;
    struct mdl_policy p = { 0 };
    struct sq_mass m;
    open_policy(&p, "{backoff: 4s, jitter: exponential}");
    sq_mass_init(&m, 1, false, BINS);
    mdl_kernel_fill(p.cfg, 1, &m);
    for (size_t i = 0; i < 20; i++) {
        double want = exp(-(double)i / 4) - exp(-(double)(i + 1) / 4);
        assert_true(fabs(m.bins[i] - want) < 2e-4);
    }
    sq_mass_fini(&m);
    mdl_policy_fini(&p);
}

/* Every law against 40,000 delays drawn from it: shares of tenths of the longest. */
static void compare_with_draws(const char *text, uint32_t n)
{
    enum { DRAWS = 40000, PARTS = 10 };
    struct mdl_policy p = { 0 };
    struct sq_mass m;
    open_policy(&p, text);
    sq_mass_init(&m, 0.05, false, BINS);
    mdl_kernel_fill(p.cfg, n, &m);
    double drawn[PARTS + 1] = { 0 }, mass[PARTS + 1] = { 0 }, sum = 0, mean = 0;
    double part = (double)(m.count + PARTS - 1) / PARTS;
    uint64_t x = 88172645463325252U;
    for (int i = 0; i < DRAWS; i++) {
        double last = 0, d = 0;
        for (uint32_t k = 1; k <= n; k++) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            d = sq_time_to_s(mdl_retry_delay(p.cfg, k, ((double)(x >> 12) + 0.5) / 0x1p52, &last));
        }
        double bin = fmin(floor(d / 0.05), (double)(m.count - 1));
        drawn[(size_t)fmin(bin / part, PARTS)] += 1.0 / DRAWS;
        mean += d / DRAWS;
    }
    for (size_t i = 0; i < m.count; i++) {
        mass[(size_t)fmin((double)i / part, PARTS)] += m.bins[i];
        sum += m.bins[i];
    }
    for (size_t i = 0; i <= PARTS; i++) {
        if (fabs(drawn[i] - mass[i]) > 0.012) { /* four sigma of a share, and the grid */
            fail_msg("%s, failure %u, part %zu: drawn %g, kernel %g", text, n, i, drawn[i],
                     mass[i]);
        }
    }
    assert_true(fabs(sum - 1) < 1e-9);
    assert_true(fabs(sq_mass_mean_s(&m) - mean) < 0.02 * mean + 0.03);
    sq_mass_fini(&m);
    mdl_policy_fini(&p);
}

static void test_laws(void **state)
{
    (void)state;
    static const char *const laws[] = {
        "{backoff: {kind: exponential, base: 1s, cap: 20s}, jitter: full}",
        "{backoff: {kind: linear, base: 2s, step: 3s}, jitter: {kind: additive, amount: 4s}}",
        "{backoff: {kind: polynomial, power: 2, offset: 3s}, jitter: {kind: full, offset_too: "
        "false}}",
        "{backoff: {kind: table, delays: [1s, 5s, 9s]}, jitter: {kind: scaled, low: 0.5, high: 2}}",
        "{backoff: {kind: exponential, base: 4s, cap: 6s, cap_applies: after-jitter}, jitter: "
        "equal}",
        "{backoff: {kind: exponential, base: 1s}, jitter: {kind: full, min: 2s}}",
        "{backoff: {kind: decorrelated, base: 1s, cap: 30s}}",
        "{backoff: {kind: compounding, base: 2s, low: 0.5, high: 1.5}}",
        "{backoff: {kind: polly, base: 1s}}",
        "{backoff: 3s, jitter: {kind: exponential, lattice: 1s}}",
    };
    for (size_t i = 0; i < SQ_COUNT(laws); i++) {
        for (uint32_t n = 1; n <= 4; n++) {
            compare_with_draws(laws[i], n);
        }
    }
}

/* A layer has as many kernels as it has failures that are followed by a retry, and no two alike at
 * the end. */
static void test_kernels(void **state)
{
    (void)state;
    struct mdl_policy p = { 0 };
    struct mdl_kernels k;
    open_policy(&p, "{max_attempts: 12, backoff: {kind: exponential, base: 5s, cap: 1h}, jitter: "
                    "full}");
    assert_int_equal(mdl_kernels_init(&k, p.cfg, 1, BINS), SQ_OK);
    assert_int_equal(k.count, 11);
    assert_int_equal(mdl_kernels_after(&k, 3)->count, 21);
    assert_true(fabs(sq_mass_mean_s(mdl_kernels_after(&k, 10)) - 1280) < 1e-6);
    assert_ptr_equal(mdl_kernels_after(&k, 40), mdl_kernels_after(&k, 11));
    mdl_kernels_fini(&k);
    mdl_policy_fini(&p);
    open_policy(&p, "{max_attempts: unlimited, backoff: {kind: table, delays: [1s, 1s, 7s]}, "
                    "jitter: none}");
    assert_int_equal(mdl_kernels_init(&k, p.cfg, 1, BINS), SQ_OK);
    assert_int_equal(k.count, 3);
    mdl_kernels_fini(&k);
    mdl_policy_fini(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_exponential),
        cmocka_unit_test(test_laws),
        cmocka_unit_test(test_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
