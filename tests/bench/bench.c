/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench.c - `make bench`: one table on standard output, and the same as JSON.
 *
 *     bench PROGRAM FILE.json [GROUP]      GROUP: events, runs or startup; without it all
 */
#include "tests/bench/bench.h"

#include "sim/base/sq_base.h"
#include "sim/base/sq_file.h"
#include "sim/base/sq_json.h"
#include "sim/core/sq_math.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROWS_MAX = 64 };

static struct {
    struct bench_row rows[ROWS_MAX];
    size_t count;
} bench;

static _Noreturn void die(const char *why)
{
    (void)fprintf(stderr, "bench: %s\n", why);
    exit(1);
}

/* ---- one process ---- */

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double wall_s(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

double bench_cpu_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double children_s(void)
{
    struct rusage usage;
    (void)getrusage(RUSAGE_CHILDREN, &usage);
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/* What a child tells before it ends; one that becomes another program tells nothing. */
struct told {
    double said, rss_bytes;
};

static _Noreturn void child(const struct bench_job *job, int out)
{
    struct rusage usage;
    struct told t = { .said = job->run(job->what) };
    (void)getrusage(RUSAGE_SELF, &usage);
    t.rss_bytes = (double)usage.ru_maxrss * 1024;
    bool told = write(out, &t, sizeof(t)) == (ssize_t)sizeof(t);
    _exit(told && !isnan(t.said) ? 0 : 1);
}

static struct bench_cost measure(const struct bench_job *job)
{
    int ends[2], status;
    struct told t = { 0 };
    (void)fflush(NULL);
    if (pipe(ends) != 0 || fcntl(ends[1], F_SETFD, FD_CLOEXEC) != 0) {
        die("no pipe");
    }
    double cpu = children_s(), wall = wall_s();
    pid_t pid = fork();
    if (pid == 0) {
        child(job, ends[1]);
    }
    (void)close(ends[1]);
    (void)!read(ends[0], &t, sizeof(t));
    (void)close(ends[0]);
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0) {
        die("a measured run failed");
    }
    return (struct bench_cost){ .cpu_s = children_s() - cpu,
                                .wall_s = wall_s() - wall,
                                .rss_bytes = t.rss_bytes,
                                .said = t.said };
}

/* ---- medians ---- */

static int by_value(const void *a, const void *b)
{
    const double *x = a;
    const double *y = b;
    return (*x > *y) - (*x < *y);
}

double bench_median(double *v, size_t n)
{
    qsort(v, n, sizeof(*v), by_value);
    return v[n / 2];
}

static struct bench_cost median_cost(const struct bench_cost *all, size_t n)
{
    double cpu[BENCH_ROUNDS], wall[BENCH_ROUNDS], rss[BENCH_ROUNDS], said[BENCH_ROUNDS];
    for (size_t i = 0; i < n; i++) {
        cpu[i] = all[i].cpu_s;
        wall[i] = all[i].wall_s;
        rss[i] = all[i].rss_bytes;
        said[i] = all[i].said;
    }
    return (struct bench_cost){ bench_median(cpu, n), bench_median(wall, n), bench_median(rss, n),
                                bench_median(said, n) };
}

struct bench_pair bench_turns(const struct bench_job *ours, const struct bench_job *yard,
                              int rounds)
{
    struct bench_cost a[BENCH_ROUNDS], b[BENCH_ROUNDS];
    struct bench_pair pair = { 0 };
    for (int r = 0; r < rounds; r++) {
        a[r] = measure(ours);
        if (yard != NULL) {
            b[r] = measure(yard);
        }
    }
    pair.ours = median_cost(a, (size_t)rounds);
    if (yard != NULL) {
        pair.yard = median_cost(b, (size_t)rounds);
    }
    return pair;
}

/* ---- the table ---- */

static const char *verdict(const struct bench_row *r)
{
    if (r->sense == BENCH_NONE) {
        return "";
    }
    bool holds = r->sense == BENCH_AT_MOST ? r->value <= r->target : r->value >= r->target;
    return holds ? "holds" : "MISSED";
}

void bench_put(const struct bench_row *row)
{
    static const char *const sense[] = { "", "<=", ">=" };
    if (bench.count == 0) {
        printf("%-46s %9s %-12s %10s\n", "what", "measured", "", "target");
    }
    if (bench.count == ROWS_MAX) {
        die("too many rows");
    }
    bench.rows[bench.count++] = *row;
    printf("%-46s %9.4g %-12s", row->name, row->value, row->unit);
    if (row->sense != BENCH_NONE) {
        printf(" %2s %7g  %s", sense[row->sense], row->target, verdict(row));
    }
    printf("\n");
    (void)fflush(stdout);
}

static enum sq_status write_json(const char *path, struct sq_diag *diag)
{
    struct sq_json_writer w = { 0 };
    struct sq_buf b = { 0 };
    sq_json_open_object(&w, NULL);
    sq_json_put_text(&w, "version", SQ_VERSION);
    sq_json_put_integer(&w, "rounds", BENCH_ROUNDS);
    sq_json_open_array(&w, "rows");
    for (size_t i = 0; i < bench.count; i++) {
        const struct bench_row *r = &bench.rows[i];
        sq_json_open_object(&w, NULL);
        sq_json_put_text(&w, "name", r->name);
        sq_json_put_number(&w, "value", r->value);
        sq_json_put_text(&w, "unit", r->unit);
        sq_json_put_number(&w, "ours", r->ours);
        sq_json_put_number(&w, "yardstick", r->yard);
        sq_json_put_text(&w, "verdict", verdict(r));
        sq_json_put_number(&w, "target", r->sense != BENCH_NONE ? r->target : NAN);
        sq_json_close(&w);
    }
    sq_json_close(&w);
    sq_json_close(&w);
    enum sq_status status = sq_json_dump(&w, &b);
    sq_json_writer_fini(&w);
    status = status == SQ_OK ? sq_file_write(path, b.text, b.len, diag) : status;
    sq_buf_fini(&b);
    return status;
}

static const struct {
    const char *name;
    void (*run)(void);
} groups[] = { { "events", bench_events }, { "runs", bench_storms }, { "startup", bench_startup } };

int main(int argc, char **argv)
{
    struct sq_diag diag = { 0 };
    if (argc < 3) {
        die("usage: bench PROGRAM FILE.json [events|runs|startup]");
    }
    if (setenv("SQUALL", argv[1], 1) != 0) {
        die("no memory");
    }
    sq_math_init();
    for (size_t i = 0; i < SQ_COUNT(groups); i++) {
        if (argc == 3 || strcmp(argv[3], groups[i].name) == 0) {
            groups[i].run();
        }
    }
    enum sq_status status = write_json(argv[2], &diag);
    sq_diag_fini(&diag);
    return status == SQ_OK ? 0 : 1;
}
