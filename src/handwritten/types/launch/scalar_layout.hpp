// Where the scalars of numpy and ctypes hold their bytes, learnt from the buffers that they export.
#pragma once

#include <Python.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace pygpu {

// What a value says of itself, by the format of its buffer.
enum class Written : std::uint8_t { unknown, integer, real, complex, pointer, handle };

Written written_as(const char *format); // null is bytes; structs and bytes are unknown

// Of a type that was learnt.
struct ScalarLayout {
    std::atomic<const PyTypeObject *> type = nullptr; // written after the rest; null in a free entry
    std::uint16_t offset = 0;
    std::uint16_t size = 0;
    Written written = Written::unknown;
    bool is_address = false; // of the bytes: what lies there

    // The bytes of an object of this type. They live as long as the object, but for ctypes.resize().
    const void *bytes(PyObject *object) const {
        const std::byte *place = reinterpret_cast<const std::byte *>(object) + offset;
        return is_address ? *reinterpret_cast<void *const *>(place) : place;
    }
};

// A small table, read without a lock: each type has the entry that its address leads to, or the next free
// one. Half of them stay free, so that every search ends.
inline std::array<ScalarLayout, 128> scalar_layouts;

// The layout of a type, or the free entry that would be its own.
inline ScalarLayout &scalar_layout(const PyTypeObject *type, bool &learnt) {
    for (std::size_t at = reinterpret_cast<std::uintptr_t>(type) / alignof(std::max_align_t);; ++at) {
        ScalarLayout &one = scalar_layouts[at % scalar_layouts.size()];
        const PyTypeObject *there = one.type.load(std::memory_order_acquire);
        learnt = there == type;
        if (learnt || !there) return one;
    }
}

// The layout of an object whose type was learnt; null for any other.
inline const ScalarLayout *layout_of_scalar(PyObject *object) {
    bool learnt = false;
    const ScalarLayout &found = scalar_layout(Py_TYPE(object), learnt);
    return learnt ? &found : nullptr;
}

// Learns from a buffer that `object` exported: of numpy's types, which hold the value itself, and of ctypes'
// own, which hold its address.
void learn_scalar(PyObject *object, const Py_buffer &buffer);

} // namespace pygpu
