/* SPDX-License-Identifier: MIT */

/* The properties by name. -DONLY=name checks one alone: so a seeded mistake is seen to break that very one. */

#define edges_are_legal          1
#define edges_are_joined         2
#define open_lasts               3
#define probes_are_limited       4
#define probes_have_their_time   5
#define every_period_ends        6
#define late_answers_are_dropped 7
#define refusals_have_a_reason   8
#define waits_are_of_their_word  9

#ifdef ONLY
#define CLAIM(property, condition) assert(ONLY != property || (condition))
#else
#define CLAIM(property, condition) assert(condition)
#endif
