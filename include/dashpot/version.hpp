// SPDX-License-Identifier: MIT
#ifndef DASHPOT_VERSION_HPP
#define DASHPOT_VERSION_HPP

/// The one place where the version is written; CMakeLists.txt reads it from here.
#define DASHPOT_VERSION_MAJOR 0
#define DASHPOT_VERSION_MINOR 1
#define DASHPOT_VERSION_PATCH 0

#endif
