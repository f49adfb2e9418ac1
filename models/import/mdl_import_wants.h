/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_import_wants.h - what no configuration tells and a scenario needs: how much work comes, how
 * long calls take, what goes wrong. */
#ifndef MDL_IMPORT_WANTS_H
#define MDL_IMPORT_WANTS_H

#include "models/import/mdl_source.h"

/* Adds wanted lines to what was translated, so that with them it runs. */
void mdl_import_wants(struct mdl_importing *m);

#endif
