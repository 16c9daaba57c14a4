# find_package(PyGPUGlue): pygpu_extension(<name> <source>...), for the module of a header that `pygpu bind` bound.
#
# Every such module is linked with PyGPU's own C++, which is built as a part of the caller's build. The caller must have
# found Python.
include("${CMAKE_CURRENT_LIST_DIR}/Toolchain.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/Glue.cmake")
