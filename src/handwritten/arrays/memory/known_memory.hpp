// PyGPU's own memory behind an object: a DeviceMemory, an array, a pointer.
#pragma once

#include "arrays/memory/buffer.hpp"

#include <Python.h>

namespace pygpu::arrays {

// The buffer in which an object's memory lies, and the object's address in it. Null for an object of another
// kind, and without memory; borrowed. No exception is set, and the address doesn't escape.
using BufferOf = Buffer *(*)(PyObject * object, char *&begin);

// For the layers above: adds kinds of objects. Called while the module is made.
void add_known_memory(BufferOf buffer_of);

// Asks for all kinds of objects.
Buffer *known_memory(PyObject *object, char *&begin);

} // namespace pygpu::arrays
