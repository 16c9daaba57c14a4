// What every struct type does besides its fields: text, comparison, pickling.
#pragma once

#include "types/structs/object.hpp"

#include <Python.h>

#include <span>

namespace pygpu {

PyObject *struct_repr(PyObject *self);
PyObject *struct_compare(PyObject *self, PyObject *other, int operation);
PyObject *struct_duplicate(PyObject *self);

// For pickle: refuses pointers and handles, which mean nothing elsewhere.
PyObject *struct_reduce(PyObject *self, PyObject *);
// (api, tag, release, bytes) -> the object again: _restore_struct of the extension module.
PyObject *restore_struct(PyObject *module, PyObject *arguments);

// Adds _restore_struct, which pickles refer to, to the extension module.
bool add_struct_functions(PyObject *extension);
// Registers the structs of an API of this module, so that pickles find them by the API's name.
bool add_structs(PyObject *extension, std::span<StructClass> structs);

} // namespace pygpu
