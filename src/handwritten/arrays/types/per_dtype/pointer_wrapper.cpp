// The Python types of pointers.
#include "arrays/types/per_dtype/pointer_wrapper.hpp"

#include "arrays/exchange/device.hpp"
#include "arrays/types/per_dtype/classes.hpp"
#include "binding/argument_errors.hpp"
#include "convert/memory.hpp"
#include "python/c_pointer.hpp"
#include "python/package.hpp"
#include "python/trashcan.hpp"

#include <cstdint>
#include <cstring>

namespace pygpu::arrays {
namespace {

PointerWrapper &object_of(PyObject *self) { return *reinterpret_cast<PointerWrapper *>(self); }

// Whether a fork or a reset has ended the memory.
bool ended(const PointerWrapper &object) {
    return object.buffer && !object.buffer->was_freed() && object.buffer->ended();
}

PyObject *make(const DType &dtype) {
    PyTypeObject *type = pointer_wrappers().type_of(dtype);
    PyObject *self = type ? type->tp_alloc(type, 0) : nullptr;
    if (!self) return nullptr;
    object_of(self).dtype = &dtype;
    object_of(self).count = unknown_count;
    return self;
}

PyObject *construct(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    const DType &dtype = dtype_of(type);
    PyObject *argument = nullptr;
    if ((kwargs && PyDict_GET_SIZE(kwargs)) || !PyArg_UnpackTuple(args, type->tp_name, 0, 1, &argument)) {
        if (PyErr_Occurred()) return nullptr;
        return PyErr_Format(PyExc_TypeError, "%s() takes one address and no keywords", name_of(type));
    }
    void *pointer = nullptr;
    if (argument && argument != Py_None) {
        if (!is_number(argument))
            return PyErr_Format(PyExc_TypeError, "%s(): an address must be an int, not %.80s", name_of(type),
                                type_description(argument));
        Reference index(PyNumber_Index(argument));
        if (!index) return nullptr;
        const unsigned long long address = PyLong_AsUnsignedLongLong(index.get());
        if (PyErr_Occurred()) {
            PyErr_Clear();
            return PyErr_Format(PyExc_OverflowError, "%s(): address %R is out of range", name_of(type),
                                index.get());
        }
        pointer = reinterpret_cast<void *>(static_cast<std::uintptr_t>(address));
    }
    PyObject *self = make(dtype);
    if (self) object_of(self).pointer = pointer;
    return self;
}

int traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(object_of(self).owner.get());
    if (object_of(self).buffer) Py_VISIT(object_of(self).buffer->object());
    return 0;
}

int clear(PyObject *self) {
    PointerWrapper &object = object_of(self);
    object.pointer = nullptr;
    object.count = 0;
    object.owner = {};
    object.buffer = {};
    return 0;
}

void destroy(PyObject *self) {
    PyObject_GC_UnTrack(self);
    PyTypeObject *type = Py_TYPE(self);
    Py_TRASHCAN_BEGIN(self, destroy);
    clear(self);
    type->tp_free(self);
    Py_DECREF(type);
    Py_TRASHCAN_END;
}

// Call before handing out the address: it escapes. False with an exception set if the memory doesn't exist
// any more.
bool let_out(const PointerWrapper &object) {
    return !object.buffer || object.buffer->let_out("pointer_wrapper");
}

PyObject *number(PyObject *self) {
    const PointerWrapper &object = object_of(self);
    if (ended(object)) return PyLong_FromLong(0);
    return let_out(object) ? PyLong_FromVoidPtr(object.pointer) : nullptr;
}

int truth(PyObject *self) { return object_of(self).pointer != nullptr; }

Py_hash_t hash(PyObject *self) {
    const auto address = static_cast<Py_hash_t>(reinterpret_cast<std::uintptr_t>(object_of(self).pointer));
    return address == -1 ? -2 : address;
}

PyObject *compare(PyObject *self, PyObject *other, int operation) {
    const PointerWrapper *one = pointer_wrapper(other);
    if (!one || (operation != Py_EQ && operation != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
    return PyBool_FromLong((object_of(self).pointer == one->pointer) == (operation == Py_EQ));
}

PyObject *repr(PyObject *self) {
    const PointerWrapper &object = object_of(self);
    if (!object.pointer) return PyUnicode_FromFormat("<pointer_wrapper_%s null>", object.dtype->name);
    return PyUnicode_FromFormat("<pointer_wrapper_%s %p, %s>", object.dtype->name, object.pointer,
                                object.safe ? "safe" : "not safe");
}

PyObject *get(PyObject *self, PyObject *) {
    const PointerWrapper &object = object_of(self);
    if (object.safe) return number(self);
    return PyErr_Format(PyExc_ValueError,
                        "pointer_wrapper_%s.get(): the address is not known to be the host's memory; int() "
                        "gives it all the same",
                        object.dtype->name);
}

PyObject *is_safe(PyObject *self, PyObject *) { return PyBool_FromLong(object_of(self).safe); }

ProvidedPointer provide(PyObject *self);

// The device of the memory. A bare address is taken for device memory. False with an exception set.
bool load_device(const PointerWrapper &object, DLDevice &device) {
    device = {kDLCPU, 0};
    if (object.buffer) device = dlpack_device(*object.buffer);
    if (object.buffer || object.safe) return true;
    bool on_host = false;
    const Runtime *const runtime = chosen_runtime(on_host);
    if (runtime && !on_host) device = {static_cast<DLDeviceType>(runtime->of_device), -1};
    return runtime;
}

// The tuple for include/PyGPU/detail/tensor.h: address, number of items or None, typestr, whether it is
// read-only, and DLPack's type and number of the device.
PyObject *described(PyObject *self, PyObject *) {
    const PointerWrapper &object = object_of(self);
    DLDevice device;
    if (!load_device(object, device)) return nullptr;
    const Reference count(object.count == unknown_count ? Py_NewRef(Py_None)
                                                        : PyLong_FromSsize_t(object.count));
    const ProvidedPointer memory = provide(self);
    if (PyErr_Occurred()) return nullptr;
    return Py_BuildValue("(NOsOii)", PyLong_FromVoidPtr(memory.pointer), count.get(), object.dtype->typestr,
                         memory.readonly ? Py_True : Py_False, static_cast<int>(device.device_type),
                         static_cast<int>(device.device_id));
}

// The host's memory as a buffer of items in one dimension. BufferError for device memory.
int get_buffer(PyObject *self, Py_buffer *view, int flags) {
    PointerWrapper &object = object_of(self);
    view->obj = nullptr;
    if (!object.safe) {
        PyErr_Format(PyExc_BufferError, "pointer_wrapper_%s: not the host's memory", object.dtype->name);
        return -1;
    }
    const auto size = static_cast<Py_ssize_t>(object.dtype->size), bytes = object.count * size;
    if (object.buffer ? object.buffer->lend_view("pointer_wrapper", view, self, object.pointer, bytes, flags)
                      : fill_view(view, self, object.pointer, bytes, object.readonly, flags))
        return -1;
    view->itemsize = size;
    if (flags & PyBUF_FORMAT) view->format = const_cast<char *>(object.dtype->format);
    if (flags & PyBUF_ND) view->shape = &object.count;
    if ((flags & PyBUF_STRIDES) == PyBUF_STRIDES) view->strides = &view->itemsize;
    return 0;
}

void release_buffer(PyObject *, Py_buffer *view) { Buffer::take_view_back(view); }

PyObject *get_parameter(PyObject *self, void *) {
    const PointerWrapper &object = object_of(self);
    return let_out(object) ? c_pointer_to(object.pointer, object.dtype->kind, object.dtype->size) : nullptr;
}

PyMethodDef methods[] = {
    {"get", get, METH_NOARGS,
     "get($self)\n--\n\nThe address of host memory, as an int. Raises ValueError for other memory, of which "
     "int() gives the address."},
    {"__pygpu_pointer__", described, METH_NOARGS,
     "__pygpu_pointer__($self)\n--\n\nWhat C++ reads of it, by PyGPU/ptr_wrapper.h."},
    {"is_safe", is_safe, METH_NOARGS,
     "is_safe($self)\n--\n\nWhether it points to memory of the host that this process may read."},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef properties[] = {
    {"_as_parameter_", get_parameter, nullptr, "the address for ctypes, a c_void_p", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

constexpr const char *doc =
    "(address=None, /)\n--\n\nA pointer that keeps its memory alive; int() is the address. One to the host's "
    "memory is a buffer, too. Made from an address, it knows nothing of the memory there.";

ProvidedPointer provide(PyObject *self) {
    const PointerWrapper &object = object_of(self);
    if (!let_out(object)) return {};
    const bool known = object.count != unknown_count;
    return {ended(object) ? nullptr : object.pointer, // in a forked child
            known ? static_cast<std::size_t>(object.count) * object.dtype->size : Memory::unknown,
            object.readonly, object.dtype->element()};
}

bool owns(PyObject *self) {
    const PointerWrapper &object = object_of(self);
    return object.buffer && object.buffer->frees();
}

} // namespace

Family &pointer_wrappers() {
    static Family &family = *[] {
        add_pointer_provider(destroy, provide, owns);
        return new Family("pointer_wrapper", sizeof(PointerWrapper),
                          {.create = construct,
                           .destroy = destroy,
                           .traverse = traverse,
                           .clear = clear,
                           .repr = repr,
                           .hash = hash,
                           .compare = compare,
                           .truth = truth,
                           .number = number,
                           .lend = get_buffer,
                           .take_back = release_buffer,
                           .methods = methods,
                           .properties = properties,
                           .doc = doc});
    }();
    return family;
}

PointerWrapper *pointer_wrapper(PyObject *object) {
    return Py_TYPE(object)->tp_dealloc == destroy ? &object_of(object) : nullptr;
}

PyObject *make_host_pointer(const DType &dtype, void *pointer, Py_ssize_t count, bool readonly,
                            PyObject *owner) {
    PyObject *self = make(dtype);
    if (!self) return nullptr;
    PointerWrapper &object = object_of(self);
    object.pointer = pointer;
    object.count = count;
    object.safe = true;
    object.readonly = readonly;
    object.owner = Reference::borrow(owner);
    return self;
}

PyObject *make_buffer_pointer(const DType &dtype, void *pointer, Py_ssize_t count,
                              const Retained<Buffer> &buffer) {
    PyObject *self = make(dtype);
    if (!self) return nullptr;
    PointerWrapper &object = object_of(self);
    object.pointer = pointer;
    object.count = count;
    object.safe = buffer && buffer->location == Buffer::Location::pinned;
    object.readonly = buffer && buffer->readonly;
    object.buffer = buffer;
    return self;
}

} // namespace pygpu::arrays
