/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_utf8.h - which bytes are a character. */
#ifndef SQ_UTF8_H
#define SQ_UTF8_H

#include "sim/base/sq_base.h"

/* Length of the UTF-8 sequence at `s` (RFC 3629: no overlong forms, no surrogates), or 0. A NUL is
 * a sequence of one byte, and ends any other one. */
size_t sq_utf8_length(const char *s);

#endif
