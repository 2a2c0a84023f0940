// SPDX-License-Identifier: MIT
// Pipelines against a naive interpreter: random pieces in every order of three, random endings, times,
// refusals, hints and stops.
#include "pipeline/script.hpp"
#include "property.hpp"

#include "catch.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <sstream>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace tests::pipeline_property {

using namespace support;
using dashpot::Attempt;
using dashpot::Deadline;
using dashpot::Error;
using dashpot::Fallback;
using dashpot::Instant;
using dashpot::pipeline;
using dashpot::Retry;
using dashpot::RetryBudget;
using dashpot::Timeout;
using dashpot::Verdict;
using std::chrono::nanoseconds;

namespace {

enum class Kind : std::uint8_t { fallback, timeout, retry, guard };
constexpr std::size_t kinds = 4;
constexpr std::size_t length = 3;

/// What one attempt does. Its number says how it is judged: below 100 a success, below 200 a failure,
/// otherwise ignored.
struct Deed {
    nanoseconds takes{};
    int number = 0;
    bool throws = false;
    bool stops = false;
    std::optional<dashpot::Nanoseconds> hint{};
};
/// What one admission does.
struct Gate {
    nanoseconds takes{};
    std::optional<Refusal> refusal{};
};

struct Plan {
    std::array<Kind, length> order{};
    std::array<nanoseconds, length> limit{}; // of timeouts; of guards: none
    std::array<Retry, length> retry{};
    std::vector<Deed> deeds{};
    std::vector<Gate> gates{};
    std::optional<nanoseconds> timeout{};
    double tokens = 0;
};

Outcome outcome_of(int number) {
    return number < 100 ? Outcome::success : number < 200 ? Outcome::failure : Outcome::ignored;
}

Plan plan_of(model::Dice& dice) {
    Plan plan;
    const auto time = [&] { return nanoseconds{dice.below(4) == 0 ? 0 : dice.below(60)}; };
    for (std::size_t i = 0; i != length; ++i) {
        plan.order[i] = static_cast<Kind>(dice.below(kinds));
        plan.limit[i] = nanoseconds{1 + dice.below(200)};
        plan.retry[i] = {.max_attempts = 1 + dice.below(4),
                         .wait = dice.below(2) == 0 ? dashpot::Backoff{nanoseconds{dice.below(20)}}
                                                    : dashpot::Backoff{dashpot::ExponentialBackoff{
                                                          .initial = nanoseconds{1 + dice.below(20)}}},
                         .max_retry_after = nanoseconds{dice.below(80)},
                         .retry_refusals = dice.below(2) == 0};
    }
    for (int i = 0; i != 70; ++i) {
        plan.deeds.push_back(
            {.takes = time(),
             .number = static_cast<int>(dice.below(10) + 100 * dice.pick({0U, 1U, 1U, 1U, 2U})),
             .throws = dice.below(2) == 0,
             .stops = dice.below(30) == 0,
             .hint = dice.below(4) == 0 ? std::optional<dashpot::Nanoseconds>{time()} : std::nullopt});
        Gate gate{.takes = dice.below(4) == 0 ? time() : 0ns};
        if (dice.below(6) == 0)
            gate.refusal =
                Refusal{dice.pick({Error::throttled, Error::rate_limited, Error::queue_timeout,
                                   Error::cancelled, Error::deadline_exceeded}),
                        dice.below(2) == 0 ? std::optional<nanoseconds>{time()} : std::nullopt};
        plan.gates.push_back(gate);
    }
    if (dice.below(2) == 0) plan.timeout = nanoseconds{dice.below(300)};
    plan.tokens = dice.pick({0.0, 1.0, 2.0, 100.0});
    return plan;
}

/// All that can be seen of one call.
struct Seen {
    std::string text{};
    friend bool operator==(const Seen&, const Seen&) = default;
};

// --- The interpreter: one value for how a call stands, plain recursion, no template
// --------------------

struct Ended {
    Outcome outcome = Outcome::failure;
    std::optional<nanoseconds> asked{};
    Error refused{};
    std::string how{};
    bool answered = false;
};

class Interpreter {
  public:
    explicit Interpreter(const Plan& plan) : plan_{plan}, tokens_{plan.tokens} {}

    Seen play() {
        nanoseconds deadline = never;
        if (plan_.timeout) deadline = *plan_.timeout;
        Ended end;
        if (deadline <= now_) {
            end = late(0);
        } else {
            end = run(0, deadline, 1);
        }
        text_ << end.how << " at " << now_.count() << " tokens " << tokens_;
        return {text_.str()};
    }

  private:
    static constexpr nanoseconds never = (nanoseconds::max)();

