/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_save_openmetrics.c - families first, then their series, then their samples: the order that
 * OpenMetrics demands. Every column belongs to one family by the rows below, or by its name. */
#include "sim/conf/sq_save_openmetrics.h"

#include <math.h>
#include <string.h>

#include "sim/base/sq_file.h"

enum { FLUSH_AT = 1 << 16, DIGITS = 12, NAME_MAX_LEN = 160 };

/* Columns that several make one family of, told apart by a label. */
static const struct {
    const char *kind, *quantity, *family, *label, *value;
} shared[] = {
    { "dependency", "calls_first_per_s", "calls", "call", "first" },
    { "dependency", "calls_retry_per_s", "calls", "call", "retry" },
    { "dependency", "goodput_per_s", "ends", "outcome", "goodput" },
    { "dependency", "refused_per_s", "ends", "outcome", "refused" },
    { "dependency", "errors_per_s", "ends", "outcome", "error" },
    { "dependency", "timeouts_per_s", "ends", "outcome", "timeout" },
};

/* How the ends of calls are counted by a client library. */
static const struct {
    const char *quantity, *status;
} statuses[] = { { "goodput_per_s", "200" },
                 { "errors_per_s", "500" },
                 { "refused_per_s", "503" },
                 { "timeouts_per_s", "504" } };

/* What the HELP line says, by kind and family; others are explained by their column's name. */
static const struct {
    const char *kind, *family, *help;
} helps[] = {
    { "dependency", "calls", "Calls that reached the dependency." },
    { "dependency", "ends", "Calls of the dependency by how they ended." },
    { "dependency", "wasted", "Work finished for a caller that had given up." },
    { "dependency", "in_flight", "Calls inside the dependency." },
    { "dependency", "capacity_per_s", "Calls per second that the dependency can serve." },
    { "dependency", "in_flight_max", "Most calls inside the dependency since the sample before." },
    { "dependency", "duplicate_effects", "Work done again for a job that had it already." },
    { "queue", "ready", "Jobs that wait and may be taken." },
    { "queue", "delayed", "Jobs that wait for their time." },
    { "queue", "in_flight", "Jobs that are being worked on." },
    { "queue", "oldest_seconds", "Age of the oldest job." },
    { "queue", "dead_letters", "Jobs among the dead letters." },
    { "queue", "redelivered", "Jobs given out once more." },
    { "workers", "busy_slots", "Slots that hold a job." },
    { "workers", "slots", "Slots of all replicas." },
    { "workers", "wanted_replicas", "Replicas that the autoscaler wants." },
    { "workers", "replicas", "Replicas of the workers." },
    { "workers", "ready_replicas", "Replicas that take jobs." },
    { "producer", "arrivals", "Jobs made." },
};

/* A column taken apart: dependency . template-api . wasted_per_s */
struct part {
    const struct sq_column *column;
    char kind[NAME_MAX_LEN], name[NAME_MAX_LEN], quantity[NAME_MAX_LEN];
    char family[NAME_MAX_LEN]; /* without the prefix: "wasted" */
    bool counter, seconds;
    const char *label, *value;
};

struct writer {
    const struct sq_result *result;
    const struct sq_openmetrics_ask *ask;
    struct sq_file_out file;
    struct sq_buf text;
    struct sq_diag *diag;
};

static bool copy_part(char *out, const char *from, size_t len)
{
    if (len == 0 || len >= NAME_MAX_LEN) {
        return false;
    }
    memcpy(out, from, len);
    out[len] = '\0';
    return true;
}

/* Cuts an ending off; false: it is not there. */
static bool cut(char *text, const char *ending)
{
    size_t len = strlen(text), n = strlen(ending);
    if (len <= n || strcmp(text + len - n, ending) != 0) {
        return false;
    }
    text[len - n] = '\0';
    return true;
}

