// What is known of a kernel's parameters: how many there are, their sizes, and often their kinds.
#pragma once

#include <Python.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pygpu::kernels {

// What a parameter holds, as far as PTX, mangled names or the sizes alone tell.
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

// From a sequence of (size, kind, …), the kinds being "integer", "float", "pointer", "word", "bytes" and "".
// False with an exception set.
bool load_parameters(PyObject *object, std::vector<Parameter> &parameters);

} // namespace pygpu::kernels
