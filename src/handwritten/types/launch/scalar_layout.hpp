// Where the scalars of numpy and ctypes hold their bytes, learnt from the buffers that they export.
#pragma once

#include <Python.h>

#include <cstddef>
#include <cstdint>

namespace pygpu {

// What a value says of itself, by the format of its buffer.
enum class Written : std::uint8_t { unknown, integer, real, complex, pointer, handle };

Written written_as(const char *format); // null is bytes; structs and bytes are unknown

struct ScalarBytes {
    const void *data = nullptr; // null where the type is not known
    std::size_t size = 0;
    Written written = Written::unknown;
};

// The bytes of a scalar whose type was learnt. They live as long as the object, but for ctypes.resize().
[[gnu::hot]] ScalarBytes scalar_bytes(PyObject *object);

// Learns from a buffer that `object` exported: of numpy's types, which hold the value itself, and of ctypes'
// own, which hold its address.
void learn_scalar(PyObject *object, const Py_buffer &buffer);

} // namespace pygpu
