/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_import_memory.c - an import in which every single allocation fails once says so and does
 * nothing worse; with all of them it is what it was. */
#include "models/import/mdl_import_config.h"
#include "sim/base/sq_file.h"
#include "sim/base/sq_mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const char *const samples[] = {
    "tests/import/config/keda-istio.yaml",     "tests/import/config/hpa.yaml",
    "tests/import/config/service.yaml",        "tests/import/config/scaled-job.yaml",
    "tests/import/config/grpc.json",           "tests/import/config/sqs-keda/b-queue.json",
    "tests/import/config/resilience4j.yaml",   "tests/import/config/resilience4j-dotted.yaml",
    "tests/import/config/envoy.yaml",          "tests/import/config/temporal.yaml",
    "tests/import/config/celery.json",         "tests/import/config/bullmq-job.json",
    "tests/import/config/not-translated.yaml", "tests/import/config/bad-values.yaml",
};

static enum sq_status import(const struct sq_buf *text, struct sq_buf *page)
{
    struct mdl_import_file file = { "it.yaml", text->text, text->len };
    struct sq_diag diag = { 0 };
    enum sq_status status = mdl_import_config(&file, 1, page, &diag);
    sq_diag_fini(&diag);
    return status;
}

static void survives(void **state)
{
    (void)state;
    for (size_t i = 0; i < SQ_COUNT(samples); i++) {
        struct sq_diag diag = { 0 };
        struct sq_buf text = { 0 }, whole = { 0 };
        assert_int_equal(sq_file_read(samples[i], 1 << 20, &text, &diag), SQ_OK);
        enum sq_status right = import(&text, &whole), status = SQ_NOMEM;
        for (long n = 0; status == SQ_NOMEM; n++) {
            struct sq_buf page = { 0 };
            sq_mem_fail_after(n);
            status = import(&text, &page);
            sq_mem_fail_after(-1);
            assert_true(status == SQ_NOMEM || status == right);
            if (status == SQ_OK) {
                assert_string_equal(page.text, whole.text);
            }
            sq_buf_fini(&page);
        }
        sq_buf_fini(&whole);
        sq_buf_fini(&text);
        sq_diag_fini(&diag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(survives) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
