/* SPDX-License-Identifier: MIT */

/* The properties of successes that wait to be told, and what only they need to know. */

#define told_once                  1
#define all_are_told               2
#define told_in_their_generation   3
#define told_before_later_failures 4
#define told_in_their_bucket       5
#define snapshots_are_complete     6
#ifdef ONLY
#define CLAIM(property, condition) assert(ONLY != property || (condition))
#else
#define CLAIM(property, condition) assert(condition)
#endif

byte counted;         /* successes of this generation whose answer said so */
byte told;            /* those of them that the policy was told of */
byte strays;          /* successes of an ended generation that lie in a stripe */
byte before[THREADS]; /* of this generation, those counted before a failure or snapshot began */
byte left_in = NONE;  /* of what lies in the stripes: the bucket that was the newest when it was left there, */
byte left_at;         /* and the latest of its clock readings */

inline it_is_left() {
    if
    :: permit == UNNAMED || permit == generation -> counted++
    :: else -> strays++
    fi;
#ifdef TIMED
    left_in = (newest < left_in -> newest : left_in);
    left_at = (at > left_at -> at : left_at)
#endif
}

/* The machine hears of so many at once. */
inline tell(some) {
    if
    :: some > 0 ->
        CLAIM(told_in_their_generation, closed && strays == 0);
        CLAIM(told_in_their_bucket, left_in == NONE || left_in == newest && left_at <= newest);
        told = told + some;
        CLAIM(told_once, told <= counted + strays)
    :: else
    fi
}

inline all_is_told() {
    left_in = NONE;
    left_at = 0
}

/* Under the lock and told at once, as one that may not wait. */
inline tell_this_one() {
    CLAIM(told_in_their_generation, permit == UNNAMED || permit == generation);
    counted++;
    told++
}

inline its_generation_ends() {
    CLAIM(all_are_told, told == counted);
    strays = strays + counted - told;
    counted = 0;
    told = 0;
    before[0] = 0;
    before[1] = 0;
    before[2] = 0
}
