// Streams of other packages: how each hands out the address.
#pragma once

#include "python/reference.hpp"

#include <Python.h>

#include <cstdint>

namespace pygpu {

enum class ForeignStream : std::uint8_t {
    none,      // the object is no stream that anybody knows
    found,     // its address is known
    malformed, // it has __cuda_stream__, which gives something else than (0, address)
    failed     // it raised an exception, which is set
};

// Reads __cuda_stream__ (cuda.core, CuPy, numba and PyGPU of today), else cuda_stream (torch), and of a class
// with Stream in its name ptr (CuPy) or handle (numba, PyCUDA): memory may have attributes of these names,
// too. What is found has to be checked as an int is.
ForeignStream foreign_stream(PyObject *object, Reference &address);

} // namespace pygpu
