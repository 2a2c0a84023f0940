/* SPDX-License-Identifier: MIT */

/* What BreakerCore does with CallStripes: a success that cannot change a verdict is left in a stripe, without the
 * lock, and told to the policy by whoever takes the lock next.
 *
 * The policy is any policy: a failure may open the circuit or not, and after each change successes may wait or not.
 * So is the clock: it shows any of its instants, and steps back as it likes. One `atomic` is one access to what is
 * shared, with the local work that follows it; a name in an #ifdef is a seeded mistake. */

#define THREADS 3
#define STRIPES 2 /* so threads 0 and 2 share one */
#define ALL_STRIPES 3
#define me      _pid
#define mine    (me % STRIPES)

/* How far it goes: so many of each, by all threads together. */
#ifndef CALLS
#define CALLS 3 /* that succeed */
#endif
#ifndef FAILURES
#define FAILURES 0
#endif
#ifndef COMMANDS
#define COMMANDS 0
#endif
#ifndef SNAPSHOTS
#define SNAPSHOTS 0
#endif
#ifndef FULL
#define FULL 2 /* successes that fill a stripe */
#endif

/* What a thread may want. */
#define SUCCESS  1
#define FAILURE  2
#define TRIP     3
#define RESET    4
#define SNAPSHOT 5
#define ANSWERS(op) (op == SUCCESS || op == FAILURE)

#define UNNAMED 255 /* a permit without a generation: allow()'s */
#define NONE    255 /* no bucket yet */

/* BreakerWord, of a breaker that is CLOSED or else judges no calls. */
#define WORD(generation, closed) ((generation) * 2 + (closed))
#define IS_CLOSED(word)          ((word) & 1)
#define GENERATION(word)         ((word) >> 1)

/* The machine, guarded by the lock. */
bool locked;
byte generation = 1;
bool closed = true;
byte newest; /* bucket of its window: with -DTIMED, an instant each */

/* What threads share without the lock, with the stripes. */
byte word = WORD(1, true);
byte batch_end = 1;
#ifdef TIMED
#define IS_NEW_END (batch_end != newest + 1)
#else
#define IS_NEW_END false
#endif

byte calls_left = CALLS;
byte failures_left = FAILURES;
byte commands_left = COMMANDS;
byte snapshots_left = SNAPSHOTS;
byte busy;    /* threads that are doing something */
bool is_over; /* all that was done, and one more snapshot begins */

/* The next access of a thread to what is shared. */
mtype = { nothing, look, read_stripe, read_end, read_generation, leave, store_left, lock, collect, shut, store_word,
          store_end, open };

#include "recorded.pml"
#include "stripes.pml"

/* --- Answering, commanding, looking ------------------------------------------------------------------------ */

/* What the thread wanted is done. */
inline finish() {
    before[me] = 0;
    held[me] = 0;
    busy--;
    op = 0; permit = 0; seen = 0; at = 0;
    next = nothing
}

inline read_clock() {
    if
    :: at = 0
#ifdef TIMED
    :: at = 1
#endif
    fi
}

#define IS_LATE    (permit != UNNAMED && permit != GENERATION(seen))
#define IS_DROPPED (ANSWERS(op) && (!IS_CLOSED(seen) || IS_LATE))

inline look_at_word() {
    seen = word;
    if
    :: IS_DROPPED -> finish()
    :: !IS_DROPPED && op == SUCCESS -> read_clock(); next = FIRST
    :: !IS_DROPPED && op == FAILURE -> read_clock(); next = lock
    :: else -> next = lock
    fi
}

inline begin() {
    before[me] = (op == FAILURE || op == SNAPSHOT -> counted : 0);
    if
    :: op == SNAPSHOT -> next = lock
    :: else -> look_at_word()
    fi
}

/* --- Under the lock ---------------------------------------------------------------------------------------- */

/* A time window moves on, and never back. */
inline move_to_bucket() {
#ifdef TIMED
    newest = (newest == NONE || at > newest -> at : newest)
#else
    skip
#endif
}

inline enter(is_closed) {
    its_generation_ends();
    generation++;
    closed = is_closed;
#ifdef TIMED
    newest = NONE
#endif
}

