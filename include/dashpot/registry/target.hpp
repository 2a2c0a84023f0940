// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_TARGET_HPP
#define DASHPOT_REGISTRY_TARGET_HPP

/// The header of Target under its former path. A Target is a guard: include `guard/target.hpp`.

#include <dashpot/guard/target.hpp>

#endif
