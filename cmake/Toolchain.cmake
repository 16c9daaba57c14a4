# Compiler settings of every target: C++20, warnings, size, ccache, sanitizers (target pygpu_options).

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Kind of build" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(PYGPU_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(PYGPU_CCACHE_PROGRAM ccache)
  if(PYGPU_CCACHE_PROGRAM)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${PYGPU_CCACHE_PROGRAM}")
  endif()
endif()

add_library(pygpu_options INTERFACE)
target_compile_options(pygpu_options INTERFACE -Wall -Wextra -ffunction-sections -fdata-sections)
target_link_options(pygpu_options INTERFACE -Wl,--gc-sections)
# Calls to Python's functions go directly through the table of addresses. The stubs of the PLT would have to be brought
# into the cache again after each call into the driver.
target_compile_options(pygpu_options INTERFACE -fno-plt)
# Comes after the -O3 of CMake's Release: the module is smaller and compiles faster, at the same speed.
target_compile_options(pygpu_options INTERFACE $<$<CONFIG:Release>:-O2>)

if(PYGPU_WERROR)
  target_compile_options(pygpu_options INTERFACE -Werror)
endif()

if(PYGPU_SANITIZE)
  target_compile_options(pygpu_options INTERFACE
    -fsanitize=${PYGPU_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1) # for names and lines
  target_link_options(pygpu_options INTERFACE -fsanitize=${PYGPU_SANITIZE})
endif()
