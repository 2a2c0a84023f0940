// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_COMMON_FILE_DESCRIPTOR_HPP
#define DASHPOT_EXAMPLES_COMMON_FILE_DESCRIPTOR_HPP

#include <utility>

#include <unistd.h>

namespace example {

/// Owns a descriptor and closes it.
class FileDescriptor {
  public:
    FileDescriptor() = default;
    explicit FileDescriptor(int value) noexcept : value_{value} {}
    FileDescriptor(FileDescriptor&& other) noexcept : value_{std::exchange(other.value_, -1)} {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        std::swap(value_, other.value_);
        return *this;
    }
    ~FileDescriptor() { close(); }

    [[nodiscard]] int get() const noexcept { return value_; }
    [[nodiscard]] int release() noexcept { return std::exchange(value_, -1); }
    explicit operator bool() const noexcept { return value_ >= 0; }

    void close() noexcept {
        if (value_ >= 0) ::close(std::exchange(value_, -1));
    }

  private:
    int value_ = -1;
};

} // namespace example

#endif
