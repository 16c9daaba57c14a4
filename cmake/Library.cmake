# For a package of libraries' modules that is built alone, as a wheel. Its modules are linked with PyGPU's own glue, which
# PyGPU's wheel has; the wheel of the package needs PyGPU of the same version.
if(SKBUILD_STATE STREQUAL "editable")
  message(FATAL_ERROR "The modules lie in the package PyGPU, which is another project's: install without -e.")
endif()
option(PYGPU_WERROR "Treat compiler warnings as errors" OFF)
option(PYGPU_CCACHE "Compile through ccache where it is installed" ON)
set(PYGPU_GLUE_BESIDE ON)
list(APPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}")
include(Toolchain)
find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module)
include(Glue)
