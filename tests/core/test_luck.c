/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Known answers and independence of keyed draws. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/core/sq_luck.h"

/* The known answers of Random123's kat_vectors for philox4x32 with 10 rounds (first two words),
 * cut into our fields; then two made with an independent implementation in Python. */
static const struct kat {
    uint32_t key[2], stream;
    uint64_t ordinal;
    uint32_t attempt, call;
    uint64_t want;
} kats[] = {
    { { 0, 0 }, 0, 0, 0, 0, UINT64_C(0xe169c58d6627e8d5) },
    { { 0xffffffff, 0xffffffff },
      0xffffffff,
      UINT64_C(0xffffffffffff),
      0xffffff,
      0xffffff,
      UINT64_C(0x41c83b0e408f276d) },
    { { 0xa4093822, 0x299f31d0 },
      0x243f6a88,
      UINT64_C(0x85a308d31319),
      0x8a2e03,
      0x707344,
      UINT64_C(0x94fdccebd16cfe09) },
    { { 0x65107204, 0x57e1faba }, 0x8842e80e, 17, 1, 0, UINT64_C(0xf74f8be546115ecc) },
    { { 0x65107204, 0x57e1faba },
      0x8842e80e,
      UINT64_C(0x123456789abc),
      0x10203,
      0x40506,
      UINT64_C(0x98b4190cb826c54e) },
};

static void known_answers(void **state)
{
    (void)state;
    for (size_t i = 0; i < SQ_COUNT(kats); i++) {
        const struct kat *k = &kats[i];
        struct sq_luck luck = { .key = { k->key[0], k->key[1] } };
        uint64_t got = sq_luck_bits(&luck, k->stream, k->ordinal, k->attempt, k->call);
        assert_int_equal(got, k->want);
    }
}

static void keys(void **state)
{
    (void)state;
    static const struct {
        uint64_t seed, replication, want;
    } rows[] = {
        { 0, 0, UINT64_C(0x48218226ff3cd4bf) },
        { 1, 1, UINT64_C(0x5e41ab087439611e) },
        { 1, 2, UINT64_C(0xf18d6ce93d6cf1ee) },
        { 42, 1, UINT64_C(0x57e1faba65107204) },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct sq_luck luck = sq_luck_init(rows[i].seed, rows[i].replication);
        assert_int_equal(luck.key[0], rows[i].want & 0xffffffff);
        assert_int_equal(luck.key[1], rows[i].want >> 32);
    }
}

static void streams(void **state)
{
    (void)state;
    assert_int_equal(sq_luck_stream("", "", ""), 0xb5423daf);
    assert_int_equal(sq_luck_stream(NULL, NULL, NULL), 0xb5423daf);
    assert_int_equal(sq_luck_stream("api", "service", "orders"), 0x8842e80e);
    assert_int_equal(sq_luck_stream("ap", "iservice", "orders"), 0xa320a567);
    assert_int_equal(sq_luck_stream(NULL, "api", "service"), 0x8ca35dc0);
}

/* Every field reaches the counter, and the small ones stay at their largest value. */
static void fields(void **state)
{
    (void)state;
    struct sq_luck luck = sq_luck_init(7, 1);
    uint64_t base = sq_luck_bits(&luck, 5, 6, 7, 8);
    assert_true(base != sq_luck_bits(&luck, 4, 6, 7, 8));
    assert_true(base != sq_luck_bits(&luck, 5, 6 + (UINT64_C(1) << 40), 7, 8));
    assert_true(base != sq_luck_bits(&luck, 5, 6, 7 + (1u << 23), 8));
    assert_true(base != sq_luck_bits(&luck, 5, 6, 7, 8 + (1u << 23)));
    uint64_t top = sq_luck_bits(&luck, 5, 6, 0xffffff, 0xffffff);
    assert_int_equal(top, sq_luck_bits(&luck, 5, 6, 0x1000000, UINT32_MAX));
    assert_true(top != sq_luck_bits(&luck, 5, 6, 0xfffffe, 0xffffff));
}

/* Uniforms lie on the grid of odd multiples of 2^-53, and 2^16 consecutive ordinals fill 256 equal
 * classes evenly: chi-square with 255 degrees of freedom, 99.9 % point 330.5 and 0.1 % point 190.9
 * (a fixed seed, so the test cannot flake). */
static void uniforms(void **state)
{
    (void)state;
    enum { DRAWS = 1 << 16, CLASSES = 256 };
    struct sq_luck luck = sq_luck_init(42, 1);
    uint32_t stream = sq_luck_stream("api", "service", "orders");
    unsigned count[CLASSES] = { 0 };
    for (uint64_t i = 0; i < DRAWS; i++) {
        double u = sq_luck_uniform(&luck, stream, i, 1, 0);
        uint64_t k = sq_luck_bits(&luck, stream, i, 1, 0) >> 12;
        assert_true(u > 0 && u < 1);
        assert_true(u * 0x1p53 == (double)(2 * k + 1));
        count[(int)(u * CLASSES)]++;
    }
    double chi2 = 0;
    for (size_t i = 0; i < CLASSES; i++) {
        double off = count[i] - (double)DRAWS / CLASSES;
        chi2 += off * off / ((double)DRAWS / CLASSES);
    }
    assert_true(chi2 > 190.9 && chi2 < 330.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers), cmocka_unit_test(keys),     cmocka_unit_test(streams),
        cmocka_unit_test(fields),        cmocka_unit_test(uniforms),
    };
    return cmocka_run_group_tests_name("luck", tests, NULL, NULL);
}
