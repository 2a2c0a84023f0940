# SPDX-License-Identifier: MIT
# A template, for a port of a release. Not verified: vcpkg was at no machine that this was made on. Say where the release
# is; `vcpkg install` tells the SHA512 that it wants.
vcpkg_from_github(OUT_SOURCE_PATH SOURCE_PATH
    REPO "<owner>/dashpot"
    REF "v${VERSION}"
    SHA512 0
    HEAD_REF main)

set(VCPKG_BUILD_TYPE release) # headers have no debug build
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS -DDASHPOT_BUILD_TESTS=OFF -DDASHPOT_BUILD_EXAMPLES=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/dashpot)
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/lib")
