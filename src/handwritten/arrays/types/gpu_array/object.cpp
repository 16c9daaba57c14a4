// Making array objects, and reading the arguments of their constructors.
#include "arrays/memory/allocate.hpp"
#include "arrays/types/gpu_array/array.hpp"

#include "arrays/types/gpu_array/spare.hpp"
#include "binding/argument_errors.hpp"
#include "convert/memory.hpp"
#include "convert/sequences.hpp"
#include "python/package.hpp"
#include "python/reference.hpp"

#include <algorithm>
#include <cstring>

namespace pygpu::arrays {
namespace {

PyTypeObject *public_class = nullptr;

} // namespace

Layout Array::layout() const {
    Layout layout;
    layout.axes = axes();
    layout.itemsize = itemsize;
    std::copy_n(shape(), axes(), layout.shape);
    std::copy_n(strides(), axes(), layout.strides);
    return layout;
}

PyTypeObject *public_type() {
    if (!public_class) {
        const Reference loaded = from_module(package::array_class); // the import registers the class
        if (loaded && !public_class) PyErr_SetString(PyExc_RuntimeError, "PyGPU has no class of arrays");
    }
    return public_class;
}

PyTypeObject *public_type_or_null() { return public_class; }

void set_public_type(PyTypeObject *type) {
    Py_INCREF(type);
    Py_XSETREF(public_class, type);
}

PyObject *make_array(PyTypeObject *type, const Layout &layout, PyObject *dtype, Buffer &buffer, char *data,
                     PyObject *base, PyObject *allocator) {
    PyObject *self = new_array_object(type, layout.axes);
    if (!self) return nullptr;
    Array &array = array_of(self);
    buffer.retain();
    array.buffer = &buffer;
    array.data = data;
    array.dtype = Py_NewRef(dtype);
    array.base = Py_XNewRef(base);
    array.allocator = Py_XNewRef(allocator);
    array.itemsize = layout.itemsize;
    std::copy_n(layout.shape, layout.axes, array.dimensions);
    std::copy_n(layout.strides, layout.axes, array.dimensions + layout.axes);
    return self;
}

PyObject *make_view(PyObject *self, const Layout &layout, ssize_t offset, PyObject *dtype) {
    Array &array = array_of(self);
    if (!array.buffer->check("GPUArray")) return nullptr;
    PyObject *base = array.base && is_array(array.base) ? array.base : self;
    return make_array(Py_TYPE(self), layout, dtype ? dtype : array.dtype, *array.buffer, array.data + offset,
                      base, array.allocator);
}

PyObject *make_empty(PyTypeObject *type, const char *call, const Layout &layout, PyObject *dtype,
                     PyObject *allocator, const StreamArgument &stream) {
    std::size_t size = 0;
    if (!bytes_of(layout, size)) {
        PyErr_Format(PyExc_ValueError, "%s: an array of this shape is larger than any memory", call);
        return nullptr;
    }
    Runtime *runtime = arrays::runtime();
    if (!runtime) return nullptr;
    if (allocator == Py_None) allocator = nullptr;
    Retained<Buffer> buffer = allocate(*runtime, call, size, stream, allocator);
    if (!buffer) return nullptr;
    return make_array(type, layout, dtype, *buffer, static_cast<char *>(buffer->pointer), nullptr, allocator);
}

bool same_count(const char *call, const Layout &other, const Layout &array, OtherShape other_shape) {
    if (other.count() != array.count()) {
        PyErr_Format(PyExc_ValueError, "%s: 'ary' has %zd elements, the array %zd", call, other.count(),
                     array.count());
        return false;
    }
    if (other_shape == OtherShape::welcome || same_shape(other, array)) return true;
    const Reference shape(sizes_to_python(other.shape, other.axes));
    const Reference due(shape ? sizes_to_python(array.shape, array.axes) : nullptr);
    return due && Reference(call_in_package(package::shape_warning, "(sOOO)", call, shape.get(), due.get(),
                                            other_shape == OtherShape::deprecated ? Py_True : Py_False));
}

bool load_sizes(PyObject *object, const char *call, const char *parameter, ssize_t *sizes, int &count) {
    if (is_size(object)) {
        count = 1;
        return load_int(object, call, parameter, sizes[0]);
    }
    // Reading an item may run code that changes a list.
    Reference items(is_sequence(object) ? PySequence_Tuple(object) : nullptr);
    if (!items) {
        if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError)) return false;
        PyErr_Format(PyExc_TypeError, "%s: parameter '%s' must be an int or a sequence of ints, not %.80s",
                     call, parameter, type_description(object));
        return false;
    }
    const Py_ssize_t length = PyTuple_GET_SIZE(items.get());
    if (length > most_axes) {
        PyErr_Format(PyExc_ValueError, "%s: parameter '%s': at most %d axes, not %zd", call, parameter,
                     most_axes, length);
        return false;
    }
    count = static_cast<int>(length);
    for (int at = 0; at < count; ++at) {
        PyObject *item = PyTuple_GET_ITEM(items.get(), at);
        if (load_int(item, call, parameter, sizes[at])) continue;
        if (PyErr_ExceptionMatches(PyExc_TypeError))
            PyErr_Format(PyExc_TypeError, "%s: parameter '%s' must hold ints, not %.80s", call, parameter,
                         type_description(item));
        return false;
    }
    return true;
}

bool load_shape(PyObject *object, const char *call, Layout &layout) {
    if (!load_sizes(object, call, "shape", layout.shape, layout.axes)) return false;
    for (int axis = 0; axis < layout.axes; ++axis) {
        if (layout.shape[axis] >= 0) continue;
        PyErr_Format(PyExc_ValueError, "%s: parameter 'shape' has the negative extent %zd", call,
                     layout.shape[axis]);
        return false;
    }
    return true;
}

bool load_order(PyObject *object, const char *call, char &order, const Array *array) {
    const char *text = PyUnicode_Check(object) ? PyUnicode_AsUTF8(object) : nullptr;
    const char letter = text && std::strlen(text) == 1 ? *text & ~0x20 : 0; // in upper case
    if (letter == 'C' || letter == 'F') {
        order = letter;
        return true;
    }
    if (letter == 'A' && array) {
        const Layout layout = array->layout();
        order = layout.contiguous_as_f() && !layout.contiguous_as_c() ? 'F' : 'C';
        return true;
    }
    if (!PyErr_Occurred())
        PyErr_Format(PyExc_ValueError, "%s: parameter 'order' must be C%s or F, not %R", call,
                     array ? ", A" : "", object);
    return false;
}

} // namespace pygpu::arrays
