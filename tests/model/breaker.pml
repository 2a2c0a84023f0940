/* SPDX-License-Identifier: MIT */

/* BreakerCore and RefusalGate: a machine that three threads share, through a lock, a published word and a gate.
 *
 * One `atomic` is one access to what is shared, with the local work that follows it. README.md says what stands
 * for what; a name in an #ifdef is a seeded mistake. */

#define THREADS 3
#define me      _pid

/* How far it goes. The clock starts at 0 and may move on, up to END_OF_TIME, between any two steps. */
#ifndef START
#define START 0 /* CLOSED; 1 is OPEN, from time 0 on */
#endif
#ifndef CALLS
#define CALLS 3 /* by all threads together, as the commands */
#endif
#ifndef COMMANDS
#define COMMANDS 0
#endif
#ifndef PROBES
#define PROBES 2
#endif
#ifndef SUCCESSES
#define SUCCESSES PROBES
#endif
#ifndef END_OF_TIME
#define END_OF_TIME 2
#endif
#ifndef RESET_TIMEOUT
#define RESET_TIMEOUT 1
#endif
#ifndef PROBE_TIMEOUT
#define PROBE_TIMEOUT 1
#endif

/* The instant that a default Wait names. It lies ahead: this clock reads less than zero. */
#define EPOCH 9

byte now;

/* BreakerWord. */
#define WORD(generation, state) ((generation) * 8 + (state))
#define STATE(word)             ((word) & 7)
#define GENERATION(word)        ((word) >> 3)

#define UNNAMED 255 /* a permit without a generation: allow()'s */

#include "properties.pml"
#include "machine.pml"
#include "refusals.pml"

byte word = WORD(1, START);
byte gate_since = (START == OPEN -> 0 : EPOCH);
byte gate_length = (START == OPEN -> RESET_TIMEOUT : 0);
bool locked;

byte calls_left = CALLS;
byte commands_left = COMMANDS;
byte begun; /* threads that have done something */
byte busy;  /* threads that are doing something */

/* The next access of a thread to what is shared. */
mtype = { nothing, read_length, read_since, look_again, read_clock, lock, look, open_gate, store_word, store_since,
          store_length };

/* --- Asking, answering, commanding ------------------------------------------------------------------------- */

inline hold(its_generation, its_period) {
    permit = (unnamed -> UNNAMED : its_generation);
    permit_period = its_period
}

inline let_go() {
    permit = 0;
    permit_period = 0;
    probe[me] = 0;
    probe_at[me] = 0
}

/* What the thread wanted is done, or was refused. */
inline finish() {
    if
    :: ANSWERS(op) -> let_go()
    :: else
    fi;
    stop_asking();
    busy--;
    op = 0; unnamed = false; seen = 0; at = 0; since = 0; length = 0;
    next = nothing
}

#define ADMITS_ALL(state)   ((state) == CLOSED || (state) == DISABLED)
#define REFUSES_SOME(state) ((state) == OPEN || (state) == HALF_OPEN)
#ifdef LATE_ANSWERS_COUNT
#define IS_LATE false
#else
#define IS_LATE (permit != UNNAMED && permit != GENERATION(seen))
#endif
#define NEEDS_NO_CHANGE (IS_LATE || !JUDGES(STATE(seen)) || (STATE(seen) == CLOSED && op != FAILURE))

#ifdef CLOCK_IS_READ_BEFORE_THE_WORD
#define AFTER_LOOK lock
#else
#define AFTER_LOOK read_clock
#endif
#ifdef START_IS_READ_BEFORE_LENGTH
#define FIRST_OF_GATE read_since
#else
#define FIRST_OF_GATE read_length
#endif

inline look_at_word() {
    seen = word;
    if
    :: op == ASK && ADMITS_ALL(STATE(seen)) -> hold(GENERATION(seen), published_period); finish()
    :: op == ASK && STATE(seen) == FORCED_OPEN -> is_refused(FORCED_OPEN); finish()
    :: ANSWERS(op) && NEEDS_NO_CHANGE -> finish()
    :: op == IGNORE && !NEEDS_NO_CHANGE -> next = lock
    :: op == ASK && REFUSES_SOME(STATE(seen)) -> next = FIRST_OF_GATE
    :: else -> next = AFTER_LOOK
    fi
}

