// Calling __dlpack__() of any object, or its type's C exchange API, and importing the tensor.
#include "arrays/exchange/import_object.hpp"

#include "arrays/exchange/device.hpp"
#include "arrays/exchange/exchange_api.hpp"
#include "arrays/exchange/handover.hpp"
#include "binding/argument_errors.hpp"
#include "convert/tensor_values.hpp"
#include "python/package.hpp"

#include <climits>
#include <cstdint>

namespace pygpu::arrays {
namespace {

bool is_cpu(const DLDevice &device) { return device.device_type == kDLCPU; }

bool ordered(const char *call, const Runtime &runtime, const Imported &imported, Stream producer) {
    if (!imported.buffer->pointer) return true;
    const int status = order_import(runtime, imported.buffer->device, imported.buffer->home(), producer);
    if (status) raise_status(runtime, status, "%s", call);
    return !status;
}

// numpy's letter for the elements, as far as why_not_plain() asks for it.
char kind_of(const DLDataType &type) {
    if (type.code == kDLComplex) return 'c';
    return type.code == kDLFloat || type.code == kDLBfloat || type.code > kDLBool ? 'f' : 'i';
}

// Turns the RuntimeError of a table into a BufferError: torch's has the stack of its C++ functions, and for a
// sparse tensor no word of that.
bool lends_nothing(const char *call, PyObject *object) {
    if (!PyErr_ExceptionMatches(PyExc_RuntimeError)) return false;
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    PyErr_NormalizeException(&type, &error, &traceback);
    const Reference kind(type), what(error), where(traceback);
    raise_object(call_in_package(package::refused_lending, "(sOO)", call, object, error));
    return false;
}

bool by_exchange_api(const char *call, const Runtime &runtime, const DLPackExchangeAPI &api, PyObject *object,
                     const StreamArgument &stream, Imported &imported) {
    DLManagedTensorVersioned *managed = nullptr;
    if (api.managed_tensor_from_py_object_no_sync(object, &managed)) return lends_nothing(call, object);
    if (!import_tensor(call, runtime, managed, stream, imported)) return false;
    if (const char *why = why_not_plain(object, kind_of(managed->dl_tensor.dtype)))
        PyErr_Format(PyExc_BufferError, "%s: %s", call, why);
    if (PyErr_Occurred()) return false;
    const DLDevice device = managed->dl_tensor.device;
    void *producer = nullptr;
    if (is_cpu(device)) return true;
    const int on = imported.buffer->device;
    if (api.current_work_stream(device.device_type, on, &producer)) return false;
    return ordered(call, runtime, imported, own_stream(runtime, producer));
}

// The constant arguments of __dlpack__(). Not variables of their own in capsule_of(): the collector may run
// code while a tuple is made, and this code would wait for the variable.
struct DlpackArguments {
    PyObject *version, *of_host, *of_device, *not_copied, *stream_alone;
};

const DlpackArguments *dlpack_arguments() {
    static DlpackArguments known{}; // guarded by the GIL
    if (known.stream_alone) return &known;
    const DlpackArguments arguments{
        Py_BuildValue("(ii)", DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION),
        Py_BuildValue("(s)", "max_version"), Py_BuildValue("(ss)", "max_version", "stream"),
        Py_BuildValue("(sss)", "max_version", "stream", "copy"), Py_BuildValue("(s)", "stream")};
    if (PyErr_Occurred()) return nullptr;
    known = arguments;
    return &known;
}

// Calls __dlpack__(). Older libraries know fewer keywords, so this tries fewer after a TypeError.
// `stream_passed` says whether the stream was passed.
Reference capsule_of(PyObject *object, PyObject *stream, bool never_copied, bool &stream_passed) {
    static PyObject *const method = PyUnicode_InternFromString("__dlpack__");
    const DlpackArguments *arguments = dlpack_arguments();
    if (!arguments) return {};
    stream_passed = true;
    PyObject *all[] = {object, arguments->version, stream ? stream : Py_None, Py_False};
    PyObject *names = never_copied ? arguments->not_copied
                      : stream     ? arguments->of_device
                                   : arguments->of_host;
    const auto ask = [&](PyObject *const *values, PyObject *keywords) {
        return Reference(PyObject_VectorcallMethod(method, values, 1, keywords));
    };
    Reference capsule = ask(all, names);
    if (capsule || !PyErr_ExceptionMatches(PyExc_TypeError)) return capsule;
    if (stream) {
        PyErr_Clear();
        PyObject *fewer[] = {object, stream};
        capsule = ask(fewer, arguments->stream_alone);
        if (capsule || !PyErr_ExceptionMatches(PyExc_TypeError)) return capsule;
    }
    PyErr_Clear();
    stream_passed = false;
    return ask(&object, nullptr);
}

bool take(const char *call, const Runtime &runtime, PyObject *capsule, const StreamArgument &stream,
          Imported &imported) {
    if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
        void *managed = PyCapsule_GetPointer(capsule, "dltensor_versioned");
        return !PyCapsule_SetName(capsule, "used_dltensor_versioned") &&
               import_tensor(call, runtime, static_cast<DLManagedTensorVersioned *>(managed), stream,
                             imported);
    }
    if (PyCapsule_IsValid(capsule, "dltensor")) {
        void *managed = PyCapsule_GetPointer(capsule, "dltensor");
        return !PyCapsule_SetName(capsule, "used_dltensor") &&
               import_tensor(call, runtime, static_cast<DLManagedTensor *>(managed), stream, imported);
    }
    PyErr_Format(PyExc_BufferError, "%s: __dlpack__() gave %.80s, not a capsule with a tensor", call,
                 type_description(capsule));
    return false;
}

} // namespace

