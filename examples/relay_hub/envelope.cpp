// SPDX-License-Identifier: MIT
#include "envelope.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <utility>

namespace relay_hub {
namespace {

using nlohmann::json;

constexpr std::size_t max_body_depth = 64;

/// Follows the parser and stops it at the first problem.
class FieldReader final : public json::json_sax_t {
  public:
    explicit FieldReader(std::string_view key) : key_{key} {}

    Field result() && {
        if (field_.problem.empty() && !field_.value)
            field_.problem = "no string \"" + std::string{key_} + "\" in it";
        if (!field_.problem.empty()) field_.value.reset();
        return std::move(field_);
    }

    bool null() override { return other_value(); }
    bool boolean(bool) override { return other_value(); }
    bool number_integer(number_integer_t) override { return other_value(); }
    bool number_unsigned(number_unsigned_t) override { return other_value(); }
    bool number_float(number_float_t, const string_t&) override { return other_value(); }
    bool binary(binary_t&) override { return other_value(); }

    bool string(string_t& value) override {
        if (!is_wanted_) return other_value();
        is_wanted_ = false;
        field_.value = std::move(value);
        return true;
    }

    bool start_object(std::size_t) override { return enter(); }
    bool start_array(std::size_t) override {
        if (depth_ == 0) return fail("not a JSON object");
        return enter();
    }
    bool end_object() override { return leave(); }
    bool end_array() override { return leave(); }

    bool key(string_t& name) override {
        is_wanted_ = depth_ == 1 && name == key_;
        if (is_wanted_ && std::exchange(was_seen_, true))
            return fail("more than one \"" + std::string{key_} + "\"");
        return true;
    }

    bool parse_error(std::size_t position, const std::string&,
                     const nlohmann::detail::exception&) override {
        return fail("not JSON at byte " + std::to_string(position));
    }

  private:
    bool other_value() {
        if (depth_ == 0) return fail("not a JSON object");
        if (is_wanted_) return fail("\"" + std::string{key_} + "\" is not a string");
        return true;
    }

    bool enter() {
        if (is_wanted_) return other_value();
        if (depth_ == max_body_depth) return fail("nested more than 64 deep");
        ++depth_;
        return true;
    }

    bool leave() {
        --depth_;
        return true;
    }

    bool fail(std::string problem) {
        field_.problem = std::move(problem);
        return false;
    }

    std::string_view key_;
    Field field_;
    std::size_t depth_ = 0;
    bool is_wanted_ = false;
    bool was_seen_ = false;
};

} // namespace

Field read_field(std::string_view body, std::string_view key) {
    // The parser takes a zero byte for the end, and what follows it would be forwarded unread.
    if (const auto zero = body.find('\0'); zero != std::string_view::npos)
        return {{}, "not JSON at byte " + std::to_string(zero + 1)};
    FieldReader reader{key};
    // What it returns is what the reader already knows.
    static_cast<void>(json::sax_parse(body.begin(), body.end(), &reader));
    return std::move(reader).result();
}

} // namespace relay_hub
