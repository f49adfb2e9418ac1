/* SPDX-License-Identifier: GPL-3.0-or-later */
/* oracle_run.c - runs of a scenario, and ears that hear its records.
 *
 * Ears stand before the probe: they hear every record and pass it on. */
#include "tests/queueing/oracle.h"

#include "models/mdl_metrics.h"
#include "models/mdl_world.h"
#include "sim/base/sq_par.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- metrics by name ---- */

struct lookup {
    const char *name;
    size_t len;
    double value;
    bool found;
};

static void look(void *ctx, const char *name, double number, const char *word)
{
    (void)word;
    struct lookup *l = ctx;
    if (strlen(name) == l->len && strncmp(name, l->name, l->len) == 0) {
        l->value = number;
        l->found = true;
    }
}

static double metric_sum(struct mdl_world *w, const char *from, const char *to)
{
    double sum = 0;
    while (from < to) {
        const char *end = memchr(from, '+', (size_t)(to - from));
        end = end != NULL ? end : to;
        struct lookup l = { from, (size_t)(end - from), 0, false };
        mdl_metrics_each(w, look, &l);
        SQ_ASSERT(l.found);
        sum += l.value;
        from = end + 1;
    }
    return sum;
}

struct oracle_sums oracle_metric(struct mdl_world *w, const char *e)
{
    const char *end = e + strlen(e), *slash = strchr(e, '/');
    struct oracle_sums s = { .n = 1 };
    s.s1 = metric_sum(w, e, slash != NULL ? slash : end);
    s.n = slash != NULL ? metric_sum(w, slash + 1, end) : 1;
    s.s2 = s.s1 * s.s1;
    return s;
}

/* ---- ears ---- */

struct ear {
    const struct oracle_ask *ask;
    struct oracle_sums sums;
    sq_time_t from, to; /* the window */
    sq_time_t since;    /* of the level's last change, or of the busy time */
    int64_t level;
    double counted; /* ASK_INSTANT */
    bool done;
    uint32_t last[64]; /* ASK_RECOVER, ASK_BUSIEST: records by second, in a ring */
    int64_t second;
};

struct room {
    struct mdl_world *w;
    void (*observe)(void *probe, const struct mdl_rec *r);
    void *probe;
    struct ear *ears;
    size_t count;
};

static bool matches(const struct oracle_match *m, const struct mdl_rec *r)
{
    bool attempt = m->attempt == 0 || m->attempt == r->attempt ||
                   (m->attempt == ORACLE_RETRIES && r->attempt > 1);
    return m->kind == r->kind && (m->outcome < 0 || m->outcome == r->outcome) && attempt &&
           (m->producer < 0 || m->producer == r->producer) && (!m->unwaited || r->value == 0);
}

static void take(struct ear *e, double weight, double value)
{
    double v = value;
    if (e->ask->figure == FIGURE_SHARE) {
        v = value <= e->ask->bound ? 1 : 0;
    } else if (e->ask->figure == FIGURE_CAPPED) {
        v = fmin(value, e->ask->bound);
    }
    e->sums.n += weight;
    e->sums.s1 += weight * v;
    e->sums.s2 += weight * v * v;
}

static int64_t step_of(const struct ear *e, const struct mdl_rec *r)
{
    if (e->ask->level == LEVEL_READY) {
        return r->kind == MDL_REC_JOB_READY ? 1 : r->kind == MDL_REC_JOB_DELIVERED ? -1 : 0;
    }
    if (e->ask->level == LEVEL_JOBS) {
        if (e->ask->without == r->producer + 1) {
            return 0;
        }
        return r->kind == MDL_REC_JOB_ARRIVED ? 1 : r->kind == MDL_REC_JOB_ENDED ? -1 : 0;
    }
    if (e->ask->attempt != 0 && r->attempt != e->ask->attempt) {
        return 0;
    }
    bool again = r->kind == MDL_REC_JOB_READY && r->attempt > 0;
    return r->kind == MDL_REC_JOB_RETRY ? 1 : again ? -1 : 0;
}

/* The level was what it is from `since` until `now`. */
static void pass_time(struct ear *e, sq_time_t now)
{
    sq_time_t a = sq_max_i64(e->since, e->from), b = sq_min_i64(now, e->to);
    if (e->ask->kind == ASK_LEVEL && b > a) {
        take(e, sq_time_to_s(b - a), (double)e->level);
    }
    if (e->ask->kind == ASK_AT && now > e->from && !e->done) {
        e->done = true;
        take(e, 1, (double)e->level);
    }
}

