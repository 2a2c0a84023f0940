// SPDX-License-Identifier: MIT
#include <dashpot/guard/detail/breaker_word.hpp>

#include "catch.hpp"

#include <cstdint>

namespace tests::guard_detail_breaker_word {

using dashpot::State;
using dashpot::detail::BreakerWord;

namespace {

constexpr std::uint64_t last_generation = (std::uint64_t{1} << 56U) - 1;

constexpr bool gives_back_what_it_was_made_of() {
    for (const std::uint64_t generation : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{255},
                                           std::uint64_t{256}, last_generation}) {
        for (const State state :
             {State::closed, State::open, State::half_open, State::disabled, State::forced_open}) {
            for (const bool quiet : {false, true}) {
                const BreakerWord word{generation, state, quiet};
                if (word.generation() != generation || word.state() != state) return false;
                if (word.is_closed() != (state == State::closed)) return false;
                if (word.is_closed_and_quiet() != (state == State::closed && quiet)) return false;
                if (BreakerWord{word.bits()} != word) return false;
            }
        }
    }
    return true;
}

} // namespace

TEST_CASE("BreakerWord: gives back what it was made of", "[guard]") {
    STATIC_REQUIRE(gives_back_what_it_was_made_of());
}

TEST_CASE("BreakerWord: differs when the generation, the state or the quiet bit does", "[guard]") {
    constexpr BreakerWord word{7, State::closed, true};
    STATIC_REQUIRE(word == BreakerWord{7, State::closed, true});
    STATIC_REQUIRE(word != BreakerWord{8, State::closed, true});
    STATIC_REQUIRE(word != BreakerWord{7, State::open, true});
    STATIC_REQUIRE(word != BreakerWord{7, State::closed, false});
}

TEST_CASE("BreakerWord: knows what it is once closed and quiet in the same generation", "[guard]") {
    STATIC_REQUIRE(BreakerWord{7, State::closed, false}.as_closed_and_quiet() ==
                   BreakerWord{7, State::closed, true});
    STATIC_REQUIRE(BreakerWord{7, State::half_open, false}.as_closed_and_quiet().is_closed_and_quiet());
    STATIC_REQUIRE(BreakerWord{7, State::half_open, false}.as_closed_and_quiet().generation() == 7);
}

} // namespace tests::guard_detail_breaker_word
