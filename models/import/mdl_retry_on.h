/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_retry_on.h - what proxies and clients call the answers that they retry, as error kinds. */
#ifndef MDL_RETRY_ON_H
#define MDL_RETRY_ON_H

#include "models/import/mdl_source.h"

/* Envoy and Istio: `5xx,connect-failure,503`, or a list of such words; gRPC: [UNAVAILABLE, 14].
 * Words without a kind of error here are passed over unless all are: then it is lost. */
mdl_turn mdl_turn_retry_on;

#endif
