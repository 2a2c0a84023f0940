// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_WHATIF_LINE_SOURCE_HPP
#define DASHPOT_EXAMPLES_WHATIF_LINE_SOURCE_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whatif {

/// The lines of a file, plain or gzip, in a buffer of fixed size. `-` is the standard input.
///
/// **Contract.** Whether it is gzip is decided by the first bytes. A gzip file may have any number of
/// members. A line feed ends a line, and a carriage return before it is removed.
/// **Errors.** LogError if the file cannot be opened, or cannot be read to its end.
class LineSource {
  public:
    explicit LineSource(const std::string& path);
    LineSource(const LineSource&) = delete;
    LineSource& operator=(const LineSource&) = delete;
    ~LineSource();

    struct Line {
        std::string_view text;    ///< Valid until the next call.
        std::uint64_t number = 0; ///< From 1. Of its first line, if it has several.
        bool is_too_long = false; ///< `text` is only its beginning.
    };

    /// The next line.
    [[nodiscard]] std::optional<Line> next();

    /// The next record of a CSV file: a line break between quotes is part of it. If the quotes do not
    /// end within `longest_record` bytes, the line alone is the record.
    [[nodiscard]] std::optional<Line> next_record();

    /// The first bytes of the file, without taking them.
    [[nodiscard]] std::string_view peek();

    static constexpr std::size_t longest_line = 1024 * 1024;
    static constexpr std::size_t longest_record = 64 * 1024;

  private:
    class Input;

    /// Reads more behind what the buffer holds; false at the end.
    bool fill();
    [[nodiscard]] std::string_view held() const noexcept {
        return {buffer_.data() + begin_, end_ - begin_};
    }
    [[nodiscard]] std::size_t find_break(std::size_t from);

    std::unique_ptr<Input> input_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::uint64_t number_ = 0;
    bool is_at_end_ = false;
};

} // namespace whatif

#endif
