// SPDX-License-Identifier: MIT
#ifndef DASHPOT_ADAPTER_PROMETHEUS_TEXT_HPP
#define DASHPOT_ADAPTER_PROMETHEUS_TEXT_HPP

#include <dashpot/adapter/detail/media_range.hpp>
#include <dashpot/adapter/guard_metrics.hpp>
#include <dashpot/core/abi.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace dashpot::inline DASHPOT_ABI {

/// The two text formats that a Prometheus server reads.
enum class PrometheusFormat : std::uint8_t {
    text,        ///< Prometheus' own format, version 0.0.4.
    openmetrics, ///< OpenMetrics, version 1.0.0.
};

/// Returns "text" or "openmetrics".
[[nodiscard]] constexpr std::string_view to_string(PrometheusFormat format) noexcept {
    switch (format) {
    case PrometheusFormat::text: return "text";
    case PrometheusFormat::openmetrics: return "openmetrics";
    }
    return "unknown";
}

/// Writes to_string().
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                             PrometheusFormat format) {
    return out << to_string(format);
}

/// Returns the value of the header Content-Type for the format.
[[nodiscard]] constexpr std::string_view content_type(PrometheusFormat format) noexcept {
    return format == PrometheusFormat::openmetrics
               ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
               : "text/plain; version=0.0.4; charset=utf-8";
}

/// Returns the format for a client that sent this header Accept. The result is OpenMetrics if the
/// header names OpenMetrics and prefers it to plain text or accepts both equally. Otherwise it is
/// Prometheus' own format.
[[nodiscard]] inline PrometheusFormat accepted_format(std::string_view accept) {
    const auto openmetrics = detail::preference_of("application/openmetrics-text", accept);
    const auto text = detail::preference_of("text/plain", accept);
    const bool is_named = openmetrics.closeness == 3 && openmetrics.quality > 0;
    return is_named && openmetrics.quality >= text.quality ? PrometheusFormat::openmetrics
                                                           : PrometheusFormat::text;
}

namespace detail {

/// Writes the metrics of a GuardMetrics as text.
class PrometheusWriter {
  public:
    explicit PrometheusWriter(PrometheusFormat format) : format_{format} {}

    void family(const MetricFamily& family) {
        const bool is_counter = family.type == MetricFamily::Type::counter;
        name_ = family.name;
        // In OpenMetrics the suffix `_total` belongs to a counter's sample, not to its family.
        std::string_view title = family.name;
        if (is_openmetrics() && is_counter) title.remove_suffix(total.size());
        append({"# HELP ", title, " ", family.help, "\n"});
        append({"# TYPE ", title, is_counter ? " counter\n" : " gauge\n"});
        if (is_openmetrics() && !family.unit.empty())
            append({"# UNIT ", title, " ", family.unit, "\n"});
    }

    void sample(std::span<const MetricLabel> labels, double value) {
        text_ += name_;
        char before = '{';
        for (const MetricLabel& label : labels) {
            text_ += before;
            append({label.name, "=\""});
            append_escaped(label.value);
            text_ += '"';
            before = ',';
        }
        if (!labels.empty()) text_ += '}';
        text_ += ' ';
        append_number(value);
        text_ += '\n';
    }

    [[nodiscard]] std::string finish() && {
        if (is_openmetrics()) text_ += "# EOF\n";
        return std::move(text_);
    }

  private:
    static constexpr std::string_view total = "_total";

    [[nodiscard]] bool is_openmetrics() const noexcept {
        return format_ == PrometheusFormat::openmetrics;
    }

    void append(std::initializer_list<std::string_view> parts) {
        for (const std::string_view part : parts) text_ += part;
    }

    void append_escaped(std::string_view value) {
        for (const char c : value) {
            switch (c) {
            case '\\': text_ += "\\\\"; break;
            case '"': text_ += "\\\""; break;
            case '\n': text_ += "\\n"; break;
            default: text_ += c;
            }
        }
    }

    /// Appends the shortest text that reads back as the same double. Whole numbers are written as
    /// integers, because most values are whole numbers.
    void append_number(double value) {
        constexpr double exact = 9007199254740992.0; // 2^53: every whole number up to it is a double
        std::array<char, 32> digits{};
        char* const end = digits.data() + digits.size();
        const auto written = std::trunc(value) == value && std::abs(value) <= exact
                                 ? std::to_chars(digits.data(), end, static_cast<std::int64_t>(value))
                                 : std::to_chars(digits.data(), end, value);
        text_.append(digits.data(), written.ptr);
    }

    const PrometheusFormat format_;
    std::string_view name_;
    std::string text_;
};

} // namespace detail

/// Returns the page that a Prometheus server scrapes.
///
///     response.set_content(to_prometheus_text(dashpot::GuardMetrics{targets, changes}), …);
///
/// **Contract.** The page contains each family once, with HELP, TYPE and all its series. A backslash,
/// quote or line feed in a label is escaped. There is no NaN. Send the page with content_type().
/// **Cost.** Each sample takes about 100 bytes.
/// **Source.** Prometheus, "Exposition formats"; OpenMetrics 1.0.0.
[[nodiscard]] inline std::string to_prometheus_text(const GuardMetrics& metrics,
                                                    PrometheusFormat format = PrometheusFormat::text) {
    detail::PrometheusWriter writer{format};
    metrics.visit(writer);
    return std::move(writer).finish();
}

} // namespace dashpot::inline DASHPOT_ABI

#endif
