// SPDX-License-Identifier: MIT
#include <dashpot/guard/detail/admission.hpp>

#include "catch.hpp"

namespace tests::guard_detail_admission {

using dashpot::Error;
using dashpot::State;
using dashpot::detail::Admission;
using dashpot::detail::BreakerWord;
using dashpot::detail::NoSlot;

TEST_CASE("Admission: is refused if it has a reason", "[guard]") {
    const BreakerWord word{7, State::half_open, false};
    CHECK_FALSE(Admission{word}.was_refused());
    CHECK(Admission{word, Error::probes_in_flight}.was_refused());
    CHECK_FALSE(Admission{word, Error::circuit_open}.retry_after.has_value());
}

TEST_CASE("Admission: without a slot it is refused as by a full bulkhead", "[guard]") {
    const BreakerWord word{7, State::half_open, false};
    const Admission refused = Admission::without_slot(word);
    CHECK(refused.was_refused());
    CHECK(refused.reason == Error::bulkhead_full);
    CHECK(refused.word == word);
    CHECK_FALSE(refused.retry_after.has_value());
}

TEST_CASE("NoSlot: is always to be had", "[guard]") {
    STATIC_REQUIRE(NoSlot::take());
    bool is_called = false;
    CHECK(NoSlot::take_after([&] { is_called = true; }));
    CHECK_FALSE(is_called);
    STATIC_REQUIRE_FALSE(NoSlot::is_none_left());
}

} // namespace tests::guard_detail_admission
