// The known facts about a kernel's parameters: their number, their sizes, and often their kinds.
#pragma once

#include <Python.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pygpu::kernels {

// The kind of a parameter, as far as PTX, mangled names or the sizes tell.
enum class Holds : std::uint8_t {
    anything, // only the size is known
    integer,
    real, // float or double
    pointer,
    word, // an integer of 8 bytes or a pointer
    bytes // a struct
};

struct Parameter {
    std::size_t size;
    Holds holds;
};

// Reads a sequence of (size, kind, …). Kinds are "integer", "float", "pointer", "word", "bytes" and "". False
// with an exception set.
bool load_parameters(PyObject *object, std::vector<Parameter> &parameters);

} // namespace pygpu::kernels
