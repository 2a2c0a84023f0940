// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTING_TRANSITION_RECORDER_HPP
#define DASHPOT_TESTING_TRANSITION_RECORDER_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/state.hpp>
#include <dashpot/guard/transition.hpp>

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace dashpot::inline DASHPOT_ABI::testing {

/// Records transitions for a test.
///
///     dashpot::testing::TransitionRecorder recorded;
///     auto subscription = breaker.on_transition(std::ref(recorded));
///     ...
///     CHECK(recorded.path() == "CLOSED->OPEN OPEN->HALF_OPEN");
///
/// **Contract.** It can be subscribed to a breaker or to a registry. It must outlive the subscription.
/// **Threads.** Any thread may call it. **Cost.** Each transition takes a mutex and memory.
class TransitionRecorder {
  public:
    struct Entry {
        std::string target; ///< Empty for a breaker's own listener.
        Transition transition;
    };

    /// Records a transition of a breaker, or of the target that the registry names.
    void operator()(const Transition& transition) { (*this)({}, transition); }

    void operator()(std::string_view target, const Transition& transition) {
        const std::lock_guard lock{mutex_};
        heard_.push_back({std::string{target}, transition});
    }

    /// Returns the recorded transitions in order.
    [[nodiscard]] std::vector<Entry> entries() const {
        const std::lock_guard lock{mutex_};
        return heard_;
    }

    /// Returns for example "CLOSED->OPEN OPEN->HALF_OPEN", with "name:" before each transition that
    /// has a name.
    [[nodiscard]] std::string path() const {
        std::string text;
        for (const Entry& entry : entries()) {
            if (!text.empty()) text += ' ';
            if (!entry.target.empty()) (text += entry.target) += ':';
            text += to_string(entry.transition.from);
            text += "->";
            text += to_string(entry.transition.to);
        }
        return text;
    }

  private:
    mutable std::mutex mutex_;
    std::vector<Entry> heard_; // guarded by mutex_
};

} // namespace dashpot::inline DASHPOT_ABI::testing

#endif
