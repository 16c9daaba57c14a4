// Attributes of an API's modules that are not functions.
#pragma once

#include <Python.h>

namespace pygpu {

// Functions that return an object return a new reference, or null with an exception set.

// `module.__getattr__` for a name that doesn't exist. Raises an exception with the name that may be meant.
PyObject *raise_missing(PyObject *module, PyObject *name);

// The object that a portable name stands for. A handle class has a second class for its portable name, which
// knows that name; all other objects stay as they are. Takes over the reference.
PyObject *portable_type(PyObject *object);

// Imports an API's module and returns its attribute. Null without an exception if there is no such attribute.
PyObject *cuda_attribute(const char *api, const char *name);

} // namespace pygpu
