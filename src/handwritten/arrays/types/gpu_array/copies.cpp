// Copying elements from array to array.
#include "arrays/base/numpy.hpp"
#include "arrays/streams/captures.hpp"
#include "arrays/types/gpu_array/array.hpp"
#include "arrays/types/gpu_array/operation.hpp"
#include "binding/status_type.hpp"
#include "python/gil.hpp"
#include "python/package.hpp"
#include "python/reference.hpp"

#include <algorithm>
#include <optional>

namespace pygpu::arrays {
namespace {

// Makes copies between the two devices go over their link, if they have one. Not in a capture: only the copy
// itself goes into the graph.
int link_devices(Operation &operation, const Buffer &to, const Buffer &from) {
    if (operation.capturing || to.device == from.device) return success;
    return open_link(operation.scope, to, from);
}

// Success if the work of an operation on this memory would not go into a graph; else why, or why that is
// unknown.
int refuse_graph(const Buffer &buffer, const StreamArgument &requested) {
    Scope scope(buffer.runtime, buffer.device, Scope::Calls::allowed);
    if (scope.status()) return scope.status();
    return refuse_capture(buffer.runtime, scope, stream_on(requested, buffer.device).stream);
}

// Queues a copy of narrow rows to another device, on the source's device. `done` is false, and nothing was
// done, if that is not possible.
bool copy_rows_to_peer(Array &to, Array &from, const Axes &axes, const StreamArgument &stream,
                       bool asynchronous, const char *call, bool &done) {
    Operation operation(*from.buffer, stream, asynchronous);
    operation.involve(*to.buffer);
    int &status = operation.status;
    if (!status) {
        GilReleased released(true);
        status = link_devices(operation, *to.buffer, *from.buffer);
        Job job = operation.job();
        if (!status) {
            const std::optional<int> copied = copy_to_peer(job, *to.buffer, to.data, from.data, axes);
            done = copied.has_value();
            status = copied.value_or(success);
        }
    }
    operation.keep();
    operation.finish();
    if (status) raise_status(operation.runtime, status, "%s", call);
    return !status;
}

// Queues a copy from an array of the same shape. Elements of another dtype are cast, for which find_cast()
// must have answered. `done` is false, and nothing was done, if the memory of both overlaps, or if it lies on
// two devices, and elements must be cast, or rows are so narrow that they must be packed first.
bool copy_elements(Array &to, Array &from, const StreamArgument &stream, bool asynchronous, const char *call,
                   bool &done) {
    // Check this before addresses are compared: freed memory may belong to another array by now.
    if (!to.buffer->check_writable(call) || !from.buffer->check(call)) return false;
    const Layout layout = to.layout();
    const std::size_t size = static_cast<std::size_t>(layout.count() * layout.itemsize);
    done = !size;
    if (done) return true;
    const int there = to.buffer->device, here = from.buffer->device;
    const int same = from.dtype == to.dtype ? 1 : PyObject_RichCompareBool(from.dtype, to.dtype, Py_EQ);
    if (same < 0) return false;
    Axes axes = axes_of(layout, from.strides(), same != 0);
    std::optional<Cast> cast;
    if (!same) cast = find_cast(from.dtype, from.itemsize, to.dtype, to.itemsize, axes);
    const bool apart = !overlap(to.data, layout, from.data, from.layout());
    done = apart && (there == here || (!cast && goes_between_devices(to.buffer->runtime, there, here, axes)));
    const bool plain = from.buffer->location == Buffer::Location::device;
    if (!done && apart && same && plain && !refuse_graph(*to.buffer, stream))
        return copy_rows_to_peer(to, from, axes, stream, asynchronous, call, done);
    if (!done) return true;
    Operation operation(*to.buffer, stream, asynchronous);
    operation.involve(*from.buffer);
    int &status = operation.status;
    if (!status) {
        GilReleased released(true);
        status = link_devices(operation, *to.buffer, *from.buffer);
        Job job = operation.job();
        if (!status) {
            status = cast ? convert(job, to.data, from.data, axes, *cast)
                          : on_devices(job, to.data, from.data, axes);
        }
    }
    operation.keep();
    operation.finish();
    if (status) raise_status(operation.runtime, status, "%s", call);
    return !status;
}

// A new array on a device, with the allocator of the array `like`, and its dtype unless there is another.
PyObject *make_on(int device, PyTypeObject *type, const char *call, const Layout &layout, const Array &like,
                  const StreamArgument &stream, PyObject *dtype = nullptr) {
    Scope scope(like.buffer->runtime, device);
    if (scope.status()) return raise_status(like.buffer->runtime, scope.status(), "%s", call);
    return make_empty(type, call, layout, dtype ? dtype : like.dtype, like.allocator, stream);
}

// Broadcasts a layout to a larger shape by numpy's rule for assignments: axes are added in front, and axes of
// extent 1 are repeated. False if it doesn't fit.
bool broadcast(const Layout &from, const Layout &shape, Layout &seen) {
    int dropped = 0;
    while (from.axes - dropped > shape.axes && from.shape[dropped] == 1) ++dropped;
    const int missing = shape.axes - (from.axes - dropped);
    if (missing < 0) return false;
    seen = shape;
    seen.itemsize = from.itemsize;
    for (int axis = 0; axis < shape.axes; ++axis) {
        const int mine = axis - missing + dropped;
        const bool repeated = axis < missing || from.shape[mine] != shape.shape[axis];
        if (axis >= missing && repeated && from.shape[mine] != 1) return false;
        seen.strides[axis] = repeated ? 0 : from.strides[mine];
    }
    return true;
}

// Copies from an array of the same shape, whatever the strides and the devices, and casts as
// copy_elements() does.
bool copy_all(PyObject *self, PyObject *other, const StreamArgument &stream, bool asynchronous,
              const char *call) {
    Array &to = array_of(self), &from = array_of(other);
    bool done = false;
    if (!copy_elements(to, from, stream, asynchronous, call, done)) return false;
    if (done) return true;
    if (to.buffer->device != from.buffer->device) {
        if (const int status = refuse_graph(*to.buffer, stream))
            return raise_status(to.buffer->runtime, status,
                                "%s: rows of less than 128 bytes, or other dtypes, between two devices",
                                call);
    }
    // The memory overlaps, or has narrow rows on another device: go through a compact copy.
    const Reference compact(compact_copy(other, 'K', stream, asynchronous, call));
    if (!compact) return false;
    Array &packed = array_of(compact.get());
    if (!copy_elements(to, packed, stream, asynchronous, call, done)) return false;
    if (done) return true;
    const Reference there(make_on(to.buffer->device, Py_TYPE(other), call, packed.layout(), packed, stream));
    if (!there) return false;
    Array &unpacked = array_of(there.get());
    return copy_elements(unpacked, packed, stream, asynchronous, call, done) &&
           copy_elements(to, unpacked, stream, asynchronous, call, done);
}

bool loses_parts(PyObject *from, PyObject *to) {
    if (plain_kind(from) != 'c') return false;
    const char kind = plain_kind(to);
    return kind != 'c' && kind != 'b';
}

// Whether an assignment casts without a warning, and by one kernel.
bool casts_in_place(const Array &from, const Array &to) {
    if (from.dtype == to.dtype) return true;
    Axes unused;
    return !loses_parts(from.dtype, to.dtype) &&
           find_cast(from.dtype, from.itemsize, to.dtype, to.itemsize, unused);
}

} // namespace

PyObject *converted(PyObject *array, PyObject *dtype, PyObject *on) {
    const int same = PyObject_RichCompareBool(array_of(array).dtype, dtype, Py_EQ);
    if (same) return same < 0 ? nullptr : Py_NewRef(array);
    return call_in_package(package::converted_array, "(OOO)", array, dtype, on);
}

PyObject *compact_copy(PyObject *self, char order, const StreamArgument &stream, bool asynchronous,
                       const char *call, PyObject *dtype, ssize_t itemsize) {
    Array &from = array_of(self);
    Layout layout = from.layout();
    if (dtype) layout.itemsize = itemsize;
    layout = layout.compact(order);
    const Reference result(make_on(from.buffer->device, Py_TYPE(self), call, layout, from, stream, dtype));
    bool done = false; // always becomes true: the memory is fresh, and on the same device
    return result && copy_elements(array_of(result.get()), from, stream, asynchronous, call, done)
               ? Py_NewRef(result.get())
               : nullptr;
}

bool set_from_array(PyObject *self, PyObject *other, const StreamArgument &stream, bool asynchronous,
                    OtherShape other_shape, const char *call) {
    const Array &to = array_of(self), &from = array_of(other);
    const Layout layout = to.layout();
    if (!same_count(call, from.layout(), layout, other_shape)) return false;
    if (const int same = PyObject_RichCompareBool(from.dtype, to.dtype, Py_EQ); same <= 0) {
        if (!same)
            PyErr_Format(PyExc_ValueError, "%s: 'ary' is of %S, the array of %S", call, from.dtype, to.dtype);
        return false;
    }
    if (same_shape(layout, from.layout())) return copy_all(self, other, stream, asynchronous, call);
    const Reference turned(reshaped(other, layout, 'C'));
    return turned && copy_all(self, turned.get(), stream, asynchronous, call);
}

bool assign_array(PyObject *self, PyObject *other, const StreamArgument &stream, bool asynchronous,
                  PyObject *on) {
    const Array &to = array_of(self);
    const Layout layout = to.layout();
    const Reference alike(casts_in_place(array_of(other), to) ? Py_NewRef(other)
                                                              : converted(other, to.dtype, on));
    if (!alike) return false;
    other = alike.get();
    const Array &from = array_of(other);
    Layout seen;
    if (!broadcast(from.layout(), layout, seen)) {
        const Reference mine(sizes_to_python(from.shape(), from.axes()));
        const Reference due(sizes_to_python(layout.shape, layout.axes));
        if (mine && due)
            PyErr_Format(PyExc_ValueError, "could not broadcast input array from shape %R into shape %R",
                         mine.get(), due.get());
        return false;
    }
    const Reference view(make_view(other, seen, 0));
    return view && copy_all(self, view.get(), stream, asynchronous, "copying GPUArrays");
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
    return compact_copy(self, static_cast<char>(order), stream, on != Py_None, call);
}

// _cast(dtype, order, stream): a new compact array with the elements cast, in order C, F or K. None if that
// takes no cast, or several.
PyObject *cast_at_once(PyObject *self, PyObject *args) {
    int order = 'K';
    PyObject *spelling = nullptr, *on = nullptr;
    StreamArgument stream;
    constexpr const char *call = "GPUArray.astype()";
    Runtime *runtime = nullptr;
    ssize_t itemsize = 0;
    if (!PyArg_ParseTuple(args, "OCO", &spelling, &order, &on) || !begin(runtime) ||
        !load_stream(on, call, stream))
        return nullptr;
    const Reference dtype(load_dtype(spelling, itemsize));
    if (!dtype) return nullptr;
    const Array &from = array_of(self);
    const int same = PyObject_RichCompareBool(from.dtype, dtype.get(), Py_EQ);
    Axes unused;
    if (same < 0) return nullptr;
    if (same || !find_cast(from.dtype, from.itemsize, dtype.get(), itemsize, unused)) Py_RETURN_NONE;
    if (loses_parts(from.dtype, dtype.get()) && !Reference(call_in_package(package::lost_parts, "()")))
        return nullptr;
    const auto letter = static_cast<char>(order);
    const bool later = on != Py_None;
    const Layout layout = from.layout();
    if (same_strides(layout.compact(letter), layout.compact('K').strides))
        return compact_copy(self, letter, stream, later, call, dtype.get(), itemsize);
    // Transposing is for the kernels that do it well, on the side with fewer bytes.
    const bool first = from.itemsize <= itemsize;
    const Reference between(first ? compact_copy(self, letter, stream, later, call)
                                  : compact_copy(self, 'K', stream, later, call, dtype.get(), itemsize));
    if (!between) return nullptr;
    return first ? compact_copy(between.get(), letter, stream, later, call, dtype.get(), itemsize)
                 : compact_copy(between.get(), letter, stream, later, call);
}

} // namespace pygpu::arrays
