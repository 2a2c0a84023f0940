// SPDX-License-Identifier: MIT
// Bytes are what a target sends on a connection, the first of them how it is cut into pieces. However
// it is cut, the same answer is read, and within its bounds.
#include "finding.hpp"

#include "../../examples/relay_hub/relay/answer_reader.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace {

using fuzz::require;
using relay_hub::AnswerReader;

struct Read {
    AnswerReader answer;
    std::size_t taken = 0;
};

Read read(std::string_view bytes, std::size_t step) {
    Read result;
    while (result.taken < bytes.size() && !result.answer.is_done()) {
        const std::string_view piece = bytes.substr(result.taken, step);
        const std::size_t taken = result.answer.feed(piece);
        require(taken == piece.size() || result.answer.is_done(), "bytes that were not taken");
        result.taken += taken;
    }
    if (!result.answer.is_done()) result.answer.end();
    require(result.answer.is_done(), "an answer that has no end");
    return result;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view bytes{reinterpret_cast<const char*>(data + 1), size - 1};
    Read whole = read(bytes, std::max<std::size_t>(bytes.size(), 1));
    Read pieces = read(bytes, std::size_t{data[0]} + 1);
    require(whole.answer.is_complete() == pieces.answer.is_complete(), "another end in pieces");
    require(whole.answer.is_broken() != whole.answer.problem().empty(), "a problem without a word");
    if (!whole.answer.is_complete()) return 0;
    require(whole.taken == pieces.taken, "another length in pieces");
    require(whole.answer.status() == pieces.answer.status(), "another status in pieces");
    require(whole.answer.status() >= 200 && whole.answer.status() <= 999, "a status that is none");
    require(whole.answer.body() == pieces.answer.body(), "another body in pieces");
    require(whole.answer.body().size() <= AnswerReader::max_body, "a body that is too large");
    require(whole.answer.retry_after() == pieces.answer.retry_after(), "another field in pieces");
    const std::string_view after = whole.answer.retry_after();
    require(after.find_first_of("\r\n") == std::string_view::npos, "a field with an end of line");
    return 0;
}