    static Ended refusal(const Refusal& refusal) {
        return {Outcome::ignored, refusal.retry_after, refusal.reason,
                std::string{to_string(refusal.reason)}};
    }

    Ended late(std::size_t i) {
        if (i == length || plan_.order[i] == Kind::guard || plan_.order[i] == Kind::timeout)
            return refusal({Error::deadline_exceeded});
        if (plan_.order[i] == Kind::fallback) return fallback(i, late(i + 1));
        return late(i + 1);
    }

    Ended fallback(std::size_t i, Ended end) {
        if (end.answered || stopped_) return end;
        const bool is_refusal = end.refused != Error{} && end.refused != Error::cancelled;
        if (!is_refusal && (end.refused != Error{} || end.outcome != Outcome::failure)) return end;
        end.how = "value " + std::to_string(900 + i);
        end.answered = true;
        text_ << 'F' << i << ' ';
        return end;
    }

    Ended run(std::size_t i, nanoseconds deadline, std::uint32_t number) {
        if (i == length) return deed(deadline, number);
        switch (plan_.order[i]) {
        case Kind::fallback: return fallback(i, run(i + 1, deadline, number));
        case Kind::timeout:
            if (deadline <= now_) return refusal({Error::deadline_exceeded});
            return run(i + 1, (std::min)(deadline, now_ + plan_.limit[i]), number);
        case Kind::guard: return guard(i, deadline, number);
        case Kind::retry: return retry(i, deadline);
        }
        return {};
    }

    Ended guard(std::size_t i, nanoseconds deadline, std::uint32_t number) {
        const Gate& gate = plan_.gates[gates_++];
        now_ += gate.takes;
        if (gate.refusal) return refusal(*gate.refusal);
        const Ended end = run(i + 1, deadline, number);
        text_ << (end.refused != Error{} ? 'r' : to_string(end.outcome)[0]) << i << ' ';
        return end;
    }

    Ended retry(std::size_t i, nanoseconds deadline) {
        const Retry& retry = plan_.retry[i];
        bool extra = false;
        for (std::uint32_t n = 1;; ++n) {
            const std::size_t before = deeds_;
            const Ended end = run(i + 1, deadline, n);
            if (extra && deeds_ == before) tokens_ += 1;
            extra = false;
            if (end.refused == Error{} && end.outcome == Outcome::success) return end;
            const bool again = end.refused == Error{}
                                   ? end.outcome == Outcome::failure
                                   : retry.retry_refusals && end.refused != Error::cancelled &&
                                         end.refused != Error::deadline_exceeded;
            if (!again || n == retry.max_attempts || stopped_) return end;
            if (end.asked && *end.asked > retry.max_retry_after) return end;
            nanoseconds wait = retry.wait.delay(n - 1);
            if (end.asked) wait = (std::max)(wait, *end.asked);
            if (deadline != never && now_ + wait >= deadline) return end;
            if (tokens_ < 1) return end;
            tokens_ -= 1;
            extra = true;
            now_ += wait;
        }
    }

    Ended deed(nanoseconds deadline, std::uint32_t number) {
        const Deed& deed = plan_.deeds[deeds_++];
        text_ << '#' << number << '@' << now_.count();
        if (deadline == never) {
            text_ << "- ";
        } else {
            text_ << '-' << (std::max)(deadline - now_, 0ns).count() << ' ';
        }
        now_ += deed.takes;
        stopped_ = stopped_ || deed.stops;
        return {outcome_of(deed.number), deed.hint, Error{},
                (deed.throws ? "threw " : "value ") + std::to_string(deed.number)};
    }