/* Characters of a name that metrics do not have. */
static void plain(char *text)
{
    for (; *text != '\0'; text++) {
        bool fine = (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') ||
                    (*text >= '0' && *text <= '9') || *text == '_';
        *text = fine ? *text : '_';
    }
}

static void name_family(struct part *p)
{
    for (size_t i = 0; i < SQ_COUNT(shared); i++) {
        if (strcmp(p->kind, shared[i].kind) == 0 && strcmp(p->quantity, shared[i].quantity) == 0) {
            memcpy(p->family, shared[i].family, strlen(shared[i].family) + 1);
            p->label = shared[i].label;
            p->value = shared[i].value;
            p->counter = true;
            return;
        }
    }
    memcpy(p->family, p->quantity, sizeof p->family);
    p->counter = strcmp(p->quantity, "capacity_per_s") != 0 && cut(p->family, "_per_s");
    p->seconds = !p->counter && strcmp(p->quantity, "capacity_per_s") != 0 && cut(p->family, "_s");
    if (p->seconds) {
        strncat(p->family, "_seconds", sizeof p->family - strlen(p->family) - 1);
    }
    plain(p->family);
}

/* False when the column's name is not of three parts. */
static bool take_apart(const struct sq_column *c, struct part *p)
{
    *p = (struct part){ .column = c };
    const char *first = strchr(c->name, '.');
    const char *last = strrchr(c->name, '.');
    if (first == NULL || last == first || !copy_part(p->kind, c->name, (size_t)(first - c->name)) ||
        !copy_part(p->name, first + 1, (size_t)(last - first - 1)) ||
        !copy_part(p->quantity, last + 1, strlen(last + 1))) {
        return false;
    }
    plain(p->kind);
    name_family(p);
    return true;
}

static bool same_family(const struct part *a, const struct part *b)
{
    return strcmp(a->kind, b->kind) == 0 && strcmp(a->family, b->family) == 0 &&
           a->counter == b->counter;
}

/* ---- samples ---- */

static enum sq_status flush(struct writer *w)
{
    enum sq_status status =
        w->text.failed ? SQ_NOMEM : sq_file_add(&w->file, w->text.text, w->text.len, w->diag);
    w->text.len = 0;
    return status;
}

static void put_time(struct writer *w, sq_time_t at)
{
    sq_time_t ms = at / 1000000;
    int64_t s = w->ask->start_s + ms / 1000;
    sq_buf_printf(&w->text, "%lld", (long long)s);
    if (ms % 1000 != 0) {
        sq_buf_printf(&w->text, ".%03d", (int)(ms % 1000));
    }
}

static void put_escaped(struct sq_buf *b, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\\' || *text == '"') {
            sq_buf_putc(b, '\\');
        }
        if (*text == '\n') {
            sq_buf_puts(b, "\\n");
        } else {
            sq_buf_putc(b, *text);
        }
    }
}

/* One series: `head` is its name with labels. Counters begin at zero, so that the first bin has a
 * rate; a bin's value stands at its end. */
static enum sq_status put_series(struct writer *w, const struct part *p, const struct sq_buf *head)
{
    const struct sq_series *s = &w->result->series;
    double sum = 0;
    enum sq_status status = head->failed ? SQ_NOMEM : SQ_OK;
    if (p->counter && status == SQ_OK) {
        sq_buf_printf(&w->text, "%s 0 ", head->text);
        put_time(w, 0);
        sq_buf_putc(&w->text, '\n');
    }
    for (size_t k = 0; k < s->bin_count && status == SQ_OK; k++) {
        sq_time_t from = (sq_time_t)k * s->bin_ns;
        sq_time_t until = sq_min_i64(from + s->bin_ns, s->end_ns);
        double value = (double)p->column->bins[k];
        if (isnan(value)) {
            continue;
        }
        sum += p->counter ? value * sq_time_to_s(until - from) : 0;
        sq_buf_printf(&w->text, "%s ", head->text);
        sq_buf_number(&w->text, p->counter ? sum : value, DIGITS);
        sq_buf_putc(&w->text, ' ');
        put_time(w, until);
        sq_buf_putc(&w->text, '\n');
        status = w->text.len >= FLUSH_AT ? flush(w) : SQ_OK;
    }
    return status;
}

static void put_labels(struct writer *w, const struct part *p, struct sq_buf *head)
{
    sq_buf_printf(head, "{%s=\"", p->kind);
    put_escaped(head, p->name);
    if (p->label != NULL) {
        sq_buf_printf(head, "\",%s=\"%s", p->label, p->value);
    }
    if (w->result->variant != NULL && w->result->variant[0] != '\0') {
        sq_buf_puts(head, "\",variant=\"");
        put_escaped(head, w->result->variant);
    }
    sq_buf_puts(head, "\"}");
}

/* ---- families ---- */

static void put_help(struct writer *w, const struct part *p)
{
    for (size_t i = 0; i < SQ_COUNT(helps); i++) {
        if (strcmp(p->kind, helps[i].kind) == 0 && strcmp(p->family, helps[i].family) == 0) {
            sq_buf_puts(&w->text, helps[i].help);
            return;
        }
    }
    sq_buf_printf(&w->text, "The timeline's %s of %s.", p->quantity, p->kind);
}

static void put_family(struct writer *w, const struct part *p)
{
    sq_buf_printf(&w->text, "# HELP squall_%s_%s ", p->kind, p->family);
    put_help(w, p);
    sq_buf_printf(&w->text, "\n# TYPE squall_%s_%s %s\n", p->kind, p->family,
                  p->counter ? "counter" : "gauge");
    if (p->seconds) {
        sq_buf_printf(&w->text, "# UNIT squall_%s_%s seconds\n", p->kind, p->family);
    }
}

