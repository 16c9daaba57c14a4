// The `stream=` argument: PyGPU's streams, an int, anything with __cuda_stream__, None for the current one.
#pragma once

#include "arrays/runtime/runtime.hpp"

#include <Python.h>

namespace pygpu::arrays {

struct StreamArgument {
    Stream stream = nullptr;
    PyObject *keeper = nullptr; // borrowed: the object that keeps the stream alive, where there is one
};

// False with TypeError, ValueError or OverflowError set; `call` is for the message.
bool load_stream(PyObject *object, const char *call, StreamArgument &stream);

// The stream of the innermost `with PyGPU.Stream():` of this thread, else the default stream.
StreamArgument current_stream();
void set_current_stream(PyObject *keeper, Stream stream); // holds the keeper; null ends it

// Blocks nest: a stream is current until its block is left. `device` is what was current before. Leaving is
// false where the innermost block of this thread is not the keeper's.
void enter_stream(PyObject *keeper, Stream stream, int device);
bool leave_stream(PyObject *keeper, int &device);

} // namespace pygpu::arrays
