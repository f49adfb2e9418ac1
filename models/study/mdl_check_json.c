/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_check_json.c - verdicts as JSON. */
#include "models/study/mdl_check_forms.h"

#include "models/study/mdl_check_told.h"
#include "sim/base/sq_json.h"

/* ---- JSON ---- */

static void put_side(struct sq_json_writer *j, const char *key, const struct sq_verdict_side *s)
{
    sq_json_open_object(j, key);
    if (s->word != NULL) {
        sq_json_put_text(j, "word", s->word);
        sq_json_put_integer(j, "runs", (int64_t)s->word_runs);
    } else {
        sq_json_put_number(j, "median", s->median);
        sq_json_put_number(j, "min", s->min);
        sq_json_put_number(j, "max", s->max);
    }
    sq_json_put_integer(j, "nulls", (int64_t)s->nulls);
    sq_json_close(j);
}

static void put_object(void *ctx, const struct mdl_told *t)
{
    static const char *const states[] = { [SQ_VERDICT_PASSED] = "passed",
                                          [SQ_VERDICT_FAILED] = "failed",
                                          [SQ_VERDICT_OPEN] = "not judged" };
    struct sq_json_writer *j = ctx;
    bool expects = t->b == NULL && !t->f->runs_bare;
    const struct mdl_expectation *e = expects ? &t->f->expects.items[t->item] : NULL;
    if (t->b != NULL) {
        return;
    }
    sq_json_open_object(j, NULL);
    sq_json_put_text(j, "file", mdl_told_path(t));
    sq_json_put_integer(j, "line", mdl_told_line(t));
    sq_json_put_text(j, "variant", mdl_told_variant(t));
    sq_json_put_text(j, "that", e != NULL ? e->expr->text : NULL);
    sq_json_put_text(j, "when", e != NULL ? e->window.text : NULL);
    sq_json_put_text(j, "severity", t->warns ? "warn" : "error");
    sq_json_put_text(j, "state",
                     !t->done ? "not finished" : (t->v != NULL ? states[t->v->state] : "passed"));
    if (t->v != NULL && t->v->state != SQ_VERDICT_OPEN) {
        sq_json_put_integer(j, "runs", (int64_t)t->v->runs);
        sq_json_put_integer(j, "runs_passed", (int64_t)t->v->runs_passed);
        sq_json_put_integer(j, "runs_needed", (int64_t)t->v->runs_needed);
        put_side(j, "observed", &t->v->observed);
        put_side(j, "limit", &t->v->limit);
        sq_json_put_number(j, "margin", t->v->margin);
    }
    sq_json_close(j);
}

static void put_baseline(void *ctx, const struct mdl_told *t)
{
    struct sq_json_writer *j = ctx;
    if (t->b == NULL) {
        return;
    }
    sq_json_open_object(j, NULL);
    sq_json_put_text(j, "file", mdl_told_path(t));
    sq_json_put_text(j, "variant", t->b->variant);
    sq_json_put_text(j, "state", mdl_baseline_word(t->b->state));
    sq_json_put_text(j, "text", t->b->text);
    sq_json_put_integer(j, "metrics", (int64_t)t->b->metrics);
    sq_json_put_integer(j, "shifted", (int64_t)t->b->shift_count);
    sq_json_open_array(j, "shifts");
    for (size_t i = 0; i < t->b->told; i++) {
        sq_json_put_text(j, NULL, t->b->shifts[i]);
    }
    sq_json_close(j);
    sq_json_close(j);
}

enum sq_status mdl_check_json(const struct mdl_check *c, struct sq_buf *out)
{
    struct sq_json_writer j = { 0 };
    struct mdl_told_counts n = { 0 };
    mdl_tell_all(c, &(struct mdl_teller){ mdl_told_count, &n });
    sq_json_open_object(&j, NULL);
    sq_json_open_object(&j, "squall");
    sq_json_put_text(&j, "version", SQ_VERSION);
    sq_json_put_integer(&j, "format", 1);
    sq_json_close(&j);
    sq_json_put_integer(&j, "passed", (int64_t)(n.all - n.failed - n.warned - n.skipped));
    sq_json_put_integer(&j, "failed", (int64_t)n.failed);
    sq_json_put_integer(&j, "warned", (int64_t)n.warned);
    sq_json_put_integer(&j, "not_finished", (int64_t)n.skipped);
    sq_json_open_array(&j, "expectations");
    mdl_tell_all(c, &(struct mdl_teller){ put_object, &j });
    sq_json_close(&j);
    sq_json_open_array(&j, "baselines");
    mdl_tell_all(c, &(struct mdl_teller){ put_baseline, &j });
    sq_json_close(&j);
    sq_json_close(&j);
    enum sq_status status = sq_json_dump(&j, out);
    sq_json_writer_fini(&j);
    return status;
}