static void hear_level(struct ear *e, sq_time_t now, int64_t step)
{
    bool busy = e->ask->kind == ASK_BUSY;
    if (step == 0) {
        return;
    }
    if (!busy) {
        pass_time(e, now);
        e->since = now;
    } else if (e->level == 0) {
        e->since = now;
    }
    e->level += step;
    if (e->ask->kind == ASK_PEAK && now >= e->from && now < e->to) {
        e->sums.s1 = fmax(e->sums.s1, (double)e->level);
    }
    if (busy && e->level == 0 && e->since >= e->from) {
        take(e, 1, sq_time_to_s(now - e->since));
    }
}

/* Tells whether the run may end. */
static bool hear_passage(struct ear *e, sq_time_t now)
{
    if (!e->done && now >= e->from && (double)e->level <= e->ask->x) {
        take(e, 1, sq_time_to_s(now - e->from));
        e->done = true;
    }
    return e->done;
}

/* Ends seconds up to that of `now`. */
static void pass_seconds(struct ear *e, sq_time_t now)
{
    int64_t second = now / SQ_NS_PER_S;
    bool busiest = e->ask->kind == ASK_BUSIEST;
    for (; e->second < second; e->second++) {
        uint64_t sum = 0;
        for (int64_t k = 0; k < (busiest ? 60 : 5); k++) {
            sum += e->last[(e->second - k) & 63];
        }
        sq_time_t end = (e->second + 1) * SQ_NS_PER_S;
        if (busiest) {
            e->sums.s1 = fmax(e->sums.s1, (double)sum);
        } else if (!e->done && end > e->from && (double)sum > e->ask->x) {
            take(e, 1, sq_time_to_s(end - 5 * SQ_NS_PER_S - e->from));
            e->done = true;
        }
        e->last[(e->second + 1) & 63] = 0;
    }
}

static void hear_seconds(struct ear *e, sq_time_t now, const struct mdl_rec *r)
{
    pass_seconds(e, now);
    if (matches(&e->ask->match, r) && now >= e->from && now < e->to) {
        e->last[e->second & 63]++;
    }
}

static void hear_record(struct ear *e, sq_time_t now, const struct mdl_rec *r)
{
    bool inside = now >= e->from && now < e->to;
    bool match = matches(&e->ask->match, r);
    switch ((int)e->ask->kind) {
    case ASK_VALUES:
        if (match && inside) {
            take(e, 1, sq_time_to_s(r->value));
        }
        break;
    case ASK_COUNT:
        e->sums.s1 += match && inside ? 1 : 0;
        break;
    case ASK_RATIO:
        e->sums.s1 += match && inside ? 1 : 0;
        e->sums.n += matches(&e->ask->base, r) && inside ? 1 : 0;
        break;
    case ASK_RECOVER:
    case ASK_BUSIEST:
        hear_seconds(e, now, r);
        break;
    case ASK_INSTANT:
        match = match && inside;
        e->counted += match ? 1 : 0;
        if (!e->done && match && e->counted >= e->ask->x) {
            take(e, 1, sq_time_to_s(now));
            e->done = true;
        }
        break;
    default:
        break;
    }
}

static void hear(void *self, const struct mdl_rec *r)
{
    struct room *m = self;
    sq_time_t now = mdl_now(&m->w->ctx);
    m->observe(m->probe, r);
    bool over = m->count > 0;
    for (size_t i = 0; i < m->count; i++) {
        struct ear *e = &m->ears[i];
        enum oracle_ask_kind kind = e->ask->kind;
        if (kind == ASK_LEVEL || kind == ASK_AT || kind == ASK_BUSY || kind == ASK_PASSAGE ||
            kind == ASK_PEAK) {
            hear_level(e, now, step_of(e, r));
        } else {
            hear_record(e, now, r);
        }
        over = (kind == ASK_PASSAGE && hear_passage(e, now)) && over;
    }
    if (over) {
        sq_sim_stop(&m->w->ctx.sim);
    }
}

static void open_ear(struct ear *e, const struct oracle_ask *ask, const struct mdl_world *w)
{
    *e = (struct ear){ .ask = ask };
    bool whole = ask->to <= 0 && ask->from <= 0;
    e->from = whole ? w->ctx.measure_from_ns : sq_time_from_s(ask->from);
    e->to = ask->to > 0 ? sq_time_from_s(ask->to) : SQ_NEVER;
    bool one = ask->kind == ASK_COUNT || ask->kind == ASK_PEAK || ask->kind == ASK_BUSIEST;
    e->sums.n = one ? 1 : 0;
}

