# SPDX-License-Identifier: MIT
# A template, for Conan 2. Not verified: Conan was at no machine that this was made on.
from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout


class DashpotConan(ConanFile):
    name = "dashpot"
    version = "0.1.0"
    license = "MIT"
    description = "Circuit breaker, bulkhead and friends for C++20, header-only"
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    exports_sources = "CMakeLists.txt", "cmake/*", "include/*", "LICENSE"
    no_copy_source = True

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["DASHPOT_BUILD_TESTS"] = False
        toolchain.cache_variables["DASHPOT_BUILD_EXAMPLES"] = False
        toolchain.generate()

    def package(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.install()

    def package_id(self):
        self.info.clear()

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.set_property("cmake_file_name", "dashpot")
        self.cpp_info.set_property("cmake_target_name", "dashpot::dashpot")
        if self.settings.os in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs.append("pthread")
