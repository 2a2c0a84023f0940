// SPDX-License-Identifier: MIT
#ifndef DASHPOT_PIPELINE_DETAIL_JOURNEY_HPP
#define DASHPOT_PIPELINE_DETAIL_JOURNEY_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/clock.hpp>
#include <dashpot/core/result.hpp>
#include <dashpot/pipeline/detail/hedge_stage.hpp>
#include <dashpot/pipeline/detail/passage.hpp>
#include <dashpot/pipeline/detail/piece.hpp>
#include <dashpot/pipeline/pipeline.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace dashpot::inline DASHPOT_ABI::detail {

/// Follows the last stage of a nested pipeline: from here on the outer clock counts again.
struct EndOfNested {};
inline constexpr EndOfNested end_of_nested{};

/// Opens a pipeline to code that passes its stages step by step.
struct StepByStep {
    template <class P>
    [[nodiscard]] static const auto& clock_of(const P& pipeline) noexcept {
        return pipeline.own_clock();
    }

    /// Refuses a call whose deadline has passed before it began, as Pipeline::call() does.
    template <class T, class P>
    [[nodiscard]] static Result<T> refuse_late(const P& pipeline, const std::stop_token& stop) {
        return pipeline.template refuse_late<T>(stop);
    }

    template <class Nested, class Scope>
    [[nodiscard]] static auto within(const Nested& nested, const Scope& scope) {
        return nested.within(static_cast<const CallScope<typename Scope::clock_type>&>(scope));
    }

    /// Returns pointers to all stages, the outermost first, those of nested pipelines among them.
    template <class C, class... Stages>
    [[nodiscard]] static auto stages_of(const Pipeline<C, Stages...>& pipeline) noexcept {
        return std::apply([](const Stages&... stages) { return std::tuple_cat(flat(stages)...); },
                          pipeline.stages_);
    }

  private:
    template <class Stage>
    [[nodiscard]] static auto flat(const Stage& stage) noexcept {
        return std::tuple<const Stage*>{&stage};
    }
    template <class P, class Held>
    [[nodiscard]] static auto flat(const NestedStage<P, Held>& stage) noexcept {
        return std::tuple_cat(std::tuple<const NestedStage<P, Held>*>{&stage},
                              stages_of(stage.pipeline()),
                              std::tuple<const EndOfNested*>{&end_of_nested});
    }
};

template <class C, class... Stages, class Held, class T, class Outer>
class Passage<NestedStage<Pipeline<C, Stages...>, Held>, T, Outer> : public NeverWaits {
  public:
    using Stage = NestedStage<Pipeline<C, Stages...>, Held>;
    explicit Passage(const Stage& stage) noexcept : stage_{stage} {}

    Move enter(const Site<T, Outer>& site) {
        outer_ = {site.scope.clock, site.scope.clocks};
        static_cast<CallScope<Outer>&>(site.inner) = StepByStep::within(stage_, site.scope);
        site.inner.clocks = &outer_;
        return Move::inwards;
    }
    Move leave(const Site<T, Outer>&) noexcept { return Move::outwards; }

  private:
    const Stage& stage_;
    typename PassageScope<Outer>::OuterClock outer_{};
};

template <class T, class C>
class Passage<EndOfNested, T, C> : public NeverWaits {
  public:
    explicit Passage(const EndOfNested&) noexcept {}

    Move enter(const Site<T, C>& site) noexcept {
        site.inner.clock = site.scope.clocks->clock;
        site.inner.clocks = site.scope.clocks->outer;
        return Move::inwards;
    }
    Move leave(const Site<T, C>&) noexcept { return Move::outwards; }
};

/// Counts the stages before the first Hedge, or all of them.
template <class... Stages>
[[nodiscard]] consteval std::size_t stages_before_hedge() {
    std::size_t count = 0;
    (void)((std::is_same_v<Stages, HedgeStage> ? false : (++count, true)) && ...);
    return count;
}

/// The passages of a call, the outermost first. They are destroyed from the innermost outwards.
template <class T, class C, class... Stages>
struct Passages {
    explicit Passages(const std::tuple<>&) noexcept {}
};
template <class T, class C, class First, class... Others>
struct Passages<T, C, First, Others...> {
    template <class... Pointers>
    explicit Passages(const std::tuple<Pointers...>& stages) noexcept
        : Passages{stages, std::make_index_sequence<sizeof...(Others)>{}} {}

