// Streams of other packages: how each hands out the address.
#pragma once

#include "python/reference.hpp"

#include <Python.h>

#include <cstdint>

namespace pygpu {

enum class ForeignStream : std::uint8_t {
    none,      // the object is no stream that anybody knows
    address,   // its address is known
    malformed, // its __cuda_stream__ gives something else than (0, address)
    failed     // it raised an exception, which is still set
};

// Reads __cuda_stream__ (cuda.core and current versions of CuPy, numba and PyGPU), else cuda_stream (torch).
// The attributes ptr (CuPy) and handle (numba, PyCUDA) are read only from a class with Stream in its name,
// because memory may have them, too. The caller has to check the address that is found like any other
// argument.
ForeignStream foreign_stream(PyObject *object, Reference &address);

} // namespace pygpu
