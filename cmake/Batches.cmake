# Compiles many small files together: most of the time for each would go into the same headers.

# pygpu_batches(<out> <name> <bytes> <file>...): sets <out> to sources that include the files, in their order,
# about so many bytes of them in each; to the files themselves where PYGPU_BATCHES is off. They name the files
# from `generated` or `src/handwritten`, so that a compiler cache knows them again in another checkout.
#
# Each file must compile alone, too: it includes what it uses, and no other file's private names.
function(pygpu_batches out name bytes)
  if(NOT PYGPU_BATCHES)
    set(${out} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  set(batches)
  set(text "")
  set(held 0)
  list(SORT ARGN)
  foreach(file IN LISTS ARGN)
    file(SIZE "${file}" size)
    math(EXPR sum "${held} + ${size}")
    if(held AND sum GREATER bytes)
      _pygpu_batch(batches "${name}" "${text}")
      set(text "")
      set(sum ${size})
    endif()
    string(REGEX REPLACE "^${CMAKE_CURRENT_SOURCE_DIR}/(generated|src/handwritten)/" "" path "${file}")
    string(APPEND text "#include \"${path}\"\n")
    set(held ${sum})
  endforeach()
  _pygpu_batch(batches "${name}" "${text}")
  set(${out} ${batches} PARENT_SCOPE)
endfunction()

function(_pygpu_batch list name text)
  list(LENGTH ${list} count)
  set(path "${CMAKE_CURRENT_BINARY_DIR}/batches/${name}_${count}.cpp")
  file(CONFIGURE OUTPUT "${path}" CONTENT "// Files of ${name} that are compiled together.\n${text}" @ONLY)
  set(${list} ${${list}} "${path}" PARENT_SCOPE)
endfunction()
