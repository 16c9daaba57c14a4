# Compiles many small files together: most of the time for each would go into the same headers.

# pygpu_batches(<out> <name> <bytes> <file>...): sets <out> to sources that include the files of one folder below
# `generated` or `src/handwritten`, about so many bytes of them in each; to the files themselves where PYGPU_BATCHES
# is off. They name the files from there, so that a compiler cache knows them again in another checkout.
#
# Files of a batch share their file-private names. The generator makes them different in all of an API; the compiler
# tells of two that a person wrote. Only the slots of Python types have the same names in each file: one such file
# goes into a batch.
function(pygpu_batches out name bytes)
  if(NOT PYGPU_BATCHES)
    set(${out} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  set(batches)
  set(text "")
  set(held 0)
  set(has_slots FALSE)
  set(folder "")
  list(SORT ARGN)
  foreach(file IN LISTS ARGN)
    file(SIZE "${file}" size)
    math(EXPR sum "${held} + ${size}")
    string(REGEX REPLACE "^${CMAKE_CURRENT_SOURCE_DIR}/(generated|src/handwritten)/" "" path "${file}")
    string(REGEX REPLACE "^((host|arrays)/[a-z]+|[a-z_]+)/.*" "\\1" of_file "${path}")
    file(STRINGS "${file}" slots REGEX "Py(Type_Slot|MethodDef|GetSetDef) " LIMIT_COUNT 1)
    if(held AND (sum GREATER bytes OR NOT of_file STREQUAL folder OR (slots AND has_slots)))
      _pygpu_batch(batches "${name}" "${text}")
      set(text "")
      set(sum ${size})
      set(has_slots FALSE)
    endif()
    string(APPEND text "#include \"${path}\"\n")
    set(held ${sum})
    set(folder "${of_file}")
    if(slots)
      set(has_slots TRUE)
    endif()
  endforeach()
  _pygpu_batch(batches "${name}" "${text}")
  set(${out} ${batches} PARENT_SCOPE)
endfunction()

# pygpu_pass_once(<source>...): a call passes through its code once, whose branches then need no padding: it is a
# twentieth of the code.
function(pygpu_pass_once)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS
    "$<$<CXX_COMPILER_ID:GNU>:-fno-align-jumps;-fno-align-loops;-fno-align-labels>")
endfunction()

function(_pygpu_batch list name text)
  list(LENGTH ${list} count)
  set(path "${CMAKE_CURRENT_BINARY_DIR}/batches/${name}_${count}.cpp")
  file(CONFIGURE OUTPUT "${path}" CONTENT "// Files of ${name} that are compiled together.\n${text}" @ONLY)
  set(${list} ${${list}} "${path}" PARENT_SCOPE)
endfunction()
