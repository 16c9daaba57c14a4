// The CUDA Array Interface, version 3, of all arrays, and of others'.
#pragma once

#include "arrays/exchange/imported.hpp"
#include "python/reference.hpp"

#include <Python.h>

namespace pygpu::arrays {

// What an array says of itself; all borrowed.
struct Described {
    PyObject *shape;
    PyObject *strides; // null where the elements are compact in C order
    PyObject *typestr;
    PyObject *fields; // the dtype's `descr`; null where it has no fields
};

// A dtype in the interface's words; `fields` stays empty where it has none. False with an exception set.
bool describe_dtype(PyObject *dtype, Reference &typestr, Reference &fields);

// The interface of an array that begins at `data` (null for one without elements). Its stream is the memory's
// own: that comes after all that PyGPU queued on the memory, on whatever stream, and so does who goes on
// there. The protocol has no number for HIP's default stream: all is waited for then. GPUError;
// AttributeError on the host runtime, whose memory no device has. `call` begins the message.
PyObject *cuda_array_interface(const char *call, const Retained<Buffer> &buffer, void *data,
                               const Described &array);

// The memory behind another's interface, which `object` keeps alive; the memory's stream comes after the one
// that is named there, by an event. `dtype` owns what `made` borrows. False with BufferError, for a masked
// array say, TypeError, ValueError or GPUError set.
bool import_interface(const char *call, const Runtime &runtime, PyObject *object, PyObject *interface,
                      const StreamArgument &stream, Imported &made, Reference &dtype);

} // namespace pygpu::arrays
