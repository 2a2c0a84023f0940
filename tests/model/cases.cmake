# SPDX-License-Identifier: MIT

# What cmake/model.cmake searches. A mistake is seeded into a setting that holds without it. START=1 is OPEN.
setting(two_probes   breaker -DSTART=1 -DCALLS=3)
setting(long_lease   breaker -DSTART=1 -DCALLS=3 -DPROBE_TIMEOUT=2 -DEND_OF_TIME=3)
setting(one_probe    breaker -DSTART=1 -DCALLS=3 -DPROBES=1)
setting(one_success  breaker -DSTART=1 -DCALLS=3 -DSUCCESSES=1)
setting(two_step     breaker -DSTART=1 -DCALLS=3 -DPROBES=1 -DTWO_STEP)
setting(command      breaker -DSTART=1 -DCALLS=2 -DCOMMANDS=1)
setting(from_closed  breaker -DCALLS=2 -DCOMMANDS=1 -DTWO_STEP)
setting(commands     breaker -DCALLS=1 -DCOMMANDS=2)
setting(listeners    events)

# The rules, and what keeps them in force between threads.
mistake(TRIP_FROM_ANYWHERE              edges_are_legal            commands)
mistake(CHANGES_WHATEVER_IT_MEETS       edges_are_joined           from_closed)
mistake(CHANGES_WHATEVER_IT_MEETS       open_lasts                 from_closed)
mistake(CLOCK_IS_READ_BEFORE_THE_WORD   open_lasts                 from_closed)
mistake(LATE_ANSWERS_COUNT              probes_are_limited         two_probes)
mistake(LATE_ANSWERS_COUNT              late_answers_are_dropped   two_probes)
mistake(LOST_PROBES_KEEP_THE_GENERATION late_answers_are_dropped   one_probe)
mistake(LOST_PROBES_WEDGE               every_period_ends          two_probes)
mistake(LEASE_FROM_THE_LATEST_TAKER     probes_have_their_time     long_lease)
mistake(LEASE_IS_NOT_RENEWED            probes_have_their_time     two_probes)

# The word and the gate: what is decided without the lock.
mistake(GATE_IS_SHUT_BEFORE_THE_WORD    refusals_have_a_reason     two_probes)
mistake(GATE_STAYS_SHUT_FOR_ITS_WORD    refusals_have_a_reason     two_probes)
mistake(NO_SECOND_LOOK                  refusals_have_a_reason     two_probes)
mistake(OPENS_WITH_A_DEFAULT_WAIT       refusals_have_a_reason     two_probes)
mistake(GATE_IS_LEFT_SHUT               waits_are_of_their_word    two_probes)
mistake(START_IS_READ_BEFORE_LENGTH     waits_are_of_their_word    two_probes)

# Events.
mistake(PUSHED_AFTER_THE_LOCK           heard_in_order             listeners)
mistake(QUEUE_IS_EMPTIED_AFTER_THE_END  heard_once                 listeners)
mistake(FLAG_IS_SET_TOO_LATE            heard_one_at_a_time        listeners)
mistake(FLAG_IS_CLEARED_AFTER_THE_END   none_is_lost               listeners)
mistake(CALLED_UNDER_THE_LOCK           nobody_is_stuck            listeners)
mistake(GUESTS_HEAR_THE_PAST            heard_from_its_start       listeners)
mistake(ENDS_WITHOUT_WAITING            ends_are_final             listeners)
