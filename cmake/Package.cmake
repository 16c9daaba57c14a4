# Puts the package together in the build folder: links to the Python files, beside the libraries of this build.

# pygpu_package(<target>...): <build>/python/PyGPU has what an installed package has. PYTHONPATH=<build>/python finds it.
# So no build sees the libraries of another, and a change to a Python file needs no build.
function(pygpu_package)
  set(package "${CMAKE_BINARY_DIR}/python/PyGPU")
  set(sources "${PROJECT_SOURCE_DIR}/python/PyGPU/*")
  foreach(extra IN LISTS PYGPU_EXTRAS)
    list(APPEND sources "${PROJECT_SOURCE_DIR}/packages/pygpu-${extra}/python/PyGPU/*")
  endforeach()
  file(GLOB entries CONFIGURE_DEPENDS ${sources})
  list(FILTER entries EXCLUDE REGEX "\\.so$")
  file(GLOB old "${package}/*")
  list(FILTER old EXCLUDE REGEX "\\.so$")
  if(old)
    file(REMOVE_RECURSE ${old})
  endif()
  file(MAKE_DIRECTORY "${package}")
  foreach(entry IN LISTS entries ITEMS "${PROJECT_SOURCE_DIR}/include")
    cmake_path(GET entry FILENAME name)
    file(CREATE_LINK "${entry}" "${package}/${name}" SYMBOLIC)
  endforeach()
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/python/pygpu.py" "${CMAKE_BINARY_DIR}/python/pygpu.py" SYMBOLIC)
  file(COPY "${PROJECT_SOURCE_DIR}/cmake/PyGPUConfig.cmake" "${CMAKE_BINARY_DIR}/PyGPUConfigVersion.cmake"
    DESTINATION "${package}/cmake")
  set_target_properties(${ARGN} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${package}")
endfunction()
