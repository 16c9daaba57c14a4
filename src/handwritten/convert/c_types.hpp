// Objects and types of ctypes, identified by its own base classes. A class that only looks like theirs does
// not count.
#pragma once

#include <Python.h>

namespace pygpu {

// Whether an object is a ctypes pointer or function: its bytes are the address itself.
bool is_c_pointer(PyObject *object);
bool is_c_pointer_type(PyTypeObject *type);
bool load_c_pointer(PyObject *object, void *&pointer); // that address; false with an exception set
bool is_c_scalar(PyObject *object);                    // ctypes.c_int(1) and the like
bool is_of_ctypes(PyTypeObject *type);                 // a class of ctypes itself, which is never freed
bool is_c_array(PyObject *object);
bool is_array_of_c_pointers(PyObject *object);

} // namespace pygpu
