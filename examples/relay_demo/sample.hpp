// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_DEMO_SAMPLE_HPP
#define DASHPOT_EXAMPLES_RELAY_DEMO_SAMPLE_HPP

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace relay_demo {

/// How long the answers took, and how many there were of each code.
class Sample {
  public:
    void add(const std::string& code, std::chrono::nanoseconds took) { times_[code].push_back(took); }
    void add(const Sample& other);
    /// Adds the answers with that code to another sample.
    void copy_to(Sample& other, std::string_view code) const;

    [[nodiscard]] std::size_t count() const;
    [[nodiscard]] std::size_t count(std::string_view code) const;
    /// The part of the answers with that code, 1 if there was none at all.
    [[nodiscard]] double rate(std::string_view code) const;
    /// The time that the part `rate` of all answers, or of those with that code, did not exceed.
    [[nodiscard]] std::chrono::nanoseconds percentile(double rate) const;
    [[nodiscard]] std::chrono::nanoseconds percentile(double rate, std::string_view code) const;

    /// "0000 3, E904 17"
    [[nodiscard]] std::string codes() const;

  private:
    std::map<std::string, std::vector<std::chrono::nanoseconds>, std::less<>> times_;
};

} // namespace relay_demo

#endif
