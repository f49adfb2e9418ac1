/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_signal.c - the one flag. */
#include "sim/base/sq_signal.h"

#include <signal.h>

/* Read by all threads. Loading and storing a sig_atomic_t is one instruction wherever POSIX
 * threads exist, and volatile keeps the compiler from remembering it. */
static volatile sig_atomic_t signal_flag;

static void signal_note(int number)
{
    signal_flag = number;
}

void sq_signal_install(void)
{
    static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
    for (size_t i = 0; i < SQ_COUNT(numbers); i++) {
        struct sigaction old, now = { .sa_handler = signal_note, .sa_flags = (int)SA_RESETHAND };
        sigemptyset(&now.sa_mask);
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
            sigaction(numbers[i], &now, NULL);
        }
    }
}

int sq_signal_raised(void)
{
    return (int)signal_flag;
}

void sq_signal_clear(void)
{
    signal_flag = 0;
}
