# Compiles the headers of the standard library and of Python once in a build. They would take half the time of most
# files.

# To precompile headers takes as long as to read them in four files. So only those are listed that many files include.
# They never change: a change to PyGPU's own headers recompiles only the files that include them. Each file still
# includes what it uses: `make lint` checks a build with PYGPU_PRECOMPILE=OFF.
# pygpu_precompile(<target> [<header>...]): precompiles these headers, then those of the standard library.
function(pygpu_precompile target)
  if(NOT PYGPU_PRECOMPILE)
    return()
  endif()
  target_precompile_headers(${target} PRIVATE
    ${ARGN}
    <algorithm> <array> <atomic> <cstring> <memory> <mutex> <optional> <span> <string> <string_view> <unordered_map>
    <utility> <vector>)
  # Lets ccache keep these files, too, if its `sloppiness` names pch_defines and time_macros.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endfunction()

# pygpu_precompile_as(<target> <other> <header>...): uses the precompiled headers of <other> again, if that target is
# built here. If not, a target of a few files needs none: to make them takes as long as to compile these.
function(pygpu_precompile_as target other)
  get_target_property(built_elsewhere ${other} IMPORTED)
  get_target_property(sources ${target} SOURCES)
  list(LENGTH sources count)
  if(built_elsewhere AND count LESS 4)
    return()
  elseif(built_elsewhere)
    pygpu_precompile(${target} ${ARGN})
  elseif(PYGPU_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${other})
  endif()
endfunction()
