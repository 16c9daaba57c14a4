// The shared objects of this process: which are there, and opening one more.
#pragma once

#include <Python.h>

#include <string>
#include <vector>

namespace pygpu {

// Paths of all shared objects loaded in the process, in load order.
std::vector<std::string> loaded_objects();

// Where the dynamic linker looks for a library by its name, in its order, besides its cache: LD_LIBRARY_PATH
// as it was when the process began, the folders written into the program, its own. Relative ones are given as
// they are. Empty where the C library doesn't tell.
std::vector<std::string> search_folders();

// A number that grows with every shared object loaded.
unsigned long long loaded_generation();

// A path as Python has it: bytes that are no UTF-8 become surrogates, which os.fsencode undoes.
PyObject *path_to_python(const std::string &path);

// The DT_SONAME of an opened object, "" where it has none.
std::string soname_of(void *handle);

// The resolved path of an opened object.
std::string path_of(void *handle);

} // namespace pygpu
