// Reading operands, broadcasting their shapes, and joining the axes of a loop over them.
#include "kernels/operands.hpp"

#include "arrays/base/numpy.hpp"
#include "arrays/types/gpu_array/exchange.hpp"
#include "convert/sequences.hpp"

#include <algorithm>
#include <cstdlib>
#include <span>
#include <string>
#include <utility>

namespace pygpu::kernels {
namespace {

using arrays::Layout;

bool is_python_number(PyObject *object) {
    return PyFloat_CheckExact(object) || PyLong_CheckExact(object) || PyBool_Check(object) ||
           PyComplex_CheckExact(object);
}

// A scalar of numpy, or the scalar in an array without axes; empty for anything else.
Reference numpy_scalar(PyObject *object) {
    static PyObject *const names[] = {PyUnicode_InternFromString("dtype"),
                                      PyUnicode_InternFromString("shape"),
                                      PyUnicode_InternFromString("item")};
    if (!names[2]) return {};
    const Reference dtype(PyObject_GetAttr(object, names[0]));
    const Reference shape(dtype ? PyObject_GetAttr(object, names[1]) : nullptr);
    if (!shape) {
        if (PyErr_ExceptionMatches(PyExc_AttributeError)) PyErr_Clear();
        return {};
    }
    if (!PyTuple_Check(shape.get()) || PyTuple_GET_SIZE(shape.get())) return {};
    if (!PyType_IsSubtype(Py_TYPE(object), reinterpret_cast<PyTypeObject *>(arrays::numpy()->ndarray)))
        return Reference::borrow(object);
    const Reference index(PyTuple_New(0));
    return Reference(index ? PyObject_GetItem(object, index.get()) : nullptr);
}

// Every axis of the loop, before neighbours are joined. The strides of axes that are repeated are 0.
struct FullLoop {
    int axes = 0;
    ssize_t extents[arrays::most_axes];
    ssize_t strides[most_operands][arrays::most_axes];

    FullLoop(const Operands &operands, const Layout &shape) {
        for (int axis = 0; axis < shape.axes; ++axis) {
            if (shape.shape[axis] == 1) continue;
            extents[axes] = shape.shape[axis];
            for (int at = 0; at < operands.count; ++at)
                strides[at][axes] = stride_of(operands.all[static_cast<std::size_t>(at)], shape, axis);
            ++axes;
        }
    }

    static ssize_t stride_of(const Operand &operand, const Layout &shape, int axis) {
        if (!operand.array || operand.plain) return 0;
        const int own = axis - (shape.axes - operand.array->axes());
        return own < 0 || operand.array->shape()[own] == 1 ? 0 : operand.array->strides()[own];
    }

    void swap(int one, int other, int count) {
        std::swap(extents[one], extents[other]);
        for (int at = 0; at < count; ++at) std::swap(strides[at][one], strides[at][other]);
    }

    // The greatest stride of the first array first; the order of axes where that doesn't decide.
    void sort(int by, int count) {
        for (int end = 1; end < axes; ++end)
            for (int at = end; at && std::abs(strides[by][at - 1]) < std::abs(strides[by][at]); --at)
                swap(at - 1, at, count);
    }

    void join(int count) {
        int last = 0;
        for (int axis = 1; axis < axes; ++axis) {
            const bool joined =
                std::ranges::all_of(std::span(strides, static_cast<std::size_t>(count)),
                                    [&](const auto &one) { return one[last] == one[axis] * extents[axis]; });
            if (joined)
                extents[last] *= extents[axis];
            else if (++last != axis)
                extents[last] = extents[axis];
            for (int at = 0; at < count; ++at) strides[at][last] = strides[at][axis];
        }
        axes = axes ? last + 1 : 0;
    }

