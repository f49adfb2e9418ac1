/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trace.c - any bytes as a CSV file with arrival times in its first column and, if the first byte
 * is odd, values in its second. Its other bits choose the unit of times. */
#include "tests/fuzz/fuzz.h"

#include "sim/conf/sq_trace_csv.h"

const char fuzz_name[] = "trace";
const char *const fuzz_seeds[] = { NULL };

static void check_trace(const struct sq_trace *t)
{
    FUZZ_PROMISE(t->count > 0 && t->at_ns[0] == 0);
    for (size_t i = 1; i < t->count; i++) {
        FUZZ_PROMISE(t->at_ns[i] >= t->at_ns[i - 1]);
        FUZZ_PROMISE(t->values == NULL || t->at_ns[i] > t->at_ns[i - 1]);
    }
    for (size_t i = 0; t->values != NULL && i < t->count; i++) {
        FUZZ_PROMISE(t->values[i] >= 0);
    }
    FUZZ_PROMISE(t->end_ns >= t->at_ns[t->count - 1]);
}

static void read_trace(const struct sq_csv *csv, uint8_t choice, struct sq_arena *arena,
                       struct sq_diag *diag)
{
    struct sq_trace_ask ask = { .file = "trace.csv", .time = csv->header.cells[0] };
    ask.value = (choice & 1) != 0 && csv->header.count > 1 ? csv->header.cells[1] : NULL;
    ask.unit_ns = sq_trace_csv_unit_ns((choice >> 1) % 6u);
    struct sq_trace trace = { 0 };
    if (sq_trace_csv_read(csv, &ask, arena, diag, &trace) == SQ_OK) {
        check_trace(&trace);
    } else {
        FUZZ_PROMISE(diag->errors > 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    struct sq_arena arena = { 0 };
    struct sq_diag diag = { 0 };
    struct sq_csv csv = { 0 };
    struct sq_buf text = { 0 };
    sq_buf_add(&text, (const char *)data + 1, size - 1);
    if (sq_csv_parse("trace.csv", &text, &arena, &diag, &csv) == SQ_OK) {
        for (size_t i = 0; i < csv.count; i++) {
            FUZZ_PROMISE(csv.rows[i].count == csv.header.count);
        }
        read_trace(&csv, data[0], &arena, &diag);
    } else {
        FUZZ_PROMISE(diag.errors > 0);
    }
    for (size_t i = 0; i < diag.count; i++) { /* every line end is a byte at least */
        FUZZ_PROMISE(diag.items[i].where.line <= size);
    }
    sq_buf_fini(&text);
    sq_diag_fini(&diag);
    sq_arena_fini(&arena);
    return 0;
}
