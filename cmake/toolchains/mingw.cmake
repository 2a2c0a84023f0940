# SPDX-License-Identifier: MIT
# Windows on x86-64, with Debian's MinGW-w64 for POSIX threads, run by wine. Linked statically: wine does not find the
# compiler's libraries.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
set(CMAKE_CROSSCOMPILING_EMULATOR wine)
