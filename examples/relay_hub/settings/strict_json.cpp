// SPDX-License-Identifier: MIT
#include "strict_json.hpp"

#include "../../common/printable.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace relay_hub {
namespace {

using nlohmann::json;

constexpr std::size_t max_config_depth = 64;

/// Follows the parser ahead of the one that builds. What is no JSON is left to that one.
class Check final : public json::json_sax_t {
  public:
    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }

    bool start_object(std::size_t) override { return enter(); }
    bool start_array(std::size_t) override { return enter(); }
    bool end_object() override { return leave(); }
    bool end_array() override { return leave(); }

    bool key(string_t& name) override {
        if (!keys_.back().insert(name).second)
            throw std::invalid_argument{"key '" + example::printable(name, 80) + "' is there twice"};
        return true;
    }

    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
        return false;
    }

  private:
    bool enter() {
        if (keys_.size() == max_config_depth)
            throw std::invalid_argument{"is nested more than 64 deep"};
        keys_.emplace_back();
        return true;
    }

    bool leave() {
        keys_.pop_back();
        return true;
    }

    std::vector<std::set<std::string>> keys_; // of each object, or array, that is open
};

} // namespace

json parse_strictly(std::string_view text) {
    if (text.find('\0') != std::string_view::npos)
        throw std::invalid_argument{"is not JSON: there is a zero byte in it"};
    Check check;
    static_cast<void>(json::sax_parse(text.begin(), text.end(), &check));
    try {
        return json::parse(text);
    } catch (const json::exception& error) {
        throw std::invalid_argument{std::string{"is not JSON: "} + error.what()};
    }
}

} // namespace relay_hub
