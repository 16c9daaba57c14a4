// The table of the dtypes that have their own classes (DeviceArray_int64, …).
#pragma once

#include "convert/element.hpp"

#include <Python.h>

#include <cstddef>

namespace pygpu::arrays {

struct DType {
    const char *name;    // numpy's, the suffix of the classes
    char kind;           // numpy's letter: b(ool), i, u, f, c
    std::size_t size;    // bytes
    const char *typestr; // of the array interfaces
    const char *format;  // the letter for a buffer's format, as numpy writes it for this dtype

    Element element() const { return element_of(kind, size); }
};

inline constexpr DType dtypes[] = {
    {"bool", 'b', 1, "|b1", "?"},       {"int8", 'i', 1, "|i1", "b"},
    {"int16", 'i', 2, "<i2", "h"},      {"int32", 'i', 4, "<i4", "i"},
    {"int64", 'i', 8, "<i8", "l"},      {"uint8", 'u', 1, "|u1", "B"},
    {"uint16", 'u', 2, "<u2", "H"},     {"uint32", 'u', 4, "<u4", "I"},
    {"uint64", 'u', 8, "<u8", "L"},     {"float16", 'f', 2, "<f2", "e"},
    {"float32", 'f', 4, "<f4", "f"},    {"float64", 'f', 8, "<f8", "d"},
    {"complex64", 'c', 8, "<c8", "Zf"}, {"complex128", 'c', 16, "<c16", "Zd"},
};

inline constexpr std::size_t dtype_count = sizeof dtypes / sizeof *dtypes;

// Null if no dtype has this kind and size.
const DType *find_dtype(char kind, std::size_t size);

// Whether a buffer's items have this dtype. Compares kind and size, because one dtype has several letters
// (numpy.longlong is an int64). If not, sets a TypeError that names the right class. `call` begins the
// message, and `family` is the start of the class names ("DeviceArray").
bool check_items(const DType &dtype, const Py_buffer &buffer, const char *call, const char *family);

} // namespace pygpu::arrays
