// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_RELAY_ANSWER_READER_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_RELAY_ANSWER_READER_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace relay_hub {

/// Reads the answer to one POST from the bytes of a connection (RFC 9112).
///
/// What an answer may have and the hub has no use for is skipped: interim answers (1xx) before it,
/// fields, extensions of chunks, and trailer fields. Where its body ends must be beyond doubt: two
/// lengths, or one that is no number, make the answer broken, since two readers could take two answers
/// for it.
///
/// **Contract.** feed() what comes, end() when no more can come, until is_done(). The body is bounded
/// by `max_body`, each head and the trailer by `max_head`, all lines between chunks together by
/// `max_framing` and `framing_per_byte` for each byte of the body, and there are at most `max_interim`
/// interim answers.
/// **Threads.** One thread per object.
class AnswerReader {
  public:
    static constexpr std::size_t max_head = 8 * 1024;
    static constexpr std::size_t max_body = 1024 * 1024;
    static constexpr std::size_t max_framing = 64 * 1024;
    static constexpr std::size_t framing_per_byte = 8; // a chunk of one byte needs 5
    static constexpr std::size_t max_interim = 100;

    /// Takes what was received. @return how much of it belongs to the answer
    std::size_t feed(std::string_view bytes);
    /// The target has closed its end: a body without a length is complete, and nothing else is.
    void end();

    [[nodiscard]] bool is_done() const noexcept { return is_complete() || is_broken(); }
    [[nodiscard]] bool is_complete() const noexcept { return stage_ == Stage::complete; }
    [[nodiscard]] bool is_broken() const noexcept { return stage_ == Stage::broken; }
    /// What is wrong with it, for people. Empty unless is_broken().
    [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

    // Valid once is_complete().

    [[nodiscard]] int status() const noexcept { return status_; }
    [[nodiscard]] std::string& body() noexcept { return body_; }
    /// The field Retry-After, if there is one that makes sense.
    [[nodiscard]] std::string& retry_after() noexcept { return retry_after_; }
    /// Returns true if the connection may serve another call.
    [[nodiscard]] bool may_be_kept() const noexcept;
    /// Returns true if the target says that it keeps connections, which HTTP/1.1 does without saying.
    [[nodiscard]] bool says_kept() const noexcept { return says_keep_alive_; }
    /// For how long the target says that it keeps an idle connection.
    [[nodiscard]] std::optional<std::chrono::seconds> kept_for() const noexcept { return kept_for_; }

  private:
    enum class Stage : std::uint8_t {
        status_line,
        fields,
        body_of_length,
        body_until_end,
        chunk_size,
        chunk,
        chunk_end,
        trailer,
        complete,
        broken,
    };

    void take_line(std::string_view& bytes);
    void take_body(std::string_view& bytes);
    void on_line(std::string_view line);
    void on_status_line(std::string_view line);
    void on_field_line(std::string_view line);
    void on_field();
    void on_length(std::string_view value);
    void on_connection(std::string_view value);
    void on_keep_alive(std::string_view value);
    void on_retry_after(std::string_view value);
    void on_end_of_head();
    void on_chunk_size(std::string_view line);
    void expect_body(std::uint64_t size, Stage stage);
    void fail(std::string problem);

    Stage stage_ = Stage::status_line;
    std::string problem_;
    std::string line_;          // as far as it has come
    std::string field_;         // the last one: the next line may go on with it
    std::size_t head_ = 0;      // bytes of this head or trailer
    std::size_t framing_ = 0;   // bytes of all lines between chunks
    std::size_t interim_ = 0;   // interim answers
    std::uint64_t missing_ = 0; // bytes of the body or chunk
    std::string body_;

    // What this head says.
    int status_ = 0;
    bool is_http_1_0_ = false;
    std::optional<std::uint64_t> length_;
    bool is_chunked_ = false;
    bool says_close_ = false;
    bool says_keep_alive_ = false;
    bool has_retry_after_ = false;
    std::string retry_after_;
    std::optional<std::chrono::seconds> kept_for_;
};

} // namespace relay_hub

#endif
