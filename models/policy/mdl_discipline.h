/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_discipline.h - in which order those who wait are taken (SCENARIO 4, `discipline`): jobs of a
 * queue and calls in a waiting room alike.
 *
 * A discipline decides three things, each O(1) and each by one function of its row; a function
 * that is not there means "first in first out, everybody":
 *   level   from which of the MDL_LEVELS lines (priority)
 *   newest  from which end of that line (lifo, adaptive-lifo)
 *   sheds   whether the one taken is let go instead of served (codel)
 *
 * adaptive-lifo takes the newest while the one that waits longest has waited longer (strictly) than
 * `after`, else the oldest.
 *
 * priority, strict: the most important line that is not empty. weighted: smooth weighted round
 * robin - each line that is not empty gains its weight, the one with the most gains is served (the
 * more important at a tie) and pays the weights of all that are not empty; a line that runs empty
 * forgets its gains. So of w + v turns, lines with weights w and v get w and v, evenly mixed.
 *
 * codel is the algorithm of RFC 8289 section 5 (Nichols and Jacobson, ACM Queue 10(5), 2012),
 * judged at each taking. One that waited `target` or longer with others left behind it is "above".
 * Once takings have been above for one `interval` without a break, shedding begins: that one is let
 * go and the next is served; the following are shed at times interval/sqrt(count) apart, count
 * being how many were shed, until a taking is not above. If shedding begins again within 16
 * intervals of the last time in the plan, count goes on from how many the last spell added.
 * The last one waiting is never shed.
 *
 * Pure: the owner keeps the lines and the state; states hold no pointers. */
#ifndef MDL_DISCIPLINE_H
#define MDL_DISCIPLINE_H

#include "sim/conf/sq_field.h"

extern const struct sq_family mdl_discipline_family;

enum { MDL_LEVELS = 8 };

enum mdl_codel_phase { MDL_CODEL_FIRST, MDL_CODEL_GOES_ON, MDL_CODEL_BEGINS };

/* A zeroed one is the state of an empty line that nobody has seen. */
struct mdl_discipline_state {
    /* codel */
    sq_time_t first_above, drop_next; /* 0: not above */
    uint32_t count, last_count;
    uint8_t phase; /* enum mdl_codel_phase: what the next judgement belongs to */
    bool shedding;
    /* priority weighted */
    int64_t gains[MDL_LEVELS];
};

/* Whether it has one line per priority. */
bool mdl_discipline_has_levels(const struct sq_block *d);

/* The line to take from, given how many wait in each; at least one does. */
unsigned mdl_discipline_level(const struct sq_block *d, struct mdl_discipline_state *s,
                              const int64_t counts[MDL_LEVELS]);

/* Whether to take the newest. */
bool mdl_discipline_newest(const struct sq_block *d, sq_time_t oldest_waited);

/* Whether the one taken now, which waited so long, is shed; `left` others wait on. After a shed one
 * the next taking at the same instant must be judged too (or `left` is 0). */
bool mdl_discipline_sheds(const struct sq_block *d, struct mdl_discipline_state *s, sq_time_t now,
                          sq_time_t waited, int64_t left);

/* Plain first in first out: the owner need not ask. */
bool mdl_discipline_is_fifo(const struct sq_block *d);

#endif
