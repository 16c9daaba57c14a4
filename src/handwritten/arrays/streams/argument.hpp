// The `stream=` argument: PyGPU's streams, an int, anything with __cuda_stream__, None for the current one.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/streams/device_of.hpp"

#include <Python.h>

namespace pygpu::arrays {

struct StreamArgument {
    Stream stream = nullptr;
    PyObject *owner = nullptr; // borrowed: the object that keeps the stream alive, where there is one
    int device = any_device;   // whose stream it is
    bool current = false;      // the current one: none was named

    bool is_of(int other) const { return device == any_device || device == other; }
};

// False with TypeError, ValueError or OverflowError set; `call` is for the message.
bool load_stream(PyObject *object, const char *call, StreamArgument &stream);

// The stream of the innermost `with PyGPU.Stream():` of this thread, else the default stream.
StreamArgument current_stream();

// The stream that work and memory of a device follow where `requested` was: that one where it is the
// device's; else, as with torch, the device's own current stream, which is the default one where no block is
// open.
StreamArgument stream_on(const StreamArgument &requested, int device);

// Blocks nest: a PyGPU.Stream is current until its block is left. `device` is what was current before.
// Leaving is false where the innermost block of this thread is another's.
void enter_stream(PyObject *owner, int device);
bool leave_stream(PyObject *owner, int &device);

} // namespace pygpu::arrays
