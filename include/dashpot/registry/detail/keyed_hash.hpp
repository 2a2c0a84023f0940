// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_DETAIL_KEYED_HASH_HPP
#define DASHPOT_REGISTRY_DETAIL_KEYED_HASH_HPP

#include <dashpot/core/abi.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dashpot::inline DASHPOT_ABI::detail {

/// A secret that makes hashes unpredictable for senders of names.
struct HashKey {
    std::uint64_t first = 0;
    std::uint64_t second = 0;

    friend bool operator==(const HashKey&, const HashKey&) = default;
};

/// The state of SipHash: four words.
class SipState {
  public:
    constexpr explicit SipState(HashKey key) noexcept
        : a_{key.first ^ 0x736f6d6570736575U}, b_{key.second ^ 0x646f72616e646f6dU},
          c_{key.first ^ 0x6c7967656e657261U}, d_{key.second ^ 0x7465646279746573U} {}

    constexpr void add(std::uint64_t word) noexcept {
        d_ ^= word;
        mix();
        a_ ^= word;
    }

    [[nodiscard]] constexpr std::uint64_t finish() noexcept {
        c_ ^= 0xFF;
        mix();
        mix();
        mix();
        return a_ ^ b_ ^ c_ ^ d_;
    }

  private:
    constexpr void mix() noexcept {
        a_ += b_;
        b_ = std::rotl(b_, 13) ^ a_;
        a_ = std::rotl(a_, 32);
        c_ += d_;
        d_ = std::rotl(d_, 16) ^ c_;
        a_ += d_;
        d_ = std::rotl(d_, 21) ^ a_;
        c_ += b_;
        b_ = std::rotl(b_, 17) ^ c_;
        c_ = std::rotl(c_, 32);
    }

    std::uint64_t a_;
    std::uint64_t b_;
    std::uint64_t c_;
    std::uint64_t d_;
};

/// Returns eight bytes as a number whose lowest byte is the first, whatever the byte order of the
/// machine.
[[nodiscard]] constexpr std::uint64_t word_of(const char* bytes) noexcept {
    const auto at = [&](std::size_t i) {
        return std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    };
    return at(0) | at(1) | at(2) | at(3) | at(4) | at(5) | at(6) | at(7);
}

/// Returns the SipHash-1-3 of `text`. Without the key, it is infeasible to make names with equal
/// hashes.
///
/// **Cost.** O(length): about 4 ns, and about 1 ns more per 8 bytes. It does not allocate.
/// **Source.** J.-P. Aumasson, D. J. Bernstein, "SipHash: a fast short-input PRF", 2012.
[[nodiscard]] constexpr std::uint64_t keyed_hash(std::string_view text, HashKey key) noexcept {
    SipState state{key};
    const std::size_t left = text.size() % 8;
    const char* const begin = text.data();
    const std::size_t whole = text.size() - left;
    for (std::size_t i = 0; i != whole; i += 8) state.add(word_of(begin + i));
    std::uint64_t last = std::uint64_t{text.size()} << 56U;
    if (left != 0 && whole != 0) { // the last eight bytes, without the bytes that were already added
        last |= word_of(begin + text.size() - 8) >> (64 - 8 * left);
    } else {
        for (std::size_t i = 0; i != left; ++i) {
            last |= std::uint64_t{static_cast<unsigned char>(begin[i])} << (8 * i);
        }
    }
    state.add(last);
    return state.finish();
}

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
