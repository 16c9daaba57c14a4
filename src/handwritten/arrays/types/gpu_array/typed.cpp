// Objects of the per-dtype classes on an array's memory: device_data() and device_array.
#include "arrays/types/gpu_array/array.hpp"
#include "arrays/types/per_dtype/device_array.hpp"
#include "arrays/types/per_dtype/pointer_wrapper.hpp"
#include "python/reference.hpp"

namespace pygpu::arrays {
namespace {

// Null with TypeError set for a dtype that has no classes.
const DType *dtype_of(const Array &array, const char *call) {
    Reference kind(PyObject_GetAttrString(array.dtype, "kind"));
    Reference native(kind ? PyObject_GetAttrString(array.dtype, "isnative") : nullptr);
    if (!native) return nullptr;
    const char *letter = PyUnicode_AsUTF8(kind.get());
    const DType *dtype = letter && native.get() == Py_True
                             ? find_dtype(*letter, static_cast<std::size_t>(array.itemsize))
                             : nullptr;
    if (!dtype && !PyErr_Occurred())
        PyErr_Format(PyExc_TypeError, "%s: there is no class for %R; take ptr", call, array.dtype);
    return dtype;
}

} // namespace

PyObject *device_data(PyObject *self, PyObject *) {
    const Array &array = array_of(self);
    const DType *dtype = dtype_of(array, "GPUArray.device_data()");
    if (!dtype || !array.buffer->check("GPUArray.device_data()")) return nullptr;
    return make_buffer_pointer(*dtype, array.buffer->pointer ? array.data : nullptr, array.layout().count(),
                               retained(*array.buffer));
}

PyObject *device_array(PyObject *self, void *) {
    const Array &array = array_of(self);
    const Layout layout = array.layout();
    const DType *dtype = dtype_of(array, "GPUArray.device_array");
    if (!dtype || !array.buffer->check("GPUArray.device_array")) return nullptr;
    if (!layout.contiguous_as_c())
        return PyErr_Format(PyExc_ValueError,
                            "GPUArray.device_array: the elements are not one run in C order");
    Reference shape(sizes_to_python(array.shape(), array.axes()));
    Reference strides(shape ? sizes_to_python(array.strides(), array.axes()) : nullptr);
    if (!strides) return nullptr;
    const auto offset = array.data - static_cast<char *>(array.buffer->pointer);
    return make_device_array(*dtype, retained(*array.buffer), static_cast<std::size_t>(offset), shape.get(),
                             strides.get());
}

} // namespace pygpu::arrays
