/* SPDX-License-Identifier: MIT */

/* CallStripes. Each stripe is one word: the number of its opening, and how many successes lie in it. */

#define STRIPE(opening, count) ((opening) * (FULL + 1) + (count))
#define COUNT(stripe)          ((stripe) % (FULL + 1))
#define OPENING(stripe)        ((stripe) / (FULL + 1))
#define SHUT                   0

byte stripe[STRIPES] = STRIPE(1, 0); /* all open to begin with, as earlier calls left them */
byte opens = ALL_STRIPES;            /* CallStripes::open_; as what follows, guarded by the lock */
byte turn;                           /* the stripe that the holder of the lock has come to */
byte number;                         /* of the opening under way */
byte held[THREADS];                  /* what a thread compares its stripe with; 0 when it does not */

/* --- leave_success(): by a thread without the lock --------------------------------------------------------- */

/* The stripe, then the end of the batch, then the generation; and the stripe must still be the same. */
#define CHECKS_GENERATION (permit == UNNAMED -> AFTER_GENERATION : read_generation)
#ifdef TIMED
#define CHECKS_ALL read_end
#else
#define CHECKS_ALL CHECKS_GENERATION
#endif
#if defined(GENERATION_READ_BEFORE_STRIPE)
#define FIRST            CHECKS_GENERATION
#define AFTER_STRIPE     leave
#define AFTER_GENERATION read_stripe
#elif defined(END_READ_BEFORE_STRIPE)
#define FIRST            read_end
#define AFTER_END        read_stripe
#define AFTER_STRIPE     CHECKS_GENERATION
#else
#define FIRST            read_stripe
#define AFTER_STRIPE     CHECKS_ALL
#endif
#ifndef AFTER_END
#define AFTER_END        CHECKS_GENERATION
#endif
#ifndef AFTER_GENERATION
#define AFTER_GENERATION leave
#endif

/* Nothing is left. */
inline go_to_the_lock() {
    held[me] = 0;
    next = lock
}

inline look_at_stripe() {
    held[me] = stripe[mine];
    if
    :: held[me] == SHUT -> go_to_the_lock()
#ifndef FULL_STRIPES_OVERFLOW
    :: held[me] != SHUT && COUNT(held[me]) == FULL -> go_to_the_lock()
#endif
    :: else -> next = AFTER_STRIPE
    fi
}

inline look_at_end() {
    if
    :: at >= batch_end -> go_to_the_lock()
    :: else -> next = AFTER_END
    fi
}

inline look_at_generation() {
    if
    :: permit != GENERATION(word) -> go_to_the_lock()
    :: else -> next = AFTER_GENERATION
    fi
}

/* Where the stripe changed meanwhile, its thread has it in hand, and checks again. */
inline leave_success() {
#ifdef LEFT_BY_LOAD_AND_STORE
    it_is_left();
    next = store_left
#else
    if
    :: stripe[mine] == held[me] -> stripe[mine]++; it_is_left(); finish()
    :: else -> look_at_stripe()
    fi
#endif
}

/* --- collect() and open(): under the lock ------------------------------------------------------------------ */

/* With `turn` at the next open stripe, or behind the last. */
inline find_open_stripe() {
    do
    :: turn < STRIPES && !(opens & (1 << turn)) -> turn++
    :: else -> break
    od
}

/* One exchange after the other, then the change. */
inline collect_on() {
    find_open_stripe();
    if
    :: turn < STRIPES -> next = collect
#ifdef SNAPSHOTS_SHUT_NOTHING
    :: turn == STRIPES && op == SNAPSHOT -> change_machine(); unlock()
#endif
    :: else ->
        turn = 0;
        all_is_told();
#ifndef COLLECTED_AFTER_THE_CHANGE
        change_machine();
#endif
        publish()
    fi
}

inline collect_stripe() {
    tell(COUNT(stripe[turn]));
#ifdef COLLECTED_BY_LOAD_AND_STORE
    next = shut
}

inline shut_stripe() {
#endif
#ifdef SNAPSHOTS_SHUT_NOTHING
    stripe[turn] = (op == SNAPSHOT -> stripe[turn] : SHUT);
#else
    stripe[turn] = SHUT;
#endif
    turn++;
    collect_on()
}

/* Numbers are compared and no more, so one that no thread holds is as good as one that never was. */
#define HOLDS(thread) (thread % STRIPES == turn && OPENING(held[thread]) == number)

inline open_stripe() {
    number = 1;
#ifndef NO_OPENING_NUMBERS
    do
    :: HOLDS(0) || HOLDS(1) || HOLDS(2) -> number++
    :: else -> break
    od;
#endif
    stripe[turn] = STRIPE(number, 0);
    number = 0;
    turn++;
    open_on()
}

inline open_on() {
    find_open_stripe();
    if
    :: turn < STRIPES -> next = open
#ifdef END_STORED_AFTER_OPENING
    :: turn == STRIPES && IS_NEW_END -> next = store_end
    :: turn == STRIPES && !IS_NEW_END -> end_of_change()
#else
    :: else -> end_of_change()
#endif
    fi
}