    Passage<First, T, C> first;
    Passages<T, C, Others...> others;

    /// Calls `visit` with the passage that has this number.
    template <class Visit>
    [[gnu::always_inline]] Move at(std::size_t number, Visit&& visit) {
        if constexpr (sizeof...(Others) != 0) {
            if (number != 0) return others.at(number - 1, visit);
        }
        return visit(first);
    }

  private:
    template <class Pointers, std::size_t... Number>
    Passages(const Pointers& stages, std::index_sequence<Number...>) noexcept
        : first{*std::get<0>(stages)}, others{std::tuple{std::get<Number + 1>(stages)...}} {}
};

/// What the code that runs a Journey must do next.
enum class Need : std::uint8_t {
    call,  ///< Call the function with scope(), then end() or fail().
    sleep, ///< Wait until pause().until, then wake().
    queue, ///< Wait in pause().queue with the deadline of scope(), then wake().
    over   ///< Take what travel() holds.
};

/// One call on its way through the stages of a pipeline, and back.
///
/// **Contract.** proceed() goes on until something must be waited for. Destroying the journey at any
/// time gives all permits back as ignored, the innermost first.
/// **Threads.** One at a time. No lock is held when a function returns.
/// **Cost.** What the stages cost. No allocation.
template <class T, Clock C, class... Stages>
class Journey {
  public:
    Journey(const std::tuple<const Stages*...>& stages, const PassageScope<C>& scope)
        : passages_{stages} {
        scopes_[0] = scope;
    }
    Journey(const Journey&) = delete;
    Journey& operator=(const Journey&) = delete;

    [[nodiscard]] Need proceed() {
        for (;;) {
            switch (move_) {
            case Move::inwards:
                if (place_ == sizeof...(Stages)) return Need::call;
                scopes_[place_ + 1] = scopes_[place_];
                step(place_, [](auto& passage, const auto& site) { return passage.enter(site); });
                break;
            case Move::outwards:
                if (place_ == 0) return Need::over;
                step(place_ - 1, [](auto& passage, const auto& site) { return passage.leave(site); });
                break;
            case Move::sleep: return Need::sleep;
            case Move::queue: return Need::queue;
            }
        }
    }

    /// The wait is over. If the call was cancelled, is_cancelled of travel() must be set before.
    void wake() {
        step(place_, [](auto& passage, const auto& site) { return passage.resume(site); });
    }

    /// The innermost call has ended with a result, and its scope's ending says how.
    void end(Result<T>&& result) {
        travel_.result.emplace(std::move(result));
        travel_.thrown = nullptr;
        move_ = Move::outwards;
    }
    /// The innermost call has ended with an exception.
    void fail(std::exception_ptr thrown) noexcept {
        travel_.result.reset();
        travel_.thrown = std::move(thrown);
        move_ = Move::outwards;
    }

    /// The scope of what comes next.
    [[nodiscard]] const PassageScope<C>& scope() const noexcept { return scopes_[place_]; }
    [[nodiscard]] Travel<T>& travel() noexcept { return travel_; }
    [[nodiscard]] Pause& pause() noexcept { return pause_; }

  private:
    template <class Act>
    void step(std::size_t stage, Act act) {
        if constexpr (sizeof...(Stages) != 0) {
            move_ = guarded([&] {
                return passages_.at(stage, [&](auto& passage) {
                    return act(passage,
                               Site<T, C>{scopes_[stage], scopes_[stage + 1], travel_, pause_});
                });
            });
            place_ = move_ == Move::inwards ? stage + 1 : stage;
        }
    }

    /// An exception of a guard or of a handler ends the call at its stage.
    template <class Act>
    Move guarded(Act act) {
#if DASHPOT_EXCEPTIONS
        try {
            return act();
        } catch (...) {
            fail(std::current_exception());
            return Move::outwards;
        }
#else
        return act();
#endif
    }

    std::array<PassageScope<C>, sizeof...(Stages) + 1> scopes_{};
    Travel<T> travel_{};
    Pause pause_{};
    Passages<T, C, Stages...> passages_; // destroyed first
    std::size_t place_ = 0;              // the number of the stage that comes next, inwards
    Move move_ = Move::inwards;
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
