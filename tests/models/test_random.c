/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_random.c - scenarios at random (generate.h), each run under the laws after every event; the
 * effective scenario it echoes, read again, must make the same run, and the ends of its jobs must
 * add up.
 *
 *   test_random              the first 300, or as many as RANDOM says in the environment
 *   test_random FROM [TO]    those; each with its text when it is one alone
 *
 * They run in child processes, JOBS at a time, so that one that dies, hangs or breaks an assertion
 * is reported like any other: with its index and its text. The rest goes on. */
#include "tests/models/generate.h"
#include "tests/models/world.h"

#include "models/mdl_metrics.h"
#include "models/study/mdl_replicate.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { USUAL_COUNT = 300, SECONDS_EACH = 60, FAILURES_SHOWN = 10, LANES_MAX = 16 };

static uint64_t first, last; /* [first, last) */
static size_t lanes = 1;     /* lane k runs every lanes-th of them, from first + k on */
static char folder[] = "/tmp/squall-random-XXXXXX";

/* What the child of a lane tells: the index it is at, and what is wrong with it. */
struct report {
    pid_t pid; /* 0: the lane is done */
    size_t lane;
    uint64_t index;
    uint64_t events, most_events;
    char trouble[4000];
};

static void write_file(const char *name, const char *text)
{
    char path[80];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
    assert_int_equal(fclose(f), 0);
}

/* ---- one scenario ---- */

struct sums {
    double arrived, ended;
};

static void add_ends(void *ctx, const char *name, double number, const char *word)
{
    static const char *const ends[] = { "jobs.completed",     "jobs.stale",   "jobs.superseded",
                                        "jobs.dead_lettered", "jobs.dropped", "jobs.lost",
                                        "jobs.unfinished" };
    struct sums *s = ctx;
    (void)word;
    s->arrived += strcmp(name, "jobs.arrived") == 0 ? number : 0;
    for (size_t i = 0; i < SQ_COUNT(ends); i++) {
        s->ended += strcmp(name, ends[i]) == 0 ? number : 0;
    }
}

static void complain(struct report *r, const char *what, const struct sq_diag *diag)
{
    struct sq_buf b = { 0 };
    sq_diag_print(diag, &b);
    (void)snprintf(r->trouble, sizeof(r->trouble), "%s\n%s", what, b.len > 0 ? b.text : "");
    sq_buf_fini(&b);
}

/* Runs the text; its hash and, if asked for, its echo. */
static uint64_t run_text(struct report *r, const char *text, struct sq_buf *echo)
{
    char path[80];
    char name[32];
    (void)snprintf(name, sizeof(name), "scenario-%zu.yaml", r->lane);
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    write_file(name, text);
    struct mdl_ask ask = { .file = path, .runs = -1 };
    struct mdl_scenario s = { 0 };
    struct sq_diag diag = { 0 };
    struct mdl_world w = { 0 };
    uint64_t hash = 0;
    if (mdl_scenario_load(&s, &ask, &diag) != SQ_OK) {
        complain(r, echo != NULL ? "does not load" : "its echo does not load", &diag);
    } else {
        struct mdl_run_ask how = { .s = &s, .replication = 1, .check_every = 1, .tells = true };
        enum sq_status status = mdl_run_once(&w, &how, &diag);
        struct sums sums = { 0 };
        if (status == SQ_BROKEN) {
            (void)snprintf(r->trouble, sizeof(r->trouble), "a law is broken: %s", w.broken);
        } else if (status != SQ_OK) {
            complain(r, "does not run", &diag);
        } else {
            mdl_metrics_each(&w, add_ends, &sums);
            if (sums.arrived != sums.ended) {
                complain(r, "jobs.arrived is not the sum of the ends", &diag);
            }
        }
        hash = w.ctx.sim.hash;
        r->events += w.ctx.sim.events;
        r->most_events = w.ctx.sim.events > r->most_events ? w.ctx.sim.events : r->most_events;
        mdl_world_fini(&w);
    }
    if (echo != NULL && s.echo != NULL) {
        sq_buf_puts(echo, s.echo);
    }
    mdl_scenario_fini(&s);
    sq_diag_fini(&diag);
    return hash;
}

static void run_index(struct report *r)
{
    struct sq_buf text = { 0 }, echo = { 0 };
    generate_scenario(r->index, &text);
    uint64_t hash = run_text(r, text.text, &echo);
    if (r->trouble[0] == '\0' && run_text(r, echo.text, NULL) != hash && r->trouble[0] == '\0') {
        (void)snprintf(r->trouble, sizeof(r->trouble), "its echo makes another run");
    }
    sq_buf_fini(&text);
    sq_buf_fini(&echo);
}

/* ---- all of them ---- */

/* The test library catches these, and would go on in the child as if it were the parent. */
static void die_of_signals(void)
{
    static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS };
    for (size_t i = 0; i < SQ_COUNT(signals); i++) {
        (void)signal(signals[i], SIG_DFL);
    }
}

