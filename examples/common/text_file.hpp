// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_COMMON_TEXT_FILE_HPP
#define DASHPOT_EXAMPLES_COMMON_TEXT_FILE_HPP

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace example {

/// All of a file; nothing if there is none.
[[nodiscard]] inline std::string read_text_file(const std::filesystem::path& path) {
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

/// Makes the file, or makes it anew.
inline void write_text_file(const std::filesystem::path& path, const std::string& text) {
    std::ofstream{path, std::ios::binary} << text;
}

} // namespace example

#endif
