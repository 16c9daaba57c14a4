// What the file of a shared object says of itself, without opening it as a library.
#pragma once

#include <Python.h>

namespace pygpu {

// Reads the headers and the SONAME of a file: (bits, byte order as in the struct module, machine, SONAME,
// problem). `file` is an object with an attribute `size`, and a method piece(offset, size) that gives bytes
// and raises an exception for a place behind the end. A problem says why no process can load the file; it is
// "" for a file that some process can. The SONAME is "" if there is none, and in files that aren't for this
// machine's word and byte order. A new reference; null with an exception set.
PyObject *read_library_file(PyObject *file);

} // namespace pygpu
