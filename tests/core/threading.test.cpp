// SPDX-License-Identifier: MIT
#include <dashpot/core/threading.hpp>

#include "catch.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <type_traits>

namespace tests::core_threading {

namespace threading = dashpot::threading;

// What the seam costs where nobody asks for another: nothing, for there is no seam.
static_assert(std::is_same_v<threading::atomic<std::uint64_t>, std::atomic<std::uint64_t>>);
static_assert(std::is_same_v<threading::mutex, std::mutex>);
static_assert(std::is_same_v<threading::condition_variable, std::condition_variable>);

TEST_CASE("threading: works with the standard's locks", "[core]") {
    threading::mutex mutex;
    const std::unique_lock lock{mutex};
    CHECK(lock.owns_lock());
    CHECK(lock.mutex() == &mutex);
}

} // namespace tests::core_threading