inline change_machine() {
    if
    :: op == SUCCESS -> move_to_bucket(); tell_this_one()
    :: op == FAILURE ->
        CLAIM(told_before_later_failures, told >= before[me]);
        move_to_bucket();
        if
        :: true
        :: enter(false)
        fi
    :: op == TRIP && closed -> enter(false)
    :: op == TRIP && !closed
    :: op == RESET -> enter(true)
    :: op == SNAPSHOT ->
        CLAIM(snapshots_are_complete, told >= before[me]);
        CLAIM(all_are_told, !is_over || told == counted)
    fi
}

inline unlock() {
    turn = 0;
    locked = false;
    finish()
}

#define IS_NEW_WORD (word != WORD(generation, closed))

#ifdef OPENED_IN_ANY_STATE
#define MAY_WAIT (newest != NONE)
#else
#define MAY_WAIT (closed && newest != NONE)
#endif

inline publish() {
#ifdef OPENED_BEFORE_THE_WORD
    reopen()
#else
    if
    :: IS_NEW_WORD -> next = store_word
    :: else -> reopen()
    fi
#endif
}

/* reopen_locked(): stay_shut() or open(), as the policy likes. */
inline reopen() {
    if
    :: opens = 0; end_of_change()
    :: MAY_WAIT ->
        opens = opens | 1 << mine;
        if
#ifndef END_STORED_AFTER_OPENING
        :: IS_NEW_END -> next = store_end
#endif
        :: else -> open_on()
        fi
    fi
}

inline end_of_change() {
#ifdef OPENED_BEFORE_THE_WORD
    if
    :: IS_NEW_WORD -> next = store_word
    :: else -> unlock()
    fi
#else
    unlock()
#endif
}

/* --- The threads ------------------------------------------------------------------------------------------- */

#define NOTHING_IS_LEFT (calls_left + failures_left + commands_left + snapshots_left == 0)
#define IS_LAST         (NOTHING_IS_LEFT && busy == 0 && !is_over && me == 0)

/* A permit is taken in one step, and answered from the next on; allow()'s needs no step. */
inline choose() {
    if
    :: calls_left > 0 -> calls_left--; op = SUCCESS
    :: failures_left > 0 -> failures_left--; op = FAILURE
    :: commands_left > 0 -> commands_left--; op = TRIP
    :: commands_left > 0 -> commands_left--; op = RESET
    :: snapshots_left > 0 -> snapshots_left--; op = SNAPSHOT
    :: IS_LAST -> is_over = true; op = SNAPSHOT
    fi;
    busy++;
    if
    :: ANSWERS(op) && IS_CLOSED(word) -> permit = GENERATION(word); next = look
    :: ANSWERS(op) -> permit = UNNAMED; begin()
    :: !ANSWERS(op) -> begin()
    fi
}

active [THREADS] proctype Thread() {
    byte op; /* 0 between two things */
    mtype next = nothing;
    byte permit, seen, at;

end_idle:
    do
    :: atomic { next == nothing && (!NOTHING_IS_LEFT || IS_LAST) -> choose() }
    :: atomic { next == look -> begin() }

    :: atomic { next == read_stripe -> look_at_stripe() }
    :: atomic { next == read_end -> look_at_end() }
    :: atomic { next == read_generation -> look_at_generation() }
    :: atomic { next == leave -> leave_success() }
#ifdef LEFT_BY_LOAD_AND_STORE
    :: atomic { next == store_left -> stripe[mine] = held[me] + 1; finish() }
#endif

    :: atomic { next == lock && !locked ->
        if
        :: op != SNAPSHOT && generation != GENERATION(seen) -> next = look
        :: else ->
            locked = true;
#if defined(SNAPSHOTS_DO_NOT_COLLECT)
            if
            :: op == SNAPSHOT -> change_machine(); unlock()
            :: else -> collect_on()
            fi
#elif defined(COLLECTED_AFTER_THE_CHANGE)
            change_machine();
            collect_on()
#else
            collect_on()
#endif
        fi
       }
    :: atomic { next == collect -> collect_stripe() }
#ifdef COLLECTED_BY_LOAD_AND_STORE
    :: atomic { next == shut -> shut_stripe() }
#endif
    :: atomic { next == store_word ->
        word = WORD(generation, closed);
#ifdef OPENED_BEFORE_THE_WORD
        unlock()
#else
        reopen()
#endif
       }
    :: atomic { next == store_end ->
        batch_end = newest + 1;
#ifdef END_STORED_AFTER_OPENING
        unlock()
#else
        open_on()
#endif
       }
    :: atomic { next == open -> open_stripe() }
    od
}
