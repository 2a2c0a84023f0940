// SPDX-License-Identifier: MIT
#ifndef DASHPOT_CORE_DETAIL_FIXED_ARRAY_HPP
#define DASHPOT_CORE_DETAIL_FIXED_ARRAY_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/contract.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace dashpot::inline DASHPOT_ABI::detail {

/// Returns true if an array of `count` values of T can exist if objects have at most `largest` bytes.
template <class T>
[[nodiscard]] constexpr bool fits_in_memory(std::uint64_t count,
                                            std::uint64_t largest = PTRDIFF_MAX) noexcept {
    return count <= largest / sizeof(T);
}

/// An array whose size is set at construction and never changes. Unlike std::vector, it is usable in
/// constant expressions with every standard library, including libc++ 14.
template <class T>
class FixedArray {
  public:
    /// Makes `size` values. If `size` is 0, nothing is allocated.
    constexpr explicit FixedArray(std::size_t size)
        : size_{size}, values_{size == 0 ? nullptr : new T[size]{}} {}
    constexpr FixedArray(const FixedArray& other) : FixedArray(other.size_) {
        std::copy(other.begin(), other.end(), begin());
    }
    constexpr FixedArray(FixedArray&& other) noexcept
        : size_{std::exchange(other.size_, 0)}, values_{std::exchange(other.values_, nullptr)} {}
    constexpr FixedArray& operator=(FixedArray other) noexcept {
        std::swap(size_, other.size_);
        std::swap(values_, other.values_);
        return *this;
    }
    constexpr ~FixedArray() { delete[] values_; }

    [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
    [[nodiscard]] constexpr T& operator[](std::size_t i) noexcept {
        DASHPOT_ASSERT(i < size_);
        return values_[i];
    }
    [[nodiscard]] constexpr const T& operator[](std::size_t i) const noexcept {
        DASHPOT_ASSERT(i < size_);
        return values_[i];
    }
    [[nodiscard]] constexpr T* begin() noexcept { return values_; }
    [[nodiscard]] constexpr T* end() noexcept { return values_ + size_; }
    [[nodiscard]] constexpr const T* begin() const noexcept { return values_; }
    [[nodiscard]] constexpr const T* end() const noexcept { return values_ + size_; }

  private:
    std::size_t size_;
    T* values_;
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
