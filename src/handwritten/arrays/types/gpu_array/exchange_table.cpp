// DLPack's C exchange API of GPUArray: the functions that consumers in C and C++ call without Python.
#include "arrays/exchange/device.hpp"
#include "arrays/exchange/dtype.hpp"
#include "arrays/exchange/handover.hpp"
#include "arrays/types/gpu_array/exchange.hpp"
#include "arrays/types/gpu_array/operation.hpp"
#include "binding/argument_errors.hpp"

#include <initializer_list>
#include <memory>

namespace pygpu::arrays {
namespace {

constexpr const char *table_name = "GPUArray.__dlpack_c_exchange_api__";

// Whether a consumer in C has passed all that a function needs. -1 with TypeError set is its answer if not.
bool all_set(std::initializer_list<const void *> pointers) {
    for (const void *one : pointers) {
        if (one) continue;
        PyErr_Format(PyExc_TypeError, "%s: a pointer is null", table_name);
        return false;
    }
    return true;
}

// Null with an exception set.
Array *checked(void *object) {
    auto *self = static_cast<PyObject *>(object);
    if (!all_set({object})) return nullptr;
    if (!is_array(self)) {
        PyErr_Format(PyExc_TypeError, "%s: a GPUArray is needed, not %.80s", table_name,
                     type_description(self));
        return nullptr;
    }
    Array &array = array_of(self);
    return array.buffer->check(table_name) ? &array : nullptr;
}

// The consumer works on the stream that current_work_stream() gives. Makes that stream come after all queued
// work.
bool order_for_work(Array &array) {
    Buffer &buffer = *array.buffer;
    const int status = buffer.runtime.on_host
                           ? wait_for_export(buffer)
                           : order_export(buffer, stream_on(current_stream(), buffer.device).stream);
    if (status) raise_status(buffer.runtime, status, "%s", table_name);
    return !status;
}

int from_object(void *object, DLManagedTensorVersioned **out) {
    if (!all_set({out})) return -1;
    *out = nullptr;
    Array *array = checked(object);
    if (!array || !order_for_work(*array)) return -1;
    *out = lend_versioned(exported(*array));
    return *out ? 0 : -1;
}

int fill_in(void *object, DLTensor *out) {
    Array *array = all_set({out}) ? checked(object) : nullptr;
    if (!array || !order_for_work(*array)) return -1;
    if (!describe(exported(*array), array->dimensions, array->tensor_strides(), *out)) return -1;
    return 0;
}

int to_object(DLManagedTensorVersioned *tensor, void **out) {
    if (!all_set({tensor, out})) return -1; // a tensor without a place for the array stays the caller's
    *out = nullptr;
    Runtime *runtime = nullptr;
    Imported imported;
    if (!begin(runtime)) {
        if (tensor->deleter) tensor->deleter(tensor);
        return -1;
    }
    if (import_tensor(table_name, *runtime, tensor, current_stream(), imported))
        *out = make_imported(imported);
    return *out ? 0 : -1;
}

int work_stream(DLDeviceType type, std::int32_t device, void **out) {
    if (!all_set({out})) return -1;
    *out = nullptr;
    Runtime *runtime = arrays::runtime();
    if (!runtime) return -1;
    if (type == kDLCPU) return 0;
    Buffer::Location location;
    if (!load_location(table_name, *runtime, {type, device}, location)) return -1;
    *out = known_to_all(*runtime, stream_on(current_stream(), device).stream);
    return 0;
}

// A new array as a tensor. Null with an exception set.
DLManagedTensorVersioned *allocate_like(const DLTensor &prototype) {
    Runtime *runtime = nullptr;
    PyTypeObject *type = public_type();
    Layout layout;
    if (!type || !begin(runtime)) return nullptr;
    PyObject *dtype = dtype_of(table_name, prototype.dtype);
    if (!dtype) return nullptr;
    layout.axes = prototype.ndim;
    layout.itemsize = prototype.dtype.bits / 8;
    bool fits = layout.axes >= 0 && layout.axes <= most_axes && (!layout.axes || prototype.shape);
    for (int axis = 0; fits && axis < layout.axes; ++axis) {
        layout.shape[axis] = prototype.shape[axis];
        fits = layout.shape[axis] >= 0;
    }
    Buffer::Location location;
    if (!fits)
        return PyErr_SetString(PyExc_ValueError, "GPUArray: the prototype has no possible shape"), nullptr;
    if (!load_location(table_name, *runtime, prototype.device, location)) return nullptr;
    if (runtime->on_host && prototype.device.device_id) { // tensors may come from any, but new memory is of 0
        PyErr_Format(PyExc_BufferError, "%s: there is one CPU, DLPack's device (%d, 0), not (%d, %d)",
                     table_name, kDLCPU, kDLCPU, static_cast<int>(prototype.device.device_id));
        return nullptr;
    }
    if (location != Buffer::Location::device) {
        PyErr_Format(PyExc_BufferError, "%s: new memory is a device's, not page-locked or managed",
                     table_name);
        return nullptr;
    }
    layout.set_strides('C');
    Scope scope(*runtime, runtime->on_host ? Scope::current : prototype.device.device_id);
    if (scope.status()) return raise_status(*runtime, scope.status(), "%s", table_name), nullptr;
    const Reference result(make_empty(type, table_name, layout, dtype, nullptr, current_stream()));
    DLManagedTensorVersioned *tensor = nullptr;
    return result && !from_object(result.get(), &tensor) ? tensor : nullptr;
}

int allocate(DLTensor *prototype, DLManagedTensorVersioned **out, void *context,
             void (*fail)(void *context, const char *kind, const char *message)) {
    const auto refuse = [&](const char *kind, const char *message) {
        if (fail) fail(context, kind, message);
        return -1;
    };
    if (out) *out = nullptr;
    if (!out || !prototype)
        return refuse("TypeError", "GPUArray.__dlpack_c_exchange_api__: a pointer is null");
    if (!Py_IsInitialized() || interpreter_is_finalising())
        return refuse("RuntimeError", "the interpreter is gone");
    const PyGILState_STATE state = PyGILState_Ensure();
    *out = allocate_like(*prototype);
    if (!*out) {
        PyObject *kind, *value, *traceback;
        PyErr_Fetch(&kind, &value, &traceback);
        const Reference text(value ? PyObject_Str(value) : nullptr);
        const char *message = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
        const auto *type = reinterpret_cast<PyTypeObject *>(kind);
        refuse(kind ? type->tp_name : "RuntimeError", message ? message : "no memory");
        Py_XDECREF(kind);
        Py_XDECREF(value);
        Py_XDECREF(traceback);
        PyErr_Clear();
    }
    PyGILState_Release(state);
    return *out ? 0 : -1;
}

DLPackExchangeAPI table{{{DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION}, nullptr},
                        allocate,
                        from_object,
                        to_object,
                        fill_in,
                        work_stream};

} // namespace

PyObject *exchange_table() { return PyCapsule_New(&table, "dlpack_exchange_api", nullptr); }

} // namespace pygpu::arrays
