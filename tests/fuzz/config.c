/* SPDX-License-Identifier: GPL-3.0-or-later */
/* config.c - any bytes as a configuration file of another system: it is refused with complaints, or
 * becomes the beginning of a scenario. */
#include "tests/fuzz/fuzz.h"

#include "models/import/mdl_import_config.h"

const char fuzz_name[] = "config";
const char *const fuzz_seeds[] = { "tests/import/config", NULL };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sq_buf text = { 0 }, page = { 0 };
    struct sq_diag diag = { 0 };
    sq_buf_puts(&text, "");
    sq_buf_add(&text, (const char *)data, size);
    struct mdl_import_file file = { "config.yaml", text.text, text.len };
    enum sq_status status = mdl_import_config(&file, 1, &page, &diag);
    FUZZ_PROMISE((status == SQ_OK) == (diag.errors == 0));
    FUZZ_PROMISE(status != SQ_OK || page.len > 0);
    fuzz_check_marks(&diag, "config.yaml", data, size);
    sq_buf_fini(&text);
    sq_buf_fini(&page);
    sq_diag_fini(&diag);
    return 0;
}
