// The shared objects that are loaded in this process, and where the dynamic linker looks for more.
#pragma once

#include <Python.h>

#include <string>
#include <vector>

namespace pygpu {

// Paths of all shared objects loaded in the process, in load order.
std::vector<std::string> loaded_objects();

// The folders in which the dynamic linker looks for a library's name, in its order, besides its cache:
// LD_LIBRARY_PATH as it was when the process began, the folders written into the program, and the system's
// folders. Relative folders stay relative. Empty if the C library can't list them.
std::vector<std::string> search_folders();

// A number that grows with every shared object loaded.
unsigned long long loaded_generation();

// A path as a Python str: bytes that are not UTF-8 become surrogates, which os.fsencode() turns back.
PyObject *path_to_python(const std::string &path);

// The DT_SONAME of an opened object; "" if it has none.
std::string soname_of(void *handle);

// The resolved path of an opened object.
std::string path_of(void *handle);

} // namespace pygpu
