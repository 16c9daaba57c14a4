// The known facts about a kernel's parameters: their number, their sizes, and often their kinds.
#pragma once

#include "convert/element.hpp"

#include <Python.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pygpu::kernels {

// The kind of a parameter, as far as PTX, mangled names or the sizes show.
enum class Holds : std::uint8_t {
    anything, // only the size is known
    integer,
    real, // float or double
    pointer,
    word, // an integer of 8 bytes or a pointer
    bytes // a struct
};

// Which numbers an integer may be.
enum class Range : std::uint8_t {
    any, // from the least signed to the largest unsigned number
    is_signed,
    is_unsigned,
    boolean
};

struct Parameter {
    std::size_t size;
    Holds holds;
    Range range = Range::any;
    Element element; // behind a pointer
};

// Reads a sequence of (size, kind, signed, offset, type, element), of which the first two are needed. Kinds
// are "integer", "float", "pointer", "word", "bytes" and "". `signed` is None where that isn't known. Of the
// types, "bool" counts. An element is a kind of convert/element.hpp with a size, as in "f4". False with an
// exception set.
bool load_parameters(PyObject *object, std::vector<Parameter> &parameters);

// The parameter as it was declared, with what the code says of it. False if they contradict each other.
bool join(const Parameter &known, Parameter &declared);

const char *described(Holds holds);

} // namespace pygpu::kernels
