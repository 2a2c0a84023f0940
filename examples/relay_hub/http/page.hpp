// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_HTTP_PAGE_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_HTTP_PAGE_HPP

#include <string_view>

namespace relay_hub::page {

// Written by embed_page.cmake from page/page.html and the files that it names.

/// The page, whole: nothing else is to be loaded.
extern const std::string_view html;

/// For Content-Security-Policy: the hashes of its one script and its one style sheet, quoted.
extern const std::string_view script_hash;
extern const std::string_view style_hash;

} // namespace relay_hub::page

#endif
