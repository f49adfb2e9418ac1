/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_signal.h - the wish to stop. INT, TERM and HUP set one flag, which long work looks at between
 * its steps; nothing is done in the handler. This flag is the one piece of state of the whole
 * program that does not hang on an argument, because a handler gets none. */
#ifndef SQ_SIGNAL_H
#define SQ_SIGNAL_H

#include "sim/base/sq_base.h"

/* From now on the first INT, TERM or HUP sets the flag; the second one of the same kind ends the
 * program as usual. A signal that was ignored when the program started (nohup) stays ignored.
 * Called once, before threads are started. */
void sq_signal_install(void);

/* The signal that was raised (SIGINT, SIGTERM, SIGHUP), or 0. Any thread. */
int sq_signal_raised(void);

/* Forgets it. For tests and for a command that answered it. */
void sq_signal_clear(void);

#endif
