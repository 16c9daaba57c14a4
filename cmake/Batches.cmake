# Compiles small files together. Compiled alone, each would spend most of its time on the same headers.

# pygpu_units(<target> <regex>...): compiles the target's files in as many units. The files whose path in the repository
# matches a regex are a unit, as far as no regex before took them; files that match none are compiled alone. The files
# of a unit share their file-private names, so a private name may be defined only once there. A file that makes a Python
# class is compiled alone, because all such files have private names like `methods` and `repr`.
#
# A unit is large, because what its files share costs as much again in each unit: headers and instances of templates.
function(pygpu_units target)
  if(NOT PYGPU_BATCHES OR PYGPU_BATCHES STREQUAL "generated")
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  cmake_path(SET root NORMALIZE "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/..")
  get_target_property(files ${target} SOURCES)
  foreach(file IN LISTS files)
    cmake_path(NORMAL_PATH file OUTPUT_VARIABLE path)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY "${root}")
    set(unit 0)
    foreach(regex IN LISTS ARGN)
      math(EXPR unit "${unit} + 1")
      if(path MATCHES "${regex}")
        file(STRINGS "${file}" makes_class REGEX "make_type\\(|PyType_Slot|new Family\\(" LIMIT_COUNT 1)
        if(NOT makes_class)
          set_source_files_properties("${file}" PROPERTIES UNITY_GROUP "unit_${unit}")
        endif()
        break()
      endif()
    endforeach()
  endforeach()
endfunction()

# pygpu_batches(<out> <name> <bytes> <file>...): sets <out> to sources that include files of one folder, each about
# <bytes> bytes of them. If PYGPU_BATCHES is off, sets it to the files themselves. The given paths are relative to
# `generated`. The sources include them by these paths, so that a compiler cache recognises them in another checkout.
#
# Files of a batch share their file-private names, so the generator makes these names unique in each API.
function(pygpu_batches out name bytes)
  if(NOT PYGPU_BATCHES)
    list(TRANSFORM ARGN PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/generated/")
    set(${out} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  set(batches)
  set(text "")
  set(held 0)
  set(folder "")
  list(SORT ARGN)
  foreach(file IN LISTS ARGN)
    file(SIZE "${CMAKE_CURRENT_SOURCE_DIR}/generated/${file}" size)
    math(EXPR sum "${held} + ${size}")
    cmake_path(GET file PARENT_PATH of_file)
    if(held AND (sum GREATER bytes OR NOT of_file STREQUAL folder))
      _pygpu_batch(batches "${name}" "${text}")
      set(text "")
      set(sum ${size})
    endif()
    string(APPEND text "#include \"${file}\"\n")
    set(held ${sum})
    set(folder "${of_file}")
  endforeach()
  _pygpu_batch(batches "${name}" "${text}")
  # A call runs through this code only once. So its branches need no padding, which would be a twentieth of the code, and
  # -O2 would take a fourth longer to compile what runs no faster.
  set_source_files_properties(${batches} PROPERTIES COMPILE_OPTIONS
    "$<$<CXX_COMPILER_ID:GNU>:$<$<CONFIG:Release>:-O1>;-fno-align-jumps;-fno-align-loops;-fno-align-labels>")
  set(${out} ${batches} PARENT_SCOPE)
endfunction()

# pygpu_batch(<out> <name> <file>...): sets <out> to one source that includes these handwritten files, whatever their
# folders. A private name may be defined only once in all of them. Unless PYGPU_BATCHES is ON, sets it to the files.
function(pygpu_batch out name)
  set(sources ${ARGN})
  if(PYGPU_BATCHES AND NOT PYGPU_BATCHES STREQUAL "generated")
    set(sources)
    list(TRANSFORM ARGN REPLACE ".*/handwritten/(.+)" "#include \"\\1\"\n")
    list(JOIN ARGN "" text)
    _pygpu_batch(sources "${name}" "${text}")
  endif()
  set(${out} ${sources} PARENT_SCOPE)
endfunction()

function(_pygpu_batch list name text)
  list(LENGTH ${list} count)
  set(path "${CMAKE_CURRENT_BINARY_DIR}/batches/${name}_${count}.cpp")
  file(CONFIGURE OUTPUT "${path}" CONTENT "// Files of ${name} that are compiled together.\n${text}" @ONLY)
  set(${list} ${${list}} "${path}" PARENT_SCOPE)
endfunction()
