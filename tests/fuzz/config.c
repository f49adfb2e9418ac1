/* SPDX-License-Identifier: GPL-3.0-or-later */
/* config.c - any bytes as configuration of another system: it is refused with complaints whose
 * places lie in the file, or what comes of it is YAML, also with the lines that are to be filled
 * in.
 */
#include "tests/fuzz/fuzz.h"

#include "models/import/mdl_import_config.h"
#include "sim/conf/sq_doc.h"

#include <string.h>

const char fuzz_name[] = "config";
const char *const fuzz_seeds[] = { "tests/import/config", "tests/import/config/sqs-keda", NULL };

static void check_page(const struct sq_buf *page, bool filled)
{
    struct sq_arena arena = { 0 };
    struct sq_diag diag = { 0 };
    struct sq_buf text = { 0 };
    struct sq_node *root = NULL;
    for (const char *line = page->text; *line != '\0';) {
        size_t len = strcspn(line, "\n") + 1;
        size_t skip = filled && strncmp(line, "#+ ", 3) == 0 ? 3 : 0;
        sq_buf_add(&text, line + skip, len - skip);
        line += len;
    }
    FUZZ_PROMISE(sq_doc_parse("page", text.text, text.len, &arena, &diag, &root) == SQ_OK);
    FUZZ_PROMISE(root->kind == SQ_NODE_MAP && sq_node_get(root, "squall") != NULL);
    sq_buf_fini(&text);
    sq_diag_fini(&diag);
    sq_arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mdl_import_file file = { "it.yaml", (const char *)data, size };
    struct sq_diag diag = { 0 };
    struct sq_buf page = { 0 };
    enum sq_status status = mdl_import_config(&file, 1, &page, &diag);
    FUZZ_PROMISE((status == SQ_OK) == (diag.errors == 0));
    fuzz_check_marks(&diag, "it.yaml", data, size);
    if (status == SQ_OK) {
        check_page(&page, false);
        check_page(&page, true);
    }
    sq_buf_fini(&page);
    sq_diag_fini(&diag);
    return 0;
}
