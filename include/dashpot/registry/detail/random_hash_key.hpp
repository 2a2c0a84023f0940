// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_DETAIL_RANDOM_HASH_KEY_HPP
#define DASHPOT_REGISTRY_DETAIL_RANDOM_HASH_KEY_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/threading.hpp>
#include <dashpot/registry/detail/keyed_hash.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

#if (defined(__GLIBC__) || defined(__APPLE__)) && __has_include(<sys/random.h>)
#include <sys/random.h>
#else
#include <random>
#endif

namespace dashpot::inline DASHPOT_ABI::detail {

/// Returns a key that depends on all of `words`, and on `key`.
template <std::size_t N>
[[nodiscard]] constexpr HashKey derived_key(const std::array<std::uint64_t, N>& words,
                                            HashKey key) noexcept {
    const auto derive = [&](std::uint64_t which) {
        SipState state{key};
        state.add(which);
        for (const std::uint64_t word : words) state.add(word);
        return state.finish();
    };
    return {derive(1), derive(2)};
}

#ifdef DASHPOT_THREADING_HEADER
/// Returns a constant key: a checker replays schedules, so everything that depends on the key must be
/// the same each time.
[[nodiscard]] constexpr HashKey random_hash_key(const void*) noexcept { return {}; }
#else
/// Returns random numbers of the system, or {} if the system has none.
[[nodiscard]] inline HashKey system_entropy() noexcept {
    HashKey drawn;
#if (defined(__GLIBC__) || defined(__APPLE__)) && __has_include(<sys/random.h>)
    // <random> is an eighth of what a compiler spends on all headers of the standard library in use.
    if (::getentropy(&drawn, sizeof drawn) != 0) drawn = {};
#else
    try {
        std::random_device device;
        for (std::uint64_t* const half : {&drawn.first, &drawn.second}) {
            *half = std::uint64_t{device()} << 32U;
            *half |= device();
        }
    } catch (...) { // no free descriptor, or no such device
    }
#endif
    return drawn;
}

/// Returns the secret of this process, which is drawn at the first use. If the system has no random
/// numbers, the secret depends on addresses and times, which an outsider cannot know exactly.
[[nodiscard]] inline HashKey process_hash_key() noexcept {
    static const HashKey key = [] {
        static constinit char place = 0;
        std::array<std::uint64_t, 5> words{};
        words[0] = reinterpret_cast<std::uintptr_t>(&place);
        words[1] = reinterpret_cast<std::uintptr_t>(&words);
        words[2] =
            static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
        words[3] =
            static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
        const HashKey drawn = system_entropy();
        words[4] =
            static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
        return derived_key(words, drawn);
    }();
    return key;
}

/// Returns a key that no other registry of this process has, and that is secret to other processes.
///
/// **Threads.** Any thread may call it. **Cost.** The first call reads random numbers from the system;
/// later calls read a clock.
[[nodiscard]] inline HashKey random_hash_key(const void* owner) noexcept {
    static constinit threading::atomic<std::uint64_t> latest{0};
    const std::array<std::uint64_t, 3> words{
        latest.fetch_add(1, std::memory_order_relaxed), reinterpret_cast<std::uintptr_t>(owner),
        static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count())};
    return derived_key(words, process_hash_key());
}
#endif

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
