// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_COMMON_TEMPORARY_DIRECTORY_HPP
#define DASHPOT_EXAMPLES_COMMON_TEMPORARY_DIRECTORY_HPP

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

#include <stdlib.h>

namespace example {

/// A directory of its own, removed with all that is in it.
class TemporaryDirectory {
  public:
    TemporaryDirectory() {
        std::string name = (std::filesystem::temp_directory_path() / "dashpot-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr)
            throw std::system_error{errno, std::generic_category(), name};
        path_ = name;
    }
    ~TemporaryDirectory() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

  private:
    std::filesystem::path path_;
};

} // namespace example

#endif
