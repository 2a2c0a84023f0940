// SPDX-License-Identifier: MIT
#include "log_format.hpp"

#include "text_values.hpp"

#include "../common/printable.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <utility>

namespace whatif {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

[[nodiscard]] std::optional<Ending> parse_ending(std::string_view text) noexcept {
    if (text == "success") return Ending::success;
    if (text == "failure") return Ending::failure;
    if (text == "ignored") return Ending::ignored;
    if (text == "refused") return Ending::refused;
    if (text == "dropped") return Ending::dropped;
    return {};
}

constexpr std::size_t index_of(Field field) noexcept { return static_cast<std::size_t>(field); }

/// A format whose lines have the four fields as text.
class FieldFormat : public LogFormat {
  public:
    FieldFormat(const LogOptions& options, Targets& targets, const std::string& only_target)
        : options_{options}, targets_{targets} {
        if (!only_target.empty()) only_target_ = targets.number_of(only_target);
    }

  protected:
    using Fields = std::array<std::string_view, 4>;

    [[nodiscard]] Parsed call_of(const Fields& fields) {
        const auto ending = parse_ending(fields[index_of(Field::outcome)]);
        if (!ending) return {{}, "the outcome is none of success, failure, ignored and refused"};
        if (*ending == Ending::dropped) return {{}, nullptr, 1};
        const std::string_view when = fields[index_of(Field::time)];
        const auto end = parse_time(when);
        if (!end) return {{}, "the time is neither RFC 3339 nor seconds since 1970"};
        const auto elapsed = parse_decimal(fields[index_of(Field::elapsed)], 6);
        if (!elapsed || *elapsed < 0) return {{}, "elapsed_ms is no number of milliseconds"};
        if (*elapsed > options_.max_elapsed) return {{}, "the call is longer than --max-elapsed"};
        if (*elapsed > *end) return {{}, "the call began before 1970"};
        const std::string_view target = fields[index_of(Field::target)];
        if (!only_target_ && target.empty()) return {{}, "the target is empty"};
        if (!has_fractions_ && !is_whole_second(when)) has_fractions_ = true;
        return {
            Call{*end, *elapsed, only_target_ ? *only_target_ : targets_.number_of(target), *ending}};
    }

    [[nodiscard]] bool needs(std::size_t field) const noexcept {
        return !(only_target_ && field == index_of(Field::target));
    }

    const LogOptions& options_;
    Targets& targets_;
    std::optional<std::uint32_t> only_target_;
};

/// JSON lines: of dashpot's own log by a scanner, of other programs by the library.
class JsonFormat final : public FieldFormat {
  public:
    using FieldFormat::FieldFormat;

    [[nodiscard]] Parsed parse(std::string_view line) override {
        Fields fields;
        if (scan(line, fields)) return call_of(fields);
        return parse_any(line);
    }

  private:
    /// The members of a flat object without escapes. Returns false for anything else.
    [[nodiscard]] bool scan(std::string_view line, Fields& fields) const noexcept {
        const char* at = line.data();
        const char* const end = at + line.size();
        if (at == end || *at++ != '{') return false;
        unsigned found = 0;
        while (true) {
            if (at == end || *at++ != '"') return false;
            const char* const key = at;
            at = static_cast<const char*>(std::memchr(at, '"', static_cast<std::size_t>(end - at)));
            if (at == nullptr) return false;
            const std::string_view name{key, static_cast<std::size_t>(at++ - key)};
            if (at == end || *at++ != ':' || at == end) return false;
            const char* value = at;
            std::string_view text;
            const bool is_text = *at == '"';
            if (is_text) {
                value = ++at;
                while (at != end && *at != '"') {
                    if (*at == '\\' || static_cast<unsigned char>(*at) < 0x20) return false;
                    if (static_cast<unsigned char>(*at) >= 0x80) return false; // may be no UTF-8
                    ++at;
                }
                if (at == end) return false;
                text = {value, static_cast<std::size_t>(at++ - value)};
            } else {
                while (at != end && *at >= '0' && *at <= '9') ++at;
                if (at == value || (*value == '0' && at - value > 1)) return false;
                if (at != end && *at == '.') {
                    const char* const fraction = ++at;
                    while (at != end && *at >= '0' && *at <= '9') ++at;
                    if (at == fraction) return false;
                }
                text = {value, static_cast<std::size_t>(at - value)};
            }
            if (name.find('\\') != std::string_view::npos) return false;
            for (std::size_t i = 0; i != fields.size(); ++i) {
                if (name != options_.names[i]) continue;
                if ((found & (1U << i)) != 0) return false;
                // Only a time may be either, and a length must be a number.
                const bool must_be_text = i == index_of(Field::outcome) || i == index_of(Field::target);
                if (is_text ? i == index_of(Field::elapsed) : must_be_text) return false;
                fields[i] = text;
                found |= 1U << i;
            }
            if (at == end) return false;
            if (*at == '}') break;
            if (*at++ != ',') return false;
        }
        if (++at != end) return false;
        if (fields[index_of(Field::outcome)] == "dropped") return false; // with its number
        return (found | (needs(index_of(Field::target)) ? 0U : 1U << index_of(Field::target))) == 0xFU;
    }

