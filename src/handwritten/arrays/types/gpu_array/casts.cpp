// The cast that two dtypes need.
#include "arrays/exchange/dtype.hpp"
#include "arrays/types/gpu_array/array.hpp"

#include <climits>

namespace pygpu::arrays {
namespace {

// What the elements of a dtype are; none if they are no numbers that can be cast, or of foreign byte order.
std::optional<Number> number_of(PyObject *dtype, ssize_t itemsize) {
    using Kind = Number::Kind;
    DLDataType type{};
    if (!load_dlpack_type(dtype, itemsize, type)) {
        PyErr_Clear();
        return std::nullopt;
    }
    const ssize_t size = type.bits / CHAR_BIT;
    switch (type.code) {
    case kDLBool:
        return Number{Kind::boolean, size};
    case kDLInt:
        return Number{Kind::with_sign, size};
    case kDLUInt:
        return Number{Kind::without_sign, size};
    case kDLFloat:
        return Number{Kind::real, size};
    case kDLBfloat:
        return Number{Kind::brain, size};
    case kDLComplex:
        return Number{Kind::complex, size};
    default:
        return std::nullopt;
    }
}

} // namespace

std::optional<Cast> find_cast(PyObject *from, ssize_t from_size, PyObject *to, ssize_t to_size, Axes &axes) {
    const std::optional<Number> one = number_of(from, from_size), other = number_of(to, to_size);
    return one && other ? cast_of(*one, *other, axes) : std::nullopt;
}

} // namespace pygpu::arrays
