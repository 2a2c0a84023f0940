// SPDX-License-Identifier: MIT
#include "line_source.hpp"

#include "call.hpp"

#include "../common/printable.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace whatif {
namespace {

constexpr std::size_t buffer_size = 4 * 1024 * 1024;

} // namespace

/// The bytes of a file, after decompression.
class LineSource::Input {
  public:
    explicit Input(const std::string& path) : name_{path == "-" ? "standard input" : path} {
        descriptor_ = path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (descriptor_ < 0) fail(std::generic_category().message(errno));
        raw_.resize(256 * 1024);
        while (raw_end_ < 2 && read_raw()) {}
        is_gzip_ = raw_end_ >= 2 && raw_[0] == '\x1F' && raw_[1] == '\x8B';
    }
    Input(const Input&) = delete;
    Input& operator=(const Input&) = delete;
    ~Input() {
        if (is_inflating_) ::inflateEnd(&stream_);
        if (descriptor_ >= 0) ::close(descriptor_);
    }

    /// Returns the number of bytes; 0 at the end.
    std::size_t read(char* to, std::size_t room) {
        if (is_gzip_) return inflate_to(to, room);
        if (raw_begin_ == raw_end_ && !read_raw()) return 0;
        const std::size_t some = std::min(room, raw_end_ - raw_begin_);
        std::memcpy(to, raw_.data() + raw_begin_, some);
        raw_begin_ += some;
        return some;
    }

  private:
    [[noreturn]] void fail(const std::string& why) const {
        throw LogError{example::printable(name_) + ": cannot be read: " + why};
    }

    /// Reads behind what is there. False at the end.
    bool read_raw() {
        if (raw_begin_ == raw_end_) raw_begin_ = raw_end_ = 0;
        ssize_t got = 0;
        do {
            got = ::read(descriptor_, raw_.data() + raw_end_, raw_.size() - raw_end_);
        } while (got < 0 && errno == EINTR);
        if (got < 0) fail(std::generic_category().message(errno));
        raw_end_ += static_cast<std::size_t>(got);
        return got > 0;
    }

    std::size_t inflate_to(char* to, std::size_t room) {
        while (true) {
            if (raw_begin_ == raw_end_ && !read_raw()) {
                if (is_inflating_) fail("the gzip data ends within a member");
                return 0;
            }
            if (!is_inflating_ && !begin_member()) return 0;
            stream_.next_in = reinterpret_cast<Bytef*>(raw_.data() + raw_begin_);
            stream_.avail_in = static_cast<uInt>(raw_end_ - raw_begin_);
            stream_.next_out = reinterpret_cast<Bytef*>(to);
            stream_.avail_out = static_cast<uInt>(room);
            const int status = ::inflate(&stream_, Z_NO_FLUSH);
            raw_begin_ = raw_end_ - stream_.avail_in;
            if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
                fail(std::string{"the gzip data is damaged: "} +
                     (stream_.msg != nullptr ? stream_.msg : "no further details"));
            if (status == Z_STREAM_END) {
                ::inflateEnd(&stream_);
                is_inflating_ = false;
            }
            if (const std::size_t got = room - stream_.avail_out; got != 0) return got;
        }
    }

    /// Zero bytes may follow the last member, as padding. Returns false if nothing else does.
    bool begin_member() {
        if (is_first_member_) {
            is_first_member_ = false;
        } else {
            do {
                while (raw_begin_ != raw_end_ && raw_[raw_begin_] == '\0') ++raw_begin_;
            } while (raw_begin_ == raw_end_ && read_raw());
            if (raw_begin_ == raw_end_) return false;
        }
        stream_ = {};
        if (::inflateInit2(&stream_, 15 + 16) != Z_OK) fail("no memory to decompress");
        is_inflating_ = true;
        return true;
    }

    std::string name_;
    int descriptor_ = -1;
    std::vector<char> raw_;
    std::size_t raw_begin_ = 0;
    std::size_t raw_end_ = 0;
    bool is_gzip_ = false;
    bool is_inflating_ = false;
    bool is_first_member_ = true;
    z_stream stream_{};
};

LineSource::LineSource(const std::string& path)
    : input_{std::make_unique<Input>(path)}, buffer_(buffer_size) {}

LineSource::~LineSource() = default;

bool LineSource::fill() {
    if (is_at_end_) return false;
    if (begin_ != 0) {
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
    }
    if (end_ == buffer_.size()) return false;
    const std::size_t got = input_->read(buffer_.data() + end_, buffer_.size() - end_);
    end_ += got;
    is_at_end_ = got == 0;
    return got != 0;
}

std::string_view LineSource::peek() {
    while (held().size() < longest_record && fill()) {}
    return held();
}

/// The place of the next line feed at or behind `from`, in what is held; npos if there is none within
/// the length of a line.
std::size_t LineSource::find_break(std::size_t from) {
    while (true) {
        const std::string_view text = held();
        const std::size_t found = text.find('\n', from);
        if (found != std::string_view::npos) return found;
        from = text.size();
        if (from > longest_line || !fill()) return std::string_view::npos;
    }
}

std::optional<LineSource::Line> LineSource::next() {
    const std::size_t found = find_break(0);
    if (found == std::string_view::npos && held().empty()) return std::nullopt;
    Line line{held().substr(0, found), ++number_, false};
    if (found != std::string_view::npos) {
        begin_ += found + 1;
        line.is_too_long = found > longest_line;
    } else if (line.text.size() <= longest_line) {
        begin_ = end_; // the last line, without a line feed
    } else {
        line.is_too_long = true;
        line.text = {};
        do begin_ = end_;
        while (find_break(0) == std::string_view::npos && !held().empty());
        const std::size_t rest = find_break(0);
        begin_ = rest == std::string_view::npos ? end_ : begin_ + rest + 1;
    }
    if (line.text.ends_with('\r')) line.text.remove_suffix(1);
    return line;
}

std::optional<LineSource::Line> LineSource::next_record() {
    std::size_t end = find_break(0);
    const auto quotes = [&](std::size_t from, std::size_t to) {
        const std::string_view text = held().substr(from, to - from);
        return static_cast<std::size_t>(std::count(text.begin(), text.end(), '"'));
    };
    if (end == std::string_view::npos || held().substr(0, end).find('"') == std::string_view::npos)
        return next();
    std::size_t count = quotes(0, end);
    std::uint64_t lines = 1;
    std::size_t last = end;
    while (count % 2 != 0 && last < longest_record) {
        const std::size_t more = find_break(last + 1);
        if (more == std::string_view::npos) { // the end of the file may end the record
            if (held().size() > longest_record) break;
            count += quotes(last + 1, held().size());
            if (count % 2 != 0) break;
            last = held().size();
            ++lines;
            break;
        }
        count += quotes(last + 1, more);
        last = more;
        ++lines;
    }
    if (lines == 1 || count % 2 != 0) return next();
    Line line{held().substr(0, last), number_ + 1, false};
    number_ += lines;
    begin_ = std::min(begin_ + last + 1, end_);
    if (line.text.ends_with('\r')) line.text.remove_suffix(1);
    return line;
}

} // namespace whatif
