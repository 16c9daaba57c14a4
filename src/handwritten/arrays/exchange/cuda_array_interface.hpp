// The CUDA Array Interface, version 3: that of all arrays of PyGPU, and reading that of other libraries.
#pragma once

#include "arrays/exchange/imported.hpp"
#include "python/reference.hpp"

#include <Python.h>

namespace pygpu::arrays {

// The description of an array; all borrowed.
struct Described {
    PyObject *shape;
    PyObject *strides; // null if the elements are compact in C order
    PyObject *typestr;
    PyObject *fields; // the dtype's `descr`; null if it has no fields
};

// A dtype as `typestr` and `descr` of the interface; `fields` stays empty if there are none. False with an
// exception set.
bool describe_dtype(PyObject *dtype, Reference &typestr, Reference &fields);

// The interface of an array that begins at `data` (null for one without elements). Its `stream` is the stream
// that the memory follows. That stream comes after all work that PyGPU has queued on the memory on any
// stream. The protocol has no number for HIP's default stream, so then the call waits for that stream.
// GPUError; AttributeError on the host runtime, whose memory is not on a device. `call` begins the message.
PyObject *cuda_array_interface(const char *call, const Retained<Buffer> &buffer, void *data,
                               const Described &array);

// Imports the memory behind the interface of another library's object. `object` keeps the memory alive. The
// memory's stream waits by an event for the stream that the interface names. `dtype` owns the dtype that
// `imported` borrows. False with BufferError (for a masked array, for example), TypeError, ValueError or
// GPUError set.
bool import_interface(const char *call, const Runtime &runtime, PyObject *object, PyObject *interface,
                      const StreamArgument &stream, Imported &imported, Reference &dtype);

} // namespace pygpu::arrays
