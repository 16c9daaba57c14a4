// Reading shapes.
#include "arrays/types/per_dtype/extent.hpp"

#include "arrays/base/layout.hpp"
#include "binding/argument_errors.hpp"
#include "common/checked_int.hpp"
#include "convert/memory.hpp"
#include "convert/sizes.hpp"

namespace pygpu::arrays {
namespace {

bool negative(const char *call, PyObject *size) {
    PyErr_Format(PyExc_ValueError, "%s(): size %R is negative", call, size);
    return false;
}

bool load_size(PyObject *object, const char *call, Py_ssize_t &size) {
    if (!is_size(object)) {
        PyErr_Format(PyExc_TypeError, "%s(): a size must be an int, not %.80s", call,
                     type_description(object));
        return false;
    }
    size = PyNumber_AsSsize_t(object, PyExc_OverflowError);
    if (size == -1 && PyErr_Occurred()) return false;
    return size >= 0 || negative(call, object);
}

// The strides in C order and the number of items; false if that is more than any memory.
bool c_strides(const Py_ssize_t *shape, Py_ssize_t axes, Py_ssize_t item_size, Py_ssize_t *strides,
               Py_ssize_t &count) {
    Py_ssize_t stride = item_size;
    bool empty = false;
    for (Py_ssize_t axis = axes; axis-- > 0;) {
        strides[axis] = stride;
        if (!shape[axis])
            empty = true;
        else if (!(CheckedInt(stride) * shape[axis]).fits(stride))
            return false;
    }
    count = empty ? 0 : stride / item_size;
    return true;
}

} // namespace

bool load_extent(PyObject *sizes, Py_ssize_t item_size, const char *call, Extent &extent) {
    Py_ssize_t shape[most_axes], strides[most_axes], axes = 1;
    if (PyList_Check(sizes) || PyTuple_Check(sizes)) {
        Reference all(PySequence_Tuple(sizes)); // reading an item may run code that changes a list
        if (!all) return false;
        axes = PyTuple_GET_SIZE(all.get());
        if (axes > most_axes) {
            PyErr_Format(PyExc_ValueError, "%s(): %zd axes, at most %d are possible", call, axes, most_axes);
            return false;
        }
        for (Py_ssize_t axis = 0; axis < axes; ++axis) {
            if (!load_size(PyTuple_GET_ITEM(all.get(), axis), call, shape[axis])) return false;
        }
    } else if (!load_size(sizes, call, shape[0])) {
        return false;
    }
    if (!c_strides(shape, axes, item_size, strides, extent.count)) {
        PyErr_Format(PyExc_ValueError, "%s(): the sizes %R are more than there is memory", call, sizes);
        return false;
    }
    extent.shape = Reference(sizes_to_python(shape, axes));
    extent.strides = Reference(sizes_to_python(strides, axes));
    return extent.shape && extent.strides;
}

bool take_extent(const Py_buffer &buffer, Extent &extent) {
    Py_ssize_t plain[most_axes] = {};
    const Py_ssize_t *strides = buffer.strides;
    if (!strides) { // ctypes gives no strides
        c_strides(buffer.shape, buffer.ndim, buffer.itemsize, plain, extent.count);
        strides = plain;
    }
    extent.count = buffer.len / buffer.itemsize;
    extent.shape = Reference(sizes_to_python(buffer.shape, buffer.ndim));
    extent.strides = Reference(sizes_to_python(strides, buffer.ndim));
    return extent.shape && extent.strides;
}

} // namespace pygpu::arrays
