// The Python types of device arrays.
#include "arrays/types/per_dtype/device_array.hpp"

#include "arrays/base/numpy.hpp"
#include "arrays/exchange/cuda_array_interface.hpp"
#include "arrays/memory/allocator.hpp"
#include "arrays/transfer/engine.hpp"
#include "arrays/types/gpu_array/exchange.hpp"
#include "arrays/types/per_dtype/bound.hpp"
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

#include <cstdint>
#include <cstring>

namespace pygpu::arrays {
namespace {

// Whether the argument is sizes. A number is a size. That includes numpy's integers, although they have a
// buffer, too.
bool is_sizes(PyObject *argument) {
    return PyList_Check(argument) || PyTuple_Check(argument) ||
           (is_number(argument) && !pointer_provider_of(argument));
}

struct DeviceArray : TypedValue {
    using TypedValue::TypedValue;
    Extent extent{};
    void *host = nullptr;
    bool readonly = false;
    Py_buffer view{};  // of the given buffer; .obj is null if none was given
    Reference owner{}; // the owner of the host's memory if it is new
    Retained<Buffer> device{};
    std::size_t offset = 0; // into the buffer

    ~DeviceArray() { clear(); }

    int traverse(visitproc visit, void *arg) const {
        Py_VISIT(view.obj);
        Py_VISIT(owner.get());
        if (device) Py_VISIT(device->object());
        return 0;
    }

    int clear() {
        host = nullptr;
        PyBuffer_Release(&view); // does nothing if there is no buffer
        owner = {};
        return 0;
    }

    std::size_t nbytes() const { return static_cast<std::size_t>(extent.count) * dtype.size; }

    bool allocated() const { return device && !device->was_freed() && !(device->pointer && device->ended()); }

    void *pointer() const { // to the device's memory
        if (!allocated() || !device->pointer) return nullptr;
        return static_cast<char *>(device->pointer) + offset;
    }

    py::object shape() const { return py::reinterpret_borrow<py::object>(extent.shape.get()); }
    py::object strides() const { return py::reinterpret_borrow<py::object>(extent.strides.get()); }

    void make_host_side() {
        if (host) return;
        owner = make_host_block(nbytes(), host);
        throw_unless(static_cast<bool>(owner));
    }

    // Construction

    void request_buffer(PyObject *buffer) {
        if (!PyObject_GetBuffer(buffer, &view, PyBUF_FULL)) return;
        PyErr_Clear();
        readonly = true;
        if (!PyObject_GetBuffer(buffer, &view, PyBUF_FULL_RO)) return;
        view.obj = nullptr;
        if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw py::error_already_set();
        raise(
            PyExc_TypeError,
            "%s(): parameter 'buffer' must be a buffer (a numpy array, say), a size or a list of sizes, not "
            "%.80s",
            name, type_description(buffer));
    }

    // Takes the memory of a buffer, and keeps the buffer as long as the array lives.
    void take_buffer(PyObject *buffer) {
        throw_unless(check_no_mask(buffer));
        request_buffer(buffer);
        throw_unless(check_items(dtype, view, name, device_arrays().name()));
        if (view.suboffsets || !PyBuffer_IsContiguous(&view, 'A'))
            raise(PyExc_ValueError,
                  "%s(): the buffer is not contiguous: pass numpy.ascontiguousarray(a), or use GPUArray",
                  name);
        host = view.buf;
        throw_unless(take_extent(view, extent));
    }

    // Takes the memory behind a pointer to memory of the host, which may be page-locked.
    void take_pointer(PyObject *object, PyObject *sizes) {
        const PointerWrapper *pointer = pointer_wrapper(object);
        if (!pointer || pointer->dtype != &dtype || !pointer->safe)
            raise(PyExc_TypeError, "%s(): with sizes, a safe pointer_wrapper_%s is wanted, not %R", name,
                  dtype.name, object);
        take_sizes(sizes);
        if (extent.count > pointer->count)
            raise(PyExc_ValueError, "%s(): sizes %R are %zd items, the memory has %zd", name, sizes,
                  extent.count, pointer->count);
        throw_unless(!PyObject_GetBuffer(object, &view, PyBUF_SIMPLE));
        host = view.buf;
        readonly = pointer->readonly;
    }

    void take_sizes(PyObject *sizes) {
        throw_unless(load_extent(sizes, static_cast<Py_ssize_t>(dtype.size), name, extent));
    }

