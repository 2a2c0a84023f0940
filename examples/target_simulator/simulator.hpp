// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_TARGET_SIMULATOR_SIMULATOR_HPP
#define DASHPOT_EXAMPLES_TARGET_SIMULATOR_SIMULATOR_HPP

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>

namespace target_simulator {

/// How a target behaves.
enum class Mode : std::uint8_t {
    normal, ///< answers 0000
    fail,   ///< answers HTTP 500, to all calls or to some
    slow,   ///< answers 0000 after the delay
    reject, ///< answers B201, insufficient balance
    hang,   ///< never answers
};

[[nodiscard]] std::string_view to_string(Mode mode) noexcept;
[[nodiscard]] std::optional<Mode> to_mode(std::string_view text) noexcept;

struct Behaviour {
    Mode mode = Mode::normal;
    std::chrono::milliseconds delay{2000};
    /// In Mode::slow: so many calls at once take their time, the others wait for their turn. None: all.
    std::optional<std::uint32_t> capacity{};
    /// In Mode::fail: the share of the calls that fail, drawn by a fixed seed. The others get 0000.
    double fail_rate = 1;
};

struct Stats {
    std::uint64_t calls = 0;
    std::uint64_t in_flight = 0;
    std::uint64_t max_inflight = 0; ///< the high-water mark since the last reset
};

struct Answer {
    int status;
    std::string body;
};

/// A target without its HTTP: behaves as told and counts what it is asked.
///
/// **Threads.** Every member may be called from any thread at any time.
class Simulator {
  public:
    /// Handles one call; takes as long as the behaviour says.
    ///
    /// @param caller_is_gone  asked from time to time while the call hangs
    /// @return nothing: close the connection without an answer
    [[nodiscard]] std::optional<Answer> handle(const std::function<bool()>& caller_is_gone);

    /// Changes the behaviour for calls to come. Calls that hang are let go, without an answer.
    void set(Behaviour behaviour);
    [[nodiscard]] Behaviour behaviour() const;

    [[nodiscard]] Stats stats() const;
    /// Counts from zero again. The calls in flight stay.
    void reset();

    /// Ends every wait, at once and for good.
    void stop();

  private:
    class Counted;

    /// One call in Mode::slow. @return false: the simulator stops
    [[nodiscard]] bool serve_slowly(std::unique_lock<std::mutex>& lock, const Behaviour& behaviour);

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    Behaviour behaviour_;       // guarded by mutex_
    std::uint64_t changes_ = 0; // guarded by mutex_
    Stats stats_;               // guarded by mutex_
    std::condition_variable has_room_;
    std::uint32_t served_ = 0; // guarded by mutex_; in Mode::slow
    std::mt19937 chance_;      // guarded by mutex_; of a fixed seed
    bool is_stopping_ = false; // guarded by mutex_
};

} // namespace target_simulator

#endif
