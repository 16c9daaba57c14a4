// Arrays on memory that other libraries export.
#include "arrays/base/numpy.hpp"
#include "arrays/base/scope.hpp"
#include "arrays/exchange/cuda_array_interface.hpp"
#include "arrays/exchange/import_object.hpp"
#include "arrays/types/gpu_array/exchange.hpp"
#include "arrays/types/gpu_array/operation.hpp"
#include "arrays/types/per_dtype/device_array.hpp"
#include "convert/tensor_values.hpp"
#include "python/attribute.hpp"
#include "python/exception_aside.hpp"
#include "python/keywords.hpp"
#include "python/package.hpp"

#include <utility>

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
    if (!buffer) return PyErr_Format(PyExc_ValueError, "%s: nothing is on the device: call allocate()", call);
    Imported imported;
    const DType *kind = nullptr;
    PyTypeObject *type = public_type();
    if (!type || !load_device_array(object, kind, imported.layout)) return nullptr;
    const Reference spelling(PyUnicode_FromString(kind->typestr));
    const Reference dtype(spelling ? load_dtype(spelling.get(), imported.layout.itemsize) : nullptr);
    return dtype ? make_array(type, imported.layout, dtype.get(), *buffer, data, object) : nullptr;
}

namespace {

// Whether an object is one of the common types that numpy takes. This check is quick.
bool is_numpy_input(PyObject *object) {
    if (PyFloat_Check(object) || PyLong_Check(object) || PyComplex_Check(object) || PyList_Check(object) ||
        PyTuple_Check(object) || PyUnicode_Check(object) || PyBytes_Check(object))
        return true;
    const Numpy *np = numpy();
    return np && PyObject_TypeCheck(object, reinterpret_cast<PyTypeObject *>(np->ndarray));
}

// An object's interface. Empty if it has none, or if it is None; an exception is set if reading it failed.
Reference interface_of(PyObject *object) {
    Reference interface = optional_attribute(object, "__cuda_array_interface__");
    return interface.get() == Py_None ? Reference() : std::move(interface);
}

// The call that imports an object's memory, and the stream for work on it.
struct Import {
    const char *call;
    const Runtime &runtime;
    const StreamArgument &stream;
    bool may_be_bytes = false;

    PyObject *by_interface(PyObject *object, PyObject *interface) const {
        Imported imported;
        Reference dtype;
        return import_interface(call, runtime, object, interface, stream, imported, dtype)
                   ? make_imported(imported)
                   : nullptr;
    }

    PyObject *by_tensor(PyObject *object, bool never_copied) const {
        Imported imported;
        imported.may_be_bytes = may_be_bytes;
        return import_object(call, runtime, object, stream, never_copied, imported) ? make_imported(imported)
                                                                                    : nullptr;
    }

    // Imports by DLPack, or by the array interface if DLPack can't express the array. False with an exception
    // set.
    bool take(PyObject *object, Reference &array) const {
        DLDevice device;
        if (!load_tensor_device(call, object, device)) return false;
        const bool of_host = device.device_type == kDLCPU;
        if (of_host && !runtime.on_host) return true;
        array = Reference(is_device_array(object) ? same_array(call, object) : by_tensor(object, false));
        if (array || !PyErr_ExceptionMatches(PyExc_BufferError)) return static_cast<bool>(array);
        // Memory of the host is left to numpy, which takes structures. For other memory the array interface
        // can express more than DLPack. But torch can't express more, and its interface doesn't tell a tensor
        // from its conjugate view.
        Reference interface;
        bool refused_for_good = false;
        {
            const ExceptionAside refused;
            refused_for_good = PyObject_HasAttrString(object, "resolve_conj");
            if (!runtime.on_host && !refused_for_good) interface = interface_of(object);
            PyErr_Clear();
        }
        if (refused_for_good || (!interface && !of_host)) return false;
        PyErr_Clear();
        if (interface) array = Reference(by_interface(object, interface.get()));
        return array || !interface;
    }
};

// The part of load_shared() for objects that are no arrays of PyGPU and no plain numbers.
bool take_shared(PyObject *object, const char *call, PyObject *on, Reference &array,
                 bool may_be_bytes = false) {
    static PyObject *const tensor = PyUnicode_InternFromString("__dlpack__");
    const bool is_tensor = PyObject_HasAttr(reinterpret_cast<PyObject *>(Py_TYPE(object)), tensor);
    const Reference interface(is_tensor ? Reference() : interface_of(object));
    if (!is_tensor && !interface) return !PyErr_Occurred();
    if (!check_no_mask(object)) return false;
    Runtime *runtime = nullptr;
    StreamArgument stream;
    if (!begin(runtime) || !load_stream(on, call, stream)) return false;
    const Import import{call, *runtime, stream, may_be_bytes};
    if (is_tensor) return import.take(object, array);
    array = Reference(import.by_interface(object, interface.get()));
    return static_cast<bool>(array);
}

// The `copy` argument of a call: a truth value, or None, which allows both.
struct CopyWish {
    bool always = false, never = false;