/* So many seconds of its own processor time from now on; the signal ends the process. */
static void limit_time(void)
{
    struct itimerval t = { .it_value = { .tv_sec = SECONDS_EACH } };
    (void)setitimer(ITIMER_VIRTUAL, &t, NULL);
}

static _Noreturn void child(struct report *r)
{
    die_of_signals();
    for (; r->index < last; r->index += lanes) {
        limit_time();
        run_index(r);
        if (r->trouble[0] != '\0') {
            exit(1);
        }
    }
    limit_time();
    exit(0); /* not _exit: leaks are looked for */
}

static void describe(struct report *r, int status)
{
    if (r->trouble[0] == '\0') {
        (void)snprintf(r->trouble, sizeof(r->trouble),
                       WIFSIGNALED(status) ? "died of signal %d" : "died with status %d",
                       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    struct sq_buf text = { 0 };
    generate_scenario(r->index, &text);
    print_error("scenario %" PRIu64 ": %s\n%s\n", r->index, r->trouble, text.text);
    sq_buf_fini(&text);
}

/* Memory that parent and children see: a report for each lane. */
static struct report *share(void)
{
    char path[80];
    (void)snprintf(path, sizeof(path), "%s/report", folder);
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)(lanes * sizeof(struct report))), 0);
    struct report *r = mmap(NULL, lanes * sizeof(*r), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_ptr_not_equal(r, MAP_FAILED);
    (void)close(fd);
    (void)unlink(path);
    return r;
}

static void start(struct report *r)
{
    (void)fflush(NULL);
    if (r->index >= last) {
        r->pid = 0;
        return;
    }
    pid_t pid = fork(); /* the report is shared: only the parent notes it */
    assert_true(pid >= 0);
    if (pid == 0) {
        child(r);
    }
    r->pid = pid;
}

/* Waits for the child of any lane; NULL: there is none. */
static struct report *wait_for(struct report *all, int *status)
{
    pid_t pid = wait(status);
    for (size_t k = 0; pid > 0 && k < lanes; k++) {
        if (all[k].pid == pid) {
            return &all[k];
        }
    }
    return NULL;
}

static void test_all(void **state)
{
    (void)state;
    struct report *all = share(), *r;
    uint64_t events = 0, most_events = 0;
    unsigned failed = 0;
    int status;
    for (size_t k = 0; k < lanes; k++) {
        all[k].lane = k;
        all[k].index = first + k;
        start(&all[k]);
    }
    while ((r = wait_for(all, &status)) != NULL) {
        if (status == 0) {
            r->pid = 0;
            continue;
        }
        failed++;
        if (failed <= FAILURES_SHOWN) {
            describe(r, status);
        }
        r->trouble[0] = '\0';
        r->index += lanes;
        start(r);
    }
    for (size_t k = 0; k < lanes; k++) {
        assert_true(all[k].index >= last);
        events += all[k].events;
        most_events = all[k].most_events > most_events ? all[k].most_events : most_events;
    }
    printf("# %" PRIu64 " scenarios, %" PRIu64 " events, at most %" PRIu64 " in one\n",
           last - first, events, most_events);
    assert_true(events > 0);
    assert_int_equal(munmap(all, lanes * sizeof(*all)), 0);
    if (failed > 0) {
        fail_msg("%u scenarios failed", failed);
    }
}

/* The same index gives the same text, another one another. */
static void test_text(void **state)
{
    (void)state;
    struct sq_buf a = { 0 }, b = { 0 }, c = { 0 };
    generate_scenario(7, &a);
    generate_scenario(7, &b);
    generate_scenario(8, &c);
    assert_string_equal(a.text, b.text);
    assert_string_not_equal(a.text, c.text);
    sq_buf_fini(&a);
    sq_buf_fini(&b);
    sq_buf_fini(&c);
}

static int make_folder(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    write_file("samples.csv", generate_samples);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    char path[80];
    for (size_t k = 0; k < lanes; k++) {
        (void)snprintf(path, sizeof(path), "%s/scenario-%zu.yaml", folder, k);
        (void)unlink(path);
    }
    (void)snprintf(path, sizeof(path), "%s/samples.csv", folder);
    (void)unlink(path);
    return rmdir(folder);
}

int main(int argc, char **argv)
{
    const char *count = getenv("RANDOM_SCENARIOS");
    last = count != NULL && count[0] != '\0' ? strtoull(count, NULL, 10) : USUAL_COUNT;
    if (argc > 1) {
        first = strtoull(argv[1], NULL, 10);
        last = argc > 2 ? strtoull(argv[2], NULL, 10) : first + 1;
    }
    const char *jobs = getenv("JOBS");
    lanes = jobs != NULL && last - first > 1 ? strtoull(jobs, NULL, 10) : 1;
    lanes = lanes < 1 ? 1 : lanes > LANES_MAX ? LANES_MAX : lanes;
    if (argc == 2) {
        struct sq_buf text = { 0 };
        generate_scenario(first, &text);
        (void)fputs(text.text, stdout);
        sq_buf_fini(&text);
    }
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_text), cmocka_unit_test(test_all) };
    return cmocka_run_group_tests_name("random scenarios", tests, make_folder, remove_folder);
}