    void construct(PyObject *args, PyObject *kwargs) {
        PyObject *argument = nullptr, *sizes = nullptr;
        if (kwargs && PyDict_GET_SIZE(kwargs)) raise(PyExc_TypeError, "%s() takes no keywords", name);
        throw_unless(PyArg_UnpackTuple(args, name, 1, 2, &argument, &sizes));
        if (sizes) {
            take_pointer(argument, sizes);
        } else if (is_sizes(argument)) {
            take_sizes(argument);
            make_host_side();
        } else {
            take_buffer(argument);
        }
    }

    // Calls that return a status

    py::object allocate() {
        const Runtime &runtime = deref_or_throw(arrays::runtime());
        if (allocated()) return keep_status(success);
        Retained<Buffer> memory;
        int failed = success;
        if (default_allocator() && nbytes()) {
            memory = allocate_with(runtime, "DeviceArray.allocate()", default_allocator(), nbytes(), {});
            throw_unless(static_cast<bool>(memory)); // the exception of the user's allocator
        } else {
            failed = take_memory(runtime, nbytes(), memory);
        }
        // Another thread may have been quicker; its memory stays.
        if (!failed && !allocated()) {
            offset = 0;
            device = std::move(memory); // last: the end of freed memory may run any code
        }
        return keep_status(failed);
    }

    // Copies all elements in one direction, as cudaMemcpy does. The watch says whether a signal handler has
    // raised.
    int copy(const Runtime &runtime, bool up, ProgressWatch &watch) const {
        if (!allocated()) return runtime.codes.invalid_value;
        const Retained<Buffer> buffer = device; // a reset in another thread may replace it
        const Buffer::Using using_it(*buffer);
        void *there = pointer(), *here = host;
        if (!there) return success; // no bytes
        if (!here) return runtime.codes.invalid_value;
        Scope scope(runtime, buffer->device);
        int failed = scope.status();
        if (!failed) failed = buffer->begin_use(scope, {}, true);
        if (failed) return failed;
        {
            GilReleased released(true);
            failed = copy_and_wait(scope, up, there, here, nbytes(), &watch);
        }
        buffer->go_on_with_use(nullptr, buffer->device);
        return failed;
    }

    py::object copy_all(bool up) {
        const Runtime &runtime = deref_or_throw(arrays::runtime());
        make_host_side();
        if (has_postponed()) do_postponed();
        ProgressWatch watch(nbytes());
        const int failed = copy(runtime, up, watch);
        throw_unless(watch.end(!failed));
        return keep_status(failed);
    }

    py::object to_device() {
        const Retained<Buffer> buffer = device;
        throw_unless(!buffer || !buffer->readonly || buffer->check_writable("DeviceArray.to_device()"));
        return copy_all(true);
    }

    py::object to_host() {
        if (readonly) raise(PyExc_ValueError, "%s.to_host(): the host's buffer is read-only", name);
        return copy_all(false);
    }

    // Calls that return facts

    py::object device_data() const {
        void *there = pointer();
        return or_throw(make_buffer_pointer(dtype, there, extent.count, there ? device : Retained<Buffer>()));
    }

    void record_stream(py::handle stream) const {
        StreamArgument checked;
        throw_unless(allocated() ? arrays::record_stream(*device, "DeviceArray.record_stream()", stream.ptr())
                                 : load_stream(stream.ptr(), "DeviceArray.record_stream()", checked));
    }

    // Refuses conversion to a numpy array, because either side could be meant. Without this, numpy would make
    // an array that holds the object itself. Some of numpy's functions catch the exception: array_equal()
    // then returns False.
    void refuse_array(const py::args &, const py::kwargs &) const {
        raise(PyExc_TypeError,
              "%s is no numpy array: its host's side is numpy.asarray(a.host_data()), to_host() brings the "
              "device's there",
              name);
    }

    py::object repr() const {
        PyObject *sizes = extent.shape.get();
        if (!allocated()) return or_throw(PyUnicode_FromFormat("<%s, shape %R, not allocated>", name, sizes));
        if (!pointer()) return or_throw(PyUnicode_FromFormat("<%s, shape %R, no bytes>", name, sizes));
        return or_throw(PyUnicode_FromFormat("<%s, shape %R, at %p on device %d>", name, sizes, pointer(),
                                             device->device));
    }

