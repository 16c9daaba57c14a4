# find_package(PyGPUGlue): pygpu_extension(<name> <source>...), for the module of a header that `pygpu bind` bound.
#
# It builds PyGPU's own C++, which every such module is linked with, in the caller's build. Python has been found.
include("${CMAKE_CURRENT_LIST_DIR}/Toolchain.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/Glue.cmake")
