/* SPDX-License-Identifier: MIT */

/* BreakerMachine and ProbeGate: the rules. Everything here is one step, because it runs under the lock and
 * nobody reads it without. */

#define CLOSED      0
#define OPEN        1
#define HALF_OPEN   2
#define DISABLED    3
#define FORCED_OPEN 4

/* What a thread may want. Those up to IGNORE answer a permit. */
#define ASK     1
#define SUCCESS 2
#define FAILURE 3
#define IGNORE  4
#define TRIP    5
#define RESET   6
#define FORCE   7
#define DISABLE 8
#define ANSWERS(op) (op >= SUCCESS && op <= IGNORE)

typedef Machine {
    byte state = START;
    byte generation = 1;
    byte opened_at;
    byte granted;      /* probes out or answered */
    byte unnamed;      /* out through allow() and unanswered */
    byte succeeded;
    byte failed;
    byte last_granted
};
Machine machine;
bool took; /* Effect::was_taken, of the change under way */

/* BreakerMachine::wait(). */
#define ALL_OUT     (machine.granted == PROBES)
#define WAIT_SINCE  (machine.state == OPEN -> machine.opened_at : \
                     (machine.state == HALF_OPEN && ALL_OUT -> machine.last_granted : EPOCH))
#define WAIT_LENGTH (machine.state == OPEN -> RESET_TIMEOUT : \
                     (machine.state == HALF_OPEN && ALL_OUT -> PROBE_TIMEOUT : 0))
#define WAIT_END    (WAIT_SINCE + WAIT_LENGTH)
#define IS_ON(since, length, at) ((length) > 0 && (at) < (since) + (length))

#define JUDGES(state) ((state) == CLOSED || (state) == HALF_OPEN)

/* --- What only the properties know ------------------------------------------------------------------------- */

byte period = 1;           /* as the generation, but counted here */
byte began;             /* the true time at which this period began, and the one before OPEN */
byte began_before_open;
byte used;              /* probes of this period, out or answered */
byte claims;            /* those that went through allow() and are unanswered */
byte last_to = START;           /* where the last announced transition led */
byte probe[THREADS];    /* the period of the probe that a thread holds, and the time it read when it got it */
byte probe_at[THREADS];

inline next_period() {
    period++;
    began = now;
    used = 0;
    claims = 0
}

/* No probe is given up before its own time, whoever was held up meanwhile. */
#define HAS_HAD_ITS_TIME(thread) (probe[thread] != period || now >= probe_at[thread] + PROBE_TIMEOUT)

#define EDGE_IS_LEGAL(from, to, cause) ( \
    (cause == FORCE && to == FORCED_OPEN || cause == DISABLE && to == DISABLED || cause == RESET && to == CLOSED \
     || cause == TRIP && to == OPEN && (from == CLOSED || from == HALF_OPEN) \
     || cause == ASK && from == OPEN && to == HALF_OPEN \
     || cause == FAILURE && to == OPEN && (from == CLOSED || from == HALF_OPEN) \
     || cause == SUCCESS && to == CLOSED && from == HALF_OPEN) && from != to)

/* --- The rules --------------------------------------------------------------------------------------------- */

inline restart_probes() {
    machine.granted = 0;
    machine.unnamed = 0;
    machine.succeeded = 0;
    machine.failed = 0;
    machine.last_granted = 0
}

/* Enters a state, and announces it as change() does: `from` is what the caller saw. */
inline enter(to) {
    CLAIM(edges_are_legal, EDGE_IS_LEGAL(machine.state, to, op));
    CLAIM(edges_are_joined, STATE(seen) == last_to);
    last_to = to;
    began_before_open = (to == OPEN -> began : 0);
    next_period();

    machine.opened_at = (to == OPEN -> at : 0);
    restart_probes();
    machine.state = to;
    machine.generation++
}

inline grant() {
    machine.granted++;
    if
    :: unnamed -> machine.unnamed++; claims++
    :: else
    fi;
    if
#ifdef LEASE_IS_NOT_RENEWED
    :: machine.granted > 1
#endif
#ifndef LEASE_FROM_THE_LATEST_TAKER
    :: machine.granted > 1 && at < machine.last_granted
#endif
    :: else -> machine.last_granted = at
    fi;
    used++;
    CLAIM(probes_are_limited, used <= PROBES);
    probe[me] = period;
    probe_at[me] = at
}

inline admit() {
    if
    :: machine.state == FORCED_OPEN || IS_ON(WAIT_SINCE, WAIT_LENGTH, at)
#ifdef LOST_PROBES_WEDGE
    :: machine.state == HALF_OPEN && ALL_OUT
#endif
    :: else ->
        took = true;
        if
        :: machine.state == OPEN ->
            CLAIM(open_lasts, now >= began_before_open + RESET_TIMEOUT);
            enter(HALF_OPEN);
            grant()
        :: machine.state == HALF_OPEN ->
            if
            :: ALL_OUT ->
                CLAIM(probes_have_their_time,
                      HAS_HAD_ITS_TIME(0) && HAS_HAD_ITS_TIME(1) && HAS_HAD_ITS_TIME(2));
                next_period();
                restart_probes();
#ifndef LOST_PROBES_KEEP_THE_GENERATION
                machine.generation++
#endif
            :: else
            fi;
            grant()
        :: else
        fi
    fi
}

/* An answer may count: it is of this generation, or, without one, there is a probe of allow()'s left to answer. */
#ifdef LATE_ANSWERS_COUNT
#define IS_MINE true
#else
#define IS_MINE (permit == machine.generation)
#endif
#define MAY_ANSWER (permit == UNNAMED -> (machine.state != HALF_OPEN || machine.unnamed > 0) : IS_MINE)

/* Only what was let in during this period has a vote; in HALF_OPEN, only a probe. */
#define HAS_A_VOTE (permit == UNNAMED -> (machine.state != HALF_OPEN || claims > 0) : permit_period == period)

inline claim_unnamed() {
    if
    :: permit == UNNAMED && machine.state == HALF_OPEN ->
        machine.unnamed--;
        claims = (claims > 0 -> claims - 1 : 0)
    :: else
    fi
}

inline record() {
    if
    :: MAY_ANSWER ->
        CLAIM(late_answers_are_dropped, HAS_A_VOTE);
        claim_unnamed();
        if
        :: machine.state == CLOSED && op == FAILURE -> enter(OPEN) /* the policy is one that trips at once */
        :: machine.state == HALF_OPEN && op == FAILURE ->
            machine.failed++;
            if
            :: PROBES - machine.failed < SUCCESSES -> enter(OPEN)
            :: else
            fi
        :: machine.state == HALF_OPEN && op == SUCCESS ->
            machine.succeeded++;
            if
            :: machine.succeeded >= SUCCESSES -> enter(CLOSED)
            :: else
            fi
        :: else
        fi
    :: else
    fi
}

inline give_back() {
    if
    :: MAY_ANSWER && machine.state == HALF_OPEN ->
        if
        :: HAS_A_VOTE -> used--
        :: else
        fi;
        claim_unnamed();
        machine.granted--
    :: else
    fi
}

inline command(to) {
    if
    :: machine.state != to -> enter(to)
    :: machine.state == to && to == CLOSED -> next_period(); machine.generation++
    :: else
    fi
}

inline trip() {
    if
#ifdef TRIP_FROM_ANYWHERE
    :: true -> enter(OPEN)
#else
    :: machine.state == CLOSED || machine.state == HALF_OPEN -> enter(OPEN)
    :: else
#endif
    fi
}