/* All columns of the family of column `first`, unless an earlier one had it. */
static enum sq_status put_columns(struct writer *w, size_t first)
{
    const struct sq_series *s = &w->result->series;
    struct part lead, p;
    enum sq_status status = SQ_OK;
    if (!take_apart(&s->columns[first], &lead)) {
        return SQ_OK;
    }
    for (size_t i = 0; i < first; i++) {
        if (take_apart(&s->columns[i], &p) && same_family(&p, &lead)) {
            return SQ_OK;
        }
    }
    put_family(w, &lead);
    for (size_t i = first; i < s->column_count && status == SQ_OK; i++) {
        if (take_apart(&s->columns[i], &p) && same_family(&p, &lead)) {
            struct sq_buf head = { 0 };
            sq_buf_printf(&head, "squall_%s_%s%s", p.kind, p.family, p.counter ? "_total" : "");
            put_labels(w, &p, &head);
            status = put_series(w, &p, &head);
            sq_buf_fini(&head);
        }
    }
    return status;
}

/* ---- the counter of a client library ---- */

static enum sq_status put_status(struct writer *w, const char *dependency, size_t which)
{
    const struct sq_series *s = &w->result->series;
    struct part p;
    enum sq_status status = SQ_OK;
    for (size_t i = 0; i < s->column_count && status == SQ_OK; i++) {
        if (!take_apart(&s->columns[i], &p) || strcmp(p.kind, "dependency") != 0 ||
            strcmp(p.name, dependency) != 0 || strcmp(p.quantity, statuses[which].quantity) != 0) {
            continue;
        }
        struct sq_buf head = { 0 };
        char name[NAME_MAX_LEN];
        memcpy(name, p.name, sizeof name);
        plain(name);
        p.label = "status";
        p.value = statuses[which].status;
        sq_buf_printf(&head, "%s_requests_total", name);
        put_labels(w, &p, &head);
        status = put_series(w, &p, &head);
        sq_buf_fini(&head);
    }
    return status;
}

static enum sq_status put_client(struct writer *w, size_t column)
{
    struct part p;
    char name[NAME_MAX_LEN];
    enum sq_status status = SQ_OK;
    if (!take_apart(&w->result->series.columns[column], &p) || strcmp(p.kind, "dependency") != 0 ||
        strcmp(p.quantity, statuses[0].quantity) != 0) {
        return SQ_OK;
    }
    memcpy(name, p.name, sizeof name);
    plain(name);
    sq_buf_printf(&w->text,
                  "# HELP %s_requests Calls by how they ended, as a client counts them: 200 "
                  "goodput, 500 error, 503 refused, 504 timed out.\n# TYPE %s_requests counter\n",
                  name, name);
    for (size_t i = 0; i < SQ_COUNT(statuses) && status == SQ_OK; i++) {
        status = put_status(w, p.name, i);
    }
    return status;
}

/* ---- the whole ---- */

static void put_about(struct writer *w)
{
    const struct sq_result *r = w->result;
    const char *variant = r->variant != NULL ? r->variant : "";
    sq_buf_puts(&w->text, "# HELP squall_run What was simulated.\n# TYPE squall_run info\n"
                          "squall_run_info{title=\"");
    put_escaped(&w->text, r->title != NULL ? r->title : "");
    sq_buf_puts(&w->text, "\",variant=\"");
    put_escaped(&w->text, variant);
    sq_buf_printf(&w->text, "\",version=\"%s\"} 1 ", r->version != NULL ? r->version : "");
    put_time(w, 0);
    sq_buf_putc(&w->text, '\n');
}

enum sq_status sq_save_openmetrics(const struct sq_result *r, const struct sq_openmetrics_ask *ask,
                                   struct sq_diag *diag)
{
    struct writer w = { .result = r, .ask = ask, .diag = diag };
    enum sq_status status = sq_file_begin(&w.file, ask->path, diag);
    if (status != SQ_OK) {
        return status;
    }
    put_about(&w);
    for (size_t i = 0; i < r->series.column_count && status == SQ_OK; i++) {
        status = put_columns(&w, i);
    }
    for (size_t i = 0; i < r->series.column_count && status == SQ_OK; i++) {
        status = put_client(&w, i);
    }
    sq_buf_puts(&w.text, "# EOF\n");
    status = status == SQ_OK ? flush(&w) : status;
    sq_buf_fini(&w.text);
    return sq_file_end(&w.file, status, diag);
}
