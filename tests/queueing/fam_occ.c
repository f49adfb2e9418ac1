/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fam_occ.c - N clients that all read one row and write it back if it has not changed meanwhile,
 * over a network of |N(10, 2)| ms each way: how many writes, and when the last one wins. After the
 * k-th conflict D = min(2 s, 5 ms * 2^k), spread by the jitter under test. */
#include "tests/queueing/oracle.h"

#include <string.h>

static const struct {
    const char *name, *retry;
} laws[] = {
    { "none", "backoff: none, jitter: none" },
    { "exp", "backoff: {kind: exponential, base: 10ms, cap: 2s}, jitter: none" },
    { "equal", "backoff: {kind: exponential, base: 10ms, cap: 2s}, jitter: equal" },
    { "full", "backoff: {kind: exponential, base: 10ms, cap: 2s}, jitter: full" },
    { "decorr", "backoff: {kind: decorrelated, base: 5ms, cap: 2s}" },
};
enum { LAWS = SQ_COUNT(laws), ORDER_RUNS = 50 };

static void say_clients(struct sq_buf *b, double count, const char *row, const char *retry)
{
    oracle_say(b,
               "{arrivals: {kind: closed, population: @n, jobs_each: 1}, calls: {@s: {}},\n"
               "    retry: {max_attempts: unlimited, @s}}\n",
               count, row, retry);
}

static const char *const row_text =
    "{kind: optimistic, network: {kind: normal, mean: 10ms, sd: 2ms}}\n";

static void say_one(const struct oracle *o, struct oracle_check *c, double count)
{
    char word[16];
    const char *retry = NULL;
    (void)oracle_word(o, "jitter", word, sizeof(word));
    for (size_t i = 0; i < LAWS; i++) {
        retry = strcmp(laws[i].name, word) == 0 ? laws[i].retry : retry;
    }
    SQ_ASSERT(retry != NULL);
    oracle_say(&c->yaml, "clients:\n  c: ");
    say_clients(&c->yaml, count, "d", retry);
    oracle_say(&c->yaml, "dependencies:\n  d: @s", row_text);
}

/* All five beside each other: clients c_<law> of the row d_<law>. */
static void say_all(struct oracle_check *c)
{
    oracle_say(&c->yaml, "clients:\n");
    for (size_t i = 0; i < LAWS; i++) {
        struct sq_buf name = { 0 };
        oracle_say(&name, "d-@s", laws[i].name);
        oracle_say(&c->yaml, "  c-@s: ", laws[i].name);
        say_clients(&c->yaml, 100, name.text, laws[i].retry);
        sq_buf_fini(&name);
    }
    oracle_say(&c->yaml, "dependencies:\n");
    for (size_t i = 0; i < LAWS; i++) {
        oracle_say(&c->yaml, "  d-@s: @s", laws[i].name, row_text);
    }
}

/* 1 when the means of these metrics rise in this order. */
static double rises(const char *const metrics[LAWS])
{
    struct oracle_check c = { .seed = 3 };
    struct oracle_ask asks[LAWS];
    const struct oracle_ask *list[LAWS];
    struct oracle_sums sums[ORDER_RUNS * LAWS];
    oracle_plain(&c, ORDER_RUNS, 600);
    say_all(&c);
    for (size_t i = 0; i < LAWS; i++) {
        asks[i] = (struct oracle_ask){ .kind = ASK_METRIC, .metric = metrics[i] };
        list[i] = &asks[i];
    }
    struct oracle_group g = { .first = &c, .asks = list, .ask_count = LAWS, .sums = sums };
    oracle_run(&g);
    bool right = g.error[0] == '\0';
    for (size_t i = 1; i < LAWS && right; i++) {
        right = oracle_estimate(&g, i - 1).value < oracle_estimate(&g, i).value;
    }
    sq_buf_fini(&c.yaml);
    return right ? 1 : 0;
}

static double order_of_calls(const struct oracle *o)
{
    static const char *const metrics[LAWS] = {
        "dependency.d-full.calls", "dependency.d-equal.calls", "dependency.d-decorr.calls",
        "dependency.d-exp.calls",  "dependency.d-none.calls",
    };
    SQ_ASSERT(strcmp(o->value_text, "full < equal < decorr < exp < none") == 0);
    return rises(metrics);
}

static double order_of_times(const struct oracle *o)
{
    static const char *const metrics[LAWS] = {
        "client.c-none.delay_max_s",  "client.c-decorr.delay_max_s", "client.c-full.delay_max_s",
        "client.c-equal.delay_max_s", "client.c-exp.delay_max_s",
    };
    SQ_ASSERT(strcmp(o->value_text, "none < decorr < full < equal < exp") == 0);
    return rises(metrics);
}

static void occ(const struct oracle *o, int place, struct oracle_check *c)
{
    (void)place;
    double count = oracle_number(o, "clients");
    size_t reps = count <= 20 ? 1000 : 200;
    c->cost = (double)reps * count * count / 4;
    if (strstr(o->id, ".order.") != NULL) {
        c->compute = oracle_ends(o, ".calls") ? order_of_calls : order_of_times;
        c->ask.expected = 1;
        return;
    }
    oracle_plain(c, reps, 600);
    c->ask.kind = ASK_METRIC;
    if (strstr(o->id, ".ratio.") != NULL) {
        say_all(c);
        c->ask.metric = "dependency.d-full.calls/dependency.d-exp.calls";
        return;
    }
    say_one(o, c, count);
    if (oracle_ends(o, ".calls")) {
        c->ask.metric = "dependency.d.calls";
    } else {
        c->ask.metric = "client.c.delay_max_s";
        c->ask.scale = 1000;
    }
}

const struct oracle_family oracle_occ[] = {
    { .name = "AWS OCC", .make = occ },
    { .name = NULL },
};
