/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_source.h - configuration of other systems as rows. A kind of source is how it is recognised
 * and a list of rows, one per key: where it goes in a scenario and how its value is converted, or
 * why it does not go there. A document is walked key by key: each is translated, without effect
 * on what is simulated, or lost - and whatever no row knows is lost.
 *
 * Paths of rows: keys joined by dots, `[]` for the items of a list, `*` for any key or item, `**`
 * at the end for whatever is left. The first row that fits is taken.
 *
 * Where a key goes (`to`) starts with one of these, or is written out:
 *   {entity}      workers.NAME or dependencies.NAME, whichever the document is about
 *   {pool} {node} the same, only if it is one of workers, or of dependencies
 *   {size}        its replicas or nodes               {scaler}   its autoscaler
 *   {queue}       queues.NAME                         {calls}    calls.NAME of every caller
 *   {dependency}  dependencies.NAME                   {control}  controls.NAME
 *   {controls}    controls of all dependencies that the document names */
#ifndef MDL_SOURCE_H
#define MDL_SOURCE_H

#include "models/import/mdl_draft.h"
#include "sim/conf/sq_doc.h"

enum { MDL_SOURCE_DEPTH = 72 };

struct mdl_names {
    const char **items;
    size_t count, size;
};

/* What did not become part of the scenario. */
struct mdl_loss {
    struct sq_where where;
    const char *path, *why;
    size_t keys;
    bool lost; /* false: without effect */
};

/* What the document, or the part of it that is walked, is about. Names or NULL. */
struct mdl_scope {
    const char *entity;                     /* workers.NAME or dependencies.NAME */
    const char *queue, *dependency, *aside; /* aside: why nothing below is taken, or NULL */
};

struct mdl_source;

/* One import; zeroed but for arena, diag and draft.arena. */
struct mdl_importing {
    struct sq_arena *arena;
    struct sq_diag *diag;
    struct mdl_draft draft;
    struct mdl_names workloads, dependencies, queues; /* of all documents */
    struct mdl_names pools;                           /* workloads that nothing calls */
    struct mdl_names called;                          /* dependencies of this document */
    struct mdl_loss *losses;
    size_t loss_count, loss_size;
    size_t translated, idle, lost; /* keys */

    const struct mdl_source *source;
    const struct sq_node *doc;
    const char *stem; /* of the file's name, as a name of ours */
    struct mdl_scope scope;
    const char *path[MDL_SOURCE_DEPTH]; /* keys; NULL: item of a list */
    size_t index[MDL_SOURCE_DEPTH], depth;
    const struct sq_node *module, *instance; /* of a source with instances: where the walk is */
    bool gives_way;                          /* what stands already wins, and that is no loss */
    bool muted;                              /* keys were counted before */
    const char *why;                         /* what a conversion has to say */
    const char *otherwise;                   /* of the row that is worked on */
    bool failed;                             /* out of memory */
};

enum mdl_turned {
    MDL_TURNED, /* the value is in the buffer */
    MDL_LOST,   /* it has no counterpart: `why` */
    MDL_WRONG,  /* the system itself would not take it: `why` */
    MDL_IDLE,   /* it says nothing: `why` */
};

typedef enum mdl_turned mdl_turn(struct mdl_importing *m, const struct sq_node *n,
                                 struct sq_buf *out);

enum mdl_row_does {
    MDL_ROW_TURN,
    MDL_ROW_ENTER,
    MDL_ROW_TAKE,
    MDL_ROW_LEAD, /* `act` walks what is below itself */
    MDL_ROW_USED,
    MDL_ROW_LOSE,
    MDL_ROW_IDLE
};

struct mdl_source_row {
    enum mdl_row_does does;
    const char *path, *to;
    mdl_turn *turn;
    void (*act)(struct mdl_importing *m, const struct sq_node *n);
    const char *why;       /* TURN: a remark behind the place, or NULL; LOSE, IDLE: the reason */
    const char *otherwise; /* TURN: why it is without effect where `to` does not exist, or NULL:
                              then it is lost */
};

/* One value goes to one place. */
#define MDL_TURN(path_, to_, turn_, remark_)                                          \
    {                                                                                 \
        .does = MDL_ROW_TURN, .path = path_, .to = to_, .turn = turn_, .why = remark_ \
    }
#define MDL_TURN_OR(path_, to_, turn_, remark_, otherwise_)                            \
    {                                                                                  \
        .does = MDL_ROW_TURN, .path = path_, .to = to_, .turn = turn_, .why = remark_, \
        .otherwise = otherwise_                                                        \
    }
