// Copying several arrays into one, one after the other along an axis that they have, or along a new one.
#include "arrays/transfer/moves.hpp"
#include "arrays/transfer/rectangles.hpp"
#include "arrays/types/gpu_array/array.hpp"
#include "arrays/types/gpu_array/operation.hpp"
#include "binding/status_type.hpp"
#include "python/gil.hpp"

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

// Whether the arrays fill the result. A class derived from GPUArray may report any shape.
bool fits(const Array &to, std::span<PyObject *const> sources, int axis) {
    if (axis < 0 || axis >= to.axes()) return false;
    ssize_t left = to.shape()[axis];
    for (PyObject *one : sources) {
        const Array &from = array_of(one);
        if (from.itemsize != to.itemsize || from.axes() > to.axes() || from.axes() + 1 < to.axes())
            return false;
        const Source source(one, to, axis);
        for (int at = 0; at < to.axes(); ++at)
            if (at != axis && source.shape[at] != to.shape()[at]) return false;
        if (source.shape[axis] > left) return false;
        left -= source.shape[axis];
    }
    return !left;
}

} // namespace

PyObject *join_arrays(PyObject *, PyObject *args) {
    PyObject *joined = nullptr, *list = nullptr;
    int axis = 0;
    Runtime *runtime = nullptr;
    StreamArgument stream;
    if (!PyArg_ParseTuple(args, "O!O!i", array_type(), &joined, &PyTuple_Type, &list, &axis) ||
        !begin(runtime) || !load_stream(Py_None, join_name, stream))
        return nullptr;
    Array &to = array_of(joined);
    const std::span<PyObject *const> sources(&PyTuple_GET_ITEM(list, 0),
                                             static_cast<std::size_t>(PyTuple_GET_SIZE(list)));
    const auto is_here = [&](PyObject *source) {
        return is_array(source) && array_of(source).buffer->device == to.buffer->device &&
               array_of(source).dtype == to.dtype;
    };
    if (!std::ranges::all_of(sources, is_here)) Py_RETURN_FALSE;
    if (!fits(to, sources, axis)) {
        PyErr_Format(PyExc_ValueError, "%s: the arrays don't fill the result along axis %d", join_name, axis);
        return nullptr;
    }
    ssize_t start = 0;
    for (std::size_t first = 0; first < sources.size(); first += most_joined) {
        if (!join(to, sources.subspan(first, std::min(most_joined, sources.size() - first)), axis, start,
                  stream))
            return nullptr;
    }
    Py_RETURN_TRUE;
}

} // namespace pygpu::arrays
