/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_check_told.c - going through the verdicts of a check. */
#include "models/study/mdl_check_told.h"

bool mdl_told_has(const struct mdl_check_file *f)
{
    return f->chosen_count > 0 || f->runs_bare;
}

/* ---- going through ---- */

static void tell_baseline(const struct mdl_check_file *f, const struct mdl_baseline_verdict *b,
                          const struct mdl_teller *to)
{
    if (b->state != MDL_BASELINE_NONE) {
        struct mdl_told t = { .f = f, .b = b, .done = true, .passed = !mdl_baseline_fails(b) };
        to->tell(to->ctx, &t);
    }
}

void mdl_tell_file(const struct mdl_check_file *f, const struct mdl_teller *to)
{
    for (size_t k = 0; k < f->expects.count; k++) {
        if (!f->chosen[k]) {
            continue;
        }
        const struct sq_verdict *v = &f->verdicts[k];
        struct mdl_told t = { .f = f,
                              .item = k,
                              .v = f->done ? v : NULL,
                              .done = f->done,
                              .passed = f->done && v->state == SQ_VERDICT_PASSED,
                              .warns = f->expects.items[k].cfg->severity == MDL_SEVERITY_WARN };
        to->tell(to->ctx, &t);
    }
    if (f->runs_bare) {
        to->tell(to->ctx, &(struct mdl_told){ .f = f, .done = f->done, .passed = f->done });
    }
    for (size_t i = 0; f->done && i < f->variant_count; i++) {
        tell_baseline(f, &f->variants[i].baseline, to);
    }
}

void mdl_tell_rest(const struct mdl_check *c, const struct mdl_teller *to)
{
    for (size_t i = 0; i < c->rest.count; i++) {
        tell_baseline(NULL, &c->rest.items[i], to);
    }
}

void mdl_tell_all(const struct mdl_check *c, const struct mdl_teller *to)
{
    for (size_t i = 0; i < c->file_count; i++) {
        mdl_tell_file(&c->files[i], to);
    }
    mdl_tell_rest(c, to);
}

/* ---- one of them ---- */

static const struct mdl_expectation *expectation(const struct mdl_told *t)
{
    bool is = t->b == NULL && !t->f->runs_bare;
    return is ? &t->f->expects.items[t->item] : NULL;
}

const char *mdl_told_path(const struct mdl_told *t)
{
    return t->f != NULL ? t->f->path : t->b->scenario;
}

unsigned mdl_told_line(const struct mdl_told *t)
{
    const struct mdl_expectation *e = expectation(t);
    return e != NULL ? (unsigned)e->where.line : 1;
}

const char *mdl_told_variant(const struct mdl_told *t)
{
    const struct mdl_expectation *e = expectation(t);
    return t->b != NULL ? t->b->variant
           : e != NULL  ? t->f->expects.variants[e->variant].name
                        : "base";
}

void mdl_told_put_title(const struct mdl_told *t, struct sq_buf *out)
{
    const struct mdl_expectation *e = expectation(t);
    sq_buf_printf(out, "%s: ", mdl_told_variant(t));
    if (e == NULL) {
        sq_buf_puts(out, t->b != NULL ? "baseline" : "every law holds");
        return;
    }
    sq_buf_puts(out, e->expr->text);
    if (e->window.text != NULL) {
        sq_buf_printf(out, " (%s)", e->window.text);
    }
}

void mdl_told_put_figures(const struct mdl_told *t, struct sq_buf *out)
{
    if (t->b != NULL) {
        sq_buf_puts(out, t->b->text);
    } else if (t->v != NULL) {
        sq_verdict_put_figures(t->v, out);
    } else if (t->done) {
        sq_buf_printf(out, "%zu run%s", t->f->run_count, t->f->run_count == 1 ? "" : "s");
    } else {
        sq_buf_puts(out, "not finished");
    }
}

void mdl_told_count(void *ctx, const struct mdl_told *t)
{
    struct mdl_told_counts *n = ctx;
    n->all++;
    n->skipped += !t->done;
    n->failed += t->done && !t->passed && !t->warns;
    n->warned += t->done && !t->passed && t->warns;
}