    bool in_c_order() const {
        Extent plain;
        throw_unless(load_extent(extent.shape.get(), static_cast<Py_ssize_t>(dtype.size), "shape", plain));
        return PyObject_RichCompareBool(plain.strides.get(), extent.strides.get(), Py_EQ);
    }

    py::object interface() const {
        if (!allocated())
            raise(PyExc_AttributeError,
                  "%s has no __cuda_array_interface__: nothing is on the device, call allocate()", name);
        const Reference typestr(PyUnicode_FromString(dtype.typestr));
        throw_unless(static_cast<bool>(typestr));
        PyObject *steps = in_c_order() ? nullptr : extent.strides.get();
        const Retained<Buffer> buffer = device; // another thread may replace it meanwhile
        return or_throw(cuda_array_interface("DeviceArray.__cuda_array_interface__", buffer, pointer(),
                                             {extent.shape.get(), steps, typestr.get(), nullptr}));
    }
};

DeviceArray &object_of(PyObject *self) { return value_of<DeviceArray>(self); }

// For pointer parameters of calls. The address is null before allocate(). An exception is set if the memory
// was freed.
ProvidedPointer provide(PyObject *self) {
    const DeviceArray &array = object_of(self);
    void *pointer = array.pointer();
    const Retained<Buffer> buffer = array.device; // another thread may replace it while this one waits
    if (buffer && !buffer->let_out("DeviceArray")) return {};
    return {pointer, array.nbytes(), buffer && buffer->readonly, array.dtype.element()};
}

bool owns(PyObject *self) { return object_of(self).allocated() && object_of(self).device->frees(); }

void bind_array(py::class_<DeviceArray> &bound) {
    bound.def(
        "host_data",
        [](py::handle self) {
            if (!is_device_array(self.ptr())) throw py::reference_cast_error(); // a TypeError
            DeviceArray &array = object_of(self.ptr());
            array.make_host_side();
            return or_throw(
                make_host_pointer(array.dtype, array.host, array.extent.count, array.readonly, self.ptr()));
        },
        "host_data(self)\n--\n\nThe host's memory: a safe pointer_wrapper of the same dtype.");
    bound.def(
        "device_data", &DeviceArray::device_data,
        "device_data(self)\n--\n\nThe device's memory: a pointer_wrapper, null before allocate(). It keeps "
        "the memory alive.");
    bound.def(
        "allocate", &DeviceArray::allocate,
        "allocate(self)\n--\n\nTakes memory on the current device; a second call changes nothing. Returns "
        "the error. Raises only what an allocator named by set_allocator() raises.");
    bound.def(
        "to_device", &DeviceArray::to_device,
        "to_device(self)\n--\n\nCopies the host's memory to the device's, as cudaMemcpy does on the default "
        "stream. Returns the error. Before allocate() it copies nothing and returns invalid value.");
    bound.def(
        "to_host", &DeviceArray::to_host,
        "to_host(self)\n--\n\nCopies the device's memory to the host's, as cudaMemcpy does on the default "
        "stream: it waits for the work that is queued there. Returns the error. Before allocate() it copies "
        "nothing and returns invalid value. Raises ValueError if the host's buffer is read-only.");
    bound.def(
        "last_status", &DeviceArray::last_status,
        "last_status(self)\n--\n\nThe error of the last allocate(), to_device() or to_host(); success before "
        "any.");
    bound.def(
        "allocated", &DeviceArray::allocated,
        "allocated(self)\n--\n\nWhether there is memory on the device. There is none after a reset of the "
        "device, nor in a forked child.");
    bound.def(
        "size", [](const DeviceArray &self) { return self.extent.count; },
        "size(self)\n--\n\nThe number of items.");
    bound.def("nbytes", &DeviceArray::nbytes, "nbytes(self)\n--\n\nThe size in bytes.");
    bound.def("shape", &DeviceArray::shape,
              "shape(self)\n--\n\nThe number of items along each axis, a tuple.");
    bound.def("strides", &DeviceArray::strides,
              "strides(self)\n--\n\nThe step in bytes along each axis, a tuple; the same on both sides.");
    bound.def(
        "record_stream", &DeviceArray::record_stream,
        "record_stream(self, stream, /)\n--\n\nSays that a stream uses the device's memory: freeing the "
        "memory waits for the work that is queued there by then. From now on it waits for recorded streams "
        "only.");
    bound.def("__repr__", &DeviceArray::repr);
    bound.def_property_readonly(
        "__cuda_array_interface__", &DeviceArray::interface,
        "the device's memory by the CUDA Array Interface, version 3; AttributeError before allocate()");
    for (const char *name : {"__array__", "__array_ufunc__", "__array_function__"})
        bound.def(name, &DeviceArray::refuse_array);
}

PyTypeObject *array_class() { return base_class<DeviceArray>("_DeviceArray", bind_array); }

// What stays on the C API: exchange and ctypes ask for these with every call.

PyObject *as_parameter(PyObject *self, void *) {
    const DType &dtype = object_of(self).dtype;
    const ProvidedPointer memory = provide(self);
    return PyErr_Occurred() ? nullptr : c_pointer_to(memory.pointer, dtype.kind, dtype.size);
}

PyObject *array_dlpack(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    const Reference array(same_array("DeviceArray.__dlpack__()", self));
    return array ? dlpack(array.get(), args, count, keywords) : nullptr;
}

PyObject *array_dlpack_device(PyObject *self, PyObject *) {
    const Reference array(same_array("DeviceArray.__dlpack_device__()", self));
    return array ? dlpack_device(array.get(), nullptr) : nullptr;
}

PyMethodDef array_methods[] = {
    {"__dlpack__", with_keywords(array_dlpack), METH_FASTCALL | METH_KEYWORDS,
     "__dlpack__($self, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\nThe device's memory "
     "as a capsule of DLPack; ValueError before allocate(), BufferError."},
    {"__dlpack_device__", array_dlpack_device, METH_NOARGS,
     "__dlpack_device__($self)\n--\n\nDLPack's type and number of the device; ValueError before allocate()."},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef array_properties[] = {
    {"_as_parameter_", as_parameter, nullptr, "the device's address for ctypes, a c_void_p", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

} // namespace

Family &device_arrays() {
    static Family &family = *[] {
        add_pointer_provider(destroy_object<DeviceArray>, provide, owns);
        return make_family<DeviceArray, &DeviceArray::construct>(
            "DeviceArray", array_class,
            {.methods = array_methods,
             .properties = array_properties,
             .doc =
                 "(buffer, sizes=(), /)\n--\n\nMemory of the host, and the same amount on a device. It is made "
                 "from a contiguous buffer of the same dtype (used in place, not copied), from a size or a list "
                 "of sizes (new memory, filled with zeros), or from a pointer_wrapper to host memory and sizes. "
                 "Calls return the error, and last_status() has the last one. Wrong arguments raise TypeError "
                 "or ValueError."});
    }();
    return family;
}

bool is_device_array(PyObject *object) { return Py_TYPE(object)->tp_dealloc == destroy_object<DeviceArray>; }

const DType *device_array_dtype(PyObject *object) {
    return is_device_array(object) ? &object_of(object).dtype : nullptr;
}

bool load_device_array(PyObject *object, const DType *&dtype, Layout &layout) {
    const DeviceArray &array = object_of(object);
    dtype = &array.dtype;
    layout.itemsize = static_cast<ssize_t>(dtype->size);
    int strides = 0;
    return load_sizes(array.extent.shape.get(), "DeviceArray", "shape", layout.shape, layout.axes) &&
           load_sizes(array.extent.strides.get(), "DeviceArray", "strides", layout.strides, strides);
}

Buffer *device_array_buffer(PyObject *self, char *&data) {
    if (!is_device_array(self) || !object_of(self).allocated()) return nullptr;
    data = static_cast<char *>(object_of(self).pointer());
    return object_of(self).device.get();
}

PyObject *make_device_array(const DType &dtype, const Retained<Buffer> &buffer, std::size_t offset,
                            PyObject *shape, PyObject *strides) {
    Py_ssize_t count = 1;
    for (Py_ssize_t axis = 0; axis < PyTuple_GET_SIZE(shape); ++axis)
        count *= PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, axis));
    PyTypeObject *type = device_arrays().type_of(dtype);
    return !type ? nullptr : make_object<DeviceArray>(type, [&](DeviceArray &array) {
        array.extent = {count, Reference::borrow(shape), Reference::borrow(strides)};
        array.device = buffer;
        array.offset = offset;
    });
}

} // namespace pygpu::arrays
