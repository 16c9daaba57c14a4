// Converting numpy's dtypes to DLPack's types, and back.
#pragma once

#include <Python.h>
#include <dlpack/dlpack.h>
#include <sys/types.h>

namespace pygpu::arrays {

// False with BufferError set if DLPack has no code for the dtype: structures, text, dates, foreign byte
// orders.
bool load_dlpack_type(PyObject *dtype, ssize_t itemsize, DLDataType &type);

// The dtype, borrowed; null with BufferError set. `call` begins the message.
PyObject *dtype_of(const char *call, const DLDataType &type);
// The same, but raw bytes stand for a type that isn't numpy's own: nothing needs the package ml_dtypes.
PyObject *dtype_or_bytes_of(const char *call, const DLDataType &type);

} // namespace pygpu::arrays
