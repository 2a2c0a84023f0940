// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_FLAKY_SERVICE_REQUEST_TALLY_HPP
#define DASHPOT_EXAMPLES_FLAKY_SERVICE_REQUEST_TALLY_HPP

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace flaky_service {

/// How many requests were received so far, per path and in total.
///
/// **Threads.** Every member may be called from any thread at any time.
class RequestTally {
  public:
    /// Counts a request. Paths that the service does not know are counted together, as "other": names
    /// that come from outside must not fill the memory.
    void add(std::string_view path);

    /// `{"total":4,"per_path":{"/fast":3,"/slow":0, ... ,"other":1}}`, all of one instant.
    [[nodiscard]] std::string to_json() const;

  private:
    static constexpr std::array<std::string_view, 6> names_{"/fast", "/slow",  "/always500",
                                                            "/bad",  "/flaky", "other"};

    mutable std::mutex mutex_;
    std::array<std::uint64_t, names_.size()> counts_{}; // guarded by mutex_
};

} // namespace flaky_service

#endif
