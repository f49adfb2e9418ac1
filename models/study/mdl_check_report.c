/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_check_report.c - the list of expectations and the report on them. */
#include "models/study/mdl_check_line.h"
#include "models/study/mdl_check_told.h"

enum { INDENT = 9 };

void mdl_check_line(const struct mdl_check_file *f, size_t item, struct sq_buf *out)
{
    const struct mdl_expectation *e = &f->expects.items[item];
    sq_buf_printf(out, "%s:%u: %s: %s", f->path, (unsigned)e->where.line,
                  f->expects.variants[e->variant].name, e->expr->text);
    if (e->window.text != NULL) {
        sq_buf_printf(out, " (%s)", e->window.text);
    }
}

void mdl_check_list(const struct mdl_check *c, struct sq_buf *out)
{
    size_t count = 0, files = 0;
    for (size_t i = 0; i < c->file_count; i++) {
        const struct mdl_check_file *f = &c->files[i];
        for (size_t k = 0; k < f->expects.count; k++) {
            if (f->chosen[k]) {
                mdl_check_line(f, k, out);
                sq_buf_puts(out, f->expects.items[k].cfg->severity == MDL_SEVERITY_WARN
                                     ? " [warn]\n"
                                     : "\n");
            }
        }
        if (f->runs_bare) {
            sq_buf_printf(out, "%s: no expectations\n", f->path);
        }
        count += f->chosen_count;
        files += mdl_told_has(f);
    }
    sq_buf_printf(out, "%zu expectation%s in %zu scenario%s\n", count, count == 1 ? "" : "s", files,
                  files == 1 ? "" : "s");
}

struct tally {
    size_t passed, failed, warned, files, bare, runs, left, baselines;
};

/* The verdicts that are worded so; counts them. */
static size_t put_verdicts(const struct mdl_check *c, enum sq_verdict_state state, bool warns,
                           struct sq_buf *out)
{
    size_t count = 0;
    for (size_t i = 0; i < c->file_count; i++) {
        const struct mdl_check_file *f = &c->files[i];
        for (size_t k = 0; f->done && k < f->expects.count; k++) {
            const struct sq_verdict *v = &f->verdicts[k];
            bool same = v->state == state && (state == SQ_VERDICT_PASSED || v->warns == warns);
            if (!f->chosen[k] || !same) {
                continue;
            }
            sq_buf_printf(out, "%-*s", INDENT, sq_verdict_word(v));
            mdl_check_line(f, k, out);
            sq_buf_printf(out, "\n%*s", INDENT, "");
            sq_verdict_put_figures(v, out);
            sq_buf_putc(out, '\n');
            count++;
        }
    }
    return count;
}

static void put_bare(const struct mdl_check *c, struct sq_buf *out, struct tally *t)
{
    for (size_t i = 0; i < c->file_count; i++) {
        const struct mdl_check_file *f = &c->files[i];
        t->files += f->done;
        t->runs += f->run_count;
        t->left += mdl_told_has(f) && !f->done;
        if (f->done && f->runs_bare) {
            t->bare++;
            sq_buf_printf(out, "%-*s%s: no expectations; %zu run%s of base kept every law\n",
                          INDENT, "ran", f->path, f->run_count, f->run_count == 1 ? "" : "s");
        }
    }
}

struct baselines {
    struct sq_buf *out;
    struct tally *tally;
    bool failed; /* which ones are told now */
};

static void put_baseline(void *ctx, const struct mdl_told *t)
{
    struct baselines *b = ctx;
    if (t->b == NULL || t->passed == b->failed) {
        return;
    }
    bool kept = t->b->state == MDL_BASELINE_HELD;
    sq_buf_printf(b->out, "%-*s%s: ", INDENT,
                  b->failed ? "FAILED"
                  : kept    ? "passed"
                            : "written",
                  mdl_told_path(t));
    mdl_told_put_title(t, b->out);
    sq_buf_printf(b->out, "\n%*s%s\n", INDENT, "", t->b->text);
    b->tally->baselines++;
    b->tally->failed += b->failed;
    b->tally->passed += !b->failed;
}

void mdl_check_report(const struct mdl_check *c, struct sq_buf *out)
{
    struct tally t = { 0 };
    t.failed = put_verdicts(c, SQ_VERDICT_FAILED, false, out);
    t.failed += put_verdicts(c, SQ_VERDICT_OPEN, false, out);
    struct baselines b = { out, &t, true };
    mdl_tell_all(c, &(struct mdl_teller){ put_baseline, &b });
    t.warned = put_verdicts(c, SQ_VERDICT_FAILED, true, out);
    t.warned += put_verdicts(c, SQ_VERDICT_OPEN, true, out);
    t.passed = put_verdicts(c, SQ_VERDICT_PASSED, false, out);
    b.failed = false;
    mdl_tell_all(c, &(struct mdl_teller){ put_baseline, &b });
    put_bare(c, out, &t);
    if (t.left > 0) {
        sq_buf_printf(out, "not finished: %zu of %zu scenarios were not checked\n", t.left,
                      t.left + t.files);
    }
    sq_buf_printf(out, "%zu passed, %zu failed", t.passed, t.failed);
    if (t.warned > 0) {
        sq_buf_printf(out, ", %zu warned", t.warned);
    }
    sq_buf_printf(out, "; %zu scenario%s", t.files, t.files == 1 ? "" : "s");
    if (t.bare > 0) {
        sq_buf_printf(out, ", %zu without expectations", t.bare);
    }
    if (t.baselines > 0) {
        sq_buf_printf(out, ", %zu baseline%s", t.baselines, t.baselines == 1 ? "" : "s");
    }
    sq_buf_printf(out, ", %zu run%s\n", t.runs, t.runs == 1 ? "" : "s");
}
