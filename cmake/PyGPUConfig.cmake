# find_package(PyGPU): the target PyGPU::headers, for C++ that takes arrays from Python and gives memory to it.
#
# It adds an include directory and C++17; nothing is linked. PyGPU_INCLUDE_DIR is the directory.
get_filename_component(PyGPU_INCLUDE_DIR "${CMAKE_CURRENT_LIST_DIR}/../include" ABSOLUTE)

if(NOT TARGET PyGPU::headers)
  add_library(PyGPU::headers INTERFACE IMPORTED)
  set_target_properties(PyGPU::headers PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${PyGPU_INCLUDE_DIR}"
    INTERFACE_COMPILE_FEATURES cxx_std_17)
endif()
