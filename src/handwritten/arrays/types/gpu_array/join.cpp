// Copying several arrays into one, one after the other along an axis that they have, or along a new one.
#include "arrays/memory/allocator.hpp"
#include "arrays/transfer/moves.hpp"
#include "arrays/transfer/rectangles.hpp"
#include "arrays/types/gpu_array/array.hpp"
#include "arrays/types/gpu_array/operation.hpp"
#include "binding/status_type.hpp"
#include "python/gil.hpp"
#include "python/reference.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace pygpu::arrays {
namespace {

constexpr const char *join_name = "concatenate()";
constexpr std::size_t most_joined = std::min(MoveParts::most, Operation::most_buffers - 1);

int copy_parts(Job &job, std::span<const Part> parts) {
    if (parts.size() > 1)
        if (const auto status = join_by_kernel(job, parts)) return *status;
    int status = success;
    for (const Part &part : parts)
        if (!status) status = on_devices(job, part.to, part.from, part.axes);
    return status;
}

// A source with the axes of the result: one that lacks the new axis has an extent of 1 there.
struct Source {
    const Array &array;
    std::array<ssize_t, most_axes> shape, strides;

    Source(PyObject *source, const Array &to, int axis) : array(array_of(source)) {
        for (int at = 0, own = 0; at < to.axes(); ++at) {
            const bool is_new = at == axis && array.axes() < to.axes();
            shape[at] = is_new ? 1 : array.shape()[own];
            strides[at] = is_new ? 0 : array.strides()[own];
            own += !is_new;
        }
    }
};

// Copies arrays to `start` and on along the axis, and moves `start` to their end. False with an exception
// set.
bool join(Array &to, std::span<PyObject *const> sources, int axis, ssize_t &start,
          const StreamArgument &stream) {
    std::array<Part, most_joined> parts;
    std::size_t count = 0;
    Operation operation(*to.buffer, stream, false);
    for (PyObject *one : sources) {
        const Source source(one, to, axis);
        const Array &from = source.array;
        if (!from.buffer->check(join_name)) return false;
        Layout place = to.layout();
        place.shape[axis] = source.shape[axis];
        char *const there = to.data + start * place.strides[axis];
        start += place.shape[axis];
        if (!place.count() || !place.itemsize) continue;
        operation.involve(*from.buffer);
        Part &part = parts[count++];
        part.axes = axes_of(place, source.strides.data());
        const Shift shift = normalise(part.axes);
        part.to = there + shift.to;
        part.from = from.data + shift.from;
    }
    int &status = operation.status;
    if (!status) {
        GilReleased released(true);
        Job job = operation.job();
        status = copy_parts(job, {parts.data(), count});
    }
    operation.keep();
    operation.finish();
    if (status) raise_status(operation.runtime, status, "%s", join_name);
    return !status;
}

// The layout of the result; a negative axis becomes the one that it means. False if the arrays don't fit to
// each other, which concatenate() and stack() explain.
bool joined_layout(std::span<PyObject *const> sources, ssize_t &axis, bool new_axis, Layout &result) {
    const Array &first = array_of(sources[0]);
    const int axes = first.axes();
    result.axes = axes + new_axis;
    if (axis < 0) axis += result.axes;
    if (axis < 0 || axis >= result.axes || result.axes > most_axes) return false;
    result.itemsize = first.itemsize;
    ssize_t extent = 0;
    for (PyObject *one : sources) {
        const Array &array = array_of(one);
        if (array.axes() != axes) return false;
        for (int at = 0; at < axes; ++at)
            if (array.shape()[at] != first.shape()[at] && (new_axis || at != axis)) return false;
        if (__builtin_add_overflow(extent, new_axis ? 1 : array.shape()[axis], &extent)) return false;
    }
    for (int at = 0, own = 0; at < result.axes; ++at)
        result.shape[at] = at == axis ? extent : first.shape()[own], own += !(new_axis && at == axis);
    return true;
}

} // namespace

PyObject *join_arrays(PyObject *, PyObject *const *args, Py_ssize_t) {
    PyObject *allocator = args[3] == Py_None ? nullptr : args[3];
    Runtime *runtime = nullptr;
    StreamArgument stream;
    if (!begin(runtime) || !load_stream(Py_None, join_name, stream) ||
        (allocator && !check_allocator(allocator, join_name)))
        return nullptr;
    if (!(PyList_CheckExact(args[0]) || PyTuple_CheckExact(args[0])) || !PyLong_CheckExact(args[1]))
        Py_RETURN_NONE;
    const Reference list(PySequence_Tuple(args[0])); // an allocator may change a list
    int overflow = 0;
    ssize_t axis = PyLong_AsLongAndOverflow(args[1], &overflow);
    if (!list) return nullptr;
    const std::span<PyObject *const> sources(&PyTuple_GET_ITEM(list.get(), 0),
                                             static_cast<std::size_t>(PyTuple_GET_SIZE(list.get())));
    const auto alike = [&](PyObject *source) {
        return is_array(source) && array_of(source).dtype == array_of(sources[0]).dtype &&
               array_of(source).buffer->device == array_of(sources[0]).buffer->device;
    };
    Layout layout;
    if (sources.empty() || overflow || !std::ranges::all_of(sources, alike) ||
        !joined_layout(sources, axis, args[2] == Py_True, layout))
        Py_RETURN_NONE;
    const Array &first = array_of(sources[0]);
    const Reference native(PyObject_GetAttrString(first.dtype, "isnative"));
    if (!native) return nullptr;
    if (native.get() != Py_True) Py_RETURN_NONE;
    for (PyObject *one : sources)
        if (!allocator) allocator = array_of(one).allocator;
    layout.set_strides('C');
    PyTypeObject *kind = public_type();
    Reference joined(kind ? make_empty(kind, join_name, layout, first.dtype, allocator, stream) : nullptr);
    if (!joined) return nullptr;
    Array &to = array_of(joined.get());
    if (to.buffer->device != first.buffer->device) Py_RETURN_NONE;
    ssize_t start = 0;
    for (std::size_t at = 0; at < sources.size(); at += most_joined) {
        if (!join(to, sources.subspan(at, std::min(most_joined, sources.size() - at)), static_cast<int>(axis),
                  start, stream))
            return nullptr;
    }
    return joined.release();
}

} // namespace pygpu::arrays