    // Whether each array is one run of elements, which the loop visits in the order of memory.
    bool is_run(const Operands &operands) const {
        if (axes > 1) return false;
        for (int at = 0; at < operands.count && axes; ++at) {
            const Operand &one = operands.all[static_cast<std::size_t>(at)];
            if (one.array && !one.plain && strides[at][0] != one.array->itemsize) return false;
        }
        return true;
    }
};

int first_array_of(const Operands &operands) {
    const Operand *first = operands.first_array();
    return first ? static_cast<int>(first - operands.begin()) : 0;
}

} // namespace

bool load_operand(PyObject *object, const char *call, PyObject *stream, Operand &operand, bool &known) {
    known = true;
    if (arrays::is_array(object)) {
        operand.owner = Reference::borrow(object);
        operand.array = &arrays::array_of(object);
        return true;
    }
    if (is_python_number(object)) {
        operand.owner = Reference::borrow(object);
        return true;
    }
    Reference shared;
    if (!arrays::load_shared(object, call, stream, shared)) return false;
    if (shared) {
        operand.array = &arrays::array_of(shared.get());
        operand.owner = std::move(shared);
        return true;
    }
    if (!arrays::numpy()) return false;
    operand.owner = numpy_scalar(object);
    if (PyErr_Occurred()) return false;
    // A class of a user's, such as an IntEnum, is the number that it holds.
    if (!operand.owner && PyLong_Check(object)) operand.owner = Reference(PyNumber_Long(object));
    if (!operand.owner && PyFloat_Check(object))
        operand.owner = Reference(PyFloat_FromDouble(PyFloat_AS_DOUBLE(object)));
    known = static_cast<bool>(operand.owner);
    return known || !PyErr_Occurred();
}

const Operand *Operands::first_array() const {
    const auto *found =
        std::ranges::find_if(*this, [](const Operand &one) { return one.array && !one.plain; });
    return found == end() ? nullptr : found;
}

bool broadcast_shape(const Operands &operands, int first, const char *call, Layout &shape) {
    shape.axes = 0;
    for (const Operand &one : std::span(operands.begin() + first, operands.end())) {
        if (!one.array) continue;
        const int axes = one.array->axes(), added = axes - shape.axes;
        if (added > 0) { // its further axes stand in front
            std::copy_backward(shape.shape, shape.shape + shape.axes, shape.shape + axes);
            std::fill_n(shape.shape, added, 1);
            shape.axes = axes;
        }
        for (int axis = 0; axis < axes; ++axis) {
            ssize_t &extent = shape.shape[axis + shape.axes - axes];
            const ssize_t own = one.array->shape()[axis];
            if (extent == 1) extent = own;
            if (own == extent || own == 1) continue;
            std::string shapes;
            for (const Operand &each : std::span(operands.begin() + first, operands.end())) {
                const Reference text(
                    each.array ? arrays::sizes_to_python(each.array->shape(), each.array->axes()) : nullptr);
                const Reference written(text ? PyObject_Str(text.get()) : nullptr);
                if (written)
                    shapes += std::string(shapes.empty() ? "" : " ") + PyUnicode_AsUTF8(written.get());
            }
            PyErr_Format(PyExc_ValueError, "%s: the shapes don't fit together: %s", call, shapes.c_str());
            return false;
        }
    }
    return true;
}

bool plan_loop(const Operands &operands, const Layout &shape, LoopOrder order, const char *call, Loop &loop) {
    FullLoop full(operands, shape);
    for (int axis = 0; axis < full.axes; ++axis) loop.count *= static_cast<std::uint64_t>(full.extents[axis]);
    const FullLoop unsorted(full);
    full.sort(first_array_of(operands), operands.count);
    full.join(operands.count);
    if (full.is_run(operands)) return true;
    if (order == LoopOrder::indices) {
        full = unsorted;
        full.join(operands.count);
    }
    if (full.axes > most_loop_axes) {
        PyErr_Format(
            PyExc_ValueError,
            "%s: the arrays have %d axes that can't be joined, at most %d: copy(\"C\") has them in one order",
            call, full.axes, most_loop_axes);
        return false;
    }
    loop.axes = full.axes;
    for (int axis = 0; axis < full.axes; ++axis) {
        const auto to = static_cast<std::size_t>(axis);
        loop.extents[to] = static_cast<std::uint64_t>(full.extents[axis]);
        for (int at = 0; at < operands.count; ++at)
            loop.strides[static_cast<std::size_t>(at)][to] = full.strides[at][axis];
    }
    return true;
}

} // namespace pygpu::kernels
