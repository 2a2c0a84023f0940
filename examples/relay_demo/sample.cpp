// SPDX-License-Identifier: MIT
#include "sample.hpp"

#include <algorithm>
#include <cmath>

namespace relay_demo {
namespace {

using Times = std::vector<std::chrono::nanoseconds>;

std::chrono::nanoseconds percentile_of(Times times, double rate) {
    if (times.empty()) return {};
    const auto rank = static_cast<std::size_t>(std::ceil(rate * static_cast<double>(times.size())));
    const auto position =
        static_cast<std::ptrdiff_t>(std::clamp<std::size_t>(rank, 1, times.size()) - 1);
    std::ranges::nth_element(times, times.begin() + position);
    return times[static_cast<std::size_t>(position)];
}

} // namespace

void Sample::add(const Sample& other) {
    for (const auto& [code, times] : other.times_) {
        Times& own = times_[code];
        own.insert(own.end(), times.begin(), times.end());
    }
}

void Sample::copy_to(Sample& other, std::string_view code) const {
    const auto found = times_.find(code);
    if (found == times_.end()) return;
    for (const auto took : found->second) other.add(found->first, took);
}

std::size_t Sample::count() const {
    std::size_t sum = 0;
    for (const auto& [code, times] : times_) sum += times.size();
    return sum;
}

std::size_t Sample::count(std::string_view code) const {
    const auto found = times_.find(code);
    return found == times_.end() ? 0 : found->second.size();
}

double Sample::rate(std::string_view code) const {
    const std::size_t all = count();
    return all == 0 ? 1.0 : static_cast<double>(count(code)) / static_cast<double>(all);
}

std::chrono::nanoseconds Sample::percentile(double rate) const {
    Times all;
    for (const auto& [code, times] : times_) all.insert(all.end(), times.begin(), times.end());
    return percentile_of(std::move(all), rate);
}

std::chrono::nanoseconds Sample::percentile(double rate, std::string_view code) const {
    const auto found = times_.find(code);
    return found == times_.end() ? std::chrono::nanoseconds{} : percentile_of(found->second, rate);
}

std::string Sample::codes() const {
    std::string text;
    for (const auto& [code, times] : times_)
        text += (text.empty() ? "" : ", ") + (code.empty() ? "no answer" : code) + " " +
                std::to_string(times.size());
    return text;
}

} // namespace relay_demo
