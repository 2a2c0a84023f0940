// SPDX-License-Identifier: MIT
#include "envelope.hpp"

#include "json_scan.hpp"

#include <array>
#include <cstddef>
#include <utility>

namespace relay_hub {
namespace {

constexpr std::size_t max_body_depth = 64;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// Walks through the body and stops at the first problem.
class FieldReader {
  public:
    FieldReader(std::string_view body, std::string_view key) : scan_{body}, key_{key} {}

    Field read() && {
        if (walk() && !field_.value) field_.problem = "no string \"" + std::string{key_} + "\" in it";
        if (!field_.problem.empty()) field_.value.reset();
        return std::move(field_);
    }

  private:
    bool walk() {
        if (scan_.peek() != '{') return fail_without_object();
        if (!value(false)) return false;
        while (depth_ > 0)
            if (!step()) return false;
        return scan_.is_at_end() || fail_to_parse();
    }

    /// A member, an element, or the end of the innermost object or array.
    bool step() {
        const bool is_object = is_object_[depth_ - 1];
        const bool is_first = std::exchange(is_first_, false);
        if (scan_.take(is_object ? '}' : ']')) {
            --depth_;
            return true;
        }
        if (!is_first && !scan_.take(',')) return fail_to_parse();
        bool is_wanted = false;
        if (is_object && !key(is_wanted)) return false;
        return value(is_wanted);
    }

    bool key(bool& is_wanted) {
        if (depth_ == 1) {
            if (!scan_.string(name_)) return fail_to_parse();
            is_wanted = name_ == key_;
        } else if (!scan_.skip_string()) {
            return fail_to_parse();
        }
        if (!scan_.take(':')) return fail_to_parse();
        if (is_wanted && std::exchange(was_seen_, true))
            return fail("more than one \"" + std::string{key_} + "\"");
        return true;
    }

    bool value(bool is_wanted) {
        const char first = scan_.peek();
        if (is_wanted) return wanted_value(first);
        if (first == '{' || first == '[') return enter(first);
        const bool is_valid = first == '"' ? scan_.skip_string() : scan_.skip_scalar();
        return is_valid || fail_to_parse();
    }

    bool wanted_value(char first) {
        const std::string name = "\"" + std::string{key_} + "\"";
        if (first != '"') return fail(name + " is not a string");
        if (!scan_.string(field_.value.emplace())) return fail_to_parse();
        if (scan_.has_lone_surrogate()) return fail(name + " is not Unicode text");
        return true;
    }

    bool enter(char first) {
        if (depth_ == max_body_depth) return fail("nested more than 64 deep");
        is_object_[depth_++] = first == '{';
        is_first_ = true;
        return scan_.take(first);
    }

    bool fail_without_object() {
        const char first = scan_.peek();
        const bool is_other =
            first == '[' || (first == '"' ? scan_.skip_string() : scan_.skip_scalar());
        return is_other ? fail("not a JSON object") : fail_to_parse();
    }

    bool fail_to_parse() { return fail("not JSON at byte " + std::to_string(scan_.position())); }

    bool fail(std::string problem) {
        field_.problem = std::move(problem);
        return false;
    }

    JsonScan scan_;
    std::string_view key_;
    Field field_;
    std::string name_;
    std::array<bool, max_body_depth> is_object_{}; // of each object or array that is open
    std::size_t depth_ = 0;
    bool is_first_ = false; // nothing was read since the innermost was opened
    bool was_seen_ = false;
};

} // namespace

Field read_field(std::string_view body, std::string_view key) {
    if (body.starts_with(byte_order_mark)) body.remove_prefix(byte_order_mark.size());
    return FieldReader{body, key}.read();
}

} // namespace relay_hub
