// Queueing work on arrays.
#include "arrays/types/gpu_array/operation.hpp"

#include "arrays/streams/captures.hpp"
#include "arrays/streams/event_pool.hpp"
#include "arrays/transfer/in_flight.hpp"
#include "python/later.hpp"

#include <utility>

namespace pygpu::arrays {
Operation::Operation(Buffer &buffer, const StreamArgument &requested, bool asynchronous)
    : runtime(buffer.runtime), scope(buffer.runtime, buffer.device), requested(requested),
      stream(stream_on(requested, buffer.device)), asynchronous(asynchronous) {
    status = scope.status();
    if (!status && elsewhere())
        status = order(runtime, scope, stream.stream, requested.stream, requested.device);
    if (!status) status = ask_capturing(runtime, scope, stream.stream, capturing);
    involve(buffer);
}

void Operation::involve(Buffer &buffer) {
    using Kind = Buffer::Kind;
    if (buffer.device != scope.device() || buffer.location == Buffer::Location::pinned) kernels = false;
    if (buffer.kind == Kind::foreign || buffer.kind == Kind::lent || buffer.kind == Kind::resource)
        unsure = true;
    if (!status) status = buffer.state();
    if (is_freed(status)) return;
    if (capturing) { // the graph may run at any time, so its work can't be ordered here
        captured.emplace_back(buffer);
        buffer.let_be_used_anywhere();
        return;
    }
    if (status || !buffer.pointer) return;
    using_.at(used_count_).emplace(buffer);
    status = buffer.begin_use(scope, stream, !asynchronous || stream.is_default());
    used_.at(used_count_++) = &buffer;
}

Job Operation::job() {
    Job job{runtime, scope, stream.stream, staging, capturing, !asynchronous};
    job.kernels = kernels;
    job.unsure = unsure;
    return job;
}

void Operation::keep(PyObject *array) {
    if (capturing) {
        keep_by_graph(runtime, stream.stream,
                      {Reference::borrow(array), std::move(staging), std::move(captured)});
    } else if (array || !staging.empty()) {
        const int recorded = keep_until_done(scope, stream.stream, array, std::move(staging));
        if (!status) status = recorded;
    }
}

void Operation::finish() {
    for (std::size_t at = 0; at < used_count_; ++at) used_[at]->go_on_with_use(stream.stream, scope.device());
    if (status) return;
    const int here = scope.device();
    // A copy between devices that names no stream comes before all later work on either, as cudaMemcpyPeer
    // does: a stream that is named later waits for the memory's own stream alone.
    for (std::size_t at = 0; at < used_count_ && !asynchronous && !status; ++at) {
        Buffer &buffer = *used_[at];
        if (buffer.device == here) continue; // the default stream orders its own device
        status = scope.change(buffer.device);
        if (!status) status = buffer.begin_export(scope);
        buffer.go_on_with_use(buffer.home(), buffer.device);
        const int back = scope.change(here);
        if (!status) status = back;
    }
    if (status || !elsewhere()) return;
    status = scope.change(requested.device);
    if (!status) status = order(runtime, scope, requested.stream, stream.stream, here);
    const int back = scope.change(here);
    if (!status) status = back;
}

bool begin(Runtime *&runtime) {
    if (has_postponed()) do_postponed();
    release_done();
    runtime = arrays::runtime();
    return runtime && !PyErr_Occurred();
}

Axes axes_of(const Layout &to, const ssize_t *from_strides, bool bytes) {
    Axes axes;
    for (int axis = 0; axis < to.axes; ++axis)
        if (to.shape[axis] > 1) axes.add({to.shape[axis], to.strides[axis], from_strides[axis]});
    if (bytes && to.itemsize > 1) axes.add({to.itemsize, 1, 1});
    return axes;
}

} // namespace pygpu::arrays
