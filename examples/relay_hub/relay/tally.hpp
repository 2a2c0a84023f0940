// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_RELAY_TALLY_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_RELAY_TALLY_HPP

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace relay_hub {

/// Counts answers by code.
///
/// **Contract.** Codes come from the targets, so their number is bounded: after 64 different ones,
/// new codes count as "other", and so do codes longer than 32 bytes.
/// **Threads.** Every member may be called from any thread at any time.
class Tally {
  public:
    using Counts = std::map<std::string, std::uint64_t, std::less<>>;

    void add(std::string_view code) {
        const std::lock_guard lock{mutex_};
        auto found = counts_.find(code);
        if (found == counts_.end()) {
            const bool has_room = counts_.size() < 64 && code.size() <= 32;
            found = counts_.try_emplace(std::string{has_room ? code : "other"}).first;
        }
        ++found->second;
    }

    [[nodiscard]] Counts counts() const {
        const std::lock_guard lock{mutex_};
        return counts_;
    }

  private:
    mutable std::mutex mutex_;
    Counts counts_; // guarded by mutex_
};

} // namespace relay_hub

#endif
