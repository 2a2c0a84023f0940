// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_BREAKER_DRILL_RESULT_FILES_HPP
#define DASHPOT_EXAMPLES_BREAKER_DRILL_RESULT_FILES_HPP

#include "drill.hpp"

#include <filesystem>
#include <string>

namespace breaker_drill {

/// The files that a run leaves behind. They are all of that run: those of an earlier one go first.
class ResultFiles {
  public:
    /// Makes the directory if need be.
    /// @throws std::runtime_error  it cannot be made, or not be written to
    explicit ResultFiles(const std::filesystem::path& directory);

    /// Who opens this file is to append to it.
    [[nodiscard]] std::filesystem::path transitions() const { return directory_ / "transitions.log"; }

    /// Writes what there is to say of the step: its row of state.json, whose top shows the last step,
    /// and a file that is its own.
    /// @throws std::runtime_error  a file cannot be written
    void add(const StepResult& result);

  private:
    void write(const char* name, const std::string& text) const;

    const std::filesystem::path directory_;
    std::string rows_; // of state.json
};

} // namespace breaker_drill

#endif
