# Makes the extension modules of the package.

# pygpu_only_exports(<target> <symbols>): these symbols, as in a version script, are all that the library exports. So a
# C++ library that the toolchain links statically is hidden, too.
function(pygpu_only_exports target symbols)
  set(exports "${CMAKE_CURRENT_BINARY_DIR}/${target}.map")
  file(CONFIGURE OUTPUT "${exports}" CONTENT "{ global: ${symbols} local: *; };\n" @ONLY)
  target_link_options(${target} PRIVATE "-Wl,--version-script=${exports}")
  set_target_properties(${target} PROPERTIES LINK_DEPENDS "${exports}")
endfunction()

# pygpu_extension(<name> <source>...): a module that is linked with the glue; its name is added to
# PYGPU_EXTENSIONS.
function(pygpu_extension name)
  Python_add_library(${name} MODULE WITH_SOABI ${ARGN})
  target_link_libraries(${name} PRIVATE pygpu_glue)
  pygpu_precompile_as(${name} pygpu_glue <Python.h>)
  set_target_properties(${name} PROPERTIES DEFINE_SYMBOL "") # else the precompiled headers would differ
  pygpu_only_exports(${name} "PyInit_${name};")
  # The glue lies beside the module, if it is a library of its own.
  set_target_properties(${name} PROPERTIES INSTALL_RPATH "$ORIGIN" BUILD_WITH_INSTALL_RPATH ON)
  set(PYGPU_EXTENSIONS ${PYGPU_EXTENSIONS} ${name} PARENT_SCOPE)
endfunction()

# pygpu_modules(<out>): makes the module of each API below `generated` that has an extension.cpp. Sets <out> to the
# sources of all of them.
function(pygpu_modules out)
  set(generated "${CMAKE_CURRENT_SOURCE_DIR}/generated")
  file(GLOB extensions CONFIGURE_DEPENDS "${generated}/*/extension.cpp")
  set(all)
  foreach(extension IN LISTS extensions)
    cmake_path(GET extension PARENT_PATH folder)
    file(GLOB sources CONFIGURE_DEPENDS RELATIVE "${generated}" "${folder}/*.cpp")
    list(FILTER sources EXCLUDE REGEX "/host_")
    list(APPEND all ${sources})
    file(STRINGS "${extension}" name REGEX "^PyMODINIT_FUNC PyInit_")
    string(REGEX REPLACE "^PyMODINIT_FUNC PyInit_([a-z0-9_]+)\\(.*" "\\1" name "${name}")
    pygpu_batches(sources "${name}" 320000 ${sources})
    pygpu_extension(${name} ${sources})
    target_include_directories(${name} PRIVATE "${generated}")
  endforeach()
  set(${out} ${all} PARENT_SCOPE)
  set(PYGPU_EXTENSIONS ${PYGPU_EXTENSIONS} PARENT_SCOPE)
endfunction()
