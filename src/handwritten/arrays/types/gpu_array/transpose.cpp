// transpose() and T: views with the axes in another order.
#include "arrays/types/gpu_array/array.hpp"

#include "python/reference.hpp"

namespace pygpu::arrays {
namespace {

// The view whose axis number `at` is the array's axis `order[at]`.
PyObject *turned(PyObject *self, const ssize_t *order) {
    const Array &array = array_of(self);
    Layout view;
    view.axes = array.axes();
    view.itemsize = array.itemsize;
    for (int at = 0; at < view.axes; ++at) {
        view.shape[at] = array.shape()[order[at]];
        view.strides[at] = array.strides()[order[at]];
    }
    return make_view(self, view, 0);
}

// Makes negative numbers count from the end. False with ValueError set unless each axis is there once.
bool check_order(const char *call, ssize_t *order, int count, int axes) {
    bool seen[most_axes] = {};
    if (count != axes) {
        PyErr_Format(PyExc_ValueError, "%s: %d axes for an array of %d", call, count, axes);
        return false;
    }
    for (int at = 0; at < count; ++at) {
        const ssize_t axis = order[at] < 0 ? order[at] + axes : order[at];
        if (axis < 0 || axis >= axes) {
            PyErr_Format(PyExc_ValueError, "%s: axis %zd is out of range for %d axes", call, order[at], axes);
            return false;
        }
        if (seen[axis]) {
            PyErr_Format(PyExc_ValueError, "%s: axis %zd is named twice", call, axis);
            return false;
        }
        seen[axis] = true;
        order[at] = axis;
    }
    return true;
}

} // namespace

PyObject *get_transposed(PyObject *self, void *) {
    ssize_t order[most_axes];
    const int axes = array_of(self).axes();
    for (int at = 0; at < axes; ++at) order[at] = axes - 1 - at;
    return turned(self, order);
}

PyObject *transpose(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    constexpr const char *call = "GPUArray.transpose()";
    ssize_t order[most_axes];
    int axes = 0;
    if (keywords && PyTuple_GET_SIZE(keywords)) {
        PyObject *name = PyTuple_GET_ITEM(keywords, 0);
        if (PyTuple_GET_SIZE(keywords) > 1 || PyUnicode_CompareWithASCIIString(name, "axes") != 0)
            return PyErr_Format(PyExc_TypeError, "%s: the only keyword is 'axes'", call);
        if (count)
            return PyErr_Format(PyExc_TypeError, "%s: give the axes as arguments or as 'axes', not both",
                                call);
        count = 1;
    }
    if (!count || (count == 1 && args[0] == Py_None)) return get_transposed(self, nullptr);
    if (count == 1) {
        if (!load_sizes(args[0], call, "axes", order, axes)) return nullptr;
    } else {
        if (count > most_axes) return PyErr_Format(PyExc_ValueError, "%s: at most %d axes", call, most_axes);
        for (; axes < count; ++axes) {
            if (!load_int(args[axes], call, "axes", order[axes])) return nullptr;
        }
    }
    return check_order(call, order, axes, array_of(self).axes()) ? turned(self, order) : nullptr;
}

} // namespace pygpu::arrays
