// Where the scalars of numpy and ctypes hold their bytes, learnt from the buffers that they export.
#pragma once

#include <Python.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace pygpu {

// What kind of value it is, as the format of its buffer says.
enum class ScalarKind : std::uint8_t { unknown, integer, real, complex, pointer, handle };

ScalarKind scalar_kind(const char *format); // null means bytes; bytes and structs are `unknown`

// The layout of a type that was learnt.
struct ScalarLayout {
    std::atomic<const PyTypeObject *> type = nullptr; // written after the rest; null in a free entry
    std::uint16_t offset = 0;
    std::uint16_t size = 0;
    ScalarKind kind = ScalarKind::unknown;
    bool is_address = false; // the object holds the address of its bytes

    // The bytes of an object of this type. They live as long as the object, unless ctypes.resize() moves
    // them.
    const void *bytes(PyObject *object) const {
        const std::byte *place = reinterpret_cast<const std::byte *>(object) + offset;
        return is_address ? *reinterpret_cast<void *const *>(place) : place;
    }
};

// A small hash table that is read without a lock. The address of a type selects its entry; if that is taken,
// the next free entry is used. Half of the entries stay free, so that every search ends.
extern std::array<ScalarLayout, 128> scalar_layouts;

// The entry of a type, or the free entry where it would go.
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
    const ScalarLayout &layout = scalar_layout(Py_TYPE(object), learnt);
    return learnt ? &layout : nullptr;
}

// Learns the layout of an object's type from the buffer that the object exported. numpy's scalars hold the
// value itself, ctypes' own scalars hold its address.
void learn_scalar(PyObject *object, const Py_buffer &buffer);

} // namespace pygpu
