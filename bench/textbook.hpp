// SPDX-License-Identifier: MIT
#ifndef DASHPOT_BENCH_TEXTBOOK_HPP
#define DASHPOT_BENCH_TEXTBOOK_HPP

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace bench {

/// The breaker, the ring and the bucket window as a textbook has them: everything under one mutex. They
/// do less than ours (no events, no generations, no probes), so they are a fair floor.
class TextbookBreaker {
  public:
    [[nodiscard]] bool allow() {
        const std::lock_guard lock{mutex_};
        return !is_open_;
    }
    void record(bool failed) {
        const std::lock_guard lock{mutex_};
        run_ = failed ? run_ + 1 : 0;
        if (run_ >= 5) is_open_ = true;
    }

  private:
    std::mutex mutex_;
    std::uint32_t run_ = 0;
    bool is_open_ = false;
};

/// The last 100 calls.
class TextbookRing {
  public:
    void record(bool failed) {
        const std::lock_guard lock{mutex_};
        bool& slot = ring_[next_];
        if (held_ == ring_.size()) {
            if (slot) --failures_;
        } else {
            ++held_;
        }
        slot = failed;
        if (failed) ++failures_;
        next_ = (next_ + 1) % ring_.size();
        if (held_ >= 10 && double(failures_) / double(held_) >= 0.5) is_open_ = true;
    }

  private:
    std::mutex mutex_;
    std::array<bool, 100> ring_{};
    std::size_t next_ = 0;
    std::size_t held_ = 0;
    std::size_t failures_ = 0;
    bool is_open_ = false;
};

/// The calls of the last ten seconds, in buckets of one.
class TextbookBuckets {
  public:
    void record(bool failed) {
        const auto now = std::chrono::steady_clock::now().time_since_epoch();
        const std::int64_t second = std::chrono::floor<std::chrono::seconds>(now).count();
        const std::lock_guard lock{mutex_};
        for (; newest_ < second; ++newest_) {
            Bucket& oldest = ring_[static_cast<std::size_t>(newest_ + 1) % ring_.size()];
            calls_ -= oldest.calls;
            failures_ -= oldest.failures;
            oldest = {};
        }
        Bucket& bucket = ring_[static_cast<std::size_t>(second) % ring_.size()];
        ++bucket.calls;
        ++calls_;
        if (failed) {
            ++bucket.failures;
            ++failures_;
        }
        if (calls_ >= 10 && double(failures_) / double(calls_) >= 0.5) is_open_ = true;
    }

  private:
    struct Bucket {
        std::uint64_t calls = 0;
        std::uint64_t failures = 0;
    };
    std::mutex mutex_;
    std::array<Bucket, 10> ring_{};
    std::int64_t newest_ =
        std::chrono::floor<std::chrono::seconds>(std::chrono::steady_clock::now().time_since_epoch())
            .count();
    std::uint64_t calls_ = 0;
    std::uint64_t failures_ = 0;
    bool is_open_ = false;
};

} // namespace bench

#endif
