// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_SOAK_WALL_CLOCK_HPP
#define DASHPOT_TESTS_SOAK_WALL_CLOCK_HPP

#include <chrono>
#include <filesystem>

namespace soak {

/// The wall clock of the programs that are started after this was made, in clock_shift.cpp.
class WallClock {
  public:
    /// @param library  clock_shift, as built
    /// @param file     where the shift is kept
    WallClock(const std::filesystem::path& library, std::filesystem::path file);

    /// Sets their clock to that much after ours, at once.
    void shift(std::chrono::seconds by) const;

  private:
    const std::filesystem::path file_;
};

} // namespace soak

#endif