    [[nodiscard]] Parsed parse_any(std::string_view line) {
        const nlohmann::json object = nlohmann::json::parse(line.begin(), line.end(), nullptr, false);
        if (!object.is_object()) return {{}, "no JSON object"};
        std::array<std::string, 4> texts;
        const auto outcome = object.find(options_.names[index_of(Field::outcome)]);
        if (outcome != object.end() && *outcome == "dropped") {
            const auto dropped = object.find("dropped");
            const bool is_count = dropped != object.end() && dropped->is_number_unsigned();
            return {{}, nullptr, is_count ? dropped->get<std::int64_t>() : 1};
        }
        Fields fields;
        for (std::size_t i = 0; i != fields.size(); ++i) {
            if (!needs(i)) continue;
            const auto member = object.find(options_.names[i]);
            if (member == object.end()) return {{}, missing[i]};
            const bool is_time = i == index_of(Field::time);
            if (member->is_string() && i != index_of(Field::elapsed)) {
                texts[i] = member->get<std::string>();
            } else if (member->is_number() && (is_time || i == index_of(Field::elapsed))) {
                // As it was written: a double has too few digits for the nanoseconds since 1970.
                texts[i] = number_text(line, options_.names[i]).value_or(member->dump());
            } else {
                return {{}, wrong_type[i]};
            }
            fields[i] = texts[i];
        }
        return call_of(fields);
    }

    /// The text of a number behind a key.
    [[nodiscard]] static std::optional<std::string> number_text(std::string_view line,
                                                                const std::string& key) {
        const std::size_t found = line.find("\"" + key + "\"");
        if (found == std::string_view::npos) return {};
        std::size_t at = found + key.size() + 2;
        constexpr std::string_view spaces = " \t\r\n";
        at = line.find_first_not_of(spaces, at);
        if (at == std::string_view::npos || line[at] != ':') return {};
        at = line.find_first_not_of(spaces, at + 1);
        if (at == std::string_view::npos) return {};
        const std::size_t end = line.find_first_not_of("+-.0123456789eE", at);
        return std::string{line.substr(at, end == std::string_view::npos ? end : end - at)};
    }

    static constexpr std::array<const char*, 4> missing{
        "the object has no time", "the object has no target", "the object has no outcome",
        "the object has no elapsed_ms"};
    static constexpr std::array<const char*, 4> wrong_type{
        "the time is neither a string nor a number", "the target is no string",
        "the outcome is no string", "elapsed_ms is no number"};
};

/// CSV by RFC 4180, with a header.
class CsvFormat final : public FieldFormat {
  public:
    using FieldFormat::FieldFormat;

    [[nodiscard]] bool has_records() const noexcept override { return true; }

    /// Reads the header.
    void set_header(std::string_view header, const std::string& path) {
        if (header.starts_with(byte_order_mark)) header.remove_prefix(byte_order_mark.size());
        std::vector<std::string> names;
        if (!split(header, [&](std::size_t, std::string_view text) { names.emplace_back(text); }))
            throw LineError{path + ":1: the quotes of the header do not end"};
        columns_.assign(names.size(), unused);
        for (std::size_t i = 0; i != 4; ++i) {
            const auto found = std::find(names.begin(), names.end(), options_.names[i]);
            if (found != names.end()) {
                columns_[static_cast<std::size_t>(found - names.begin())] =
                    static_cast<std::uint8_t>(i);
            } else if (needs(i)) {
                const std::string text = path + ":1: the header has no column \"" +
                                         example::printable(options_.names[i]) + "\"";
                if (options_.is_mapped[i]) throw UsageError{"--map: " + text};
                throw LineError{text + "; --map names another, for example --map '" +
                                std::string{field_names[i]} + "=" +
                                example::printable(names.empty() ? "" : names.front(), 40) + "'"};
            }
        }
    }

