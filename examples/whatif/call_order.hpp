// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_WHATIF_CALL_ORDER_HPP
#define DASHPOT_EXAMPLES_WHATIF_CALL_ORDER_HPP

#include "call.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

namespace whatif {

/// Sorts calls by their end, as long as none is more than `max_disorder` behind the latest before it.
///
/// **Contract.** Calls of one instant stay in the order in which they were added. Only the calls of the
/// last `max_disorder` are kept.
class CallOrder {
  public:
    explicit CallOrder(std::int64_t max_disorder) : max_disorder_{max_disorder} {}

    /// Returns false, and does not take the call, if it is too far behind.
    [[nodiscard]] bool add(const Call& call) {
        latest_ = (std::max)(latest_, call.end);
        if (latest_ - call.end > max_disorder_) return false;
        if (in_order_.empty() || in_order_.back().call.end <= call.end) {
            in_order_.push_back({call, count_++});
        } else {
            late_.push_back({call, count_++});
            std::push_heap(late_.begin(), late_.end(), is_later);
        }
        return true;
    }

    /// Calls `f` with each call that no call to come can precede.
    template <class F>
    void release(F&& f) {
        release_until(latest_ - max_disorder_, f);
    }

    /// Calls `f` with each call that is left.
    template <class F>
    void finish(F&& f) {
        release_until((std::numeric_limits<std::int64_t>::max)(), f);
    }

  private:
    struct Numbered {
        Call call;
        std::uint64_t number;
    };
    [[nodiscard]] static bool is_later(const Numbered& one, const Numbered& other) noexcept {
        return one.call.end != other.call.end ? one.call.end > other.call.end
                                              : one.number > other.number;
    }

    // A call to come may end at this very instant, but its number is higher.
    template <class F>
    void release_until(std::int64_t end, F& f) {
        while (!in_order_.empty() || !late_.empty()) {
            const bool takes_late =
                in_order_.empty() || (!late_.empty() && is_later(in_order_.front(), late_.front()));
            const Numbered& next = takes_late ? late_.front() : in_order_.front();
            if (next.call.end > end) return;
            f(next.call);
            if (takes_late) {
                std::pop_heap(late_.begin(), late_.end(), is_later);
                late_.pop_back();
            } else {
                in_order_.pop_front();
            }
        }
    }

    const std::int64_t max_disorder_;
    std::int64_t latest_ = 0;
    std::uint64_t count_ = 0;
    std::deque<Numbered> in_order_; // sorted
    std::vector<Numbered> late_;    // a heap, the earliest first
};

} // namespace whatif

#endif
