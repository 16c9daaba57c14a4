// Moving an array's elements: from and to numpy arrays, between arrays.
#include "arrays/base/numpy.hpp"
#include "arrays/memory/allocator.hpp"
#include "arrays/transfer/peers.hpp"
#include "arrays/types/gpu_array/array.hpp"
#include "arrays/types/gpu_array/operation.hpp"
#include "binding/error_type.hpp"
#include "python/gil.hpp"
#include "python/keywords.hpp"

namespace pygpu::arrays {
namespace {

bool same_strides(const Layout &one, const ssize_t *strides) {
    for (int axis = 0; axis < one.axes; ++axis) {
        if (one.strides[axis] != strides[axis] && one.shape[axis] > 1) return false;
    }
    return true;
}

// One run of bytes on both sides, in the same order.
bool is_one_run(const Layout &layout, const ssize_t *strides) {
    return same_strides(layout, strides) && (layout.contiguous_as_c() || layout.contiguous_as_f());
}

// Whether two layouts may have bytes in common: by their addresses, since a user may have given an array the
// address of another's memory, or of the host's.
bool overlap(const char *one, const Layout &layout, const char *other, const Layout &other_layout) {
    ssize_t low = 0, end = 0, other_low = 0, other_end = 0;
    if (!layout.span(low, end) || !other_layout.span(other_low, other_end)) return true;
    return one + low < other + other_end && other + other_low < one + end;
}

// Whether a numpy array lies wholly outside of a piece of memory, as nearly all do.
bool is_apart(const Buffer &memory, const HostArray &host) {
    ssize_t low = 0, end = 0;
    const char *begin = static_cast<const char *>(memory.pointer);
    return host.layout.span(low, end) && (host.data + end <= begin || host.data + low >= begin + memory.size);
}

// From a numpy array of the same shape and item size, in memory of its own.
bool upload_apart(PyObject *self, HostArray &host, const StreamArgument &stream, bool asynchronous,
                  const char *call) {
    Array &array = array_of(self);
    const Layout layout = array.layout();
    const std::size_t size = static_cast<std::size_t>(layout.count() * layout.itemsize);
    if (!size) return true;
    Operation operation(*array.buffer, stream, asynchronous);
    int &status = operation.status;
    if (!asynchronous) operation.shall_wait();
    if (!status) {
        GilGivenAway away(true);
        if (!asynchronous && !operation.stream.stream && is_one_run(layout, host.layout.strides)) {
            status = operation.upload(*array.buffer, array.data, host.data, size);
        } else {
            Job job = operation.job(layout.itemsize);
            status = to_device(job, array.data, host.data, axes_of(layout, host.layout.strides));
            // After a failure, too, nothing may be under way from memory that goes.
            if (!asynchronous || status) {
                const int waited = operation.synchronize();
                if (!status) status = waited;
            }
        }
    }
    if (operation.fence) array.buffer->note_upload(operation.fence);
    if (operation.capturing || (!status && asynchronous)) operation.keep(host.array.get());
    operation.finish();
    if (status) raise_status(operation.runtime, status, "%s", call);
    return !status;
}

// As numpy assigns: what shares memory with the array, which may stand on page-locked memory, is copied
// first.
bool upload_from(PyObject *self, HostArray &host, const StreamArgument &stream, bool asynchronous,
                 const char *call) {
    const Array &array = array_of(self);
    const Buffer &memory = *array.buffer;
    if (is_apart(memory, host) || !overlap(array.data, array.layout(), host.data, host.layout))
        return upload_apart(self, host, stream, asynchronous, call);
    HostArray copy;
    Reference copied(PyObject_CallMethod(host.array.get(), "copy", nullptr));
    return copied && copy.load(copied.get(), false) && upload_apart(self, copy, stream, asynchronous, call);
}

bool download_to(PyObject *self, HostArray &host, const StreamArgument &stream, bool asynchronous,
                 const char *call) {
    Array &array = array_of(self);
    const Layout layout = array.layout();
    const std::size_t size = static_cast<std::size_t>(layout.count() * layout.itemsize);
    if (!size) return true;
    const bool same = array.data == host.data && same_strides(layout, host.layout.strides);
    if (!same && overlap(array.data, layout, host.data, host.layout)) {
        PyErr_Format(PyExc_ValueError, "%s: the numpy array overlaps the array's own memory", call);
        return false;
    }
    Operation operation(*array.buffer, stream, asynchronous);
    int &status = operation.status;
    if (!asynchronous) operation.shall_wait();
    if (!status) {
        GilGivenAway away(true);
        if (!asynchronous && is_one_run(layout, host.layout.strides)) {
            status = operation.download(host.data, array.data, size);
        } else {
            Job job = operation.job(layout.itemsize);
            Unpacking rest;
            Axes axes;
            for (int axis = 0; axis < layout.axes; ++axis)
                axes.add({layout.shape[axis], host.layout.strides[axis], layout.strides[axis]});
            status = from_device(job, host.data, array.data, axes, rest);
            if (!asynchronous || status || rest.needed) {
                const int waited = operation.synchronize();
                if (!status) status = waited;
                if (!status) rest.run();
            }
        }
    }
    if (operation.capturing || (!status && asynchronous)) operation.keep(host.array.get());
    operation.finish();
    if (status) raise_status(operation.runtime, status, "%s", call);
    return !status;
}

bool same_shape(const Layout &one, const Layout &other) {
    if (one.axes != other.axes) return false;
    for (int axis = 0; axis < one.axes; ++axis) {
        if (one.shape[axis] != other.shape[axis]) return false;
    }
    return true;
}

// (ndarray, stream, asynchronous) of _upload and _download.
bool load_transfer(PyObject *self, PyObject *args, const char *call, bool writable, HostArray &host,
                   StreamArgument &stream, bool &asynchronous) {
    PyObject *array = nullptr, *on = nullptr;
    int later = 0;
    Runtime *runtime = nullptr;
    if (!PyArg_ParseTuple(args, "OOp", &array, &on, &later) || !begin(runtime)) return false;
    asynchronous = later;
    if (!load_stream(on, call, stream) || !host.load(array, writable)) return false;
    if (same_shape(array_of(self).layout(), host.layout) && host.layout.itemsize == array_of(self).itemsize)
        return true;
    PyErr_Format(PyExc_ValueError, "%s: shapes or item sizes differ", call);
    return false;
}

// A call of PyGPU._arrays.transfer with the array before the arguments.
PyObject *call_in_python(const char *name, PyObject *self, PyObject *const *args, Py_ssize_t given,
                         PyObject *keywords) {
    Reference module(PyImport_ImportModule("PyGPU._arrays.transfer"));
    Reference function(module ? PyObject_GetAttrString(module.get(), name) : nullptr);
    if (!function) return nullptr;
    const Py_ssize_t all = given + (keywords ? PyTuple_GET_SIZE(keywords) : 0);
    PyObject *passed[16];
    if (all > 15) return PyErr_Format(PyExc_TypeError, "GPUArray.%s(): too many arguments", name);
    passed[0] = self;
    for (Py_ssize_t at = 0; at < all; ++at) passed[at + 1] = args[at];
    return PyObject_Vectorcall(function.get(), passed, static_cast<std::size_t>(given + 1), keywords);
}

// Copies between the two devices shall go over their link, where they have one. A graph that is being
// captured runs later, and the copy alone goes into it.
int link_devices(Operation &operation, const Buffer &to, const Buffer &from) {
    const auto side = [](const Buffer &buffer) {
        return Side{buffer.device, buffer.kind == Buffer::Kind::pool};
    };
    if (operation.capturing || to.device == from.device) return success;
    return open_link(operation.runtime, operation.scope, side(to), side(from));
}

// Whether a copy between two devices needs no packing.
bool goes_directly(const Array &to, const Array &from, const Axes &axes) {
    if (!goes_between_devices(to.data, from.data, axes, to.itemsize)) return false;
    if (is_one_run(to.layout(), from.strides())) return true;
    Scope scope(to.buffer->runtime);
    return rows_go_between(to.buffer->runtime, scope, from.buffer->device, to.buffer->device);
}

// Queues a copy from an array of the same shape and item size. `done` is false, and nothing happened, where
// the memories overlap or lie on two devices in rows so narrow that they have to be packed.
bool copy_elements(Array &to, Array &from, const StreamArgument &stream, bool asynchronous, const char *call,
                   bool &done) {
    // Before addresses are compared: freed memory may be another array's by now.
    if (!to.buffer->check(call) || !from.buffer->check(call)) return false;
    const Layout layout = to.layout();
    const std::size_t size = static_cast<std::size_t>(layout.count() * layout.itemsize);
    const bool peers = to.buffer->device != from.buffer->device;
    const bool shared = overlap(to.data, layout, from.data, from.layout());
    const Axes axes = axes_of(layout, from.strides());
    done = !size || !(shared || (peers && !goes_directly(to, from, axes)));
    if (!size || !done) return true;
    Operation operation(*to.buffer, stream, asynchronous);
    operation.involve(*from.buffer);
    int &status = operation.status;
    if (!status) {
        GilGivenAway away(true);
        status = link_devices(operation, *to.buffer, *from.buffer);
        Job job = operation.job(layout.itemsize);
        if (!status) status = on_devices(job, to.data, from.data, axes);
    }
    operation.keep();
    operation.finish();
    if (status) raise_status(operation.runtime, status, "%s", call);
    return !status;
}

// Whether numpy made text of what was given.
bool holds_text(PyObject *dtype) {
    Reference kind(PyObject_GetAttrString(dtype, "kind"));
    const char *letter = kind ? PyUnicode_AsUTF8(kind.get()) : nullptr;
    return letter && (*letter == 'S' || *letter == 'U');
}

} // namespace

bool upload_alike(PyObject *self, PyObject *value, bool &done) {
    done = false;
    const Array &array = array_of(self);
    const Numpy *np = numpy();
    HostArray host;
    Runtime *runtime = nullptr;
    if (!np) return false;
    if (Py_TYPE(value) != reinterpret_cast<PyTypeObject *>(np->ndarray)) return true;
    if (!begin(runtime) || !host.load(value, false)) return false;
    if (host.dtype.get() != array.dtype || !same_shape(array.layout(), host.layout)) return true;
    done = true;
    return upload_from(self, host, current_stream(), false, "GPUArray.set()");
}

PyObject *upload(PyObject *self, PyObject *args) {
    HostArray host;
    StreamArgument stream;
    bool asynchronous = false;
    const char *call = "GPUArray.set()";
    if (!load_transfer(self, args, call, false, host, stream, asynchronous)) return nullptr;
    if (!upload_from(self, host, stream, asynchronous, call)) return nullptr;
    Py_RETURN_NONE;
}

PyObject *download(PyObject *self, PyObject *args) {
    HostArray host;
    StreamArgument stream;
    bool asynchronous = false;
    const char *call = "GPUArray.get()";
    if (!load_transfer(self, args, call, true, host, stream, asynchronous)) return nullptr;
    if (!download_to(self, host, stream, asynchronous, call)) return nullptr;
    Py_RETURN_NONE;
}

// get() without arguments is what counts; the rest is done in Python.
PyObject *get(PyObject *self, PyObject *const *args, Py_ssize_t given, PyObject *keywords) {
    if (given || keywords) return call_in_python("get", self, args, given, keywords);
    Runtime *runtime = nullptr;
    if (!begin(runtime)) return nullptr;
    Reference made(new_array(array_of(self).dtype, array_of(self).layout()));
    HostArray host;
    if (!made || !host.load(made.get(), true)) return nullptr;
    return download_to(self, host, current_stream(), false, "GPUArray.get()") ? made.release() : nullptr;
}

// set(ary) from a numpy array that is alike is what counts; the rest is done in Python.
PyObject *set(PyObject *self, PyObject *const *args, Py_ssize_t given, PyObject *keywords) {
    if (given == 1 && !keywords) {
        bool done = false;
        if (!upload_alike(self, args[0], done)) return nullptr;
        if (done) Py_RETURN_NONE;
    }
    return call_in_python("set_", self, args, given, keywords);
}

// to_gpu(ary, allocator=None, stream=None, asynchronous=False)
PyObject *to_gpu(PyObject *, PyObject *const *args, Py_ssize_t given, PyObject *keywords) {
    static const char *const names[] = {"ary", "allocator", "stream", "asynchronous"};
    const Arguments values("to_gpu()", names, args, given, keywords);
    bool asynchronous = false;
    if (!values || !load_flag(values[3], false, asynchronous)) return nullptr;
    PyObject *allocator = values.unless_none(1);
    const char *call = asynchronous ? "to_gpu_async()" : "to_gpu()";
    StreamArgument stream;
    Runtime *runtime = nullptr;
    if (!begin(runtime) || !load_stream(values[2], call, stream)) return nullptr;
    if (allocator && !check_allocator(allocator, call)) return nullptr;
    if (is_array(values[0]))
        return PyErr_Format(PyExc_TypeError, "%s: parameter 'ary' is a GPUArray already; a.copy() copies it",
                            call);
    PyTypeObject *type = public_type();
    Reference source(type ? as_array(values[0]) : nullptr);
    HostArray host;
    if (!source || !host.load(source.get(), false)) return nullptr;
    if (!plain_kind(host.dtype.get()) && holds_text(host.dtype.get()) &&
        !PyObject_HasAttrString(values[0], "__array_interface__"))
        return PyErr_Format(PyExc_TypeError,
                            "%s: parameter 'ary' must be an array or numbers, not text (%.80s)", call,
                            type_told(values[0]));
    ssize_t itemsize = 0;
    Reference dtype(PyErr_Occurred() ? nullptr : load_dtype(host.dtype.get(), itemsize));
    if (!dtype) return nullptr;
    Layout layout = host.layout;
    layout.itemsize = itemsize;
    if (!layout.contiguous_as_c()) layout.set_strides_like(host.layout);
    Reference made(make_empty(type, call, layout, dtype.get(), allocator, stream));
    // Fresh memory shares nothing with the numpy array.
    if (!made || !upload_apart(made.get(), host, stream, asynchronous, call)) return nullptr;
    return made.release();
}

// _copy_from(other, stream, asynchronous): the same shape and item size. Queued, not waited for. False where
// copy_elements() can't: the caller goes by a copy then.
PyObject *copy_from(PyObject *self, PyObject *args) {
    PyObject *other = nullptr, *on = nullptr;
    int later = 0;
    StreamArgument stream;
    Runtime *runtime = nullptr;
    const char *call = "copying GPUArrays";
    if (!PyArg_ParseTuple(args, "OOp", &other, &on, &later) || !begin(runtime)) return nullptr;
    if (!is_array(other)) return PyErr_Format(PyExc_TypeError, "%s: not a GPUArray", call);
    if (!load_stream(on, call, stream)) return nullptr;
    Array &to = array_of(self), &from = array_of(other);
    if (!same_shape(to.layout(), from.layout()) || to.itemsize != from.itemsize)
        return PyErr_Format(PyExc_ValueError, "%s: shapes or item sizes differ", call);
    bool done = false;
    return copy_elements(to, from, stream, later, call, done) ? PyBool_FromLong(done) : nullptr;
}

// _copy(order, stream): a new compact array on the same device, in order C, F or K.
PyObject *copy_of(PyObject *self, PyObject *args) {
    int order = 'K';
    PyObject *on = nullptr;
    StreamArgument stream;
    const char *call = "GPUArray.copy()";
    Runtime *runtime = nullptr;
    if (!PyArg_ParseTuple(args, "CO", &order, &on) || !begin(runtime) || !load_stream(on, call, stream))
        return nullptr;
    Array &from = array_of(self);
    Layout layout = from.layout();
    if (order == 'C' || order == 'F')
        layout.set_strides(static_cast<char>(order));
    else
        layout.set_strides_like(from.layout());
    Reference made;
    {
        Scope scope(*runtime, from.buffer->device);
        if (scope.status()) return raise_status(*runtime, scope.status(), "%s", call);
        made = Reference(make_empty(Py_TYPE(self), call, layout, from.dtype, from.allocator, stream));
    }
    bool done = false; // always: the memory is fresh, and of the same device
    if (!made || !copy_elements(array_of(made.get()), from, stream, on != Py_None, call, done))
        return nullptr;
    return made.release();
}

} // namespace pygpu::arrays
