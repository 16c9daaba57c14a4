// The `stream=` argument: PyGPU's streams, an int, anything with __cuda_stream__, None for the current one.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/streams/device_of.hpp"

#include <Python.h>

namespace pygpu::arrays {

struct StreamArgument {
    Stream stream = nullptr;
    PyObject *owner = nullptr; // borrowed: the object that keeps the stream alive, if there is one
    int device = any_device;   // the stream's device
    bool current = false;      // it is the current stream, because none was named

    bool is_of(int other) const { return device == any_device || device == other; }
    // Whether it is the default stream because no stream was named and no block is open.
    bool is_default() const { return current && !owner; }
};

// False with TypeError, ValueError or OverflowError set; `call` is for the message.
bool load_stream(PyObject *object, const char *call, StreamArgument &stream);

// The stream of this thread's innermost `with PyGPU.Stream():`, or the default stream.
StreamArgument current_stream();

// The stream that work and memory of a device follow if `requested` was asked for. It is `requested` if that
// is a stream of the device. Otherwise it is the device's current stream, as with torch: the stream of an
// open block, or the default stream.
StreamArgument stream_on(const StreamArgument &requested, int device);

// A PyGPU.Stream is current until its block is left. Blocks nest. `device` is the device that was current
// before the block. leave_stream() returns false if this thread's innermost block is another stream's.
void enter_stream(PyObject *owner, int device);
bool leave_stream(PyObject *owner, int &device);

} // namespace pygpu::arrays