/* Sets the scope for what is below, which is walked on. */
#define MDL_ENTER(path_, act_)                            \
    {                                                     \
        .does = MDL_ROW_ENTER, .path = path_, .act = act_ \
    }
/* A block that is translated as a whole: what `act` does not report is translated. */
#define MDL_TAKE(path_, act_)                            \
    {                                                    \
        .does = MDL_ROW_TAKE, .path = path_, .act = act_ \
    }
/* Read to know what the document is about. */
#define MDL_USED(path_)                     \
    {                                       \
        .does = MDL_ROW_USED, .path = path_ \
    }
#define MDL_LOSE(path_, why_)                            \
    {                                                    \
        .does = MDL_ROW_LOSE, .path = path_, .why = why_ \
    }
#define MDL_IDLE_ROW(path_, why_)                        \
    {                                                    \
        .does = MDL_ROW_IDLE, .path = path_, .why = why_ \
    }

struct mdl_source {
    const char *name;         /* for people: "KEDA ScaledObject" */
    const char *api, *object; /* Kubernetes: apiVersion up to its `/`, and kind; or NULL */
    bool (*is)(const struct sq_node *doc); /* where there is no apiVersion */
    bool about_pool;                       /* of one pool of workers, whose name it does not tell */
    bool relaxed;                          /* keys match whatever their case, `-` and `_` */
    /* The document in the form that the rows know; NULL: as it is. */
    const struct sq_node *(*unfold)(struct mdl_importing *m, const struct sq_node *doc);
    void (*scan)(struct mdl_importing *m, const struct sq_node *doc); /* registers names */
    void (*begin)(struct mdl_importing *m, const struct sq_node *doc);
    void (*end)(struct mdl_importing *m, const struct sq_node *doc); /* adds defaults */
    const struct mdl_source_row *rows;
    size_t row_count;
};
#define MDL_SOURCE_ROWS(r) .rows = (r), .row_count = SQ_COUNT(r)

extern const struct mdl_source *const mdl_sources[];
extern const size_t mdl_source_count;

/* NULL when it is none that is known. */
const struct mdl_source *mdl_source_of(const struct sq_node *doc);

/* Walks a document, or what is below where the walk is now: all of it, or the i-th key of a map. */
void mdl_source_walk(struct mdl_importing *m, const struct sq_node *n);
void mdl_source_walk_key(struct mdl_importing *m, const struct sq_node *n, size_t i);

/* Puts a value where `to` says, with the place of `n` as its comment. A place that does not exist
 * here, or holds something else, is reported. */
void mdl_source_put(struct mdl_importing *m, const struct sq_node *n, const char *to,
                    const char *value, const char *remark);
/* The same for what a system does unless told; nothing happens where a value stands already. */
void mdl_source_default(struct mdl_importing *m, const char *to, const char *value,
                        const char *from);

void mdl_source_lose(struct mdl_importing *m, const struct sq_node *n, const char *why);
void mdl_source_idle(struct mdl_importing *m, const struct sq_node *n, const char *why);
/* The user's mistake, with its place. */
void mdl_source_wrong(struct mdl_importing *m, const struct sq_node *n, const char *why);

/* The node at a path of keys and item numbers joined by dots; NULL if there is none. */
const struct sq_node *mdl_source_node(const struct sq_node *n, const char *path);
/* Its text; NULL if it is no scalar, or null. */
const char *mdl_source_text(const struct sq_node *n, const char *path);
/* The value of a key of a map, case, `-` and `_` aside; NULL if there is none, or no map. */
const struct sq_node *mdl_source_find(const struct sq_node *map, const char *key);
/* Whether a key is the one meant, case, `-` and `_` aside. */
bool mdl_source_alike(const char *a, const char *b);

/* Text that lasts as long as the import; "" when out of memory. */
const char *mdl_source_format(struct mdl_importing *m, const char *fmt, ...) SQ_PRINTF(2, 3);

/* A name of ours out of one of theirs: renders, template-api. */
const char *mdl_source_name(struct mdl_importing *m, const char *theirs);
/* The same for a host: short for services of the cluster. */
const char *mdl_source_host(struct mdl_importing *m, const char *host);
void mdl_names_add(struct mdl_importing *m, struct mdl_names *names, const char *name);
bool mdl_names_have(const struct mdl_names *names, const char *name);
/* The pool and queue of a source that does not name them: the only one of the files; else one that
 * is called as its file. */
const char *mdl_source_pool(struct mdl_importing *m);
const char *mdl_source_queue(struct mdl_importing *m);
/* workers.NAME or, if something calls it, dependencies.NAME. */
const char *mdl_source_entity(struct mdl_importing *m, const char *name);

#endif
