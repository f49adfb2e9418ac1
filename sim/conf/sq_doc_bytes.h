/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_doc_bytes.h - which bytes may stand in a YAML file: UTF-8 without control characters and
 * without line ends that only some readers know. */
#ifndef SQ_DOC_BYTES_H
#define SQ_DOC_BYTES_H

#include "sim/base/sq_diag.h"

struct sq_doc_bytes {
    size_t chars;        /* of the whole text, without a byte order mark */
    struct sq_where end; /* behind its last character */
};

/* SQ_USER with the place of the first byte that may not. */
enum sq_status sq_doc_check_bytes(const char *file, const char *text, size_t len,
                                  struct sq_doc_bytes *out, struct sq_diag *diag) SQ_MUST_USE;

#endif
