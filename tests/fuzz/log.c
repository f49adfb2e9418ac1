/* SPDX-License-Identifier: GPL-3.0-or-later */
/* log.c - any bytes as a log of calls that a control is fed with; the first byte says which control
 * and whether the page is the short one. */
#include "tests/fuzz/fuzz.h"

#include "models/advice/mdl_replay.h"

#include <unistd.h>

const char fuzz_name[] = "log";
const char *const fuzz_seeds[] = { NULL };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const controls[] = {
        "{breaker: {window: {kind: consecutive, size: 2}, open_for: 10s, half_open: {calls: 1}}}",
        "resilience4j",
        "{rate_limit: {rate: 2/s, burst: 3}}",
        "{budget: {kind: ratio, ratio: 20%}}",
        "{ramp: {steps: [1, 2, 4]}}",
        "envoy",
    };
    if (size == 0) {
        return 0;
    }
    char path[FUZZ_PATH];
    fuzz_write(fuzz_path(path, "calls.csv"), data + 1, size - 1);
    struct sq_buf page = { 0 };
    struct sq_diag diag = { 0 };
    struct mdl_replay_ask ask = { .control = controls[(data[0] >> 1) % SQ_COUNT(controls)],
                                  .file = path,
                                  .summary = (data[0] & 1) != 0 };
    enum sq_status status = mdl_replay(&ask, &diag, &page);
    FUZZ_PROMISE((status == SQ_OK) == (diag.errors == 0));
    FUZZ_PROMISE(status != SQ_OK || page.len > 0);
    for (size_t i = 0; i < diag.count; i++) {
        FUZZ_PROMISE(diag.items[i].where.line <= size);
    }
    sq_buf_fini(&page);
    sq_diag_fini(&diag);
    (void)unlink(path);
    return 0;
}