    [[nodiscard]] Parsed parse(std::string_view line) override {
        if (is_header_) {
            is_header_ = false;
            return {};
        }
        Fields fields;
        std::size_t count = 0;
        const bool is_whole = split(line, [&](std::size_t column, std::string_view text) {
            ++count;
            if (column >= columns_.size() || columns_[column] == unused) return;
            const std::size_t field = columns_[column];
            if (is_unescaped_) { // `text` is a buffer that the next field changes
                kept_[field] = text;
                text = kept_[field];
            }
            fields[field] = text;
        });
        if (!is_whole) return {{}, "the quotes are wrong"};
        if (count != columns_.size()) return {{}, "the number of fields is not that of the header"};
        return call_of(fields);
    }

  private:
    static constexpr std::uint8_t unused = 0xFF;

    /// Calls `f` with each field. Returns false if the quotes are wrong.
    template <class F>
    [[nodiscard]] bool split(std::string_view line, F&& f) {
        for (std::size_t column = 0;; ++column) {
            std::size_t end = 0;
            is_unescaped_ = false;
            if (!line.empty() && line.front() == '"') {
                std::size_t from = 1;
                end = line.find('"', from);
                if (end != std::string_view::npos && end + 1 < line.size() && line[end + 1] == '"') {
                    is_unescaped_ = true;
                    unescaped_.clear();
                    while (end != std::string_view::npos && end + 1 < line.size() &&
                           line[end + 1] == '"') {
                        unescaped_.append(line, from, end + 1 - from);
                        from = end + 2;
                        end = line.find('"', from);
                    }
                    if (end != std::string_view::npos) unescaped_.append(line, from, end - from);
                }
                if (end == std::string_view::npos) return false;
                if (end + 1 != line.size() && line[end + 1] != ',') return false;
                f(column, is_unescaped_ ? std::string_view{unescaped_} : line.substr(1, end - 1));
                ++end;
            } else {
                end = std::min(line.find(','), line.size());
                f(column, line.substr(0, end));
            }
            if (end == line.size()) return true;
            line.remove_prefix(end + 1);
        }
    }

    bool is_header_ = true;
    bool is_unescaped_ = false;
    std::string unescaped_;
    std::array<std::string, 4> kept_;
    std::vector<std::uint8_t> columns_;
};

/// Access logs of nginx and Apache.
class AccessFormat final : public LogFormat {
  public:
    AccessFormat(const LogOptions& options, Targets& targets, const std::string& only_target,
                 const std::string& fallback)
        : options_{options}, targets_{targets}, fallback_{fallback} {
        if (!only_target.empty()) only_target_ = targets.number_of(only_target);
    }

    /// Returns true if the line could be one of an access log.
    [[nodiscard]] static bool looks_like(std::string_view line) {
        const std::size_t open = line.find('[');
        return open != std::string_view::npos && open + 27 < line.size() &&
               parse_access_time(line.substr(open + 1, 26)).has_value();
    }

    [[nodiscard]] Parsed parse(std::string_view line) override {
        const std::size_t open = line.find('[');
        const std::size_t close = line.find(']', open == std::string_view::npos ? 0 : open);
        if (open == std::string_view::npos || close == std::string_view::npos)
            return {{}, "no access log line: it has no time in brackets"};
        auto end = parse_access_time(line.substr(open + 1, close - open - 1));
        if (!end) return {{}, "the time in brackets is none"};
        tokens_.clear();
        if (!split(line.substr(close + 1))) return {{}, "the quotes do not end"};
        // The request, the status, the bytes, the referrer, the user agent, and what follows.
        if (tokens_.size() < 3 || !tokens_[0].is_quoted)
            return {{}, "no access log line: the request or the status is missing"};
        auto status = status_of(tokens_[1].text);
        if (!status) return {{}, "the status is no number from 100 to 999"};
        std::size_t next = 3;
        for (int quoted = 0; quoted != 2 && next < tokens_.size() && tokens_[next].is_quoted; ++quoted)
            ++next;
        std::optional<std::int64_t> elapsed;
        std::optional<std::int64_t> exact;
        std::string_view upstream;
        for (; next < tokens_.size(); ++next) {
            std::string_view last = last_of(next);
            if (const std::size_t equals = last.find('='); equals != std::string_view::npos)
                last.remove_prefix(equals + 1);
            while (last.starts_with('"')) last.remove_prefix(1);
            while (last.ends_with('"')) last.remove_suffix(1);
            if (last.empty() || last == "-") continue;
            if (const auto upstream_status = last.size() == 3 ? status_of(last) : std::nullopt) {
                status = upstream_status;
            } else if (const auto number = last.find('.') != std::string_view::npos
                                               ? parse_decimal(last, 9)
                                               : std::nullopt) {
                if (*number >= 100'000'000'000'000'000) {
                    exact = number;
                } else if (!elapsed) {
                    elapsed = number;
                }
            } else if (upstream.empty() && (last.find(':') != std::string_view::npos)) {
                upstream = last;
            }
        }
        if (exact) end = exact;
        if (exact) has_fractions_ = true;
        const std::int64_t length = elapsed.value_or(0);
        if (length < 0) return {{}, "the request time is negative"};
        if (length > options_.max_elapsed) return {{}, "the call is longer than --max-elapsed"};
        if (length > *end) return {{}, "the call began before 1970"};
        const std::uint32_t target = only_target_       ? *only_target_
                                     : upstream.empty() ? targets_.number_of(fallback_)
                                                        : targets_.number_of(upstream);
        const Ending ending = options_.failure_status.test(static_cast<std::size_t>(*status))
                                  ? Ending::failure
                              : *status == 499 ? Ending::ignored
                                               : Ending::success;
        return {Call{*end, length, target, ending}};
    }

