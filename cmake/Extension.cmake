# Makes the extension modules of the package.

# pygpu_extension(<name> <source>...): a module that is linked with the glue; its name is added to
# PYGPU_EXTENSIONS.
function(pygpu_extension name)
  Python_add_library(${name} MODULE WITH_SOABI ${ARGN})
  target_link_libraries(${name} PRIVATE pygpu_glue)
  pygpu_precompile_as(${name} pygpu_glue <Python.h>)
  set_target_properties(${name} PROPERTIES DEFINE_SYMBOL "") # else the precompiled headers would differ
  # Only one name is exported. So a C++ library that the toolchain links statically is hidden, too.
  set(exports "${CMAKE_CURRENT_BINARY_DIR}/${name}.map")
  file(CONFIGURE OUTPUT "${exports}" CONTENT "{ global: PyInit_${name}; local: *; };\n" @ONLY)
  target_link_options(${name} PRIVATE "-Wl,--version-script=${exports}")
  set_target_properties(${name} PROPERTIES LINK_DEPENDS "${exports}")
  set(PYGPU_EXTENSIONS ${PYGPU_EXTENSIONS} ${name} PARENT_SCOPE)
endfunction()
