/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_preset_words.c - see mdl_preset_words.h. */
#include "models/study/mdl_preset_words.h"

#include "models/policy/mdl_backoff.h"
#include "sim/base/sq_unit.h"

#include <string.h>

enum { COLUMNS = 80, LABEL = 14 };

void mdl_put_wrapped(struct sq_buf *out, const char *lead, const char *text, size_t len)
{
    size_t indent = strlen(lead), column = indent;
    sq_buf_puts(out, lead);
    for (size_t i = 0; i < len;) {
        size_t word = 0;
        while (i + word < len && text[i + word] != ' ') {
            word++;
        }
        if (column > indent && column + 1 + word > COLUMNS) {
            sq_buf_putc(out, '\n');
            for (column = 0; column < indent; column++) {
                sq_buf_putc(out, ' ');
            }
        } else if (column > indent) {
            sq_buf_putc(out, ' ');
            column++;
        }
        sq_buf_add(out, text + i, word);
        column += word;
        i += word + 1;
    }
    sq_buf_putc(out, '\n');
}

void mdl_put_span(struct sq_buf *out, const struct sq_delay_row *row)
{
    sq_unit_put_span(out, row->min);
    if (!row->exact) {
        sq_buf_puts(out, " to ");
        sq_unit_put_span(out, row->max);
    }
}

/* "Label        text": the label fills its column, the text is wrapped behind it. */
static void put_labelled(struct sq_buf *out, const char *label, struct sq_buf *text)
{
    char lead[LABEL + 1];
    size_t len = strlen(label);
    SQ_ASSERT(len < LABEL);
    memset(lead, ' ', LABEL);
    memcpy(lead, label, len);
    lead[LABEL] = '\0';
    mdl_put_wrapped(out, lead, text->len > 0 ? text->text : "", text->len);
    out->failed |= text->failed;
    sq_buf_fini(text);
}

/* Whether the formula speaks of the key as a word of its own. */
static bool speaks_of(const char *formula, const char *key)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz_";
    size_t len = strlen(key);
    for (const char *p = strstr(formula, key); p != NULL; p = strstr(p + 1, key)) {
        bool starts = p == formula || strchr(letters, p[-1]) == NULL;
        if (starts && (p[len] == '\0' || strchr(letters, p[len]) == NULL)) {
            return true;
        }
    }
    return false;
}

