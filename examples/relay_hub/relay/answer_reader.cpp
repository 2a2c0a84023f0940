// SPDX-License-Identifier: MIT
#include "answer_reader.hpp"

#include "ascii.hpp"
#include "retry_after.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

namespace relay_hub {
namespace {

constexpr const char* too_large = "the answer is too large";
constexpr const char* not_http = "the answer is not HTTP";

bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }

std::string_view trim(std::string_view text) noexcept {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

bool is_same(std::string_view text, std::string_view expected) noexcept {
    return std::ranges::equal(text, expected, {}, to_lower);
}

/// Anything but a control character may be in a line.
bool is_line(std::string_view text) noexcept {
    return std::ranges::all_of(text, [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return (byte >= 0x20 && byte != 0x7F) || c == '\t';
    });
}

bool is_name(std::string_view text) noexcept {
    constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
    return !text.empty() && std::ranges::all_of(text, [&](char c) {
        const char small = to_lower(c);
        return is_digit(c) || (small >= 'a' && small <= 'z') || marks.find(c) != std::string_view::npos;
    });
}

/// Digits of that base and nothing else: from_chars() alone would take a sign.
std::optional<std::uint64_t> number_in(std::string_view text, int base = 10) noexcept {
    if (text.empty() || text.front() == '-') return std::nullopt;
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [parsed, error] = std::from_chars(text.data(), end, value, base);
    if (error != std::errc{} || parsed != end) return std::nullopt;
    return value;
}

/// Takes the next element of a list from its front.
std::string_view take_element(std::string_view& list) noexcept {
    const auto comma = std::min(list.find(','), list.size());
    const std::string_view element = trim(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
    return element;
}

} // namespace

std::size_t AnswerReader::feed(std::string_view bytes) {
    const std::size_t size = bytes.size();
    while (!bytes.empty() && !is_done()) {
        const bool is_body = stage_ == Stage::body_of_length || stage_ == Stage::body_until_end ||
                             stage_ == Stage::chunk;
        is_body ? take_body(bytes) : take_line(bytes);
    }
    return size - bytes.size();
}

void AnswerReader::end() {
    if (stage_ == Stage::body_until_end)
        stage_ = Stage::complete;
    else if (!is_done())
        fail("the connection ended before the answer did");
}

bool AnswerReader::may_be_kept() const noexcept {
    // Where only the end of the connection ends the body, no other answer can follow.
    const bool has_end = is_chunked_ || length_ || status_ == 204 || status_ == 304;
    return is_complete() && has_end && !says_close_ && (!is_http_1_0_ || says_keep_alive_);
}

void AnswerReader::take_line(std::string_view& bytes) {
    constexpr std::string_view beginning = "HTTP/1.";
    const bool is_framing = stage_ == Stage::chunk_size || stage_ == Stage::chunk_end;
    std::size_t& used = is_framing ? framing_ : head_;
    const std::size_t limit = is_framing ? max_framing + framing_per_byte * body_.size() : max_head;
    const auto line_end = bytes.find('\n');
    const std::size_t size = line_end == std::string_view::npos ? bytes.size() : line_end + 1;
    if (size > limit - used) return fail(too_large);
    used += size;
    line_.append(bytes.substr(0, size));
    bytes.remove_prefix(size);
    if (stage_ == Stage::status_line &&
        !beginning.starts_with(std::string_view{line_}.substr(0, beginning.size())))
        return fail(not_http);
    if (line_end == std::string_view::npos) return;
    std::string line = std::exchange(line_, {});
    if (!line.ends_with("\r\n")) return fail(not_http);
    line.resize(line.size() - 2);
    if (!is_line(line)) return fail(not_http);
    on_line(line);
}

void AnswerReader::take_body(std::string_view& bytes) {
    const bool has_length = stage_ != Stage::body_until_end;
    const auto size = static_cast<std::size_t>(
        has_length ? std::min<std::uint64_t>(bytes.size(), missing_) : bytes.size());
    if (size > max_body - body_.size()) return fail(too_large);
    body_.append(bytes.substr(0, size));
    bytes.remove_prefix(size);
    if (!has_length) return;
    missing_ -= size;
    if (missing_ == 0) stage_ = stage_ == Stage::chunk ? Stage::chunk_end : Stage::complete;
}

void AnswerReader::on_line(std::string_view line) {
    switch (stage_) {
    case Stage::status_line: return on_status_line(line);
    case Stage::fields:
    case Stage::trailer: return on_field_line(line);
    case Stage::chunk_size: return on_chunk_size(line);
    default:
        if (!line.empty()) return fail("a chunk of the answer does not end where it says");
        stage_ = Stage::chunk_size;
    }
}

void AnswerReader::on_status_line(std::string_view line) {
    // "HTTP/1.1 200 OK". The reason may be missing, and often the space before it is too.
    constexpr std::size_t shortest = 12;
    if (line.size() < shortest || !is_digit(line[7]) || line[8] != ' ' ||
        (line.size() > shortest && line[shortest] != ' '))
        return fail(not_http);
    const auto status = number_in(line.substr(9, 3));
    if (!status || *status < 100) return fail(not_http);
    status_ = static_cast<int>(*status);
    is_http_1_0_ = line[7] == '0';
    stage_ = Stage::fields;
}

void AnswerReader::on_field_line(std::string_view line) {
    // Of old, a line that begins with a space went on with the field before.
    if (!line.empty() && is_blank(line.front())) {
        if (field_.empty()) return fail(not_http);
        field_ += ' ';
        field_ += trim(line);
        return;
    }
    if (!field_.empty()) on_field();
    if (is_broken()) return;
    field_ = line;
    if (!line.empty()) return;
    head_ = 0;
    if (stage_ == Stage::trailer)
        stage_ = Stage::complete;
    else
        on_end_of_head();
}

void AnswerReader::on_field() {
    const std::string field = std::exchange(field_, {});
    const std::string_view text = field;
    const auto colon = text.find(':');
    if (colon == std::string_view::npos) return fail(not_http);
    const std::string_view name = trim(text.substr(0, colon));
    const std::string_view value = trim(text.substr(colon + 1));
    if (!is_name(name)) return fail(not_http);
    if (stage_ == Stage::trailer) return;
    if (is_same(name, "content-length")) return on_length(value);
    if (is_same(name, "connection")) return on_connection(value);
    if (is_same(name, "keep-alive")) return on_keep_alive(value);
    if (is_same(name, "retry-after")) return on_retry_after(value);
    if (is_same(name, "transfer-encoding")) {
        // No other coding was asked for, and after one that the hub does not know no end is certain.
        if (is_chunked_ || !is_same(value, "chunked"))
            return fail("the answer has a transfer coding that the hub does not know");
        is_chunked_ = true;
    }
}

void AnswerReader::on_length(std::string_view value) {
    if (value.ends_with(',')) return fail("the length of the answer is no number");
    do {
        const auto length = number_in(take_element(value));
        if (!length) return fail("the length of the answer is no number");
        if (length_ && *length_ != *length) return fail("the answer has two lengths");
        length_ = length;
    } while (!value.empty());
}

void AnswerReader::on_connection(std::string_view value) {
    while (!value.empty()) {
        const std::string_view option = take_element(value);
        says_close_ = says_close_ || is_same(option, "close");
        says_keep_alive_ = says_keep_alive_ || is_same(option, "keep-alive");
    }
}

void AnswerReader::on_keep_alive(std::string_view value) {
    constexpr std::string_view timeout = "timeout=";
    says_keep_alive_ = true;
    while (!value.empty()) {
        const std::string_view parameter = take_element(value);
        if (is_same(parameter, "max=0")) says_close_ = true;
        if (!is_same(parameter.substr(0, timeout.size()), timeout)) continue;
        if (const auto seconds = number_in(parameter.substr(timeout.size())))
            kept_for_ = std::chrono::seconds{std::min<std::uint64_t>(*seconds, 86400)};
    }
}

void AnswerReader::on_retry_after(std::string_view value) {
    const bool is_only_one = !std::exchange(has_retry_after_, true);
    retry_after_ = is_only_one && is_retry_after(value) ? value : std::string_view{};
}

void AnswerReader::on_end_of_head() {
    if (status_ == 101) return fail("the target changes to another protocol");
    if (status_ < 200) {
        if (++interim_ > max_interim) return fail("too many interim answers");
        const std::size_t interim = interim_;
        *this = AnswerReader{};
        interim_ = interim;
        return;
    }
    if (is_chunked_ && length_) return fail("the answer has two lengths");
    if (is_chunked_ && is_http_1_0_)
        return fail("the answer has a transfer coding that its version of HTTP does not know");
    if (status_ == 204 || status_ == 304)
        stage_ = Stage::complete;
    else if (is_chunked_)
        stage_ = Stage::chunk_size;
    else if (length_)
        expect_body(*length_, Stage::body_of_length);
    else
        stage_ = Stage::body_until_end;
}

void AnswerReader::on_chunk_size(std::string_view line) {
    const auto size = number_in(trim(line.substr(0, line.find(';'))), 16);
    if (!size) return fail("the size of a chunk is no number");
    if (*size == 0)
        stage_ = Stage::trailer;
    else
        expect_body(*size, Stage::chunk);
}

void AnswerReader::expect_body(std::uint64_t size, Stage stage) {
    if (size > max_body - body_.size()) return fail(too_large);
    missing_ = size;
    stage_ = size == 0 ? Stage::complete : stage;
}

void AnswerReader::fail(std::string problem) {
    stage_ = Stage::broken;
    problem_ = std::move(problem);
}

} // namespace relay_hub
