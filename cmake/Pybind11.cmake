# Finds Python and pybind11 3.x, the latter through the Python that is built for.

find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module)

if(NOT pybind11_DIR)
  execute_process(
    COMMAND "${Python_EXECUTABLE}" -m pybind11 --cmakedir
    OUTPUT_VARIABLE _pybind11_dir OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(_pybind11_dir)
    set(pybind11_ROOT "${_pybind11_dir}")
  endif()
endif()

set(PYBIND11_FINDPYTHON ON)
find_package(pybind11 3.0 CONFIG REQUIRED)
