# SPDX-License-Identifier: MIT
cmake_minimum_required(VERSION 3.25) # a -P script has no policies of its own

# cmake -P cmake/screenshots.cmake
# Sets the machine up where needed, then takes the pictures of docs/operating.md anew: four minutes, since a picture of an
# outage needs one. What differs from one run to the next are times of day and the counts of calls.
include("${CMAKE_CURRENT_LIST_DIR}/setup.cmake")

dashpot_set_up("the pictures" compiler ninja json httplib cli11 catch2 chromium fonts pngquant)
set(pictures "${DASHPOT_ROOT}/docs/pictures")
file(MAKE_DIRECTORY "${pictures}")
dashpot_run("${CMAKE_COMMAND}" --preset ${DASHPOT_COMPILER})
dashpot_run("${CMAKE_COMMAND}" --build --preset ${DASHPOT_COMPILER} --target dashpot-page-screenshots)
dashpot_run("${DASHPOT_ROOT}/build/${DASHPOT_COMPILER}/tests/e2e/dashpot-page-screenshots" "${pictures}")
file(GLOB files "${pictures}/page-*.png")
dashpot_run(pngquant --force --ext .png --strip --speed 1 --quality 80-100 ${files})
