/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench_startup.c - the program from the outside, from exec to exit. */
#include "tests/bench/bench.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static double program(const void *what)
{
    const char *const *words = what;
    char *argv[8] = { NULL };
    int out = open("/dev/null", O_WRONLY);
    for (size_t i = 0; words[i] != NULL && i < 7; i++) {
        argv[i + 1] = (char *)(uintptr_t)words[i];
    }
    argv[0] = getenv("SQUALL");
    if (argv[0] == NULL || out < 0 || dup2(out, STDOUT_FILENO) < 0) {
        return NAN;
    }
    (void)execv(argv[0], argv);
    return NAN;
}

void bench_startup(void)
{
    static const char *const run[] = { "run", "tests/bench/tiny.yaml", NULL };
    static const char *const version[] = { "version", NULL };
    struct bench_pair p = bench_turns(&(struct bench_job){ program, run },
                                      &(struct bench_job){ program, version }, BENCH_ROUNDS);
    bench_put(&(struct bench_row){ "a tiny run, from start to end", "ms", p.ours.cpu_s * 1e3,
                                   BENCH_AT_MOST, 5, p.ours.cpu_s, NAN });
    bench_put(&(struct bench_row){ "of that, loading the program", "ms", p.yard.cpu_s * 1e3,
                                   BENCH_NONE, 0, p.yard.cpu_s, NAN });
}