    bool load(PyObject *argument) {
        if (argument == Py_None) return true;
        const int asked = PyObject_IsTrue(argument);
        always = asked == 1;
        never = asked == 0;
        return asked >= 0;
    }
};

// The array itself, or a copy if one is asked for or if another device is named.
PyObject *placed(const char *call, PyObject *array, PyObject *device, CopyWish copy, PyObject *on) {
    Runtime *runtime = nullptr;
    StreamArgument stream;
    int number = Scope::current;
    if (!begin(runtime) || !load_device(device, call, number)) return nullptr;
    const int own = array_of(array).buffer->device;
    if (number == own || number == Scope::current) {
        if (!copy.always) return Py_NewRef(array);
        return load_stream(on, call, stream) ? compact_copy(array, 'K', stream, on != Py_None, call)
                                             : nullptr;
    }
    if (copy.never)
        return PyErr_Format(PyExc_BufferError, "%s: the memory is of device %d: for %d it must be copied",
                            call, own, number);
    PyTypeObject *type = public_type();
    const Scope there(*runtime, number);
    if (there.status()) raise_status(*runtime, there.status(), "%s", call);
    return type && !there.status() && load_stream(on, call, stream)
               ? copy_shared(type, array, 'C', nullptr, stream, on != Py_None, call)
               : nullptr;
}

// Whether a numpy array has elements in memory of its own; false with an exception set if asking failed.
bool has_own_elements(PyObject *array) {
    const Reference flags(PyObject_GetAttrString(array, "flags"));
    const Reference own(flags ? PyObject_GetAttrString(flags.get(), "owndata") : nullptr);
    const Reference size(own ? PyObject_GetAttrString(array, "size") : nullptr);
    return size && own.get() == Py_True && PyObject_IsTrue(size.get());
}

// The numpy array on the memory of a tensor of the host; BufferError if the memory alone doesn't hold the
// tensor's values.
Reference host_tensor(const char *call, PyObject *object) {
    const char *why = why_not_plain(object, 'c');
    if (!why && PyErr_Occurred()) return {};
    if (!why) {
        const Reference numpys = from_module("numpy", "from_dlpack");
        Reference values(numpys ? PyObject_CallOneArg(numpys.get(), object) : nullptr);
        if (!values) return {};
        // numpy makes memory of its own for a tensor without any, such as torch's zero tensors.
        if (has_own_elements(values.get())) why = "the tensor has elements, but no memory";
        if (!why) return PyErr_Occurred() ? Reference() : std::move(values);
    }
    PyErr_Format(PyExc_BufferError, "%s: %s", call, why); // the tensor's deleter has run
    return {};
}

// The copy on a device of a tensor in the host's memory.
PyObject *uploaded(const char *call, PyObject *object, PyObject *device, CopyWish copy, PyObject *on) {
    if (copy.never)
        return PyErr_Format(PyExc_BufferError, "%s: the memory is the host's: it must be copied", call);
    int number = Scope::current;
    Runtime *runtime = nullptr;
    if (!begin(runtime) || !load_device(device, call, number)) return nullptr;
    const Reference values = host_tensor(call, object);
    if (!values) return nullptr;
    const Scope there(*runtime, number);
    if (there.status()) raise_status(*runtime, there.status(), "%s", call);
    PyObject *arguments[] = {values.get(), Py_None, on};
    return there.status() ? nullptr : to_gpu(nullptr, arguments, 3, nullptr);
}

} // namespace

bool load_shared(PyObject *object, const char *call, PyObject *stream, Reference &array, bool may_be_bytes) {
    if (is_array(object) || is_numpy_input(object) || is_device_array(object))
        return true; // not a DeviceArray: it has two sides, and either might be meant
    return take_shared(object, call, stream ? stream : Py_None, array, may_be_bytes);
}

PyObject *shared_array(PyObject *, PyObject *args) {
    PyObject *object = nullptr, *on = nullptr;
    const char *call = nullptr;
    Reference array;
    if (!PyArg_ParseTuple(args, "OsO", &object, &call, &on)) return nullptr;
    if (is_array(object)) return Py_NewRef(object);
    if (!take_shared(object, call, on, array)) return nullptr;
    return Py_NewRef(array ? array.get() : Py_None);
}

PyObject *host_array(PyObject *, PyObject *args) {
    PyObject *object = nullptr;
    const char *call = nullptr;
    return PyArg_ParseTuple(args, "Os", &object, &call) ? host_tensor(call, object).release() : nullptr;
}

PyObject *placed_array(PyObject *, PyObject *args) {
    PyObject *array = nullptr, *device = nullptr, *copied = nullptr, *on = nullptr;
    const char *call = nullptr;
    CopyWish copy;
    if (!PyArg_ParseTuple(args, "OOOOs", &array, &device, &copied, &on, &call) || !copy.load(copied))
        return nullptr;
    return placed(call, array, device, copy, on);
}

// from_dlpack(x, *, device=None, copy=None, stream=None)
PyObject *from_dlpack(PyObject *, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    static const char *const names[] = {"x", "device", "copy", "stream"};
    const char *call = "from_dlpack()";
    const Arguments values(call, names, args, count, keywords);
    if (!values) return nullptr;
    if (count > 1)
        return PyErr_Format(PyExc_TypeError, "%s takes one argument, and device, copy and stream by name",
                            call);
    PyObject *object = values[0], *device = values[1] ? values[1] : Py_None,
             *on = values[3] ? values[3] : Py_None;
    Runtime *runtime = nullptr;
    StreamArgument stream;
    CopyWish copy;
    if (!copy.load(values[2] ? values[2] : Py_None) || !begin(runtime) || !check_no_mask(object))
        return nullptr;
    const bool is_own = is_array(object) || is_device_array(object);
    if (device != Py_None && !is_own && !runtime->on_host) {
        DLDevice where;
        if (!load_tensor_device(call, object, where)) return nullptr;
        if (where.device_type == kDLCPU) return uploaded(call, object, device, copy, on);
    }
    if (!load_stream(on, call, stream)) return nullptr;
    const bool in_place = device == Py_None && !copy.always; // the common case
    const Import import{call, *runtime, stream};
    Reference result(is_own ? same_array(call, object) : import.by_tensor(object, in_place && copy.never));
    return in_place || !result ? result.release() : placed(call, result.get(), device, copy, on);
}

} // namespace pygpu::arrays
