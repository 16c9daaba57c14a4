// Copying elements from array to array.
#include "arrays/types/gpu_array/array.hpp"
#include "arrays/types/gpu_array/operation.hpp"
#include "binding/status_type.hpp"
#include "python/gil.hpp"
#include "python/package.hpp"
#include "python/reference.hpp"

#include <algorithm>

namespace pygpu::arrays {
namespace {

// Makes copies between the two devices go over their link, if they have one. Not in a capture: only the copy
// itself goes into the graph.
int link_devices(Operation &operation, const Buffer &to, const Buffer &from) {
    if (operation.capturing || to.device == from.device) return success;
    return open_link(operation.scope, to, from);
}

// Queues a copy from an array of the same shape and item size. `done` is false, and nothing was done, if the
// memory of both overlaps, or if it lies on two devices and has so narrow rows that they must be packed
// first.
bool copy_elements(Array &to, Array &from, const StreamArgument &stream, bool asynchronous, const char *call,
                   bool &done) {
    // Check this before addresses are compared: freed memory may belong to another array by now.
    if (!to.buffer->check_writable(call) || !from.buffer->check(call)) return false;
    const Layout layout = to.layout();
    const std::size_t size = static_cast<std::size_t>(layout.count() * layout.itemsize);
    done = !size;
    if (done) return true;
    const int there = to.buffer->device, here = from.buffer->device;
    const Axes axes = axes_of(layout, from.strides());
    done = !overlap(to.data, layout, from.data, from.layout()) &&
           (there == here || goes_between_devices(to.buffer->runtime, there, here, axes));
    if (!done) return true;
    Operation operation(*to.buffer, stream, asynchronous);
    operation.involve(*from.buffer);
    int &status = operation.status;
    if (!status) {
        GilReleased released(true);
        status = link_devices(operation, *to.buffer, *from.buffer);
        Job job = operation.job();
        if (!status) status = on_devices(job, to.data, from.data, axes);
    }
    operation.keep();
    operation.finish();
    if (status) raise_status(operation.runtime, status, "%s", call);
    return !status;
}

// A new array on a device, with the dtype and the allocator of the array `like`.
PyObject *make_on(int device, PyTypeObject *type, const char *call, const Layout &layout, const Array &like,
                  const StreamArgument &stream) {
    Scope scope(like.buffer->runtime, device);
    if (scope.status()) return raise_status(like.buffer->runtime, scope.status(), "%s", call);
    return make_empty(type, call, layout, like.dtype, like.allocator, stream);
}

// Broadcasts a layout to a larger shape by numpy's rule for assignments: axes are added in front, and axes of
// extent 1 are repeated. False if it doesn't fit.
bool broadcast(const Layout &from, const Layout &shape, Layout &seen) {
    int dropped = 0;
    while (from.axes - dropped > shape.axes && from.shape[dropped] == 1) ++dropped;
    const int missing = shape.axes - (from.axes - dropped);
    if (missing < 0) return false;
    seen = shape;
    for (int axis = 0; axis < shape.axes; ++axis) {
        const int mine = axis - missing + dropped;
        const bool repeated = axis < missing || from.shape[mine] != shape.shape[axis];
        if (axis >= missing && repeated && from.shape[mine] != 1) return false;
        seen.strides[axis] = repeated ? 0 : from.strides[mine];
    }
    return true;
}

// Copies from an array of the same shape and item size, whatever the strides and the devices.
bool copy_all(PyObject *self, PyObject *other, const StreamArgument &stream, bool asynchronous,
              const char *call) {
    Array &to = array_of(self), &from = array_of(other);
    bool done = false;
    if (!copy_elements(to, from, stream, asynchronous, call, done)) return false;
    if (done) return true;
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

} // namespace

bool check_dtype(const Array &array, PyObject *due) {
    const int same = PyObject_RichCompareBool(array.dtype, due, Py_EQ);
    if (same) return same > 0;
    const Reference text(call_in_package(package::refused_conversion, "(OO)", array.dtype, due));
    if (text) PyErr_SetObject(PyExc_TypeError, text.get());
    return false;
}

PyObject *compact_copy(PyObject *self, char order, const StreamArgument &stream, bool asynchronous,
                       const char *call) {
    Array &from = array_of(self);
    const Layout layout = from.layout().compact(order);
    const Reference result(make_on(from.buffer->device, Py_TYPE(self), call, layout, from, stream));
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

bool assign_array(PyObject *self, PyObject *other, const StreamArgument &stream, bool asynchronous) {
    const Array &to = array_of(self), &from = array_of(other);
    const Layout layout = to.layout();
    if (!check_dtype(from, to.dtype)) return false;
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

} // namespace pygpu::arrays
