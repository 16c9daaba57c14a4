// reshape(): a view if the strides allow it, else a view of a copy.
#include "arrays/types/gpu_array/array.hpp"

#include "common/checked_int.hpp"
#include "python/reference.hpp"

namespace pygpu::arrays {
namespace {

// Replaces -1 by the extent that fits; false with ValueError set if none fits.
bool resolve_shape(const Array &array, Layout &to) {
    const ssize_t count = array.layout().count();
    CheckedInt<ssize_t> product = 1; // if it is out of range, no array has so many elements
    int open = -1;
    for (int axis = 0; axis < to.axes; ++axis) {
        if (to.shape[axis] == -1 && open < 0) {
            open = axis;
        } else if (to.shape[axis] < 0) {
            PyErr_Format(PyExc_ValueError, "GPUArray.reshape(): %s",
                         to.shape[axis] == -1 ? "can only specify one unknown dimension"
                                              : "negative dimensions are not allowed");
            return false;
        } else {
            product *= to.shape[axis];
        }
    }
    ssize_t known = 0;
    const bool fits = product.fits(known);
    std::size_t bytes = 0;
    if (fits && open >= 0 && known && count % known == 0) {
        known = count;
        to.shape[open] = count / product.value_or(1);
        open = -1;
    }
    if (fits && open < 0 && known == count && bytes_of(to, bytes)) return true;
    Reference shape(sizes_to_python(to.shape, to.axes));
    if (shape)
        PyErr_Format(PyExc_ValueError, "GPUArray.reshape(): cannot reshape array of size %zd into shape %R",
                     count, shape.get());
    return false;
}

} // namespace

PyObject *reshape(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    constexpr const char *call = "GPUArray.reshape()";
    Array &array = array_of(self);
    char order = 'C';
    PyObject *shape = nullptr;
    const Py_ssize_t named = keywords ? PyTuple_GET_SIZE(keywords) : 0;
    for (Py_ssize_t at = 0; at < named; ++at) {
        PyObject *name = PyTuple_GET_ITEM(keywords, at);
        if (PyUnicode_CompareWithASCIIString(name, "order") == 0) {
            if (!load_order(args[count + at], call, order, &array)) return nullptr;
        } else if (PyUnicode_CompareWithASCIIString(name, "shape") == 0 && !count) {
            shape = args[count + at];
        } else {
            return PyErr_Format(PyExc_TypeError, "%s: there is no parameter %R", call, name);
        }
    }
    if (count == 1) shape = args[0];
    Layout to;
    to.itemsize = array.itemsize;
    if (count > 1) {
        if (count > most_axes) return PyErr_Format(PyExc_ValueError, "%s: at most %d axes", call, most_axes);
        to.axes = static_cast<int>(count);
        for (int axis = 0; axis < to.axes; ++axis) {
            if (!load_int(args[axis], call, "shape", to.shape[axis])) return nullptr;
        }
    } else if (!shape) {
        return PyErr_Format(PyExc_TypeError, "%s: a shape is missing", call);
    } else if (!load_sizes(shape, call, "shape", to.shape, to.axes)) {
        return nullptr;
    }
    return resolve_shape(array, to) ? reshaped(self, to, order) : nullptr;
}

PyObject *reshaped(PyObject *self, Layout to, char order) {
    if (reshape_in_place(array_of(self).layout(), to, order)) return make_view(self, to, 0);
    const Reference packed(compact_copy(self, order, current_stream(), false, "GPUArray.copy()"));
    if (!packed) return nullptr;
    to.set_strides(order);
    return make_view(packed.get(), to, 0);
}

} // namespace pygpu::arrays