  private:
    struct Token {
        std::string_view text;
        bool is_quoted;
    };

    [[nodiscard]] static std::optional<int> status_of(std::string_view text) noexcept {
        const auto number = parse_decimal(text, 0);
        if (text.size() != 3 || !number || *number < 100 || text.find('.') != std::string_view::npos)
            return {};
        return static_cast<int>(*number);
    }

    /// Splits at spaces outside of quotes. A quotation mark after a backslash ends nothing.
    [[nodiscard]] bool split(std::string_view text) {
        while (true) {
            text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
            if (text.empty()) return true;
            if (text.front() != '"') {
                const std::size_t end = std::min(text.find(' '), text.size());
                tokens_.push_back({text.substr(0, end), false});
                text.remove_prefix(end);
                continue;
            }
            std::size_t end = 1;
            while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2U : 1U;
            if (end >= text.size()) return false;
            tokens_.push_back({text.substr(1, end - 1), true});
            text.remove_prefix(end + 1);
        }
    }

    /// The last of several values, `502, 200` or `a, b : c`, which are one token each or one in quotes.
    /// Moves `next` to the last token of them.
    [[nodiscard]] std::string_view last_of(std::size_t& next) const {
        while (next + 1 < tokens_.size() && !tokens_[next].is_quoted &&
               (tokens_[next].text.ends_with(',') || tokens_[next + 1].text == ":" ||
                tokens_[next].text == ":"))
            ++next;
        const std::string_view text = tokens_[next].text;
        const std::size_t space = text.rfind(' ');
        return space == std::string_view::npos ? text : text.substr(space + 1);
    }

    const LogOptions& options_;
    Targets& targets_;
    std::string fallback_;
    std::optional<std::uint32_t> only_target_;
    std::vector<Token> tokens_;
};

} // namespace

std::uint32_t Targets::number_of(std::string_view name) {
    if (latest_ < names_.size() && names_[latest_] == name) return latest_;
    const auto found = numbers_.find(name);
    if (found != numbers_.end()) return latest_ = found->second;
    latest_ = static_cast<std::uint32_t>(names_.size());
    names_.emplace_back(name);
    numbers_.emplace(names_.back(), latest_);
    return latest_;
}

std::unique_ptr<LogFormat> detect_format(std::string_view beginning, const LogOptions& options,
                                         Targets& targets, const std::string& only_target,
                                         const std::string& path) {
    std::string_view rest = beginning;
    if (rest.starts_with(byte_order_mark)) rest.remove_prefix(byte_order_mark.size());
    bool is_access = false;
    for (int line = 0; line != 20 && !rest.empty(); ++line) {
        const std::string_view text = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(text.size() + 1, rest.size()));
        if (text.starts_with('{')) return std::make_unique<JsonFormat>(options, targets, only_target);
        is_access = is_access || AccessFormat::looks_like(text);
    }
    if (is_access) {
        const std::string stem = std::filesystem::path{path}.stem().string();
        return std::make_unique<AccessFormat>(options, targets, only_target, stem);
    }
    auto csv = std::make_unique<CsvFormat>(options, targets, only_target);
    // Blank lines are passed over, here as in read_calls().
    beginning.remove_prefix(std::min(beginning.find_first_not_of("\r\n"), beginning.size()));
    std::string_view header = beginning.substr(0, beginning.find('\n'));
    if (header.ends_with('\r')) header.remove_suffix(1);
    if (!beginning.empty()) csv->set_header(header, example::printable(path));
    return csv;
}

} // namespace whatif
