// Views by index, with numpy's semantics: ints, slices, Ellipsis, None; fields by name.
#include "arrays/base/numpy.hpp"
#include "arrays/types/gpu_array/array.hpp"
#include "binding/argument_errors.hpp"
#include "common/checked_int.hpp"
#include "python/package.hpp"
#include "python/reference.hpp"

namespace pygpu::arrays {
namespace {

PyObject *fancy(PyObject *key) {
    Reference message(call_in_package(package::refused_index, "(s)", type_description(key)));
    if (message) PyErr_SetObject(PyExc_IndexError, message.get());
    return nullptr;
}

// Applies the parts of an index, axis by axis.
struct Indexing {
    const Array &array;
    Layout view;
    ssize_t offset = 0;
    int axis = 0; // of the array

    explicit Indexing(const Array &array) : array(array) { view.itemsize = array.itemsize; }

    void keep(int count) {
        for (; count > 0; --count, ++axis) add(array.shape()[axis], array.strides()[axis]);
    }

    void add(ssize_t extent, ssize_t stride) {
        view.shape[view.axes] = extent;
        view.strides[view.axes++] = stride;
    }

    bool take_index(ssize_t index) {
        const ssize_t extent = array.shape()[axis];
        const ssize_t position = index < 0 ? index + extent : index;
        if (position < 0 || position >= extent) {
            PyErr_Format(PyExc_IndexError, "index %zd is out of bounds for axis %d with size %zd", index,
                         axis, extent);
            return false;
        }
        offset += position * array.strides()[axis++];
        return true;
    }

    bool take_slice(PyObject *slice) {
        Py_ssize_t start = 0, stop = 0, step = 0;
        if (PySlice_Unpack(slice, &start, &stop, &step)) return false;
        const ssize_t stride = array.strides()[axis];
        const Py_ssize_t extent = PySlice_AdjustIndices(array.shape()[axis++], &start, &stop, step);
        if (extent) offset += start * stride; // an empty slice stays where it is, inside the memory
        add(extent,
            (CheckedInt(stride) * step).value_or(stride)); // out of range for at most one element
        return true;
    }

    bool take(PyObject *part, int after) {
        if (part == Py_None) {
            if (view.axes + array.axes() - axis < most_axes) {
                add(1, 0);
                return true;
            }
            PyErr_Format(PyExc_IndexError, "at most %d axes", most_axes);
            return false;
        }
        if (part == Py_Ellipsis) {
            keep(array.axes() - axis - after);
            return true;
        }
        if (PySlice_Check(part)) return take_slice(part);
        // In numpy True is a mask. An int array without axes has __index__ and counts as an int.
        if (PyBool_Check(part) || !PyIndex_Check(part)) return fancy(part) != nullptr;
        const ssize_t index = PyNumber_AsSsize_t(part, PyExc_IndexError);
        if (index == -1 && PyErr_Occurred()) {
            if (PyErr_ExceptionMatches(PyExc_TypeError)) {
                PyErr_Clear();
                fancy(part);
            }
            return false;
        }
        return take_index(index);
    }
};

// The view on one field of a structured array.
PyObject *by_name(PyObject *self, PyObject *name) {
    const Array &array = array_of(self);
    const Reference fields(PyObject_GetAttrString(array.dtype, "fields"));
    if (!fields) return nullptr;
    if (fields.get() == Py_None || !PyObject_Size(fields.get()))
        return PyErr_Format(PyExc_IndexError, "only arrays of a structured dtype have fields");
    const Reference field(PyObject_GetItem(fields.get(), name));
    if (!field) return PyErr_Format(PyExc_ValueError, "no field of name %U", name);
    PyObject *kind = PyTuple_GET_ITEM(field.get(), 0);
    const Py_ssize_t offset = PyLong_AsSsize_t(PyTuple_GET_ITEM(field.get(), 1));
    const Reference parts(PyObject_GetAttrString(kind, "subdtype")); // not None for a field that is an array
    Layout view = array.layout(), inner;
    if (!parts) return nullptr;
    if (parts.get() != Py_None) {
        kind = PyTuple_GET_ITEM(parts.get(), 0);
        if (!load_shape(PyTuple_GET_ITEM(parts.get(), 1), "GPUArray", inner)) return nullptr;
    }
    const Reference dtype(load_dtype(kind, inner.itemsize));
    if (!dtype) return nullptr;
    if (view.axes + inner.axes > most_axes)
        return PyErr_Format(PyExc_ValueError, "GPUArray: at most %d axes", most_axes);
    inner.set_strides('C');
    for (int axis = 0; axis < inner.axes; ++axis, ++view.axes) {
        view.shape[view.axes] = inner.shape[axis];
        view.strides[view.axes] = inner.strides[axis];
    }
    view.itemsize = inner.itemsize;
    return make_view(self, view, offset, dtype.get());
}

bool consumes(PyObject *part) { return part != Py_None && part != Py_Ellipsis; }

PyObject *by_tuple(PyObject *self, PyObject *key) {
    Indexing indexing(array_of(self));
    const Py_ssize_t parts = PyTuple_GET_SIZE(key);
    int consumed = 0, ellipses = 0;
    for (Py_ssize_t at = 0; at < parts; ++at) {
        consumed += consumes(PyTuple_GET_ITEM(key, at));
        ellipses += PyTuple_GET_ITEM(key, at) == Py_Ellipsis;
    }
    if (ellipses > 1) {
        PyErr_SetString(PyExc_IndexError, "an index can only have a single ellipsis ('...')");
        return nullptr;
    }
    if (consumed > indexing.array.axes()) {
        return PyErr_Format(PyExc_IndexError,
                            "too many indices for array: array is %d-dimensional, but %d were indexed",
                            indexing.array.axes(), consumed);
    }
    for (Py_ssize_t at = 0; at < parts; ++at) {
        PyObject *part = PyTuple_GET_ITEM(key, at);
        if (consumes(part)) --consumed;
        if (!indexing.take(part, consumed)) return nullptr;
    }
    indexing.keep(indexing.array.axes() - indexing.axis);
    return make_view(self, indexing.view, indexing.offset);
}

} // namespace

PyObject *get_item(PyObject *self, PyObject *key) {
    if (PyTuple_CheckExact(key)) return by_tuple(self, key);
    if (PyUnicode_Check(key)) return by_name(self, key);
    Indexing indexing(array_of(self));
    if (consumes(key) && !indexing.array.axes() && (PySlice_Check(key) || PyIndex_Check(key)))
        return PyErr_Format(PyExc_IndexError, "too many indices for array: array is 0-dimensional");
    if (!indexing.take(key, 0)) return nullptr;
    indexing.keep(indexing.array.axes() - indexing.axis);
    return make_view(self, indexing.view, indexing.offset);
}

PyObject *get_at(PyObject *self, Py_ssize_t index) {
    const Reference number(PyLong_FromSsize_t(index));
    return number ? get_item(self, number.get()) : nullptr;
}

int set_item(PyObject *self, PyObject *key, PyObject *value) {
    if (!value) {
        PyErr_SetString(PyExc_ValueError, "cannot delete array elements");
        return -1;
    }
    Reference view(get_item(self, key));
    return view && assign(view.get(), value) ? 0 : -1;
}

} // namespace pygpu::arrays
