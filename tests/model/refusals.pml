/* SPDX-License-Identifier: MIT */

/* What refusals_have_a_reason knows: for each thread that asks, the states in which it may hear a refusal, because
 * the breaker was in that state, with its wait on, at some moment since the thread began to ask. While a change is
 * being published, what was before it and what comes of it are both the truth. */

byte published_period = 1;
byte published_opened_at;

byte told_state = START; /* as of the last change that is published entirely */
byte told_until = (START == OPEN -> RESET_TIMEOUT : 0);
bool asks[THREADS];
byte asked_at[THREADS];
byte may_hear[THREADS]; /* a bit for each state */

#define FOR_EVER      255
#define REFUSES_UNTIL (machine.state == FORCED_OPEN -> FOR_EVER : (WAIT_LENGTH > 0 -> WAIT_END : 0))
#define HEARS(thread) (asks[thread] && asked_at[thread] < REFUSES_UNTIL -> 1 << machine.state : 0)

inline begins_to_ask() {
    asks[me] = true;
    asked_at[me] = now;
    may_hear[me] = (now < told_until -> 1 << told_state : 0) | HEARS(me)
}

inline stop_asking() {
    asks[me] = false;
    asked_at[me] = 0;
    may_hear[me] = 0
}

/* After each change, while it is locked. */
inline it_may_be_heard() {
    may_hear[0] = may_hear[0] | HEARS(0);
    may_hear[1] = may_hear[1] | HEARS(1);
    may_hear[2] = may_hear[2] | HEARS(2)
}

inline it_is_published() {
    published_period = period;
    published_opened_at = machine.opened_at
}

inline it_is_told() {
    told_state = machine.state;
    told_until = REFUSES_UNTIL
}

inline is_refused(in_state) {
    CLAIM(refusals_have_a_reason, may_hear[me] & (1 << in_state))
}
