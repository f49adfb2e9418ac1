/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_delay_rows.c - every kind of backoff under every kind of jitter, whatever their rows are:
 * what each of them must keep. A kind that is added is tried here without a line of its own. */
#include "tests/models/world.h"

#include "models/part/mdl_retry.h"
#include "models/policy/mdl_backoff.h"
#include "models/policy/mdl_jitter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const double uniforms[] = { 0x1p-53, 0.25, 0.5, 0.999, 1 - 0x1p-53 };
static const uint32_t numbers[] = { 1,         2,    3,    10,   63,       64,
                                    65,        1023, 1024, 1025, 1u << 31, UINT32_MAX - 1,
                                    UINT32_MAX };

/* A value for a key that has no default. */
static const char *some_value(const struct sq_field *row)
{
    switch ((int)row->type) {
    case SQ_TIME:
        return "1500ms";
    case SQ_RATIO:
        return "20%";
    case SQ_NUMBER:
    case SQ_AMOUNT:
        return "2";
    case SQ_LIST:
        return "[1500ms, 4s]";
    default:
        fail_msg("%s: this test knows no value", row->key);
        return "";
    }
}

/* "{kind: linear, base: 1500ms}": the kind with as little as possible. */
static void put_kind(struct sq_buf *b, const struct sq_kind *k)
{
    sq_buf_printf(b, "{kind: %s", k->name);
    for (size_t i = 0; i < k->table.row_count; i++) {
        const struct sq_field *row = &k->table.rows[i];
        if (row->dflt == NULL && (row->flags & SQ_F_OPTIONAL) == 0) {
            sq_buf_printf(b, ", %s: %s", row->key, some_value(row));
        }
    }
    sq_buf_puts(b, "}");
}

static void check_layer(const struct mdl_retry_cfg *layer, const char *yaml)
{
    for (size_t i = 0; i < SQ_COUNT(uniforms); i++) {
        double last = 0, again = 0;
        for (size_t k = 0; k < SQ_COUNT(numbers); k++) {
            sq_time_t d = mdl_retry_delay(layer, numbers[k], uniforms[i], &last);
            sq_time_t same = mdl_retry_delay(layer, numbers[k], uniforms[i], &again);
            if (d < 0 || d != same || last != again) {
                fail_msg("%s, n = %u, u = %g: %lld ns, again %lld ns", yaml, numbers[k],
                         uniforms[i], (long long)d, (long long)same);
            }
        }
        if (last != last) {
            fail_msg("%s: the state is no number", yaml);
        }
    }
}

static void every_pair_of_kinds(void **state)
{
    (void)state;
    size_t tried = 0;
    for (size_t b = 0; b < mdl_backoff_family.kind_count; b++) {
        const struct sq_kind *backoff = sq_family_kind(&mdl_backoff_family, b);
        for (size_t j = 0; j < mdl_jitter_family.kind_count; j++) {
            const struct sq_kind *jitter = sq_family_kind(&mdl_jitter_family, j);
            if (backoff->later || strcmp(backoff->name, "lease") == 0 || jitter->later) {
                continue; /* a lease ends by the queue's clock */
            }
            struct sq_buf yaml = { 0 };
            struct wld_piece p;
            sq_buf_puts(&yaml, "{max_attempts: unlimited, backoff: ");
            put_kind(&yaml, backoff);
            sq_buf_puts(&yaml, ", jitter: ");
            put_kind(&yaml, jitter);
            sq_buf_puts(&yaml, "}");
            enum sq_status status = wld_group(&p, &mdl_retry_table, yaml.text);
            if (status == SQ_OK) {
                check_layer(p.group, yaml.text);
                tried++;
            } else { /* a law that draws by itself takes no jitter, and nothing else is refused */
                struct wld_piece alone;
                struct sq_buf block = { 0 };
                put_kind(&block, backoff);
                assert_int_equal(wld_block(&alone, &mdl_backoff_family, block.text), SQ_OK);
                assert_true(mdl_backoff_draws(&alone.block));
                assert_string_not_equal(jitter->name, "none");
                wld_piece_fini(&alone);
                sq_buf_fini(&block);
            }
            wld_piece_fini(&p);
            sq_buf_fini(&yaml);
        }
    }
    assert_true(tried >= 6 * 7 + 3); /* six take any jitter, three draw by themselves */
}

/* A cap that applies to what was spread or drawn is reached and never passed. */
static void caps_hold(void **state)
{
    (void)state;
    static const char *const capped[] = { "linear", "exponential",  "polynomial",
                                          "table",  "decorrelated", "compounding" };
    static const char *const applies[] = { "after-jitter", "both" };
    for (size_t i = 0; i < SQ_COUNT(capped); i++) {
        for (size_t a = 0; a < SQ_COUNT(applies); a++) {
            const struct sq_kind *k = sq_family_find(&mdl_backoff_family, capped[i]);
            struct sq_buf yaml = { 0 };
            struct wld_piece p;
            sq_buf_puts(&yaml, "{backoff: ");
            put_kind(&yaml, k);
            yaml.len--; /* the bracket */
            sq_buf_printf(&yaml, ", cap: 3s, cap_applies: %s}%s}", applies[a],
                          i < 4 ? ", jitter: 50%" : "");
            assert_int_equal(wld_group(&p, &mdl_retry_table, yaml.text), SQ_OK);
            double last = 0;
            sq_time_t longest = 0;
            for (uint32_t n = 1; n < 60; n++) {
                sq_time_t d = mdl_retry_delay(p.group, n, uniforms[n % 5], &last);
                longest = d > longest ? d : longest;
            }
            assert_int_equal(longest, WLD_S(3));
            wld_piece_fini(&p);
            sq_buf_fini(&yaml);
        }
    }
}

/* Whatever the rows are: defaults parse, keys are unique, each is explained in one sentence. */
static void rows_are_well_formed(void **state)
{
    (void)state;
    assert_true(wld_conforms(&mdl_backoff_family) >= 9);
    assert_true(wld_conforms(&mdl_jitter_family) >= 7);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_of_kinds),
        cmocka_unit_test(caps_hold),
        cmocka_unit_test(rows_are_well_formed),
    };
    return cmocka_run_group_tests_name("delay rows", tests, NULL, NULL);
}