    const Plan& plan_;
    nanoseconds now_{};
    double tokens_;
    bool stopped_ = false;
    std::size_t deeds_ = 0;
    std::size_t gates_ = 0;
    std::ostringstream text_{};
};

// --- The pipelines themselves
// -----------------------------------------------------------------------------

struct Player {
    const Plan& plan;
    ManualClock clock{};
    std::stop_source source{};
    RetryBudget budget{{.ratio = 0.001, .capacity = 1000}};
    std::ostringstream text{};
    std::size_t deeds = 0;
    std::size_t gates = 0;
    std::optional<dashpot::Nanoseconds> hint{};
};

struct Guard {
    struct Permit {
        Player* player;
        std::size_t place;
        std::optional<Refusal> refused;
        explicit operator bool() const { return !refused; }
        Refusal refusal() const { return *refused; }
        void record(Outcome outcome) const { player->text << to_string(outcome)[0] << place << ' '; }
        void release() const { player->text << 'r' << place << ' '; }
    };
    Permit try_acquire() const {
        const Gate& gate = player->plan.gates[player->gates++];
        player->clock.advance(gate.takes);
        return {player, place, gate.refusal};
    }
    Player* player;
    std::size_t place;
};

struct Handler {
    Player* player;
    std::size_t place;
    int operator()(const auto&) const {
        player->text << 'F' << place << ' ';
        return static_cast<int>(900 + place);
    }
};

template <Kind kind>
auto piece(Player& player, std::size_t i, Guard& guard) {
    if constexpr (kind == Kind::fallback) {
        return std::make_tuple(Fallback{Handler{&player, i}});
    } else if constexpr (kind == Kind::timeout) {
        return std::make_tuple(Timeout{player.plan.limit[i]});
    } else if constexpr (kind == Kind::retry) {
        Retry retry = player.plan.retry[i];
        retry.budget = &player.budget;
        return std::make_tuple(retry);
    } else {
        return std::forward_as_tuple(guard);
    }
}

template <std::size_t order>
Seen play(const Plan& plan, bool nests) {
    constexpr auto a = static_cast<Kind>(order % kinds);
    constexpr auto b = static_cast<Kind>(order / kinds % kinds);
    constexpr auto c = static_cast<Kind>(order / kinds / kinds);
    Player player{plan};
    while (player.budget.balance() > plan.tokens) (void)player.budget.try_withdraw();
    std::array<Guard, length> guards{Guard{&player, 0}, Guard{&player, 1}, Guard{&player, 2}};

    const auto f = [&](const Attempt& attempt) {
        const Deed& deed = plan.deeds[player.deeds++];
        player.text << '#' << attempt.number << '@' << player.clock.now().time_since_epoch().count()
                    << '-';
        if (!attempt.deadline.is_never()) player.text << attempt.remaining().count();
        player.text << ' ';
        player.clock.advance(deed.takes);
        if (deed.stops) player.source.request_stop();
        player.hint = deed.hint;
        if (deed.throws) throw Trouble{deed.number};
        return deed.number;
    };
    struct Classify {
        Player* player;
        Verdict operator()(int number) const { return {outcome_of(number), player->hint}; }
        Verdict operator()(std::exception_ptr thrown) const {
            try {
                std::rethrow_exception(thrown);
            } catch (const Trouble& trouble) {
                return {outcome_of(trouble.number), player->hint};
            }
        }
    };
    const dashpot::CallOptions options{
        .timeout = plan.timeout ? std::optional<dashpot::Nanoseconds>{*plan.timeout} : std::nullopt,
        .stop = player.source.get_token()};
    const auto make = [](auto&&... pieces) {
        return pipeline(std::forward<decltype(pieces)>(pieces)...);
    };
    const auto ending = [&](const auto& protect) {
        return ending_of(
            [&] { return protect.with(player.clock).call(options, f, Classify{&player}); });
    };
    std::string how;
    if (nests) {
        const auto inner = std::apply(
            make, std::tuple_cat(piece<b>(player, 1, guards[1]), piece<c>(player, 2, guards[2])));
        how = ending(std::apply(
            make, std::tuple_cat(piece<a>(player, 0, guards[0]), std::forward_as_tuple(inner))));
    } else {
        how = ending(std::apply(make, std::tuple_cat(piece<a>(player, 0, guards[0]),
                                                     piece<b>(player, 1, guards[1]),
                                                     piece<c>(player, 2, guards[2]))));
    }
    // A deposit of a thousandth for a success is left out of the comparison.
    player.text << how << " at " << player.clock.now().time_since_epoch().count() << " tokens "
                << static_cast<int>(player.budget.balance());
    return {player.text.str()};
}

template <std::size_t... orders>
Seen play_any(const Plan& plan, bool nests, std::index_sequence<orders...>) {
    std::size_t wanted = 0;
    for (std::size_t i = length; i != 0; --i)
        wanted = wanted * kinds + static_cast<std::size_t>(plan.order[i - 1]);
    Seen seen;
    (void)((orders == wanted && (seen = play<orders>(plan, nests), true)) || ...);
    return seen;
}

} // namespace

TEST_CASE("Pipeline: ends as a naive interpreter says, in every order of pieces",
          "[pipeline][property]") {
    for (std::uint64_t seed = 1; seed != 20'001; ++seed) {
        model::Dice dice{seed};
        const Plan plan = plan_of(dice);
        const Seen wanted = Interpreter{plan}.play();
        const Seen seen = play_any(plan, dice.below(2) == 0, std::make_index_sequence<64>{});
        if (seen == wanted) continue;
        CAPTURE(seed, static_cast<int>(plan.order[0]), static_cast<int>(plan.order[1]),
                static_cast<int>(plan.order[2]));
        FAIL("wanted " << wanted.text << "\nseen   " << seen.text);
    }
    SUCCEED("no difference");
}

} // namespace tests::pipeline_property