/* The breaker moved on before the lock was there. Who asks goes back to the lock, and not to the gate. */
inline look_anew() {
    if
    :: op == ASK -> seen = word; next = AFTER_LOOK
    :: else -> look_at_word()
    fi
}

inline forget_the_gate() {
    since = 0;
    length = 0
}

inline look_at_word_again() {
    if
#ifndef NO_SECOND_LOOK
    :: word != seen -> forget_the_gate()
#endif
    :: else ->
        CLAIM(waits_are_of_their_word, !IS_ON(since, length, now) || STATE(seen) != OPEN
              || (since == published_opened_at && length == RESET_TIMEOUT))
    fi;
    next = read_clock
}

/* What is still on at this reading was on when the word was looked at again. */
inline read_the_clock() {
    at = now;
    if
    :: IS_ON(since, length, at) -> is_refused(STATE(seen)); finish()
    :: else -> forget_the_gate(); next = lock
    fi
}

/* --- Changing ---------------------------------------------------------------------------------------------- */

/* change(): nothing happens if the breaker moved on since it was seen, and the caller looks again. */
#ifdef CHANGES_WHATEVER_IT_MEETS
#define HAS_MOVED_ON false
#else
#define HAS_MOVED_ON (machine.generation != GENERATION(seen))
#endif

inline change() {
    locked = true;
    if
    :: op == ASK -> admit()
    :: op == SUCCESS || op == FAILURE -> record()
    :: op == IGNORE -> give_back()
    :: op == TRIP -> trip()
    :: op == RESET -> command(CLOSED)
    :: op == FORCE -> command(FORCED_OPEN)
    :: op == DISABLE -> command(DISABLED)
    fi;
    it_may_be_heard();
    if
    :: op == ASK && took -> hold(machine.generation, period)
    :: op == ASK && !took -> is_refused(machine.state)
    :: else
    fi;
    took = false
}

/* publish_locked(), one store after the other. The lock ends with the last. */
#define IS_NEW_WORD (machine.generation != GENERATION(word))
#ifdef OPENS_WITH_A_DEFAULT_WAIT
#define NEEDS_SINCE (gate_since != WAIT_SINCE)
#else
#define NEEDS_SINCE (WAIT_LENGTH > 0 && gate_since != WAIT_SINCE) /* there is a start where there is a wait */
#endif
#define DIFFERS (NEEDS_SINCE || gate_length != WAIT_LENGTH)
#ifdef GATE_STAYS_SHUT_FOR_ITS_WORD
#define IS_NEW_WAIT (DIFFERS && (WAIT_LENGTH > 0 || machine.state != HALF_OPEN))
#else
#define IS_NEW_WAIT DIFFERS
#endif

inline publish() {
    if
#if defined(GATE_IS_SHUT_BEFORE_THE_WORD)
    :: IS_NEW_WORD && !IS_NEW_WAIT -> next = store_word
#elif defined(GATE_IS_LEFT_SHUT)
    :: IS_NEW_WORD -> next = store_word
#else
    :: IS_NEW_WORD && gate_length > 0 -> next = open_gate
    :: IS_NEW_WORD && gate_length == 0 -> next = store_word
#endif
    :: else ->
        if
        :: IS_NEW_WAIT && NEEDS_SINCE -> next = store_since
        :: IS_NEW_WAIT && !NEEDS_SINCE -> next = store_length
        :: else -> it_is_told(); locked = false; finish()
        fi
    fi
}

/* --- What a thread may want -------------------------------------------------------------------------------- */

/* Threads are alike, so they may as well begin in order. */
#define HAS_A_CHOICE (!all_left && (permit != 0 || (me <= begun && calls_left + commands_left > 0)))

