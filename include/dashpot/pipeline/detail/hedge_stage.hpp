// SPDX-License-Identifier: MIT
#ifndef DASHPOT_PIPELINE_DETAIL_HEDGE_STAGE_HPP
#define DASHPOT_PIPELINE_DETAIL_HEDGE_STAGE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/result.hpp>
#include <dashpot/pipeline/hedge.hpp>

namespace dashpot::inline DASHPOT_ABI::detail {

/// Is false, whatever T is: for a function template that must not be instantiated.
template <class T>
inline constexpr bool is_never = false;

/// A Hedge of a pipeline. Calls that block their thread cannot use it.
class HedgeStage {
  public:
    explicit HedgeStage(const Hedge& hedge) : hedge_{hedge} { hedge.validate(); }

    static constexpr bool may_repeat = true;

    [[nodiscard]] const Hedge& options() const noexcept { return hedge_; }

    template <class T, class Scope, class Next>
    Result<T> run(const Scope& scope, const Next& next) const {
        static_assert(is_never<T>,
                      "a pipeline with a Hedge cannot be called synchronously, because a Hedge runs "
                      "attempts side by side: use dashpot::on_asio::call()");
        return next(scope);
    }

    /// Passes a refusal from before the first attempt on.
    template <class T, class Scope, class Next>
    Result<T> pass_refusal(const Scope& scope, const Next& next) const {
        return next(scope);
    }

  private:
    Hedge hedge_;
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
