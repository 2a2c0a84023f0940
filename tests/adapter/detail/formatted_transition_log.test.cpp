// SPDX-License-Identifier: MIT
#include <dashpot/adapter/detail/formatted_transition_log.hpp>

#include "adapter/log_support.hpp"

#include "catch.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace tests::adapter_detail_formatted_transition_log {

namespace {

struct Format {
    static constexpr const char* log_name = "NameLog";
    static constexpr const char* empty_clock = "NameLog: no clock";

    static std::string line(std::string_view time, std::string_view target,
                            const dashpot::Transition& transition) {
        return std::string{time} + ' ' + std::string{target} + ' ' +
               std::string{to_string(transition.to)} + '\n';
    }
    static std::string gap(std::string_view time, std::uint64_t lost) {
        return std::string{time} + " lost " + std::to_string(lost) + '\n';
    }
};

struct NameLog : dashpot::detail::FormattedTransitionLog<Format> {
    using FormattedTransitionLog::FormattedTransitionLog;
};

std::chrono::system_clock::time_point at_start() { return {}; }

} // namespace

TEST_CASE("FormattedTransitionLog: writes each transition in its format", "[adapter]") {
    const support::ScratchFile file;
    NameLog log{file.path(), at_start};
    CHECK(log.append("CORE", support::opened));
    log("CLAIM", support::opened);
    CHECK(file.text() == "1970-01-01T00:00:00.000Z CORE OPEN\n1970-01-01T00:00:00.000Z CLAIM OPEN\n");
    CHECK(log.lost() == 0);
}

TEST_CASE("FormattedTransitionLog: writes in its format how many lines were lost", "[adapter]") {
    support::Fifo fifo;
    fifo.join();
    NameLog log{fifo.path(), at_start};
    fifo.leave();
    CHECK_FALSE(log.append("CORE", support::opened));
    fifo.join();
    CHECK(log.append("CORE", support::opened));
    CHECK(fifo.read() == "1970-01-01T00:00:00.000Z lost 1\n1970-01-01T00:00:00.000Z CORE OPEN\n");
}

TEST_CASE("FormattedTransitionLog: its errors name the log", "[adapter]") {
    const support::ScratchFile file;
    CHECK_THROWS_WITH((NameLog{file.path(), nullptr}), "NameLog: no clock");
    CHECK_THROWS_WITH(NameLog{"/nowhere/breaker.log"},
                      Catch::Matchers::StartsWith("NameLog: cannot open \"/nowhere/breaker.log\""));
}

} // namespace tests::adapter_detail_formatted_transition_log
