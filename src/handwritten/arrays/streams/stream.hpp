// PyGPU.Stream: a stream as an object, owned or another's.
#pragma once

#include "arrays/base/runtime.hpp"
#include "python/reference.hpp"
#include "runtime/generation.hpp"

#include <Python.h>

namespace pygpu::arrays {

struct StreamObject {
    PyObject_HEAD
    Runtime *runtime;
    Stream stream;
    int device;
    bool owned;
    bool destroyed; // by a function of C
    DeviceGeneration generation;
    Reference owner; // what keeps another's stream alive

    // By a fork or a reset of its device, or destroyed; the default streams never do.
    bool ended() const { return destroyed || (owned && generation != generation_of(device)); }
};

PyTypeObject *stream_type();                   // null with an exception set
StreamObject *stream_object(PyObject *object); // null for another type; borrowed

// Whether an owner's stream was destroyed by a function of C: it can't be queried any more, while its
// work may still be under way.
bool is_gone(PyObject *owner);

} // namespace pygpu::arrays