static void close_ear(struct ear *e, struct mdl_world *w)
{
    if (e->ask->kind == ASK_METRIC) {
        e->sums = oracle_metric(w, e->ask->metric);
    } else if (e->ask->kind == ASK_LEVEL || e->ask->kind == ASK_AT) {
        pass_time(e, mdl_now(&w->ctx));
    }
    if (e->ask->per_run) {
        double value = e->sums.s1 / e->sums.n;
        e->sums = (struct oracle_sums){ 0 };
        take(e, 1, value);
    }
}

/* ---- runs ---- */

struct work {
    struct oracle_group *g;
    const struct mdl_scenario *s;
};

static enum sq_status run_one(void *ctx, size_t rep)
{
    struct work *k = ctx;
    size_t count = k->g->ask_count;
    struct sq_diag diag = { 0 };
    struct mdl_world *w = sq_mem_alloc(1, sizeof(*w));
    struct ear *ears = sq_mem_alloc(count, sizeof(*ears));
    SQ_ASSERT(w != NULL && ears != NULL);
    enum sq_status status = mdl_world_init(w, k->s, rep + 1);
    struct room m = { w, w->ctx.observe, w->ctx.probe, ears, count };
    for (size_t i = 0; i < count; i++) {
        open_ear(&ears[i], k->g->asks[i], w);
    }
    w->ctx.observe = hear;
    w->ctx.probe = &m;
    if (status == SQ_OK) {
        status = mdl_world_run(w, MDL_CHECK_EVERY, NULL, &diag);
    }
    for (size_t i = 0; i < count && status == SQ_OK; i++) {
        close_ear(&ears[i], w);
        k->g->sums[rep * count + i] = ears[i].sums;
    }
    if (status == SQ_BROKEN) {
        (void)snprintf(k->g->error, sizeof(k->g->error), "a law is broken: %s", w->broken);
    }
    mdl_world_fini(w);
    sq_diag_fini(&diag);
    sq_mem_free(ears);
    sq_mem_free(w);
    return status;
}

/* Loads from a file of its own: the loader reads files. */
static enum sq_status load(struct mdl_scenario *s, const struct sq_buf *yaml, struct sq_diag *diag)
{
    char path[] = "/tmp/squall-oracle-XXXXXX";
    int fd = mkstemp(path);
    SQ_ASSERT(fd >= 0 && yaml->text != NULL);
    bool written = write(fd, yaml->text, yaml->len) == (ssize_t)yaml->len;
    (void)close(fd);
    SQ_ASSERT(written);
    struct mdl_ask ask = { .file = path, .runs = -1 };
    enum sq_status status = mdl_scenario_load(s, &ask, diag);
    (void)unlink(path);
    return status;
}

bool oracle_load(struct mdl_scenario *s, const struct sq_buf *yaml)
{
    struct sq_diag diag = { 0 };
    struct sq_buf text = { 0 };
    enum sq_status status = load(s, yaml, &diag);
    if (status != SQ_OK) {
        sq_diag_print(&diag, &text);
        (void)fprintf(stderr, "%s\n", text.text != NULL ? text.text : "");
    }
    sq_buf_fini(&text);
    sq_diag_fini(&diag);
    return status == SQ_OK;
}

static void note_error(struct oracle_group *g, enum sq_status status, const struct sq_diag *diag)
{
    struct sq_buf text = { 0 };
    sq_diag_print(diag, &text);
    if (g->error[0] == '\0') {
        (void)snprintf(g->error, sizeof(g->error), "status %d: %s", (int)status,
                       text.text != NULL ? text.text : "");
    }
    sq_buf_fini(&text);
}

void oracle_run(struct oracle_group *g)
{
    struct sq_diag diag = { 0 };
    struct mdl_scenario s;
    clock_t start = clock();
    enum sq_status status = load(&s, &g->first->yaml, &diag);
    if (status == SQ_OK) {
        struct work k = { g, &s };
        status = sq_par_for(sq_par_cores(), g->first->reps, run_one, &k);
    }
    if (status != SQ_OK) {
        note_error(g, status, &diag);
    }
    g->seconds = (double)(clock() - start) / (double)CLOCKS_PER_SEC;
    mdl_scenario_fini(&s);
    sq_diag_fini(&diag);
}
