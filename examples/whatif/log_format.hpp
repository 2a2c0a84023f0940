// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_WHATIF_LOG_FORMAT_HPP
#define DASHPOT_EXAMPLES_WHATIF_LOG_FORMAT_HPP

#include "call.hpp"

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace whatif {

/// The names of targets, and a number for each, from 0.
class Targets {
  public:
    [[nodiscard]] std::uint32_t number_of(std::string_view name);
    [[nodiscard]] const std::string& name_of(std::uint32_t number) const { return names_[number]; }
    [[nodiscard]] std::size_t size() const noexcept { return names_.size(); }

  private:
    struct Hash : std::hash<std::string_view> {
        using is_transparent = void;
    };
    std::vector<std::string> names_;
    std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> numbers_;
    std::uint32_t latest_ = 0; // most lines have the target of the line before
};

/// The columns or members that are read, in this order.
enum class Field : std::uint8_t { time, target, outcome, elapsed };
inline constexpr std::array<std::string_view, 4> field_names{"time", "target", "outcome", "elapsed_ms"};

/// How the lines of a log are read.
struct LogOptions {
    std::array<std::string, 4> names{"time", "target", "outcome", "elapsed_ms"}; ///< Of the fields.
    std::array<bool, 4> is_mapped{};                                             ///< Given by --map.
    std::bitset<1000> failure_status{}; ///< The HTTP statuses that are failures.
    std::int64_t max_elapsed = 0;       ///< A longer call is malformed.
};

/// The result of a line: a call, or why it is none.
struct Parsed {
    std::optional<Call> call{};
    const char* why = nullptr; ///< What is wrong; null for a line that is no call and not malformed.
    std::int64_t dropped = 0;  ///< How many lines the line reports as dropped.
};

/// Reads the lines of one file.
class LogFormat {
  public:
    LogFormat() = default;
    LogFormat(const LogFormat&) = delete;
    LogFormat& operator=(const LogFormat&) = delete;
    virtual ~LogFormat() = default;

    [[nodiscard]] virtual Parsed parse(std::string_view line) = 0;
    /// Line breaks may be within quotes.
    [[nodiscard]] virtual bool has_records() const noexcept { return false; }
    /// True once a time with a fraction of a second was read.
    [[nodiscard]] bool has_fractions() const noexcept { return has_fractions_; }

  protected:
    bool has_fractions_ = false;
};

/// Finds out how a file is written from its beginning.
/// @param beginning    the first bytes of the file
/// @param only_target  the target of all lines; empty if the lines name it
/// @param path         for messages
/// @throws LogError, or UsageError for a name of --map that the file has not
[[nodiscard]] std::unique_ptr<LogFormat> detect_format(std::string_view beginning,
                                                       const LogOptions& options, Targets& targets,
                                                       const std::string& only_target,
                                                       const std::string& path);

} // namespace whatif

#endif
