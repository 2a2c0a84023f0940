// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_COMMON_CHUNKED_BODY_HPP
#define DASHPOT_EXAMPLES_COMMON_CHUNKED_BODY_HPP

#include "http_message.hpp"

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace example {

/// Reads a body that comes in chunks.
///
/// **Contract.** Extensions and trailers are checked for their form and dropped. All bytes that are not
/// body have a limit of their own. The limit grows with the body, so that small chunks fit.
/// **Threads.** A value.
/// **Source.** RFC 9112, 7.1.
class ChunkedBody {
  public:
    /// How many bytes all that is not body may have, beside framing_per_byte for each byte of the body.
    static constexpr std::size_t max_framing = 64 * 1024;
    static constexpr std::size_t framing_per_byte = 8; // a chunk of one byte needs 5
    static constexpr std::size_t max_line = 8 * 1024;

    /// @param max_body  how many bytes the chunks may have together
    explicit ChunkedBody(std::size_t max_body) : room_{max_body} {}

    /// Takes bytes up to the end of the body, or to the first that is wrong. Appends what is body.
    /// @return how many were taken; the rest is the next request's
    std::size_t feed(std::string_view bytes, std::string& body) {
        std::size_t taken = 0;
        while (taken < bytes.size() && part_ != Part::end && !problem_) {
            if (part_ != Part::data) {
                take(bytes[taken++]);
                continue;
            }
            const std::string_view piece = bytes.substr(taken, left_);
            body.append(piece);
            left_ -= piece.size();
            framing_room_ += framing_per_byte * piece.size();
            taken += piece.size();
            if (left_ == 0) part_ = Part::end_of_data;
        }
        return taken;
    }

    [[nodiscard]] bool is_complete() const noexcept { return part_ == Part::end; }
    [[nodiscard]] const std::optional<HttpProblem>& problem() const noexcept { return problem_; }

  private:
    enum class Part : unsigned char { size, data, end_of_data, trailer, end };

    void fail(int status, std::string text) { problem_ = HttpProblem{status, std::move(text)}; }

    void take(char c) {
        if (framing_room_ == 0 || line_.size() == max_line) return fail(413, "the body is too large");
        --framing_room_;
        if (has_return_ != (c == '\n'))
            return fail(400, "a line of the chunked body does not end in CRLF");
        if (c == '\r') {
            has_return_ = true;
        } else if (c == '\n') {
            has_return_ = false;
            end_line();
            line_.clear();
        } else if (c == '\x7f' || (c >= '\0' && c < ' ' && c != '\t')) {
            fail(400, "a control character in the chunked body");
        } else if (part_ == Part::end_of_data) {
            fail(400, "a chunk that is longer than it says");
        } else {
            line_ += c;
        }
    }

    void end_line() {
        if (part_ == Part::size) return end_size();
        if (part_ == Part::end_of_data) {
            part_ = Part::size;
        } else if (line_.empty()) {
            part_ = Part::end;
        } else if (!is_token(std::string_view{line_}.substr(0, line_.find(':'))) ||
                   line_.find(':') == std::string::npos) {
            fail(400, "a trailer that has no name");
        }
    }

    void end_size() {
        std::size_t size = 0;
        const char* const last = line_.data() + line_.size();
        const auto [end, error] = std::from_chars(line_.data(), last, size, 16);
        if (error == std::errc::invalid_argument || !is_extension({end, last}))
            return fail(400, "the size of a chunk is no number");
        if (error == std::errc::result_out_of_range || size > room_)
            return fail(413, "the body is too large");
        room_ -= size;
        left_ = size;
        part_ = size == 0 ? Part::trailer : Part::data;
    }

    /// Returns true if nothing follows the size, or a semicolon and a name.
    [[nodiscard]] static bool is_extension(std::string_view text) {
        if (text.empty()) return true;
        text = without_blanks(text);
        if (!text.starts_with(';')) return false;
        text = without_blanks(text.substr(1));
        return !text.empty() && is_token_character(text.front());
    }

    std::size_t room_;
    std::size_t left_ = 0;
    std::size_t framing_room_ = max_framing; // for bytes that are not body
    std::string line_;
    std::optional<HttpProblem> problem_;
    Part part_ = Part::size;
    bool has_return_ = false;
};

} // namespace example

#endif
