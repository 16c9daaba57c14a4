// The operands of an elementwise kernel: arrays and numbers, their common shape, and the loop over all
// elements.
#pragma once

#include "arrays/base/layout.hpp"
#include "arrays/types/gpu_array/array.hpp"
#include "python/reference.hpp"

#include <Python.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <sys/types.h>

namespace pygpu::kernels {

inline constexpr int most_operands = 24, most_loop_axes = 8;

struct Operand {
    Reference owner;                // the array, or the number
    arrays::Array *array = nullptr; // null for a number
    bool plain = false;             // a contiguous array of another shape: the kernel gets its address alone

    // What the types of a kernel depend on: an array's dtype, or the type of a number. Borrowed.
    PyObject *kind() const {
        return array ? array->dtype : reinterpret_cast<PyObject *>(Py_TYPE(owner.get()));
    }
};

// Reads an operand: an array, an object that shares a device's memory, a number of Python or numpy. `known`
// is false for anything else. False with an exception set.
bool load_operand(PyObject *object, const char *call, PyObject *stream, Operand &operand, bool &known);

// The operands of one call; the outputs come first.
struct Operands {
    int count = 0;
    std::array<Operand, most_operands> all;

    const Operand *begin() const { return all.data(); }
    const Operand *end() const { return all.data() + count; }
    Operand *begin() { return all.data(); }
    Operand *end() { return all.data() + count; }

    const Operand *first_array() const; // null if there is none
};

// The shape that all arrays from the operand `first` on have together, by numpy's rules. False with
// ValueError set.
bool broadcast_shape(const Operands &operands, int first, const char *call, arrays::Layout &shape);

// A loop over the elements of a shape: the extents of its axes, the outermost first, and the strides of each
// operand, in bytes. Neighbouring axes that all operands cross in one step are joined.
struct Loop {
    std::uint64_t count = 1; // elements
    int axes = 0;            // 0 if all operands are one run of elements
    std::array<std::uint64_t, most_loop_axes> extents;
    std::array<std::array<std::int64_t, most_loop_axes>, most_operands> strides;
};

// How the axes of a loop are ordered.
enum class LoopOrder : unsigned char {
    memory,  // as the first operand lies in memory
    indices, // as C orders the indices, unless all operands are one run of elements in the same order
};

// Plans the loop over operands that fit the shape. False with ValueError set for more axes than a kernel
// takes.
bool plan_loop(const Operands &operands, const arrays::Layout &shape, LoopOrder order, const char *call,
               Loop &loop);

} // namespace pygpu::kernels