inline choose() {
    if
    :: permit == 0 && calls_left > 0 -> calls_left--; op = ASK
#ifdef TWO_STEP
    :: permit == 0 && calls_left > 0 -> calls_left--; op = ASK; unnamed = true
#endif
    :: permit == 0 && commands_left > 0 ->
        commands_left--;
        if
        :: op = TRIP
        :: op = RESET
        :: op = FORCE
        :: op = DISABLE
        fi
    :: permit != 0 -> op = SUCCESS
    :: permit != 0 -> op = FAILURE
    :: permit != 0 -> op = IGNORE
    :: permit != 0 -> let_go() /* lost: nobody will ever answer */
    fi;
    begun = (me == begun -> begun + 1 : begun)
}

/* Whenever nobody is busy, all may leave for good, whatever they hold. Then one caller keeps coming, a tick apart,
 * and loses every probe that it gets: the period that it met must end all the same. */
#define MAY_LEAVE (!all_left && busy == 0 && me == 0 && (STATE(word) == HALF_OPEN || STATE(word) == OPEN))
#define INSISTS   (all_left && me == 0 && met == GENERATION(word))
#define PATIENCE  (STATE(word) == OPEN -> RESET_TIMEOUT + 1 : PROBES + PROBE_TIMEOUT + 1)

bool all_left;
byte met; /* the generation that must end */
byte patience;

inline leave() {
    all_left = true;
    met = GENERATION(word);
    patience = PATIENCE;
    let_go();
    op = ASK
}

inline insist() {
    patience--;
    CLAIM(every_period_ends, patience > 0);
    if
    :: permit == 0 -> now++
    :: else -> let_go()
    fi;
    op = ASK
}

/* --- The threads ------------------------------------------------------------------------------------------- */

active [THREADS] proctype Thread() {
    byte op;                    /* 0 between two things */
    mtype next = nothing;
    byte permit, permit_period; /* 0: none */
    bool unnamed;
    byte seen, at, length, since;

end_idle:
    do
    :: atomic {
        if
        :: HAS_A_CHOICE -> choose()
        :: MAY_LEAVE -> leave()
        :: INSISTS -> insist()
        fi;
        if
        :: op == 0
        :: else ->
            busy++;
            if
            :: op == ASK -> d_step { begins_to_ask() }
            :: else
            fi;
#ifdef CLOCK_IS_READ_BEFORE_THE_WORD
            if
            :: op == ASK -> look_at_word()
            :: else -> at = now; next = look
            fi
#else
            look_at_word()
#endif
        fi
       }
       do
#ifdef START_IS_READ_BEFORE_LENGTH
       :: atomic { next == read_since -> since = gate_since; next = read_length }
       :: atomic { next == read_length -> length = gate_length; next = look_again }
#else
       :: atomic { next == read_length ->
            length = gate_length;
            next = (length == 0 -> read_clock : read_since)
       }
       :: atomic { next == read_since -> since = gate_since; next = look_again }
#endif
       :: atomic { next == look_again -> look_at_word_again() }
       :: atomic { next == read_clock -> read_the_clock() }

       :: atomic { next == lock && !locked ->
            if
            :: HAS_MOVED_ON -> seen = 0; next = look;
#ifdef CLOCK_IS_READ_BEFORE_THE_WORD
               at = now
#else
               at = 0
#endif
            :: else -> d_step { change() }; publish()
            fi
       }
       :: atomic { next == look -> look_anew() }

       :: atomic { next == open_gate -> gate_length = 0; publish() }
       :: atomic { next == store_word ->
            word = WORD(machine.generation, machine.state);
            it_is_published();
            publish()
       }
       :: atomic { next == store_since -> gate_since = WAIT_SINCE; publish() }
       :: atomic { next == store_length -> gate_length = WAIT_LENGTH; publish() }

       :: next == nothing -> break
       od
    od
}

active proctype Clock() {
end_of_time:
    do
    :: now < END_OF_TIME && !all_left -> now++
    od
}
