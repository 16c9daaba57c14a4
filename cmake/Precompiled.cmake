# Reads the standard library's headers and Python's once a build: for most files that would be half their time.

# Only headers that never change stand here, so that a change of ours compiles what includes it and no more. Each
# file includes what it uses all the same: PYGPU_PRECOMPILE=OFF, as in `make sanitize`, builds without.
# pygpu_precompile(<target> [<other>]): with `other`, what was read for that target serves again.
function(pygpu_precompile target)
  if(NOT PYGPU_PRECOMPILE)
    return()
  endif()
  if(ARGC GREATER 1)
    get_target_property(built_elsewhere ${ARGV1} IMPORTED)
    if(NOT built_elsewhere)
      target_precompile_headers(${target} REUSE_FROM ${ARGV1})
      return()
    endif()
  endif()
  target_precompile_headers(${target} PRIVATE
    <Python.h>
    <algorithm> <array> <atomic> <chrono> <condition_variable> <cstring> <deque> <exception> <functional> <map>
    <memory> <mutex> <optional> <span> <string> <string_view> <thread> <tuple> <unordered_map> <utility> <vector>)
  # For ccache, which keeps these files, too, where its `sloppiness` names pch_defines and time_macros.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endfunction()
