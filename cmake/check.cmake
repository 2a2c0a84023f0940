# SPDX-License-Identifier: MIT
cmake_minimum_required(VERSION 3.25) # a -P script has no policies of its own

# cmake -P cmake/check.cmake
# Sets the machine up where needed, then configures, builds and runs the whole test suite.
include("${CMAKE_CURRENT_LIST_DIR}/setup.cmake")

dashpot_set_up("the tests" compiler ninja pkg_config patch catch2 json httplib cli11 zlib)
dashpot_try_set_up("the tests against Prometheus" prometheus_cpp prometheus)
dashpot_try_set_up("the tests of asynchronous calls" asio boost_asio)
dashpot_try_set_up("the tests of the relay hub's page" chromium)
dashpot_run("${CMAKE_COMMAND}" --workflow --preset ${DASHPOT_COMPILER})
