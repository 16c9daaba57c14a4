// Arrays on memory that others export.
#include "arrays/base/numpy.hpp"
#include "arrays/exchange/capsule.hpp"
#include "arrays/exchange/cuda_array_interface.hpp"
#include "arrays/types/gpu_array/exchange.hpp"
#include "arrays/types/gpu_array/operation.hpp"
#include "arrays/types/per_dtype/device_array.hpp"
#include "binding/argument_errors.hpp"
#include "python/keywords.hpp"
#include "python/package.hpp"

namespace pygpu::arrays {

PyObject *make_imported(const Imported &imported) {
    PyTypeObject *type = public_type();
    return type ? make_array(type, imported.layout, imported.dtype, *imported.buffer, imported.data)
                : nullptr;
}

PyObject *same_array(const char *call, PyObject *object) {
    if (is_array(object)) return make_view(object, array_of(object).layout(), 0);
    char *data = nullptr;
    Buffer *buffer = device_array_buffer(object, data);
    if (!buffer) {
        if (is_device_array(object))
            return PyErr_Format(PyExc_ValueError, "%s: nothing is on the device: call allocate()", call);
        return PyErr_Format(PyExc_TypeError, "%s: an array is due, not %.80s", call,
                            type_description(object));
    }
    Imported imported;
    const DType *kind = nullptr;
    PyTypeObject *type = public_type();
    if (!type || !load_device_array(object, kind, imported.layout)) return nullptr;
    const Reference spelling(PyUnicode_FromString(kind->typestr));
    const Reference dtype(spelling ? load_dtype(spelling.get(), imported.layout.itemsize) : nullptr);
    return dtype ? make_array(type, imported.layout, dtype.get(), *buffer, data, object) : nullptr;
}

namespace {

// What numpy takes, and quickly told apart.
bool is_numpys(PyObject *object) {
    if (PyFloat_Check(object) || PyLong_Check(object) || PyComplex_Check(object) || PyList_Check(object) ||
        PyTuple_Check(object) || PyUnicode_Check(object) || PyBytes_Check(object))
        return true;
    const Numpy *np = numpy();
    return np && PyObject_TypeCheck(object, reinterpret_cast<PyTypeObject *>(np->ndarray));
}

} // namespace

bool load_shared(PyObject *object, const char *call, PyObject *stream, Reference &array) {
    if (is_array(object) || is_numpys(object) || is_device_array(object))
        return true; // the last has two sides
    array = Reference(call_in_package("PyGPU._arrays.exchange", "shared", "(OsO)", object, call,
                                      stream ? stream : Py_None));
    if (array.get() == Py_None) array = {};
    return !PyErr_Occurred();
}

// from_dlpack(x, *, device=None, copy=None, stream=None)
PyObject *from_dlpack(PyObject *, PyObject *const *args, Py_ssize_t given, PyObject *keywords) {
    static const char *const names[] = {"x", "device", "copy", "stream"};
    const char *call = "from_dlpack()";
    const Arguments values(call, names, args, given, keywords);
    if (!values) return nullptr;
    if (given > 1)
        return PyErr_Format(PyExc_TypeError, "%s takes one argument, and device, copy and stream by name",
                            call);
    PyObject *copy = values[2] ? values[2] : Py_None;
    const int copied = copy == Py_None ? 0 : PyObject_IsTrue(copy);
    if (copied < 0) return nullptr;
    if (values.unless_none(1) || copied)
        return call_in_package("PyGPU._arrays.exchange", "moved", "(OOOO)", values[0],
                               values[1] ? values[1] : Py_None, copy, values[3] ? values[3] : Py_None);
    Runtime *runtime = nullptr;
    StreamArgument stream;
    Imported made;
    if (!begin(runtime) || !load_stream(values[3], call, stream)) return nullptr;
    if (is_array(values[0]) || is_device_array(values[0])) return same_array(call, values[0]);
    return import_object(call, *runtime, values[0], stream, copy != Py_None, made) ? make_imported(made)
                                                                                   : nullptr;
}

PyObject *from_interface(PyObject *, PyObject *args) {
    PyObject *object = nullptr, *interface = nullptr, *on = nullptr;
    const char *call = nullptr;
    Runtime *runtime = nullptr;
    StreamArgument stream;
    Imported made;
    Reference dtype;
    if (!PyArg_ParseTuple(args, "OOOs", &object, &interface, &on, &call) || !begin(runtime) ||
        !load_stream(on, call, stream) ||
        !import_interface(call, *runtime, object, interface, stream, made, dtype))
        return nullptr;
    return make_imported(made);
}

} // namespace pygpu::arrays
