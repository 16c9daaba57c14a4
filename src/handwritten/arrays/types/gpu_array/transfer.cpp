// Copying an array's elements from and to numpy arrays.
#include "arrays/base/numpy.hpp"
#include "arrays/memory/allocate.hpp"
#include "arrays/memory/allocator.hpp"
#include "arrays/memory/host_memory.hpp"
#include "arrays/memory/result_memory.hpp"
#include "arrays/transfer/copy_path.hpp"
#include "arrays/transfer/in_flight.hpp"
#include "arrays/types/gpu_array/array.hpp"
#include "arrays/types/gpu_array/exchange.hpp"
#include "arrays/types/gpu_array/operation.hpp"
#include "binding/argument_errors.hpp"
#include "python/gil.hpp"
#include "python/keywords.hpp"
#include "python/package.hpp"

namespace pygpu::arrays {
namespace {

// Whether a numpy array lies completely outside of a piece of memory, as nearly all do.
bool is_apart(const Buffer &memory, const HostArray &host) {
    ssize_t low = 0, end = 0;
    const char *begin = static_cast<const char *>(memory.pointer);
    return host.layout.span(low, end) && (host.data + end <= begin || host.data + low >= begin + memory.size);
}

// The arguments of a copy between an array and the host's memory.
struct Request {
    const char *call;
    StreamArgument stream;
    bool asynchronous = false;
    Reference progress; // called during the copy; may be empty
};

// The `progress` argument: a callable, or True for a bar. False with an exception set.
bool load_progress(PyObject *argument, Request &request) {
    if (!argument || argument == Py_None || argument == Py_False) return true;
    if (request.asynchronous) {
        PyErr_Format(PyExc_ValueError,
                     "%s: parameter 'progress' must be None, as this call only queues the copy",
                     request.call);
        return false;
    }
    request.progress = Reference(call_in_package(package::progress_callback, "(Os)", argument, request.call));
    return static_cast<bool>(request.progress);
}

template <class Copy>
bool run_alone(Array &array, const Request &request, std::size_t size, PyObject *host, Copy copy) {
    Operation operation(*array.buffer, request.stream, request.asynchronous);
    ProgressWatch watch(size, request.progress.get());
    Job job = operation.job();
    if (!request.asynchronous) {
        operation.shall_wait();
        job.watch = &watch;
    }
    if (!operation.status) {
        job.may_queue = array.buffer->may_upload();
        GilReleased released(true);
        operation.status = copy(job);
    }
    if (job.fence) array.buffer->note_upload(job.fence);
    if (operation.capturing || (!operation.status && request.asynchronous)) operation.keep(host);
    operation.finish();
    const bool ended = watch.end(!operation.status && !request.asynchronous);
    if (ended && operation.status) raise_status(operation.runtime, operation.status, "%s", request.call);
    return ended && !operation.status;
}

// Does a copy; false with an exception set. `host` is the numpy array that it reads or writes.
template <class Copy>
bool run(Array &array, const Request &request, std::size_t size, PyObject *host, Copy copy) {
    const bool done = run_alone(array, request, size, host, copy);
    if (done && !request.asynchronous) release_done(); // after the operation, since it may run Python code
    return done;
}

// Copies from a numpy array of the same shape and item size, which shares no memory with the array.
bool upload_apart(PyObject *self, HostArray &host, const Request &request) {
    Array &array = array_of(self);
    const Layout layout = array.layout();
    const std::size_t size = static_cast<std::size_t>(layout.count() * layout.itemsize);
    if (!array.buffer->check_writable(request.call)) return false;
    if (!size) return true;
    return run(array, request, size, host.array.get(), [&](Job &job) {
        return copy_with_host(job, true, array.data, host.data, axes_of(layout, host.layout.strides));
    });
}

// The same, but a numpy array that shares memory with the array is copied first, as numpy does in
// assignments. They can share memory, because an array may use page-locked memory of the host.
bool upload_from(PyObject *self, HostArray &host, const Request &request) {
    const Array &array = array_of(self);
    const Buffer &memory = *array.buffer;
    if (is_apart(memory, host) || !overlap(array.data, array.layout(), host.data, host.layout))
        return upload_apart(self, host, request);
    HostArray copy;
    Reference copied(PyObject_CallMethod(host.array.get(), "copy", nullptr));
    return copied && copy.load(copied.get(), false) && upload_apart(self, copy, request);
}

// `pagelocked` says that the numpy array is known to be page-locked.
bool download_to(PyObject *self, HostArray &host, const Request &request, bool pagelocked) {
    Array &array = array_of(self);
    const Layout layout = array.layout();
    const std::size_t size = static_cast<std::size_t>(layout.count() * layout.itemsize);
    if (!size) return array.buffer->check(request.call);
    const bool same = array.data == host.data && same_strides(layout, host.layout.strides);
    if (!same && overlap(array.data, layout, host.data, host.layout)) {
        PyErr_Format(PyExc_ValueError, "%s: the numpy array overlaps the array's own memory", request.call);
        return false;
    }
    return run(array, request, size, host.array.get(), [&](Job &job) {
        job.pagelocked = pagelocked;
        return copy_with_host(job, false, array.data, host.data, axes_of(layout, host.layout.strides));
    });
}

// Loads the numpy array `ary` in the array's shape. It must have the dtype and the number of elements of
// the array. For writing, reshaping it must give a view, not a copy. False with an exception set.
bool load_alike(PyObject *self, PyObject *ary, bool writable, OtherShape other_shape, HostArray &host,
                HostArray &reshaped, HostArray *&alike, const char *call) {
    const Array &array = array_of(self);
    const Layout layout = array.layout();
    if (!host.load(ary, writable)) return false;
    const int same = PyObject_RichCompareBool(host.dtype.get(), array.dtype, Py_EQ);
    if (same < 0) return false;
    if (!same) {
        PyErr_Format(writable ? PyExc_TypeError : PyExc_ValueError, "%s: 'ary' is of %S, the array of %S%s",
                     call, host.dtype.get(), array.dtype,
                     writable ? "" : ": ary.astype(a.dtype) converts it");
        return false;
    }
    if (!same_count(call, host.layout, layout, other_shape)) return false;
    alike = &host;
    if (same_shape(layout, host.layout)) return true;
    const Reference shape(sizes_to_python(layout.shape, layout.axes));
    const Reference turned(shape ? PyObject_CallMethod(host.array.get(), "reshape", "(O)", shape.get())
                                 : nullptr);
    if (!turned || !reshaped.load(turned.get(), writable)) return false;
    alike = &reshaped;
    if (!writable || reshaped.data == host.data || !layout.count()) return true;
    PyErr_Format(PyExc_ValueError, "%s: 'ary' can't be seen in the array's shape %R", call, shape.get());
    return false;
}

// A new numpy array with the layout that new_array() chooses. It is page-locked on request. If it is large,
// it reuses memory of earlier results.
PyObject *new_result(const Array &array, bool pagelocked, const char *call) {
    const Layout layout = array.layout().compact('K');
    const auto size = static_cast<std::size_t>(layout.count() * layout.itemsize);
    if (!pagelocked && size < copy_settings().results_from) return new_array(array.dtype, array.layout());
    Runtime *runtime = arrays::runtime();
    const Numpy *np = runtime ? numpy() : nullptr;
    if (!np) return nullptr;
    Reference memory;
    if (pagelocked) {
        const Retained<Buffer> buffer = allocate_host(*runtime, call, size, Buffer::Kind::pinned);
        memory = Reference(buffer ? make_host_memory(buffer) : nullptr);
    } else {
        memory = Reference(make_result_memory(size));
    }
    if (!memory) return nullptr;
    return PyObject_CallFunction(np->ndarray, "NOOiN", sizes_to_python(layout.shape, layout.axes),
                                 array.dtype, memory.get(), 0, sizes_to_python(layout.strides, layout.axes));
}

// Whether numpy has made text of the argument.
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
    return upload_from(self, host, {"GPUArray.set()", current_stream(), false, {}});
}

bool upload_elements(PyObject *self, PyObject *values, const StreamArgument &stream, bool asynchronous,
                     const char *call) {
    HostArray host;
    return host.load(values, false) && upload_from(self, host, {call, stream, asynchronous, {}});
}

// get(ary=None, pagelocked=False, async_=False, stream=None, progress=None)
PyObject *get(OtherShape other_shape, PyObject *self, PyObject *const *args, Py_ssize_t count,
              PyObject *keywords) {
    constexpr const char *call = "GPUArray.get()";
    const Arguments values(call, {"ary", "pagelocked", "async_", "stream", "progress"}, args, count, keywords,
                           0);
    bool pagelocked = false;
    Request request{call, {}, false, {}};
    Runtime *runtime = nullptr;
    if (!values || !load_flag(values[1], false, pagelocked) ||
        !load_flag(values[2], false, request.asynchronous) || !begin(runtime) ||
        !load_stream(values[3], call, request.stream) || !load_progress(values[4], request))
        return nullptr;
    HostArray host, reshaped, *alike = &host;
    Reference into;
    bool page_locked = false; // page-locked memory
    if (PyObject *ary = values.unless_none(0)) {
        const Numpy *np = numpy();
        const int is_numpy = np ? PyObject_IsInstance(ary, np->ndarray) : -1;
        if (is_numpy < 0) return nullptr;
        if (!is_numpy)
            return PyErr_Format(PyExc_TypeError, "%s: 'ary' must be a numpy array, not %.80s", call,
                                type_description(ary));
        into = Reference::borrow(ary);
        if (!load_alike(self, ary, true, other_shape, host, reshaped, alike, call)) return nullptr;
    } else {
        const Array &array = array_of(self);
        pagelocked |= request.asynchronous;
        page_locked = pagelocked;
        into = Reference(new_result(array, pagelocked, call));
        if (!into || !host.load(into.get(), true)) return nullptr;
    }
    return download_to(self, *alike, request, page_locked) ? into.release() : nullptr;
}

// set(ary, async_=False, stream=None, progress=None)
PyObject *set(OtherShape other_shape, PyObject *self, PyObject *const *args, Py_ssize_t count,
              PyObject *keywords) {
    constexpr const char *call = "GPUArray.set()";
    const Arguments values(call, {"ary", "async_", "stream", "progress"}, args, count, keywords);
    Request request{call, {}, false, {}};
    Runtime *runtime = nullptr;
    if (!values || !load_flag(values[1], false, request.asynchronous) || !begin(runtime) ||
        !load_stream(values[2], call, request.stream) || !load_progress(values[3], request))
        return nullptr;
    Reference foreign;
    if (!load_shared(values[0], call, values[2], foreign)) return nullptr;
    PyObject *array = foreign ? foreign.get() : values[0];
    if (is_array(array)) {
        if (!set_from_array(self, array, request.stream, values.unless_none(2) != nullptr, other_shape, call))
            return nullptr;
        Py_RETURN_NONE;
    }
    const Reference source(as_array(values[0]));
    HostArray host, reshaped, *alike = &host;
    if (!source || !load_alike(self, source.get(), false, other_shape, host, reshaped, alike, call) ||
        !upload_from(self, *alike, request))
        return nullptr;
    Py_RETURN_NONE;
}

PyObject *copy_shared(PyTypeObject *type, PyObject *shared, char order, PyObject *allocator,
                      const StreamArgument &stream, bool asynchronous, const char *call) {
    const Array &from = array_of(shared);
    const Layout layout = from.layout().compact(order);
    const Reference result(make_empty(type, call, layout, from.dtype, allocator, stream));
    if (!result || !set_from_array(result.get(), shared, stream, asynchronous, OtherShape::welcome, call))
        return nullptr;
    return Py_NewRef(result.get());
}

// to_gpu(ary, allocator=None, stream=None, asynchronous=False, progress=None)
PyObject *to_gpu(PyObject *, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    const Arguments values("to_gpu()", {"ary", "allocator", "stream", "asynchronous", "progress"}, args,
                           count, keywords);
    Request request{"to_gpu()", {}, false, {}};
    if (!values || !load_flag(values[3], false, request.asynchronous)) return nullptr;
    PyObject *allocator = values.unless_none(1);
    if (request.asynchronous) request.call = "to_gpu_async()";
    const char *call = request.call;
    Runtime *runtime = nullptr;
    if (!begin(runtime) || !load_stream(values[2], call, request.stream) ||
        !load_progress(values[4], request))
        return nullptr;
    if (allocator && !check_allocator(allocator, call)) return nullptr;
    if (is_array(values[0]))
        return PyErr_Format(PyExc_TypeError, "%s: parameter 'ary' is a GPUArray already; a.copy() copies it",
                            call);
    PyTypeObject *type = public_type();
    Reference foreign;
    if (!type || !load_shared(values[0], call, values[2], foreign)) return nullptr;
    if (foreign)
        return copy_shared(type, foreign.get(), 'K', allocator, request.stream, request.asynchronous, call);
    Reference source(as_array(values[0]));
    HostArray host;
    if (!source || !host.load(source.get(), false)) return nullptr;
    if (!plain_kind(host.dtype.get()) && holds_text(host.dtype.get()) &&
        !PyObject_HasAttrString(values[0], "__array_interface__"))
        return PyErr_Format(PyExc_TypeError,
                            "%s: parameter 'ary' must be an array or numbers, not text (%.80s)", call,
                            type_description(values[0]));
    ssize_t itemsize = 0;
    Reference dtype(PyErr_Occurred() ? nullptr : load_dtype(host.dtype.get(), itemsize));
    if (!dtype) return nullptr;
    Layout layout = host.layout;
    layout.itemsize = itemsize;
    if (!layout.contiguous_as_c()) layout = layout.compact('K');
    Reference result(make_empty(type, call, layout, dtype.get(), allocator, request.stream));
    // Fresh memory shares nothing with the numpy array.
    if (!result || !upload_apart(result.get(), host, request)) return nullptr;
    return result.release();
}

} // namespace pygpu::arrays
