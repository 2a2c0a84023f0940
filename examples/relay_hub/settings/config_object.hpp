// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_SETTINGS_CONFIG_OBJECT_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_SETTINGS_CONFIG_OBJECT_HPP

#include "../../common/printable.hpp"
#include "settings.hpp"

#include <nlohmann/json.hpp>

#include <set>
#include <stdexcept>
#include <string>
#include <utility>

namespace relay_hub {

/// What is wrong with a config file, and where: the text names the file and the key. Whatever the file
/// holds, it is a line that can be read.
class ConfigError : public std::invalid_argument {
  public:
    ConfigError(const std::string& place, const std::string& problem)
        : std::invalid_argument{place + ": " + example::printable(problem)} {}
};

/// One object of a config file. Its members are read each by its name; what nobody asked for is an
/// error.
///
/// **Errors.** Whatever std::invalid_argument a conversion throws becomes a ConfigError that names the
/// member.
class ConfigObject {
  public:
    /// The whole of a file. @throws ConfigError  it is no object
    [[nodiscard]] static ConfigObject root(const std::string& path, const nlohmann::json& value) {
        return {path, path + ": ", value};
    }

    /// Converts the member, if there is one, into the field.
    template <class Field, class Convert>
    void read(const std::string& key, Field& field, Convert convert) {
        known_.insert(key);
        const auto found = object_.find(key);
        if (found == object_.end()) return;
        try {
            field = convert(*found);
        } catch (const ConfigError&) { // from further in, and knows its place
            throw;
        } catch (const std::invalid_argument& error) {
            reject(key, error.what());
        }
    }

    /// The same for a member that is an object itself.
    template <class Field, class Convert>
    void read_object(const std::string& key, Field& field, Convert convert) {
        read(key, field, [&](const nlohmann::json& value) { return convert(inside(key, value)); });
    }

    /// The same for a member that must be there.
    template <class Field, class Convert>
    void read_required(const std::string& key, Field& field, Convert convert) {
        if (!object_.contains(key)) reject(key, "missing");
        read(key, field, convert);
    }

    /// A member that is an object.
    [[nodiscard]] ConfigObject inside(const std::string& key, const nlohmann::json& value) const {
        return {prefix_ + example::printable(key), prefix_ + example::printable(key) + ".", value};
    }

    [[nodiscard]] const nlohmann::json& members() const noexcept { return object_; }

    /// Says that something is wrong with the object as a whole.
    [[noreturn]] void reject(const std::string& problem) const { throw ConfigError{place_, problem}; }
    /// Says that something is wrong with the member.
    [[noreturn]] void reject(const std::string& key, const std::string& problem) const {
        throw ConfigError{prefix_ + example::printable(key), problem};
    }

    /// To be called when all is read. @throws ConfigError  there is a member that nobody read
    void finish() const {
        for (const auto& [key, value] : object_.items())
            if (!known_.contains(key)) reject(key, "unknown key");
    }

  private:
    ConfigObject(std::string place, std::string prefix, const nlohmann::json& value)
        : place_{std::move(place)}, prefix_{std::move(prefix)}, object_{value} {
        if (!object_.is_object()) reject("must be an object");
    }

    std::string place_;
    std::string prefix_; // of the places of its members
    const nlohmann::json& object_;
    std::set<std::string> known_;
};

// Conversions. All throw std::invalid_argument, whose text says what was expected.

[[nodiscard]] inline std::string to_text(const nlohmann::json& value) {
    if (!value.is_string()) throw std::invalid_argument{"must be a string"};
    return value.get<std::string>();
}

[[nodiscard]] inline double to_number(const nlohmann::json& value) {
    if (!value.is_number()) throw std::invalid_argument{"must be a number"};
    return value.get<double>();
}

/// A conversion to a whole number in that range.
[[nodiscard]] inline auto to_count(CountRange range) {
    return [range](const nlohmann::json& value) {
        if (!value.is_number_integer()) throw std::invalid_argument{"must be a whole number"};
        return parse_count(value.dump(), range);
    };
}

/// A conversion from a number of seconds in that range.
[[nodiscard]] inline auto to_duration(SecondsRange range) {
    return [range](const nlohmann::json& value) {
        if (!value.is_number()) throw std::invalid_argument{"must be a number of seconds"};
        return from_seconds(value.get<double>(), range);
    };
}

} // namespace relay_hub

#endif
