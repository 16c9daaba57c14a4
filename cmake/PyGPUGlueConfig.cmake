# find_package(PyGPUGlue): pygpu_extension(<name> <source>...), for the module of a header that `pygpu bind` bound.
#
# Every such module is linked with the glue, PyGPU's own C++. PyGPU's package has it for its Python, built; PYGPU_GLUE
# names another, and is OFF to build it as a part of the caller's build. The caller must have found Python.
include("${CMAKE_CURRENT_LIST_DIR}/Toolchain.cmake")
if("${PYGPU_GLUE}" STREQUAL "" AND NOT PYGPU_SANITIZE AND NOT PYGPU_CHECK_LOCKS AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  execute_process(COMMAND "${Python_EXECUTABLE}" -m pygpu_generator --glue
    OUTPUT_VARIABLE _found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  set(PYGPU_GLUE "${_found}" CACHE FILEPATH "A built libpygpu_glue.a, instead of building it")
endif()
include("${CMAKE_CURRENT_LIST_DIR}/Glue.cmake")
