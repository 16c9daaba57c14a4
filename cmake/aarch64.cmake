# A toolchain file: builds for aarch64 on another machine (tools/aarch64.sh). PYGPU_AARCH64_ROOT is a folder with the
# C library and Python's headers of an aarch64 system.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES PYGPU_AARCH64_ROOT)
if(NOT PYGPU_AARCH64_ROOT)
  message(FATAL_ERROR "Set PYGPU_AARCH64_ROOT to the folder of an aarch64 system.")
endif()

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_SYSROOT "${PYGPU_AARCH64_ROOT}")

# The programs that run in a build are this machine's. CMake packages are looked for in both: pybind11 is headers alone.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)
# CMake runs this machine's Python, so it can't ask the other one where its headers are.
file(GLOB Python_INCLUDE_DIR "${PYGPU_AARCH64_ROOT}/usr/include/python3.*")
