# Makes the glue, target pygpu_glue: what every extension module is linked with, whatever its API.
#
# It is also the part of PyGPU's C++ that an installed generator has: see PyGPUGlueConfig.cmake.
set(PYGPU_GLUE "" CACHE FILEPATH "A built libpygpu_glue.a for an API's module, instead of building it")
option(PYGPU_PRECOMPILE "Precompile the headers of Python and of the standard library" ON)
set(PYGPU_BATCHES ON CACHE STRING "Compile small files together: ON, generated (only generated files) or OFF")
option(PYGPU_CHECK_LOCKS "Stop if a lock is held over a call (always on in sanitizer and debug builds)" OFF)

include("${CMAKE_CURRENT_LIST_DIR}/Batches.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/Precompiled.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/Extension.cmake")

get_filename_component(_handwritten "${CMAKE_CURRENT_LIST_DIR}/../src/handwritten" ABSOLUTE)
if(PYGPU_GLUE)
  add_library(pygpu_glue STATIC IMPORTED)
  set_target_properties(pygpu_glue PROPERTIES IMPORTED_LOCATION "${PYGPU_GLUE}")
  set(_users INTERFACE)
else()
  file(GLOB_RECURSE _glue CONFIGURE_DEPENDS "${_handwritten}/*.cpp")
  list(FILTER _glue EXCLUDE REGEX "/handwritten/(arrays|kernels|module/adapt)/|/module/(core|portable_module)\\.cpp$")
  add_library(pygpu_glue STATIC ${_glue})
  pygpu_folders_together(pygpu_glue ${_glue})
  pygpu_precompile(pygpu_glue <Python.h>)
  set(_users PUBLIC)
endif()
target_include_directories(pygpu_glue ${_users} 
  "${_handwritten}" "${_handwritten}/.." "${_handwritten}/../../include" "${CMAKE_CURRENT_SOURCE_DIR}/generated")
target_link_libraries(pygpu_glue ${_users} pygpu_options Python::Module ${CMAKE_DL_LIBS})
if(PYGPU_SANITIZE OR PYGPU_CHECK_LOCKS OR CMAKE_BUILD_TYPE STREQUAL "Debug")
  target_compile_definitions(pygpu_glue ${_users} PYGPU_CHECK_LOCKS)
endif()
