// The Python types of device arrays.
#include "arrays/base/numpy.hpp"
#include "arrays/exchange/cuda_array_interface.hpp"
#include "arrays/memory/allocator.hpp"
#include "arrays/transfer/engine.hpp"
#include "arrays/types/gpu_array/exchange.hpp"
#include "arrays/types/per_dtype/classes.hpp"
#include "arrays/types/per_dtype/extent.hpp"
#include "arrays/types/per_dtype/host_block.hpp"
#include "arrays/types/per_dtype/pointer_wrapper.hpp"
#include "arrays/types/per_dtype/take_memory.hpp"
#include "binding/argument_errors.hpp"
#include "convert/memory.hpp"
#include "python/c_pointer.hpp"
#include "python/gil.hpp"
#include "python/keywords.hpp"
#include "python/later.hpp"
#include "python/trashcan.hpp"

#include <cstdint>
#include <cstring>

namespace pygpu::arrays {
namespace {

struct Object {
    PyObject_HEAD
    const DType *dtype;
    Extent extent;
    void *host;
    bool readonly;
    Py_buffer view;  // of the given buffer; .obj is null if none was given
    Reference owner; // the owner of the host's memory if it is new
    Retained<Buffer> device;
    std::size_t offset; // into the buffer
    int status;
};

Object &object_of(PyObject *self) { return *reinterpret_cast<Object *>(self); }

std::size_t bytes_of(const Object &object) {
    return static_cast<std::size_t>(object.extent.count) * object.dtype->size;
}

// Whether there is memory on the device. There is none after a free(), after a reset of the device, and in a
// forked child.
bool allocated(const Object &object) {
    return object.device && !object.device->was_freed() &&
           !(object.device->pointer && object.device->ended());
}

void *device_pointer(const Object &object) {
    if (!allocated(object) || !object.device->pointer) return nullptr;
    return static_cast<char *>(object.device->pointer) + object.offset;
}

// Hands out the address, which is null before allocate(). An exception is set if the memory was freed.
ProvidedPointer provide(PyObject *self) {
    const Object &object = object_of(self);
    void *pointer = device_pointer(object);
    const Retained<Buffer> buffer = object.device; // another thread may replace it while this one waits
    if (buffer && !buffer->let_out("DeviceArray")) return {};
    return {pointer, bytes_of(object), buffer && buffer->readonly};
}

// Records a status, and makes the object that the call returns.
PyObject *keep_status(Object &object, const Runtime &runtime, int status) {
    object.status = status;
    return status_object(runtime, status);
}

// Construction

PyObject *make(PyTypeObject *type, const DType &dtype) {
    PyObject *self = type->tp_alloc(type, 0);
    if (self) object_of(self).dtype = &dtype;
    return self;
}

bool make_host_side(Object &object) {
    if (object.host) return true;
    object.owner = make_host_block(bytes_of(object), object.host);
    return static_cast<bool>(object.owner);
}

bool request_buffer(Object &object, PyObject *given, const char *call) {
    if (!PyObject_GetBuffer(given, &object.view, PyBUF_FULL)) return true;
    PyErr_Clear();
    object.readonly = true;
    if (!PyObject_GetBuffer(given, &object.view, PyBUF_FULL_RO)) return true;
    object.view.obj = nullptr;
    if (PyErr_ExceptionMatches(PyExc_TypeError))
        PyErr_Format(PyExc_TypeError,
                     "%s(): parameter 'buffer' must be a buffer (a numpy array, say), a size or a list of "
                     "sizes, not %.80s",
                     call, type_description(given));
    return false;
}

// Takes the memory of a buffer, and keeps the buffer as long as the array lives.
bool take_buffer(Object &object, PyObject *given, const char *call) {
    if (!check_no_mask(given) || !request_buffer(object, given, call)) return false;
    if (!check_items(*object.dtype, object.view, call, device_arrays().name())) return false;
    if (object.view.suboffsets || !PyBuffer_IsContiguous(&object.view, 'A')) {
        PyErr_Format(PyExc_ValueError,
                     "%s(): the buffer is not contiguous: pass numpy.ascontiguousarray(a), or use GPUArray",
                     call);
        return false;
    }
    object.host = object.view.buf;
    return take_extent(object.view, object.extent);
}

// Takes the memory behind a pointer to memory of the host, which may be page-locked.
bool take_pointer(Object &object, PyObject *given, PyObject *sizes, const char *call) {
    const PointerWrapper *pointer = pointer_wrapper(given);
    if (!pointer || pointer->dtype != object.dtype || !pointer->safe) {
        PyErr_Format(PyExc_TypeError, "%s(): with sizes, a safe pointer_wrapper_%s is wanted, not %R", call,
                     object.dtype->name, given);
        return false;
    }
    const auto item = static_cast<Py_ssize_t>(object.dtype->size);
    if (!load_extent(sizes, item, call, object.extent)) return false;
    if (object.extent.count > pointer->count) {
        PyErr_Format(PyExc_ValueError, "%s(): sizes %R are %zd items, the memory has %zd", call, sizes,
                     object.extent.count, pointer->count);
        return false;
    }
    if (PyObject_GetBuffer(given, &object.view, PyBUF_SIMPLE)) return false;
    object.host = object.view.buf;
    object.readonly = pointer->readonly;
    return true;
}

// Whether the argument is sizes. A number is a size. That includes numpy's integers, although they have a
// buffer, too.
bool is_sizes(PyObject *given) {
    return PyList_Check(given) || PyTuple_Check(given) || (is_number(given) && !pointer_provider_of(given));
}

bool fill(Object &object, PyObject *given, PyObject *sizes, const char *call) {
    if (sizes) return take_pointer(object, given, sizes, call);
    if (!is_sizes(given)) return take_buffer(object, given, call);
    const auto item = static_cast<Py_ssize_t>(object.dtype->size);
    return load_extent(given, item, call, object.extent) && make_host_side(object);
}

PyObject *construct(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    const char *call = name_of(type);
    PyObject *given = nullptr, *sizes = nullptr;
    if (kwargs && PyDict_GET_SIZE(kwargs))
        return PyErr_Format(PyExc_TypeError, "%s() takes no keywords", call);
    if (!PyArg_UnpackTuple(args, call, 1, 2, &given, &sizes)) return nullptr;
    Reference self(make(type, dtype_of(type)));
    if (!self || !fill(object_of(self.get()), given, sizes, call)) return nullptr;
    return self.release();
}

// Destruction

int traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(object_of(self).view.obj);
    Py_VISIT(object_of(self).owner.get());
    if (object_of(self).device) Py_VISIT(object_of(self).device->object());
    return 0;
}

int clear(PyObject *self) {
    Object &object = object_of(self);
    object.host = nullptr;
    PyBuffer_Release(&object.view); // does nothing if there is no buffer
    object.owner = {};
    return 0;
}

void destroy(PyObject *self) {
    PyObject_GC_UnTrack(self);
    PyTypeObject *type = Py_TYPE(self);
    Py_TRASHCAN_BEGIN(self, destroy);
    clear(self);
    object_of(self).~Object();
    type->tp_free(self);
    Py_DECREF(type);
    Py_TRASHCAN_END;
}

// Calls that return a status

PyObject *allocate(PyObject *self, PyObject *) {
    Object &object = object_of(self);
    Runtime *runtime = arrays::runtime();
    if (!runtime) return nullptr;
    if (allocated(object)) return keep_status(object, *runtime, success);
    Retained<Buffer> made;
    int status = success;
    if (default_allocator() && bytes_of(object)) {
        made = allocate_with(*runtime, "DeviceArray.allocate()", default_allocator(), bytes_of(object), {});
        if (!made) return nullptr; // the exception of the user's allocator
    } else {
        status = take_memory(*runtime, bytes_of(object), made);
    }
    // Another thread may have been quicker; its memory stays.
    if (!status && !allocated(object)) {
        object.offset = 0;
        object.device = std::move(made); // last: the end of freed memory may run any code
    }
    return keep_status(object, *runtime, status);
}

// Copies all elements in one direction, as cudaMemcpy does. The caller keeps the object alive, and asks the
// watch whether a signal handler has raised.
int copy(const Object &object, const Runtime &runtime, bool up, Watch &watch) {
    if (!allocated(object)) return runtime.codes.invalid_value;
    const Retained<Buffer> buffer = object.device; // a reset in another thread may replace it
    const Buffer::Using using_it(*buffer);
    void *device = device_pointer(object), *host = object.host;
    if (!device) return success; // no bytes
    if (!host) return runtime.codes.invalid_value;
    Scope scope(runtime, buffer->device);
    int status = scope.status();
    if (!status) status = buffer->begin_use(scope, {}, true);
    if (status) return status;
    {
        GilReleased released(true);
        status = copy_and_wait(scope, up, device, host, bytes_of(object), &watch);
    }
    buffer->go_on_with_use(nullptr, buffer->device);
    return status;
}

PyObject *copy_call(PyObject *self, bool up) {
    Object &object = object_of(self);
    Runtime *runtime = arrays::runtime();
    if (!runtime || !make_host_side(object)) return nullptr;
    if (has_postponed()) do_postponed();
    Watch watch(bytes_of(object));
    const int status = copy(object, *runtime, up, watch);
    return watch.end(!status) ? keep_status(object, *runtime, status) : nullptr;
}

PyObject *to_device(PyObject *self, PyObject *) {
    const Retained<Buffer> device = object_of(self).device;
    if (device && device->readonly && !device->check_writable("DeviceArray.to_device()")) return nullptr;
    return copy_call(self, true);
}

PyObject *to_host(PyObject *self, PyObject *) {
    if (object_of(self).readonly)
        return PyErr_Format(PyExc_ValueError, "%s.to_host(): the host's buffer is read-only", name_of(self));
    return copy_call(self, false);
}

PyObject *last_status(PyObject *self, PyObject *) {
    Runtime *runtime = arrays::runtime();
    return runtime ? status_object(*runtime, object_of(self).status) : nullptr;
}

// Calls that return facts

PyObject *host_data(PyObject *self, PyObject *) {
    Object &object = object_of(self);
    if (!make_host_side(object)) return nullptr;
    return make_host_pointer(*object.dtype, object.host, object.extent.count, object.readonly, self);
}

PyObject *device_data(PyObject *self, PyObject *) {
    const Object &object = object_of(self);
    void *pointer = device_pointer(object);
    return make_buffer_pointer(*object.dtype, pointer, object.extent.count,
                               pointer ? object.device : Retained<Buffer>());
}

PyObject *is_allocated(PyObject *self, PyObject *) { return PyBool_FromLong(allocated(object_of(self))); }
PyObject *size(PyObject *self, PyObject *) { return PyLong_FromSsize_t(object_of(self).extent.count); }
PyObject *nbytes(PyObject *self, PyObject *) { return PyLong_FromSize_t(bytes_of(object_of(self))); }
PyObject *shape(PyObject *self, PyObject *) { return Py_NewRef(object_of(self).extent.shape.get()); }
PyObject *strides(PyObject *self, PyObject *) { return Py_NewRef(object_of(self).extent.strides.get()); }

PyObject *record_stream(PyObject *self, PyObject *stream) {
    const Object &object = object_of(self);
    StreamArgument checked;
    if (!allocated(object)) {
        if (!load_stream(stream, "DeviceArray.record_stream()", checked)) return nullptr;
    } else if (!record_stream(*object.device, "DeviceArray.record_stream()", stream)) {
        return nullptr;
    }
    Py_RETURN_NONE;
}

// Refuses conversion to a numpy array, because either side could be meant. Without this, numpy would make an
// array that holds the object itself. Some of numpy's functions catch the exception: array_equal() then
// returns False.
PyObject *refuse_array(PyObject *self, PyObject *, PyObject *) {
    return PyErr_Format(PyExc_TypeError,
                        "%s is no numpy array: its host's side is numpy.asarray(a.host_data()), to_host() "
                        "brings the device's there",
                        name_of(self));
}

PyObject *repr(PyObject *self) {
    const Object &object = object_of(self);
    if (!allocated(object))
        return PyUnicode_FromFormat("<%s, shape %R, not allocated>", name_of(self),
                                    object.extent.shape.get());
    if (!device_pointer(object))
        return PyUnicode_FromFormat("<%s, shape %R, no bytes>", name_of(self), object.extent.shape.get());
    return PyUnicode_FromFormat("<%s, shape %R, at %p on device %d>", name_of(self),
                                object.extent.shape.get(), device_pointer(object), object.device->device);
}

PyObject *as_parameter(PyObject *self, void *) {
    const DType &dtype = *object_of(self).dtype;
    const ProvidedPointer memory = provide(self);
    return PyErr_Occurred() ? nullptr : c_pointer_to(memory.pointer, dtype.kind, dtype.size);
}

bool in_c_order(const Object &object) {
    Extent plain;
    if (!load_extent(object.extent.shape.get(), static_cast<Py_ssize_t>(object.dtype->size), "shape", plain))
        return false;
    return PyObject_RichCompareBool(plain.strides.get(), object.extent.strides.get(), Py_EQ) == 1;
}

PyObject *get_interface(PyObject *self, void *) {
    const Object &object = object_of(self);
    if (!allocated(object))
        return PyErr_Format(PyExc_AttributeError,
                            "%s has no __cuda_array_interface__: nothing is on the device, call allocate()",
                            name_of(self));
    Reference typestr(PyUnicode_FromString(object.dtype->typestr));
    const bool compact = in_c_order(object);
    if (!typestr || PyErr_Occurred()) return nullptr;
    const Retained<Buffer> buffer = object.device; // another thread may replace it meanwhile
    return cuda_array_interface(
        "DeviceArray.__cuda_array_interface__", buffer, device_pointer(object),
        {object.extent.shape.get(), compact ? nullptr : object.extent.strides.get(), typestr.get(), nullptr});
}

PyObject *device_dlpack(PyObject *self, PyObject *const *args, Py_ssize_t given, PyObject *keywords) {
    const Reference array(same_array("DeviceArray.__dlpack__()", self));
    return array ? dlpack(array.get(), args, given, keywords) : nullptr;
}

PyObject *device_dlpack_device(PyObject *self, PyObject *) {
    const Reference array(same_array("DeviceArray.__dlpack_device__()", self));
    return array ? dlpack_device(array.get(), nullptr) : nullptr;
}

PyMethodDef methods[] = {
    {"host_data", host_data, METH_NOARGS,
     "host_data($self)\n--\n\nThe host's memory: a safe pointer_wrapper of the same dtype."},
    {"device_data", device_data, METH_NOARGS,
     "device_data($self)\n--\n\nThe device's memory: a pointer_wrapper, null before allocate(). It keeps the "
     "memory "
     "alive."},
    {"allocate", allocate, METH_NOARGS,
     "allocate($self)\n--\n\nTakes memory on the current device; a second call changes nothing. Returns the "
     "error. "
     "Raises only what an allocator named by set_allocator() raises."},
    {"to_device", to_device, METH_NOARGS,
     "to_device($self)\n--\n\nCopies the host's memory to the device's, as cudaMemcpy does on the default stream. "
     "Returns the error. Before allocate() it copies nothing and returns invalid value."},
    {"to_host", to_host, METH_NOARGS,
     "to_host($self)\n--\n\nCopies the device's memory to the host's, as cudaMemcpy does on the default stream: it "
     "waits for the work that is queued there. Returns the error. Before allocate() it copies "
     "nothing and returns invalid value. Raises ValueError if the host's buffer is read-only."},
    {"last_status", last_status, METH_NOARGS,
     "last_status($self)\n--\n\nThe error of the last allocate(), to_device() or to_host(); success before "
     "any."},
    {"allocated", is_allocated, METH_NOARGS,
     "allocated($self)\n--\n\nWhether there is memory on the device. There is none after a reset of the device, nor "
     "in a forked child."},
    {"size", size, METH_NOARGS, "size($self)\n--\n\nThe number of items."},
    {"nbytes", nbytes, METH_NOARGS, "nbytes($self)\n--\n\nThe size in bytes."},
    {"shape", shape, METH_NOARGS, "shape($self)\n--\n\nThe number of items along each axis, a tuple."},
    {"strides", strides, METH_NOARGS,
     "strides($self)\n--\n\nThe step in bytes along each axis, a tuple; the same on both sides."},
    {"__dlpack__", with_keywords(device_dlpack), METH_FASTCALL | METH_KEYWORDS,
     "__dlpack__($self, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\nThe device's memory "
     "as a capsule of DLPack; ValueError before allocate(), BufferError."},
    {"__dlpack_device__", device_dlpack_device, METH_NOARGS,
     "__dlpack_device__($self)\n--\n\nDLPack's type and number of the device; ValueError before allocate()."},
    {"__array__", with_keywords(refuse_array), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"__array_ufunc__", with_keywords(refuse_array), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"__array_function__", with_keywords(refuse_array), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"record_stream", record_stream, METH_O,
     "record_stream($self, stream, /)\n--\n\nSays that a stream uses the device's memory: freeing the memory waits for the work that "
     "is queued there by then. From now on it waits for recorded streams only."},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef properties[] = {
    {"_as_parameter_", as_parameter, nullptr, "the device's address for ctypes, a c_void_p", nullptr},
    {"__cuda_array_interface__", get_interface, nullptr,
     "the device's memory by the CUDA Array Interface, version 3; AttributeError before allocate()", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

constexpr const char *doc =
    "(buffer, sizes=(), /)\n--\n\n"
    "Memory of the host, and the same amount on a device. It is made from a contiguous "
    "buffer of the same dtype (used in place, not copied), from a size or a list of "
    "sizes (new memory, filled with zeros), or from a pointer_wrapper to host memory and "
    "sizes. Calls return the error, and last_status() has the last one. Wrong arguments "
    "raise TypeError or ValueError.";

bool owns(PyObject *self) { return allocated(object_of(self)) && object_of(self).device->frees(); }

} // namespace

Family &device_arrays() {
    static Family &family = *[] {
        add_pointer_provider(destroy, provide, owns);
        return new Family("DeviceArray", sizeof(Object),
                          {.create = construct,
                           .destroy = destroy,
                           .traverse = traverse,
                           .clear = clear,
                           .repr = repr,
                           .methods = methods,
                           .properties = properties,
                           .doc = doc});
    }();
    return family;
}

bool is_device_array(PyObject *object) { return Py_TYPE(object)->tp_dealloc == destroy; }

bool load_device_array(PyObject *object, const DType *&dtype, Layout &layout) {
    const Object &array = object_of(object);
    dtype = array.dtype;
    layout.itemsize = static_cast<ssize_t>(dtype->size);
    int strides = 0;
    return load_sizes(array.extent.shape.get(), "DeviceArray", "shape", layout.shape, layout.axes) &&
           load_sizes(array.extent.strides.get(), "DeviceArray", "strides", layout.strides, strides);
}

Buffer *device_array_buffer(PyObject *self, char *&data) {
    if (Py_TYPE(self)->tp_dealloc != destroy || !allocated(object_of(self))) return nullptr;
    data = static_cast<char *>(device_pointer(object_of(self)));
    return object_of(self).device.get();
}

PyObject *make_device_array(const DType &dtype, const Retained<Buffer> &buffer, std::size_t offset,
                            PyObject *shape, PyObject *strides) {
    Py_ssize_t count = 1;
    for (Py_ssize_t axis = 0; axis < PyTuple_GET_SIZE(shape); ++axis)
        count *= PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, axis));
    PyTypeObject *type = device_arrays().type_of(dtype);
    PyObject *self = type ? make(type, dtype) : nullptr;
    if (!self) return nullptr;
    Object &object = object_of(self);
    object.extent = {count, Reference::borrow(shape), Reference::borrow(strides)};
    object.device = buffer;
    object.offset = offset;
    return self;
}

} // namespace pygpu::arrays