/* A value that is as if the key were not there. */
static bool is_absence(const char *value)
{
    static const char *const words[] = { "0s",    "0",    "none",         "unlimited",
                                         "false", "true", "before-jitter" };
    for (size_t i = 0; i < SQ_COUNT(words); i++) {
        if (strcmp(value, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* "base + (n-1) * step, where base is 3s, step is 1s": the sentence of the kind, and the values of
 * the keys that it speaks of or that mean something. */
static void put_formula(struct sq_buf *b, const struct sq_block *block)
{
    const char *doc = block->kind->doc, *before = ", where ";
    const struct sq_table *t = &block->kind->table;
    sq_buf_add(b, doc, strlen(doc) - 1); /* without the full stop */
    for (size_t i = 0; i < t->row_count; i++) {
        const struct sq_node *value = sq_node_get(block->node, t->rows[i].key);
        const char *usual = t->rows[i].dflt;
        bool plain = value != NULL && value->kind == SQ_NODE_SCALAR && usual != NULL &&
                     strcmp(value->text, usual) == 0 && is_absence(usual);
        if (value == NULL || (plain && !speaks_of(doc, t->rows[i].key))) {
            continue;
        }
        struct sq_buf yaml = { 0 };
        sq_node_print(value, &yaml);
        while (yaml.len > 0 && yaml.text[yaml.len - 1] == '\n') {
            yaml.text[--yaml.len] = '\0';
        }
        sq_buf_printf(b, "%s%s is %s", before, t->rows[i].key, yaml.len > 0 ? yaml.text : "");
        before = ", ";
        b->failed |= yaml.failed;
        sq_buf_fini(&yaml);
    }
    sq_buf_puts(b, ".");
}

/* What the notes say behind "LABEL: ", or NULL. */
static const char *fact(const char *notes, const char *label, size_t *len)
{
    size_t skip = strlen(label);
    while (notes != NULL && *notes != '\0') {
        *len = strcspn(notes, "\n");
        if (strncmp(notes, label, skip) == 0 && strncmp(notes + skip, ": ", 2) == 0) {
            *len -= skip + 2;
            return notes + skip + 2;
        }
        notes += *len + (notes[*len] == '\n');
    }
    return NULL;
}

bool mdl_is_labelled_fact(const char *line)
{
    size_t len;
    return fact(line, "Retried", &len) == line + 9 || fact(line, "Delay held", &len) == line + 12 ||
           fact(line, "At the end", &len) == line + 12;
}

/* The fact of the notes with this label, else what the policy says. */
static void put_fact(struct sq_buf *out, const char *notes, const char *label, const char *policy)
{
    struct sq_buf b = { 0 };
    size_t len = 0;
    const char *text = fact(notes, label, &len);
    sq_buf_add(&b, text != NULL ? text : policy, text != NULL ? len : strlen(policy));
    put_labelled(out, label, &b);
}

static void put_limit(const struct mdl_retry_cfg *c, struct sq_buf *out)
{
    struct sq_buf b = { 0 };
    int64_t limit = mdl_retry_limit(c);
    if (limit == SQ_UNLIMITED) {
        sq_buf_puts(&b, "no limit of their number");
    } else {
        sq_buf_printf(&b, "%lld %s, %lld runs in all", (long long)limit - 1,
                      limit == 2 ? "retry" : "retries", (long long)limit);
    }
    if (c->max_elapsed != SQ_NEVER) {
        sq_buf_puts(&b, "; none later than ");
        sq_unit_put_duration(&b, c->max_elapsed);
        sq_buf_puts(&b, " after the first try began");
    }
    sq_buf_puts(&b, ".");
    put_labelled(out, "Limit", &b);
}

static void put_limits(const struct mdl_policy *p, const char *notes, struct sq_buf *out)
{
    static const char *const held[] = { "at the broker, in its delayed set.",
                                        "in the worker's memory; it takes no slot.",
                                        "by the caller, in its slot." };
    static const char *const hints[] = { "ignored.", "replaces the delay.",
                                         "is the least that the delay may be.",
                                         "holds the delay between itself and 5 s more.",
                                         "replaces the delay, and up to half of it more." };
    const struct mdl_retry_cfg *c = p->cfg;
    struct sq_buf b = { 0 }, kinds = { 0 };
    put_limit(c, out);
    const struct sq_node *on = sq_node_get(p->tree, "retry_on");
    for (size_t i = 0; on != NULL && i < on->count; i++) {
        sq_buf_printf(&kinds, "%s%s", i > 0 ? ", " : "", on->items[i]->text);
    }
    put_fact(out, notes, "Retried", kinds.len > 0 ? kinds.text : "");
    sq_buf_printf(&b, "retry_on: %s.", kinds.len > 0 ? kinds.text : "");
    put_labelled(out, "", &b);
    out->failed |= kinds.failed;
    sq_buf_fini(&kinds);
    sq_buf_puts(&b, hints[c->retry_after]);
    put_labelled(out, "Retry-After", &b);
    put_fact(out, notes, "Delay held", held[c->held_by]);
    put_fact(out, notes, "At the end",
             c->give_up.kind != NULL ? c->give_up.kind->doc
                                     : "Workers dead-letter the job, clients drop it.");
}

static void put_delays(const struct mdl_policy *p, const struct sq_delays *d, struct sq_buf *out)
{
    struct sq_buf b = { 0 };
    if (mdl_backoff_is_lease(&p->cfg->backoff)) {
        sq_buf_puts(&b, "what is left of the queue's visibility_timeout.");
        put_labelled(out, "First delays", &b);
        return;
    }
    for (size_t i = 0; i < d->count && i < MDL_DELAYS_SHOWN; i++) {
        sq_buf_puts(&b, i > 0 ? ", " : "");
        mdl_put_span(&b, &d->rows[i]);
    }
    sq_buf_puts(&b, ".");
    put_labelled(out, "First delays", &b);
    int64_t limit = mdl_retry_limit(p->cfg);
    size_t last =
        limit == SQ_UNLIMITED || limit - 1 > (int64_t)d->count ? d->count : (size_t)(limit - 1);
    if (last == 0) {
        return;
    }
    const struct sq_delay_row *r = &d->rows[last - 1];
    sq_buf_printf(&b, "%zu %s take ", last, last == 1 ? "delay" : "delays");
    sq_unit_put_span(&b, r->until_min);
    if (r->until_min != r->until_max) {
        sq_buf_puts(&b, " to ");
        sq_unit_put_span(&b, r->until_max);
        sq_buf_puts(&b, ", on average ");
        sq_unit_put_span(&b, r->until_mean);
    }
    sq_buf_puts(&b, limit == SQ_UNLIMITED ? ", and it goes on." : " together.");
    put_labelled(out, "Window", &b);
}

void mdl_put_retry_words(const struct mdl_policy *p, const struct sq_delays *d, const char *notes,
                         struct sq_buf *out)
{
    struct sq_buf b = { 0 };
    sq_buf_puts(out, "\n");
    sq_buf_printf(&b, "%s: ", p->cfg->backoff.kind->name);
    put_formula(&b, &p->cfg->backoff);
    put_labelled(out, "Delay D", &b);
    sq_buf_printf(&b, "%s: ", p->cfg->jitter.kind->name);
    put_formula(&b, &p->cfg->jitter);
    put_labelled(out, "Jitter", &b);
    put_limits(p, notes, out);
    put_delays(p, d, out);
}
