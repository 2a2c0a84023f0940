/* SPDX-License-Identifier: MIT */

/* EventChannel: what three threads cause under the breaker's lock is heard once, in order, one at a time, outside
 * every lock; and a listener may cause more of it.
 *
 * An event is its number: the breaker's lock orders the causes. One `atomic` is one critical section or one access,
 * with the local work that follows it; a name in an #ifdef is a seeded mistake. */

#define THREADS 3
#ifndef EVENTS
#define EVENTS 5 /* by all threads together */
#endif
#ifndef ECHOES
#define ECHOES 2 /* of these, caused by the listener */
#endif

#define heard_once          1
#define heard_in_order      2
#define heard_one_at_a_time 3
#define none_is_lost        4
#define heard_from_its_start 5
#define ends_are_final      6
#define nobody_is_stuck     7 /* spin's own: no invalid end state */
#ifdef ONLY
#define CLAIM(property, condition) assert(ONLY != property || (condition))
#else
#define CLAIM(property, condition) assert(condition)
#endif

#define NOBODY 255

byte causes_left = EVENTS;
byte echoes_left = ECHOES;

bool breaker_locked;
byte caused;          /* guarded by the breaker's lock */

bool channel_locked;  /* guards what follows */
byte waiting[EVENTS]; /* EventQueue, from head to pushed */
byte head, pushed;
bool is_delivering;

/* The first listener is there all the time. A guest's Subscription begins late and may end early. */
bool guest_listens;
byte guest_first;     /* the first event that it is to hear */
byte guest_runner = NOBODY;

/* What only the properties know. */
byte heard, guest_heard; /* the last event that each listener was called with */
byte calls;              /* of listeners, under way */
byte finished;           /* threads */
bool guest_is_gone;

/* --- Listeners --------------------------------------------------------------------------------------------- */

inline hear() {
    CLAIM(heard_one_at_a_time, calls == 0);
    CLAIM(heard_once, event > heard);
    CLAIM(heard_in_order, event <= heard + 1);
    heard = event;
    calls++
}

inline guest_hears() {
    CLAIM(ends_are_final, !guest_is_gone);
    CLAIM(heard_one_at_a_time, calls == 0);
    CLAIM(heard_from_its_start, event == guest_heard + 1);
    guest_heard = event;
    calls++
}

/* A listener may cause an event. Its deliver() returns at once: somebody is delivering, this very thread. */
inline echo() {
    if
    :: atomic { echoes_left > 0 && causes_left > 0 -> echoes_left--; causes_left-- };
       cause();
       !channel_locked
    :: true
    fi
}

/* --- BreakerCore::change() and EventChannel ---------------------------------------------------------------- */

/* Under the breaker's lock, push() and the end of the lock included. */
inline cause() {
    atomic {
        !breaker_locked ->
        breaker_locked = true;
        caused++;
        number = caused;
#ifdef PUSHED_AFTER_THE_LOCK
        breaker_locked = false
#endif
    }
    atomic {
        !channel_locked ->
        waiting[pushed] = number;
        pushed++;
        number = 0;
#ifndef PUSHED_AFTER_THE_LOCK
        breaker_locked = false
#endif
    }
}

/* What deliver() does between two calls is one critical section. */
inline take_next() {
    if
    :: next < pushed ->
        event = waiting[next];
        next++;
#ifndef QUEUE_IS_EMPTIED_AFTER_THE_END
        head = next
#endif
    :: else ->
        event = 0;
#ifndef FLAG_IS_CLEARED_AFTER_THE_END
        is_delivering = false
#endif
    fi
}

inline deliver() {
#ifdef FLAG_IS_SET_TOO_LATE
    atomic { !channel_locked -> delivers = !is_delivering }
    atomic { !channel_locked ->
        if
        :: !delivers
#else
    atomic { !channel_locked ->
        if
        :: is_delivering
#endif
        :: else -> is_delivering = true; delivers = true; next = head; take_next()
        fi
    }
    do
    :: event == 0 -> break
    :: else ->
        d_step {
            hear();
#ifdef CALLED_UNDER_THE_LOCK
            channel_locked = true
#endif
        }
        echo();
        d_step {
            calls--;
#ifdef CALLED_UNDER_THE_LOCK
            channel_locked = false
#endif
        }
        atomic { !channel_locked ->
            if
#ifdef GUESTS_HEAR_THE_PAST
            :: guest_listens -> guest_runner = _pid
#else
            :: guest_listens && next > guest_first -> guest_runner = _pid
#endif
            :: else -> take_next()
            fi
        }
        if
        :: guest_runner == _pid ->
            d_step { guest_hears() }
            if
            :: atomic { !channel_locked -> guest_listens = false; guest_is_gone = true } /* it ends itself */
            :: true
            fi;
            d_step { calls-- }
            atomic { !channel_locked -> guest_runner = NOBODY; take_next() }
        :: else
        fi
    od;
#ifdef FLAG_IS_CLEARED_AFTER_THE_END
    atomic { !channel_locked -> is_delivering = (delivers -> false : is_delivering) }
#endif
#ifdef QUEUE_IS_EMPTIED_AFTER_THE_END
    atomic { !channel_locked -> head = (delivers -> next : head) }
#endif
    delivers = false;
    next = 0
}

/* --- The threads ------------------------------------------------------------------------------------------- */

active [THREADS] proctype Thread() {
    byte number, event, next;
    bool delivers;

    do
    :: atomic { causes_left > 0 -> causes_left-- };
       cause();
       deliver()
    :: causes_left == 0 -> break
    od;
    atomic {
        finished++;
        CLAIM(none_is_lost, finished < THREADS || heard == caused && (!guest_listens || guest_heard == caused))
    }
}

/* Subscribes, and ends its Subscription: ListenerList::remove(). */
active proctype Guest() {
    atomic { !channel_locked -> guest_first = pushed; guest_heard = pushed; guest_listens = true };
    if
    :: atomic { !channel_locked -> guest_listens = false };
#ifndef ENDS_WITHOUT_WAITING
       atomic { !channel_locked && guest_runner == NOBODY -> guest_is_gone = true }
#else
       guest_is_gone = true
#endif
    :: true
    fi
}
