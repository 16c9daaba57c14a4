// PyGPU.Stream: an object for a stream, which it owns or which belongs to other code.
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
    Reference owner; // the object that keeps a stream of other code alive

    // By a fork or a reset of its device, or because it was destroyed. Default streams never end.
    bool ended() const { return destroyed || (owned && generation != generation_of(device)); }
};

inline PyTypeObject *stream_class = nullptr; // of stream_type(), once it was called

// Null for another type; borrowed.
inline StreamObject *stream_object(PyObject *object) {
    return stream_class && Py_TYPE(object) == stream_class ? reinterpret_cast<StreamObject *>(object)
                                                           : nullptr;
}

// Whether a function of C has destroyed the stream of this owner. The stream can't be queried any more, but
// its work may still be under way.
bool is_gone(PyObject *owner);

// Call before an owned stream ends, or after C has destroyed it: gives back the memory that is kept for its
// next arrays. block_cache.cpp sets it when it first keeps some. Guarded by the GIL.
inline void (*stream_ends)(StreamObject &stream) = nullptr;

} // namespace pygpu::arrays
