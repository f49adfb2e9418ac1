/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_first.c - the first scenario of a new user. */
#include "models/study/mdl_first.h"

#include "sim/base/sq_file.h"

#include <string.h>
#include <sys/stat.h>

// clang-format off
const char mdl_first_text[] =
"# yaml-language-server: $schema=squall.schema.json\n"
"squall: 1\n"
"title: Payments are down for five minutes\n"
"duration: 25m\n"
"runs: 20                                       # each with other luck\n"
"producers:\n"
"  orders: {queue: orders, arrivals: 20/s}      # jobs arrive at random, 20 a second\n"
"queues:\n"
"  orders: {}                                   # first in, first out\n"
"workers:\n"
"  billing:\n"
"    queue: orders\n"
"    replicas: 5                                # 5 processes that run 4 jobs at a time each\n"
"    slots: 4\n"
"    calls: {payments: {timeout: 2s}}\n"
"    retry: {max_attempts: unlimited, backoff: {kind: exponential, base: 1s, cap: 1m}, jitter: full}\n"
"dependencies:\n"
"  payments:\n"
"    servers: 10                                # 10 calls at a time, 200 ms each: 50 calls a second\n"
"    service: {kind: exponential, mean: 200ms}\n"
"    outages: [{at: 5m, for: 5m}]\n"
"    overload: {in_flight: 18, for: 10s, down_for: 1m}    # more than 18 inside: falls over\n"
"variants:\n"
"  cap: {controls: {payments: {concurrency: 10}}}         # never more than 10 calls at a time\n"
"expect:\n"
"  - {that: drain.healthy_s == null}                      # as it is, it never recovers\n"
"  - {variant: cap, that: dependency.payments.secondary_outages == 0}\n"
"  - {variant: cap, that: drain.queue_clear_s < 4m}\n"
"allow:                                                   # meant, though `squall lint` finds it\n"
"  fleet-over-capacity: base shows what happens without a cap\n"
"  unbounded-attempts: no order may get lost, however long it waits\n";
// clang-format on

enum sq_status mdl_first_write(const char *path, struct sq_diag *diag)
{
    struct stat there;
    if (lstat(path, &there) == 0) {
        return sq_diag_error(diag, (struct sq_where){ .file = path }, NULL,
                             "give the name of a new file", "exists already");
    }
    return sq_file_write(path, mdl_first_text, strlen(mdl_first_text), diag);
}

enum sq_status mdl_first_page(const struct sq_args *args, struct sq_buf *out, struct sq_diag *diag)
{
    const char *path = args->word_count > 0 ? args->words[0] : "scenario.yaml";
    enum sq_status status = mdl_first_write(path, diag);
    if (status == SQ_OK) {
        sq_buf_printf(out, "%s is written. Next: squall run %s\n", path, path);
    }
    return status;
}