bool load_tensor_device(const char *call, PyObject *object, DLDevice &device) {
    static PyObject *const name = PyUnicode_InternFromString("__dlpack_device__");
    const Reference pair(PyObject_CallMethodNoArgs(object, name));
    if (!pair) {
        if (PyErr_ExceptionMatches(PyExc_AttributeError))
            PyErr_Format(PyExc_TypeError,
                         "%s: an object with __dlpack__ and __dlpack_device__ is needed, not %.80s%s", call,
                         type_description(object),
                         PyCapsule_CheckExact(object) ? ": pass the tensor that it is of" : "");
        return false;
    }
    const Reference both(PySequence_Tuple(pair.get()));
    const bool two = both && PyTuple_GET_SIZE(both.get()) == 2;
    const Reference type(two ? PyNumber_Index(PyTuple_GET_ITEM(both.get(), 0)) : nullptr);
    const Reference number(type ? PyNumber_Index(PyTuple_GET_ITEM(both.get(), 1)) : nullptr);
    int overflow = 0;
    const long kind = number ? PyLong_AsLongAndOverflow(type.get(), &overflow) : -1;
    const long index = number && !overflow ? PyLong_AsLongAndOverflow(number.get(), &overflow) : -1;
    if (number && !overflow && kind >= 0 && kind <= INT_MAX && index >= 0 && index <= INT_MAX) {
        device = {static_cast<DLDeviceType>(kind), static_cast<std::int32_t>(index)};
        return true;
    }
    if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError)) return false;
    PyErr_Format(PyExc_TypeError, "%s: __dlpack_device__() of %.80s must give two ints", call,
                 type_description(object));
    return false;
}

bool import_object(const char *call, const Runtime &runtime, PyObject *object, const StreamArgument &stream,
                   bool never_copied, Imported &imported) {
    imported.readonly = is_immutable(Py_TYPE(object));
    if (const DLPackExchangeAPI *api = exchange_api_of(Py_TYPE(object)))
        return by_exchange_api(call, runtime, *api, object, stream, imported);
    // torch's __dlpack__() lends the memory of a lazy negative, too.
    if (const char *why = why_not_plain(object, 'c')) PyErr_Format(PyExc_BufferError, "%s: %s", call, why);
    DLDevice device;
    Buffer::Location location;
    if (PyErr_Occurred() || !load_tensor_device(call, object, device) ||
        !load_location(call, runtime, device, location))
        return false;
    const StreamArgument own = stream_on(stream, device_of_tensor(runtime, device));
    const Reference number(is_cpu(device) ? nullptr : stream_number(runtime, own.stream));
    if (PyErr_Occurred()) return false;
    bool stream_passed = false;
    const Reference capsule = capsule_of(object, number.get(), never_copied, stream_passed);
    if (!capsule || !take(call, runtime, capsule.get(), stream, imported)) return false;
    // A library that got no stream has ordered its work on the legacy default stream.
    return stream_passed || is_cpu(device) || ordered(call, runtime, imported, own_stream(runtime, nullptr));
}

} // namespace pygpu::arrays
