// PyGPU.Stream: a stream as an object, owned or another's.
#pragma once

#include "arrays/memory/buffer.hpp"
#include "arrays/runtime/runtime.hpp"
#include "interpreter/reference.hpp"

#include <Python.h>

namespace pygpu::arrays {

struct StreamObject {
    PyObject_HEAD
    Runtime *runtime;
    Stream stream;
    int device;
    bool owned;
    Epoch epoch;
    Reference keeper; // what keeps another's stream alive

    // By a fork or a reset of its device; the default streams never do.
    bool ended() const { return owned && epoch != epoch_of(device); }
};

PyTypeObject *stream_type();                   // null with an exception set
StreamObject *stream_object(PyObject *object); // null for another type; borrowed

} // namespace pygpu::arrays
