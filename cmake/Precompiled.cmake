# Reads the standard library's headers and Python's once a build: for most files that would be half their time.

# Only headers that never change stand here, so that a change of ours compiles what includes it and no more. Each
# file includes what it uses all the same: `make lint` reads what a build with PYGPU_PRECOMPILE=OFF compiles.
# pygpu_precompile(<target> [<header>...]): the standard library's, and these before them.
function(pygpu_precompile target)
  if(NOT PYGPU_PRECOMPILE)
    return()
  endif()
  target_precompile_headers(${target} PRIVATE
    ${ARGN}
    <algorithm> <array> <atomic> <chrono> <condition_variable> <cstring> <deque> <exception> <functional> <map>
    <memory> <mutex> <optional> <span> <string> <string_view> <thread> <tuple> <unordered_map> <utility> <vector>)
  # For ccache, which keeps these files, too, where its `sloppiness` names pch_defines and time_macros.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endfunction()

# pygpu_precompile_as(<target> <other> <header>...): what was read for that target serves again, where it is built.
function(pygpu_precompile_as target other)
  get_target_property(built_elsewhere ${other} IMPORTED)
  if(built_elsewhere)
    pygpu_precompile(${target} ${ARGN})
  elseif(PYGPU_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${other})
  endif()
endfunction()
