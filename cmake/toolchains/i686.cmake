# SPDX-License-Identifier: MIT
# Linux on 32-bit x86, whose floating point is x87: 64 bits of mantissa where a double has 53. With Debian's cross
# compiler, run by qemu-user, since a 64-bit kernel may be built without 32-bit programs. Linked statically: qemu 7.2 hangs
# in a dynamically linked program that has threads.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR i686)
set(CMAKE_CXX_COMPILER i686-linux-gnu-g++)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-i386)
